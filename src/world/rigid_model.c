// Models of rigid bodies: a collider's shape with a density.
#include "world/touch.h"

#define DETAIL 6 // pieces of a quarter circle in the surface of round shapes

static lbStatus check(const lbColliderDef *shape, double density, lbError *err) {
  if (!(density > 0 && isfinite(density)))
    return lb_fail(err, LB_ERR_ARGUMENT, "density is %g; that of a rigid body must be above 0",
                   density);
  if (shape->shape == LB_COLLIDER_PLANE || shape->shape == LB_COLLIDER_MESH)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "a %s has no density: it stands or follows a path; rigid bodies are spheres, "
                   "boxes, capsules and hulls",
                   shape->shape == LB_COLLIDER_PLANE ? "plane" : "mesh");
  if (shape->shape <= LB_COLLIDER_PLANE || shape->shape >= LB_COLLIDER_SHAPE_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT, "there is no shape %d", (int)shape->shape);
  return LB_OK;
}

// Radius and extents, 0 where the shape has none.
static void find_size(const lbColliderDef *shape, double size[4]) {
  bool round = shape->shape == LB_COLLIDER_SPHERE || shape->shape == LB_COLLIDER_CAPSULE;
  size[0] = round ? shape->radius : 0;
  for (int i = 0; i < 3; i++) {
    bool has = shape->shape == LB_COLLIDER_BOX || (shape->shape == LB_COLLIDER_CAPSULE && i == 2);
    size[1 + i] = has ? shape->size[i] : 0;
  }
}

// Nodes are the vertices of the surface and share the mass evenly: nothing but pictures and
// exports looks at them.
static lbStatus fill(lbModel *draft, const lbSolid *solid, lbArena *arena, lbError *err) {
  int32_t vertices = 0, triangles = 0;
  lb_solid_surface_size(solid, DETAIL, &vertices, &triangles);
  size_t n = (size_t)vertices;
  double *positions = lb_arena_alloc(arena, n, 3 * sizeof(double));
  double *masses = lb_arena_alloc(arena, n, sizeof(double));
  double *weights = lb_arena_alloc(arena, n, sizeof(double));
  int32_t *corners = lb_arena_alloc(arena, (size_t)triangles, 3 * sizeof(int32_t));
  int32_t *numbers = lb_arena_alloc(arena, n + 1, sizeof(int32_t));
  uint8_t *fixed = lb_arena_alloc(arena, n, 1);
  if (!positions || !masses || !weights || !corners || !numbers || !fixed)
    return lb_fail_memory(err);
  lb_solid_surface(solid, DETAIL, 0, positions, corners);
  for (size_t i = 0; i < n; i++) {
    masses[i] = draft->rigid_mass[0] / vertices;
    weights[i] = 1;
    fixed[i] = 0;
  }
  for (int32_t i = 0; i <= vertices; i++) numbers[i] = i;
  draft->size.node_count = draft->size.vertex_count = draft->size.carrier_count = vertices;
  draft->size.triangle_count = triangles;
  draft->node_positions = draft->vertex_positions = positions;
  draft->node_masses = masses, draft->node_fixed = fixed;
  draft->triangles = corners;
  draft->vertex_sources = draft->carrier_begin = draft->carrier_nodes = numbers;
  draft->carrier_weights = weights;
  return LB_OK;
}

static lbStatus make(const lbColliderDef *shape, double density, const lbSolid *solid,
                     const double size[4], lbModel **out, lbError *err) {
  double mass = 0, centre[3];
  lbVec3 middle;
  lbMat3 inertia;
  const int32_t kind = (int32_t)shape->shape, up = 2;
  lbModel draft = { .name = "rigid body",
                    .provenance = "",
                    .up = &up,
                    .rigid_mass = &mass,
                    .rigid_centre = centre,
                    .rigid_inertia = inertia.m,
                    .rigid_shape = &kind,
                    .rigid_size = size };
  lbArena arena = { 0 };
  lbStatus status = lb_solid_mass(solid, density, &mass, &middle, &inertia, err);
  if (status) return status;
  lb_vec3_store(centre, middle);
  status = fill(&draft, solid, &arena, err);
  if (!status) status = lb_model_create(&draft, out, err);
  lb_arena_release(&arena);
  return status;
}

lbStatus lb_rigid_model(const lbColliderDef *shape, double density, lbModel **out, lbError *err) {
  if (!shape) return lb_refuse_null(err, "shape");
  if (!out) return lb_refuse_null(err, "out");
  double size[4];
  lbSolid *solid = NULL;
  lbStatus status = check(shape, density, err);
  if (!status) status = lb_collider_make_solid(shape, &solid, err);
  if (!status) find_size(shape, size);
  if (!status) status = make(shape, density, solid, size, out, err);
  lb_solid_destroy(solid);
  return status;
}
