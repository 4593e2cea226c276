// On which side of something thin a place is.
//
// Whatever lies behind a surface is inside: a place that has got through a thin plate is nearer to
// the plate's far side, and would be pushed on. What tells is which way is out of the body there. A
// contact that would push a place outwards is either none, or one with the side that is met on the
// way from the inside of the body to the place.
#include "world/touch.h"

#define ALONG 0.3  // cosine: a contact pushes outwards
#define INSIDE 0.5 // of the body's thickness: from there on it is looked for what is met

static lbVec3 normal_of(const lbVec3 corners[3]) {
  return lb_normalise(lb_cross(lb_sub(corners[1], corners[0]), lb_sub(corners[2], corners[0])));
}

bool lb_touch_mend_side(const lbBody *body, const lbSolid *solid, const lbSolidFrame *frame,
                        const lbSurfaceTriangle *at, int32_t triangle, lbSolidTouch *touch) {
  double thickness, t;
  if (at->own & LB_TWO_SIDED || lb_solid_kind(solid) == LB_SOLID_PLANE) return true;
  lbVec3 now = lb_mat3_apply(frame->rotation, normal_of(at->corners)), normal;
  lbVec3 out = lb_body_outward(body, triangle, touch->weights, now, &thickness);
  out = lb_mat3_apply_transpose(frame->rotation, out);
  if (lb_dot(out, touch->normal) <= ALONG || thickness == 0) return true;
  double length = INSIDE * thickness;
  if (touch->gap > length) return false;
  lbVec3 inside = lb_add_scaled(touch->on_triangle, -length, out);
  if (!lb_solid_ray_cast(solid, inside, out, length, &t, &normal) || !(t > 0)) return false;
  if (!(lb_dot(normal, out) < -ALONG)) return false;
  lbVec3 met = lb_add_scaled(inside, t, out);
  touch->normal = normal;
  touch->gap = lb_dot(normal, lb_sub(touch->on_triangle, met));
  touch->on_solid = lb_add_scaled(touch->on_triangle, -touch->gap, normal);
  return true;
}

// Whether a push makes an angle with a normal from which outwards is no more than `lean` (cosine)
// away that is wide enough for all of these.
static bool is_inwards(lbVec3 normal, double lean, lbVec3 push) {
  if (!(lean > 0)) return false;
  return lb_dot(normal, push) < ALONG * lean - sqrt((1 - ALONG * ALONG) * (1 - lean * lean));
}

bool lb_touch_faces(const lbBody *body, const lbTree *tree, int32_t triangle,
                    const double weights[3], lbVec3 now, lbVec3 push) {
  double thickness;
  if (is_inwards(now, tree->leans[triangle], push)) return true; // most are
  lbVec3 out = lb_body_outward(body, triangle, weights, now, &thickness);
  return thickness == 0 || lb_dot(out, push) <= ALONG;
}
