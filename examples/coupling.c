// A soft body in somebody else's rigid world: a ball of another engine (twenty lines of one, here)
// falls on a model's body and rolls over it. In each step the other engine says where its ball will
// be, limber steps with a collider there, and the ball gets the force and the torque back.
//
// Forces come one step late to the ball, which is stable while the ball is not much lighter than
// what it moves in a step; lighter ones want shorter steps (here: four a frame).
#include <limber/limber.h>
#include <math.h>
#include <stdio.h>

typedef struct Ball { // of the other engine
  double mass, radius;
  lbVec3 position, velocity, spin;
  lbQuat rotation;
} Ball;

static void move_ball(Ball *ball, double h) {
  ball->position = lb_add_scaled(ball->position, h, ball->velocity);
  lbQuat turn = lb_quat_from_axis_angle(ball->spin, h * lb_length(ball->spin));
  if (lb_length(ball->spin) > 0) ball->rotation = lb_quat_multiply(turn, ball->rotation);
}

static void push_ball(Ball *ball, double h, lbVec3 force, lbVec3 torque) {
  double inertia = 0.4 * ball->mass * ball->radius * ball->radius;
  ball->velocity = lb_add_scaled(ball->velocity, h / ball->mass, force);
  ball->spin = lb_add_scaled(ball->spin, h / inertia, torque);
}

int main(int count, char **words) {
  lbError err;
  lbModel *model = NULL;
  lbWorld *world = NULL;
  lbWorldSettings settings = lb_world_settings();
  lbBodyDef body = lb_body_def();
  lbBodyId id;
  settings.contact = true;
  if (count < 2) return fprintf(stderr, "usage: coupling MODEL.glb\n"), 2;
  if (lb_model_load(words[1], &model, &err) || lb_world_create(&settings, &world, &err) ||
      lb_world_add(world, model, &body, &id, &err))
    return fprintf(stderr, "%s\n", err.text), 1;

  // The ball is as heavy as a fifth of the body and begins over its middle.
  lbVec3 centre = lb_body_report(lb_world_body(world, id)).centre, top = centre;
  double size = 0;
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    lbVec3 x = lb_vec3_load(model->vertex_positions + 3 * v);
    if (x.z > top.z) top.z = x.z;
    size = fmax(size, lb_length(lb_sub(x, centre)));
  }
  Ball ball = { .mass = 0.2 * lb_body_report(lb_world_body(world, id)).mass,
                .radius = 0.1 * size,
                .position = lb_vec3(top.x, top.y, top.z + 0.2 * size),
                .rotation = lb_quat_identity() };
  lbColliderDef def = lb_collider_def();
  lbColliderId collider;
  def.shape = LB_COLLIDER_SPHERE;
  def.radius = ball.radius;
  def.position = ball.position;
  if (lb_world_add_collider(world, &def, &collider, &err))
    return fprintf(stderr, "%s\n", err.text), 1;

  double h = 1.0 / 240;
  for (int step = 0; step < 240; step++) {
    lbVec3 force, torque;
    push_ball(&ball, h, lb_vec3(0, 0, -9.81 * ball.mass), lb_vec3(0, 0, 0));
    move_ball(&ball, h);
    lb_world_move_collider(world, collider, ball.position, ball.rotation, &err);
    lb_world_step(world, h);
    lb_world_collider_force(world, collider, &force, &torque, &err);
    push_ball(&ball, h, force, torque);
    if (step % 24 == 23)
      printf("%.3f s: ball at %.4f %.4f %.4f m, pushed by %.3f N\n", (step + 1) * h,
             ball.position.x, ball.position.y, ball.position.z, lb_length(force));
  }
  lb_world_destroy(world);
  lb_model_destroy(model);
  return 0;
}
