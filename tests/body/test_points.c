// Places on a body: where they are, how they move, what a push there does.
#include "toy_model.h"

// Weights of a point over nodes, written down here again.
static void spread(const lbModel *m, const lbPoint *point, double *shares) {
  memset(shares, 0, (size_t)m->size.node_count * sizeof *shares);
  if (point->kind == LB_POINT_NODE) shares[point->index] = 1;
  for (int i = 0; i < 3; i++) {
    if (point->kind != LB_POINT_TRIANGLE && (point->kind != LB_POINT_VERTEX || i > 0)) break;
    int32_t vertex =
        point->kind == LB_POINT_VERTEX ? point->index : m->triangles[3 * point->index + i];
    double share = point->kind == LB_POINT_VERTEX ? 1 : point->weights[i];
    for (int32_t k = m->carrier_begin[vertex]; k < m->carrier_begin[vertex + 1]; k++)
      shares[m->carrier_nodes[k]] += share * m->carrier_weights[k];
  }
  if (point->kind != LB_POINT_ELEMENT) return;
  bool tet = point->index < m->size.tet_count;
  const int32_t *nodes =
      tet ? m->tets + 4 * point->index : m->bricks + 8 * (point->index - m->size.tet_count);
  for (int i = 0; i < (tet ? 4 : 8); i++) shares[nodes[i]] += point->weights[i];
}

static void check_point(lbBody *body, const lbPoint *point) {
  const lbModel *m = lb_body_model(body);
  int32_t node_count = m->size.node_count, r = lb_body_dimension(body);
  double *shares = calloc((size_t)node_count, sizeof *shares), q[128], v[128], after[128];
  lbBodyDef def = toy_turned();
  lbVec3 x = lb_vec3(0, 0, 0), rate = x, position, velocity, push = lb_vec3(0.4, -1.3, 0.7);
  lbMat3 turn = lb_quat_to_mat3(def.rotation);
  lbVec3 own = lb_mat3_apply_transpose(turn, push);
  spread(m, point, shares);
  lb_body_get_state(body, q, v);
  for (int32_t n = 0; n < node_count; n++) {
    x = lb_add_scaled(x, shares[n], lb_vec3_load(m->node_positions + 3 * n));
    for (int32_t i = 0; i < r; i++) {
      lbVec3 w = lb_vec3_load(m->modal_basis + 3 * ((size_t)i * (size_t)node_count + (size_t)n));
      x = lb_add_scaled(x, shares[n] * q[i], w);
      rate = lb_add_scaled(rate, shares[n] * v[i], w);
    }
  }
  body_ok(body, lb_body_point(body, *point, &position, &velocity));
  check_small(toy_distance(position, lb_add(def.position, lb_mat3_apply(turn, x))), 1e-13);
  check_small(toy_distance(velocity, lb_mat3_apply(turn, rate)), 1e-12);
  body_ok(body, lb_body_apply_impulse(body, *point, push));
  lb_body_get_state(body, NULL, after);
  for (int32_t i = 0; i < r; i++) {
    double expected = v[i];
    for (int32_t n = 0; n < node_count; n++)
      expected +=
          shares[n] * lb_dot(own, lb_vec3_load(m->modal_basis +
                                               3 * ((size_t)i * (size_t)node_count + (size_t)n)));
    check_near(after[i], expected, 1e-13 * (1 + fabs(expected)));
  }
  free(shares);
}

static void points_of_every_kind_follow_their_nodes_and_take_impulses(void **state) {
  (void)state;
  Toy toys[2] = { toy_whole(), toy_bar() };
  for (int t = 0; t < 2; t++) {
    const lbModelSizes *size = &toys[t].model->size;
    lbBodyDef def = toy_turned();
    lbBody *body = toy_body(&toys[t], &def);
    toy_shake(body, 0.02, 3);
    for (int32_t i = 0; i < size->vertex_count; i += 5)
      check_point(body, &(lbPoint){ LB_POINT_VERTEX, i, { 0 } }); // weights do not count here
    lbPoint points[] = { lb_point_node(0),
                         lb_point_node(size->node_count - 1),
                         lb_point_triangle(0, 0.2, 0.3, 0.5),
                         lb_point_triangle(size->triangle_count - 1, 1.5, -0.25, -0.25),
                         { LB_POINT_ELEMENT, size->element_count - 1, { 0.1, 0.2, 0.3, 0.4 } } };
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) check_point(body, &points[i]);
    lb_body_destroy(body);
    toy_destroy(&toys[t]);
  }
}

static void points_that_are_not_there_are_refused(void **state) {
  (void)state;
  Toy toy = toy_whole();
  lbBody *body = toy_body(&toy, NULL);
  const lbModelSizes *size = &toy.model->size;
  lbVec3 x = lb_vec3(7, 7, 7), push = lb_vec3(1, 0, 0);
  assert_string_equal(lb_body_message(body), "");
  struct {
    lbPoint point;
    const char *part;
  } bad[] = {
    { lb_point_vertex(-1), "number -1" },
    { lb_point_vertex(size->vertex_count), "vertices" },
    { lb_point_node(size->node_count), "nodes" },
    { lb_point_triangle(size->triangle_count, 1, 0, 0), "triangles" },
    { { LB_POINT_ELEMENT, size->element_count, { 1 } }, "elements" },
    { { (lbPointKind)9, 0, { 1 } }, "kind of point 9" },
    { { (lbPointKind)-1, 0, { 1 } }, "kind of point -1" },
    { lb_point_triangle(0, 0.5, 0.5, 0.1), "sum to 1.1" },
    { lb_point_triangle(0, NAN, 0.5, 0.5), "weight 0" },
    { lb_point_triangle(0, INFINITY, -INFINITY, 1), "weight 0" },
    { { LB_POINT_ELEMENT, 0, { 0.5, 0.25 } }, "8 weights sum to 0.75" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(lb_body_point(body, bad[i].point, &x, NULL), LB_ERR_ARGUMENT);
    body_refuses(body, lb_body_apply_force(body, bad[i].point, push), bad[i].part);
    body_refuses(body, lb_body_apply_impulse(body, bad[i].point, push), bad[i].part);
    lbConstraintDef def = lb_constraint_def();
    def.point_count = 1, def.points = &bad[i].point;
    body_refuses(body, lb_body_add_constraint(body, &def, NULL), bad[i].part);
  }
  assert_true(x.x == 7);
  double q[24], v[24];
  lb_body_step(body, 0.01);
  lb_body_get_state(body, q, v);
  for (int i = 0; i < 24; i++) assert_true(q[i] == 0 && v[i] == 0);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(points_of_every_kind_follow_their_nodes_and_take_impulses),
    cmocka_unit_test(points_that_are_not_there_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
