// Non-negative hard thresholding pursuit (von Tycowicz, Schulz, Seidel & Hildebrandt 2013) over
// random candidates.
//
//   f(w) = |A w − b|², ∇f = 2 Aᵀ(A w − b). S: the components of w and the candidates with the
//   largest −∇f > 0. Of S some components stay, and their weights are nonnegative least squares.
//
// Algorithm 1, "plain": s candidates come into S; the s largest positive entries of w − μ ∇_S f
// stay, μ = |∇_S f|² / 2|A ∇_S f|² the exact step (half of the paper's (9)). Columns of elements
// are much alike, so that μ is short: a new component gets a tenth of a typical weight or less, and
// does not stay once s components have weights.
//
// So the pursuit goes all the way to the minimum over S, w >= 0, with fewer newcomers, and what
// stays is decided by what the sum would lose (lb_fit_thin), as in subspace pursuit (Dai &
// Milenkovic 2009). With an error to reach it takes more components until it is reached, and then
// exchanges them for fewer.
#include "reduce/selection.h"

#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  PLAIN_CANDIDATES = 5, // times s, in every iteration: algorithm 1
  CANDIDATES = 2,       // the same of the pursuit
  CANDIDATES_LEAST = 100,
  EXCHANGED = 4, // newcomers beyond those that are missing: s over this
  EXCHANGED_LEAST = 4,
  PATIENCE = 3, // iterations that hardly make it better
  ITERATIONS_MOST = 200,
};

static const double HARDLY = 0.03;     // of the error or the number of components: negligible
static const double HARDLY_YET = 0.08; // of the error while more components may come
static const double GROWTH_MOST = 1.3; // of s in an iteration, where the error is not reached
static const double GROWTH_LEAST = 1.1;

typedef struct Entry {
  double value;
  int32_t component;
} Entry;

typedef struct Pursuit {
  const lbSelectionDef *def;
  bool plain;
  lbRandom random;
  lbFit *fit;
  lbChoice *best;
  int32_t s;          // present target of the number of components
  int32_t candidates; // most of them
  bool *taken;        // (components) in the fit
  int32_t *pool;      // (components) for drawing
  int32_t *set;       // (capacity of the fit + candidates) components of the fit, then candidates
  double *gradient;   // the same length: −∇f / 2 = Aᵀ r
  Entry *entries;     // the same length
  double *direction;  // (rows) A ∇_S f
} Pursuit;

static void release_pursuit(Pursuit *p) {
  lb_fit_destroy(p->fit);
  lb_free(p->taken);
  lb_free(p->pool);
  lb_free(p->set);
  lb_free(p->gradient);
  lb_free(p->entries);
  lb_free(p->direction);
}

static lbStatus open_pursuit(const lbSelectionDef *def, bool plain, Pursuit *p, lbError *err) {
  int64_t limit = def->limit, all = def->columns->component_count;
  int64_t together = plain ? limit : limit + limit / EXCHANGED + EXCHANGED_LEAST;
  int64_t drawn = (plain ? PLAIN_CANDIDATES : CANDIDATES) * limit + CANDIDATES_LEAST;
  *p = (Pursuit){ .def = def,
                  .plain = plain,
                  .random = lb_random_stream(def->seed, UINT64_C(1) << 32),
                  .candidates = (int32_t)(drawn < all ? drawn : all) };
  int32_t capacity = (int32_t)(together < all ? together : all);
  size_t most = (size_t)capacity + (size_t)p->candidates;
  p->taken = lb_alloc((size_t)all, sizeof *p->taken);
  p->pool = lb_alloc((size_t)all, sizeof *p->pool);
  p->set = lb_alloc(most, sizeof *p->set);
  p->gradient = lb_alloc(most, sizeof *p->gradient);
  p->entries = lb_alloc(most, sizeof *p->entries);
  p->direction = lb_alloc(lb_columns_rows(def->columns), sizeof *p->direction);
  if (!p->taken || !p->pool || !p->set || !p->gradient || !p->entries || !p->direction)
    return lb_fail_memory(err);
  for (int32_t i = 0; i < all; i++) p->pool[i] = i;
  lbStatus status = lb_choice_create(def->limit, &p->best, err);
  return status ? status : lb_fit_create(def->columns, def->b, capacity, &p->fit, err);
}

// Largest first; the lower number where they are equal.
static int order_by_correlation(const void *a, const void *b) {
  const Entry *left = a, *right = b;
  if (left->value != right->value) return left->value < right->value ? 1 : -1;
  return (left->component > right->component) - (left->component < right->component);
}

// H⁺: the `most` largest positive of `count` entries come first; returns how many there are.
static int32_t threshold(Entry *entries, int32_t count, int32_t most) {
  int32_t positive = 0;
  for (int32_t i = 0; i < count; i++)
    if (entries[i].value > 0) entries[positive++] = entries[i];
  qsort(entries, (size_t)positive, sizeof *entries, order_by_correlation);
  return positive < most ? positive : most;
}

// The set becomes S: the components of the fit and the best of some random candidates, `most` of
// them. Returns its size.
static lbStatus find_set(Pursuit *p, int32_t candidate_count, int32_t most, int32_t *size,
                         lbError *err) {
  const lbColumns *columns = p->def->columns;
  lbFit *fit = p->fit;
  int32_t own = fit->count, *candidates = p->set + own;
  if (own) memcpy(p->set, fit->list, (size_t)own * sizeof *p->set);
  if (candidate_count > p->candidates) candidate_count = p->candidates;
  int32_t drawn = lb_draw_candidates(&p->random, columns->component_count, p->pool, p->taken,
                                     candidate_count, candidates);
  lbStatus status = lb_columns_products(columns, drawn, candidates, fit->r, p->gradient + own, err);
  if (status) return status;
  p->best->columns_made += drawn;
  for (int32_t k = 0; k < drawn; k++)
    p->entries[k] = (Entry){ p->gradient[own + k], candidates[k] };
  int32_t good = threshold(p->entries, drawn, most);
  for (int32_t k = 0; k < good; k++) {
    candidates[k] = p->entries[k].component;
    p->gradient[own + k] = p->entries[k].value;
  }
  *size = own + good;
  return LB_OK;
}

// Keeps the fit if it is the best, and what of it has a weight.
static lbStatus keep_best_fit(Pursuit *p, lbError *err) {
  lbFit *fit = p->fit;
  int32_t count = 0;
  lb_choice_keep_best(p->best, p->def->goal, fit);
  for (int32_t k = 0; k < fit->count; k++)
    if (fit->weights[k] > 0) p->set[count++] = fit->list[k];
  lbStatus status = lb_fit_choose(fit, count, p->set, err);
  for (int32_t k = 0; k < p->def->columns->component_count; k++) p->taken[k] = false;
  for (int32_t k = 0; k < fit->count; k++) p->taken[fit->list[k]] = true;
  return status;
}

// ---- algorithm 1 -------------------------------------------------------------------------------

// entries: the s largest positive ones of w − μ ∇_S f, S the set. Returns how many.
static lbStatus take_pursuit_step(Pursuit *p, int32_t size, int32_t *count, lbError *err) {
  const lbColumns *columns = p->def->columns;
  const lbFit *fit = p->fit;
  double square = 0, length = 0;
  if (fit->count)
    lb_dense_multiply_vector(LB_TRANSPOSED, (int32_t)lb_columns_rows(columns), fit->count, 1,
                             fit->A, fit->r, 0, p->gradient);
  lbStatus status = lb_columns_sum(columns, size, p->set, p->gradient, p->direction, err);
  if (status) return status;
  for (int32_t k = 0; k < size; k++) square += p->gradient[k] * p->gradient[k];
  for (size_t i = 0; i < lb_columns_rows(columns); i++) length += p->direction[i] * p->direction[i];
  double step = length > 0 ? square / length : 0; // along −∇f/2
  for (int32_t k = 0; k < size; k++) {
    double weight = k < fit->count ? fit->weights[k] : 0;
    p->entries[k] = (Entry){ weight + step * p->gradient[k], p->set[k] };
  }
  *count = threshold(p->entries, size, p->s);
  return LB_OK;
}

static lbStatus iterate_plain(Pursuit *p, lbError *err) {
  int32_t size, count;
  lbFit *fit = p->fit;
  lbStatus status = find_set(p, PLAIN_CANDIDATES * p->s, p->s, &size, err);
  if (!status) status = take_pursuit_step(p, size, &count, err);
  if (status) return status;
  for (int32_t k = 0; k < count; k++) p->set[k] = p->entries[k].component;
  status = lb_fit_choose(fit, count, p->set, err);
  // A start for the weights of new ones: what the step gave them.
  for (int32_t k = 0; k < fit->count && !status; k++)
    for (int32_t e = 0; fit->weights[k] == 0 && e < count; e++)
      if (p->entries[e].component == fit->list[k]) fit->weights[k] = p->entries[e].value;
  if (!status) status = lb_fit_solve(fit, err);
  return status ? status : keep_best_fit(p, err);
}

// ---- the pursuit -------------------------------------------------------------------------------

static lbStatus iterate_pursuit(Pursuit *p, lbError *err) {
  lbFit *fit = p->fit;
  int32_t missing = p->s > fit->count ? p->s - fit->count : 0, size;
  int32_t exchanged = p->s / EXCHANGED > EXCHANGED_LEAST ? p->s / EXCHANGED : EXCHANGED_LEAST;
  if (exchanged > fit->capacity - p->s) exchanged = fit->capacity - p->s;
  int64_t drawn = CANDIDATES * (int64_t)p->s;
  lbStatus status = find_set(p, drawn > CANDIDATES_LEAST ? (int32_t)drawn : CANDIDATES_LEAST,
                             missing + exchanged, &size, err);
  if (!status) status = lb_fit_choose(fit, size, p->set, err);
  if (!status) status = lb_fit_solve(fit, err);
  if (!status && fit->error < 1) status = lb_fit_thin(fit, p->s, p->def->goal, err);
  return status ? status : keep_best_fit(p, err);
}

// More components, the more the farther the goal is: the error goes about with 1/s.
static void grow_support(Pursuit *p) {
  double factor = sqrt(p->fit->error / p->def->goal);
  double more = ceil(p->fit->count * fmax(GROWTH_LEAST, fmin(factor, GROWTH_MOST)));
  if (more > p->s) p->s = more < p->def->limit ? (int32_t)more : p->def->limit;
}

static lbStatus pursue(Pursuit *p, lbError *err) {
  const lbSelectionDef *def = p->def;
  int32_t idle = 0;
  bool reached = false;
  double mark = INFINITY; // the error, or the number of components once the error is reached
  p->s = def->limit;
  if (def->goal > 0 && !p->plain && def->columns->dimension < p->s) p->s = def->columns->dimension;
  for (int32_t i = 0; i < ITERATIONS_MOST; i++) {
    if (!lb_choice_progress(p->best, def->goal, (double)i / ITERATIONS_MOST)) return LB_OK;
    lbStatus status = p->plain ? iterate_plain(p, err) : iterate_pursuit(p, err);
    if (status) return status;
    p->best->iterations++;
    bool now = p->best->error <= def->goal, growing = !now && p->s < def->limit;
    if (now && p->plain) return LB_OK;
    if (now && !reached) mark = INFINITY;
    reached = now;
    double measure = reached ? p->best->count : p->best->error;
    bool better = measure < (1 - (growing ? HARDLY_YET : HARDLY)) * mark;
    idle = better ? 0 : idle + 1;
    if (better) mark = measure;
    if (reached) p->s = p->best->count;
    if (growing && !better) {
      grow_support(p);
      idle = 0;
    }
    if (idle == PATIENCE) return LB_OK;
  }
  return LB_OK;
}

lbStatus lb_nnhtp(const lbSelectionDef *def, bool plain, lbChoice **out, lbError *err) {
  Pursuit pursuit;
  lbStatus status = open_pursuit(def, plain, &pursuit, err);
  if (!status) status = pursue(&pursuit, err);
  if (!status && pursuit.best->count == 0)
    status = pursuit.best->interrupted
                 ? lb_fail_interrupted(err, "cubature")
                 : lb_fail(err, LB_ERR_NUMERIC, "no element's force is like that of the body");
  if (!status) {
    pursuit.best->columns_made += pursuit.fit->made;
    *out = pursuit.best;
    pursuit.best = NULL;
  }
  lb_choice_destroy(pursuit.best);
  release_pursuit(&pursuit);
  return status;
}
