// The comparison with the full simulator: what it finds, tells, stores and writes.
#include "fem/fem_problems.h"
#include "limber/build.h"
#include "limber/file.h"

#include <jansson.h>

typedef struct Subject {
  lbMesh *mesh;
  lbFem *fem;
  lbModel *model;
} Subject;

// A bar of bricks, held at one end or free.
static Subject make_subject(int32_t modes, int32_t dimension, bool held) {
  Subject s = { .mesh = box_mesh(LB_ELEMENT_BRICK8, 8, 1, 1, 1, 0.12, 0.12) };
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  bool *fixed = side(s.mesh, 0, 0);
  lbReduceDef object = lb_reduce_def();
  lbSubspaceDef def = lb_subspace_def();
  lbError err;
  object.damping_stiffness = 0.01;
  def.basis.mode_count = modes;
  def.basis.dimension = dimension;
  s.fem = fem_of_mesh(s.mesh, &material, held ? fixed : NULL, LB_MASS_CONSISTENT);
  check_ok(lb_reduce_subspace(s.mesh, s.fem, &object, &def, &s.model, &err), err);
  free(fixed);
  return s;
}

static void release_subject(Subject *s) {
  lb_model_destroy(s->model);
  lb_fem_destroy(s->fem);
  lb_mesh_destroy(s->mesh);
}

static lbAccuracy *measure(const Subject *s, const lbAccuracyDef *def) {
  lbAccuracy *accuracy = NULL;
  lbError err;
  check_ok(lb_accuracy_measure(s->fem, s->model, def, &accuracy, &err), err);
  return accuracy;
}

static lbAccuracyDef full_def(void) {
  lbAccuracyDef def = lb_accuracy_def();
  def.kind = LB_ACCURACY_FULL;
  def.step_count = 50;
  return def;
}

static void a_good_basis_is_found_good_and_a_poor_one_poor(void **state) {
  (void)state;
  Subject good = make_subject(10, 24, true), poor = make_subject(2, 2, true);
  lbAccuracyDef def = full_def();
  lbAccuracy *a = measure(&good, &def), *b = measure(&poor, &def);
  static const char *const names[] = { "release", "impulse", "moving load" };
  assert_int_equal(a->motion_count, 3);
  for (int i = 0; i < 3; i++) {
    const lbAccuracyMotion *m = &a->motions[i], *worse = &b->motions[i];
    print_message("  %s: r = 24 mass %.2e node %.2e frequency %.2e peaks %.2e; r = 2 mass %.2e\n",
                  m->name, m->mass_error, m->vertex_error, m->frequency_error, m->peak_error,
                  worse->mass_error);
    assert_string_equal(m->name, names[i]);
    assert_int_equal(m->step_count, 50);
    assert_true(m->amplitude > 0.03 * a->size && m->amplitude < 0.3 * a->size);
    check_small(m->mass_error, 0.02);
    check_small(m->vertex_error, 0.08);
    assert_true(m->mass_error <= m->vertex_error && m->mass_error > 0);
    assert_true(m->frequency_error >= 0 && m->frequency_error < 0.02);
    assert_true(m->peak_error >= 0 && m->peak_error < 0.05);
    assert_true(worse->mass_error > 2 * m->mass_error);
    assert_string_equal(m->problem, "");
  }
  lb_accuracy_destroy(a);
  lb_accuracy_destroy(b);
  release_subject(&good);
  release_subject(&poor);
}

// Linear modes bend a bar along straight lines: at this amplitude the subspace is far better.
static void linear_modes_are_judged_too(void **state) {
  (void)state;
  Subject s = make_subject(10, 24, true);
  lbAccuracyDef def = lb_accuracy_def();
  lbAccuracy *subspace = measure(&s, &def);
  def.method = LB_METHOD_MODAL;
  lbAccuracy *modal = measure(&s, &def);
  print_message("  node error: subspace %.2e, modal %.2e\n", subspace->motions[0].vertex_error,
                modal->motions[0].vertex_error);
  assert_int_equal(subspace->method, LB_METHOD_SUBSPACE);
  assert_int_equal(subspace->motion_count, 1);
  assert_true(modal->motions[0].vertex_error > 4 * subspace->motions[0].vertex_error);
  assert_non_null(strstr(modal->coverage, "modal"));
  lb_accuracy_destroy(subspace);
  lb_accuracy_destroy(modal);
  release_subject(&s);
}

static void free_bodies_are_not_compared_and_that_is_told(void **state) {
  (void)state;
  Subject s = make_subject(4, 6, false);
  lbAccuracyDef def = lb_accuracy_def();
  lbAccuracy *a = measure(&s, &def);
  lbError err;
  assert_int_equal(a->motion_count, 0);
  assert_non_null(strstr(a->coverage, "the body is free"));
  check_ok(lb_accuracy_store(a, &s.model, &err), err);
  assert_int_equal(s.model->size.accuracy_count, 0);
  assert_string_equal(s.model->accuracy_coverage, a->coverage);
  lb_accuracy_destroy(a);
  release_subject(&s);
}

static void figures_are_kept_in_the_model_and_written(void **state) {
  (void)state;
  Subject s = make_subject(5, 8, true);
  lbAccuracyDef def = full_def();
  lbError err;
  char path[300];
  def.step_count = 25;
  lbAccuracy *a = measure(&s, &def);
  check_ok(lb_accuracy_store(a, &s.model, &err), err);
  assert_int_equal(s.model->size.accuracy_count, 3);
  assert_string_equal(lb_model_text(s.model->accuracy_motions, 2), "moving load");
  check_near(s.model->accuracy_values[6 + 3], a->motions[1].vertex_error, 0);
  const char *folder = output_path("accuracy-report");
  check_ok(lb_accuracy_write(a, "bar", folder, &err), err);
  static const char *const names[] = { "report.md", "release-motion.svg", "impulse-error.svg",
                                       "moving-load-motion.svg", "moving-load-error.svg" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *content = NULL;
    size_t bytes;
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    check_ok(lb_file_read(path, &content, &bytes, &err), err);
    if (i > 0) assert_non_null(strstr(content, "<polyline"));
    if (i > 0) assert_null(strstr(content, "nan"));
    lb_free(content);
  }
  snprintf(path, sizeof path, "%s/report.json", folder);
  json_t *json = json_load_file(path, 0, NULL);
  assert_non_null(json);
  const json_t *motion = json_array_get(json_object_get(json, "motions"), 0);
  assert_int_equal(json_array_size(json_object_get(motion, "times")), 26);
  check_near(json_number_value(json_object_get(motion, "mass_error")), a->motions[0].mass_error,
             1e-15);
  json_decref(json);
  check_fails(lb_accuracy_write(a, "bar", "/dev/null/x", &err), LB_ERR_FILE, err, "/dev/null");
  lb_accuracy_destroy(a);
  release_subject(&s);
}

static void wrong_wishes_are_refused(void **state) {
  (void)state;
  Subject s = make_subject(3, 3, true), other = make_subject(3, 3, true);
  lbAccuracyDef def = lb_accuracy_def();
  lbAccuracy *a = NULL;
  lbError err;
  def.amplitude = 0;
  check_fails(lb_accuracy_measure(s.fem, s.model, &def, &a, &err), LB_ERR_ARGUMENT, err,
              "amplitude");
  def = lb_accuracy_def();
  def.method = LB_METHOD_WARP;
  check_fails(lb_accuracy_measure(s.fem, s.model, &def, &a, &err), LB_ERR_ARGUMENT, err, "warp");
  def = lb_accuracy_def();
  def.kind = LB_ACCURACY_NONE;
  a = measure(&s, &def);
  assert_int_equal(a->motion_count, 0);
  lb_accuracy_destroy(a);
  release_subject(&s);
  release_subject(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_good_basis_is_found_good_and_a_poor_one_poor),
    cmocka_unit_test(linear_modes_are_judged_too),
    cmocka_unit_test(free_bodies_are_not_compared_and_that_is_told),
    cmocka_unit_test(figures_are_kept_in_the_model_and_written),
    cmocka_unit_test(wrong_wishes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
