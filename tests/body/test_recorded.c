// Recordings: the small model's, of four frames at 32 Hz, played by time and by nothing else.
#include "../model/small_model.h"

#include "limber/body.h"

static const double frames[SMALL_FRAMES][SMALL_RECORDED] = {
  { 0, 0 }, { .25, .5 }, { .5, .5 }, { .75, 0 }
};

typedef struct Played {
  SmallModel small;
  lbModel *model;
  lbBody *body;
} Played;

static lbBodyDef recorded_def(void) {
  lbBodyDef def = lb_body_def();
  def.method = LB_METHOD_RECORDED;
  return def;
}

static void play_small(Played *p, const lbBodyDef *def) {
  lbError err = { 0 };
  small_model_fill(&p->small);
  p->model = NULL, p->body = NULL;
  check_ok(lb_model_create(&p->small.draft, &p->model, &err), err);
  check_ok(lb_body_create(p->model, def, &p->body, &err), err);
}

static void release(Played *p) {
  lb_body_destroy(p->body);
  lb_model_destroy(p->model);
}

static void check_state(const lbBody *body, const double q[2], const double v[2]) {
  double got_q[2], got_v[2];
  lb_body_get_state(body, got_q, got_v);
  for (int i = 0; i < 2; i++) {
    check_near(got_q[i], q[i], 1e-14);
    if (v) check_near(got_v[i], v[i], 1e-12);
  }
}

static void frames_are_met_and_the_last_one_is_held(void **state) {
  (void)state;
  Played p;
  lbBodyDef def = recorded_def();
  play_small(&p, &def);
  assert_int_equal(lb_body_method(p.body), LB_METHOD_RECORDED);
  assert_int_equal(lb_body_dimension(p.body), SMALL_RECORDED);
  check_near(lb_model_recording_seconds(p.model), 3. / 32, 0);
  check_state(p.body, frames[0], (double[]){ 8, 32 * (2 * .5 - .5 * .5) }); // one-sided slopes
  for (int f = 1; f < SMALL_FRAMES; f++) {
    assert_int_equal(lb_body_step(p.body, 1. / 32), 0);
    if (f < 3)
      check_state(p.body, frames[f], (double[]){ 8, 16 * (frames[f + 1][1] - frames[f - 1][1]) });
  }
  for (int i = 0; i < 3; i++) {
    check_state(p.body, frames[3], (double[]){ 0, 0 });
    lb_body_step(p.body, 10);
  }
  check_near(lb_body_time(p.body), 3. / 32 + 30, 1e-12);
  release(&p);
}

// The first coordinate is a straight line, which cubic polynomials have exactly; rates are the
// derivatives of the coordinates.
static void between_the_frames_the_motion_is_smooth(void **state) {
  (void)state;
  Played p;
  lbBodyDef def = recorded_def();
  play_small(&p, &def);
  const double h = 1. / 4096;
  double before[2], q[2], v[2], rates[2];
  for (int i = 1; i < 380; i++) {
    lb_body_get_state(p.body, before, rates);
    lb_body_step(p.body, h);
    lb_body_get_state(p.body, q, v);
    check_near(q[0], 8 * i * h, 1e-13);
    check_near(v[0], 8, 1e-10);
    check_near((q[1] - before[1]) / h, .5 * (v[1] + rates[1]), 0.02 * 32);
  }
  release(&p);
}

static void nothing_that_acts_on_it_changes_it(void **state) {
  (void)state;
  Played a, b;
  lbBodyDef def = recorded_def();
  play_small(&a, &def);
  def.gravity = lb_vec3(0, 0, -9.81);
  play_small(&b, &def);
  double p[3 * SMALL_VERTICES], q[3 * SMALL_VERTICES];
  for (int i = 0; i < 9; i++) {
    lbPoint tip = lb_point_node(SMALL_TIP);
    assert_int_equal(lb_body_apply_force(b.body, tip, lb_vec3(1e6, 2, 3)), LB_OK);
    assert_int_equal(lb_body_apply_impulse(b.body, tip, lb_vec3(1e6, 2, 3)), LB_OK);
    assert_int_equal(lb_body_set_velocity(b.body, lb_vec3(1, 2, 3), lb_vec3(4, 5, 6)), LB_OK);
    assert_int_equal(lb_body_set_damping(b.body, 3, 4), LB_OK);
    assert_int_equal(lb_body_set_gravity(b.body, lb_vec3(i, 0, 0)), LB_OK);
    lb_body_surface_velocities(a.body, p);
    lb_body_surface_velocities(b.body, q);
    assert_memory_equal(p, q, sizeof p);
    assert_int_equal(lb_body_step(a.body, 0.01), 0);
    assert_int_equal(lb_body_step(b.body, 0.01), 0);
    lb_body_surface(a.body, p);
    lb_body_surface(b.body, q);
    assert_memory_equal(p, q, sizeof p);
  }
  release(&a), release(&b);
}

static void constraints_and_materials_are_refused(void **state) {
  (void)state;
  Played p;
  lbBodyDef def = recorded_def();
  play_small(&p, &def);
  lbPoint tip = lb_point_node(SMALL_TIP);
  lbConstraintDef c = lb_constraint_def();
  c.point_count = 1, c.points = &tip;
  int32_t id;
  assert_int_equal(lb_body_add_constraint(p.body, &c, &id), LB_ERR_UNSUPPORTED);
  assert_non_null(strstr(lb_body_message(p.body), "constraint: the body plays a recording"));
  assert_int_equal(lb_body_set_material(p.body, 0, 1e6, 0.4, 1000), LB_ERR_UNSUPPORTED);
  assert_non_null(strstr(lb_body_message(p.body), "material: the body plays a recording"));
  assert_int_equal(lb_body_step(p.body, -1), LB_STEP_REFUSED);
  release(&p);
}

// What reads a body sees the recorded motion.
static void surface_points_picks_and_reports_follow(void **state) {
  (void)state;
  Played p;
  lbBodyDef def = recorded_def();
  def.position = lb_vec3(1, 2, 3);
  play_small(&p, &def);
  lb_body_step(p.body, 1. / 32);
  double u[3 * SMALL_NODES];
  lb_body_node_displacements(p.body, u);
  double scale = p.small.recording_basis[0][3 * SMALL_TIP];
  check_near(u[3 * SMALL_TIP], .25 * scale, 1e-14);
  check_near(u[3 * SMALL_TIP + 2], .5 * p.small.recording_basis[1][3 * SMALL_TIP + 2], 1e-14);
  lbVec3 position, velocity;
  assert_int_equal(lb_body_point(p.body, lb_point_node(SMALL_TIP), &position, &velocity), LB_OK);
  check_near(position.x, 1 + p.small.node_positions[SMALL_TIP][0] + .25 * scale, 1e-14);
  check_near(velocity.x, 8 * scale, 1e-12);
  lbBodyReport report = lb_body_report(p.body);
  check_near(report.kinetic, .5 * (64 + 8 * 8), 1e-10); // ½ (8² + 8²)
  check_near(report.elastic, 0, 0);
  double surface[3 * SMALL_VERTICES];
  lb_body_surface(p.body, surface);
  lbVec3 aim = lb_vec3(0, 0, 0); // the middle of triangle 0
  for (int k = 0; k < 3; k++)
    aim = lb_add(aim, lb_scale(1. / 3, lb_vec3_load(surface + 3 * p.small.triangles[0][k])));
  lbPick pick;
  bool hit = false;
  lbVec3 from = lb_vec3(1.3, 2.4, 3.7);
  assert_int_equal(lb_body_pick(p.body, from, lb_sub(aim, from), &pick, &hit), LB_OK);
  assert_true(hit);
  release(&p);
}

static void going_back_in_time_plays_it_again(void **state) {
  (void)state;
  Played p;
  lbBodyDef def = recorded_def();
  play_small(&p, &def);
  size_t bytes = lb_body_state_bytes(p.body);
  char *saved = malloc(bytes);
  lb_body_save_state(p.body, saved, lb_body_state_bytes(p.body));
  for (int round = 0; round < 2; round++) {
    for (int f = 1; f < 3; f++) {
      lb_body_step(p.body, 1. / 32);
      check_state(p.body, frames[f], NULL);
    }
    assert_int_equal(lb_body_restore_state(p.body, saved, bytes), LB_OK);
    check_state(p.body, frames[0], NULL);
  }
  // A state that is set lasts until the next step.
  assert_int_equal(lb_body_set_state(p.body, frames[3], frames[0]), LB_OK);
  check_state(p.body, frames[3], frames[0]);
  lb_body_step(p.body, 1. / 32);
  check_state(p.body, frames[1], NULL);
  free(saved);
  release(&p);
}

static void a_batch_plays_what_a_body_plays(void **state) {
  (void)state;
  Played p;
  lbBodyDef def = recorded_def();
  play_small(&p, &def);
  lbBatchDef many = lb_batch_def();
  lbBatch *batch = NULL;
  lbError err = { 0 };
  many.count = 11;
  many.body = def;
  check_ok(lb_batch_create(p.model, &many, &batch, &err), err);
  lb_body_step(lb_batch_body(batch, 9), 1. / 32); // one is ahead
  for (int i = 0; i < 2; i++) {
    double q[2], v[2];
    lb_body_step(p.body, 1. / 32);
    assert_int_equal(lb_batch_step(batch, 1. / 32), 0);
    lb_body_get_state(p.body, q, v);
    check_state(lb_batch_body(batch, 0), q, v);
    check_state(lb_batch_body(batch, 10), q, v);
    check_state(lb_batch_body(batch, 9), frames[i + 2], NULL);
  }
  lb_batch_destroy(batch);
  release(&p);
}

static void some_of_its_vectors_can_be_chosen(void **state) {
  (void)state;
  Played p;
  const int32_t kept[1] = { 1 };
  lbBodyDef def = recorded_def();
  double q, v;
  def.kept_count = 1, def.kept = kept;
  play_small(&p, &def);
  lb_body_step(p.body, 1. / 32);
  lb_body_get_state(p.body, &q, &v);
  check_near(q, .5, 1e-14);
  release(&p);
  def = recorded_def();
  def.mode_count = 1;
  play_small(&p, &def);
  lb_body_step(p.body, 1. / 32);
  lb_body_get_state(p.body, &q, &v);
  check_near(q, .25, 1e-14);
  release(&p);
}

// It is the last choice where nothing is said.
static void a_model_with_a_recording_alone_plays_it(void **state) {
  (void)state;
  Played p;
  lbBodyDef def = lb_body_def();
  play_small(&p, &def);
  assert_int_equal(lb_body_method(p.body), LB_METHOD_SUBSPACE);
  release(&p);
  lbError err = { 0 };
  small_model_fill(&p.small);
  lbModel recording = p.small.draft;
  small_model_strip(&p.small);
  p.small.draft.size.recording_dimension = SMALL_RECORDED;
  p.small.draft.size.recording_frames = SMALL_FRAMES;
  p.small.draft.recording_basis = recording.recording_basis;
  p.small.draft.recording_coordinates = recording.recording_coordinates;
  p.small.draft.recording_rate = recording.recording_rate;
  p.model = NULL, p.body = NULL;
  check_ok(lb_model_create(&p.small.draft, &p.model, &err), err);
  check_ok(lb_body_create(p.model, &def, &p.body, &err), err);
  assert_int_equal(lb_body_method(p.body), LB_METHOD_RECORDED);
  release(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(frames_are_met_and_the_last_one_is_held),
    cmocka_unit_test(between_the_frames_the_motion_is_smooth),
    cmocka_unit_test(nothing_that_acts_on_it_changes_it),
    cmocka_unit_test(constraints_and_materials_are_refused),
    cmocka_unit_test(surface_points_picks_and_reports_follow),
    cmocka_unit_test(going_back_in_time_plays_it_again),
    cmocka_unit_test(a_batch_plays_what_a_body_plays),
    cmocka_unit_test(some_of_its_vectors_can_be_chosen),
    cmocka_unit_test(a_model_with_a_recording_alone_plays_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
