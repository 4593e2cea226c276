// What steps of a warped body add to its energy, and what is done about it.
//
// A step is exact for the quadratic potential of its start, in which rotations are held. Elements
// turn, and the energy W at the end is most often below that potential: then a step only loses
// energy. It is above where tets are stretched far (lb_warp_may_gain), and may be with springs,
// bricks and rotations of vertices, whose forces are not the gradient of an energy. Then all is
// added up, over the nodes that are free,
//
//   created = Δ ½ v M v + ΔW − (F + C) Δx − (f + ½ K̂ Δx) Δx at the nodes that are held,
//
// C: forces of constraints. The last term is the work of supports that move. What is created goes
// into an account, which steps that lose energy pay off; a step that would put more into it than a
// share of the energy that the body has in its frame is taken by implicit Euler by elements
// instead, in quarters, and these, where even they create too much, become slower: Δx and the
// velocities in the frame are halved until they do not. So the energy of a body is at most that of
// the work done on it and a twentieth more, whatever pulls it and however long the steps are.
#include "method/warp/cores.h"

#include "body/constraints.h"
#include "body/hand_rows.h"

#include <string.h>

#define CREATED 0.05 // of the body's energy
#define NOISE 1e-12  // of the energy of a step: rounding
#define SHORTENED 20 // halvings, then it stands still

typedef struct End {
  double elastic, kinetic; // J; kinetic: in the body's frame
  double created;          // J in the step
} End;

static void load_shape(const lbWarp *warp, const double *u, double *x) {
  lb_warp_to_lanes(warp, u, x);
  for (size_t i = 0; i < warp->length; i++) x[i] += warp->rest[i];
}

// Nodes whose motion is given: held ones, scripted cores, and hinged ones that a frame drives.
static bool is_given(const lbBody *body, const lbWarpBodyWork *w, size_t n) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const int32_t *cores = body->prepared->model->warp_cores;
  if (shared->given[n]) return true;
  return w->hinges_move && cores[n] >= 0 && shared->cores[cores[n]].kind == LB_CORE_HINGED;
}

// s->a <- Δx (nodes x 3); w->v (lanes) <- the same; w->b (lanes) <- x₁; the largest |Δx| of a node.
static double find_displacements(const lbBody *body, lbScratch *s) {
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
    if (is_given(body, w, n)) {
      lbVec3 bent = lb_warp_row(shared->warp, &w->solver, w->ranks[n], w->v);
      force = lb_add_scaled(lb_warp_lane_vector(w, w->f, n), 0.5, bent);
    } else if (pulled) {
      force = lb_add(force, lb_vec3_load(s->c + 3 * n));
    }
    sum += lb_dot(force, d);
  }
  return sum;
}

static End weigh_end(const lbBody *body, lbScratch *s) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWhole *whole = &shared->whole;
  const lbWarpState *state = lb_warp_state(body);
  lbWarpBodyWork *w = s->own;
  double gained = 0, relative = 0;
  if (w->solver.energy < 0) {
    load_shape(shared->warp, state->u, w->b);
    w->solver.energy = lb_warp_energy(shared->warp, &w->solver, w->b);
  }
  find_displacements(body, s);
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    if (is_given(body, w, n)) continue;
    lbVec3 v0 = lb_warp_lane_vector(w, w->v0, n), v1 = lb_vec3_load(w->v1 + 3 * n);
    bool rigid = shared->warp->core_count && shared->warp->core_of[w->ranks[n]] >= 0;
    if (rigid) v0 = lb_vec3_load(state->v + 3 * n); // the lanes have that at y
    lbVec3 own = lb_vec3_load(s->v + 3 * n);
    gained += 0.5 * whole->masses[n] * lb_dot(lb_sub(v1, v0), lb_add(v1, v0));
    relative += 0.5 * whole->masses[n] * lb_dot(own, own);
  }
  double elastic = lb_warp_energy(shared->warp, &w->solver, w->b);
  double work = work_done(body, s), created = gained + (elastic - w->solver.energy) - work;
  double noise = NOISE * (fabs(gained) + fabs(work) + elastic + w->solver.energy);
  return (End){ elastic, relative, fabs(created) > noise ? created : 0 };
}

// w->created <- the account at this end; false: too much.
static bool book(const lbBody *body, const End *end, lbWarpBodyWork *w) {
  double most = CREATED * (end->kinetic + end->elastic);
  double sum = lb_warp_state(body)->created + end->created;
  w->created = fmin(fmax(sum, 0), most);
  return !(end->created > 0 && !(sum <= most)); // not a number: too much
}

// ---- slower ends -------------------------------------------------------------------------------

// A rigid motion: momenta, their centre at the start of the step, velocities.
typedef struct Rigid {
  lbVec3 momentum, angular, centre, velocity, spin; // angular: about the centre
} Rigid;

static Rigid rigid_of(const lbWhole *whole, const double *u, const double *v) {
  Rigid r = { .centre = lb_whole_centre(whole, u) };
  lbMat3 J;
  lb_warp_momenta(whole, u, v, r.centre, &r.momentum, &r.angular, &J);
  r.velocity = lb_scale(1 / whole->mass, r.momentum);
  r.spin = lb_inertia_solve(J, r.angular);
  return r;
}

static lbVec3 rigid_velocity(const Rigid *r, lbVec3 place) {
  return lb_add(r->velocity, lb_cross(r->spin, lb_sub(place, r->centre)));
}

// The end of a free body <- between the rigid motion that has its momenta and where it was; the
// momenta stay.
static void shorten_free(const lbBody *body, double h, double share, lbWarpBodyWork *w) {
  const lbWhole *whole = lb_warp_whole(body);
  const lbWarpState *state = lb_warp_state(body);
  Rigid goal = rigid_of(whole, w->u1, w->v1), start = rigid_of(whole, state->u, w->v1);
  lbQuat turn = lb_quat_exp(lb_scale(h, start.spin));
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 arm = lb_sub(lb_whole_place(whole, state->u, n), start.centre);
    lbVec3 to = lb_add(goal.centre, lb_quat_rotate(turn, arm));
    lbVec3 u = lb_sub(to, lb_vec3_load(whole->positions + 3 * n));
    lbVec3 v = rigid_velocity(&goal, to), u1 = lb_vec3_load(w->u1 + 3 * n);
    lb_vec3_store(w->u1 + 3 * n, lb_add_scaled(u, share, lb_sub(u1, u)));
    lb_vec3_store(w->v1 + 3 * n, lb_add_scaled(v, share, lb_sub(lb_vec3_load(w->v1 + 3 * n), v)));
  }
  Rigid now = rigid_of(whole, w->u1, w->v1);
  lbVec3 missing = lb_scale(1 / whole->mass, lb_sub(goal.momentum, now.momentum));
  lbVec3 P = goal.momentum, apart = lb_sub(goal.centre, now.centre);
  lbVec3 L = lb_sub(lb_add(goal.angular, lb_cross(apart, P)), now.angular);
  lbMat3 J;
  lb_warp_momenta(whole, w->u1, w->v1, now.centre, &P, &apart, &J);
  lbVec3 spin = lb_inertia_solve(J, L);
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 arm = lb_sub(lb_whole_place(whole, w->u1, n), now.centre);
    lbVec3 v = lb_add(lb_vec3_load(w->v1 + 3 * n), lb_add(missing, lb_cross(spin, arm)));
    lb_vec3_store(w->v1 + 3 * n, v);
  }
}

// The end of the step <- a share of the way there in the body's frame, and of the velocities.
static void shorten(const lbBody *body, const lbStep *step, double share, lbScratch *s) {
  const lbWhole *whole = lb_warp_whole(body);
  lbWarpBodyWork *w = s->own;
  lbFrameRates rates = lb_frame_end_rates(body, step);
  if (w->free) {
    shorten_free(body, step->h, share, w);
    lb_whole_to_own(whole, &w->end, w->u1, s->q);
    lb_whole_rates_to_own(whole, &w->end, &rates, w->u1, w->v1, s->v);
    return;
  }
  for (int32_t i = 0; i < body->prepared->dimension; i++) {
    s->q[i] = s->q0[i] + share * (s->q[i] - s->q0[i]);
    s->v[i] *= share;
  }
  lb_whole_from_own(whole, &w->end, s->q, w->u1);
  lb_whole_rates_from_own(whole, &w->end, &rates, w->u1, s->v, w->v1);
}

int32_t lb_warp_keep_account(const lbBody *body, const lbStep *step, lbScratch *s) {
  const lbWarp *warp = lb_warp_shared(body->prepared)->warp;
  lbWarpBodyWork *w = s->own;
  w->created = lb_warp_state(body)->created;
  if (warp->strain == LB_WARP_LINEAR) return 0;
  if (!lb_body_is_constrained(body) && !w->free) { // what is found or mended after the solution
    double moved = find_displacements(body, s);
    if (!lb_warp_may_gain(warp, w->b, moved)) return 0;
  }
  End end = weigh_end(body, s);
  if (book(body, &end, w)) return 0;
  if (step->integrator != LB_STEP_EULER) return LB_STEP_FAR;
  for (int i = 0; i <= SHORTENED && !book(body, &end, w); i++) {
    shorten(body, step, i < SHORTENED ? 0.5 : 0, s);
    lb_warp_make_end_rigid(body, step, s);
    end = weigh_end(body, s);
  }
  return 0;
}
