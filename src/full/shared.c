// What the unreduced bodies of a model share: the finite-element body, gravity and rigid rates of
// its nodes, and factors of mass and stiffness for impulses and compliance.
#include "full/full.h"

#include "fem/solve.h"

#include <string.h>

#define SHIFT 1e-11 // of the ratio of traces: makes the stiffness of a free body definite

// ---- the finite-element body -------------------------------------------------------------------

static lbStatus create_fem_full_shared(const lbModel *m, const lbMaterial *materials,
                                       const bool *fixed, lbFem **out, lbError *err) {
  // Only read, and copied: the model stays as it is.
  lbMesh mesh = { .vertex_count = m->size.node_count,
                  .positions = (double *)m->node_positions,
                  .tet_count = m->size.tet_count,
                  .tets = (int32_t *)m->tets,
                  .brick_count = m->size.brick_count,
                  .bricks = (int32_t *)m->bricks,
                  .triangle_count = m->size.shell_count,
                  .triangles = (int32_t *)m->shells };
  lbFemDef def = lb_fem_def();
  def.name = m->name;
  def.materials = materials;
  def.material_count = m->size.material_count;
  def.element_materials = m->element_materials;
  def.fixed = fixed;
  def.mass = m->full_mass && m->full_mass[0] ? LB_MASS_LUMPED : LB_MASS_CONSISTENT;
  return lb_fem_create(&mesh, &def, out, err);
}

lbStatus lb_model_fem(const lbModel *m, const double *values, lbFem **out, lbError *err) {
  size_t count = (size_t)m->size.material_count, nodes = (size_t)m->size.node_count;
  lbMaterial *materials = lb_alloc(count, sizeof *materials);
  bool *fixed = lb_alloc(nodes, sizeof *fixed);
  lbStatus status = materials && fixed ? LB_OK : lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++) {
    materials[i] = lb_model_material(m, (int32_t)i);
    if (!values) continue;
    materials[i].young = values[3 * i];
    materials[i].poisson = values[3 * i + 1];
    materials[i].density = values[3 * i + 2];
  }
  for (size_t n = 0; n < nodes && !status; n++) fixed[n] = m->node_fixed[n] != 0;
  if (!status) status = create_fem_full_shared(m, materials, fixed, out, err);
  lb_free(materials);
  lb_free(fixed);
  return status;
}

// ---- preparing ---------------------------------------------------------------------------------

lbStatus lb_full_prepare(lbPrepared *p, const lbBodyDef *def, lbError *err) {
  if (def->mode_count || def->kept_count)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "mode_count or kept_count is given: a body of the method \"full\" has all its "
                   "coordinates");
  p->has_node_blocks = true;
  p->lumped = p->model->full_mass && p->model->full_mass[0]; // as its mass is made
  return LB_OK;
}

// Rows of a node: unit gravity's force, and rates of unit rigid velocities where it can move.
static void fill_node_full_shared(const lbPrepared *p, lbFullShared *shared, size_t node) {
  const lbFem *fem = shared->fem;
  double *gravity = shared->gravity + 9 * node, *rigid = shared->rigid + 18 * node;
  for (size_t i = 0; i < 3; i++) gravity[4 * i] = fem->vertex_masses[node];
  if (fem->node_of_vertex[node] < 0) return;
  lbVec3 arm = lb_sub(lb_vec3_load(fem->positions + 3 * node), p->centre);
  for (size_t k = 0; k < 3; k++) {
    lbVec3 turned = lb_cross(lb_vec3(k == 0, k == 1, k == 2), arm);
    rigid[7 * k] = 1;
    rigid[3 + k] = turned.x, rigid[9 + k] = turned.y, rigid[15 + k] = turned.z;
  }
}

static lbVec3 centre_of_full_shared(const lbFem *fem) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (size_t v = 0; v < (size_t)fem->vertex_count; v++)
    sum = lb_add_scaled(sum, fem->vertex_masses[v] / fem->total_mass,
                        lb_vec3_load(fem->positions + 3 * v));
  return sum;
}

lbStatus lb_full_rebuild(lbPrepared *p, const double *materials, lbError *err) {
  const lbModel *m = p->model;
  size_t nodes = (size_t)m->size.node_count;
  lbFullShared *shared = lb_alloc(1, sizeof *shared);
  if (!shared) return lb_fail_memory(err);
  p->own = shared;
  atomic_flag_clear(&shared->lock);
  shared->materials = lb_duplicate(materials, 3 * (size_t)m->size.material_count, sizeof(double));
  shared->gravity = lb_alloc(nodes, 9 * sizeof(double));
  shared->rigid = lb_alloc(nodes, 18 * sizeof(double));
  shared->held = lb_alloc(nodes, 1);
  if (!shared->materials || !shared->gravity || !shared->rigid || !shared->held)
    return lb_fail_memory(err);
  lbStatus status = lb_model_fem(m, materials, &shared->fem, err);
  if (status) return status;
  shared->node_masses = shared->fem->vertex_masses;
  p->gravity = shared->gravity;
  p->rigid = shared->rigid;
  p->node_masses = shared->node_masses;
  p->mass = shared->fem->total_mass;
  p->centre = centre_of_full_shared(shared->fem);
  for (size_t n = 0; n < nodes; n++) fill_node_full_shared(p, shared, n);
  for (size_t n = 0; n < nodes; n++) shared->held[n] = shared->fem->node_of_vertex[n] < 0;
  shared->whole = (lbWhole){ .node_count = m->size.node_count,
                             .padded = (size_t)p->padded,
                             .positions = shared->fem->positions,
                             .held = shared->held,
                             .masses = shared->node_masses,
                             .mass = p->mass,
                             .centre = p->centre };
  return LB_OK;
}

void lb_full_release(lbPrepared *p) {
  lbFullShared *shared = p->own;
  if (!shared) return;
  lb_cholesky_destroy(shared->mass);
  lb_cholesky_destroy(shared->stiffness);
  lb_fem_destroy(shared->fem);
  lb_free(shared->materials);
  lb_free(shared->gravity);
  lb_free(shared->rigid);
  lb_free(shared->held);
  lb_free(shared->work);
  lb_free(shared);
}

const double *lb_full_materials(const lbPrepared *p) { return lb_full_shared(p)->materials; }

uint64_t lb_full_identify(const lbPrepared *p, uint64_t hash) {
  const lbModel *m = p->model;
  size_t nodes = (size_t)m->size.node_count, materials = (size_t)m->size.material_count;
  hash = lb_hash(hash, lb_full_shared(p)->materials, 3 * materials * sizeof(double));
  hash = lb_hash(hash, m->material_laws, materials * sizeof *m->material_laws);
  hash = lb_hash(hash, m->node_fixed, nodes);
  return lb_hash(hash, m->node_positions, 3 * nodes * sizeof(double));
}

// ---- factors -----------------------------------------------------------------------------------

static void lock_full_shared(atomic_flag *flag) {
  while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire)) {}
}

static void unlock_full_shared(atomic_flag *flag) {
  atomic_flag_clear_explicit(flag, memory_order_release);
}

static bool make_work_full_shared(lbFullShared *shared) {
  if (!shared->work) shared->work = lb_alloc(3 * (size_t)shared->fem->node_count, sizeof(double));
  return shared->work != NULL;
}

// With the pattern of the stiffness, like the simulator's own: the same bits.
static bool make_mass(lbFullShared *shared) {
  lbSparse *M = NULL;
  lbCholesky *factor = NULL;
  if (shared->mass) return true;
  lbStatus status = lb_sparse_copy_pattern(shared->fem->pattern, &M, NULL);
  if (!status && !lb_sparse_add_scaled(M, 1, shared->fem->mass)) status = LB_ERR_ARGUMENT;
  if (!status) status = lb_cholesky_create(M, &factor, NULL);
  if (!status) status = lb_cholesky_factor(factor, M, NULL);
  lb_sparse_destroy(M);
  if (status)
    lb_cholesky_destroy(factor);
  else
    shared->mass = factor;
  return !status;
}

static double trace_full_shared(const lbSparse *A, double *work) {
  double sum = 0;
  lb_sparse_diagonal(A, work);
  for (int32_t i = 0; i < A->size; i++) sum += work[i];
  return sum;
}

static bool make_stiffness(lbFullShared *shared) {
  lbSparse *K = NULL;
  lbCholesky *factor = NULL;
  if (shared->stiffness) return true;
  lbStatus status = lb_fem_rest_stiffness(shared->fem, &K, NULL);
  if (!status) status = lb_cholesky_create(K, &factor, NULL);
  if (!status && lb_cholesky_factor(factor, K, NULL)) {
    double shift = SHIFT * trace_full_shared(K, shared->work) /
                   trace_full_shared(shared->fem->mass, shared->work);
    status = lb_cholesky_factor_shifted(factor, K, shift, shared->fem->mass, NULL);
  }
  lb_sparse_destroy(K);
  if (status)
    lb_cholesky_destroy(factor);
  else
    shared->stiffness = factor;
  return !status;
}

static void solve_full_shared(lbFullShared *shared, bool (*make)(lbFullShared *),
                              lbCholesky **factor, double *x) {
  lock_full_shared(&shared->lock);
  bool solved = make_work_full_shared(shared) && make(shared);
  if (solved) {
    lb_fem_compress(shared->fem, x, shared->work);
    solved = !lb_cholesky_solve(*factor, 1, shared->work, NULL);
  }
  if (solved)
    lb_fem_expand(shared->fem, shared->work, x);
  else
    memset(x, 0, 3 * (size_t)shared->fem->vertex_count * sizeof *x);
  unlock_full_shared(&shared->lock);
}

void lb_full_mobilise(const lbPrepared *p, double *x) {
  lbFullShared *shared = lb_full_shared(p);
  solve_full_shared(shared, make_mass, &shared->mass, x);
}

void lb_full_comply(const lbPrepared *p, double *x, lbScratch *scratch) {
  lbFullShared *shared = lb_full_shared(p);
  bool free = lb_model_is_free(p->model);
  (void)scratch;
  if (free) lb_whole_take_out_rigid(&shared->whole, true, x);
  solve_full_shared(shared, make_stiffness, &shared->stiffness, x);
  if (free) lb_whole_take_out_rigid(&shared->whole, false, x);
}
