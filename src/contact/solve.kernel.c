// Sums of rows; see contact/solve_kernels.h.
#include "contact/solve_kernels.h"

#include "math/four.h"

extern const lbContactKernels LB_KERNEL(lb_contact_kernels);

static void add_rows(int32_t count, const double *rows, const double x[3], double *to) {
  const double *a = rows, *b = a + count, *c = b + count;
  const lbFour x0 = lb_four_splat(x[0]), x1 = lb_four_splat(x[1]), x2 = lb_four_splat(x[2]);
  int32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    lbFour sum = lb_four_multiply_add(x0, lb_four_load(a + i), lb_four_load(to + i));
    sum = lb_four_multiply_add(x1, lb_four_load(b + i), sum);
    lb_four_store(to + i, lb_four_multiply_add(x2, lb_four_load(c + i), sum));
  }
  for (; i < count; i++) {
    double sum = lb_multiply_add_one(x[0], a[i], to[i]);
    sum = lb_multiply_add_one(x[1], b[i], sum);
    to[i] = lb_multiply_add_one(x[2], c[i], sum);
  }
}

const lbContactKernels LB_KERNEL(lb_contact_kernels) = { add_rows };
