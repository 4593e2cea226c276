// Contacts of a world, inside its layer.
//
//   colliders.c         what is not a body
//   contacts.c          memory, settings, reports
//   contact_material.c  friction, compliance, restitution, rolling friction
//   contact_filter.c    which pairs may touch
//   find_pairs.c        pairs that could touch, and their margins
//   find_contacts.c     the contact points of these pairs:
//   contacts_rigid.c    of bodies with rigid shapes,
//   contacts_soft.c     of bodies with each other,
//   contacts_self.c     and of a surface with itself
//   penetration.c       bodies that are deep inside each other
//   contact_side.c      on which side of a thin body a point is
//   contact_patches.c   one contact for several vertices
//   contact_quota.c     how many contacts a body and a pair may have
//   overlaps.c          what overlaps a region or a sensor
//   contact_rows.c      the contact points of each body, and the blocks of their rows
//   rolling.c           torques of rolling friction
//   islands.c           bodies that touch or are joined, directly or through others
//   substep.c           forces over a substep, impulses after it
//   compliance.c        forces of unreduced bodies, by estimates of their compliance
//   active_contacts.c      the contacts that are solved for
//   contact_report.c    reports, and what is remembered for the next step
//   guard.c             islands whose step fails take it again
//   frame_refinement.c  frames that are inserted where bodies are pressed
//   sleep.c             islands at rest
#ifndef LB_WORLD_TOUCH_H
#define LB_WORLD_TOUCH_H

#include "world/guard.h"
#include "world/reserve.h"
#include "world/world.h"

#include "collide/segments.h"
#include "solve/active_set.h"
#include "limber/contact.h"

// The share of the compliance of its bodies that a row has of its own. The rows then have a
// solution where more of them act on a body than it has freedoms: no force is greater than what
// would move its row by gap / share. Rows at rest miss their targets by about that share of what
// their forces move them in a step (under a micrometre by their weight at 60 Hz). Doubled, the one
// is halved and the other doubled.
#define LB_CONTACT_COMPLIANCE 1e-4
#define LB_EXACT_WORK (18 * LB_LCP_CONTACTS + 24) // numbers of lb_island_solver_room, a block

#define LB_PAIR_CONTACTS 16               // of a pair, at most
#define LB_BODY_CONTACTS LB_BODY_POINTS   // of a body, at most
#define LB_NODAL_CONTACTS LB_NODAL_POINTS // of an unreduced one, as many as its vertices that touch
#define LB_PAIR_CANDIDATES 1024           // of a pair, before some are chosen
#define LB_PAIR_TRIANGLES 1024            // of each surface of a pair
#define LB_NEAR_TASKS 8                   // that pairs are looked at in
#define LB_NEAR_BLOCK 256 // pairs that are looked at before their contacts are listed
#define LB_NEAR_FOUND (LB_NEAR_BLOCK * LB_PAIR_CONTACTS) // and the contacts that they may have

// Cosine of the angle within which normals are those of one flat place. Nearer to 1: flat parts of
// soft surfaces have more edges that are tested, and fewer vertices share a contact.
#define LB_FLAT_COSINE 0.97
#define LB_LISTED 2 // times contact_room: places, before pairs get their shares

typedef struct lbColliderMove { // of a step or a part of it
  lbVec3 position, end_position;
  lbQuat rotation, end_rotation;
  bool moves;
} lbColliderMove;

struct lbWorldCollider {
  uint32_t generation;
  lbSolid *solid; // NULL: the place is free
  lbContactMaterial material;
  bool sensor;   // bodies pass through it
  bool filtered; // by `filter`; otherwise by lb_contact_filter()
  lbContactFilter filter;
  lbVec3 position; // at the step's start
  lbQuat rotation;
  lbSolidFrame frame;  // the same; made by find_pairs.c
  bool moves;          // in the next step, to
  lbVec3 end_position; // here
  lbQuat end_rotation;
  const lbPath *path;   // NULL: none
  lbVec3 force, torque; // N, N m: of bodies on it, means of the last step so far
  lbColliderMove whole; // of the whole step
};

// A place where two could touch in this step.
typedef struct lbTouchCandidate {
  int32_t triangles[2]; // of the surfaces; -1: of a collider or a rigid body
  double weights[2][3];
  int32_t feature;      // what touches what, of collide/solid.h
  int32_t known;        // number among the remembered contacts; -1: it is new
  lbVec3 point, normal; // world, at the step's start; on the second; from it to the first
  lbVec3 first;         // world: on the first, where that is rigid
  double gap;           // m
} lbTouchCandidate;

typedef struct lbPairTriangle { // of a surface near another one
  lbSurfaceTriangle at;         // the pair's axes; edges that are no ridge are not its own
  lbFacet facet;                //
  int32_t number;
} lbPairTriangle;

typedef struct lbPairSide { // what of a surface is near another one
  double *places;           // (LB_TREE_LARGE x 3 + 1): of vertices, in the pair's axes
  double *lows, *highs;     // (LB_TREE_LARGE x 3 + 1): of boxes around these and where they go
  bool turned;              // they are those of all; otherwise they are found one by one
  int32_t *numbers;         // (LB_PAIR_TRIANGLES): of triangles that may be near
  lbBoxSet boxes;           // of each and where it goes, in the pair's axes
  lbBox rates;              // m/s, world: of velocities of those that are kept, against the pair's,
  double fastest;           // and the greatest of them
  int32_t count;            //
  int32_t *kept;            // (LB_PAIR_TRIANGLES): those of them that are
  lbPairTriangle *triangles; // (LB_PAIR_TRIANGLES)
  lbBoxSet slabs;            // of each, where a corner can touch its face
  lbBoxSet ridges;           // of edges that bend, and around them
  int32_t *ridged;           // (LB_PAIR_TRIANGLES): whose they are, in `triangles`
} lbPairSide;

// Two that could touch in this step: two bodies, a body and a collider, a body and itself.
typedef struct lbNear {
  int32_t slots[2];     // the second -1: a collider
  int32_t collider;     // -1: none
  double way;           // m: what they move by against each other as wholes
  double spread;        // m/s: how their places move beside that, at most
  double stop_distance; // m: how far one of them may stay behind, stopped by something
  double slack;         // m: how near places are looked at that do not come nearer
  double margin, most;  // m: how far around them is looked for places; and the most that may be
  double gap;           // m: between their spheres
  double length;        // m: of the smaller one
  bool hinted;          // may use what is known of the first one's distances (contacts_rigid.c)
  int32_t first;        // of its places in lbWorldTouch.found,
  int32_t found;        // and how many there are
} lbNear;

typedef struct lbPartner { // a body near another one
  int32_t slot, next;      // -1: no more
} lbPartner;

// Working memory of a task that looks at pairs.
typedef struct lbTouchWork {
  int32_t candidate_count;
  lbTouchCandidate *candidates; // (LB_PAIR_CANDIDATES)
  lbTouchPlace *places;
  lbPairSide sides[2];
  int32_t *found; // (found_room): triangles
  uint8_t *marks; // (LB_PAIR_TRIANGLES / LB_BATCH)
} lbTouchWork;

typedef struct lbWorldContact { // of two bodies, or of a body and a collider
  int32_t slots[2];             // the second -1: a collider
  int32_t collider;             // -1: none
  lbTouchCandidate at;
  lbContactPointKind kinds[2];
  lbVec3 own[2]; // of rigid bodies, as lbContactPoint.own
  lbVec3 axes[3];
  int32_t rolling; // its block of rolling friction, from the first of these; -1: none
  double friction, compliance, restitution, rolling_friction; // of the pair (lbContactMaterial)
} lbWorldContact;

// A contact that pushed in the last step: it is preferred to others, and its forces are where the
// next ones start from.
typedef struct lbRememberedContact {
  int32_t slots[2], collider, triangles[2], feature;
  double forces[3];
  double torque[3]; // N m: its share of rolling friction, world axes
} lbRememberedContact;

// A body that has contacts in this step.
typedef struct lbContactBody {
  int32_t slot;
  int32_t first, count; // its contact points
  int32_t island;
  bool open;      // its step could be opened
  bool estimated; // its matrix is an estimate (compliance.c)
  bool jointed;
  bool rolls;           // it has torques of rolling friction
  bool recalled;        // its step was opened with the contact forces of the last step
  int32_t solves;       // solutions for what forces really do
  double accurate, off; // m or m/s: error of moves that is tolerated; that of the last round
  double *rows;         // its compliance, as a product; NULL: parts have its matrix
  size_t width;         // of the rows
  int32_t chosen_count; // contacts of its own that are solved for
  lbTouching touching;
} lbContactBody;

struct lbWorldTouch {
  int32_t contact_room, contact_count;
  int32_t block_max, block_count; // blocks that are solved: contacts, then rolling friction, then
                                  // bounded rows of joints
  int32_t rolling_count;          // pairs with rolling friction
  lbRollingBlock *rolling;        // (contact_room)
  int32_t dropped;                // contacts for which there was no room in the last step
  lbWorldContact *contacts;       // (contact_room)
  double *forces;                 // (block_max x 3): held over the step, N
  double *impulses;               // (block_max x 3): of the whole step, N s
  lbContact *reports;             // (contact_room)
  int32_t woken_count;
  int32_t *woken; // (contact_room x 2): slots of a body that sleeps and of one that could touch it
  int32_t staying_count;    // remembered contacts among bodies that sleep, or whose step is done
  int32_t remembered_count; // and `reports` has as many, in the same order
  lbRememberedContact *remembered; // (contact_room)
  int32_t *remembered_next;        // (contact_room): of the same first body; -1: no more

  // For each slot of the world.
  int32_t slot_room;
  lbTouchSphere *spheres; // around the surfaces
  double *reaches;        // their radii, with what they can move by in the step; 0: not there
  double *margins;        // m: that alone
  double *speeds;         // m/s: no place of the surface was faster where the step began
  double *stop_distances; // m: what of its way another may stop; work of find_pairs.c
  double *rests;          // s: work of sleep.c
  int32_t swept_count;
  int32_t *swept; // slots in the order in which they are swept over
  int32_t near_room, partner_count, near_count;
  int32_t *partners_first;       // in `partners`, of bodies with greater numbers; -1: none
  lbPartner *partners;           // (near_room)
  lbNear *nears;                 // (near_room)
  int32_t *numbers;              // in `contact_bodies`; -1: no contact
  int32_t *counts;               // of contacts
  int32_t *remembered_first;     // in `remembered`; -1: none
  lbVec3 *sums;                  // N, contact forces of the last step
  int32_t contact_body_count;    //
  lbContactBody *contact_bodies; //
  lbContactPart *parts; // of the contact bodies, in the problem of forces, then in that of impulses
  int32_t *parents;     // of contact bodies, leading to the first of their island

  int32_t island_count;
  int32_t *island_begin;          // (slot_room + 1): where an island begins in
  int32_t *by_island;             // (block_max): blocks, island after island
  int32_t *sweeps;                // (slot_room): that an island took
  bool *settled;                  // (slot_room): an island has its forces
  double *gap_tolerances;         // (slot_room): moves that sweeps need not mend
  lbContactSide *sides;           // (block_max x 2)
  double *free, *frictions;       // (block_max x 3), (block_max)
  double *compliances;            // (block_max x 3): of blocks themselves
  lbContactPoint *contact_points; // (2 contact_room): by contact body
  int32_t *owners;                // (2 contact_room): of contact points, 2 contact + side
  lbVec3 *ways;                   // (2 contact_room): what they move by alone
  double *amounts;                // (2 contact_room x 3): forces or impulses on the contact points
  double gap_tolerance;           // of the deepest overlap to come: what sweeps may leave
  double *solve_work;             // (block_max x LB_CONTACT_WORK)
  int32_t *solve_integers;        // (block_max x LB_CONTACT_INTS)
  size_t block_room;              //
  double *blocks;                 // (block_room): of pairs
  lbSimdLevel level;              // of the solver
  bool bounces;                   // some contacts have a restitution
  lbVec3 *velocities;             // (2 contact_room) m/s: of contact points where the step begins
  double *approaches;             // (contact_room) m/s: along normals, of contacts that bounce
  bool only_jointed;              // of tasks: other bodies are left as they are
  bool chooses;                   // some contacts may be left out where forces are solved for
  bool looks;                     // a few sweeps will do
  bool *inactive;                 // (block_max)
  int32_t *chosen;                // (2 contact_room): places that are not, by contact body
  lbContactSide *solver_sides;    // (block_max x 2): of the problem that is solved, and its
  lbContactPart *solver_parts;    // (slot_room) bodies: contacts that are chosen, components as one
  double *products;               // rows of contact bodies
  size_t products_room;           //
  double *pool;                   // matrices and moves of parts
  size_t pool_room, pool_used;
  lbContactStats stats;
  int64_t sweep_count; // of all islands and solves of the last step (step_counts.h)
  int32_t exact_room;  // blocks of a step that may be solved exactly
  double *exact_work;  // (exact_room x LB_EXACT_WORK)
  lbGuard guard;
  int32_t found_room;
  lbTouchWork works[LB_NEAR_TASKS];
  int32_t listed_count;
  lbTouchCandidate *found; // (LB_LISTED x contact_room + LB_NEAR_FOUND)
  int32_t *shares;         // (slot_room): the most contacts that a pair of the body may have
};

// Of a body with so many contacts: a matrix, three rows of moves, and four of what is known of the
// moves of an estimated one (compliance.c).
static inline size_t lb_touch_pool_of(int32_t count) {
  return 3 * (size_t)count * (3 * (size_t)count + 3 + 4);
}

// Room for all bodies and contacts; memory is taken here and not in a step. A failure leaves the
// room for contacts and joints as it was.
lbStatus lb_touch_reserve(lbWorld *world, lbError *err);
void lb_touch_destroy(lbWorldTouch *touch); // NULL is legal

// Blocks of contacts and of rolling friction.
static inline int32_t lb_touch_pair_blocks(const lbWorldTouch *touch) {
  return touch->contact_count + touch->rolling_count;
}
// rolling.c: pairs of this step's contacts with rolling friction; those of contacts that are kept
// (`kept`, their new numbers or -1), with their torques; where torques start from; how far pairs
// turn against each other, without them or (`speeds`) at which spin times the step.
bool lb_rolling_turns(const lbWorld *world, int32_t slot); // a torque on the body acts in this step
void lb_rolling_find(const lbWorld *world);
void lb_rolling_keep_pushing(const lbWorld *world, int32_t contacts_before);
void lb_rolling_recall(lbWorldTouch *touch);
void lb_rolling_measure(const lbWorld *world, bool speeds);
lbVec3 lb_rolling_collider_turn(const lbWorldCollider *collider); // its rotation in the step

// substep.c: contacts of a substep; forces of contacts and joints, which bodies hold over it;
void lb_substep_find(lbWorld *world, double start, double end);
void lb_substep_solve_forces(lbWorld *world);
// impulses, when bodies have taken it.
void lb_substep_solve_impulses(lbWorld *world);

// compliances <- of contacts: a share of that of their bodies and, for forces, their own. Impulses
// have none: whether a contact bounces is told by its restitution.
void lb_touch_find_compliances(lbWorldTouch *touch, bool forces);

// Where the contact point of a contact's body is, as it was looked at.
lbVec3 lb_touch_place(const lbWorldTouch *touch, int32_t contact, int side);

// m: of a sphere around the surface of a body that was looked at.
static inline double lb_touch_radius(const lbWorldTouch *touch, int32_t slot) {
  return touch->reaches[slot] - touch->margins[slot];
}

static inline bool lb_collider_pushes(const lbWorldCollider *collider) {
  return collider->solid && !collider->sensor;
}
// Whether a collider could touch what is inside of a sphere, in the step.
bool lb_touch_collider_is_near(const lbWorldCollider *collider, lbVec3 centre, double radius);

// sleep.c: wakes bodies that were changed; finds islands of bodies that could touch; puts islands
// at rest to sleep when the step is done.
void lb_sleep_watch(lbWorld *world);
void lb_sleep_group(lbWorld *world);
void lb_sleep_update(lbWorld *world);
// A body with its island, where it sleeps; not `moved`: it may fall asleep again at once.
void lb_sleep_wake(lbWorld *world, int32_t slot, bool moved);
void lb_sleep_wake_all(lbWorld *world);

// islands.c: bodies that move and have a contact or a joint in common, directly or through others.
void lb_islands_find(lbWorld *world);
int32_t lb_island_of(const lbWorldTouch *touch, int32_t contact);
// Lists their blocks, without inactive contacts.
void lb_islands_list(lbWorldTouch *touch);

// contact_material.c: each number in its range, or NAN (the world's); that of two, with the
// world's values where they have none.
lbStatus lb_check_contact_material(const lbContactMaterial *material, lbError *err);
lbContactMaterial lb_pair_material(const lbWorld *world, const lbContactMaterial *first,
                                   const lbContactMaterial *second);
// contact_report.c: contacts of bodies that sleep stay, those that push follow; the sum of forces
// on each body, of what is remembered.
void lb_touch_tell(lbWorld *world);
void lb_touch_sum_up(lbWorld *world);
// contact_rows.c: whether contacts can move a body (-1: there is none); where contacts are on rigid
// bodies, before steps move these; contact bodies, contact points and islands of the contacts; a
// body's number among the contact bodies.
bool lb_touch_gives_way(const lbWorld *world, int32_t slot);
// m: how much of its overlap a contact takes back in h seconds.
double lb_contact_overlap_removed(const lbWorldContact *contact, double h);
void lb_touch_place_rigid(lbWorld *world);
void lb_touch_list(lbWorld *world);
int32_t lb_touch_enlist(lbWorldTouch *touch, int32_t slot);
// Room for the matrices of contact bodies; the index of a contact's point (-1: that side does not
// move); forces of two bodies on each other act between their contact points; amounts
// <- those of contacts, for each contact point; tasks of so many contact bodies each, whose time is
// that of responses.
void lb_touch_make_parts(lbWorldTouch *touch);
int32_t lb_touch_point_index(const lbWorldTouch *touch, int32_t contact, int side);
void lb_touch_join_points(lbWorldTouch *touch);
void lb_touch_share_out(lbWorldTouch *touch, const double *of_contacts);
void lb_touch_for_contact_bodies(lbWorld *world, int32_t bodies, lbRangeTask *task);
// compliance.c: whether the matrix of a body is an estimate; x (contacts x 3) <- forces or impulses
// by `solve`, whose estimates are corrected until they agree with what x really does; their steps
// are open until they are closed.
typedef void lbComplianceSolve(lbWorld *world, double *x);
bool lb_compliance_is_estimated(const lbWorld *world, int32_t slot);
// Before such a body's step is opened: it holds touch->forces; false: it cannot.
bool lb_compliance_recall(lbWorld *world, int32_t contact_body);
void lb_compliance_solve(lbWorld *world, bool impulses, lbComplianceSolve *solve, double *x);
void lb_compliance_close(lbWorld *world);
// find_pairs.c: memory; pairs that could touch.
void lb_near_reserve(lbReservation *r, lbWorldTouch *touch, int32_t slot_room);
int32_t lb_near_room(int32_t slot_room); // pairs
void lb_near_release(lbWorldTouch *touch);
void lb_near_find(lbWorld *world);
// How far around two surfaces that are placed is looked for places (margin, m; 0: they cannot
// touch), and where along the line of their centres: the first ends at `end`, the second begins at
// `begin`, and farther than the margin behind these there is nothing to touch.
typedef struct lbNearGap {
  lbVec3 axis; // unit, world, from the first to the second; zero: there is none
  double end, begin, margin;
} lbNearGap;
lbNearGap lb_near_gap(const lbWorld *world, lbNear *near);
// Whether places with a gap could meet that have velocities (m/s).
// How far places of two go in the step, seen from axes that go with the mean of both (`turn` and
// `origin` are left out): boxes around their ways meet where lb_near_may_meet tells so, or places
// pass by each other.
lbSweeping lb_near_sweeping(const lbWorld *world, const lbNear *near);
// m: how near places are that could meet, with such velocities (m/s): along the normal, at most,
// and against each other in any direction.
double lb_near_reach(const lbWorld *world, const lbNear *near, double closing, double speed);
void lb_near_tighten(const lbWorld *world, lbNear *near); // a body and what is rigid
bool lb_near_may_meet(const lbWorld *world, const lbNear *near, double gap, lbVec3 normal,
                      lbVec3 first, lbVec3 second);
// find_contacts.c: contacts at the step's start.
lbStatus lb_touch_reserve_works(lbWorldTouch *touch, int32_t triangle_count, lbError *err);
void lb_touch_release_works(lbWorldTouch *touch);
void lb_touch_find(lbWorld *world);
// At most so many candidates: those that pushed in the last step, then deep ones far from each
// other.
void lb_active_contacts(lbTouchWork *work, double length, int32_t most);
// contact_quota.c: the most contacts of a body, and of a pair.
int32_t lb_touch_body_most(const lbWorld *world, int32_t slot);
int32_t lb_touch_pair_most(const lbWorld *world, const lbNear *near);
// contact_quota.c: lists what was found of a block of pairs; leaves pairs no more than there is
// room for.
void lb_touch_gather(lbWorldTouch *touch, int32_t first, int32_t count);
void lb_touch_give_shares(lbWorld *world);
// contact_side.c: whether a place of a body touches a solid, with the side it came from (all in the
// solid's axes); whether a push (unit, world) is not outwards there, where the normal is `now`.
bool lb_contact_choose_side(const lbBody *body, const lbSolid *solid, const lbSolidFrame *frame,
                            const lbSurfaceTriangle *at, int32_t triangle, lbSolidTouch *touch);
bool lb_touch_faces(const lbBody *body, const lbTree *tree, int32_t triangle,
                    const double weights[3], lbVec3 now, lbVec3 push);
// A place where two could touch, of those that a task has found for its pair. `length` (m) is that
// of the smaller one.
void lb_touch_add_candidate(lbTouchWork *work, double length, const lbTouchCandidate *candidate);
// contact_patches.c: of vertices that touch a collider, where they are more than there are contacts
// for: one candidate for several of them.
#define LB_PATCH_FEATURE (-1)
void lb_touch_make_patches(const lbWorld *world, lbTouchWork *work, const lbNear *near);
// penetration.c: those of two bodies that are deep inside each other; false: they are not. Features
// of such contacts count down from this one, by directions.
#define LB_DEEP_FEATURE (-2)
static inline bool lb_touch_is_deep(int32_t feature) { return feature <= LB_DEEP_FEATURE; }
// m/s: what overlaps comes apart no faster. Few places push what is deep, which bends it more.
static inline double lb_touch_parting(int32_t feature) {
  return lb_touch_is_deep(feature) ? 0.3 : 1.0;
}
bool lb_touch_part(const lbWorld *world, lbTouchWork *work, const lbNear *near);
// touch_rigid.c: one pair of each body with a mesh may use what is known of distances from it;
// contacts of a body and a collider or a rigid body. Returns the length of the first.
void lb_touch_share_hints(lbWorld *world);
void lb_near_put_rigid_last(const lbWorld *world, lbNear *near); // find_contacts.c
double lb_touch_rigid(const lbWorld *world, lbTouchWork *work, lbNear *near);
// contacts_soft.c: those of two bodies whose surfaces are placed. Returns the length of the
// smaller.
double lb_touch_pair(const lbWorld *world, lbTouchWork *work, lbNear *near);
// contacts_self.c: those of a body and itself.
void lb_self_find(const lbWorld *world, lbTouchWork *work, int32_t slot);
// colliders.c: the shape of a collider; to be destroyed.
lbStatus lb_collider_make_solid(const lbColliderDef *def, lbSolid **out, lbError *err);
// Before a step of dt: may take memory.
void lb_contact_frames_update(lbWorld *world, double dt);
// contact_filter.c: whether the filters of two bodies, of a body and a collider let them touch.
bool lb_may_collide(const lbWorld *world, int32_t slot, int32_t other);
bool lb_may_collide_with(const lbWorld *world, int32_t slot, int32_t collider);
lbWorldCollider *lb_world_find_collider(const lbWorld *world, lbColliderId id); // NULL: none
// Whether there is memory for one more contact point of each of two bodies (the second -1: of one).
bool lb_touch_use_pool(lbWorldTouch *touch, int32_t a, int32_t b);
// How a place of a collider moves in the step.
lbVec3 lb_collider_way(const lbWorldCollider *collider, lbVec3 point);
// Where colliders are at the end of a part of a step; and they are there.
void lb_colliders_lead(lbWorld *world, double start, double end);
void lb_colliders_arrive(lbWorld *world);
// What contacts exert on colliders: nothing yet in a step; and with those of a part of it.
void lb_colliders_clear_forces(lbWorld *world);
void lb_colliders_feel(lbWorld *world);
void lb_colliders_go_to(lbWorld *world, double time); // those with paths, at once

#endif
