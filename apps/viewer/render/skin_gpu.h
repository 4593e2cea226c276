// A skin in the context's memory: vertices, triangles, edges, the basis as textures, appearances.
#ifndef LIMBER_VIEWER_SKIN_GPU_H
#define LIMBER_VIEWER_SKIN_GPU_H

#include "render/gpu.h"
#include "render/skin.h"

typedef struct vwGpuSkin {
  int32_t vertex_count, triangle_count, edge_count, part_count;
  int32_t dimension; // basis vectors; 0: drawn by positions
  bool closed;       // every edge has two triangles: of each, one side is never seen
  bool inwards;      // and it is the front
  vwPart *parts;
  GLuint *textures;                       // (parts), 0: none
  GLuint vertices, uvs, triangles, edges; // buffers
  GLuint surface, wires;                  // vertex arrays: by the basis
  GLuint surface_by_positions, wires_by_positions;
  GLuint basis, tangent_basis; // textures
  int32_t shift, rows;         // of the basis: log2 width, rows of a vector
  float tangent_scale;         // what a unit of the tangents' halves stands for
} vwGpuSkin;

lbStatus vw_gpu_skin_create(const vwGpuLimits *limits, const vwSkin *skin, vwGpuSkin *out,
                            lbError *err);
void vw_gpu_skin_destroy(vwGpuSkin *gpu, bool lost);

// Where a body's vertices are in a buffer, in bytes.
typedef struct vwVertexPlace {
  size_t stride, position, normal;
  size_t value; // mapped quantity; 0: none
} vwVertexPlace;

// Attributes 0, 1 and 5 of the bound vertex array, in the bound array buffer.
void vw_gpu_skin_point(vwVertexPlace place);

#endif
