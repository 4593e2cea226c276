// Files and paths; the only part of the run side besides the clock that talks to the system.
#define _XOPEN_SOURCE 700
#include "limber/file.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#ifdef _WIN32
#include <direct.h>
#include <process.h>
#include <windows.h>
#define make_directory(path) _mkdir(path)
#define process_id() _getpid()
#else
#include <unistd.h>
#define make_directory(path) mkdir(path, 0777)
#define process_id() (int)getpid()
#endif

static lbStatus fail_errno(lbError *err, const char *path, const char *what) {
  if (errno == 0) return lb_fail(err, LB_ERR_FILE, "%s: %s", path, what);
  return lb_fail(err, LB_ERR_FILE, "%s: %s: %s", path, what, strerror(errno));
}

// Renames, replacing what is there.
static bool replace_file(const char *from, const char *to) {
#ifdef _WIN32
  errno = EACCES;
  return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) != 0;
#else
  return rename(from, to) == 0;
#endif
}

// Room for so many bytes: exactly that at first, so that a large file is not held twice.
static bool reserve_bytes(char **block, size_t *capacity, size_t used, size_t needed) {
  if (used > 0) return lb_grow((void **)block, capacity, needed, 1);
  *block = lb_alloc(needed, 1);
  *capacity = *block ? needed : 0;
  return *block != NULL;
}

lbStatus lb_file_read(const char *path, char **content, size_t *bytes, lbError *err) {
  lbStatus status = LB_OK;
  char *block = NULL;
  size_t used = 0, capacity = 0;
  struct stat info;
  FILE *file = fopen(path, "rb");
  if (!file) return fail_errno(err, path, "cannot open for reading");
  bool known = fstat(fileno(file), &info) == 0;
  if (known && S_ISDIR(info.st_mode)) {
    status = lb_fail(err, LB_ERR_FILE, "%s: is a folder, name a file in it", path);
    goto done;
  }
  size_t expected = known && S_ISREG(info.st_mode) && info.st_size > 0 ? (size_t)info.st_size : 0;
  for (;;) { // grows with what is really there: a pipe has no size, and a size may lie
    size_t needed = used < expected ? expected + 2 : used + 65536; // for the end, and the zero
    if (!reserve_bytes(&block, &capacity, used, needed)) {
      status = lb_fail_memory(err);
      goto done;
    }
    size_t got = fread(block + used, 1, capacity - used - 1, file);
    used += got;
    if (got == 0) break;
  }
  if (ferror(file)) {
    status = fail_errno(err, path, "cannot read");
    goto done;
  }
  block[used] = '\0';
  *content = block;
  *bytes = used;
  block = NULL;
done:
  fclose(file);
  lb_free(block);
  return status;
}

static void writer_clear(lbFileWriter *writer) {
  lb_free(writer->path);
  lb_free(writer->aside);
  *writer = (lbFileWriter){ 0 };
}

// The target of symbolic links, which need not exist yet. NULL: no memory, or circular links.
static char *follow_links(const char *path) {
  char *current = lb_duplicate_text(path);
#ifndef _WIN32
  struct stat info;
  for (int i = 0; current && lstat(current, &info) == 0 && S_ISLNK(info.st_mode); i++) {
    char target[4096], *next = NULL;
    ssize_t length = readlink(current, target, sizeof target);
    if (i < 40 && length > 0 && (size_t)length < sizeof target) {
      target[length] = '\0';
      next = lb_path_beside(current, target);
    }
    lb_free(current);
    current = next;
  }
#endif
  return current;
}

// Where to write: aside, or straight into a device or pipe (/dev/stdout), which no rename may
// replace.
static void name_aside(char *aside, size_t bytes, const char *path, bool straight) {
  if (straight)
    snprintf(aside, bytes, "%s", path);
  else
    snprintf(aside, bytes, "%s.part-%d", path, process_id());
}

// A private file stays private, from the first byte on.
static void keep_mode(FILE *stream, const struct stat *info) {
#ifdef _WIN32
  (void)stream, (void)info;
#else
  if (fchmod(fileno(stream), info->st_mode & 0777) != 0)
    errno = 0; // not every file system has modes
#endif
}

lbStatus lb_file_begin(lbFileWriter *writer, const char *path, lbError *err) {
  *writer = (lbFileWriter){ .straight = false };
  struct stat info;
  bool exists = stat(path, &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return lb_fail(err, LB_ERR_FILE, "%s: is a folder, name a file to write", path);
  writer->straight = exists && !S_ISREG(info.st_mode); // /dev/stdout is a link, too
  writer->path = writer->straight ? lb_duplicate_text(path) : follow_links(path);
  size_t aside_bytes = writer->path ? strlen(writer->path) + 32 : 0;
  if (writer->path) writer->aside = lb_alloc(aside_bytes, 1);
  if (!writer->aside) {
    writer_clear(writer);
    return lb_fail_memory(err);
  }
  name_aside(writer->aside, aside_bytes, writer->path, writer->straight);
  writer->stream = fopen(writer->aside, "wb");
  if (!writer->stream) {
    lbStatus status = fail_errno(err, path,
                                 errno == ENOENT ? "cannot open for writing, make its folder first"
                                                 : "cannot open for writing");
    writer_clear(writer);
    return status;
  }
  if (!writer->straight) lb_unfinished_add(writer->aside);
  if (!writer->straight && exists) keep_mode(writer->stream, &info);
  return LB_OK;
}

void lb_file_abort(lbFileWriter *writer) {
  if (!writer->path) return;
  if (writer->stream) fclose(writer->stream);
  if (!writer->straight) remove(writer->aside);
  lb_unfinished_done(writer->aside);
  writer_clear(writer);
}

lbStatus lb_file_seal(lbFileWriter *writer, lbError *err) {
  if (!lb_progress("write", 1)) { // the last moment to stop
    lb_file_abort(writer);
    return lb_fail_interrupted(err, "write");
  }
  errno = 0;
  bool failed = ferror(writer->stream) != 0;
  failed |= fclose(writer->stream) != 0;
  writer->stream = NULL;
  if (!failed) return LB_OK;
  lbStatus status = fail_errno(err, writer->path, "cannot write, is the disk full");
  lb_file_abort(writer);
  return status;
}

lbStatus lb_file_commit(lbFileWriter *writer, lbError *err) {
  lbStatus status = writer->stream ? lb_file_seal(writer, err) : LB_OK;
  if (status) return status;
  if (!writer->straight && !replace_file(writer->aside, writer->path)) {
    status = fail_errno(err, writer->path, "cannot write");
    lb_file_abort(writer);
    return status;
  }
  lb_unfinished_done(writer->aside);
  writer_clear(writer);
  return LB_OK;
}

lbStatus lb_directory_make(const char *path, lbError *err) {
  lbStatus status = LB_OK;
  char *partial = lb_duplicate_text(path);
  if (!partial) return lb_fail_memory(err);
  size_t length = strlen(partial);
  for (size_t i = 1; i <= length && !status; i++) {
    if (partial[i] != '/' && partial[i] != '\0') continue;
    char kept = partial[i];
    partial[i] = '\0';
    if (make_directory(partial) != 0 && errno != EEXIST)
      status = fail_errno(err, partial, "cannot make this folder");
    partial[i] = kept;
  }
  struct stat info;
  if (!status && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)))
    status = lb_fail(err, LB_ERR_FILE, "%s: is not a folder", path);
  lb_free(partial);
  return status;
}

bool lb_file_exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0;
}

const char *lb_path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char *lb_path_extension(const char *path) {
  const char *name = lb_path_name(path);
  const char *dot = strrchr(name, '.');
  return dot && dot != name ? dot : "";
}

bool lb_path_has_extension(const char *path, const char *extension) {
  const char *own = lb_path_extension(path);
  for (; *own && *extension; own++, extension++)
    if (tolower((unsigned char)*own) != tolower((unsigned char)*extension)) return false;
  return *own == *extension;
}

char *lb_path_beside(const char *beside, const char *name) {
  size_t folder = name[0] == '/' ? 0 : (size_t)(lb_path_name(beside) - beside);
  char *path = lb_alloc(folder + strlen(name) + 1, 1);
  if (!path) return NULL;
  memcpy(path, beside, folder);
  strcpy(path + folder, name);
  return path;
}
