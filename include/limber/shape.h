// limber/shape.h: built-in shapes, each as a volume mesh (tets or bricks) and as a render surface;
// sheets are triangles alone, for shells.
//
// Every shape fills the box from the origin to `size`; z is up. The meshes depend on the parameters
// alone. Vertex groups of every mesh: "left", "right" (the x ends), "front", "back" (y),
// "bottom", "top" (z). Along an axis where the shape is round, an end is the outermost tenth.
#ifndef LIMBER_SHAPE_H
#define LIMBER_SHAPE_H

#include "limber/element.h"
#include "limber/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lbShape {
  LB_SHAPE_BAR,
  LB_SHAPE_PLATE,    // a bar, with the defaults of a plate
  LB_SHAPE_TUBE,     // hollow, axis z
  LB_SHAPE_CYLINDER, // axis z
  LB_SHAPE_SPHERE,   // an ellipsoid where the sizes differ
  LB_SHAPE_TORUS,    // axis z
  LB_SHAPE_TEE,      // a stem along z with a crossbar along x on top
  LB_SHAPE_SPONGE,   // Menger sponge
  LB_SHAPE_SPOON,    // handle and bowl along x, hollow side up
  LB_SHAPE_BRIDGE,   // a deck along x on two feet, with railings
  LB_SHAPE_TOWER,    // a lattice tower: four legs, rings and crossed braces
  LB_SHAPE_BOWL,     // a thin shell on a foot, axis z, open above
  LB_SHAPE_CACTUS,   // a ribbed column with two arms
  LB_SHAPE_TURTLE,   // head along x; elements "shell" and "body"
  LB_SHAPE_FIGURE,   // a little person, arms along x, looking along -y
  LB_SHAPE_SOLID_COUNT,
  LB_SHAPE_SHEET = LB_SHAPE_SOLID_COUNT, // flat, of triangles in staggered rows
  LB_SHAPE_GRID,                         // flat, of rectangles cut along a diagonal
  LB_SHAPE_PIPE,                         // a cylinder around z without ends, of staggered rows
  LB_SHAPE_COUNT                         // also: no such shape
} lbShape;

// What the numbers mean to each shape (names as in scene files), with the defaults:
//   bar       cells along x, y, z [20 2 2]; size [1 0.1 0.1]. Vertex id = i + (nx+1)(j + (ny+1)k),
//             bricks likewise, x fastest; tets: six a cell, all around its diagonal 000-111
//   plate     cells along x, y, z [20 20 1]; size [1 1 0.05]
//   tube      cells around, through the wall, along z [24 2 20]; size [0.3 0.3 1]; thickness 0.05
//   cylinder  cells across x, across y, along z [6 6 20]; size [0.3 0.3 1]
//   sphere    cells across x, y, z [8 8 8]; size [1 1 1]
//   torus     cells around the ring, across the section radially and along z [32 6 6];
//             size [1 1 0.3]: section diameter size[2]
//   tee       cells along x, y, z [9 3 9], shared out to stem and arms by length; size [1 0.3 1];
//             thickness 0.3 of stem (along x) and crossbar (along z)
//   sponge    cells along x, y, z of each smallest cube [1 1 1]; size [1 1 1]; level 2
//   spoon     cells along x, across the bowl, through the thickness [60 10 2]; size [1 0.22 0.12];
//             thickness 0.02, measured along z. The handle's end is at x = 0
//   bridge    bays between posts, cells across the deck between the railings, cells up a foot or an
//             opening of the railing [49 8 3]; size [4 0.5 0.36]; thickness 0.02 of posts and rails
//             (square), half that of the deck. Posts on each side: cells[0] + 1
//   tower     bays, cells along half a brace, cells across a leg (at most 64) [8 3 2];
//             size [1 1 3.6]; thickness 0.07 of the legs
//   bowl      cells around (a multiple of 4, others are rounded up), through the wall, along the
//             wall from foot to rim [32 2 12]; size [1 1 0.5]; thickness 0.04, of the narrow side
//             where size[0] and size[1] differ
//   cactus    cells along x, y, z [24 9 32]; size [0.76 0.27 1]
//   turtle    cells along x, y, z [30 20 11]; size [1.15 0.75 0.42]
//   figure    cells along x, y, z [23 11 26]; size [0.87 0.42 1]
// The last three are those cells of the box that hold some of the solid; sizes stretch it. Their
// surfaces have an appearance and a triangle group for each part, their volumes element groups:
//   cactus    triangles "plant", "blossom"; elements "plant"
//   turtle    triangles "shell", "body", "face"; elements "shell", "body"
//   figure    triangles "head", "hands", "hat", "face", "shirt", "trousers", "shoes"; elements
//             "head" (with hat and face), "clothes" (all the rest)
// Sheets, whose volume mesh is the surface (element and the third size of flat ones do not matter):
//   sheet     triangles along x, rows along y [20 23 1]; size [1 1 1], in the plane z = 0.
//             Equilateral where size[1] / cells[1] is 0.866 size[0] / cells[0]; every second row
//             begins and ends with half a triangle
//   grid      cells along x, y [20 20 1]; size [1 1 1], in the plane z = 0. Vertex id =
//             i + (nx+1) j; the diagonal goes from 00 to 11
//   pipe      triangles around (at least 3), any number, rows along z [24 1 30]; size [0.3 0.3 1]
typedef struct lbShapeDef {
  lbShape shape;
  double size[3];        // metres, > 0: the box that the shape fills
  int32_t cells[3];      // >= 1; >= 3 around or across something round
  lbElementKind element; // default tet4
  double thickness;      // metres; tube: < half of size[0] and size[1]; tee: < size[0] and size[2];
                         // spoon: < size[2]; bridge: so that openings are left between posts and
                         // rails, < size[0] / (cells[0] + 1), size[1] / 2 and size[2] / 4; tower:
                         // < a third of its width and a quarter of its bay at the top; bowl: < a
                         // sixth of the smallest size
  int32_t level;         // sponge only: 0 (a cube) to 5
  int32_t segments;      // render surface of round shapes: pieces around a circle, 8 to 4096,
                         // a multiple of 4 (others are rounded up), default 96; cactus, turtle
                         // and figure: 0.8 or so of it are the cells along the longest side
} lbShapeDef;

typedef struct lbShapeInfo {
  const char *name;
  const char *description; // one line, no full stop
  const char *parameters;  // the fields it reads, separated by spaces
} lbShapeInfo;

// The defaults of the shape of this name; .shape is LB_SHAPE_COUNT when there is none.
lbShapeDef lb_shape_def(const char *name);
const lbShapeInfo *lb_shape_info(lbShape shape); // NULL when there is none
const char *lb_shape_name(lbShape shape);        // as scene files spell it; "" when there is none

// Tets or bricks, or the triangles of a sheet, with the groups above. Messages name the field:
// "bar: size[1] must be ...".
lbStatus lb_shape_volume(const lbShapeDef *def, lbMesh **out, lbError *err);
// A closed triangle surface (a sheet: its triangles) with corner UVs, round shapes at their own
// finer resolution. UVs: round shapes wrap 0 to 1 around, flat faces are seen straight on, one unit
// for the largest size.
lbStatus lb_shape_surface(const lbShapeDef *def, lbMesh **out, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
