// The bones of the figure, and how it walks: z up, looking along -y, arms held out at rest.
#include "shapes/skeleton.h"

#include "shapes/implicit.h"

enum {
  HIPS,
  SPINE,
  HEAD,
  ARM,
  FOREARM,
  HAND,
  THIGH,
  SHIN,
  FOOT,
  LEFT_COUNT, // those from ARM on have a mirror image on the right
  RIGHT_ARM = LEFT_COUNT,
  RIGHT_THIGH = RIGHT_ARM + 3,
  BONE_COUNT = RIGHT_THIGH + 3
};

static const lbBone left[LEFT_COUNT] = {
  [HIPS] = { "hips", -1, { 0, 0, 0.235 }, { 0, 0, 0.28 }, 0.05 },
  [SPINE] = { "spine", HIPS, { 0, 0, 0.3 }, { 0, 0, 0.39 }, 0.05 },
  [HEAD] = { "head", SPINE, { 0, 0, 0.45 }, { 0, 0, 0.8 }, 0.13 },
  [ARM] = { "arm.L", SPINE, { 0.09, 0, 0.4 }, { 0.18, -0.005, 0.402 }, 0.03 },
  [FOREARM] = { "forearm.L", ARM, { 0.19, -0.005, 0.402 }, { 0.28, -0.01, 0.405 }, 0.03 },
  [HAND] = { "hand.L", FOREARM, { 0.3, -0.01, 0.405 }, { 0.39, -0.012, 0.408 }, 0.04 },
  [THIGH] = { "thigh.L", HIPS, { 0.068, 0, 0.22 }, { 0.08, 0, 0.16 }, 0.035 },
  [SHIN] = { "shin.L", THIGH, { 0.082, 0, 0.15 }, { 0.092, 0, 0.09 }, 0.035 },
  [FOOT] = { "foot.L", SHIN, { 0.094, 0, 0.06 }, { 0.098, -0.09, 0.03 }, 0.05 },
};

static const char *const right_names[LEFT_COUNT] = {
  [ARM] = "arm.R",     [FOREARM] = "forearm.R", [HAND] = "hand.R",
  [THIGH] = "thigh.R", [SHIN] = "shin.R",       [FOOT] = "foot.R",
};

static lbVec3 scaled(const lbShapeDef *def, lbVec3 p) {
  lbVec3 low = lb_figure.low, side = lb_sub(lb_figure.high, lb_figure.low);
  return lb_vec3((p.x - low.x) * def->size[0] / side.x, (p.y - low.y) * def->size[1] / side.y,
                 (p.z - low.z) * def->size[2] / side.z);
}

static lbBone mirrored(int32_t bone) {
  lbBone made = left[bone];
  made.name = right_names[bone];
  if (made.parent >= ARM) made.parent += RIGHT_ARM - ARM;
  made.head.x = -made.head.x;
  made.tail.x = -made.tail.x;
  return made;
}

lbStatus lb_shape_skeleton(const lbShapeDef *def, lbSkeleton *out, lbError *err) {
  if (def->shape != LB_SHAPE_FIGURE)
    return lb_fail(err, LB_ERR_UNSUPPORTED, "the shape \"%s\" has no skeleton, \"figure\" has one",
                   lb_shape_name(def->shape));
  double stretch = fmin(fmin(def->size[0] / 0.87, def->size[1] / 0.42), def->size[2]);
  out->count = BONE_COUNT;
  for (int32_t k = 0; k < BONE_COUNT; k++) {
    lbBone bone = k < LEFT_COUNT ? left[k] : mirrored(k - (RIGHT_ARM - ARM));
    bone.head = scaled(def, bone.head);
    bone.tail = scaled(def, bone.tail);
    bone.radius *= stretch;
    out->bones[k] = bone;
  }
  return LB_OK;
}

// ---- the walk ----------------------------------------------------------------------------------

static lbQuat about_x(double angle) { return lb_quat_from_axis_angle(lb_vec3(1, 0, 0), angle); }
static lbQuat about_y(double angle) { return lb_quat_from_axis_angle(lb_vec3(0, 1, 0), angle); }
static lbQuat about_z(double angle) { return lb_quat_from_axis_angle(lb_vec3(0, 0, 1), angle); }

// Turns of a leg whose thigh swings forward (about x: negative) by sin. Its knee is bent while the
// thigh comes forward, its foot half makes up for both.
static void turn_leg(double sine, double cosine, lbQuat *thigh) {
  double swing = -0.45 * sine, bend = cosine > 0 ? 0.75 * cosine * cosine : 0;
  thigh[0] = about_x(swing);
  thigh[1] = about_x(bend + 0.08);
  thigh[2] = about_x(-0.6 * (swing + bend));
}

// An arm hangs down, `side` 1: left, and swings back by sin.
static void turn_arm(double sine, double side, lbQuat *arm) {
  arm[0] = lb_quat_multiply(about_x(0.4 * sine), about_y(1.0 * side));
  arm[1] = about_x(-0.25 + 0.15 * sine);
  arm[2] = lb_quat_identity();
}

void lb_figure_walk(const lbSkeleton *skeleton, double phase, double *poses) {
  double angle = 2 * 3.14159265358979323846 * phase, s = sin(angle), c = cos(angle);
  lbQuat turns[BONE_COUNT], whole[BONE_COUNT];
  lbVec3 places[BONE_COUNT];
  turns[HIPS] = about_z(-0.1 * s);
  turns[SPINE] = lb_quat_multiply(about_z(0.2 * s), about_x(-0.04));
  turns[HEAD] = lb_quat_multiply(about_z(-0.1 * s), about_x(0.03 * cos(2 * angle)));
  turn_arm(s, 1, &turns[ARM]);
  turn_arm(-s, -1, &turns[RIGHT_ARM]);
  turn_leg(s, c, &turns[THIGH]);
  turn_leg(-s, -c, &turns[RIGHT_THIGH]);
  for (int32_t k = 0; k < skeleton->count; k++) {
    const lbBone *bone = &skeleton->bones[k];
    if (bone->parent < 0) { // lowest where the legs are farthest apart
      double height = skeleton->bones[HEAD].tail.z - bone->head.z;
      whole[k] = turns[k];
      places[k] = lb_add(bone->head, lb_vec3(0, 0, 0.02 * height * (cos(2 * angle) - 1)));
    } else {
      lbVec3 arm = lb_sub(bone->head, skeleton->bones[bone->parent].head);
      whole[k] = lb_quat_normalise(lb_quat_multiply(whole[bone->parent], turns[k]));
      places[k] = lb_add(places[bone->parent], lb_quat_rotate(whole[bone->parent], arm));
    }
    lb_vec3_store(poses + 7 * k, places[k]);
    poses[7 * k + 3] = whole[k].x, poses[7 * k + 4] = whole[k].y;
    poses[7 * k + 5] = whole[k].z, poses[7 * k + 6] = whole[k].w;
  }
}
