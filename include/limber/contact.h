// limber/contact.h: what the bodies of a world touch: each other, and colliders, which stand,
// follow paths or are moved by the caller. Contacts have friction and forces that can be read.
//
// Contacts are part of the step. Before it, each body that is near something tells where it would
// come to and how places of its surface give way to forces that are held over the step, by its own
// matrix; forces are found that keep surfaces apart at the step's end, inside Coulomb's cones, all
// of them together; then the bodies take their steps with these forces. When that is done impulses
// bring the velocities at the contacts to rest against each other. So stiff bodies are as stable as
// soft ones, a body at rest is carried by its weight, and it bounces as far as it is elastic.
//
// Surfaces are looked at where the step begins, as far around them as they will go in it: what
// moves by many times its own size in a step is stopped at the first side that it meets.
#ifndef LIMBER_CONTACT_H
#define LIMBER_CONTACT_H

#include "limber/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- colliders ---------------------------------------------------------------------------------

typedef uint64_t lbColliderId; // 0: none

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
  double friction;          // μ >= 0; default NAN: the world's
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

// ---- bodies ------------------------------------------------------------------------------------

// Whether a body touches anything (default: it does, in a world with lbWorldSettings.contact), and
// its μ >= 0 (NAN: the world's). A pair has the geometric mean of its two frictions.
lbStatus lb_world_set_touch(lbWorld *world, lbBodyId id, bool touches, double friction,
                            lbError *err);

// ---- sleep -------------------------------------------------------------------------------------

// Bodies that touch each other and have been at rest for half a second sleep, all of them or none:
// their steps pass time alone, next to no time of the processor, and contacts go on telling what
// they told. At rest is a body of which no place moves by more than 2 % of its radius a second. They
// wake, all of them, when one is pushed, loaded, held or changed in any way, when a collider moves
// near one or colliders come and go, and when a body that is awake comes near. Bodies that are
// driven or held by constraints do not sleep, nor do any that they touch.
bool lb_world_body_sleeping(const lbWorld *world, lbBodyId id);
lbStatus lb_world_wake(lbWorld *world, lbBodyId id, lbError *err);

// ---- what touches ------------------------------------------------------------------------------

typedef struct lbContact {
  lbBodyId bodies[2];    // the second is 0 where `collider` is not
  lbColliderId collider; //
  lbPoint points[2];     // on the surfaces of the bodies
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

// What contacts cost in the last step (its last part, with substeps).
typedef struct lbContactStats {
  int32_t contacts;        // where surfaces touch or could in the step
  int32_t pushing;         // of these, those with a force
  int32_t dropped;         // for which there was no room
  int32_t islands;         // bodies that touch each other, apart from all others
  int32_t sweeps;          // over the contacts of an island, the most that one took for its forces
  double find_seconds;     // s of wall time: who touches whom, and where
  double response_seconds; // how bodies give way
  double solve_seconds;    // forces and impulses
} lbContactStats;

lbContactStats lb_world_contact_stats(const lbWorld *world);

#ifdef __cplusplus
}
#endif
#endif
