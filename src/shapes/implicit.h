// Rounded solids given by signed distances, in parts with names and colours of their own: a smooth
// surface, and bricks or tets around it. The distances are in coordinates of the shape's own, in
// which its solid fills the box from low to high; sizes only stretch it.
#ifndef LB_SHAPES_IMPLICIT_H
#define LB_SHAPES_IMPLICIT_H

#include "shapes/distance.h"
#include "shapes/shapes.h"

#define LB_PART_LIMIT 8

typedef struct lbImplicitPart {
  const char *name;     // of the triangle group and the appearance
  const char *elements; // of the element group
  float color[3];       // linear RGB
  float roughness;
} lbImplicitPart;

typedef struct lbImplicit {
  lbVec3 low, high;
  double blend;       // width of the groove where parts meet
  double cells_a_row; // of the surface along the longest side, for each of def->segments
  int part_count;
  lbImplicitPart parts[LB_PART_LIMIT];
  void (*distances)(lbVec3 p, double *parts); // (part_count)
} lbImplicit;

extern const lbImplicit lb_cactus, lb_turtle, lb_figure;

// Distance of the whole; *part (may be NULL): the part that p is in or nearest to.
double lb_implicit_distance(const lbImplicit *shape, lbVec3 p, int *part);
// Distance and gradient, by differences over `step`.
double lb_implicit_gradient(const lbImplicit *shape, lbVec3 p, double step, lbVec3 *gradient);
// A step of Newton's method towards the surface, no longer than `limit`.
lbVec3 lb_implicit_project(const lbImplicit *shape, lbVec3 p, double limit);

// Fills cells of flags (x fastest) until no two meet in an edge or a corner only, and drops all but
// the largest piece. False without memory.
bool lb_cells_join(uint8_t *flags, const int32_t cells[3]);

// Cells of the surface's grid along each axis, and how long their sides are.
double lb_implicit_grid(const lbImplicit *shape, int32_t segments, int32_t cells[3]);

// Triangles, each within one part.
typedef struct lbPartTriangles {
  int32_t count;
  size_t capacity;
  int32_t (*items)[4]; // three vertices and the part
} lbPartTriangles;

// Cuts the triangles of a mesh under construction along the borders of the parts, which adds
// vertices to it. Positions are the shape's own, edges about `spacing` long. Free items.
void lb_implicit_cut(lbMeshBuilder *draft, const lbImplicit *shape, double spacing,
                     lbPartTriangles *out);

void lb_implicit_volume(lbMeshBuilder *builder, const lbShapeDef *def, const lbImplicit *shape);
void lb_implicit_surface(lbMeshBuilder *builder, const lbShapeDef *def, const lbImplicit *shape);

#endif
