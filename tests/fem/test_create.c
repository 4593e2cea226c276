// What lb_fem_create takes and refuses: mixed elements and materials, unused and fixed vertices,
// several parts, bad elements.
#include "fem_problems.h"

static lbStatus create(const lbMesh *mesh, const lbMaterial *materials, int32_t count,
                       const int32_t *of_element, const bool *fixed, lbFem **fem, lbError *err) {
  lbFemDef def = lb_fem_def();
  def.name = "thing";
  def.materials = materials, def.material_count = count;
  def.element_materials = of_element, def.fixed = fixed;
  return lb_fem_create(mesh, &def, fem, err);
}

// Two cells along x: bricks at x < 1 and six tets around the diagonal 000-111 at x > 1, and one
// vertex that nothing uses. The quad between them is shared by its vertices.
typedef struct Mixed {
  lbMesh mesh;
  double positions[13 * 3];
  int32_t tets[24], bricks[8];
} Mixed;

static void make_mixed(Mixed *m) {
  static const int32_t tets[24] = { 1, 2,  5, 11, 1, 5, 4, 11, 1, 4, 10, 11,
                                    1, 10, 7, 11, 1, 7, 8, 11, 1, 8, 2,  11 };
  static const int32_t brick[8] = { 0, 1, 4, 3, 6, 7, 10, 9 };
  *m = (Mixed){ .mesh = { .vertex_count = 13, .tet_count = 6, .brick_count = 1 } };
  for (int v = 0; v < 12; v++) {
    m->positions[3 * v] = v % 3, m->positions[3 * v + 1] = v / 3 % 2;
    m->positions[3 * v + 2] = v / 6;
  }
  m->positions[36] = 50, m->positions[37] = -7, m->positions[38] = 3;
  memcpy(m->tets, tets, sizeof tets);
  memcpy(m->bricks, brick, sizeof brick);
  m->mesh.positions = m->positions, m->mesh.tets = m->tets, m->mesh.bricks = m->bricks;
}

static void mixed_meshes_of_many_materials_behave_as_one_body(void **state) {
  (void)state;
  Mixed m;
  make_mixed(&m);
  lbMaterial materials[LB_MATERIAL_SOLID_MODEL_COUNT];
  for (int i = 0; i < LB_MATERIAL_SOLID_MODEL_COUNT; i++) {
    materials[i] = test_material((lbMaterialModel)i);
    materials[i].density = 100 * (i + 1);
  }
  const int32_t of_element[7] = { 1, 2, 3, 4, 5, 1, 3 };
  lbFem *fem = NULL;
  lbError err;
  check_ok(create(&m.mesh, materials, LB_MATERIAL_SOLID_MODEL_COUNT, of_element, NULL, &fem, &err),
           err);
  assert_int_equal(lb_fem_vertex_count(fem), 13);
  assert_int_equal(lb_fem_node_count(fem), 12); // the last one is not used
  assert_int_equal(lb_fem_element_count(fem), 7);
  double mass = 400;
  for (int e = 0; e < 6; e++) mass += materials[of_element[e]].density / 6;
  check_near(lb_fem_total_mass(fem) / mass, 1, 1e-14);
  check_small(lb_fem_vertex_masses(fem)[12], 0);
  double *u = random_vector(fem, 0.05, 2), *f = zeros(fem), sum[3] = { 0 };
  double *d = random_vector(fem, 1, 3), *Kd = zeros(fem), *plus = zeros(fem), *minus = zeros(fem);
  evaluate(fem, u, f, d, Kd);
  for (int i = 0; i < 39; i++) sum[i % 3] += f[i];
  for (int i = 0; i < 3; i++) check_small(sum[i] / largest(fem, f), 1e-13);
  for (int i = 36; i < 39; i++) check_small(f[i], 0), check_small(Kd[i], 0);
  for (int sign = 1; sign >= -1; sign -= 2) {
    double moved[39];
    for (int i = 0; i < 39; i++) moved[i] = u[i] + sign * 1e-5 * d[i];
    evaluate(fem, moved, sign > 0 ? plus : minus, NULL, NULL);
  }
  for (int i = 0; i < 39; i++)
    check_small(((plus[i] - minus[i]) / 2e-5 - Kd[i]) / largest(fem, Kd), 1e-7);
  free(u), free(f), free(d), free(Kd), free(plus), free(minus);
  lb_fem_destroy(fem);
}

static void fixed_and_unused_vertices_stay_where_they_are(void **state) {
  (void)state;
  Mixed m;
  make_mixed(&m);
  bool fixed[13] = { 0 };
  fixed[0] = fixed[3] = fixed[6] = fixed[9] = true;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = NULL;
  lbError err;
  check_ok(create(&m.mesh, &material, 1, NULL, fixed, &fem, &err), err);
  assert_int_equal(lb_fem_node_count(fem), 8);
  double load[39], u[39] = { 0 }, push[39];
  for (int i = 0; i < 39; i++) load[i] = 3, push[i] = 1;
  lbStaticDef def = lb_static_def();
  lbStaticResult result;
  check_ok(lb_fem_static(fem, load, &def, u, &result, &err), err);
  lbSimulatorDef simulator_def = lb_simulator_def();
  lbSimulator *s = NULL;
  check_ok(lb_simulator_create(fem, &simulator_def, push, push, load, &s, &err), err);
  lb_simulator_step(s, load);
  for (int v = 0; v < 13; v++)
    for (int i = 0; i < 3; i++) {
      bool still = v == 12 || fixed[v];
      assert_true((u[3 * v + i] == 0) == still);
      assert_true((lb_simulator_velocity(s)[3 * v + i] == 0) == still);
      assert_true((lb_simulator_displacement(s)[3 * v + i] == 0) == still);
    }
  lb_simulator_destroy(s);
  lb_fem_destroy(fem);
}

// Two boxes in one mesh, 2 m apart, with unlike materials.
static lbMesh *two_boxes(lbElementKind kind) {
  lbMesh *mesh = box_mesh(kind, 3, 1, 1, 3, 1, 1);
  int32_t per_cell = kind == LB_ELEMENT_TET4 ? 6 : 1;
  if (kind == LB_ELEMENT_TET4) { // the middle cell is taken out
    mesh->tet_count = 12;
    memcpy(mesh->tets + 24, mesh->tets + 48, 24 * sizeof(int32_t));
  } else {
    mesh->brick_count = 2;
    memcpy(mesh->bricks + 8, mesh->bricks + 16, 8 * sizeof(int32_t));
  }
  assert_int_equal(lb_mesh_element_count(mesh), 2 * per_cell);
  return mesh;
}

static void parts_that_do_not_touch_do_not_feel_each_other(void **state) {
  (void)state;
  for_each_element(kind) {
    lbMesh *mesh = two_boxes(kind);
    lbMaterial material = test_material(LB_MATERIAL_STVK);
    bool *fixed = side(mesh, 0, 0), *both = side(mesh, 0, 0);
    mark_side(mesh, 0, 3, both);
    lbFem *held = fem_of_mesh(mesh, &material, both, LB_MASS_CONSISTENT);
    lbFem *loose = fem_of_mesh(mesh, &material, fixed, LB_MASS_CONSISTENT);
    double *load = zeros(held), *u = zeros(held);
    for (int32_t v = 0; v < mesh->vertex_count; v++)
      if (mesh->positions[3 * (size_t)v] == 1) load[3 * (size_t)v + 1] = 50;
    lbStaticDef def = lb_static_def();
    lbStaticResult result;
    lbError err;
    check_ok(lb_fem_static(held, load, &def, u, &result, &err), err);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
      double x = mesh->positions[3 * (size_t)v];
      assert_true((u[3 * (size_t)v + 1] != 0) == (x == 1));
    }
    check_fails(lb_fem_static(loose, load, &def, u, &result, &err), LB_ERR_ARGUMENT, err,
                "the part with vertex");
    free(fixed), free(both), free(load), free(u);
    lb_fem_destroy(held);
    lb_fem_destroy(loose);
    lb_mesh_destroy(mesh);
  }
}

static void what_makes_no_sense_is_refused_by_name(void **state) {
  (void)state;
  Mixed m;
  make_mixed(&m);
  lbMaterial material = test_material(LB_MATERIAL_STVK), bad = material;
  lbFem *fem = NULL;
  lbError err;
  bool fixed[13];
  for (int v = 0; v < 13; v++) fixed[v] = true;
  check_fails(create(&m.mesh, &material, 1, NULL, fixed, &fem, &err), LB_ERR_ARGUMENT, err,
              "thing: all vertices are fixed");
  check_fails(create(&m.mesh, NULL, 0, NULL, NULL, &fem, &err), LB_ERR_ARGUMENT, err,
              "no material");
  const int32_t wrong[7] = { 0, 0, 0, 1, 0, 0, 0 }, negative[7] = { 0, 0, 0, 0, 0, -1, 0 };
  check_fails(create(&m.mesh, &material, 1, wrong, NULL, &fem, &err), LB_ERR_ARGUMENT, err,
              "element 3 has no material");
  check_fails(create(&m.mesh, &material, 1, negative, NULL, &fem, &err), LB_ERR_ARGUMENT, err,
              "element 5 has no material");
  bad.poisson = 0.5;
  check_fails(create(&m.mesh, &bad, 1, NULL, NULL, &fem, &err), LB_ERR_ARGUMENT, err, "poisson");
  bad = material, bad.young = NAN;
  check_fails(create(&m.mesh, &bad, 1, NULL, NULL, &fem, &err), LB_ERR_ARGUMENT, err, "young");
  bad = material, bad.density = 0;
  check_fails(create(&m.mesh, &bad, 1, NULL, NULL, &fem, &err), LB_ERR_ARGUMENT, err, "density");
  lbMesh empty = m.mesh;
  empty.tet_count = empty.brick_count = 0;
  check_fails(create(&empty, &material, 1, NULL, NULL, &fem, &err), LB_ERR_MESH, err,
              "no tets or bricks");
  assert_null(fem);
}

static void flat_and_inverted_elements_are_refused_by_number(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = NULL;
  lbError err;
  Mixed m;
  make_mixed(&m);
  int32_t first = m.tets[8]; // tet 2 the other way round
  m.tets[8] = m.tets[9], m.tets[9] = first;
  check_fails(create(&m.mesh, &material, 1, NULL, NULL, &fem, &err), LB_ERR_MESH, err,
              "element 2 (tet");
  make_mixed(&m);
  m.tets[8] = m.tets[9]; // no volume at all
  check_fails(create(&m.mesh, &material, 1, NULL, NULL, &fem, &err), LB_ERR_MESH, err,
              "element 2 (tet");
  make_mixed(&m);
  m.positions[2] = 3; // a corner of the brick pushed through its top
  check_fails(create(&m.mesh, &material, 1, NULL, NULL, &fem, &err), LB_ERR_MESH, err,
              "element 6 (brick");
  m.positions[2] = NAN;
  check_fails(create(&m.mesh, &material, 1, NULL, NULL, &fem, &err), LB_ERR_MESH, err, "element 6");
  assert_null(fem);
  lb_fem_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(mixed_meshes_of_many_materials_behave_as_one_body),
    cmocka_unit_test(fixed_and_unused_vertices_stay_where_they_are),
    cmocka_unit_test(parts_that_do_not_touch_do_not_feel_each_other),
    cmocka_unit_test(what_makes_no_sense_is_refused_by_name),
    cmocka_unit_test(flat_and_inverted_elements_are_refused_by_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
