// One dense front.
#include "linalg/fronts.h"

lbStatus lb_fronts_analyse_own(const lbSparse *A, lbFronts **out, lbError *err) {
  int32_t super[2] = { 0, A->size };
  int32_t *rows = lb_alloc((size_t)A->size, sizeof *rows);
  if (!rows) return lb_fail_memory(err);
  for (int32_t i = 0; i < A->size; i++) rows[i] = i;
  lbStatus status = lb_fronts_create(A->size, 1, super, super, rows, rows, out, err);
  lb_free(rows);
  return status;
}
