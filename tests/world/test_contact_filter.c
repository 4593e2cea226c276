// Filters: which bodies and colliders touch, by category, mask and group.
#include "rigid_bodies.h"

typedef struct Case {
  lbContactFilter first, second;
  bool touch;
} Case;

#define ALL UINT16_MAX

static const Case cases[] = {
  { { 1, ALL, 0 }, { 1, ALL, 0 }, true }, // both as usual
  { { 1, 2, 0 }, { 2, 1, 0 }, true },     // each in the mask of the other
  { { 1, ALL, 0 }, { 2, 2, 0 }, false },  // one alone is
  { { 4, ALL, 0 }, { 1, ALL & ~4, 0 }, false },
  { { 6, ALL, 0 }, { 1, 8, 0 }, false },     // neither of its categories
  { { 5, ALL, 0 }, { 2, 4, 0 }, true },      // of several categories one is enough
  { { 1, 0, 7 }, { 1, 0, 7 }, true },        // equal groups above 0 always touch
  { { 1, ALL, -3 }, { 1, ALL, -3 }, false }, // below 0 never
  { { 1, ALL, -3 }, { 1, ALL, -4 }, true },  // other groups go by categories
  { { 1, 0, 3 }, { 1, ALL, -3 }, false },
  { { 0, ALL, 0 }, { 1, ALL, 0 }, false },
};

// `first` falls by 1 mm onto the other one, a box that comes up to it, or a collider.
static bool touches(const Case *c, bool collider, bool swapped) {
  lbModel *box = rigid_box(0.2, 0.2, 0.2, 1000);
  lbWorld *world = rigid_world(lb_vec3(0, 0, -9.81), true, 0.5);
  lbContactFilter first = c->first, second = c->second;
  lbColliderDef def = lb_collider_def();
  lbColliderId wall;
  lbBodyId under = 0, upper;
  lbError err;
  if (swapped) first = c->second, second = c->first;
  def.shape = LB_COLLIDER_BOX, def.size[0] = def.size[1] = def.size[2] = 0.2;
  if (collider) {
    check_ok(lb_world_add_collider(world, &def, &wall, &err), err);
    check_ok(lb_world_set_collider_filter(world, wall, &second, &err), err);
  } else {
    under = add_block(world, box, lb_vec3(0, 0, 0));
    check_ok(lb_world_set_filter(world, under, &second, &err), err);
  }
  upper = add_block(world, box, lb_vec3(0, 0, 0.201));
  check_ok(lb_world_set_filter(world, upper, &first, &err), err);
  if (under) lb_body_set_velocity(lb_world_body(world, under), lb_vec3(0, 0, 1), lb_vec3(0, 0, 0));
  for (int i = 0; i < 30; i++) {
    lb_world_step(world, 1.0 / 120);
    if (lb_world_contact_count(world) > 0) break;
  }
  bool touch = lb_world_contact_count(world) > 0;
  lb_world_destroy(world);
  lb_model_destroy(box);
  return touch;
}

static void filters_choose_what_touches(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int k = 0; k < 4; k++)
      if (touches(&cases[i], k & 1, k & 2) != cases[i].touch)
        fail_msg("case %d, %s, %s", (int)i, k & 1 ? "collider" : "body",
                 k & 2 ? "swapped" : "as is");
}

// A box that sleeps on the ground wakes and falls when they are parted; a new body in its place has
// the usual filter again.
static void changes_wake_and_do_not_outlive_a_body(void **state) {
  (void)state;
  lbModel *box = rigid_box(0.2, 0.2, 0.2, 1000);
  lbContactFilter never = lb_contact_filter();
  for (int of_collider = 0; of_collider < 2; of_collider++) {
    lbWorld *world = rigid_world(lb_vec3(0, 0, -9.81), true, 0.5);
    lbColliderId ground = add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId id = add_block(world, box, lb_vec3(0, 0, 0.1));
    lbError err;
    for (int i = 0; i < 120; i++) lb_world_step(world, 1.0 / 60);
    assert_true(lb_world_body_sleeping(world, id));
    never.mask = 0;
    if (of_collider)
      check_ok(lb_world_set_collider_filter(world, ground, &never, &err), err);
    else
      check_ok(lb_world_set_filter(world, id, &never, &err), err);
    for (int i = 0; i < 60; i++) lb_world_step(world, 1.0 / 60);
    assert_true(lb_body_frame(lb_world_body(world, id)).position.z < -4);
    if (!of_collider) {
      check_ok(lb_world_remove(world, id, &err), err);
      id = add_block(world, box, lb_vec3(0, 0, 0.1));
      for (int i = 0; i < 60; i++) lb_world_step(world, 1.0 / 60);
      assert_true(lb_body_frame(lb_world_body(world, id)).position.z > 0.09);
    }
    lb_world_destroy(world);
  }
  lb_model_destroy(box);
}

static void wrong_calls_are_refused(void **state) {
  (void)state;
  lbWorld *world = rigid_world(lb_vec3(0, 0, 0), true, 0.5);
  lbColliderId ground = add_plane(world, lb_vec3(0, 0, 1));
  lbContactFilter filter = lb_contact_filter();
  lbError err;
  check_fails(lb_world_set_filter(NULL, 1, &filter, &err), LB_ERR_ARGUMENT, err, "world");
  check_fails(lb_world_set_filter(world, 1, NULL, &err), LB_ERR_ARGUMENT, err, "filter");
  check_fails(lb_world_set_filter(world, 77, &filter, &err), LB_ERR_ARGUMENT, err, "no body");
  check_fails(lb_world_set_collider_filter(NULL, ground, &filter, &err), LB_ERR_ARGUMENT, err,
              "world");
  check_fails(lb_world_set_collider_filter(world, ground, NULL, &err), LB_ERR_ARGUMENT, err,
              "filter");
  check_fails(lb_world_set_collider_filter(world, 0, &filter, &err), LB_ERR_ARGUMENT, err,
              "no collider");
  lb_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(filters_choose_what_touches),
    cmocka_unit_test(changes_wake_and_do_not_outlive_a_body),
    cmocka_unit_test(wrong_calls_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
