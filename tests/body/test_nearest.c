// Giving a body the displacements of another one.
#include "toy_subspace.h"

#define ROWS_MOST 768

static void transfer(const lbBody *from, lbBody *to) {
  double u[ROWS_MOST], v[ROWS_MOST];
  lb_body_node_displacements(from, u);
  lb_body_node_velocities(from, v);
  body_ok(to, lb_body_set_displacements(to, u, v));
}

static double state_difference(const lbBody *a, const lbBody *b) {
  double q[2][64], v[2][64], worst = 0;
  lb_body_get_state(a, q[0], v[0]);
  lb_body_get_state(b, q[1], v[1]);
  for (int32_t i = 0; i < lb_body_dimension(a); i++)
    worst = fmax(worst, fmax(fabs(q[0][i] - q[1][i]), 0.1 * fabs(v[0][i] - v[1][i])));
  return worst;
}

// A basis of linear modes holds the modal model's own, and one with more of them holds that.
static void a_state_goes_from_method_to_method_and_back(void **state) {
  (void)state;
  SubDef def = sub_bar();
  def.basis = LB_BASIS_LINEAR, def.dimension = 0;
  def.young[1] = def.young[0], def.poisson[1] = def.poisson[0];
  SubToy sub = sub_make(def);
  lbBodyDef modal = lb_body_def(), few = sub_body_def();
  modal.method = LB_METHOD_MODAL, few.mode_count = 4;
  modal.position = lb_vec3(1, 2, 3), modal.rotation = lb_quat(0.5, 0.5, 0.5, 0.5);
  lbBody *bodies[3] = { sub_body(&sub, &modal), sub_body(&sub, NULL), sub_body(&sub, &few) };
  lbBody *again = sub_body(&sub, &modal);
  assert_int_equal(lb_body_dimension(bodies[2]), 4);
  toy_shake(bodies[0], 0.1, 4);
  transfer(bodies[0], bodies[1]);
  transfer(bodies[1], bodies[2]);
  transfer(bodies[2], again);
  check_small(state_difference(again, bodies[0]), 1e-8); // the modes agree as eigensolvers do
  lbBody *back = sub_body(&sub, &few);
  transfer(bodies[2], bodies[1]);
  transfer(bodies[1], back);
  check_small(state_difference(back, bodies[2]), 1e-14);
  for (int i = 0; i < 3; i++) lb_body_destroy(bodies[i]);
  lb_body_destroy(again), lb_body_destroy(back);
  sub_destroy(&sub);
}

// Other densities: the basis is no longer orthonormal, and what is left over is orthogonal to it in
// the present masses.
static void the_nearest_shape_leaves_an_orthogonal_rest(void **state) {
  (void)state;
  SubDef def = sub_bar();
  def.editable = true;
  SubToy sub = sub_make(def);
  lbBody *body = sub_body(&sub, NULL);
  body_ok(body, lb_body_set_material(body, 0, 1e5, 0.3, 4000));
  body_ok(body, lb_body_set_material(body, 1, 4e5, 0.2, 300));
  double densities[2] = { 4000, 300 };
  int32_t *materials = sub_materials(sub.toy.mesh, 0.1 * def.cells[0]);
  lbFem *heavy = sub_fem(&sub, &def, densities, materials);
  const double *mass = lb_fem_vertex_masses(heavy);
  int32_t rows = 3 * sub.model->size.node_count;
  double u[ROWS_MOST], got[ROWS_MOST];
  uint64_t seed = 8;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < rows; i++) u[i] = 0.1 * check_random(&seed);
    body_ok(body, pass ? lb_body_set_displacements(body, got, u)
                       : lb_body_set_displacements(body, u, NULL));
    if (pass)
      lb_body_node_velocities(body, got);
    else
      lb_body_node_displacements(body, got);
    for (int32_t k = 0; k < sub.basis->dimension; k++) {
      double rest = 0, size = 0;
      for (int32_t i = 0; i < rows; i++) {
        double term = mass[i / 3] * sub.basis->vectors[(size_t)k * (size_t)rows + (size_t)i];
        rest += term * (u[i] - got[i]), size += fabs(term * u[i]);
      }
      check_small(rest / size, 1e-13);
    }
  }
  double q[14], expected[14], v[14]; // and what it can have, it gets
  toy_shake(body, 0.2, 3);
  lb_body_get_state(body, expected, NULL);
  transfer(body, body);
  lb_body_get_state(body, q, v);
  for (int i = 0; i < 14; i++) check_near(q[i], expected[i], 1e-14);
  lb_fem_destroy(heavy);
  free(materials);
  lb_body_destroy(body);
  sub_destroy(&sub);
}

static void bodies_of_a_batch_take_displacements_too(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  lbBatchDef def = lb_batch_def();
  lbBatch *batch = NULL;
  lbError err;
  def.count = 70, def.body = sub_body_def();
  check_ok(lb_batch_create(sub.model, &def, &batch, &err), err);
  lbBody *alone = sub_body(&sub, NULL), *member = lb_batch_body(batch, 68);
  lbBody *other = lb_batch_body(batch, 69);
  double u[ROWS_MOST], v[ROWS_MOST], a[2][14], b[2][14];
  toy_shake(alone, 0.2, 6);
  lb_body_node_displacements(alone, u);
  lb_body_node_velocities(alone, v);
  for (int i = 0; i < 2; i++) body_ok(alone, lb_body_set_displacements(i ? alone : member, u, v));
  lb_body_get_state(alone, a[0], a[1]);
  lb_body_get_state(member, b[0], b[1]);
  assert_memory_equal(a, b, sizeof a);
  lb_body_get_state(other, b[0], b[1]);
  for (int i = 0; i < 14; i++) assert_true(b[0][i] == 0 && b[1][i] == 0);
  body_ok(member, lb_body_set_displacements(member, u, NULL)); // at rest
  lb_body_get_state(member, b[0], b[1]);
  assert_memory_equal(a[0], b[0], sizeof a[0]);
  for (int i = 0; i < 14; i++) assert_true(b[1][i] == 0);
  lb_body_destroy(alone);
  lb_batch_destroy(batch);
  sub_destroy(&sub);
}

static void displacements_that_are_none_are_refused(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBody *body = toy_body(&toy, NULL);
  int32_t rows = 3 * toy.model->size.node_count, r = lb_body_dimension(body);
  double *u = calloc((size_t)rows, sizeof *u), before[256], after[256];
  toy_shake(body, 0.1, 2);
  lb_body_get_state(body, before, NULL);
  u[7] = NAN;
  body_refuses(body, lb_body_set_displacements(body, u, NULL),
               "displacement of node 2 along axis 1");
  u[7] = 1e101;
  body_refuses(body, lb_body_set_displacements(body, u, NULL), "beyond");
  u[7] = 0.1;
  double *v = calloc((size_t)rows, sizeof *v);
  v[rows - 1] = INFINITY;
  body_refuses(body, lb_body_set_displacements(body, u, v), "velocity of node");
  body_refuses(body, lb_body_set_displacements(body, NULL, v), "displacements is NULL");
  lb_body_get_state(body, after, NULL);
  assert_memory_equal(before, after, (size_t)r * sizeof *before);
  for (int32_t i = 0; i < rows; i++) u[i] = 1e90; // far, but numbers
  body_ok(body, lb_body_set_displacements(body, u, NULL));
  lb_body_get_state(body, after, NULL);
  for (int32_t i = 0; i < r; i++) assert_true(isfinite(after[i]));
  free(u), free(v);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

static void nothing_is_allocated(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  for (int kind = 0; kind < 2; kind++) {
    lbBodyDef def = lb_body_def();
    def.method = kind ? LB_METHOD_MODAL : LB_METHOD_SUBSPACE;
    lbBody *body = sub_body(&sub, &def);
    double stresses[ROWS_MOST];
    int64_t count = heap.count;
    toy_shake(body, 0.1, 7);
    transfer(body, body);
    lb_body_von_mises(body, stresses);
    assert_int_equal(heap.count, count);
    lb_body_destroy(body);
  }
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
  sub_destroy(&sub);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_state_goes_from_method_to_method_and_back),
    cmocka_unit_test(the_nearest_shape_leaves_an_orthogonal_rest),
    cmocka_unit_test(bodies_of_a_batch_take_displacements_too),
    cmocka_unit_test(displacements_that_are_none_are_refused),
    cmocka_unit_test(nothing_is_allocated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
