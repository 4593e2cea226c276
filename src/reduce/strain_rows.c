// Green strains of modes, eight points at a time; see strain_rows.h.
#include "reduce/strain_rows.h"

#include "math/cubic_form.h"

#include <math.h>
#include <string.h>

enum { LANES = LB_BATCH, GRADIENT = 9 * LANES, STRAIN = 6 * LANES };

#define FOR_LANES for (int lane = 0; lane < LANES; lane++)

int32_t lb_strain_rows(lbStrainWeight weight) { return weight == LB_STRAIN_LAMBDA ? 1 : 6; }

size_t lb_strain_work_size(lbElementKind kind, int32_t mode_count) {
  return (size_t)lb_element_points(kind) * (size_t)mode_count * GRADIENT;
}

// ---- gradients of the modes --------------------------------------------------------------------

// Up to eight elements: their rest data lane by lane.
typedef struct Elements {
  int32_t nodes, points;
  int32_t vertices[LB_ELEMENT_NODES_MAX][LANES];
  double shape[LB_ELEMENT_POINTS_MAX][LB_ELEMENT_NODES_MAX * 3][LANES]; // ∂N_a/∂X_j
  double factor[LB_ELEMENT_POINTS_MAX][LANES]; // of all rows: √(2 μ V) or the like
  double spread[LANES];                        // of the trace over the normals
} Elements;

// √C = √(2 μ) (I + spread 11^T) on the normals: its eigenvalue along 1 is √(3 λ + 2 μ).
static void weigh(lbStrainWeight weight, double lambda, double mu, double *stiffness,
                  double *spread) {
  *stiffness = weight == LB_STRAIN_WHOLE ? 2 * mu : weight == LB_STRAIN_MU ? 2 : 1;
  *spread = weight == LB_STRAIN_WHOLE ? (sqrt((3 * lambda + 2 * mu) / (2 * mu)) - 1) / 3 : 0;
}

static void take_point(Elements *elements, lbElementKind kind, int32_t point, const double *rest,
                       double stiffness, int lane) {
  double local[3 * LB_ELEMENT_NODES_MAX], values[LB_ELEMENT_NODES_MAX], unused;
  lb_element_shape(kind, point, local, values, &unused);
  for (int32_t a = 0; a < elements->nodes; a++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += local[3 * a + k] * rest[(3 * k + j) * LB_BATCH];
      elements->shape[point][3 * a + j][lane] = sum;
    }
  elements->factor[point][lane] = sqrt(rest[9 * LB_BATCH] * stiffness);
}

static void take_element(Elements *elements, lbStrainWeight weight, const lbElementSet *set,
                         int32_t slot, int lane) {
  size_t batch = (size_t)(slot / LB_BATCH), from = (size_t)(slot % LB_BATCH);
  size_t nodes = (size_t)elements->nodes, points = (size_t)elements->points;
  const double *parameters = set->parameters + batch * LB_MATERIAL_PARAMETERS * LB_BATCH + from;
  double stiffness;
  weigh(weight, parameters[0], parameters[LB_BATCH], &stiffness, &elements->spread[lane]);
  for (size_t a = 0; a < nodes; a++)
    elements->vertices[a][lane] = set->vertices[(batch * nodes + a) * LB_BATCH + from];
  for (size_t p = 0; p < points; p++)
    take_point(elements, set->kind, (int32_t)p,
               set->rest + (batch * points + p) * LB_POINT_REST * LB_BATCH + from, stiffness, lane);
}

// G_ij = ∂u_i/∂X_j of one mode at every point: gradients[point][mode][9][lane].
static void mode_gradients(const Elements *elements, const double *mode, size_t point_stride,
                           double *gradients) {
  double u[3 * LB_ELEMENT_NODES_MAX][LANES];
  for (int32_t a = 0; a < elements->nodes; a++) FOR_LANES {
      const double *from = mode + 3 * (size_t)elements->vertices[a][lane];
      for (int i = 0; i < 3; i++) u[3 * a + i][lane] = from[i];
    }
  for (int32_t point = 0; point < elements->points; point++) {
    double *G = gradients + (size_t)point * point_stride;
    memset(G, 0, GRADIENT * sizeof *G);
    for (int32_t a = 0; a < elements->nodes; a++)
      for (int ij = 0; ij < 9; ij++) {
        const double *u_i = u[3 * a + ij / 3], *shape = elements->shape[point][3 * a + ij % 3];
        double *restrict sum = G + ij * LANES;
        FOR_LANES sum[lane] += u_i[lane] * shape[lane];
      }
  }
}

// ---- strains -----------------------------------------------------------------------------------

typedef struct PointWeight {
  lbStrainWeight weight;
  const double *factor, *spread;
} PointWeight;

static const int shears[3][2] = { { 1, 2 }, { 0, 2 }, { 0, 1 } };

// E1 = sym G: normals, then shears in Mandel form.
static void linear_strain(const double *G, double *restrict E) {
  for (int a = 0; a < 3; a++) {
    const double *ab = G + (3 * shears[a][0] + shears[a][1]) * LANES;
    const double *ba = G + (3 * shears[a][1] + shears[a][0]) * LANES;
    FOR_LANES E[a * LANES + lane] = G[4 * a * LANES + lane];
    FOR_LANES E[(3 + a) * LANES + lane] = sqrt(0.5) * (ab[lane] + ba[lane]);
  }
}

// E2 = 1/2 sym(G^T H)
static void quadratic_strain(const double *restrict G, const double *restrict H,
                             double *restrict E) {
  for (int a = 0; a < 3; a++) {
    const double *g = G + a * LANES, *h = H + a * LANES;
    FOR_LANES E[a * LANES + lane] =
        0.5 * (g[lane] * h[lane] + g[3 * LANES + lane] * h[3 * LANES + lane] +
               g[6 * LANES + lane] * h[6 * LANES + lane]);
    const double *gb = G + shears[a][0] * LANES, *gc = G + shears[a][1] * LANES;
    const double *hb = H + shears[a][0] * LANES, *hc = H + shears[a][1] * LANES;
    double *e = E + (3 + a) * LANES;
    FOR_LANES e[lane] =
        sqrt(0.125) *
        (gb[lane] * hc[lane] + gc[lane] * hb[lane] + gb[3 * LANES + lane] * hc[3 * LANES + lane] +
         gc[3 * LANES + lane] * hb[3 * LANES + lane] + gb[6 * LANES + lane] * hc[6 * LANES + lane] +
         gc[6 * LANES + lane] * hb[6 * LANES + lane]);
  }
}

static void write_rows(const PointWeight *w, const double *restrict E, double *restrict rows) {
  const double *restrict factor = w->factor, *restrict spread = w->spread;
  double trace[LANES];
  FOR_LANES trace[lane] = E[lane] + E[LANES + lane] + E[2 * LANES + lane];
  if (w->weight == LB_STRAIN_LAMBDA) {
    FOR_LANES rows[lane] = factor[lane] * trace[lane];
    return;
  }
  FOR_LANES trace[lane] *= spread[lane];
  for (int a = 0; a < 3; a++) {
    FOR_LANES rows[a * LANES + lane] = factor[lane] * (E[a * LANES + lane] + trace[lane]);
    FOR_LANES rows[(3 + a) * LANES + lane] = factor[lane] * E[(3 + a) * LANES + lane];
  }
}

static void fill_point(const lbStrainColumns *columns, const PointWeight *w, const double *G,
                       size_t row) {
  double E[STRAIN];
  size_t r = (size_t)columns->mode_count, stride = columns->row_count;
  double *next = columns->A + r * stride + row; // e2_ij in packed order
  for (size_t j = 0; j < r; j++) {
    linear_strain(G + j * GRADIENT, E);
    write_rows(w, E, columns->A + j * stride + row);
    for (size_t i = 0; i <= j; i++, next += stride) {
      quadratic_strain(G + i * GRADIENT, G + j * GRADIENT, E);
      write_rows(w, E, next);
    }
  }
}

void lb_strain_fill(const lbStrainColumns *columns, const lbElementSet *set, const int32_t *slots,
                    int32_t slot_count, size_t row, double *gradients) {
  Elements elements = { .nodes = lb_element_nodes(set->kind),
                        .points = lb_element_points(set->kind) };
  for (int lane = 0; lane < LANES; lane++) {
    bool there = lane < slot_count;
    take_element(&elements, columns->weight, set, slots[there ? lane : slot_count - 1], lane);
    for (int32_t p = 0; p < elements.points && !there; p++) elements.factor[p][lane] = 0;
  }
  size_t r = (size_t)columns->mode_count;
  size_t rows = LANES * (size_t)lb_strain_rows(columns->weight);
  for (size_t i = 0; i < r; i++)
    mode_gradients(&elements, columns->basis + i * columns->basis_rows, r * GRADIENT,
                   gradients + i * GRADIENT);
  for (size_t p = 0; p < (size_t)elements.points; p++) {
    const PointWeight weight = { columns->weight, elements.factor[p], elements.spread };
    fill_point(columns, &weight, gradients + p * r * GRADIENT, row + p * rows);
  }
}
