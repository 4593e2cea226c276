// limber bench edit: a drag event, from the handle's new place to the new surface, and how far the
// reduced poses of the four classic scenes are from the unreduced ones, beside von Tycowicz et al.
// 2013 (Table 2).
#include "bench/bench.h"

#include "limber/edit.h"
#include "limber/pose.h"
#include "limber/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SEGMENTS = 600, EVENTS = 60, MODES = 15 };

// ---- a drag event ------------------------------------------------------------------------------

typedef struct Drag {
  lbBody *body;
  lbEditor *editor;
  int32_t handle, event;
  double *positions;
  int32_t iterations;
  double left; // m, the most
  lbStatus status;
} Drag;

static void drag_once(void *context) {
  Drag *d = context;
  lbEditResult result = { 0 };
  lbHandleMotion motion = lb_editor_rest_motion(d->editor, d->handle);
  double t = 2 * LB_PI * (d->event++ % EVENTS) / EVENTS; // a round trip of a second at 60 Hz
  motion.translate = lb_vec3(0.25 * sin(t), 0.1 * sin(2 * t), 0.05 * (cos(t) - 1));
  motion.rotation = lb_vec3(0, 0.5 * sin(t), 0.6 * sin(2 * t));
  lbStatus status = lb_editor_move_handle(d->editor, d->handle, &motion, NULL);
  if (!status) status = lb_editor_follow(d->editor, &result, NULL);
  lb_body_surface(d->body, d->positions);
  d->iterations += result.iterations;
  d->left = fmax(d->left, result.left);
  if (status) d->status = status;
}

// elements: of the cubature; 0: polynomials.
static lbStatus make_model(int32_t r, int32_t elements, lbModel **out, lbError *err) {
  lbShapeDef shape = lb_shape_def("cylinder");
  shape.element = LB_ELEMENT_BRICK8;
  shape.segments = SEGMENTS;
  benchObject object = { 0 };
  lbMesh *surface = NULL;
  lbEmbedding *embedding = NULL;
  lbStatus status = bench_object_make(NULL, NULL, &shape, &object, err);
  if (!status) status = lb_shape_surface(&shape, &surface, err);
  if (!status)
    status = lb_mesh_embed(object.mesh, surface->positions, surface->vertex_count, &embedding, err);
  lbSubspaceDef def = lb_subspace_def();
  def.basis.mode_count = MODES;
  def.basis.dimension = r;
  if (elements > 0) {
    def.forces = LB_FORCES_CUBATURE;
    def.cubature.element_limit = elements;
    def.cubature.error = 0;
  }
  lbReduceDef reduce = lb_reduce_def();
  reduce.surface = surface;
  reduce.embedding = embedding;
  if (!status) status = lb_reduce_subspace(object.mesh, object.fem, &reduce, &def, out, err);
  lb_embedding_destroy(embedding);
  lb_mesh_destroy(surface);
  bench_object_release(&object);
  return status;
}

// The top of the body as a handle.
static lbStatus add_top(const lbModel *model, Drag *d, lbError *err) {
  lbHandleDef def = lb_handle_def();
  lbPoint *points = lb_alloc((size_t)model->size.vertex_count, sizeof *points);
  if (!points) return lb_fail_memory(err);
  for (int32_t v = 0; v < model->size.vertex_count; v++)
    if (model->vertex_positions[3 * (size_t)v + 2] > 0.9)
      points[def.point_count++] = lb_point_vertex(v);
  def.name = "top";
  def.points = points;
  lbStatus status = lb_editor_add_handle(d->editor, &def, &d->handle, err);
  lb_free(points);
  return status;
}

static lbStatus bench_step(int32_t r, int32_t elements, benchTable *table, lbError *err) {
  lbModel *model = NULL;
  Drag d = { 0 };
  lbBodyDef body = lb_body_def();
  lbEditorDef editor = lb_editor_def();
  body.method = LB_METHOD_SUBSPACE;
  lbStatus status = make_model(r, elements, &model, err);
  if (!status) status = lb_body_create(model, &body, &d.body, err);
  if (!status) status = lb_editor_create(d.body, &editor, &d.editor, err);
  if (!status) status = add_top(model, &d, err);
  if (!status) {
    d.positions = lb_alloc((size_t)model->size.vertex_count, 3 * sizeof(double));
    if (!d.positions) status = lb_fail_memory(err);
  }
  benchRow *row = NULL;
  if (!status) {
    row = bench_add(table, "edit.step",
                    json_pack("{s:i, s:i, s:i}", "r", (int)r, "elements", (int)elements,
                              "triangles", (int)model->size.triangle_count),
                    "ms");
    if (!row) status = lb_fail_memory(err);
  }
  if (!status) {
    bench_time(row, 1e3, drag_once, &d);
    snprintf(row->note, sizeof row->note,
             "a drag event to the new surface; asked: at most 33 ms; %.1f iterations, after which "
             "the shape of 1 m has at most %.1e m to go",
             (double)d.iterations / d.event, d.left);
    if (d.status) status = lb_fail(err, d.status, "bench edit: a drag event failed");
  }
  lb_free(d.positions);
  lb_editor_destroy(d.editor);
  lb_body_destroy(d.body);
  lb_model_destroy(model);
  return status;
}

// ---- poses -------------------------------------------------------------------------------------

static const struct {
  const char *scene, *script;
  double paper; // modal derivatives, d = 93
} poses[] = { { "bar", "bar-twist", 0.0113 },
              { "cactus", "cactus-bend", 0.0057 },
              { "cylinder", "cylinder-bend-twist", 0.0080 },
              { "plate", "plate-lift", 0.0136 } };

// Root of the mean square of the difference over the nodes, by their masses, over the diagonal.
static double pose_error(const lbPose *a, const lbPose *b) {
  const lbModel *m = a->model;
  double sum = 0, mass = 0, low[3], high[3], diagonal = 0;
  for (int i = 0; i < 3; i++) low[i] = INFINITY, high[i] = -INFINITY;
  for (size_t n = 0; n < (size_t)m->size.node_count; n++) {
    mass += m->node_masses[n];
    for (size_t i = 0; i < 3; i++) {
      double off = a->displacements[3 * n + i] - b->displacements[3 * n + i];
      sum += m->node_masses[n] * off * off;
      low[i] = fmin(low[i], m->node_positions[3 * n + i]);
      high[i] = fmax(high[i], m->node_positions[3 * n + i]);
    }
  }
  for (int i = 0; i < 3; i++) diagonal += (high[i] - low[i]) * (high[i] - low[i]);
  return sqrt(sum / mass / diagonal);
}

static lbStatus bench_pose(const char *folder, size_t which, benchTable *table, lbError *err) {
  char scene_path[4200], script_path[4200];
  lbScene *scene = NULL;
  lbPose *reduced = NULL, *full = NULL;
  lbPoseDef def = lb_pose_def();
  snprintf(scene_path, sizeof scene_path, "%s/poses/%s.json", folder, poses[which].scene);
  snprintf(script_path, sizeof script_path, "%s/poses/%s.json", folder, poses[which].script);
  def.script.path = script_path;
  lbStatus status = lb_scene_load(scene_path, NULL, &scene, err);
  double start = bench_seconds(), full_seconds = 0;
  if (!status) status = lb_pose(scene, 0, &def, &reduced, err);
  def.method = LB_METHOD_FULL;
  start = bench_seconds();
  if (!status) status = lb_pose(scene, 0, &def, &full, err);
  full_seconds = bench_seconds() - start;
  benchRow *row =
      status ? NULL
             : bench_add(table, "edit.pose",
                         json_pack("{s:s, s:i, s:i}", "pose", poses[which].script, "r",
                                   (int)reduced->dimension, "unknowns", (int)full->dimension),
                         "1");
  if (!status && !row) status = lb_fail_memory(err);
  if (!status) {
    bench_set_value(row, pose_error(reduced, full));
    row->repeats = 1;
    row->paper = poses[which].paper;
    snprintf(row->note, sizeof row->note,
             "L2 distance from the unreduced pose over the diagonal; elastic energy %.4g J, "
             "unreduced %.4g J in %d Newton steps, %.2g s; paper: modal derivatives, d = 93",
             reduced->energy, full->energy, (int)full->iterations, full_seconds);
  }
  lb_pose_destroy(reduced);
  lb_pose_destroy(full);
  lb_scene_destroy(scene);
  return status;
}

lbStatus bench_edit(const char *scenes, benchTable *table, lbError *err) {
  lbStatus status = bench_step(30, 0, table, err);
  if (!status) status = bench_step(60, 0, table, err);
  if (!status) status = bench_step(135, 150, table, err);
  for (size_t i = 0; i < sizeof poses / sizeof *poses && !status; i++)
    status = bench_pose(scenes, i, table, err);
  return status;
}
