// Reduction of shells: second derivatives of the force against differences of the force itself, and
// models with forces by cubature against the unreduced body.
#include "check.h"

#include "fem/fem.h"
#include "fem/modes.h"
#include "limber/body.h"
#include "limber/reduce.h"
#include "limber/shape.h"
#include "reduce/derivatives.h"

typedef struct Sheet {
  lbMesh *mesh;
  bool *fixed;
  lbFem *fem;
} Sheet;

static lbMaterial sheet_material(void) {
  lbMaterial m = lb_material();
  m.model = LB_MATERIAL_SHELL;
  m.young = 1e6, m.poisson = 0.4, m.thickness = 0.01;
  return m;
}

static Sheet make_sheet(const char *name, int nx, int ny, int nz, bool held) {
  Sheet s = { 0 };
  lbShapeDef shape = lb_shape_def(name);
  lbFemDef def = lb_fem_def();
  lbError err;
  const lbMaterial material = sheet_material();
  shape.cells[0] = nx, shape.cells[1] = ny, shape.cells[2] = nz;
  check_ok(lb_shape_volume(&shape, &s.mesh, &err), err);
  s.fixed = calloc((size_t)s.mesh->vertex_count, sizeof(bool));
  for (int32_t v = 0; v < s.mesh->vertex_count && held; v++)
    s.fixed[v] = s.mesh->positions[3 * v + (nz > 1 && ny == 1 ? 2 : 0)] < 0.3;
  def.materials = &material, def.material_count = 1, def.fixed = s.fixed;
  check_ok(lb_fem_create(s.mesh, &def, &s.fem, &err), err);
  return s;
}

static void release(Sheet *s) {
  lb_fem_destroy(s->fem);
  lb_mesh_destroy(s->mesh);
  free(s->fixed);
}

// ∂²f/∂a∂b at rest along two displacements, by differences of the force over four corners.
static void mixed_difference(const lbFem *fem, const double *a, const double *b, double h,
                             double *out) {
  size_t full = 3 * (size_t)lb_fem_vertex_count(fem);
  double *u = calloc(full, sizeof *u), *f = calloc(full, sizeof *f);
  lbEvaluation evaluation;
  lbError err;
  memset(out, 0, full * sizeof *out);
  for (int corner = 0; corner < 4; corner++) {
    double s = corner & 1 ? -h : h, t = corner & 2 ? -h : h;
    for (size_t i = 0; i < full; i++) u[i] = s * a[i] + t * b[i];
    check_ok(lb_fem_evaluate(fem, u, f, NULL, NULL, &evaluation, &err), err);
    for (size_t i = 0; i < full; i++) out[i] += (s * t > 0 ? 1 : -1) * f[i] / (4 * h * h);
  }
  free(u);
  free(f);
}

static void second_derivatives_are_those_of_the_force(void **state) {
  (void)state;
  enum { COUNT = 3 };
  Sheet sheets[2] = { make_sheet("sheet", 5, 4, 1, true), make_sheet("pipe", 8, 1, 4, false) };
  for (int k = 0; k < 2; k++) {
    const lbFem *fem = sheets[k].fem;
    size_t size = 3 * (size_t)lb_fem_node_count(fem), full = 3 * (size_t)lb_fem_vertex_count(fem);
    lbModes *modes = NULL;
    lbError err;
    check_ok(lb_fem_modes(fem, COUNT, &modes, &err), err);
    double *system = calloc(COUNT * size, sizeof *system);
    double *forces = calloc(6 * size, sizeof *forces), *expected = calloc(full, sizeof *expected);
    double *free_part = calloc(size, sizeof *free_part);
    for (int i = 0; i < COUNT; i++)
      lb_fem_compress(fem, modes->shapes + (size_t)i * full, system + (size_t)i * size);
    check_ok(lb_hessian_forces(fem, COUNT, system, forces, &err), err);
    for (int i = 0; i < COUNT; i++)
      for (int j = i; j < COUNT; j++) {
        const double *got = forces + lb_pair_index(COUNT, i, j) * size;
        double worst = 0, largest = 0;
        mixed_difference(fem, modes->shapes + (size_t)i * full, modes->shapes + (size_t)j * full,
                         2e-5, expected);
        lb_fem_compress(fem, expected, free_part);
        for (size_t n = 0; n < size; n++) {
          worst = fmax(worst, fabs(got[n] - free_part[n]));
          largest = fmax(largest, fabs(free_part[n]));
        }
        assert_true(largest > 0);
        check_small(worst, 1e-4 * largest);
      }
    lb_modes_destroy(modes);
    free(system);
    free(forces);
    free(expected);
    free(free_part);
    release(&sheets[k]);
  }
}

// A body that sums over all edges with weight 1 has the exact reduced energy at any coordinates.
static void cubature_over_all_edges_is_exact(void **state) {
  (void)state;
  static const char *const names[] = { "sheet", "pipe" };
  for (int k = 0; k < 4; k++) {
    Sheet s = make_sheet(names[k / 2], 6, k / 2 ? 1 : 5, 5, k % 2 == 0);
    lbReduceDef def = lb_reduce_def();
    lbSubspaceDef subspace = lb_subspace_def();
    subspace.basis.mode_count = 4, subspace.basis.dimension = 10;
    subspace.forces = LB_FORCES_CUBATURE;
    subspace.cubature.all = true;
    lbModel *model = NULL;
    lbBody *body = NULL;
    lbError err;
    check_ok(lb_reduce_subspace(s.mesh, s.fem, &def, &subspace, &model, &err), err);
    assert_int_equal(model->size.shell_count, s.mesh->triangle_count);
    lbBodyDef body_def = lb_body_def();
    body_def.method = LB_METHOD_SUBSPACE;
    check_ok(lb_body_create(model, &body_def, &body, &err), err);
    int32_t d = model->size.subspace_dimension;
    double *q = calloc((size_t)d, sizeof *q);
    size_t full = 3 * (size_t)model->size.node_count;
    double *u = calloc(full, sizeof *u), *zeros = calloc((size_t)d, sizeof *zeros);
    uint64_t seed = 3;
    for (int32_t i = 0; i < d; i++) {
      q[i] = 0.02 * check_random(&seed);
      for (size_t n = 0; n < full; n++) u[n] += q[i] * model->subspace_basis[(size_t)i * full + n];
    }
    assert_int_equal(lb_body_set_state(body, q, zeros), LB_OK);
    lbEvaluation evaluation;
    check_ok(lb_fem_evaluate(s.fem, u, NULL, NULL, NULL, &evaluation, &err), err);
    double energy = lb_body_report(body).elastic;
    assert_true(evaluation.energy > 0);
    check_near(energy, evaluation.energy, 1e-12 * evaluation.energy);
    free(q);
    free(zeros);
    free(u);
    lb_body_destroy(body);
    lb_model_destroy(model);
    release(&s);
  }
}

// Twice Young's modulus is twice the energy, twice the density twice the mass.
static void materials_of_shells_can_change(void **state) {
  (void)state;
  Sheet s = make_sheet("sheet", 5, 4, 1, true);
  lbReduceDef def = lb_reduce_def();
  lbSubspaceDef subspace = lb_subspace_def();
  subspace.basis.mode_count = 3, subspace.basis.dimension = 5;
  subspace.cubature.all = true;
  lbModel *model = NULL;
  lbBody *body = NULL;
  lbError err;
  check_ok(lb_reduce_subspace(s.mesh, s.fem, &def, &subspace, &model, &err), err);
  lbBodyDef body_def = lb_body_def();
  body_def.method = LB_METHOD_SUBSPACE;
  check_ok(lb_body_create(model, &body_def, &body, &err), err);
  const double q[5] = { 0.02, -0.01, 0.01, 0.005, 0.003 }, zeros[5] = { 0 };
  assert_int_equal(lb_body_set_state(body, q, zeros), LB_OK);
  lbBodyReport before = lb_body_report(body);
  check_ok(lb_body_set_material(body, 0, 2e6, 0.4, 2000), err);
  lbBodyReport after = lb_body_report(body);
  check_near(after.elastic / before.elastic, 2, 1e-12);
  check_near(after.mass / before.mass, 2, 1e-12);
  lb_body_destroy(body);
  lb_model_destroy(model);
  release(&s);
}

static void refuse_body(const lbModel *draft, const char *part) {
  lbModel *model = NULL;
  lbBody *body = NULL;
  lbError err = { 0 };
  lbBodyDef def = lb_body_def();
  def.method = LB_METHOD_SUBSPACE;
  check_ok(lb_model_create(draft, &model, &err), err);
  assert_int_not_equal(lb_body_create(model, &def, &body, &err), LB_OK);
  if (!strstr(err.text, part)) fail_msg("expected \"%s\", got %s", part, err.text);
  assert_null(body);
  lb_model_destroy(model);
}

// What a file may say and no shell has.
static void wrong_shells_of_files_are_refused(void **state) {
  (void)state;
  Sheet s = make_sheet("grid", 3, 2, 1, true);
  lbReduceDef def = lb_reduce_def();
  lbSubspaceDef subspace = lb_subspace_def();
  subspace.basis.mode_count = 2, subspace.basis.dimension = 3;
  subspace.cubature.all = true;
  lbModel *model = NULL;
  lbError err;
  check_ok(lb_reduce_subspace(s.mesh, s.fem, &def, &subspace, &model, &err), err);
  int32_t shells[3 * 12], elements[64], law = LB_MATERIAL_STVK, count = model->size.cubature_count;
  double sheet[4] = { 0 };
  assert_true(model->size.shell_count == 12 && count == 12 + 3 + 2 + 6);
  memcpy(shells, model->shells, sizeof shells);
  memcpy(elements, model->cubature_elements, (size_t)count * sizeof *elements);
  lbModel draft = *model;
  elements[count - 1] = 3 * 12 - 1;
  draft.cubature_elements = elements;
  refuse_body(&draft, "cubature element 35 of a shell of 23 edges");
  draft = *model, draft.material_laws = &law;
  refuse_body(&draft, "have the law \"stvk\"");
  draft = *model, draft.material_shells = sheet;
  refuse_body(&draft, "thickness is 0");
  draft = *model, draft.shells = shells;
  shells[4] = shells[3];
  refuse_body(&draft, "triangle 1");
  lb_model_destroy(model);
  release(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(second_derivatives_are_those_of_the_force),
    cmocka_unit_test(cubature_over_all_edges_is_exact),
    cmocka_unit_test(materials_of_shells_can_change),
    cmocka_unit_test(wrong_shells_of_files_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
