// The kernels of frame-based bodies, one table a SIMD level: samples and points in batches of 8.
#ifndef LB_FRAMES_KERNELS_H
#define LB_FRAMES_KERNELS_H

#include "frames/frames.h"

// Symmetric 8 x 8 matrices by blocks: real-real (10, rows of the upper triangle), real-dual (16),
// dual-dual (10).
enum {
  LB_FORM_GEOMETRIC = 26, // its dual-dual block is zero
  LB_FORM_MASS = 36,
  LB_FORM_MATERIAL = 36, // 6 x 6, rows of the first frame; of one alone the upper triangle
  LB_FORM_PAIR = LB_FORM_MATERIAL + LB_FORM_GEOMETRIC + LB_FORM_MASS,
  LB_FORM_FRAME = 16 // forces of the energy, loads
};

// Sums of a run of batches that have the same frames, lbFrameKernels.width numbers each: the
// energy, then LB_FORM_FRAME a frame, then LB_FORM_PAIR a pair (i ≤ j) of the list at
// j (j + 1)/2 + i.
static inline size_t lb_run_frame(int32_t i) { return 1 + LB_FORM_FRAME * (size_t)i; }
static inline size_t lb_run_pair(int32_t count, int32_t i, int32_t j) {
  return lb_run_frame(count) + LB_FORM_PAIR * ((size_t)j * (size_t)(j + 1) / 2 + (size_t)i);
}
static inline size_t lb_run_size(int32_t count) { return lb_run_pair(count, 0, count); }

enum {
  LB_SUM_WIDTH_MOST = LB_BATCH,
  LB_WORK_ROWS = 160 // LB_BATCH numbers each, a frame of the list, and as many beside them
};

enum { LB_SURVEY_ROWS = 25 }; // moment, linear, angular, second, turned; kinetic

typedef struct lbFrameKernels {
  // Adds batches [begin, end), all with the same list, to sums, without the stiffness of pairs with
  // the omitted frame (-1: none); work: (LB_WORK_ROWS x (1 + count) x LB_BATCH).
  void (*sum)(const lbFrameSamples *samples, int32_t begin, int32_t end, int32_t options,
              int32_t omitted, const lbFrameMotion *motions, const double gravity[3], double *work,
              double *sums);
  int32_t width; // numbers of a sum, to be added up: 4 or LB_BATCH
} lbFrameKernels;

const lbFrameKernels *lb_frame_kernels(lbSimdLevel level);

typedef struct lbFramePointKernels {
  // Adds batches to sums (LB_SURVEY_ROWS x LB_BATCH).
  void (*survey)(const lbFrameSamples *samples, int32_t begin, int32_t end,
                 const lbFrameMotion *motions, double *sums);
  // A batch of points: places and velocities (3 x LB_BATCH); velocities may be NULL.
  void (*skin)(const lbFrameSkin *skin, int32_t batch, const lbFrameMotion *motions, double *places,
               double *velocities);
  // A batch of points: sums (frames x 8 x LB_BATCH) += w Gᵀ force; forces (3 x LB_BATCH).
  void (*spread)(const lbFrameSkin *skin, int32_t batch, const lbFrameMotion *motions,
                 const double *forces, double *sums);
} lbFramePointKernels;

const lbFramePointKernels *lb_frame_point_kernels(lbSimdLevel level);

// Rows of a batch of springs, LB_BATCH numbers each.
enum {
  LB_SPRING_STIFFNESS = 6, // behind the ways from both frames to the joint at rest: A, B, C (9
                           // each) of [A B; Bᵀ C]
  LB_SPRING_REST = LB_SPRING_STIFFNESS + 27,
  LB_SPRING_PLACES = 14, // turn from rest (4) and place (3) of both frames
  LB_SPRING_FORCES = 1,  // behind the energy: torques at both, force; the second feels the opposite
  LB_SPRING_FIRST = LB_SPRING_FORCES + 9,    // blocks of the stiffness, 6 x 6, row-major: of the
                                             // first,
  LB_SPRING_SECOND = LB_SPRING_FIRST + 36,   // of the second,
  LB_SPRING_BETWEEN = LB_SPRING_SECOND + 36, // rows of the second, columns of the first
  LB_SPRING_OUT = LB_SPRING_BETWEEN + 36
};

typedef struct lbFrameSpringKernels {
  // A batch: rest (LB_SPRING_REST), places (LB_SPRING_PLACES); out (LB_SPRING_OUT), blocks where
  // they are asked for.
  void (*springs)(const double *rest, const double *places, bool tangent, double *out);
  // A batch of 3 x 3 matrices, row-major: to <- R X Rᵀ.
  void (*turn)(const double R[9], const double *X, double *to);
} lbFrameSpringKernels;

const lbFrameSpringKernels *lb_frame_spring_kernels(lbSimdLevel level);

#endif
