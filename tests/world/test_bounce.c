// Restitution and rolling friction, against formulas of rigid balls on a plane.
#include "rigid_bodies.h"

#define RADIUS 0.1
#define STEP (1.0 / 240)

static lbModel *ball;

static int make_ball(void **state) {
  (void)state;
  ball = rigid_ball(RADIUS, 1000);
  return 0;
}

static int release_ball(void **state) {
  (void)state;
  lb_model_destroy(ball);
  return 0;
}

static lbWorld *world_of_material(lbVec3 gravity, double restitution, double rolling_friction) {
  lbWorldSettings settings = lb_world_settings();
  settings.gravity = gravity;
  settings.contact = true;
  settings.restitution = restitution;
  settings.rolling_friction = rolling_friction;
  return world_of(&settings);
}

static lbVec3 velocity_of(const lbWorld *world, lbBodyId id) {
  lbBodyReport r = lb_body_report(lb_world_body(world, id));
  return lb_scale(1 / r.mass, r.linear_momentum);
}

static lbVec3 spin_of(const lbWorld *world, lbBodyId id) {
  return lb_body_frame(lb_world_body(world, id)).angular_velocity;
}

// m: how high a ball gets after its first touch, of a fall by `height`.
static double rebound(double of_ball, double of_plane, double height) {
  lbWorld *world = world_of_material(lb_vec3(0, 0, -9.81), of_plane, 0);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_block(world, ball, lb_vec3(0, 0, RADIUS + height));
  lbContactMaterial material = lb_contact_material();
  lbError err;
  double highest = 0;
  bool touched = false;
  material.restitution = of_ball;
  check_ok(lb_world_set_contact_material(world, id, &material, &err), err);
  for (int i = 0; i < 300; i++) {
    lb_world_step(world, STEP);
    touched |= lb_world_contact_count(world) > 0;
    double now = lb_body_report(lb_world_body(world, id)).centre.z - RADIUS;
    if (touched) highest = fmax(highest, now);
  }
  assert_true(touched);
  lb_world_destroy(world);
  return highest;
}

static void a_ball_bounces_as_high_as_the_square_of_its_restitution(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    double e = 0.3 * i, high = rebound(e, 0, 1);
    print_message("restitution %g: %g m of %g m\n", e, high, e * e);
    check_near(high, e * e, 0.03);
  }
  check_near(rebound(0.2, 0.8, 1), 0.64, 0.03); // the larger one of a pair
}

static void slow_approaches_do_not_bounce(void **state) {
  (void)state;
  check_small(rebound(1, 1, 0.01), 2e-3); // 0.44 m/s
}

static void bouncing_balls_gain_no_energy(void **state) {
  (void)state;
  lbWorld *world = world_of_material(lb_vec3(0, 0, -9.81), 1, 0);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_block(world, ball, lb_vec3(0, 0, RADIUS + 0.5));
  lbBody *body = lb_world_body(world, id);
  lb_body_set_velocity(body, lb_vec3(1, 0, 0), lb_vec3(0, 5, 3));
  double first = energy_of(body), most = 0;
  for (int i = 0; i < 2400; i++) {
    lb_world_step(world, STEP);
    most = fmax(most, energy_of(body));
  }
  print_message("energy %g J, at most %g J\n", first, most);
  assert_true(most <= 1.01 * first);
  lb_world_destroy(world);
}

// Head on: the speeds after are (1 - e) / 2 and (1 + e) / 2 of the speed before.
static void two_balls_share_their_momentum_by_restitution(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    double e = 0.5 * i;
    lbWorld *world = world_of_material(lb_vec3(0, 0, 0), e, 0);
    lbBodyId ids[2] = { add_block(world, ball, lb_vec3(0, 0, 0)),
                        add_block(world, ball, lb_vec3(0.3, 0, 0)) };
    lb_body_set_velocity(lb_world_body(world, ids[0]), lb_vec3(2, 0, 0), lb_vec3(0, 0, 0));
    for (int k = 0; k < 60; k++) lb_world_step(world, STEP);
    double first = velocity_of(world, ids[0]).x, second = velocity_of(world, ids[1]).x;
    print_message("restitution %g: %g and %g m/s\n", e, first, second);
    check_near(first + second, 2, 1e-12);
    check_near(first, 1 - e, 0.02);
    check_near(second, 1 + e, 0.02);
    lb_world_destroy(world);
  }
}

// A ball that rolls is slowed by mu_r g / (1.4 R).
static void a_rolling_ball_slows_down_by_its_rolling_friction(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    double mu = 0.002 * i;
    lbWorld *world = world_of_material(lb_vec3(0, 0, -9.81), 0, mu);
    add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId id = add_block(world, ball, lb_vec3(0, 0, RADIUS));
    lb_body_set_velocity(lb_world_body(world, id), lb_vec3(1, 0, 0), lb_vec3(0, 1 / RADIUS, 0));
    for (int k = 0; k < 240; k++) lb_world_step(world, STEP);
    double speed = velocity_of(world, id).x, slowed = mu * 9.81 / (1.4 * RADIUS);
    print_message("rolling friction %g m: %g m/s after a second, %g by the formula\n", mu, speed,
                  1 - slowed);
    check_near(speed, 1 - slowed, 0.005);
    for (int k = 0; k < 8 * 240; k++) lb_world_step(world, STEP);
    if (i) check_small(lb_length(velocity_of(world, id)), 1e-3);
    lb_world_destroy(world);
  }
}

// It holds on slopes up to tan = mu_r / R, and rolls down steeper ones.
static void rolling_friction_holds_a_ball_on_a_slope(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    double mu = 0.01, tangent = (i ? 1.2 : 0.8) * mu / RADIUS, angle = atan(tangent);
    lbVec3 gravity = lb_vec3(9.81 * sin(angle), 0, -9.81 * cos(angle));
    lbWorld *world = world_of_material(gravity, 0, mu);
    add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId id = add_block(world, ball, lb_vec3(0, 0, RADIUS));
    for (int k = 0; k < 240; k++) lb_world_step(world, STEP);
    double way = lb_body_report(lb_world_body(world, id)).centre.x;
    double pull = 9.81 * (sin(angle) - mu / RADIUS * cos(angle)) / 1.4;
    print_message("slope %g: %g m in a second\n", tangent, way);
    if (i)
      check_near(way, pull / 2, 0.1 * pull);
    else
      check_small(way, 1e-6);
    lb_world_destroy(world);
  }
}

// Two balls that are welded to each other roll like one, also through the rows of the weld.
static void welded_balls_slow_down_like_one(void **state) {
  (void)state;
  double mu = 0.002;
  lbWorld *world = world_of_material(lb_vec3(0, 0, -9.81), 0, mu);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId ids[2] = { add_block(world, ball, lb_vec3(0, -0.15, RADIUS)),
                      add_block(world, ball, lb_vec3(0, 0.15, RADIUS)) };
  lbJointDef weld = lb_joint_def();
  lbJointId joint = 0;
  lbError err;
  weld.kind = LB_JOINT_WELD;
  weld.bodies[0] = ids[0], weld.bodies[1] = ids[1];
  weld.places[0] = weld.places[1] = lb_vec3(0, 0, RADIUS);
  check_ok(lb_world_add_joint(world, &weld, &joint, &err), err);
  for (int b = 0; b < 2; b++)
    lb_body_set_velocity(lb_world_body(world, ids[b]), lb_vec3(1, 0, 0), lb_vec3(0, 1 / RADIUS, 0));
  for (int k = 0; k < 240; k++) lb_world_step(world, STEP);
  check_near(velocity_of(world, ids[0]).x, 1 - mu * 9.81 / (1.4 * RADIUS), 0.005);
  lb_world_destroy(world);
}

// A torque of two fifths m R² times the angular acceleration brakes a ball that spins on the
// contact_point.
static void rolling_friction_slows_spinning_down(void **state) {
  (void)state;
  double mu = 0.002, slowed = mu * 9.81 / (0.4 * RADIUS * RADIUS);
  lbWorld *world = world_of_material(lb_vec3(0, 0, -9.81), 0, mu);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_block(world, ball, lb_vec3(0, 0, RADIUS));
  lb_body_set_velocity(lb_world_body(world, id), lb_vec3(0, 0, 0), lb_vec3(0, 0, 10));
  for (int k = 0; k < 240; k++) lb_world_step(world, STEP);
  check_near(spin_of(world, id).z, 10 - slowed, 0.01);
  for (int k = 0; k < 480; k++) lb_world_step(world, STEP);
  check_small(lb_length(spin_of(world, id)), 1e-9);
  lb_world_destroy(world);
}

// Torques of two balls on each other are opposite: their angular momentum stays.
static void rolling_friction_keeps_momenta(void **state) {
  (void)state;
  lbWorld *world = world_of_material(lb_vec3(0, 0, 0), 0, 0.01);
  lbBodyId ids[2] = { add_block(world, ball, lb_vec3(0, 0, 0)),
                      add_block(world, ball, lb_vec3(0.21, 0.05, 0)) };
  lb_body_set_velocity(lb_world_body(world, ids[0]), lb_vec3(3, 0, 0), lb_vec3(10, 20, -5));
  Momenta before = momenta_of(world, ids), after;
  for (int k = 0; k < 60; k++) lb_world_step(world, STEP);
  after = momenta_of(world, ids);
  check_small(lb_length(lb_sub(after.linear, before.linear)), 1e-12 * lb_length(before.linear));
  check_small(lb_length(lb_sub(after.angular, before.angular)), 1e-9 * lb_length(before.angular));
  assert_true(after.energy < before.energy);
  lb_world_destroy(world);
}

// A ball on a turntable about its own axis is taken along.
static void rolling_friction_takes_a_ball_along(void **state) {
  (void)state;
  lbWorld *world = world_of_material(lb_vec3(0, 0, -9.81), 0, 0.01);
  lbColliderId table = add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_block(world, ball, lb_vec3(0, 0, RADIUS));
  lbError err;
  for (int k = 1; k <= 240; k++) {
    lbQuat turn = lb_quat_from_axis_angle(lb_vec3(0, 0, 1), 2 * STEP * k);
    check_ok(lb_world_move_collider(world, table, lb_vec3(0, 0, 0), turn, &err), err);
    lb_world_step(world, STEP);
  }
  check_near(spin_of(world, id).z, 2, 0.002);
  lb_world_destroy(world);
}

// A reduced ball, which rolls by its frame and touches by its shape.
static void a_soft_ball_rolls_out_and_falls_asleep(void **state) {
  (void)state;
  lbModel *soft = body_model(
      "'mesh':{'generate':'sphere','size':[0.2,0.2,0.2],'cells':[4,4,4],'segments':16},'material':{"
      "'model':'stvk','young':1e6,'poisson':0.3,'density':1000},'method':'subspace','reduce':{"
      "'modes':6,'dimension':15},'damping':{'stiffness':0.002}");
  double ways[2];
  for (int i = 0; i < 2; i++) {
    lbWorld *world = world_of_material(lb_vec3(0, 0, -9.81), 0, 0.01 * i);
    add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId id = add_block(world, soft, lb_vec3(0, 0, RADIUS));
    lb_body_set_velocity(lb_world_body(world, id), lb_vec3(1, 0, 0), lb_vec3(0, 1 / RADIUS, 0));
    for (int k = 0; k < 5 * 240; k++) lb_world_step(world, STEP);
    ways[i] = lb_body_report(lb_world_body(world, id)).centre.x;
    print_message("rolling friction %g m: %g m\n", 0.01 * i, ways[i]);
    if (i) assert_true(lb_world_body_sleeping(world, id));
    lb_world_destroy(world);
  }
  double slowed = 0.01 * 9.81 / (1.4 * RADIUS); // of a rigid one; this one is a polyhedron, too
  assert_true(ways[1] < ways[0] && ways[1] < 1 / (2 * slowed));
  lb_model_destroy(soft);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_ball_bounces_as_high_as_the_square_of_its_restitution),
    cmocka_unit_test(slow_approaches_do_not_bounce),
    cmocka_unit_test(bouncing_balls_gain_no_energy),
    cmocka_unit_test(two_balls_share_their_momentum_by_restitution),
    cmocka_unit_test(a_rolling_ball_slows_down_by_its_rolling_friction),
    cmocka_unit_test(rolling_friction_holds_a_ball_on_a_slope),
    cmocka_unit_test(welded_balls_slow_down_like_one),
    cmocka_unit_test(rolling_friction_slows_spinning_down),
    cmocka_unit_test(rolling_friction_keeps_momenta),
    cmocka_unit_test(rolling_friction_takes_a_ball_along),
    cmocka_unit_test(a_soft_ball_rolls_out_and_falls_asleep),
  };
  return cmocka_run_group_tests(tests, make_ball, release_ball);
}
