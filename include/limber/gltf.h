// limber/gltf.h: animated glTF 2.0 from plain arrays, as a .glb file or in memory. It needs libm
// alone, so that a page writes the same files as the program. The same input gives the same bytes.
//
// A document has one root glTF node, which turns the input's up axis to glTF's Y, and below it one
// glTF node for each lb_gltf_add_node. What a call is given is in the input's axes: the root acts
// after the translation and rotation of a node, moving or not,
//
//   world = Root (T(t) + R(t) (base + sum_i w_i(t) target_i))
//
// so that animated nodes need not know about it. Nodes may have a parent, whose motion acts after
// their own. A mesh with a skin is moved by nodes that are its joints (viewers blend linearly),
//
//   world = Root sum_j w_j M_j(t) B_j base,   M_j: of joint j with all its parents, B_j: its
//   inverse
//                                             bind matrix
#ifndef LIMBER_GLTF_H
#define LIMBER_GLTF_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbGltf lbGltf; // a document that is being made

typedef struct lbGltfDef {
  char up;                    // 'z' (default) or 'y': which axis of the input is up
  const char *animation_name; // default "simulation"; of the one animation for all nodes
  int32_t frame_count;        // of the animation; default 0: none
  const double *times;        // (frame_count), s, >= 0, ascending, also as floats
} lbGltfDef;

lbGltfDef lb_gltf_def(void);
lbStatus lb_gltf_create(const lbGltfDef *def, lbGltf **out, lbError *err);
void lb_gltf_destroy(lbGltf *gltf); // NULL is legal

// The calls that add to a document copy what they are given, pictures excepted. *id is the number
// of the new thing, counted from 0, set on success alone; it may be NULL for nodes. LB_ERR_ARGUMENT
// names what is wrong with an argument and leaves the document as it was; LB_ERR_UNSUPPORTED (above
// glTF's 4 GiB) and LB_ERR_MEMORY leave it unusable, and later calls fail with the same.

typedef struct lbGltfPicture {
  const char *name; // NULL or "": none
  const char *mime; // "image/png" or "image/jpeg"
  const void *data; // (bytes); must stay until the document is written
  size_t bytes;     // > 0
} lbGltfPicture;

// A texture that shows the picture.
lbStatus lb_gltf_add_texture(lbGltf *gltf, const lbGltfPicture *picture, int32_t *id, lbError *err);
// Where the picture of a texture lies in the binary data (lb_gltf_take), in bytes.
void lb_gltf_texture_range(const lbGltf *gltf, int32_t texture, int64_t *begin, int64_t *bytes);

typedef struct lbGltfMaterial {
  const char *name;          // NULL or "": none
  float base_color[4];       // linear RGBA; clamped to 0..1, as are the two below
  float metallic, roughness; //
  int32_t texture;           // of the base color; -1: none
  bool two_sided;
} lbGltfMaterial;

lbStatus lb_gltf_add_material(lbGltf *gltf, const lbGltfMaterial *material, int32_t *id,
                              lbError *err);

typedef struct lbGltfPart { // triangles of one material
  int32_t triangle_begin, triangle_count;
  int32_t material; // -1: glTF's default
} lbGltfPart;

typedef struct lbGltfTarget { // a morph target: what weight 1 adds
  const char *name;           // in extras.targetNames; NULL: "target N"
  const float *positions;     // (point_count x 3)
  const float *normals;       // (point_count x 3); NULL: none, which all targets must agree in
} lbGltfTarget;

typedef struct lbGltfMesh {
  const char *name; // NULL or "": none
  int32_t vertex_count;
  int32_t point_count;      // vertex_count where `points` is NULL
  const int32_t *points;    // (vertex_count): vertices that differ in uvs alone share a point;
                            // NULL: each vertex is one
  const float *positions;   // (point_count x 3), finite
  const float *normals;     // (point_count x 3), unit; NULL: none
  const float *uvs;         // (vertex_count x 2), v down; NULL: none
  const int32_t *triangles; // (triangles of all parts x 3), of vertices
  int32_t part_count;       // >= 1
  const lbGltfPart *parts;  //
  int32_t target_count;     // >= 0
  const lbGltfTarget *targets;
  const float *weights;    // (target_count), of a node without a track; NULL: zeros
  const double *max_error; // m, of the motion, to be said in extras.max_error_m; NULL: not said
  // Which joints of its skin move a point, and how much. Weights are >= 0 and written so that a
  // point's sum to 1; viewers may use no more than the first four, so give the largest first.
  int32_t influence_count; // joints that a point may have, 0 (default) to LB_GLTF_INFLUENCES_MOST
  const int32_t *joints;   // (point_count x influence_count), counted in the skin; ignored where
                           // the weight is 0
  const float *joint_weights; // (point_count x influence_count)
} lbGltfMesh;

#define LB_GLTF_INFLUENCES_MOST 64

lbStatus lb_gltf_add_mesh(lbGltf *gltf, const lbGltfMesh *mesh, int32_t *id, lbError *err);

// A placed mesh and how it moves. Tracks are sampled at the document's times and interpolated
// linearly; one that does not change is left out of the animation. Quaternions are x y z w, of any
// length but zero; each is written of unit length and with the sign that is nearer to the one
// before.
typedef struct lbGltfNode {
  const char *name;          // NULL or "": none
  int32_t mesh;              // -1: none
  const float *translation;  // (3), m: its place where no animation plays; NULL: the first sample
                             // of its track, or 0
  const float *rotation;     // (4); NULL: likewise
  const float *translations; // (frame_count x 3) track; NULL: none
  const float *rotations;    // (frame_count x 4) track; NULL: none
  const float *weights;      // (frame_count x targets of the mesh) track; NULL: none
  const int32_t *parent;     // a node that was added before; NULL: the root
  const int32_t *skin;       // of its mesh, which has joint weights; NULL: none. The node's own
                             // place is then ignored by viewers
} lbGltfNode;

lbStatus lb_gltf_add_node(lbGltf *gltf, const lbGltfNode *node, int32_t *id, lbError *err);

typedef struct lbGltfSkin {
  const char *name;          // NULL or "": none
  int32_t joint_count;       // >= 1
  const int32_t *joints;     // (joint_count), nodes that were added before
  const float *inverse_bind; // (joint_count x 16), column-major: from the mesh to the joint at rest
} lbGltfSkin;

lbStatus lb_gltf_add_skin(lbGltf *gltf, const lbGltfSkin *skin, int32_t *id, lbError *err);

// The end, once: one of these three. A document needs a node.
lbStatus lb_gltf_save(lbGltf *gltf, const char *path, lbError *err);
// The file in memory; free with lb_free.
lbStatus lb_gltf_pack(lbGltf *gltf, uint8_t **bytes, size_t *byte_count, lbError *err);
// The contents of the two chunks, for a file with more chunks: the JSON text without padding, the
// binary data with zeros up to a multiple of `alignment` (a multiple of 4), which buffers[0] counts
// too. Free both with lb_free.
lbStatus lb_gltf_take(lbGltf *gltf, size_t alignment, char **json, size_t *json_bytes,
                      uint8_t **bin, size_t *bin_bytes, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
