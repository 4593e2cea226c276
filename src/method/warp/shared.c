// What the warped bodies of a model share: elements and matrix pattern, gravity and rigid rates of
// nodes, masses.
#include "method/warp/cores.h"

#include <string.h>

lbStatus lb_warp_prepare(lbPrepared *p, const lbBodyDef *def, lbError *err) {
  p->has_node_blocks = p->model->size.core_count == 0; // nodes of a rigid core move together
  p->lumped = p->has_node_blocks;
  if (!def->mode_count && !def->kept_count) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "mode_count or kept_count is given: a body of the method \"warp\" has all its "
                 "coordinates");
}

// ---- nodes -------------------------------------------------------------------------------------

static const int32_t *element_nodes_warp_shared(const lbModel *m, int32_t e, lbElementKind *kind) {
  *kind = e < m->size.tet_count ? LB_ELEMENT_TET4 : LB_ELEMENT_BRICK8;
  return e < m->size.tet_count ? m->tets + 4 * (size_t)e
                               : m->bricks + 8 * (size_t)(e - m->size.tet_count);
}

// masses <- ∫ρN of the present densities.
static void weigh_warp_shared(const lbModel *m, const double *materials, double *masses) {
  for (int32_t e = 0; e < m->size.tet_count + m->size.brick_count; e++) {
    lbElementKind kind;
    const int32_t *nodes = element_nodes_warp_shared(m, e, &kind);
    lb_element_add_mass(m, kind, nodes, materials[3 * (size_t)m->element_materials[e] + 2], masses);
  }
}

static void find_held(const lbModel *m, uint8_t *held) {
  memset(held, 1, (size_t)m->size.node_count);
  for (int32_t e = 0; e < m->size.tet_count + m->size.brick_count; e++) {
    lbElementKind kind;
    const int32_t *nodes = element_nodes_warp_shared(m, e, &kind);
    for (int32_t a = 0; a < lb_element_nodes(kind); a++) held[nodes[a]] = 0;
  }
  for (int32_t n = 0; n < m->size.node_count; n++) held[n] |= m->node_fixed[n] != 0;
}

// Rows of a node: unit gravity's force, and rates of unit rigid velocities where it can move.
static void fill_node_warp_shared(const lbWarpShared *shared, size_t node) {
  const lbWhole *whole = &shared->whole;
  double *gravity = shared->gravity + 9 * node, *rigid = shared->rigid + 18 * node;
  for (size_t i = 0; i < 3; i++) gravity[4 * i] = whole->masses[node];
  if (whole->held[node]) return;
  lbVec3 arm = lb_sub(lb_vec3_load(whole->positions + 3 * node), whole->centre);
  for (size_t k = 0; k < 3; k++) {
    lbVec3 turned = lb_cross(lb_vec3(k == 0, k == 1, k == 2), arm);
    rigid[7 * k] = 1;
    rigid[3 + k] = turned.x, rigid[9 + k] = turned.y, rigid[15 + k] = turned.z;
  }
}

static void fill_whole_warp_shared(lbPrepared *p, lbWarpShared *shared) {
  const lbModel *m = p->model;
  lbWhole *whole = &shared->whole;
  *whole = (lbWhole){ .node_count = m->size.node_count,
                      .padded = (size_t)p->padded,
                      .positions = m->node_positions,
                      .held = shared->held,
                      .masses = shared->masses };
  lbVec3 moment = lb_vec3(0, 0, 0);
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    whole->mass += whole->masses[n];
    moment = lb_add_scaled(moment, whole->masses[n], lb_vec3_load(whole->positions + 3 * n));
  }
  whole->centre = lb_scale(1 / whole->mass, moment);
  for (size_t n = 0; n < (size_t)whole->node_count; n++) fill_node_warp_shared(shared, n);
  p->gravity = shared->gravity;
  p->rigid = shared->rigid;
  p->node_masses = shared->masses;
  p->mass = whole->mass;
  p->centre = whole->centre;
}

// ---- preparing ---------------------------------------------------------------------------------

static lbStatus create_warp_shared(lbPrepared *p, lbWarpShared *shared, lbError *err) {
  const lbModel *m = p->model;
  const int32_t *settings = m->warp_settings;
  lbWarpDef def = { .node_count = m->size.node_count,
                    .positions = m->node_positions,
                    .held = shared->given,
                    .masses = shared->masses,
                    .core_count = m->size.core_count,
                    .cores = m->warp_cores,
                    .core_columns = shared->core_columns,
                    .tet_count = m->size.tet_count,
                    .brick_count = m->size.brick_count,
                    .tets = m->tets,
                    .bricks = m->bricks,
                    .element_materials = m->element_materials,
                    .materials = shared->materials,
                    .rotation = (lbWarpRotation)settings[0],
                    .stiffness = (lbWarpStiffness)settings[1],
                    .strain = (lbWarpStrain)settings[2],
                    .stretch_limit = m->warp_stretch_limit ? m->warp_stretch_limit[0] : 0 };
  shared->iterations = settings[3];
  if (def.strain == LB_WARP_LINEAR) p->stress_law = LB_MATERIAL_LINEAR;
  if (def.strain == LB_WARP_GREEN) p->stress_law = LB_MATERIAL_STVK;
  return lb_warp_create(&def, p->level, &shared->warp, err);
}

lbStatus lb_warp_rebuild(lbPrepared *p, const double *materials, lbError *err) {
  const lbModel *m = p->model;
  size_t nodes = (size_t)m->size.node_count;
  lbWarpShared *shared = p->own = lb_alloc(1, sizeof *shared);
  if (!shared) return lb_fail_memory(err);
  shared->materials = lb_duplicate(materials, 3 * (size_t)m->size.material_count, sizeof(double));
  shared->gravity = lb_alloc(nodes, 9 * sizeof(double));
  shared->rigid = lb_alloc(nodes, 18 * sizeof(double));
  shared->masses = lb_alloc(nodes, sizeof(double));
  shared->held = lb_alloc(nodes, 1);
  if (!shared->materials || !shared->gravity || !shared->rigid || !shared->masses || !shared->held)
    return lb_fail_memory(err);
  weigh_warp_shared(m, materials, shared->masses);
  find_held(m, shared->held);
  fill_whole_warp_shared(p, shared);
  lbStatus status = lb_warp_find_cores(p, shared, err);
  return status ? status : create_warp_shared(p, shared, err);
}

// young and poisson of a material at rest: Mooney–Rivlin's μ = 2 (c10 + c01), bulk modulus 2 v1.
static void rest_moduli(const lbModel *m, size_t material, double *to) {
  const double *values = m->material_values + 6 * material;
  double mu = 2 * (values[3] + values[4]), bulk = 2 * values[5];
  memcpy(to, values, 3 * sizeof *to);
  if (m->material_laws[material] != LB_MATERIAL_MOONEYRIVLIN) return;
  to[0] = 9 * bulk * mu / (3 * bulk + mu);
  to[1] = (3 * bulk - 2 * mu) / (2 * (3 * bulk + mu));
}

lbStatus lb_warp_build(lbPrepared *p, lbError *err) {
  const lbModel *m = p->model;
  size_t count = (size_t)m->size.material_count;
  double *materials = lb_alloc(count, 3 * sizeof(double));
  if (!materials) return lb_fail_memory(err);
  for (size_t g = 0; g < count; g++) rest_moduli(m, g, materials + 3 * g);
  lbStatus status = lb_warp_rebuild(p, materials, err);
  lb_free(materials);
  return status;
}

void lb_warp_release(lbPrepared *p) {
  lbWarpShared *shared = p->own;
  if (!shared) return;
  lb_warp_destroy(shared->warp);
  lb_warp_release_cores(shared);
  lb_free(shared->materials);
  lb_free(shared->gravity);
  lb_free(shared->rigid);
  lb_free(shared->masses);
  lb_free(shared->held);
  lb_free(shared);
}

uint64_t lb_warp_identify(const lbPrepared *p, uint64_t hash) {
  const lbModel *m = p->model;
  size_t nodes = (size_t)m->size.node_count, materials = (size_t)m->size.material_count;
  hash = lb_hash(hash, lb_warp_shared(p)->materials, 3 * materials * sizeof(double));
  hash = lb_hash(hash, m->warp_settings, 4 * sizeof *m->warp_settings);
  hash = lb_hash(hash, m->node_fixed, nodes);
  hash = lb_warp_identify_cores(m, hash);
  return lb_hash(hash, m->node_positions, 3 * nodes * sizeof(double));
}
