// Contacts in a run: colliders, what touches at the end, and which pairs began or ended to touch.
#include "study/run_contacts.h"

#include "limber/contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define APART 0.05 // s without contact force after which an end event is recorded
#define STEPS 1.5  // and steps

// ---- colliders ---------------------------------------------------------------------------------

lbStatus lb_run_add_colliders(lbRunContacts *c, lbError *err) {
  const lbScene *scene = c->run->scene;
  lbStatus status = LB_OK;
  c->colliders = lb_alloc((size_t)scene->collider_count, sizeof *c->colliders);
  c->sensed = lb_alloc((size_t)c->run->body_count, sizeof *c->sensed);
  if (!c->colliders || !c->sensed) return lb_fail_memory(err);
  for (int32_t i = 0; i < scene->collider_count && !status; i++) {
    const lbSceneCollider *from = &scene->colliders[i];
    if (from->untouchable) continue;
    lbColliderDef def = lb_collider_def();
    lbError why = { 0 };
    def.shape = from->shape;
    def.radius = from->radius;
    memcpy(def.size, from->size, sizeof def.size);
    def.position = lb_vec3_load(from->position);
    def.rotation =
        lb_quat(from->rotation[0], from->rotation[1], from->rotation[2], from->rotation[3]);
    def.friction = from->contact_material.friction;
    def.compliance = from->contact_material.compliance;
    def.restitution = from->contact_material.restitution;
    def.rolling_friction = from->contact_material.rolling_friction;
    def.sensor = from->sensor;
    if (from->mesh) {
      def.vertex_count = from->mesh->vertex_count, def.vertices = from->mesh->positions;
      def.triangle_count = from->mesh->triangle_count, def.triangles = from->mesh->triangles;
    }
    status = lb_world_add_collider(c->world, &def, &c->colliders[i], &why);
    if (!status)
      status = lb_world_set_collider_filter(c->world, c->colliders[i], &from->filter, &why);
    if (!status && from->motion)
      status = lb_world_drive_collider(c->world, c->colliders[i], from->motion, &why);
    if (status)
      lb_fail(err, status, "%s: collider \"%s\": %.400s", scene->path, from->name, why.text);
  }
  return status;
}

// ---- begin and end of contacts
// --------------------------------------------------------------------------

static int32_t body_number(const lbRunContacts *c, lbBodyId id) {
  for (int32_t i = 0; i < c->run->body_count && id; i++)
    if (c->bodies[i] == id) return i;
  return -1;
}

static int32_t collider_number(const lbRunContacts *c, lbColliderId id) {
  for (int32_t i = 0; i < c->run->scene->collider_count && id; i++)
    if (c->colliders[i] == id) return i;
  return -1;
}

lbTouchingPair lb_run_pair(const lbRunContacts *c, const lbContact *contact) {
  return (lbTouchingPair){ body_number(c, contact->bodies[0]), body_number(c, contact->bodies[1]),
                           collider_number(c, contact->collider), NAN };
}

bool lb_run_same_pair(lbTouchingPair a, lbTouchingPair b) {
  return a.body == b.body && a.other == b.other && a.collider == b.collider;
}

static lbTouchingPair *find_touching_pair(const lbRunContacts *c, lbTouchingPair pair) {
  for (size_t i = 0; i < c->touching_count; i++)
    if (lb_run_same_pair(c->touching[i], pair)) return &c->touching[i];
  return NULL;
}

lbStatus lb_run_add_event(lbRunContacts *c, const lbRunEvent *event, lbError *err) {
  lbRun *run = c->run;
  if (!lb_grow((void **)&run->events, &c->event_room, (size_t)run->event_count + 1,
               sizeof *run->events))
    return lb_fail_memory(err);
  int32_t at = run->event_count++;
  for (; at > 0 && run->events[at - 1].time > event->time; at--)
    run->events[at] = run->events[at - 1];
  run->events[at] = *event;
  return LB_OK;
}

static lbRunEvent event_of(lbTouchingPair pair, double time, lbRunEventKind kind) {
  return (lbRunEvent){ time, kind, pair.body, pair.other, pair.collider, 0 };
}

static bool is_sensor(const lbRunContacts *c, int32_t collider) {
  return collider >= 0 && c->run->scene->colliders[collider].sensor;
}

// Two began to touch; from lbScene.hit_speed on that is a hit, too, but of sensors.
static lbStatus record_begin(lbRunContacts *c, double time, lbTouchingPair pair, lbError *err) {
  lbRunEvent begin = event_of(pair, time, LB_RUN_BEGIN), hit = event_of(pair, time, LB_RUN_HIT);
  lbStatus status = lb_run_add_event(c, &begin, err);
  if (isinf(c->run->scene->hit_speed) || is_sensor(c, pair.collider)) return status;
  if (!status) status = lb_run_approach(c, pair, &hit.speed, err);
  if (status || !(hit.speed > c->run->scene->hit_speed)) return status;
  return lb_run_add_event(c, &hit, err);
}

// Records end events for pairs that have been apart for longer than `apart_min` (s).
static lbStatus record_ends(lbRunContacts *c, double time, double apart_min, lbError *err) {
  size_t kept = 0;
  lbStatus status = LB_OK;
  for (size_t i = 0; i < c->touching_count; i++) {
    lbTouchingPair pair = c->touching[i];
    if (!(time - pair.parted > apart_min))
      c->touching[kept++] = pair;
    else if (!status) {
      lbRunEvent end = event_of(pair, pair.parted, LB_RUN_END);
      status = lb_run_add_event(c, &end, err);
    }
  }
  c->touching_count = kept;
  return status;
}

static lbStatus watch_pair(lbRunContacts *c, double time, lbTouchingPair pair, lbError *err) {
  lbTouchingPair *before = find_touching_pair(c, pair);
  if (before) {
    before->parted = NAN;
    return LB_OK;
  }
  if (!lb_grow((void **)&c->touching, &c->touching_room, c->touching_count + 1,
               sizeof *c->touching))
    return lb_fail_memory(err);
  c->touching[c->touching_count++] = pair;
  return record_begin(c, time, pair, err);
}

static lbStatus watch_sensors(lbRunContacts *c, double time, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < c->run->scene->collider_count && !status; i++) {
    int32_t count = 0;
    if (!is_sensor(c, i) || !c->colliders[i]) continue;
    status = lb_world_overlap_collider(c->world, c->colliders[i], c->run->body_count, c->sensed,
                                       &count, err);
    for (int32_t k = 0; k < count && !status; k++) {
      lbTouchingPair pair = { body_number(c, c->sensed[k]), -1, i, NAN };
      status = watch_pair(c, time, pair, err);
    }
  }
  return status;
}

lbStatus lb_run_watch_contacts(lbRunContacts *c, double time, lbError *err) {
  const lbContact *contacts = lb_world_contacts(c->world);
  int32_t count = lb_world_contact_count(c->world);
  lbStatus status = LB_OK;
  for (size_t i = 0; i < c->touching_count; i++)
    if (isnan(c->touching[i].parted)) c->touching[i].parted = time; // unless they touch
  for (int32_t i = 0; i < count && !status; i++)
    status = watch_pair(c, time, lb_run_pair(c, &contacts[i]), err);
  if (!status) status = watch_sensors(c, time, err);
  if (status) return status;
  return record_ends(c, time, fmax(APART, STEPS * c->run->scene->time_step), err);
}

lbStatus lb_run_report_contacts(lbRunContacts *c, lbError *err) {
  lbRun *run = c->run;
  const lbContact *contacts = lb_world_contacts(c->world);
  lbStatus status = record_ends(c, INFINITY, 0, err); // of those that are apart when it is over
  if (status) return status;
  run->contact_count = lb_world_contact_count(c->world);
  run->contacts = lb_alloc((size_t)run->contact_count, sizeof *run->contacts);
  if (!run->contacts) return lb_fail_memory(err);
  for (int32_t i = 0; i < run->contact_count; i++) {
    lbTouchingPair pair = lb_run_pair(c, &contacts[i]);
    lbRunContact *to = &run->contacts[i];
    *to = (lbRunContact){ .body = pair.body,
                          .other = pair.other,
                          .collider = pair.collider,
                          .sliding = contacts[i].sliding };
    lb_vec3_store(to->point, contacts[i].point);
    lb_vec3_store(to->normal, contacts[i].normal);
    lb_vec3_store(to->force, contacts[i].force);
  }
  for (int32_t i = 0; i < run->body_count; i++)
    lb_vec3_store(run->bodies[i].contact_force, lb_world_contact_force(c->world, c->bodies[i]));
  return LB_OK;
}

void lb_run_release_contacts(lbRunContacts *c) {
  lb_free(c->colliders);
  lb_free(c->sensed);
  lb_free(c->joints);
  lb_free(c->bodies);
  lb_free(c->touching);
  lb_free(c->asleep);
  lb_free(c->start.begin);
  lb_free(c->start.states);
  lb_free(c->start.now);
  lb_free(c->start.awake);
  lb_free(c->start.colliders);
}
