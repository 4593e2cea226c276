// A folder of small files beside a secret, and a server for it: what the tests of the server share.
#ifndef LB_TESTS_SERVE_SITE_H
#define LB_TESTS_SERVE_SITE_H

#include "http_client.h"
#include "serve/serve.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>

enum { BIG_BYTES = 3 << 19 };

static const char secret[] = "the secret outside";
static char root[512], site[600];
static unsigned char *big;

// What the hooks heard; written by the server's thread, read when it has answered.
static struct {
  pthread_mutex_t lock;
  char path[256], line[512];
  unsigned char bytes[256];
  size_t byte_count;
  int report_count, line_count;
} heard = { .lock = PTHREAD_MUTEX_INITIALIZER };

static inline bool hear_report(const char *path, const void *bytes, size_t count, void *context) {
  pthread_mutex_lock(&heard.lock);
  snprintf(heard.path, sizeof heard.path, "%s", path);
  memcpy(heard.bytes, bytes, count < sizeof heard.bytes ? count : sizeof heard.bytes);
  heard.byte_count = count;
  heard.report_count++;
  pthread_mutex_unlock(&heard.lock);
  return context == &heard && count > 0;
}

static inline void hear_line(const char *line, void *context) {
  pthread_mutex_lock(&heard.lock);
  if (context == &heard) snprintf(heard.line, sizeof heard.line, "%s", line);
  heard.line_count++;
  pthread_mutex_unlock(&heard.lock);
}

// ---- the folder ---------------------------------------------------------------------------------

static inline const char *in_root(const char *name) {
  static char path[1024];
  snprintf(path, sizeof path, "%s/%s", root, name);
  return path;
}

static inline void write_bytes(const char *name, const void *bytes, size_t count) {
  FILE *file = fopen(in_root(name), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  fclose(file);
}

static inline void write_text(const char *name, const char *text) {
  write_bytes(name, text, strlen(text));
}

static inline int make_folder(void **state) {
  (void)state;
  snprintf(root, sizeof root, "%s-%ld", output_path("serve-test"), (long)getpid());
  mkdir(root, 0755);
  char *whole = realpath(root, NULL);
  assert_non_null(whole);
  snprintf(root, sizeof root, "%s", whole);
  free(whole);
  snprintf(site, sizeof site, "%s/site", root);
  static const char *const folders[] = { "site", "site/sub", "site/empty" };
  for (int i = 0; i < 3; i++) assert_int_equal(mkdir(in_root(folders[i]), 0755), 0);
  write_text("secret.txt", secret);
  write_text("site/index.html", "<!doctype html>home");
  write_text("site/sub/index.html", "<!doctype html>sub");
  write_text("site/my file.txt", "blank");
  write_text("site/nothing.txt", "");
  write_text("site/.hidden", secret);
  static const char *const endings[] = {
    "js",  "mjs", "css",  "wasm", "glb", "js.gz",       "png",
    "jpg", "svg", "json", "txt",  "ico", "webmanifest", "odd"
  };
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    char name[64];
    snprintf(name, sizeof name, "site/a.%s", endings[i]);
    write_text(name, endings[i]);
  }
  big = malloc(BIG_BYTES);
  uint64_t random = 7;
  for (int i = 0; i < BIG_BYTES; i++) big[i] = (unsigned char)(int)(check_random(&random) * 128);
  write_bytes("site/big.bin", big, BIG_BYTES);
  assert_int_equal(symlink("../secret.txt", in_root("site/link.txt")), 0);
  assert_int_equal(symlink("..", in_root("site/up")), 0);
  assert_int_equal(symlink("a.txt", in_root("site/inside.txt")), 0);
  assert_int_equal(symlink("site", in_root("site-link")), 0);
  assert_int_equal(mkfifo(in_root("site/fifo"), 0644), 0);
  return 0;
}

static inline void remove_all(const char *path) {
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char name[1024];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if ((size_t)snprintf(name, sizeof name, "%s/%s", path, entry->d_name) >= sizeof name) continue;
    if (unlink(name) != 0) remove_all(name);
  }
  if (folder) closedir(folder);
  rmdir(path);
}

static inline int remove_folder(void **state) {
  (void)state;
  remove_all(root);
  free(big);
  return 0;
}

static inline vwServer *start_with(vwServerDef def) {
  lbError err;
  vwServer *server = NULL;
  if (!def.folder) def.folder = site;
  def.context = &heard;
  check_ok(vw_server_start(&def, &server, &err), err);
  return server;
}

static inline int start_site(void **state) {
  vwServerDef def = vw_server_def();
  def.report = hear_report;
  def.log = hear_line;
  *state = start_with(def);
  return 0;
}

static inline int stop_site(void **state) {
  vw_server_stop(*state);
  return 0;
}

#define with_site(test) cmocka_unit_test_setup_teardown(test, start_site, stop_site)

#endif
