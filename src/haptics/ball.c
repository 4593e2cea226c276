// The ball: a proxy that stays outside while the device goes in (Zilles & Salisbury 1995, Ruspini
// et al. 1997). Its centre x is the place nearest to the device d with distance >= R to all of the
// surface. Near x that is n_j . x >= n_j . p_j + R for the nearest place p_j of each triangle, n_j
// from there to x: sufficient, since triangles are convex. The quadratic program
//   min 1/2 |x - d|² under these gives x = d + Σ depth_j n_j, depth_j >= 0,
// and k depth_j is the force at place j, without friction: device and body get the same, opposite.
// No side of the surface is in or out: what holds a ball back is where it was.
#include "haptics/haptics.h"

#include <string.h>

#define PASSES 3 // linearisations a tick
// Of the radius: how far the ball may move in a tick near the surface. Searches reach that much
// farther, so it doubles when it was too short and halves when it was not.
#define STEP_LEAST 0.05
#define STEP_MOST 0.25
#define MARGIN 0.02 // of the radius: what the ball rests on is kept also when it cannot move on
#define SWEEPS 24   // over the constraints of a linearisation

// ---- touches -----------------------------------------------------------------------------------

// Keeps the nearest ones, in order of distance; returns the distance of what was dropped.
static double keep_touch(lbHaptics *h, const lbTouch *touch) {
  int32_t at = h->touch_count, room = h->def.contact_limit;
  bool full = at == room;
  double dropped = full ? fmax(touch->distance, h->touches[room - 1].distance) : INFINITY;
  if (full && touch->distance == dropped) return dropped;
  if (full) at--;
  for (; at > 0 && h->touches[at - 1].distance > touch->distance; at--)
    h->touches[at] = h->touches[at - 1];
  h->touches[at] = *touch;
  if (!full) h->touch_count++;
  return dropped;
}

// The nearest place of a triangle to x, as a constraint on the centre. The search knows it where
// the ball did not move since.
static lbTouch make_touch(const lbNearTriangle *near, lbVec3 x, bool moved, double radius) {
  const lbVec3 *c = near->corners;
  lbTouch touch = { .triangle = near->triangle, .distance = near->distance };
  memcpy(touch.weights, near->weights, sizeof touch.weights);
  if (moved) touch.distance = sqrt(lb_triangle_closest_point(x, c[0], c[1], c[2], touch.weights));
  lbVec3 place = lb_vec3(0, 0, 0);
  for (int k = 0; k < 3; k++) place = lb_add_scaled(place, touch.weights[k], c[k]);
  touch.normal = lb_normalise(lb_sub(x, place));
  if (lb_dot(touch.normal, touch.normal) == 0) // on the triangle itself: either side will do
    touch.normal = lb_normalise(lb_cross(lb_sub(c[1], c[0]), lb_sub(c[2], c[0])));
  touch.offset = lb_dot(touch.normal, place) + radius;
  return touch;
}

// Constraints of the triangles that the ball at x, `moved` from where they were searched for, could
// come to by a move of `travel`; false when there was no room for one that the ball is in.
static bool find_touches(lbHaptics *h, lbVec3 x, double moved, double travel) {
  double radius = h->def.radius, range = radius * (1 + MARGIN) + travel;
  bool all = true;
  h->touch_count = 0;
  for (int32_t i = 0; i < h->search->near_count; i++) {
    if (h->search->near[i].distance - moved >= range) continue;
    lbTouch touch = make_touch(&h->search->near[i], x, moved > 0, radius);
    if (touch.distance >= range) continue;
    if (keep_touch(h, &touch) < radius) all = false;
  }
  return all;
}

// Hildreth's method: each constraint in turn pushes x out as far as it must, and takes back what it
// no longer needs.
static lbVec3 solve(lbHaptics *h, lbVec3 target) {
  lbVec3 x = target;
  for (int32_t j = 0; j < h->touch_count; j++) h->touches[j].depth = 0;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double largest = 0;
    for (int32_t j = 0; j < h->touch_count; j++) {
      lbTouch *touch = &h->touches[j];
      double change = fmax(-touch->depth, touch->offset - lb_dot(touch->normal, x));
      touch->depth += change;
      x = lb_add_scaled(x, change, touch->normal);
      largest = fmax(largest, fabs(change));
    }
    if (largest <= 1e-13 * h->def.radius) break;
  }
  return x;
}

static lbVec3 limit_length(lbVec3 a, double most) {
  double length = lb_length(a);
  return length > most ? lb_scale(most / length, a) : a;
}

// Triangles that a ball at x may come to. Returns how far it may move: a step near the surface,
// farther in the air.
static double look_around(lbHaptics *h, lbVec3 x, double want, bool *all) {
  double radius = h->def.radius, ball = radius * (1 + MARGIN), step = h->step * radius;
  double clear = lb_tree_search(h->search, h->q, x, ball + step);
  if (clear >= ball + step && h->search->near_count == 0 && want > step) {
    step = fmin(want, radius);
    clear = lb_tree_search(h->search, h->q, x, ball + step);
  }
  *all = clear >= radius;
  return clear >= ball + step ? step : fmax(clear - ball, STEP_LEAST * radius);
}

// From x towards the device, kept out by the surface. Own axes.
static lbVec3 move(lbHaptics *h, lbVec3 x, lbVec3 device) {
  bool all;
  lbVec3 want = lb_sub(device, x);
  double left = look_around(h, x, lb_length(want), &all), moved = 0;
  // A device farther away than the force limit allows counts as at that limit.
  double stretch = fmax(h->def.force_limit / h->def.stiffness, h->def.radius);
  lbVec3 target = lb_add(x, limit_length(want, stretch));
  for (int pass = 0; pass < PASSES && left > 0; pass++) {
    all = find_touches(h, x, moved, left) && all;
    lbVec3 step = limit_length(lb_sub(solve(h, target), x), left);
    double length = lb_length(step);
    x = lb_add(x, step);
    left -= length, moved += length;
    if (length <= 1e-9 * h->def.radius) break;
  }
  h->step = left > 0 ? fmax(h->step / 2, STEP_LEAST) : fmin(2 * h->step, STEP_MOST);
  if (!all) lb_timing_count(&h->timing.dropped, 1);
  return x;
}

// ---- forces ------------------------------------------------------------------------------------

static double dot(int32_t count, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

static double *line_of(const lbHaptics *h, int32_t touch) {
  return h->lines + (size_t)touch * (size_t)h->tree->dimension;
}

// Touches that hold the ball back, with their lines; returns the largest mobility.
static double keep_active(lbHaptics *h) {
  int32_t kept = 0, r = h->tree->dimension;
  double mobility = 0;
  for (int32_t j = 0; j < h->touch_count; j++) {
    if (!(h->touches[j].depth > 0)) continue;
    h->touches[kept] = h->touches[j];
    const lbTouch *touch = &h->touches[kept];
    double *line = line_of(h, kept++);
    lb_tree_line(h->tree, touch->triangle, touch->weights, touch->normal, line);
    mobility = fmax(mobility, dot(r, line, line));
  }
  h->touch_count = kept;
  return mobility;
}

// Spring and damper of a touch. The damper alone neither pulls nor strikes: it may take the
// spring's force away or double it.
static double touch_force(const lbHaptics *h, int32_t j, lbVec3 velocity, double stiffness,
                          double damping) {
  const lbTouch *touch = &h->touches[j];
  double closing = dot(h->tree->dimension, line_of(h, j), h->v) - lb_dot(touch->normal, velocity);
  double spring = stiffness * touch->depth;
  return fmax(0, fmin(spring + damping * closing, 2 * spring));
}

// The force on the device in own axes; its opposite goes to h->reduced.
static lbVec3 push_back(lbHaptics *h, lbVec3 velocity, double dt) {
  double k = h->def.stiffness, b = lb_coupling_damping(h, dt);
  double share = lb_coupling_share(k, b, keep_active(h), dt);
  double forces[64];
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t j = 0; j < h->touch_count; j++) {
    forces[j] = touch_force(h, j, velocity, share * k, share * b);
    sum = lb_add_scaled(sum, forces[j], h->touches[j].normal);
  }
  double scale = fmin(1, h->def.force_limit / fmax(lb_length(sum), 1e-300));
  for (int32_t j = 0; j < h->touch_count; j++) {
    const double *line = line_of(h, j);
    for (int32_t i = 0; i < h->tree->dimension; i++) h->reduced[i] -= scale * forces[j] * line[i];
  }
  lb_timing_lower_stiffness(&h->timing, share);
  return lb_scale(scale, sum);
}

lbFeeling lb_ball_feel(lbHaptics *h, const lbDevice *device, double dt) {
  const lbBody *body = h->body;
  if (!h->placed) h->centre = device->position, h->step = STEP_MOST, h->placed = true;
  lbVec3 x = lb_body_unplace(body, h->centre);
  lbVec3 d = lb_body_unplace(body, device->position);
  lbVec3 v = lb_mat3_apply_transpose(body->frame.turn, device->velocity);
  h->centre = lb_body_place(body, move(h, x, d));
  lbVec3 force = push_back(h, v, dt);
  return (lbFeeling){ h->centre, lb_mat3_apply(body->frame.turn, force), h->touch_count };
}
