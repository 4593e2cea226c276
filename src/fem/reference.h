// Reference fields of a body: what makes vectors of repeated eigenvalues unique
// (linalg/canonical.h).
#ifndef LB_FEM_REFERENCE_H
#define LB_FEM_REFERENCE_H

#include "fem/fem.h"
#include "linalg/canonical.h"
#include "linalg/eigen.h"

typedef struct lbFemReference {
  const lbFem *fem;
  const lbSparse *metric; // system-sized; NULL: the body's mass
  double centre[3];       // m, of the box around the free nodes
  double extent;          // m, its longest side
  lbReferenceFields fields;
} lbFemReference;

// Fields of this body in this metric (NULL: its mass). `reference` stays where it is while its
// fields are used.
void lb_fem_reference(const lbFem *fem, const lbSparse *metric, lbFemReference *reference);

// The lowest `count` modes of K, whose vectors the body's geometry fixes. A cluster of eigenvalues
// (LB_EIGENVALUE_GAP) gets one common value, their mean. Where `count` ends inside a cluster, all
// of it is found first, so that what remains is the same everywhere, and the log says so.
lbStatus lb_fem_eigen(const lbFem *fem, const lbSparse *K, int32_t count, lbEigenFactor *kept,
                      lbEigen **out, lbError *err);

#endif
