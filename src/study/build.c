// Starting and stopping the threads of the build side.
#include "limber/build.h"

#include "linalg/dense.h"
#include "threads/threads.h"

lbStatus lb_build_start(int32_t thread_count, lbError *err) {
  lbStatus status = lb_threads_start(thread_count, err);
  if (!status) lb_linalg_set_threads(lb_threads_count());
  return status;
}

void lb_build_stop(void) {
  lb_threads_stop();
  lb_linalg_set_threads(1);
}

int32_t lb_build_threads(void) { return lb_threads_count(); }
