// Files that other files name. What a stranger's file says must not make the program hang on a
// pipe, read a device without end, or look into folders that have nothing to do with it.
#define _XOPEN_SOURCE 700
#include "limber/file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef _WIN32
enum { PATH_BYTES = _MAX_PATH };
static bool resolve_path(const char *path, char *out) { return _fullpath(out, path, PATH_BYTES); }
static bool is_path_separator(char c) { return c == '/' || c == '\\'; }
#else
enum { PATH_BYTES = PATH_MAX };
static bool resolve_path(const char *path, char *out) { return realpath(path, out) != NULL; }
static bool is_path_separator(char c) { return c == '/'; }
#endif

static void cut_last(char *path) {
  size_t length = strlen(path);
  while (length > 0 && !is_path_separator(path[length - 1])) length--;
  path[length] = '\0'; // the folder, with the separator at its end
}

static bool begins_with(const char *path, const char *folder) {
  return strncmp(path, folder, strlen(folder)) == 0;
}

// Whether links lead `path` into the folder of `by` or below it: the folder where `by` is seen, or
// the one where it lies in truth.
static bool is_inside_folder(const char *by, const char *path) {
  char target[PATH_BYTES], folder[PATH_BYTES], seen[PATH_BYTES];
  if (!resolve_path(path, target)) return false;
  if (resolve_path(by, folder)) {
    cut_last(folder);
    if (begins_with(target, folder)) return true;
  }
  int length = snprintf(seen, sizeof seen, "%.*s.", (int)(lb_path_name(by) - by), by);
  if (length < 0 || (size_t)length >= sizeof seen || !resolve_path(seen, folder)) return false;
  size_t end = strlen(folder);
  if (end > 0 && end + 1 < sizeof folder && !is_path_separator(folder[end - 1]))
    strcpy(folder + end, "/");
  return begins_with(target, folder);
}

lbStatus lb_file_check_named(const char *path, lbError *err) {
  struct stat info;
  if (stat(path, &info) != 0)
    return lb_fail(err, LB_ERR_FILE, "%s: cannot open for reading: %s", path, strerror(errno));
  if (S_ISDIR(info.st_mode))
    return lb_fail(err, LB_ERR_FILE, "%s: is a folder, name a file in it", path);
  if (!S_ISREG(info.st_mode))
    return lb_fail(err, LB_ERR_FILE,
                   "%s: is a pipe or a device; files that files name must be ordinary ones", path);
  if ((uint64_t)info.st_size > LB_NAMED_BYTES_MAX)
    return lb_fail(err, LB_ERR_FILE, "%s: has %.0f GiB; files that files name have at most %.0f",
                   path, (double)info.st_size / (1 << 30), (double)LB_NAMED_BYTES_MAX / (1 << 30));
  return LB_OK;
}

lbStatus lb_file_named(const char *by, const char *name, lbReach reach, char **path, lbError *err) {
  char *beside = lb_path_beside(by, name);
  if (!beside) return lb_fail_memory(err);
  lbStatus status = lb_file_check_named(beside, err);
  if (!status && reach == LB_REACH_FOLDER && !is_inside_folder(by, beside))
    status = lb_fail(err, LB_ERR_FILE,
                     "%s: lies outside the folder of %s, which names it; copy it into that folder",
                     beside, lb_path_name(by));
  if (status)
    lb_free(beside);
  else
    *path = beside;
  return status;
}
