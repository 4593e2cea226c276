#include "bench/peers/cholmod.h"

#include <dlfcn.h>
#include <string.h>
#include <suitesparse/cholmod.h>

struct benchCholmod {
  cholmod_common common;
  cholmod_sparse K; // a view
  cholmod_factor *L;
  cholmod_dense *ones, *x;
};

// Which OpenMP library CHOLMOD was built with, if any, is its own affair.
static void set_threads(int32_t count) {
  static const char *names[] = { "omp_set_num_threads", "openblas_set_num_threads" };
  for (int i = 0; i < 2; i++) {
    void (*set)(int) = NULL;
    void *found = dlsym(RTLD_DEFAULT, names[i]);
    memcpy(&set, &found, sizeof found);
    if (set) set(count);
  }
}

benchCholmod *bench_cholmod_open(lbSparse *K, int32_t threads) {
  benchCholmod *peer = lb_alloc(1, sizeof *peer);
  if (!peer) return NULL;
  set_threads(threads);
  cholmod_start(&peer->common);
  peer->common.print = 0;
  peer->common.supernodal = CHOLMOD_SUPERNODAL;
  peer->common.useGPU = 0;
  peer->K = (cholmod_sparse){ .nrow = (size_t)K->size,
                              .ncol = (size_t)K->size,
                              .nzmax = (size_t)lb_sparse_nonzero_count(K),
                              .p = K->column_begin,
                              .i = K->rows,
                              .x = K->values,
                              .stype = 1,
                              .itype = CHOLMOD_INT,
                              .xtype = CHOLMOD_REAL,
                              .dtype = CHOLMOD_DOUBLE,
                              .sorted = true,
                              .packed = true };
  peer->ones = cholmod_ones((size_t)K->size, 1, CHOLMOD_REAL, &peer->common);
  return peer;
}

void bench_cholmod_close(benchCholmod *peer) {
  if (!peer) return;
  cholmod_free_dense(&peer->x, &peer->common);
  cholmod_free_dense(&peer->ones, &peer->common);
  cholmod_free_factor(&peer->L, &peer->common);
  cholmod_finish(&peer->common);
  set_threads(1);
  lb_free(peer);
}

void bench_cholmod_analyse(void *context) {
  benchCholmod *peer = context;
  cholmod_free_factor(&peer->L, &peer->common);
  peer->L = cholmod_analyze(&peer->K, &peer->common);
}

void bench_cholmod_factor(void *context) {
  benchCholmod *peer = context;
  if (peer->L) cholmod_factorize(&peer->K, peer->L, &peer->common);
}

void bench_cholmod_solve(void *context) {
  benchCholmod *peer = context;
  cholmod_free_dense(&peer->x, &peer->common);
  if (peer->L && peer->ones) peer->x = cholmod_solve(CHOLMOD_A, peer->L, peer->ones, &peer->common);
}

double bench_cholmod_fill(const benchCholmod *peer) { return peer->common.lnz; }

const double *bench_cholmod_solution(const benchCholmod *peer) {
  return peer->common.status == CHOLMOD_OK && peer->x ? peer->x->x : NULL;
}
