// The header of a NIfTI-1 file: 348 bytes at fixed places, in the byte order in which its first
// number is 348. https://nifti.nimh.nih.gov/nifti-1
#include "arrayio/image.h"

enum { HEAD_BYTES = 348 };

typedef struct Head {
  const char *bytes;
  bool big_endian;
} Head;

static int16_t short_at(const Head *head, size_t at) {
  int64_t value = 0;
  lb_scalar_integer(LB_SCALAR_INT16, head->bytes + at,
                    head->big_endian != lb_machine_is_big_endian(), &value);
  return (int16_t)value;
}

static double float_at(const Head *head, size_t at) {
  double value = NAN;
  lb_scalar_real(LB_SCALAR_FLOAT32, head->bytes + at,
                 head->big_endian != lb_machine_is_big_endian(), &value);
  return value;
}

static bool find_order(const char *content, bool *big_endian) {
  for (int order = 0; order < 2; order++) {
    int64_t size = 0;
    *big_endian = order == 1;
    lb_scalar_integer(LB_SCALAR_INT32, content, *big_endian != lb_machine_is_big_endian(), &size);
    if (size == HEAD_BYTES) return true;
  }
  return false;
}

static bool find_nifti_type(int code, lbScalar *type) {
  static const struct {
    int code;
    lbScalar type;
  } types[] = { { 2, LB_SCALAR_UINT8 },    { 4, LB_SCALAR_INT16 },    { 8, LB_SCALAR_INT32 },
                { 16, LB_SCALAR_FLOAT32 }, { 64, LB_SCALAR_FLOAT64 }, { 256, LB_SCALAR_INT8 },
                { 512, LB_SCALAR_UINT16 }, { 768, LB_SCALAR_UINT32 }, { 1024, LB_SCALAR_INT64 },
                { 1280, LB_SCALAR_UINT64 } };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].code == code) {
      *type = types[i].type;
      return true;
    }
  return false;
}

static lbStatus read_nifti_size(const char *path, const Head *raw, lbImageHead *head,
                                lbError *err) {
  int axes = short_at(raw, 40);
  if (axes < 1 || axes > 7)
    return lb_fail(err, LB_ERR_FORMAT, "%s: the image has %d axes, NIfTI allows 1 to 7", path,
                   axes);
  for (int i = 0; i < 7; i++) {
    int size = i < axes ? short_at(raw, 42 + 2 * (size_t)i) : 1;
    if (i < 3)
      head->size[i] = size;
    else if (size != 1)
      return lb_fail(err, LB_ERR_FORMAT,
                     "%s: the image has %d values along its axis %d, use a single volume", path,
                     size, i);
  }
  return LB_OK;
}

// The rows of "sform", or the quaternion of "qform", or the spacings alone; in units.
static void read_axes(const Head *raw, lbImageHead *head) {
  double spacing[3];
  for (size_t i = 0; i < 3; i++) spacing[i] = float_at(raw, 80 + 4 * i);
  if (short_at(raw, 254) > 0) {
    double origin[3];
    for (size_t row = 0; row < 3; row++) {
      for (size_t i = 0; i < 3; i++)
        head->axes.m[3 * row + i] = float_at(raw, 280 + 16 * row + 4 * i);
      origin[row] = float_at(raw, 292 + 16 * row);
    }
    head->origin = lb_vec3_load(origin);
    return;
  }
  head->axes = lb_mat3_diagonal(spacing[0], spacing[1], spacing[2]);
  head->origin = lb_vec3(0, 0, 0);
  if (short_at(raw, 252) > 0) {
    lbQuat q = { float_at(raw, 256), float_at(raw, 260), float_at(raw, 264), 0 };
    q.w = sqrt(fmax(0, 1 - q.x * q.x - q.y * q.y - q.z * q.z));
    if (float_at(raw, 76) < 0) spacing[2] = -spacing[2];
    head->axes =
        lb_mat3_multiply(lb_quat_to_mat3(q), lb_mat3_diagonal(spacing[0], spacing[1], spacing[2]));
    head->origin = lb_vec3(float_at(raw, 268), float_at(raw, 272), float_at(raw, 276));
  }
}

static double unit_of(int code) {
  switch (code & 7) {
  case 1: return 1;
  case 3: return 1e-6;
  default: return 1e-3;
  }
}

lbStatus lb_nifti_head(const char *path, const char *content, size_t bytes, lbImageHead *head,
                       lbError *err) {
  Head raw = { content, false };
  if (bytes >= 2 && (unsigned char)content[0] == 0x1f && (unsigned char)content[1] == 0x8b)
    return lb_fail(err, LB_ERR_UNSUPPORTED, "%s: is compressed, unpack it first (gunzip)", path);
  if (bytes < HEAD_BYTES || !find_order(content, &raw.big_endian))
    return lb_fail(err, LB_ERR_FORMAT, "%s: is neither NIfTI-1 nor NRRD", path);
  if (memcmp(content + 344, "n+1", 4) != 0)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: its numbers are in another file, use NIfTI-1 as one file (.nii)", path);
  lbStatus status = read_nifti_size(path, &raw, head, err);
  if (status) return status;
  head->big_endian = raw.big_endian;
  if (!find_nifti_type(short_at(&raw, 70), &head->type))
    return lb_fail(err, LB_ERR_UNSUPPORTED, "%s: numbers of NIfTI's type %d are not read", path,
                   short_at(&raw, 70));
  double data = float_at(&raw, 108);
  if (!(data >= HEAD_BYTES && data <= (double)bytes))
    return lb_fail(err, LB_ERR_FORMAT, "%s: its numbers begin at byte %g of %zu", path, data,
                   bytes);
  head->data = (size_t)data;
  head->slope = float_at(&raw, 112), head->intercept = float_at(&raw, 116);
  if (!(fabs(head->slope) > 0)) head->slope = 1, head->intercept = 0; // as the standard says
  read_axes(&raw, head);
  double unit = unit_of(content[123]);
  head->axes = lb_mat3_scale(unit, head->axes);
  head->origin = lb_scale(unit, head->origin);
  return LB_OK;
}
