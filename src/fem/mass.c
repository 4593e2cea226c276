// Consistent and lumped mass: m_ab = ∫ρ N_a N_b, per vertex ∫ρ N_a (the row sum).
// The tet's integral is exact, ρV/20 (1 + δ_ab); the brick's is the 2x2x2 Gauss sum. A flap has a
// third of the mass of its triangles, ρtA/12 (1 + δ_ab) each.
#include "fem/engine.h"

// Where a part of an element (lb_element_parts) has its density and its material.
static size_t part_place(const lbElementSet *set, int32_t slot, int32_t part) {
  size_t parts = (size_t)lb_element_parts(set->kind);
  return ((size_t)(slot / LB_BATCH) * parts + (size_t)part) * LB_BATCH + (size_t)(slot % LB_BATCH);
}

static double part_density(const lbElementSet *set, int32_t slot, int32_t part, int32_t only) {
  size_t at = part_place(set, slot, part);
  return only < 0 || set->materials[at] == only ? set->densities[at] : 0;
}

static double point_weight(const lbElementSet *set, int32_t slot, int32_t point) {
  size_t points = (size_t)lb_element_points(set->kind), batch = (size_t)(slot / LB_BATCH);
  return set->rest[((batch * points + (size_t)point) * LB_POINT_REST + 9) * LB_BATCH +
                   (size_t)(slot % LB_BATCH)];
}

// The nodes a, b and c of a flap are those of its first triangle, a, b and d of the second.
static void add_flap_mass(const lbElementSet *set, int32_t slot, int32_t only, double *mass) {
  for (int32_t side = 0; side < 2; side++) {
    double third = part_density(set, slot, side, only) * point_weight(set, slot, side);
    const int32_t nodes[3] = { 0, 1, 2 + side };
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) mass[4 * nodes[a] + nodes[b]] += third / 12 * (a == b ? 2 : 1);
  }
}

static void add_solid_mass(const lbElementSet *set, int32_t slot, int32_t only, double *mass) {
  int32_t nodes = lb_element_nodes(set->kind);
  double density = part_density(set, slot, 0, only);
  for (int32_t p = 0; p < lb_element_points(set->kind); p++) {
    double weight = density * point_weight(set, slot, p);
    double gradients[3 * LB_ELEMENT_NODES_MAX], N[LB_ELEMENT_NODES_MAX], unused;
    lb_element_shape(set->kind, p, gradients, N, &unused);
    for (int32_t a = 0; a < nodes; a++)
      for (int32_t b = 0; b < nodes; b++)
        mass[a * nodes + b] +=
            set->kind == LB_ELEMENT_TET4 ? weight / 20 * (a == b ? 2 : 1) : weight * N[a] * N[b];
  }
}

// Mass of the elements with material `only`; -1: of all elements.
static void find_element_mass(const lbElementSet *set, int32_t slot, int32_t only, double *mass) {
  int32_t nodes = lb_element_nodes(set->kind);
  for (int32_t i = 0; i < nodes * nodes; i++) mass[i] = 0;
  if (set->kind == LB_ELEMENT_FLAP)
    add_flap_mass(set, slot, only, mass);
  else
    add_solid_mass(set, slot, only, mass);
}

void lb_fem_element_mass(const lbElementSet *set, int32_t slot, double *mass) {
  find_element_mass(set, slot, -1, mass);
}

// *context: the material that counts; NULL: all.
static void fill_mass_chunk(const lbFem *fem, int32_t chunk, double *blocks, void *context) {
  const int32_t *only = context;
  const lbElementSet *set = &fem->sets[fem->chunks[chunk].set];
  int32_t nodes = lb_element_nodes(set->kind), pairs = lb_element_pairs(set->kind);
  int32_t begin = fem->chunks[chunk].batch_begin * LB_BATCH;
  for (int32_t slot = begin; slot < fem->chunks[chunk].batch_end * LB_BATCH; slot++) {
    double mass[LB_ELEMENT_NODES_MAX * LB_ELEMENT_NODES_MAX];
    find_element_mass(set, slot, only ? *only : -1, mass);
    double *element = blocks + 9 * (size_t)pairs * (size_t)(slot - begin);
    for (int32_t b = 0; b < nodes; b++)
      for (int32_t a = 0; a <= b; a++)
        for (int i = 0; i < 9; i++)
          element[9 * lb_element_pair(a, b) + i] = i % 4 == 0 ? mass[a * nodes + b] : 0;
  }
}

static lbStatus consistent_mass(const lbFem *fem, int32_t *only, lbSparse **out, lbError *err) {
  double *partials = lb_alloc((size_t)fem->partial_count, 9 * sizeof(double));
  lbSparse *all = NULL;
  lbStatus status =
      partials ? lb_sparse_borrow_pattern(fem->pattern, &all, err) : lb_fail_memory(err);
  if (!status) lb_fem_sum_blocks(fem, fill_mass_chunk, only, partials, all->values);
  lb_free(partials);
  if (!status) status = lb_sparse_copy_nonzeros(all, out, err); // one in three: m_ab 1
  lb_sparse_destroy(all);
  return status;
}

static lbStatus lumped_mass(const lbFem *fem, const double *masses, lbSparse **out, lbError *err) {
  size_t size = 3 * (size_t)fem->node_count;
  double *diagonal = lb_alloc(size, sizeof(double));
  if (!diagonal) return lb_fail_memory(err);
  for (size_t i = 0; i < size; i++) diagonal[i] = masses[fem->vertex_of_node[i / 3]];
  lbStatus status = lb_sparse_create_diagonal((int32_t)size, diagonal, out, err);
  lb_free(diagonal);
  return status;
}

// Row sums of the elements' masses, gathered as if they were forces along x. only: a material, or
// -1: all.
static lbStatus sum_rows(const lbFem *fem, int32_t only, double *masses, lbError *err) {
  double *sums = lb_alloc((size_t)fem->force_count * 3, sizeof(double));
  double *gathered = lb_alloc((size_t)fem->vertex_count * 3, sizeof(double));
  lbStatus status = sums && gathered ? LB_OK : lb_fail_memory(err);
  for (int32_t s = 0; s < fem->set_count && !status; s++) {
    const lbElementSet *set = &fem->sets[s];
    int32_t nodes = lb_element_nodes(set->kind);
    for (int32_t slot = 0; slot < set->element_count; slot++) {
      double mass[LB_ELEMENT_NODES_MAX * LB_ELEMENT_NODES_MAX];
      find_element_mass(set, slot, only, mass);
      for (int32_t i = 0; i < nodes * nodes; i++)
        sums[3 * ((size_t)set->force_begin + (size_t)(slot * nodes + i / nodes))] += mass[i];
    }
  }
  if (!status) lb_fem_gather_forces(fem, sums, gathered);
  for (int32_t v = 0; v < fem->vertex_count && !status; v++) masses[v] = gathered[3 * (size_t)v];
  lb_free(sums);
  lb_free(gathered);
  return status;
}

static lbStatus vertex_masses(lbFem *fem, lbError *err) {
  fem->vertex_masses = lb_alloc((size_t)fem->vertex_count, sizeof(double));
  if (!fem->vertex_masses) return lb_fail_memory(err);
  lbStatus status = sum_rows(fem, -1, fem->vertex_masses, err);
  for (int32_t v = 0; v < fem->vertex_count && !status; v++)
    fem->total_mass += fem->vertex_masses[v];
  return status;
}

// moments += Σ m_ab (x_a − c)(x_b − c)ᵀ of one element.
static void add_element_moments(const lbFem *fem, const lbElementSet *set, int32_t slot,
                                const double c[3], double moments[3][3]) {
  double mass[LB_ELEMENT_NODES_MAX * LB_ELEMENT_NODES_MAX], arms[LB_ELEMENT_NODES_MAX][3];
  int32_t nodes = lb_element_nodes(set->kind);
  const int32_t *vertices =
      set->vertices + (size_t)(slot / LB_BATCH) * (size_t)nodes * LB_BATCH + slot % LB_BATCH;
  lb_fem_element_mass(set, slot, mass);
  for (int32_t a = 0; a < nodes; a++)
    for (int i = 0; i < 3; i++)
      arms[a][i] = fem->positions[3 * (size_t)vertices[a * LB_BATCH] + i] - c[i];
  for (int32_t a = 0; a < nodes; a++)
    for (int32_t b = 0; b < nodes; b++)
      for (int i = 0; i < 9; i++)
        moments[i / 3][i % 3] += mass[a * nodes + b] * arms[a][i / 3] * arms[b][i % 3];
}

void lb_fem_second_moments(const lbFem *fem, const double c[3], double moments[3][3]) {
  for (int i = 0; i < 9; i++) moments[i / 3][i % 3] = 0;
  if (fem->mass_kind == LB_MASS_LUMPED) {
    for (int32_t v = 0; v < fem->vertex_count; v++) {
      const double *x = fem->positions + 3 * (size_t)v;
      for (int i = 0; i < 9; i++)
        moments[i / 3][i % 3] +=
            fem->vertex_masses[v] * (x[i / 3] - c[i / 3]) * (x[i % 3] - c[i % 3]);
    }
    return;
  }
  if (fem->engine) {
    fem->engine->second_moments(fem, c, moments);
    return;
  }
  for (int32_t s = 0; s < fem->set_count; s++)
    for (int32_t slot = 0; slot < fem->sets[s].element_count; slot++)
      add_element_moments(fem, &fem->sets[s], slot, c, moments);
}

// y_a = Σ m_ab x_b of one element.
static void multiply_mass_element(const lbElementSet *set, int32_t slot, int32_t only,
                                  const double *x, double *y) {
  double mass[LB_ELEMENT_NODES_MAX * LB_ELEMENT_NODES_MAX];
  int32_t nodes = lb_element_nodes(set->kind);
  const int32_t *vertices =
      set->vertices + (size_t)(slot / LB_BATCH) * (size_t)nodes * LB_BATCH + slot % LB_BATCH;
  find_element_mass(set, slot, only, mass);
  for (int32_t a = 0; a < nodes; a++)
    for (int32_t b = 0; b < nodes; b++)
      for (int i = 0; i < 3; i++)
        y[3 * a + i] += mass[a * nodes + b] * x[3 * (size_t)vertices[b * LB_BATCH] + i];
}

static lbStatus multiply_lumped(const lbFem *fem, int32_t only, const double *x, double *y,
                                lbError *err) {
  double *masses =
      only < 0 ? fem->vertex_masses : lb_alloc((size_t)fem->vertex_count, sizeof *masses);
  lbStatus status = masses ? LB_OK : lb_fail_memory(err);
  if (!status && only >= 0) status = sum_rows(fem, only, masses, err);
  for (size_t i = 0; i < 3 * (size_t)fem->vertex_count && !status; i++) y[i] = masses[i / 3] * x[i];
  if (only >= 0) lb_free(masses);
  return status;
}

lbStatus lb_fem_part_mass_product(const lbFem *fem, int32_t only, const double *x, double *y,
                                  lbError *err) {
  if (fem->mass_kind == LB_MASS_LUMPED) return multiply_lumped(fem, only, x, y, err);
  double *products = lb_alloc((size_t)fem->force_count * 3, sizeof(double));
  if (!products) return lb_fail_memory(err);
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    size_t nodes = (size_t)lb_element_nodes(set->kind);
    for (int32_t slot = 0; slot < set->element_count; slot++)
      multiply_mass_element(set, slot, only, x,
                            products + 3 * ((size_t)set->force_begin + (size_t)slot * nodes));
  }
  lb_fem_gather_forces(fem, products, y);
  lb_free(products);
  return LB_OK;
}

lbStatus lb_fem_mass_product(const lbFem *fem, const double *x, double *y, lbError *err) {
  return fem->engine ? fem->engine->multiply_all(fem, -1, 1, x, y, err)
                     : lb_fem_part_mass_product(fem, -1, x, y, err);
}

// angular += x × p
static void add_moment(const double x[3], const double p[3], double angular[3]) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    angular[i] += x[j] * p[k] - x[k] * p[j];
  }
}

// angular += Σ m_ab x_a × v_b of one element.
static void add_element_momentum(const lbFem *fem, const lbElementSet *set, int32_t slot,
                                 const double *u, const double *v, double angular[3]) {
  double mass[LB_ELEMENT_NODES_MAX * LB_ELEMENT_NODES_MAX];
  int32_t nodes = lb_element_nodes(set->kind);
  const int32_t *vertices =
      set->vertices + (size_t)(slot / LB_BATCH) * (size_t)nodes * LB_BATCH + slot % LB_BATCH;
  lb_fem_element_mass(set, slot, mass);
  for (int32_t a = 0; a < nodes; a++) {
    size_t at = 3 * (size_t)vertices[a * LB_BATCH];
    double x[3], p[3] = { 0 }; // p = Σ_b m_ab v_b
    for (int i = 0; i < 3; i++) x[i] = fem->positions[at + (size_t)i] + u[at + (size_t)i];
    for (int32_t b = 0; b < nodes; b++)
      for (int i = 0; i < 3; i++)
        p[i] += mass[a * nodes + b] * v[3 * (size_t)vertices[b * LB_BATCH] + (size_t)i];
    add_moment(x, p, angular);
  }
}

void lb_fem_momentum(const lbFem *fem, const double *u, const double *v, double linear[3],
                     double angular[3]) {
  for (int i = 0; i < 3; i++) linear[i] = angular[i] = 0;
  for (size_t n = 0; n < (size_t)fem->vertex_count; n++) {
    double x[3], p[3];
    for (size_t i = 0; i < 3; i++) {
      x[i] = fem->positions[3 * n + i] + u[3 * n + i];
      p[i] = fem->vertex_masses[n] * v[3 * n + i]; // row sums of either mass
      linear[i] += p[i];
    }
    if (fem->mass_kind == LB_MASS_LUMPED) add_moment(x, p, angular);
  }
  if (fem->mass_kind == LB_MASS_LUMPED) return;
  for (int32_t s = 0; s < fem->set_count; s++)
    for (int32_t slot = 0; slot < fem->sets[s].element_count; slot++)
      add_element_momentum(fem, &fem->sets[s], slot, u, v, angular);
}

lbStatus lb_fem_mass_matrix(const lbFem *fem, lbMassKind kind, lbSparse **out, lbError *err) {
  return kind == LB_MASS_LUMPED ? lumped_mass(fem, fem->vertex_masses, out, err)
                                : consistent_mass(fem, NULL, out, err);
}

lbStatus lb_fem_material_mass(const lbFem *fem, int32_t material, double *masses, lbSparse **out,
                              lbError *err) {
  lbStatus status = sum_rows(fem, material, masses, err);
  if (status) return status;
  return fem->mass_kind == LB_MASS_LUMPED ? lumped_mass(fem, masses, out, err)
                                          : consistent_mass(fem, &material, out, err);
}

lbStatus lb_fem_mass(lbFem *fem, lbMassKind kind, lbError *err) {
  lbStatus status = vertex_masses(fem, err);
  if (status) return status;
  fem->mass_kind = kind;
  return lb_fem_mass_matrix(fem, kind, &fem->mass, err);
}
