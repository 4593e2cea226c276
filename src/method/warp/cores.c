// Rigid cores of warped bodies: what bodies share of them, and their states (warp_cores.h).
#include "method/warp/cores.h"

#include <string.h>

// ---- what bodies share -------------------------------------------------------------------------

static void weigh_core(const lbWarpShared *shared, lbWarpCore *core) {
  const lbWhole *whole = &shared->whole;
  lbMat3 X = lb_mat3_zero();
  lbVec3 moment = lb_vec3(0, 0, 0);
  for (int32_t k = core->begin; k < core->end; k++) {
    size_t n = (size_t)shared->core_nodes[k];
    core->mass += whole->masses[n];
    moment = lb_add_scaled(moment, whole->masses[n], lb_vec3_load(whole->positions + 3 * n));
  }
  core->centre = lb_scale(1 / core->mass, moment);
  for (int32_t k = core->begin; k < core->end; k++) {
    size_t n = (size_t)shared->core_nodes[k];
    lbVec3 r = lb_sub(lb_vec3_load(whole->positions + 3 * n), core->centre);
    X = lb_mat3_add(X, lb_mat3_scale(whole->masses[n], lb_mat3_outer(r, r)));
  }
  core->inertia = lb_mat3_sub(lb_mat3_scale(lb_mat3_trace(X), lb_mat3_identity()), X);
}

static bool has_cuts(const lbPath *path) {
  const lbPathDef *keys = lb_path_keys(path);
  double first = keys->times[0], last = keys->times[keys->key_count - 1];
  return lb_path_cut_between(path, first, last + (last - first));
}

static lbStatus make_path(const lbModel *m, int32_t index, lbWarpCore *core, lbError *err) {
  lbStatus status = lb_model_core_path(m, index, &core->path, err);
  if (!status && has_cuts(core->path))
    status = lb_fail(err, LB_ERR_ARGUMENT,
                     "core %d: its motion has cuts, which flesh cannot follow; let it be linear or "
                     "cubic, and end where it began if it repeats",
                     (int)index);
  return status;
}

lbStatus lb_warp_find_cores(const lbPrepared *p, lbWarpShared *shared, lbError *err) {
  const lbModel *m = p->model;
  size_t nodes = (size_t)m->size.node_count, count = (size_t)m->size.core_count;
  shared->given = shared->held;
  if (count == 0) return LB_OK;
  shared->given = lb_duplicate(shared->held, nodes, 1);
  shared->core_nodes = lb_alloc(nodes, sizeof(int32_t));
  shared->cores = lb_alloc(count, sizeof *shared->cores);
  shared->core_columns = lb_alloc(count, sizeof(int32_t));
  if (!shared->given || !shared->core_nodes || !shared->cores || !shared->core_columns)
    return lb_fail_memory(err);
  shared->core_count = m->size.core_count;
  lbStatus status = LB_OK;
  for (int32_t c = 0, end = 0; c < shared->core_count && !status; c++) {
    lbWarpCore *core = &shared->cores[c];
    const double *hinge = m->warp_core_hinges + 6 * (size_t)c;
    *core = (lbWarpCore){ .kind = (lbCoreKind)m->warp_core_kinds[c],
                          .begin = end,
                          .point = lb_vec3_load(hinge),
                          .axis = lb_vec3_load(hinge + 3) };
    for (int32_t n = 0; n < m->size.node_count; n++) {
      if (m->warp_cores[n] != c) continue;
      shared->core_nodes[end++] = n;
      if (core->kind == LB_CORE_SCRIPTED) shared->given[n] = 1;
    }
    core->end = end;
    shared->core_columns[c] = core->kind == LB_CORE_FREE ? 6 : core->kind == LB_CORE_HINGED;
    weigh_core(shared, core);
    if (!(core->mass > 0))
      status =
          lb_fail(err, LB_ERR_ARGUMENT, "core %d has no mass: its nodes are of no element", (int)c);
    if (!status && core->kind == LB_CORE_SCRIPTED) status = make_path(m, c, core, err);
  }
  return status;
}

void lb_warp_release_cores(lbWarpShared *shared) {
  if (shared->given != shared->held) lb_free(shared->given);
  for (int32_t c = 0; c < shared->core_count; c++) lb_path_destroy(shared->cores[c].path);
  lb_free(shared->core_nodes);
  lb_free(shared->core_columns);
  lb_free(shared->cores);
}

uint64_t lb_warp_identify_cores(const lbModel *m, uint64_t hash) {
  size_t cores = (size_t)m->size.core_count, keys = (size_t)m->size.core_key_count;
  if (cores == 0) return hash;
  hash = lb_hash(hash, m->warp_cores, (size_t)m->size.node_count * sizeof(int32_t));
  hash = lb_hash(hash, m->warp_core_kinds, cores * sizeof(int32_t));
  hash = lb_hash(hash, m->warp_core_hinges, 6 * cores * sizeof(double));
  if (keys == 0) return hash;
  hash = lb_hash(hash, m->warp_core_paths, 3 * cores * sizeof(int32_t));
  hash = lb_hash(hash, m->warp_core_times, keys * sizeof(double));
  hash = lb_hash(hash, m->warp_core_positions, 3 * keys * sizeof(double));
  return lb_hash(hash, m->warp_core_rotations, 4 * keys * sizeof(double));
}

// ---- poses -------------------------------------------------------------------------------------

lbVec3 lb_core_arm(const lbWarpShared *shared, const lbWarpCore *core, const lbCorePose *pose,
                   size_t node) {
  lbVec3 X = lb_vec3_load(shared->whole.positions + 3 * node);
  return lb_mat3_apply(pose->R, lb_sub(X, core->centre));
}

void lb_core_write(const lbWarpShared *shared, const lbWarpCore *core, const lbCorePose *pose,
                   double *u, double *v) {
  for (int32_t k = core->begin; k < core->end; k++) {
    size_t n = (size_t)shared->core_nodes[k];
    lbVec3 arm = lb_core_arm(shared, core, pose, n);
    lbVec3 X = lb_vec3_load(shared->whole.positions + 3 * n);
    if (u) lb_vec3_store(u + 3 * n, lb_sub(lb_add(pose->c, arm), X));
    if (v) lb_vec3_store(v + 3 * n, lb_add(pose->velocity, lb_cross(pose->spin, arm)));
  }
}

lbMat3 lb_core_inertia(const lbWarpCore *core, lbMat3 R) {
  return lb_mat3_multiply(R, lb_mat3_multiply(core->inertia, lb_mat3_transpose(R)));
}

// lb_inertia_solve takes a little off, which momenta would feel: once more.
lbVec3 lb_core_spin(lbMat3 J, lbVec3 L) {
  lbVec3 spin = lb_inertia_solve(J, L);
  return lb_add(spin, lb_inertia_solve(J, lb_sub(L, lb_mat3_apply(J, spin))));
}

// The nearest placement of a core's nodes, by their masses.
static void fit_place(const lbWarpShared *shared, const lbWarpCore *core, const double *u,
                      lbCorePose *pose) {
  const lbWhole *whole = &shared->whole;
  lbMat3 A = lb_mat3_zero();
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t k = core->begin; k < core->end; k++) {
    size_t n = (size_t)shared->core_nodes[k];
    sum = lb_add_scaled(sum, whole->masses[n], lb_whole_place(whole, u, n));
  }
  pose->c = lb_scale(1 / core->mass, sum);
  for (int32_t k = core->begin; k < core->end; k++) {
    size_t n = (size_t)shared->core_nodes[k];
    lbVec3 X = lb_sub(lb_vec3_load(whole->positions + 3 * n), core->centre);
    lbVec3 r = lb_sub(lb_whole_place(whole, u, n), pose->c);
    A = lb_mat3_add(A, lb_mat3_scale(whole->masses[n], lb_mat3_outer(r, X)));
  }
  lb_polar3(A, &pose->R, NULL);
}

// The motion that has the momenta of the nodes where they are, to rounding.
static void fit_motion(const lbWarpShared *shared, const lbWarpCore *core, const double *u,
                       const double *v, lbCorePose *pose) {
  lbVec3 P = lb_vec3(0, 0, 0), L = P;
  for (int32_t k = core->begin; k < core->end; k++) {
    size_t n = (size_t)shared->core_nodes[k];
    lbVec3 p = lb_scale(shared->whole.masses[n], lb_vec3_load(v + 3 * n));
    lbVec3 arm = lb_sub(lb_whole_place(&shared->whole, u, n), pose->c);
    P = lb_add(P, p), L = lb_add(L, lb_cross(arm, p));
  }
  pose->velocity = lb_scale(1 / core->mass, P);
  pose->spin = lb_core_spin(lb_core_inertia(core, pose->R), L);
}

lbCorePose lb_core_fit(const lbWarpShared *shared, const lbWarpCore *core, const double *u,
                       const double *v) {
  lbCorePose pose;
  fit_place(shared, core, u, &pose);
  fit_motion(shared, core, u, v, &pose);
  return pose;
}

lbCorePose lb_core_from_own(const lbWhole *whole, const lbPlacement *T, const lbFrameRates *frame,
                            const lbCorePose *own) {
  lbMat3 turn = lb_quat_to_mat3(T->rotation);
  lbVec3 c = lb_placement_apply(T, own->c);
  return (
      lbCorePose){ c, lb_mat3_multiply(turn, own->R),
                   lb_add(lb_whole_carried(whole, T, frame, c), lb_mat3_apply(turn, own->velocity)),
                   lb_mat3_apply(turn, lb_add(frame->spin, own->spin)) };
}

lbCorePose lb_core_on_path(const lbWarpCore *core, double time) {
  lbPathState at;
  lb_path_at(core->path, time, &at);
  lbMat3 R =
      lb_quat_to_mat3(lb_quat(at.rotation[0], at.rotation[1], at.rotation[2], at.rotation[3]));
  lbVec3 arm = lb_mat3_apply(R, core->centre), spin = lb_vec3_load(at.angular_velocity);
  return (lbCorePose){ lb_add(lb_vec3_load(at.position), arm), R,
                       lb_add(lb_vec3_load(at.linear_velocity), lb_cross(spin, arm)), spin };
}

lbCorePose lb_core_on_hinge(const lbWarpCore *core, double angle, double rate) {
  lbMat3 R = lb_quat_to_mat3(lb_quat_exp(lb_scale(angle, core->axis)));
  lbVec3 arm = lb_mat3_apply(R, lb_sub(core->centre, core->point));
  lbVec3 spin = lb_scale(rate, core->axis);
  return (lbCorePose){ lb_add(core->point, arm), R, lb_cross(spin, arm), spin };
}

void lb_core_fit_hinge(const lbWarpShared *shared, const lbWarpCore *core, const lbPlacement *T,
                       const lbFrameRates *frame, const double *u, const double *v, double *angle,
                       double *rate) {
  const lbWhole *whole = &shared->whole;
  lbQuat back = lb_quat_conjugate(T->rotation);
  double sine = 0, cosine = 0, moment = 0, inertia = 0;
  for (int32_t k = core->begin; k < core->end; k++) {
    size_t n = (size_t)shared->core_nodes[k];
    lbVec3 at = lb_whole_place(whole, u, n);
    lbVec3 r = lb_sub(lb_vec3_load(whole->positions + 3 * n), core->point);
    lbVec3 x = lb_sub(lb_placement_unapply(T, at), core->point);
    lbVec3 relative = lb_quat_rotate(
        back, lb_sub(lb_vec3_load(v + 3 * n), lb_whole_carried(whole, T, frame, at)));
    lbVec3 across = lb_cross(core->axis, x);
    double m = whole->masses[n];
    sine += m * lb_dot(core->axis, lb_cross(r, x));
    cosine += m * (lb_dot(r, x) - lb_dot(core->axis, r) * lb_dot(core->axis, x));
    moment += m * lb_dot(across, relative), inertia += m * lb_dot(across, across);
  }
  *angle = atan2(sine, cosine);
  *rate = inertia > 0 ? moment / inertia : 0;
}

// ---- states ------------------------------------------------------------------------------------

static lbCorePose settled(const lbBody *body, const lbWarpCore *core) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWarpState *state = lb_warp_state(body);
  lbFrameRates rates = lb_frame_rates(body);
  if (core->kind == LB_CORE_FREE) return lb_core_fit(shared, core, state->u, state->v);
  lbCorePose own;
  double angle, rate;
  if (core->kind == LB_CORE_HINGED) {
    lb_core_fit_hinge(shared, core, &state->T, &rates, state->u, state->v, &angle, &rate);
    own = lb_core_on_hinge(core, angle, rate);
  } else {
    own = lb_core_on_path(core, body->time);
  }
  return lb_core_from_own(&shared->whole, &state->T, &rates, &own);
}

void lb_warp_settle_cores(lbBody *body, bool places) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  lbWarpState *state = lb_warp_state(body);
  for (int32_t c = 0; c < shared->core_count; c++) {
    lbCorePose pose = settled(body, &shared->cores[c]);
    lb_core_write(shared, &shared->cores[c], &pose, places ? state->u : NULL, state->v);
  }
}

// The one core that is scripted where nothing else holds the body; NULL: none.
static const lbWarpCore *only_holder(const lbBody *body) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWarpCore *only = NULL;
  if (!lb_model_is_free(body->prepared->model)) return NULL;
  for (int32_t c = 0; c < shared->core_count; c++) {
    if (shared->cores[c].kind == LB_CORE_FREE) continue;
    if (only || shared->cores[c].kind == LB_CORE_HINGED) return NULL;
    only = &shared->cores[c];
  }
  return only;
}

// All nodes go with a core from one pose to another, and keep what they do beside it.
static void carry_core(const lbWarpShared *shared, lbWarpState *state, const lbCorePose *from,
                       const lbCorePose *to) {
  const lbWhole *whole = &shared->whole;
  lbMat3 turn = lb_mat3_multiply(to->R, lb_mat3_transpose(from->R));
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 before = lb_sub(lb_whole_place(whole, state->u, n), from->c);
    lbVec3 after = lb_mat3_apply(turn, before), v = lb_vec3_load(state->v + 3 * n);
    v = lb_sub(v, lb_add(from->velocity, lb_cross(from->spin, before)));
    v = lb_add(lb_mat3_apply(turn, v), lb_add(to->velocity, lb_cross(to->spin, after)));
    lb_vec3_store(state->v + 3 * n, v);
    lbVec3 X = lb_vec3_load(whole->positions + 3 * n);
    lb_vec3_store(state->u + 3 * n, lb_sub(lb_add(to->c, after), X));
  }
}

void lb_warp_start(lbBody *body, lbScratch *scratch) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  lbWarpState *state = lb_warp_state(body);
  const lbWarpCore *only = only_holder(body);
  (void)scratch;
  if (only) {
    lbCorePose from = lb_core_fit(shared, only, state->u, state->v), to = settled(body, only);
    carry_core(shared, state, &from, &to);
  }
  lb_warp_settle_cores(body, true);
}

// V and ω, or the spin about an axis, that an impulse gives a core, at the nodes' places.
static void mobilise_core(const lbBody *body, const lbWarpCore *core, double *x) {
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWarpState *state = lb_warp_state(body);
  const lbWhole *whole = &shared->whole;
  bool hinged = core->kind == LB_CORE_HINGED;
  lbVec3 P = lb_vec3(0, 0, 0), L = P, V = P, spin = P, pivot = core->point;
  lbMat3 X = lb_mat3_zero();
  if (!hinged) {
    lbVec3 sum = lb_vec3(0, 0, 0);
    for (int32_t k = core->begin; k < core->end; k++) {
      size_t n = (size_t)shared->core_nodes[k];
      sum = lb_add_scaled(sum, whole->masses[n] / core->mass, lb_whole_place(whole, state->u, n));
    }
    pivot = lb_placement_unapply(&state->T, sum);
  }
  for (int32_t k = core->begin; k < core->end; k++) {
    size_t n = (size_t)shared->core_nodes[k];
    lbVec3 at = lb_placement_unapply(&state->T, lb_whole_place(whole, state->u, n));
    lbVec3 arm = lb_sub(at, pivot), f = lb_vec3_load(x + 3 * n);
    P = lb_add(P, f), L = lb_add(L, lb_cross(arm, f));
    X = lb_mat3_add(X, lb_mat3_scale(whole->masses[n], lb_mat3_outer(arm, arm)));
  }
  lbMat3 J = lb_mat3_sub(lb_mat3_scale(lb_mat3_trace(X), lb_mat3_identity()), X);
  if (core->kind == LB_CORE_FREE) V = lb_scale(1 / core->mass, P), spin = lb_core_spin(J, L);
  if (hinged) {
    double inertia = lb_dot(core->axis, lb_mat3_apply(J, core->axis));
    spin = lb_scale(inertia > 0 ? lb_dot(core->axis, L) / inertia : 0, core->axis);
  }
  for (int32_t k = core->begin; k < core->end; k++) {
    size_t n = (size_t)shared->core_nodes[k];
    lbVec3 at = lb_placement_unapply(&state->T, lb_whole_place(whole, state->u, n));
    lb_vec3_store(x + 3 * n, lb_add(V, lb_cross(spin, lb_sub(at, pivot))));
  }
}

void lb_warp_mobilise(const lbBody *body, lbScratch *scratch, double *x) {
  (void)scratch;
  const lbWarpShared *shared = lb_warp_shared(body->prepared);
  const lbWhole *whole = &shared->whole;
  for (int32_t c = 0; c < shared->core_count; c++) mobilise_core(body, &shared->cores[c], x);
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    if (shared->core_count && body->prepared->model->warp_cores[n] >= 0) continue;
    for (size_t k = 0; k < 3; k++) {
      double *to = x + 3 * n + k;
      *to = whole->held[n] ? 0 : *to / whole->masses[n];
    }
  }
}
