// Editors: the shape that follows handles is the minimum of what it should be, of every force
// model; what is refused.
#include "toy_editor.h"

#include "math/dense.h"

// ---- the function ------------------------------------------------------------------------------

static double gradient_error(lbEditor *e, uint64_t *seed, double size) {
  double x[64] = { 0 }, at[64] = { 0 }, g[64], unused[64], worst = 0, scale = 0;
  for (int32_t i = 0; i < e->count; i++) x[i] = size * check_random(seed);
  lb_editor_value(e, x, g);
  for (int32_t i = 0; i < e->count; i++) {
    double h = 1e-4 * size, f[4];
    const double steps[4] = { -2, -1, 1, 2 };
    for (int k = 0; k < 4; k++) {
      memcpy(at, x, sizeof at);
      at[i] += steps[k] * h;
      f[k] = lb_editor_value(e, at, unused);
    }
    double slope = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h);
    worst = fmax(worst, fabs(slope - g[i]));
    scale = fmax(scale, fabs(g[i]));
  }
  return worst / scale;
}

static void gradient_is_that_of_the_value(void **state) {
  (void)state;
  Case c = make_case(sub_bar());
  uint64_t seed = 3;
  move(c.editor, c.far_end, lb_vec3(0.1, 0.2, -0.1), lb_vec3(0.5, -0.2, 1));
  settle(c.editor);
  for (int i = 0; i < 5; i++) check_small(gradient_error(c.editor, &seed, 0.05), 1e-8);
  c.editor->is_free = true; // the frame that is fitted needs no derivative
  for (int i = 0; i < 5; i++) check_small(gradient_error(c.editor, &seed, 0.05), 1e-8);
  destroy_case(&c);
}

// Newton's method with a dense second derivative by differences, from where BFGS ended.
static double newton_distance(lbEditor *e) {
  int32_t n = e->count;
  double x[64] = { 0 }, g[64], side[64], A[64 * 64], step[64], most = 0;
  memcpy(x, e->bfgs.x, (size_t)n * sizeof *x);
  double size = sqrt(lb_row_dot(n, x, x));
  for (int pass = 0; pass < 4; pass++) {
    for (int32_t j = 0; j < n; j++)
      for (int s = -1; s <= 1; s += 2) {
        double at[64] = { 0 }, h = 1e-6 * size;
        memcpy(at, x, sizeof at);
        at[j] += s * h;
        lb_editor_value(e, at, side);
        for (int32_t i = 0; i < n; i++)
          A[i + n * j] = s < 0 ? -side[i] / (2 * h) : A[i + n * j] + side[i] / (2 * h);
      }
    lb_editor_value(e, x, g);
    memcpy(step, g, (size_t)n * sizeof *g);
    assert_true(lb_small_ldlt_factor(n, A));
    for (int32_t j = 0; j < n; j++) assert_true(A[j + n * j] > 0); // pivots: a minimum
    lb_small_ldlt_solve(n, A, 1, step);
    for (int32_t i = 0; i < n; i++) x[i] -= step[i];
  }
  for (int32_t i = 0; i < n; i++) most = fmax(most, fabs(x[i] - e->bfgs.x[i]));
  return most / size;
}

static void shape_is_the_minimum_that_newton_finds(void **state) {
  (void)state;
  Case c = make_case(sub_bar());
  const lbVec3 shifts[3] = { { 0, 0, 0.3 }, { 0.1, -0.4, 0 }, { 0, 0, 0 } };
  const lbVec3 turns[3] = { { 0, 0, 0 }, { 0, 0, -0.5 }, { 1, 0, 0 } };
  for (int i = 0; i < 3; i++) {
    move(c.editor, c.far_end, shifts[i], turns[i]);
    lbEditResult r = settle(c.editor);
    double away = newton_distance(c.editor);
    print_message("pose %d: %d iterations, %d evaluations, from Newton's minimum %.1e\n", i,
                  (int)r.iterations, (int)r.evaluations, away);
    assert_false(r.flags & LB_EDIT_NOT_CONVERGED);
    check_small(away, 1e-8);
  }
  destroy_case(&c);
}

// ---- targets -----------------------------------------------------------------------------------

static void handles_follow_within_their_stiffness(void **state) {
  (void)state;
  Case c = make_case(sub_bar());
  move(c.editor, c.far_end, lb_vec3(0, 0, 0.05), lb_vec3(0, 0, 0));
  lbEditResult r = settle(c.editor);
  double all = lb_editor_handle_error(c.editor, -1);
  print_message("shift 0.05 m: error %.3e m, of all vertices %.3e m\n", r.handle_error, all);
  assert_true(r.energy > 0);
  check_small(r.handle_error / 0.05, 0.05);
  check_near(all, r.handle_error, 1e-12); // all of them pull here
  assert_int_equal(r.flags, 0);
  // What the handle pulls with is what the value at the minimum changes by with its target.
  double value = c.editor->bfgs.value, pull = 0, h = 1e-5;
  const lbHandle *far = &c.editor->handles[c.far_end];
  for (int32_t i = 0; i < far->sample_count; i++)
    pull += far->stiffness * (far->samples[i].target.z - c.editor->places[i].z);
  move(c.editor, c.far_end, lb_vec3(0, 0, 0.05 + h), lb_vec3(0, 0, 0));
  settle(c.editor);
  check_small((c.editor->bfgs.value - value) / h / pull - 1, 1e-3);
  // More weight, less error: a thousandfold leaves what the shapes cannot do.
  lbHandleDef def = lb_handle_def();
  lbPoint *points = end_points(c.sub.toy.mesh, true, &def.point_count);
  lbError err;
  int32_t handle;
  check_ok(lb_editor_remove_handle(c.editor, c.far_end, &err), err);
  def.points = points, def.name = "stiff", def.weight = 1000;
  check_ok(lb_editor_add_handle(c.editor, &def, &handle, &err), err);
  free(points);
  move(c.editor, handle, lb_vec3(0, 0, 0.05), lb_vec3(0, 0, 0));
  lbEditResult stiff = settle(c.editor);
  print_message("a thousand times the weight: %.3e m\n", stiff.handle_error);
  assert_true(stiff.handle_error < 0.5 * r.handle_error);
  destroy_case(&c);
}

static void body_has_the_pose_and_goes_on_from_it(void **state) {
  (void)state;
  Case c = make_case(sub_bar());
  double q[64], v[64];
  move(c.editor, c.far_end, lb_vec3(0, 0.2, 0.1), lb_vec3(0.3, 0, 0));
  lbEditResult r = settle(c.editor);
  lb_body_get_state(c.body, q, v);
  for (int32_t i = 0; i < lb_body_dimension(c.body); i++) {
    assert_true(q[i] == c.editor->bfgs.x[i]);
    assert_true(v[i] == 0);
  }
  check_near(lb_body_report(c.body).elastic, r.energy, 1e-12 * r.energy);
  assert_int_equal(lb_body_step(c.body, 1e-3) & ~LB_STEP_ADAPTED, 0);
  assert_true(lb_body_report(c.body).kinetic > 0);
  destroy_case(&c);
}

static void stiffness_of_a_handle_is_that_of_the_first_mode(void **state) {
  (void)state;
  Case c = make_case(sub_bar());
  lbModes *modes = NULL;
  lbError err;
  check_ok(lb_fem_modes(c.sub.fem, 1, &modes, &err), err);
  double most = 0;
  for (int32_t n = 0; n < modes->vertex_count; n++)
    most = fmax(most, lb_length(lb_vec3_load(modes->shapes + 3 * n)));
  double expected = 1000 * modes->eigenvalues[0] / (most * most);
  print_message("stiffness of a handle %.6g N/m, by the first mode %.6g N/m\n", c.editor->follow,
                expected);
  check_small(c.editor->follow / expected - 1, 0.02); // two modes are nearly alike
  lb_modes_destroy(modes);
  destroy_case(&c);
}

// ---- forces by cubature ------------------------------------------------------------------------

static lbEditor *editor_of(lbBody *body) {
  lbEditorDef def = lb_editor_def();
  lbEditor *editor = NULL;
  lbError err;
  check_ok(lb_editor_create(body, &def, &editor, &err), err);
  return editor;
}

static void cubature_over_all_elements_gives_the_same_pose(void **state) {
  (void)state;
  CubToy toy = cub_make(sub_bar(), LB_MATERIAL_STVK);
  lbBody *bodies[2] = { sub_body(&toy.sub, NULL), cub_body_of(toy.model, NULL) };
  double q[2][64], most = 0, size = 0;
  for (int i = 0; i < 2; i++) {
    lbEditor *e = editor_of(bodies[i]);
    int32_t far = add_end(e, toy.sub.toy.mesh, true, "far");
    move(e, far, lb_vec3(0, 0.2, 0.3), lb_vec3(0.5, 0, 0));
    assert_int_equal(settle(e).flags & LB_EDIT_NOT_CONVERGED, 0);
    memcpy(q[i], e->bfgs.x, (size_t)e->count * sizeof(double));
    for (int32_t k = 0; i == 1 && k < e->count; k++) {
      most = fmax(most, fabs(q[0][k] - q[1][k]));
      size = fmax(size, fabs(q[0][k]));
    }
    lb_editor_destroy(e);
  }
  print_message("polynomials and cubature differ by %.1e\n", most / size);
  check_small(most / size, 1e-8);
  for (int i = 0; i < 2; i++) lb_body_destroy(bodies[i]);
  cub_destroy(&toy);
}

// Its energy is infinite where an element is turned inside out: the line search stays away.
static void a_law_with_a_barrier_is_never_left(void **state) {
  (void)state;
  CubToy toy = cub_make(sub_bar(), LB_MATERIAL_NEOHOOKEAN);
  lbBody *body = cub_body_of(toy.model, NULL);
  lbEditor *e = editor_of(body);
  int32_t far = add_end(e, toy.sub.toy.mesh, true, "far");
  uint64_t seed = 7;
  lbError err;
  int events = CHECK_SANITIZED ? 10 : 60;
  for (int i = 0; i < events; i++) { // pushed through its own support now and then
    lbVec3 shift =
        lb_vec3(-1.5 + 2 * check_random(&seed), check_random(&seed), check_random(&seed));
    lbEditResult r;
    move(e, far, shift, lb_vec3(check_random(&seed), 0, 3 * check_random(&seed)));
    check_ok(lb_editor_follow(e, &r, &err), err);
    assert_true(isfinite(r.energy) && r.energy >= 0 && isfinite(r.handle_error));
  }
  move(e, far, lb_vec3(-0.6, 0, 0.1), lb_vec3(0, 0, 0)); // half its length
  lbEditResult r = settle(e);
  print_message("pressed together: %.4g J, error %.3g m, %d iterations\n", r.energy, r.handle_error,
                (int)r.iterations);
  assert_int_equal(r.flags & LB_EDIT_NOT_CONVERGED, 0);
  move(e, far, lb_vec3(0, 0, 0), lb_vec3(0, 0, 0));
  r = settle(e);
  check_small(r.handle_error, 1e-9);
  lb_editor_destroy(e);
  lb_body_destroy(body);
  cub_destroy(&toy);
}

// ---- levels, choice, bad input -----------------------------------------------------------------

static void levels_differ_by_rounding(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  double first[64], most = 0, size = 0;
  lbError err;
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    lbBodyDef def = sub_body_def();
    lbBody *body = NULL;
    lbEditor *e = NULL;
    lbEditorDef editor = lb_editor_def();
    check_ok(lb_body_create_at(sub.model, &def, (lbSimdLevel)level, &body, &err), err);
    check_ok(lb_editor_create(body, &editor, &e, &err), err);
    int32_t far = add_end(e, sub.toy.mesh, true, "far");
    move(e, far, lb_vec3(0, 0.2, 0.3), lb_vec3(1, 0, 0));
    settle(e);
    for (int32_t i = 0; i < e->count; i++) {
      if (level == 0) first[i] = e->bfgs.x[i];
      most = fmax(most, fabs(first[i] - e->bfgs.x[i]));
      size = fmax(size, fabs(first[i]));
    }
    lb_editor_destroy(e);
    lb_body_destroy(body);
  }
  print_message("levels differ by %.1e\n", most / size);
  check_small(most / size, 1e-8);
  sub_destroy(&sub);
}

static void choice_of_vertices_is_the_seeds(void **state) {
  (void)state;
  SubDef sub_def = sub_bar();
  sub_def.cells[1] = sub_def.cells[2] = 3;
  SubToy sub = sub_make(sub_def);
  lbBody *body = sub_body(&sub, NULL);
  lbVec3 first[3][5];
  for (int k = 0; k < 3; k++) {
    lbEditorDef def = lb_editor_def();
    lbEditor *e = NULL;
    lbError err;
    def.samples = 5, def.seed = k == 2 ? 77 : 1;
    check_ok(lb_editor_create(body, &def, &e, &err), err);
    int32_t far = add_end(e, sub.toy.mesh, true, "far");
    assert_int_equal(e->handles[far].sample_count, 5);
    for (int i = 0; i < 5; i++) first[k][i] = e->handles[far].samples[i].rest;
    move(e, far, lb_vec3(0, 0, 0.1), lb_vec3(0, 0, 0));
    lbEditResult r = settle(e);
    assert_true(lb_editor_handle_error(e, far) >= r.handle_error - 1e-15);
    lb_editor_destroy(e);
  }
  assert_memory_equal(first[0], first[1], sizeof first[0]);
  assert_memory_not_equal(first[0], first[2], sizeof first[0]);
  lb_body_destroy(body);
  sub_destroy(&sub);
}

static void bad_input_is_refused_by_name(void **state) {
  (void)state;
  Case c = make_case(sub_bar());
  lbError err;
  lbHandleDef def = lb_handle_def();
  lbPoint points[2] = { lb_point_node(0), lb_point_node(0) };
  int32_t handle;
  def.name = "empty";
  check_fails(lb_editor_add_handle(c.editor, &def, &handle, &err), LB_ERR_ARGUMENT, err,
              "handle \"empty\" has no vertices");
  def.name = "twice", def.points = points, def.point_count = 2;
  check_fails(lb_editor_add_handle(c.editor, &def, &handle, &err), LB_ERR_ARGUMENT, err,
              "\"twice\": node 0 is in it twice");
  int32_t count;
  lbPoint *end = end_points(c.sub.toy.mesh, true, &count);
  def.name = "other", def.points = end, def.point_count = 1;
  check_fails(lb_editor_add_handle(c.editor, &def, &handle, &err), LB_ERR_ARGUMENT, err,
              "handle \"other\" overlaps handle \"far\"");
  points[0].index = 100000, def.points = points, def.name = "missing";
  check_fails(lb_editor_add_handle(c.editor, &def, &handle, &err), LB_ERR_ARGUMENT, err, "100000");
  points[0].index = 0, def.name = "far";
  check_fails(lb_editor_add_handle(c.editor, &def, &handle, &err), LB_ERR_ARGUMENT, err,
              "two handles are called \"far\"");
  def.name = "light", def.weight = 0;
  check_fails(lb_editor_add_handle(c.editor, &def, &handle, &err), LB_ERR_ARGUMENT, err, "weight");
  lbHandleMotion motion = lb_editor_rest_motion(c.editor, c.far_end);
  motion.translate.y = NAN;
  check_fails(lb_editor_move_handle(c.editor, c.far_end, &motion, &err), LB_ERR_ARGUMENT, err,
              "handle \"far\"");
  check_fails(lb_editor_move_handle(c.editor, 31, &motion, &err), LB_ERR_ARGUMENT, err, "31");
  lbBodyDef modal = lb_body_def();
  lbBody *body = NULL;
  lbEditor *editor = NULL;
  lbEditorDef editor_def = lb_editor_def();
  modal.method = LB_METHOD_MODAL;
  check_ok(lb_body_create(c.sub.model, &modal, &body, &err), err);
  check_fails(lb_editor_create(body, &editor_def, &editor, &err), LB_ERR_UNSUPPORTED, err,
              "subspace");
  editor_def.iterations = 0;
  check_fails(lb_editor_create(c.body, &editor_def, &editor, &err), LB_ERR_ARGUMENT, err,
              "iterations");
  assert_int_equal(lb_editor_create(NULL, &editor_def, &editor, NULL), LB_ERR_ARGUMENT);
  assert_int_equal(lb_editor_follow(NULL, NULL, NULL), LB_ERR_ARGUMENT);
  assert_int_equal(lb_editor_handle_count(NULL), 0);
  assert_false(lb_editor_undo(NULL));
  lb_editor_destroy(NULL);
  lb_body_destroy(body);
  free(end);
  destroy_case(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(gradient_is_that_of_the_value),
    cmocka_unit_test(shape_is_the_minimum_that_newton_finds),
    cmocka_unit_test(handles_follow_within_their_stiffness),
    cmocka_unit_test(body_has_the_pose_and_goes_on_from_it),
    cmocka_unit_test(stiffness_of_a_handle_is_that_of_the_first_mode),
    cmocka_unit_test(cubature_over_all_elements_gives_the_same_pose),
    cmocka_unit_test(a_law_with_a_barrier_is_never_left),
    cmocka_unit_test(levels_differ_by_rounding),
    cmocka_unit_test(choice_of_vertices_is_the_seeds),
    cmocka_unit_test(bad_input_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
