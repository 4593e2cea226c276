// Running a scene: probes, frames, several bodies, files.
#include "../scene/scene_text.h"

#include "limber/run.h"

#define RUN_SCENE                                                                                  \
  "{'limber':1,'gravity':[0,0,-9.81],'bodies':[{'name':'a'," BAR                                   \
  ",'material':{}},{'name':'b'," BAR                                                               \
  ",'material':{},'fixed':{'group':'left'}}],'probes':[{'body':'b','vertex':2},{'body':'a',"       \
  "'vertex':1}],'time':{'step':0.01,'count':20}}"

static void probes_start_at_rest_and_follow_their_bodies(void **state) {
  (void)state;
  lbScene *scene = scene_of(RUN_SCENE);
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  check_ok(lb_run(scene, &def, &run, &err), err);
  assert_int_equal(run->step_count, 20);
  check_near(run->time, 0.2, 1e-15);
  assert_int_equal(run->body_count, 2);
  assert_int_equal(run->frame_count, 0);
  assert_int_equal(run->bodies[0].dimension, 36);
  assert_int_equal(run->bodies[1].dimension, 24);
  for (int i = 0; i < 6; i++) check_small(run->probes[i], 0);
  for (int row = 0; row <= 20; row++) { // the free body falls
    double t = 0.01 * row, z = run->probes[6 * row + 5];
    check_near(z, -0.5 * 9.81 * t * t, 1e-10);
    check_small(run->probes[6 * row + 3], 1e-10);
  }
  assert_true(run->probes[6 * 20 + 2] < 0);
  check_near(run->bodies[0].mass, 10, 1e-12);
  assert_true(run->bodies[0].step_median <= run->bodies[0].step_max);
  check_ok(lb_run_write_probes(run, output_path("run_probes.csv"), &err), err);
  FILE *file = fopen(output_path("run_probes.csv"), "r");
  char line[512];
  int lines = 0;
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) {
    if (lines == 0) assert_string_equal(line, "t,dx,dy,dz,dx,dy,dz\n");
    if (lines == 21) check_near(strtod(line, NULL), 0.2, 1e-15);
    lines++;
  }
  fclose(file);
  assert_int_equal(lines, 22);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

// A bending block of so many bricks a side, unreduced; `reuse` is a key of "time", or nothing.
static lbRun *run_block(int cells, const char *reuse, lbScene **scene) {
  char text[600];
  snprintf(text, sizeof text,
           "{'limber':1,'gravity':[0,0,-9.81],'bodies':[{'name':'a','mesh':{'generate':'bar',"
           "'size':[1,1,1],'cells':[%d,%d,%d],'element':'brick8'},'material':{'model':'stvk',"
           "'young':5e4},'fixed':{'group':'left'}}],'probes':[{'body':'a','vertex':%d}],"
           "'time':{'step':0.005,'count':8%s}}",
           cells, cells, cells, cells, reuse);
  *scene = scene_of(text);
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  check_ok(lb_run(*scene, &def, &run, &err), err);
  return run;
}

// From 2 000 unknowns on a factorisation serves on by itself; smaller bodies factor each time.
static void large_bodies_keep_their_factors_and_move_alike(void **state) {
  (void)state;
  for (int large = 0; large < 2; large++) {
    lbScene *scenes[2];
    int cells = large ? 8 : 4; // 2187 or 375 unknowns, those of fixed vertices included
    lbRun *usual = run_block(cells, "", &scenes[0]);
    lbRun *anew = run_block(cells, ",'factor_reuse':0", &scenes[1]);
    const lbSimulatorState *a = &usual->bodies->state, *b = &anew->bodies->state;
    double worst = 0, largest = 0;
    for (int i = 0; i < 3 * 9; i++) {
      worst = fmax(worst, fabs(usual->probes[i] - anew->probes[i]));
      largest = fmax(largest, fabs(anew->probes[i]));
    }
    print_message(
        "  %d unknowns: %d factorisations for %d iterations; anew %d for %d; %.2g apart\n",
        (int)usual->bodies->dimension, (int)a->factor_count, (int)a->newton_iterations,
        (int)b->factor_count, (int)b->newton_iterations, worst / largest);
    assert_true(b->factor_count >= b->newton_iterations);
    if (large) assert_true(2 * a->factor_count < a->newton_iterations);
    if (!large) assert_int_equal(a->factor_count, b->factor_count);
    check_small(worst / largest, large ? 1e-6 : 0);
    lb_run_destroy(usual);
    lb_run_destroy(anew);
    lb_scene_destroy(scenes[0]);
    lb_scene_destroy(scenes[1]);
  }
}

static void frames_show_the_surface_at_their_times(void **state) {
  (void)state;
  lbScene *scene = scene_of(RUN_SCENE);
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  double max_error;
  def.step_count = 10;
  def.frame_rate = 50; // every second step
  check_ok(lb_run(scene, &def, &run, &err), err);
  assert_int_equal(run->frame_count, 6);
  for (int f = 0; f < 6; f++) {
    double t = 0.02 * f;
    check_near(run->frame_times[f], t, 1e-12);
    const lbRunBody *body = &run->bodies[0];
    size_t count = (size_t)body->surface->vertex_count;
    float *places = lb_alloc(count, 3 * sizeof(float));
    lb_run_frame(run, 0, f, places);
    for (size_t v = 0; v < count; v++)
      check_near(places[3 * v + 2], body->surface->positions[3 * v + 2] - 0.5 * 9.81 * t * t, 1e-7);
    lb_free(places);
    check_near(body->placements[7 * f + 2], -0.5 * 9.81 * t * t, 1e-9); // its frame falls with it
  }
  check_ok(lb_run_write_animation(run, output_path("run_animation.glb"), &max_error, &err), err);
  check_small(max_error, 1e-3);
  lb_run_destroy(run);
  def.frame_rate = 1e9; // no more than one a step
  check_ok(lb_run(scene, &def, &run, &err), err);
  assert_int_equal(run->frame_count, 11);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

static void methods_that_are_not_built_are_refused_by_name(void **state) {
  (void)state;
  lbScene *scene = scene_of(BODY_WITH("'method':'frames'"));
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  lbStatus status = lb_run(scene, &def, &run, &err);
  if (status) check_fails(status, LB_ERR_UNSUPPORTED, err, "method \"frames\"");
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

static bool stop_half_way(const char *stage, double fraction, void *context) {
  (void)context;
  return strcmp(stage, "run") != 0 || fraction < 0.5;
}

static void a_run_can_be_stopped_and_failed_allocations_are_reported(void **state) {
  (void)state;
  lbScene *scene = scene_of(RUN_SCENE);
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  lb_set_progress(stop_half_way, NULL);
  lbStatus status = lb_run(scene, &def, &run, &err);
  lb_set_progress(NULL, NULL);
  check_fails(status, LB_ERR_INTERRUPTED, err, "run");
  assert_null(run);
  def.step_count = 0, def.frame_rate = 10;
  status = LB_ERR_MEMORY;
  for (int64_t n = 0; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    status = lb_run(scene, &def, &run, &err);
    lb_run_destroy(run);
    run = NULL;
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status) assert_int_equal(status, LB_ERR_MEMORY);
  }
  lb_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(probes_start_at_rest_and_follow_their_bodies),
    cmocka_unit_test(large_bodies_keep_their_factors_and_move_alike),
    cmocka_unit_test(frames_show_the_surface_at_their_times),
    cmocka_unit_test(methods_that_are_not_built_are_refused_by_name),
    cmocka_unit_test(a_run_can_be_stopped_and_failed_allocations_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
