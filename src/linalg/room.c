#include "linalg/room.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __EMSCRIPTEN__
#include <emscripten/heap.h>
#endif

static const double LITTLE = 16 << 20;

// The number after `key` (a line's first word) in a file, or at its beginning; `otherwise` where
// there is none.
static double number_in(const char *path, const char *key, double otherwise) {
  char line[200];
  double value = otherwise;
  FILE *file = fopen(path, "r");
  size_t length = strlen(key);
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, key, length) == 0 && sscanf(line + length, "%lf", &value) == 1) break;
  if (file) fclose(file);
  return value;
}

static double machine_free(void) {
  double kilobytes = number_in("/proc/meminfo", "MemAvailable:", 0);
  if (kilobytes > 0) return 1024 * kilobytes;
#ifdef __EMSCRIPTEN__
  return (double)emscripten_get_heap_max();
#else
  return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
#endif
}

// Files that are cached count as free. Inside a container its own group is at the root.
static double group_free(void) {
  double two = number_in("/sys/fs/cgroup/memory.max", "", HUGE_VAL);
  double one = number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", "", HUGE_VAL);
  if (two < HUGE_VAL) return two - number_in("/sys/fs/cgroup/memory.stat", "anon ", 0);
  return one - number_in("/sys/fs/cgroup/memory/memory.stat", "total_rss ", 0);
}

static double process_free(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY) return HUGE_VAL;
  double pages = number_in("/proc/self/statm", "", 0);
  return (double)limit.rlim_cur - pages * (double)sysconf(_SC_PAGESIZE);
}

double lb_room_free(void) {
  return fmax(fmin(machine_free(), fmin(group_free(), process_free())), 0);
}

lbStatus lb_room_check(const char *what, double bytes, lbError *err) {
  return lb_room_check_or(what, bytes, "use a coarser mesh, or limber-mpi on more machines", err);
}

lbStatus lb_room_check_or(const char *what, double bytes, const char *advice, lbError *err) {
  if (bytes < LITTLE) return LB_OK;
  double room = lb_room_free();
  if (bytes <= room) return LB_OK;
  return lb_fail(err, LB_ERR_MEMORY,
                 "%s: about %.3g GB of memory are needed, and %.3g GB are free: %s", what,
                 bytes / 1e9, room / 1e9, advice);
}
