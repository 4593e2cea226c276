// Contacts of a world, inside its layer.
//
//   colliders.c    what is not a body
//   touch.c        memory, settings, reports
//   touch_find.c   who is near whom, and the places where they touch
//   touch_self.c   places where a surface touches itself
//   touch_step.c   forces over a step, impulses after it
//   touch_response.c  what lbContactResponse changes in that
//   retry.c        steps that are taken again in halves
#ifndef LB_WORLD_TOUCH_H
#define LB_WORLD_TOUCH_H

#include "world/world.h"

#include "body/rigid.h"
#include "body/touch.h"
#include "contact/solid.h"
#include "contact/solve.h"
#include "limber/contact.h"

#define LB_PAIR_CONTACTS 16    // of two that touch, at most
#define LB_BODY_CONTACTS 48    // of a body, at most
#define LB_PAIR_CANDIDATES 256 // of a pair, before some are chosen
#define LB_PAIR_TRIANGLES 1024 // of each surface of a pair

#define LB_RETRIES 4 // how often a step may be halved

typedef struct lbColliderMove { // of a step or a part of it
  lbVec3 position, end_position;
  lbQuat rotation, end_rotation;
  bool moves;
} lbColliderMove;

struct lbWorldCollider {
  uint32_t generation;
  lbSolid *solid; // NULL: the place is free
  double friction;
  lbVec3 position; // at the step's start
  lbQuat rotation;
  bool moves;          // in the next step, to
  lbVec3 end_position; // here
  lbQuat end_rotation;
  const lbPath *path;   // NULL: none
  lbVec3 force, torque; // N, N m: of bodies on it, means of the last step so far
  lbColliderMove kept[LB_RETRIES];
};

// A place where two could touch in this step.
typedef struct lbTouchCandidate {
  int32_t triangles[2]; // of the surfaces; -1: of a collider or a rigid body
  double weights[2][3];
  int32_t feature;      // what touches what, of contact/solid.h
  int32_t known;        // number among the remembered contacts; -1: it is new
  lbVec3 point, normal; // world, at the step's start; on the second; from it to the first
  lbVec3 first;         // world: on the first, where that is rigid
  double gap;           // m
} lbTouchCandidate;

typedef struct lbPairTriangle { // of a surface near another one
  lbSurfaceTriangle at;         // world
  lbBox box;
  int32_t number;
} lbPairTriangle;

typedef struct lbWorldContact {
  int32_t slots[2];  // the second -1: a collider
  int32_t collider;  // -1: none
  int32_t places[2]; // in the lists of the touchers
  lbTouchCandidate at;
  lbVec3 axes[3];
  double friction;
} lbWorldContact;

// A contact that pushed in the last step: it is preferred to others, and its forces are where the
// next ones start from.
typedef struct lbRememberedContact {
  int32_t slots[2], collider, triangles[2], feature;
  double forces[3];
} lbRememberedContact;

// A body that has contacts in this step.
typedef struct lbWorldToucher {
  int32_t slot;
  int32_t first, count; // its spots
  bool open;            // its step could be opened
  lbTouching touching;
} lbWorldToucher;

struct lbWorldTouch {
  int32_t contact_room, contact_count;
  int32_t dropped;          // contacts for which there was no room in the last step
  lbWorldContact *contacts; // (contact_room)
  double *forces;           // (contact_room x 3): held over the step, N
  double *impulses;         // (contact_room x 3): of the whole step, N s
  int32_t report_count;
  lbContact *reports; // (contact_room)
  int32_t remembered_count;
  lbRememberedContact *remembered; // (contact_room)

  // For each slot of the world.
  int32_t slot_room;
  lbVec3 *centres;            // spheres around the surfaces
  double *reaches;            // their radii, with what they can move by in the step; 0: not there
  double *margins;            // m: that alone
  int32_t *numbers;           // in `touchers`; -1: no contact
  lbVec3 *sums;               // N, contact forces of the last step
  int32_t toucher_count;      //
  lbWorldToucher *touchers;   //
  lbContactPart *parts;       // of the problem of forces,
  lbContactPart *speed_parts; // and of that of impulses

  lbContactSide *sides;     // (contact_room x 2)
  double *free, *frictions; // (contact_room x 3), (contact_room)
  lbSpot *spots;            // (2 contact_room): by toucher
  lbVec3 *ways;             // (2 contact_room): what they move by alone
  const lbSpot **struck;    // (LB_BODY_CONTACTS): arguments of lb_touch_strike
  const double **amounts;   //
  double *signs;            //
  double *pool;             // matrices and forces of parts
  size_t pool_room, pool_used;
  double *work; // of lb_touch_matrices
  size_t work_room;
  double *stops;    // (contact_room x 3): impulses before the step, N s; NULL: there are none
  double *lcp_work; // NULL: forces are found by Gauss-Seidel
  bool missed;      // contacts of the last part did not end where they were to
  size_t saved_room;
  char *saved[LB_RETRIES + 1]; // (saved_room): states of all bodies; the last for work
  int32_t candidate_count;
  lbTouchCandidate *candidates;
  lbTouchPlace *places;
  int32_t triangle_counts[2];
  lbPairTriangle *triangles[2];
};

// Room for all bodies and contacts; memory is taken here and not in a step.
lbStatus lb_touch_reserve(lbWorld *world, lbError *err);
void lb_touch_destroy(lbWorldTouch *touch); // NULL is legal

// Contacts of a part of a step, and their forces, which bodies take into their steps;
void lb_touch_begin(lbWorld *world, double start, double end);
// impulses when bodies have taken them.
void lb_touch_finish(lbWorld *world);

// touch_response.c.
lbStatus lb_touch_reserve_response(lbWorld *world, lbError *err);
// `first`: how many contacts the problems before this one have that are solved at the same time.
void lb_touch_solve(const lbWorld *world, const lbContactProblem *problem, int32_t first,
                    double *x);
void lb_touch_soften(lbWorld *world); // penalty: before forces are found
void lb_touch_stop(lbWorld *world);   // lcp: before a step is opened
// touch_step.c, for these: how contacts give way; the normal way of one in the step without contact
// forces, m; free <- speeds of contacts; bodies get impulses at their contacts.
void lb_touch_find_responses(lbWorld *world);
double lb_touch_free_way(const lbWorld *world, int32_t contact);
lbContactProblem lb_touch_problem(const lbWorldTouch *touch, lbContactPart *parts);
void lb_touch_find_speeds(lbWorld *world);
void lb_touch_strike_all(lbWorld *world, const double *impulses);

// Where the spot of a contact's body is, as it was looked at.
lbVec3 lb_touch_place(const lbWorldTouch *touch, int32_t contact, int side);

// retry.c: a part of a step by `take`, or in halves where contacts miss; room for that.
typedef int32_t lbWorldPart(lbWorld *world);
int32_t lb_retry_part(lbWorld *world, int level, lbWorldPart *take);
lbStatus lb_retry_reserve(lbWorld *world, lbError *err);
void lb_touch_measure(lbWorld *world); // touch->missed <- when spots have been looked at

// NAN (the world's) or 0 and more.
lbStatus lb_touch_check_friction(double friction, lbError *err);
int32_t lb_touch_enlist(lbWorldTouch *touch, int32_t slot); // its number among the touchers
// touch_find.c: contacts at the step's start.
void lb_touch_find(lbWorld *world);
// One more of the pair that is looked at; of too many, some are left out.
void lb_touch_add_candidate(lbWorldTouch *touch, double length, const lbTouchCandidate *candidate);
// touch_self.c: memory of a body that can touch itself, and the candidates of such a pair.
lbStatus lb_self_create(const lbBody *body, lbSelfTouch **out, lbError *err);
void lb_self_destroy(lbSelfTouch *self); // NULL is legal
void lb_self_find(lbWorld *world, int32_t slot);
// colliders.c: the shape of a collider; to be destroyed.
lbStatus lb_collider_make_solid(const lbColliderDef *def, lbSolid **out, lbError *err);
lbWorldCollider *lb_world_find_collider(const lbWorld *world, lbColliderId id); // NULL: none
// How a place of a collider moves in the step.
lbVec3 lb_collider_way(const lbWorldCollider *collider, lbVec3 point);
// Where colliders are at the end of a part of a step; and they are there.
void lb_colliders_lead(lbWorld *world, double start, double end);
void lb_colliders_arrive(lbWorld *world);
// What contacts exert on colliders: nothing yet in a step; and with those of a part of it.
void lb_colliders_relieve(lbWorld *world);
void lb_colliders_feel(lbWorld *world);
void lb_colliders_go_to(lbWorld *world, double time); // those with paths, at once

#endif
