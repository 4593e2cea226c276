// Files seen as memory: mapped, or read where they cannot be.
#include "check.h"
#include "limber/file.h"

#include <sys/stat.h>
#include <unistd.h>

static void write_bytes(const char *path, size_t count) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  for (size_t i = 0; i < count; i++) fputc((int)(i * 7 % 251), file);
  assert_int_equal(fclose(file), 0);
}

static void check_bytes(const lbFileMap *map, size_t count) {
  assert_int_equal(map->byte_count, count);
  assert_int_equal((uintptr_t)map->bytes % LB_ALIGNMENT, 0);
  for (size_t i = 0; i < count; i++) assert_int_equal(map->bytes[i], i * 7 % 251);
}

static void files_of_any_length_are_mapped(void **state) {
  (void)state;
  static const size_t counts[] = { 1, 4095, 4096, 4097, 300001 };
  const char *path = output_path("mapped.bin");
  for (int i = 0; i < 5; i++) {
    lbFileMap map = { 0 };
    lbError err = { 0 };
    write_bytes(path, counts[i]);
    check_ok(lb_file_map(path, &map, &err), err);
    check_bytes(&map, counts[i]);
    assert_null(map.block_); // by the system here, without a copy
    lb_file_unmap(&map);
    assert_null(map.bytes);
    lb_file_unmap(&map); // a second time is harmless
  }
  remove(path);
}

static void a_mapped_file_may_be_replaced(void **state) {
  (void)state;
  const char *path = output_path("replaced.bin");
  lbFileMap map = { 0 };
  lbFileWriter writer;
  lbError err = { 0 };
  write_bytes(path, 10000);
  check_ok(lb_file_map(path, &map, &err), err);
  check_ok(lb_file_begin(&writer, path, &err), err);
  fputs("new", writer.stream);
  check_ok(lb_file_commit(&writer, &err), err);
  check_bytes(&map, 10000);
  lb_file_unmap(&map);
  remove(path);
}

static void pipes_are_read(void **state) {
  (void)state;
  const char *path = output_path("mapped.pipe");
  lbFileMap map = { 0 };
  lbError err = { 0 };
  remove(path);
  assert_int_equal(mkfifo(path, 0600), 0);
  pid_t child = fork();
  if (child == 0) {
    write_bytes(path, 1000);
    _exit(0);
  }
  check_ok(lb_file_map(path, &map, &err), err);
  check_bytes(&map, 1000);
  assert_non_null(map.block_);
  lb_file_unmap(&map);
  remove(path);
}

static void what_cannot_be_mapped_is_named(void **state) {
  (void)state;
  const char *path = output_path("closed.bin");
  lbFileMap map = { .byte_count = 77 };
  lbError err = { 0 };
  check_fails(lb_file_map(output_path("none.bin"), &map, &err), LB_ERR_FILE, err,
              "none.bin: cannot open for reading: No such file");
  check_fails(lb_file_map(output_path("."), &map, &err), LB_ERR_FILE, err,
              "is a folder, name a file in it");
  check_fails(lb_file_map("/dev/null", &map, &err), LB_ERR_FILE, err, "/dev/null: is empty");
  write_bytes(path, 0);
  check_fails(lb_file_map(path, &map, &err), LB_ERR_FILE, err, "closed.bin: is empty");
  write_bytes(path, 5);
  assert_int_equal(chmod(path, 0), 0);
  if (geteuid() != 0)
    check_fails(lb_file_map(path, &map, &err), LB_ERR_FILE, err,
                "closed.bin: cannot open for reading: Permission denied");
  remove(path);
  assert_int_equal(map.byte_count, 77);
  assert_null(map.bytes);
}

static void reading_survives_failed_allocations(void **state) {
  (void)state;
  lbFileMap map = { 0 };
  lbError err = { 0 };
  CheckedHeap heap = { .fail_at = 0 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  lbStatus status = lb_file_map("/dev/null", &map, &err);
  lb_set_allocator(NULL);
  assert_int_equal(status, LB_ERR_MEMORY);
  assert_int_equal(heap.live, 0);
}

// Small files are held in memory: what happens to them later does not matter.
static void a_held_file_may_be_shortened(void **state) {
  (void)state;
  const char *path = output_path("held.bin");
  lbFileMap map = { 0 };
  lbError err = { 0 };
  write_bytes(path, 100000);
  check_ok(lb_file_hold(path, &map, &err), err);
  assert_int_equal(truncate(path, 10), 0);
  check_bytes(&map, 100000); // SIGBUS where it was mapped
  lb_file_unmap(&map);
  if (truncate(path, (off_t)LB_FILE_COPY_BYTES + 1) == 0) { // a hole
    check_ok(lb_file_hold(path, &map, &err), err);
    assert_null(map.block_);
    lb_file_unmap(&map);
  }
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(files_of_any_length_are_mapped),
    cmocka_unit_test(a_mapped_file_may_be_replaced),
    cmocka_unit_test(pipes_are_read),
    cmocka_unit_test(a_held_file_may_be_shortened),
    cmocka_unit_test(what_cannot_be_mapped_is_named),
    cmocka_unit_test(reading_survives_failed_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
