// A local web server over libmicrohttpd: checks a request (host, origin, method, path), then sends
// an extra file or a file of the folder, or collects a report. One thread of the library's does all
// of it, so that requests need no locks.
#include "serve/serve.h"
#include "serve/serve_listen.h"
#include "serve/serve_path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <microhttpd.h>

enum { CONNECTIONS_MAX = 256, TIMEOUT_SECONDS = 30, TAG_BYTES = 64 };

// Everything a page loads comes from here. Compiling WebAssembly is allowed, text as script is not.
static const char content_policy[] =
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' blob: data:; "
    "worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'";

typedef struct ExtraFile {
  char *name, *path;
  const void *bytes;
  size_t byte_count;
  char tag[TAG_BYTES]; // of bytes
} ExtraFile;

struct vwServer {
  struct MHD_Daemon *daemon;
  int folder; // open descriptor, or -1
  int32_t port;
  char url[64];
  ExtraFile *files;
  int32_t file_count;
  vwReportHook *report;
  char *report_prefix;
  size_t report_bytes_max;
  vwServerLogHook *log;
  void *context;
};

typedef struct Upload {
  char path[VW_PATH_BYTES];
  unsigned char *bytes;
  size_t count, capacity;
} Upload;

// What belongs to one call of the request handler.
typedef struct Request {
  vwServer *server;
  struct MHD_Connection *connection;
  const char *method, *url;
} Request;

// ---- replies -----------------------------------------------------------------------------------

static void log_request(const Request *request, unsigned status) {
  if (!request->server->log) return;
  char line[512];
  snprintf(line, sizeof line, "%.16s %.400s %u", request->method, request->url, status);
  for (char *c = line; *c; c++)
    if (*c < ' ' || *c > '~') *c = '?'; // nothing that a terminal would obey
  request->server->log(line, request->server->context);
}

// Sends and releases a response (NULL: memory ran out; the connection ends).
static enum MHD_Result reply(const Request *request, unsigned status,
                             struct MHD_Response *response) {
  if (!response) return MHD_NO;
  enum MHD_Result sent = MHD_NO;
  if (MHD_add_response_header(response, "Cache-Control", "no-cache") == MHD_YES &&
      MHD_add_response_header(response, "X-Content-Type-Options", "nosniff") == MHD_YES &&
      MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin") == MHD_YES &&
      MHD_add_response_header(response, "Referrer-Policy", "same-origin") == MHD_YES &&
      MHD_add_response_header(response, "Content-Security-Policy", content_policy) == MHD_YES)
    sent = MHD_queue_response(request->connection, status, response);
  MHD_destroy_response(response);
  if (sent == MHD_YES) log_request(request, status);
  return sent;
}

// A reply with a constant text, and one header of its own where `header` is not NULL.
static enum MHD_Result reply_text(const Request *request, unsigned status, const char *text,
                                  const char *header, const char *value) {
  struct MHD_Response *response = MHD_create_response_from_buffer(
      strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
  if (response && *text)
    MHD_add_response_header(response, "Content-Type", "text/plain; charset=utf-8");
  if (response && header) MHD_add_response_header(response, header, value);
  return reply(request, status, response);
}

static enum MHD_Result refuse_request(const Request *request, int status) {
  const char *text = "no such file\n";
  if (status == 400) text = "the path of this request is not one that a browser sends\n";
  if (status == 403) text = "not allowed\n";
  if (status == 414) text = "the path is too long\n";
  return reply_text(request, (unsigned)status, text, NULL, NULL);
}

// ---- what a request says -----------------------------------------------------------------------

static const char *header_of(const Request *request, const char *name) {
  return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

// "127.0.0.1" or "localhost" with our port, or alone where that is allowed.
static bool is_own_host(const vwServer *server, const char *host, bool may_be_alone) {
  static const char *const names[] = { "127.0.0.1", "localhost" };
  char port[16];
  snprintf(port, sizeof port, ":%" PRId32, server->port);
  for (int i = 0; i < 2; i++) {
    size_t count = strlen(names[i]);
    if (strncasecmp(host, names[i], count) != 0) continue;
    if ((host[count] == 0 && may_be_alone) || strcmp(host + count, port) == 0) return true;
  }
  return false;
}

typedef struct HostCheck {
  const vwServer *server;
  int host_count, foreign_count;
} HostCheck;

static enum MHD_Result check_server_header(void *context, enum MHD_ValueKind kind, const char *key,
                                           const char *value) {
  HostCheck *check = context;
  (void)kind;
  if (strcasecmp(key, "Host") == 0) {
    check->host_count++;
    check->foreign_count += !value || !is_own_host(check->server, value, true);
  } else if (strcasecmp(key, "Origin") == 0) {
    check->foreign_count += !value || strncmp(value, "http://", 7) != 0 ||
                            !is_own_host(check->server, value + 7, check->server->port == 80);
  }
  return MHD_YES;
}

// One Host and it is ours (a foreign name that was pointed at 127.0.0.1 is not), and no page of
// another site as the origin.
static bool is_for_us(const Request *request) {
  HostCheck check = { .server = request->server };
  MHD_get_connection_values(request->connection, MHD_HEADER_KIND, check_server_header, &check);
  return check.host_count == 1 && check.foreign_count == 0;
}

// Whether If-None-Match lists this tag: what the browser has is what we would send.
static bool has_tag(const Request *request, const char *tag) {
  const char *list = header_of(request, "If-None-Match");
  size_t tag_count = strlen(tag);
  while (list && *list) {
    list += strspn(list, " \t,");
    if (*list == '*') return true;
    if (strncmp(list, "W/", 2) == 0) list += 2;
    size_t count = strcspn(list, ", \t");
    if (count == tag_count && memcmp(list, tag, count) == 0) return true;
    list += count;
  }
  return false;
}

// ---- files -------------------------------------------------------------------------------------

// Takes a response with a file's content; sends it or 304.
static enum MHD_Result reply_file(const Request *request, struct MHD_Response *response,
                                  const char *path, const char *tag) {
  unsigned status = MHD_HTTP_OK;
  if (response && has_tag(request, tag)) {
    MHD_destroy_response(response);
    response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    status = MHD_HTTP_NOT_MODIFIED;
  }
  if (response) MHD_add_response_header(response, "ETag", tag);
  if (response && status == MHD_HTTP_OK)
    MHD_add_response_header(response, "Content-Type", vw_path_mime(path));
  return reply(request, status, response);
}

static enum MHD_Result refuse_errno(const Request *request, int problem) {
  // ELOOP: a symbolic link, which counts as not there
  if (problem == EACCES || problem == EPERM) return refuse_request(request, 403);
  if (problem == EMFILE || problem == ENFILE || problem == ENOMEM)
    return reply_text(request, 503, "too many files are open\n", NULL, NULL);
  return refuse_request(request, 404);
}

// Takes the descriptor of a regular file.
static enum MHD_Result reply_descriptor(const Request *request, int file, const struct stat *info,
                                        const char *path) {
  char tag[TAG_BYTES];
  snprintf(tag, sizeof tag, "\"%jx-%jx-%jx.%lx\"", (uintmax_t)info->st_ino,
           (uintmax_t)info->st_size, (uintmax_t)info->st_mtim.tv_sec, info->st_mtim.tv_nsec);
  struct MHD_Response *response = MHD_create_response_from_fd64((uint64_t)info->st_size, file);
  if (!response) close(file);
  return reply_file(request, response, path, tag);
}

static enum MHD_Result reply_extra(const Request *request, const ExtraFile *extra) {
  if (!extra->path) {
    struct MHD_Response *response = MHD_create_response_from_buffer(
        extra->byte_count, (void *)(uintptr_t)extra->bytes, MHD_RESPMEM_PERSISTENT);
    return reply_file(request, response, extra->name, extra->tag);
  }
  int file = open(extra->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  struct stat info;
  if (file < 0) return refuse_errno(request, errno);
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode))
    return reply_descriptor(request, file, &info, extra->name);
  close(file);
  return refuse_request(request, 404);
}

// A folder without the slash at its end: pages in it would look for their neighbours one folder too
// high, so the browser is sent to the name with the slash.
static enum MHD_Result redirect_to_folder(const Request *request) {
  char target[3 * VW_PATH_BYTES + 8];
  int count = snprintf(target, sizeof target, "%s/", request->url);
  if (count < 0 || (size_t)count >= sizeof target) return refuse_request(request, 414);
  return reply_text(request, MHD_HTTP_MOVED_PERMANENTLY, "", "Location", target);
}

static enum MHD_Result answer_get(const Request *request, const char *path) {
  const vwServer *server = request->server;
  for (int32_t i = 0; i < server->file_count; i++)
    if (strcmp(server->files[i].name, path) == 0) return reply_extra(request, &server->files[i]);
  int file = vw_path_open(server->folder, path);
  if (file < 0) return refuse_errno(request, errno);
  struct stat info;
  bool is_known = fstat(file, &info) == 0;
  const char *name = path;
  if (is_known && S_ISDIR(info.st_mode)) {
    if (*path && path[strlen(path) - 1] != '/') {
      close(file);
      return redirect_to_folder(request);
    }
    name = "index.html";
    int index = vw_path_open(file, name), problem = errno;
    close(file);
    if (index < 0) return refuse_errno(request, problem);
    file = index;
    is_known = fstat(file, &info) == 0;
  }
  if (is_known && S_ISREG(info.st_mode)) return reply_descriptor(request, file, &info, name);
  close(file);
  return refuse_request(request, 404);
}

// ---- reports -----------------------------------------------------------------------------------

static bool is_report_path(const vwServer *server, const char *path) {
  return server->report && strncmp(path, server->report_prefix, strlen(server->report_prefix)) == 0;
}

// The first call for a POST: everything that can be refused before its bytes are read.
static enum MHD_Result begin_report(const Request *request, const char *path, void **state) {
  const char *length = header_of(request, "Content-Length");
  if (!length || header_of(request, "Transfer-Encoding"))
    return reply_text(request, 411, "a report must state its length\n", NULL, NULL);
  char *end;
  errno = 0;
  unsigned long long count = strtoull(length, &end, 10);
  if (errno || *end || count > request->server->report_bytes_max)
    return reply_text(request, 413, "the report is too long\n", NULL, NULL);
  Upload *upload = lb_alloc(1, sizeof *upload);
  if (!upload) return MHD_NO;
  memcpy(upload->path, path, VW_PATH_BYTES);
  *state = upload;
  return MHD_YES;
}

// A later call: some bytes, or none when all are here.
static enum MHD_Result continue_report(const Request *request, Upload *upload, const char *bytes,
                                       size_t *count) {
  const vwServer *server = request->server;
  if (*count > 0) {
    if (*count > server->report_bytes_max - upload->count) return MHD_NO;
    size_t needed = upload->count + *count;
    if (!lb_grow((void **)&upload->bytes, &upload->capacity, needed, 1)) return MHD_NO;
    memcpy(upload->bytes + upload->count, bytes, *count);
    upload->count = needed;
    *count = 0;
    return MHD_YES;
  }
  const void *content = upload->bytes ? (const void *)upload->bytes : "";
  bool is_taken = server->report(upload->path, content, upload->count, server->context);
  return is_taken ? reply_text(request, MHD_HTTP_NO_CONTENT, "", NULL, NULL)
                  : reply_text(request, 422, "the report was not understood\n", NULL, NULL);
}

// ---- the library's calls -----------------------------------------------------------------------

// The state of a request that has no bytes of its own; that of a report is its Upload.
static char without_bytes;

// The first call for a request. What is answered here ends the connection, so an ordinary request
// waits for its second call.
static enum MHD_Result begin_request(const Request *request, void **state) {
  if (!is_for_us(request))
    return reply_text(request, 403, "this server answers only to pages of its own\n", NULL, NULL);
  char path[VW_PATH_BYTES] = "";
  bool is_report = !vw_path_decode(request->url, path) && is_report_path(request->server, path);
  if (is_report && strcmp(request->method, "POST") == 0) return begin_report(request, path, state);
  if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0)
    return reply_text(request, 405, "only GET and HEAD are answered here\n", "Allow",
                      is_report ? "GET, HEAD, POST" : "GET, HEAD");
  const char *length = header_of(request, "Content-Length");
  if ((length && strcmp(length, "0") != 0) || header_of(request, "Transfer-Encoding"))
    return reply_text(request, 413, "this request must not carry bytes\n", NULL, NULL);
  *state = &without_bytes;
  return MHD_YES;
}

// Called when the headers are here, with *state NULL; for a report with some of its bytes, any
// number of times; and last with no bytes.
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *bytes,
                              size_t *byte_count, void **state) {
  Request request = { context, connection, method, url };
  (void)version;
  if (!*state) return begin_request(&request, state);
  if (*state != &without_bytes) return continue_report(&request, *state, bytes, byte_count);
  char path[VW_PATH_BYTES];
  int fault = vw_path_decode(url, path);
  return fault ? refuse_request(&request, fault) : answer_get(&request, path);
}

static void end_request(void *context, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode code) {
  (void)context, (void)connection, (void)code;
  Upload *upload = *state == &without_bytes ? NULL : *state;
  if (upload) lb_free(upload->bytes);
  lb_free(upload);
  *state = NULL;
}

// Does not decode %XX: vw_path_decode gets the raw text, so that it can refuse %00.
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
  (void)context, (void)connection;
  return strlen(text);
}

// ---- start and stop ----------------------------------------------------------------------------

static void make_tag(const void *bytes, size_t count, char tag[TAG_BYTES]) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325); // FNV-1a
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
  snprintf(tag, TAG_BYTES, "\"%zx-%" PRIx64 "\"", count, hash);
}

static lbStatus check_server_file(const char *path, lbError *err) {
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0) return lb_fail(err, LB_ERR_FILE, "%s: %s", path, strerror(errno));
  struct stat info;
  bool is_file = fstat(file, &info) == 0 && S_ISREG(info.st_mode);
  close(file);
  return is_file ? LB_OK : lb_fail(err, LB_ERR_FILE, "%s: not a regular file", path);
}

static lbStatus copy_files(const vwServerDef *def, vwServer *server, lbError *err) {
  size_t count = def->file_count > 0 ? (size_t)def->file_count : 0;
  server->files = lb_alloc(count, sizeof *server->files);
  if (!server->files) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) {
    const vwServerFile *from = &def->files[i];
    if (!from->name || !vw_path_is_file_name(from->name))
      return lb_fail(err, LB_ERR_ARGUMENT, "extra file %zu: \"%s\" cannot be a name on the server",
                     i, from->name ? from->name : "");
    if (!from->path == !from->bytes)
      return lb_fail(err, LB_ERR_ARGUMENT, "extra file %zu, %s: needs either bytes or a path", i,
                     from->name);
    lbStatus status = from->path ? check_server_file(from->path, err) : LB_OK;
    if (status != LB_OK) return status;
    ExtraFile *to = &server->files[server->file_count++];
    *to = (ExtraFile){ .bytes = from->bytes, .byte_count = from->byte_count };
    to->name = lb_duplicate_text(from->name);
    if (from->path) to->path = lb_duplicate_text(from->path);
    if (!to->name || (from->path && !to->path)) return lb_fail_memory(err);
    if (!from->path) make_tag(from->bytes, from->byte_count, to->tag);
  }
  return LB_OK;
}

static lbStatus open_folder(const char *folder, int *out, lbError *err) {
  *out = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*out >= 0) return LB_OK;
  const char *reason = errno == ENOENT    ? "there is no such folder"
                       : errno == ENOTDIR ? "not a folder"
                       : errno == EACCES  ? "no permission to read this folder"
                                          : strerror(errno);
  return lb_fail(err, LB_ERR_FILE, "%s: %s", folder, reason);
}

// The library's thread takes no signals: Ctrl-C is for the thread that waits for it.
static lbStatus start_thread(vwServer *server, int listener, lbError *err) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  server->daemon = MHD_start_daemon(
      MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)server->port, NULL, NULL, handle,
      server, MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT,
      (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_SECONDS,
      MHD_OPTION_NOTIFY_COMPLETED, end_request, NULL, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes,
      NULL, MHD_OPTION_END);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (server->daemon) return LB_OK;
  // some failures of the library close the listener and some do not
  if (vw_listener_port(listener) == server->port) close(listener);
  return lb_fail(err, LB_ERR_MEMORY, "cannot start the web server: out of memory or of threads");
}

static lbStatus check_server_def(const vwServerDef *def, lbError *err) {
  if (!def->folder) return lb_fail(err, LB_ERR_ARGUMENT, "vwServerDef.folder is not set");
  if (def->port < 0 || def->port > 65535)
    return lb_fail(err, LB_ERR_ARGUMENT, "port %" PRId32 " is not in 0 to 65535", def->port);
  if (def->file_count < 0 || (def->file_count > 0 && !def->files))
    return lb_fail(err, LB_ERR_ARGUMENT, "vwServerDef.files does not match its file_count %" PRId32,
                   def->file_count);
  if (def->report && (!def->report_prefix || def->report_prefix[0] == '/'))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "vwServerDef.report_prefix begins with a slash or is NULL");
  return LB_OK;
}

vwServerDef vw_server_def(void) {
  return (vwServerDef){ .report_prefix = "report/", .report_bytes_max = (size_t)1 << 20 };
}

// Fills a zeroed server; on failure the caller releases the parts created so far.
static lbStatus fill_server(const vwServerDef *def, vwServer *server, lbError *err) {
  server->report = def->report;
  server->report_bytes_max = def->report_bytes_max;
  server->log = def->log;
  server->context = def->context;
  if (def->report) {
    server->report_prefix = lb_duplicate_text(def->report_prefix);
    if (!server->report_prefix) return lb_fail_memory(err);
  }
  lbStatus status = open_folder(def->folder, &server->folder, err);
  if (status == LB_OK) status = copy_files(def, server, err);
  int listener = -1;
  if (status == LB_OK) status = vw_listener_open(def->port, &listener, &server->port, err);
  if (status != LB_OK) return status;
  snprintf(server->url, sizeof server->url, "http://127.0.0.1:%" PRId32 "/", server->port);
  return start_thread(server, listener, err); // the listener is the library's from here on
}

lbStatus vw_server_start(const vwServerDef *def, vwServer **out, lbError *err) {
  lbStatus status = check_server_def(def, err);
  if (status != LB_OK) return status;
  vwServer *server = lb_alloc(1, sizeof *server);
  if (!server) return lb_fail_memory(err);
  server->folder = -1;
  status = fill_server(def, server, err);
  if (status == LB_OK)
    *out = server;
  else
    vw_server_stop(server);
  return status;
}

void vw_server_stop(vwServer *server) {
  if (!server) return;
  if (server->daemon) MHD_stop_daemon(server->daemon);
  if (server->folder >= 0) close(server->folder);
  for (int32_t i = 0; i < server->file_count; i++) {
    lb_free(server->files[i].name);
    lb_free(server->files[i].path);
  }
  lb_free(server->files);
  lb_free(server->report_prefix);
  lb_free(server);
}

int32_t vw_server_port(const vwServer *server) { return server->port; }

const char *vw_server_url(const vwServer *server) { return server->url; }
