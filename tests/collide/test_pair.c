// Solids against solids.
#include "collide/solid_parts.h"
#include "solids.h"

enum { CASES = CHECK_SANITIZED ? 60 : 600 };

static void check_pair(const lbSolidPairTouch *touch, double margin) {
  check_small(lb_length(touch->normal) - 1, 1e-12);
  assert_true(touch->gap < margin);
  lbVec3 apart = lb_sub(touch->on_a, touch->on_b);
  check_small(lb_length(lb_add_scaled(apart, -touch->gap, touch->normal)), 1e-9);
}

static double least_gap(int32_t count, const lbSolidPairTouch *touches, double margin) {
  double least = INFINITY;
  for (int32_t i = 0; i < count; i++) {
    check_pair(&touches[i], margin);
    least = fmin(least, touches[i].gap);
  }
  return least;
}

// The farthest place of a convex solid in a direction of the world.
static double support(const lbSolid *solid, const lbSolidFrame *frame, lbVec3 direction) {
  lbVec3 own = lb_mat3_apply_transpose(frame->rotation, direction);
  double most = -INFINITY;
  if (solid->polyhedron)
    for (int32_t i = 0; i < solid->polyhedron->vertex_count; i++)
      most = fmax(most, lb_dot(own, lb_polyhedron_vertex(solid->polyhedron, i)));
  else
    most = solid->radius + solid->half[2] * fabs(own.z);
  return most + lb_dot(direction, frame->position);
}

// How far a is from b along a direction from b to a.
static double separation(const lbSolid *a, const lbSolidFrame *fa, const lbSolid *b,
                         const lbSolidFrame *fb, lbVec3 direction) {
  return -support(a, fa, lb_scale(-1, direction)) - support(b, fb, direction);
}

static lbSolid *make_convex(int kind, uint64_t *seed) {
  switch (kind) {
  case 0: return make_sphere(0.5);
  case 1: return make_capsule(0.25, 0.9);
  case 2: return make_box(1, 0.7, 0.5);
  default: return random_hull(seed, 6 + kind, 0.6);
  }
}

// The greatest separation over many directions, improved around the best: the distance of convex
// solids that are apart, and minus the depth of those that overlap.
static double best_separation(const lbSolid *a, const lbSolidFrame *fa, const lbSolid *b,
                              const lbSolidFrame *fb, uint64_t *seed) {
  lbVec3 best = { 1, 0, 0 };
  double most = -INFINITY, size = 1;
  for (int i = 0; i < 3000; i++) {
    lbVec3 direction = random_vector(seed, 1);
    if (i > 500) direction = lb_add_scaled(best, size, direction);
    direction = lb_direction_or(direction, best);
    double own = separation(a, fa, b, fb, direction);
    if (own > most)
      most = own, best = direction;
    else if (i > 500)
      size = fmax(0.995 * size, 1e-6);
  }
  return most;
}

static void convex_pairs_have_the_least_overlap(void **state) {
  (void)state;
  uint64_t seed = 1;
  const double margin = 0.3;
  for (int i = 0; i < CASES; i++) {
    lbSolid *a = make_convex(i % 5, &seed), *b = make_convex(i / 5 % 5, &seed);
    lbSolidFrame fa = random_frame(&seed, 0.5), fb = random_frame(&seed, 0.5);
    lbSolidPairTouch touches[LB_PAIR_TOUCHES];
    int32_t count = lb_solids_touch(a, &fa, b, &fb, margin, touches);
    double gap = least_gap(count, touches, margin);
    double best = best_separation(a, &fa, b, &fb, &seed);
    bool polyhedra = a->polyhedron && b->polyhedron; // apart, these may be called nearer
    if (best > margin + 1e-6 && !polyhedra) assert_int_equal(count, 0);
    if (best < margin - 1e-3) assert_true(count > 0);
    assert_true(lb_solids_overlap(a, &fa, b, &fb) == (best < 0) || fabs(best) < 1e-3);
    // No direction separates much better (faces are preferred by a little), and along the normal of
    // the deepest touch they are apart by its gap.
    double favour = 2e-3 + 1e-3;
    if (best < 0 && count > 0) assert_true(gap >= best - favour - 0.02 * fabs(best));
    for (int32_t k = 0; k < count; k++) {
      if (touches[k].gap != gap) continue;
      double along = separation(a, &fa, b, &fb, touches[k].normal); // what is clipped may be deeper
      if (!(along <= gap + 1e-9 && (polyhedra || along >= gap - 1e-9)))
        fail_msg("case %d: gap %g, along the normal %g", i, gap, along);
    }
    lb_solid_destroy(a);
    lb_solid_destroy(b);
  }
}

// Spheres and capsules apart: the exact distance.
static void round_pairs_have_the_exact_distance(void **state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < CASES; i++) {
    lbSolid *a = make_convex(i % 2, &seed), *b = make_convex(i / 2 % 5, &seed);
    lbSolidFrame fa = random_frame(&seed, 0.9), fb = random_frame(&seed, 0.9);
    lbSolidPairTouch touches[LB_PAIR_TOUCHES];
    int32_t count = lb_solids_touch(a, &fa, b, &fb, 0.5, touches);
    double best = best_separation(a, &fa, b, &fb, &seed);
    if (best > 1e-3 && best < 0.499) check_near(least_gap(count, touches, 0.5), best, 1e-3);
    lb_solid_destroy(a);
    lb_solid_destroy(b);
  }
}

static lbSolid *make_any(int kind, uint64_t *seed) {
  lbSolidDef def = lb_solid_def(LB_SOLID_PLANE);
  if (kind == 0) return make_solid(&def);
  return kind < 6 ? make_convex(kind - 1, seed) : make_torus(0.6, 0.25, 10, 7);
}

static void swapping_swaps_and_turning_turns(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < CASES; i++) {
    lbSolid *a = make_any(i % 7, &seed), *b = make_any(i / 7 % 7, &seed);
    lbSolidFrame fa = random_frame(&seed, 0.6), fb = random_frame(&seed, 0.6);
    lbSolidFrame turn = random_frame(&seed, 2), ta, tb;
    lbSolidPairTouch first[LB_PAIR_TOUCHES], second[LB_PAIR_TOUCHES], turned[LB_PAIR_TOUCHES];
    int32_t count = lb_solids_touch(a, &fa, b, &fb, 0.1, first);
    int32_t other = lb_solids_touch(b, &fb, a, &fa, 0.1, second);
    ta.rotation = lb_mat3_multiply(turn.rotation, fa.rotation);
    tb.rotation = lb_mat3_multiply(turn.rotation, fb.rotation);
    ta.position = lb_solid_to_world(&turn, fa.position);
    tb.position = lb_solid_to_world(&turn, fb.position);
    int32_t again = lb_solids_touch(a, &ta, b, &tb, 0.1, turned);
    double gap = least_gap(count, first, 0.1);
    bool meshes = a->kind == LB_SOLID_MESH && b->kind == LB_SOLID_MESH;
    if (((count > 0) != (other > 0)) || (count > 0) != (again > 0))
      fail_msg("case %d: %d, swapped %d, turned %d touches", i, (int)count, (int)other, (int)again);
    if (meshes) assert_true((gap < 0) == (least_gap(other, second, 0.1) < 0));
    if (count > 0) {
      if (!meshes) check_near(least_gap(other, second, 0.1), gap, 2e-3);
      check_near(least_gap(again, turned, 0.1), gap, 1e-9);
    }
    if (count == 1 && other == 1 && a->kind != LB_SOLID_MESH && b->kind != LB_SOLID_MESH)
      check_small(lb_length(lb_add(first[0].normal, second[0].normal)), 0.05);
    lb_solid_destroy(a);
    lb_solid_destroy(b);
  }
}

// The touches of a box that lies on something hold its centre: a force there can be carried.
static double area_of(int32_t count, const lbSolidPairTouch *touches) {
  double most = 0;
  for (int32_t i = 0; i < count; i++)
    for (int32_t j = 0; j < count; j++)
      for (int32_t k = 0; k < count; k++) {
        lbVec3 u = lb_sub(touches[j].on_a, touches[i].on_a);
        lbVec3 v = lb_sub(touches[k].on_a, touches[i].on_a);
        most = fmax(most, 0.5 * lb_length(lb_cross(u, v)));
      }
  return most;
}

static void resting_boxes_have_touches_all_round(void **state) {
  (void)state;
  uint64_t seed = 4;
  lbSolidDef def = lb_solid_def(LB_SOLID_PLANE);
  lbSolid *box = make_box(1, 1, 0.4), *large = make_box(5, 5, 1);
  lbSolid *grounds[] = { make_solid(&def),
                         large,
                         make_copy(large, 1, LB_SOLID_HULL),
                         make_copy(large, 1, LB_SOLID_MESH),
                         make_floor(5, 3, false),
                         make_box(0.6, 0.6, 1) };
  const double tops[] = { 0, 0.5, 0.5, 0.5, 0, 0.5 };
  for (int g = 0; g < 6; g++)
    for (int i = 0; i < 50; i++) {
      lbQuat yaw = lb_quat_from_axis_angle(lb_vec3(0, 0, 1), 3 * check_random(&seed));
      lbQuat tilt = lb_quat_from_axis_angle(random_vector(&seed, 1), 1e-4 * (i % 3));
      double height = tops[g] + 0.2 + 0.005 * check_random(&seed);
      lbVec3 at = lb_vec3(0.1 * check_random(&seed), 0.1 * check_random(&seed), height);
      lbSolidFrame ground = lb_solid_frame(lb_quat_identity(), lb_vec3(0, 0, 0));
      lbSolidFrame frame = lb_solid_frame(lb_quat_multiply(tilt, yaw), at);
      lbSolidPairTouch touches[LB_PAIR_TOUCHES];
      int32_t count = lb_solids_touch(box, &frame, grounds[g], &ground, 0.02, touches);
      double area = g == 5 ? 0.15 : 0.45;
      if (!(count >= 4 && area_of(count, touches) > area))
        fail_msg("ground %d case %d: %d touches, area %g", g, i, (int)count,
                 area_of(count, touches));
      for (int32_t k = 0; k < count; k++) {
        check_near(touches[k].normal.z, 1, 1e-3);
        check_near(touches[k].gap, height - tops[g] - 0.2, 3e-4);
      }
    }
  for (int g = 0; g < 6; g++) lb_solid_destroy(grounds[g]);
  lb_solid_destroy(box);
}

// A ball on a floor of triangles: one touch, straight up, over faces, edges and corners alike.
static void a_ball_does_not_stumble_over_flat_edges(void **state) {
  (void)state;
  uint64_t seed = 5;
  lbSolid *ball = make_sphere(0.5), *capsule = make_capsule(0.2, 0.6);
  lbSolid *floors[] = { make_floor(7, 2, false), make_floor(7, 2, true) };
  lbSolidFrame ground = lb_solid_frame(lb_quat_identity(), lb_vec3(0, 0, 0));
  for (int f = 0; f < 2; f++)
    for (int i = 0; i < CASES; i++) {
      lbVec3 at = lb_vec3(check_random(&seed), check_random(&seed), 0.49);
      if (i % 3 == 0) at.x = 2.0 / 7 * floor(3 * at.x) + 2.0 / 14; // over an edge
      if (i % 6 == 0) at.y = 2.0 / 7 * floor(3 * at.y) + 2.0 / 14; // over a corner
      lbSolidFrame frame = lb_solid_frame(lb_quat_identity(), at);
      lbSolidPairTouch touches[LB_PAIR_TOUCHES];
      int32_t count = lb_solids_touch(ball, &frame, floors[f], &ground, 0.1, touches);
      assert_true(count >= 1); // on an edge its two triangles may both say so
      for (int32_t k = 0; k < count; k++) {
        check_near(touches[k].normal.z, 1, 1e-9);
        check_near(touches[k].gap, -0.01, 1e-9);
      }
      lbQuat lie = lb_quat_from_axis_angle(lb_vec3(1, check_random(&seed), 0), LB_PI / 2);
      at.z = 0.19;
      frame = lb_solid_frame(lie, at);
      count = lb_solids_touch(capsule, &frame, floors[f], &ground, 0.05, touches);
      assert_true(count >= 2);
      for (int32_t k = 0; k < count; k++) {
        check_near(touches[k].normal.z, 1, 1e-9);
        check_near(touches[k].gap, -0.01, 1e-9);
      }
    }
  for (int f = 0; f < 2; f++) lb_solid_destroy(floors[f]);
  lb_solid_destroy(ball);
  lb_solid_destroy(capsule);
}

// Against meshes of convex shapes: the same distance as against the shapes.
static void a_mesh_is_as_far_as_its_shape(void **state) {
  (void)state;
  uint64_t seed = 6;
  int missed = 0, seen = 0;
  for (int i = 0; i < CASES; i++) {
    lbSolid *a = make_convex(i % 4, &seed), *b = make_convex(2 + i / 4 % 2, &seed);
    lbSolid *mesh = make_copy(b, 1, LB_SOLID_MESH);
    lbSolidFrame fa = random_frame(&seed, 0.7), fb = random_frame(&seed, 0.7);
    lbSolidPairTouch touches[LB_PAIR_TOUCHES];
    int32_t count = lb_solids_touch(a, &fa, mesh, &fb, 0.3, touches);
    double gap = least_gap(count, touches, 0.3);
    double best = best_separation(a, &fa, b, &fb, &seed);
    if (best > 1e-3 && best < 0.29) {
      seen++;
      missed += !(fabs(gap - best) < 0.02 * best + 2e-3);
    }
    if (best < -1e-3) assert_true(gap < 0);
    if (best > 1e-3) assert_true(gap > 0);
    lb_solid_destroy(a);
    lb_solid_destroy(b);
    lb_solid_destroy(mesh);
  }
  if (missed > seen / 50) fail_msg("%d of %d", missed, seen); // edges that are parallel
}

static void special_places_give_unit_normals(void **state) {
  (void)state;
  uint64_t seed = 7;
  lbSolidFrame same = lb_solid_frame(lb_quat_identity(), lb_vec3(0, 0, 0));
  for (int i = 0; i < 7; i++)
    for (int k = 0; k < 7; k++) {
      lbSolid *a = make_any(i, &seed), *b = make_any(k, &seed);
      lbSolidPairTouch touches[LB_PAIR_TOUCHES];
      const lbVec3 shifts[] = { { 0, 0, 0 },     { 0.5, 0, 0 }, { 0, 0, 1 },
                                { 1e-13, 0, 0 }, { 0, 1e6, 0 }, { 0.5, 0.35, 0.25 } };
      for (int s = 0; s < 6; s++) {
        lbSolidFrame moved = lb_solid_frame(lb_quat_identity(), shifts[s]);
        int32_t count = lb_solids_touch(a, &same, b, &moved, 0.1, touches);
        least_gap(count, touches, 0.1);
        if (s == 0 && (i > 0 || k > 0) && i < 6 && k < 6) assert_true(count > 0);
      }
      lbSolidFrame nan = lb_solid_frame(lb_quat_identity(), lb_vec3(NAN, 0, 0));
      assert_int_equal(lb_solids_touch(a, &same, b, &nan, 0.1, touches), 0);
      lb_solid_destroy(a);
      lb_solid_destroy(b);
    }
}

// A small solid wholly inside a closed mesh is told the way out.
static void what_is_inside_a_mesh_is_found(void **state) {
  (void)state;
  lbSolid *large = make_box(4, 4, 4), *mesh = make_copy(large, 1, LB_SOLID_MESH);
  lbSolid *small[] = { make_sphere(0.1), make_capsule(0.1, 0.1), make_box(0.2, 0.2, 0.2),
                       make_torus(0.2, 0.05, 8, 6) };
  lbSolidFrame still = lb_solid_frame(lb_quat_identity(), lb_vec3(0, 0, 0));
  lbSolidFrame inside = lb_solid_frame(lb_quat_identity(), lb_vec3(0, 0.2, 1));
  for (int i = 0; i < 4; i++) {
    lbSolidPairTouch touches[LB_PAIR_TOUCHES];
    assert_true(lb_solids_touch(small[i], &inside, mesh, &still, 0.05, touches) > 0);
    check_near(touches[0].normal.z, 1, 1e-12);
    assert_true(touches[0].gap < -0.9);
    assert_true(lb_solids_overlap(mesh, &still, small[i], &inside));
    lb_solid_destroy(small[i]);
  }
  lb_solid_destroy(large);
  lb_solid_destroy(mesh);
}

// A thousandth of a millimetre or a thousand kilometres: the same touches, scaled.
static void sizes_make_no_difference(void **state) {
  (void)state;
  uint64_t seed = 8;
  for (int i = 0; i < CASES; i++) {
    double points[2][3 * 9], scale = i % 2 ? 1048576 : 1.0 / 1048576; // powers of two: exact
    for (int k = 0; k < 27; k++) points[0][k] = check_random(&seed);
    for (int k = 0; k < 27; k++) points[1][k] = scale * points[0][k];
    lbSolid *hulls[2] = { make_hull(9, points[0]), make_hull(9, points[1]) };
    lbSolid *others[2];
    for (int s = 0; s < 2; s++) {
      double size = s ? scale : 1;
      others[s] = i % 3 == 0   ? make_box(size, 0.5 * size, 0.3 * size)
                  : i % 3 == 1 ? make_capsule(0.2 * size, 0.7 * size)
                               : make_torus(0.5 * size, 0.2 * size, 8, 6);
    }
    lbSolidFrame frame = random_frame(&seed, 1), still = random_frame(&seed, 0.1);
    lbSolidPairTouch touches[2][LB_PAIR_TOUCHES];
    int32_t count = lb_solids_touch(hulls[0], &frame, others[0], &still, 0.1, touches[0]);
    frame.position = lb_scale(scale, frame.position);
    still.position = lb_scale(scale, still.position);
    int32_t scaled = lb_solids_touch(hulls[1], &frame, others[1], &still, 0.1 * scale, touches[1]);
    assert_int_equal(scaled, count);
    for (int32_t k = 0; k < count; k++) {
      check_near(touches[1][k].gap / scale, touches[0][k].gap, 1e-12);
      check_small(lb_length(lb_sub(touches[1][k].normal, touches[0][k].normal)), 1e-12);
      assert_int_equal(touches[1][k].feature, touches[0][k].feature);
    }
    for (int s = 0; s < 2; s++) lb_solid_destroy(hulls[s]), lb_solid_destroy(others[s]);
  }
}

static void queries_take_no_memory(void **state) {
  (void)state;
  uint64_t seed = 9;
  for (int i = 0; i < 49; i++) {
    lbSolid *a = make_any(i % 7, &seed), *b = make_any(i / 7, &seed);
    CheckedHeap heap = { 0, 0, 0 }; // the first fails
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    for (int k = 0; k < 10; k++) {
      lbSolidFrame fa = random_frame(&seed, 0.5), fb = random_frame(&seed, 0.5);
      lbSolidPairTouch touches[LB_PAIR_TOUCHES];
      lbSolidTouch found[LB_SOLID_TOUCHES];
      lbVec3 p = random_vector(&seed, 1), q = random_vector(&seed, 1), r = random_vector(&seed, 1);
      lbSurfaceTriangle triangle = { { p, q, r }, { r, p, q }, LB_OWN_ALL };
      double t;
      lb_solids_touch(a, &fa, b, &fb, 0.1, touches);
      lb_solid_touch_triangle(a, &triangle, 0.1, found);
      lb_solid_ray_cast(a, p, q, 10, &t, &r);
    }
    lb_set_allocator(NULL);
    assert_int_equal(heap.count, 0);
    lb_solid_destroy(a);
    lb_solid_destroy(b);
  }
}

// Numbers of places stay while a box slides and turns a little.
static void features_stay_from_step_to_step(void **state) {
  (void)state;
  lbSolid *box = make_box(1, 1, 1), *ground = make_box(8, 8, 1);
  lbSolidFrame still = lb_solid_frame(lb_quat_identity(), lb_vec3(0, 0, -0.5));
  int32_t features[LB_PAIR_TOUCHES], known = 0;
  for (int i = 0; i < 20; i++) {
    lbQuat turn = lb_quat_from_axis_angle(lb_vec3(0, 0, 1), 0.3 + 1e-3 * i);
    lbSolidFrame frame = lb_solid_frame(turn, lb_vec3(0.01 * i, 0, 0.499));
    lbSolidPairTouch touches[LB_PAIR_TOUCHES];
    int32_t count = lb_solids_touch(box, &frame, ground, &still, 0.01, touches);
    assert_int_equal(count, 4);
    for (int32_t k = 0; k < count; k++) {
      if (i == 0) features[known++] = touches[k].feature;
      bool found = false;
      for (int32_t n = 0; n < known; n++) found |= features[n] == touches[k].feature;
      assert_true(found);
      for (int32_t n = 0; n < k; n++) assert_true(touches[n].feature != touches[k].feature);
    }
  }
  lb_solid_destroy(box);
  lb_solid_destroy(ground);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(convex_pairs_have_the_least_overlap),
    cmocka_unit_test(round_pairs_have_the_exact_distance),
    cmocka_unit_test(swapping_swaps_and_turning_turns),
    cmocka_unit_test(resting_boxes_have_touches_all_round),
    cmocka_unit_test(a_ball_does_not_stumble_over_flat_edges),
    cmocka_unit_test(a_mesh_is_as_far_as_its_shape),
    cmocka_unit_test(special_places_give_unit_normals),
    cmocka_unit_test(what_is_inside_a_mesh_is_found),
    cmocka_unit_test(sizes_make_no_difference),
    cmocka_unit_test(queries_take_no_memory),
    cmocka_unit_test(features_stay_from_step_to_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
