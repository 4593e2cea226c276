// Fully symmetric coefficients P_ij, Q_ijk, S_ijkl of a cubic force and how they are stored.
//
//   W(q) = 1/2 P(q,q) + 1/3 Q(q,q,q) + 1/4 S(q,q,q,q),   R = dW/dq = P q + Q(q,q,.) + S(q,q,q,.)
//
// Packed: one number for each sorted tuple, the last index slowest, so that the coefficients of the
// first m modes are the first ones whatever the number of modes: what files hold.
// Prepared (lbCubic): what kernels read, in vectors of four values of an index (a group; the last
// one is filled up with zeros).
//   Q: for groups J <= I, in packed order, and every index c, the 4x4 values of i in I and j in J:
//   [J, I][c][j][i].
//   S: the two largest indices k <= l of four pick a symmetric matrix over i, j <= k,
//     S(q,q,q,q) = 6 sum_{k<=l} q_k q_l  q^T B^kl q,
//   S_ijkl times how often the tuple occurs there. Up to LB_CUBIC_WHOLE modes these are stored
//   whole, those of one k and four consecutive l (fewer at the end) interleaved:
//   [k][block of l][I][j][l][i]. Beyond, where reading takes longer than adding, of each matrix the
//   groups J <= I alone: [k][l][J][I][j][i].
//   Up to LB_CUBIC_FEW modes S is stored as a plain matrix over pairs, S(.,.,q,q) = Σ_{k<=l} q_k
//   q_l S_..kl (twice, where k < l), twelve pairs i <= j of the result at a time: [block of (i,
//   j)][(k, l)][(i, j)], pairs in packed order, filled up with zeros.
#ifndef LB_MATH_CUBIC_FORM_H
#define LB_MATH_CUBIC_FORM_H

#include "limber/base.h"

#define LB_CUBIC_GROUP 4
#define LB_CUBIC_MODES_MAX 1024 // sizes fit; memory is another matter (r = 100: 39 MB)

// ---- packed ------------------------------------------------------------------------------------

// How many there are for r modes.
size_t lb_packed2_count(int32_t r);
size_t lb_packed3_count(int32_t r);
size_t lb_packed4_count(int32_t r);

// Where a sorted tuple i <= j <= k <= l is.
static inline size_t lb_packed2(int32_t i, int32_t j) {
  return (size_t)j * ((size_t)j + 1) / 2 + (size_t)i;
}
static inline size_t lb_packed3(int32_t i, int32_t j, int32_t k) {
  size_t n = (size_t)k;
  return n * (n + 1) * (n + 2) / 6 + lb_packed2(i, j);
}
static inline size_t lb_packed4(int32_t i, int32_t j, int32_t k, int32_t l) {
  size_t n = (size_t)l;
  return n * (n + 1) / 2 * ((n + 2) * (n + 3) / 2) / 6 + lb_packed3(i, j, k);
}

// ---- prepared ----------------------------------------------------------------------------------

// Immutable while kernels read it: shared by any number of bodies and threads. Arrays may have any
// alignment (64 bytes is best).
typedef struct lbCubic {
  int32_t count;           // modes, r
  const double *linear;    // (padded x padded) P; zeros in the padding
  const double *quadratic; // (lb_cubic_quadratic_size) Q
  const double *cubic;     // (lb_cubic_cubic_size) S
  // The last two in single precision, which are read instead where they are not NULL (both or
  // neither); arithmetic is the same.
  const float *quadratic_single, *cubic_single;
} lbCubic;

// Arrays of the same shape that are written.
typedef struct lbCubicArrays {
  double *linear, *quadratic, *cubic;
} lbCubicArrays;

static inline int32_t lb_cubic_groups(int32_t r) {
  return (r + LB_CUBIC_GROUP - 1) / LB_CUBIC_GROUP;
}
static inline int32_t lb_cubic_padded(int32_t r) { return lb_cubic_groups(r) * LB_CUBIC_GROUP; }
size_t lb_cubic_linear_size(int32_t r); // doubles
size_t lb_cubic_quadratic_size(int32_t r);
size_t lb_cubic_cubic_size(int32_t r);

// S of so many modes and fewer is stored as a matrix over pairs.
#define LB_CUBIC_FEW 15
#define LB_CUBIC_ENTRIES 12 // of a block

// S of so many modes and fewer is stored in whole matrices.
#define LB_CUBIC_WHOLE 40
#define LB_CUBIC_WIDTH 4 // matrices that lie interleaved
static inline int32_t lb_cubic_width(int32_t r, int32_t l) {
  return r - l < LB_CUBIC_WIDTH ? r - l : LB_CUBIC_WIDTH;
}

// From packed coefficients.
void lb_cubic_pack(int32_t r, const double *packed2, const double *packed3, const double *packed4,
                   const lbCubicArrays *out);

// Q and S in single precision: quadratic_single, cubic_single of the same sizes. Rounding changes
// forces by 1e-8 to 1e-7 of their size.
void lb_cubic_round(const lbCubic *cubic, float *quadratic_single, float *cubic_single);

// One coefficient, indices in any order.
double lb_cubic_coefficient2(const lbCubic *cubic, int32_t i, int32_t j);
double lb_cubic_coefficient3(const lbCubic *cubic, int32_t i, int32_t j, int32_t k);
double lb_cubic_coefficient4(const lbCubic *cubic, int32_t i, int32_t j, int32_t k, int32_t l);

// Σ weights[p] parts[p]: what a body of several materials is made of (its λ- and μ-parts). All
// parts have the same number of modes.
void lb_cubic_combine(int32_t part_count, const lbCubic *parts, const double *weights,
                      const lbCubicArrays *out);

#endif
