// "weights" of "frames" that are painted: a file with those of every vertex, or the skin of a rig.
#include "scene/body.h"

#include "limber/file.h"
#include "arrayio/npy.h"

#include <math.h>

#define SUM_OFF 0.01 // of the weights of a vertex from 1, as for rigs

static lbStatus read_weight_array(const lbField *file, lbNpy **out, lbError *err) {
  char *path = NULL, *content = NULL;
  size_t bytes;
  lbStatus status = lb_field_file(file, &path, err);
  if (!status) status = lb_file_read(path, &content, &bytes, err);
  if (!status) status = lb_npy_parse(path, content, bytes, out, err);
  lb_free(path);
  lb_free(content);
  return status;
}

static lbStatus take_weight_row(const lbField *file, const lbNpy *array, size_t vertex, double *row,
                                lbError *err) {
  size_t columns = array->shape[1];
  double sum = 0;
  for (size_t k = 0; k < columns; k++) {
    row[k] = array->values[vertex * array->stride[0] + k * array->stride[1]];
    if (!(row[k] >= 0 && isfinite(row[k])))
      return lb_field_fail(file, err,
                           "vertex %zu has the weight %g for frame %zu, it must be 0 or more",
                           vertex, row[k], k);
    sum += row[k];
  }
  if (sum == 0) return lb_field_fail(file, err, "all weights of vertex %zu are 0", vertex);
  if (fabs(sum - 1) > SUM_OFF)
    return lb_field_fail(file, err, "the weights of vertex %zu sum to %g, not to 1", vertex, sum);
  for (size_t k = 0; k < columns; k++) row[k] /= sum;
  return LB_OK;
}

static lbStatus take_rows(const lbField *file, const lbNpy *array, lbSceneBody *body,
                          lbError *err) {
  const lbMesh *mesh = body->surface_ids ? body->surface : body->mesh;
  size_t rows = (size_t)mesh->vertex_count, columns = (size_t)body->frames.count;
  size_t joints = (size_t)body->frames.joint_count;
  bool fits = array->axis_count == 2 && array->shape[0] == rows &&
              (array->shape[1] == columns || (joints > 0 && array->shape[1] == joints));
  if (!fits)
    return lb_field_fail(file, err,
                         "has %zu x %zu weights, there must be %zu x %zu: a row a vertex, a column "
                         "a frame",
                         array->shape[0], array->shape[1], rows, columns);
  columns = array->shape[1];
  body->frame_weights = lb_alloc(rows * columns, sizeof *body->frame_weights);
  lbStatus status = body->frame_weights ? LB_OK : lb_fail_memory(err);
  for (size_t v = 0; v < rows && !status; v++)
    status = take_weight_row(file, array, v, body->frame_weights + v * columns, err);
  body->frames.painted_mesh = mesh;
  body->frames.painted_count = (int32_t)columns;
  body->frames.painted_weights = body->frame_weights;
  return status;
}

lbStatus lb_scene_read_painted_frames(const lbField *json, lbSceneBody *body, lbError *err) {
  lbField own = lb_field_member(json, "frames");
  lbField weights = lb_field_here(&own) ? lb_field_member(&own, "weights") : own;
  if (!lb_field_here(&weights) || !json_is_object(weights.value)) return LB_OK;
  lbField file = lb_field_member(&weights, "file");
  lbNpy *array = NULL;
  lbStatus status = read_weight_array(&file, &array, err);
  if (!status) status = take_rows(&file, array, body, err);
  lb_npy_destroy(array);
  return status;
}

lbStatus lb_scene_take_skin(const lbRig *rig, lbMesh *mesh, lbSceneBody *body, lbError *err) {
  size_t rows = (size_t)rig->vertex_count, columns = (size_t)rig->joint_count;
  body->frame_weights = lb_alloc(rows * columns, sizeof *body->frame_weights);
  if (!body->frame_weights) return lb_fail_memory(err);
  for (size_t v = 0; v < rows; v++)
    for (int32_t k = rig->begin[v]; k < rig->begin[v + 1]; k++)
      body->frame_weights[v * columns + (size_t)rig->vertex_joints[k]] += rig->weights[k];
  body->painted_mesh = mesh;
  body->frames.painted_mesh = mesh;
  body->frames.painted_count = rig->joint_count;
  body->frames.painted_weights = body->frame_weights;
  return LB_OK;
}
