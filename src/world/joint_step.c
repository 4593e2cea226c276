// Joints in a part of a world's step (joint.h): forces of all rows together with those of contacts,
// and impulses when the step is done.
#include "world/joint.h"

#include <string.h>

#define FAR 0.03       // rad that a body turns by in a step
#define TURN_MOST 0.15 // rad: a step in which one turns farther is taken in parts,
#define SWING_MOST 1.0 // rad of phase: the same of one that swings under what joints pull with
#define ROUNDS 8       // of finding out which rows are at their bounds
#define REST_MOST 1e-5 // m, rad: what joints that contradict each other leave, and more, is told

// ---- contacts of jointed bodies, as of one -----------------------------------------------------

// Numbers the contact points of each component.
static void number_places(lbWorld *world) {
  lbWorldJoints *joints = world->linked;
  for (int32_t c = 0; c < joints->component_count; c++) joints->place_counts[c] = 0;
  for (int32_t i = 0; i < joints->body_count; i++) {
    lbJointed *b = &joints->bodies[i];
    b->first_place = joints->place_counts[b->component];
    if (b->toucher < 0) continue;
    joints->place_counts[b->component] += world->touch->touchers[b->toucher].count;
  }
}

// The toucher that stands for all bodies of a component.
int32_t lb_joints_leader(const lbWorldJoints *joints, int32_t component) {
  int32_t i = 0;
  while (joints->bodies[i].component != component) i++;
  return joints->bodies[i].toucher;
}

static void join_sides(lbWorld *world, const lbContactPart *parts) {
  lbWorldJoints *joints = world->linked;
  const lbWorldTouch *touch = world->touch;
  memcpy(joints->sides, touch->sides, 2 * (size_t)touch->contact_count * sizeof *joints->sides);
  memcpy(joints->parts, parts, (size_t)touch->toucher_count * sizeof *joints->parts);
  for (int32_t i = 0; i < 2 * touch->contact_count; i++) {
    lbContactSide *side = &joints->sides[i];
    if (side->body < 0) continue;
    const lbJointed *b = lb_jointed_of(world, touch->touchers[side->body].slot);
    if (!b) continue;
    side->body = lb_joints_leader(joints, b->component);
    side->place += b->first_place;
  }
}

// The part of a component: D of its bodies, less what joints hold back; Z = A⁻¹ Cᵀ in `solved`.
static void join_part(lbWorld *world, int32_t component, const lbContactPart *parts, int32_t n,
                      const double *coupling, const lbRowFactor *factor, double *solved) {
  lbWorldJoints *joints = world->linked;
  size_t places = 3 * (size_t)joints->place_counts[component], rows = (size_t)n;
  double *matrix = joints->merged[component];
  memset(matrix, 0, places * places * sizeof *matrix);
  for (int32_t i = 0; i < joints->body_count; i++) {
    const lbJointed *b = &joints->bodies[i];
    if (b->component != component) continue;
    const lbContactPart *own = &parts[b->toucher];
    size_t m = 3 * (size_t)own->count, at = 3 * (size_t)b->first_place;
    for (size_t k = 0; k < m; k++)
      memcpy(matrix + (at + k) * places + at, own->matrix + k * m, m * sizeof *matrix);
    joints->parts[b->toucher].count = 0;
  }
  for (size_t p = 0; p < places; p++)
    lb_row_factor_solve(factor, coupling + p * rows, solved + p * rows);
  for (size_t p = 0; p < places; p++)
    for (size_t q = 0; q <= p; q++) {
      double back = lb_row_dot(n, coupling + p * rows, solved + q * rows);
      matrix[p * places + q] -= back;
      if (p != q) matrix[q * places + p] -= back;
    }
  int32_t leader = lb_joints_leader(joints, component);
  joints->parts[leader] =
      (lbContactPart){ joints->place_counts[component], matrix, matrix + places * places };
}

// forces (3 places) <- of contacts on the places of a component.
static void gather_forces(const lbWorld *world, int32_t component, const double *x,
                          double *forces) {
  const lbWorldJoints *joints = world->linked;
  const lbWorldTouch *touch = world->touch;
  memset(forces, 0, 3 * (size_t)joints->place_counts[component] * sizeof *forces);
  for (int32_t i = 0; i < 2 * touch->contact_count; i++) {
    lbContactSide side = touch->sides[i];
    const lbJointed *b =
        side.body < 0 ? NULL : lb_jointed_of(world, touch->touchers[side.body].slot);
    if (!b || b->component != component) continue;
    double *to = forces + 3 * (size_t)(b->first_place + side.place);
    for (int k = 0; k < 3; k++) to[k] += i & 1 ? -x[3 * (i / 2) + k] : x[3 * (i / 2) + k];
  }
}

// free <- with how rows with forces y move contacts.
static void move_contacts(const lbWorld *world, int32_t component, int32_t n,
                          const double *coupling, const double *y) {
  lbWorldTouch *touch = world->touch;
  for (int32_t i = 0; i < 2 * touch->contact_count; i++) {
    lbContactSide side = touch->sides[i];
    const lbJointed *b =
        side.body < 0 ? NULL : lb_jointed_of(world, touch->touchers[side.body].slot);
    if (!b || b->component != component) continue;
    for (int k = 0; k < 3; k++) {
      size_t place = (size_t)(3 * (b->first_place + side.place) + k);
      double by = lb_row_dot(n, coupling + place * (size_t)n, y);
      touch->free[3 * (i / 2) + k] += i & 1 ? -by : by;
    }
  }
}

// ---- forces ------------------------------------------------------------------------------------

typedef struct Solving {
  lbWorld *world;
  bool speeds;
  lbContactPart *parts; // of the contacts, body by body
  double *x;            // of the contacts
} Solving;

static double *amount_of(lbJointRow *row, bool speeds) {
  return speeds ? &row->impulse : &row->force;
}

// Bounds of impulses are those of forces over the step; limits that did not act do not act now.
static double low_of(const Solving *s, const lbJointRow *row) {
  double low = fmax(row->low, -row->most);
  return s->speeds ? s->world->h * low : low;
}
static double high_of(const Solving *s, const lbJointRow *row) {
  double high = fmin(row->high, row->most);
  return s->speeds ? s->world->h * high : high;
}

// A and C of a component, its factor, and what is known of the rows: right <- -(b + A x) of rows at
// their bounds.
static lbRowFactor prepare(const Solving *s, int32_t component) {
  lbWorldJoints *joints = s->world->linked;
  int32_t first = joints->row_begin[component], n = joints->row_begin[component + 1] - first;
  lbRowFactor factor = lb_row_factor_place(n, joints->factor_memory, joints->factor_order);
  lb_joints_assemble(s->world, first, n, joints->A);
  lb_joints_couple(s->world, component, joints->coupling);
  for (int32_t i = 0; i < n; i++) {
    lbJointRow *row = &joints->rows[first + i];
    double *amount = amount_of(row, s->speeds);
    joints->used[i] = row->state == 0;
    if (row->state < 0) *amount = low_of(s, row);
    if (row->state > 0) *amount = high_of(s, row);
  }
  for (int32_t i = 0; i < n; i++) {
    const double *A = joints->A + (size_t)i * (size_t)n;
    joints->right[i] = -joints->rows[first + i].free;
    for (int32_t k = 0; k < n; k++)
      if (!joints->used[k])
        joints->right[i] -= A[k] * *amount_of(&joints->rows[first + k], s->speeds);
  }
  lb_row_factor_make(&factor, joints->A, joints->used);
  return factor;
}

// The contacts of a component see what joints hold back, and move by what joints do without them.
static void join_component(const Solving *s, int32_t component) {
  lbWorldJoints *joints = s->world->linked;
  int32_t first = joints->row_begin[component], n = joints->row_begin[component + 1] - first;
  if (n == 0 || joints->place_counts[component] == 0) return;
  lbRowFactor factor = prepare(s, component);
  double *solved = joints->coupling + joints->coordinate_most * (size_t)joints->row_most;
  join_part(s->world, component, s->parts, n, joints->coupling, &factor, solved);
  lb_row_factor_solve(&factor, joints->right, joints->other);
  for (int32_t i = 0; i < n; i++)
    if (!joints->used[i]) joints->other[i] = *amount_of(&joints->rows[first + i], s->speeds);
  move_contacts(s->world, component, n, joints->coupling, joints->other);
}

// State that a row's force and what it leaves ask for.
static int8_t state_of(double x, double w, double low, double high, int8_t state) {
  if (state == 0) return x < low ? -1 : x > high ? 1 : 0;
  if (state < 0) return w < 0 ? 0 : -1;
  return w > 0 ? 0 : 1;
}

// Forces of the rows of a component, with contacts; whether all are within their bounds.
static bool find_forces(const Solving *s, int32_t component, bool last) {
  lbWorldJoints *joints = s->world->linked;
  int32_t first = joints->row_begin[component], n = joints->row_begin[component + 1] - first;
  if (n == 0) return true;
  lbRowFactor factor = prepare(s, component);
  bool settled = true;
  gather_forces(s->world, component, s->x, joints->spare);
  for (size_t p = 0; p < 3 * (size_t)joints->place_counts[component]; p++)
    for (int32_t i = 0; i < n; i++)
      joints->right[i] -= joints->coupling[p * (size_t)n + (size_t)i] * joints->spare[p];
  lb_row_factor_solve(&factor, joints->right, joints->x);
  for (int32_t i = 0; i < n; i++)
    if (joints->used[i]) *amount_of(&joints->rows[first + i], s->speeds) = joints->x[i];
  for (int32_t i = 0; i < n; i++) {
    lbJointRow *row = &joints->rows[first + i];
    double w = -joints->right[i]; // b and what is at its bounds, and
    for (int32_t k = 0; k < n; k++)
      w += joints->A[(size_t)i * (size_t)n + (size_t)k] * joints->x[k];
    row->rest = row->state == 0 ? w : 0;
    int8_t state =
        state_of(*amount_of(row, s->speeds), w, low_of(s, row), high_of(s, row), row->state);
    bool idle = s->speeds && row->state != 0 && row->force == 0; // a limit that is not met
    if (state == row->state || idle) continue;
    if (last) {
      double *amount = amount_of(row, s->speeds);
      *amount = fmin(fmax(*amount, low_of(s, row)), high_of(s, row));
      continue;
    }
    row->state = state;
    settled = false;
  }
  return settled;
}

// Held forces acted on what is measured now: they are taken out of it.
static void leave_out_held(const Solving *s, int32_t component) {
  lbWorldJoints *joints = s->world->linked;
  const lbWorldTouch *touch = s->world->touch;
  double h = s->speeds ? s->world->h : 1;
  int32_t first = joints->row_begin[component], n = joints->row_begin[component + 1] - first;
  if (n == 0) return;
  lb_joints_assemble(s->world, first, n, joints->A);
  lb_joints_couple(s->world, component, joints->coupling);
  for (int32_t i = 0; i < n; i++) joints->other[i] = -h * joints->rows[first + i].force;
  move_contacts(s->world, component, n, joints->coupling, joints->other);
  gather_forces(s->world, component, touch->forces, joints->spare);
  for (int32_t i = 0; i < n; i++) {
    lbJointRow *row = &joints->rows[first + i];
    row->free += lb_row_dot(n, joints->A + (size_t)i * (size_t)n, joints->other);
    for (size_t p = 0; p < 3 * (size_t)joints->place_counts[component]; p++)
      row->free -= h * joints->coupling[p * (size_t)n + (size_t)i] * joints->spare[p];
  }
}

// Where rows start: limits act where they are passed, motors are strong enough.
static void guess_states(lbWorldJoints *joints, bool speeds) {
  int32_t count = joints->row_begin[joints->component_count];
  for (int32_t i = 0; i < count; i++) {
    lbJointRow *row = &joints->rows[i];
    bool motor = isfinite(row->low) && isfinite(row->high);
    row->state = 0;
    if (motor) continue;
    bool acts = speeds ? row->force != 0 : (isfinite(row->low) ? row->free < 0 : row->free > 0);
    if (isfinite(row->low) && !acts) row->state = -1;
    if (isfinite(row->high) && !acts) row->state = 1;
  }
}

void lb_joints_solve(lbWorld *world, bool speeds, lbContactPart **parts, double *x,
                     lbJointsSolve *solve) {
  lbWorldJoints *joints = world->linked;
  lbWorldTouch *touch = world->touch;
  Solving s = { world, speeds, *parts, x };
  lbContactSide *own_sides = touch->sides;
  size_t bytes = 3 * (size_t)touch->contact_count * sizeof(double);
  number_places(world);
  bool again = joints->again && !speeds;
  if (!again) guess_states(joints, speeds);
  for (int32_t c = 0; c < joints->component_count && (speeds || again); c++) leave_out_held(&s, c);
  memcpy(joints->free_before, touch->free, bytes);
  memcpy(joints->forces_before, x, bytes);
  for (int round = 1; round <= ROUNDS; round++) {
    bool settled = true;
    memcpy(x, joints->forces_before, bytes); // those of wrong bounds are no start
    join_sides(world, s.parts);
    for (int32_t c = 0; c < joints->component_count; c++) join_component(&s, c);
    touch->sides = joints->sides, *parts = joints->parts;
    if (touch->contact_count > 0) solve(world, x);
    touch->sides = own_sides, *parts = s.parts;
    memcpy(touch->free, joints->free_before, bytes);
    for (int32_t c = 0; c < joints->component_count; c++)
      settled = find_forces(&s, c, round == ROUNDS) && settled;
    if (settled) break;
  }
}

// ---- what they do ------------------------------------------------------------------------------

static lbAnchorForce force_of(const lbJointAct *act, double amount) {
  return (lbAnchorForce){ &act->end->anchor, lb_scale(amount, act->force),
                          lb_scale(amount, act->torque), lb_scale(amount, act->force),
                          lb_scale(amount, act->frame_torque) };
}

void lb_joints_keep(lbWorld *world) {
  const lbWorldJoints *joints = world->linked;
  int32_t count = joints->row_begin[joints->component_count];
  for (int32_t i = 0; i < count; i++) {
    const lbJointRow *row = &joints->rows[i];
    for (int side = 0; side < 2 && row->force != 0; side++) {
      lbJointAct act = lb_joint_act(joints, row, side);
      if (!act.body || !world->touch->touchers[act.body->toucher].open) continue;
      lbAnchorForce by = force_of(&act, row->force);
      lb_anchor_hold(world->slots[act.body->slot].body, act.body->turn, &by);
    }
  }
}

static void strike(lbWorld *world, const lbJointed *b) {
  lbWorldJoints *joints = world->linked;
  lbBody *body = world->slots[b->slot].body;
  int32_t first = joints->row_begin[b->component], end = joints->row_begin[b->component + 1];
  int32_t count = 0;
  for (int32_t i = first; i < end; i++)
    for (int side = 0; side < 2; side++) {
      const lbJointRow *row = &joints->rows[i];
      lbJointAct act = lb_joint_act(joints, row, side);
      if (act.body != b) continue;
      joints->struck[count++] = force_of(&act, row->impulse - world->h * row->force);
    }
  lbScratch *scratch = count > 0 ? lb_scratch_borrow(body->prepared) : NULL;
  if (!scratch) return;
  lb_anchors_strike(body, count, joints->struck, scratch);
  lb_scratch_return(body->prepared, scratch);
}

static lbVec3 middle_of(const lbBodyJoint *j) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t p = 0; p < j->pair_count; p++)
    sum = lb_add_scaled(sum, 1.0 / j->pair_count, j->pairs[p][0].anchor.place);
  return sum;
}

static void flag(lbWorld *world, const lbBodyJoint *j) {
  for (int side = 0; side < 2; side++)
    if (j->pairs[0][side].slot >= 0)
      world->slots[j->pairs[0][side].slot].flags |= LB_STEP_NOT_CONVERGED;
}

static void report(lbWorld *world) {
  lbWorldJoints *joints = world->linked;
  int32_t count = joints->row_begin[joints->component_count];
  for (int32_t o = 0; o < joints->ordered; o++) {
    lbBodyJoint *j = &joints->list[joints->order[o]];
    if (!lb_joint_stays(world, j)) j->now.force = j->now.torque = lb_vec3(0, 0, 0);
  }
  for (int32_t i = 0; i < count; i++) {
    const lbJointRow *row = &joints->rows[i];
    lbBodyJoint *j = &joints->list[row->joint];
    lbVec3 by = lb_scale(row->impulse / world->h, row->axis);
    if (row->turns)
      j->now.torque = lb_add(j->now.torque, by);
    else {
      j->now.force = lb_add(j->now.force, by);
      j->now.torque = lb_add(j->now.torque, lb_cross(lb_sub(row->points[0], middle_of(j)), by));
    }
    if (row->lost) flag(world, j);
  }
  for (int32_t o = 0; o < joints->ordered; o++) {
    lbBodyJoint *j = &joints->list[joints->order[o]];
    if (!(lb_length(j->now.force) > j->def.break_force)) continue;
    j->now.broken = true;
    j->now.force = j->now.torque = lb_vec3(0, 0, 0);
  }
}

// rad that a jointed body turns by in h.
static double turn_of(const lbWorld *world, int32_t jointed, double h) {
  return h * lb_length(world->slots[world->linked->bodies[jointed].slot].body->frame.spin);
}

bool lb_joints_turn_far(const lbWorld *world) {
  for (int32_t i = 0; lb_joints_hold_any(world) && i < world->linked->body_count; i++)
    if (turn_of(world, i, world->h) > FAR) return true;
  return false;
}

// rad/s: how fast a body swings about its centre by the pull F of a joint at the arm r, F r / J.
static double swing_about(const lbBody *body, const lbJointEnd *end, double pull) {
  lbVec3 arm = lb_sub(end->anchor.place, lb_frame_centre(body));
  double r = lb_length(arm), most = 0;
  if (!(r > 0 && pull > 0) || body->frame.kind != LB_FRAME_FREE) return 0;
  lbMat3 mobility = lb_frame_mobility(body, body->frame.turn);
  lbVec3 other = fabs(arm.x) < 0.6 * r ? lb_vec3(1, 0, 0) : lb_vec3(0, 1, 0);
  lbVec3 one = lb_normalise(lb_cross(arm, other)), two = lb_scale(1 / r, lb_cross(arm, one));
  most = fmax(lb_dot(one, lb_mat3_apply(mobility, one)), lb_dot(two, lb_mat3_apply(mobility, two)));
  return sqrt(pull * r * most);
}

// rad/s: the fastest of the swings of a jointed body.
static double swing_of(const lbWorld *world, const lbJointed *jointed) {
  const lbWorldJoints *joints = world->linked;
  const lbBody *body = world->slots[jointed->slot].body;
  double most = 0;
  for (int32_t e = 0; e < jointed->end_count; e++) {
    const lbJointEnd *end = joints->ends[jointed->first_end + e];
    const lbBodyJoint *j = &joints->list[end->joint];
    if (j->pair_count == 1) most = fmax(most, swing_about(body, end, lb_length(j->now.force)));
  }
  return most;
}

double lb_joints_substeps(const lbWorld *world, int32_t i, double h) {
  double swing = h * swing_of(world, &world->linked->bodies[i]) / SWING_MOST;
  return fmax(turn_of(world, i, h) / TURN_MOST, swing);
}

// A bound that is there because its joint is far apart.
static bool pulls_no_harder(const lbJointRow *row) {
  return isfinite(row->most) &&
         ((row->state < 0 && row->low < -row->most) || (row->state > 0 && row->high > row->most));
}

// Rows that could not be held, because others hold something else.
void lb_joints_note_rest(lbWorld *world) {
  lbWorldJoints *joints = world->linked;
  int32_t count = joints->row_begin[joints->component_count];
  for (int32_t i = 0; i < count; i++) {
    lbJointRow *row = &joints->rows[i];
    row->lost = !(fabs(row->rest) <= REST_MOST) || pulls_no_harder(row);
  }
}

void lb_joints_finish(lbWorld *world) {
  const lbWorldJoints *joints = world->linked;
  for (int32_t i = 0; i < joints->body_count; i++) strike(world, &joints->bodies[i]);
  report(world);
}
