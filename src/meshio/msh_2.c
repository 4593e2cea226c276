// Gmsh 2.2: one line (or one run of bytes) per node and per element, with its tags.
#include "meshio/msh.h"

// The count stands as text on its own line, also in binary files.
static lbStatus read_msh2_count(lbMsh *msh, size_t text_bytes, size_t binary_bytes,
                                const char *what, int64_t *count, lbError *err) {
  lbScan *scan = &msh->scan;
  if (!lb_text_integer(&scan->text, count))
    return lb_scan_fail(scan, err, "expected the count of %s", what);
  if (scan->binary) lb_text_skip_line(&scan->text);
  return lb_scan_check_count(scan, *count, text_bytes, binary_bytes, what, err);
}

lbStatus lb_msh2_nodes(lbMsh *msh, lbError *err) {
  int64_t count = 0, tag = 0;
  double point[3];
  lbStatus status = read_msh2_count(msh, 8, 28, "nodes", &count, err);
  for (int64_t i = 0; i < count && !status; i++) {
    if (!lb_scan_integer(&msh->scan, LB_SCALAR_INT32, &tag))
      return lb_scan_fail(&msh->scan, err, "expected node %lld of %lld", (long long)i + 1,
                          (long long)count);
    status = lb_scan_point(&msh->scan, LB_SCALAR_FLOAT64, tag, point, err);
    if (!status) status = lb_msh_add_node(msh, tag, point, err);
  }
  return status;
}

// Of an element's tags the first is the physical one.
static lbStatus read_msh2_tags(lbMsh *msh, int64_t count, int32_t *physical, lbError *err) {
  *physical = 0;
  if (count < 0)
    return lb_scan_fail(&msh->scan, err, "an element cannot have %lld tags", (long long)count);
  for (int64_t i = 0; i < count; i++) {
    int64_t tag = 0;
    if (!lb_scan_integer(&msh->scan, LB_SCALAR_INT32, &tag))
      return lb_scan_fail(&msh->scan, err, "an element's tags end early");
    if (i > 0) continue;
    if (tag <= INT32_MIN || tag > INT32_MAX)
      return lb_scan_fail(&msh->scan, err, "physical tag %lld is too large", (long long)tag);
    *physical = (int32_t)tag;
  }
  return LB_OK;
}

static lbStatus read_text_elements(lbMsh *msh, int64_t count, lbError *err) {
  lbStatus status = LB_OK;
  int32_t physical = 0;
  for (int64_t i = 0; i < count && !status; i++) {
    int64_t head[3]; // number, type, count of tags
    for (int k = 0; k < 3; k++)
      if (!lb_scan_integer(&msh->scan, LB_SCALAR_INT32, &head[k]))
        return lb_scan_fail(&msh->scan, err, "expected element %lld of %lld", (long long)i + 1,
                            (long long)count);
    const lbMshType *type = lb_msh_type(msh, head[1], &status, err);
    if (!status) status = read_msh2_tags(msh, head[2], &physical, err);
    if (!status)
      status = lb_msh_read_element(msh, type, LB_SCALAR_INT32, head[0], &physical, 1, err);
  }
  return status;
}

// Blocks of elements of one type, each with a header.
static lbStatus read_binary_elements(lbMsh *msh, int64_t count, lbError *err) {
  lbStatus status = LB_OK;
  int32_t physical = 0;
  for (int64_t done = 0; done < count && !status;) {
    int64_t head[3]; // type, elements that follow, count of tags
    for (int k = 0; k < 3; k++)
      if (!lb_scan_integer(&msh->scan, LB_SCALAR_INT32, &head[k]))
        return lb_scan_fail(&msh->scan, err, "the elements end after %lld of %lld", (long long)done,
                            (long long)count);
    if (head[1] < 1 || head[1] > count - done)
      return lb_scan_fail(&msh->scan, err, "a block claims %lld elements, %lld are left",
                          (long long)head[1], (long long)(count - done));
    const lbMshType *type = lb_msh_type(msh, head[0], &status, err);
    for (int64_t i = 0; i < head[1] && !status; i++) {
      int64_t number = 0;
      if (!lb_scan_integer(&msh->scan, LB_SCALAR_INT32, &number))
        return lb_scan_fail(&msh->scan, err, "the elements end early");
      status = read_msh2_tags(msh, head[2], &physical, err);
      if (!status)
        status = lb_msh_read_element(msh, type, LB_SCALAR_INT32, number, &physical, 1, err);
    }
    done += head[1];
  }
  return status;
}

lbStatus lb_msh2_elements(lbMsh *msh, lbError *err) {
  int64_t count = 0;
  lbStatus status = read_msh2_count(msh, 8, 8, "elements", &count, err);
  if (status) return status;
  return msh->scan.binary ? read_binary_elements(msh, count, err)
                          : read_text_elements(msh, count, err);
}
