// Contacts in a part of a world's step: forces that bodies take into their steps, and impulses when
// they have taken them (limber/contact.h has the rule).
#include "world/joint.h"

#include "body/body.h"
#include "world/touch_choose.h"

#include <string.h>

#define SWEEPS 80
#define SWEEPS_LOOK 3   // where more follow
#define TOLERANCE 1e-6  // of the largest force: no smaller changes are wanted
#define ENOUGH 3e-4     // of the deepest that places would get into each other: nor of their moves
#define STEP (1.0 / 60) // s: of shorter steps more of it, up to
#define LOOSER 3.0      // times as much: in a second it is the same
#define ENOUGH_LINKED 1e-5 // where joints depend on forces
#define SHARE 0.2          // of the overlap that a step takes back, at most
#define NEVER 1e30         // m/s: a gap that nothing closes
#define BODIES 4           // a task: waking a thread costs more than a few of them
#define TASKS 16           // islands are solved in, at most

// ---- who has contacts --------------------------------------------------------------------------

static bool gives_way(const lbWorld *world, int32_t slot) {
  return slot >= 0 && !lb_slot_stays(world, &world->slots[slot]);
}

int32_t lb_touch_enlist(lbWorldTouch *touch, int32_t slot) {
  if (touch->numbers[slot] < 0) {
    touch->touchers[touch->toucher_count] = (lbWorldToucher){ .slot = slot };
    touch->numbers[slot] = touch->toucher_count++;
  }
  return touch->numbers[slot];
}

// Touchers, and where their spots lie.
static void list_touchers(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  touch->toucher_count = 0;
  for (int32_t i = 0; i < world->slot_count; i++) touch->numbers[i] = -1;
  for (int32_t c = 0; c < touch->contact_count; c++)
    for (int side = 0; side < 2; side++)
      if (gives_way(world, touch->contacts[c].slots[side]))
        touch->touchers[lb_touch_enlist(touch, touch->contacts[c].slots[side])].count++;
  lb_joints_enlist(world);
  int32_t first = 0;
  for (int32_t t = 0; t < touch->toucher_count; t++) {
    touch->touchers[t].first = first;
    first += touch->touchers[t].count;
    touch->touchers[t].count = 0;
  }
}

// Where they were when the contact was found, whatever the body does in the step.
static void place_rigid(const lbWorld *world, lbWorldContact *contact) {
  for (int side = 0; side < 2; side++) {
    const lbBody *body = contact->slots[side] < 0 ? NULL : world->slots[contact->slots[side]].body;
    contact->kinds[side] = LB_SPOT_SURFACE;
    if (!body || !lb_rigid_solid(body)) continue;
    lbVec3 place = side ? contact->at.point : contact->at.first;
    bool round = lb_rigid_is_round(body);
    contact->kinds[side] = round ? LB_SPOT_ROUND : LB_SPOT_OWN;
    contact->own[side] =
        round ? lb_sub(place, lb_frame_centre(body)) : lb_body_unplace(body, place);
  }
}

static void list_spots(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    const lbWorldContact *contact = &touch->contacts[c];
    for (int side = 0; side < 2; side++) {
      touch->sides[2 * c + side] = (lbContactSide){ -1, 0 };
      if (!gives_way(world, contact->slots[side])) continue;
      int32_t number = touch->numbers[contact->slots[side]];
      lbWorldToucher *toucher = &touch->touchers[number];
      int32_t place = toucher->count++;
      lbSpot *spot = &touch->spots[toucher->first + place];
      *spot = (lbSpot){ .kind = contact->kinds[side],
                        .triangle = contact->at.triangles[side],
                        .own = contact->own[side] };
      memcpy(spot->weights, contact->at.weights[side], sizeof spot->weights);
      memcpy(spot->axes, contact->axes, sizeof spot->axes);
      touch->owners[toucher->first + place] = 2 * c + side;
      touch->sides[2 * c + side] = (lbContactSide){ number, place };
    }
  }
}

// Room for the matrices of all touchers.
static void make_parts(lbWorldTouch *touch) {
  double *at = touch->pool;
  for (int32_t t = 0; t < touch->toucher_count; t++) {
    size_t n = 3 * (size_t)touch->touchers[t].count;
    touch->parts[t] = (lbContactPart){ touch->touchers[t].count, at, at + n * n };
    at += lb_touch_pool_of(touch->touchers[t].count);
  }
}

static void list(lbWorld *world) {
  list_touchers(world);
  list_spots(world);
  lb_islands_find(world);
}

// The number of a contact's spot; -1: that side does not give way.
static int32_t spot_of(const lbWorldTouch *touch, int32_t contact, int side) {
  lbContactSide at = touch->sides[2 * contact + side];
  return at.body < 0 ? -1 : touch->touchers[at.body].first + at.place;
}

lbVec3 lb_touch_place(const lbWorldTouch *touch, int32_t c, int side) {
  const lbTouchCandidate *at = &touch->contacts[c].at;
  int32_t spot = spot_of(touch, c, side);
  if (spot >= 0) return touch->spots[spot].point;
  return side ? at->point : lb_add_scaled(at->point, at->gap, at->normal);
}

// Forces of two bodies on each other act between their spots.
static void join_points(lbWorldTouch *touch) {
  for (int32_t c = 0; c < touch->contact_count; c++) {
    int32_t a = spot_of(touch, c, 0), b = spot_of(touch, c, 1);
    if (a < 0 || b < 0) continue;
    lbVec3 middle = lb_scale(0.5, lb_add(touch->spots[a].point, touch->spots[b].point));
    touch->spots[a].point = touch->spots[b].point = middle;
  }
}

// amounts <- those of contacts, for each spot.
static void share_out(lbWorldTouch *touch, const double *of_contacts) {
  int32_t count = 0;
  for (int32_t t = 0; t < touch->toucher_count; t++) count += touch->touchers[t].count;
  for (int32_t i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) {
      double amount = of_contacts[3 * (touch->owners[i] / 2) + k];
      touch->amounts[3 * i + k] = touch->owners[i] & 1 ? -amount : amount;
    }
}

// ---- the problem -------------------------------------------------------------------------------

static lbContactProblem make_problem(const lbWorldTouch *touch) {
  return (lbContactProblem){ .contact_count = touch->contact_count,
                             .part_count = touch->toucher_count,
                             .sides = touch->sides,
                             .free = touch->free,
                             .friction = touch->frictions,
                             .parts = touch->parts,
                             .sweeps_most = touch->looks ? SWEEPS_LOOK : SWEEPS,
                             .tolerance = TOLERANCE,
                             .work = touch->solve_work,
                             .level = touch->level };
}

typedef struct Solving {
  lbWorldTouch *touch;
  double *x;
} Solving;

static void solve_islands(int32_t begin, int32_t end, void *context) {
  Solving *s = context;
  const int32_t *at = s->touch->island_begin;
  for (int32_t i = begin; i < end; i++) {
    if (s->touch->settled[i]) continue;
    lbContactProblem problem = make_problem(s->touch);
    problem.contact_count = at[i + 1] - at[i];
    problem.list = s->touch->by_island + at[i];
    problem.enough = s->touch->enoughs[i];
    s->touch->sweeps[i] = lb_touch_solve(s->touch, &problem, at[i], s->x);
  }
}

// Of each island: by how deep its places would get, whether they are solved for or not.
static void find_enoughs(lbWorldTouch *touch) {
  for (int32_t i = 0; i < touch->island_count; i++) touch->enoughs[i] = touch->sweeps[i] = 0;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    double *enough = &touch->enoughs[lb_island_of(touch, c)];
    *enough = fmax(*enough, -touch->enough * touch->free[3 * c]);
  }
}

int32_t lb_touch_solve_all(lbWorldTouch *touch, double *x) {
  Solving s = { touch, x };
  int32_t most = 0;
  double start = lb_seconds();
  find_enoughs(touch);
  lb_parallel_for(touch->island_count, 1 + touch->island_count / TASKS, solve_islands, &s);
  touch->stats.solve_seconds += lb_seconds() - start;
  for (int32_t i = 0; i < touch->island_count; i++)
    if (touch->sweeps[i] > most) most = touch->sweeps[i];
  return most;
}

static void for_touchers(lbWorld *world, lbRangeTask *task) {
  double start = lb_seconds();
  lb_parallel_for(world->touch->toucher_count, BODIES, task, world);
  world->touch->stats.response_seconds += lb_seconds() - start;
}

// ---- how bodies give way -----------------------------------------------------------------------

static void clear_matrix(lbContactPart *part) {
  size_t n = 3 * (size_t)part->count;
  memset(part->matrix, 0, n * n * sizeof *part->matrix);
}

// Where the spots of bodies come to, and how their shapes give way, in steps that are opened for
// that.
static void open_steps(int32_t begin, int32_t end, void *context) {
  lbWorld *world = context;
  lbWorldTouch *touch = world->touch;
  for (int32_t t = begin; t < end; t++) {
    lbWorldToucher *toucher = &touch->touchers[t];
    lbSpot *spots = touch->spots + toucher->first;
    lbVec3 *ways = touch->ways + toucher->first;
    toucher->open = lb_touch_open(&toucher->touching, world->slots[toucher->slot].body, world->h);
    if (!toucher->rows) clear_matrix(&touch->parts[t]);
    for (int32_t i = 0; i < toucher->count; i++) {
      ways[i] = lb_vec3(0, 0, 0);
      if (toucher->open) ways[i] = lb_touch_way(&toucher->touching, &spots[i], &spots[i].point);
    }
    if (toucher->rows)
      lb_choose_open(toucher, spots);
    else if (toucher->open)
      lb_touch_moves(&toucher->touching, toucher->count, spots, touch->parts[t].matrix);
    if (toucher->open) lb_joints_open(world, t);
    lb_touch_close(&toucher->touching);
  }
}

static void add_frames(int32_t begin, int32_t end, void *context) {
  lbWorldTouch *touch = ((lbWorld *)context)->touch;
  for (int32_t t = begin; t < end; t++) {
    lbWorldToucher *toucher = &touch->touchers[t];
    const lbSpot *spots = touch->spots + toucher->first;
    if (!toucher->open) continue;
    if (toucher->rows)
      lb_choose_add_frame(toucher, spots);
    else
      lb_touch_add_frame(&toucher->touching, toucher->count, spots, touch->parts[t].matrix);
  }
}

static void hold_forces(int32_t begin, int32_t end, void *context) {
  lbWorldTouch *touch = ((lbWorld *)context)->touch;
  for (int32_t t = begin; t < end; t++)
    if (touch->touchers[t].open)
      lb_touch_hold(&touch->touchers[t].touching, touch->touchers[t].count,
                    touch->spots + touch->touchers[t].first,
                    touch->amounts + 3 * (size_t)touch->touchers[t].first);
}

// ---- forces ------------------------------------------------------------------------------------

// How a contact's first side moves against its second by what is in `ways`; `share` of the way of
// a collider.
static lbVec3 relative_way(const lbWorld *world, int32_t c, double share) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  int32_t a = spot_of(touch, c, 0), b = spot_of(touch, c, 1);
  lbVec3 way = a < 0 ? lb_vec3(0, 0, 0) : touch->ways[a];
  if (b >= 0) return lb_sub(way, touch->ways[b]);
  if (contact->collider < 0) return way;
  const lbWorldCollider *collider = &world->colliders[contact->collider];
  return lb_add_scaled(way, -share, lb_collider_way(collider, contact->at.point));
}

// free <- gap and slip at the step's end without contact forces. What overlaps at the start need
// come apart only by so much in a step.
static void find_free(const lbWorld *world, int32_t c) {
  lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  lbVec3 way = relative_way(world, c, 1);
  double *free = touch->free + 3 * (size_t)c;
  for (int k = 0; k < 3; k++) free[k] = lb_dot(contact->axes[k], way);
  double gap = contact->at.gap;
  double parting = lb_touch_parting(contact->at.feature);
  free[0] += gap < 0 ? fmax(SHARE * gap, -parting * world->h) : gap;
}

double lb_touch_free_way(const lbWorld *world, int32_t c) {
  return lb_dot(world->touch->contacts[c].axes[0], relative_way(world, c, 1));
}

// Springs and joints change the matrices of bodies.
static bool may_choose(const lbWorld *world) {
  return world->settings.response == LB_RESPONSE_IMPLICIT && !lb_joints_hold_any(world);
}

static void find_responses(lbWorld *world) {
  make_parts(world->touch);
  lb_choose_place(world, may_choose(world));
  for_touchers(world, open_steps);
  join_points(world->touch);
  for_touchers(world, add_frames);
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

static void solve_contacts(lbWorld *world, double *x) {
  int32_t sweeps = lb_touch_solve_all(world->touch, x), *most = &world->touch->stats.sweeps;
  if (sweeps > *most) *most = sweeps;
}

// Forces of contacts and joints, and bodies hold them.
static void solve(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  if (lb_joints_hold_any(world)) {
    lb_joints_make_rows(world);
    lb_joints_solve(world, false, &touch->parts, touch->forces, solve_contacts);
    lb_joints_note_rest(world);
    lb_joints_keep(world);
  } else if (touch->chooses)
    lb_choose_solve(world, solve_contacts);
  else
    solve_contacts(world, touch->forces);
  share_out(touch, touch->forces);
  for_touchers(world, hold_forces);
}

// Once more, about where the forces lead to.
static void find_again(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  find_responses(world);
  lbContactProblem problem = make_problem(touch);
  lb_contact_moves(&problem, touch->forces);
  for (int32_t c = 0; c < touch->contact_count; c++) {
    double by[3];
    find_free(world, c);
    lb_contact_move(&problem, c, by);
    for (int k = 0; k < 3; k++) touch->free[3 * c + k] -= by[k];
  }
  for (int32_t t = 0; t < touch->toucher_count; t++)
    lb_touch_release(touch->touchers[t].touching.body);
  world->linked->again = true;
  solve(world);
  world->linked->again = false;
}

static double enough_of(double h) { return ENOUGH * fmin(fmax(STEP / h, 1), LOOSER); }

void lb_touch_begin(lbWorld *world, double start, double end) {
  lbWorldTouch *touch = world->touch;
  double begun = lb_seconds();
  if (world->halvings == 0) touch->stats = (lbContactStats){ 0 };
  touch->enough = lb_joints_hold_any(world) ? ENOUGH_LINKED : enough_of(world->h);
  lb_colliders_lead(world, start, end);
  lb_sleep_watch(world);
  lb_touch_find(world);
  for (int32_t c = 0; c < touch->contact_count; c++) place_rigid(world, &touch->contacts[c]);
  list(world);
  lb_sleep_group(world);
  lb_retry_keep_touchers(world);
  touch->stats.find_seconds += lb_seconds() - begun;
  touch->stats.dropped += touch->dropped;
  touch->energy_noted = false;
  if (touch->contact_count == 0 && !lb_joints_hold_any(world)) return;
  for (int32_t c = 0; c < touch->contact_count; c++)
    touch->frictions[c] = touch->contacts[c].friction;
  if (touch->stops) lb_energy_note(world, true);
  lb_touch_stop(world);
  find_responses(world);
  for (int32_t c = 0; c < touch->contact_count; c++) find_free(world, c);
  if (!touch->stops) lb_energy_note(world, false);
  recall(touch);
  lb_touch_soften(world);
  solve(world);
  if (world->settings.response != LB_RESPONSE_PENALTY && lb_joints_turn_far(world))
    find_again(world);
  if (world->halvings > 0) return; // told of the whole step
  touch->stats.contacts = touch->contact_count;
  touch->stats.islands = touch->island_count;
}

// ---- impulses ----------------------------------------------------------------------------------

// Contacts without a force are done with, and those of bodies that will take their step again.
static void keep_pushing(const lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  int32_t kept = 0;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    bool stopped = touch->stops && touch->stops[3 * c] > 0;
    if (!(touch->forces[3 * c] > 0) && !stopped) continue;
    const int32_t *slots = touch->contacts[c].slots;
    if (!gives_way(world, slots[0]) && !gives_way(world, slots[1])) continue;
    if (touch->stops)
      memmove(touch->stops + 3 * (size_t)kept, touch->stops + 3 * (size_t)c, 3 * sizeof(double));
    touch->contacts[kept] = touch->contacts[c];
    touch->frictions[kept] = touch->frictions[c];
    memmove(touch->forces + 3 * (size_t)kept, touch->forces + 3 * (size_t)c, 3 * sizeof(double));
    kept++;
  }
  touch->contact_count = kept;
}

// ways <- velocities of bodies' spots now, and how impulses change them.
static void look(int32_t begin, int32_t end, void *context) {
  lbWorld *world = context;
  lbWorldTouch *touch = world->touch;
  for (int32_t t = begin; t < end; t++) {
    lbWorldToucher *toucher = &touch->touchers[t];
    const lbBody *body = world->slots[toucher->slot].body;
    lbScratch *scratch = lb_scratch_borrow(body->prepared);
    lbSpot *spots = touch->spots + toucher->first;
    lbVec3 *ways = touch->ways + toucher->first;
    toucher->open = scratch && lb_touch_look(body, scratch);
    clear_matrix(&touch->parts[t]);
    for (int32_t i = 0; i < toucher->count; i++) {
      ways[i] = lb_vec3(0, 0, 0);
      if (toucher->open) ways[i] = lb_touch_velocity(body, scratch, &spots[i], &spots[i].point);
    }
    if (toucher->open)
      lb_touch_speeds(body, scratch, toucher->count, spots, touch->parts[t].matrix);
    if (toucher->open) lb_joints_look(world, t, scratch);
    lb_scratch_return(body->prepared, scratch);
  }
}

static void add_frame_speeds(int32_t begin, int32_t end, void *context) {
  lbWorld *world = context;
  lbWorldTouch *touch = world->touch;
  for (int32_t t = begin; t < end; t++)
    if (touch->touchers[t].open)
      lb_touch_add_frame_speeds(world->slots[touch->touchers[t].slot].body,
                                touch->touchers[t].count, touch->spots + touch->touchers[t].first,
                                touch->parts[t].matrix);
}

static void look_at_all(lbWorld *world) {
  make_parts(world->touch);
  for_touchers(world, look);
}

static void find_speeds(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  join_points(touch);
  for_touchers(world, add_frame_speeds);
  for (int32_t c = 0; c < touch->contact_count; c++) {
    lbVec3 velocity = relative_way(world, c, 1 / world->h);
    for (int k = 0; k < 3; k++)
      touch->free[3 * c + k] = lb_dot(touch->contacts[c].axes[k], velocity);
  }
}

void lb_touch_find_speeds(lbWorld *world) {
  look_at_all(world);
  find_speeds(world);
}

// free <- as if the held forces had not acted; impulses <- theirs
static void leave_out_held(const lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  lbContactProblem problem = make_problem(touch);
  for (int32_t i = 0; i < 3 * touch->contact_count; i++)
    touch->impulses[i] = world->h * touch->forces[i];
  lb_contact_moves(&problem, touch->impulses);
  for (int32_t c = 0; c < touch->contact_count; c++) { // v = free + S (J - h f)
    double by[3];
    lb_contact_move(&problem, c, by);
    for (int k = 0; k < 3; k++) touch->free[3 * c + k] -= by[k];
    if (touch->forces[3 * c] == 0) touch->free[3 * c] = NEVER;
  }
}

static void strike(int32_t begin, int32_t end, void *context) {
  lbWorld *world = context;
  lbWorldTouch *touch = world->touch;
  for (int32_t t = begin; t < end; t++) {
    const lbWorldToucher *toucher = &touch->touchers[t];
    lbBody *body = world->slots[toucher->slot].body;
    lbScratch *scratch = toucher->open ? lb_scratch_borrow(body->prepared) : NULL;
    if (!scratch) continue;
    lb_touch_strike(body, toucher->count, touch->spots + toucher->first,
                    touch->amounts + 3 * (size_t)toucher->first, scratch);
    lb_scratch_return(body->prepared, scratch);
  }
}

void lb_touch_strike_all(lbWorld *world, const double *impulses) {
  share_out(world->touch, impulses);
  for_touchers(world, strike);
}

// ---- what is told, and remembered --------------------------------------------------------------

static lbRememberedContact remember(const lbWorldTouch *touch, int32_t c) {
  const lbWorldContact *contact = &touch->contacts[c];
  lbRememberedContact to = { .collider = contact->collider, .feature = contact->at.feature };
  for (int side = 0; side < 2; side++) {
    to.slots[side] = contact->slots[side];
    to.triangles[side] = contact->at.triangles[side];
  }
  memcpy(to.forces, touch->forces + 3 * (size_t)c, sizeof to.forces);
  return to;
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

static lbContact report(const lbWorld *world, int32_t c) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  const double *J = touch->impulses + 3 * (size_t)c;
  lbContact to = { .point = contact->at.point,
                   .normal = contact->at.normal,
                   .gap = contact->at.gap,
                   .sliding = hypot(J[1], J[2]) >= (1 - 1e-6) * contact->friction * J[0] };
  for (int k = 0; k < 3; k++) to.force = lb_add_scaled(to.force, J[k] / world->h, contact->axes[k]);
  for (int side = 0; side < 2; side++) {
    int32_t slot = contact->slots[side];
    const double *w = contact->at.weights[side];
    if (slot < 0) {
      to.collider = lb_world_id(contact->collider, world->colliders[contact->collider].generation);
      continue;
    }
    to.bodies[side] = lb_world_id(slot, world->slots[slot].generation);
    bool rigid = contact->at.triangles[side] < 0;
    to.points[side] = rigid ? nearest_vertex(world->slots[slot].body, contact->at.point)
                            : lb_point_triangle(contact->at.triangles[side], w[0], w[1], w[2]);
  }
  return to;
}

void lb_touch_sum_up(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  for (int32_t i = 0; i < world->slot_count; i++) touch->sums[i] = lb_vec3(0, 0, 0);
  for (int32_t k = 0; k < touch->remembered_count; k++)
    for (int side = 0; side < 2; side++) {
      int32_t slot = touch->remembered[k].slots[side];
      if (slot >= 0 && slot < world->slot_count)
        touch->sums[slot] =
            lb_add_scaled(touch->sums[slot], side ? -1 : 1, touch->reports[k].force);
    }
}

// Those of bodies that sleep stay, those that push follow.
static void tell(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  touch->remembered_count = touch->staying_count;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    const int32_t *slots = touch->contacts[c].slots;
    if (!(touch->impulses[3 * c] > 0)) continue;
    if (!gives_way(world, slots[0]) && !gives_way(world, slots[1])) continue;
    touch->remembered[touch->remembered_count] = remember(touch, c);
    touch->reports[touch->remembered_count++] = report(world, c);
  }
  lb_touch_sum_up(world);
}

// impulses <- of the step: what brings velocities to rest against each other. Bodies have been
// looked at.
static void find_impulses(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  find_speeds(world);
  leave_out_held(world);
  bool jointed = lb_joints_go(world);
  if (jointed) {
    lb_joints_measure_speeds(world);
    lb_joints_solve(world, true, &touch->parts, touch->impulses, solve_contacts);
  } else
    solve_contacts(world, touch->impulses);
  if (!jointed) lb_touch_keep_energy(world);
  double *changes = touch->free; // done with
  for (int32_t i = 0; i < 3 * touch->contact_count; i++)
    changes[i] = touch->impulses[i] - world->h * touch->forces[i];
  lb_touch_strike_all(world, changes);
  if (jointed) lb_joints_finish(world);
  for (int32_t i = 0; i < 3 * touch->contact_count && touch->stops; i++)
    touch->impulses[i] += touch->stops[i];
}

static void look_at_pushing(lbWorld *world) {
  keep_pushing(world);
  list(world);
  look_at_all(world);
}

void lb_touch_finish(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  if (touch->contact_count > 0 || lb_joints_hold_any(world)) {
    look_at_pushing(world);
    if (world->halvings == 0) touch->stats.pushing = touch->contact_count;
    touch->missed = lb_retry_mark(world);
    if (touch->missed) look_at_pushing(world);
    find_impulses(world);
    touch->missed |= lb_retry_mark_risen(world);
  }
  tell(world);
  lb_sleep_update(world);
  lb_colliders_feel(world);
  lb_colliders_arrive(world);
}
