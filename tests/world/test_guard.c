// The guard of the step: energy of jointed and held bodies, and the bound on substeps.
#include "rigid_bodies.h"

#include "full/full.h"
#include "limber/run.h"
#include "world/step_counts.h"

enum { JOINED_STEPS = CHECK_SANITIZED ? 30 : 90 };

static const lbVec3 weight = { 0, 0, -9.81 };
static const char *const methods[] = {
  "'method':'subspace','reduce':{'modes':8,'dimension':16}",
  "'method':'modal','reduce':{'modes':12}",
  "'method':'warp'",
  "'method':'frames','frames':{'count':4,'samples':120}",
};
enum { METHODS = sizeof methods / sizeof *methods };
static const char *const full_laws[] = { "corotated", "stvk" };

static lbModel *undamped_bar(const char *method) {
  char keys[700];
  snprintf(keys, sizeof keys,
           "'mesh':{'generate':'bar','size':[0.4,0.08,0.08],'cells':[6,2,2],'element':'brick8'},"
           "'material':{'model':'stvk','young':1e6,'poisson':0.3,'density':1000},%s",
           method);
  return body_model(keys);
}

static lbModel *undamped_full_bar(const char *law) {
  char text[700];
  lbModel *model = NULL;
  lbError err;
  snprintf(text, sizeof text,
           "{'limber':1,'bodies':[{'name':'bar','method':'full','mesh':{'generate':'bar',"
           "'size':[0.4,0.08,0.08],'cells':[6,2,2],'element':'brick8'},'material':{'model':'%s',"
           "'young':1e6,'poisson':0.3,'density':1000}}]}",
           law);
  lbScene *scene = scene_of(text);
  lb_full_register();
  check_ok(lb_scene_full_model(&scene->bodies[0], &model, &err), err);
  lb_scene_destroy(scene);
  return model;
}

static lbBodyId add_bar(lbWorld *world, const lbModel *model, bool full, lbVec3 position) {
  lbBodyDef def = lb_body_def();
  lbBodyId id = 0;
  lbError err;
  if (full) def.method = LB_METHOD_FULL;
  def.position = position;
  check_ok(lb_world_add(world, model, &def, &id, &err), err);
  return id;
}

static double total_energy(const lbWorld *world, const lbBodyId *ids, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) {
    lbBodyReport r = lb_body_report(lb_world_body(world, ids[i]));
    sum += r.kinetic + r.elastic - r.mass * lb_dot(weight, r.centre);
  }
  return sum;
}

static void join_bars(lbWorld *world, lbJointKind kind, lbBodyId a, lbBodyId b, lbVec3 place) {
  lbJointDef def = lb_joint_def();
  lbJointId id;
  lbError err;
  def.kind = kind, def.bodies[0] = a, def.bodies[1] = b;
  def.places[0] = def.places[1] = place, def.axis = lb_vec3(0, 1, 0);
  check_ok(lb_world_add_joint(world, &def, &id, &err), err);
}

// Of m g L, gained by a bar that is welded to the world and one that hangs from its end by a hinge.
static double gain_of_bars(const lbModel *model, bool full, int steps) {
  lbWorld *world = rigid_world(weight, false, 0);
  lbBodyId ids[2] = { add_bar(world, model, full, lb_vec3(0, -0.04, 1)),
                      add_bar(world, model, full, lb_vec3(0.4, -0.04, 1)) };
  join_bars(world, LB_JOINT_WELD, ids[0], 0, lb_vec3(0, 0, 1.04));
  join_bars(world, LB_JOINT_HINGE, ids[1], ids[0], lb_vec3(0.4, 0, 1.04));
  double mass = lb_body_report(lb_world_body(world, ids[0])).mass;
  double first = total_energy(world, ids, 2), most = 0, least = 0;
  for (int i = 0; i < steps; i++) {
    assert_int_equal(lb_world_step(world, 1.0 / 120) & LB_STEP_NONFINITE, 0);
    double gain = total_energy(world, ids, 2) - first;
    most = fmax(most, gain), least = fmin(least, gain);
  }
  double scale = mass * 9.81 * 0.4;
  lbGuardCounts counts = lb_world_guard(world);
  print_message("gains %.2g, loses %.2g of m g L; %lld restored, %lld damped\n", most / scale,
                -least / scale, (long long)counts.restored, (long long)counts.damped);
  lb_world_destroy(world);
  return most / scale;
}

static void jointed_bars_gain_no_energy(void **state) {
  (void)state;
  double worst = 0;
  for (int m = 0; m < METHODS; m++) {
    lbModel *model = undamped_bar(methods[m]);
    print_message("%s: ", methods[m]);
    worst = fmax(worst, gain_of_bars(model, false, JOINED_STEPS));
    lb_model_destroy(model);
  }
  for (int m = 0; m < 2; m++) {
    lbModel *model = undamped_full_bar(full_laws[m]);
    print_message("full, %s: ", full_laws[m]);
    worst = fmax(worst, gain_of_bars(model, true, JOINED_STEPS));
    lb_model_destroy(model);
  }
  check_small(worst, 0.03);
}

// A block that is thrown against the ground takes at most 1 + 1 + 2 + 4 + 8 + 16 + 16 substeps;
// with substeps_max 1 it takes at most three: as asked, by the safe integrator and by implicit
// Euler.
static int64_t most_substeps(lbModel *model, int32_t substeps_max, lbGuardCounts *counts) {
  lbWorldSettings settings = lb_world_settings();
  settings.gravity = weight, settings.contact = true, settings.substeps_max = substeps_max;
  lbWorld *world = world_of(&settings);
  int64_t most = 0;
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_block(world, model, lb_vec3(0, 0, 0.1));
  lb_body_set_velocity(lb_world_body(world, id), lb_vec3(0, 0, -40), lb_vec3(0, 9, 0));
  for (int i = 0; i < 20; i++) {
    lb_world_step(world, 1.0 / 30);
    int64_t substeps = lb_world_step_counts(world).substeps;
    if (substeps > most) most = substeps;
  }
  *counts = lb_world_guard(world);
  lb_world_destroy(world);
  return most;
}

static void substeps_are_bounded(void **state) {
  (void)state;
  lbModel *model = soft_block(methods[0], 1e4);
  lbGuardCounts counts;
  int64_t most = most_substeps(model, 16, &counts);
  print_message("at most %lld substeps, %lld restored, %lld halved, %lld damped\n", (long long)most,
                (long long)counts.restored, (long long)counts.halved, (long long)counts.damped);
  assert_true(most > 1 && most <= 48);
  assert_true(counts.restored > 0 && counts.halved > 0);
  most = most_substeps(model, 1, &counts);
  assert_true(most > 1 && most <= 3);
  assert_true(counts.restored > 0 && counts.halved == 0);
  lb_model_destroy(model);
}

static void a_bad_bound_is_refused(void **state) {
  (void)state;
  lbWorldSettings settings = lb_world_settings();
  lbWorld *world = NULL;
  lbError err;
  const int32_t bad[] = { 0, -1, 65 };
  for (int i = 0; i < 3; i++) {
    settings.substeps_max = bad[i];
    check_fails(lb_world_create(&settings, &world, &err), LB_ERR_ARGUMENT, err, "substeps_max is");
  }
  assert_int_equal(lb_world_guard(NULL).restored, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(jointed_bars_gain_no_energy),
    cmocka_unit_test(substeps_are_bounded),
    cmocka_unit_test(a_bad_bound_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
