// Unreduced bodies in free flight: momenta and energy, for every law and integrator.
#include "rig.h"

#include <stdio.h>

#define FREE(law) SCENE(law, "")

enum { SECONDS = CHECK_SANITIZED ? 1 : 2 };

typedef struct Flight {
  double linear, angular; // the largest error of momenta, relative
  double gain, loss;      // of energy, relative
} Flight;

static double energy_of(const lbBodyReport *r) { return r->kinetic + r->elastic; }

static lbVec3 spin_of(const lbBodyReport *r) { // about the centre
  return lb_sub(r->angular_momentum, lb_cross(r->centre, r->linear_momentum));
}

static Flight fly(const Rig *rig, const lbBodyDef *def, double h) {
  lbBody *body = body_of(rig, def);
  Flight most = { 0 };
  body_ok(body, lb_body_set_velocity(body, lb_vec3(3, -1, 2), lb_vec3(5, 3, 2.6)));
  lbBodyReport first = lb_body_report(body);
  lbVec3 rest = lb_scale(first.mass, def->gravity);
  for (int i = 0; i < (int)(SECONDS / h); i++) {
    int32_t flags = lb_body_step(body, h);
    if (flags & ~LB_STEP_SHIFTED) fail_msg("step %d has flags %d", i, (int)flags);
    lbBodyReport now = lb_body_report(body);
    lbVec3 linear = lb_add_scaled(first.linear_momentum, (i + 1) * h, rest);
    double off = lb_length(lb_sub(now.linear_momentum, linear)) / lb_length(linear);
    double turned = lb_length(lb_sub(spin_of(&now), spin_of(&first)));
    double change = energy_of(&now) - energy_of(&first);
    change -= first.mass * lb_dot(def->gravity, lb_sub(now.centre, first.centre));
    most.linear = fmax(most.linear, off);
    most.angular = fmax(most.angular, turned / lb_length(spin_of(&first)));
    most.gain = fmax(most.gain, change / energy_of(&first));
    most.loss = fmax(most.loss, -change / energy_of(&first));
  }
  lb_body_destroy(body);
  return most;
}

static const char *const laws[] = { FREE("stvk"), FREE("corotated"), FREE("neohookean") };
enum { LAWS = sizeof laws / sizeof *laws };

static void thrown_bodies_keep_momenta_and_energy(void **state) {
  (void)state;
  const double steps[] = { 1.0 / 60, 1.0 / 240 };
  for (int law = 0; law < LAWS; law++)
    for (int k = 0; k < 2; k++)
      for (int weight = 0; weight < 2; weight++) {
        Rig rig = rig_of(laws[law]);
        lbBodyDef def = full_def();
        if (!weight) def.gravity = lb_vec3(0, 0, 0);
        Flight most = fly(&rig, &def, steps[k]);
        print_message("law %d, 1/%g s, weight %d: momenta %.1e, %.1e, energy +%.1e, -%.1e\n", law,
                      1 / steps[k], weight, most.linear, most.angular, most.gain, most.loss);
        check_small(most.linear, 1e-9);
        check_small(most.angular, 1e-9);
        check_small(most.gain, 1e-2);
        check_small(most.loss, 1e-2);
        rig_release(&rig);
      }
}

// Damping by stiffness acts on the shape alone, implicit Euler damps nothing but shapes.
static void damped_bodies_keep_momenta(void **state) {
  (void)state;
  for (int law = 0; law < LAWS; law++)
    for (int euler = 0; euler < 2; euler++) {
      Rig rig = rig_of(laws[law]);
      lbBodyDef def = full_def();
      def.gravity = lb_vec3(0, 0, 0);
      def.damping_stiffness = euler ? 0 : 2e-3;
      def.integrator = euler ? LB_INTEGRATOR_EULER : LB_INTEGRATOR_NEWMARK;
      Flight most = fly(&rig, &def, 1.0 / 60);
      print_message("law %d, %s: momenta %.1e, %.1e, energy +%.1e, -%.1e\n", law,
                    euler ? "Euler" : "damped", most.linear, most.angular, most.gain, most.loss);
      check_small(most.linear, 1e-9);
      check_small(most.angular, 1e-9);
      check_small(most.gain, 1e-2);
      rig_release(&rig);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(thrown_bodies_keep_momenta_and_energy),
    cmocka_unit_test(damped_bodies_keep_momenta),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
