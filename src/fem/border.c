// The mass of fixed vertices; see border.h.
#include "fem/border.h"

static const int32_t *slot_vertices(const lbElementSet *set, int32_t slot) {
  int32_t nodes = lb_element_nodes(set->kind);
  return set->vertices + (size_t)(slot / LB_BATCH) * (size_t)nodes * LB_BATCH + slot % LB_BATCH;
}

static bool has_fixed(const lbFem *fem, const lbElementSet *set, int32_t slot) {
  const int32_t *vertices = slot_vertices(set, slot);
  for (int32_t a = 0; a < lb_element_nodes(set->kind); a++)
    if (fem->fixed[vertices[a * LB_BATCH]]) return true;
  return false;
}

static void count_elements(const lbFem *fem, int32_t *elements, size_t *vertices, size_t *masses) {
  for (int32_t s = 0; s < fem->set_count; s++) {
    size_t nodes = (size_t)lb_element_nodes(fem->sets[s].kind);
    for (int32_t slot = 0; slot < fem->sets[s].element_count; slot++) {
      if (!has_fixed(fem, &fem->sets[s], slot)) continue;
      (*elements)++;
      *vertices += nodes;
      *masses += nodes * nodes;
    }
  }
}

static void fill_border_elements(lbBorder *border) {
  const lbFem *fem = border->fem;
  size_t mass = 0;
  int32_t element = 0, vertex = 0;
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    int32_t nodes = lb_element_nodes(set->kind);
    for (int32_t slot = 0; slot < set->element_count; slot++) {
      if (!has_fixed(fem, set, slot)) continue;
      for (int32_t a = 0; a < nodes; a++)
        border->vertices[vertex++] = slot_vertices(set, slot)[a * LB_BATCH];
      lb_fem_element_mass(set, slot, border->masses + mass);
      border->mass_begin[element] = mass;
      mass += (size_t)nodes * (size_t)nodes;
      border->vertex_begin[++element] = vertex;
    }
  }
}

lbStatus lb_border_create(const lbFem *fem, lbBorder **out, lbError *err) {
  size_t vertices = 0, masses = 0;
  int32_t elements = 0;
  lbBorder *border = lb_alloc(1, sizeof *border);
  if (!border) return lb_fail_memory(err);
  border->fem = fem;
  if (fem->mass_kind == LB_MASS_CONSISTENT) count_elements(fem, &elements, &vertices, &masses);
  border->element_count = elements;
  border->vertex_begin = lb_alloc((size_t)elements + 1, sizeof(int32_t));
  border->vertices = lb_alloc(vertices, sizeof(int32_t));
  border->mass_begin = lb_alloc((size_t)elements, sizeof(size_t));
  border->masses = lb_alloc(masses, sizeof(double));
  if (!border->vertex_begin || !border->vertices || !border->mass_begin || !border->masses) {
    lb_border_destroy(border);
    return lb_fail_memory(err);
  }
  if (elements > 0) fill_border_elements(border);
  *out = border;
  return LB_OK;
}

void lb_border_destroy(lbBorder *border) {
  if (!border) return;
  lb_free(border->vertex_begin);
  lb_free(border->vertices);
  lb_free(border->mass_begin);
  lb_free(border->masses);
  lb_free(border);
}

// The part of an element's m_ab in which a or b is fixed.
static void multiply_border_element(const lbBorder *border, int32_t element, const double *w,
                                    double *product) {
  const bool *fixed = border->fem->fixed;
  const int32_t *vertices = border->vertices + border->vertex_begin[element];
  const double *mass = border->masses + border->mass_begin[element];
  int32_t nodes = border->vertex_begin[element + 1] - border->vertex_begin[element];
  for (int32_t a = 0; a < nodes; a++)
    for (int32_t b = 0; b < nodes; b++)
      for (size_t i = 0; i < 3 && (fixed[vertices[a]] || fixed[vertices[b]]); i++)
        product[3 * (size_t)vertices[a] + i] +=
            mass[a * nodes + b] * w[3 * (size_t)vertices[b] + i];
}

void lb_border_multiply(const lbBorder *border, const double *w, double *product) {
  const lbFem *fem = border->fem;
  for (int32_t e = 0; e < border->element_count; e++)
    multiply_border_element(border, e, w, product);
  if (fem->mass_kind == LB_MASS_CONSISTENT) return;
  for (size_t v = 0; v < (size_t)fem->vertex_count; v++)
    for (size_t i = 0; i < 3 && fem->fixed[v]; i++)
      product[3 * v + i] += fem->vertex_masses[v] * w[3 * v + i];
}
