// What the files of the animation share: animation.c (recording), animation_save.c (a .glb by the
// build side), gltf.c (a .glb by the run side alone, for the page).
#ifndef LIMBER_VIEWER_ANIMATION_PARTS_H
#define LIMBER_VIEWER_ANIMATION_PARTS_H

#include "view/animation.h"

typedef struct vwTrack { // an actor
  const lbModel *model;
  lbMethod method;
  int32_t body_count, dimension; // dimension 0: by positions
  size_t frame_floats;           // of one body: coordinates, or positions of the surface
  float *frames;                 // (frame x body x frame_floats)
  float *placements;             // (frame x body x 7)
  float *now;                    // (body x 7), working memory
  size_t frames_capacity, placements_capacity;
} vwTrack;

struct vwAnimation {
  int32_t generation;
  char up;
  double begin; // of simulated time
  int32_t track_count;
  vwTrack *tracks;
  int32_t frame_count;
  double *times; // (frame_count)
  size_t times_capacity;
};

// (3 nodes x dimension); NULL: the method has none.
const double *vw_animation_basis(const lbModel *model, lbMethod method);

#endif
