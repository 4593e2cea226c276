// A ball that pushes the surface out of itself, over one step of length h.
//
// Of the triangles near the ball (body/tree.h) the places nearest to its centre are taken, deepest
// first and some way apart. With n the direction from the centre, L the row of a unit force along
// it and X what such a force, held over the step, moves (lbBodyMethod.respond), forces λ >= 0 leave
// each place at the step's end with the gap
//   g_j = |x - c| - R + L_j (q_end - q) + Σ L_j X_k λ_k >= -λ_j / k,
// with q_end where the body comes to by itself; one of λ and what is left is zero. When the step is
// done, impulses bring the places to the ball's speed w along n: with J >= 0 the whole impulse of a
// place, v_j >= n_j w, and one of J and what is left is zero. A body that rests on the ball then
// stands still, one that hits it does not bounce, one that was deep in it is not thrown, and all is
// part of the step: a stiff ball is as stable as a soft one. Both systems are solved by projected
// Gauss-Seidel.
#include "body/push.h"

#include "body/tree.h"

#include <string.h>

#define NODE_LIMIT 4096
#define TRIANGLE_LIMIT 1024
#define MARGIN 0.5    // of the radius: what lies that much farther may come near in a step
#define APART 0.25    // of the radius: between places
#define MOST_OUT 0.25 // of the radius: how far a step pushes a place out
#define STIFFEST 10   // times mass / h²: a place that can hardly move must not move all the rest
#define SWEEPS 60

// ---- places ------------------------------------------------------------------------------------

typedef struct Place {
  int32_t triangle;
  double weights[3];
  lbVec3 normal; // unit, from the ball's centre to the place, own axes
  double gap;    // m, at the step's end without forces
} Place;

static lbVec3 place_of(const lbNearTriangle *near) {
  lbVec3 place = lb_vec3(0, 0, 0);
  for (int k = 0; k < 3; k++) place = lb_add_scaled(place, near->weights[k], near->corners[k]);
  return place;
}

static Place make_place(const lbNearTriangle *near, lbVec3 centre, double radius) {
  const lbVec3 *c = near->corners;
  Place place = { .triangle = near->triangle, .gap = near->distance - radius };
  memcpy(place.weights, near->weights, sizeof place.weights);
  place.normal = lb_normalise(lb_sub(place_of(near), centre));
  if (near->distance < 1e-9 * radius) // on the surface: inwards
    place.normal = lb_normalise(lb_cross(lb_sub(c[2], c[0]), lb_sub(c[1], c[0])));
  return place;
}

// The deepest ones, some way apart. Uses up the distances of what the search found.
static int32_t choose_places(lbSearch *search, lbVec3 centre, double radius, Place *places) {
  int32_t count = 0;
  while (count < LB_PUSH_PLACES) {
    int32_t best = -1;
    for (int32_t i = 0; i < search->near_count; i++)
      if (isfinite(search->near[i].distance) &&
          (best < 0 || search->near[i].distance < search->near[best].distance))
        best = i;
    if (best < 0) break;
    lbVec3 at = place_of(&search->near[best]);
    places[count++] = make_place(&search->near[best], centre, radius);
    for (int32_t i = 0; i < search->near_count; i++)
      if (isfinite(search->near[i].distance) &&
          lb_length(lb_sub(place_of(&search->near[i]), at)) < APART * radius)
        search->near[i].distance = INFINITY;
  }
  return count;
}

// ---- memory ------------------------------------------------------------------------------------

static lbStatus make_contacts(lbBody *body) {
  if (body->contacts) return LB_OK;
  lbContacts *contacts = lb_alloc(1, sizeof *contacts);
  double *rows = lb_alloc((size_t)lb_body_width(body), LB_CONTACT_PLACES * sizeof(double));
  if (!contacts || !rows) {
    lb_free(contacts);
    lb_free(rows);
    return lb_fail_memory(body->message);
  }
  contacts->rows = rows;
  body->contacts = contacts;
  return LB_OK;
}

void lb_contacts_destroy(lbContacts *contacts) {
  if (!contacts) return;
  lb_free(contacts->rows);
  lb_free(contacts);
}

void lb_contacts_clear(lbBody *body) { body->contacts->count = 0; }

static lbStatus make_search(const lbBody *body, lbScratch *s) {
  const lbTree *tree = NULL;
  if (s->search) return LB_OK;
  lbStatus status = lb_prepared_tree(body->prepared, &tree, body->message);
  if (!status)
    status = lb_search_create(tree, NODE_LIMIT, TRIANGLE_LIMIT, &s->search, body->message);
  return status;
}

static double *row_of(const lbBody *body, int32_t j) {
  return body->contacts->rows + (size_t)j * (size_t)lb_body_width(body);
}

// ---- the step's part ---------------------------------------------------------------------------

void lb_contacts_hold(const lbBody *body, lbStep *step, lbScratch *s) {
  const lbContacts *c = body->contacts;
  for (int32_t j = 0; j < c->count; j++) {
    const double *row = row_of(body, j);
    lbVec3 force = lb_scale(c->forces[j], c->normals[j]);
    for (int32_t i = 0; i < body->prepared->dimension; i++) s->held[i] += c->forces[j] * row[i];
    step->frame.force = lb_add(step->frame.force, force);
    step->frame.torque = lb_add(step->frame.torque, lb_cross(c->arms[j], force));
  }
}

// (S + softness) x = right with x >= 0 where it is not, and the other way round; from x.
static void solve(int32_t count, const double *S, double softness, const double *right, double *x) {
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int32_t j = 0; j < count; j++) {
      const double *row = S + (size_t)j * LB_CONTACT_PLACES;
      double left = right[j] - softness * x[j], diagonal = row[j] + softness;
      for (int32_t k = 0; k < count; k++) left -= row[k] * x[k];
      if (diagonal > 0) x[j] = fmax(0, x[j] + left / diagonal);
    }
}

// The frame's share in how place j answers to a force at place k: linear and angular mobility.
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

void lb_contacts_settle(lbBody *body, const lbStep *step, lbScratch *s) {
  lbContacts *c = body->contacts;
  const lbPrepared *p = body->prepared;
  double S[LB_CONTACT_PLACES * LB_CONTACT_PLACES], right[LB_CONTACT_PLACES], J[LB_CONTACT_PLACES];
  int32_t r = p->dimension;
  for (int32_t k = 0; k < c->count; k++) {
    memcpy(s->a, row_of(body, k), (size_t)p->padded * sizeof(double));
    if (p->method->mobilise) p->method->mobilise(p, s->a);
    for (int32_t j = 0; j < c->count; j++)
      S[j * LB_CONTACT_PLACES + k] =
          lb_row_dot(r, row_of(body, j), s->a) + frame_share(body, j, k, 1);
  }
  for (int32_t j = 0; j < c->count; j++) { // velocities if nothing had touched
    lbVec3 rigid = lb_add(body->frame.velocity, lb_cross(body->frame.spin, c->arms[j]));
    double speed = lb_row_dot(r, row_of(body, j), s->v) + lb_dot(c->normals[j], rigid);
    right[j] = c->speeds[j] - speed;
    J[j] = step->h * c->forces[j];
  }
  for (int32_t j = 0; j < c->count; j++)
    for (int32_t k = 0; k < c->count; k++)
      right[j] += S[j * LB_CONTACT_PLACES + k] * step->h * c->forces[k];
  solve(c->count, S, 0, right, J);
  lbVec3 impulse = lb_vec3(0, 0, 0), moment = impulse;
  memset(s->b, 0, (size_t)p->padded * sizeof(double));
  for (int32_t j = 0; j < c->count; j++) {
    double amount = J[j] - step->h * c->forces[j];
    if (!lb_is_bounded(amount)) return;
    for (int32_t i = 0; i < r; i++) s->b[i] += amount * row_of(body, j)[i];
    impulse = lb_add_scaled(impulse, amount, c->normals[j]);
    moment = lb_add_scaled(moment, amount, lb_cross(c->arms[j], c->normals[j]));
  }
  lb_frame_strike(body, impulse, moment, s->b, s->q, s->v, s);
  p->method->put(body, NULL, s->v, NULL);
  lb_body_settle(body);
}

// ---- a ball ------------------------------------------------------------------------------------

static lbStatus check(const lbBody *body, const lbBall *ball, double dt) {
  lbVec3 c = ball->centre, v = ball->velocity;
  if (body->prepared->method->is_recording) return lb_body_refuse_recording(body, "ball");
  if (!lb_vec3_is_bounded(c) || !lb_vec3_is_bounded(v))
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "ball: centre (%g, %g, %g), velocity (%g, %g, %g): not a number or beyond %g",
                   c.x, c.y, c.z, v.x, v.y, v.z, LB_BODY_MOST);
  if (!(ball->radius > 0 && ball->radius <= LB_BODY_MOST) || !(ball->stiffness > 0))
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "ball: radius %g, stiffness %g; both must be above 0", ball->radius,
                   ball->stiffness);
  return lb_time_step_is_legal(dt) ? LB_OK : lb_time_step_refuse(dt, body->message);
}

// Where the body is at the end of a step without this ball: scratch->q, step->frame. False:
// nowhere.
static bool predict(lbBody *body, lbStep *step, lbScratch *s) {
  const lbBodyMethod *method = body->prepared->method;
  method->get(body, s->q0, s->v0, s->force);
  int32_t flags = lb_frame_begin(body, step, s);
  memcpy(s->held, s->inertial, (size_t)body->prepared->padded * sizeof(double));
  memset(s->pull, 0, (size_t)lb_body_width(body) * sizeof(double));
  if (lb_body_is_touched(body)) lb_contacts_hold(body, step, s);
  if (!(flags & LB_STEP_NONFINITE)) flags |= method->begin(body, step, s);
  if (flags & LB_STEP_NONFINITE) return false;
  if (lb_frame_is_felt(body)) lb_frame_correct(body, step, s);
  return true;
}

// Adds a contact for each place, without a force yet; gaps <- at the step's end.
static void add_contacts(lbBody *body, const lbStep *step, const lbBall *ball, int32_t count,
                         const Place *places, const lbScratch *s, double *gaps) {
  lbContacts *c = body->contacts;
  const lbPrepared *p = body->prepared;
  lbVec3 middle = lb_add(step->frame.position, lb_mat3_apply(step->frame.turn, p->centre));
  for (int32_t i = 0; i < count; i++) {
    const Place *place = &places[i];
    int32_t j = c->count++;
    double *row = row_of(body, j);
    memset(row, 0, (size_t)lb_body_width(body) * sizeof *row);
    lb_tree_line(s->search->tree, place->triangle, place->weights, place->normal, row);
    c->normals[j] = lb_mat3_apply(step->frame.turn, place->normal);
    lbVec3 at = lb_add_scaled(ball->centre, place->gap + ball->radius, c->normals[j]);
    c->arms[j] = lb_sub(at, middle);
    c->speeds[j] = lb_dot(c->normals[j], ball->velocity);
    c->forces[j] = 0;
    gaps[i] = place->gap;
    for (int32_t k = 0; k < p->dimension; k++) gaps[i] += row[k] * (s->q[k] - s->q0[k]);
  }
}

static void find_forces(lbBody *body, const lbStep *step, const lbBall *ball, int32_t first,
                        const double *gaps, lbScratch *s) {
  lbContacts *c = body->contacts;
  const lbPrepared *p = body->prepared;
  double S[LB_PUSH_PLACES * LB_CONTACT_PLACES], right[LB_PUSH_PLACES], h = step->h;
  int32_t count = c->count - first;
  for (int32_t k = 0; k < count; k++) {
    p->method->respond(body, step, s, row_of(body, first + k), s->b);
    for (int32_t j = 0; j < count; j++)
      S[j * LB_CONTACT_PLACES + k] = lb_row_dot(p->dimension, row_of(body, first + j), s->b) +
                                     frame_share(body, first + j, first + k, 0.5 * h * h);
    right[k] = fmin(-gaps[k], MOST_OUT * ball->radius);
  }
  solve(count, S, 1 / ball->stiffness + h * h / (STIFFEST * p->mass), right, c->forces + first);
}

// Contacts that do not push are dropped; returns the sum of forces on the ball.
static lbVec3 keep_pushing(lbBody *body, int32_t first) {
  lbContacts *c = body->contacts;
  lbVec3 sum = lb_vec3(0, 0, 0);
  int32_t kept = first;
  for (int32_t j = first; j < c->count; j++) {
    if (!(c->forces[j] > 0 && lb_is_bounded(c->forces[j]))) continue;
    memmove(row_of(body, kept), row_of(body, j), (size_t)lb_body_width(body) * sizeof(double));
    c->forces[kept] = c->forces[j], c->speeds[kept] = c->speeds[j];
    c->normals[kept] = c->normals[j], c->arms[kept] = c->arms[j];
    sum = lb_add_scaled(sum, -c->forces[kept], c->normals[kept]);
    kept++;
  }
  c->count = kept;
  return sum;
}

static lbVec3 push(lbBody *body, const lbBall *ball, double dt, lbScratch *s) {
  Place places[LB_PUSH_PLACES];
  double gaps[LB_PUSH_PLACES];
  lbFrameState start = body->frame;
  lbStep step = { .h = dt, .share = 1, .whole = &start };
  lbVec3 none = lb_vec3(0, 0, 0);
  if (!predict(body, &step, s)) return none;
  lbVec3 centre =
      lb_mat3_apply_transpose(step.frame.turn, lb_sub(ball->centre, step.frame.position));
  lb_tree_search(s->search, s->q0, centre, (1 + MARGIN) * ball->radius);
  int32_t count = choose_places(s->search, centre, ball->radius, places);
  int32_t first = body->contacts->count, room = LB_CONTACT_PLACES - first;
  if (count > room) count = room;
  if (count == 0) return none;
  add_contacts(body, &step, ball, count, places, s, gaps);
  find_forces(body, &step, ball, first, gaps, s);
  return keep_pushing(body, first);
}

lbStatus lb_body_push_ball(lbBody *body, const lbBall *ball, double dt, lbVec3 *force) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  lbStatus status = check(body, ball, dt);
  if (status) return status;
  if (body->prepared->model->size.triangle_count > 0) {
    lbScratch *scratch = lb_scratch_borrow(body->prepared);
    status = scratch ? make_contacts(body) : lb_fail_memory(body->message);
    if (!status) status = make_search(body, scratch);
    if (!status) sum = push(body, ball, dt, scratch);
    lb_scratch_return(body->prepared, scratch);
  }
  if (!status && force) *force = sum;
  return status;
}
