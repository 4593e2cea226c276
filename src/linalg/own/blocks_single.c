// Blocks in single precision.
#define REAL float
#define NAME(x) x##_single
#define OWN lbOwnSingle
#define KERNELS singles
#include "linalg/own/blocks.inc"
