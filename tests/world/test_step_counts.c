// What a step costs, in operations: matrices that are factored, responses at contact points, sweeps
// and substeps of small worlds. Bounds follow from the method and hold on every machine.
#include "rigid_bodies.h"

#include "full/full.h"
#include "world/step_counts.h"

#define NOT_BOUNDED -1
#define SWEEPS 60 // a step, of an island that rests, whatever its masses
#define MODAL_OF_12 "'method':'modal','reduce':{'modes':12}"

static lbModel *modal, *subspace, *stiff, *heavy;

static lbModel *full_model(const char *keys) {
  char text[900];
  lbModel *model = NULL;
  lbError err;
  snprintf(text, sizeof text, "{'limber':1,'bodies':[{'name':'body',%s}]}", keys);
  lbScene *scene = scene_of(text);
  check_ok(lb_scene_full_model(&scene->bodies[0], &model, &err), err);
  lb_scene_destroy(scene);
  return model;
}

static int set_up(void **state) {
  (void)state;
  lb_full_register();
  modal = body_model(BLOCK "," MODAL);
  subspace = body_model(BLOCK "," SUBSPACE);
  stiff = soft_block(MODAL_OF_12, 1e8); // the box sinks into it by 4 mm
  heavy = rigid_box(0.2, 0.2, 0.2, 1e6);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  lb_model_destroy(modal), lb_model_destroy(subspace);
  lb_model_destroy(stiff), lb_model_destroy(heavy);
  return 0;
}

// The most that a step may cost.
typedef struct Bounds {
  double factorings; // a step of a body, parts of it included
  double parts;      // a body and substep
  double responses;  // a contact point and factoring: each has three directions
  double sweeps;     // a substep
  double substeps;   // a step
} Bounds;

// Steps until all has settled, and then some whose costs are bounded.
typedef struct Scene {
  const char *name;
  int32_t settle, steps;
  double h;
  Bounds most;
} Scene;

static void check_bound(const char *scene, const char *what, double found, double most) {
  if (most != NOT_BOUNDED && !(found <= most))
    fail_msg("%s: %g %s, the method takes at most %g", scene, found, what, most);
}

static int32_t contact_points(const lbWorld *world) {
  return 2 * lb_world_contact_stats(world).contacts; // one on each of two bodies
}

// Counts are there and within the bounds; the world is destroyed.
static void check_costs(lbWorld *world, const Scene *scene) {
  const Bounds *most = &scene->most;
  lbStepCounts worst = { 0 };
  for (int32_t i = 0; i < scene->settle; i++) lb_world_step(world, scene->h);
  for (int32_t i = 0; i < scene->steps; i++) {
    lb_world_step(world, scene->h);
    lbStepCounts c = lb_world_step_counts(world);
    assert_int_equal(c.bodies, lb_world_body_count(world));
    assert_true(c.substeps >= 1 && c.body_steps >= c.bodies);
    double substeps = (double)c.substeps, openings = fmax((double)c.factorings / c.bodies, 1);
    check_bound(scene->name, "factorings a step of a body", (double)c.factorings / c.body_steps,
                most->factorings);
    check_bound(scene->name, "parts a body and substep", c.body_steps / (c.bodies * substeps),
                most->parts);
    check_bound(scene->name, "responses a contact point and factoring",
                (double)c.responses / fmax(1, contact_points(world)) / openings, most->responses);
    check_bound(scene->name, "sweeps a substep", (double)c.sweeps / substeps, most->sweeps);
    check_bound(scene->name, "substeps", substeps, most->substeps);
    if (c.factorings > worst.factorings) worst.factorings = c.factorings;
    if (c.responses > worst.responses) worst.responses = c.responses;
    if (c.sweeps > worst.sweeps) worst.sweeps = c.sweeps;
    if (c.substeps > worst.substeps) worst.substeps = c.substeps;
    if (c.body_steps > worst.body_steps) worst.body_steps = c.body_steps;
  }
  print_message("%s: at most %d factorings, %d responses, %d sweeps, %d substeps, %d body steps\n",
                scene->name, (int)worst.factorings, (int)worst.responses, (int)worst.sweeps,
                (int)worst.substeps, (int)worst.body_steps);
  lb_world_destroy(world);
}

static lbWorld *awake_world(bool ground) {
  lbWorldSettings settings = lb_world_settings();
  settings.gravity = lb_vec3(0, 0, -9.81);
  settings.contact = true;
  settings.sleep = false;
  lbWorld *world = world_of(&settings);
  if (ground) add_plane(world, lb_vec3(0, 0, 1));
  return world;
}

// ---- scenes ------------------------------------------------------------------------------------

// One Newton iteration: one matrix. Nothing is near: no response, no sweep, one substep.
static void a_body_in_the_air_factors_once(void **state) {
  (void)state;
  const Scene scene = { "a body in the air", 0, 30, 1.0 / 60, { 1, 1, 0, 0, 1 } };
  lbWorld *world = awake_world(true);
  add_block(world, subspace, lb_vec3(0, 0, 100));
  check_costs(world, &scene);
}

static void a_modal_body_in_the_air_factors_at_most_once(void **state) {
  (void)state;
  const Scene scene = { "a modal body in the air", 0, 30, 1.0 / 60, { 1, 1, 0, 0, 1 } };
  lbWorld *world = awake_world(true);
  add_block(world, modal, lb_vec3(0, 0, 100));
  check_costs(world, &scene);
}

// What was factored to find its compliance serves the step itself.
static void a_body_on_the_ground_factors_once(void **state) {
  (void)state;
  const Scene scene = { "a body on the ground", 120, 30, 1.0 / 60, { 1, 1, 3, SWEEPS, 1 } };
  lbWorld *world = awake_world(true);
  add_block(world, subspace, lb_vec3(0, 0, 0));
  check_costs(world, &scene);
}

static void a_stack_of_five_factors_once_for_each(void **state) {
  (void)state;
  const Scene scene = { "a stack of five", 240, 30, 1.0 / 60, { 1, 1, 3, SWEEPS, 1 } };
  lbWorld *world = awake_world(true);
  for (int i = 0; i < 5; i++) add_block(world, subspace, lb_vec3(0, 0, 0.2 * i));
  check_costs(world, &scene);
}

static void a_hinge_in_a_pile_costs_no_more_factorings(void **state) {
  (void)state;
  const Scene scene = { "a hinge in a pile", 240, 30, 1.0 / 60, { 1, 1, 3, SWEEPS, 1 } };
  lbWorld *world = awake_world(true);
  lbBodyId ids[4];
  const lbVec3 positions[4] = { { 0, 0, 0 }, { 0.22, 0, 0 }, { 0, 0, 0.2 }, { 0.22, 0, 0.2 } };
  for (int i = 0; i < 4; i++) ids[i] = add_block(world, i % 2 ? modal : subspace, positions[i]);
  lbJointDef def = lb_joint_def();
  lbJointId id;
  lbError err;
  def.kind = LB_JOINT_HINGE;
  def.axis = lb_vec3(0, 1, 0);
  def.bodies[0] = ids[2], def.bodies[1] = ids[3];
  def.places[0] = def.places[1] = lb_vec3(0.21, 0.1, 0.3);
  check_ok(lb_world_add_joint(world, &def, &id, &err), err);
  check_costs(world, &scene);
}

static void a_heavy_box_on_a_light_block_factors_once(void **state) {
  (void)state;
  const Scene scene = { "1 : 1000", 120, 30, 1.0 / 60, { 1, 1, 3, SWEEPS, 1 } };
  lbWorld *world = awake_world(true);
  add_block(world, stiff, lb_vec3(0, 0, 0));
  add_block(world, heavy, lb_vec3(0.1, 0.1, 0.3));
  check_costs(world, &scene);
}

// An unreduced block on the ground. Columns of responses are not made: they are estimated.
static void check_unreduced(const char *name, const char *method, bool full) {
  const Scene scene = { name, 60, 30, 1.0 / 60, { 1, 1, 0, NOT_BOUNDED, 1 } };
  char keys[600];
  snprintf(keys, sizeof keys, BLOCK ",'method':'%s','damping':{'mass':0.5,'stiffness':0.01}",
           method);
  lbModel *model = full ? full_model(keys) : body_model(keys);
  lbWorld *world = awake_world(true);
  lbBodyDef def = lb_body_def();
  lbBodyId id;
  lbError err;
  if (full) def.method = LB_METHOD_FULL;
  def.newton_iterations = 1;
  check_ok(lb_world_add(world, model, &def, &id, &err), err);
  check_costs(world, &scene);
  lb_model_destroy(model);
}

static void a_warped_block_on_the_ground_factors_once(void **state) {
  (void)state;
  check_unreduced("warp on the ground", "warp", false);
}

static void an_unreduced_block_on_the_ground_factors_once(void **state) {
  (void)state;
  check_unreduced("full on the ground", "full", true);
}

// Parts of 0.1 rad: thirty, and one where it spins a little faster as it stretches.
static void a_free_body_that_spins_is_stepped_in_parts(void **state) {
  (void)state;
  const Scene scene = { "3 rad a step", 0, 30, 1.0 / 60, { 1, 31, 0, 0, 1 } };
  lbWorld *world = awake_world(false);
  lbBodyId id = add_block(world, subspace, lb_vec3(0, 0, 0));
  lb_body_set_velocity(lb_world_body(world, id), lb_vec3(0, 0, 0), lb_vec3(0, 0, 180));
  check_costs(world, &scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_body_in_the_air_factors_once),
    cmocka_unit_test(a_modal_body_in_the_air_factors_at_most_once),
    cmocka_unit_test(a_body_on_the_ground_factors_once),
    cmocka_unit_test(a_stack_of_five_factors_once_for_each),
    cmocka_unit_test(a_hinge_in_a_pile_costs_no_more_factorings),
    cmocka_unit_test(a_heavy_box_on_a_light_block_factors_once),
    cmocka_unit_test(a_warped_block_on_the_ground_factors_once),
    cmocka_unit_test(an_unreduced_block_on_the_ground_factors_once),
    cmocka_unit_test(a_free_body_that_spins_is_stepped_in_parts),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
