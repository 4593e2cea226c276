// Solids against solids: which pair of kinds is tested how, and the simplest pairs.
#include "collide/pair.h"

static int kind_rank(const lbSolid *solid) {
  static const int ranks[LB_SOLID_KIND_COUNT] = {
    [LB_SOLID_PLANE] = 0, [LB_SOLID_SPHERE] = 1, [LB_SOLID_CAPSULE] = 2,
    [LB_SOLID_BOX] = 3,   [LB_SOLID_HULL] = 3,   [LB_SOLID_MESH] = 4
  };
  return ranks[solid->kind];
}

void lb_pair_add_from_b(lbSolidPair *pair, lbVec3 on_b, lbVec3 normal, double gap,
                        int32_t feature) {
  lbSolidTouch touch = { .gap = gap, .feature = feature };
  touch.normal = lb_mat3_apply(pair->frame.rotation, normal);
  touch.on_solid = lb_solid_to_world(&pair->frame, on_b);
  touch.on_triangle = lb_add_scaled(touch.on_solid, gap, touch.normal);
  lb_touch_list_add(&pair->list, &touch);
}

// The centre of a sphere against any convex solid.
static void sphere_convex(lbSolidPair *pair) {
  lbVec3 centre = lb_solid_to_own(&pair->frame, lb_vec3(0, 0, 0)), normal;
  double radius = pair->a->radius;
  double distance = lb_solid_distance_within(pair->b, centre, radius + pair->margin, &normal);
  if (!(distance - radius < pair->margin)) return;
  lb_pair_add_from_b(pair, lb_add_scaled(centre, -distance, normal), normal, distance - radius, 0);
}

// The place at s of a's core against b's core.
static void capsule_place(lbSolidPair *pair, double s, int32_t feature) {
  const lbSolid *a = pair->a, *b = pair->b;
  lbVec3 along = lb_mat3_column(pair->frame.rotation, 2);
  lbVec3 at = lb_vec3(0, 0, (2 * s - 1) * a->half[2]);
  double t = lb_clamp(lb_dot(lb_sub(at, pair->frame.position), along), -b->half[2], b->half[2]);
  lbVec3 apart = lb_sub(at, lb_add_scaled(pair->frame.position, t, along));
  lbVec3 side = lb_cross(lb_vec3(0, 0, 1), along); // crossed cores: square to both
  lbVec3 normal = lb_direction_or(apart, lb_direction_or(side, lb_vec3(1, 0, 0)));
  double gap = lb_length(apart) - a->radius - b->radius;
  if (!(gap < pair->margin)) return;
  lbVec3 on_a = lb_add_scaled(at, -a->radius, normal);
  lbSolidTouch touch = {
    { 0, 0, 0 }, on_a, lb_add_scaled(on_a, -gap, normal), normal, gap, feature
  };
  lb_touch_list_add(&pair->list, &touch);
}

// Side by side: both ends of the stretch.
static void capsule_capsule(lbSolidPair *pair) {
  double half = pair->a->half[2], other = pair->b->half[2], s, t;
  lbVec3 along = lb_mat3_column(pair->frame.rotation, 2);
  lbVec3 from = lb_add_scaled(pair->frame.position, -other, along);
  lbVec3 core = lb_vec3(0, 0, 2 * half), other_core = lb_scale(2 * other, along);
  bool side_by_side = half > 0 && other > 0 &&
                      along.x * along.x + along.y * along.y < LB_CONE_SLACK * LB_CONE_SLACK;
  if (side_by_side) {
    double first = 0.5 + 0.5 * from.z / half, last = first + other * along.z / half;
    capsule_place(pair, lb_clamp(lb_lesser(first, last), 0, 1), 1);
    capsule_place(pair, lb_clamp(lb_greater(first, last), 0, 1), 2);
    if (pair->list.count == 2) return;
    pair->list.count = 0;
  }
  lb_segments_closest(lb_vec3(0, 0, -half), core, from, other_core, &s, &t);
  capsule_place(pair, s, 0);
}

static void touch(lbSolidPair *pair) {
  int rank_a = kind_rank(pair->a), rank_b = kind_rank(pair->b);
  if (rank_a == 0 && rank_b == 0) return;
  if (rank_a == 0)
    lb_pair_plane(pair);
  else if (rank_b == 4)
    lb_pair_mesh(pair);
  else if (rank_a == 1)
    sphere_convex(pair);
  else if (rank_a == 2 && rank_b == 2)
    capsule_capsule(pair);
  else if (rank_a == 2)
    lb_pair_capsule_convex(pair);
  else
    lb_touch_convex(pair->a, pair->b, &pair->frame, pair->margin, &pair->list);
}

int32_t lb_solids_touch(const lbSolid *a, const lbSolidFrame *frame_a, const lbSolid *b,
                        const lbSolidFrame *frame_b, double margin,
                        lbSolidPairTouch out[LB_PAIR_TOUCHES]) {
  bool swap = kind_rank(a) > kind_rank(b);
  const lbSolidFrame *first = swap ? frame_b : frame_a, *second = swap ? frame_a : frame_b;
  lbSolidPair pair;
  pair.a = swap ? b : a, pair.b = swap ? a : b;
  pair.margin = margin;
  pair.frame.rotation = lb_mat3_multiply(lb_mat3_transpose(first->rotation), second->rotation);
  pair.frame.position = lb_solid_to_own(first, second->position);
  lbVec3 apart = lb_sub(lb_solid_to_world(&pair.frame, pair.b->centre), pair.a->centre);
  double reach = pair.a->reach + pair.b->reach + margin;
  if (!(lb_dot(apart, apart) <= reach * reach)) return 0;
  pair.list.count = 0;
  pair.list.length = 0.5 * lb_lesser(pair.a->reach, pair.b->reach);
  touch(&pair);
  lbSolidTouch found[LB_PAIR_TOUCHES];
  int32_t count = lb_touch_list_take(&pair.list, LB_PAIR_TOUCHES, found);
  for (int32_t i = 0; i < count; i++) {
    lbVec3 on_first = lb_solid_to_world(first, found[i].on_triangle);
    lbVec3 on_second = lb_solid_to_world(first, found[i].on_solid);
    lbVec3 normal = lb_mat3_apply(first->rotation, found[i].normal);
    out[i] =
        (lbSolidPairTouch){ swap ? on_second : on_first, swap ? on_first : on_second,
                            swap ? lb_scale(-1, normal) : normal, found[i].gap, found[i].feature };
  }
  return count;
}

bool lb_solids_overlap(const lbSolid *a, const lbSolidFrame *frame_a, const lbSolid *b,
                       const lbSolidFrame *frame_b) {
  if (a->kind == LB_SOLID_PLANE && b->kind == LB_SOLID_PLANE) { // unless back to back
    lbVec3 up_a = lb_mat3_column(frame_a->rotation, 2), up_b = lb_mat3_column(frame_b->rotation, 2);
    lbVec3 apart = lb_sub(frame_b->position, frame_a->position);
    return lb_dot(up_a, up_b) > -1 + 1e-12 || lb_dot(apart, up_a) <= 0;
  }
  lbSolidPairTouch touches[LB_PAIR_TOUCHES];
  double margin = 1e-12 * lb_lesser(a->reach, b->reach); // touching counts
  int32_t count = lb_solids_touch(a, frame_a, b, frame_b, margin, touches);
  return count > 0;
}
