// The lines of a Vega file, with *INCLUDE followed: blank lines and comments are left out.
#ifndef LB_MESHIO_VEG_LINES_H
#define LB_MESHIO_VEG_LINES_H

#include "meshio/scan.h"

#define LB_VEG_DEPTH 16

typedef struct lbVegFile {
  lbText text;
  char *path, *content; // owned; NULL for the outermost file
} lbVegFile;

typedef struct lbVegLines {
  lbVegFile files[LB_VEG_DEPTH]; // the one being read is the last
  int depth, opened;
  lbScan line; // what is left of the current line; for messages too
  bool held;   // the current line is to be given again
} lbVegLines;

void lb_veg_lines_begin(lbVegLines *lines, const char *path, const char *content, size_t bytes);
// To the next line; *more is false at the end.
lbStatus lb_veg_next_line(lbVegLines *lines, bool *more, lbError *err);
void lb_veg_hold_line(lbVegLines *lines); // the next line will be this one again
void lb_veg_lines_end(lbVegLines *lines);

// Within a line, commas count as blanks.
bool lb_veg_number(lbVegLines *lines, double *value);
bool lb_veg_integer(lbVegLines *lines, int64_t *value);
// The text up to the next comma or the line's end, without blanks around it; false if empty.
bool lb_veg_name(lbVegLines *lines, char *name, size_t size);
bool lb_veg_at_line_end(lbVegLines *lines);

#endif
