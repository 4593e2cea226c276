// Any bytes as cubic polynomials.
#include "fuzz.h"

#include "arrayio/cub.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  void *copy = malloc(size ? size : 1); // exactly as long as the data: reading on is seen
  lbPolynomial *polynomial = NULL;
  lbError err;
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  if (lb_cub_read("fuzz", copy, size, &polynomial, &err) == LB_OK)
    lb_polynomial_destroy(polynomial);
  free(copy);
  return 0;
}
