// VTU with fields on the vertices, and the PVD list that makes a series of such files an animation.
#ifndef LB_MESHIO_VTU_H
#define LB_MESHIO_VTU_H

#include "limber/mesh.h"

typedef struct lbVtuField {
  const char *name;     // "displacement"
  int32_t components;   // 1 or 3
  const double *values; // (vertex_count x components)
} lbVtuField;

// The mesh as lb_write_vtu writes it, with point data.
lbStatus lb_write_vtu_fields(const lbMesh *mesh, const lbVtuField *fields, int32_t field_count,
                             const char *path, lbError *err);

typedef struct lbPvdFrame {
  double time;      // s
  const char *file; // as seen from the .pvd's folder
  int32_t part;     // which of the files of one time this is
} lbPvdFrame;

lbStatus lb_write_pvd(const lbPvdFrame *frames, int32_t frame_count, const char *path,
                      lbError *err);

#endif
