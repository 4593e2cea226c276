// Two triangles of soft surfaces, and few places out of many.
#include "collide/solid_parts.h"
#include "solids.h"

enum { CASES = CHECK_SANITIZED ? 300 : 4000 };

static lbSurfaceTriangle alone(lbVec3 a, lbVec3 b, lbVec3 c) {
  return (lbSurfaceTriangle){ { a, b, c }, { c, a, b }, LB_OWN_ALL };
}

static lbSurfaceTriangle random_triangle(uint64_t *seed, double size) {
  lbVec3 a = random_vector(seed, size), b = random_vector(seed, size);
  return alone(a, b, random_vector(seed, size));
}

static lbVec3 weigh(const lbSurfaceTriangle *t, const double w[3]) {
  lbVec3 place = { 0, 0, 0 };
  for (int k = 0; k < 3; k++) place = lb_add_scaled(place, w[k], t->corners[k]);
  return place;
}

static double least_gap(const lbSurfaceTriangle *a, const lbSurfaceTriangle *b, int32_t count,
                        const lbTriangleTouch *touches) {
  double least = INFINITY;
  for (int32_t i = 0; i < count; i++) {
    const lbTriangleTouch *touch = &touches[i];
    check_small(lb_length(touch->normal) - 1, 1e-12);
    check_small(lb_length(lb_sub(weigh(a, touch->weights_a), touch->on_a)), 1e-9);
    check_small(lb_length(lb_sub(weigh(b, touch->weights_b), touch->on_b)), 1e-9);
    lbVec3 apart = lb_sub(touch->on_a, touch->on_b);
    check_near(lb_dot(touch->normal, apart), touch->gap, 1e-12);
    check_small(lb_length(lb_add_scaled(apart, -touch->gap, touch->normal)), 1e-9);
    least = fmin(least, touch->gap);
  }
  return least;
}

// From each grid point of one to the other.
static double sampled_distance(const lbSurfaceTriangle *a, const lbSurfaceTriangle *b) {
  double least = INFINITY, w[3];
  const lbVec3 *c = b->corners;
  for (int i = 0; i <= 24; i++)
    for (int k = 0; k + i <= 24; k++) {
      double at[3] = { i / 24.0, k / 24.0, 1 - (i + k) / 24.0 };
      least = fmin(least, lb_triangle_closest_point(weigh(a, at), c[0], c[1], c[2], w));
    }
  return sqrt(least);
}

// Sheets that are apart: the nearest place is among the touches, unless two corners are nearest.
static void touches_hold_the_nearest_place(void **state) {
  (void)state;
  uint64_t seed = 1;
  int seen = 0, missed = 0;
  for (int i = 0; i < CASES; i++) {
    lbSurfaceTriangle a = random_triangle(&seed, 1), b = random_triangle(&seed, 1);
    lbVec3 shift = random_vector(&seed, 1);
    for (int k = 0; k < 3; k++) a.corners[k] = lb_add(a.corners[k], shift);
    a = alone(a.corners[0], a.corners[1], a.corners[2]);
    a.own |= LB_TWO_SIDED, b.own |= LB_TWO_SIDED;
    double distance = fmin(sampled_distance(&a, &b), sampled_distance(&b, &a));
    double corners = INFINITY;
    for (int k = 0; k < 9; k++)
      corners = fmin(corners, lb_length(lb_sub(a.corners[k % 3], b.corners[k / 3])));
    if (!(distance > 0.05 && distance < 0.3) || corners < 1.05 * distance) continue;
    lbTriangleTouch touches[LB_TRIANGLE_TOUCHES];
    int32_t count = lb_triangles_touch(&a, &b, 0.35, 0.35, touches);
    double gap = least_gap(&a, &b, count, touches);
    for (int32_t k = 0; k < count; k++) // a corner beyond the side that most of its triangle is on
      gap = fmin(k ? gap : INFINITY, fabs(touches[k].gap));
    seen++;
    missed += !(gap <= distance + 1e-9 && gap >= distance - 0.03);
  }
  assert_true(seen > CASES / 20);
  if (missed > seen / 20) fail_msg("%d of %d nearest places missed", missed, seen);
}

static void swapping_swaps_the_results(void **state) {
  (void)state;
  uint64_t seed = 2;
  int seen = 0;
  for (int i = 0; i < CASES; i++) {
    lbSurfaceTriangle a = random_triangle(&seed, 0.5), b = random_triangle(&seed, 0.5);
    lbTriangleTouch first[LB_TRIANGLE_TOUCHES], second[LB_TRIANGLE_TOUCHES];
    int32_t count = lb_triangles_touch(&a, &b, 0.1, 0.1, first);
    assert_int_equal(lb_triangles_touch(&b, &a, 0.1, 0.1, second), count);
    if (count == 0) continue;
    seen++;
    check_near(least_gap(&a, &b, count, first), least_gap(&b, &a, count, second), 1e-12);
    for (int32_t k = 0; k < count && count < LB_TRIANGLE_TOUCHES; k++) {
      double least = INFINITY;
      for (int32_t n = 0; n < count; n++) {
        double apart = lb_length(lb_sub(first[k].on_a, second[n].on_b)) +
                       lb_length(lb_sub(first[k].on_b, second[n].on_a)) +
                       lb_length(lb_add(first[k].normal, second[n].normal));
        least = fmin(least, apart);
      }
      check_small(least, 1e-9);
    }
  }
  assert_true(seen > CASES / 40);
}

// Two closed boxes of triangles, one pushed a little into the other: every touch is across the
// faces that meet, with the depth of the overlap.
typedef struct Soft {
  double vertices[24];
  int32_t across[36];
  uint8_t own[12];
  lbTriangles surface;
} Soft;

static void make_soft(Soft *soft, const lbSolid *box, lbVec3 shift) {
  lbError err;
  for (int v = 0; v < 8; v++)
    lb_vec3_store(soft->vertices + 3 * v, lb_add(lb_polyhedron_vertex(box->polyhedron, v), shift));
  soft->surface = (lbTriangles){ 12, box->polyhedron->triangles, soft->vertices };
  check_ok(lb_surface_neighbours(&soft->surface, soft->across, soft->own, &err), err);
}

static void faces_that_meet_carry_the_overlap(void **state) {
  (void)state;
  lbSolid *box = make_box(1, 1, 1), *small = make_box(0.6, 0.7, 0.8);
  static Soft a, b;
  for (int deep = -1; deep <= 1; deep += 2) {
    double overlap = 0.01 * deep;
    make_soft(&b, box, lb_vec3(0, 0, 0));
    make_soft(&a, small, lb_vec3(0.03, 0.05, 0.9 - overlap));
    int32_t found = 0;
    lbBox seen = lb_box_empty();
    for (int i = 0; i < 12; i++)
      for (int k = 0; k < 12; k++) {
        lbSurfaceTriangle ta = lb_surface_triangle(&a.surface, a.across, a.own, i);
        lbSurfaceTriangle tb = lb_surface_triangle(&b.surface, b.across, b.own, k);
        lbTriangleTouch touches[LB_TRIANGLE_TOUCHES];
        int32_t count = lb_triangles_touch(&ta, &tb, 0.02, 0.05, touches);
        found += count;
        for (int32_t n = 0; n < count; n++) {
          double at[3];
          check_near(touches[n].normal.z, 1, 1e-12);
          check_near(touches[n].gap, -overlap, 1e-12);
          lb_vec3_store(at, touches[n].on_a);
          lb_box_add_point(&seen, at);
        }
      }
    assert_true(found >= 4 && found <= 12);
    check_near(seen.high[0] - seen.low[0], 0.6, 1e-12);
    check_near(seen.high[1] - seen.low[1], 0.7, 1e-12);
  }
  lb_solid_destroy(box);
  lb_solid_destroy(small);
}

// Two wedges, ridge against ridge at a right angle: one touch, of their edges.
static void crossed_ridges_touch_edge_to_edge(void **state) {
  (void)state;
  for (int deep = -1; deep <= 1; deep += 2) {
    double gap = -0.01 * deep;
    lbVec3 p = lb_vec3(-1, 0, 0), q = lb_vec3(1, 0, 0), side = lb_vec3(0, 1, -1);
    lbSurfaceTriangle b = { { p, q, side }, { lb_vec3(0, -1, -1), p, q }, LB_OWN_ALL };
    lbVec3 r = lb_vec3(0, -1, gap), s = lb_vec3(0, 1, gap), up = lb_vec3(1, 0, 1 + gap);
    lbSurfaceTriangle a = { { r, s, up }, { lb_vec3(-1, 0, 1 + gap), r, s }, LB_OWN_ALL };
    lbTriangleTouch touches[LB_TRIANGLE_TOUCHES];
    int32_t count = lb_triangles_touch(&a, &b, 0.05, 0.05, touches);
    assert_int_equal(count, 1);
    check_near(touches[0].normal.z, 1, 1e-12);
    check_near(touches[0].gap, gap, 1e-12);
    check_near(touches[0].weights_a[0], 0.5, 1e-12);
  }
}

static void degenerate_pairs_do_no_harm(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < CASES / 4; i++) {
    lbVec3 a = random_vector(&seed, 1), b = random_vector(&seed, 1), c = random_vector(&seed, 1);
    lbSurfaceTriangle shapes[] = { alone(a, a, a),
                                   alone(a, b, b),
                                   alone(a, b, lb_scale(0.5, lb_add(a, b))),
                                   alone(a, b, c),
                                   alone(a, c, b),
                                   alone(lb_vec3(NAN, 0, 0), b, c),
                                   alone(lb_scale(1e12, a), b, c),
                                   alone(lb_scale(1e-12, a), lb_scale(1e-12, b), c) };
    for (int s = 0; s < 64; s++) {
      lbTriangleTouch touches[LB_TRIANGLE_TOUCHES];
      int32_t count = lb_triangles_touch(&shapes[s % 8], &shapes[s / 8], 0.2, 0.2, touches);
      for (int32_t k = 0; k < count; k++) {
        check_small(lb_length(touches[k].normal) - 1, 1e-12);
        assert_true(isfinite(touches[k].gap));
      }
    }
  }
}

// ---- few places --------------------------------------------------------------------------------

static void chosen_places_keep_depth_and_extent(void **state) {
  (void)state;
  uint64_t seed = 4;
  for (int i = 0; i < CASES / 20; i++) {
    lbTouchPlace places[60];
    int32_t chosen[8], deepest = 0;
    lbBox all = lb_box_empty(), kept = lb_box_empty();
    for (int k = 0; k < 60; k++) {
      double x = check_random(&seed), y = check_random(&seed);
      places[k] = (lbTouchPlace){ { x, y, 0 }, { 0, 0, 1 }, 0.01 * check_random(&seed) };
      lb_box_add_point(&all, &places[k].point.x);
      if (places[k].gap < places[deepest].gap) deepest = k;
    }
    assert_int_equal(lb_touches_choose(60, places, 1, 8, chosen), 8);
    bool has_deepest = false;
    for (int k = 0; k < 8; k++) {
      has_deepest |= chosen[k] == deepest;
      assert_true(k == 0 || chosen[k] > chosen[k - 1]);
      lb_box_add_point(&kept, &places[chosen[k]].point.x);
    }
    assert_true(has_deepest);
    for (int k = 0; k < 2; k++)
      assert_true(kept.high[k] - kept.low[k] > 0.55 * (all.high[k] - all.low[k]));
  }
  // Beyond the room for what is known of places the choice is the same.
  static lbTouchPlace many[1500];
  int32_t of_many[10], of_few[10];
  for (int k = 0; k < 1500; k++) {
    many[k] = (lbTouchPlace){ random_vector(&seed, 1), { 0, 0, 1 }, check_random(&seed) };
    if (k >= 700) many[k] = many[k - 700 * (k / 700)]; // twice the same, which adds nothing
  }
  assert_int_equal(lb_touches_choose(1500, many, 1, 10, of_many), 10);
  assert_int_equal(lb_touches_choose(700, many, 1, 10, of_few), 10);
  assert_memory_equal(of_many, of_few, sizeof of_few);
  // Equal places count once; places that differ in their normal alone count.
  lbTouchPlace few[3] = { { { 0, 0, 0 }, { 0, 0, 1 }, -1 },
                          { { 0, 0, 0 }, { 0, 0, 1 }, -1 },
                          { { 0, 0, 0 }, { 1, 0, 0 }, -0.5 } };
  int32_t chosen[3];
  assert_int_equal(lb_touches_choose(3, few, 1, 3, chosen), 2);
  assert_true(chosen[0] == 0 && chosen[1] == 2);
  assert_int_equal(lb_touches_choose(0, few, 1, 3, chosen), 0);
  assert_int_equal(lb_touches_choose(3, few, 1, 0, chosen), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(touches_hold_the_nearest_place),
    cmocka_unit_test(swapping_swaps_the_results),
    cmocka_unit_test(faces_that_meet_carry_the_overlap),
    cmocka_unit_test(crossed_ridges_touch_edge_to_edge),
    cmocka_unit_test(degenerate_pairs_do_no_harm),
    cmocka_unit_test(chosen_places_keep_depth_and_extent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
