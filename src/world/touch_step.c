// Contacts in a part of a world's step: forces that bodies take into their steps, and impulses when
// they have taken them (limber/contact.h has the rule).
#include "world/joint.h"

#include "world/touch_choose.h"

#include <string.h>

#define SWEEPS 80
#define SWEEPS_LOOK 3   // where more follow
#define TOLERANCE 1e-6  // of the largest force: no smaller changes are wanted
#define ENOUGH 3e-4     // of the deepest that places would get into each other: nor of their moves
#define STEP (1.0 / 60) // s: of shorter steps more of it, up to
#define LOOSER 3.0      // times as much: in a second it is the same
#define SHARE 0.2       // of the overlap that a step takes back, at most
#define NEVER 1e30      // m/s: a gap that nothing closes
#define BODIES 1        // a task: a few microseconds at least
#define TASKS 16        // islands are solved in, at most

// ---- the problem -------------------------------------------------------------------------------

static lbContactProblem make_problem(const lbWorldTouch *touch) {
  return (lbContactProblem){ .contact_count = touch->contact_count,
                             .part_count = touch->toucher_count,
                             .sides = touch->sides,
                             .free = touch->free,
                             .friction = touch->frictions,
                             .compliance = touch->compliances,
                             .parts = touch->parts,
                             .sweeps_most = touch->looks ? SWEEPS_LOOK : SWEEPS,
                             .tolerance = TOLERANCE,
                             .level = touch->level };
}

typedef struct Solving {
  lbWorldTouch *touch;
  double *x;
} Solving;

// Of an island, whose contacts begin where those of others end. Blocks are shared out evenly.
static lbContactMemory memory_of(const lbWorldTouch *touch, int32_t first, int32_t count) {
  int32_t all = touch->island_begin[touch->island_count];
  size_t share = touch->block_room / (size_t)(all > 0 ? all : 1);
  if (share > LB_CONTACT_BLOCK) share = LB_CONTACT_BLOCK;
  return (lbContactMemory){ touch->solve_work + LB_CONTACT_WORK * (size_t)first,
                            touch->solve_integers + LB_CONTACT_INTS * (size_t)first,
                            touch->blocks + share * (size_t)first, share * (size_t)count };
}

static void solve_islands(int32_t begin, int32_t end, void *context) {
  Solving *s = context;
  const int32_t *at = s->touch->island_begin;
  for (int32_t i = begin; i < end; i++) {
    if (s->touch->settled[i]) continue;
    lbContactProblem problem = make_problem(s->touch);
    problem.contact_count = at[i + 1] - at[i];
    problem.list = s->touch->by_island + at[i];
    problem.enough = s->touch->enoughs[i];
    problem.memory = memory_of(s->touch, at[i], problem.contact_count);
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
  for (int32_t i = 0; i < touch->island_count; i++) touch->sweep_count += touch->sweeps[i];
  return most;
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
    toucher->estimated = lb_compliance_is_estimated(world, toucher->slot);
    toucher->recalled = toucher->estimated && lb_compliance_recall(world, t);
    if (world->linked && world->linked->again)
      toucher->open = toucher->open && lb_touch_reopen(&toucher->touching);
    else
      toucher->open = lb_touch_open(&toucher->touching, world->slots[toucher->slot].body, world->h);
    world->slots[toucher->slot].body->take.unopened = !toucher->open;
    toucher->estimated &= toucher->open;
    if (toucher->recalled) lb_touch_release(world->slots[toucher->slot].body);
    if (!toucher->rows) clear_matrix(&touch->parts[t]);
    if (toucher->open)
      lb_touch_ways(&toucher->touching, toucher->count, spots, ways);
    else
      memset(ways, 0, (size_t)toucher->count * sizeof *ways);
    if (toucher->rows)
      lb_choose_open(toucher, spots);
    else if (toucher->estimated)
      lb_touch_estimate_moves(&toucher->touching, toucher->count, spots, touch->parts[t].matrix);
    else if (toucher->open)
      lb_touch_moves(&toucher->touching, toucher->count, spots, touch->parts[t].matrix);
    if (toucher->open) lb_joints_open(world, t);
    if (!toucher->estimated) lb_touch_close(&toucher->touching);
  }
}

static void add_frames(int32_t begin, int32_t end, void *context) {
  lbWorldTouch *touch = ((lbWorld *)context)->touch;
  for (int32_t t = begin; t < end; t++) {
    lbWorldToucher *toucher = &touch->touchers[t];
    const lbSpot *spots = touch->spots + toucher->first;
    if (!toucher->open || toucher->estimated) continue;
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
  int32_t a = lb_touch_spot(touch, c, 0), b = lb_touch_spot(touch, c, 1);
  lbVec3 way = a < 0 ? lb_vec3(0, 0, 0) : touch->ways[a];
  if (b >= 0) return lb_sub(way, touch->ways[b]);
  if (contact->collider < 0) return way;
  const lbWorldCollider *collider = &world->colliders[contact->collider];
  return lb_add_scaled(way, -share, lb_collider_way(collider, contact->at.point));
}

double lb_touch_recovered(const lbWorldContact *contact, double h) {
  double gap = contact->at.gap;
  return gap < 0 ? fmin(-SHARE * gap, lb_touch_parting(contact->at.feature) * h) : 0;
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
  free[0] += gap < 0 ? -lb_touch_recovered(contact, world->h) : gap;
}

double lb_touch_free_way(const lbWorld *world, int32_t c) {
  return lb_dot(world->touch->contacts[c].axes[0], relative_way(world, c, 1));
}

// Springs and joints change the matrices of bodies.
static bool may_choose(const lbWorld *world) {
  return world->settings.response == LB_RESPONSE_IMPLICIT && !lb_joints_hold_any(world);
}

static void find_responses(lbWorld *world) {
  lb_touch_make_parts(world->touch);
  lb_choose_place(world, may_choose(world));
  lb_touch_for_touchers(world, BODIES, open_steps);
  lb_touch_join_points(world->touch);
  lb_touch_for_touchers(world, BODIES, add_frames);
  lb_touch_find_compliances(world->touch);
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

static void solve_linked(lbWorld *world, double *x) {
  lb_joints_solve(world, false, &world->touch->parts, x, solve_contacts);
}

static void solve_chosen(lbWorld *world, double *x) {
  (void)x; // they are touch->forces
  lb_choose_solve(world, solve_contacts);
}

// Forces of contacts and joints, and bodies hold them.
static void solve(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  bool linked = lb_joints_hold_any(world);
  if (linked) lb_joints_make_rows(world);
  lb_compliance_solve(world, false,
                      linked           ? solve_linked
                      : touch->chooses ? solve_chosen
                                       : solve_contacts,
                      touch->forces);
  if (linked) {
    lb_joints_note_rest(world);
    lb_joints_keep(world);
  }
  lb_compliance_close(world);
  lb_touch_share_out(touch, touch->forces);
  lb_touch_for_touchers(world, BODIES, hold_forces);
}

// Once more, about where the forces lead to.
static void find_again(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  world->linked->again = true;
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
  solve(world);
  world->linked->again = false;
}

static double enough_of(double h) { return ENOUGH * fmin(fmax(STEP / h, 1), LOOSER); }

void lb_touch_begin(lbWorld *world, double start, double end) {
  lbWorldTouch *touch = world->touch;
  double begun = lb_seconds();
  if (world->take == 0) touch->stats = (lbContactStats){ 0 };
  touch->enough = enough_of(world->h);
  lb_colliders_lead(world, start, end);
  lb_sleep_watch(world);
  lb_touch_find(world);
  lb_touch_place_rigid(world);
  lb_touch_list(world);
  lb_sleep_group(world);
  lb_guard_save_islands(world);
  touch->stats.find_seconds += lb_seconds() - begun;
  touch->stats.dropped += touch->dropped;
  if (touch->contact_count == 0 && !lb_joints_hold_any(world)) return;
  lb_guard_weigh(world);
  for (int32_t c = 0; c < touch->contact_count; c++)
    touch->frictions[c] = touch->contacts[c].friction;
  lb_touch_stop(world);
  recall(touch);
  find_responses(world);
  for (int32_t c = 0; c < touch->contact_count; c++) find_free(world, c);
  lb_touch_soften(world);
  solve(world);
  if (world->settings.response != LB_RESPONSE_PENALTY && lb_joints_turn_far(world))
    find_again(world);
  if (world->take > 0) return; // told of the whole step
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
    if (!lb_touch_gives_way(world, slots[0]) && !lb_touch_gives_way(world, slots[1])) continue;
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
    bool nodal = toucher->open && lb_compliance_is_estimated(world, toucher->slot);
    toucher->estimated = nodal && !body->prepared->lumped;
    clear_matrix(&touch->parts[t]);
    if (toucher->open)
      lb_touch_velocities(body, scratch, toucher->count, spots, ways);
    else
      memset(ways, 0, (size_t)toucher->count * sizeof *ways);
    if (nodal)
      lb_touch_estimate_speeds(body, scratch, toucher->count, spots, touch->parts[t].matrix);
    else if (toucher->open)
      lb_touch_speeds(body, scratch, !lb_jointed_of(world, toucher->slot), toucher->count, spots,
                      touch->parts[t].matrix, &toucher->touching.mobility);
    if (toucher->open) lb_joints_look(world, t, scratch);
    lb_scratch_return(body->prepared, scratch);
  }
}

static void add_frame_speeds(int32_t begin, int32_t end, void *context) {
  lbWorld *world = context;
  lbWorldTouch *touch = world->touch;
  for (int32_t t = begin; t < end; t++)
    if (touch->touchers[t].open && !touch->touchers[t].estimated)
      lb_touch_add_frame_speeds(world->slots[touch->touchers[t].slot].body,
                                touch->touchers[t].touching.mobility, touch->touchers[t].count,
                                touch->spots + touch->touchers[t].first, touch->parts[t].matrix);
}

static void look_at_all(lbWorld *world) {
  lb_touch_make_parts(world->touch);
  lb_touch_for_touchers(world, BODIES, look);
}

static void find_speeds(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  lb_touch_join_points(touch);
  lb_touch_for_touchers(world, BODIES, add_frame_speeds);
  lb_touch_find_compliances(touch);
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
  for (int32_t c = 0; c < touch->contact_count; c++) { // v = free + (S + c) (J - h f)
    double by[3];
    lb_contact_move(&problem, c, by);
    for (int k = 0; k < 3; k++)
      touch->free[3 * c + k] -= by[k] + touch->compliances[3 * c + k] * touch->impulses[3 * c + k];
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
  lb_touch_share_out(world->touch, impulses);
  lb_touch_for_touchers(world, BODIES, strike);
}

static void solve_linked_impulses(lbWorld *world, double *x) {
  lb_joints_solve(world, true, &world->touch->parts, x, solve_contacts);
}

// impulses <- of the step: what brings velocities to rest against each other. Bodies have been
// looked at.
static void find_impulses(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  find_speeds(world);
  leave_out_held(world);
  bool jointed = lb_joints_go(world);
  if (jointed) lb_joints_measure_speeds(world);
  lb_compliance_solve(world, true, jointed ? solve_linked_impulses : solve_contacts,
                      touch->impulses);
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
  lb_touch_list(world);
  look_at_all(world);
}

void lb_touch_finish(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  if (touch->contact_count > 0 || lb_joints_hold_any(world)) {
    look_at_pushing(world);
    if (world->take == 0) touch->stats.pushing = touch->contact_count;
    if (lb_guard_check_steps(world)) {
      lb_joints_drop_waiting(world);
      look_at_pushing(world);
    }
    find_impulses(world);
    lb_guard_check_energy(world);
  }
  lb_touch_tell(world);
  if (world->take == 0) lb_sleep_update(world);
  lb_colliders_feel(world);
  lb_colliders_arrive(world);
}
