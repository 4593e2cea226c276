// Any bytes as a NumPy array or an archive of them.
#include "fuzz.h"

#include "arrayio/npz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *copy = malloc(size ? size : 1);
  lbNpy *array = NULL;
  lbError err;
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  bool archive = size >= 2 && copy[0] == 'P' && copy[1] == 'K';
  lbStatus status = archive ? lb_npz_parse("fuzz", copy, size, "basis", &array, &err)
                            : lb_npy_parse("fuzz", copy, size, &array, &err);
  if (status == LB_OK) lb_npy_destroy(array);
  free(copy);
  return 0;
}
