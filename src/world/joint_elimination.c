// Equality rows of joints are eliminated from the rows that are solved with contacts (joint.h).
#include "world/joint.h"

#include <string.h>

#define RESIDUAL_MAX 1e-5 // m, rad: contradictory joints leave more, which is flagged

static double *amount_of(lbJointRow *row, bool speeds) {
  return speeds ? &row->impulse : &row->force;
}

static lbJointRow *rows_of(const lbWorldJoints *joints, const lbJointComponent *k) {
  return joints->rows + k->row_begin;
}

// ---- contact points of a component -------------------------------------------------------------

// Numbers the contact points of each component.
static void number_places(lbWorld *world) {
  lbWorldJoints *joints = world->linked;
  for (int32_t c = 0; c < joints->component_count; c++) joints->components[c].place_count = 0;
  for (int32_t i = 0; i < joints->body_count; i++) {
    lbJointed *b = &joints->bodies[i];
    lbJointComponent *k = &joints->components[b->component];
    b->first_place = k->place_count;
    if (b->contact_body < 0) continue;
    k->place_count += world->touch->contact_bodies[b->contact_body].count;
  }
}

// The contact body that stands for all bodies of a component.
int32_t lb_joints_leader(const lbWorldJoints *joints, int32_t component) {
  int32_t i = 0;
  while (joints->bodies[i].component != component) i++;
  return joints->bodies[i].contact_body;
}

// The jointed body of a contact's side that has rows in this step; NULL: there is none.
static const lbJointed *side_body(const lbWorld *world, lbContactSide side) {
  if (side.body < 0) return NULL;
  const lbJointed *b = lb_jointed_of(world, world->touch->contact_bodies[side.body].slot);
  return b && world->linked->components[b->component].row_count > 0 ? b : NULL;
}

// forces (3 places) <- of contacts on the contact points of a component.
static void gather_forces(const lbWorld *world, int32_t component, const double *x,
                          double *forces) {
  const lbWorldTouch *touch = world->touch;
  memset(forces, 0, 3 * (size_t)world->linked->components[component].place_count * sizeof *forces);
  for (int32_t i = 0; i < 2 * lb_touch_pair_blocks(touch); i++) {
    const lbJointed *b = side_body(world, touch->sides[i]);
    if (!b || b->component != component) continue;
    double *to = forces + 3 * (size_t)(b->first_place + touch->sides[i].place);
    for (int k = 0; k < 3; k++) to[k] += i & 1 ? -x[3 * (i / 2) + k] : x[3 * (i / 2) + k];
  }
}

// free <- with what forces y of rows move contacts by.
static void move_contacts(const lbWorld *world, int32_t component, const double *y) {
  lbWorldTouch *touch = world->touch;
  const lbJointComponent *k = &world->linked->components[component];
  for (int32_t i = 0; i < 2 * lb_touch_pair_blocks(touch); i++) {
    const lbJointed *b = side_body(world, touch->sides[i]);
    if (!b || b->component != component) continue;
    for (int a = 0; a < 3; a++) {
      size_t at = (size_t)(3 * (b->first_place + touch->sides[i].place) + a);
      double by = lb_row_dot(k->row_count, k->G + at * (size_t)k->row_count, y);
      touch->free[3 * (i / 2) + a] += i & 1 ? -by : by;
    }
  }
}

// Held forces acted on what was measured: their share is taken out of it.
static void remove_held(const lbWorld *world, int32_t component, double h) {
  const lbWorldJoints *joints = world->linked;
  const lbJointComponent *k = &joints->components[component];
  size_t n = (size_t)k->row_count;
  lbJointRow *rows = rows_of(joints, k);
  for (size_t i = 0; i < n; i++) k->x[i] = -h * rows[i].force;
  move_contacts(world, component, k->x);
  gather_forces(world, component, world->touch->forces, k->forces);
  for (size_t i = 0; i < n; i++) rows[i].free += lb_row_dot(k->row_count, k->A + i * n, k->x);
  for (size_t p = 0; p < 3 * (size_t)k->place_count; p++) {
    double force = h * k->forces[p];
    for (size_t i = 0; i < n && force != 0; i++) rows[i].free -= k->G[p * n + i] * force;
  }
}

// ---- bounded rows ------------------------------------------------------------------------------

// Bounds of impulses are those of forces over the step; limits that did not act do not act now.
static void classify_rows(const lbWorld *world, lbJointComponent *k, bool speeds) {
  lbJointRow *rows = rows_of(world->linked, k);
  int32_t bounded = 0;
  for (int32_t i = 0; i < k->row_count; i++) {
    lbJointRow *row = &rows[i];
    bool is_motor = isfinite(row->low) && isfinite(row->high);
    bool is_bounded = isfinite(row->low) || isfinite(row->high) || isfinite(row->force_max);
    bool acts = !speeds || !is_bounded || is_motor || row->force != 0;
    k->equality[i] = !is_bounded;
    row->bounded = is_bounded && acts ? bounded++ : -1;
    if (!acts) row->impulse = 0;
  }
  k->block_count = (bounded + 2) / 3;
  k->coordinate_count = 3 * (k->place_count + k->block_count);
}

// A block of three rows that are not there.
static void clear_block(const lbWorld *world, int32_t block, double *x) {
  lbWorldTouch *touch = world->touch;
  size_t at = 3 * (size_t)block, bound = 3 * (size_t)(block - lb_touch_pair_blocks(touch));
  for (size_t i = 0; i < 3; i++) {
    touch->free[at + i] = touch->compliances[at + i] = x[at + i] = 0;
    world->linked->low[bound + i] = world->linked->high[bound + i] = 0;
  }
}

// Blocks of the bounded rows, where forces start from x; G <- with their rows of A.
static void place_bounded(lbWorld *world, int32_t component, bool speeds, double *x) {
  lbWorldTouch *touch = world->touch;
  lbWorldJoints *joints = world->linked;
  lbJointComponent *k = &joints->components[component];
  lbJointRow *rows = rows_of(joints, k);
  size_t n = (size_t)k->row_count, first = 3 * (size_t)k->place_count;
  double h = speeds ? world->h : 1;
  memset(k->G + first * n, 0, 3 * (size_t)k->block_count * n * sizeof *k->G);
  for (int32_t b = 0; b < k->block_count; b++) {
    int32_t block = k->block_begin + b, leader = lb_joints_leader(joints, component);
    touch->sides[2 * block] = (lbContactSide){ leader, k->place_count + b };
    touch->sides[2 * block + 1] = (lbContactSide){ -1, 0 };
    touch->frictions[block] = 0, touch->inactive[block] = false;
    clear_block(world, block, x);
  }
  for (size_t i = 0; i < n; i++) {
    if (rows[i].bounded < 0) continue;
    size_t number = (size_t)rows[i].bounded, at = 3 * (size_t)k->block_begin + number;
    size_t bound = at - 3 * (size_t)lb_touch_pair_blocks(touch);
    memcpy(k->G + (first + number) * n, k->A + i * n, n * sizeof *k->G);
    joints->low[bound] = h * fmax(rows[i].low, -rows[i].force_max);
    joints->high[bound] = h * fmin(rows[i].high, rows[i].force_max);
    touch->free[at] = rows[i].free;
    if (isfinite(rows[i].force_max)) // of contradictory joints: they end in a compromise
      touch->compliances[at] = LB_CONTACT_COMPLIANCE * k->A[i * (n + 1)];
    x[at] = h * rows[i].force;
  }
}

// ---- elimination -------------------------------------------------------------------------------

// merged <- W_II: of contact points of the same body, and of bounded rows with all.
static void fill_merged(const lbWorld *world, int32_t component) {
  const lbWorldJoints *joints = world->linked;
  const lbJointComponent *k = &joints->components[component];
  size_t N = (size_t)k->coordinate_count, n = (size_t)k->row_count;
  size_t first = 3 * (size_t)k->place_count;
  memset(k->merged, 0, N * N * sizeof *k->merged);
  for (int32_t i = 0; i < joints->body_count; i++) {
    const lbJointed *b = &joints->bodies[i];
    if (b->component != component || b->contact_body < 0) continue;
    const lbContactPart *own = &world->touch->parts[b->contact_body];
    size_t m = 3 * (size_t)own->count, at = 3 * (size_t)b->first_place;
    for (size_t p = 0; p < m; p++)
      memcpy(k->merged + (at + p) * N + at, own->matrix + p * m, m * sizeof *k->merged);
  }
  const lbJointRow *rows = rows_of(joints, k);
  for (size_t i = 0; i < n; i++) {
    if (rows[i].bounded < 0) continue;
    size_t at = first + (size_t)rows[i].bounded;
    for (size_t p = 0; p < N; p++) k->merged[p * N + at] = k->merged[at * N + p] = k->G[p * n + i];
  }
}

// merged <- W_II − W_IE W_EE⁻¹ W_EI
static void subtract_equalities(const lbJointComponent *k) {
  size_t N = (size_t)k->coordinate_count, n = (size_t)k->row_count;
  for (size_t p = 0; p < N; p++) lb_row_factor_solve(&k->factor, k->G + p * n, k->S + p * n);
  for (size_t p = 0; p < N; p++)
    for (size_t q = 0; q <= p; q++) {
      double by = lb_row_dot(k->row_count, k->G + p * n, k->S + q * n);
      k->merged[p * N + q] -= by;
      if (p != q) k->merged[q * N + p] -= by;
    }
}

static void eliminate_component(lbWorld *world, int32_t component, bool speeds, double *x) {
  lbWorldTouch *touch = world->touch;
  lbWorldJoints *joints = world->linked;
  lbJointComponent *k = &joints->components[component];
  size_t n = (size_t)k->row_count;
  lb_joints_assemble(world, component);
  if (speeds || joints->again) remove_held(world, component, speeds ? world->h : 1);
  place_bounded(world, component, speeds, x);
  k->factor = lb_row_factor_place(k->row_count, k->factor_memory, k->factor_order);
  lb_row_factor_make(&k->factor, k->A, k->equality);
  fill_merged(world, component);
  subtract_equalities(k);
  for (size_t i = 0; i < n; i++) k->x[i] = -rows_of(joints, k)[i].free;
  lb_row_factor_solve(&k->factor, k->x, k->still);
  move_contacts(world, component, k->still);
  for (int32_t i = 0; i < 3 * k->block_count; i++)
    touch->free[3 * k->block_begin + i] +=
        lb_row_dot(k->row_count, k->G + (size_t)(3 * k->place_count + i) * n, k->still);
}

void lb_joints_eliminate(lbWorld *world, bool speeds) {
  lbWorldTouch *touch = world->touch;
  lbWorldJoints *joints = world->linked;
  touch->block_count = lb_touch_pair_blocks(touch);
  number_places(world);
  for (int32_t c = 0; c < joints->component_count; c++) {
    lbJointComponent *k = &joints->components[c];
    k->block_begin = touch->block_count, k->block_count = 0;
    if (k->row_count == 0) continue;
    classify_rows(world, k, speeds);
    touch->block_count += k->block_count;
  }
  for (int32_t c = 0; c < joints->component_count; c++)
    if (joints->components[c].row_count > 0)
      eliminate_component(world, c, speeds, speeds ? touch->impulses : touch->forces);
}

void lb_joints_merge(const lbWorld *world, lbContactSide *sides, lbContactPart *parts) {
  const lbWorldJoints *joints = world->linked;
  for (int32_t i = 0; i < 2 * lb_touch_pair_blocks(world->touch); i++) {
    const lbJointed *b = side_body(world, sides[i]);
    if (!b) continue;
    sides[i].body = lb_joints_leader(joints, b->component);
    sides[i].place += b->first_place;
  }
  for (int32_t i = 0; i < joints->body_count; i++) {
    const lbJointed *b = &joints->bodies[i];
    if (joints->components[b->component].row_count > 0 && b->contact_body >= 0)
      parts[b->contact_body].count = 0;
  }
  for (int32_t c = 0; c < joints->component_count; c++) {
    const lbJointComponent *k = &joints->components[c];
    size_t N = (size_t)k->coordinate_count;
    if (k->row_count > 0)
      parts[lb_joints_leader(joints, c)] =
          (lbContactPart){ (int32_t)(N / 3), k->merged, k->merged + N * N };
  }
}

// ---- forces of all rows ------------------------------------------------------------------------

// Rows that could not be held, because others hold something else, or would take too large a force.
static void find_lost(const lbWorldJoints *joints, const lbJointComponent *k) {
  size_t n = (size_t)k->row_count;
  lbJointRow *rows = rows_of(joints, k);
  for (size_t i = 0; i < n; i++) {
    lbJointRow *row = &rows[i];
    row->residual = row->free;
    for (size_t j = 0; j < n; j++) row->residual += k->A[i * n + j] * rows[j].force;
    for (size_t p = 0; p < 3 * (size_t)k->place_count; p++)
      row->residual += k->G[p * n + i] * k->forces[p];
    if (!k->equality[i]) row->residual = 0;
    row->lost = !(fabs(row->residual) <= RESIDUAL_MAX) || fabs(row->force) >= row->force_max;
  }
}

static void back_substitute_component(lbWorld *world, int32_t component, bool speeds,
                                      const double *x) {
  const lbWorldJoints *joints = world->linked;
  const lbJointComponent *k = &joints->components[component];
  size_t n = (size_t)k->row_count, first = 3 * (size_t)k->place_count;
  lbJointRow *rows = rows_of(joints, k);
  gather_forces(world, component, x, k->forces);
  memcpy(k->forces + first, x + 3 * (size_t)k->block_begin, 3 * (size_t)k->block_count * sizeof *x);
  memcpy(k->x, k->still, n * sizeof *k->x);
  for (size_t p = 0; p < (size_t)k->coordinate_count; p++)
    for (size_t i = 0; i < n && k->forces[p] != 0; i++) k->x[i] -= k->S[p * n + i] * k->forces[p];
  for (size_t i = 0; i < n; i++)
    *amount_of(&rows[i], speeds) = k->equality[i] ? k->x[i]
                                   : rows[i].bounded < 0
                                       ? 0
                                       : k->forces[first + (size_t)rows[i].bounded];
  if (!speeds) find_lost(joints, k);
}

void lb_joints_back_substitute(lbWorld *world, bool speeds, const double *x) {
  for (int32_t c = 0; c < world->linked->component_count; c++)
    if (world->linked->components[c].row_count > 0) back_substitute_component(world, c, speeds, x);
}
