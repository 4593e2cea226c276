// Contacts of a run: its colliders, and the begin and end events of contacts.
#ifndef LB_STUDY_RUN_CONTACTS_H
#define LB_STUDY_RUN_CONTACTS_H

#include "limber/contact.h"
#include "limber/run.h"

typedef struct lbTouchingPair {
  int32_t body, other, collider; // numbers in the scene; -1: none
  double parted;                 // s: when they ceased to push; NAN: they do
} lbTouchingPair;

// Where a step began: what is asked of it when two have come together in it.
typedef struct lbRunStart {
  size_t *begin;      // (bodies + 1): of each body's state in
  char *states;       // all of them
  char *now;          // of the largest one: work
  bool *awake;        // (bodies)
  lbFrame *colliders; // (colliders): position and rotation
} lbRunStart;

typedef struct lbRunContacts {
  lbRun *run;
  lbWorld *world;
  lbBodyId *bodies;        // (bodies of the scene)
  lbColliderId *colliders; // (colliders of the scene)
  lbBodyId *sensed;        // (bodies of the scene): that overlap a sensor, work
  lbTouchingPair *touching;
  lbJointId *joints; // (joints of the scene)
  size_t touching_count, touching_room, event_room;
  lbRunStart start;
  bool *asleep; // (bodies of the scene) after the last step
} lbRunContacts;

// An event behind all that happened no later.
lbStatus lb_run_add_event(lbRunContacts *contacts, const lbRunEvent *event, lbError *err);

lbStatus lb_run_add_colliders(lbRunContacts *contacts, lbError *err);
// Records begin and end events after a step that ends at `time`. A light contact opens for a few
// steps now and then, so an end is recorded only once the pair stays apart, with the time at which
// it parted.
lbStatus lb_run_watch_contacts(lbRunContacts *contacts, double time, lbError *err);
lbStatus lb_run_report_contacts(lbRunContacts *contacts, lbError *err); // at the end
// run_hits.c: before a step, keeps how all moves; after it, m/s: how fast two that began to touch
// came together when it began, where they did so fastest.
lbStatus lb_run_keep_start(lbRunContacts *contacts, lbError *err);
lbStatus lb_run_approach(lbRunContacts *contacts, lbTouchingPair pair, double *speed, lbError *err);
// After a step: which bodies fell asleep or woke in it.
lbStatus lb_run_watch_sleep(lbRunContacts *contacts, double time, lbError *err);
lbTouchingPair lb_run_pair(const lbRunContacts *contacts, const lbContact *contact);
bool lb_run_same_pair(lbTouchingPair a, lbTouchingPair b);
// run_joints.c: creates the scene's joints; after a step records breaks and joint forces.
lbStatus lb_run_add_joints(lbRunContacts *contacts, lbError *err);
lbStatus lb_run_watch_joints(lbRunContacts *contacts, double time, lbError *err);
void lb_run_release_contacts(lbRunContacts *contacts);

#endif
