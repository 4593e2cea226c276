// What an engine relies on: indices are checked, sizes do not change, threads may read, nothing is
// left to guess.
#include "toy_subspace.h"

#include "limber/render_mesh.h"

#include <pthread.h>

static void the_library_says_its_version(void **state) {
  (void)state;
  lbVersion version = lb_version();
  char text[64];
  snprintf(text, sizeof text, "%d.%d.%d", (int)version.major, (int)version.minor,
           (int)version.patch);
  assert_string_equal(version.text, text);
  assert_string_equal(version.text, LB_VERSION);
}

static void user_data_is_given_back(void **state) {
  (void)state;
  Toy toy = toy_whole();
  int mine = 0, other = 0, things[3];
  lbBodyDef def = lb_body_def();
  def.user_data = &mine;
  lbBody *body = toy_body(&toy, &def);
  assert_ptr_equal(lb_body_user_data(body), &mine);
  lb_body_step(body, 0.01);
  lb_body_set_user_data(body, &other);
  assert_ptr_equal(lb_body_user_data(body), &other);
  lb_body_destroy(body);
  lbBatchDef many = lb_batch_def();
  many.count = 3, many.body.user_data = &mine;
  lbBatch *batch = NULL;
  lbError err;
  check_ok(lb_batch_create(toy.model, &many, &batch, &err), err);
  for (int i = 0; i < 3; i++) {
    assert_ptr_equal(lb_body_user_data(lb_batch_body(batch, i)), &mine);
    lb_body_set_user_data(lb_batch_body(batch, i), things + i);
  }
  lb_batch_step(batch, 0.01);
  for (int i = 0; i < 3; i++)
    assert_ptr_equal(lb_body_user_data(lb_batch_body(batch, i)), things + i);
  lb_batch_destroy(batch);
  toy_destroy(&toy);
}

// ---- indices -----------------------------------------------------------------------------------

static uint64_t hash_of(const lbBody *body) {
  size_t bytes = lb_body_state_bytes(body);
  void *saved = calloc(1, bytes);
  assert_int_equal(lb_body_save_state(body, saved, bytes), LB_OK);
  uint64_t hash = check_hash(0, saved, bytes);
  free(saved);
  return hash;
}

static const int32_t wild[] = { -1, 9999, INT32_MAX, INT32_MIN };
#define WILD (sizeof wild / sizeof *wild)

// Every call that takes a point, with a point of each kind that is not there.
static void try_point(lbBody *body, lbPoint point) {
  lbVec3 unit = lb_vec3(1, 2, 3), place;
  double compliance;
  lbPoint good = lb_point_vertex(0), pair[2] = { good, point };
  int32_t id;
  const char *what = point.kind == LB_POINT_VERTEX     ? "vertices"
                     : point.kind == LB_POINT_NODE     ? "node"
                     : point.kind == LB_POINT_TRIANGLE ? "triangle"
                                                       : "element";
  body_refuses(body, lb_body_apply_force(body, point, unit), what);
  body_refuses(body, lb_body_apply_impulse(body, point, unit), what);
  assert_int_equal(lb_body_point(body, point, &place, NULL), LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_softness(body, point, &compliance, NULL), LB_ERR_ARGUMENT);
  lbConstraintDef def = lb_constraint_def();
  def.point_count = 2, def.points = pair;
  body_refuses(body, lb_body_add_constraint(body, &def, &id), what);
  def.point_count = 1, def.points = &good;
  def.force_point_count = 2, def.force_points = pair;
  body_refuses(body, lb_body_add_constraint(body, &def, &id), what);
}

static void points_and_vertices_that_are_not_there_are_refused(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBody *body = toy_body(&toy, NULL);
  lbError err;
  toy_shake(body, 0.01, 3);
  uint64_t before = hash_of(body);
  const lbModelSizes *size = &toy.model->size;
  const int32_t ends[LB_POINT_KIND_COUNT] = { size->vertex_count, size->node_count,
                                              size->triangle_count, size->element_count };
  for (int kind = 0; kind < LB_POINT_KIND_COUNT; kind++) {
    lbPoint point = { .kind = (lbPointKind)kind, .weights = { 1 } };
    for (size_t i = 0; i < WILD; i++) {
      point.index = wild[i];
      try_point(body, point);
    }
    point.index = ends[kind];
    try_point(body, point);
  }
  lbPoint point = { .kind = (lbPointKind)77, .weights = { 1 } };
  assert_int_equal(lb_body_apply_force(body, point, lb_vec3(1, 0, 0)), LB_ERR_ARGUMENT);
  double x[6];
  for (size_t i = 0; i < WILD; i++) {
    const int32_t pair[2] = { 0, wild[i] };
    assert_int_equal(lb_body_vertices(body, 2, pair, x, NULL, NULL), LB_ERR_ARGUMENT);
    body_refuses(body, lb_body_set_target(body, wild[i], x), "constraint");
    body_refuses(body, lb_body_remove_constraint(body, wild[i]), "constraint");
    assert_int_equal(lb_body_constraint_force(body, wild[i], x), LB_ERR_ARGUMENT);
    assert_null(lb_model_array(toy.model, wild[i]).name);
    float out[3];
    lbVertexLayout layout = lb_vertex_layout();
    layout.stride = sizeof out, layout.position = 0;
    check_fails(lb_body_write_vertices(body, &layout, wild[i], 1, out, sizeof out, &err),
                LB_ERR_ARGUMENT, err, "not among");
  }
  assert_true(hash_of(body) == before);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

static void ids_of_removed_constraints_are_refused(void **state) {
  (void)state;
  Toy toy = toy_whole();
  lbBody *body = toy_body(&toy, NULL);
  lbPoint point = lb_point_vertex(3);
  lbConstraintDef def = lb_constraint_def();
  double target[3] = { 0 };
  int32_t id = -1, again = -1;
  def.point_count = 1, def.points = &point;
  body_ok(body, lb_body_add_constraint(body, &def, &id));
  body_ok(body, lb_body_constraint_force(body, id, target));
  body_ok(body, lb_body_remove_constraint(body, id));
  body_refuses(body, lb_body_remove_constraint(body, id), "constraint");
  body_ok(body, lb_body_add_constraint(body, &def, &again));
  body_refuses(body, lb_body_set_target(body, id, target), "constraint");
  assert_int_equal(lb_body_constraint_force(body, id, target), LB_ERR_ARGUMENT);
  body_ok(body, lb_body_set_target(body, again, target));
  lb_body_destroy(body);
  toy_destroy(&toy);
}

static void materials_that_are_not_there_are_refused(void **state) {
  (void)state;
  SubDef def = sub_bar();
  def.editable = true;
  SubToy sub = sub_make(def);
  lbBody *body = sub_body(&sub, NULL);
  lbBatchDef many = lb_batch_def();
  lbBatch *batch = NULL;
  lbError err;
  many.count = 2, many.body.method = LB_METHOD_SUBSPACE;
  check_ok(lb_batch_create(sub.model, &many, &batch, &err), err);
  for (size_t i = 0; i < WILD; i++) {
    body_refuses(body, lb_body_set_material(body, wild[i], 1e5, 0.3, 1000), "material");
    check_fails(lb_batch_set_material(batch, wild[i], 1e5, 0.3, 1000, &err), LB_ERR_ARGUMENT, err,
                "material");
  }
  body_refuses(body, lb_body_set_material(body, 2, 1e5, 0.3, 1000), "material");
  body_ok(body, lb_body_set_material(body, 1, 1e5, 0.3, 1000));
  lb_batch_destroy(batch);
  lb_body_destroy(body);
  sub_destroy(&sub);
}

static void bodies_that_are_not_in_a_batch_are_null(void **state) {
  (void)state;
  Toy toy = toy_whole();
  lbBatchDef def = lb_batch_def();
  lbBatch *batch = NULL;
  lbError err;
  def.count = 500;
  check_ok(lb_batch_create(toy.model, &def, &batch, &err), err);
  for (size_t i = 0; i < WILD; i++) assert_null(lb_batch_body(batch, wild[i]));
  assert_null(lb_batch_body(batch, 500));
  assert_non_null(lb_batch_body(batch, 499));
  lb_batch_destroy(batch);
  toy_destroy(&toy);
}

// ---- defs and states ---------------------------------------------------------------------------

static void a_zeroed_def_is_told_what_is_wrong(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  lbBodyDef zero;
  lbBatchDef batch_zero;
  lbConstraintDef constraint_zero;
  lbVertexLayout layout_zero;
  lbBody *body = NULL;
  lbBatch *batch = NULL;
  lbError err;
  memset(&zero, 0, sizeof zero), memset(&batch_zero, 0, sizeof batch_zero);
  memset(&constraint_zero, 0, sizeof constraint_zero);
  memset(&layout_zero, 0, sizeof layout_zero);
  assert_int_equal(lb_body_create(sub.model, &zero, &body, &err), LB_ERR_ARGUMENT);
  print_message("zeroed lbBodyDef: %s\n", err.text);
  assert_true(strstr(err.text, "rotation") || strstr(err.text, "newton_iterations"));
  assert_null(body);
  zero.rotation = lb_quat(0, 0, 0, 1);
  check_fails(lb_body_create(sub.model, &zero, &body, &err), LB_ERR_ARGUMENT, err,
              "newton_iterations");
  check_fails(lb_batch_create(sub.model, &batch_zero, &batch, &err), LB_ERR_ARGUMENT, err,
              "count is 0");
  body = sub_body(&sub, NULL);
  int32_t id;
  body_refuses(body, lb_body_add_constraint(body, &constraint_zero, &id), "point_count");
  char out[64];
  check_fails(lb_body_write_vertices(body, &layout_zero, 0, 1, out, sizeof out, &err),
              LB_ERR_ARGUMENT, err, "layout");
  lb_body_destroy(body);
  sub_destroy(&sub);
}

static void states_have_one_size_and_short_ones_are_refused(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  lbBody *body = sub_body(&sub, NULL);
  lbPoint point = lb_point_vertex(3);
  lbConstraintDef def = lb_constraint_def();
  size_t bytes = lb_body_state_bytes(body);
  unsigned char *saved = calloc(1, bytes + 1), *untouched = calloc(1, bytes + 1);
  int32_t id;
  memset(saved, 0x5a, bytes + 1), memset(untouched, 0x5a, bytes + 1);
  const size_t shorts[] = { 0, 1, 7, bytes / 2, bytes - 1 };
  for (size_t i = 0; i < sizeof shorts / sizeof *shorts; i++) {
    assert_int_equal(lb_body_save_state(body, saved, shorts[i]), LB_ERR_ARGUMENT);
    assert_memory_equal(saved, untouched, bytes);
  }
  def.point_count = 1, def.points = &point;
  body_ok(body, lb_body_add_constraint(body, &def, &id));
  lb_body_step(body, 1e-3);
  assert_int_equal(lb_body_state_bytes(body), bytes);
  body_ok(body, lb_body_save_state(body, saved, bytes));
  assert_int_equal(saved[bytes], 0x5a);
  uint64_t before = hash_of(body);
  lb_body_step(body, 1e-3);
  uint64_t after = hash_of(body);
  assert_true(before != after);
  for (size_t i = 0; i < sizeof shorts / sizeof *shorts; i++) {
    body_refuses(body, lb_body_restore_state(body, saved, shorts[i]), "state");
    assert_true(hash_of(body) == after);
  }
  body_ok(body, lb_body_remove_constraint(body, id));
  assert_int_equal(lb_body_state_bytes(body), bytes);
  body_ok(body, lb_body_restore_state(body, saved, bytes));
  assert_true(hash_of(body) == before);
  free(saved), free(untouched);
  lb_body_destroy(body);
  sub_destroy(&sub);
}

static void flags_are_those_of_the_last_step(void **state) {
  (void)state;
  Toy toy = toy_whole();
  lbBodyDef def = lb_body_def();
  def.frame = LB_FRAME_DRIVEN;
  lbBody *body = toy_body(&toy, &def);
  assert_int_equal(lb_body_step(body, 0.01), 0);
  assert_int_equal(lb_body_flags(body), 0);
  lbFrame frame = { .position = { 1e3, 0, 0 }, .rotation = lb_quat(0, 0, 0, 1) };
  body_ok(body, lb_body_drive(body, &frame));
  assert_true(lb_body_step(body, 0.01) & LB_STEP_JUMPED);
  assert_true(lb_body_flags(body) & LB_STEP_JUMPED);
  assert_int_equal(lb_body_step(body, 0.01) & LB_STEP_JUMPED, 0);
  assert_int_equal(lb_body_flags(body) & LB_STEP_JUMPED, 0);
  double time = lb_body_time(body);
  assert_int_equal(lb_body_step(body, NAN), LB_STEP_REFUSED);
  assert_true(lb_body_time(body) == time);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

// ---- radial impulses ---------------------------------------------------------------------------

static Toy toy_loose(void) {
  return toy_make((ToyDef){ LB_ELEMENT_TET4, { 6, 2, 2 }, false, 30, 0, 0 });
}

// Sums over the surface, by the words of the header: impulse and its moment about the origin.
static void sum_up(const lbBody *body, lbVec3 centre, double radius, double strength,
                   lbVec3 *impulse, lbVec3 *moment) {
  const lbModel *m = lb_body_model(body);
  double *x = malloc(3 * (size_t)m->size.vertex_count * sizeof *x);
  double *areas = calloc((size_t)m->size.vertex_count, sizeof *areas);
  lb_body_surface(body, x);
  for (int32_t t = 0; t < m->size.triangle_count; t++) {
    lbVec3 p[3];
    for (int i = 0; i < 3; i++) p[i] = lb_vec3_load(x + 3 * m->triangles[3 * t + i]);
    double area = 0.5 * lb_length(lb_cross(lb_sub(p[1], p[0]), lb_sub(p[2], p[0])));
    for (int i = 0; i < 3; i++) areas[m->triangles[3 * t + i]] += area / 3;
  }
  *impulse = *moment = lb_vec3(0, 0, 0);
  for (int32_t v = 0; v < m->size.vertex_count; v++) {
    lbVec3 place = lb_vec3_load(x + 3 * v), away = lb_sub(place, centre);
    double distance = lb_length(away);
    if (distance >= radius) continue;
    lbVec3 share = lb_scale(strength * areas[v] * (1 - distance / radius), lb_normalise(away));
    *impulse = lb_add(*impulse, share);
    *moment = lb_add(*moment, lb_cross(place, share));
  }
  free(x), free(areas);
}

static void a_radial_impulse_gives_a_free_body_the_sum_of_its_shares(void **state) {
  (void)state;
  Toy toy = toy_loose();
  lbBodyDef def = toy_turned();
  lbBody *body = toy_body(&toy, &def);
  assert_int_equal(lb_body_frame_kind(body), LB_FRAME_FREE);
  toy_shake(body, 0.01, 8);
  body_ok(body, lb_body_set_velocity(body, lb_vec3(1, -2, 0.5), lb_vec3(0.4, 1, -0.7)));
  lbVec3 impulse, moment, middle = lb_body_report(body).centre;
  lbVec3 centre = lb_add(middle, lb_vec3(0.3, -0.2, 0.25));
  for (int round = 0; round < 3; round++) {
    double radius = 0.6 + 0.3 * round, strength = 5;
    sum_up(body, centre, radius, strength, &impulse, &moment);
    lbBodyReport before = lb_body_report(body);
    body_ok(body, lb_body_apply_radial_impulse(body, centre, radius, strength));
    lbBodyReport after = lb_body_report(body);
    lbVec3 gained = lb_sub(after.linear_momentum, before.linear_momentum);
    lbVec3 turned = lb_sub(after.angular_momentum, before.angular_momentum);
    print_message("radius %.1f m: impulse %.4f N s, off by %.1e; moment %.4f N m s, off by %.1e\n",
                  radius, lb_length(impulse), toy_distance(gained, impulse), lb_length(moment),
                  toy_distance(turned, moment));
    assert_true(lb_length(impulse) > 1e-3);
    double scale = lb_length(before.linear_momentum) + lb_length(impulse);
    double turn_scale = lb_length(before.angular_momentum) + lb_length(moment);
    check_small(toy_distance(gained, impulse), 1e-12 * scale);
    check_small(toy_distance(turned, moment), 1e-11 * turn_scale);
  }
  lb_body_destroy(body);
  toy_destroy(&toy);
}

static void a_radial_impulse_far_away_does_nothing_and_bad_ones_are_refused(void **state) {
  (void)state;
  Toy toy = toy_loose();
  lbBody *body = toy_body(&toy, NULL);
  lbVec3 here = lb_vec3(0, 0, 0), nowhere = lb_vec3(NAN, 0, 0);
  lb_body_step(body, 0.01);
  uint64_t before = hash_of(body);
  body_refuses(body, lb_body_apply_radial_impulse(body, nowhere, 1, 1), "radial");
  body_refuses(body, lb_body_apply_radial_impulse(body, here, 0, 1), "radius");
  body_refuses(body, lb_body_apply_radial_impulse(body, here, -1, 1), "radius");
  body_refuses(body, lb_body_apply_radial_impulse(body, here, NAN, 1), "radius");
  body_refuses(body, lb_body_apply_radial_impulse(body, here, 1, INFINITY), "strength");
  assert_true(hash_of(body) == before);
  lbBodyReport still = lb_body_report(body);
  body_ok(body, lb_body_apply_radial_impulse(body, lb_vec3(100, 0, 0), 1, 1e6));
  lbBodyReport after = lb_body_report(body);
  check_small(toy_distance(after.linear_momentum, still.linear_momentum), 0);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

// ---- ahead of time -----------------------------------------------------------------------------

static void queries_are_prepared_once_for_all_bodies_of_a_model(void **state) {
  (void)state;
  Toy toy = toy_bar();
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  lbBody *first = toy_body(&toy, NULL), *second = toy_body(&toy, NULL);
  body_ok(first, lb_body_prepare_queries(first));
  int64_t prepared = heap.count;
  body_ok(second, lb_body_prepare_queries(second));
  assert_int_equal(heap.count, prepared + 2); // its own room for contacts
  lbPick one = { 0 }, other = { 0 };
  bool hit = false;
  lbVec3 origin = lb_vec3(0.61, 0.14, 5), down = lb_vec3(0, 0, -1);
  body_ok(first, lb_body_pick(first, origin, down, &one, &hit));
  assert_true(hit);
  int64_t picked = heap.count;
  body_ok(second, lb_body_pick(second, origin, down, &other, &hit));
  assert_true(hit && heap.count == picked);
  assert_int_equal(one.point.index, other.point.index);
  lb_body_destroy(first), lb_body_destroy(second);
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
  toy_destroy(&toy);
}

// ---- threads -----------------------------------------------------------------------------------

enum { READERS = 4, BODIES = 6, ROUNDS = 200 };

typedef struct Reader {
  pthread_t thread;
  lbBatch *batch;
  const double *expected; // (bodies x 3 vertices)
  int32_t vertex_count;
  int wrong;
} Reader;

static void *read_surfaces(void *context) {
  Reader *r = context;
  size_t numbers = 3 * (size_t)r->vertex_count;
  double *x = malloc(numbers * sizeof *x);
  float *f = malloc(numbers * sizeof *f);
  lbVertexLayout layout = lb_vertex_layout();
  layout.stride = 12, layout.position = 0;
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < BODIES; i++) {
      const lbBody *body = lb_batch_body(r->batch, i);
      const double *expected = r->expected + (size_t)i * numbers;
      int32_t first = round % (r->vertex_count - 4), index = first;
      lbVec3 place;
      lb_body_surface(body, x);
      r->wrong += memcmp(x, expected, numbers * sizeof *x) != 0;
      r->wrong += lb_body_write_vertices(body, &layout, first, 4, f, 48, NULL) != LB_OK;
      for (size_t k = 0; k < 12; k++) r->wrong += f[k] != (float)expected[3 * first + (int)k];
      r->wrong += lb_body_vertices(body, 1, &index, x, NULL, NULL) != LB_OK;
      r->wrong += lb_body_point(body, lb_point_vertex(index), &place, NULL) != LB_OK;
      r->wrong += !(fabs(place.x - expected[3 * index]) < 1e-12);
    }
  free(x), free(f);
  return NULL;
}

static void threads_read_surfaces_of_one_batch_at_the_same_time(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBatchDef def = lb_batch_def();
  lbBatch *batch = NULL;
  lbError err;
  size_t numbers = 3 * (size_t)toy.model->size.vertex_count;
  double *expected = malloc(BODIES * numbers * sizeof *expected);
  def.count = BODIES, def.body.position = lb_vec3(1, 2, 3);
  check_ok(lb_batch_create(toy.model, &def, &batch, &err), err);
  for (int i = 0; i < BODIES; i++) toy_shake(lb_batch_body(batch, i), 0.02, (uint64_t)i + 1);
  lb_batch_step(batch, 0.01);
  for (int i = 0; i < BODIES; i++)
    lb_body_surface(lb_batch_body(batch, i), expected + (size_t)i * numbers);
  Reader readers[READERS];
  for (int i = 0; i < READERS; i++) {
    readers[i] = (Reader){ .batch = batch,
                           .expected = expected,
                           .vertex_count = toy.model->size.vertex_count };
    assert_int_equal(pthread_create(&readers[i].thread, NULL, read_surfaces, readers + i), 0);
  }
  for (int i = 0; i < READERS; i++) {
    pthread_join(readers[i].thread, NULL);
    assert_int_equal(readers[i].wrong, 0);
  }
  free(expected);
  lb_batch_destroy(batch);
  toy_destroy(&toy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_library_says_its_version),
    cmocka_unit_test(user_data_is_given_back),
    cmocka_unit_test(points_and_vertices_that_are_not_there_are_refused),
    cmocka_unit_test(ids_of_removed_constraints_are_refused),
    cmocka_unit_test(materials_that_are_not_there_are_refused),
    cmocka_unit_test(bodies_that_are_not_in_a_batch_are_null),
    cmocka_unit_test(a_zeroed_def_is_told_what_is_wrong),
    cmocka_unit_test(states_have_one_size_and_short_ones_are_refused),
    cmocka_unit_test(flags_are_those_of_the_last_step),
    cmocka_unit_test(a_radial_impulse_gives_a_free_body_the_sum_of_its_shares),
    cmocka_unit_test(a_radial_impulse_far_away_does_nothing_and_bad_ones_are_refused),
    cmocka_unit_test(queries_are_prepared_once_for_all_bodies_of_a_model),
    cmocka_unit_test(threads_read_surfaces_of_one_batch_at_the_same_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
