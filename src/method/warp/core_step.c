// Rigid cores in a step of a warped body (warp_cores.h).
#include "method/warp/cores.h"
#include "method/limits.h"

#include "warp/cores.h"

#include <string.h>

static void put_lane_core_step(const lbWarpBodyWork *w, double *lanes, size_t node, lbVec3 a) {
  double *to = lanes + lb_warp_lane(w, node);
  to[0] = a.x, to[LB_BATCH] = a.y, to[2 * LB_BATCH] = a.z;
}

static lbMat3 turned_core_step(lbVec3 by, lbMat3 R) {
  return lb_mat3_multiply(lb_quat_to_mat3(lb_quat_exp(by)), R);
}

// How node n of a core moves with one of its unknowns: P w, by the arms of a pose.
static lbVec3 moved_by(const lbWarpShared *shared, const lbWarpCore *core, const lbCorePose *pose,
                       const lbPlacement *T, size_t n, const double *w) {
  lbVec3 arm = lb_core_arm(shared, core, pose, n);
  if (core->kind == LB_CORE_FREE)
    return lb_add(lb_vec3_load(w), lb_cross(lb_vec3_load(w + 3), arm));
  lbVec3 from = lb_sub(lb_add(pose->c, arm), lb_placement_apply(T, core->point));
  return lb_scale(w[0], lb_cross(lb_quat_rotate(T->rotation, core->axis), from));
}

// ---- scripted ----------------------------------------------------------------------------------

void lb_warp_script_cores(const lbBody *body, const lbStep *step, lbScratch *s) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  lbWarpBodyWork *w = s->own;
  lbFrameRates rates = lb_frame_end_rates(body, step);
  double whole = step->h / (step->share - step->share_before);
  for (int32_t c = 0; c < shared->core_count; c++) {
    const lbWarpCore *core = &shared->cores[c];
    if (core->kind != LB_CORE_SCRIPTED) continue;
    lbCorePose own = lb_core_on_path(core, body->time + step->share * whole);
    lbCorePose pose = lb_core_from_own(&shared->whole, &w->end, &rates, &own);
    lb_core_write(shared, core, &pose, s->a, s->b);
    w->cores[c].end = pose;
  }
}

// ---- before the solution -----------------------------------------------------------------------

static void drift_free(const lbBody *body, int32_t index, double h, lbScratch *s) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWarpCore *core = &shared->cores[index];
  lbWarpBodyWork *w = s->own;
  lbCorePose *y = &w->cores[index].y;
  double before = h - w->theta;
  *y = lb_core_fit(shared, core, lb_warp_state(body)->u, w->v1);
  lbVec3 L = lb_mat3_apply(lb_core_inertia(core, y->R), y->spin);
  y->c = lb_add_scaled(y->c, before, y->velocity);
  y->R = turned_core_step(lb_scale(before, y->spin), y->R);
  y->spin = lb_core_spin(lb_core_inertia(core, y->R), L);
  for (int32_t k = core->begin; k < core->end; k++) {
    size_t n = (size_t)shared->core_nodes[k];
    lbVec3 arm = lb_core_arm(shared, core, y, n);
    lbVec3 v = lb_add(y->velocity, lb_cross(y->spin, arm));
    put_lane_core_step(w, w->x, n, lb_add(y->c, arm));
    put_lane_core_step(w, w->v0, n, v);
    put_lane_core_step(w, w->v, n, lb_scale(h / w->theta, v));
  }
}

// In a driven frame the velocities v₀ stay as they are; elsewhere they are those of the unknown.
static void drift_hinged(const lbBody *body, int32_t index, double h, lbScratch *s) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWarpCore *core = &shared->cores[index];
  const lbWarpState *state = lb_warp_state(body);
  lbWarpBodyWork *w = s->own;
  lbWarpCoreStep *own = &w->cores[index];
  lbFrameRates still = { { 0, 0, 0 }, { 0, 0, 0 } };
  double *hinge = w->solver.core_hinges + 6 * (size_t)index;
  lb_core_fit_hinge(shared, core, &state->T, &w->start_rates, state->u, w->v1, &own->angle,
                    &own->rate);
  own->angle += (h - w->theta) * own->rate;
  lbCorePose at = lb_core_on_hinge(core, own->angle, own->rate);
  own->y = lb_core_from_own(&shared->whole, &w->end, &still, &at);
  lb_vec3_store(hinge, lb_placement_apply(&w->end, core->point));
  lb_vec3_store(hinge + 3, lb_quat_rotate(w->end.rotation, core->axis));
  for (int32_t k = core->begin; k < core->end; k++) {
    size_t n = (size_t)shared->core_nodes[k];
    lbVec3 v = moved_by(shared, core, &own->y, &w->end, n, &own->rate);
    put_lane_core_step(w, w->x, n, lb_add(own->y.c, lb_core_arm(shared, core, &own->y, n)));
    put_lane_core_step(w, w->v, n, lb_scale(h / w->theta, v));
    if (!w->hinges_move) put_lane_core_step(w, w->v0, n, v);
  }
}

void lb_warp_drift_cores(const lbBody *body, const lbStep *step, lbScratch *s) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  lbWarpBodyWork *w = s->own;
  w->hinges_move = false;
  for (int32_t c = 0; c < shared->core_count; c++)
    w->hinges_move |=
        shared->cores[c].kind == LB_CORE_HINGED && body->frame.kind == LB_FRAME_DRIVEN;
  for (int32_t c = 0; c < shared->core_count; c++) {
    memset(w->cores[c].found, 0, sizeof w->cores[c].found);
    if (shared->cores[c].kind == LB_CORE_FREE) drift_free(body, c, step->h, s);
    if (shared->cores[c].kind == LB_CORE_HINGED) drift_hinged(body, c, step->h, s);
  }
}

// What takes node n of a hinged core, without its unknown, from x₀ to its place at y in the frame's
// end; and what its masses feel of that: the velocities that the states at both ends have, rather
// than their mean.
static void find_given(const lbBody *body, double h, const lbFrameRates *rates, int32_t index,
                       size_t n, const lbWarpBodyWork *w, lbVec3 *given, lbVec3 *felt) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWarpCoreStep *own = &w->cores[index];
  lbVec3 own_way = moved_by(shared, &shared->cores[index], &own->y, &w->end, n, &own->rate);
  lbVec3 at = lb_warp_lane_vector(w, w->x, n),
         from = lb_whole_place(&shared->whole, lb_warp_state(body)->u, n);
  double before = (h - w->theta) / w->theta;
  *given = lb_add_scaled(lb_scale(1 / w->theta, lb_sub(at, from)), -before, own_way);
  *felt = lb_add_scaled(lb_whole_carried(&shared->whole, &w->end, rates, at), before,
                        lb_sub(lb_warp_lane_vector(w, w->v0, n), own_way));
}

void lb_warp_part_hinges(const lbBody *body, const lbStep *step, lbVec3 drift, lbWarpBodyWork *w) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWarp *warp = shared->warp;
  double *g = w->y, *product = w->solver.vectors[0];
  lbFrameRates rates = lb_frame_end_rates(body, step);
  if (!w->hinges_move) return;
  memset(g, 0, warp->length * sizeof *g);
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t c = 0; c < shared->core_count; c++) {
      const lbWarpCore *core = &shared->cores[c];
      if (core->kind != LB_CORE_HINGED) continue;
      for (int32_t k = core->begin; k < core->end; k++) {
        size_t n = (size_t)shared->core_nodes[k];
        lbVec3 given, felt;
        find_given(body, step->h, &rates, c, n, w, &given, &felt);
        if (pass == 0) {
          put_lane_core_step(w, g, n, lb_sub(given, drift));
          continue;
        }
        double mass = w->solver.c * shared->whole.masses[n];
        put_lane_core_step(
            w, w->b, n, lb_add_scaled(lb_warp_lane_vector(w, w->b, n), mass, lb_sub(given, felt)));
        put_lane_core_step(w, w->v0, n,
                           moved_by(shared, core, &w->cores[c].y, &w->end, n, &w->cores[c].rate));
      }
    }
    if (pass == 1) return;
    lb_warp_multiply(warp, &w->solver, g, product);
    for (size_t i = 0; i < warp->length; i++) w->b[i] -= product[i];
  }
}

// ---- the end -----------------------------------------------------------------------------------

static void end_free(const lbWarpCore *core, double theta, lbWarpCoreStep *own) {
  const lbCorePose *y = &own->y;
  lbCorePose *end = &own->end;
  double w[6];
  for (int k = 0; k < 6; k++) w[k] = own->rates[k] + own->found[k];
  lbVec3 spin = lb_vec3_load(w + 3), L = lb_mat3_apply(lb_core_inertia(core, y->R), spin);
  end->velocity = lb_vec3_load(w);
  end->c = lb_add_scaled(y->c, theta, end->velocity);
  for (int i = 0; i < LB_SPINS_MAX; i++) {
    end->R = turned_core_step(lb_scale(theta, spin), y->R);
    end->spin = lb_core_spin(lb_core_inertia(core, end->R), L);
    double change = lb_length(lb_sub(end->spin, spin));
    spin = end->spin;
    if (!(theta * change > LB_ROUNDING)) break;
  }
}

static void end_core(const lbBody *body, const lbStep *step, int32_t index, lbWarpBodyWork *w) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWarpCore *core = &shared->cores[index];
  lbWarpCoreStep *own = &w->cores[index];
  if (core->kind == LB_CORE_FREE) {
    end_free(core, w->theta, own);
  } else {
    double rate = own->rates[0] + own->found[0];
    lbFrameRates rates = lb_frame_end_rates(body, step);
    lbCorePose at = lb_core_on_hinge(core, own->angle + w->theta * rate, rate);
    own->end = lb_core_from_own(&shared->whole, &w->end, &rates, &at);
  }
  lb_core_write(shared, core, &own->end, w->u1, w->v1);
}

void lb_warp_end_cores(const lbBody *body, const lbStep *step, lbScratch *s) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  lbWarpBodyWork *w = s->own;
  for (int32_t c = 0; c < shared->core_count; c++) {
    if (shared->cores[c].kind == LB_CORE_SCRIPTED) continue;
    lb_warp_core_fit(shared->warp, &w->solver, c, w->v, w->cores[c].rates);
    end_core(body, step, c, w);
  }
}

// ---- forces that are found ---------------------------------------------------------------------

void lb_warp_push_cores(const lbBody *body, lbWarpBodyWork *w, double *force) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  static const double units[6][6] = { { 1 },          { 0, 1 },          { 0, 0, 1 },
                                      { 0, 0, 0, 1 }, { 0, 0, 0, 0, 1 }, { 0, 0, 0, 0, 0, 1 } };
  for (int32_t c = 0; c < shared->core_count; c++) {
    const lbWarpCore *core = &shared->cores[c];
    double g[6] = { 0 };
    if (core->kind == LB_CORE_SCRIPTED) continue;
    for (int32_t k = core->begin; k < core->end; k++) {
      size_t n = (size_t)shared->core_nodes[k];
      lbVec3 f = lb_warp_lane_vector(w, force, n);
      if (f.x == 0 && f.y == 0 && f.z == 0) continue;
      for (int i = 0; i < shared->core_columns[c]; i++)
        g[i] += lb_dot(f, moved_by(shared, core, &w->cores[c].end, &w->end, n, units[i]));
    }
    lb_warp_core_push(shared->warp, &w->solver, c, g, force);
  }
}

void lb_warp_move_cores(const lbBody *body, lbWarpBodyWork *w, double *moved) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  for (int32_t c = 0; c < shared->core_count; c++) {
    const lbWarpCore *core = &shared->cores[c];
    double rates[6];
    if (core->kind == LB_CORE_SCRIPTED) continue;
    lb_warp_core_fit(shared->warp, &w->solver, c, w->v, rates);
    for (int32_t k = core->begin; k < core->end; k++) {
      size_t n = (size_t)shared->core_nodes[k];
      lb_vec3_store(moved + 3 * n, moved_by(shared, core, &w->cores[c].end, &w->end, n, rates));
    }
  }
}

// The unknowns by which `moved` is what it is.
static void find_found(const lbBody *body, int32_t index, const lbWarpBodyWork *w,
                       const double *moved, double *found) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWarpCore *core = &shared->cores[index];
  const lbCorePose *end = &w->cores[index].end;
  const double one = 1;
  lbVec3 P = lb_vec3(0, 0, 0), L = P;
  double moment = 0, inertia = 0;
  for (int32_t k = core->begin; k < core->end; k++) {
    size_t n = (size_t)shared->core_nodes[k];
    lbVec3 p = lb_scale(shared->whole.masses[n] / w->theta, lb_vec3_load(moved + 3 * n));
    if (core->kind == LB_CORE_FREE) {
      P = lb_add(P, p), L = lb_add(L, lb_cross(lb_core_arm(shared, core, end, n), p));
    } else {
      lbVec3 unit = moved_by(shared, core, end, &w->end, n, &one);
      moment += lb_dot(unit, p), inertia += shared->whole.masses[n] * lb_dot(unit, unit);
    }
  }
  found[0] = inertia > 0 ? moment / inertia : 0;
  if (core->kind != LB_CORE_FREE) return;
  lb_vec3_store(found, lb_scale(1 / core->mass, P));
  lb_vec3_store(found + 3, lb_core_spin(lb_core_inertia(core, end->R), L));
}

double lb_warp_turn_cores(const lbBody *body, const lbStep *step, lbScratch *s,
                          const double *moved) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  lbWarpBodyWork *w = s->own;
  double farthest = 0;
  for (int32_t c = 0; c < shared->core_count; c++) {
    const lbWarpCore *core = &shared->cores[c];
    if (core->kind == LB_CORE_SCRIPTED) continue;
    find_found(body, c, w, moved, w->cores[c].found);
    // u1 is where the linearisation has them.
    for (int32_t k = core->begin; k < core->end; k++) {
      size_t n = 3 * (size_t)shared->core_nodes[k];
      lb_vec3_store(w->moved + n, lb_vec3_load(w->u1 + n));
    }
    end_core(body, step, c, w);
    for (int32_t k = core->begin; k < core->end; k++) {
      size_t n = 3 * (size_t)shared->core_nodes[k];
      lbVec3 off = lb_sub(lb_vec3_load(w->u1 + n), lb_vec3_load(w->moved + n));
      farthest = fmax(farthest, lb_length(off));
    }
  }
  return farthest;
}

// Where the found forces' share, by the present arms, leads to the present places.
void lb_warp_relinearise_cores(const lbBody *body, lbScratch *s) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  lbWarpBodyWork *w = s->own;
  for (int32_t c = 0; c < shared->core_count; c++) {
    const lbWarpCore *core = &shared->cores[c];
    const lbWarpCoreStep *own = &w->cores[c];
    if (core->kind == LB_CORE_SCRIPTED) continue;
    for (int32_t k = core->begin; k < core->end; k++) {
      size_t n = (size_t)shared->core_nodes[k];
      lbVec3 by = moved_by(shared, core, &own->end, &w->end, n, own->found);
      lbVec3 at = lb_add(own->end.c, lb_core_arm(shared, core, &own->end, n));
      lbVec3 X = lb_vec3_load(shared->whole.positions + 3 * n);
      lb_vec3_store(w->u1 + 3 * n, lb_sub(lb_add_scaled(at, -w->theta, by), X));
    }
  }
  lb_whole_to_own(&shared->whole, &w->end, w->u1, s->q);
  memcpy(w->q, s->q, (size_t)body->prepared->padded * sizeof(double));
}

void lb_warp_make_end_rigid(const lbBody *body, const lbStep *step, lbScratch *s) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  lbWarpBodyWork *w = s->own;
  lbFrameRates rates = lb_frame_end_rates(body, step);
  if (shared->core_count == 0) return;
  for (int32_t c = 0; c < shared->core_count; c++) {
    const lbWarpCore *core = &shared->cores[c];
    lbCorePose pose = w->cores[c].end;
    if (core->kind == LB_CORE_FREE) pose = lb_core_fit(shared, core, w->u1, w->v1);
    if (core->kind == LB_CORE_HINGED) {
      double angle, rate;
      lb_core_fit_hinge(shared, core, &w->end, &rates, w->u1, w->v1, &angle, &rate);
      lbCorePose own = lb_core_on_hinge(core, angle, rate);
      pose = lb_core_from_own(&shared->whole, &w->end, &rates, &own);
    }
    lb_core_write(shared, core, &pose, w->u1, w->v1);
  }
  lb_whole_to_own(&shared->whole, &w->end, w->u1, s->q);
  lb_whole_rates_to_own(&shared->whole, &w->end, &rates, w->u1, w->v1, s->v);
}
