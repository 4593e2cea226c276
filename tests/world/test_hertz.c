// Contact against theory and against the unreduced body: Hertz's force of a soft sphere between two
// plates, and a bounce on the ground.
#include "contact_worlds.h"

#include "limber/build.h"

#define SPHERE                                                                                     \
  "'mesh':{'generate':'sphere','size':[0.2,0.2,0.2],'cells':[8,8,8],'segments':32},'material':{'"  \
  "model':"                                                                                        \
  "'stvk','young':1e5,'poisson':0.3,'density':1000}"

static int set_up(void **state) {
  (void)state;
  lbError err;
  check_ok(lb_build_start(1, &err), err);
  return 0;
}

#define COARSE                                                                                     \
  "'mesh':{'generate':'sphere','size':[0.2,0.2,0.2],'cells':[4,4,4],'segments':16},'material':{"   \
  "'model':'stvk','young':1e6,'poisson':0.3,'density':1000}"
#define MANY "'method':'modal','reduce':{'modes':60}"

// NULL: unreduced, the volume of another model.
static lbModel *make_model(const char *ball, const char *method, lbMethod *out) {
  char text[900];
  lbModel *model = NULL;
  lbError err;
  snprintf(text, sizeof text, "{'limber':1,'bodies':[{'name':'ball',%s,%s}]}", ball,
           method ? method : MANY);
  lbScene *scene = scene_of(text);
  *out = method ? scene->bodies[0].method : LB_METHOD_FULL;
  check_ok(lb_scene_model(&scene->bodies[0], &model, &err), err);
  lb_scene_destroy(scene);
  return model;
}

// N: the force on plates that press a sphere by `approach` (m) each, when all has come to rest.
static double press(const lbModel *model, lbMethod method, double approach) {
  lbWorld *world = world_with(lb_vec3(0, 0, 0), 0);
  lbBodyDef def = lb_body_def();
  lbBodyId id;
  lbError err;
  def.method = method;
  check_ok(lb_world_add(world, model, &def, &id, &err), err);
  lb_body_set_damping(lb_world_body(world, id), 40, 0.002);
  lbVec3 centre = lb_body_report(lb_world_body(world, id)).centre, force;
  lbColliderId plates[2];
  for (int p = 0; p < 2; p++) {
    lbColliderDef plane = lb_collider_def();
    plane.position = lb_vec3(0, 0, centre.z + (p ? 0.1 : -0.1));
    if (p) plane.rotation = lb_quat_from_axis_angle(lb_vec3(1, 0, 0), LB_PI);
    check_ok(lb_world_add_collider(world, &plane, &plates[p], &err), err);
  }
  for (int i = 0; i < 120; i++) {
    double way = approach * fmin(1, i / 60.0);
    for (int p = 0; p < 2; p++)
      check_ok(lb_world_move_collider(
                   world, plates[p], lb_vec3(0, 0, centre.z + (p ? 0.1 - way : way - 0.1)),
                   p ? lb_quat_from_axis_angle(lb_vec3(1, 0, 0), LB_PI) : lb_quat_identity(), &err),
               err);
    lb_world_step(world, 1.0 / 60);
  }
  check_ok(lb_world_collider_force(world, plates[1], &force, NULL, &err), err);
  lb_world_destroy(world);
  return force.z;
}

// Few shapes of the whole sphere cannot show the dent at a point: they are stiffer than it, the
// less so the larger the dent.
static void soft_spheres_push_as_hertz_says(void **state) {
  (void)state;
  static const char *const keys[] = { "'method':'subspace','reduce':{'modes':20,'dimension':60}",
                                      MANY };
  for (int b = 0; b < 2; b++) {
    lbMethod method;
    lbModel *model = make_model(SPHERE, keys[b], &method);
    double before = INFINITY;
    for (double approach = 0.004; approach < 0.02; approach *= 2) {
      double R = 0.1, E = 1e5 / (1 - 0.3 * 0.3);
      double hertz = 4.0 / 3 * E * sqrt(R) * pow(approach, 1.5);
      double ratio = press(model, method, approach) / hertz;
      print_message("%s: pressed by %.3g of the radius: %.3g times Hertz's %.4g N\n", keys[b],
                    approach / R, ratio, hertz);
      assert_true(ratio > 1 && ratio < before);
      before = ratio;
    }
    check_small(before, 2.2);
    lb_model_destroy(model);
  }
}

// Peak force (N) and the height to which a ball rebounds that meets the ground at 3 m/s.
static void bounce(const lbModel *model, lbMethod method, double *peak, double *height) {
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  lbBodyDef def = lb_body_def();
  lbBodyId id;
  lbError err;
  def.method = method;
  def.position = lb_vec3(0, 0, 0.005);
  check_ok(lb_world_add(world, model, &def, &id, &err), err);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBody *body = lb_world_body(world, id);
  lb_body_set_damping(body, 0, 0.001);
  lb_body_set_velocity(body, lb_vec3(0, 0, -3), lb_vec3(0, 0, 0));
  *peak = *height = 0;
  for (int i = 0; i < 48; i++) {
    lb_world_step(world, 1.0 / 240);
    lbBodyReport r = lb_body_report(body);
    double speed = r.linear_momentum.z / r.mass;
    *peak = fmax(*peak, lb_world_contact_force(world, id).z);
    if (speed > 0) *height = fmax(*height, r.centre.z + speed * speed / (2 * 9.81) - 0.1);
  }
  lb_world_destroy(world);
}

static void reduced_bodies_bounce_as_the_full_one(void **state) {
  (void)state;
  static const char *const keys[] = { NULL,
                                      "'method':'subspace','reduce':{'modes':20,'dimension':60}",
                                      MANY };
  double peaks[3], heights[3];
  for (int b = 0; b < (CHECK_SANITIZED ? 1 : 3); b++) {
    lbMethod method;
    lbModel *model = make_model(COARSE, keys[b], &method);
    bounce(model, method, &peaks[b], &heights[b]);
    print_message("%s: peak %.4g N, rebound to %.4g m\n", keys[b] ? keys[b] : "full", peaks[b],
                  heights[b]);
    check_near(peaks[b] / peaks[0], 1, 0.1);
    check_near(heights[b] / heights[0], 1, method == LB_METHOD_MODAL ? 0.45 : 0.1);
    lb_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(soft_spheres_push_as_hertz_says),
    cmocka_unit_test(reduced_bodies_bounce_as_the_full_one),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
