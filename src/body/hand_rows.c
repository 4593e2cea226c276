// Hand rows (hand_rows.h): their forces, the velocities afterwards, and a ball that pushes for one
// step.
#include "body/hand_rows.h"

#include "body/response.h"
#include "solve/nonnegative.h"

#include <string.h>

// ---- memory ------------------------------------------------------------------------------------

// *room (width x count), and what it lies in.
static lbStatus make_room(lbBody *body, size_t offset, size_t count) {
  if (!body->contacts) body->contacts = lb_alloc(1, sizeof(lbContacts));
  if (!body->contacts) return lb_fail_memory(body->message);
  double **room = (double **)((char *)body->contacts + offset);
  if (!*room) *room = lb_alloc((size_t)lb_body_width(body), count * sizeof(double));
  return *room ? LB_OK : lb_fail_memory(body->message);
}

lbStatus lb_contacts_make(lbBody *body) {
  lbStatus status = make_room(body, offsetof(lbContacts, rows), LB_HAND_ROWS);
  // A step that stays open has a scratch of its own.
  lbScratch *own = status ? NULL : lb_scratch_borrow(body->prepared);
  lbScratch *other = own ? lb_scratch_borrow(body->prepared) : NULL;
  if (!status && !other) status = lb_fail_memory(body->message);
  lb_scratch_return(body->prepared, other);
  lb_scratch_return(body->prepared, own);
  return status;
}

lbStatus lb_contacts_make_force(lbBody *body) {
  return make_room(body, offsetof(lbContacts, force), 1);
}

void lb_contacts_destroy(lbContacts *contacts) {
  if (!contacts) return;
  lb_free(contacts->rows);
  lb_free(contacts->force);
  lb_free(contacts);
}

void lb_contacts_clear(lbBody *body) {
  body->contacts->count = 0;
  body->contacts->acts = false;
}

static double *row_of(const lbBody *body, int32_t j) {
  return body->contacts->rows + (size_t)j * (size_t)lb_body_width(body);
}

void lb_contacts_sum(const lbBody *body, double *sum) {
  const lbContacts *c = body->contacts;
  int32_t width = lb_body_width(body);
  if (c && c->acts)
    memcpy(sum, c->force, (size_t)width * sizeof *sum);
  else
    memset(sum, 0, (size_t)width * sizeof *sum);
  for (int32_t j = 0; c && j < c->count; j++)
    for (int32_t i = 0; i < width; i++) sum[i] += c->forces[j] * row_of(body, j)[i];
}

// ---- compliance
// -----------------------------------------------------------------------------------

// moved (width) <- what a row's force moves: over a step, or, without one, what its impulse does to
// velocities.
static void move_row(const lbBody *body, const lbStep *step, lbMat3 turns, const double *row,
                     lbScratch *s, double *moved) {
  const lbPrepared *p = body->prepared;
  size_t padded = (size_t)p->padded;
  double factor = step ? 0.5 * step->h * step->h : 1;
  if (step) {
    memcpy(s->a, row, padded * sizeof *row); // a method may write over its force
    p->method->respond(body, step, s, s->a, moved);
  } else {
    memcpy(moved, row, padded * sizeof *row);
    lb_body_mobilise(body, s, moved);
  }
  if (body->frame.kind != LB_FRAME_FREE) return;
  lbVec3 moment = lb_mat3_apply(turns, lb_vec3_load(row + padded + 3));
  lb_vec3_store(moved + padded, lb_scale(factor / p->mass, lb_vec3_load(row + padded)));
  lb_vec3_store(moved + padded + 3, lb_scale(factor, moment));
}

static double dot_rows(const lbBody *body, const double *row, const double *moved) {
  size_t padded = (size_t)body->prepared->padded;
  double sum = lb_row_dot(body->prepared->dimension, row, moved);
  if (body->frame.kind != LB_FRAME_FREE) return sum;
  return sum + lb_dot(lb_vec3_load(row + padded), lb_vec3_load(moved + padded)) +
         lb_dot(lb_vec3_load(row + padded + 3), lb_vec3_load(moved + padded + 3));
}

// ---- forces ------------------------------------------------------------------------------------

// A row for each place, without a force yet; gaps <- at the step's end.
static void add_rows(lbBody *body, const lbStep *step, const lbHand *hand, int32_t count,
                     const lbPlace *places, const lbScratch *s, double *gaps) {
  lbContacts *c = body->contacts;
  const lbPrepared *p = body->prepared;
  const lbTree *tree = NULL;
  lb_prepared_tree(p, &tree, NULL); // it was made before
  for (int32_t i = 0; i < count; i++) {
    const lbPlace *place = &places[i];
    lbVec3 normal = lb_mat3_apply(step->frame.turn, place->normal);
    double *row = row_of(body, c->count);
    memset(row, 0, (size_t)lb_body_width(body) * sizeof *row);
    if (place->row)
      memcpy(row, place->row, (size_t)p->dimension * sizeof *row);
    else
      lb_tree_line(tree, place->triangle, place->weights, place->normal, row);
    if (body->frame.kind == LB_FRAME_FREE) {
      lbVec3 arm = lb_mat3_apply(step->frame.turn, lb_sub(place->position, p->centre));
      lb_vec3_store(row + p->padded, normal);
      lb_vec3_store(row + p->padded + 3, lb_cross(arm, normal));
    }
    c->speeds[c->count] = hand->stands ? lb_dot(normal, hand->velocity) : NAN;
    c->forces[c->count++] = 0;
    gaps[i] = place->gap;
    for (int32_t k = 0; k < p->dimension; k++) gaps[i] += row[k] * (s->q[k] - s->q0[k]);
  }
}

static void find_forces(lbBody *body, const lbStep *step, const lbHand *hand, int32_t count,
                        const lbPlace *places, const double *gaps, lbScratch *s) {
  lbContacts *c = body->contacts;
  double A[LB_HAND_ROWS * LB_HAND_ROWS], right[LB_HAND_ROWS];
  int32_t first = c->count - count;
  lbMat3 turns = lb_frame_mobility(body, body->frame.turn);
  for (int32_t k = 0; k < count; k++) {
    move_row(body, step, turns, row_of(body, first + k), s, s->b);
    for (int32_t j = 0; j < count; j++)
      A[j * count + k] = dot_rows(body, row_of(body, first + j), s->b) +
                         hand->compliance * lb_dot(places[j].normal, places[k].normal);
    A[k * count + k] += hand->softness;
    right[k] = fmin(-gaps[k], hand->most_out);
  }
  lb_nonnegative_solve(count, A, right, hand->least, c->forces + first);
}

// Rows without a force are dropped; returns the sum of forces on the hand.
static lbVec3 keep_pushing(lbBody *body, int32_t first, const lbStep *step, const lbPlace *places,
                           double most) {
  lbContacts *c = body->contacts;
  lbVec3 sum = lb_vec3(0, 0, 0);
  int32_t kept = first;
  for (int32_t j = first; j < c->count; j++) {
    if (!(c->forces[j] != 0 && lb_is_bounded(c->forces[j]))) continue;
    memmove(row_of(body, kept), row_of(body, j), (size_t)lb_body_width(body) * sizeof(double));
    c->forces[kept] = c->forces[j], c->speeds[kept] = c->speeds[j];
    sum = lb_add_scaled(sum, -c->forces[kept++], places[j - first].normal);
  }
  c->count = kept;
  sum = lb_mat3_apply(step->frame.turn, sum);
  double length = lb_length(sum);
  if (!(length > most)) return sum;
  for (int32_t j = first; j < kept; j++) c->forces[j] *= most / length;
  return lb_scale(most / length, sum);
}

lbVec3 lb_hand_touch(lbBody *body, const lbStep *step, const lbHand *hand, int32_t count,
                     const lbPlace *places, lbScratch *s) {
  double gaps[LB_HAND_ROWS];
  int32_t first = body->contacts->count;
  if (count > LB_HAND_ROWS - first) count = LB_HAND_ROWS - first;
  if (count == 0) return lb_vec3(0, 0, 0);
  add_rows(body, step, hand, count, places, s, gaps);
  find_forces(body, step, hand, count, places, gaps, s);
  return keep_pushing(body, first, step, places, hand->most);
}

// ---- velocities --------------------------------------------------------------------------------

// at <- the rows of hands that stand
static int32_t list_standing(const lbContacts *c, int32_t *at) {
  int32_t count = 0;
  for (int32_t j = 0; j < c->count; j++)
    if (!isnan(c->speeds[j])) at[count++] = j;
  return count;
}

// The whole impulses J of standing rows: right and J begin with those of the forces.
static void find_impulses(const lbBody *body, const lbStep *step, int32_t count, const int32_t *at,
                          lbScratch *s, double *J) {
  const lbContacts *c = body->contacts;
  const lbFrameState *f = &body->frame;
  double A[LB_HAND_ROWS * LB_HAND_ROWS], right[LB_HAND_ROWS];
  lbMat3 turns = lb_frame_mobility(body, f->turn);
  memcpy(s->c, s->v, (size_t)body->prepared->padded * sizeof(double));
  if (f->kind == LB_FRAME_FREE) {
    lb_vec3_store(s->c + body->prepared->padded, f->velocity);
    lb_vec3_store(s->c + body->prepared->padded + 3, f->spin);
  }
  for (int32_t k = 0; k < count; k++) {
    move_row(body, NULL, turns, row_of(body, at[k]), s, s->a);
    for (int32_t j = 0; j < count; j++)
      A[j * count + k] = dot_rows(body, row_of(body, at[j]), s->a);
  }
  for (int32_t j = 0; j < count; j++) {
    J[j] = step->h * c->forces[at[j]];
    right[j] = c->speeds[at[j]] - dot_rows(body, row_of(body, at[j]), s->c);
    for (int32_t k = 0; k < count; k++) right[j] += A[j * count + k] * step->h * c->forces[at[k]];
  }
  lb_nonnegative_solve(count, A, right, 0, J);
}

void lb_hand_settle(lbBody *body, const lbStep *step, lbScratch *s) {
  const lbContacts *c = body->contacts;
  const lbPrepared *p = body->prepared;
  int32_t at[LB_HAND_ROWS], width = lb_body_width(body), count = list_standing(c, at);
  double J[LB_HAND_ROWS];
  if (count == 0) return;
  find_impulses(body, step, count, at, s, J);
  memset(s->b, 0, (size_t)width * sizeof(double));
  for (int32_t j = 0; j < count; j++) {
    double amount = J[j] - step->h * c->forces[at[j]];
    if (!lb_is_bounded(amount)) return;
    for (int32_t i = 0; i < width; i++) s->b[i] += amount * row_of(body, at[j])[i];
  }
  lbVec3 impulse = lb_vec3(0, 0, 0), moment = impulse;
  if (width > p->padded) {
    impulse = lb_vec3_load(s->b + p->padded);
    moment = lb_vec3_load(s->b + p->padded + 3);
  }
  lb_frame_apply_impulse(body, impulse, moment, s->b, s->q, s->v, s);
  p->method->put(body, NULL, s->v, NULL);
  lb_body_settle(body);
}
