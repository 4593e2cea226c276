// The surface of a body where it is in the world: positions and velocities of its vertices and a
// tree of boxes over its triangles, worked out once for all that is near it. Of a large surface
// only what is near: boxes of all else are empty.
#ifndef LB_BODY_PLACED_H
#define LB_BODY_PLACED_H

#include "body/tree.h"

typedef struct lbPlaced {
  const lbTree *tree;
  lbAabbTree *boxes;  // of the triangles, world; their order is that of tree->shape
  double *positions;  // (vertices x 3): world, where a box is not empty
  double *velocities; // (vertices x 3): world, m/s, there too
  lbVec3 velocity;    // m/s: and no vertex that is placed moves otherwise
  double spread;      // by more than this
  double *factors;    // (dimension x 4): of spheres, as lbSearch.factors; work
  double *triples;    // (2 x dimension x 3): each coordinate three times, then their rates; work
  uint32_t *stamps;   // (vertices): `stamp` where the position is known
  uint32_t stamp;
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
// m: how far what is placed goes along a direction: the greatest along . x.
double lb_placed_extent(const lbPlaced *placed, lbVec3 along);
// How a place of a triangle moves, world.
lbVec3 lb_placed_velocity(const lbPlaced *placed, int32_t triangle, const double weights[3]);
// Whether regions matter: a small surface is placed as a whole.
bool lb_placed_is_large(const lbPlaced *placed);

static inline lbTriangles lb_placed_surface(const lbPlaced *placed) {
  const lbModel *m = placed->tree->model;
  return (lbTriangles){ m->size.triangle_count, m->triangles, placed->positions };
}

#endif
