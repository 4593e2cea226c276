// CHOLMOD itself (its ordering, its supernodal factor over OpenBLAS) as a peer of `limber bench
// engines`, on its own threads and those of OpenBLAS. cholmod_none.c where it is not linked.
#ifndef LIMBER_BENCH_CHOLMOD_H
#define LIMBER_BENCH_CHOLMOD_H

#include "linalg/sparse.h"

typedef struct benchCholmod benchCholmod;

// K stays the caller's and must outlive it. OpenBLAS has so many threads until it is closed. NULL:
// there is no CHOLMOD.
benchCholmod *bench_cholmod_open(lbSparse *K, int32_t threads);
void bench_cholmod_close(benchCholmod *peer);
void bench_cholmod_analyse(void *peer);
void bench_cholmod_factor(void *peer);
void bench_cholmod_solve(void *peer); // of ones
double bench_cholmod_fill(const benchCholmod *peer);
const double *bench_cholmod_solution(const benchCholmod *peer); // NULL: something failed

#endif
