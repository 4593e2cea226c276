// Making and destroying solids, and their bounds.
#include "collide/solid_parts.h"

#include "base/refuse.h"

// m: lengths beyond this, or below its inverse, would make squares and products of squares over- or
// underflow. Doubled, nothing changes.
#define GREATEST_LENGTH 1e12

static const char *const kind_names[LB_SOLID_KIND_COUNT] = { "plane",   "sphere", "box",
                                                             "capsule", "hull",   "mesh" };

lbSolidDef lb_solid_def(lbSolidKind kind) {
  return (lbSolidDef){ .kind = kind, .radius = 0.5, .size = { 1, 1, 1 } };
}

// ---- checks ------------------------------------------------------------------------------------

static lbStatus check_solid_length(double length, bool may_be_zero, const char *kind,
                                   const char *what, lbError *err) {
  if (may_be_zero && length == 0) return LB_OK;
  if (length >= 1 / GREATEST_LENGTH && length <= GREATEST_LENGTH) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "%s: %s is %g, it must lie between %g and %g m", kind, what,
                 length, may_be_zero ? 0.0 : 1 / GREATEST_LENGTH, GREATEST_LENGTH);
}

static lbStatus check_vertices(const lbSolidDef *def, const char *kind, lbError *err) {
  if (def->vertex_count < 1 || !def->vertices)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: it has no vertices", kind);
  for (int32_t i = 0; i < def->vertex_count; i++)
    for (int k = 0; k < 3; k++) {
      double x = def->vertices[3 * (size_t)i + (size_t)k];
      if (!(fabs(x) <= GREATEST_LENGTH))
        return lb_fail(err, LB_ERR_ARGUMENT, "%s: coordinate %d of vertex %d is %g", kind, k,
                       (int)i, x);
    }
  return LB_OK;
}

static lbStatus check_solid_triangles(const lbSolidDef *def, const char *kind, lbError *err) {
  if (def->triangle_count < 1 || !def->triangles)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: it has no triangles", kind);
  if (def->triangle_count > INT32_MAX / 8)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: too many triangles", kind);
  for (int32_t i = 0; i < def->triangle_count; i++)
    for (int k = 0; k < 3; k++) {
      int32_t vertex = def->triangles[3 * (size_t)i + (size_t)k];
      if (vertex < 0 || vertex >= def->vertex_count)
        return lb_fail(err, LB_ERR_ARGUMENT, "%s: triangle %d uses vertex %d, there are %d", kind,
                       (int)i, (int)vertex, (int)def->vertex_count);
    }
  return LB_OK;
}

static lbStatus check_solid_def(const lbSolidDef *def, lbError *err) {
  if ((int)def->kind < 0 || def->kind >= LB_SOLID_KIND_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT, "solid of unknown kind %d", (int)def->kind);
  const char *kind = kind_names[def->kind];
  static const char *const sizes[3] = { "size[0]", "size[1]", "size[2]" };
  lbStatus status = LB_OK;
  if (def->kind == LB_SOLID_SPHERE || def->kind == LB_SOLID_CAPSULE)
    status = check_solid_length(def->radius, false, kind, "radius", err);
  if (!status && def->kind == LB_SOLID_CAPSULE)
    status = check_solid_length(def->size[2], true, kind, sizes[2], err);
  for (int i = 0; i < 3 && !status && def->kind == LB_SOLID_BOX; i++)
    status = check_solid_length(def->size[i], false, kind, sizes[i], err);
  if (!status && (def->kind == LB_SOLID_HULL || def->kind == LB_SOLID_MESH))
    status = check_vertices(def, kind, err);
  if (!status && def->kind == LB_SOLID_MESH) status = check_solid_triangles(def, kind, err);
  if (!status && def->kind == LB_SOLID_MESH)
    status = check_solid_length(def->thickness, true, kind, "thickness", err);
  return status;
}

// ---- polyhedra ---------------------------------------------------------------------------------

static lbStatus make_box(const lbSolid *solid, lbPolyhedron **out, lbError *err) {
  static const int32_t triangles[36] = { 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                         2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6 };
  double vertices[24];
  for (int v = 0; v < 8; v++)
    for (int i = 0; i < 3; i++) vertices[3 * v + i] = v >> i & 1 ? solid->half[i] : -solid->half[i];
  lbStatus status = lb_polyhedron_create(8, vertices, 12, triangles, out, err);
  return status ? status : lb_polyhedron_find_faces(*out, err);
}

static lbStatus make_hull(const lbSolidDef *def, lbPolyhedron **out, lbError *err) {
  lbArena arena = { 0 };
  int32_t vertex_count, triangle_count, *triangles;
  double *vertices;
  lbStatus status = lb_hull_build(def->vertex_count, def->vertices, &arena, &vertex_count,
                                  &vertices, &triangle_count, &triangles, err);
  if (!status)
    status = lb_polyhedron_create(vertex_count, vertices, triangle_count, triangles, out, err);
  if (!status) status = lb_polyhedron_find_faces(*out, err);
  lb_arena_release(&arena);
  return status;
}

static lbStatus make_polyhedron(const lbSolidDef *def, lbSolid *solid, lbError *err) {
  switch (def->kind) {
  case LB_SOLID_BOX: return make_box(solid, &solid->polyhedron, err);
  case LB_SOLID_HULL: return make_hull(def, &solid->polyhedron, err);
  case LB_SOLID_MESH:
    return lb_polyhedron_create(def->vertex_count, def->vertices, def->triangle_count,
                                def->triangles, &solid->polyhedron, err);
  default: return LB_OK;
  }
}

// ---- bounds ------------------------------------------------------------------------------------

static void bound_by_half(lbSolid *solid, double x, double y, double z) {
  solid->box = (lbBox){ { -x, -y, -z }, { x, y, z } };
}

static void bound_polyhedron(lbSolid *solid) {
  const lbPolyhedron *p = solid->polyhedron;
  solid->box = lb_box_empty();
  for (int32_t i = 0; i < 3 * p->triangle_count; i++)
    lb_box_add_point(&solid->box, p->vertices + 3 * (size_t)p->triangles[i]);
  lbVec3 sum = { 0, 0, 0 };
  for (int32_t i = 0; i < p->vertex_count; i++) sum = lb_add(sum, lb_polyhedron_vertex(p, i));
  if (solid->kind == LB_SOLID_MESH)
    solid->centre =
        lb_scale(0.5, lb_add(lb_vec3_load(solid->box.low), lb_vec3_load(solid->box.high)));
  else // inside, and the same in whatever axes
    solid->centre = lb_scale(1.0 / p->vertex_count, sum);
  for (int32_t i = 0; i < 3 * p->triangle_count; i++) {
    lbVec3 vertex = lb_polyhedron_vertex(p, p->triangles[i]);
    solid->reach = lb_greater(solid->reach, lb_length(lb_sub(vertex, solid->centre)));
  }
  solid->reach *= 1 + 1e-12;
}

static void bound_solid(lbSolid *solid) {
  switch (solid->kind) {
  case LB_SOLID_PLANE:
    solid->box = (lbBox){ { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, INFINITY, 0 } };
    solid->reach = INFINITY;
    return;
  case LB_SOLID_SPHERE:
    bound_by_half(solid, solid->radius, solid->radius, solid->radius);
    solid->reach = solid->radius;
    return;
  case LB_SOLID_CAPSULE:
    bound_by_half(solid, solid->radius, solid->radius, solid->half[2] + solid->radius);
    solid->reach = solid->half[2] + solid->radius;
    return;
  default: bound_polyhedron(solid);
  }
}

// What lies behind the front side of an open mesh belongs to it.
static void thicken(lbSolid *solid) {
  for (int i = 0; i < 3; i++) {
    solid->box.low[i] -= solid->thickness;
    solid->box.high[i] += solid->thickness;
  }
  solid->reach += solid->thickness;
}

lbBox lb_solid_box(const lbSolid *solid) { return solid->box; }

double lb_solid_sphere(const lbSolid *solid, lbVec3 *centre) {
  *centre = solid->centre;
  return solid->reach;
}

static lbBox plane_world_box(const lbSolidFrame *frame) {
  lbBox box = { { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, INFINITY, INFINITY } };
  double normal[3], position[3];
  lb_vec3_store(normal, lb_mat3_column(frame->rotation, 2));
  lb_vec3_store(position, frame->position);
  for (int i = 0; i < 3; i++) {
    if (fabs(normal[(i + 1) % 3]) > 0 || fabs(normal[(i + 2) % 3]) > 0) continue;
    if (normal[i] > 0) box.high[i] = position[i];
    if (normal[i] < 0) box.low[i] = position[i];
  }
  return box;
}

lbBox lb_solid_world_box(const lbSolid *solid, const lbSolidFrame *frame) {
  if (solid->kind == LB_SOLID_PLANE) return plane_world_box(frame);
  lbVec3 own = lb_scale(0.5, lb_add(lb_vec3_load(solid->box.low), lb_vec3_load(solid->box.high)));
  double centre[3], half[3];
  lb_vec3_store(centre, lb_solid_to_world(frame, own));
  lb_vec3_store(half,
                lb_scale(0.5, lb_sub(lb_vec3_load(solid->box.high), lb_vec3_load(solid->box.low))));
  bool round = solid->kind == LB_SOLID_SPHERE || solid->kind == LB_SOLID_CAPSULE;
  lbBox box;
  for (int i = 0; i < 3; i++) {
    const double *row = frame->rotation.m + 3 * i;
    double reach = round ? fabs(row[2]) * solid->half[2] + solid->radius
                         : fabs(row[0]) * half[0] + fabs(row[1]) * half[1] + fabs(row[2]) * half[2];
    box.low[i] = centre[i] - reach;
    box.high[i] = centre[i] + reach;
  }
  return box;
}

// ---- life --------------------------------------------------------------------------------------

lbStatus lb_solid_create(const lbSolidDef *def, lbSolid **out, lbError *err) {
  if (!def) return lb_refuse_null(err, "solid def");
  if (!out) return lb_refuse_null(err, "out");
  lbStatus status = check_solid_def(def, err);
  if (status) return status;
  lbSolid *solid = lb_alloc(1, sizeof *solid);
  if (!solid) return lb_fail_memory(err);
  solid->kind = def->kind;
  if (def->kind == LB_SOLID_SPHERE || def->kind == LB_SOLID_CAPSULE) solid->radius = def->radius;
  if (def->kind == LB_SOLID_CAPSULE) solid->half[2] = 0.5 * def->size[2];
  for (int i = 0; i < 3 && def->kind == LB_SOLID_BOX; i++) solid->half[i] = 0.5 * def->size[i];
  status = make_polyhedron(def, solid, err);
  if (status) {
    lb_solid_destroy(solid);
    return status;
  }
  bound_solid(solid);
  solid->thickness = INFINITY;
  if (solid->polyhedron && !solid->polyhedron->closed) {
    solid->two_sided = def->two_sided;
    solid->thickness = def->thickness > 0 ? def->thickness : 0.1 * solid->reach;
    if (!solid->two_sided) thicken(solid);
  }
  *out = solid;
  return LB_OK;
}

void lb_solid_destroy(lbSolid *solid) {
  if (!solid) return;
  lb_polyhedron_destroy(solid->polyhedron);
  lb_free(solid);
}

lbSolidKind lb_solid_kind(const lbSolid *solid) { return solid->kind; }

bool lb_solid_is_closed(const lbSolid *solid) {
  return solid->kind != LB_SOLID_PLANE && (!solid->polyhedron || solid->polyhedron->closed);
}
