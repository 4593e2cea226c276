// The motion of an unreduced body as a recording: frames u_f of the reference simulator in the
// body's own axes (of a free body in those of the frame that is fitted to it), reduced to the few
// directions that hold them. With D the node masses,
//
//   G = Aᵀ D A = V S² Vᵀ,   A = (u_0 u_1 ...),   U = A V S⁻¹,   q_f = S Vᵀ e_f,
//
// as many of the largest S as leave out no more than LB_RECORDING_ERROR of |A| in the norm of D.
#include "study/recording.h"

#include "limber/math.h"
#include "limber/run.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Recording {
  int32_t stride;      // steps from frame to frame
  int32_t frames;      //
  double rate;         // Hz
  int32_t dimension;   // vectors
  double error;        // relative, of the vectors left out
  double *basis;       // (dimension x 3 nodes)
  double *coordinates; // (frames x dimension)
} Recording;

// ---- the run -----------------------------------------------------------------------------------

static lbStatus plan(const lbScene *scene, const lbSceneBody *body, Recording *r, lbError *err) {
  double stride = fmax(1, ceil(1 / (LB_RECORDING_RATE * scene->time_step) - 1e-9));
  if (scene->step_count == 0)
    return lb_fail(
        err, LB_ERR_ARGUMENT,
        "%s: body \"%s\" has the method \"full\", whose motion is recorded, but the scene "
        "has no steps: give it \"time\": { \"count\": ... }",
        scene->path, body->name);
  if (stride > 1e6)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: steps of %g s are too short to be recorded",
                   scene->path, scene->time_step);
  r->stride = (int32_t)stride;
  r->frames = 1 + (scene->step_count - 1) / r->stride + 1;
  if (r->frames > INT32_MAX / r->stride)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: %d steps are too many to be recorded", scene->path,
                   (int)scene->step_count);
  r->rate = 1 / (r->stride * scene->time_step);
  return LB_OK;
}

// The body alone, with its loads and attachments.
static lbStatus run_body(const lbScene *scene, int32_t index, const Recording *r, lbScene *alone,
                         lbSceneBody *body, lbRun **run, lbError *err) {
  *body = scene->bodies[index];
  body->twin = -1;
  *alone = *scene;
  alone->bodies = body;
  alone->body_count = 1;
  alone->probe_count = alone->load_count = alone->attachment_count = 0;
  alone->attachments = lb_alloc((size_t)scene->attachment_count, sizeof(lbSceneAttachment));
  alone->loads = lb_alloc((size_t)scene->load_count, sizeof(lbSceneLoad));
  if (!alone->loads || !alone->attachments) return lb_fail_memory(err);
  for (int32_t i = 0; i < scene->attachment_count; i++) {
    if (scene->attachments[i].body != index) continue;
    alone->attachments[alone->attachment_count] = scene->attachments[i];
    alone->attachments[alone->attachment_count++].body = 0;
  }
  for (int32_t i = 0; i < scene->load_count; i++) {
    if (scene->loads[i].body != index) continue;
    alone->loads[alone->load_count] = scene->loads[i];
    alone->loads[alone->load_count++].body = 0;
  }
  lbRunDef def = lb_run_def();
  def.step_count = (r->frames - 1) * r->stride;
  def.frame_rate = r->rate;
  def.volume_frames = true;
  lbStatus status = lb_run(alone, &def, run, err);
  if (!status && (*run)->bodies[0].nonfinite_count)
    lb_log(LB_LOG_WARNING, "%s: body \"%s\": %d of the recorded steps found no finite state",
           scene->path, body->name, (int)(*run)->bodies[0].nonfinite_count);
  return status;
}

// Displacements times the roots of the nodes' masses.
static void weigh_frames(const double *masses, size_t nodes, size_t frames, double *A) {
  for (size_t f = 0; f < frames; f++)
    for (size_t v = 0; v < nodes; v++)
      for (size_t i = 0; i < 3; i++) A[3 * (nodes * f + v) + i] *= sqrt(masses[v]);
}

// Slopes of rows of keys that are `step` seconds apart: central differences, one-sided ones of
// second order at the ends. (keys x 2 x width): the one that arrives and the one that leaves are
// the same.
static void fill_slopes(const double *rows, size_t count, size_t width, double step, double *to) {
  for (size_t k = 0; k < count * width; k++) {
    size_t f = k / width, last = count - 1;
    const double *x = rows + k;
    const ptrdiff_t w = (ptrdiff_t)width;
    double slope = 0;
    if (count == 2) slope = f == 0 ? x[w] - x[0] : x[0] - x[-w];
    if (count > 2 && f == 0) slope = -1.5 * x[0] + 2 * x[w] - 0.5 * x[2 * w];
    if (count > 2 && f == last) slope = 1.5 * x[0] - 2 * x[-w] + 0.5 * x[-2 * w];
    if (count > 2 && f > 0 && f < last) slope = 0.5 * (x[w] - x[-w]);
    to[width * (f + f) + k % width] = to[width * (f + f + 1) + k % width] = slope / step;
  }
}

// Where the frame of a free body goes, as a path.
static lbStatus keep_recording_path(const lbRun *run, double rate, lbPath **out, lbError *err) {
  size_t count = (size_t)run->frame_count;
  const double *placements = run->bodies[0].placements;
  double *rows = lb_alloc(count, (3 + 4 + 6 + 8) * sizeof(double));
  if (!rows) return lb_fail_memory(err);
  double *positions = rows, *rotations = rows + 3 * count;
  double *slopes = rotations + 4 * count, *turns = slopes + 6 * count;
  for (size_t f = 0; f < count; f++) {
    double *q = rotations + 4 * f, sign = 1;
    memcpy(positions + 3 * f, placements + 7 * f, 3 * sizeof(double));
    memcpy(q, placements + 7 * f + 3, 4 * sizeof(double));
    if (f > 0 && q[0] * q[-4] + q[1] * q[-3] + q[2] * q[-2] + q[3] * q[-1] < 0) sign = -1;
    for (int i = 0; i < 4; i++) q[i] *= sign;
  }
  fill_slopes(positions, count, 3, 1 / rate, slopes);
  fill_slopes(rotations, count, 4, 1 / rate, turns);
  lbPathDef def = lb_path_def();
  def.key_count = run->frame_count;
  def.times = run->frame_times;
  def.positions = positions;
  def.rotations = rotations;
  def.position_tangents = slopes;
  def.rotation_tangents = turns;
  def.interpolation = LB_PATH_CUBIC;
  lbStatus status = lb_path_create(&def, out, err);
  lb_free(rows);
  return status;
}

// ---- the directions ----------------------------------------------------------------------------

// How many of the largest eigenvalues (ascending) are needed.
static void choose_recording_dimension(const double *values, Recording *r) {
  double all = 0, left = 0;
  for (int32_t i = 0; i < r->frames; i++) all += fmax(values[i], 0);
  int32_t dropped = 0;
  while (dropped < r->frames - 1) {
    double more = left + fmax(values[dropped], 0);
    bool small = more <= LB_RECORDING_ERROR * LB_RECORDING_ERROR * all;
    if (!small && r->frames - dropped <= LB_RECORDING_VECTORS) break;
    left = more;
    dropped++;
  }
  r->dimension = r->frames - dropped;
  r->error = all > 0 ? sqrt(left / all) : 0;
}

static lbStatus allocate_recording(Recording *r, size_t rows, lbError *err) {
  r->basis = lb_alloc((size_t)r->dimension, rows * sizeof(double));
  r->coordinates = lb_alloc((size_t)r->frames, (size_t)r->dimension * sizeof(double));
  return r->basis && r->coordinates ? LB_OK : lb_fail_memory(err);
}

// basis_k = D^-½ (D^½ A) v_k / s_k, coordinates (f, k) = s_k v_k[f]; largest first.
static void fill_recorded_basis(Recording *r, const double *masses, size_t rows, const double *A,
                                const double *V, const double *values) {
  size_t frames = (size_t)r->frames, dimension = (size_t)r->dimension;
  for (size_t k = 0; k < dimension; k++) {
    const double *v = V + (frames - 1 - k) * frames;
    double s = sqrt(fmax(values[frames - 1 - k], 0)), *U = r->basis + rows * k;
    if (!(s > 0)) continue; // nothing moves
    lb_dense_multiply_vector(LB_PLAIN, (int32_t)rows, (int32_t)frames, 1 / s, A, v, 0, U);
    for (size_t i = 0; i < rows; i++) U[i] = masses[i / 3] > 0 ? U[i] / sqrt(masses[i / 3]) : 0;
    for (size_t f = 0; f < frames; f++) r->coordinates[f * dimension + k] = s * v[f];
  }
}

static lbStatus reduce_frames(Recording *r, const double *masses, size_t nodes, const double *A,
                              lbError *err) {
  size_t frames = (size_t)r->frames, rows = 3 * nodes;
  double *G = lb_alloc(frames, frames * sizeof *G), *values = lb_alloc(frames, sizeof *values);
  lbStatus status = G && values && rows <= INT32_MAX ? LB_OK : lb_fail_memory(err);
  if (!status && !lb_progress("recording", 0)) status = lb_fail_interrupted(err, "recording");
  if (!status) {
    lb_dense_gram((int32_t)rows, r->frames, A, G);
    status = lb_dense_eigen(r->frames, G, values, err);
  }
  if (!status) choose_recording_dimension(values, r);
  if (!status) status = allocate_recording(r, rows, err);
  if (!status) fill_recorded_basis(r, masses, rows, A, G, values);
  lb_free(G);
  lb_free(values);
  return status;
}

// ---- the model ---------------------------------------------------------------------------------

static lbStatus keep_recording(const Recording *r, const lbScene *scene, lbModel **model,
                               lbError *err) {
  char line[200];
  snprintf(line, sizeof line,
           "recording: full, %d steps of %g s, %d vectors leave out %.2g of the motion\n",
           (int)((r->frames - 1) * r->stride), scene->time_step, (int)r->dimension, r->error);
  size_t bytes = strlen((*model)->provenance) + strlen(line) + 1;
  char *provenance = lb_alloc(bytes, 1);
  if (!provenance) return lb_fail_memory(err);
  snprintf(provenance, bytes, "%s%s", (*model)->provenance, line);
  lbModel draft = **model, *made = NULL;
  draft.provenance = provenance;
  draft.size.recording_dimension = r->dimension;
  draft.size.recording_frames = r->frames;
  draft.recording_basis = r->basis;
  draft.recording_coordinates = r->coordinates;
  draft.recording_rate = &r->rate;
  lbStatus status = lb_model_create(&draft, &made, err);
  lb_free(provenance);
  if (status) return status;
  lb_model_destroy(*model);
  *model = made;
  return LB_OK;
}

lbStatus lb_record_body(const lbScene *scene, int32_t index, lbModel **model, lbPath **path,
                        lbError *err) {
  Recording r = { 0 };
  lbScene alone = { 0 };
  lbSceneBody body;
  lbRun *run = NULL;
  size_t nodes = (size_t)(*model)->size.node_count;
  const double *masses = (*model)->node_masses;
  lbStatus status = plan(scene, &scene->bodies[index], &r, err);
  if (!status) status = run_body(scene, index, &r, &alone, &body, &run, err);
  if (!status) {
    LB_ASSERT(run->frame_count == r.frames);
    weigh_frames(masses, nodes, (size_t)r.frames, run->bodies[0].displacements);
    status = reduce_frames(&r, masses, nodes, run->bodies[0].displacements, err);
  }
  if (!status && r.error > LB_RECORDING_ERROR)
    lb_log(LB_LOG_WARNING,
           "%s: body \"%s\": the %d vectors of its recording leave out %.2g of its motion",
           scene->path, body.name, (int)r.dimension, r.error);
  if (!status && lb_model_is_free(*model)) status = keep_recording_path(run, r.rate, path, err);
  if (!status) status = keep_recording(&r, scene, model, err);
  lb_run_destroy(run);
  lb_free(alone.loads);
  lb_free(alone.attachments);
  lb_free(r.basis);
  lb_free(r.coordinates);
  return status;
}
