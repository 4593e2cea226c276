// Joints between bodies, inside the world layer.
//
//   joint.c        adding, reading, memory
//   joint_rows.c   where joints are, and the rows that hold them
//   joint_respond.c how bodies give way
//   joint_step.c   the forces
//
// A row is a direction, of a force or a torque, along which the two ends of a joint may not move
// against each other; rows of joints that have bodies in common are solved directly, all together.
// Contacts see jointed bodies as one: with D how places of contacts give way, C how they move by
// forces of rows and A how rows do, it gives way by D − C A⁻¹ Cᵀ.
#ifndef LB_WORLD_JOINT_H
#define LB_WORLD_JOINT_H

#include "solve/pivoted_ldlt.h"
#include "world/touch.h"

#define LB_REGION_POINTS 16 // of a region that are held, at most
#define LB_JOINT_ROWS 900   // of joints that have bodies in common, at most

typedef struct lbJointEnd {
  int32_t slot;  // -1: the world
  int32_t body;  // number among the jointed bodies; -1: the world
  int32_t basis; // first of its lines among those of the body
  int32_t joint; // its number in the list
  lbAnchor anchor;
  lbVec3 place_before; // at the step's start
  lbQuat rotation_before;
} lbJointEnd;

// What a step changes of a joint.
typedef struct lbJointState {
  double position; // when it was last seen; angles are followed beyond half a turn
  double error;
  lbVec3 force, torque;
  bool broken;
} lbJointState;

typedef struct lbBodyJoint {
  uint32_t generation;
  bool used;
  bool leaves;    // it is being removed with its body
  lbJointDef def; // without its region
  int32_t pair_count;
  lbJointEnd (*pairs)[2];  // (pair_count): a region has many
  lbVec3 side;             // at right angles to the axis: angles are measured by it
  double length;           // of a distance when it was made, of a slider along its axis
  lbVec3 offset;           // slider: the first seen from the second when it was made
  lbJointState now, start; // start: where the step began, for islands that take it again
} lbBodyJoint;

typedef struct lbJointRow {
  int32_t joint, pair;
  bool turns;            // a torque and an angle
  lbVec3 axis;           // world, unit; positive on the first end
  lbVec3 points[2];      // m, world: where its force acts on each end
  double free;           // how far off it would be, without forces of joints and contacts
  double low, high;      // of its force
  double most;           // of its size, too: of joints that are far apart
  double speed;          // wanted when the step is done
  double force, impulse; // found: held over the step; of the whole step
  double rest;           // what its force leaves of `free`, inside its bounds
  bool lost;             // it left some when forces were found
  int8_t state;          // of its force: inside its bounds 0, at the low one -1, at the high 1
} lbJointRow;

// A body that joints hold, in this step.
typedef struct lbJointed {
  int32_t slot, component;
  int32_t toucher;              // -1: it stays, and all that joints hold it by
  int32_t first_end, end_count; // in lbWorldJoints.ends
  int32_t basis_count;          // lines of its anchors
  double *lines, *moved;        // (basis x padded)
  double *G;                    // (basis x basis): how lines move each other
  double *C;                    // (3 contacts x basis): how they move the contacts
  bool free;                    // its frame moves:
  double factor;                // by this times force over mass and inertia,
  lbMat3 mobility;              // with inverse inertia
  lbVec3 centre;                // about here, world
  lbMat3 turn;                  // of the frame, at which lines were made
  int32_t first_place;          // of its contacts among those of the component
} lbJointed;

typedef struct lbWorldJoints {
  int32_t count;
  size_t room;
  lbBodyJoint *list;

  // Made by lb_joints_prepare.
  int32_t body_count, component_count, row_room;
  bool again;            // forces are found once more, about those that were found
  int32_t row_most;      // of a component
  lbJointEnd **ends;     // by body
  lbAnchorForce *struck; // (2 row_most)
  lbJointed *bodies;     // (body_count)
  int32_t *body_of_slot; // (slots) -1: none
  int32_t slot_room;
  int32_t *order; // (ordered): joints that hold, by component
  int32_t ordered;
  int32_t *row_begin; // (component_count + 1) in this step
  int32_t *most_rows; // (component_count)
  lbJointRow *rows;   // (row_room)
  double *numbers;    // what all pointers of bodies lead to
  double *A;          // of one component: (rows x rows)
  double *factor_memory;
  int32_t *factor_order;
  double *right, *x, *other; // (row_room)
  bool *used;                // (row_room)
  size_t coordinate_most;    // three for each contact point that a component can have
  double *coupling;          // (coordinate_most x rows), twice
  // The contacts' problem, with jointed bodies as one.
  int32_t contact_room, part_room;
  lbContactSide *sides;  // (contact_room x 2)
  lbContactPart *parts;  // (part_room)
  double **merged;       // (component_count): matrices
  int32_t *place_counts; // (component_count)
  double *merged_memory, *spare;
  double *free_before, *forces_before; // (3 contact_room) where rounds start from
} lbWorldJoints;

void lb_joints_destroy(lbWorldJoints *joints); // NULL is legal
// Room for all that holds, in `next`; and it replaces the room there is, or (keep = false) is
// released. Without joints both do nothing.
lbStatus lb_joints_prepare(const lbWorld *world, lbWorldJoints *next, lbError *err);
void lb_joints_adopt(lbWorld *world, lbWorldJoints *next, bool keep);
static inline bool lb_joints_hold_any(const lbWorld *world) {
  return world->linked && world->linked->ordered > 0;
}
// Whether the bodies of a joint stay as they are: they do so together, and what was told of it
// stays.
static inline bool lb_joint_stays(const lbWorld *world, const lbBodyJoint *joint) {
  return lb_slot_stays(world, &world->slots[joint->pairs[0][0].slot]);
}
// Whether some of the jointed bodies move in the part under way, as its contacts are listed.
bool lb_joints_go(const lbWorld *world);
// Whether two slots are jointed and do not touch.
bool lb_joints_part(const lbWorld *world, int32_t a, int32_t b);
// What steps change: saved where a step begins, restored for the bodies that take it again.
void lb_joints_save(lbWorld *world);
void lb_joints_restore(lbWorld *world);
// Removes the joints of a body that is being removed.
lbStatus lb_joints_forget_body(lbWorld *world, lbBodyId id, lbError *err);

// joint_rows.c: rows of all joints at the ends' states; when the step is done (`speeds`), the same
// rows with the velocities there.
void lb_joints_make_rows(lbWorld *world);
void lb_joints_measure_speeds(lbWorld *world);
// Drops rows of joints whose bodies wait for substeps of their own.
void lb_joints_drop_waiting(lbWorld *world);
// Whether a joint came apart in the step by more than a share of its smaller body's radius, or
// turned by more than an angle (rad); asked when its ends have been looked at.
bool lb_joint_comes_apart(const lbWorld *world, const lbBodyJoint *joint, double share,
                          double angle);

// joint_respond.c.
lbJointed *lb_jointed_of(const lbWorld *world, int32_t slot); // NULL: nothing holds it
// A unit force of a row on one of its ends.
typedef struct lbJointAct {
  const lbJointed *body; // NULL: the world
  const lbJointEnd *end;
  lbVec3 force, torque; // at the anchor's mean
  lbVec3 frame_torque;  // about the frame's centre
} lbJointAct;
lbJointAct lb_joint_act(const lbWorldJoints *joints, const lbJointRow *row, int side);
// A (rows x rows) <- how the rows of a component move each other;
void lb_joints_assemble(const lbWorld *world, int32_t first, int32_t count, double *A);
// coupling (3 places x rows) <- how they move its contacts.
void lb_joints_couple(const lbWorld *world, int32_t component, double *coupling);

// joint_respond.c and joint_step.c, called by touch_step.c:
void lb_joints_enlist(lbWorld *world);                 // jointed bodies among the touchers
void lb_joints_open(lbWorld *world, int32_t toucher);  // while the body's step is open
typedef void lbJointsSolve(lbWorld *world, double *x); // of contacts alone
// Forces of all rows and, by `solve`, of contacts, whose matrices are *parts; or impulses.
void lb_joints_solve(lbWorld *world, bool speeds, lbContactPart **parts, double *x,
                     lbJointsSolve *solve);
// Whether bodies turn so far in the step that forces are to be found again, about where those that
// were found lead to.
bool lb_joints_turn_far(const lbWorld *world);
// How many substeps a step of h needs so that a jointed body does not turn or swing too far in
// each.
double lb_joints_substeps(const lbWorld *world, int32_t jointed, double h);
void lb_joints_note_rest(lbWorld *world); // of the forces
void lb_joints_keep(lbWorld *world);      // forces are held over the step
void lb_joints_look(lbWorld *world, int32_t toucher, lbScratch *scratch); // when it is done
int32_t lb_joints_leader(const lbWorldJoints *joints, int32_t component); // a toucher of it
void lb_joints_finish(lbWorld *world); // impulses, reports, what breaks

#endif
