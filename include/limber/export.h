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
//   that triangles use; with `turning` also the rotation that brings the rest shape nearest to the
//   frame;
// - shapes and coordinates: vertex = rest + sum_i shape_i coordinate_i. Every shape that is used
//   becomes a target, to the precision of floats; more than targets_max of them are treated as
//   frames are;
// - neither, with a placement: it is rigid.

typedef struct lbAnimationBody {
  const char *name;      // of the node and the mesh; NULL or "": "body N"
  const lbMesh *surface; // triangles, corner uvs, appearances, textures; its positions are the rest
                         // shape. Vertices that no triangle uses are left out
  const float *frames;   // (frame_count x vertex_count x 3): positions in metres at each frame
  bool turning;          // frames without a placement: a body that turns by more than half a radian
                         // turns by its node; default false
  int32_t shape_count;   // >= 0; 0 with frames
  const double *shapes;  // (shape_count x vertex_count x 3): displacement at coordinate 1, m
  const double *coordinates; // (frame_count x shape_count)
  // Where the body is: rotation * vertex + position. NULL: at the origin, unturned.
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
// LB_ERR_ARGUMENT for a wrong def or body (non-finite frames included), LB_ERR_MESH for a
// surface without triangles, LB_ERR_UNSUPPORTED above glTF's 4 GiB. Pictures that are neither PNG
// nor JPEG, or are missing, are left out with a warning in the log.
lbStatus lb_animation_write(const char *path, const lbAnimationBody *bodies, int32_t body_count,
                            const lbAnimationDef *def, lbAnimationInfo *info, lbError *err);

// ---- skinned animations ------------------------------------------------------------------------
//
// A body that joints move: its vertices hang on them by weights, and viewers blend the motions of
// the joints linearly. What moves otherwise (by dual quaternions, say) is off by max_error.

typedef struct lbSkinnedBody {
  const char *name;               // as in lbAnimationBody
  const lbMesh *surface;          //
  int32_t joint_count;            // >= 1
  const char *const *joint_names; // (joint_count); NULL: "joint N"
  const int32_t *parents;         // (joint_count) a joint before it, or -1; NULL: none has one
  const double *rest;             // (joint_count x 7) position (m) and rotation (x y z w) at rest
  const double *poses; // (frame_count x joint_count x 7) the same at each frame; NULL: at rest
  // Vertex v hangs on joints[k] by weights[k], begin[v] <= k < begin[v + 1], weights >= 0 with a
  // sum above 0. More than four are written as further sets, which some viewers ignore.
  const int32_t *begin, *joints;
  const double *weights;
  const float *frames; // (frame_count x vertex_count x 3) where vertices really are, to measure
                       // max_error; NULL: it is not measured
} lbSkinnedBody;

typedef struct lbSkinnedDef {
  int32_t frame_count;        // >= 0; default 0: no animation
  const double *times;        // (frame_count), as in lbAnimationDef
  int32_t weights_max;        // of a vertex, the largest are kept; 1 to 64, default 4
  char up;                    // 'z' (default) or 'y'
  const char *animation_name; // default "simulation"
} lbSkinnedDef;

lbSkinnedDef lb_skinned_def(void);

// max_errors: (body_count) m, or NULL; 0 where there are no frames to compare with.
lbStatus lb_skinned_write(const char *path, const lbSkinnedBody *bodies, int32_t body_count,
                          const lbSkinnedDef *def, double *max_errors, lbError *err);

// ---- sequences ---------------------------------------------------------------------------------
//
// The same motion in other formats. With path "out.EXT" and one body:
//   .glb         an animation as above, to its default tolerance
//   .obj, .ply   out_00000.obj, out_00001.obj, ...: a mesh a frame; one out.mtl and its pictures
//   .pc2, .mdd   out.pc2, a point cache, and out.obj, the rest shape whose vertices it moves
//   .usda        Universal Scene Description as text, all bodies in one file
//   .pvd         out_00000.vtu, ...: the rest shape with the point data "displacement", and
//                out.pvd, their list; .vtu: without the list
// With several bodies the names are out_NAME_00000.obj and so on, NAME being the body's with
// everything but letters, digits, '-', '_' and '.' made '_'. No axis is turned but in .glb; .usda
// says which one is up.

typedef enum lbExportFormat {
  LB_EXPORT_GLB,
  LB_EXPORT_OBJ,
  LB_EXPORT_PLY,
  LB_EXPORT_PC2,
  LB_EXPORT_PVD,
  LB_EXPORT_VTU,
  LB_EXPORT_MDD,
  LB_EXPORT_USDA,
} lbExportFormat;

// By the extension; LB_ERR_ARGUMENT names the known ones. To be asked before long work.
lbStatus lb_export_format(const char *path, lbExportFormat *format, lbError *err);

typedef struct lbSequenceBody {
  const char *name;      // NULL or "": "body N"
  const lbMesh *surface; // as in lbAnimationBody; all of its vertices are written
  const float *frames;   // (frame_count x vertices of the surface x 3): positions in metres
  // .usda alone: the body's frame, in which `frames` are: rotation * vertex + position. NULL: they
  // are in the world.
  const double *positions; // (frame_count x 3), m
  const double *rotations; // (frame_count x 4), quaternions x y z w, of any length but zero
  // .pvd and .vtu alone: a volume mesh, which then goes before the surface.
  const lbMesh *volume;
  const double *displacements; // (frame_count x vertices of the volume x 3), m
} lbSequenceBody;

typedef struct lbSequenceDef {
  int32_t frame_count; // >= 1; default 0, to be set
  const double *times; // (frame_count), s, >= 0, ascending; needed by .glb, .pvd, .mdd, .usda
  double frame_rate;   // Hz, of .usda's time codes; default 0: that of the times
  char up;             // 'z' (default) or 'y', for .glb and .usda
} lbSequenceDef;

lbSequenceDef lb_sequence_def(void);

// All files appear together at the end, or none does: on failure, and when the progress hook stops
// it, what was there before is left. Files of the same names are replaced.
lbStatus lb_sequence_write(const char *path, const lbSequenceBody *bodies, int32_t body_count,
                           const lbSequenceDef *def, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
