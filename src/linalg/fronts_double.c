// Factors and solves by fronts in double precision.
#define REAL double
#define NAME(x) x##_double
#define ENGINE doubles
#define SWEEP lbSweepDouble
#include "linalg/fronts_numeric.inc"
