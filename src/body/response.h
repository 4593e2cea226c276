// A body in an open step, for whoever finds the forces at its contact points: where its surface
// comes to by itself, its compliance there, and the forces that were found.
//
// A contact point is a place of a triangle, or of a rigid body, with three directions (a normal,
// two tangents). Forces at contact points are held over the step; impulses act at once, when it is
// done. What is said of forces, displacements and velocities holds for a torque on the frame, its
// rotation and its spin, too.
#ifndef LB_BODY_RESPONSE_H
#define LB_BODY_RESPONSE_H

#include "body/anchor.h"

enum { LB_BODY_POINTS = 48 }; // contact points of a body, at most

typedef enum lbContactPointKind {
  LB_POINT_SURFACE, // a place of a triangle
  LB_POINT_OWN,     // of a rigid body: a place that turns with it
  LB_POINT_ROUND,   // of a rigid body without corners: what touches as it rolls
  LB_POINT_TORQUE,  // the frame of a free body: its axes are those of torques and rotations
} lbContactPointKind;

typedef struct lbContactPoint {
  lbContactPointKind kind;
  int32_t triangle;
  double weights[3]; // of its corners
  lbVec3 own;        // of a rigid body, m: own axes; round: from the centre of mass, world axes
  lbVec3 axes[3];    // unit, world, at right angles
  lbVec3 point;      // m, world: where its force acts. That of two bodies on each other has one
                     // point, so that they keep their angular momentum
  lbVec3 swings[3];  // per unit impulse along an axis: angular momentum of what it does to the
                     // shape, world axes; written by lb_touch_speeds
} lbContactPoint;

typedef struct lbTouching {
  lbBody *body;
  lbScratch *scratch; // of the open step; NULL: closed
  lbFrameState start;
  lbStep step;
  lbMat3 mobility; // of a free frame: inverse inertia in the step's middle, world axes; when the
                   // step is done, of frame and shape together (lb_touch_speeds)
  lbVec3 middle;   // its centre in the step's middle, without forces that a world has found; about
                   // it they turn the frame
} lbTouching;

// A body that others can touch: has a surface, moves by forces.
bool lb_touch_is_possible(const lbBody *body);
// Room for what the calls below need, which then take no memory but scratch.
lbStatus lb_touch_make(lbBody *body, lbError *err);
// Opens a step of h: free motion and factors (open_step.c). False: it cannot be opened (no memory,
// an absurd state). The step stays open until the body is stepped by h, which ends it with the
// forces that the body holds then, or until it is abandoned. The body's state stays as it was.
bool lb_touch_open(lbTouching *touching, lbBody *body, double h);
// The open step about the forces that the body holds, by the same factors: places, turns and
// constraints are what they are with these forces. False: it is abandoned.
bool lb_touch_reopen(lbTouching *touching);
// Nothing more is asked of the open step but lb_touch_add_frame, lb_touch_frame_rows and
// lb_touch_hold. It stays open.
void lb_touch_close(lbTouching *touching);
// The body's open step, if there is one, will not be taken. Also done where the body's state is
// restored, and where it takes another step than that.
void lb_touch_abandon(lbBody *body);
// Room for what is asked of a body; false: no memory.
bool lb_touch_make_work(const lbPrepared *prepared, lbScratch *scratch);

// The triangles of the surface as it is now, in own axes: lb_tree_visit. False: no memory.
bool lb_touch_visit(const lbBody *body, lbTreeReaches *reaches, lbTreeLook *look, void *context);
// A sphere around the surface as it is now, world, and how its places move: bounds, not measures.
typedef struct lbTouchSphere {
  lbVec3 centre;
  double radius;   // m; 0: no memory
  double bend;     // m: no place is farther from where it is at rest
  lbVec3 velocity; // m/s, of its centre
  double spread;   // m/s: no place of the surface moves otherwise than that by more
  double spin;     // rad/s
} lbTouchSphere;
lbTouchSphere lb_touch_sphere(const lbBody *body);

// ---- an open step ------------------------------------------------------------------------------

// How far contact points move in the step without touching anything; their points <- where they are
// in the step's middle, world: forces that are held act there, or what slides and rolls would be
// turned by them. Those of torques are the last; of a body all others are on its surface, or none.
void lb_touch_ways(const lbTouching *touching, int32_t count, lbContactPoint *contact_points,
                   lbVec3 *ways);

// After lb_touch_ways of the same contact points, once: matrix (3 count x 3 count, zeros before) <-
// how far a unit force along one axis, held over the step, moves each contact point along each axis
// at the step's end, by the shape alone; what the frame adds depends on the points of the contact
// points alone, and can be found when the step is closed.
void lb_touch_moves(const lbTouching *touching, int32_t count, const lbContactPoint *contact_points,
                    double *matrix);
void lb_touch_add_frame(const lbTouching *touching, int32_t count,
                        const lbContactPoint *contact_points, double *matrix);

// The same, instead, as a product, matrix = rows movedᵀ, of a body with a basis: rows and moved are
// (3 count x width), width = lb_touch_width. By the shape first; then the frame's share, which can
// be found when the step is closed.
size_t lb_touch_width(const lbBody *body); // 0: it has no basis
void lb_touch_rows(const lbTouching *touching, int32_t count, const lbContactPoint *contact_points,
                   double *rows, double *moved);
void lb_touch_frame_rows(const lbTouching *touching, int32_t count,
                         const lbContactPoint *contact_points, double *rows, double *moved);

// The step has these forces (count x 3, along the axes), held over it. Forces of several calls add
// up.
void lb_touch_hold(const lbTouching *touching, int32_t count, const lbContactPoint *contact_points,
                   const double *forces);

// How moved coordinates move a contact point, world axes, with the frame turned by `turn` and not
// moved.
lbVec3 lb_touch_motion(const lbBody *body, lbMat3 turn, const lbContactPoint *contact_point,
                       const double *moved);
void lb_touch_release(lbBody *body); // it has no such force

// ---- when the step is done ---------------------------------------------------------------------

// The body's state, to be asked for velocities; scratch q0 and v0 hold it. False: no memory.
bool lb_touch_look(const lbBody *body, lbScratch *scratch);
lbVec3 lb_touch_velocity(const lbBody *body, const lbScratch *scratch,
                         const lbContactPoint *contact_point, lbVec3 *place);
// Of many, whose points <- where they are.
void lb_touch_velocities(const lbBody *body, lbScratch *scratch, int32_t count,
                         lbContactPoint *contact_points, lbVec3 *velocities);
// After that, once: matrix (3 count x 3 count, zeros before) <- by how much a unit impulse along
// one axis changes the speed of each contact point along each axis: by the shape, and by the frame,
// whose *mobility the first call finds for the second. `coupled`: with what shape and spin of a
// free body do to each other, as lb_touch_apply_impulses has it.
void lb_touch_speeds(const lbBody *body, lbScratch *scratch, bool coupled, int32_t count,
                     lbContactPoint *contact_points, double *matrix, lbMat3 *mobility);
void lb_touch_add_frame_speeds(const lbBody *body, lbMat3 mobility, int32_t count,
                               const lbContactPoint *contact_points, double *matrix);
// Impulses (count x 3) along the axes of contact points.
void lb_touch_apply_impulses(lbBody *body, int32_t count, const lbContactPoint *contact_points,
                             const double *impulses, lbScratch *scratch);

#endif
