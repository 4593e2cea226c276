// limber/mesh.h: one mesh type for volumes (tets, bricks) and surfaces (triangles), with named
// groups; reading, writing, reporting.
#ifndef LIMBER_MESH_H
#define LIMBER_MESH_H

#include "limber/base.h"
#include "limber/material.h"

#ifdef __cplusplus
extern "C" {
#endif

// Volume elements share one numbering: tets are 0 .. tet_count-1, bricks follow.
typedef enum lbGroupKind { LB_GROUP_VERTICES, LB_GROUP_TRIANGLES, LB_GROUP_ELEMENTS } lbGroupKind;

typedef struct lbGroup {
  char *name;       // may be "" ; never NULL
  int32_t tag;      // Gmsh physical tag, Vega set in file order from 1, ...; 0 = none
  lbGroupKind kind; // what the ids count
  int32_t count;
  int32_t *ids; // (count), 0-based, ascending
} lbGroup;

typedef struct lbMeshMaterial { // an elastic material that came with the file (Vega)
  char *name;
  lbMaterial material;
} lbMeshMaterial;

typedef struct lbTexture { // a picture, still encoded
  char *name;              // file name or ""
  char *mime;              // "image/png", "image/jpeg", ...
  uint8_t *data;           // (bytes); NULL when the picture could not be found
  size_t bytes;
} lbTexture;

typedef struct lbAppearance { // how a part of the surface looks
  char *name;
  float base_color[4]; // linear RGBA, default 1 1 1 1
  float metallic;      // 0 to 1, default 0
  float roughness;     // 0 to 1, default 0.8
  int32_t texture;     // base-colour texture, -1 = none
} lbAppearance;

typedef struct lbMesh {
  int32_t vertex_count;
  double *positions; // (vertex_count x 3), metres, file order, finite

  int32_t tet_count;
  int32_t *tets; // (tet_count x 4); positive orientation: det(x1-x0, x2-x0, x3-x0) > 0
  int32_t brick_count;
  int32_t *bricks; // (brick_count x 8); bottom 0-3 and top 4-7 counter-clockwise seen from the top
  int32_t triangle_count;
  int32_t *triangles; // (triangle_count x 3), counter-clockwise seen from outside

  int32_t mended_count; // elements that came with the other winding and were turned
  int32_t *mended;      // (mended_count), element numbers, ascending

  int32_t group_count;
  lbGroup *groups;

  int32_t material_count;
  lbMeshMaterial *materials;
  int32_t *element_materials; // (tet_count + brick_count), index or -1; NULL when there are none

  float *corner_uvs;        // (triangle_count x 3 x 2), glTF's convention (v down); NULL: none
  int32_t appearance_count; // how the triangles look
  lbAppearance *appearances;
  int32_t *triangle_appearances; // (triangle_count), index or -1; NULL when there are none
  int32_t texture_count;
  lbTexture *textures;
  float *vertex_colors; // (vertex_count x 4), RGBA from 0 to 1 as in the file; red -1: this vertex
                        // has none; NULL: none has
} lbMesh;

void lb_mesh_destroy(lbMesh *mesh);                // NULL is legal
int32_t lb_mesh_element_count(const lbMesh *mesh); // tets and bricks
// What a body is made of: the tets and bricks; of a mesh without any its triangles, a shell.
int32_t lb_mesh_body_elements(const lbMesh *mesh);
// NULL when no group has this kind and name (or tag).
const lbGroup *lb_mesh_group_by_name(const lbMesh *mesh, lbGroupKind kind, const char *name);
const lbGroup *lb_mesh_group_by_tag(const lbMesh *mesh, lbGroupKind kind, int32_t tag);

// The outer surface of the volume elements: faces that only one element has, quads of bricks cut
// along the diagonal from their smallest vertex id, counter-clockwise seen from outside, in element
// order. Free *triangles with lb_free.
lbStatus lb_mesh_boundary(const lbMesh *mesh, int32_t **triangles, int32_t *triangle_count,
                          lbError *err);

// That surface, or the triangles of a mesh without volume elements, as a mesh of its own, with only
// the vertices it uses; (*vertices)[i] is the vertex of `mesh` that its vertex i is. Free *vertices
// with lb_free; NULL: it is not wanted.
lbStatus lb_mesh_surface(const lbMesh *mesh, lbMesh **surface, int32_t **vertices, lbError *err);

// Reads any known format, chosen by extension; inverted tets and bricks are reordered.
lbStatus lb_mesh_load(const char *path, lbMesh **out, lbError *err);
// Writes .obj .stl .ply .msh .vtu by extension.
lbStatus lb_mesh_save(const lbMesh *mesh, const char *path, lbError *err);
// Whether the extension is one of those; to be asked before long work.
lbStatus lb_mesh_save_check(const char *path, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
