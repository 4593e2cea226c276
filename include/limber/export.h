// limber/export.h: simulated bodies as an animated glTF 2.0 binary (.glb) that plays anywhere, and
// as sequences of mesh files for other programs. The same input gives the same bytes.
#ifndef LIMBER_EXPORT_H
#define LIMBER_EXPORT_H

#include "limber/base.h"
#include "limber/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- animations --------------------------------------------------------------------------------
//
// A body becomes a base shape and morph targets whose weights all lie in [0, 1], on a node that
// carries its rigid motion. Its motion is given in one of these ways:
// - frames: the targets are principal components, and the node follows the centroid of the vertices
//   that triangles use;
// - shapes and coordinates: vertex = rest + sum_i shape_i coordinate_i. Every shape whose
// coordinate
//   changes becomes a target, to the precision of floats; more than targets_max of them are taken
//   as frames would be;
// - neither, with a placement: it is rigid.

typedef struct lbAnimationBody {
  const char *name;      // of the node and the mesh; NULL or "": "body N"
  const lbMesh *surface; // triangles, corner uvs, appearances, textures; its positions are the rest
                         // shape. Vertices that no triangle uses are left out
  const float *frames;   // (frame_count x vertex_count x 3): positions in metres at each frame
  int32_t shape_count;   // >= 0; 0 with frames
  const double *shapes;  // (shape_count x vertex_count x 3): displacement at coordinate 1, m
  const double *coordinates; // (frame_count x shape_count)
  // Where the body is: rotation * vertex + position. NULL: nowhere else, not turned.
  const double *positions; // (frame_count x 3), m
  const double *rotations; // (frame_count x 4), quaternions x y z w, of any length but zero
} lbAnimationBody;

typedef struct lbAnimationDef {
  int32_t frame_count; // >= 1; default 0, to be set
  const double *times; // (frame_count), s, >= 0, ascending, also as floats; the first may be 0
  double tolerance;    // greatest vertex error allowed, as a fraction of the body's size; > 0 and
                       // < 1, default 1e-3
  int32_t targets_max; // 0 to 4096; default 64. Goes before the tolerance: see max_error
  char up;             // 'z' (default) or 'y': which axis of the input is up; glTF is Y-up, a root
                       // node turns it
} lbAnimationDef;

lbAnimationDef lb_animation_def(void);

typedef struct lbAnimationInfo { // what a body came to
  int32_t target_count;
  double max_error; // m, greatest distance of a vertex from its place over all frames, of the float
                    // data in the file; the mesh's extras say it too, as max_error_m. With a
                    // placement, an upper bound
  double size;      // m, diagonal of the rest shape's bounding box
} lbAnimationInfo;

// `info` is (body_count) or NULL, written on success alone. The file is written aside and renamed.
// LB_ERR_ARGUMENT for a wrong def or body (frames that are no numbers included), LB_ERR_MESH for a
// surface without triangles, LB_ERR_UNSUPPORTED above glTF's 4 GiB. Pictures that are neither PNG
// nor JPEG, or are not there, are left out with a warning in the log.
lbStatus lb_animation_write(const char *path, const lbAnimationBody *bodies, int32_t body_count,
                            const lbAnimationDef *def, lbAnimationInfo *info, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
