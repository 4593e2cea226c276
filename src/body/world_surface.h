// The surface of a body where it is in the world: positions and velocities of its vertices and
// boxes of its triangles, worked out once for all that is near it. Of a large surface only what is
// near.
#ifndef LB_BODY_WORLD_SURFACE_H
#define LB_BODY_WORLD_SURFACE_H

#include "body/tree.h"
#include "body/world_surface_kernels.h"
#include "geometry/box_set.h"

typedef struct lbPlaced {
  const lbTree *tree;
  lbSimdLevel level;
  bool current;       // what follows is of the state that the body has; for whoever moves bodies
  lbBoxSet boxes;     // of the triangles that are placed, world, in the order of tree->shape
  int32_t *triangles; // (triangles): the number of each of them
  lbBox box;          // of them all
  lbAabbTree *nodes;  // a tree of boxes of all triangles, by lb_placed_refit alone
  double *positions; // (vertices x 3): world, of the triangles that are placed and their neighbours
  double *velocities; // (vertices x 3): world, m/s, there too
  int32_t place_count;
  double *places;      // (vertices / 8, rounded up, x 3 x 8): those positions, eight side by side
  double *rates;       // and their velocities; where the tree has `batches`
  lbVec3 velocity;     // m/s: and no vertex that is placed moves otherwise
  double spread;       // by more than this
  double *factors;     // (dimension x 4): of spheres, as lbSearch.factors; work
  double *coordinates; // (2 x dimension): and their rates
  uint32_t *stamps;    // (vertices): `stamp` where the position is known
  uint32_t stamp;
  // What is known of distances from a solid near it: of vertices, then of blocks of boxes, then of
  // groups of blocks. For whoever finds contacts.
  int32_t hint_count;
  lbSolidHint *hints; // (hint_count)
  uint64_t hint_key;  // the caller's number for the solid that they are about,
  bool hints_ready;   // if there is one
  bool hints_used;    // by a pair, in the search that is under way
} lbPlaced;

typedef struct lbPlacedRegion { // of the world
  lbVec3 centre;
  double radius;
} lbPlacedRegion;

lbStatus lb_placed_create(const lbBody *body, lbPlaced **out, lbError *err);
void lb_placed_destroy(lbPlaced *placed); // NULL is legal

// The whole surface as it is now; or at least what is in regions. `velocity` (m/s): spreads are
// about it. False: no memory.
bool lb_placed_update(lbPlaced *placed, const lbBody *body, lbVec3 velocity);
bool lb_placed_update_near(lbPlaced *placed, const lbBody *body, lbVec3 velocity,
                           int32_t region_count, const lbPlacedRegion *regions);
// Boxes of placed->nodes, where the whole surface is placed.
void lb_placed_refit(lbPlaced *placed);
// to (vertices x 3) <- where vertices are in other axes; lows and highs (vertices x 3) of boxes
// around each and where it goes. False: not the whole surface is placed in one.
bool lb_placed_sweep(const lbPlaced *placed, const lbSweeping *sweeping, double *to, double *lows,
                     double *highs);
// m: how far what is placed goes along a direction: the greatest along . x.
double lb_placed_extent(const lbPlaced *placed, lbVec3 along);
// How a place of a triangle moves, world.
lbVec3 lb_placed_velocity(const lbPlaced *placed, int32_t triangle, const double weights[3]);
// Whether regions matter: a small surface is placed as a whole.
bool lb_placed_is_large(const lbPlaced *placed);

static inline bool lb_placed_has_all(const lbPlaced *placed) {
  return placed->current && placed->boxes.count == placed->tree->model->size.triangle_count;
}

static inline lbTriangles lb_placed_surface(const lbPlaced *placed) {
  const lbModel *m = placed->tree->model;
  return (lbTriangles){ m->size.triangle_count, m->triangles, placed->positions };
}

#endif
