// Factors and solves by fronts in single precision.
#define REAL float
#define NAME(x) x##_single
#define ENGINE singles
#define SWEEP lbSweepSingle
#include "linalg/fronts_numeric.inc"
