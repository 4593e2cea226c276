// Lines and round marks as quads of the screen: any width, smooth edges.
#ifndef LIMBER_VIEWER_MARKS_H
#define LIMBER_VIEWER_MARKS_H

#include "render/gpu.h"
#include "render/renderer.h"

typedef struct vwMarks {
  GLuint program, array;
  vwStream stream;
  struct vwMark *items; // grows
  size_t capacity;
  int32_t count, below_count; // below: those that bodies hide, first
} vwMarks;

lbStatus vw_marks_create(const vwGpuLimits *limits, vwMarks *marks, lbError *err);
void vw_marks_destroy(vwMarks *marks, bool lost);
void vw_marks_upload(vwMarks *marks, const vwPicture *picture);
void vw_marks_draw(const vwMarks *marks, bool above); // blending is on

#endif
