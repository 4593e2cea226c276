// Greedy cubature: An, Kim & James 2008. In each turn, of some random candidates the one whose
// column makes the smallest angle with the residual joins the choice, and all weights are found
// anew by nonnegative least squares.
#include "reduce/selection.h"

#include "linalg/dense.h"
#include "linalg/fnnls.h"

#include <math.h>
#include <string.h>

enum {
  CANDIDATES = 100, // in every turn
  FAST_POSES = 10,  // that a turn looks at in the fast setting
  IDLE_MOST = 5,    // turns without a candidate that goes the residual's way
};

typedef struct Greed {
  const lbSelectionDef *def;
  lbRandom random;
  lbFit *fit;
  lbChoice *best;
  bool *taken;         // (components)
  int32_t *pool;       // (components)
  int32_t *candidates; // (CANDIDATES)
  int32_t *positive;   // (limit)
  double *columns;     // (rows x CANDIDATES), of the poses of one round
  // The fast setting: ten poses a turn.
  lbColumns few; // over these poses
  double poses_scales[FAST_POSES];
  double *poses; // (FAST_POSES x dimension)
  double *b, *r; // (few rows)
  double *A;     // (few rows x limit)
  double *G, *c; // (limit x limit), (limit)
} Greed;

static void release_greedy(Greed *g) {
  lb_fit_destroy(g->fit);
  void *blocks[] = { g->taken, g->pool, g->candidates, g->positive, g->columns, g->poses,
                     g->b,     g->r,    g->A,          g->G,        g->c };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
}

static lbStatus open_greedy(const lbSelectionDef *def, bool fast, Greed *g, lbError *err) {
  const lbColumns *all = def->columns;
  size_t components = (size_t)all->component_count, limit = (size_t)def->limit;
  *g = (Greed){ .def = def, .random = lb_random_stream(def->seed, UINT64_C(1) << 33) };
  g->few = *all;
  if (fast && all->pose_count > FAST_POSES) g->few.pose_count = FAST_POSES;
  size_t rows = lb_columns_rows(&g->few);
  g->taken = lb_alloc(components, sizeof *g->taken);
  g->pool = lb_alloc(components, sizeof *g->pool);
  g->candidates = lb_alloc(CANDIDATES, sizeof *g->candidates);
  g->positive = lb_alloc(limit, sizeof *g->positive);
  g->columns = lb_alloc(rows * CANDIDATES, sizeof(double));
  bool ready = g->taken && g->pool && g->candidates && g->positive && g->columns;
  if (fast) {
    g->poses = lb_alloc(rows, sizeof(double));
    g->b = lb_alloc(rows, sizeof(double));
    g->r = lb_alloc(rows, sizeof(double));
    g->A = lb_alloc(rows * limit, sizeof(double));
    g->G = lb_alloc(limit * limit, sizeof(double));
    g->c = lb_alloc(limit, sizeof(double));
    ready &= g->poses && g->b && g->r && g->A && g->G && g->c;
  }
  if (!ready) return lb_fail_memory(err);
  for (size_t i = 0; i < components; i++) g->pool[i] = (int32_t)i;
  lbStatus status = lb_choice_create(def->limit, &g->best, err);
  return status ? status : lb_fit_create(all, def->b, def->limit, &g->fit, err);
}

// Ten poses, the weights that are best there, and their residual.
static lbStatus look_at_few(Greed *g, lbError *err) {
  const lbColumns *all = g->def->columns;
  const lbFit *fit = g->fit;
  size_t d = (size_t)all->dimension, rows = lb_columns_rows(&g->few);
  size_t whole = lb_columns_rows(all);
  int32_t count = fit->count;
  for (size_t t = 0; t < (size_t)g->few.pose_count; t++) {
    size_t pose = (size_t)lb_random_below(&g->random, all->pose_count);
    g->poses_scales[t] = all->scales[pose];
    memcpy(g->poses + t * d, all->poses + pose * d, d * sizeof(double));
    memcpy(g->b + t * d, g->def->b + pose * d, d * sizeof(double));
    for (size_t k = 0; k < (size_t)count; k++)
      memcpy(g->A + k * rows + t * d, fit->A + k * whole + pose * d, d * sizeof(double));
  }
  g->few.poses = g->poses;
  g->few.scales = g->poses_scales;
  memcpy(g->r, g->b, rows * sizeof(double));
  if (count == 0) return LB_OK;
  lb_dense_gram((int32_t)rows, count, g->A, g->G);
  lb_dense_multiply_vector(LB_TRANSPOSED, (int32_t)rows, count, 1, g->A, g->b, 0, g->c);
  lbStatus status = lb_fnnls(count, g->G, (size_t)count, g->c, fit->weights, err);
  if (!status)
    lb_dense_multiply_vector(LB_PLAIN, (int32_t)rows, count, -1, g->A, fit->weights, 1, g->r);
  return status;
}

// The candidate whose column is most like r; -1: none goes its way.
static int32_t most_alike(const double *columns, size_t rows, int32_t count, const double *r) {
  int32_t best = -1;
  double most = 0;
  for (int32_t k = 0; k < count; k++) {
    const double *column = columns + (size_t)k * rows;
    double product = 0, square = 0;
    for (size_t i = 0; i < rows; i++) {
      product += column[i] * r[i];
      square += column[i] * column[i];
    }
    double cosine = square > 0 ? product / sqrt(square) : 0;
    if (cosine > most) most = cosine, best = k;
  }
  return best;
}

static lbStatus add_one(Greed *g, bool fast, bool *added, lbError *err) {
  lbFit *fit = g->fit;
  size_t rows = lb_columns_rows(&g->few);
  *added = false;
  lbStatus status = fast ? look_at_few(g, err) : LB_OK;
  if (status) return status;
  int32_t drawn = lb_draw_candidates(&g->random, g->few.component_count, g->pool, g->taken,
                                     CANDIDATES, g->candidates);
  status = lb_columns_make(&g->few, drawn, g->candidates, g->columns, err);
  if (status) return status;
  g->best->columns_made += drawn;
  int32_t chosen = most_alike(g->columns, rows, drawn, fast ? g->r : fit->r);
  if (chosen < 0) return LB_OK;
  *added = true;
  g->taken[g->candidates[chosen]] = true;
  status = lb_fit_append(fit, g->candidates[chosen],
                         fast ? NULL : g->columns + (size_t)chosen * rows, err);
  return status || fast ? status : lb_fit_solve(fit, err);
}

// Components whose weight became zero make room for others.
static lbStatus drop_zeros(Greed *g, lbError *err) {
  lbFit *fit = g->fit;
  int32_t count = 0, *positive = g->positive;
  for (int32_t k = 0; k < fit->count; k++) {
    g->taken[fit->list[k]] = fit->weights[k] > 0;
    if (fit->weights[k] > 0) positive[count++] = fit->list[k];
  }
  return lb_fit_choose(fit, count, positive, err);
}

// Weights over all poses; the fast setting has them only now and then.
static lbStatus settle_weights(Greed *g, bool fast, lbError *err) {
  lbStatus status = fast ? lb_fit_solve(g->fit, err) : LB_OK;
  if (status) return status;
  lb_choice_keep_best(g->best, g->def->goal, g->fit);
  return drop_zeros(g, err);
}

static lbStatus select_all(Greed *g, bool fast, lbError *err) {
  const lbSelectionDef *def = g->def;
  int32_t idle = 0;
  for (int32_t turn = 0; turn < 3 * def->limit && g->fit->count < def->limit; turn++) {
    bool added;
    if (!lb_choice_progress(g->best, def->goal, (double)g->fit->count / def->limit)) return LB_OK;
    lbStatus status = add_one(g, fast, &added, err);
    bool look = !fast || g->fit->count % 10 == 0 || g->fit->count == def->limit;
    if (!status && added && look) status = settle_weights(g, fast, err);
    if (status) return status;
    g->best->iterations++;
    idle = added ? 0 : idle + 1;
    if (g->best->error <= def->goal || idle == IDLE_MOST) return LB_OK;
  }
  return LB_OK;
}

lbStatus lb_greedy(const lbSelectionDef *def, bool fast, lbChoice **out, lbError *err) {
  Greed greed;
  lbStatus status = open_greedy(def, fast, &greed, err);
  if (!status) status = select_all(&greed, fast, err);
  if (!status && greed.best->count == 0)
    status = greed.best->interrupted
                 ? lb_fail_interrupted(err, "cubature")
                 : lb_fail(err, LB_ERR_NUMERIC, "no element's force is like that of the body");
  if (!status) {
    greed.best->columns_made += greed.fit->made;
    *out = greed.best;
    greed.best = NULL;
  }
  lb_choice_destroy(greed.best);
  release_greedy(&greed);
  return status;
}
