// Any bytes as TetGen's two files with a zero byte between them.
#include "fuzz.h"

#include "meshio/tetgen.h"

static lbStatus read_pair(const char *path, const char *content, size_t bytes, lbMesh **out,
                          lbError *err) {
  size_t node_bytes = strlen(content);
  const char *ele = node_bytes < bytes ? content + node_bytes + 1 : "";
  size_t ele_bytes = node_bytes < bytes ? bytes - node_bytes - 1 : 0;
  return lb_read_tetgen(path, content, node_bytes, path, ele, ele_bytes, out, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_reader(lb_read_ele, data, size);
  return fuzz_reader(read_pair, data, size);
}
