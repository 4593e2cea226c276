// Inverse maps of tets and bricks.
//
// Tet: barycentric weights, the solution of a 3 x 3 system.
// Brick: x(s) = Σ N_a(s) x_a, N_a = Π (s_i or 1 - s_i), s in [0, 1]³. An axis-aligned brick gives s
// directly, any other by Newton: s += J⁻¹ (p - x(s)), J = ∂x/∂s. Outside, the map is continued
// linearly from the nearest point s* of the brick:
//   w = N(s*) + ∂N/∂s J⁻¹ (p - x(s*)),
// which still sums to 1 and reproduces p (Σ ∂N = 0, Σ x ∂N/∂s = J), and does not grow like the
// cubic products of the trilinear map itself.
#include "mesh/element_map.h"

#include "geometry/triangle.h"

// Which end of each axis a node of a brick is on.
static const int8_t node_end[8][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 },
                                       { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 } };

static const int8_t tet_faces[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };
static const int8_t brick_faces[6][4] = { { 0, 3, 2, 1 }, { 4, 5, 6, 7 }, { 0, 1, 5, 4 },
                                          { 1, 2, 6, 5 }, { 2, 3, 7, 6 }, { 3, 0, 4, 7 } };

lbElementMap lb_element_map(const lbMesh *mesh, int32_t element) {
  bool is_tet = element < mesh->tet_count;
  lbElementMap map = { is_tet ? 4 : 8, { { 0, 0, 0 } } };
  const int32_t *ids = is_tet ? mesh->tets + 4 * (size_t)element
                              : mesh->bricks + 8 * (size_t)(element - mesh->tet_count);
  for (int32_t a = 0; a < map.node_count; a++)
    map.nodes[a] = lb_vec3_load(mesh->positions + 3 * (size_t)ids[a]);
  return map;
}

lbBox lb_element_map_box(const lbElementMap *map) {
  lbBox box = lb_box_empty();
  for (int32_t a = 0; a < map->node_count; a++) {
    double x[3];
    lb_vec3_store(x, map->nodes[a]);
    lb_box_add_point(&box, x);
  }
  return box;
}

// ---- linear systems of three -------------------------------------------------------------------

typedef struct Frame {
  lbVec3 axis[3]; // columns
} Frame;

static double frame_determinant(const Frame *f) {
  return lb_dot(f->axis[0], lb_cross(f->axis[1], f->axis[2]));
}

// s with Σ s_i axis_i = r, by Cramer's rule; false when the frame is flat.
static bool frame_solve(const Frame *f, lbVec3 r, double s[3]) {
  double determinant = frame_determinant(f);
  double size = lb_length(f->axis[0]) * lb_length(f->axis[1]) * lb_length(f->axis[2]);
  if (!(fabs(determinant) > 1e-14 * size)) return false;
  for (int i = 0; i < 3; i++)
    s[i] = lb_dot(r, lb_cross(f->axis[(i + 1) % 3], f->axis[(i + 2) % 3])) / determinant;
  return true;
}

static Frame tet_frame(const lbElementMap *map) {
  Frame f;
  for (int i = 0; i < 3; i++) f.axis[i] = lb_sub(map->nodes[i + 1], map->nodes[0]);
  return f;
}

static bool tet_weights(const lbElementMap *map, lbVec3 p, double weights[4]) {
  Frame f = tet_frame(map);
  if (!frame_solve(&f, lb_sub(p, map->nodes[0]), weights + 1)) return false;
  weights[0] = 1 - weights[1] - weights[2] - weights[3];
  return true;
}

// ---- bricks ------------------------------------------------------------------------------------

static void brick_shape(const double s[3], double weights[8], double slopes[8][3]) {
  for (int a = 0; a < 8; a++) {
    double factor[3], slope[3];
    for (int i = 0; i < 3; i++) {
      factor[i] = node_end[a][i] ? s[i] : 1 - s[i];
      slope[i] = node_end[a][i] ? 1 : -1;
    }
    weights[a] = factor[0] * factor[1] * factor[2];
    for (int i = 0; i < 3; i++) slopes[a][i] = slope[i] * factor[(i + 1) % 3] * factor[(i + 2) % 3];
  }
}

// p - x(s), relative to node 0 so that a brick far from the origin loses no digits; J.
static lbVec3 brick_residual(const lbElementMap *map, lbVec3 p, const double s[3],
                             Frame *jacobian) {
  double weights[8], slopes[8][3];
  brick_shape(s, weights, slopes);
  lbVec3 rest = lb_sub(p, map->nodes[0]);
  *jacobian = (Frame){ { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } } };
  for (int a = 1; a < 8; a++) {
    lbVec3 x = lb_sub(map->nodes[a], map->nodes[0]);
    rest = lb_add_scaled(rest, -weights[a], x);
    for (int i = 0; i < 3; i++)
      jacobian->axis[i] = lb_add_scaled(jacobian->axis[i], slopes[a][i], x);
  }
  return rest;
}

static bool brick_is_aligned(const lbElementMap *map) {
  const lbVec3 *low = &map->nodes[0], *high = &map->nodes[6];
  for (int a = 0; a < 8; a++) {
    lbVec3 x = map->nodes[a];
    if (x.x != (node_end[a][0] ? high->x : low->x)) return false;
    if (x.y != (node_end[a][1] ? high->y : low->y)) return false;
    if (x.z != (node_end[a][2] ? high->z : low->z)) return false;
  }
  return high->x != low->x && high->y != low->y && high->z != low->z;
}

static double clamp_coordinate(double value, double low, double high) {
  return value < low ? low : value > high ? high : value;
}

static bool brick_newton(const lbElementMap *map, lbVec3 p, double s[3]) {
  Frame jacobian;
  double size = lb_length(lb_sub(map->nodes[6], map->nodes[0]));
  for (int i = 0; i < 3; i++) s[i] = 0.5;
  for (int step = 0; step < 40; step++) {
    double change[3];
    lbVec3 rest = brick_residual(map, p, s, &jacobian);
    if (!frame_solve(&jacobian, rest, change)) return false;
    for (int i = 0; i < 3; i++) s[i] = clamp_coordinate(s[i] + change[i], -1, 2);
    if (lb_length(rest) <= 1e-13 * size) return true; // the step just taken squares the error
  }
  return false;
}

// Where in the brick p lies; false where the map has no inverse.
static bool brick_place(const lbElementMap *map, lbVec3 p, double s[3]) {
  if (!brick_is_aligned(map)) return brick_newton(map, p, s);
  lbVec3 side = lb_sub(map->nodes[6], map->nodes[0]), offset = lb_sub(p, map->nodes[0]);
  s[0] = offset.x / side.x, s[1] = offset.y / side.y, s[2] = offset.z / side.z;
  return true;
}

static bool in_unit_cube(const double s[3]) {
  return s[0] >= 0 && s[1] >= 0 && s[2] >= 0 && s[0] <= 1 && s[1] <= 1 && s[2] <= 1;
}

static bool brick_flat_at_centre(const lbElementMap *map) {
  double centre[3] = { 0.5, 0.5, 0.5 }, unused[3];
  Frame jacobian;
  lbVec3 rest = brick_residual(map, map->nodes[0], centre, &jacobian);
  return !frame_solve(&jacobian, rest, unused);
}

// ---- distance ----------------------------------------------------------------------------------

static double nearer_on_face(const lbElementMap *map, lbVec3 p, int a, int b, int c, double best,
                             lbVec3 *nearest) {
  double w[3];
  lbVec3 x = map->nodes[a], y = map->nodes[b], z = map->nodes[c];
  double distance2 = lb_triangle_closest_point(p, x, y, z, w);
  if (!(distance2 < best)) return best;
  *nearest = lb_add_scaled(lb_add_scaled(x, w[1], lb_sub(y, x)), w[2], lb_sub(z, x));
  return distance2;
}

// The nearest point of the element's faces, and its squared distance.
static double nearest_on_faces(const lbElementMap *map, lbVec3 p, lbVec3 *nearest) {
  double best = INFINITY;
  *nearest = map->nodes[0];
  if (map->node_count == 4) {
    for (int f = 0; f < 4; f++)
      best =
          nearer_on_face(map, p, tet_faces[f][0], tet_faces[f][1], tet_faces[f][2], best, nearest);
    return best;
  }
  for (int f = 0; f < 6; f++) {
    const int8_t *q = brick_faces[f];
    best = nearer_on_face(map, p, q[0], q[1], q[2], best, nearest);
    best = nearer_on_face(map, p, q[0], q[2], q[3], best, nearest);
  }
  return best;
}

double lb_element_map_distance2(const lbElementMap *map, lbVec3 point) {
  lbVec3 nearest;
  if (map->node_count == 4) {
    double w[4];
    if (tet_weights(map, point, w) && w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && w[3] >= 0) return 0;
  } else {
    double s[3];
    if (brick_place(map, point, s) && in_unit_cube(s)) return 0;
  }
  return nearest_on_faces(map, point, &nearest);
}

// ---- weights -----------------------------------------------------------------------------------

bool lb_element_map_is_flat(const lbElementMap *map) {
  double unused[4];
  if (map->node_count == 4) return !tet_weights(map, map->nodes[0], unused);
  return brick_flat_at_centre(map);
}

static void brick_weights_outside(const lbElementMap *map, lbVec3 p, double s[3], double *weights) {
  double slopes[8][3], step[3] = { 0 };
  Frame jacobian;
  for (int i = 0; i < 3; i++) s[i] = clamp_coordinate(s[i], 0, 1);
  lbVec3 rest = brick_residual(map, p, s, &jacobian);
  if (!frame_solve(&jacobian, rest, step)) { // a collapsed corner: continue from the centre
    for (int i = 0; i < 3; i++) s[i] = 0.5;
    rest = brick_residual(map, p, s, &jacobian);
    frame_solve(&jacobian, rest, step);
  }
  brick_shape(s, weights, slopes);
  for (int a = 0; a < 8; a++)
    for (int i = 0; i < 3; i++) weights[a] += slopes[a][i] * step[i];
}

void lb_element_map_weights(const lbElementMap *map, lbVec3 point, double *weights) {
  double s[3], slopes[8][3];
  if (map->node_count == 4) {
    if (!tet_weights(map, point, weights)) weights[0] = 1, weights[1] = weights[2] = weights[3] = 0;
    return;
  }
  if (brick_place(map, point, s) && in_unit_cube(s)) {
    brick_shape(s, weights, slopes);
    return;
  }
  lbVec3 nearest = point;
  if (!brick_is_aligned(map)) nearest_on_faces(map, point, &nearest);
  if (!brick_place(map, nearest, s)) s[0] = s[1] = s[2] = 0.5;
  brick_weights_outside(map, point, s, weights);
}
