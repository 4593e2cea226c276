// The folder PATH.part-PROCESS, emptied by moving or by removing.
#include "export/staging.h"

#include "limber/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void clear(lbStaging *staging) {
  lb_free(staging->path);
  lb_free(staging->folder);
  *staging = (lbStaging){ 0 };
}

static bool is_file(const struct dirent *entry) {
  return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

lbStatus lb_staging_begin(lbStaging *staging, const char *path, lbError *err) {
  size_t bytes = strlen(path) + 32;
  *staging = (lbStaging){ .path = lb_duplicate_text(path), .folder = lb_alloc(bytes, 1) };
  if (!staging->path || !staging->folder) {
    clear(staging);
    return lb_fail_memory(err);
  }
  snprintf(staging->folder, bytes, "%s.part-%d", path, (int)getpid());
  lb_folder_remove(staging->folder); // a process of this number that was killed may have left it
  if (mkdir(staging->folder, 0777) == 0) {
    lb_unfinished_add(staging->folder);
    return LB_OK;
  }
  lbStatus status = lb_fail(err, LB_ERR_FILE, "%s: cannot write%s: %s", path,
                            errno == ENOENT ? ", make its folder first" : "", strerror(errno));
  clear(staging);
  return status;
}

char *lb_staging_file(const lbStaging *staging, const char *name) {
  size_t bytes = strlen(staging->folder) + strlen(name) + 2;
  char *path = lb_alloc(bytes, 1);
  if (path) snprintf(path, bytes, "%s/%s", staging->folder, name);
  return path;
}

// The folder that the files go to.
static int open_place(const lbStaging *staging) {
  char *folder = staging->path, *name = folder + (lb_path_name(folder) - folder), kept = *name;
  *name = '\0';
  int place = open(*folder ? folder : ".", O_RDONLY | O_DIRECTORY);
  *name = kept;
  return place;
}

static lbStatus move_staged_file(const lbStaging *staging, int from, const char *name, int to,
                                 lbError *err) {
  if (renameat(from, name, to, name) == 0) return LB_OK;
  return lb_fail(err, LB_ERR_FILE, "%s: cannot write its file %s: %s", staging->path, name,
                 strerror(errno));
}

// Fails, with the name, where a folder is in a file's way.
static lbStatus check_way(const lbStaging *staging, DIR *from, int to, lbError *err) {
  for (struct dirent *entry; (entry = readdir(from));) {
    struct stat info;
    if (is_file(entry) && fstatat(to, entry->d_name, &info, 0) == 0 && S_ISDIR(info.st_mode))
      return lb_fail(err, LB_ERR_FILE, "%s: its file %s would replace a folder, remove that first",
                     staging->path, entry->d_name);
  }
  rewinddir(from);
  return LB_OK;
}

// All but the last, which is moved when the others are in place.
static lbStatus move_all(const lbStaging *staging, DIR *from, int to, const char *last,
                         lbError *err) {
  lbStatus status = check_way(staging, from, to, err);
  bool has_last = false;
  for (struct dirent *entry; !status && (entry = readdir(from));) {
    if (!is_file(entry)) continue;
    if (strcmp(entry->d_name, last) == 0)
      has_last = true;
    else
      status = move_staged_file(staging, dirfd(from), entry->d_name, to, err);
  }
  return !status && has_last ? move_staged_file(staging, dirfd(from), last, to, err) : status;
}

lbStatus lb_staging_commit(lbStaging *staging, lbError *err) {
  DIR *from = opendir(staging->folder);
  int to = open_place(staging);
  lbStatus status = LB_OK;
  if (!from || to < 0)
    status =
        lb_fail(err, LB_ERR_FILE, "%s: cannot open its folder: %s", staging->path, strerror(errno));
  if (!status) status = move_all(staging, from, to, lb_path_name(staging->path), err);
  if (from) closedir(from);
  if (to >= 0) close(to);
  lb_staging_abort(staging); // removes the remaining files, after success the empty folder
  return status;
}

void lb_staging_abort(lbStaging *staging) {
  if (staging->folder) lb_folder_remove(staging->folder);
  lb_unfinished_done(staging->folder);
  clear(staging);
}
