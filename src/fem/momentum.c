// Rigid velocities, momenta and resultants of a body that nothing holds; see momentum.h.
#include "fem/momentum.h"

#include <math.h>
#include <string.h>

static bool is_free_and_turns(const lbFem *fem) {
  bool turns = fem->mass != NULL;
  for (int32_t v = 0; v < fem->vertex_count; v++) turns = turns && !fem->fixed[v];
  for (int32_t k = 0; k < fem->set_count; k++)
    turns = turns && fem->sets[k].model != LB_MATERIAL_LINEAR;
  return turns;
}

lbStatus lb_momentum_create(const lbFem *fem, lbMomentum **out, lbError *err) {
  if (!is_free_and_turns(fem)) return LB_OK;
  lbMomentum *m = lb_alloc(1, sizeof *m);
  if (!m) return lb_fail_memory(err);
  m->fem = fem;
  m->arms = lb_alloc(3 * (size_t)fem->node_count, sizeof(double));
  m->products = lb_alloc(9 * (size_t)fem->node_count, sizeof(double));
  m->moves = lb_alloc(18 * (size_t)fem->node_count, sizeof(double));
  *out = m;
  return m->arms && m->products && m->moves ? LB_OK : lb_fail_memory(err);
}

void lb_momentum_destroy(lbMomentum *m) {
  if (!m) return;
  lb_free(m->arms);
  lb_free(m->products);
  lb_free(m->moves);
  lb_free(m);
}

static double node_mass(const lbFem *fem, size_t node) {
  return fem->vertex_masses[fem->vertex_of_node[node]];
}

static void find_arms(lbMomentum *m, const double *displacement) {
  const lbFem *fem = m->fem;
  size_t nodes = (size_t)fem->node_count;
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (size_t n = 0; n < nodes; n++) {
    lbVec3 rest = lb_vec3_load(fem->positions + 3 * (size_t)fem->vertex_of_node[n]);
    lbVec3 place = lb_add(rest, lb_vec3_load(displacement + 3 * n));
    lb_vec3_store(m->arms + 3 * n, place);
    sum = lb_add_scaled(sum, node_mass(fem, n) / fem->total_mass, place);
  }
  m->centre = sum;
  for (size_t n = 0; n < nodes; n++)
    lb_vec3_store(m->arms + 3 * n, lb_sub(lb_vec3_load(m->arms + 3 * n), sum));
}

void lb_momentum_place(lbMomentum *m, const double *displacement, double *work) {
  size_t nodes = (size_t)m->fem->node_count;
  find_arms(m, displacement);
  m->bordered = false;
  for (int k = 0; k < 3; k++) {
    lbVec3 axis = lb_vec3(k == 0, k == 1, k == 2);
    double *product = m->products + 3 * (size_t)k * nodes;
    for (size_t n = 0; n < nodes; n++)
      lb_vec3_store(work + 3 * n, lb_cross(axis, lb_vec3_load(m->arms + 3 * n)));
    lb_sparse_multiply(m->fem->mass, work, product);
    lbVec3 column = lb_momentum_resultants(m, product).angular;
    m->inertia.m[k] = column.x, m->inertia.m[3 + k] = column.y, m->inertia.m[6 + k] = column.z;
  }
  m->inverse = lb_mat3_inverse(m->inertia);
}

static double dot_of(size_t count, const double *x, const double *y) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += x[i] * y[i];
  return sum;
}

lbMomenta lb_momentum_of(const lbMomentum *m, const double *v) {
  size_t nodes = (size_t)m->fem->node_count, size = 3 * nodes;
  lbMomenta sum = { 0 };
  for (size_t n = 0; n < nodes; n++)
    sum.linear = lb_add_scaled(sum.linear, node_mass(m->fem, n), lb_vec3_load(v + 3 * n));
  sum.angular = lb_vec3(dot_of(size, m->products, v), dot_of(size, m->products + size, v),
                        dot_of(size, m->products + 2 * size, v));
  return sum;
}

lbMomenta lb_momentum_resultants(const lbMomentum *m, const double *f) {
  lbMomenta sum = { 0 };
  for (size_t n = 0; n < (size_t)m->fem->node_count; n++) {
    lbVec3 force = lb_vec3_load(f + 3 * n);
    sum.linear = lb_add(sum.linear, force);
    sum.angular = lb_add(sum.angular, lb_cross(lb_vec3_load(m->arms + 3 * n), force));
  }
  return sum;
}

lbMomenta lb_momenta_add_scaled(lbMomenta a, double scale, lbMomenta b) {
  return (lbMomenta){ lb_add_scaled(a.linear, scale, b.linear),
                      lb_add_scaled(a.angular, scale, b.angular) };
}

static lbMomenta rates_of(const lbMomentum *m, double scale, lbMomenta momenta) {
  return (lbMomenta){ lb_scale(scale / m->fem->total_mass, momenta.linear),
                      lb_mat3_apply(m->inverse, lb_scale(scale, momenta.angular)) };
}

void lb_momentum_add_velocity(const lbMomentum *m, double scale, lbMomenta momenta, double *v) {
  lbMomenta rates = rates_of(m, scale, momenta);
  for (size_t n = 0; n < (size_t)m->fem->node_count; n++) {
    lbVec3 turned = lb_cross(rates.angular, lb_vec3_load(m->arms + 3 * n));
    lb_vec3_store(v + 3 * n, lb_add(lb_vec3_load(v + 3 * n), lb_add(rates.linear, turned)));
  }
}

void lb_momentum_add_force(const lbMomentum *m, double scale, lbMomenta resultants, double *f) {
  size_t nodes = (size_t)m->fem->node_count, size = 3 * nodes;
  lbMomenta rates = rates_of(m, scale, resultants);
  const double turns[] = { rates.angular.x, rates.angular.y, rates.angular.z };
  for (size_t n = 0; n < nodes; n++) {
    lbVec3 force = lb_scale(node_mass(m->fem, n), rates.linear);
    lb_vec3_store(f + 3 * n, lb_add(lb_vec3_load(f + 3 * n), force));
  }
  for (size_t k = 0; k < 3; k++)
    for (size_t i = 0; i < size; i++) f[i] += turns[k] * m->products[k * size + i];
}

// ---- Newton's method with the equations for momenta --------------------------------------------

enum { RIGID = 6 };

static void fill_columns(const lbMomentum *m, double *columns) {
  size_t nodes = (size_t)m->fem->node_count, size = 3 * nodes;
  memset(columns, 0, 3 * size * sizeof *columns);
  for (size_t k = 0; k < 3; k++)
    for (size_t n = 0; n < nodes; n++) columns[k * size + 3 * n + k] = node_mass(m->fem, n);
  memcpy(columns + 3 * size, m->products, 3 * size * sizeof *columns);
}

static void store(lbMomenta momenta, double x[RIGID]) {
  lb_vec3_store(x, momenta.linear);
  lb_vec3_store(x + 3, momenta.angular);
}

static bool factor_rigid(double S[RIGID * RIGID]) {
  for (int c = 0; c < RIGID; c++)
    for (int a = c; a < RIGID; a++) {
      double sum = S[RIGID * a + c];
      for (int k = 0; k < c; k++) sum -= S[RIGID * a + k] * S[RIGID * c + k];
      if (a == c && !(sum > 0)) return false;
      S[RIGID * a + c] = a == c ? sqrt(sum) : sum / S[(RIGID + 1) * c];
    }
  return true;
}

static void solve_rigid(const double L[RIGID * RIGID], double x[RIGID]) {
  for (int a = 0; a < RIGID; a++) {
    for (int k = 0; k < a; k++) x[a] -= L[RIGID * a + k] * x[k];
    x[a] /= L[(RIGID + 1) * a];
  }
  for (int a = RIGID; a-- > 0;) {
    for (int k = a + 1; k < RIGID; k++) x[a] -= L[RIGID * k + a] * x[k];
    x[a] /= L[(RIGID + 1) * a];
  }
}

static bool border(lbMomentum *m, lbCholesky *factor) {
  size_t size = 3 * (size_t)m->fem->node_count;
  fill_columns(m, m->moves);
  if (lb_cholesky_solve(factor, RIGID, m->moves, NULL)) return false;
  for (size_t k = 0; k < RIGID; k++)
    store(lb_momentum_of(m, m->moves + k * size), m->factors + RIGID * k);
  return m->bordered = factor_rigid(m->factors);
}

bool lb_momentum_take_out(lbMomentum *m, lbCholesky *factor, double *x) {
  size_t size = 3 * (size_t)m->fem->node_count;
  double shares[RIGID];
  if (!m->bordered && !border(m, factor)) return false;
  store(lb_momentum_of(m, x), shares);
  solve_rigid(m->factors, shares);
  for (size_t k = 0; k < RIGID; k++)
    for (size_t i = 0; i < size; i++) x[i] -= shares[k] * m->moves[k * size + i];
  return true;
}
