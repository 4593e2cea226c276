// The memory of a body of finite elements, estimated from counts.
#include "fem/fem.h"

#include "linalg/room.h"

#include <stdio.h>

static const double TET_BYTES = 350, BRICK_BYTES = 1500; // rest data, plan

double lb_fem_element_bytes(int32_t tet_count, int32_t brick_count) {
  return TET_BYTES * tet_count + BRICK_BYTES * brick_count;
}

double lb_fem_neighbours(int32_t tet_count, int32_t brick_count) {
  double tets = tet_count, bricks = 5.0 * brick_count; // of five tets each, by its nodes
  return tets + bricks > 0 ? (15 * tets + 27 * bricks) / (tets + bricks) : 0;
}

lbStatus lb_fem_check_room(const lbMesh *mesh, const char *name, lbError *err) {
  char what[200];
  double rows = 3.0 * mesh->vertex_count;
  double entries = rows * 3 * (lb_fem_neighbours(mesh->tet_count, mesh->brick_count) + 1) / 2;
  double matrices = 2 * entries * (sizeof(double) + sizeof(int32_t)); // K and M, half of each
  snprintf(what, sizeof what, "%.150s: %.0f rows", name, rows);
  return lb_room_check(what, lb_fem_element_bytes(mesh->tet_count, mesh->brick_count) + matrices,
                       err);
}
