// The unreduced simulator's table of operations: its state and what it answers.
#include "full/full.h"

#include <string.h>

enum { ROWS = 8, EXTRA = 13 }; // of a saved state

// ---- memory ------------------------------------------------------------------------------------

static void place_group_full(const lbPrepared *p, lbBodyGroup *group, lbCarver *carver) {
  lbFullState *states = lb_carve(carver, (size_t)group->count, sizeof *states);
  for (int32_t i = 0; i < group->count && !carver->overflow; i++) {
    lbFullState draft = { .T = { .rotation = { 0, 0, 0, 1 }, .identity = true } };
    double **rows[] = { &draft.rows.u, &draft.rows.v,  &draft.rows.a,   &draft.force,
                        &draft.weight, &draft.support, &draft.factor_u, &draft.factor_v };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
      *rows[k] = lb_carve(carver, (size_t)p->padded, sizeof(double));
    if (!states) continue;
    states[i] = draft;
    group->bodies[i].own = &states[i];
  }
}

static void place_scratch_full(const lbPrepared *p, lbScratch *scratch, lbCarver *carver) {
  lbFullWork draft, *w = lb_carve(carver, 1, sizeof draft);
  draft.load = lb_carve(carver, (size_t)p->padded, sizeof(double));
  draft.place = lb_carve(carver, (size_t)p->padded, sizeof(double));
  draft.back = lb_carve(carver, (size_t)p->padded, sizeof(double));
  if (w) *w = draft;
  scratch->own = w;
}

static lbStatus furnish_full(lbBody *body, lbError *err) {
  lb_full_state(body)->rows.elastic = NAN;
  return lb_full_simulator(body, err) ? LB_OK : lb_fail_memory(err);
}

static void forget_full(lbBody *body) {
  lbFullState *state = lb_full_state(body);
  lb_simulator_destroy(state->simulator);
  state->simulator = NULL;
  state->rows.elastic = NAN;
  state->refactor = false;
}

// ---- state -------------------------------------------------------------------------------------

static void get_full(const lbBody *body, double *q, double *v, double *force) {
  const lbFullState *state = lb_full_state(body);
  lbFrameRates rates = lb_frame_rates(body);
  if (q) lb_whole_to_own(lb_full_whole(body), &state->T, state->rows.u, q);
  if (v)
    lb_whole_rates_to_own(lb_full_whole(body), &state->T, &rates, state->rows.u, state->rows.v, v);
  if (!force) return;
  memset(force, 0, (size_t)body->prepared->padded * sizeof *force);
  lb_whole_turn_back(lb_full_whole(body), &state->T, state->force, force);
}

static void put_full(lbBody *body, const double *q, const double *v, const double *force) {
  lbFullState *state = lb_full_state(body);
  lbFrameRates rates = lb_frame_rates(body);
  if (q) {
    lb_whole_from_own(lb_full_whole(body), &state->T, q, state->rows.u);
    state->rows.elastic = NAN;
  }
  if (v)
    lb_whole_rates_from_own(lb_full_whole(body), &state->T, &rates, state->rows.u, v,
                            state->rows.v);
  if (force) lb_whole_turn(lb_full_whole(body), &state->T, force, state->force);
}

static void set_weight_full(lbBody *body, const double *weight) {
  const lbFullState *state = lb_full_state(body);
  size_t count = (size_t)body->prepared->dimension;
  if (!weight) {
    memcpy(state->force, state->weight, count * sizeof(double));
    return;
  }
  for (size_t i = 0; i < count; i++) state->force[i] -= state->weight[i];
  lb_whole_turn(lb_full_whole(body), &state->T, weight, state->weight);
  for (size_t i = 0; i < count; i++) state->force[i] += state->weight[i];
}

// The factor of a simulator that may use it again, or what a restored state says of one.
static void save_factor(const lbBody *body, double *rows, double *extra) {
  const lbFullState *state = lb_full_state(body);
  const lbSimulator *sim = state->simulator;
  size_t padded = (size_t)body->prepared->padded;
  bool own = !state->refactor && sim && sim->factored && sim->factor_u;
  memset(rows, 0, 2 * padded * sizeof *rows);
  extra[0] = state->refactor || own, extra[1] = 0;
  if (own) {
    memcpy(rows, sim->factor_u, sim->full_size * sizeof *rows);
    lb_fem_expand(sim->fem, sim->factor_v, rows + padded);
    extra[1] = sim->factor_h;
  } else if (state->refactor) {
    memcpy(rows, state->factor_u, padded * sizeof *rows);
    memcpy(rows + padded, state->factor_v, padded * sizeof *rows);
    extra[1] = state->factor_h;
  }
}

static void save_full(const lbBody *body, double *numbers) {
  const lbFullState *state = lb_full_state(body);
  size_t padded = (size_t)body->prepared->padded;
  const double *rows[] = { state->rows.u, state->rows.v, state->rows.a,
                           state->force,  state->weight, state->support };
  double *extra = numbers + ROWS * padded;
  const lbPlacement *T = &state->T;
  for (size_t k = 0; k < 6; k++) memcpy(numbers + k * padded, rows[k], padded * sizeof(double));
  save_factor(body, numbers + 6 * padded, extra);
  const double more[] = { T->position.x,
                          T->position.y,
                          T->position.z,
                          T->rotation.x,
                          T->rotation.y,
                          T->rotation.z,
                          T->rotation.w,
                          T->identity,
                          state->supported,
                          isnan(state->rows.elastic) ? -1 : 1,
                          isnan(state->rows.elastic) ? 0 : state->rows.elastic };
  memcpy(extra + 2, more, sizeof more);
}

static void restore_full(lbBody *body, const double *numbers) {
  lbFullState *state = lb_full_state(body);
  size_t padded = (size_t)body->prepared->padded;
  double *rows[] = { state->rows.u, state->rows.v,  state->rows.a,   state->force,
                     state->weight, state->support, state->factor_u, state->factor_v };
  const double *extra = numbers + ROWS * padded, *more = extra + 2;
  for (size_t k = 0; k < ROWS; k++) memcpy(rows[k], numbers + k * padded, padded * sizeof(double));
  lbQuat rotation = lb_quat(more[3], more[4], more[5], more[6]);
  bool identity = more[7] != 0 || !lb_rotation_make_unit(&rotation);
  state->T = (lbPlacement){ lb_vec3_load(more), rotation, identity };
  if (identity) state->T = lb_placement_identity();
  state->supported = more[8] != 0;
  state->rows.elastic = more[9] > 0 ? more[10] : NAN;
  if (state->simulator) state->simulator->factored = false;
  state->refactor = extra[0] != 0 && extra[1] > 0 && body->factor_reuse > 0;
  state->factor_h = extra[1];
}

// ---- questions ---------------------------------------------------------------------------------

static bool view(const lbModel *m, lbModelMethod *out) {
  lbModelMethod usual = { 0 };
  if (!m->full_damping) lb_model_method(m, LB_METHOD_DEFAULT, &usual);
  *out = (lbModelMethod){ .method = LB_METHOD_FULL,
                          .dimension = 3 * m->size.node_count,
                          .damping = m->full_damping ? m->full_damping : usual.damping };
  return m->size.element_count > 0 && m->size.node_count <= INT32_MAX / 3 - LB_BATCH;
}

static void von_mises_full(const lbBody *body, double *stresses, lbScratch *scratch) {
  lb_fem_node_stress(lb_full_shared(body->prepared)->fem, lb_full_state(body)->rows.u,
                     scratch->call->shares, stresses);
}

int32_t lb_full_count(const lbBody *body, lbSimulatorState *counts) {
  const lbSimulator *sim = lb_full_state(body)->simulator;
  lbSimulatorState none = { 0 };
  const lbSimulatorState *from = sim ? &sim->totals : &none;
  counts->newton_iterations = from->newton_iterations;
  counts->factor_count = from->factor_count;
  counts->shift_count = from->shift_count;
  counts->subdivided_count = from->subdivided_count;
  return 3 * lb_fem_node_count(lb_full_shared(body->prepared)->fem);
}

// What was asked for; with iterations that are cut; those by implicit Euler in halves.
static const lbBodyMethod full_method = { .method = LB_METHOD_FULL,
                                          .fit_frame = lb_full_fit_frame,
                                          .view = view,
                                          .prepare = lb_full_prepare,
                                          .build = lb_whole_build,
                                          .release = lb_full_release,
                                          .rebuild = lb_full_rebuild,
                                          .materials = lb_full_materials,
                                          .place_group = place_group_full,
                                          .place_scratch = place_scratch_full,
                                          .furnish = furnish_full,
                                          .forget = forget_full,
                                          .get = get_full,
                                          .put = put_full,
                                          .set_weight = set_weight_full,
                                          .state_rows = ROWS,
                                          .state_extra = EXTRA,
                                          .save = save_full,
                                          .restore = restore_full,
                                          .accelerate = lb_full_accelerate,
                                          .begin = lb_full_begin,
                                          .respond = lb_full_respond,
                                          .respond_at = lb_full_respond_at,
                                          .end = lb_full_end,
                                          .commit = lb_full_commit,
                                          .many = 1,
                                          .report = lb_full_report,
                                          .von_mises = von_mises_full,
                                          .mobilise = lb_full_mobilise,
                                          .comply = lb_full_comply,
                                          .identify = lb_full_identify };

void lb_full_register(void) { lb_body_register_method(LB_METHOD_FULL, &full_method); }
