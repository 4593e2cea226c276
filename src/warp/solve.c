// The solution of A v = b, A = c M + κ K̂, with the diagonal's blocks as the preconditioner, and
// parts that move rigidly beside them (coarse.c).
//
// Where K̂ is symmetric: conjugate gradients. From v = 0 (the body stays where it is) they lower the
// step's energy ½ v A v − b v in each iteration, so that a solution that is cut short after any
// number of them never adds energy; a guess is therefore taken with the share t that lowers that
// energy most. The form by vertices is not symmetric (6 %), and its symmetric part is indefinite:
// conjugate gradients diverge at long steps. BiCGSTAB needs no symmetry, no transposed product and
// a fixed number of vectors, where GMRES would need one more for each iteration.
#include "warp/coarse.h"
#include "warp/cores.h"
#include "warp/passes.h"

#include <string.h>

enum { RESIDUAL, DIRECTION, PRODUCT, SMOOTHED, SHADOW, OTHER, OTHER_SMOOTHED, GUESS };

typedef struct Solver {
  const lbWarp *warp;
  lbWarpWork *work;
  double *v;
} Solver;

static lbWarpPass pass_of(const Solver *s) {
  lbWarpWork *work = s->work;
  lbWarpPass pass = { .warp = s->warp,
                      .values = work->values,
                      .symmetric = work->symmetric,
                      .inverse = work->inverse,
                      .packed = work->packed };
  if (work->parts_ready) {
    pass.arms = work->arms;
    pass.collected = work->part_sums;
    pass.motions = work->coarse_vector;
  }
  return pass;
}

// y <- A x, x being in work->packed, too; sums: y w, y y
static lbWarpSums multiply_packed(const Solver *s, const double *x, const double *w, double *y) {
  lbWarpPass pass = pass_of(s);
  pass.x = x, pass.w = w, pass.out = y, pass.a = s->work->c, pass.b = s->work->kappa;
  return lb_warp_run(s->warp->rows->multiply, &pass, s->work);
}

static lbWarpSums multiply_warp_solve(const Solver *s, const double *x, const double *w,
                                      double *y) {
  lbWarpPass pass = pass_of(s);
  pass.x = x;
  lb_warp_run(s->warp->rows->pack, &pass, s->work);
  return multiply_packed(s, x, w, y);
}

static lbWarpSums combine_warp_solve(const Solver *s, const double *x, double a, const double *y,
                                     double b, const double *w, double *out, double *other);

// The same among vectors that are rigid in each core. Conjugate gradients need it not: what is not
// rigid in a residual meets no vector that could see it.
static lbWarpSums multiply_rigid(const Solver *s, const double *x, double *w, double *y) {
  lbWarpSums sums = multiply_warp_solve(s, x, w, y);
  if (s->warp->core_count == 0) return sums;
  lb_warp_make_rigid(s->warp, s->work, y);
  sums = combine_warp_solve(s, y, 0, y, 0, NULL, y, w);
  return (lbWarpSums){ sums.second, sums.first };
}

// y <- the preconditioner's x without the motions of parts; the sum x y with them
static double smooth_apart(const Solver *s, const double *x, double *y) {
  lbWarpPass pass = pass_of(s);
  pass.x = x, pass.out = y;
  double product = lb_warp_run(s->warp->rows->smooth, &pass, s->work).first;
  product += lb_warp_move_parts(s->warp, s->work);
  return product + lb_warp_add_cores(s->warp, s->work, x, y);
}

static double smooth_warp_solve(const Solver *s, const double *x, double *y) {
  lbWarpPass pass = pass_of(s);
  double product = smooth_apart(s, x, y);
  pass.out = y;
  if (pass.motions) lb_warp_run(s->warp->rows->spread, &pass, s->work);
  return product;
}

// out <- x + a y + b w (may be NULL); sums: out out, out other (may be NULL)
static lbWarpSums combine_warp_solve(const Solver *s, const double *x, double a, const double *y,
                                     double b, const double *w, double *out, double *other) {
  lbWarpPass pass = pass_of(s);
  pass.x = x, pass.y = y, pass.w = w, pass.out = out, pass.other = other, pass.a = a, pass.b = b;
  return lb_warp_run(s->warp->rows->combine, &pass, s->work);
}

// v += a x, r -= a y
static void advance_warp_solve(const Solver *s, double a, const double *x, const double *y,
                               double *r) {
  lbWarpPass pass = pass_of(s);
  pass.x = x, pass.y = y, pass.out = s->v, pass.other = r, pass.a = a;
  lb_warp_run(s->warp->rows->advance, &pass, s->work);
}

void lb_warp_multiply(const lbWarp *warp, lbWarpWork *work, const double *x, double *y) {
  Solver s = { warp, work, NULL };
  multiply_warp_solve(&s, x, x, y);
}

// guess <- v at free nodes, v <- what is left of it, at held ones; whether that is not zero.
static bool part_guess(const Solver *s, double *guess) {
  bool moves = false;
  for (int32_t n = 0; n < s->warp->node_count; n++)
    for (size_t k = 0; k < 3; k++) {
      size_t at = lb_warp_at(n) + k * LB_BATCH;
      bool free = s->warp->free[n] > 0;
      guess[at] = free ? s->v[at] : 0;
      if (free) s->v[at] = 0;
      moves |= s->v[at] != 0;
    }
  return moves;
}

// r <- b − A v, v having the share of the guess that serves best; returns the norm of the residual
// without it, in the preconditioner's norm.
static double start_warp_solve(const Solver *s, const double *b, double *r) {
  double *guess = s->work->vectors[GUESS], *product = s->work->vectors[PRODUCT];
  bool held_moves = part_guess(s, guess);
  double none = 0;
  if (held_moves) multiply_warp_solve(s, s->v, s->v, product);
  for (int32_t n = 0; n < s->warp->node_count; n++)
    for (size_t k = 0; k < 3; k++) {
      size_t at = lb_warp_at(n) + k * LB_BATCH;
      r[at] = s->warp->free[n] > 0 ? b[at] - (held_moves ? product[at] : 0) : 0;
    }
  bool symmetric = s->work->symmetric;
  if (!symmetric) lb_warp_make_rigid(s->warp, s->work, r);
  double norm = smooth_warp_solve(s, r, s->work->vectors[SMOOTHED]);
  // The least energy, or the least residual.
  lbWarpSums sums = symmetric ? multiply_warp_solve(s, guess, guess, product)
                              : multiply_rigid(s, guess, r, product);
  double along = combine_warp_solve(s, guess, none, guess, none, NULL, guess, r).second;
  double above = symmetric ? along : sums.first, below = symmetric ? sums.first : sums.second;
  double t = below > 0 ? above / below : 0;
  bool serves = isfinite(t) && t != 0;
  if (serves) advance_warp_solve(s, t, guess, product, r);
  combine_warp_solve(s, r, serves ? t : 0, product, 0, NULL, guess,
                     NULL); // what is to be solved, for scale
  return norm;
}

// v += a p, r -= a A p, z <- the preconditioner's r without the motions of parts; the sum r z of
// all
static double descend_warp_solve(const Solver *s, double a) {
  double **vectors = s->work->vectors;
  lbWarpPass pass = pass_of(s);
  pass.x = vectors[DIRECTION], pass.y = vectors[PRODUCT], pass.out = s->v;
  pass.other = vectors[RESIDUAL], pass.smoothed = vectors[SMOOTHED], pass.a = a;
  double product = lb_warp_run(s->warp->rows->descend, &pass, s->work).first;
  product += lb_warp_move_parts(s->warp, s->work);
  return product + lb_warp_add_cores(s->warp, s->work, vectors[RESIDUAL], vectors[SMOOTHED]);
}

// p <- z, with the motions of parts, + b p
static void redirect_warp_solve(const Solver *s, double b) {
  lbWarpPass pass = pass_of(s);
  pass.x = s->work->vectors[SMOOTHED], pass.out = s->work->vectors[DIRECTION], pass.b = b;
  lb_warp_run(s->warp->rows->redirect, &pass, s->work);
}

// Three passes over the nodes an iteration.
static int32_t conjugate_gradients(const Solver *s, double stop, int32_t iterations) {
  double **vectors = s->work->vectors;
  double *p = vectors[DIRECTION];
  memset(p, 0, s->warp->length * sizeof *p);
  double rz = smooth_apart(s, vectors[RESIDUAL], vectors[SMOOTHED]), ratio = 0;
  int32_t i = 0;
  while (i < iterations && rz > stop) {
    redirect_warp_solve(s, ratio);
    double curvature = multiply_packed(s, p, p, vectors[PRODUCT]).first;
    s->work->indefinite = !(curvature > 0); // by compression
    if (s->work->indefinite) break;
    double next = descend_warp_solve(s, rz / curvature);
    ratio = next / rz, rz = next;
    i++;
  }
  return i;
}

// v at free nodes times the share that lowers the energy most: then v A v = b v exactly, as if it
// had been solved, and a step by Newmark's rule keeps the energy of its quadratic potential,
// however few iterations were made.
static void scale_warp_solve(const Solver *s) {
  const double *b = s->work->vectors[GUESS], *r = s->work->vectors[RESIDUAL];
  double along = 0, left = 0;
  for (int32_t n = 0; n < s->warp->node_count; n++)
    for (size_t k = 0; k < 3 && s->warp->free[n] > 0; k++) {
      size_t at = lb_warp_at(n) + k * LB_BATCH;
      along += s->v[at] * b[at], left += s->v[at] * r[at];
    }
  double t = along / (along - left);
  if (!isfinite(t) || !(along - left > 0)) return;
  for (int32_t n = 0; n < s->warp->node_count; n++)
    for (size_t k = 0; k < 3 && s->warp->free[n] > 0; k++) s->v[lb_warp_at(n) + k * LB_BATCH] *= t;
}

// Right-preconditioned: residuals are those of A v = b.
static int32_t stabilised_gradients(const Solver *s, double stop, int32_t iterations) {
  double **vectors = s->work->vectors;
  double *r = vectors[RESIDUAL], *p = vectors[DIRECTION], *Ap = vectors[PRODUCT];
  double *z = vectors[SMOOTHED], *shadow = vectors[SHADOW], *t = vectors[OTHER];
  double *y = vectors[OTHER_SMOOTHED];
  size_t bytes = s->warp->length * sizeof *r;
  memcpy(shadow, r, bytes);
  memcpy(p, r, bytes);
  double rho = combine_warp_solve(s, r, 0, r, 0, NULL, r, shadow).second;
  int32_t i = 0;
  while (i < iterations && smooth_warp_solve(s, r, y) > stop) {
    smooth_warp_solve(s, p, z);
    double alpha = rho / multiply_rigid(s, z, shadow, Ap).first;
    if (!isfinite(alpha)) break;
    advance_warp_solve(s, alpha, z, Ap, r); // r: s of the books
    smooth_warp_solve(s, r, y);
    lbWarpSums sums = multiply_rigid(s, y, r, t);
    double omega = sums.second > 0 ? sums.first / sums.second : 0;
    advance_warp_solve(s, omega, y, t, r);
    double next = combine_warp_solve(s, r, 0, r, 0, NULL, r, shadow).second;
    double beta = next / rho * (alpha / omega);
    i++;
    if (!isfinite(beta) || omega == 0) break;
    combine_warp_solve(s, r, beta, p, -beta * omega, Ap, p, NULL);
    rho = next;
  }
  return i;
}

int32_t lb_warp_solve(const lbWarp *warp, lbWarpWork *work, const double *b, double *v,
                      int32_t iterations, double tolerance) {
  Solver s = { warp, work, v };
  work->indefinite = false;
  double norm = start_warp_solve(&s, b, work->vectors[RESIDUAL]);
  double stop = fmax(norm, work->least) * tolerance * tolerance;
  if (!(stop > 0)) stop = 0;
  if (!work->symmetric) return stabilised_gradients(&s, stop, iterations);
  int32_t made = conjugate_gradients(&s, stop, iterations);
  scale_warp_solve(&s);
  return made;
}
