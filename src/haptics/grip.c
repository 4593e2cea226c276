// The grip: a place of the body that a spring and a damper tie to the device while the button is
// down: f = k (d + offset - x) + b (d' - x'), on the body; the device gets -f. The offset is what
// lay between them when it was taken, so that taking hold pulls at nothing. For the body's step it
// is three contacts that can pull as well, one along each axis.
#include "haptics/haptics.h"

// The nearest place of the surface within reach; false when there is none.
static bool find_nearest(lbHaptics *h, lbVec3 device, lbPoint *point) {
  const lbBody *body = h->body;
  lbVec3 x = lb_body_unplace(body, device);
  double reach = h->def.reach;
  const lbNearTriangle *best = NULL;
  if (lb_tree_search(h->search, h->q, x, reach) < reach)
    lb_timing_count(&h->loop.timing.dropped, 1);
  for (int32_t i = 0; i < h->search->near_count; i++)
    if (!best || h->search->near[i].distance < best->distance) best = &h->search->near[i];
  if (!best) return false;
  const double *w = best->weights;
  *point = lb_point_triangle(best->triangle, w[0], w[1], w[2]);
  return true;
}

static double *row_of(const lbHaptics *h, int axis) {
  return h->grip_rows + (size_t)axis * (size_t)lb_body_row_length(h->body);
}

// Own axes.
static lbVec3 place_held(const lbHaptics *h) {
  double u[3];
  for (int axis = 0; axis < 3; axis++)
    u[axis] = lb_row_dot(lb_body_dimension(h->body), row_of(h, axis), h->q);
  return lb_add(h->grip_rest, lb_vec3_load(u));
}

static void take_hold(lbHaptics *h, const lbDevice *device) {
  lbPoint point = h->grip;
  if (!h->def.grip && !find_nearest(h, device->position, &point)) return;
  lb_point_rows(h->body->prepared, &point, h->grip_rows);
  h->grip_rest = lb_point_rest(lb_body_model(h->body), &point);
  h->held = true;
  h->offset = lb_sub(lb_body_place(h->body, place_held(h)), device->position);
}

void lb_grip_touch(lbBody *body, const lbStep *step, lbScratch *scratch, void *context) {
  lbHaptics *h = context;
  lbHand hand = lb_coupling(h, step->h);
  lbVec3 x = place_held(h), away = lb_sub(x, lb_coupling_hook(h, step, h->target, h->centre));
  const double gaps[3] = { away.x, away.y, away.z };
  lbPlace places[3];
  hand.least = -INFINITY;
  for (int axis = 0; axis < 3; axis++) {
    double unit[3] = { 0, 0, 0 };
    unit[axis] = 1;
    places[axis] = (lbPlace){
      .position = x, .normal = lb_vec3_load(unit), .gap = gaps[axis], .row = row_of(h, axis)
    };
  }
  h->feeling.force = lb_hand_touch(body, step, &hand, 3, places, scratch);
}

void lb_grip_feel(lbHaptics *h, const lbDevice *device) {
  if (!device->button) h->held = false;
  if (device->button && !h->pressed) take_hold(h, device);
  h->pressed = device->button;
  h->feeling = (lbFeeling){ .tool = device->position };
  if (!h->held) return;
  h->target = lb_add(device->position, h->offset);
  h->centre = lb_body_place(h->body, place_held(h));
  h->feeling = (lbFeeling){ .tool = h->centre, .contact_count = 1 };
}
