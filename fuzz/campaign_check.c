// The judge of the campaign. It sees surfaces, masses and energies alone, and has its own tests:
//
//   crossing  an edge of one surface passes through a triangle of another: signs of volumes
//   depth     of a vertex inside a closed surface (winding number above 1/2): its distance to the
//             nearest triangle
//   passage   of the middle of what was thrown through the middle plane of a slab, seen from the
//   slab ring      how often the axis of a rod passes through the middle of a ring energy kinetic,
//   elastic and of the weight, against what the scene began with and what motors
//             can have added
#include "campaign.h"

#include <math.h>
#include <string.h>

#define DEEP 0.02        // of the thinner one's thickness: a step of a pair is deep beyond that
#define SPEED_MOST 500   // m/s
#define ENERGY_RISE 0.05 // of the energy there was, above which a scene without drives has failed
#define STRETCH 1.0      // times Young's modulus: energy density that what is driven may store
#define DRIVEN_SPEED 10  // m/s, of what is driven: several times the speed of hands and plates

typedef struct Surface {
  const lbModel *model;
  double *xyz; // (vertices x 3) world
  double low[3], high[3], thickness, mass;
} Surface;

struct campaignJudge {
  const campaignScene *scene;
  int32_t count;
  Surface surfaces[MOST_BODIES];
  double start, scale, floor, power; // J, J, J, W
  lbVec3 at_slab;                    // of what is thrown, after the last step
  int passages;                      // of it through the slab so far, with their signs
  int winding;
};

// ---- vectors -----------------------------------------------------------------------------------

static lbVec3 vertex_at(const Surface *s, int32_t v) {
  return lb_vec3_load(s->xyz + 3 * (size_t)v);
}
static lbVec3 corner_at(const Surface *s, int32_t t, int k) {
  return vertex_at(s, s->model->triangles[3 * (size_t)t + (size_t)k]);
}

// Six times the volume of a tet, in long doubles.
static long double volume(lbVec3 a, lbVec3 b, lbVec3 c, lbVec3 d) {
  long double x1 = (long double)b.x - a.x, y1 = (long double)b.y - a.y, z1 = (long double)b.z - a.z;
  long double x2 = (long double)c.x - a.x, y2 = (long double)c.y - a.y, z2 = (long double)c.z - a.z;
  long double x3 = (long double)d.x - a.x, y3 = (long double)d.y - a.y, z3 = (long double)d.z - a.z;
  return x1 * (y2 * z3 - z2 * y3) - y1 * (x2 * z3 - z2 * x3) + z1 * (x2 * y3 - y2 * x3);
}

// Whether p q passes through the inside of a b c: p and q lie on both sides of its plane, and the
// line turns around all three edges in one sense.
static int passes_through(lbVec3 p, lbVec3 q, lbVec3 a, lbVec3 b, lbVec3 c) {
  long double from = volume(a, b, c, p), to = volume(a, b, c, q);
  if (!((from > 0 && to < 0) || (from < 0 && to > 0))) return 0;
  long double ab = volume(p, q, a, b), bc = volume(p, q, b, c), ca = volume(p, q, c, a);
  bool all = (ab > 0 && bc > 0 && ca > 0) || (ab < 0 && bc < 0 && ca < 0);
  return !all ? 0 : from > 0 ? 1 : -1;
}

// Of the sphere around p, what a b c covers (van Oosterom and Strackee).
static double solid_angle(lbVec3 p, lbVec3 a, lbVec3 b, lbVec3 c) {
  a = lb_sub(a, p), b = lb_sub(b, p), c = lb_sub(c, p);
  double la = lb_length(a), lb = lb_length(b), lc = lb_length(c);
  double below = la * lb * lc + lb_dot(a, b) * lc + lb_dot(b, c) * la + lb_dot(c, a) * lb;
  return 2 * atan2(lb_dot(a, lb_cross(b, c)), below);
}

static double distance_to_segment(lbVec3 p, lbVec3 a, lbVec3 b) {
  lbVec3 along = lb_sub(b, a);
  double length = lb_dot(along, along), t = length > 0 ? lb_dot(lb_sub(p, a), along) / length : 0;
  return lb_length(lb_sub(p, lb_add_scaled(a, fmin(fmax(t, 0), 1), along)));
}

static double distance_to_triangle(lbVec3 p, lbVec3 a, lbVec3 b, lbVec3 c) {
  lbVec3 normal = lb_cross(lb_sub(b, a), lb_sub(c, a));
  double area = lb_length(normal);
  bool over = area > 0 && lb_dot(lb_cross(lb_sub(b, a), lb_sub(p, a)), normal) >= 0 &&
              lb_dot(lb_cross(lb_sub(c, b), lb_sub(p, b)), normal) >= 0 &&
              lb_dot(lb_cross(lb_sub(a, c), lb_sub(p, c)), normal) >= 0;
  if (over) return fabs(lb_dot(lb_sub(p, a), normal)) / area;
  double edges = fmin(distance_to_segment(p, a, b), distance_to_segment(p, b, c));
  return fmin(edges, distance_to_segment(p, c, a));
}

// ---- surfaces ----------------------------------------------------------------------------------

// Whether all of it is finite.
static bool look_at(Surface *s, const lbBody *body) {
  lb_body_surface(body, s->xyz);
  bool finite = true;
  for (int k = 0; k < 3; k++) s->low[k] = INFINITY, s->high[k] = -INFINITY;
  for (size_t i = 0; i < 3 * (size_t)s->model->size.vertex_count; i++) {
    finite = finite && isfinite(s->xyz[i]);
    s->low[i % 3] = fmin(s->low[i % 3], s->xyz[i]);
    s->high[i % 3] = fmax(s->high[i % 3], s->xyz[i]);
  }
  return finite;
}

static bool is_in_box(const Surface *s, lbVec3 p) {
  return p.x >= s->low[0] && p.y >= s->low[1] && p.z >= s->low[2] && p.x <= s->high[0] &&
         p.y <= s->high[1] && p.z <= s->high[2];
}

static bool boxes_meet(const Surface *a, const Surface *b) {
  for (int k = 0; k < 3; k++)
    if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
  return true;
}

// m: how deep the vertices of one are inside the other.
static double depth_in(const Surface *a, const Surface *b) {
  double deepest = 0;
  for (int32_t v = 0; v < a->model->size.vertex_count; v++) {
    lbVec3 p = vertex_at(a, v);
    if (!is_in_box(b, p)) continue;
    double angle = 0, nearest = INFINITY;
    for (int32_t t = 0; t < b->model->size.triangle_count; t++) {
      lbVec3 x = corner_at(b, t, 0), y = corner_at(b, t, 1), z = corner_at(b, t, 2);
      angle += solid_angle(p, x, y, z);
      nearest = fmin(nearest, distance_to_triangle(p, x, y, z));
    }
    if (fabs(angle) > 2 * LB_PI && nearest < INFINITY) deepest = fmax(deepest, nearest);
  }
  return deepest;
}

static bool edges_cross(const Surface *a, const Surface *b) {
  for (int32_t t = 0; t < a->model->size.triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      const int32_t *corners = a->model->triangles + 3 * (size_t)t;
      if (corners[k] > corners[(k + 1) % 3]) continue; // each edge once
      lbVec3 p = corner_at(a, t, k), q = corner_at(a, t, (k + 1) % 3);
      if (!is_in_box(b, p) && !is_in_box(b, q)) continue;
      for (int32_t u = 0; u < b->model->size.triangle_count; u++)
        if (passes_through(p, q, corner_at(b, u, 0), corner_at(b, u, 1), corner_at(b, u, 2)))
          return true;
    }
  return false;
}

static bool are_joined(const campaignScene *scene, int a, int b) {
  for (int32_t i = 0; i < scene->joint_count; i++) {
    const int32_t *bodies = scene->joints[i].bodies;
    if ((bodies[0] == a && bodies[1] == b) || (bodies[0] == b && bodies[1] == a)) return true;
  }
  return false;
}

static void count_depth(double depth, double thickness, campaignVerdict *verdict) {
  verdict->pair_steps++;
  verdict->deep_steps += depth > DEEP * thickness;
  verdict->deepest = fmax(verdict->deepest, depth / thickness);
}

static void judge_pairs(const campaignJudge *j, campaignVerdict *verdict) {
  for (int a = 0; a < j->count; a++) {
    const Surface *one = &j->surfaces[a];
    if (j->scene->ground && one->low[2] < 0.01 * one->thickness)
      count_depth(-one->low[2], one->thickness, verdict);
    for (int b = a + 1; b < j->count; b++) {
      const Surface *other = &j->surfaces[b];
      if (!boxes_meet(one, other) || are_joined(j->scene, a, b)) continue; // those do not touch
      count_depth(fmax(depth_in(one, other), depth_in(other, one)),
                  fmin(one->thickness, other->thickness), verdict);
      verdict->crossing_steps += edges_cross(one, other) || edges_cross(other, one);
    }
  }
}

// ---- passing through ---------------------------------------------------------------------------

static lbVec3 middle_of(const Surface *s) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  int32_t count = s->model->size.vertex_count;
  for (int32_t v = 0; v < count; v++) sum = lb_add(sum, vertex_at(s, v));
  return lb_scale(1.0 / count, sum);
}

// The mean place of the vertices whose rest place along an axis is within a range.
static lbVec3 mean_where(const Surface *s, int axis, double low, double high) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  int count = 0;
  for (int32_t v = 0; v < s->model->size.vertex_count; v++) {
    double x = s->model->vertex_positions[3 * (size_t)v + (size_t)axis];
    if (x < low || x > high) continue;
    sum = lb_add(sum, vertex_at(s, v));
    count++;
  }
  return lb_scale(1.0 / (count ? count : 1), sum);
}

// m: the middle of the first body in axes that go with the second, a slab of 0.4 m by 0.4 m; z is
// the distance from its middle plane.
static lbVec3 place_at_slab(const campaignJudge *j) {
  const Surface *slab = &j->surfaces[1];
  lbVec3 x = lb_normalise(lb_sub(mean_where(slab, 0, 0.3, 0.4), mean_where(slab, 0, 0, 0.1)));
  lbVec3 y = lb_sub(mean_where(slab, 1, 0.3, 0.4), mean_where(slab, 1, 0, 0.1));
  lbVec3 z = lb_normalise(lb_cross(x, y)), from = middle_of(slab);
  lbVec3 way = lb_sub(middle_of(&j->surfaces[0]), from);
  return lb_vec3(lb_dot(way, x), lb_dot(way, lb_cross(z, x)), lb_dot(way, z));
}

// Which way the straight line from one place to another passes through the inner part of the slab.
static int passage(lbVec3 from, lbVec3 to) {
  if ((from.z > 0) == (to.z > 0)) return 0;
  lbVec3 at = lb_add_scaled(from, from.z / (from.z - to.z), lb_sub(to, from));
  return fabs(at.x) > 0.15 || fabs(at.y) > 0.15 ? 0 : to.z > 0 ? 1 : -1;
}

// The middle line of a ring of which vertices come in sections is not needed: its middle, and the
// means of its vertices in 16 sectors about the axis that it has at rest.
enum { SECTORS = 16 };

static void find_core(const Surface *ring, lbVec3 core[SECTORS]) {
  int counts[SECTORS] = { 0 };
  memset(core, 0, SECTORS * sizeof *core);
  for (int32_t v = 0; v < ring->model->size.vertex_count; v++) {
    const double *rest = ring->model->vertex_positions + 3 * (size_t)v;
    double angle = atan2(rest[1] - 0.15, rest[0] - 0.15) / (2 * LB_PI) + 1;
    int sector = (int)(angle * SECTORS + 0.5) % SECTORS;
    core[sector] = lb_add(core[sector], vertex_at(ring, v));
    counts[sector]++;
  }
  for (int i = 0; i < SECTORS; i++) core[i] = lb_scale(1.0 / (counts[i] ? counts[i] : 1), core[i]);
}

// The middle of the rod's section at a share of its length, at rest.
static lbVec3 axis_at(const Surface *rod, double share) {
  return mean_where(rod, 0, 0.6 * (share - 0.05), 0.6 * (share + 0.05));
}

// How often the axis of the rod passes through the fan of the ring's core, with its sign.
static int winding_of(const campaignJudge *j) {
  enum { PIECES = 10 };
  lbVec3 core[SECTORS], middle = lb_vec3(0, 0, 0);
  int winding = 0;
  find_core(&j->surfaces[0], core);
  for (int i = 0; i < SECTORS; i++) middle = lb_add_scaled(middle, 1.0 / SECTORS, core[i]);
  for (int piece = 0; piece < PIECES; piece++) {
    lbVec3 p = axis_at(&j->surfaces[1], (double)piece / PIECES);
    lbVec3 q = axis_at(&j->surfaces[1], (piece + 1.0) / PIECES);
    for (int i = 0; i < SECTORS; i++)
      winding += passes_through(p, q, middle, core[i], core[(i + 1) % SECTORS]);
  }
  return winding;
}

// Beyond the ends of the rod a ring may leave it.
static bool is_along(const campaignJudge *j) {
  lbVec3 from = axis_at(&j->surfaces[1], 0), way = lb_sub(axis_at(&j->surfaces[1], 1), from);
  double share = lb_dot(lb_sub(middle_of(&j->surfaces[0]), from), way) / lb_dot(way, way);
  return share > 0.1 && share < 0.9;
}

static const char *judge_sides(campaignJudge *j) {
  if (j->scene->thrown) {
    lbVec3 now = place_at_slab(j);
    j->passages += passage(j->at_slab, now);
    j->at_slab = now;
    if (j->passages != 0 && fabs(now.z) > 0.1) return "passes through";
  }
  if (j->scene->ringed && j->winding != 0) {
    if (winding_of(j) == 0 && is_along(j)) return "passes through";
    if (!is_along(j)) j->winding = 0;
  }
  for (int i = 0; i < j->count && j->scene->ground; i++)
    if (j->surfaces[i].high[2] < 0) return "falls through the ground";
  return NULL;
}

// ---- energies ----------------------------------------------------------------------------------

static double energy_of(const campaignJudge *j, const lbWorld *world, double *speed) {
  double sum = 0;
  *speed = 0;
  for (int i = 0; i < j->count; i++) {
    lbBodyReport r = lb_body_report(lb_world_body(world, j->scene->bodies[i].id));
    sum += r.kinetic + r.elastic - r.mass * lb_dot(j->scene->gravity, r.centre);
    double own = lb_length(r.linear_momentum) / r.mass;
    *speed = isfinite(own) ? fmax(*speed, own) : INFINITY;
  }
  return sum;
}

// What paths drive gets its work from outside: no more than bodies can store, or throw.
static double allowed_rise(const campaignJudge *j, double time) {
  bool driven = j->scene->plate_count > 0 || j->scene->grab_count > 0;
  double rise = ENERGY_RISE * j->scale + j->power * time;
  for (int i = 0; i < j->count && driven; i++) {
    double mass = j->surfaces[i].mass, volume = mass / 1000;
    rise += STRETCH * j->scene->bodies[i].young * volume + 0.5 * mass * DRIVEN_SPEED * DRIVEN_SPEED;
  }
  return rise;
}

static double motor_power(const campaignScene *scene) {
  double power = 0;
  for (int32_t i = 0; i < scene->joint_count; i++)
    power += fabs(scene->joints[i].def.motor_speed) * scene->joints[i].def.motor_force;
  return power;
}

// ---- the judge ---------------------------------------------------------------------------------

void campaign_judge_destroy(campaignJudge *j) {
  if (!j) return;
  for (int i = 0; i < j->count; i++) lb_free(j->surfaces[i].xyz);
  lb_free(j);
}

campaignJudge *campaign_judge(const campaignScene *scene, const lbWorld *world) {
  campaignJudge *j = lb_alloc(1, sizeof *j);
  if (!j) return NULL;
  j->scene = scene;
  double speed;
  for (int i = 0; i < scene->body_count; i++) {
    Surface *s = &j->surfaces[j->count++];
    const lbBody *body = lb_world_body(world, scene->bodies[i].id);
    lbBodyReport r = lb_body_report(body);
    s->model = scene->bodies[i].model;
    s->thickness = scene->bodies[i].thickness, s->mass = r.mass;
    s->xyz = lb_alloc(3 * (size_t)s->model->size.vertex_count, sizeof(double));
    if (!s->xyz) {
      campaign_judge_destroy(j);
      return NULL;
    }
    look_at(s, body);
    // What it moves with, and falls by.
    j->scale += r.kinetic + r.mass * lb_length(scene->gravity) * fmax(r.centre.z, 0.1);
  }
  j->start = energy_of(j, world, &speed);
  j->power = motor_power(scene);
  if (scene->thrown) j->at_slab = place_at_slab(j);
  if (scene->ringed) j->winding = winding_of(j);
  return j;
}

void campaign_judge_step(campaignJudge *j, const lbWorld *world, int32_t step,
                         campaignVerdict *verdict) {
  const char *failure = NULL;
  double speed, time = (step + 1) * j->scene->h;
  for (int i = 0; i < j->count; i++)
    if (!look_at(&j->surfaces[i], lb_world_body(world, j->scene->bodies[i].id)))
      failure = "not finite";
  verdict->energy = energy_of(j, world, &speed) - j->start;
  verdict->energy_most = fmax(verdict->energy_most, verdict->energy / j->scale);
  verdict->speed = fmax(verdict->speed, speed);
  if (!failure && !(speed <= SPEED_MOST)) failure = "too fast";
  if (!failure && !(verdict->energy <= allowed_rise(j, time))) failure = "gains energy";
  if (!failure) failure = judge_sides(j);
  if (!failure) judge_pairs(j, verdict);
  if (failure && !verdict->failure) verdict->failure = failure, verdict->step = step;
}
