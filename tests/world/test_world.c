// Worlds: bodies that come and go, loads, paths, probes, steps, states; cooked ones opened.
#include "../scene/scene_text.h"

#include "limber/cook.h"
#include "limber/run.h"
#include "limber/world.h"

#define SOFT "'material':{'model':'stvk','young':2e5,'poisson':0.3}"
#define LEFT "'fixed':{'box':[[-9,-9,-9],[1e-9,9,9]]}"
#define SUBSPACE "'method':'subspace','reduce':{'basis':'linear','modes':10,'dimension':10}"
#define MODAL "'method':'modal','reduce':{'modes':8}"
#define SHAKE                                                                                      \
  "'motion':{'times':[0,0.1,0.2],'positions':[[0,0,1],[0.05,0,1],[0,0.05,1.02]],'rotations':[[0,"  \
  "0,"                                                                                             \
  "0,1],[0,0.1,0,1],[0.1,0,0.1,1]],'interpolation':'cubic','cycle':true}"
#define ITEM(name, more) "{'name':'" name "'," BAR "," SOFT "," more "}"
// One of each: held, driven, free; subspace and modal.
#define ALL                                                                                                                                                                                                       \
  "{'limber':1,'gravity':[0,0,-9.81],'bodies':[" ITEM(                                                                                                                                                            \
      "held", LEFT                                                                                                                                                                                                \
      "," SUBSPACE ",'position':[0,"                                                                                                                                                                              \
      "3,0],'rotation':"                                                                                                                                                                                          \
      "[1,2,3,4]") "," ITEM("driven", LEFT                                                                                                                                                                        \
                            "," SUBSPACE                                                                                                                                                                          \
                            "," SHAKE) "," ITEM("thrown", SUBSPACE                                                                                                                                                \
                                                ",'velocity':{'linear':[1,0,2],'angular':[1,5,2]"                                                                                                                 \
                                                "}") "," ITEM("hung", LEFT                                                                                                                                        \
                                                              "," MODAL) "," ITEM("flying", MODAL                                                                                                                 \
                                                                                  ",'velocity':{'"                                                                                                                \
                                                                                  "linear':[0,1,"                                                                                                                 \
                                                                                  "2],'angular':["                                                                                                                \
                                                                                  "3,0,1]}") "," ITEM("carried",                                                                                                  \
                                                                                                      MODAL                                                                                                       \
                                                                                                      "," SHAKE) "],"                                                                                             \
                                                                                                                 "'loads':[{'body':'held','vertex':11,'force':[0,0,-0.1],'from':0},{'body':'thrown','vertex':11," \
                                                                                                                 "'force':[0.2,0,0.1],'to':0.05},{'body':'hung','vertex':5,'force':[0,0.1,0],'from':0.02}],"      \
                                                                                                                 "'probes':[{'body':'held','vertex':11},{'body':'driven','vertex':11},{'body':'thrown','vertex':" \
                                                                                                                 "11},{'body':'hung','vertex':11},{'body':'flying','vertex':0},{'body':'carried','vertex':3}],"   \
                                                                                                                 "'time':{'step':0.01,'count':30}}"

static lbScene *scene;
static lbBundle *bundle;

static int set_up(void **state) {
  (void)state;
  lbError err;
  scene = scene_of(ALL);
  check_ok(lb_scene_bundle(scene, &bundle, &err), err);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  lb_bundle_destroy(bundle);
  lb_scene_destroy(scene);
  return 0;
}

static lbWorld *world_of(const lbWorldSettings *settings) {
  lbWorld *world = NULL;
  lbError err;
  check_ok(lb_world_open(bundle, settings, &world, &err), err);
  return world;
}

static lbWorld *empty_world(void) {
  lbWorldSettings settings = lb_world_settings();
  lbWorld *world = NULL;
  lbError err;
  check_ok(lb_world_create(&settings, &world, &err), err);
  return world;
}

static const lbModel *model_of(int32_t body) {
  return bundle->models[bundle->world->body_models[body]];
}

static lbBodyId add(lbWorld *world, int32_t of, lbFrameKind frame) {
  lbBodyDef def = lb_body_def();
  lbBodyId id = 0;
  lbError err;
  def.frame = frame;
  check_ok(lb_world_add(world, model_of(of), &def, &id, &err), err);
  assert_true(id != 0);
  return id;
}

// A hash of where all bodies are.
static uint64_t hash_of(const lbWorld *world) {
  uint64_t hash = 0;
  for (int32_t i = 0; i < lb_world_body_count(world); i++) {
    const lbBody *body = lb_world_body(world, lb_world_body_at(world, i));
    double x[3 * 64];
    assert_true(lb_body_model(body)->size.vertex_count <= 64);
    lb_body_surface(body, x);
    hash = check_hash(hash, x, 3 * (size_t)lb_body_model(body)->size.vertex_count * sizeof *x);
    lb_body_surface_velocities(body, x);
    hash = check_hash(hash, x, 3 * (size_t)lb_body_model(body)->size.vertex_count * sizeof *x);
  }
  return hash;
}

static lbVec3 probe_of(const lbWorld *world, int32_t probe) {
  lbVec3 moved;
  lbError err;
  check_ok(lb_world_probe(world, probe, NULL, &moved, &err), err);
  return moved;
}

// ---- time --------------------------------------------------------------------------------------

static void a_world_of_no_bodies_lets_time_pass(void **state) {
  (void)state;
  lbWorld *world = empty_world();
  char bytes[256], more[256];
  lbError err;
  assert_true(lb_world_state_bytes(world) <= sizeof bytes);
  check_ok(lb_world_save_state(world, bytes, sizeof bytes, &err), err);
  for (int i = 0; i < 3; i++) assert_int_equal(lb_world_step(world, 0.1), 0);
  check_near(lb_world_time(world), 3 * 0.1, 0);
  assert_int_equal(lb_world_step(world, 0.25), 0);
  check_near(lb_world_time(world), 0.55, 1e-15);
  check_ok(lb_world_save_state(world, more, sizeof more, &err), err);
  check_ok(lb_world_restore_state(world, bytes, sizeof bytes, &err), err);
  check_near(lb_world_time(world), 0, 0);
  check_ok(lb_world_restore_state(world, more, sizeof more, &err), err);
  check_near(lb_world_time(world), 0.55, 1e-15);
  assert_int_equal(lb_world_body_count(world), 0);
  assert_true(lb_world_body_at(world, 0) == 0);
  assert_null(lb_world_body(world, 1));
  lb_world_destroy(world);
  lb_world_destroy(NULL);
}

static void steps_that_are_not_positive_numbers_are_refused(void **state) {
  (void)state;
  lbWorld *world = world_of(NULL);
  const double bad[] = { 0, -0.01, NAN, INFINITY, 1e300, 5e-324 };
  lbWorldSettings settings = lb_world_settings();
  settings.substeps = 2;
  lbWorld *parts = world_of(&settings);
  uint64_t before = hash_of(world);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    if (bad[i] != 5e-324) assert_int_equal(lb_world_step(world, bad[i]), LB_STEP_REFUSED);
    assert_int_equal(lb_world_step(parts, bad[i]), LB_STEP_REFUSED);
  }
  assert_true(hash_of(world) == before && hash_of(parts) == before);
  check_near(lb_world_time(world), 0, 0);
  lb_world_destroy(world);
  lb_world_destroy(parts);
}

static void substeps_are_shorter_steps(void **state) {
  (void)state;
  lbWorldSettings settings = lb_world_settings();
  settings.substeps = 4;
  lbWorld *a = world_of(&settings), *b = world_of(NULL);
  for (int i = 0; i < 5; i++) lb_world_step(a, 0.01);
  for (int i = 0; i < 20; i++) lb_world_step(b, 0.0025);
  assert_true(hash_of(a) == hash_of(b));
  check_near(lb_world_time(a), 0.05, 1e-15);
  lb_world_destroy(a);
  lb_world_destroy(b);
}

static void a_step_takes_no_memory(void **state) {
  (void)state;
  lbWorld *world = world_of(NULL);
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  for (int i = 0; i < 5; i++) lb_world_step(world, 0.01);
  lb_set_allocator(NULL);
  assert_int_equal(heap.count, 0);
  lb_world_destroy(world);
}

static void run_backwards(int32_t count, lbTask *task, void *context, void *runner_context) {
  (void)runner_context;
  while (count-- > 0) task(count, context);
}

static void the_order_of_tasks_is_nothing_to_the_bits(void **state) {
  (void)state;
  uint64_t hashes[2];
  for (int k = 0; k < 2; k++) {
    lbWorld *world = world_of(NULL);
    for (int i = 0; i < 40; i++) add(world, i % 6, i % 6 == 1 || i % 6 == 5 ? LB_FRAME_DRIVEN : 0);
    lb_set_task_runner(k ? run_backwards : NULL, NULL);
    for (int i = 0; i < 5; i++) lb_world_step(world, 0.01);
    lb_set_task_runner(NULL, NULL);
    hashes[k] = hash_of(world);
    lb_world_destroy(world);
  }
  assert_true(hashes[0] == hashes[1]);
}

// ---- cooked worlds -----------------------------------------------------------------------------

static void a_cooked_world_moves_as_the_run_of_its_scene(void **state) {
  (void)state;
  lbWorld *world = world_of(NULL);
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  check_ok(lb_run(scene, &def, &run, &err), err);
  assert_int_equal(lb_world_body_count(world), 6);
  assert_int_equal(lb_world_probe_count(world), 6);
  for (int32_t step = 0; step <= 30; step++) {
    for (int32_t p = 0; p < 6; p++) {
      double moved[3];
      lb_vec3_store(moved, probe_of(world, p));
      assert_memory_equal(moved, run->probes + 3 * (6 * step + p), sizeof moved);
    }
    if (step < 30) assert_int_equal(lb_world_step(world, 0.01) & ~LB_STEP_ADAPTED, 0);
  }
  for (int32_t i = 0; i < 6; i++) {
    lbFrame frame = lb_body_frame(lb_world_body(world, lb_world_body_at(world, i)));
    check_near(frame.position.z, run->bodies[i].position[2], 0);
    check_near(frame.angular_velocity.y, run->bodies[i].angular_velocity[1], 0);
  }
  lb_run_destroy(run);
  lb_world_destroy(world);
}

static void probes_begin_where_the_scene_puts_them(void **state) {
  (void)state;
  lbWorld *world = world_of(NULL);
  lbError err;
  for (int32_t p = 0; p < 6; p++) {
    double rest[3], unused[3];
    lbVec3 at, moved;
    const lbSceneProbe *probe = &scene->probes[p];
    lb_scene_vertex(&scene->bodies[probe->body], probe->vertex, NULL, rest, unused);
    check_ok(lb_world_probe(world, p, &at, &moved, &err), err);
    check_small(lb_length(lb_sub(at, lb_vec3_load(rest))), 1e-15);
    check_small(lb_length(moved), 0);
  }
  lb_world_destroy(world);
}

static void models_without_a_world_are_refused(void **state) {
  (void)state;
  lbBundle models = *bundle;
  lbWorld *world = NULL;
  lbError err;
  models.world = NULL;
  check_fails(lb_world_open(&models, NULL, &world, &err), LB_ERR_ARGUMENT, err, "no world");
  lbWorldDef def = *bundle->world;
  int32_t methods[6];
  memcpy(methods, def.body_methods, sizeof methods);
  methods[3] = lb_method_code(LB_METHOD_WARP);
  def.body_methods = methods;
  models.world = &def;
  lbStatus status = lb_world_open(&models, NULL, &world, &err);
  assert_int_not_equal(status, LB_OK);
  assert_non_null(strstr(err.text, "body \"hung\""));
  assert_null(world);
}

static void failed_allocations_leave_nothing_behind(void **state) {
  (void)state;
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  for (int32_t at = 0;; at++) {
    lbWorld *world = NULL;
    lbError err;
    lbBundle *own = NULL;
    heap = (CheckedHeap){ .fail_at = -1 };
    lb_set_allocator(&allocator);
    check_ok(lb_scene_bundle(scene, &own, &err), err); // nothing is prepared for its models yet
    heap.count = 0, heap.fail_at = at;
    lbStatus status = lb_world_open(own, NULL, &world, &err);
    bool reached = heap.count > at;
    if (status) {
      assert_int_equal(status, LB_ERR_MEMORY);
      assert_null(world);
    }
    lb_world_destroy(world);
    lb_bundle_destroy(own);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (!reached) break;
    if (at > 12) at += 7; // building the models takes a while
  }
}

// ---- bodies come and go ------------------------------------------------------------------------

static void bodies_are_added_and_removed_while_it_runs(void **state) {
  (void)state;
  lbWorld *world = empty_world(), *other = empty_world();
  lbError err;
  lbBodyId a = add(world, 0, LB_FRAME_DEFAULT), lone = add(other, 0, LB_FRAME_DEFAULT);
  check_ok(lb_world_set_gravity(world, lb_vec3(0, 0, -9.81), &err), err);
  check_ok(lb_world_set_gravity(other, lb_vec3(0, 0, -9.81), &err), err);
  lbBodyId ids[3], b = 0;
  lbBatchDef batch = lb_batch_def();
  batch.count = 3;
  for (int i = 0; i < 40; i++) {
    if (i == 5) b = add(world, 3, LB_FRAME_DEFAULT);
    if (i == 10) check_ok(lb_world_add_batch(world, model_of(2), &batch, ids, &err), err);
    if (i == 15) check_ok(lb_world_remove(world, b, &err), err);
    if (i == 20) check_ok(lb_world_remove(world, ids[1], &err), err);
    if (i == 25) {
      assert_int_equal(lb_world_body_count(world), 3);
      check_ok(lb_world_remove(world, ids[0], &err), err);
      check_ok(lb_world_remove(world, ids[2], &err), err);
    }
    lb_world_step(world, 0.01);
    lb_world_step(other, 0.01);
  }
  assert_int_equal(lb_world_body_count(world), 1);
  assert_true(lb_world_body_at(world, 0) == a && lb_world_body_at(world, 1) == 0);
  assert_true(hash_of(world) == hash_of(other)); // what the others did is nothing to it
  assert_non_null(lb_world_body(other, lone));
  check_ok(lb_world_remove(world, a, &err), err);
  assert_int_equal(lb_world_step(world, 0.01), 0);
  lb_world_destroy(world);
  lb_world_destroy(other);
}

static void ids_of_removed_bodies_are_refused(void **state) {
  (void)state;
  lbWorld *world = empty_world();
  lbError err;
  lbBodyId a = add(world, 0, LB_FRAME_DEFAULT), b;
  int32_t probe;
  lbLoad load = lb_load();
  lbLoadId load_id, other;
  load.body = a;
  load.point = lb_point_node(11);
  load.force = lb_vec3(0, 0, 1);
  check_ok(lb_world_add_load(world, &load, &load_id, &err), err);
  check_ok(lb_world_add_probe(world, a, lb_point_node(11), &probe, &err), err);
  check_ok(lb_world_remove(world, a, &err), err);
  b = add(world, 0, LB_FRAME_DEFAULT); // in the same place
  assert_true(b != a);
  assert_null(lb_world_body(world, a));
  assert_non_null(lb_world_body(world, b));
  assert_int_equal(lb_world_body_flags(world, a), LB_STEP_REFUSED);
  check_fails(lb_world_remove(world, a, &err), LB_ERR_ARGUMENT, err, "no body with the id");
  check_fails(lb_world_drive(world, a, NULL, &err), LB_ERR_ARGUMENT, err, "no body with the id");
  check_fails(lb_world_add_load(world, &load, &other, &err), LB_ERR_ARGUMENT, err, "no body");
  check_fails(lb_world_add_probe(world, a, load.point, &probe, &err), LB_ERR_ARGUMENT, err, "no b");
  check_fails(lb_world_probe(world, 0, NULL, NULL, &err), LB_ERR_ARGUMENT, err, "no body");
  check_fails(lb_world_remove_load(world, load_id, &err), LB_ERR_ARGUMENT, err, "no load");
  lb_world_step(world, 0.01); // the load went with its body
  double q[32], v[32];
  lb_body_get_state(lb_world_body(world, b), q, v);
  for (int32_t i = 0; i < lb_body_dimension(lb_world_body(world, b)); i++) check_small(q[i], 0);
  for (uint64_t id = 0; id < 5; id++) assert_null(lb_world_body(world, id << 32 | 77));
  lb_world_destroy(world);
}

static void wrong_arguments_are_refused_by_name(void **state) {
  (void)state;
  lbWorld *world = NULL;
  lbWorldSettings settings = { 0 };
  lbError err;
  check_fails(lb_world_create(&settings, &world, &err), LB_ERR_ARGUMENT, err,
              "lb_world_settings()");
  settings = lb_world_settings();
  settings.gravity.y = NAN;
  check_fails(lb_world_create(&settings, &world, &err), LB_ERR_ARGUMENT, err, "gravity");
  assert_null(world);
  world = empty_world();
  lbBodyId held = add(world, 0, LB_FRAME_DEFAULT);
  lbBatchDef batch = lb_batch_def();
  lbBodyId ids[1];
  check_fails(lb_world_add_batch(world, model_of(0), &batch, ids, &err), LB_ERR_ARGUMENT, err,
              "count");
  lbLoad load = lb_load();
  lbLoadId id;
  int32_t probe;
  load.body = held;
  load.point = lb_point_node(9999);
  check_fails(lb_world_add_load(world, &load, &id, &err), LB_ERR_ARGUMENT, err, "load");
  load.point = lb_point_node(11);
  load.force.x = NAN;
  check_fails(lb_world_add_load(world, &load, &id, &err), LB_ERR_ARGUMENT, err, "force");
  load.force.x = 1, load.from = NAN;
  check_fails(lb_world_add_load(world, &load, &id, &err), LB_ERR_ARGUMENT, err, "from");
  check_fails(lb_world_add_probe(world, held, lb_point_vertex(-1), &probe, &err), LB_ERR_ARGUMENT,
              err, "probe");
  check_fails(lb_world_probe(world, 0, NULL, NULL, &err), LB_ERR_ARGUMENT, err, "probe 0");
  check_fails(lb_world_probe(world, -1, NULL, NULL, &err), LB_ERR_ARGUMENT, err, "probe -1");
  check_fails(lb_world_set_gravity(world, lb_vec3(0, INFINITY, 0), &err), LB_ERR_ARGUMENT, err,
              "gravity");
  check_fails(lb_world_remove_load(world, 0, &err), LB_ERR_ARGUMENT, err, "no load");
  lbPath *path = NULL;
  check_ok(lb_world_path(bundle->world, 0, &path, &err), err);
  check_fails(lb_world_drive(world, held, path, &err), LB_ERR_ARGUMENT, err, "LB_FRAME_DRIVEN");
  int mark;
  lb_world_set_user_data(world, &mark);
  assert_ptr_equal(lb_world_user_data(world), &mark);
  lb_world_destroy(world);
  lb_path_destroy(path);
}

// ---- loads -------------------------------------------------------------------------------------

static void one_rule_says_when_a_load_acts(void **state) {
  (void)state;
  const double h = 0.1;
  assert_true(lb_load_acts(-INFINITY, INFINITY, 0, h));
  assert_false(lb_load_acts(0, INFINITY, 0, h));
  assert_true(lb_load_acts(0, INFINITY, h, h));
  assert_true(lb_load_acts(0, 0.3, 3 * h, h));
  assert_false(lb_load_acts(0, 0.3, 4 * h, h));
  assert_false(lb_load_acts(0.3, 1, 3 * h, h));
}

// A force f that acts at the start too moves by f h²/2 at first (Newmark), one that begins with the
// first step by half of that.
static void a_start_is_consistent_with_what_acts_at_it(void **state) {
  (void)state;
  lbVec3 moved[2];
  for (int late = 0; late < 2; late++) {
    lbWorld *world = empty_world();
    lbLoad load = lb_load();
    lbLoadId id;
    int32_t probe;
    lbError err;
    load.body = add(world, 0, LB_FRAME_DEFAULT);
    load.point = lb_point_node(11);
    load.force = lb_vec3(0, 0, 1e-3);
    if (late) load.from = 0;
    check_ok(lb_world_add_load(world, &load, &id, &err), err);
    check_ok(lb_world_add_probe(world, load.body, load.point, &probe, &err), err);
    lb_world_step(world, 1e-6);
    moved[late] = probe_of(world, 0);
    lb_world_destroy(world);
  }
  assert_true(moved[0].z > 0);
  check_near(moved[1].z / moved[0].z, 0.5, 1e-4);
}

// ---- frames that move --------------------------------------------------------------------------

static lbPath *path_of(const double *times, const double *positions, int32_t count,
                       lbPathInterpolation interpolation) {
  lbPathDef def = lb_path_def();
  lbPath *path = NULL;
  lbError err;
  def.key_count = count;
  def.times = times, def.positions = positions;
  def.interpolation = interpolation;
  check_ok(lb_path_create(&def, &path, &err), err);
  return path;
}

static void a_driven_body_stands_where_its_path_is(void **state) {
  (void)state;
  lbWorld *world = world_of(NULL);
  const lbBody *body = lb_world_body(world, lb_world_body_at(world, 1));
  assert_int_equal(lb_body_frame_kind(body), LB_FRAME_DRIVEN);
  for (int i = 0; i < 30; i++) {
    lbPathState at;
    lb_world_step(world, 0.01);
    lb_path_at(scene->paths[0], lb_world_time(world), &at);
    lbFrame frame = lb_body_frame(body);
    check_small(lb_length(lb_sub(frame.position, lb_vec3_load(at.position))), 1e-15);
    check_small(lb_length(lb_sub(frame.angular_velocity, lb_vec3_load(at.angular_velocity))),
                1e-14);
  }
  lb_world_destroy(world);
}

static void cuts_are_not_felt_and_jumps_are_flagged(void **state) {
  (void)state;
  const double times[] = { 0, 0.055 }, places[] = { 0, 0, 0, 100, 0, 0 };
  const double near[] = { 0, 0.051, 0.055 }, far[] = { 0, 0, 0, 0, 0, 0, 100, 0, 0 };
  lbPath *cut = path_of(times, places, 2, LB_PATH_STEP);
  lbPath *jump = path_of(near, far, 3, LB_PATH_LINEAR);
  lbWorld *world = empty_world();
  lbError err;
  lbBodyId a = add(world, 0, LB_FRAME_DRIVEN), b = add(world, 0, LB_FRAME_DRIVEN);
  check_ok(lb_world_drive(world, a, cut, &err), err);
  check_ok(lb_world_drive(world, b, jump, &err), err);
  for (int i = 0; i < 10; i++) {
    lb_world_step(world, 0.01);
    assert_int_equal(lb_world_body_flags(world, a), 0);
    assert_int_equal(lb_world_body_flags(world, b), i == 5 ? LB_STEP_JUMPED : 0);
  }
  for (int k = 0; k < 2; k++) {
    const lbBody *body = lb_world_body(world, k ? b : a);
    double q[32], v[32];
    lb_body_get_state(body, q, v);
    check_near(lb_body_frame(body).position.x, 100, 0);
    for (int32_t i = 0; i < lb_body_dimension(body); i++)
      check_small(q[i], k ? 1 : 0); // no blow-up; nothing at all of a cut
  }
  check_ok(lb_world_drive(world, a, NULL, &err), err);
  lb_world_step(world, 0.01);
  check_near(lb_body_frame(lb_world_body(world, a)).position.x, 100, 0);
  lb_world_destroy(world);
  lb_path_destroy(cut);
  lb_path_destroy(jump);
}

// Bodies 2 (subspace) and 4 (modal) are free.
static void check_momentum(int32_t of, lbVec3 spin, double h, int32_t steps, double tolerance) {
  lbWorld *world = empty_world();
  lbBody *body = lb_world_body(world, add(world, of, LB_FRAME_DEFAULT));
  double q[32] = { 0 }, v[32] = { 0 };
  uint64_t seed = 5;
  assert_int_equal(lb_body_frame_kind(body), LB_FRAME_FREE);
  for (int32_t i = 0; i < lb_body_dimension(body); i++) v[i] = 0.1 * check_random(&seed);
  assert_int_equal(lb_body_set_state(body, q, v), LB_OK);
  assert_int_equal(lb_body_set_velocity(body, lb_vec3(1, 2, 3), spin), LB_OK);
  lbBodyReport before = lb_body_report(body);
  for (int32_t i = 0; i < steps; i++)
    assert_int_equal(lb_world_step(world, h) & LB_STEP_NONFINITE, 0);
  lbBodyReport after = lb_body_report(body);
  lbVec3 L0 = lb_sub(before.angular_momentum, lb_cross(before.centre, before.linear_momentum));
  lbVec3 L1 = lb_sub(after.angular_momentum, lb_cross(after.centre, after.linear_momentum));
  double linear = lb_length(lb_sub(after.linear_momentum, before.linear_momentum));
  double angular = lb_length(lb_sub(L1, L0));
  print_message("  %s: momentum %.1e of %.1e, angular %.1e of %.1e\n",
                lb_method_name(lb_body_method(body)), linear, lb_length(before.linear_momentum),
                angular, lb_length(L0));
  check_small(linear / lb_length(before.linear_momentum), tolerance);
  check_small(angular / lb_length(L0), tolerance);
  double energy = (after.kinetic + after.elastic) / (before.kinetic + before.elastic);
  print_message("  energy %.4f of what it was\n", energy);
  assert_true(energy < 1.05);
  lb_world_destroy(world);
}

static void free_bodies_keep_their_momentum(void **state) {
  (void)state;
  for (int32_t of = 2; of <= 4; of += 2) {
    check_momentum(of, lb_vec3(1, 5, 2), 0.01, 1000, 1e-12);
    check_momentum(of, lb_vec3(0, 600, 800), 0.01, 100, 1e-9);
  }
}

// ---- states ------------------------------------------------------------------------------------

static void a_restored_world_goes_on_with_the_same_bits(void **state) {
  (void)state;
  lbWorld *world = world_of(NULL), *other = world_of(NULL);
  size_t bytes = lb_world_state_bytes(world);
  char *saved = malloc(bytes), *start = malloc(bytes), *again = malloc(bytes);
  uint64_t hashes[12];
  lbError err;
  check_ok(lb_world_save_state(world, start, bytes, &err), err);
  for (int i = 0; i < 7; i++) lb_world_step(world, 0.01);
  check_ok(lb_world_save_state(world, saved, bytes, &err), err);
  for (int i = 0; i < 12; i++) {
    lb_world_step(world, 0.01);
    hashes[i] = hash_of(world);
  }
  lbWorld *worlds[] = { world, other }; // itself, and another one of the same bodies
  for (int k = 0; k < 2; k++) {
    check_ok(lb_world_restore_state(worlds[k], saved, bytes, &err), err);
    check_near(lb_world_time(worlds[k]), 7 * 0.01, 0);
    check_ok(lb_world_save_state(worlds[k], again, bytes, &err), err);
    assert_memory_equal(saved, again, bytes);
    for (int i = 0; i < 12; i++) {
      lb_world_step(worlds[k], 0.01);
      assert_true(hash_of(worlds[k]) == hashes[i]);
    }
  }
  check_ok(lb_world_restore_state(world, start, bytes, &err), err); // before its first step
  for (int i = 0; i < 8; i++) lb_world_step(world, 0.01);
  assert_true(hash_of(world) == hashes[0]);
  free(saved), free(start), free(again);
  lb_world_destroy(world);
  lb_world_destroy(other);
}

static void wrong_states_are_refused_and_change_nothing(void **state) {
  (void)state;
  lbWorld *world = world_of(NULL), *other = empty_world();
  size_t bytes = lb_world_state_bytes(world);
  char *saved = malloc(bytes), *bad = malloc(bytes);
  lbError err;
  lb_world_step(world, 0.01);
  check_ok(lb_world_save_state(world, saved, bytes, &err), err);
  lb_world_step(world, 0.01);
  uint64_t before = hash_of(world);
  for (size_t n = 0; n < bytes; n += n < 200 ? 1 : 97) {
    assert_int_not_equal(lb_world_restore_state(world, saved, n, &err), LB_OK);
    assert_int_not_equal(lb_world_save_state(world, bad, n, &err), LB_OK);
  }
  check_fails(lb_world_save_state(world, bad, bytes - 1, &err), LB_ERR_ARGUMENT, err, "needs");
  memcpy(bad, saved, bytes);
  bad[8]++;
  check_fails(lb_world_restore_state(world, bad, bytes, &err), LB_ERR_ARGUMENT, err, "version");
  memcpy(bad, saved, bytes);
  bad[0]++;
  check_fails(lb_world_restore_state(world, bad, bytes, &err), LB_ERR_ARGUMENT, err, "not one");
  check_fails(lb_world_restore_state(other, saved, bytes, &err), LB_ERR_ARGUMENT, err,
              "other bodies");
  // The last body's bytes are of another version of bodies: the others are as they were.
  memcpy(bad, saved, bytes);
  size_t last = bytes - lb_body_state_bytes(lb_world_body(world, lb_world_body_at(world, 5)));
  bad[last]++;
  check_fails(lb_world_restore_state(world, bad, bytes, &err), LB_ERR_FORMAT, err, "state");
  assert_true(hash_of(world) == before);
  check_near(lb_world_time(world), 0.02, 0);
  // Another world of as many bytes: the same models in other places.
  lbWorld *swapped = empty_world();
  add(swapped, 2, LB_FRAME_DEFAULT);
  lbWorld *pair = empty_world();
  check_ok(lb_world_remove(pair, add(pair, 2, LB_FRAME_DEFAULT), &err), err);
  add(pair, 2, LB_FRAME_DEFAULT);
  assert_int_equal(lb_world_state_bytes(pair), lb_world_state_bytes(swapped));
  size_t few = lb_world_state_bytes(pair);
  char *other_bytes = malloc(few);
  check_ok(lb_world_save_state(pair, other_bytes, few, &err), err);
  check_fails(lb_world_restore_state(swapped, other_bytes, few, &err), LB_ERR_ARGUMENT, err,
              "other bodies");
  free(other_bytes);
  lb_world_destroy(swapped), lb_world_destroy(pair);
  free(saved), free(bad);
  lb_world_destroy(world);
  lb_world_destroy(other);
}

// Every third part of the world's steps, by three at once; loads that act at their ends.
static void a_slow_body_takes_longer_steps(void **state) {
  (void)state;
  lbWorld *world = empty_world(), *other = empty_world();
  lbError err;
  lbBodyId slow = add(world, 0, LB_FRAME_DEFAULT), quick = add(world, 0, LB_FRAME_DEFAULT);
  lbBodyId alone = add(other, 0, LB_FRAME_DEFAULT);
  lbLoad load = lb_load();
  lbLoadId unused;
  load.point = lb_point_node(11), load.force = lb_vec3(0, 0, 0.1);
  load.body = slow, load.from = 0.0249, load.to = 0.0601;
  check_ok(lb_world_add_load(world, &load, &unused, &err), err);
  load.body = alone;
  check_ok(lb_world_add_load(other, &load, &unused, &err), err);
  check_fails(lb_world_set_pace(world, slow, 0, &err), LB_ERR_ARGUMENT, err, "every is 0");
  check_ok(lb_world_set_pace(world, slow, 3, &err), err);
  double last = 0;
  for (int step = 1; step <= 30; step++) {
    check_near(lb_world_next_step(world, slow, 0.01), step % 3 ? 0 : 0.03, 1e-15);
    check_near(lb_world_next_step(world, quick, 0.01), 0.01, 0);
    assert_int_equal(lb_world_step(world, 0.01), 0);
    if (step % 3 == 0) assert_int_equal(lb_world_step(other, 0.03), 0);
    double x[2][3 * 64];
    lb_body_surface(lb_world_body(world, slow), x[0]);
    lb_body_surface(lb_world_body(other, alone), x[1]);
    for (int32_t i = 0; i < 3 * model_of(0)->size.vertex_count; i++) {
      check_near(x[0][i], x[1][i], 1e-12);
      last = fmax(last, fabs(x[0][i] - model_of(0)->vertex_positions[i]));
    }
    check_near(lb_body_time(lb_world_body(world, slow)), 0.03 * (step / 3), 1e-12);
  }
  assert_true(last > 1e-5);
  lb_world_destroy(world), lb_world_destroy(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_world_of_no_bodies_lets_time_pass),
    cmocka_unit_test(steps_that_are_not_positive_numbers_are_refused),
    cmocka_unit_test(substeps_are_shorter_steps),
    cmocka_unit_test(a_step_takes_no_memory),
    cmocka_unit_test(the_order_of_tasks_is_nothing_to_the_bits),
    cmocka_unit_test(a_cooked_world_moves_as_the_run_of_its_scene),
    cmocka_unit_test(probes_begin_where_the_scene_puts_them),
    cmocka_unit_test(models_without_a_world_are_refused),
    cmocka_unit_test(failed_allocations_leave_nothing_behind),
    cmocka_unit_test(bodies_are_added_and_removed_while_it_runs),
    cmocka_unit_test(ids_of_removed_bodies_are_refused),
    cmocka_unit_test(wrong_arguments_are_refused_by_name),
    cmocka_unit_test(one_rule_says_when_a_load_acts),
    cmocka_unit_test(a_start_is_consistent_with_what_acts_at_it),
    cmocka_unit_test(a_driven_body_stands_where_its_path_is),
    cmocka_unit_test(cuts_are_not_felt_and_jumps_are_flagged),
    cmocka_unit_test(a_slow_body_takes_longer_steps),
    cmocka_unit_test(free_bodies_keep_their_momentum),
    cmocka_unit_test(a_restored_world_goes_on_with_the_same_bits),
    cmocka_unit_test(wrong_states_are_refused_and_change_nothing),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
