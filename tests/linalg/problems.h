// Sparse problems with known properties: grid Laplacians (eigenvalues in closed form) and lattices
// of springs (3x3 blocks, exact rigid motions).
#ifndef LB_TESTS_LINALG_PROBLEMS_H
#define LB_TESTS_LINALG_PROBLEMS_H

#include "check.h"

#include "linalg/dense.h"
#include "linalg/sparse.h"

typedef struct Entry {
  int32_t row, column;
  double value;
} Entry;

typedef struct Entries {
  Entry *items;
  size_t count, capacity;
} Entries;

static inline void add_entry(Entries *entries, int32_t i, int32_t j, double value) {
  assert_true(
      lb_grow((void **)&entries->items, &entries->capacity, entries->count + 1, sizeof(Entry)));
  entries->items[entries->count++] = i < j ? (Entry){ i, j, value } : (Entry){ j, i, value };
}

static inline int compare_entries(const void *a, const void *b) {
  const Entry *p = a, *q = b;
  if (p->column != q->column) return p->column < q->column ? -1 : 1;
  return p->row < q->row ? -1 : p->row > q->row;
}

// Sums entries of the same place and frees the list.
static inline lbSparse *make_sparse(int32_t size, Entries *entries) {
  lbError err = { 0 };
  lbSparse *A = NULL;
  int32_t *begin = calloc((size_t)size + 1, sizeof *begin), count = 0;
  int32_t *rows = calloc(entries->count + 1, sizeof *rows);
  double *values = calloc(entries->count + 1, sizeof *values);
  qsort(entries->items, entries->count, sizeof(Entry), compare_entries);
  for (size_t k = 0; k < entries->count; k++) {
    Entry e = entries->items[k];
    bool same = k && !compare_entries(&e, &entries->items[k - 1]);
    if (!same) rows[count++] = e.row;
    values[count - 1] += e.value;
    begin[e.column + 1] = count;
  }
  for (int32_t j = 0; j < size; j++)
    if (begin[j + 1] < begin[j]) begin[j + 1] = begin[j];
  check_ok(lb_sparse_create(size, begin, rows, &A, &err), err);
  memcpy(A->values, values, (size_t)count * sizeof *values);
  free(begin), free(rows), free(values);
  lb_free(entries->items);
  *entries = (Entries){ 0 };
  return A;
}

static inline lbSparse *make_identity(int32_t size, double value) {
  lbError err = { 0 };
  lbSparse *A = NULL;
  check_ok(lb_sparse_create_diagonal(size, NULL, &A, &err), err);
  for (int32_t i = 0; i < size; i++) A->values[i] = value;
  return A;
}

// Second differences with zero boundary values.
static inline lbSparse *make_laplacian(int32_t nx, int32_t ny, int32_t nz) {
  Entries entries = { 0 };
  for (int32_t z = 0; z < nz; z++)
    for (int32_t y = 0; y < ny; y++)
      for (int32_t x = 0; x < nx; x++) {
        int32_t i = x + nx * (y + ny * z);
        add_entry(&entries, i, i, 2.0 * ((nx > 1) + (ny > 1) + (nz > 1)));
        if (x + 1 < nx) add_entry(&entries, i, i + 1, -1);
        if (y + 1 < ny) add_entry(&entries, i, i + nx, -1);
        if (z + 1 < nz) add_entry(&entries, i, i + nx * ny, -1);
      }
  return make_sparse(nx * ny * nz, &entries);
}

static inline int compare_doubles(const void *a, const void *b) {
  double p = *(const double *)a, q = *(const double *)b;
  return p < q ? -1 : p > q;
}

// All its eigenvalues, ascending; free them.
static inline double *laplacian_values(int32_t nx, int32_t ny, int32_t nz) {
  double *values = calloc((size_t)(nx * ny * nz), sizeof *values);
  int32_t count = 0;
  for (int32_t z = 1; z <= nz; z++)
    for (int32_t y = 1; y <= ny; y++)
      for (int32_t x = 1; x <= nx; x++) {
        double value = 0;
        if (nx > 1) value += 2 - 2 * cos(LB_PI * x / (nx + 1));
        if (ny > 1) value += 2 - 2 * cos(LB_PI * y / (ny + 1));
        if (nz > 1) value += 2 - 2 * cos(LB_PI * z / (nz + 1));
        values[count++] = value;
      }
  qsort(values, (size_t)count, sizeof *values, compare_doubles);
  return values;
}

typedef struct Lattice {
  Entries stiffness, mass;
  int32_t vertex_count;
} Lattice;

// Springs along edges, face and space diagonals of a grid of nx * ny * nz vertices:
// new ones, except that with joint >= 0 its vertex 0 is that vertex of what is there already.
static inline void add_box(Lattice *lattice, int32_t nx, int32_t ny, int32_t nz, int32_t joint,
                           double spring) {
  int32_t first = lattice->vertex_count, count = nx * ny * nz;
  int32_t *id = calloc((size_t)count, sizeof *id);
  for (int32_t v = 0; v < count; v++) id[v] = joint < 0 ? first + v : v ? first + v - 1 : joint;
  lattice->vertex_count += joint < 0 ? count : count - 1;
  for (int32_t a = 0; a < count; a++)
    for (int32_t b = a; b < count; b++) {
      double d[3] = { b % nx - a % nx, b / nx % ny - a / nx % ny, b / (nx * ny) - a / (nx * ny) };
      if (fabs(d[0]) > 1 || fabs(d[1]) > 1 || fabs(d[2]) > 1) continue;
      double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
          int32_t i = 3 * id[a], j = 3 * id[b];
          double mass = r == c ? (a == b ? 2 : 0.05) : 0;
          if (a != b || r <= c) add_entry(&lattice->mass, i + r, j + c, mass);
          if (a == b) continue;
          double k = spring * d[r] * d[c] / square;
          add_entry(&lattice->stiffness, i + r, j + c, -k);
          if (r <= c) add_entry(&lattice->stiffness, i + r, i + c, k);
          if (r <= c) add_entry(&lattice->stiffness, j + r, j + c, k);
        }
    }
  free(id);
}

// Removes a vertex: it is clamped. The last vertex takes its number.
static inline void clamp_vertex(Lattice *lattice, int32_t vertex) {
  int32_t last = --lattice->vertex_count;
  for (int pass = 0; pass < 2; pass++) {
    Entries *entries = pass ? &lattice->mass : &lattice->stiffness;
    Entries kept = { 0 };
    for (size_t k = 0; k < entries->count; k++) {
      Entry e = entries->items[k];
      if (e.row / 3 == vertex || e.column / 3 == vertex) continue;
      int32_t i = e.row / 3 == last ? 3 * vertex + e.row % 3 : e.row;
      int32_t j = e.column / 3 == last ? 3 * vertex + e.column % 3 : e.column;
      add_entry(&kept, i, j, e.value);
    }
    lb_free(entries->items);
    *entries = kept;
  }
}

typedef struct Pencil {
  lbSparse *K, *M;
} Pencil;

static inline Pencil finish_lattice(Lattice *lattice) {
  int32_t size = 3 * lattice->vertex_count;
  return (Pencil){ make_sparse(size, &lattice->stiffness), make_sparse(size, &lattice->mass) };
}

static inline Pencil make_box(int32_t nx, int32_t ny, int32_t nz) {
  Lattice lattice = { 0 };
  add_box(&lattice, nx, ny, nz, -1, 1);
  return finish_lattice(&lattice);
}

static inline void free_pencil(Pencil p) {
  lb_sparse_destroy(p.K);
  lb_sparse_destroy(p.M);
}

// The whole matrix; free it.
static inline double *to_dense(const lbSparse *A) {
  size_t n = (size_t)A->size;
  double *D = calloc(n * n, sizeof *D);
  for (size_t j = 0; j < n; j++)
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++) {
      D[j * n + (size_t)A->rows[k]] = A->values[k];
      D[(size_t)A->rows[k] * n + j] = A->values[k];
    }
  return D;
}

// All eigenvalues of K w = lambda M w, ascending; free them.
static inline double *dense_values(Pencil p) {
  lbError err = { 0 };
  double *K = to_dense(p.K), *M = to_dense(p.M);
  double *values = calloc((size_t)p.K->size, sizeof *values);
  check_ok(lb_dense_eigen_general(p.K->size, K, M, values, &err), err);
  free(K), free(M);
  return values;
}

#endif
