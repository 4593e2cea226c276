// Sweeps of rotations of columns, kept until there are many.
#include "linalg/own/decompose.h"

#include <string.h>

enum { STRIP = 32, MOST_SWEEPS = 64 }; // rows of a strip; sweeps that wait

struct lbOwnSweep {
  int32_t first, count;
  bool down;
  size_t begin; // in rotations
};

// Value (row, column) of Z: strips of STRIP rows, each by columns.
static double *strip_entry(const lbOwnSweeps *sweeps, int32_t row, int32_t column) {
  return sweeps->strips +
         (size_t)STRIP * ((size_t)(row / STRIP) * (size_t)sweeps->columns + (size_t)column) +
         row % STRIP;
}

static int32_t strip_count(const lbOwnSweeps *sweeps) { return (sweeps->rows + STRIP - 1) / STRIP; }

bool lb_own_sweeps_open(lbOwnSweeps *sweeps, int32_t rows, int32_t columns, const double *Z) {
  *sweeps = (lbOwnSweeps){ .rows = rows, .columns = columns };
  size_t width = (size_t)columns;
  sweeps->strips = lb_alloc((size_t)strip_count(sweeps) * STRIP * width, sizeof *sweeps->strips);
  sweeps->rotations = lb_alloc(MOST_SWEEPS * width, sizeof *sweeps->rotations);
  sweeps->waiting = lb_alloc(MOST_SWEEPS, sizeof *sweeps->waiting);
  if (!sweeps->strips || !sweeps->rotations || !sweeps->waiting) {
    lb_own_sweeps_close(sweeps);
    return false;
  }
  for (int32_t j = 0; j < columns; j++)
    for (int32_t i = 0; i < rows; i += STRIP)
      memcpy(strip_entry(sweeps, i, j), Z + (size_t)j * (size_t)rows + i,
             (size_t)(rows - i < STRIP ? rows - i : STRIP) * sizeof *Z);
  return true;
}

static void apply_to_strips(int32_t begin, int32_t end, void *context) {
  const lbOwnSweeps *sweeps = context;
  const lbOwnKernels *kernels = lb_own();
  for (int32_t strip = begin; strip < end; strip++)
    for (int32_t n = 0; n < sweeps->waiting_count; n++) {
      const struct lbOwnSweep *sweep = &sweeps->waiting[n];
      (sweep->down ? kernels->rotate_down
                   : kernels->rotate_up)(STRIP, sweep->count, sweeps->rotations + sweep->begin,
                                         strip_entry(sweeps, strip * STRIP, sweep->first), STRIP);
    }
}

static void apply_plane_rotations(lbOwnSweeps *sweeps) {
  lb_parallel_for(strip_count(sweeps), 4, apply_to_strips, sweeps);
  sweeps->waiting_count = 0;
  sweeps->rotation_count = 0;
}

lbOwnRotation *lb_own_sweeps_add(lbOwnSweeps *sweeps, int32_t first, int32_t count, bool down) {
  size_t room = MOST_SWEEPS * (size_t)sweeps->columns;
  if (sweeps->waiting_count == MOST_SWEEPS || sweeps->rotation_count + (size_t)count > room)
    apply_plane_rotations(sweeps);
  size_t begin = sweeps->rotation_count;
  sweeps->waiting[sweeps->waiting_count++] = (struct lbOwnSweep){ first, count, down, begin };
  sweeps->rotation_count += (size_t)count;
  return sweeps->rotations + begin;
}

void lb_own_sweeps_finish(lbOwnSweeps *sweeps, const int32_t *order, double *Z) {
  apply_plane_rotations(sweeps);
  for (int32_t j = 0; j < sweeps->columns; j++)
    for (int32_t i = 0; i < sweeps->rows; i += STRIP)
      memcpy(Z + (size_t)j * (size_t)sweeps->rows + i, strip_entry(sweeps, i, order[j]),
             (size_t)(sweeps->rows - i < STRIP ? sweeps->rows - i : STRIP) * sizeof *Z);
}

void lb_own_sweeps_close(lbOwnSweeps *sweeps) {
  lb_free(sweeps->strips);
  lb_free(sweeps->rotations);
  lb_free(sweeps->waiting);
  *sweeps = (lbOwnSweeps){ 0 };
}

void lb_own_sort(int32_t count, int sign, double *values, int32_t *order) {
  for (int32_t i = 0; i < count; i++) {
    double value = values[i];
    int32_t at = i;
    for (; at > 0 && sign * values[at - 1] > sign * value; at--) {
      values[at] = values[at - 1];
      order[at] = order[at - 1];
    }
    values[at] = value;
    order[at] = i;
  }
}

double lb_own_length(double a, double b) {
  double squares = a * a + b * b;
  if (squares > 1e-280 && squares < 1e280) return sqrt(squares);
  double large = fmax(fabs(a), fabs(b)), small = fmin(fabs(a), fabs(b)) / large;
  return large > 0 ? large * sqrt(1 + small * small) : 0;
}

lbOwnRotation lb_own_rotation(double f, double g, double *r) {
  if (g == 0) {
    *r = f;
    return (lbOwnRotation){ 1, 0 };
  }
  if (f == 0) {
    *r = g;
    return (lbOwnRotation){ 0, 1 };
  }
  double length = copysign(lb_own_length(f, g), f);
  *r = length;
  return (lbOwnRotation){ f / length, g / length };
}
