// limber/file.h: reads whole files; writes to a temporary file that is renamed at the end, so that
// a reader never sees half a file and a failed write leaves the old file.
#ifndef LIMBER_FILE_H
#define LIMBER_FILE_H

#include "limber/base.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// The whole file plus a terminating zero byte that *bytes does not count. Free with lb_free.
lbStatus lb_file_read(const char *path, char **content, size_t *bytes, lbError *err);

// ---- files that files name ---------------------------------------------------------------------

// How far the name of a file may lead that stands in another file.
typedef enum lbReach {
  LB_REACH_ANYWHERE, // of scenes, which their user writes
  LB_REACH_FOLDER,   // of meshes, which strangers write: their own folder and what lies below it,
                     // links and ".." resolved
} lbReach;

#define LB_NAMED_BYTES_MAX ((uint64_t)16 << 30)

// Fails unless `path` is an ordinary file (no pipe, device or folder) of at most
// LB_NAMED_BYTES_MAX.
lbStatus lb_file_check_named(const char *path, lbError *err);
// The path of the file that `by` calls `name`, once it has passed that check and lies within reach.
// Every file that a file names is found through this function. Free *path with lb_free.
lbStatus lb_file_named(const char *by, const char *name, lbReach reach, char **path, lbError *err);

// ---- files as memory ---------------------------------------------------------------------------

// A whole file to look at: mapped by the system where it can, otherwise read into memory. The bytes
// start on an LB_ALIGNMENT boundary. Replacing a mapped file by a rename, as lbFileWriter does, is
// harmless; one that is shortened in place (cp over it) ends the program with SIGBUS.
typedef struct lbFileMap {
  const uint8_t *bytes;
  size_t byte_count;
  void *block_; // private: memory of our own; NULL: the system's mapping
} lbFileMap;

#define LB_FILE_COPY_BYTES ((size_t)64 << 20)

lbStatus lb_file_map(const char *path, lbFileMap *out, lbError *err); // an empty file is an error
// The same for longer use: files of up to LB_FILE_COPY_BYTES are read into memory, so that nothing
// that happens to them afterwards matters; only larger ones are mapped.
lbStatus lb_file_hold(const char *path, lbFileMap *out, lbError *err);
void lb_file_unmap(lbFileMap *map); // one of zeros is legal

// ---- writing -----------------------------------------------------------------------------------

typedef struct lbFileWriter {
  FILE *stream;  // write here; NULL once the file is sealed
  char *path;    // the file to replace: the target of a symbolic link, not the link
  char *aside;   // PATH.part-PROCESS
  bool straight; // the path is a device or a pipe: written directly, nothing to rename
} lbFileWriter;

// A file that is there already keeps its mode.
lbStatus lb_file_begin(lbFileWriter *writer, const char *path, lbError *err);
// Flushes, closes and renames; on failure (full disk) removes the aside file and says so.
lbStatus lb_file_commit(lbFileWriter *writer, lbError *err);
// The first half of commit: writes everything to the disk, without the rename. Several files that
// belong together are sealed first and then committed, so that a full disk leaves none of them. A
// failure has aborted the writer.
lbStatus lb_file_seal(lbFileWriter *writer, lbError *err);
void lb_file_abort(lbFileWriter *writer); // before commit; removes the aside file; zeros are legal

// Unfinished files and folders, which lb_remove_unfinished removes when a program must end at once,
// also from a signal handler (the process must not continue afterwards). Aside files and scratch
// folders are among them. The path stays the caller's and alive until it is done.
void lb_unfinished_add(const char *path);
void lb_unfinished_done(const char *path); // NULL, or one that was not added, is legal
void lb_remove_unfinished(void);

// ---- folders and paths -------------------------------------------------------------------------

lbStatus lb_directory_make(const char *path, lbError *err); // like mkdir -p
void lb_folder_remove(const char *path); // with the files in it; not the folders; says nothing
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
