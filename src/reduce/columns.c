// Columns in memory or in a temporary file.
#include "reduce/columns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool lb_columns_open_file(size_t size, int32_t count, lbColumns *columns) {
  off_t bytes = (off_t)(size * (size_t)count * sizeof(double));
  FILE *stream = tmpfile();
  if (!stream) return false;
  int file = dup(fileno(stream));
  fclose(stream);
  if (file >= 0 && posix_fallocate(file, 0, bytes) == 0) {
    *columns = (lbColumns){ size, NULL, file };
    return true;
  }
  if (file >= 0) close(file);
  return false;
}

void lb_columns_close_file(lbColumns *columns) {
  if (columns->values || columns->file < 0) return;
  close(columns->file);
  columns->file = -1;
}

lbStatus lb_columns_read(const lbColumns *columns, size_t first, size_t count, double *to,
                         lbError *err) {
  size_t bytes = columns->size * count * sizeof *to, done = 0;
  size_t at = columns->size * first * sizeof *to;
  if (columns->values) {
    memcpy(to, columns->values + columns->size * first, bytes);
    return LB_OK;
  }
  while (done < bytes) {
    ssize_t got = pread(columns->file, (char *)to + done, bytes - done, (off_t)(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return lb_fail(err, LB_ERR_FILE, "a temporary file cannot be read back");
    done += (size_t)got;
  }
  return LB_OK;
}

lbStatus lb_columns_write(const lbColumns *columns, size_t first, size_t count, const double *from,
                          lbError *err) {
  size_t bytes = columns->size * count * sizeof *from, done = 0;
  size_t at = columns->size * first * sizeof *from;
  if (columns->values) {
    memcpy(columns->values + columns->size * first, from, bytes);
    return LB_OK;
  }
  while (done < bytes) {
    ssize_t put =
        pwrite(columns->file, (const char *)from + done, bytes - done, (off_t)(at + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0)
      return lb_fail(err, LB_ERR_FILE, "a temporary file cannot be written: %s", strerror(errno));
    done += (size_t)put;
  }
  return LB_OK;
}
