// A little person with a big head under a bobble hat, arms held out, looking along -y. Lengths in
// heights; symmetric in x, standing on z = 0.
#include "shapes/implicit.h"

enum { HEAD, HANDS, HAT, FACE, SHIRT, TROUSERS, SHOES, PART_COUNT };

static double head(lbVec3 q) {
  double d = lb_distance_ellipsoid(q, lb_vec3(0, 0, 0.61), lb_vec3(0.2, 0.18, 0.175));
  double cheek = lb_distance_ball(q, lb_vec3(0.09, -0.085, 0.555), 0.085);
  double ear = lb_distance_ellipsoid(q, lb_vec3(0.2, 0.01, 0.6), lb_vec3(0.035, 0.035, 0.048));
  double nose = lb_distance_ball(q, lb_vec3(0, -0.185, 0.582), 0.03);
  double neck = lb_distance_capsule(q, lb_vec3(0, 0, 0.4), lb_vec3(0, 0, 0.5), 0.07, 0.07);
  d = lb_distance_join(d, cheek, 0.08);
  d = lb_distance_join(d, ear, 0.02);
  d = lb_distance_join(d, neck, 0.03);
  return lb_distance_join(d, nose, 0.012);
}

// A dome with a turned-up band and a bobble.
static double hat(lbVec3 q) {
  double out = sqrt(q.x * q.x + q.y * q.y * 1.21);
  double dome = lb_distance_ellipsoid(q, lb_vec3(0, 0.008, 0.665), lb_vec3(0.205, 0.188, 0.19));
  dome = lb_distance_meet(dome, 0.675 - q.z - 0.12 * q.y, 0.02);
  double dz = q.z + 0.12 * q.y - 0.69, dr = out - 0.19;
  double ribs = 0.006 * cos(18 * atan2(q.y * 1.1, q.x));
  double band = sqrt(dr * dr + 0.55 * dz * dz) - 0.03 - ribs;
  double bobble = lb_distance_ball(q, lb_vec3(0, 0.02, 0.925), 0.075);
  return lb_distance_join(lb_distance_join(dome, 0.85 * band, 0.015), bobble, 0.03);
}

static double shirt(lbVec3 q) {
  double d = lb_distance_capsule(q, lb_vec3(0, 0, 0.285), lb_vec3(0, 0, 0.39), 0.125, 0.092);
  double arm =
      lb_distance_capsule(q, lb_vec3(0.07, 0, 0.4), lb_vec3(0.29, -0.01, 0.405), 0.052, 0.055);
  double cuff =
      lb_distance_capsule(q, lb_vec3(0.292, -0.01, 0.405), lb_vec3(0.3, -0.01, 0.405), 0.06, 0.06);
  d = lb_distance_join(d, arm, 0.06);
  return lb_distance_join(d, cuff, 0.015);
}

static double hand(lbVec3 q) {
  double palm = lb_distance_ellipsoid(q, lb_vec3(0.375, -0.012, 0.408), lb_vec3(0.06, 0.05, 0.052));
  double thumb = lb_distance_capsule(q, lb_vec3(0.355, -0.03, 0.43), lb_vec3(0.36, -0.05, 0.468),
                                     0.026, 0.022);
  return lb_distance_join(palm, thumb, 0.025);
}

static double trousers(lbVec3 q) {
  double hip = lb_distance_ellipsoid(q, lb_vec3(0, 0, 0.245), lb_vec3(0.132, 0.122, 0.085));
  double leg = lb_distance_capsule(q, lb_vec3(0.068, 0, 0.23), lb_vec3(0.09, 0, 0.1), 0.068, 0.062);
  return lb_distance_join(hip, leg, 0.03);
}

static double shoe(lbVec3 q) {
  double d = lb_distance_ellipsoid(q, lb_vec3(0.098, -0.04, 0.03), lb_vec3(0.076, 0.12, 0.062));
  double heel = lb_distance_ball(q, lb_vec3(0.094, 0.005, 0.055), 0.064);
  d = lb_distance_join(d, heel, 0.04);
  return lb_distance_meet(d, -q.z, 0.02);
}

// Two eyes, and a smile painted on the head.
static double face(lbVec3 q, double head) {
  lbVec3 radii = { 0.025, 0.022, 0.033 };
  double eye = lb_distance_ellipsoid(q, lb_vec3(0.072, -0.167, 0.617), radii);
  if (q.y > -0.08) return eye;
  return fmin(eye, head + 0.3 * lb_distance_arc(q.x, q.z - 0.515, 0.055, 18, 0.0105));
}

static void find_figure_distances(lbVec3 p, double *parts) {
  lbVec3 q = { fabs(p.x), p.y, p.z };
  parts[HEAD] = head(q);
  parts[HANDS] = hand(q);
  parts[HAT] = hat(q);
  parts[FACE] = face(q, parts[HEAD]);
  parts[SHIRT] = shirt(q);
  parts[TROUSERS] = trousers(q);
  parts[SHOES] = shoe(q);
}

const lbImplicit lb_figure = {
  .low = { -0.4348, -0.2143, 0 },
  .high = { 0.4348, 0.2024, 1 },
  .blend = 0.008,
  .cells_a_row = 0.82,
  .part_count = PART_COUNT,
  .parts = { [HEAD] = { "head", "head", { 0.85, 0.5, 0.32 }, 0.6F },
             [HANDS] = { "hands", "clothes", { 0.85, 0.5, 0.32 }, 0.6F },
             [HAT] = { "hat", "head", { 0.7, 0.06, 0.05 }, 0.9F },
             [FACE] = { "face", "head", { 0.012, 0.01, 0.01 }, 0.15F },
             [SHIRT] = { "shirt", "clothes", { 0.95, 0.6, 0.08 }, 0.85F },
             [TROUSERS] = { "trousers", "clothes", { 0.05, 0.15, 0.42 }, 0.85F },
             [SHOES] = { "shoes", "clothes", { 0.14, 0.05, 0.025 }, 0.5F } },
  .distances = find_figure_distances,
};
