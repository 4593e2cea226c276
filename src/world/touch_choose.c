// Which contacts are solved for. Of many places that could touch in a step few push, and those that
// pushed in the last step tell which. Of bodies most of whose contacts did not, responses are kept
// as a product (body/response.h), from which the matrix of those that are solved for is made, and
// which tells how all others move by it. Of these, who would be pushed through joins in, and forces
// are found again from where they are: nobody is left out in the end who pushes.
#include "world/joint.h"
#include "world/touch_choose.h"

#include <string.h>

#define ROUNDS 6  // of joining in: then all do
#define FEW 2     // times the contacts that pushed: with fewer, all of a body's are solved for
#define BODIES 16 // a task
#define MOST                                                                                       \
  (2 << 20) // numbers, 16 MB: products. Bodies beyond it have all of their contacts solved for

// ---- memory ------------------------------------------------------------------------------------

size_t lb_choose_room(size_t pool_room) { return pool_room < MOST ? pool_room : MOST; }

void lb_choose_reserve(lbReservation *r, lbWorldTouch *touch, int32_t room, size_t pool_room) {
  size_t n = (size_t)room;
  lb_reserve(r, &touch->products, lb_choose_room(pool_room), sizeof(double));
  lb_reserve(r, &touch->chosen, 2 * n, sizeof *touch->chosen);
}

void lb_choose_release(lbWorldTouch *touch) { lb_free(touch->products), lb_free(touch->chosen); }

// ---- products ----------------------------------------------------------------------------------

static size_t size_of(const lbWorldToucher *toucher) {
  return 3 * (size_t)toucher->count * toucher->width;
}

static double *moved_of(const lbWorldToucher *toucher) { return toucher->rows + size_of(toucher); }

// How its places move along their normals by the forces that were found; `width` numbers of work
// follow.
static double *shifts_of(const lbWorldToucher *toucher) {
  return toucher->rows + 2 * size_of(toucher);
}

static void count_known(lbWorldTouch *touch) {
  for (int32_t t = 0; t < touch->toucher_count; t++) touch->touchers[t].chosen_count = 0;
  for (int32_t c = 0; c < touch->contact_count; c++)
    for (int side = 0; side < 2; side++) {
      int32_t body = touch->sides[2 * c + side].body;
      if (body >= 0 && touch->contacts[c].at.known >= 0) touch->touchers[body].chosen_count++;
    }
}

void lb_choose_place(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  double *at = touch->products, *end = at + touch->products_room;
  count_known(touch);
  touch->chooses = false;
  for (int32_t t = 0; t < touch->toucher_count; t++) {
    lbWorldToucher *toucher = &touch->touchers[t];
    toucher->rows = NULL;
    toucher->jointed = lb_jointed_of(world, toucher->slot) != NULL;
    if (toucher->jointed || toucher->rolls || toucher->count <= FEW * toucher->chosen_count)
      continue;
    toucher->width = lb_touch_width(world->slots[toucher->slot].body);
    size_t size = 2 * size_of(toucher) + (size_t)toucher->count + toucher->width;
    if (toucher->width == 0 || size > (size_t)(end - at)) continue;
    toucher->rows = at;
    at += size;
    touch->chooses = true;
  }
}

void lb_choose_open(lbWorldToucher *toucher, const lbSpot *spots) {
  if (toucher->open)
    lb_touch_rows(&toucher->touching, toucher->count, spots, toucher->rows, moved_of(toucher));
  else
    memset(toucher->rows, 0, 2 * size_of(toucher) * sizeof(double));
}

void lb_choose_add_frame(lbWorldToucher *toucher, const lbSpot *spots) {
  lb_touch_frame_rows(&toucher->touching, toucher->count, spots, toucher->rows, moved_of(toucher));
}

// ---- who is solved for -------------------------------------------------------------------------

// The matrix of a body without a product has all of its contacts, of which the first must be there;
// that of jointed bodies, which is that of all of them, does not tell how others move.
static bool is_needed(const lbWorldTouch *touch, int32_t c) {
  bool all = true, first = false;
  for (int side = 0; side < 2; side++) {
    lbContactSide at = touch->sides[2 * c + side];
    if (at.body < 0) continue;
    bool product = touch->touchers[at.body].rows != NULL;
    if (touch->touchers[at.body].jointed) return true;
    all &= !product;
    first |= !product && at.place == 0;
  }
  return all || first;
}

static bool same_pair(const lbWorldTouch *touch, int32_t a, int32_t b) {
  const lbContactSide *one = touch->sides + 2 * a, *other = touch->sides + 2 * b;
  return one[0].body == other[0].body && one[1].body == other[1].body;
}

// Those that pushed; of a pair none of which did, those that would get through.
static void choose_first(lbWorldTouch *touch) {
  for (int32_t begin = 0, end = 0; begin < touch->contact_count; begin = end) {
    bool pushed = false;
    for (; end < touch->contact_count && same_pair(touch, begin, end); end++)
      pushed |= touch->forces[3 * end] > 0;
    for (int32_t c = begin; c < end; c++) {
      bool chosen = pushed ? touch->forces[3 * c] > 0 : touch->free[3 * c] < 0;
      touch->left_out[c] = !chosen && !is_needed(touch, c);
    }
  }
}

// Sides, with the numbers that places have among those of a body that are solved for.
static void number_places(lbWorldTouch *touch) {
  for (int32_t t = 0; t < touch->toucher_count; t++) touch->touchers[t].chosen_count = 0;
  for (int32_t i = 0; i < 2 * touch->contact_count; i++) {
    lbContactSide *at = &touch->solver_sides[i];
    *at = touch->sides[i];
    if (touch->left_out[i / 2] || at->body < 0 || !touch->touchers[at->body].rows) continue;
    lbWorldToucher *toucher = &touch->touchers[at->body];
    touch->chosen[toucher->first + toucher->chosen_count] = at->place;
    at->place = toucher->chosen_count++;
  }
  size_t first = 2 * (size_t)touch->contact_count, count = 2 * (size_t)touch->block_count - first;
  memcpy(touch->solver_sides + first, touch->sides + first, count * sizeof *touch->sides);
}

static void make_matrices(int32_t begin, int32_t end, void *context) {
  lbWorldTouch *touch = ((lbWorld *)context)->touch;
  for (int32_t t = begin; t < end; t++) {
    const lbWorldToucher *toucher = &touch->touchers[t];
    lbContactPart *part = &touch->parts[t];
    size_t n = 3 * (size_t)toucher->chosen_count;
    if (!toucher->rows || part->count == toucher->chosen_count) continue; // none has joined in
    part->count = toucher->chosen_count;
    part->moves = part->matrix + n * n;
    lb_touch_kernels(touch->level)
        ->find_product(toucher->width, toucher->rows, moved_of(toucher), part->count,
                       touch->chosen + toucher->first, part->matrix);
  }
}

// ---- who would be pushed through ---------------------------------------------------------------

static void find_shifts(int32_t begin, int32_t end, void *context) {
  const lbWorldTouch *touch = ((lbWorld *)context)->touch;
  for (int32_t t = begin; t < end; t++) {
    const lbWorldToucher *toucher = &touch->touchers[t];
    double x[3 * LB_TOUCH_SPOTS];
    if (!toucher->rows) continue;
    for (int32_t i = 0; i < toucher->chosen_count; i++) {
      int32_t owner = touch->owners[toucher->first + touch->chosen[toucher->first + i]];
      for (int k = 0; k < 3; k++) {
        double force = touch->forces[3 * (owner / 2) + k];
        x[3 * i + k] = owner & 1 ? -force : force;
      }
    }
    const lbTouchKernels *kernels = lb_touch_kernels(touch->level);
    double *shifts = shifts_of(toucher), *sum = shifts + toucher->count;
    kernels->sum_moved(toucher->width, moved_of(toucher), toucher->chosen_count,
                       touch->chosen + toucher->first, x, sum);
    kernels->shift(toucher->width, toucher->count, toucher->rows, sum, shifts);
  }
}

// m: between the surfaces at the step's end.
static double gap_of(const lbWorldTouch *touch, int32_t c) {
  double gap = touch->free[3 * c];
  for (int side = 0; side < 2; side++) {
    lbContactSide at = touch->sides[2 * c + side];
    if (at.body < 0) continue;
    const lbWorldToucher *toucher = &touch->touchers[at.body];
    double move = toucher->rows ? shifts_of(toucher)[at.place]
                                : touch->parts[at.body].moves[3 * (size_t)at.place];
    gap += side ? -move : move;
  }
  return gap;
}

static bool gets_through(const lbWorldTouch *touch, int32_t c) {
  return touch->left_out[c] && gap_of(touch, c) < -touch->enoughs[lb_island_of(touch, c)];
}

// Islands in which nobody gets through are settled, whatever others are. In those that are not,
// who does joins in, or all that are left out. Whether anybody does.
static bool join_in(lbWorldTouch *touch, bool all) {
  bool any = false;
  for (int32_t i = 0; i < touch->island_count; i++) touch->settled[i] = true;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    if (!gets_through(touch, c)) continue;
    touch->left_out[c] = touch->settled[lb_island_of(touch, c)] = false;
    any = true;
  }
  for (int32_t c = 0; c < touch->contact_count && any && all; c++)
    if (!touch->settled[lb_island_of(touch, c)]) touch->left_out[c] = false;
  return any;
}

// Islands are solved for the contacts that are not left out. Whether somebody must join in then.
static bool solve_chosen(lbWorld *world, bool last, lbChooseSolve *solve) {
  lbWorldTouch *touch = world->touch;
  lbContactSide *sides = touch->sides;
  number_places(touch);
  lb_touch_for_touchers(world, BODIES, make_matrices);
  lb_islands_list(touch);
  touch->sides = touch->solver_sides;
  solve(world, touch->forces);
  touch->sides = sides;
  lb_touch_for_touchers(world, BODIES, find_shifts);
  return join_in(touch, last);
}

// A few sweeps tell who joins in, as a rule; islands from which nobody is left out wait.
static void look(lbWorld *world, lbChooseSolve *solve) {
  lbWorldTouch *touch = world->touch;
  for (int32_t i = 0; i < touch->island_count; i++) touch->settled[i] = true;
  for (int32_t c = 0; c < touch->contact_count; c++)
    if (touch->left_out[c]) touch->settled[lb_island_of(touch, c)] = false;
  touch->looks = true;
  (void)solve_chosen(world, false, solve);
  touch->looks = false;
  memset(touch->settled, 0, (size_t)touch->island_count * sizeof *touch->settled);
}

void lb_choose_solve(lbWorld *world, lbChooseSolve *solve) {
  lbWorldTouch *touch = world->touch;
  choose_first(touch);
  for (int32_t t = 0; t < touch->toucher_count; t++)
    if (touch->touchers[t].rows) touch->parts[t].count = -1; // it has no matrix yet
  look(world, solve);
  for (int round = 1; solve_chosen(world, round == ROUNDS, solve);) round++;
}
