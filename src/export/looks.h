// Appearances of meshes as glTF materials, and their pictures embedded; each once a file.
#ifndef LB_EXPORT_LOOKS_H
#define LB_EXPORT_LOOKS_H

#include "export/glb.h"
#include "limber/mesh.h"

typedef struct lbLook {
  const lbAppearance *appearance; // NULL: the default material
  bool textured, two_sided;
  int32_t material;
} lbLook;

typedef struct lbPicture {
  const lbTexture *source;
  int32_t texture; // of the file, -1: cannot be embedded
  int32_t view;    // the buffer view that holds it; -1 likewise
} lbPicture;

typedef struct lbLooks {
  lbGlb *glb;
  lbLook *looks;
  size_t look_count, look_capacity;
  lbPicture *pictures;
  size_t picture_count, picture_capacity;
} lbLooks;

// The material for an appearance of the mesh (-1: the default); -1 when the file is spoilt.
int32_t lb_looks_material(lbLooks *looks, const lbMesh *mesh, int32_t appearance, bool two_sided);
// Embeds a picture, once; with texture -1 and a warning in the log when it is not there or is
// neither PNG nor JPEG.
lbPicture lb_looks_picture(lbLooks *looks, const lbTexture *source);
void lb_looks_release(lbLooks *looks);

#endif
