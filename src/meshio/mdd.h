// MDD point caches (LightWave): the positions of a mesh's vertices at given times.
#ifndef LB_MESHIO_MDD_H
#define LB_MESHIO_MDD_H

#include "limber/file.h"

typedef struct lbMddWriter {
  lbFileWriter file;
  int32_t point_count, frame_count; // to be written
  int32_t written;                  // frames
} lbMddWriter;

// times: (frame_count), s.
lbStatus lb_mdd_begin(lbMddWriter *writer, const char *path, int32_t point_count,
                      int32_t frame_count, const double *times, lbError *err);
// positions: (point_count x 3), finite and within single precision. On failure the writer is
// aborted.
lbStatus lb_mdd_add(lbMddWriter *writer, const double *positions, lbError *err);
// Puts the file in its place; all frames must be there.
lbStatus lb_mdd_commit(lbMddWriter *writer, lbError *err);
void lb_mdd_abort(lbMddWriter *writer); // legal at any time, also after commit

#endif
