// Inside the world layer.
#ifndef LB_WORLD_WORLD_H
#define LB_WORLD_WORLD_H

#include "limber/contact.h"
#include "limber/world.h"

#include "base/refuse.h"
#include "body/access.h"
#include "math/simd.h"

// Bodies that are stepped together: a batch, or one body of its own.
typedef struct lbWorldGroup {
  lbBatch *batch; // or
  lbBody *single; // both NULL: nobody is left, the place is free
  int32_t count;  // bodies that it was made with
  int32_t living; // that have not been removed
  double seconds; // s of wall time of the last step
  int32_t every;  // part of the world's steps at which they move; 0: each
} lbWorldGroup;

struct lbPlaced;

// A place for a body. Ids are made of its number and its generation.
typedef struct lbWorldSlot {
  uint32_t generation; // of the present or the last body
  lbBody *body;        // NULL: free
  int32_t group;
  bool started;        // the accelerations at its start are known
  const lbPath *path;  // what its frame follows; NULL: nothing
  lbVec3 shift;        // of the path
  int32_t flags;       // of the last step
  int32_t take;        // how its island takes the step under way (guard.h)
  int32_t start_flags; // of the steps before this one
  bool saved;          // its state at the start of the step is (guard.c)
  bool touches;        // other bodies and colliders
  lbContactMaterial material;
  bool filtered;           // by `filter`; otherwise by lb_contact_filter()
  lbContactFilter filter;  //
  struct lbPlaced *placed; // its surface in the step under way; NULL: it has none that touches
  int32_t contact_frames;  // contact_frames.c: at most, and
  double contact_spacing;  // m, no nearer to others

  // sleep.c
  bool asleep;               // as lbBody.asleep
  int32_t sleep_group;       // slot of the first of its island: those that sleep wake together
  double rest;               // s, for which it has been at rest
  lbRestPoints rest_points;  // by which that is seen
  double push;               // what is applied to it, and
  uint64_t print;            // what it is, when it fell asleep
  const lbPrepared *made_of; //
} lbWorldSlot;

typedef struct lbWorldLoad {
  uint32_t generation;
  bool used;
  lbLoad load;
} lbWorldLoad;

typedef struct lbWorldJoint { // of a body of frames
  lbBodyId body;
  int32_t joint;
  const lbPath *path; // in the body's own axes
  lbVec3 arm;
} lbWorldJoint;

typedef struct lbWorldAttachment {
  uint32_t generation;
  bool used;
  lbAttachment def;
  lbVec3 rest;        // world: X of its target, without the shift
  int32_t constraint; // of its body, in the step under way; -1: it does not hold
} lbWorldAttachment;

typedef struct lbWorldProbe {
  lbBodyId body;
  lbPoint point;
  lbVec3 rest;     // own axes
  lbVec3 position; // of the frame when it was added
  lbQuat rotation;
} lbWorldProbe;

typedef struct lbWorldCollider lbWorldCollider;
typedef struct lbWorldTouch lbWorldTouch;

struct lbWorld {
  lbWorldSettings settings;
  lbSimdLevel level; // of its bodies
  // The clock: `steps` steps of `length` seconds since `begin`.
  double begin;  // s
  int64_t steps; //
  double length; // s; 0: none yet
  // The substep under way.
  double h;         // s, its length
  double whole;     // s, of the call of lb_world_step
  int32_t take;     // of the islands that move in it (guard.h)
  int64_t substeps; // of the last step (step_counts.h)
  int32_t slot_count, group_count, load_count, probe_count, path_count, attachment_count;
  int32_t joint_count, living;
  size_t slot_room, group_room, load_room, starting_room, probe_room, attachment_room, joint_room;
  lbWorldSlot *slots;
  lbWorldGroup *groups;
  lbWorldLoad *loads;
  lbPointForce *starting; // (load_count): work, what acts on a body at its start
  lbWorldProbe *probes;
  lbWorldJoint *joints;
  lbWorldAttachment *attachments;
  lbPath **paths; // (path_count): the world's own
  int32_t collider_count;
  size_t collider_room;
  lbWorldCollider *colliders;
  lbWorldTouch *touch;          // contacts; NULL: none
  struct lbWorldJoints *linked; // joints of bodies (world/joint.h); NULL: none
};

lbWorldSlot *lb_world_slot(const lbWorld *world, lbBodyId id); // NULL: no such body
// Whether a body moves in the substep under way. The step of others is done, or waits for the
// substeps of their islands (guard.c).
static inline bool lb_slot_goes(const lbWorld *world, const lbWorldSlot *slot) {
  return slot->take == world->take;
}
// Forces do not move it: its step is done, or it sleeps.
static inline bool lb_slot_stays(const lbWorld *world, const lbWorldSlot *slot) {
  return slot->asleep || !lb_slot_goes(world, slot);
}
lbStatus lb_world_refuse_id(lbBodyId id, lbError *err);
static inline lbBodyId lb_world_id(int32_t slot, uint32_t generation) {
  return (uint64_t)generation << 32 | (uint64_t)(uint32_t)(slot + 1);
}
// A batch whose bodies get the places `slots` (def->count), which are free.
lbStatus lb_world_add_group(lbWorld *world, const lbModel *model, const lbBatchDef *def,
                            const int32_t *slots, lbError *err);
// lb_world_open with bodies at a level, for tests that compare bits.
lbStatus lb_world_open_at(const lbBundle *bundle, const lbWorldSettings *settings,
                          lbSimdLevel level, lbWorld **out, lbError *err);
lbContactMaterial lb_world_collider_material(const lbWorldDef *def, int32_t collider);
// Room for `count` more bodies; their places are numbered from *first on, one after another.
lbStatus lb_world_make_slots(lbWorld *world, int32_t count, int32_t *first, lbError *err);
// A frame of a slot's path as its body has it: with the velocity of the rest shape's centre of
// mass.
lbFrame lb_world_frame(const lbWorldSlot *slot, const lbPathState *at);
// Leads a joint to where its path is at a time, over the next step or at once.
void lb_world_lead_joint(const lbWorld *world, const lbWorldJoint *joint, double time,
                         bool at_once);
// The body is at once where its path is at a time, and moves as it does there.
lbStatus lb_world_follow(const lbWorldSlot *slot, double time);
// Attachments (attach.c): a point is held in a step of its body from `begun` to `end`; all are let
// go when a step is done, so that states have nothing of them.
void lb_world_hold(lbWorld *world, lbWorldAttachment *attachment, double begun, double end);
void lb_world_let_go(lbWorld *world);

#endif
