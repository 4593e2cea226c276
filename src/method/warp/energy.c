// What a step of a warped body adds to its energy.
//
// A step is exact for the quadratic potential of its start, in which rotations are held. Elements
// turn, and the energy W at the end is most often below that potential: then a step only loses
// energy. It is above where tets are stretched far (lb_warp_may_gain), and may be with springs,
// bricks and rotations of vertices, whose forces are not the gradient of an energy. Over the nodes
// that are free,
//
//   created = Δ ½ v M v + ΔW − (F + C) Δx − (f + ½ K̂ Δx) Δx at the nodes that are held,
//
// C: forces of constraints. The last term is the work of supports that move. Damping is not told
// apart: what it takes makes up for what was created.
//
// A step by implicit Euler has a potential, of which K̂ sees the second order alone: a body that is
// not free is searched along the way to its end, in its frame, until the account bears what is
// created.
#include "method/warp/cores.h"
#include "method/limits.h"

#include "body/constraints.h"
#include "body/guard.h"
#include "body/hand_rows.h"

#include <string.h>

static void load_shape(const lbWarp *warp, const double *u, double *x) {
  lb_warp_to_lanes(warp, u, x);
  for (size_t i = 0; i < warp->length; i++) x[i] += warp->rest[i];
}

// Nodes whose motion is given: held ones, scripted cores, and hinged ones that a frame drives.
static bool is_given_warp_energy(const lbBody *body, const lbWarpBodyWork *w, size_t n) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const int32_t *cores = body->prepared->model->warp_cores;
  if (shared->given[n]) return true;
  return w->hinges_move && cores[n] >= 0 && shared->cores[cores[n]].kind == LB_CORE_HINGED;
}

// s->a <- Δx (nodes x 3); w->v (lanes) <- the same; w->b (lanes) <- x₁. Returns the largest |Δx|.
static double find_displacements_warp_energy(const lbBody *body, lbScratch *s) {
  const lbWarp *warp = lb_warp_shared(body->prepared)->warp;
  const lbWarpState *state = lb_warp_state(body);
  lbWarpBodyWork *w = s->own;
  double most = 0;
  for (int32_t i = 0; i < body->prepared->dimension; i++) s->a[i] = w->u1[i] - state->u[i];
  for (int32_t n = 0; n < warp->node_count; n++) {
    lbVec3 d = lb_vec3_load(s->a + 3 * (size_t)n);
    most = fmax(most, lb_dot(d, d));
  }
  lb_warp_to_lanes(warp, s->a, w->v);
  load_shape(warp, w->u1, w->b);
  return sqrt(most);
}

// What forces and supports do over the step.
static double work_done(const lbBody *body, lbScratch *s) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWarpBodyWork *w = s->own;
  double sum = 0;
  bool pulled = lb_body_is_constrained(body) || lb_body_is_touched(body);
  for (int32_t i = 0; i < body->prepared->dimension && pulled; i++)
    s->c[i] = s->pull[i] + s->late[i];
  if (pulled) lb_whole_turn(&shared->whole, &w->end, s->c, s->c);
  for (size_t n = 0; n < (size_t)shared->whole.node_count; n++) {
    lbVec3 d = lb_vec3_load(s->a + 3 * n), force = lb_warp_lane_vector(w, w->other, n);
    if (d.x == 0 && d.y == 0 && d.z == 0) continue;
    if (is_given_warp_energy(body, w, n)) {
      lbVec3 bent = lb_warp_row(shared->warp, &w->solver, w->ranks[n], w->v);
      force = lb_add_scaled(lb_warp_lane_vector(w, w->f, n), 0.5, bent);
    } else if (pulled) {
      force = lb_add(force, lb_vec3_load(s->c + 3 * n));
    }
    sum += lb_dot(force, d);
  }
  return sum;
}

// Gained kinetic energy; *relative <- the kinetic energy at the end: of a free body about its
// centre, otherwise in the body's frame.
static double kinetic_gain(const lbBody *body, const lbScratch *s, double *relative) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWhole *whole = &shared->whole;
  const lbWarpState *state = lb_warp_state(body);
  const lbWarpBodyWork *w = s->own;
  lbVec3 momentum = lb_vec3(0, 0, 0);
  double gained = 0;
  *relative = 0;
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    if (is_given_warp_energy(body, w, n)) continue;
    lbVec3 v0 = lb_warp_lane_vector(w, w->v0, n), v1 = lb_vec3_load(w->v1 + 3 * n);
    bool rigid = shared->warp->core_count && shared->warp->core_of[w->ranks[n]] >= 0;
    if (rigid) v0 = lb_vec3_load(state->v + 3 * n); // the lanes have that at y
    lbVec3 own = w->free ? v1 : lb_vec3_load(s->v + 3 * n);
    momentum = lb_add_scaled(momentum, whole->masses[n], own);
    gained += 0.5 * whole->masses[n] * lb_dot(lb_sub(v1, v0), lb_add(v1, v0));
    *relative += 0.5 * whole->masses[n] * lb_dot(own, own);
  }
  if (w->free) *relative = fmax(*relative - 0.5 * lb_dot(momentum, momentum) / whole->mass, 0);
  return gained;
}

double lb_warp_created(const lbBody *body, const lbStep *step, lbScratch *s, double *energy) {
  const lbWarp *warp = lb_warp_shared(body->prepared)->warp;
  lbWarpBodyWork *w = s->own;
  (void)step;
  *energy = 0;
  if (warp->strain == LB_WARP_LINEAR) return 0;
  if (!lb_body_is_constrained(body) && !w->free) { // what is found or corrected after the solution
    double moved = find_displacements_warp_energy(body, s);
    if (!lb_warp_may_gain(warp, w->b, moved)) return 0;
  }
  if (w->solver.energy < 0) {
    load_shape(warp, lb_warp_state(body)->u, w->b);
    w->solver.energy = lb_warp_energy(warp, &w->solver, w->b);
  }
  double relative, gained = kinetic_gain(body, s, &relative);
  find_displacements_warp_energy(body, s);
  double elastic = lb_warp_energy(warp, &w->solver, w->b), before = w->solver.energy;
  double work = work_done(body, s), created = gained + (elastic - before) - work;
  *energy = relative + elastic;
  return fabs(created) > LB_SUM_ROUNDING * (fabs(gained) + fabs(work) + elastic + before) ? created
                                                                                          : 0;
}

void lb_warp_search_line(const lbBody *body, const lbStep *step, lbScratch *s) {
  const lbWhole *whole = lb_warp_whole(body);
  lbWarpBodyWork *w = s->own;
  lbFrameRates rates = lb_frame_end_rates(body, step);
  double energy = 0;
  if (w->free) return;
  for (int k = 0; k < LB_HALVINGS_MAX; k++) {
    double created = lb_warp_created(body, step, s, &energy);
    if (lb_guard_bears(body, created, energy)) return;
    for (int32_t i = 0; i < body->prepared->dimension; i++) {
      s->q[i] = 0.5 * (s->q0[i] + s->q[i]);
      s->v[i] *= 0.5;
    }
    lb_whole_from_own(whole, &w->end, s->q, w->u1);
    lb_whole_rates_from_own(whole, &w->end, &rates, w->u1, s->v, w->v1);
    lb_warp_make_end_rigid(body, step, s);
  }
}
