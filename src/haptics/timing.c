// Step times in bins, 16 an octave: 6 % apart, in fixed memory, for as long as the loop runs.
#include "haptics/timing.h"

enum { OCTAVE_BINS = 16, FIRST_NS = 64 };

static long long get(const atomic_llong *counter) {
  return atomic_load_explicit(counter, memory_order_relaxed);
}
static void set(atomic_llong *counter, long long value) {
  atomic_store_explicit(counter, value, memory_order_relaxed);
}

void lb_timing_clear(lbTiming *timing) {
  atomic_llong *const counters[] = { &timing->missed,  &timing->skipped, &timing->overran,
                                     &timing->dropped, &timing->failed,  &timing->late,
                                     &timing->worst };
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) set(counters[i], 0);
  for (int i = 0; i < LB_HAPTICS_BINS; i++) set(&timing->bins[i], 0);
}

void lb_timing_begin_tick(lbTiming *timing) {
  if (atomic_load_explicit(&timing->reset_asked, memory_order_relaxed) &&
      atomic_exchange_explicit(&timing->reset_asked, false, memory_order_relaxed))
    lb_timing_clear(timing);
}

// ---- bins --------------------------------------------------------------------------------------

static int bin_of(long long ns) {
  int octave = 0;
  if (ns < FIRST_NS) return 0;
  while (ns >> (octave + 1) >= FIRST_NS) octave++;
  long long begin = (long long)FIRST_NS << octave;
  long long bin = OCTAVE_BINS * octave + (ns - begin) * OCTAVE_BINS / begin;
  return bin < LB_HAPTICS_BINS ? (int)bin : LB_HAPTICS_BINS - 1;
}

double lb_haptics_bin_end(int32_t bin) {
  double begin = 1e-9 * FIRST_NS * (double)(1LL << (bin / OCTAVE_BINS));
  return begin * (1 + (double)(bin % OCTAVE_BINS + 1) / OCTAVE_BINS);
}

static double quantile(const int64_t *bins, double share) {
  int64_t total = 0, seen = 0;
  for (int32_t i = 0; i < LB_HAPTICS_BINS; i++) total += bins[i];
  if (total == 0) return 0;
  for (int32_t i = 0; i < LB_HAPTICS_BINS; i++) {
    seen += bins[i];
    if ((double)seen >= share * (double)total) return lb_haptics_bin_end(i);
  }
  return lb_haptics_bin_end(LB_HAPTICS_BINS - 1);
}

// ---- counting and reading ----------------------------------------------------------------------

void lb_timing_add_step(lbTiming *timing, double seconds, double period) {
  long long ns = (long long)(1e9 * seconds);
  lb_timing_count(&timing->ticks, 1);
  lb_timing_count(&timing->bins[bin_of(ns)], 1);
  if (ns > get(&timing->worst)) set(&timing->worst, ns);
  if (seconds > period) lb_timing_count(&timing->overran, 1);
}

void lb_timing_add_flags(lbTiming *timing, int32_t flags) {
  if (flags & (LB_STEP_NONFINITE | LB_STEP_NOT_CONVERGED)) lb_timing_count(&timing->failed, 1);
  if (flags & LB_STEP_CONTACTS_DROPPED) lb_timing_count(&timing->dropped, 1);
}

void lb_timing_add_late(lbTiming *timing, double seconds, int64_t skipped) {
  long long ns = (long long)(1e9 * seconds);
  if (ns > get(&timing->late)) set(&timing->late, ns);
  if (skipped == 0) return;
  lb_timing_count(&timing->missed, 1);
  lb_timing_count(&timing->skipped, skipped);
}

void lb_timing_read(const lbTiming *timing, lbHapticsReport *report) {
  *report = (lbHapticsReport){
    .ticks = get(&timing->ticks),
    .missed = get(&timing->missed),
    .skipped = get(&timing->skipped),
    .overran = get(&timing->overran),
    .dropped = get(&timing->dropped),
    .failed = get(&timing->failed),
    .late = 1e-9 * (double)get(&timing->late),
    .step_worst = 1e-9 * (double)get(&timing->worst),
    .urgent = atomic_load_explicit(&timing->urgent, memory_order_relaxed),
  };
  for (int i = 0; i < LB_HAPTICS_BINS; i++) report->bins[i] = get(&timing->bins[i]);
  report->step_median = quantile(report->bins, 0.5);
  report->step_p99 = quantile(report->bins, 0.99);
  report->step_p999 = quantile(report->bins, 0.999);
}
