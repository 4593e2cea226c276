// Writing Matrix Market files.
#include "arrayio/mtx.h"

#include "limber/file.h"
#include "arrayio/print.h"

#include <string.h>

#define STAGE "writing the matrix"

static void write_head(FILE *stream, const char *kind, const char *comment) {
  fprintf(stream, "%%%%MatrixMarket matrix %s\n", kind);
  while (*comment) {
    size_t length = strcspn(comment, "\n");
    fprintf(stream, "%% %.*s\n", (int)length, comment);
    comment += length + (comment[length] == '\n');
  }
}

// Every 4096 columns: reports progress; fails when cancelled or after a write error (full disk).
static lbStatus check_progress(lbFileWriter *file, int32_t done, int32_t count, lbError *err) {
  if (done % 4096 || !count) return LB_OK;
  if (!lb_progress(STAGE, (double)done / count)) return lb_fail_interrupted(err, STAGE);
  return ferror(file->stream) ? LB_ERR_FILE : LB_OK;
}

// Commit says why writing failed.
static lbStatus finish_mtx_file(lbFileWriter *file, lbStatus status, lbError *err) {
  if (!status || status == LB_ERR_FILE) return lb_file_commit(file, err);
  lb_file_abort(file);
  return status;
}

lbStatus lb_mtx_write_symmetric(const char *path, const char *comment, int32_t size,
                                const int32_t *column_begin, const int32_t *rows,
                                const double *values, lbError *err) {
  lbFileWriter file;
  lbStatus status = lb_file_begin(&file, path, err);
  if (status) return status;
  write_head(file.stream, "coordinate real symmetric", comment);
  fprintf(file.stream, "%d %d %d\n", (int)size, (int)size, (int)column_begin[size]);
  for (int32_t j = 0; j < size && !status; j++) {
    for (int32_t k = column_begin[j]; k < column_begin[j + 1]; k++) {
      fprintf(file.stream, "%d %d ", (int)j + 1, (int)rows[k] + 1);
      lb_print_number(file.stream, values[k], 15);
      fputc('\n', file.stream);
    }
    status = check_progress(&file, j, size, err);
  }
  return finish_mtx_file(&file, status, err);
}

lbStatus lb_mtx_write_dense(const char *path, const char *comment, int32_t rows, int32_t columns,
                            const double *values, lbError *err) {
  lbFileWriter file;
  lbStatus status = lb_file_begin(&file, path, err);
  if (status) return status;
  write_head(file.stream, "array real general", comment);
  fprintf(file.stream, "%d %d\n", (int)rows, (int)columns);
  for (int32_t j = 0; j < columns && !status; j++) {
    for (size_t i = 0; i < (size_t)rows; i++) {
      lb_print_number(file.stream, values[(size_t)rows * (size_t)j + i], 15);
      fputc('\n', file.stream);
    }
    if (!lb_progress(STAGE, (double)j / columns)) status = lb_fail_interrupted(err, STAGE);
  }
  return finish_mtx_file(&file, status, err);
}
