// How contacts respond (lbContactResponse): what a step does differently for each.
//
//   implicit  forces by Gauss-Seidel, impulses after the step
//   lcp       impulses before the step that no contact approaches any more, then forces, both by
//             pivoting (solve/active_set.h) where there are few contacts
//   penalty   springs with dampers between surfaces that overlap; the springs are part of the step,
//             each a give of its own beside that of the bodies, so they are stable at any stiffness
#include "world/touch.h"

#include "solve/active_set.h"

#include <string.h>

#define WORK (18 * LB_LCP_CONTACTS + 24) // numbers of lb_lcp_room, a contact at most
#define EXACTLY 512                      // contacts in a step that are solved by pivoting, at most
#define FEW 30                           // of an island: they are, whatever sweeps would do (lcp)
#define UNFINISHED 1e-3 // of the deepest way through each other: what sweeps may leave
#define ENOUGH 1e-6     // of the largest force: what pivoting may leave where sweeps failed
#define STOP_SPEED 1.0  // m/s: a spring stops a body of this speed
#define STOP_DEPTH 0.01 // within this share of its radius
#define DAMPING 1.0     // of the critical one
// The share of how a contact's bodies (without joints) move at it that is its own compliance. The
// problem then has a solution where more contacts press a body than it has freedoms: no force is
// greater than what would move its place by gap / COMPLIANCE. Contacts at rest overlap by about
// that share of what their forces move them in a step (under a micrometre by their weight at
// 60 Hz). Twice as much halves the one and doubles the other.
#define COMPLIANCE 1e-4
#define GIVES_BACK                                                                                 \
  0.5 // of the parting speed: what a spring does in a step; it leaves with twice that

// ---- memory ------------------------------------------------------------------------------------

static int32_t exact_room(int32_t contacts) { return contacts < EXACTLY ? contacts : EXACTLY; }

void lb_touch_reserve_response(lbReservation *r, const lbWorld *world, lbWorldTouch *touch,
                               int32_t room) {
  bool lcp = world->settings.response == LB_RESPONSE_LCP;
  if (lcp) lb_reserve(r, &touch->stops, 3 * (size_t)room, sizeof(double));
  lb_reserve(r, &touch->lcp_work, (size_t)exact_room(room), WORK * sizeof(double));
}

// ---- forces ------------------------------------------------------------------------------------

// Whether places still get through each other by a good part of what they would without forces.
static bool is_unfinished(const lbContactProblem *problem, const double *x) {
  return lb_contact_residual(problem, x) > UNFINISHED * lb_contact_deepest(problem);
}

// What is heavy on what is light takes thousands of sweeps: where those that were asked for are not
// enough, Newton's method on the active set finds the forces of islands that are small enough for
// it. Otherwise forces stay what they are; they push and keep to their cones all the same.
static void solve_exactly(const lbWorldTouch *touch, const lbContactProblem *problem, int32_t first,
                          double *x) {
  bool fits = first + problem->contact_count <= exact_room(touch->contact_room);
  if (fits && lb_lcp_solve(problem, ENOUGH, touch->lcp_work + WORK * (size_t)first, x))
    lb_contact_moves(problem, x);
}

int32_t lb_touch_solve(const lbWorldTouch *touch, const lbContactProblem *problem, int32_t first,
                       double *x) {
  bool few = problem->contact_count <= FEW &&
             first + problem->contact_count <= exact_room(touch->contact_room);
  if (touch->stops && few && lb_lcp_solve(problem, 0, touch->lcp_work + WORK * (size_t)first, x))
    return 1;
  int32_t sweeps = lb_contact_solve(problem, x);
  if (!touch->looks && sweeps == problem->sweeps_most && is_unfinished(problem, x))
    solve_exactly(touch, problem, first, x);
  return sweeps;
}

// ---- compliance --------------------------------------------------------------------------------

static double own_move(const lbWorldTouch *touch, lbContactSide side, int axis) {
  if (side.body < 0) return 0;
  const lbWorldToucher *toucher = &touch->touchers[side.body];
  const lbContactPart *part = &touch->parts[side.body];
  size_t row = 3 * (size_t)side.place + (size_t)axis;
  if (!toucher->rows) return part->matrix[row * (3 * (size_t)part->count + 1)];
  size_t at = row * toucher->width, moved = 3 * (size_t)toucher->count * toucher->width + at;
  double sum = 0;
  for (size_t i = 0; i < toucher->width; i++)
    sum += toucher->rows[at + i] * toucher->rows[moved + i];
  return sum;
}

void lb_touch_find_compliances(lbWorldTouch *touch) {
  for (int32_t c = 0; c < touch->contact_count; c++)
    for (int k = 0; k < 3; k++) {
      double moves = 0;
      for (int side = 0; side < 2; side++) moves += own_move(touch, touch->sides[2 * c + side], k);
      touch->compliances[3 * c + k] = COMPLIANCE * fmax(moves, 0);
    }
}

// ---- penalty -----------------------------------------------------------------------------------

typedef struct Spring {
  double stiffness; // N/m
  double mass;      // kg, that it stops
} Spring;

static Spring spring_of(const lbWorld *world, int32_t slot) {
  const lbWorldTouch *touch = world->touch;
  double radius = lb_touch_radius(touch, slot);
  double mass = world->slots[slot].body->prepared->mass;
  double rate = STOP_SPEED / (STOP_DEPTH * radius); // m v²/2 = k d²/2
  return (Spring){ mass * rate * rate, mass };
}

static Spring spring_between(const lbWorld *world, const lbWorldContact *contact) {
  Spring a = spring_of(world, contact->slots[0]);
  if (contact->slots[1] < 0) return a;
  Spring b = spring_of(world, contact->slots[1]);
  return (Spring){ a.stiffness * b.stiffness / (a.stiffness + b.stiffness),
                   a.mass * b.mass / (a.mass + b.mass) };
}

// A spring of stiffness k with a damper c pushes with  x = -k g - c (g - g0)/h  at the end's gap g:
// the gap that it pushes from, g - c/h / (k + c/h) g0, stays positive or is closed up to the
// spring's own give x / (k + c/h). Along the surface it pulls by what it did, less k times the
// slip.
static void soften(lbWorld *world, int32_t c) {
  lbWorldTouch *touch = world->touch;
  const lbWorldContact *contact = &touch->contacts[c];
  const double *before = touch->forces + 3 * (size_t)c;
  double *free = touch->free + 3 * (size_t)c;
  Spring spring = spring_between(world, contact);
  double k = spring.stiffness, damper = 2 * DAMPING * sqrt(k * spring.mass) / world->h;
  double gap = contact->at.gap, free_way = lb_touch_free_way(world, c);
  double parting = GIVES_BACK * lb_touch_parting(contact->at.feature);
  free[0] = free_way + (gap < 0 ? fmax(gap * k / (k + damper), -parting * world->h) : gap);
  for (int i = 1; i < 3; i++) free[i] -= before[i] / k;
  lbContactSide side = touch->sides[2 * c + (touch->sides[2 * c].body < 0)];
  const lbContactPart *part = &touch->parts[side.body];
  for (int i = 0; i < 3; i++) {
    size_t row = 3 * (size_t)side.place + (size_t)i;
    part->matrix[row * 3 * (size_t)part->count + row] += 1 / (i ? k : k + damper);
  }
}

void lb_touch_soften(lbWorld *world) {
  if (world->settings.response != LB_RESPONSE_PENALTY) return;
  for (int32_t c = 0; c < world->touch->contact_count; c++) soften(world, c);
}

// ---- impulses before the step ------------------------------------------------------------------

// free <- speeds of contacts; what is still apart may come near. Whether any approaches.
static bool find_approach(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  bool approach = false;
  lb_touch_find_speeds(world);
  for (int32_t c = 0; c < touch->contact_count; c++) {
    touch->free[3 * c] += fmax(touch->contacts[c].at.gap, 0) / world->h;
    approach |= touch->free[3 * c] < 0;
  }
  return approach;
}

void lb_touch_stop(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  if (!touch->stops) return;
  memset(touch->stops, 0, 3 * (size_t)touch->contact_count * sizeof(double));
  if (!find_approach(world)) return;
  lb_touch_solve_all(touch, touch->stops);
  lb_touch_strike_all(world, touch->stops);
}

// ---- energy ------------------------------------------------------------------------------------

// Impulses take the place of forces that were held: what these did is taken back at once, while
// they were felt slowly by what is stiff. So the changes d of a whole island, with the speeds v
// that its contacts have and S how they change, may create energy, d (v + S d / 2); then only that
// share of them is made that creates none.
static void keep_energy(lbWorldTouch *touch, double h, int32_t island) {
  const int32_t *list = touch->by_island + touch->island_begin[island];
  int32_t count = touch->island_begin[island + 1] - touch->island_begin[island];
  double first = 0, second = 0; // of the share, and of its square
  lbContactProblem problem = { .contact_count = count,
                               .sides = touch->sides,
                               .parts = touch->parts,
                               .list = list,
                               .level = touch->level };
  double *held = touch->solve_work, *changes = held + 3 * (size_t)touch->contact_count;
  for (int32_t i = 0; i < count; i++)
    for (int32_t k = 3 * list[i]; k < 3 * list[i] + 3; k++) {
      held[k] = h * touch->forces[k];
      changes[k] = touch->impulses[k] - held[k];
    }
  lb_contact_moves(&problem, held);
  for (int32_t i = 0; i < count; i++) {
    double by[3];
    lb_contact_move(&problem, list[i], by);
    for (int k = 0; k < 3; k++) {
      double change = changes[3 * list[i] + k];
      if (change != 0) first += change * (touch->free[3 * list[i] + k] + by[k]);
    }
  }
  lb_contact_moves(&problem, changes);
  for (int32_t i = 0; i < count; i++) {
    double by[3];
    lb_contact_move(&problem, list[i], by);
    for (int k = 0; k < 3; k++) second += 0.5 * changes[3 * list[i] + k] * by[k];
  }
  if (!(first + second > 0)) return;
  double share = first < 0 && second > 0 ? fmin(-first / second, 1) : 0;
  for (int32_t i = 0; i < count; i++)
    for (int32_t k = 3 * list[i]; k < 3 * list[i] + 3; k++)
      touch->impulses[k] = held[k] + share * changes[k];
}

void lb_touch_keep_energy(lbWorld *world) {
  for (int32_t i = 0; i < world->touch->island_count; i++) keep_energy(world->touch, world->h, i);
}
