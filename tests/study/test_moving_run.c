// Runs of bodies that move as a whole, free and on frames, against the unreduced simulator.
#include "../scene/scene_text.h"

#include "limber/cook.h"
#include "limber/run.h"

#define STVK "'material':{'model':'stvk','young':2e5,'poisson':0.3}"
#define LONG "'mesh':{'generate':'bar','size':[1,0.1,0.1],'cells':[6,1,1],'element':'brick8'}"
#define HELD ",'fixed':{'box':[[-9,-9,-9],[1e-9,9,9]]}"
#define ALL_OF_IT "'method':'subspace','reduce':{'basis':'linear','modes':72,'dimension':72}"
#define MANY "'method':'subspace','reduce':{'modes':12,'dimension':40}"
#define SCENE(gravity, how, rest)                                                                  \
  "{'limber':1,'gravity':" gravity ",'bodies':[{'name':'bar'," LONG "," STVK "," how "}]," rest "}"
#define PROBES "'probes':[{'vertex':0},{'vertex':27}]"

static lbRun *run_of(const lbScene *scene) {
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  check_ok(lb_run(scene, &def, &run, &err), err);
  assert_int_equal(run->bodies[0].nonfinite_count + run->bodies[0].not_converged_count, 0);
  return run;
}

typedef struct Pair {
  lbScene *scene[2];
  lbRun *run[2]; // reduced, full
  double difference, largest;
} Pair;

static Pair compare(const char *reduced, const char *full, double step, int32_t count) {
  Pair pair = { 0 };
  for (int k = 0; k < 2; k++) {
    pair.scene[k] = scene_of(k ? full : reduced);
    pair.scene[k]->time_step = step;
    pair.scene[k]->step_count = count;
    pair.run[k] = run_of(pair.scene[k]);
  }
  for (size_t i = 0; i < 6 * ((size_t)count + 1); i++) {
    double a = pair.run[0]->probes[i], b = pair.run[1]->probes[i];
    pair.difference = fmax(pair.difference, fabs(a - b));
    pair.largest = fmax(pair.largest, fabs(b));
  }
  return pair;
}

static void release(Pair *pair) {
  for (int k = 0; k < 2; k++) {
    lb_run_destroy(pair->run[k]);
    lb_scene_destroy(pair->scene[k]);
  }
}

// ---- the start ---------------------------------------------------------------------------------

#define PUSH(times) "'loads':[{'vertex':27,'force':[0,0.05,-0.1]" times "}]," PROBES
#define STARTS(times)                                                                              \
  {                                                                                                \
    SCENE("[0,0,0]", ALL_OF_IT HELD, PUSH(times)),                                                 \
        SCENE("[0,0,0]", "'method':'full'" HELD, PUSH(times))                                      \
  }
static void a_full_basis_starts_and_moves_as_the_unreduced_body(void **state) {
  (void)state;
  static const char *const texts[][2] = { STARTS(""), STARTS(",'from':0"),
                                          STARTS(",'from':0,'to':0.02"),
                                          STARTS(",'from':0.01,'to':0.03") };
  for (size_t i = 0; i < 4; i++) {
    Pair pair = compare(texts[i][0], texts[i][1], 1e-3, 50);
    print_message("  %.1e of %.1e m\n", pair.difference, pair.largest);
    check_small(pair.difference / pair.largest, 1e-10);
    release(&pair);
  }
}

// ---- free --------------------------------------------------------------------------------------

#define THROWN                                                                                     \
  ",'position':[1,2,3],'rotation':[0.1,0.2,0.3,1],'velocity':{'linear':[1,0.5,2],'angular':[1,6,"  \
  "2]}"
#define KICK "'loads':[{'vertex':27,'force':[0.2,0,0.6],'from':0,'to':0.04}]," PROBES
static void check_thrown(const char *reduced, double tolerance) {
  Pair pair = compare(reduced, SCENE("[0,0,-9.81]", "'method':'full'" THROWN, KICK), 5e-4, 400);
  const lbRunBody *a = &pair.run[0]->bodies[0], *b = &pair.run[1]->bodies[0];
  print_message("  %.1e of %.1e m\n", pair.difference, pair.largest);
  check_small(pair.difference / pair.largest, tolerance);
  // The unreduced rule takes means of loads, so that they end half a step later.
  double late = 0.7 * 5e-4;
  for (int i = 0; i < 3; i++) {
    check_near(a->state.linear_momentum[i], b->state.linear_momentum[i], late);
    check_near(a->state.angular_momentum[i], b->state.angular_momentum[i], 4 * late + 1e-3);
    check_near(a->linear_velocity[i], b->linear_velocity[i], 1e-3);
    check_near(a->angular_velocity[i], b->angular_velocity[i], 0.02 * 6);
    check_near(a->position[i], b->position[i], 2 * tolerance * pair.largest);
  }
  check_near(a->state.kinetic, b->state.kinetic, 0.01 * b->state.kinetic);
  release(&pair);
}

static void a_thrown_spinning_bending_bar_moves_as_the_unreduced_one(void **state) {
  (void)state;
  check_thrown(SCENE("[0,0,-9.81]", MANY THROWN, KICK), 2e-3);
  check_thrown(SCENE("[0,0,-9.81]", "'method':'modal','reduce':{'modes':20}" THROWN, KICK), 1e-2);
}

// While the load still acts: half of it counts in the first step, in both.
static void loads_begin_alike_on_free_bodies(void **state) {
  (void)state;
  static const char push[] = "'loads':[{'vertex':27,'force':[0.2,0,0.6],'from':0}]," PROBES;
  char texts[2][600];
  snprintf(texts[0], sizeof texts[0], SCENE("[0,0,0]", MANY, "%s"), push);
  snprintf(texts[1], sizeof texts[1], SCENE("[0,0,0]", "'method':'full'", "%s"), push);
  Pair pair = compare(texts[0], texts[1], 5e-4, 10);
  for (int i = 0; i < 3; i++) {
    const lbRunBody *a = &pair.run[0]->bodies[0], *b = &pair.run[1]->bodies[0];
    check_near(a->state.linear_momentum[i], b->state.linear_momentum[i], 1e-12);
    check_near(a->state.angular_momentum[i], b->state.angular_momentum[i], 1e-6);
  }
  release(&pair);
}

// ---- driven ------------------------------------------------------------------------------------

#define SHAKE                                                                                      \
  ",'motion':{'times':[0,0.05,0.1,0.15,0.2,0.25],'positions':[[0,0,1],[0.01,0,1],[0,0.01,1.02],"   \
  "[-0.01,0,1],[0,0,0.98],[0.01,0,1]],'rotations':[[0,0,0,1],[0,0.05,0,1],[0.03,0.1,0,1],[0.05,"   \
  "0.1,0.05,1],[0,0.05,0.1,1],[0,0,0.1,1]],'interpolation':'cubic'}"

// Both integrators are of second order, and differ: half the step leaves a quarter.
static void a_bar_on_a_shaken_turning_frame_moves_as_the_unreduced_one(void **state) {
  (void)state;
  double difference[2];
  for (int i = 0; i < 2; i++) {
    Pair pair = compare(SCENE("[0,0,-9.81]", ALL_OF_IT HELD SHAKE, PROBES),
                        SCENE("[0,0,-9.81]", "'method':'full'" HELD SHAKE, PROBES), i ? 5e-4 : 1e-3,
                        i ? 500 : 250);
    difference[i] = pair.difference;
    print_message("  %.2e of %.2e m\n", pair.difference, pair.largest);
    check_small(pair.difference / pair.largest, 5e-3);
    const lbRunBody *a = &pair.run[0]->bodies[0], *b = &pair.run[1]->bodies[0];
    for (int k = 0; k < 3; k++) {
      check_near(a->position[k], b->position[k], 1e-14);
      check_near(a->linear_velocity[k], b->linear_velocity[k], 1e-12);
      check_near(a->state.linear_momentum[k], b->state.linear_momentum[k], 0.05);
      check_near(a->state.centre[k], b->state.centre[k], 5e-3);
    }
    check_near(a->state.kinetic, b->state.kinetic, 0.01 * b->state.kinetic);
    release(&pair);
  }
  assert_true(difference[1] < 0.4 * difference[0]);
}

// Few vectors lose little of it.
static void forty_vectors_follow_a_shaken_frame(void **state) {
  (void)state;
  Pair pair = compare(SCENE("[0,0,-9.81]", MANY HELD SHAKE, PROBES),
                      SCENE("[0,0,-9.81]", "'method':'full'" HELD SHAKE, PROBES), 1e-3, 250);
  print_message("  %.2e of %.2e m\n", pair.difference, pair.largest);
  check_small(pair.difference / pair.largest, 0.02);
  release(&pair);
}

// Without "fixed" a reduced body has no rigid motion of its own: its centre follows the frame.
static void a_motion_alone_carries_a_reduced_body(void **state) {
  (void)state;
  lbScene *scene = scene_of(SCENE("[0,0,-9.81]", MANY SHAKE,
                                  PROBES ",'time':{'step':0.001,"
                                         "'count':250}"));
  lbRun *run = run_of(scene);
  lbPathState at;
  lb_path_at(scene->bodies[0].motion, run->time, &at);
  double centre[3] = { 0.5, 0.05, 0.05 }, expected[3];
  lb_path_point(&at, centre, expected);
  for (int i = 0; i < 3; i++) {
    check_near(run->bodies[0].state.centre[i], expected[i], 1e-9);
    check_near(run->bodies[0].position[i], at.position[i], 0);
  }
  assert_true(run->bodies[0].state.elastic > 0); // it bends
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

// ---- cooking and frames ------------------------------------------------------------------------

static void check_cooked(const char *text) {
  lbScene *scene = scene_of(text), *cooked = NULL;
  lbError err;
  char path[300];
  snprintf(path, sizeof path, "%s", output_path("moving.glb"));
  check_ok(lb_scene_cook(scene, path, NULL, &err), err);
  check_ok(lb_scene_load(path, NULL, &cooked, &err), err);
  lbRun *a = run_of(scene), *b = run_of(cooked);
  size_t count = 6 * ((size_t)scene->step_count + 1);
  assert_memory_equal(a->probes, b->probes, count * sizeof(double));
  lb_run_destroy(a), lb_run_destroy(b);
  lb_scene_destroy(scene), lb_scene_destroy(cooked);
}

#define TIME ",'time':{'step':0.002,'count':40}"
#define EULER ",'time':{'step':0.002,'count':40,'integrator':'euler'}"
static void cooked_files_move_to_the_same_bits(void **state) {
  (void)state;
  check_cooked(SCENE("[0,0,-9.81]", MANY THROWN, KICK TIME));
  check_cooked(SCENE("[0,0,-9.81]", MANY HELD SHAKE, KICK TIME));
  check_cooked(SCENE("[0,0,-9.81]", MANY HELD, KICK EULER));
  check_cooked(SCENE("[0,0,-9.81]", "'method':'modal','reduce':{'modes':9}" SHAKE, KICK TIME));
}

// A recording of a driven body is played on the moving frame.
static void recordings_of_driven_bodies_move_with_the_frame(void **state) {
  (void)state;
  lbScene *scene = scene_of(SCENE("[0,0,-9.81]", "'method':'full'" HELD SHAKE, PROBES TIME));
  lbScene *cooked = NULL;
  lbError err;
  char path[300];
  snprintf(path, sizeof path, "%s", output_path("driven.glb"));
  check_ok(lb_scene_cook(scene, path, NULL, &err), err);
  check_ok(lb_scene_load(path, NULL, &cooked, &err), err);
  assert_int_equal(cooked->bodies[0].method, LB_METHOD_RECORDED);
  lbRun *a = run_of(scene), *b = run_of(cooked);
  for (size_t i = 0; i < 6 * 41; i++) check_near(b->probes[i], a->probes[i], 2e-3);
  lb_run_destroy(a), lb_run_destroy(b);
  lb_scene_destroy(scene), lb_scene_destroy(cooked);
}

static void euler_is_passed_on(void **state) {
  (void)state;
  lbScene *a = scene_of(SCENE("[0,0,-9.81]", ALL_OF_IT HELD, KICK EULER));
  lbScene *b = scene_of(SCENE("[0,0,-9.81]", "'method':'full'" HELD, KICK EULER));
  lbRun *reduced = run_of(a), *full = run_of(b);
  for (size_t i = 0; i < 6 * 41; i++) check_near(reduced->probes[i], full->probes[i], 1e-10);
  lb_run_destroy(reduced), lb_run_destroy(full);
  lb_scene_destroy(a), lb_scene_destroy(b);
}

static void frames_show_where_a_moving_body_is(void **state) {
  (void)state;
  static const char *const texts[] = { SCENE("[0,0,-9.81]", MANY THROWN, KICK TIME),
                                       SCENE("[0,0,-9.81]", MANY HELD SHAKE, KICK TIME) };
  for (size_t k = 0; k < 2; k++) {
    lbScene *scene = scene_of(texts[k]);
    lbRunDef def = lb_run_def();
    lbRun *run = NULL;
    lbError err;
    def.frame_rate = 100;
    def.volume_frames = true;
    check_ok(lb_run(scene, &def, &run, &err), err);
    const lbRunBody *body = &run->bodies[0];
    float *x = malloc(3 * (size_t)body->surface->vertex_count * sizeof *x);
    for (int32_t f = 0; f < run->frame_count; f++) {
      int32_t step = (int32_t)lround(run->frame_times[f] / 0.002);
      const double *moved = run->probes + 6 * step + 3;
      double rest[3], unused[3], nearest = INFINITY;
      lb_scene_vertex(&scene->bodies[0], 27, NULL, rest, unused);
      lb_run_frame(run, 0, f, x);
      for (int32_t v = 0; v < body->surface->vertex_count; v++) {
        double far = 0;
        for (int i = 0; i < 3; i++) far = fmax(far, fabs(x[3 * v + i] - rest[i] - moved[i]));
        nearest = fmin(nearest, far);
      }
      check_small(nearest, 1e-6);
    }
    free(x);
    char path[300];
    snprintf(path, sizeof path, "%s", output_path("moving-animation.glb"));
    check_ok(lb_run_write_animation(run, path, NULL, &err), err);
    snprintf(path, sizeof path, "%s", output_path("moving.pvd"));
    check_ok(lb_run_write_sequence(run, -1, path, &err), err);
    lb_run_destroy(run);
    lb_scene_destroy(scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_full_basis_starts_and_moves_as_the_unreduced_body),
    cmocka_unit_test(a_thrown_spinning_bending_bar_moves_as_the_unreduced_one),
    cmocka_unit_test(loads_begin_alike_on_free_bodies),
    cmocka_unit_test(a_bar_on_a_shaken_turning_frame_moves_as_the_unreduced_one),
    cmocka_unit_test(forty_vectors_follow_a_shaken_frame),
    cmocka_unit_test(a_motion_alone_carries_a_reduced_body),
    cmocka_unit_test(cooked_files_move_to_the_same_bits),
    cmocka_unit_test(recordings_of_driven_bodies_move_with_the_frame),
    cmocka_unit_test(euler_is_passed_on),
    cmocka_unit_test(frames_show_where_a_moving_body_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
