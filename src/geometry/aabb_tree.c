// Build and refit of the box tree, and its queries on items.
//
// Build: top-down; each range of items is cut where the surface area heuristic
//   cost = area(left) count(left) + area(right) count(right)
// over 16 slabs of the longest side of the items' centres is least. Below SAH_DEPTH levels, or when
// the centres coincide, the range is halved instead, so no path is longer than
// SAH_DEPTH + log2(items) < STACK_SIZE.
#include "geometry/aabb_tree.h"

enum { SLAB_COUNT = 16, SAH_DEPTH = 30, STACK_SIZE = 64 };

typedef struct Range {
  int32_t begin, end, depth;
  int32_t parent; // inner node whose right child this range becomes, -1: none
} Range;

typedef struct Build {
  const lbBox *boxes;
  lbAabbTree *tree;
} Build;

static double centre_along(const lbBox *box, int axis) {
  double middle = 0.5 * box->low[axis] + 0.5 * box->high[axis];
  return isfinite(middle) ? middle : 0; // empty boxes go anywhere
}

static double half_area(const lbBox *box) {
  if (lb_box_is_empty(box)) return 0;
  double side[3];
  for (int i = 0; i < 3; i++) side[i] = box->high[i] - box->low[i];
  return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

static lbBox items_box(const Build *build, int32_t begin, int32_t end) {
  lbBox box = lb_box_empty();
  for (int32_t i = begin; i < end; i++) lb_box_add_box(&box, &build->boxes[build->tree->items[i]]);
  return box;
}

// The longest axis of the items' centres, and their extent on it.
static int widest_axis(const Build *build, Range range, double *low, double *high) {
  lbBox centres = lb_box_empty();
  for (int32_t i = range.begin; i < range.end; i++) {
    const lbBox *box = &build->boxes[build->tree->items[i]];
    double centre[3] = { centre_along(box, 0), centre_along(box, 1), centre_along(box, 2) };
    lb_box_add_point(&centres, centre);
  }
  int widest = 0;
  for (int i = 1; i < 3; i++)
    if (centres.high[i] - centres.low[i] > centres.high[widest] - centres.low[widest]) widest = i;
  *low = centres.low[widest];
  *high = centres.high[widest];
  return widest;
}

static int slab_of(const lbBox *box, int axis, double low, double high) {
  int slab = (int)((double)SLAB_COUNT * ((centre_along(box, axis) - low) / (high - low)));
  return slab < 0 ? 0 : slab >= SLAB_COUNT ? SLAB_COUNT - 1 : slab;
}

// The last slab of the left side at the cheapest cut.
static int cheapest_cut(const Build *build, Range range, int axis, double low, double high) {
  lbBox box[SLAB_COUNT];
  int32_t count[SLAB_COUNT] = { 0 };
  double right_cost[SLAB_COUNT];
  for (int s = 0; s < SLAB_COUNT; s++) box[s] = lb_box_empty();
  for (int32_t i = range.begin; i < range.end; i++) {
    const lbBox *own = &build->boxes[build->tree->items[i]];
    int s = slab_of(own, axis, low, high);
    lb_box_add_box(&box[s], own);
    count[s]++;
  }
  lbBox sum = lb_box_empty();
  int32_t items = 0;
  for (int s = SLAB_COUNT - 1; s > 0; s--) {
    lb_box_add_box(&sum, &box[s]);
    items += count[s];
    right_cost[s - 1] = half_area(&sum) * items;
  }
  sum = lb_box_empty();
  items = 0;
  int best = 0;
  double best_cost = INFINITY;
  for (int s = 0; s < SLAB_COUNT - 1; s++) {
    lb_box_add_box(&sum, &box[s]);
    items += count[s];
    double cost = half_area(&sum) * items + right_cost[s];
    if (cost < best_cost) best_cost = cost, best = s;
  }
  return best;
}

// Reorders the range and returns where its right part begins; both parts have items.
static int32_t split_items(Build *build, Range range) {
  int32_t *items = build->tree->items;
  int32_t half = range.begin + (range.end - range.begin) / 2;
  double low, high;
  int axis = widest_axis(build, range, &low, &high);
  if (range.depth >= SAH_DEPTH || !(high > low) || !isfinite(high - low)) return half;
  int cut = cheapest_cut(build, range, axis, low, high);
  int32_t left = range.begin, right = range.end;
  while (left < right) {
    if (slab_of(&build->boxes[items[left]], axis, low, high) <= cut) {
      left++;
    } else {
      int32_t kept = items[--right];
      items[right] = items[left];
      items[left] = kept;
    }
  }
  return left == range.begin || left == range.end ? half : left;
}

static void build_nodes(Build *build) {
  lbAabbTree *tree = build->tree;
  Range stack[STACK_SIZE] = { { 0, tree->item_count, 0, -1 } };
  int stacked = tree->item_count > 0 ? 1 : 0;
  while (stacked > 0) {
    Range range = stack[--stacked];
    int32_t id = tree->node_count++;
    lbAabbNode *node = &tree->nodes[id];
    if (range.parent >= 0) tree->nodes[range.parent].first = id;
    node->box = items_box(build, range.begin, range.end);
    if (range.end - range.begin <= LB_AABB_LEAF_ITEMS) {
      node->first = range.begin;
      node->count = range.end - range.begin;
      continue;
    }
    int32_t middle = split_items(build, range);
    LB_ASSERT(stacked + 2 <= STACK_SIZE);
    stack[stacked++] = (Range){ middle, range.end, range.depth + 1, id };
    stack[stacked++] = (Range){ range.begin, middle, range.depth + 1, -1 };
  }
}

lbStatus lb_aabb_tree_build(const lbBox *boxes, int32_t item_count, lbAabbTree **out,
                            lbError *err) {
  size_t items = item_count > 0 ? (size_t)item_count : 0;
  lbAabbTree *tree = lb_alloc(1, sizeof *tree);
  if (!tree) return lb_fail_memory(err);
  tree->items = lb_alloc(items, sizeof *tree->items);
  // Every leaf has an item, and inner nodes are one fewer than leaves.
  tree->nodes = lb_alloc(2 * items + 1, sizeof *tree->nodes);
  if (!tree->items || !tree->nodes || item_count > INT32_MAX / 2 - 1) {
    lb_aabb_tree_destroy(tree);
    return lb_fail_memory(err);
  }
  tree->item_count = (int32_t)items;
  for (int32_t i = 0; i < tree->item_count; i++) tree->items[i] = i;
  build_nodes(&(Build){ boxes, tree });
  *out = tree;
  return LB_OK;
}

lbStatus lb_aabb_tree_build_triangles(const lbTriangles *surface, lbAabbTree **out, lbError *err) {
  lbBox *boxes = lb_alloc((size_t)surface->count, sizeof *boxes);
  if (!boxes) return lb_fail_memory(err);
  for (int32_t i = 0; i < surface->count; i++) boxes[i] = lb_triangle_box(surface, i);
  lbStatus status = lb_aabb_tree_build(boxes, surface->count, out, err);
  lb_free(boxes);
  return status;
}

lbAabbTree *lb_aabb_tree_copy(const lbAabbTree *tree) {
  lbAabbTree *copy = lb_duplicate(tree, 1, sizeof *tree);
  if (!copy) return NULL;
  copy->nodes = lb_duplicate(tree->nodes, (size_t)tree->node_count, sizeof *tree->nodes);
  copy->items = lb_duplicate(tree->items, (size_t)tree->item_count, sizeof *tree->items);
  if (copy->nodes && copy->items) return copy;
  lb_aabb_tree_destroy(copy);
  return NULL;
}

void lb_aabb_tree_destroy(lbAabbTree *tree) {
  if (!tree) return;
  lb_free(tree->nodes);
  lb_free(tree->items);
  lb_free(tree);
}

// ---- refit -------------------------------------------------------------------------------------

// Children come after their parent, so one pass from the back sees both children first.
static void refit_inner(lbAabbTree *tree, int32_t id) {
  lbAabbNode *node = &tree->nodes[id];
  node->box = tree->nodes[id + 1].box;
  lb_box_add_box(&node->box, &tree->nodes[node->first].box);
}

void lb_aabb_tree_refit_triangles(lbAabbTree *tree, const lbTriangles *surface, double margin) {
  for (int32_t id = tree->node_count - 1; id >= 0; id--) {
    lbAabbNode *node = &tree->nodes[id];
    if (node->count == 0) {
      refit_inner(tree, id);
      continue;
    }
    node->box = lb_box_empty();
    for (int32_t i = 0; i < node->count; i++) {
      lbBox box = lb_triangle_box(surface, tree->items[node->first + i]);
      lb_box_add_box(&node->box, &box);
    }
    for (int i = 0; i < 3; i++) node->box.low[i] -= margin, node->box.high[i] += margin;
  }
}

// ---- queries -----------------------------------------------------------------------------------

bool lb_aabb_tree_overlap(const lbAabbTree *tree, const lbBox *box, lbAabbVisit *visit,
                          void *context) {
  int32_t stack[STACK_SIZE] = { 0 };
  int stacked = tree->node_count > 0 ? 1 : 0;
  while (stacked > 0) {
    int32_t id = stack[--stacked];
    const lbAabbNode *node = &tree->nodes[id];
    if (!lb_box_overlap(&node->box, box)) continue;
    for (int32_t i = 0; i < node->count; i++)
      if (!visit(tree->items[node->first + i], context)) return false;
    if (node->count) continue;
    stack[stacked++] = node->first;
    stack[stacked++] = id + 1;
  }
  return true;
}

typedef struct Nearest {
  int32_t item;
  double distance2;
} Nearest;

static void nearest_in_leaf(const lbAabbTree *tree, const lbAabbNode *leaf, lbVec3 point,
                            lbAabbDistance *distance, void *context, Nearest *best) {
  for (int32_t i = 0; i < leaf->count; i++) {
    int32_t item = tree->items[leaf->first + i];
    double own = distance(item, point, context);
    if (own < best->distance2 || (own == best->distance2 && item < best->item))
      *best = (Nearest){ item, own };
  }
}

int32_t lb_aabb_tree_nearest(const lbAabbTree *tree, lbVec3 point, lbAabbDistance *distance,
                             void *context, double *distance2) {
  struct {
    int32_t node;
    double distance2;
  } stack[STACK_SIZE] = { { 0, 0 } };
  double p[3] = { point.x, point.y, point.z };
  Nearest best = { -1, *distance2 };
  int stacked = tree->node_count > 0 ? 1 : 0;
  while (stacked > 0) {
    stacked--;
    // Equal distance is looked at too, for the smallest id; rounding must not hide it.
    if (stack[stacked].distance2 * (1 - 1e-14) > best.distance2) continue;
    const lbAabbNode *node = &tree->nodes[stack[stacked].node];
    if (node->count) {
      nearest_in_leaf(tree, node, point, distance, context, &best);
      continue;
    }
    int32_t near = stack[stacked].node + 1, far = node->first;
    double near2 = lb_box_distance2(&tree->nodes[near].box, p);
    double far2 = lb_box_distance2(&tree->nodes[far].box, p);
    if (far2 < near2) {
      int32_t kept = near;
      double kept2 = near2;
      near = far, near2 = far2;
      far = kept, far2 = kept2;
    }
    stack[stacked].node = far, stack[stacked++].distance2 = far2;
    stack[stacked].node = near, stack[stacked++].distance2 = near2;
  }
  *distance2 = best.distance2;
  return best.item;
}
