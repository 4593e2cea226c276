// The active set: the contacts that a step solves for. Few of the points that could touch in a step
// push, and those that pushed in the last step are the first guess. A body most of whose contacts
// did not push keeps its compliance as a product (body/response.h). The product gives the matrix of
// its active contacts, and the gaps of the others under their forces. Contacts whose gaps close
// become active, and the forces are solved for again: on exit every pushing contact is active.
#include "world/joint.h"
#include "world/active_contacts.h"

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

static size_t size_of(const lbContactBody *contact_body) {
  return 3 * (size_t)contact_body->count * contact_body->width;
}

static double *moved_of(const lbContactBody *contact_body) {
  return contact_body->rows + size_of(contact_body);
}

// How its places move along their normals by the forces that were found; `width` numbers of work
// follow.
static double *shifts_of(const lbContactBody *contact_body) {
  return contact_body->rows + 2 * size_of(contact_body);
}

static void count_known(lbWorldTouch *touch) {
  for (int32_t t = 0; t < touch->contact_body_count; t++) touch->contact_bodies[t].chosen_count = 0;
  for (int32_t c = 0; c < touch->contact_count; c++)
    for (int side = 0; side < 2; side++) {
      int32_t body = touch->sides[2 * c + side].body;
      if (body >= 0 && touch->contacts[c].at.known >= 0) touch->contact_bodies[body].chosen_count++;
    }
}

void lb_choose_place(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  double *at = touch->products, *end = at + touch->products_room;
  count_known(touch);
  touch->chooses = false;
  for (int32_t t = 0; t < touch->contact_body_count; t++) {
    lbContactBody *contact_body = &touch->contact_bodies[t];
    contact_body->rows = NULL;
    contact_body->jointed = lb_jointed_of(world, contact_body->slot) != NULL;
    if (contact_body->jointed || contact_body->rolls ||
        contact_body->count <= FEW * contact_body->chosen_count)
      continue;
    contact_body->width = lb_touch_width(world->slots[contact_body->slot].body);
    size_t size = 2 * size_of(contact_body) + (size_t)contact_body->count + contact_body->width;
    if (contact_body->width == 0 || size > (size_t)(end - at)) continue;
    contact_body->rows = at;
    at += size;
    touch->chooses = true;
  }
}

void lb_choose_open(lbContactBody *contact_body, const lbContactPoint *contact_points) {
  if (contact_body->open)
    lb_touch_rows(&contact_body->touching, contact_body->count, contact_points, contact_body->rows,
                  moved_of(contact_body));
  else
    memset(contact_body->rows, 0, 2 * size_of(contact_body) * sizeof(double));
}

void lb_choose_add_frame(lbContactBody *contact_body, const lbContactPoint *contact_points) {
  lb_touch_frame_rows(&contact_body->touching, contact_body->count, contact_points,
                      contact_body->rows, moved_of(contact_body));
}

// ---- the active set ----------------------------------------------------------------------------

// The matrix of a body without a product has all of its contacts, of which the first must be there;
// that of jointed bodies, which is that of all of them, does not tell how others move.
static bool is_needed(const lbWorldTouch *touch, int32_t c) {
  bool all = true, first = false;
  for (int side = 0; side < 2; side++) {
    lbContactSide at = touch->sides[2 * c + side];
    if (at.body < 0) continue;
    bool product = touch->contact_bodies[at.body].rows != NULL;
    if (touch->contact_bodies[at.body].jointed) return true;
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
      touch->inactive[c] = !chosen && !is_needed(touch, c);
    }
  }
}

// Sides, with the numbers that places have among those of a body that are solved for.
static void number_places(lbWorldTouch *touch) {
  for (int32_t t = 0; t < touch->contact_body_count; t++) touch->contact_bodies[t].chosen_count = 0;
  for (int32_t i = 0; i < 2 * touch->contact_count; i++) {
    lbContactSide *at = &touch->solver_sides[i];
    *at = touch->sides[i];
    if (touch->inactive[i / 2] || at->body < 0 || !touch->contact_bodies[at->body].rows) continue;
    lbContactBody *contact_body = &touch->contact_bodies[at->body];
    touch->chosen[contact_body->first + contact_body->chosen_count] = at->place;
    at->place = contact_body->chosen_count++;
  }
  size_t first = 2 * (size_t)touch->contact_count, count = 2 * (size_t)touch->block_count - first;
  memcpy(touch->solver_sides + first, touch->sides + first, count * sizeof *touch->sides);
}

static void make_matrices(int32_t begin, int32_t end, void *context) {
  lbWorldTouch *touch = ((lbWorld *)context)->touch;
  for (int32_t t = begin; t < end; t++) {
    const lbContactBody *contact_body = &touch->contact_bodies[t];
    lbContactPart *part = &touch->parts[t];
    size_t n = 3 * (size_t)contact_body->chosen_count;
    if (!contact_body->rows || part->count == contact_body->chosen_count)
      continue; // none has joined in
    part->count = contact_body->chosen_count;
    part->moves = part->matrix + n * n;
    lb_touch_kernels(touch->level)
        ->find_product(contact_body->width, contact_body->rows, moved_of(contact_body), part->count,
                       touch->chosen + contact_body->first, part->matrix);
  }
}

// ---- gaps of inactive contacts -----------------------------------------------------------------

static void find_shifts(int32_t begin, int32_t end, void *context) {
  const lbWorldTouch *touch = ((lbWorld *)context)->touch;
  for (int32_t t = begin; t < end; t++) {
    const lbContactBody *contact_body = &touch->contact_bodies[t];
    double x[3 * LB_BODY_POINTS];
    if (!contact_body->rows) continue;
    for (int32_t i = 0; i < contact_body->chosen_count; i++) {
      int32_t owner = touch->owners[contact_body->first + touch->chosen[contact_body->first + i]];
      for (int k = 0; k < 3; k++) {
        double force = touch->forces[3 * (owner / 2) + k];
        x[3 * i + k] = owner & 1 ? -force : force;
      }
    }
    const lbTouchKernels *kernels = lb_touch_kernels(touch->level);
    double *shifts = shifts_of(contact_body), *sum = shifts + contact_body->count;
    kernels->sum_moved(contact_body->width, moved_of(contact_body), contact_body->chosen_count,
                       touch->chosen + contact_body->first, x, sum);
    kernels->shift(contact_body->width, contact_body->count, contact_body->rows, sum, shifts);
  }
}

// m: between the surfaces at the step's end.
static double gap_of(const lbWorldTouch *touch, int32_t c) {
  double gap = touch->free[3 * c];
  for (int side = 0; side < 2; side++) {
    lbContactSide at = touch->sides[2 * c + side];
    if (at.body < 0) continue;
    const lbContactBody *contact_body = &touch->contact_bodies[at.body];
    double move = contact_body->rows ? shifts_of(contact_body)[at.place]
                                     : touch->parts[at.body].moves[3 * (size_t)at.place];
    gap += side ? -move : move;
  }
  return gap;
}

static bool gets_through(const lbWorldTouch *touch, int32_t c) {
  return touch->inactive[c] && gap_of(touch, c) < -touch->gap_tolerances[lb_island_of(touch, c)];
}

// Islands without a gap that closes are settled. In the others such contacts become active, or all
// do. Whether any do.
static bool join_in(lbWorldTouch *touch, bool all) {
  bool any = false;
  for (int32_t i = 0; i < touch->island_count; i++) touch->settled[i] = true;
  for (int32_t c = 0; c < touch->contact_count; c++) {
    if (!gets_through(touch, c)) continue;
    touch->inactive[c] = touch->settled[lb_island_of(touch, c)] = false;
    any = true;
  }
  for (int32_t c = 0; c < touch->contact_count && any && all; c++)
    if (!touch->settled[lb_island_of(touch, c)]) touch->inactive[c] = false;
  return any;
}

// Solves islands for their active contacts. Whether others become active.
static bool solve_chosen(lbWorld *world, bool last, lbChooseSolve *solve) {
  lbWorldTouch *touch = world->touch;
  lbContactSide *sides = touch->sides;
  number_places(touch);
  lb_touch_for_contact_bodies(world, BODIES, make_matrices);
  lb_islands_list(touch);
  touch->sides = touch->solver_sides;
  solve(world, touch->forces);
  touch->sides = sides;
  lb_touch_for_contact_bodies(world, BODIES, find_shifts);
  return join_in(touch, last);
}

// A few sweeps find most of the contacts that become active; islands without inactive ones wait.
static void look(lbWorld *world, lbChooseSolve *solve) {
  lbWorldTouch *touch = world->touch;
  for (int32_t i = 0; i < touch->island_count; i++) touch->settled[i] = true;
  for (int32_t c = 0; c < touch->contact_count; c++)
    if (touch->inactive[c]) touch->settled[lb_island_of(touch, c)] = false;
  touch->looks = true;
  (void)solve_chosen(world, false, solve);
  touch->looks = false;
  memset(touch->settled, 0, (size_t)touch->island_count * sizeof *touch->settled);
}

void lb_choose_solve(lbWorld *world, lbChooseSolve *solve) {
  lbWorldTouch *touch = world->touch;
  choose_first(touch);
  for (int32_t t = 0; t < touch->contact_body_count; t++)
    if (touch->contact_bodies[t].rows) touch->parts[t].count = -1; // it has no matrix yet
  look(world, solve);
  for (int round = 1; solve_chosen(world, round == ROUNDS, solve);) round++;
}
