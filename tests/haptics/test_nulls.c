// NULL for each pointer of the public calls of bodies, worlds, paths, haptics and render meshes
// that is not said to be legal: refused, not a crash. And what refused calls on const bodies write.
#include "felt_bar.h"
#include "limber/path.h"
#include "limber/render_mesh.h"
#include "limber/world.h"

#define refused(call) assert_int_equal((call), LB_ERR_ARGUMENT)

// Refused, with a message in err that names the argument.
#define told(call, name)                                                                           \
  do {                                                                                             \
    memset(&err, 0, sizeof err);                                                                   \
    check_fails((call), LB_ERR_ARGUMENT, err, name);                                               \
  } while (0)

static void bodies_refuse_null(void **state) {
  (void)state;
  FeltBar bar = felt_bar(1);
  lbBody *b = bar.body, *made = NULL;
  lbError err;
  lbBodyDef def = lb_body_def();
  double numbers[64] = { 0 };
  lbVec3 zero = lb_vec3(0, 0, 0);
  lbPoint point = lb_point_vertex(0);
  lbPick pick;
  bool hit;
  told(lb_body_create(NULL, &def, &made, &err), "model");
  told(lb_body_create(bar.model, NULL, &made, &err), "def");
  told(lb_body_create(bar.model, &def, NULL, &err), "out");
  refused(lb_body_create(NULL, NULL, NULL, NULL));
  lb_body_destroy(NULL);
  refused(lb_body_prepare_queries(NULL));
  assert_null(lb_body_model(NULL));
  assert_int_equal(lb_body_method(NULL), LB_METHOD_DEFAULT);
  assert_int_equal(lb_body_dimension(NULL), 0);
  assert_true(lb_body_time(NULL) == 0 && lb_body_stable_step(NULL) > 0 && lb_body_reach(NULL) == 0);
  assert_string_equal(lb_body_message(NULL), "body is NULL");
  assert_int_equal(lb_body_flags(NULL), LB_STEP_REFUSED);
  assert_null(lb_body_user_data(NULL));
  lb_body_set_user_data(NULL, NULL);
  refused(lb_body_set_recover(NULL, true));
  assert_true(lb_body_bytes(NULL) == 0 && lb_body_state_bytes(NULL) == 0);
  refused(lb_body_apply_force(NULL, point, zero));
  refused(lb_body_apply_impulse(NULL, point, zero));
  refused(lb_body_apply_radial_impulse(NULL, zero, 1, 1));
  refused(lb_body_set_gravity(NULL, zero));
  refused(lb_body_start(NULL, 0, NULL));
  refused(lb_body_start(b, 1, NULL));
  assert_int_equal(lb_body_frame_kind(NULL), LB_FRAME_DEFAULT);
  assert_true(lb_body_frame(NULL).rotation.w == 1);
  refused(lb_body_set_placement(NULL, zero, lb_quat(0, 0, 0, 1)));
  refused(lb_body_set_frame(NULL, NULL));
  refused(lb_body_set_frame(b, NULL));
  refused(lb_body_drive(NULL, NULL));
  refused(lb_body_drive(b, NULL));
  refused(lb_body_drive_to(NULL, zero, lb_quat(0, 0, 0, 1)));
  refused(lb_body_set_velocity(NULL, zero, zero));
  refused(lb_body_push_ball(NULL, NULL, 0.01, NULL));
  refused(lb_body_push_ball(b, NULL, 0.01, NULL));
  assert_string_equal(lb_body_message(b), "ball is NULL");
  assert_int_equal(lb_body_step(NULL, 0.01), LB_STEP_REFUSED);
  refused(lb_body_set_material(NULL, 0, 1, 0.3, 1));
  refused(lb_body_set_damping(NULL, 0, 0));
  lbConstraintDef constraint = lb_constraint_def();
  constraint.point_count = 1;
  refused(lb_body_add_constraint(NULL, &constraint, NULL));
  refused(lb_body_add_constraint(b, NULL, NULL));
  refused(lb_body_add_constraint(b, &constraint, NULL)); // no points
  constraint.points = &point, constraint.force_point_count = 1;
  refused(lb_body_add_constraint(b, &constraint, NULL)); // no force points
  refused(lb_body_set_target(NULL, 0, numbers));
  refused(lb_body_remove_constraint(NULL, 0));
  assert_int_equal(lb_body_constraint_rank(NULL), 0);
  refused(lb_body_constraint_force(NULL, 0, numbers));
  refused(lb_body_constraint_force(b, 0, NULL));
  lb_body_surface(NULL, numbers), lb_body_surface(b, NULL);
  lb_body_surface_velocities(NULL, numbers), lb_body_surface_velocities(b, NULL);
  lb_body_surface_normals(NULL, numbers, numbers), lb_body_surface_normals(b, NULL, numbers);
  lb_body_surface_normals(b, numbers, NULL);
  refused(lb_body_vertices(NULL, 0, NULL, NULL, NULL, NULL));
  refused(lb_body_vertices(b, 1, NULL, NULL, NULL, NULL));
  refused(lb_body_point(NULL, point, NULL, NULL));
  lb_body_node_displacements(NULL, numbers), lb_body_node_displacements(b, NULL);
  lb_body_node_velocities(NULL, numbers), lb_body_node_velocities(b, NULL);
  lb_body_von_mises(NULL, numbers), lb_body_von_mises(b, NULL);
  refused(lb_body_pick(NULL, zero, zero, &pick, &hit));
  refused(lb_body_pick(b, zero, zero, NULL, &hit));
  refused(lb_body_pick(b, zero, zero, &pick, NULL));
  refused(lb_body_softness(NULL, point, NULL, NULL));
  assert_true(lb_body_report(NULL).mass == 0);
  lb_body_get_state(NULL, numbers, numbers);
  lb_body_get_state(b, NULL, NULL);
  refused(lb_body_set_state(NULL, numbers, numbers));
  refused(lb_body_set_state(b, NULL, numbers));
  refused(lb_body_set_state(b, numbers, NULL));
  refused(lb_body_set_shape(NULL, numbers));
  refused(lb_body_set_shape(b, NULL));
  refused(lb_body_set_displacements(NULL, numbers, NULL));
  refused(lb_body_set_displacements(b, NULL, NULL));
  refused(lb_body_save_state(NULL, numbers, sizeof numbers));
  refused(lb_body_save_state(b, NULL, lb_body_state_bytes(b)));
  refused(lb_body_restore_state(NULL, numbers, sizeof numbers));
  refused(lb_body_restore_state(b, NULL, lb_body_state_bytes(b)));
  felt_bar_destroy(&bar);
}

static void batches_refuse_null(void **state) {
  (void)state;
  FeltBar bar = felt_bar(1);
  lbBatch *batch = NULL;
  lbError err;
  lbBatchDef def = lb_batch_def();
  def.count = 1;
  told(lb_batch_create(NULL, &def, &batch, &err), "model");
  told(lb_batch_create(bar.model, NULL, &batch, &err), "def");
  told(lb_batch_create(bar.model, &def, NULL, &err), "out");
  lb_batch_destroy(NULL);
  assert_int_equal(lb_batch_count(NULL), 0);
  assert_null(lb_batch_body(NULL, 0));
  assert_int_equal(lb_batch_step(NULL, 0.01), LB_STEP_REFUSED);
  told(lb_batch_set_material(NULL, 0, 1, 0.3, 1, &err), "batch");
  felt_bar_destroy(&bar);
}

static void worlds_refuse_null(void **state) {
  (void)state;
  FeltBar bar = felt_bar(1);
  lbWorld *w = NULL, *other = NULL;
  lbError err;
  lbWorldSettings settings = lb_world_settings();
  lbBodyDef def = lb_body_def();
  lbBatchDef batch = lb_batch_def();
  lbBodyId id = 0;
  lbVec3 zero = lb_vec3(0, 0, 0);
  char bytes[8];
  batch.count = 1;
  told(lb_world_create(NULL, &w, &err), "settings");
  told(lb_world_create(&settings, NULL, &err), "out");
  check_ok(lb_world_create(&settings, &w, &err), err);
  told(lb_world_open(NULL, NULL, &other, &err), "bundle");
  lb_world_destroy(NULL);
  assert_true(lb_world_time(NULL) == 0 && lb_world_gravity(NULL).z == 0);
  told(lb_world_set_gravity(NULL, zero, &err), "world");
  assert_null(lb_world_user_data(NULL));
  lb_world_set_user_data(NULL, NULL);
  told(lb_world_add(NULL, bar.model, &def, &id, &err), "world");
  told(lb_world_add(w, NULL, &def, &id, &err), "model");
  told(lb_world_add(w, bar.model, NULL, &id, &err), "def");
  told(lb_world_add_batch(NULL, bar.model, &batch, &id, &err), "world");
  told(lb_world_add_batch(w, NULL, &batch, &id, &err), "model");
  told(lb_world_add_batch(w, bar.model, NULL, &id, &err), "def");
  told(lb_world_add_batch(w, bar.model, &batch, NULL, &err), "ids");
  told(lb_world_remove(NULL, 1, &err), "world");
  assert_null(lb_world_body(NULL, 1));
  assert_int_equal(lb_world_body_count(NULL), 0);
  assert_true(lb_world_body_at(NULL, 0) == 0);
  told(lb_world_drive(NULL, 1, NULL, &err), "world");
  lbLoad load = lb_load();
  told(lb_world_add_load(NULL, &load, NULL, &err), "world");
  told(lb_world_add_load(w, NULL, NULL, &err), "load");
  told(lb_world_remove_load(NULL, 1, &err), "world");
  told(lb_world_add_probe(NULL, 1, lb_point_vertex(0), NULL, &err), "world");
  assert_int_equal(lb_world_probe_count(NULL), 0);
  told(lb_world_probe(NULL, 0, NULL, NULL, &err), "world");
  assert_int_equal(lb_world_step(NULL, 0.01), LB_STEP_REFUSED);
  assert_int_equal(lb_world_body_flags(NULL, 1), LB_STEP_REFUSED);
  assert_true(lb_world_body_seconds(NULL, 1) == 0 && lb_world_state_bytes(NULL) == 0);
  told(lb_world_save_state(NULL, bytes, 8, &err), "world");
  told(lb_world_save_state(w, NULL, lb_world_state_bytes(w), &err), "bytes");
  told(lb_world_restore_state(NULL, bytes, 8, &err), "world");
  told(lb_world_restore_state(w, NULL, 8, &err), "bytes");
  check_ok(lb_world_add(w, bar.model, &def, &id, &err), err);
  told(lb_world_add(w, bar.model, &def, NULL, &err), "id");
  load.body = id, load.point = lb_point_vertex(0);
  told(lb_world_add_load(w, &load, NULL, &err), "id");
  told(lb_world_add_probe(w, id, lb_point_vertex(0), NULL, &err), "probe");
  lb_world_destroy(w);
  felt_bar_destroy(&bar);
}

static void paths_refuse_null(void **state) {
  (void)state;
  lbPath *path = NULL;
  lbError err;
  lbPathDef def = lb_path_def();
  lbPathState at;
  const double time = 0, origin[3] = { 0 };
  double a[4], b[4];
  def.key_count = 1;
  told(lb_path_create(NULL, &path, &err), "def");
  told(lb_path_create(&def, NULL, &err), "out");
  def.positions = origin;
  refused(lb_path_create(&def, &path, NULL)); // no times
  def.times = &time;
  check_ok(lb_path_create(&def, &path, &err), err);
  lb_path_destroy(NULL);
  assert_null(lb_path_keys(NULL));
  lb_path_at(NULL, 0, &at), lb_path_at(path, 0, NULL);
  assert_false(lb_path_cut_between(NULL, 0, 1));
  assert_false(lb_path_jump(NULL, 0, 1, a, b) || lb_path_jump(path, 0, 1, NULL, b) ||
               lb_path_jump(path, 0, 1, a, NULL));
  assert_false(lb_path_carry(NULL, 0, 1, &at) || lb_path_carry(path, 0, 1, NULL));
  lb_path_at(path, 0, &at);
  lb_path_mean_velocity(NULL, &at, 1, a, b), lb_path_mean_velocity(&at, NULL, 1, a, b);
  lb_path_mean_velocity(&at, &at, 1, NULL, b), lb_path_mean_velocity(&at, &at, 1, a, NULL);
  told(lb_world_path(NULL, 0, &path, &err), "world");
  lb_path_destroy(path);
}

static void haptics_and_render_meshes_refuse_null(void **state) {
  (void)state;
  FeltBar bar = felt_bar(1);
  lbHaptics *h = NULL;
  lbError err;
  lbHapticsDef def = lb_haptics_def();
  lbHapticsReport report;
  lbVec3 zero = lb_vec3(0, 0, 0);
  told(lb_haptics_create(NULL, &def, &h, &err), "body");
  told(lb_haptics_create(bar.body, NULL, &h, &err), "def");
  told(lb_haptics_create(bar.body, &def, NULL, &err), "out");
  check_ok(lb_haptics_create(bar.body, &def, &h, &err), err);
  lb_haptics_destroy(NULL);
  told(lb_haptics_start(NULL, &err), "haptics");
  lb_haptics_stop(NULL);
  assert_false(lb_haptics_running(NULL));
  assert_int_equal(lb_haptics_tick(NULL, 0.001), LB_STEP_REFUSED);
  refused(lb_haptics_set_device(NULL, zero, zero, false));
  assert_true(lb_haptics_force(NULL).x == 0);
  assert_int_equal(lb_haptics_state(NULL, NULL, NULL).tick, 0);
  lb_haptics_report(NULL, &report), lb_haptics_report(h, NULL);
  lb_haptics_reset_report(NULL);
  lb_haptics_destroy(h);

  lbRenderMesh *mesh = NULL;
  lbVertexLayout layout = lb_vertex_layout();
  float floats[3];
  layout.stride = 12, layout.position = 0;
  told(lb_render_mesh_create(NULL, &mesh, &err), "model");
  told(lb_render_mesh_create(bar.model, NULL, &err), "out");
  check_ok(lb_render_mesh_create(bar.model, &mesh, &err), err);
  told(lb_body_write_vertices(NULL, &layout, 0, 1, floats, 12, &err), "body");
  told(lb_body_write_vertices(bar.body, NULL, 0, 1, floats, 12, &err), "layout");
  told(lb_body_write_vertices(bar.body, &layout, 0, 1, NULL, 12, &err), "buffer");
  told(lb_body_write_render_vertices(NULL, mesh, &layout, 0, 1, floats, 12, &err), "body");
  told(lb_body_write_render_vertices(bar.body, NULL, &layout, 0, 1, floats, 12, &err), "mesh");
  told(lb_body_write_render_vertices(bar.body, mesh, NULL, 0, 1, floats, 12, &err), "layout");
  told(lb_body_write_render_vertices(bar.body, mesh, &layout, 0, 1, NULL, 12, &err), "buffer");
  lb_render_mesh_destroy(NULL);
  lb_render_mesh_destroy(mesh);
  felt_bar_destroy(&bar);
}

static void tools_refuse_null(void **state) {
  (void)state;
  lbWorldSettings settings = lb_world_settings();
  lbToolDef def = lb_tool_def();
  lbWorld *world = NULL;
  lbTool *tool = NULL;
  lbError err;
  lbHapticsReport report;
  lbVec3 zero = lb_vec3(0, 0, 0);
  settings.contact = true;
  check_ok(lb_world_create(&settings, &world, &err), err);
  told(lb_tool_create(NULL, &def, &tool, &err), "world");
  told(lb_tool_create(world, NULL, &tool, &err), "def");
  told(lb_tool_create(world, &def, NULL, &err), "out");
  check_ok(lb_tool_create(world, &def, &tool, &err), err);
  lb_tool_destroy(NULL);
  told(lb_tool_start(NULL, &err), "tool");
  lb_tool_stop(NULL);
  assert_false(lb_tool_running(NULL));
  assert_int_equal(lb_tool_tick(NULL, zero, lb_quat(0, 0, 0, 1), 0.001), LB_STEP_REFUSED);
  refused(lb_tool_set_device(NULL, zero, lb_quat(0, 0, 0, 1)));
  assert_true(lb_tool_state(NULL).tick == 0 && lb_tool_state(NULL).rotation.w == 1);
  told(lb_tool_show(NULL, world, &err), "tool");
  told(lb_tool_show(tool, NULL, &err), "shown");
  lb_tool_report(NULL, &report), lb_tool_report(tool, NULL);
  lb_tool_reset_report(NULL);
  lb_tool_destroy(tool);
  lb_world_destroy(world);
}

// One thread may read the message of a call of its own while others are refused.
static void refused_calls_on_const_bodies_write_no_message(void **state) {
  (void)state;
  FeltBar bar = felt_bar(1);
  const lbBody *body = bar.body;
  double numbers[3];
  int32_t missing = 1 << 20;
  refused(lb_body_apply_force(bar.body, lb_point_vertex(missing), lb_vec3(0, 0, 0)));
  char before[sizeof(lbError)];
  snprintf(before, sizeof before, "%s", lb_body_message(body));
  assert_true(before[0] != 0);
  refused(lb_body_point(body, lb_point_vertex(missing), NULL, NULL));
  refused(lb_body_vertices(body, 1, &missing, numbers, NULL, NULL));
  refused(lb_body_vertices(body, -1, &missing, numbers, NULL, NULL));
  refused(lb_body_softness(body, lb_point_node(missing), NULL, NULL));
  refused(lb_body_constraint_force(body, 77, numbers));
  refused(lb_body_save_state(body, numbers, 1));
  assert_string_equal(lb_body_message(body), before);
  felt_bar_destroy(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_refuse_null),
    cmocka_unit_test(batches_refuse_null),
    cmocka_unit_test(worlds_refuse_null),
    cmocka_unit_test(paths_refuse_null),
    cmocka_unit_test(haptics_and_render_meshes_refuse_null),
    cmocka_unit_test(tools_refuse_null),
    cmocka_unit_test(refused_calls_on_const_bodies_write_no_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
