// Rows of bars by frames beside unreduced ones: with more and more frames, and coarse.
#ifndef LIMBER_BENCH_FRAMES_BARS_H
#define LIMBER_BENCH_FRAMES_BARS_H

#include "bench/bench.h"

lbStatus bench_frame_bars(benchTable *table, lbError *err);

#endif
