// Any bytes as a sketch.
#include "fuzz.h"

#include "scene/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *copy = malloc(size + 1);
  lbSketch *sketch = NULL;
  lbError err;
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  copy[size] = '\0';
  if (lb_sketch_read("fuzz", copy, size, &sketch, &err) == LB_OK) lb_sketch_destroy(sketch);
  free(copy);
  return 0;
}
