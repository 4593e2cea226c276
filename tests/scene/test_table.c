// Per-vertex vectors as CSV.
#include "check.h"
#include "limber/table.h"
#include "scene/read.h"

static lbStatus parse(const char *text, int32_t rows, double *values, lbError *err) {
  return lb_table_parse("t.csv", text, strlen(text), rows, values, err);
}

static void every_layout_of_a_table_is_read(void **state) {
  (void)state;
  static const char *const texts[] = {
    "1,2,3\n4,5,6\n",
    "1,2,3\n4,5,6",
    "x,y,z\n1,2,3\n4,5,6\n",
    "\"ux\",\"uy\",\"uz\"\n1,2,3\n4,5,6\n",
    "# made by hand\nx y z\n\n 1 2 3\n\t4 5 6 \n\n",
    "x;y;z\r\n1;2;3\r\n4;5;6\r\n",
    "node,x,y,z\n1,1,2,3\n2,4,5,6\n",
    "node,x,y,z\n2,4,5,6\n1,1,2,3\n",
    "2,4,5,6\n1,1.0,2e0,+3\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double values[6] = { 0 };
    lbError err;
    check_ok(parse(texts[i], 2, values, &err), err);
    for (int k = 0; k < 6; k++) check_near(values[k], k + 1, 0);
  }
  lbError err;
  check_ok(parse("x,y,z\n", 0, NULL, &err), err);
}

static void faults_are_refused_with_their_line(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } cases[] = {
    { "", "ends after 0 rows, the mesh has 2" },
    { "1,2,3\n", "ends after 1 rows, the mesh has 2" },
    { "node,x,y,z\n2,1,2,3\n", "ends after 1 rows" },
    { "1,2,3\n4,5,6\n7,8,9\n", "t.csv:3: node 3 does not exist, the mesh has 2 vertices" },
    { "1,1,2,3\n1,4,5,6\n", "t.csv:2: node 1 comes twice" },
    { "1,1,2,3\n3,4,5,6\n", "t.csv:2: node 3 does not exist" },
    { "1,1,2,3\n0,4,5,6\n", "t.csv:2: node 0 does not exist" },
    { "1,1,2,3\n1.5,4,5,6\n", "t.csv:2: node 1.5 does not exist" },
    { "1,1,2,3\n1e300,4,5,6\n", "does not exist" },
    { "1,1,2,3\nnan,4,5,6\n", "t.csv:2" },
    { "1,2,3\n4,nan,6\n", "t.csv:2: nan is not a finite number" },
    { "1,2,3\n4,5,-inf\n", "t.csv:2: -inf is not a finite number" },
    { "1,2\n3,4\n", "t.csv:1: a row must be x,y,z or node,x,y,z" },
    { "1,2,3,4,5\n", "t.csv:1: a row must be" },
    { "1,2,3\n2,4,5,6\n", "t.csv:2: a row must be" },
    { "1,2,3\n4,,6\n", "t.csv:2: a row must be" },
    { "1,2,3\n4,5,6x\n", "t.csv:2: a row must be" },
    { "1,2,3\nx,y,z\n4,5,6\n", "t.csv:2: a row must be" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double values[6];
    lbError err;
    check_fails(parse(cases[i].text, 2, values, &err), LB_ERR_FORMAT, err, cases[i].part);
  }
}

static void what_is_written_is_read_back_exactly(void **state) {
  (void)state;
  enum { ROWS = 200 };
  double values[3 * ROWS], back[3 * ROWS];
  uint64_t seed = 1;
  for (int i = 0; i < 3 * ROWS; i++)
    values[i] = check_random(&seed) * pow(10, floor(300 * check_random(&seed)));
  values[0] = 5e-324, values[1] = 1.7976931348623157e308, values[2] = -0.0;
  const char *path = output_path("table.csv");
  lbError err;
  check_ok(lb_table_write(path, "u", ROWS, values, &err), err);
  check_ok(lb_table_read(path, ROWS, back, &err), err);
  assert_memory_equal(values, back, sizeof values);
  check_fails(lb_table_read("no-such.csv", 1, back, &err), LB_ERR_FILE, err, "no-such.csv");
  check_fails(lb_table_write("no-such-folder/a.csv", "u", 1, values, &err), LB_ERR_FILE, err,
              "no-such-folder/a.csv");
}

static void every_truncated_length_and_failed_allocation_is_reported(void **state) {
  (void)state;
  const char *text = "node,x,y,z\n2,4.5,5,6\n1,1,2,3e2\n";
  double values[6];
  lbError err;
  for (size_t bytes = 0; bytes < strlen(text); bytes++) {
    char *copy = malloc(bytes + 1); // just as long: reading on is seen by the sanitizers
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    lbStatus status = lb_table_parse("t.csv", copy, bytes, 2, values, &err);
    assert_true(status == LB_ERR_FORMAT || bytes + 3 >= strlen(text));
    free(copy);
  }
  CheckedHeap heap = { .fail_at = 0 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  lbStatus status = parse(text, 2, values, &err);
  lb_set_allocator(NULL);
  assert_int_equal(status, LB_ERR_MEMORY);
  assert_int_equal(heap.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_layout_of_a_table_is_read),
    cmocka_unit_test(faults_are_refused_with_their_line),
    cmocka_unit_test(what_is_written_is_read_back_exactly),
    cmocka_unit_test(every_truncated_length_and_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
