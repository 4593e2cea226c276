// Buffer views and accessors of glTF; every range is checked against the bytes there are.
#include "meshio/glb.h"

#include "arrayio/scalar.h"

#include <math.h>
#include <string.h>

typedef struct Accessor {
  int64_t id;
  json_t *item;
  int64_t count;
  int32_t components;
  lbScalar type;
  bool normalized;
} Accessor;

lbStatus lb_glb_view(const lbGlbFile *glb, int64_t view, const uint8_t **data, size_t *bytes,
                     lbError *err) {
  const json_t *item = lb_glb_item(glb, "bufferViews", view);
  if (!item)
    return lb_glb_fail(glb, err, "bufferViews[%lld] is used, there are %d", (long long)view,
                       (int)lb_glb_count(glb, "bufferViews"));
  int64_t buffer = lb_json_integer(item, "buffer", -1);
  int64_t begin = lb_json_integer(item, "byteOffset", 0);
  int64_t length = lb_json_integer(item, "byteLength", -1);
  if (buffer < 0 || buffer >= glb->buffer_count)
    return lb_glb_fail(glb, err, "bufferViews[%lld] uses buffers[%lld], there are %d",
                       (long long)view, (long long)buffer, (int)glb->buffer_count);
  size_t there = glb->buffers[buffer].bytes;
  if (begin < 0 || length < 0 || (uint64_t)begin > there ||
      (uint64_t)length > there - (uint64_t)begin)
    return lb_glb_fail(glb, err,
                       "bufferViews[%lld]: %lld bytes from byte %lld on, the buffer has %zu",
                       (long long)view, (long long)length, (long long)begin, there);
  *data = glb->buffers[buffer].data ? glb->buffers[buffer].data + begin : NULL;
  *bytes = (size_t)length;
  return LB_OK;
}

static bool find_accessor_type(int64_t code, lbScalar *type) {
  switch (code) {
  case 5120: *type = LB_SCALAR_INT8; return true;
  case 5121: *type = LB_SCALAR_UINT8; return true;
  case 5122: *type = LB_SCALAR_INT16; return true;
  case 5123: *type = LB_SCALAR_UINT16; return true;
  case 5125: *type = LB_SCALAR_UINT32; return true;
  case 5126: *type = LB_SCALAR_FLOAT32; return true;
  default: return false;
  }
}

static lbStatus describe_accessor(const lbGlbFile *glb, int64_t id, int32_t components,
                                  Accessor *accessor, lbError *err) {
  static const char *const types[] = { "", "SCALAR", "VEC2", "VEC3", "VEC4", "", "", "",    "",
                                       "", "",       "",     "",     "",     "", "", "MAT4" };
  accessor->id = id;
  accessor->components = components;
  accessor->item = lb_glb_item(glb, "accessors", id);
  if (!accessor->item)
    return lb_glb_fail(glb, err, "accessors[%lld] is used, there are %d", (long long)id,
                       (int)lb_glb_count(glb, "accessors"));
  const char *type = lb_json_text(accessor->item, "type", "");
  int64_t code = lb_json_integer(accessor->item, "componentType", -1);
  accessor->count = lb_json_integer(accessor->item, "count", -1);
  accessor->normalized = json_is_true(json_object_get(accessor->item, "normalized"));
  if (strcmp(type, types[components]) != 0)
    return lb_glb_fail(glb, err, "accessors[%lld] is of type \"%.16s\", expected \"%s\"",
                       (long long)id, type, types[components]);
  if (!find_accessor_type(code, &accessor->type))
    return lb_glb_fail(glb, err, "accessors[%lld] has the unknown componentType %lld",
                       (long long)id, (long long)code);
  if (accessor->count < 0 || accessor->count >= INT32_MAX / 4)
    return lb_glb_fail(glb, err, "accessors[%lld] has the count %lld", (long long)id,
                       (long long)accessor->count);
  return LB_OK;
}

static double scale_of(const Accessor *accessor) {
  if (!accessor->normalized) return 1;
  switch (accessor->type) {
  case LB_SCALAR_INT8: return 1.0 / 127;
  case LB_SCALAR_UINT8: return 1.0 / 255;
  case LB_SCALAR_INT16: return 1.0 / 32767;
  case LB_SCALAR_UINT16: return 1.0 / 65535;
  default: return 1;
  }
}

// glTF is little endian; its types all fit a double.
static double load_component(lbScalar type, const uint8_t *from) {
  double value = 0;
  lb_scalar_real(type, from, lb_machine_is_big_endian(), &value);
  return value;
}

static void load_row(const Accessor *accessor, const uint8_t *from, double *to) {
  double scale = scale_of(accessor);
  for (int32_t k = 0; k < accessor->components; k++) {
    double value = load_component(accessor->type, from) * scale;
    to[k] = accessor->normalized ? fmax(value, -1) : value;
    from += lb_scalar_bytes(accessor->type);
  }
}

// Where `count` rows of row_bytes begin in a view, after checking that they are there.
static lbStatus find_accessor_rows(const lbGlbFile *glb, const Accessor *accessor,
                                   const json_t *holder, int64_t count, size_t row_bytes,
                                   const uint8_t **rows, size_t *stride, lbError *err) {
  int64_t view = lb_json_integer(holder, "bufferView", -1);
  int64_t begin = lb_json_integer(holder, "byteOffset", 0);
  size_t bytes = 0;
  lbStatus status = lb_glb_view(glb, view, rows, &bytes, err);
  if (status) return status;
  int64_t step = lb_json_integer(lb_glb_item(glb, "bufferViews", view), "byteStride", 0);
  *stride = step == 0 ? row_bytes : (size_t)step;
  if (step < 0 || *stride < row_bytes || *stride > 65536)
    return lb_glb_fail(glb, err, "bufferViews[%lld] has the byteStride %lld", (long long)view,
                       (long long)step);
  if (begin < 0 || (uint64_t)begin > bytes ||
      (count > 0 && ((uint64_t)count - 1) * *stride + row_bytes > bytes - (uint64_t)begin))
    return lb_glb_fail(glb, err,
                       "accessors[%lld] needs %lld rows of %zu bytes from byte %lld on, its buffer "
                       "view has %zu bytes",
                       (long long)accessor->id, (long long)count, *stride, (long long)begin, bytes);
  *rows += begin;
  return LB_OK;
}

static lbStatus apply_sparse(const lbGlbFile *glb, const Accessor *accessor, const json_t *sparse,
                             double *values, lbError *err) {
  const json_t *indices = json_object_get(sparse, "indices");
  int64_t count = lb_json_integer(sparse, "count", -1);
  size_t row_bytes = (size_t)accessor->components * lb_scalar_bytes(accessor->type);
  const uint8_t *ids, *rows;
  size_t id_stride, stride;
  lbScalar id_type;
  if (count < 0 || count > accessor->count ||
      !find_accessor_type(lb_json_integer(indices, "componentType", -1), &id_type))
    return lb_glb_fail(glb, err, "accessors[%lld].sparse has a wrong count or index type",
                       (long long)accessor->id);
  lbStatus status = find_accessor_rows(glb, accessor, indices, count, lb_scalar_bytes(id_type),
                                       &ids, &id_stride, err);
  if (!status)
    status = find_accessor_rows(glb, accessor, json_object_get(sparse, "values"), count, row_bytes,
                                &rows, &stride, err);
  for (int64_t i = 0; i < count && !status; i++) {
    double id = load_component(id_type, ids + (size_t)i * id_stride);
    if (!(id >= 0 && id < (double)accessor->count))
      return lb_glb_fail(glb, err, "accessors[%lld].sparse replaces row %g of %lld",
                         (long long)accessor->id, id, (long long)accessor->count);
    load_row(accessor, rows + (size_t)i * stride,
             values + (size_t)accessor->components * (size_t)id);
  }
  return status;
}

lbStatus lb_glb_accessor(const lbGlbFile *glb, int64_t id, int32_t components, double **values,
                         int32_t *count, lbError *err) {
  Accessor accessor;
  lbStatus status = describe_accessor(glb, id, components, &accessor, err);
  if (status) return status;
  const json_t *sparse = json_object_get(accessor.item, "sparse");
  bool has_view = json_object_get(accessor.item, "bufferView") != NULL;
  size_t row_bytes = (size_t)components * lb_scalar_bytes(accessor.type), stride = 0;
  const uint8_t *rows = NULL;
  if (has_view)
    status = find_accessor_rows(glb, &accessor, accessor.item, accessor.count, row_bytes, &rows,
                                &stride, err);
  else if (!sparse || (uint64_t)accessor.count > glb->file_bytes)
    status = lb_glb_fail(glb, err, "accessors[%lld] has %lld rows and no bufferView to hold them",
                         (long long)id, (long long)accessor.count);
  if (status) return status;
  double *block = lb_alloc((size_t)accessor.count * (size_t)components, sizeof(double));
  if (!block) return lb_fail_memory(err);
  for (int64_t i = 0; i < accessor.count && has_view; i++)
    load_row(&accessor, rows + (size_t)i * stride, block + (size_t)components * (size_t)i);
  if (sparse) status = apply_sparse(glb, &accessor, sparse, block, err);
  if (status) {
    lb_free(block);
    return status;
  }
  *values = block;
  *count = (int32_t)accessor.count;
  return LB_OK;
}
