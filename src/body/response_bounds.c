// Bounds of a body that others may touch (response.h): a sphere around its surface, how its places
// move, and the triangles near a place.
#include "body/response.h"
#include "body/response_kernels.h"

// By the root of the tree: the mean motion of the surface, and how far others are from it.
static double bound_of(const lbTree *tree, lbSimdLevel level, const double *by, lbVec3 *mean) {
  double way[4], farthest = 0;
  *mean = lb_vec3(0, 0, 0);
  if (tree->rows) {
    lb_touch_kernels(level)->bound(tree->dimension, by, tree->motions, way);
    *mean = lb_vec3_load(way);
    return way[3];
  }
  for (int32_t i = 0; i + 2 < tree->dimension; i += 3) {
    lbVec3 own = lb_vec3_load(by + i);
    farthest = fmax(farthest, lb_dot(own, own));
  }
  return sqrt(farthest);
}

// Of the rest shape, own axes.
static double rest_sphere(const lbTree *tree, lbVec3 *centre) {
  if (tree->rows) {
    *centre = lb_vec3_load(tree->spheres);
    return tree->spheres[3];
  }
  const lbBox *box = &tree->shape->nodes[0].box;
  lbVec3 low = lb_vec3_load(box->low), high = lb_vec3_load(box->high);
  *centre = lb_scale(0.5, lb_add(low, high));
  return 0.5 * lb_length(lb_sub(high, low));
}

bool lb_touch_visit(const lbBody *body, lbTreeReaches *reaches, lbTreeLook *look, void *context) {
  lbScratch *s = lb_scratch_borrow(body->prepared);
  bool ready = s && lb_search_make(body->prepared, s, NULL) == LB_OK;
  if (ready) {
    body->prepared->method->get(body, s->q0, NULL, NULL);
    lb_tree_visit(s->call->search, s->q0, reaches, look, context);
  }
  lb_scratch_return(body->prepared, s);
  return ready;
}

static lbTouchSphere find_sphere(const lbBody *body, const lbTree *tree, lbScratch *s) {
  lbVec3 rest, mean, rate;
  body->prepared->method->get(body, s->a, s->b, NULL);
  lbTouchSphere sphere = { .radius = rest_sphere(tree, &rest) };
  sphere.bend = bound_of(tree, body->prepared->level, s->a, &mean);
  sphere.radius += sphere.bend;
  sphere.spread = bound_of(tree, body->prepared->level, s->b, &rate);
  lbVec3 own = lb_add(rest, mean);
  sphere.centre = lb_body_place(body, own);
  sphere.velocity = lb_frame_velocity(body, own, rate);
  if (lb_frame_moves(body)) sphere.spin = lb_length(body->frame.spin);
  sphere.spread += sphere.spin * sphere.radius;
  return sphere;
}

lbTouchSphere lb_touch_sphere(const lbBody *body) {
  const lbTree *tree = NULL;
  lbScratch *s = lb_scratch_borrow(body->prepared);
  lbTouchSphere sphere = { .centre = body->frame.position };
  if (s && lb_prepared_tree(body->prepared, &tree, NULL) == LB_OK)
    sphere = find_sphere(body, tree, s);
  lb_scratch_return(body->prepared, s);
  return sphere;
}
