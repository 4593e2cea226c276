// The table of settings: complete, sane, and reachable by names and keys.
#include "check.h"

#include "stage/settings.h"

static void every_setting_is_in_the_table_once(void **state) {
  (void)state;
  size_t fields = sizeof(vwSettings) / sizeof(double), found = 0;
  bool seen[sizeof(vwSettings) / sizeof(double)] = { false };
  for (int32_t i = 0; i < vw_control_count(); i++) {
    const vwControl *control = vw_control(i);
    if (control->kind == VW_BUTTON) continue;
    size_t field = control->offset / sizeof(double);
    assert_true(control->offset % sizeof(double) == 0 && field < fields);
    assert_false(seen[field]);
    seen[field] = true;
    found++;
  }
  assert_int_equal(found, fields);
}

static void every_control_says_what_it_is(void **state) {
  (void)state;
  for (int32_t i = 0; i < vw_control_count(); i++) {
    const vwControl *control = vw_control(i);
    assert_true(control->name && control->name[0] && control->label && control->label[0]);
    assert_true(control->unit && control->group && control->group[0]);
    assert_true(control->help && strlen(control->help) > 9);
    assert_int_equal(vw_control_find(control->name), i);
    if (control->kind == VW_BUTTON) continue;
    assert_true(control->low <= control->initial && control->initial <= control->high);
    if (control->kind == VW_LOG_SLIDER) assert_true(control->low > 0);
    if (control->kind == VW_SLIDER || control->kind == VW_LOG_SLIDER)
      assert_true(control->low < control->high);
  }
  assert_int_equal(vw_control_find("nothing"), -1);
  assert_int_equal(vw_control_find(NULL), -1);
  assert_null(vw_control(-1));
  assert_null(vw_control(vw_control_count()));
}

static void groups_stand_together(void **state) {
  (void)state;
  for (int32_t i = 1; i < vw_control_count(); i++)
    for (int32_t j = 0; j + 1 < i; j++)
      if (!strcmp(vw_control(i)->group, vw_control(j)->group))
        assert_string_equal(vw_control(i)->group, vw_control(i - 1)->group);
}

static void choices_are_as_many_as_the_limits_say(void **state) {
  (void)state;
  for (int32_t i = 0; i < vw_control_count(); i++) {
    const vwControl *control = vw_control(i);
    if (control->kind != VW_CHOICE || !control->choices) continue;
    int count = 0;
    for (const char *text = control->choices; *text; text += strlen(text) + 1) count++;
    assert_int_equal(count, (int)control->high + 1);
  }
}

static void keys_are_lower_case_and_unique(void **state) {
  (void)state;
  bool used[128] = { false };
  for (int32_t i = 0; i < vw_control_count(); i++) {
    int key = vw_control(i)->key;
    if (!key) continue;
    assert_true(key >= ' ' && key < 127 && !(key >= 'A' && key <= 'Z') && !used[key]);
    used[key] = true;
    assert_int_equal(vw_control_by_key(key), i);
  }
  for (int32_t i = 0; i < vw_shortcut_count(); i++) {
    const vwShortcut *shortcut = vw_shortcut(i);
    assert_false(used[shortcut->key]);
    used[shortcut->key] = true;
    assert_int_equal(vw_control_by_key(shortcut->key), vw_control_find(shortcut->control));
    assert_true(vw_control_by_key(shortcut->key) >= 0 && shortcut->what[0]);
  }
  assert_int_equal(vw_control_by_key(0), -1);
  assert_int_equal(vw_control_by_key('~'), -1);
}

static void keys_flip_go_on_set_and_scale(void **state) {
  (void)state;
  vwControlState paused = { .value = 0, .low = 0, .high = 1 };
  assert_true(vw_key_value(' ', &paused) == 1);
  paused.value = 1;
  assert_true(vw_key_value(' ', &paused) == 0);
  vwControlState map = { .value = 3, .low = 0, .high = 3 };
  assert_true(vw_key_value('m', &map) == 0);
  map.value = 1;
  assert_true(vw_key_value('m', &map) == 2);
  vwControlState speed = { .value = 0.3, .low = 0.01, .high = 0.5 };
  assert_true(vw_key_value('[', &speed) == 0.15);
  assert_true(vw_key_value(']', &speed) == 0.5); // no more than the limit
  vwControlState tool = { .value = 0, .low = 0, .high = 3 };
  assert_true(vw_key_value('3', &tool) == VW_TOOL_POKE);
  vwControlState button = { .value = 0 };
  assert_true(vw_key_value('?', &button) == 1 && vw_key_value('r', &button) == 1);
}

static void defaults_are_the_initial_values(void **state) {
  (void)state;
  vwSettings settings = vw_settings_default();
  for (int32_t i = 0; i < vw_control_count(); i++) {
    double *value = vw_settings_value(&settings, i);
    if (vw_control(i)->kind == VW_BUTTON)
      assert_null(value);
    else
      assert_true(*value == vw_control(i)->initial);
  }
  assert_true(settings.rate == 240 && settings.speed == 1 && settings.gravity_elevation == -90);
  assert_null(vw_settings_value(&settings, -1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_setting_is_in_the_table_once),
    cmocka_unit_test(every_control_says_what_it_is),
    cmocka_unit_test(groups_stand_together),
    cmocka_unit_test(choices_are_as_many_as_the_limits_say),
    cmocka_unit_test(keys_are_lower_case_and_unique),
    cmocka_unit_test(keys_flip_go_on_set_and_scale),
    cmocka_unit_test(defaults_are_the_initial_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
