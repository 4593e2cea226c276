// Any bytes as a VTU file.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_reader(lb_read_vtu, data, size);
}
