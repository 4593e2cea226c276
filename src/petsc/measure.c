// Times and memory of the ranks, for `limber-mpi bench`.
#include "petsc/measure.h"

#include "petsc/basis.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

lbStatus lb_measure_assembly(lbParts *parts, lbPetscFigures *out, lbError *err) {
  MPI_Barrier(PETSC_COMM_WORLD);
  double start = MPI_Wtime();
  lbStatus status = lb_parts_assemble(parts, err);
  out->assemble_seconds = MPI_Wtime() - start;
  return status;
}

static void measure_memory(lbPetscFigures *out) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double bytes = 1024.0 * (double)usage.ru_maxrss;
  MPI_Allreduce(&bytes, &out->most_bytes, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  MPI_Allreduce(&bytes, &out->least_bytes, 1, MPI_DOUBLE, MPI_MIN, PETSC_COMM_WORLD);
}

// A load that differs from node to node, without a resultant where the body is free.
static void make_load(const lbParts *parts, double *b) {
  for (int32_t i = 0; i < 3 * parts->own_count; i++) b[i] = sin(1 + i % 7 + 3 * parts->own_begin);
}

static double find_residual(const lbStatics *statics, const double *x, const double *b) {
  lbParts *parts = statics->parts;
  size_t rows = 3 * (size_t)parts->own_count;
  double *Kx = lb_ranks_alloc(rows + 1, sizeof *Kx), sums[2] = { 0 };
  lb_parts_multiply(parts, parts->K, 1, x, Kx);
  for (size_t i = 0; i < rows; i++) {
    sums[0] += (Kx[i] - b[i]) * (Kx[i] - b[i]);
    sums[1] += b[i] * b[i];
  }
  lb_ranks_sum(sums, 2);
  lb_free(Kx);
  return sqrt(sums[0] / sums[1]);
}

lbStatus lb_measure_statics(lbParts *parts, const lbPetscDef *def, const lbEigen *eigen,
                            lbPetscFigures *out, lbError *err) {
  size_t rows = 3 * (size_t)parts->own_count;
  double *b = lb_ranks_alloc(rows + 1, sizeof *b), *x = lb_ranks_alloc(rows + 1, sizeof *x);
  lbStatics statics;
  lb_parts_drop_search(parts);
  out->direct = lb_is_direct(parts, def, 20);
  double start = MPI_Wtime();
  lbStatus status = lb_statics_open(&statics, parts, def, eigen, err);
  out->factor_seconds = MPI_Wtime() - start;
  make_load(parts, b);
  if (!status) lb_statics_balance(&statics, 1, b);
  memcpy(x, b, rows * sizeof *x);
  start = MPI_Wtime();
  if (!status) status = lb_statics_solve(&statics, 1, x, err);
  out->solve_seconds = MPI_Wtime() - start;
  if (!status) out->solve_residual = find_residual(&statics, x, b);
  lb_statics_close(&statics);
  measure_memory(out);
  lb_free(b);
  lb_free(x);
  return status;
}
