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

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(substeps_max_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
