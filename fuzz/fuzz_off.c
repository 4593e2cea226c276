// Fuzz target: lb_read_off.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_reader(lb_read_off, data, size);
}
