// Keys of "frames" in scenes, and what runs of such bodies write.
#include "../body/scene_bodies.h"

#include "limber/cook.h"
#include "limber/export.h"
#include "limber/file.h"
#include "limber/frames.h"
#include "limber/run.h"
#include "limber/world.h"
#include "meshio/rig.h"

#include <math.h>
#include <string.h>

#define FLEXIBLE_BAR                                                                               \
  "'name':'bar','method':'frames','mesh':{'generate':'bar','size':[1,0.2,0.2],'cells':[10,2,2],"   \
  "'element':'brick8'},'material':{'young':1e5,'poisson':0.3,'density':1000}"
#define PLACES "'positions':[[0.05,0.1,0.1],[0.5,0.1,0.1],[0.95,0.1,0.1]],'samples':320"
#define SCENE(frames, more)                                                                        \
  "{'limber':1,'time':{'step':0.01,'count':50},'bodies':[{" FLEXIBLE_BAR ",'frames':{" frames      \
  "}" more "}]}"

#define ASKING(integrator)                                                                         \
  ("{'limber':1,'time':{'integrator':'" integrator "'},'bodies':[{" FLEXIBLE_BAR                   \
   ",'frames':{" PLACES "}}]}")

static lbRun *run_of(const lbScene *scene, double rate) {
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  def.frame_rate = rate;
  check_ok(lb_run(scene, &def, &run, &err), err);
  return run;
}

// ---- driven frames -----------------------------------------------------------------------------

static void driven_frames_are_where_their_motions_say(void **state) {
  (void)state;
  lbScene *scene =
      scene_of(SCENE(PLACES ",'fixed':[0],'drive':{'2':{'times':[0,0.2,9],'positions':"
                            "[[0.95,0.1,0.1],[0.9,0.2,0.15],[0.9,0.2,0.15]],'rotations':"
                            "[[0,0,0,1],[0,0,0.6,0.8],[0,0,0.6,0.8]]}}",
                     ",'position':[1,2,3],'scale':2"));
  lbRun *run = run_of(scene, 100);
  const lbRunBody *body = &run->bodies[0];
  assert_int_equal(body->joint_count, 3);
  const double *last = body->joints + 21 * (size_t)(run->frame_count - 1);
  const double held[3] = { 1.1, 2.2, 3.2 }, start[3] = { 2.9, 2.2, 3.2 };
  const double goal[3] = { 1 + 2 * 0.9, 2 + 2 * 0.2, 3 + 2 * 0.15 };
  for (int k = 0; k < 3; k++) {
    check_near(last[k], held[k], 1e-9);
    check_near(last[14 + k], goal[k], 1e-9);
    check_near(body->joints[14 + k], start[k], 1e-9);
  }
  check_near(fabs(last[19]), 0.6, 1e-9);
  check_near(fabs(last[20]), 0.8, 1e-9);
  assert_int_equal(body->nonfinite_count, 0);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

// After its last key a driven frame stands there, at rest, and is still led.
static void a_drive_that_has_ended_holds_its_frame(void **state) {
  (void)state;
  lbScene *scene = scene_of(SCENE(PLACES ",'drive':{'2':{'times':[0,0.1],'positions':"
                                         "[[0.95,0.1,0.1],[0.9,0.15,0.1]]}}",
                                  ",'position':[0,0,0]"));
  lbRun *run = run_of(scene, 100);
  const lbRunBody *body = &run->bodies[0];
  const double last[3] = { 0.9, 0.15, 0.1 };
  for (int32_t f = 11; f < run->frame_count; f++)
    for (int k = 0; k < 3; k++)
      check_near(body->joints[21 * (size_t)f + 14 + (size_t)k], last[k], 1e-12);
  assert_int_equal(body->dimension, 12); // two frames move
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

static void find_warning(lbLogLevel level, const char *text, void *context) {
  if (level == LB_LOG_WARNING && strstr(text, "\"frames\" has \"euler\"")) ++*(int *)context;
}

static void an_integrator_that_frames_have_not_is_told(void **state) {
  (void)state;
  static const char *const forms[] = { SCENE(PLACES, ""), // nobody asks for any
                                       ASKING("euler"), ASKING("newmark") };
  for (int f = 0; f < 3; f++) {
    int warnings = 0;
    lb_set_log(find_warning, &warnings);
    lbScene *scene = scene_of(forms[f]);
    lb_set_log(NULL, NULL);
    assert_int_equal(warnings, f == 2);
    lb_scene_destroy(scene);
  }
}

static void find_ignored(lbLogLevel level, const char *text, void *context) {
  if (level == LB_LOG_WARNING && strstr(text, "is ignored by")) ++*(int *)context;
}

static void lengths_that_weights_do_not_use_are_told(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int warnings;
  } forms[] = { { SCENE(PLACES ",'radius':0.1,'cutoff':0.3,'weights':'geodesic'", ""), 0 },
                { SCENE(PLACES ",'radius':0.1,'cutoff':null", ""), 0 },
                { SCENE(PLACES ",'radius':0.1,'cutoff':0.3", ""), 1 },
                { SCENE(PLACES ",'radius':0.1,'cutoff':0.3,'weights':'linear'", ""), 2 } };
  for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
    int warnings = 0;
    lb_set_log(find_ignored, &warnings);
    lbScene *scene = scene_of(forms[f].text);
    lb_set_log(NULL, NULL);
    assert_int_equal(warnings, forms[f].warnings);
    lb_scene_destroy(scene);
  }
}

// What a scene is played from in the viewer, and by whoever opens a cooked file.
static void a_cooked_world_leads_its_frames(void **state) {
  (void)state;
  lbScene *scene = scene_of(SCENE(PLACES ",'drive':{'2':{'times':[0,0.2],'positions':"
                                         "[[0.95,0.1,0.1],[0.9,0.2,0.15]]}}",
                                  ""));
  lbBundle *bundle = NULL;
  lbWorld *world = NULL;
  lbError err;
  lbVec3 at;
  check_ok(lb_scene_bundle(scene, &bundle, &err), err);
  assert_int_equal(bundle->world->size.lead_count, 1);
  check_ok(lb_world_open(bundle, NULL, &world, &err), err);
  for (int i = 0; i < 25; i++) lb_world_step(world, 0.01);
  const lbBody *body = lb_world_body(world, lb_world_body_at(world, 0));
  assert_int_equal(lb_body_frames_pose(body, 2, &at, NULL), LB_OK);
  check_small(lb_length(lb_sub(at, lb_vec3(0.9, 0.2, 0.15))), 1e-9);
  lb_world_destroy(world);
  lb_bundle_destroy(bundle);
  lb_scene_destroy(scene);
}

static void wrong_drives_are_refused_by_name(void **state) {
  (void)state;
  check_refused(SCENE(PLACES ",'drive':{'3':{'times':[0],'positions':[[0,0,0]]}}", ""), "drive.3");
  check_refused(SCENE(PLACES ",'drive':{'x':{'times':[0],'positions':[[0,0,0]]}}", ""), "drive.x");
  check_refused(SCENE(PLACES ",'drive':{'1':{'times':[0],'rotations':[[0,0,0,1]]}}", ""),
                "positions");
  check_refused(SCENE(PLACES ",'drive':{'1':{}}", ""), "drive.1");
  check_refused(SCENE(PLACES ",'drive':[1]", ""), "drive");
  check_refused(SCENE(PLACES ",'drive':{'1':{'times':[0],'positions':[[0,0,0]]},"
                             "'01':{'times':[0],'positions':[[0,0,0]]}}",
                      ""),
                "twice");
}

// ---- bad input ---------------------------------------------------------------------------------

// A scene that can be read, but its model cannot be made.
static void check_no_model(const char *text, const char *part) {
  lbScene *scene = scene_of(text);
  lbModel *model = NULL;
  lbError err;
  check_fails(lb_scene_model(&scene->bodies[0], &model, &err), LB_ERR_ARGUMENT, err, part);
  assert_null(model);
  lb_scene_destroy(scene);
}

static void wrong_frames_are_refused_by_name(void **state) {
  (void)state;
  check_refused(SCENE("'count':0", ""), "frames.count: is 0");
  check_refused(SCENE("'positions':[]", ""), "frames.positions: must be a list");
  check_refused(SCENE("'weights':'weights.npy'", ""), "frames.weights: unknown");
  check_refused(SCENE("'contacts':9", ""), "frames.contacts: is 9");
  check_refused(SCENE("'contacts':{'spacing':0.1}", ""), "needs a \"most\"");
  check_refused(SCENE("'contacts':{'most':2,'spacing':0}", ""), "contacts.spacing");
  check_refused(SCENE("'contacts':{'most':2,'place':1}", ""), "unknown key \"place\"");
  check_no_model(SCENE("'count':5,'weights':'spline'", ""), "follow a chain");
  check_no_model(SCENE("'positions':[[0.5,0.1,0.1],[0.501,0.1,0.1]]", ""), "lie in one voxel");
  check_no_model(SCENE("'positions':[[0.5,0.1,0.1],[3,0.1,0.1]]", ""), "outside the object");
}

static void frames_at_contacts_are_cooked(void **state) {
  (void)state;
  lbScene *scene = scene_of("{'limber':1,'contact':{},'bodies':[{" FLEXIBLE_BAR ",'frames':{" PLACES
                            ",'contacts':{'most':3,'spacing':0.25}}}]}");
  lbBundle *bundle = NULL;
  lbWorld *world = NULL;
  lbError err;
  assert_int_equal(scene->bodies[0].contact_frames, 3);
  check_ok(lb_scene_bundle(scene, &bundle, &err), err);
  assert_non_null(bundle->world->body_contact_frames);
  assert_true(bundle->world->body_contact_frames[0] == 3);
  check_near(bundle->world->body_contact_frames[1], 0.25, 0);
  check_ok(lb_world_open(bundle, NULL, &world, &err), err);
  lb_world_destroy(world), lb_bundle_destroy(bundle), lb_scene_destroy(scene);
}

// A body's own "fixed" holds the frames with the largest weight at its vertices.
static void fixed_vertices_hold_the_frames_that_carry_them(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE(PLACES, ",'fixed':{'box':[[-9,-9,-9],[0.01,9,9]]}"));
  assert_int_equal(model->frame_fixed[0], 1);
  assert_int_equal(model->frame_fixed[1] + model->frame_fixed[2], 0);
  lb_model_destroy(model);
  model = model_of(SCENE(PLACES, ",'fixed':{'box':[[0.4,-9,-9],[0.99,9,9]]}"));
  assert_int_equal(model->frame_fixed[0], 0);
  assert_int_equal(model->frame_fixed[1] + model->frame_fixed[2], 2);
  lb_model_destroy(model);
}

// ---- rigid regions -----------------------------------------------------------------------------

static void rigid_regions_have_one_frame(void **state) {
  (void)state;
  static const char *const forms[] = {
    SCENE(PLACES ",'rigid':[{'box':[[0.3,-1,-1],[0.7,1,1]]}]", ""),
    SCENE("'count':4,'samples':320,'rigid':[{'box':[[0.3,-1,-1],[0.7,1,1]]}]", "")
  };
  for (int f = 0; f < 2; f++) {
    lbModel *model = model_of(forms[f]);
    int32_t owner = f == 0 ? 1 : 0, inside = 0;
    for (int32_t k = 0; k < model->size.sample_count; k++) {
      double x = model->sample_positions[3 * (size_t)k];
      if (x < 0.35 || x > 0.65) continue;
      assert_int_equal(model->sample_begin[k + 1] - model->sample_begin[k], 1);
      assert_int_equal(model->sample_frames[model->sample_begin[k]], owner);
      inside++;
    }
    assert_true(inside > 50);
    lb_model_destroy(model);
  }
  check_refused(SCENE(PLACES ",'rigid':[{'group':'bone'}]", ""), "bone");
  check_refused(SCENE(PLACES ",'rigid':[]", ""), "rigid");
  check_refused(SCENE(PLACES ",'rigid':[{'box':[[0,0,0],[1,1,1]]},{'box':[[0,0,0],[1,1,1]]}]", ""),
                "too");
}

// ---- fewer samples -----------------------------------------------------------------------------

static lbVec3 sag_of(const lbModel *model) {
  lbBodyDef def = lb_body_def();
  lbBody *body = NULL;
  lbError err;
  lbVec3 at;
  def.gravity = lb_vec3(0, 0, -0.5);
  check_ok(lb_body_create(model, &def, &body, &err), err);
  for (int i = 0; i < 100; i++) lb_body_step(body, 0.1);
  assert_int_equal(lb_body_point(body, lb_point_node(10), &at, NULL), LB_OK);
  lb_body_destroy(body);
  return lb_sub(at, lb_vec3_load(model->node_positions + 30));
}

static void fewer_samples_bend_as_all_do(void **state) {
  (void)state;
#define DAMPED_HELD ",'damping':{'mass':3},'fixed':{'box':[[-9,-9,-9],[0.01,9,9]]}"
  lbModel *all = model_of(SCENE("'count':4,'samples':320", DAMPED_HELD));
  lbModel *few = model_of(SCENE("'count':4,'samples':{'voxels':320,'error':0.02}", DAMPED_HELD));
  lbModel *some = model_of(SCENE("'count':4,'samples':{'voxels':320,'count':60}", DAMPED_HELD));
  int32_t kept[2] = { 0, 0 };
  double mass = 0, whole = 0;
  for (int32_t k = 0; k < few->size.sample_count; k++) {
    kept[0] += few->sample_shares[2 * k] > 0;
    kept[1] += some->sample_shares[2 * k] > 0;
    whole += few->sample_masses[k];
    mass += few->sample_masses[k] * few->sample_shares[2 * k + 1];
  }
  lbVec3 a = sag_of(all), b = sag_of(few), c = sag_of(some);
  double off = lb_length(lb_sub(a, b)) / lb_length(a),
         other = lb_length(lb_sub(a, c)) / lb_length(a);
  printf("  %d and %d of %d samples: sag off by %.1e, %.1e; mass by %.1e\n", (int)kept[0],
         (int)kept[1], (int)few->size.sample_count, off, other, fabs(mass / whole - 1));
  assert_true(kept[0] < few->size.sample_count / 2 && kept[1] <= 60);
  check_small(fabs(mass / whole - 1), 1e-12);
  check_small(off, 0.05);
  check_small(other, 0.1);
  lb_model_destroy(all), lb_model_destroy(few), lb_model_destroy(some);
  check_refused(SCENE("'count':4,'samples':{'voxels':320}", ""), "samples");
  check_refused(SCENE("'count':4,'samples':{'error':2}", ""), "below 1");
  check_refused(SCENE("'count':4,'samples':{'error':-1}", ""), "error");
}

// ---- skinned animations ------------------------------------------------------------------------

static void a_run_of_frames_is_written_with_joints(void **state) {
  (void)state;
  lbScene *scene = scene_of(SCENE(PLACES ",'fixed':[0]", ""));
  lbRun *run = run_of(scene, 20);
  double error = -1;
  lbError err;
  const char *path = output_path("frames.glb");
  char *bytes = NULL;
  size_t count = 0;
  lbMesh *mesh = NULL;
  lbRig *rig = NULL;
  check_ok(lb_run_write_animation(run, path, &error, &err), err);
  check_ok(lb_file_read(path, &bytes, &count, &err), err);
  check_ok(lb_rig_read(path, bytes, count, &mesh, &rig, &err), err);
  assert_int_equal(rig->joint_count, 3);
  printf("  linear blending is off by %.1e m\n", error);
  check_small(error, 0.011);
  lb_rig_destroy(rig);
  lb_mesh_destroy(mesh);
  lb_free(bytes);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(driven_frames_are_where_their_motions_say),
    cmocka_unit_test(a_drive_that_has_ended_holds_its_frame),
    cmocka_unit_test(an_integrator_that_frames_have_not_is_told),
    cmocka_unit_test(lengths_that_weights_do_not_use_are_told),
    cmocka_unit_test(a_cooked_world_leads_its_frames),
    cmocka_unit_test(wrong_drives_are_refused_by_name),
    cmocka_unit_test(wrong_frames_are_refused_by_name),
    cmocka_unit_test(frames_at_contacts_are_cooked),
    cmocka_unit_test(fixed_vertices_hold_the_frames_that_carry_them),
    cmocka_unit_test(rigid_regions_have_one_frame),
    cmocka_unit_test(fewer_samples_bend_as_all_do),
    cmocka_unit_test(a_run_of_frames_is_written_with_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
