// Lists of boxes: what is found at every SIMD level is what one by one tells.
#include "../check.h"

#include "geometry/box_set.h"

enum { MOST = 700, QUERIES = 60 };

static lbBox random_box(uint64_t *seed, double size) {
  lbBox box;
  for (int k = 0; k < 3; k++) {
    box.low[k] = check_random(seed);
    box.high[k] = box.low[k] + size * fabs(check_random(seed));
  }
  return box;
}

// Boxes, points and empty boxes, ends that just meet, and lists of every length around a block's.
static void boxes_that_meet_are_found(void **state) {
  (void)state;
  static const int32_t counts[] = { 0, 1, 7, 8, 9, 63, 64, 65, 511, 513, MOST };
  static lbBox boxes[MOST];
  static int32_t found[MOST];
  static uint8_t marks[MOST / LB_BATCH + 1];
  uint64_t seed = 3;
  lbBoxSet set;
  int64_t met = 0;
  assert_true(lb_box_set_create(&set, MOST));
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    lb_box_set_clear(&set);
    for (int32_t i = 0; i < counts[c]; i++) {
      boxes[i] = i % 11 == 5 ? lb_box_empty() : random_box(&seed, 0.6);
      lb_box_set_add(&set, &boxes[i]);
    }
    for (int q = 0; q < QUERIES; q++) {
      lbBox query = random_box(&seed, q % 3 ? 0.6 : 0);
      if (q % 5 == 0 && counts[c] > 0) query.low[0] = query.high[0] = boxes[0].high[0];
      for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
        if (!lb_simd_has((lbSimdLevel)level)) continue;
        int32_t count = lb_box_kernels((lbSimdLevel)level)->find(&set, &query, found), at = 0;
        for (int32_t i = 0; i < counts[c]; i++)
          if (lb_box_overlap(&boxes[i], &query)) assert_true(at < count && found[at++] == i);
        assert_int_equal(at, count);
        met += count;
        memset(marks, 0, sizeof marks);
        bool any = lb_box_kernels((lbSimdLevel)level)->mark(&set, &query, marks);
        assert_int_equal(any, count > 0);
        for (int32_t i = 0; i < MOST; i++)
          assert_int_equal(marks[i / LB_BATCH] >> i % LB_BATCH & 1,
                           i < counts[c] && lb_box_overlap(&boxes[i], &query));
      }
    }
  }
  assert_true(met > 1000);
  lb_box_set_release(&set);
}

// Triangles in any order; and the boxes of blocks hold those of their triangles.
static void boxes_of_triangles_hold_them(void **state) {
  (void)state;
  enum { VERTICES = 50, TRIANGLES = 77 };
  double positions[3 * VERTICES + 1];
  int32_t corners[3 * TRIANGLES], order[TRIANGLES];
  uint64_t seed = 4;
  for (int i = 0; i <= 3 * VERTICES; i++) positions[i] = check_random(&seed);
  for (int i = 0; i < 3 * TRIANGLES; i++)
    corners[i] = (int32_t)fmin(VERTICES - 1, VERTICES * fabs(check_random(&seed)));
  for (int32_t i = 0; i < TRIANGLES; i++) order[i] = (5 * i + 3) % TRIANGLES;
  lbTriangles surface = { TRIANGLES, corners, positions };
  lbBoxSet set;
  assert_true(lb_box_set_create(&set, TRIANGLES));
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    lb_box_kernels((lbSimdLevel)level)->fill(&set, &surface, order);
    lbBox all = lb_box_empty(), told = lb_box_set_box(&set);
    assert_int_equal(set.count, TRIANGLES);
    for (int32_t i = 0; i < TRIANGLES; i++) {
      lbBox box = lb_triangle_box(&surface, order[i]), got = lb_box_set_get(&set, i);
      lbBox block = lb_box_set_block(&set, i / LB_BATCH);
      assert_memory_equal(&box, &got, sizeof box);
      for (int k = 0; k < 3; k++)
        assert_true(block.low[k] <= box.low[k] && block.high[k] >= box.high[k]);
      lb_box_add_box(&all, &box);
    }
    assert_memory_equal(&all, &told, sizeof all);
  }
  lb_box_set_release(&set);
}

// Those that meet a box, of a list of triangles, up to the room that there is.
static void boxes_of_near_triangles_are_theirs(void **state) {
  (void)state;
  enum { VERTICES = 50, TRIANGLES = 77, LISTED = 60, ROOM = 20 };
  double positions[3 * VERTICES + 1];
  int32_t corners[3 * TRIANGLES], listed[LISTED], kept[LISTED];
  uint64_t seed = 5;
  for (int i = 0; i <= 3 * VERTICES; i++) positions[i] = check_random(&seed);
  for (int i = 0; i < 3 * TRIANGLES; i++)
    corners[i] = (int32_t)fmin(VERTICES - 1, VERTICES * fabs(check_random(&seed)));
  for (int32_t i = 0; i < LISTED; i++) listed[i] = (7 * i + 2) % TRIANGLES;
  lbTriangles surface = { TRIANGLES, corners, positions };
  int32_t full = 0, partly = 0;
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    for (int q = 0; q < QUERIES; q++) {
      lbBox query = random_box(&seed, 0.5);
      lbBoxSet set;
      int32_t at = 0;
      assert_true(lb_box_set_create(&set, q % 2 ? ROOM : LISTED));
      lb_box_kernels((lbSimdLevel)level)
          ->fill_near(&set, surface.triangles, surface.positions, surface.positions, LISTED, listed,
                      &query, kept);
      for (int32_t i = 0; i < LISTED && at < set.room; i++) {
        lbBox box = lb_triangle_box(&surface, listed[i]);
        if (!lb_box_overlap(&box, &query)) continue;
        lbBox got = lb_box_set_get(&set, at);
        assert_int_equal(kept[at++], listed[i]);
        assert_memory_equal(&box, &got, sizeof box);
      }
      assert_int_equal(set.count, at);
      full += at == ROOM, partly += at > 0 && at < ROOM;
      lb_box_set_release(&set);
    }
  }
  assert_true(full > 3 && partly > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(boxes_that_meet_are_found),
    cmocka_unit_test(boxes_of_triangles_hold_them),
    cmocka_unit_test(boxes_of_near_triangles_are_theirs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
