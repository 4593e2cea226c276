// Sheets of triangles, for shells: flat ones in staggered rows or cut rectangles, and open pipes.
#include "shapes/shapes.h"

#include <math.h>

// A vertex at the fractions (s, t) of the sheet.
typedef void Place(const lbShapeDef *def, double s, double t, double position[3]);

static void place_flat(const lbShapeDef *def, double s, double t, double position[3]) {
  position[0] = s * def->size[0];
  position[1] = t * def->size[1];
  position[2] = 0;
}

static void place_round(const lbShapeDef *def, double s, double t, double position[3]) {
  position[0] = def->size[0] * (1 + cos(2 * LB_PI * s)) / 2;
  position[1] = def->size[1] * (1 + sin(2 * LB_PI * s)) / 2;
  position[2] = def->size[2] * t;
}

static int32_t add_sheet_vertex(lbMeshBuilder *builder, const lbShapeDef *def, Place *place,
                                double s, double t) {
  double x[3];
  place(def, s, t, x);
  return lb_mesh_add_vertex(builder, x[0], x[1], x[2]);
}

static void add_sheet_triangle(lbMeshBuilder *builder, int32_t a, int32_t b, int32_t c) {
  lb_mesh_add_triangle(builder, (const int32_t[]){ a, b, c });
}

// UVs of flat sheets: seen from above, one unit for the larger side.
static void add_sheet_flat_triangle(lbMeshBuilder *builder, const lbShapeDef *def, int32_t a,
                                    int32_t b, int32_t c) {
  const int32_t corners[3] = { a, b, c };
  double unit = fmax(def->size[0], def->size[1]);
  float uvs[6];
  lb_mesh_add_triangle(builder, corners);
  if (builder->out_of_memory) return;
  for (int i = 0; i < 3; i++) {
    const double *x = builder->mesh->positions + 3 * (size_t)corners[i];
    uvs[2 * i] = (float)(x[0] / unit);
    uvs[2 * i + 1] = (float)(1 - x[1] / unit);
  }
  lb_mesh_set_triangle_uvs(builder, uvs);
}

// Odd rows have half a step at both ends: one vertex more.
static int32_t add_sheet_row(lbMeshBuilder *builder, const lbShapeDef *def, int32_t row) {
  int32_t cells = def->cells[0], first = builder->mesh ? builder->mesh->vertex_count : 0;
  double t = (double)row / def->cells[1];
  for (int32_t i = 0; i <= cells + row % 2; i++) {
    double s = row % 2 ? fmin(fmax(i - 0.5, 0), cells) / cells : (double)i / cells;
    add_sheet_vertex(builder, def, place_flat, s, t);
  }
  return first;
}

void lb_sheet_mesh(lbMeshBuilder *builder, const lbShapeDef *def) {
  int32_t cells = def->cells[0], below = add_sheet_row(builder, def, 0);
  for (int32_t row = 1; row <= def->cells[1] && !builder->out_of_memory; row++) {
    int32_t above = add_sheet_row(builder, def, row);
    bool odd = row % 2; // above is the row with one more
    for (int32_t i = 0; i <= cells; i++) {
      if (odd)
        add_sheet_flat_triangle(builder, def, below + i, above + i + 1, above + i);
      else
        add_sheet_flat_triangle(builder, def, below + i, below + i + 1, above + i);
      if (i == cells) break;
      if (odd)
        add_sheet_flat_triangle(builder, def, below + i, below + i + 1, above + i + 1);
      else
        add_sheet_flat_triangle(builder, def, below + i + 1, above + i + 1, above + i);
    }
    below = above;
  }
}

void lb_grid_mesh(lbMeshBuilder *builder, const lbShapeDef *def) {
  int32_t nx = def->cells[0], ny = def->cells[1];
  for (int32_t j = 0; j <= ny; j++)
    for (int32_t i = 0; i <= nx; i++)
      add_sheet_vertex(builder, def, place_flat, (double)i / nx, (double)j / ny);
  for (int32_t j = 0; j < ny && !builder->out_of_memory; j++)
    for (int32_t i = 0; i < nx; i++) {
      int32_t v = i + (nx + 1) * j;
      add_sheet_flat_triangle(builder, def, v, v + 1, v + nx + 2);
      add_sheet_flat_triangle(builder, def, v, v + nx + 2, v + nx + 1);
    }
}

void lb_pipe_mesh(lbMeshBuilder *builder, const lbShapeDef *def) {
  int32_t around = def->cells[0], rows = def->cells[2];
  for (int32_t j = 0; j <= rows; j++)
    for (int32_t i = 0; i < around; i++)
      add_sheet_vertex(builder, def, place_round, (i + 0.5 * (j % 2)) / around, (double)j / rows);
  for (int32_t j = 0; j < rows; j++)
    for (int32_t i = 0; i < around; i++) {
      int32_t below = around * j, above = below + around, next = (i + 1) % around;
      if (j % 2) { // the row below is ahead by half a step
        add_sheet_triangle(builder, below + i, below + next, above + next);
        add_sheet_triangle(builder, below + i, above + next, above + i);
      } else {
        add_sheet_triangle(builder, below + i, below + next, above + i);
        add_sheet_triangle(builder, below + next, above + next, above + i);
      }
    }
}
