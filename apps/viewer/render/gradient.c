// At a node of a tet the three edges that leave it, d_k, give the element's gradient; at the corner
// of a brick the derivatives of the trilinear map are the differences along its three edges. So one
// formula serves both: with D = (d_1 d_2 d_3) and the differences of u along them as columns of E,
//
//   grad u = E D^-1 = sum_k (u_k - u_n) (row k of D^-1).
//
// In the triangle of a shell the third direction is the normal; the derivative along it is taken as
// zero.
#include "render/gradient.h"

#include "limber/math.h"

#include <string.h>

typedef struct Incidence { // the corners of elements that lie at each wanted node
  int32_t *begin;          // (nodes + 1)
  int64_t *corners;        // 4 tet + corner, or 4 tets + 8 brick + corner; then 3 a triangle
} Incidence;

static int64_t corner_count(const lbModel *model) {
  int64_t solids = 4 * (int64_t)model->size.tet_count + 8 * (int64_t)model->size.brick_count;
  return solids ? solids : 3 * (int64_t)model->size.shell_count;
}

static int32_t corner_node(const lbModel *model, int64_t corner) {
  int64_t tet_corners = 4 * (int64_t)model->size.tet_count;
  int64_t brick_corners = 8 * (int64_t)model->size.brick_count;
  if (corner < tet_corners) return model->tets[corner];
  corner -= tet_corners;
  return corner < brick_corners ? model->bricks[corner] : model->shells[corner - brick_corners];
}

static bool list_gradient_corners(const lbModel *model, const uint8_t *wanted, lbArena *arena,
                                  Incidence *out) {
  int32_t node_count = model->size.node_count;
  int64_t corners = corner_count(model), total = 0;
  out->begin = lb_arena_alloc(arena, (size_t)node_count + 1, sizeof *out->begin);
  if (!out->begin) return false;
  for (int64_t c = 0; c < corners; c++) {
    int32_t node = corner_node(model, c);
    if (wanted[node]) out->begin[node + 1]++, total++;
  }
  if (total > INT32_MAX) return false;
  for (int32_t n = 0; n < node_count; n++) out->begin[n + 1] += out->begin[n];
  out->corners = lb_arena_alloc(arena, (size_t)total, sizeof *out->corners);
  if (!out->corners) return false;
  for (int64_t c = corners - 1; c >= 0; c--) { // backwards: begin[n + 1] counts down to begin[n]
    int32_t node = corner_node(model, c);
    if (wanted[node]) out->corners[--out->begin[node + 1]] = c;
  }
  // begin[n + 1] is now where n begins.
  memmove(out->begin, out->begin + 1, (size_t)node_count * sizeof *out->begin);
  out->begin[node_count] = (int32_t)total;
  return true;
}

static lbVec3 position(const lbModel *model, int32_t node) {
  return lb_vec3_load(model->node_positions + 3 * (size_t)node);
}

// D of a corner whose edges lead to three nodes; false when it is flat.
static bool edges_inverse(const lbModel *model, int32_t node, const int32_t to[3], lbMat3 *inverse,
                          double *determinant) {
  lbVec3 x = position(model, node), d[3];
  for (int k = 0; k < 3; k++) d[k] = lb_sub(position(model, to[k]), x);
  lbMat3 edges = lb_mat3_from_columns(d[0], d[1], d[2]);
  *determinant = lb_mat3_determinant(edges);
  double size = lb_length(d[0]) * lb_length(d[1]) * lb_length(d[2]);
  if (!(fabs(*determinant) > 1e-12 * size)) return false;
  *inverse = lb_mat3_inverse(edges);
  return true;
}

static void brick_edges(const int32_t *brick, int corner, int32_t to[3]) {
  int layer = corner & 4, turn = corner & 3;
  to[0] = brick[layer + ((turn + 1) & 3)];
  to[1] = brick[layer + ((turn + 3) & 3)];
  to[2] = brick[corner ^ 4];
}

static double brick_volume(const lbModel *model, const int32_t *brick) {
  double sum = 0;
  for (int c = 0; c < 8; c++) {
    int32_t to[3];
    brick_edges(brick, c, to);
    lbVec3 x = position(model, brick[c]);
    sum += fabs(
        lb_dot(lb_sub(position(model, to[0]), x),
               lb_cross(lb_sub(position(model, to[1]), x), lb_sub(position(model, to[2]), x))));
  }
  return sum / 8;
}

// The third "neighbour" is the corner itself: no difference along the normal.
static bool triangle_map(const lbModel *model, int64_t corner, int32_t to[3], lbMat3 *inverse,
                         double *area) {
  const int32_t *triangle = model->shells + corner / 3 * 3;
  int own = (int)(corner % 3);
  lbVec3 x = position(model, triangle[own]), d[2];
  for (int k = 0; k < 2; k++) {
    to[k] = triangle[(own + k + 1) % 3];
    d[k] = lb_sub(position(model, to[k]), x);
  }
  to[2] = triangle[own];
  lbVec3 normal = lb_cross(d[0], d[1]);
  *area = lb_length(normal) / 2;
  if (!(*area > 1e-12 * lb_length(d[0]) * lb_length(d[1]))) return false;
  *inverse = lb_mat3_inverse(lb_mat3_from_columns(d[0], d[1], lb_normalise(normal)));
  return true;
}

// The three neighbours of a corner, D^-1 there and the element's volume; false: a flat one.
static bool corner_map(const lbModel *model, int64_t corner, int32_t to[3], lbMat3 *inverse,
                       double *volume) {
  int64_t tet_corners = 4 * (int64_t)model->size.tet_count;
  double determinant;
  if (corner < tet_corners) {
    const int32_t *tet = model->tets + (corner & ~INT64_C(3));
    int own = (int)(corner & 3);
    for (int k = 0; k < 3; k++) to[k] = tet[(own + k + 1) & 3];
    if (!edges_inverse(model, tet[own], to, inverse, &determinant)) return false;
    *volume = fabs(determinant) / 6;
    return true;
  }
  corner -= tet_corners;
  int64_t brick_corners = 8 * (int64_t)model->size.brick_count;
  if (corner >= brick_corners)
    return triangle_map(model, corner - brick_corners, to, inverse, volume);
  const int32_t *brick = model->bricks + (corner & ~INT64_C(7));
  int own = (int)(corner & 7);
  brick_edges(brick, own, to);
  if (!edges_inverse(model, brick[own], to, inverse, &determinant)) return false;
  *volume = brick_volume(model, brick);
  return *volume > 0;
}

typedef struct Rows { // those that are done, and the one in work
  vwGradient *out;
  size_t neighbour_capacity, weight_capacity;
  int32_t *slots; // (nodes): 1 + place in the row in work, 0: not in it
} Rows;

static bool add_gradient_entry(Rows *rows, int32_t begin, int32_t *end, int32_t node,
                               lbVec3 weight) {
  vwGradient *out = rows->out;
  if (!rows->slots[node]) {
    size_t needed = (size_t)*end + 1;
    if (needed > INT32_MAX ||
        !lb_grow((void **)&out->neighbours, &rows->neighbour_capacity, needed,
                 sizeof *out->neighbours) ||
        !lb_grow((void **)&out->weights, &rows->weight_capacity, 3 * needed, sizeof *out->weights))
      return false;
    out->neighbours[*end] = node;
    memset(out->weights + 3 * (size_t)*end, 0, 3 * sizeof *out->weights);
    rows->slots[node] = ++*end - begin;
  }
  double *w = out->weights + 3 * (size_t)(begin + rows->slots[node] - 1);
  w[0] += weight.x, w[1] += weight.y, w[2] += weight.z;
  return true;
}

static bool add_gradient_row(const lbModel *model, const Incidence *incidence, int32_t node,
                             Rows *rows) {
  vwGradient *out = rows->out;
  int32_t begin = out->begin[out->row_count], end = begin;
  double whole = 0;
  bool done = true;
  for (int32_t i = incidence->begin[node]; done && i < incidence->begin[node + 1]; i++) {
    int32_t to[3];
    lbMat3 inverse;
    double volume;
    if (!corner_map(model, incidence->corners[i], to, &inverse, &volume)) continue;
    whole += volume;
    for (int k = 0; done && k < 3; k++)
      done =
          add_gradient_entry(rows, begin, &end, to[k], lb_scale(volume, lb_mat3_row(inverse, k)));
  }
  for (int32_t k = begin; k < end; k++) {
    rows->slots[out->neighbours[k]] = 0;
    for (int c = 0; c < 3; c++) out->weights[3 * (size_t)k + (size_t)c] /= whole;
  }
  out->nodes[out->row_count++] = node;
  out->begin[out->row_count] = end;
  return done;
}

lbStatus vw_gradient_create(const lbModel *model, const uint8_t *wanted, vwGradient *out,
                            lbError *err) {
  int32_t node_count = model->size.node_count, rows = 0;
  lbArena arena = { 0 };
  vwGradient made = { 0 };
  Incidence incidence;
  Rows state = { .out = &made };
  lbStatus status = LB_OK;
  for (int32_t n = 0; n < node_count; n++) rows += wanted[n] != 0;
  made.nodes = lb_alloc((size_t)rows, sizeof *made.nodes);
  made.begin = lb_alloc((size_t)rows + 1, sizeof *made.begin);
  state.slots = lb_arena_alloc(&arena, (size_t)node_count, sizeof *state.slots);
  bool done = made.nodes && made.begin && state.slots &&
              list_gradient_corners(model, wanted, &arena, &incidence);
  for (int32_t n = 0; done && n < node_count; n++)
    if (wanted[n]) done = add_gradient_row(model, &incidence, n, &state);
  if (done) {
    *out = made;
  } else {
    vw_gradient_free(&made);
    status = lb_fail_memory(err);
  }
  lb_arena_release(&arena);
  return status;
}

void vw_gradient_free(vwGradient *gradient) {
  lb_free(gradient->nodes);
  lb_free(gradient->begin);
  lb_free(gradient->neighbours);
  lb_free(gradient->weights);
  *gradient = (vwGradient){ 0 };
}

void vw_gradient_apply(const vwGradient *gradient, const double *field, double *gradients) {
  for (int32_t row = 0; row < gradient->row_count; row++) {
    const double *own = field + 3 * (size_t)gradient->nodes[row];
    double sum[9] = { 0 };
    for (int32_t k = gradient->begin[row]; k < gradient->begin[row + 1]; k++) {
      const double *u = field + 3 * (size_t)gradient->neighbours[k];
      const double *w = gradient->weights + 3 * (size_t)k;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum[3 * i + j] += (u[i] - own[i]) * w[j];
    }
    memcpy(gradients + 9 * (size_t)row, sum, sizeof sum);
  }
}
