// Bodies that are held or pressed while they touch something: constraints and contacts that act at
// the same time.
#include "rigid_bodies.h"

static const double h = 1.0 / 60;

static lbModel *make_model(const char *mesh, const char *method) {
  char keys[700];
  snprintf(keys, sizeof keys,
           "'mesh':{%s},'material':{'model':'stvk','young':1e5,'poisson':0.4,'density':1000},"
           "'damping':{'mass':0.1,'stiffness':0.004},%s",
           mesh, method);
  return body_model(keys);
}

// A soft rod that hangs by a corner and swings onto the ground. Returns the most energy, its
// weight's included, above that of the start, in weights times its length.
static double swing_onto_ground(const char *method) {
  lbModel *model = make_model("'generate':'bar','size':[0.6,0.04,0.04],'cells':[15,1,1]", method);
  lbWorld *world = rigid_world(lb_vec3(0, 0, -9.81), true, 0.5);
  lbAttachment hand = lb_attachment();
  lbAttachmentId id;
  lbError err;
  double most = 0, touched = 0;
  add_plane(world, lb_vec3(0, 0, 1));
  hand.body = add_block(world, model, lb_vec3(-0.3, -0.02, 0.38));
  hand.point = lb_point_vertex(0);
  check_ok(lb_world_attach(world, &hand, &id, &err), err);
  const lbBody *body = lb_world_body(world, hand.body);
  double start = energy_of(body), mass = lb_body_report(body).mass;
  for (int step = 0; step < 150; step++) {
    assert_int_equal(lb_world_step(world, h) & LB_STEP_NONFINITE, 0);
    most = fmax(most, energy_of(body) - start);
    touched = fmax(touched, lb_world_contact_force(world, hand.body).z);
  }
  assert_true(touched > 0.1 * 9.81 * mass);
  lb_world_destroy(world);
  lb_model_destroy(model);
  return most / (9.81 * mass * 0.6);
}

static void held_bodies_that_touch_the_ground_gain_no_energy(void **state) {
  (void)state;
  const char *const methods[] = { "'method':'modal','reduce':{'modes':20}",
                                  "'method':'subspace','reduce':{'modes':13,'dimension':24}",
                                  "'method':'warp'", "'method':'frames','frames':{'count':7}" };
  for (int m = 0; m < 4; m++) {
    double gain = swing_onto_ground(methods[m]);
    print_message("%s: gains %.2g of m g L\n", methods[m], gain);
    check_small(gain, 0.03);
  }
}

// A plate that comes down on a torus of few modes to 80 % of its height: it has fewer freedoms than
// the 32 contacts, so that these can only be met nearly.
static void more_contacts_than_freedoms_end_in_a_compromise(void **state) {
  (void)state;
  lbModel *model = make_model("'generate':'torus','size':[0.3,0.3,0.1],'segments':24",
                              "'method':'modal','reduce':{'modes':20}");
  lbWorld *world = rigid_world(lb_vec3(0, 0, -9.81), true, 0.5);
  lbColliderDef def = lb_collider_def();
  lbColliderId top;
  lbError err;
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_block(world, model, lb_vec3(-0.15, -0.15, 0.001));
  def.shape = LB_COLLIDER_BOX, def.position = lb_vec3(0, 0, 0.16);
  def.size[0] = def.size[1] = 1, def.size[2] = 0.1;
  check_ok(lb_world_add_collider(world, &def, &top, &err), err);
  double fastest = 0, mass = lb_body_report(lb_world_body(world, id)).mass;
  int contacts = 0;
  for (int step = 1; step <= 90; step++) {
    double z = 0.16 - 0.03 * fmin(step * h, 1);
    check_ok(lb_world_move_collider(world, top, lb_vec3(0, 0, z), lb_quat(0, 0, 0, 1), &err), err);
    assert_int_equal(lb_world_step(world, h) & LB_STEP_NONFINITE, 0);
    lbBodyReport r = lb_body_report(lb_world_body(world, id));
    fastest = fmax(fastest, sqrt(2 * r.kinetic / mass));
    assert_true(r.centre.z > 0 && r.centre.z < z);
    lbContactStats stats = lb_world_contact_stats(world);
    if (stats.contacts > contacts) contacts = stats.contacts;
  }
  print_message("%d contacts, at most %.3g m/s\n", contacts, fastest);
  assert_true(contacts > 26);
  check_small(fastest, 1); // m/s: what overlaps comes apart no faster
  lb_world_destroy(world);
  lb_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(held_bodies_that_touch_the_ground_gain_no_energy),
    cmocka_unit_test(more_contacts_than_freedoms_end_in_a_compromise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
