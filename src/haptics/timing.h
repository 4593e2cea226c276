// Counters of the loop: written by its thread, read by any.
#ifndef LB_HAPTICS_TIMING_H
#define LB_HAPTICS_TIMING_H

#include "limber/haptics.h"

#include <stdatomic.h>

typedef struct lbTiming {
  atomic_llong ticks, missed, skipped, overran, dropped, failed;
  atomic_llong late, worst; // ns
  atomic_llong bins[LB_HAPTICS_BINS];
  atomic_bool reset_asked; // by another thread; the loop obeys at its next tick
  atomic_bool urgent;
} lbTiming;

void lb_timing_clear(lbTiming *timing); // all but `ticks`
void lb_timing_begin_tick(lbTiming *timing);
void lb_timing_add_step(lbTiming *timing, double seconds, double period);
void lb_timing_add_flags(lbTiming *timing, int32_t flags); // of the tick's step
void lb_timing_add_late(lbTiming *timing, double seconds, int64_t skipped);
void lb_timing_read(const lbTiming *timing, lbHapticsReport *report);

static inline void lb_timing_count(atomic_llong *counter, long long amount) {
  // One thread writes: no read-modify-write is needed.
  atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + amount,
                        memory_order_relaxed);
}

#endif
