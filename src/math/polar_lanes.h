#ifndef LB_TMP_P
#define LB_TMP_P
#include "math/simd.h"
static inline void lb_polar_lanes(const lbLanes F[9], lbLanes R[9]) {
  for (int i = 0; i < 9; i++) R[i] = F[i];
  for (int n = 0; n < 12; n++) {
    lbLanes C[9];
    for (int i = 0; i < 3; i++) for (int k = 0; k < 3; k++) { int i1=(i+1)%3,i2=(i+2)%3,k1=(k+1)%3,k2=(k+2)%3; C[3*i+k]=R[3*i1+k1]*R[3*i2+k2]-R[3*i1+k2]*R[3*i2+k1]; }
    lbLanes d = R[0]*C[0]+R[1]*C[1]+R[2]*C[2];
    for (int i = 0; i < 9; i++) R[i] = 0.5*(R[i]+C[i]/d);
  }
}
#endif
