// Signed distances (negative inside) of simple solids, and their blends. Those that are no exact
// distances keep its sign and, near the surface, its size.
#ifndef LB_SHAPES_DISTANCE_H
#define LB_SHAPES_DISTANCE_H

#include "limber/math.h"

static inline double lb_distance_ball(lbVec3 p, lbVec3 centre, double radius) {
  return lb_length(lb_sub(p, centre)) - radius;
}

// |p / r| (|p / r| - 1) / |p / r^2|: first order near the surface.
static inline double lb_distance_ellipsoid(lbVec3 p, lbVec3 centre, lbVec3 radii) {
  lbVec3 q = lb_sub(p, centre);
  lbVec3 a = lb_vec3(q.x / radii.x, q.y / radii.y, q.z / radii.z);
  double k = lb_length(a), slope = lb_length(lb_vec3(a.x / radii.x, a.y / radii.y, a.z / radii.z));
  return slope > 1e-12 ? k * (k - 1) / slope : -fmin(radii.x, fmin(radii.y, radii.z));
}

// Around the segment from a to b; the radius changes evenly from ra to rb.
static inline double lb_distance_capsule(lbVec3 p, lbVec3 a, lbVec3 b, double ra, double rb) {
  lbVec3 axis = lb_sub(b, a), q = lb_sub(p, a);
  double t = fmin(1, fmax(0, lb_dot(q, axis) / lb_dot(axis, axis)));
  return lb_length(lb_add_scaled(q, -t, axis)) - (ra + t * (rb - ra));
}

// The union, its groove rounded within the width k: the smaller one, less k/6 where both are equal.
static inline double lb_distance_join(double a, double b, double k) {
  double h = fmax(0, 1 - fabs(a - b) / k);
  return fmin(a, b) - h * h * h * k / 6;
}

// What both have in common, its edge rounded likewise.
static inline double lb_distance_meet(double a, double b, double k) {
  return -lb_distance_join(-a, -b, k);
}

// A line drawn on another solid: the arc z = height + bend x^2 / 2 for |x| <= half, 2 width wide,
// negative inside, seen along the third axis.
static inline double lb_distance_arc(double x, double z, double half, double bend, double width) {
  double beyond = fmax(0, fabs(x) - half), off = z - 0.5 * bend * fmin(x * x, half * half);
  return sqrt(beyond * beyond + off * off) - width;
}

#endif
