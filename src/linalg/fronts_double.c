// Factors and solves by fronts in double precision.
#define REAL double
#define NAME(x) x##_double
#define BLAS(x) cblas_d##x
#define POTRF LAPACKE_dpotrf_work
#define SWEEP lbSweepDouble
#include "linalg/fronts_numeric.inc"
