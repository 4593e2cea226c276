// Polygons of surface files: cutting them into triangles and adding those to a mesh.
#ifndef LB_MESH_IO_FACE_H
#define LB_MESH_IO_FACE_H

#include "mesh/builder.h"

// Scratch memory of the cutter and the work it may still do; one for a whole file.
typedef struct lbFaceCutter {
  int32_t *corners; // (3 x triangle_count) of the last polygon cut, corner numbers from 0
  int32_t triangle_count;
  double *points; // (corner_count x 2), the polygon seen along its normal
  int32_t *next, *previous;
  uint8_t *reflex;
  size_t corners_capacity, point_capacity, next_capacity, previous_capacity, reflex_capacity;
  int64_t tests_left;
} lbFaceCutter;

lbFaceCutter lb_face_cutter(void);
void lb_face_cutter_release(lbFaceCutter *cutter);

// Cuts the polygon with these vertices (ids into positions, at least 3 of them) into
// corner_count - 2 triangles of the same winding: quads along the better diagonal, convex polygons
// as a fan, others by ear clipping. Polygons that cross themselves are cut somehow. False: no
// memory.
bool lb_face_cut(lbFaceCutter *cutter, const double *positions, const int32_t *vertices,
                 int32_t corner_count);

typedef struct lbFace {
  const int32_t *vertices; // (corner_count), checked to be in range
  const float *uvs;        // (corner_count x 2), glTF's convention, or NULL
  int32_t corner_count;    // at least 3
  int32_t appearance;      // -1: none
  const int32_t *groups;   // (group_count) of triangles
  int32_t group_count;
} lbFace;

// Cuts a face and adds its triangles. Failing memory sticks to the builder.
void lb_mesh_add_face(lbMeshBuilder *builder, lbFaceCutter *cutter, const lbFace *face);

// glTF's v points down, that of every other format up. False: too large for a float or not finite.
bool lb_uv_from_v_up(double u, double v, float uv[2]);

#endif
