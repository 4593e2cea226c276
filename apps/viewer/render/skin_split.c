// Around each vertex the triangles form smoothing groups: two that share an edge at the vertex are
// in one group when their planes meet at less than the crease angle, and so are chains of them. A
// vertex of the skin is one of (vertex, group, appearance, texture coordinates); its normal is that
// of the whole group, so that light does not show where a texture is cut.
#include "render/skin_split.h"

#include "limber/math.h"

#include <stdlib.h>
#include <string.h>

enum { EDGE_REACH = 8 }; // at an edge of more triangles only some pairs are compared

typedef struct Corner { // of a triangle, at a vertex; sorted, equal ones become one vertex
  int32_t group;        // the least corner of the smoothing group
  int32_t appearance;
  uint32_t uv[2]; // the floats' bits
  int32_t corner; // 3 triangle + place
} Corner;

typedef struct Edge { // from the vertex in work to another one
  int32_t other;      // its far end
  int32_t place;      // of the triangle's corner in the list of the vertex
} Edge;

typedef struct Work {
  lbArena arena;
  const lbModel *model;
  int32_t triangle_count;   // kept
  int32_t *kept;            // (triangles): triangle of the model
  double *normals;          // (triangles x 3), unit; 0: unknown
  int32_t *begin, *corners; // (model vertices + 1), (3 triangles): corners at each vertex
  Edge *edges;              // (2 x most corners at a vertex)
  int32_t *parents;         // (most corners at a vertex): union-find
  Corner *sorted;           // (3 triangles), vertex after vertex
  double cos_crease;        //
  int32_t vertex_count;     // of the skin
  int64_t smooth_count;     //
} Work;

// ---- parts -------------------------------------------------------------------------------------

static int32_t find_skin_appearance(const lbModel *model, int32_t triangle) {
  int32_t appearance = model->triangle_appearances ? model->triangle_appearances[triangle] : -1;
  return appearance >= 0 && appearance < model->size.appearance_count ? appearance : -1;
}

static bool is_proper(const lbModel *model, int32_t triangle) {
  const int32_t *t = model->triangles + 3 * (size_t)triangle;
  return t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
}

static vwPart part_of_appearance(const lbModel *model, int32_t appearance) {
  vwPart part = { .color = { 0.8f, 0.8f, 0.8f, 1 }, .metal = 0, .roughness = 0.6f, .texture = -1 };
  if (appearance < 0) return part;
  if (model->appearance_colors)
    memcpy(part.color, model->appearance_colors + 4 * (size_t)appearance, sizeof part.color);
  if (model->appearance_metal_roughness) {
    part.metal = model->appearance_metal_roughness[2 * (size_t)appearance];
    part.roughness = model->appearance_metal_roughness[2 * (size_t)appearance + 1];
  }
  if (model->appearance_textures) part.texture = model->appearance_textures[appearance];
  if (part.texture >= model->size.texture_count) part.texture = -1;
  return part;
}

// Sorts the triangles by appearance, those without one first; appearances that no triangle has get
// no part.
static bool make_parts(vwSkin *skin, Work *work) {
  const lbModel *model = work->model;
  int32_t count = model->size.triangle_count, appearances = model->size.appearance_count + 1;
  int32_t *ends = lb_arena_alloc(&work->arena, (size_t)appearances + 1, sizeof *ends);
  work->kept = lb_arena_alloc(&work->arena, (size_t)count, sizeof *work->kept);
  skin->parts = lb_alloc((size_t)appearances, sizeof *skin->parts);
  if (!ends || !work->kept || !skin->parts) return false;
  for (int32_t t = 0; t < count; t++)
    if (is_proper(model, t)) ends[find_skin_appearance(model, t) + 2]++;
  for (int32_t i = 0; i < appearances; i++) {
    if (ends[i + 1]) {
      vwPart part = part_of_appearance(model, i - 1);
      part.triangle_begin = ends[i];
      part.triangle_count = ends[i + 1];
      skin->parts[skin->part_count++] = part;
    }
    ends[i + 1] += ends[i]; // ends[i] is where appearance i - 1 begins, and then grows to its end
  }
  for (int32_t t = 0; t < count; t++)
    if (is_proper(model, t)) work->kept[ends[find_skin_appearance(model, t) + 1]++] = t;
  work->triangle_count = ends[appearances];
  if (skin->part_count == 0) skin->parts[skin->part_count++] = part_of_appearance(model, -1);
  return true;
}

// ---- triangles and the corners at each vertex --------------------------------------------------

static const int32_t *triangle_of(const Work *work, int32_t triangle) {
  return work->model->triangles + 3 * (size_t)work->kept[triangle];
}

static lbVec3 plane_normal(const Work *work, int32_t triangle) {
  const int32_t *t = triangle_of(work, triangle);
  const double *x = work->model->vertex_positions;
  lbVec3 a = lb_vec3_load(x + 3 * (size_t)t[0]);
  lbVec3 b = lb_sub(lb_vec3_load(x + 3 * (size_t)t[1]), a);
  lbVec3 c = lb_sub(lb_vec3_load(x + 3 * (size_t)t[2]), a);
  lbVec3 area = lb_cross(b, c);
  double longest = fmax(lb_dot(b, b), lb_dot(c, c));
  return lb_length(area) > 1e-10 * longest ? lb_normalise(area) : lb_vec3(0, 0, 0);
}

static bool shares_edge(const int32_t *a, const int32_t *b) {
  int shared = 0;
  for (int i = 0; i < 3; i++) shared += a[i] == b[0] || a[i] == b[1] || a[i] == b[2];
  return shared >= 2;
}

// A triangle without area takes the plane of a neighbour: it must neither part nor join others.
static void borrow_normal(Work *work, int32_t triangle) {
  const int32_t *t = triangle_of(work, triangle);
  for (int i = 0; i < 3; i++)
    for (int32_t k = work->begin[t[i]]; k < work->begin[t[i] + 1]; k++) {
      int32_t other = work->corners[k] / 3;
      const double *normal = work->normals + 3 * (size_t)other;
      if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0) continue;
      if (!shares_edge(t, triangle_of(work, other))) continue;
      memcpy(work->normals + 3 * (size_t)triangle, normal, 3 * sizeof *normal);
      return;
    }
}

static bool list_skin_corners(Work *work) {
  int32_t vertices = work->model->size.vertex_count, count = work->triangle_count, most = 0;
  work->begin = lb_arena_alloc(&work->arena, (size_t)vertices + 1, sizeof *work->begin);
  work->corners = lb_arena_alloc(&work->arena, 3 * (size_t)count, sizeof *work->corners);
  if (!work->begin || !work->corners) return false;
  for (int32_t t = 0; t < count; t++)
    for (int i = 0; i < 3; i++) work->begin[triangle_of(work, t)[i]]++;
  int32_t sum = 0;
  for (int32_t v = 0; v < vertices; v++) {
    most = work->begin[v] > most ? work->begin[v] : most;
    work->begin[v] = sum += work->begin[v];
  }
  work->begin[vertices] = sum;
  for (int32_t t = count - 1; t >= 0; t--)
    for (int i = 2; i >= 0; i--) work->corners[--work->begin[triangle_of(work, t)[i]]] = 3 * t + i;
  work->edges = lb_arena_alloc(&work->arena, 2 * (size_t)most, sizeof *work->edges);
  work->parents = lb_arena_alloc(&work->arena, (size_t)most, sizeof *work->parents);
  return work->edges && work->parents;
}

static bool find_skin_normals(Work *work) {
  work->normals = lb_arena_alloc(&work->arena, (size_t)work->triangle_count, 3 * sizeof(double));
  if (!work->normals) return false;
  for (int32_t t = 0; t < work->triangle_count; t++)
    lb_vec3_store(work->normals + 3 * (size_t)t, plane_normal(work, t));
  for (int32_t t = 0; t < work->triangle_count; t++) {
    const double *n = work->normals + 3 * (size_t)t;
    if (n[0] == 0 && n[1] == 0 && n[2] == 0) borrow_normal(work, t);
  }
  return true;
}

// ---- smoothing groups --------------------------------------------------------------------------

static int compare_skin_edges(const void *a, const void *b) {
  const Edge *x = a, *y = b;
  if (x->other != y->other) return x->other < y->other ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

static int32_t find_skin_root(int32_t *parents, int32_t i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

static bool is_smooth(const Work *work, int32_t a, int32_t b) {
  const double *n = work->normals;
  return lb_dot(lb_vec3_load(n + 3 * (size_t)a), lb_vec3_load(n + 3 * (size_t)b)) >=
         work->cos_crease;
}

// Joins the corners of one vertex; afterwards following parents[i] ends at the first of its group.
static void join_corners(Work *work, const int32_t *corners, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    const int32_t *t = triangle_of(work, corners[i] / 3);
    int at = corners[i] % 3;
    work->parents[i] = i;
    work->edges[2 * i] = (Edge){ t[(at + 1) % 3], i };
    work->edges[2 * i + 1] = (Edge){ t[(at + 2) % 3], i };
  }
  qsort(work->edges, 2 * (size_t)count, sizeof *work->edges, compare_skin_edges);
  for (int32_t e = 1; e < 2 * count; e++)
    for (int32_t d = e - 1; d >= 0 && d >= e - EDGE_REACH; d--) {
      if (work->edges[e].other != work->edges[d].other) break;
      int32_t a = work->edges[d].place, b = work->edges[e].place;
      if (!is_smooth(work, corners[a] / 3, corners[b] / 3)) continue;
      a = find_skin_root(work->parents, a), b = find_skin_root(work->parents, b);
      work->parents[a < b ? b : a] = a < b ? a : b;
    }
}

static int compare_skin_corners(const void *a, const void *b) {
  const Corner *x = a, *y = b;
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  if (x->appearance != y->appearance) return x->appearance < y->appearance ? -1 : 1;
  for (int i = 0; i < 2; i++)
    if (x->uv[i] != y->uv[i]) return x->uv[i] < y->uv[i] ? -1 : 1;
  return x->corner < y->corner ? -1 : x->corner > y->corner;
}

static bool same_vertex(const Corner *a, const Corner *b) {
  return a->group == b->group && a->appearance == b->appearance && a->uv[0] == b->uv[0] &&
         a->uv[1] == b->uv[1];
}

static int32_t group_end(const Corner *sorted, int32_t begin, int32_t end) {
  int32_t at = begin;
  while (at < end && sorted[at].group == sorted[begin].group) at++;
  return at;
}

static void sort_vertex(Work *work, int32_t vertex) {
  int32_t begin = work->begin[vertex], end = work->begin[vertex + 1];
  join_corners(work, work->corners + begin, end - begin);
  for (int32_t i = begin; i < end; i++) {
    int32_t corner = work->corners[i], triangle = work->kept[corner / 3];
    Corner *out = work->sorted + i;
    *out = (Corner){ .group = work->corners[begin + find_skin_root(work->parents, i - begin)],
                     .appearance = find_skin_appearance(work->model, triangle),
                     .corner = corner };
    if (work->model->corner_uvs)
      memcpy(out->uv, work->model->corner_uvs + 6 * (size_t)triangle + 2 * (corner % 3),
             sizeof out->uv);
  }
  qsort(work->sorted + begin, (size_t)(end - begin), sizeof *work->sorted, compare_skin_corners);
  for (int32_t group = begin; group < end;) {
    int32_t next = group_end(work->sorted, group, end);
    for (int32_t i = group; i < next; i++)
      if (i == group || !same_vertex(work->sorted + i, work->sorted + i - 1))
        work->vertex_count++, work->smooth_count += next - group;
    group = next;
  }
}

static bool find_groups(Work *work) {
  work->sorted = lb_arena_alloc(&work->arena, 3 * (size_t)work->triangle_count, sizeof(Corner));
  if (!work->sorted) return false;
  for (int32_t v = 0; v < work->model->size.vertex_count; v++) sort_vertex(work, v);
  return true;
}

// ---- the result --------------------------------------------------------------------------------

static void add_skin_vertex(vwSkin *skin, const Work *work, int32_t source, const Corner *corner,
                            const Corner *group, int32_t group_size) {
  int32_t vertex = skin->vertex_count++, at = skin->smooth_begin[vertex];
  skin->sources[vertex] = source;
  if (work->model->corner_uvs)
    memcpy(skin->uvs + 2 * (size_t)vertex, corner->uv, sizeof corner->uv);
  for (int32_t i = 0; i < group_size; i++) skin->smooth_triangles[at++] = group[i].corner / 3;
  skin->smooth_begin[vertex + 1] = at;
}

static void fill_vertex(vwSkin *skin, const Work *work, int32_t source) {
  int32_t end = work->begin[source + 1];
  for (int32_t group = work->begin[source]; group < end;) {
    int32_t next = group_end(work->sorted, group, end);
    for (int32_t i = group; i < next; i++) {
      const Corner *corner = work->sorted + i;
      if (i == group || !same_vertex(corner, corner - 1))
        add_skin_vertex(skin, work, source, corner, work->sorted + group, next - group);
      skin->triangles[corner->corner] = (uint32_t)skin->vertex_count - 1;
    }
    group = next;
  }
}

static bool fill_skin(vwSkin *skin, const Work *work) {
  size_t vertices = (size_t)work->vertex_count;
  skin->triangle_count = work->triangle_count;
  skin->sources = lb_alloc(vertices, sizeof *skin->sources);
  skin->uvs = lb_alloc(vertices, 2 * sizeof *skin->uvs);
  skin->triangles = lb_alloc((size_t)work->triangle_count, 3 * sizeof *skin->triangles);
  skin->smooth_begin = lb_alloc(vertices + 1, sizeof *skin->smooth_begin);
  skin->smooth_triangles = lb_alloc((size_t)work->smooth_count, sizeof *skin->smooth_triangles);
  if (!skin->sources || !skin->uvs || !skin->triangles || !skin->smooth_begin ||
      !skin->smooth_triangles)
    return false;
  for (int32_t v = 0; v < work->model->size.vertex_count; v++) fill_vertex(skin, work, v);
  return true;
}

lbStatus vw_skin_split(vwSkin *skin, double crease, lbError *err) {
  // Rounding must not part what is flat.
  Work work = { .model = skin->model, .cos_crease = cos(crease) - 1e-12 };
  lbStatus status = LB_OK;
  if (skin->model->size.triangle_count > INT32_MAX / 6) {
    status = lb_fail(err, LB_ERR_UNSUPPORTED, "%s: %d triangles are too many to draw",
                     skin->model->name, (int)skin->model->size.triangle_count);
    goto done;
  }
  if (!make_parts(skin, &work) || !list_skin_corners(&work) || !find_skin_normals(&work) ||
      !find_groups(&work)) {
    status = lb_fail_memory(err);
    goto done;
  }
  if (work.smooth_count > INT32_MAX) {
    status =
        lb_fail(err, LB_ERR_UNSUPPORTED,
                "%s: too many triangles with texture coordinates of their own meet in a vertex",
                skin->model->name);
    goto done;
  }
  if (!fill_skin(skin, &work)) status = lb_fail_memory(err);
done:
  lb_arena_release(&work.arena);
  return status;
}
