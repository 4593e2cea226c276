// Frames of unreduced bodies: one that is fitted to a free body, and one that leads supports.
#include "rig.h"

// In the world, the simulator of the placed body does the same; the frame is the rigid motion that
// is in it, and what is left is small.
static void a_free_body_moves_as_the_placed_simulator(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", ",'position':[1,2,3],'rotation':[0.1,0.2,0.3,1],'velocity':{"
                                 "'linear':[1,0.5,2],'angular':[1,6,2]}"));
  const lbSceneBody *source = &rig.scene->bodies[0];
  size_t nodes = (size_t)rig.model->size.node_count;
  double *load = nodes_of(&rig), *velocity = nodes_of(&rig), *own = nodes_of(&rig), largest = 0;
  lbFem *placed = NULL;
  lbSimulator *simulator = NULL;
  lbSimulatorDef plan = lb_simulator_def();
  lbBodyDef def = full_def();
  lbError err;
  const double *q = source->rotation;
  def.position = lb_vec3(1, 2, 3);
  def.rotation = lb_quat(q[0], q[1], q[2], q[3]);
  lbBody *body = body_of(&rig, &def);
  body_ok(body, lb_body_set_velocity(body, lb_vec3(1, 0.5, 2), lb_vec3(1, 6, 2)));
  body_ok(body, lb_body_start(body, 0, NULL));
  check_ok(lb_scene_fem(source, &placed, &err), err);
  plan.step = 1.0 / 200;
  lb_scene_velocity(source, placed, velocity);
  fill_load(&rig, lb_vec3(0, 0, 0), load);
  check_ok(lb_simulator_create(placed, &plan, NULL, velocity, load, &simulator, &err), err);
  for (int step = 0; step < 200; step++) {
    lbVec3 force = lb_vec3(0, step < 50 ? 5 : 0, 3);
    body_ok(body, lb_body_apply_force(body, lb_point_node(TIP), force));
    fill_load(&rig, force, load);
    assert_int_equal(lb_simulator_step(simulator, load), 0);
    assert_int_equal(lb_body_step(body, plan.step), 0);
    for (size_t n = 0; n < nodes; n += 5) {
      lbVec3 x = lb_add(lb_vec3_load(lb_fem_rest_positions(placed) + 3 * n),
                        lb_vec3_load(lb_simulator_displacement(simulator) + 3 * n)),
             v, y;
      body_ok(body, lb_body_point(body, lb_point_node((int32_t)n), &y, &v));
      check_small(lb_length(lb_sub(x, y)), 1e-8);
      check_small(lb_length(lb_sub(v, lb_vec3_load(lb_simulator_velocity(simulator) + 3 * n))),
                  1e-6);
    }
    lb_body_node_displacements(body, own);
    for (size_t i = 0; i < 3 * nodes; i++) largest = fmax(largest, fabs(own[i]));
  }
  lbSimulatorState there = lb_simulator_state(simulator);
  lbBodyReport report = lb_body_report(body);
  check_near(report.kinetic, there.kinetic, 1e-7 * there.kinetic);
  check_near(report.angular_momentum.x, there.angular_momentum[0], 1e-6);
  assert_true(largest > 1e-3 && largest < 0.2);
  lbFrame frame = lb_body_frame(body);
  check_small(
      lb_length(lb_sub(frame.linear_velocity, lb_scale(1 / report.mass, report.linear_momentum))),
      1e-12);
  lb_simulator_destroy(simulator);
  lb_fem_destroy(placed);
  lb_free(load), lb_free(velocity), lb_free(own);
  lb_body_destroy(body);
  rig_release(&rig);
}

// A frame that is shaken and turns: x = 0.02 sin(wt), a turn of 0.3 sin(wt) about y.
static lbFrame shaken(double t, lbVec3 centre) {
  double w = 9, angle = 0.3 * sin(w * t);
  lbFrame frame = { .position = lb_vec3(0.02 * sin(w * t), 0, 1),
                    .rotation = lb_quat_exp(lb_vec3(0, angle, 0)),
                    .angular_velocity = lb_vec3(0, 0.3 * w * cos(w * t), 0) };
  frame.linear_velocity =
      lb_add(lb_vec3(0.02 * w * cos(w * t), 0, 0),
             lb_cross(frame.angular_velocity, lb_quat_rotate(frame.rotation, centre)));
  return frame;
}

// Rows of the fixed nodes at t, for a simulator in the world.
static void support_rows(const Rig *rig, double t, lbVec3 centre, double *rows[3]) {
  const double *X = lb_fem_rest_positions(rig->fem);
  const double e = 1e-5;
  for (size_t n = 0; n < (size_t)rig->model->size.node_count; n++) {
    lbVec3 x[3];
    for (int k = 0; k < 3; k++) {
      lbFrame f = shaken(t + (k - 1) * e, centre);
      x[k] = lb_add(f.position, lb_quat_rotate(f.rotation, lb_vec3_load(X + 3 * n)));
    }
    lb_vec3_store(rows[0] + 3 * n, lb_sub(x[1], lb_vec3_load(X + 3 * n)));
    lb_vec3_store(rows[1] + 3 * n, lb_scale(0.5 / e, lb_sub(x[2], x[0])));
    lb_vec3_store(rows[2] + 3 * n,
                  lb_scale(1 / (e * e), lb_add(lb_sub(x[2], x[1]), lb_sub(x[0], x[1]))));
  }
}

static lbSupportMotion motion_at(const Rig *rig, double t, lbVec3 centre, double *rows[3]) {
  lbFrame f = shaken(t, centre);
  lbSupportMotion motion = { .displacement = rows[0],
                             .velocity = rows[1],
                             .acceleration = rows[2],
                             .rotation = { f.rotation.x, f.rotation.y, f.rotation.z,
                                           f.rotation.w } };
  support_rows(rig, t, centre, rows);
  lb_vec3_store(motion.position, f.position);
  lb_vec3_store(motion.angular_velocity, f.angular_velocity);
  lb_vec3_store(
      motion.linear_velocity,
      lb_sub(f.linear_velocity, lb_cross(f.angular_velocity, lb_quat_rotate(f.rotation, centre))));
  return motion;
}

static void a_driven_body_follows_its_frame_as_moving_supports_take_it(void **state) {
  (void)state;
  Rig rig = rig_of(SCENE("stvk", HELD));
  lbVec3 centre = lb_vec3_load(rig.model->rigid_centre);
  size_t nodes = (size_t)rig.model->size.node_count;
  double *rows[3] = { nodes_of(&rig), nodes_of(&rig), nodes_of(&rig) }, *load = nodes_of(&rig);
  double *start = nodes_of(&rig), most = 0, bent = 0, h = 1.0 / 500;
  lbSimulatorDef plan = lb_simulator_def();
  lbSimulator *simulator = NULL;
  lbError err;
  plan.step = h, plan.damping_mass = 1, plan.damping_stiffness = 1e-3;
  lbBodyDef def = full_def();
  def.frame = LB_FRAME_DRIVEN;
  def.damping_mass = 1, def.damping_stiffness = 1e-3;
  lbBody *body = body_of(&rig, &def);
  lbFrame frame = shaken(0, centre);
  body_ok(body, lb_body_set_frame(body, &frame));
  body_ok(body, lb_body_start(body, 0, NULL));
  lbSupportMotion motion = motion_at(&rig, 0, centre, rows);
  fill_load(&rig, lb_vec3(0, 0, 0), load);
  memcpy(start, rows[0], 3 * nodes * sizeof(double));
  check_ok(lb_simulator_create(rig.fem, &plan, start, rows[1], load, &simulator, &err), err);
  check_ok(lb_simulator_start_supports(simulator, &motion, load, &err), err);
  for (int step = 1; step <= 300; step++) {
    double t = h * step;
    frame = shaken(t, centre);
    body_ok(body, lb_body_drive(body, &frame));
    motion = motion_at(&rig, t, centre, rows);
    check_ok(lb_simulator_move_supports(simulator, &motion, &err), err);
    assert_int_equal(lb_simulator_step(simulator, load), 0);
    assert_int_equal(lb_body_step(body, h), 0);
    lbVec3 x = lb_add(lb_vec3_load(lb_fem_rest_positions(rig.fem) + 3 * TIP),
                      lb_vec3_load(lb_simulator_displacement(simulator) + 3 * TIP));
    most = fmax(most, lb_length(lb_sub(x, where(body, TIP))));
    lb_body_node_displacements(body, start);
    bent = fmax(bent, fabs(start[3 * TIP + 2]));
    for (int i = 0; i < 3; i++) check_small(start[i], 0); // a fixed node stays in the frame
    check_small(lb_length(lb_sub(lb_body_frame(body).position, frame.position)), 0);
  }
  print_message("  %.1e m apart, bent by %.2f m\n", most, bent);
  check_small(most, 2e-4 * bent); // accelerations of the supports are taken from velocities
  // A jump takes the shape along.
  frame.position.x += 10;
  body_ok(body, lb_body_drive(body, &frame));
  double before = start[3 * TIP + 2];
  assert_int_equal(lb_body_step(body, h), LB_STEP_JUMPED);
  lb_body_node_displacements(body, start);
  check_near(start[3 * TIP + 2], before, 0.03);
  lb_simulator_destroy(simulator);
  for (int k = 0; k < 3; k++) lb_free(rows[k]);
  lb_free(load), lb_free(start);
  lb_body_destroy(body);
  rig_release(&rig);
  rig = rig_of(SCENE("stvk", ""));
  check_fails(lb_body_create(rig.model, &def, &body, &err), LB_ERR_ARGUMENT, err, "fixed");
  rig_release(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_free_body_moves_as_the_placed_simulator),
    cmocka_unit_test(a_driven_body_follows_its_frame_as_moving_supports_take_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
