// What every fuzz target of a mesh reader does.
#ifndef LB_FUZZ_H
#define LB_FUZZ_H

#include "meshio/formats.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Reads from a zero-terminated copy that is exactly as long as the data, so that reading on is
// seen.
static inline int fuzz_reader(lbMeshReader *read, const uint8_t *data, size_t size) {
  char *copy = malloc(size + 1);
  lbMesh *mesh = NULL;
  lbError err;
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  copy[size] = '\0';
  if (read("fuzz", copy, size, &mesh, &err) == LB_OK) lb_mesh_destroy(mesh);
  free(copy);
  return 0;
}

#endif
