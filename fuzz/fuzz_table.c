// Any bytes as a table of vertex vectors; the first byte is the number of rows.
#include "fuzz.h"

#include "scene/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  int32_t rows = data[0] % 16;
  double values[3 * 16];
  lbError err;
  char *copy = malloc(size);
  if (!copy) return 0;
  memcpy(copy, data + 1, size - 1);
  copy[size - 1] = '\0';
  lb_table_parse("fuzz", copy, size - 1, rows, values, &err);
  free(copy);
  return 0;
}
