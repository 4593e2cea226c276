// Bodies of warped stiffness: rest shapes of others' computations, momenta, motion, options.
#include "warp_bodies.h"

#include "full/full.h"

#define REFS "tests/data/refs/static_bar_tet/"

// ---- at rest -----------------------------------------------------------------------------------

static void load_csv(const char *path, int32_t count, double *u) {
  FILE *file = fopen(path, "r");
  char line[400];
  assert_non_null(file);
  int32_t row = 0;
  while (row < count && fgets(line, sizeof line, file)) {
    double v[4];
    int found = sscanf(line, "%lf,%lf,%lf,%lf", v, v + 1, v + 2, v + 3);
    if (found < 3) continue; // the heading
    memcpy(u + 3 * row++, v + (found == 4), 3 * sizeof *u);
  }
  fclose(file);
  assert_int_equal(row, count);
}

static void check_rest(const char *name, const char *csv, lbWarpStrain strain, double h) {
  lbScene *scene = NULL;
  lbModel *model = NULL;
  lbError err;
  char path[200];
  snprintf(path, sizeof path, REFS "%s.json", name);
  check_ok(lb_scene_load(path, NULL, &scene, &err), err);
  scene->bodies[0].method = LB_METHOD_WARP;
  scene->bodies[0].warp.iterations = 2000;
  scene->bodies[0].warp.strain = strain;
  check_ok(lb_scene_model(&scene->bodies[0], &model, &err), err);
  lbBodyDef def = euler();
  def.gravity = lb_vec3_load(scene->gravity);
  lbBody *body = body_of(model, &def);
  int adapted = adapted_steps(body, CHECK_SANITIZED ? 40 : 60, h);
  int32_t nodes = model->size.node_count;
  double *u = lb_alloc((size_t)nodes, 3 * sizeof *u), *expected = lb_alloc((size_t)nodes, 24);
  double worst = 0, most = 0;
  lb_body_node_displacements(body, u);
  snprintf(path, sizeof path, REFS "%s", csv);
  load_csv(path, nodes, expected);
  for (int32_t i = 0; i < 3 * nodes; i++) {
    worst = fmax(worst, fabs(u[i] - expected[i]));
    most = fmax(most, fabs(expected[i]));
  }
  printf("  %s: %.1e of the greatest displacement, %d steps adapted\n", name, worst / most,
         adapted);
  check_small(worst / most, 1e-7);
  lb_free(u), lb_free(expected);
  lb_body_destroy(body);
  lb_model_destroy(model);
  lb_scene_destroy(scene);
}

static void bodies_rest_in_gravity_where_other_codes_say(void **state) {
  (void)state;
  check_rest("corotational_gravity", "corotational_gravity.u.csv", LB_WARP_WARPED, 10);
  check_rest("stvk_gravity", "stvk_gravity.u.csv", LB_WARP_GREEN, 0.3);
}

// Bricks and tets, warped and linear, against the unreduced simulator's statics of small loads.
static void a_small_load_moves_all_forms_alike(void **state) {
  (void)state;
  static const char *const forms[] = { "'strain':'linear'", "'rotation':'element'",
                                       "'rotation':'fit'", "'rotation':'edges'",
                                       "'strain':'green'" };
  static const char *const meshes[] = { "tet4", "brick8" };
  for (int m = 0; m < 2; m++) {
    lbVec3 tips[5];
    for (int f = 0; f < 5; f++) {
      char text[600];
      snprintf(text, sizeof text,
               "{'limber':1,'bodies':[{'name':'bar','method':'warp','mesh':{'generate':'bar',"
               "'size':[1,0.2,0.2],'cells':[5,1,1],'element':'%s'},'material':{'young':1e5,"
               "'poisson':0.3},'warp':{%s,'iterations':1000}" HELD "}]}",
               meshes[m], forms[f]);
      lbModel *model = model_of(text);
      lbBodyDef def = euler();
      def.gravity = lb_vec3(0, 1e-7, -2e-7);
      lbBody *body = body_of(model, &def);
      steps(body, 4, 1e3);
      tips[f] = lb_sub(where(body, 5), lb_vec3_load(model->node_positions + 15));
      check_small(lb_length(lb_sub(tips[f], tips[0])) / lb_length(tips[0]), 1e-5);
      lb_body_destroy(body), lb_model_destroy(model);
    }
    assert_true(lb_length(tips[0]) > 1e-9);
  }
}

// ---- momenta -----------------------------------------------------------------------------------

static void check_momenta(const char *form, lbIntegrator integrator) {
  char text[500];
  snprintf(text, sizeof text, SCENE(BEAM, ",'warp':{%s}"), form);
  lbModel *model = model_of(text);
  lbBodyDef def = lb_body_def();
  def.integrator = integrator;
  def.position = lb_vec3(0.3, -2, 5);
  def.rotation = lb_quat_normalise(lb_quat(0.3, -0.2, 0.5, 0.7));
  lbBody *body = body_of(model, &def);
  body_ok(body, lb_body_set_velocity(body, lb_vec3(0.2, -0.3, 0.1), lb_vec3(2, 1, -3)));
  body_ok(body, lb_body_apply_impulse(body, lb_point_node(5), lb_vec3(0, 3, 2)));
  lbBodyReport start = lb_body_report(body);
  int count = CHECK_SANITIZED ? 200 : 10000;
  int adapted = 0;
  double linear = 0, angular = 0;
  for (int i = 0; i < count; i++) {
    adapted += adapted_steps(body, 1, 0.004);
    if (i % 50) continue;
    lbBodyReport now = lb_body_report(body);
    lbVec3 P = start.linear_momentum, L = start.angular_momentum;
    linear = fmax(linear, distance(now.linear_momentum, P) / lb_length(P));
    angular = fmax(angular, distance(now.angular_momentum, L) / lb_length(L));
    assert_true(isfinite(now.elastic) && now.elastic < 10 * (start.kinetic + start.elastic));
  }
  printf("  %s, %s: momentum %.1e, angular %.1e, %d steps adapted\n", form,
         integrator == LB_INTEGRATOR_EULER ? "euler" : "newmark", linear, angular, adapted);
  assert_true(adapted < count / 10);
  check_small(linear, 1e-11);
  check_small(angular, 1e-11);
  lb_body_destroy(body), lb_model_destroy(model);
}

static void a_free_body_keeps_its_momenta_in_every_form(void **state) {
  (void)state;
  check_momenta("'rotation':'element'", LB_INTEGRATOR_EULER);
  check_momenta("'rotation':'element'", LB_INTEGRATOR_NEWMARK);
  check_momenta("'rotation':'fit'", LB_INTEGRATOR_EULER);
  check_momenta("'rotation':'edges'", LB_INTEGRATOR_EULER);
  check_momenta("'stiffness':'springs'", LB_INTEGRATOR_EULER);
}

// Free fall: the centre of mass is a stone's.
static void a_free_body_falls_as_a_stone(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE(BEAM, ",'warp':{'rotation':'fit'}"));
  lbBodyDef def = euler();
  def.gravity = lb_vec3(0, 0, -10);
  lbBody *body = body_of(model, &def);
  lbVec3 start = lb_body_report(body).centre;
  steps(body, 100, 0.01);
  lbBodyReport report = lb_body_report(body);
  check_near(report.centre.z - start.z, -10 * 0.01 * 0.01 * 100 * 101 / 2, 1e-9);
  check_near(report.linear_momentum.z / report.mass, -10, 1e-10);
  check_near(lb_body_frame(body).linear_velocity.z, -10, 1e-9);
  lb_body_destroy(body), lb_model_destroy(model);
}

// ---- symmetries --------------------------------------------------------------------------------

static void check_turned(const char *form) {
  char text[500];
  snprintf(text, sizeof text, SCENE(BEAM, ",'warp':{%s}" HELD), form);
  lbModel *model = model_of(text);
  lbBodyDef def = euler(), turned = euler();
  lbQuat quarter = lb_quat(sqrt(0.5), 0, 0, sqrt(0.5));
  def.gravity = lb_vec3(1, 2, -9);
  turned.gravity = lb_quat_rotate(quarter, def.gravity);
  turned.rotation = quarter;
  lbBody *one = body_of(model, &def), *other = body_of(model, &turned);
  for (int i = 0; i < 200; i++) {
    lb_body_step(one, 0.01), lb_body_step(other, 0.01);
    for (int32_t n = 0; n < model->size.node_count; n++)
      check_small(distance(lb_quat_rotate(quarter, where(one, n)), where(other, n)), 1e-9);
  }
  assert_true(distance(where(one, 5), lb_vec3_load(model->node_positions + 15)) > 0.1);
  lb_body_destroy(one), lb_body_destroy(other), lb_model_destroy(model);
}

static void turning_the_whole_scene_turns_the_result(void **state) {
  (void)state;
  check_turned("'rotation':'element'");
  check_turned("'rotation':'fit'");
}

// ---- beside the unreduced simulator ------------------------------------------------------------

static void set_corotated(lbModel *model) {
  for (int32_t i = 0; i < model->size.material_count; i++)
    ((int32_t *)model->material_laws)[i] = LB_MATERIAL_COROTATED;
}

// With short steps a warped body moves as a corotated one does, whose mass is lumped.
static void check_beside_full(bool driven, lbIntegrator integrator, double tolerance) {
  static const int32_t lumped = 1;
  lbModel *model = model_of(SCENE(BEAM, ",'warp':{'iterations':200}" HELD)), *other = NULL;
  lbModel draft = *model;
  lbError err;
  draft.full_mass = &lumped;
  check_ok(lb_model_create(&draft, &other, &err), err);
  set_corotated(other);
  lb_full_register();
  lbBodyDef def = lb_body_def();
  def.integrator = integrator;
  def.gravity = lb_vec3(0, 0, -9.81);
  def.newton_iterations = 20;
  if (driven) def.frame = LB_FRAME_DRIVEN;
  def.method = LB_METHOD_WARP;
  lbBody *warped = body_of(other, &def);
  def.method = LB_METHOD_FULL;
  lbBody *full = body_of(other, &def);
  double apart = 0, bent = 0, h = 0.001;
  for (int i = 1; i <= 150; i++) {
    double t = h * i;
    lbFrame frame = { lb_vec3(0.05 * sin(6 * t), 0, 0.3 * t),
                      lb_quat_exp(lb_vec3(0, 0.5 * t, t)),
                      { 0, 0, 0 },
                      { 0, 0, 0 } };
    if (driven) {
      body_ok(warped, lb_body_drive_to(warped, frame.position, frame.rotation));
      body_ok(full, lb_body_drive_to(full, frame.position, frame.rotation));
    }
    assert_int_equal(lb_body_step(warped, h), 0);
    assert_int_equal(lb_body_step(full, h), 0);
    apart = fmax(apart, distance(where(warped, 5), where(full, 5)));
    lbVec3 rest = lb_vec3_load(model->node_positions + 15);
    if (driven) rest = lb_add(frame.position, lb_quat_rotate(frame.rotation, rest));
    bent = fmax(bent, distance(where(full, 5), rest));
  }
  printf("  %s: %.1e apart, bent by %.2g m\n", driven ? "driven" : "held", apart, bent);
  check_small(apart / bent, tolerance);
  assert_true(bent > 0.05);
  lb_body_destroy(warped), lb_body_destroy(full);
  lb_model_destroy(model), lb_model_destroy(other);
}

static void a_body_moves_as_the_unreduced_one_does(void **state) {
  (void)state;
  check_beside_full(false, LB_INTEGRATOR_EULER, 3e-3);
  check_beside_full(false, LB_INTEGRATOR_NEWMARK, 3e-3);
  check_beside_full(true, LB_INTEGRATOR_EULER, 3e-3);
  check_beside_full(true, LB_INTEGRATOR_NEWMARK, 3e-3);
}

// The preconditioner's rigid parts: a slender bar bends in the usual number of iterations as in
// many, though that is fewer than it has rings of elements.
static void a_slender_bar_needs_few_iterations(void **state) {
  (void)state;
  lbVec3 tips[2];
  for (int k = 0; k < 2; k++) {
    char text[500];
    snprintf(text, sizeof text,
             "{'limber':1,'bodies':[{'name':'bar','method':'warp','mesh':{'generate':'bar','size':"
             "[2,0.1,0.1],'cells':[40,2,2],'element':'tet4'},'material':{'young':1e7},'warp':{"
             "'iterations':%d}" HELD "}]}",
             k ? 2000 : LB_WARP_ITERATIONS);
    lbModel *model = model_of(text);
    lbBodyDef def = euler();
    def.gravity = lb_vec3(0, 0, -9.81);
    lbBody *body = body_of(model, &def);
    steps(body, 30, 0.01);
    tips[k] = lb_sub(where(body, 40), lb_vec3_load(model->node_positions + 3 * 40));
    lb_body_destroy(body), lb_model_destroy(model);
  }
  double apart = distance(tips[0], tips[1]) / lb_length(tips[1]);
  printf("  %.1e apart, bent by %.2g m\n", apart, lb_length(tips[1]));
  check_small(apart, 0.05);
}

// ---- materials and options ---------------------------------------------------------------------

static double sag_of(lbBody *body, const lbModel *model) {
  adapted_steps(body, 30, 10);
  return model->node_positions[17] - where(body, 5).z;
}

static void another_material_bends_as_a_body_made_of_it(void **state) {
  (void)state;
  lbModel *soft = model_of(SCENE(BEAM, ",'warp':{'iterations':1000}" HELD));
  lbModel *hard = model_of("{'limber':1,'bodies':[{'name':'bar','method':'warp'," BEAM
                           ",'material':{'young':4e5,'poisson':0.1,'density':1500},"
                           "'warp':{'iterations':1000}" HELD "}]}");
  lbBodyDef def = euler();
  def.gravity = lb_vec3(0, 0, -9.81);
  lbBody *one = body_of(soft, &def), *other = body_of(hard, &def);
  double before = sag_of(one, soft);
  body_ok(one, lb_body_set_material(one, 0, 4e5, 0.1, 1500));
  double after = sag_of(one, soft), expected = sag_of(other, hard);
  printf("  sags by %.4f m, then by %.4f m\n", before, after);
  check_near(after, expected, 1e-9);
  assert_true(before > 1.5 * after);
  check_near(lb_body_report(one).mass, lb_body_report(other).mass, 1e-9);
  lb_body_destroy(one), lb_body_destroy(other);
  lb_model_destroy(soft), lb_model_destroy(hard);
}

// A bar that hangs lengthwise: by ρ g L² / 2 E without a limit, where the ends are clear of it.
static double stretch_of(const char *more) {
  char text[500];
  snprintf(text, sizeof text, SCENE(BEAM, ",'warp':{'iterations':1000%s}" HELD), more);
  lbModel *model = model_of(text);
  lbBodyDef def = euler();
  def.gravity = lb_vec3(9.81, 0, 0);
  lbBody *body = body_of(model, &def);
  assert_true(adapted_steps(body, 60, 10) < 10);
  double stretch = where(body, 5).x - 1;
  lb_body_destroy(body), lb_model_destroy(model);
  return stretch;
}

static void springs_stretch_about_as_their_modulus_says_and_limits_stiffen(void **state) {
  (void)state;
  double theory = 1000 * 9.81 / 2e5, fem = stretch_of(""),
         springs = stretch_of(",'stiffness':'springs'");
  double limited = stretch_of(",'stretch_limit':1.02");
  printf("  stretched by %.4f m (theory %.4f), springs %.4f, limited %.4f\n", fem, theory, springs,
         limited);
  check_near(fem, theory, 0.15 * theory);
  check_near(springs, theory, 0.35 * theory);
  assert_true(limited < 0.7 * fem && limited > 0.01);
}

static void settings_that_mean_nothing_are_refused(void **state) {
  (void)state;
  check_refused(SCENE(BEAM, ",'warp':{'rotations':'fit'}"), "rotation");
  check_refused(SCENE(BEAM, ",'warp':{'rotation':'polar'}"), "rotation");
  check_refused(SCENE(BEAM, ",'warp':{'iterations':0}"), "iterations");
  check_refused(SCENE(BEAM, ",'warp':{'stretch_limit':0.9}"), "stretch_limit");
  check_refused(SCENE(BEAM, ",'warp':{'stiffness':'springs','strain':'green'}"), "springs");
  lbModel *model = model_of(SCENE(BEAM, ",'warp':{'stretch_limit':null}" HELD));
  lbBody *body = NULL;
  lbError err;
  lbBodyDef def = lb_body_def();
  def.integrator = LB_INTEGRATOR_CENTRAL;
  check_fails(lb_body_create(model, &def, &body, &err), LB_ERR_ARGUMENT, err, "central");
  def = lb_body_def(), def.mode_count = 3;
  check_fails(lb_body_create(model, &def, &body, &err), LB_ERR_ARGUMENT, err, "mode_count");
  lb_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_rest_in_gravity_where_other_codes_say),
    cmocka_unit_test(a_small_load_moves_all_forms_alike),
    cmocka_unit_test(a_free_body_keeps_its_momenta_in_every_form),
    cmocka_unit_test(a_free_body_falls_as_a_stone),
    cmocka_unit_test(turning_the_whole_scene_turns_the_result),
    cmocka_unit_test(a_body_moves_as_the_unreduced_one_does),
    cmocka_unit_test(a_slender_bar_needs_few_iterations),
    cmocka_unit_test(another_material_bends_as_a_body_made_of_it),
    cmocka_unit_test(springs_stretch_about_as_their_modulus_says_and_limits_stiffen),
    cmocka_unit_test(settings_that_mean_nothing_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
