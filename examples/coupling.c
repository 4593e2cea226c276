// A soft body in somebody else's rigid world: a ball of another engine (twenty lines of one, here)
// falls on a model's body and bounces on it. The world of limber has a rigid body of the ball's
// shape and mass that stands for it. In each step it gets the ball's pose and velocity, limber
// steps, and what contacts changed of its momenta is the force and the torque on the ball: found
// with the inertia of both sides, so any ball is stable, and momentum is kept.
#include <limber/limber.h>
#include <math.h>
#include <stdio.h>

static const double g = 9.81;

typedef struct Ball { // of the other engine
  double mass, radius;
  lbVec3 position, velocity, spin;
  lbQuat rotation;
} Ball;

static void step_ball(Ball *ball, double h, lbVec3 force, lbVec3 torque) {
  double inertia = 0.4 * ball->mass * ball->radius * ball->radius;
  ball->velocity = lb_add_scaled(ball->velocity, h / ball->mass, force);
  ball->velocity.z -= h * g;
  ball->spin = lb_add_scaled(ball->spin, h / inertia, torque);
  ball->position = lb_add_scaled(ball->position, h, ball->velocity);
  lbQuat turn = lb_quat_from_axis_angle(ball->spin, h * lb_length(ball->spin));
  if (lb_length(ball->spin) > 0) ball->rotation = lb_quat_multiply(turn, ball->rotation);
}

// N m s, about the centre of mass; that of a report is about the world's origin.
static lbVec3 spin_momentum(const lbBodyReport *r) {
  return lb_sub(r->angular_momentum, lb_cross(r->centre, r->linear_momentum));
}

// Pose and velocity in, force and torque (about the centre) out, within one step.
static void step_world(lbWorld *world, lbBodyId stand_in, const Ball *ball, double h, lbVec3 *force,
                       lbVec3 *torque) {
  lbBody *body = lb_world_body(world, stand_in);
  lb_body_set_placement(body, ball->position, ball->rotation);
  lb_body_set_velocity(body, ball->velocity, ball->spin);
  lbBodyReport before = lb_body_report(body);
  lb_world_step(world, h);
  lbBodyReport after = lb_body_report(body);
  *force = lb_scale(1 / h, lb_sub(after.linear_momentum, before.linear_momentum));
  force->z += ball->mass * g; // the other engine has gravity of its own
  *torque = lb_scale(1 / h, lb_sub(spin_momentum(&after), spin_momentum(&before)));
}

// As heavy as a fifth of the body, over its highest place.
static Ball make_ball(const lbModel *model, const lbBody *body) {
  lbBodyReport report = lb_body_report(body);
  lbVec3 top = report.centre;
  double size = 0;
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    lbVec3 x = lb_vec3_load(model->vertex_positions + 3 * v);
    if (x.z > top.z) top.z = x.z;
    size = fmax(size, lb_length(lb_sub(x, report.centre)));
  }
  return (Ball){ .mass = 0.2 * report.mass,
                 .radius = 0.1 * size,
                 .position = lb_vec3(top.x, top.y, top.z + 0.2 * size),
                 .rotation = lb_quat_identity() };
}

int main(int count, char **words) {
  lbError err;
  lbModel *model = NULL, *rigid = NULL;
  lbWorld *world = NULL;
  lbWorldSettings settings = lb_world_settings();
  lbBodyDef body = lb_body_def();
  lbBodyId id, stand_in;
  settings.contact = true;
  settings.gravity = lb_vec3(0, 0, -g);
  if (count < 2) return fprintf(stderr, "usage: coupling MODEL.glb\n"), 2;
  if (lb_model_load(words[1], &model, &err) || lb_world_create(&settings, &world, &err) ||
      lb_world_add(world, model, &body, &id, &err))
    return fprintf(stderr, "%s\n", err.text), 1;
  Ball ball = make_ball(model, lb_world_body(world, id));
  lbColliderDef shape = lb_collider_def();
  shape.shape = LB_COLLIDER_SPHERE;
  shape.radius = ball.radius;
  double volume = 4.0 / 3 * LB_PI * pow(ball.radius, 3);
  if (lb_rigid_model(&shape, ball.mass / volume, &rigid, &err) ||
      lb_world_add(world, rigid, &body, &stand_in, &err))
    return fprintf(stderr, "%s\n", err.text), 1;

  double h = 1.0 / 240;
  for (int step = 0; step < 240; step++) {
    lbVec3 force, torque;
    step_world(world, stand_in, &ball, h, &force, &torque);
    step_ball(&ball, h, force, torque);
    if (step % 24 == 23)
      printf("%.3f s: ball at %.4f %.4f %.4f m, pushed by %.3f N\n", (step + 1) * h,
             ball.position.x, ball.position.y, ball.position.z, lb_length(force));
  }
  lb_world_destroy(world);
  lb_model_destroy(rigid);
  lb_model_destroy(model);
  return 0;
}
