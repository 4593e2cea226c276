// The judge of the campaign (fuzz/campaign_check.c) sees every kind of failure: it is shown
// surfaces and reports of bodies that were made up.
#include "check.h"

#include "limber/build.h"

static void made_up_surface(const lbBody *body, double *xyz);
static lbBodyReport made_up_report(const lbBody *body);
#define lb_body_surface made_up_surface
#define lb_body_report made_up_report
#include "../../fuzz/campaign_check.c"
#undef lb_body_surface
#undef lb_body_report
#include "../../fuzz/campaign_scene.c"

// What is made up of each body of the scene that is judged.
typedef struct MadeUp {
  lbVec3 position; // of the model's origin
  lbQuat rotation;
  double speed, kinetic;
  bool finite;
} MadeUp;

static campaignScene scene;
static lbWorld *world;
static campaignJudge *judge;
static MadeUp made_up[MOST_BODIES];

static int index_of(const lbBody *body) {
  int i = 0;
  while (lb_world_body(world, scene.bodies[i].id) != body) i++;
  return i;
}

static void made_up_surface(const lbBody *body, double *xyz) {
  int i = index_of(body);
  const MadeUp *at = &made_up[i];
  const lbModel *model = scene.bodies[i].model;
  for (size_t v = 0; v < 3 * (size_t)model->size.vertex_count; v += 3) {
    lbVec3 rest = lb_vec3_load(model->vertex_positions + v);
    lb_vec3_store(xyz + v, lb_add(at->position, lb_quat_rotate(at->rotation, rest)));
  }
  if (!at->finite) xyz[7] = NAN;
}

static lbBodyReport made_up_report(const lbBody *body) {
  int i = index_of(body);
  lbBodyReport r = lb_body_report(body);
  lbVec3 rest =
      scene.bodies[i].method == METHOD_RIGID ? lb_vec3(0, 0, 0) : middles[scene.bodies[i].shape];
  r.centre = lb_add(made_up[i].position, lb_quat_rotate(made_up[i].rotation, rest));
  r.linear_momentum = lb_vec3(r.mass * made_up[i].speed, 0, 0);
  r.kinetic = made_up[i].kinetic, r.elastic = 0;
  return r;
}

static void begin(const char *kind, uint64_t seed) {
  lbError err;
  int number = 0;
  while (strcmp(campaign_kind(number), kind) != 0) number++;
  check_ok(campaign_make(number, seed, &scene, &err), err);
  check_ok(campaign_build(&scene, &world, &err), err);
  for (int32_t i = 0; i < scene.body_count; i++)
    made_up[i] = (MadeUp){ .position = scene.bodies[i].position,
                           .rotation = scene.bodies[i].rotation,
                           .finite = true };
  judge = campaign_judge(&scene, world);
  assert_non_null(judge);
}

static void end(void) {
  campaign_judge_destroy(judge);
  lb_world_destroy(world);
  campaign_release(&scene);
}

static campaignVerdict look(int32_t step) {
  campaignVerdict verdict = { 0 };
  campaign_judge_step(judge, world, step, &verdict);
  return verdict;
}

static void check_failure(const char *expected) {
  campaignVerdict verdict = look(0);
  if (!expected) assert_null(verdict.failure);
  if (expected) assert_non_null(verdict.failure);
  if (expected) assert_string_equal(verdict.failure, expected);
}

static void what_is_in_order_passes(void **state) {
  (void)state;
  for (int kind = 0; kind < campaign_kind_count(); kind++) {
    begin(campaign_kind(kind), 1);
    check_failure(NULL);
    end();
  }
}

static void numbers_that_are_not_finite_are_seen(void **state) {
  (void)state;
  begin("drop", 1);
  made_up[0].finite = false;
  check_failure("not finite");
  end();
}

static void great_speeds_are_seen(void **state) {
  (void)state;
  begin("drop", 1);
  made_up[0].speed = 499;
  check_failure(NULL);
  made_up[0].speed = 501;
  check_failure("too fast");
  made_up[0].speed = NAN;
  check_failure("too fast"); // no number is too fast, too
  end();
}

static void created_energy_is_seen(void **state) {
  (void)state;
  begin("drop", 1);
  double start = judge->start, scale = judge->scale;
  double weight = start - made_up[0].kinetic;
  made_up[0].kinetic = 0;
  lbBodyReport r = made_up_report(lb_world_body(world, scene.bodies[0].id));
  weight = -r.mass * lb_dot(scene.gravity, r.centre);
  made_up[0].kinetic = start - weight + 0.04 * scale;
  check_failure(NULL);
  made_up[0].kinetic = start - weight + 0.06 * scale;
  check_failure("gains energy");
  made_up[0].kinetic = NAN;
  check_failure("gains energy");
  end();
}

static void what_is_below_the_ground_is_seen(void **state) {
  (void)state;
  begin("drop", 1);
  made_up[0].position.z -= 5;
  check_failure("falls through the ground");
  end();
}

// Blocks of 0.2 m: 1 % of that is not deep, 4 % is; edges cross in both.
static void overlaps_are_counted(void **state) {
  (void)state;
  uint64_t seed = 0;
  for (;; seed++) {
    begin("stack", seed);
    if (scene.bodies[0].method != METHOD_RIGID && scene.bodies[1].method != METHOD_RIGID) break;
    end();
  }
  for (int32_t i = 0; i < scene.body_count; i++) {
    made_up[i].rotation = lb_quat_identity();
    made_up[i].position = lb_vec3(3 * i, 0, 0.005);
  }
  campaignVerdict apart = look(0);
  assert_int_equal(apart.pair_steps, 0);
  const double shares[] = { 0.01, 0.04 };
  for (int k = 0; k < 2; k++) {
    made_up[1].position = lb_vec3(0.2 - 0.2 * shares[k], 0.013, 0.01);
    made_up[0].position = lb_vec3(0, 0, 0.005);
    campaignVerdict v = look(0);
    print_message("%.3g deep where blocks overlap by %.3g\n", v.deepest, shares[k]);
    assert_int_equal(v.pair_steps, 1);
    assert_int_equal(v.deep_steps, k);
    check_near(v.deepest, shares[k], 1e-9);
    assert_int_equal(v.crossing_steps, 1);
  }
  for (int32_t i = 0; i < scene.body_count; i++) made_up[i].position = lb_vec3(3 * i, 0, -0.008);
  campaignVerdict ground = look(0);
  assert_int_equal(ground.deep_steps, scene.body_count);
  end();
}

static void check_flight(lbVec3 to, double tumble, const char *expected) {
  begin("fast", 1);
  lbVec3 middle = middles[scene.bodies[0].shape];
  if (scene.bodies[0].method == METHOD_RIGID) middle = lb_vec3(0, 0, 0);
  made_up[0].position = lb_sub(to, lb_quat_rotate(made_up[0].rotation, middle));
  if (tumble != 0) {
    lbQuat turn = lb_quat_from_axis_angle(lb_vec3(0, 1, 0), tumble);
    made_up[1].position = lb_quat_rotate(turn, made_up[1].position);
    made_up[1].rotation = lb_quat_multiply(turn, made_up[1].rotation);
  }
  check_failure(expected);
  end();
}

// A slab across x = 0; what is thrown begins at x = -0.35.
static void what_passes_through_a_slab_is_seen(void **state) {
  (void)state;
  check_flight(lb_vec3(-0.1, 0, 0), 0, NULL);
  check_flight(lb_vec3(0.3, 0, 0), 0, "passes through"); // in one step
  check_flight(lb_vec3(0.3, 0.5, 0), 0, NULL);           // beside it
  check_flight(lb_vec3(-0.6, 0, 0), 1, NULL);            // thrown back, the slab tumbles
  begin("fast", 1);                                      // slowly, in three steps
  lbVec3 middle =
      scene.bodies[0].method == METHOD_RIGID ? lb_vec3(0, 0, 0) : middles[scene.bodies[0].shape];
  const double places[] = { -0.04, 0.04, 0.12 };
  for (int i = 0; i < 3; i++) {
    lbVec3 to = lb_vec3(places[i], 0, 0);
    made_up[0].position = lb_sub(to, lb_quat_rotate(made_up[0].rotation, middle));
    check_failure(i == 2 ? "passes through" : NULL);
  }
  end();
}

// A ring around a rod along x, 0.6 m long.
static void a_ring_that_leaves_its_rod_is_seen(void **state) {
  (void)state;
  begin("ring", 1);
  lbVec3 start = made_up[0].position;
  assert_int_not_equal(judge->winding, 0);
  made_up[0].position = lb_add(start, lb_vec3(0, 0, -0.4));
  check_failure("passes through");
  made_up[0].position = lb_add(start, lb_vec3(0.5, 0, 0)); // over the end, then down
  check_failure(NULL);
  made_up[0].position = lb_add(start, lb_vec3(0.5, 0, -0.4));
  check_failure(NULL);
  end();
}

static int start_build(void **state) {
  (void)state;
  lbError err;
  return lb_build_start(1, &err) != LB_OK;
}

static int stop_build(void **state) {
  (void)state;
  campaign_release_models();
  lb_build_stop();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_in_order_passes),
    cmocka_unit_test(numbers_that_are_not_finite_are_seen),
    cmocka_unit_test(great_speeds_are_seen),
    cmocka_unit_test(created_energy_is_seen),
    cmocka_unit_test(what_is_below_the_ground_is_seen),
    cmocka_unit_test(overlaps_are_counted),
    cmocka_unit_test(what_passes_through_a_slab_is_seen),
    cmocka_unit_test(a_ring_that_leaves_its_rod_is_seen),
  };
  return cmocka_run_group_tests(tests, start_build, stop_build);
}
