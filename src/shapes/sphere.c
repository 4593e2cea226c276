// The sphere (ellipsoid). Volume: a rounded core of cells within shells of cells, one from each
// outer face of the core to the surface. Surface: meridians and parallels.
#include "shapes/shapes.h"

#include <math.h>

typedef struct Ball {
  lbMeshBuilder *builder;
  const lbShapeDef *def;
  int32_t core[3], shells;
  int32_t core_points, outer_points; // of the core: all, those on its faces
  int32_t *outer;                    // (core_points), number among the outer ones or -1
} Ball;

static int32_t core_id(const Ball *ball, const int32_t at[3]) {
  return at[0] + (ball->core[0] + 1) * (at[1] + (ball->core[1] + 1) * at[2]);
}

static void add_sphere_scaled(const Ball *ball, const double p[3]) {
  const double *size = ball->def->size;
  lb_mesh_add_vertex(ball->builder, size[0] / 2 * (1 + p[0]), size[1] / 2 * (1 + p[1]),
                     size[2] / 2 * (1 + p[2]));
}

// Position, in the unit ball, of core point `at` carried out to shell `shell` (0: the core).
static void ball_point(const Ball *ball, const int32_t at[3], int32_t shell, double point[3]) {
  double u[3], direction[3], length = 0, inner[3];
  double f = (double)shell / ball->shells;
  for (int a = 0; a < 3; a++) {
    u[a] = 2.0 * at[a] / ball->core[a] - 1;
    direction[a] = tan(LB_PI / 4 * u[a]); // even angles along each face
    length += direction[a] * direction[a];
  }
  lb_shape_core_point(u, lb_shape_core_half(ball->core, 3, ball->shells), 3, inner);
  for (int a = 0; a < 3; a++)
    point[a] = shell ? (1 - f) * inner[a] + f * direction[a] / sqrt(length) : inner[a];
}

static bool is_outer(const Ball *ball, const int32_t at[3]) {
  for (int a = 0; a < 3; a++)
    if (at[a] == 0 || at[a] == ball->core[a]) return true;
  return false;
}

static void add_ball_vertices(Ball *ball) {
  for (int32_t shell = 0; shell <= ball->shells; shell++)
    for (int32_t id = 0; id < ball->core_points; id++) {
      int32_t w = ball->core[0] + 1, h = ball->core[1] + 1;
      int32_t at[3] = { id % w, id / w % h, id / w / h };
      bool outer = is_outer(ball, at);
      if (shell == 0) ball->outer[id] = outer ? ball->outer_points++ : -1;
      if (shell && !outer) continue;
      double p[3];
      ball_point(ball, at, shell, p);
      add_sphere_scaled(ball, p);
    }
}

static int32_t shell_id(const Ball *ball, int32_t core_point, int32_t shell) {
  if (shell == 0) return core_point;
  return ball->core_points + ball->outer_points * (shell - 1) + ball->outer[core_point];
}

// clang-format off
static const int8_t corners[8][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 },
                                      { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 } };
// Faces counter-clockwise from outside, and the axis and end (0 or 1) where each lies.
static const struct { int8_t vertices[4], axis, end; } faces[6] = {
  { { 0, 3, 2, 1 }, 2, 0 }, { { 4, 5, 6, 7 }, 2, 1 }, { { 0, 1, 5, 4 }, 1, 0 },
  { { 1, 2, 6, 5 }, 0, 1 }, { { 2, 3, 7, 6 }, 1, 1 }, { { 3, 0, 4, 7 }, 0, 0 } };
// clang-format on

// The cell of the core at (i, j, k) and, where it is an outermost one, the shells above its faces.
static void add_ball_cell(const Ball *ball, const int32_t at[3]) {
  int32_t brick[8];
  for (int i = 0; i < 8; i++)
    brick[i] = core_id(
        ball, (int32_t[3]){ at[0] + corners[i][0], at[1] + corners[i][1], at[2] + corners[i][2] });
  lb_shape_add_cell(ball->builder, ball->def->element, brick);
  for (int f = 0; f < 6; f++) {
    int axis = faces[f].axis;
    if (at[axis] != (faces[f].end ? ball->core[axis] - 1 : 0)) continue;
    for (int32_t shell = 0; shell < ball->shells; shell++) {
      int32_t cell[8];
      for (int i = 0; i < 4; i++) {
        cell[i] = shell_id(ball, brick[faces[f].vertices[i]], shell);
        cell[i + 4] = shell_id(ball, brick[faces[f].vertices[i]], shell + 1);
      }
      lb_shape_add_cell(ball->builder, ball->def->element, cell);
    }
  }
}

void lb_sphere_volume(lbMeshBuilder *builder, const lbShapeDef *def) {
  Ball ball = { .builder = builder, .def = def };
  int32_t least = def->cells[0];
  for (int a = 1; a < 3; a++) least = def->cells[a] < least ? def->cells[a] : least;
  ball.shells = lb_shape_ring_count(least);
  ball.core_points = 1;
  for (int a = 0; a < 3; a++) {
    ball.core[a] = def->cells[a] - 2 * ball.shells;
    ball.core_points *= ball.core[a] + 1;
  }
  ball.outer = lb_alloc((size_t)ball.core_points, sizeof(int32_t));
  if (!ball.outer) {
    builder->out_of_memory = true;
    return;
  }
  add_ball_vertices(&ball);
  for (int32_t k = 0; k < ball.core[2]; k++)
    for (int32_t j = 0; j < ball.core[1]; j++)
      for (int32_t i = 0; i < ball.core[0]; i++) add_ball_cell(&ball, (int32_t[3]){ i, j, k });
  lb_free(ball.outer);
}

// ---- surface -----------------------------------------------------------------------------------

// Vertex 0 is the south pole, the last one the north pole; parallels of `around` between them.
void lb_sphere_surface(lbMeshBuilder *builder, const lbShapeDef *def) {
  int32_t around = (def->segments + 3) / 4 * 4, rows = around / 2;
  int32_t north = 1 + (rows - 1) * around;
  const Ball ball = { .builder = builder, .def = def };
  add_sphere_scaled(&ball, (double[3]){ 0, 0, -1 });
  for (int32_t row = 1; row < rows; row++)
    for (int32_t k = 0; k < around; k++) {
      double latitude = LB_PI * row / rows - LB_PI / 2, longitude = 2 * LB_PI * k / around;
      add_sphere_scaled(&ball, (double[3]){ cos(latitude) * cos(longitude),
                                            cos(latitude) * sin(longitude), sin(latitude) });
    }
  add_sphere_scaled(&ball, (double[3]){ 0, 0, 1 });
  for (int32_t row = 0; row < rows; row++)
    for (int32_t k = 0; k < around; k++) {
      int32_t low = 1 + (row - 1) * around, high = low + around, next = (k + 1) % around;
      float u0 = (float)k / (float)around, u1 = (float)(k + 1) / (float)around;
      float v0 = 1 - (float)row / (float)rows, v1 = 1 - (float)(row + 1) / (float)rows;
      lbShapeCorner quad[4] = {
        { low + k, u0, v0 }, { low + next, u1, v0 }, { high + next, u1, v1 }, { high + k, u0, v1 }
      };
      lbShapeCorner pole = { row ? north : 0, (u0 + u1) / 2, row ? v1 : v0 };
      if (row == 0)
        lb_shape_add_triangle(builder, pole, quad[2], quad[3]);
      else if (row == rows - 1)
        lb_shape_add_triangle(builder, quad[0], quad[1], pole);
      else
        lb_shape_add_quad(builder, quad);
    }
}
