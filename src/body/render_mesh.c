// From a surface to a render mesh: the corners at each vertex are sorted by texture coordinate and
// by whether the picture is mirrored; equal ones are one render vertex.
#include "base/carver.h"
#include "body/vertices.h"

#include <stdlib.h>
#include <string.h>

enum { UPRIGHT, MIRRORED, UNKNOWN }; // how the picture lies on a triangle; UNKNOWN: it has no area

typedef struct Corner {
  uint32_t uv[2]; // the floats' bits
  int32_t side;   // UPRIGHT, ...
  int32_t corner; // 3 triangle + place
} Corner;

typedef struct Work {
  lbArena arena;
  const lbModel *model;
  double *factors;        // (triangles x 2), see lbRenderTangents
  int8_t *sides;          // (triangles)
  int32_t *begin;         // (vertices + 1): of each vertex in `corners`
  Corner *corners;        // (3 triangles)
  int32_t *vertices;      // (3 triangles): render vertex of each corner
  int32_t *order, *parts; // (triangles), (appearances + 2): triangles by appearance, and begins
  int32_t vertex_count, part_count;
} Work;

// What is made, in one block.
typedef struct Made {
  lbRenderMesh mesh;
  struct lbRenderTangents tangents;
} Made;

// ---- tangents ----------------------------------------------------------------------------------

static lbVec3 corner_place(const lbModel *model, int32_t triangle, int i) {
  return lb_vec3_load(model->vertex_positions +
                      3 * (size_t)model->triangles[3 * (size_t)triangle + (size_t)i]);
}

// dx/du = (dv2 e1 - dv1 e2) / det with det = du1 dv2 - du2 dv1, e and d from the first corner.
static void find_direction(Work *work, int32_t triangle) {
  const float *uv = work->model->corner_uvs + 6 * (size_t)triangle;
  double du1 = (double)uv[2] - uv[0], dv1 = (double)uv[3] - uv[1];
  double du2 = (double)uv[4] - uv[0], dv2 = (double)uv[5] - uv[1];
  double det = du1 * dv2 - du2 * dv1;
  lbVec3 x = corner_place(work->model, triangle, 0);
  double area = 0.5 * lb_length(lb_cross(lb_sub(corner_place(work->model, triangle, 1), x),
                                         lb_sub(corner_place(work->model, triangle, 2), x)));
  double a = area * dv2 / det, b = -area * dv1 / det;
  bool known = det != 0 && isfinite(a) && isfinite(b);
  work->factors[2 * (size_t)triangle] = known ? a : 0;
  work->factors[2 * (size_t)triangle + 1] = known ? b : 0;
  work->sides[triangle] = !known ? UNKNOWN : det < 0 ? UPRIGHT : MIRRORED;
}

// ---- vertices ----------------------------------------------------------------------------------

static int compare_corners(const void *a, const void *b) {
  const Corner *x = a, *y = b;
  for (int i = 0; i < 2; i++)
    if (x->uv[i] != y->uv[i]) return x->uv[i] < y->uv[i] ? -1 : 1;
  if (x->side != y->side) return x->side < y->side ? -1 : 1;
  return x->corner < y->corner ? -1 : x->corner > y->corner;
}

static bool same_uv(const Corner *a, const Corner *b) {
  return a->uv[0] == b->uv[0] && a->uv[1] == b->uv[1];
}

static Corner corner_of(const Work *work, int32_t corner) {
  Corner out = { .side = UPRIGHT, .corner = corner };
  if (!work->model->corner_uvs) return out;
  const float *uv = work->model->corner_uvs + 2 * (size_t)corner;
  const float key[2] = { uv[0] + 0.0f, uv[1] + 0.0f }; // -0 is 0
  memcpy(out.uv, key, sizeof out.uv);
  out.side = work->sides[corner / 3];
  return out;
}

static void list_corners(Work *work) {
  const int32_t *triangles = work->model->triangles;
  int32_t vertices = work->model->size.vertex_count, count = 3 * work->model->size.triangle_count;
  for (int32_t c = 0; c < count; c++) work->begin[triangles[c]]++;
  for (int32_t v = 0, sum = 0; v < vertices; v++) work->begin[v] = sum += work->begin[v];
  work->begin[vertices] = count;
  for (int32_t c = count - 1; c >= 0; c--)
    work->corners[--work->begin[triangles[c]]] = corner_of(work, c);
}

// One texture coordinate at one vertex: a render vertex for each way the picture lies. Triangles on
// which it has no area join the others.
static void number_run(Work *work, const Corner *run, const Corner *end) {
  int32_t first = work->vertex_count++;
  for (const Corner *c = run; c < end; c++) {
    if (c > run && c->side == MIRRORED && c[-1].side == UPRIGHT) work->vertex_count++;
    work->vertices[c->corner] = c->side == UNKNOWN ? first : work->vertex_count - 1;
  }
}

static void number_vertices(Work *work) {
  for (int32_t v = 0; v < work->model->size.vertex_count; v++) {
    Corner *at = work->corners + work->begin[v], *end = work->corners + work->begin[v + 1], *next;
    if (work->model->corner_uvs) qsort(at, (size_t)(end - at), sizeof *at, compare_corners);
    for (; at < end; at = next) {
      for (next = at + 1; next < end && same_uv(next, at);) next++;
      number_run(work, at, next);
    }
  }
}

// ---- triangles by appearance -------------------------------------------------------------------

static int32_t appearance_of(const lbModel *model, int32_t triangle) {
  int32_t appearance = model->triangle_appearances ? model->triangle_appearances[triangle] : -1;
  return appearance >= 0 && appearance < model->size.appearance_count ? appearance : -1;
}

static void sort_triangles(Work *work) {
  const lbModel *model = work->model;
  int32_t count = model->size.triangle_count, slots = model->size.appearance_count + 1;
  for (int32_t t = 0; t < count; t++) work->parts[appearance_of(model, t) + 1]++;
  for (int32_t i = 0, sum = 0; i < slots; i++) {
    work->part_count += work->parts[i] > 0;
    work->parts[i] = sum += work->parts[i];
  }
  work->parts[slots] = count;
  for (int32_t t = count - 1; t >= 0; t--)
    work->order[--work->parts[appearance_of(model, t) + 1]] = t;
}

// ---- the result --------------------------------------------------------------------------------

// The corners that count for tangents lie in `corners` in the order of their render vertices.
static void fill_vertices(const Work *work, int32_t *sources, float *uvs, int32_t *begin,
                          int32_t *around, int8_t *mirrors) {
  int32_t count = 3 * work->model->size.triangle_count, used = 0, vertex = 0;
  for (int32_t i = 0; i < count; i++) {
    const Corner *c = work->corners + i;
    int32_t at = work->vertices[c->corner];
    while (vertex < at) begin[++vertex] = used;
    sources[at] = work->model->triangles[c->corner];
    if (uvs) memcpy(uvs + 2 * (size_t)at, c->uv, sizeof c->uv);
    if (c->side != UNKNOWN) {
      mirrors[at] = c->side == MIRRORED ? -1 : 1;
      around[used++] = c->corner / 3;
    } else if (!mirrors[at])
      mirrors[at] = 1;
  }
  while (vertex < work->vertex_count) begin[++vertex] = used;
}

static void fill_triangles(const Work *work, uint32_t *indices, int32_t *triangles,
                           lbRenderPart *parts) {
  int32_t count = work->model->size.triangle_count, made = 0;
  for (int32_t i = 0; i < count; i++) {
    triangles[i] = work->order[i];
    for (size_t k = 0; k < 3; k++)
      indices[3 * (size_t)i + k] = (uint32_t)work->vertices[3 * (size_t)work->order[i] + k];
  }
  for (int32_t i = 0; i <= work->model->size.appearance_count; i++)
    if (work->parts[i + 1] > work->parts[i])
      parts[made++] = (lbRenderPart){ .appearance = i - 1,
                                      .index_begin = 3 * work->parts[i],
                                      .index_count = 3 * (work->parts[i + 1] - work->parts[i]) };
}

// With a block to carve from: fills it too.
static void lay_out(const Work *work, lbCarver *carver) {
  size_t vertices = (size_t)work->vertex_count, count = (size_t)work->model->size.triangle_count;
  bool has_uvs = work->model->corner_uvs != NULL;
  Made *made = lb_carve(carver, 1, sizeof *made);
  int32_t *sources = lb_carve(carver, vertices, sizeof *sources);
  float *uvs = has_uvs ? lb_carve(carver, vertices, 2 * sizeof *uvs) : NULL;
  uint32_t *indices = lb_carve(carver, 3 * count, sizeof *indices);
  int32_t *triangles = lb_carve(carver, count, sizeof *triangles);
  lbRenderPart *parts = lb_carve(carver, (size_t)work->part_count, sizeof *parts);
  double *factors = lb_carve(carver, count, 2 * sizeof *factors);
  int32_t *begin = lb_carve(carver, vertices + 1, sizeof *begin);
  int32_t *around = lb_carve(carver, 3 * count, sizeof *around);
  int8_t *mirrors = lb_carve(carver, vertices, sizeof *mirrors);
  if (!carver->block) return;
  fill_vertices(work, sources, uvs, begin, around, mirrors);
  fill_triangles(work, indices, triangles, parts);
  memcpy(factors, work->factors, 2 * count * sizeof *factors);
  made->tangents = (struct lbRenderTangents){ factors, begin, around, mirrors };
  made->mesh = (lbRenderMesh){ .model = work->model,
                               .vertex_count = work->vertex_count,
                               .index_count = (int32_t)(3 * count),
                               .part_count = work->part_count,
                               .sources = sources,
                               .uvs = uvs,
                               .indices = indices,
                               .triangles = triangles,
                               .parts = parts,
                               .tangents_ = &made->tangents };
}

static bool open_work(Work *work) {
  size_t count = (size_t)work->model->size.triangle_count;
  work->factors = lb_arena_alloc(&work->arena, count, 2 * sizeof *work->factors);
  work->sides = lb_arena_alloc(&work->arena, count, sizeof *work->sides);
  work->begin =
      lb_arena_alloc(&work->arena, (size_t)work->model->size.vertex_count + 1, sizeof *work->begin);
  work->corners = lb_arena_alloc(&work->arena, 3 * count, sizeof *work->corners);
  work->vertices = lb_arena_alloc(&work->arena, 3 * count, sizeof *work->vertices);
  work->order = lb_arena_alloc(&work->arena, count, sizeof *work->order);
  work->parts = lb_arena_alloc(&work->arena, (size_t)work->model->size.appearance_count + 2,
                               sizeof *work->parts);
  return work->factors && work->sides && work->begin && work->corners && work->vertices &&
         work->order && work->parts;
}

lbStatus lb_render_mesh_create(const lbModel *model, lbRenderMesh **out, lbError *err) {
  if (!model) return lb_refuse_null(err, "model");
  if (!out) return lb_refuse_null(err, "out");
  Work work = { .model = model };
  lbCarver carver = { 0 };
  lbStatus status = LB_OK;
  if (model->size.triangle_count > INT32_MAX / 3)
    return lb_fail(err, LB_ERR_UNSUPPORTED, "%s: %d triangles are too many for 32-bit indices",
                   model->name, (int)model->size.triangle_count);
  if (!open_work(&work)) {
    status = lb_fail_memory(err);
    goto done;
  }
  for (int32_t t = 0; t < model->size.triangle_count && model->corner_uvs; t++)
    find_direction(&work, t);
  list_corners(&work);
  number_vertices(&work);
  sort_triangles(&work);
  lay_out(&work, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) {
    status = lb_fail_memory(err);
    goto done;
  }
  carver.used = 0;
  lay_out(&work, &carver);
  *out = &((Made *)carver.block)->mesh;
done:
  lb_arena_release(&work.arena);
  return status;
}

void lb_render_mesh_destroy(lbRenderMesh *mesh) { lb_free(mesh); }
