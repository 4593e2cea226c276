// limber/report.h: what a mesh consists of and what is wrong with it. Nothing is changed.
#ifndef LIMBER_REPORT_H
#define LIMBER_REPORT_H

#include "limber/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LB_FLAT_LIMIT 1e-12 // area / longest edge², volume / longest edge³: at or below is flat
#define LB_SLIVER_LIMIT 0.1 // quality of an element (1 is best), below is a sliver

typedef enum lbProblemItem {
  LB_PROBLEM_VERTICES,
  LB_PROBLEM_EDGES, // two vertex ids each, the smaller one first
  LB_PROBLEM_TRIANGLES,
  LB_PROBLEM_ELEMENTS, // tets are 0 .. tet_count-1, bricks follow
} lbProblemItem;

// Kinds, in the order of a report. Every mesh:
//   unused_vertices           no element and no triangle has them
//   duplicate_vertices        same position as an earlier vertex, to the bit
//   several_components        parts that share no vertex; the smallest vertex id of each
// Volume elements:
//   degenerate_elements       a vertex twice, or flat (LB_FLAT_LIMIT)
//   inverted_elements         came with the other winding (mesh->mended) or still have it
//   inverted_bricks           Jacobian of a 2x2x2 Gauss point not positive, though not flat
//   slivers                   quality below LB_SLIVER_LIMIT, and none of the above. Quality:
//                             tets 12 (3V)^(2/3) / sum of squared edges (the mean ratio),
//                             bricks the least scaled Jacobian of the corners
//   duplicate_elements        the vertices of an earlier element
//   non_manifold_faces        elements with a face that more than two elements have
// Triangles:
//   degenerate_triangles      a vertex twice, or no area (LB_FLAT_LIMIT)
//   duplicate_triangles       the vertices of an earlier triangle
// The surface: the triangles, or the outer faces where there are elements (the triangles of a
// volume file mark parts of surfaces, they may be open and branch):
//   non_manifold_edges        more than two triangles
//   non_manifold_vertices     the triangles around the vertex are not connected by edges
// Meshes of triangles alone:
//   open_edges                one triangle
//   inconsistent_orientation  edges that both their triangles pass in the same direction
//   inside_out                closed parts that are turned inwards (and not the wall of a cavity);
//                             the first triangle of each
//   self_intersections        triangles that cut one with which they share no edge; to touch, or
//                             to lie in one plane, is not to cut
typedef struct lbMeshProblem {
  const char *kind; // one of the identifiers above, never translated
  lbProblemItem item;
  int32_t count; // items
  int32_t *ids;  // (count), edges (count x 2), ascending
} lbMeshProblem;

typedef struct lbMeshReport {
  int32_t vertex_count, triangle_count, tet_count, brick_count, group_count;
  int32_t component_count; // parts that share no vertex; unused vertices do not count
  int32_t hole_count;      // loops of open edges; meshes of triangles alone
  bool closed;             // the surface has triangles and neither open nor non-manifold edges
  double bounds[2][3];     // metres, low and high, of the vertices in use; zeros without any
  double volume;           // m³: of the elements, else of a closed surface (negative: inside out)
  double surface_area;     // m²: of the surface as above
  int32_t intersecting_pair_count; // pairs of triangles that cut each other
  bool self_intersections_checked; // false for volumes and where the search took too long
  int32_t problem_count;           // kinds that occur
  lbMeshProblem *problems;
  int64_t problem_total; // items over all kinds
} lbMeshReport;

lbStatus lb_mesh_report(const lbMesh *mesh, lbMeshReport **out, lbError *err);
void lb_mesh_report_destroy(lbMeshReport *report); // NULL is legal
// NULL when the report has no problem of this kind.
const lbMeshProblem *lb_mesh_report_find(const lbMeshReport *report, const char *kind);

// A new mesh without unused and coincident vertices, flat and repeated elements and triangles.
// Groups, materials and appearances are kept.
lbStatus lb_mesh_clean(const lbMesh *mesh, lbMesh **out, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
