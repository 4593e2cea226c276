// Arrays of floating-point numbers from NumPy files: .npy, and .npz (a zip archive of those).
#ifndef LB_REDUCE_NPY_H
#define LB_REDUCE_NPY_H

#include "limber/base.h"

enum { LB_NPY_AXES = 3 };

typedef struct lbNpy {
  int32_t axis_count;         // 1 to 3
  size_t shape[LB_NPY_AXES];  // 1 beyond axis_count
  size_t stride[LB_NPY_AXES]; // in values, of either order
  size_t count;               // values in all
  bool single;                // came as float32
  double *values;             // (count), in the file's order
} lbNpy;

// Of a file's content; `path` is for messages. Shape and size are checked against each other before
// anything is allocated.
lbStatus lb_npy_parse(const char *path, const char *content, size_t bytes, lbNpy **out,
                      lbError *err);
void lb_npy_destroy(lbNpy *array);

// The array called `name` in an archive ("basis" is found as basis.npy); the only one, whatever its
// name. Stored and deflated members are read, and their checksums tested.
lbStatus lb_npz_parse(const char *path, const char *content, size_t bytes, const char *name,
                      lbNpy **out, lbError *err);

#endif
