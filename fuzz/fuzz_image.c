// Fuzz target: any bytes as a volume image, by its header and as raw numbers.
#include "fuzz.h"

#include "arrayio/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const lbRawImage layout = { { 2, 2, 3 }, LB_SCALAR_INT16, true, { 1, 1, 1 }, { 0, 0, 0 } };
  char *copy = malloc(size + 1);
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  copy[size] = '\0';
  for (int raw = 0; raw < 2; raw++) {
    lbImage *image = NULL;
    lbError err;
    lbStatus status = raw ? lb_image_parse_raw("fuzz", copy, size, &layout, &image, &err)
                          : lb_image_parse("fuzz", copy, size, &image, &err);
    if (status != LB_OK) continue;
    lb_image_at(image, lb_vec3(0.01, 1e3, -1e300));
    lb_image_fit(image, lb_vec3(0, 0, 0), lb_vec3(1, 2, 3));
    lb_image_at(image, lb_vec3(0.5, 0.5, 0.5));
    lb_image_destroy(image);
  }
  free(copy);
  return 0;
}
