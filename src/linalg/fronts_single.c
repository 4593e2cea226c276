// Factors and solves by fronts in single precision.
#define REAL float
#define NAME(x) x##_single
#define BLAS(x) cblas_s##x
#define POTRF LAPACKE_spotrf_work
#define SWEEP lbSweepSingle
#include "linalg/fronts_numeric.inc"
