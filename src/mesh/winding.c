// Winding numbers: exact solid angles nearby, one dipole per tree node far away.
#include "mesh/winding.h"

enum { STACK_SIZE = 64 };

// A node is far when the point is more than this many radii from its centre.
static const double far_factor = 2;

struct lbWindingNode {
  lbVec3 centre; // area-weighted
  lbVec3 area;   // Σ area x normal
  double radius; // of a ball round the centre that holds the node's box
};

static int sign_of(const lbWinding *winding, int32_t triangle) {
  return winding->signs ? winding->signs[triangle] : 1;
}

// Adds triangle moments: [weight, weight x centre, vector area].
typedef struct Moments {
  double weight;
  lbVec3 first, area;
} Moments;

static Moments leaf_moments(const lbWinding *winding, const lbAabbNode *leaf) {
  Moments sum = { 0 };
  for (int32_t i = 0; i < leaf->count; i++) {
    int32_t triangle = winding->tree->items[leaf->first + i];
    lbVec3 a = lb_triangle_corner(&winding->surface, triangle, 0);
    lbVec3 b = lb_triangle_corner(&winding->surface, triangle, 1);
    lbVec3 c = lb_triangle_corner(&winding->surface, triangle, 2);
    lbVec3 area = lb_scale(0.5, lb_cross(lb_sub(b, a), lb_sub(c, a)));
    double weight = lb_length(area);
    sum.weight += weight;
    sum.first = lb_add_scaled(sum.first, weight / 3, lb_add(a, lb_add(b, c)));
    sum.area = lb_add_scaled(sum.area, sign_of(winding, triangle), area);
  }
  return sum;
}

static double box_radius(const lbBox *box, lbVec3 centre) {
  double c[3] = { centre.x, centre.y, centre.z }, sum = 0;
  for (int i = 0; i < 3; i++) {
    double side = fmax(c[i] - box->low[i], box->high[i] - c[i]);
    sum += side * side;
  }
  return sqrt(sum);
}

static void gather_nodes(lbWinding *winding, Moments *moments) {
  const lbAabbTree *tree = winding->tree;
  for (int32_t id = tree->node_count - 1; id >= 0; id--) {
    const lbAabbNode *node = &tree->nodes[id];
    Moments *m = &moments[id];
    if (node->count) {
      *m = leaf_moments(winding, node);
    } else {
      const Moments *l = &moments[id + 1], *r = &moments[node->first];
      *m = (Moments){ l->weight + r->weight, lb_add(l->first, r->first), lb_add(l->area, r->area) };
    }
    lbVec3 low = lb_vec3_load(node->box.low), high = lb_vec3_load(node->box.high);
    lbVec3 centre =
        m->weight > 0 ? lb_scale(1 / m->weight, m->first) : lb_scale(0.5, lb_add(low, high));
    winding->nodes[id] = (struct lbWindingNode){ centre, m->area, box_radius(&node->box, centre) };
  }
}

lbStatus lb_winding_create(const lbAabbTree *tree, const lbTriangles *surface, const int8_t *signs,
                           lbWinding **out, lbError *err) {
  size_t node_count = (size_t)tree->node_count;
  lbWinding *winding = lb_alloc(1, sizeof *winding);
  Moments *moments = lb_alloc(node_count, sizeof *moments);
  if (winding) *winding = (lbWinding){ tree, *surface, signs, NULL };
  if (winding) winding->nodes = lb_alloc(node_count, sizeof *winding->nodes);
  if (!winding || !moments || !winding->nodes) {
    lb_free(moments);
    lb_winding_destroy(winding);
    return lb_fail_memory(err);
  }
  gather_nodes(winding, moments);
  lb_free(moments);
  *out = winding;
  return LB_OK;
}

void lb_winding_destroy(lbWinding *winding) {
  if (!winding) return;
  lb_free(winding->nodes);
  lb_free(winding);
}

static double leaf_angle(const lbWinding *winding, const lbAabbNode *leaf, lbVec3 point) {
  double angle = 0;
  for (int32_t i = 0; i < leaf->count; i++) {
    int32_t triangle = winding->tree->items[leaf->first + i];
    int sign = sign_of(winding, triangle);
    if (sign == 0) continue;
    lbVec3 a = lb_sub(lb_triangle_corner(&winding->surface, triangle, 0), point);
    lbVec3 b = lb_sub(lb_triangle_corner(&winding->surface, triangle, 1), point);
    lbVec3 c = lb_sub(lb_triangle_corner(&winding->surface, triangle, 2), point);
    angle += sign * lb_triangle_solid_angle(a, b, c);
  }
  return angle;
}

double lb_winding_number(const lbWinding *winding, lbVec3 point) {
  const lbAabbTree *tree = winding->tree;
  int32_t stack[STACK_SIZE] = { 0 };
  int stacked = tree->node_count > 0 ? 1 : 0;
  double angle = 0;
  while (stacked > 0) {
    int32_t id = stack[--stacked];
    const struct lbWindingNode *far = &winding->nodes[id];
    lbVec3 away = lb_sub(far->centre, point);
    double distance2 = lb_dot(away, away), reach = far_factor * far->radius;
    if (distance2 > reach * reach) {
      angle += lb_dot(far->area, away) / (distance2 * sqrt(distance2));
      continue;
    }
    const lbAabbNode *node = &tree->nodes[id];
    if (node->count) {
      angle += leaf_angle(winding, node, point);
      continue;
    }
    stack[stacked++] = node->first;
    stack[stacked++] = id + 1;
  }
  return angle / (4 * LB_PI);
}
