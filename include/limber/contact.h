// limber/contact.h: contacts of the bodies of a world with each other and with colliders, which
// stand, follow paths or are moved by the caller; joints; sleep; queries. docs/contact.md has a
// guide.
//
// Contacts are part of the step. Each body supplies its free motion and the compliance of its
// contact points to forces that are held over the step, from the matrix of its own step. All
// forces of an island are found together: they keep the surfaces apart at the end of the step,
// within Coulomb's cones. When the bodies have taken the step with these forces, impulses bring
// the velocities at the contacts to rest. So stiff bodies are as stable as soft ones, and a body
// at rest is carried by its weight.
//
// Contacts are found at the start of a step, as far around each surface as it moves in the step.
// What moves by many times its own size in a step is stopped at the first side that it meets.
// Tested (tests/world/test_tunnel.c): a ball of 0.2 m and 10 MPa does not pass a plate of 0.5 mm
// at up to 200 m/s and steps of 1/240 to 1/30 s, nor a soft plate of 10 mm at up to 50 m/s;
// neither does a collider that is moved at up to 50 m/s pass that.
#ifndef LIMBER_CONTACT_H
#define LIMBER_CONTACT_H

#include "limber/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- colliders ---------------------------------------------------------------------------------

typedef uint64_t lbColliderId; // 0: none

#define LB_SCENE_CONTACTS_MOST 16384 // lbWorldSettings.contacts_most of scenes and cooked files

typedef enum lbColliderShape {
  LB_COLLIDER_PLANE,   // z <= 0 of its own axes
  LB_COLLIDER_SPHERE,  //
  LB_COLLIDER_BOX,     // centred
  LB_COLLIDER_CAPSULE, // along its own z
  LB_COLLIDER_HULL,    // the convex hull of its vertices
  LB_COLLIDER_MESH,    // triangles
  LB_COLLIDER_SHAPE_COUNT
} lbColliderShape;

typedef struct lbColliderDef {
  lbColliderShape shape;  // default plane
  double radius;          // sphere, capsule: m, > 0; default 0.5
  double size[3];         // box: full extents, m, > 0; capsule: size[2] is the distance of its two
                          // centres, m, >= 0; default 1
  int32_t vertex_count;   // hull, mesh
  const double *vertices; // (vertex_count x 3) m, copied
  int32_t triangle_count; // mesh
  const int32_t *triangles; // (triangle_count x 3), copied, counter-clockwise from outside
  lbVec3 position;          // m, of its own axes; default 0
  lbQuat rotation;          // default the identity; it is normalised
  // As in lbContactMaterial; default NAN: the world's.
  double friction;         // μ >= 0
  double compliance;       // m/N, >= 0
  double restitution;      // 0 to 1
  double rolling_friction; // m, >= 0
  bool sensor;             // bodies pass through it (lb_world_overlap_collider); default false
} lbColliderDef;

lbColliderDef lb_collider_def(void);
lbStatus lb_world_add_collider(lbWorld *world, const lbColliderDef *def, lbColliderId *id,
                               lbError *err);
lbStatus lb_world_remove_collider(lbWorld *world, lbColliderId id, lbError *err);
// Where it is at the end of the next step; it goes there in the course of that step, and stands
// afterwards.
lbStatus lb_world_move_collider(lbWorld *world, lbColliderId id, lbVec3 position, lbQuat rotation,
                                lbError *err);
// Follows a path from now on, and is there at once; NULL: it stands. The path must outlive it.
lbStatus lb_world_drive_collider(lbWorld *world, lbColliderId id, const lbPath *path, lbError *err);
lbStatus lb_world_collider(const lbWorld *world, lbColliderId id, lbVec3 *position,
                           lbQuat *rotation, lbError *err);
// Collider number `index` of a cooked world, without its path: for callers that build the
// world themselves. Vertices and triangles are those of the def.
lbColliderDef lb_world_collider_def(const lbWorldDef *def, int32_t index);
// Its surface for drawing, in its own axes: triangles, counter-clockwise from outside. A quarter of
// a circle is cut into `detail` pieces (1 to 64); a plane is a square of 2 `extent` m.
lbStatus lb_collider_surface_size(const lbWorld *world, lbColliderId id, int32_t detail,
                                  int32_t *vertex_count, int32_t *triangle_count, lbError *err);
lbStatus lb_collider_surface(const lbWorld *world, lbColliderId id, int32_t detail, double extent,
                             double *vertices, int32_t *triangles, lbError *err);

// ---- rigid bodies ------------------------------------------------------------------------------

// A model of a rigid body (LB_METHOD_RIGID): a sphere, box, capsule or hull of even density
// (kg/m³, > 0). Bodies of it are added by lb_world_add like any other, move freely under gravity,
// touch with their exact shape and have no coordinates; position and rotation of the shape's def
// are not looked at. To be destroyed by lb_model_destroy, after its bodies.
lbStatus lb_rigid_model(const lbColliderDef *shape, double density, lbModel **out, lbError *err);

// ---- bodies ------------------------------------------------------------------------------------

// Whether a body touches anything (default: it does, in a world with lbWorldSettings.contact), and
// its μ >= 0 (NAN: the world's). A pair has the geometric mean of its two frictions.
lbStatus lb_world_set_touch(lbWorld *world, lbBodyId id, bool touches, double friction,
                            lbError *err);

// How a surface touches others. NAN: the world's value (lbWorldSettings).
typedef struct lbContactMaterial {
  double friction;    // μ >= 0, Coulomb's. A pair has the geometric mean of both
  double compliance;  // m/N, >= 0: a contact that pushes with f N may overlap by compliance x f. A
                      // pair has the sum of both
  double restitution; // 0 to 1: the share of the approach speed that a contact separates with. A
                      // pair has the larger one
  double rolling_friction; // m, >= 0: a contact that pushes with f N resists rolling by a torque of
                           // up to rolling_friction x f, and spinning about the normal as well. A
                           // pair has the geometric mean of both; none if one of the two is a free
                           // body of the methods warp, frames or full
} lbContactMaterial;

lbContactMaterial lb_contact_material(void); // all NAN
lbStatus lb_world_set_contact_material(lbWorld *world, lbBodyId id,
                                       const lbContactMaterial *material, lbError *err);
// That of a body of a cooked world; of the world itself for body -1.
lbContactMaterial lb_world_contact_material(const lbWorldDef *def, int32_t body);

// Which pairs may touch: two do if the category of each is in the mask of the other. In equal
// groups other than 0 they always do (> 0), or never (< 0), whatever their categories. Filters
// apply besides lb_world_set_touch, which excludes bodies, and joints, which exclude pairs. They do
// not affect whether a body touches itself.
typedef struct lbContactFilter {
  uint16_t category; // bits; default 1
  uint16_t mask;     // bits; default 65535: all categories
  int32_t group;     // default 0: none
} lbContactFilter;

lbContactFilter lb_contact_filter(void);
// Number `index` of lbWorldDef.body_filters or collider_filters, which may be NULL.
lbContactFilter lb_world_filter(const int32_t *filters, int32_t index);
lbStatus lb_world_set_filter(lbWorld *world, lbBodyId id, const lbContactFilter *filter,
                             lbError *err);
lbStatus lb_world_set_collider_filter(lbWorld *world, lbColliderId id,
                                      const lbContactFilter *filter, lbError *err);

// A body of the method "frames" gets frames where it is pressed, which go again when it is not:
// at most `most` at a time (0 to 8; default 0: none), no nearer to others than `spacing` (m, at
// rest; 0: half the smallest distance between the model's; two voxels or more). It takes over
// within twice that distance, or four voxels. One comes where contact forces within that distance
// of each other have pressed harder than a thousandth of the modulus on its square for a twentieth
// of a second, and no frame is within it; it goes when no contact has been near for a quarter.
// Shape and motion stay as near as the new frames can come (lb_body_frames_insert). This happens
// between steps, in lb_world_step, takes memory and some milliseconds, is the same for any number
// of threads, and goes back with saved states. Refused: bodies of other methods.
lbStatus lb_world_set_contact_frames(lbWorld *world, lbBodyId id, int32_t most, double spacing,
                                     lbError *err);

// ---- joints ------------------------------------------------------------------------------------

// A joint connects two bodies of any method, or one body and the world. Joints are part of the step
// like contacts: their forces are solved for together, by the compliance of the bodies, and joints
// are exact up to rounding. On a deformable body a joint follows the mean motion of the surface
// points nearest to it, or one vertex.
typedef uint64_t lbJointId; // 0: none

typedef enum lbJointKind {
  LB_JOINT_POINT,    // two points stay together
  LB_JOINT_HINGE,    // and turn against each other about an axis alone
  LB_JOINT_SLIDER,   // shift along an axis alone
  LB_JOINT_WELD,     // nothing
  LB_JOINT_DISTANCE, // two points stay as far apart as they are
  LB_JOINT_KIND_COUNT
} lbJointKind;

typedef struct lbJointDef {
  lbJointKind kind;    // default point
  lbBodyId bodies[2];  // the second 0: the world
  lbVec3 places[2];    // m, world, as bodies stand now: where it is on each of them. Points that do
                       // not lie together are drawn together, no faster than 1 m/s; a weld and a
                       // slider hold them as they are
  int32_t vertices[2]; // of their surfaces, instead of places; default -1. Led by that vertex alone
                       // in the kinds point and distance
  int32_t region_count;  // weld: so many vertices of the first one's surface, each held where it is
  const int32_t *region; // on the second; of many some that lie apart are held. Default 0
  lbVec3 axis;           // hinge, slider: world, now; not 0; it is normalised. Default z
  // Hinge, slider, distance: the position is 0 now (m, rad), and grows as the first one is shifted
  // along the axis, or turned about it by the right hand, against the second; or with the distance.
  bool limited;       // default false
  double limits[2];   // least and greatest position, 0 need not lie between them
  double motor_speed; // m/s, rad/s that the position changes by, as far as
  double motor_force; // N, N m, >= 0: maximum motor force; default 0: no motor
  double break_force; // N, > 0: broken for ever after a step with more; default INFINITY
  bool collide;       // whether the two touch each other; default false
} lbJointDef;

typedef struct lbJointReport { // of the last step; all 0 where it is broken
  lbVec3 force, torque;        // N, N m on the first body, world; the torque about `place`
  lbVec3 place;                // m, world: where it is on the first body
  double position;             // m, rad; see lbJointDef
  double error;                // m: how far its points are from where they should be
  bool broken;
} lbJointReport;

lbJointDef lb_joint_def(void);
// Joint number `index` of a cooked world, all but its bodies: for callers that build the world
// themselves. Its region is that of the def.
lbJointDef lb_world_joint_def(const lbWorldDef *def, int32_t index);
// Refused: a body and itself, bodies that are not there or play recordings, an axis of no length,
// limits in the wrong order. Joints go with their bodies when these are removed.
lbStatus lb_world_add_joint(lbWorld *world, const lbJointDef *def, lbJointId *id, lbError *err);
lbStatus lb_world_remove_joint(lbWorld *world, lbJointId id, lbError *err);
lbStatus lb_world_joint(const lbWorld *world, lbJointId id, lbJointReport *out, lbError *err);
// Another speed and force of a hinge's or slider's motor.
lbStatus lb_world_set_motor(lbWorld *world, lbJointId id, double speed, double force, lbError *err);

// ---- sleep -------------------------------------------------------------------------------------

// Bodies that touch each other and have been at rest for half a second sleep, all of them or none:
// their steps only advance time, at next to no cost, and their contacts stay as they are. A body is
// at rest when no point of it moves by more than 2 % of its radius a second. All of them wake when
// one is pushed, loaded, held or changed in any way, when a collider moves near one, when colliders
// are added or removed, and when a body that is awake comes near. Bodies that are driven or held by
// constraints do not sleep, nor do bodies that touch these or that joints hold.
bool lb_world_body_sleeping(const lbWorld *world, lbBodyId id);
lbStatus lb_world_wake(lbWorld *world, lbBodyId id, lbError *err);

// ---- contacts of the last step
// ------------------------------------------------------------------------------

typedef struct lbContact {
  lbBodyId bodies[2];    // the second is 0 where `collider` is not
  lbColliderId collider; //
  lbPoint points[2];     // on the surfaces of the bodies; of a rigid one the nearest vertex
  lbVec3 point;          // m, world, at the step's start
  lbVec3 normal;         // unit, from the second to the first
  double gap;            // m, at the step's start; below 0: they overlap
  lbVec3 force;          // N, on the first: its impulse in the last step over the step's length
  bool sliding;
} lbContact;

// Those of the last step (of its last part, with substeps) that push, in an order that depends on
// nothing but the world. They last until the next step.
int32_t lb_world_contact_count(const lbWorld *world);
const lbContact *lb_world_contacts(const lbWorld *world);
// N, the sum of contact forces on a body in the last step.
lbVec3 lb_world_contact_force(const lbWorld *world, lbBodyId id);
// What bodies exert on a collider: the sum of contact forces (N) and their torque about its
// position at the step's end (N m), world axes, means over the last step with all its parts. Either
// may be NULL. Colliders are kinematic: use them for bodies of another simulation that are
// kinematic too, or much heavier than what they touch. Couple others by a rigid body that stands
// for each of them and exchanges momentum (examples/coupling.c).
lbStatus lb_world_collider_force(const lbWorld *world, lbColliderId id, lbVec3 *force,
                                 lbVec3 *torque, lbError *err);

// ---- queries -----------------------------------------------------------------------------------

typedef struct lbFound {
  lbBodyId body;         // one of the two, the other is 0; both 0: nothing was found
  lbColliderId collider; //
  lbPoint point;         // of a body's surface
  lbVec3 position;       // m
  lbVec3 normal;         // unit, outward
  double distance;       // m, from the point or origin of the query
} lbFound;

// Bodies as they are now, by their surfaces, whether they take part in contacts or not, and
// colliders. Numbers that are not finite are refused.
// The first surface that a ray meets, from either side; a collider that it begins in, at once.
lbStatus lb_world_ray(const lbWorld *world, lbVec3 origin, lbVec3 direction, double length,
                      lbFound *found, lbError *err);
// The nearest place of any surface within a distance, from outside and from inside.
lbStatus lb_world_closest(const lbWorld *world, lbVec3 place, double within, lbFound *found,
                          lbError *err);
// Who shares a point with a ball, or with a box of full extents `size`: bodies in the order in
// which they were added, then colliders, one entry each. *count is how many there are, found (most)
// gets the first of them, with the body or collider alone.
lbStatus lb_world_overlap_sphere(const lbWorld *world, lbVec3 centre, double radius, int32_t most,
                                 lbFound *found, int32_t *count, lbError *err);
lbStatus lb_world_overlap_box(const lbWorld *world, lbVec3 centre, lbQuat rotation,
                              const double size[3], int32_t most, lbFound *found, int32_t *count,
                              lbError *err);
// Bodies that share a point with a collider, which filters and lb_world_set_touch let touch it: for
// sensors, as the last step left them. What passes through in a single step is not found.
lbStatus lb_world_overlap_collider(const lbWorld *world, lbColliderId id, int32_t most,
                                   lbBodyId *bodies, int32_t *count, lbError *err);

// A flag of lb_world_step beside lbStepFlags: there was no room for all contacts
// (lbWorldSettings.contacts_most, 48 of a body, or 256 of an unreduced one), and some did not act.
enum { LB_STEP_CONTACTS_DROPPED = 256 };

// What contacts cost in the last step (its last part, with substeps). Bodies that take it again in
// halves add to the times alone.
typedef struct lbContactStats {
  int32_t contacts;        // where surfaces touch or could in the step
  int32_t pushing;         // of these, those with a force
  int32_t dropped;         // for which there was no room
  int32_t islands;         // bodies that touch each other, apart from all others
  int32_t solves;          // linear systems of an unreduced body that were solved for its contact
                           // forces, the most that one took
  int32_t sweeps;          // over the contacts of an island, the most that one took for its forces
  double find_seconds;     // s of wall time: broad and narrow phase
  double response_seconds; // compliance of the contact points
  double solve_seconds;    // forces and impulses
} lbContactStats;

lbContactStats lb_world_contact_stats(const lbWorld *world);

#ifdef __cplusplus
}
#endif
#endif
