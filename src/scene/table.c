// Per-vertex vectors as CSV.
#include "limber/table.h"

#include "limber/file.h"
#include "arrayio/print.h"
#include "arrayio/text.h"
#include "scene/read.h"

#include <ctype.h>
#include <math.h>

// The numbers of one line, separated by commas, semicolons or blanks; -1: something else is there.
static int read_table_line(lbText *text, double numbers[5]) {
  int count = 0;
  while (!lb_text_at_line_end(text)) {
    double value;
    if (count == 5 || !lb_text_number_in_line(text, &value)) return -1;
    numbers[count++] = value;
    lb_text_skip_blanks(text);
    if (text->next < text->end && (*text->next == ',' || *text->next == ';')) text->next++;
  }
  return count;
}

static bool is_header(lbText *text) {
  lb_text_skip_blanks(text);
  return text->next < text->end &&
         (isalpha((unsigned char)*text->next) || *text->next == '#' || *text->next == '"');
}

// Stores one row; `seen` marks rows that have come.
static lbStatus store_row(const lbText *text, const double *numbers, int count, int32_t row_count,
                          int32_t next, double *values, bool *seen, lbError *err) {
  double row = count == 4 ? numbers[0] - 1 : next;
  if (!(row >= 0 && row < row_count) || row != floor(row))
    return lb_text_fail(text, err, "node %.17g does not exist, the mesh has %d vertices", row + 1,
                        (int)row_count);
  if (seen[(int32_t)row]) return lb_text_fail(text, err, "node %d comes twice", (int)row + 1);
  seen[(int32_t)row] = true;
  for (int i = 0; i < 3; i++) {
    double value = numbers[count - 3 + i];
    if (!isfinite(value)) return lb_text_fail(text, err, "%g is not a finite number", value);
    values[3 * (size_t)row + i] = value;
  }
  return LB_OK;
}

static lbStatus read_rows(lbText *text, int32_t row_count, double *values, bool *seen,
                          lbError *err) {
  int32_t rows = 0;
  int columns = 0;
  for (; !lb_text_at_end(text); lb_text_skip_line(text)) {
    if (lb_text_at_line_end(text) || (rows == 0 && is_header(text))) continue;
    double numbers[5];
    int count = read_table_line(text, numbers);
    if (columns == 0) columns = count;
    if ((count != 3 && count != 4) || count != columns)
      return lb_text_fail(text, err, "a row must be x,y,z or node,x,y,z, the same all through");
    lbStatus status = store_row(text, numbers, count, row_count, rows, values, seen, err);
    if (status) return status;
    rows++;
  }
  if (rows != row_count)
    return lb_text_fail(text, err, "the file ends after %d rows, the mesh has %d vertices",
                        (int)rows, (int)row_count);
  return LB_OK;
}

lbStatus lb_table_parse(const char *path, const char *content, size_t bytes, int32_t row_count,
                        double *values, lbError *err) {
  bool *seen = lb_alloc((size_t)row_count, sizeof(bool));
  if (!seen) return lb_fail_memory(err);
  lbText text = lb_text(path, content, bytes);
  lbStatus status = read_rows(&text, row_count, values, seen, err);
  lb_free(seen);
  return status;
}

lbStatus lb_table_read(const char *path, int32_t row_count, double *values, lbError *err) {
  char *content = NULL;
  size_t bytes;
  lbStatus status = lb_file_read(path, &content, &bytes, err);
  if (!status) status = lb_table_parse(path, content, bytes, row_count, values, err);
  lb_free(content);
  return status;
}

lbStatus lb_table_write(const char *path, const char *name, int32_t row_count, const double *values,
                        lbError *err) {
  lbFileWriter writer;
  lbStatus status = lb_file_begin(&writer, path, err);
  if (status) return status;
  fprintf(writer.stream, "node,%sx,%sy,%sz\n", name, name, name);
  for (int32_t i = 0; i < row_count; i++) {
    const double *v = values + 3 * (size_t)i;
    fprintf(writer.stream, "%d", (int)i + 1);
    for (int k = 0; k < 3; k++) {
      fputc(',', writer.stream);
      lb_print_number(writer.stream, v[k], 15);
    }
    fputc('\n', writer.stream);
  }
  return lb_file_commit(&writer, err);
}
