// What the tests of the surface formats share: reading from a string, every truncated length, and
// every failing allocation.
#ifndef LB_TESTS_SURFACE_CHECK_H
#define LB_TESTS_SURFACE_CHECK_H

#include "check.h"

#include "limber/file.h"
#include "meshio/formats.h"

// Reads `bytes` of data; must succeed. Destroy the mesh.
static inline lbMesh *read_bytes(lbMeshReader *read, const char *path, const void *data,
                                 size_t bytes) {
  lbError err = { 0 };
  lbMesh *mesh = NULL;
  char *copy = calloc(bytes + 1, 1); // a heap block of the exact size: sanitizers see overruns
  memcpy(copy, data, bytes);
  lbStatus status = read(path, copy, bytes, &mesh, &err);
  free(copy);
  if (status) fail_msg("%s", err.text);
  return mesh;
}

static inline lbMesh *read_string(lbMeshReader *read, const char *path, const char *text) {
  return read_bytes(read, path, text, strlen(text));
}

// Must fail with this status and a text that contains `part`.
static inline void check_refused(lbMeshReader *read, const char *path, const void *data,
                                 size_t bytes, lbStatus expected, const char *part) {
  lbError err = { 0 };
  lbMesh *mesh = NULL;
  char *copy = calloc(bytes + 1, 1);
  memcpy(copy, data, bytes);
  lbStatus status = read(path, copy, bytes, &mesh, &err);
  free(copy);
  check_fails(status, expected, err, part);
  assert_null(mesh);
}

static inline void check_refused_text(lbMeshReader *read, const char *path, const char *text,
                                      const char *part) {
  check_refused(read, path, text, strlen(text), LB_ERR_FORMAT, part);
}

static inline void check_indices(const lbMesh *mesh) {
  for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
    assert_in_range(mesh->triangles[i], 0, mesh->vertex_count - 1);
  for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
    assert_true(isfinite(mesh->positions[i]));
}

// Every beginning of the file is refused with a message or read as a valid mesh.
static inline void check_truncated(lbMeshReader *read, const char *path, const void *data,
                                   size_t bytes) {
  for (size_t length = 0; length < bytes; length++) {
    char *cut = calloc(length + 1, 1);
    lbError err = { 0 };
    lbMesh *mesh = NULL;
    memcpy(cut, data, length);
    lbStatus status = read(path, cut, length, &mesh, &err);
    free(cut);
    if (status) {
      assert_null(mesh);
      assert_true(err.text[0]);
      assert_int_equal(err.status, status);
    } else {
      check_indices(mesh);
    }
    lb_mesh_destroy(mesh);
  }
}

// With the Nth allocation failing, for every N: out of memory, nothing kept.
static inline void check_failing_memory(lbMeshReader *read, const char *path, const void *data,
                                        size_t bytes) {
  char *copy = calloc(bytes + 1, 1);
  memcpy(copy, data, bytes);
  CheckedHeap heap = { .fail_at = 0 };
  for (;; heap.fail_at++) {
    lbAllocator allocator = checked_allocator(&heap);
    lbError err = { 0 };
    lbMesh *mesh = NULL;
    heap.count = 0;
    lb_set_allocator(&allocator);
    lbStatus status = read(path, copy, bytes, &mesh, &err);
    lb_mesh_destroy(mesh);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (heap.count <= heap.fail_at) { // it did not come to the failing one
      assert_int_equal(status, LB_OK);
      break;
    }
    assert_int_equal(status, LB_ERR_MEMORY);
    assert_null(mesh);
  }
  assert_true(heap.fail_at > 3);
  free(copy);
}

static inline void check_triangle(const lbMesh *mesh, int32_t triangle, int32_t a, int32_t b,
                                  int32_t c) {
  const int32_t *corners = mesh->triangles + 3 * (size_t)triangle;
  if (corners[0] == a && corners[1] == b && corners[2] == c) return;
  fail_msg("triangle %d is %d %d %d, expected %d %d %d", (int)triangle, (int)corners[0],
           (int)corners[1], (int)corners[2], (int)a, (int)b, (int)c);
}

static inline double mesh_area(const lbMesh *mesh) {
  double sum = 0;
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    const double *x[3];
    double u[3], v[3];
    for (int k = 0; k < 3; k++)
      x[k] = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)k];
    for (int i = 0; i < 3; i++) u[i] = x[1][i] - x[0][i], v[i] = x[2][i] - x[0][i];
    double n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                    u[0] * v[1] - u[1] * v[0] };
    sum += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  }
  return sum;
}

static inline void write_file(const char *path, const void *data, size_t bytes) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, bytes, file), bytes);
  fclose(file);
}

// The last line of the log, and how many there were.
static char last_warning[600];
static int warning_count;

static inline void keep_warning(lbLogLevel level, const char *text, void *context) {
  (void)context;
  if (level != LB_LOG_WARNING) return;
  snprintf(last_warning, sizeof last_warning, "%s", text);
  warning_count++;
}

static inline void listen_for_warnings(void) {
  last_warning[0] = '\0';
  warning_count = 0;
  lb_set_log(keep_warning, NULL);
}

#endif
