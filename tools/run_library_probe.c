// The smallest program on the run library: used to see what linking it needs.
#include "limber/base.h"
#include "limber/haptics.h"
#include "limber/math.h"

#include <stdio.h>

int main(void) {
  lbMat3 rotation;
  double *block = lb_alloc(9, sizeof *block);
  if (!block) return 1;
  lb_polar3(lb_mat3_diagonal(3, 2, 1), &rotation, NULL);
  printf("limber %s: trace %.3f after %d s\n", LB_VERSION, lb_mat3_trace(rotation),
         (int)(lb_seconds() * 0));
  lb_free(block);
  lb_haptics_destroy(NULL); // brings in the loop and its thread
  return lb_mat3_trace(rotation) > 2.999 ? 0 : 1;
}
