// The force law of a St. Venant–Kirchhoff bar in tension and compression against the closed form in
// tests/data/analytic_stvk_uniaxial (area 0.01 m²; tolerance 1e-10 of 1 kN).
#include "fem_problems.h"

#define SIDE 0.1

typedef struct Row {
  double stretch, free_force, lateral, confined_force;
} Row;

static int read_rows(Row rows[32]) {
  FILE *file = fopen("tests/data/analytic_stvk_uniaxial/stvk_uniaxial.csv", "r");
  char line[256];
  int count = 0;
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  while (count < 32 && fgets(line, sizeof line, file)) {
    Row *r = &rows[count];
    if (sscanf(line, "%lf,%lf,%lf,%lf", &r->stretch, &r->free_force, &r->lateral,
               &r->confined_force) == 4)
      count++;
  }
  fclose(file);
  assert_int_equal(count, 12);
  return count;
}

static lbFem *cube(lbElementKind kind) {
  lbMaterial material = lb_material();
  material.young = 1e6;
  material.poisson = 0.3;
  return box_fem(kind, 2, 2, 2, SIDE, SIDE, SIDE, &material, false);
}

// u = (s - 1, t - 1, t - 1) x at every vertex.
static void stretch(const lbFem *fem, double s, double t, double *u) {
  const double *x = lb_fem_rest_positions(fem);
  for (size_t i = 0; i < 3 * (size_t)lb_fem_vertex_count(fem); i++)
    u[i] = ((i % 3 == 0 ? s : t) - 1) * x[i];
}

// Sums of component `axis` of the forces on the side where that coordinate is SIDE.
static double side_force(const lbFem *fem, const double *f, int axis) {
  const double *x = lb_fem_rest_positions(fem);
  double sum = 0;
  for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++)
    if (x[3 * (size_t)v + axis] > SIDE - 1e-9) sum += f[3 * (size_t)v + axis];
  return sum;
}

static void evaluated_forces_follow_the_law(void **state) {
  (void)state;
  Row rows[32];
  int count = read_rows(rows);
  for_each_element(kind) {
    lbFem *fem = cube(kind);
    double *u = zeros(fem), *f = zeros(fem), worst = 0;
    for (int i = 0; i < count; i++) {
      stretch(fem, rows[i].stretch, rows[i].lateral, u);
      evaluate(fem, u, f, NULL, NULL);
      worst = fmax(worst, fabs(side_force(fem, f, 0) - rows[i].free_force) / 1000);
      worst = fmax(worst, fabs(side_force(fem, f, 1)) / 1000);
      stretch(fem, rows[i].stretch, 1, u);
      evaluate(fem, u, f, NULL, NULL);
      worst = fmax(worst, fabs(side_force(fem, f, 0) - rows[i].confined_force) / 1000);
    }
    print_case(kind, LB_MATERIAL_STVK, worst, 1e-10);
    check_small(worst, 1e-10);
    free(u), free(f);
    lb_fem_destroy(fem);
  }
}

// The dead load that holds the stretched cube, its reaction side left out.
static void statics_find_the_stretch_of_a_load(void **state) {
  (void)state;
  Row rows[32];
  int count = read_rows(rows);
  for_each_element(kind) for (int i = 0; i < count; i++) {
    if (rows[i].stretch < 0.9) continue; // at 0.8 the dead load ends in another equilibrium
    lbMaterial material = lb_material();
    material.young = 1e6;
    material.poisson = 0.3;
    lbFem *free_cube = cube(kind),
          *held = box_fem(kind, 2, 2, 2, SIDE, SIDE, SIDE, &material, true);
    double *exact = zeros(held), *u = zeros(held), *load = zeros(held);
    stretch(held, rows[i].stretch, rows[i].lateral, exact);
    evaluate(free_cube, exact, load, NULL, NULL); // the nodal forces that keep it so
    const double *x = lb_fem_rest_positions(held);
    for (int32_t v = 0; v < lb_fem_vertex_count(held); v++)
      for (int k = 0; k < 3; k++) { // the held side is moved to where it belongs
        size_t at = 3 * (size_t)v + (size_t)k;
        if (x[3 * (size_t)v] < 1e-9) u[at] = exact[at];
      }
    lbStaticDef def = lb_static_def();
    lbStaticResult result;
    lbError err;
    check_ok(lb_fem_static(held, load, &def, u, &result, &err), err);
    double error = largest_difference(held, u, exact) / SIDE;
    if (!(error <= 1e-9))
      print_message("stretch %g, %d load steps\n", rows[i].stretch, result.load_steps);
    check_small(error, 1e-9);
    free(exact), free(u), free(load);
    lb_fem_destroy(free_cube);
    lb_fem_destroy(held);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(evaluated_forces_follow_the_law),
    cmocka_unit_test(statics_find_the_stretch_of_a_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
