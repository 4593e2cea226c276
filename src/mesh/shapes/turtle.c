// A turtle, its head along +x: a domed shell with plates on a body with head, four legs and a tail.
// Lengths of about the turtle's; symmetric in y, standing on z = 0.
#include "mesh/shapes/implicit.h"

// Middles of the plates on the dome, seen from above, as fractions of its half length and width;
// those beside the middle line stand on both sides.
static const double plates[][2] = {
  { 0.66, 0 },    { 0.22, 0 },     { -0.24, 0 },   { -0.68, 0 },   { 0.46, 0.52 },
  { 0.0, 0.6 },   { -0.46, 0.53 }, { 0.99, 0.2 },  { 0.82, 0.6 },  { 0.5, 0.93 },
  { 0.18, 1.04 }, { -0.18, 1.04 }, { -0.5, 0.93 }, { -0.82, 0.6 }, { -0.99, 0.2 },
};

// 0 in the middle of the joints between plates, 1 beyond their width.
static double joint(double x, double y, double width) {
  double first = 1e9, second = 1e9;
  for (size_t i = 0; i < 2 * (sizeof plates / sizeof *plates); i++) {
    double dx = x - plates[i / 2][0], dy = y - (i % 2 ? -1 : 1) * plates[i / 2][1];
    if (i % 2 && plates[i / 2][1] <= 0) continue;
    double d = sqrt(dx * dx + dy * dy);
    if (d < first)
      second = first, first = d;
    else if (d < second)
      second = d;
  }
  double f = fmin(1, (second - first) / width);
  return f * f * (3 - 2 * f);
}

static double shell(lbVec3 p) {
  lbVec3 centre = { -0.02, 0, 0.17 }, radii = { 0.36, 0.3, 0.245 };
  double dome = lb_distance_ellipsoid(p, centre, radii);
  if (fabs(dome) < 0.05)
    dome += 0.011 * (1 - joint((p.x - centre.x) / radii.x, p.y / radii.y, 0.16));
  dome = lb_distance_meet(dome, 0.155 - p.z, 0.03);
  double rim = lb_distance_ellipsoid(p, lb_vec3(-0.02, 0, 0.185), lb_vec3(0.4, 0.34, 0.045));
  return lb_distance_join(dome, rim, 0.04);
}

static double body(lbVec3 p, double side) { // side: |y|
  lbVec3 q = { p.x, side, p.z };
  double d = lb_distance_ellipsoid(p, lb_vec3(-0.02, 0, 0.155), lb_vec3(0.345, 0.28, 0.085));
  double neck = lb_distance_capsule(p, lb_vec3(0.26, 0, 0.165), lb_vec3(0.46, 0, 0.27), 0.08, 0.07);
  double head = lb_distance_ellipsoid(p, lb_vec3(0.5, 0, 0.31), lb_vec3(0.125, 0.108, 0.105));
  double snout = lb_distance_ball(p, lb_vec3(0.575, 0, 0.285), 0.068);
  double front =
      lb_distance_capsule(q, lb_vec3(0.2, 0.18, 0.14), lb_vec3(0.3, 0.285, 0.05), 0.075, 0.07);
  double foot = lb_distance_ellipsoid(q, lb_vec3(0.325, 0.3, 0.035), lb_vec3(0.09, 0.075, 0.05));
  double hind =
      lb_distance_capsule(q, lb_vec3(-0.22, 0.17, 0.13), lb_vec3(-0.31, 0.25, 0.05), 0.07, 0.062);
  double sole =
      lb_distance_ellipsoid(q, lb_vec3(-0.315, 0.26, 0.035), lb_vec3(0.078, 0.068, 0.048));
  double tail =
      lb_distance_capsule(p, lb_vec3(-0.32, 0, 0.13), lb_vec3(-0.485, 0, 0.085), 0.052, 0.016);
  d = lb_distance_join(d, neck, 0.08);
  d = lb_distance_join(d, lb_distance_join(head, snout, 0.06), 0.05);
  d = lb_distance_join(d, lb_distance_join(front, foot, 0.04), 0.06);
  d = lb_distance_join(d, lb_distance_join(hind, sole, 0.04), 0.06);
  d = lb_distance_join(d, tail, 0.05);
  double mouth =
      lb_distance_capsule(q, lb_vec3(0.66, 0, 0.262), lb_vec3(0.575, 0.085, 0.29), 0.006, 0.004);
  d = lb_distance_meet(d, -mouth, 0.012);
  return lb_distance_meet(d, -p.z, 0.03);
}

static void distances(lbVec3 p, double *parts) {
  double side = fabs(p.y);
  parts[0] = shell(p);
  parts[1] = body(p, side);
  parts[2] = lb_distance_ball(lb_vec3(p.x, side, p.z), lb_vec3(0.557, 0.07, 0.352), 0.031);
}

const lbImplicit lb_turtle = {
  .low = { -0.501, -0.375, 0 },
  .high = { 0.643, 0.375, 0.415 },
  .blend = 0.01,
  .cells_a_row = 1,
  .part_count = 3,
  .parts = { { "shell", "shell", { 0.32, 0.13, 0.035 }, 0.45F },
             { "body", "body", { 0.2, 0.42, 0.1 }, 0.7F },
             { "eyes", "body", { 0.01, 0.01, 0.012 }, 0.15F } },
  .distances = distances,
};
