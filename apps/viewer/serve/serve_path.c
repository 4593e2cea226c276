// From the path in a request to an open file. Safety rests on two steps that do not trust each
// other: the decoded text has no component that could climb, and every component is opened relative
// to its parent with O_NOFOLLOW, so that no link escapes the folder, even if it changes meanwhile.
#include "serve/serve_path.h"
#include "serve/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Empty components and those that begin with a dot: "..", "." and hidden files.
static bool has_bad_component(const char *path) {
  bool at_start = true;
  for (const char *c = path; *c; c++) {
    if (at_start && (*c == '.' || *c == '/')) return true;
    at_start = *c == '/';
  }
  return false;
}

static bool is_bad_character(unsigned char c) { return c < 0x20 || c == 0x7f || c == '\\'; }

int vw_path_decode(const char *raw, char path[VW_PATH_BYTES]) {
  if (*raw++ != '/') return 400;
  size_t count = 0;
  for (; *raw; raw++) {
    unsigned char c = (unsigned char)*raw;
    if (c == '%') {
      int high = hex_digit(raw[1]), low = high < 0 ? -1 : hex_digit(raw[2]);
      if (low < 0) return 400;
      c = (unsigned char)(high * 16 + low);
      if (c == '/') return 400; // a slash inside a name is not valid
      raw += 2;
    }
    if (is_bad_character(c)) return 400;
    if (count + 1 >= VW_PATH_BYTES) return 414;
    path[count++] = (char)c;
  }
  path[count] = 0;
  return has_bad_component(path) ? 404 : 0;
}

bool vw_url_encode(const char *name, char *text, size_t capacity) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  static const char digits[] = "0123456789ABCDEF";
  size_t count = 0;
  for (; *name; name++) {
    unsigned char c = (unsigned char)*name;
    bool is_plain = strchr(plain, c) != NULL;
    if (capacity < count + (is_plain ? 2 : 4)) return false;
    text[count++] = is_plain ? (char)c : '%';
    if (is_plain) continue;
    text[count++] = digits[c >> 4];
    text[count++] = digits[c & 15];
  }
  if (count >= capacity) return false;
  text[count] = 0;
  return true;
}

bool vw_path_is_file_name(const char *path) {
  size_t count = strlen(path);
  if (count == 0 || count >= VW_PATH_BYTES || path[count - 1] == '/') return false;
  for (const char *c = path; *c; c++)
    if (is_bad_character((unsigned char)*c)) return false;
  return !has_bad_component(path);
}

int vw_path_open(int folder, const char *path) {
  int parent = fcntl(folder, F_DUPFD_CLOEXEC, 0);
  while (parent >= 0) {
    const char *slash = strchr(path, '/');
    size_t count = slash ? (size_t)(slash - path) : strlen(path);
    if (count == 0) return parent; // after the last slash
    char name[VW_PATH_BYTES];
    if (count >= sizeof name) {
      close(parent);
      errno = ENAMETOOLONG;
      return -1;
    }
    memcpy(name, path, count);
    name[count] = 0;
    // O_NONBLOCK: opening a FIFO must not wait for its writer
    int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int child = openat(parent, name, flags | (slash ? O_DIRECTORY : 0));
    int problem = errno;
    close(parent);
    errno = problem;
    if (!slash) return child;
    parent = child;
    path = slash + 1;
  }
  return -1;
}

const char *vw_path_mime(const char *path) {
  static const struct {
    const char *ending, *type;
  } types[] = {
    { ".html", "text/html; charset=utf-8" },
    { ".js", "text/javascript; charset=utf-8" },
    { ".mjs", "text/javascript; charset=utf-8" },
    { ".css", "text/css; charset=utf-8" },
    { ".txt", "text/plain; charset=utf-8" },
    { ".json", "application/json" },
    { ".webmanifest", "application/manifest+json" },
    { ".wasm", "application/wasm" }, // browsers compile while loading only under this type
    { ".glb", "model/gltf-binary" },
    { ".png", "image/png" },
    { ".jpg", "image/jpeg" },
    { ".jpeg", "image/jpeg" },
    { ".svg", "image/svg+xml" },
    { ".ico", "image/x-icon" },
  };
  const char *name = strrchr(path, '/'), *ending = strrchr(name ? name : path, '.');
  for (size_t i = 0; ending && i < sizeof types / sizeof *types; i++)
    if (strcasecmp(ending, types[i].ending) == 0) return types[i].type;
  return "application/octet-stream"; // also .gz, which pages unpack themselves
}
