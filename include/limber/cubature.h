// limber/cubature.h: forces of a reduced body of any material, as a weighted sum over few elements
// (An, Kim & James 2008; von Tycowicz et al. 2013).
//
//   R̃(q) = Uᵀ R(U q) ≈ Σ w_e U_eᵀ f_e(U_e q),   w_e > 0
//
// Elements and weights are chosen so that the sum agrees with the exact reduced force at training
// poses, which are random shapes of the basis.
#ifndef LIMBER_CUBATURE_H
#define LIMBER_CUBATURE_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// What gives a reduced body its elastic force.
typedef enum lbForceKind {
  LB_FORCES_BY_LAW,     // polynomial where all materials are StVK, otherwise cubature
  LB_FORCES_POLYNOMIAL, // exact, StVK alone
  LB_FORCES_CUBATURE,
  LB_FORCE_KIND_COUNT
} lbForceKind;

typedef enum lbCubatureSelection {
  LB_CUBATURE_NNHTP,       // all elements at once, many exchanged at a time (after von Tycowicz et
                           // al.), with least squares in place of their gradient step
  LB_CUBATURE_GREEDY,      // one after another, least squares over all poses (An et al.)
  LB_CUBATURE_GREEDY_FAST, // the same, over ten poses at a time
  LB_CUBATURE_NNHTP_PLAIN, // algorithm 1 of von Tycowicz et al. as it stands there
  LB_CUBATURE_SELECTION_COUNT
} lbCubatureSelection;

const char *lb_cubature_selection_name(lbCubatureSelection selection); // "nnhtp", "greedy", ...

// Selection ends at `error` or at `element_limit`, whichever comes first, or when it no longer gets
// better. The error is sqrt(mean |F̃ − F|² / |F|²) over the training poses, F reduced forces.
typedef struct lbCubatureDef {
  int32_t element_limit; // how many at most, 1 to what the body has; default 0: as many as the
                         // error needs, LB_CUBATURE_ELEMENTS a basis vector at most
  bool all;              // every element with weight 1, exact, no training; default false
  double error;          // >= 0; default 0.03; 0: whatever the number of elements gives
  int32_t pose_count;    // training poses, 1 to LB_CUBATURE_POSES_MAX; default 0:
                         // LB_CUBATURE_POSES a basis vector, LB_CUBATURE_POSES_LEAST at least
  double amplitude;      // > 0: greatest displacement of a node in the largest pose, over the
                         // diagonal of the body's box; default 0.2
  double small_share;    // 0 to 1: of the poses are small ones of the softest shapes, so that slow
                         // motions are followed well; default 0.25; 0: as von Tycowicz et al.
  uint64_t seed;         // of poses and candidates; default 1
  lbCubatureSelection selection; // default LB_CUBATURE_NNHTP
} lbCubatureDef;

#define LB_CUBATURE_ELEMENTS 10
#define LB_CUBATURE_POSES 4
#define LB_CUBATURE_POSES_LEAST 200
#define LB_CUBATURE_POSES_MAX 100000

lbCubatureDef lb_cubature_def(void);

#ifdef __cplusplus
}
#endif
#endif
