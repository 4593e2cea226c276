// The stage: a world's bodies in motion, as `limber run` moves them, and what is seen of them.
#include "stage_fixture.h"

#include "renderer.h"
#include "stage_parts.h"

// ---- the same as limber run --------------------------------------------------------------------

// Every coordinate of every body in every step, all bits of it.
static void check_run(const char *json) {
  lbScene *scene = scene_of(json);
  lbRunDef def = lb_run_def();
  lbError err;
  lbRun *run;
  def.frame_rate = 1 / scene->time_step;
  check_ok(lb_run(scene, &def, &run, &err), err);
  vwSettings settings;
  vwStage *stage = stage_of(json, &settings);
  const vwActor *actor = stage->cast.roles[0].actor;
  size_t r = (size_t)actor->dimension;
  double q[64], rates[64], largest = 0;
  assert_int_equal(run->bodies[0].shape_count, r);
  for (int32_t frame = 0; frame < run->frame_count; frame++) {
    for (int32_t b = 0; b < actor->count; b++) {
      const double *expected = run->bodies[b].coordinates + r * (size_t)frame;
      actor->kind->state(actor, b, q, rates);
      if (memcmp(q, expected, r * sizeof *q)) fail_msg("frame %d, body %d", (int)frame, (int)b);
      for (size_t i = 0; i < r; i++) largest = fmax(largest, fabs(q[i]));
    }
    assert_int_equal(vw_stage_advance(stage, scene->time_step), 1);
  }
  assert_true(largest > 0);
  vw_stage_destroy(stage);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

static void untouched_it_does_what_limber_run_does(void **state) {
  (void)state;
  check_run(SUBSPACE_BAR);
  check_run(MODAL_BAR);
}

#define STEMS(count, extra)                                                                        \
  "{ \"limber\": 1, \"bodies\": [{ \"name\": \"stem\", \"mesh\": { \"generate\": \"bar\","         \
  "\"size\": [0.02, 0.02, 0.4], \"cells\": [1, 1, 6], \"element\": \"brick8\" },"                  \
  "\"material\": { \"model\": \"linear\", \"young\": 1e7 }, \"fixed\": { \"group\": \"bottom\" }," \
  "\"method\": \"modal\", \"reduce\": { \"modes\": 5 }, \"instances\": " count extra " }],"        \
  "\"loads\": [{ \"body\": \"stem.1\", \"vertex\": 27, \"force\": [0.3, 0, 0], \"to\": 0.1 }],"    \
  "\"time\": { \"step\": 0.01, \"count\": 10 } }"

static void instances_are_one_actor(void **state) {
  (void)state;
  vwSettings settings;
  check_run(STEMS("3", ", \"position\": [[0, 0, 0], [1, 0, 0], [2, 0, 0]],"
                       "\"velocity\": { \"linear\": [[0, 0, 0], [0, 0, 0], [0, 0.5, 0]] }"));
  vwStage *stage = stage_of(STEMS("100", ", \"position\": [0, 0, 0]"), &settings);
  assert_int_equal(vw_stage_actor_count(stage), 1);
  assert_int_equal(vw_stage_actor(stage, 0).body_count, 100);
  assert_true(settings.rate == 100); // the world's
  assert_true(settings.gravity_on == 0);
  vw_stage_destroy(stage);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(untouched_it_does_what_limber_run_does),
    cmocka_unit_test(instances_are_one_actor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
