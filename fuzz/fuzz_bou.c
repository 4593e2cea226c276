// Any bytes as a list of fixed vertices.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *copy = malloc(size + 1);
  int32_t *ids = NULL, count = 0;
  lbError err;
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  copy[size] = '\0';
  if (lb_read_bou("fuzz", copy, size, &ids, &count, &err) == LB_OK) lb_free(ids);
  free(copy);
  return 0;
}
