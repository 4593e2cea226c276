// Bodies of triangles with the material of a shell: reference energies and gradient, isometric
// bending, the plate that it stands for, mass, dynamics, statics, and what is refused.
#include "check.h"

#include "limber/fem.h"
#include "limber/math.h"
#include "limber/shape.h"
#include "limber/table.h"

#define REFS "tests/data/refs/"

static lbMaterial sheet_material(double stretch, double area, double bend) {
  lbMaterial m = lb_material();
  m.model = LB_MATERIAL_SHELL;
  m.thickness = 0.01;
  m.stretch = stretch, m.area = area, m.bend = bend;
  return m;
}

static lbMesh *shape(const char *name, const double size[3], int nx, int ny, int nz) {
  lbShapeDef def = lb_shape_def(name);
  const int cells[3] = { nx, ny, nz };
  lbMesh *mesh = NULL;
  lbError err;
  for (int i = 0; i < 3; i++) def.size[i] = size[i], def.cells[i] = cells[i];
  check_ok(lb_shape_volume(&def, &mesh, &err), err);
  return mesh;
}

static lbFem *fem_of(const lbMesh *mesh, const lbMaterial *material, const bool *fixed) {
  lbFemDef def = lb_fem_def();
  lbFem *fem = NULL;
  lbError err;
  def.materials = material;
  def.material_count = 1;
  def.fixed = fixed;
  check_ok(lb_fem_create(mesh, &def, &fem, &err), err);
  return fem;
}

static double energy_at(const lbMesh *mesh, const lbMaterial *material, const double *u,
                        double *f) {
  lbFem *fem = fem_of(mesh, material, NULL);
  lbEvaluation out;
  lbError err;
  check_ok(lb_fem_evaluate(fem, u, f, NULL, NULL, &out, &err), err);
  check_near(out.von_mises, -1, 0);
  assert_int_equal(out.invalid_element, -1);
  lb_fem_destroy(fem);
  return out.energy;
}

// ---- references --------------------------------------------------------------------------------

// One of the energies alone: the others are there, but too small to be seen. 0: stretch, 1: area,
// 2: bend.
static lbMaterial only(int which, double value) {
  double k[3] = { 1e-200, 0, 1e-200 };
  k[which] = value;
  return sheet_material(k[0], k[1], k[2]);
}

static void the_hinge_has_its_closed_form(void **state) {
  (void)state;
  double x[12] = { 0, 0, 0, 0, 1, 0, -1, 0.3, 0, 1.2, 0.6, 0 }, u[12] = { 0 };
  int32_t triangles[6] = { 0, 1, 2, 1, 0, 3 };
  lbMesh mesh = { .vertex_count = 4, .positions = x, .triangle_count = 2, .triangles = triangles };
  lbMaterial material = only(2, 1);
  static const double angles[] = { -3.1, -2.5, -1, -0.1, 0, 0.3, 1.5, 3 };
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
    double t = angles[i], expected = 3 / 1.1 * t * t;
    u[9] = 1.2 * cos(t) - x[9], u[11] = 1.2 * sin(t);
    check_near(energy_at(&mesh, &material, u, NULL), expected, 1e-12 * (1 + expected));
  }
}

typedef struct Strip {
  lbMesh *rest;
  double *u;
} Strip;

static Strip strip(const char *deformed) {
  Strip s = { 0 };
  lbMesh *moved = NULL;
  lbError err;
  char path[120];
  snprintf(path, sizeof path, REFS "shell_strip/%s", deformed);
  check_ok(lb_mesh_load(REFS "shell_strip/rest.obj", &s.rest, &err), err);
  check_ok(lb_mesh_load(path, &moved, &err), err);
  s.u = calloc(3 * (size_t)moved->vertex_count, sizeof(double));
  for (int32_t i = 0; i < 3 * moved->vertex_count; i++)
    s.u[i] = moved->positions[i] - s.rest->positions[i];
  lb_mesh_destroy(moved);
  return s;
}

static void release_strip(Strip *s) {
  lb_mesh_destroy(s->rest);
  free(s->u);
}

static void the_bent_strip_has_its_closed_form(void **state) {
  (void)state;
  Strip s = strip("deformed.obj");
  lbMaterial bend = only(2, 2.5), stretch = only(0, 1), area = only(1, 1);
  check_near(energy_at(s.rest, &bend, s.u, NULL), 9.160226584761062, 1e-12 * 9.2);
  check_small(energy_at(s.rest, &stretch, s.u, NULL), 1e-29);
  check_small(energy_at(s.rest, &area, s.u, NULL), 1e-29);
  release_strip(&s);
}

// Columns of grad_random.csv: vertex, bend, stretch, area.
static void the_shaken_strip_has_the_reference_gradient(void **state) {
  (void)state;
  Strip s = strip("deformed_random.obj");
  const double energies[3] = { 108.5406389413253, 0.7338399632625721, 0.16738081075811806 };
  const lbMaterial materials[3] = { only(2, 2.5), only(0, 3), only(1, 7) };
  size_t count = 3 * (size_t)s.rest->vertex_count;
  double *f = calloc(count, sizeof *f), *table = calloc(3 * count, sizeof *table);
  FILE *file = fopen(REFS "shell_strip/grad_random.csv", "r");
  assert_non_null(file);
  assert_true(fscanf(file, "%*[^\n]") == 0);
  for (size_t i = 0; i < 3 * count; i++) {
    if (i % 9 == 0) assert_true(fscanf(file, "%*d") == 0);
    assert_int_equal(fscanf(file, ",%lf", &table[i]), 1);
  }
  fclose(file);
  for (int k = 0; k < 3; k++) {
    double worst = 0, largest = 0;
    check_near(energy_at(s.rest, &materials[k], s.u, f), energies[k], 1e-12 * energies[k]);
    for (size_t i = 0; i < count; i++) {
      double expected = table[9 * (i / 3) + 3 * (size_t)k + i % 3];
      worst = fmax(worst, fabs(f[i] - expected));
      largest = fmax(largest, fabs(expected));
    }
    check_small(worst, 1e-12 * largest);
  }
  free(f);
  free(table);
  release_strip(&s);
}

// ---- the plate ---------------------------------------------------------------------------------

// Wound onto a prism: rows of cells stay flat, and turn by θ at the lines between them.
static void isometric_bending_only_bends(void **state) {
  (void)state;
  enum { NX = 12, NY = 5 };
  const double size[3] = { 1.2, 0.4, 1 }, theta = 0.2, d = 0.1;
  lbMesh *mesh = shape("grid", size, NX, NY, 1);
  double *u = calloc(3 * (size_t)mesh->vertex_count, sizeof *u);
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    double x = 0, z = 0;
    for (int32_t i = 0; i < v % (NX + 1); i++) x += d * cos(i * theta), z += d * sin(i * theta);
    u[3 * v] = x - mesh->positions[3 * v];
    u[3 * v + 2] = z;
  }
  double expected = (NX - 1) * 2.0 * theta * theta * size[1] * 3 / d;
  const lbMaterial bend = only(2, 2), stretch = only(0, 1e3), area = only(1, 1e3);
  check_near(energy_at(mesh, &bend, u, NULL), expected, 1e-12 * expected);
  check_small(energy_at(mesh, &stretch, u, NULL), 1e-25);
  check_small(energy_at(mesh, &area, u, NULL), 1e-25);
  free(u);
  lb_mesh_destroy(mesh);
}

// A square sheet of equilateral triangles, simply supported: Kirchhoff's plate with D = 6 bend has
// ω = π² (m² + n²) / a² √(D / (ρ t)).
static void an_equilateral_sheet_is_kirchhoffs_plate(void **state) {
  (void)state;
  enum { N = 24, ROWS = 28 };
  const double a = 1, size[3] = { a, ROWS * sqrt(0.75) * a / N, 1 };
  lbMesh *mesh = shape("sheet", size, N, ROWS, 1);
  lbMaterial material = lb_material();
  material.model = LB_MATERIAL_SHELL;
  material.thickness = 0.005;
  material.young = 2e9, material.poisson = 0.3;
  double t = material.thickness;
  double D = 6 * material.young * t * t * t / (72 * (1 - 0.09));
  bool *fixed = calloc((size_t)mesh->vertex_count, sizeof *fixed);
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    for (int i = 0; i < 2; i++)
      fixed[v] |= fabs(mesh->positions[3 * v + i] - size[i] / 2) > size[i] / 2 - 1e-9;
  lbFem *fem = fem_of(mesh, &material, fixed);
  lbModes *modes = NULL;
  lbError err;
  check_ok(lb_fem_modes(fem, 4, &modes, &err), err);
  static const int waves[4][2] = { { 1, 1 }, { 1, 2 }, { 2, 1 }, { 2, 2 } };
  double worst = 0, expected[4];
  for (int i = 0; i < 4; i++) {
    double square = pow(waves[i][0] / size[0], 2) + pow(waves[i][1] / size[1], 2);
    expected[i] = LB_PI / 2 * square * sqrt(D / (material.density * t));
  }
  if (expected[1] > expected[2]) {
    double larger = expected[1];
    expected[1] = expected[2], expected[2] = larger;
  }
  for (int i = 0; i < 4; i++) worst = fmax(worst, fabs(modes->frequencies[i] / expected[i] - 1));
  check_small(worst, 0.02);
  lb_modes_destroy(modes);
  lb_fem_destroy(fem);
  free(fixed);
  lb_mesh_destroy(mesh);
}

// The lowest motions of a free pipe are those of a ring without stretch (Rayleigh), two alike:
// ω² = D/(ρ t R⁴) n² (n² − 1)² / (n² + 1) with n = 2.
static void a_free_pipe_rings_as_rayleigh_says(void **state) {
  (void)state;
  const double size[3] = { 0.3, 0.3, 0.5 }, R = 0.15;
  lbMesh *mesh = shape("pipe", size, 32, 1, 20);
  lbMaterial material = lb_material();
  material.model = LB_MATERIAL_SHELL, material.thickness = 0.004;
  material.young = 1e8, material.poisson = 0.3;
  double t = material.thickness, D = material.young * t * t * t / (12 * (1 - 0.09));
  double expected = sqrt(D / (material.density * t * R * R * R * R) * 4 * 9 / 5) / (2 * LB_PI);
  lbFem *fem = fem_of(mesh, &material, NULL);
  lbModes *modes = NULL;
  lbError err;
  check_ok(lb_fem_modes(fem, 2, &modes, &err), err);
  check_near(modes->frequencies[0] / expected, 1, 0.03);
  check_near(modes->frequencies[1] / modes->frequencies[0], 1, 1e-6);
  lb_modes_destroy(modes);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
}

// The energy of w = κx x²/2 + κy y²/2 is D/2 (κx² + κy² + 2ν κx κy) per area with ν = -1/3: for
// κx = ±κy twice D (1 ± ν) κ²/2.
static void its_poisson_ratio_is_minus_a_third(void **state) {
  (void)state;
  enum { N = 60, ROWS = 69 };
  const double size[3] = { 1, ROWS * sqrt(0.75) / N, 1 }, curvature = 1e-6;
  const lbMaterial material = only(2, 1);
  lbMesh *mesh = shape("sheet", size, N, ROWS, 1);
  double energies[2];
  double *u = calloc(3 * (size_t)mesh->vertex_count, sizeof *u);
  for (int k = 0; k < 2; k++) {
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
      const double *x = mesh->positions + 3 * v;
      u[3 * v + 2] = curvature / 2 * (x[0] * x[0] + (k ? -1 : 1) * x[1] * x[1]);
    }
    energies[k] = energy_at(mesh, &material, u, NULL);
  }
  double all = size[0] * size[1] * curvature * curvature * 6; // D = 6
  check_near(energies[0] / all, 1 - 1. / 3, 0.04);            // edges at the border do not bend
  check_near(energies[1] / all, 1 + 1. / 3, 0.06);
  check_near(energies[0] / energies[1], 0.5, 0.01); // (1 + ν) / (1 − ν)
  free(u);
  lb_mesh_destroy(mesh);
}

// ---- rest shapes, mass -------------------------------------------------------------------------

static lbMesh *sphere(void) {
  lbShapeDef def = lb_shape_def("sphere");
  lbMesh *mesh = NULL;
  lbError err;
  def.segments = 16;
  check_ok(lb_shape_surface(&def, &mesh, &err), err);
  return mesh;
}

static void curved_rest_shapes_are_at_rest(void **state) {
  (void)state;
  const double size[3] = { 0.3, 0.4, 1 };
  lbMesh *meshes[2] = { shape("pipe", size, 12, 1, 10), sphere() };
  const lbMaterial material = sheet_material(100, 50, 3);
  for (int k = 0; k < 2; k++) {
    size_t count = 3 * (size_t)meshes[k]->vertex_count;
    double *u = calloc(count, sizeof *u), *f = calloc(count, sizeof *f);
    check_small(energy_at(meshes[k], &material, u, f), 1e-25);
    for (size_t i = 0; i < count; i++) check_small(f[i], 1e-11);
    free(u);
    free(f);
    lb_mesh_destroy(meshes[k]);
  }
}

// A free shell has the six rigid motions and no other without energy.
static void free_shells_have_six_rigid_motions(void **state) {
  (void)state;
  const double size[3] = { 1, 0.6, 1 };
  lbMesh *meshes[2] = { shape("sheet", size, 6, 5, 1), sphere() };
  const lbMaterial material = sheet_material(1e4, 10, 1e-2);
  for (int k = 0; k < 2; k++) {
    lbFem *fem = fem_of(meshes[k], &material, NULL);
    lbModes *modes = NULL;
    lbError err;
    check_ok(lb_fem_modes(fem, 6, &modes, &err), err);
    assert_int_equal(modes->rigid_count, 6);
    assert_true(modes->frequencies[0] > 0.01);
    for (int i = 0; i < 6; i++) check_small(modes->residuals[i], 1e-6);
    lb_modes_destroy(modes);
    lb_fem_destroy(fem);
    lb_mesh_destroy(meshes[k]);
  }
}

static void mass_is_density_thickness_and_area(void **state) {
  (void)state;
  const double size[3] = { 2, 0.5, 1 };
  lbMesh *mesh = shape("sheet", size, 5, 4, 1);
  lbMaterial materials[2] = { sheet_material(1, 1, 1), sheet_material(1, 1, 1) };
  materials[1].density = 500, materials[1].thickness = 0.03;
  lbFem *fem = fem_of(mesh, materials, NULL);
  double m = 1000 * 0.01 * 1, S[3][3], sum = 0, mixed = 0;
  const double origin[3] = { 0 };
  check_near(lb_fem_total_mass(fem), m, 1e-12);
  lb_fem_second_moments(fem, origin, S); // ∫ x², exact
  check_near(S[0][0], m * 4 / 3, 1e-12);
  check_near(S[0][1], m * 0.5 * 1 * 0.5, 1e-12);
  for (int32_t v = 0; v < mesh->vertex_count; v++) sum += lb_fem_vertex_masses(fem)[v];
  check_near(sum, m, 1e-12);
  lb_fem_destroy(fem);
  int32_t *of = calloc((size_t)mesh->triangle_count, sizeof *of); // every third has another mass
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    const int32_t *corners = mesh->triangles + 3 * t;
    lbVec3 a = lb_vec3_load(mesh->positions + 3 * corners[0]);
    lbVec3 e = lb_sub(lb_vec3_load(mesh->positions + 3 * corners[1]), a);
    lbVec3 p = lb_sub(lb_vec3_load(mesh->positions + 3 * corners[2]), a);
    of[t] = t % 3 == 0;
    mixed += (of[t] ? 15 : 10) * lb_length(lb_cross(e, p)) / 2;
  }
  lbFemDef def = lb_fem_def();
  lbError err;
  def.materials = materials, def.material_count = 2, def.element_materials = of;
  check_ok(lb_fem_create(mesh, &def, &fem, &err), err);
  check_near(lb_fem_total_mass(fem), mixed, 1e-12);
  lb_fem_destroy(fem);
  free(of);
  lb_mesh_destroy(mesh);
}

// ---- statics and dynamics ----------------------------------------------------------------------

// A strip that is held by two rows bends under its weight far beyond what is linear.
static void a_clamped_strip_hangs_down(void **state) {
  (void)state;
  const double size[3] = { 0.5, 0.1, 1 };
  lbMesh *mesh = shape("grid", size, 20, 4, 1);
  lbMaterial material = lb_material();
  material.model = LB_MATERIAL_SHELL;
  material.young = 1e7, material.poisson = 0.3, material.thickness = 0.002;
  bool *fixed = calloc((size_t)mesh->vertex_count, sizeof *fixed);
  for (int32_t v = 0; v < mesh->vertex_count; v++) fixed[v] = v % 21 < 2;
  lbFem *fem = fem_of(mesh, &material, fixed);
  size_t count = 3 * (size_t)mesh->vertex_count;
  double *load = calloc(count, sizeof *load), *u = calloc(count, sizeof *u);
  for (size_t v = 0; v < count / 3; v++) load[3 * v + 2] = -9.81 * lb_fem_vertex_masses(fem)[v];
  lbStaticDef def = lb_static_def();
  lbStaticResult result;
  lbError err;
  check_ok(lb_fem_static(fem, load, &def, u, &result, &err), err);
  check_small(result.residual, 1e-10);
  double tip = u[3 * 20 + 2];
  assert_true(tip < -0.3 && tip > -0.5); // hangs; it is 0.475 long
  free(load);
  free(u);
  free(fixed);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
}

// Small Newmark steps of a free sheet that folds and stretches keep its energy and momenta.
static void a_free_sheet_keeps_its_energy(void **state) {
  (void)state;
  enum { STEPS = 200 };
  const double size[3] = { 1, 0.5, 1 };
  lbMesh *mesh = shape("sheet", size, 6, 4, 1);
  const lbMaterial material = sheet_material(200, 50, 0.02);
  lbFem *fem = fem_of(mesh, &material, NULL);
  size_t count = 3 * (size_t)mesh->vertex_count;
  double *v = calloc(count, sizeof *v);
  for (size_t n = 0; n < count / 3; n++) {
    const double *x = mesh->positions + 3 * n;
    v[3 * n + 2] = 3 * cos(6 * x[0]) + 2 * x[1];
    v[3 * n] = sin(3 * x[1]);
  }
  lbSimulatorDef def = lb_simulator_def();
  def.step = 2e-4;
  lbSimulator *simulator = NULL;
  lbError err;
  double *none = calloc(count, sizeof *none);
  check_ok(lb_simulator_create(fem, &def, NULL, v, NULL, &simulator, &err), err);
  lbSimulatorState start = lb_simulator_state(simulator), end = start;
  double elastic = 0;
  for (int i = 0; i < STEPS; i++) {
    assert_int_equal(lb_simulator_step(simulator, none), 0);
    end = lb_simulator_state(simulator);
    elastic = fmax(elastic, end.elastic);
  }
  assert_true(elastic > 0.02 * start.kinetic); // much of it was elastic
  check_small((end.kinetic + end.elastic) / start.kinetic - 1, 1e-3);
  for (int i = 0; i < 3; i++) check_near(end.linear_momentum[i], start.linear_momentum[i], 1e-9);
  lb_simulator_destroy(simulator);
  lb_fem_destroy(fem);
  free(v);
  free(none);
  lb_mesh_destroy(mesh);
}

// ---- what is refused ---------------------------------------------------------------------------

static void refuse(const lbMesh *mesh, const lbMaterial *materials, int32_t count,
                   const char *part) {
  lbFemDef def = lb_fem_def();
  lbFem *fem = NULL;
  lbError err = { 0 };
  def.materials = materials, def.material_count = count;
  lbStatus status = lb_fem_create(mesh, &def, &fem, &err);
  assert_true(status == LB_ERR_MESH || status == LB_ERR_ARGUMENT);
  if (!strstr(err.text, part)) fail_msg("expected \"%s\", got %s", part, err.text);
  assert_null(fem);
}

static void meshes_and_materials_must_match(void **state) {
  (void)state;
  const double size[3] = { 1, 1, 1 };
  lbMesh *bar = shape("bar", size, 1, 1, 1), *flat = shape("grid", size, 2, 2, 1);
  lbMaterial materials[2] = { sheet_material(1, 1, 1), lb_material() };
  refuse(bar, materials, 1, "the model \"shell\" is only for meshes of triangles");
  refuse(flat, materials + 1, 1, "no tets or bricks");
  refuse(flat, materials, 2, "no tets or bricks");
  flat->triangles[3 * 1 + 1] = flat->triangles[3 * 1]; // a vertex twice
  refuse(flat, materials, 1, "triangle 1 (vertices 0 0 3) has no area");
  lb_mesh_destroy(bar);
  lb_mesh_destroy(flat);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_hinge_has_its_closed_form),
    cmocka_unit_test(the_bent_strip_has_its_closed_form),
    cmocka_unit_test(the_shaken_strip_has_the_reference_gradient),
    cmocka_unit_test(isometric_bending_only_bends),
    cmocka_unit_test(an_equilateral_sheet_is_kirchhoffs_plate),
    cmocka_unit_test(a_free_pipe_rings_as_rayleigh_says),
    cmocka_unit_test(its_poisson_ratio_is_minus_a_third),
    cmocka_unit_test(curved_rest_shapes_are_at_rest),
    cmocka_unit_test(free_shells_have_six_rigid_motions),
    cmocka_unit_test(mass_is_density_thickness_and_area),
    cmocka_unit_test(a_clamped_strip_hangs_down),
    cmocka_unit_test(a_free_sheet_keeps_its_energy),
    cmocka_unit_test(meshes_and_materials_must_match),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
