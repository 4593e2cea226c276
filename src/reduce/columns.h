// Columns of numbers that are made, gone through and read once more. Where they are many they wait
// in a temporary file, so that they are not beside the factor of K, with which they are made.
#ifndef LB_REDUCE_COLUMNS_H
#define LB_REDUCE_COLUMNS_H

#include "limber/base.h"

typedef struct lbColumns {
  size_t size;    // of a column
  double *values; // (size x count), borrowed; NULL: in the file
  int file;       // descriptor
} lbColumns;

// A file for `count` columns that has its place on the disk; it has no name and goes with its
// descriptor. False: there is no room for it, or no such files.
bool lb_columns_open_file(size_t size, int32_t count, lbColumns *columns);
void lb_columns_close_file(lbColumns *columns); // if there is one

static inline lbColumns lb_columns_in_memory(size_t size, double *values) {
  return (lbColumns){ size, values, -1 };
}

// Of columns [first, first + count). Several threads may call them for different ones.
lbStatus lb_columns_read(const lbColumns *columns, size_t first, size_t count, double *to,
                         lbError *err);
lbStatus lb_columns_write(const lbColumns *columns, size_t first, size_t count, const double *from,
                          lbError *err);

#endif
