// A volume mesh as voxels: what a frame-based model is made from. Each voxel has the volume, the
// centre and the material of what it holds of the mesh, so that sums over voxels have the mesh's
// volume and mass.
#ifndef LB_REDUCE_VOXEL_BODY_H
#define LB_REDUCE_VOXEL_BODY_H

#include "frames/voxels.h"
#include "limber/mesh.h"

typedef struct lbVoxelBodyDef {
  double cell;     // m, side of a voxel; 0 (default): from `voxels`
  int32_t voxels;  // about so many; default 2000
  bool close_gaps; // close faces between cells whose contents no element joins; default true
} lbVoxelBodyDef;

lbVoxelBodyDef lb_voxel_body_def(void);

typedef struct lbVoxelBody {
  lbVoxels *voxels;
  double *volumes;   // (voxels) m³; together those of the mesh
  double *centres;   // (voxels x 3) m, centroid of the mesh inside the voxel: where to sample it
  int32_t *begin;    // (voxels + 1) which elements a voxel holds parts of:
  int32_t *elements; // (begin[voxels]) ascending in a voxel,
  double *shares;    // (begin[voxels]) and their shares of its volume, sum 1
} lbVoxelBody;

// From tets and bricks.
lbStatus lb_voxel_body_create(const lbMesh *mesh, const lbVoxelBodyDef *def, lbVoxelBody **out,
                              lbError *err);
void lb_voxel_body_destroy(lbVoxelBody *body); // NULL is legal

// Density and material numbers of elements (as fem has them) onto voxels: the mean of a quantity
// over what a voxel holds, and for a number (material, rigid region) the one with the largest
// share.
void lb_voxel_body_mean(const lbVoxelBody *body, const double *element_values, double *values);
void lb_voxel_body_most(const lbVoxelBody *body, const int32_t *element_numbers, int32_t *numbers);

#endif
