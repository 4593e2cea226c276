// Contacts of a body (contacts.h): rows, forces, and velocities afterwards.
#include "body/contacts.h"

#include <string.h>

#define SWEEPS 60
#define CHANGE 1e-11 // of the largest number: no smaller changes are wanted

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
  return make_room(body, offsetof(lbContacts, rows), LB_CONTACT_PLACES);
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

// ---- systems -----------------------------------------------------------------------------------

void lb_contacts_solve(int32_t count, const double *A, const double *right, double least,
                       double *x) {
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double change = 0, largest = 0;
    for (int32_t j = 0; j < count; j++) {
      const double *row = A + (size_t)j * (size_t)count;
      double left = right[j], before = x[j];
      for (int32_t k = 0; k < count; k++) left -= row[k] * x[k];
      if (!(row[j] > 0)) continue;
      x[j] += left / row[j];
      if (x[j] < least) x[j] = least;
      double by = fabs(x[j] - before), size = fabs(x[j]);
      if (by > change) change = by;
      if (size > largest) largest = size;
    }
    if (change <= CHANGE * largest) return;
  }
}

// The frame's share in how place j responds to a force at place k: linear and angular mobility.
static double frame_share(const lbBody *body, int32_t j, int32_t k, double factor) {
  const lbContacts *c = body->contacts;
  const lbPrepared *p = body->prepared;
  if (body->frame.kind != LB_FRAME_FREE) return 0;
  lbMat3 J;
  memcpy(J.m, p->model->rigid_inertia, sizeof J.m);
  double slack = 1e-9 * lb_mat3_trace(J);
  for (int i = 0; i < 9; i += 4) J.m[i] += slack;
  lbVec3 a = lb_mat3_apply_transpose(body->frame.turn, lb_cross(c->arms[j], c->normals[j]));
  lbVec3 b = lb_mat3_apply_transpose(body->frame.turn, lb_cross(c->arms[k], c->normals[k]));
  return factor * (lb_dot(c->normals[j], c->normals[k]) / p->mass +
                   lb_dot(a, lb_mat3_apply(lb_mat3_inverse(J), b)));
}

// ---- new contacts ------------------------------------------------------------------------------

// Adds a contact for each place, without a force yet; gaps <- at the step's end.
static void add(lbBody *body, const lbStep *step, const lbToucher *toucher, int32_t count,
                const lbPlace *places, const lbScratch *s, double *gaps) {
  lbContacts *c = body->contacts;
  const lbPrepared *p = body->prepared;
  const lbTree *tree = NULL;
  lb_prepared_tree(p, &tree, NULL); // it was made before
  for (int32_t i = 0; i < count; i++) {
    const lbPlace *place = &places[i];
    int32_t j = c->count++;
    double *row = row_of(body, j);
    memset(row, 0, (size_t)lb_body_width(body) * sizeof *row);
    if (place->row)
      memcpy(row, place->row, (size_t)p->dimension * sizeof *row);
    else
      lb_tree_line(tree, place->triangle, place->weights, place->normal, row);
    c->normals[j] = lb_mat3_apply(step->frame.turn, place->normal);
    c->arms[j] = lb_mat3_apply(step->frame.turn, lb_sub(place->position, p->centre));
    c->speeds[j] = toucher->stands ? lb_dot(c->normals[j], toucher->velocity) : NAN;
    c->forces[j] = 0;
    gaps[i] = place->gap;
    for (int32_t k = 0; k < p->dimension; k++) gaps[i] += row[k] * (s->q[k] - s->q0[k]);
  }
}

static void find_forces(lbBody *body, const lbStep *step, const lbToucher *toucher, int32_t first,
                        const double *gaps, lbScratch *s) {
  lbContacts *c = body->contacts;
  const lbPrepared *p = body->prepared;
  double A[LB_CONTACT_PLACES * LB_CONTACT_PLACES], right[LB_CONTACT_PLACES];
  int32_t count = c->count - first;
  for (int32_t k = 0; k < count; k++) {
    p->method->respond(body, step, s, row_of(body, first + k), s->b);
    for (int32_t j = 0; j < count; j++)
      A[j * count + k] = lb_row_dot(p->dimension, row_of(body, first + j), s->b) +
                         frame_share(body, first + j, first + k, 0.5 * step->h * step->h) +
                         toucher->give * lb_dot(c->normals[first + j], c->normals[first + k]);
    A[k * count + k] += toucher->softness;
    right[k] = fmin(-gaps[k], toucher->out);
  }
  lb_contacts_solve(count, A, right, toucher->least, c->forces + first);
}

// Contacts without a force are dropped; returns the sum of forces on what touches.
static lbVec3 keep_pushing(lbBody *body, int32_t first, double most) {
  lbContacts *c = body->contacts;
  lbVec3 sum = lb_vec3(0, 0, 0);
  int32_t kept = first;
  for (int32_t j = first; j < c->count; j++) {
    if (!(c->forces[j] != 0 && lb_is_bounded(c->forces[j]))) continue;
    memmove(row_of(body, kept), row_of(body, j), (size_t)lb_body_width(body) * sizeof(double));
    c->forces[kept] = c->forces[j], c->speeds[kept] = c->speeds[j];
    c->normals[kept] = c->normals[j], c->arms[kept] = c->arms[j];
    sum = lb_add_scaled(sum, -c->forces[kept], c->normals[kept]);
    kept++;
  }
  c->count = kept;
  double length = lb_length(sum);
  if (!(length > most)) return sum;
  for (int32_t j = first; j < kept; j++) c->forces[j] *= most / length;
  return lb_scale(most / length, sum);
}

lbVec3 lb_contacts_touch(lbBody *body, const lbStep *step, const lbToucher *toucher, int32_t count,
                         const lbPlace *places, lbScratch *s) {
  double gaps[LB_CONTACT_PLACES];
  int32_t first = body->contacts->count, room = lb_contacts_room(body);
  if (count > room) count = room;
  if (count == 0) return lb_vec3(0, 0, 0);
  add(body, step, toucher, count, places, s, gaps);
  find_forces(body, step, toucher, first, gaps, s);
  return keep_pushing(body, first, toucher->most);
}

// ---- the step's part ---------------------------------------------------------------------------

// The contacts from `first` on: forces on frame and shape.
static void hold(const lbBody *body, lbStep *step, int32_t first, double *held) {
  const lbContacts *c = body->contacts;
  for (int32_t j = first; j < c->count; j++) {
    const double *row = row_of(body, j);
    lbVec3 force = lb_scale(c->forces[j], c->normals[j]);
    for (int32_t i = 0; i < body->prepared->dimension; i++) held[i] += c->forces[j] * row[i];
    step->frame.force = lb_add(step->frame.force, force);
    step->frame.torque = lb_add(step->frame.torque, lb_cross(c->arms[j], force));
  }
}

void lb_contacts_hold(const lbBody *body, lbStep *step, lbScratch *s) {
  const lbContacts *c = body->contacts;
  const int32_t padded = body->prepared->padded;
  hold(body, step, 0, s->held);
  if (!c->acts) return;
  for (int32_t i = 0; i < body->prepared->dimension; i++) s->held[i] += c->force[i];
  if (body->frame.kind != LB_FRAME_FREE) return;
  step->frame.force = lb_add(step->frame.force, lb_vec3_load(c->force + padded));
  step->frame.torque = lb_add(step->frame.torque, lb_vec3_load(c->force + padded + 3));
}

void lb_contacts_join(const lbBody *body, lbStep *step, int32_t first, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  memset(s->a, 0, (size_t)p->padded * sizeof(double));
  hold(body, step, first, s->a);
  p->method->respond(body, step, s, s->a, s->b);
  for (int32_t i = 0; i < p->dimension; i++) s->held[i] += s->a[i], s->q[i] += s->b[i];
}

// at <- the contacts whose velocities are settled
static int32_t list_standing(const lbContacts *c, int32_t *at) {
  int32_t count = 0;
  for (int32_t j = 0; j < c->count; j++)
    if (!isnan(c->speeds[j])) at[count++] = j;
  return count;
}

void lb_contacts_settle(lbBody *body, const lbStep *step, lbScratch *s) {
  lbContacts *c = body->contacts;
  const lbPrepared *p = body->prepared;
  double A[LB_CONTACT_PLACES * LB_CONTACT_PLACES], right[LB_CONTACT_PLACES], J[LB_CONTACT_PLACES];
  int32_t r = p->dimension, at[LB_CONTACT_PLACES], count = list_standing(c, at);
  if (count == 0) return;
  for (int32_t k = 0; k < count; k++) {
    memcpy(s->a, row_of(body, at[k]), (size_t)p->padded * sizeof(double));
    lb_body_mobilise(body, s, s->a);
    for (int32_t j = 0; j < count; j++)
      A[j * count + k] =
          lb_row_dot(r, row_of(body, at[j]), s->a) + frame_share(body, at[j], at[k], 1);
  }
  for (int32_t j = 0; j < count; j++) { // velocities if nothing had touched
    lbVec3 rigid = lb_add(body->frame.velocity, lb_cross(body->frame.spin, c->arms[at[j]]));
    double speed = lb_row_dot(r, row_of(body, at[j]), s->v) + lb_dot(c->normals[at[j]], rigid);
    right[j] = c->speeds[at[j]] - speed;
    J[j] = step->h * c->forces[at[j]];
  }
  for (int32_t j = 0; j < count; j++)
    for (int32_t k = 0; k < count; k++) right[j] += A[j * count + k] * step->h * c->forces[at[k]];
  lb_contacts_solve(count, A, right, 0, J);
  lbVec3 impulse = lb_vec3(0, 0, 0), moment = impulse;
  memset(s->b, 0, (size_t)p->padded * sizeof(double));
  for (int32_t j = 0; j < count; j++) {
    double amount = J[j] - step->h * c->forces[at[j]];
    if (!lb_is_bounded(amount)) return;
    for (int32_t i = 0; i < r; i++) s->b[i] += amount * row_of(body, at[j])[i];
    impulse = lb_add_scaled(impulse, amount, c->normals[at[j]]);
    moment = lb_add_scaled(moment, amount, lb_cross(c->arms[at[j]], c->normals[at[j]]));
  }
  lb_frame_strike(body, impulse, moment, s->b, s->q, s->v, s);
  p->method->put(body, NULL, s->v, NULL);
  lb_body_settle(body);
}
