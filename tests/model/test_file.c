// Model files: what is packed is read back, the same models give the same bytes, and what cannot be
// loaded or saved says why. tests/data/model-1.glb and world-2.glb are files of the format's
// versions that never change.
#include "packed.h"

#include <jansson.h>
#include <unistd.h>

#define FROZEN "tests/data/model-1.glb"
#define FROZEN_2 "tests/data/world-2.glb"

// ---- there and back ----------------------------------------------------------------------------

static void what_is_packed_is_read_back(void **state) {
  (void)state;
  SmallModel small;
  small_model_fill(&small);
  Packed packed = pack_small();
  lbModel *model = NULL;
  lbError err = { 0 };
  check_ok(lb_model_read("small.glb", packed.bytes, packed.byte_count, &model, &err), err);
  lb_free(packed.bytes); // it was copied
  check_same_model(model, &small.draft);
  for (int32_t i = 0; i < lb_model_array_count(); i++)
    assert_int_equal((uintptr_t)lb_model_array(model, i).data % 64, 0);
  lb_model_destroy(model);
}

static void a_bundle_with_a_world_is_read_back(void **state) {
  (void)state;
  SmallBundle small;
  small_bundle_fill(&small);
  Packed packed = pack_bundle();
  lbBundle *bundle = read_packed(&packed);
  assert_int_equal(bundle->model_count, 2);
  for (int i = 0; i < 2; i++) check_same_model(bundle->models[i], small.list[i]);
  check_same_world(bundle->world, &small.world.def);
  lb_bundle_destroy(bundle);
  lb_bundle_destroy(NULL);
  lb_free(packed.bytes);
}

static void packing_what_was_read_gives_the_same_bytes(void **state) {
  (void)state;
  for (int round = 0; round < 2; round++) {
    Packed packed = round ? pack_bundle() : pack_small(), again = { 0 }, other = { 0 };
    lbContainer container;
    lbError err = { 0 };
    lbBundle *bundle = read_packed(&packed);
    check_ok(lb_container_open("x", packed.bytes, packed.byte_count, &container, &err), err);
    check_ok(lb_bundle_repack(bundle->models, bundle->model_count, bundle->world, &container,
                              &again.bytes, &again.byte_count, &err),
             err);
    assert_int_equal(again.byte_count, packed.byte_count);
    assert_memory_equal(again.bytes, packed.bytes, packed.byte_count);
    // An empty viewable part made anew is the same too: pictures come from the first file.
    check_ok(lb_bundle_pack(bundle->models, bundle->model_count, bundle->world, NULL, &other.bytes,
                            &other.byte_count, &err),
             err);
    assert_int_equal(other.byte_count, packed.byte_count);
    assert_memory_equal(other.bytes, packed.bytes, packed.byte_count);
    lb_bundle_destroy(bundle);
    lb_free(packed.bytes);
    lb_free(again.bytes);
    lb_free(other.bytes);
  }
}

static void files_are_loaded_and_saved_with_the_same_bytes(void **state) {
  (void)state;
  const char *first = output_path("model-first.glb"), *second = output_path("model-second.glb");
  Packed packed = pack_bundle(), single = pack_small();
  lbError err = { 0 };
  lbBundle *bundle = NULL;
  lbModel *model = NULL;
  write_packed(first, packed.bytes, packed.byte_count);
  assert_true(lb_model_is_model_file(first));
  check_ok(lb_bundle_load(first, &bundle, &err), err);
  check_ok(lb_bundle_save(bundle, second, &err), err);
  check_file_is(second, &packed);
  check_ok(lb_bundle_save(bundle, first, &err), err); // over the file that is mapped
  check_file_is(first, &packed);
  check_same_world(bundle->world, bundle->world);
  lb_bundle_destroy(bundle);

  write_packed(first, single.bytes, single.byte_count);
  check_ok(lb_model_load(first, &model, &err), err);
  check_ok(lb_model_save(model, second, &err), err);
  check_file_is(second, &single);
  lb_model_destroy(model);
  remove(first);
  remove(second);
  lb_free(packed.bytes);
  lb_free(single.bytes);
}

static void a_created_model_is_saved_like_its_draft(void **state) {
  (void)state;
  const char *path = output_path("model-created.glb");
  SmallModel small;
  Packed packed = pack_small();
  lbModel *model = NULL;
  lbError err = { 0 };
  small_model_fill(&small);
  check_ok(lb_model_create(&small.draft, &model, &err), err);
  check_ok(lb_model_save(model, path, &err), err);
  check_file_is(path, &packed);
  lb_model_destroy(model);
  remove(path);
  lb_free(packed.bytes);
}

static void one_model_of_a_bundle_is_saved_alone(void **state) {
  (void)state;
  const char *path = output_path("model-alone.glb");
  SmallBundle small;
  Packed packed = pack_bundle();
  lbBundle *bundle = read_packed(&packed);
  lbModel *model = NULL;
  lbError err = { 0 };
  small_bundle_fill(&small);
  check_ok(lb_model_save(bundle->models[1], path, &err), err);
  check_ok(lb_model_load(path, &model, &err), err);
  check_same_model(model, small.list[1]);
  lb_model_destroy(model);
  lb_bundle_destroy(bundle);
  remove(path);
  lb_free(packed.bytes);
}

// ---- bundles in memory -------------------------------------------------------------------------

static lbStatus create_bundle(const SmallBundle *small, lbBundle **bundle, lbError *err) {
  lbModel *models[2] = { NULL, NULL };
  lbStatus status = LB_OK;
  for (int i = 0; i < 2 && !status; i++) status = lb_model_create(small->list[i], &models[i], err);
  if (!status) status = lb_bundle_create(models, 2, &small->world.def, bundle, err);
  for (int i = 0; i < 2 && status; i++) lb_model_destroy(models[i]);
  return status;
}

static void a_bundle_in_memory_is_like_one_from_a_file(void **state) {
  (void)state;
  const char *path = output_path("model-memory.glb");
  SmallBundle small;
  lbBundle *bundle = NULL;
  lbError err = { 0 };
  double height = 0;
  Packed packed = pack_bundle();
  small_bundle_fill(&small);
  check_ok(create_bundle(&small, &bundle, &err), err);
  for (int i = 0; i < 2; i++) check_same_model(bundle->models[i], small.list[i]);
  check_same_world(bundle->world, &small.world.def);
  assert_int_equal(lb_world_ground(bundle->world, &height), LB_GROUND_HEIGHT);
  check_near(height, -.125, 0);
  check_ok(lb_bundle_save(bundle, path, &err), err);
  check_file_is(path, &packed);
  lb_bundle_destroy(bundle);
  small.world.body_models[0] = 2;
  check_fails(create_bundle(&small, &bundle, &err), LB_ERR_FORMAT, err, "body 0 uses model 2");
  remove(path);
  lb_free(packed.bytes);
}

static void a_bundle_in_memory_survives_failed_allocations(void **state) {
  (void)state;
  SmallBundle small;
  lbStatus status = LB_ERR_MEMORY;
  small_bundle_fill(&small);
  for (int64_t n = 0; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbBundle *bundle = NULL;
    lbError err = { 0 };
    lb_set_allocator(&allocator);
    status = create_bundle(&small, &bundle, &err);
    lb_bundle_destroy(bundle);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    assert_true(!status || status == LB_ERR_MEMORY);
  }
}

// ---- the viewable part -------------------------------------------------------------------------

static void the_viewable_part_is_kept(void **state) {
  (void)state;
  static const char json[] = "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":128}]}";
  uint8_t bin[128] = { 0 };
  const int64_t ranges[] = { 3, 22, 0, 0 };
  SmallModel small;
  small_model_fill(&small);
  memcpy(bin + 3, small.pictures + 5, 22);
  lbModelViewable viewable = { json, strlen(json), bin, sizeof bin, ranges };
  const lbModel *draft = &small.draft;
  Packed packed = { 0 };
  lbError err = { 0 };
  check_ok(lb_bundle_pack(&draft, 1, NULL, &viewable, &packed.bytes, &packed.byte_count, &err),
           err);
  assert_memory_equal(packed.bytes + 20, json, strlen(json));
  lbBundle *bundle = read_packed(&packed);
  check_same_model(bundle->models[0], draft);
  int64_t begin = bundle->models[0]->texture_ranges[0];
  assert_int_equal(begin % 64, 3);
  assert_memory_equal(packed.bytes + begin - 3, bin, sizeof bin);
  lb_bundle_destroy(bundle);
  lb_free(packed.bytes);

  // What a caller cannot mean.
  const struct {
    lbModelViewable viewable;
    lbStatus status;
    const char *part;
  } wrong[] = {
    { { json, strlen(json), bin, 100, ranges }, LB_ERR_ARGUMENT, "not a multiple of 64" },
    { { json, strlen(json), bin, 128, NULL }, LB_ERR_ARGUMENT, "no ranges for 2 textures" },
    { { json, strlen(json), bin, 0, ranges }, LB_ERR_ARGUMENT, "texture 0 lies outside" },
    { { NULL, 0, bin, 128, ranges }, LB_ERR_ARGUMENT, "no JSON" },
    { { json, strlen(json), bin, (size_t)5 << 30, ranges }, LB_ERR_UNSUPPORTED, "4 GiB" },
    { { json, (size_t)5 << 30, bin, 128, ranges }, LB_ERR_UNSUPPORTED, "4 GiB" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    Packed none = { 0 };
    check_fails(
        lb_bundle_pack(&draft, 1, NULL, &wrong[i].viewable, &none.bytes, &none.byte_count, &err),
        wrong[i].status, err, wrong[i].part);
    assert_null(none.bytes);
  }
}

static void files_without_pictures_have_no_bin_chunk(void **state) {
  (void)state;
  SmallModel small;
  small_model_fill(&small);
  small_model_strip(&small);
  Packed packed = pack_model(&small.draft);
  size_t offset = 0;
  assert_true(lb_container_find(packed.bytes, packed.byte_count, &offset));
  assert_int_equal(offset % 64, 0);
  assert_memory_equal(packed.bytes + offset - 4, "LMBR", 4);
  lbBundle *bundle = read_packed(&packed);
  check_same_model(bundle->models[0], &small.draft);
  lb_bundle_destroy(bundle);
  lb_free(packed.bytes);
}

static size_t word_at(const uint8_t *b) {
  return b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16 | (size_t)b[3] << 24;
}

// As the glTF specification has it: lengths in multiples of 4, JSON first, then BIN that holds
// buffer 0, then what readers pass over.
static void other_programs_see_an_ordinary_glb(void **state) {
  (void)state;
  static const char *const types[] = { "JSON", "BIN", "LMBR" };
  Packed packed = pack_small();
  size_t at = 12, lengths[3];
  json_t *root = NULL;
  assert_memory_equal(packed.bytes, "glTF\2\0\0", 8);
  assert_int_equal(word_at(packed.bytes + 8), packed.byte_count);
  for (int i = 0; i < 3; i++) {
    lengths[i] = word_at(packed.bytes + at);
    assert_int_equal(lengths[i] % 4, 0);
    assert_memory_equal(packed.bytes + at + 4, types[i], 4);
    if (i == 0) root = json_loadb((const char *)packed.bytes + at + 8, lengths[i], 0, NULL);
    if (i == 1) assert_int_equal((at + 8) % 64, 0);
    at += 8 + lengths[i];
  }
  assert_int_equal(at, packed.byte_count);
  assert_non_null(root);
  json_t *asset = json_object_get(root, "asset");
  json_t *buffer = json_array_get(json_object_get(root, "buffers"), 0);
  assert_string_equal(json_string_value(json_object_get(asset, "version")), "2.0");
  assert_string_equal(json_string_value(json_object_get(asset, "generator")), "limber " LB_VERSION);
  assert_int_equal(json_integer_value(json_object_get(buffer, "byteLength")), lengths[1]);
  json_decref(root);
  lb_free(packed.bytes);
}

// ---- the frozen file ---------------------------------------------------------------------------

// The bundles of the frozen files.
static void fill_version_1(SmallBundle *small) {
  small_bundle_fill(small);
  small_model_strip_subspace(&small->models[1]);
  small_world_strip(&small->world);
}

static void fill_version_2(SmallBundle *small) {
  small_bundle_fill(small);
  small_model_strip_inertia(&small->models[1]);
  small->world.body_methods[1] = lb_method_code(LB_METHOD_RECORDED);
  small_world_strip_paths(&small->world);
}

static void check_frozen(const char *frozen_path, const SmallBundle *small, uint32_t version) {
  const char *path = output_path("model-frozen.glb");
  lbBundle *bundle = NULL;
  lbFileMap frozen;
  lbError err = { 0 };
  size_t offset = 0;
  check_ok(lb_bundle_load(frozen_path, &bundle, &err), err);
  assert_int_equal(bundle->model_count, 2);
  for (int i = 0; i < 2; i++) check_same_model(bundle->models[i], small->list[i]);
  check_same_world(bundle->world, &small->world.def);
  check_ok(lb_bundle_save(bundle, path, &err), err);
  check_ok(lb_file_map(frozen_path, &frozen, &err), err);
  check_file_is(path, &(Packed){ (uint8_t *)frozen.bytes, frozen.byte_count });
  assert_true(lb_container_find(frozen.bytes, frozen.byte_count, &offset));
  assert_int_equal(word_at(frozen.bytes + offset), version);
  lb_file_unmap(&frozen);
  lb_bundle_destroy(bundle);
  remove(path);
}

// These files were written once, by the first limber of each version of the format (with
// LIMBER_WRITE_FROZEN=path in the environment of this program). They never change: whoever breaks
// this test has broken the files that people have.
static void the_file_of_version_1_is_read_for_ever(void **state) {
  (void)state;
  SmallBundle small;
  fill_version_1(&small);
  check_frozen(FROZEN, &small, 1);
}

static void the_file_of_version_2_is_read_for_ever(void **state) {
  (void)state;
  SmallBundle small;
  fill_version_2(&small);
  check_frozen(FROZEN_2, &small, 2);
}

static Packed pack_filled(const SmallBundle *small) {
  Packed packed = { 0 };
  lbError err = { 0 };
  check_ok(lb_bundle_pack(small->list, 2, &small->world.def, NULL, &packed.bytes,
                          &packed.byte_count, &err),
           err);
  return packed;
}

static void check_version_of(const SmallBundle *small, uint32_t version) {
  Packed packed = pack_filled(small);
  size_t offset = 0;
  assert_true(lb_container_find(packed.bytes, packed.byte_count, &offset));
  assert_int_equal(word_at(packed.bytes + offset), version);
  lb_bundle_destroy(read_packed(&packed));
  // Any other version is a lie about the file.
  lbBundle *bundle = NULL;
  lbError err = { 0 };
  packed.bytes[offset] = (uint8_t)(version % 6 + 1);
  assert_true(lb_container_seal(packed.bytes, packed.byte_count));
  check_fails(lb_bundle_read("x.glb", packed.bytes, packed.byte_count, &bundle, &err),
              LB_ERR_FORMAT, err, "declares format");
  lb_free(packed.bytes);
}

static void files_have_the_lowest_version_that_has_all_that_is_in_them(void **state) {
  (void)state;
  SmallBundle small;
  fill_version_1(&small);
  check_version_of(&small, 1);
  small.world.def.title = small.world.title;
  check_version_of(&small, 2);
  small_bundle_fill(&small);
  check_version_of(&small, 6);
  small_world_strip_version_6(&small.world);
  check_version_of(&small, 5);
  small_world_strip_contact(&small.world);
  check_version_of(&small, 4);
  small_model_strip_cubature(&small.models[1]);
  check_version_of(&small, 4);
  small_world_strip_attachments(&small.world);
  check_version_of(&small, 4);
  small_world_strip_shapes(&small.world);
  check_version_of(&small, 3);
  fill_version_1(&small);
  small.world.body_methods[1] = lb_method_code(LB_METHOD_FULL);
  check_version_of(&small, 3);
  fill_version_1(&small);
  small.models[0].draft.full_damping = small.models[0].full_damping;
  check_version_of(&small, 2);
  fill_version_1(&small);
  small.world.body_methods[0] = lb_method_code(LB_METHOD_RECORDED);
  check_version_of(&small, 2);
  fill_version_2(&small);
  small_world_fill(&small.world, 1); // with paths
  small_world_strip_attachments(&small.world);
  small_world_strip_shapes(&small.world);
  check_version_of(&small, 3);
}

// The sum that other programs must find, too.
static void checksums_are_those_of_the_format(void **state) {
  (void)state;
  uint8_t bytes[100];
  for (int i = 0; i < 100; i++) bytes[i] = (uint8_t)(i * 7);
  assert_int_equal(lb_checksum(bytes, 0, SIZE_MAX), UINT64_C(0x7de7fa1a231b97c2));
  assert_int_equal(lb_checksum(bytes, 1, SIZE_MAX), UINT64_C(0x2c07b673bf743175));
  assert_int_equal(lb_checksum(bytes, 100, SIZE_MAX), UINT64_C(0xd5888d71794ec22c));
  uint64_t holed = lb_checksum(bytes, 100, 40);
  memset(bytes + 40, 0, 8);
  assert_int_equal(lb_checksum(bytes, 100, SIZE_MAX), holed);
  for (size_t n = 0; n < 100; n++) { // zeros at the end count
    uint8_t zeros[100] = { 0 };
    assert_int_not_equal(lb_checksum(zeros, n, SIZE_MAX), lb_checksum(zeros, n + 1, SIZE_MAX));
  }
}

static void check_documented(const char *page, lbArrayView view) {
  char row[100];
  snprintf(row, sizeof row, "\n| `%s` | %s | ", view.name, lb_array_type_name(view.type));
  if (!strstr(page, row)) fail_msg("docs/model-file.md has no row \"%s\"", row + 1);
}

static void every_array_is_documented(void **state) {
  (void)state;
  static const lbModel model;
  static const lbWorldDef world;
  char *page = NULL;
  size_t bytes = 0;
  lbError err = { 0 };
  check_ok(lb_file_read("docs/model-file.md", &page, &bytes, &err), err);
  for (int32_t i = 0; i < lb_model_array_count(); i++)
    check_documented(page, lb_model_array(&model, i));
  for (int32_t i = 0; i < lb_world_array_count(); i++)
    check_documented(page, lb_world_array(&world, i));
  lb_free(page);
}

// ---- what cannot be loaded or saved ------------------------------------------------------------

static void files_that_are_no_models_say_what_they_are(void **state) {
  (void)state;
  static const uint8_t plain[] = "glTF\2\0\0\0\x20\0\0\0\x0c\0\0\0JSON{          }";
  lbModel *model = NULL;
  lbError err = { 0 };
  check_fails(lb_model_read("plain.glb", plain, 32, &model, &err), LB_ERR_FORMAT, err,
              "plain.glb: is a plain glTF file, not a limber model: build one with `limber build`");
  check_fails(lb_model_read("a.obj", "v 0 0 0", 7, &model, &err), LB_ERR_FORMAT, err,
              "a.obj: is not a limber model");
  check_fails(lb_model_read("none", "", 0, &model, &err), LB_ERR_FORMAT, err, "not a limber model");
  check_fails(lb_model_load("tests/data", &model, &err), LB_ERR_FILE, err, "is a folder");
  check_fails(lb_model_load("no-such.glb", &model, &err), LB_ERR_FILE, err,
              "no-such.glb: cannot open for reading: No such file");
  check_fails(lb_model_load("/dev/null", &model, &err), LB_ERR_FILE, err, "/dev/null: is empty");
  assert_false(lb_model_is_model_file("no-such.glb"));
  assert_false(lb_model_is_model_file("tests/data"));
  assert_false(lb_model_is_model_file("README.md"));
  assert_false(lb_model_is_model_file("fuzz/corpus/glb/scene.glb"));
  assert_true(lb_model_is_model_file(FROZEN));
  assert_null(model);
}

static void a_newer_format_asks_for_an_update(void **state) {
  (void)state;
  Packed packed = pack_small();
  lbBundle *bundle = NULL;
  lbError err = { 0 };
  size_t offset = 0;
  assert_true(lb_container_find(packed.bytes, packed.byte_count, &offset));
  packed.bytes[offset] = 7;
  // Whether or not it is otherwise as we know it.
  for (int round = 0; round < 2; round++) {
    check_fails(lb_bundle_read("x.glb", packed.bytes, packed.byte_count, &bundle, &err),
                LB_ERR_UNSUPPORTED, err,
                "x.glb: made by a newer limber (format 7, this one reads up to 6): update limber");
    memset(packed.bytes + offset + 4, 0xff, packed.byte_count - offset - 4);
  }
  packed.bytes[offset] = 0;
  memset(packed.bytes + offset, 0, 4);
  check_fails(lb_bundle_read("x.glb", packed.bytes, packed.byte_count, &bundle, &err),
              LB_ERR_FORMAT, err, "version 0");
  lb_free(packed.bytes);
}

static void a_file_of_several_models_or_none_is_not_one_model(void **state) {
  (void)state;
  Packed packed = pack_bundle(), empty = { 0 };
  lbModel *model = NULL;
  lbError err = { 0 };
  check_fails(lb_model_read("two.glb", packed.bytes, packed.byte_count, &model, &err),
              LB_ERR_ARGUMENT, err, "two.glb: holds 2 models, not one");
  assert_non_null(strstr(err.text, "lb_bundle_load"));
  check_ok(lb_bundle_pack(NULL, 0, NULL, NULL, &empty.bytes, &empty.byte_count, &err), err);
  check_fails(lb_model_read("none.glb", empty.bytes, empty.byte_count, &model, &err),
              LB_ERR_ARGUMENT, err, "none.glb: holds 0 models");
  lbBundle *bundle = read_packed(&empty);
  assert_int_equal(bundle->model_count, 0);
  assert_null(bundle->world);
  lb_bundle_destroy(bundle);
  lb_free(packed.bytes);
  lb_free(empty.bytes);
}

static void worlds_that_do_not_fit_their_models_are_not_saved(void **state) {
  (void)state;
  const char *path = output_path("model-unfit.glb");
  SmallBundle b;
  lbError err = { 0 };
  small_bundle_fill(&b);
  lbBundle bundle = { 2, b.list, &b.world.def, NULL };
  b.world.body_models[1] = 0;
  check_fails(lb_bundle_save(&bundle, path, &err), LB_ERR_FORMAT, err,
              "world: body 1: model 0 does not have the method \"modal\"");
  b.world.body_models[1] = 2;
  check_fails(lb_bundle_save(&bundle, path, &err), LB_ERR_FORMAT, err, "body 1 uses model 2");
  small_bundle_fill(&b);
  b.models[0].rigid_mass[0] = 0;
  check_fails(lb_bundle_save(&bundle, path, &err), LB_ERR_FORMAT, err, "model 0: its mass is 0");
  assert_false(lb_file_exists(path));
}

static void a_failed_save_leaves_nothing(void **state) {
  (void)state;
  SmallModel small;
  lbModel *model = NULL;
  lbError err = { 0 };
  small_model_fill(&small);
  check_ok(lb_model_create(&small.draft, &model, &err), err);
  check_fails(lb_model_save(model, output_path("no-such-folder/x.glb"), &err), LB_ERR_FILE, err,
              "x.glb: cannot open for writing, make its folder first");
  assert_false(lb_file_exists(output_path("no-such-folder")));
  if (access("/dev/full", W_OK) == 0)
    check_fails(lb_model_save(model, "/dev/full", &err), LB_ERR_FILE, err,
                "/dev/full: cannot write, is the disk full");
  lb_model_destroy(model);
}

// One round of everything that allocates.
static lbStatus save_and_read(const SmallBundle *small, const char *path, const Packed *packed,
                              lbError *err) {
  lbBundle bundle = { 2, small->list, &small->world.def, NULL }, *loaded = NULL;
  lbModel *model = NULL;
  lbStatus status = lb_bundle_save(&bundle, path, err);
  if (!status) status = lb_bundle_load(path, &loaded, err);
  if (!status) status = lb_bundle_save(loaded, path, err);
  lb_bundle_destroy(loaded);
  if (!status) status = lb_model_read("x", packed->bytes, packed->byte_count, &model, err);
  if (!status) lb_model_destroy(model);
  return status;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  const char *path = output_path("model-heap.glb");
  SmallBundle small;
  Packed packed = pack_small();
  lbStatus status = LB_ERR_MEMORY;
  int failures = 0;
  small_bundle_fill(&small);
  for (int64_t n = 0; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbError err = { 0 };
    lb_set_allocator(&allocator);
    status = save_and_read(&small, path, &packed, &err);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status) assert_int_equal(status, LB_ERR_MEMORY);
    failures += status != LB_OK;
  }
  assert_true(failures >= 8);
  remove(path);
  lb_free(packed.bytes);
}

// ---- seeds -------------------------------------------------------------------------------------

static Packed pack_stripped(void) {
  SmallModel small;
  small_model_fill(&small);
  small_model_strip(&small);
  return pack_model(&small.draft);
}

static const struct {
  const char *name;
  Packed (*pack)(void);
} seeds[] = { { "small.glb", pack_small },
              { "stripped.glb", pack_stripped },
              { "bundle.glb", pack_bundle } };

// The seeds of fuzz/fuzz_model.c are written by LIMBER_WRITE_SEEDS=folder.
static void seeds_of_the_fuzz_target_can_be_read(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
    char path[64];
    lbBundle *bundle = NULL;
    lbError err = { 0 };
    snprintf(path, sizeof path, "fuzz/corpus/model/%s", seeds[i].name);
    check_ok(lb_bundle_load(path, &bundle, &err), err);
    lb_bundle_destroy(bundle);
  }
}

static void write_on_request(void) {
  const char *frozen = getenv("LIMBER_WRITE_FROZEN"), *folder = getenv("LIMBER_WRITE_SEEDS");
  for (size_t i = 0; folder && i < sizeof seeds / sizeof *seeds; i++) {
    char path[512];
    Packed packed = seeds[i].pack();
    snprintf(path, sizeof path, "%s/%s", folder, seeds[i].name);
    write_packed(path, packed.bytes, packed.byte_count);
    lb_free(packed.bytes);
  }
  if (frozen) {
    SmallBundle small;
    fill_version_2(&small);
    Packed packed = pack_filled(&small);
    write_packed(frozen, packed.bytes, packed.byte_count);
    lb_free(packed.bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_packed_is_read_back),
    cmocka_unit_test(a_bundle_with_a_world_is_read_back),
    cmocka_unit_test(packing_what_was_read_gives_the_same_bytes),
    cmocka_unit_test(files_are_loaded_and_saved_with_the_same_bytes),
    cmocka_unit_test(a_created_model_is_saved_like_its_draft),
    cmocka_unit_test(one_model_of_a_bundle_is_saved_alone),
    cmocka_unit_test(the_viewable_part_is_kept),
    cmocka_unit_test(files_without_pictures_have_no_bin_chunk),
    cmocka_unit_test(other_programs_see_an_ordinary_glb),
    cmocka_unit_test(the_file_of_version_1_is_read_for_ever),
    cmocka_unit_test(the_file_of_version_2_is_read_for_ever),
    cmocka_unit_test(files_have_the_lowest_version_that_has_all_that_is_in_them),
    cmocka_unit_test(a_bundle_in_memory_is_like_one_from_a_file),
    cmocka_unit_test(a_bundle_in_memory_survives_failed_allocations),
    cmocka_unit_test(checksums_are_those_of_the_format),
    cmocka_unit_test(every_array_is_documented),
    cmocka_unit_test(files_that_are_no_models_say_what_they_are),
    cmocka_unit_test(a_newer_format_asks_for_an_update),
    cmocka_unit_test(a_file_of_several_models_or_none_is_not_one_model),
    cmocka_unit_test(worlds_that_do_not_fit_their_models_are_not_saved),
    cmocka_unit_test(a_failed_save_leaves_nothing),
    cmocka_unit_test(every_allocation_may_fail),
    cmocka_unit_test(seeds_of_the_fuzz_target_can_be_read),
  };
  write_on_request();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
