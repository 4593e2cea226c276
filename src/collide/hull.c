// The convex hull of points, built by adding the point farthest outside until none is outside (or
// the hull has LB_HULL_MAX_VERTICES vertices: it then is the hull of those that reach farthest).
#include "collide/solid_parts.h"

// Of the points' extent: points nearer to the hull count as on it. Doubled, the hull has fewer
// corners; below rounding, faces turn inside out.
#define OUTSIDE 1e-9
enum { MOST_FACES = 2 * LB_HULL_MAX_VERTICES, MOST_EVER = 64 * LB_HULL_MAX_VERTICES };

typedef struct Face {
  int32_t corners[3]; // hull vertices
  lbVec3 normal;      // unit
  double offset;
  bool alive, visible;
} Face;

typedef struct Build {
  int32_t point_count;
  const double *points;
  double tolerance;
  int32_t vertex_count;
  int32_t vertices[LB_HULL_MAX_VERTICES];     // point ids
  int32_t face_count;                         // alive or not
  Face *faces;                                // (MOST_EVER)
  int32_t (*edge_face)[LB_HULL_MAX_VERTICES]; // [a][b]: the face that runs from a to b, -1
  int32_t *point_face;                        // (point_count): a face it lies outside of, -1
} Build;

static lbVec3 hull_point(const Build *build, int32_t point) {
  return lb_vec3_load(build->points + 3 * (size_t)point);
}

static lbVec3 hull_vertex(const Build *build, int32_t vertex) {
  return hull_point(build, build->vertices[vertex]);
}

static double height(const Face *face, lbVec3 point) {
  return lb_dot(face->normal, point) - face->offset;
}

// ---- first tetrahedron -------------------------------------------------------------------------

// The point with the greatest value of |what|(point), where `axis_count` directions were seen.
static int32_t farthest(const Build *build, lbVec3 origin, const lbVec3 *axes, int axis_count,
                        double *distance) {
  int32_t best = 0;
  *distance = -1;
  for (int32_t i = 0; i < build->point_count; i++) {
    lbVec3 to = lb_sub(hull_point(build, i), origin);
    for (int k = 0; k < axis_count; k++) to = lb_add_scaled(to, -lb_dot(to, axes[k]), axes[k]);
    double length = lb_length(to);
    if (length > *distance) *distance = length, best = i;
  }
  return best;
}

static void add_face(Build *build, int32_t a, int32_t b, int32_t c) {
  lbVec3 p = hull_vertex(build, a), q = hull_vertex(build, b), r = hull_vertex(build, c);
  lbVec3 normal = lb_normalise(lb_cross(lb_sub(q, p), lb_sub(r, p)));
  double offset = lb_greater(lb_dot(normal, p), lb_greater(lb_dot(normal, q), lb_dot(normal, r)));
  int32_t id = build->face_count++;
  build->faces[id] = (Face){ { a, b, c }, normal, offset, true, false };
  build->edge_face[a][b] = build->edge_face[b][c] = build->edge_face[c][a] = id;
}

// Gives each point that lay outside a face that is gone a new one of those from `begin` on.
static void assign_points(Build *build, int32_t begin) {
  for (int32_t i = 0; i < build->point_count; i++) {
    int32_t old = build->point_face[i];
    if (old >= 0 && build->faces[old].alive) continue;
    if (old < 0 && begin > 0) continue;
    double most = build->tolerance;
    build->point_face[i] = -1;
    for (int32_t f = begin; f < build->face_count; f++) {
      double above = height(&build->faces[f], hull_point(build, i));
      if (above > most) most = above, build->point_face[i] = f;
    }
  }
}

static lbStatus first_tetrahedron(Build *build, lbError *err) {
  double extent, distance;
  lbVec3 axes[3], origin;
  build->vertices[0] = farthest(build, hull_point(build, 0), NULL, 0, &distance);
  origin = hull_point(build, build->vertices[0]);
  build->vertices[1] = farthest(build, origin, NULL, 0, &extent);
  if (!(extent > 1e-12)) return lb_fail(err, LB_ERR_MESH, "hull: all points are at one place");
  build->tolerance = OUTSIDE * extent;
  axes[0] = lb_normalise(lb_sub(hull_vertex(build, 1), origin));
  build->vertices[2] = farthest(build, origin, axes, 1, &distance);
  if (!(distance > build->tolerance))
    return lb_fail(err, LB_ERR_MESH, "hull: all points lie on one line");
  axes[1] = lb_sub(hull_vertex(build, 2), origin);
  axes[1] = lb_normalise(lb_add_scaled(axes[1], -lb_dot(axes[1], axes[0]), axes[0]));
  axes[2] = lb_cross(axes[0], axes[1]);
  build->vertices[3] = farthest(build, origin, axes, 2, &distance);
  if (!(distance > build->tolerance))
    return lb_fail(err, LB_ERR_MESH, "hull: all points lie in one plane");
  build->vertex_count = 4;
  double side = lb_dot(lb_sub(hull_vertex(build, 3), origin), axes[2]);
  int32_t b = side > 0 ? 2 : 1, c = side > 0 ? 1 : 2;
  add_face(build, 0, b, c);
  add_face(build, 0, c, 3);
  add_face(build, c, b, 3);
  add_face(build, b, 0, 3);
  assign_points(build, 0);
  return LB_OK;
}

// ---- growing -----------------------------------------------------------------------------------

static int32_t farthest_outside(const Build *build) {
  int32_t best = -1;
  double most = 0;
  for (int32_t i = 0; i < build->point_count; i++) {
    if (build->point_face[i] < 0) continue;
    double above = height(&build->faces[build->point_face[i]], hull_point(build, i));
    if (above > most) most = above, best = i;
  }
  return best;
}

// Marks the faces that the point sees, from the one it lies above outwards over edges.
static int32_t mark_visible(Build *build, int32_t start, lbVec3 point, int32_t *visible) {
  int32_t count = 0;
  build->faces[start].visible = true;
  visible[count++] = start;
  for (int32_t i = 0; i < count; i++) {
    const int32_t *c = build->faces[visible[i]].corners;
    for (int k = 0; k < 3; k++) {
      int32_t next = build->edge_face[c[(k + 1) % 3]][c[k]];
      Face *face = &build->faces[next];
      if (face->visible || height(face, point) < -1e-4 * build->tolerance) continue;
      face->visible = true;
      visible[count++] = next;
    }
  }
  return count;
}

// Faces from the rim of what the point sees to the point.
static void add_hull_point(Build *build, int32_t point) {
  int32_t visible[MOST_FACES];
  int32_t rim[MOST_FACES][2], rim_count = 0;
  int32_t count = mark_visible(build, build->point_face[point], hull_point(build, point), visible);
  for (int32_t i = 0; i < count; i++) {
    const int32_t *c = build->faces[visible[i]].corners;
    for (int k = 0; k < 3; k++) {
      int32_t a = c[k], b = c[(k + 1) % 3];
      if (build->faces[build->edge_face[b][a]].visible || rim_count == MOST_FACES) continue;
      rim[rim_count][0] = a;
      rim[rim_count++][1] = b;
    }
  }
  for (int32_t i = 0; i < count; i++) build->faces[visible[i]].alive = false;
  int32_t vertex = build->vertex_count++, begin = build->face_count;
  build->vertices[vertex] = point;
  build->point_face[point] = -1;
  for (int32_t i = 0; i < rim_count; i++) add_face(build, rim[i][0], rim[i][1], vertex);
  assign_points(build, begin);
}

static lbStatus grow_hull(Build *build, lbError *err) {
  lbStatus status = first_tetrahedron(build, err);
  if (status) return status;
  while (build->vertex_count < LB_HULL_MAX_VERTICES && build->face_count < MOST_EVER - MOST_FACES) {
    int32_t point = farthest_outside(build);
    if (point < 0) break;
    add_hull_point(build, point);
  }
  return LB_OK;
}

// ---- result ------------------------------------------------------------------------------------

static lbStatus finish_hull(const Build *build, lbArena *arena, int32_t *vertex_count,
                            double **vertices, int32_t *triangle_count, int32_t **triangles,
                            lbError *err) {
  int32_t *number = lb_arena_alloc(arena, LB_HULL_MAX_VERTICES, sizeof *number);
  *vertices = lb_arena_alloc(arena, 3 * LB_HULL_MAX_VERTICES, sizeof **vertices);
  *triangles = lb_arena_alloc(arena, 3 * (size_t)build->face_count, sizeof **triangles);
  if (!number || !*vertices || !*triangles) return lb_fail_memory(err);
  *vertex_count = *triangle_count = 0;
  for (int32_t f = 0; f < build->face_count; f++) {
    if (!build->faces[f].alive) continue;
    for (int k = 0; k < 3; k++) { // vertices that later ones have covered are left out
      int32_t vertex = build->faces[f].corners[k];
      if (number[vertex] == 0) {
        number[vertex] = ++*vertex_count;
        lb_vec3_store(*vertices + 3 * (*vertex_count - 1), hull_vertex(build, vertex));
      }
      (*triangles)[3 * *triangle_count + k] = number[vertex] - 1;
    }
    ++*triangle_count;
  }
  return LB_OK;
}

lbStatus lb_hull_build(int32_t point_count, const double *points, lbArena *arena,
                       int32_t *vertex_count, double **vertices, int32_t *triangle_count,
                       int32_t **triangles, lbError *err) {
  Build build = { .point_count = point_count, .points = points };
  build.faces = lb_arena_alloc(arena, MOST_EVER, sizeof *build.faces);
  build.edge_face = lb_arena_alloc(arena, LB_HULL_MAX_VERTICES, sizeof *build.edge_face);
  build.point_face = lb_arena_alloc(arena, (size_t)point_count, sizeof *build.point_face);
  if (!build.faces || !build.edge_face || !build.point_face) return lb_fail_memory(err);
  for (int32_t i = 0; i < point_count; i++) build.point_face[i] = -1;
  lbStatus status = grow_hull(&build, err);
  if (status) return status;
  return finish_hull(&build, arena, vertex_count, vertices, triangle_count, triangles, err);
}
