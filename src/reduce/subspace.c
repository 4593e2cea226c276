// The subspace model: a basis U with UᵀMU = 1, and UᵀR(Uq) either as exact polynomials (Barbič &
// James 2005) or as a sum over few elements (von Tycowicz et al. 2013). An editable model has the
// polynomials for each material's λ and μ apart, and UᵀMU, Uᵀ M (1 ⊗ e_k) as the sums of what each
// material's elements give; one with cubature has these sums too.
#include "reduce/subspace.h"

#include "fem/engine.h"
#include "linalg/dense.h"
#include "reduce/cubature.h"
#include "reduce/inertia.h"
#include "reduce/modal.h"
#include "reduce/need.h"
#include "reduce/object.h"
#include "reduce/polynomial.h"
#include "reduce/projection.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VECTORS_MOST = 1000 }; // of a model's basis

lbSubspaceDef lb_subspace_def(void) {
  return (lbSubspaceDef){ .basis = lb_basis_def(), .cubature = lb_cubature_def(), .modal = true };
}

// ---- checks ------------------------------------------------------------------------------------

static lbStatus refuse_law(const lbReduceDef *def, const lbElementSet *set, lbError *err) {
  const char *law = lb_material_model_name(set->model);
  int element = (int)set->elements[0];
  if (set->model == LB_MATERIAL_LINEAR)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "model \"%s\": element %d has the law \"linear\", which the method \"modal\" "
                   "plays exactly and faster; use that, or the law \"stvk\" for large motions",
                   def->name, element);
  return lb_fail(err, LB_ERR_UNSUPPORTED,
                 "model \"%s\": element %d has the law \"%s\", and only \"stvk\" has polynomial "
                 "forces: use \"forces\": \"cubature\" (--forces cubature)",
                 def->name, element, law);
}

static const lbElementSet *set_without_polynomials(const lbFem *fem) {
  for (int32_t s = 0; s < fem->set_count; s++)
    if (fem->sets[s].model != LB_MATERIAL_STVK) return &fem->sets[s];
  return NULL;
}

static bool all_linear(const lbFem *fem) {
  for (int32_t s = 0; s < fem->set_count; s++)
    if (fem->sets[s].model != LB_MATERIAL_LINEAR) return false;
  return true;
}

bool lb_subspace_by_cubature(const lbFem *fem, const lbSubspaceDef *subspace) {
  if (subspace->forces != LB_FORCES_BY_LAW) return subspace->forces == LB_FORCES_CUBATURE;
  return set_without_polynomials(fem) && !all_linear(fem);
}

static int32_t most_vectors(bool cubature) {
  return cubature ? VECTORS_MOST : LB_POLYNOMIAL_MODES_MAX;
}

static int32_t part_count(const lbFem *fem, bool editable) {
  return editable ? 2 * fem->material_count : 1;
}

// Before there is a basis: of the dimension that is asked for.
static lbStatus check_coefficients(const lbFem *fem, const char *name,
                                   const lbSubspaceDef *subspace, lbError *err) {
  int32_t dimension = subspace->basis.dimension, most = subspace->vectors_max;
  if (most > 0 && most < dimension) dimension = most;
  if (subspace->basis.at_most || dimension < 1) return LB_OK; // it may become much smaller
  return lb_polynomial_check_room(name, dimension, part_count(fem, subspace->editable), err);
}

lbStatus lb_subspace_check(const lbFem *fem, const lbReduceDef *def, const lbSubspaceDef *subspace,
                           lbError *err) {
  bool cubature = lb_subspace_by_cubature(fem, subspace);
  const lbElementSet *other = set_without_polynomials(fem);
  if (!cubature && other) return refuse_law(def, other, err);
  if (cubature) {
    lbError why;
    lbStatus status = lb_cubature_check(&subspace->cubature, fem->slot_count, &why);
    if (status) return lb_fail(err, status, "model \"%s\": %s", def->name, why.text);
  }
  const lbBasisDef *basis = &subspace->basis;
  bool pca = basis->kind == LB_BASIS_DERIVATIVES || basis->kind == LB_BASIS_SKETCH;
  if (pca && basis->dimension > most_vectors(cubature))
    return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\": dimension is %d, choose 1 to %d", def->name,
                   (int)basis->dimension, (int)most_vectors(cubature));
  if (pca && basis->keep_metric && basis->metric != fem->mass_kind)
    return lb_fail(
        err, LB_ERR_ARGUMENT,
        "model \"%s\": keep_metric leaves vectors that are not orthonormal in the body's "
        "mass, which a model needs",
        def->name);
  if (subspace->vectors_max < 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\": vectors_max is %d, it must be 0 or more",
                   def->name, (int)subspace->vectors_max);
  return pca && !cubature ? check_coefficients(fem, def->name, subspace, err) : LB_OK;
}

static lbStatus choose_subspace_dimension(const lbBasis *basis, const lbReduceDef *def,
                                          const lbSubspaceDef *subspace, bool cubature,
                                          int32_t *dimension, lbError *err) {
  *dimension = subspace->vectors_max ? subspace->vectors_max : basis->dimension;
  if (*dimension > basis->dimension)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "model \"%s\": dimension is %d, but the basis \"%s\" has only %d vectors; use a "
                   "\"dimension\" (--dimension) of %d or less",
                   def->name, (int)*dimension, lb_basis_kind_name(subspace->basis.kind),
                   (int)basis->dimension, (int)basis->dimension);
  if (*dimension > most_vectors(cubature))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "model \"%s\": the basis \"%s\" has %d vectors, use %d or fewer: say a "
                   "\"dimension\" or fewer modes",
                   def->name, lb_basis_kind_name(subspace->basis.kind), (int)*dimension,
                   (int)most_vectors(cubature));
  return LB_OK;
}

// ---- polynomials -------------------------------------------------------------------------------

static void set_polynomial_sizes(const lbFem *fem, int32_t dimension, bool editable,
                                 lbModelSizes *size) {
  size->subspace_part_count = part_count(fem, editable);
  size->packed3_count = (int32_t)lb_packed3_count(dimension);
  size->packed4_count = (int32_t)lb_packed4_count(dimension);
}

static lbStatus copy_polynomials(const lbModelSizes *size, lbPolynomial *const *parts,
                                 lbArena *arena, lbModel *draft, lbError *err) {
  size_t count = (size_t)size->subspace_part_count;
  const size_t lengths[3] = { (size_t)size->packed2_count, (size_t)size->packed3_count,
                              (size_t)size->packed4_count };
  double *all[3];
  for (int d = 0; d < 3; d++) {
    all[d] = lb_arena_alloc(arena, count * lengths[d], sizeof(double));
    if (!all[d]) return lb_fail_memory(err);
  }
  for (size_t p = 0; p < count; p++) {
    const double *from[3] = { parts[p]->linear, parts[p]->quadratic, parts[p]->cubic };
    for (int d = 0; d < 3; d++)
      memcpy(all[d] + p * lengths[d], from[d], lengths[d] * sizeof(double));
  }
  draft->subspace_linear = all[0];
  draft->subspace_quadratic = all[1];
  draft->subspace_cubic = all[2];
  return LB_OK;
}

static lbStatus make_polynomials(const lbFem *fem, const double *basis, bool editable,
                                 lbArena *arena, lbModel *draft, lbError *err) {
  set_polynomial_sizes(fem, draft->size.subspace_dimension, editable, &draft->size);
  int32_t count = draft->size.subspace_part_count;
  lbPolynomialDef def = { .count = draft->size.subspace_dimension, .basis = basis };
  lbStatus status = lb_polynomial_check_room(fem->name, def.count, count, err);
  if (status) return status;
  lbPolynomial **parts = lb_alloc((size_t)count, sizeof *parts);
  if (!parts) return lb_fail_memory(err);
  if (!lb_progress("polynomials", 0)) {
    lb_free(parts);
    return lb_fail_interrupted(err, "polynomials");
  }
  if (editable) {
    def.group_count = fem->material_count;
    def.element_groups = fem->element_materials;
    status = lb_polynomial_build_parts(fem, &def, parts, err);
  } else {
    status = lb_polynomial_build(fem, &def, &parts[0], err);
  }
  if (!status) status = copy_polynomials(&draft->size, parts, arena, draft, err);
  for (int32_t p = 0; p < count; p++) lb_polynomial_destroy(parts[p]);
  lb_free(parts);
  return status;
}

// ---- cubature ----------------------------------------------------------------------------------

static void say_what_happened(const lbReduceDef *def, const lbSubspaceDef *subspace,
                              const lbCubature *c) {
  if (c->shortened_count)
    lb_log(LB_LOG_INFO,
           "model \"%s\": %d training poses turned elements inside out and were shortened",
           def->name, (int)c->shortened_count);
  if (c->interrupted)
    lb_log(LB_LOG_WARNING,
           "model \"%s\": the selection of elements was interrupted, the best so far is kept: %d "
           "elements, error %.3g %%",
           def->name, (int)c->count, 100 * c->training_error);
  else if (c->training_error > subspace->cubature.error && subspace->cubature.error > 0)
    lb_log(
        LB_LOG_WARNING,
        "model \"%s\": %d elements leave an error of %.3g %% in the force, more than the %.3g %% "
        "asked for: allow more of them, or a larger error",
        def->name, (int)c->count, 100 * c->training_error, 100 * subspace->cubature.error);
}

static void *copy_to_arena(lbArena *arena, const void *from, size_t count, size_t item_bytes) {
  void *to = lb_arena_alloc(arena, count, item_bytes);
  if (to && count) memcpy(to, from, count * item_bytes);
  return to;
}

static lbStatus keep_cubature(const lbCubature *c, lbArena *arena, lbModel *draft, lbError *err) {
  const double errors[2] = { c->training_error, c->held_out_error };
  size_t count = (size_t)c->count, values = (size_t)c->pose_count * (size_t)c->dimension;
  draft->size.cubature_count = c->count;
  draft->size.pose_count = c->pose_count;
  draft->cubature_elements = copy_to_arena(arena, c->elements, count, sizeof(int32_t));
  draft->cubature_weights = copy_to_arena(arena, c->weights, count, sizeof(double));
  draft->cubature_errors = copy_to_arena(arena, errors, 2, sizeof(double));
  if (c->pose_count) draft->cubature_poses = copy_to_arena(arena, c->poses, values, sizeof(double));
  bool kept = draft->cubature_elements && draft->cubature_weights && draft->cubature_errors &&
              !draft->cubature_poses == !c->pose_count;
  return kept ? LB_OK : lb_fail_memory(err);
}

static lbStatus make_cubature(const lbFem *fem, const double *basis, const lbReduceDef *def,
                              const lbSubspaceDef *subspace, lbArena *arena, lbModel *draft,
                              lbError *err) {
  lbCubature *cubature = NULL;
  lbError why;
  const lbElementSet *other = set_without_polynomials(fem);
  if (subspace->forces == LB_FORCES_BY_LAW && other)
    lb_log(LB_LOG_INFO,
           "model \"%s\": the law \"%s\" has no polynomial forces, they come by cubature",
           def->name, lb_material_model_name(other->model));
  lbStatus status = lb_cubature_make(fem, draft->size.subspace_dimension, basis,
                                     &subspace->cubature, &cubature, &why);
  if (status) {
    lb_fail(err, status, "model \"%s\": %s", def->name, why.text);
  } else {
    say_what_happened(def, subspace, cubature);
    status = keep_cubature(cubature, arena, draft, err);
  }
  lb_cubature_destroy(cubature);
  return status;
}

// ---- masses of the materials -------------------------------------------------------------------

// Packed UᵀMU; U, MU (size x count).
static void pack_products(int32_t size, int32_t count, const double *U, const double *MU,
                          double *square, double *packed) {
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, count, count, size, 1, U, MU, 0, square);
  for (int32_t j = 0; j < count; j++)
    for (int32_t i = 0; i <= j; i++)
      packed[lb_packed2(i, j)] = (square[(size_t)j * (size_t)count + (size_t)i] +
                                  square[(size_t)i * (size_t)count + (size_t)j]) /
                                 2;
}

static lbStatus make_masses(const lbFem *fem, const double *basis, lbArena *arena, lbModel *draft,
                            lbError *err) {
  int32_t size = 3 * fem->node_count, r = draft->size.subspace_dimension;
  size_t n = (size_t)size, count = (size_t)r, materials = (size_t)fem->material_count;
  double *U = lb_arena_alloc(arena, n * count, sizeof *U);
  double *MU = lb_arena_alloc(arena, n * count, sizeof *MU);
  double *square = lb_arena_alloc(arena, count * count, sizeof *square);
  double *masses = lb_arena_alloc(arena, (size_t)fem->vertex_count, sizeof *masses);
  double *reduced =
      lb_arena_alloc(arena, materials * (size_t)draft->size.packed2_count, sizeof *reduced);
  double *pull = lb_arena_alloc(arena, materials * count, 3 * sizeof *pull);
  if (!U || !MU || !square || !masses || !reduced || !pull) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++)
    lb_fem_compress(fem, basis + i * 3 * (size_t)fem->vertex_count, U + i * n);
  for (int32_t g = 0; g < fem->material_count; g++) {
    lbStatus status = lb_fem_multiply_material(fem, g, r, U, MU, masses, err);
    if (status) return status;
    pack_products(size, r, U, MU, square, reduced + (size_t)g * (size_t)draft->size.packed2_count);
    lb_add_pull(masses, fem->vertex_count, r, basis, pull + (size_t)g * 3 * count);
  }
  draft->subspace_mass = reduced;
  draft->subspace_pull = pull;
  return LB_OK;
}

// ---- the model ---------------------------------------------------------------------------------

// Singular values; where there are none, the softest vector's uᵀKu over each one's.
static lbStatus make_importance(const lbBasis *basis, lbBasisKind kind, lbArena *arena,
                                lbModel *draft, lbError *err) {
  size_t count = (size_t)draft->size.subspace_dimension;
  double *values = lb_arena_alloc(arena, count, sizeof *values), largest = 0, least = INFINITY;
  if (!values) return lb_fail_memory(err);
  memcpy(values, basis->values, count * sizeof *values);
  draft->subspace_values = values;
  if (kind == LB_BASIS_DERIVATIVES || kind == LB_BASIS_SKETCH) return LB_OK;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, values[i]);
  for (size_t i = 0; i < count; i++)
    if (values[i] > 1e-9 * largest) least = fmin(least, values[i]);
  for (size_t i = 0; i < count; i++) values[i] = values[i] > least ? least / values[i] : 1;
  return LB_OK;
}

static lbStatus subspace_draft(const lbFem *fem, const lbBasis *basis, const lbReduceDef *def,
                               const lbSubspaceDef *subspace, lbArena *arena, lbModel *draft,
                               lbError *err) {
  int32_t r = 0;
  double *gravity = NULL, *rigid = NULL, *damping = NULL;
  double *first = NULL, *second = NULL;
  bool cubature = lb_subspace_by_cubature(fem, subspace);
  lbStatus status = choose_subspace_dimension(basis, def, subspace, cubature, &r, err);
  if (status) return status;
  draft->size.subspace_dimension = r;
  draft->size.packed2_count = (int32_t)lb_packed2_count(r);
  draft->subspace_basis = basis->vectors;
  status = make_importance(basis, subspace->basis.kind, arena, draft, err);
  if (!status) status = lb_keep_damping(def, arena, &damping, err);
  if (!status) status = lb_project_gravity(draft, r, basis->vectors, arena, &gravity, err);
  if (!status) status = lb_project_rigid(fem, draft, r, basis->vectors, arena, &rigid, err);
  if (!status)
    status = lb_project_inertia(fem, draft, r, basis->vectors, arena, &first, &second, err);
  draft->subspace_damping = damping;
  draft->subspace_gravity = gravity;
  draft->subspace_rigid = rigid;
  draft->subspace_inertia_first = first;
  draft->subspace_inertia_second = second;
  if (!status)
    status = cubature
                 ? make_cubature(fem, basis->vectors, def, subspace, arena, draft, err)
                 : make_polynomials(fem, basis->vectors, subspace->editable, arena, draft, err);
  if (!status && (subspace->editable || cubature))
    status = make_masses(fem, basis->vectors, arena, draft, err);
  return status;
}

static void describe_forces(const lbSubspaceDef *subspace, const lbModel *draft, char text[200]) {
  const lbCubatureDef *c = &subspace->cubature;
  if (draft->size.cubature_count == 0)
    snprintf(text, 200, "polynomial%s", subspace->editable ? ", editable materials" : "");
  else if (c->all)
    snprintf(text, 200, "cubature, all elements");
  else
    snprintf(text, 200, "cubature, %s, %d poses, amplitude %.17g, seed %llu",
             lb_cubature_selection_name(c->selection), (int)c->pose_count, c->amplitude,
             (unsigned long long)c->seed);
}

static lbStatus write_subspace_provenance(const lbReduceDef *def, const lbSubspaceDef *subspace,
                                          const lbBasis *basis, lbArena *arena, lbModel *draft,
                                          lbError *err) {
  const lbBasisDef *b = &subspace->basis;
  char more[600], origin[120] = "", cut[80] = "", forces[200];
  describe_forces(subspace, draft, forces);
  if (b->kind == LB_BASIS_SKETCH)
    snprintf(origin, sizeof origin, " of %d loads", (int)(b->sketch ? b->sketch->load_count : 0));
  else if (b->kind != LB_BASIS_FILE)
    snprintf(origin, sizeof origin, " of %d modes", (int)b->mode_count);
  bool pca = b->kind == LB_BASIS_DERIVATIVES || b->kind == LB_BASIS_SKETCH;
  if (basis->whole_dimension > draft->size.subspace_dimension &&
      basis->dimension == draft->size.subspace_dimension)
    snprintf(cut, sizeof cut, ", cut between equal ones that go on to %d",
             (int)basis->whole_dimension);
  snprintf(more, sizeof more,
           "limber: " LB_VERSION "\nmethod: subspace%s\nbasis: %s%s%s\n"
           "dimension: %d of %d candidates%s\nforces: %s\n",
           draft->size.mode_count ? ", modal" : "", lb_basis_kind_name(b->kind), origin,
           !pca                          ? ""
           : b->metric == LB_MASS_LUMPED ? ", lumped metric"
                                         : ", consistent metric",
           (int)draft->size.subspace_dimension, (int)basis->candidate_count, cut, forces);
  draft->provenance = lb_object_provenance(def, more, arena);
  return draft->provenance ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_reduce_basis(const lbMesh *mesh, const lbFem *fem, const lbBasis *basis,
                         const lbModes *modes, const lbReduceDef *def,
                         const lbSubspaceDef *subspace, lbModel **out, lbError *err) {
  lbArena arena = { 0 };
  lbModel draft;
  lbDiscard keep_all = lb_discard();
  lbStatus status = lb_subspace_check(fem, def, subspace, err);
  if (!status) status = lb_object_draft(mesh, fem, def, &arena, &draft, err);
  if (!status && modes && subspace->modal)
    status = lb_modal_draft(fem, modes, def, &keep_all, &arena, &draft, err);
  if (!status) status = subspace_draft(fem, basis, def, subspace, &arena, &draft, err);
  if (!status) status = write_subspace_provenance(def, subspace, basis, &arena, &draft, err);
  if (!status) status = lb_model_create(&draft, out, err);
  lb_arena_release(&arena);
  return status;
}

lbStatus lb_reduce_subspace(const lbMesh *mesh, const lbFem *fem, const lbReduceDef *def,
                            const lbSubspaceDef *subspace, lbModel **out, lbError *err) {
  lbBasis *basis = NULL;
  lbStatus status = lb_subspace_check(fem, def, subspace, err);
  if (!status) status = lb_basis_make(fem, &subspace->basis, &basis, err);
  if (!status) status = lb_reduce_basis(mesh, fem, basis, basis->modes, def, subspace, out, err);
  lb_basis_destroy(basis);
  return status;
}
