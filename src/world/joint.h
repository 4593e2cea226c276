// Joints between bodies, inside the world layer.
//
//   joint.c             adding, reading
//   joint_memory.c      components, memory
//   joint_rows.c        positions of joints, and the rows that hold them
//   joint_compliance.c  how rows move each other and contact points
//   joint_elimination.c equality rows are eliminated; the rest is solved with contacts
//   joint_forces.c      forces over the step, impulses, reports
//
// A row is a direction, of a force or a torque, along which the two ends of a joint may not move
// relative to each other. Equality rows E of a component (joints that have bodies in common) are
// solved directly. Its other rows, I, are those of contacts and bounded rows (motors, limits): they
// are solved together on the Schur complement,
//
//   W_II − W_IE W_EE⁻¹ W_EI,   free_I − W_IE W_EE⁻¹ free_E,
//
// in which the component is one body. Then forces of equality rows follow from theirs.
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
  double force_max;      // of its size, too: of joints that are far apart
  double speed;          // wanted when the step is done
  double force, impulse; // found: held over the step; of the whole step
  double residual;       // what its force leaves of `free`, of an equality
  bool lost;             // it left some when forces were found
  int32_t bounded;       // its number among the bounded rows of the component; -1: an equality
} lbJointRow;

// Joints that have bodies in common, and these bodies.
typedef struct lbJointComponent {
  int32_t row_max, coordinate_max;  // room: rows; three for each block that is solved with contacts
  int32_t row_begin, row_count;     // in this step
  int32_t place_count;              // contact points of its bodies
  int32_t block_begin, block_count; // of bounded rows, three each, among the blocks that are solved
  int32_t coordinate_count;         // 3 (place_count + block_count)
  double *A;                        // (rows x rows): how rows move each other
  double *G; // (coordinates x rows): how rows move contact points and bounded rows
  double *S; // (coordinates x rows): W_EE⁻¹ G
  double
      *merged;   // (coordinates x coordinates): the Schur complement, and (coordinates x 3) of work
  double *still; // (rows): forces of equalities where the others have none
  double *x;     // (rows): work
  double *forces; // (coordinates): work
  bool *equality; // (rows)
  lbRowFactor factor;
  double *factor_memory;
  int32_t *factor_order;
} lbJointComponent;

// A body that joints hold, in this step.
typedef struct lbJointed {
  int32_t slot, component;
  int32_t contact_body;         // -1: it stays, and all that joints hold it by
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
  int32_t block_room;      // blocks of bounded rows of all components
  bool again;              // forces are found once more, about those that were found
  int32_t row_max;         // of a component
  lbJointEnd **ends;       // by body
  lbAnchorForce *impulses; // (2 row_max)
  lbJointed *bodies;       // (body_count)
  int32_t *body_of_slot;   // (slots) -1: none
  int32_t slot_room;
  int32_t *order; // (ordered): joints that hold, by component
  int32_t ordered;
  lbJointComponent *components; // (component_count)
  lbJointRow *rows;             // (row_room), by component
  int32_t row_count;            // in this step
  double *low, *high;           // (3 block_room): bounds of the bounded rows
  double *numbers;              // what all pointers of bodies lead to
  double *memory;               // what all pointers of components lead to
  int32_t *integers;            //
  bool *flags;                  //
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

// joint_compliance.c.
lbJointed *lb_jointed_of(const lbWorld *world, int32_t slot); // NULL: nothing holds it
// A unit force of a row on one of its ends.
typedef struct lbJointAct {
  const lbJointed *body; // NULL: the world
  const lbJointEnd *end;
  lbVec3 force, torque; // at the anchor's mean
  lbVec3 frame_torque;  // about the frame's centre
} lbJointAct;
lbJointAct lb_joint_act(const lbWorldJoints *joints, const lbJointRow *row, int side);
// A and the rows of G for contact points, of a component.
void lb_joints_assemble(const lbWorld *world, int32_t component);
void lb_joints_enlist(lbWorld *world); // jointed bodies among the contact bodies
void lb_joints_open(lbWorld *world, int32_t contact_body); // while the body's step is open
void lb_joints_look(lbWorld *world, int32_t contact_body, lbScratch *scratch); // when it is done
int32_t lb_joints_leader(const lbWorldJoints *joints, int32_t component); // a contact body of it

// joint_elimination.c. Rows are made, or measured for impulses (`speeds`): their equalities are
// eliminated, and their bounded rows become blocks behind the contacts; touch->free <- what contact
// points do with that.
void lb_joints_eliminate(lbWorld *world, bool speeds);
// sides, parts <- of the problem that is solved, with components as one body; sides has those of
// contacts.
void lb_joints_merge(const lbWorld *world, lbContactSide *sides, lbContactPart *parts);
// When x of contacts and bounded rows are known: forces (or impulses) of all rows.
void lb_joints_back_substitute(lbWorld *world, bool speeds, const double *x);

// joint_forces.c.
// Whether bodies turn so far in the step that forces are to be found again, about where those that
// were found lead to.
bool lb_joints_turn_far(const lbWorld *world);
// How many substeps a step of h needs so that a jointed body does not turn or swing too far in
// each.
double lb_joints_substeps(const lbWorld *world, int32_t jointed, double h);
void lb_joints_hold(lbWorld *world);   // bodies hold the forces over the step
void lb_joints_finish(lbWorld *world); // impulses, reports, what breaks

#endif
