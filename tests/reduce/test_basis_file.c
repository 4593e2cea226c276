// Bases from NumPy files: every layout, type and packing; broken files.
#include "basis_problems.h"

#include "limber/file.h"
#include "arrayio/npz.h"

#include <zlib.h>

typedef struct Bytes {
  size_t count;
  unsigned char data[1 << 16];
} Bytes;

static void put(Bytes *b, const void *from, size_t count) {
  assert_true(b->count + count <= sizeof b->data);
  memcpy(b->data + b->count, from, count);
  b->count += count;
}

static void put_little(Bytes *b, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++) {
    unsigned char byte = (unsigned char)(value >> (8 * i));
    put(b, &byte, 1);
  }
}

// numpy.save's bytes, header padded to 64.
static void put_npy(Bytes *b, int version, const char *type, bool fortran, const char *shape,
                    size_t count, const double *values) {
  char header[192];
  int length =
      snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", type,
               fortran ? "True" : "False", shape);
  while ((length + 1 + (version == 1 ? 10 : 12)) % 64) header[length++] = ' ';
  header[length++] = '\n';
  put(b, "\x93NUMPY", 6);
  put_little(b, (uint32_t)version, 2); // major, minor 0
  put_little(b, (uint32_t)length, version == 1 ? 2 : 4);
  put(b, header, (size_t)length);
  for (size_t i = 0; i < count; i++) {
    unsigned char bytes[8];
    float narrow = (float)values[i];
    size_t width = type[2] == '8' ? 8 : 4;
    memcpy(bytes, width == 8 ? (const void *)&values[i] : (const void *)&narrow, width);
    for (size_t k = 0; k < width; k++) put(b, &bytes[type[0] == '>' ? width - 1 - k : k], 1);
  }
}

// A zip archive of members, as numpy.savez(_compressed) makes them.
static void put_zip(Bytes *zip, int member_count, const Bytes *members, const char *const *names,
                    bool deflated) {
  size_t begins[4], packed_sizes[4];
  uint32_t crcs[4];
  for (int i = 0; i < member_count; i++) {
    static unsigned char packed[1 << 16];
    z_stream z = { 0 };
    packed_sizes[i] = members[i].count;
    memcpy(packed, members[i].data, members[i].count);
    if (deflated) {
      deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
      z.next_in = (Bytef *)members[i].data, z.avail_in = (uInt)members[i].count;
      z.next_out = packed, z.avail_out = sizeof packed;
      assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
      packed_sizes[i] = z.total_out;
      deflateEnd(&z);
    }
    begins[i] = zip->count;
    crcs[i] = (uint32_t)crc32(0, members[i].data, (uInt)members[i].count);
    put_little(zip, 0x04034b50, 4);
    put_little(zip, 45, 2), put_little(zip, 0, 2), put_little(zip, deflated ? 8 : 0, 2);
    put_little(zip, 0, 4), put_little(zip, crcs[i], 4);
    put_little(zip, UINT32_MAX, 4), put_little(zip, UINT32_MAX, 4); // numpy: sizes in the extra
    put_little(zip, (uint32_t)strlen(names[i]), 2), put_little(zip, 20, 2);
    put(zip, names[i], strlen(names[i]));
    put_little(zip, 1, 2), put_little(zip, 16, 2);
    put_little(zip, (uint32_t)members[i].count, 4), put_little(zip, 0, 4);
    put_little(zip, (uint32_t)packed_sizes[i], 4), put_little(zip, 0, 4);
    put(zip, packed, packed_sizes[i]);
  }
  size_t directory = zip->count;
  for (int i = 0; i < member_count; i++) {
    put_little(zip, 0x02014b50, 4);
    put_little(zip, 45, 2), put_little(zip, 45, 2), put_little(zip, 0, 2);
    put_little(zip, deflated ? 8 : 0, 2), put_little(zip, 0, 4), put_little(zip, crcs[i], 4);
    put_little(zip, (uint32_t)packed_sizes[i], 4), put_little(zip, (uint32_t)members[i].count, 4);
    put_little(zip, (uint32_t)strlen(names[i]), 2), put_little(zip, 0, 4), put_little(zip, 0, 4);
    put_little(zip, 0, 4), put_little(zip, (uint32_t)begins[i], 4);
    put(zip, names[i], strlen(names[i]));
  }
  size_t length = zip->count - directory;
  put_little(zip, 0x06054b50, 4), put_little(zip, 0, 4);
  put_little(zip, (uint32_t)member_count, 2), put_little(zip, (uint32_t)member_count, 2);
  put_little(zip, (uint32_t)length, 4), put_little(zip, (uint32_t)directory, 4);
  put_little(zip, 0, 2);
}

static const char *write_bytes(const char *name, const Bytes *b) {
  const char *path = output_path(name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(b->data, 1, b->count, file), b->count);
  fclose(file);
  return path;
}

static lbFem *file_bar(void) {
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  return box_fem(LB_ELEMENT_BRICK8, 3, 1, 1, 1, 0.3, 0.2, &material, true);
}

enum { VECTORS = 4 };

static lbBasisDef file_def(const char *path) {
  lbBasisDef def = lb_basis_def();
  def.kind = LB_BASIS_FILE;
  def.file = path;
  return def;
}

// Orders of the axes (vector, vertex, component) in a file; steps of each are found from that.
static const struct {
  const char *shape; // of v vectors, n vertices
  int axes[3];       // slowest to fastest: 0 vector, 1 vertex, 2 component
  bool fortran;
} layouts[] = {
  { "(%2$d, %1$d)", { 1, 2, 0 }, false }, // 3n x k
  { "(%1$d, %2$d)", { 0, 1, 2 }, false }, // k x 3n
  { "(%3$d, 3, %1$d)", { 1, 2, 0 }, false }, { "(%1$d, %3$d, 3)", { 0, 1, 2 }, false },
  { "(%2$d, %1$d)", { 0, 1, 2 }, true },     { "(%1$d, %2$d)", { 1, 2, 0 }, true },
  { "(%3$d, 3, %1$d)", { 0, 2, 1 }, true },  { "(%1$d, %3$d, 3)", { 2, 1, 0 }, true },
};

// The vectors (k x n x 3) in another order of axes.
static void arrange(int32_t vertices, const double *vectors, const int axes[3], double *out) {
  int32_t lengths[3] = { VECTORS, vertices, 3 }, at[3];
  size_t next = 0;
  for (at[axes[0]] = 0; at[axes[0]] < lengths[axes[0]]; at[axes[0]]++)
    for (at[axes[1]] = 0; at[axes[1]] < lengths[axes[1]]; at[axes[1]]++)
      for (at[axes[2]] = 0; at[axes[2]] < lengths[axes[2]]; at[axes[2]]++)
        out[next++] = vectors[(at[0] * vertices + at[1]) * 3 + at[2]];
}

static double *random_vectors(const lbFem *fem) {
  double *vectors = malloc(VECTORS * 3 * (size_t)fem->vertex_count * sizeof(double));
  uint64_t seed = 51;
  for (size_t i = 0; i < VECTORS * 3 * (size_t)fem->vertex_count; i++)
    vectors[i] = check_random(&seed);
  return vectors;
}

static void check_same_span(const lbFem *fem, const char *path, const double *vectors,
                            double tolerance) {
  lbBasisDef def = file_def(path);
  lbBasis *basis = make_basis(fem, &def);
  size_t rows = 3 * (size_t)fem->vertex_count;
  assert_int_equal(basis->dimension, VECTORS);
  check_small(orthonormality(fem, fem->mass, VECTORS, basis->vectors), 1e-10);
  for (size_t v = 0; v < VECTORS; v++)
    check_small(outside_span(fem, basis, vectors + v * rows), tolerance);
  lb_basis_destroy(basis);
}

static void every_layout_type_and_packing_is_read(void **state) {
  (void)state;
  static const char *const types[] = { "<f8", ">f8", "<f4", ">f4" };
  static const char *const names[] = { "other.npy", "basis.npy" };
  lbFem *fem = file_bar();
  int32_t n = fem->vertex_count;
  double *vectors = random_vectors(fem), *turned = malloc(VECTORS * 3 * (size_t)n * sizeof(double));
  Bytes *members = calloc(2, sizeof(Bytes)), *zip = calloc(1, sizeof(Bytes));
  for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
    for (size_t t = 0; t < 4; t++) {
      char shape[64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
      snprintf(shape, sizeof shape, layouts[l].shape, VECTORS, 3 * (int)n, (int)n);
#pragma GCC diagnostic pop
      arrange(n, vectors, layouts[l].axes, turned);
      members[1].count = 0;
      put_npy(&members[1], 1 + (int)(t % 3), types[t], layouts[l].fortran, shape,
              VECTORS * 3 * (size_t)n, turned);
      double tolerance = t < 2 ? 1e-12 : 1e-6;
      check_same_span(fem, write_bytes("basis.npy", &members[1]), vectors, tolerance);
      zip->count = 0;
      put_zip(zip, 1, members + 1, names, l % 2);
      check_same_span(fem, write_bytes("basis.npz", zip), vectors, tolerance);
    }
  put_npy(&members[0], 1, "<f8", false, "(1,)", 1, vectors);
  zip->count = 0;
  put_zip(zip, 2, members, names, true);
  check_same_span(fem, write_bytes("two.npz", zip), vectors, 1e-6);
  free(vectors);
  free(turned);
  free(members);
  free(zip);
  lb_fem_destroy(fem);
}

static int warnings;

static void count_warnings(lbLogLevel level, const char *text, void *context) {
  (void)context;
  warnings += level == LB_LOG_WARNING && strstr(text, "1 of 4 vectors depend") != NULL;
}

static void dependent_vectors_are_left_out_and_told(void **state) {
  (void)state;
  lbFem *fem = file_bar();
  size_t rows = 3 * (size_t)fem->vertex_count;
  double *vectors = random_vectors(fem);
  char shape[32];
  for (size_t i = 0; i < rows; i++) vectors[2 * rows + i] = 2 * vectors[i] - vectors[rows + i];
  Bytes *b = calloc(1, sizeof(Bytes));
  snprintf(shape, sizeof shape, "(%d, %d)", VECTORS, (int)rows);
  put_npy(b, 1, "<f8", false, shape, VECTORS * rows, vectors);
  lbBasisDef def = file_def(write_bytes("dependent.npy", b));
  warnings = 0;
  lb_set_log(count_warnings, NULL);
  lbBasis *basis = make_basis(fem, &def);
  lb_set_log(NULL, NULL);
  assert_int_equal(basis->dimension, 3);
  assert_int_equal(warnings, 1);
  lb_basis_destroy(basis);
  free(b);
  free(vectors);
  lb_fem_destroy(fem);
}

static void refuse(const lbFem *fem, const Bytes *b, const char *part) {
  lbBasisDef def = file_def(write_bytes("bad.npy", b));
  lbBasis *basis = NULL;
  lbError err;
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_FORMAT, err, part);
  assert_null(basis);
}

static void wrong_arrays_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *type, *shape, *part;
  } cases[] = {
    { "<i8", "(48, 1)", "float64 or float32" },
    { "|f8", "(48, 1)", "float64 or float32" },
    { "<f8", "(47, 1)", "does not fit" },
    { "<f8", "(48, 48)", "ends before the values" },
    { "<f8", "(48, 0)", "has 0 vectors" },
    { "<f8", "(16, 3, 2, 1)", "4 axes" },
    { "<f8", "()", "0 axes" },
    { "<f8", "(48, 99999999999999999999)", "cannot be read" },
    { "<f8", "(48, 4611686018427387904)", "ends before the values" },
    { "<f8", "(48, x)", "cannot be read" },
    { "<f8", "(48, -1)", "cannot be read" },
    { "<f8", "(48 1)", "cannot be read" },
  };
  lbFem *fem = file_bar(); // 16 vertices
  double values[96] = { 0 };
  Bytes *b = calloc(1, sizeof(Bytes));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    b->count = 0;
    put_npy(b, 1, cases[i].type, false, cases[i].shape, 96, values);
    refuse(fem, b, cases[i].part);
  }
  b->count = 0;
  values[95] = INFINITY;
  put_npy(b, 1, "<f8", false, "(2, 16, 3)", 96, values);
  refuse(fem, b, "vector 1 is inf at vertex 15");
  b->count = 0;
  put_npy(b, 9, "<f8", false, "(48, 1)", 96, values);
  refuse(fem, b, "version 9");
  b->count = 0;
  put(b, "hello, this is no array", 23);
  refuse(fem, b, "is not a NumPy array");
  lbBasisDef def = file_def(NULL);
  lbBasis *basis = NULL;
  lbError err;
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err, "has no file");
  def.file = "no-such.npy";
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_FILE, err, "no-such.npy");
  memset(values, 0, sizeof values);
  b->count = 0;
  put_npy(b, 1, "<f8", false, "(48, 2)", 96, values);
  def.file = write_bytes("zero.npy", b);
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err, "are zero");
  free(b);
  lb_fem_destroy(fem);
}

static void square_arrays_are_ambiguous(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = box_fem(LB_ELEMENT_BRICK8, 1, 1, 1, 1, 1, 1, &material, false); // 8 vertices
  double values[24 * 24] = { 0 };
  Bytes *b = calloc(1, sizeof(Bytes));
  put_npy(b, 1, "<f8", false, "(24, 24)", 24 * 24, values);
  refuse(fem, b, "can be read in two ways");
  free(b);
  lb_fem_destroy(fem);
}

// Every truncation, and every byte of the packing changed, is refused or read, never more.
static void broken_files_are_refused(void **state) {
  (void)state;
  static const char *const names[] = { "basis.npy" };
  double values[12];
  uint64_t seed = 61;
  for (int i = 0; i < 12; i++) values[i] = check_random(&seed);
  Bytes *npy = calloc(1, sizeof(Bytes)), *zip = calloc(1, sizeof(Bytes));
  put_npy(npy, 1, "<f8", false, "(4, 3)", 12, values);
  for (int packing = 0; packing < 3; packing++) {
    zip->count = 0;
    if (packing) put_zip(zip, 1, npy, names, packing == 2);
    const Bytes *whole = packing ? zip : npy;
    for (size_t length = 0; length <= whole->count; length++) {
      char *exact = malloc(length ? length : 1); // for the address sanitizer
      lbNpy *array = NULL;
      lbError err;
      memcpy(exact, whole->data, length);
      lbStatus status = packing ? lb_npz_parse("t.npz", exact, length, "basis", &array, &err)
                                : lb_npy_parse("t.npy", exact, length, &array, &err);
      assert_int_equal(status, length == whole->count ? LB_OK : LB_ERR_FORMAT);
      lb_npy_destroy(array);
      free(exact);
    }
    for (size_t at = 0; at < whole->count; at++)
      for (int flip = 1; flip < 256; flip *= 2) {
        char *exact = malloc(whole->count);
        lbNpy *array = NULL;
        lbError err;
        memcpy(exact, whole->data, whole->count);
        exact[at] = (char)(exact[at] ^ flip);
        if (packing)
          (void)lb_npz_parse("t.npz", exact, whole->count, "basis", &array, &err);
        else
          (void)lb_npy_parse("t.npy", exact, whole->count, &array, &err);
        lb_npy_destroy(array);
        free(exact);
      }
  }
  free(npy);
  free(zip);
}

// Written by Python's zip writer (fuzz/make_array_seeds.py).
static void files_of_another_writer_are_read(void **state) {
  (void)state;
  static const char *const names[] = { "plain.npy", "big.npy", "three.npy", "stored.npz",
                                       "deflated.npz" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[128], *content = NULL;
    size_t bytes = 0;
    lbNpy *array = NULL;
    lbError err;
    snprintf(path, sizeof path, "fuzz/corpus/npz/%s", names[i]);
    check_ok(lb_file_read(path, &content, &bytes, &err), err);
    if (i < 3)
      check_ok(lb_npy_parse(path, content, bytes, &array, &err), err);
    else
      check_ok(lb_npz_parse(path, content, bytes, "basis", &array, &err), err);
    assert_int_equal(array->count, 12);
    for (int k = 0; k < 12; k++) assert_true(array->values[k] == k);
    lb_npy_destroy(array);
    array = NULL;
    if (i == 4)
      check_fails(lb_npz_parse(path, content, bytes, "absent", &array, &err), LB_ERR_FORMAT, err,
                  "holds 2 arrays and none is called \"absent\"");
    lb_free(content);
  }
}

static void failing_allocations_leave_nothing_behind(void **state) {
  (void)state;
  static const char *const names[] = { "basis.npy" };
  double values[12] = { 1, 2, 3 };
  Bytes *npy = calloc(1, sizeof(Bytes)), *zip = calloc(1, sizeof(Bytes));
  put_npy(npy, 1, "<f8", false, "(4, 3)", 12, values);
  put_zip(zip, 1, npy, names, true);
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbNpy *array = NULL;
    lbError err;
    lb_set_allocator(&allocator);
    lbStatus status =
        lb_npz_parse("t.npz", (const char *)zip->data, zip->count, "basis", &array, &err);
    lb_npy_destroy(array);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (!status) break;
    assert_int_equal(status, LB_ERR_MEMORY);
  }
  free(npy);
  free(zip);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_layout_type_and_packing_is_read),
    cmocka_unit_test(dependent_vectors_are_left_out_and_told),
    cmocka_unit_test(wrong_arrays_are_refused),
    cmocka_unit_test(square_arrays_are_ambiguous),
    cmocka_unit_test(broken_files_are_refused),
    cmocka_unit_test(files_of_another_writer_are_read),
    cmocka_unit_test(failing_allocations_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
