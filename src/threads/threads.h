// A pool of POSIX threads behind the task hook of limber/base.h. The build side's alone: the run
// side starts no thread.
//
// The calling thread takes part in its own parallel loop. A parallel loop inside a task runs one
// after another in the thread that meets it, and so does a loop that starts while another thread's
// loop has the pool. The cut into tasks never depends on the number of threads, nor do results.
#ifndef LB_THREADS_THREADS_H
#define LB_THREADS_THREADS_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Starts count - 1 workers (0: as many threads as there are processors) and installs the task
// runner. A pool that runs already is stopped first. Call it while no parallel loop runs.
lbStatus lb_threads_start(int32_t count, lbError *err);
// Ends the workers and removes the task runner; without a pool it does nothing.
void lb_threads_stop(void);
// Threads that work on a parallel loop, the caller included; 1 without a pool.
int32_t lb_threads_count(void);

#ifdef __cplusplus
}
#endif
#endif
