// Who is near whom, and surfaces that are placed for that, against what is found without haste.
#include "contact_worlds.h"

#include "body/body.h"
#include "world/touch.h"

enum { BLOCKS = 40 };

static lbWorld *crowd(const lbModel *model, uint64_t *seed) {
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  for (int i = 0; i < BLOCKS; i++) {
    lbVec3 at =
        lb_vec3(0.6 * check_random(seed), 0.6 * check_random(seed), 0.6 * check_random(seed));
    lbBody *body = lb_world_body(world, add_block(world, model, at));
    lb_body_set_velocity(body, lb_vec3(check_random(seed), check_random(seed), check_random(seed)),
                         lb_vec3(check_random(seed), 2 * check_random(seed), check_random(seed)));
  }
  return world;
}

// All pairs whose spheres overlap are found, each once and in order.
static void no_pair_that_overlaps_is_overlooked(void **state) {
  (void)state;
  uint64_t seed = 7;
  lbModel *model = body_model(BLOCK "," MODAL);
  lbWorld *world = crowd(model, &seed);
  for (int step = 0; step < 3; step++) {
    lb_world_step(world, 1.0 / 120);
    lb_near_find(world);
    const lbWorldTouch *touch = world->touch;
    int32_t at = 0, overlapping = 0;
    for (int32_t a = 0; a < BLOCKS; a++)
      for (int32_t b = a + 1; b < BLOCKS; b++) {
        lbVec3 apart = lb_sub(touch->spheres[a].centre, touch->spheres[b].centre);
        bool overlap = lb_length(apart) < touch->spheres[a].radius + touch->spheres[b].radius;
        bool found = at < touch->near_count && touch->nears[at].slots[0] == a &&
                     touch->nears[at].slots[1] == b;
        assert_true(found || !overlap);
        at += found, overlapping += overlap;
      }
    assert_int_equal(at, touch->near_count);
    assert_true(overlapping > BLOCKS);
  }
  lb_world_destroy(world);
  lb_model_destroy(model);
}

// Vertices are where the surface is; they move as it does; extents are those of its vertices.
static void a_placed_surface_is_where_the_body_is(void **state) {
  (void)state;
  uint64_t seed = 8;
  const double h = 1e-6;
  static const char *const keys[] = { BLOCK "," MODAL, BLOCK "," SUBSPACE };
  for (int k = 0; k < 2; k++) {
    lbModel *model = body_model(keys[k]);
    lbWorld *world = crowd(model, &seed);
    for (int i = 0; i < 5; i++) lb_world_step(world, 1.0 / 120);
    int32_t count = model->size.vertex_count;
    double *before = lb_alloc(3 * (size_t)count, sizeof *before);
    double *after = lb_alloc(3 * (size_t)count, sizeof *after);
    double places = 0, velocities = 0, extent = -INFINITY, spread = 0;
    lbPlaced *placed = world->slots[0].placed;
    lbBody *body = world->slots[0].body;
    lbVec3 along = lb_normalise(lb_vec3(1, -2, 0.5)), mean = lb_touch_sphere(body).velocity;
    assert_true(lb_placed_update(placed, body, mean));
    lb_body_surface(body, before);
    lb_body_step(body, h);
    lb_body_surface(body, after);
    for (int32_t v = 0; v < 3 * count; v++) {
      places = fmax(places, fabs(placed->positions[v] - before[v]));
      velocities = fmax(velocities, fabs(placed->velocities[v] - (after[v] - before[v]) / h));
    }
    for (int32_t v = 0; v < count; v++) {
      extent = fmax(extent, lb_dot(along, lb_vec3_load(before + 3 * (size_t)v)));
      spread =
          fmax(spread, lb_length(lb_sub(lb_vec3_load(placed->velocities + 3 * (size_t)v), mean)));
    }
    check_small(places, 1e-12);
    check_small(velocities, 2e-2); // accelerations over h
    check_near(lb_placed_extent(placed, along), extent, 1e-12);
    check_near(placed->spread, spread, 1e-12);
    assert_true(lb_touch_sphere(body).spread > 0.999 * spread);
    lb_free(before);
    lb_free(after);
    lb_world_destroy(world);
    lb_model_destroy(model);
  }
}

static bool may_meet(const lbWorld *world, const lbNear *near, int32_t i, int32_t j,
                     const lbTriangleTouch *touch) {
  const lbPlaced *one = world->slots[near->slots[0]].placed;
  const lbPlaced *other = world->slots[near->slots[1]].placed;
  return lb_near_may_meet(world, near, touch->gap, touch->normal,
                          lb_placed_velocity(one, i, touch->weights_a),
                          lb_placed_velocity(other, j, touch->weights_b));
}

// Corners no farther from faces than a margin that could meet these, among all triangles of two
// surfaces; returns how many are not among what was found.
static int32_t count_overlooked(const lbWorld *world, const lbNear *near, const lbTouchWork *work,
                                double margin, int32_t *count) {
  const lbPlaced *placed[2];
  lbTriangles surfaces[2];
  lbTriangleTouch touches[LB_TRIANGLE_TOUCHES];
  int32_t overlooked = 0;
  for (int side = 0; side < 2; side++) {
    placed[side] = world->slots[near->slots[side]].placed;
    surfaces[side] = lb_placed_surface(placed[side]);
  }
  for (int32_t i = 0; i < surfaces[0].count; i++)
    for (int32_t j = 0; j < surfaces[1].count; j++) {
      const lbTree *one = placed[0]->tree, *other = placed[1]->tree;
      lbSurfaceTriangle a = lb_surface_triangle(&surfaces[0], one->across, one->own, i);
      lbSurfaceTriangle b = lb_surface_triangle(&surfaces[1], other->across, other->own, j);
      int32_t n = lb_triangles_touch(&a, &b, margin, 0, touches);
      for (int32_t t = 0; t < n; t++) {
        if (!may_meet(world, near, i, j, &touches[t])) continue;
        bool found = touches[t].feature >= 6; // of edges
        for (int32_t c = 0; c < work->candidate_count && !found; c++) {
          lbVec3 apart = lb_sub(work->candidates[c].point, touches[t].on_b);
          found = lb_length(apart) < 1e-6 &&
                  lb_dot(work->candidates[c].normal, touches[t].normal) > 0.97;
        }
        *count += touches[t].feature < 6, overlooked += !found;
      }
    }
  return overlooked;
}

// What is found for two surfaces by lists of boxes, in axes of their own, is what all pairs of
// triangles tell.
static void no_corner_near_a_face_is_overlooked(void **state) {
  (void)state;
  lbModel *model = body_model(BLOCK "," MODAL);
  lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
  lbVec3 turn = lb_vec3(0.02, -0.03, 0.4), diagonal = lb_normalise(lb_vec3(1, 0.2, 0.9));
  lbBody *first = lb_world_body(world, add_block(world, model, lb_vec3(0, 0, 0)));
  lbBody *second = lb_world_body(world, add_block(world, model, lb_vec3(0, 0, 0)));
  int32_t count = 0, overlooked = 0;
  for (int i = 0; i < 40; i++) {
    double apart = i < 20 ? 0.2005 : 0.24 + 0.002 * (i - 20);
    lbVec3 way = i < 20 ? lb_vec3(0.01 * i, 0.004 * i, apart) : lb_scale(apart, diagonal);
    lbQuat rotation = lb_quat_from_axis_angle(turn, i % 2 ? 0.02 * i : 0);
    assert_int_equal(lb_body_set_placement(first, lb_vec3(0, 0, 0), lb_quat_identity()), LB_OK);
    assert_int_equal(lb_body_set_placement(second, way, rotation), LB_OK);
    lb_body_set_velocity(second, lb_vec3(0, 0, 0), lb_vec3(0, 0, 0));
    lb_body_set_velocity(first, lb_vec3(0, 0, 0), lb_vec3(0, 0, 0));
    world->h = 1.0 / 60;
    lb_touch_find(world);
    lbTouchWork *work = &world->touch->works[0];
    for (int32_t k = 0; k < world->touch->near_count; k++) {
      lbNear *near = &world->touch->nears[k];
      if (near->slots[1] < 0) continue;
      work->candidate_count = 0;
      (void)lb_touch_pair(world, work, near);
      overlooked += count_overlooked(world, near, work, near->slack, &count);
    }
  }
  check_small(overlooked, 0);
  assert_true(count > 200);
  lb_world_destroy(world);
  lb_model_destroy(model);
}

// A pair that is looked at, of two bodies.
static lbNear *look_at(lbWorld *world) {
  lbTouchWork *work = &world->touch->works[0];
  world->h = 1.0 / 60;
  lb_touch_find(world);
  for (int32_t k = 0; k < world->touch->near_count; k++) {
    lbNear *near = &world->touch->nears[k];
    if (near->slots[1] < 0) continue;
    work->candidate_count = work->sides[0].count = work->sides[1].count = 0;
    (void)lb_touch_pair(world, work, near);
    return near;
  }
  return NULL;
}

// What comes nearer within the step is found, however far it is; of surfaces that part no
// triangle is tested against another.
static void places_are_looked_for_where_surfaces_go(void **state) {
  (void)state;
  lbModel *model = body_model(BLOCK "," MODAL);
  lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
  lbBody *first = lb_world_body(world, add_block(world, model, lb_vec3(0, 0, 0)));
  lbBody *second = lb_world_body(world, add_block(world, model, lb_vec3(0, 0, 0)));
  const lbTouchWork *work = &world->touch->works[0];
  int32_t count = 0, overlooked = 0;
  for (int i = 0; i < 40; i++) {
    double speed = i % 2 ? -1.5 : 1.5;
    lbVec3 way = lb_vec3(0.0003 * i, 0.0002 * i, 0.24), aside = lb_vec3(0.7, -0.4, 0);
    assert_int_equal(lb_body_set_placement(first, lb_vec3(0, 0, 0), lb_quat_identity()), LB_OK);
    assert_int_equal(lb_body_set_placement(second, way, lb_quat_identity()), LB_OK);
    lb_body_set_velocity(first, lb_add(aside, lb_vec3(0, 0, speed)), lb_vec3(0, 0, 0));
    lb_body_set_velocity(second, lb_add(aside, lb_vec3(0, 0, -speed)), lb_vec3(0, 0, 0));
    lbNear *near = look_at(world);
    assert_non_null(near);
    lbNearGap gap = lb_near_gap(world, near);
    assert_true(gap.margin > 0.04); // they are near enough to be looked at
    if (speed > 0)
      overlooked += count_overlooked(world, near, work, gap.margin, &count);
    else
      assert_int_equal(work->sides[0].count + work->sides[1].count, 0);
  }
  check_small(overlooked, 0);
  assert_true(count > 200);
  lb_world_destroy(world);
  lb_model_destroy(model);
}

// Blocks that fall beside each other have no contacts, however fast; the lower one of two may be
// stopped by the ground, and then the upper one runs into it.
static void what_falls_together_is_apart_until_one_is_stopped(void **state) {
  (void)state;
  lbModel *model = body_model(BLOCK "," MODAL);
  for (int grounded = 0; grounded < 2; grounded++) {
    lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
    const lbVec3 at[3] = { { 0, 0, 0.02 }, { 0.21, 0, 0.02 }, { 0, 0, 0.225 } };
    if (grounded) add_plane(world, lb_vec3(0, 0, 1));
    for (int i = 0; i < 3; i++) {
      lbBody *body = lb_world_body(world, add_block(world, model, at[i]));
      lb_body_set_velocity(body, lb_vec3(0, 0, -6), lb_vec3(0, 0, 0));
    }
    lb_world_step(world, 1.0 / 120);
    int32_t pushed = 0;
    for (int32_t i = 0; i < lb_world_contact_count(world); i++)
      pushed += lb_world_contacts(world)[i].bodies[1] != 0;
    assert_true(grounded ? pushed > 0 : lb_world_contact_count(world) == 0);
    assert_true(grounded || lb_world_contact_stats(world).contacts == 0);
    lb_world_destroy(world);
  }
  lb_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_pair_that_overlaps_is_overlooked),
    cmocka_unit_test(no_corner_near_a_face_is_overlooked),
    cmocka_unit_test(places_are_looked_for_where_surfaces_go),
    cmocka_unit_test(a_placed_surface_is_where_the_body_is),
    cmocka_unit_test(what_falls_together_is_apart_until_one_is_stopped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
