// The picture without the panel: drawn once more into a framebuffer of its own, so that it is whole
// also where other windows cover this one, and centred although a panel covers a part.
#ifndef LIMBER_VIEWER_SHOT_H
#define LIMBER_VIEWER_SHOT_H

#include "view/viewer.h"

typedef struct vwShot {
  unsigned target, color; // OpenGL's names; 0: not made yet
  int32_t width, height;
} vwShot;

// Pixels of the viewer's size (width x height x 4, top row first), to be freed with lb_free. Needs
// the context current.
lbStatus vw_shot_take(vwShot *shot, vwViewer *viewer, uint8_t **rgba, lbError *err);
void vw_shot_destroy(vwShot *shot); // its objects in the context

#endif
