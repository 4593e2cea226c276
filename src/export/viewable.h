// The part of a model file that any glTF viewer shows: surfaces with their materials and pictures,
// the first shapes as morph targets to play with, and placed instances. In memory, since the file
// has one more chunk.
#ifndef LB_EXPORT_VIEWABLE_H
#define LB_EXPORT_VIEWABLE_H

#include "limber/mesh.h"

#define LB_VIEWABLE_SHAPES 64 // as morph targets, at most
#define LB_VIEWABLE_BYTES                                                                          \
  (96 << 20)                     // of a body's morph targets, at most; the first is always there
#define LB_VIEWABLE_ALIGNMENT 64 // bytes; bin_bytes is a multiple of it
#define LB_VIEWABLE_MOVE 0.1     // weight 1 moves the farthest vertex by this part of the size

typedef struct lbViewableBody {
  const char *name;      // NULL or "": "body N"
  const lbMesh *surface; // with triangles
  int32_t shape_count;
  const double *shapes;           // (shape_count x vertex_count x 3)
  const char *const *shape_names; // (shape_count), "mode 1: 3.2 Hz"; NULL, or an entry NULL:
                                  // "shape N"
} lbViewableBody;

typedef struct lbViewableInstance { // a placed instance
  int32_t body;
  const char *name; // NULL or "": the body's
  double position[3], rotation[4];
} lbViewableInstance;

typedef struct lbViewable {
  char *json; // (json_bytes) and a zero, without padding
  size_t json_bytes;
  uint8_t *bin;            // (bin_bytes); buffers[0].byteLength counts the padding
  size_t bin_bytes;        // a multiple of LB_VIEWABLE_ALIGNMENT
  int64_t *texture_ranges; // (all textures of all bodies in order x 2): where it begins in bin, and
                           // its bytes, 0 where the picture could not be embedded
} lbViewable;

// up: 'z' or 'y', the input's; a root glTF node turns it to glTF's y. `out` is set on success
// alone.
lbStatus lb_viewable_make(const lbViewableBody *bodies, int32_t body_count,
                          const lbViewableInstance *instances, int32_t instance_count, char up,
                          lbViewable *out, lbError *err);
void lb_viewable_release(lbViewable *viewable);

#endif
