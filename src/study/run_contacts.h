// Contacts of a run: its colliders, and what is told of who touches whom.
#ifndef LB_STUDY_RUN_CONTACTS_H
#define LB_STUDY_RUN_CONTACTS_H

#include "limber/run.h"

typedef struct lbTouchingPair {
  int32_t body, other, collider; // numbers in the scene; -1: none
  double parted;                 // s: when they ceased to push; NAN: they do
} lbTouchingPair;

typedef struct lbRunContacts {
  lbRun *run;
  lbWorld *world;
  lbBodyId *bodies;        // (bodies of the scene)
  lbColliderId *colliders; // (colliders of the scene)
  lbTouchingPair *touching;
  lbJointId *joints; // (joints of the scene)
  size_t touching_count, touching_room, event_room;
} lbRunContacts;

lbStatus lb_run_add_colliders(lbRunContacts *contacts, lbError *err);
// After a step that ends at `time`: who began to touch, who ended it. What presses lightly lets go
// for a few steps now and then: an end is told once they stay apart, with the time of their
// parting.
lbStatus lb_run_watch_contacts(lbRunContacts *contacts, double time, lbError *err);
lbStatus lb_run_report_contacts(lbRunContacts *contacts, lbError *err); // at the end
// run_joints.c: the scene's joints; and after a step, what broke and what they hold with.
lbStatus lb_run_add_joints(lbRunContacts *contacts, lbError *err);
lbStatus lb_run_watch_joints(lbRunContacts *contacts, double time, lbError *err);
void lb_run_release_contacts(lbRunContacts *contacts);

#endif
