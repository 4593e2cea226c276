// What contacts make of bad starts and bad input: overlaps, meshes that are no surfaces, paths and
// steps that make no sense.
#include "modal_block.h"
#include "rigid_bodies.h"

enum { KINDS = 6 };
static const char *const kinds[KINDS] = { "subspace", "modal",       "warp",
                                          "frames",   "rigid balls", "rigid box" };

// A block of a kind, its low corner at the origin of its own axes, or a rigid shape around it.
static lbModel *block_of(int kind, double size) {
  static const char *const methods[] = {
    SUBSPACE, MODAL, "'method':'warp','damping':{'stiffness':0.002}",
    "'method':'frames','frames':{'count':4,'samples':60},'damping':{'stiffness':0.002}"
  };
  char keys[700];
  if (kind == 4) return rigid_ball(size / 2, 1000);
  if (kind == 5) return rigid_box(size, size, size, 1000);
  snprintf(keys, sizeof keys,
           "'mesh':{'generate':'bar','size':[%g,%g,%g],'cells':[2,2,2],'element':'brick8'}," SOFT
           ",%s",
           size, size, size, methods[kind]);
  return body_model(keys);
}

// m/s: the fastest that the centre of any of two bodies gets; *apart: how far they are in the end.
// `centre` of the second, in its own axes.
static double part(const lbModel *const models[2], lbVec3 centre, lbVec3 shift, lbQuat turn,
                   double *apart) {
  lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
  lbBodyId ids[2] = { add_block(world, models[0], lb_vec3(0, 0, 0)), 0 };
  lbBodyDef def = lb_body_def();
  lbError err;
  lbVec3 first = lb_body_report(lb_world_body(world, ids[0])).centre;
  double fastest = 0;
  def.rotation = turn;
  def.position = lb_sub(lb_add(first, shift), lb_quat_rotate(turn, centre));
  check_ok(lb_world_add(world, models[1], &def, &ids[1], &err), err);
  lbVec3 centres[2];
  for (int i = 0; i < 120; i++) {
    lb_world_step(world, 1.0 / 60);
    for (int b = 0; b < 2; b++) {
      lbBodyReport r = lb_body_report(lb_world_body(world, ids[b]));
      double speed = lb_length(r.linear_momentum) / r.mass;
      assert_true(isfinite(speed) && isfinite(r.elastic));
      fastest = fmax(fastest, speed);
      centres[b] = r.centre;
    }
  }
  *apart = lb_length(lb_sub(centres[0], centres[1]));
  lb_world_destroy(world);
  return fastest;
}

// Those of every method, of another one, or rigid: they are apart in the end, and none was thrown.
static void bodies_that_overlap_are_parted_gently(void **state) {
  (void)state;
  const struct {
    const char *what;
    lbVec3 shift;
    double size, turn;
  } starts[] = { { "overlapping", { 0.15, 0.03, 0.02 }, 0.2, 0 },
                 { "deep", { 0.08, 0.05, 0.01 }, 0.2, 0 },
                 { "coincident", { 0, 0, 0 }, 0.2, 0 },
                 { "turned", { 0.01, 0.02, 0 }, 0.2, 0.5 },
                 { "nested", { 0.01, 0.02, 0 }, 0.06, 0 } };
  for (int k = 0; k < (CHECK_SANITIZED ? 2 : KINDS); k++)
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
      for (int mixed = 0; mixed < 2; mixed++) {
        lbModel *models[2] = { block_of(k, 0.2),
                               block_of(mixed ? (k + 1) % KINDS : k, starts[i].size) };
        lbQuat turn = lb_quat_from_axis_angle(lb_vec3(1, 2, 3), starts[i].turn);
        double apart = 0, middle = (mixed ? (k + 1) % KINDS : k) < 4 ? 0.5 * starts[i].size : 0;
        double speed = part((const lbModel *const *)models, lb_vec3(middle, middle, middle),
                            starts[i].shift, turn, &apart);
        double enough = 0.45 * (0.2 + starts[i].size);
        print_message("%s%s, %s: %.3g m/s, %.3g m apart of %.3g\n", kinds[k],
                      mixed ? " and the next" : "", starts[i].what, speed, apart, enough);
        check_small(speed, 1.0);
        assert_true(apart > enough);
        lb_model_destroy(models[0]), lb_model_destroy(models[1]);
      }
}

static void a_body_that_starts_below_the_ground_comes_up_gently(void **state) {
  (void)state;
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_block(world, block, lb_vec3(0, 0, -0.1));
  double fastest = 0;
  for (int i = 0; i < 180; i++) {
    lb_world_step(world, 1.0 / 60);
    lbBodyReport report = lb_body_report(lb_world_body(world, id));
    fastest = fmax(fastest, report.linear_momentum.z / report.mass);
  }
  double height = lb_body_report(lb_world_body(world, id)).centre.z;
  print_message("%.3g m/s, rests at %.4g m\n", fastest, height);
  check_small(fastest, 1.0);
  check_near(height, 0.1, 0.01);
  lb_world_destroy(world);
}

// A mesh under a falling block. Returns where the block's centre is in the end.
static double fall_on(const double *vertices, int32_t vertex_count, const int32_t *triangles,
                      int32_t triangle_count) {
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  lbColliderDef def = lb_collider_def();
  lbColliderId collider = 0;
  lbError err;
  def.shape = LB_COLLIDER_MESH;
  def.vertex_count = vertex_count, def.vertices = vertices;
  def.triangle_count = triangle_count, def.triangles = triangles;
  check_ok(lb_world_add_collider(world, &def, &collider, &err), err);
  lbBodyId id = add_block(world, block, lb_vec3(-0.1, -0.1, 0.2));
  double first = energy_of(lb_world_body(world, id)), most = first;
  for (int i = 0; i < 90; i++) {
    lb_world_step(world, 1.0 / 60);
    most = fmax(most, energy_of(lb_world_body(world, id)));
  }
  assert_true(isfinite(most));
  check_small((most - first) / first, 0.05);
  double height = lb_body_report(lb_world_body(world, id)).centre.z;
  lb_world_destroy(world);
  return height;
}

static const double cube[24] = { -1, -1, -2, 1, -1, -2, 1, 1, -2, -1, 1, -2,
                                 -1, -1, 0,  1, -1, 0,  1, 1, 0,  -1, 1, 0 };

static void open_and_tangled_surfaces_carry_or_let_through(void **state) {
  (void)state;
  static const int32_t sheet[] = { 4, 5, 6, 4, 6, 7 };
  static const int32_t closed[] = { 0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                    1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7 };
  int32_t inside_out[36], tangled[42];
  for (int t = 0; t < 12; t++)
    for (int k = 0; k < 3; k++) inside_out[3 * t + k] = closed[3 * t + 2 - k];
  memcpy(tangled, closed, sizeof closed); // two triangles more on one edge
  const int32_t more[] = { 4, 6, 0, 4, 6, 1 };
  memcpy(tangled + 36, more, sizeof more);
  check_near(fall_on(cube, 8, closed, 12), 0.1, 0.02);
  check_near(fall_on(cube, 8, sheet, 2), 0.1, 0.02);
  print_message("inside out: %.3g m\n", fall_on(cube, 8, inside_out, 12));
  print_message("tangled: %.3g m\n", fall_on(cube, 8, tangled, 14));
}

// The surface of a body itself: inside out, open, with triangles twice. It touches or it does not,
// and nothing comes from nowhere. Through the open half another body may get in unnoticed, and is
// pushed out again where it meets the rest, which takes some energy.
static void bodies_with_bad_surfaces_stay_bounded(void **state) {
  (void)state;
  static const char *const names[] = { "inside out", "open", "doubled" };
  static const double tolerances[] = { 0.05, 1, 0.05 };
  int32_t count = block->size.triangle_count,
          *triangles = calloc((size_t)count, 6 * sizeof(int32_t));
  assert_non_null(triangles);
  for (int kind = 0; kind < 3; kind++) {
    lbModel draft = *block, *model = NULL;
    lbError err;
    for (int32_t t = 0; t < count; t++)
      for (int k = 0; k < 3; k++)
        triangles[3 * t + k] = triangles[3 * (count + t) + k] =
            block->triangles[3 * t + (kind == 0 ? 2 - k : k)];
    draft.triangles = triangles;
    draft.size.triangle_count = kind == 1 ? count / 2 : kind == 2 ? 2 * count : count;
    check_ok(lb_model_create(&draft, &model, &err), err);
    lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
    add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId ids[2] = { add_block(world, model, lb_vec3(0, 0, 0.05)),
                        add_block(world, block, lb_vec3(0.02, 0.01, 0.3)) };
    double first = 0, most = 0;
    for (int i = 0; i < 60; i++) {
      double energy =
          energy_of(lb_world_body(world, ids[0])) + energy_of(lb_world_body(world, ids[1]));
      if (i == 0) first = energy;
      most = fmax(most, energy);
      assert_true(isfinite(energy));
      lb_world_step(world, 1.0 / 60);
    }
    lbVec3 at = lb_body_report(lb_world_body(world, ids[0])).centre;
    print_message("%s: centre at %.3g m, energy rose by %.2g (%g)\n", names[kind], at.z,
                  (most - first) / first, tolerances[kind]);
    check_small((most - first) / first, tolerances[kind]);
    lb_world_destroy(world);
    lb_model_destroy(model);
  }
  free(triangles);
}

static void paths_and_steps_that_make_no_sense_are_refused(void **state) {
  (void)state;
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  lbError err;
  lbColliderId plane = add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_block(world, block, lb_vec3(0, 0, 0.01));
  lbQuat none = { 0, 0, 0, 0 };
  check_fails(lb_world_move_collider(world, plane, lb_vec3(NAN, 0, 0), lb_quat_identity(), &err),
              LB_ERR_ARGUMENT, err, "position");
  check_fails(lb_world_move_collider(world, plane, lb_vec3(0, 0, 0), none, &err), LB_ERR_ARGUMENT,
              err, "rotation");
  lbVec3 before = lb_body_report(lb_world_body(world, id)).centre;
  assert_int_equal(lb_world_step(world, 0), LB_STEP_REFUSED);
  assert_int_equal(lb_world_step(world, NAN), LB_STEP_REFUSED);
  assert_true(lb_body_report(lb_world_body(world, id)).centre.z == before.z);
  lb_world_step(world, 60);
  lbBodyReport r = lb_body_report(lb_world_body(world, id));
  assert_true(isfinite(r.kinetic) && isfinite(r.elastic) && isfinite(r.centre.z));
  print_message("after a minute: centre %.3g m, %.3g J\n", r.centre.z, r.kinetic);
  for (int i = 0; i < 120; i++) lb_world_step(world, 1.0 / 60);
  check_near(lb_body_report(lb_world_body(world, id)).centre.z, 0.1, 0.02);
  lb_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_that_overlap_are_parted_gently),
    cmocka_unit_test(a_body_that_starts_below_the_ground_comes_up_gently),
    cmocka_unit_test(open_and_tangled_surfaces_carry_or_let_through),
    cmocka_unit_test(bodies_with_bad_surfaces_stay_bounded),
    cmocka_unit_test(paths_and_steps_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
