// limber/math.h: vectors and matrices of three, quaternions, dual quaternions, polar and singular
// value decompositions. Small values, passed and returned by copy; everything in double precision.
#ifndef LIMBER_MATH_H
#define LIMBER_MATH_H

#include "limber/base.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbVec3 {
  double x, y, z;
} lbVec3;

typedef struct lbMat3 {
  double m[9]; // row-major: m[3 * row + column]
} lbMat3;

// ---- vectors -----------------------------------------------------------------------------------

static inline lbVec3 lb_vec3(double x, double y, double z) {
  lbVec3 v = { x, y, z };
  return v;
}
static inline lbVec3 lb_vec3_load(const double *p) { return lb_vec3(p[0], p[1], p[2]); }
static inline void lb_vec3_store(double *p, lbVec3 a) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }
static inline lbVec3 lb_add(lbVec3 a, lbVec3 b) { return lb_vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline lbVec3 lb_sub(lbVec3 a, lbVec3 b) { return lb_vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline lbVec3 lb_scale(double s, lbVec3 a) { return lb_vec3(s * a.x, s * a.y, s * a.z); }
// a + s b
static inline lbVec3 lb_add_scaled(lbVec3 a, double s, lbVec3 b) {
  return lb_vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double lb_dot(lbVec3 a, lbVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline lbVec3 lb_cross(lbVec3 a, lbVec3 b) {
  return lb_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double lb_length(lbVec3 a) { return sqrt(lb_dot(a, a)); }

#ifdef __cplusplus
}
#endif
#endif
