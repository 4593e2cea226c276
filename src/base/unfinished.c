// A short list without a lock, so that a signal handler can go through it. What finds no room on it
// is merely left behind when the program is ended by force.
#define _POSIX_C_SOURCE 200809L
#include "limber/file.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 64 };
static _Atomic(const char *) slots[SLOTS];

void lb_unfinished_add(const char *path) {
  for (int i = 0; i < SLOTS; i++) {
    const char *nothing = NULL;
    if (atomic_compare_exchange_strong(&slots[i], &nothing, path)) return;
  }
}

void lb_unfinished_done(const char *path) {
  for (int i = 0; i < SLOTS && path; i++) {
    const char *own = path;
    if (atomic_compare_exchange_strong(&slots[i], &own, NULL)) return;
  }
}

void lb_folder_remove(const char *path) {
  char name[4096];
  DIR *folder = opendir(path);
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));) { // unlinking "." and ".." is refused
    int length = snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    if (length > 0 && (size_t)length < sizeof name) unlink(name);
  }
  closedir(folder);
  rmdir(path);
}

void lb_remove_unfinished(void) {
  for (int i = 0; i < SLOTS; i++) {
    const char *path = atomic_exchange(&slots[i], NULL);
    if (path && unlink(path) != 0) lb_folder_remove(path);
  }
}
