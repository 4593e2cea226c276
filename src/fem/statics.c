// Static equilibrium R(u) = f of a dead load: Newton on the total potential W(u) − f·u with line
// search; where the whole load at once does not converge, it is put on in steps that halve and
// double by themselves.
#include "fem/assembler.h"
#include "fem/solve.h"

#include <math.h>
#include <string.h>

lbStaticDef lb_static_def(void) {
  return (lbStaticDef){ .tolerance = 1e-10, .iterations = 50, .load_steps_max = 200 };
}

typedef struct Solver {
  const lbFem *fem;
  const lbStaticDef *def;
  lbAssembler *assembler;
  lbSparse *K;
  lbCholesky *factor;
  size_t size, full_size;
  double *load;     // system: f
  double *force;    // full: R(u)
  double *trial;    // full: u along the line search
  double *residual; // system: s f − R(u)
  double *step;     // system: the Newton step
  lbStaticResult result;
} Solver;

static void release_statics(Solver *s) {
  lb_assembler_destroy(s->assembler);
  lb_sparse_destroy(s->K);
  lb_cholesky_destroy(s->factor);
  lb_free(s->load);
  lb_free(s->force);
  lb_free(s->trial);
  lb_free(s->residual);
  lb_free(s->step);
}

static lbStatus prepare_statics(Solver *s, const double *load, lbError *err) {
  s->size = 3 * (size_t)s->fem->node_count;
  s->full_size = 3 * (size_t)s->fem->vertex_count;
  s->load = lb_alloc(s->size, sizeof(double));
  s->residual = lb_alloc(s->size, sizeof(double));
  s->step = lb_alloc(s->size, sizeof(double));
  s->force = lb_alloc(s->full_size, sizeof(double));
  s->trial = lb_alloc(s->full_size, sizeof(double));
  if (!s->load || !s->residual || !s->step || !s->force || !s->trial) return lb_fail_memory(err);
  lb_fem_compress(s->fem, load, s->load);
  lbStatus status = lb_assembler_create(s->fem, &s->assembler, err);
  if (!status) status = lb_sparse_copy_pattern(s->fem->pattern, &s->K, err);
  if (!status) status = lb_cholesky_create(s->K, &s->factor, err);
  return status;
}

// Parts joined by a vertex or an edge alone swing although every one is "held" together: then the
// stiffness at rest is singular.
static lbStatus check_rest(Solver *s, lbError *err) {
  memset(s->trial, 0, s->full_size * sizeof(double));
  lb_assemble(s->assembler, s->trial, NULL, s->K);
  lbStatus status = lb_cholesky_factor(s->factor, s->K, err);
  if (status == LB_ERR_NUMERIC ||
      (!status && lb_cholesky_info(s->factor).reciprocal_condition < 1e-16))
    return lb_fail(
        err, LB_ERR_ARGUMENT,
        "%s: the fixed vertices do not hold the body: some elements are attached to others by a "
        "single vertex or edge and can swing; see `limber mesh` for non-manifold places",
        s->fem->name);
  return status;
}

// residual = scale f − R(u) from s->force; returns its norm.
static double find_statics_residual(Solver *s, double scale) {
  lb_fem_compress(s->fem, s->force, s->residual);
  for (size_t i = 0; i < s->size; i++) s->residual[i] = scale * s->load[i] - s->residual[i];
  return lb_norm(s->size, s->residual);
}

static double element_force_norm(const Solver *s) {
  return lb_norm(3 * (size_t)s->fem->force_count, s->assembler->element_forces);
}

// What rounding leaves of the residual: forces of many elements cancel at each node, and the
// displacements themselves are rounded, which a stiff membrane that bends far feels.
static double residual_floor(const Solver *s, const double *u) {
  double sum = 0;
  for (size_t i = 0; i < s->size; i++) {
    size_t at = 3 * (size_t)s->fem->vertex_of_node[i / 3] + i % 3;
    double product = s->K->values[s->K->column_begin[i + 1] - 1] * u[at]; // of the diagonal
    sum += product * product;
  }
  return fmax(1e-15 * element_force_norm(s), 5e-16 * sqrt(sum));
}

// W(u + t step) − scale f·(u + t step), at s->trial, with s->force.
static double potential_at(Solver *s, const double *u, double t, double scale) {
  double work = 0;
  memcpy(s->trial, u, s->full_size * sizeof(double));
  for (int32_t n = 0; n < s->fem->node_count; n++)
    for (int i = 0; i < 3; i++) {
      double *x = &s->trial[3 * (size_t)s->fem->vertex_of_node[n] + i];
      *x += t * s->step[3 * (size_t)n + i];
      work += s->load[3 * (size_t)n + i] * *x;
    }
  return lb_assemble(s->assembler, s->trial, s->force, NULL) - scale * work;
}

// Backtracks until the potential decreases sufficiently (Armijo), or the residual does where the
// decrease of the potential is lost in rounding. Moves u there and updates the potential; false
// when no step helps.
static bool search_statics_line(Solver *s, double *u, double scale, double norm,
                                double *potential) {
  double slope = lb_dot_product(s->size, s->residual, s->step); // −dΠ/dt at t = 0
  double rounding = 1e-13 * (fabs(*potential) + slope);
  for (double t = 1; t > 1e-7; t *= 0.5) {
    double reached = potential_at(s, u, t, scale);
    if (!isfinite(reached)) continue;
    bool falls = reached <= *potential - 1e-4 * t * slope;
    if (!falls && reached <= *potential + rounding) falls = find_statics_residual(s, scale) < norm;
    if (!falls) continue;
    memcpy(u, s->trial, s->full_size * sizeof(double));
    *potential = reached;
    return true;
  }
  return false;
}

// Newton at one load factor. *converged: whether; u holds the last iterate.
static lbStatus newton(Solver *s, double *u, double scale, bool *converged, lbError *err) {
  double reference = fabs(scale) * lb_norm(s->size, s->load);
  memset(s->step, 0, s->size * sizeof(double));
  double potential = potential_at(s, u, 0, scale);
  if (!(reference > 0)) reference = element_force_norm(s); // only the start strains the body
  for (int32_t i = 0;; i++) {
    double norm = find_statics_residual(s, scale);
    s->result.residual = reference > 0 ? norm / reference : norm;
    *converged =
        isfinite(norm) && (norm <= s->def->tolerance * reference || norm <= residual_floor(s, u));
    if (*converged || i == s->def->iterations || !isfinite(norm)) return LB_OK;
    bool shifted;
    lb_assemble(s->assembler, u, NULL, s->K);
    lbStatus status = lb_factor_or_shift(s->factor, s->K, s->fem->mass, &shifted, err);
    if (status == LB_ERR_NUMERIC) return LB_OK; // not converged
    memcpy(s->step, s->residual, s->size * sizeof(double));
    if (!status) status = lb_cholesky_solve(s->factor, 1, s->step, err);
    if (status) return status;
    s->result.shift_count += shifted;
    s->result.iterations++;
    if (!search_statics_line(s, u, scale, norm, &potential)) return LB_OK;
  }
}

static lbStatus solve_in_steps(Solver *s, double *u, lbError *err) {
  double *start = lb_duplicate(u, s->full_size, sizeof(double));
  if (!start) return lb_fail_memory(err);
  double reached = 0, increment = 1;
  lbStatus status = LB_OK;
  for (int32_t tries = 0; reached < 1 && !status; tries++) {
    bool converged = false;
    double scale = reached + increment < 1 ? reached + increment : 1;
    if (!lb_progress("static solve", reached)) {
      status = lb_fail_interrupted(err, "static solve");
      break;
    }
    status = newton(s, u, scale, &converged, err);
    if (converged) {
      memcpy(start, u, s->full_size * sizeof(double));
      reached = scale;
      increment *= 2;
      s->result.load_steps++;
    } else {
      memcpy(u, start, s->full_size * sizeof(double));
      increment = (scale - reached) / 4;
    }
    if (!status && reached < 1 && (increment < 1e-6 || tries >= s->def->load_steps_max))
      status = lb_fail(err, LB_ERR_NUMERIC,
                       "%s: no equilibrium found beyond %.3g of the load (relative residual %.2e "
                       "where it stopped); the body may have collapsed: reduce the load or stiffen "
                       "the material",
                       s->fem->name, reached, s->result.residual);
  }
  lb_free(start);
  return status;
}

lbStatus lb_fem_static(const lbFem *fem, const double *load, const lbStaticDef *def,
                       double *displacement, lbStaticResult *out, lbError *err) {
  Solver s = { .fem = fem, .def = def };
  lbStatus status = prepare_statics(&s, load, err);
  double *u = status ? NULL : lb_duplicate(displacement, s.full_size, sizeof(double));
  if (!status && !u) status = lb_fail_memory(err);
  if (!status) status = lb_fem_check_held(fem, err);
  if (!status) status = check_rest(&s, err);
  if (!status) status = solve_in_steps(&s, u, err);
  if (!status) {
    s.result.energy = lb_assemble(s.assembler, u, NULL, NULL);
    memcpy(displacement, u, s.full_size * sizeof(double));
    *out = s.result;
  }
  lb_free(u);
  release_statics(&s);
  return status;
}
