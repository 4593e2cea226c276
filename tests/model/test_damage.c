// Damaged and wrong model files are refused with a reason: every truncated length, every changed
// byte, and files whose checksums are right but whose content is not.
#include "packed.h"

// ---- damage ------------------------------------------------------------------------------------

static void every_truncated_length_is_refused(void **state) {
  (void)state;
  Packed packed = pack_small();
  for (size_t n = 0; n < packed.byte_count; n++) {
    lbBundle *bundle = NULL;
    lbError err = { 0 };
    uint8_t *copy = malloc(n + (n == 0)); // exactly as long, so that reading on is seen
    assert_non_null(copy);
    memcpy(copy, packed.bytes, n);
    lbStatus status = lb_bundle_read("cut.glb", copy, n, &bundle, &err);
    if (status != LB_ERR_FORMAT || strncmp(err.text, "cut.glb: is ", 12) != 0)
      fail_msg("%zu of %zu bytes: %s", n, packed.byte_count, err.text);
    if (n >= 20) assert_non_null(strstr(err.text, "truncated"));
    assert_null(bundle);
    free(copy);
  }
  lb_free(packed.bytes);
}

static void every_changed_byte_is_noticed(void **state) {
  (void)state;
  static const uint8_t patterns[] = { 0x01, 0x80, 0xff, 0x24 };
  Packed packed = pack_small();
  for (size_t i = 0; i < packed.byte_count; i++)
    for (size_t k = 0; k < sizeof patterns; k++) {
      lbBundle *bundle = NULL;
      lbError err = { 0 };
      packed.bytes[i] ^= patterns[k];
      if (lb_bundle_read("bad.glb", packed.bytes, packed.byte_count, &bundle, &err) == LB_OK)
        fail_msg("byte %zu changed by 0x%02x was not noticed", i, patterns[k]);
      assert_null(bundle);
      packed.bytes[i] ^= patterns[k];
    }
  lb_free(packed.bytes);
}

static void bytes_behind_the_end_are_noticed(void **state) {
  (void)state;
  Packed packed = pack_small();
  uint8_t *longer = lb_alloc(packed.byte_count + 64, 1);
  lbBundle *bundle = NULL;
  lbError err = { 0 };
  memcpy(longer, packed.bytes, packed.byte_count);
  check_fails(lb_bundle_read("x.glb", longer, packed.byte_count + 64, &bundle, &err), LB_ERR_FORMAT,
              err, "x.glb: is damaged");
  assert_true(lb_container_seal(longer, packed.byte_count + 64));
  check_fails(lb_bundle_read("x.glb", longer, packed.byte_count + 64, &bundle, &err), LB_ERR_FORMAT,
              err, "those of its models are");
  lb_free(longer);
  lb_free(packed.bytes);
}

// ---- wrong content behind right checksums ------------------------------------------------------

static lbContainerHeader *header_of(const Packed *packed) {
  size_t offset = 0;
  assert_true(lb_container_find(packed->bytes, packed->byte_count, &offset));
  return (lbContainerHeader *)(packed->bytes + offset); // at a multiple of 8
}

static lbContainerEntry *entry_of(const Packed *packed, int32_t owner, const char *name) {
  lbContainerHeader *header = header_of(packed);
  lbContainerEntry *entries = (lbContainerEntry *)(header + 1);
  for (uint32_t i = 0; i < header->array_count; i++)
    if (entries[i].owner == owner && strcmp(entries[i].name, name) == 0) return &entries[i];
  fail_msg("no array %s", name);
  return NULL;
}

static void name_entry(lbContainerEntry *entry, const char *name) {
  memset(entry->name, 0, sizeof entry->name);
  strcpy(entry->name, name);
}

static void *data_of(const Packed *packed, int32_t owner, const char *name) {
  return packed->bytes + entry_of(packed, owner, name)->offset;
}

static void check_sealed(const Packed *packed, const char *part) {
  lbBundle *bundle = NULL;
  lbError err = { 0 };
  assert_true(lb_container_seal(packed->bytes, packed->byte_count));
  check_fails(lb_bundle_read("wrong.glb", packed->bytes, packed->byte_count, &bundle, &err),
              LB_ERR_FORMAT, err, part);
  if (strncmp(err.text, "wrong.glb: ", 11) != 0) fail_msg("no file is named: %s", err.text);
  assert_null(bundle);
}

// Packs, makes one change, and expects reading to fail. In the bundle everything is in model 1.
#define check_wrong(make, change, part)                                                            \
  do {                                                                                             \
    Packed packed = make();                                                                        \
    change;                                                                                        \
    check_sealed(&packed, part);                                                                   \
    lb_free(packed.bytes);                                                                         \
  } while (0)
#define HEADER header_of(&packed)
#define ENTRY(name) entry_of(&packed, 0, name)
#define I32(name) ((int32_t *)data_of(&packed, 0, name))
#define I64(name) ((int64_t *)data_of(&packed, 0, name))
#define F64(name) ((double *)data_of(&packed, 0, name))
#define F32(name) ((float *)data_of(&packed, 0, name))
#define TEXT(name) ((char *)data_of(&packed, 0, name))
#define WORLD_I32(name) ((int32_t *)data_of(&packed, LB_WORLD_OWNER, name))
#define WORLD_F64(name) ((double *)data_of(&packed, LB_WORLD_OWNER, name))

static void sealing_alone_harms_nothing(void **state) {
  (void)state;
  Packed packed = pack_bundle(), same = pack_bundle();
  assert_true(lb_container_seal(packed.bytes, packed.byte_count));
  assert_memory_equal(packed.bytes, same.bytes, same.byte_count);
  lb_bundle_destroy(read_packed(&packed));
  assert_false(lb_container_seal(packed.bytes, 100));
  lb_free(packed.bytes);
  lb_free(same.bytes);
}

static void wrong_headers_are_refused(void **state) {
  (void)state;
  const char *part = "header is inconsistent";
  check_wrong(pack_small, HEADER->array_count = 0, part);
  check_wrong(pack_small, HEADER->array_count = UINT32_MAX, part);
  check_wrong(pack_small, HEADER->model_count = UINT32_MAX, part);
  check_wrong(pack_small, HEADER->has_world = 2, part);
  check_wrong(pack_small, HEADER->reserved[47] = 1, part);
  check_wrong(pack_small, memset(HEADER->writer, 0, 32), part);
  check_wrong(pack_small, memset(HEADER->writer, 'x', 32), part);
  check_wrong(pack_small, HEADER->writer[31] = 'x', part);
  // 96 bytes each: with an odd number of them the directory does not end at a multiple of 64.
  check_wrong(pack_small, HEADER->array_count -= 1 + HEADER->array_count % 2,
              "followed by zeros up to a multiple");
  check_wrong(pack_small, HEADER->array_count += 2, "it must begin at");
  check_wrong(pack_small, HEADER->model_count = 0, "103 arrays in");
  check_wrong(pack_small, HEADER->model_count = 2, "model 1: its sizes are missing");
  check_wrong(pack_small, HEADER->has_world = 1, "world: its sizes are missing");
  check_wrong(pack_bundle, HEADER->has_world = 0, "arrays in");
  check_wrong(pack_bundle, HEADER->model_count = 1, "world: its sizes are missing");
}

static void wrong_chunks_are_refused(void **state) {
  (void)state;
  const char *part = "chunks are not laid out";
  size_t bin = 0;
  Packed whole = pack_small();
  while (memcmp(whole.bytes + bin, "BIN", 4) != 0) bin++;
  lb_free(whole.bytes);
  check_wrong(pack_small, packed.bytes[bin] = 'b', part);
  check_wrong(
      pack_small,
      {
        packed.bytes[12] = (uint8_t)(packed.bytes[12] - 4); // BIN's header moves into the JSON
        memmove(packed.bytes + bin - 8, packed.bytes + bin - 4, 8);
        packed.bytes[bin - 8] = (uint8_t)(packed.bytes[bin - 8] + 4);
      },
      part);
}

static void wrong_entries_are_refused(void **state) {
  (void)state;
  check_wrong(pack_small, name_entry(ENTRY("sizes"), "sizez"), "its sizes are missing");
  check_wrong(pack_small, name_entry(ENTRY("volume.masses"), "volume.maszes"),
              "volume.maszes is no array of a model");
  check_wrong(pack_small, name_entry(ENTRY("volume.masses"), "world.gravity"),
              "world.gravity is no array of a model");
  check_wrong(pack_small, name_entry(ENTRY("volume.masses"), "sizes"),
              "sizes is no array of a model");
  check_wrong(pack_small, memset(ENTRY("volume.masses")->name, 'x', 48), "an invalid name");
  check_wrong(pack_small, ENTRY("volume.masses")->name[47] = 'x', "an invalid name");
  check_wrong(pack_small, ENTRY("volume.masses")->name[0] = '\x1b', "an invalid name");
  check_wrong(pack_small, ENTRY("volume.masses")->owner = 1, "is missing");
  check_wrong(pack_small, ENTRY("volume.masses")->type = LB_I64, "volume.masses has type i64");
  check_wrong(pack_small, ENTRY("volume.masses")->type = 999, "volume.masses has type ?");
  check_wrong(pack_small, ENTRY("volume.masses")->rank = 2, "it must be f64 and 9 x 0 x 0");
  check_wrong(pack_small, ENTRY("volume.masses")->shape[0] = 8, "shape 8 x 0 x 0");
  check_wrong(pack_small, ENTRY("volume.masses")->shape[2] = 1, "shape 9 x 0 x 1");
  check_wrong(pack_small, ENTRY("volume.masses")->shape[0] = -9, "shape -9 x 0 x 0");
  check_wrong(pack_small, ENTRY("volume.masses")->bytes = 8, "and 8 bytes");
  check_wrong(pack_small, ENTRY("volume.masses")->offset += 64, "it must begin at");
  check_wrong(pack_small, ENTRY("volume.masses")->offset -= 64, "it must begin at");
  check_wrong(pack_small, ENTRY("volume.masses")->offset += 1, "it must begin at");
  check_wrong(pack_small, ENTRY("volume.masses")->offset = UINT64_MAX - 63, "it must begin at");
  check_wrong(
      pack_small,
      {
        ENTRY("object.name")->bytes = UINT64_C(1) << 62;
        ENTRY("object.name")->shape[0] = INT64_C(1) << 62;
      },
      "left in the file");
  check_wrong(pack_small, TEXT("volume.masses")[9 * 8] = 1, "not followed by zeros");
}

static void wrong_frames_are_refused(void **state) {
  (void)state;
  check_wrong(pack_small, F64("frames.poses")[6] = 2, "rotation of frame 0 has the length 2");
  check_wrong(pack_small, I32("frames.settings")[0] = 2, "has forces 2");
  check_wrong(pack_small, F64("frames.sample_volumes")[1] = 0, "sample 1 has 0 m3");
  check_wrong(pack_small, I32("frames.sample_begin")[1] = 0, "sample 0 has weights of 0 frames");
  check_wrong(pack_small, I32("frames.sample_frames")[1] = 0, "the frames of sample 0 do not");
  check_wrong(pack_small, F64("frames.node_weights")[3] = 0, "the weights of node 3 sum to 0");
  check_wrong(pack_small, F64("frames.sample_weights")[1] = 1e40, "sample_weights[1] is 1e+40");
  check_wrong(pack_small, I32("frames.grid_size")[1] = 2, "are not a grid of 1 x 2 x 3");
  check_wrong(pack_small, F64("frames.grid")[3] = -1, "cells of -1 m");
  check_wrong(pack_small, F64("frames.bulk")[0] = -1, "frames.bulk is -1");
  check_wrong(pack_small, F64("frames.damping")[1] = -1, "frames.damping[1] is -1");
}

static void wrong_sizes_are_refused(void **state) {
  (void)state;
  check_wrong(pack_small, I32("sizes")[0] = -1, "node_count is -1");
  check_wrong(pack_small, I32("sizes")[0] = 10, "it must be f64 and 10 x 3 x 0");
  check_wrong(pack_small, I32("sizes")[0] = INT32_MAX, "it must be f64 and 2147483647 x 3 x 0");
  check_wrong(pack_small, I32("sizes")[29] = 0, "its sizes end with a zero");
  check_wrong(pack_small, I32("sizes")[8] = 1, "look.names is not 1 plain UTF-8 texts");
  check_wrong(pack_small, I32("sizes")[8] = INT32_MAX, "look.names is not 2147483647 plain");
  check_wrong(pack_small, ENTRY("sizes")->shape[0] = 19, "sizes has type i32, shape 19");
  check_wrong(pack_small, ENTRY("sizes")->shape[0] = 0, "sizes has type i32, shape 0");
  check_wrong(pack_small, ENTRY("sizes")->shape[0] = INT64_MAX, "sizes has type i32");
  check_wrong(pack_small, ENTRY("sizes")->type = LB_F32, "sizes has type f32");
  // Fewer sizes than there are: the arrays of the others would have no items.
  check_wrong(pack_small, (ENTRY("sizes")->shape[0] = 11, ENTRY("sizes")->bytes = 44),
              "sizes is not followed by zeros");
  check_wrong(
      pack_small,
      {
        ENTRY("sizes")->shape[0] = 17;
        ENTRY("sizes")->bytes = 68;
        memset(I32("sizes") + 17, 0, 52);
      },
      "accuracy.");
}

static void wrong_values_are_refused(void **state) {
  (void)state;
  check_wrong(pack_small, I32("object.up")[0] = 0, "object.up[0] is 0");
  check_wrong(pack_small, F64("volume.positions")[5] = NAN, "volume.positions[5] is nan");
  check_wrong(pack_small, F64("volume.masses")[2] = -INFINITY, "volume.masses[2] is -inf");
  check_wrong(pack_small, TEXT("volume.fixed")[8] = 7, "volume.fixed[8] is 7");
  check_wrong(pack_small, I32("volume.tets")[0] = -1, "volume.tets[0] is -1");
  check_wrong(pack_small, I32("volume.bricks")[7] = 9, "volume.bricks[7] is 9");
  check_wrong(pack_small, I32("volume.materials")[2] = 2, "volume.materials[2] is 2");
  check_wrong(pack_small, I32("surface.triangles")[11] = 4, "surface.triangles[11] is 4");
  check_wrong(pack_small, F32("surface.corner_uvs")[1] = NAN, "surface.corner_uvs[1] is nan");
  check_wrong(pack_small, I32("embedding.begin")[1] = 0, "surface vertex 0 has no nodes");
  check_wrong(pack_small, I32("embedding.begin")[1] = INT32_MAX, "surface vertex 0 has no nodes");
  check_wrong(pack_small, I32("embedding.begin")[4] = 5, "runs from 0 to 5");
  check_wrong(pack_small, I32("embedding.nodes")[0] = 9, "embedding.nodes[0] is 9");
  check_wrong(pack_small, F64("embedding.weights")[0] = 0, "weights that sum to 0");
  check_wrong(pack_small, I32("look.textures")[1] = 2, "look.textures[1] is 2");
  check_wrong(pack_small, I64("texture.ranges")[0] = -64, "texture 0 lies outside");
  check_wrong(pack_small, I64("texture.ranges")[1] = INT64_MAX, "texture 0 lies outside");
  check_wrong(pack_small, I64("texture.ranges")[0] += 1 << 12, "texture 0 lies outside");
  check_wrong(pack_small, F64("modal.eigenvalues")[2] = -1, "mode 2 has the eigenvalue -1");
  check_wrong(pack_small, F64("modal.basis")[80] = NAN, "modal.basis[80] is nan");
  check_wrong(pack_small, I32("candidate.fates")[0] = 3, "candidate.fates[0] is 3");
  check_wrong(pack_small, TEXT("object.name")[0] = '\xff', "object.name is not 1 plain");
  check_wrong(pack_small, TEXT("object.name")[3] = '\0', "object.name is not 1 plain");
  check_wrong(pack_small, TEXT("object.name")[ENTRY("object.name")->bytes - 1] = 'x',
              "object.name is not 1 plain");
  check_wrong(pack_small, TEXT("look.names")[8] = 'x', "look.names is not 2 plain");
}

static void wrong_worlds_are_refused(void **state) {
  (void)state;
  check_wrong(pack_bundle, WORLD_I32("body.models")[0] = 2, "world: body 0 uses model 2");
  check_wrong(pack_bundle, WORLD_I32("body.models")[0] = -1, "world: body 0 uses model -1");
  check_wrong(pack_bundle, WORLD_I32("body.models")[1] = 0, "does not have the method \"modal\"");
  check_wrong(pack_bundle, WORLD_I32("body.methods")[0] = -1, "body.methods[0] is -1");
  check_wrong(pack_bundle, WORLD_F64("view.fov")[0] = 171, "view.fov is 171 degrees");
  check_wrong(pack_bundle, WORLD_F64("view.fov")[0] = NAN, "view.fov[0] is nan");
  check_wrong(pack_bundle, WORLD_F64("view.ground")[0] = -1e31, "its ground is at -1e+31 m");
  check_wrong(pack_bundle, memcpy(WORLD_F64("view.at"), WORLD_F64("view.from"), 24),
              "view.from is 0 m from view.at");
  check_wrong(pack_bundle, WORLD_I32("view.no_ground")[0] = 2, "view.no_ground[0] is 2");
  check_wrong(pack_bundle, WORLD_I32("world.integrator")[0] = 2, "world.integrator[0] is 2");
  check_wrong(pack_bundle, WORLD_I32("world.newton_iterations")[0] = 0, "iterations[0] is 0");
  check_wrong(pack_bundle, WORLD_F64("world.newton_tolerance")[0] = 0, "newton_tolerance is 0");
  check_wrong(pack_bundle, WORLD_I32("body.methods")[1] = 9, "body.methods[1] is 9");
  check_wrong(pack_bundle, WORLD_F64("body.rotations")[0] = 1, "squared length 2");
  check_wrong(pack_bundle, WORLD_F64("world.time_step")[0] = 0, "the time step is 0");
  check_wrong(pack_bundle, WORLD_I32("world.step_count")[0] = -1, "world.step_count[0] is -1");
  check_wrong(pack_bundle, WORLD_I32("body.paths")[1] = 2, "body.paths[1] is 2");
  check_wrong(pack_bundle, WORLD_I32("path.begin")[0] = 1, "path.begin runs from 1 to 5");
  check_wrong(pack_bundle, WORLD_I32("path.begin")[1] = 0, "path 0 has no keys");
  check_wrong(pack_bundle, WORLD_I32("path.begin")[1] = 6, "path 0 has no keys");
  check_wrong(pack_bundle, WORLD_I32("path.interpolations")[0] = 3, "interpolations[0] is 3");
  check_wrong(pack_bundle, WORLD_I32("path.parts")[0] = 0, "path.parts[0] is 0");
  check_wrong(pack_bundle, WORLD_I32("shape.bodies")[0] = 1, "body 1 has a shape and not the");
  check_wrong(pack_bundle, WORLD_I32("shape.bodies")[0] = 2, "shape.bodies[0] is 2");
  check_wrong(pack_bundle, WORLD_F64("shape.coordinates")[1] = NAN, "shape.coordinates[1] is nan");
  check_wrong(pack_bundle, WORLD_F64("path.times")[2] = NAN, "path.times[2] is nan");
  check_wrong(pack_bundle, WORLD_F64("contact.friction")[0] = -1, "contact.friction is -1");
  check_wrong(pack_bundle, WORLD_I32("contact.substeps")[0] = 1001, "substeps[0] is 1001");
  check_wrong(pack_bundle, WORLD_F64("body.frictions")[1] = -.5, "body.frictions[1] is -0.5");
  check_wrong(pack_bundle, WORLD_I32("world.substeps_max")[0] = 0, "substeps_max[0] is 0");
  check_wrong(pack_bundle, WORLD_I32("world.substeps_max")[0] = 65, "substeps_max[0] is 65");
  check_wrong(pack_bundle, WORLD_I32("body.filters")[3] = -1, "body.filters[1] is -1, 1");
  check_wrong(pack_bundle, WORLD_I32("collider.filters")[1] = 65536,
              "collider.filters[0] is 1, 65");
  check_wrong(pack_bundle, WORLD_F64("contact.hit_speed")[0] = -1, "contact.hit_speed is -1");
  check_wrong(pack_bundle, WORLD_F64("contact.material")[1] = 2, "contact.material[0] is 9.5");
  check_wrong(pack_bundle, WORLD_F64("contact.material")[2] = -1, "each must be 0 or more, the");
  check_wrong(pack_bundle, WORLD_F64("body.contact_materials")[4] = -.5, "0 or more, or -1, the");
  check_wrong(pack_bundle, WORLD_F64("collider.contact_materials")[8] = INFINITY,
              "collider.contact_materials[8] is inf");
  check_wrong(pack_bundle, ((uint8_t *)data_of(&packed, LB_WORLD_OWNER, "collider.sensors"))[0] = 2,
              "collider.sensors[0] is 2");
  check_wrong(pack_bundle, WORLD_F64("body.contact_frames")[2] = 9, "body.contact_frames[1] is 9");
  check_wrong(pack_bundle, WORLD_F64("collider.frictions")[2] = INFINITY, "frictions[2] is inf");
  check_wrong(pack_bundle, WORLD_F64("collider.frictions")[2] = -2, "frictions[2] is -2");
  check_wrong(pack_bundle, WORLD_I32("collider.shapes")[1] = 6, "collider.shapes[1] is 6");
  check_wrong(pack_bundle, WORLD_I32("collider.paths")[1] = 2, "collider.paths[1] is 2");
  check_wrong(pack_bundle, WORLD_F64("collider.rotations")[0] = 1, "collider 0: its rotation");
  check_wrong(pack_bundle, WORLD_F64("collider.positions")[4] = 1e31, "collider 1 lies at 1e+31");
  check_wrong(pack_bundle, WORLD_I32("collider.vertex_begin")[3] = 3, "runs from 0 to 3");
  check_wrong(pack_bundle, WORLD_I32("collider.vertex_begin")[1] = 5, "does not rise");
  check_wrong(pack_bundle, WORLD_I32("collider.vertex_begin")[2] = 1, "uses vertex 3 of 3");
  check_wrong(pack_bundle, WORLD_I32("collider.triangle_begin")[0] = -1, "runs from -1 to 2");
  check_wrong(pack_bundle, WORLD_I32("collider.triangles")[5] = -1, "uses vertex -1 of 4");
  check_wrong(pack_bundle, WORLD_I32("joint.kinds")[1] = 5, "joint.kinds[1] is 5");
  check_wrong(pack_bundle, WORLD_I32("joint.bodies")[0] = -1, "joint 0 does not join two");
  check_wrong(pack_bundle, WORLD_I32("joint.bodies")[3] = 0, "joint 1 does not join two");
  check_wrong(pack_bundle, WORLD_I32("joint.vertices")[0] = 4, "joint 0 is at a vertex");
  check_wrong(pack_bundle, WORLD_I32("joint.vertices")[1] = 0, "joint 0 is at a vertex");
  check_wrong(pack_bundle, WORLD_F64("joint.axes")[1] = 0, "an axis of no length");
  check_wrong(pack_bundle, WORLD_F64("joint.numbers")[0] = 2, "limits in the wrong order");
  check_wrong(pack_bundle, WORLD_F64("joint.numbers")[3] = -1, "joint 0 has a wrong motor");
  check_wrong(pack_bundle, WORLD_I32("joint.region_begin")[1] = 4, "does not rise");
  check_wrong(pack_bundle, WORLD_I32("joint.region_begin")[2] = 2, "from 0 to 3");
  check_wrong(pack_bundle, WORLD_I32("joint.regions")[1] = 4, "joint 1 has a region");
  check_wrong(pack_bundle, WORLD_I32("load.bodies")[0] = 2, "load.bodies[0] is 2");
  check_wrong(pack_bundle, WORLD_I32("load.points")[0] = 4, "load 0 is at vertex 4, body 0 has 4");
  check_wrong(pack_bundle, WORLD_I32("load.points")[1] = 9, "load 1 is at node 9, body 1 has 9");
  check_wrong(pack_bundle, WORLD_I32("load.kinds")[1] = LB_POINT_TRIANGLE, "load.kinds[1] is 2");
  check_wrong(pack_bundle, WORLD_F64("load.times")[0] = NAN, "load.times[0] is nan");
  check_wrong(pack_bundle, WORLD_I32("probe.points")[2] = -1, "probe 2 is at node -1");
  check_wrong(pack_bundle, entry_of(&packed, 1, "volume.masses")->shape[0] = 1,
              "model 1: volume.masses has type");
}

// Takes an array out of the first model, as another writer might.
static void drop_array(Packed *packed, const char *name) {
  lbContainerEntry *entry = entry_of(packed, 0, name);
  lbContainerHeader *header = header_of(packed);
  lbContainerEntry *first = (lbContainerEntry *)(header + 1), *end = first + header->array_count;
  uint64_t gap = lb_container_align(entry->bytes), begin = entry->offset;
  uint64_t old_begin = lb_container_align((uint64_t)((uint8_t *)end - packed->bytes));
  memmove(packed->bytes + begin, packed->bytes + begin + gap, packed->byte_count - begin - gap);
  packed->byte_count -= gap;
  for (lbContainerEntry *later = entry + 1; later < end; later++) later->offset -= gap;
  memmove(entry, entry + 1, (size_t)((uint8_t *)end - (uint8_t *)(entry + 1)));
  memset(--end, 0, sizeof *end);
  header->array_count--;
  uint64_t new_begin = lb_container_align((uint64_t)((uint8_t *)end - packed->bytes));
  uint64_t shift = old_begin - new_begin;
  for (lbContainerEntry *any = first; any < end; any++) any->offset -= shift;
  packed->byte_count -= shift;
  memmove(packed->bytes + new_begin, packed->bytes + old_begin, packed->byte_count - new_begin);
}

static void missing_arrays_are_named(void **state) {
  (void)state;
  static const char *const needed[] = { "object.name",   "volume.positions",  "volume.tets",
                                        "rigid.mass",    "surface.triangles", "embedding.begin",
                                        "look.colors",   "texture.mimes",     "modal.basis",
                                        "modal.damping", "modal.launch",      "candidate.fates",
                                        "object.up",     "volume.masses" };
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    Packed packed = pack_small();
    char part[64];
    snprintf(part, sizeof part, "%s is missing", needed[i]);
    drop_array(&packed, needed[i]);
    check_sealed(&packed, part);
    lb_free(packed.bytes);
  }
  // What need not be there need not be there, and the reader finds its way.
  Packed packed = pack_small();
  drop_array(&packed, "surface.corner_uvs");
  assert_true(lb_container_seal(packed.bytes, packed.byte_count));
  lbBundle *bundle = read_packed(&packed);
  assert_null(bundle->models[0]->corner_uvs);
  lb_bundle_destroy(bundle);
  lb_free(packed.bytes);
}

// Two entries of the same type and shape change places, or both have the first one's name.
static void arrays_stand_once_and_in_order(void **state) {
  (void)state;
  check_wrong(pack_small, name_entry(ENTRY("candidate.amplitudes"), "candidate.eigenvalues"),
              "candidate.eigenvalues appears twice or out of order");
  check_wrong(
      pack_small,
      {
        lbContainerEntry *a = ENTRY("candidate.eigenvalues");
        lbContainerEntry *b = ENTRY("candidate.amplitudes");
        memset(a->name, 0, sizeof a->name);
        memset(b->name, 0, sizeof b->name);
        strcpy(a->name, "candidate.amplitudes");
        strcpy(b->name, "candidate.eigenvalues");
      },
      "candidate.eigenvalues appears twice or out of order");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_truncated_length_is_refused),
    cmocka_unit_test(every_changed_byte_is_noticed),
    cmocka_unit_test(bytes_behind_the_end_are_noticed),
    cmocka_unit_test(sealing_alone_harms_nothing),
    cmocka_unit_test(wrong_headers_are_refused),
    cmocka_unit_test(wrong_chunks_are_refused),
    cmocka_unit_test(wrong_entries_are_refused),
    cmocka_unit_test(wrong_frames_are_refused),
    cmocka_unit_test(wrong_sizes_are_refused),
    cmocka_unit_test(wrong_values_are_refused),
    cmocka_unit_test(wrong_worlds_are_refused),
    cmocka_unit_test(missing_arrays_are_named),
    cmocka_unit_test(arrays_stand_once_and_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
