// Frame-based elastic bodies: Gilles, Bousquet, Faure, Pai: Frame-based Elastic Models, 2011.
//
// A frame i is a rotation and a place; d_i is the dual quaternion of its motion from rest, as eight
// numbers. At a point X of the rest shape with weights w_i the motions are blended,
//
//   b = Σ w_i d_i = (Q₀, Q_ε),  n² = Q₀·Q₀,  W = Σ d_i ∇w_iᵀ,  x = ½ C(b) b / n²,
//   G = ∂x/∂b = (C(b) − 2 x [Q₀ᵀ 0]) / n²,   F = ∂x/∂X = R(Q₀) + G W,
//
// C linear in b. Energy, force and stiffness are sums over samples of the rest shape. Since b and W
// are linear in d, samples are summed in the eight numbers of frames; 8 x 6 matrices M_i take the
// velocities of a frame, Ω_i = (ω, velocity of its origin), to ḋ_i.
//
// This layer knows frames, samples and points, no bodies and no steps.
#ifndef LB_FRAMES_FRAMES_H
#define LB_FRAMES_FRAMES_H

#include "limber/math.h"
#include "elastic/element.h"
#include "math/simd.h"

#define LB_FRAME_LIST_MOST 16 // frames that act at a batch of samples
#define LB_FRAME_DOFS 6

// ---- frames ------------------------------------------------------------------------------------

typedef struct lbFramePose {
  lbQuat rotation;
  lbVec3 position;
} lbFramePose;

// What kernels know of a frame.
typedef struct lbFrameMotion {
  double d[8];               // real x y z w, dual x y z w: motion from rest
  double V[8];               // ḋ
  double A[8];               // d̈ at constant Ω
  double real[12], dual[12]; // (4 x 3) each: M = [real 0; dual real]
  lbVec3 position;
  bool still; // it does not move in the step to come: no stiffness and no mass are summed for it,
              // and no energy of springs between two of them
} lbFrameMotion;

// velocity (6) may be NULL: V and A are zero.
lbFrameMotion lb_frame_motion(const lbFramePose *rest, const lbFramePose *pose,
                              const double *velocity);
// V <- M velocity.
void lb_frame_rate(const lbFrameMotion *motion, const double *velocity, double V[8]);
// force (6) += Mᵀ f
void lb_frame_gather(const lbFrameMotion *motion, const double f[8], double *force);
// After moving for a time h at a velocity (6).
lbFramePose lb_frame_advance(const lbFramePose *pose, const double *velocity, double h);
// The velocity (6) that leads from one pose to another in a time h, the short way.
void lb_frame_velocity_between(const lbFramePose *from, const lbFramePose *to, double h,
                               double *velocity);
// The rotation vector of a unit quaternion with w ≥ 0; short ones by the series of the arc sine.
lbVec3 lb_frame_rotation_vector(lbQuat q);
#define LB_FRAME_VECTOR_SHORT 0.0225 // of its squared vector part: up to there by the series
#define LB_FRAME_VECTOR_TERMS 10
extern const double lb_frame_vector_series[LB_FRAME_VECTOR_TERMS];
// Turns the quaternion of a pose to the side of another's motion from rest: q and -q are one.
void lb_frame_align(const lbFramePose *pivot_rest, const lbFramePose *pivot,
                    const lbFramePose *rest, lbFramePose *pose);

// ---- samples -----------------------------------------------------------------------------------

typedef struct lbFrameBatch {
  int32_t law;          // lbMaterialModel
  int32_t first, count; // of its frames
} lbFrameBatch;

// Rows of a batch in lbFrameSamples.rest, LB_BATCH numbers each.
enum {
  LB_SAMPLE_PLACE = 0,      // 3
  LB_SAMPLE_VOLUME = 3,     // m³
  LB_SAMPLE_MASS = 4,       // kg
  LB_SAMPLE_PARAMETERS = 5, // LB_MATERIAL_PARAMETERS
  LB_SAMPLE_BULK = 8,       // Pa: k/2 (J - 1)² beside the law
  LB_SAMPLE_ROWS
};

typedef struct lbFramePair {
  int32_t first, second; // frames, first ≤ second
} lbFramePair;

typedef struct lbFrameSamples {
  int32_t frame_count, sample_count, batch_count, list_most;
  bool has_bulk;
  int32_t common; // the frame that acts with most others; -1: some law is not the same in all axes
  lbFrameBatch *batches; // (batch_count)
  int32_t *frames;       // (entries) ascending in a batch
  double *weights;       // (entries x 4 x LB_BATCH): w, ∇w
  double *rest;          // (batch_count x LB_SAMPLE_ROWS x LB_BATCH)
  int32_t *order;        // (batch_count x LB_BATCH) the sample in each lane; -1: none
  int32_t pair_count;
  lbFramePair *pairs; // that act together in some batch, frames with themselves included
  double mass;        // kg
} lbFrameSamples;

// Weights of points: entries [begin[k], begin[k + 1]) of point k, ascending frames.
typedef struct lbFrameWeights {
  int32_t frame_count, point_count;
  const int32_t *begin, *frames;
  const double *values;    // (entries)
  const double *gradients; // (entries x 3); NULL for points without strain
} lbFrameWeights;

typedef struct lbFrameSampleDef {
  lbFrameWeights weights;
  const double *positions, *volumes, *masses; // (samples x 3), (samples)
  const int32_t *materials;                   // (samples)
  const double *stiffnesses;                  // (samples) factor of the moduli; NULL: 1
  const lbMaterial *table;                    // materials
  double bulk; // of the volume term, times the bulk modulus of the material
} lbFrameSampleDef;

lbStatus lb_frame_samples_create(const lbFrameSampleDef *def, lbFrameSamples **out, lbError *err);
void lb_frame_samples_destroy(lbFrameSamples *samples); // NULL is legal

// ---- points ------------------------------------------------------------------------------------

// Points that are only asked for places and velocities.
typedef struct lbFrameSkin {
  int32_t frame_count, point_count, batch_count;
  lbFrameBatch *batches;
  int32_t *frames;
  double *weights;   // (entries x LB_BATCH)
  double *positions; // (batch_count x 3 x LB_BATCH) m
} lbFrameSkin;

lbStatus lb_frame_skin_create(const lbFrameWeights *weights, const double *positions,
                              lbFrameSkin **out, lbError *err);
void lb_frame_skin_destroy(lbFrameSkin *skin); // NULL is legal
// Points [begin, end): displacements x - X and velocities (points x 3) at their places; either may
// be NULL.
void lb_frame_skin_move(const lbFrameSkin *skin, lbSimdLevel level, const lbFrameMotion *motions,
                        int32_t begin, int32_t end, double *displacements, double *velocities);
lbVec3 lb_frame_skin_place(const lbFrameSkin *skin, const lbFrameMotion *motions, int32_t point);
// sums (frames x 8) += Σ w Gᵀ force of a point.
void lb_frame_skin_spread(const lbFrameSkin *skin, const lbFrameMotion *motions, int32_t point,
                          lbVec3 force, double *sums);

// sums (frames x 8) <- of forces (points x 3), times masses (points), at all points; room: (frames
// x 8 x LB_BATCH).
void lb_frame_skin_spread_all(const lbFrameSkin *skin, lbSimdLevel level,
                              const lbFrameMotion *motions, const double *forces,
                              const double *masses, double *room, double *sums);

// One point: x, F and G at weights (list of count frames; gradients (count x 3) or NULL).
typedef struct lbFramePoint {
  lbVec3 x;
  lbMat3 F;
  double G[24]; // 3 x 8
} lbFramePoint;
lbFramePoint lb_frame_point(lbVec3 X, int32_t count, const int32_t *frames, const double *weights,
                            const double *gradients, const lbFrameMotion *motions);

// ---- sums over samples -------------------------------------------------------------------------

enum {
  LB_FRAMES_FORCE = 1,   // forces, else the energy alone
  LB_FRAMES_TANGENT = 2, // and stiffness,
  LB_FRAMES_MASS = 4,    // and mass
  LB_FRAMES_LOADS = 8,   // and forces of gravity and of Ω in moving frames (Γ_in)
  LB_FRAMES_SAFE = 16    // a stiffness that is never negative, for where the true one is
};

// Symmetric matrices over 6 numbers a frame, (6 frames x 6 frames), column-major, lower triangles.
typedef struct lbFrameSystem {
  double energy;    // J
  double *gradient; // (6 frames) ∂W/∂Ω: minus the elastic force
  double *loads;    // (6 frames) N, Nm; LB_FRAMES_LOADS
  double *K;        // LB_FRAMES_TANGENT: symmetric part of the exact stiffness
  double *M;        // LB_FRAMES_MASS
} lbFrameSystem;

// list_most: of the samples.
size_t lb_frame_sums_doubles(int32_t list_most, int32_t frame_count);
// room: lb_frame_sums_doubles.
void lb_frame_sum(const lbFrameSamples *samples, lbSimdLevel level, int32_t options,
                  int32_t frame_count, const lbFrameMotion *motions, lbVec3 gravity, double *room,
                  lbFrameSystem *out);

// What a body is as a whole.
typedef struct lbFrameSurvey {
  lbVec3 moment;  // Σ m x
  lbVec3 linear;  // Σ m v
  lbVec3 angular; // Σ m x × v, about the origin
  lbMat3 second;  // Σ m x xᵀ
  lbMat3 turned;  // Σ m x Xᵀ
  double kinetic; // J
} lbFrameSurvey;
void lb_frame_survey(const lbFrameSamples *samples, lbSimdLevel level, const lbFrameMotion *motions,
                     lbFrameSurvey *out);

#endif
