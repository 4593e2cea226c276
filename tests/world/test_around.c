// What is where in a world: rays, nearest places and regions against a look at every triangle.
#include "contact_worlds.h"

#include "geometry/triangle.h"

static uint64_t seed = 1;
static double uniform(void) { return check_random(&seed); }
static lbVec3 anywhere(double most) {
  double x = uniform(), y = uniform(), z = uniform();
  return lb_vec3(most * x, most * y, most * z);
}
static lbQuat any_turn(void) { return lb_quat_from_axis_angle(anywhere(1), 3 * uniform()); }

static lbModel *modal;
static lbWorld *world;
static lbBodyId ids[3];
static lbColliderId ball, crate;
static lbVec3 *surfaces[3]; // of the bodies: (vertices)

static int set_up(void **state) {
  (void)state;
  lbError err;
  lbColliderDef def = lb_collider_def();
  modal = body_model(BLOCK "," MODAL);
  world = world_with(lb_vec3(0, 0, 0), 0.5);
  for (int b = 0; b < 3; b++) {
    double q[64], rates[64] = { 0 };
    ids[b] = add_block(world, modal, lb_vec3(0.35 * (b - 1), 0, 0));
    lbBody *body = lb_world_body(world, ids[b]);
    check_ok(lb_body_set_placement(body, lb_vec3(0.35 * (b - 1), 0.05 * b, 0), any_turn()), err);
    for (int i = 0; i < 64; i++) q[i] = 0.01 * uniform();
    assert_int_equal(lb_body_set_state(body, q, rates), LB_OK);
    int32_t count = modal->size.vertex_count;
    surfaces[b] = malloc((size_t)count * sizeof(lbVec3));
    for (int32_t v = 0; v < count; v++)
      lb_body_point(body, lb_point_vertex(v), &surfaces[b][v], NULL);
  }
  def.shape = LB_COLLIDER_SPHERE, def.radius = 0.15, def.position = lb_vec3(0, 0.5, 0.1);
  check_ok(lb_world_add_collider(world, &def, &ball, &err), err);
  def.shape = LB_COLLIDER_BOX, def.position = lb_vec3(0, -0.5, 0.1);
  def.rotation = any_turn();
  def.size[0] = 0.2, def.size[1] = 0.3, def.size[2] = 0.4;
  check_ok(lb_world_add_collider(world, &def, &crate, &err), err);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  for (int b = 0; b < 3; b++) free(surfaces[b]);
  lb_world_destroy(world);
  lb_model_destroy(modal);
  return 0;
}

static lbVec3 corner(int body, int32_t triangle, int k) {
  return surfaces[body][modal->triangles[3 * triangle + k]];
}

static void the_nearest_place_is_that_of_all_triangles(void **state) {
  (void)state;
  double worst = 0;
  for (int trial = 0; trial < 200; trial++) {
    lbVec3 place = anywhere(0.8);
    lbFound found;
    lbError err;
    double least = INFINITY, weights[3];
    int nearest = -1;
    for (int b = 0; b < 3; b++)
      for (int32_t t = 0; t < modal->size.triangle_count; t++) {
        double d = sqrt(lb_triangle_closest_point(place, corner(b, t, 0), corner(b, t, 1),
                                                  corner(b, t, 2), weights));
        if (d < least) least = d, nearest = b;
      }
    double sphere = fabs(lb_length(lb_sub(place, lb_vec3(0, 0.5, 0.1))) - 0.15);
    check_ok(lb_world_closest(world, place, 10, &found, &err), err);
    bool met_crate = found.collider == crate;
    if (sphere < least) least = sphere, nearest = -1;
    assert_true(found.distance <= least + 1e-12);
    if (!met_crate) {
      worst = fmax(worst, fabs(found.distance - least));
      assert_true(nearest >= 0 ? found.body == ids[nearest] : found.collider == ball);
    }
    worst = fmax(worst, fabs(lb_length(lb_sub(found.position, place)) - found.distance));
    check_near(lb_length(found.normal), 1, 1e-12);
    check_ok(lb_world_closest(world, place, 0.9 * found.distance, &found, &err), err);
    assert_true(found.body == 0 && found.collider == 0);
  }
  check_small(worst, 1e-12);
}

// Marches along the ray in small steps: nothing is nearer than its length says.
static void rays_meet_the_first_thing(void **state) {
  (void)state;
  int met[3] = { 0, 0, 0 };
  for (int trial = 0; trial < 200; trial++) {
    lbVec3 origin = lb_scale(1.5, lb_normalise(anywhere(1)));
    lbVec3 direction = lb_sub(anywhere(0.6), origin);
    double unit = lb_length(direction);
    lbFound hit, near;
    lbError err;
    check_ok(lb_world_ray(world, origin, direction, 3, &hit, &err), err);
    met[hit.body ? 0 : hit.collider ? 1 : 2]++;
    for (double t = 0; t < hit.distance; t += 0.02) {
      check_ok(lb_world_closest(world, lb_add_scaled(origin, t / unit, direction), 3, &near, &err),
               err);
      t = fmin(hit.distance, t + 0.99 * near.distance); // as far as it surely meets nothing
    }
    if (!hit.body && !hit.collider) continue;
    check_ok(lb_world_closest(world, hit.position, 1, &near, &err), err);
    check_small(near.distance, 1e-9);
    check_ok(lb_world_ray(world, origin, direction, 0.99 * hit.distance, &near, &err), err);
    assert_true(near.body == 0 && near.collider == 0);
  }
  print_message("bodies %d, colliders %d, nothing %d\n", met[0], met[1], met[2]);
  assert_true(met[0] > 20 && met[1] > 20 && met[2] > 5);
}

static bool listed(const lbFound *found, int32_t count, lbBodyId body, lbColliderId collider) {
  for (int32_t i = 0; i < count; i++)
    if (found[i].body == body && found[i].collider == collider) return true;
  return false;
}

static bool triangles_meet_box(int body, lbVec3 centre, lbQuat turn, const double size[3]) {
  lbBox box;
  for (int k = 0; k < 3; k++) box.low[k] = -size[k] / 2, box.high[k] = size[k] / 2;
  for (int32_t t = 0; t < modal->size.triangle_count; t++) {
    lbVec3 at[3];
    for (int k = 0; k < 3; k++)
      at[k] = lb_quat_rotate(lb_quat_conjugate(turn), lb_sub(corner(body, t, k), centre));
    if (lb_triangle_touches_box(at[0], at[1], at[2], &box)) return true;
  }
  return false;
}

static void regions_list_who_is_in_them(void **state) {
  (void)state;
  int hits = 0, misses = 0;
  for (int trial = 0; trial < 200; trial++) {
    lbVec3 centre = anywhere(0.35);
    double size[3] = { 0.3 * fabs(uniform()), 0.3 * fabs(uniform()), 0.3 * fabs(uniform()) };
    lbQuat turn = any_turn();
    lbFound balls[5], boxes[5];
    lbError err;
    int32_t ball_count = 0, box_count = 0;
    check_ok(lb_world_overlap_sphere(world, centre, size[0], 5, balls, &ball_count, &err), err);
    check_ok(lb_world_overlap_box(world, centre, turn, size, 5, boxes, &box_count, &err), err);
    for (int b = 0; b < 3; b++) {
      double least = INFINITY, weights[3], inside = 0;
      for (int32_t t = 0; t < modal->size.triangle_count; t++) {
        least = fmin(least, sqrt(lb_triangle_closest_point(centre, corner(b, t, 0), corner(b, t, 1),
                                                           corner(b, t, 2), weights)));
        lbVec3 u = lb_normalise(lb_sub(corner(b, t, 0), centre)),
               v = lb_normalise(lb_sub(corner(b, t, 1), centre)),
               w = lb_normalise(lb_sub(corner(b, t, 2), centre));
        inside +=
            2 * atan2(lb_dot(u, lb_cross(v, w)), 1 + lb_dot(u, v) + lb_dot(v, w) + lb_dot(w, u));
      }
      bool within = inside > 6;
      bool in_ball = least <= size[0] || within;
      bool in_box = triangles_meet_box(b, centre, turn, size) || within;
      assert_true(listed(balls, ball_count, ids[b], 0) == in_ball);
      assert_true(listed(boxes, box_count, ids[b], 0) == in_box);
      hits += in_ball + in_box, misses += 2 - in_ball - in_box;
    }
    bool near_ball = lb_length(lb_sub(centre, lb_vec3(0, 0.5, 0.1))) <= 0.15 + size[0];
    assert_true(listed(balls, ball_count, 0, ball) == near_ball);
  }
  print_message("%d hits, %d misses\n", hits, misses);
  assert_true(hits > 100 && misses > 100);
}

static void wrong_questions_are_refused(void **state) {
  (void)state;
  lbFound found;
  lbError err;
  int32_t count;
  lbVec3 zero = lb_vec3(0, 0, 0), nowhere = lb_vec3(NAN, 0, 0);
  double flat[3] = { 1, 0, 1 };
  check_fails(lb_world_closest(world, nowhere, 1, &found, &err), LB_ERR_ARGUMENT, err, "place");
  check_fails(lb_world_closest(world, zero, NAN, &found, &err), LB_ERR_ARGUMENT, err, "within");
  check_fails(lb_world_ray(world, zero, zero, 1, &found, &err), LB_ERR_ARGUMENT, err, "ray");
  check_fails(lb_world_ray(world, zero, lb_vec3(1, 0, 0), -1, &found, &err), LB_ERR_ARGUMENT, err,
              "length");
  check_fails(lb_world_overlap_sphere(world, zero, -1, 1, &found, &count, &err), LB_ERR_ARGUMENT,
              err, "radius");
  check_fails(lb_world_overlap_box(world, zero, lb_quat_identity(), flat, 1, &found, &count, &err),
              LB_ERR_ARGUMENT, err, "size");
  check_fails(lb_world_overlap_sphere(world, zero, 1, 1, NULL, &count, &err), LB_ERR_ARGUMENT, err,
              "found");
  check_fails(lb_world_collider_force(world, 77, NULL, NULL, &err), LB_ERR_ARGUMENT, err,
              "any more");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_nearest_place_is_that_of_all_triangles),
    cmocka_unit_test(rays_meet_the_first_thing),
    cmocka_unit_test(regions_list_who_is_in_them),
    cmocka_unit_test(wrong_questions_are_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
