// The ball: a proxy that stays outside while the device goes in (Zilles & Salisbury 1995, Ruspini
// et al. 1997). Its centre x is the place nearest to the device d with distance >= R to all of the
// surface. Near x that is n_j . (p_j - x) >= R for the nearest place p_j of each triangle, n_j from
// x to there: sufficient, since triangles are convex. The quadratic program
//   min 1/2 |x - d|² under these has the solution x = d - Σ depth_j n_j, depth_j >= 0:
// contacts (body/hand_rows.h) of a ball that hangs on a unit spring with a rigid body
// way. Which places touch, and along which directions, comes from there; how strongly, from the
// contacts of the body as it is, inside its step. Device and body get the same, opposite force,
// without friction. No side of the surface is in or out: what holds a ball back is where it was.
#include "haptics/haptics.h"
#include "solve/nonnegative.h"

// Of the radius: how far the ball may move in a tick near the surface. Searches reach that much
// farther, so it doubles when it was too short and halves when it was not.
#define STEP_LEAST 0.05
#define STEP_MOST 0.25
#define MARGIN 0.02 // of the radius: what the ball rests on is kept also when it cannot move on
enum {
  PASSES = 3, // linearisations a tick
  NEARBY = 3  // places that are taken along although they do not hold the ball back yet
};

// ---- the proxy ---------------------------------------------------------------------------------

// Places of the triangles that the ball at x, `moved` from where they were searched for, could
// come to by a move of `travel`; false when there was no room for one that the ball is in.
static bool find_places(lbHaptics *h, lbVec3 x, double moved, double travel) {
  double radius = h->def.radius, range = radius * (1 + MARGIN) + travel;
  bool all = true;
  h->place_count = 0;
  for (int32_t i = 0; i < h->search->near_count; i++) {
    if (h->search->near[i].distance - moved >= range) continue;
    lbPlace place;
    if (!lb_place_make(&h->search->near[i], x, moved > 0, range, &place)) continue;
    if (lb_places_keep(h->places, &h->place_count, h->def.contact_limit, &place) < radius)
      all = false;
  }
  return all;
}

// Where the places found let the ball come to on its way to a target; h->depths.
static lbVec3 project(lbHaptics *h, lbVec3 target) {
  double A[LB_HAND_ROWS * LB_HAND_ROWS], inside[LB_HAND_ROWS];
  int32_t count = h->place_count;
  if (count < 1) return target;
  for (int32_t j = 0; j < count; j++) {
    const lbPlace *place = &h->places[j];
    inside[j] = h->def.radius - lb_dot(place->normal, lb_sub(place->position, target));
    h->depths[j] = 0;
    for (int32_t k = 0; k <= j; k++)
      A[j * count + k] = A[k * count + j] = lb_dot(place->normal, h->places[k].normal);
  }
  lb_nonnegative_solve(count, A, inside, 0, h->depths);
  for (int32_t j = 0; j < count; j++)
    target = lb_add_scaled(target, -h->depths[j], h->places[j].normal);
  return target;
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

// From x towards a target, kept out by the surface. Own axes.
static lbVec3 move(lbHaptics *h, lbVec3 x, lbVec3 target) {
  bool all;
  double left = look_around(h, x, lb_length(lb_sub(target, x)), &all), moved = 0;
  for (int pass = 0; pass < PASSES && left > 0; pass++) {
    all = find_places(h, x, moved, left) && all;
    lbVec3 step = limit_length(lb_sub(project(h, target), x), left);
    double length = lb_length(step);
    x = lb_add(x, step);
    left -= length, moved += length;
    if (length <= 1e-9 * h->def.radius) break;
  }
  h->step = left > 0 ? fmax(h->step / 2, STEP_LEAST) : fmin(2 * h->step, STEP_MOST);
  if (!all) lb_timing_count(&h->loop.timing.dropped, 1);
  return x;
}

static bool repeats(const lbHaptics *h, int32_t kept, const lbPlace *place) {
  for (int32_t j = 0; j < kept; j++)
    if (lb_length(lb_sub(h->places[j].position, place->position)) < 1e-6 * h->def.radius)
      return true;
  return false;
}

// The places that hold the ball back, and some that it may come to in the step.
static void keep_touching(lbHaptics *h) {
  double near = h->def.radius * (1 + MARGIN);
  int32_t kept = 0;
  for (int32_t j = 0; j < h->place_count; j++) {
    bool may = kept < NEARBY && h->places[j].distance <= near;
    if (h->depths[j] > 0 || (may && !repeats(h, kept, &h->places[j])))
      h->places[kept++] = h->places[j];
  }
  h->place_count = kept;
}

// ---- forces ------------------------------------------------------------------------------------

// The place that the ball hangs on is held back where the proxy was by the damper:
//   f = k (x1 - d) + b ((x1 - x0) / h - d') = (k + b/h) (x1 - hook).
void lb_ball_touch(lbBody *body, const lbStep *step, lbScratch *scratch, void *context) {
  lbHaptics *h = context;
  lbHand hand = lb_coupling(h, step->h);
  lbVec3 hook = lb_coupling_hook(h, step, h->target, h->centre);
  for (int32_t j = 0; j < h->place_count; j++) {
    lbPlace *place = &h->places[j];
    place->gap = lb_dot(place->normal, lb_sub(place->position, hook)) - h->def.radius;
  }
  int32_t before = body->contacts->count;
  h->feeling.force = lb_hand_touch(body, step, &hand, h->place_count, h->places, scratch);
  h->feeling.contact_count = body->contacts->count - before;
}

void lb_ball_feel(lbHaptics *h, const lbDevice *device) {
  const lbBody *body = h->body;
  if (!h->placed) h->centre = device->position, h->step = STEP_MOST, h->placed = true;
  lbVec3 x = lb_body_unplace(body, h->centre);
  lbVec3 d = lb_body_unplace(body, device->position);
  // A device farther away than the force limit allows counts as at that limit.
  double stretch = fmax(h->def.force_limit / h->def.stiffness, h->def.radius);
  lbVec3 target = lb_add(x, limit_length(lb_sub(d, x), stretch));
  h->centre = lb_body_place(body, move(h, x, target));
  h->target = lb_body_place(body, target);
  keep_touching(h);
  h->feeling = (lbFeeling){ .tool = h->centre };
}
