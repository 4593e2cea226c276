// L D Lᵀ with diagonal pivots (pivoted_ldlt.h).
#include "solve/pivoted_ldlt.h"

#include "solve/tolerances.h"

#include <string.h>

size_t lb_row_factor_room(int32_t count) {
  size_t n = (size_t)count;
  return n * n + 3 * n;
}

lbRowFactor lb_row_factor_place(int32_t count, double *memory, int32_t *order) {
  size_t n = (size_t)count;
  return (lbRowFactor){
    .count = count, .order = order, .L = memory, .D = memory + n * n, .work = memory + n * n + n
  };
}

static double diagonal(const lbRowFactor *f, const double *A, int32_t i) {
  return A[(size_t)f->order[i] * ((size_t)f->count + 1)];
}

static void swap_rows(lbRowFactor *f, int32_t a, int32_t b) {
  double *x = f->L + (size_t)a * (size_t)f->count, *y = f->L + (size_t)b * (size_t)f->count;
  int32_t row = f->order[a];
  double left = f->work[a];
  f->order[a] = f->order[b], f->order[b] = row;
  f->work[a] = f->work[b], f->work[b] = left;
  for (int32_t k = 0; k < a; k++) {
    double swap = x[k];
    x[k] = y[k], y[k] = swap;
  }
}

// The row of which most is left; -1: all others depend on those before.
static int32_t choose_pivot(const lbRowFactor *f, const double *A, int32_t begin, int32_t end) {
  int32_t best = -1;
  double most = LB_NEGLIGIBLE; // of a row's own diagonal
  for (int32_t i = begin; i < end; i++) {
    double share = f->work[i] / diagonal(f, A, i);
    if (share > most) most = share, best = i;
  }
  return best;
}

// Column by column; the first half of work is what is left of the diagonals.
void lb_row_factor_make(lbRowFactor *f, const double *A, const bool *used) {
  size_t n = (size_t)f->count;
  double *scaled = f->work + n;
  int32_t count = 0;
  for (int32_t i = 0; i < f->count; i++)
    if (used[i] && A[(size_t)i * (n + 1)] > 0) f->order[count++] = i;
  for (int32_t i = 0; i < count; i++) f->work[i] = diagonal(f, A, i);
  for (f->rank = 0; f->rank < count; f->rank++) {
    int32_t k = f->rank, best = choose_pivot(f, A, k, count);
    if (best < 0) return;
    swap_rows(f, k, best);
    const double *pivot = f->L + (size_t)k * n;
    f->D[k] = 1 / f->work[k];
    for (int32_t j = 0; j < k; j++) scaled[j] = pivot[j] / f->D[j];
    for (int32_t i = k + 1; i < count; i++) { // L_ik = (A_ik - Σ L_ij D_j L_kj) / D_k
      double *row = f->L + (size_t)i * n;
      double left = A[(size_t)f->order[i] * n + (size_t)f->order[k]];
      for (int32_t j = 0; j < k; j++) left -= row[j] * scaled[j];
      row[k] = left * f->D[k];
      f->work[i] -= left * row[k];
    }
  }
}

void lb_row_factor_solve(const lbRowFactor *f, const double *right, double *x) {
  size_t n = (size_t)f->count;
  double *y = f->work;
  for (int32_t i = 0; i < f->rank; i++) {
    const double *row = f->L + (size_t)i * n;
    double left = right[f->order[i]];
    for (int32_t j = 0; j < i; j++) left -= row[j] * y[j];
    y[i] = left;
  }
  for (int32_t i = 0; i < f->rank; i++) y[i] *= f->D[i];
  for (int32_t i = f->rank - 1; i > 0; i--) {
    const double *row = f->L + (size_t)i * n;
    for (int32_t j = 0; j < i; j++) y[j] -= row[j] * y[i];
  }
  memset(x, 0, n * sizeof *x);
  for (int32_t i = 0; i < f->rank; i++) x[f->order[i]] = y[i];
}
