// Small surfaces for tests, written to a builder.
#ifndef LB_TESTS_MESH_TEST_SURFACES_H
#define LB_TESTS_MESH_TEST_SURFACES_H

#include "check.h"
#include "mesh/builder.h"

// A sphere of `rows` x 2 `rows` patches; turned: triangles seen from inside. The lowest `skipped`
// rows are left out: a hole round the south pole.
static inline void add_sphere(lbMeshBuilder *builder, double x, double y, double z, double radius,
                              int rows, bool turned, int skipped) {
  int columns = 2 * rows, first = builder->mesh->vertex_count;
  for (int r = 0; r <= rows; r++)
    for (int c = 0; c < columns; c++) {
      double up = LB_PI * r / rows, around = 2 * LB_PI * c / columns;
      double ring = r == 0 || r == rows ? 0 : radius * sin(up); // poles: one point, many vertices
      lb_mesh_add_vertex(builder, x + ring * cos(around), y + ring * sin(around),
                         z - radius * cos(up));
    }
  for (int r = skipped; r < rows; r++)
    for (int c = 0; c < columns; c++) {
      int next = (c + 1) % columns;
      int a = first + r * columns + c, b = first + r * columns + next;
      int d = a + columns, e = b + columns;
      int32_t low[3] = { a, b, e }, high[3] = { a, e, d };
      int32_t low_turned[3] = { a, e, b }, high_turned[3] = { a, d, e };
      if (r > 0) lb_mesh_add_triangle(builder, turned ? low_turned : low);
      if (r < rows - 1) lb_mesh_add_triangle(builder, turned ? high_turned : high);
    }
}

static inline void add_box(lbMeshBuilder *builder, const double low[3], const double high[3]) {
  static const int32_t sides[12][3] = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 },
                                        { 0, 1, 4 }, { 1, 5, 4 }, { 2, 6, 3 }, { 3, 6, 7 },
                                        { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };
  int32_t first = builder->mesh->vertex_count;
  for (int i = 0; i < 8; i++)
    lb_mesh_add_vertex(builder, i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1],
                       i & 4 ? high[2] : low[2]);
  for (int t = 0; t < 12; t++) {
    int32_t ids[3] = { first + sides[t][0], first + sides[t][1], first + sides[t][2] };
    lb_mesh_add_triangle(builder, ids);
  }
}

// A square sheet of n x n patches in the plane z = height(x, y), wave times its shape.
static inline void add_sheet(lbMeshBuilder *builder, int n, double wave) {
  int32_t first = builder->mesh->vertex_count;
  for (int j = 0; j <= n; j++)
    for (int i = 0; i <= n; i++)
      lb_mesh_add_vertex(builder, (double)i / n, (double)j / n,
                         wave * sin(3 * LB_PI * i / n) * sin(3 * LB_PI * j / n));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      int32_t a = first + j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
      lb_mesh_add_triangle(builder, (int32_t[3]){ a, b, d });
      lb_mesh_add_triangle(builder, (int32_t[3]){ a, d, c });
    }
}

static inline lbMesh *finish(lbMeshBuilder *builder) {
  lbMesh *mesh = NULL;
  lbError err;
  check_ok(lb_mesh_builder_finish(builder, "test surface", &mesh, &err), err);
  return mesh;
}

static inline lbMesh *sphere_surface(double radius, int rows) {
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  add_sphere(&builder, 0.1, -0.2, 0.3, radius, rows, false, 0);
  return finish(&builder);
}

static inline lbMesh *box_surface(double x, double y, double z) {
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  add_box(&builder, (double[3]){ 0, 0, 0 }, (double[3]){ x, y, z });
  return finish(&builder);
}

#endif
