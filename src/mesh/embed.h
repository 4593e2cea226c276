// Embedding with a guess of the element for each point.
#ifndef LB_MESH_EMBED_H
#define LB_MESH_EMBED_H

#include "limber/voxelise.h"

// hints: (point_count) the element that probably holds the point, -1: no idea; or NULL.
lbStatus lb_mesh_embed_hinted(const lbMesh *volume, const double *points, int32_t point_count,
                              const int32_t *hints, lbEmbedding **out, lbError *err);

#endif
