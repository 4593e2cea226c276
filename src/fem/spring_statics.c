// Newton's method with line search on the potential of a body on springs.
#include "fem/spring_statics.h"

#include "fem/assembler.h"
#include "fem/solve.h"

#include <math.h>
#include <string.h>

struct lbSpringSolver {
  const lbFem *fem;
  lbAssembler *assembler;
  lbSparse *K;
  lbCholesky *factor;
  lbSprings springs;
  size_t size, full_size;
  double *force, *trial;            // full
  double *residual, *step, *nought; // system
  double pull;                      // sum of the springs' forces
};

void lb_spring_solver_destroy(lbSpringSolver *s) {
  if (!s) return;
  lb_assembler_destroy(s->assembler);
  lb_sparse_destroy(s->K);
  lb_cholesky_destroy(s->factor);
  lb_springs_release(&s->springs);
  lb_free(s->force);
  lb_free(s->trial);
  lb_free(s->residual);
  lb_free(s->step);
  lb_free(s->nought);
  lb_free(s);
}

lbStatus lb_spring_solver_create(const lbFem *fem, lbSpringSolver **out, lbError *err) {
  lbSpringSolver *s = lb_alloc(1, sizeof *s);
  if (!s) return lb_fail_memory(err);
  s->fem = fem;
  s->size = 3 * (size_t)fem->node_count;
  s->full_size = 3 * (size_t)fem->vertex_count;
  s->force = lb_alloc(s->full_size, sizeof(double));
  s->trial = lb_alloc(s->full_size, sizeof(double));
  s->residual = lb_alloc(s->size, sizeof(double));
  s->step = lb_alloc(s->size, sizeof(double));
  s->nought = lb_alloc(s->size, sizeof(double));
  bool room = s->force && s->trial && s->residual && s->step && s->nought;
  lbStatus status = room ? lb_assembler_create(fem, &s->assembler, err) : lb_fail_memory(err);
  if (!status) status = lb_sparse_copy_pattern(fem->pattern, &s->K, err);
  if (!status) status = lb_cholesky_create(s->K, &s->factor, err);
  if (status)
    lb_spring_solver_destroy(s);
  else
    *out = s;
  return status;
}

static double spring_energy(const lbSpringSolver *s, const double *u) {
  double sum = 0;
  for (size_t k = 0; k < s->springs.count; k++) {
    const lbSpring *spring = &s->springs.list[k];
    for (size_t i = 0; i < 3; i++) {
      double x = 0;
      for (int32_t a = 0; a < spring->count; a++) {
        size_t at = 3 * (size_t)spring->vertices[a] + i;
        x += spring->weights[a] * (s->fem->positions[at] + u[at]);
      }
      sum += 0.5 * spring->stiffness * (spring->target[i] - x) * (spring->target[i] - x);
    }
  }
  return sum;
}

// s->residual from s->force at u; returns its norm.
static double find_spring_statics_residual(lbSpringSolver *s, const double *u) {
  lb_fem_compress(s->fem, s->force, s->residual);
  for (size_t i = 0; i < s->size; i++) s->residual[i] = -s->residual[i];
  s->pull = lb_fem_springs_pull(&s->springs, s->fem, u, s->nought, s->residual);
  return lb_norm(s->size, s->residual);
}

// The potential at u + t step, which is then s->trial, with s->force there.
static double potential_at(lbSpringSolver *s, const double *u, double t, double *elastic) {
  memcpy(s->trial, u, s->full_size * sizeof(double));
  for (int32_t n = 0; n < s->fem->node_count; n++)
    for (size_t i = 0; i < 3; i++)
      s->trial[3 * (size_t)s->fem->vertex_of_node[n] + i] += t * s->step[3 * (size_t)n + i];
  *elastic = lb_assemble(s->assembler, s->trial, s->force, NULL);
  return *elastic + spring_energy(s, s->trial);
}

// Line search: moves u until the potential decreases sufficiently, or the residual does where the
// decrease of the potential is lost in rounding.
static bool search_spring_statics_line(lbSpringSolver *s, double *u, double norm, double *potential,
                                       double *elastic) {
  double slope = lb_dot_product(s->size, s->residual, s->step);
  double rounding = 1e-13 * (fabs(*potential) + slope);
  for (double t = 1; t > 1e-7; t *= 0.5) {
    double energy, reached = potential_at(s, u, t, &energy);
    if (!isfinite(reached)) continue;
    bool falls = reached <= *potential - 1e-4 * t * slope;
    if (!falls && reached <= *potential + rounding)
      falls = find_spring_statics_residual(s, s->trial) < norm;
    if (!falls) continue;
    memcpy(u, s->trial, s->full_size * sizeof(double));
    *potential = reached;
    *elastic = energy;
    return true;
  }
  return false;
}

lbStatus lb_spring_solve(lbSpringSolver *s, const lbSpring *springs, int32_t count,
                         int32_t iterations, double tolerance, double *u, lbSpringResult *result,
                         lbError *err) {
  bool alike, shifted;
  lbStatus status = lb_springs_set(&s->springs, s->fem, springs, count, &alike, err);
  if (status) return status;
  memset(s->step, 0, s->size * sizeof(double));
  *result = (lbSpringResult){ 0 };
  double potential = potential_at(s, u, 0, &result->energy);
  for (;;) {
    double norm = find_spring_statics_residual(s, u);
    double floor = 1e-15 * lb_norm(3 * (size_t)s->fem->force_count, s->assembler->element_forces);
    result->residual = s->pull > 0 ? norm / s->pull : norm;
    result->converged = norm <= tolerance * s->pull || norm <= floor;
    if (result->converged || result->iterations == iterations || !isfinite(norm)) return LB_OK;
    lb_assemble(s->assembler, u, NULL, s->K);
    lb_fem_springs_stiffen(&s->springs, s->fem, 0, s->K);
    status = lb_factor_or_shift(s->factor, s->K, s->fem->mass, &shifted, err);
    if (status == LB_ERR_NUMERIC) return LB_OK;
    memcpy(s->step, s->residual, s->size * sizeof(double));
    if (!status) status = lb_cholesky_solve(s->factor, 1, s->step, err);
    if (status) return status;
    result->iterations++;
    if (!search_spring_statics_line(s, u, norm, &potential, &result->energy)) return LB_OK;
  }
}
