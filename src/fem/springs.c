// Springs on an unreduced body; see springs.h.
#include "fem/springs.h"

#include <math.h>
#include <string.h>

static lbStatus check_spring(const lbFem *fem, const lbSpring *spring, int32_t number,
                             lbError *err) {
  bool finite = spring->stiffness >= 0 && isfinite(spring->stiffness) && spring->damping >= 0 &&
                isfinite(spring->damping);
  for (int i = 0; i < 3; i++) finite = finite && isfinite(spring->target[i]);
  if (spring->count < 1 || spring->count > LB_SPRING_VERTICES)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: spring %d has %d vertices; it must have 1 to %d",
                   fem->name, (int)number, (int)spring->count, LB_SPRING_VERTICES);
  for (int32_t a = 0; a < spring->count; a++) {
    if (spring->vertices[a] < 0 || spring->vertices[a] >= fem->vertex_count)
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: spring %d pulls vertex %d, the mesh has %d",
                     fem->name, (int)number, (int)spring->vertices[a], (int)fem->vertex_count);
    finite = finite && isfinite(spring->weights[a]);
  }
  if (!finite)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: spring %d: stiffness %g and damping %g must not be negative, and targets "
                   "and weights must be numbers",
                   fem->name, (int)number, spring->stiffness, spring->damping);
  return LB_OK;
}

static bool same_matrix(const lbSpring *a, const lbSpring *b) {
  size_t count = (size_t)a->count;
  return a->count == b->count && a->stiffness == b->stiffness && a->damping == b->damping &&
         !memcmp(a->vertices, b->vertices, count * sizeof *a->vertices) &&
         !memcmp(a->weights, b->weights, count * sizeof *a->weights);
}

lbStatus lb_springs_set(lbSprings *springs, const lbFem *fem, const lbSpring *list, int32_t count,
                        bool *alike, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < count && !status; i++) status = check_spring(fem, &list[i], i, err);
  if (status) return status;
  size_t items = count > 0 ? (size_t)count : 0;
  if (!lb_grow((void **)&springs->list, &springs->capacity, items, sizeof *list))
    return lb_fail_memory(err);
  *alike = springs->count == items;
  for (size_t i = 0; i < items && *alike; i++) *alike = same_matrix(&springs->list[i], &list[i]);
  if (items > 0) memcpy(springs->list, list, items * sizeof *list);
  springs->count = items;
  return LB_OK;
}

void lb_springs_release(lbSprings *springs) {
  lb_free(springs->list);
  *springs = (lbSprings){ 0 };
}

// Where the spring's point is.
static void place_spring_point(const lbSpring *spring, const lbFem *fem, const double *u,
                               double x[3]) {
  memset(x, 0, 3 * sizeof(double));
  for (int32_t a = 0; a < spring->count; a++)
    for (size_t i = 0; i < 3; i++) {
      size_t k = 3 * (size_t)spring->vertices[a] + i;
      x[i] += spring->weights[a] * (fem->positions[k] + u[k]);
    }
}

double lb_fem_springs_pull(const lbSprings *springs, const lbFem *fem, const double *u,
                           const double *velocity, double *residual) {
  double sum = 0;
  for (size_t s = 0; s < springs->count; s++) {
    const lbSpring *spring = &springs->list[s];
    double x[3], v[3] = { 0 }, force[3];
    place_spring_point(spring, fem, u, x);
    for (int32_t a = 0; a < spring->count; a++) {
      int32_t node = fem->node_of_vertex[spring->vertices[a]];
      for (size_t i = 0; i < 3 && node >= 0; i++)
        v[i] += spring->weights[a] * velocity[3 * (size_t)node + i];
    }
    for (int i = 0; i < 3; i++) {
      double pull = spring->stiffness * (spring->target[i] - x[i]);
      force[i] = pull - spring->damping * v[i];
      sum += fabs(pull);
    }
    for (int32_t a = 0; a < spring->count; a++) {
      int32_t node = fem->node_of_vertex[spring->vertices[a]];
      for (size_t i = 0; i < 3 && node >= 0; i++)
        residual[3 * (size_t)node + i] += spring->weights[a] * force[i];
    }
  }
  return sum;
}

static void add_spring_pair(lbSparse *A, int32_t a, int32_t b, double amount) {
  for (int32_t i = 0; i < 3; i++) {
    int32_t at = lb_sparse_find(A, 3 * a + i, 3 * b + i);
    if (at >= 0) {
      A->values[at] += amount;
    } else { // |x_a x_b| <= (x_a² + x_b²) / 2
      A->values[lb_sparse_find(A, 3 * a + i, 3 * a + i)] += fabs(amount);
      A->values[lb_sparse_find(A, 3 * b + i, 3 * b + i)] += fabs(amount);
    }
  }
}

void lb_fem_springs_stiffen(const lbSprings *springs, const lbFem *fem, double c_v, lbSparse *A) {
  for (size_t s = 0; s < springs->count; s++) {
    const lbSpring *spring = &springs->list[s];
    double k = spring->stiffness + c_v * spring->damping;
    for (int32_t p = 0; p < spring->count; p++)
      for (int32_t q = 0; q <= p; q++) {
        int32_t a = fem->node_of_vertex[spring->vertices[p]];
        int32_t b = fem->node_of_vertex[spring->vertices[q]];
        double amount = k * spring->weights[p] * spring->weights[q];
        // The upper half stands for both; a vertex named twice meets itself twice.
        if (a >= 0 && b >= 0) add_spring_pair(A, a, b, p != q && a == b ? 2 * amount : amount);
      }
  }
}

void lb_fem_spring_force(const lbSpring *spring, const lbFem *fem, const double *u, const double *v,
                         double force[3]) {
  double x[3];
  place_spring_point(spring, fem, u, x);
  for (size_t i = 0; i < 3; i++) {
    force[i] = spring->stiffness * (spring->target[i] - x[i]);
    for (int32_t a = 0; a < spring->count; a++)
      force[i] -= spring->damping * spring->weights[a] * v[3 * (size_t)spring->vertices[a] + i];
  }
}
