// Times and memory of the ranks, for `limber-mpi bench`.
#include "petsc/measure.h"

#include "petsc/basis.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

static double seconds_of(struct timeval time) {
  return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static void measure_use(lbPetscFigures *out) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double bytes = 1024.0 * (double)usage.ru_maxrss;
  double seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  MPI_Allreduce(&seconds, &out->processor_seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  MPI_Allreduce(&bytes, &out->most_bytes, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  MPI_Allreduce(&bytes, &out->least_bytes, 1, MPI_DOUBLE, MPI_MIN, PETSC_COMM_WORLD);
}

// A load that differs from node to node, without a resultant where the body is free.
static void make_load(const lbParts *parts, double *b) {
  for (int32_t i = 0; i < 3 * parts->own_count; i++) b[i] = sin(1 + i % 7 + 3 * parts->own_begin);
}

static double find_petsc_residual(const lbStatics *statics, const double *x, const double *b) {
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

static lbStatus measure_statics(lbParts *parts, const lbPetscDef *def, const lbRows *modes,
                                lbPetscFigures *out, lbError *err) {
  size_t rows = 3 * (size_t)parts->own_count;
  double *b = lb_ranks_alloc(rows + 1, sizeof *b), *x = lb_ranks_alloc(rows + 1, sizeof *x);
  lbStatics statics;
  lb_parts_drop_factor(parts);
  double start = MPI_Wtime();
  lbStatus status =
      lb_statics_open(&statics, parts, def, modes->rigid_count, modes->rigid_vectors, err);
  out->factor_seconds = MPI_Wtime() - start;
  make_load(parts, b);
  if (!status) lb_statics_balance(&statics, 1, b);
  memcpy(x, b, rows * sizeof *x);
  start = MPI_Wtime();
  if (!status) status = lb_statics_solve(&statics, 1, x, err);
  out->solve_seconds = MPI_Wtime() - start;
  if (!status) out->solve_residual = find_petsc_residual(&statics, x, b);
  lb_statics_close(&statics);
  lb_free(b);
  lb_free(x);
  return status;
}

lbStatus lb_measure(lbParts *parts, const lbPetscDef *def, int32_t mode_count, bool solve,
                    lbPetscFigures *out, lbError *err) {
  lbRows modes = { 0 };
  *out = (lbPetscFigures){ .rows = 3 * parts->node_count, .mode_count = mode_count };
  MPI_Barrier(PETSC_COMM_WORLD);
  double start = MPI_Wtime();
  lbStatus status = lb_parts_assemble(parts, err);
  out->assemble_seconds = MPI_Wtime() - start;
  start = MPI_Wtime();
  if (!status) out->direct = lb_is_direct(parts, def, mode_count);
  if (!status) status = lb_rows_modes(parts, def, mode_count, &modes, err);
  out->modes_seconds = MPI_Wtime() - start;
  for (int32_t i = 0; i < modes.count; i++)
    if (modes.residuals[i] > out->modes_residual) out->modes_residual = modes.residuals[i];
  if (!status && solve) status = measure_statics(parts, def, &modes, out, err);
  lb_rows_release(&modes);
  measure_use(out);
  return status;
}
