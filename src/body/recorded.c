// Playing a recording: the motion of an unreduced body, u(t) = U q(t), as its model has it.
//
// Between the frames q is the cubic polynomial that has the frames' values and slopes (Hermite);
// the slopes are central differences, one-sided ones of second order at the ends. After the last
// frame the body stays as it is there. Nothing that acts on the body changes its motion: forces and
// impulses have no effect (it answers like an infinite mass), constraints are refused.
#include "body/body.h"

static lbStatus open_recorded(lbBodyCommon *common, const lbBodyDef *def, lbError *err) {
  const lbModel *model = common->model;
  (void)def, (void)err;
  common->dimension = model->size.recording_dimension;
  common->basis = model->recording_basis;
  if (model->full_damping) {
    common->damping_mass = model->full_damping[0];
    common->damping_stiffness = model->full_damping[1];
  }
  return LB_OK;
}

// Gravity and velocities have no effect: zeros.
static void place(lbBodyCommon *common, lbCarver *carver) {
  size_t count = (size_t)common->model->size.recording_dimension;
  common->gravity = lb_carve(carver, count, 3 * sizeof(double));
  common->launch = lb_carve(carver, count, 6 * sizeof(double));
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

static void play(const lbBodyCommon *common, lbInstances *instances, int32_t lane, double t) {
  const lbModel *model = common->model;
  size_t r = (size_t)model->size.recording_dimension;
  Moment m = moment_at(model, t);
  const double *before = model->recording_coordinates + r * (size_t)m.frame, *behind = before + r;
  for (int32_t i = 0; i < common->dimension; i++) {
    int32_t k = common->kept ? common->kept[i] : i;
    double a = slope_at(model, m.frame, k), b = slope_at(model, m.frame + 1, k);
    size_t at = (size_t)i * (size_t)instances->stride + (size_t)lane;
    instances->q[at] =
        m.value[0] * before[k] + m.value[1] * behind[k] + m.slope[0] * a + m.slope[1] * b;
    instances->v[at] =
        m.rate[0] * before[k] + m.rate[1] * behind[k] + m.rate_slope[0] * a + m.rate_slope[1] * b;
  }
}

// ---- the method --------------------------------------------------------------------------------

static lbStatus build(lbBodyCommon *common, lbError *err) {
  (void)err;
  for (int32_t b = 0; b < common->block_count; b++)
    for (int32_t lane = 0; lane < common->blocks[b].stride; lane++)
      play(common, &common->blocks[b], lane, 0);
  return LB_OK;
}

static void prepare(lbBodyCommon *common, double h) { (void)common, (void)h; }

static int32_t advance(lbBodyCommon *common, lbInstances *instances) {
  for (int32_t lane = 0; lane < instances->count; lane++)
    play(common, instances, lane, instances->times[lane] + common->h);
  return 0;
}

static int32_t advance_one(lbBody *body) {
  play(body->common, body->instances, body->lane, lb_body_time(body) + body->common->h);
  return 0;
}

// The elastic energy is not recorded.
static void energy(const lbBody *body, double *kinetic, double *elastic) {
  *kinetic = *elastic = 0;
  for (int32_t i = 0; i < body->common->dimension; i++) {
    double v = body->instances->v[lb_body_at(body, i)];
    *kinetic += 0.5 * v * v;
  }
}

static void mobilise(const lbBodyCommon *common, double *impulses) {
  for (int32_t i = 0; i < common->dimension; i++) impulses[i] = 0;
}

static void damping_changed(lbBodyCommon *common) { (void)common; }

static uint64_t identify(const lbBodyCommon *common, uint64_t hash) {
  const lbModel *model = common->model;
  size_t row = (size_t)model->size.recording_dimension * sizeof(double);
  hash = lb_hash(hash, &model->size.recording_frames, sizeof(int32_t));
  hash = lb_hash(hash, model->recording_rate, sizeof(double));
  return lb_hash(hash,
                 model->recording_coordinates + (size_t)(model->size.recording_frames - 1) *
                                                    (size_t)model->size.recording_dimension,
                 row);
}

const lbBodyMethod lb_recorded_method = { .method = LB_METHOD_RECORDED,
                                          .is_recording = true,
                                          .open = open_recorded,
                                          .place = place,
                                          .build = build,
                                          .prepare = prepare,
                                          .advance = advance,
                                          .advance_one = advance_one,
                                          .energy = energy,
                                          .mobilise = mobilise,
                                          .damping_changed = damping_changed,
                                          .identify = identify };
