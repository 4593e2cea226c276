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

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_crushed_gains_little_energy) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
