// The loop on a thread of its own. Tick n begins at t0 + n / rate; one that is more than a period
// late takes the place of those it missed, which are counted and left out.
#include "haptics/loop.h"

static bool is_ending(const lbLoop *loop) {
  return atomic_load_explicit(&loop->ending, memory_order_acquire);
}

static void run_loop(void *context) {
  lbLoop *loop = context;
  double period = loop->period, next = lb_seconds();
  if (loop->urgent) atomic_store(&loop->timing.urgent, lb_thread_hurry());
  while (!is_ending(loop)) {
    lb_sleep_until(next);
    double late = lb_seconds() - next;
    int64_t skipped = (int64_t)(late / period);
    lb_timing_add_late(&loop->timing, late, skipped);
    loop->tick(loop->context, period);
    next += (double)(1 + skipped) * period;
  }
}

lbStatus lb_loop_start(lbLoop *loop, lbLoopTick *tick, void *context, double period, bool urgent,
                       lbError *err) {
  if (lb_loop_running(loop))
    return lb_fail(err, LB_ERR_ARGUMENT, "haptics: the loop is running already");
  loop->tick = tick, loop->context = context;
  loop->period = period, loop->urgent = urgent;
  atomic_store(&loop->ending, false);
  atomic_store(&loop->running, true);
  lbStatus status = lb_thread_start(run_loop, loop, &loop->thread, err);
  if (status) atomic_store(&loop->running, false);
  return status;
}

bool lb_loop_stop(lbLoop *loop) {
  if (!lb_loop_running(loop)) return false;
  atomic_store_explicit(&loop->ending, true, memory_order_release);
  lb_thread_join(loop->thread);
  loop->thread = NULL;
  atomic_store(&loop->running, false);
  return true;
}

bool lb_loop_running(const lbLoop *loop) {
  return atomic_load_explicit(&loop->running, memory_order_acquire);
}

void lb_loop_reset(lbLoop *loop) {
  if (lb_loop_running(loop))
    atomic_store_explicit(&loop->timing.reset_asked, true, memory_order_relaxed);
  else
    lb_timing_clear(&loop->timing);
}
