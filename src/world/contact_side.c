// The side of a thin solid from which a contact point came.
//
// A point that has passed the middle of a thin plate is nearer to its far side, and would be pushed
// through. The outward direction of the point's own body decides: a contact that would push the
// point outwards is dropped, or replaced by one with the side of the solid that a ray from inside
// the body to the point meets first.
#include "world/touch.h"

// Cosine of the angle between a contact's push and the outward direction above which it pushes
// outwards. Doubled, contacts at sharp edges are kept that push through thin bodies.
#define OUTWARDS 0.3

static lbVec3 triangle_normal_of(const lbVec3 corners[3]) {
  return lb_normalise(lb_cross(lb_sub(corners[1], corners[0]), lb_sub(corners[2], corners[0])));
}

bool lb_contact_choose_side(const lbBody *body, const lbSolid *solid, const lbSolidFrame *frame,
                            const lbSurfaceTriangle *at, int32_t triangle, lbSolidTouch *touch) {
  double thickness, t;
  if (at->own & LB_TWO_SIDED || lb_solid_kind(solid) == LB_SOLID_PLANE) return true;
  lbVec3 now = lb_mat3_apply(frame->rotation, triangle_normal_of(at->corners)), normal;
  lbVec3 out = lb_body_outward(body, triangle, touch->weights, now, &thickness);
  out = lb_mat3_apply_transpose(frame->rotation, out);
  if (lb_dot(out, touch->normal) <= OUTWARDS || thickness == 0) return true;
  double length = 0.5 * thickness; // the ray begins in the middle of the body
  if (touch->gap > length) return false;
  lbVec3 inside = lb_add_scaled(touch->on_triangle, -length, out);
  if (!lb_solid_ray_cast(solid, inside, out, length, &t, &normal) || !(t > 0)) return false;
  if (!(lb_dot(normal, out) < -OUTWARDS)) return false;
  lbVec3 met = lb_add_scaled(inside, t, out);
  touch->normal = normal;
  touch->gap = lb_dot(normal, lb_sub(touch->on_triangle, met));
  touch->on_solid = lb_add_scaled(touch->on_triangle, -touch->gap, normal);
  return true;
}

// Whether a push is inwards for every outward direction within `lean` (cosine) of a normal.
static bool is_inwards(lbVec3 normal, double lean, lbVec3 push) {
  if (!(lean > 0)) return false;
  return lb_dot(normal, push) <
         OUTWARDS * lean - sqrt((1 - OUTWARDS * OUTWARDS) * (1 - lean * lean));
}

bool lb_touch_faces(const lbBody *body, const lbTree *tree, int32_t triangle,
                    const double weights[3], lbVec3 now, lbVec3 push) {
  double thickness;
  if (is_inwards(now, tree->leans[triangle], push)) return true; // most are
  lbVec3 out = lb_body_outward(body, triangle, weights, now, &thickness);
  return thickness == 0 || lb_dot(out, push) <= OUTWARDS;
}
