// Strain matrices of elements, and the edges of patches.
#include "reduce/strain_edges.h"

#include <math.h>
#include <string.h>

// ---- strains -----------------------------------------------------------------------------------

static const int shears[3][2] = { { 1, 2 }, { 0, 2 }, { 0, 1 } };

// How strains become rows. √C = √(2 μ) (I + spread 11ᵀ) on the normals: its eigenvalue along 1 is
// √(3 λ + 2 μ).
typedef struct RowWeight {
  bool trace_only;
  double factor, spread;
} RowWeight;

static RowWeight weigh_strain_row(lbStrainWeight weight, double lambda, double mu, double volume) {
  if (weight == LB_STRAIN_LAMBDA) return (RowWeight){ true, sqrt(volume), 0 };
  if (weight == LB_STRAIN_MU) return (RowWeight){ false, sqrt(2 * volume), 0 };
  return (RowWeight){ false, sqrt(2 * mu * volume),
                      (sqrt((3 * lambda + 2 * mu) / (2 * mu)) - 1) / 3 };
}

// Column of E = scale sym(x yᵀ): normals, then shears in Mandel form; `stride` from row to row.
static void put_strain(const RowWeight *w, double scale, const double x[3], const double y[3],
                       size_t stride, double *column) {
  double normals[3], trace = 0;
  for (int a = 0; a < 3; a++) trace += normals[a] = w->factor * scale * x[a] * y[a];
  if (w->trace_only) {
    *column = trace;
    return;
  }
  for (int a = 0; a < 3; a++) {
    int b = shears[a][0], c = shears[a][1];
    column[(size_t)a * stride] = normals[a] + w->spread * trace;
    column[(size_t)(3 + a) * stride] = w->factor * scale * sqrt(0.5) * (x[b] * y[c] + x[c] * y[b]);
  }
}

// g_a = Σ_k ∂N_a/∂ξ_k ∂ξ_k/∂X at a point
static void point_gradients(lbElementKind kind, int32_t point, const double *rest,
                            double gradients[][3]) {
  double local[3 * LB_ELEMENT_NODES_MAX], values[LB_ELEMENT_NODES_MAX], unused;
  lb_element_shape(kind, point, local, values, &unused);
  for (int32_t a = 0; a < lb_element_nodes(kind); a++)
    for (int j = 0; j < 3; j++) {
      gradients[a][j] = 0;
      for (int k = 0; k < 3; k++)
        gradients[a][j] += local[3 * a + k] * rest[(3 * k + j) * LB_BATCH];
    }
}

static void put_point(const RowWeight *w, int32_t nodes, double gradients[][3], double *B,
                      double *L) {
  static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  size_t columns = 3 * (size_t)nodes, edges = (size_t)(nodes * (nodes - 1) / 2), edge = 0;
  for (int32_t b = 0; b < nodes; b++) {
    for (int i = 0; i < 3; i++)
      put_strain(w, 1, axes[i], gradients[b], columns, B + 3 * (size_t)b + (size_t)i);
    for (int32_t a = 0; a < b; a++)
      put_strain(w, -0.5, gradients[a], gradients[b], edges, L + edge++);
  }
}

void lb_strain_matrices(const lbElementSet *set, int32_t slot, lbStrainWeight weight,
                        lbStrainMatrices *out) {
  size_t batch = (size_t)(slot / LB_BATCH), lane = (size_t)(slot % LB_BATCH);
  size_t points = (size_t)lb_element_points(set->kind);
  int32_t nodes = lb_element_nodes(set->kind);
  size_t edges = (size_t)lb_element_edges(set->kind), rows = weight == LB_STRAIN_LAMBDA ? 1 : 6;
  const double *parameters = set->parameters + batch * LB_MATERIAL_PARAMETERS * LB_BATCH + lane;
  out->rows = (int32_t)(points * rows);
  for (size_t p = 0; p < points; p++) {
    const double *rest = set->rest + (batch * points + p) * LB_POINT_REST * LB_BATCH + lane;
    double gradients[LB_ELEMENT_NODES_MAX][3];
    RowWeight w = weigh_strain_row(weight, parameters[0], parameters[LB_BATCH], rest[9 * LB_BATCH]);
    point_gradients(set->kind, (int32_t)p, rest, gradients);
    put_point(&w, nodes, gradients, out->B + p * rows * 3 * (size_t)nodes,
              out->L + p * rows * edges);
  }
}

void lb_strain_vertices(const lbElementSet *set, int32_t slot, int32_t *vertices) {
  size_t batch = (size_t)(slot / LB_BATCH), lane = (size_t)(slot % LB_BATCH);
  size_t nodes = (size_t)lb_element_nodes(set->kind);
  for (size_t a = 0; a < nodes; a++)
    vertices[a] = set->vertices[(batch * nodes + a) * LB_BATCH + lane];
}

// ---- patches -----------------------------------------------------------------------------------

lbStatus lb_edge_patch_open(lbEdgePatch *patch, int32_t edges_max, int32_t elements_max,
                            lbError *err) {
  size_t edges = (size_t)edges_max;
  *patch = (lbEdgePatch){ .edges_max = edges_max,
                          .elements_max = elements_max,
                          .table = lb_hash_table(2 * sizeof(int32_t)),
                          .vertices = lb_hash_table(sizeof(int32_t)) };
  patch->element_edges = lb_alloc((size_t)elements_max, LB_ELEMENT_EDGES_MAX * sizeof(int32_t));
  patch->near_begin = lb_alloc(edges + 2, sizeof(int32_t));
  patch->near = lb_alloc(2 * edges, sizeof(int32_t));
  patch->stars = lb_alloc(lb_edge_stars_most(edges_max), sizeof *patch->stars);
  bool open = patch->element_edges && patch->near_begin && patch->near && patch->stars;
  return open ? LB_OK : lb_fail_memory(err);
}

void lb_edge_patch_release(lbEdgePatch *patch) {
  lb_hash_table_release(&patch->table);
  lb_hash_table_release(&patch->vertices);
  lb_free(patch->element_edges);
  lb_free(patch->near_begin);
  lb_free(patch->near);
  lb_free(patch->stars);
}

// A table keeps its memory from patch to patch.
static void empty_table(lbHashTable *table) {
  table->count = 0;
  if (table->slots) memset(table->slots, 0, table->slot_count * sizeof *table->slots);
}

static void list_stars(lbEdgePatch *patch) {
  patch->star_count = 0;
  for (int32_t v = 0; v < patch->vertices.count; v++)
    for (int32_t k = patch->near_begin[v]; k < patch->near_begin[v + 1]; k += LB_STAR_EDGES) {
      int32_t left = patch->near_begin[v + 1] - k;
      patch->stars[patch->star_count++] =
          (lbEdgeStar){ ((const int32_t *)patch->vertices.keys)[v], k,
                        k + (left < LB_STAR_EDGES ? left : LB_STAR_EDGES) };
    }
}

// The vertices of the edges, and the edges of each.
static lbStatus link_vertices(lbEdgePatch *patch, lbError *err) {
  int32_t *begin = patch->near_begin, edges = patch->table.count;
  empty_table(&patch->vertices);
  memset(begin, 0, ((size_t)patch->edges_max + 2) * sizeof *begin);
  for (int32_t e = 0; e < 2 * edges; e++) {
    int32_t vertex = lb_hash_table_add(&patch->vertices, lb_edge_vertices(patch, e / 2) + e % 2);
    if (vertex < 0) return lb_fail_memory(err);
    begin[vertex + 2]++;
  }
  for (int32_t v = 0; v < patch->vertices.count; v++) begin[v + 2] += begin[v + 1];
  for (int32_t e = 0; e < 2 * edges; e++) { // begin[v + 1] runs up to the end of v's
    int32_t vertex = lb_hash_table_find(&patch->vertices, lb_edge_vertices(patch, e / 2) + e % 2);
    patch->near[begin[vertex + 1]++] = e % 2 ? ~(e / 2) : e / 2;
  }
  list_stars(patch);
  return LB_OK;
}

lbStatus lb_edge_patch_fill(lbEdgePatch *patch, const lbElementSet *set, const int32_t *slots,
                            int32_t slot_count, lbError *err) {
  int32_t nodes = lb_element_nodes(set->kind), edges = lb_element_edges(set->kind);
  int32_t vertices[LB_ELEMENT_NODES_MAX], *next = patch->element_edges;
  empty_table(&patch->table);
  patch->set = set;
  patch->slots = slots;
  patch->element_count = 0;
  while (patch->element_count < slot_count && patch->element_count < patch->elements_max &&
         (patch->element_count == 0 || patch->table.count + edges <= patch->edges_max)) {
    lb_strain_vertices(set, slots[patch->element_count++], vertices);
    for (int32_t b = 0; b < nodes; b++)
      for (int32_t a = 0; a < b; a++) {
        bool ordered = vertices[a] < vertices[b];
        int32_t key[2] = { vertices[ordered ? a : b], vertices[ordered ? b : a] };
        int32_t edge = lb_hash_table_add(&patch->table, key);
        if (edge < 0) return lb_fail_memory(err);
        *next++ = edge;
      }
  }
  return link_vertices(patch, err);
}
