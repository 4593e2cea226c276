// Reading and writing matrices of Vega; see vega_matrix.h.
#include "arrayio/vega_matrix.h"

#include "limber/file.h"
#include "arrayio/scalar.h"

#include <float.h>
#include <math.h>

#define HEADER_BYTES 8

// What the header says, checked against the size; *type is that of the values.
static lbStatus read_vega_matrix_header(const char *name, const uint8_t *bytes, size_t byte_count,
                                        lbVegaMatrix *matrix, lbScalar *type, lbError *err) {
  if (byte_count < HEADER_BYTES)
    return lb_fail(err, LB_ERR_FORMAT, "%s: %zu bytes, a matrix begins with 8", name, byte_count);
  uint32_t rows = lb_little_u32(bytes), columns = lb_little_u32(bytes + 4);
  if (rows < 1 || rows > INT32_MAX || columns < 1 || columns > INT32_MAX)
    return lb_fail(err, LB_ERR_FORMAT, "%s: a matrix of %d x %d", name, (int)(int32_t)rows,
                   (int)(int32_t)columns);
  uint64_t count = (uint64_t)rows * columns, held = byte_count - HEADER_BYTES; // < 2^62
  if (held % 8 == 0 && held / 8 == count)
    *type = LB_SCALAR_FLOAT64;
  else if (held % 4 == 0 && held / 4 == count)
    *type = LB_SCALAR_FLOAT32;
  else
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: a %d x %d matrix, but %zu bytes of values; is the file truncated?", name,
                   (int)rows, (int)columns, (size_t)held);
  matrix->rows = (int32_t)rows;
  matrix->columns = (int32_t)columns;
  return LB_OK;
}

lbStatus lb_vega_matrix_read(const char *name, const void *bytes, size_t byte_count,
                             lbVegaMatrix *out, lbError *err) {
  lbVegaMatrix matrix = { 0 };
  lbScalar type = LB_SCALAR_FLOAT64;
  lbStatus status = read_vega_matrix_header(name, bytes, byte_count, &matrix, &type, err);
  if (status) return status;
  size_t count = (size_t)matrix.rows * (size_t)matrix.columns, size = lb_scalar_bytes(type);
  const uint8_t *from = (const uint8_t *)bytes + HEADER_BYTES;
  matrix.values = lb_alloc(count, sizeof *matrix.values);
  if (!matrix.values) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) {
    double *value = &matrix.values[i];
    if (lb_scalar_real(type, from + size * i, lb_machine_is_big_endian(), value) &&
        isfinite(*value))
      continue;
    lb_free(matrix.values);
    return lb_fail(err, LB_ERR_FORMAT, "%s: row %zu of column %zu is not finite", name,
                   i % (size_t)matrix.rows, i / (size_t)matrix.rows);
  }
  *out = matrix;
  return LB_OK;
}

lbStatus lb_vega_matrix_load(const char *path, lbVegaMatrix *out, lbError *err) {
  char *content = NULL;
  size_t bytes = 0;
  lbStatus status = lb_file_read(path, &content, &bytes, err);
  if (!status) status = lb_vega_matrix_read(path, content, bytes, out, err);
  lb_free(content);
  return status;
}

lbStatus lb_vega_matrix_save(int32_t rows, int32_t columns, const double *values, const char *path,
                             lbError *err) {
  bool single = lb_path_has_extension(path, ".float");
  size_t count = (size_t)rows * (size_t)columns;
  lbFileWriter writer;
  uint8_t bytes[8];
  LB_ASSERT(rows >= 1 && columns >= 1);
  for (size_t i = 0; i < count; i++)
    if (!(fabs(values[i]) <= (single ? (double)FLT_MAX : DBL_MAX)))
      return lb_fail(err, LB_ERR_NUMERIC,
                     "%s: row %zu of column %zu is %g, which is not a finite %s number", path,
                     i % (size_t)rows, i / (size_t)rows, values[i],
                     single ? "single-precision" : "double-precision");
  lbStatus status = lb_file_begin(&writer, path, err);
  if (status) return status;
  lb_put_u32(bytes, (uint32_t)rows);
  lb_put_u32(bytes + 4, (uint32_t)columns);
  fwrite(bytes, HEADER_BYTES, 1, writer.stream);
  for (size_t i = 0; i < count; i++) {
    if (single)
      lb_put_f32(bytes, (float)values[i]);
    else
      lb_put_f64(bytes, values[i]);
    fwrite(bytes, single ? 4 : 8, 1, writer.stream);
  }
  return lb_file_commit(&writer, err);
}
