// Contacts and joints in a substep of a world's islands:
//
//   find contacts -> predict bodies -> compliance -> solve rows for forces -> bodies take the step
//   -> solve rows for impulses
//
// Forces are held over the substep and bring contact points and joints to their targets at its end.
// Impulses then bring their velocities to rest. Both are solutions of the same rows, with the
// compliance of a force held over the step and with the inverse mass (limber/contact.h has the
// law).
#include "world/joint.h"

#include "solve/island_solver.h"
#include "solve/tolerances.h"
#include "world/active_contacts.h"

#include <string.h>

// Of the deepest overlap that there would be without forces: what sweeps may leave. In shorter
// steps up to LOOSER times as much, so that a second has the same error.
#define GAP_TOLERANCE 3e-4
#define STEP (1.0 / 60) // s
#define LOOSER 3.0
#define OVERLAP_REMOVED 0.2 // of an overlap is taken back in a step, at most: doubled, heaps shake
#define NEVER 1e30          // m/s: a gap that nothing closes

// m/s: slower approaches do not bounce. Doubled, bodies come to rest sooner after their last
// bounce.
#define BOUNCE_SPEED 0.5

enum {
  BODIES = 1, // a task: a few microseconds at least
  TASKS = 16, // islands are solved in, at most
};

// ---- the problem -------------------------------------------------------------------------------

static lbContactProblem make_problem(const lbWorldTouch *touch) {
  return (lbContactProblem){ .contact_count = lb_touch_pair_blocks(touch),
                             .part_count = touch->contact_body_count,
                             .sides = touch->sides,
                             .free = touch->free,
                             .friction = touch->frictions,
                             .rolling_begin = touch->contact_count,
                             .rolling = touch->rolling_count > 0 ? touch->rolling : NULL,
                             .bounded_begin = lb_touch_pair_blocks(touch),
                             .compliance = touch->compliances,
                             .parts = touch->parts,
                             .tolerance = LB_FORCE_ERROR,
                             .level = touch->level };
}

typedef struct Solving {
  const lbWorld *world;
  double *x;
} Solving;

// Work of an island, whose blocks begin where those of others end. Room is shared out evenly.
static lbContactMemory memory_of(const lbWorldTouch *touch, int32_t first, int32_t count) {
  int32_t all = touch->island_begin[touch->island_count];
  size_t share = touch->block_room / (size_t)(all > 0 ? all : 1);
  if (share > LB_CONTACT_BLOCK) share = LB_CONTACT_BLOCK;
  return (lbContactMemory){ touch->solve_work + LB_CONTACT_WORK * (size_t)first,
                            touch->solve_integers + LB_CONTACT_INTS * (size_t)first,
                            touch->blocks + share * (size_t)first, share * (size_t)count };
}

// NULL: there is no room for the exact method.
static double *exact_work_of(const lbWorldTouch *touch, int32_t first, int32_t count) {
  if (lb_island_solver_room(count) == 0 || first + count > touch->exact_room) return NULL;
  return touch->exact_work + LB_EXACT_WORK * (size_t)first;
}

static void solve_islands(int32_t begin, int32_t end, void *context) {
  const Solving *s = context;
  const lbWorldTouch *touch = s->world->touch;
  const int32_t *at = touch->island_begin;
  for (int32_t i = begin; i < end; i++) {
    int32_t first = at[i], count = at[i + 1] - first;
    if (touch->settled[i] || count == 0) continue;
    lbContactProblem problem = make_problem(touch);
    problem.contact_count = count;
    problem.list = touch->by_island + first;
    problem.sides = touch->solver_sides, problem.parts = touch->solver_parts;
    if (touch->block_count > lb_touch_pair_blocks(touch))
      problem.low = s->world->linked->low, problem.high = s->world->linked->high;
    problem.move_tolerance = touch->gap_tolerances[i];
    problem.memory = memory_of(touch, first, count);
    lbIslandReport report =
        lb_island_solve(&problem, touch->looks, exact_work_of(touch, first, count), s->x);
    touch->sweeps[i] = report.sweeps;
  }
}

// Tolerances of islands, by how far their rows would be off, whether they are solved for or not.
static void find_tolerances(lbWorldTouch *touch) {
  for (int32_t i = 0; i < touch->island_count; i++) touch->gap_tolerances[i] = touch->sweeps[i] = 0;
  for (int32_t c = 0; c < touch->block_count; c++) {
    if (c >= touch->contact_count && c < lb_touch_pair_blocks(touch)) continue; // rad
    double *tolerance = &touch->gap_tolerances[lb_island_of(touch, c)];
    *tolerance = fmax(*tolerance, -touch->gap_tolerance * touch->free[3 * c]);
  }
}

// x <- solution of the rows that are listed, island by island.
static void solve_rows(lbWorld *world, double *x) {
  lbWorldTouch *touch = world->touch;
  Solving s = { world, x };
  double start = lb_seconds();
  memcpy(touch->solver_parts, touch->parts,
         (size_t)touch->contact_body_count * sizeof *touch->parts);
  if (lb_joints_hold_any(world)) lb_joints_merge(world, touch->solver_sides, touch->solver_parts);
  find_tolerances(touch);
  lb_parallel_for(touch->island_count, 1 + touch->island_count / TASKS, solve_islands, &s);
  for (int32_t i = 0; i < touch->island_count; i++) {
    touch->sweep_count += touch->sweeps[i];
    if (touch->sweeps[i] > touch->stats.sweeps) touch->stats.sweeps = touch->sweeps[i];
  }
  touch->stats.solve_seconds += lb_seconds() - start;
}

// The same of all rows.
static void solve_all_rows(lbWorld *world, double *x) {
  lbWorldTouch *touch = world->touch;
  memcpy(touch->solver_sides, touch->sides, 2 * (size_t)touch->block_count * sizeof *touch->sides);
  solve_rows(world, x);
}

static void solve_chosen_rows(lbWorld *world, double *x) {
  (void)x; // they are touch->forces
  lb_choose_solve(world, solve_rows);
}

// ---- compliance over the step ------------------------------------------------------------------

static void clear_matrix(lbContactPart *part) {
  size_t n = 3 * (size_t)part->count;
  memset(part->matrix, 0, n * n * sizeof *part->matrix);
}

// Predicts a body: free displacements of its contact points, and the compliance of its shape.
static void predict_body(lbWorld *world, int32_t t) {
  lbWorldTouch *touch = world->touch;
  lbContactBody *contact_body = &touch->contact_bodies[t];
  lbBody *body = world->slots[contact_body->slot].body;
  lbContactPoint *contact_points = touch->contact_points + contact_body->first;
  lbVec3 *ways = touch->ways + contact_body->first;
  contact_body->estimated = lb_compliance_is_estimated(world, contact_body->slot);
  contact_body->recalled = contact_body->estimated && lb_compliance_recall(world, t);
  if (world->linked && world->linked->again)
    contact_body->open = contact_body->open && lb_touch_reopen(&contact_body->touching);
  else
    contact_body->open = lb_touch_open(&contact_body->touching, body, world->h);
  body->take.unopened = !contact_body->open;
  body->take.unsolved = false;
  contact_body->estimated &= contact_body->open;
  if (contact_body->recalled) lb_touch_release(body);
  if (!contact_body->rows) clear_matrix(&touch->parts[t]);
  if (contact_body->open && touch->bounces) {
    for (int32_t i = 0; i < contact_body->count; i++)
      touch->velocities[contact_body->first + i] =
          lb_touch_velocity(body, contact_body->touching.scratch, &contact_points[i], &ways[i]);
  }
  if (contact_body->open)
    lb_touch_ways(&contact_body->touching, contact_body->count, contact_points, ways);
  else
    memset(ways, 0, (size_t)contact_body->count * sizeof *ways);
  if (contact_body->rows)
    lb_choose_open(contact_body, contact_points);
  else if (contact_body->estimated)
    lb_touch_estimate_moves(&contact_body->touching, contact_body->count, contact_points,
                            touch->parts[t].matrix);
  else if (contact_body->open)
    lb_touch_moves(&contact_body->touching, contact_body->count, contact_points,
                   touch->parts[t].matrix);
  if (contact_body->open) lb_joints_open(world, t);
  if (!contact_body->estimated) lb_touch_close(&contact_body->touching);
}

static void predict_bodies(int32_t begin, int32_t end, void *context) {
  for (int32_t t = begin; t < end; t++) predict_body(context, t);
}

static void add_frame_compliance(int32_t begin, int32_t end, void *context) {
  lbWorldTouch *touch = ((lbWorld *)context)->touch;
  for (int32_t t = begin; t < end; t++) {
    lbContactBody *contact_body = &touch->contact_bodies[t];
    const lbContactPoint *contact_points = touch->contact_points + contact_body->first;
    if (!contact_body->open || contact_body->estimated) continue;
    if (contact_body->rows)
      lb_choose_add_frame(contact_body, contact_points);
    else
      lb_touch_add_frame(&contact_body->touching, contact_body->count, contact_points,
                         touch->parts[t].matrix);
  }
}

static void build_compliance(lbWorld *world) {
  lb_touch_make_parts(world->touch);
  lb_choose_place(world);
  lb_touch_for_contact_bodies(world, BODIES, predict_bodies);
  lb_touch_join_points(world->touch);
  lb_touch_for_contact_bodies(world, BODIES, add_frame_compliance);
  lb_touch_find_compliances(world->touch, true);
}

// ---- gaps --------------------------------------------------------------------------------------

// The displacement of a contact's first side relative to its second, by what is in `ways`; a
// collider's is taken by `share`.
static lbVec3 relative_way(const lbWorld *world, int32_t c, double share) {
  const lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  int32_t a = lb_touch_point_index(touch, c, 0), b = lb_touch_point_index(touch, c, 1);
  lbVec3 way = a < 0 ? lb_vec3(0, 0, 0) : touch->ways[a];
  if (b >= 0) return lb_sub(way, touch->ways[b]);
  if (contact->collider < 0) return way;
  const lbWorldCollider *collider = &world->colliders[contact->collider];
  return lb_add_scaled(way, -share, lb_collider_way(collider, contact->at.point));
}

double lb_contact_overlap_removed(const lbWorldContact *contact, double h) {
  double gap = contact->at.gap, share = contact->compliance > 0 ? 1 : OVERLAP_REMOVED;
  return gap < 0 ? fmin(-share * gap, lb_touch_parting(contact->at.feature) * h) : 0;
}

// Contacts that bounce: approaches <- relative velocities along their normals where the step
// begins.
static void measure_approaches(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    const lbWorldContact *contact = &touch->contacts[c];
    int32_t a = lb_touch_point_index(touch, c, 0), b = lb_touch_point_index(touch, c, 1);
    lbVec3 v = a < 0 ? lb_vec3(0, 0, 0) : touch->velocities[a];
    touch->approaches[c] = 0;
    if (contact->restitution == 0) continue;
    if (b >= 0)
      v = lb_sub(v, touch->velocities[b]);
    else if (contact->collider >= 0)
      v = lb_add_scaled(v, -1 / world->h,
                        lb_collider_way(&world->colliders[contact->collider], contact->at.point));
    touch->approaches[c] = lb_dot(contact->axes[0], v);
  }
}

// free <- gap and slip at the step's end without contact forces. An overlap is taken back slowly;
// that of a compliant contact is what its force comes from.
static void measure_contact(const lbWorld *world, int32_t c) {
  lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  lbVec3 way = relative_way(world, c, 1);
  double *free = touch->free + 3 * (size_t)c, gap = contact->at.gap;
  for (int k = 0; k < 3; k++) free[k] = lb_dot(contact->axes[k], way);
  free[0] += gap < 0 ? -lb_contact_overlap_removed(contact, world->h) : gap;
}

// ---- forces ------------------------------------------------------------------------------------

// Forces start from those of the last step.
static void recall_forces(lbWorldTouch *touch) {
  memset(touch->forces, 0, 3 * (size_t)touch->contact_count * sizeof(double));
  for (int32_t c = 0; c < touch->contact_count; c++) {
    int32_t known = touch->contacts[c].at.known;
    if (known < 0) continue;
    memcpy(touch->forces + 3 * (size_t)c, touch->remembered[known].forces, 3 * sizeof(double));
  }
  lb_rolling_recall(touch);
}

static void hold_contact_forces(int32_t begin, int32_t end, void *context) {
  lbWorldTouch *touch = ((lbWorld *)context)->touch;
  for (int32_t t = begin; t < end; t++)
    if (touch->contact_bodies[t].open && (touch->contact_bodies[t].jointed || !touch->only_jointed))
      lb_touch_hold(&touch->contact_bodies[t].touching, touch->contact_bodies[t].count,
                    touch->contact_points + touch->contact_bodies[t].first,
                    touch->amounts + 3 * (size_t)touch->contact_bodies[t].first);
}

// Bodies hold the forces of all rows over the step; or those that are jointed.
static void hold_forces(lbWorld *world, bool jointed) {
  lbWorldTouch *touch = world->touch;
  if (lb_joints_hold_any(world)) lb_joints_hold(world);
  lb_touch_share_out(touch, touch->forces);
  touch->only_jointed = jointed;
  lb_touch_for_contact_bodies(world, BODIES, hold_contact_forces);
  touch->only_jointed = false;
}

// Forces of all rows.
static void solve_forces(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  bool jointed = lb_joints_hold_any(world);
  for (int32_t c = 0; c < touch->contact_count; c++) measure_contact(world, c);
  lb_rolling_measure(world, false);
  if (jointed) {
    lb_joints_make_rows(world);
    lb_joints_eliminate(world, false);
    lb_islands_list(touch);
  }
  lb_compliance_solve(world, false, touch->chooses ? solve_chosen_rows : solve_all_rows,
                      touch->forces);
  if (jointed) lb_joints_back_substitute(world, false, touch->forces);
}

// ---- a second linearisation --------------------------------------------------------------------

// ways <- without what the held forces did.
static void remove_displacement(const lbWorldTouch *touch, int32_t t) {
  const lbContactBody *contact_body = &touch->contact_bodies[t];
  const lbContactPart *part = &touch->parts[t];
  int32_t n = 3 * part->count;
  const double *forces = touch->amounts + 3 * (size_t)contact_body->first;
  for (int32_t i = 0; i < n; i++) {
    int32_t at = contact_body->first + i / 3;
    double by = lb_row_dot(n, part->matrix + (size_t)i * (size_t)n, forces);
    touch->ways[at] = lb_add_scaled(touch->ways[at], -by, touch->contact_points[at].axes[i % 3]);
  }
}

static void predict_jointed(int32_t begin, int32_t end, void *context) {
  lbWorld *world = context;
  lbWorldTouch *touch = world->touch;
  for (int32_t t = begin; t < end; t++) {
    lbContactBody *contact_body = &touch->contact_bodies[t];
    if (!contact_body->jointed) continue;
    predict_body(world, t);
    lb_touch_release(world->slots[contact_body->slot].body);
  }
}

// A force acts at one point of both bodies: that of the body that was not predicted again stays.
static void keep_points(const lbWorld *world) {
  const lbWorldTouch *touch = world->touch;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    int32_t contact_points[2] = { lb_touch_point_index(touch, c, 0),
                                  lb_touch_point_index(touch, c, 1) };
    if (contact_points[0] < 0 || contact_points[1] < 0) continue;
    const lbContactSide *sides = touch->sides + 2 * (size_t)c;
    bool first = touch->contact_bodies[sides[0].body].jointed,
         second = touch->contact_bodies[sides[1].body].jointed;
    lbVec3 middle = lb_scale(0.5, lb_add(touch->contact_points[contact_points[0]].point,
                                         touch->contact_points[contact_points[1]].point));
    if (first != second) middle = touch->contact_points[contact_points[first]].point;
    touch->contact_points[contact_points[0]].point =
        touch->contact_points[contact_points[1]].point = middle;
  }
}

static void add_jointed_frame(int32_t begin, int32_t end, void *context) {
  lbWorldTouch *touch = ((lbWorld *)context)->touch;
  for (int32_t t = begin; t < end; t++) {
    lbContactBody *contact_body = &touch->contact_bodies[t];
    if (!contact_body->jointed || !contact_body->open) continue;
    lb_touch_add_frame(&contact_body->touching, contact_body->count,
                       touch->contact_points + contact_body->first, touch->parts[t].matrix);
    remove_displacement(touch, t);
  }
}

// Jointed bodies that turn far are not linear in their forces: they are predicted again, about
// where the forces lead to, and all rows are solved once more.
static void solve_again(lbWorld *world) {
  hold_forces(world, true);
  world->linked->again = true;
  lb_touch_for_contact_bodies(world, BODIES, predict_jointed);
  keep_points(world);
  lb_touch_for_contact_bodies(world, BODIES, add_jointed_frame);
  solve_forces(world);
  world->linked->again = false;
}

static double tolerance_of(double h) { return GAP_TOLERANCE * fmin(fmax(STEP / h, 1), LOOSER); }

void lb_substep_find(lbWorld *world, double start, double end) {
  lbWorldTouch *touch = world->touch;
  double begun = lb_seconds();
  if (world->take == 0) touch->stats = (lbContactStats){ 0 };
  touch->gap_tolerance = tolerance_of(world->h);
  lb_colliders_lead(world, start, end);
  lb_sleep_watch(world);
  lb_touch_find(world);
  lb_touch_place_rigid(world);
  lb_rolling_find(world);
  lb_touch_list(world);
  lb_sleep_group(world);
  lb_guard_save_islands(world);
  touch->stats.find_seconds += lb_seconds() - begun;
  touch->stats.dropped += touch->dropped;
}

static bool any_bounces(const lbWorldTouch *touch) {
  for (int32_t c = 0; c < touch->contact_count; c++)
    if (touch->contacts[c].restitution > 0) return true;
  return false;
}

void lb_substep_solve_forces(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  if (touch->contact_count == 0 && !lb_joints_hold_any(world)) return;
  lb_guard_weigh(world);
  for (int32_t c = 0; c < touch->contact_count; c++)
    touch->frictions[c] = touch->contacts[c].friction;
  recall_forces(touch);
  touch->bounces = any_bounces(touch);
  build_compliance(world);
  if (touch->bounces) measure_approaches(world);
  solve_forces(world);
  if (lb_joints_turn_far(world)) solve_again(world);
  hold_forces(world, false);
  lb_compliance_close(world);
  if (world->take > 0) return; // reports are of the whole step
  touch->stats.contacts = touch->contact_count;
  touch->stats.islands = touch->island_count;
}

// ---- impulses ----------------------------------------------------------------------------------

// Drops contacts without a force, and those of bodies that wait for their own substeps.
static void keep_pushing(const lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  int32_t kept = 0, before = touch->contact_count;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    if (!(touch->forces[3 * c] > 0)) continue;
    const int32_t *slots = touch->contacts[c].slots;
    if (!lb_touch_gives_way(world, slots[0]) && !lb_touch_gives_way(world, slots[1])) continue;
    touch->contacts[kept] = touch->contacts[c];
    touch->frictions[kept] = touch->frictions[c];
    touch->approaches[kept] = touch->approaches[c];
    memmove(touch->forces + 3 * (size_t)kept, touch->forces + 3 * (size_t)c, 3 * sizeof(double));
    kept++;
  }
  touch->contact_count = kept;
  lb_rolling_keep_pushing(world, before);
}

// ways <- velocities of contact points; how impulses change them.
static void read_velocities(int32_t begin, int32_t end, void *context) {
  lbWorld *world = context;
  lbWorldTouch *touch = world->touch;
  for (int32_t t = begin; t < end; t++) {
    lbContactBody *contact_body = &touch->contact_bodies[t];
    const lbBody *body = world->slots[contact_body->slot].body;
    lbScratch *scratch = lb_scratch_borrow(body->prepared);
    lbContactPoint *contact_points = touch->contact_points + contact_body->first;
    lbVec3 *ways = touch->ways + contact_body->first;
    contact_body->open = scratch && lb_touch_look(body, scratch);
    bool nodal = contact_body->open && lb_compliance_is_estimated(world, contact_body->slot);
    contact_body->estimated = nodal && !body->prepared->lumped;
    clear_matrix(&touch->parts[t]);
    if (contact_body->open)
      lb_touch_velocities(body, scratch, contact_body->count, contact_points, ways);
    else
      memset(ways, 0, (size_t)contact_body->count * sizeof *ways);
    if (nodal)
      lb_touch_estimate_speeds(body, scratch, contact_body->count, contact_points,
                               touch->parts[t].matrix);
    else if (contact_body->open)
      lb_touch_speeds(body, scratch, !lb_jointed_of(world, contact_body->slot), contact_body->count,
                      contact_points, touch->parts[t].matrix, &contact_body->touching.mobility);
    if (contact_body->open) lb_joints_look(world, t, scratch);
    lb_scratch_return(body->prepared, scratch);
  }
}

static void add_frame_mobility(int32_t begin, int32_t end, void *context) {
  lbWorld *world = context;
  lbWorldTouch *touch = world->touch;
  for (int32_t t = begin; t < end; t++)
    if (touch->contact_bodies[t].open && !touch->contact_bodies[t].estimated)
      lb_touch_add_frame_speeds(
          world->slots[touch->contact_bodies[t].slot].body,
          touch->contact_bodies[t].touching.mobility, touch->contact_bodies[t].count,
          touch->contact_points + touch->contact_bodies[t].first, touch->parts[t].matrix);
}

static void read_pushing(lbWorld *world) {
  keep_pushing(world);
  lb_touch_list(world);
  lb_touch_make_parts(world->touch);
  lb_touch_for_contact_bodies(world, BODIES, read_velocities);
}

// m/s: what a contact separates with, at least.
static double bounce_speed(const lbWorldTouch *touch, int32_t c) {
  double approach = touch->bounces ? -touch->approaches[c] : 0;
  return approach > BOUNCE_SPEED ? touch->contacts[c].restitution * approach : 0;
}

// free <- velocities of contacts.
static void measure_velocities(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  lb_touch_join_points(touch);
  lb_touch_for_contact_bodies(world, BODIES, add_frame_mobility);
  lb_touch_find_compliances(touch, false);
  for (int32_t c = 0; c < touch->contact_count; c++) {
    lbVec3 velocity = relative_way(world, c, 1 / world->h);
    for (int k = 0; k < 3; k++)
      touch->free[3 * c + k] = lb_dot(touch->contacts[c].axes[k], velocity);
    touch->free[3 * c] -= bounce_speed(touch, c);
  }
  lb_rolling_measure(world, true);
}

// free <- as if the held forces had not acted; impulses <- theirs
static void remove_held_forces(const lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  lbContactProblem problem = make_problem(touch);
  int32_t blocks = lb_touch_pair_blocks(touch);
  for (int32_t i = 0; i < 3 * blocks; i++) touch->impulses[i] = world->h * touch->forces[i];
  lb_contact_moves(&problem, touch->impulses);
  for (int32_t c = 0; c < blocks; c++) { // v = free + (S + c) (J - h f)
    double by[3];
    lb_contact_move(&problem, c, by);
    for (int k = 0; k < 3; k++)
      touch->free[3 * c + k] -= by[k] + touch->compliances[3 * c + k] * touch->impulses[3 * c + k];
    if (c < touch->contact_count && touch->forces[3 * c] == 0) touch->free[3 * c] = NEVER;
  }
}

static void apply_impulses(int32_t begin, int32_t end, void *context) {
  lbWorld *world = context;
  lbWorldTouch *touch = world->touch;
  for (int32_t t = begin; t < end; t++) {
    const lbContactBody *contact_body = &touch->contact_bodies[t];
    lbBody *body = world->slots[contact_body->slot].body;
    lbScratch *scratch = contact_body->open ? lb_scratch_borrow(body->prepared) : NULL;
    if (!scratch) continue;
    lb_touch_apply_impulses(body, contact_body->count, touch->contact_points + contact_body->first,
                            touch->amounts + 3 * (size_t)contact_body->first, scratch);
    lb_scratch_return(body->prepared, scratch);
  }
}

// impulses <- of the whole step: what brings velocities to rest against each other. Bodies get
// what is left of them beside the held forces.
static void solve_impulses(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  bool jointed = lb_joints_go(world);
  measure_velocities(world);
  remove_held_forces(world);
  if (jointed) {
    lb_joints_measure_speeds(world);
    lb_joints_eliminate(world, true);
    lb_islands_list(touch);
  }
  lb_compliance_solve(world, true, solve_all_rows, touch->impulses);
  if (jointed) lb_joints_back_substitute(world, true, touch->impulses);
  double *changes = touch->free; // its values are no longer needed
  for (int32_t i = 0; i < 3 * lb_touch_pair_blocks(touch); i++)
    changes[i] = touch->impulses[i] - world->h * touch->forces[i];
  lb_touch_share_out(touch, changes);
  lb_touch_for_contact_bodies(world, BODIES, apply_impulses);
  if (jointed) lb_joints_finish(world);
}

void lb_substep_solve_impulses(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  bool has_rows = touch->contact_count > 0 || lb_joints_hold_any(world);
  if (has_rows) read_pushing(world);
  if (has_rows && world->take == 0) touch->stats.pushing = touch->contact_count;
  if (lb_guard_check_steps(world) && has_rows) {
    lb_joints_drop_waiting(world);
    read_pushing(world);
  }
  if (has_rows) {
    solve_impulses(world);
    lb_guard_check_energy(world);
  }
  lb_touch_tell(world);
  if (world->take == 0) lb_sleep_update(world);
  lb_colliders_feel(world);
  lb_colliders_arrive(world);
}
