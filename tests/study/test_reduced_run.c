// Running scenes with reduced bodies: against the unreduced simulator, batches, frames, files.
#include "../scene/scene_text.h"

#include "limber/body.h"
#include "limber/run.h"
#include "limber/file.h"
#include "arrayio/npz.h"

#define SOFT "'material':{'model':'linear','young':2e4,'poisson':0.3}"
#define BAR_WITH(method, more)                                                                     \
  "{'name':'bar'," BAR "," SOFT ",'fixed':{'group':'left'},'method':'" method                      \
  "','reduce':{'modes':24}" more "}"
// 8 free nodes: all 24 modes
#define SCENE(method, more, rest)                                                                  \
  "{'limber':1,'gravity':[0,0,-9.81],'bodies':[" BAR_WITH(method, more) "]," rest "}"

static lbRun *run_of(const lbScene *scene, const lbRunDef *def) {
  lbRunDef plain = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  check_ok(lb_run(scene, def ? def : &plain, &run, &err), err);
  return run;
}

// The largest difference of the probes of two runs of the same scene by two methods.
static double compare_methods(const char *modal_text, const char *full_text, double step,
                              int32_t count, double *largest) {
  lbScene *modal = scene_of(modal_text), *full = scene_of(full_text);
  modal->time_step = full->time_step = step;
  modal->step_count = full->step_count = count;
  lbRun *a = run_of(modal, NULL), *b = run_of(full, NULL);
  double difference = 0;
  *largest = 0;
  for (size_t i = 0; i < 3 * ((size_t)count + 1) * (size_t)full->probe_count; i++) {
    difference = fmax(difference, fabs(a->probes[i] - b->probes[i]));
    *largest = fmax(*largest, fabs(b->probes[i]));
  }
  lb_run_destroy(a), lb_run_destroy(b);
  lb_scene_destroy(modal), lb_scene_destroy(full);
  return difference;
}

// The modal step is exact and Newmark's is of second order: with all modes, half the step must
// leave a quarter of the difference.
#define MOVING "'loads':[{'vertex':11,'force':[0.3,0.2,0.1]}],'probes':[{'vertex':11},{'vertex':5}]"
#define PLACED                                                                                     \
  ",'position':[3,-2,1],'rotation':[1,2,3,4],'damping':{'mass':0.5,'stiffness':0.002},"            \
  "'velocity':{'linear':[0.1,0.2,-0.1],'angular':[0.2,-0.4,0.1]}"
static void all_modes_move_as_the_unreduced_body_does(void **state) {
  (void)state;
  double difference[2], largest;
  for (int i = 0; i < 2; i++)
    difference[i] = compare_methods(SCENE("modal", PLACED, MOVING), SCENE("full", PLACED, MOVING),
                                    i ? 1e-4 : 2e-4, i ? 200 : 100, &largest);
  print_message("  differences %.2e, %.2e of %.2e m\n", difference[0], difference[1], largest);
  check_small(difference[0] / largest, 1e-4);
  check_near(difference[0] / difference[1], 4, 0.4);
}

static void a_damped_body_comes_to_rest_in_the_static_solution(void **state) {
  (void)state;
  lbScene *scene = scene_of(SCENE("modal", ",'damping':{'mass':1}",
                                  "'probes':[{'vertex':11}],'time':{'step':0.05,'count':4000}"));
  lbRun *run = run_of(scene, NULL);
  lbFem *fem = NULL;
  lbError err;
  double forces[36], u[36] = { 0 }, rest[3], expected[3];
  lbStaticDef def = lb_static_def();
  lbStaticResult result;
  check_ok(lb_scene_fem(scene->bodies, &fem, &err), err);
  lb_scene_forces(scene, 0, fem, 0, forces);
  check_ok(lb_fem_static(fem, forces, &def, u, &result, &err), err);
  lb_scene_vertex(scene->bodies, 11, u, rest, expected);
  for (int i = 0; i < 3; i++)
    check_near(run->probes[3 * 4000 + i], expected[i], 1e-8 * fabs(expected[2]));
  check_near(run->bodies[0].state.elastic, result.energy, 1e-8 * result.energy);
  check_small(run->bodies[0].state.kinetic, 1e-12 * result.energy);
  assert_int_equal(run->bodies[0].dimension, 24);
  assert_int_equal(run->bodies[0].vertices, 12);
  assert_int_equal(run->bodies[0].elements, 12);
  check_near(run->bodies[0].mass, 10, 1e-12);
  lb_fem_destroy(fem);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

// A load acts in steps whose end time t has from < t <= to.
static void loads_act_in_their_window_and_in_world_axes(void **state) {
  (void)state;
  lbScene *scene = scene_of("{'limber':1,'bodies':[" BAR_WITH(
      "modal", ",'rotation':[0,0,1,1]") "],'loads':[{'vertex':11,'force':[0,0,1],'from':0.1,'to':"
                                        "0.3}],'probes':[{'vertex':11}],"
                                        "'time':{'step':0.1,'count':3}}");
  lbRun *run = run_of(scene, NULL);
  check_small(run->probes[3 * 1 + 2], 0);
  assert_true(run->probes[3 * 2 + 2] > 0);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

// ---- twins -------------------------------------------------------------------------------------

static void twins_in_a_batch_move_as_each_would_alone(void **state) {
  (void)state;
  lbScene *together = scene_of(
      SCENE("modal",
            ",'instances':3,'position':[[0,0,0],[5,0,0],[9,0,1]],'rotation':[[0,0,0,1],[1,2,3,4],"
            "[0,1,0,0]],'velocity':{'linear':[[0,0,0],[0.1,0,0],[0,0,0.2]]}",
            "'loads':[{'body':'bar.2','vertex':11,'force':[0.3,0.2,0.1]},{'body':'bar.1','vertex':"
            "5,'force':[0.1,0,0]}],'probes':[{'body':'bar.0','vertex':11},{'body':'bar.1',"
            "'vertex':11},{'body':'bar.2','vertex':11}],'time':{'step':0.01,'count':20}"));
  lbScene *alone = scene_of("{'limber':1,'gravity':[0,0,-9.81],'bodies':[" BAR_WITH(
      "modal", ",'position':[9,0,1],'rotation':[0,1,0,0],'velocity':{'linear':[0,0,0.2]"
               "}") "],"
                    "'loads':[{'vertex':11,'force':[0.3,0.2,0.1]}],'probes':[{'vertex':"
                    "11}],"
                    "'time':{'step':0.01,'count':20}}");
  lbRun *a = run_of(together, NULL), *b = run_of(alone, NULL);
  assert_int_equal(a->owned_count, 1); // one model for the three
  for (int row = 0; row <= 20; row++)
    for (int i = 0; i < 3; i++)
      assert_true(a->probes[9 * row + 6 + i] == b->probes[3 * row + i]); // to the bit
  assert_true(a->bodies[1].step_median == a->bodies[0].step_median);
  check_near(a->bodies[2].state.elastic, b->bodies[0].state.elastic, 0);
  lb_run_destroy(a), lb_run_destroy(b);
  lb_scene_destroy(together), lb_scene_destroy(alone);
}

// ---- frames ------------------------------------------------------------------------------------

static void frames_of_reduced_bodies_are_where_the_body_is(void **state) {
  (void)state;
  lbScene *scene = scene_of(SCENE("modal", PLACED, "'time':{'step':0.01,'count':10}"));
  lbRunDef def = lb_run_def();
  def.frame_rate = 50;
  def.volume_frames = true;
  lbRun *run = run_of(scene, &def);
  const lbRunBody *shown = &run->bodies[0];
  assert_int_equal(run->frame_count, 6);
  assert_int_equal(shown->shape_count, 24);
  assert_null(shown->frames);
  assert_int_equal(shown->volume->vertex_count, 12);
  lbBodyDef body_def = lb_body_def();
  const double *q = scene->bodies[0].rotation, *v = scene->bodies[0].linear_velocity;
  const double *w = scene->bodies[0].angular_velocity;
  body_def.position = lb_vec3_load(scene->bodies[0].position);
  body_def.rotation = (lbQuat){ q[0], q[1], q[2], q[3] };
  body_def.gravity = lb_vec3_load(scene->gravity);
  lbBody *body = NULL;
  lbError err;
  check_ok(lb_body_create(shown->model, &body_def, &body, &err), err);
  check_ok(lb_body_set_velocity(body, lb_vec3_load(v), lb_vec3_load(w)), err);
  size_t values = 3 * (size_t)shown->surface->vertex_count;
  double *positions = calloc(values, sizeof(double));
  float *frame = calloc(values, sizeof(float));
  for (int f = 0; f < 6; f++) {
    lb_body_surface(body, positions);
    lb_run_frame(run, 0, f, frame);
    for (size_t i = 0; i < values; i++) check_near(frame[i], positions[i], 1e-6);
    lb_body_step(body, 0.01);
    lb_body_step(body, 0.01);
  }
  free(positions), free(frame);
  lb_body_destroy(body);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

// Reduced and unreduced bodies of one scene: every format takes both.
#define BOTH                                                                                       \
  "{'limber':1,'gravity':[0,0,-9.81],'bodies':[" BAR_WITH(                                         \
      "modal",                                                                                     \
      PLACED) ",{'name':'full'," BAR "," SOFT                                                      \
              ",'fixed':{'group':'left'},'position':[0,0,2]}],'time':{'step':0.01,'count':4}}"
static void motion_is_written_in_every_format(void **state) {
  (void)state;
  static const char *const names[][2] = {
    { "reduced.glb", "reduced.glb" },
    { "reduced.obj", "reduced_bar_00002.obj" },
    { "reduced.ply", "reduced_full_00002.ply" },
    { "reduced.pc2", "reduced_bar.pc2" },
    { "reduced.pvd", "reduced_bar_00001.vtu" },
  };
  lbScene *scene = scene_of(BOTH);
  lbRunDef def = lb_run_def();
  lbError err;
  def.frame_rate = 50;
  def.volume_frames = true;
  lbRun *run = run_of(scene, &def);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    remove(output_path(names[i][1]));
    check_ok(lb_run_write_sequence(run, -1, output_path(names[i][0]), &err), err);
    FILE *file = fopen(output_path(names[i][1]), "rb");
    if (!file) fail_msg("%s is not there", names[i][1]);
    fclose(file);
  }
  double max_error = 1;
  check_ok(lb_run_write_animation(run, output_path("reduced.glb"), &max_error, &err), err);
  check_small(max_error, 1e-3);
  check_ok(lb_run_write_sequence(run, 0, output_path("single.obj"), &err), err);
  check_fails(lb_run_write_sequence(run, 0, output_path("single.xyz"), &err), LB_ERR_ARGUMENT, err,
              ".obj");
  lb_run_destroy(run);
  def.frame_rate = 0;
  run = run_of(scene, &def);
  check_fails(lb_run_write_sequence(run, 0, output_path("none.obj"), &err), LB_ERR_ARGUMENT, err,
              "no frames");
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

// The volume's displacement in a frame is that of the probes.
static void a_volume_mesh_moves_by_the_displacement_of_its_nodes(void **state) {
  (void)state;
  lbScene *scene =
      scene_of(SCENE("modal", PLACED, "'probes':[{'vertex':11}],'time':{'step':0.01,'count':4}"));
  lbRunDef def = lb_run_def();
  lbMesh *mesh = NULL;
  lbError err;
  def.frame_rate = 100;
  def.volume_frames = true;
  lbRun *run = run_of(scene, &def);
  check_ok(lb_run_write_sequence(run, 0, output_path("nodes.pvd"), &err), err);
  check_ok(lb_mesh_load(output_path("nodes_00004.vtu"), &mesh, &err), err);
  assert_int_equal(mesh->vertex_count, 12);
  double rest[3], none[3];
  lb_scene_vertex(scene->bodies, 11, NULL, rest, none);
  for (int i = 0; i < 3; i++) check_near(mesh->positions[33 + i], rest[i], 1e-12);
  lb_mesh_destroy(mesh);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

// ---- refusals ----------------------------------------------------------------------------------

static void a_method_that_the_model_lacks_is_refused(void **state) {
  (void)state;
  lbScene *scene = scene_of(BODY_WITH("'method':'modal'"));
  scene->bodies[0].method = LB_METHOD_RECORDED; // which needs a model
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  check_fails(lb_run(scene, &def, &run, &err), LB_ERR_UNSUPPORTED, err, "recorded");
  assert_null(run);
  lb_scene_destroy(scene);
}

static void failed_allocations_of_a_reduced_run_are_reported(void **state) {
  (void)state;
  lbScene *scene = scene_of(SCENE("modal", ",'instances':2",
                                  "'time':{'step':0.01,'count':2},"
                                  "'loads':[{'body':'bar.1','vertex':1,'force':[1,0,0]}],"
                                  "'probes':[{'body':'bar.0','vertex':1}]"));
  lbModel *model = NULL;
  lbRunDef def = lb_run_def();
  lbError err;
  check_ok(lb_scene_model(scene->bodies, &model, &err), err); // the modes are tested elsewhere
  for (int i = 0; i < 2; i++) scene->bodies[i].model = model;
  def.frame_rate = 100;
  def.volume_frames = true;
  lbStatus status = LB_ERR_MEMORY;
  int64_t n = 0;
  for (; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbRun *run = NULL;
    lb_set_allocator(&allocator);
    status = lb_run(scene, &def, &run, &err);
    if (!status) status = lb_run_write_sequence(run, -1, output_path("heap.pvd"), &err);
    if (!status) status = lb_run_write_sequence(run, -1, output_path("heap.glb"), &err);
    lb_run_destroy(run);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status && status != LB_ERR_MEMORY) fail_msg("allocation %d: %s", (int)n, err.text);
  }
  print_message("  %d allocations\n", (int)n - 1);
  scene->bodies[1].model = NULL; // bodies[0] owns it
  lb_scene_destroy(scene);
}

// ---- the struck spoon --------------------------------------------------------------------------

// When a probe first comes back through its rest height.
static double first_return(const lbRun *run) {
  for (int32_t k = 5; k < run->step_count; k++) {
    double a = run->probes[3 * (size_t)k + 2], b = run->probes[3 * (size_t)k + 5];
    if (a < 0 && b >= 0) return (k + a / (a - b)) * run->scene->time_step;
  }
  return -1;
}

// scenes/spoon.json with another basis, written beside the other outputs.
static const char *spoon_with_basis(const char *name, const char *basis) {
  char *content = NULL;
  size_t bytes;
  lbError err;
  check_ok(lb_file_read("scenes/spoon.json", &content, &bytes, &err), err);
  const char *old = "\"basis\": \"derivatives\", \"modes\": 20, \"dimension\": 30",
             *at = strstr(content, old);
  if (!at) fail_msg("scenes/spoon.json does not have %s", old);
  const char *path = output_path(name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "%.*s\"basis\": %s%s", (int)(at - content), content, basis, at + strlen(old));
  fclose(file);
  lb_free(content);
  return path;
}

static lbRun *run_spoon(const char *path, bool full, const lbRunDef *def, lbScene **scene) {
  lbError err;
  check_ok(lb_scene_load(path, NULL, scene, &err), err);
  if (full) (*scene)->bodies[0].method = LB_METHOD_FULL;
  (*scene)->step_count = 180;
  (*scene)->newton_tolerance = 1e-6;
  return run_of(*scene, def);
}

// The shapes that the full spoon went through, as a basis of their own.
static void write_motion(const lbRun *run) {
  lbError err;
  lbNpzWriter writer;
  const lbMesh *mesh = run->scene->bodies[0].mesh;
  lbNpzArray array = { .name = "motion",
                       .type = LB_SCALAR_FLOAT64,
                       .dimension_count = 3,
                       .shape = { run->frame_count - 1, mesh->vertex_count, 3 },
                       .data = run->bodies[0].displacements + 3 * (size_t)mesh->vertex_count };
  check_ok(lb_npz_begin(&writer, output_path("spoon-motion.npz"), &err), err);
  check_ok(lb_npz_add(&writer, &array, &err), err);
  check_ok(lb_npz_commit(&writer, &err), err);
}

static void write_sketch(void) {
  FILE *file = fopen(output_path("spoon-sketch.json"), "w");
  assert_non_null(file);
  fprintf(file, "{ \"limber_sketch\": 1, \"loads\": [");
  for (int i = -6; i <= 6; i++)
    if (i)
      fprintf(file, "%s{ \"vertex\": 240, \"force\": [0, 0, %d] }", i == -6 ? "" : ", ", 4 * i);
  fprintf(file, "] }");
  fclose(file);
}

// After Barbič & James 2005, figure 12: the frequency of a wide swing is that of the full body with
// the shapes of that very motion and with modal derivatives, and nearly so with sketched shapes.
static void a_struck_spoon_swings_as_the_full_one(void **state) {
  (void)state;
  const struct {
    const char *name, *basis;
    double tolerance;
  } cases[] = {
    { "spoon-own.json", "{ \"file\": \"spoon-motion.npz\" }", 0.01 },
    { "spoon-derivatives.json", "\"derivatives\", \"modes\": 20, \"dimension\": 30", 0.01 },
    { "spoon-sketch-scene.json", "{ \"sketch\": \"spoon-sketch.json\" }, \"dimension\": 6", 0.1 }
  };
  lbScene *scene;
  lbRunDef def = lb_run_def();
  def.frame_rate = 60;
  def.volume_frames = true;
  lbRun *run = run_spoon("scenes/spoon.json", true, &def, &scene);
  double full = first_return(run);
  assert_true(full > 0);
  write_motion(run);
  write_sketch();
  lb_run_destroy(run);
  lb_scene_destroy(scene);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run = run_spoon(spoon_with_basis(cases[i].name, cases[i].basis), false, NULL, &scene);
    double reduced = first_return(run);
    print_message("  %s: r = %d, half a period %.4f s, full %.4f s, tolerance %g\n", cases[i].name,
                  (int)run->bodies[0].dimension, reduced, full, cases[i].tolerance);
    assert_int_equal(run->bodies[0].nonfinite_count, 0);
    check_small(reduced / full - 1, cases[i].tolerance);
    lb_run_destroy(run);
    lb_scene_destroy(scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_struck_spoon_swings_as_the_full_one),
    cmocka_unit_test(all_modes_move_as_the_unreduced_body_does),
    cmocka_unit_test(a_damped_body_comes_to_rest_in_the_static_solution),
    cmocka_unit_test(loads_act_in_their_window_and_in_world_axes),
    cmocka_unit_test(twins_in_a_batch_move_as_each_would_alone),
    cmocka_unit_test(frames_of_reduced_bodies_are_where_the_body_is),
    cmocka_unit_test(motion_is_written_in_every_format),
    cmocka_unit_test(a_volume_mesh_moves_by_the_displacement_of_its_nodes),
    cmocka_unit_test(a_method_that_the_model_lacks_is_refused),
    cmocka_unit_test(failed_allocations_of_a_reduced_run_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
