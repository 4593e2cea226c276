// Frames that come where a body is pressed: a ball goes into a soft slab of few frames.
#include "contact_worlds.h"

#include "limber/build.h"
#include "limber/frames.h"

#define SLAB                                                                                       \
  "'mesh':{'generate':'bar','size':[1,1,0.3],'cells':[10,10,3],'element':'brick8'}," SOFT          \
  ",'fixed':{'box':[[-9,-9,-9],[9,9,1e-9]]},'damping':{'mass':4,'stiffness':0.01}"
#define FEW                                                                                        \
  "'positions':[[0.2,0.2,0.05],[0.8,0.2,0.05],[0.2,0.8,0.05],[0.8,0.8,0.05],[0.2,0.2,0.25],"       \
  "[0.8,0.2,0.25],[0.2,0.8,0.25],[0.8,0.8,0.25]]"
#define FRAMES SLAB ",'method':'frames','frames':{'samples':800," FEW "}"
#define WHOLE SLAB ",'method':'warp','warp':{'strain':'green'}"
#define STEP (1.0 / 30)

typedef struct Press {
  lbModel *model;
  lbWorld *world;
  lbBodyId slab;
  lbColliderId ball;
} Press;

static Press press_of(const char *keys, lbMethod method, int32_t most) {
  Press p = { .model = body_model(keys) };
  lbBodyDef def = lb_body_def();
  lbColliderDef ball = lb_collider_def();
  lbError err;
  p.world = world_with(lb_vec3(0, 0, 0), 0);
  def.method = method;
  if (method == LB_METHOD_WARP) def.integrator = LB_INTEGRATOR_EULER;
  check_ok(lb_world_add(p.world, p.model, &def, &p.slab, &err), err);
  ball.shape = LB_COLLIDER_SPHERE, ball.radius = 0.2, ball.position = lb_vec3(0.5, 0.5, 0.52);
  check_ok(lb_world_add_collider(p.world, &ball, &p.ball, &err), err);
  if (most > 0) check_ok(lb_world_set_contact_frames(p.world, p.slab, most, 0, &err), err);
  return p;
}

static void destroy(Press *p) {
  lb_world_destroy(p->world);
  lb_model_destroy(p->model);
}

static int32_t frames_of(const Press *p) {
  return lb_body_frames_count(lb_world_body(p->world, p->slab));
}

// The ball goes to a height in so many steps.
static void lead(Press *p, double height, int count) {
  lbVec3 at;
  lbQuat turn;
  lbError err;
  check_ok(lb_world_collider(p->world, p->ball, &at, &turn, &err), err);
  double way = (height - at.z) / count;
  for (int i = 0; i < count; i++) {
    at.z += way;
    check_ok(lb_world_move_collider(p->world, p->ball, at, turn, &err), err);
    lb_world_step(p->world, STEP);
  }
}

// Where the nodes are (nodes x 3).
static double *shape_of(const Press *p) {
  double *x = malloc(3 * (size_t)p->model->size.node_count * sizeof *x);
  for (int32_t n = 0; n < p->model->size.node_count; n++) {
    lbVec3 at;
    assert_int_equal(lb_body_point(lb_world_body(p->world, p->slab), lb_point_node(n), &at, NULL),
                     LB_OK);
    lb_vec3_store(x + 3 * (size_t)n, at);
  }
  return x;
}

static double off(const Press *p, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < 3 * p->model->size.node_count; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

static void a_frame_where_it_is_pressed_brings_a_slab_nearer_to_the_unreduced_one(void **state) {
  (void)state;
  Press full = press_of(WHOLE, LB_METHOD_WARP, 0);
  Press few = press_of(FRAMES, LB_METHOD_FRAMES, 0), more = press_of(FRAMES, LB_METHOD_FRAMES, 4);
  Press *all[3] = { &full, &few, &more };
  double *shapes[3], *rest = shape_of(&full), pushed[3];
  for (int k = 0; k < 3; k++) {
    lbVec3 force;
    lbError err;
    lead(all[k], 0.45, 12), lead(all[k], 0.45, 12);
    check_ok(lb_world_collider_force(all[k]->world, all[k]->ball, &force, NULL, &err), err);
    shapes[k] = shape_of(all[k]), pushed[k] = force.z;
  }
  double scale = off(&full, shapes[0], rest);
  double coarse = off(&few, shapes[1], shapes[0]) / scale;
  double fine = off(&more, shapes[2], shapes[0]) / scale;
  printf("  %d frames off by %.3f, %d by %.3f; forces %.1f and %.1f N of %.1f\n",
         (int)frames_of(&few), coarse, (int)frames_of(&more), fine, pushed[1], pushed[2],
         pushed[0]);
  assert_int_equal(frames_of(&few), 8);
  assert_true(frames_of(&more) > 8 && frames_of(&more) <= 12);
  assert_true(fine < 0.7 * coarse);
  assert_true(fabs(pushed[2] / pushed[0] - 1) < 0.7 * fabs(pushed[1] / pushed[0] - 1));
  for (int k = 0; k < 3; k++) free(shapes[k]), destroy(all[k]);
  free(rest);
}

// In a step of next to no length.
static void nothing_jumps_when_a_frame_comes_and_it_goes_again(void **state) {
  (void)state;
  Press p = press_of(FRAMES, LB_METHOD_FRAMES, 0);
  lbError err;
  double *rest = shape_of(&p);
  lead(&p, 0.46, 12), lead(&p, 0.46, 12);
  check_ok(lb_world_set_contact_frames(p.world, p.slab, 1, 0, &err), err);
  lb_world_step(p.world, 0.0499);
  assert_int_equal(frames_of(&p), 8);
  double *before = shape_of(&p), scale = off(&p, before, rest);
  lb_world_step(p.world, 1.001e-4);
  assert_int_equal(frames_of(&p), 9);
  double *after = shape_of(&p);
  printf("  jump %.1e of what it is bent\n", off(&p, before, after) / scale);
  check_small(off(&p, before, after) / scale, 0.05);
  lead(&p, 0.46, 6); // it stays
  assert_int_equal(frames_of(&p), 9);
  lead(&p, 0.8, 4), lead(&p, 0.8, 12);
  assert_int_equal(frames_of(&p), 8);
  free(rest), free(before), free(after);
  destroy(&p);
}

// With a frame that comes on the way, from before it.
static void worlds_go_back_with_their_frames_and_on_to_the_bit(void **state) {
  (void)state;
  Press p = press_of(FRAMES, LB_METHOD_FRAMES, 4);
  size_t bytes = lb_world_state_bytes(p.world);
  void *saved = malloc(bytes);
  lbError err;
  lead(&p, 0.48, 2);
  assert_int_equal(frames_of(&p), 8);
  check_ok(lb_world_save_state(p.world, saved, bytes, &err), err);
  check_goes_on_to_the_bit(p.world); // the ball goes on where it is
  assert_int_equal(frames_of(&p), 8);
  for (int i = 0; i < 10; i++) lb_world_step(p.world, STEP);
  assert_true(frames_of(&p) > 8);
  check_ok(lb_world_restore_state(p.world, saved, bytes, &err), err);
  assert_int_equal(frames_of(&p), 8);
  free(saved);
  destroy(&p);
}

static double run_threads(int count, double *shape[1]) {
  lbError err;
  lb_build_stop();
  check_ok(lb_build_start(count, &err), err);
  Press p = press_of(FRAMES, LB_METHOD_FRAMES, 4);
  lead(&p, 0.46, 10);
  shape[0] = shape_of(&p);
  int32_t frames = frames_of(&p), numbers = 3 * p.model->size.node_count;
  destroy(&p);
  assert_true(frames > 8);
  return numbers;
}

static void threads_change_nothing(void **state) {
  (void)state;
  double *one[1], *three[1];
  size_t numbers = (size_t)run_threads(1, one);
  run_threads(3, three);
  assert_memory_equal(one[0], three[0], numbers * sizeof(double));
  free(one[0]), free(three[0]);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  Press p = press_of(FRAMES, LB_METHOD_FRAMES, 0), other = press_of(WHOLE, LB_METHOD_WARP, 0);
  lbError err;
  check_fails(lb_world_set_contact_frames(p.world, p.slab, 9, 0, &err), LB_ERR_ARGUMENT, err,
              "0 to 8");
  check_fails(lb_world_set_contact_frames(p.world, p.slab, 1, NAN, &err), LB_ERR_ARGUMENT, err,
              "spacing");
  check_fails(lb_world_set_contact_frames(p.world, 77, 1, 0, &err), LB_ERR_ARGUMENT, err, "77");
  check_fails(lb_world_set_contact_frames(other.world, other.slab, 1, 0, &err), LB_ERR_ARGUMENT,
              err, "\"warp\"");
  destroy(&p), destroy(&other);
}

static int start(void **state) {
  lbError err;
  (void)state;
  check_ok(lb_build_start(1, &err), err);
  return 0;
}

static int stop(void **state) {
  (void)state;
  lb_build_stop();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_frame_where_it_is_pressed_brings_a_slab_nearer_to_the_unreduced_one),
    cmocka_unit_test(nothing_jumps_when_a_frame_comes_and_it_goes_again),
    cmocka_unit_test(worlds_go_back_with_their_frames_and_on_to_the_bit),
    cmocka_unit_test(threads_change_nothing),
    cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
