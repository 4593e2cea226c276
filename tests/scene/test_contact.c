// What scenes say of contacts and of how steps are taken.
#include "scene_text.h"

static void substeps_max_is_read(void **state) {
  (void)state;
  lbScene *usual = scene_of(SCENE_WITH("'time':{'step':0.01}"));
  lbScene *said = scene_of(SCENE_WITH("'time':{'substeps_max':64}"));
  assert_int_equal(usual->substeps_max, lb_world_settings().substeps_max);
  assert_int_equal(said->substeps_max, 64);
  lb_scene_destroy(usual), lb_scene_destroy(said);
  check_refused(SCENE_WITH("'time':{'substeps_max':0}"), "time.substeps_max: is 0");
  check_refused(SCENE_WITH("'time':{'substeps_max':65}"), "time.substeps_max: is 65");
  check_refused(SCENE_WITH("'time':{'substeps_max':1.5}"), "time.substeps_max: is 1.5");
}

static int warning_count;
static void count_warnings(lbLogLevel level, const char *text, void *context) {
  static const char wanted[] =
      "contact.response is no longer used: contacts are rigid with optional \"compliance\" (m/N); "
      "\"penalty\" corresponds to a compliance, \"lcp\" needs nothing";
  (void)context;
  if (level == LB_LOG_WARNING && strstr(text, wanted)) warning_count++;
}

static void an_old_response_gives_a_warning(void **state) {
  (void)state;
  lb_set_log(count_warnings, NULL);
  warning_count = 0;
  lb_scene_destroy(scene_of(SCENE_WITH("'contact':{'friction':0.5}")));
  assert_int_equal(warning_count, 0);
  lbScene *scene = scene_of(SCENE_WITH("'contact':{'response':'penalty','substeps':3}"));
  assert_int_equal(warning_count, 1);
  assert_int_equal(scene->substeps, 3);
  lb_scene_destroy(scene);
  lb_set_log(NULL, NULL);
}

static void check_material(lbContactMaterial m, double friction, double compliance,
                           double restitution, double rolling_friction) {
  const double found[] = { m.friction, m.compliance, m.restitution, m.rolling_friction };
  const double wanted[] = { friction, compliance, restitution, rolling_friction };
  for (int i = 0; i < 4; i++)
    if (!(isnan(found[i]) && isnan(wanted[i]))) check_near(found[i], wanted[i], 0);
}

static void contact_materials_are_read(void **state) {
  (void)state;
  lbScene *scene =
      scene_of("{'limber':1,'ground':{'restitution':1},'contact':{'compliance':1e-5,'rolling_"
               "friction':0.002},"
               "'bodies':[{'name':'a'," BAR
               ",'material':{},'instances':2,'compliance':1e-4},{'name':'b'," BAR
               ",'material':{},'friction':0}],'colliders':[{'shape':'sphere','sensor':true},"
               "{'shape':'sphere','density':1,'restitution':0.5,'rolling_friction':0.01}]}");
  check_material(scene->contact_material, 0.5, 1e-5, 0, 0.002);
  check_material(scene->bodies[0].contact_material, NAN, 1e-4, NAN, NAN);
  check_material(scene->bodies[1].contact_material, NAN, 1e-4, NAN, NAN);
  check_material(scene->bodies[2].contact_material, 0, NAN, NAN, NAN);
  check_material(scene->bodies[3].contact_material, NAN, NAN, 0.5, 0.01); // rigid
  check_material(scene->colliders[0].contact_material, NAN, NAN, 1, NAN);
  assert_true(scene->colliders[1].sensor && !scene->colliders[0].sensor);
  lb_scene_destroy(scene);
  check_refused(SCENE_WITH("'contact':{'compliance':-1}"),
                "contact.compliance: is -1, it must be 0 m/N or more");
  check_refused(BODY_WITH("'restitution':1.5"),
                "bodies[0].restitution: is 1.5, it must be from 0 to 1");
  check_refused(SCENE_WITH("'ground':{'rolling_friction':-0.1}"),
                "ground.rolling_friction: is -0.1, it must be 0 m or more");
  check_refused(SCENE_WITH("'colliders':[{'shape':'plane','sensor':1}]"),
                "colliders[0].sensor: must be true or false");
  check_refused(SCENE_WITH("'colliders':[{'shape':'sphere','density':1,'sensor':true}]"),
                "colliders[0].sensor: is only for colliders without \"density\"");
}

static void check_filter(lbContactFilter found, int category, int mask, int group) {
  assert_int_equal(found.category, category);
  assert_int_equal(found.mask, mask);
  assert_int_equal(found.group, group);
}

static void filters_are_read(void **state) {
  (void)state;
  lbScene *scene = scene_of(
      "{'limber':1,'ground':{'filter':{'group':-3}},'bodies':[{'name':'a'," BAR
      ",'material':{},'instances':2,'filter':{'category':4,'mask':65533}},{'name':'b'," BAR
      ",'material':{}}],'colliders':[{'shape':'sphere','filter':{'mask':0}},"
      "{'shape':'sphere'},{'shape':'sphere','density':1,'filter':{'category':8,'group':5}}]}");
  check_filter(scene->bodies[0].filter, 4, 65533, 0);
  check_filter(scene->bodies[1].filter, 4, 65533, 0);
  check_filter(scene->bodies[2].filter, 1, 65535, 0);
  check_filter(scene->bodies[3].filter, 8, 65535, 5); // rigid
  check_filter(scene->colliders[0].filter, 1, 65535, -3);
  check_filter(scene->colliders[1].filter, 1, 0, 0);
  check_filter(scene->colliders[2].filter, 1, 65535, 0);
  lb_scene_destroy(scene);
  check_refused(BODY_WITH("'filter':3"), "bodies[0].filter: must be an object");
  check_refused(BODY_WITH("'filter':{'masc':1}"), "did you mean \"mask\"?");
  check_refused(BODY_WITH("'filter':{'category':65536}"), "bodies[0].filter.category: is 65536");
  check_refused(BODY_WITH("'filter':{'mask':-1}"), "bodies[0].filter.mask: is -1");
  check_refused(SCENE_WITH("'colliders':[{'shape':'plane','filter':{'group':0.5}}]"),
                "colliders[0].filter.group: is 0.5");
}

// Bodies of one model file share what was read of it, not what they touch.
static void bodies_of_one_file_touch_by_their_own_keys(void **state) {
  (void)state;
  lbScene *scene = scene_of("{'limber':1,'bodies':[{'name':'bar'," BAR ",'material':{},"
                            "'fixed':{'group':'left'},'method':'modal','reduce':{'modes':4}}]}");
  lbModel *model = NULL;
  lbError err;
  check_ok(lb_scene_model(scene->bodies, &model, &err), err);
  check_ok(lb_model_save(model, output_path("touch.glb"), &err), err);
  lb_model_destroy(model);
  lb_scene_destroy(scene);
  scene = scene_of("{'limber':1,'bodies':[{'name':'a','model':'touch.glb','friction':0.1},"
                   "{'name':'b','model':'touch.glb','contact':false,'friction':0.9,"
                   "'filter':{'category':2}}]}");
  assert_int_equal(scene->bodies[1].twin, 0);
  assert_false(scene->bodies[0].untouchable);
  assert_true(scene->bodies[1].untouchable);
  check_near(scene->bodies[0].contact_material.friction, 0.1, 0);
  check_near(scene->bodies[1].contact_material.friction, 0.9, 0);
  check_filter(scene->bodies[0].filter, 1, 65535, 0);
  check_filter(scene->bodies[1].filter, 2, 65535, 0);
  lb_scene_destroy(scene);
}

static void hit_speed_is_read(void **state) {
  (void)state;
  lbScene *usual = scene_of(SCENE_WITH("'contact':{}"));
  lbScene *said = scene_of(SCENE_WITH("'contact':{'hit_speed':0.25}"));
  check_near(usual->hit_speed, 1, 0);
  check_near(said->hit_speed, 0.25, 0);
  lb_scene_destroy(usual), lb_scene_destroy(said);
  check_refused(SCENE_WITH("'contact':{'hit_speed':-1}"), "contact.hit_speed: is -1");
  check_refused(SCENE_WITH("'contact':{'hit_speed':'fast'}"), "contact.hit_speed: is \"fast\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(substeps_max_is_read),
    cmocka_unit_test(an_old_response_gives_a_warning),
    cmocka_unit_test(contact_materials_are_read),
    cmocka_unit_test(filters_are_read),
    cmocka_unit_test(bodies_of_one_file_touch_by_their_own_keys),
    cmocka_unit_test(hit_speed_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
