// The motion of an unreduced body as a recording: frames u_f of the reference simulator in the
// body's own axes, reduced to the few directions that hold them. With D the node masses,
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
  double error;        // relative, of what was left out
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

// The body alone, with its loads.
static lbStatus run_body(const lbScene *scene, int32_t index, const Recording *r, lbScene *alone,
                         lbSceneBody *body, lbRun **run, lbError *err) {
  *body = scene->bodies[index];
  *alone = *scene;
  alone->bodies = body;
  alone->body_count = 1;
  alone->probe_count = alone->load_count = 0;
  alone->loads = lb_alloc((size_t)scene->load_count, sizeof(lbSceneLoad));
  if (!alone->loads) return lb_fail_memory(err);
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

// World displacements -> those relative to the frame of a body that follows a motion, in the axes
// of its placement at t = 0.
static void take_out_motion(const lbSceneBody *body, const lbRun *run, size_t nodes, double *A) {
  const double *own = body->mesh->positions, *q0 = body->rotation;
  lbQuat placed = { q0[0], q0[1], q0[2], q0[3] };
  for (size_t f = 0; f < (size_t)run->frame_count && body->motion; f++) {
    lbPathState frame;
    lb_path_at(body->motion, run->frame_times[f], &frame);
    const double *q = frame.rotation;
    lbQuat turn = lb_quat_multiply(placed, (lbQuat){ -q[0], -q[1], -q[2], q[3] });
    for (size_t v = 0; v < nodes; v++) {
      double *u = A + 3 * (nodes * f + v), rest[3], carried[3];
      lb_scene_place(body, own + 3 * v, rest);
      lb_path_point(&frame, own + 3 * v, carried);
      lbVec3 x = lb_add(lb_vec3_load(rest), lb_vec3_load(u));
      lb_vec3_store(u, lb_quat_rotate(turn, lb_sub(x, lb_vec3_load(carried))));
    }
  }
}

// World displacements -> own axes, times the root of the node's mass.
static void prepare_frames(const lbSceneBody *body, const double *masses, size_t nodes,
                           size_t frames, double *A) {
  const double *q = body->rotation;
  lbQuat back = { -q[0], -q[1], -q[2], q[3] };
  for (size_t f = 0; f < frames; f++)
    for (size_t v = 0; v < nodes; v++) {
      double *u = A + 3 * (nodes * f + v);
      lb_vec3_store(u, lb_scale(sqrt(masses[v]), lb_quat_rotate(back, lb_vec3_load(u))));
    }
}

// ---- the directions ----------------------------------------------------------------------------

// How many of the largest eigenvalues (ascending) are needed.
static void choose_dimension(const double *values, Recording *r) {
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

static lbStatus allocate(Recording *r, size_t rows, lbError *err) {
  r->basis = lb_alloc((size_t)r->dimension, rows * sizeof(double));
  r->coordinates = lb_alloc((size_t)r->frames, (size_t)r->dimension * sizeof(double));
  return r->basis && r->coordinates ? LB_OK : lb_fail_memory(err);
}

// basis_k = D^-½ (D^½ A) v_k / s_k, coordinates (f, k) = s_k v_k[f]; largest first.
static void fill(Recording *r, const double *masses, size_t rows, const double *A, const double *V,
                 const double *values) {
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
  if (!status) choose_dimension(values, r);
  if (!status) status = allocate(r, rows, err);
  if (!status) fill(r, masses, rows, A, G, values);
  lb_free(G);
  lb_free(values);
  return status;
}

// ---- the model ---------------------------------------------------------------------------------

static lbStatus keep(const Recording *r, const lbScene *scene, lbModel **model, lbError *err) {
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

lbStatus lb_record_body(const lbScene *scene, int32_t index, lbModel **model, lbError *err) {
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
    take_out_motion(&body, run, nodes, run->bodies[0].displacements);
    prepare_frames(&body, masses, nodes, (size_t)r.frames, run->bodies[0].displacements);
    status = reduce_frames(&r, masses, nodes, run->bodies[0].displacements, err);
  }
  if (!status && r.error > LB_RECORDING_ERROR)
    lb_log(LB_LOG_WARNING,
           "%s: body \"%s\": the %d vectors of its recording leave out %.2g of its motion",
           scene->path, body.name, (int)r.dimension, r.error);
  if (!status) status = keep(&r, scene, model, err);
  lb_run_destroy(run);
  lb_free(alone.loads);
  lb_free(r.basis);
  lb_free(r.coordinates);
  return status;
}
