// Starting and stopping the threads of the build side.
#include "limber/build.h"

#include "full/full.h"
#include "threads/threads.h"

lbStatus lb_build_start(int32_t thread_count, lbError *err) {
  lb_full_register();
  return lb_threads_start(thread_count, err);
}

void lb_build_stop(void) { lb_threads_stop(); }
