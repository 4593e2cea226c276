// The table of methods: names, codes in files, what a model has, and what is taken where nothing is
// said.
#include "packed.h"

static void names_and_codes_are_each_others_inverse(void **state) {
  (void)state;
  for (int i = LB_METHOD_DEFAULT + 1; i < LB_METHOD_COUNT; i++) {
    lbMethod by_name = LB_METHOD_DEFAULT, by_code = LB_METHOD_DEFAULT;
    assert_true(lb_method_from_name(lb_method_name((lbMethod)i), &by_name));
    assert_true(lb_method_from_code(lb_method_code((lbMethod)i), &by_code));
    assert_int_equal(by_name, i);
    assert_int_equal(by_code, i);
  }
}

// Files outlive the enum: these numbers never change.
static void codes_in_files_stay_as_they_are(void **state) {
  (void)state;
  assert_int_equal(lb_method_code(LB_METHOD_RECORDED), 0);
  assert_int_equal(lb_method_code(LB_METHOD_MODAL), 1);
  assert_int_equal(lb_method_code(LB_METHOD_SUBSPACE), 2);
  assert_int_equal(lb_method_code(LB_METHOD_WARP), 3);
  assert_int_equal(lb_method_code(LB_METHOD_FRAMES), 4);
  assert_int_equal(lb_method_code(LB_METHOD_FULL), 5);
  assert_int_equal(lb_method_code(LB_METHOD_RIGID), 6);
}

static void what_is_no_method_has_neither_name_nor_code(void **state) {
  (void)state;
  lbMethod method = LB_METHOD_WARP;
  assert_false(lb_method_from_name("default", &method));
  assert_false(lb_method_from_name("", &method));
  assert_false(lb_method_from_name("Modal", &method));
  assert_false(lb_method_from_code(-1, &method));
  assert_false(lb_method_from_code(7, &method));
  assert_int_equal(method, LB_METHOD_WARP);
  assert_int_equal(lb_method_code(LB_METHOD_DEFAULT), -1);
  assert_int_equal(lb_method_code((lbMethod)77), -1);
  assert_string_equal(lb_method_name((lbMethod)77), "unknown");
  assert_string_equal(lb_method_name((lbMethod)-1), "unknown");
}

static void a_view_has_the_arrays_of_its_method(void **state) {
  (void)state;
  SmallModel small;
  lbModelMethod view;
  small_model_fill(&small);
  const lbModel *m = &small.draft;
  assert_true(lb_model_method(m, LB_METHOD_MODAL, &view));
  assert_int_equal(view.method, LB_METHOD_MODAL);
  assert_int_equal(view.dimension, SMALL_MODES);
  assert_ptr_equal(view.basis, m->modal_basis);
  assert_ptr_equal(view.gravity, m->modal_gravity);
  assert_ptr_equal(view.rigid, m->modal_rigid);
  assert_ptr_equal(view.damping, m->modal_damping);
  assert_ptr_equal(view.eigenvalues, m->modal_eigenvalues);
  assert_ptr_equal(view.inertia_first, m->modal_inertia_first);
  assert_ptr_equal(view.inertia_second, m->modal_inertia_second);
  assert_true(lb_model_method(m, LB_METHOD_SUBSPACE, &view));
  assert_int_equal(view.dimension, SMALL_DIMENSION);
  assert_ptr_equal(view.basis, m->subspace_basis);
  assert_ptr_equal(view.gravity, m->subspace_gravity);
  assert_ptr_equal(view.rigid, m->subspace_rigid);
  assert_ptr_equal(view.damping, m->subspace_damping);
  assert_null(view.eigenvalues);
  assert_ptr_equal(view.inertia_first, m->subspace_inertia_first);
  assert_ptr_equal(view.inertia_second, m->subspace_inertia_second);
  assert_true(lb_model_method(m, LB_METHOD_WARP, &view));
  assert_int_equal(view.dimension, 3 * SMALL_NODES);
  assert_null(view.basis);
  assert_ptr_equal(view.damping, m->warp_damping);
  assert_true(lb_model_method(m, LB_METHOD_FRAMES, &view));
  assert_int_equal(view.dimension, 3 * SMALL_NODES);
  assert_null(view.basis);
  assert_ptr_equal(view.damping, m->frame_damping);
  assert_true(lb_model_method(m, LB_METHOD_RECORDED, &view));
  assert_int_equal(view.dimension, SMALL_RECORDED);
  assert_ptr_equal(view.basis, m->recording_basis);
  assert_null(view.gravity);
  assert_null(view.rigid);
  assert_true(lb_model_method(m, LB_METHOD_RIGID, &view));
  assert_int_equal(view.dimension, 0);
  assert_non_null(view.basis);
}

static void a_method_that_is_not_there_leaves_the_view_alone(void **state) {
  (void)state;
  SmallModel small;
  lbModelMethod view = { .dimension = -7 };
  small_model_fill(&small);
  const lbMethod missing[] = { LB_METHOD_FULL, LB_METHOD_COUNT, (lbMethod)-1 };
  for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
    assert_false(lb_model_method(&small.draft, missing[i], &view));
    assert_false(lb_model_has(&small.draft, missing[i]));
  }
  assert_int_equal(view.dimension, -7);
}

static void subspace_comes_before_modal_and_what_is_rigid_last(void **state) {
  (void)state;
  const lbMethod order[] = { LB_METHOD_SUBSPACE, LB_METHOD_MODAL, LB_METHOD_FRAMES, LB_METHOD_WARP,
                             LB_METHOD_RECORDED, LB_METHOD_RIGID, LB_METHOD_DEFAULT };
  SmallModel small;
  small_model_fill(&small);
  for (int gone = 0; gone < 7; gone++) {
    lbModelMethod view = { 0 };
    if (gone == 1) small.draft.size.subspace_dimension = 0;
    if (gone == 2) small.draft.size.mode_count = 0;
    if (gone == 3) small.draft.size.frame_count = 0;
    if (gone == 4) small.draft.warp_settings = NULL;
    if (gone == 5) small.draft.size.recording_dimension = 0;
    if (gone == 6) small.draft.rigid_shape = NULL;
    assert_int_equal(lb_model_default_method(&small.draft), order[gone]);
    assert_int_equal(lb_model_method(&small.draft, LB_METHOD_DEFAULT, &view), gone < 6);
    assert_int_equal(view.method, order[gone]);
  }
}

// A body by the unreduced simulator came with version 3 of the format, a recorded one with 2.
static void an_unreduced_body_needs_a_newer_format(void **state) {
  (void)state;
  const struct {
    lbMethod method;
    uint32_t version;
  } cases[] = { { LB_METHOD_MODAL, 1 }, { LB_METHOD_RECORDED, 2 }, { LB_METHOD_FULL, 3 } };
  SmallModel small;
  SmallWorld world;
  small_model_fill(&small);
  small_world_fill(&world, 0);
  small_world_strip(&world);
  lbWorldDef def = world.def;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    world.body_methods[1] = lb_method_code(cases[i].method);
    assert_int_equal(lb_world_method(&def, 1), cases[i].method);
    assert_int_equal(lb_bundle_version(NULL, 0, &def), cases[i].version);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_and_codes_are_each_others_inverse),
    cmocka_unit_test(codes_in_files_stay_as_they_are),
    cmocka_unit_test(what_is_no_method_has_neither_name_nor_code),
    cmocka_unit_test(a_view_has_the_arrays_of_its_method),
    cmocka_unit_test(a_method_that_is_not_there_leaves_the_view_alone),
    cmocka_unit_test(subspace_comes_before_modal_and_what_is_rigid_last),
    cmocka_unit_test(an_unreduced_body_needs_a_newer_format),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
