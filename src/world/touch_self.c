// Places where the surface of a body touches itself.
//
// A box tree of the rest surface, refitted to where it is, tells pairs of triangles that are near
// each other. Most of them always are: neighbours, and the two sides of a thin place. What counts
// is what has come together: places that are now several times nearer than they are at rest.
#include "world/touch.h"

#include "body/body.h"
#include "body/point.h"

#define NEARER 4.0  // times, than at rest
#define DEPTH 0.05  // of the radius: how far a surface may overlap itself
#define MARGIN 0.02 // of the radius, at most: it is looked for at every place of the surface

struct lbSelfTouch {
  lbAabbTree *boxes; // of the triangles where they are
  double *positions; // (vertices x 3): world
};

void lb_self_destroy(lbSelfTouch *self) {
  if (!self) return;
  lb_aabb_tree_destroy(self->boxes);
  lb_free(self->positions);
  lb_free(self);
}

lbStatus lb_self_create(const lbBody *body, lbSelfTouch **out, lbError *err) {
  const lbTree *tree = NULL;
  lbStatus status = lb_prepared_tree(body->prepared, &tree, err);
  if (status) return status;
  lbSelfTouch *self = lb_alloc(1, sizeof *self);
  if (!self) return lb_fail_memory(err);
  self->boxes = lb_aabb_tree_copy(tree->shape);
  self->positions = lb_alloc(3 * (size_t)body->prepared->model->size.vertex_count, sizeof(double));
  if (!self->boxes || !self->positions) {
    lb_self_destroy(self);
    return lb_fail_memory(err);
  }
  *out = self;
  return LB_OK;
}

// ---- pairs -------------------------------------------------------------------------------------

typedef struct Looking {
  lbWorldTouch *touch;
  const lbBody *body;
  const lbTree *tree;
  lbTriangles surface;
  int32_t one; // whose neighbourhood it is
  double margin, depth, length;
} Looking;

static bool share_a_corner(const int32_t *a, const int32_t *b) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (a[i] == b[j]) return true;
  return false;
}

static lbVec3 rest_place(const Looking *l, int32_t triangle, const double w[3]) {
  lbPoint point = lb_point_triangle(triangle, w[0], w[1], w[2]);
  return lb_point_rest(l->tree->model, &point);
}

static void add_touch(const Looking *l, int32_t other, const lbTriangleTouch *found) {
  lbVec3 apart =
      lb_sub(rest_place(l, l->one, found->weights_a), rest_place(l, other, found->weights_b));
  if (lb_length(apart) < NEARER * fmax(fabs(found->gap), l->margin)) return;
  lbTouchCandidate c = { .triangles = { l->one, other },
                         .point = found->on_b,
                         .normal = found->normal,
                         .feature = found->feature,
                         .gap = found->gap };
  for (int k = 0; k < 3; k++)
    c.weights[0][k] = found->weights_a[k], c.weights[1][k] = found->weights_b[k];
  lb_touch_add_candidate(l->touch, l->length, &c);
}

static bool look_at_pair(int32_t other, void *context) {
  const Looking *l = context;
  const int32_t *ids = l->surface.triangles;
  lbTriangleTouch found[LB_TRIANGLE_TOUCHES];
  if (other <= l->one || share_a_corner(ids + 3 * (size_t)l->one, ids + 3 * (size_t)other))
    return true;
  lbSurfaceTriangle a = lb_surface_triangle(&l->surface, l->tree->across, l->tree->own, l->one);
  lbSurfaceTriangle b = lb_surface_triangle(&l->surface, l->tree->across, l->tree->own, other);
  int32_t count = lb_triangles_touch(&a, &b, l->margin, l->depth, found);
  for (int32_t i = 0; i < count; i++) add_touch(l, other, &found[i]);
  return true;
}

void lb_self_find(lbWorld *world, int32_t slot) {
  lbWorldTouch *touch = world->touch;
  const lbBody *body = world->slots[slot].body;
  lbSelfTouch *self = world->slots[slot].self;
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  const lbTree *tree = NULL;
  if (!scratch) return;
  lb_surface_positions(body, self->positions, scratch);
  lb_scratch_return(body->prepared, scratch);
  (void)lb_prepared_tree(body->prepared, &tree, NULL);
  const lbModel *m = body->prepared->model;
  double radius = touch->reaches[slot] - touch->margins[slot];
  Looking l = { .touch = touch,
                .body = body,
                .tree = tree,
                .surface = { m->size.triangle_count, m->triangles, self->positions },
                .margin = fmin(touch->margins[slot], MARGIN * radius),
                .depth = DEPTH * radius,
                .length = radius };
  lb_aabb_tree_refit_triangles(self->boxes, &l.surface, 0.5 * l.margin);
  touch->candidate_count = 0;
  for (l.one = 0; l.one < l.surface.count; l.one++) {
    lbBox box = lb_triangle_box(&l.surface, l.one);
    for (int k = 0; k < 3; k++) box.low[k] -= 0.5 * l.margin, box.high[k] += 0.5 * l.margin;
    (void)lb_aabb_tree_overlap(self->boxes, &box, look_at_pair, &l);
  }
}
