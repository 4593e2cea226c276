// Subspace models: what is in them, against the full body, references of others, and refusals.
#include "basis_problems.h"

#include "limber/file.h"
#include "limber/reduce.h"
#include "math/cubic_form.h"
#include "meshio/formats.h"
#include "arrayio/cub.h"
#include "reduce/polynomial.h"
#include "arrayio/vega_matrix.h"

#include <jansson.h>

static lbModel *reduce(const lbMesh *mesh, const lbFem *fem, const lbSubspaceDef *def) {
  lbModel *model = NULL;
  lbError err;
  lbReduceDef object = lb_reduce_def();
  object.damping_mass = 0.5;
  object.damping_stiffness = 0.002;
  check_ok(lb_reduce_subspace(mesh, fem, &object, def, &model, &err), err);
  return model;
}

static lbSubspaceDef subspace_def(lbBasisKind kind, int32_t modes, int32_t dimension) {
  lbSubspaceDef def = lb_subspace_def();
  def.basis.kind = kind;
  def.basis.mode_count = modes;
  def.basis.dimension = dimension;
  return def;
}

static size_t sorted3(int32_t i, int32_t j, int32_t k) {
  int32_t low = i < j ? i : j, high = i < j ? j : i;
  if (k >= high) return lb_packed3(low, high, k);
  return k >= low ? lb_packed3(low, k, high) : lb_packed3(k, low, high);
}

static size_t sorted4(const int32_t t[4]) {
  int32_t s[4];
  memcpy(s, t, sizeof s);
  for (int a = 1; a < 4; a++)
    for (int b = a; b > 0 && s[b] < s[b - 1]; b--) {
      int32_t swap = s[b];
      s[b] = s[b - 1], s[b - 1] = swap;
    }
  return lb_packed4(s[0], s[1], s[2], s[3]);
}

// force (r) = Σ_p weights[p] of part p, at q.
static void model_force(const lbModel *m, const double *weights, const double *q, double *force) {
  int32_t r = m->size.subspace_dimension;
  memset(force, 0, (size_t)r * sizeof(double));
  for (int32_t p = 0; p < m->size.subspace_part_count; p++) {
    const double *P = m->subspace_linear + (size_t)p * (size_t)m->size.packed2_count;
    const double *Q = m->subspace_quadratic + (size_t)p * (size_t)m->size.packed3_count;
    const double *S = m->subspace_cubic + (size_t)p * (size_t)m->size.packed4_count;
    for (int32_t i = 0; i < r; i++)
      for (int32_t j = 0; j < r; j++) {
        double term = P[i < j ? lb_packed2(i, j) : lb_packed2(j, i)] * q[j];
        for (int32_t k = 0; k < r; k++) {
          term += Q[sorted3(i, j, k)] * q[j] * q[k];
          for (int32_t l = 0; l < r; l++)
            term += S[sorted4((int32_t[]){ i, j, k, l })] * q[j] * q[k] * q[l];
        }
        force[i] += weights[p] * term;
      }
  }
}

// |model force − Uᵀ R(U q)| relative, for random q.
static double force_error(const lbFem *fem, const lbModel *m, const double *weights) {
  size_t rows = 3 * (size_t)fem->vertex_count, r = (size_t)m->size.subspace_dimension;
  double *u = calloc(rows, sizeof(double)), *R = calloc(rows, sizeof(double));
  double q[64] = { 0 }, f[64];
  uint64_t seed = 5;
  double error = 0, scale = 0;
  for (size_t i = 0; i < r; i++) {
    q[i] = 0.3 * check_random(&seed);
    for (size_t k = 0; k < rows; k++) u[k] += q[i] * m->subspace_basis[i * rows + k];
  }
  evaluate(fem, u, R, NULL, NULL);
  model_force(m, weights, q, f);
  for (size_t i = 0; i < r; i++) {
    double expected = vector_dot(rows, m->subspace_basis + i * rows, R);
    error = fmax(error, fabs(f[i] - expected));
    scale = fmax(scale, fabs(expected));
  }
  free(u);
  free(R);
  return error / scale;
}

// A held bar of two materials, and its mesh.
static lbFem *two_materials(lbMesh **mesh, lbMassKind mass) {
  *mesh = box_mesh(LB_ELEMENT_BRICK8, 5, 2, 2, 1, 0.3, 0.2);
  bool *fixed = side(*mesh, 0, 0);
  lbMaterial materials[2] = { test_material(LB_MATERIAL_STVK), test_material(LB_MATERIAL_STVK) };
  materials[1].young = 4e5, materials[1].poisson = 0.4, materials[1].density = 1700;
  int32_t *which = calloc((size_t)lb_mesh_element_count(*mesh), sizeof *which);
  for (int32_t e = 0; e < lb_mesh_element_count(*mesh); e++) which[e] = e % 3 == 0;
  lbFemDef def = lb_fem_def();
  lbFem *fem = NULL;
  lbError err;
  def.materials = materials, def.material_count = 2;
  def.element_materials = which, def.fixed = fixed, def.mass = mass;
  check_ok(lb_fem_create(*mesh, &def, &fem, &err), err);
  free(fixed);
  free(which);
  return fem;
}

static void forces_are_those_of_the_full_body(void **state) {
  (void)state;
  for (int kind = LB_BASIS_LINEAR; kind <= LB_BASIS_EXTENDED; kind++) {
    if (kind == LB_BASIS_SKETCH) continue;
    lbMesh *mesh;
    lbFem *fem = two_materials(&mesh, LB_MASS_CONSISTENT);
    lbSubspaceDef def = subspace_def((lbBasisKind)kind, kind == LB_BASIS_EXTENDED ? 1 : 5, 8);
    lbModel *model = reduce(mesh, fem, &def);
    assert_int_equal(model->size.subspace_part_count, 1);
    double error = force_error(fem, model, (double[]){ 1 });
    print_message("  %s, r = %d: %.1e, tolerance 1e-11\n", lb_basis_kind_name((lbBasisKind)kind),
                  (int)model->size.subspace_dimension, error);
    check_small(error, 1e-11);
    lb_model_destroy(model);
    lb_fem_destroy(fem);
    lb_mesh_destroy(mesh);
  }
}

static void the_linear_modes_stand_beside_the_subspace(void **state) {
  (void)state;
  lbMesh *mesh;
  lbFem *fem = two_materials(&mesh, LB_MASS_CONSISTENT);
  lbSubspaceDef def = subspace_def(LB_BASIS_DERIVATIVES, 5, 8);
  lbModel *model = reduce(mesh, fem, &def), *modal = NULL;
  lbModalDef modes = lb_modal_def();
  lbReduceDef object = lb_reduce_def();
  lbError err;
  modes.mode_count = 5;
  check_ok(lb_reduce_modal(mesh, fem, &object, &modes, &modal, &err), err);
  assert_true(lb_model_has(model, LB_METHOD_MODAL) && lb_model_has(model, LB_METHOD_SUBSPACE));
  assert_int_equal(model->size.mode_count, 5);
  for (int i = 0; i < 5; i++)
    check_small(model->modal_eigenvalues[i] / modal->modal_eigenvalues[i] - 1, 1e-9);
  check_small(orthonormality(fem, fem->mass, 8, model->subspace_basis), 1e-10);
  for (int i = 1; i < 8; i++)
    assert_true(model->subspace_values[i] <= model->subspace_values[i - 1]);
  check_near(model->subspace_damping[0] + model->subspace_damping[1], 0.502, 1e-15);
  // Gravity of a vector is its momentum as a velocity.
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) {
      double sum = 0;
      for (int32_t v = 0; v < mesh->vertex_count; v++)
        sum += lb_fem_vertex_masses(fem)[v] *
               model->subspace_basis[3 * ((size_t)i * (size_t)mesh->vertex_count + (size_t)v) +
                                     (size_t)k];
      check_near(model->subspace_gravity[3 * i + k], sum, 1e-12);
    }
  def.modal = false;
  lbModel *alone = reduce(mesh, fem, &def);
  assert_false(lb_model_has(alone, LB_METHOD_MODAL));
  lb_model_destroy(alone);
  lb_model_destroy(model);
  lb_model_destroy(modal);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
}

static void editable_models_are_made_of_their_materials(void **state) {
  (void)state;
  for (int mass = LB_MASS_CONSISTENT; mass <= LB_MASS_LUMPED; mass++) {
    lbMesh *mesh;
    lbFem *fem = two_materials(&mesh, (lbMassKind)mass);
    lbSubspaceDef def = subspace_def(LB_BASIS_DERIVATIVES, 4, 6);
    def.editable = true;
    lbModel *model = reduce(mesh, fem, &def);
    assert_int_equal(model->size.subspace_part_count, 4);
    double weights[4];
    for (int g = 0; g < 2; g++) {
      double E = model->material_values[6 * g], nu = model->material_values[6 * g + 1];
      weights[2 * g] = E * nu / ((1 + nu) * (1 - 2 * nu));
      weights[2 * g + 1] = E / (2 * (1 + nu));
    }
    check_small(force_error(fem, model, weights), 1e-11);
    for (int32_t j = 0; j < 6; j++)
      for (int32_t i = 0; i <= j; i++) {
        size_t at = lb_packed2(i, j), next = at + (size_t)model->size.packed2_count;
        double sum = model->subspace_mass[at] + model->subspace_mass[next];
        check_small(sum - (i == j), 1e-12);
        if (i == j) assert_true(model->subspace_mass[at] > 0 && model->subspace_mass[next] > 0);
      }
    for (int k = 0; k < 18; k++)
      check_small(model->subspace_pull[k] + model->subspace_pull[18 + k] -
                      model->subspace_gravity[k],
                  1e-12);
    lb_model_destroy(model);
    lb_fem_destroy(fem);
    lb_mesh_destroy(mesh);
  }
}

static void defaults_bow_to_small_bodies(void **state) {
  (void)state;
  lbMesh *mesh = box_mesh(LB_ELEMENT_TET4, 1, 1, 1, 1, 1, 1);
  bool *fixed = side(mesh, 0, 0);
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = fem_of_mesh(mesh, &material, fixed, LB_MASS_CONSISTENT);
  lbSubspaceDef def = subspace_def(LB_BASIS_DERIVATIVES, 12, 30);
  def.basis.at_most = true;
  lbModel *model = reduce(mesh, fem, &def);
  assert_int_equal(model->size.subspace_dimension, 12); // of 12 unknowns
  check_small(force_error(fem, model, (double[]){ 1 }), 1e-11);
  lb_model_destroy(model);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
  free(fixed);
}

// ---- refusals ----------------------------------------------------------------------------------

static void check_refused(const lbSubspaceDef *def, lbMaterialModel law, lbStatus status,
                          const char *part) {
  lbMesh *mesh = box_mesh(LB_ELEMENT_TET4, 3, 1, 1, 1, 0.3, 0.3);
  bool *fixed = side(mesh, 0, 0);
  lbMaterial material = test_material(law);
  lbFem *fem = fem_of_mesh(mesh, &material, fixed, LB_MASS_CONSISTENT);
  lbReduceDef object = lb_reduce_def();
  lbModel *model = NULL;
  lbError err;
  check_fails(lb_reduce_subspace(mesh, fem, &object, def, &model, &err), status, err, part);
  assert_null(model);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
  free(fixed);
}

static void what_has_no_subspace_is_refused(void **state) {
  (void)state;
  lbSubspaceDef def = subspace_def(LB_BASIS_DERIVATIVES, 3, 4);
  def.forces = LB_FORCES_POLYNOMIAL;
  check_refused(&def, LB_MATERIAL_NEOHOOKEAN, LB_ERR_UNSUPPORTED, "\"forces\": \"cubature\"");
  def.forces = LB_FORCES_BY_LAW;
  check_refused(&def, LB_MATERIAL_LINEAR, LB_ERR_UNSUPPORTED, "the method \"modal\"");
  def.basis.dimension = 10; // of 3 + 6 candidates
  check_refused(&def, LB_MATERIAL_STVK, LB_ERR_ARGUMENT, "only 9 candidates");
  def.basis.dimension = 37; // of 36 unknowns
  check_refused(&def, LB_MATERIAL_STVK, LB_ERR_ARGUMENT, "choose 1 to 36");
  def.basis.dimension = 1000;
  check_refused(&def, LB_MATERIAL_STVK, LB_ERR_ARGUMENT, "choose 1 to 256");
  def.basis.dimension = 4;
  def.basis.metric = LB_MASS_LUMPED;
  def.basis.keep_metric = true;
  check_refused(&def, LB_MATERIAL_STVK, LB_ERR_ARGUMENT, "keep_metric");
  def = subspace_def(LB_BASIS_LINEAR, 3, 0);
  def.vectors_max = 4;
  check_refused(&def, LB_MATERIAL_STVK, LB_ERR_ARGUMENT, "has only 3 vectors");
  lbSketch *sketch = NULL;
  lbError err;
  check_ok(lb_sketch_create(&sketch, &err), err);
  def = subspace_def(LB_BASIS_SKETCH, 0, 3);
  def.basis.sketch = sketch; // empty
  check_refused(&def, LB_MATERIAL_STVK, LB_ERR_ARGUMENT, "load");
  lb_sketch_destroy(sketch);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  lbMesh *mesh = box_mesh(LB_ELEMENT_TET4, 2, 1, 1, 1, 0.5, 0.5);
  bool *fixed = side(mesh, 0, 0);
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = fem_of_mesh(mesh, &material, fixed, LB_MASS_CONSISTENT);
  lbSubspaceDef def = subspace_def(LB_BASIS_LINEAR, 2, 0);
  lbReduceDef object = lb_reduce_def();
  lbStatus status = LB_ERR_MEMORY;
  def.editable = true;
  for (int64_t n = 0; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbModel *model = NULL;
    lbError err = { 0 };
    lb_set_allocator(&allocator);
    status = lb_reduce_subspace(mesh, fem, &object, &def, &model, &err);
    if (!status) lb_model_destroy(model);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status) assert_int_equal(status, LB_ERR_MEMORY);
  }
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
  free(fixed);
}

// ---- references computed by others -------------------------------------------------------------

#define BEAM "../shared/refs/reduced_beam3_tet/"

// The reference's vectors, given as a Vega file.
static void write_vectors(int32_t rows, int32_t columns, const char *path) {
  double *basis = calloc((size_t)rows * (size_t)columns, sizeof(double));
  char line[512];
  lbError err;
  FILE *file = fopen(BEAM "U.csv", "r");
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  for (int32_t i = 0; i < rows; i++)
    for (int32_t j = 0; j < columns; j++)
      assert_int_equal(fscanf(file, "%lf,", &basis[i + (size_t)rows * (size_t)j]), 1);
  fclose(file);
  check_ok(lb_vega_matrix_save(rows, columns, basis, path, &err), err);
  free(basis);
}

static void the_reference_beam_has_its_forces(void **state) {
  (void)state;
  if (!check_shared(BEAM "reduced.json")) skip();
  const char *path = output_path("beam.U");
  lbMesh *mesh = NULL;
  lbError err;
  json_t *root = json_load_file(BEAM "reduced.json", 0, NULL);
  check_ok(lb_mesh_load(BEAM "mesh.msh", &mesh, &err), err);
  bool *fixed = calloc((size_t)mesh->vertex_count, sizeof(bool));
  const json_t *ids = json_object_get(root, "fixed_nodes_1based");
  for (size_t i = 0; i < json_array_size(ids); i++)
    fixed[json_integer_value(json_array_get(ids, i)) - 1] = true;
  lbMaterial material = lb_material();
  material.young = json_number_value(json_object_get(root, "E"));
  material.poisson = json_number_value(json_object_get(root, "nu"));
  lbFem *fem = fem_of_mesh(mesh, &material, fixed, LB_MASS_CONSISTENT);
  write_vectors(3 * mesh->vertex_count, 5, path);
  lbSubspaceDef def = subspace_def(LB_BASIS_FILE, 0, 0);
  def.basis.file = path;
  lbModel *model = reduce(mesh, fem, &def);
  assert_int_equal(model->size.subspace_dimension, 5);
  double worst = 0;
  for (size_t k = 0; k < 8; k++) {
    const json_t *q_json = json_array_get(json_object_get(root, "q"), k);
    const json_t *f_json = json_array_get(json_object_get(root, "reduced_force_StVK"), k);
    double q[5], f[5], error = 0, scale = 0;
    for (size_t i = 0; i < 5; i++) q[i] = json_number_value(json_array_get(q_json, i));
    model_force(model, (double[]){ 1 }, q, f);
    for (size_t i = 0; i < 5; i++) {
      double expected = json_number_value(json_array_get(f_json, i));
      error = fmax(error, fabs(f[i] - expected)), scale = fmax(scale, fabs(expected));
    }
    worst = fmax(worst, error / scale);
  }
  print_message("  forces: %.1e, tolerance 1e-9\n", worst);
  check_small(worst, 1e-9);
  remove(path);
  json_decref(root);
  free(fixed);
  lb_model_destroy(model);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
}

#define BRIDGE "../shared/refs/published_simpleBridge/"

static lbFem *published_bridge(void) {
  lbMesh *mesh = NULL;
  lbError err;
  char *text = NULL;
  size_t bytes;
  int32_t *ids = NULL, count = 0;
  check_ok(lb_mesh_load("../shared/meshes/tet/simpleBridge_tet.veg", &mesh, &err), err);
  check_ok(lb_file_read(BRIDGE "simpleBridge.bou", &text, &bytes, &err), err);
  check_ok(lb_read_bou("bou", text, bytes, &ids, &count, &err), err);
  bool *fixed = calloc((size_t)mesh->vertex_count, sizeof(bool));
  for (int32_t i = 0; i < count; i++) fixed[ids[i]] = true;
  lbFem *fem = fem_of_mesh(mesh, &mesh->materials[0].material, fixed, LB_MASS_CONSISTENT);
  lb_free(text);
  lb_free(ids);
  free(fixed);
  lb_mesh_destroy(mesh);
  return fem;
}

// Signs (r) such that the coefficients match: from those linear in two vectors and quadratic ones.
static void match_signs(const lbPolynomial *a, const lbPolynomial *b, int *signs) {
  int32_t r = a->count;
  double largest = 0;
  for (size_t i = 0; i < lb_packed3_count(r); i++) largest = fmax(largest, fabs(b->quadratic[i]));
  for (int32_t i = 0; i < r; i++) signs[i] = 0;
  // Q_iii turns with the sign of i; the others follow from those that are known.
  for (int round = 0; round < 3 * r; round++) {
    double best = 1e-6 * largest;
    int32_t chosen = -1;
    int sign = 0;
    for (int32_t i = 0; i < r; i++) {
      if (signs[i]) continue;
      for (int32_t j = 0; j < r; j++)
        for (int32_t k = j; k < r; k++) {
          if ((j != i && !signs[j]) || (k != i && !signs[k])) continue;
          if ((j == i) != (k == i)) continue; // i stands once or three times
          size_t at = sorted3(i, j, k);
          int known = j == i ? 1 : signs[j] * signs[k];
          if (fabs(b->quadratic[at]) <= best) continue;
          best = fabs(b->quadratic[at]), chosen = i;
          sign = (a->quadratic[at] * b->quadratic[at] > 0 ? 1 : -1) * known;
        }
    }
    if (chosen >= 0) signs[chosen] = sign;
  }
}

static double worst_difference(const lbPolynomial *a, const lbPolynomial *b, double scale,
                               const int *s) {
  double worst[3] = { 0 }, largest[3] = { 0 };
  size_t at[3] = { 0 };
  for (int32_t l = 0; l < a->count; l++)
    for (int32_t k = 0; k <= l; k++) {
      const double P = b->linear[at[0]];
      worst[0] = fmax(worst[0], fabs(scale * s[k] * s[l] * a->linear[at[0]++] - P));
      largest[0] = fmax(largest[0], fabs(P));
      for (int32_t j = 0; j <= k; j++) {
        const double Q = b->quadratic[at[1]];
        worst[1] = fmax(worst[1], fabs(scale * s[j] * s[k] * s[l] * a->quadratic[at[1]++] - Q));
        largest[1] = fmax(largest[1], fabs(Q));
        for (int32_t i = 0; i <= j; i++) {
          const double S = b->cubic[at[2]];
          worst[2] =
              fmax(worst[2], fabs(scale * s[i] * s[j] * s[k] * s[l] * a->cubic[at[2]++] - S));
          largest[2] = fmax(largest[2], fabs(S));
        }
      }
    }
  print_message("  linear %.1e, quadratic %.1e, cubic %.1e of the largest, tolerance 1e-07\n",
                worst[0] / largest[0], worst[1] / largest[1], worst[2] / largest[2]);
  return fmax(worst[0] / largest[0], fmax(worst[1] / largest[1], worst[2] / largest[2]));
}

static void the_published_bridge_has_its_polynomials(void **state) {
  (void)state;
  if (!check_shared(BRIDGE "simpleBridge.cub")) skip();
  lbFem *fem = published_bridge();
  lbBasisDef def = lb_basis_def();
  def.mode_count = 10, def.dimension = 20;
  def.metric = LB_MASS_LUMPED;
  def.keep_metric = true;
  lbBasis *basis = make_basis(fem, &def);
  lbPolynomialDef polynomial = { .count = 20, .basis = basis->vectors };
  lbPolynomial *mine = NULL, *published = NULL;
  lbError err;
  int signs[20];
  check_ok(lb_polynomial_build(fem, &polynomial, &mine, &err), err);
  check_ok(lb_cub_load(BRIDGE "simpleBridge.cub", &published, &err), err);
  match_signs(mine, published, signs);
  for (int i = 0; i < 20; i++) assert_int_not_equal(signs[i], 0);
  check_small(worst_difference(mine, published, 21.1952105646, signs), 1e-7);
  lb_polynomial_destroy(mine);
  lb_polynomial_destroy(published);
  lb_basis_destroy(basis);
  lb_fem_destroy(fem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(forces_are_those_of_the_full_body),
    cmocka_unit_test(the_linear_modes_stand_beside_the_subspace),
    cmocka_unit_test(editable_models_are_made_of_their_materials),
    cmocka_unit_test(defaults_bow_to_small_bodies),
    cmocka_unit_test(what_has_no_subspace_is_refused),
    cmocka_unit_test(every_allocation_may_fail),
    cmocka_unit_test(the_reference_beam_has_its_forces),
    cmocka_unit_test(the_published_bridge_has_its_polynomials),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
