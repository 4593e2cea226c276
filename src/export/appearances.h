// Appearances of meshes as glTF materials, and their pictures embedded; each once a document.
#ifndef LB_EXPORT_APPEARANCES_H
#define LB_EXPORT_APPEARANCES_H

#include "limber/gltf.h"
#include "limber/mesh.h"

typedef struct lbAppearanceEntry {
  const lbAppearance *source; // NULL: the default material
  bool textured, two_sided;
  int32_t material; // of the document
} lbAppearanceEntry;

typedef struct lbPictureEntry {
  const lbTexture *source;
  int32_t texture; // of the document, -1: cannot be embedded
} lbPictureEntry;

typedef struct lbAppearances {
  lbGltf *gltf;
  lbAppearanceEntry *entries;
  size_t entry_count, entry_capacity;
  lbPictureEntry *pictures;
  size_t picture_count, picture_capacity;
} lbAppearances;

// The material for an appearance of the mesh (-1: the default).
lbStatus lb_appearances_material(lbAppearances *appearances, const lbMesh *mesh, int32_t appearance,
                                 bool two_sided, int32_t *material, lbError *err);
// Embeds a picture, once; *texture is -1, with a warning in the log, when it is missing or is
// neither PNG nor JPEG.
lbStatus lb_appearances_picture(lbAppearances *appearances, const lbTexture *source,
                                int32_t *texture, lbError *err);
void lb_appearances_release(lbAppearances *appearances);

#endif
