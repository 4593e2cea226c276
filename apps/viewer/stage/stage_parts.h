// What a stage is made of, for the files that are it: stage.c (making it, what is seen), cast.c
// (actors), colliders.c (what they touch), drop.c
// (letting go of supports), pressure.c, frames.c, apply.c (settings), clock.c (time), hands.c
// (tools), pose.c (posing by handles), ground.c, sketch.c.
#ifndef LIMBER_VIEWER_STAGE_PARTS_H
#define LIMBER_VIEWER_STAGE_PARTS_H

#include "stage/actor.h"
#include "stage/stage.h"

enum { VW_HANDS = 64, VW_COPIES = LB_METHOD_COUNT };

typedef struct vwGroup { // bodies of one model that the world moves by one method
  const lbModel *model;
  lbMethod method;
  bool driven; // frames follow paths
  int32_t count;
  lbVec3 *positions; // (count), and so on: in the beginning
  lbQuat *rotations;
  lbPath **paths;                       // NULLs where they are not driven
  lbVec3 *linear, *angular;             // initial velocities
  const double **shapes;                // coordinates that they start with; NULL: their rest shape
  int32_t *numbers;                     // in the world, rising
  bool *untouchable;                    // they touch nothing
  lbContactMaterial *contact_materials; // NANs: the world's
  lbContactFilter *filters;             // filters of contacts
  double *contact_frames;               // (count x 2): as lbWorldDef.body_contact_frames
  double *materials; // (materials x 3): young, poisson, density as the settings say
} vwGroup;

typedef struct vwLoad { // of the bundle's world
  int32_t group, member;
  lbLoad load; // for each role of the group, as its body's
} vwLoad;

typedef struct vwAttachment {
  int32_t group, member;
  lbAttachment def; // for each role of the group, as its body's
} vwAttachment;

typedef struct vwLead { // a frame that follows a path
  int32_t group, member;
} vwLead;

typedef struct vwCollider { // of the bundle's world
  lbColliderDef def;
  lbContactFilter filter;
  const lbPath *path; // NULL: it stands
  vwBox box;          // world axes, at the start; of a plane, empty
} vwCollider;

typedef struct vwJoint {         // of the bundle's world
  lbJointDef def;                // all but its bodies
  int32_t groups[2], members[2]; // of its bodies; the second group -1: the world
} vwJoint;

typedef struct vwRole { // a group moved by a method
  vwActor *actor;
  int32_t group;
  lbVec3 shift; // from where the world has it, in a comparison
  char label[64];
} vwRole;

typedef struct vwCast {
  int32_t count;
  vwRole *roles;
  lbWorld *world; // of the roles' bodies: time, gravity, loads, paths, steps
  int32_t collider_count;
  lbColliderId *colliders; // (collider_count): of the world
  void *beginning;         // its state in the beginning
  size_t beginning_bytes;
  bool changed; // by materials or damping: the beginning is of other bodies
} vwCast;

typedef struct vwHand { // something that a pointer does, or a pin
  bool used;
  vwHoldKind kind;
  int32_t pointer; // -1: none, it stays
  int32_t role;    // where it began
  int32_t group, member;
  lbPoint point;
  lbVec3 anchor;          // of the plane in which the pointer moves, without the role's shift
  lbVec3 target;          // likewise; of a ball: its target
  lbVec3 centre;          // of a ball, likewise
  double radius;          // of a ball
  lbVec3 force;           // of a ball in the last step
  int32_t ids[VW_COPIES]; // the pull in each role of the group, in their order; -1: none
  lbVec3 strongest;       // N, the largest force on the body so far, own axes
} vwHand;

typedef struct vwChosenFrame {
  int32_t group, member, number;
} vwChosenFrame;

typedef struct vwClock {
  double step; // s
  double wait; // s of simulated time that are due but less than a step
  bool behind;
  int32_t flags;
  int32_t traced, trace_count; // next place in the ring; how many there are
  vwTrace traces[VW_TRACE_LENGTH];
  int32_t energy_wait; // advances until the energies are looked at again
} vwClock;

typedef struct vwSketchLoad {
  int32_t vertex; // in the numbers of the object's input
  lbVec3 force;   // own axes
} vwSketchLoad;

typedef struct vwSketchBook {
  bool open;
  int32_t group; // whose loads are recorded; -1: none yet
  vwSketchLoad *loads;
  size_t count, capacity;
} vwSketchBook;

struct vwStage {
  lbBundle *bundle;
  vwStageDef def;
  lbArena arena; // groups, loads
  int32_t group_count, load_count, attachment_count, lead_count;
  vwGroup *groups;
  vwLoad *loads;
  vwAttachment *attachments;
  vwLead *leads;      // (lead_count), in the order of the world's
  int32_t body_count; // of the world
  bool contact;       // bodies touch each other and colliders
  lbContactMaterial contact_material;
  int32_t substeps, substeps_max;
  bool self; // bodies touch themselves
  int32_t collider_count, drawn_collider_count;
  vwCollider *colliders;
  int32_t *drawn_colliders; // (drawn_collider_count): all but the ground
  int32_t joint_count;
  vwJoint *joints;
  bool dropped;        // what was held falls on the ground (drop.c)
  const lbModel *held; // the object as it was; NULL: it was never dropped
  lbModel *loose;      // the same with nothing fixed; NULL: it was not needed
  int32_t path_count;
  lbPath **paths;                    // of the world
  lbMethod methods[LB_METHOD_COUNT]; // to choose from; LB_METHOD_DEFAULT: as the world says
  int32_t method_count;

  vwCast cast;
  int32_t generation;
  vwSettings settings, start; // in force; what the scene began with
  lbVec3 world_gravity;
  double world_step;  // s, 0: none
  lbBodyDef body_def; // as lb_world_open would make bodies
  char up;
  vwBox box;     // of the world at rest, without copies
  double size;   // its longest side
  lbVec3 across; // level, unit: the way in which copies stand side by side
  double ground; // height, where the world does not say it
  char message[400];

  vwClock clock;
  vwHand hands[VW_HANDS];
  struct vwPose *pose; // NULL: no body is posed
  vwChosenFrame chosen;
  vwSketchBook sketch;
  double mode_time; // s since a mode is shown
  double *saved;    // coordinates and rates of all bodies while a mode is shown

  double *nodes[2];            // (most nodes x 3): working memory
  double *coordinates, *rates; // (most dimension)
};

// cast.c
lbStatus vw_cast_create(const vwStage *stage, const vwSettings *settings, vwCast *out,
                        lbError *err);
void vw_cast_release(vwCast *cast);
lbStatus vw_cast_restart(vwStage *stage, lbError *err);
int32_t vw_cast_step(vwStage *stage, double dt); // lbStepFlags
void vw_cast_set_gravity(vwStage *stage, lbVec3 gravity);
// Time, and shape and speed of the bodies of one cast for those of another.
void vw_cast_carry(vwStage *stage, const vwCast *from, const vwSettings *before, vwCast *to);
bool vw_group_has(const vwStage *stage, const vwGroup *group, lbMethod method);
int32_t vw_group_dimension(const vwGroup *group, lbMethod method); // 0: drawn by positions
lbMethod vw_group_method(const vwStage *stage, const vwGroup *group, const vwSettings *settings);
lbVec3 vw_stage_gravity(const vwStage *stage, const vwSettings *settings);

// colliders.c
lbStatus vw_colliders_read(vwStage *stage, lbError *err);
lbStatus vw_cast_add_colliders(const vwStage *stage, vwCast *cast, lbError *err);
// Whether all of them are level planes, which are the same beside each other.
bool vw_colliders_are_level(const vwStage *stage);
// The box with what of the colliders is near it.
vwBox vw_colliders_around(const vwStage *stage, vwBox box);

// pressure.c: of contacts at the vertices of a body, Pa
void vw_stage_pressure(const vwStage *stage, int32_t actor, int32_t body, double *values);

// frames.c
bool vw_frames_press(vwStage *stage, const vwView *view, double x, double y);
void vw_frames_choose_near(vwStage *stage, int32_t actor, int32_t body, lbVec3 place);
void vw_frames_weights(const vwStage *stage, int32_t actor, int32_t body, double *values);

// joints.c; `member` (bodies x 2): group and number in it
lbStatus vw_joints_read(vwStage *stage, const int32_t *member, lbError *err);
lbStatus vw_cast_add_joints(const vwStage *stage, const vwCast *cast, lbError *err);

// drop.c
const char *vw_drop_refusal(const vwStage *stage); // NULL: the object can be dropped
lbStatus vw_drop_follow(vwStage *stage, vwSettings *settings, lbError *err);
lbVec3 vw_drop_lift(const vwStage *stage); // from where the bodies stand
lbStatus vw_drop_add_ground(const vwStage *stage, const vwCast *cast, lbError *err);

// hands.c
void vw_hands_attach(vwStage *stage); // all pulls to the bodies of a new cast
void vw_hands_regrip(vwStage *stage); // the same bodies, another stiffness
void vw_hands_before_step(vwStage *stage);
void vw_hands_after_step(vwStage *stage);

// apply.c
void vw_mode_begin(vwStage *stage); // keeps the bodies' states aside and shows settings.mode
void vw_mode_show(vwStage *stage);  // as mode_time says
void vw_mode_end(vwStage *stage);   // puts them back
void vw_mode_forget(vwStage *stage);

// ground.c
void vw_ground_find(vwStage *stage);
// About how low what is at `low` at rest comes by its weight, not below the ground.
double vw_ground_sag(const vwStage *stage, double low);

// sketch.c
void vw_sketch_add(vwStage *stage, const vwHand *hand);

// stage.c
// The methods to choose from, settings of the start and working memory for the groups' models.
lbStatus vw_stage_take_methods(vwStage *stage, lbError *err);
// Whether bodies touch each other and colliders.
static inline bool vw_stage_touches(const vwStage *stage) {
  return stage->contact || stage->dropped;
}
void vw_stage_say(vwStage *stage, const char *text);
double vw_clamp(double value, double low, double high); // NaN: low

#endif
