// Contraction of prepared coefficients with the coordinates of one body; see
// method/subspace/cubic.h and, for the storage, math/cubic_form.h.
//
// A3 = S(q,q,.,.) is a twelfth of the second derivative of
//   S(q,q,q,q) = 6 Σ_{k<=l} q_k q_l q^T B q,   B = B^kl over i, j <= k,
// and with V = B q, s = q.V this is A3 = D + X + X^T,
//   D = Σ q_k q_l B + (s/2 at (k,l) and (l,k)),   X = Σ V (q_l at column k, q_k at column l);
// S(q,q,q,.) = Σ 3 q_k q_l V + 3/2 s (q_l at k, q_k at l). Vectors run along i; of D the lower
// triangle is needed. Few modes have S as one matrix over pairs instead. S(q,v,.,.) is the same
// with one of the contracted slots given to q and the other to v, both ways round, halved: `forms`
// is 1 or 2, a constant.
//
// method/subspace/cubic_lanes.kernel.c does the same for several bodies, in the same order of
// operations: what changes here must change there.
#include "method/subspace/cubic_half.h"
#include "method/subspace/cubic_product.h"
#include "method/subspace/cubic_whole.h"

static Work place_work_cubic(const lbCubic *cubic, double *block) {
  size_t padded = (size_t)lb_cubic_padded(cubic->count), matrix = padded * padded;
  Work w = { .count = cubic->count, .groups = lb_cubic_groups(cubic->count), .padded = padded };
  w.D = block, w.X = block + matrix, w.A2 = block + 2 * matrix, w.A3 = block + 3 * matrix;
  w.q[0] = block + 4 * matrix, w.q[1] = w.q[0] + padded;
  w.V[0] = w.q[1] + padded, w.V[1] = w.V[0] + padded;
  return w;
}

static void set_form(const Work *w, int form, const double *q) {
  memcpy(w->q[form], q, (size_t)w->count * sizeof *q);
  for (size_t i = (size_t)w->count; i < w->padded; i++) w->q[form][i] = 0;
}

// ---- matrices ----------------------------------------------------------------------------------

// Columns 4J.. of the rows 4I.. of a symmetric matrix, and their mirror image.
LB_FOUR_INLINE void store_block(const Work *w, double *A, size_t I, size_t J, lbFour M[4]) {
  LB_FOR (c, 0, 4) lb_four_store(A + (4 * J + (size_t)c) * w->padded + 4 * I, M[c]);
  if (I == J) return;
  lb_four_turn(M, M);
  LB_FOR (c, 0, 4) lb_four_store(A + (4 * I + (size_t)c) * w->padded + 4 * J, M[c]);
}

// A block on the diagonal: entries above the diagonal become those below it.
LB_FOUR_INLINE void mirror(lbFour M[4]) {
  lbFour T[4];
  lb_four_turn(M, T);
  M[1] = __builtin_shufflevector(M[1], T[1], 4, 1, 2, 3);
  M[2] = __builtin_shufflevector(M[2], T[2], 4, 5, 2, 3);
  M[3] = __builtin_shufflevector(M[3], T[3], 4, 5, 6, 3);
}

// A = factor (D + (X + X^T))
static void finish_cubic(const Work *work, double factor, double *A) {
  const Work copy = *work, *const w = &copy;
  const size_t groups = (size_t)w->groups;
  for (size_t I = 0; I < groups; I++)
    for (size_t J = 0; J <= I; J++) {
      lbFour M[4], T[4];
      LB_FOR (c, 0, 4) T[c] = lb_four_load(w->X + (4 * I + (size_t)c) * w->padded + 4 * J);
      lb_four_turn(T, T);
      LB_FOR (c, 0, 4) {
        const size_t at = (4 * J + (size_t)c) * w->padded + 4 * I;
        M[c] = lb_four_load(w->D + at) + (lb_four_load(w->X + at) + T[c]);
        M[c] = lb_four_splat(factor) * M[c];
      }
      if (I == J) mirror(M);
      store_block(w, A, I, J, M);
    }
}

// ---- Q and S of either precision and storage ---------------------------------------------------

// A <- factor Q(q,.,.)
LB_FOUR_INLINE void contract_Q_of(const Work *work, const bool narrow, Coefficients from,
                                  const double *q, double factor, double *A) {
  const Work copy = *work, *const w = &copy;
  const size_t groups = (size_t)w->groups, count = (size_t)w->count;
  for (size_t I = 0; I < groups; I++)
    for (size_t J = 0; J <= I; J++) {
      lbFour M[4] = { zero(), zero(), zero(), zero() };
      for (size_t c = 0; c < count; c++) {
        const lbFour q_c = lb_four_splat(q[c]);
        LB_FOR (j, 0, 4) M[j] = lb_four_multiply_add(read_four(&from, narrow, j), q_c, M[j]);
        skip(&from, narrow, 16);
      }
      LB_FOR (j, 0, 4) M[j] = lb_four_splat(factor) * M[j];
      store_block(w, A, I, J, M);
    }
}

static void contract_Q_cubic(const Work *w, const lbCubic *cubic, const double *q, double factor,
                             double *A) {
  const Coefficients from = { cubic->quadratic, cubic->quadratic_single };
  if (from.narrow)
    contract_Q_of(w, true, from, q, factor, A);
  else
    contract_Q_of(w, false, from, q, factor, A);
}

// A <- factor S(q,q,.,.), or S(q,v,.,.) of two forms
LB_FOUR_INLINE void contract_S(const Work *w, const lbCubic *cubic, const int forms, double factor,
                               double *A) {
  const Coefficients from = { cubic->cubic, cubic->cubic_single };
  const bool whole = w->count <= LB_CUBIC_WHOLE;
  if (w->count <= LB_CUBIC_FEW) {
    if (from.narrow)
      contract_product(w, forms, true, from, factor, A);
    else
      contract_product(w, forms, false, from, factor, A);
    return;
  }
  memset(w->D, 0, 2 * w->padded * w->padded * sizeof(double)); // and X
  if (whole && !from.narrow) contract_whole(w, forms, false, from);
  if (whole && from.narrow) contract_whole(w, forms, true, from);
  if (!whole && !from.narrow) contract_half(w, forms, false, from);
  if (!whole && from.narrow) contract_half(w, forms, true, from);
  finish_cubic(w, factor, A);
}

// R <- S(q,q,q,.)
static void force_S(const Work *w, const lbCubic *cubic, double *R) {
  const Coefficients from = { cubic->cubic, cubic->cubic_single };
  const bool whole = w->count <= LB_CUBIC_WHOLE;
  if (w->count <= LB_CUBIC_FEW) {
    if (from.narrow)
      force_product(w, true, from, R);
    else
      force_product(w, false, from, R);
    return;
  }
  if (whole && !from.narrow) force_whole(w, false, from, R);
  if (whole && from.narrow) force_whole(w, true, from, R);
  if (!whole && !from.narrow) force_half(w, false, from, R);
  if (!whole && from.narrow) force_half(w, true, from, R);
}

// ---- entry points ------------------------------------------------------------------------------

static void contract(const lbCubic *cubic, const double *q, double *A2, double *A3, double *work) {
  const Work w = place_work_cubic(cubic, work);
  set_form(&w, 0, q);
  contract_Q_cubic(&w, cubic, w.q[0], 1, A2);
  contract_S(&w, cubic, 1, 1, A3);
}

// R1/2 + R2/3 + R3/4: what q is multiplied with to give the energy.
LB_FOUR_INLINE lbFour energy_rows(lbFour R1, lbFour R2, lbFour R3) {
  return lb_four_multiply_add(
      lb_four_splat(0.5), R1,
      lb_four_multiply_add(lb_four_splat(1.0 / 3), R2, lb_four_splat(0.25) * R3));
}

static double evaluate_cubic(const lbCubic *cubic, const double *q, double *force,
                             double *stiffness, double *work) {
  const Work w = place_work_cubic(cubic, work);
  const lbFour two = lb_four_splat(2), three = lb_four_splat(3);
  lbFour energy = zero();
  contract(cubic, q, w.A2, w.A3, work);
  for (size_t a = 0; a < w.padded; a += 4) { // four rows of symmetric matrices are four columns
    lbFour R1 = zero(), R2 = R1, R3 = R1;
    for (size_t b = 0; b < w.padded; b++) {
      const size_t at = b * w.padded + a;
      const lbFour q_b = lb_four_splat(w.q[0][b]), P = lb_four_load(cubic->linear + at);
      const lbFour A2 = lb_four_load(w.A2 + at), A3 = lb_four_load(w.A3 + at);
      R1 = lb_four_multiply_add(P, q_b, R1);
      R2 = lb_four_multiply_add(A2, q_b, R2);
      R3 = lb_four_multiply_add(A3, q_b, R3);
      lb_four_store(stiffness + at,
                    lb_four_multiply_add(three, A3, lb_four_multiply_add(two, A2, P)));
    }
    energy = lb_four_multiply_add(lb_four_load(w.q[0] + a), energy_rows(R1, R2, R3), energy);
    lb_four_store(w.D + a, R1 + (R2 + R3));
  }
  memcpy(force, w.D, (size_t)cubic->count * sizeof *force);
  return lb_four_sum(energy);
}

static double force_alone(const lbCubic *cubic, const double *q, double *force, double *work) {
  const Work w = place_work_cubic(cubic, work);
  lbFour energy = zero();
  set_form(&w, 0, q);
  contract_Q_cubic(&w, cubic, w.q[0], 1, w.A2);
  force_S(&w, cubic, w.A3);
  for (size_t a = 0; a < w.padded; a += 4) {
    const lbFour R3 = lb_four_load(w.A3 + a);
    lbFour R1 = zero(), R2 = R1;
    for (size_t b = 0; b < w.padded; b++) {
      const lbFour q_b = lb_four_splat(w.q[0][b]);
      R1 = lb_four_multiply_add(lb_four_load(cubic->linear + b * w.padded + a), q_b, R1);
      R2 = lb_four_multiply_add(lb_four_load(w.A2 + b * w.padded + a), q_b, R2);
    }
    energy = lb_four_multiply_add(lb_four_load(w.q[0] + a), energy_rows(R1, R2, R3), energy);
    lb_four_store(w.D + a, R1 + (R2 + R3));
  }
  memcpy(force, w.D, (size_t)cubic->count * sizeof *force);
  return lb_four_sum(energy);
}

static void stiffness_rate(const lbCubic *cubic, const double *q, const double *v, double *rate,
                           double *work) {
  const Work w = place_work_cubic(cubic, work);
  set_form(&w, 0, q);
  set_form(&w, 1, v);
  contract_Q_cubic(&w, cubic, w.q[1], 2, w.A2);
  contract_S(&w, cubic, 2, 6, w.A3);
  for (size_t i = 0; i < w.padded * w.padded; i += 4)
    lb_four_store(rate + i, lb_four_load(w.A2 + i) + lb_four_load(w.A3 + i));
}

LB_KERNEL_TABLE(lbCubicKernels, lb_cubic_kernels) = { evaluate_cubic, force_alone, contract,
                                                      stiffness_rate };
