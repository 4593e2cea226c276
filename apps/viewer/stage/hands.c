// Hands: pointers that grab, pin, poke and push. A grab is a spring between a place of the surface
// and the point under the pointer, in the plane through where it was grabbed that faces the camera;
// a pin is a much stiffer one that stays; both act on every copy of the body in a comparison.
#include "stage/pose.h"
#include "stage/stage_parts.h"

#include <string.h>

#define GRAB_STIFFNESS 30.0  // times the body's own at the place: it lags by a thirtieth
#define PIN_STIFFNESS 3000.0 // likewise
#define BALL_STIFFNESS 300.0 // times the body's own where it is softest
#define STIFF_PLACE 0.05 // places stiffer than this, of the softest, count as this: no lever there
#define FARTHEST 10.0    // sizes of the scene that a target may be from where it was grabbed
#define PIN_REACH 14.0   // pixels around a pin in which a press selects it

// ---- pulls -------------------------------------------------------------------------------------

static vwPull pull_of(const vwStage *stage, const vwHand *hand, const vwActor *actor) {
  vwPull pull = { .point = hand->point };
  double compliance, mobility;
  vw_actor_softness(actor, hand->member, hand->point, &compliance, &mobility);
  compliance = fmax(compliance, STIFF_PLACE * actor->compliance);
  mobility = fmax(mobility, STIFF_PLACE * actor->mobility);
  if (!(compliance > 0) || !(mobility > 0)) { // unknown: a spring that moves it in 1/10 s
    compliance = 1 / (fmax(actor->model->rigid_mass[0], 1e-9) * 100);
    mobility = 1 / fmax(actor->model->rigid_mass[0], 1e-9);
  }
  double factor =
      hand->kind == VW_HOLD_PIN ? PIN_STIFFNESS : GRAB_STIFFNESS * stage->settings.grab_stiffness;
  pull.stiffness = factor / compliance;
  pull.damping = sqrt(pull.stiffness / mobility);
  return pull;
}

static lbStatus attach_hand(vwStage *stage, vwHand *hand, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0, copy = 0; i < stage->cast.count; i++) {
    const vwRole *role = &stage->cast.roles[i];
    if (role->group != hand->group) continue;
    vwPull pull = pull_of(stage, hand, role->actor);
    pull.target = lb_add(hand->target, role->shift);
    int32_t *id = &hand->ids[copy++];
    *id = -1;
    if (role->actor->idle) continue;
    lbStatus added = vw_actor_add_pull(role->actor, hand->member, &pull, id, err);
    if (added) *id = -1, status = added;
  }
  return status;
}

typedef void HandTask(vwActor *actor, const vwRole *role, vwHand *hand, int32_t id);

static void each_pull(vwStage *stage, vwHand *hand, HandTask *task) {
  if (hand->kind == VW_HOLD_BALL) return;
  for (int32_t i = 0, copy = 0; i < stage->cast.count; i++) {
    const vwRole *role = &stage->cast.roles[i];
    if (role->group != hand->group) continue;
    int32_t id = hand->ids[copy++];
    if (id >= 0) task(role->actor, role, hand, id);
  }
}

static void drop_task(vwActor *actor, const vwRole *role, vwHand *hand, int32_t id) {
  (void)role;
  vw_actor_drop_pull(actor, hand->member, id);
}

static void move_task(vwActor *actor, const vwRole *role, vwHand *hand, int32_t id) {
  vw_actor_move_pull(actor, hand->member, id, lb_add(hand->target, role->shift));
}

static void drop_hand(vwStage *stage, vwHand *hand) {
  if (hand->kind == VW_HOLD_GRAB) vw_sketch_add(stage, hand);
  each_pull(stage, hand, drop_task);
  hand->used = false;
}

void vw_hands_attach(vwStage *stage) {
  for (int32_t h = 0; h < VW_HANDS; h++) {
    vwHand *hand = &stage->hands[h];
    if (!hand->used) continue;
    // The role where the drag began may no longer exist: continue at another of its group.
    for (int32_t i = stage->cast.count; i-- > 0;)
      if (stage->cast.roles[i].group == hand->group) hand->role = i;
    if (hand->kind != VW_HOLD_BALL) (void)attach_hand(stage, hand, NULL);
  }
}

void vw_hands_regrip(vwStage *stage) {
  for (int32_t h = 0; h < VW_HANDS; h++) {
    vwHand *hand = &stage->hands[h];
    if (!hand->used || hand->kind != VW_HOLD_GRAB) continue;
    each_pull(stage, hand, drop_task);
    (void)attach_hand(stage, hand, NULL);
  }
}

// ---- steps -------------------------------------------------------------------------------------

static void push_actor(const vwStage *stage, const vwRole *role, lbBall ball, vwHand *hand) {
  vwActor *actor = role->actor;
  double compliance = actor->compliance;
  ball.centre = lb_add(ball.centre, role->shift);
  ball.stiffness = compliance > 0 ? BALL_STIFFNESS / compliance
                                  : 1e4 * actor->model->rigid_mass[0] * 9.81 / stage->size;
  for (int32_t b = 0; b < actor->count && !actor->idle; b++)
    hand->force =
        lb_add(hand->force, vw_actor_push(actor, b, stage->cast.world, &ball, stage->clock.step));
}

// A ball goes to where the pointer is by a fifth of its radius a step at most: it must not jump
// over what it should push.
void vw_hands_before_step(vwStage *stage) {
  double dt = stage->clock.step;
  for (int32_t h = 0; h < VW_HANDS; h++) {
    vwHand *hand = &stage->hands[h];
    if (!hand->used || hand->kind != VW_HOLD_BALL) continue;
    lbVec3 way = lb_sub(hand->target, hand->centre);
    double length = lb_length(way), most = 0.2 * hand->radius;
    if (length > most) way = lb_scale(most / length, way);
    hand->centre = lb_add(hand->centre, way);
    hand->force = lb_vec3(0, 0, 0);
    lbBall ball = { hand->centre, lb_scale(1 / dt, way), hand->radius, 0 };
    for (int32_t i = 0; i < stage->cast.count; i++)
      push_actor(stage, &stage->cast.roles[i], ball, hand);
  }
}

static lbVec3 hand_force(const vwStage *stage, const vwHand *hand, int32_t role) {
  if (hand->kind == VW_HOLD_BALL) return hand->force;
  for (int32_t i = 0, copy = 0; i < stage->cast.count; i++) {
    if (stage->cast.roles[i].group != hand->group) continue;
    int32_t id = hand->ids[copy++];
    vwActor *actor = stage->cast.roles[i].actor;
    if (i == role) return id >= 0 ? vw_actor_pull_force(actor, hand->member, id) : lb_vec3(0, 0, 0);
  }
  return lb_vec3(0, 0, 0);
}

void vw_hands_after_step(vwStage *stage) {
  for (int32_t h = 0; h < VW_HANDS && stage->sketch.open; h++) {
    vwHand *hand = &stage->hands[h];
    if (!hand->used || hand->kind != VW_HOLD_GRAB) continue;
    const vwActor *actor = stage->cast.roles[hand->role].actor;
    lbFrame frame = vw_actor_frame(actor, hand->member);
    lbVec3 force =
        lb_quat_rotate(lb_quat_conjugate(frame.rotation), hand_force(stage, hand, hand->role));
    if (lb_length(force) > lb_length(hand->strongest)) hand->strongest = force;
  }
}

// ---- picking -----------------------------------------------------------------------------------

static bool find_hand_body(const vwStage *stage, lbBodyId id, int32_t *role, int32_t *body) {
  for (*role = 0; *role < stage->cast.count; ++*role) {
    const vwActor *actor = stage->cast.roles[*role].actor;
    for (*body = 0; actor->ids && *body < actor->count; ++*body)
      if (actor->ids[*body] == id) return true;
  }
  return false;
}

bool vw_stage_pick(vwStage *stage, lbVec3 origin, lbVec3 direction, int32_t *actor, int32_t *body,
                   lbPick *pick) {
  lbBodyId id = 0;
  direction = lb_normalise(direction);
  if (lb_world_pick(stage->cast.world, origin, direction, &id, pick, NULL)) return false;
  return id && find_hand_body(stage, id, actor, body);
}

// ---- pointers ----------------------------------------------------------------------------------

static bool is_place(double x, double y) { return fabs(x) < 1e9 && fabs(y) < 1e9; }

static vwHand *hand_of(vwStage *stage, int32_t pointer) {
  for (int32_t h = 0; h < VW_HANDS; h++)
    if (stage->hands[h].used && stage->hands[h].pointer == pointer) return &stage->hands[h];
  return NULL;
}

static vwHand *free_hand(vwStage *stage) {
  for (int32_t h = 0; h < VW_HANDS; h++)
    if (!stage->hands[h].used) return &stage->hands[h];
  vw_stage_say(stage, "All hands are in use: release some pins first");
  return NULL;
}

static bool poke(vwStage *stage, int32_t role, int32_t body, const lbPick *pick, lbVec3 direction) {
  bool done = false;
  for (int32_t i = 0; i < stage->cast.count; i++) {
    vwActor *actor = stage->cast.roles[i].actor;
    if (stage->cast.roles[i].group != stage->cast.roles[role].group || actor->idle) continue;
    vw_actor_strike(actor, body, pick->point, lb_scale(stage->settings.poke, direction));
    done = true;
  }
  return done;
}

static bool begin_hold(vwStage *stage, int32_t pointer, vwHoldKind kind, int32_t role, int32_t body,
                       const lbPick *pick, lbVec3 direction) {
  vwHand *hand = free_hand(stage);
  lbError err;
  if (!hand) return false;
  lbVec3 base = lb_sub(pick->position, stage->cast.roles[role].shift);
  *hand = (vwHand){ .kind = kind,
                    .pointer = pointer,
                    .role = role,
                    .group = stage->cast.roles[role].group,
                    .member = body,
                    .point = pick->point,
                    .anchor = base,
                    .target = base };
  if (kind == VW_HOLD_BALL) {
    hand->radius = stage->settings.ball * stage->size;
    hand->anchor = hand->target = hand->centre = lb_add_scaled(base, -hand->radius, direction);
  } else if (attach_hand(stage, hand, &err)) {
    drop_hand(stage, hand);
    vw_stage_say(stage, "This body cannot be held at more points: release some pins first");
    return false;
  }
  hand->used = true;
  return true;
}

bool vw_stage_press(vwStage *stage, int32_t pointer, vwTool tool, const vwView *view, double x,
                    double y) {
  lbVec3 origin, direction;
  int32_t role, body;
  lbPick pick;
  if (!is_place(x, y)) return false;
  if (pointer >= 0) (void)vw_stage_release(stage, pointer, false);
  if (tool == VW_TOOL_POSE)
    return stage->settings.mode == 0 && vw_pose_press(stage, pointer, view, x, y);
  if (vw_stage_posing(stage)) return false;
  if (tool == VW_TOOL_PIN && vw_stage_unpin(stage, view, x, y)) return true;
  if (tool == VW_TOOL_FRAME) return stage->settings.mode == 0 && vw_frames_press(stage, view, x, y);
  vw_view_ray(view, x, y, &origin, &direction);
  if (!vw_stage_pick(stage, origin, direction, &role, &body, &pick)) return false;
  if (tool == VW_TOOL_GRAB) vw_frames_choose_near(stage, role, body, pick.position);
  if (stage->cast.roles[role].actor->idle || stage->settings.mode > 0) return false;
  switch (tool) {
  case VW_TOOL_GRAB: return begin_hold(stage, pointer, VW_HOLD_GRAB, role, body, &pick, direction);
  case VW_TOOL_PIN: return begin_hold(stage, pointer, VW_HOLD_PIN, role, body, &pick, direction);
  case VW_TOOL_POKE: return poke(stage, role, body, &pick, direction);
  case VW_TOOL_PUSH: return begin_hold(stage, pointer, VW_HOLD_BALL, role, body, &pick, direction);
  default: return false;
  }
}

bool vw_stage_move(vwStage *stage, int32_t pointer, const vwView *view, double x, double y) {
  vwHand *hand = hand_of(stage, pointer);
  lbVec3 origin, direction;
  if (pointer < 0 || !is_place(x, y)) return false;
  if (vw_pose_move(stage, pointer, view, x, y)) return true;
  if (!hand) return false;
  vw_view_ray(view, x, y, &origin, &direction);
  lbVec3 shift = stage->cast.roles[hand->role].shift, anchor = lb_add(hand->anchor, shift);
  double toward = lb_dot(direction, view->forward);
  double distance = lb_dot(lb_sub(anchor, origin), view->forward) / toward;
  if (!(toward > 1e-6) || !(distance > 0)) return false;
  lbVec3 way = lb_sub(lb_add_scaled(origin, distance, direction), anchor);
  double length = lb_length(way), most = FARTHEST * stage->size;
  if (!isfinite(length)) return false;
  hand->target = lb_add_scaled(hand->anchor, length > most ? most / length : 1, way);
  each_pull(stage, hand, move_task);
  return true;
}

// A pin holds the place where it is now.
static void turn_into_pin(vwStage *stage, vwHand *hand) {
  const vwRole *role = &stage->cast.roles[hand->role];
  if (hand->kind == VW_HOLD_GRAB) {
    vw_sketch_add(stage, hand);
    each_pull(stage, hand, drop_task);
    hand->kind = VW_HOLD_PIN;
    hand->target = lb_sub(vw_actor_point(role->actor, hand->member, hand->point), role->shift);
    (void)attach_hand(stage, hand, NULL);
  }
  hand->pointer = -1;
}

bool vw_stage_release(vwStage *stage, int32_t pointer, bool keep) {
  vwHand *hand = hand_of(stage, pointer);
  if (pointer >= 0 && vw_pose_release(stage, pointer)) return true;
  if (!hand || pointer < 0) return false;
  if (hand->kind == VW_HOLD_PIN || (keep && hand->kind == VW_HOLD_GRAB))
    turn_into_pin(stage, hand);
  else
    drop_hand(stage, hand);
  return true;
}

void vw_stage_release_all(vwStage *stage) {
  vw_pose_end(stage);
  for (int32_t h = 0; h < VW_HANDS; h++)
    if (stage->hands[h].used) drop_hand(stage, &stage->hands[h]);
}

bool vw_stage_unpin(vwStage *stage, const vwView *view, double x, double y) {
  vwHand *nearest = NULL;
  double best = PIN_REACH;
  for (int32_t i = 0; i < vw_stage_hold_count(stage) && is_place(x, y); i++) {
    vwHold hold = vw_stage_hold(stage, i);
    double px, py;
    if (hold.kind != VW_HOLD_PIN || !vw_view_project(view, hold.point, &px, &py)) continue;
    double away = hypot(px - x, py - y);
    if (away > best) continue;
    best = away;
    nearest = &stage->hands[hold.hand];
  }
  if (nearest) drop_hand(stage, nearest);
  return nearest != NULL;
}

// ---- their state, for drawing ------------------------------------------------------------------

// A hold is a hand and one of the copies that it acts on; a ball is shown in each copy too.
static bool find_hold(const vwStage *stage, int32_t index, int32_t *hand, int32_t *role,
                      int32_t *count) {
  *count = 0;
  for (int32_t h = 0; h < VW_HANDS; h++)
    for (int32_t i = 0; i < stage->cast.count && stage->hands[h].used; i++) {
      if (stage->cast.roles[i].group != stage->hands[h].group) continue;
      if ((*count)++ != index) continue;
      *hand = h;
      *role = i;
      return true;
    }
  return false;
}

int32_t vw_stage_hold_count(const vwStage *stage) {
  int32_t hand, role, count;
  find_hold(stage, -1, &hand, &role, &count);
  return count;
}

vwHold vw_stage_hold(const vwStage *stage, int32_t index) {
  vwHold hold = { 0 };
  int32_t number, i, count;
  if (!find_hold(stage, index, &number, &i, &count)) return hold;
  const vwHand *hand = &stage->hands[number];
  const vwRole *role = &stage->cast.roles[i];
  hold.kind = hand->kind;
  hold.hand = number;
  hold.actor = i;
  hold.body = hand->member;
  hold.radius = hand->radius;
  hold.target = lb_add(hand->target, role->shift);
  hold.force = hand_force(stage, hand, i);
  if (hand->kind == VW_HOLD_BALL)
    hold.point = lb_add(hand->centre, role->shift);
  else
    hold.point = vw_actor_point(role->actor, hand->member, hand->point);
  return hold;
}
