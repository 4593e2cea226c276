// From weights at vertices to weights at voxels.
#include "reduce/painted.h"

#include "reduce/laplace.h"

#include <string.h>

#define ALONE 1e6 // voxels: the reach of the one frame of a part, all of it

enum { PARTS_MOST = 64, CORNERS_MOST = 8 }; // of an edge; of an element

typedef struct Job {
  const lbVoxels *voxels;
  const lbPainting *painting;
  lbWeights *field; // sums, then means
  double *count;    // (voxels) points that are summed
  bool *known;      // (voxels)
} Job;

// ---- points of elements ------------------------------------------------------------------------

typedef struct Element {
  int corner_count; // 3, 4 or 8
  lbVec3 corners[CORNERS_MOST];
  const double *weights[CORNERS_MOST];
} Element;

static bool is_painted(const lbPainting *painting, int32_t vertex) {
  const double *w = painting->weights + (size_t)vertex * (size_t)painting->columns;
  for (int32_t k = 0; k < painting->columns; k++)
    if (w[k] > 0) return true;
  return false;
}

static bool take_element(const Job *job, const int32_t *vertices, int corner_count, Element *e) {
  const lbPainting *painting = job->painting;
  e->corner_count = corner_count;
  for (int i = 0; i < corner_count; i++) {
    size_t v = (size_t)vertices[i];
    if (!is_painted(painting, vertices[i])) return false;
    e->corners[i] = lb_vec3_load(painting->mesh->positions + 3 * v);
    e->weights[i] = painting->weights + v * (size_t)painting->columns;
  }
  return true;
}

// parts (corners): shares of the corners at a point, sum 1.
static void add_painted_point(Job *job, const Element *e, const double *parts) {
  lbVec3 x = lb_vec3(0, 0, 0);
  size_t stride = (size_t)job->voxels->count;
  for (int i = 0; i < e->corner_count; i++) x = lb_add_scaled(x, parts[i], e->corners[i]);
  int32_t voxel = lb_voxels_nearest(job->voxels, x, NULL);
  job->count[voxel] += 1;
  for (int32_t k = 0; k < job->painting->columns; k++) {
    double w = 0;
    for (int i = 0; i < e->corner_count; i++) w += parts[i] * e->weights[i][k];
    job->field->weights[(size_t)k * stride + (size_t)voxel] += w;
  }
}

static int parts_of(const Job *job, const Element *e) {
  double longest = 0;
  for (int i = 0; i < e->corner_count; i++)
    for (int j = 0; j < i; j++)
      longest = fmax(longest, lb_length(lb_sub(e->corners[i], e->corners[j])));
  return 1 + (int)fmin(2 * longest / job->voxels->grid->cell, PARTS_MOST - 1);
}

// Points (i, j, k) / n of a triangle (k = 0) or a tet, by its barycentric coordinates.
static void add_simplex(Job *job, const Element *e) {
  int n = parts_of(job, e);
  for (int i = 0; i <= n; i++)
    for (int j = 0; i + j <= n; j++)
      for (int k = 0; k <= (e->corner_count == 4 ? n - i - j : 0); k++) {
        double u = (double)i / n, v = (double)j / n, w = (double)k / n;
        const double parts[4] = { 1 - u - v - w, u, v, w };
        add_painted_point(job, e, parts);
      }
}

static void add_brick(Job *job, const Element *e) {
  int n = parts_of(job, e);
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= n; j++)
      for (int k = 0; k <= n; k++) {
        double u = (double)i / n, v = (double)j / n, w = (double)k / n;
        const double parts[8] = { (1 - u) * (1 - v) * (1 - w),
                                  u * (1 - v) * (1 - w),
                                  u * v * (1 - w),
                                  (1 - u) * v * (1 - w),
                                  (1 - u) * (1 - v) * w,
                                  u * (1 - v) * w,
                                  u * v * w,
                                  (1 - u) * v * w };
        add_painted_point(job, e, parts);
      }
}

static void add_painted_mesh(Job *job) {
  const lbMesh *mesh = job->painting->mesh;
  Element e;
  for (int32_t i = 0; i < mesh->tet_count; i++)
    if (take_element(job, mesh->tets + 4 * (size_t)i, 4, &e)) add_simplex(job, &e);
  for (int32_t i = 0; i < mesh->brick_count; i++)
    if (take_element(job, mesh->bricks + 8 * (size_t)i, 8, &e)) add_brick(job, &e);
  if (mesh->tet_count + mesh->brick_count > 0) return;
  for (int32_t i = 0; i < mesh->triangle_count; i++)
    if (take_element(job, mesh->triangles + 3 * (size_t)i, 3, &e)) add_simplex(job, &e);
}

// ---- voxels ------------------------------------------------------------------------------------

static lbStatus check_painted_parts(const Job *job, lbError *err) {
  const lbVoxels *voxels = job->voxels;
  for (int32_t part = 0; part < voxels->part_count; part++) {
    int32_t first = -1;
    bool reached = false;
    for (int32_t v = 0; v < voxels->count && !reached; v++) {
      if (voxels->parts[v] != part) continue;
      if (first < 0) first = v;
      reached = job->known[v];
    }
    lbVec3 at = lb_voxels_centre(voxels, first);
    if (!reached)
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "painted weights: the part of the object at %g %g %g has none", at.x, at.y,
                     at.z);
  }
  return LB_OK;
}

static lbStatus fill_voxels(Job *job, lbError *err) {
  size_t voxels = (size_t)job->voxels->count;
  lbLaplaceDef def = { .voxels = job->voxels, .known = job->known };
  add_painted_mesh(job);
  for (size_t v = 0; v < voxels; v++) {
    job->known[v] = job->count[v] > 0;
    for (size_t k = 0; k < (size_t)job->painting->columns && job->known[v]; k++)
      job->field->weights[k * voxels + v] /= job->count[v];
  }
  lbStatus status = check_painted_parts(job, err);
  return status ? status : lb_laplace_solve(&def, job->painting->columns, job->field->weights, err);
}

// ---- frames beyond the painted ones ------------------------------------------------------------

// `room` (voxels): distances, then the bump.
static lbStatus add_painted_frame(Job *job, int32_t frame, const double *positions,
                                  const int32_t *homes, double *room, lbError *err) {
  size_t voxels = (size_t)job->voxels->count;
  lbVec3 place = lb_vec3_load(positions + 3 * (size_t)frame);
  double nearest = INFINITY;
  lbStatus status = lb_voxels_distances(job->voxels, place, homes[frame], INFINITY, room, err);
  for (int32_t i = 0; i < job->field->frame_count && !status; i++)
    if (i != frame) nearest = fmin(nearest, room[homes[i]]);
  nearest = fmax(nearest, 2 * job->voxels->grid->cell);
  if (isinf(nearest)) nearest = ALONE * job->voxels->grid->cell;
  if (!status) status = lb_weight_bump(job->voxels, place, homes[frame], nearest, room, NULL, err);
  for (size_t v = 0; v < voxels && !status; v++) {
    for (size_t k = 0; k < (size_t)job->field->frame_count; k++)
      job->field->weights[k * voxels + v] *= 1 - room[v];
    job->field->weights[(size_t)frame * voxels + v] = room[v];
  }
  return status;
}

static lbStatus add_painted_frames(Job *job, const double *positions, const int32_t *homes,
                                   lbError *err) {
  double *room = lb_alloc((size_t)job->voxels->count, sizeof *room);
  lbStatus status = room ? LB_OK : lb_fail_memory(err);
  for (int32_t i = job->painting->columns; i < job->field->frame_count && !status; i++)
    status = add_painted_frame(job, i, positions, homes, room, err);
  lb_free(room);
  return status;
}

// ---- the whole ---------------------------------------------------------------------------------

static lbStatus check_painted_weights(const lbPainting *painting, lbError *err) {
  size_t columns = (size_t)painting->columns;
  for (size_t v = 0; v < (size_t)painting->mesh->vertex_count; v++)
    for (size_t k = 0; k < columns; k++) {
      double w = painting->weights[v * columns + k];
      if (!(w >= 0 && isfinite(w)))
        return lb_fail(err, LB_ERR_ARGUMENT,
                       "painted weights: that of frame %zu at vertex %zu is %g, it must be 0 or "
                       "more",
                       k, v, w);
    }
  return LB_OK;
}

static void give_owned(const int32_t *owners, lbWeights *field) {
  size_t voxels = (size_t)field->voxel_count;
  for (size_t v = 0; v < voxels && owners; v++)
    for (size_t k = 0; k < (size_t)field->frame_count && owners[v] >= 0; k++)
      field->weights[k * voxels + v] = k == (size_t)owners[v];
}

lbStatus lb_painted_weights(const lbVoxels *voxels, const lbPainting *painting, int32_t frame_count,
                            const double *positions, const int32_t *owners, lbWeights **out,
                            lbError *err) {
  Job job = { .voxels = voxels, .painting = painting };
  int32_t *homes = lb_alloc((size_t)frame_count, sizeof *homes);
  job.count = lb_alloc((size_t)voxels->count, sizeof *job.count);
  job.known = lb_alloc((size_t)voxels->count, sizeof *job.known);
  lbStatus status = homes && job.count && job.known ? LB_OK : lb_fail_memory(err);
  if (!status) status = lb_frames_check(voxels, frame_count, positions, homes, err);
  if (!status) status = check_painted_weights(painting, err);
  if (!status) status = lb_weights_create_empty(frame_count, voxels->count, &job.field, err);
  if (!status) status = fill_voxels(&job, err);
  if (!status) status = add_painted_frames(&job, positions, homes, err);
  if (status) {
    lb_weights_destroy(job.field);
  } else {
    give_owned(owners, job.field);
    lb_weights_normalise(job.field);
    *out = job.field;
  }
  lb_free(job.known);
  lb_free(job.count);
  lb_free(homes);
  return status;
}
