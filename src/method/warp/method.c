// Warped stiffness's table of operations: its state and what it answers.
#include "method/table.h"
#include "method/warp/cores.h"

#include <string.h>

enum { ROWS = 5, EXTRA = 8 }; // of a saved state

// ---- memory ------------------------------------------------------------------------------------

static void place_group_warp(const lbPrepared *p, lbBodyGroup *group, lbCarver *carver) {
  lbWarpState *states = lb_carve(carver, (size_t)group->count, sizeof *states);
  for (int32_t i = 0; i < group->count && !carver->overflow; i++) {
    lbWarpState draft = { .T = lb_placement_identity() };
    double **rows[ROWS] = { &draft.u, &draft.v, &draft.force, &draft.weight, &draft.last };
    for (size_t k = 0; k < ROWS; k++)
      *rows[k] = lb_carve(carver, (size_t)p->padded, sizeof(double));
    if (!states) continue;
    states[i] = draft;
    group->bodies[i].own = &states[i];
  }
}

static void place_scratch_warp(const lbPrepared *p, lbScratch *scratch, lbCarver *carver) {
  const lbWarp *warp = lb_warp_shared(p)->warp;
  lbWarpBodyWork draft = { 0 }, *w = lb_carve(carver, 1, sizeof draft);
  double **lanes[] = { &draft.x, &draft.v0, &draft.f, &draft.other, &draft.b, &draft.v, &draft.y };
  double **rows[] = { &draft.u1, &draft.v1, &draft.load, &draft.q, &draft.moved };
  for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++)
    *lanes[k] = lb_carve(carver, warp->length, sizeof(double));
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    *rows[k] = lb_carve(carver, (size_t)p->padded, sizeof(double));
  double *room = lb_carve(carver, lb_warp_work_doubles(warp), sizeof(double));
  draft.cores = lb_carve(carver, (size_t)lb_warp_shared(p)->core_count, sizeof *draft.cores);
  if (w) {
    lb_warp_work_place(warp, room, &draft.solver);
    draft.ranks = warp->ranks;
    *w = draft;
  }
  scratch->own = w;
}

static lbStatus furnish_warp(lbBody *body, lbError *err) {
  if (body->integrator != LB_INTEGRATOR_CENTRAL) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "integrator is central: a body of the method \"warp\" has newmark or euler");
}

// ---- state -------------------------------------------------------------------------------------

static void get_warp(const lbBody *body, double *q, double *v, double *force) {
  const lbWarpState *state = lb_warp_state(body);
  const lbWhole *whole = lb_warp_whole(body);
  lbFrameRates rates = lb_frame_rates(body);
  if (q) lb_whole_to_own(whole, &state->T, state->u, q);
  if (v) lb_whole_rates_to_own(whole, &state->T, &rates, state->u, state->v, v);
  if (!force) return;
  memset(force, 0, (size_t)body->prepared->padded * sizeof *force);
  lb_whole_turn_back(whole, &state->T, state->force, force);
}

static void put_warp(lbBody *body, const double *q, const double *v, const double *force) {
  lbWarpState *state = lb_warp_state(body);
  const lbWhole *whole = lb_warp_whole(body);
  lbFrameRates rates = lb_frame_rates(body);
  if (q) lb_whole_from_own(whole, &state->T, q, state->u);
  if (v) lb_whole_rates_from_own(whole, &state->T, &rates, state->u, v, state->v);
  if (force) lb_whole_turn(whole, &state->T, force, state->force);
  if (q || v) lb_warp_settle_cores(body, q != NULL);
}

static void set_weight_warp(lbBody *body, const double *weight) {
  const lbWarpState *state = lb_warp_state(body);
  size_t count = (size_t)body->prepared->dimension;
  if (!weight) {
    memcpy(state->force, state->weight, count * sizeof(double));
    return;
  }
  for (size_t i = 0; i < count; i++) state->force[i] -= state->weight[i];
  lb_whole_turn(lb_warp_whole(body), &state->T, weight, state->weight);
  for (size_t i = 0; i < count; i++) state->force[i] += state->weight[i];
}

static void save_warp(const lbBody *body, double *numbers) {
  const lbWarpState *state = lb_warp_state(body);
  size_t padded = (size_t)body->prepared->padded;
  const double *rows[ROWS] = { state->u, state->v, state->force, state->weight, state->last };
  const lbPlacement *T = &state->T;
  const double extra[EXTRA] = { T->position.x, T->position.y, T->position.z, T->rotation.x,
                                T->rotation.y, T->rotation.z, T->rotation.w, T->identity };
  for (size_t k = 0; k < ROWS; k++) memcpy(numbers + k * padded, rows[k], padded * sizeof(double));
  memcpy(numbers + ROWS * padded, extra, sizeof extra);
}

static void restore_warp(lbBody *body, const double *numbers) {
  lbWarpState *state = lb_warp_state(body);
  size_t padded = (size_t)body->prepared->padded;
  double *rows[ROWS] = { state->u, state->v, state->force, state->weight, state->last };
  const double *extra = numbers + ROWS * padded;
  lbQuat rotation = lb_quat(extra[3], extra[4], extra[5], extra[6]);
  for (size_t k = 0; k < ROWS; k++) memcpy(rows[k], numbers + k * padded, padded * sizeof(double));
  bool identity = extra[7] != 0 || !lb_rotation_make_unit(&rotation);
  state->T =
      identity ? lb_placement_identity() : (lbPlacement){ lb_vec3_load(extra), rotation, false };
}

// ---- the body as a whole -----------------------------------------------------------------------

void lb_warp_momenta(const lbWhole *whole, const double *u, const double *v, lbVec3 c, lbVec3 *P,
                     lbVec3 *L, lbMat3 *J) {
  lbMat3 X = lb_mat3_zero();
  *P = *L = lb_vec3(0, 0, 0);
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 r = lb_sub(lb_whole_place(whole, u, n), c);
    lbVec3 p = lb_scale(whole->masses[n], lb_vec3_load(v + 3 * n));
    *P = lb_add(*P, p), *L = lb_add(*L, lb_cross(r, p));
    if (J) X = lb_mat3_add(X, lb_mat3_scale(whole->masses[n], lb_mat3_outer(r, r)));
  }
  if (J) *J = lb_mat3_sub(lb_mat3_scale(lb_mat3_trace(X), lb_mat3_identity()), X);
}

static void fit_frame_warp(lbBody *body, lbScratch *scratch) {
  lbWarpState *state = lb_warp_state(body);
  const lbWhole *whole = lb_warp_whole(body);
  lbVec3 P, L, c = lb_whole_centre(whole, state->u);
  lbMat3 J;
  (void)scratch;
  lb_warp_momenta(whole, state->u, state->v, c, &P, &L, &J);
  lb_whole_fit_frame(body, whole, &state->T, state->u, P, L, J);
}

static double elastic_of_warp(const lbBody *body, lbScratch *scratch) {
  const lbWarp *warp = lb_warp_shared(body->prepared)->warp;
  const lbWarpState *state = lb_warp_state(body);
  lbWarpBodyWork *w = scratch->own;
  lb_warp_to_lanes(warp, state->u, w->x);
  for (size_t i = 0; i < warp->length; i++) w->x[i] += warp->rest[i];
  return lb_warp_energy(warp, &w->solver, w->x);
}

static void report_warp(const lbBody *body, lbBodyReport *report, lbScratch *scratch) {
  const lbWarpState *state = lb_warp_state(body);
  const lbWhole *whole = lb_warp_whole(body);
  lbVec3 P, L;
  double kinetic = 0;
  lb_warp_momenta(whole, state->u, state->v, lb_vec3(0, 0, 0), &P, &L, NULL);
  for (size_t n = 0; n < (size_t)whole->node_count; n++) {
    lbVec3 v = lb_vec3_load(state->v + 3 * n);
    kinetic += 0.5 * whole->masses[n] * lb_dot(v, v);
  }
  report->kinetic = kinetic;
  report->elastic = elastic_of_warp(body, scratch);
  lb_whole_report(body, whole, &state->T, state->u, P, L, report);
}

static const double *materials_warp(const lbPrepared *p) { return lb_warp_shared(p)->materials; }

// Integrators: what was asked for; safe and Euler: implicit Euler by elements.
const lbBodyMethod lb_warp_method = { .method = LB_METHOD_WARP,
                                      .stress_law = LB_MATERIAL_COROTATED,
                                      .fit_frame = fit_frame_warp,
                                      .prepare = lb_warp_prepare,
                                      .build = lb_warp_build,
                                      .release = lb_warp_release,
                                      .rebuild = lb_warp_rebuild,
                                      .materials = materials_warp,
                                      .place_group = place_group_warp,
                                      .place_scratch = place_scratch_warp,
                                      .furnish = furnish_warp,
                                      .get = get_warp,
                                      .put = put_warp,
                                      .set_weight = set_weight_warp,
                                      .state_rows = ROWS,
                                      .state_extra = EXTRA,
                                      .save = save_warp,
                                      .restore = restore_warp,
                                      .accelerate = lb_warp_accelerate,
                                      .begin = lb_warp_begin,
                                      .respond = lb_warp_respond,
                                      .respond_at = lb_warp_respond_at,
                                      .end = lb_warp_end,
                                      .created = lb_warp_created,
                                      .commit = lb_warp_commit,
                                      .many = 1,
                                      .report = report_warp,
                                      .mobilise_at = lb_warp_mobilise,
                                      .start = lb_warp_start,
                                      .follows_time = true,
                                      .comply = lb_warp_comply,
                                      .identify = lb_warp_identify };
