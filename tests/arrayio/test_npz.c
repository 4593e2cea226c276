// NPZ archives: their bytes, what numpy makes of them, and failures.
#include "check.h"

#include "arrayio/npz.h"

static const char *output(void) { return output_path("test.npz"); }

static const double f8[6] = { 1, 2, 3, 4.5, -1e300, 6 };
static const float f4[2] = { 0.5f, -2 };
static const int32_t i4[3] = { 1, -2, INT32_MAX };
static const int64_t i8[1] = { INT64_MIN };
static const uint8_t u1[4] = { 0, 1, 2, 255 };

static const lbNpzArray arrays[] = {
  { "basis", LB_SCALAR_FLOAT64, 2, { 2, 3 }, false, f8 },
  { "columns", LB_SCALAR_FLOAT64, 2, { 2, 3 }, true, f8 },
  { "f4", LB_SCALAR_FLOAT32, 1, { 2 }, false, f4 },
  { "i4", LB_SCALAR_INT32, 3, { 1, 3, 1 }, false, i4 },
  { "i8", LB_SCALAR_INT64, 0, { 0 }, false, i8 },
  { "u1", LB_SCALAR_UINT8, 4, { 1, 2, 1, 2 }, false, u1 },
  { "gr\xc3\xb6\xc3\x9f"
    "e",
    LB_SCALAR_FLOAT64,
    2,
    { 0, 3 },
    false,
    NULL },
};
#define ARRAYS (sizeof arrays / sizeof *arrays)

static lbStatus write_all(const char *path, lbError *err) {
  lbNpzWriter writer;
  lbStatus status = lb_npz_begin(&writer, path, err);
  for (size_t i = 0; i < ARRAYS && !status; i++) status = lb_npz_add(&writer, &arrays[i], err);
  return status ? status : lb_npz_commit(&writer, err);
}

static char *read_all(const char *path, size_t *bytes) {
  char *content = NULL;
  lbError err;
  check_ok(lb_file_read(path, &content, bytes, &err), err);
  return content;
}

// ---- tests -------------------------------------------------------------------------------------

static void headers_are_as_the_formats_want_them(void **state) {
  (void)state;
  lbError err;
  size_t bytes;
  check_ok(write_all(output(), &err), err);
  char *content = read_all(output(), &bytes);
  assert_memory_equal(content, "PK\3\4", 4);
  assert_memory_equal(content + 30, "basis.npy", 9);
  const char *npy = content + 39;
  assert_memory_equal(npy, "\x93NUMPY\1\0", 8);
  assert_non_null(strstr(npy + 10, "'descr': '<f8', 'fortran_order': False, 'shape': (2, 3,), }"));
  size_t header = 10 + (size_t)(uint8_t)npy[8];
  assert_int_equal(header % 64, 0);
  assert_int_equal(npy[header - 1], '\n');
  assert_memory_equal(npy + header, f8, sizeof f8);
  assert_memory_equal(content + bytes - 22, "PK\5\6", 4);
  assert_int_equal(content[bytes - 12], ARRAYS);
  lb_free(content);
}

static void the_same_arrays_give_the_same_bytes(void **state) {
  (void)state;
  lbError err;
  size_t first_bytes, second_bytes;
  check_ok(write_all(output(), &err), err);
  char *first = read_all(output(), &first_bytes);
  check_ok(write_all(output(), &err), err);
  char *second = read_all(output(), &second_bytes);
  assert_int_equal(first_bytes, second_bytes);
  assert_memory_equal(first, second, first_bytes);
  lb_free(first);
  lb_free(second);
}

static void numpy_loads_every_array(void **state) {
  (void)state;
  lbError err;
  check_ok(write_all(output(), &err), err);
  if (system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
    print_message("skipped: /usr/bin/python3 has no numpy (package python3-numpy)\n");
    skip();
  }
  char command[2048];
  snprintf(command, sizeof command,
           "/usr/bin/python3 -c \"\n"
           "import numpy as np, zipfile\n"
           "assert zipfile.ZipFile('%s').testzip() is None\n"
           "z = np.load('%s', allow_pickle=False)\n"
           "rows = np.array([[1, 2, 3], [4.5, -1e300, 6]])\n"
           "def same(name, value, kind):\n"
           "  a = z[name]\n"
           "  assert a.dtype == kind and a.shape == value.shape and (a == value).all(), (name, a)\n"
           "same('basis', rows, 'f8')\n"
           "same('columns', rows.reshape(3, 2).T, 'f8')\n"
           "same('f4', np.array([0.5, -2]), 'f4')\n"
           "same('i4', np.array([[[1], [-2], [2**31 - 1]]]), 'i4')\n"
           "same('i8', np.array(-2**63), 'i8')\n"
           "same('u1', np.array([[[[0, 1]], [[2, 255]]]]), 'u1')\n"
           "same('gr\\xf6\\xdfe', np.zeros((0, 3)), 'f8')\n"
           "assert len(z.files) == 7, z.files\n\"",
           output(), output());
  assert_int_equal(system(command), 0);
}

static void wrong_arrays_are_named_and_leave_no_file(void **state) {
  (void)state;
  const struct {
    lbNpzArray array;
    lbStatus status;
    const char *part;
  } wrong[] = {
    { { "", LB_SCALAR_FLOAT32, 1, { 2 }, false, f4 }, LB_ERR_ARGUMENT, "needs a name" },
    { { "basis", LB_SCALAR_FLOAT32, 1, { 2 }, false, f4 },
      LB_ERR_ARGUMENT,
      "already an array \"basis\"" },
    { { "x", LB_SCALAR_FLOAT32, 5, { 2 }, false, f4 }, LB_ERR_ARGUMENT, "5 dimensions" },
    { { "x", LB_SCALAR_FLOAT32, 1, { -2 }, false, f4 }, LB_ERR_ARGUMENT, "dimension 0 is -2" },
    { { "x", LB_SCALAR_FLOAT32, 1, { 2 }, false, NULL }, LB_ERR_ARGUMENT, "no data" },
    { { "x", LB_SCALAR_FLOAT64, 1, { 1 << 29 }, false, f8 }, LB_ERR_UNSUPPORTED, "4 GiB" },
    { { "x", LB_SCALAR_FLOAT64, 4, { INT64_MAX, INT64_MAX, 0, 1 }, false, f8 },
      LB_ERR_UNSUPPORTED,
      "4 GiB" },
  };
  remove(output());
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    lbNpzWriter writer;
    lbError err;
    check_ok(lb_npz_begin(&writer, output(), &err), err);
    check_ok(lb_npz_add(&writer, &arrays[0], &err), err);
    check_fails(lb_npz_add(&writer, &wrong[i].array, &err), wrong[i].status, err, wrong[i].part);
    lb_npz_abort(&writer); // legal again
    assert_false(lb_file_exists(output()));
  }
}

static void every_failing_allocation_is_reported_without_leaks(void **state) {
  (void)state;
  lbStatus status = LB_ERR_MEMORY;
  remove(output());
  int64_t n = 0;
  for (; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbError err = { 0 };
    assert_false(lb_file_exists(output()));
    lb_set_allocator(&allocator);
    status = write_all(output(), &err);
    lb_set_allocator(NULL);
    if (status) assert_int_equal(status, LB_ERR_MEMORY);
    assert_int_equal(heap.live, 0);
  }
  assert_true(n > (int64_t)ARRAYS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(headers_are_as_the_formats_want_them),
    cmocka_unit_test(the_same_arrays_give_the_same_bytes),
    cmocka_unit_test(numpy_loads_every_array),
    cmocka_unit_test(wrong_arrays_are_named_and_leave_no_file),
    cmocka_unit_test(every_failing_allocation_is_reported_without_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
