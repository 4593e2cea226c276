// Bodies of frames: the unreduced simulator beside them, momenta, and all that bodies do.
#include "frame_bodies.h"

// ---- free bodies -------------------------------------------------------------------------------

static void a_free_body_keeps_its_momenta(void **state) {
  (void)state;
  static const char *const forms[] = { SCENE("'count':3", ""),
                                       SCENE("'count':4,'weights':'linear'", ""),
                                       SCENE("'count':3,'mass':'lumped'", ""),
                                       SCENE("'count':4,'forces':'springs'", "") };
  for (int f = 0; f < 4; f++) {
    lbModel *model = model_of(forms[f]);
    lbBodyDef def = lb_body_def();
    lbBody *body = body_of(model, &def);
    lbBodyReport before, after;
    body_ok(body, lb_body_set_velocity(body, lb_vec3(1, 2, 3), lb_vec3(2, -3, 1)));
    body_ok(body, lb_body_apply_impulse(body, lb_point_node(TIP), lb_vec3(0.3, 3, -2)));
    before = lb_body_report(body);
    steps(body, CHECK_SANITIZED ? 20 : 200, 0.01);
    after = lb_body_report(body);
    double size = lb_length(before.linear_momentum), turn = lb_length(before.angular_momentum);
    double linear = distance(after.linear_momentum, before.linear_momentum) / size;
    double angular = distance(after.angular_momentum, before.angular_momentum) / turn;
    printf("  momenta off by %.1e and %.1e\n", linear, angular);
    check_small(linear, 1e-12);
    check_small(angular, 1e-11);
    lb_body_destroy(body), lb_model_destroy(model);
  }
}

static void an_impulse_is_the_change_of_momentum(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':3", ""));
  lbBodyDef def = lb_body_def();
  lbBody *body = body_of(model, &def);
  lbBodyReport before, after;
  body_ok(body, lb_body_set_velocity(body, lb_vec3(0, 0, 0), lb_vec3(0, 4, 1)));
  steps(body, 20, 0.01);
  lbVec3 impulse = lb_vec3(3, -2, 1), at = where(body, TIP);
  before = lb_body_report(body);
  body_ok(body, lb_body_apply_impulse(body, lb_point_node(TIP), impulse));
  after = lb_body_report(body);
  lbVec3 P = lb_sub(after.linear_momentum, before.linear_momentum);
  lbVec3 L = lb_sub(after.angular_momentum, before.angular_momentum);
  check_small(distance(P, impulse), 1e-12);
  check_small(distance(L, lb_cross(at, impulse)), 1e-12);
  lb_body_destroy(body), lb_model_destroy(model);
}

static void a_free_body_falls_as_a_stone(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':3", ""));
  lbBodyDef def = lb_body_def();
  def.gravity = lb_vec3(0, 0, -10);
  lbBody *body = body_of(model, &def);
  lbVec3 before = where(body, TIP);
  steps(body, 100, 0.01);
  lbVec3 moved = lb_sub(where(body, TIP), before);
  check_near(moved.z, -10 * 0.5 * (1 + 0.01), 1e-9); // implicit Euler: h² n (n + 1) / 2
  check_small(fabs(moved.x) + fabs(moved.y), 1e-9);
  lb_body_destroy(body), lb_model_destroy(model);
}

// ---- held bodies -------------------------------------------------------------------------------

static void held_points_are_where_they_are_told(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':4", ",'damping':{'mass':1}" HELD));
  lbBodyDef def = lb_body_def();
  def.gravity = lb_vec3(0, 0, -9.81);
  lbBody *body = body_of(model, &def);
  lbVec3 target = lb_add(lb_vec3_load(model->node_positions + 3 * TIP), lb_vec3(-0.1, 0.2, 0.1));
  int32_t id = hold(body, TIP, target);
  for (int i = 0; i < 40; i++) {
    int32_t flags = lb_body_step(body, 0.02);
    if (i > 0) assert_int_equal(flags, 0); // the first one goes a quarter of the length
    if (i > 2) check_small(distance(where(body, TIP), target), 1e-10);
  }
  body_ok(body, lb_body_remove_constraint(body, id));
  steps(body, 2, 0.02);
  assert_true(distance(where(body, TIP), target) > 1e-3);
  lb_body_destroy(body), lb_model_destroy(model);
}

static void a_body_at_rest_carries_its_weight(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':4", ",'damping':{'mass':20}" HELD));
  lbBodyDef def = lb_body_def();
  def.gravity = lb_vec3(0, 0, -1);
  lbBody *body = body_of(model, &def);
  steps(body, 250, 0.2);
  lbVec3 tip = where(body, TIP);
  steps(body, 10, 0.05);
  check_small(distance(where(body, TIP), tip), 1e-9); // at rest, and stays there
  lbBodyReport report;
  report = lb_body_report(body);
  check_small(report.kinetic, 1e-16);
  assert_true(report.elastic > 0);
  lb_body_destroy(body), lb_model_destroy(model);
}

// Rounding is not energy that a step creates.
static void a_body_that_nothing_moves_takes_plain_steps(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':7,'weights':'geodesic','radius':0.1", ""));
  lbBodyDef def = lb_body_def();
  lbBody *body = body_of(model, &def);
  steps(body, 20, 0.01);
  check_small(distance(where(body, TIP), lb_vec3_load(model->node_positions + 3 * TIP)), 1e-12);
  lb_body_destroy(body), lb_model_destroy(model);
}

static void turning_the_whole_scene_turns_the_result(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':4", HELD));
  lbQuat quarter = lb_quat_from_axis_angle(lb_vec3(1, 2, -1), 1.3);
  lbBodyDef def = lb_body_def(), turned = lb_body_def();
  def.gravity = lb_vec3(0, 3, -9);
  turned.gravity = lb_quat_rotate(quarter, def.gravity);
  turned.rotation = quarter;
  lbBody *one = body_of(model, &def), *other = body_of(model, &turned);
  steps(one, 30, 0.02), steps(other, 30, 0.02);
  check_small(distance(lb_quat_rotate(quarter, where(one, TIP)), where(other, TIP)), 1e-10);
  lb_body_destroy(one), lb_body_destroy(other), lb_model_destroy(model);
}

static void a_driven_frame_takes_the_fixed_frames_along(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':4", ",'damping':{'mass':2,'stiffness':0.01}" HELD));
  lbBodyDef def = lb_body_def();
  def.frame = LB_FRAME_DRIVEN;
  lbBody *body = body_of(model, &def);
  lbQuat last = lb_quat_identity();
  for (int i = 1; i <= 100; i++) {
    double t = 0.01 * i;
    last = lb_quat_exp(lb_vec3(0, 0, 0.5 * t));
    body_ok(body, lb_body_drive_to(body, lb_vec3(t, 0, t * t), last));
    assert_int_equal(lb_body_step(body, 0.01), 0);
  }
  for (int i = 0; i < 200; i++) {
    body_ok(body, lb_body_drive_to(body, lb_vec3(1, 0, 1), last));
    assert_int_equal(lb_body_step(body, 0.05), 0);
  }
  lbVec3 rest = lb_vec3_load(model->node_positions + 3 * TIP);
  lbVec3 expected = lb_add(lb_vec3(1, 0, 1), lb_quat_rotate(last, rest));
  check_small(distance(where(body, TIP), expected), 1e-4);
  lb_body_destroy(body), lb_model_destroy(model);
}

static double drag_and_release(const lbModel *model, lbVec3 target, int count) {
  lbBodyDef def = lb_body_def();
  lbBody *body = body_of(model, &def);
  int32_t id = hold(body, TIP, target);
  for (int i = 0; i < count; i++) lb_body_step(body, 0.02);
  lbBodyReport report = lb_body_report(body);
  assert_true(isfinite(lb_length(where(body, TIP))) && isfinite(report.elastic));
  assert_true(report.elastic < 1e5); // it is not stretched without end
  body_ok(body, lb_body_remove_constraint(body, id));
  assert_int_equal(lb_body_step(body, 0), LB_STEP_REFUSED);
  for (int i = 0; i < (CHECK_SANITIZED ? 60 : 300); i++) lb_body_step(body, 1);
  report = lb_body_report(body);
  assert_true(isfinite(report.elastic) && report.elastic < 1e5);
  double from_rest = distance(where(body, TIP), lb_vec3_load(model->node_positions + 3 * TIP));
  lb_body_destroy(body);
  return from_rest;
}

static void absurd_drags_stay_finite_and_hard_ones_come_back(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':4", ",'damping':{'mass':3}" HELD));
  drag_and_release(model, lb_vec3(1e6, -1e6, 1e6), 5);
  drag_and_release(model, lb_vec3(0, 0, 0), 5);
  check_small(drag_and_release(model, lb_vec3(2, 0.5, 0.5), 20), 0.05);
  check_small(drag_and_release(model, lb_vec3(0.3, 0.6, 0.5), 20), 1e-3);
  lb_model_destroy(model);
}

// ---- states ------------------------------------------------------------------------------------

static void coordinates_that_frames_have_are_put_back(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':4", ""));
  lbBodyDef def = lb_body_def();
  lbBody *one = body_of(model, &def), *other = body_of(model, &def);
  size_t count = (size_t)lb_body_dimension(one);
  double *q = lb_alloc(count, 2 * sizeof *q), *r = lb_alloc(count, 2 * sizeof *r);
  body_ok(one, lb_body_set_velocity(one, lb_vec3(0, 0, 0), lb_vec3(0, 3, 2)));
  body_ok(one, lb_body_apply_impulse(one, lb_point_node(TIP), lb_vec3(0, 20, 10)));
  steps(one, 20, 0.01);
  lb_body_get_state(one, q, q + count);
  body_ok(other, lb_body_set_state(other, q, q + count));
  lb_body_get_state(other, r, r + count);
  double apart = 0, rates = 0;
  for (size_t i = 0; i < count; i++) {
    apart = fmax(apart, fabs(q[i] - r[i]));
    rates = fmax(rates, fabs(q[count + i] - r[count + i]));
  }
  printf("  %.1e m, %.1e m/s\n", apart, rates);
  check_small(apart, 1e-11);
  check_small(rates, 1e-9);
  lb_free(q), lb_free(r);
  lb_body_destroy(one), lb_body_destroy(other), lb_model_destroy(model);
}

static void a_restored_body_and_one_of_a_batch_go_on_to_the_bit(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':4", HELD));
  lbBodyDef def = lb_body_def();
  lbError err;
  lbBatch *batch = NULL;
  lbBatchDef batch_def = lb_batch_def();
  def.gravity = lb_vec3(0, 2, -9.81);
  batch_def.count = 3, batch_def.body = def;
  lbBody *one = body_of(model, &def), *other = body_of(model, &def);
  check_ok(lb_batch_create(model, &batch_def, &batch, &err), err);
  size_t bytes = lb_body_state_bytes(one);
  void *saved = lb_alloc(bytes, 1);
  lb_body_apply_force(one, lb_point_node(TIP), lb_vec3(1, 2, 3));
  steps(one, 10, 0.01);
  body_ok(one, lb_body_save_state(one, saved, bytes));
  body_ok(other, lb_body_restore_state(other, saved, bytes));
  steps(one, 10, 0.01), steps(other, 10, 0.01);
  lbVec3 a = where(one, TIP), b = where(other, TIP);
  assert_memory_equal(&a, &b, sizeof a);
  lbBody *alone = body_of(model, &def);
  for (int i = 0; i < 10; i++) lb_batch_step(batch, 0.01);
  steps(alone, 10, 0.01);
  a = where(alone, TIP), b = where(lb_batch_body(batch, 2), TIP);
  assert_memory_equal(&a, &b, sizeof a);
  lb_free(saved);
  lb_batch_destroy(batch);
  lb_body_destroy(one), lb_body_destroy(other), lb_body_destroy(alone), lb_model_destroy(model);
}

static void a_step_takes_no_memory(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':4", HELD));
  lbBodyDef def = lb_body_def();
  def.gravity = lb_vec3(0, 0, -9.81);
  lbBody *body = body_of(model, &def);
  hold(body, TIP, lb_add(where(body, TIP), lb_vec3(-0.01, 0.03, 0.02)));
  steps(body, 2, 0.01);
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator counting = checked_allocator(&heap);
  lb_set_allocator(&counting);
  steps(body, 5, 0.01);
  lb_set_allocator(NULL);
  assert_int_equal(heap.count, 0);
  lb_body_destroy(body), lb_model_destroy(model);
}

static void every_level_moves_alike(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':4", HELD));
  lbBodyDef def = lb_body_def();
  lbVec3 first = lb_vec3(0, 0, 0);
  def.gravity = lb_vec3(0, 2, -9.81);
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    lbBody *body = NULL;
    lbError err;
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    check_ok(lb_body_create_at(model, &def, (lbSimdLevel)level, &body, &err), err);
    steps(body, 40, 0.01);
    lbVec3 at = where(body, TIP);
    if (level == LB_SIMD_PORTABLE) first = at;
    check_small(distance(at, first), 1e-10);
    lb_body_destroy(body);
  }
  lb_model_destroy(model);
}

static void failed_allocations_leave_nothing_behind(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':2", HELD));
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator failing = checked_allocator(&heap);
  lbBodyDef def = lb_body_def();
  for (heap.fail_at = 0;; heap.fail_at++) {
    lbBody *body = NULL;
    lbError err;
    heap.count = 0;
    lb_set_allocator(&failing);
    lbStatus status = lb_body_create(model, &def, &body, &err);
    if (!status) lb_body_destroy(body);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (!status) break;
    assert_int_equal(status, LB_ERR_MEMORY);
  }
  assert_true(heap.fail_at > 10);
  lb_model_destroy(model);
}

// ---- springs -----------------------------------------------------------------------------------

// K of a body's state, by samples or springs.
static void find_stiffness(const lbBody *body, bool springs, double *K) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  const lbFramesState *state = lb_frames_state(body);
  lbFrameMotion motions[LB_FRAMES_MOST];
  double gradient[6 * LB_FRAMES_MOST];
  lbFrameSystem sums = { 0, gradient, NULL, K, NULL };
  int32_t options = LB_FRAMES_FORCE | LB_FRAMES_TANGENT;
  double *room =
      lb_alloc(lb_frame_sums_doubles(shared->samples->list_most, shared->count), sizeof *room);
  lb_frames_motions(body, motions);
  if (springs)
    lb_frame_springs_sum(shared->springs, body->prepared->level, options, shared->rest,
                         state->poses, motions, &sums);
  else
    lb_frame_sum(shared->samples, body->prepared->level, options, shared->count, motions,
                 lb_vec3(0, 0, 0), room, &sums);
  lb_free(room);
}

static double stiffness_apart(const char *text) {
  lbModel *model = model_of(text);
  lbBodyDef def = lb_body_def();
  lbBody *body = body_of(model, &def);
  int32_t n = 6 * lb_body_frames_count(body);
  double *K = lb_alloc((size_t)n * (size_t)n, 2 * sizeof *K), *S = K + (size_t)n * (size_t)n;
  double apart = 0, most = 0;
  find_stiffness(body, false, K);
  find_stiffness(body, true, S);
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = j; i < n; i++) {
      apart = fmax(apart, fabs(K[i + n * j] - S[i + n * j]));
      most = fmax(most, fabs(K[i + n * j]));
    }
  lb_free(K);
  lb_body_destroy(body), lb_model_destroy(model);
  return apart / most;
}

static void springs_are_as_stiff_as_samples_at_rest(void **state) {
  (void)state;
  double chain = stiffness_apart(
      SCENE("'positions':[[0.05,0.1,0.1],[0.5,0.1,0.1],[0.95,0.1,0.1]],'weights':'linear'", ""));
  double other = stiffness_apart(SCENE("'count':5", ""));
  printf("  a chain %.1e, others %.1e\n", chain, other);
  check_small(chain, 1e-11);
  check_small(other, 4e-4);
}

// Poses of five frames in loops, near and far from rest: what springs of a level do, and what that
// is on the whole body.
static void springs_of_every_level_agree_and_keep_momenta(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':5", ""));
  lbBodyDef def = lb_body_def();
  lbBody *body = body_of(model, &def);
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  enum { N = 30 };
  double gradient[2][N], K[2][N * N], apart = 0, left = 0;
  uint64_t random = 5;
  lbFrameMotion motions[5] = { { .still = false } };
  for (int round = 0; round < 20; round++) {
    lbFramePose poses[5];
    double by = round < 10 ? 0.05 : 1, most = 0, force = 0;
    for (int i = 0; i < 5; i++) {
      double r[6];
      for (int k = 0; k < 6; k++) r[k] = by * check_random(&random);
      poses[i] = (lbFramePose){ lb_quat_exp(lb_vec3(r[0], r[1], r[2])),
                                lb_add(shared->rest[i].position, lb_vec3(r[3], r[4], r[5])) };
    }
    for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
      if (!lb_simd_has((lbSimdLevel)level)) continue;
      int at = level > 0;
      lbFrameSystem sums = { 0, gradient[at], NULL, K[at], NULL };
      lb_frame_springs_sum(shared->springs, (lbSimdLevel)level, LB_FRAMES_FORCE | LB_FRAMES_TANGENT,
                           shared->rest, poses, motions, &sums);
      for (int k = 0; k < N * N && at == 0; k++) most = fmax(most, fabs(K[0][k]));
      for (int k = 0; k < N * N && at; k++) apart = fmax(apart, fabs(K[1][k] - K[0][k]) / most);
    }
    lbVec3 linear = lb_vec3(0, 0, 0), angular = linear;
    for (int i = 0; i < 5; i++) {
      lbVec3 torque = lb_vec3_load(gradient[0] + 6 * i), f = lb_vec3_load(gradient[0] + 6 * i + 3);
      linear = lb_add(linear, f);
      angular = lb_add(angular, lb_add(torque, lb_cross(poses[i].position, f)));
      force = fmax(force, lb_length(f));
    }
    left = fmax(left, (lb_length(linear) + lb_length(angular)) / force);
  }
  printf("  levels apart %.1e, momenta off by %.1e\n", apart, left);
  check_small(apart, 1e-11);
  check_small(left, 1e-10);
  lb_body_destroy(body), lb_model_destroy(model);
}

static void springs_can_be_switched_on_while_a_body_runs(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':4", ",'damping':{'mass':5}" HELD));
  lbBodyDef def = lb_body_def();
  def.gravity = lb_vec3(0, 0, -0.3);
  lbBody *one = body_of(model, &def), *other = body_of(model, &def);
  steps(one, 160, 0.05), steps(other, 80, 0.05);
  body_ok(other, lb_body_frames_set_forces(other, LB_FRAME_SPRINGS));
  assert_int_equal(lb_body_frames_forces(other), LB_FRAME_SPRINGS);
  steps(other, 80, 0.05);
  double sag = distance(where(one, TIP), lb_vec3_load(model->node_positions + 3 * TIP));
  double apart = distance(where(one, TIP), where(other, TIP)) / sag;
  printf("  sag %.2e m, %.1e apart\n", sag, apart);
  check_small(apart, 0.1);
  assert_int_equal(lb_body_frames_set_forces(other, LB_FRAME_FORCES_COUNT), LB_ERR_ARGUMENT);
  lb_body_destroy(one), lb_body_destroy(other), lb_model_destroy(model);
}

// ---- frames that come and go -------------------------------------------------------------------

// Greatest distance of nodes from where they were (nodes x 3).
static double shape_apart(const lbBody *body, const double *before, int32_t nodes) {
  double most = 0;
  for (int32_t n = 0; n < nodes; n++)
    most = fmax(most, distance(where(body, n), lb_vec3_load(before + 3 * n)));
  return most;
}

static void keep_nodes(const lbBody *body, int32_t nodes, double *to) {
  for (int32_t n = 0; n < nodes; n++) lb_vec3_store(to + 3 * n, where(body, n));
}

static void a_frame_is_inserted_and_removed_without_a_jump(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':3", ",'damping':{'mass':5}" HELD));
  lbBodyDef def = lb_body_def();
  int32_t nodes = model->size.node_count, frame = -1;
  double *before = lb_alloc((size_t)nodes, 3 * sizeof *before);
  def.gravity = lb_vec3(0, 0, -1);
  lbBody *body = body_of(model, &def);
  // At rest nothing moves at all.
  keep_nodes(body, nodes, before);
  body_ok(body, lb_body_frames_insert(body, lb_vec3(0.8, 0.15, 0.1), 0.2, &frame));
  assert_int_equal(frame, 3);
  assert_int_equal(lb_body_frames_count(body), 4);
  check_small(shape_apart(body, before, nodes), 1e-12);
  body_ok(body, lb_body_frames_remove(body, frame));
  check_small(shape_apart(body, before, nodes), 1e-12);
  for (int i = 0; i < 3; i++) { // as often as one likes
    body_ok(body, lb_body_frames_insert(body, lb_vec3(0.8, 0.15, 0.1), 0.2, &frame));
    body_ok(body, lb_body_frames_remove(body, frame));
  }
  check_small(shape_apart(body, before, nodes), 1e-12);
  steps(body, 60, 0.05);
  keep_nodes(body, nodes, before);
  double sag = distance(where(body, TIP), lb_vec3_load(model->node_positions + 3 * TIP));
  lbVec3 place = lb_scale(0.5, lb_add(where(body, 9), where(body, TIP)));
  body_ok(body, lb_body_frames_insert(body, place, 0, &frame));
  double jump = shape_apart(body, before, nodes);
  lbVec3 at;
  body_ok(body, lb_body_frames_pose(body, frame, &at, NULL));
  printf("  sag %.2e m; the shape moved by %.1e m, the frame is %.1e m off\n", sag, jump,
         distance(at, place));
  check_small(jump, 0.02 * sag);
  check_small(distance(at, place), 0.05);
  steps(body, 20, 0.05);
  body_ok(body, lb_body_frames_remove(body, frame));
  steps(body, 200, 0.05);
  check_small(shape_apart(body, before, nodes), 1e-3 * sag);
  lb_free(before);
  lb_body_destroy(body), lb_model_destroy(model);
}

// The bar hangs, twisted and bent: the places of its samples are found where they are at rest.
static void places_at_rest_are_found_in_about_three_iterations(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':4", ",'damping':{'mass':5}" HELD));
  lbBodyDef def = lb_body_def();
  lbVoxelGrid *grid = NULL;
  lbVoxels *voxels = NULL;
  lbError err;
  def.gravity = lb_vec3(0, 3, -6);
  lbBody *body = body_of(model, &def);
  steps(body, 100, 0.05);
  check_ok(lb_voxel_grid_create(lb_vec3_load(model->voxel_grid), model->voxel_grid[3],
                                model->voxel_size, &grid, &err),
           err);
  memcpy(grid->cells, model->voxel_cells, (size_t)model->size.voxel_cell_count);
  check_ok(lb_voxels_create(grid, &voxels, &err), err);
  int32_t most = 0, tried = 0, home;
  double sum = 0, farthest = 0;
  for (int32_t n = 0; n < model->size.node_count; n++) {
    int32_t iterations = 0;
    lbVec3 found, X = lb_vec3_load(model->node_positions + 3 * n), x = where(body, n);
    if (lb_frames_find_rest(body, voxels, x, &found, &home, &iterations)) continue;
    farthest = fmax(farthest, distance(found, X));
    most = iterations > most ? iterations : most;
    sum += iterations, tried++;
  }
  printf("  %.2f iterations on average, %d at most, in %d places; up to %.1e m off\n", sum / tried,
         (int)most, (int)tried, farthest);
  assert_true(tried >= model->size.node_count / 2);
  assert_true(sum / tried < 4);
  check_small(farthest, 0.02);
  lb_voxels_destroy(voxels), lb_voxel_grid_destroy(grid);
  lb_body_destroy(body), lb_model_destroy(model);
}

static void places_where_no_frame_can_be_are_refused(void **state) {
  (void)state;
  lbModel *model = model_of(SCENE("'count':3", HELD));
  lbBodyDef def = lb_body_def();
  lbBody *body = body_of(model, &def);
  lbVec3 at;
  assert_int_equal(lb_body_frames_insert(body, lb_vec3(2, 0, 0), 0, NULL), LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_frames_insert(body, lb_vec3(NAN, 0, 0), 0, NULL), LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_frames_insert(body, lb_vec3(0.5, 0.1, 0.1), -1, NULL), LB_ERR_ARGUMENT);
  body_ok(body, lb_body_frames_pose(body, 1, &at, NULL));
  assert_int_equal(lb_body_frames_insert(body, at, 0, NULL), LB_ERR_ARGUMENT);
  assert_non_null(strstr(lb_body_message(body), "frame 1"));
  assert_int_equal(lb_body_frames_remove(body, 1), LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_frames_remove(body, 3), LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_frames_count(body), 3);
  steps(body, 2, 0.01);
  lb_body_destroy(body), lb_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_free_body_keeps_its_momenta),
    cmocka_unit_test(an_impulse_is_the_change_of_momentum),
    cmocka_unit_test(a_free_body_falls_as_a_stone),
    cmocka_unit_test(held_points_are_where_they_are_told),
    cmocka_unit_test(a_body_at_rest_carries_its_weight),
    cmocka_unit_test(a_body_that_nothing_moves_takes_plain_steps),
    cmocka_unit_test(turning_the_whole_scene_turns_the_result),
    cmocka_unit_test(a_driven_frame_takes_the_fixed_frames_along),
    cmocka_unit_test(absurd_drags_stay_finite_and_hard_ones_come_back),
    cmocka_unit_test(coordinates_that_frames_have_are_put_back),
    cmocka_unit_test(a_restored_body_and_one_of_a_batch_go_on_to_the_bit),
    cmocka_unit_test(a_step_takes_no_memory),
    cmocka_unit_test(every_level_moves_alike),
    cmocka_unit_test(springs_are_as_stiff_as_samples_at_rest),
    cmocka_unit_test(springs_of_every_level_agree_and_keep_momenta),
    cmocka_unit_test(springs_can_be_switched_on_while_a_body_runs),
    cmocka_unit_test(a_frame_is_inserted_and_removed_without_a_jump),
    cmocka_unit_test(places_at_rest_are_found_in_about_three_iterations),
    cmocka_unit_test(places_where_no_frame_can_be_are_refused),
    cmocka_unit_test(failed_allocations_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
