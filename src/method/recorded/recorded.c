// Playing a recording: the motion of an unreduced body, u(t) = U q(t), as its model has it.
//
// Between the frames q is the cubic polynomial that has the frames' values and slopes (Hermite);
// the slopes are central differences, one-sided ones of second order at the ends. After the last
// frame the body stays as it is there. Nothing that acts on the body changes its motion: forces and
// impulses have no effect (it answers like an infinite mass), constraints are refused.
#include "body/body.h"
#include "method/table.h"

#include <string.h>

typedef struct State {
  double *q, *v; // (padded)
} State;

static void place_group_recorded(const lbPrepared *p, lbBodyGroup *group, lbCarver *carver) {
  size_t padded = (size_t)p->padded;
  State *states = lb_carve(carver, (size_t)group->count, sizeof *states);
  for (int32_t i = 0; i < group->count && !carver->overflow; i++) {
    State state = { lb_carve(carver, padded, sizeof(double)), NULL };
    state.v = lb_carve(carver, padded, sizeof(double));
    if (!states) continue;
    states[i] = state;
    group->bodies[i].own = &states[i];
  }
}

// ---- the motion --------------------------------------------------------------------------------

// A place between two frames, and what the values around it weigh there.
typedef struct Moment {
  int32_t frame;   // the one before
  double value[2]; // of the frames before and behind
  double slope[2]; // their slopes, per frame
  double rate[2];  // the same for the derivative, 1/s
  double rate_slope[2];
} Moment;

static Moment moment_at(const lbModel *model, double t) {
  int32_t last = model->size.recording_frames - 1;
  double rate = model->recording_rate[0], at = t * rate;
  if (!(at < last)) return (Moment){ .frame = last - 1, .value = { 0, 1 } };
  int32_t frame = at > 0 ? (int32_t)at : 0;
  double s = at > 0 ? at - frame : 0, r = 1 - s;
  return (Moment){ .frame = frame,
                   .value = { r * r * (1 + 2 * s), s * s * (3 - 2 * s) },
                   .slope = { s * r * r, -s * s * r },
                   .rate = { -6 * s * r * rate, 6 * s * r * rate },
                   .rate_slope = { r * (1 - 3 * s) * rate, s * (3 * s - 2) * rate } };
}

// Slope of coordinate k at a frame, per frame.
static double slope_at(const lbModel *model, int32_t frame, int32_t k) {
  size_t r = (size_t)model->size.recording_dimension;
  int32_t last = model->size.recording_frames - 1;
  const double *q = model->recording_coordinates + r * (size_t)frame + (size_t)k;
  if (last == 1) return frame == 0 ? q[r] - q[0] : q[0] - q[-(ptrdiff_t)r];
  if (frame == 0) return -1.5 * q[0] + 2 * q[r] - 0.5 * q[2 * r];
  const double *before = q - r;
  if (frame == last) return 1.5 * q[0] - 2 * before[0] + 0.5 * before[-(ptrdiff_t)r];
  return 0.5 * (q[r] - before[0]);
}

// q, v (padded) <- at time t
static void play_recorded(const lbPrepared *p, double t, double *q, double *v) {
  const lbModel *model = p->model;
  size_t r = (size_t)model->size.recording_dimension;
  Moment m = moment_at(model, t);
  const double *before = model->recording_coordinates + r * (size_t)m.frame, *behind = before + r;
  for (int32_t i = 0; i < p->dimension; i++) {
    int32_t k = p->kept ? p->kept[i] : i;
    double a = slope_at(model, m.frame, k), b = slope_at(model, m.frame + 1, k);
    q[i] = m.value[0] * before[k] + m.value[1] * behind[k] + m.slope[0] * a + m.slope[1] * b;
    v[i] =
        m.rate[0] * before[k] + m.rate[1] * behind[k] + m.rate_slope[0] * a + m.rate_slope[1] * b;
  }
}

// ---- the method --------------------------------------------------------------------------------

// Unit gravity as if nodes had their masses: for centre and momentum, nothing else.
static lbStatus build_recorded(lbPrepared *p, lbError *err) {
  size_t rows = 3 * (size_t)p->model->size.node_count;
  double *sums = lb_alloc((size_t)p->dimension, 3 * sizeof(double));
  if (!sums) return lb_fail_memory(err);
  for (size_t i = 0; i < (size_t)p->dimension; i++)
    for (size_t k = 0; k < rows; k++)
      sums[3 * i + k % 3] += p->node_masses[k / 3] * p->basis[rows * i + k];
  p->own = sums;
  p->gravity = sums;
  return LB_OK;
}

static void release_recorded(lbPrepared *p) { lb_free(p->own); }

static void get_recorded(const lbBody *body, double *q, double *v, double *force) {
  const State *state = body->own;
  size_t bytes = (size_t)body->prepared->padded * sizeof(double);
  if (q) memcpy(q, state->q, bytes);
  if (v) memcpy(v, state->v, bytes);
  if (force) memset(force, 0, bytes);
}

static void put_recorded(lbBody *body, const double *q, const double *v, const double *force) {
  const State *state = body->own;
  size_t bytes = (size_t)body->prepared->padded * sizeof(double);
  (void)force;
  if (q) memcpy(state->q, q, bytes);
  if (v) memcpy(state->v, v, bytes);
}

static void set_weight_recorded(lbBody *body, const double *weight) { (void)body, (void)weight; }

static void start_recorded(lbBody *body, lbScratch *scratch) {
  const State *state = body->own;
  (void)scratch;
  play_recorded(body->prepared, body->time, state->q, state->v);
}

static int32_t begin_recorded(lbBody *body, lbStep *step, lbScratch *s) {
  play_recorded(body->prepared, body->time + step->h, s->q, s->v);
  return 0;
}

static void respond_recorded(const lbBody *body, const lbStep *step, lbScratch *s,
                             const double *force, double *moved) {
  (void)step, (void)s, (void)force;
  memset(moved, 0, (size_t)body->prepared->padded * sizeof *moved);
}

static int32_t end_recorded(lbBody *body, const lbStep *step, lbScratch *s) {
  (void)body, (void)step, (void)s;
  return 0;
}

static int32_t commit_recorded(lbBody *body, const lbStep *step, lbScratch *s) {
  (void)step;
  put_recorded(body, s->q, s->v, NULL);
  return 0;
}

static double kinetic_recorded(const lbBody *body, const double *v, lbScratch *scratch) {
  (void)scratch;
  return 0.5 * lb_row_dot(body->prepared->dimension, v, v);
}

// It is not recorded.
static double elastic_recorded(const lbBody *body, const double *q, lbScratch *scratch) {
  (void)body, (void)q, (void)scratch;
  return 0;
}

static void immobile(const lbPrepared *p, double *x) {
  memset(x, 0, (size_t)p->dimension * sizeof *x);
}

static void comply_recorded(const lbPrepared *p, double *x, lbScratch *scratch) {
  (void)scratch;
  immobile(p, x);
}

static uint64_t identify_recorded(const lbPrepared *p, uint64_t hash) {
  const lbModel *model = p->model;
  size_t row = (size_t)model->size.recording_dimension;
  hash = lb_hash(hash, &model->size.recording_frames, sizeof(int32_t));
  hash = lb_hash(hash, model->recording_rate, sizeof(double));
  return lb_hash(hash,
                 model->recording_coordinates + (size_t)(model->size.recording_frames - 1) * row,
                 row * sizeof(double));
}

const lbBodyMethod lb_recorded_method = { .method = LB_METHOD_RECORDED,
                                          .is_recording = true,
                                          .follows_time = true,
                                          .responds_alike = true,
                                          .is_linear = true,
                                          .stress_law = LB_MATERIAL_LINEAR,
                                          .build = build_recorded,
                                          .release = release_recorded,
                                          .place_group = place_group_recorded,
                                          .get = get_recorded,
                                          .put = put_recorded,
                                          .set_weight = set_weight_recorded,
                                          .start = start_recorded,
                                          .begin = begin_recorded,
                                          .respond = respond_recorded,
                                          .end = end_recorded,
                                          .commit = commit_recorded,
                                          .many = 16,
                                          .kinetic = kinetic_recorded,
                                          .elastic = elastic_recorded,
                                          .mobilise = immobile,
                                          .comply = comply_recorded,
                                          .identify = identify_recorded };
