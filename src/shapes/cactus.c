// A saguaro: a ribbed column with two arms that bend upwards, and blossoms on the tips. Lengths in
// heights of the plant; z up, the arms' plane turned a little out of y = 0.
#include "shapes/implicit.h"

#define RIBS 10
#define ARM_RIBS 7

typedef struct Arm {
  double height, reach, bend, tip, radius; // where it leaves, how far out, of the bend; its end
  double cosine, sine;                     // direction seen from above
} Arm;

static const Arm arms[2] = {
  { 0.34, 0.33, 0.13, 0.685, 0.078, 0.98, -0.199 },
  { 0.47, 0.295, 0.11, 0.78, 0.07, -0.98, -0.199 },
};

// Ribs as a wave around, which fades where the tip closes: f is 0 there.
static double ribbed(double distance, double angle, int ribs, double depth, double f) {
  double fade = fmin(1, fmax(0, f)), c = cos(0.5 * ribs * angle);
  double wave = sqrt(c * c + 0.15); // round backs, narrower grooves
  return distance + depth * fade * fade * (0.74 - wave);
}

static double column(lbVec3 p) {
  lbVec3 foot = { 0, 0, -0.2 }, tip = { 0, 0, 0.845 };
  double d = lb_distance_capsule(p, foot, tip, 0.112, 0.125);
  double rise = fmax(0, p.z - tip.z), out = sqrt(p.x * p.x + p.y * p.y);
  return ribbed(d, atan2(p.y, p.x), RIBS, 0.028, (out + 0.02) / (0.09 + 0.3 * rise));
}

// Along the arm's middle line (level, a quarter circle, upright): distance, and the angle around.
static double arm(const Arm *arm, lbVec3 q) {
  lbVec3 p = { arm->cosine * q.x + arm->sine * q.y, -arm->sine * q.x + arm->cosine * q.y, q.z };
  double cx = arm->reach - arm->bend, cz = arm->height + arm->bend, outside, past = 0;
  if (p.z > cz && p.x > cx - arm->bend) {
    outside = p.x - arm->reach; // upright
    past = fmax(0, p.z - arm->tip);
  } else if (p.x < cx) {
    outside = arm->height - p.z; // level
    past = fmin(0, p.x);         // its beginning is within the column
  } else {
    outside = sqrt((p.x - cx) * (p.x - cx) + (p.z - cz) * (p.z - cz)) - arm->bend;
  }
  double across = sqrt(outside * outside + p.y * p.y);
  double d = sqrt(across * across + past * past) - arm->radius;
  double angle = atan2(p.y, outside);
  return ribbed(d, angle, ARM_RIBS, 0.02, (across + 0.01) / (0.055 + 0.3 * fabs(past)));
}

// Six round petals, bent upwards, around a dome.
static double blossom(lbVec3 p, lbVec3 at, double radius) {
  lbVec3 q = lb_scale(1 / radius, lb_sub(p, at));
  if (lb_dot(q, q) > 4) return radius * (lb_length(q) - 1.3); // far away: a lower bound
  double out = sqrt(q.x * q.x + q.y * q.y), sector = LB_PI / 3;
  double angle = atan2(q.y, q.x), turned = angle - sector * round(angle / sector);
  lbVec3 petal = { out * cos(turned), out * sin(turned), q.z - 0.4 * out * out };
  double d = lb_distance_ellipsoid(petal, lb_vec3(0.55, 0, 0.05), lb_vec3(0.45, 0.33, 0.27));
  double dome = lb_distance_ellipsoid(q, lb_vec3(0, 0, 0.05), lb_vec3(0.36, 0.36, 0.42));
  return radius * 0.75 * lb_distance_join(d, dome, 0.12);
}

static void find_cactus_distances(lbVec3 p, double *parts) {
  double plant = lb_distance_join(column(p), arm(&arms[0], p), 0.05);
  plant = lb_distance_join(plant, arm(&arms[1], p), 0.05);
  parts[0] = lb_distance_meet(plant, -p.z, 0.03);
  parts[1] = blossom(p, lb_vec3(0, 0, 0.955), 0.11);
  for (int i = 0; i < 2; i++) {
    const Arm *a = &arms[i];
    lbVec3 tip = { a->reach * a->cosine, a->reach * a->sine, a->tip + a->radius };
    parts[1] = fmin(parts[1], blossom(p, tip, 0.085));
  }
}

const lbImplicit lb_cactus = {
  .low = { -0.3729, -0.1447, 0 },
  .high = { 0.4071, 0.1288, 1.0148 },
  .blend = 0.012,
  .cells_a_row = 0.8,
  .part_count = 2,
  .parts = { { "plant", "plant", { 0.09, 0.32, 0.1 }, 0.7F },
             { "blossom", "plant", { 0.85, 0.12, 0.28 }, 0.6F } },
  .distances = find_cactus_distances,
};
