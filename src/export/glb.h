// A glTF 2.0 binary under construction: the JSON tree, and the pieces of the binary chunk, which
// are written one after another without ever being one block. The first failure sticks, so callers
// check now and then, at the latest at lb_glb_write.
#ifndef LB_EXPORT_GLB_H
#define LB_EXPORT_GLB_H

#include "limber/base.h"

#include <jansson.h>

typedef struct lbGlbPiece {
  const void *data;
  size_t bytes;
  uint64_t begin; // in the binary chunk
  void *owned;    // freed with the file; NULL: borrowed
} lbGlbPiece;

typedef struct lbGlb {
  json_t *root;
  json_t *views, *accessors; // also in root once there are any
  lbGlbPiece *pieces;        // one a buffer view
  int32_t piece_count;
  size_t piece_capacity;
  uint64_t bytes; // of the binary chunk, padding included
  lbStatus status;
} lbGlb;

enum { LB_GLB_ANY = 0, LB_GLB_VERTICES = 34962, LB_GLB_INDICES = 34963 }; // buffer view targets

void lb_glb_begin(lbGlb *glb);
void lb_glb_release(lbGlb *glb);
// What went wrong so far: no memory, or more than 4 GiB.
lbStatus lb_glb_check(const lbGlb *glb, lbError *err);

// JSON. A value that is NULL for lack of memory is noticed here; values are taken over.
void lb_glb_set(lbGlb *glb, json_t *object, const char *key, json_t *value);
void lb_glb_append(lbGlb *glb, json_t *array, json_t *value);
// Appends to the array `key` of the root, made when it is not there; returns the index.
int32_t lb_glb_add(lbGlb *glb, const char *key, json_t *value);
json_t *lb_glb_text(const char *text); // what is not UTF-8 becomes '_'
json_t *lb_glb_numbers(const float *values, int32_t count);

// Binary data. `owned` (or NULL) is freed with the file, also when the call fails. The index of a
// view is that of its piece.
int32_t lb_glb_add_view(lbGlb *glb, const void *data, size_t bytes, int target, void *owned);
// An accessor of (count x width) floats, width 1 to 4, with or without bounds. Takes the values;
// NULL counts as no memory.
int32_t lb_glb_add_floats(lbGlb *glb, float *values, size_t count, int32_t width, int target,
                          bool bounds);
// Copies indices, in 16 bits where they fit.
int32_t lb_glb_add_indices(lbGlb *glb, const int32_t *indices, size_t count, int32_t vertex_count);

// The end, once: by one of these two.
lbStatus lb_glb_write(lbGlb *glb, const char *path, lbError *err);
// The chunks' contents in memory, for a file with more chunks: the JSON without padding, the binary
// data with zeros up to a multiple of `alignment` (a multiple of 4), which buffers[0] counts too.
// Free both with lb_free; set on success alone.
lbStatus lb_glb_take(lbGlb *glb, size_t alignment, char **json, size_t *json_bytes, uint8_t **bin,
                     size_t *bin_bytes, lbError *err);

#endif
