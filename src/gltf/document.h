// Inside the glTF layer: a document under way. Each list is JSON text that is put together at the
// end; binary data is kept in pieces, one a buffer view, and never made one block by lb_gltf_save.
#ifndef LB_GLTF_DOCUMENT_H
#define LB_GLTF_DOCUMENT_H

#include "gltf/json.h"
#include "limber/gltf.h"

typedef struct lbGltfPiece { // a buffer view
  const void *data;
  size_t bytes;
  uint64_t begin; // in the binary data
  void *owned;    // freed with the document; NULL: borrowed
} lbGltfPiece;

typedef struct lbGltfPlace { // of a node
  int32_t parent;            // -1: the root
  int32_t child_count;
  size_t end; // where the node's text ends in the list, before its last brace
} lbGltfPlace;

struct lbGltf {
  char up;
  char *animation_name;
  int32_t frame_count;
  float *times;           // (frame_count)
  int32_t times_accessor; // -1: not yet written
  lbStatus status;        // what made it unusable: LB_ERR_MEMORY, LB_ERR_UNSUPPORTED

  lbJson accessors, views, materials, images, textures, meshes, nodes, skins, samplers, channels;
  int32_t *target_counts; // (meshes.count)
  size_t target_capacity;
  int32_t *joints_most; // (meshes.count) joints that a mesh's skin must have; 0: it needs no skin
  size_t joints_capacity;
  int32_t *skin_joints; // (skins.count) how many a skin has
  size_t skin_capacity;
  lbGltfPlace *places; // (nodes.count)
  size_t place_capacity;
  int32_t *texture_views; // (textures.count)
  size_t texture_capacity;

  lbGltfPiece *pieces; // one a buffer view
  int32_t piece_count;
  size_t piece_capacity;
  uint64_t bytes; // of the binary data, padding included
};

enum { LB_GLTF_ANY = 0, LB_GLTF_VERTICES = 34962, LB_GLTF_INDICES = 34963 }; // buffer view targets

void lb_gltf_set_failed(lbGltf *gltf, lbStatus status); // the first one stays
// What went wrong so far.
lbStatus lb_gltf_check(lbGltf *gltf, lbError *err);

// A view of the data, which `owned` (or NULL) holds: it is freed with the document, also when the
// call fails. -1: the document has failed.
int32_t lb_gltf_add_view(lbGltf *gltf, const void *data, size_t bytes, int target, void *owned);
// An accessor of (count x width) floats, width 1 to 4, with or without bounds. Takes the values;
// NULL counts as no memory.
int32_t lb_gltf_add_floats(lbGltf *gltf, float *values, size_t count, int32_t width, int target,
                           bool bounds);
// Copies indices, in 16 bits where they fit.
int32_t lb_gltf_add_indices(lbGltf *gltf, const int32_t *indices, size_t count,
                            int32_t vertex_count);

// An accessor of (count x 4) joints, in 8 bits where they fit. Copies them.
int32_t lb_gltf_add_joints(lbGltf *gltf, const int32_t *joints, size_t count);
// An accessor of 4x4 matrices. Copies them.
int32_t lb_gltf_add_matrices(lbGltf *gltf, const float *matrices, size_t count);

// The attributes JOINTS_n and WEIGHTS_n of a mesh, and checks of their input.
lbStatus lb_gltf_check_influences(const lbGltfMesh *mesh, int32_t point_count, lbError *err);
int32_t lb_gltf_joints_most(const lbGltfMesh *mesh, int32_t point_count);
void lb_gltf_put_influences(lbGltf *gltf, const lbGltfMesh *mesh, lbJson *attributes);

// Whether a node's mesh and skin go together.
lbStatus lb_gltf_check_skin_of(const lbGltf *gltf, const lbGltfNode *node, lbError *err);

// "key": number, as a member of an object or a list of members.
void lb_gltf_put_attribute(lbJson *json, const char *key, int32_t accessor);

// {"name": TEXT where there is one; the value is left open. Returns what stands before the next
// key.
const char *lb_gltf_open(lbJson *list, const char *name);

// LB_ERR_ARGUMENT unless all are finite; `what` names the array.
lbStatus lb_gltf_check_floats(const float *values, size_t count, const char *what, lbError *err);

#endif
