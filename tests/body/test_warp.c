// Bodies of warped stiffness: rest shapes of others' computations, momenta, and all that bodies do.
#include "../scene/scene_text.h"

#include "body/body.h"
#include "full/full.h"

#include <string.h>

#define BEAM "'mesh':{'generate':'bar','size':[1,0.2,0.2],'cells':[5,1,1],'element':'tet4'}"
#define HELD ",'fixed':{'box':[[-9,-9,-9],[1e-9,9,9]]}"
#define SCENE(mesh, more)                                                                          \
  "{'limber':1,'bodies':[{'name':'bar','method':'warp'," mesh                                      \
  ",'material':{'young':1e5,'poisson':0.3,'density':1000}" more "}]}"
#define REFS "tests/data/refs/static_bar_tet/"

static lbModel *model_of(const char *text) {
  lbScene *scene = scene_of(text);
  lbModel *model = NULL;
  lbError err;
  check_ok(lb_scene_model(&scene->bodies[0], &model, &err), err);
  lb_scene_destroy(scene);
  return model;
}

static lbBody *body_at(const lbModel *model, const lbBodyDef *def, lbSimdLevel level) {
  lbBody *body = NULL;
  lbError err;
  check_ok(lb_body_create_at(model, def, level, &body, &err), err);
  return body;
}

static lbBody *body_of(const lbModel *model, const lbBodyDef *def) {
  return body_at(model, def, lb_simd_best());
}

static lbBodyDef euler(void) {
  lbBodyDef def = lb_body_def();
  def.integrator = LB_INTEGRATOR_EULER;
  return def;
}

static void body_ok(const lbBody *body, lbStatus status) {
  if (status) fail_msg("%s", lb_body_message(body));
}

static void steps(lbBody *body, int count, double h) {
  for (int i = 0; i < count; i++) assert_int_equal(lb_body_step(body, h), 0);
}

static lbVec3 where(const lbBody *body, int32_t node) {
  lbVec3 at;
  body_ok(body, lb_body_point(body, lb_point_node(node), &at, NULL));
  return at;
}

static double distance(lbVec3 a, lbVec3 b) { return lb_length(lb_sub(a, b)); }

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
  steps(body, CHECK_SANITIZED ? 40 : 60, h);
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
  printf("  %s: %.1e of the greatest displacement\n", name, worst / most);
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
  double linear = 0, angular = 0;
  for (int i = 0; i < count; i++) {
    assert_int_equal(lb_body_step(body, 0.004), 0);
    if (i % 50) continue;
    lbBodyReport now = lb_body_report(body);
    lbVec3 P = start.linear_momentum, L = start.angular_momentum;
    linear = fmax(linear, distance(now.linear_momentum, P) / lb_length(P));
    angular = fmax(angular, distance(now.angular_momentum, L) / lb_length(L));
    assert_true(isfinite(now.elastic) && now.elastic < 10 * (start.kinetic + start.elastic));
  }
  printf("  %s, %s: momentum %.1e, angular %.1e\n", form,
         integrator == LB_INTEGRATOR_EULER ? "euler" : "newmark", linear, angular);
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

// A frame that jumps carries its body; nothing is felt.
static void a_frame_that_is_set_carries_the_body_along(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE(BEAM, HELD));
  lbBodyDef def = euler();
  def.frame = LB_FRAME_DRIVEN;
  lbBody *body = body_of(model, &def);
  lbFrame frame = {
    lb_vec3(5, 6, 7), lb_quat(0, 0, sqrt(0.5), sqrt(0.5)), { 0, 0, 0 }, { 0, 0, 0 }
  };
  steps(body, 3, 0.01);
  body_ok(body, lb_body_set_frame(body, &frame));
  steps(body, 3, 0.01);
  for (int32_t n = 0; n < model->size.node_count; n++) {
    lbVec3 rest = lb_quat_rotate(frame.rotation, lb_vec3_load(model->node_positions + 3 * n));
    check_small(distance(where(body, n), lb_add(frame.position, rest)), 1e-9);
  }
  lb_body_destroy(body), lb_model_destroy(model);
}

// ---- rough treatment ---------------------------------------------------------------------------

static void inverted_and_flat_elements_recover(void **state) {
  (void)state;
  static const char *const forms[] = { "'rotation':'element'", "'rotation':'fit'" };
  for (int f = 0; f < 2; f++)
    for (int flat = 0; flat < 2; flat++) {
      char text[500];
      snprintf(text, sizeof text, SCENE(BEAM, ",'warp':{%s},'damping':{'mass':3}" HELD), forms[f]);
      lbModel *model = model_of(text);
      lbBodyDef def = euler();
      lbBody *body = body_of(model, &def);
      int32_t nodes = model->size.node_count;
      double *u = lb_alloc((size_t)nodes, 24);
      for (int32_t n = 0; n < nodes; n++) { // turned inside out along x, or flattened
        double x = model->node_positions[3 * n];
        u[3 * n] = x > 0 ? (flat ? -x : -1.7 * x) : 0;
      }
      body_ok(body, lb_body_set_displacements(body, u, NULL));
      steps(body, 800, 0.02);
      lb_body_node_displacements(body, u);
      double worst = 0;
      for (int32_t i = 0; i < 3 * nodes; i++) worst = fmax(worst, fabs(u[i]));
      printf("  %s, %s: %.1e m from rest\n", forms[f], flat ? "flat" : "inside out", worst);
      if (f == 0) check_small(worst, 1e-4);
      assert_true(isfinite(worst));
      lb_free(u);
      lb_body_destroy(body), lb_model_destroy(model);
    }
}

static int32_t hold(lbBody *body, int32_t node, lbVec3 target) {
  lbConstraintDef def = lb_constraint_def();
  lbPoint point = lb_point_node(node);
  double at[3];
  int32_t id = -1;
  lb_vec3_store(at, target);
  def.kind = LB_CONSTRAIN_POSITION, def.point_count = 1, def.points = &point, def.targets = at;
  body_ok(body, lb_body_add_constraint(body, &def, &id));
  return id;
}

static void held_points_are_where_they_are_told(void **state) {
  (void)state;
  static const char *const ends[] = { HELD, "" };
  for (int e = 0; e < 2; e++) {
    char text[500];
    snprintf(text, sizeof text, SCENE(BEAM, ",'warp':{'iterations':200},'damping':{'mass':2}%s"),
             ends[e]);
    lbModel *model = model_of(text);
    lbBodyDef def = euler();
    def.gravity = lb_vec3(0, 0, -9.81);
    lbBody *body = body_of(model, &def);
    lbVec3 target = lb_add(where(body, 5), lb_vec3(-0.1, 0.1, 0.2));
    hold(body, 5, target);
    steps(body, 600, 0.01);
    check_small(distance(where(body, 5), target), 1e-6);
    lbBodyReport report = lb_body_report(body);
    if (e == 1) { // hangs from it, at rest
      double force[3];
      body_ok(body, lb_body_constraint_force(body, 0, force));
      check_near(force[2], report.mass * 9.81, 1e-3 * report.mass * 9.81);
      check_small(report.centre.x - target.x, 0.02);
    }
    lb_body_destroy(body), lb_model_destroy(model);
  }
}

static void absurd_drags_and_steps_leave_a_body_that_comes_back(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE(BEAM, ",'damping':{'mass':3}" HELD));
  lbBodyDef def = euler();
  lbBody *body = body_of(model, &def);
  int32_t id = hold(body, 5, lb_vec3(1e6, -1e6, 1e6));
  for (int i = 0; i < 20; i++) lb_body_step(body, 0.02);
  assert_true(isfinite(lb_length(where(body, 5))));
  body_ok(body, lb_body_remove_constraint(body, id));
  assert_int_equal(lb_body_step(body, 0), LB_STEP_REFUSED);
  assert_int_equal(lb_body_step(body, NAN), LB_STEP_REFUSED);
  steps(body, 100, 60);
  steps(body, 1000, 0.05);
  double from_rest = distance(where(body, 5), lb_vec3_load(model->node_positions + 15));
  printf("  %.1e m from rest\n", from_rest);
  check_small(from_rest, 1e-3);
  lb_body_destroy(body), lb_model_destroy(model);
}

// ---- the same bits -----------------------------------------------------------------------------

static void run_backwards(int32_t count, lbTask *task, void *context, void *runner_context) {
  (void)runner_context;
  for (int32_t i = count - 1; i >= 0; i--) task(i, context);
}

static uint64_t state_hash(lbBody *body) {
  size_t bytes = lb_body_state_bytes(body);
  void *saved = calloc(1, bytes);
  body_ok(body, lb_body_save_state(body, saved, bytes));
  uint64_t hash = check_hash(0, saved, bytes);
  free(saved);
  return hash;
}

static void tasks_in_any_order_give_the_same_bits(void **state) {
  (void)state;
  static const char *const forms[] = { "'rotation':'element'", "'rotation':'edges'" };
  for (int f = 0; f < 2; f++) {
    char text[500];
    snprintf(
        text, sizeof text,
        "{'limber':1,'bodies':[{'name':'bar','method':'warp','mesh':{'generate':'bar','size':"
        "[1,0.5,0.5],'cells':[24,12,12],'element':'tet4'},'material':{'young':1e5},'warp':{%s}" HELD
        "}]}",
        forms[f]);
    lbModel *model = model_of(text);
    lbBodyDef def = euler();
    def.gravity = lb_vec3(0, 3, -9.81);
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
      lbBody *body = body_of(model, &def);
      if (k) lb_set_task_runner(run_backwards, NULL);
      steps(body, 3, 0.01);
      lb_set_task_runner(NULL, NULL);
      hashes[k] = state_hash(body);
      lb_body_destroy(body);
    }
    assert_true(hashes[0] == hashes[1]);
    lb_model_destroy(model);
  }
}

static void every_level_moves_alike(void **state) {
  (void)state;
  static const char *const forms[] = { "'rotation':'element'", "'rotation':'fit'",
                                       "'rotation':'edges'", "'strain':'green'",
                                       "'stretch_limit':1.01" };
  for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
    char text[500];
    snprintf(text, sizeof text, SCENE(BEAM, ",'warp':{%s,'iterations':100}" HELD), forms[f]);
    lbModel *model = model_of(text);
    lbBodyDef def = euler();
    def.gravity = lb_vec3(0, 3, -9.81);
    lbBody *bodies[LB_SIMD_LEVEL_COUNT] = { NULL };
    uint64_t plain = 0;
    for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
      if (!lb_simd_has((lbSimdLevel)level)) continue;
      bodies[level] = body_at(model, &def, (lbSimdLevel)level);
      steps(bodies[level], 60, 0.01);
      for (int32_t n = 0; n < model->size.node_count; n++)
        check_small(distance(where(bodies[level], n), where(bodies[0], n)), 1e-6);
      if (level == LB_SIMD_PORTABLE) plain = state_hash(bodies[level]);
      if (level == LB_SIMD_BASE) assert_true(state_hash(bodies[level]) == plain);
    }
    for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) lb_body_destroy(bodies[level]);
    lb_model_destroy(model);
  }
}

static void a_restored_body_and_one_of_a_batch_go_on_to_the_bit(void **state) {
  (void)state;
  for (int loose = 0; loose < 2; loose++) {
    lbModel *model = model_of(loose ? SCENE(BEAM, "") : SCENE(BEAM, HELD));
    lbBatchDef batch_def = lb_batch_def();
    lbBatch *batch = NULL;
    lbError err;
    batch_def.count = 3;
    batch_def.body.gravity = lb_vec3(0, 1, -9.81);
    check_ok(lb_batch_create(model, &batch_def, &batch, &err), err);
    lbBody *body = body_of(model, &batch_def.body);
    size_t bytes = lb_body_state_bytes(body);
    void *saved = malloc(bytes);
    for (int i = 0; i < 30; i++) {
      if (i == 10) body_ok(body, lb_body_save_state(body, saved, bytes));
      assert_int_equal(lb_body_step(body, 0.01), 0);
      assert_int_equal(lb_batch_step(batch, 0.01), 0);
    }
    uint64_t end = state_hash(body);
    assert_true(state_hash(lb_batch_body(batch, 2)) == end);
    body_ok(body, lb_body_restore_state(body, saved, bytes));
    steps(body, 20, 0.01);
    assert_true(state_hash(body) == end);
    lb_body_destroy(body);
    lb_batch_destroy(batch);
    free(saved);
    lb_model_destroy(model);
  }
}

static void a_step_takes_no_memory(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE(BEAM, HELD));
  lbBodyDef def = euler();
  def.gravity = lb_vec3(0, 0, -9.81);
  lbBody *body = body_of(model, &def);
  hold(body, 5, lb_vec3(0.9, 0.3, 0.2));
  steps(body, 2, 0.01);
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator counting = checked_allocator(&heap);
  lb_set_allocator(&counting);
  steps(body, 5, 0.01);
  lb_set_allocator(NULL);
  assert_int_equal(heap.count, 0);
  lb_body_destroy(body), lb_model_destroy(model);
}

// ---- materials and options ---------------------------------------------------------------------

static double sag_of(lbBody *body, const lbModel *model) {
  steps(body, 30, 10);
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
  steps(body, 60, 10);
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

static void failed_allocations_leave_nothing_behind(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE(BEAM, HELD));
  lbBodyDef def = euler();
  bool made = false;
  for (int64_t n = 0; !made && n < 200; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator failing = checked_allocator(&heap);
    lbBody *body = NULL;
    lbError err;
    lb_set_allocator(&failing);
    lbStatus status = lb_body_create(model, &def, &body, &err);
    made = status == LB_OK;
    if (!made) assert_int_equal(status, LB_ERR_MEMORY);
    lb_body_destroy(body);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
  }
  assert_true(made);
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
    cmocka_unit_test(a_frame_that_is_set_carries_the_body_along),
    cmocka_unit_test(inverted_and_flat_elements_recover),
    cmocka_unit_test(held_points_are_where_they_are_told),
    cmocka_unit_test(absurd_drags_and_steps_leave_a_body_that_comes_back),
    cmocka_unit_test(tasks_in_any_order_give_the_same_bits),
    cmocka_unit_test(every_level_moves_alike),
    cmocka_unit_test(a_restored_body_and_one_of_a_batch_go_on_to_the_bit),
    cmocka_unit_test(a_step_takes_no_memory),
    cmocka_unit_test(another_material_bends_as_a_body_made_of_it),
    cmocka_unit_test(springs_stretch_about_as_their_modulus_says_and_limits_stiffen),
    cmocka_unit_test(settings_that_mean_nothing_are_refused),
    cmocka_unit_test(failed_allocations_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
