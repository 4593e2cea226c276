// Hits of a run: to find how fast two came together changes nothing of how they move on.
#include "../scene/scene_text.h"

#include "limber/run.h"

static lbRun *run_with(const char *text, double hit_speed, int32_t *hits) {
  lbScene *scene = scene_of(text);
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  scene->hit_speed = hit_speed;
  check_ok(lb_run(scene, &def, &run, &err), err);
  *hits = 0;
  for (int32_t i = 0; i < run->event_count; i++) *hits += run->events[i].kind == LB_RUN_HIT;
  run->scene = NULL;
  lb_scene_destroy(scene);
  return run;
}

// A block that falls on a ball, which falls too, and on the ground, by every method; unreduced also
// with factors that are kept from step to step.
static void hits_leave_the_motion_as_it_is(void **state) {
  (void)state;
  static const struct {
    const char *keys;
    double factor_reuse;
  } methods[] = {
    { "'method':'full'", 0 },
    { "'method':'full'", 0.3 },
    { "'method':'warp'", 0 },
    { "'method':'frames','frames':{'count':3,'contacts':2}", 0 },
    { "'method':'subspace','reduce':{'modes':6,'dimension':15}", 0 },
    { "'method':'modal','reduce':{'modes':12}", 0 },
  };
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    char text[1000];
    int32_t told = 0, none = 0;
    snprintf(text, sizeof text,
             "{'limber':1,'gravity':[0,0,-9.81],'ground':{},'bodies':[{'name':'a','mesh':{"
             "'generate':'bar','size':[0.2,0.2,0.2],'cells':[3,3,3],'element':'brick8'},"
             "'material':{'model':'stvk','young':1e5,'poisson':0.3},'damping':{'stiffness':0.002},%"
             "s,'position':[-0.1,-0.12,0.3],"
             "'velocity':{'linear':[0,0,-2]}}],'colliders':[{'name':'b','shape':'sphere',"
             "'radius':0.1,'density':500,'position':[0,0,0.12]}],'time':{'step':0.01,'count':40,'"
             "factor_reuse':%g}}",
             methods[i].keys, methods[i].factor_reuse);
    lbRun *with = run_with(text, 0.5, &told), *without = run_with(text, INFINITY, &none);
    print_message("  %s: %d hits\n", methods[i].keys, (int)told);
    assert_true(told >= 2);
    assert_int_equal(none, 0);
    assert_int_equal(with->event_count - told, without->event_count);
    for (int32_t b = 0; b < with->body_count; b++) {
      const lbRunBody *one = &with->bodies[b], *other = &without->bodies[b];
      assert_memory_equal(one->position, other->position, sizeof one->position);
      assert_memory_equal(one->rotation, other->rotation, sizeof one->rotation);
      assert_memory_equal(one->state.centre, other->state.centre, sizeof one->state.centre);
      check_near(one->state.kinetic, other->state.kinetic, 0);
      check_near(one->state.elastic, other->state.elastic, 0);
    }
    lb_run_destroy(with), lb_run_destroy(without);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(hits_leave_the_motion_as_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
