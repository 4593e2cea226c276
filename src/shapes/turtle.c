// A turtle, its head along +x: a domed shell with plates on a body with head, four legs and a tail.
// Lengths of about the turtle's; symmetric in y, standing on z = 0.
#include "shapes/implicit.h"

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
    dome += 0.014 * (1 - joint((p.x - centre.x) / radii.x, p.y / radii.y, 0.24));
  dome = lb_distance_meet(dome, 0.155 - p.z, 0.03);
  double x = (p.x - centre.x) / 0.365, y = p.y / 0.305, z = p.z - 0.18;
  double out = 0.33 * (sqrt(x * x + y * y) - 1);
  double rim = 0.9 * (sqrt(out * out + 1.4 * z * z) - 0.034);
  return lb_distance_join(dome, rim, 0.03);
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
      lb_distance_capsule(p, lb_vec3(-0.32, 0, 0.13), lb_vec3(-0.485, 0, 0.085), 0.055, 0.023);
  d = lb_distance_join(d, neck, 0.08);
  d = lb_distance_join(d, lb_distance_join(head, snout, 0.06), 0.05);
  d = lb_distance_join(d, lb_distance_join(front, foot, 0.04), 0.06);
  d = lb_distance_join(d, lb_distance_join(hind, sole, 0.04), 0.06);
  d = lb_distance_join(d, tail, 0.05);
  return lb_distance_meet(d, -p.z, 0.03);
}

// Two eyes, and a smile painted on the snout.
static double face(lbVec3 q, double body) {
  double eye = lb_distance_ball(q, lb_vec3(0.557, 0.07, 0.352), 0.031);
  if (q.x < 0.5) return eye;
  return fmin(eye, body + 0.3 * lb_distance_arc(q.y, q.z - 0.27, 0.06, 10, 0.0125));
}

static void find_turtle_distances(lbVec3 p, double *parts) {
  double side = fabs(p.y);
  parts[0] = shell(p);
  parts[1] = body(p, side);
  parts[2] = face(lb_vec3(p.x, side, p.z), parts[1]);
}

const lbImplicit lb_turtle = {
  .low = { -0.5077, -0.3752, 0 },
  .high = { 0.647, 0.3752, 0.4149 },
  .blend = 0.01,
  .cells_a_row = 0.85,
  .part_count = 3,
  .parts = { { "shell", "shell", { 0.32, 0.13, 0.035 }, 0.45F },
             { "body", "body", { 0.2, 0.42, 0.1 }, 0.7F },
             { "face", "body", { 0.01, 0.01, 0.012 }, 0.15F } },
  .distances = find_turtle_distances,
};
