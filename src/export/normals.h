// Normals of a surface's vertices, each weighted by the areas of the triangles around it. All
// results are (source_count x 3), free with lb_free; NULL: no memory. A vertex without a normal
// gets (0, 0, 1).
#ifndef LB_EXPORT_NORMALS_H
#define LB_EXPORT_NORMALS_H

#include "export/surface.h"

// Averaged over frames (frame_count x vertex_count x 3); unit length.
float *lb_normals_of_frames(const lbSurface *surface, int32_t frame_count, int32_t vertex_count,
                            const float *frames);
// Of one shape, (vertices of the mesh x 3); unit length.
float *lb_normals_of_shape(const lbSurface *surface, const double *positions);
// How they change, to first order, when the vertices move by scale * displacements.
float *lb_normals_change(const lbSurface *surface, const double *positions,
                         const double *displacements, double scale);

#endif
