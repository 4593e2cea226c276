// A report under construction, and the checks that fill it.
#ifndef LB_MESH_REPORT_PARTS_H
#define LB_MESH_REPORT_PARTS_H

#include "limber/report.h"

typedef enum lbProblemKind {
  LB_UNUSED_VERTICES,
  LB_DUPLICATE_VERTICES,
  LB_SEVERAL_COMPONENTS,
  LB_DEGENERATE_ELEMENTS,
  LB_INVERTED_ELEMENTS,
  LB_INVERTED_BRICKS,
  LB_SLIVERS,
  LB_DUPLICATE_ELEMENTS,
  LB_NON_MANIFOLD_FACES,
  LB_DEGENERATE_TRIANGLES,
  LB_DUPLICATE_TRIANGLES,
  LB_NON_MANIFOLD_EDGES,
  LB_NON_MANIFOLD_VERTICES,
  LB_OPEN_EDGES,
  LB_INCONSISTENT_ORIENTATION,
  LB_INSIDE_OUT,
  LB_SELF_INTERSECTIONS,
  LB_PROBLEM_KIND_COUNT
} lbProblemKind;

typedef struct lbReportBuilder {
  const lbMesh *mesh;
  lbMeshReport *report;
  bool out_of_memory; // sticks
  struct {
    int32_t *ids;
    size_t capacity;
    int32_t count;
  } lists[LB_PROBLEM_KIND_COUNT];
} lbReportBuilder;

void lb_report_item(lbReportBuilder *builder, lbProblemKind kind, int32_t id);
void lb_report_edge(lbReportBuilder *builder, lbProblemKind kind, const int32_t edge[2]);

// Repeats among rows of vertex ids, whatever their order: each later one is an item of `kind`.
void lb_report_repeats(lbReportBuilder *builder, lbProblemKind kind, const int32_t *rows,
                       int32_t count, int32_t width, int32_t first_id);

void lb_report_elements(lbReportBuilder *builder);
// The triangles of the surface (see limber/report.h); is_file: the mesh's own, and nothing else.
void lb_report_surface(lbReportBuilder *builder, const int32_t *triangles, int32_t count,
                       bool is_file);
// Triangles that cut one with which they share no edge; stops early on meshes with too many
// candidates.
void lb_report_intersections(lbReportBuilder *builder);

#endif
