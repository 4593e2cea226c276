// The mesh builder: groups, winding, refusals that name the culprit, attributes, failing memory.
#include "check.h"
#include "mesh/builder.h"

static const double corners[8][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 },
                                      { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 } };

static void add_corners(lbMeshBuilder *builder) {
  for (int i = 0; i < 8; i++)
    lb_mesh_add_vertex(builder, corners[i][0], corners[i][1], corners[i][2]);
}

static lbMesh *finish(lbMeshBuilder *builder) {
  lbMesh *mesh = NULL;
  lbError err = { 0 };
  check_ok(lb_mesh_builder_finish(builder, "test.msh", &mesh, &err), err);
  return mesh;
}

static void finish_fails(lbMeshBuilder *builder, const char *part) {
  lbMesh *mesh = NULL;
  lbError err = { 0 };
  check_fails(lb_mesh_builder_finish(builder, "test.msh", &mesh, &err), LB_ERR_FORMAT, err, part);
  assert_non_null(strstr(err.text, "test.msh: "));
  assert_null(mesh);
  assert_null(builder->mesh);
}

static const int32_t good_tet[4] = { 0, 1, 3, 4 }, turned_tet[4] = { 0, 3, 1, 4 },
                     flat_tet[4] = { 0, 1, 2, 3 };
static const int32_t good_brick[8] = { 0, 1, 2, 3, 4, 5, 6, 7 },
                     turned_brick[8] = { 4, 5, 6, 7, 0, 1, 2, 3 };

static void items_get_consecutive_ids_and_keep_their_order(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  for (int i = 0; i < 100; i++) assert_int_equal(lb_mesh_add_vertex(&builder, i, 2 * i, -i), i);
  for (int i = 0; i < 50; i++) {
    int32_t triangle[3] = { i, i + 1, i + 2 };
    assert_int_equal(lb_mesh_add_triangle(&builder, triangle), i);
  }
  lbMesh *mesh = finish(&builder);
  assert_int_equal(mesh->vertex_count, 100);
  assert_int_equal(mesh->triangle_count, 50);
  for (int i = 0; i < 100; i++) assert_true(mesh->positions[3 * i + 1] == 2 * i);
  for (int i = 0; i < 50; i++) assert_int_equal(mesh->triangles[3 * i + 2], i + 2);
  assert_null(mesh->corner_uvs);
  assert_null(mesh->triangle_appearances);
  assert_null(mesh->element_materials);
  lb_mesh_destroy(mesh);
}

static void empty_mesh_is_a_mesh(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  lbMesh *mesh = finish(&builder);
  assert_int_equal(mesh->vertex_count + mesh->triangle_count + lb_mesh_element_count(mesh), 0);
  lb_mesh_destroy(mesh);
  lb_mesh_destroy(NULL);
}

static void groups_are_sorted_and_unique(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  add_corners(&builder);
  int32_t group = lb_mesh_add_group(&builder, LB_GROUP_VERTICES, 0, "fixed");
  const int32_t ids[] = { 7, 2, 2, 5, 0, 7, 7, 1 };
  for (int i = 0; i < 8; i++) lb_mesh_add_to_group(&builder, group, ids[i]);
  lb_mesh_add_group(&builder, LB_GROUP_VERTICES, 0, "empty");
  lbMesh *mesh = finish(&builder);
  const lbGroup *fixed = lb_mesh_group_by_name(mesh, LB_GROUP_VERTICES, "fixed");
  const int32_t expected[] = { 0, 1, 2, 5, 7 };
  assert_non_null(fixed);
  assert_int_equal(fixed->count, 5);
  assert_memory_equal(fixed->ids, expected, sizeof expected);
  assert_int_equal(lb_mesh_group_by_name(mesh, LB_GROUP_VERTICES, "empty")->count, 0);
  assert_null(lb_mesh_group_by_name(mesh, LB_GROUP_TRIANGLES, "fixed"));
  lb_mesh_destroy(mesh);
}

static void groups_are_found_again_by_tag_or_name_of_their_kind(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  int32_t a = lb_mesh_add_group(&builder, LB_GROUP_VERTICES, 0, "a");
  int32_t b = lb_mesh_add_group(&builder, LB_GROUP_ELEMENTS, 0, "a");
  int32_t c = lb_mesh_add_group(&builder, LB_GROUP_ELEMENTS, 7, "seven");
  assert_int_equal(a, 0);
  assert_int_equal(b, 1);
  assert_int_equal(c, 2);
  assert_int_equal(lb_mesh_add_group(&builder, LB_GROUP_VERTICES, 0, "a"), a);
  assert_int_equal(lb_mesh_add_group(&builder, LB_GROUP_ELEMENTS, 7, "other"), c);
  assert_int_equal(lb_mesh_add_group(&builder, LB_GROUP_TRIANGLES, 7, "seven"), 3);
  lbMesh *mesh = finish(&builder);
  assert_int_equal(mesh->group_count, 4);
  assert_string_equal(lb_mesh_group_by_tag(mesh, LB_GROUP_ELEMENTS, 7)->name, "seven");
  lb_mesh_destroy(mesh);
}

// Bricks are numbered after the tets, also when a group was filled before the last tet came.
static void brick_ids_in_element_groups_follow_the_tets(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  add_corners(&builder);
  int32_t group = lb_mesh_add_group(&builder, LB_GROUP_ELEMENTS, 3, "mixed");
  int32_t brick = lb_mesh_add_brick(&builder, good_brick);
  lb_mesh_add_to_group(&builder, group, LB_BRICK_ID + brick);
  lb_mesh_add_to_group(&builder, group, lb_mesh_add_tet(&builder, good_tet));
  lb_mesh_add_tet(&builder, good_tet);
  lb_mesh_add_tet(&builder, good_tet);
  lbMesh *mesh = finish(&builder);
  const int32_t expected[] = { 0, 3 };
  assert_int_equal(mesh->groups[0].count, 2);
  assert_memory_equal(mesh->groups[0].ids, expected, sizeof expected);
  lb_mesh_destroy(mesh);
}

static void other_windings_are_mended_and_listed(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  add_corners(&builder);
  lb_mesh_add_brick(&builder, good_brick);
  lb_mesh_add_brick(&builder, turned_brick);
  lb_mesh_add_tet(&builder, good_tet);
  lb_mesh_add_tet(&builder, turned_tet);
  lb_mesh_add_tet(&builder, flat_tet); // stays
  lbMesh *mesh = finish(&builder);
  const int32_t mended[] = { 1, 4 };
  assert_int_equal(mesh->mended_count, 2);
  assert_memory_equal(mesh->mended, mended, sizeof mended);
  assert_memory_equal(mesh->tets, good_tet, sizeof good_tet);
  assert_memory_equal(mesh->tets + 4, good_tet, sizeof good_tet);
  assert_memory_equal(mesh->tets + 8, flat_tet, sizeof flat_tet);
  assert_memory_equal(mesh->bricks, good_brick, sizeof good_brick);
  assert_memory_equal(mesh->bricks + 8, good_brick, sizeof good_brick);
  lb_mesh_destroy(mesh);
}

static void coordinates_that_are_not_finite_are_refused_by_vertex(void **state) {
  (void)state;
  const double bad[] = { NAN, INFINITY, -INFINITY };
  for (int i = 0; i < 3; i++) {
    lbMeshBuilder builder;
    lb_mesh_builder_begin(&builder);
    add_corners(&builder);
    lb_mesh_add_vertex(&builder, 0, bad[i], 0);
    finish_fails(&builder, "vertex 8 has a coordinate that is not a finite number (y = ");
  }
}

static void indices_out_of_range_are_refused_by_item(void **state) {
  (void)state;
  const struct {
    int32_t index;
    const char *text;
  } cases[] = { { 8, "uses vertex 8, the mesh has 8" },
                { -1, "uses vertex -1" },
                { INT32_MAX, "uses vertex 2147483647" },
                { INT32_MIN, "uses vertex -2147483648" } };
  for (int i = 0; i < 4; i++)
    for (int width = 3; width <= 8; width += width == 3 ? 1 : 4) {
      int32_t row[8];
      lbMeshBuilder builder;
      memcpy(row, good_brick, sizeof row);
      lb_mesh_builder_begin(&builder);
      add_corners(&builder);
      row[width - 1] = cases[i].index;
      if (width == 3) lb_mesh_add_triangle(&builder, row);
      if (width == 4) lb_mesh_add_tet(&builder, row);
      if (width == 8) lb_mesh_add_brick(&builder, row);
      char part[80];
      snprintf(part, sizeof part, "%s 0 %s",
               width == 3   ? "triangle"
               : width == 4 ? "tet"
                            : "brick",
               cases[i].text);
      finish_fails(&builder, part);
    }
}

static void group_ids_out_of_range_are_refused_by_group(void **state) {
  (void)state;
  const int32_t bad[] = { -1, 1, LB_BRICK_ID, INT32_MAX };
  for (int i = 0; i < 4; i++) {
    lbMeshBuilder builder;
    lb_mesh_builder_begin(&builder);
    add_corners(&builder);
    lb_mesh_add_tet(&builder, good_tet);
    int32_t group = lb_mesh_add_group(&builder, LB_GROUP_ELEMENTS, 0, "load");
    lb_mesh_add_to_group(&builder, group, 0);
    lb_mesh_add_to_group(&builder, group, bad[i]);
    finish_fails(&builder, "group \"load\" names item ");
  }
}

static void attribute_indices_out_of_range_are_refused(void **state) {
  (void)state;
  for (int which = 0; which < 2; which++) {
    lbMeshBuilder builder;
    lb_mesh_builder_begin(&builder);
    add_corners(&builder);
    lb_mesh_add_triangle(&builder, good_tet);
    lb_mesh_add_tet(&builder, good_tet);
    if (which == 0)
      lb_mesh_set_triangle_appearance(&builder, 2);
    else
      lb_mesh_set_element_material(&builder, 0, 1);
    finish_fails(&builder, which == 0 ? "triangle 0 names appearance 2, the mesh has 0"
                                      : "element 0 names material 1, the mesh has 0");
  }
}

static void attributes_not_set_get_their_defaults(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  add_corners(&builder);
  const float uvs[6] = { 0.5f, 1, 0.25f, 0, 1, 1 }, zeros[6] = { 0 };
  int32_t red = lb_mesh_add_appearance(&builder, "red");
  for (int i = 0; i < 40; i++) { // triangle 3 alone has UVs and a look
    lb_mesh_add_triangle(&builder, good_tet);
    if (i != 3) continue;
    lb_mesh_set_triangle_uvs(&builder, uvs);
    lb_mesh_set_triangle_appearance(&builder, red);
  }
  for (int i = 0; i < 30; i++) lb_mesh_add_tet(&builder, good_tet);
  lb_mesh_add_brick(&builder, good_brick);
  lbMaterial soft = lb_material();
  soft.young = 5;
  int32_t material = lb_mesh_add_material(&builder, "soft", &soft);
  lb_mesh_set_element_material(&builder, LB_BRICK_ID, material);
  lbMesh *mesh = finish(&builder);
  for (int i = 0; i < 40; i++) {
    assert_memory_equal(mesh->corner_uvs + 6 * i, i == 3 ? uvs : zeros, sizeof uvs);
    assert_int_equal(mesh->triangle_appearances[i], i == 3 ? red : -1);
  }
  for (int i = 0; i < 31; i++)
    assert_int_equal(mesh->element_materials[i], i == 30 ? material : -1);
  assert_true(mesh->materials[0].material.young == 5);
  assert_string_equal(mesh->appearances[0].name, "red");
  assert_true(mesh->appearances[0].base_color[3] == 1 && mesh->appearances[0].texture == -1);
  lb_mesh_destroy(mesh);
}

static void textures_are_copied_and_may_be_missing(void **state) {
  (void)state;
  lbMeshBuilder builder;
  char data[] = "png bytes";
  lb_mesh_builder_begin(&builder);
  assert_int_equal(lb_mesh_add_texture(&builder, "a.png", "image/png", data, sizeof data), 0);
  assert_int_equal(lb_mesh_add_texture(&builder, "b.png", "image/png", NULL, 99), 1);
  data[0] = 'X';
  lbMesh *mesh = finish(&builder);
  assert_int_equal(mesh->textures[0].bytes, sizeof data);
  assert_memory_equal(mesh->textures[0].data, "png bytes", sizeof data);
  assert_null(mesh->textures[1].data);
  assert_int_equal(mesh->textures[1].bytes, 0);
  lb_mesh_destroy(mesh);
}

// A mesh with everything in it, enough of each that every array grows more than once.
static lbStatus build_everything(lbMesh **out, lbError *err) {
  lbMeshBuilder builder;
  const float uvs[6] = { 0 };
  lb_mesh_builder_begin(&builder);
  add_corners(&builder);
  for (int i = 0; i < 40; i++) lb_mesh_add_vertex(&builder, i, i, i);
  for (int i = 0; i < 20; i++) {
    char name[16];
    snprintf(name, sizeof name, "group %d", i);
    lb_mesh_add_triangle(&builder, good_tet);
    lb_mesh_set_triangle_uvs(&builder, uvs);
    lb_mesh_set_triangle_appearance(&builder, lb_mesh_add_appearance(&builder, name));
    lb_mesh_add_tet(&builder, turned_tet);
    lb_mesh_add_brick(&builder, turned_brick);
    int32_t group = lb_mesh_add_group(&builder, LB_GROUP_VERTICES, 0, name);
    for (int k = 0; k < 2 * i; k++) lb_mesh_add_to_group(&builder, group, k);
    lbMaterial material = lb_material();
    lb_mesh_add_material(&builder, name, &material);
    lb_mesh_add_texture(&builder, name, "image/png", "data", 4);
  }
  if (!builder.out_of_memory) lb_mesh_set_element_material(&builder, LB_BRICK_ID + 3, 2);
  return lb_mesh_builder_finish(&builder, "test.msh", out, err);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  lbStatus status = LB_ERR_MEMORY;
  int failures = 0;
  for (int64_t n = 0; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbMesh *mesh = NULL;
    lbError err = { 0 };
    lb_set_allocator(&allocator);
    status = build_everything(&mesh, &err);
    if (status) {
      assert_int_equal(status, LB_ERR_MEMORY);
      assert_null(mesh);
      failures++;
    }
    lb_mesh_destroy(mesh);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
  }
  print_message("%d failing allocations\n", failures);
  assert_true(failures > 100);
}

static void aborting_frees_everything_and_adding_afterwards_is_harmless(void **state) {
  (void)state;
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  add_corners(&builder);
  lb_mesh_add_group(&builder, LB_GROUP_VERTICES, 0, "a");
  lb_mesh_builder_abort(&builder);
  assert_int_equal(heap.live, 0);
  assert_int_equal(lb_mesh_add_vertex(&builder, 0, 0, 0), -1);
  assert_int_equal(lb_mesh_add_group(&builder, LB_GROUP_VERTICES, 0, "a"), -1);
  lb_mesh_add_to_group(&builder, 0, 0);
  lb_mesh_builder_abort(&builder);
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(items_get_consecutive_ids_and_keep_their_order),
    cmocka_unit_test(empty_mesh_is_a_mesh),
    cmocka_unit_test(groups_are_sorted_and_unique),
    cmocka_unit_test(groups_are_found_again_by_tag_or_name_of_their_kind),
    cmocka_unit_test(brick_ids_in_element_groups_follow_the_tets),
    cmocka_unit_test(other_windings_are_mended_and_listed),
    cmocka_unit_test(coordinates_that_are_not_finite_are_refused_by_vertex),
    cmocka_unit_test(indices_out_of_range_are_refused_by_item),
    cmocka_unit_test(group_ids_out_of_range_are_refused_by_group),
    cmocka_unit_test(attribute_indices_out_of_range_are_refused),
    cmocka_unit_test(attributes_not_set_get_their_defaults),
    cmocka_unit_test(textures_are_copied_and_may_be_missing),
    cmocka_unit_test(every_allocation_may_fail),
    cmocka_unit_test(aborting_frees_everything_and_adding_afterwards_is_harmless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
