// Volume images: the numbers behind a header, and values between them.
#include "arrayio/image.h"

// ---- reading -----------------------------------------------------------------------------------

static lbStatus check_image_size(const char *path, const lbImageHead *head, size_t bytes,
                                 size_t *count, lbError *err) {
  double wanted = (double)lb_scalar_bytes(head->type);
  for (int i = 0; i < 3; i++) {
    if (head->size[i] < 1 || head->size[i] > INT32_MAX)
      return lb_fail(err, LB_ERR_FORMAT, "%s: the image has %lld values along its axis %d", path,
                     (long long)head->size[i], i);
    wanted *= (double)head->size[i];
  }
  if (head->data > bytes || wanted > (double)(bytes - head->data))
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: %lld x %lld x %lld numbers of %d bytes do not fit into the file", path,
                   (long long)head->size[0], (long long)head->size[1], (long long)head->size[2],
                   (int)lb_scalar_bytes(head->type));
  *count = (size_t)head->size[0] * (size_t)head->size[1] * (size_t)head->size[2];
  return LB_OK;
}

static lbStatus check_axes(const char *path, const lbImageHead *head, lbError *err) {
  double product = 1;
  for (int i = 0; i < 3; i++) product *= lb_length(lb_mat3_column(head->axes, i));
  double volume = fabs(lb_mat3_determinant(head->axes));
  bool fine = isfinite(product) && volume > 1e-9 * product && isfinite(1 / volume) &&
              isfinite(lb_length(head->origin));
  return fine ? LB_OK
              : lb_fail(err, LB_ERR_FORMAT,
                        "%s: the axes of the image do not span a volume, or are not numbers", path);
}

static lbStatus read_image_values(const char *path, const lbImageHead *head, const char *content,
                                  size_t count, lbImage *image, lbError *err) {
  size_t step = lb_scalar_bytes(head->type);
  bool swapped = head->big_endian != lb_machine_is_big_endian();
  image->low = INFINITY, image->high = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    double number;
    bool read = lb_scalar_real(head->type, content + head->data + i * step, swapped, &number);
    float value = (float)(head->slope * number + head->intercept);
    if (!read || !isfinite(value))
      return lb_fail(err, LB_ERR_FORMAT, "%s: value %zu of the image is not a finite number", path,
                     i);
    image->values[i] = value;
    if (value < image->low) image->low = value;
    if (value > image->high) image->high = value;
  }
  return LB_OK;
}

static lbStatus read_image(const char *path, const lbImageHead *head, const char *content,
                           size_t bytes, lbImage **out, lbError *err) {
  size_t count = 0;
  lbStatus status = check_image_size(path, head, bytes, &count, err);
  if (!status) status = check_axes(path, head, err);
  if (status) return status;
  lbImage *image = lb_alloc(1, sizeof *image);
  if (!image) return lb_fail_memory(err);
  for (int i = 0; i < 3; i++) image->size[i] = (int32_t)head->size[i];
  image->origin = head->origin;
  image->axes = head->axes;
  image->values = lb_alloc(count, sizeof *image->values);
  status = image->values ? read_image_values(path, head, content, count, image, err)
                         : lb_fail_memory(err);
  if (status)
    lb_image_destroy(image);
  else
    *out = image;
  return status;
}

lbStatus lb_image_parse(const char *path, const char *content, size_t bytes, lbImage **out,
                        lbError *err) {
  lbImageHead head = { .slope = 1 };
  bool nrrd = bytes >= 4 && memcmp(content, "NRRD", 4) == 0;
  lbStatus status = nrrd ? lb_nrrd_head(path, content, bytes, &head, err)
                         : lb_nifti_head(path, content, bytes, &head, err);
  return status ? status : read_image(path, &head, content, bytes, out, err);
}

lbStatus lb_image_parse_raw(const char *path, const char *content, size_t bytes,
                            const lbRawImage *layout, lbImage **out, lbError *err) {
  lbImageHead head = { .type = layout->type, .big_endian = layout->big_endian, .slope = 1 };
  double wanted = (double)lb_scalar_bytes(layout->type);
  for (int i = 0; i < 3; i++) {
    head.size[i] = layout->size[i];
    wanted *= layout->size[i];
  }
  head.origin = lb_vec3_load(layout->origin);
  head.axes = lb_mat3_diagonal(layout->spacing[0], layout->spacing[1], layout->spacing[2]);
  if (wanted != (double)bytes)
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: has %zu bytes, %d x %d x %d numbers of %d bytes would be %.0f", path, bytes,
                   (int)layout->size[0], (int)layout->size[1], (int)layout->size[2],
                   (int)lb_scalar_bytes(layout->type), wanted);
  return read_image(path, &head, content, bytes, out, err);
}

void lb_image_destroy(lbImage *image) {
  if (!image) return;
  lb_free(image->values);
  lb_free(image);
}

// ---- values ------------------------------------------------------------------------------------

double lb_image_at(const lbImage *image, lbVec3 point) {
  lbVec3 place = lb_mat3_apply(lb_mat3_inverse(image->axes), lb_sub(point, image->origin));
  double at[3], part[3], value = 0;
  int32_t low[3];
  lb_vec3_store(at, place);
  for (int i = 0; i < 3; i++) {
    double inside = fmin(fmax(at[i], 0), image->size[i] - 1);
    low[i] = (int32_t)inside;
    if (low[i] > image->size[i] - 2) low[i] = image->size[i] > 1 ? image->size[i] - 2 : 0;
    part[i] = inside - low[i];
  }
  for (int corner = 0; corner < 8; corner++) {
    size_t index = 0;
    double share = 1;
    for (int i = 2; i >= 0; i--) {
      int up = corner >> i & 1;
      share *= up ? part[i] : 1 - part[i];
      int32_t here = low[i] + up < image->size[i] ? low[i] + up : low[i];
      index = index * (size_t)image->size[i] + (size_t)here;
    }
    value += share * (double)image->values[index];
  }
  return value;
}

void lb_image_fit(lbImage *image, lbVec3 low, lbVec3 high) {
  lbVec3 side = lb_sub(high, low);
  side = lb_vec3(side.x / image->size[0], side.y / image->size[1], side.z / image->size[2]);
  image->axes = lb_mat3_diagonal(side.x, side.y, side.z);
  image->origin = lb_add_scaled(low, 0.5, side);
}
