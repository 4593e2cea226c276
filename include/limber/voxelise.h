// limber/voxelise.h: from a surface to a volume: bricks around any triangle surface, tets inside a
// closed one through an installed mesher, bricks cut into tets, points hung on a volume.
#ifndef LIMBER_VOXELISE_H
#define LIMBER_VOXELISE_H

#include "limber/embedding.h"
#include "limber/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- bricks around a surface -------------------------------------------------------------------

typedef struct lbVoxeliseDef {
  int32_t cells;    // cells along the longest side, >= 1, default 24
  double cell_size; // m; > 0: used instead of `cells`; default 0
  bool fill_inside; // bricks inside the surface too, not only where it passes; default true
  // Cells that touch another only by an edge or a corner would make a hinge: fill in neighbouring
  // cells until all cells round every grid point are connected by faces, and so are the empty ones.
  // The outer faces of the bricks then are a manifold. Default true.
  bool connect;
} lbVoxeliseDef;

lbVoxeliseDef lb_voxelise_def(void); // the defaults

// Cubes where the surface passes and inside it, for any triangles: holes, self-intersections, open
// sheets (no inside), inside-out, several parts. Every vertex of the surface lies in a brick and is
// embedded in it, in the surface's numbering; vertices that no triangle uses are embedded in the
// nearest brick. What was made goes to the log, with a warning when the bricks are in several
// pieces. `volume` has bricks only, numbered along the grid, x fastest. `embedding` may be NULL.
lbStatus lb_mesh_voxelise(const lbMesh *surface, const lbVoxeliseDef *def, lbMesh **volume,
                          lbEmbedding **embedding, lbError *err);

// ---- embedding ---------------------------------------------------------------------------------

// Hangs points (point_count x 3) on the volume elements: barycentric weights in tets, trilinear in
// bricks; points outside on the nearest element. Flat elements are not used.
lbStatus lb_mesh_embed(const lbMesh *volume, const double *points, int32_t point_count,
                       lbEmbedding **out, lbError *err);

// ---- bricks into tets --------------------------------------------------------------------------

// Six tets for each brick, on the same vertices; neighbours agree on the diagonal of their common
// face on any brick mesh. Tets that were there keep their numbers, those of the bricks follow.
// Groups, materials and triangles are kept.
lbStatus lb_mesh_split_bricks(const lbMesh *mesh, lbMesh **out, lbError *err);

// ---- tets inside a closed surface --------------------------------------------------------------

typedef enum lbMesher { LB_MESHER_ANY, LB_MESHER_TETGEN, LB_MESHER_GMSH } lbMesher;

typedef struct lbFillDef {
  lbMesher mesher;    // default LB_MESHER_ANY: tetgen if it is installed, else gmsh
  double max_volume;  // m³, of a tet; default 0: no bound
  double radius_edge; // > 1: bound on circumradius / shortest edge (tetgen); default 1.414
  double time_limit;  // s, default 300
} lbFillDef;

lbFillDef lb_fill_def(void); // the defaults

// Runs the program `tetgen` or `gmsh` that is found in PATH. The first vertices of the result are
// the surface's whenever the mesher keeps them, which both do if every vertex is used and no two
// coincide. LB_ERR_UNSUPPORTED when no mesher is installed, LB_ERR_MESH when the surface is open or
// the mesher refuses it.
lbStatus lb_mesh_fill(const lbMesh *surface, const lbFillDef *def, lbMesh **out, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
