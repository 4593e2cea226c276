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
      "contact.response is no longer needed: use contact.compliance (m/N) for soft contact";
  (void)context;
  if (level == LB_LOG_WARNING && strstr(text, wanted)) warning_count++;
}

static void a_response_is_warned_of_once(void **state) {
  (void)state;
  lbScene *scene;
  lb_set_log(count_warnings, NULL);
  warning_count = 0;
  lb_scene_destroy(scene_of(SCENE_WITH("'contact':{'friction':0.5}")));
  assert_int_equal(warning_count, 0);
  scene = scene_of(SCENE_WITH("'contact':{'response':'penalty'}"));
  assert_int_equal(warning_count, 1);
  assert_int_equal(scene->response, LB_RESPONSE_PENALTY); // and it is read as before
  lb_scene_destroy(scene);
  check_refused(SCENE_WITH("'contact':{'response':'springs'}"), "contact.response");
  assert_int_equal(warning_count, 1);
  lb_set_log(NULL, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(substeps_max_is_read),
    cmocka_unit_test(a_response_is_warned_of_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
