// The key "pose" of scenes: motions that start from a pose, in runs, worlds and cooked files.
#include "check.h"

#include "limber/cook.h"
#include "limber/pose.h"
#include "limber/run.h"
#include "limber/world.h"
#include "scene/read.h"

#include <math.h>

#define SCENE(method, place, pose)                                                                 \
  "{ \"limber\": 1, \"bodies\": [{ \"name\": \"bar\", \"mesh\": { \"generate\": \"bar\","          \
  "\"size\": [1, 0.3, 0.2], \"cells\": [4, 1, 1], \"element\": \"brick8\" }," place                \
  "\"material\": { \"model\": \"stvk\", \"young\": 1e6, \"poisson\": 0.3, \"density\": 1000 },"    \
  "\"method\": \"" method "\", \"reduce\": { \"modes\": 5 }, \"pose\": " pose " }],"               \
  "\"time\": { \"step\": 0.004, \"count\": 10 } }"
#define LEFT "\"fixed\": { \"group\": \"left\" }, \"position\": [0, 0, 2],"
#define BENT                                                                                       \
  "{ \"handles\": [{ \"name\": \"end\", \"group\": \"right\", \"translate\": [0, 0, 0.2] }] }"
#define TURNED                                                                                     \
  "{ \"handles\": [{ \"name\": \"a\", \"group\": \"left\","                                        \
  "\"rotate\": { \"axis\": [0, 0, 1], \"degrees\": 90, \"centre\": [0, 0, 0] } },"                 \
  "{ \"name\": \"b\", \"group\": \"right\","                                                       \
  "\"rotate\": { \"axis\": [0, 0, 1], \"degrees\": 90, \"centre\": [0, 0, 0] } }] }"
#define AT "\"position\": [0, 0, 2], \"rotation\": [0, 0, 0, 1],"

static lbScene *read(const char *json) {
  lbScene *scene = NULL;
  lbError err;
  check_ok(lb_scene_read(output_path("start.json"), json, strlen(json), &scene, &err), err);
  return scene;
}

static lbWorld *open_world(const lbBundle *bundle) {
  lbWorld *world = NULL;
  lbError err;
  check_ok(lb_world_open(bundle, NULL, &world, &err), err);
  return world;
}

// The surface of the scene's only body as its world begins (vertices x 3).
static double *surface_of(const lbWorld *world, int32_t *count) {
  const lbBody *body = lb_world_body((lbWorld *)world, lb_world_body_at(world, 0));
  *count = 3 * lb_body_model(body)->size.vertex_count;
  double *x = calloc((size_t)*count, sizeof *x);
  lb_body_surface(body, x);
  return x;
}

static double largest_difference(int32_t count, const double *a, const double *b, lbVec3 shift) {
  const double by[3] = { shift.x, shift.y, shift.z };
  double worst = 0;
  for (int32_t i = 0; i < count; i++) worst = fmax(worst, fabs(a[i] - b[i] - by[i % 3]));
  return worst;
}

// A world begins in the pose that `limber edit` finds, where the scene puts the body; a file that
// was cooked begins with the same bits, as does one that was cooked from that.
static void check_start(const char *json, const char *script) {
  lbScene *scene = read(json);
  lbBundle *bundle = NULL, *cooked = NULL;
  lbPoseDef def = lb_pose_def();
  lbPose *pose = NULL;
  lbError err;
  int32_t count[2];
  def.script.json = script;
  def.script.path = "script";
  check_ok(lb_pose(scene, 0, &def, &pose, &err), err);
  check_ok(lb_scene_bundle(scene, &bundle, &err), err);
  check_ok(lb_scene_cook(scene, output_path("start.glb"), NULL, &err), err);
  check_ok(lb_bundle_load(output_path("start.glb"), &cooked, &err), err);
  lbWorld *world = open_world(bundle), *other = open_world(cooked);
  double *x = surface_of(world, &count[0]), *y = surface_of(other, &count[1]);
  double off = largest_difference(count[0], x, pose->surface, lb_vec3(0, 0, 2));
  double bent = largest_difference(count[0], x, pose->model->vertex_positions, lb_vec3(0, 0, 2));
  print_message("posed by %.3g m, off by %.2e m\n", bent, off);
  assert_true(bent > 0.15);
  check_small(off, 1e-12);
  assert_int_equal(count[0], count[1]);
  assert_memory_equal(x, y, (size_t)count[0] * sizeof *x);
  free(x), free(y);
  lb_world_destroy(world), lb_world_destroy(other);
  lb_bundle_destroy(bundle), lb_bundle_destroy(cooked);
  lb_pose_destroy(pose);
  lb_scene_destroy(scene);
}

static void worlds_and_cooked_files_begin_in_the_pose(void **state) {
  (void)state;
  check_start(SCENE("subspace", LEFT, BENT), BENT);
}

static void a_free_body_begins_where_its_handles_are(void **state) {
  (void)state;
  check_start(SCENE("subspace", AT, TURNED), TURNED);
}

static lbRun *run_of(const char *path) {
  lbScene *scene = NULL;
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  def.frame_rate = 250;
  check_ok(lb_scene_load(path, NULL, &scene, &err), err);
  check_ok(lb_run(scene, &def, &run, &err), err);
  lb_scene_destroy(scene);
  return run;
}

static void write_text(const char *name, const char *text) {
  FILE *file = fopen(output_path(name), "wb");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static void runs_of_scenes_and_of_cooked_ones_are_the_same(void **state) {
  (void)state;
  lbScene *scene = NULL;
  lbError err;
  write_text("start-bent.json", BENT);
  write_text("start-file.json", SCENE("subspace", LEFT, "\"start-bent.json\""));
  write_text("start-inline.json", SCENE("subspace", LEFT, BENT));
  check_ok(lb_scene_load(output_path("start-file.json"), NULL, &scene, &err), err);
  check_ok(lb_scene_cook(scene, output_path("start-run.glb"), NULL, &err), err);
  lb_scene_destroy(scene);
  lbRun *runs[] = { run_of(output_path("start-inline.json")),
                    run_of(output_path("start-file.json")), run_of(output_path("start-run.glb")) };
  const lbRunBody *first = &runs[0]->bodies[0];
  size_t bytes = (size_t)runs[0]->frame_count * (size_t)first->shape_count * sizeof(double);
  assert_true(runs[0]->frame_count > 5 && bytes > 0);
  assert_true(fabs(first->coordinates[0]) > 1e-3);
  for (int i = 1; i < 3; i++)
    assert_memory_equal(runs[i]->bodies[0].coordinates, first->coordinates, bytes);
  for (int i = 0; i < 3; i++) lb_run_destroy(runs[i]);
}

static void refuse_scene(const char *json, const char *why) {
  lbScene *scene = NULL;
  lbBundle *bundle = NULL;
  lbError err = { 0 };
  lbStatus status = lb_scene_read(output_path("start.json"), json, strlen(json), &scene, &err);
  if (!status) status = lb_scene_bundle(scene, &bundle, &err);
  assert_int_not_equal(status, LB_OK);
  if (!strstr(err.text, why)) fail_msg("\"%s\" does not say \"%s\"", err.text, why);
  lb_scene_destroy(scene);
}

static void bad_poses_are_refused_by_name(void **state) {
  (void)state;
  refuse_scene(SCENE("modal", LEFT, BENT), "bodies[0].pose: handles pose bodies of the method");
  refuse_scene(SCENE("full", LEFT, BENT), "has \"full\"");
  refuse_scene(SCENE("subspace", LEFT, "{ \"handles\": [] }"), "pose: handles: must be a list");
  refuse_scene(SCENE("subspace", LEFT, "{}"), "at least one handle");
  refuse_scene(SCENE("subspace", LEFT, "7"), "must be an edit script or the name of its file");
  refuse_scene(SCENE("subspace", LEFT, "\"nowhere.json\""), "nowhere.json");
  refuse_scene(
      SCENE("subspace", LEFT, "{ \"handles\": [{ \"name\": \"a\", \"group\": \"hat\" }] }"),
      "\"hat\"");
  refuse_scene(SCENE("subspace", LEFT, "{ \"handels\": [] }"), "handels");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(worlds_and_cooked_files_begin_in_the_pose),
    cmocka_unit_test(a_free_body_begins_where_its_handles_are),
    cmocka_unit_test(runs_of_scenes_and_of_cooked_ones_are_the_same),
    cmocka_unit_test(bad_poses_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
