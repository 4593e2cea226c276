// Cooking: one file with every model once, which runs to the same bits as the scene.
#include "../scene/scene_text.h"

#include "limber/build_model.h"
#include "limber/cook.h"
#include "limber/run.h"

#include <unistd.h>

#define STEM(more)                                                                                 \
  "{'name':'stem'," BAR ",'material':{'young':2e4},'fixed':{'group':'left'},'method':'modal',"     \
  "'damping':{'mass':0.1,'stiffness':0.001},'reduce':{'modes':8}" more "}"

static const char ball[] =
    "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\n"
    "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";

static lbRun *run_of(const lbScene *scene) {
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  check_ok(lb_run(scene, &def, &run, &err), err);
  return run;
}

static void check_cooked(const char *text, int32_t models) {
  lbScene *scene = scene_of(text), *cooked = NULL;
  lbCookReport report;
  lbError err;
  check_ok(lb_scene_cook(scene, output_path("cooked.glb"), &report, &err), err);
  assert_int_equal(report.model_count, models);
  assert_int_equal(report.body_count, scene->body_count);
  check_ok(lb_scene_load(output_path("cooked.glb"), NULL, &cooked, &err), err);
  assert_int_equal(cooked->body_count, scene->body_count);
  assert_int_equal(cooked->bundle->model_count, models);
  lbRun *a = run_of(scene), *b = run_of(cooked);
  assert_int_equal(a->step_count, b->step_count);
  size_t bytes = 3 * sizeof(double) * ((size_t)a->step_count + 1) * (size_t)scene->probe_count;
  assert_true(bytes > 0);
  assert_memory_equal(a->probes, b->probes, bytes);
  for (int32_t i = 0; i < scene->body_count; i++) {
    assert_string_equal(scene->bodies[i].name, cooked->bodies[i].name);
    assert_memory_equal(&a->bodies[i].state, &b->bodies[i].state, sizeof a->bodies[i].state);
  }
  for (int32_t i = 0; i < scene->probe_count; i++)
    assert_int_equal(scene->probes[i].vertex, cooked->probes[i].vertex);
  lb_run_destroy(a), lb_run_destroy(b);
  lb_scene_destroy(cooked);
  lb_scene_destroy(scene);
}

#define TIME "'time':{'step':0.01,'count':12}"
static void a_cooked_file_runs_to_the_bits_of_its_scene(void **state) {
  (void)state;
  check_cooked("{'limber':1,'gravity':[0,0,-9.81],'bodies':[" STEM(
                   "") "],'loads':[{'vertex':11,"
                       "'force':[0.1,0,0.2],'from':0,'to':0.05}],'probes':[{'vertex':11}]," TIME
                       "}",
               1);
  check_cooked(
      "{'limber':1,'gravity':[0,0,-9.81],'bodies':[" STEM(
          ",'instances':3,'position':[[0,0,0],[0,1,0],[0,2,0]],'rotation':[1,2,3,4],"
          "'scale':[[1,1,1],[1,1,1],[2,2,2]],'velocity':{'angular':[0,0,1]}") "],"
                                                                              "'probes':[{'body':'"
                                                                              "stem.2','vertex':11}"
                                                                              ",{'body':'stem.1','"
                                                                              "vertex':3}]," TIME
                                                                              "}",
      2);
}

static void ids_of_surfaces_and_models_survive_cooking(void **state) {
  (void)state;
  write_text("cook.obj", ball);
  check_cooked("{'limber':1,'gravity':[0,0,-9.81],'bodies':[{'mesh':{'surface':'cook.obj',"
               "'voxelise':4},'material':{},'fixed':{'vertices':[5]},'method':'modal','reduce':"
               "{'modes':5}}],'loads':[{'vertex':0,'force':[0,1,0]}],'probes':[{'vertex':4}]," TIME
               "}",
               1);
  lbScene *scene = scene_of("{'limber':1,'bodies':[" STEM("") "]}");
  lbModel *model = NULL;
  lbError err;
  check_ok(lb_scene_model(scene->bodies, &model, &err), err);
  check_ok(lb_model_save(model, output_path("cook-stem.glb"), &err), err);
  lb_model_destroy(model);
  lb_scene_destroy(scene);
  check_cooked("{'limber':1,'gravity':[0,0,-9.81],'bodies':[{'name':'a','model':'cook-stem.glb'},"
               "{'name':'b','model':'cook-stem.glb'},{'name':'c','model':'cook-stem.glb',"
               "'damping':{'mass':2}}],'probes':[{'body':'c','vertex':11},{'body':'b','vertex':"
               "5}]," TIME "}",
               2);
}

// ---- bare and single ---------------------------------------------------------------------------

#define BENDING                                                                                    \
  "{'limber':1,'gravity':[0,0,-9.81],'bodies':[{'name':'s'," BAR ",'material':{'young':2e4},"      \
  "'fixed':{'group':'left'},'method':'subspace','reduce':{'modes':4,'dimension':8}},{'name':'f'"   \
  "," BAR                                                                                          \
  ",'material':{'young':2e4},'fixed':{'group':'left'}}],'probes':[{'body':'s','vertex':11},"       \
  "{'body':'f','vertex':11}],'time':{'step':0.01,'count':40}}"

static long cook_with(const lbScene *scene, bool bare, bool single, lbScene **cooked) {
  lbCookDef def = lb_cook_def();
  lbCookReport report;
  lbError err;
  def.bare = bare, def.single = single;
  check_ok(lb_scene_cook_with(scene, &def, output_path("with.glb"), &report, &err), err);
  assert_int_equal(report.model_count, 2);
  assert_int_equal(report.recorded_count, 1);
  check_ok(lb_scene_load(output_path("with.glb"), NULL, cooked, &err), err);
  FILE *file = fopen(output_path("with.glb"), "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  long bytes = ftell(file);
  fclose(file);
  return bytes;
}

static void bare_files_have_the_same_models_and_no_glTF_part(void **state) {
  (void)state;
  lbScene *scene = scene_of(BENDING), *usual = NULL, *bare = NULL;
  long usual_bytes = cook_with(scene, false, false, &usual);
  long bare_bytes = cook_with(scene, true, false, &bare);
  print_message("  %ld bytes, bare %ld\n", usual_bytes, bare_bytes);
  assert_true(bare_bytes < usual_bytes);
  for (int32_t m = 0; m < 2; m++)
    for (int32_t i = 0; i < lb_model_array_count(); i++) {
      lbArrayView a = lb_model_array(usual->bundle->models[m], i);
      lbArrayView b = lb_model_array(bare->bundle->models[m], i);
      size_t items = 1;
      for (int k = 0; k < a.rank; k++) items *= (size_t)a.shape[k];
      assert_int_equal(!a.data, !b.data);
      if (a.data) assert_memory_equal(a.data, b.data, items * lb_array_item_bytes(a.type));
    }
  lb_scene_destroy(usual), lb_scene_destroy(bare);
  lb_scene_destroy(scene);
}

static void single_files_have_values_of_single_precision_and_move_alike(void **state) {
  (void)state;
  lbScene *scene = scene_of(BENDING), *cooked = NULL;
  cook_with(scene, true, true, &cooked);
  const lbModel *model = cooked->bodies[0].model, *recorded = cooked->bodies[1].model;
  const lbModelSizes *size = &model->size;
  for (size_t i = 0; i < 3 * (size_t)size->node_count * (size_t)size->subspace_dimension; i++)
    assert_true(model->subspace_basis[i] == (float)model->subspace_basis[i]);
  for (int32_t i = 0; i < size->packed4_count; i++)
    assert_true(model->subspace_cubic[i] == (float)model->subspace_cubic[i]);
  for (int32_t i = 0; i < size->carrier_count; i++)
    assert_true(model->carrier_weights[i] == (float)model->carrier_weights[i]);
  for (int32_t i = 0; i < recorded->size.recording_frames; i++)
    assert_true(recorded->recording_coordinates[i] == (float)recorded->recording_coordinates[i]);
  bool linear_kept = false;
  for (int32_t i = 0; i < size->packed2_count; i++)
    linear_kept |= model->subspace_linear[i] != (float)model->subspace_linear[i];
  assert_true(linear_kept);
  assert_non_null(strstr(model->provenance, "values: single precision"));
  lbRun *a = run_of(scene), *b = run_of(cooked);
  double most = 0, error = 0;
  for (size_t i = 0; i < 6 * ((size_t)a->step_count + 1); i++) {
    most = fmax(most, fabs(a->probes[i]));
    error = fmax(error, fabs(a->probes[i] - b->probes[i]));
  }
  print_message("  amplitude %.3g m\n", most);
  check_near(error / most, 0, 2e-3);
  lb_run_destroy(a), lb_run_destroy(b);
  lb_scene_destroy(cooked);
  lb_scene_destroy(scene);
}

static void titles_views_and_settings_survive_cooking(void **state) {
  (void)state;
  lbScene *scene = scene_of("{'limber':1,'title':'Stem','try':'Pull it.','view':{'from':[1,2,3],"
                            "'at':[0,0,1],'fov':50,'ground':false},'bodies':[" STEM(
                                "") "],'time':{'step':0.25,'count':3,'integrator':'euler',"
                                    "'newton_iterations':7,'newton_tolerance':1e-6}}"),
          *cooked = NULL;
  lbError err;
  check_ok(lb_scene_cook(scene, output_path("told.glb"), NULL, &err), err);
  check_ok(lb_scene_load(output_path("told.glb"), NULL, &cooked, &err), err);
  assert_string_equal(cooked->title, "Stem");
  assert_string_equal(cooked->hint, "Pull it.");
  assert_memory_equal(&cooked->view, &scene->view, sizeof scene->view);
  assert_int_equal(cooked->integrator, LB_INTEGRATOR_EULER);
  assert_int_equal(cooked->newton_iterations, 7);
  check_near(cooked->newton_tolerance, 1e-6, 0);
  lb_scene_destroy(cooked);
  lb_scene_destroy(scene);
}

// Worlds of other makers may name points that scenes cannot.
static void points_without_a_number_are_refused(void **state) {
  (void)state;
  write_text("cook.obj", ball);
  lbScene *scene = scene_of("{'limber':1,'bodies':[{'mesh':{'surface':'cook.obj','voxelise':4},"
                            "'material':{},'fixed':{'vertices':[5]},'method':'modal','reduce':"
                            "{'modes':5}}],'probes':[{'vertex':4}]}");
  lbBundle *bundle = NULL;
  lbScene *cooked = NULL;
  lbError err;
  check_ok(lb_scene_cook(scene, output_path("points.glb"), NULL, &err), err);
  check_ok(lb_bundle_load(output_path("points.glb"), &bundle, &err), err);
  lbWorldDef world = *bundle->world;
  const int32_t kind = LB_POINT_NODE;
  world.probe_kinds = &kind;
  check_ok(lb_build_save(bundle->models, 1, &world, output_path("nodes.glb"), &err), err);
  check_fails(lb_scene_load(output_path("nodes.glb"), NULL, &cooked, &err), LB_ERR_UNSUPPORTED, err,
              "probe 0 is at a node of body \"body\"");
  assert_null(cooked);
  lb_bundle_destroy(bundle);
  lb_scene_destroy(scene);
}

static void unreduced_bodies_without_steps_to_record_are_refused_by_name(void **state) {
  (void)state;
  lbScene *scene = scene_of("{'limber':1,'bodies':[" STEM("") "," BODY "]}");
  lbError err;
  remove(output_path("refused.glb"));
  check_fails(lb_scene_cook(scene, output_path("refused.glb"), NULL, &err), LB_ERR_ARGUMENT, err,
              "body \"bar\" has the method \"full\"");
  assert_false(access(output_path("refused.glb"), F_OK) == 0);
  lb_scene_destroy(scene);
}

static void failed_allocations_are_reported_and_write_nothing(void **state) {
  (void)state;
  lbScene *scene = scene_of("{'limber':1,'bodies':[" STEM(
      ",'instances':2") "],'loads':[{'body':"
                        "'stem.1','vertex':1,'force':[1,0,0]}],'probes':[{'body':'stem.0',"
                        "'vertex':1}]," TIME "}");
  lbModel *model = NULL;
  lbError err;
  check_ok(lb_scene_model(scene->bodies, &model, &err), err); // the modes are tested elsewhere
  for (int i = 0; i < 2; i++) scene->bodies[i].model = model;
  const char *path = output_path("cook-heap.glb");
  remove(path);
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t n = 0; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    status = lb_scene_cook(scene, path, NULL, &err);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    assert_int_equal(access(path, F_OK) == 0, status == LB_OK);
    if (status && status != LB_ERR_MEMORY) fail_msg("allocation %d: %s", (int)n, err.text);
  }
  scene->bodies[1].model = NULL; // bodies[0] owns it
  lb_scene_destroy(scene);
}

static void arrays_are_written_for_numpy(void **state) {
  (void)state;
  lbScene *scene = scene_of("{'limber':1,'bodies':[" STEM("") "]}");
  lbModel *model = NULL;
  lbError err;
  check_ok(lb_scene_model(scene->bodies, &model, &err), err);
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t n = 0; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    status = lb_model_write_npz(model, output_path("stem.npz"), &err);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status && status != LB_ERR_MEMORY) fail_msg("allocation %d: %s", (int)n, err.text);
  }
  FILE *file = fopen(output_path("stem.npz"), "rb");
  static char bytes[1 << 20];
  assert_non_null(file);
  size_t count = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  static const char *const names[] = { "modal.basis.npy", "basis.npy", "masses.npy",
                                       "frequencies_hz.npy", "damping_ratios.npy" };
  for (size_t i = 0; i < 5; i++)
    if (!memmem(bytes, count, names[i], strlen(names[i]))) fail_msg("%s is missing", names[i]);
  lb_model_destroy(model);
  lb_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_cooked_file_runs_to_the_bits_of_its_scene),
    cmocka_unit_test(ids_of_surfaces_and_models_survive_cooking),
    cmocka_unit_test(bare_files_have_the_same_models_and_no_glTF_part),
    cmocka_unit_test(single_files_have_values_of_single_precision_and_move_alike),
    cmocka_unit_test(titles_views_and_settings_survive_cooking),
    cmocka_unit_test(points_without_a_number_are_refused),
    cmocka_unit_test(unreduced_bodies_without_steps_to_record_are_refused_by_name),
    cmocka_unit_test(failed_allocations_are_reported_and_write_nothing),
    cmocka_unit_test(arrays_are_written_for_numpy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
