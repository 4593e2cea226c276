// Unreduced bodies on a stage; see unreduced.h. Larger ones take longer steps, down to 60 a second:
// the others wait for them in the same thread, so they must not be slower than they have to.
#include "stage/unreduced.h"

#include <math.h>
#include <string.h>

enum { SMALL = 150, FAILURES = 4 }; // nodes; steps
#define SLOWEST 60.0                // steps a second of larger bodies

void vw_unreduced_def(lbBodyDef *def) {
  def->newton_iterations = 12;
  def->newton_tolerance = 1e-4;
  def->factor_reuse = 0.3;
}

lbStatus vw_unreduced_create(vwActor *actor, lbError *err) {
  size_t count = (size_t)actor->count, nodes = (size_t)actor->model->size.node_count;
  vwUnreduced *u = lb_alloc(1, sizeof *u);
  if (!u) return lb_fail_memory(err);
  actor->unreduced = u;
  u->good = lb_alloc(count * nodes, 3 * sizeof(double));
  u->failures = lb_alloc(count, sizeof *u->failures);
  u->pushed = lb_alloc(count, sizeof *u->pushed);
  u->work = lb_alloc(nodes, 6 * sizeof(double));
  return u->good && u->failures && u->pushed && u->work ? LB_OK : lb_fail_memory(err);
}

void vw_unreduced_release(vwActor *actor) {
  vwUnreduced *u = actor->unreduced;
  if (!u) return;
  lb_free(u->good);
  lb_free(u->failures);
  lb_free(u->pushed);
  lb_free(u->work);
  lb_free(u);
}

void vw_unreduced_pace(const vwActor *actor, lbWorld *world, double dt) {
  bool small = actor->model->size.node_count <= SMALL;
  double every = small ? 1 : fmin(fmax(floor(1 / (SLOWEST * dt) + 1e-6), 1), 100);
  (void)lb_world_set_pace(world, actor->ids[0], (int32_t)every, NULL);
}

// Successive steps that do not converge would create energy: the body continues from the last
// good shape, at rest.
int32_t vw_unreduced_watch(const vwActor *actor, const lbWorld *world) {
  vwUnreduced *u = actor->unreduced;
  size_t values = 3 * (size_t)actor->model->size.node_count;
  int32_t all = 0;
  for (int32_t b = 0; b < actor->count; b++) {
    int32_t flags = lb_world_body_flags(world, actor->ids[b]);
    double *good = u->good + values * (size_t)b;
    all |= flags;
    if (!(flags & (LB_STEP_NONFINITE | LB_STEP_NOT_CONVERGED))) {
      lb_body_node_displacements(actor->bodies[b], good);
      u->failures[b] = 0;
    } else if (++u->failures[b] >= FAILURES) {
      u->failures[b] = 0;
      (void)lb_body_set_displacements(actor->bodies[b], good, NULL);
    }
  }
  return all & LB_STEP_NONFINITE; // a loose tolerance is no news
}

void vw_unreduced_strike(const vwActor *actor, int32_t number, lbPoint point, lbVec3 velocity) {
  const lbModel *m = actor->model;
  lbBody *body = actor->bodies[number];
  size_t nodes = (size_t)m->size.node_count;
  double *u = actor->unreduced->work, *v = u + 3 * nodes, reach = 0.5 * actor->radius;
  lbFrame frame = lb_body_frame(body);
  lbQuat back = lb_quat_conjugate(frame.rotation);
  lbVec3 at, own = lb_quat_rotate(back, velocity);
  if (lb_body_point(body, point, &at, NULL)) return;
  at = lb_quat_rotate(back, lb_sub(at, frame.position));
  lb_body_node_displacements(body, u);
  lb_body_node_velocities(body, v);
  for (size_t n = 0; n < nodes; n++) {
    lbVec3 place = lb_add(lb_vec3_load(m->node_positions + 3 * n), lb_vec3_load(u + 3 * n));
    double away = lb_length(lb_sub(place, at)) / reach;
    double share = away < 1 ? (1 - away * away) * (1 - away * away) : 0;
    lb_vec3_store(v + 3 * n, lb_add_scaled(lb_vec3_load(v + 3 * n), share, own));
  }
  (void)lb_body_set_displacements(body, u, v);
}
