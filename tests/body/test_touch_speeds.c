// How contact_points of a bent, spinning body give way to impulses: what the matrix says is what a
// strike does, and both are symmetric.
#include "../world/contact_worlds.h"

#include "body/body.h"
#include "body/response.h"
#include "collide/solid_parts.h"

static uint64_t seed = 7;

enum { SPOTS = 5, ROWS = 3 * SPOTS };

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

// The speeds of all contact_points along their axes; their points <- where they are.
static void speeds_of(const lbBody *body, lbContactPoint *contact_points, double *speeds) {
  lbScratch *s = lb_scratch_borrow(body->prepared);
  lbVec3 velocities[SPOTS];
  assert_true(lb_touch_look(body, s));
  lb_touch_velocities(body, s, SPOTS, contact_points, velocities);
  for (int i = 0; i < ROWS; i++)
    speeds[i] = lb_dot(contact_points[i / 3].axes[i % 3], velocities[i / 3]);
  lb_scratch_return(body->prepared, s);
}

static void matrix_of(const lbBody *body, lbContactPoint *contact_points, double *matrix) {
  lbScratch *s = lb_scratch_borrow(body->prepared);
  lbMat3 mobility;
  memset(matrix, 0, ROWS * ROWS * sizeof *matrix);
  assert_true(lb_touch_look(body, s));
  lb_touch_speeds(body, s, true, SPOTS, contact_points, matrix, &mobility);
  lb_scratch_return(body->prepared, s);
  lb_touch_add_frame_speeds(body, mobility, SPOTS, contact_points, matrix);
}

static void strike(lbBody *body, const lbContactPoint *contact_points, int row) {
  double impulses[ROWS] = { 0 };
  lbScratch *s = lb_scratch_borrow(body->prepared);
  impulses[row] = 1;
  lb_touch_apply_impulses(body, SPOTS, contact_points, impulses, s);
  lb_scratch_return(body->prepared, s);
}

// `bend`: of all coordinates, kg^½ m.
static void check_body(const char *keys, double bend) {
  lbModel *model = body_model(keys);
  lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
  lbBodyDef def = lb_body_def();
  lbBodyId id;
  lbError err;
  def.rotation = lb_quat_from_axis_angle(lb_vec3(1, 2, 3), 1.1);
  check_ok(lb_world_add(world, model, &def, &id, &err), err);
  lbBody *body = lb_world_body(world, id);
  lbScratch *s = lb_scratch_borrow(body->prepared);
  memset(s->q, 0, (size_t)body->prepared->padded * sizeof(double));
  memset(s->v, 0, (size_t)body->prepared->padded * sizeof(double));
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    s->q[i] = bend * check_random(&seed), s->v[i] = check_random(&seed);
  body->prepared->method->put(body, s->q, s->v, NULL);
  lb_scratch_return(body->prepared, s);
  lb_body_set_velocity(body, lb_vec3(1, 0, 2), lb_vec3(3, -4, 5));

  lbContactPoint contact_points[SPOTS];
  double matrix[ROWS * ROWS], before[ROWS], after[ROWS], worst = 0, uneven = 0, largest = 0;
  make_contact_points(model, contact_points);
  speeds_of(body, contact_points, before);
  matrix_of(body, contact_points, matrix);
  for (int row = 0; row < ROWS; row++) {
    strike(body, contact_points, row);
    speeds_of(body, contact_points, after);
    for (int i = 0; i < ROWS; i++) {
      worst = fmax(worst, fabs(after[i] - before[i] - matrix[i * ROWS + row]));
      uneven = fmax(uneven, fabs(matrix[i * ROWS + row] - matrix[row * ROWS + i]));
      largest = fmax(largest, fabs(matrix[i * ROWS + row]));
    }
    memcpy(before, after, sizeof before);
  }
  print_message("bent by %g: %.2g off of %.3g, %.2g uneven\n", bend, worst, largest, uneven);
  check_small(worst / largest, 1e-8); // what is added so that flat bodies have an inverse
  check_small(uneven / largest, 1e-12);
  lb_world_destroy(world);
  lb_model_destroy(model);
}

static void the_matrix_says_what_a_strike_does(void **state) {
  (void)state;
  const double bends[] = { 0, 0.05, 0.3 };
  for (int i = 0; i < 3; i++) {
    check_body(BLOCK "," MODAL, bends[i]);
    check_body(BLOCK "," SUBSPACE, bends[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(the_matrix_says_what_a_strike_does) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
