// Sketches as JSON files.
#include "check.h"
#include "limber/sketch.h"
#include "scene/read.h"

// Single quotes stand for double ones.
static lbStatus read_text(const char *text, lbSketch **sketch, lbError *err) {
  char *json = strdup(text);
  for (char *c = json; *c; c++)
    if (*c == '\'') *c = '"';
  *sketch = NULL;
  lbStatus status = lb_sketch_read("s.json", json, strlen(json), sketch, err);
  free(json);
  if (status) assert_null(*sketch);
  return status;
}

static void every_form_of_load_is_read(void **state) {
  (void)state;
  lbSketch *sketch;
  lbError err;
  check_ok(read_text("{ 'limber_sketch': 1, 'loads': ["
                     "  { 'name': 'tip', 'vertex': 7, 'force': [1, 2, 3] },"
                     "  { 'vertices': [4, 5], 'force': [0, 0, -1] },"
                     "  { 'vertices': [1, 2], 'forces': [[1, 0, 0], [0, 2.5, 0]] } ] }",
                     &sketch, &err),
           err);
  assert_int_equal(sketch->load_count, 3);
  assert_int_equal(sketch->force_count, 5);
  assert_string_equal(sketch->loads[0].name, "tip");
  assert_string_equal(sketch->loads[1].name, "");
  assert_int_equal(sketch->forces[0].vertex, 7);
  assert_true(sketch->forces[0].force[2] == 3);
  assert_int_equal(sketch->loads[1].force_count, 2);
  assert_true(sketch->forces[2].vertex == 5 && sketch->forces[2].force[2] == -1);
  assert_true(sketch->forces[4].vertex == 2 && sketch->forces[4].force[1] == 2.5);
  lb_sketch_destroy(sketch);
  check_ok(read_text("{ 'limber_sketch': 1, 'loads': [] }", &sketch, &err), err);
  assert_int_equal(sketch->load_count, 0);
  lb_sketch_destroy(sketch);
}

static void faults_are_refused_by_name(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } cases[] = {
    { "", "s.json:1" },
    { "[]", "must be an object" },
    { "{ 'loads': [] }", "\"limber_sketch\": 1 is missing" },
    { "{ 'limber_sketch': 2, 'loads': [] }", "limber_sketch: is 2" },
    { "{ 'limber_sketch': 1 }", "loads: must be a list" },
    { "{ 'limber_sketch': 1, 'load': [] }", "did you mean \"loads\"" },
    { "{ 'limber_sketch': 1, 'loads': [3] }", "loads[0]: must be an object" },
    { "{ 'limber_sketch': 1, 'loads': [{ 'force': [0,0,1] }] }", "either \"vertex\"" },
    { "{ 'limber_sketch': 1, 'loads': [{ 'vertex': 1, 'vertices': [1], 'force': [0,0,1] }] }",
      "either \"vertex\"" },
    { "{ 'limber_sketch': 1, 'loads': [{ 'vertex': 1 }] }", "either \"force\"" },
    { "{ 'limber_sketch': 1, 'loads': [{ 'vertex': -1, 'force': [0,0,1] }] }",
      "loads[0].vertex: is -1" },
    { "{ 'limber_sketch': 1, 'loads': [{ 'vertex': 1, 'force': [0,1] }] }",
      "loads[0].force: is [0,1], it must be a list of 3 numbers" },
    { "{ 'limber_sketch': 1, 'loads': [{ 'vertices': [], 'force': [0,0,1] }] }", "one or more" },
    { "{ 'limber_sketch': 1, 'loads': [{ 'vertices': [1, 2], 'forces': [[0,0,1]] }] }",
      "a list of 2 forces" },
    { "{ 'limber_sketch': 1, 'loads': [{ 'name': 3, 'vertex': 1, 'force': [0,0,1] }] }",
      "loads[0].name" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lbSketch *sketch;
    lbError err;
    check_fails(read_text(cases[i].text, &sketch, &err), LB_ERR_FORMAT, err, cases[i].part);
  }
}

static void what_is_saved_is_loaded_exactly(void **state) {
  (void)state;
  lbSketch *sketch = NULL, *back = NULL;
  lbError err;
  uint64_t seed = 5;
  check_ok(lb_sketch_create(&sketch, &err), err);
  for (int32_t i = 0; i < 40; i++) {
    lbSketchForce forces[3];
    for (int k = 0; k < 3; k++)
      forces[k] = (lbSketchForce){ 10 * i + k,
                                   { check_random(&seed), 1e-300 * check_random(&seed),
                                     1e30 * check_random(&seed) } };
    check_ok(
        lb_sketch_append(sketch, i % 2 ? "pull \"it\" \xc3\xbc" : NULL, 1 + i % 3, forces, &err),
        err);
  }
  const char *path = output_path("sketch.json");
  check_ok(lb_sketch_save(sketch, path, &err), err);
  check_ok(lb_sketch_load(path, &back, &err), err);
  assert_int_equal(back->load_count, sketch->load_count);
  assert_int_equal(back->force_count, sketch->force_count);
  for (int32_t i = 0; i < sketch->load_count; i++) {
    assert_string_equal(back->loads[i].name, sketch->loads[i].name);
    assert_int_equal(back->loads[i].force_count, sketch->loads[i].force_count);
  }
  for (int32_t i = 0; i < sketch->force_count; i++) {
    assert_int_equal(back->forces[i].vertex, sketch->forces[i].vertex);
    assert_memory_equal(back->forces[i].force, sketch->forces[i].force, 3 * sizeof(double));
  }
  lb_sketch_destroy(back);
  back = NULL;
  check_fails(lb_sketch_load("no-such.json", &back, &err), LB_ERR_FILE, err, "no-such.json");
  check_fails(lb_sketch_save(sketch, "no-such-folder/s.json", &err), LB_ERR_FILE, err,
              "no-such-folder");
  assert_null(back);
  lb_sketch_destroy(sketch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_form_of_load_is_read),
    cmocka_unit_test(faults_are_refused_by_name),
    cmocka_unit_test(what_is_saved_is_loaded_exactly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
