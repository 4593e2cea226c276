// The tables list every array of their structs; models are made from drafts, and bad drafts are
// refused.
#include "small_model.h"

#include "model/arrays.h"

// ---- the tables --------------------------------------------------------------------------------

// Every pointer from `first` to below `end` is the field of exactly one row.
static void check_rows(const lbArrayTable *table, size_t first, size_t end) {
  assert_int_equal(table->row_count, (end - first) / sizeof(void *));
  for (int32_t i = 0; i < table->row_count; i++) {
    const lbArrayRow *row = &table->rows[i];
    assert_true(row->field >= first && row->field < end);
    assert_int_equal((row->field - first) % sizeof(void *), 0);
    assert_true(row->rank >= 1 && row->rank <= 3);
    assert_true(strlen(row->name) < 48);
    assert_non_null(row->unit);
    assert_non_null(row->meaning);
    for (int32_t k = 0; k < i; k++) {
      assert_int_not_equal(row->field, table->rows[k].field);
      assert_string_not_equal(row->name, table->rows[k].name);
    }
  }
}

static void check_sizes(const lbArrayTable *table, size_t bytes) {
  assert_int_equal(table->size_count, bytes / sizeof(int32_t));
  for (int32_t i = 0; i < table->size_count; i++)
    assert_int_equal(table->sizes[i].field, (size_t)i * sizeof(int32_t));
}

static void every_array_of_a_model_is_in_its_table(void **state) {
  (void)state;
  check_rows(&lb_model_table, offsetof(lbModel, name), offsetof(lbModel, pictures));
  check_sizes(&lb_model_table, sizeof(lbModelSizes));
}

static void every_array_of_a_world_is_in_its_table(void **state) {
  (void)state;
  check_rows(&lb_world_table, offsetof(lbWorldDef, gravity), sizeof(lbWorldDef));
  check_sizes(&lb_world_table, sizeof(lbWorldSizes));
}

static void the_small_model_has_every_array(void **state) {
  (void)state;
  SmallModel small;
  SmallWorld world;
  small_model_fill(&small);
  small_world_fill(&world, 0);
  for (int32_t i = 0; i < lb_model_array_count(); i++)
    assert_non_null(lb_model_array(&small.draft, i).data);
  for (int32_t i = 0; i < lb_world_array_count(); i++)
    assert_non_null(lb_world_array(&world.def, i).data);
}

// ---- creation ----------------------------------------------------------------------------------

static void a_created_model_is_a_copy_of_its_own(void **state) {
  (void)state;
  SmallModel small, same;
  lbModel *model = NULL;
  lbError err = { 0 };
  small_model_fill(&small);
  small_model_fill(&same);
  small.draft.size.element_count = 77; // worked out
  check_ok(lb_model_create(&small.draft, &model, &err), err);
  memset(&small, 0x5a, sizeof small);
  check_same_model(model, &same.draft);
  for (int32_t i = 0; i < lb_model_array_count(); i++)
    assert_int_equal((uintptr_t)lb_model_array(model, i).data % LB_ALIGNMENT, 0);
  assert_true(lb_model_has(model, LB_METHOD_MODAL));
  assert_false(lb_model_is_free(model));
  assert_string_equal(lb_model_text(model->texture_mimes, 1), "image/jpeg");
  lb_model_destroy(model);
  lb_model_destroy(NULL);
}

static void a_model_needs_neither_looks_nor_modes(void **state) {
  (void)state;
  SmallModel small;
  lbModel *model = NULL;
  lbError err = { 0 };
  small_model_fill(&small);
  small_model_strip(&small);
  check_ok(lb_model_create(&small.draft, &model, &err), err);
  check_same_model(model, &small.draft);
  assert_false(lb_model_has(model, LB_METHOD_MODAL));
  assert_false(lb_model_has(model, LB_METHOD_RECORDED));
  check_near(lb_model_recording_seconds(model), 0, 0);
  lb_model_destroy(model);
}

// Fills a small model, makes one change, and expects its creation to fail.
#define check_refused(change, part)                                                                \
  do {                                                                                             \
    SmallModel small;                                                                              \
    lbModel *model = NULL;                                                                         \
    lbError err = { 0 };                                                                           \
    small_model_fill(&small);                                                                      \
    change;                                                                                        \
    check_fails(lb_model_create(&small.draft, &model, &err), LB_ERR_FORMAT, err, part);            \
    assert_null(model);                                                                            \
  } while (0)

static void drafts_with_wrong_sizes_are_refused(void **state) {
  (void)state;
  check_refused(small.draft.size.node_count = -1, "node_count is -1");
  check_refused(small.draft.size.tet_count = INT32_MAX, "element_count is -1");
  check_refused(small.draft.size.tet_count = -5, "tet_count is -5");
  check_refused(small.draft.size.carrier_count = 5, "embedding.begin runs from 0 to 6");
  check_refused(small.draft.size.material_count = 1, "volume.materials[0] is 1");
  check_refused(small.draft.size.texture_count = 0, "look.textures[1] is 0");
}

static void drafts_with_missing_arrays_are_refused(void **state) {
  (void)state;
  check_refused(small.draft.name = NULL, "object.name is missing");
  check_refused(small.draft.node_masses = NULL, "volume.masses is missing");
  check_refused(small.draft.tets = NULL, "volume.tets is missing");
  check_refused(small.draft.carrier_begin = NULL, "embedding.begin is missing");
  check_refused(small.draft.modal_basis = NULL, "modal.basis is missing");
  check_refused(small.draft.modal_damping = NULL, "modal.damping is missing");
  check_refused(small.draft.appearance_names = NULL, "look.names is missing");
  check_refused(small.draft.pictures = NULL, "texture 0 lies outside");
}

static void drafts_with_wrong_values_are_refused(void **state) {
  (void)state;
  check_refused(small.up[0] = 3, "object.up[0] is 3, it must be from 1 to 2");
  check_refused(small.node_positions[8][2] = NAN, "volume.positions[26] is nan");
  check_refused(small.node_positions[1][0] = 1e31, "node 1 lies at 1e+31 m");
  check_refused(small.node_masses[3] = -1, "node 3 has mass -1 kg");
  check_refused(small.node_fixed[0] = 2, "volume.fixed[0] is 2");
  check_refused(small.rigid_mass[0] = 0, "its mass is 0 kg");
  check_refused(small.rigid_inertia[1][1] = -1, "rigid.inertia[4] is -1 kg m2");
  check_refused(small.material_values[0][0] = 0, "material 0 has Young's modulus 0 Pa");
  check_refused(small.material_values[1][2] = 0, "material 1 has density 0 kg/m3");
  check_refused(small.tets[1][3] = 9, "volume.tets[7] is 9, it must be from 0 to 8");
  check_refused(small.material_laws[1] = 7, "material.laws[1] is 7");
  check_refused(small.shells[0][1] = 9, "volume.shells[1] is 9");
  check_refused(small.cubature_elements[1] = 0, "cubature.elements[1] is 0; they must ascend");
  check_refused(small.cubature_elements[1] = 4, "cubature.elements[1] is 4");
  check_refused(small.cubature_weights[0] = 0, "cubature.weights[0] is 0, it must be above 0");
  check_refused(small.cubature_poses[2][1] = 1e31, "cubature.poses[5] is 1e+31");
  check_refused(small.triangles[0][0] = -1, "surface.triangles[0] is -1");
  check_refused(small.corner_uvs[0][0][0] = INFINITY, "surface.corner_uvs[0] is inf");
  check_refused(small.triangle_appearances[1] = -2,
                "surface.looks[1] is -2, it must be from -1 to 1");
  check_refused(small.carrier_begin[2] = 1, "surface vertex 1 has no nodes");
  check_refused(small.carrier_begin[2] = 100, "surface vertex 1 has no nodes");
  check_refused(small.carrier_weights[2] = .6, "surface vertex 2 has weights that sum to 1.1");
  check_refused(small.texture_ranges[0][1] = 60, "texture 0 lies outside");
  check_refused(small.texture_ranges[0][0] = -1, "texture 0 lies outside");
  check_refused(small.modal_eigenvalues[0] = -1, "mode 0 has the eigenvalue -1");
  check_refused(small.modal_damping[1] = -1, "modal.damping[1] is -1");
  check_refused(small.candidate_fates[4] = LB_MODE_FATE_COUNT, "candidate.fates[4]");
  check_refused(small.full_damping[0] = -1, "full.damping[0] is -1");
  check_refused(small.full_mass[0] = 2, "full.mass[0] is 2");
  check_refused(small.recording_rate[0] = 0, "its recording has 0 frames a second");
  check_refused(small.draft.recording_rate = NULL, "its recording has 0 frames a second");
  check_refused(small.draft.recording_basis = NULL, "recording.basis is missing");
  check_refused(small.draft.modal_inertia_first = NULL,
                "has only one of modal.inertia_first and modal");
  check_refused(small.draft.subspace_inertia_second = NULL, "one of subspace.inertia_first and");
  check_refused(small.draft.size.recording_frames = 1, "2 vectors and 1 frames");
  check_refused(small.recording_coordinates[1][0] = 1e31, "recording.coordinates[2] is 1e+31");
  check_refused(strcpy(small.name, "a\tb"), "object.name is not plain UTF-8");
  check_refused(strcpy(small.name, "a\xc0\xaf"), "object.name is not plain UTF-8");
  check_refused(strcpy(small.name, "\xed\xa0\x80"), "object.name is not plain UTF-8");
}

static void creation_survives_a_failed_allocation(void **state) {
  (void)state;
  SmallModel small;
  lbModel *model = NULL;
  lbError err = { 0 };
  CheckedHeap heap = { .fail_at = 0 };
  lbAllocator allocator = checked_allocator(&heap);
  small_model_fill(&small);
  lb_set_allocator(&allocator);
  lbStatus status = lb_model_create(&small.draft, &model, &err);
  lb_set_allocator(NULL);
  assert_int_equal(status, LB_ERR_MEMORY);
  assert_null(model);
  assert_int_equal(heap.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_array_of_a_model_is_in_its_table),
    cmocka_unit_test(every_array_of_a_world_is_in_its_table),
    cmocka_unit_test(the_small_model_has_every_array),
    cmocka_unit_test(a_created_model_is_a_copy_of_its_own),
    cmocka_unit_test(a_model_needs_neither_looks_nor_modes),
    cmocka_unit_test(drafts_with_wrong_sizes_are_refused),
    cmocka_unit_test(drafts_with_missing_arrays_are_refused),
    cmocka_unit_test(drafts_with_wrong_values_are_refused),
    cmocka_unit_test(creation_survives_a_failed_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
