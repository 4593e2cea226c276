// limber/render_mesh.h: a model's surface as graphics hardware takes it: vertices that have one
// texture coordinate each, 32-bit indices, ranges of them by appearance; and floats of a body
// written into the caller's vertex buffer.
//
//   lbRenderMesh *mesh;   lb_render_mesh_create(model, &mesh, &err); // once for a model
//   lbVertexLayout at = lb_vertex_layout();
//   at.stride = sizeof(Vertex), at.position = offsetof(Vertex, position), ...
//   lb_body_write_render_vertices(body, mesh, &at, 0, mesh->vertex_count, buffer, bytes, &err);
//
// All calls that take a body take it as const and put their message into *err (may be NULL), so any
// number of threads may write vertices of the same or of different bodies at the same time.
#ifndef LIMBER_RENDER_MESH_H
#define LIMBER_RENDER_MESH_H

#include "limber/body.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- vertices into the caller's buffer ---------------------------------------------------------

// Where in a vertex of the caller's buffer what lies: offsets in bytes from the vertex's start, of
// 32-bit floats; -1: left out, and those bytes are not touched. Nothing need be aligned.
typedef struct lbVertexLayout {
  size_t stride;    // bytes from one vertex to the next, at least up to its last field; no default
  int32_t position; // 3 floats, m, world; default -1
  int32_t normal;   // 3 floats, unit length; default -1
  int32_t tangent;  // 4 floats; default -1. The first three: unit length, across the normal, along
                    // growing u; the fourth, w: 1 or -1, such that w (normal x tangent) points to
                    // the top of the picture (falling v), as in glTF. Render vertices only
  int32_t uv;       // 2 floats; default -1. Render vertices only
} lbVertexLayout;

lbVertexLayout lb_vertex_layout(void);

// Surface vertices [first, first + count) of a body: vertex `first` is written at `buffer`, the
// next one `stride` bytes on. A range costs what its vertices and their neighbours cost, and gives
// the same bits as all of them. Refused, with nothing written: a range beyond the model's vertices,
// fields that overlap or pass the stride, less than (count - 1) stride + the end of the last field
// in byte_count.
lbStatus lb_body_write_vertices(const lbBody *body, const lbVertexLayout *layout, int32_t first,
                                int32_t count, void *buffer, size_t byte_count, lbError *err);

// ---- render meshes -----------------------------------------------------------------------------

// Triangles that look alike: indices [index_begin, index_begin + index_count).
typedef struct lbRenderPart {
  int32_t appearance; // of the model; -1: none is given
  int32_t index_begin, index_count;
} lbRenderPart;

// Immutable; for all bodies of the model, which must outlive it. A render vertex is one of (surface
// vertex, texture coordinate, whether the picture is mirrored there); vertices that no triangle
// uses are left out. Ordered by surface vertex, so that a range of one is a range of the other.
typedef struct lbRenderMesh {
  const lbModel *model;
  int32_t vertex_count, index_count, part_count;
  const int32_t *sources;    // (vertices): surface vertex of each, ascending
  const float *uvs;          // (vertices x 2), glTF's convention; NULL: the model has none
  const uint32_t *indices;   // (index_count), three a triangle, counter-clockwise from outside
  const int32_t *triangles;  // (index_count / 3): triangle of the model's surface
  const lbRenderPart *parts; // (part_count), by appearance, ascending; none is empty
  const struct lbRenderTangents *tangents_; // private
} lbRenderMesh;

lbStatus lb_render_mesh_create(const lbModel *model, lbRenderMesh **out, lbError *err);
void lb_render_mesh_destroy(lbRenderMesh *mesh); // NULL is legal

// lb_body_write_vertices for render vertices [first, first + count) of a body of the mesh's model.
// Normals are those of the surface, smooth across the cuts. Tangents: the mean over the vertex's
// triangles, by their area at rest, of how the place changes with u; where there is no such
// direction (no texture coordinates, or all the same), any across the normal, w = 1.
lbStatus lb_body_write_render_vertices(const lbBody *body, const lbRenderMesh *mesh,
                                       const lbVertexLayout *layout, int32_t first, int32_t count,
                                       void *buffer, size_t byte_count, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
