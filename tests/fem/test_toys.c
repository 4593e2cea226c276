// Shapes to play with, held at the bottom: no part hangs loose, which a frequency near zero would
// tell, and how they swing.
#include "fem_problems.h"

static double lowest_frequency(const char *name, lbElementKind element) {
  lbShapeDef shape = lb_shape_def(name);
  lbMesh *mesh = NULL;
  lbFem *fem = NULL;
  lbModes *modes = NULL;
  lbError err = { 0 };
  shape.element = element;
  check_ok(lb_shape_volume(&shape, &mesh, &err), err);
  bool *fixed = calloc((size_t)mesh->vertex_count, sizeof(bool));
  const lbGroup *bottom = lb_mesh_group_by_name(mesh, LB_GROUP_VERTICES, "bottom");
  for (int32_t i = 0; i < bottom->count; i++) fixed[bottom->ids[i]] = true;
  lbMaterial material = lb_material();
  material.young = 1e6;
  material.density = 1000;
  lbFemDef def = lb_fem_def();
  def.materials = &material, def.material_count = 1, def.fixed = fixed;
  check_ok(lb_fem_create(mesh, &def, &fem, &err), err);
  check_ok(lb_fem_modes(fem, 2, &modes, &err), err);
  assert_int_equal(modes->rigid_count, 0);
  double frequency = modes->frequencies[0];
  print_message("%s: %.4g and %.4g Hz\n", name, frequency, modes->frequencies[1]);
  lb_modes_destroy(modes);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
  free(fixed);
  return frequency;
}

// Bounds around what they have: a hinge would be far below.
static void every_part_holds(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double low, high;
  } cases[] = { { "tower", 0.25, 0.5 },
                { "bowl", 1, 2.5 },
                { "cactus", 0.8, 2 },
                { "turtle", 3, 7 },
                { "figure", 0.6, 1.4 } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double frequency = lowest_frequency(cases[i].name, LB_ELEMENT_BRICK8);
    if (!(frequency > cases[i].low && frequency < cases[i].high))
      fail_msg("%s: %g Hz, expected %g to %g", cases[i].name, frequency, cases[i].low,
               cases[i].high);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_part_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
