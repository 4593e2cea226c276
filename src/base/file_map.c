// Files seen as memory: mmap where there is one, reading otherwise (Windows, pages, pipes, file
// systems that cannot map).
#define _POSIX_C_SOURCE 200809L
#include "limber/file.h"

#if !defined(_WIN32) && !defined(__EMSCRIPTEN__)
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Maps an ordinary file of at least so many bytes; leaves *out alone when this one cannot be
// mapped. Fails where reading would, too.
static lbStatus map_by_system(const char *path, size_t least, lbFileMap *out, lbError *err) {
  struct stat info;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return lb_fail(err, LB_ERR_FILE, "%s: cannot open for reading: %s", path, strerror(errno));
  bool known = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
  if (known && (uintmax_t)info.st_size >= least && (uintmax_t)info.st_size <= SIZE_MAX) {
    void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes != MAP_FAILED) *out = (lbFileMap){ bytes, (size_t)info.st_size, NULL };
  }
  close(file);
  return LB_OK;
}

static void unmap_by_system(const lbFileMap *map) { munmap((void *)map->bytes, map->byte_count); }

// Opening a pipe to look at it would take it from its writer.
static bool may_map(const char *path) {
  struct stat info;
  return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}
#else
static lbStatus map_by_system(const char *path, size_t least, lbFileMap *out, lbError *err) {
  (void)path, (void)least, (void)out, (void)err;
  return LB_OK;
}
static void unmap_by_system(const lbFileMap *map) { (void)map; }
static bool may_map(const char *path) { return (void)path, false; }
#endif

// Maps files of at least so many bytes.
static lbStatus map_from(const char *path, size_t least, lbFileMap *out, lbError *err) {
  lbFileMap map = { 0 };
  lbStatus status = may_map(path) ? map_by_system(path, least, &map, err) : LB_OK;
  if (!status && !map.bytes) {
    char *content = NULL;
    status = lb_file_read(path, &content, &map.byte_count, err);
    map.bytes = (uint8_t *)content;
    map.block_ = content;
  }
  if (!status && map.byte_count == 0) {
    lb_file_unmap(&map);
    status = lb_fail(err, LB_ERR_FILE, "%s: is empty", path);
  }
  if (!status) *out = map;
  return status;
}

lbStatus lb_file_map(const char *path, lbFileMap *out, lbError *err) {
  return map_from(path, 1, out, err);
}

lbStatus lb_file_hold(const char *path, lbFileMap *out, lbError *err) {
  return map_from(path, LB_FILE_COPY_BYTES + 1, out, err);
}

void lb_file_unmap(lbFileMap *map) {
  if (map->block_)
    lb_free(map->block_);
  else if (map->bytes)
    unmap_by_system(map);
  *map = (lbFileMap){ 0 };
}
