// Non-negative hard thresholding pursuit: von Tycowicz, Schulz, Seidel & Hildebrandt 2013,
// algorithm 1, over random candidates.
//
//   f(w) = |A w − b|², ∇f = 2 Aᵀ(A w − b). S: the components of w and the s candidates with the
//   largest −∇f > 0. μ = |∇_S f|² / 2|A ∇_S f|², the exact step along −∇_S f (half of the paper's
//   (9)). The s largest positive entries of w − μ ∇_S f are the next choice, and its weights the
//   nonnegative least squares.
//
// With random candidates an unchanged choice means nothing; several in a row do.
#include "reduce/selection.h"

#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  CANDIDATES = 5,     // times s, in every iteration
  UNCHANGED_MOST = 5, // draws that change nothing
  PATIENCE = 3,       // iterations that hardly lower the error
  ITERATIONS_MOST = 200,
};

static const double HARDLY = 0.03;     // of the error
static const double HARDLY_YET = 0.1;  // the same while more components may come
static const double GROWTH_MOST = 1.5; // of s, where the error is not reached
static const double GROWTH_LEAST = 1.1;

typedef struct Entry {
  double value;
  int32_t component;
} Entry;

typedef struct Pursuit {
  const lbSelectionDef *def;
  lbRandom random;
  lbFit *fit;
  lbChoice *best;
  int32_t s;         // components at most, now
  bool *taken;       // (components) in the fit
  int32_t *pool;     // (components) for drawing
  int32_t *set;      // (limit + CANDIDATES limit) components of the fit, then candidates
  double *gradient;  // the same length: −∇f / 2 = Aᵀ r
  Entry *entries;    // the same length
  double *direction; // (rows) A ∇_S f
  int32_t *next;     // (limit) the next choice
} Pursuit;

static void release(Pursuit *p) {
  lb_fit_destroy(p->fit);
  lb_free(p->taken);
  lb_free(p->pool);
  lb_free(p->set);
  lb_free(p->gradient);
  lb_free(p->entries);
  lb_free(p->direction);
  lb_free(p->next);
}

static lbStatus open(const lbSelectionDef *def, Pursuit *p, lbError *err) {
  size_t all = (size_t)def->columns->component_count, limit = (size_t)def->limit;
  size_t most = limit + CANDIDATES * limit;
  *p = (Pursuit){ .def = def, .random = lb_random_stream(def->seed, UINT64_C(1) << 32) };
  p->taken = lb_alloc(all, sizeof *p->taken);
  p->pool = lb_alloc(all, sizeof *p->pool);
  p->set = lb_alloc(most, sizeof *p->set);
  p->gradient = lb_alloc(most, sizeof *p->gradient);
  p->entries = lb_alloc(most, sizeof *p->entries);
  p->direction = lb_alloc(lb_columns_rows(def->columns), sizeof *p->direction);
  p->next = lb_alloc(limit, sizeof *p->next);
  if (!p->taken || !p->pool || !p->set || !p->gradient || !p->entries || !p->direction || !p->next)
    return lb_fail_memory(err);
  for (size_t i = 0; i < all; i++) p->pool[i] = (int32_t)i;
  lbStatus status = lb_choice_create(def->limit, &p->best, err);
  return status ? status : lb_fit_create(def->columns, def->b, def->limit, &p->fit, err);
}

// Largest first; the lower number where they are equal.
static int by_value(const void *a, const void *b) {
  const Entry *left = a, *right = b;
  if (left->value != right->value) return left->value < right->value ? 1 : -1;
  return (left->component > right->component) - (left->component < right->component);
}

// H⁺: the `most` largest positive of `count` entries come first; returns how many there are.
static int32_t threshold(Entry *entries, int32_t count, int32_t most) {
  int32_t positive = 0;
  for (int32_t i = 0; i < count; i++)
    if (entries[i].value > 0) entries[positive++] = entries[i];
  qsort(entries, (size_t)positive, sizeof *entries, by_value);
  return positive < most ? positive : most;
}

// −∇f/2 of the fit's components and of random candidates; the set becomes S. Returns its size.
static lbStatus find_set(Pursuit *p, int32_t *size, lbError *err) {
  const lbColumns *columns = p->def->columns;
  lbFit *fit = p->fit;
  int32_t own = fit->count, *candidates = p->set + own;
  if (own) {
    memcpy(p->set, fit->list, (size_t)own * sizeof *p->set);
    lb_dense_multiply_vector(LB_TRANSPOSED, (int32_t)lb_columns_rows(columns), own, 1, fit->A,
                             fit->r, 0, p->gradient);
  }
  int32_t drawn = lb_draw_candidates(&p->random, columns->component_count, p->pool, p->taken,
                                     CANDIDATES * p->s, candidates);
  lbStatus status = lb_columns_products(columns, drawn, candidates, fit->r, p->gradient + own, err);
  if (status) return status;
  p->best->columns_made += drawn;
  for (int32_t k = 0; k < drawn; k++)
    p->entries[k] = (Entry){ p->gradient[own + k], candidates[k] };
  int32_t good = threshold(p->entries, drawn, p->s);
  for (int32_t k = 0; k < good; k++) {
    candidates[k] = p->entries[k].component;
    p->gradient[own + k] = p->entries[k].value;
  }
  *size = own + good;
  return LB_OK;
}

// The next choice: the s largest positive entries of w − μ ∇_S f. Returns how many; 0: nothing to
// gain.
static lbStatus take_step(Pursuit *p, int32_t size, int32_t *count, lbError *err) {
  double square = 0, length = 0;
  lbStatus status = lb_columns_sum(p->def->columns, size, p->set, p->gradient, p->direction, err);
  if (status) return status;
  for (int32_t k = 0; k < size; k++) square += p->gradient[k] * p->gradient[k];
  for (size_t i = 0; i < lb_columns_rows(p->def->columns); i++)
    length += p->direction[i] * p->direction[i];
  double step = length > 0 ? square / length : 0; // along −∇f/2
  for (int32_t k = 0; k < size; k++)
    p->entries[k] =
        (Entry){ (k < p->fit->count ? p->fit->weights[k] : 0) + step * p->gradient[k], p->set[k] };
  *count = threshold(p->entries, size, p->s);
  for (int32_t k = 0; k < *count; k++) p->next[k] = p->entries[k].component;
  return LB_OK;
}

static bool is_unchanged(const Pursuit *p, int32_t count) {
  if (count != p->fit->count) return false;
  for (int32_t k = 0; k < count; k++)
    if (!p->taken[p->next[k]]) return false;
  return true;
}

// Components whose weight is zero are none of the choice.
static int32_t list_positive(const lbFit *fit, int32_t *list) {
  int32_t count = 0;
  for (int32_t k = 0; k < fit->count; k++)
    if (fit->weights[k] > 0) list[count++] = fit->list[k];
  return count;
}

static lbStatus change(Pursuit *p, int32_t count, lbError *err) {
  lbFit *fit = p->fit;
  for (int32_t k = 0; k < fit->count; k++) p->taken[fit->list[k]] = false;
  lbStatus status = lb_fit_choose(fit, count, p->next, err);
  // A start for the weights of new ones: what the step gave them.
  for (int32_t k = 0; k < fit->count && !status; k++)
    for (int32_t e = 0; fit->weights[k] == 0 && e < count; e++)
      if (p->entries[e].component == fit->list[k]) fit->weights[k] = p->entries[e].value;
  if (!status) status = lb_fit_solve(fit, err);
  if (status) return status;
  lb_choice_keep_best(p->best, fit);
  int32_t positive = list_positive(fit, p->next);
  status = lb_fit_choose(fit, positive, p->next, err);
  for (int32_t k = 0; k < fit->count; k++) p->taken[fit->list[k]] = true;
  return status;
}

static bool may_grow(const Pursuit *p) { return p->def->goal > 0 && p->s < p->def->limit; }

// More components, the more the farther the goal is: the error goes about with 1/s.
static void grow(Pursuit *p) {
  double factor = sqrt(p->best->error / p->def->goal);
  double more = ceil(p->s * fmax(GROWTH_LEAST, fmin(factor, GROWTH_MOST)));
  p->s = more < p->def->limit ? (int32_t)more : p->def->limit;
}

// One iteration; *changed: the choice did.
static lbStatus iterate(Pursuit *p, bool *changed, lbError *err) {
  int32_t size, count;
  lbStatus status = find_set(p, &size, err);
  if (!status) status = take_step(p, size, &count, err);
  if (status) return status;
  p->best->iterations++;
  *changed = !is_unchanged(p, count);
  return *changed ? change(p, count, err) : LB_OK;
}

static lbStatus pursue(Pursuit *p, lbError *err) {
  int32_t unchanged = 0, idle = 0;
  double mark = INFINITY; // what counts as an improvement is below it
  p->s = p->def->limit;
  if (p->def->goal > 0 && p->def->columns->dimension < p->s) p->s = p->def->columns->dimension;
  for (int32_t i = 0; i < ITERATIONS_MOST; i++) {
    bool changed, growing = may_grow(p);
    if (!lb_choice_progress(p->best, p->def->goal, (double)i / ITERATIONS_MOST)) return LB_OK;
    lbStatus status = iterate(p, &changed, err);
    if (status || p->best->error <= p->def->goal) return status;
    bool better = p->best->error < (1 - (growing ? HARDLY_YET : HARDLY)) * mark;
    unchanged = changed ? 0 : unchanged + 1;
    idle = better ? 0 : idle + 1;
    mark = better ? p->best->error : mark;
    if (unchanged < UNCHANGED_MOST && idle < (growing ? 1 : PATIENCE)) continue;
    if (!growing) return LB_OK;
    grow(p);
    unchanged = idle = 0;
    mark = p->best->error;
  }
  return LB_OK;
}

lbStatus lb_nnhtp(const lbSelectionDef *def, lbChoice **out, lbError *err) {
  Pursuit pursuit;
  lbStatus status = open(def, &pursuit, err);
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
  release(&pursuit);
  return status;
}
