// Bodies that constraints hold: what contacts see of them is what forces and impulses do, with what
// the constraints make of it.
#include "../world/contact_worlds.h"

#include "body/body.h"
#include "body/reaction.h"
#include "collide/solid_parts.h"

enum { SPOTS = 4, ROWS = 3 * SPOTS };

static const double h = 1.0 / 60;
static uint64_t seed = 7;

#define FIXED "'fixed':{'box':[[-9,-9,-9],[1e-9,9,9]]},"

static const char *const held_bodies[] = {
  BLOCK "," FIXED MODAL,
  BLOCK "," FIXED SUBSPACE,
  BLOCK "," FIXED "'method':'warp','warp':{'iterations':400}",
};
enum { HELD_BODIES = sizeof held_bodies / sizeof *held_bodies };

static void make_contact_points(const lbModel *model, lbContactPoint *contact_points) {
  for (int32_t i = 0; i < SPOTS; i++) {
    lbVec3 axis = lb_normalise(lb_vec3(check_random(&seed), check_random(&seed), 0.3));
    lbVec3 aside = lb_square_to(axis);
    contact_points[i] = (lbContactPoint){ .kind = LB_POINT_SURFACE,
                                          .triangle = (int32_t)(fabs(check_random(&seed)) * 0.999 *
                                                                model->size.triangle_count),
                                          .weights = { 0.2, 0.3, 0.5 },
                                          .axes = { axis, aside, lb_cross(axis, aside) } };
  }
}

// A hard pin, a spring along two axes, and the pin again: a row that depends on others.
static void hold(lbBody *body) {
  const lbModel *model = lb_body_model(body);
  lbPoint points[2] = { lb_point_vertex(model->size.vertex_count - 1),
                        lb_point_vertex(model->size.vertex_count / 2) };
  uint8_t axes = 3;
  lbConstraintDef pin = lb_constraint_def(), spring = lb_constraint_def();
  pin.point_count = spring.point_count = 1;
  pin.points = points, spring.points = points + 1;
  spring.axes = &axes, spring.stiffness = 3e4, spring.damping = 20;
  assert_int_equal(lb_body_add_constraint(body, &pin, NULL), LB_OK);
  assert_int_equal(lb_body_add_constraint(body, &spring, NULL), LB_OK);
  assert_int_equal(lb_body_add_constraint(body, &pin, NULL), LB_OK);
}

static lbVec3 pin_of(const lbBody *body) {
  lbVec3 place;
  assert_int_equal(lb_body_point(body, lb_point_vertex(lb_body_model(body)->size.vertex_count - 1),
                                 &place, NULL),
                   LB_OK);
  return place;
}

static lbVec3 pin_velocity_of(const lbBody *body) {
  lbVec3 velocity;
  assert_int_equal(lb_body_point(body, lb_point_vertex(lb_body_model(body)->size.vertex_count - 1),
                                 NULL, &velocity),
                   LB_OK);
  return velocity;
}

typedef struct Held {
  lbModel *model;
  lbWorld *world;
  lbBody *body;
  lbContactPoint contact_points[SPOTS];
} Held;

// A block that moves, bends and is held.
static Held make_held(const char *keys) {
  Held held = { body_model(keys), world_with(lb_vec3(0, 0, 0), 0.5), NULL, { { 0 } } };
  double q[400] = { 0 }, v[400] = { 0 };
  lbBodyDef def = lb_body_def();
  lbBodyId id;
  lbError err;
  def.rotation = lb_quat_from_axis_angle(lb_vec3(1, 2, 3), 1.1);
  check_ok(lb_world_add(held.world, held.model, &def, &id, &err), err);
  held.body = lb_world_body(held.world, id);
  for (int i = 0; i < lb_body_dimension(held.body); i++)
    q[i] = 1e-4 * check_random(&seed), v[i] = 1e-3 * check_random(&seed);
  assert_int_equal(lb_body_set_state(held.body, q, v), LB_OK);
  hold(held.body);
  make_contact_points(held.model, held.contact_points);
  return held;
}

static void release_held(Held *held) {
  lb_world_destroy(held->world);
  lb_model_destroy(held->model);
}

static void places_of(const lbBody *body, lbContactPoint *contact_points, lbVec3 *places,
                      lbVec3 *velocities) {
  lbScratch *s = lb_scratch_borrow(body->prepared);
  assert_true(lb_touch_look(body, s));
  for (int i = 0; i < SPOTS; i++)
    velocities[i] = lb_touch_velocity(body, s, &contact_points[i], &places[i]);
  lb_scratch_return(body->prepared, s);
}

// ---- forces ------------------------------------------------------------------------------------

// `most`: how far from what the matrix says places may end, of how far they go.
static void check_forces(const char *keys, double most, double met) {
  Held held = make_held(keys);
  lbTouching t;
  lbVec3 ways[SPOTS], before[SPOTS], after[SPOTS], velocities[SPOTS], pin = pin_of(held.body);
  double matrix[ROWS * ROWS] = { 0 }, forces[ROWS], worst = 0, largest = 0;
  for (int i = 0; i < ROWS; i++) forces[i] = check_random(&seed);
  places_of(held.body, held.contact_points, before, velocities);
  assert_true(lb_touch_open(&t, held.body, h));
  lb_touch_ways(&t, SPOTS, held.contact_points, ways);
  lb_touch_moves(&t, SPOTS, held.contact_points, matrix);
  lb_touch_close(&t);
  lb_touch_add_frame(&t, SPOTS, held.contact_points, matrix);
  lb_touch_hold(&t, SPOTS, held.contact_points, forces);
  assert_int_equal(lb_body_step(held.body, h) & LB_STEP_NONFINITE, 0);
  places_of(held.body, held.contact_points, after, velocities);
  for (int i = 0; i < ROWS; i++) {
    double told = 0, free = lb_dot(held.contact_points[i / 3].axes[i % 3], ways[i / 3]);
    for (int k = 0; k < ROWS; k++) told += matrix[i * ROWS + k] * forces[k];
    double moved =
        lb_dot(held.contact_points[i / 3].axes[i % 3], lb_sub(after[i / 3], before[i / 3])) - free;
    worst = fmax(worst, fabs(moved - told)), largest = fmax(largest, fabs(moved));
    for (int k = 0; k < ROWS; k++)
      check_near(matrix[i * ROWS + k], matrix[k * ROWS + i], 1e-12 * matrix[i * ROWS + i]);
  }
  print_message("  forces: off by %.1e of %.1e m\n", worst, largest);
  check_small(worst, most * largest);
  check_small(lb_length(lb_sub(pin_of(held.body), pin)), met);
  release_held(&held);
}

static void contacts_see_the_compliance_of_a_held_body(void **state) {
  (void)state;
  for (int i = 0; i < HELD_BODIES; i++) check_forces(held_bodies[i], i == 2 ? 1e-5 : 1e-9, 1e-10);
  // The turn of a free frame is not linear in forces.
  check_forces(BLOCK "," MODAL, 2e-3, 1e-7);
  check_forces(BLOCK "," SUBSPACE, 2e-3, 1e-7);
}

static void products_are_the_matrix(void **state) {
  (void)state;
  const char *const keys[] = { BLOCK "," FIXED SUBSPACE, BLOCK "," MODAL };
  for (int b = 0; b < 2; b++) {
    Held held = make_held(keys[b]);
    lbTouching t;
    lbVec3 ways[SPOTS];
    double matrix[ROWS * ROWS] = { 0 }, rows[ROWS * 64], moved[ROWS * 64];
    size_t width = lb_touch_width(held.body);
    assert_in_range(width, 1, 64);
    assert_true(lb_touch_open(&t, held.body, h));
    lb_touch_ways(&t, SPOTS, held.contact_points, ways);
    lb_touch_moves(&t, SPOTS, held.contact_points, matrix);
    lb_touch_ways(&t, SPOTS, held.contact_points, ways); // finds the rows anew
    lb_touch_rows(&t, SPOTS, held.contact_points, rows, moved);
    lb_touch_close(&t);
    lb_touch_add_frame(&t, SPOTS, held.contact_points, matrix);
    lb_touch_frame_rows(&t, SPOTS, held.contact_points, rows, moved);
    for (size_t i = 0; i < ROWS; i++)
      for (size_t k = 0; k < ROWS; k++) {
        double sum = 0;
        for (size_t j = 0; j < width; j++) sum += rows[i * width + j] * moved[k * width + j];
        check_near(sum, matrix[i * ROWS + k], 1e-11 * matrix[i * ROWS + i]);
      }
    release_held(&held);
  }
}

// ---- impulses ----------------------------------------------------------------------------------

static void check_impulses(const char *keys) {
  Held held = make_held(keys);
  double matrix[ROWS * ROWS] = { 0 }, impulses[ROWS], worst = 0, largest = 0;
  lbVec3 places[SPOTS], before[SPOTS], after[SPOTS];
  lbMat3 mobility = { { 0 } };
  lb_body_step(held.body, h);
  lbScratch *s = lb_scratch_borrow(held.body->prepared);
  assert_true(lb_touch_look(held.body, s));
  lb_touch_velocities(held.body, s, SPOTS, held.contact_points, before);
  lb_touch_speeds(held.body, s, true, SPOTS, held.contact_points, matrix, &mobility);
  lb_touch_add_frame_speeds(held.body, mobility, SPOTS, held.contact_points, matrix);
  for (int i = 0; i < ROWS; i++) impulses[i] = 0.01 * check_random(&seed);
  lbVec3 pin = pin_velocity_of(held.body);
  lb_touch_apply_impulses(held.body, SPOTS, held.contact_points, impulses, s);
  lb_scratch_return(held.body->prepared, s);
  places_of(held.body, held.contact_points, places, after);
  for (int i = 0; i < ROWS; i++) {
    double told = 0;
    for (int k = 0; k < ROWS; k++) told += matrix[i * ROWS + k] * impulses[k];
    double change =
        lb_dot(held.contact_points[i / 3].axes[i % 3], lb_sub(after[i / 3], before[i / 3]));
    worst = fmax(worst, fabs(change - told)), largest = fmax(largest, fabs(change));
  }
  print_message("  impulses: off by %.1e of %.1e m/s\n", worst, largest);
  check_small(worst, 1e-8 * largest); // what is added so that flat bodies have an inverse
  check_small(lb_length(lb_sub(pin_velocity_of(held.body), pin)), 1e-8 * largest);
  release_held(&held);
}

static void impulses_leave_constrained_points_their_velocities(void **state) {
  (void)state;
  for (int i = 0; i < HELD_BODIES; i++) check_impulses(held_bodies[i]);
  check_impulses(BLOCK "," MODAL);
  check_impulses(BLOCK "," SUBSPACE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(contacts_see_the_compliance_of_a_held_body),
    cmocka_unit_test(products_are_the_matrix),
    cmocka_unit_test(impulses_leave_constrained_points_their_velocities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
