// The fields of a solid, and what the files of this layer share.
#ifndef LB_COLLIDE_SOLID_PARTS_H
#define LB_COLLIDE_SOLID_PARTS_H

#include "collide/solid.h"

// Triangles of a solid whose normals differ by less than this angle (radians) lie in one plane:
// their edge touches no flat triangle. Doubled, wider dents and bends count as flat.
#define LB_FLAT_ANGLE 2e-3

// Parts of two surfaces touch where the normal lies in the normal cones of both. Cones are this
// much wider (the sine of an angle), so that a face on a face has all its corners as touches when
// it is not quite parallel. Doubled, edges touch in directions in which a face would be nearer.
#define LB_CONE_SLACK 0.1

typedef struct lbSolidEdge {
  int32_t ends[2];      // vertex ids
  int32_t triangles[2]; // on the left from ends[0] to ends[1], on the right (-1: none)
  lbVec3 along;         // unit, from ends[0] to ends[1]
  lbVec3 inward[2];     // unit, square to the edge, into each triangle; twice the same at a border
  lbVec3 faces[2];      // unit normals of the two triangles; twice the same at a border
  lbVec3 normal;        // unit, their bisector
  bool sharp;           // convex and not flat, or a border: can touch a flat triangle
  bool border;          // not of two triangles that run along it in opposite directions
} lbSolidEdge;

// Box, hull or mesh: a triangle surface with its edges and corners. All arrays in one arena.
typedef struct lbPolyhedron {
  lbArena arena;
  int32_t vertex_count, triangle_count, edge_count;
  double *vertices;        // (vertex_count x 3)
  int32_t *triangles;      // (triangle_count x 3)
  lbTriangles surface;     // a view of the two
  lbVec3 *normals;         // (triangle_count), unit; zero for a flat triangle
  lbSolidEdge *edges;      // (edge_count)
  int32_t *triangle_edges; // (triangle_count x 3), of edge k from corner k
  int32_t *across;         // (triangle_count x 3), see lb_surface_neighbours
  lbVec3 *vertex_normals;  // (vertex_count), unit, angle-weighted
  int32_t *vertex_begin;   // (vertex_count + 1)
  int32_t *vertex_edges;   // edges of vertex i: from vertex_begin[i] to vertex_begin[i + 1]
  bool *vertex_sharp;      // (vertex_count), has a sharp edge
  bool *vertex_border;     // (vertex_count)
  uint8_t *own;            // (triangle_count), LB_OWN_* of sharp edges and corners
  bool closed;             // no border
  lbAabbTree *tree;
  int32_t *sharp;         // triangles with `own`: the items of
  lbAabbTree *sharp_tree; // this tree

  // Convex alone: flat faces, each a polygon.
  int32_t face_count;
  lbVec3 *face_normals;   // (face_count), unit
  double *face_offsets;   // (face_count): normal . x <= offset inside
  int32_t *face_begin;    // (face_count + 1)
  int32_t *face_vertices; // counter-clockwise from outside
} lbPolyhedron;

struct lbSolid {
  lbSolidKind kind;
  double radius;    // sphere, capsule
  double half[3];   // box: half its extents; capsule: half[2] is half the distance of its centres
  double thickness; // open mesh: INFINITY for none
  bool two_sided;   // open mesh
  lbBox box;
  lbVec3 centre;            // of the bounding sphere
  double reach;             // its radius; plane: INFINITY
  lbPolyhedron *polyhedron; // box, hull, mesh; NULL otherwise
};

// ---- polyhedra (polyhedron.c, faces.c, hull.c) -------------------------------------------------

// Copies the arrays; triangles of a closed surface that is inside out are turned round.
lbStatus lb_polyhedron_create(int32_t vertex_count, const double *vertices, int32_t triangle_count,
                              const int32_t *triangles, lbPolyhedron **out, lbError *err);
void lb_polyhedron_destroy(lbPolyhedron *polyhedron); // NULL is legal
// Of a convex one: gathers triangles in one plane to faces.
lbStatus lb_polyhedron_find_faces(lbPolyhedron *polyhedron, lbError *err);
// The convex hull of points as a triangle surface of the points it uses, in arrays of the arena.
lbStatus lb_hull_build(int32_t point_count, const double *points, lbArena *arena,
                       int32_t *vertex_count, double **vertices, int32_t *triangle_count,
                       int32_t **triangles, lbError *err);

static inline lbVec3 lb_polyhedron_vertex(const lbPolyhedron *polyhedron, int32_t vertex) {
  return lb_vec3_load(polyhedron->vertices + 3 * (size_t)vertex);
}

// ---- distances (distance.c) --------------------------------------------------------------------

// As lb_solid_distance; outside and farther than `limit` any number between limit and the distance
// will do. `normal` must not be NULL.
double lb_solid_distance_within(const lbSolid *solid, lbVec3 point, double limit, lbVec3 *normal);
// The same, sooner where the hint is of a place near this one; it gets what is found.
double lb_solid_distance_from(const lbSolid *solid, lbSolidHint *hint, lbVec3 point, double limit,
                              lbVec3 *normal);

// a / |a|, or `other` where a has no direction. Any size.
static inline lbVec3 lb_direction_or(lbVec3 a, lbVec3 other) {
  double most = fabs(a.x) + fabs(a.y) + fabs(a.z);
  if (!(most > 0 && most < INFINITY)) return other; // also what is no number
  if (most > 1e-100 && most < 1e100) return lb_scale(1 / lb_length(a), a);
  a = lb_scale(1 / most, a);
  return most > 1e-300 ? lb_scale(1 / lb_length(a), a) : other;
}

// Some unit vector square to a unit vector.
static inline lbVec3 lb_square_to(lbVec3 a) {
  lbVec3 axis = fabs(a.x) < 0.6 ? lb_vec3(1, 0, 0) : lb_vec3(0, 1, 0);
  return lb_direction_or(lb_cross(a, axis), lb_vec3(0, 0, 1));
}

// In place of fmin and fmax, which are calls: where one is no number, the second is taken.
static inline double lb_lesser(double a, double b) { return a < b ? a : b; }
static inline double lb_greater(double a, double b) { return a > b ? a : b; }

static inline double lb_clamp(double x, double low, double high) {
  return x > low ? (x < high ? x : high) : low; // NaN: low
}

// ---- touches (touch.c and others) --------------------------------------------------------------

// Touches as they are found; when it is full the best half is kept.
enum { LB_TOUCH_ROOM = 32 };
typedef struct lbTouchList {
  int32_t count;
  double length; // for lb_touches_choose
  lbSolidTouch touches[LB_TOUCH_ROOM];
} lbTouchList;
void lb_touch_list_add(lbTouchList *list, const lbSolidTouch *touch);
int32_t lb_touch_list_take(lbTouchList *list, int32_t most, lbSolidTouch *out);

// Parts of a triangle in the low three bits of a feature, the solid's part above them.
enum { LB_PART_CORNER = 0, LB_PART_EDGE = 3, LB_PART_FACE = 6, LB_PART_BITS = 3 };
static inline int32_t lb_feature(int32_t solid_part, int32_t triangle_part) {
  return (int32_t)((uint32_t)solid_part << LB_PART_BITS) | triangle_part;
}

// The segment p + s d, 0 <= s <= 1, of a surface against an edge of the solid. `sides` (2, or NULL)
// are points of the surface on both sides of the segment. Writes normal, gap, on_triangle and
// on_solid, and *s. (polyhedron_touch.c)
bool lb_edge_touch(const lbSolid *solid, const lbSolidEdge *edge, lbVec3 p, lbVec3 d,
                   const lbVec3 *sides, double margin, lbSolidTouch *out, double *s);
// Is `normal`, pointing away from the surface, in the normal cone of a vertex of the polyhedron?
bool lb_vertex_cone_holds(const lbPolyhedron *polyhedron, int32_t vertex, lbVec3 normal);

void lb_touch_triangle_round(const lbSolid *solid, const lbSurfaceTriangle *triangle, double margin,
                             lbTouchList *list); // sphere, capsule (round_touch.c)
// How deep a point of a triangle can be in a box, hull or mesh: distances change no faster than
// places. Less than minus the margin, if they are farther than that.
double lb_reach_into(const lbSolid *solid, const lbVec3 corners[3], double margin);
void lb_touch_triangle_polyhedron(const lbSolid *solid, const lbSurfaceTriangle *triangle,
                                  double margin, double deepest, lbTouchList *list);

// ---- pairs (pair.c, sat.c) ---------------------------------------------------------------------

// In a's axes: b at `frame`. on_triangle stands for a place on a, on_solid for one on b, and
// normals point from b to a.
void lb_touch_convex(const lbSolid *a, const lbSolid *b, const lbSolidFrame *frame, double margin,
                     lbTouchList *list); // boxes and hulls, by separating axes

#endif
