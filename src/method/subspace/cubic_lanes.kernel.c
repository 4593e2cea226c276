// Forces of several bodies at once, a body in each lane; see method/subspace/cubic_lanes.h.
// Formulas and order of operations are those of cubic.kernel.c and cubic_whole.h, where vectors run
// along the index i.
#include "method/subspace/cubic_lanes.h"

#define INLINE static inline __attribute__((always_inline))

enum { GROUP = LB_CUBIC_GROUP, WIDTH = LB_CUBIC_WIDTH };

// Rows of a matrix that are summed at a time: as many as sixteen registers hold.
enum { ROWS = LB_LANES == 1 ? 1 : 2 };

// Of the bodies of one vector. Arrays are of vectors; rows are filled up to whole groups of four.
typedef struct Work {
  size_t count, padded;
  double *q;     // (padded)
  double *D, *A; // lower triangles, see row_of; A = Q(q,.,.)
  double *X;     // (r x padded) column by column
} Work;

static size_t triangle_size(size_t groups) { return 8 * groups * (groups + 1); }

// The end of it.
static double *place_work_cubic_lanes(int32_t r, double *block, Work *w) {
  const size_t triangle = triangle_size((size_t)lb_cubic_groups(r));
  *w = (Work){ .count = (size_t)r, .padded = (size_t)lb_cubic_padded(r), .q = block };
  w->D = w->q + LB_LANES * w->padded, w->A = w->D + LB_LANES * triangle;
  w->X = w->A + LB_LANES * triangle;
  return w->X + LB_LANES * w->count * w->padded;
}

// A row has as many columns as the last one of its group.
INLINE double *row_of(double *triangle, size_t i) {
  const size_t I = i / 4;
  return triangle + LB_LANES * (triangle_size(I) + i % 4 * 4 * (I + 1));
}
INLINE double *column_of(const Work *w, size_t c) { return w->X + LB_LANES * w->padded * c; }

INLINE void add_to(double *sum, lbLanes a, lbLanes b) {
  lb_store(sum, lb_multiply_add(a, b, lb_load(sum)));
}

// Coefficients of either precision. Those of single precision are widened block by block, once for
// all bodies.
typedef struct Coefficients {
  const double *wide;
  const float *narrow;
  double *widened; // (WIDTH x padded x padded, or ENTRIES x pairs)
} Coefficients;

// The next `count` of them.
static const double *take_cubic_lanes(Coefficients *from, size_t count) {
  if (from->narrow) {
    for (size_t i = 0; i < count; i++) from->widened[i] = (double)from->narrow[i];
    from->narrow += count;
    return from->widened;
  }
  from->wide += count;
  return from->wide - count;
}

// ---- S -----------------------------------------------------------------------------------------

typedef struct Block {
  size_t k, l;
  lbLanes w[WIDTH], q_k, q_l[WIDTH];
} Block;

// V of ROWS rows: columns [begin, end), with D or without. `from`: the first row's first column.
INLINE void add_columns(const Work *w, const int width, const bool with_D, const Block *b,
                        const double *from, double *D, size_t row_size, size_t begin, size_t end,
                        lbLanes V[ROWS][WIDTH]) {
  for (size_t j = begin; j < end; j++) {
    const double *at = from + GROUP * (size_t)width * j;
    const lbLanes q_j = lb_load(w->q + LB_LANES * j);
    LB_FOR_ALL(i, 0, ROWS) {
      double *D_ij = D + LB_LANES * (row_size * (size_t)i + j);
      lbLanes sum;
      if (with_D) sum = lb_load(D_ij);
      LB_FOR_ALL(a, 0, width) {
        const lbLanes B = lb_splat(at[GROUP * a + i]);
        V[i][a] = lb_multiply_add(B, q_j, V[i][a]);
        if (with_D) sum = lb_multiply_add(b->w[a], B, sum);
      }
      if (with_D) lb_store(D_ij, sum);
    }
  }
}

// X of one row, and s: its parts of i = 0, 1, 2, 3 modulo four
INLINE void add_outer(const Work *w, const int width, const Block *b, size_t i,
                      const lbLanes V[WIDTH], double *s) {
  double *at_k = column_of(w, b->k) + LB_LANES * i;
  const lbLanes q_i = lb_load(w->q + LB_LANES * i);
  lbLanes sum = lb_load(at_k);
  LB_FOR_ALL(a, 0, width) sum = lb_multiply_add(b->q_l[a], V[a], sum);
  lb_store(at_k, sum);
  LB_FOR_ALL(a, 0, width) {
    add_to(column_of(w, b->l + (size_t)a) + LB_LANES * i, b->q_k, V[a]);
    add_to(s + LB_LANES * (4 * (size_t)a + i % 4), q_i, V[a]);
  }
}

INLINE void end_block(const Work *w, const int width, const Block *b, const double *s) {
  LB_FOR_ALL(a, 0, width) {
    const double *parts = s + 4 * LB_LANES * a;
    double *D = row_of(w->D, b->l + (size_t)a) + LB_LANES * b->k;
    const lbLanes sum = (lb_load(parts) + lb_load(parts + LB_LANES)) +
                        (lb_load(parts + 2 * LB_LANES) + lb_load(parts + 3 * LB_LANES));
    lb_store(D, b->l + (size_t)a == b->k ? lb_load(D) + sum : lb_splat(0.5) * sum);
  }
}

// Matrices of k and `width` values of l, from l on.
INLINE void add_block(const Work *w, const int width, size_t k, size_t l, const double *from) {
  const size_t columns = k + 1, size = GROUP * columns * (size_t)width;
  double s[4 * WIDTH * LB_LANES] = { 0 };
  Block b = { .k = k, .l = l, .q_k = lb_load(w->q + LB_LANES * k) };
  LB_FOR_ALL(a, 0, width) {
    b.q_l[a] = lb_load(w->q + LB_LANES * (l + (size_t)a));
    b.w[a] = b.q_k * b.q_l[a];
  }
  for (size_t row = 0; row < columns; row += GROUP) {
    const size_t both = row + GROUP < columns ? row + GROUP : columns;
    LB_FOR_ALL(part, 0, GROUP / ROWS) {
      const size_t i = row + (size_t)(ROWS * part);
      if (i > k) break;
      double *D = row_of(w->D, i);
      const double *at = from + ROWS * part;
      lbLanes V[ROWS][WIDTH];
      LB_FOR_ALL(v, 0, ROWS)
      LB_FOR_ALL(a, 0, width) V[v][a] = lb_splat(0);
      add_columns(w, width, true, &b, at, D, row + GROUP, 0, both, V);
      add_columns(w, width, false, &b, at, D, row + GROUP, both, columns, V);
      LB_FOR_ALL(v, 0, ROWS) add_outer(w, width, &b, i + (size_t)v, V[v], s);
    }
    from += size;
  }
  end_block(w, width, &b, s);
}

// D and X of all vectors: what is read for the first one is in the cache for the others.
static void contract_S(size_t n, int vectors, const Work *works, Coefficients from) {
  for (size_t k = 0; k < n; k++)
    for (size_t l = k; l < n; l += WIDTH) {
      const size_t width = n - l < WIDTH ? n - l : WIDTH;
      const double *block = take_cubic_lanes(&from, (k / GROUP + 1) * GROUP * (k + 1) * width);
      for (int v = 0; v < vectors; v++) {
        const Work w = works[v]; // a copy that no store can change: kept in registers
        if (width == 4) add_block(&w, 4, k, l, block);
        if (width == 3) add_block(&w, 3, k, l, block);
        if (width == 2) add_block(&w, 2, k, l, block);
        if (width == 1) add_block(&w, 1, k, l, block);
      }
    }
}

// ---- S of few modes: a product with the matrix over pairs --------------------------------------

// z <- q_k q_l
static void form_pairs(const Work *w, double *z) {
  for (size_t l = 0; l < w->count; l++)
    for (size_t k = 0; k <= l; k++, z += LB_LANES)
      lb_store(z, lb_load(w->q + LB_LANES * k) * lb_load(w->q + LB_LANES * l));
}

// As many vectors at a time as leave twelve sums in registers.
enum { ENTRIES = LB_CUBIC_ENTRIES, VECTORS = LB_LANES == 4 ? 2 : 1 };

// The first ENTRIES / vectors entries of a block.
INLINE void add_products(size_t pairs, const int vectors, const double *from,
                         const double *const *z, lbLanes sums[ENTRIES]) {
  const int some = ENTRIES / vectors;
  LB_FOR (i, 0, ENTRIES) sums[i] = lb_splat(0);
  for (size_t p = 0; p < pairs; p++, from += ENTRIES) {
    lbLanes z_p[VECTORS];
    LB_FOR (v, 0, vectors) z_p[v] = lb_load(z[v] + LB_LANES * p);
    LB_FOR (i, 0, some) {
      const lbLanes S = lb_splat(from[i]);
      LB_FOR (v, 0, vectors)
        sums[vectors * i + v] = lb_multiply_add(S, z_p[v], sums[vectors * i + v]);
    }
  }
}

typedef struct Entry {
  size_t i, j;
  bool there;
} Entry;

// D <- S(.,.,q,q), of vectors from works[0] on
INLINE void contract_block(const int vectors, const Work *works, size_t pairs, const Entry *entries,
                           const double *block) {
  const int some = ENTRIES / vectors;
  const double *z[VECTORS];
  LB_FOR (v, 0, vectors) z[v] = works[v].X;
  for (int part = 0; part < vectors; part++) {
    lbLanes sums[ENTRIES];
    add_products(pairs, vectors, block + some * part, z, sums);
    for (int i = 0; i < some; i++) {
      const Entry *entry = &entries[some * part + i];
      LB_FOR (v, 0, vectors)
        if (entry->there)
          lb_store(row_of(works[v].D, entry->i) + LB_LANES * entry->j, sums[vectors * i + v]);
    }
  }
}

static void contract_pairs(size_t n, int vectors, const Work *works, Coefficients from) {
  const size_t pairs = n * (n + 1) / 2;
  for (int v = 0; v < vectors; v++) form_pairs(&works[v], works[v].X);
  size_t i = 0, j = 0;
  for (size_t first = 0; first < pairs; first += ENTRIES) {
    const double *block = take_cubic_lanes(&from, ENTRIES * pairs);
    Entry entries[ENTRIES];
    for (int e = 0; e < ENTRIES; e++) {
      entries[e] = (Entry){ i, j, i < n };
      if (j++ == i) i++, j = 0;
    }
    int v = 0;
    for (; v + VECTORS <= vectors; v += VECTORS)
      contract_block(VECTORS, works + v, pairs, entries, block);
    for (; v < vectors; v++) contract_block(1, works + v, pairs, entries, block);
  }
}

// ---- Q -----------------------------------------------------------------------------------------

// Two columns of a block of 4x4, rows 4I.., columns from j on.
INLINE void contract_columns(const Work *w, const double *from, size_t I, size_t j) {
  lbLanes M[2][4];
  LB_FOR_ALL(c, 0, 2)
  LB_FOR_ALL(i, 0, 4) M[c][i] = lb_splat(0);
  for (size_t c = 0; c < w->count; c++) {
    const lbLanes q_c = lb_load(w->q + LB_LANES * c);
    LB_FOR_ALL(b, 0, 2)
    LB_FOR_ALL(i, 0, 4)
    M[b][i] = lb_multiply_add(lb_splat(from[16 * c + (size_t)(4 * b + i)]), q_c, M[b][i]);
  }
  LB_FOR_ALL(b, 0, 2)
  LB_FOR_ALL(i, 0, 4)
  lb_store(row_of(w->A, 4 * I + (size_t)i) + LB_LANES * (j + (size_t)b), M[b][i]);
}

static void contract_Q_cubic_lanes(size_t n, int vectors, const Work *works, Coefficients from) {
  for (size_t I = 0; 4 * I < n; I++)
    for (size_t J = 0; J <= I; J++) {
      const double *block = take_cubic_lanes(&from, 16 * n);
      for (int v = 0; v < vectors; v++) {
        const Work w = works[v];
        contract_columns(&w, block, I, 4 * J);
        contract_columns(&w, block + 8, I, 4 * J + 2);
      }
    }
}

// ---- force, stiffness, energy ------------------------------------------------------------------

// D <- A3, stiffness
static void form_stiffness(const Work *w, const bool few, const double *P, double *stiffness) {
  const lbLanes two = lb_splat(2), three = lb_splat(3);
  for (size_t i = 0; i < w->count; i++) {
    double *D = row_of(w->D, i);
    const double *A2 = row_of(w->A, i), *X_i = column_of(w, i);
    for (size_t j = 0; j <= i; j++, stiffness += LB_BATCH) {
      lbLanes A3 = lb_load(D + LB_LANES * j);
      if (!few) A3 += lb_load(column_of(w, j) + LB_LANES * i) + lb_load(X_i + LB_LANES * j);
      const lbLanes K2 =
          lb_multiply_add(two, lb_load(A2 + LB_LANES * j), lb_splat(P[j * w->padded + i]));
      lb_store(D + LB_LANES * j, A3);
      lb_store(stiffness, lb_multiply_add(three, A3, K2));
    }
  }
}

// R1, R2, R3 <- with the term of column b; A2, A3 there
INLINE void add_term(const Work *w, const double *P, size_t a, size_t b, const double *A2,
                     const double *A3, lbLanes R[3]) {
  const lbLanes q_b = lb_load(w->q + LB_LANES * b);
  R[0] = lb_multiply_add(lb_splat(P[b * w->padded + a]), q_b, R[0]);
  R[1] = lb_multiply_add(lb_load(A2), q_b, R[1]);
  R[2] = lb_multiply_add(lb_load(A3), q_b, R[2]);
}

// Returns the energy.
static lbLanes form_force(const Work *w, const double *P, double *force) {
  lbLanes energy[4];
  LB_FOR_ALL(i, 0, 4) energy[i] = lb_splat(0);
  for (size_t a = 0; a < w->count; a++) {
    lbLanes R[3] = { lb_splat(0), lb_splat(0), lb_splat(0) };
    for (size_t b = 0; b <= a; b++)
      add_term(w, P, a, b, row_of(w->A, a) + LB_LANES * b, row_of(w->D, a) + LB_LANES * b, R);
    for (size_t b = a + 1; b < w->count; b++)
      add_term(w, P, a, b, row_of(w->A, b) + LB_LANES * a, row_of(w->D, b) + LB_LANES * a, R);
    const lbLanes rows = lb_multiply_add(
        lb_splat(0.5), R[0], lb_multiply_add(lb_splat(1.0 / 3), R[1], lb_splat(0.25) * R[2]));
    energy[a % 4] = lb_multiply_add(lb_load(w->q + LB_LANES * a), rows, energy[a % 4]);
    lb_store(force + LB_BATCH * a, R[0] + (R[1] + R[2]));
  }
  return (energy[0] + energy[1]) + (energy[2] + energy[3]);
}

static void begin_vector(const Work *w, const double *q) {
  for (size_t i = 0; i < w->count; i++) lb_store(w->q + LB_LANES * i, lb_load(q + LB_BATCH * i));
  for (size_t i = w->count; i < w->padded; i++) lb_store(w->q + LB_LANES * i, lb_splat(0));
  if (w->count <= LB_CUBIC_FEW) return;
  memset(w->D, 0, LB_LANES * triangle_size(w->padded / 4) * sizeof(double));
  memset(w->X, 0, LB_LANES * w->count * w->padded * sizeof(double));
}

static void evaluate_cubic_lanes(const lbCubic *cubic, int32_t count, const double *q,
                                 double *force, double *stiffness, double *energy, double *work) {
  LB_ASSERT(count >= 1 && count <= LB_BATCH && cubic->count <= LB_CUBIC_WHOLE);
  Work works[LB_BATCH / LB_LANES] = { { 0 } };
  const int vectors = (count + LB_LANES - 1) / LB_LANES;
  const size_t n = (size_t)cubic->count;
  for (int v = 0; v < vectors; v++) {
    work = place_work_cubic_lanes(cubic->count, work, &works[v]);
    begin_vector(&works[v], q + LB_LANES * v);
  }
  contract_Q_cubic_lanes(n, vectors, works,
                         (Coefficients){ cubic->quadratic, cubic->quadratic_single, work });
  const bool few = cubic->count <= LB_CUBIC_FEW;
  (few ? contract_pairs : contract_S)(n, vectors, works,
                                      (Coefficients){ cubic->cubic, cubic->cubic_single, work });
  for (int v = 0; v < vectors; v++) {
    const int lane = LB_LANES * v;
    form_stiffness(&works[v], few, cubic->linear, stiffness + lane);
    lb_store(energy + lane, form_force(&works[v], cubic->linear, force + lane));
  }
}

LB_KERNEL_TABLE(lbCubicCrowdKernels, lb_cubic_crowd_kernels) = { evaluate_cubic_lanes };
