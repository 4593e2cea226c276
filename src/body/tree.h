// The surface of a reduced body as a tree of spheres that need no refit: the bounded deformation
// tree of James & Pai 2004. A sphere's centre moves with the mean of its vertices' rows of the
// basis, and its radius grows by how much they differ from the mean:
//   centre(q) = c + Σ q_i mean_i,   radius(q) = r + Σ |q_i| spread_i,
// so what a search costs depends on the spheres it meets and not on the mesh. Own axes of the body.
// Where q is the displacements of the nodes themselves there are no spheres: a search refits boxes
// to the surface, which costs no more than a look at each vertex.
#ifndef LB_BODY_TREE_H
#define LB_BODY_TREE_H

#include "body/body.h"
#include "collide/solid.h"

// A triangle near a point.
typedef struct lbNearTriangle {
  int32_t triangle;
  lbVec3 corners[3]; // m
  double distance;   // from the point
  double weights[3]; // of the corners: the place nearest to the point
} lbNearTriangle;

typedef struct lbSearchNode {
  double bound; // no closer than this
  int32_t node;
} lbSearchNode;

// Vertices: of more it is found out which of them matter.
enum { LB_TREE_LARGE = 1024 };

// Immutable: shared by all bodies of a model.
typedef struct lbTree {
  const lbModel *model;
  lbSimdLevel level;
  int32_t dimension;
  int32_t width; // of a row: the dimension, as a multiple of four
  double *rows;  // (vertices x 3 x width, zeros behind the dimension): displacement of a vertex
                 // along an axis = row . q. NULL: q is the displacements of the nodes, and there
                 // are no spheres and motions
  double
      *batches;  // (vertices / 8, rounded up, x dimension x 3 x 8): rows of eight vertices side by
  double *rests; // side, and (.. x 3 x 8) their rest places; NULL: of a large surface, which is
                 // hardly ever placed as a whole, and where there are no rows
  lbAabbTree *shape; // of the rest shape, whose children and leaves it takes over
  double *spheres;   // (nodes x 4): c, r
  double *motions;   // (nodes x dimension x 4): mean_i, spread_i
  int32_t *across;   // (triangles x 3) and
  uint8_t *own;      // (triangles): lb_surface_neighbours
  double *sides; // (vertices x 4): unit normal out of the rest shape, and how thick it is behind
                 // the vertex, m; zeros where that cannot be told
  double *leans; // (triangles): cosine of the angle with its normal that normals at its corners
                 // make at most, and a little more; 0 and less: 90 degrees and more
} lbTree;

static inline const double *lb_tree_rows(const lbTree *tree, int32_t vertex) {
  return tree->rows + 3 * (size_t)vertex * (size_t)tree->width;
}

void lb_tree_find_sides(lbTree *tree); // outward.c
// Unit, world: out of the body at a place of a triangle, whose own normal is `now`. At corners and
// edges it is the mean of what is around, at rest, turned as the triangle has turned.
// *thickness (may be NULL), m: how thick the body is behind it at rest; 0: not known.
lbVec3 lb_body_outward(const lbBody *body, int32_t triangle, const double weights[3], lbVec3 now,
                       double *thickness);

lbStatus lb_tree_create(const lbPrepared *prepared, lbTree **out, lbError *err);
void lb_tree_destroy(lbTree *tree); // NULL is legal

// Working memory of a search, and what it found.
typedef struct lbSearch {
  const lbTree *tree;
  double *factors;   // (dimension x 4): of motions: q_i, q_i, q_i, |q_i|
  lbAabbTree *boxes; // of the surface at q; NULL: the tree has spheres
  double *positions; // (vertices x 3): of the vertices looked at
  uint32_t *stamps;  // (vertices): `stamp` where the position is of this search
  uint32_t stamp;
  lbSearchNode *queue; // (node_limit + 2), a heap
  int32_t queue_count, node_limit, triangle_limit;
  lbNearTriangle *near; // (triangle_limit)
  int32_t near_count;
} lbSearch;

lbStatus lb_search_create(const lbTree *tree, int32_t node_limit, int32_t triangle_limit,
                          lbSearch **out, lbError *err);
void lb_search_destroy(lbSearch *search); // NULL is legal
// That of a scratch, made by the first call.
lbStatus lb_search_make(const lbPrepared *prepared, lbScratch *scratch, lbError *err);

// Fills `near` with the triangles nearer than `distance` to a point, nearest boxes first. Returns
// the distance within which nothing was overlooked: `distance`, or less where a limit was met.
double lb_tree_search(lbSearch *search, const double *q, lbVec3 point, double distance);

// A sphere around a node at coordinates whose factors (lbSearch.factors) are given; for a tree with
// spheres. Returns its radius.
double lb_tree_sphere(const lbTree *tree, int32_t node, const double *factors, lbVec3 *centre);

// Calls `look` for each triangle of the nodes that `reaches` (a sphere of own axes) lets through,
// always in the same order, until it returns false. Searches and visits of one lbSearch end each
// other.
typedef bool lbTreeReaches(void *context, lbVec3 centre, double radius);
typedef bool lbTreeLook(void *context, const lbSurfaceTriangle *triangle, int32_t number);
void lb_tree_visit(lbSearch *search, const double *q, lbTreeReaches *reaches, lbTreeLook *look,
                   void *context);

// line (dimension) <- the reduced direction of a unit force along `along` at a place of a triangle.
void lb_tree_line(const lbTree *tree, int32_t triangle, const double weights[3], lbVec3 along,
                  double *line);
// The same, added to what is there.
void lb_tree_add_line(const lbTree *tree, int32_t triangle, const double weights[3], lbVec3 along,
                      double *line);
// With rows: what coordinates do to a vertex, own axes; line <- with a force at it.
lbVec3 lb_tree_motion(const lbTree *tree, int32_t vertex, const double *q);
void lb_tree_add_vertex_line(const lbTree *tree, int32_t vertex, lbVec3 force, double *line);

#endif
