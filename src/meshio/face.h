// Polygons of surface files: reading them, cutting them into triangles, adding those to a mesh.
#ifndef LB_MESHIO_FACE_H
#define LB_MESHIO_FACE_H

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

// What the readers of polygons fill: the mesh, and the corners of the face at hand.
typedef struct lbFaceReader {
  lbMeshBuilder builder;
  lbFaceCutter cutter;
  float *uvs;        // (any x 2) as in the file, but v down
  int32_t *corners;  // (any) vertices of the face
  float *corner_uvs; // (any x 2)
  size_t uv_capacity, corner_capacity, corner_uv_capacity;
} lbFaceReader;

lbStatus lb_face_reader_begin(lbFaceReader *reader, lbError *err);
// Without a failure so far hands the mesh over; frees everything. Returns the first failure.
lbStatus lb_face_reader_finish(lbFaceReader *reader, lbStatus status, const char *path,
                               lbMesh **out, lbError *err);
// Room for so many `uvs`, or `corners` and `corner_uvs`. False: no memory.
bool lb_face_reader_grow_uvs(lbFaceReader *reader, size_t count);
bool lb_face_reader_grow_corners(lbFaceReader *reader, size_t count);

typedef struct lbFace {
  const int32_t *vertices; // (corner_count), checked to be in range
  const float *uvs;        // (corner_count x 2), glTF's convention, or NULL
  int32_t corner_count;    // at least 3
  int32_t appearance;      // -1: none
  const int32_t *groups;   // (group_count) of triangles
  int32_t group_count;
} lbFace;

// Cuts a face and adds its triangles. Failing memory sticks to the builder.
void lb_face_reader_add(lbFaceReader *reader, const lbFace *face);

// Tells of colours that had to be clamped.
void lb_warn_of_colors(const lbMeshBuilder *builder, const char *path);

// glTF's v points down, that of every other format up. False: too large for a float or not finite.
bool lb_uv_from_v_up(double u, double v, float uv[2]);

#endif
