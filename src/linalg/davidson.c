// A space V grows by t = P (K x - lambda M x), P nearly K^-1, of the Ritz pairs (lambda, x) of K in
// it that are furthest from modes (Davidson 1975; in blocks, with restarts that keep Ritz vectors).
// Were P exact, t = x - lambda K^-1 M x would lead through the spaces of block Lanczos. But since
// residuals are found anew each time, errors of P make single steps shorter and results no worse:
// one sweep through a factor in single precision does, where Lanczos needs two.
#include "linalg/davidson.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/product.h"
#include "linalg/lanczos.h"

enum { MOST_STEPS = 40, CLUSTER = 8 }; // steps beside one for each mode

typedef struct Search {
  const lbDavidson *def;
  lbLanczos *space;  // V, T = V' K V, and work space; theta holds lambda, ascending
  double *errors;    // (count) of Ritz pairs: about |t|; INFINITY: not known
  int32_t ritz_size; // of the space that Ritz pairs are of
  int32_t *chosen;   // (count) Ritz pairs, the worst first
  double *selected;  // (capacity x most_pending), their vectors in V
} Search;

static void close_search(Search *s) {
  lb_lanczos_destroy(s->space);
  lb_free(s->errors);
  lb_free(s->chosen);
  lb_free(s->selected);
}

static lbStatus open_davidson_search(const lbDavidson *def, Search *s, lbError *err) {
  *s = (Search){ .def = def };
  lbStatus status =
      lb_lanczos_create(def->factor, def->M, def->block / 2, def->capacity, &s->space, err);
  if (status) return status;
  size_t width = (size_t)s->space->most_pending, count = (size_t)def->count;
  s->errors = lb_alloc(count, sizeof(double));
  s->chosen = lb_alloc(count, sizeof(int32_t));
  s->selected = lb_alloc((size_t)def->capacity * width, sizeof(double));
  if (!s->errors || !s->chosen || !s->selected) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) s->errors[i] = INFINITY;
  return LB_OK;
}

// Where the block Q that came last couples Ritz pairs to itself: with c = Q' K x, a correction
// (Q' K Q)^-1 c of x, whose length is the error that the pair had, mostly.
static lbStatus estimate_errors(Search *s, int32_t width, lbError *err) {
  lbLanczos *space = s->space;
  int32_t before = s->ritz_size;
  size_t ld = (size_t)space->capacity, w = (size_t)width, m = (size_t)before;
  size_t count = (size_t)(s->def->count < before ? s->def->count : before);
  double *E = lb_alloc(w * w + w * m + w * count, sizeof *E);
  if (!E) return lb_fail_memory(err);
  double *coupling = E + w * w, *c = coupling + w * m; // Q' K V, (width x before)
  for (size_t j = 0; j < w; j++) {
    const double *column = space->T + (m + j) * ld;
    memcpy(E + j * w, column + m, w * sizeof *E);
    for (size_t i = 0; i < m; i++) coupling[i * w + j] = column[i];
  }
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, width, (int32_t)count, before, 1, coupling, space->Y, 0, c);
  lbStatus status = lb_dense_cholesky(width, E, err);
  if (!status) lb_dense_cholesky_solve(width, E, (int32_t)count, c);
  for (size_t i = 0; i < count && !status; i++) {
    double square = 0;
    for (size_t j = 0; j < w; j++) square += c[i * w + j] * c[i * w + j];
    s->errors[i] = sqrt(square);
  }
  lb_free(E);
  return status;
}

// Lengths in the norm of M of the columns of W, which lose what the space has of them: mostly all
// but a little, so that it takes a second time to make them orthogonal to it.
static void project_out_space(Search *s, int32_t width, double *lengths) {
  lbLanczos *space = s->space;
  size_t n = (size_t)space->size;
  lb_product_multiply(s->def->M, width, space->W, space->MW, space->product_work);
  for (size_t j = 0; j < (size_t)width; j++) {
    double square = 0;
    for (size_t i = j * n; i < (j + 1) * n; i++) square += space->W[i] * space->MW[i];
    lengths[j] = sqrt(fmax(square, 0));
  }
  if (space->m == 0) return;
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, space->m, width, space->size, 1, space->V, space->MW,
                    0, space->C);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, space->size, width, space->m, -1, space->V, space->C, 1,
                    space->W);
}

// Takes the columns of W into the space.
static lbStatus add_search_block(Search *s, int32_t width, double *lengths, lbError *err) {
  lbLanczos *space = s->space;
  int32_t before = space->m, after = before + width;
  size_t n = (size_t)space->size, ld = (size_t)space->capacity;
  double lost[2 * LB_LANCZOS_BLOCK];
  project_out_space(s, width, lengths);
  memcpy(lost, lengths, (size_t)width * sizeof *lost);
  lbStatus status = lb_lanczos_orthonormalise(space, before, width, space->W, space->MW, lost,
                                              space->C, space->R, err);
  if (status) return status;
  memcpy(space->V + n * (size_t)before, space->W, n * (size_t)width * sizeof *space->W);
  lb_product_multiply(s->def->K, width, space->W, space->MW, space->product_work);
  lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, after, width, space->size, 1, space->V, space->MW, 0,
                    s->selected);
  for (size_t j = 0; j < (size_t)width; j++)
    memcpy(space->T + ((size_t)before + j) * ld, s->selected + j * (size_t)after,
           (size_t)after * sizeof *space->T);
  space->m = after;
  return LB_OK;
}

static lbStatus find_ritz(Search *s, lbError *err) {
  lbLanczos *space = s->space;
  size_t m = (size_t)space->m;
  for (size_t j = 0; j < m; j++)
    memcpy(space->Y + j * m, space->T + j * (size_t)space->capacity, (j + 1) * sizeof *space->Y);
  s->ritz_size = space->m;
  return lb_dense_eigen(space->m, space->Y, space->theta, err);
}

// MW = V Y of the chosen pairs [begin, begin + width).
static void combine_ritz_pairs(Search *s, int32_t begin, int32_t width) {
  lbLanczos *space = s->space;
  size_t m = (size_t)s->ritz_size;
  for (size_t j = 0; j < (size_t)width; j++)
    memcpy(s->selected + j * m, space->Y + m * (size_t)s->chosen[(size_t)begin + j],
           m * sizeof *space->Y);
  lb_dense_multiply(LB_PLAIN, LB_PLAIN, space->size, width, s->ritz_size, 1, space->V, s->selected,
                    0, space->MW);
}

// W <- P W; products are made at other times, so that their work space is free.
static lbStatus precondition_directions(Search *s, int32_t width, lbError *err) {
  lbLanczos *space = s->space;
  space->solve_count += width;
  return lb_cholesky_solve_once(s->def->factor, width, space->W,
                                lb_sparse_work_count(space->M, space->most_pending),
                                space->product_work, err);
}

// W = P (K x - lambda M x) of the chosen pairs. Where P errs most, in soft shapes, the space has
// them already.
static lbStatus find_corrections(Search *s, int32_t begin, int32_t width, lbError *err) {
  lbLanczos *space = s->space;
  size_t n = (size_t)space->size;
  combine_ritz_pairs(s, begin, width);
  lb_product_multiply(s->def->K, width, space->MW, space->W, space->product_work);
  lb_product_multiply(s->def->M, width, space->MW, space->MW, space->product_work);
  for (size_t j = 0; j < (size_t)width; j++) {
    double lambda = space->theta[s->chosen[(size_t)begin + j]];
    for (size_t i = j * n; i < (j + 1) * n; i++) space->W[i] -= lambda * space->MW[i];
  }
  return precondition_directions(s, width, err);
}

// Pairs by their errors, the largest first, in chosen; how many of them are above the tolerance.
static int32_t rank_errors(const Search *s) {
  int32_t count = s->def->count < s->space->m ? s->def->count : s->space->m, above = 0;
  for (int32_t i = 0; i < count; i++) {
    int32_t at = i;
    for (; at > 0 && s->errors[s->chosen[at - 1]] < s->errors[i]; at--)
      s->chosen[at] = s->chosen[at - 1];
    s->chosen[at] = i;
    above += !(s->errors[i] <= s->def->tolerance);
  }
  return count < s->def->count ? s->def->count : above;
}

// The first columns of V become the lowest Ritz vectors, in place, some rows after others.
static lbStatus turn_space(Search *s, int32_t keep, lbError *err) {
  enum { ROWS = 2048 };
  lbLanczos *space = s->space;
  size_t n = (size_t)space->size, k = (size_t)keep, m = (size_t)space->m;
  double *turned = lb_alloc(ROWS * k, sizeof *turned);
  if (!turned) return lb_fail_memory(err);
  for (size_t begin = 0; begin < n; begin += ROWS) {
    size_t rows = n - begin < ROWS ? n - begin : ROWS;
    lb_dense_multiply_parts(LB_PLAIN, LB_PLAIN, (int32_t)rows, keep, space->m, 1, space->V + begin,
                            n, space->Y, m, 0, turned, rows);
    for (size_t c = 0; c < k; c++)
      memcpy(space->V + c * n + begin, turned + c * rows, rows * sizeof *turned);
  }
  lb_free(turned);
  return LB_OK;
}

// Keeps the lowest Ritz vectors where there is no room for so many more.
static lbStatus make_search_room(Search *s, int32_t width, lbError *err) {
  lbLanczos *space = s->space;
  if (space->m + width <= space->capacity) return LB_OK;
  int32_t keep = s->def->count + s->def->block;
  size_t ld = (size_t)space->capacity;
  lbStatus status = turn_space(s, keep, err);
  if (status) return status;
  memset(space->T, 0, ld * ld * sizeof *space->T);
  for (size_t j = 0; j < (size_t)keep; j++) space->T[j * ld + j] = space->theta[j];
  space->m = keep;
  return find_ritz(s, err);
}

// A step with the pairs that are furthest from modes, of which so many are too far; errors of all
// of them are estimated.
static lbStatus take_davidson_step(Search *s, int32_t above, lbError *err) {
  int32_t block = above <= s->def->block / 2 ? s->def->block / 2 : s->def->block;
  if (block > s->def->count) block = s->def->count;
  if (block > s->space->m) block = s->space->m;
  lbStatus status = make_search_room(s, block, err);
  double lengths[2 * LB_LANCZOS_BLOCK];
  if (!status) status = find_corrections(s, 0, block, err);
  if (!status) status = add_search_block(s, block, lengths, err);
  if (!status) status = estimate_errors(s, block, err);
  return status ? status : find_ritz(s, err);
}

// Measures the errors of all pairs, and takes what is found by that into the space. *good: all are
// below the tolerance.
static lbStatus verify(Search *s, bool *good, lbError *err) {
  int32_t count = s->def->count, most = s->space->most_pending;
  lbStatus status = make_search_room(s, count, err);
  for (int32_t done = 0; done < count && !status; done += most) {
    int32_t width = count - done < most ? count - done : most;
    double lengths[2 * LB_LANCZOS_BLOCK];
    status = find_corrections(s, done, width, err);
    if (!status) status = add_search_block(s, width, lengths, err);
    for (int32_t j = 0; j < width && !status; j++) s->errors[s->chosen[done + j]] = lengths[j];
  }
  if (!status) status = find_ritz(s, err);
  *good = !status && rank_errors(s) == 0;
  return status;
}

// What the factor found of soft shapes, or what one inverse iteration makes of random vectors.
static lbStatus begin_davidson(Search *s, lbError *err) {
  lbLanczos *space = s->space;
  int32_t width = space->most_pending, count = 0;
  const double *soft = lb_cholesky_soft_shapes(s->def->factor, &count);
  double lengths[2 * LB_LANCZOS_BLOCK];
  lbStatus status = LB_OK;
  if (soft && count <= width) {
    width = count;
    memcpy(space->W, soft, (size_t)space->size * (size_t)count * sizeof *soft);
  } else {
    width = space->pending;
    memcpy(space->W, space->MW, (size_t)space->size * (size_t)width * sizeof *space->W);
    status = precondition_directions(s, width, err);
  }
  lb_cholesky_drop_soft_shapes(s->def->factor);
  lb_cholesky_release_work(s->def->factor);
  if (!status) status = add_search_block(s, width, lengths, err);
  return status ? status : find_ritz(s, err);
}

static bool may_have_missed(const Search *s) {
  const double *lambda = s->space->theta;
  for (int32_t i = 0; i + CLUSTER <= s->def->count; i++)
    if (lambda[i + CLUSTER - 1] < (1 + 1e-7) * lambda[i]) return true;
  return false;
}

// The lowest Ritz vectors, for the caller; what else was there goes first.
static lbStatus take_modes(Search *s, double **X, lbError *err) {
  lbLanczos *space = s->space;
  size_t values = (size_t)space->size * (size_t)s->def->count;
  lbStatus status = turn_space(s, s->def->count, err);
  if (status) return status;
  lb_lanczos_release_work(space);
  *X = lb_duplicate(space->V, values, sizeof **X);
  return *X ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_davidson_search(lbDavidson *search, double **X, lbError *err) {
  Search s;
  bool good = false;
  lbStatus status = open_davidson_search(search, &s, err);
  if (!status) status = begin_davidson(&s, err);
  for (int32_t steps = 0; steps < MOST_STEPS + search->count && !status && !good; steps++) {
    int32_t above = rank_errors(&s);
    double fraction = (double)s.space->m / (4.0 * search->count + 8 * search->block);
    if (!lb_progress("modes", fraction < 0.99 ? fraction : 0.99))
      status = lb_fail_interrupted(err, "modes");
    else if (above > 0)
      status = take_davidson_step(&s, above, err);
    else
      status = verify(&s, &good, err);
  }
  if (status == LB_ERR_NUMERIC) status = LB_OK; // the fallback search reports the cause
  *X = NULL;
  if (!status && good && !may_have_missed(&s)) status = take_modes(&s, X, err);
  if (s.space) search->solve_count += s.space->solve_count;
  close_search(&s);
  return status;
}
