// A tree of axis-aligned boxes over numbered items (triangles, elements): built once, refitted as
// the items move, asked for overlaps, nearest items and, over triangles, rays and closest points.
// Flat arrays, a bounded stack, no allocation after the build, the same tree for the same input.
#ifndef LB_GEOMETRY_AABB_TREE_H
#define LB_GEOMETRY_AABB_TREE_H

#include "geometry/triangle.h"

#define LB_AABB_LEAF_ITEMS 4 // most items in a leaf

typedef struct lbAabbNode {
  lbBox box;
  int32_t first; // leaf: begin in `items`; inner node: the right child (the left one is next)
  int32_t count; // items of a leaf; 0 for an inner node
} lbAabbNode;

typedef struct lbAabbTree {
  int32_t node_count;
  lbAabbNode *nodes; // depth first: children come after their parent
  int32_t item_count;
  int32_t *items; // (item_count), each item once
} lbAabbTree;

// Split by the surface area heuristic, by the median where that would grow too deep.
lbStatus lb_aabb_tree_build(const lbBox *boxes, int32_t item_count, lbAabbTree **out, lbError *err);
lbStatus lb_aabb_tree_build_triangles(const lbTriangles *surface, lbAabbTree **out, lbError *err);
lbAabbTree *lb_aabb_tree_copy(const lbAabbTree *tree); // NULL: no memory
void lb_aabb_tree_destroy(lbAabbTree *tree);           // NULL is legal

// New boxes for triangles at new positions, each enlarged by `margin` (>= 0). The shape of the tree
// stays.
void lb_aabb_tree_refit_triangles(lbAabbTree *tree, const lbTriangles *surface, double margin);

// Calls visit for every item of every leaf that meets the box, so items just beside it may come
// too; visit returns false to stop. Returns false when it was stopped.
typedef bool lbAabbVisit(int32_t item, void *context);
bool lb_aabb_tree_overlap(const lbAabbTree *tree, const lbBox *box, lbAabbVisit *visit,
                          void *context);

// The nearest item by the caller's exact distance function, which returns the squared distance from
// point to item (at least that to the item's box). Equal distances: the smallest id. Returns the
// item or -1 when none is nearer than *distance2, which holds the squared distance afterwards.
typedef double lbAabbDistance(int32_t item, lbVec3 point, void *context);
int32_t lb_aabb_tree_nearest(const lbAabbTree *tree, lbVec3 point, lbAabbDistance *distance,
                             void *context, double *distance2);

// ---- over triangles ----------------------------------------------------------------------------

typedef struct lbSurfacePoint {
  int32_t triangle;
  double weights[3]; // barycentric, of the triangle's corners
  double distance;   // closest point: from the query; ray: t, in units of the direction's length
} lbSurfacePoint;

// First hit of origin + t direction for 0 <= t <= t_max, from either side; rays through shared
// edges and corners do not slip through. Flat triangles are never hit. Equal t: the smallest id.
bool lb_surface_ray_cast(const lbAabbTree *tree, const lbTriangles *surface, lbVec3 origin,
                         lbVec3 direction, double t_max, lbSurfacePoint *hit);

// False when nothing is within max_distance (may be INFINITY). Equal distance: the smallest id.
bool lb_surface_closest_point(const lbAabbTree *tree, const lbTriangles *surface, lbVec3 point,
                              double max_distance, lbSurfacePoint *closest);
// The same answer sooner, where a triangle is known that is probably near (-1: none): its distance
// bounds the search.
bool lb_surface_closest_point_from(const lbAabbTree *tree, const lbTriangles *surface, lbVec3 point,
                                   double max_distance, int32_t first, lbSurfacePoint *closest);
// Whether anything is nearer than that, found in less time.
bool lb_surface_is_near(const lbAabbTree *tree, const lbTriangles *surface, lbVec3 point,
                        double distance);

#endif
