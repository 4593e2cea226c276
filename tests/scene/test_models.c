// Reduced bodies in scenes: "reduce", models made from bodies, models read from files.
#include "scene_text.h"

#define HELD "{'limber':1,'bodies':[{'name':'bar'," BAR ",'material':{},'fixed':{'group':'left'},"
#define MODAL_BAR HELD "'method':'modal','reduce':{'modes':6}}]}"

static lbModel *model_of(const char *text) {
  lbScene *scene = scene_of(text);
  lbModel *model = NULL;
  lbError err;
  check_ok(lb_scene_model(scene->bodies, &model, &err), err);
  lb_scene_destroy(scene);
  return model;
}

static void save_model(const char *text, const char *name) {
  lbModel *model = model_of(text);
  lbError err;
  check_ok(lb_model_save(model, output_path(name), &err), err);
  lb_model_destroy(model);
}

static void values_of_reduce_are_taken_over(void **state) {
  (void)state;
  lbScene *scene = scene_of(BODY_WITH("'method':'modal'"));
  const lbModalDef *modal = &scene->bodies[0].modal;
  assert_int_equal(scene->bodies[0].method, LB_METHOD_MODAL);
  assert_int_equal(modal->mode_count, 0);
  assert_false(modal->discard.on);
  lb_scene_destroy(scene);
  scene = scene_of(BODY_WITH("'method':'modal','reduce':{'modes':7,'discard':{'max_force':10,"
                             "'min_resolution':0.5,'frame_rate':120,'amplitude':'norm'}}"));
  modal = &scene->bodies[0].modal;
  assert_int_equal(modal->mode_count, 7);
  assert_true(modal->discard.on && modal->discard.norm);
  check_near(modal->discard.max_force, 10, 0);
  check_near(modal->discard.min_resolution, 0.5, 0);
  check_near(modal->discard.frame_rate, 120, 0);
  lb_scene_destroy(scene);
  static const struct {
    const char *text;
    bool on;
  } cases[] = { { BODY_WITH("'reduce':{'discard':true}"), true },
                { BODY_WITH("'reduce':{'discard':false}"), false },
                { BODY_WITH("'reduce':{'discard':{}}"), true } };
  for (size_t i = 0; i < 3; i++) {
    scene = scene_of(cases[i].text);
    assert_int_equal(scene->bodies[0].modal.discard.on, cases[i].on);
    check_near(scene->bodies[0].modal.discard.frame_rate, lb_discard().frame_rate, 0);
    lb_scene_destroy(scene);
  }
}

static int note_count;
static void count_notes(lbLogLevel level, const char *text, void *context) {
  (void)context;
  note_count += level == LB_LOG_WARNING && strstr(text, "is ignored") != NULL;
}

static void keys_of_other_methods_are_warned_of(void **state) {
  (void)state;
  static const char *const texts[] = {
    BODY_WITH(
        "'method':'modal','reduce':{'basis':'derivatives','dimension':3,'forces':'cubature'}"),
    BODY_WITH("'method':'subspace','reduce':{'basis':'derivatives','dimension':3}"),
    BODY_WITH("'method':'modal','reduce':{'modes':3}"),
    BODY_WITH("'method':'subspace','reduce':{'forces':'polynomial','elements':7}"),
  };
  static const int notes[] = { 3, 0, 0, 1 };
  for (int i = 0; i < 4; i++) {
    note_count = 0;
    lb_set_log(count_notes, NULL);
    lb_scene_destroy(scene_of(texts[i]));
    lb_set_log(NULL, NULL);
    assert_int_equal(note_count, notes[i]);
  }
}

static void up_is_that_of_the_file(void **state) {
  (void)state;
  write_text("tetra.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  lbScene *scene = scene_of("{'limber':1,'bodies':[{'name':'a','mesh':{'surface':'tetra.obj',"
                            "'voxelise':2},'material':{}}," BODY "]}");
  assert_int_equal(scene->bodies[0].up, 'y');
  assert_int_equal(scene->bodies[1].up, 'z');
  lb_scene_destroy(scene);
}

// ---- models made from bodies -------------------------------------------------------------------

static void a_model_is_in_the_bodys_own_axes(void **state) {
  (void)state;
  lbModel *plain = model_of(MODAL_BAR);
  lbModel *placed = model_of(HELD "'method':'modal','reduce':{'modes':6},'position':[1,2,3],"
                                  "'rotation':[1,2,3,4],'velocity':{'linear':[1,0,0]}}]}");
  assert_int_equal(plain->size.mode_count, 6);
  assert_int_equal(plain->up[0], 2);
  assert_string_equal(plain->name, "bar");
  for (int32_t i = 0; i < lb_model_array_count(); i++) {
    lbArrayView a = lb_model_array(plain, i), b = lb_model_array(placed, i);
    assert_int_equal(a.data == NULL, b.data == NULL);
    size_t bytes = lb_array_item_bytes(a.type);
    for (int32_t k = 0; k < a.rank; k++) bytes *= (size_t)a.shape[k];
    if (a.data && memcmp(a.data, b.data, bytes) != 0) fail_msg("%s differs", a.name);
  }
  lb_model_destroy(plain);
  lb_model_destroy(placed);
}

static void twenty_modes_are_kept_or_as_many_as_there_are(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int32_t count;
  } cases[] = {
    { HELD "'method':'modal'}]}", 20 },
    { BODY_WITH("'fixed':[{'group':'left'},{'group':'right'}],'method':'modal'"), 12 },
    { "{'limber':1,'bodies':[{'mesh':{'generate':'bar','cells':[1,1,1]},'material':{},'method':"
      "'modal'}]}",
      18 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lbModel *model = model_of(cases[i].text);
    assert_int_equal(model->size.mode_count, cases[i].count);
    lb_model_destroy(model);
  }
}

static void a_subspace_is_made_as_the_scene_says(void **state) {
  (void)state;
  lbModel *model = model_of(HELD "'method':'subspace'}]}"); // 20 modes, r = 30, fewer if need be
  assert_true(lb_model_has(model, LB_METHOD_SUBSPACE) && lb_model_has(model, LB_METHOD_MODAL));
  assert_in_range(model->size.subspace_dimension, 20, 30);
  lb_model_destroy(model);
  model = model_of(HELD "'method':'subspace','reduce':{'basis':'linear','dimension':4,"
                        "'forces':'polynomial'}}]}");
  assert_int_equal(model->size.subspace_dimension, 4);
  lb_model_destroy(model);
  model = model_of(HELD "'method':'subspace','reduce':{'modes':3,'dimension':5,'metric':'lumped',"
                        "'editable':true}}]}");
  assert_int_equal(model->size.subspace_dimension, 5);
  assert_int_equal(model->size.mode_count, 3);
  assert_int_equal(model->size.subspace_part_count, 2);
  lb_model_destroy(model);
  write_text("three.json", "{\"limber_sketch\":1,\"loads\":[{\"vertex\":2,\"force\":[0,0,-9]},"
                           "{\"vertex\":2,\"force\":[0,5,0]},{\"vertex\":5,\"force\":[9,0,3]}]}");
  model = model_of(HELD "'method':'subspace','reduce':{'basis':{'sketch':'three.json'},"
                        "'dimension':3}}]}");
  assert_int_equal(model->size.subspace_dimension, 3);
  assert_false(lb_model_has(model, LB_METHOD_MODAL));
  lb_model_destroy(model);
}

static void wrong_subspaces_are_refused(void **state) {
  (void)state;
  check_refused(BODY_WITH("'method':'subspace','reduce':{'basis':'derivative'}"), "derivatives");
  check_refused(BODY_WITH("'method':'subspace','reduce':{'basis':'sketch'}"), "sketch");
  check_refused(BODY_WITH("'method':'subspace','reduce':{'basis':{'file':''}}"), "is empty");
  check_refused(BODY_WITH("'method':'subspace','reduce':{'basis':{}}"), "either");
  check_refused(BODY_WITH("'method':'subspace','reduce':{'dimension':0}"), "dimension");
  check_refused(BODY_WITH("'method':'subspace','reduce':{'editable':1}"), "true or false");
  check_refused(BODY_WITH("'method':'subspace','reduce':{'forces':'cubatures'}"), "cubature");
}

static void wrong_cubatures_are_refused(void **state) {
  (void)state;
  check_refused(BODY_WITH("'method':'subspace','reduce':{'elements':0}"), "1 or more");
  check_refused(BODY_WITH("'method':'subspace','reduce':{'elements':'every'}"), "\"all\"");
  check_refused(BODY_WITH("'method':'subspace','reduce':{'error':-0.1}"), "negative");
  check_refused(BODY_WITH("'method':'subspace','reduce':{'poses':0}"), "from 1 to");
  check_refused(BODY_WITH("'method':'subspace','reduce':{'amplitude':0}"), "positive");
  check_refused(BODY_WITH("'method':'subspace','reduce':{'seed':-1}"), "0 or more");
  check_refused(BODY_WITH("'method':'subspace','reduce':{'selection':'greed'}"), "greedy");
}

static void keys_of_cubature_are_read(void **state) {
  (void)state;
  lbScene *scene = scene_of(
      BODY_WITH("'method':'subspace','reduce':{'forces':'cubature','elements':15,'error':0.05,"
                "'poses':40,'amplitude':0.3,'seed':7,'selection':'greedy_fast'}"));
  const lbSubspaceDef *s = &scene->bodies[0].subspace;
  assert_int_equal(s->forces, LB_FORCES_CUBATURE);
  assert_int_equal(s->cubature.element_limit, 15);
  assert_int_equal(s->cubature.pose_count, 40);
  assert_int_equal(s->cubature.seed, 7);
  assert_int_equal(s->cubature.selection, LB_CUBATURE_GREEDY_FAST);
  check_near(s->cubature.error, 0.05, 0);
  check_near(s->cubature.amplitude, 0.3, 0);
  lb_scene_destroy(scene);
  scene = scene_of(BODY_WITH("'method':'subspace','reduce':{'elements':'all'}"));
  assert_int_equal(scene->bodies[0].subspace.forces, LB_FORCES_CUBATURE); // its key asks for it
  assert_true(scene->bodies[0].subspace.cubature.all);
  lb_scene_destroy(scene);
  scene = scene_of(BODY_WITH("'method':'subspace','reduce':{'forces':'polynomial'}"));
  assert_int_equal(scene->bodies[0].subspace.forces, LB_FORCES_POLYNOMIAL);
  lb_scene_destroy(scene);
  scene = scene_of(BODY_WITH("'method':'subspace'"));
  assert_int_equal(scene->bodies[0].subspace.forces, LB_FORCES_BY_LAW);
  lb_scene_destroy(scene);
}

static void methods_without_a_model_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
    lbStatus status;
  } cases[] = {
    { BODY_WITH("'method':'full'"), "\"full\" has no model", LB_ERR_ARGUMENT },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lbScene *scene = scene_of(cases[i].text);
    lbModel *model = NULL;
    lbError err;
    check_fails(lb_scene_model(scene->bodies, &model, &err), cases[i].status, err, cases[i].part);
    assert_null(model);
    lb_scene_destroy(scene);
  }
}

// Ids mean the same whether a body has a mesh with a method or the model made from it.
static void check_ids(const char *mesh_text, const char *file) {
  lbScene *by_mesh = scene_of(mesh_text), *by_model;
  lbModel *model = NULL;
  lbError err;
  char text[200];
  check_ok(lb_scene_model(by_mesh->bodies, &model, &err), err);
  check_ok(lb_model_save(model, output_path(file), &err), err);
  snprintf(text, sizeof text, "{'limber':1,'bodies':[{'name':'bar','model':'%s'}]}", file);
  by_model = scene_of(text);
  int32_t count = lb_scene_vertex_count(by_mesh->bodies);
  assert_int_equal(lb_scene_vertex_count(by_model->bodies), count);
  assert_int_equal(by_model->bodies[0].surface_ids, by_mesh->bodies[0].surface_ids);
  uint64_t seed = 1;
  size_t values = 3 * (size_t)model->size.node_count;
  double *u = calloc(values, sizeof(double));
  for (size_t i = 0; i < values; i++) u[i] = check_random(&seed);
  for (int32_t v = 0; v < count; v++) {
    double a[2][3], b[2][3];
    lbPointKind kinds[2];
    int32_t points[2];
    lb_scene_vertex(by_mesh->bodies, v, u, a[0], a[1]);
    lb_scene_vertex(by_model->bodies, v, u, b[0], b[1]);
    for (int i = 0; i < 6; i++) check_near(a[i / 3][i % 3], b[i / 3][i % 3], 1e-14);
    assert_true(lb_scene_point(by_mesh->bodies, model, v, &kinds[0], &points[0]));
    assert_true(
        lb_scene_point(by_model->bodies, by_model->bodies[0].model, v, &kinds[1], &points[1]));
    assert_int_equal(kinds[0], kinds[1]);
    assert_int_equal(points[0], points[1]);
  }
  snprintf(text, sizeof text, "{'limber':1,'bodies':[{'model':'%s'}],'probes':[{'vertex':%d}]}",
           file, (int)count);
  check_refused(text, "vertices (counted from 0)");
  free(u);
  lb_model_destroy(model);
  lb_scene_destroy(by_mesh);
  lb_scene_destroy(by_model);
}

static void vertex_ids_of_a_model_are_those_of_its_object(void **state) {
  (void)state;
  write_text("ball.obj",
             "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\n"
             "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n");
  write_text("one.veg", "*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n"
                        "*ELEMENTS\nTETS\n2 4 0\n1 1 2 3 4\n2 2 3 4 5\n");
  check_ids(MODAL_BAR, "ids-shape.glb"); // its surface is finer than its mesh, which is counted
  check_ids("{'limber':1,'bodies':[{'mesh':'one.veg','material':{},'fixed':{'vertices':[0,1]},"
            "'method':'modal','reduce':{'modes':3}}]}",
            "ids-volume.glb");
  check_ids("{'limber':1,'bodies':[{'mesh':{'surface':'ball.obj','voxelise':3},'material':{},"
            "'fixed':{'vertices':[5]},'method':'modal','reduce':{'modes':3}}]}",
            "ids-surface.glb");
}

static void failed_allocations_in_making_a_model_are_reported(void **state) {
  (void)state;
  lbScene *scene = scene_of("{'limber':1,'bodies':[{'mesh':{'generate':'bar','cells':[1,1,1]},"
                            "'material':{},'fixed':{'group':'left'},'method':'modal'}]}");
  lbStatus status = LB_ERR_MEMORY;
  int64_t n = 0;
  for (; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbModel *model = NULL;
    lbError err;
    lb_set_allocator(&allocator);
    status = lb_scene_model(scene->bodies, &model, &err);
    lb_model_destroy(model);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status && status != LB_ERR_MEMORY) fail_msg("allocation %d: %s", (int)n, err.text);
  }
  print_message("  %d allocations\n", (int)n - 1);
  lb_scene_destroy(scene);
}

// ---- models read from files --------------------------------------------------------------------

static void bodies_of_one_file_share_its_model(void **state) {
  (void)state;
  save_model(MODAL_BAR, "shared.glb");
  lbScene *scene = scene_of(
      "{'limber':1,'bodies':[{'name':'a','model':'shared.glb','instances':2},"
      "{'name':'b','model':'shared.glb','method':'modal','position':[1,0,0]},"
      "{'name':'c','model':'shared.glb','damping':{'mass':0.5}},"
      "{'name':'d','model':'shared.glb','damping':{'mass':0.5},'velocity':{'linear':[0,0,1]}},"
      "{'name':'e','model':'shared.glb','damping':{'stiffness':0.5}}]}");
  static const int32_t twins[] = { -1, 0, 0, -1, 3, -1 };
  for (int i = 0; i < 6; i++) {
    const lbSceneBody *body = &scene->bodies[i];
    assert_int_equal(body->twin, twins[i]);
    assert_int_equal(body->method, LB_METHOD_MODAL);
    assert_null(body->mesh);
    if (twins[i] >= 0) assert_ptr_equal(body->model, scene->bodies[twins[i]].model);
  }
  check_near(scene->bodies[2].position[0], 1, 0);
  check_near(scene->bodies[4].linear_velocity[2], 1, 0);
  const double expected[3][2] = { { 0, 0 }, { 0.5, 0 }, { 0, 0.5 } };
  static const int owners[] = { 0, 3, 5 };
  for (int i = 0; i < 6; i++)
    check_near(scene->bodies[owners[i / 2]].model->modal_damping[i % 2], expected[i / 2][i % 2], 0);
  lbFem *fem = NULL;
  lbModel *copy = NULL;
  lbError err;
  check_fails(lb_scene_fem(scene->bodies, &fem, &err), LB_ERR_UNSUPPORTED, err, "model file");
  check_ok(lb_scene_model(scene->bodies, &copy, &err), err);
  assert_ptr_not_equal(copy, scene->bodies[0].model);
  lb_model_destroy(copy);
  lb_scene_destroy(scene);
}

static void model_files_that_do_not_fit_are_refused(void **state) {
  (void)state;
  save_model(MODAL_BAR, "fit.glb");
  check_refused("{'limber':1,'bodies':[{'model':'fit.glb','method':'full'}]}",
                "method: the model does not have \"full\", use \"modal\" or name its \"mesh\"");
  check_refused("{'limber':1,'bodies':[{'model':'fit.glb','method':'warp'}]}",
                "does not have \"warp\", use \"modal\"");
  check_refused("{'limber':1,'bodies':[{'model':'fit.glb','method':'recorded'}]}",
                "does not have \"recorded\", use \"modal\"");
  check_refused("{'limber':1,'bodies':[{'mesh':'x.msh','method':'recorded'}]}",
                "\"recorded\" needs a \"model\" that has a recording");
  check_refused("{'limber':1,'bodies':[{'model':'fit.glb','damping':{'mass':-1}}]}", "negative");
  lbScene *scene;
  lbError err;
  check_fails(read_scene_text("{'limber':1,'bodies':[{'model':'not-here.glb'}]}", &scene, &err),
              LB_ERR_FILE, err, "not-here.glb");
  write_text("broken.glb", "glTF and then nothing of the kind");
  check_refused("{'limber':1,'bodies':[{'model':'broken.glb'}]}", "broken.glb");
}

static void a_model_file_alone_is_a_scene_under_gravity(void **state) {
  (void)state;
  save_model(MODAL_BAR, "alone.glb");
  lbScene *scene = NULL;
  lbError err;
  check_ok(lb_scene_load(output_path("alone.glb"), NULL, &scene, &err), err);
  assert_int_equal(scene->body_count, 1);
  assert_string_equal(scene->bodies[0].name, "bar");
  assert_int_equal(scene->bodies[0].method, LB_METHOD_MODAL);
  check_near(scene->gravity[2], -9.81, 0);
  check_near(scene->time_step, 1.0 / 120, 0);
  assert_int_equal(scene->step_count, 240);
  lb_scene_destroy(scene);
}

static void every_failed_allocation_with_models_is_reported(void **state) {
  (void)state;
  save_model(MODAL_BAR, "heap.glb");
  write_text("heap.json",
             "{\"limber\":1,\"bodies\":[{\"name\":\"a\",\"model\":\"heap.glb\"},{\"name\":\"b\","
             "\"model\":\"heap.glb\",\"damping\":{\"mass\":1},\"instances\":2}]}");
  static const char *const names[] = { "heap.json", "heap.glb" };
  for (int i = 0; i < 2; i++) {
    lbStatus status = LB_ERR_MEMORY;
    for (int64_t n = 0; status; n++) {
      CheckedHeap heap = { .fail_at = n };
      lbAllocator allocator = checked_allocator(&heap);
      lbScene *scene = NULL;
      lbError err;
      lb_set_allocator(&allocator);
      status = lb_scene_load(output_path(names[i]), NULL, &scene, &err);
      lb_scene_destroy(scene);
      lb_set_allocator(NULL);
      assert_int_equal(heap.live, 0);
      if (status && status != LB_ERR_MEMORY) fail_msg("allocation %d: %s", (int)n, err.text);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_of_reduce_are_taken_over),
    cmocka_unit_test(keys_of_other_methods_are_warned_of),
    cmocka_unit_test(up_is_that_of_the_file),
    cmocka_unit_test(a_model_is_in_the_bodys_own_axes),
    cmocka_unit_test(twenty_modes_are_kept_or_as_many_as_there_are),
    cmocka_unit_test(a_subspace_is_made_as_the_scene_says),
    cmocka_unit_test(wrong_subspaces_are_refused),
    cmocka_unit_test(wrong_cubatures_are_refused),
    cmocka_unit_test(keys_of_cubature_are_read),
    cmocka_unit_test(methods_without_a_model_are_refused),
    cmocka_unit_test(vertex_ids_of_a_model_are_those_of_its_object),
    cmocka_unit_test(failed_allocations_in_making_a_model_are_reported),
    cmocka_unit_test(bodies_of_one_file_share_its_model),
    cmocka_unit_test(model_files_that_do_not_fit_are_refused),
    cmocka_unit_test(a_model_file_alone_is_a_scene_under_gravity),
    cmocka_unit_test(every_failed_allocation_with_models_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
