// Any bytes as a basis.
#include "fuzz.h"

#include "arrayio/vega_matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  void *copy = malloc(size ? size : 1); // exactly as long as the data: reading on is seen
  lbVegaMatrix matrix;
  lbError err;
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  if (lb_vega_matrix_read("fuzz", copy, size, &matrix, &err) == LB_OK) lb_free(matrix.values);
  free(copy);
  return 0;
}
