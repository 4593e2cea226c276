// The local web server: what it gives out, the reports it takes, load, and failures to start.
#include "serve_site.h"

#include <sys/resource.h>

// ---- what it gives out --------------------------------------------------------------------------

static void files_come_with_type_length_and_content(void **state) {
  static const char *const rows[][2] = {
    { "/", "text/html; charset=utf-8" },
    { "/index.html?scene=bridge#x", "text/html; charset=utf-8" },
    { "/a.js", "text/javascript; charset=utf-8" },
    { "/a.mjs", "text/javascript; charset=utf-8" },
    { "/a.css", "text/css; charset=utf-8" },
    { "/a.wasm", "application/wasm" },
    { "/a.glb", "model/gltf-binary" },
    { "/a.js.gz", "application/octet-stream" },
    { "/a.png", "image/png" },
    { "/a.jpg", "image/jpeg" },
    { "/a.svg", "image/svg+xml" },
    { "/a.json", "application/json" },
    { "/a.txt", "text/plain; charset=utf-8" },
    { "/a.ico", "image/x-icon" },
    { "/a.webmanifest", "application/manifest+json" },
    { "/a.odd", "application/octet-stream" },
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    Reply reply = get(vw_server_port(*state), rows[i][0]);
    assert_int_equal(reply.status, 200);
    assert_string_equal(header(&reply, "Content-Type"), rows[i][1]);
    assert_string_equal(header(&reply, "Content-Encoding"), "");
    const char *content = i < 2 ? "<!doctype html>home" : rows[i][0] + 3;
    assert_string_equal(reply.body, content);
    assert_int_equal(atoi(header(&reply, "Content-Length")), strlen(content));
    free(reply.bytes);
  }
}

static void every_answer_carries_the_safety_headers(void **state) {
  static const char *const paths[] = { "/", "/missing", "/%zz", "/sub" };
  for (int i = 0; i < 4; i++) {
    Reply reply = get(vw_server_port(*state), paths[i]);
    assert_string_equal(header(&reply, "Cache-Control"), "no-cache");
    assert_string_equal(header(&reply, "X-Content-Type-Options"), "nosniff");
    assert_string_equal(header(&reply, "Cross-Origin-Resource-Policy"), "same-origin");
    assert_string_equal(header(&reply, "Access-Control-Allow-Origin"), "");
    const char *policy = header(&reply, "Content-Security-Policy");
    assert_non_null(strstr(policy, "default-src 'self';"));
    assert_non_null(strstr(policy, "script-src 'self' 'wasm-unsafe-eval';"));
    assert_non_null(strstr(policy, "img-src 'self' blob: data:;"));
    assert_null(strstr(policy, "'unsafe-"));
    free(reply.bytes);
  }
}

static void names_are_decoded_and_encoded(void **state) {
  Reply reply = get(vw_server_port(*state), "/my%20file.txt");
  assert_string_equal(reply.body, "blank");
  free(reply.bytes);
  check_status(get(vw_server_port(*state), "/a%2Etxt"), 200);
  char text[32];
  assert_true(vw_url_encode("open/my \xc3\xa9.glb", text, sizeof text));
  assert_string_equal(text, "open/my%20%C3%A9.glb");
  assert_false(vw_url_encode("a b", text, 5));
  assert_true(vw_url_encode("a b", text, 6));
  assert_false(vw_url_encode("", text, 0));
}

static void a_large_file_arrives_whole(void **state) {
  Reply reply = get(vw_server_port(*state), "/big.bin");
  assert_int_equal(reply.status, 200);
  assert_true(body_is(&reply, big, BIG_BYTES));
  free(reply.bytes);
  reply = get(vw_server_port(*state), "/nothing.txt");
  assert_int_equal(reply.status, 200);
  assert_string_equal(header(&reply, "Content-Length"), "0");
  free(reply.bytes);
}

static void head_tells_the_length_and_sends_nothing(void **state) {
  Reply reply = ask(vw_server_port(*state), "HEAD", "/big.bin", "", "", 0);
  assert_int_equal(reply.status, 200);
  assert_int_equal(atoi(header(&reply, "Content-Length")), BIG_BYTES);
  assert_int_equal(reply.body_byte_count, 0);
  free(reply.bytes);
  check_status(ask(vw_server_port(*state), "HEAD", "/missing", "", "", 0), 404);
}

static void folders_answer_with_their_index(void **state) {
  Reply reply = get(vw_server_port(*state), "/sub/");
  assert_string_equal(reply.body, "<!doctype html>sub");
  free(reply.bytes);
  reply = get(vw_server_port(*state), "/sub");
  assert_int_equal(reply.status, 301);
  assert_string_equal(header(&reply, "Location"), "/sub/");
  free(reply.bytes);
  check_status(get(vw_server_port(*state), "/empty/"), 404);
  check_status(get(vw_server_port(*state), "/a.txt/"), 404);
  check_status(get(vw_server_port(*state), "/a.txt/b"), 404);
}

static Reply get_if_changed(int32_t port, const char *path, const char *tags) {
  char line[256];
  snprintf(line, sizeof line, "If-None-Match: %.200s\r\n", tags);
  return ask(port, "GET", path, line, "", 0);
}

static void what_the_browser_has_is_not_sent_again(void **state) {
  int32_t port = vw_server_port(*state);
  char tag[128], list[256];
  write_text("site/changing.txt", "one");
  Reply reply = get(port, "/changing.txt");
  snprintf(tag, sizeof tag, "%.100s", header(&reply, "ETag"));
  assert_true(tag[0] == '"' && tag[strlen(tag) - 1] == '"');
  free(reply.bytes);
  reply = get_if_changed(port, "/changing.txt", tag);
  assert_int_equal(reply.status, 304);
  assert_int_equal(reply.body_byte_count, 0);
  assert_string_equal(header(&reply, "ETag"), tag);
  free(reply.bytes);
  snprintf(list, sizeof list, "\"other\", W/%s", tag);
  check_status(get_if_changed(port, "/changing.txt", list), 304);
  check_status(get_if_changed(port, "/changing.txt", "*"), 304);
  check_status(get_if_changed(port, "/changing.txt", "\"other\""), 200);
  check_status(get_if_changed(port, "/changing.txt", "garbage,,\""), 200);
  check_status(get_if_changed(port, "/missing.txt", "*"), 404);
  write_text("site/changing.txt", "three");
  check_status(get_if_changed(port, "/changing.txt", tag), 200);
}

static void extra_files_come_from_memory_or_from_a_path(void **state) {
  (void)state;
  char path[1024];
  snprintf(path, sizeof path, "%s", in_root("secret.txt"));
  vwServerFile files[] = {
    { .name = "open/my bunny.glb", .path = path },
    { .name = "scene.json", .bytes = "{}\0x", .byte_count = 4 },
    { .name = "a.txt", .bytes = "over", .byte_count = 4 }, // goes before the folder's
  };
  vwServerDef def = vw_server_def();
  def.files = files;
  def.file_count = 3;
  vwServer *server = start_with(def);
  int32_t port = vw_server_port(server);
  Reply reply = get(port, "/open/my%20bunny.glb");
  assert_string_equal(reply.body, secret);
  assert_string_equal(header(&reply, "Content-Type"), "model/gltf-binary");
  free(reply.bytes);
  reply = get(port, "/scene.json");
  assert_true(body_is(&reply, "{}\0x", 4));
  check_status(get_if_changed(port, "/scene.json", header(&reply, "ETag")), 304);
  free(reply.bytes);
  reply = get(port, "/a.txt");
  assert_true(body_is(&reply, "over", 4));
  free(reply.bytes);
  check_status(get(port, "/secret.txt"), 404);
  check_status(get(port, "/open/secret.txt"), 404);
  check_status(get(port, "/open/"), 404);
  vw_server_stop(server);
}

// ---- reports ------------------------------------------------------------------------------------

static Reply post(int32_t port, const char *path, const void *bytes, size_t count) {
  char line[64];
  snprintf(line, sizeof line, "Content-Length: %zu\r\n", count);
  return ask(port, "POST", path, line, bytes, count);
}

static void reports_reach_the_hook(void **state) {
  int32_t port = vw_server_port(*state);
  check_status(post(port, "/report/step%20time", "a\0b", 3), 204);
  assert_string_equal(heard.path, "report/step time");
  assert_int_equal(heard.byte_count, 3);
  assert_memory_equal(heard.bytes, "a\0b", 3);
  check_status(post(port, "/report/empty", "", 0), 422); // this hook wants bytes
  check_status(post(port, "/report/../x", "a", 1), 405);
  assert_string_equal(heard.path, "report/empty");
}

static void reports_have_a_longest_length(void **state) {
  int32_t port = vw_server_port(*state);
  size_t most = (size_t)1 << 20;
  int before = heard.report_count;
  check_status(post(port, "/report/big", big, most), 204);
  assert_int_equal(heard.byte_count, most);
  assert_int_equal(heard.report_count, before + 1);
  // a refusal may come while bytes are still being sent; then the line is cut without an answer
  Reply reply = post(port, "/report/big", big, most + 1);
  assert_true(reply.status == 413 || reply.status == 0);
  free(reply.bytes);
  const char *const rows[] = { "Content-Length: 1048577\r\n",
                               "Content-Length: 18446744073709551615\r\n" };
  for (int i = 0; i < 2; i++) {
    reply = ask(port, "POST", "/report/big", rows[i], "", 0);
    assert_int_equal(reply.status, 413);
    free(reply.bytes);
  }
  check_status(
      ask(port, "POST", "/report/a", "Transfer-Encoding: chunked\r\n", "1\r\na\r\n0\r\n\r\n", 11),
      411);
  check_status(ask(port, "POST", "/report/a", "", "", 0), 411);
  reply = ask(port, "POST", "/report/a", "Content-Length: -1\r\n", "", 0);
  assert_true(reply.status == 400 || reply.status == 413);
  free(reply.bytes);
  assert_int_equal(heard.report_count, before + 1);
  reply = ask(port, "POST", "/report/a", "Origin: http://evil.example\r\nContent-Length: 1\r\n",
              "a", 1);
  assert_int_equal(reply.status, 403);
  free(reply.bytes);
  assert_int_equal(heard.report_count, before + 1);
}

static void the_log_tells_each_request_in_plain_characters(void **state) {
  int32_t port = vw_server_port(*state);
  int before = heard.line_count;
  check_status(get(port, "/a.txt"), 200);
  assert_string_equal(heard.line, "GET /a.txt 200");
  check_status(get(port, "/\x1b[31m"), 400);
  assert_string_equal(heard.line, "GET /?[31m 400");
  assert_int_equal(heard.line_count, before + 2);
}

// ---- load, errors, memory -----------------------------------------------------------------------

typedef struct Worker {
  pthread_t thread;
  int32_t port;
  int right_count;
} Worker;

static void *ask_often(void *context) {
  Worker *worker = context;
  for (int i = 0; i < 10; i++) {
    Reply reply = i % 5 == 4 ? post(worker->port, "/report/x", big, 5000)
                             : get(worker->port, i % 5 == 0 ? "/big.bin" : "/sub/");
    bool is_right = i % 5 == 4   ? reply.status == 204
                    : i % 5 == 0 ? body_is(&reply, big, BIG_BYTES)
                                 : strcmp(reply.body, "<!doctype html>sub") == 0;
    worker->right_count += is_right;
    free(reply.bytes);
  }
  return NULL;
}

static void many_ask_at_once(void **state) {
  enum { WORKERS = 16 };
  Worker workers[WORKERS];
  for (int i = 0; i < WORKERS; i++) {
    workers[i] = (Worker){ .port = vw_server_port(*state) };
    assert_int_equal(pthread_create(&workers[i].thread, NULL, ask_often, &workers[i]), 0);
  }
  for (int i = 0; i < WORKERS; i++) {
    pthread_join(workers[i].thread, NULL);
    assert_int_equal(workers[i].right_count, 10);
  }
}

static void one_connection_serves_many_requests(void **state) {
  enum { REQUESTS = 20 };
  int32_t port = vw_server_port(*state);
  int line = connect_to(INADDR_LOOPBACK, port);
  for (int i = 0; i < REQUESTS; i++) {
    char text[256];
    int count = snprintf(text, sizeof text, "GET /sub/ HTTP/1.1\r\nHost: localhost:%d\r\n%s\r\n",
                         (int)port, i + 1 < REQUESTS ? "" : "Connection: close\r\n");
    send_bytes(line, text, (size_t)count);
  }
  Reply reply;
  read_reply(line, &reply);
  close(line);
  int found = 0;
  for (const char *at = reply.bytes; (at = strstr(at, "<!doctype html>sub")); at++) found++;
  assert_int_equal(found, REQUESTS);
  free(reply.bytes);
}

static int open_descriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder && readdir(folder)) count++;
  if (folder) closedir(folder);
  return count;
}

static void fifty_starts_and_stops_leave_nothing(void **state) {
  (void)state;
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  int before = open_descriptors();
  vwServerFile file = { .name = "x", .bytes = "x", .byte_count = 1 };
  int32_t port = 0;
  for (int i = 0; i < 50; i++) {
    vwServerDef def = vw_server_def();
    def.port = port; // the same one again: it must be free at once
    def.files = &file;
    def.file_count = 1;
    def.report = hear_report;
    vwServer *server = start_with(def);
    port = vw_server_port(server);
    check_status(get(port, "/x"), 200);
    int cut = connect_to(INADDR_LOOPBACK, port); // a report that never ends
    char text[256];
    int count = snprintf(text, sizeof text,
                         "POST /report/x HTTP/1.1\r\nHost: localhost:%d\r\n"
                         "Content-Length: 1000\r\n\r\nhalf",
                         (int)port);
    send_bytes(cut, text, (size_t)count);
    if (i % 2) check_status(get(port, "/big.bin"), 200);
    vw_server_stop(server);
    close(cut);
  }
  lb_set_allocator(NULL);
  assert_int_equal(heap.live, 0);
  assert_int_equal(open_descriptors(), before);
  vw_server_stop(NULL);
}

static void a_taken_port_is_told(void **state) {
  lbError err;
  vwServer *second = NULL;
  vwServerDef def = vw_server_def();
  def.folder = site;
  def.port = vw_server_port(*state);
  char text[64];
  snprintf(text, sizeof text, "port %d is taken", (int)def.port);
  int before = open_descriptors();
  check_fails(vw_server_start(&def, &second, &err), LB_ERR_FILE, err, text);
  check_fails(vw_server_start(&def, &second, &err), LB_ERR_FILE, err, "--port");
  assert_null(second);
  assert_int_equal(open_descriptors(), before);
}

static void wrong_definitions_are_told(void **state) {
  (void)state;
  lbError err;
  vwServer *server = NULL;
  vwServerDef def = vw_server_def();
  check_fails(vw_server_start(&def, &server, &err), LB_ERR_ARGUMENT, err, "folder");
  def.folder = "/no/such/folder";
  check_fails(vw_server_start(&def, &server, &err), LB_ERR_FILE, err,
              "/no/such/folder: there is no such folder");
  char path[1024];
  snprintf(path, sizeof path, "%s", in_root("secret.txt"));
  def.folder = path;
  check_fails(vw_server_start(&def, &server, &err), LB_ERR_FILE, err, "not a folder");
  def.folder = site;
  def.port = 65536;
  check_fails(vw_server_start(&def, &server, &err), LB_ERR_ARGUMENT, err, "65536");
  def.port = 0;
  static const char *const names[] = { "", "/x", "../x", "a//b", "a/", "a\\b", ".x", "a\nb" };
  vwServerFile file = { .bytes = "x", .byte_count = 1 };
  def.files = &file;
  def.file_count = 1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    file.name = names[i];
    check_fails(vw_server_start(&def, &server, &err), LB_ERR_ARGUMENT, err, "extra file 0");
  }
  file = (vwServerFile){ .name = "x" };
  check_fails(vw_server_start(&def, &server, &err), LB_ERR_ARGUMENT, err, "either bytes or a path");
  file.path = "/no/such/file";
  check_fails(vw_server_start(&def, &server, &err), LB_ERR_FILE, err, "/no/such/file");
  file.path = site;
  check_fails(vw_server_start(&def, &server, &err), LB_ERR_FILE, err, "not a regular file");
  assert_null(server);
}

static void missing_permission_is_told(void **state) {
  int32_t port = vw_server_port(*state);
  write_text("site/closed.txt", secret);
  assert_int_equal(chmod(in_root("site/closed.txt"), 0), 0);
  mkdir(in_root("locked"), 0);
  bool was_root = geteuid() == 0;
  if (was_root) assert_int_equal(seteuid(65534), 0); // root may read everything
  lbError err = { 0 };
  vwServer *server = NULL;
  vwServerDef def = vw_server_def();
  def.folder = in_root("locked");
  lbStatus status = vw_server_start(&def, &server, &err);
  Reply reply = get(port, "/closed.txt");
  if (was_root) assert_int_equal(seteuid(0), 0);
  check_fails(status, LB_ERR_FILE, err, "no permission to read this folder");
  check_status(reply, 403);
}

static void the_folder_may_be_a_link(void **state) {
  (void)state;
  vwServerDef def = vw_server_def();
  char path[1024];
  snprintf(path, sizeof path, "%s", in_root("site-link"));
  def.folder = path;
  vwServer *server = start_with(def);
  check_status(get(vw_server_port(server), "/a.txt"), 200);
  check_status(get(vw_server_port(server), "/link.txt"), 404);
  vw_server_stop(server);
}

static void every_failing_allocation_and_descriptor_is_survived(void **state) {
  (void)state;
  vwServerFile file = { .name = "x", .path = in_root("secret.txt") };
  vwServerDef def = vw_server_def();
  def.folder = site;
  def.files = &file;
  def.file_count = 1;
  def.report = hear_report;
  int before = open_descriptors();
  lbStatus status = LB_ERR_MEMORY;
  for (int64_t n = 0; status != LB_OK; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    lbError err;
    vwServer *server = NULL;
    status = vw_server_start(&def, &server, &err);
    assert_true(status == LB_OK || (status == LB_ERR_MEMORY && !server));
    vw_server_stop(server);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    assert_true(n < 100);
  }
  assert_int_equal(open_descriptors(), before);
  struct rlimit usual, tight;
  getrlimit(RLIMIT_NOFILE, &usual);
  status = LB_ERR_FILE;
  for (int n = 0; status != LB_OK; n++) { // n more descriptors than are open now
    lbError err;
    vwServer *server = NULL;
    int highest = dup(0);
    close(highest);
    tight = usual;
    tight.rlim_cur = (rlim_t)(highest + n);
    setrlimit(RLIMIT_NOFILE, &tight);
    status = vw_server_start(&def, &server, &err);
    setrlimit(RLIMIT_NOFILE, &usual);
    vw_server_stop(server);
    assert_int_equal(open_descriptors(), before);
    assert_true(n < 100);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    with_site(files_come_with_type_length_and_content),
    with_site(every_answer_carries_the_safety_headers),
    with_site(names_are_decoded_and_encoded),
    with_site(a_large_file_arrives_whole),
    with_site(head_tells_the_length_and_sends_nothing),
    with_site(folders_answer_with_their_index),
    with_site(what_the_browser_has_is_not_sent_again),
    cmocka_unit_test(extra_files_come_from_memory_or_from_a_path),
    with_site(reports_reach_the_hook),
    with_site(reports_have_a_longest_length),
    with_site(the_log_tells_each_request_in_plain_characters),
    with_site(many_ask_at_once),
    with_site(one_connection_serves_many_requests),
    cmocka_unit_test(fifty_starts_and_stops_leave_nothing),
    with_site(a_taken_port_is_told),
    cmocka_unit_test(wrong_definitions_are_told),
    with_site(missing_permission_is_told),
    cmocka_unit_test(the_folder_may_be_a_link),
    cmocka_unit_test(every_failing_allocation_and_descriptor_is_survived),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
