// Forces of the contacts of an island: sweeps over them, the exact solver (solve/active_set.h)
// where sweeps do not get there, the compliance of the contacts, and the energy of impulses.
#include "world/touch.h"

#include "solve/active_set.h"

#include <string.h>

#define WORK (18 * LB_LCP_CONTACTS + 24) // numbers of lb_lcp_room, a contact at most
#define EXACTLY 512                      // contacts in a step that are solved by pivoting, at most
#define UNFINISHED 1e-3 // of the deepest way through each other: what sweeps may leave
#define ENOUGH 1e-6     // of the largest force: what pivoting may leave where sweeps failed
// The share of how a contact's bodies (without joints) move at it that is its own compliance. The
// problem then has a solution where more contacts press a body than it has freedoms: no force is
// greater than what would move its place by gap / COMPLIANCE. Contacts at rest overlap by about
// that share of what their forces move them in a step (under a micrometre by their weight at
// 60 Hz). Twice as much halves the one and doubles the other.
#define COMPLIANCE 1e-4

// ---- memory ------------------------------------------------------------------------------------

static int32_t exact_room(int32_t contacts) { return contacts < EXACTLY ? contacts : EXACTLY; }

void lb_touch_reserve_response(lbReservation *r, lbWorldTouch *touch, int32_t room) {
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

void lb_touch_find_compliances(lbWorldTouch *touch, bool forces) {
  for (int32_t c = 0; c < touch->contact_count; c++)
    for (int k = 0; k < 3; k++) {
      double moves = 0;
      for (int side = 0; side < 2; side++) moves += own_move(touch, touch->sides[2 * c + side], k);
      bool gives = forces && k == 0;
      touch->compliances[3 * c + k] =
          COMPLIANCE * fmax(moves, 0) + (gives ? touch->contacts[c].compliance : 0);
    }
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
