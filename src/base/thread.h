// One thread, and waiting for a moment of the steady clock: for the haptics layer alone, the only
// one of the run side that may start a thread (tools/check_run_library.sh).
#ifndef LB_BASE_THREAD_H
#define LB_BASE_THREAD_H

#include "limber/base.h"

typedef struct lbThread lbThread;

// Runs work(context) on a thread of its own. LB_ERR_UNSUPPORTED where there are none (a web page).
lbStatus lb_thread_start(void (*work)(void *context), void *context, lbThread **out, lbError *err);
// Waits for its end and frees it. NULL is legal.
void lb_thread_join(lbThread *thread);

// Asks for real-time priority for the calling thread. Most systems grant it to the privileged
// alone: returns whether it did.
bool lb_thread_hurry(void);

// Returns at `moment` (as lb_seconds counts) or a few microseconds later: sleeps until shortly
// before and then watches the clock. At once when the moment is past.
void lb_sleep_until(double moment);

#endif
