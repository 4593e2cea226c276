// Budgets of bytes: how much memory a reader may fill from a file of a given size. Compressed
// blocks, instances and lists of groups let a few bytes stand for gigabytes; a file that asks for
// more than its budget is refused. The floor keeps small files out of trouble, the factors leave
// room for all that programs really write, so a true file of any size fits.
#ifndef LB_ARRAYIO_BUDGET_H
#define LB_ARRAYIO_BUDGET_H

#include "limber/base.h"

#define LB_BUDGET_FLOOR ((size_t)64 << 20)

enum {
  LB_BUDGET_INFLATE = 200, // deflated data: meshes reach 5 to 30, zeros 1000
  LB_BUDGET_EXPAND = 256,  // triangles of instances, groups of faces
};

static inline size_t lb_budget(size_t file_bytes, size_t factor) {
  size_t most = (SIZE_MAX / 4 - LB_BUDGET_FLOOR) / factor;
  return LB_BUDGET_FLOOR + factor * (file_bytes < most ? file_bytes : most);
}

#endif
