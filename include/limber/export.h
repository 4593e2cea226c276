// limber/export.h: simulated bodies as an animated glTF 2.0 binary (.glb) that plays anywhere.
//
// Each body becomes a base shape, morph targets found by principal components of its motion, and a
// node whose translation follows the centroid of the vertices its triangles use. All weights lie in
// [0, 1]. The same input gives the same bytes.
#ifndef LIMBER_EXPORT_H
#define LIMBER_EXPORT_H

#include "limber/base.h"
#include "limber/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbAnimationBody {
  const char *name;      // of the node and the mesh; NULL or "": "body N"
  const lbMesh *surface; // triangles, corner uvs, appearances, textures; its positions are the rest
                         // shape. Vertices that no triangle uses are left out
  const float *frames;   // (frame_count x vertex_count x 3): positions in metres at each frame
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
                    // data in the file; the mesh's extras say it too, as max_error_m
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
