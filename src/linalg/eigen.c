// The lowest modes of K w = lambda M w by shift and invert.
//
// K + s M is factored with a small s > 0, so that a singular K (free bodies) needs no special case,
// and with s = 0 where K is known to be definite:
// theta = 1 / (lambda + s) are the largest eigenvalues of (K + s M)^-1 M, found by block Lanczos
// (lanczos.c), or all together by a dense solver when the system is small. Where the factor is in
// single precision, a search that corrects itself (davidson.c) comes first.
#include "linalg/eigen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/blas.h"
#include "linalg/davidson.h"
#include "linalg/dense.h"
#include "linalg/eigen_modes.h"
#include "linalg/lanczos.h"
#include "linalg/room.h"

// First s, in units of trace K / trace M: far above the rounding of the factorisation (1e-14), far
// below the first elastic eigenvalue of most bodies (1e-3 to 1e-9).
static const double FIRST_SHIFT = 1e-8, LEAST_SHIFT = 1e-11, LAST_SHIFT = 1e-3;
static const double DENSE_SHIFT = 1e-4;
// A definite K whose factor looks worse than this is shifted after all.
static const double LEAST_CONDITION = 1e-13;
// lambda below this times s may be a zero eigenvalue.
static const double ZERO_CANDIDATE = 1e-4;

enum { DENSE_SIZE = 300, MOST_RESTARTS = 100, VERIFY_STEPS = 4 };

lbEigenDef lb_eigen_def(int32_t count) {
  return (lbEigenDef){ .count = count, .tolerance = 1e-10, .compact_bytes = (size_t)256 << 20 };
}

void lb_eigen_destroy(lbEigen *eigen) {
  if (!eigen) return;
  lb_free(eigen->values);
  lb_free(eigen->vectors);
  lb_free(eigen->residuals);
  lb_free(eigen->rigid_vectors);
  lb_free(eigen);
}

// ---- the problem -------------------------------------------------------------------------------

static lbStatus fail_count(int32_t size, int32_t rigid_count, int32_t count, lbError *err) {
  return lb_fail(
      err, LB_ERR_ARGUMENT,
      "%d modes requested: the system has %d unknowns and %d rigid motions, ask for at most %d",
      count, size, rigid_count, size - rigid_count);
}

static lbStatus check_problem(const lbSparse *K, const lbSparse *M, const lbEigenDef *def,
                              lbError *err) {
  if (def->count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "%d modes requested, ask for at least 1", def->count);
  if (!(def->tolerance >= 1e-14 && def->tolerance <= 1e-2))
    return lb_fail(err, LB_ERR_ARGUMENT, "modes: tolerance %g, choose 1e-14 to 1e-2",
                   def->tolerance);
  lbStatus status = lb_sparse_validate(K, err);
  if (!status) status = lb_sparse_validate(M, err);
  if (status) return status;
  if (K->size != M->size)
    return lb_fail(err, LB_ERR_ARGUMENT, "modes: K has %d rows, M has %d", K->size, M->size);
  if (def->count > K->size)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%d modes requested: the system has %d unknowns, ask for fewer", def->count,
                   K->size);
  if (!lb_linalg_all_finite((size_t)lb_sparse_nonzero_count(K), K->values))
    return lb_fail(err, LB_ERR_NUMERIC,
                   "modes: the stiffness matrix holds a value that is not finite");
  if (!lb_linalg_all_finite((size_t)lb_sparse_nonzero_count(M), M->values))
    return lb_fail(err, LB_ERR_NUMERIC, "modes: the mass matrix holds a value that is not finite");
  return LB_OK;
}

// Traces of K and M; their ratio is the scale of all shifts.
static lbStatus find_eigen_scale(lbEigenProblem *problem, lbError *err) {
  int32_t size = problem->K->size;
  double *diagonal = lb_alloc((size_t)size, sizeof *diagonal), stiffness = 0, mass = 0;
  if (!diagonal) return lb_fail_memory(err);
  lbStatus status = LB_OK;
  lb_sparse_diagonal(problem->K, diagonal);
  for (int32_t i = 0; i < size; i++) stiffness += fabs(diagonal[i]);
  lb_sparse_diagonal(problem->M, diagonal);
  for (int32_t i = 0; i < size && !status; i++) {
    mass += diagonal[i];
    if (!(diagonal[i] > 0))
      status = lb_fail(err, LB_ERR_NUMERIC,
                       "modes: the mass matrix is not positive definite at row %d (%g); a vertex "
                       "without mass?",
                       i, diagonal[i]);
  }
  lb_free(diagonal);
  if (status) return status;
  problem->scale = stiffness / mass;
  if (stiffness == 0) return fail_count(size, size, problem->def.count, err);
  if (!isfinite(problem->scale) || problem->scale < 1e-200)
    return lb_fail(err, LB_ERR_NUMERIC, "modes: trace of K %g, of M %g: check the units", stiffness,
                   mass);
  return LB_OK;
}

// M itself, or a compressed copy if half of its entries are zero.
static lbStatus own_mass(const lbSparse *M, lbEigenProblem *problem, lbError *err) {
  int32_t zeros = 0, stored = lb_sparse_nonzero_count(M);
  for (int32_t k = 0; k < stored; k++) zeros += M->values[k] == 0;
  problem->M = M;
  if (zeros < stored / 2) return LB_OK;
  lbStatus status = lb_sparse_copy_nonzeros(M, &problem->own_M, err);
  problem->M = problem->own_M;
  return status;
}

static lbStatus fail_negative_pivots(const lbError *cause, lbError *err) {
  return lb_fail(err, LB_ERR_NUMERIC,
                 "modes: the stiffness or the mass matrix has a negative eigenvalue (K + s M: %s)",
                 cause->text);
}

// K + s M, with a larger s when rounding breaks the factorisation.
static lbStatus factor_shifted_stiffness(lbEigenProblem *problem, lbCholesky *factor, double first,
                                         lbError *err) {
  lbError cause = { 0 };
  lbStatus status = LB_OK;
  for (double s = first; s <= LAST_SHIFT * problem->scale * 1.001; s *= 100) {
    problem->shift = s;
    status = lb_cholesky_factor_shifted(factor, problem->K, s, problem->M, &cause);
    problem->factor_seconds += lb_cholesky_info(factor).factor_seconds;
    if (status != LB_ERR_NUMERIC) break;
  }
  if (status == LB_ERR_NUMERIC) return fail_negative_pivots(&cause, err);
  if (status && err) *err = cause;
  return status;
}

// The first factor of a search: the one that was kept, K itself, or K + s M.
static lbStatus factor_first(lbEigenProblem *problem, lbCholesky *factor, lbError *err) {
  const lbEigenFactor *kept = problem->def.kept;
  if (kept && kept->ready) {
    problem->shift = kept->shift;
    return LB_OK;
  }
  problem->shift = 0;
  if (problem->def.definite) {
    lbStatus status = lb_cholesky_factor(factor, problem->K, err);
    problem->factor_seconds += lb_cholesky_info(factor).factor_seconds;
    if (!status && lb_cholesky_info(factor).reciprocal_condition > LEAST_CONDITION) return LB_OK;
    if (status && status != LB_ERR_NUMERIC) return status;
  }
  return factor_shifted_stiffness(problem, factor, FIRST_SHIFT * problem->scale, err);
}

// ---- small systems: all modes, dense -----------------------------------------------------------

static void fill_dense(const lbSparse *A, double scale, double *D) {
  size_t n = (size_t)A->size;
  for (size_t j = 0; j < n; j++)
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++)
      D[j * n + (size_t)A->rows[k]] += scale * A->values[k];
}

// M w = theta (K + s M) w: the large theta, which are the low modes, come out most accurately. The
// vectors are orthogonal to rounding times theta ratios, hence the larger s.
static lbStatus solve_dense(lbEigenProblem *problem, lbEigen **out, lbError *err) {
  int32_t size = problem->K->size, rigid_count = 0;
  size_t n = (size_t)size;
  double *M = lb_alloc(n * n, sizeof *M), *S = lb_alloc(n * n, sizeof *S);
  double *theta = lb_alloc(n, sizeof *theta);
  lbCholesky *factor = NULL;
  lbStatus status = M && S && theta ? LB_OK : lb_fail_memory(err);
  if (status) goto done;
  problem->shift = DENSE_SHIFT * problem->scale;
  fill_dense(problem->M, 1, M);
  fill_dense(problem->K, 1, S);
  fill_dense(problem->M, problem->shift, S);
  lbError cause = { 0 };
  status = lb_dense_eigen_general(size, M, S, theta, &cause);
  if (status == LB_ERR_NUMERIC) status = fail_negative_pivots(&cause, err);
  if (!status && !(theta[0] > 0))
    status = lb_fail(err, LB_ERR_NUMERIC, "modes: the mass matrix is not positive definite");
  if (!status) status = lb_eigen_sort(problem, size, M, &rigid_count, out, err);
  if (!status && !*out) status = fail_count(size, rigid_count, problem->def.count, err);
  if (!status) status = lb_cholesky_create(problem->K, &factor, err);
  if (!status) status = factor_shifted_stiffness(problem, factor, problem->shift, err);
  if (!status) status = lb_eigen_sharpen(problem, factor, *out, err);
done:
  lb_cholesky_destroy(factor);
  lb_free(M);
  lb_free(S);
  lb_free(theta);
  return status;
}

// ---- large systems: block Lanczos --------------------------------------------------------------

// Columns of a block, by measurement. Wide blocks find the multiple eigenvalues of symmetric bodies
// and make solves cheaper; narrow ones reach more powers of the operator in the same space.
static int32_t block_width(int32_t count) { return count < 40 ? 8 : 16; }

// Usually lets the search converge without a restart, in less memory than the factor takes.
static int32_t space_capacity(int32_t wanted, int32_t block) {
  return 2 * wanted + (wanted < 128 ? wanted : 128) + 12 * block;
}

static double ritz_lambda(const lbLanczos *space, double shift, int32_t i) {
  return 1 / space->theta[i] - shift;
}

static int32_t count_eigen_candidates(const lbLanczos *space, double shift) {
  int32_t count = 0;
  while (count < space->m && ritz_lambda(space, shift, count) < ZERO_CANDIDATE * shift) count++;
  return count;
}

// What rounding leaves: of vectors that rigid motions are part of, the rest is known to this.
static double noise_of(const lbLanczos *space) { return 4e-16 * space->theta[0]; }

static int32_t count_converged_pairs(const lbLanczos *space, int32_t wanted, double tolerance) {
  double floor = noise_of(space);
  for (int32_t i = 0; i < wanted; i++)
    if (i == space->m || space->residuals[i] > fmax(tolerance * space->theta[i], floor)) return i;
  return wanted;
}

// Whether some cluster is as large as the block, so that members of it may be missing.
static bool may_have_missed(const lbLanczos *space, int32_t wanted, int32_t block) {
  for (int32_t first = 0; first + block <= wanted; first++)
    if (space->theta[first + block - 1] > (1 - 1e-7) * space->theta[first]) return true;
  return false;
}

typedef struct Search {
  lbEigenProblem *problem;
  lbLanczos *space;
  int32_t block;
  int32_t rigid_guess, wanted; // wanted = count + rigid_guess
  int32_t next_check;          // size of the space at which Ritz values are next looked at
  int32_t restarts;
  double better_shift; // 0, or the search should begin anew with this s
} Search;

static lbStatus set_wanted(Search *search, int32_t rigid_guess, lbError *err) {
  lbLanczos *space = search->space;
  search->rigid_guess = rigid_guess;
  search->wanted = search->problem->def.count + rigid_guess;
  int32_t capacity = space_capacity(search->wanted, search->block);
  if (capacity > space->size - space->most_pending) capacity = space->size - space->most_pending;
  if (search->wanted + 2 * space->pending > capacity)
    return fail_count(space->size, rigid_guess, search->problem->def.count, err);
  return lb_lanczos_grow(space, capacity, err);
}

// One more block, after a restart if there is no room for it.
static lbStatus expand_krylov_space(Search *search, lbError *err) {
  lbLanczos *space = search->space;
  if (!lb_lanczos_has_room(space)) {
    lbStatus status = lb_lanczos_ritz(space, err);
    if (status) return status;
    if (++search->restarts > MOST_RESTARTS)
      return lb_fail(err, LB_ERR_NUMERIC,
                     "modes: %d of %d converged after %d restarts, ask for fewer modes or a larger "
                     "tolerance",
                     count_converged_pairs(space, search->wanted, search->problem->def.tolerance),
                     search->wanted, MOST_RESTARTS);
    int32_t keep = search->wanted + (space->m - search->wanted) / 2;
    if (keep > space->capacity - 3 * space->pending) keep = space->capacity - 3 * space->pending;
    status = lb_lanczos_restart(space, keep, err);
    if (status) return status;
    search->next_check = space->m;
  }
  double fraction = (double)space->m / (1.5 * search->wanted + 4 * search->block);
  if (!lb_progress("modes", fraction < 0.99 ? fraction : 0.99))
    return lb_fail_interrupted(err, "modes");
  return lb_lanczos_step(space, err);
}

// The first s is a guess. Where it lies far above the first elastic eigenvalue (a stiff part that
// rules the traces), the Ritz values crowd at 1 / s and converge slowly: after a restart without
// success another factorisation is worth its time, once.
static bool propose_shift(Search *search) {
  const lbLanczos *space = search->space;
  lbEigenProblem *problem = search->problem;
  int32_t first_elastic = count_eigen_candidates(space, problem->shift);
  if (problem->refined || search->restarts < 1 || first_elastic >= space->m) return false;
  double lambda = ritz_lambda(space, problem->shift, first_elastic);
  double least = LEAST_SHIFT * problem->scale;
  double better = lambda / 4 > least ? lambda / 4 : least;
  if (better > problem->shift / 10) return false;
  search->better_shift = better;
  problem->refined = true;
  return true;
}

// Expands until the wanted Ritz pairs have converged, or a better shift is known.
static lbStatus converge(Search *search, lbError *err) {
  lbLanczos *space = search->space;
  for (;;) {
    lbStatus status = expand_krylov_space(search, err);
    if (status) return status;
    if (space->m < search->next_check && lb_lanczos_has_room(space)) continue;
    status = lb_lanczos_ritz(space, err);
    if (status) return status;
    int32_t candidates = count_eigen_candidates(space, search->problem->shift);
    if (candidates > search->rigid_guess) {
      status = set_wanted(search, candidates, err);
      if (status) return status;
    }
    if (count_converged_pairs(space, search->wanted, search->problem->def.tolerance) ==
        search->wanted)
      return LB_OK;
    if (propose_shift(search)) return LB_OK;
    search->next_check = space->m + (space->m / 10 > 1 ? space->m / 10 : 1);
  }
}

// A few steps with random vectors beside the pending block; whatever was missed grows out of them
// into the wanted Ritz values, which have then to converge again.
static lbStatus search_again(Search *search, lbError *err) {
  lbLanczos *space = search->space;
  lbStatus status = LB_OK;
  if (space->m + 2 * search->block + 2 * space->pending > space->capacity) {
    status = lb_lanczos_restart(space, search->wanted + search->block / 2, err);
    if (!status)
      status = lb_lanczos_grow(space, search->wanted + 2 * VERIFY_STEPS * search->block, err);
  }
  if (!status && space->pending + search->block <= space->most_pending)
    status = lb_lanczos_widen(space, search->block, err);
  for (int step = 0; step < VERIFY_STEPS && !status; step++)
    status = expand_krylov_space(search, err);
  search->next_check = 0;
  return status ? status : converge(search, err);
}

static lbStatus collect_eigenpairs(Search *search, int32_t *rigid_count, lbEigen **out,
                                   lbError *err) {
  lbLanczos *space = search->space;
  lbEigenProblem *problem = search->problem;
  problem->noisy = noise_of(space) > problem->def.tolerance * space->theta[search->wanted - 1];
  double *X = lb_alloc((size_t)space->size * (size_t)search->wanted, sizeof *X);
  if (!X) return lb_fail_memory(err);
  lbStatus status = lb_lanczos_vectors(space, search->wanted, X, err);
  if (!status) status = lb_eigen_sort(problem, search->wanted, X, rigid_count, out, err);
  lb_free(X);
  return status;
}

// *out stays NULL when search->better_shift is set.
static lbStatus run_search(Search *search, lbEigen **out, lbError *err) {
  bool verify = search->problem->def.verify;
  search->next_check = search->problem->def.count + 2 * search->block;
  lbStatus status = converge(search, err);
  if (status || search->better_shift > 0) return status;
  if (verify || may_have_missed(search->space, search->wanted, search->block))
    status = search_again(search, err);
  while (!status && !*out && search->better_shift == 0) {
    int32_t rigid_count = 0;
    status = collect_eigenpairs(search, &rigid_count, out, err);
    if (status || *out) break;
    status = set_wanted(search, rigid_count, err); // more are rigid than their values showed
    if (!status) status = converge(search, err);
  }
  return status;
}

// One search by the factor there is, or with *shift > 0 by another one. *shift becomes a better one
// where *out stays NULL.
static lbStatus search_from(lbEigenProblem *problem, lbCholesky *factor, int32_t block,
                            int32_t capacity, double *shift, lbEigen **out, lbError *err) {
  Search search = { .problem = problem, .block = block, .wanted = problem->def.count };
  lbStatus status = *shift > 0 ? factor_shifted_stiffness(problem, factor, *shift, err) : LB_OK;
  if (!status) status = lb_lanczos_create(factor, problem->M, block, capacity, &search.space, err);
  if (!status) status = run_search(&search, out, err);
  if (search.space) problem->solve_count += search.space->solve_count;
  lb_lanczos_destroy(search.space);
  *shift = search.better_shift;
  return status;
}

enum { COMPACT_BLOCK = 16 };

static int32_t compact_capacity(int32_t count) { // two steps at least
  return count > 2 * COMPACT_BLOCK ? 2 * count + COMPACT_BLOCK : count + 3 * COMPACT_BLOCK;
}

// Of what a search holds beside the factor, at least: the space, blocks and their work, and the
// modes twice. The compact search has less of it, and only a definite K may have one.
static double search_bytes(const lbEigenProblem *problem, int32_t block, int32_t capacity) {
  int32_t compact = compact_capacity(problem->def.count);
  if (problem->def.definite && compact < capacity) capacity = compact;
  double columns = capacity + 8.0 * block + 2.0 * problem->def.count;
  return columns * problem->K->size * sizeof(double);
}

// Before there is a factor, which mostly takes more: modes alone may be too many.
static lbStatus check_eigen_room(const lbEigenProblem *problem, double bytes, lbError *err) {
  char what[80];
  snprintf(what, sizeof what, "%d modes of %d rows", (int)problem->def.count,
           (int)problem->K->size);
  return lb_room_check_or(what, bytes,
                          "use fewer modes, a coarser mesh, or limber-mpi on more machines", err);
}

// Search with a single-precision factor; *out stays NULL where the factor is in double or the
// search does not converge.
static lbStatus search_compact(lbEigenProblem *problem, lbCholesky *factor, lbEigen **out,
                               lbError *err) {
  int32_t count = problem->def.count, rigid_count = 0, capacity = compact_capacity(count);
  double *X = NULL;
  bool fits = capacity + COMPACT_BLOCK <= problem->K->size;
  if (!lb_cholesky_info(factor).single || problem->def.verify || !fits) return LB_OK;
  lbDavidson search = { .factor = factor,
                        .K = problem->K,
                        .M = problem->M,
                        .count = count,
                        .block = COMPACT_BLOCK,
                        .capacity = capacity,
                        .tolerance = problem->def.tolerance };
  lbStatus status = lb_davidson_search(&search, &X, err);
  problem->solve_count += search.solve_count;
  if (!status && X) status = lb_cholesky_take_soft_shapes(factor, count, X, err);
  if (!status && X) status = lb_eigen_sort(problem, count, X, &rigid_count, out, err);
  lb_free(X);
  return status;
}

static lbStatus solve_sparse(lbEigenProblem *problem, int32_t block, int32_t capacity,
                             lbEigen **out, lbError *err) {
  lbEigenFactor *kept = problem->def.kept;
  lbCholesky *factor = kept ? kept->cholesky : NULL;
  double shift = 0, bytes = search_bytes(problem, block, capacity);
  lbStatus status = check_eigen_room(problem, bytes, err);
  if (status) return status;
  if (!factor) {
    status = lb_cholesky_create_compact(problem->K, problem->def.compact_bytes, &factor, err);
    if (status) return status;
    problem->factor_seconds = lb_cholesky_info(factor).analyse_seconds;
  }
  lb_cholesky_keep_room(factor, bytes);
  status = factor_first(problem, factor, err);
  lb_cholesky_keep_room(factor, 0);
  if (!status) status = search_compact(problem, factor, out, err);
  while (!status && !*out) // at most twice
    status = search_from(problem, factor, block, capacity, &shift, out, err);
  if (!status) status = lb_eigen_sharpen(problem, factor, *out, err);
  if (!status && problem->noisy) status = lb_eigen_sharpen(problem, factor, *out, err);
  if (kept)
    *kept = (lbEigenFactor){ factor, problem->shift, !status };
  else
    lb_cholesky_destroy(factor);
  return status;
}

lbStatus lb_eigen_lowest(const lbSparse *K, const lbSparse *M, const lbEigenDef *def, lbEigen **out,
                         lbError *err) {
  double start = lb_seconds();
  lbEigenProblem problem = { .K = K, .def = *def };
  lbEigen *eigen = NULL;
  lbStatus status = lb_linalg_reserve(err);
  if (!status) status = check_problem(K, M, def, err);
  if (!status) status = own_mass(M, &problem, err);
  if (!status) status = find_eigen_scale(&problem, err);
  if (!status && !lb_progress("modes", 0)) status = lb_fail_interrupted(err, "modes");
  if (status) goto done;
  int32_t block = block_width(def->count), capacity = space_capacity(def->count + 6, block);
  if (K->size <= DENSE_SIZE || K->size / 3 * 2 < capacity + 2 * block)
    status = solve_dense(&problem, &eigen, err);
  else
    status = solve_sparse(&problem, block, capacity, &eigen, err);
  if (!status) {
    eigen->factor_seconds = problem.factor_seconds;
    eigen->solve_count = problem.solve_count;
    eigen->seconds = lb_seconds() - start;
    *out = eigen;
  } else {
    lb_eigen_destroy(eigen);
  }
done:
  lb_sparse_destroy(problem.own_M);
  return status;
}
