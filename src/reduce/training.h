// Training poses of cubature and the exact reduced forces there.
//
// A pose is a normal sample in the vibration modes of the reduced body: q = Σ n_i/ω̄_i φ̄_i with
// K̃ φ̄ = ω̄² M̃ φ̄ at rest, all poses scaled together so that the largest moves a node by the amplitude
// that was asked for. Directions in which nothing is stiff (linearised rotations of a free body)
// are sampled like the softest stiff one, translations hardly at all. Poses that turn elements
// inside out under a law that forbids it are shortened.
#ifndef LB_REDUCE_TRAINING_H
#define LB_REDUCE_TRAINING_H

#include "fem/fem.h"
#include "limber/cubature.h"

typedef struct lbTraining {
  int32_t dimension;
  int32_t pose_count;      // that elements are chosen by
  int32_t held_out_count;  // from the same distribution, after them
  int32_t shortened_count; // poses that turned elements inside out
  double *poses;           // (pose_count + held_out_count x dimension)
  double *forces;          // the same shape: UᵀR(Uq)
  double *lengths;         // (pose_count + held_out_count) |UᵀR(Uq)|, > 0
} lbTraining;

// basis (dimension x 3 vertices). Refuses a basis whose vectors depend on each other.
lbStatus lb_training_create(const lbFem *fem, int32_t dimension, const double *basis,
                            const lbCubatureDef *def, lbTraining **out, lbError *err);
void lb_training_destroy(lbTraining *training); // NULL is legal

#endif
