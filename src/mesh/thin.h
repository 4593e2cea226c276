// A surface with fewer triangles, for drawing: of all vertices in a cell of a grid the one nearest
// to their mean is kept for all of them (Rossignac and Borrel, "Multi-resolution 3D approximations
// for rendering complex scenes", 1993). What was fine beside a cell goes, and no vertex moves.
#ifndef LB_MESH_THIN_H
#define LB_MESH_THIN_H

#include "limber/embedding.h"
#include "limber/mesh.h"

// Cells are as small as leaves at most `triangles_most` triangles; a surface with no more is left
// as it is. Groups, looks and the embedding of the vertices (NULL: none) go along. On failure
// nothing has changed.
lbStatus lb_mesh_thin(lbMesh *surface, lbEmbedding *embedding, int32_t triangles_most,
                      lbError *err);

#endif
