// CHOLMOD itself (its ordering, its supernodal factor over OpenBLAS) as a peer of `limber bench
// engines`, on one thread. cholmod_none.c where it is not linked.
#ifndef LIMBER_BENCH_CHOLMOD_H
#define LIMBER_BENCH_CHOLMOD_H

#include "linalg/sparse.h"

typedef struct benchCholmod benchCholmod;

// K stays the caller's and must outlive it. NULL: there is no CHOLMOD.
benchCholmod *bench_cholmod_open(lbSparse *K);
void bench_cholmod_close(benchCholmod *peer);
void bench_cholmod_analyse(void *peer);
void bench_cholmod_factor(void *peer);
void bench_cholmod_solve(void *peer); // of ones
double bench_cholmod_fill(const benchCholmod *peer);
const double *bench_cholmod_solution(const benchCholmod *peer); // NULL: something failed

#endif
