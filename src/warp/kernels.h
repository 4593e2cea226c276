// The kernels of warped stiffness, tables for each SIMD level: elements in batches, rows of
// nodes in groups of 8.
#ifndef LB_WARP_KERNELS_H
#define LB_WARP_KERNELS_H

#include "warp/warp.h"

#define LB_WARP_CHUNK 32 // groups that are summed together

// A loop over groups of nodes: what goes in and out, (length) each.
typedef struct lbWarpPass {
  const lbWarp *warp;
  const double *values, *inverse;
  bool symmetric; // values
  const double *x, *y, *w;
  double *out, *other;
  double a, b;    // multiply: c and κ
  double *packed; // (nodes x 4) x for products
  // Parts of the coarse preconditioner: arms (length); what is collected (6 a part, of each chunk);
  // motions (6 a part, and 6 zeros). NULL: none.
  const double *arms, *motions;
  double *collected, *smoothed;
} lbWarpPass;

// Groups [begin, end); sums (2 x LB_BATCH), written: what the function says, by lanes.
typedef void lbWarpOperation(const lbWarpPass *pass, int32_t begin, int32_t end, double *sums);

typedef struct lbWarpElements {
  // Batch of a set: blocks, forces (element by element) and energies (LB_BATCH) at x; `positive`:
  // blocks without what compression softens.
  void (*elements)(const lbWarpSet *set, int32_t batch, double stretch_limit, bool positive,
                   const double *x, double *blocks, double *forces, double *energies);
  // The energies alone.
  void (*energies)(const lbWarpSet *set, int32_t batch, double stretch_limit, const double *x,
                   double *energies);
  // Whether a tet of the batch may be stretched so far at x that lb_warp_may_gain says yes.
  bool (*gains)(const lbWarpSet *set, int32_t batch, const double *x);
  // values <- K̂ of pairs [begin, end) of the plan, from the blocks of elements.
  void (*assemble)(const lbWarp *warp, int32_t begin, int32_t end, const double *blocks,
                   double *values);
  // force <- the sums of shares (3 each, and one number behind the last) of nodes [begin, end).
  void (*gather)(const lbWarp *warp, int32_t begin, int32_t end, const double *shares,
                 double *force);
} lbWarpElements;

typedef struct lbWarpRows {
  lbWarpOperation *pack;     // packed <- x − y (packed; if there is one)
  lbWarpOperation *multiply; // out <- a M x + b K̂ x, x being packed, too; sums: out w, out out
  lbWarpOperation *invert;   // out (9 x 8 a group) <- inverse of the diagonal of a M + b K̂
  lbWarpOperation *smooth;   // out <- inverse x; collected <- Σ x and Σ arm × x; sums: x out
  // out += a x, other -= a y, smoothed <- inverse other; collected, sums: as for smooth
  lbWarpOperation *descend;
  lbWarpOperation *advance;  // out += a x, other -= a y; sums: other other
  lbWarpOperation *combine;  // out <- x + a y + b w; sums: out out, out other (if there is one)
  lbWarpOperation *spread;   // out += the motions of parts
  lbWarpOperation *redirect; // out <- x + the motions of parts + b out, and packed
  lbWarpOperation *rows;     // out <- K̂ packed, held nodes, too
  // out <- forces at x, which is packed, too, by turned rows of K at rest; other <- these rows
  lbWarpOperation *turned_rows;
} lbWarpRows;

const lbWarpElements *lb_warp_elements(lbSimdLevel level);
const lbWarpRows *lb_warp_rows(lbSimdLevel level);

#endif
