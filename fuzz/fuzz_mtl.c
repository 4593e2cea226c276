// Fuzz target: the material libraries of OBJ files.
#include "fuzz.h"

#include "meshio/obj_material.h"

static lbStatus read_library(const char *path, const char *content, size_t bytes, lbMesh **out,
                             lbError *err) {
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  lb_obj_read_materials(&builder, path, content, bytes);
  return lb_mesh_builder_finish(&builder, path, out, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_reader(read_library, data, size);
}
