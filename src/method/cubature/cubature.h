// Inside the subspace method: forces by cubature, after An, Kim & James 2008 and von Tycowicz,
// Schulz, Seidel & Hildebrandt 2013,
//
//   W(q) = sum_e w_e W_e(U_e q),   R = sum_e w_e U_e^T f_e(U_e q),   K = sum_e w_e U_e^T K_e U_e,
//
// over the chosen elements e of any law. Weights are part of the elements' rest data.
#ifndef LB_METHOD_CUBATURE_CUBATURE_H
#define LB_METHOD_CUBATURE_CUBATURE_H

#include "body/body.h"
#include "method/cubature/components.h"
#include "method/cubature/cubature_kernels.h"
#include "method/cubature/pose_distance.h"
#include "method/cubature/balance_sample.h"

// Elements of one kind and law that go through a kernel together.
typedef struct lbCubatureBatch {
  lbElementKind kind;
  lbMaterialModel law;
  int32_t used;     // elements; the lanes beyond repeat the last one with weight 0
  int32_t *numbers; // (LB_BATCH) of the components
  int32_t *nodes;   // (LB_BATCH x nodes) among the plan's
  int32_t *blocks;  // (LB_BATCH x pairs) of the plan's matrix; ~b: the transpose
  double *rest;     // (points x LB_POINT_REST x LB_BATCH)
} lbCubatureBatch;

// The elements that a plan is of.
typedef struct lbCubatureChoice {
  int32_t count;
  const int32_t *elements;
  const double *weights; // NULL: 1
} lbCubatureChoice;

// What does not depend on materials: the chosen elements, their nodes, each once, and the basis
// there.
typedef struct lbCubaturePlan {
  lbComponents components;
  int32_t batch_count;
  lbCubatureBatch *batches;
  int32_t *model_nodes; // (rows.node_count) of the model; -1: none
  lbCubatureRows rows;
  lbCubaturePairs pairs;
  int32_t block_count;
  double shortest; // m, about the size of the smallest element
  lbPoses poses;   // that the elements were chosen by
  // The elements around a few nodes (balance_sample.c), for forces alone: no pairs, no poses. NULL:
  // none.
  struct lbCubaturePlan *sample;
  int32_t place_count;             // of a sample:
  int32_t places[LB_SAMPLE_NODES]; // its nodes, among the plan's
  void *blocks_[5];                // what it lives in
} lbCubaturePlan;

lbStatus lb_cubature_plan_create(const lbPrepared *prepared, lbCubaturePlan **out, lbError *err);
void lb_cubature_plan_destroy(lbCubaturePlan *plan); // NULL is legal

#endif
