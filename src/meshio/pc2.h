// PC2 point caches: the positions of a mesh's vertices over time, for animation programs.
#ifndef LB_MESHIO_PC2_H
#define LB_MESHIO_PC2_H

#include "limber/file.h"

typedef struct lbPc2Writer {
  lbFileWriter file;
  int32_t point_count, frame_count;
} lbPc2Writer;

// start_frame: number of the first frame; sample_rate: frames between two samples, usually 1.
lbStatus lb_pc2_begin(lbPc2Writer *writer, const char *path, int32_t point_count,
                      double start_frame, double sample_rate, lbError *err);
// positions: (point_count x 3), finite and within single precision. On failure the writer is
// aborted.
lbStatus lb_pc2_add(lbPc2Writer *writer, const double *positions, lbError *err);
// Enters the number of frames and puts the file in its place.
lbStatus lb_pc2_commit(lbPc2Writer *writer, lbError *err);
void lb_pc2_abort(lbPc2Writer *writer); // legal at any time, also after commit

#endif
