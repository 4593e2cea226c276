// limber bench haptics: a ball is pushed into a bridge and along it at a kilohertz, in real time.
//
// The device is led inside the loop (lbHapticsDef.before_step), where a device that answers at once
// would be asked, so that the force's jitter is the method's and not that of two clocks.
#include "bench/bench.h"

#include "limber/haptics.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { DIMENSION = 15, MODES = 20, PLACES = 65, SMOOTH = 10 };

static const double rate_hz = 1000;
static const double paper_step_us = 65.4; // the bridge at r = 15: force, stiffness, solve

typedef struct HapticsBench {
  benchObject object;
  lbModel *model;
  lbBody *body;
  lbHaptics *haptics;
  benchTable *table;
  const char *fallback;   // why it is not the subspace method; NULL: it is
  int along, up, across;  // axes
  double begin, end;      // of the walk
  double middle;          // across
  double heights[PLACES]; // of the surface at rest under the walk
  double radius, depth;   // m
  int64_t tick, tick_count;
  double *forces; // (tick_count) N, along up
} HapticsBench;

// ---- the walk ----------------------------------------------------------------------------------

static void set_axis(lbVec3 *v, int axis, double value) {
  *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
}

// Along the longest level axis, in the middle of it, from side to side.
static void plan_walk(HapticsBench *b) {
  double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
  for (int32_t v = 0; v < b->model->size.vertex_count; v++)
    for (int axis = 0; axis < 3; axis++) {
      double x = b->model->vertex_positions[3 * (size_t)v + (size_t)axis];
      low[axis] = fmin(low[axis], x), high[axis] = fmax(high[axis], x);
    }
  b->up = b->object.up;
  int one = (b->up + 1) % 3, other = (b->up + 2) % 3;
  b->along = high[one] - low[one] > high[other] - low[other] ? one : other;
  b->across = b->along == one ? other : one;
  double length = high[b->along] - low[b->along];
  b->begin = low[b->along] + 0.25 * length, b->end = high[b->along] - 0.25 * length;
  b->middle = low[b->across] + 0.47 * (high[b->across] - low[b->across]);
  b->radius = 0.2 * (high[b->across] - low[b->across]);
  b->depth = 0.02 * length;
}

static lbVec3 at(const HapticsBench *b, double share, double height) {
  lbVec3 place = lb_vec3(0, 0, 0);
  set_axis(&place, b->along, b->begin + share * (b->end - b->begin));
  set_axis(&place, b->across, b->middle);
  set_axis(&place, b->up, height);
  return place;
}

static double height_of(const HapticsBench *b, lbVec3 place) {
  return b->up == 0 ? place.x : b->up == 1 ? place.y : place.z;
}

static lbStatus find_heights(HapticsBench *b, bool found[PLACES], lbError *err) {
  lbVec3 down = lb_vec3(0, 0, 0);
  set_axis(&down, b->up, -1);
  for (int i = 0; i < PLACES; i++) {
    lbPick pick = { 0 };
    lbStatus status = lb_body_pick(b->body, at(b, i / (PLACES - 1.0), 1e4), down, &pick, &found[i]);
    if (status) return lb_fail(err, status, "haptics: %s", lb_body_message(b->body));
    b->heights[i] = height_of(b, pick.position);
  }
  return LB_OK;
}

// Bridges have portals: the walk ends before what rises over its middle, or falls away.
static lbStatus find_walk(HapticsBench *b, lbError *err) {
  bool found[PLACES];
  lbStatus status = find_heights(b, found, err);
  if (status) return status;
  int first = PLACES / 2, last = first;
  double step = (b->end - b->begin) / (PLACES - 1), room = b->radius + step;
  while (first > 0 && found[first - 1] &&
         fabs(b->heights[first - 1] - b->heights[first]) < 0.25 * b->radius)
    first--;
  while (last < PLACES - 1 && found[last + 1] &&
         fabs(b->heights[last + 1] - b->heights[last]) < 0.25 * b->radius)
    last++;
  double begin = b->begin + first * step + (first > 0 ? room : 0);
  double end = b->begin + last * step - (last < PLACES - 1 ? room : 0);
  if (!found[PLACES / 2] || end - begin < b->radius)
    return lb_fail(err, LB_ERR_MESH,
                   "haptics: the top of the mesh is not even enough in its middle to walk on");
  b->begin = begin, b->end = end;
  return find_heights(b, found, err);
}

// Down within a second, then to and fro in ten seconds, pressing harder and softer.
static void lead(lbBody *body, double time, void *context) {
  HapticsBench *b = context;
  (void)body;
  if (b->tick > 0 && b->tick <= b->tick_count)
    b->forces[b->tick - 1] = height_of(b, lb_haptics_force(b->haptics)); // of the tick before
  b->tick++;
  double share = 0.5 - 0.5 * cos(LB_PI / 5 * time), cell = share * (PLACES - 1);
  int i = cell < PLACES - 2 ? (int)cell : PLACES - 2;
  double height = b->heights[i] + (cell - i) * (b->heights[i + 1] - b->heights[i]);
  double press = b->depth * (1 - cos(LB_PI * fmin(time, 1))) / 2 * (1 + 0.3 * sin(2 * time));
  lbVec3 velocity = lb_vec3(0, 0, 0);
  set_axis(&velocity, b->along, LB_PI / 10 * sin(LB_PI / 5 * time) * (b->end - b->begin));
  lb_haptics_set_device(b->haptics, at(b, share, height + b->radius - press), velocity, false);
}

// ---- the object --------------------------------------------------------------------------------

static lbStatus make_body(HapticsBench *b, lbError *err) {
  lbReduceDef def = lb_reduce_def();
  lbSubspaceDef subspace = lb_subspace_def();
  def.damping_mass = 0.5, def.damping_stiffness = 1e-3;
  subspace.basis.mode_count = MODES;
  subspace.basis.dimension = DIMENSION;
  lbStatus status =
      lb_reduce_subspace(b->object.mesh, b->object.fem, &def, &subspace, &b->model, err);
  if (status) return status;
  lbBodyDef body = lb_body_def();
  body.method = LB_METHOD_SUBSPACE;
  if (lb_body_create(b->model, &body, &b->body, err) == LB_OK) return LB_OK;
  b->fallback = "modal: bodies of this build have no subspace method";
  body.method = LB_METHOD_MODAL;
  body.mode_count = DIMENSION;
  return lb_body_create(b->model, &body, &b->body, err);
}

// A coupling about as stiff as the body, whose first mode has the stiffness λ m.
static lbStatus make_loop(HapticsBench *b, lbError *err) {
  double mass = b->model->rigid_mass[0], lambda = b->model->modal_eigenvalues[0];
  lbHapticsDef def = lb_haptics_def();
  def.rate = rate_hz;
  def.urgent = true;
  def.radius = b->radius;
  def.stiffness = lambda * mass;
  def.damping = 0.02 * sqrt(lambda) * mass;
  def.force_limit = def.stiffness * (b->end - b->begin);
  def.before_step = lead, def.context = b;
  return lb_haptics_create(b->body, &def, &b->haptics, err);
}

// ---- figures -----------------------------------------------------------------------------------

static json_t *parameters(const HapticsBench *b) {
  return json_pack("{s:s, s:i, s:s, s:i, s:i, s:f}", "mesh", b->object.name, "triangles",
                   (int)b->model->size.triangle_count, "method",
                   lb_method_name(lb_body_method(b->body)), "r", (int)lb_body_dimension(b->body),
                   "hz", (int)rate_hz, "seconds", (double)b->tick_count / rate_hz);
}

static void describe_steps(const HapticsBench *b, const lbHapticsReport *report, benchRow *row) {
  int32_t first = 0;
  while (first < LB_HAPTICS_BINS - 1 && report->bins[first] == 0) first++;
  row->median = 1e6 * report->step_median;
  row->min = 1e6 * lb_haptics_bin_end(first);
  row->p99 = 1e6 * report->step_p99, row->max = 1e6 * report->step_worst;
  row->repeats = (int32_t)report->ticks;
  if (!b->fallback) row->paper = paper_step_us;
  snprintf(row->note, sizeof row->note, "p99 %.3g, p99.9 %.3g, max %.3g us, with contact%s%s",
           1e6 * report->step_p99, 1e6 * report->step_p999, 1e6 * report->step_worst,
           b->fallback ? "; " : "; paper: without contact, a bridge of 59 630 triangles",
           b->fallback ? b->fallback : "");
}

// Against the mean of the ticks around: what is left is faster than a hand.
static void describe_jitter(const HapticsBench *b, benchRow *row) {
  int64_t begin = (int64_t)rate_hz, end = b->tick - 1, count = 0;
  if (end > b->tick_count) end = b->tick_count;
  double mean = 0, squares = 0, jump = 0;
  for (int64_t i = begin + SMOOTH; i < end - SMOOTH; i++, count++) {
    double around = 0;
    for (int64_t k = i - SMOOTH; k <= i + SMOOTH; k++) around += b->forces[k] / (2 * SMOOTH + 1);
    mean += b->forces[i];
    squares += (b->forces[i] - around) * (b->forces[i] - around);
    jump = fmax(jump, fabs(b->forces[i + 1] - b->forces[i]));
  }
  row->repeats = (int32_t)count;
  mean = count ? mean / (double)count : 0;
  if (!(mean > 0)) {
    snprintf(row->note, sizeof row->note, "no force after the first second: make it longer");
    return;
  }
  bench_set_value(row, 100 * sqrt(squares / (double)count) / mean);
  snprintf(
      row->note, sizeof row->note,
      "standard deviation from the mean of 21 ticks, of the mean force of %.3g N; largest jump "
      "between ticks %.2g %%",
      mean, 100 * jump / mean);
}

static lbStatus describe(HapticsBench *b, lbError *err) {
  lbHapticsReport report;
  lb_haptics_report(b->haptics, &report);
  benchRow *row = bench_add(b->table, "haptics.step", parameters(b), "us");
  if (row) describe_steps(b, &report, row);
  row = bench_add(b->table, "haptics.jitter", parameters(b), "%");
  if (row) describe_jitter(b, row);
  row = bench_add(b->table, "haptics.missed", parameters(b), "ticks");
  if (!row) return lb_fail_memory(err);
  row->counts = true;
  bench_set_value(row, (double)report.missed);
  row->repeats = (int32_t)report.ticks;
  snprintf(
      row->note, sizeof row->note,
      "began more than a period late, %s real-time priority; %lld periods left out; the latest by "
      "%.3g ms; %lld ticks "
      "met a limit of the search",
      report.urgent ? "with" : "without", (long long)report.skipped, 1e3 * report.late,
      (long long)report.dropped);
  return LB_OK;
}

lbStatus bench_haptics(const char *mesh_path, const char *fixed_path, double seconds,
                       benchTable *table, lbError *err) {
  HapticsBench b = { .table = table, .tick_count = (int64_t)(seconds * rate_hz) };
  lbShapeDef shape = lb_shape_def("bridge");
  lbStatus status = lb_build_start(1, err);
  if (!status) status = bench_object_make(mesh_path, fixed_path, &shape, &b.object, err);
  if (!status) status = make_body(&b, err);
  if (!status) plan_walk(&b);
  if (!status) status = find_walk(&b, err);
  b.forces = lb_alloc((size_t)b.tick_count, sizeof(double));
  if (!status && !b.forces) status = lb_fail_memory(err);
  if (!status) status = make_loop(&b, err);
  if (!status) status = lb_haptics_start(b.haptics, err);
  bool started = !status;
  double until = lb_seconds() + seconds;
  while (!status && lb_seconds() < until) {
    struct timespec span = { 0, 50000000 };
    if (!lb_progress("haptics", 1 - (until - lb_seconds()) / seconds))
      status = lb_fail_interrupted(err, "haptics");
    nanosleep(&span, NULL);
  }
  if (started) lb_haptics_stop(b.haptics);
  if (!status) status = describe(&b, err);
  if (!status) status = bench_haptics_tool(0.5 * seconds, table, err);
  lb_haptics_destroy(b.haptics);
  lb_body_destroy(b.body);
  lb_model_destroy(b.model);
  lb_free(b.forces);
  bench_object_release(&b.object);
  return status;
}
