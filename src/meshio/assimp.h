// Reading through assimp, with limits of the caller's choice.
#ifndef LB_MESHIO_ASSIMP_H
#define LB_MESHIO_ASSIMP_H

#include "limber/mesh.h"

typedef struct lbAssimpLimits {
  double seconds;      // of the clock, and of the processor rounded up; default 60
  size_t memory_bytes; // beyond what the program uses already; default 2 GiB
} lbAssimpLimits;

lbAssimpLimits lb_assimp_limits(void);

// Reads `path` in a child process that is stopped at the limits.
lbStatus lb_read_assimp_within(const char *path, lbAssimpLimits limits, lbMesh **out, lbError *err);

#endif
