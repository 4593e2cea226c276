// Vectors of repeated eigenvalues or singular values, made unique.
//
// Inside a cluster of (nearly) equal values any rotation of the vectors is as good as another, and
// rounding chooses: the BLAS kernels of two processors choose differently. Here reference fields
// g_1, g_2, ..., fixed functions of position, choose instead: the first vector is the projection of
// a field on the cluster, the next that of a field on the rest of it, and so on. A cluster of one
// gets its sign that way.
#ifndef LB_LINALG_CANONICAL_H
#define LB_LINALG_CANONICAL_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Neighbours whose values differ by less than this fraction are of one cluster. Processors differ
// by some 1e-14 of a value, so they agree about the members, and what they disagree by is mixed
// with the next cluster by no more than 1e-14 / gap.
#define LB_EIGENVALUE_GAP 1e-6
// Candidates of a basis are good to about 1e-12, and rotating singular vectors costs no accuracy.
#define LB_SINGULAR_GAP 1e-4

// Writes M g of field `index` (size), g of unit length in the metric M. Fields with a low index are
// preferred. Any number of them can be asked for.
typedef struct lbReferenceFields {
  int32_t size;
  lbStatus (*make)(const void *context, int32_t index, double *weighted, lbError *err);
  const void *context;
} lbReferenceFields;

// The cluster that begins with entry `begin` of ordered positive values ends before the result.
int32_t lb_cluster_end(int32_t count, const double *values, double gap, int32_t begin);

typedef struct lbCanonicalSet {
  int32_t count;
  const double *values; // (count) ordered
  double *X;            // (size x count), orthonormal in the metric
} lbCanonicalSet;

// Rotates the columns of X inside each cluster of the values, which differ by less than `gap`. The
// columns of a cluster come in an order that the fields give as well. Each set by itself; fields
// are made once for all of them.
lbStatus lb_canonical_sets(const lbReferenceFields *fields, int32_t set_count,
                           const lbCanonicalSet *sets, double gap, lbError *err);
// The same of one set.
lbStatus lb_canonical_vectors(const lbReferenceFields *fields, int32_t count, const double *values,
                              double gap, double *X, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
