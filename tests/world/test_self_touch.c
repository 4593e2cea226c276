// A body that touches itself: a soft tube between two plates, whose walls meet.
#include "contact_worlds.h"

#include "limber/build.h"

#define TUBE                                                                                       \
  "'mesh':{'generate':'tube','size':[0.2,0.2,0.3],'cells':[12,1,2],'thickness':0.03,'element':"    \
  "'brick8'},'material':{'model':'stvk','young':5e4,'poisson':0.3,'density':1000}"

static int set_up(void **state) {
  (void)state;
  lbError err;
  check_ok(lb_build_start(1, &err), err);
  return 0;
}

enum { MOVING = 60, STILL = 20 }; // steps

// m: the least height of the upper inner wall above the lower one.
static double walls_apart(const lbBody *body) {
  const lbModel *model = lb_body_model(body);
  double low = -INFINITY, high = INFINITY;
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    lbVec3 rest = lb_vec3_load(model->vertex_positions + 3 * (size_t)v), at;
    if (fabs(hypot(rest.x - 0.1, rest.y - 0.1) - 0.07) > 0.01 || fabs(rest.x - 0.1) > 0.02)
      continue;
    lb_body_point(body, lb_point_vertex(v), &at, NULL);
    if (rest.y < 0.1)
      low = fmax(low, at.y);
    else
      high = fmin(high, at.y);
  }
  return high - low;
}

// m: how far the walls, at rest 0.14 m, are apart when plates have squeezed the tube to 0.05 m,
// where walls of 0.03 m have no room (all along y). The tube buckles and goes on moving: means over
// the steps in which the plates stand still.
static double squeeze(const lbModel *model, lbMethod method, bool self, double *force) {
  lbWorldSettings settings = lb_world_settings();
  lbWorld *world = NULL;
  lbError err;
  lbBodyDef def = lb_body_def();
  lbBodyId id;
  lbColliderId plates[2];
  settings.contact = true;
  settings.self = self;
  check_ok(lb_world_create(&settings, &world, &err), err);
  def.method = method;
  check_ok(lb_world_add(world, model, &def, &id, &err), err);
  const lbBody *body = lb_world_body(world, id);
  lb_body_set_damping(lb_world_body(world, id), 20, 0.005);
  lbQuat turns[2] = { lb_quat_from_axis_angle(lb_vec3(1, 0, 0), -LB_PI / 2),
                      lb_quat_from_axis_angle(lb_vec3(1, 0, 0), LB_PI / 2) };
  for (int p = 0; p < 2; p++) { // looking along y and against it
    lbColliderDef plane = lb_collider_def();
    plane.rotation = turns[p];
    plane.position = lb_vec3(0, p ? 0.2 : 0, 0);
    check_ok(lb_world_add_collider(world, &plane, &plates[p], &err), err);
  }
  double apart = 0;
  *force = 0;
  for (int i = 0; i < MOVING + STILL; i++) {
    double way = 0.075 * fmin(1, (double)i / MOVING);
    lbVec3 pushed;
    for (int p = 0; p < 2; p++)
      check_ok(lb_world_move_collider(world, plates[p], lb_vec3(0, p ? 0.2 - way : way, 0),
                                      turns[p], &err),
               err);
    lb_world_step(world, 1.0 / 60);
    if (i < MOVING) continue;
    check_ok(lb_world_collider_force(world, plates[0], &pushed, NULL, &err), err);
    *force -= pushed.y / STILL;
    apart += walls_apart(body) / STILL;
  }
  lb_world_destroy(world);
  return apart;
}

static void walls_of_a_squeezed_tube_do_not_pass_each_other(void **state) {
  (void)state;
  static const char *const keys[] = { "'method':'warp'",
                                      "'method':'subspace','reduce':{'modes':10,'dimension':30}" };
  for (int k = 0; k < (CHECK_SANITIZED ? 1 : 2); k++) {
    char text[900];
    lbModel *model = NULL;
    lbError err;
    double with, without;
    snprintf(text, sizeof text, "{'limber':1,'bodies':[{'name':'tube'," TUBE ",%s}]}", keys[k]);
    lbScene *scene = scene_of(text);
    lbMethod method = scene->bodies[0].method;
    check_ok(lb_scene_model(&scene->bodies[0], &model, &err), err);
    lb_scene_destroy(scene);
    double passed = squeeze(model, method, false, &without);
    double kept = squeeze(model, method, true, &with);
    print_message("%s: walls %.4f m apart, %.0f N; alone %.4f m, %.0f N\n", keys[k], kept, with,
                  passed, without);
    assert_true(passed < -0.015);
    assert_true(kept > -0.005); // walls are pressed together
    lb_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(walls_of_a_squeezed_tube_do_not_pass_each_other),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
