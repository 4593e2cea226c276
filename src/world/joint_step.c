// Joints in a part of a world's step (joint.h): how jointed bodies give way, forces of all rows
// together with those of contacts, and impulses when the step is done.
#include "world/joint.h"

#include "body/body.h"

#include <string.h>

#define FAR 0.03       // rad that a body turns by in a step
#define TURN_MOST 0.15 // rad: a step in which one turns farther is taken in parts,
#define PARTS 8        // at most so many
#define ROUNDS 8       // of finding out which rows are at their bounds
#define SLACK 1e-7     // of how a place gives way: what is held does, by so much
#define REST_MOST 1e-5 // m, rad: what joints that contradict each other leave, and more, is told

// ---- how bodies give way -----------------------------------------------------------------------

static lbJointed *jointed_of(const lbWorld *world, int32_t slot) {
  const lbWorldJoints *joints = world->linked;
  if (!joints || joints->ordered == 0 || slot >= joints->part_room) return NULL;
  int32_t body = joints->body_of_slot[slot];
  return body < 0 ? NULL : &joints->bodies[body];
}

void lb_joints_enlist(lbWorld *world) {
  lbWorldJoints *joints = world->linked;
  if (!lb_joints_hold_any(world)) return;
  for (int32_t i = 0; i < joints->body_count; i++)
    joints->bodies[i].toucher = lb_touch_enlist(world->touch, joints->bodies[i].slot);
}

// G and C for the lines and what they move.
static void find_products(lbJointed *b, const lbBody *body, lbMat3 turn, int32_t count,
                          const lbSpot *spots) {
  const lbPrepared *p = body->prepared;
  size_t n = (size_t)b->basis_count, padded = (size_t)p->padded;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      b->G[i * n + k] = lb_row_dot(p->dimension, b->lines + i * padded, b->moved + k * padded);
  for (int32_t j = 0; j < count && n > 0; j++)
    for (size_t k = 0; k < n; k++) {
      lbVec3 by = lb_touch_motion(body, turn, &spots[j], b->moved + k * padded);
      for (size_t a = 0; a < 3; a++)
        b->C[(3 * (size_t)j + a) * n + k] = lb_dot(spots[j].axes[a], by);
    }
}

static void make_lines(const lbWorldJoints *joints, lbJointed *b, const lbBody *body, lbMat3 turn) {
  size_t padded = (size_t)body->prepared->padded;
  for (int32_t e = 0; e < b->end_count; e++) {
    const lbJointEnd *end = joints->ends[b->first_end + e];
    for (int k = 0; k < lb_anchor_axes(&end->anchor); k++)
      lb_anchor_line(&end->anchor, body, turn, k, b->lines + (size_t)(end->basis + k) * padded);
  }
}

void lb_joints_open(lbWorld *world, int32_t number) {
  const lbWorldToucher *toucher = &world->touch->touchers[number];
  const lbTouching *t = &toucher->touching;
  lbJointed *b = jointed_of(world, toucher->slot);
  if (!b) return;
  const lbBody *body = t->body;
  const lbFrameStep *to = &t->step.frame;
  lbScratch *s = t->scratch;
  size_t padded = (size_t)body->prepared->padded;
  lbAnchorView before = { body, t->start.position, t->start.rotation, t->start.turn, s->q0 };
  lbAnchorView after = { body, to->position, to->rotation, to->turn, s->q };
  for (int32_t e = 0; e < b->end_count; e++) {
    lbJointEnd *end = world->linked->ends[b->first_end + e];
    lb_anchor_look(&end->anchor, &before);
    end->place_before = end->anchor.place, end->rotation_before = end->anchor.rotation;
    lb_anchor_look(&end->anchor, &after);
  }
  make_lines(world->linked, b, body, to->turn);
  for (size_t k = 0; k < (size_t)b->basis_count; k++) {
    memcpy(s->a, b->lines + k * padded, padded * sizeof(double)); // it may be written over
    body->prepared->method->respond(body, &t->step, s, s->a, b->moved + k * padded);
  }
  find_products(b, body, to->turn, toucher->count, world->touch->spots + toucher->first);
  b->free = body->frame.kind == LB_FRAME_FREE;
  b->factor = 0.5 * t->step.h * t->step.h;
  b->mobility = t->mobility;
  b->centre = t->middle;
  b->turn = to->turn;
}

void lb_joints_look(lbWorld *world, int32_t number, lbScratch *s) {
  const lbWorldToucher *toucher = &world->touch->touchers[number];
  lbJointed *b = jointed_of(world, toucher->slot);
  if (!b) return;
  const lbBody *body = world->slots[b->slot].body;
  const lbFrameState *f = &body->frame;
  size_t padded = (size_t)body->prepared->padded;
  lbAnchorView now = { body, f->position, f->rotation, f->turn, s->q0 };
  for (int32_t e = 0; e < b->end_count; e++) {
    lbAnchor *anchor = &world->linked->ends[b->first_end + e]->anchor;
    lb_anchor_look(anchor, &now);
    lb_anchor_look_at_rates(anchor, body, s->v0);
  }
  make_lines(world->linked, b, body, f->turn);
  memcpy(b->moved, b->lines, (size_t)b->basis_count * padded * sizeof(double));
  for (size_t k = 0; k < (size_t)b->basis_count; k++)
    lb_body_mobilise(body, s, b->moved + k * padded);
  find_products(b, body, f->turn, toucher->count, world->touch->spots + toucher->first);
  b->free = f->kind == LB_FRAME_FREE;
  b->factor = 1;
  b->mobility = lb_frame_mobility(body, f->turn);
  b->centre = lb_frame_centre(body);
  b->turn = f->turn;
}

// ---- what a row does ---------------------------------------------------------------------------

// A unit force of a row on one of its ends.
typedef struct Act {
  const lbJointed *body; // NULL: the world
  const lbJointEnd *end;
  lbVec3 force, torque; // at the anchor's mean
  lbVec3 frame_torque;  // about the frame's centre
} Act;

static Act act_of(const lbWorldJoints *joints, const lbJointRow *row, int side) {
  const lbJointEnd *end = &joints->list[row->joint].pairs[row->pair][side];
  if (end->body < 0) return (Act){ .body = NULL };
  const lbJointed *body = &joints->bodies[end->body];
  lbVec3 along = lb_scale(side ? -1 : 1, row->axis), at = row->points[side];
  if (row->turns) return (Act){ body, end, lb_vec3(0, 0, 0), along, along };
  return (Act){ body, end, along, lb_cross(lb_sub(at, end->anchor.mean), along),
                lb_cross(lb_sub(at, body->centre), along) };
}

static void store_act(const Act *act, double t[6]) {
  lb_vec3_store(t, act->force), lb_vec3_store(t + 3, act->torque);
}

// How far a unit force of one moves the other, of one body.
static double response(const lbWorld *world, const Act *a, const Act *b) {
  const lbJointed *body = a->body;
  size_t n = (size_t)body->basis_count;
  int rows = lb_anchor_axes(&a->end->anchor), columns = lb_anchor_axes(&b->end->anchor);
  double s[6], t[6], sum = 0;
  store_act(a, s), store_act(b, t);
  for (int i = 0; i < rows; i++) {
    const double *G = body->G + (size_t)(a->end->basis + i) * n + (size_t)b->end->basis;
    for (int k = 0; k < columns; k++) sum += s[i] * G[k] * t[k];
  }
  if (!body->free) return sum;
  double mass = world->slots[body->slot].body->prepared->mass;
  double frame = lb_dot(a->force, b->force) / mass +
                 lb_dot(a->frame_torque, lb_mat3_apply(body->mobility, b->frame_torque));
  return sum + body->factor * frame;
}

static void assemble(const lbWorld *world, int32_t first, int32_t n, double *A) {
  const lbWorldJoints *joints = world->linked;
  memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
  for (int32_t i = 0; i < n; i++)
    for (int side = 0; side < 2; side++) {
      Act one = act_of(joints, &joints->rows[first + i], side);
      if (!one.body) continue;
      for (int32_t k = 0; k <= i; k++)
        for (int other = 0; other < 2; other++) {
          Act two = act_of(joints, &joints->rows[first + k], other);
          if (two.body != one.body) continue;
          A[(size_t)i * (size_t)n + (size_t)k] += response(world, &one, &two);
        }
    }
  for (int32_t i = 0; i < n; i++)
    for (int32_t k = i + 1; k < n; k++)
      A[(size_t)i * (size_t)n + (size_t)k] = A[(size_t)k * (size_t)n + (size_t)i];
}

// How a unit force of a row moves a spot of a contact along its axes.
static void move_spot(const lbWorld *world, const Act *act, const lbSpot *spot, int32_t place,
                      double by[3]) {
  const lbJointed *body = act->body;
  size_t n = (size_t)body->basis_count;
  double t[6];
  store_act(act, t);
  lbVec3 moved = lb_vec3(0, 0, 0);
  if (body->free) {
    double mass = world->slots[body->slot].body->prepared->mass;
    lbVec3 angular = lb_mat3_apply(body->mobility, act->frame_torque);
    moved =
        lb_add_scaled(lb_cross(angular, lb_sub(spot->point, body->centre)), 1 / mass, act->force);
    moved = lb_scale(body->factor, moved);
  }
  for (int a = 0; a < 3; a++) {
    const double *C = body->C + (size_t)(3 * place + a) * n + (size_t)act->end->basis;
    by[a] += lb_dot(spot->axes[a], moved);
    for (int k = 0; k < lb_anchor_axes(&act->end->anchor); k++) by[a] += C[k] * t[k];
  }
}

// coupling (3 places x rows) <- how rows move the contacts of a component.
static void couple(const lbWorld *world, int32_t component, double *coupling) {
  const lbWorldJoints *joints = world->linked;
  const lbWorldTouch *touch = world->touch;
  int32_t first = joints->row_begin[component], n = joints->row_begin[component + 1] - first;
  memset(coupling, 0, 3 * (size_t)joints->place_counts[component] * (size_t)n * sizeof *coupling);
  for (int32_t i = 0; i < n; i++)
    for (int side = 0; side < 2; side++) {
      Act act = act_of(joints, &joints->rows[first + i], side);
      if (!act.body) continue;
      const lbWorldToucher *toucher = &touch->touchers[act.body->toucher];
      for (int32_t j = 0; j < toucher->count; j++) {
        double by[3] = { 0, 0, 0 };
        move_spot(world, &act, &touch->spots[toucher->first + j], j, by);
        for (int a = 0; a < 3; a++)
          coupling[(size_t)(3 * (act.body->first_place + j) + a) * (size_t)n + (size_t)i] += by[a];
      }
    }
}

// ---- contacts of jointed bodies, as of one -----------------------------------------------------

// Numbers the places of contacts of each component; 0 where there are too many.
static void number_places(lbWorld *world) {
  lbWorldJoints *joints = world->linked;
  for (int32_t c = 0; c < joints->component_count; c++) joints->place_counts[c] = 0;
  for (int32_t i = 0; i < joints->body_count; i++) {
    lbJointed *b = &joints->bodies[i];
    b->first_place = joints->place_counts[b->component];
    joints->place_counts[b->component] += world->touch->touchers[b->toucher].count;
  }
  for (int32_t c = 0; c < joints->component_count; c++)
    if (joints->place_counts[c] > joints->place_rooms[c]) joints->place_counts[c] = 0;
}

// The toucher that stands for all bodies of a component.
static int32_t leader_of(const lbWorldJoints *joints, int32_t component) {
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
    const lbJointed *b = jointed_of(world, touch->touchers[side->body].slot);
    if (!b || joints->place_counts[b->component] == 0) continue;
    side->body = leader_of(joints, b->component);
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
      if (p == q) back -= SLACK * matrix[p * places + p];
      matrix[p * places + q] -= back;
      if (p != q) matrix[q * places + p] -= back;
    }
  int32_t leader = leader_of(joints, component);
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
    const lbJointed *b = side.body < 0 ? NULL : jointed_of(world, touch->touchers[side.body].slot);
    if (!b || b->component != component) continue;
    double *to = forces + 3 * (size_t)(b->first_place + side.place);
    for (int k = 0; k < 3; k++) to[k] += i & 1 ? -x[3 * (i / 2) + k] : x[3 * (i / 2) + k];
  }
}

// free <- with how rows with forces y move contacts.
static void move_contacts(const lbWorld *world, int32_t component, int32_t n,
                          const double *coupling, const double *y) {
  const lbWorldJoints *joints = world->linked;
  lbWorldTouch *touch = world->touch;
  for (int32_t i = 0; i < 2 * touch->contact_count; i++) {
    lbContactSide side = touch->sides[i];
    const lbJointed *b = side.body < 0 ? NULL : jointed_of(world, touch->touchers[side.body].slot);
    if (!b || b->component != component) continue;
    for (int k = 0; k < 3; k++) {
      size_t place = (size_t)(3 * (b->first_place + side.place) + k);
      double by = lb_row_dot(n, coupling + place * (size_t)n, y);
      touch->free[3 * (i / 2) + k] += i & 1 ? -by : by;
    }
  }
  (void)joints;
}

// How contacts of jointed bodies give way to impulses, where the bodies are now: it must fit what
// joints do there, or what they hold would seem to give way a little, the wrong way round.
void lb_joints_measure_again(lbWorld *world, lbContactPart *parts) {
  const lbWorldJoints *joints = world->linked;
  lbWorldTouch *touch = world->touch;
  for (int32_t i = 0; i < joints->body_count; i++) {
    const lbWorldToucher *toucher = &touch->touchers[joints->bodies[i].toucher];
    const lbBody *body = world->slots[toucher->slot].body;
    lbScratch *s = toucher->count > 0 ? lb_scratch_borrow(body->prepared) : NULL;
    if (!s) continue;
    lb_touch_look(body, s);
    lb_touch_speed_matrix(body, toucher->count, touch->spots + toucher->first, touch->work, s,
                          parts[joints->bodies[i].toucher].matrix);
    lb_scratch_return(body->prepared, s);
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
  return s->speeds ? s->world->h * row->low : row->low;
}
static double high_of(const Solving *s, const lbJointRow *row) {
  return s->speeds ? s->world->h * row->high : row->high;
}

// A and C of a component, its factor, and what is known of the rows: right <- -(b + A x) of rows at
// their bounds.
static lbRowFactor prepare(const Solving *s, int32_t component) {
  lbWorldJoints *joints = s->world->linked;
  int32_t first = joints->row_begin[component], n = joints->row_begin[component + 1] - first;
  lbRowFactor factor = lb_row_factor_place(n, joints->factor_memory, joints->factor_order);
  assemble(s->world, first, n, joints->A);
  couple(s->world, component, joints->coupling);
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
  double *solved = joints->coupling + 3 * (size_t)LB_JOINED_PLACES * (size_t)joints->row_most;
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
  assemble(s->world, first, n, joints->A);
  couple(s->world, component, joints->coupling);
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
  for (int round = 1; round <= ROUNDS; round++) {
    bool settled = true;
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

static lbAnchorForce force_of(const Act *act, double amount) {
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
      Act act = act_of(joints, row, side);
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
      Act act = act_of(joints, row, side);
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
    j->now.force = j->now.torque = lb_vec3(0, 0, 0);
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

// rad that one of the jointed bodies turns by in h, at most.
static double turn_of(const lbWorld *world, double h) {
  const lbWorldJoints *joints = world->linked;
  double most = 0;
  if (!lb_joints_hold_any(world)) return 0;
  for (int32_t i = 0; i < joints->body_count; i++) {
    const lbBody *body = world->slots[joints->bodies[i].slot].body;
    most = fmax(most, h * lb_length(body->frame.spin));
  }
  return most;
}

bool lb_joints_turn_far(const lbWorld *world) { return turn_of(world, world->h) > FAR; }

int32_t lb_joints_parts(const lbWorld *world, double h) {
  double parts = ceil(turn_of(world, h) / TURN_MOST);
  return parts > 1 ? (int32_t)fmin(parts, PARTS) : 1;
}

// Rows that could not be held, because others hold something else.
void lb_joints_note_rest(lbWorld *world) {
  lbWorldJoints *joints = world->linked;
  int32_t count = joints->row_begin[joints->component_count];
  for (int32_t i = 0; i < count; i++) {
    lbJointRow *row = &joints->rows[i];
    row->lost = !(fabs(row->rest) <= REST_MOST);
  }
}

void lb_joints_finish(lbWorld *world) {
  const lbWorldJoints *joints = world->linked;
  for (int32_t i = 0; i < joints->body_count; i++) strike(world, &joints->bodies[i]);
  report(world);
}
