// The small model, and a bundle of two with a world, as the bytes of files.
#ifndef LB_TESTS_PACKED_H
#define LB_TESTS_PACKED_H

#include "small_model.h"

#include "limber/file.h"
#include "model/container.h"

typedef struct Packed {
  uint8_t *bytes; // lb_free it
  size_t byte_count;
} Packed;

static inline Packed pack_model(const lbModel *draft) {
  Packed packed = { 0 };
  lbError err = { 0 };
  check_ok(lb_bundle_pack(&draft, 1, NULL, NULL, &packed.bytes, &packed.byte_count, &err), err);
  return packed;
}

static inline Packed pack_small(void) {
  SmallModel small;
  small_model_fill(&small);
  return pack_model(&small.draft);
}

// Model 0 has neither looks nor modes, model 1 has everything, and both bodies of the world use it.
typedef struct SmallBundle {
  SmallModel models[2];
  SmallWorld world;
  const lbModel *list[2];
} SmallBundle;

static inline void small_bundle_fill(SmallBundle *b) {
  small_model_fill(&b->models[0]);
  small_model_fill(&b->models[1]);
  small_world_fill(&b->world, 1);
  small_model_strip(&b->models[0]);
  strcpy(b->models[0].name, "stripped");
  for (int i = 0; i < 2; i++) b->list[i] = &b->models[i].draft;
}

static inline Packed pack_bundle(void) {
  SmallBundle bundle;
  Packed packed = { 0 };
  lbError err = { 0 };
  small_bundle_fill(&bundle);
  check_ok(lb_bundle_pack(bundle.list, 2, &bundle.world.def, NULL, &packed.bytes,
                          &packed.byte_count, &err),
           err);
  return packed;
}

static inline lbBundle *read_packed(const Packed *packed) {
  lbBundle *bundle = NULL;
  lbError err = { 0 };
  check_ok(lb_bundle_read("packed.glb", packed->bytes, packed->byte_count, &bundle, &err), err);
  return bundle;
}

static inline void check_file_is(const char *path, const Packed *expected) {
  char *content = NULL;
  size_t bytes = 0;
  lbError err = { 0 };
  check_ok(lb_file_read(path, &content, &bytes, &err), err);
  assert_int_equal(bytes, expected->byte_count);
  assert_memory_equal(content, expected->bytes, bytes);
  lb_free(content);
}

static inline void write_packed(const char *path, const void *bytes, size_t byte_count) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, byte_count, file), byte_count);
  assert_int_equal(fclose(file), 0);
}

#endif
