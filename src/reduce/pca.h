// Mass-PCA and mass-orthonormalisation of columns.
#ifndef LB_REDUCE_PCA_H
#define LB_REDUCE_PCA_H

#include "linalg/canonical.h"
#include "linalg/sparse.h"

// The `dimension` directions that hold most of the columns of A in the metric of M; no mean is
// subtracted. A (size x count) is destroyed. lumped (size): the row sums of M, or M itself where M
// is NULL. vectors (size x dimension), orthonormal in the metric; singular (dimension), descending.
// The fields (in the same metric) fix the vectors inside each cluster of singular values
// (LB_SINGULAR_GAP), and all signs. LB_ERR_ARGUMENT, which names their number, when fewer
// columns are independent; `what` begins the message.
lbStatus lb_mass_pca(int32_t size, int32_t count, double *A, const lbSparse *M,
                     const double *lumped, const lbReferenceFields *fields, int32_t dimension,
                     const char *what, double *vectors, double *singular, lbError *err);

typedef struct lbPcaSize {
  int32_t dimension; // in: wanted; out: what there is, see at_most
  bool at_most;      // in: fewer will do where fewer columns are independent
  int32_t whole;     // out: the dimension that would hold all of the last cluster; the dimension
                     // itself where none is cut
} lbPcaSize;

// The same.
lbStatus lb_mass_pca_sized(int32_t size, int32_t count, double *A, const lbSparse *M,
                           const double *lumped, const lbReferenceFields *fields, lbPcaSize *sizes,
                           const char *what, double *vectors, double *singular, lbError *err);

// Rows of A that lie on several processes, each with some of them, all of which call together.
typedef struct lbPcaRanks {
  int64_t size;                                                    // rows over all processes
  lbStatus (*agree)(void *context, lbStatus status, lbError *err); // any process's failure
  // The triangle of every process's C (count x count) one above the other, for all of them.
  lbStatus (*join)(void *context, int32_t count, double *C, lbError *err);
  void (*multiply)(void *context, int32_t count, const double *B, double *MB); // MB = M B
  void (*sum)(void *context, size_t count, double *values); // over the processes, for all of them
  void (*spread)(void *context, size_t count, double *values); // the first one's, for all of them
  // The vectors, whole clusters of them, of this process's rows: to be made canonical.
  lbStatus (*finish)(void *context, int32_t whole, const double *singular, const double *vectors,
                     lbError *err);
  void *context;
} lbPcaRanks;

// The same with `size` rows of this process, in the metric of ranks->multiply; lumped (size): its
// row sums.
lbStatus lb_mass_pca_ranks(const lbPcaRanks *ranks, int32_t size, int32_t count, double *A,
                           const double *lumped, lbPcaSize *sizes, const char *what,
                           double *singular, lbError *err);

// A <- mass-orthonormal columns with the same nested spans and signs (Gram–Schmidt, twice). Columns
// of which less than `cut` of their length is independent of those before are left out; *rank
// remain.
lbStatus lb_mass_orthonormalise(int32_t size, int32_t count, double *A, const lbSparse *M,
                                double cut, int32_t *rank, lbError *err);

// The same with a mass that is a product, y = M x.
typedef lbStatus lbMassProduct(void *context, const double *x, double *y, lbError *err);
lbStatus lb_mass_orthonormalise_by(int32_t size, int32_t count, double *A, lbMassProduct *multiply,
                                   void *context, double cut, int32_t *rank, lbError *err);

#endif
