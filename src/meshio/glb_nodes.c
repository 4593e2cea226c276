// The nodes of a glTF file: the tree of parents and children, and their matrices.
#include "meshio/glb.h"

#include <string.h>

static lbStatus find_parents(const lbGlbFile *glb, int32_t count, int32_t *parents, lbError *err) {
  for (int32_t i = 0; i < count; i++) parents[i] = -1;
  for (int32_t i = 0; i < count; i++) {
    const json_t *children = json_object_get(lb_glb_item(glb, "nodes", i), "children");
    for (size_t k = 0; k < json_array_size(children); k++) {
      const json_t *item = json_array_get(children, k);
      int64_t child = json_is_integer(item) ? json_integer_value(item) : -1;
      if (child < 0 || child >= count)
        return lb_glb_fail(glb, err, "nodes[%d] has the child %lld, there are %d nodes", (int)i,
                           (long long)child, (int)count);
      if (parents[child] >= 0)
        return lb_glb_fail(glb, err, "nodes[%lld] has two parents", (long long)child);
      parents[child] = i;
    }
  }
  return LB_OK;
}

// Follows every node upwards until one that is known to end; steps counts those of this walk.
static lbStatus refuse_cycles(const lbGlbFile *glb, int32_t count, const int32_t *parents,
                              lbError *err) {
  int32_t *walk = lb_alloc((size_t)count, sizeof *walk); // first node of the walk that came by, + 1
  lbStatus status = walk ? LB_OK : lb_fail_memory(err);
  for (int32_t first = 0; first < count && !status; first++)
    for (int32_t i = first; i >= 0 && !status; i = parents[i]) {
      if (walk[i] == first + 1)
        status = lb_glb_fail(glb, err, "nodes[%d] is its own ancestor", (int)i);
      else if (walk[i])
        break;
      walk[i] = first + 1;
    }
  lb_free(walk);
  return status;
}

lbStatus lb_glb_parents(const lbGlbFile *glb, int32_t **out, lbError *err) {
  int32_t count = lb_glb_count(glb, "nodes");
  int32_t *parents = lb_alloc((size_t)count, sizeof *parents);
  if (!parents) return lb_fail_memory(err);
  lbStatus status = find_parents(glb, count, parents, err);
  if (!status) status = refuse_cycles(glb, count, parents, err);
  if (status)
    lb_free(parents);
  else
    *out = parents;
  return status;
}

void lb_glb_multiply(const double *a, const double *b, double *product) {
  for (int c = 0; c < 4; c++)
    for (int r = 0; r < 4; r++) {
      double sum = 0;
      for (int k = 0; k < 4; k++) sum += a[4 * k + r] * b[4 * c + k];
      product[4 * c + r] = sum;
    }
}

void lb_glb_local_matrix(const json_t *node, double *m) {
  double t[3] = { 0, 0, 0 }, q[4] = { 0, 0, 0, 1 }, s[3] = { 1, 1, 1 };
  if (lb_json_numbers(node, "matrix", m, 16)) return;
  lb_json_numbers(node, "translation", t, 3);
  lb_json_numbers(node, "rotation", q, 4);
  lb_json_numbers(node, "scale", s, 3);
  double x = q[0], y = q[1], z = q[2], w = q[3];
  // clang-format off
  double rotation[9] = { // columns
    1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
    2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
    2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y) };
  // clang-format on
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++) m[4 * c + r] = s[c] * rotation[3 * c + r];
    m[4 * c + 3] = 0;
    m[12 + c] = t[c];
  }
  m[15] = 1;
}

void lb_glb_world_matrix(const lbGlbFile *glb, const int32_t *parents, int32_t node, double *m) {
  double above[16], product[16];
  lb_glb_local_matrix(lb_glb_item(glb, "nodes", node), m);
  for (int32_t i = parents[node]; i >= 0; i = parents[i]) {
    lb_glb_local_matrix(lb_glb_item(glb, "nodes", i), above);
    lb_glb_multiply(above, m, product);
    memcpy(m, product, sizeof product);
  }
}
