// The report: counts, components, bounds, vertices and triangles one by one; elements and the
// surface as a whole have files of their own.
#include "mesh/report_parts.h"

#include "mesh/faces.h"
#include "mesh/points.h"
#include "mesh/quality.h"
#include "mesh/sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  lbProblemItem item;
} kinds[LB_PROBLEM_KIND_COUNT] = {
  [LB_UNUSED_VERTICES] = { "unused_vertices", LB_PROBLEM_VERTICES },
  [LB_DUPLICATE_VERTICES] = { "duplicate_vertices", LB_PROBLEM_VERTICES },
  [LB_SEVERAL_COMPONENTS] = { "several_components", LB_PROBLEM_VERTICES },
  [LB_DEGENERATE_ELEMENTS] = { "degenerate_elements", LB_PROBLEM_ELEMENTS },
  [LB_INVERTED_ELEMENTS] = { "inverted_elements", LB_PROBLEM_ELEMENTS },
  [LB_INVERTED_BRICKS] = { "inverted_bricks", LB_PROBLEM_ELEMENTS },
  [LB_SLIVERS] = { "slivers", LB_PROBLEM_ELEMENTS },
  [LB_DUPLICATE_ELEMENTS] = { "duplicate_elements", LB_PROBLEM_ELEMENTS },
  [LB_NON_MANIFOLD_FACES] = { "non_manifold_faces", LB_PROBLEM_ELEMENTS },
  [LB_DEGENERATE_TRIANGLES] = { "degenerate_triangles", LB_PROBLEM_TRIANGLES },
  [LB_DUPLICATE_TRIANGLES] = { "duplicate_triangles", LB_PROBLEM_TRIANGLES },
  [LB_NON_MANIFOLD_EDGES] = { "non_manifold_edges", LB_PROBLEM_EDGES },
  [LB_NON_MANIFOLD_VERTICES] = { "non_manifold_vertices", LB_PROBLEM_VERTICES },
  [LB_OPEN_EDGES] = { "open_edges", LB_PROBLEM_EDGES },
  [LB_INCONSISTENT_ORIENTATION] = { "inconsistent_orientation", LB_PROBLEM_EDGES },
  [LB_INSIDE_OUT] = { "inside_out", LB_PROBLEM_TRIANGLES },
  [LB_SELF_INTERSECTIONS] = { "self_intersections", LB_PROBLEM_TRIANGLES },
};

static void add_report_row(lbReportBuilder *builder, lbProblemKind kind, const int32_t *ids,
                           size_t width) {
  size_t used = width * (size_t)builder->lists[kind].count;
  if (builder->out_of_memory ||
      !lb_grow((void **)&builder->lists[kind].ids, &builder->lists[kind].capacity, used + width,
               sizeof(int32_t))) {
    builder->out_of_memory = true;
    return;
  }
  memcpy(builder->lists[kind].ids + used, ids, width * sizeof(int32_t));
  builder->lists[kind].count++;
}

void lb_report_item(lbReportBuilder *builder, lbProblemKind kind, int32_t id) {
  add_report_row(builder, kind, &id, 1);
}

void lb_report_edge(lbReportBuilder *builder, lbProblemKind kind, const int32_t edge[2]) {
  add_report_row(builder, kind, edge, 2);
}

void lb_report_repeats(lbReportBuilder *builder, lbProblemKind kind, const int32_t *rows,
                       int32_t count, int32_t width, int32_t first_id) {
  LB_ASSERT(width <= 8);
  lbHashTable table = lb_hash_table((size_t)width * sizeof(int32_t));
  for (int32_t i = 0; i < count && !builder->out_of_memory; i++) {
    int32_t key[8], known = table.count;
    memcpy(key, rows + (size_t)i * (size_t)width, (size_t)width * sizeof(int32_t));
    lb_sort_vertices(key, width);
    int32_t number = lb_hash_table_add(&table, key);
    if (number < 0) builder->out_of_memory = true;
    if (number >= 0 && number < known) lb_report_item(builder, kind, first_id + i);
  }
  lb_hash_table_release(&table);
}

// ---- vertices ----------------------------------------------------------------------------------

static void report_duplicate_vertices(lbReportBuilder *builder) {
  const lbMesh *mesh = builder->mesh;
  lbHashTable table = lb_point_table();
  for (int32_t i = 0; i < mesh->vertex_count && !builder->out_of_memory; i++) {
    const double *x = mesh->positions + 3 * (size_t)i;
    int32_t known = table.count, number = lb_point_table_add(&table, x[0], x[1], x[2]);
    if (number < 0) builder->out_of_memory = true;
    if (number >= 0 && number < known) lb_report_item(builder, LB_DUPLICATE_VERTICES, i);
  }
  lb_hash_table_release(&table);
}

static void use_row(const int32_t *row, int32_t width, bool *used, int32_t *parent) {
  for (int32_t i = 0; i < width; i++) {
    used[row[i]] = true;
    lb_sets_join(parent, row[0], row[i]);
  }
}

static void report_use(lbReportBuilder *builder, const bool *used, int32_t *parent) {
  const lbMesh *mesh = builder->mesh;
  lbMeshReport *report = builder->report;
  bool any = false;
  for (int32_t i = 0; i < mesh->vertex_count; i++) {
    if (!used[i]) {
      lb_report_item(builder, LB_UNUSED_VERTICES, i);
      continue;
    }
    const double *x = mesh->positions + 3 * (size_t)i;
    for (int a = 0; a < 3; a++) {
      report->bounds[0][a] = any ? fmin(report->bounds[0][a], x[a]) : x[a];
      report->bounds[1][a] = any ? fmax(report->bounds[1][a], x[a]) : x[a];
    }
    any = true;
    if (lb_sets_root(parent, i) != i) continue;
    report->component_count++;
    lb_report_item(builder, LB_SEVERAL_COMPONENTS, i);
  }
  if (report->component_count < 2) builder->lists[LB_SEVERAL_COMPONENTS].count = 0;
}

// Which vertices are used, what is connected, and where it is.
static void report_vertices(lbReportBuilder *builder) {
  const lbMesh *mesh = builder->mesh;
  bool *used = lb_alloc((size_t)mesh->vertex_count, sizeof(bool));
  int32_t *parent = lb_sets_make((size_t)mesh->vertex_count);
  if (used && parent) {
    for (int32_t t = 0; t < mesh->tet_count; t++)
      use_row(mesh->tets + 4 * (size_t)t, 4, used, parent);
    for (int32_t b = 0; b < mesh->brick_count; b++)
      use_row(mesh->bricks + 8 * (size_t)b, 8, used, parent);
    for (int32_t t = 0; t < mesh->triangle_count; t++)
      use_row(mesh->triangles + 3 * (size_t)t, 3, used, parent);
    report_use(builder, used, parent);
  } else {
    builder->out_of_memory = true;
  }
  lb_free(used);
  lb_free(parent);
  report_duplicate_vertices(builder);
}

// ---- triangles ---------------------------------------------------------------------------------

static void report_triangles(lbReportBuilder *builder) {
  const lbMesh *mesh = builder->mesh;
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    const int32_t *v = mesh->triangles + 3 * (size_t)t;
    double longest = lb_longest_distance(mesh, v, 3);
    bool repeats = v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
    if (repeats || lb_triangle_area(mesh, v) <= LB_FLAT_LIMIT * longest * longest)
      lb_report_item(builder, LB_DEGENERATE_TRIANGLES, t);
  }
  lb_report_repeats(builder, LB_DUPLICATE_TRIANGLES, mesh->triangles, mesh->triangle_count, 3, 0);
}

static lbStatus report_outer_surface(lbReportBuilder *builder, lbError *err) {
  int32_t *triangles = NULL, count = 0;
  lbStatus status = lb_mesh_boundary(builder->mesh, &triangles, &count, err);
  if (!status) lb_report_surface(builder, triangles, count, false);
  lb_free(triangles);
  return status;
}

// ---- assembly ----------------------------------------------------------------------------------

static int compare_report_ids(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static int compare_report_edges(const void *a, const void *b) {
  int first = compare_report_ids(a, b);
  return first ? first : compare_report_ids((const int32_t *)a + 1, (const int32_t *)b + 1);
}

// Moves the lists that are not empty into the report, sorted.
static lbStatus sort_report_lists(lbReportBuilder *builder, lbError *err) {
  lbMeshReport *report = builder->report;
  report->problems = lb_alloc(LB_PROBLEM_KIND_COUNT, sizeof(lbMeshProblem));
  if (builder->out_of_memory || !report->problems) return lb_fail_memory(err);
  for (int kind = 0; kind < LB_PROBLEM_KIND_COUNT; kind++) {
    int32_t count = builder->lists[kind].count, *ids = builder->lists[kind].ids;
    if (count == 0) continue;
    bool edges = kinds[kind].item == LB_PROBLEM_EDGES;
    qsort(ids, (size_t)count, (edges ? 2 : 1) * sizeof(int32_t),
          edges ? compare_report_edges : compare_report_ids);
    report->problems[report->problem_count++] =
        (lbMeshProblem){ kinds[kind].name, kinds[kind].item, count, ids };
    report->problem_total += count;
    builder->lists[kind].ids = NULL;
  }
  return LB_OK;
}

lbStatus lb_mesh_report(const lbMesh *mesh, lbMeshReport **out, lbError *err) {
  lbReportBuilder builder = { .mesh = mesh, .report = lb_alloc(1, sizeof(lbMeshReport)) };
  lbStatus status = LB_OK;
  if (!builder.report) return lb_fail_memory(err);
  builder.report->vertex_count = mesh->vertex_count;
  builder.report->triangle_count = mesh->triangle_count;
  builder.report->tet_count = mesh->tet_count;
  builder.report->brick_count = mesh->brick_count;
  builder.report->group_count = mesh->group_count;
  report_vertices(&builder);
  report_triangles(&builder);
  if (lb_mesh_element_count(mesh) > 0) {
    lb_report_elements(&builder);
    status = report_outer_surface(&builder, err);
  } else {
    lb_report_surface(&builder, mesh->triangles, mesh->triangle_count, true);
    lb_report_intersections(&builder);
  }
  if (!status) status = sort_report_lists(&builder, err);
  for (int kind = 0; kind < LB_PROBLEM_KIND_COUNT; kind++) lb_free(builder.lists[kind].ids);
  if (status)
    lb_mesh_report_destroy(builder.report);
  else
    *out = builder.report;
  return status;
}

void lb_mesh_report_destroy(lbMeshReport *report) {
  if (!report) return;
  for (int32_t i = 0; i < report->problem_count; i++) lb_free(report->problems[i].ids);
  lb_free(report->problems);
  lb_free(report);
}

const lbMeshProblem *lb_mesh_report_find(const lbMeshReport *report, const char *kind) {
  for (int32_t i = 0; i < report->problem_count; i++)
    if (strcmp(report->problems[i].kind, kind) == 0) return &report->problems[i];
  return NULL;
}
