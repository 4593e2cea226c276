// Reading whole files; writing aside and renaming; what a failed write leaves; paths.
#include "check.h"
#include "limber/file.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[512];
static char path_buffer[4][1024];
static int path_index;

// A path inside the test's own folder; the last four stay valid.
static const char *in_folder(const char *name) {
  char *path = path_buffer[path_index++ % 4];
  snprintf(path, sizeof path_buffer[0], "%s/%s", folder, name);
  return path;
}

static int make_folder(void **state) {
  (void)state;
  const char *output = getenv("LIMBER_TEST_OUTPUT");
  snprintf(folder, sizeof folder, "%s/test-file-XXXXXX", output ? output : "/tmp");
  return mkdtemp(folder) ? 0 : -1;
}

static int count_entries(void) {
  int count = 0;
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir));) count += entry->d_name[0] != '.';
  closedir(dir);
  return count;
}

static int remove_folder(void **state) {
  (void)state;
  char command[600];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command);
}

static void write_text(const char *path, const char *text) {
  lbFileWriter writer;
  lbError err = { 0 };
  check_ok(lb_file_begin(&writer, path, &err), err);
  fputs(text, writer.stream);
  check_ok(lb_file_commit(&writer, &err), err);
}

static void check_content(const char *path, const char *expected) {
  char *content = NULL;
  size_t bytes = 0;
  lbError err = { 0 };
  check_ok(lb_file_read(path, &content, &bytes, &err), err);
  assert_int_equal(bytes, strlen(expected));
  assert_string_equal(content, expected);
  lb_free(content);
}

static void what_was_written_is_read_back(void **state) {
  (void)state;
  const char *path = in_folder("a.txt");
  write_text(path, "hello\n");
  check_content(path, "hello\n");
  write_text(path, "");
  check_content(path, "");
  assert_true(lb_file_exists(path));
  assert_int_equal(count_entries(), 1);
  remove(path);
  assert_false(lb_file_exists(path));
}

static void large_files_with_zero_bytes_are_read_whole(void **state) {
  (void)state;
  enum { BYTES = 300001 };
  const char *path = in_folder("large.bin");
  lbFileWriter writer;
  lbError err = { 0 };
  check_ok(lb_file_begin(&writer, path, &err), err);
  for (int i = 0; i < BYTES; i++) fputc(i * 7 % 256, writer.stream);
  check_ok(lb_file_commit(&writer, &err), err);
  char *content = NULL;
  size_t bytes = 0;
  check_ok(lb_file_read(path, &content, &bytes, &err), err);
  assert_int_equal(bytes, BYTES);
  for (int i = 0; i < BYTES; i++) assert_int_equal((unsigned char)content[i], i * 7 % 256);
  assert_int_equal(content[BYTES], 0);
  lb_free(content);
  remove(path);
}

static void nothing_shows_before_commit_and_abort_leaves_nothing(void **state) {
  (void)state;
  const char *path = in_folder("kept.txt");
  lbFileWriter writer;
  lbError err = { 0 };
  write_text(path, "old");
  check_ok(lb_file_begin(&writer, path, &err), err);
  fputs("new", writer.stream);
  fflush(writer.stream);
  check_content(path, "old");
  lb_file_abort(&writer);
  lb_file_abort(&writer); // a second time is harmless
  check_content(path, "old");
  assert_int_equal(count_entries(), 1);
  remove(path);
}

static void full_disk_leaves_the_old_file(void **state) {
  (void)state;
  const char *path = in_folder("kept.txt");
  write_text(path, "old");
  lbFileWriter writer;
  lbError err = { 0 };
  check_ok(lb_file_begin(&writer, path, &err), err);
  struct rlimit before, small;
  getrlimit(RLIMIT_FSIZE, &before);
  small = before;
  small.rlim_cur = 8192;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  for (int i = 0; i < 100000; i++) fputc('x', writer.stream);
  lbStatus status = lb_file_commit(&writer, &err);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_DFL);
  check_fails(status, LB_ERR_FILE, err, "kept.txt: cannot write, is the disk full");
  assert_null(strstr(err.text, "Success"));
  check_content(path, "old");
  assert_int_equal(count_entries(), 1);
  remove(path);
}

static void folder_removed_while_writing_is_reported(void **state) {
  (void)state;
  lbFileWriter writer;
  lbError err = { 0 };
  check_ok(lb_directory_make(in_folder("gone"), &err), err);
  check_ok(lb_file_begin(&writer, in_folder("gone/x.txt"), &err), err);
  fputs("lost", writer.stream);
  remove(writer.aside);
  assert_int_equal(rmdir(in_folder("gone")), 0);
  check_fails(lb_file_commit(&writer, &err), LB_ERR_FILE, err, "gone/x.txt: cannot write");
  assert_int_equal(count_entries(), 0);
}

static void missing_files_and_folders_are_named(void **state) {
  (void)state;
  char *content = NULL;
  size_t bytes = 77;
  lbError err = { 0 };
  lbFileWriter writer;
  check_fails(lb_file_read(in_folder("none.txt"), &content, &bytes, &err), LB_ERR_FILE, err,
              "none.txt: cannot open for reading: No such file");
  check_fails(lb_file_read(folder, &content, &bytes, &err), LB_ERR_FILE, err, "is a folder");
  assert_null(content);
  assert_int_equal(bytes, 77);
  check_fails(lb_file_begin(&writer, folder, &err), LB_ERR_FILE, err, "is a folder");
  check_fails(lb_file_begin(&writer, in_folder("none/x.txt"), &err), LB_ERR_FILE, err,
              "none/x.txt: cannot open for writing");
}

// As the superuser a rename would replace the device itself.
static void devices_are_written_directly_and_survive(void **state) {
  (void)state;
  const char *path = in_folder("pipe");
  assert_int_equal(mkfifo(path, 0600), 0);
  FILE *keep_open = fopen(path, "r+"); // so that opening for writing does not wait
  assert_non_null(keep_open);
  write_text(path, "through\n");
  char line[32] = "";
  assert_non_null(fgets(line, sizeof line, keep_open));
  assert_string_equal(line, "through\n");
  fclose(keep_open);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_true(S_ISFIFO(info.st_mode));
  assert_int_equal(count_entries(), 1);
  remove(path);
}

static void folders_are_made_with_their_parents(void **state) {
  (void)state;
  lbError err = { 0 };
  check_ok(lb_directory_make(in_folder("a/b//c/"), &err), err);
  check_ok(lb_directory_make(in_folder("a/b/c"), &err), err); // already there
  assert_true(lb_file_exists(in_folder("a/b/c")));
  check_ok(lb_directory_make("/", &err), err);
  write_text(in_folder("a/file"), "x");
  check_fails(lb_directory_make(in_folder("a/file"), &err), LB_ERR_FILE, err, "not a folder");
  check_fails(lb_directory_make(in_folder("a/file/d"), &err), LB_ERR_FILE, err, "a/file");
  assert_int_not_equal(lb_directory_make("", &err), LB_OK);
  char command[1100];
  snprintf(command, sizeof command, "rm -r '%s'", in_folder("a"));
  assert_int_equal(system(command), 0);
}

static void paths_are_taken_apart(void **state) {
  (void)state;
  assert_string_equal(lb_path_name("a/b/c.msh"), "c.msh");
  assert_string_equal(lb_path_name("c.msh"), "c.msh");
  assert_string_equal(lb_path_name("a/"), "");
  assert_string_equal(lb_path_extension("a.b/c.tar.GZ"), ".GZ");
  assert_string_equal(lb_path_extension("a.b/c"), "");
  assert_string_equal(lb_path_extension("a/.hidden"), "");
  assert_true(lb_path_has_extension("x/BEAM.Msh", ".msh"));
  assert_false(lb_path_has_extension("beam.msh2", ".msh"));
  assert_false(lb_path_has_extension("beam.ms", ".msh"));
  assert_false(lb_path_has_extension("beam", ".msh"));
  const char *cases[][3] = { { "a/b.obj", "c.mtl", "a/c.mtl" },
                             { "b.obj", "c.mtl", "c.mtl" },
                             { "a/b.obj", "/c.mtl", "/c.mtl" },
                             { "/b.obj", "d/c.mtl", "/d/c.mtl" } };
  for (int i = 0; i < 4; i++) {
    char *path = lb_path_beside(cases[i][0], cases[i][1]);
    assert_string_equal(path, cases[i][2]);
    lb_free(path);
  }
}

// One round of everything that allocates.
static lbStatus write_and_read(const char *path, lbError *err) {
  lbFileWriter writer;
  lbStatus status = lb_file_begin(&writer, path, err);
  if (status) return status;
  fputs("content", writer.stream);
  status = lb_file_commit(&writer, err);
  char *content = NULL, *beside = NULL;
  size_t bytes = 0;
  if (!status) status = lb_file_read(path, &content, &bytes, err);
  if (!status) status = lb_directory_make(folder, err);
  if (!status && !(beside = lb_path_beside(path, "other"))) status = LB_ERR_MEMORY;
  lb_free(content);
  lb_free(beside);
  return status;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  const char *path = in_folder("heap.txt");
  lbStatus status = LB_ERR_MEMORY;
  int failures = 0;
  for (int64_t n = 0; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbError err = { 0 };
    lb_set_allocator(&allocator);
    status = write_and_read(path, &err);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status) assert_int_equal(status, LB_ERR_MEMORY);
    failures += status != LB_OK;
  }
  assert_true(failures >= 5);
  remove(path);
  assert_int_equal(count_entries(), 0);
}

static mode_t mode_of(const char *path) {
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  return info.st_mode & 0777;
}

static void links_are_followed_and_modes_kept(void **state) {
  (void)state;
  char target[1024], link[1024];
  snprintf(target, sizeof target, "%s", in_folder("target.txt"));
  snprintf(link, sizeof link, "%s", in_folder("link.txt"));
  assert_int_equal(symlink("target.txt", link), 0);
  write_text(link, "new"); // the link leads to nothing yet
  struct stat info;
  assert_true(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
  check_content(target, "new");
  chmod(target, 0600);
  write_text(link, "newer");
  assert_true(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
  check_content(target, "newer");
  assert_int_equal(mode_of(target), 0600);
  remove(link);
  remove(target);
  assert_int_equal(count_entries(), 0);
}

static void sealed_files_appear_together_or_not_at_all(void **state) {
  (void)state;
  lbFileWriter first, second;
  lbError err = { 0 };
  check_ok(lb_file_begin(&first, in_folder("first"), &err), err);
  check_ok(lb_file_begin(&second, in_folder("second"), &err), err);
  fputs("1", first.stream);
  check_ok(lb_file_seal(&first, &err), err);
  assert_false(lb_file_exists(in_folder("first")));
  lb_file_abort(&second);
  lb_file_abort(&first);
  assert_int_equal(count_entries(), 0);
  check_ok(lb_file_begin(&first, in_folder("first"), &err), err);
  check_ok(lb_file_seal(&first, &err), err);
  check_ok(lb_file_commit(&first, &err), err);
  assert_true(lb_file_exists(in_folder("first")));
  remove(in_folder("first"));
}

static bool stop(const char *stage, double fraction, void *context) {
  (void)stage, (void)fraction, (void)context;
  return false;
}

// Ctrl-C while a long file is written.
static void a_stop_in_the_last_moment_leaves_the_old_file(void **state) {
  (void)state;
  const char *path = in_folder("kept.txt");
  lbFileWriter writer;
  lbError err = { 0 };
  write_text(path, "old");
  check_ok(lb_file_begin(&writer, path, &err), err);
  fputs("new", writer.stream);
  lb_set_progress(stop, NULL);
  lbStatus status = lb_file_commit(&writer, &err);
  lb_set_progress(NULL, NULL);
  check_fails(status, LB_ERR_INTERRUPTED, err, "interrupted");
  check_content(path, "old");
  assert_int_equal(count_entries(), 1);
  remove(path);
}

static void unfinished_files_and_folders_can_be_removed_at_once(void **state) {
  (void)state;
  lbFileWriter writer;
  lbError err = { 0 };
  char scratch[1024];
  snprintf(scratch, sizeof scratch, "%s", in_folder("scratch"));
  check_ok(lb_directory_make(scratch, &err), err);
  write_text(in_folder("scratch/a"), "a");
  lb_unfinished_add(scratch);
  check_ok(lb_file_begin(&writer, in_folder("x"), &err), err);
  write_text(in_folder("done"), "stays");
  lb_remove_unfinished();
  assert_int_equal(count_entries(), 1);
  lb_unfinished_done(scratch);
  lb_file_abort(&writer);
  remove(in_folder("done"));
}

static void named_files_are_ordinary_and_within_reach(void **state) {
  (void)state;
  lbError err = { 0 };
  char *path = NULL;
  check_ok(lb_directory_make(in_folder("inner/below"), &err), err);
  write_text(in_folder("outer.txt"), "1");
  write_text(in_folder("inner/near.txt"), "2");
  write_text(in_folder("inner/below/far.txt"), "3");
  assert_int_equal(mkfifo(in_folder("inner/pipe"), 0600), 0);
  assert_int_equal(symlink("../outer.txt", in_folder("inner/link")), 0);
  char by[1024];
  snprintf(by, sizeof by, "%s", in_folder("inner/mesh.obj"));
  write_text(by, "v");
  static const char *const inside[] = { "near.txt", "below/far.txt", "below/../near.txt",
                                        "../inner/near.txt" };
  for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
    check_ok(lb_file_named(by, inside[i], LB_REACH_FOLDER, &path, &err), err);
    lb_free(path);
  }
  static const char *const outside[] = { "../outer.txt", "link", "below/../../outer.txt" };
  for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
    check_ok(lb_file_named(by, outside[i], LB_REACH_ANYWHERE, &path, &err), err);
    lb_free(path);
    check_fails(lb_file_named(by, outside[i], LB_REACH_FOLDER, &path, &err), LB_ERR_FILE, err,
                "lies outside the folder of mesh.obj");
  }
  check_fails(lb_file_named(by, "pipe", LB_REACH_ANYWHERE, &path, &err), LB_ERR_FILE, err,
              "is a pipe or a device");
  check_fails(lb_file_named(by, "/dev/zero", LB_REACH_ANYWHERE, &path, &err), LB_ERR_FILE, err,
              "is a pipe or a device");
  check_fails(lb_file_named(by, "below", LB_REACH_ANYWHERE, &path, &err), LB_ERR_FILE, err,
              "is a folder");
  check_fails(lb_file_named(by, "none", LB_REACH_ANYWHERE, &path, &err), LB_ERR_FILE, err,
              "cannot open for reading");
  const char *large = in_folder("inner/large"); // a hole: it takes no space
  write_text(large, "x");
  if (truncate(large, (off_t)(LB_NAMED_BYTES_MAX + 1)) == 0)
    check_fails(lb_file_named(by, "large", LB_REACH_ANYWHERE, &path, &err), LB_ERR_FILE, err,
                "at most 16");
  if (truncate(large, (off_t)2 << 30) == 0) { // a true file of 2 GiB
    check_ok(lb_file_named(by, "large", LB_REACH_FOLDER, &path, &err), err);
    lb_free(path);
  }
  char command[2200];
  snprintf(command, sizeof command, "rm -r '%s' '%s'", in_folder("inner"), in_folder("outer.txt"));
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_was_written_is_read_back),
    cmocka_unit_test(large_files_with_zero_bytes_are_read_whole),
    cmocka_unit_test(nothing_shows_before_commit_and_abort_leaves_nothing),
    cmocka_unit_test(full_disk_leaves_the_old_file),
    cmocka_unit_test(folder_removed_while_writing_is_reported),
    cmocka_unit_test(missing_files_and_folders_are_named),
    cmocka_unit_test(devices_are_written_directly_and_survive),
    cmocka_unit_test(folders_are_made_with_their_parents),
    cmocka_unit_test(paths_are_taken_apart),
    cmocka_unit_test(every_allocation_may_fail),
    cmocka_unit_test(links_are_followed_and_modes_kept),
    cmocka_unit_test(sealed_files_appear_together_or_not_at_all),
    cmocka_unit_test(a_stop_in_the_last_moment_leaves_the_old_file),
    cmocka_unit_test(unfinished_files_and_folders_can_be_removed_at_once),
    cmocka_unit_test(named_files_are_ordinary_and_within_reach),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
