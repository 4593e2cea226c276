#include "bench/peers/cholmod.h"

benchCholmod *bench_cholmod_open(lbSparse *K, int32_t threads) {
  (void)K;
  (void)threads;
  return NULL;
}

void bench_cholmod_close(benchCholmod *peer) { (void)peer; }
void bench_cholmod_analyse(void *peer) { (void)peer; }
void bench_cholmod_factor(void *peer) { (void)peer; }
void bench_cholmod_solve(void *peer) { (void)peer; }

double bench_cholmod_fill(const benchCholmod *peer) {
  (void)peer;
  return 0;
}

const double *bench_cholmod_solution(const benchCholmod *peer) {
  (void)peer;
  return NULL;
}
