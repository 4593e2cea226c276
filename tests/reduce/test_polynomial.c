// Reduced StVK polynomials against the full body: U^T R(U q), U^T K(U q) U and the energy.
#include "reduce/polynomial.h"

#include "../fem/fem_problems.h"
#include "method/subspace/cubic.h"
#include "elastic/element.h"
#include "limber/build.h"

#include <jansson.h>

enum { MODES = 7, MOST = 12 };

// A body with a random smooth basis, its polynomials, and those in tiles.
typedef struct Case {
  lbMesh *mesh;
  lbFem *fem;
  int32_t count;
  double *basis;
  lbPolynomial *polynomial;
  double *tiles, *work;
  lbCubic cubic;
} Case;

static lbCubic tile(const lbPolynomial *p, double **block) {
  int32_t r = p->count;
  *block = calloc(lb_cubic_linear_size(r) + lb_cubic_quadratic_size(r) + lb_cubic_cubic_size(r),
                  sizeof(double));
  lbCubicArrays arrays = { .linear = *block, .quadratic = *block + lb_cubic_linear_size(r) };
  arrays.cubic = arrays.quadratic + lb_cubic_quadratic_size(r);
  lb_cubic_pack(r, p->linear, p->quadratic, p->cubic, &arrays);
  return (lbCubic){
    .count = r, .linear = arrays.linear, .quadratic = arrays.quadratic, .cubic = arrays.cubic
  };
}

static void build(Case *c) {
  lbPolynomialDef def = { .count = c->count, .basis = c->basis };
  lbError err;
  check_ok(lb_polynomial_build(c->fem, &def, &c->polynomial, &err), err);
  c->cubic = tile(c->polynomial, &c->tiles);
  c->work = calloc(lb_cubic_work_size(c->count), sizeof(double));
}

static double *random_basis(const lbMesh *mesh, int32_t count) {
  size_t rows = 3 * (size_t)mesh->vertex_count;
  double *basis = calloc(rows * (size_t)count, sizeof(double));
  uint64_t seed = 17;
  for (int32_t i = 0; i < count; i++) { // waves, and a little noise
    double k[3][3], phase[3];
    for (int a = 0; a < 9; a++) k[a / 3][a % 3] = 1.5 * check_random(&seed);
    for (int a = 0; a < 3; a++) phase[a] = 3 * check_random(&seed);
    for (size_t row = 0; row < rows; row++) {
      const double *x = mesh->positions + row / 3 * 3, *w = k[row % 3];
      basis[(size_t)i * rows + row] =
          sin(w[0] * x[0] + w[1] * x[1] + w[2] * x[2] + phase[row % 3]) +
          0.05 * check_random(&seed);
    }
  }
  return basis;
}

// Materials by the cell's number, `count` of them.
static Case make_case(lbElementKind kind, const lbMaterial *materials, int32_t count) {
  Case c = { .mesh = box_mesh(kind, 5, 3, 2, 1.0, 0.7, 0.5), .count = MODES };
  lbFemDef def = lb_fem_def();
  lbError err;
  shake_vertices(c.mesh, NULL, 0.03);
  int32_t elements = lb_mesh_element_count(c.mesh);
  int32_t *element_materials = calloc((size_t)elements, sizeof(int32_t));
  for (int32_t e = 0; e < elements; e++) element_materials[e] = e % count;
  def.materials = materials;
  def.material_count = count;
  def.element_materials = element_materials;
  check_ok(lb_fem_create(c.mesh, &def, &c.fem, &err), err);
  c.basis = random_basis(c.mesh, c.count);
  build(&c);
  free(element_materials);
  return c;
}

static void free_case(Case *c) {
  lb_polynomial_destroy(c->polynomial);
  lb_fem_destroy(c->fem);
  lb_mesh_destroy(c->mesh);
  free(c->basis), free(c->tiles), free(c->work);
}

static lbMaterial stvk(double young, double poisson) {
  lbMaterial m = lb_material();
  m.model = LB_MATERIAL_STVK, m.young = young, m.poisson = poisson;
  return m;
}

static void expand(const Case *c, const double *q, double *u) {
  size_t rows = 3 * (size_t)c->mesh->vertex_count;
  memset(u, 0, rows * sizeof *u);
  for (int32_t i = 0; i < c->count; i++)
    for (size_t row = 0; row < rows; row++) u[row] += c->basis[(size_t)i * rows + row] * q[i];
}

static void project(const Case *c, const double *f, double *reduced) {
  size_t rows = 3 * (size_t)c->mesh->vertex_count;
  for (int32_t i = 0; i < c->count; i++) {
    reduced[i] = 0;
    for (size_t row = 0; row < rows; row++) reduced[i] += c->basis[(size_t)i * rows + row] * f[row];
  }
}

// The relative error of force, stiffness and energy at q.
static double compare_with_full(const Case *c, const double *q) {
  int32_t r = c->count, padded = lb_cubic_padded(r);
  double *u = zeros(c->fem), *f = zeros(c->fem), *Kd = zeros(c->fem), *d = zeros(c->fem);
  double R[MOST], K[MOST * MOST], full[MOST], unit[MOST] = { 0 };
  const lbCubicKernels *kernels = lb_cubic_kernels(lb_simd_best());
  double W = kernels->evaluate(&c->cubic, q, R, K, c->work);
  expand(c, q, u);
  double energy = evaluate(c->fem, u, f, NULL, NULL).energy;
  project(c, f, full);
  double error = 0, scale = 0, K_error = 0, K_scale = 0;
  for (int32_t i = 0; i < r; i++) {
    error = fmax(error, fabs(R[i] - full[i]));
    scale = fmax(scale, fabs(full[i]));
  }
  for (int32_t j = 0; j < r; j++) {
    unit[j] = 1;
    expand(c, unit, d);
    unit[j] = 0;
    evaluate(c->fem, u, NULL, d, Kd);
    project(c, Kd, full);
    for (int32_t i = 0; i < r; i++) {
      K_error = fmax(K_error, fabs(K[i * padded + j] - full[i]));
      K_scale = fmax(K_scale, fabs(full[i]));
    }
  }
  free(u), free(f), free(Kd), free(d);
  return fmax(fmax(error / scale, K_error / K_scale), fabs(W - energy) / energy);
}

static void check_case(Case *c, const char *name) {
  uint64_t seed = 5;
  double q[MOST], worst = 0;
  const double sizes[] = { 1e-4, 0.1, 1, 10 };
  for (int s = 0; s < 4; s++)
    for (int round = 0; round < 3; round++) {
      for (int32_t i = 0; i < c->count; i++) q[i] = sizes[s] * check_random(&seed);
      worst = fmax(worst, compare_with_full(c, q));
    }
  print_message("  %s: residual %.2e, tolerance 1e-10\n", name, worst);
  check_small(worst, 1e-10);
}

static void polynomials_are_the_full_forces_in_the_basis(void **state) {
  (void)state;
  const lbMaterial usual[3] = { stvk(1e5, 0.3), stvk(3e6, 0.45), stvk(2e4, 0) };
  const lbMaterial odd[2] = { stvk(1e5, -0.6), stvk(1e5, 0.499) };
  for_each_element(kind) {
    Case c = make_case(kind, usual, 1);
    check_case(&c, "one material");
    free_case(&c);
    c = make_case(kind, usual, 3);
    check_case(&c, "three materials");
    free_case(&c);
    c = make_case(kind, odd, 2);
    check_case(&c, "negative and large Poisson ratios");
    free_case(&c);
  }
}

static void tets_and_bricks_in_one_mesh_add_up(void **state) {
  (void)state;
  lbMaterial material = stvk(1e5, 0.3);
  Case c = { .mesh = box_mesh(LB_ELEMENT_TET4, 2, 2, 1, 1, 1, 1), .count = 5 };
  lbMesh *bricks = box_mesh(LB_ELEMENT_BRICK8, 3, 1, 1, 1, 1, 1), *mesh = c.mesh;
  size_t first = (size_t)mesh->vertex_count, added = (size_t)bricks->vertex_count;
  double *positions = lb_alloc(first + added, 3 * sizeof(double));
  memcpy(positions, mesh->positions, 3 * first * sizeof(double));
  memcpy(positions + 3 * first, bricks->positions, 3 * added * sizeof(double));
  lb_free(mesh->positions);
  lb_free(mesh->bricks);
  mesh->positions = positions;
  mesh->vertex_count += bricks->vertex_count;
  mesh->bricks = bricks->bricks;
  mesh->brick_count = bricks->brick_count;
  for (int32_t i = 0; i < 8 * mesh->brick_count; i++) mesh->bricks[i] += (int32_t)first;
  bricks->bricks = NULL, bricks->brick_count = 0;
  lb_mesh_destroy(bricks);
  c.fem = fem_of_mesh(mesh, &material, NULL, LB_MASS_CONSISTENT);
  c.basis = random_basis(mesh, c.count);
  build(&c);
  check_case(&c, "tets and bricks");
  free_case(&c);
}

// Tets around an axis: its ends have more edges than are summed together.
static lbMesh *make_fan(int32_t blades) {
  lbMesh *mesh = box_mesh(LB_ELEMENT_TET4, 1, 1, 1, 1, 1, 1);
  lb_free(mesh->positions);
  lb_free(mesh->tets);
  mesh->vertex_count = blades + 2;
  mesh->tet_count = blades;
  mesh->positions = lb_alloc((size_t)blades + 2, 3 * sizeof(double));
  mesh->tets = lb_alloc((size_t)blades, 4 * sizeof(int32_t));
  mesh->positions[5] = 0.5; // vertices 0 and 1 are the axis
  for (int32_t i = 0; i < blades; i++) {
    const int32_t tet[4] = { 0, 2 + i, 2 + (i + 1) % blades, 1 };
    memcpy(mesh->tets + 4 * (size_t)i, tet, sizeof tet);
    mesh->positions[3 * (size_t)(2 + i)] = cos(2 * LB_PI * i / blades);
    mesh->positions[3 * (size_t)(2 + i) + 1] = sin(2 * LB_PI * i / blades);
  }
  return mesh;
}

static void a_vertex_may_have_any_number_of_edges(void **state) {
  (void)state;
  lbMaterial material = stvk(1e5, 0.3);
  for (int32_t blades = 30; blades <= 130; blades += 25) {
    Case c = { .mesh = make_fan(blades), .count = 5 };
    c.fem = fem_of_mesh(c.mesh, &material, NULL, LB_MASS_CONSISTENT);
    c.basis = random_basis(c.mesh, c.count);
    build(&c);
    check_case(&c, "a fan");
    free_case(&c);
  }
}

// A basis that moves far as a whole and deforms little loses no figures of the little.
static void motion_as_a_whole_takes_no_figures(void **state) {
  (void)state;
  lbMaterial material = stvk(1e5, 0.3);
  Case c = { .mesh = box_mesh(LB_ELEMENT_BRICK8, 6, 4, 3, 1, 1, 1), .count = 5 }, moved = c;
  size_t rows = 3 * (size_t)c.mesh->vertex_count;
  c.fem = moved.fem = fem_of_mesh(c.mesh, &material, NULL, LB_MASS_CONSISTENT);
  c.basis = random_basis(c.mesh, c.count);
  moved.basis = calloc(rows * (size_t)c.count, sizeof(double));
  for (size_t i = 0; i < rows * (size_t)c.count; i++) moved.basis[i] = c.basis[i] + 1000;
  build(&c);
  build(&moved);
  double error = 0, scale = 0;
  for (size_t i = 0; i < lb_packed4_count(c.count); i++) {
    error = fmax(error, fabs(c.polynomial->cubic[i] - moved.polynomial->cubic[i]));
    scale = fmax(scale, fabs(c.polynomial->cubic[i]));
  }
  printf("  cubic, 1000 m off: residual %.2e, tolerance 1e-11\n", error / scale);
  check_small(error / scale, 1e-11); // differences have 1e-13 of their own
  lb_polynomial_destroy(moved.polynomial);
  free(moved.basis), free(moved.tiles), free(moved.work);
  free_case(&c);
}

static void add_scaled(size_t count, double weight, const double *from, double *to) {
  for (size_t i = 0; i < count; i++) to[i] += weight * from[i];
}

static void parts_weighted_with_the_moduli_are_the_whole(void **state) {
  (void)state;
  const lbMaterial materials[2] = { stvk(1e5, 0.3), stvk(3e6, -0.2) };
  for_each_element(kind) {
    Case c = make_case(kind, materials, 2);
    lbPolynomial *parts[6], *sum = NULL;
    double weights[6] = { [4] = 1e9, [5] = 1e9 }; // of a group without elements
    lbError err;
    int32_t elements = lb_mesh_element_count(c.mesh);
    int32_t *groups = calloc((size_t)elements, sizeof(int32_t));
    for (int32_t e = 0; e < elements; e++) groups[e] = e % 2;
    for (int g = 0; g < 2; g++) {
      double values[LB_MATERIAL_PARAMETERS];
      lb_material_parameters(&materials[g], values, 1);
      weights[2 * g] = values[0], weights[2 * g + 1] = values[1];
    }
    lbPolynomialDef def = { c.count, c.basis, 3, groups };
    check_ok(lb_polynomial_build_parts(c.fem, &def, parts, &err), err);
    check_ok(lb_polynomial_create(MODES, &sum, &err), err);
    for (int p = 0; p < 6; p++) {
      add_scaled(lb_packed2_count(MODES), weights[p], parts[p]->linear, sum->linear);
      add_scaled(lb_packed3_count(MODES), weights[p], parts[p]->quadratic, sum->quadratic);
      add_scaled(lb_packed4_count(MODES), weights[p], parts[p]->cubic, sum->cubic);
    }
    const double *whole[3] = { c.polynomial->linear, c.polynomial->quadratic, c.polynomial->cubic };
    const double *summed[3] = { sum->linear, sum->quadratic, sum->cubic };
    const size_t counts[3] = { lb_packed2_count(MODES), lb_packed3_count(MODES),
                               lb_packed4_count(MODES) };
    for (int a = 0; a < 3; a++) {
      double error = 0, scale = 0;
      for (size_t i = 0; i < counts[a]; i++) {
        error = fmax(error, fabs(whole[a][i] - summed[a][i]));
        scale = fmax(scale, fabs(whole[a][i]));
      }
      check_small(error / scale, 1e-13);
    }
    for (int p = 0; p < 6; p++) lb_polynomial_destroy(parts[p]);
    lb_polynomial_destroy(sum);
    free(groups);
    free_case(&c);
  }
}

static void bits_do_not_depend_on_the_number_of_threads(void **state) {
  (void)state;
  const int32_t r = 24; // several panels of pairs, two patches
  lbMaterial material = stvk(1e5, 0.3);
  lbMesh *mesh = box_mesh(LB_ELEMENT_BRICK8, 10, 7, 6, 1.0, 0.7, 0.5);
  lbFem *fem = fem_of_mesh(mesh, &material, NULL, LB_MASS_CONSISTENT);
  double *basis = random_basis(mesh, r);
  lbPolynomialDef def = { .count = r, .basis = basis };
  lbPolynomial *polynomials[3];
  lbError err;
  for (int threads = 1; threads <= 3; threads++) {
    check_ok(lb_build_start(threads, &err), err);
    check_ok(lb_polynomial_build(fem, &def, &polynomials[threads - 1], &err), err);
    lb_build_stop();
  }
  for (int i = 1; i < 3; i++) {
    assert_memory_equal(polynomials[0]->linear, polynomials[i]->linear,
                        lb_packed2_count(r) * sizeof(double));
    assert_memory_equal(polynomials[0]->quadratic, polynomials[i]->quadratic,
                        lb_packed3_count(r) * sizeof(double));
    assert_memory_equal(polynomials[0]->cubic, polynomials[i]->cubic,
                        lb_packed4_count(r) * sizeof(double));
  }
  for (int i = 0; i < 3; i++) lb_polynomial_destroy(polynomials[i]);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
  free(basis);
}

// ---- a reference computed by others ------------------------------------------------------------

#define REFERENCE "../shared/refs/reduced_beam3_tet/"

static double *read_basis(int32_t rows, int32_t columns) {
  double *basis = calloc((size_t)rows * (size_t)columns, sizeof(double));
  char line[512];
  FILE *file = fopen(REFERENCE "U.csv", "r");
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  for (int32_t i = 0; i < rows; i++)
    for (int32_t j = 0; j < columns; j++)
      assert_int_equal(fscanf(file, "%lf,", &basis[i + (size_t)rows * (size_t)j]), 1);
  fclose(file);
  return basis;
}

static double number(const json_t *array, size_t i) {
  return json_number_value(json_array_get(array, i));
}

static void check_reference(const Case *c, const json_t *root, size_t index) {
  enum { R = 5, STRIDE = 8 };
  double q[R], force[R], K[STRIDE * STRIDE], error = 0, scale = 0, K_error = 0, K_scale = 0;
  const json_t *q_json = json_array_get(json_object_get(root, "q"), index);
  const json_t *force_json = json_array_get(json_object_get(root, "reduced_force_StVK"), index);
  const json_t *K_json = json_array_get(json_object_get(root, "reduced_tangent_StVK"), index);
  double energy = number(json_object_get(root, "energy_StVK"), index);
  for (size_t i = 0; i < R; i++) q[i] = number(q_json, i);
  const lbCubicKernels *kernels = lb_cubic_kernels(lb_simd_best());
  double W = kernels->evaluate(&c->cubic, q, force, K, c->work);
  for (size_t i = 0; i < R; i++) {
    error = fmax(error, fabs(force[i] - number(force_json, i)));
    scale = fmax(scale, fabs(force[i]));
    for (size_t j = 0; j < R; j++) {
      double expected = number(json_array_get(K_json, i), j);
      K_error = fmax(K_error, fabs(K[i * STRIDE + j] - expected));
      K_scale = fmax(K_scale, fabs(expected));
    }
  }
  print_message("  q %d: force %.1e, tangent %.1e, energy %.1e, tolerance 1e-9\n", (int)index,
                error / scale, K_error / K_scale, W / energy - 1);
  check_small(error / scale, 1e-9);
  check_small(K_error / K_scale, 1e-9);
  check_small(W / energy - 1, 1e-9);
}

static void the_reference_beam_is_met(void **state) {
  (void)state;
  if (!check_shared(REFERENCE "reduced.json")) skip();
  lbError err;
  json_error_t json_error;
  json_t *root = json_load_file(REFERENCE "reduced.json", 0, &json_error);
  assert_non_null(root);
  lbMaterial material = stvk(json_number_value(json_object_get(root, "E")),
                             json_number_value(json_object_get(root, "nu")));
  Case c = { .count = 5 };
  check_ok(lb_mesh_load(REFERENCE "mesh.msh", &c.mesh, &err), err);
  c.fem = fem_of_mesh(c.mesh, &material, NULL, LB_MASS_CONSISTENT);
  c.basis = read_basis(3 * c.mesh->vertex_count, c.count);
  build(&c);
  assert_int_equal(json_array_size(json_object_get(root, "q")), 8);
  for (size_t i = 0; i < 8; i++) check_reference(&c, root, i);
  json_decref(root);
  free_case(&c);
}

// ---- refusals ----------------------------------------------------------------------------------

static void what_has_no_polynomials_is_refused(void **state) {
  (void)state;
  lbMaterial materials[2] = { stvk(1e5, 0.3), stvk(1e5, 0.3) };
  materials[1].model = LB_MATERIAL_COROTATED;
  lbFem *fem = box_fem(LB_ELEMENT_TET4, 1, 1, 1, 1, 1, 1, &materials[1], false);
  double *u = zeros(fem);
  lbPolynomialDef def = { .count = 1, .basis = u };
  lbPolynomial *p = NULL, *parts[2] = { NULL };
  lbError err;
  check_fails(lb_polynomial_build(fem, &def, &p, &err), LB_ERR_UNSUPPORTED, err, "element 0");
  lb_fem_destroy(fem);
  fem = box_fem(LB_ELEMENT_TET4, 1, 1, 1, 1, 1, 1, &materials[0], false);
  def.count = 0;
  check_fails(lb_polynomial_build(fem, &def, &p, &err), LB_ERR_ARGUMENT, err, "0 modes");
  def.count = LB_POLYNOMIAL_MODES_MAX + 1;
  check_fails(lb_polynomial_build(fem, &def, &p, &err), LB_ERR_ARGUMENT, err, "257 modes");
  def.count = 1;
  u[10] = NAN;
  check_fails(lb_polynomial_build(fem, &def, &p, &err), LB_ERR_NUMERIC, err, "vertex 3");
  u[10] = 0;
  int32_t groups[6] = { 0, 0, 0, 0, 1, 0 };
  def.group_count = 1, def.element_groups = groups;
  check_fails(lb_polynomial_build_parts(fem, &def, parts, &err), LB_ERR_ARGUMENT, err, "element 4");
  assert_null(p);
  assert_null(parts[0]);
  free(u);
  lb_fem_destroy(fem);
}

static bool stop(const char *stage, double fraction, void *context) {
  (void)stage, (void)fraction, (void)context;
  return false;
}

static void failing_memory_and_an_interruption_leave_nothing(void **state) {
  (void)state;
  lbMaterial material = stvk(1e5, 0.3);
  lbFem *fem = box_fem(LB_ELEMENT_TET4, 1, 1, 1, 1, 1, 1, &material, false);
  double *u = random_vector(fem, 1, 3);
  lbPolynomialDef def = { .count = 1, .basis = u, .group_count = 1 };
  lbPolynomial *p = NULL, *parts[2] = { NULL };
  lbError err;
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t n = 0; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    status = lb_polynomial_build(fem, &def, &p, &err);
    if (!status) lb_polynomial_destroy(p);
    if (!status) status = lb_polynomial_build_parts(fem, &def, parts, &err);
    if (!status) lb_polynomial_destroy(parts[0]), lb_polynomial_destroy(parts[1]);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    assert_true(status == LB_OK || status == LB_ERR_MEMORY);
    assert_true(n < 100);
  }
  p = NULL;
  lb_set_progress(stop, NULL);
  status = lb_polynomial_build(fem, &def, &p, &err);
  lb_set_progress(NULL, NULL);
  assert_int_equal(status, LB_ERR_INTERRUPTED);
  assert_null(p);
  free(u);
  lb_fem_destroy(fem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(polynomials_are_the_full_forces_in_the_basis),
    cmocka_unit_test(tets_and_bricks_in_one_mesh_add_up),
    cmocka_unit_test(a_vertex_may_have_any_number_of_edges),
    cmocka_unit_test(motion_as_a_whole_takes_no_figures),
    cmocka_unit_test(parts_weighted_with_the_moduli_are_the_whole),
    cmocka_unit_test(bits_do_not_depend_on_the_number_of_threads),
    cmocka_unit_test(the_reference_beam_is_met),
    cmocka_unit_test(what_has_no_polynomials_is_refused),
    cmocka_unit_test(failing_memory_and_an_interruption_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
