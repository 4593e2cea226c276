// The supernodal structure of a sparse Cholesky factor, and its numbers in either precision.
//
// A front is a supernode: neighbouring columns of L (in the order of elimination) that share their
// rows below. Its rows are its own columns and then `rows`, ascending; every one of them is a row
// of its parent, too. The tree is cut once: subtrees that are tasks, each one thread's, and the
// fronts above them, whose dense work the threads share. What is summed, and in which order, does
// not depend on the number of threads.
#ifndef LB_LINALG_FRONTS_H
#define LB_LINALG_FRONTS_H

#include "linalg/cholesky.h"

enum {
  LB_FRONT_TILE = 256,      // rows of a contribution that are as long as the last of them
  LB_FRONT_BLOCK = 128,     // columns of a front that are stored, and eliminated, together
  LB_FRONT_WIDTH_MANY = 16, // right-hand sides of a sweep
  LB_FRONT_WIDTH_FEW = 8,
};

typedef struct lbFront {
  int32_t column_begin, column_count;
  int32_t below_count;               // rows below its columns
  int32_t below_begin;               // in lbFronts.rows and lbFronts.to_parent
  int32_t parent;                    // -1: a root
  int32_t first_child, next_sibling; // -1: none; children ascend
  int32_t task;                      // whose root it is; -1: of none
  size_t value_begin;                // in L
  size_t update_begin;               // of its contribution, where all of them are kept
} lbFront;

// Fronts [begin, end), of which the last is the root of the others.
typedef struct lbFrontTask {
  int32_t begin, end;
  int32_t stack_rows; // of contributions that wait for their parents in a sweep
  int32_t front_rows; // of the largest front
  size_t work_begin;  // of both in the work space of a sweep, rows
  double flops;
} lbFrontTask;

typedef struct lbFronts {
  int32_t size, count;
  lbFront *fronts;
  int32_t *rows;      // below the columns of each front
  int32_t *to_parent; // (as rows) their places in the parent's rows
  int32_t *front_of;  // (size), of a column
  int32_t *order;     // (size): row i of L is row order[i] of A
  int32_t *place;     // (size), the inverse
  size_t value_count; // of L
  double flops;
  int32_t task_count, top_count;
  lbFrontTask *tasks;  // (task_count + 1), the dearest first; the last is the top's
  int32_t *top;        // (top_count), ascending
  size_t work_rows;    // of all tasks' work space
  size_t update_count; // values of all contributions
} lbFronts;

// From a supernodal analysis: supernode s has columns super[s] to super[s + 1] and rows
// rows[rows_begin[s]] to rows[rows_begin[s + 1]], its own columns first. Supernodes are in
// postorder.
lbStatus lb_fronts_create(int32_t size, int32_t count, const int32_t *super,
                          const int32_t *rows_begin, const int32_t *rows, const int32_t *order,
                          lbFronts **out, lbError *err);
// The same for the pattern of A, with an order that keeps L small: by limber itself
// (own/analyse.c), or by CHOLMOD where it is linked (suitesparse/analyse.c).
lbStatus lb_fronts_analyse_own(const lbSparse *A, lbFronts **out, lbError *err);
lbStatus lb_fronts_analyse_suitesparse(const lbSparse *A, lbFronts **out, lbError *err);

typedef struct lbAnalysis {
  const char *name;
  lbAnalyse *run;
} lbAnalysis;

// Those of this build; the first is the one that it works with. Returns how many.
int32_t lb_fronts_analyses(const lbAnalysis **all);
void lb_fronts_destroy(lbFronts *fronts);
size_t lb_fronts_bytes(const lbFronts *fronts);
// Values of contributions that wait for their parents at the same time, where one thread works.
size_t lb_fronts_waiting_count(const lbFronts *fronts);

// Block b of a front: (row_count - b LB_FRONT_BLOCK) rows, from its diagonal down, of `columns`
// values each. Above the diagonal they mean nothing.
typedef struct lbFrontBlock {
  int32_t begin, columns; // begin: of its columns and rows, in the front
  size_t at;              // in L, after value_begin
} lbFrontBlock;

static inline int32_t lb_front_rows(const lbFront *front) {
  return front->column_count + front->below_count;
}

static inline int32_t lb_front_blocks(const lbFront *front) {
  return (front->column_count - 1) / LB_FRONT_BLOCK + 1;
}

static inline lbFrontBlock lb_front_block(const lbFront *front, int32_t index) {
  size_t b = (size_t)index, width = LB_FRONT_BLOCK, rows = (size_t)lb_front_rows(front);
  int32_t begin = index * LB_FRONT_BLOCK, left = front->column_count - begin;
  return (lbFrontBlock){ begin, left < LB_FRONT_BLOCK ? left : LB_FRONT_BLOCK,
                         b * width * rows - width * width * (b * (b - (b > 0)) / 2) };
}

// What is to be factored: scale (A + shift B); B NULL: the identity.
typedef struct lbFrontMatrix {
  const lbSparse *A, *B;
  double shift, scale;
} lbFrontMatrix;

typedef struct lbFrontPivots {
  int32_t failed; // column of L whose pivot is not positive; INT32_MAX: none
  double least, largest;
} lbFrontPivots;

// Rows of a front's contribution U, which end with their tile: where they begin, and the length of
// those of a tile. Row below_count is the end of all.
static inline size_t lb_front_update_stride(const lbFront *front, int32_t row) {
  int32_t length = (row / LB_FRONT_TILE + 1) * LB_FRONT_TILE;
  return (size_t)(length < front->below_count ? length : front->below_count);
}

static inline size_t lb_front_update_begin(const lbFront *front, int32_t row) {
  size_t tile = (size_t)(row / LB_FRONT_TILE), within = (size_t)(row % LB_FRONT_TILE);
  return (size_t)LB_FRONT_TILE * LB_FRONT_TILE * (tile * (tile + 1) / 2) +
         (within ? within * lb_front_update_stride(front, row) : 0);
}

// What factorisations work with. Contributions are kept from one to the next where they are small
// all together, so that repeated ones take no memory; else each is there while it is needed.
typedef struct lbFrontScratch {
  void **updates;        // (count) of fronts whose parents have yet to come
  lbFrontPivots *pivots; // (task_count + 1)
  bool *short_of_memory; // (task_count + 1)
  int32_t *list;         // (task_count + 1)
  void *kept;            // room for all contributions in double precision, or NULL
} lbFrontScratch;

lbStatus lb_front_scratch_open(const lbFronts *fronts, lbFrontScratch *scratch, lbError *err);
void lb_front_scratch_release(lbFrontScratch *scratch);

// L (value_count). LB_ERR_MEMORY alone: where a pivot fails, pivots says it.
lbStatus lb_fronts_factor_single(const lbFronts *fronts, const lbFrontMatrix *matrix, float *L,
                                 lbFrontScratch *scratch, lbFrontPivots *pivots, lbError *err);
lbStatus lb_fronts_factor_double(const lbFronts *fronts, const lbFrontMatrix *matrix, double *L,
                                 lbFrontScratch *scratch, lbFrontPivots *pivots, lbError *err);

static inline int32_t lb_front_width(int32_t count) { // for so many right-hand sides, or the first
  return count <= 1 ? 1 : count <= LB_FRONT_WIDTH_FEW ? LB_FRONT_WIDTH_FEW : LB_FRONT_WIDTH_MANY;
}

// Y <- L'^-1 L^-1 Y; Y (size x width), the values of a row together, in the order of L; width 1,
// LB_FRONT_WIDTH_FEW or LB_FRONT_WIDTH_MANY. work: lb_fronts_work_count values.
size_t lb_fronts_work_count(const lbFronts *fronts, int32_t width);
void lb_fronts_solve_single(const lbFronts *fronts, const float *L, int32_t width, float *Y,
                            float *work);
void lb_fronts_solve_double(const lbFronts *fronts, const double *L, int32_t width, double *Y,
                            double *work);

#endif
