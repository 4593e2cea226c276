// Contacts in a part of a world's step: forces that bodies take into their steps, and impulses when
// they have taken them (limber/contact.h has the rule).
#include "world/joint.h"

#include "body/body.h"

#include <string.h>

#define SWEEPS 40
#define TOLERANCE 1e-6 // of the largest force: no smaller changes are wanted
#define PARTING 1.0    // m/s: bodies that overlap come apart no faster
#define SHARE 0.2      // of the overlap that a step takes back, at most
#define NEVER 1e30     // m/s: a gap that nothing closes

// ---- who has contacts --------------------------------------------------------------------------

int32_t lb_touch_enlist(lbWorldTouch *touch, int32_t slot) {
  if (touch->numbers[slot] < 0) {
    touch->touchers[touch->toucher_count] = (lbWorldToucher){ .slot = slot };
    touch->numbers[slot] = touch->toucher_count++;
  }
  return touch->numbers[slot];
}

// Touchers in the order of their slots, and where their spots lie.
static void list_touchers(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  touch->toucher_count = 0;
  for (int32_t i = 0; i < world->slot_count; i++) touch->numbers[i] = -1;
  for (int32_t c = 0; c < touch->contact_count; c++)
    for (int side = 0; side < 2; side++)
      if (touch->contacts[c].slots[side] >= 0)
        touch->touchers[lb_touch_enlist(touch, touch->contacts[c].slots[side])].count++;
  lb_joints_enlist(world);
  int32_t first = 0;
  for (int32_t t = 0; t < touch->toucher_count; t++) {
    touch->touchers[t].first = first;
    first += touch->touchers[t].count;
    touch->touchers[t].count = 0;
  }
}

static lbSpot make_spot(const lbBody *body, const lbTouchCandidate *at, int side) {
  lbSpot spot = { .triangle = at->triangles[side] };
  memcpy(spot.weights, at->weights[side], sizeof spot.weights);
  if (!lb_rigid_solid(body)) return spot;
  lbVec3 place = side ? at->point : at->first;
  bool round = lb_rigid_is_round(body);
  spot.kind = round ? LB_SPOT_ROUND : LB_SPOT_OWN;
  spot.own = round ? lb_sub(place, lb_frame_centre(body)) : lb_body_unplace(body, place);
  return spot;
}

static void list_spots(const lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    lbWorldContact *contact = &touch->contacts[c];
    for (int side = 0; side < 2; side++) {
      touch->sides[2 * c + side] = (lbContactSide){ -1, 0 };
      if (contact->slots[side] < 0) continue;
      int32_t number = touch->numbers[contact->slots[side]];
      lbWorldToucher *toucher = &touch->touchers[number];
      int32_t place = toucher->count++;
      lbSpot *spot = &touch->spots[toucher->first + place];
      *spot = make_spot(world->slots[contact->slots[side]].body, &contact->at, side);
      memcpy(spot->axes, contact->axes, sizeof spot->axes);
      contact->places[side] = place;
      touch->sides[2 * c + side] = (lbContactSide){ number, place };
    }
  }
}

// ---- how they give way -------------------------------------------------------------------------

static double *take(lbWorldTouch *touch, size_t count) {
  double *at = touch->pool + touch->pool_used;
  touch->pool_used += count;
  return at;
}

static lbContactPart make_part(lbWorldTouch *touch, int32_t count) {
  size_t n = 3 * (size_t)count;
  lbContactPart part = { count, take(touch, n * n), take(touch, n) };
  memset(part.matrix, 0, n * n * sizeof(double));
  return part;
}

static const lbSpot *spot_of(const lbWorldTouch *touch, int32_t contact, int side) {
  lbContactSide at = touch->sides[2 * contact + side];
  return &touch->spots[touch->touchers[at.body].first + at.place];
}

// Opens the step of a body and asks where its spots come to.
static void open_step(lbWorld *world, int32_t number) {
  lbWorldTouch *touch = world->touch;
  lbWorldToucher *toucher = &touch->touchers[number];
  lbBody *body = world->slots[toucher->slot].body;
  toucher->open = lb_touch_open(&toucher->touching, body, world->h);
  for (int32_t i = toucher->first; i < toucher->first + toucher->count; i++) {
    touch->ways[i] = lb_vec3(0, 0, 0);
    if (toucher->open)
      touch->ways[i] = lb_touch_way(&toucher->touching, &touch->spots[i], &touch->spots[i].point);
  }
  if (toucher->open) lb_joints_open(world, number);
}

lbVec3 lb_touch_place(const lbWorldTouch *touch, int32_t contact, int side) {
  return spot_of(touch, contact, side)->point;
}

// Forces of two bodies on each other act between their spots.
static void join_points(lbWorldTouch *touch) {
  for (int32_t c = 0; c < touch->contact_count; c++) {
    if (touch->contacts[c].slots[1] < 0) continue;
    lbSpot *a = touch->spots + (spot_of(touch, c, 0) - touch->spots);
    lbSpot *b = touch->spots + (spot_of(touch, c, 1) - touch->spots);
    a->point = b->point = lb_scale(0.5, lb_add(a->point, b->point));
  }
}

// Asks how the spots give way, and closes the step.
static void close_step(lbWorld *world, int32_t number) {
  lbWorldTouch *touch = world->touch;
  lbWorldToucher *toucher = &touch->touchers[number];
  lbContactPart moves = make_part(touch, toucher->count);
  lbContactPart speeds = make_part(touch, toucher->count);
  touch->parts[number] = moves, touch->speed_parts[number] = speeds;
  if (toucher->open)
    lb_touch_matrices(&toucher->touching, toucher->count, touch->spots + toucher->first,
                      touch->work, moves.matrix, speeds.matrix);
  lb_touch_close(&toucher->touching);
}

// ---- forces ------------------------------------------------------------------------------------

// How its two sides move against each other in the step without contact forces.
static lbVec3 free_way(const lbWorld *world, int32_t c) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  lbVec3 way = touch->ways[spot_of(touch, c, 0) - touch->spots], other;
  if (contact->slots[1] >= 0)
    other = touch->ways[spot_of(touch, c, 1) - touch->spots];
  else
    other = lb_collider_way(&world->colliders[contact->collider], contact->at.point);
  return lb_sub(way, other);
}

double lb_touch_free_way(const lbWorld *world, int32_t c) {
  return lb_dot(world->touch->contacts[c].axes[0], free_way(world, c));
}

// free <- gap and slip at the step's end without contact forces. What overlaps at the start need
// come apart only by so much in a step.
static void find_free(const lbWorld *world, int32_t c) {
  lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  lbVec3 way = free_way(world, c);
  double *free = touch->free + 3 * (size_t)c;
  for (int k = 0; k < 3; k++) free[k] = lb_dot(contact->axes[k], way);
  double gap = contact->at.gap;
  free[0] += gap < 0 ? fmax(SHARE * gap, -PARTING * world->h) : gap;
}

lbContactProblem lb_touch_problem(const lbWorldTouch *touch, lbContactPart *parts) {
  return (lbContactProblem){ .contact_count = touch->contact_count,
                             .part_count = touch->toucher_count,
                             .sides = touch->sides,
                             .free = touch->free,
                             .friction = touch->frictions,
                             .parts = parts,
                             .sweeps_most = SWEEPS,
                             .tolerance = TOLERANCE };
}

static void solve_forces(lbWorld *world, double *x) {
  lbContactProblem problem = lb_touch_problem(world->touch, world->touch->parts);
  lb_touch_solve(world, &problem, 0, x);
}

static void solve_impulses(lbWorld *world, double *x) {
  lbContactProblem problem = lb_touch_problem(world->touch, world->touch->speed_parts);
  lb_touch_solve(world, &problem, 0, x);
}

static void hold_forces(lbWorldTouch *touch) {
  for (int32_t c = 0; c < touch->contact_count; c++) {
    const double *force = touch->forces + 3 * (size_t)c;
    if (force[0] == 0) continue;
    for (int side = 0; side < 2; side++) {
      int32_t number = touch->sides[2 * c + side].body;
      if (number >= 0 && touch->touchers[number].open)
        lb_touch_hold(&touch->touchers[number].touching, spot_of(touch, c, side), side ? -1 : 1,
                      force);
    }
  }
}

// Forces start from those of the last step.
static void recall(lbWorldTouch *touch) {
  memset(touch->forces, 0, 3 * (size_t)touch->contact_count * sizeof(double));
  for (int32_t c = 0; c < touch->contact_count; c++) {
    int32_t known = touch->contacts[c].at.known;
    if (known < 0) continue;
    memcpy(touch->forces + 3 * (size_t)c, touch->remembered[known].forces, 3 * sizeof(double));
  }
}

static void remember(lbWorldTouch *touch) {
  touch->remembered_count = 0;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    const lbWorldContact *contact = &touch->contacts[c];
    if (!(touch->impulses[3 * c] > 0)) continue;
    lbRememberedContact *to = &touch->remembered[touch->remembered_count++];
    *to = (lbRememberedContact){ .collider = contact->collider, .feature = contact->at.feature };
    for (int side = 0; side < 2; side++) {
      to->slots[side] = contact->slots[side];
      to->triangles[side] = contact->at.triangles[side];
    }
    memcpy(to->forces, touch->forces + 3 * (size_t)c, sizeof to->forces);
  }
}

void lb_touch_find_responses(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  touch->pool_used = 0;
  for (int32_t t = 0; t < touch->toucher_count; t++) open_step(world, t);
  join_points(touch);
  for (int32_t t = 0; t < touch->toucher_count; t++) close_step(world, t);
}

// Forces of contacts and joints, by how bodies give way in the step; `touch->free` is known.
static void solve(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  if (lb_joints_hold_any(world)) {
    lb_joints_make_rows(world);
    lb_joints_solve(world, false, &touch->parts, touch->forces, solve_forces);
    lb_joints_note_rest(world);
    lb_joints_keep(world);
  } else
    solve_forces(world, touch->forces);
  hold_forces(touch);
}

static void find_forces(lbWorld *world) {
  lb_touch_find_responses(world);
  for (int32_t c = 0; c < world->touch->contact_count; c++) find_free(world, c);
  lb_touch_soften(world);
  solve(world);
}

// Once more, about where the forces lead to.
static void find_again(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  lb_touch_find_responses(world);
  lbContactProblem problem = lb_touch_problem(touch, touch->parts);
  for (int32_t c = 0; c < touch->contact_count; c++) {
    double by[3];
    find_free(world, c);
    lb_contact_move(&problem, touch->forces, c, by);
    for (int k = 0; k < 3; k++) touch->free[3 * c + k] -= by[k];
  }
  for (int32_t t = 0; t < touch->toucher_count; t++)
    lb_touch_release(touch->touchers[t].touching.body);
  world->linked->again = true;
  solve(world);
  world->linked->again = false;
}

void lb_touch_begin(lbWorld *world, double start, double end) {
  lbWorldTouch *touch = world->touch;
  lb_colliders_lead(world, start, end);
  lb_touch_find(world);
  list_touchers(world);
  list_spots(world);
  for (int32_t c = 0; c < touch->contact_count; c++)
    touch->frictions[c] = touch->contacts[c].friction;
  lb_touch_stop(world);
  recall(touch);
  find_forces(world);
  bool again = world->settings.response != LB_RESPONSE_PENALTY && lb_joints_turn_far(world);
  if (again) find_again(world);
}

// ---- impulses ----------------------------------------------------------------------------------

// velocities (spots) <- of a body's spots now
static void look(lbWorld *world, const lbWorldToucher *toucher) {
  lbWorldTouch *touch = world->touch;
  const lbBody *body = world->slots[toucher->slot].body;
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  for (int32_t i = 0; i < toucher->count; i++) touch->ways[toucher->first + i] = lb_vec3(0, 0, 0);
  if (!scratch) return;
  lb_touch_look(body, scratch);
  for (int32_t i = toucher->first; i < toucher->first + toucher->count; i++)
    touch->ways[i] = lb_touch_velocity(body, scratch, &touch->spots[i], &touch->spots[i].point);
  lb_joints_look(world, (int32_t)(toucher - touch->touchers), scratch);
  lb_scratch_return(body->prepared, scratch);
}

// free <- speeds along the axes
static void find_speeds(const lbWorld *world, int32_t c) {
  lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  double *free = touch->free + 3 * (size_t)c;
  lbVec3 velocity = touch->ways[spot_of(touch, c, 0) - touch->spots], other;
  if (contact->slots[1] >= 0)
    other = touch->ways[spot_of(touch, c, 1) - touch->spots];
  else
    other = lb_scale(1 / world->h,
                     lb_collider_way(&world->colliders[contact->collider], contact->at.point));
  velocity = lb_sub(velocity, other);
  for (int k = 0; k < 3; k++) free[k] = lb_dot(contact->axes[k], velocity);
}

static void look_at_all(lbWorld *world) {
  for (int32_t t = 0; t < world->touch->toucher_count; t++) look(world, &world->touch->touchers[t]);
}

void lb_touch_find_speeds(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  look_at_all(world);
  join_points(touch);
  for (int32_t c = 0; c < touch->contact_count; c++) find_speeds(world, c);
}

// free <- as if the held forces had not acted
static void leave_out_held(lbWorldTouch *touch) {
  lbContactProblem problem = lb_touch_problem(touch, touch->speed_parts);
  for (int32_t c = 0; c < touch->contact_count; c++) { // v = free + S (J - h f)
    double by[3];
    lb_contact_move(&problem, touch->impulses, c, by);
    for (int k = 0; k < 3; k++) touch->free[3 * c + k] -= by[k];
    if (touch->forces[3 * c] == 0) touch->free[3 * c] = NEVER;
  }
}

static void strike(lbWorld *world, int32_t number, const double *changes) {
  lbWorldTouch *touch = world->touch;
  const lbWorldToucher *toucher = &touch->touchers[number];
  lbBody *body = world->slots[toucher->slot].body;
  int32_t count = 0;
  for (int32_t c = 0; c < touch->contact_count; c++)
    for (int side = 0; side < 2; side++) {
      const double *by = changes + 3 * (size_t)c;
      if (touch->sides[2 * c + side].body != number || (by[0] == 0 && by[1] == 0 && by[2] == 0))
        continue;
      touch->struck[count] = spot_of(touch, c, side);
      touch->signs[count] = side ? -1 : 1;
      touch->amounts[count++] = by;
    }
  if (count == 0 || !toucher->open) return;
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  if (!scratch) return;
  lb_touch_strike(body, count, touch->struck, touch->signs, touch->amounts, scratch);
  lb_scratch_return(body->prepared, scratch);
}

// Of a rigid body, which has no triangles that touch.
static lbPoint nearest_vertex(const lbBody *body, lbVec3 place) {
  const lbModel *model = body->prepared->model;
  lbVec3 own = lb_body_unplace(body, place);
  int32_t nearest = 0;
  double least = INFINITY;
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    lbVec3 from = lb_sub(lb_vec3_load(model->vertex_positions + 3 * (size_t)v), own);
    if (lb_dot(from, from) < least) least = lb_dot(from, from), nearest = v;
  }
  return lb_point_vertex(nearest);
}

static void report(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  touch->report_count = 0;
  for (int32_t i = 0; i < world->slot_count; i++) touch->sums[i] = lb_vec3(0, 0, 0);
  for (int32_t c = 0; c < touch->contact_count; c++) {
    const lbWorldContact *contact = &touch->contacts[c];
    const double *J = touch->impulses + 3 * (size_t)c;
    if (!(J[0] > 0)) continue;
    lbContact *to = &touch->reports[touch->report_count++];
    *to = (lbContact){ .point = contact->at.point,
                       .normal = contact->at.normal,
                       .gap = contact->at.gap,
                       .sliding = hypot(J[1], J[2]) >= (1 - 1e-6) * contact->friction * J[0] };
    lbVec3 force = lb_vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) force = lb_add_scaled(force, J[k] / world->h, contact->axes[k]);
    to->force = force;
    for (int side = 0; side < 2; side++) {
      int32_t slot = contact->slots[side];
      if (slot < 0) {
        to->collider =
            lb_world_id(contact->collider, world->colliders[contact->collider].generation);
        continue;
      }
      const double *w = contact->at.weights[side];
      to->bodies[side] = lb_world_id(slot, world->slots[slot].generation);
      bool rigid = contact->at.triangles[side] < 0;
      to->points[side] = rigid ? nearest_vertex(world->slots[slot].body, contact->at.point)
                               : lb_point_triangle(contact->at.triangles[side], w[0], w[1], w[2]);
      touch->sums[slot] = lb_add_scaled(touch->sums[slot], side ? -1 : 1, force);
    }
  }
}

void lb_touch_strike_all(lbWorld *world, const double *changes) {
  for (int32_t t = 0; t < world->touch->toucher_count; t++) strike(world, t, changes);
}

// impulses <- of the step: what brings velocities to rest against each other
static void find_impulses(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  bool jointed = lb_joints_hold_any(world);
  lb_touch_find_speeds(world);
  if (jointed) lb_joints_measure_again(world, touch->speed_parts);
  for (int32_t i = 0; i < 3 * touch->contact_count; i++)
    touch->impulses[i] = world->h * touch->forces[i];
  leave_out_held(touch);
  if (jointed) {
    lb_joints_measure_speeds(world);
    lb_joints_solve(world, true, &touch->speed_parts, touch->impulses, solve_impulses);
  } else
    solve_impulses(world, touch->impulses);
  double *changes = touch->free; // done with
  for (int32_t i = 0; i < 3 * touch->contact_count; i++)
    changes[i] = touch->impulses[i] - world->h * touch->forces[i];
  lb_touch_strike_all(world, changes);
  if (jointed) lb_joints_finish(world);
}

void lb_touch_finish(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  look_at_all(world);
  lb_touch_measure(world);
  find_impulses(world);
  if (touch->stops)
    for (int32_t i = 0; i < 3 * touch->contact_count; i++) touch->impulses[i] += touch->stops[i];
  report(world);
  remember(touch);
  lb_colliders_feel(world);
  lb_colliders_arrive(world);
}
