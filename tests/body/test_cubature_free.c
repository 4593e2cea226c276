// Free bodies with forces by cubature, of every law: what they do where no force but rounding acts
// on their shape, and after steps that diverged.
#include "scene_bodies.h"

#include "method/subspace/subspace.h"

static const char *const laws[] = { "linear",     "stvk",         "corotated",
                                    "neohookean", "mooneyrivlin", "stable_neohookean" };
enum { LAWS = sizeof laws / sizeof *laws };

// A rod that floats.
static lbModel *rod_of(const char *law, double young) {
  char text[1024], moduli[128];
  bool rubber = strcmp(law, "mooneyrivlin") == 0;
  if (rubber)
    snprintf(moduli, sizeof moduli, "'c10':%g,'c01':%g,'v1':%g", 0.1 * young, 0.03 * young, young);
  else
    snprintf(moduli, sizeof moduli, "'young':%g,'poisson':0.4", young);
  snprintf(text, sizeof text,
           "{'limber':1,'bodies':[{'name':'rod','mesh':{'generate':'bar','size':[0.6,0.04,0.04],"
           "'cells':[15,1,1]},'material':{'model':'%s',%s,'density':1000},"
           "'damping':{'mass':0.1,'stiffness':0.004},'method':'subspace',"
           "'reduce':{'modes':6,'dimension':10,'forces':'cubature'}}]}",
           law, moduli);
  return model_of(text);
}

// ---- forces that cancel ------------------------------------------------------------------------

static int evaluations; // of forces
static lbForceModel counting;

static double count_force(const void *data, const double *q, double *R, double *work) {
  evaluations++;
  return lb_cubature_forces.force(data, q, R, work);
}

static double count_along(const void *data, const double *q, const double *v, double *R, double *Kv,
                          double *work) {
  evaluations++;
  return lb_cubature_forces.along(data, q, v, R, Kv, work);
}

static double count_evaluate(const void *data, const double *q, double *R, double *K,
                             double *work) {
  evaluations++;
  return lb_cubature_forces.evaluate(data, q, R, K, work);
}

static void count_evaluations(lbBody *body) {
  counting = lb_cubature_forces;
  counting.force = count_force, counting.along = count_along, counting.evaluate = count_evaluate;
  ((lbSubspace *)body->prepared->own)->forces = &counting;
}

// Gravity moves the frame and not the shape, so the forces on the shape are rounding, and a step
// needs no more than the force at its start and at its end.
static void bodies_that_fall_converge_at_once(void **state) {
  (void)state;
  const lbIntegrator integrators[] = { LB_INTEGRATOR_NEWMARK, LB_INTEGRATOR_EULER };
  for (int law = 0; law < LAWS; law++)
    for (double young = 1e3; young < 1e12; young *= 1e4) {
      lbModel *model = rod_of(laws[law], young);
      for (int kind = 0; kind < 8; kind++) {
        lbBodyDef def = lb_body_def();
        def.gravity = lb_vec3(0, 0, kind & 1 ? -9.81 : 0);
        def.newton_iterations = kind & 2 ? 20 : 1;
        def.integrator = integrators[kind / 4];
        lbBody *body = body_of(model, &def);
        body_ok(body, lb_body_set_velocity(body, lb_vec3(3, -2, 1), lb_vec3(0, 0, 0)));
        count_evaluations(body);
        lb_body_step(body, 1.0 / 60); // nothing is known of its start
        evaluations = 0;
        for (int step = 0; step < 60; step++) {
          int32_t flags = lb_body_step(body, 1.0 / 60);
          if (flags || evaluations > 2 * (step + 1))
            fail_msg("%s, young %g, kind %d, step %d: flags %x, %d evaluations", laws[law], young,
                     kind, step, (unsigned)flags, evaluations);
        }
        lbBodyReport report = lb_body_report(body);
        lbVec3 speed = lb_scale(1 / report.mass, report.linear_momentum);
        double decay = exp(-0.1 * 61 / 60.0);
        assert_true(fabs(speed.x - 3 * decay) < 1e-9 && fabs(speed.y + 2 * decay) < 1e-9);
        lb_body_destroy(body);
      }
      lb_model_destroy(model);
    }
}

// Rounding hides no force that matters: a load of 1e-10 of the weight bends the rod as one of 1e-7
// does.
static void small_forces_are_not_lost(void **state) {
  (void)state;
  for (int law = 0; law < LAWS; law++) {
    lbModel *model = rod_of(laws[law], 1e5);
    double moved[2];
    for (int small = 0; small < 2; small++) {
      double force = small ? 1e-9 : 1e-6;
      lbBodyDef def = lb_body_def();
      def.newton_iterations = 20;
      lbBody *body = body_of(model, &def);
      for (int step = 0; step < 10; step++) {
        for (int32_t node = 0; node < 3; node++)
          body_ok(body, lb_body_apply_force(body, lb_point_node(node), lb_vec3(0, 0, force)));
        assert_int_equal(lb_body_step(body, 1.0 / 60), 0);
      }
      double q[16], size = 0;
      lb_body_get_state(body, q, NULL);
      for (int32_t i = 0; i < lb_body_dimension(body); i++) size = fmax(size, fabs(q[i]));
      moved[small] = size / force;
      lb_body_destroy(body);
    }
    print_message("%s: %g m a newton, and %g of it more\n", laws[law], moved[0],
                  moved[1] / moved[0] - 1);
    assert_true(fabs(moved[1] / moved[0] - 1) < 1e-3);
    lb_model_destroy(model);
  }
}

// ---- steps that diverge ------------------------------------------------------------------------

// Whether the next step can be begun: its contacts would be found with that.
static bool can_open(lbBody *body) {
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  lbFrameState start = body->frame;
  lbStep step = { .h = 1.0 / 60, .share = 1, .whole = &start };
  assert_non_null(scratch);
  int32_t flags = lb_part_open(body, &step, scratch);
  lb_scratch_return(body->prepared, scratch);
  return !(flags & LB_STEP_NONFINITE);
}

static void bodies_can_be_linearised_after_steps_that_diverged(void **state) {
  (void)state;
  int adapted = 0;
  for (int law = 0; law < LAWS; law++) {
    lbModel *model = rod_of(laws[law], 1e5);
    uint64_t seed = 11;
    for (double force = 1; force < 1e7; force *= 10) {
      lbBodyDef def = lb_body_def();
      lbBody *body = body_of(model, &def);
      for (int step = 0; step < 40; step++) {
        int32_t node = (int32_t)(20 * (check_random(&seed) + 1));
        lbVec3 f = lb_vec3(check_random(&seed), check_random(&seed), check_random(&seed));
        if (step % 8 < 2)
          body_ok(body, lb_body_apply_force(body, lb_point_node(node), lb_scale(force, f)));
        int32_t flags = lb_body_step(body, 1.0 / 60);
        adapted += (flags & LB_STEP_ADAPTED) != 0;
        if (!can_open(body))
          fail_msg("%s, %g N, step %d: flags %x", laws[law], force, step, (unsigned)flags);
      }
      lb_body_destroy(body);
    }
    lb_model_destroy(model);
  }
  print_message("%d steps adapted\n", adapted);
  assert_true(adapted > 0); // otherwise none diverged
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_that_fall_converge_at_once),
    cmocka_unit_test(small_forces_are_not_lost),
    cmocka_unit_test(bodies_can_be_linearised_after_steps_that_diverged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
