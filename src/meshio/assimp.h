// Reading through assimp, with limits of the caller's choice.
#ifndef LB_MESHIO_ASSIMP_H
#define LB_MESHIO_ASSIMP_H

#include "limber/mesh.h"

typedef struct lbAssimpLimits {
  double seconds;      // of the clock, and of the processor rounded up; 60, and one a MiB
  size_t memory_bytes; // of the program; 2 GiB, and 16 times the file
  size_t reply_bytes;  // of triangles, 72 bytes each; lb_budget of the file
} lbAssimpLimits;

// Those of a file of this size.
lbAssimpLimits lb_assimp_limits(size_t file_bytes);

// Reads `path` by the program limber-assimp, which is stopped at the limits.
lbStatus lb_read_assimp_within(const char *path, lbAssimpLimits limits, lbMesh **out, lbError *err);

#endif
