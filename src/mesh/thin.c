#include "mesh/thin.h"

#include "mesh/hash_table.h"

#include <math.h>
#include <string.h>

enum { TRIES = 30 };
static const double CROSSED = 1.5; // cells that a surface crosses, of its area in cells

typedef struct Thinning {
  const lbMesh *mesh;
  double low[3], size; // of a cell
  lbHashTable cells;
  int32_t *cell;     // (vertices)
  int32_t *kept_of;  // (vertices) the vertex that stands for it
  double *sums;      // (cells x 4) of positions, and how many
  int32_t *nearest;  // (cells) to the mean
  double *distances; // (cells) of that, squared
  int32_t *number;   // (vertices) new; -1: it goes
  bool *stays;       // (triangles)
} Thinning;

static void release_thin_search(Thinning *t) {
  lb_hash_table_release(&t->cells);
  void *blocks[] = { t->cell, t->kept_of, t->sums, t->nearest, t->distances, t->number, t->stays };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
}

static lbStatus prepare_thin_search(Thinning *t, lbError *err) {
  size_t vertices = (size_t)t->mesh->vertex_count;
  t->cells = lb_hash_table(3 * sizeof(int32_t));
  t->cell = lb_alloc(vertices, sizeof(int32_t));
  t->kept_of = lb_alloc(vertices, sizeof(int32_t));
  t->sums = lb_alloc(4 * vertices, sizeof(double));
  t->nearest = lb_alloc(vertices, sizeof(int32_t));
  t->distances = lb_alloc(vertices, sizeof(double));
  t->number = lb_alloc(vertices, sizeof(int32_t));
  t->stays = lb_alloc((size_t)t->mesh->triangle_count, sizeof(bool));
  bool all =
      t->cell && t->kept_of && t->sums && t->nearest && t->distances && t->number && t->stays;
  return all ? LB_OK : lb_fail_memory(err);
}

// The low corner of the box, and its longest side.
static double measure_box(Thinning *t) {
  double high[3] = { -INFINITY, -INFINITY, -INFINITY }, longest = 0;
  for (int i = 0; i < 3; i++) t->low[i] = INFINITY;
  for (size_t v = 0; v < (size_t)t->mesh->vertex_count; v++)
    for (int i = 0; i < 3; i++) {
      t->low[i] = fmin(t->low[i], t->mesh->positions[3 * v + (size_t)i]);
      high[i] = fmax(high[i], t->mesh->positions[3 * v + (size_t)i]);
    }
  for (int i = 0; i < 3; i++) longest = fmax(longest, high[i] - t->low[i]);
  return longest;
}

static double measure_area(const lbMesh *mesh) {
  double area = 0;
  for (size_t t = 0; t < (size_t)mesh->triangle_count; t++) {
    const double *a = mesh->positions + 3 * (size_t)mesh->triangles[3 * t];
    const double *b = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + 1];
    const double *c = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + 2];
    double square = 0;
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      double n = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
      square += n * n;
    }
    area += sqrt(square) / 2;
  }
  return area;
}

// ---- cells -------------------------------------------------------------------------------------

static lbStatus sort_into_cells(Thinning *t, lbError *err) {
  size_t vertices = (size_t)t->mesh->vertex_count;
  lb_hash_table_release(&t->cells);
  t->cells = lb_hash_table(3 * sizeof(int32_t));
  memset(t->sums, 0, 4 * vertices * sizeof *t->sums);
  for (size_t v = 0; v < vertices; v++) {
    const double *x = t->mesh->positions + 3 * v;
    int32_t key[3];
    for (int i = 0; i < 3; i++) key[i] = (int32_t)((x[i] - t->low[i]) / t->size);
    int32_t c = t->cell[v] = lb_hash_table_add(&t->cells, key);
    if (c < 0) return lb_fail_memory(err);
    for (int i = 0; i < 3; i++) t->sums[4 * (size_t)c + (size_t)i] += x[i];
    t->sums[4 * (size_t)c + 3]++;
  }
  return LB_OK;
}

static void choose_kept(Thinning *t) {
  for (int32_t c = 0; c < t->cells.count; c++) t->distances[c] = INFINITY;
  for (int32_t v = 0; v < t->mesh->vertex_count; v++) {
    const double *x = t->mesh->positions + 3 * (size_t)v, *sum = t->sums + 4 * (size_t)t->cell[v];
    double distance = 0;
    for (int i = 0; i < 3; i++) {
      double away = x[i] - sum[i] / sum[3];
      distance += away * away;
    }
    if (!(distance < t->distances[t->cell[v]])) continue;
    t->distances[t->cell[v]] = distance;
    t->nearest[t->cell[v]] = v;
  }
  for (int32_t v = 0; v < t->mesh->vertex_count; v++) t->kept_of[v] = t->nearest[t->cell[v]];
}

static int32_t count_triangles(Thinning *t) {
  int32_t count = 0;
  for (int32_t k = 0; k < t->mesh->triangle_count; k++) {
    const int32_t *corners = t->mesh->triangles + 3 * (size_t)k;
    int32_t a = t->kept_of[corners[0]], b = t->kept_of[corners[1]], c = t->kept_of[corners[2]];
    t->stays[k] = a != b && b != c && c != a;
    count += t->stays[k];
  }
  return count;
}

static lbStatus choose_cells(Thinning *t, int32_t most, lbError *err) {
  double longest = measure_box(t);
  t->size = fmax(sqrt(2 * CROSSED * measure_area(t->mesh) / most), 1e-9 * longest);
  for (int32_t tries = 0; tries < TRIES; tries++) {
    if (!lb_progress("thin the surface", (double)tries / (tries + 2)))
      return lb_fail_interrupted(err, "thin the surface");
    lbStatus status = t->size > 0 ? sort_into_cells(t, err) : LB_OK;
    if (status) return status;
    choose_kept(t);
    int32_t count = count_triangles(t);
    if (count <= most) return LB_OK;
    t->size *= fmax(1.02, sqrt((double)count / most));
  }
  return LB_OK; // whatever is left
}

// ---- the surface of the kept triangles
// ---------------------------------------------------------------

static int32_t number_thin_vertices(Thinning *t) {
  const lbMesh *mesh = t->mesh;
  int32_t count = 0;
  for (int32_t v = 0; v < mesh->vertex_count; v++) t->number[v] = -1;
  for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++)
    if (t->stays[k / 3]) t->number[t->kept_of[mesh->triangles[k]]] = 0;
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    if (t->number[v] == 0) t->number[v] = count++;
  return count;
}

static void move_vertices(const Thinning *t, int32_t count, lbMesh *mesh) {
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    if (t->number[v] < 0) continue;
    size_t from = (size_t)v, to = (size_t)t->number[v];
    memmove(mesh->positions + 3 * to, mesh->positions + 3 * from, 3 * sizeof(double));
    if (mesh->vertex_colors)
      memmove(mesh->vertex_colors + 4 * to, mesh->vertex_colors + 4 * from, 4 * sizeof(float));
  }
  mesh->vertex_count = count;
}

static void move_triangles(const Thinning *t, lbMesh *mesh) {
  size_t to = 0;
  for (size_t k = 0; k < (size_t)mesh->triangle_count; k++) {
    if (!t->stays[k]) continue;
    for (size_t a = 0; a < 3; a++)
      mesh->triangles[3 * to + a] = t->number[t->kept_of[mesh->triangles[3 * k + a]]];
    if (mesh->corner_uvs)
      memmove(mesh->corner_uvs + 6 * to, mesh->corner_uvs + 6 * k, 6 * sizeof(float));
    if (mesh->triangle_appearances) mesh->triangle_appearances[to] = mesh->triangle_appearances[k];
    to++;
  }
  mesh->triangle_count = (int32_t)to;
}

// `numbers`: of the triangles that stay.
static void move_groups(const Thinning *t, const int32_t *numbers, lbMesh *mesh) {
  for (int32_t g = 0; g < mesh->group_count; g++) {
    lbGroup *group = &mesh->groups[g];
    const int32_t *map = group->kind == LB_GROUP_VERTICES    ? t->number
                         : group->kind == LB_GROUP_TRIANGLES ? numbers
                                                             : NULL;
    int32_t kept = 0;
    for (int32_t i = 0; map && i < group->count; i++)
      if (map[group->ids[i]] >= 0) group->ids[kept++] = map[group->ids[i]];
    if (map) group->count = kept;
  }
}

static void move_embedding(const Thinning *t, int32_t count, lbEmbedding *e) {
  int32_t end = 0;
  for (int32_t v = 0, begin = 0; v < e->point_count; v++) {
    int32_t length = e->begin[v + 1] - begin, to = t->number[v];
    if (to >= 0) {
      memmove(e->nodes + end, e->nodes + begin, (size_t)length * sizeof *e->nodes);
      memmove(e->weights + end, e->weights + begin, (size_t)length * sizeof *e->weights);
      e->elements[to] = e->elements[v];
    }
    begin = e->begin[v + 1];
    if (to < 0) continue;
    end += length;
    e->begin[to + 1] = end; // not beyond v + 1, which has been read
  }
  e->point_count = count;
}

lbStatus lb_mesh_thin(lbMesh *surface, lbEmbedding *embedding, int32_t triangles_most,
                      lbError *err) {
  Thinning t = { .mesh = surface };
  if (surface->triangle_count <= triangles_most) return LB_OK;
  lbStatus status = prepare_thin_search(&t, err);
  if (!status) status = choose_cells(&t, triangles_most, err);
  int32_t *numbers = status ? NULL : lb_alloc((size_t)surface->triangle_count, sizeof *numbers);
  if (!status && !numbers) status = lb_fail_memory(err);
  if (!status) {
    int32_t count = number_thin_vertices(&t), next = 0;
    for (int32_t k = 0; k < surface->triangle_count; k++) numbers[k] = t.stays[k] ? next++ : -1;
    move_groups(&t, numbers, surface);
    move_triangles(&t, surface);
    if (embedding) move_embedding(&t, count, embedding);
    move_vertices(&t, count, surface);
  }
  lb_free(numbers);
  release_thin_search(&t);
  return status;
}
