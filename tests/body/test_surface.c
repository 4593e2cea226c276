// What a body looks like: all of it, parts of it, normals, rays.
#include "toy_model.h"

typedef struct Shown {
  Toy toy;
  lbBody *body;
  int32_t count;
  double *positions, *velocities, *normals;
} Shown;

static Shown show(void) {
  Shown s = { .toy = toy_bar() };
  lbBodyDef def = toy_turned();
  s.body = toy_body(&s.toy, &def);
  toy_shake(s.body, 0.02, 5);
  s.count = s.toy.model->size.vertex_count;
  size_t bytes = 3 * (size_t)s.count * sizeof(double);
  s.positions = malloc(bytes), s.velocities = malloc(bytes), s.normals = malloc(bytes);
  lb_body_surface(s.body, s.positions);
  lb_body_surface_velocities(s.body, s.velocities);
  lb_body_surface_normals(s.body, s.positions, s.normals);
  return s;
}

static void hide(Shown *s) {
  free(s->positions), free(s->velocities), free(s->normals);
  lb_body_destroy(s->body);
  toy_destroy(&s->toy);
}

static void surfaces_follow_the_nodes_that_carry_them(void **state) {
  (void)state;
  Shown s = show();
  const lbModel *m = s.toy.model;
  double *u = malloc(3 * (size_t)m->size.node_count * sizeof *u), q[BAR_MODES], v[BAR_MODES],
         step = 1e-6;
  lb_body_node_displacements(s.body, u);
  lbBodyDef def = toy_turned();
  for (int32_t i = 0; i < s.count; i++) {
    lbVec3 x = lb_vec3_load(m->vertex_positions + 3 * i);
    for (int32_t k = m->carrier_begin[i]; k < m->carrier_begin[i + 1]; k++)
      x = lb_add_scaled(x, m->carrier_weights[k], lb_vec3_load(u + 3 * m->carrier_nodes[k]));
    x = lb_add(def.position, lb_quat_rotate(def.rotation, x));
    check_small(toy_distance(x, lb_vec3_load(s.positions + 3 * i)), 1e-14);
  }
  lb_body_get_state(s.body, q, v); // velocities: where it would be a little later
  for (int i = 0; i < BAR_MODES; i++) q[i] += step * v[i];
  body_ok(s.body, lb_body_set_state(s.body, q, v));
  double *later = malloc(3 * (size_t)s.count * sizeof *later);
  lb_body_surface(s.body, later);
  for (int32_t i = 0; i < 3 * s.count; i++)
    check_near((later[i] - s.positions[i]) / step, s.velocities[i], 1e-8);
  free(later), free(u);
  hide(&s);
}

static void parts_of_a_surface_have_the_bits_of_the_whole(void **state) {
  (void)state;
  Shown s = show();
  for (int32_t i = s.count - 1; i >= 0; i -= 3) {
    const int32_t some[2] = { i, i / 2 };
    double x[6], v[6], n[6];
    body_ok(s.body, lb_body_vertices(s.body, 2, some, x, v, n));
    for (int k = 0; k < 2; k++) {
      assert_memory_equal(x + 3 * k, s.positions + 3 * some[k], 24);
      assert_memory_equal(v + 3 * k, s.velocities + 3 * some[k], 24);
      assert_memory_equal(n + 3 * k, s.normals + 3 * some[k], 24);
    }
  }
  body_ok(s.body, lb_body_vertices(s.body, 0, NULL, NULL, NULL, NULL));
  double untouched[3] = { 5, 5, 5 };
  assert_int_equal(lb_body_vertices(s.body, 1, &s.count, untouched, NULL, NULL), LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_vertices(s.body, 1, &(int32_t){ -3 }, untouched, NULL, NULL),
                   LB_ERR_ARGUMENT);
  assert_int_equal(lb_body_vertices(s.body, -1, NULL, NULL, NULL, NULL), LB_ERR_ARGUMENT);
  assert_true(untouched[0] == 5);
  hide(&s);
}

static void normals_are_unit_and_point_outwards(void **state) {
  (void)state;
  Shown s = show();
  body_ok(s.body, lb_body_set_state(s.body, (double[BAR_MODES]){ 0 }, (double[BAR_MODES]){ 0 }));
  lb_body_surface(s.body, s.positions);
  lb_body_surface_normals(s.body, s.positions, s.normals);
  lbVec3 centre = lb_body_report(s.body).centre;
  for (int32_t i = 0; i < s.count; i++) {
    lbVec3 n = lb_vec3_load(s.normals + 3 * i);
    check_near(lb_length(n), 1, 1e-14);
  }
  double volume = 0; // by the normals' triangles, as the area vectors see it
  for (int32_t t = 0; t < s.toy.model->size.triangle_count; t++) {
    const int32_t *c = s.toy.model->triangles + 3 * t;
    lbVec3 a = lb_sub(lb_vec3_load(s.positions + 3 * c[0]), centre);
    lbVec3 b = lb_sub(lb_vec3_load(s.positions + 3 * c[1]), centre);
    lbVec3 d = lb_sub(lb_vec3_load(s.positions + 3 * c[2]), centre);
    volume += lb_dot(a, lb_cross(b, d)) / 6;
  }
  assert_true(volume > 0);
  double flux = 0; // vertex normals are on the same side
  for (int32_t i = 0; i < s.count; i++)
    flux +=
        lb_dot(lb_vec3_load(s.normals + 3 * i), lb_sub(lb_vec3_load(s.positions + 3 * i), centre));
  assert_true(flux > 0);
  hide(&s);
}

static void rays_hit_the_deformed_surface_or_miss_it(void **state) {
  (void)state;
  Shown s = show();
  const lbModel *m = s.toy.model;
  for (int round = 0; round < 2; round++) { // the second time with the tree there
    for (int32_t t = 0; t < m->size.triangle_count; t += 4) {
      const int32_t *c = m->triangles + 3 * t;
      lb_body_surface(s.body, s.positions);
      lbVec3 a = lb_vec3_load(s.positions + 3 * c[0]), b = lb_vec3_load(s.positions + 3 * c[1]);
      lbVec3 d = lb_vec3_load(s.positions + 3 * c[2]);
      lbVec3 aim = lb_add(lb_add(lb_scale(0.2, a), lb_scale(0.3, b)), lb_scale(0.5, d));
      lbVec3 direction = lb_normalise(lb_cross(lb_sub(b, a), lb_sub(d, a)));
      lbVec3 origin = lb_add_scaled(aim, -1e-4, direction), x;
      lbPick pick;
      bool hit = false;
      body_ok(s.body, lb_body_pick(s.body, origin, lb_scale(0.5, direction), &pick, &hit));
      assert_true(hit);
      assert_int_equal(pick.point.kind, LB_POINT_TRIANGLE);
      body_ok(s.body, lb_body_point(s.body, pick.point, &x, NULL));
      check_small(toy_distance(x, pick.position), 1e-13);
      check_small(
          toy_distance(lb_add_scaled(origin, 0.5 * pick.distance, direction), pick.position),
          1e-12);
      assert_true(pick.distance <= 2e-4 * (1 + 1e-6)); // this triangle or one before it
    }
    toy_shake(s.body, 0.02, 6);
  }
  lbPick pick = { .distance = -1 };
  bool hit = true;
  body_ok(s.body, lb_body_pick(s.body, lb_vec3(90, 90, 90), lb_vec3(1, 0, 0), &pick, &hit));
  assert_false(hit);
  assert_true(pick.distance == -1);
  body_refuses(s.body, lb_body_pick(s.body, lb_vec3(0, 0, 0), lb_vec3(0, 0, 0), &pick, &hit),
               "pick");
  body_refuses(s.body, lb_body_pick(s.body, lb_vec3(NAN, 0, 0), lb_vec3(0, 0, 1), &pick, &hit),
               "pick");
  hide(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(surfaces_follow_the_nodes_that_carry_them),
    cmocka_unit_test(parts_of_a_surface_have_the_bits_of_the_whole),
    cmocka_unit_test(normals_are_unit_and_point_outwards),
    cmocka_unit_test(rays_hit_the_deformed_surface_or_miss_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
