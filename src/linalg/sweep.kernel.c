// Triangular solves: vectors across right-hand sides, or along the columns of L where there is one.
#include "linalg/sweep.h"

#include "linalg/fronts.h"

#define LB_INLINE static inline __attribute__((always_inline))

enum {
  SUMS = 8,     // vectors that are summed up in registers
  CHUNK = 32,   // rows of L that stay in the cache while its columns are gone through
  STEP = 8,     // rows of a triangle that are solved together
  LINE = 64,    // bytes of memory that are fetched together
  AHEAD = 4096, // values
};

#define REAL float
#define NAME(x) x##_single
#define VECTOR_REALS (LB_LANES < 4 ? 2 * LB_LANES : 8) // no more than the least width
#include "linalg/sweep_loops.inc"
#undef REAL
#undef NAME
#undef VECTOR_REALS

#define REAL double
#define NAME(x) x##_double
#define VECTOR_REALS LB_LANES
#include "linalg/sweep_loops.inc"

#define TABLE(real, width)                                                                         \
  {                                                                                                \
    subtract_##width##_##real, subtract_transposed_##width##_##real, divide_##width##_##real,      \
        divide_transposed_##width##_##real                                                         \
  }

LB_KERNEL_TABLE(lbSweeps, lb_sweeps) = {
  .singles = { TABLE(single, one), TABLE(single, few), TABLE(single, many) },
  .doubles = { TABLE(double, one), TABLE(double, few), TABLE(double, many) },
};
