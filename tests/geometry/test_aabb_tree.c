// The box tree against brute force.
#include "check.h"
#include "geometry/aabb_tree.h"

enum { VERTICES = 400, TRIANGLES = 700 };

typedef struct Soup {
  double positions[3 * VERTICES];
  int32_t triangles[3 * TRIANGLES];
  lbTriangles view;
} Soup;

// Random triangles, a tenth of them segments and points.
static void make_soup(Soup *soup, uint64_t seed) {
  for (int i = 0; i < 3 * VERTICES; i++) soup->positions[i] = check_random(&seed);
  for (int t = 0; t < TRIANGLES; t++) {
    int32_t *ids = soup->triangles + 3 * t;
    for (int k = 0; k < 3; k++) ids[k] = (int32_t)((check_random(&seed) + 1) / 2 * VERTICES);
    if (t % 20 == 0) ids[1] = ids[0];
    if (t % 40 == 0) ids[2] = ids[0];
  }
  soup->view = (lbTriangles){ TRIANGLES, soup->triangles, soup->positions };
}

static lbAabbTree *build(const lbTriangles *view) {
  lbAabbTree *tree = NULL;
  lbError err;
  check_ok(lb_aabb_tree_build_triangles(view, &tree, &err), err);
  return tree;
}

static lbVec3 random_point(uint64_t *seed, double scale) {
  double x = check_random(seed), y = check_random(seed), z = check_random(seed);
  return lb_vec3(scale * x, scale * y, scale * z);
}

static lbVec3 point_of(const lbTriangles *view, const lbSurfacePoint *at) {
  lbVec3 sum = { 0, 0, 0 };
  for (int k = 0; k < 3; k++)
    sum = lb_add_scaled(sum, at->weights[k], lb_triangle_corner(view, at->triangle, k));
  return sum;
}

// ---- tests -------------------------------------------------------------------------------------

static void every_item_is_in_one_leaf_inside_its_boxes(void **state) {
  (void)state;
  static Soup soup;
  int seen[TRIANGLES] = { 0 };
  make_soup(&soup, 1);
  lbAabbTree *tree = build(&soup.view);
  for (int32_t n = 0; n < tree->node_count; n++) {
    const lbAabbNode *node = &tree->nodes[n];
    assert_true(node->count <= LB_AABB_LEAF_ITEMS);
    for (int32_t i = 0; i < node->count; i++) {
      int32_t item = tree->items[node->first + i];
      lbBox own = lb_triangle_box(&soup.view, item), joined = node->box;
      lb_box_add_box(&joined, &own);
      assert_memory_equal(&joined, &node->box, sizeof joined);
      seen[item]++;
    }
    if (node->count) continue;
    assert_true(node->first > n + 1 && node->first < tree->node_count);
    lbBox joined = tree->nodes[n + 1].box;
    lb_box_add_box(&joined, &tree->nodes[node->first].box);
    assert_memory_equal(&joined, &node->box, sizeof joined);
  }
  for (int t = 0; t < TRIANGLES; t++) assert_int_equal(seen[t], 1);
  lb_aabb_tree_destroy(tree);
}

static bool brute_ray(const lbTriangles *view, lbVec3 o, lbVec3 d, double t_max, double *nearest) {
  bool any = false;
  *nearest = t_max;
  for (int32_t t = 0; t < view->count; t++) { // o + s d = a + u (b - a) + v (c - a), by Cramer
    lbVec3 a = lb_triangle_corner(view, t, 0), ab = lb_sub(lb_triangle_corner(view, t, 1), a);
    lbVec3 ac = lb_sub(lb_triangle_corner(view, t, 2), a), r = lb_sub(o, a);
    double det = -lb_dot(d, lb_cross(ab, ac));
    if (det == 0) continue;
    double s = lb_dot(r, lb_cross(ab, ac)) / det;
    double u = -lb_dot(d, lb_cross(r, ac)) / det, v = -lb_dot(d, lb_cross(ab, r)) / det;
    if (s < 0 || u < 0 || v < 0 || u + v > 1 || s > *nearest) continue;
    *nearest = s;
    any = true;
  }
  return any;
}

static void rays_hit_what_brute_force_hits(void **state) {
  (void)state;
  static Soup soup;
  uint64_t seed = 7;
  make_soup(&soup, 2);
  lbAabbTree *tree = build(&soup.view);
  int hits = 0;
  for (int i = 0; i < 500; i++) {
    lbVec3 o = random_point(&seed, 3), d = lb_sub(random_point(&seed, 0.7), o);
    double nearest, t_max = i % 2 ? INFINITY : 0.8;
    lbSurfacePoint hit = { -1, { 0 }, 0 };
    bool expected = brute_ray(&soup.view, o, d, t_max, &nearest);
    assert_int_equal(lb_surface_ray_cast(tree, &soup.view, o, d, t_max, &hit), expected);
    if (!expected) continue;
    hits++;
    check_near(hit.distance, nearest, 1e-9);
    lbVec3 gap = lb_sub(point_of(&soup.view, &hit), lb_add_scaled(o, hit.distance, d));
    check_small(lb_length(gap), 1e-9);
  }
  assert_true(hits > 100);
  lb_aabb_tree_destroy(tree);
}

// An n x n sheet of squares; rays through its vertices and edges must not slip through.
static void rays_through_edges_and_vertices_hit(void **state) {
  (void)state;
  enum { N = 10 };
  double positions[3 * (N + 1) * (N + 1)];
  int32_t triangles[6 * N * N];
  for (int j = 0; j <= N; j++)
    for (int i = 0; i <= N; i++)
      lb_vec3_store(positions + 3 * (j * (N + 1) + i), lb_vec3(i * 0.1, j * 0.1, 0.03 * i * j));
  for (int q = 0; q < N * N; q++) {
    int32_t a = q / N * (N + 1) + q % N, b = a + 1, c = a + N + 1, d = c + 1;
    int32_t ids[6] = { a, b, d, a, d, c };
    memcpy(triangles + 6 * q, ids, sizeof ids);
  }
  lbTriangles view = { 2 * N * N, triangles, positions };
  lbAabbTree *tree = build(&view);
  lbVec3 eye = lb_vec3(0.37, 0.41, 9);
  for (int j = 1; j < N; j++)
    for (int i = 1; i < N; i++)
      for (int half = 0; half < 2; half++) {
        lbVec3 a = lb_vec3_load(positions + 3 * (j * (N + 1) + i));
        lbVec3 b = lb_vec3_load(positions + 3 * (j * (N + 1) + i + half));
        lbVec3 target = lb_scale(0.5, lb_add(a, b));
        lbSurfacePoint hit;
        assert_true(lb_surface_ray_cast(tree, &view, eye, lb_sub(target, eye), INFINITY, &hit));
      }
  lb_aabb_tree_destroy(tree);
}

static void closest_points_match_brute_force(void **state) {
  (void)state;
  static Soup soup;
  uint64_t seed = 9;
  make_soup(&soup, 3);
  lbAabbTree *tree = build(&soup.view);
  for (int i = 0; i < 500; i++) {
    lbVec3 p = random_point(&seed, i % 3 ? 1 : 4);
    double best = INFINITY, weights[3];
    int32_t best_triangle = -1;
    for (int32_t t = 0; t < TRIANGLES; t++) {
      double d2 = lb_triangle_closest_point(p, lb_triangle_corner(&soup.view, t, 0),
                                            lb_triangle_corner(&soup.view, t, 1),
                                            lb_triangle_corner(&soup.view, t, 2), weights);
      if (d2 < best) best = d2, best_triangle = t;
    }
    lbSurfacePoint closest;
    assert_true(lb_surface_closest_point(tree, &soup.view, p, INFINITY, &closest));
    check_near(closest.distance, sqrt(best), 0);
    assert_int_equal(closest.triangle, best_triangle);
    check_near(lb_length(lb_sub(point_of(&soup.view, &closest), p)), closest.distance, 1e-12);
    assert_false(lb_surface_closest_point(tree, &soup.view, p, 0.5 * closest.distance, &closest));
    assert_false(lb_surface_is_near(tree, &soup.view, p, 0.999 * sqrt(best)));
    assert_true(best == 0 || lb_surface_is_near(tree, &soup.view, p, 1.001 * sqrt(best)));
  }
  lb_aabb_tree_destroy(tree);
}

static bool mark_item(int32_t item, void *context) {
  ((bool *)context)[item] = true;
  return true;
}

static bool stop_at_once(int32_t item, void *context) {
  (void)item;
  ++*(int *)context;
  return false;
}

static void overlap_finds_every_item_also_after_a_refit(void **state) {
  (void)state;
  static Soup soup;
  uint64_t seed = 11;
  make_soup(&soup, 4);
  lbAabbTree *tree = build(&soup.view);
  for (int i = 0; i < 200; i++) {
    if (i == 100) { // half way the surface moves
      for (int k = 0; k < 3 * VERTICES; k++) soup.positions[k] += 0.3 * check_random(&seed);
      lb_aabb_tree_refit_triangles(tree, &soup.view, 0);
    }
    double corner[3], side = 0.2 * (check_random(&seed) + 1);
    lb_vec3_store(corner, random_point(&seed, 1));
    lbBox box = { { corner[0], corner[1], corner[2] },
                  { corner[0] + side, corner[1] + side, corner[2] + side } };
    bool found[TRIANGLES] = { false };
    assert_true(lb_aabb_tree_overlap(tree, &box, mark_item, found));
    for (int32_t t = 0; t < TRIANGLES; t++) {
      lbBox own = lb_triangle_box(&soup.view, t);
      if (lb_box_overlap(&own, &box)) assert_true(found[t]);
    }
  }
  int visits = 0;
  lbBox all = { { -9, -9, -9 }, { 9, 9, 9 } };
  assert_false(lb_aabb_tree_overlap(tree, &all, stop_at_once, &visits));
  assert_int_equal(visits, 1);
  lb_aabb_tree_destroy(tree);
}

static void refit_equals_a_union_of_the_new_boxes_and_adds_its_margin(void **state) {
  (void)state;
  static Soup soup;
  make_soup(&soup, 5);
  lbAabbTree *tree = build(&soup.view);
  for (int k = 0; k < 3 * VERTICES; k++) soup.positions[k] *= 1 + 0.01 * (k % 7);
  lbBox all = lb_box_empty();
  for (int32_t t = 0; t < TRIANGLES; t++) {
    lbBox box = lb_triangle_box(&soup.view, t);
    lb_box_add_box(&all, &box);
  }
  lb_aabb_tree_refit_triangles(tree, &soup.view, 0);
  assert_memory_equal(&tree->nodes[0].box, &all, sizeof all);
  lb_aabb_tree_refit_triangles(tree, &soup.view, 0.5);
  check_near(tree->nodes[0].box.high[1] - all.high[1], 0.5, 1e-15);
  lb_aabb_tree_destroy(tree);
}

// Items whose boxes all coincide, or grow geometrically, make no deep tree and no crash.
static void hard_items_keep_the_tree_shallow(void **state) {
  (void)state;
  static lbBox boxes[3000];
  lbError err;
  for (int kind = 0; kind < 4; kind++) {
    for (int i = 0; i < 3000; i++) {
      double x = kind == 1 ? ldexp(1, i % 900) : 0;
      boxes[i] = (lbBox){ { x, 0, 0 }, { x + 1, 1, 1 } };
      if (kind == 2) boxes[i] = lb_box_empty();
      if (kind == 3) boxes[i].high[1] = i % 2 ? NAN : 1;
    }
    lbAabbTree *tree = NULL;
    check_ok(lb_aabb_tree_build(boxes, 3000, &tree, &err), err);
    bool found[3000] = { false };
    lbBox all = { { -1, -1, -1 }, { INFINITY, 2, 2 } };
    lb_aabb_tree_overlap(tree, &all, mark_item, found);
    assert_int_equal(found[2998], kind != 2);
    lb_aabb_tree_destroy(tree);
  }
}

static void an_empty_tree_answers_nothing(void **state) {
  (void)state;
  lbTriangles none = { 0, NULL, NULL };
  lbAabbTree *tree = build(&none);
  lbSurfacePoint at;
  lbVec3 p = { 0, 0, 0 }, d = { 1, 0, 0 };
  assert_false(lb_surface_ray_cast(tree, &none, p, d, INFINITY, &at));
  assert_false(lb_surface_closest_point(tree, &none, p, INFINITY, &at));
  assert_false(lb_surface_is_near(tree, &none, p, INFINITY));
  lb_aabb_tree_destroy(tree);
  lb_aabb_tree_destroy(NULL);
}

static void rays_without_a_direction_hit_nothing(void **state) {
  (void)state;
  static Soup soup;
  make_soup(&soup, 6);
  lbAabbTree *tree = build(&soup.view);
  lbSurfacePoint at;
  lbVec3 o = { 0, 0, 0 };
  assert_false(lb_surface_ray_cast(tree, &soup.view, o, o, INFINITY, &at));
  assert_false(lb_surface_ray_cast(tree, &soup.view, o, lb_vec3(NAN, 1, 0), INFINITY, &at));
  lb_aabb_tree_destroy(tree);
}

static void the_build_survives_every_failing_allocation(void **state) {
  (void)state;
  static Soup soup;
  make_soup(&soup, 8);
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { n, 0, 0 };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    lbAabbTree *tree = NULL;
    lbStatus status = lb_aabb_tree_build_triangles(&soup.view, &tree, NULL);
    lb_aabb_tree_destroy(tree);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status == LB_OK) break;
    assert_int_equal(status, LB_ERR_MEMORY);
    assert_true(n < 100);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_item_is_in_one_leaf_inside_its_boxes),
    cmocka_unit_test(rays_hit_what_brute_force_hits),
    cmocka_unit_test(rays_through_edges_and_vertices_hit),
    cmocka_unit_test(closest_points_match_brute_force),
    cmocka_unit_test(overlap_finds_every_item_also_after_a_refit),
    cmocka_unit_test(refit_equals_a_union_of_the_new_boxes_and_adds_its_margin),
    cmocka_unit_test(hard_items_keep_the_tree_shallow),
    cmocka_unit_test(an_empty_tree_answers_nothing),
    cmocka_unit_test(rays_without_a_direction_hit_nothing),
    cmocka_unit_test(the_build_survives_every_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
