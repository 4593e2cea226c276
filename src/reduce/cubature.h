// Cubature of a body in a basis: training, selection, and the error on poses that were held out.
#ifndef LB_REDUCE_CUBATURE_H
#define LB_REDUCE_CUBATURE_H

#include "fem/fem.h"
#include "limber/cubature.h"

typedef struct lbCubature {
  int32_t count;
  int32_t *elements; // (count) component numbers, ascending
  double *weights;   // (count) > 0
  int32_t dimension, pose_count;
  double *poses;           // (pose_count x dimension); none where all elements are taken
  double training_error;   // 0 where all elements are taken
  double held_out_error;   // the same on poses that were not trained on
  int32_t shortened_count; // poses that turned elements inside out
  int32_t iterations;
  int64_t columns_made; // components whose force was worked out over the poses
  bool interrupted;     // the progress hook asked to stop: the best so far
  double training_seconds, selection_seconds;
} lbCubature;

// LB_ERR_ARGUMENT that names the field, where the def makes no sense for a body of so many
// elements.
lbStatus lb_cubature_check(const lbCubatureDef *def, int32_t element_count, lbError *err);
// basis (dimension x 3 vertices).
lbStatus lb_cubature_make(const lbFem *fem, int32_t dimension, const double *basis,
                          const lbCubatureDef *def, lbCubature **out, lbError *err);
void lb_cubature_destroy(lbCubature *cubature); // NULL is legal

// The same in two parts: what was trained once serves any number of selections, which differ in
// element_limit, error, selection and seed (of candidates).
typedef struct lbCubatureTrainer lbCubatureTrainer;

lbStatus lb_cubature_train(const lbFem *fem, int32_t dimension, const double *basis,
                           const lbCubatureDef *def, lbCubatureTrainer **out, lbError *err);
void lb_cubature_trainer_destroy(lbCubatureTrainer *trainer); // NULL is legal
lbStatus lb_cubature_select(const lbCubatureTrainer *trainer, const lbCubatureDef *def,
                            lbCubature **out, lbError *err);

#endif
