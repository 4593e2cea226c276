// What is crushed: bodies far too soft for what stands on them or falls onto them.
#include "rigid_bodies.h"

enum { METHODS = 4 };
static const char *const methods[METHODS] = {
  "'method':'modal','reduce':{'modes':12}",
  "'method':'subspace','reduce':{'modes':6,'dimension':15}", "'method':'warp'",
  "'method':'frames','frames':{'count':4,'samples':60}"
};

typedef struct Crush {
  double rise;    // of the energy there is, above the least before
  double fastest; // m/s: of the block's centre
  int32_t flags;
} Crush;

static double energy_of_both(const lbWorld *world, const lbBodyId ids[2]) {
  return energy_of(lb_world_body(world, ids[0])) + energy_of(lb_world_body(world, ids[1]));
}

// A rigid box of 0.4 m above a block of 0.2 m and 8 kg, for a second.
static Crush crush(const lbModel *block, double mass, double fall, double step) {
  lbModel *box = rigid_box(0.4, 0.4, 0.4, mass / 0.064);
  lbWorld *world = rigid_world(lb_vec3(0, 0, -9.81), true, 0.5);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId ids[2] = { add_block(world, block, lb_vec3(-0.1, -0.1, 0)),
                      add_block(world, box, lb_vec3(0, 0, 0.4 + fall)) };
  double first = energy_of_both(world, ids), least = first;
  Crush result = { 0 };
  for (int i = 0; i < (int)(1 / step); i++) {
    result.flags |= lb_world_step(world, step);
    double energy = energy_of_both(world, ids);
    result.rise = fmax(result.rise, energy - least), least = fmin(least, energy);
    lbBodyReport r = lb_body_report(lb_world_body(world, ids[0]));
    result.fastest = fmax(result.fastest, lb_length(r.linear_momentum) / r.mass);
    assert_true(isfinite(energy));
  }
  result.rise /= first;
  lb_world_destroy(world);
  lb_model_destroy(box);
  return result;
}

// Its own energies and what its weight brings: nothing gets more than that, and flies away.
static void what_is_crushed_gains_little_energy(void **state) {
  (void)state;
  static const double masses[] = { 800, 8000 }, bounds[METHODS] = { 0.005, 0.06, 0.005, 0.1 };
  int cases = CHECK_CASES(4);
  for (int m = 0; m < METHODS; m++) {
    lbModel *block = soft_block(methods[m], 1e5);
    for (int i = 0; i < cases; i++) {
      double fall = i % 2 ? 0 : 0.5, step = m == 0 ? 1.0 / 240 : 1.0 / 60;
      Crush c = crush(block, masses[i / 2], fall, step);
      print_message("%s, %g kg, falls by %g m: energy rises by %.2g of %.2g, %.3g m/s, flags %x\n",
                    methods[m], masses[i / 2], fall, c.rise, bounds[m], c.fastest, c.flags);
      check_small(c.rise, bounds[m]);
      check_small(c.fastest, 12);
    }
    lb_model_destroy(block);
  }
}

// m: where a press is that closes to a tenth of the block's height in a second, and opens.
static double press_at(double t) {
  double low = 0.02, closing = 0.25 - 0.23 * t;
  return t < 1 ? closing : low + 0.66 * (t - 1);
}

static void a_press_that_closes_throws_nothing_away(void **state) {
  (void)state;
  for (int m = 0; m < (CHECK_SANITIZED ? 1 : 3); m++) { // bodies of frames go astray
    lbModel *block = soft_block(methods[m], 1e5);
    lbWorld *world = rigid_world(lb_vec3(0, 0, -9.81), true, 0.5);
    lbColliderDef def = lb_collider_def();
    lbColliderId press;
    lbError err;
    add_plane(world, lb_vec3(0, 0, 1));
    def.shape = LB_COLLIDER_BOX;
    def.size[0] = def.size[1] = 0.6, def.size[2] = 0.2;
    def.position = lb_vec3(0, 0, 0.1 + press_at(0));
    check_ok(lb_world_add_collider(world, &def, &press, &err), err);
    lbBody *body = lb_world_body(world, add_block(world, block, lb_vec3(-0.1, -0.1, 0)));
    double fastest = 0;
    lbBodyReport r = { 0 };
    for (int i = 1; i <= 120; i++) {
      lbVec3 place = lb_vec3(0, 0, 0.1 + press_at(i / 60.0));
      check_ok(lb_world_move_collider(world, press, place, def.rotation, &err), err);
      lb_world_step(world, 1.0 / 60);
      r = lb_body_report(body);
      fastest = fmax(fastest, lb_length(r.linear_momentum) / r.mass);
      assert_true(isfinite(r.kinetic + r.elastic));
    }
    print_message("%s: %.3g m/s, ends at %.3g m with %.2g J\n", methods[m], fastest, r.centre.z,
                  r.kinetic);
    check_small(fastest, 20);
    check_small(r.kinetic, 5);
    lb_world_destroy(world);
    lb_model_destroy(block);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_crushed_gains_little_energy),
    cmocka_unit_test(a_press_that_closes_throws_nothing_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
