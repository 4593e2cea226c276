// Videos: every format is made, and whatever goes wrong leaves a message and no file.
#include "check.h"

#include "limber/file.h"
#include "desktop/video.h"
#include "desktop/video_check.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 37, HEIGHT = 25, FRAMES = 12 };

static bool has_ffmpeg(void) {
  lbError err;
  vwVideo *video = NULL;
  lbStatus status = vw_video_start(output_path("probe.mp4"), WIDTH, HEIGHT, 30, &video, &err);
  vw_video_abandon(video);
  if (status) print_message("skipped: %s\n", err.text);
  return status == LB_OK;
}

static void fill_frame(uint8_t *rgba, int frame) {
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      uint8_t *pixel = rgba + 4 * (y * WIDTH + x);
      pixel[0] = (uint8_t)(6 * x), pixel[1] = (uint8_t)(8 * y), pixel[2] = (uint8_t)(20 * frame);
      pixel[3] = 0;
    }
}

static lbStatus make_video(const char *path, lbError *err) {
  uint8_t rgba[WIDTH * HEIGHT * 4];
  vwVideo *video = NULL;
  lbStatus status = vw_video_start(path, WIDTH, HEIGHT, 25, &video, err);
  for (int i = 0; !status && i < FRAMES; i++) {
    fill_frame(rgba, i);
    status = vw_video_add(video, rgba, err);
  }
  if (!status) return vw_video_finish(video, err);
  vw_video_abandon(video);
  return status;
}

static bool aside_exists(const char *path) {
  char aside[600];
  snprintf(aside, sizeof aside, "%s.part-%d", path, (int)getpid());
  return lb_file_exists(aside);
}

static void check_starts(const char *path, size_t offset, const char *mark) {
  char *content = NULL;
  size_t bytes = 0;
  lbError err;
  check_ok(lb_file_read(path, &content, &bytes, &err), err);
  assert_true(bytes > 100 && bytes > offset + strlen(mark));
  assert_memory_equal(content + offset, mark, strlen(mark));
  lb_free(content);
}

static void every_format_is_made(void **state) {
  (void)state;
  static const struct {
    const char *name, *mark;
    size_t offset;
  } kinds[] = { { "-video.mp4", "ftyp", 4 },
                { "video.webm", "\x1a\x45\xdf\xa3", 0 },
                { "video.gif", "GIF89a", 0 },
                { "video.webp", "WEBP", 8 } };
  if (!has_ffmpeg()) skip();
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const char *path = output_path(kinds[i].name);
    lbError err;
    unlink(path);
    check_ok(make_video(path, &err), err);
    check_starts(path, kinds[i].offset, kinds[i].mark);
    assert_false(aside_exists(path));
  }
}

static void wrong_names_sizes_and_rates_are_refused_before_anything_starts(void **state) {
  (void)state;
  vwVideo *video = NULL;
  lbError err;
  check_fails(vw_video_start("x.avi", 10, 10, 30, &video, &err), LB_ERR_ARGUMENT, err, ".mp4");
  check_fails(vw_video_start("x.mp4", 1, 10, 30, &video, &err), LB_ERR_ARGUMENT, err, "1 x 10");
  check_fails(vw_video_start("x.mp4", 10, 10, 0, &video, &err), LB_ERR_ARGUMENT, err, "0 frames");
  check_fails(vw_video_start("x.mp4", 10, 10, NAN, &video, &err), LB_ERR_ARGUMENT, err, "nan");
  check_fails(vw_video_start("/nowhere/x.mp4", 10, 10, 30, &video, &err), LB_ERR_FILE, err,
              "/nowhere/x.mp4");
  assert_null(video);
  vw_video_abandon(NULL);
  assert_true(vw_video_is_name("a/B.MP4") && !vw_video_is_name("a.png"));
}

// A folder on the PATH with a program of that name; NULL: an empty folder.
static void with_program(const char *script) {
  static char folder[512], program[600];
  snprintf(folder, sizeof folder, "%s", output_path("video-programs"));
  mkdir(folder, 0777);
  snprintf(program, sizeof program, "%s/ffmpeg", folder);
  unlink(program);
  if (script) {
    FILE *file = fopen(program, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    fclose(file);
    chmod(program, 0777);
  }
  setenv("PATH", folder, 1);
}

static char *path_before;
static int keep_path(void **state) {
  (void)state;
  path_before = strdup(getenv("PATH"));
  return 0;
}
static int restore_path(void **state) {
  (void)state;
  setenv("PATH", path_before, 1);
  free(path_before);
  return 0;
}

static void without_ffmpeg_the_package_is_named(void **state) {
  (void)state;
  lbError err;
  with_program(NULL);
  const char *path = output_path("missing.mp4");
  check_fails(make_video(path, &err), LB_ERR_UNSUPPORTED, err, "Debian: ffmpeg");
  assert_false(lb_file_exists(path) || aside_exists(path));
}

// The program ends before it has read all frames: an error with its words, and no signal.
static void what_ffmpeg_says_is_in_the_message(void **state) {
  (void)state;
  lbError err;
  with_program("echo 'first line' >&2; echo 'Unknown encoder libx264' >&2; exit 3");
  const char *path = output_path("broken.mp4");
  check_fails(make_video(path, &err), LB_ERR_FILE, err, "Unknown encoder libx264");
  assert_non_null(strstr(err.text, path));
  assert_false(lb_file_exists(path) || aside_exists(path));
  with_program("kill -9 $$");
  check_fails(make_video(path, &err), LB_ERR_FILE, err, "signal 9");
  assert_false(lb_file_exists(path) || aside_exists(path));
}

static bool stop_at_once(const char *stage, double fraction, void *context) {
  (void)stage, (void)fraction;
  (*(int *)context)++;
  return false;
}

// A program that never reads: frames fill the socket, then the progress hook is asked.
static void a_stop_leaves_nothing_and_no_process(void **state) {
  (void)state;
  lbError err;
  vwVideo *video = NULL;
  int asked = 0;
  with_program("exec /bin/sleep 1000");
  const char *path = output_path("stopped.mp4");
  uint8_t *rgba = calloc(1000 * 1000, 4);
  check_ok(vw_video_start(path, 1000, 1000, 30, &video, &err), err);
  assert_true(aside_exists(path));
  lb_set_progress(stop_at_once, &asked);
  check_fails(vw_video_add(video, rgba, &err), LB_ERR_INTERRUPTED, err, "render");
  vw_video_abandon(video);
  assert_false(lb_file_exists(path) || aside_exists(path));
  check_ok(vw_video_start(path, 10, 10, 30, &video, &err), err);
  check_ok(vw_video_add(video, rgba, &err), err);
  check_fails(vw_video_finish(video, &err), LB_ERR_INTERRUPTED, err, "encode");
  lb_set_progress(NULL, NULL);
  assert_int_equal(asked, 2);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // no child is left
  assert_false(lb_file_exists(path) || aside_exists(path));
  free(rgba);
}

static void a_failure_keeps_the_file_that_was_there(void **state) {
  (void)state;
  lbError err;
  const char *path = output_path("kept.mp4");
  FILE *file = fopen(path, "w");
  fputs("before", file);
  fclose(file);
  with_program("exit 1");
  check_fails(make_video(path, &err), LB_ERR_FILE, err, "kept.mp4");
  char *content = NULL;
  size_t bytes;
  check_ok(lb_file_read(path, &content, &bytes, &err), err);
  assert_string_equal(content, "before");
  lb_free(content);
}

// ffmpeg 5.1 on a full disk: it complains and ends with 0, or says nothing at all.
static void a_complaint_or_a_file_that_is_not_whole_is_a_failure(void **state) {
  (void)state;
  static const struct {
    const char *name, *script, *part;
  } cases[] = {
    { "full.mp4", "/bin/cat > /dev/null; echo 'No space left on device' >&2; exit 0", "No space" },
    { "full.mp4", "/bin/cat > /dev/null; exit 0", "cannot be played" }, // leaves an empty file
    { "full.webm", "/bin/cat > /dev/null; exit 0", "cannot be played" },
    { "full.gif", "/bin/cat > /dev/null; exit 0", "cannot be played" },
    { "full.webp", "/bin/cat > /dev/null; exit 0", "cannot be played" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lbError err;
    const char *path = output_path(cases[i].name);
    FILE *file = fopen(path, "w");
    fputs("before", file);
    fclose(file);
    with_program(cases[i].script);
    check_fails(make_video(path, &err), LB_ERR_FILE, err, cases[i].part);
    char *content = NULL;
    size_t bytes;
    check_ok(lb_file_read(path, &content, &bytes, &err), err);
    assert_string_equal(content, "before");
    assert_false(aside_exists(path));
    lb_free(content);
    remove(path);
  }
}

// What ffmpeg makes is whole; every shorter part of it is not.
static void truncated_videos_are_told_from_whole_ones(void **state) {
  (void)state;
  static const char *const muxers[] = { "mp4", "webm", "gif", "webp" };
  if (!has_ffmpeg()) skip();
  for (int i = 0; i < 4; i++) {
    char name[32];
    lbError err;
    char *content = NULL;
    size_t bytes;
    snprintf(name, sizeof name, "whole.%s", muxers[i]);
    const char *path = output_path(name), *part = output_path("part.bin");
    check_ok(make_video(path, &err), err);
    check_ok(vw_video_check(path, muxers[i], &err), err);
    check_ok(lb_file_read(path, &content, &bytes, &err), err);
    for (size_t length = 0; length < bytes; length += bytes / 50 + 1) {
      FILE *file = fopen(part, "wb");
      fwrite(content, 1, length, file);
      fclose(file);
      check_fails(vw_video_check(part, muxers[i], &err), LB_ERR_FILE, err, "cannot be played");
    }
    lb_free(content);
    remove(part);
    remove(path);
  }
}

static void a_video_without_frames_is_none(void **state) {
  (void)state;
  lbError err;
  vwVideo *video = NULL;
  with_program("exit 0");
  const char *path = output_path("empty.mp4");
  check_ok(vw_video_start(path, 10, 10, 30, &video, &err), err);
  check_fails(vw_video_finish(video, &err), LB_ERR_ARGUMENT, err, "without frames");
  assert_false(lb_file_exists(path) || aside_exists(path));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_format_is_made),
    cmocka_unit_test(wrong_names_sizes_and_rates_are_refused_before_anything_starts),
    cmocka_unit_test_setup_teardown(without_ffmpeg_the_package_is_named, keep_path, restore_path),
    cmocka_unit_test_setup_teardown(what_ffmpeg_says_is_in_the_message, keep_path, restore_path),
    cmocka_unit_test_setup_teardown(a_stop_leaves_nothing_and_no_process, keep_path, restore_path),
    cmocka_unit_test_setup_teardown(a_failure_keeps_the_file_that_was_there, keep_path,
                                    restore_path),
    cmocka_unit_test_setup_teardown(a_video_without_frames_is_none, keep_path, restore_path),
    cmocka_unit_test_setup_teardown(a_complaint_or_a_file_that_is_not_whole_is_a_failure, keep_path,
                                    restore_path),
    cmocka_unit_test(truncated_videos_are_told_from_whole_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
