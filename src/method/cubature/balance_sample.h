// A few free nodes of a model, spread over it, with all elements around them: where the forces of
// the full body are looked at.
#ifndef LB_METHOD_CUBATURE_BALANCE_SAMPLE_H
#define LB_METHOD_CUBATURE_BALANCE_SAMPLE_H

#include "method/cubature/components.h"

enum { LB_SAMPLE_NODES = 16 }; // at most

typedef struct lbSample {
  int32_t node_count, element_count;
  int32_t nodes[LB_SAMPLE_NODES]; // of the model, ascending
  int32_t *elements;              // (element_count) numbers of components, ascending
} lbSample;

// The same nodes for the same mesh, always. To be given back by lb_sample_release.
lbStatus lb_sample_choose(const lbComponents *components, lbSample *out, lbError *err);
void lb_sample_release(lbSample *sample);

#endif
