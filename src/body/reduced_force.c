// Forces that come as reduced forces already, from layers that keep rows of the basis of their own.
#include "body/body.h"

void lb_body_add_reduced_force(lbBody *body, const double *reduced) {
  lbInstances *instances = body->instances;
  for (int32_t i = 0; i < body->common->dimension; i++) {
    double *force = &instances->force[lb_body_at(body, i)];
    double sum = *force + reduced[i];
    if (lb_is_bounded(sum)) *force = sum;
  }
  instances->forced = instances->touched = true;
}
