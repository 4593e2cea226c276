// What a ray hits first, of all bodies of a world.
#include "collide/solid.h"
#include "world/world.h"

typedef struct Ball {
  lbVec3 centre;
  double radius;
} Ball;

// Around the rest shape, in the body's own axes.
static Ball rest_ball(const lbModel *m) {
  lbVec3 low = lb_vec3(INFINITY, INFINITY, INFINITY), high = lb_scale(-1, low);
  Ball ball = { .radius = 0 };
  for (size_t v = 0; v < (size_t)m->size.vertex_count; v++) {
    const double *x = m->vertex_positions + 3 * v;
    low = lb_vec3(fmin(low.x, x[0]), fmin(low.y, x[1]), fmin(low.z, x[2]));
    high = lb_vec3(fmax(high.x, x[0]), fmax(high.y, x[1]), fmax(high.z, x[2]));
  }
  ball.centre = lb_scale(0.5, lb_add(low, high));
  for (size_t v = 0; v < (size_t)m->size.vertex_count; v++) {
    lbVec3 x = lb_vec3_load(m->vertex_positions + 3 * v);
    ball.radius = fmax(ball.radius, lb_length(lb_sub(x, ball.centre)));
  }
  return ball;
}

// How far along the ray (of unit direction) it comes into a ball; INFINITY: it does not.
static double enter_ball(lbVec3 origin, lbVec3 direction, Ball ball) {
  lbVec3 to = lb_sub(ball.centre, origin);
  double along = lb_dot(to, direction), gap = lb_dot(to, to) - along * along;
  double inside = ball.radius * ball.radius - gap;
  if (!(inside >= 0) || along + sqrt(inside) < 0) return INFINITY;
  return fmax(along - sqrt(inside), 0);
}

// Bodies that lie one after another in the world mostly have one model.
typedef struct Seen {
  const lbModel *model;
  Ball ball;
} Seen;

static double enter_body(const lbBody *body, lbVec3 origin, lbVec3 direction, Seen *seen) {
  const lbModel *model = lb_body_model(body);
  if (seen->model != model) *seen = (Seen){ model, rest_ball(model) };
  Ball ball = { lb_body_place(body, seen->ball.centre),
                (1 + LB_SAME_PLACE) * (seen->ball.radius + lb_body_reach(body)) };
  return enter_ball(origin, direction, ball);
}

lbStatus lb_world_pick(const lbWorld *world, lbVec3 origin, lbVec3 direction, lbBodyId *id,
                       lbPick *pick, lbError *err) {
  double length = lb_length(direction);
  Seen seen = { 0 };
  if (!lb_vec3_is_bounded(origin) || !lb_vec3_is_bounded(direction) || !(length > 0))
    return lb_fail(err, LB_ERR_ARGUMENT, "pick: a ray from (%g, %g, %g) along (%g, %g, %g)",
                   origin.x, origin.y, origin.z, direction.x, direction.y, direction.z);
  *id = 0;
  for (int32_t i = 0; i < world->slot_count; i++) {
    lbBody *body = world->slots[i].body;
    lbPick found;
    bool hit = false;
    if (!body || lb_body_model(body)->size.triangle_count == 0) continue;
    double enters = enter_body(body, origin, lb_scale(1 / length, direction), &seen) / length;
    if (enters == INFINITY || (*id && enters >= pick->distance)) continue;
    lbStatus status = lb_body_pick(body, origin, direction, &found, &hit);
    if (status) return lb_fail(err, status, "%s", lb_body_message(body));
    if (!hit || (*id && found.distance >= pick->distance)) continue;
    *pick = found;
    *id = lb_world_id(i, world->slots[i].generation);
  }
  return LB_OK;
}
