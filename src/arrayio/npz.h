// NumPy's .npz: a ZIP archive with one .npy an array.
#ifndef LB_ARRAYIO_NPZ_H
#define LB_ARRAYIO_NPZ_H

#include "limber/file.h"
#include "arrayio/npy.h"

// ---- reading -----------------------------------------------------------------------------------

// The array called `name` in an archive ("basis" is found as basis.npy); the only one, whatever its
// name. Stored and deflated members are read, and their checksums tested.
lbStatus lb_npz_parse(const char *path, const char *content, size_t bytes, const char *name,
                      lbNpy **out, lbError *err);

// ---- writing -----------------------------------------------------------------------------------
//
// As numpy.load opens it: uncompressed, .npy version 1.0, with a fixed date, so that the same
// arrays give the same bytes. Below 4 GiB.

typedef struct lbNpzArray {
  const char *name; // not empty, once a file
  lbScalar type;
  int32_t dimension_count; // 0 (one number) to 4
  int64_t shape[4];        // (dimension_count), >= 0
  bool fortran_order;      // the first index runs fastest; otherwise the last
  const void *data;        // in this machine's byte order
} lbNpzArray;

typedef struct lbNpzEntry {
  char *name; // with ".npy"
  uint32_t crc, bytes, begin;
} lbNpzEntry;

typedef struct lbNpzWriter {
  lbFileWriter file;
  uint64_t bytes; // written so far
  lbNpzEntry *entries;
  size_t entry_count, entry_capacity;
} lbNpzWriter;

lbStatus lb_npz_begin(lbNpzWriter *writer, const char *path, lbError *err);
// On failure the writer is aborted.
lbStatus lb_npz_add(lbNpzWriter *writer, const lbNpzArray *array, lbError *err);
// One text, as a byte string without axes; not empty.
lbStatus lb_npz_add_text(lbNpzWriter *writer, const char *name, const char *text, lbError *err);
// Writes the directory and puts the file in its place.
lbStatus lb_npz_commit(lbNpzWriter *writer, lbError *err);
void lb_npz_abort(lbNpzWriter *writer); // legal at any time, also after commit

#endif
