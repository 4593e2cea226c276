// Bodies of frames where forces make no sense: springs far from the rest shape, shapes that are
// inside out, forces and spins beyond reason, frames that come and go at random.
#include "frame_bodies.h"

#define OBJECT(mesh, material, frames, more)                                                       \
  "{'limber':1,'bodies':[{'name':'b','method':'frames','mesh':{'generate':'" mesh                  \
  "','element':'brick8'},'material':" material ",'damping':{'mass':1},'frames':{" frames "}" more  \
  "}]}"
#define THREE "'positions':[[0.05,0.1,0.1],[0.5,0.1,0.1],[0.95,0.1,0.1]]"

enum { UNUSABLE = LB_STEP_NONFINITE | LB_STEP_REFUSED };

// A turtle that hangs by a leg and sags by its own size; a bar a thousand times lighter and stiffer
// at one end. By springs, in steps of 0.1 s, both used to stand still for ever: the first at half a
// turn of a frame, the other since its matrix was not positive.
static void springs_that_are_stretched_too_far_go_on(void **state) {
  (void)state;
  static const char *const forms[] = {
    OBJECT("turtle", "{'young':15759,'poisson':0.3,'density':537.16}",
           "'count':6,'samples':400,'forces':'springs'", ",'fixed':{'vertices':[0,1,2]}"),
    OBJECT("bar",
           "[{'young':22921,'poisson':0.3,'density':2658.2},"
           "{'box':[[0.5,-1,-1],[2,1,1]],'young':22646776,'poisson':0.3,'density':2.6582}]",
           "'count':4,'weights':'geodesic','samples':400,'forces':'springs'",
           ",'fixed':{'vertices':[0,1,2]}"),
  };
  for (int f = 0; f < 2; f++) {
    lbModel *model = model_of(forms[f]);
    lbBodyDef def = lb_body_def();
    def.gravity = lb_vec3(0, 0, -9.81);
    lbBody *body = body_of(model, &def);
    double most = 0, least = INFINITY, weight = 9.81 * model->rigid_mass[0];
    for (int i = 0; i < 100; i++) {
      assert_int_equal(lb_body_step(body, 0.1) & UNUSABLE, 0);
      double kinetic = lb_body_report(body).kinetic;
      most = fmax(most, kinetic), least = fmin(least, kinetic);
    }
    printf("  kinetic energy %.2g to %.2g J, weight %.3g N\n", least, most, weight);
    assert_true(least > 0);
    assert_true(most < 10 * weight);
    lb_body_destroy(body), lb_model_destroy(model);
  }
}

// The end of a bar is put behind its beginning, where its law has no energy, stays there, and is
// led back.
static void a_bar_that_was_inside_out_comes_back(void **state) {
  (void)state;
  lbModel *model = model_of(OBJECT("bar", "{'model':'neohookean','young':1e5,'poisson':0.3}",
                                   "'samples':320," THREE ",'fixed':[0,2]", ""));
  lbBodyDef def = lb_body_def();
  lbBody *body = body_of(model, &def);
  lbVec3 rest = lb_vec3_load(model->frame_poses + 14), moved = lb_vec3(-3, 0.1, 0.1);
  body_ok(body, lb_body_set_joint(body, 2, moved, lb_quat_identity()));
  for (int i = 0; i < 30; i++) assert_int_equal(lb_body_step(body, 1.0 / 60) & UNUSABLE, 0);
  body_ok(body, lb_body_set_joint(body, 2, rest, lb_quat_identity()));
  for (int i = 0; i < 600; i++) assert_int_equal(lb_body_step(body, 1.0 / 60) & UNUSABLE, 0);
  lbBodyReport report = lb_body_report(body);
  printf("  at the end elastic %.1e, kinetic %.1e J\n", report.elastic, report.kinetic);
  check_small(report.elastic, 1e-3);
  check_small(report.kinetic, 1e-3);
  lb_body_destroy(body), lb_model_destroy(model);
}

// 1.4e8 N beside the centre of a kilogram: it flies, and spins no faster than a step can tell.
static void an_absurd_blow_gives_the_speed_that_it_gives(void **state) {
  (void)state;
  lbModel *model =
      model_of(OBJECT("bar", "{'young':5.78e8,'poisson':0.45,'density':93.6}",
                      "'count':4,'weights':'euclidean','samples':1000,'bulk':2.478", ""));
  lbBodyDef def = lb_body_def();
  lbBody *body = body_of(model, &def);
  lbVec3 force = lb_vec3(-5.3e7, 9.4e7, -8.6e7);
  double h = 1.0 / 60, mass = model->rigid_mass[0], speed = 10 * h * lb_length(force) / mass;
  for (int i = 0; i < 80; i++) {
    if (i < 10) body_ok(body, lb_body_apply_force(body, lb_point_node(40), force));
    assert_int_equal(lb_body_step(body, h) & UNUSABLE, 0);
    assert_true(lb_body_report(body).kinetic < mass * speed * speed);
  }
  lb_body_destroy(body), lb_model_destroy(model);
}

// ---- frames that come and go -------------------------------------------------------------------

static double next(uint64_t *seed) { // from 0 to 1
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

// One of what hands do to a body; `saved` (bytes) is a state of some time before.
static void meddle(lbBody *body, uint64_t *seed, void *saved, size_t bytes) {
  lbVec3 at = lb_vec3(next(seed), 0.2 * next(seed), 0.2 * next(seed));
  int32_t frame, count = lb_body_frames_count(body), one = 3 + (int32_t)(next(seed) * (count - 3));
  switch ((int)(7 * next(seed))) {
  case 0:
  case 1: (void)lb_body_frames_insert(body, at, 0, &frame); break; // outside it is refused
  case 2: (void)lb_body_frames_remove(body, one); break;
  case 3: body_ok(body, lb_body_save_state(body, saved, bytes)); break;
  case 4: body_ok(body, lb_body_restore_state(body, saved, bytes)); break;
  case 5:
    body_ok(body, lb_body_frames_set_forces(body, next(seed) < 0.5 ? LB_FRAME_SAMPLES
                                                                   : LB_FRAME_SPRINGS));
    break;
  default:
    body_ok(body,
            lb_body_apply_force(body, lb_point_node(TIP),
                                lb_scale(200 * next(seed), lb_sub(at, lb_vec3(0.5, 0.1, 0.1)))));
  }
}

static void frames_that_come_and_go_at_random_leave_a_body_that_rests(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE(THREE, ",'damping':{'mass':2}" HELD));
  for (uint64_t seed = 1; seed <= (uint64_t)CHECK_CASES(12); seed++) {
    lbBodyDef def = lb_body_def();
    lbBody *body = body_of(model, &def);
    uint64_t random = seed;
    size_t bytes = lb_body_state_bytes(body);
    void *saved = malloc(bytes);
    int32_t most = 0;
    body_ok(body, lb_body_save_state(body, saved, bytes));
    for (int i = 0; i < 200; i++) {
      meddle(body, &random, saved, bytes);
      assert_int_equal(lb_body_step(body, i % 2 ? 1.0 / 60 : 1.0 / 30) & UNUSABLE, 0);
      most = lb_body_frames_count(body) > most ? lb_body_frames_count(body) : most;
    }
    for (int i = 0; i < 300; i++) assert_int_equal(lb_body_step(body, 0.05) & UNUSABLE, 0);
    lbBodyReport report = lb_body_report(body);
    printf("  up to %d frames; elastic %.1e, kinetic %.1e J\n", (int)most, report.elastic,
           report.kinetic);
    assert_true(most > 4);
    check_small(report.elastic, 1e-6);
    check_small(report.kinetic, 1e-6);
    free(saved);
    lb_body_destroy(body);
  }
  lb_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(springs_that_are_stretched_too_far_go_on),
    cmocka_unit_test(a_bar_that_was_inside_out_comes_back),
    cmocka_unit_test(an_absurd_blow_gives_the_speed_that_it_gives),
    cmocka_unit_test(frames_that_come_and_go_at_random_leave_a_body_that_rests),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
