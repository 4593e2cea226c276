// Whether the fixed vertices hold every part of a body against rigid motion: three of them, not in
// a line, in every part that is connected.
#include "fem/fem.h"

#include <math.h>

static int32_t find_held_root(int32_t *parent, int32_t v) {
  while (parent[v] != v) {
    parent[v] = parent[parent[v]]; // shortens the way for the next
    v = parent[v];
  }
  return v;
}

// Joins the vertices of every element; the smallest vertex of a part is its root.
static void join_elements(const lbFem *fem, int32_t *parent) {
  for (int32_t v = 0; v < fem->vertex_count; v++) parent[v] = v;
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    int32_t nodes = lb_element_nodes(set->kind);
    for (int32_t slot = 0; slot < set->element_count; slot++) {
      const int32_t *vertices =
          set->vertices + (size_t)(slot / LB_BATCH) * (size_t)nodes * LB_BATCH + slot % LB_BATCH;
      for (int32_t a = 1; a < nodes; a++) {
        int32_t x = find_held_root(parent, vertices[0]),
                y = find_held_root(parent, vertices[a * LB_BATCH]);
        if (x != y) parent[x > y ? x : y] = x > y ? y : x;
      }
    }
  }
}

// What is known of the fixed vertices of one part (indexed by its root).
typedef struct Part {
  int32_t first, far; // a fixed vertex and the fixed one farthest from it; -1: none
  double size2;       // squared distance of the part's vertex farthest from its root
  double far2;        // squared distance of the two
  double off2;        // squared area spanned with a third: |(far − first) × (third − first)|²
} Part;

static double distance2(const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

static double cross2(const double *origin, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double c = (x[j] - origin[j]) * (y[k] - origin[k]) - (x[k] - origin[k]) * (y[j] - origin[j]);
    sum += c * c;
  }
  return sum;
}

static bool is_used(const lbFem *fem, int32_t vertex) {
  return fem->node_of_vertex[vertex] >= 0 || fem->fixed[vertex];
}

static void measure_held_parts(const lbFem *fem, int32_t *parent, Part *parts) {
  const double *x = fem->positions;
  for (int32_t v = 0; v < fem->vertex_count; v++) parts[v] = (Part){ .first = -1, .far = -1 };
  for (int pass = 0; pass < 3; pass++)
    for (int32_t v = 0; v < fem->vertex_count; v++) {
      bool used = is_used(fem, v);
      int32_t root = find_held_root(parent, v);
      Part *part = &parts[root];
      if (!used) continue;
      if (pass == 0)
        part->size2 = fmax(part->size2, distance2(x + 3 * (size_t)v, x + 3 * (size_t)root));
      if (fem->node_of_vertex[v] >= 0) continue;
      if (pass == 0 && part->first < 0) part->first = v;
      const double *first = x + 3 * (size_t)part->first, *here = x + 3 * (size_t)v;
      if (pass == 1 && distance2(first, here) > part->far2) {
        part->far2 = distance2(first, here);
        part->far = v;
      }
      if (pass == 2 && part->far >= 0)
        part->off2 = fmax(part->off2, cross2(first, x + 3 * (size_t)part->far, here));
    }
}

lbStatus lb_fem_check_held(const lbFem *fem, lbError *err) {
  lbStatus status = LB_OK;
  int32_t *parent = lb_alloc((size_t)fem->vertex_count, sizeof(int32_t));
  Part *parts = lb_alloc((size_t)fem->vertex_count, sizeof(Part));
  if (!parent || !parts) {
    status = lb_fail_memory(err);
    goto done;
  }
  join_elements(fem, parent);
  measure_held_parts(fem, parent, parts);
  for (int32_t v = 0; v < fem->vertex_count && !status; v++) {
    bool used = is_used(fem, v);
    const double tiny = 1e-18; // squared, of the part's size
    bool held = parts[v].far >= 0 && parts[v].off2 > tiny * parts[v].size2 * parts[v].far2;
    if (used && parent[v] == v && !held)
      status = lb_fail(err, LB_ERR_ARGUMENT,
                       "%s: the fixed vertices do not hold the part with vertex %d against rigid "
                       "motion; fix three vertices of it that are not in a line",
                       fem->name, (int)v);
  }
done:
  lb_free(parent);
  lb_free(parts);
  return status;
}
