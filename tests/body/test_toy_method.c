// A method is a table: here is one in a file of its own, with nothing of it anywhere else. Each
// coordinate of the modal basis is an oscillator by implicit Euler; points, constraints, balls,
// frames, picking, states and batches come with the body.
#include "constraint_points.h"

#include "body/body.h"

#include <string.h>

typedef struct State {
  double *q, *v, *force, *weight;
} State;

static bool view(const lbModel *model, lbModelMethod *out) {
  return lb_model_method(model, LB_METHOD_MODAL, out);
}

static void place_group(const lbPrepared *p, lbBodyGroup *group, lbCarver *carver) {
  State *states = lb_carve(carver, (size_t)group->count, sizeof *states);
  for (int32_t i = 0; i < group->count; i++) {
    double *row[4];
    for (int k = 0; k < 4; k++) row[k] = lb_carve(carver, (size_t)p->padded, sizeof(double));
    if (!states) continue;
    states[i] = (State){ row[0], row[1], row[2], row[3] };
    group->bodies[i].own = &states[i];
  }
}

static void copy(const lbBody *body, const double *from, double *to) {
  if (from && to) memcpy(to, from, (size_t)body->prepared->padded * sizeof *to);
}

static void get(const lbBody *body, double *q, double *v, double *force) {
  const State *s = body->own;
  copy(body, s->q, q), copy(body, s->v, v), copy(body, s->force, force);
}

static void put(lbBody *body, const double *q, const double *v, const double *force) {
  const State *s = body->own;
  copy(body, q, s->q), copy(body, v, s->v), copy(body, force, s->force);
}

static void set_weight(lbBody *body, const double *weight) {
  const State *s = body->own;
  copy(body, weight, s->weight);
  copy(body, s->weight, s->force);
}

// (1 + h c + h² λ) q = q0 + h v0 + h² f + h c q0
static double softness(const lbBody *body, int32_t i, double h) {
  double lambda = body->prepared->eigenvalues[i];
  double c = body->damping_mass + body->damping_stiffness * lambda;
  return 1 / (1 + h * c + h * h * lambda);
}

static int32_t begin(lbBody *body, lbStep *step, lbScratch *s) {
  double h = step->h;
  for (int32_t i = 0; i < body->prepared->dimension; i++) {
    double c = body->damping_mass + body->damping_stiffness * body->prepared->eigenvalues[i];
    s->q[i] = softness(body, i, h) *
              ((1 + h * c) * s->q0[i] + h * s->v0[i] + h * h * (s->force[i] + s->held[i]));
  }
  return 0;
}

static void respond(const lbBody *body, const lbStep *step, lbScratch *s, const double *force,
                    double *moved) {
  (void)s;
  for (int32_t i = 0; i < body->prepared->padded; i++)
    moved[i] = i < body->prepared->dimension
                   ? step->h * step->h * softness(body, i, step->h) * force[i]
                   : 0;
}

static int32_t end(lbBody *body, const lbStep *step, lbScratch *s) {
  for (int32_t i = 0; i < body->prepared->dimension; i++) s->v[i] = (s->q[i] - s->q0[i]) / step->h;
  return 0;
}

static int32_t commit(lbBody *body, const lbStep *step, lbScratch *s) {
  (void)step;
  put(body, s->q, s->v, NULL);
  return 0;
}

static double kinetic(const lbBody *body, const double *v, lbScratch *s) {
  (void)s;
  return 0.5 * lb_row_dot(body->prepared->dimension, v, v);
}

static double elastic(const lbBody *body, const double *q, lbScratch *s) {
  double sum = 0;
  (void)s;
  for (int32_t i = 0; i < body->prepared->dimension; i++)
    sum += 0.5 * body->prepared->eigenvalues[i] * q[i] * q[i];
  return sum;
}

static void comply(const lbPrepared *p, double *x, lbScratch *s) {
  (void)s;
  for (int32_t i = 0; i < p->dimension; i++) x[i] /= p->eigenvalues[i];
}

static uint64_t identify(const lbPrepared *p, uint64_t hash) {
  return lb_hash(hash, p->eigenvalues, (size_t)p->dimension * sizeof(double));
}

static const lbBodyMethod toy_method = { .method = LB_METHOD_FULL,
                                         .responds_alike = true,
                                         .is_linear = true,
                                         .stress_law = LB_MATERIAL_LINEAR,
                                         .view = view,
                                         .place_group = place_group,
                                         .get = get,
                                         .put = put,
                                         .set_weight = set_weight,
                                         .begin = begin,
                                         .respond = respond,
                                         .end = end,
                                         .commit = commit,
                                         .many = 16,
                                         .kinetic = kinetic,
                                         .elastic = elastic,
                                         .comply = comply,
                                         .identify = identify };

// ---- tests -------------------------------------------------------------------------------------

static lbBody *body_by(const Toy *toy, lbMethod method) {
  lbBodyDef def = toy_turned();
  def.method = method;
  def.gravity = lb_vec3(0, 0, -9.81);
  def.damping_mass = 20;
  return toy_body(toy, &def);
}

static void a_method_in_one_file_does_all_that_bodies_do(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBodyDef def = lb_body_def();
  lbBody *body = NULL;
  lbError err;
  def.method = LB_METHOD_FULL;
  assert_int_equal(lb_body_create(toy.model, &def, &body, &err), LB_ERR_ARGUMENT);
  lb_body_register_method(LB_METHOD_FULL, &toy_method);
  body = body_by(&toy, LB_METHOD_FULL);
  lbBody *modal = body_by(&toy, LB_METHOD_MODAL);
  assert_int_equal(lb_body_method(body), LB_METHOD_FULL);
  lbPoint tip = lb_point_vertex(30);
  lbVec3 start = where(body, tip);
  double target[3] = { start.x, start.y + 0.01, start.z + 0.02 };
  constrain(body, LB_CONSTRAIN_POSITION, 1, &tip, target);
  constrain(modal, LB_CONSTRAIN_POSITION, 1, &tip, target);
  for (int step = 0; step < 30000; step++) {
    assert_int_equal(lb_body_step(body, 1.0 / 240), 0);
    assert_int_equal(lb_body_step(modal, 1.0 / 240), 0);
  }
  // Both rest where gravity and the hold leave them, and hold with the same force.
  double force[2][3];
  for (int32_t v = 0; v < 40; v += 3)
    check_small(toy_distance(where(body, lb_point_vertex(v)), where(modal, lb_point_vertex(v))),
                1e-9);
  body_ok(body, lb_body_constraint_force(body, 0, force[0]));
  body_ok(modal, lb_body_constraint_force(modal, 0, force[1]));
  check_small(toy_distance(lb_vec3_load(force[0]), lb_vec3_load(force[1])) /
                  lb_length(lb_vec3_load(force[1])),
              1e-6);
  // A saved state, a pick, a ball.
  size_t bytes = lb_body_state_bytes(body);
  void *saved = malloc(bytes);
  body_ok(body, lb_body_save_state(body, saved, bytes));
  body_ok(body, lb_body_restore_state(body, saved, bytes));
  assert_int_equal(lb_body_restore_state(modal, saved, bytes), LB_ERR_FORMAT);
  lbPick pick;
  bool hit = false;
  lbVec3 above = lb_add(where(body, lb_point_vertex(20)), lb_vec3(0, 0, 5));
  body_ok(body, lb_body_pick(body, above, lb_vec3(0, 0, -1), &pick, &hit));
  lbVec3 push = lb_vec3(0, 0, 0);
  lbBall ball = { where(body, lb_point_vertex(33)), lb_vec3(0, 0, 0), 0.05, 1e3 };
  body_ok(body, lb_body_push_ball(body, &ball, 1.0 / 240, &push));
  assert_true(lb_length(push) > 0);
  assert_int_equal(lb_body_step(body, 1.0 / 240), 0);
  free(saved);
  lb_body_destroy(body), lb_body_destroy(modal);
  lb_body_register_method(LB_METHOD_FULL, NULL);
  toy_destroy(&toy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_method_in_one_file_does_all_that_bodies_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
