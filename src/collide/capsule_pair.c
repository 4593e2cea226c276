// A capsule against a box or a hull, in the axes of the latter. As long as the capsule's core is
// outside, the parts nearest to it tell; where the core goes in, the axis along which it overlaps
// least does.
#include "collide/pair.h"

typedef struct Core {
  const lbSolid *solid; // the box or hull
  lbVec3 from, along;   // core: from + s along
  double radius;
  lbSolidPair *pair;
} Core;

// A place of the core, the solid's outward normal there and its distance along it.
static void add_capsule_touch(const Core *core, lbVec3 at, lbVec3 normal, double distance,
                              int32_t feature) {
  double gap = distance - core->radius;
  if (!(gap < core->pair->margin)) return;
  lb_pair_add_from_b(core->pair, lb_add_scaled(at, -distance, normal), normal, gap, feature);
}

static lbVec3 core_end(const Core *core, int end) {
  return end ? lb_add(core->from, core->along) : core->from;
}

// ---- outside -----------------------------------------------------------------------------------

static void touch_capsule_vertex(const Core *core, int32_t vertex) {
  const lbPolyhedron *p = core->solid->polyhedron;
  lbVec3 at = lb_polyhedron_vertex(p, vertex);
  double length2 = lb_dot(core->along, core->along);
  double s = lb_dot(lb_sub(at, core->from), core->along) / length2;
  if (!(s > 0 && s < 1)) return;
  lbVec3 place = lb_add_scaled(core->from, s, core->along), apart = lb_sub(place, at);
  double distance = lb_length(apart);
  if (!(distance > 0 && distance < core->radius + core->pair->margin)) return;
  lbVec3 normal = lb_scale(1 / distance, apart);
  if (lb_vertex_cone_holds(p, vertex, normal))
    add_capsule_touch(core, place, normal, distance, lb_feature(vertex, 1));
}

static void touch_outside(const Core *core) {
  const lbPolyhedron *p = core->solid->polyhedron;
  double reach = core->radius + core->pair->margin, s;
  lbSolidTouch touch;
  for (int end = 0; end < (core->pair->a->half[2] > 0 ? 2 : 1); end++)
    if (lb_solid_touch_point(core->solid, core_end(core, end), reach, &touch))
      add_capsule_touch(core, touch.on_triangle, touch.normal, touch.gap, lb_feature(end, 0));
  for (int32_t i = 0; i < p->edge_count; i++)
    if (p->edges[i].sharp &&
        lb_edge_touch(core->solid, &p->edges[i], core->from, core->along, NULL, reach, &touch,
                      &s) &&
        lb_solid_touch_point(core->solid, touch.on_triangle, reach,
                             &touch)) // beside the cone: exact
      add_capsule_touch(core, touch.on_triangle, touch.normal, touch.gap, lb_feature(i, 2));
  for (int32_t i = 0; i < p->vertex_count; i++) touch_capsule_vertex(core, i);
}

// ---- inside ------------------------------------------------------------------------------------

// The axis along which core and solid are farthest apart; *face: -1 for an edge.
static double farthest_axis(const Core *core, lbVec3 *normal, int32_t *face, double *at) {
  const lbPolyhedron *p = core->solid->polyhedron;
  double most = -INFINITY;
  *face = -1;
  for (int32_t i = 0; i < p->face_count; i++) {
    lbVec3 n = p->face_normals[i];
    double lowest = lb_lesser(lb_dot(n, core->from), lb_dot(n, core_end(core, 1)));
    if (lowest - p->face_offsets[i] <= most) continue;
    most = lowest - p->face_offsets[i];
    *face = i;
    *normal = n;
  }
  for (int32_t i = 0; i < p->edge_count; i++) {
    const lbSolidEdge *edge = &p->edges[i];
    lbVec3 q = lb_polyhedron_vertex(p, edge->ends[0]), n = lb_cross(core->along, edge->along);
    double length = lb_length(n), s, t;
    if (!edge->sharp || !(length > 1e-4 * lb_length(core->along))) continue;
    n = lb_scale((lb_dot(n, edge->normal) < 0 ? -1 : 1) / length, n);
    if (lb_dot(n, edge->inward[0]) > 0 || lb_dot(n, edge->inward[1]) > 0) continue;
    double separation = lb_dot(n, lb_sub(core->from, q));
    if (separation <= most || !lb_lines_closest(core->from, core->along, q, edge->along, &s, &t))
      continue;
    most = separation;
    *face = -1;
    *normal = n;
    *at = lb_clamp(s, 0, 1);
  }
  return most;
}

// The stretch of the core above a face, from *first to *last.
static void clip_core(const Core *core, int32_t face, double *first, double *last) {
  const lbPolyhedron *p = core->solid->polyhedron;
  int32_t begin = p->face_begin[face], end = p->face_begin[face + 1];
  *first = 0, *last = 1;
  for (int32_t i = begin; i < end; i++) {
    lbVec3 a = lb_polyhedron_vertex(p, p->face_vertices[i]);
    lbVec3 b = lb_polyhedron_vertex(p, p->face_vertices[i + 1 < end ? i + 1 : begin]);
    lbVec3 out = lb_cross(lb_sub(b, a), p->face_normals[face]);
    double above = lb_dot(out, lb_sub(core->from, a)), change = lb_dot(out, core->along);
    if (change > 0) *last = lb_lesser(*last, -above / change);
    if (change < 0) *first = lb_greater(*first, -above / change);
  }
  if (!(*first <= *last)) *first = 0, *last = 1;
}

static void touch_inside_capsule(const Core *core, lbVec3 normal, int32_t face, double at,
                                 double apart) {
  if (face < 0) {
    add_capsule_touch(core, lb_add_scaled(core->from, at, core->along), normal, apart,
                      lb_feature(0, 3));
    return;
  }
  double stretch[2], offset = core->solid->polyhedron->face_offsets[face];
  clip_core(core, face, &stretch[0], &stretch[1]);
  for (int i = 0; i < (stretch[1] > stretch[0] ? 2 : 1); i++) {
    lbVec3 place = lb_add_scaled(core->from, stretch[i], core->along);
    add_capsule_touch(core, place, normal, lb_dot(normal, place) - offset, lb_feature(i, 3));
  }
}

void lb_pair_capsule_convex(lbSolidPair *pair) {
  double half = pair->a->half[2], at = 0;
  Core core = {
    pair->b, lb_solid_to_own(&pair->frame, lb_vec3(0, 0, -half)), { 0, 0, 0 }, pair->a->radius, pair
  };
  core.along = lb_mat3_apply_transpose(pair->frame.rotation, lb_vec3(0, 0, 2 * half));
  lbVec3 normal = { 0, 0, 1 };
  int32_t face;
  double apart = farthest_axis(&core, &normal, &face, &at);
  if (apart - core.radius >= pair->margin) return;
  if (apart > 0)
    touch_outside(&core);
  else
    touch_inside_capsule(&core, normal, face, at, apart);
}
