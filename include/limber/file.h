// limber/file.h: whole-file reading, and writing aside with a rename at the end, so that a reader
// never sees half a file and a failed write leaves what was there before.
#ifndef LIMBER_FILE_H
#define LIMBER_FILE_H

#include "limber/base.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// The whole file plus a terminating zero byte that *bytes does not count. Free with lb_free.
lbStatus lb_file_read(const char *path, char **content, size_t *bytes, lbError *err);

// A whole file to look at: mapped by the system where it can, otherwise read into memory. The bytes
// start on an LB_ALIGNMENT boundary. Do not overwrite the file in place meanwhile; replacing it by
// a rename, as lbFileWriter does, is harmless.
typedef struct lbFileMap {
  const uint8_t *bytes;
  size_t byte_count;
  void *block_; // private: memory of our own; NULL: the system's mapping
} lbFileMap;

lbStatus lb_file_map(const char *path, lbFileMap *out, lbError *err); // an empty file is an error
void lb_file_unmap(lbFileMap *map);                                   // one of zeros is legal

typedef struct lbFileWriter {
  FILE *stream; // write here
  char *path, *aside;
  bool straight; // the path is a device or a pipe: written directly, nothing to rename
} lbFileWriter;

lbStatus lb_file_begin(lbFileWriter *writer, const char *path, lbError *err);
// Flushes, closes and renames; on failure (full disk) removes the aside file and says so.
lbStatus lb_file_commit(lbFileWriter *writer, lbError *err);
void lb_file_abort(lbFileWriter *writer); // after begin and before commit; removes the aside file

lbStatus lb_directory_make(const char *path, lbError *err); // like mkdir -p
bool lb_file_exists(const char *path);

// Text helpers on paths; '/' separates.
const char *lb_path_name(const char *path);                          // after the last '/'
const char *lb_path_extension(const char *path);                     // with the dot, "" if none
bool lb_path_has_extension(const char *path, const char *extension); // ignores case; with the dot
// `name` as seen from the folder that holds `beside` (unless name is absolute). NULL: no memory.
char *lb_path_beside(const char *beside, const char *name);

#ifdef __cplusplus
}
#endif
#endif
