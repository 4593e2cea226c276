// Emission of bricks, tets, quads and triangles into a mesh under construction.
#include "shapes/shapes.h"

#include "limber/math.h"
#include "mesh/faces.h"

// clang-format off
// The faces of a brick, counter-clockwise seen from outside, and the three that a corner is not on.
static const int8_t faces[6][4] = { { 0, 3, 2, 1 }, { 4, 5, 6, 7 }, { 0, 1, 5, 4 },
                                    { 1, 2, 6, 5 }, { 2, 3, 7, 6 }, { 3, 0, 4, 7 } };
static const int8_t opposite[8][3] = { { 1, 3, 4 }, { 1, 4, 5 }, { 1, 2, 5 }, { 1, 2, 3 },
                                       { 0, 3, 4 }, { 0, 4, 5 }, { 0, 2, 5 }, { 0, 2, 3 } };
// clang-format on

void lb_shape_add_cell(lbMeshBuilder *builder, lbElementKind element, const int32_t brick[8]) {
  if (element == LB_ELEMENT_BRICK8) {
    lb_mesh_add_brick(builder, brick);
    return;
  }
  int first = 0;
  for (int i = 1; i < 8; i++)
    if (brick[i] < brick[first]) first = i;
  for (int f = 0; f < 3; f++) {
    const int8_t *corners = faces[opposite[first][f]];
    int32_t quad[4], cut[6];
    for (int i = 0; i < 4; i++) quad[i] = brick[corners[i]];
    lb_cut_quad(quad, cut);
    for (int i = 0; i < 6; i += 3) // the apex sees the face from inside: det > 0
      lb_mesh_add_tet(builder, (int32_t[4]){ brick[first], cut[i], cut[i + 1], cut[i + 2] });
  }
}

void lb_shape_add_triangle(lbMeshBuilder *builder, lbShapeCorner a, lbShapeCorner b,
                           lbShapeCorner c) {
  lb_mesh_add_triangle(builder, (int32_t[3]){ a.vertex, b.vertex, c.vertex });
  lb_mesh_set_triangle_uvs(builder, (float[6]){ a.u, a.v, b.u, b.v, c.u, c.v });
}

void lb_shape_add_quad(lbMeshBuilder *builder, const lbShapeCorner quad[4]) {
  lb_shape_add_triangle(builder, quad[0], quad[1], quad[2]);
  lb_shape_add_triangle(builder, quad[0], quad[2], quad[3]);
}

// z (on level faces y) is up in the picture, v goes down.
lbShapeCorner lb_shape_flat_corner(const lbShapeDef *def, int32_t vertex, const double position[3],
                                   const double normal[3]) {
  const double *p = position, *n = normal, *size = def->size;
  double unit = fmax(size[0], fmax(size[1], size[2])), u, up;
  double sx = fabs(n[0]), sy = fabs(n[1]), sz = fabs(n[2]);
  if (sx >= sy && sx >= sz)
    u = n[0] > 0 ? p[1] : size[1] - p[1], up = p[2];
  else if (sy >= sz)
    u = n[1] > 0 ? size[0] - p[0] : p[0], up = p[2];
  else
    u = n[2] > 0 ? p[0] : size[0] - p[0], up = p[1];
  u = fmin(1, fmax(0, u / unit)), up = fmin(1, fmax(0, up / unit)); // rounding stays out
  return (lbShapeCorner){ vertex, (float)u, (float)(1 - up) };
}

void lb_shape_add_flat_quad(lbMeshBuilder *builder, const lbShapeDef *def, const int32_t quad[4]) {
  if (builder->out_of_memory) return;
  const double *x = builder->mesh->positions;
  lbVec3 p[4];
  for (int i = 0; i < 4; i++) p[i] = lb_vec3_load(x + 3 * (size_t)quad[i]);
  double normal[3];
  lb_vec3_store(normal, lb_cross(lb_sub(p[2], p[0]), lb_sub(p[3], p[1])));
  lbShapeCorner corners[4];
  for (int i = 0; i < 4; i++)
    corners[i] = lb_shape_flat_corner(def, quad[i], x + 3 * (size_t)quad[i], normal);
  lb_shape_add_quad(builder, corners);
}
