// The grip: a place of the body that a spring and a damper tie to the device while the button is
// down: f = k (d + offset - x) + b (d' - x'), on the body; the device gets -f. The offset is what
// lay between them when it was taken, so that taking hold pulls at nothing.
#include "haptics/haptics.h"

#include "body/point.h"

// The nearest place of the surface within reach; false when there is none.
static bool find_nearest(lbHaptics *h, lbVec3 device, lbPoint *point) {
  const lbBody *body = h->body;
  lbVec3 x = lb_body_unplace(body, device);
  double reach = h->def.reach;
  const lbNearTriangle *best = NULL;
  if (lb_tree_search(h->search, h->q, x, reach) < reach) lb_timing_count(&h->timing.dropped, 1);
  for (int32_t i = 0; i < h->search->near_count; i++)
    if (!best || h->search->near[i].distance < best->distance) best = &h->search->near[i];
  if (!best) return false;
  const double *w = best->weights;
  *point = lb_point_triangle(best->triangle, w[0], w[1], w[2]);
  return true;
}

static lbVec3 apply_rows(const lbHaptics *h, const double *values) {
  const lbPrepared *prepared = h->body->prepared;
  double sums[3] = { 0, 0, 0 };
  for (int axis = 0; axis < 3; axis++)
    for (int32_t i = 0; i < prepared->dimension; i++)
      sums[axis] += h->grip_rows[(size_t)axis * (size_t)prepared->padded + (size_t)i] * values[i];
  return lb_vec3_load(sums);
}

static lbVec3 place_held(const lbHaptics *h) {
  return lb_body_place(h->body, lb_add(h->grip_rest, apply_rows(h, h->q)));
}

static void take_hold(lbHaptics *h, const lbDevice *device) {
  lbPoint point = h->grip;
  if (!h->def.grip && !find_nearest(h, device->position, &point)) return;
  lb_point_rows(h->body->prepared, &point, h->grip_rows);
  h->grip_rest = lb_point_rest(h->body->prepared->model, &point);
  h->held = true;
  h->offset = lb_sub(place_held(h), device->position);
}

static double mobility(const lbHaptics *h) {
  double sum = 0;
  for (int32_t i = 0; i < 3 * h->body->prepared->padded; i++)
    sum += h->grip_rows[i] * h->grip_rows[i];
  return sum;
}

// reduced += rows^T own
static void pull(lbHaptics *h, lbVec3 own) {
  const lbPrepared *prepared = h->body->prepared;
  const double f[3] = { own.x, own.y, own.z };
  for (int axis = 0; axis < 3; axis++)
    for (int32_t i = 0; i < prepared->dimension; i++)
      h->reduced[i] += f[axis] * h->grip_rows[(size_t)axis * (size_t)prepared->padded + (size_t)i];
}

lbFeeling lb_grip_feel(lbHaptics *h, const lbDevice *device, double dt) {
  const lbBody *body = h->body;
  if (!device->button) h->held = false;
  if (device->button && !h->pressed) take_hold(h, device);
  h->pressed = device->button;
  if (!h->held) return (lbFeeling){ .tool = device->position };
  double k = h->def.stiffness, b = lb_coupling_damping(h, dt);
  double share = lb_coupling_share(k, b, mobility(h), dt);
  lbVec3 x = place_held(h), v = lb_mat3_apply(body->frame.turn, apply_rows(h, h->v));
  lbVec3 stretch = lb_sub(lb_add(device->position, h->offset), x);
  lbVec3 f = lb_add(lb_scale(share * k, stretch), lb_scale(share * b, lb_sub(device->velocity, v)));
  f = lb_scale(fmin(1, h->def.force_limit / fmax(lb_length(f), 1e-300)), f);
  pull(h, lb_mat3_apply_transpose(body->frame.turn, f));
  lb_timing_lower_stiffness(&h->timing, share);
  return (lbFeeling){ x, lb_scale(-1, f), 1 };
}
