// The lowest modes of K w = lambda M w: K symmetric positive semi-definite, M symmetric positive
// definite. Zero eigenvalues (free bodies, loose parts, mechanisms) are found, counted and kept
// apart from the elastic modes.
#ifndef LB_LINALG_EIGEN_H
#define LB_LINALG_EIGEN_H

#include "linalg/cholesky.h"

#ifdef __cplusplus
extern "C" {
#endif

// The factor of K + shift M that a search keeps for later solves with K, another search of
// the same matrices included. Begin with zeros; destroy `cholesky`.
typedef struct lbEigenFactor {
  lbCholesky *cholesky; // NULL: none was needed
  double shift;
  bool ready; // holds K + shift M
} lbEigenFactor;

typedef struct lbEigenDef {
  int32_t count;    // elastic modes wanted, >= 1
  double tolerance; // relative residual of the inverted problem, 1e-14 to 1e-2; default 1e-10. An
                    // eigenvalue's relative error is no larger (mostly its square)
  bool definite;    // K is known to be positive definite: no shift, unless rounding needs one
  lbEigenFactor *kept; // NULL, or where the factor is taken from and left
  size_t
      compact_bytes; // a factor that would have more is kept in single precision; default 256 MiB
  bool verify;       // search once more from fresh vectors for a missed mode; default false
} lbEigenDef;

lbEigenDef lb_eigen_def(int32_t count);

typedef struct lbEigen {
  int32_t size;
  int32_t count;         // elastic modes
  int32_t rigid_count;   // zero eigenvalues
  double *values;        // (count), ascending, > 0
  double *vectors;       // (size x count), column-major, M-orthonormal; the component of largest
                         // magnitude is positive (of equal ones, the first). Those of repeated
                         // eigenvalues are any of their space: see linalg/canonical.h
  double *residuals;     // (count), |K w - lambda M w| / |K w|, Euclidean norms
  double *rigid_vectors; // (size x rigid_count), column-major, M-orthonormal, M-orthogonal to the
                         // elastic ones; a basis of the null space of K in no special order
  double shift;          // s of the factored K + s M
  int32_t solve_count;   // right-hand sides solved; 0: a small system, solved densely
  double factor_seconds; // analysis and all factorisations
  double seconds;        // everything
} lbEigen;

// M has the pattern of K, or any pattern contained in it (a lumped mass). LB_ERR_ARGUMENT when
// there are fewer than `count` elastic modes; LB_ERR_NUMERIC when K has a negative eigenvalue, M is
// not positive definite, or values are not finite; LB_ERR_INTERRUPTED when the progress hook asks.
lbStatus lb_eigen_lowest(const lbSparse *K, const lbSparse *M, const lbEigenDef *def, lbEigen **out,
                         lbError *err);
void lb_eigen_destroy(lbEigen *eigen);

#ifdef __cplusplus
}
#endif
#endif
