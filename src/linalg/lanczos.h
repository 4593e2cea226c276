// A block Krylov space of the operator OP = (K + s M)^-1 M, M-orthonormal, and its Ritz pairs.
//
//   OP V = V T + Q B,   V' M V = 1,   V' M Q = 0
//
// V (size x m) is the basis, Q (size x pending) the block that the next step multiplies. OP is
// symmetric in the M inner product, so T is symmetric; its largest eigenvalues theta = 1 / (lambda
// + s) converge first, and |B y| is the residual of the Ritz pair (theta, V y).
#ifndef LB_LINALG_LANCZOS_H
#define LB_LINALG_LANCZOS_H

#include "linalg/cholesky.h"

enum { LB_LANCZOS_BLOCK = 64 }; // widest block to start with

typedef struct lbLanczos {
  lbCholesky *factor; // of K + s M; borrowed
  const lbSparse *M;  // borrowed
  int32_t size;
  int32_t most_pending; // columns of W and MW
  int32_t capacity;     // columns of V, pending ones included
  int32_t m, pending;
  int32_t coupled_begin; // columns of B before this one are zero
  uint64_t random;       // state of the generator
  double *V;             // (size x capacity): basis, then the pending block Q
  double *W, *MW;        // (size x most_pending) work; between steps MW = M Q
  double *T;             // (capacity x capacity), upper triangle of the first m columns
  double *B;             // (most_pending x capacity), first pending rows and m columns
  double *C;             // (capacity x most_pending) work
  double *R;             // (most_pending x most_pending) work
  double *theta;         // (capacity) Ritz values, descending; written by lb_lanczos_ritz
  double *Y;             // (m x m) their vectors in V, column i for theta[i]
  double *residuals;     // (capacity) |B y|
  double *product_work;  // of products with M and V
  int32_t solve_count;   // right-hand sides solved
} lbLanczos;

// An empty space whose pending block is `block` random vectors; later steps may widen the block up
// to twice that. Start vectors are the same at every run.
lbStatus lb_lanczos_create(lbCholesky *factor, const lbSparse *M, int32_t block, int32_t capacity,
                           lbLanczos **out, lbError *err);
void lb_lanczos_destroy(lbLanczos *space);
void lb_lanczos_release_work(lbLanczos *space); // W, MW and product_work: after the last step

// Room for the next step.
static inline bool lb_lanczos_has_room(const lbLanczos *space) {
  return space->m + 2 * space->pending <= space->capacity;
}
// Keeps everything, Ritz pairs too.
lbStatus lb_lanczos_grow(lbLanczos *space, int32_t capacity, lbError *err);

// Multiplies the pending block and takes it into the basis. Needs room.
lbStatus lb_lanczos_step(lbLanczos *space, lbError *err);
// Widens the pending block by random vectors: what the start block has missed shows up with them.
lbStatus lb_lanczos_widen(lbLanczos *space, int32_t count, lbError *err);
lbStatus lb_lanczos_ritz(lbLanczos *space, lbError *err);
// After ritz: keeps the first `keep` Ritz vectors alone (thick restart).
lbStatus lb_lanczos_restart(lbLanczos *space, int32_t keep, lbError *err);
// After ritz: X (size x count) = OP V y / theta = V y + Q B y / theta for the first Ritz pairs: one
// more inverse iteration for nothing.
lbStatus lb_lanczos_vectors(const lbLanczos *space, int32_t count, double *X, lbError *err);

// W = V H + Q R, V' M Q = 0, Q' M Q = 1, over the first `basis` columns of V: W becomes Q, MW
// becomes M Q. H (basis x width) holds what was taken from W before the call and gets the rest
// added; R is upper triangular. lengths are those of the columns before anything was taken, 0 if
// they do not matter.
lbStatus lb_lanczos_orthonormalise(lbLanczos *space, int32_t basis, int32_t width, double *W,
                                   double *MW, double *lengths, double *H, double *R, lbError *err);

#endif
