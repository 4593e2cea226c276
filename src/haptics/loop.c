// The loop on a thread of its own. Tick n begins at t0 + n / rate; one that is more than a period
// late takes the place of those it missed, which are counted and left out.
#include "haptics/haptics.h"

static bool is_ending(const lbHaptics *h) {
  return atomic_load_explicit(&h->ending, memory_order_acquire);
}

static void run_loop(void *context) {
  lbHaptics *h = context;
  double period = 1 / h->def.rate, next = lb_seconds();
  if (h->def.urgent) atomic_store(&h->timing.urgent, lb_thread_hurry());
  while (!is_ending(h)) {
    lb_sleep_until(next);
    double late = lb_seconds() - next;
    int64_t skipped = (int64_t)(late / period);
    lb_timing_add_late(&h->timing, late, skipped);
    lb_haptics_run_tick(h, period);
    next += (double)(1 + skipped) * period;
  }
}

lbStatus lb_haptics_start(lbHaptics *h, lbError *err) {
  if (!h) return lb_refuse_null(err, "haptics");
  if (lb_haptics_running(h))
    return lb_fail(err, LB_ERR_ARGUMENT, "haptics: the loop is running already");
  atomic_store(&h->ending, false);
  atomic_store(&h->running, true);
  lbStatus status = lb_thread_start(run_loop, h, &h->thread, err);
  if (status) atomic_store(&h->running, false);
  return status;
}

void lb_haptics_stop(lbHaptics *h) {
  if (!h) return;
  if (!lb_haptics_running(h)) return;
  atomic_store_explicit(&h->ending, true, memory_order_release);
  lb_thread_join(h->thread);
  h->thread = NULL;
  atomic_store(&h->running, false);
  // A device that is left with the last force would drive away with it.
  *(lbVec3 *)lb_exchange_block(&h->forces) = lb_vec3(0, 0, 0);
  lb_exchange_publish(&h->forces);
}

bool lb_haptics_running(const lbHaptics *h) {
  if (!h) return false;
  return atomic_load_explicit(&h->running, memory_order_acquire);
}

void lb_haptics_reset_report(lbHaptics *h) {
  if (!h) return;
  if (lb_haptics_running(h))
    atomic_store_explicit(&h->timing.reset_asked, true, memory_order_relaxed);
  else
    lb_timing_clear(&h->timing);
}
