// Bodies with forces by cubature under loads that no model can follow, of every law: never a NaN,
// energy that was not put in does not appear, and they come back.
#include "toy_cubature.h"

static const lbMaterialModel laws[] = { LB_MATERIAL_STVK, LB_MATERIAL_COROTATED,
                                        LB_MATERIAL_NEOHOOKEAN, LB_MATERIAL_STABLE_NEOHOOKEAN,
                                        LB_MATERIAL_MOONEYRIVLIN };
enum { LAWS = sizeof laws / sizeof *laws, EVERY = 4 };

// A bar with every so many of its elements, which is all that a step takes its time for.
typedef struct Few {
  CubToy toy;
  lbModel *model;
} Few;

static Few make_few(lbMaterialModel law) {
  Few few = { .toy = cub_make(sub_bar(), law) };
  few.model = cub_model(few.toy.sub.model, law, EVERY);
  return few;
}

static void destroy_few(Few *few) {
  lb_model_destroy(few->model);
  cub_destroy(&few->toy);
}

static void check_state(const lbBody *body) {
  double q[32], v[32];
  lb_body_get_state(body, q, v);
  for (int32_t i = 0; i < lb_body_dimension(body); i++)
    assert_true(isfinite(q[i]) && isfinite(v[i]));
  lbBodyReport report = lb_body_report(body);
  assert_true(isfinite(report.kinetic) && isfinite(report.elastic));
}

// A point is dragged to and fro by many lengths of the bar a second, then let go.
static void absurd_drags_are_survived(void **state) {
  (void)state;
  for (int law = 0; law < LAWS; law++)
    for (int soft = 0; soft < 2; soft++) {
      Few few = make_few(laws[law]);
      lbBodyDef def = sub_body_def();
      def.recover = true;
      def.damping_mass = 3;
      lbBody *body = cub_body_of(few.model, &def);
      lbConstraintDef pull = lb_constraint_def();
      lbPoint point = lb_point_node(sub_tip(&few.toy.sub));
      int32_t id = -1, flags = 0, bad = 0;
      uint64_t seed = 5 + (uint64_t)law;
      pull.point_count = 1, pull.points = &point;
      if (soft) pull.stiffness = 3e3, pull.damping = 10;
      body_ok(body, lb_body_add_constraint(body, &pull, &id));
      lbVec3 rest = tip_rest(&few.toy.sub);
      for (int step = 0; step < 120; step++) {
        double target[3] = { rest.x, rest.y, rest.z };
        for (int c = 0; c < 3; c++) target[c] += (step % 5 ? 1 : 10) * check_random(&seed);
        body_ok(body, lb_body_set_target(body, id, target));
        int32_t now = lb_body_step(body, 1.0 / 60);
        flags |= now, bad += (now & LB_STEP_NONFINITE) != 0;
        check_state(body);
      }
      body_ok(body, lb_body_remove_constraint(body, id));
      double most = sub_energy(body);
      double left = most;
      for (int step = 0; step < 1500 && left > 1e-7 * (1 + most); step++) {
        flags |= lb_body_step(body, 1.0 / 60);
        if (step < 200) check_state(body);
        left = sub_energy(body);
      }
      print_message("%s%s: flags %x, %d steps not taken, energy %.3g -> %.3g J\n",
                    lb_material_model_name(laws[law]), soft ? ", by a spring" : "", (unsigned)flags,
                    (int)bad, most, left);
      assert_true(left <= 1e-6 * (1 + most));
      lb_body_destroy(body);
      destroy_few(&few);
    }
}

// Flung about without damping at coarse steps.
static void undamped_bodies_do_not_gain_energy(void **state) {
  (void)state;
  for (int law = 0; law < LAWS; law++)
    for (double speed = 1; speed < 20; speed *= 4) {
      Few few = make_few(laws[law]);
      lbBodyDef def = sub_body_def();
      def.damping_mass = def.damping_stiffness = 0;
      lbBody *body = cub_body_of(few.model, &def);
      body_ok(body, lb_body_set_velocity(body, lb_vec3(0, 0, speed), lb_vec3(0, speed, 0)));
      double start = sub_energy(body), most = start, least = start;
      int adapted = 0;
      for (int step = 0; step < (CHECK_SANITIZED ? 30 : 300); step++) {
        int32_t flags = lb_body_step(body, 1.0 / 60);
        assert_int_equal(flags & LB_STEP_NONFINITE, 0);
        adapted += (flags & LB_STEP_ADAPTED) != 0;
        most = fmax(most, sub_energy(body)), least = fmin(least, sub_energy(body));
      }
      print_message("%s, speed %g: energy %.3f to %.3f of the start's, %d steps adapted\n",
                    lb_material_model_name(laws[law]), speed, least / start, most / start, adapted);
      assert_true(most <= 1.05 * start);
      assert_true(least >= 0.5 * start || adapted > 0);
      lb_body_destroy(body);
      destroy_few(&few);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(absurd_drags_are_survived),
    cmocka_unit_test(undamped_bodies_do_not_gain_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
