// Files and paths; the only part of the run side besides the clock that talks to the system.
#define _POSIX_C_SOURCE 200809L
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

lbStatus lb_file_read(const char *path, char **content, size_t *bytes, lbError *err) {
  lbStatus status = LB_OK;
  char *block = NULL;
  size_t used = 0, capacity = 0;
  struct stat info;
  FILE *file = fopen(path, "rb");
  if (!file) return fail_errno(err, path, "cannot open for reading");
  if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode)) {
    status = lb_fail(err, LB_ERR_FILE, "%s: is a folder, name a file in it", path);
    goto done;
  }
  for (;;) { // grows with what is really there: a pipe has no size, and a size may lie
    if (!lb_grow((void **)&block, &capacity, used + 65536, 1)) {
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

// Where to write: aside, or straight into a device or pipe (/dev/stdout), which no rename may
// replace.
static void name_aside(char *aside, size_t bytes, const char *path, bool straight) {
  if (straight)
    snprintf(aside, bytes, "%s", path);
  else
    snprintf(aside, bytes, "%s.part-%d", path, process_id());
}

lbStatus lb_file_begin(lbFileWriter *writer, const char *path, lbError *err) {
  size_t aside_bytes = strlen(path) + 32;
  *writer = (lbFileWriter){ .path = lb_duplicate_text(path), .aside = lb_alloc(aside_bytes, 1) };
  if (!writer->path || !writer->aside) {
    writer_clear(writer);
    return lb_fail_memory(err);
  }
  struct stat info;
  bool exists = stat(path, &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    writer_clear(writer);
    return lb_fail(err, LB_ERR_FILE, "%s: is a folder, name a file to write", path);
  }
  writer->straight = exists && !S_ISREG(info.st_mode);
  name_aside(writer->aside, aside_bytes, path, writer->straight);
  writer->stream = fopen(writer->aside, "wb");
  if (!writer->stream) {
    lbStatus status = fail_errno(err, path,
                                 errno == ENOENT ? "cannot open for writing, make its folder first"
                                                 : "cannot open for writing");
    writer_clear(writer);
    return status;
  }
  return LB_OK;
}

static void remove_aside(const lbFileWriter *writer) {
  if (!writer->straight) remove(writer->aside);
}

lbStatus lb_file_commit(lbFileWriter *writer, lbError *err) {
  lbStatus status = LB_OK;
  errno = 0;
  bool failed = ferror(writer->stream) != 0;
  failed |= fclose(writer->stream) != 0;
  if (failed)
    status = fail_errno(err, writer->path, "cannot write, is the disk full");
  else if (!writer->straight && !replace_file(writer->aside, writer->path))
    status = fail_errno(err, writer->path, "cannot write");
  if (status) remove_aside(writer);
  writer_clear(writer);
  return status;
}

void lb_file_abort(lbFileWriter *writer) {
  if (!writer->stream) return;
  fclose(writer->stream);
  remove_aside(writer);
  writer_clear(writer);
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
