// Rigid shapes ("solids") and where they touch triangles and each other. Pure geometry: no bodies,
// no velocities, no forces. A solid is immutable and may be shared by threads; queries take no
// memory, give the same bits everywhere and never a normal that is not a unit vector.
//
// A solid lies in its own axes: a plane is the half-space z <= 0, sphere and box are centred at the
// origin, a capsule runs along z, hull and mesh lie where their vertices are. Whoever places a
// solid transforms points into its axes (lb_solid_to_*) and results back.
//
// Gaps are signed distances along the normal: negative where the two overlap.
#ifndef LB_COLLIDE_SOLID_H
#define LB_COLLIDE_SOLID_H

#include "geometry/aabb_tree.h"

// Places nearer than this share of a solid's or body's size are one place. Doubled, finer details
// are lost; much less is below rounding.
#define LB_SAME_PLACE 3e-6

// ---- solids ------------------------------------------------------------------------------------

typedef enum lbSolidKind {
  LB_SOLID_PLANE,
  LB_SOLID_SPHERE,
  LB_SOLID_BOX,
  LB_SOLID_CAPSULE,
  LB_SOLID_HULL, // convex
  LB_SOLID_MESH, // triangles, closed or open
  LB_SOLID_KIND_COUNT,
} lbSolidKind;

enum { LB_HULL_MAX_VERTICES = 256 }; // of a finished hull

typedef struct lbSolidDef {
  lbSolidKind kind;
  double radius;            // sphere, capsule: m, > 0
  double size[3];           // box: full extents, m, each > 0; capsule: size[2] is the distance
                            // between the two centres, m, >= 0 (size[0] and [1] are ignored)
  int32_t vertex_count;     // hull, mesh
  const double *vertices;   // (vertex_count x 3), copied; hull: any points, it is built around them
  int32_t triangle_count;   // mesh
  const int32_t *triangles; // (triangle_count x 3), copied; counter-clockwise from outside
  double thickness;         // open mesh: how deep the material behind its front side is, m, >= 0;
                    // 0 (default): a tenth of the radius of its bounding sphere. Closed: ignored
  bool two_sided; // open mesh: a sheet without inside, touched from both sides; default false
} lbSolidDef;

typedef struct lbSolid lbSolid; // fields: collide/solid_parts.h, for this layer

lbSolidDef lb_solid_def(lbSolidKind kind); // radius 0.5, size 1 x 1 x 1
lbStatus lb_solid_create(const lbSolidDef *def, lbSolid **out, lbError *err);
void lb_solid_destroy(lbSolid *solid); // NULL is legal

lbSolidKind lb_solid_kind(const lbSolid *solid);
// Whether its surface has no corners: where it rolls, another place of it touches.
static inline bool lb_solid_is_round(const lbSolid *solid) {
  lbSolidKind kind = lb_solid_kind(solid);
  return kind == LB_SOLID_SPHERE || kind == LB_SOLID_CAPSULE;
}
bool lb_solid_is_closed(const lbSolid *solid); // has a volume: neither a plane nor an open mesh
lbBox lb_solid_box(const lbSolid *solid);      // a plane's reaches to infinity, up to z = 0
// A sphere around it, returns its radius: INFINITY for a plane.
double lb_solid_sphere(const lbSolid *solid, lbVec3 *centre);

// Mass in kg for a density in kg/m³, centre of mass, and the inertia about that centre. Planes and
// open meshes, and meshes whose volume is not positive, are refused.
lbStatus lb_solid_mass(const lbSolid *solid, double density, double *mass, lbVec3 *centre,
                       lbMat3 *inertia, lbError *err);

// The surface as triangles for drawing and for models, counter-clockwise from outside. `detail`:
// pieces that a quarter of a circle is cut into (1 to 64; sphere and capsule). A plane is drawn as
// a square of 2 x `extent` m sides (the others ignore `extent`). Counts first, then the arrays.
void lb_solid_surface_size(const lbSolid *solid, int32_t detail, int32_t *vertex_count,
                           int32_t *triangle_count);
void lb_solid_surface(const lbSolid *solid, int32_t detail, double extent, double *vertices,
                      int32_t *triangles);

// ---- placing -----------------------------------------------------------------------------------

// x -> rotation x + position, from a solid's axes to the world's.
typedef struct lbSolidFrame {
  lbMat3 rotation; // proper
  lbVec3 position; // m
} lbSolidFrame;

static inline lbSolidFrame lb_solid_frame(lbQuat rotation, lbVec3 position) {
  lbSolidFrame frame = { lb_quat_to_mat3(rotation), position };
  return frame;
}
static inline lbVec3 lb_solid_to_world(const lbSolidFrame *frame, lbVec3 own) {
  return lb_add(lb_mat3_apply(frame->rotation, own), frame->position);
}
static inline lbVec3 lb_solid_to_own(const lbSolidFrame *frame, lbVec3 world) {
  return lb_mat3_apply_transpose(frame->rotation, lb_sub(world, frame->position));
}
// Box around a solid in the world; a tilted plane's is everything.
lbBox lb_solid_world_box(const lbSolid *solid, const lbSolidFrame *frame);

// ---- points and rays (all in the solid's axes) -------------------------------------------------

// Signed distance of a point from the surface, negative inside; *normal (may be NULL): outward unit
// normal of the surface at the nearest place. Ties are broken the same way everywhere. A mesh's
// sign comes from angle-weighted normals. An open mesh counts what lies behind its front side, no
// deeper than its thickness, as inside; elsewhere, and around a two-sided one, the distance is
// positive and the normal points to the side the point is on.
double lb_solid_distance(const lbSolid *solid, lbVec3 point, lbVec3 *normal);

// What is known of a point of a moving surface from the last time that its distance was asked for:
// distances change no faster than places. Answers do not depend on it, only the time they take.
typedef struct lbSolidHint {
  int32_t triangle; // of a mesh, nearest to the place; -1: not known
  bool exact;       // distance and normal are those of lb_solid_distance
  lbVec3 place;     // of the point then
  double distance;  // signed, m; not exact: at least this. -INFINITY: not known
  lbVec3 normal;
} lbSolidHint;

static inline lbSolidHint lb_solid_hint(void) {
  return (lbSolidHint){ .triangle = -1, .distance = -INFINITY };
}

// Whether that distance is less than a limit, which takes less time to find.
bool lb_solid_is_within(const lbSolid *solid, lbVec3 point, double limit);
// The same for a point that was asked for before.
bool lb_solid_is_within_from(const lbSolid *solid, lbSolidHint *hint, lbVec3 point, double limit);

// The nearest point of the surface, from inside and from outside.
lbVec3 lb_solid_closest_point(const lbSolid *solid, lbVec3 point);

// First place where origin + t direction, 0 <= t <= t_max, meets the solid: t = 0 with the normal
// against the ray when it starts inside a closed solid or a plane. Meshes are hit from both sides.
bool lb_solid_ray_cast(const lbSolid *solid, lbVec3 origin, lbVec3 direction, double t_max,
                       double *t, lbVec3 *normal);

// ---- triangles against solids (in the solid's axes) --------------------------------------------

// Triangles of a surface share corners and edges. Each is tested for one of its triangles alone:
// bits say which the triangle owns. Edge k runs from corner k to corner (k + 1) % 3.
#define LB_OWN_CORNER(k) (1u << (k))
#define LB_OWN_EDGE(k) (8u << (k))
enum {
  LB_OWN_ALL = 63,
  LB_TWO_SIDED = 64,  // of a sheet: the side that the other one is on counts as outside
  LB_OWN_RIGID = 128, // a triangle of a rigid mesh
};

// A triangle of a surface with what lies beyond its edges.
typedef struct lbSurfaceTriangle {
  lbVec3 corners[3]; // counter-clockwise from outside
  lbVec3 across[3];  // third corner of the neighbour over edge k; at a border: the own corner
                     // opposite to the edge, (k + 2) % 3
  uint32_t own;      // LB_OWN_* bits
} lbSurfaceTriangle;

// Neighbours and ownership of a surface, once: `across` (count x 3) gets vertex ids as above, `own`
// (count) the bits. An edge of more than two triangles belongs to the first and has no neighbours.
lbStatus lb_surface_neighbours(const lbTriangles *surface, int32_t *across, uint8_t *own,
                               lbError *err);
lbSurfaceTriangle lb_surface_triangle(const lbTriangles *surface, const int32_t *across,
                                      const uint8_t *own, int32_t triangle);

typedef struct lbSolidTouch {
  double weights[3]; // of the triangle's corners: on_triangle = Σ weights corners
  lbVec3 on_triangle, on_solid;
  lbVec3 normal;   // unit, from the solid to the triangle
  double gap;      // normal . (on_triangle - on_solid)
  int32_t feature; // which part of the solid touches which part of the triangle: equal numbers of
                   // one triangle and solid in two steps are the same place (warm starting)
} lbSolidTouch;

enum { LB_SOLID_TOUCHES = 6 }; // most contact points of one triangle and one solid

// Places where triangle and solid are nearer than margin. Plane: corners. Sphere: corners, and
// edges and the face where they are nearer to it than what lies around them. Capsule: the same, and
// both ends of a stretch that runs along it. Box, hull, mesh: corners of the triangle against the
// solid, edges against edges, corners of the solid against the triangle's face (from its outside)
// and edges. A corner that is inside a box, hull or mesh leaves it through the nearest face, or
// near a rim through the one that it meets going back into its own body. With an `own` other than
// LB_OWN_ALL, what a neighbour owns is left out. Returns how many; more than LB_SOLID_TOUCHES are
// reduced as by lb_touches_choose.
int32_t lb_solid_touch_triangle(const lbSolid *solid, const lbSurfaceTriangle *triangle,
                                double margin, lbSolidTouch out[LB_SOLID_TOUCHES]);

// The same with hints of the three corners.
int32_t lb_solid_touch_triangle_from(const lbSolid *solid, lbSolidHint *const hints[3],
                                     const lbSurfaceTriangle *triangle, double margin,
                                     lbSolidTouch out[LB_SOLID_TOUCHES]);

// One point alone against the solid, by lb_solid_distance. False: not nearer than margin.
bool lb_solid_touch_point(const lbSolid *solid, lbVec3 point, double margin, lbSolidTouch *out);

// ---- triangles against triangles ---------------------------------------------------------------

typedef struct lbTriangleTouch {
  double weights_a[3], weights_b[3]; // of the corners
  lbVec3 on_a, on_b;
  lbVec3 normal;   // unit, from b to a, out of b's surface
  double gap;      // normal . (on_a - on_b)
  int32_t feature; // as in lbSolidTouch
} lbTriangleTouch;

enum { LB_TRIANGLE_TOUCHES = 8 };

// Corners against faces and edges against edges of two surfaces, outward by the order of their
// corners: places with -depth < gap < margin. How deep an overlap may be is the caller's to say:
// one triangle cannot tell the near side of a body from its far side. Symmetric: swapping a and b
// swaps the results and turns the normals round.
int32_t lb_triangles_touch(const lbSurfaceTriangle *a, const lbSurfaceTriangle *b, double margin,
                           double depth, lbTriangleTouch out[LB_TRIANGLE_TOUCHES]);

// ---- solids against solids ---------------------------------------------------------------------

typedef struct lbSolidPairTouch {
  lbVec3 on_a, on_b; // world
  lbVec3 normal;     // unit, from b to a
  double gap;        // normal . (on_a - on_b)
  int32_t feature;   // as in lbSolidTouch
} lbSolidPairTouch;

enum { LB_PAIR_TOUCHES = 8 };

// Places where two solids are nearer than margin, enough of them to carry any torque. Boxes and
// hulls have one normal, square to a face or to two edges; where corners are nearest, the gap along
// it is less than their distance. Plane against plane: none.
int32_t lb_solids_touch(const lbSolid *a, const lbSolidFrame *frame_a, const lbSolid *b,
                        const lbSolidFrame *frame_b, double margin,
                        lbSolidPairTouch out[LB_PAIR_TOUCHES]);

// Do they share a point?
bool lb_solids_overlap(const lbSolid *a, const lbSolidFrame *frame_a, const lbSolid *b,
                       const lbSolidFrame *frame_b);

// ---- few places out of many --------------------------------------------------------------------

typedef struct lbTouchPlace {
  lbVec3 point;  // m
  lbVec3 normal; // unit
  double gap;    // m
} lbTouchPlace;

// Chooses at most `most` of the places: the deepest first, then each time the one that is farthest
// from those chosen, in place and in direction of its normal (`length`, m, is what a normal turned
// by one radian counts as), deeper ones preferred. The same choice for the same input. Returns how
// many; their indices, ascending, in chosen (most).
int32_t lb_touches_choose(int32_t count, const lbTouchPlace *places, double length, int32_t most,
                          int32_t *chosen);

#endif
