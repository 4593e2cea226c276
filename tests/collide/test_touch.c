// Triangles against solids.
#include "collide/solid_parts.h"
#include "solids.h"

enum { CASES = CHECK_SANITIZED ? 300 : 1500, SAMPLES = 9 };

// A triangle of no surface: nothing beyond its edges.
static lbSurfaceTriangle alone(lbVec3 a, lbVec3 b, lbVec3 c) {
  return (lbSurfaceTriangle){ { a, b, c }, { c, a, b }, LB_OWN_ALL | LB_TWO_SIDED };
}

static lbVec3 weigh(const lbSurfaceTriangle *t, const double w[3]) {
  lbVec3 place = { 0, 0, 0 };
  for (int k = 0; k < 3; k++) place = lb_add_scaled(place, w[k], t->corners[k]);
  return place;
}

// The least distance over a grid of the triangle, refined around the best.
static double least_distance(const lbSolid *solid, const lbSurfaceTriangle *t, double *best) {
  double least = INFINITY, step = 1.0 / SAMPLES, middle[2] = { 1.0 / 3, 1.0 / 3 };
  double found[2] = { 0 };
  for (int round = 0; round < 7; round++) {
    for (int i = -SAMPLES; i <= SAMPLES; i++)
      for (int k = -SAMPLES; k <= SAMPLES; k++) {
        double u = fmin(fmax(middle[0] + i * step, 0), 1);
        double v = fmin(fmax(middle[1] + k * step, 0), 1 - u);
        double w[3] = { 1 - u - v, u, v };
        double distance = lb_solid_distance(solid, weigh(t, w), NULL);
        if (distance < least) least = distance, found[0] = u, found[1] = v;
      }
    middle[0] = found[0], middle[1] = found[1];
    step *= 4.0 / SAMPLES;
  }
  if (best) best[0] = 1 - found[0] - found[1], best[1] = found[0], best[2] = found[1];
  return least;
}

static void check_touch(const lbSolid *solid, const lbSurfaceTriangle *t, const lbSolidTouch *touch,
                        double margin, double scale) {
  double sum = touch->weights[0] + touch->weights[1] + touch->weights[2];
  check_near(sum, 1, 1e-9);
  for (int k = 0; k < 3; k++) assert_true(touch->weights[k] >= -1e-8);
  check_small(lb_length(touch->normal) - 1, 1e-12);
  check_small(lb_length(lb_sub(weigh(t, touch->weights), touch->on_triangle)), 1e-8 * scale);
  lbVec3 apart = lb_sub(touch->on_triangle, touch->on_solid);
  check_near(lb_dot(touch->normal, apart), touch->gap, 1e-12 * scale);
  check_small(lb_length(lb_add_scaled(apart, -touch->gap, touch->normal)), 1e-12 * scale);
  assert_true(touch->gap < margin);
  (void)solid;
}

static lbSurfaceTriangle random_triangle(uint64_t *seed, double size) {
  lbVec3 middle = random_vector(seed, 1.4);
  lbVec3 a = lb_add(middle, random_vector(seed, size)),
         b = lb_add(middle, random_vector(seed, size));
  return alone(a, b, lb_add(middle, random_vector(seed, size)));
}

static lbSolid *make_case(int kind, uint64_t *seed) {
  switch (kind) {
  case 0: {
    lbSolidDef def = lb_solid_def(LB_SOLID_PLANE);
    return make_solid(&def);
  }
  case 1: return make_sphere(0.6);
  case 2: return make_capsule(0.3, 0.9);
  case 3: return make_box(1.1, 0.8, 0.6);
  case 4: return random_hull(seed, 14, 0.8);
  default: return make_torus(0.7, 0.3, 10, 7);
  }
}

// Apart: the least gap of the touches is the distance of triangle and solid.
static void touches_hold_the_nearest_place(void **state) {
  (void)state;
  uint64_t seed = 1;
  const double margin = 0.4;
  for (int kind = 0; kind < 5; kind++) {
    int seen = 0, missed = 0;
    lbSolid *solid = make_case(kind, &seed);
    for (int i = 0; i < CASES / 5; i++) {
      lbSurfaceTriangle t = random_triangle(&seed, i % 2 ? 0.3 : 1);
      double least = least_distance(solid, &t, NULL), gap = INFINITY;
      lbSolidTouch touches[LB_SOLID_TOUCHES];
      int32_t count = lb_solid_touch_triangle(solid, &t, margin, touches);
      for (int32_t k = 0; k < count; k++) {
        check_touch(solid, &t, &touches[k], margin, 1);
        gap = fmin(gap, touches[k].gap);
      }
      if (least > margin + 1e-6) assert_int_equal(count, 0);
      if (!(least > 1e-4 && least < 0.99 * margin)) continue;
      seen++;
      if (kind < 3)
        check_near(gap, least, 2e-4);
      else if (!(gap <= least + 1e-3 && gap > 0.98 * least - 1e-3))
        missed++;
    }
    assert_true(seen > 0);
    if (missed > seen / 100)
      fail_msg("kind %d: %d of %d nearest places missed", kind, missed, seen);
    lb_solid_destroy(solid);
  }
}

// Overlapping: some touch says so.
static void overlaps_are_touches_with_a_negative_gap(void **state) {
  (void)state;
  uint64_t seed = 2;
  for (int kind = 0; kind < 5; kind++) {
    lbSolid *solid = make_case(kind, &seed);
    int seen = 0, missed = 0;
    for (int i = 0; i < CASES / 5; i++) {
      lbSurfaceTriangle t = random_triangle(&seed, i % 3 == 0 ? 3 : i % 3 == 1 ? 0.2 : 1);
      double least = least_distance(solid, &t, NULL), gap = INFINITY;
      if (least > -0.02) continue;
      lbSolidTouch touches[LB_SOLID_TOUCHES];
      int32_t count = lb_solid_touch_triangle(solid, &t, 0.01, touches);
      for (int32_t k = 0; k < count; k++) {
        check_touch(solid, &t, &touches[k], 0.01, 1);
        gap = fmin(gap, touches[k].gap);
      }
      seen++;
      missed += !(gap < 0);
      if (!(gap < 0))
        printf("MISSo kind %d case %d: gap %g least %g count %d\n", kind, i, gap, least, count);
    }
    assert_true(seen > 0);
    if (missed > 0) fail_msg("kind %d: %d of %d overlaps missed", kind, missed, seen);
    lb_solid_destroy(solid);
  }
}

// A corner just inside is pushed out a short way, out of round solids the shortest.
static void shallow_corners_are_pushed_out(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int kind = 0; kind < 6; kind++) {
    lbSolid *solid = make_case(kind, &seed);
    int seen = 0;
    for (int i = 0; i < CASES; i++) {
      lbSurfaceTriangle t = random_triangle(&seed, 0.5);
      lbVec3 normal;
      double distance = lb_solid_distance(solid, t.corners[0], &normal);
      if (distance > 0 || distance < -0.1) continue;
      lbSolidTouch touches[LB_SOLID_TOUCHES];
      t.own = LB_OWN_CORNER(0);
      int32_t count = lb_solid_touch_triangle(solid, &t, 0.01, touches);
      bool found = false;
      for (int32_t k = 0; k < count && !found; k++)
        found = touches[k].weights[0] == 1 && touches[k].gap <= distance + 1e-12 &&
                touches[k].gap >= 4 * distance - 1e-12 &&
                (solid->polyhedron || lb_length(lb_sub(touches[k].normal, normal)) == 0);
      assert_true(found);
      seen++;
    }
    assert_true(seen > 0);
    lb_solid_destroy(solid);
  }
}

static void the_same_triangle_touches_box_hull_and_mesh_alike(void **state) {
  (void)state;
  uint64_t seed = 4;
  lbSolid *box = make_box(1.1, 0.8, 0.6);
  lbSolid *hull = make_copy(box, 1, LB_SOLID_HULL), *mesh = make_copy(box, 1, LB_SOLID_MESH);
  lbSolid *solids[3] = { box, hull, mesh };
  for (int i = 0; i < CASES; i++) {
    lbSurfaceTriangle t = random_triangle(&seed, 0.6);
    double gaps[3], least = INFINITY;
    for (int s = 0; s < 3; s++) {
      lbSolidTouch touches[LB_SOLID_TOUCHES];
      int32_t count = lb_solid_touch_triangle(solids[s], &t, 0.2, touches);
      gaps[s] = 1;
      for (int32_t k = 0; k < count; k++) gaps[s] = fmin(gaps[s], touches[k].gap);
      least = fmin(least, gaps[s]);
    }
    check_near(gaps[1], gaps[0], 1e-12);
    if (least > 0) check_near(gaps[2], gaps[0], 1e-12);
  }
  for (int s = 0; s < 3; s++) lb_solid_destroy(solids[s]);
}

// A soft face on a box: the box's corners on a large triangle, the triangle's corners on a large
// box, and where edges cross, all with the box's normal and the same gap.
static void a_face_on_a_face_is_held_at_its_outline(void **state) {
  (void)state;
  lbSolid *box = make_box(2, 2, 2);
  lbSolidTouch touches[LB_SOLID_TOUCHES];
  for (int tilt = -1; tilt <= 1; tilt++) {
    double e = 1e-4 * tilt; // not quite parallel
    // Facing down, since the box is below.
    lbSurfaceTriangle large = alone(lb_vec3(-9, -9, 0.99 - 9 * e), lb_vec3(-9, 18, 0.99 - 9 * e),
                                    lb_vec3(18, -9, 0.99 + 18 * e));
    int32_t count = lb_solid_touch_triangle(box, &large, 0.05, touches);
    assert_int_equal(count, 4);
    for (int32_t k = 0; k < count; k++) {
      check_near(touches[k].normal.z, 1, 1e-6);
      check_near(touches[k].gap, -0.01, 1.1e-4);
      check_near(fabs(touches[k].on_triangle.x), 1, 1e-3);
      check_near(fabs(touches[k].on_triangle.y), 1, 1e-3);
    }
    lbSurfaceTriangle small =
        alone(lb_vec3(-0.5, -0.5, 0.99), lb_vec3(-0.5, 0.5, 0.99 + e), lb_vec3(0.5, -0.5, 0.99));
    assert_int_equal(lb_solid_touch_triangle(box, &small, 0.05, touches), 3);
    // Lies across: a corner on the box, two beyond its edge, where two edges cross it.
    lbSurfaceTriangle across =
        alone(lb_vec3(0.2, 0, 1.01), lb_vec3(2, 0.5, 1.01 + e), lb_vec3(2, -0.5, 1.01 + e));
    count = lb_solid_touch_triangle(box, &across, 0.05, touches);
    assert_int_equal(count, 3);
    for (int32_t k = 0; k < count; k++) check_near(touches[k].gap, 0.01, 3e-4);
    for (int32_t k = 0; k < count; k++) check_near(touches[k].normal.z, 1, 1e-3);
  }
  lb_solid_destroy(box);
}

static void owned_parts_alone_are_tested(void **state) {
  (void)state;
  lbSolidDef def = lb_solid_def(LB_SOLID_PLANE);
  lbSolid *plane = make_solid(&def), *sphere = make_sphere(1);
  lbSolidTouch touches[LB_SOLID_TOUCHES];
  lbSurfaceTriangle t = alone(lb_vec3(0, 0, -0.1), lb_vec3(1, 0, 0.01), lb_vec3(0, 1, 0.3));
  assert_int_equal(lb_solid_touch_triangle(plane, &t, 0.05, touches), 2);
  assert_true(touches[0].feature != touches[1].feature);
  t.own = LB_OWN_CORNER(1);
  assert_int_equal(lb_solid_touch_triangle(plane, &t, 0.05, touches), 1);
  check_near(touches[0].gap, 0.01, 1e-15);
  // A flat surface over the top of a sphere: touched in one place, seen from both triangles.
  lbVec3 a = lb_vec3(-2, -2, 1.01), b = lb_vec3(2, -2, 1.01), c = lb_vec3(2, 2, 1.01);
  lbVec3 d = lb_vec3(-2, 2, 1.01);
  lbSurfaceTriangle two[2] = { { { a, c, b }, { d, b, c }, LB_OWN_ALL },
                               { { a, d, c }, { d, d, b }, LB_OWN_ALL & ~LB_OWN_EDGE(2) } };
  int32_t first = lb_solid_touch_triangle(sphere, &two[0], 0.1, touches);
  assert_true(first >= 1);
  check_near(touches[0].gap, 0.01, 1e-12);
  lb_solid_destroy(plane);
  lb_solid_destroy(sphere);
}

static void capsules_have_both_ends_of_a_stretch(void **state) {
  (void)state;
  lbSolid *capsule = make_capsule(0.2, 1);
  lbSolidTouch touches[LB_SOLID_TOUCHES];
  lbSurfaceTriangle t =
      alone(lb_vec3(0.21, -5, -5), lb_vec3(0.21, 0, 10), lb_vec3(0.21, 5, -5)); // a wall
  int32_t count = lb_solid_touch_triangle(capsule, &t, 0.05, touches);
  assert_int_equal(count, 2);
  for (int32_t k = 0; k < count; k++) {
    check_near(touches[k].gap, 0.01, 1e-12);
    check_near(touches[k].normal.x, 1, 1e-12);
    check_near(fabs(touches[k].on_triangle.z), 0.5, 1e-12);
  }
  // The core through the wall, from its front: out to the front, the far end deeper.
  lbSolid *same = capsule;
  lbSurfaceTriangle wall = alone(lb_vec3(-5, -5, 0.3), lb_vec3(5, -5, 0.3), lb_vec3(0, 5, 0.3));
  count = lb_solid_touch_triangle(same, &wall, 0.05, touches);
  assert_int_equal(count, 2);
  for (int32_t k = 0; k < 2; k++) check_near(touches[k].normal.z, -1, 1e-12);
  check_near(fmin(touches[0].gap, touches[1].gap), -0.8 - 0.2, 1e-12);
  lb_solid_destroy(capsule);
}

// Points, segments, coincident centres, huge and tiny: unit normals and finite gaps.
static void degenerate_triangles_do_no_harm(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int kind = 0; kind < 6; kind++) {
    lbSolid *solid = make_case(kind, &seed);
    for (int i = 0; i < CASES; i++) {
      lbVec3 a = random_vector(&seed, 0.5), b = random_vector(&seed, 1), zero = { 0, 0, 0 };
      double huge = pow(10, 12 * check_random(&seed));
      lbSurfaceTriangle shapes[] = {
        alone(a, a, a),
        alone(a, b, b),
        alone(a, b, lb_scale(0.5, lb_add(a, b))),
        alone(zero, zero, zero),
        alone(zero, a, b),
        alone(lb_scale(huge, a), b, lb_scale(-huge, b)),
        alone(lb_scale(1e-14, a), lb_scale(1e-14, b), zero),
        alone(a, lb_vec3(NAN, 0, 0), b),
        alone(lb_vec3(0.55, 0.4, 0.3), lb_vec3(0.55, -0.4, 0.3), lb_vec3(-0.55, 0.4, 0.3)),
      };
      for (int s = 0; s < (int)(sizeof shapes / sizeof *shapes); s++) {
        lbSolidTouch touches[LB_SOLID_TOUCHES];
        int32_t count = lb_solid_touch_triangle(solid, &shapes[s], 0.3, touches);
        assert_true(count >= 0 && count <= LB_SOLID_TOUCHES);
        for (int32_t k = 0; k < count; k++) {
          check_small(lb_length(touches[k].normal) - 1, 1e-12);
          assert_true(isfinite(touches[k].gap));
          assert_true(isfinite(lb_dot(touches[k].on_solid, touches[k].on_triangle)));
        }
      }
    }
    lb_solid_destroy(solid);
  }
}

// A triangle and a solid that both turn touch in the same places.
static void touches_turn_with_the_axes(void **state) {
  (void)state;
  uint64_t seed = 6;
  for (int i = 0; i < CASES / 10; i++) {
    double points[30], turned[30];
    lbSolidFrame frame = random_frame(&seed, 3);
    for (int k = 0; k < 10; k++) {
      lb_vec3_store(points + 3 * k, random_vector(&seed, 0.8));
      lb_vec3_store(turned + 3 * k, lb_solid_to_world(&frame, lb_vec3_load(points + 3 * k)));
    }
    lbSolid *hull = make_hull(10, points), *other = make_hull(10, turned);
    for (int n = 0; n < 10; n++) {
      lbSurfaceTriangle t = random_triangle(&seed, 0.5), u = t;
      for (int k = 0; k < 3; k++) {
        u.corners[k] = lb_solid_to_world(&frame, t.corners[k]);
        u.across[k] = lb_solid_to_world(&frame, t.across[k]);
      }
      lbSolidTouch first[LB_SOLID_TOUCHES], second[LB_SOLID_TOUCHES];
      int32_t count = lb_solid_touch_triangle(hull, &t, 0.2, first);
      assert_int_equal(lb_solid_touch_triangle(other, &u, 0.2, second), count);
      double least[2] = { 1, 1 };
      for (int32_t k = 0; k < count; k++) {
        least[0] = fmin(least[0], first[k].gap);
        least[1] = fmin(least[1], second[k].gap);
      }
      check_near(least[0], least[1], 1e-9);
    }
    lb_solid_destroy(hull);
    lb_solid_destroy(other);
  }
}

// Vertices of a soft ball that sinks into a solid: each has a touch, through the triangle that owns
// it, and no vertex has two.
static void each_corner_of_a_surface_is_tested_once(void **state) {
  (void)state;
  lbSolid *ball = make_sphere(0.5), *ground = make_box(4, 4, 1);
  double vertices[3 * 200];
  int32_t triangles[3 * 400], across[3 * 400], vertex_count, triangle_count, seen[200] = { 0 };
  uint8_t own[400];
  lbError err;
  lb_solid_surface_size(ball, 4, &vertex_count, &triangle_count);
  lb_solid_surface(ball, 4, 1, vertices, triangles);
  for (int32_t i = 0; i < vertex_count; i++) vertices[3 * i + 2] += 0.95;
  lbTriangles surface = { triangle_count, triangles, vertices };
  check_ok(lb_surface_neighbours(&surface, across, own, &err), err);
  int32_t edges = 0, deep = 0;
  for (int32_t i = 0; i < triangle_count; i++) {
    lbSurfaceTriangle t = lb_surface_triangle(&surface, across, own, i);
    for (int k = 0; k < 3; k++) edges += (t.own & LB_OWN_EDGE(k)) != 0;
    lbSolidTouch touches[LB_SOLID_TOUCHES];
    int32_t count = lb_solid_touch_triangle(ground, &t, 0, touches);
    for (int32_t k = 0; k < count; k++)
      for (int c = 0; c < 3; c++)
        if (touches[k].weights[c] == 1) seen[triangles[3 * i + c]]++;
  }
  assert_int_equal(edges, vertex_count + triangle_count - 2);
  for (int32_t i = 0; i < vertex_count; i++) {
    assert_int_equal(seen[i], vertices[3 * i + 2] < 0.5);
    deep += seen[i];
  }
  assert_true(deep > 10);
  lb_solid_destroy(ball);
  lb_solid_destroy(ground);
}

// A soft ball or box that overlaps a solid by a little is pushed away from it, everywhere, and far
// enough: the deepest touch is as deep as the overlap.
static void soft_surfaces_are_pushed_out(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (int i = 0; i < CASES / 5; i++) {
    double size = i % 3 == 0 ? 0.15 : i % 3 == 1 ? 0.5 : 2; // of the soft body; solids are about 1
    lbSolid *soft = i % 2 ? make_sphere(size) : make_box(2 * size, 1.5 * size, size);
    lbSolid *solid = make_case(1 + i / 2 % 4, &seed);
    lbSolidFrame frame = random_frame(&seed, 1), still = { lb_mat3_identity(), { 0, 0, 0 } };
    static double vertices[3 * 400];
    static int32_t triangles[3 * 800], across[3 * 800];
    static uint8_t own[800];
    int32_t vertex_count, triangle_count;
    lbError err;
    lb_solid_surface_size(soft, 5, &vertex_count, &triangle_count);
    lb_solid_surface(soft, 5, 1, vertices, triangles);
    // Bring it to an overlap of `depth` along the way apart.
    lbSolidPairTouch apart[LB_PAIR_TOUCHES];
    double facets = i % 2 ? 0.03 * size : 0, depth = 0.02 + facets; // what a ball of facets lacks
    lbVec3 way = { 0, 0, 1 };
    for (int round = 0; round < 30; round++) {
      int32_t count = lb_solids_touch(soft, &frame, solid, &still, 9, apart);
      assert_true(count > 0);
      int32_t deepest = 0;
      for (int32_t k = 1; k < count; k++)
        if (apart[k].gap < apart[deepest].gap) deepest = k;
      way = apart[deepest].normal;
      frame.position = lb_add_scaled(frame.position, -apart[deepest].gap - depth, way);
    }
    for (int32_t k = 0; k < vertex_count; k++)
      lb_vec3_store(vertices + 3 * k, lb_solid_to_world(&frame, lb_vec3_load(vertices + 3 * k)));
    lbTriangles surface = { triangle_count, triangles, vertices };
    check_ok(lb_surface_neighbours(&surface, across, own, &err), err);
    double least = INFINITY, worst = 1;
    for (int32_t k = 0; k < triangle_count; k++) {
      lbSurfaceTriangle t = lb_surface_triangle(&surface, across, own, k);
      lbSolidTouch touches[LB_SOLID_TOUCHES];
      int32_t count = lb_solid_touch_triangle(solid, &t, 0.01, touches);
      for (int32_t n = 0; n < count; n++) {
        least = fmin(least, touches[n].gap);
        if (touches[n].gap < -0.3 * depth) worst = fmin(worst, lb_dot(touches[n].normal, way));
      }
    }
    if (!(least < -0.3 * 0.02 && least > -4 * depth))
      fail_msg("case %d: deepest touch %g of %g", i, least, -depth);
    if (worst < 0) fail_msg("case %d: a normal turned by %g from the way out", i, worst);
    lb_solid_destroy(soft);
    lb_solid_destroy(solid);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(touches_hold_the_nearest_place),
    cmocka_unit_test(overlaps_are_touches_with_a_negative_gap),
    cmocka_unit_test(shallow_corners_are_pushed_out),
    cmocka_unit_test(the_same_triangle_touches_box_hull_and_mesh_alike),
    cmocka_unit_test(a_face_on_a_face_is_held_at_its_outline),
    cmocka_unit_test(owned_parts_alone_are_tested),
    cmocka_unit_test(capsules_have_both_ends_of_a_stretch),
    cmocka_unit_test(degenerate_triangles_do_no_harm),
    cmocka_unit_test(touches_turn_with_the_axes),
    cmocka_unit_test(soft_surfaces_are_pushed_out),
    cmocka_unit_test(each_corner_of_a_surface_is_tested_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
