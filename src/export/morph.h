// A surface with morph targets as a glTF mesh: a primitive an appearance, all of them sharing the
// vertices, and targets relative to the base.
#ifndef LB_EXPORT_MORPH_H
#define LB_EXPORT_MORPH_H

#include "export/looks.h"
#include "export/surface.h"

typedef struct lbMorph {
  const char *name;
  const lbMesh *mesh;
  const lbSurface *surface;    // of the mesh
  const float *base, *normals; // (source_count x 3)
  int32_t target_count;
  const float *targets;        // (target_count x source_count x 3)
  const float *target_normals; // the same; NULL: none
  const float *weights;        // (target_count), at rest
  json_t *extras;              // of the mesh, taken over
} lbMorph;

// The index of the mesh; what fails spoils the file (lb_glb_check).
int32_t lb_morph_add(lbLooks *looks, const lbMorph *morph);

#endif
