// Hits in a run: how fast two came together that touch since the last step. What is seen after the
// step has been slowed down by the contact, so bodies go back to where the step began, are asked
// how fast their points moved there, and return: states restore to the last bit.
#include "study/run_contacts.h"

#include <math.h>
#include <string.h>

static lbBody *find_hit_body(const lbRunContacts *c, int32_t number) {
  return lb_world_body(c->world, c->bodies[number]);
}

// ---- where a step begins -----------------------------------------------------------------------

static lbStatus make_hit_room(lbRunContacts *c, lbError *err) {
  lbRunStart *start = &c->start;
  size_t bodies = (size_t)c->run->body_count, most = 0;
  start->begin = lb_alloc(bodies + 1, sizeof *start->begin);
  start->awake = lb_alloc(bodies, sizeof *start->awake);
  start->colliders = lb_alloc((size_t)c->run->scene->collider_count, sizeof *start->colliders);
  if (!start->begin || !start->awake || !start->colliders) return lb_fail_memory(err);
  for (size_t i = 0; i < bodies; i++) {
    size_t bytes = lb_body_state_bytes(find_hit_body(c, (int32_t)i));
    start->begin[i + 1] = start->begin[i] + bytes;
    if (bytes > most) most = bytes;
  }
  start->states = lb_alloc(start->begin[bodies], 1);
  start->now = lb_alloc(most, 1);
  return start->states && start->now ? LB_OK : lb_fail_memory(err);
}

static lbStatus save_hit_body(const lbRunContacts *c, int32_t i, char *to, lbError *err) {
  const lbRunStart *start = &c->start;
  lbStatus status =
      lb_body_save_state(find_hit_body(c, i), to, start->begin[i + 1] - start->begin[i]);
  return status ? lb_fail_memory(err) : LB_OK; // there is room for it
}

static lbStatus restore_hit_body(const lbRunContacts *c, int32_t i, const char *from,
                                 lbError *err) {
  const lbRunStart *start = &c->start;
  lbBody *body = find_hit_body(c, i);
  lbStatus status = lb_body_restore_state(body, from, start->begin[i + 1] - start->begin[i]);
  if (!status) return LB_OK;
  return lb_fail(err, status, "body \"%s\": %s", c->run->scene->bodies[i].name,
                 lb_body_message(body));
}

lbStatus lb_run_keep_start(lbRunContacts *c, lbError *err) {
  lbRunStart *start = &c->start;
  lbStatus status = start->begin ? LB_OK : make_hit_room(c, err);
  for (int32_t i = 0; i < c->run->body_count && !status; i++) {
    start->awake[i] = !lb_world_body_sleeping(c->world, c->bodies[i]);
    if (start->awake[i]) status = save_hit_body(c, i, start->states + start->begin[i], err);
  }
  for (int32_t i = 0; i < c->run->scene->collider_count && !status; i++)
    if (c->colliders[i])
      status = lb_world_collider(c->world, c->colliders[i], &start->colliders[i].position,
                                 &start->colliders[i].rotation, err);
  return status;
}

// ---- how fast they came together ---------------------------------------------------------------

// Of a body in its present state. A rigid one is asked at the contact, since it touches beside its
// vertices.
static lbVec3 velocity_at(const lbBody *body, const lbContact *contact, int side) {
  lbVec3 velocity = lb_vec3(0, 0, 0);
  if (lb_body_method(body) != LB_METHOD_RIGID) {
    (void)lb_body_point(body, contact->points[side], NULL, &velocity);
    return velocity;
  }
  lbFrame frame = lb_body_frame(body);
  lbVec3 arm = lb_sub(contact->point, lb_body_report(body).centre);
  return lb_add(frame.linear_velocity, lb_cross(frame.angular_velocity, arm));
}

// Over the step.
static lbVec3 collider_velocity(const lbRunContacts *c, int32_t number, lbVec3 place) {
  const lbFrame *start = &c->start.colliders[number];
  lbVec3 position;
  lbQuat rotation;
  if (lb_world_collider(c->world, c->colliders[number], &position, &rotation, NULL))
    return lb_vec3(0, 0, 0);
  lbVec3 own = lb_quat_rotate(lb_quat_conjugate(start->rotation), lb_sub(place, start->position));
  lbVec3 end = lb_add(position, lb_quat_rotate(rotation, own));
  return lb_scale(1 / c->run->scene->time_step, lb_sub(end, place));
}

// Adds what one side of a pair's contacts moves by along their normals.
static lbStatus add_side(lbRunContacts *c, lbTouchingPair pair, int side, double *speeds,
                         lbError *err) {
  const lbContact *contacts = lb_world_contacts(c->world);
  int32_t number = side ? pair.other : pair.body;
  bool moves = number >= 0 && c->start.awake[number];
  lbStatus status = LB_OK;
  if (number >= 0 && !moves) return LB_OK; // it slept
  if (moves) status = save_hit_body(c, number, c->start.now, err);
  if (moves && !status)
    status = restore_hit_body(c, number, c->start.states + c->start.begin[number], err);
  if (status) return status;
  for (int32_t i = 0; i < lb_world_contact_count(c->world); i++) {
    const lbContact *at = &contacts[i];
    if (!lb_run_same_pair(lb_run_pair(c, at), pair)) continue;
    lbVec3 velocity = moves ? velocity_at(find_hit_body(c, number), at, side)
                            : collider_velocity(c, pair.collider, at->point);
    speeds[i] += (side ? 1 : -1) * lb_dot(at->normal, velocity);
  }
  return moves ? restore_hit_body(c, number, c->start.now, err) : LB_OK;
}

lbStatus lb_run_approach(lbRunContacts *c, lbTouchingPair pair, double *speed, lbError *err) {
  int32_t count = lb_world_contact_count(c->world);
  double *speeds = lb_alloc((size_t)count, sizeof *speeds);
  if (!speeds) return lb_fail_memory(err);
  lbStatus status = add_side(c, pair, 0, speeds, err);
  if (!status) status = add_side(c, pair, 1, speeds, err);
  *speed = 0;
  for (int32_t i = 0; i < count; i++) *speed = fmax(*speed, speeds[i]);
  lb_free(speeds);
  return status;
}

// ---- sleep -------------------------------------------------------------------------------------

lbStatus lb_run_watch_sleep(lbRunContacts *c, double time, lbError *err) {
  lbStatus status = LB_OK;
  if (!c->asleep) c->asleep = lb_alloc((size_t)c->run->body_count, sizeof *c->asleep);
  if (!c->asleep) return lb_fail_memory(err);
  for (int32_t i = 0; i < c->run->body_count && !status; i++) {
    bool asleep = lb_world_body_sleeping(c->world, c->bodies[i]);
    lbRunEvent event = { time, asleep ? LB_RUN_SLEEP : LB_RUN_WAKE, i, -1, -1, 0 };
    if (asleep != c->asleep[i]) status = lb_run_add_event(c, &event, err);
    c->asleep[i] = asleep;
  }
  return status;
}
