// Fewer samples for the forces of a body of frames: some of them with weights, chosen as cubature
// chooses elements (selection.h), so that forces at training poses are those of all samples.
#ifndef LB_REDUCE_FRAME_CUBATURE_H
#define LB_REDUCE_FRAME_CUBATURE_H

#include "frames/frames.h"
#include "limber/model.h"

typedef struct lbFrameCubatureDef {
  const lbFrameSampleDef *samples; // all of them
  const lbFramePose *rest;         // (frames)
  const uint8_t *fixed;            // (frames)
  int32_t limit;                   // samples at most; 0: as many as `error` needs
  double error;                    // of forces at training poses, relative; 0: none
} lbFrameCubatureDef;

typedef struct lbFrameCubature {
  int32_t count;
  int32_t *samples; // (count) ascending
  double *volumes;  // (count) m³, > 0
  double *masses;   // (count) kg, >= 0; they have the mass of all samples, and nearly their inertia
  double error;     // of forces at the training poses
  double held_out;  // and at poses that took no part
} lbFrameCubature;

lbStatus lb_frame_cubature_create(const lbFrameCubatureDef *def, lbFrameCubature **out,
                                  lbError *err);
void lb_frame_cubature_destroy(lbFrameCubature *cubature); // NULL is legal

#endif
