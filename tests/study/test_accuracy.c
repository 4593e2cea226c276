// The comparison with the full simulator: what it finds, tells, stores and writes.
#include "fem/fem_problems.h"
#include "limber/build.h"
#include "limber/file.h"
#include "fem/fem.h"
#include "study/accuracy.h"

#include <jansson.h>

typedef struct Subject {
  lbMesh *mesh;
  lbFem *fem;
  lbModel *model;
} Subject;

// A bar of bricks, held at one end or free.
static Subject make_bar(int32_t bricks, double width, int32_t modes, int32_t dimension, bool held) {
  Subject s = { .mesh = box_mesh(LB_ELEMENT_BRICK8, bricks, 1, 1, 1, width, width) };
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

static Subject make_subject(int32_t modes, int32_t dimension, bool held) {
  return make_bar(8, 0.12, modes, dimension, held);
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
  static const char *const names[] = { "release",    "impulse", "moving load",    "twist",
                                       "axial load", "pinch",   "shaken supports" };
  assert_int_equal(a->motion_count, 7);
  for (int i = 0; i < 7; i++) {
    const lbAccuracyMotion *m = &a->motions[i], *worse = &b->motions[i];
    bool bends = i < 3 || i == 6, pinches = i == 5; // no mode of a bar is a pinch
    print_message(
        "  %s: %.2g m, r = 24 mass %.2e node %.2e frequency %.2e peaks %.2e; r = 2 mass %.2e\n",
        m->name, m->amplitude, m->mass_error, m->vertex_error, m->frequency_error, m->peak_error,
        worse->mass_error);
    assert_string_equal(m->name, names[i]);
    assert_int_equal(m->step_count, 50);
    assert_true(m->amplitude > (bends ? 0.03 : 0.003) * a->size && m->amplitude < 0.3 * a->size);
    if (!pinches) check_small(m->mass_error, bends ? 0.02 : 0.2);
    if (!pinches) check_small(m->vertex_error, bends ? 0.08 : 0.3);
    assert_true(m->mass_error <= m->vertex_error && m->mass_error > 0);
    if (!pinches) assert_true(worse->mass_error > 2 * m->mass_error);
    assert_string_equal(m->problem, "");
    if (!bends) continue;
    assert_true(m->frequency_error >= 0 && m->frequency_error < 0.02);
    assert_true(m->peak_error >= 0 && m->peak_error < 0.05);
  }
  assert_non_null(strstr(a->coverage, "not compared"));
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
  assert_int_equal(subspace->motion_count, 5);
  assert_true(modal->motions[0].vertex_error > 4 * subspace->motions[0].vertex_error);
  assert_non_null(strstr(modal->coverage, "modal"));
  lb_accuracy_destroy(subspace);
  lb_accuracy_destroy(modal);
  release_subject(&s);
}

// Two bending modes know nothing of torsion, stretching and pinching: in a bending motion they may
// look well, the small loads find them out.
static void what_a_basis_cannot_do_is_found_quickly(void **state) {
  (void)state;
  Subject poor = make_subject(2, 5, true), good = make_subject(10, 24, true);
  lbAccuracyDef def = lb_accuracy_def();
  lbAccuracy *p = measure(&poor, &def), *g = measure(&good, &def);
  lbError err;
  char text[300];
  static const char *const names[] = { "sudden load", "twist", "axial load", "pinch",
                                       "shaken supports" };
  assert_int_equal(p->motion_count, 5);
  assert_non_null(strstr(p->coverage, "two motions"));
  for (int i = 0; i < 5; i++) {
    print_message("  %-12s %.3g m, mass error %.3g (r = 5), %.3g (r = 24)\n", p->motions[i].name,
                  p->motions[i].amplitude, p->motions[i].mass_error, g->motions[i].mass_error);
    assert_string_equal(p->motions[i].name, names[i]);
    assert_true(p->motions[i].mass_error >= g->motions[i].mass_error);
  }
  check_small(p->motions[0].mass_error, 0.1);
  check_small(g->motions[4].mass_error, 0.02);
  assert_true(p->motions[1].vertex_error > 0.9);
  check_small(g->motions[1].vertex_error, 0.05);
  assert_int_equal(p->motions[1].step_count, 0);
  check_ok(lb_accuracy_store(p, &poor.model, &err), err);
  assert_true(lb_model_accuracy_warning(poor.model, text, sizeof text));
  print_message("  %s\n", text);
  assert_non_null(strstr(text, "dimension"));
  assert_true(lb_model_accuracy_warning(poor.model, NULL, 0));
  g->motion_count = 2; // of what it does well
  check_ok(lb_accuracy_store(g, &good.model, &err), err);
  assert_false(lb_model_accuracy_warning(good.model, text, sizeof text));
  assert_string_equal(text, "");
  g->motion_count = 5;
  lb_accuracy_destroy(p);
  lb_accuracy_destroy(g);
  release_subject(&poor);
  release_subject(&good);
}

static void free_bodies_are_compared_too(void **state) {
  (void)state;
  Subject s = make_subject(8, 16, false);
  lbAccuracyDef def = lb_accuracy_def();
  lbAccuracy *quick = measure(&s, &def);
  def = full_def();
  lbAccuracy *full = measure(&s, &def);
  static const char *const names[] = { "sudden load", "impulse", "moving load", "twist",
                                       "axial load",  "pinch",   "thrown" };
  assert_int_equal(quick->motion_count, 4);
  assert_int_equal(full->motion_count, 8);
  for (int i = 0; i < 7; i++) {
    const lbAccuracyMotion *m = &full->motions[i];
    print_message("  %-12s amplitude %.3g m, mass %.2e node %.2e %s\n", m->name, m->amplitude,
                  m->mass_error, m->vertex_error, m->problem);
    assert_string_equal(m->name, names[i]);
    assert_true(m->mass_error > 0 && m->amplitude < 0.3 * full->size);
    if (i == 0 || i == 6) check_small(m->mass_error, 0.05);
  }
  check_small(quick->motions[0].mass_error, 0.03);
  lb_accuracy_destroy(quick);
  lb_accuracy_destroy(full);
  release_subject(&s);
}

// report.json has the same figures, and there is a plot.
static void check_written_bounce(const lbAccuracy *a, const lbAccuracyBounce *b) {
  lbError err;
  char path[300];
  double full, reduced, error;
  const char *folder = output_path("bounce-report");
  check_ok(lb_accuracy_write(a, "bar", folder, &err), err);
  snprintf(path, sizeof path, "%s/bounce-motion.svg", folder);
  char *content = NULL;
  size_t bytes;
  check_ok(lb_file_read(path, &content, &bytes, &err), err);
  assert_non_null(strstr(content, "force, N"));
  lb_free(content);
  snprintf(path, sizeof path, "%s/report.json", folder);
  json_t *json = json_load_file(path, 0, NULL);
  const json_t *motions = json_object_get(json, "motions");
  json_t *last = json_array_get(motions, json_array_size(motions) - 1);
  assert_int_equal(json_unpack(last, "{s:{s:{s:f, s:f, s:f}}}", "bounce", "rebound_height", "full",
                               &full, "reduced", &reduced, "error", &error),
                   0);
  check_near(full, b->rebound_height[0], 1e-15);
  check_near(reduced, b->rebound_height[1], 1e-15);
  check_near(error, fabs(reduced - full) / b->height, 1e-12);
  assert_true(json_is_null(json_object_get(json_array_get(motions, 0), "bounce")));
  json_decref(json);
}

// A basis with all shapes that a short bar has bounces as the full one does; one of two does not.
static void a_bounce_is_compared_with_the_full_one(void **state) {
  (void)state;
  static const int32_t dimensions[] = { 30, 2 }; // of 36 unknowns, 6 of them rigid
  double errors[2][2];
  for (int i = 0; i < 2; i++) {
    Subject s = make_bar(2, 0.5, dimensions[i], dimensions[i], false);
    lbAccuracyDef def = full_def();
    lbAccuracy *a = measure(&s, &def);
    const lbAccuracyMotion *m = &a->motions[a->motion_count - 1];
    const lbAccuracyBounce *b = &m->bounce;
    assert_string_equal(m->name, "bounce");
    assert_true(b->height > 0 && m->step_count > 0 && m->mass_error < 0);
    errors[i][0] = fabs(b->peak_force[1] / b->peak_force[0] - 1);
    errors[i][1] = fabs(b->rebound_height[1] - b->rebound_height[0]) / b->height;
    print_message("  r = %d, from %.3g m: force %.4g of %.4g N, rebound %.3g of %.3g m, contact "
                  "%.3g of %.3g s%s%s\n",
                  (int)dimensions[i], b->height, b->peak_force[1], b->peak_force[0],
                  b->rebound_height[1], b->rebound_height[0], b->contact_time[1],
                  b->contact_time[0], m->problem[0] ? ": " : "", m->problem);
    check_near(m->peak_error, errors[i][0], 1e-12);
    assert_true(b->rebound_height[0] <= b->height && b->rebound_height[1] <= b->height);
    assert_non_null(strstr(a->coverage, "peak force"));
    if (i == 0) check_written_bounce(a, b);
    lb_accuracy_destroy(a);
    release_subject(&s);
  }
  check_small(errors[0][0], 0.05);
  check_small(errors[0][1], 0.05);
  assert_true(errors[1][0] > 2 * errors[0][0] && errors[1][1] > 2 * errors[0][1]);
}

// So heavily damped that no motion gets anywhere.
static void a_motion_that_does_not_come_about_gives_no_figures(void **state) {
  (void)state;
  Subject s = make_subject(4, 6, true);
  lbModel draft = *s.model, *damped = NULL;
  const double damping[2] = { 1e6, 0 };
  lbError err;
  draft.subspace_damping = damping;
  check_ok(lb_model_create(&draft, &damped, &err), err);
  lbAccuracyDef def = lb_accuracy_def();
  lbAccuracy *a = NULL;
  check_ok(lb_accuracy_measure(s.fem, damped, &def, &a, &err), err);
  assert_non_null(strstr(a->motions[0].problem, "too little to compare"));
  assert_non_null(strstr(a->coverage, "too little to compare"));
  assert_true(a->motions[0].mass_error < 0 && a->motions[0].vertex_error < 0);
  lb_accuracy_destroy(a);
  lb_model_destroy(damped);
  release_subject(&s);
}

// A body whose quick comparison can afford no more.
static void large_bodies_are_compared_in_equilibrium(void **state) {
  (void)state;
  Subject s = { .mesh = box_mesh(LB_ELEMENT_BRICK8, 24, 10, 10, 1, 0.2, 0.2) };
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  bool *fixed = side(s.mesh, 0, 0);
  lbReduceDef object = lb_reduce_def();
  lbSubspaceDef subspace = lb_subspace_def();
  lbError err;
  subspace.basis.mode_count = 6;
  subspace.basis.dimension = 12;
  s.fem = fem_of_mesh(s.mesh, &material, fixed, LB_MASS_CONSISTENT);
  check_ok(lb_reduce_subspace(s.mesh, s.fem, &object, &subspace, &s.model, &err), err);
  lbAccuracyDef def = lb_accuracy_def();
  lbAccuracy *a = measure(&s, &def);
  assert_int_equal(a->motion_count, 4);
  const lbAccuracyMotion *m = &a->motions[3];
  print_message("  %s: amplitude %.3g m, mass %.2e node %.2e\n", m->name, m->amplitude,
                m->mass_error, m->vertex_error);
  assert_string_equal(m->name, "equilibrium");
  assert_non_null(strstr(a->coverage, "equilibrium"));
  assert_true(m->amplitude > 0.05 * a->size && m->amplitude < 0.11 * a->size);
  assert_true(m->mass_error > 1e-5);
  check_small(m->mass_error, 0.02);
  check_small(m->vertex_error, 0.05);
  lb_accuracy_destroy(a);
  free(fixed);
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
  assert_int_equal(s.model->size.accuracy_count, 7);
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

// The factor that a basis leaves, and what is left of it when the body has become 4 times as stiff.
static void a_known_factor_changes_nothing(void **state) {
  (void)state;
  Subject s = make_subject(10, 24, true);
  lbAccuracyDef def = lb_accuracy_def();
  lbBasisDef basis_def = lb_basis_def();
  lbAccuracy *plain = measure(&s, &def);
  lbError err = { 0 };
  basis_def.mode_count = 10;
  basis_def.keep_factor = true;
  for (int i = 0; i < 2; i++) {
    lbBasis *basis = NULL;
    lbSparse *K = NULL;
    lbAccuracy *known = NULL;
    check_ok(lb_basis_make(s.fem, &basis_def, &basis, &err), err);
    assert_non_null(basis->factor);
    lbKnownFactor factor = { basis->factor, i ? 4 : 1 };
    basis->factor = NULL;
    check_ok(lb_fem_rest_stiffness(s.fem, &K, &err), err);
    for (int32_t k = 0; k < lb_sparse_nonzero_count(K) && i; k++) K->values[k] /= 4;
    if (i) check_ok(lb_cholesky_factor(factor.cholesky, K, &err), err);
    check_ok(lb_accuracy_measure_by(s.fem, s.model, &def, &factor, &known, &err), err);
    assert_null(factor.cholesky);
    assert_int_equal(known->motion_count, plain->motion_count);
    for (int32_t m = 0; m < plain->motion_count; m++) {
      const lbAccuracyMotion *a = &plain->motions[m], *b = &known->motions[m];
      check_near(b->amplitude / a->amplitude, 1, 1e-6);
      check_near(b->mass_error / a->mass_error, 1, 1e-4);
    }
    check_near(known->frequency / plain->frequency, 1, 1e-9);
    lb_accuracy_destroy(known);
    lb_basis_destroy(basis);
    lb_sparse_destroy(K);
  }
  lb_accuracy_destroy(plain);
  release_subject(&s);
}

static int set_up(void **state) {
  lbError err;
  (void)state;
  check_ok(lb_build_start(1, &err), err);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_good_basis_is_found_good_and_a_poor_one_poor),
    cmocka_unit_test(linear_modes_are_judged_too),
    cmocka_unit_test(what_a_basis_cannot_do_is_found_quickly),
    cmocka_unit_test(free_bodies_are_compared_too),
    cmocka_unit_test(a_bounce_is_compared_with_the_full_one),
    cmocka_unit_test(a_motion_that_does_not_come_about_gives_no_figures),
    cmocka_unit_test(large_bodies_are_compared_in_equilibrium),
    cmocka_unit_test(figures_are_kept_in_the_model_and_written),
    cmocka_unit_test(a_known_factor_changes_nothing),
    cmocka_unit_test(wrong_wishes_are_refused),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
