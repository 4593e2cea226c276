// A skin: what of a model is drawn. The surface with its vertices split where normals, texture
// coordinates or appearances change, and for each basis vector what it does to positions and
// normals, so that a vertex shader makes the deformed surface from q alone:
//
//   x = X + sum_i q_i U_i(X),   n ~ t1 x t2,   t_k = T_k + sum_i q_i (grad U_i)(X) T_k
//
// with two tangents T_1, T_2 of the rest surface. The gradient at a node is the volume-weighted
// mean of the elements around it, and goes to vertices by the embedding: exact for affine motions,
// and sharp edges stay sharp. In single precision.
#ifndef LIMBER_VIEWER_SKIN_H
#define LIMBER_VIEWER_SKIN_H

#include "limber/model.h"

typedef struct vwPart { // triangles of one appearance
  int32_t triangle_begin, triangle_count;
  float color[4]; // linear RGBA
  float metal, roughness;
  int32_t texture; // of the model, or -1
} vwPart;

typedef struct vwSkin {
  const lbModel *model; // must outlive it; NULL: a surface alone
  lbMethod method;      // whose basis it has
  int32_t vertex_count, triangle_count, part_count;
  int32_t *sources;                         // (vertices): vertex of the model's surface
  float *positions;                         // (vertices x 3) at rest, own axes
  float *normals;                           // (vertices x 3)
  float *tangents;                          // (vertices x 6): T_1, T_2, unit, T_1 x T_2 = normal
  float *uvs;                               // (vertices x 2)
  uint32_t *triangles;                      // (triangles x 3), sorted by part
  vwPart *parts;                            // at least one
  int32_t *smooth_begin, *smooth_triangles; // (vertices + 1), (..): the triangles (of this skin)
                                            // whose area-weighted mean is a vertex's normal
  int32_t dimension;       // basis vectors; 0: none (the full method): drawn by positions
  float *basis;            // (dimension x vertices x 3)
  float *tangent_basis;    // (dimension x vertices x 6)
  float centre[3], radius; // a ball around the rest shape
} vwSkin;

typedef struct vwSkinDef {
  double crease; // rad: edges that bend more are sharp; default 40 degrees
} vwSkinDef;

vwSkinDef vw_skin_def(void);
lbStatus vw_skin_create(const lbModel *model, lbMethod method, const vwSkinDef *def, vwSkin **out,
                        lbError *err);
// Of a surface that does not bend, in its own axes; it has no model.
lbStatus vw_skin_create_rigid(int32_t vertex_count, const double *vertices, int32_t triangle_count,
                              const int32_t *triangles, const vwSkinDef *def, vwSkin **out,
                              lbError *err);
void vw_skin_destroy(vwSkin *skin);

// The same on the CPU: positions and normals of the skin's vertices from the positions of the
// model's surface vertices, as lb_body_surface gives them; normals from the triangles around.
void vw_skin_from_surface(const vwSkin *skin, const double *surface, float *positions,
                          float *normals);
// What the vertex shader computes, in floats and the body's own axes: the reference of the tests.
void vw_skin_from_coordinates(const vwSkin *skin, const float *coordinates, int32_t dimension,
                              float *positions, float *normals);

#endif
