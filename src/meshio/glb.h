// What the parts of the glTF reader share: the document, its buffers, and access to both.
#ifndef LB_MESHIO_GLB_H
#define LB_MESHIO_GLB_H

#include "mesh/builder.h"

#include <jansson.h>

typedef struct lbGlbBuffer {
  const uint8_t *data;
  size_t bytes;
  uint8_t *owned; // what to free, when the bytes are not part of the file
} lbGlbBuffer;

typedef struct lbGlbFile {
  const char *path;
  json_t *document;
  size_t file_bytes;
  lbGlbBuffer *buffers;
  int32_t buffer_count;
} lbGlbFile;

// Splits the file into its chunks, parses the JSON, checks version and required extensions, and
// finds every buffer. Close it also after a failure.
lbStatus lb_glb_open(lbGlbFile *glb, const char *path, const char *content, size_t bytes,
                     lbError *err);
void lb_glb_close(lbGlbFile *glb);

// "path: " + message.
lbStatus lb_glb_fail(const lbGlbFile *glb, lbError *err, const char *format, ...) LB_PRINTF(3, 4);

// JSON access that never fails: a member that is missing or of another type gives the default.
json_t *lb_glb_item(const lbGlbFile *glb, const char *list, int64_t index); // an object or NULL
int32_t lb_glb_count(const lbGlbFile *glb, const char *list);
int64_t lb_json_integer(const json_t *object, const char *key, int64_t otherwise);
double lb_json_number(const json_t *object, const char *key, double otherwise);
const char *lb_json_text(const json_t *object, const char *key, const char *otherwise);
// Fills `count` numbers; false (and nothing written) unless there are exactly so many, all finite.
bool lb_json_numbers(const json_t *object, const char *key, double *numbers, size_t count);

// The bytes of a buffer view.
lbStatus lb_glb_view(const lbGlbFile *glb, int64_t view, const uint8_t **data, size_t *bytes,
                     lbError *err);
// The bytes of a data URI or of a file beside. Free *owned with lb_free.
lbStatus lb_glb_uri(const lbGlbFile *glb, const char *uri, uint8_t **owned, size_t *bytes,
                    lbError *err);

// The numbers of an accessor, (count x components: 1 to 4, or 16 of a matrix), integers brought to
// -1..1 or 0..1 where the accessor is normalized, sparse replacements done. Free *values with
// lb_free.
lbStatus lb_glb_accessor(const lbGlbFile *glb, int64_t accessor, int32_t components,
                         double **values, int32_t *count, lbError *err);

// ---- nodes -------------------------------------------------------------------------------------

// The parent of every node, -1: none. Refuses children that are not there, nodes with two parents
// and nodes that are their own ancestors. Free *parents with lb_free.
lbStatus lb_glb_parents(const lbGlbFile *glb, int32_t **parents, lbError *err);
// matrix, or translation * rotation * scale; column-major, as all matrices here.
void lb_glb_local_matrix(const json_t *node, double *m);
void lb_glb_multiply(const double *a, const double *b, double *product);
// From a node's own coordinates to those of the scene, where no animation plays.
void lb_glb_world_matrix(const lbGlbFile *glb, const int32_t *parents, int32_t node, double *m);

// Adds all materials as appearances (same numbers) and the pictures of their base colours.
lbStatus lb_glb_materials(const lbGlbFile *glb, lbMeshBuilder *builder, lbError *err);
// Which TEXCOORD_n the base-colour picture of a material uses.
int64_t lb_glb_texture_set(const lbGlbFile *glb, int64_t material);

#endif
