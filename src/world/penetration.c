// Penetration recovery: bodies that were placed deep inside each other.
//
// Contact points of surfaces give the separating direction as long as the overlap is small. Where
// two bodies without such contacts overlap deeply (a point well below the surface of one is inside
// the other), they are separated along the one of 26 directions in which their extents overlap
// least: the farthest points of both along it push each other, without friction, until the overlap
// is small. Contacts remember the direction.
#include "world/touch.h"

// Of the sum of radii: bodies whose centres are farther apart are not tested. Doubled, all near
// pairs are.
#define CLOSE 0.6
// Of the smaller radius: depth of the sample points, at most the middle of the body. Doubled,
// recovery begins at twice the overlap.
#define SAMPLE_DEPTH 0.25
// Of the thickness: least depth of the sample points, for small bodies in large ones.
#define LEAST_SAMPLE_DEPTH 0.2

enum {
  SAMPLES = 8,     // points of each body
  DIRECTIONS = 26, // of the sides, edges and corners of a cube
  PUSHING_POINTS = 4
};

// ---- inside ------------------------------------------------------------------------------------

typedef struct Ray {
  lbVec3 origin, direction; // own axes of a body, unit
  double nearest;
  bool leaves;   // the body at the nearest place,
  int crossings; // and so many times more often than it enters
} Ray;

static bool meets_sphere(void *context, lbVec3 centre, double radius) {
  const Ray *ray = context;
  lbVec3 to = lb_sub(centre, ray->origin);
  double along = lb_dot(to, ray->direction);
  double aside = lb_length(lb_add_scaled(to, -along, ray->direction));
  return aside <= radius && along > -radius;
}

// Möller & Trumbore: origin + t direction in the triangle.
static bool meet_triangle(void *context, const lbSurfaceTriangle *triangle, int32_t number) {
  Ray *ray = context;
  lbVec3 a = triangle->corners[0], u = lb_sub(triangle->corners[1], a);
  lbVec3 v = lb_sub(triangle->corners[2], a), p = lb_cross(ray->direction, v);
  lbVec3 from = lb_sub(ray->origin, a), q = lb_cross(from, u);
  double determinant = lb_dot(u, p);
  (void)number;
  if (determinant == 0) return true;
  double s = lb_dot(from, p) / determinant, r = lb_dot(ray->direction, q) / determinant;
  double t = lb_dot(v, q) / determinant;
  if (!(s >= 0 && r >= 0 && s + r <= 1 && t > 0)) return true;
  bool leaves = lb_dot(lb_cross(u, v), ray->direction) > 0;
  ray->crossings += leaves ? 1 : -1;
  if (t < ray->nearest) ray->nearest = t, ray->leaves = leaves;
  return true;
}

// Folds of a crumpled surface are left as often as they are entered, so that the first triangle on
// the ray alone does not tell.
static bool is_inside_body(const lbBody *body, lbVec3 place) {
  const lbSolid *solid = lb_body_solid(body);
  lbVec3 own = lb_body_unplace(body, place);
  if (solid) return lb_solid_distance(solid, own, NULL) < 0;
  Ray ray = { own, lb_vec3(0.36, 0.48, 0.8), INFINITY, false, 0 };
  return lb_touch_visit(body, meets_sphere, meet_triangle, &ray) && ray.leaves && ray.crossings > 0;
}

// By the rows of its tree. False: no memory.
static bool place_corners(const lbTree *tree, const lbBody *body, int32_t triangle, lbVec3 at[3]) {
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return false;
  body->prepared->method->get(body, scratch->q0, scratch->v0, NULL);
  for (size_t k = 0; k < 3; k++) {
    int32_t vertex = tree->model->triangles[3 * (size_t)triangle + k];
    lbVec3 rest = lb_vec3_load(tree->model->vertex_positions + 3 * (size_t)vertex);
    at[k] = lb_body_place(body, lb_add(rest, lb_tree_motion(tree, vertex, scratch->q0)));
  }
  lb_scratch_return(body->prepared, scratch);
  return true;
}

// Corners of a triangle in the world; false: it is not told where they are.
static bool find_corners(const lbWorldSlot *slot, int32_t triangle, lbVec3 at[3]) {
  const lbPlaced *placed = slot->placed;
  const int32_t *corners = lb_body_model(slot->body)->triangles + 3 * (size_t)triangle;
  bool all = placed && lb_placed_has_all(placed);
  for (int k = 0; k < 3 && all; k++)
    at[k] = lb_vec3_load(placed->positions + 3 * (size_t)corners[k]);
  if (all) return true;
  if (placed && placed->tree->rows) return place_corners(placed->tree, slot->body, triangle, at);
  for (int k = 0; k < 3; k++)
    if (lb_body_point(slot->body, lb_point_triangle(triangle, k == 0, k == 1, k == 2), &at[k],
                      NULL))
      return false;
  return true;
}

// A point below the surface; false: it is not known.
static bool sample_point(const lbWorldSlot *slot, int32_t number, double radius, lbVec3 *place) {
  const lbBody *body = slot->body;
  const lbModel *model = lb_body_model(body);
  const double middle[3] = { 1.0 / 3, 1.0 / 3, 1.0 / 3 };
  *place = lb_frame_centre(body);
  if (lb_body_solid(body)) return number == 0;
  int32_t triangle = (int32_t)((int64_t)model->size.triangle_count * number / SAMPLES);
  lbVec3 at[3];
  double thickness;
  if (!find_corners(slot, triangle, at)) return false;
  lbVec3 now = lb_normalise(lb_cross(lb_sub(at[1], at[0]), lb_sub(at[2], at[0])));
  lbVec3 out = lb_body_outward(body, triangle, middle, now, &thickness);
  double depth = fmax(LEAST_SAMPLE_DEPTH * thickness, fmin(0.5 * thickness, SAMPLE_DEPTH * radius));
  *place = lb_add_scaled(lb_scale(1.0 / 3, lb_add(at[0], lb_add(at[1], at[2]))), -depth, out);
  return thickness > 0;
}

// The samples of a body that is squeezed flat may lie outside it: those do not count.
static bool sample_is_inside(const lbWorld *world, int32_t one, int32_t other, int32_t number,
                             double radius) {
  const lbTouchSphere *around = &world->touch->spheres[other];
  lbVec3 place;
  if (!sample_point(&world->slots[one], number, radius, &place)) return false;
  if (lb_length(lb_sub(place, around->centre)) > around->radius) return false; // most are not
  return is_inside_body(world->slots[other].body, place) &&
         is_inside_body(world->slots[one].body, place);
}

// Tests all samples of bodies that were deep inside each other, and one a step of others.
static bool are_deep(const lbWorld *world, int32_t a, int32_t b, bool known) {
  const lbWorldTouch *touch = world->touch;
  const lbBody *one = world->slots[a].body, *other = world->slots[b].body;
  const lbTouchSphere *first = &touch->spheres[a], *second = &touch->spheres[b];
  double distance = lb_length(lb_sub(first->centre, second->centre));
  double smaller = fmin(first->radius, second->radius);
  if (!known && !(distance < CLOSE * (first->radius + second->radius))) return false;
  for (int32_t i = 0; i < SAMPLES; i++) {
    if (!known && !lb_body_solid(one) && !lb_body_solid(other) && i != world->steps % SAMPLES)
      continue;
    if (sample_is_inside(world, a, b, i, smaller) || sample_is_inside(world, b, a, i, smaller))
      return true;
  }
  return false;
}

// ---- separating direction
// -------------------------------------------------------------------------------

// The sides of a cube come first: of equal overlaps the first direction is taken.
static lbVec3 direction_of(int32_t index) {
  static const int8_t all[DIRECTIONS][3] = {
    { 0, 0, 1 },  { 0, 0, -1 },   { 1, 0, 0 },  { -1, 0, 0 },  { 0, 1, 0 },  { 0, -1, 0 },
    { 1, 1, 0 },  { -1, -1, 0 },  { 1, -1, 0 }, { -1, 1, 0 },  { 1, 0, 1 },  { -1, 0, -1 },
    { 1, 0, -1 }, { -1, 0, 1 },   { 0, 1, 1 },  { 0, -1, -1 }, { 0, 1, -1 }, { 0, -1, 1 },
    { 1, 1, 1 },  { -1, -1, -1 }, { 1, 1, -1 }, { -1, -1, 1 }, { 1, -1, 1 }, { -1, 1, -1 },
    { -1, 1, 1 }, { 1, -1, -1 },
  };
  return lb_normalise(lb_vec3(all[index][0], all[index][1], all[index][2]));
}

// The farthest points of a surface along some directions.
typedef struct Farthest {
  const lbBody *body;
  int32_t count;
  lbVec3 directions[DIRECTIONS]; // world
  double most[DIRECTIONS];       // m
  int32_t triangles[DIRECTIONS], corners[DIRECTIONS];
  lbVec3 places[DIRECTIONS];
} Farthest;

static bool visits_all(void *context, lbVec3 centre, double radius) {
  (void)context, (void)centre, (void)radius;
  return true;
}

static bool extend_farthest(void *context, const lbSurfaceTriangle *triangle, int32_t number) {
  Farthest *f = context;
  for (int k = 0; k < 3; k++) {
    if (!(triangle->own & LB_OWN_CORNER(k))) continue;
    lbVec3 place = lb_body_place(f->body, triangle->corners[k]);
    for (int32_t i = 0; i < f->count; i++) {
      double way = lb_dot(f->directions[i], place);
      if (!(way > f->most[i])) continue;
      f->most[i] = way, f->triangles[i] = number, f->corners[i] = k, f->places[i] = place;
    }
  }
  return true;
}

static bool find_farthest(const lbBody *body, Farthest *f) {
  f->body = body;
  for (int32_t i = 0; i < f->count; i++) f->most[i] = -INFINITY, f->triangles[i] = -1;
  return lb_touch_visit(body, visits_all, extend_farthest, f) && f->triangles[0] >= 0;
}

// The direction in which the extents of the two overlap least; -1: there is none.
static int32_t find_separation(const lbBody *one, const lbBody *other) {
  Farthest back = { .count = DIRECTIONS }, ahead = { .count = DIRECTIONS };
  int32_t best = -1;
  double least = INFINITY;
  for (int32_t i = 0; i < DIRECTIONS; i++) {
    ahead.directions[i] = direction_of(i);
    back.directions[i] = lb_scale(-1, ahead.directions[i]);
  }
  if (!find_farthest(one, &back) || !find_farthest(other, &ahead)) return -1;
  for (int32_t i = 0; i < DIRECTIONS; i++) {
    double overlap = ahead.most[i] + back.most[i];
    if (overlap < (1 - 1e-9) * least) least = overlap, best = i;
  }
  return best;
}

// Contacts between four points around the far end of each.
static void push_apart(const lbBody *const bodies[2], int32_t index, lbTouchWork *work) {
  Farthest ends[2] = { { .count = PUSHING_POINTS }, { .count = PUSHING_POINTS } };
  lbVec3 way = direction_of(index), side, other;
  side = lb_normalise(lb_cross(fabs(way.x) < 0.6 ? lb_vec3(1, 0, 0) : lb_vec3(0, 1, 0), way));
  other = lb_cross(way, side);
  for (int32_t i = 0; i < PUSHING_POINTS; i++) {
    lbVec3 aside = lb_add(lb_scale(i & 1 ? 0.5 : -0.5, side), lb_scale(i & 2 ? 0.5 : -0.5, other));
    ends[0].directions[i] = lb_sub(aside, way);
    ends[1].directions[i] = lb_add(aside, way);
  }
  for (int e = 0; e < 2; e++)
    if (!find_farthest(bodies[e], &ends[e])) return;
  for (int32_t i = 0; i < PUSHING_POINTS; i++) {
    lbTouchCandidate c = { .triangles = { ends[0].triangles[i], ends[1].triangles[i] },
                           .point = ends[1].places[i],
                           .first = ends[0].places[i],
                           .normal = way,
                           .feature = LB_DEEP_FEATURE - index };
    c.gap = lb_dot(way, lb_sub(c.first, c.point));
    for (int e = 0; e < 2; e++) {
      c.weights[e][ends[e].corners[i]] = 1;
      if (lb_body_solid(bodies[e])) c.triangles[e] = -1;
    }
    if (c.gap < 0) lb_touch_add_candidate(work, -c.gap, &c);
  }
}

// The direction of the last step, -1: none; *pushes: their surfaces had contacts then.
static int32_t direction_before(const lbWorldTouch *touch, int32_t a, int32_t b, bool *pushes) {
  *pushes = false;
  for (int32_t k = touch->remembered_first[a]; k >= 0; k = touch->remembered_next[k]) {
    const lbRememberedContact *r = &touch->remembered[k];
    if (r->slots[1] != b) continue;
    if (lb_touch_is_deep(r->feature)) return LB_DEEP_FEATURE - r->feature;
    *pushes = true;
  }
  return -1;
}

bool lb_touch_part(const lbWorld *world, lbTouchWork *work, const lbNear *near) {
  int32_t a = near->slots[0], b = near->slots[1];
  const lbBody *const bodies[2] = { world->slots[a].body, world->slots[b].body };
  bool pushes;
  int32_t index = direction_before(world->touch, a, b, &pushes);
  if (pushes) return false;            // surfaces know the side that each came from
  if (index >= DIRECTIONS) index = -1; // of a damaged state
  if (!are_deep(world, a, b, index >= 0)) return false;
  if (index < 0) index = find_separation(bodies[0], bodies[1]);
  if (index < 0) return false;
  push_apart(bodies, index, work);
  return true;
}
