// Compliance, restitution and rolling friction of surfaces: what is refused, and what a pair has;
// sensors, which tell what overlaps them.
#include "world/touch.h"

#include "modal_block.h"
#include "rigid_bodies.h"

static void settings_out_of_range_are_refused(void **state) {
  (void)state;
  const struct {
    lbContactMaterial material;
    const char *text;
  } bad[] = { { { -1, 0, 0, 0 }, "friction is -1; it must be 0 or more" },
              { { 0.5, -1e-3, 0, 0 }, "compliance is -0.001; it must be 0 m/N or more" },
              { { 0.5, 0, 1.5, 0 }, "restitution is 1.5; it must be from 0 to 1" },
              { { 0.5, 0, 0, -2 }, "rolling_friction is -2; it must be 0 m or more" },
              { { 0.5, INFINITY, 0, 0 }, "compliance is inf" } };
  lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
  lbBodyId id = add_block(world, block, lb_vec3(0, 0, 0));
  lbError err;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const lbContactMaterial *m = &bad[i].material;
    lbWorldSettings settings = lb_world_settings();
    lbColliderDef def = lb_collider_def();
    lbColliderId collider = 0;
    lbWorld *other = NULL;
    settings.friction = def.friction = m->friction;
    settings.compliance = def.compliance = m->compliance;
    settings.restitution = def.restitution = m->restitution;
    settings.rolling_friction = def.rolling_friction = m->rolling_friction;
    check_fails(lb_world_create(&settings, &other, &err), LB_ERR_ARGUMENT, err, bad[i].text);
    check_fails(lb_world_add_collider(world, &def, &collider, &err), LB_ERR_ARGUMENT, err,
                bad[i].text);
    check_fails(lb_world_set_contact_material(world, id, m, &err), LB_ERR_ARGUMENT, err,
                bad[i].text);
    assert_null(other);
  }
  lbWorldSettings settings = lb_world_settings();
  lbContactMaterial usual = lb_contact_material();
  lbWorld *other = NULL;
  settings.restitution = NAN;
  check_fails(lb_world_create(&settings, &other, &err), LB_ERR_ARGUMENT, err,
              "each must be a number");
  check_fails(lb_world_set_contact_material(world, 99, &usual, &err), LB_ERR_ARGUMENT, err, "99");
  check_fails(lb_world_set_contact_material(world, id, NULL, &err), LB_ERR_ARGUMENT, err,
              "material");
  lb_world_destroy(world);
}

// What the contacts of a block on a plane have in a step.
static lbContactMaterial pair_of(lbWorldSettings settings, lbContactMaterial body,
                                 lbContactMaterial collider) {
  lbColliderDef def = lb_collider_def();
  lbColliderId plane = 0;
  lbError err;
  settings.gravity = lb_vec3(0, 0, -9.81);
  settings.contact = true;
  def.friction = collider.friction;
  def.compliance = collider.compliance;
  def.restitution = collider.restitution;
  def.rolling_friction = collider.rolling_friction;
  lbWorld *world = world_of(&settings);
  check_ok(lb_world_add_collider(world, &def, &plane, &err), err);
  lbBodyId id = add_block(world, block, lb_vec3(0, 0, 0.0001));
  check_ok(lb_world_set_contact_material(world, id, &body, &err), err);
  for (int i = 0; i < 10; i++) lb_world_step(world, 1.0 / 60);
  assert_true(world->touch->contact_count > 0);
  const lbWorldContact *c = &world->touch->contacts[0];
  lbContactMaterial pair = { c->friction, c->compliance, c->restitution, c->rolling_friction };
  lb_world_destroy(world);
  return pair;
}

static void a_pair_has_what_both_make(void **state) {
  (void)state;
  lbWorldSettings settings = lb_world_settings();
  lbContactMaterial none = lb_contact_material();
  lbContactMaterial usual = pair_of(settings, none, none);
  check_near(usual.friction, 0.5, 0);
  check_near(usual.compliance + usual.restitution + usual.rolling_friction, 0, 0);
  lbContactMaterial both = pair_of(settings, (lbContactMaterial){ 0.2, 1e-5, 0.3, 0.01 },
                                   (lbContactMaterial){ 0.8, 2e-5, 0.1, 0.04 });
  check_near(both.friction, 0.4, 1e-15);
  check_near(both.compliance, 3e-5, 1e-18);
  check_near(both.restitution, 0.3, 0);
  check_near(both.rolling_friction, 0.02, 1e-15);
  settings.compliance = 1e-5, settings.restitution = 0.25, settings.rolling_friction = 0.01;
  lbContactMaterial one = pair_of(settings, (lbContactMaterial){ NAN, 0, NAN, 0.04 }, none);
  check_near(one.friction, 0.5, 0);
  check_near(one.compliance, 1e-5, 0);
  check_near(one.restitution, 0.25, 0);
  check_near(one.rolling_friction, 0.02, 1e-15);
}

// ---- sensors -----------------------------------------------------------------------------------

static lbColliderId add_sensor(lbWorld *world, lbColliderShape shape, double radius,
                               lbVec3 position) {
  lbColliderDef def = lb_collider_def();
  lbColliderId id = 0;
  lbError err;
  def.shape = shape;
  def.radius = radius;
  for (int k = 0; k < 3; k++) def.size[k] = 2 * radius;
  def.position = position;
  def.sensor = true;
  check_ok(lb_world_add_collider(world, &def, &id, &err), err);
  return id;
}

static int32_t overlaps(const lbWorld *world, lbColliderId id) {
  lbBodyId found[1] = { 0 };
  int32_t count = 0;
  lbError err;
  check_ok(lb_world_overlap_collider(world, id, 1, found, &count, &err), err);
  assert_int_equal(found[0] != 0, count > 0);
  return count;
}

// A block from 0 to 0.2 m and spheres and boxes at its side, in its corner, around it, inside it.
static void sensors_find_what_overlaps_them(void **state) {
  (void)state;
  lbModel *rigid = rigid_box(0.2, 0.2, 0.2, 1000);
  for (int k = 0; k < 2; k++) {
    lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
    double middle = k ? 0.1 : 0; // rigid boxes are centred
    add_block(world, k ? rigid : block, lb_vec3(middle, middle, middle));
    for (int s = 0; s < 2; s++) {
      lbColliderShape shape = s ? LB_COLLIDER_BOX : LB_COLLIDER_SPHERE;
      lbVec3 centre = lb_vec3(0.1, 0.1, 0.1);
      assert_int_equal(overlaps(world, add_sensor(world, shape, 0.1, lb_vec3(0.31, 0.1, 0.1))), 0);
      assert_int_equal(overlaps(world, add_sensor(world, shape, 0.1, lb_vec3(0.29, 0.1, 0.1))), 1);
      assert_int_equal(overlaps(world, add_sensor(world, shape, 0.05, lb_vec3(0.22, 0.22, 0.22))),
                       1);
      assert_int_equal(overlaps(world, add_sensor(world, shape, 1, centre)), 1);
      assert_int_equal(overlaps(world, add_sensor(world, shape, 0.02, centre)), 1);
    }
    assert_int_equal(overlaps(world, add_sensor(world, LB_COLLIDER_PLANE, 1, lb_vec3(0, 0, 0.1))),
                     1);
    assert_int_equal(overlaps(world, add_sensor(world, LB_COLLIDER_PLANE, 1, lb_vec3(0, 0, -0.1))),
                     0);
    lb_world_destroy(world);
  }
  lb_model_destroy(rigid);
}

// Small ones of every shape that lie across a face, far from its corners, and beside it.
static void small_sensors_find_the_face_that_they_lie_across(void **state) {
  (void)state;
  static const double corners[24] = { -.01, -.01, -.01, .01,  -.01, -.01, .01, .01,
                                      -.01, -.01, .01,  -.01, -.01, -.01, .01, .01,
                                      -.01, .01,  .01,  .01,  .01,  -.01, .01, .01 };
  static const int32_t faces[36] = { 0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                     1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7 };
  lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
  add_block(world, block, lb_vec3(0, 0, 0));
  for (int shape = LB_COLLIDER_SPHERE; shape < LB_COLLIDER_SHAPE_COUNT; shape++)
    for (int side = 0; side < 24; side++) {
      double off =
          side % 2 ? 0.03 : 0.003 * (side % 3 - 1); // across the face x = 0.2, or beside it
      lbColliderDef def = lb_collider_def();
      lbColliderId id = 0;
      lbError err;
      def.shape = (lbColliderShape)shape;
      def.radius = 0.01;
      for (int k = 0; k < 3; k++) def.size[k] = 0.02;
      def.vertex_count = 8, def.vertices = corners;
      def.triangle_count = 12, def.triangles = faces;
      def.position = lb_vec3(0.2 + off, 0.085 + 0.002 * side, 0.11 - 0.001 * side);
      def.rotation = lb_quat_from_axis_angle(lb_vec3(1, 2, side), 0.4 * side);
      def.sensor = true;
      check_ok(lb_world_add_collider(world, &def, &id, &err), err);
      if (overlaps(world, id) != 1 - side % 2)
        fail_msg("shape %d at %g m of the face, place %d", shape, off, side);
      check_ok(lb_world_remove_collider(world, id, &err), err);
    }
  lb_world_destroy(world);
}

// To the bit as without them, and seen by no ray; filters and lb_world_set_touch count.
static void sensors_push_nothing(void **state) {
  (void)state;
  lbError err;
  lbVec3 centres[2];
  for (int k = 0; k < 2; k++) {
    lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
    add_plane(world, lb_vec3(0, 0, 1));
    lbColliderId sensor = k ? add_sensor(world, LB_COLLIDER_BOX, 0.2, lb_vec3(0, 0, 0.2)) : 0;
    lbBodyId id = add_block(world, block, lb_vec3(0, 0, 0.5));
    for (int i = 0; i < 60; i++) lb_world_step(world, 1.0 / 120);
    centres[k] = lb_body_report(lb_world_body(world, id)).centre;
    if (k) {
      lbFound found;
      lbContactFilter none = { .category = 1, .mask = 0 };
      check_ok(lb_world_ray(world, lb_vec3(-0.1, -0.1, 2), lb_vec3(0, 0, -1), 5, &found, &err),
               err);
      check_near(found.distance, 2, 1e-9); // the plane
      assert_int_equal(overlaps(world, sensor), 1);
      check_ok(lb_world_set_filter(world, id, &none, &err), err);
      assert_int_equal(overlaps(world, sensor), 0);
      none.mask = 1;
      check_ok(lb_world_set_filter(world, id, &none, &err), err);
      check_ok(lb_world_set_touch(world, id, false, NAN, &err), err);
      assert_int_equal(overlaps(world, sensor), 0);
      check_ok(lb_world_remove_collider(world, sensor, &err), err);
      int32_t count = 0;
      check_fails(lb_world_overlap_collider(world, sensor, 0, NULL, &count, &err), LB_ERR_ARGUMENT,
                  err, "collider id");
    }
    lb_world_destroy(world);
  }
  assert_memory_equal(&centres[0], &centres[1], sizeof *centres);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(settings_out_of_range_are_refused),
    cmocka_unit_test(a_pair_has_what_both_make),
    cmocka_unit_test(sensors_find_what_overlaps_them),
    cmocka_unit_test(small_sensors_find_the_face_that_they_lie_across),
    cmocka_unit_test(sensors_push_nothing),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
