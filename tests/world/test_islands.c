// Islands: bodies that come to rest sleep and wake by whatever changes; threads change no bit.
#include "contact_worlds.h"

#include "limber/build.h"

#define CALM BLOCK ",'damping':{'mass':1,'stiffness':0.005},"

static lbModel *subspace, *modal;
static const double h = 1.0 / 120;

static int set_up(void **state) {
  (void)state;
  subspace = body_model(CALM "'method':'subspace','reduce':{'modes':6,'dimension':15}");
  modal = body_model(CALM "'method':'modal','reduce':{'modes':12}");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  lb_model_destroy(subspace);
  lb_model_destroy(modal);
  return 0;
}

static lbWorld *world_with_ground(lbColliderId *ground) {
  lbWorldSettings settings = lb_world_settings();
  lbColliderDef plane = lb_collider_def();
  lbWorld *world = NULL;
  lbColliderId id;
  lbError err;
  settings.gravity = lb_vec3(0, 0, -9.81);
  settings.contact = true;
  check_ok(lb_world_create(&settings, &world, &err), err);
  check_ok(lb_world_add_collider(world, &plane, ground ? ground : &id, &err), err);
  return world;
}

// Steps until the body sleeps; s that it took, or `most` or more.
static double until_it_sleeps(lbWorld *world, lbBodyId id, double most) {
  double start = lb_world_time(world);
  while (!lb_world_body_sleeping(world, id) && lb_world_time(world) - start < most)
    lb_world_step(world, h);
  return lb_world_time(world) - start;
}

static lbVec3 centre_of(const lbWorld *world, lbBodyId id) {
  return lb_body_report(lb_world_body(world, id)).centre;
}

// ---- rest --------------------------------------------------------------------------------------

static void a_block_rests_for_a_minute(void **state) {
  (void)state;
  const lbModel *const models[] = { subspace, modal };
  for (int m = 0; m < 2; m++) {
    lbWorld *world = world_with_ground(NULL);
    lbBodyId id = add_block(world, models[m], lb_vec3(0, 0, 0.01));
    double took = until_it_sleeps(world, id, 10);
    lbVec3 before = centre_of(world, id);
    while (lb_world_time(world) < 60) lb_world_step(world, h);
    double weight = lb_body_report(lb_world_body(world, id)).mass * 9.81;
    double force = lb_world_contact_force(world, id).z;
    print_message("asleep after %.2f s, force %.6g of %.6g N, %d contacts\n", took, force, weight,
                  (int)lb_world_contact_count(world));
    assert_true(took < 10);
    assert_true(lb_world_body_sleeping(world, id));
    check_near(force / weight, 1, 1e-3);
    check_small(lb_length(lb_sub(centre_of(world, id), before)), 1e-12);
    assert_true(lb_world_contact_count(world) > 0);
    check_near(lb_body_time(lb_world_body(world, id)), lb_world_time(world), 1e-6);
    lb_world_destroy(world);
  }
}

// Of 1e5 Pa, a tower of more than 0.64 m buckles under its weight, (7.8 E I / (rho g A))^(1/3); of
// 1e6 Pa, one of more than 1.4 m.
static void a_stack_of_five_stands_for_a_minute(void **state) {
  (void)state;
  lbModel *stiff = body_model(
      "'mesh':{'generate':'bar','size':[0.2,0.2,0.2],'cells':[3,3,3],'element':'brick8'},"
      "'material':{'model':'stvk','young':1e6,'poisson':0.3,'density':1000},"
      "'damping':{'mass':1,'stiffness':0.005},'method':'modal','reduce':{'modes':12}");
  lbWorld *world = world_with_ground(NULL);
  lbBodyId ids[5];
  lbVec3 starts[5];
  for (int i = 0; i < 5; i++) ids[i] = add_block(world, stiff, lb_vec3(0.001 * i, 0, 0.201 * i));
  for (int i = 0; i < 5; i++) lb_body_set_damping(lb_world_body(world, ids[i]), 5, 0.01);
  for (int i = 0; i < 5; i++) starts[i] = centre_of(world, ids[i]);
  double took = until_it_sleeps(world, ids[0], CHECK_SANITIZED ? 6 : 60);
  for (int i = 0; i < 5; i++) assert_true(lb_world_body_sleeping(world, ids[i])); // all of them
  while (lb_world_time(world) < 60) lb_world_step(world, h);
  double drift = 0;
  for (int i = 0; i < 5; i++) {
    lbVec3 way = lb_sub(centre_of(world, ids[i]), starts[i]);
    drift = fmax(drift, hypot(way.x, way.y));
    assert_true(fabs(way.z) < 0.05);
  }
  print_message("asleep after %.2f s, drift %.2g m\n", took, drift);
  check_small(drift, 0.02);
  lb_world_destroy(world);
  lb_model_destroy(stiff);
}

// ---- waking ------------------------------------------------------------------------------------

enum {
  PUSH,
  IMPULSE,
  LOAD,
  PLACE,
  VELOCITY,
  GRAVITY,
  DAMPING,
  FRICTION,
  REMOVED_GROUND,
  NEW_COLLIDER,
  MOVED_COLLIDER,
  FALLING_BODY,
  ASKED,
  WAYS
};

static void disturb(lbWorld *world, lbBodyId id, lbColliderId ground, lbColliderId ball, int way) {
  lbBody *body = lb_world_body(world, id);
  lbPoint point = lb_point_vertex(0);
  lbError err;
  lbLoadId load;
  lbLoad def = lb_load();
  lbColliderId added;
  lbColliderDef far = lb_collider_def();
  def.body = id, def.point = point, def.force = lb_vec3(1, 0, 0);
  far.shape = LB_COLLIDER_SPHERE, far.position = lb_vec3(9, 0, 9);
  switch (way) {
  case PUSH: lb_body_apply_force(body, point, lb_vec3(0.1, 0, 0)); break;
  case IMPULSE: lb_body_apply_impulse(body, point, lb_vec3(0.1, 0, 0)); break;
  case LOAD: check_ok(lb_world_add_load(world, &def, &load, &err), err); break;
  case PLACE: lb_body_set_placement(body, lb_vec3(0, 0, 0.5), lb_quat_identity()); break;
  case VELOCITY: lb_body_set_velocity(body, lb_vec3(0.1, 0, 0), lb_vec3(0, 0, 0)); break;
  case GRAVITY: check_ok(lb_world_set_gravity(world, lb_vec3(0, 0, -5), &err), err); break;
  case DAMPING: lb_body_set_damping(body, 2, 0.01); break;
  case FRICTION: check_ok(lb_world_set_touch(world, id, true, 0, &err), err); break;
  case REMOVED_GROUND: check_ok(lb_world_remove_collider(world, ground, &err), err); break;
  case NEW_COLLIDER: check_ok(lb_world_add_collider(world, &far, &added, &err), err); break;
  case MOVED_COLLIDER:
    check_ok(
        lb_world_move_collider(world, ball, lb_vec3(-0.11, 0.1, 0.1), lb_quat_identity(), &err),
        err);
    break;
  case FALLING_BODY: add_block(world, modal, lb_vec3(0.02, 0.01, 0.45)); break;
  default: check_ok(lb_world_wake(world, id, &err), err); break;
  }
}

static void sleepers_wake_by_whatever_changes(void **state) {
  (void)state;
  lbError err;
  for (int way = 0; way < WAYS; way += CHECK_SANITIZED ? 4 : 1) {
    lbColliderId ground, ball;
    lbColliderDef sphere = lb_collider_def();
    lbWorld *world = world_with_ground(&ground);
    sphere.shape = LB_COLLIDER_SPHERE, sphere.radius = 0.1;
    sphere.position = lb_vec3(-0.3, 0.1, 0.1);
    check_ok(lb_world_add_collider(world, &sphere, &ball, &err), err);
    lbBodyId below = add_block(world, modal, lb_vec3(0, 0, 0.001));
    lbBodyId above = add_block(world, modal, lb_vec3(0, 0, 0.202));
    lbBodyId apart = add_block(world, modal, lb_vec3(2, 0, 0.001));
    assert_true(until_it_sleeps(world, above, 10) < 10);
    assert_true(until_it_sleeps(world, apart, 10) < 10);
    for (int i = 0; i < 10; i++) lb_world_step(world, h);
    assert_true(lb_world_body_sleeping(world, above) && lb_world_body_sleeping(world, below));
    disturb(world, above, ground, ball, way);
    bool woke = !lb_world_body_sleeping(world, above), with_it = false;
    for (int i = 0; i < 60 && !(woke && with_it); i++) {
      lb_world_step(world, h);
      woke = woke || !lb_world_body_sleeping(world, above);
      with_it = with_it || !lb_world_body_sleeping(world, below);
    }
    if (!woke || !with_it) print_message("way %d\n", way);
    assert_true(woke && with_it);
    bool all = way == GRAVITY || way == REMOVED_GROUND || way == NEW_COLLIDER;
    assert_int_equal(lb_world_body_sleeping(world, apart), !all);
    lb_world_destroy(world);
  }
}

// What a constant load bends sleeps too, and wakes when the load is gone.
static void loaded_bodies_sleep(void **state) {
  (void)state;
  lbError err;
  lbWorld *world = world_with_ground(NULL);
  lbBodyId id = add_block(world, subspace, lb_vec3(0, 0, 0.001));
  lbLoadId load;
  lbLoad def = lb_load();
  def.body = id, def.point = lb_point_vertex(0), def.force = lb_vec3(2, 1, -5);
  check_ok(lb_world_add_load(world, &def, &load, &err), err);
  assert_true(until_it_sleeps(world, id, 10) < 10);
  for (int i = 0; i < 20; i++) lb_world_step(world, h);
  assert_true(lb_world_body_sleeping(world, id));
  double weight = lb_body_report(lb_world_body(world, id)).mass * 9.81;
  check_near(lb_world_contact_force(world, id).z / (weight + 5), 1, 1e-3);
  check_ok(lb_world_remove_load(world, load, &err), err);
  lb_world_step(world, h);
  assert_false(lb_world_body_sleeping(world, id));
  lb_world_destroy(world);
}

static void sleep_can_be_switched_off(void **state) {
  (void)state;
  lbError err;
  lbWorldSettings settings = lb_world_settings();
  lbColliderDef plane = lb_collider_def();
  lbColliderId ground;
  lbWorld *world = NULL;
  assert_true(settings.sleep);
  settings.gravity = lb_vec3(0, 0, -9.81), settings.contact = true, settings.sleep = false;
  check_ok(lb_world_create(&settings, &world, &err), err);
  check_ok(lb_world_add_collider(world, &plane, &ground, &err), err);
  lbBodyId id = add_block(world, modal, lb_vec3(0, 0, 0.001));
  assert_true(until_it_sleeps(world, id, 5) >= 5);
  check_fails(lb_world_wake(world, 99, &err), LB_ERR_ARGUMENT, err, "any more");
  check_fails(lb_world_wake(NULL, id, &err), LB_ERR_ARGUMENT, err, "world");
  assert_false(lb_world_body_sleeping(NULL, id));
  lb_world_destroy(world);
}

// ---- states ------------------------------------------------------------------------------------

static void sleep_is_part_of_a_saved_state(void **state) {
  (void)state;
  lbError err;
  lbWorld *world = world_with_ground(NULL);
  lbBodyId id = add_block(world, modal, lb_vec3(0, 0, 0.001));
  assert_true(until_it_sleeps(world, id, 10) < 10);
  double force = lb_world_contact_force(world, id).z;
  int32_t count = lb_world_contact_count(world);
  size_t bytes = lb_world_state_bytes(world);
  void *saved = lb_alloc(bytes, 1);
  check_ok(lb_world_save_state(world, saved, bytes, &err), err);
  lb_body_apply_impulse(lb_world_body(world, id), lb_point_vertex(3), lb_vec3(0.5, 0, 0.5));
  for (int i = 0; i < 30; i++) lb_world_step(world, h);
  assert_false(lb_world_body_sleeping(world, id));
  check_ok(lb_world_restore_state(world, saved, bytes, &err), err);
  for (int i = 0; i < 3; i++) {
    assert_true(lb_world_body_sleeping(world, id));
    assert_int_equal(lb_world_contact_count(world), count);
    check_near(lb_world_contact_force(world, id).z, force, 0);
    lb_world_step(world, h);
  }
  lb_free(saved);
  lb_world_destroy(world);
}

// ---- islands -----------------------------------------------------------------------------------

// Tasks one after another, from the last one on: as other threads may take them.
static void run_backwards(int32_t count, lbTask *task, void *context, void *runner_context) {
  ++*(int32_t *)runner_context;
  for (int32_t i = count - 1; i >= 0; i--) task(i, context);
}

// Four stacks of three, of which two come to touch each other.
static uint64_t hash_of_stacks(int32_t *islands) {
  lbWorld *world = world_with_ground(NULL);
  lbBodyId ids[12];
  uint64_t hash = 0;
  for (int i = 0; i < 12; i++)
    ids[i] = add_block(world, i & 1 ? modal : subspace,
                       lb_vec3((i / 3 == 3 ? 2.22 : i / 3) + 0.01 * i, 0, 0.01 + 0.21 * (i % 3)));
  for (int i = 0; i < (CHECK_SANITIZED ? 20 : 90); i++) lb_world_step(world, h);
  *islands = lb_world_contact_stats(world).islands;
  for (int i = 0; i < 12; i++) {
    double q[64], v[64];
    const lbBody *body = lb_world_body(world, ids[i]);
    lb_body_get_state(body, q, v);
    lbFrame frame = lb_body_frame(body);
    lbVec3 force = lb_world_contact_force(world, ids[i]);
    size_t count = (size_t)lb_body_dimension(body) * sizeof(double);
    hash = check_hash(hash, q, count), hash = check_hash(hash, v, count);
    hash = check_hash(hash, &frame, sizeof frame), hash = check_hash(hash, &force, sizeof force);
  }
  lb_world_destroy(world);
  return hash;
}

static void the_order_of_tasks_changes_no_bit(void **state) {
  (void)state;
  int32_t islands[3], calls = 0;
  uint64_t hashes[3];
  lbError err;
  hashes[0] = hash_of_stacks(&islands[0]);
  lb_set_task_runner(run_backwards, &calls);
  hashes[1] = hash_of_stacks(&islands[1]);
  lb_set_task_runner(NULL, NULL);
  check_ok(lb_build_start(2, &err), err);
  hashes[2] = hash_of_stacks(&islands[2]);
  lb_build_stop();
  print_message("%d islands, %d calls of the runner\n", (int)islands[0], (int)calls);
  assert_true(islands[0] >= 2 && calls > 100);
  for (int i = 1; i < 3; i++) {
    assert_int_equal(islands[i], islands[0]);
    assert_true(hashes[i] == hashes[0]);
  }
}

// ---- too many ----------------------------------------------------------------------------------

static void contacts_without_room_are_flagged(void **state) {
  (void)state;
  lbError err;
  lbWorldSettings settings = lb_world_settings();
  lbColliderDef plane = lb_collider_def();
  lbColliderId ground;
  lbWorld *world = NULL;
  settings.gravity = lb_vec3(0, 0, -9.81), settings.contact = true, settings.contacts_most = 20;
  check_ok(lb_world_create(&settings, &world, &err), err);
  check_ok(lb_world_add_collider(world, &plane, &ground, &err), err);
  int32_t flags = 0;
  for (int i = 0; i < 30; i++)
    add_block(world, modal, lb_vec3(0.25 * (i % 6), 0.25 * (i / 6), 0.001));
  for (int i = 0; i < (CHECK_SANITIZED ? 10 : 60); i++) flags |= lb_world_step(world, h);
  lbContactStats stats = lb_world_contact_stats(world);
  print_message("%d contacts, %d dropped\n", (int)stats.contacts, (int)stats.dropped);
  assert_true(flags & LB_STEP_CONTACTS_DROPPED);
  assert_true(stats.contacts <= 20 && stats.dropped > 0);
  for (int i = 0; i < lb_world_body_count(world); i++) {
    lbVec3 centre = centre_of(world, lb_world_body_at(world, i));
    assert_true(isfinite(centre.x + centre.y + centre.z));
  }
  lb_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_rests_for_a_minute),
    cmocka_unit_test(a_stack_of_five_stands_for_a_minute),
    cmocka_unit_test(sleepers_wake_by_whatever_changes),
    cmocka_unit_test(loaded_bodies_sleep),
    cmocka_unit_test(sleep_can_be_switched_off),
    cmocka_unit_test(sleep_is_part_of_a_saved_state),
    cmocka_unit_test(the_order_of_tasks_changes_no_bit),
    cmocka_unit_test(contacts_without_room_are_flagged),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
