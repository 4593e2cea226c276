// Walking a table of arrays.
#include "model/arrays.h"

#include <math.h>
#include <string.h>

static const struct {
  const char *name;
  size_t bytes;
} types[] = {
  [LB_F64] = { "f64", 8 }, [LB_F32] = { "f32", 4 }, [LB_I32] = { "i32", 4 },
  [LB_I64] = { "i64", 8 }, [LB_U8] = { "u8", 1 },   [LB_TEXT] = { "text", 1 },
};

size_t lb_array_item_bytes(lbArrayType type) { return types[type].bytes; }
const char *lb_array_type_name(lbArrayType type) { return types[type].name; }

int64_t lb_extent(lbExtent extent, const void *object) {
  if (extent.size == LB_NO_SIZE) return extent.plus;
  int32_t size;
  memcpy(&size, (const char *)object + extent.size, sizeof size);
  return (int64_t)extent.times * size + extent.plus;
}

int64_t lb_arrays_item_count(const lbArrayRow *row, const void *object) {
  int64_t count = 1;
  for (int32_t i = 0; i < row->rank; i++) {
    int64_t extent = lb_extent(row->shape[i], object);
    if (extent < 0 || (extent > 0 && count > INT64_MAX / 64 / extent)) return -1;
    count *= extent;
  }
  return count;
}

static size_t texts_bytes(const char *texts, int64_t count) {
  size_t bytes = 0;
  for (int64_t i = 0; i < count; i++) bytes += strlen(texts + bytes) + 1;
  return bytes;
}

size_t lb_arrays_bytes(const lbArrayRow *row, const void *object) {
  int64_t count = lb_arrays_item_count(row, object);
  if (row->type == LB_TEXT) return texts_bytes(lb_arrays_data(row, object), count);
  return (size_t)count * lb_array_item_bytes(row->type);
}

lbArrayView lb_arrays_view(const lbArrayRow *row, const void *object) {
  lbArrayView view = {
    row->name, row->unit, row->meaning, row->type, row->rank, { 0 }, lb_arrays_data(row, object)
  };
  for (int32_t i = 0; i < row->rank; i++) view.shape[i] = lb_extent(row->shape[i], object);
  if (row->type == LB_TEXT) view.shape[0] = view.data ? (int64_t)lb_arrays_bytes(row, object) : 0;
  return view;
}

uint32_t lb_arrays_version(const lbArrayTable *table, const void *object) {
  uint32_t version = 1;
  for (int32_t i = 0; i < table->row_count; i++)
    if (table->rows[i].since > version && lb_arrays_data(&table->rows[i], object) &&
        lb_arrays_item_count(&table->rows[i], object) > 0)
      version = table->rows[i].since;
  return version;
}

// ---- checks ------------------------------------------------------------------------------------

// Length of the UTF-8 sequence at text, 0 when it is invalid (overlong, surrogate, truncated).
static size_t utf8_length(const unsigned char *text, size_t left) {
  static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
  unsigned char first = text[0];
  if (first < 0x80) return 1;
  size_t length = first >= 0xc2 && first < 0xe0   ? 2
                  : first >= 0xe0 && first < 0xf0 ? 3
                  : first >= 0xf0 && first < 0xf5 ? 4
                                                  : 0;
  if (length == 0 || length > left) return 0;
  uint32_t code = first & (0x7fu >> length);
  for (size_t i = 1; i < length; i++) {
    if ((text[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (text[i] & 0x3fu);
  }
  bool surrogate = code >= 0xd800 && code < 0xe000;
  return code >= least[length] && code <= 0x10ffff && !surrogate ? length : 0;
}

bool lb_arrays_are_texts(const char *texts, size_t bytes, int64_t count) {
  const unsigned char *text = (const unsigned char *)texts;
  int64_t ends = 0;
  for (size_t i = 0; i < bytes;) {
    if (text[i] == 0)
      ends++;
    else if ((text[i] < 0x20 && text[i] != '\n') || text[i] == 0x7f)
      return false;
    size_t length = utf8_length(text + i, bytes - i);
    if (length == 0) return false;
    i += length;
  }
  return ends == count && (bytes == 0 || text[bytes - 1] == 0);
}

static lbStatus bad_number(const lbArrayRow *row, const char *where, int64_t item, double value,
                           lbError *err) {
  return lb_fail(err, LB_ERR_FORMAT, "%s: %s[%lld] is %g, it must not be NaN%s", where, row->name,
                 (long long)item, value, row->infinite ? "" : " or infinite");
}

static bool is_good(double value, bool infinite) {
  return infinite ? !isnan(value) : isfinite(value);
}

static lbStatus check_floats(const lbArrayRow *row, const void *object, const char *where,
                             lbError *err) {
  int64_t count = lb_arrays_item_count(row, object);
  const void *data = lb_arrays_data(row, object);
  for (int64_t i = 0; i < count; i++) {
    double value = row->type == LB_F64 ? ((const double *)data)[i] : ((const float *)data)[i];
    if (!is_good(value, row->infinite)) return bad_number(row, where, i, value, err);
  }
  return LB_OK;
}

static lbStatus check_integers(const lbArrayRow *row, const void *object, const char *where,
                               lbError *err) {
  if (row->below.size == 0 && row->below.times == 0) return LB_OK;
  int64_t count = lb_arrays_item_count(row, object), below = lb_extent(row->below, object);
  const void *data = lb_arrays_data(row, object);
  for (int64_t i = 0; i < count; i++) {
    int64_t value = row->type == LB_I32 ? ((const int32_t *)data)[i] : ((const uint8_t *)data)[i];
    if (value < row->low || value >= below)
      return lb_fail(err, LB_ERR_FORMAT, "%s: %s[%lld] is %lld, it must be from %d to %lld", where,
                     row->name, (long long)i, (long long)value, (int)row->low,
                     (long long)(below - 1));
  }
  return LB_OK;
}

static lbStatus check_row(const lbArrayRow *row, const void *object, const char *where,
                          lbError *err) {
  int64_t count = lb_arrays_item_count(row, object);
  if (count < 0) return lb_fail(err, LB_ERR_FORMAT, "%s: %s would be too large", where, row->name);
  if (!lb_arrays_data(row, object)) {
    if (row->optional || count == 0) return LB_OK;
    return lb_fail(err, LB_ERR_FORMAT, "%s: %s is missing", where, row->name);
  }
  switch (row->type) {
  case LB_F64:
  case LB_F32: return check_floats(row, object, where, err);
  case LB_I32:
  case LB_U8: return check_integers(row, object, where, err);
  case LB_TEXT: {
    const char *texts = lb_arrays_data(row, object);
    if (lb_arrays_are_texts(texts, lb_arrays_bytes(row, object), count)) return LB_OK;
    return lb_fail(err, LB_ERR_FORMAT, "%s: %s is not plain UTF-8 text", where, row->name);
  }
  default: return LB_OK;
  }
}

lbStatus lb_arrays_check(const lbArrayTable *table, const void *object, const char *where,
                         lbError *err) {
  for (int32_t i = 0; i < table->size_count; i++) {
    int32_t size;
    memcpy(&size, (const char *)object + table->sizes[i].field, sizeof size);
    if (size < 0)
      return lb_fail(err, LB_ERR_FORMAT, "%s: %s is %d", where, table->sizes[i].name, (int)size);
  }
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < table->row_count && !status; i++)
    status = check_row(&table->rows[i], object, where, err);
  return status;
}
