// What a scene tells a viewer: title, what to try, view, ground, and how bodies look.
#include "scene_text.h"

static const char two_tets[] = "*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n"
                               "*ELEMENTS\nTETS\n2 4 0\n1 1 2 3 4\n2 2 3 4 5\n"
                               "*MATERIAL soft\nENU, 500, 1E4, 0.3\n*SET first\n1\n*SET second\n2\n"
                               "*REGION\nallElements, soft\n";

// A tet with a physical surface, the face below.
static const char one_tet[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                              "$PhysicalNames\n2\n2 7 \"below\"\n3 1 \"all\"\n$EndPhysicalNames\n"
                              "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
                              "$Elements\n2\n1 2 2 7 1 1 3 2\n2 4 2 1 1 1 2 3 4\n$EndElements\n";

static const char painted_obj[] = "mtllib painted.mtl\n"
                                  "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                  "g base\nusemtl red\nf 1 3 2\ng side\nusemtl dull\nf 1 2 4\n"
                                  "f 1 4 3\nf 2 3 4\n";
static const char painted_mtl[] = "newmtl red\nKd 1 0 0\nnewmtl dull\nKd 0.5 0.5 0.5\n";

static void a_scene_has_a_title_a_hint_and_a_view(void **state) {
  (void)state;
  lbScene *scene = scene_of(SCENE_WITH(
      "'title':'Bar','try':'Pull its end.','view':{'from':[3,-4,2],'at':[0,0,0.5],'fov':50,"
      "'ground':-0.25}"));
  assert_string_equal(scene->title, "Bar");
  assert_string_equal(scene->hint, "Pull its end.");
  assert_true(scene->view.placed);
  check_near(scene->view.from[1], -4, 0);
  check_near(scene->view.at[2], 0.5, 0);
  check_near(scene->view.fov, 50, 0);
  assert_int_equal(scene->view.ground, LB_GROUND_HEIGHT);
  check_near(scene->view.ground_height, -0.25, 0);
  lb_scene_destroy(scene);
  scene = scene_of(SCENE_WITH("'view':{'ground':false}"));
  assert_int_equal(scene->view.ground, LB_GROUND_NONE);
  assert_false(scene->view.placed);
  lb_scene_destroy(scene);
  scene = scene_of(SCENE_WITH("'loads':[]"));
  assert_null(scene->title);
  assert_null(scene->hint);
  assert_int_equal(scene->view.ground, LB_GROUND_CHOSEN);
  check_near(scene->view.fov, 35, 0);
  lb_scene_destroy(scene);
}

static const lbAppearance *appearance_of(const lbSceneBody *body, int32_t triangle) {
  int32_t look = body->surface->triangle_appearances[triangle];
  return look < 0 ? NULL : &body->surface->appearances[look];
}

static void one_look_paints_the_whole_surface(void **state) {
  (void)state;
  static const char *const colors[] = { "[1,0.5,0]", "'#ff8000'" };
  for (int c = 0; c < 2; c++) {
    char text[400];
    snprintf(text, sizeof text, BODY_WITH("'look':{'color':%s,'metal':0.25,'roughness':0.5}"),
             colors[c]);
    lbScene *scene = scene_of(text);
    const lbSceneBody *body = scene->bodies;
    assert_int_equal(body->surface->appearance_count, 1);
    for (int32_t t = 0; t < body->surface->triangle_count; t++) {
      const lbAppearance *look = appearance_of(body, t);
      assert_non_null(look);
      check_near(look->base_color[0], 1, 0);
      check_near(look->base_color[1], 0.2140, c ? 2e-3 : 1e-4); // sRGB 0.5 is 0.214 of the light
      check_near(look->base_color[2], 0, 0);
      check_near(look->metallic, 0.25, 0);
      check_near(look->roughness, 0.5, 0);
    }
    lb_scene_destroy(scene);
  }
}

// A mesh without a surface gets its boundary; a triangle belongs to the element it lies on.
static void looks_go_by_groups_of_elements(void **state) {
  (void)state;
  write_text("two.veg", two_tets);
  lbScene *scene = scene_of("{'limber':1,'bodies':[{'mesh':'two.veg','look':[{'color':[1,1,1]},"
                            "{'group':'second','color':[1,0,0]}]}]}");
  const lbSceneBody *body = scene->bodies;
  assert_int_equal(body->surface->triangle_count, 6);
  assert_false(body->surface_ids);
  int32_t red = 0;
  for (int32_t t = 0; t < 6; t++) {
    bool second = false; // one of its corners is (1, 1, 1)
    for (int i = 0; i < 3; i++) {
      int32_t v = body->surface->triangles[3 * t + i];
      second |= body->surface->positions[3 * v] + body->surface->positions[3 * v + 1] > 1.5;
    }
    assert_int_equal(appearance_of(body, t)->base_color[1] == 0, second);
    red += second;
  }
  assert_int_equal(red, 3);
  lb_scene_destroy(scene);
}

static void looks_go_by_groups_of_the_meshs_own_triangles(void **state) {
  (void)state;
  write_text("one.msh", one_tet);
  lbScene *scene = scene_of("{'limber':1,'bodies':[{'mesh':'one.msh','material':{},'look':["
                            "{'group':7,'roughness':0.125}]}]}");
  const lbSceneBody *body = scene->bodies;
  int32_t painted = 0;
  for (int32_t t = 0; t < 4; t++) {
    bool below = true;
    for (int i = 0; i < 3; i++)
      below &= body->surface->positions[3 * body->surface->triangles[3 * t + i] + 2] == 0;
    assert_int_equal(appearance_of(body, t) != NULL, below);
    painted += below;
  }
  assert_int_equal(painted, 1);
  lb_scene_destroy(scene);
}

// What an entry does not say stays as the file has it.
static void looks_go_before_the_files_only_where_they_are_given(void **state) {
  (void)state;
  write_text("painted.obj", painted_obj);
  write_text("painted.mtl", painted_mtl);
  lbScene *scene =
      scene_of("{'limber':1,'bodies':[{'mesh':{'surface':'painted.obj','voxelise':2},"
               "'material':{},'look':[{'group':'side','color':'#0000ff'},{'metal':1}]}]}");
  const lbSceneBody *body = scene->bodies;
  int32_t blue = 0;
  for (int32_t t = 0; t < 4; t++) {
    const lbAppearance *look = appearance_of(body, t);
    bool side = look->base_color[2] == 1;
    check_near(look->metallic, 1, 0);
    check_near(look->base_color[0], side ? 0 : 1, 0);
    assert_string_equal(look->name, side ? "dull" : "red");
    blue += side;
  }
  assert_int_equal(blue, 3);
  lb_scene_destroy(scene);
}

static void looks_are_in_the_model(void **state) {
  (void)state;
  lbScene *scene = scene_of(BODY_WITH(
      "'look':{'color':'#0000ff'},'method':'modal','fixed':{'group':'left'},'reduce':{'modes':2}"));
  lbModel *model = NULL;
  lbError err;
  check_ok(lb_scene_model(scene->bodies, &model, &err), err);
  assert_int_equal(model->size.appearance_count, 1);
  check_near(model->appearance_colors[2], 1, 0);
  check_near(model->appearance_colors[0], 0, 0);
  assert_int_equal(model->triangle_appearances[0], 0);
  lb_model_destroy(model);
  lb_scene_destroy(scene);
}

static void what_makes_no_sense_is_refused(void **state) {
  (void)state;
  static const char *const cases[][2] = {
    { SCENE_WITH("'titl':'a'"), "did you mean \"title\"?" },
    { SCENE_WITH("'title':3"), "title: is 3, it must be a text" },
    { SCENE_WITH("'try':'a\\nb'"), "try: must be one line" },
    { SCENE_WITH("'view':3"), "view: must be an object" },
    { SCENE_WITH("'view':{'form':[0,0,0]}"), "did you mean \"from\"?" },
    { SCENE_WITH("'view':{'from':[0,0,0]}"), "needs \"from\" and \"at\" together" },
    { SCENE_WITH("'view':{'from':[0,0,0],'at':[0,0,0]}"), "are the same place" },
    { SCENE_WITH("'view':{'from':[0,0],'at':[0,0,0]}"), "view.from: is [0,0]" },
    { SCENE_WITH("'view':{'fov':0}"), "view.fov: is 0, it must be from 1 to 170" },
    { SCENE_WITH("'view':{'ground':true}"), "view.ground: must be a height in m, or false" },
    { BODY_WITH("'look':3"), "look: must be an object" },
    { BODY_WITH("'look':{}"), "look: is empty" },
    { BODY_WITH("'look':{'colr':'#ffffff'}"), "did you mean \"color\"?" },
    { BODY_WITH("'look':{'color':'#fffff'}"), "color: must be three numbers" },
    { BODY_WITH("'look':{'color':'#ggffff'}"), "color: must be three numbers" },
    { BODY_WITH("'look':{'color':[1,1,2]}"), "color: must be three numbers from 0 to 1" },
    { BODY_WITH("'look':{'color':[1,1]}"), "a list of 3 numbers" },
    { BODY_WITH("'look':{'metal':1.5}"), "look.metal: is 1.5, it must be from 0 to 1" },
    { BODY_WITH("'look':{'group':'x','metal':1}"), "only a list of looks can have groups" },
    { BODY_WITH("'look':[{'group':'x','metal':1}]"), "look[0].group: there is no such group" },
    { "{'limber':1,'bodies':[{'model':'a.glb','look':{'metal':1}}]}", "look: a body with a" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_refused(cases[i][0], cases[i][1]);
}

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  write_text("one.msh", one_tet);
  write_text("look.json",
             "{\"limber\":1,\"title\":\"a\",\"try\":\"b\",\"bodies\":[{\"mesh\":\"one.msh\","
             "\"material\":{},\"look\":[{\"metal\":1},{\"group\":\"all\",\"metal\":0},"
             "{\"group\":\"below\",\"color\":\"#123456\"}]}]}");
  lbStatus status = LB_ERR_MEMORY;
  int64_t n = 0;
  for (; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbScene *scene = NULL;
    lbError err;
    lb_set_allocator(&allocator);
    status = lb_scene_load(output_path("look.json"), NULL, &scene, &err);
    if (status) assert_null(scene);
    lb_scene_destroy(scene);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status && status != LB_ERR_MEMORY) fail_msg("allocation %d: %s", (int)n, err.text);
  }
  print_message("  %d allocations\n", (int)n - 1);
  assert_true(n > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_scene_has_a_title_a_hint_and_a_view),
    cmocka_unit_test(one_look_paints_the_whole_surface),
    cmocka_unit_test(looks_go_by_groups_of_elements),
    cmocka_unit_test(looks_go_by_groups_of_the_meshs_own_triangles),
    cmocka_unit_test(looks_go_before_the_files_only_where_they_are_given),
    cmocka_unit_test(looks_are_in_the_model),
    cmocka_unit_test(what_makes_no_sense_is_refused),
    cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
