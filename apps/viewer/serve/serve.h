// viewer/serve.h: a folder of static files as web pages on this machine alone.
//
// The server listens on 127.0.0.1 only and answers only requests that name 127.0.0.1 or localhost
// as their host, so that no other machine, and no page of another site through a name that it
// points here, reads anything. It answers GET and HEAD, and POST where a hook takes reports. It
// gives out nothing but regular files of its folder (no symbolic links, no names that begin with a
// dot) and the extra files that the definition names. A folder answers with its index.html.
#ifndef VW_SERVE_H
#define VW_SERVE_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vwServer vwServer;

// A file that is not in the folder: either bytes or a path.
typedef struct vwServerFile {
  const char *name;  // on the server, without a slash before it: "open/bunny.glb"
  const void *bytes; // stay the caller's, unchanged until the server stops
  size_t byte_count; // of bytes
  const char *path;  // read at every request, symbolic links followed; NULL: bytes
} vwServerFile;

// What a page sends by POST. `path` is the decoded path without the first slash. Runs on the
// server's thread; true answers 204, false 422.
typedef bool vwReportHook(const char *path, const void *bytes, size_t byte_count, void *context);

// One line a request ("GET /index.html 200"), printable ASCII. Runs on the server's thread.
typedef void vwServerLogHook(const char *line, void *context);

typedef struct vwServerDef {
  const char *folder;        // must exist; may itself be a symbolic link
  int32_t port;              // 1 to 65535; 0 (default): any free one
  const vwServerFile *files; // extra files, they go before those of the folder; default: none
  int32_t file_count;
  vwReportHook *report;      // default: none, every POST is refused
  const char *report_prefix; // POST is for paths that begin so, default "report/"
  size_t report_bytes_max;   // of one report; default 1 MiB
  vwServerLogHook *log;      // default: none
  void *context;             // of both hooks
} vwServerDef;

vwServerDef vw_server_def(void);

// Listens and answers on a thread of its own until vw_server_stop. Fails where the folder or an
// extra file cannot be read, and where the port is taken or not allowed.
lbStatus vw_server_start(const vwServerDef *def, vwServer **out, lbError *err);
// Ends open connections and waits for the thread; not to be called from a hook. NULL is legal.
void vw_server_stop(vwServer *server);

int32_t vw_server_port(const vwServer *server);
const char *vw_server_url(const vwServer *server); // "http://127.0.0.1:8080/"; lives as the server

// Writes the path of a file under the server's address with what a URL cannot hold as %XX, as in
// "open/my%20bunny.glb". False when it does not fit in `capacity`.
bool vw_url_encode(const char *name, char *text, size_t capacity);

// Starts a browser and does not wait for it: each command of the variable BROWSER (separated by
// colons, %s stands for the URL), else xdg-open. No shell reads the URL, which must begin with
// http:// or https://. LB_ERR_UNSUPPORTED, with a text that names the URL, when there is nothing
// to start; whether a program that could be started shows the page is not known.
lbStatus vw_open_browser(const char *url, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
