// Memory and threads of the dense library.
#include "linalg/blas.h"

#include "threads/threads.h"

#include <cblas.h>
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

// Bytes of a buffer of OpenBLAS on the larger machines, and something for the rest.
static const size_t BUFFER_BYTES = (size_t)136 << 20;

enum { MOST_BUFFERS = 64 }; // OpenBLAS has a slot for each, and some more

// What two threads add up differs from what one does, in the last bits, and results here must not
// depend on the number of threads.
void lb_linalg_one_thread(void) {
  if (openblas_get_num_threads() != 1) openblas_set_num_threads(1);
}

static bool is_limited(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

static bool has_room(size_t bytes) {
  void *address = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) return false;
  munmap(address, bytes);
  return true;
}

// OpenBLAS's own functions, not declared in its headers; another library has none.
typedef struct Buffers {
  void *(*take)(int);
  void (*give_back)(void *);
} Buffers;

static Buffers find_buffers(void) {
  Buffers buffers = { 0 };
  void *take = dlsym(RTLD_DEFAULT, "blas_memory_alloc");
  void *give_back = dlsym(RTLD_DEFAULT, "blas_memory_free");
  if (!take || !give_back) return buffers;
  memcpy(&buffers.take, &take, sizeof take);
  memcpy(&buffers.give_back, &give_back, sizeof give_back);
  return buffers;
}

// How many buffers the library holds; it is one for the whole process.
static _Atomic int32_t reserved;

lbStatus lb_linalg_reserve(lbError *err) {
  void *taken[MOST_BUFFERS];
  int32_t wanted = lb_threads_count(), count = 0;
  if (wanted > MOST_BUFFERS) wanted = MOST_BUFFERS;
  if (reserved >= wanted || !is_limited()) return LB_OK;
  Buffers buffers = find_buffers();
  if (!buffers.take) return LB_OK;
  while (count < wanted && has_room(BUFFER_BYTES)) taken[count++] = buffers.take(0);
  for (int32_t i = 0; i < count; i++) buffers.give_back(taken[i]); // it keeps them
  if (count == wanted) {
    reserved = wanted;
    return LB_OK;
  }
  return lb_fail(err, LB_ERR_MEMORY,
                 "the limit on address space (ulimit -v) leaves too little for the dense algebra: "
                 "it needs %d MB for each of %d threads; raise the limit or use fewer threads",
                 (int)(BUFFER_BYTES >> 20), (int)wanted);
}
