// What the tests of the volume readers share: reading from memory, files on trial (cut short, out
// of memory), comparing meshes.
#ifndef LB_TESTS_MESHIO_VOLUME_READING_H
#define LB_TESTS_MESHIO_VOLUME_READING_H

#include "check.h"

#include "limber/file.h"
#include "meshio/formats.h"

// Reads from a block that ends right behind the terminating zero, so that reading on is seen.
static inline lbStatus read_bytes(lbMeshReader *read, const char *path, const char *content,
                                  size_t bytes, lbMesh **mesh, lbError *err) {
  char *block = malloc(bytes + 1);
  assert_non_null(block);
  memcpy(block, content, bytes);
  block[bytes] = '\0';
  *err = (lbError){ .status = LB_OK };
  lbStatus status = read(path, block, bytes, mesh, err);
  free(block);
  return status;
}

static inline lbMesh *read_text(lbMeshReader *read, const char *path, const char *text) {
  lbMesh *mesh = NULL;
  lbError err;
  lbStatus status = read_bytes(read, path, text, strlen(text), &mesh, &err);
  check_ok(status, err);
  return mesh;
}

static inline void check_refused(lbMeshReader *read, const char *path, const char *text,
                                 lbStatus expected, const char *part) {
  lbMesh *mesh = NULL;
  lbError err;
  lbStatus status = read_bytes(read, path, text, strlen(text), &mesh, &err);
  lb_mesh_destroy(mesh);
  check_fails(status, expected, err, part);
}

// A file that must be refused, and a part of the message.
typedef struct Fault {
  const char *text, *part;
  lbStatus status;
} Fault;

static inline void check_faults(lbMeshReader *read, const char *path, const Fault *faults,
                                size_t count) {
  for (size_t i = 0; i < count; i++)
    check_refused(read, path, faults[i].text, faults[i].status, faults[i].part);
}

// A file as a block of its own, free with free(): it does not come from the allocator on trial.
static inline char *load_file(const char *path, size_t *bytes) {
  lbError err;
  char *content = NULL;
  check_ok(lb_file_read(path, &content, bytes, &err), err);
  char *copy = malloc(*bytes + 1);
  assert_non_null(copy);
  memcpy(copy, content, *bytes + 1);
  lb_free(content);
  return copy;
}

static inline lbMesh *read_path(lbMeshReader *read, const char *path) {
  lbMesh *mesh = NULL;
  lbError err;
  size_t bytes = 0;
  char *content = load_file(path, &bytes);
  lbStatus status = read_bytes(read, path, content, bytes, &mesh, &err);
  free(content);
  check_ok(status, err);
  return mesh;
}

static inline void check_indices(const lbMesh *mesh) {
  for (int32_t i = 0; i < 4 * mesh->tet_count; i++)
    assert_in_range(mesh->tets[i], 0, mesh->vertex_count - 1);
  for (int32_t i = 0; i < 8 * mesh->brick_count; i++)
    assert_in_range(mesh->bricks[i], 0, mesh->vertex_count - 1);
  for (int32_t i = 0; i < 3 * mesh->triangle_count; i++)
    assert_in_range(mesh->triangles[i], 0, mesh->vertex_count - 1);
}

// Every beginning of a file gives a message or a sound mesh. The last byte may be white space.
static inline void check_truncations(lbMeshReader *read, const char *path, const char *content,
                                     size_t bytes) {
  int32_t refused = 0;
  for (size_t n = 0; n < bytes; n++) {
    lbMesh *mesh = NULL;
    lbError err;
    lbStatus status = read_bytes(read, path, content, n, &mesh, &err);
    if (status) {
      refused++;
      assert_null(mesh);
      assert_true(strstr(err.text, path) == err.text);
    } else {
      check_indices(mesh);
      lb_mesh_destroy(mesh);
    }
  }
  assert_true(refused > (int32_t)(bytes / 4));
}

// The Nth allocation fails, for every N: a message about memory, nothing left behind.
static inline void check_failing_allocations(lbMeshReader *read, const char *path,
                                             const char *content, size_t bytes) {
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbMesh *mesh = NULL;
    lbError err;
    lb_set_allocator(&allocator);
    lbStatus status = read_bytes(read, path, content, bytes, &mesh, &err);
    lb_mesh_destroy(mesh);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (heap.count <= n) { // none failed
      check_ok(status, err);
      return;
    }
    if (status != LB_ERR_MEMORY)
      fail_msg("%s, allocation %d: %s %s", path, (int)n, lb_status_name(status), err.text);
  }
}

static inline void check_group(const lbMesh *mesh, lbGroupKind kind, int32_t tag, const char *name,
                               int32_t count, const int32_t *ids) {
  const lbGroup *group =
      tag ? lb_mesh_group_by_tag(mesh, kind, tag) : lb_mesh_group_by_name(mesh, kind, name);
  assert_non_null(group);
  assert_string_equal(group->name, name);
  assert_int_equal(group->count, count);
  assert_memory_equal(group->ids, ids, (size_t)count * sizeof *ids);
}

static inline void check_same_ids(const int32_t *a, const int32_t *b, int32_t count) {
  if (count) assert_memory_equal(a, b, (size_t)count * sizeof *a);
}

static inline void check_same_cells(const lbMesh *a, const lbMesh *b) {
  assert_int_equal(a->vertex_count, b->vertex_count);
  assert_int_equal(a->tet_count, b->tet_count);
  assert_int_equal(a->brick_count, b->brick_count);
  assert_int_equal(a->triangle_count, b->triangle_count);
  assert_memory_equal(a->positions, b->positions, 24 * (size_t)a->vertex_count);
  check_same_ids(a->tets, b->tets, 4 * a->tet_count);
  check_same_ids(a->bricks, b->bricks, 8 * a->brick_count);
  check_same_ids(a->triangles, b->triangles, 3 * a->triangle_count);
}

static inline void check_same_groups(const lbMesh *a, const lbMesh *b) {
  assert_int_equal(a->group_count, b->group_count);
  for (int32_t i = 0; i < a->group_count; i++) {
    const lbGroup *group = &a->groups[i];
    check_group(b, group->kind, group->tag, group->name, group->count, group->ids);
  }
}

#endif
