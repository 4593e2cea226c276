// A ball that pushes the surface out of itself, over one step.
//
// Of the triangles near the ball (body/tree.h) the places nearest to its centre are taken, deepest
// first and some way apart; body/hand_rows.h has the rest.
#include "body/hand_rows.h"

enum { PLACES_MAX = 16 }; // of one ball

// Of the radius: the least distance between places, and how far a step pushes a place out. Doubled,
// there are fewer places, and a body that was deep in a ball is thrown out faster.
#define SPREAD 0.25
// Times mass / h²: the greatest stiffness of a place, so that one that can hardly move does not
// move all the rest. Doubled, light places follow a ball more closely and shake more.
#define STIFFEST 10

static lbStatus check_ball(const lbBody *body, const lbBall *ball, double dt) {
  lbVec3 c = ball->centre, v = ball->velocity;
  if (body->prepared->method->is_recording) return lb_body_refuse_recording(body, "ball");
  if (!lb_vec3_is_bounded(c) || !lb_vec3_is_bounded(v))
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "ball: centre (%g, %g, %g), velocity (%g, %g, %g): not a number or beyond %g",
                   c.x, c.y, c.z, v.x, v.y, v.z, LB_BODY_MOST);
  if (!(ball->radius > 0 && ball->radius <= LB_BODY_MOST) || !(ball->stiffness > 0))
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "ball: radius %g, stiffness %g; both must be above 0", ball->radius,
                   ball->stiffness);
  return lb_time_step_is_legal(dt) ? LB_OK : lb_time_step_refuse(dt, body->message);
}

static lbVec3 push_ball(lbBody *body, const lbBall *ball, double h, lbScratch *s) {
  lbPlace places[PLACES_MAX];
  lbFrameState start = body->frame;
  lbStep step = { .h = h, .share = 1, .whole = &start };
  lbHand hand = { .softness = 1 / ball->stiffness + h * h / (STIFFEST * body->prepared->mass),
                  .most_out = SPREAD * ball->radius,
                  .most = INFINITY,
                  .stands = true,
                  .velocity = ball->velocity };
  if (lb_part_open(body, &step, s) & LB_STEP_NONFINITE) return lb_vec3(0, 0, 0);
  lb_part_correct(body, &step, s);
  lbVec3 centre =
      lb_mat3_apply_transpose(step.frame.turn, lb_sub(ball->centre, step.frame.position));
  // What lies farther than two pushes cannot come near in a step.
  lb_tree_search(s->call->search, s->q0, centre, (1 + 2 * SPREAD) * ball->radius);
  int32_t count =
      lb_places_spread(s->call->search, centre, SPREAD * ball->radius, PLACES_MAX, places);
  for (int32_t i = 0; i < count; i++) places[i].gap = places[i].distance - ball->radius;
  return lb_hand_touch(body, &step, &hand, count, places, s);
}

lbStatus lb_body_push_ball(lbBody *body, const lbBall *ball, double dt, lbVec3 *force) {
  if (!body) return LB_ERR_ARGUMENT;
  if (!ball) return lb_refuse_null(body->message, "ball");
  lbVec3 sum = lb_vec3(0, 0, 0);
  lbStatus status = check_ball(body, ball, dt);
  if (status) return status;
  if (body->prepared->model->size.triangle_count > 0) {
    lbScratch *scratch = lb_scratch_borrow(body->prepared);
    status = scratch ? lb_contacts_make(body) : lb_fail_memory(body->message);
    if (!status) status = lb_search_make(body->prepared, scratch, body->message);
    if (!status) sum = push_ball(body, ball, dt, scratch);
    lb_scratch_return(body->prepared, scratch);
  }
  if (!status && force) *force = sum;
  return status;
}
