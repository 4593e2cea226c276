// Going on: at another time, beside another body, with another material, from another body's
// motion; and what a ray hits.
#include "../model/small_model.h"
#include "../scene/scene_text.h"

#include "limber/cook.h"
#include "limber/world.h"

#define SOFT "'material':{'model':'stvk','young':2e5,'poisson':0.3}"
#define LEFT "'fixed':{'box':[[-9,-9,-9],[1e-9,9,9]]}"
#define REDUCED "'reduce':{'basis':'linear','modes':10,'dimension':10,'editable':true}"
#define SHAKE                                                                                      \
  "'motion':{'times':[0,0.1,0.2],'positions':[[0,0,1],[0.05,0,1],[0,0.05,1.02]],'rotations':[[0,"  \
  "0,0,1],[0,0.1,0,1],[0.1,0,0.1,1]],'interpolation':'cubic'}"
#define SCENE                                                                                      \
  "{'limber':1,'gravity':[0,0,-9.81],'bodies':[{'name':'driven'," BAR "," SOFT "," LEFT            \
  ",'method':'subspace'," REDUCED "," SHAKE "},{'name':'free'," BAR "," SOFT                       \
  ",'method':'subspace'," REDUCED ",'velocity':{'linear':[1,0,2],'angular':[1,5,2]}}],"            \
  "'time':{'step':0.01,'count':30,'integrator':'euler','newton_iterations':7"                      \
  "}}"

static lbBundle *bundle;

static int set_up(void **state) {
  (void)state;
  lbError err;
  lbScene *scene = scene_of(SCENE);
  check_ok(lb_scene_bundle(scene, &bundle, &err), err);
  lb_scene_destroy(scene);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  lb_bundle_destroy(bundle);
  return 0;
}

static lbWorld *opened(void) {
  lbWorld *world = NULL;
  lbError err;
  check_ok(lb_world_open(bundle, NULL, &world, &err), err);
  return world;
}

static lbWorld *empty(lbVec3 gravity) {
  lbWorldSettings settings = lb_world_settings();
  lbWorld *world = NULL;
  lbError err;
  settings.gravity = gravity;
  check_ok(lb_world_create(&settings, &world, &err), err);
  return world;
}

static lbBodyId add(lbWorld *world, const lbModel *model, lbFrameKind frame, lbVec3 position) {
  lbBodyDef def = lb_body_def();
  lbBodyId id = 0;
  lbError err;
  def.frame = frame;
  def.position = position;
  check_ok(lb_world_add(world, model, &def, &id, &err), err);
  return id;
}

static const lbModel *model_of(int32_t body) {
  return bundle->models[bundle->world->body_models[body]];
}

static lbBody *body_at(const lbWorld *world, int32_t index) {
  return lb_world_body(world, lb_world_body_at(world, index));
}

// ---- time --------------------------------------------------------------------------------------

static void another_time_is_another_place_on_the_path(void **state) {
  (void)state;
  lbWorld *world = opened();
  lbPath *path = NULL;
  lbPathState at;
  lbError err;
  double before[32], after[32], rates[32];
  check_ok(lb_world_path(bundle->world, 0, &path, &err), err);
  for (int i = 0; i < 3; i++) lb_world_step(world, 0.01);
  lb_body_get_state(body_at(world, 0), before, rates);
  lbFrame free = lb_body_frame(body_at(world, 1));
  check_ok(lb_world_set_time(world, 0.125, &err), err);
  check_near(lb_world_time(world), 0.125, 0);
  lb_path_at(path, 0.125, &at);
  lbFrame frame = lb_body_frame(body_at(world, 0));
  check_small(lb_length(lb_sub(frame.position, lb_vec3_load(at.position))), 0);
  check_small(lb_length(lb_sub(frame.angular_velocity, lb_vec3_load(at.angular_velocity))), 0);
  lb_body_get_state(body_at(world, 0), after, rates); // nothing is felt
  assert_memory_equal(before, after, 10 * sizeof *before);
  lbFrame same = lb_body_frame(body_at(world, 1));
  assert_memory_equal(&free, &same, sizeof same);
  // On along the path from there.
  assert_int_equal(lb_world_step(world, 0.01) & LB_STEP_JUMPED, 0);
  lb_path_at(path, lb_world_time(world), &at);
  check_near(lb_world_time(world), 0.135, 1e-15);
  frame = lb_body_frame(body_at(world, 0));
  check_small(lb_length(lb_sub(frame.position, lb_vec3_load(at.position))), 1e-15);
  const double bad[] = { NAN, INFINITY, -1, 1e300 };
  for (int i = 0; i < 4; i++)
    check_fails(lb_world_set_time(world, bad[i], &err), LB_ERR_ARGUMENT, err, "time");
  check_near(lb_world_time(world), 0.135, 1e-15);
  lb_path_destroy(path);
  lb_world_destroy(world);
}

static void recordings_go_by_the_time(void **state) {
  (void)state;
  SmallModel small;
  lbModel *model = NULL;
  lbError err;
  lbBodyDef def = lb_body_def();
  lbBodyId id;
  double q[2][SMALL_RECORDED], v[2][SMALL_RECORDED];
  small_model_fill(&small);
  check_ok(lb_model_create(&small.draft, &model, &err), err);
  lbWorld *world = empty(lb_vec3(0, 0, 0));
  def.method = LB_METHOD_RECORDED;
  check_ok(lb_world_add(world, model, &def, &id, &err), err);
  lbBody *body = lb_world_body(world, id);
  size_t bytes = lb_world_state_bytes(world);
  void *beginning = malloc(bytes);
  check_ok(lb_world_save_state(world, beginning, bytes, &err), err);
  for (int i = 0; i < 5; i++) lb_world_step(world, 1.0 / 64);
  lb_body_get_state(body, q[0], v[0]);
  check_ok(lb_world_restore_state(world, beginning, bytes, &err), err);
  check_ok(lb_world_set_time(world, 5.0 / 64, &err), err);
  lb_body_get_state(body, q[1], v[1]);
  assert_memory_equal(q[0], q[1], sizeof q[0]);
  assert_true(q[0][0] != 0);
  lb_world_step(world, 1.0 / 64);
  lb_body_get_state(body, q[1], v[1]);
  check_near(q[1][0], small.recording_coordinates[3][0], 1e-14);
  free(beginning);
  lb_world_destroy(world);
  lb_model_destroy(model);
}

// ---- beside each other -------------------------------------------------------------------------

static void copies_go_along_a_path_beside_each_other(void **state) {
  (void)state;
  lbWorld *world = empty(lb_vec3(0, 0, -9.81));
  lbPath *path = NULL;
  lbError err;
  const lbVec3 shift = lb_vec3(4, 0, -1);
  check_ok(lb_world_path(bundle->world, 0, &path, &err), err);
  lbBodyId one = add(world, model_of(0), LB_FRAME_DRIVEN, lb_vec3(0, 0, 0));
  lbBodyId other = add(world, model_of(0), LB_FRAME_DRIVEN, lb_vec3(0, 0, 0));
  check_ok(lb_world_drive(world, one, path, &err), err);
  check_ok(lb_world_drive_beside(world, other, path, shift, &err), err);
  double q[2][32], v[32];
  for (int i = 0; i < 15; i++) {
    lbFrame a = lb_body_frame(lb_world_body(world, one)),
            b = lb_body_frame(lb_world_body(world, other));
    check_small(lb_length(lb_sub(lb_sub(b.position, a.position), shift)), 1e-15);
    assert_memory_equal(&a.rotation, &b.rotation, sizeof a.rotation);
    lb_world_step(world, 0.01);
  }
  lb_body_get_state(lb_world_body(world, one), q[0], v);
  lb_body_get_state(lb_world_body(world, other), q[1], v);
  for (int i = 0; i < 10; i++) check_near(q[0][i], q[1][i], 1e-12);
  check_fails(lb_world_drive_beside(world, one, path, lb_vec3(NAN, 0, 0), &err), LB_ERR_ARGUMENT,
              err, "position");
  check_fails(lb_world_drive_beside(world, 77, path, shift, &err), LB_ERR_ARGUMENT, err, "no body");
  lb_path_destroy(path);
  lb_world_destroy(world);
}

// ---- materials ---------------------------------------------------------------------------------

static double tip_of(const lbBody *body) {
  lbVec3 place = lb_vec3(0, 0, 0);
  lb_body_point(body, lb_point_node(2), &place, NULL); // of the far end
  return place.z;
}

static void a_material_is_set_for_all_of_a_batch(void **state) {
  (void)state;
  lbWorld *world = empty(lb_vec3(0, 0, -9.81));
  lbBatchDef batch = lb_batch_def();
  lbBodyId ids[4];
  lbError err;
  batch.count = 3;
  check_ok(lb_world_add_batch(world, model_of(0), &batch, ids, &err), err);
  ids[3] = add(world, model_of(0), LB_FRAME_DEFAULT, lb_vec3(0, 0, 0));
  for (int k = 1; k < 4; k += 2) // through a body of the batch, and through the single one
    check_ok(lb_world_set_material(world, ids[k], 0, 2e7, 0.3, 1000, &err), err);
  lbBodyId soft = add(world, model_of(0), LB_FRAME_DEFAULT, lb_vec3(0, 0, 0));
  for (int i = 0; i < 10; i++) lb_world_step(world, 0.01);
  double stiff = tip_of(lb_world_body(world, ids[0]));
  for (int i = 1; i < 4; i++) check_near(tip_of(lb_world_body(world, ids[i])), stiff, 1e-12);
  double sag = tip_of(lb_world_body(world, soft));
  print_message("  %.4g m stiff, %.4g m soft\n", stiff, sag);
  assert_true(sag < stiff - 0.01);
  check_fails(lb_world_set_material(world, ids[0], 9, 1e5, 0.3, 1000, &err), LB_ERR_ARGUMENT, err,
              "material");
  check_fails(lb_world_set_material(world, ids[3], 0, NAN, 0.3, 1000, &err), LB_ERR_ARGUMENT, err,
              "material");
  check_fails(lb_world_set_material(world, 99, 0, 1e5, 0.3, 1000, &err), LB_ERR_ARGUMENT, err,
              "no body");
  lb_world_destroy(world);
}

static void bodies_of_a_file_have_its_integration(void **state) {
  (void)state;
  lbBodyDef def = lb_world_body_def(bundle->world, 0);
  assert_int_equal(def.method, LB_METHOD_SUBSPACE);
  assert_int_equal(def.frame, LB_FRAME_DRIVEN);
  assert_int_equal(def.integrator, LB_INTEGRATOR_EULER);
  assert_int_equal(def.newton_iterations, 7);
  assert_int_equal(lb_world_body_def(bundle->world, 1).frame, LB_FRAME_DEFAULT);
}

// ---- rays --------------------------------------------------------------------------------------

static void a_ray_hits_the_nearest_body_where_it_is_now(void **state) {
  (void)state;
  lbWorld *world = empty(lb_vec3(0, 0, 0));
  lbBodyId ids[3], id;
  lbPick pick;
  lbError err;
  for (int i = 0; i < 3; i++) ids[i] = add(world, model_of(1), LB_FRAME_FREE, lb_vec3(0, 2 * i, 0));
  const lbVec3 along = lb_vec3(0, 2, 0), from = lb_vec3(0.5, -3, 0.05); // y from 0 to 0.1, 2 to ...
  check_ok(lb_world_pick(world, from, along, &id, &pick, &err), err);
  assert_true(id == ids[0]);
  check_near(pick.distance, 1.5, 1e-9); // in units of the direction
  check_near(pick.position.y, 0, 1e-9);
  check_ok(lb_world_pick(world, lb_vec3(0.5, 9, 0.05), lb_vec3(0, -1, 0), &id, &pick, &err), err);
  assert_true(id == ids[2]);
  check_ok(lb_world_pick(world, lb_vec3(0.5, 1, 0.05), along, &id, &pick, &err), err);
  assert_true(id == ids[1]); // those behind do not count
  check_ok(lb_world_pick(world, lb_vec3(0.5, -3, 0.15), along, &id, &pick, &err), err);
  assert_true(id == 0); // past all of them
  // The first flies away, and is hit where it has come to.
  lb_body_set_velocity(lb_world_body(world, ids[0]), lb_vec3(0, 0, 10), lb_vec3(0, 0, 0));
  for (int i = 0; i < 10; i++) lb_world_step(world, 0.01);
  check_ok(lb_world_pick(world, from, along, &id, &pick, &err), err);
  assert_true(id == ids[1]);
  check_ok(lb_world_pick(world, lb_vec3(0.5, -3, 1.05), along, &id, &pick, &err), err);
  assert_true(id == ids[0]);
  // Another is bent out of its place.
  double q[32] = { 0 }, v[32] = { 0 };
  lbBody *bent = lb_world_body(world, ids[1]);
  q[0] = 1;
  lb_body_set_state(bent, q, v);
  lbVec3 tip;
  lb_body_point(bent, lb_point_vertex(0), &tip, NULL);
  print_message("  bent by %.3g m\n", lb_body_reach(bent));
  check_ok(lb_world_pick(world, lb_vec3(tip.x, tip.y, 30), lb_vec3(0, 0, -1), &id, &pick, &err),
           err);
  check_ok(lb_world_remove(world, ids[1], &err), err);
  check_ok(lb_world_pick(world, from, along, &id, &pick, &err), err);
  assert_true(id == ids[2]);
  check_fails(lb_world_pick(world, from, lb_vec3(0, 0, 0), &id, &pick, &err), LB_ERR_ARGUMENT, err,
              "ray");
  check_fails(lb_world_pick(world, lb_vec3(NAN, 0, 0), along, &id, &pick, &err), LB_ERR_ARGUMENT,
              err, "ray");
  lb_world_destroy(world);
}

// ---- from another body -------------------------------------------------------------------------

// How far the nodes of two bodies are apart, and their velocities, at most; b stands `shift` away.
static double apart(const lbBody *a, const lbBody *b, lbVec3 shift, double *speed) {
  double most = 0;
  *speed = 0;
  for (int32_t n = 0; n < lb_body_model(a)->size.node_count; n++) {
    lbVec3 x[2], v[2];
    lb_body_point(a, lb_point_node(n), &x[0], &v[0]);
    lb_body_point(b, lb_point_node(n), &x[1], &v[1]);
    most = fmax(most, lb_length(lb_sub(lb_sub(x[1], x[0]), shift)));
    *speed = fmax(*speed, lb_length(lb_sub(v[1], v[0])));
  }
  return most;
}

static void a_body_goes_on_from_where_another_is(void **state) {
  (void)state;
  lbWorld *world = opened();
  lbError err;
  const lbVec3 shift = lb_vec3(3, 1, 0);
  for (int i = 0; i < 12; i++) lb_world_step(world, 0.01);
  lbBody *flying = body_at(world, 1), *led = body_at(world, 0);
  // The same method and vectors: exactly; and the spin, which belongs to the bent shape.
  lbBodyDef def = lb_body_def();
  lbBody *twin = NULL, *fewer = NULL, *stands = NULL;
  double q[2][32], v[2][32], speed;
  check_ok(lb_body_create(model_of(1), &def, &twin, &err), err);
  assert_int_equal(lb_body_adopt_motion(twin, flying, shift), LB_OK);
  lb_body_get_state(flying, q[0], v[0]);
  lb_body_get_state(twin, q[1], v[1]);
  assert_memory_equal(q[0], q[1], 10 * sizeof(double));
  check_small(apart(flying, twin, shift, &speed), 1e-12);
  check_small(speed, 1e-9);
  // Fewer vectors: near.
  def.mode_count = 6;
  check_ok(lb_body_create(model_of(1), &def, &fewer, &err), err);
  assert_int_equal(lb_body_adopt_motion(fewer, flying, shift), LB_OK);
  double off = apart(flying, fewer, shift, &speed);
  print_message("  6 of 10 vectors: %.3g m, %.3g m/s off\n", off, speed);
  check_small(off, 0.03);
  // A held body takes the shape of a driven one as it looks from its own place.
  def = lb_body_def();
  def.frame = LB_FRAME_HELD;
  lbFrame frame = lb_body_frame(led);
  def.position = frame.position, def.rotation = frame.rotation;
  check_ok(lb_body_create(model_of(0), &def, &stands, &err), err);
  assert_int_equal(lb_body_adopt_motion(stands, led, lb_vec3(0, 0, 0)), LB_OK);
  check_small(apart(led, stands, lb_vec3(0, 0, 0), &speed), 1e-9);
  lb_body_destroy(twin), lb_body_destroy(fewer), lb_body_destroy(stands);
  lb_world_destroy(world);
}

static void motions_of_other_objects_are_refused(void **state) {
  (void)state;
  SmallModel small;
  lbModel *model = NULL;
  lbBody *other = NULL, *recorded = NULL;
  lbError err;
  lbBodyDef def = lb_body_def();
  lbWorld *world = opened();
  small_model_fill(&small);
  check_ok(lb_model_create(&small.draft, &model, &err), err);
  check_ok(lb_body_create(model, &def, &other, &err), err);
  assert_int_equal(lb_body_adopt_motion(other, body_at(world, 0), lb_vec3(0, 0, 0)),
                   LB_ERR_ARGUMENT);
  assert_non_null(strstr(lb_body_message(other), "nodes"));
  def.method = LB_METHOD_RECORDED;
  check_ok(lb_body_create(model, &def, &recorded, &err), err);
  assert_int_equal(lb_body_adopt_motion(recorded, other, lb_vec3(0, 0, 0)), LB_ERR_UNSUPPORTED);
  assert_int_equal(lb_body_adopt_motion(other, other, lb_vec3(NAN, 0, 0)), LB_OK); // held: stays
  lb_body_destroy(other), lb_body_destroy(recorded);
  lb_model_destroy(model);
  lb_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(another_time_is_another_place_on_the_path),
    cmocka_unit_test(recordings_go_by_the_time),
    cmocka_unit_test(copies_go_along_a_path_beside_each_other),
    cmocka_unit_test(a_material_is_set_for_all_of_a_batch),
    cmocka_unit_test(bodies_of_a_file_have_its_integration),
    cmocka_unit_test(a_ray_hits_the_nearest_body_where_it_is_now),
    cmocka_unit_test(a_body_goes_on_from_where_another_is),
    cmocka_unit_test(motions_of_other_objects_are_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
