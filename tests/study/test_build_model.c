// Building models from files, and saving them: choices, the scaling of the stiffness, what a file
// gives back.
#include "check.h"
#include "limber/build.h"
#include "limber/file.h"

static const char *write_file(const char *name, const char *content) {
  const char *path = output_path(name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(content, file);
  fclose(file);
  return path;
}

// A cuboid of 1 x 2 x 0.5 m standing on y = 0, with UVs, as OBJ.
static const char *box_obj(const char *name) {
  return write_file(name, "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 .5\nv 1 0 .5\nv 1 2 .5\n"
                          "v 0 2 .5\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
                          "f 1/1 4/2 3/3 2/4\nf 5/1 6/2 7/3 8/4\nf 1/1 2/2 6/3 5/4\n"
                          "f 4/1 8/2 7/3 3/4\nf 1/1 5/2 8/3 4/4\nf 2/1 3/2 7/3 6/4\n");
}

static const char *bar_scene(const char *name, const char *more) {
  char text[900];
  snprintf(text, sizeof text,
           "{ \"limber\": 1, \"bodies\": [{ \"name\": \"beam\", \"mesh\": { \"generate\": \"bar\", "
           "\"size\": [1, 0.2, 0.2], \"cells\": [4, 1, 1] }, \"material\": { \"young\": 2e5, "
           "\"poisson\": 0.3, \"density\": 500 }, \"damping\": { \"mass\": 0.25, \"stiffness\": "
           "0.003 }, \"fixed\": { \"group\": \"left\" } %s}] }",
           more);
  return write_file(name, text);
}

static lbAccuracy *kept_accuracy; // of the last build

static lbModel *build(const char *path, const lbBuildDef *def, lbBuildReport *report) {
  lbModel *model = NULL;
  lbError err;
  check_ok(lb_build_model(path, def, &model, report, &err), err);
  if (report) {
    lb_accuracy_destroy(kept_accuracy);
    kept_accuracy = report->accuracy;
  }
  return model;
}

static lbBuildDef coarse(void) {
  lbBuildDef def = lb_build_def();
  def.method = LB_METHOD_MODAL;
  def.accuracy = LB_ACCURACY_NONE;
  def.cells = 4;
  def.mode_count = 6;
  return def;
}

static void a_bare_surface_gets_the_documented_choices(void **state) {
  (void)state;
  lbBuildReport report;
  lbBuildDef def = lb_build_def();
  def.accuracy = LB_ACCURACY_NONE; // tried on a smaller one below
  def.dimension = 8;
  const char *path = box_obj("choices.obj");
  lbModel *model = build(path, &def, &report);
  assert_true(report.bare && report.up_chosen && report.cells_chosen && report.modes_chosen);
  assert_true(report.up == 'y' && report.cells == 24 && report.mode_count == 20);
  assert_true(report.frequency == 3 && !report.material_given);
  check_near(report.fixed_share, 0.05, 0);
  assert_string_equal(model->name, "choices");
  assert_int_equal(model->up[0], 1);
  double omega = 2 * LB_PI * 3, top = -1;
  check_small(model->modal_eigenvalues[0] / (omega * omega) - 1, 1e-14);
  // ξ = β ω / 2 = 2 %
  check_near(model->modal_damping[0], 0, 0);
  check_near(model->modal_damping[1] * omega / 2, 0.02, 1e-15);
  check_near(model->material_values[2], 1000, 0);
  for (int32_t v = 0; v < model->size.node_count; v++)
    if (model->node_fixed[v]) top = fmax(top, model->node_positions[3 * (size_t)v + 1]);
  assert_true(report.fixed_count > 0 && top < 0.12);
  assert_int_equal(model->size.vertex_count, 8);
  assert_non_null(model->corner_uvs);
  lb_model_destroy(model);
}

// Solving anew with the stiffness that was found gives the same model.
static void scaling_the_stiffness_is_as_good_as_solving_again(void **state) {
  (void)state;
  const char *path = box_obj("scaling.obj");
  lbBuildDef def = coarse();
  lbBuildReport report;
  lbModel *scaled = build(path, &def, &report);
  lbMaterial material = lb_material();
  material.young = scaled->material_values[0];
  def.material = &material;
  def.frequency = 0;
  lbModel *solved = build(path, &def, &report);
  assert_true(report.frequency == 0 && report.material_given);
  for (int32_t i = 0; i < 6; i++)
    check_small(solved->modal_eigenvalues[i] / scaled->modal_eigenvalues[i] - 1, 1e-9);
  double worst = 0;
  for (size_t i = 0; i < 3 * (size_t)solved->size.node_count; i++)
    worst = fmax(worst, fabs(solved->modal_basis[i] - scaled->modal_basis[i]));
  check_small(worst, 1e-8);
  lb_model_destroy(scaled);
  lb_model_destroy(solved);
}

static void free_bodies_and_other_axes_can_be_asked_for(void **state) {
  (void)state;
  const char *path = box_obj("axes.obj");
  lbBuildDef def = coarse();
  lbBuildReport report;
  def.is_free = true;
  lbModel *model = build(path, &def, &report);
  assert_true(lb_model_is_free(model) && report.rigid_count == 6 && report.fixed_share == 0);
  lb_model_destroy(model);
  def.is_free = false;
  def.up = 'z';
  model = build(path, &def, &report);
  assert_int_equal(model->up[0], 2);
  for (int32_t v = 0; v < model->size.node_count; v++)
    if (model->node_fixed[v]) assert_true(model->node_positions[3 * (size_t)v + 2] < 0.05);
  lb_model_destroy(model);
}

// The lowest 5 % of a tet on its tip is one vertex, which does not hold it.
static void a_body_on_a_tip_is_held_by_more(void **state) {
  (void)state;
  lbBuildDef def = lb_build_def();
  lbBuildReport report;
  lbModel *model = NULL;
  lbError err;
  def.accuracy = LB_ACCURACY_NONE;
  const char *path = write_file(
      "tip.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n7\n0 0 0 1\n0.1 0 .15 1\n"
                  "0 0.1 .15 1\n-0.1 -0.1 .15 1\n1 0 1 1\n0 1 1 1\n-1 -1 1 1\n"
                  "Tetrahedra\n4\n1 2 3 4 1\n2 3 4 5 1\n3 4 5 6 1\n4 5 6 7 1\nEnd\n");
  check_ok(lb_build_model(path, &def, &model, &report, &err), err);
  assert_true(report.up == 'z' && report.fixed_count == 4);
  check_near(report.fixed_share, 0.2, 1e-15);
  assert_int_equal(report.mode_count, 9); // all there are
  lb_model_destroy(model);
}

static void a_scene_goes_before_the_defaults_and_the_caller_before_the_scene(void **state) {
  (void)state;
  const char *path = bar_scene("own.json", "");
  lbBuildDef def = lb_build_def();
  lbBuildReport report;
  lbModel *model = build(path, &def, &report);
  assert_true(!report.bare && report.frequency == 0 && report.damping_ratio == 0);
  assert_string_equal(model->name, "beam");
  check_near(model->material_values[0], 2e5, 0);
  check_near(model->modal_damping[0], 0.25, 0);
  check_near(model->modal_damping[1], 0.003, 0);
  assert_int_equal(report.fixed_count, 4);
  assert_int_equal(model->size.candidate_count, 20);
  lb_model_destroy(model);
  lbDiscard discard = lb_discard();
  discard.on = true;
  discard.max_force = 1e9;
  discard.frame_rate = 20;
  def.discard = &discard;
  def.mode_count = 9;
  def.damping_mass = 0.5;
  model = build(path, &def, &report);
  assert_int_equal(model->size.candidate_count, 9);
  assert_in_range(model->size.mode_count, 1, 8);
  check_near(model->modal_damping[0], 0.5, 0);
  check_near(model->modal_damping[1], 0.003, 0);
  lb_model_destroy(model);
}

static void check_refused(const char *path, const lbBuildDef *def, lbStatus status,
                          const char *part) {
  lbModel *model = NULL;
  lbError err;
  check_fails(lb_build_model(path, def, &model, NULL, &err), status, err, part);
  assert_null(model);
}

static void what_cannot_be_built_is_refused_by_name(void **state) {
  (void)state;
  lbBuildDef def = lb_build_def();
  check_refused(output_path("nowhere.obj"), &def, LB_ERR_FILE, "nowhere.obj");
  check_refused(bar_scene("frames.json", ", \"method\": \"frames\", \"frames\": "
                                         "{ \"positions\": [[99, 0, 0]] }"),
                &def, LB_ERR_ARGUMENT, "frame 0");
  def.accuracy = LB_ACCURACY_NONE;
  check_refused(write_file("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n"), &def, LB_ERR_MESH,
                "points.obj");
  def.body = "other";
  check_refused(bar_scene("named.json", ""), &def, LB_ERR_ARGUMENT, "\"other\"");
  def = lb_build_def();
  def.method = LB_METHOD_MODAL;
  def.mode_count = 10000;
  check_refused(bar_scene("many.json", ""), &def, LB_ERR_ARGUMENT, "10000 modes");
  def.mode_count = -1;
  check_refused("x.obj", &def, LB_ERR_ARGUMENT, "mode_count is -1");
  def = lb_build_def();
  def.up = 'x';
  check_refused("x.obj", &def, LB_ERR_ARGUMENT, "up is 'x'");
  def = lb_build_def();
  def.method = LB_METHOD_MODAL; // goes before the scene's
  lbModel *model = build(bar_scene("sub.json", ", \"method\": \"subspace\""), &def, NULL);
  assert_true(lb_model_has(model, LB_METHOD_MODAL));
  lb_model_destroy(model);
}

// ---- frames ------------------------------------------------------------------------------------

static void so_many_frames_are_placed_as_are_asked_for(void **state) {
  (void)state;
  lbBuildReport report;
  lbBuildDef def = lb_build_def();
  def.method = LB_METHOD_FRAMES;
  def.cells = 8;
  for (int32_t count = 0; count <= 5; count += 5) {
    def.frames = count;
    lbModel *model = build(box_obj("framed.obj"), &def, &report);
    assert_int_equal(model->size.frame_count, count ? count : 7);
    assert_false(report.modes_chosen); // none are kept
    lb_model_destroy(model);
  }
  def.frames = 3; // in place of those of a scene
  const char *placed = ", \"method\": \"frames\", \"frames\": { \"positions\": "
                       "[[0.1, 0.1, 0.1], [0.9, 0.1, 0.1]] }";
  lbModel *model = build(bar_scene("placed.json", placed), &def, &report);
  assert_int_equal(model->size.frame_count, 3);
  lb_model_destroy(model);
  def.frames = 201;
  check_refused(box_obj("framed.obj"), &def, LB_ERR_ARGUMENT, "201 frames");
  def.frames = 3;
  check_refused(bar_scene("numbered.json", ", \"method\": \"frames\", \"frames\": "
                                           "{ \"count\": 2, \"fixed\": [0] }"),
                &def, LB_ERR_ARGUMENT, "by number");
}

// ---- subspace ----------------------------------------------------------------------------------

static void a_surface_becomes_a_subspace_that_was_compared(void **state) {
  (void)state;
  lbBuildReport report;
  lbBuildDef def = lb_build_def();
  def.cells = 5;
  lbModel *model = build(box_obj("subspace.obj"), &def, &report);
  assert_true(report.method == LB_METHOD_SUBSPACE && report.method_chosen && report.basis_chosen);
  assert_true(report.dimension == 30 && report.dimension_chosen && report.mode_count == 20);
  assert_true(lb_model_has(model, LB_METHOD_SUBSPACE) && lb_model_has(model, LB_METHOD_MODAL));
  assert_int_equal(model->size.accuracy_count, 5);
  assert_string_equal(lb_model_text(model->accuracy_motions, 0), "sudden load");
  assert_non_null(strstr(model->accuracy_coverage, "quick check"));
  check_near(model->accuracy_values[2], report.accuracy->motions[0].mass_error, 0);
  check_small(model->accuracy_values[2], 0.02);
  lb_model_destroy(model);
}

// The basis is made before the stiffness is scaled: its forces must be those of the scaled body.
static void a_scaled_subspace_is_as_good_as_a_new_one(void **state) {
  (void)state;
  const char *path = box_obj("scaled.obj");
  lbBuildDef def = coarse();
  def.method = LB_METHOD_SUBSPACE;
  def.dimension = 8;
  lbModel *scaled = build(path, &def, NULL);
  lbMaterial material = lb_material();
  material.young = scaled->material_values[0];
  def.material = &material;
  def.frequency = 0;
  lbModel *solved = build(path, &def, NULL);
  double worst = 0, largest = 0;
  for (int32_t i = 0; i < scaled->size.packed4_count; i++) {
    worst = fmax(worst, fabs(fabs(scaled->subspace_cubic[i]) - fabs(solved->subspace_cubic[i])));
    largest = fmax(largest, fabs(solved->subspace_cubic[i]));
  }
  check_small(worst / largest, 1e-6);
  lb_model_destroy(scaled);
  lb_model_destroy(solved);
}

static void laws_without_polynomials_get_cubature_and_linear_ones_modes(void **state) {
  (void)state;
  lbBuildReport report;
  lbMaterial material = lb_material();
  lbBuildDef def = coarse();
  material.model = LB_MATERIAL_NEOHOOKEAN;
  def.material = &material;
  def.method = LB_METHOD_DEFAULT;
  lbModel *model = build(box_obj("rubber.obj"), &def, &report);
  assert_true(!report.law_decided && report.method == LB_METHOD_SUBSPACE && report.forces_chosen);
  assert_true(lb_model_has(model, LB_METHOD_SUBSPACE) && model->size.cubature_count > 0);
  lb_model_destroy(model);
  material.model = LB_MATERIAL_LINEAR;
  model = build(box_obj("rubber.obj"), &def, &report);
  assert_true(report.law_decided && report.method == LB_METHOD_MODAL);
  assert_false(lb_model_has(model, LB_METHOD_SUBSPACE));
  lb_model_destroy(model);
  material.model = LB_MATERIAL_NEOHOOKEAN;
  def.method = LB_METHOD_SUBSPACE;
  def.forces = LB_FORCES_POLYNOMIAL;
  check_refused(box_obj("rubber.obj"), &def, LB_ERR_UNSUPPORTED, "cubature");
  def.forces = LB_FORCES_BY_LAW;
  def.material = NULL;
  def.dimension = 10000;
  check_refused(box_obj("rubber.obj"), &def, LB_ERR_ARGUMENT, "10000");
}

// ---- saving ------------------------------------------------------------------------------------

static void check_same_arrays(const lbModel *a, const lbModel *b) {
  for (int32_t i = 0; i < lb_model_array_count(); i++) {
    lbArrayView x = lb_model_array(a, i), y = lb_model_array(b, i);
    size_t bytes = lb_array_item_bytes(x.type);
    assert_true((x.data != NULL) == (y.data != NULL));
    for (int32_t k = 0; k < x.rank; k++) {
      assert_int_equal(x.shape[k], y.shape[k]);
      bytes *= (size_t)x.shape[k];
    }
    if (x.data && strcmp(x.name, "texture.ranges") != 0) assert_memory_equal(x.data, y.data, bytes);
  }
}

static void a_saved_model_comes_back_and_is_a_gltf_scene(void **state) {
  (void)state;
  const char *input = box_obj("saved.obj"), *path = output_path("saved.glb");
  lbBuildDef def = coarse();
  lbModel *model = build(input, &def, NULL), *loaded = NULL;
  lbMesh *seen = NULL;
  lbError err;
  check_ok(lb_build_save((const lbModel *const *)&model, 1, NULL, path, &err), err);
  assert_true(lb_model_is_model_file(path));
  check_ok(lb_model_load(path, &loaded, &err), err);
  check_same_arrays(model, loaded);
  check_ok(lb_mesh_load(path, &seen, &err), err);
  assert_int_equal(seen->triangle_count, 12);
  lb_mesh_destroy(seen);

  // Saved again through the build side from what was loaded: the same bytes.
  char *first, *second;
  size_t bytes, more;
  const char *again = output_path("again.glb");
  check_ok(lb_build_save((const lbModel *const *)&loaded, 1, NULL, again, &err), err);
  check_ok(lb_file_read(path, &first, &bytes, &err), err);
  check_ok(lb_file_read(again, &second, &more, &err), err);
  assert_int_equal(bytes, more);
  assert_memory_equal(first, second, bytes);
  lb_free(first);
  lb_free(second);
  lb_model_destroy(loaded);
  lb_model_destroy(model);
}

static void a_world_places_its_models(void **state) {
  (void)state;
  const char *path = output_path("world.glb");
  lbBuildDef def = coarse();
  lbModel *models[2] = { build(box_obj("left.obj"), &def, NULL),
                         build(bar_scene("right.json", ""), &def, NULL) };
  const lbWorldDef world = {
    .size = { .body_count = 3 },
    .gravity = (const double[]){ 0, 0, -9.81 },
    .time_step = (const double[]){ 0.01 },
    .step_count = (const int32_t[]){ 7 },
    .body_names = "a\0b\0c",
    .body_models = (const int32_t[]){ 0, 1, 0 },
    .body_methods = (const int32_t[]){ 1, 1, 1 }, // modal
    .body_positions = (const double[]){ 0, 0, 0, 1, 2, 3, 4, 5, 6 },
    .body_rotations = (const double[]){ 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.6, 0, 0.8 },
    .body_linear_velocities = (const double[9]){ 0 },
    .body_angular_velocities = (const double[9]){ 0 },
  };
  lbBundle *bundle = NULL;
  lbMesh *seen = NULL;
  lbError err;
  check_ok(lb_build_save((const lbModel *const *)models, 2, &world, path, &err), err);
  check_ok(lb_bundle_load(path, &bundle, &err), err);
  assert_int_equal(bundle->model_count, 2);
  for (int i = 0; i < 2; i++) check_same_arrays(models[i], bundle->models[i]);
  assert_non_null(bundle->world);
  assert_string_equal(lb_model_text(bundle->world->body_names, 2), "c");
  check_near(bundle->world->body_positions[7], 5, 0);
  check_ok(lb_mesh_load(path, &seen, &err), err);
  assert_int_equal(seen->triangle_count, 12 + 12 + models[1]->size.triangle_count);
  lb_mesh_destroy(seen);
  lb_bundle_destroy(bundle);
  for (int i = 0; i < 2; i++) lb_model_destroy(models[i]);
}

static void saving_where_nothing_can_be_written_fails(void **state) {
  (void)state;
  lbBuildDef def = coarse();
  lbModel *model = build(box_obj("unsaved.obj"), &def, NULL);
  lbError err;
  check_fails(lb_build_save((const lbModel *const *)&model, 1, NULL,
                            output_path("no/such/folder/x.glb"), &err),
              LB_ERR_FILE, err, "x.glb");
  check_fails(lb_build_save(NULL, 0, NULL, "x.glb", &err), LB_ERR_ARGUMENT, err, "no model");
  lb_model_destroy(model);
}

static void every_failing_allocation_of_a_build_is_reported(void **state) {
  (void)state;
  const char *input = bar_scene("memory.json", ""), *path = output_path("memory.glb");
  lbBuildDef def = lb_build_def();
  def.mode_count = 2;
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lbError err;
  lbStatus status = LB_ERR_MEMORY;
  int64_t n = 0;
  remove(path);
  for (; status == LB_ERR_MEMORY && n < 100000; n++) {
    lbModel *model = NULL;
    heap = (CheckedHeap){ .fail_at = n };
    lb_set_allocator(&allocator);
    status = lb_build_model(input, &def, &model, NULL, &err);
    if (!status) status = lb_build_save((const lbModel *const *)&model, 1, NULL, path, &err);
    lb_model_destroy(model);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    assert_int_equal(lb_file_exists(path), status == LB_OK);
  }
  check_ok(status, err);
  assert_true(n > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_bare_surface_gets_the_documented_choices),
    cmocka_unit_test(scaling_the_stiffness_is_as_good_as_solving_again),
    cmocka_unit_test(free_bodies_and_other_axes_can_be_asked_for),
    cmocka_unit_test(a_body_on_a_tip_is_held_by_more),
    cmocka_unit_test(a_scene_goes_before_the_defaults_and_the_caller_before_the_scene),
    cmocka_unit_test(what_cannot_be_built_is_refused_by_name),
    cmocka_unit_test(so_many_frames_are_placed_as_are_asked_for),
    cmocka_unit_test(a_surface_becomes_a_subspace_that_was_compared),
    cmocka_unit_test(a_scaled_subspace_is_as_good_as_a_new_one),
    cmocka_unit_test(laws_without_polynomials_get_cubature_and_linear_ones_modes),
    cmocka_unit_test(a_saved_model_comes_back_and_is_a_gltf_scene),
    cmocka_unit_test(a_world_places_its_models),
    cmocka_unit_test(saving_where_nothing_can_be_written_fails),
    cmocka_unit_test(every_failing_allocation_of_a_build_is_reported),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  lb_accuracy_destroy(kept_accuracy);
  return failed;
}
