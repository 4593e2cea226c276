// What a run writes: probes as CSV, its motion as an animation or as a sequence of meshes.
#include "study/run_files.h"

#include "limber/file.h"
#include "arrayio/print.h"
#include "study/actor.h"

#include <math.h>
#include <string.h>

lbStatus lb_run_write_probes(const lbRun *run, const char *path, lbError *err) {
  lbFileWriter writer;
  lbStatus status = lb_file_begin(&writer, path, err);
  if (status) return status;
  size_t count = (size_t)run->scene->probe_count;
  fprintf(writer.stream, "t");
  for (size_t i = 0; i < count; i++) fprintf(writer.stream, ",dx,dy,dz");
  fprintf(writer.stream, "\n");
  for (int32_t row = 0; row <= run->step_count; row++) {
    lb_print_number(writer.stream, row * run->scene->time_step, 15);
    for (size_t k = 0; k < 3 * count; k++) {
      fputc(',', writer.stream);
      lb_print_number(writer.stream, run->probes[(size_t)row * 3 * count + k], 15);
    }
    fprintf(writer.stream, "\n");
  }
  return lb_file_commit(&writer, err);
}

// Up in the file: against gravity where that is along y, otherwise z.
char lb_run_up(const lbScene *scene) {
  const double *g = scene->gravity;
  return fabs(g[1]) > fabs(g[0]) && fabs(g[1]) > fabs(g[2]) ? 'y' : 'z';
}

static lbStatus check_run_frames(const lbRun *run, lbError *err) {
  if (run->frame_count > 0) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "the run has no frames, set lbRunDef.frame_rate");
}

// ---- placed meshes -----------------------------------------------------------------------------

// A mesh in the world: all of it is borrowed but the positions.
static lbStatus place_mesh(const lbSceneBody *body, const lbMesh *mesh, lbMesh *placed,
                           lbError *err) {
  size_t count = (size_t)mesh->vertex_count;
  double *positions = lb_alloc(count, 3 * sizeof(double));
  if (!positions) return lb_fail_memory(err);
  for (size_t v = 0; v < count; v++)
    lb_scene_place(body, mesh->positions + 3 * v, positions + 3 * v);
  *placed = *mesh;
  placed->positions = positions;
  return LB_OK;
}

// ---- animation ---------------------------------------------------------------------------------

typedef struct Part {     // what one body adds to an animation or a sequence
  lbMesh surface, volume; // placed; positions are owned
  double *positions;      // (frames x 3), the body's place
  double *rotations;      // (frames x 4)
  float *frames;          // in a sequence, in the world
  double *displacements;  // likewise
} Part;

static void release_parts(Part *parts, size_t count) {
  for (size_t i = 0; parts && i < count; i++) {
    lb_free(parts[i].surface.positions);
    lb_free(parts[i].volume.positions);
    lb_free(parts[i].positions);
    lb_free(parts[i].rotations);
    lb_free(parts[i].frames);
    lb_free(parts[i].displacements);
  }
  lb_free(parts);
}

// Where a body's axes are in each frame.
static lbStatus take_placements(const lbRun *run, const lbRunBody *body, Part *part, lbError *err) {
  size_t frames = (size_t)run->frame_count;
  part->positions = lb_alloc(frames, 3 * sizeof(double));
  part->rotations = lb_alloc(frames, 4 * sizeof(double));
  if (!part->positions || !part->rotations) return lb_fail_memory(err);
  for (size_t f = 0; f < frames; f++) {
    memcpy(part->positions + 3 * f, body->placements + 7 * f, 3 * sizeof(double));
    memcpy(part->rotations + 4 * f, body->placements + 7 * f + 3, 4 * sizeof(double));
  }
  return LB_OK;
}

static lbStatus fill_animation(const lbRun *run, size_t index, Part *part, lbAnimationBody *out,
                               lbError *err) {
  const lbSceneBody *source = &run->scene->bodies[index];
  const lbRunBody *body = &run->bodies[index];
  out->name = source->name;
  lbStatus status = take_placements(run, body, part, err);
  if (status) return status;
  out->surface = body->surface;
  out->frames = body->frames;
  out->shape_count = body->shape_count;
  out->shapes = body->shapes;
  out->coordinates = body->coordinates;
  out->positions = part->positions;
  out->rotations = part->rotations;
  return LB_OK;
}

static lbStatus write_targets(const lbRun *run, int32_t first, size_t count, const char *path,
                              double *max_error, lbError *err) {
  lbAnimationBody *bodies = lb_alloc(count, sizeof *bodies);
  lbAnimationInfo *info = lb_alloc(count, sizeof *info);
  Part *parts = lb_alloc(count, sizeof *parts);
  lbStatus status = bodies && info && parts ? check_run_frames(run, err) : lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++)
    status = fill_animation(run, (size_t)first + i, &parts[i], &bodies[i], err);
  lbAnimationDef def = lb_animation_def();
  def.frame_count = run->frame_count;
  def.times = run->frame_times;
  def.up = lb_run_up(run->scene);
  if (!status) status = lb_animation_write(path, bodies, (int32_t)count, &def, info, err);
  if (max_error) *max_error = 0;
  for (size_t i = 0; i < count && !status && max_error; i++)
    *max_error = fmax(*max_error, info[i].max_error);
  release_parts(parts, count);
  lb_free(bodies);
  lb_free(info);
  return status;
}

// Bodies of frames are written as joints where the linear blending of viewers is accurate.
static lbStatus write_run_animation(const lbRun *run, int32_t first, size_t count, const char *path,
                                    double *max_error, lbError *err) {
  lbStatus status = check_run_frames(run, err);
  if (!status && lb_run_has_joints(run, first, count)) {
    bool near = false;
    double error = 0;
    status = lb_run_write_skinned(run, first, count, path, &near, &error, err);
    if (!status && near)
      lb_log(LB_LOG_INFO, "%s: frames as joints, which viewers blend linearly: up to %.2g m off",
             path, error);
    if (!status && near && max_error) *max_error = error;
    if (status || near) return status;
    lb_log(LB_LOG_INFO,
           "%s: morph targets, since joints that viewers blend linearly would be up to %.2g m off",
           path, error);
  }
  return status ? status : write_targets(run, first, count, path, max_error, err);
}

lbStatus lb_run_write_animation(const lbRun *run, const char *path, double *max_error,
                                lbError *err) {
  return write_run_animation(run, 0, (size_t)run->body_count, path, max_error, err);
}

// ---- sequences ---------------------------------------------------------------------------------

// World displacements of every node in every frame: p + R (X + u), minus where it began; u = U q of
// a reduced body.
static lbStatus expand_volume(const lbRun *run, size_t index, Part *part, lbError *err) {
  const lbRunBody *body = &run->bodies[index];
  const lbSceneBody *source = &run->scene->bodies[index];
  const double *X = body->model->node_positions;
  lbModelMethod method = { 0 };
  if (body->coordinates) lb_model_method(body->model, source->method, &method);
  size_t values = 3 * (size_t)body->model->size.node_count, shapes = (size_t)body->shape_count;
  part->displacements = lb_alloc((size_t)run->frame_count, values * sizeof(double));
  if (!part->displacements) return lb_fail_memory(err);
  for (size_t f = 0; f < (size_t)run->frame_count; f++) {
    double *u = part->displacements + values * f;
    if (body->displacements) memcpy(u, body->displacements + values * f, values * sizeof *u);
    for (size_t k = 0; k < shapes; k++)
      for (size_t i = 0; i < values; i++)
        u[i] += method.basis[values * k + i] * body->coordinates[shapes * f + k];
    for (size_t i = 0; i < values; i += 3) {
      double rest[3], own[3];
      lb_scene_place(source, X + i, rest);
      lb_vec3_store(own, lb_add(lb_vec3_load(X + i), lb_vec3_load(u + i)));
      lb_run_place(body, (int32_t)f, own, u + i);
      for (size_t k = 0; k < 3; k++) u[i + k] -= rest[k];
    }
  }
  return LB_OK;
}

// The frames of a body in its own axes, and where those are.
static lbStatus expand_local(const lbRun *run, size_t index, Part *part, lbError *err) {
  const lbRunBody *body = &run->bodies[index];
  size_t frames = (size_t)run->frame_count, shapes = (size_t)body->shape_count;
  size_t values = 3 * (size_t)body->surface->vertex_count;
  double *x = lb_alloc(values, sizeof *x);
  part->frames = lb_alloc(frames, values * sizeof(float));
  lbStatus status = x && part->frames ? take_placements(run, body, part, err) : lb_fail_memory(err);
  for (size_t f = 0; f < frames && !status; f++) {
    memcpy(x, body->surface->positions, values * sizeof *x);
    for (size_t k = 0; k < shapes; k++) {
      double q = body->coordinates[shapes * f + k];
      for (size_t i = 0; i < values; i++) x[i] += body->shapes[values * k + i] * q;
    }
    for (size_t i = 0; i < values; i++)
      part->frames[values * f + i] = body->frames ? body->frames[values * f + i] : (float)x[i];
  }
  lb_free(x);
  return status;
}

static lbStatus expand_surface(const lbRun *run, size_t index, Part *part, lbError *err) {
  size_t values = 3 * (size_t)run->bodies[index].surface->vertex_count;
  part->frames = lb_alloc((size_t)run->frame_count, values * sizeof(float));
  if (!part->frames) return lb_fail_memory(err);
  for (int32_t f = 0; f < run->frame_count; f++)
    lb_run_frame(run, (int32_t)index, f, part->frames + values * (size_t)f);
  return LB_OK;
}

static lbStatus fill_sequence(const lbRun *run, size_t index, lbExportFormat format, Part *part,
                              lbSequenceBody *out, lbError *err) {
  const lbSceneBody *source = &run->scene->bodies[index];
  const lbRunBody *body = &run->bodies[index];
  bool volume = format == LB_EXPORT_PVD || format == LB_EXPORT_VTU;
  out->name = source->name;
  if (format == LB_EXPORT_USDA) {
    lbStatus status = expand_local(run, index, part, err);
    out->surface = body->surface;
    out->frames = part->frames;
    out->positions = part->positions;
    out->rotations = part->rotations;
    return status;
  }
  if (volume && body->volume) {
    lbStatus status = place_mesh(source, body->volume, &part->volume, err);
    if (!status) status = expand_volume(run, index, part, err);
    out->volume = &part->volume;
    out->displacements = part->displacements;
    return status;
  }
  lbStatus status = place_mesh(source, body->surface, &part->surface, err);
  if (!status) status = expand_surface(run, index, part, err);
  out->surface = &part->surface;
  out->frames = part->frames;
  return status;
}

lbStatus lb_run_write_sequence(const lbRun *run, int32_t body, const char *path, lbError *err) {
  lbExportFormat format;
  lbStatus status = lb_export_format(path, &format, err);
  if (!status) status = check_run_frames(run, err);
  if (status) return status;
  int32_t first = body < 0 ? 0 : body;
  size_t count = body < 0 ? (size_t)run->body_count : 1;
  if (format == LB_EXPORT_GLB) return write_run_animation(run, first, count, path, NULL, err);
  lbSequenceBody *bodies = lb_alloc(count, sizeof *bodies);
  Part *parts = lb_alloc(count, sizeof *parts);
  status = bodies && parts ? LB_OK : lb_fail_memory(err);
  for (size_t i = 0; i < count && !status; i++)
    status = fill_sequence(run, (size_t)first + i, format, &parts[i], &bodies[i], err);
  lbSequenceDef def = lb_sequence_def();
  def.frame_count = run->frame_count;
  def.times = run->frame_times;
  def.frame_rate = run->frame_rate;
  def.up = lb_run_up(run->scene);
  if (!status) status = lb_sequence_write(path, bodies, (int32_t)count, &def, err);
  release_parts(parts, count);
  lb_free(bodies);
  return status;
}
