// The operations of methods: every method has those that bodies call, its own or defaults.
#include "toy_model.h"

#include "body/access.h"
#include "method/table.h"

#include <string.h>

static const lbBodyMethod *const METHODS[] = { &lb_modal_method, &lb_subspace_method,
                                               &lb_warp_method,  &lb_frames_method,
                                               &lb_rigid_method, &lb_recorded_method };
#define METHOD_COUNT (sizeof METHODS / sizeof *METHODS)

// The operations that callers call without a question; all pointers beside these are capabilities.
static void every_method_has_all_operations(void **state) {
  (void)state;
  for (size_t i = 0; i < METHOD_COUNT; i++) {
    lbBodyMethod m = lb_method_with_defaults(METHODS[i]);
    assert_true(m.prepare && m.build && m.release && m.materials && m.identify);
    assert_true(m.place_group && m.place_scratch && m.furnish && m.forget);
    assert_true(m.get && m.put && m.set_weight && m.save && m.refit && m.restore && m.start);
    assert_true(m.begin && m.respond && m.respond_many && m.end && m.commit && m.ready_group);
    assert_true(m.mobilise && m.mobilise_at && m.apply_impulse && m.comply && m.stable_step);
    assert_true(m.stored && m.report && m.von_mises && m.pose_distance && m.unfollowed_force);
    assert_true(m.report != lb_default_report || (m.kinetic && m.elastic));
    assert_true(m.solid && !m.refine == !m.refinement_spacing);
  }
}

static void defaults_leave_the_operations_of_a_table(void **state) {
  (void)state;
  for (size_t i = 0; i < METHOD_COUNT; i++) {
    lbBodyMethod m = lb_method_with_defaults(METHODS[i]);
    lbBodyMethod again = lb_method_with_defaults(&m);
    assert_ptr_equal(m.get, METHODS[i]->get);
    assert_ptr_equal(m.respond, METHODS[i]->respond);
    if (METHODS[i]->mobilise) assert_ptr_equal(m.mobilise, METHODS[i]->mobilise);
    if (METHODS[i]->report) assert_ptr_equal(m.report, METHODS[i]->report);
    assert_memory_equal(&m, &again, sizeof m);
  }
}

// M is the identity where a method has neither of the two products with its inverse.
static void the_mass_is_the_identity_by_default(void **state) {
  (void)state;
  for (size_t i = 0; i < METHOD_COUNT; i++) {
    lbBodyMethod m = lb_method_with_defaults(METHODS[i]);
    bool own = METHODS[i]->mobilise || METHODS[i]->mobilise_at;
    assert_int_equal(lb_method_has_unit_mass(&m), !own);
  }
}

// A body at rest that gets an impulse p at a point has the kinetic energy ½ v·p, v the velocity
// that the point gets: v = J M⁻¹ Jᵀ p, by the default for a unit mass.
static void an_impulse_does_the_work_that_the_report_shows(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = toy_turned();
  lbBody *body = toy_body(&toy, &def);
  lbPoint tip = lb_point_vertex(30);
  lbVec3 impulse = lb_vec3(0.3, -0.2, 0.5), place, velocity;
  body_ok(body, lb_body_apply_impulse(body, tip, impulse));
  body_ok(body, lb_body_point(body, tip, &place, &velocity));
  double work = 0.5 * lb_dot(velocity, impulse), kinetic = lb_body_report(body).kinetic;
  assert_true(work > 0);
  check_small(fabs(work - kinetic) / kinetic, 1e-12);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

// ---- body/access.h -----------------------------------------------------------------------------

static void what_other_layers_read_is_what_the_public_interface_says(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = toy_turned();
  lbBody *body = toy_body(&toy, &def);
  lbFrame frame = lb_body_frame(body);
  lbVec3 own = lb_vec3(0.1, 0.2, -0.3);
  toy_shake(body, 0.01, 5);
  check_small(fabs(lb_body_mass(body) - lb_body_report(body).mass), 0);
  check_small(toy_distance(lb_body_position(body), frame.position), 0);
  check_small(toy_distance(lb_mat3_apply(lb_body_rotation_matrix(body), own),
                           lb_quat_rotate(lb_body_rotation(body), own)),
              1e-15);
  assert_true(lb_body_row_length(body) >= lb_body_dimension(body));
  assert_int_equal(lb_body_row_length(body) % LB_BATCH, 0);
  assert_false(lb_body_is_recording(body) || lb_body_can_refine(body));
  // The displacement of a vertex carries it from where the rest shape has it.
  lbPoint tip = lb_point_vertex(30);
  lbVec3 place, displacement;
  body_ok(body, lb_body_point(body, tip, &place, NULL));
  assert_int_equal(lb_body_point_displacement(body, &tip, &displacement), LB_OK);
  lbVec3 rest = lb_point_rest(toy.model, &tip);
  assert_true(lb_length(displacement) > 0);
  check_small(toy_distance(place, lb_body_place(body, lb_add(rest, displacement))), 1e-14);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

static void an_inactive_body_keeps_its_state(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = lb_body_def();
  def.gravity = lb_vec3(0, 0, -9.81);
  lbBody *body = toy_body(&toy, &def);
  double q[BAR_MODES], v[BAR_MODES], still[BAR_MODES];
  memset(still, 0, sizeof still);
  lb_body_set_active(body, false);
  assert_int_equal(lb_body_step(body, 1.0 / 60), 0);
  lb_body_get_state(body, q, v);
  assert_memory_equal(q, still, sizeof q);
  check_small(lb_body_time(body), 0);
  lb_body_set_active(body, true);
  assert_int_equal(lb_body_step(body, 1.0 / 60), 0);
  lb_body_get_state(body, q, v);
  assert_memory_not_equal(q, still, sizeof q);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_method_has_all_operations),
    cmocka_unit_test(defaults_leave_the_operations_of_a_table),
    cmocka_unit_test(the_mass_is_the_identity_by_default),
    cmocka_unit_test(an_impulse_does_the_work_that_the_report_shows),
    cmocka_unit_test(what_other_layers_read_is_what_the_public_interface_says),
    cmocka_unit_test(an_inactive_body_keeps_its_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
