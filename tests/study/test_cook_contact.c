// Worlds whose bodies touch: a cooked file, the world that is opened from it and the scene itself
// go the same way to the last bit.
#include "../scene/scene_text.h"

#include "limber/cook.h"
#include "limber/run.h"

static const char wedge[] =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 0 0.3\nv 1 1 0.3\n"
    "f 1 4 3\nf 1 3 2\nf 2 3 6\nf 2 6 5\nf 1 5 6\nf 1 6 4\nf 1 2 5\nf 4 6 3\n";

#define BLOCK                                                                                      \
  "'mesh':{'generate':'bar','size':[0.2,0.2,0.2],'cells':[2,2,2],'element':'brick8'},"             \
  "'material':{'model':'stvk','young':1e5,'poisson':0.3},'damping':{'stiffness':0.002}"

// Bodies of two models whose copies stand in turns, one of them led; every kind of collider.
static const char scene_text[] =
    "{'limber':1,'gravity':[0,0,-9.81],'ground':{'height':-0.05,'friction':0.4},"
    "'contact':{'friction':0.6,'substeps':2,'hit_speed':0.5},'colliders':["
    "{'name':'ball','shape':'sphere','radius':0.1,'position':[0.1,0.1,0]},"
    "{'shape':'box','size':[0.3,0.3,0.1],'position':[1,0,0.1],'rotation':[0,0.1,0,1]},"
    "{'name':'rod','shape':'capsule','radius':0.05,'size':0.4,'friction':0.1,"
    "'motion':{'times':[0,1],'positions':[[2,0.1,0],[2,0.1,0.5]]}},"
    "{'name':'wedge','shape':'mesh','file':'wedge.obj','position':[3,0,-0.02]},"
    "{'name':'wall','shape':'plane','position':[-1,0,0],'rotation':[0,0.7,0,0.7]},"
    "{'name':'ghost','shape':'box','position':[0,0,0],'contact':false},"
    "{'name':'sieve','shape':'box','size':[9,9,0.2],'position':[0,0,0.1],'filter':{'category':2,"
    "'mask':4}}],"
    "'bodies':[{'name':'a'," BLOCK ",'method':'subspace','reduce':{'modes':4,'dimension':8},"
    "'instances':3,'position':[[0,0,0.15],[1,0,0.3],[0.05,0,0.38]]},"
    "{'name':'b'," BLOCK ",'method':'modal','reduce':{'modes':6},'friction':0.9,'instances':2,"
    "'filter':{'mask':65533,'group':3},"
    "'position':[[2,0,0.1],[3.3,0.2,0.3]],'velocity':{'linear':[-0.5,0,0]}},"
    "{'name':'c'," BLOCK ",'method':'subspace','reduce':{'modes':4,'dimension':8},"
    "'contact':false,'position':[0,0,0.15]}],'time':{'step':0.01,'count':45,'substeps_max':8}}";

static lbScene *load_scene(void) {
  write_text("wedge.obj", wedge);
  return scene_of(scene_text);
}

static lbRun *run_of(const lbScene *scene) {
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  check_ok(lb_run(scene, &def, &run, &err), err);
  return run;
}

static void check_same_runs(const lbRun *a, const lbRun *b) {
  assert_int_equal(a->contact_count, b->contact_count);
  assert_int_equal(a->event_count, b->event_count);
  assert_memory_equal(a->contacts, b->contacts, (size_t)a->contact_count * sizeof *a->contacts);
  for (int32_t i = 0; i < a->body_count; i++) {
    assert_memory_equal(a->bodies[i].position, b->bodies[i].position, sizeof a->bodies[i].position);
    assert_memory_equal(a->bodies[i].rotation, b->bodies[i].rotation, sizeof a->bodies[i].rotation);
    assert_memory_equal(&a->bodies[i].state, &b->bodies[i].state, sizeof a->bodies[i].state);
  }
}

static void check_same_number(double a, double b) {
  if (!(isnan(a) && isnan(b))) check_near(a, b, 0);
}

static void check_same_material(lbContactMaterial a, lbContactMaterial b) {
  check_same_number(a.friction, b.friction);
  check_same_number(a.compliance, b.compliance);
  check_same_number(a.restitution, b.restitution);
  check_same_number(a.rolling_friction, b.rolling_friction);
}

static void a_cooked_file_touches_as_its_scene_does(void **state) {
  (void)state;
  lbScene *scene = load_scene(), *cooked = NULL;
  lbError err;
  check_ok(lb_scene_cook(scene, output_path("contact.glb"), NULL, &err), err);
  check_ok(lb_scene_load(output_path("contact.glb"), NULL, &cooked, &err), err);
  assert_int_equal(cooked->collider_count, scene->collider_count);
  assert_true(cooked->contact);
  assert_int_equal(cooked->substeps, 2);
  assert_int_equal(cooked->substeps_max, 8);
  for (int32_t i = 0; i < scene->collider_count; i++) {
    const lbSceneCollider *a = &scene->colliders[i], *b = &cooked->colliders[i];
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->shape, b->shape);
    assert_int_equal(!a->mesh, !b->mesh);
    assert_int_equal(!a->motion, !b->motion);
    check_same_material(a->contact_material, b->contact_material);
    assert_int_equal(a->untouchable ? 0 : a->filter.mask, b->filter.mask);
    assert_int_equal(a->untouchable ? 0 : a->filter.category, b->filter.category);
  }
  assert_true(cooked->bodies[5].untouchable);
  for (int32_t i = 0; i < scene->body_count; i++) {
    lbContactFilter one = scene->bodies[i].filter, other = cooked->bodies[i].filter;
    assert_memory_equal(&one, &other, sizeof one);
  }
  check_near(cooked->hit_speed, 0.5, 0);
  check_near(cooked->bodies[3].contact_material.friction, 0.9, 0);
  assert_true(isnan(cooked->bodies[0].contact_material.friction));
  lbRun *a = run_of(scene), *b = run_of(cooked);
  print_message("  %d contacts at the end, %d events\n", (int)a->contact_count,
                (int)a->event_count);
  assert_true(a->contact_count > 12 && a->event_count > 6);
  check_same_runs(a, b);
  lb_run_destroy(a), lb_run_destroy(b);
  lb_scene_destroy(cooked), lb_scene_destroy(scene);
}

static void an_opened_world_touches_as_its_scene_does(void **state) {
  (void)state;
  lbScene *scene = load_scene();
  lbBundle *bundle = NULL;
  lbWorld *world = NULL;
  lbError err;
  check_ok(lb_scene_bundle(scene, &bundle, &err), err);
  check_ok(lb_world_open(bundle, NULL, &world, &err), err);
  for (int32_t i = 0; i < scene->step_count; i++) lb_world_step(world, scene->time_step);
  lbRun *run = run_of(scene);
  assert_int_equal(lb_world_contact_count(world), run->contact_count);
  for (int32_t i = 0; i < run->contact_count; i++) {
    double force[3];
    lb_vec3_store(force, lb_world_contacts(world)[i].force);
    assert_memory_equal(force, run->contacts[i].force, sizeof force);
  }
  for (int32_t i = 0; i < scene->body_count; i++) {
    lbFrame frame = lb_body_frame(lb_world_body(world, lb_world_body_at(world, i)));
    double position[3];
    lb_vec3_store(position, frame.position);
    assert_memory_equal(position, run->bodies[i].position, sizeof position);
  }
  lb_run_destroy(run);
  lb_world_destroy(world);
  lb_bundle_destroy(bundle);
  lb_scene_destroy(scene);
}

// Compliance, restitution, rolling friction and sensors of the world, of bodies and of colliders.
static void a_cooked_file_has_the_materials_of_its_scene(void **state) {
  (void)state;
  lbScene *scene = load_scene(), *cooked = NULL;
  lbError err;
  scene->self = true;
  scene->step_count = 20;
  scene->contact_material = (lbContactMaterial){ 0.25, 1e-5, 0.5, 0.001 };
  scene->bodies[0].contact_material.compliance = 1e-4;
  scene->bodies[1].contact_material = (lbContactMaterial){ 0.125, 0, 1, 0.25 };
  scene->colliders[0].contact_material.rolling_friction = 0.5;
  scene->colliders[1].sensor = true;
  check_ok(lb_scene_cook(scene, output_path("material.glb"), NULL, &err), err);
  check_ok(lb_scene_load(output_path("material.glb"), NULL, &cooked, &err), err);
  assert_true(cooked->self);
  check_same_material(scene->contact_material, cooked->contact_material);
  for (int32_t i = 0; i < scene->body_count; i++)
    check_same_material(scene->bodies[i].contact_material, cooked->bodies[i].contact_material);
  for (int32_t i = 0; i < scene->collider_count; i++) {
    check_same_material(scene->colliders[i].contact_material,
                        cooked->colliders[i].contact_material);
    assert_int_equal(scene->colliders[i].sensor, cooked->colliders[i].sensor);
  }
  lbRun *a = run_of(scene), *b = run_of(cooked);
  check_same_runs(a, b);
  lb_run_destroy(a), lb_run_destroy(b);
  lb_scene_destroy(cooked), lb_scene_destroy(scene);
}

// A chain of two that hangs in the world, a motor, and a weld of a region to a rigid body.
static void a_cooked_file_holds_as_its_scene_does(void **state) {
  (void)state;
  lbScene *scene = scene_of(
      "{'limber':1,'gravity':[0,0,-9.81],'contact':{},'colliders':[{'name':'ball','shape':'sphere',"
      "'radius':0.1,'density':500,'position':[0.9,0.1,0.1]}],'bodies':[{'name':'a'," BLOCK
      ",'method':'subspace','reduce':{'modes':4,'dimension':8},'instances':2,"
      "'position':[[0,0,0],[0.25,0,0]]},{'name':'c'," BLOCK
      ",'method':'modal','reduce':{'modes':6},'position':[0.6,0,0]}],'joints':["
      "{'name':'hook','kind':'point','bodies':['a.0',null],'points':[0]},"
      "{'name':'eye','kind':'hinge','bodies':['a.1','a.0'],'points':[[0.22,0.1,0.1]],"
      "'axis':[0,1,0],'limits':[-1,2],'motor':{'speed':1,'force':0.5}},"
      "{'name':'weld','kind':'weld','bodies':['c','ball'],'region':'right','break_force':1e5}],"
      "'time':{'step':0.01,'count':40}}");
  lbScene *cooked = NULL;
  lbBundle *bundle = NULL;
  lbWorld *world = NULL;
  lbError err;
  check_ok(lb_scene_cook(scene, output_path("joints.glb"), NULL, &err), err);
  check_ok(lb_scene_load(output_path("joints.glb"), NULL, &cooked, &err), err);
  assert_int_equal(cooked->joint_count, 3);
  lbRun *a = run_of(scene), *b = run_of(cooked);
  check_same_runs(a, b);
  assert_int_equal(a->joint_count, 3);
  assert_memory_equal(a->joints, b->joints, 3 * sizeof *a->joints);
  assert_true(fabs(a->joints[0].force[2]) > 10);
  check_ok(lb_bundle_load(output_path("joints.glb"), &bundle, &err), err);
  check_ok(lb_world_open(bundle, NULL, &world, &err), err);
  for (int32_t i = 0; i < scene->step_count; i++) lb_world_step(world, scene->time_step);
  for (int32_t i = 0; i < scene->body_count; i++) {
    double position[3];
    lb_vec3_store(position,
                  lb_body_frame(lb_world_body(world, lb_world_body_at(world, i))).position);
    assert_memory_equal(position, a->bodies[i].position, sizeof position);
  }
  lb_run_destroy(a), lb_run_destroy(b);
  lb_world_destroy(world);
  lb_bundle_destroy(bundle);
  lb_scene_destroy(cooked), lb_scene_destroy(scene);
}

static void colliders_with_paths_go_along_when_time_is_set(void **state) {
  (void)state;
  lbScene *scene = load_scene();
  lbBundle *bundle = NULL;
  lbWorld *world = NULL;
  lbError err;
  lbVec3 at;
  check_ok(lb_scene_bundle(scene, &bundle, &err), err);
  check_ok(lb_world_open(bundle, NULL, &world, &err), err);
  lbColliderId rod = (UINT64_C(1) << 32) | 4; // the fourth, behind the ground
  check_ok(lb_world_set_time(world, 0.5, &err), err);
  check_ok(lb_world_collider(world, rod, &at, NULL, &err), err);
  check_near(at.z, 0.25, 1e-12);
  lb_world_destroy(world);
  lb_bundle_destroy(bundle);
  lb_scene_destroy(scene);
}

static void recordings_that_would_touch_are_refused_by_name(void **state) {
  (void)state;
  lbScene *scene = scene_of("{'limber':1,'ground':{},'bodies':[{'name':'stiff'," BLOCK "}],"
                            "'time':{'step':0.01,'count':3}}");
  lbError err;
  check_fails(lb_scene_cook(scene, output_path("refused.glb"), NULL, &err), LB_ERR_UNSUPPORTED, err,
              "body \"stiff\" has the method \"full\"");
  lb_scene_destroy(scene);
}

static void failed_allocations_are_reported(void **state) {
  (void)state;
  lbScene *scene = load_scene();
  lbBundle *bundle = NULL;
  lbError err;
  check_ok(lb_scene_bundle(scene, &bundle, &err), err);
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t n = 0; status; n += CHECK_SANITIZED ? 29 : 7) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbWorld *world = NULL;
    lb_set_allocator(&allocator);
    status = lb_world_open(bundle, NULL, &world, &err);
    lb_set_allocator(NULL);
    if (status && status != LB_ERR_MEMORY) fail_msg("allocation %d: %s", (int)n, err.text);
    if (status) assert_null(world);
    lb_set_allocator(&allocator);
    lb_world_destroy(world);
    lb_set_allocator(NULL);
  }
  lb_bundle_destroy(bundle);
  lb_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_cooked_file_touches_as_its_scene_does),
    cmocka_unit_test(an_opened_world_touches_as_its_scene_does),
    cmocka_unit_test(a_cooked_file_has_the_materials_of_its_scene),
    cmocka_unit_test(a_cooked_file_holds_as_its_scene_does),
    cmocka_unit_test(colliders_with_paths_go_along_when_time_is_set),
    cmocka_unit_test(recordings_that_would_touch_are_refused_by_name),
    cmocka_unit_test(failed_allocations_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
