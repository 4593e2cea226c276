// Unreduced bodies in bundles and files: what they are made of, and their recorded motion against
// the run that it was recorded from.
#include "../scene/scene_text.h"

#include "body/body.h"
#include "limber/build.h"

#include "limber/body.h"
#include "limber/cook.h"
#include "limber/run.h"

#define MESH "'mesh':{'generate':'bar','size':[1,0.1,0.1],'cells':[6,1,1],'element':'brick8'}"
#define SOFT "'material':{'young':1e5,'density':1000},'damping':{'mass':0.5,'stiffness':0.002}"
#define HELD "{'name':'held'," MESH "," SOFT ",'fixed':{'group':'left'},'rotation':[0,0,1,2]}"
#define SWING(time)                                                                                \
  "{'limber':1,'gravity':[0,0,-9.81],'bodies':[" HELD "],'loads':[{'vertex':6,'force':[0,2,0],"    \
  "'from':0,'to':0.1}],'probes':[{'vertex':6},{'vertex':3}],'time':{" time "}}"

static lbRun *run_of(const lbScene *scene) {
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  check_ok(lb_run(scene, &def, &run, &err), err);
  return run;
}

static lbScene *cook(const lbScene *scene, const char *name) {
  lbScene *cooked = NULL;
  lbError err;
  check_ok(lb_scene_cook(scene, output_path(name), NULL, &err), err);
  check_ok(lb_scene_load(output_path(name), NULL, &cooked, &err), err);
  return cooked;
}

// The recorded motion of every probe, against the largest displacement of any.
static void check_played(const char *text, double tolerance) {
  lbScene *scene = scene_of(text), *cooked = cook(scene, "recorded.glb");
  lbRun *run = run_of(scene), *played = run_of(cooked);
  size_t count = 3 * ((size_t)run->step_count + 1) * (size_t)scene->probe_count;
  double most = 0, error = 0;
  assert_int_equal(played->step_count, run->step_count);
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, fabs(run->probes[i]));
    error = fmax(error, fabs(run->probes[i] - played->probes[i]));
  }
  const lbModel *model = cooked->bodies[0].model;
  print_message("  %d frames, %d vectors, amplitude %.3g m\n", (int)model->size.recording_frames,
                (int)model->size.recording_dimension, most);
  assert_true(most > 0.01);
  assert_int_equal(cooked->bodies[0].method, LB_METHOD_RECORDED);
  assert_true(model->size.recording_dimension <= 64);
  assert_true(lb_model_recording_seconds(model) >= run->time * (1 - 1e-12));
  check_near(error / most, 0, tolerance);
  lb_run_destroy(run), lb_run_destroy(played);
  lb_scene_destroy(cooked);
  lb_scene_destroy(scene);
}

static void a_recording_plays_the_motion_of_its_scene(void **state) {
  (void)state;
  check_played(SWING("'step':0.01,'count':80"), 2e-3);
}

// 500 steps a second, 100 frames a second: between the frames there are polynomials.
static void fast_steps_are_recorded_at_120_frames_a_second_at_most(void **state) {
  (void)state;
  check_played(SWING("'step':0.002,'count':203"), 4e-3);
  lbScene *scene = scene_of(SWING("'step':0.002,'count':203")), *cooked = cook(scene, "fast.glb");
  check_near(cooked->bodies[0].model->recording_rate[0], 100, 1e-9);
  assert_int_equal(cooked->bodies[0].model->size.recording_frames, 42); // 205 steps
  lb_scene_destroy(cooked);
  lb_scene_destroy(scene);
}

// Nothing holds it: a reduced body could not, a recording may.
static void a_free_body_is_recorded(void **state) {
  (void)state;
  check_played("{'limber':1,'gravity':[0,0,-9.81],'bodies':[{" MESH "," SOFT
               ",'position':[1,2,3],'velocity':{'linear':[0,0,3],'angular':[0,5,1]}}],"
               "'probes':[{'vertex':0},{'vertex':6}],'time':{'step':0.01,'count':50}}",
               2e-3);
}

// Twins move differently: each has a recording of its own, beside the models that are shared.
static void every_unreduced_body_has_a_model_of_its_own(void **state) {
  (void)state;
  lbScene *scene = scene_of(
      "{'limber':1,'gravity':[0,0,-9.81],'bodies':[{'name':'a','instances':2," MESH "," SOFT
      ",'fixed':{'group':'left'},'rotation':[[0,0,0,1],[0,1,0,1]]},{'name':'b','instances':2,"
      "'method':'modal','reduce':{'modes':4}," MESH "," SOFT ",'fixed':{'group':'left'}}],"
      "'time':{'step':0.01,'count':10}}");
  lbScene *cooked = cook(scene, "twins.glb");
  assert_int_equal(cooked->bundle->model_count, 3);
  lbBundle *bundle = NULL;
  lbError err;
  check_ok(lb_scene_bundle(scene, &bundle, &err), err);
  assert_int_equal(bundle->model_count, 2);
  assert_int_equal(bundle->world->body_models[1], 0);
  assert_int_equal(bundle->world->body_models[3], 1);
  lb_bundle_destroy(bundle);
  lb_scene_destroy(cooked);
  lb_scene_destroy(scene);
}

static void a_bundle_in_memory_has_what_an_unreduced_body_is_made_of(void **state) {
  (void)state;
  lbScene *scene = scene_of("{'limber':1,'title':'t','bodies':[{" MESH "," SOFT
                            ",'mass':'lumped','fixed':{'group':'left'},'look':{'metal':1}}],"
                            "'probes':[{'vertex':6}]}");
  lbBundle *bundle = NULL;
  lbBody *body = NULL;
  lbError err;
  check_ok(lb_scene_bundle(scene, &bundle, &err), err);
  lb_scene_destroy(scene);
  const lbModel *model = bundle->models[0];
  assert_string_equal(bundle->world->title, "t");
  assert_int_equal(lb_world_method(bundle->world, 0), LB_METHOD_FULL);
  assert_int_equal(model->size.brick_count, 6);
  assert_int_equal(model->size.appearance_count, 1);
  check_near(model->full_damping[0], 0.5, 0);
  check_near(model->full_damping[1], 0.002, 0);
  assert_int_equal(model->full_mass[0], 1);
  check_near(model->material_values[0], 1e5, 0);
  assert_int_equal(model->node_fixed[0], 1);
  for (int m = 0; m < LB_METHOD_COUNT; m++) assert_false(lb_model_has(model, (lbMethod)m));
  lbBodyDef def = lb_body_def();
  def.method = LB_METHOD_FULL;
  check_ok(lb_build_start(1, &err), err);
  check_ok(lb_body_create(model, &def, &body, &err), err);
  assert_int_equal(lb_body_dimension(body), 3 * model->size.node_count);
  lb_body_destroy(body);
  lb_build_stop();
  lb_bundle_destroy(bundle);
}

// A saved bundle can be run as what it was saved from, but not be cooked.
static void an_unreduced_body_of_a_file_moves_as_its_scene(void **state) {
  (void)state;
  lbScene *scene = scene_of(SWING("'step':0.01,'count':5")), *loaded = NULL;
  lbBundle *bundle = NULL;
  lbRunDef def = lb_run_def();
  lbRun *run = NULL, *again = NULL;
  lbError err;
  check_ok(lb_scene_bundle(scene, &bundle, &err), err);
  check_ok(lb_bundle_save(bundle, output_path("unplayed.glb"), &err), err);
  check_ok(lb_scene_load(output_path("unplayed.glb"), NULL, &loaded, &err), err);
  check_ok(lb_run(scene, &def, &run, &err), err);
  check_ok(lb_run(loaded, &def, &again, &err), err);
  assert_true(run->scene->probe_count > 0);
  assert_memory_equal(run->probes, again->probes,
                      3 * (size_t)run->scene->probe_count * 6 * sizeof(double));
  lb_run_destroy(run), lb_run_destroy(again);
  check_fails(lb_scene_cook(loaded, output_path("x.glb"), NULL, &err), LB_ERR_ARGUMENT, err,
              "a model without a recording");
  lb_bundle_destroy(bundle);
  lb_scene_destroy(loaded);
  lb_scene_destroy(scene);
}

// "full" beside a model with a recording is how older scenes say it.
static void a_scene_plays_the_recording_of_a_model(void **state) {
  (void)state;
  static const char *const said[] = { "", ",'method':'recorded'", ",'method':'full'" };
  lbScene *scene = scene_of(SWING("'step':0.01,'count':5"));
  lb_scene_destroy(cook(scene, "said.glb"));
  lb_scene_destroy(scene);
  for (int i = 0; i < 3; i++) {
    char text[200];
    snprintf(text, sizeof text, "{'limber':1,'bodies':[{'model':'said.glb'%s}]}", said[i]);
    scene = scene_of(text);
    assert_int_equal(scene->bodies[0].method, LB_METHOD_RECORDED);
    lbBodyDef def = lb_body_def();
    lbBody *body = NULL;
    lbError err;
    def.method = LB_METHOD_FULL;
    lb_body_register_method(LB_METHOD_FULL, NULL); // as where there is no build side
    check_fails(lb_body_create(scene->bodies[0].model, &def, &body, &err), LB_ERR_ARGUMENT, err,
                "\"recorded\" plays the recording");
    lb_scene_destroy(scene);
  }
}

static void a_cooked_recording_is_cooked_again_as_it_is(void **state) {
  (void)state;
  lbScene *scene = scene_of(SWING("'step':0.01,'count':10"));
  lbScene *cooked = cook(scene, "once.glb"), *again = cook(cooked, "again.glb");
  const lbModel *a = cooked->bodies[0].model, *b = again->bodies[0].model;
  assert_memory_equal(&a->size, &b->size, sizeof a->size);
  assert_memory_equal(a->recording_coordinates, b->recording_coordinates,
                      sizeof(double) * (size_t)a->size.recording_frames *
                          (size_t)a->size.recording_dimension);
  lb_scene_destroy(again);
  lb_scene_destroy(cooked);
  lb_scene_destroy(scene);
}

static void failed_allocations_leak_nothing(void **state) {
  (void)state;
  lbScene *scene = scene_of("{'limber':1,'bodies':[{" MESH "," SOFT ",'fixed':{'group':'left'},"
                            "'velocity':{'linear':[0,0,1]}}],'time':{'step':0.01,'count':2}}");
  lbError err;
  lbStatus status = LB_ERR_MEMORY;
  // Near the start and, in long strides, all the way through the simulator.
  for (int64_t n = 0; status; n += n < 40 ? 1 : 31) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    status = lb_scene_cook(scene, output_path("heap.glb"), NULL, &err);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status && status != LB_ERR_MEMORY) fail_msg("allocation %d: %s", (int)n, err.text);
  }
  lb_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_recording_plays_the_motion_of_its_scene),
    cmocka_unit_test(fast_steps_are_recorded_at_120_frames_a_second_at_most),
    cmocka_unit_test(a_free_body_is_recorded),
    cmocka_unit_test(every_unreduced_body_has_a_model_of_its_own),
    cmocka_unit_test(a_bundle_in_memory_has_what_an_unreduced_body_is_made_of),
    cmocka_unit_test(an_unreduced_body_of_a_file_moves_as_its_scene),
    cmocka_unit_test(a_scene_plays_the_recording_of_a_model),
    cmocka_unit_test(a_cooked_recording_is_cooked_again_as_it_is),
    cmocka_unit_test(failed_allocations_leak_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
