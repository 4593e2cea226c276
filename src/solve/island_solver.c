// The choice of the method (island_solver.h).
#include "solve/island_solver.h"

#include "solve/active_set.h"
#include "solve/tolerances.h"

enum {
  SWEEPS_FIRST = 3, // from the forces of the last step
  SWEEPS_MAX = 80,  // then
  EXACT_FIRST = 24, // blocks: up to so many, the exact method costs no more than SWEEPS_MAX
};

size_t lb_island_solver_room(int32_t block_count) {
  return block_count <= LB_LCP_CONTACTS ? lb_lcp_room(block_count) : 0;
}

static bool is_finished(const lbContactProblem *problem, const double *x) {
  return lb_contact_residual(problem, x) <= LB_STEP_RESIDUAL * lb_contact_deepest(problem);
}

// True: converged within the sweeps, or finished.
static bool sweep_rows(const lbContactProblem *problem, int32_t sweeps_max, double *x,
                       lbIslandReport *report) {
  lbContactProblem p = *problem;
  p.sweeps_most = sweeps_max;
  int32_t sweeps = lb_contact_solve(&p, x);
  report->sweeps += sweeps;
  return sweeps < sweeps_max || is_finished(problem, x);
}

static bool solve_exactly(const lbContactProblem *problem, int32_t restarts, double *work,
                          double *x) {
  if (!work || !lb_lcp_solve(problem, LB_FORCE_ERROR, restarts, work, x)) return false;
  lb_contact_moves(problem, x);
  return true;
}

static bool any_rolls(const lbContactProblem *problem) {
  for (int32_t i = 0; i < problem->contact_count && problem->rolling; i++)
    if (lb_block_is_rolling(problem, problem->list ? problem->list[i] : i)) return true;
  return false;
}

lbIslandReport lb_island_solve(const lbContactProblem *problem, bool few, double *work, double *x) {
  if (any_rolls(problem)) work = NULL;
  lbIslandReport report = { .converged = true };
  if (sweep_rows(problem, SWEEPS_FIRST, x, &report) || few) return report;
  if (problem->contact_count <= EXACT_FIRST && solve_exactly(problem, 0, work, x)) return report;
  if (sweep_rows(problem, SWEEPS_MAX, x, &report)) return report;
  report.converged = solve_exactly(problem, 1, work, x);
  return report;
}
