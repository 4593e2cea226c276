// Forces of several bodies at once, a body in each lane; see body/cubic_crowd.h. Formulas and order
// of operations are those of cubic.kernel.c and cubic_whole.h, where vectors run along the index i.
// Beyond LB_CUBIC_WHOLE modes bodies are evaluated one by one.
#include "body/cubic_crowd.h"

extern const lbCubicCrowdKernels LB_KERNEL(lb_cubic_crowd_kernels);
extern const lbCubicKernels LB_KERNEL(lb_cubic_kernels);

#define INLINE static inline __attribute__((always_inline))

enum { GROUP = LB_CUBIC_GROUP, WIDTH = LB_CUBIC_WIDTH };

// Arrays of vectors.
typedef struct Work {
  size_t count;
  double *q;     // (r)
  double *D, *A; // (r (r + 1) / 2) row by row; A = Q(q,.,.)
  double *X;     // (r x r) column by column
} Work;

static Work place_work(int32_t r, double *block) {
  size_t n = (size_t)r, triangle = lb_packed2_count(r);
  Work w = { .count = n };
  w.q = block, w.D = w.q + LB_LANES * n, w.A = w.D + LB_LANES * triangle;
  w.X = w.A + LB_LANES * triangle;
  return w;
}

INLINE double *row_of(double *triangle, size_t i) { return triangle + LB_LANES * (i * (i + 1) / 2); }
INLINE double *column_of(const Work *w, size_t c) { return w->X + LB_LANES * w->count * c; }

INLINE void add_to(double *sum, lbLanes a, lbLanes b) {
  lb_store(sum, lb_multiply_add(a, b, lb_load(sum)));
}

// Coefficients of either precision.
typedef struct Coefficients {
  const double *wide;
  const float *narrow;
} Coefficients;

INLINE lbLanes read_one(const Coefficients *from, const bool narrow, size_t place) {
  return lb_splat(narrow ? (double)from->narrow[place] : from->wide[place]);
}

INLINE void skip(Coefficients *from, const bool narrow, size_t count) {
  if (narrow)
    from->narrow += count;
  else
    from->wide += count;
}

// ---- S -----------------------------------------------------------------------------------------

typedef struct Block {
  size_t k, l;
  lbLanes w[WIDTH], q_k, q_l[WIDTH];
} Block;

// V of one row: columns [begin, end), with D or without. `from`: the row's first column.
INLINE void add_columns(const Work *w, const int width, const bool narrow, const bool with_D,
                        const Block *b, Coefficients *from, double *D, size_t begin, size_t end,
                        lbLanes V[WIDTH]) {
  for (size_t j = begin; j < end; j++) {
    const lbLanes q_j = lb_load(w->q + LB_LANES * j);
    lbLanes sum;
    if (with_D) sum = lb_load(D + LB_LANES * j);
    LB_FOR (a, 0, width) {
      const lbLanes B = read_one(from, narrow, GROUP * (size_t)a);
      V[a] = lb_multiply_add(B, q_j, V[a]);
      if (with_D) sum = lb_multiply_add(b->w[a], B, sum);
    }
    if (with_D) lb_store(D + LB_LANES * j, sum);
    skip(from, narrow, GROUP * (size_t)width);
  }
}

// X of one row, and s: its parts of i = 0, 1, 2, 3 modulo four
INLINE void add_outer(const Work *w, const int width, const Block *b, size_t i,
                      const lbLanes V[WIDTH], double *s) {
  double *at_k = column_of(w, b->k) + LB_LANES * i;
  const lbLanes q_i = lb_load(w->q + LB_LANES * i);
  lbLanes sum = lb_load(at_k);
  LB_FOR (a, 0, width) sum = lb_multiply_add(b->q_l[a], V[a], sum);
  lb_store(at_k, sum);
  LB_FOR (a, 0, width) {
    add_to(column_of(w, b->l + (size_t)a) + LB_LANES * i, b->q_k, V[a]);
    add_to(s + LB_LANES * (4 * (size_t)a + i % 4), q_i, V[a]);
  }
}

INLINE void end_block(const Work *w, const int width, const Block *b, const double *s) {
  LB_FOR (a, 0, width) {
    const double *parts = s + 4 * LB_LANES * a;
    double *D = row_of(w->D, b->l + (size_t)a) + LB_LANES * b->k;
    const lbLanes sum = (lb_load(parts) + lb_load(parts + LB_LANES)) +
                        (lb_load(parts + 2 * LB_LANES) + lb_load(parts + 3 * LB_LANES));
    lb_store(D, b->l + (size_t)a == b->k ? lb_load(D) + sum : lb_splat(0.5) * sum);
  }
}

INLINE void add_block(const Work *w, const int width, const bool narrow, size_t k, size_t l,
                      Coefficients *from) {
  const size_t columns = k + 1, size = GROUP * columns * (size_t)width;
  double s[4 * WIDTH * LB_LANES] = { 0 };
  Block b = { .k = k, .l = l, .q_k = lb_load(w->q + LB_LANES * k) };
  LB_FOR (a, 0, width) {
    b.q_l[a] = lb_load(w->q + LB_LANES * (l + (size_t)a));
    b.w[a] = b.q_k * b.q_l[a];
  }
  for (size_t i = 0; i < columns; i++) {
    Coefficients row = *from;
    lbLanes V[WIDTH];
    skip(&row, narrow, i % GROUP);
    LB_FOR (a, 0, width) V[a] = lb_splat(0);
    add_columns(w, width, narrow, true, &b, &row, row_of(w->D, i), 0, i + 1, V);
    add_columns(w, width, narrow, false, &b, &row, NULL, i + 1, columns, V);
    add_outer(w, width, &b, i, V, s);
    if (i % GROUP == GROUP - 1 || i == k) skip(from, narrow, size);
  }
  end_block(w, width, &b, s);
}

// D and X
INLINE void contract_S(const Work *work, const bool narrow, Coefficients from) {
  const Work copy = *work, *const w = &copy; // that no store can change: kept in registers
  const size_t n = w->count;
  memset(w->D, 0, LB_LANES * (n * (n + 1) / 2) * sizeof(double));
  memset(w->X, 0, LB_LANES * n * n * sizeof(double));
  for (size_t k = 0; k < n; k++) {
    size_t l = k;
    for (; l + WIDTH <= n; l += WIDTH) add_block(w, WIDTH, narrow, k, l, &from);
    if (n - l == 3) add_block(w, 3, narrow, k, l, &from);
    if (n - l == 2) add_block(w, 2, narrow, k, l, &from);
    if (n - l == 1) add_block(w, 1, narrow, k, l, &from);
  }
}

// ---- Q -----------------------------------------------------------------------------------------

// Two columns of a block of 4x4, rows 4I.., columns from j on.
INLINE void contract_columns(const Work *w, const bool narrow, Coefficients from, size_t I,
                             size_t j) {
  lbLanes M[2][4];
  LB_FOR (c, 0, 2)
    LB_FOR (i, 0, 4) M[c][i] = lb_splat(0);
  for (size_t c = 0; c < w->count; c++) {
    const lbLanes q_c = lb_load(w->q + LB_LANES * c);
    LB_FOR (b, 0, 2)
      LB_FOR (i, 0, 4)
        M[b][i] = lb_multiply_add(read_one(&from, narrow, (size_t)(4 * b + i)), q_c, M[b][i]);
    skip(&from, narrow, 16);
  }
  LB_FOR (b, 0, 2)
    LB_FOR (i, 0, 4) {
      const size_t row = 4 * I + (size_t)i, column = j + (size_t)b;
      if (column <= row && row < w->count) lb_store(row_of(w->A, row) + LB_LANES * column, M[b][i]);
    }
}

INLINE void contract_Q(const Work *work, const bool narrow, Coefficients from) {
  const Work copy = *work, *const w = &copy;
  for (size_t I = 0; 4 * I < w->count; I++)
    for (size_t J = 0; J <= I; J++) {
      contract_columns(w, narrow, from, I, 4 * J);
      skip(&from, narrow, 8);
      contract_columns(w, narrow, from, I, 4 * J + 2);
      skip(&from, narrow, 16 * w->count - 8);
    }
}

// ---- force, stiffness, energy ------------------------------------------------------------------

// D <- A3, stiffness
static void form_stiffness(const Work *w, const double *P, size_t padded, double *stiffness) {
  const lbLanes two = lb_splat(2), three = lb_splat(3);
  for (size_t i = 0; i < w->count; i++)
    for (size_t j = 0; j <= i; j++) {
      double *D = row_of(w->D, i) + LB_LANES * j;
      const lbLanes A2 = lb_load(row_of(w->A, i) + LB_LANES * j);
      const lbLanes A3 = lb_load(D) + (lb_load(column_of(w, j) + LB_LANES * i) +
                                       lb_load(column_of(w, i) + LB_LANES * j));
      lb_store(D, A3);
      lb_store(stiffness + LB_BATCH * (i * (i + 1) / 2 + j),
               lb_multiply_add(three, A3, lb_multiply_add(two, A2, lb_splat(P[j * padded + i]))));
    }
}

// Returns the energy.
static lbLanes form_force(const Work *w, const double *P, size_t padded, double *force) {
  lbLanes energy[4];
  LB_FOR (i, 0, 4) energy[i] = lb_splat(0);
  for (size_t a = 0; a < w->count; a++) {
    lbLanes R1 = lb_splat(0), R2 = R1, R3 = R1;
    for (size_t b = 0; b < w->count; b++) {
      const size_t place = LB_LANES * (a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a);
      const lbLanes q_b = lb_load(w->q + LB_LANES * b);
      R1 = lb_multiply_add(lb_splat(P[b * padded + a]), q_b, R1);
      R2 = lb_multiply_add(lb_load(w->A + place), q_b, R2);
      R3 = lb_multiply_add(lb_load(w->D + place), q_b, R3);
    }
    const lbLanes rows = lb_multiply_add(
        lb_splat(0.5), R1, lb_multiply_add(lb_splat(1.0 / 3), R2, lb_splat(0.25) * R3));
    energy[a % 4] = lb_multiply_add(lb_load(w->q + LB_LANES * a), rows, energy[a % 4]);
    lb_store(force + LB_BATCH * a, R1 + (R2 + R3));
  }
  return (energy[0] + energy[1]) + (energy[2] + energy[3]);
}

static void evaluate_vector(const lbCubic *cubic, const double *q, double *force, double *stiffness,
                            double *energy, double *work) {
  const Work w = place_work(cubic->count, work);
  const Coefficients Q = { cubic->quadratic, cubic->quadratic_single };
  const Coefficients S = { cubic->cubic, cubic->cubic_single };
  const size_t padded = (size_t)lb_cubic_padded(cubic->count);
  for (size_t i = 0; i < w.count; i++) lb_store(w.q + LB_LANES * i, lb_load(q + LB_BATCH * i));
  if (S.narrow) {
    contract_Q(&w, true, Q);
    contract_S(&w, true, S);
  } else {
    contract_Q(&w, false, Q);
    contract_S(&w, false, S);
  }
  form_stiffness(&w, cubic->linear, padded, stiffness);
  lb_store(energy, form_force(&w, cubic->linear, padded, force));
}

// ---- one by one --------------------------------------------------------------------------------

// Numbers of one body, and its matrix, of kernels that know one body alone.
typedef struct Alone {
  size_t count, padded;
  double *q, *v, *force, *matrix, *work;
} Alone;

static Alone place_alone(int32_t r, double *block) {
  Alone alone = { .count = (size_t)r, .padded = (size_t)lb_cubic_padded(r), .q = block };
  alone.v = alone.q + alone.padded, alone.force = alone.v + alone.padded;
  alone.matrix = alone.force + alone.padded;
  alone.work = alone.matrix + alone.padded * alone.padded;
  return alone;
}

static void gather(size_t count, const double *from, double *to) {
  for (size_t i = 0; i < count; i++) to[i] = from[LB_BATCH * i];
}

static void scatter(size_t count, const double *from, double *to) {
  for (size_t i = 0; i < count; i++) to[LB_BATCH * i] = from[i];
}

static void scatter_matrix(const Alone *alone, double *to) {
  for (size_t i = 0; i < alone->count; i++)
    scatter(i + 1, alone->matrix + alone->padded * i, to + LB_BATCH * (i * (i + 1) / 2));
}

static void evaluate_alone(const lbCubic *cubic, const double *q, double *force, double *stiffness,
                           double *energy, double *work) {
  const Alone alone = place_alone(cubic->count, work);
  gather(alone.count, q, alone.q);
  *energy = LB_KERNEL(lb_cubic_kernels)
                .evaluate(cubic, alone.q, alone.force, alone.matrix, alone.work);
  scatter(alone.count, alone.force, force);
  scatter_matrix(&alone, stiffness);
}

static void stiffness_rate(const lbCubic *cubic, int32_t count, const double *q, const double *v,
                           double *rate, double *work) {
  const Alone alone = place_alone(cubic->count, work);
  for (int32_t m = 0; m < count; m++) {
    gather(alone.count, q + m, alone.q);
    gather(alone.count, v + m, alone.v);
    LB_KERNEL(lb_cubic_kernels)
        .stiffness_rate(cubic, alone.q, alone.v, alone.matrix, alone.work);
    scatter_matrix(&alone, rate + m);
  }
}

static void evaluate(const lbCubic *cubic, int32_t count, const double *q, double *force,
                     double *stiffness, double *energy, double *work) {
  LB_ASSERT(count >= 1 && count <= LB_BATCH);
  if (cubic->count <= LB_CUBIC_WHOLE)
    for (int32_t m = 0; m < count; m += LB_LANES)
      evaluate_vector(cubic, q + m, force + m, stiffness + m, energy + m, work);
  else
    for (int32_t m = 0; m < count; m++)
      evaluate_alone(cubic, q + m, force + m, stiffness + m, energy + m, work);
}

const lbCubicCrowdKernels LB_KERNEL(lb_cubic_crowd_kernels) = { evaluate, stiffness_rate };
