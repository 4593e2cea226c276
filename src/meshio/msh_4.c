// Gmsh 4.1: entities carry the physical tags; nodes and elements come in blocks, one per entity.
#include "meshio/msh.h"

static bool read_int(lbMsh *msh, int64_t *value) {
  return lb_scan_integer(&msh->scan, LB_SCALAR_INT32, value);
}

static bool read_msh4_size(lbMsh *msh, int64_t *value) {
  return lb_scan_integer(&msh->scan, LB_SCALAR_UINT64, value);
}

static lbStatus fail_early(lbMsh *msh, const char *section, lbError *err) {
  return lb_scan_fail(&msh->scan, err, "%s ends early or holds something else than a number",
                      section);
}

// Checks that (dimension, tag) of a block can be one.
static lbStatus check_entity(lbMsh *msh, int64_t dimension, int64_t tag, lbError *err) {
  if (dimension < 0 || dimension > 3 || tag < INT32_MIN || tag > INT32_MAX)
    return lb_scan_fail(&msh->scan, err, "there is no entity %lld of dimension %lld",
                        (long long)tag, (long long)dimension);
  return LB_OK;
}

static lbStatus read_physicals(lbMsh *msh, int64_t count, lbError *err) {
  for (int64_t i = 0; i < count; i++) {
    int64_t tag = 0;
    if (!read_int(msh, &tag)) return fail_early(msh, "$Entities", err);
    if (tag <= INT32_MIN || tag > INT32_MAX)
      return lb_scan_fail(&msh->scan, err, "physical tag %lld is too large", (long long)tag);
    if (!lb_grow((void **)&msh->physicals, &msh->physical_capacity, msh->physical_count + 1,
                 sizeof *msh->physicals))
      return lb_fail_memory(err);
    msh->physicals[msh->physical_count++] = (int32_t)tag;
  }
  return LB_OK;
}

static lbStatus read_entity(lbMsh *msh, int32_t dimension, lbError *err) {
  int64_t tag = 0, physical_count = 0, bounding_count = 0;
  int32_t first = (int32_t)msh->physical_count;
  // A point has its position, the others a bounding box.
  if (!read_int(msh, &tag) ||
      !lb_scan_skip(&msh->scan, LB_SCALAR_FLOAT64, dimension == 0 ? 3 : 6) ||
      !read_msh4_size(msh, &physical_count))
    return fail_early(msh, "$Entities", err);
  lbStatus status = check_entity(msh, dimension, tag, err);
  if (!status) status = lb_scan_check_count(&msh->scan, physical_count, 2, 4, "physical tags", err);
  if (!status) status = read_physicals(msh, physical_count, err);
  if (status) return status;
  if (dimension > 0 && (!read_msh4_size(msh, &bounding_count) ||
                        !lb_scan_skip(&msh->scan, LB_SCALAR_INT32, bounding_count)))
    return fail_early(msh, "$Entities", err);
  int64_t key = lb_msh_key(dimension, tag);
  int32_t number = lb_hash_table_add(&msh->entity_index, &key);
  if (number < 0 || !lb_grow((void **)&msh->entities, &msh->entity_capacity, (size_t)number + 1,
                             sizeof *msh->entities))
    return lb_fail_memory(err);
  msh->entities[number] = (lbMshEntity){ first, (int32_t)physical_count };
  return LB_OK;
}

lbStatus lb_msh4_entities(lbMsh *msh, lbError *err) {
  int64_t counts[4];
  for (int k = 0; k < 4; k++)
    if (!read_msh4_size(msh, &counts[k])) return fail_early(msh, "$Entities", err);
  for (int32_t dimension = 0; dimension < 4; dimension++) {
    lbStatus status = lb_scan_check_count(&msh->scan, counts[dimension], 10, 36, "entities", err);
    for (int64_t i = 0; i < counts[dimension] && !status; i++)
      status = read_entity(msh, dimension, err);
    if (status) return status;
  }
  return LB_OK;
}

// Tags of all nodes of the block, then their coordinates (and, if parametric, one parameter for
// each dimension of the entity).
static lbStatus read_node_block(lbMsh *msh, int64_t *tags, int64_t count, int64_t parameters,
                                lbError *err) {
  lbStatus status = LB_OK;
  double point[3];
  for (int64_t i = 0; i < count; i++)
    if (!read_msh4_size(msh, &tags[i])) return fail_early(msh, "$Nodes", err);
  for (int64_t i = 0; i < count && !status; i++) {
    status = lb_scan_point(&msh->scan, LB_SCALAR_FLOAT64, tags[i], point, err);
    if (!status) status = lb_msh_add_node(msh, tags[i], point, err);
    if (!status && !lb_scan_skip(&msh->scan, LB_SCALAR_FLOAT64, parameters))
      status = fail_early(msh, "$Nodes", err);
  }
  return status;
}

lbStatus lb_msh4_nodes(lbMsh *msh, lbError *err) {
  int64_t head[4]; // blocks, nodes, smallest and largest tag
  for (int k = 0; k < 4; k++)
    if (!read_msh4_size(msh, &head[k])) return fail_early(msh, "$Nodes", err);
  lbStatus status = lb_scan_check_count(&msh->scan, head[1], 8, 32, "nodes", err);
  for (int64_t block = 0; block < head[0] && !status; block++) {
    int64_t dimension = 0, tag = 0, parametric = 0, count = 0;
    if (!read_int(msh, &dimension) || !read_int(msh, &tag) || !read_int(msh, &parametric) ||
        !read_msh4_size(msh, &count))
      return fail_early(msh, "$Nodes", err);
    status = check_entity(msh, dimension, tag, err);
    if (!status) status = lb_scan_check_count(&msh->scan, count, 8, 32, "nodes", err);
    if (status) break;
    int64_t *tags = lb_alloc((size_t)count, sizeof *tags);
    if (!tags) return lb_fail_memory(err);
    status = read_node_block(msh, tags, count, parametric ? dimension : 0, err);
    lb_free(tags);
  }
  if (!status && lb_volume_vertex_count(&msh->volume) != head[1])
    status = lb_scan_fail(&msh->scan, err, "$Nodes claims %lld nodes, its blocks hold %d",
                          (long long)head[1], (int)lb_volume_vertex_count(&msh->volume));
  return status;
}

static lbStatus read_element_block(lbMsh *msh, const lbMshType *type, int64_t entity_tag,
                                   int64_t count, lbError *err) {
  lbStatus status = LB_OK;
  int64_t key = lb_msh_key(type->dimension, entity_tag);
  int32_t found = lb_hash_table_find(&msh->entity_index, &key);
  lbMshEntity entity = found < 0 ? (lbMshEntity){ 0, 0 } : msh->entities[found];
  const int32_t *physicals = entity.count ? msh->physicals + entity.first : NULL;
  for (int64_t i = 0; i < count && !status; i++) {
    int64_t number = 0;
    if (!read_msh4_size(msh, &number)) return fail_early(msh, "$Elements", err);
    status = lb_msh_read_element(msh, type, LB_SCALAR_UINT64, number, physicals, entity.count, err);
  }
  return status;
}

lbStatus lb_msh4_elements(lbMsh *msh, lbError *err) {
  lbStatus status = LB_OK;
  int64_t head[4]; // blocks, elements, smallest and largest tag
  int64_t seen = 0;
  for (int k = 0; k < 4; k++)
    if (!read_msh4_size(msh, &head[k])) return fail_early(msh, "$Elements", err);
  for (int64_t block = 0; block < head[0] && !status; block++) {
    int64_t dimension = 0, tag = 0, type_number = 0, count = 0;
    if (!read_int(msh, &dimension) || !read_int(msh, &tag) || !read_int(msh, &type_number) ||
        !read_msh4_size(msh, &count))
      return fail_early(msh, "$Elements", err);
    status = check_entity(msh, dimension, tag, err);
    if (!status) status = lb_scan_check_count(&msh->scan, count, 4, 16, "elements", err);
    const lbMshType *type = status ? NULL : lb_msh_type(msh, type_number, &status, err);
    if (type) status = read_element_block(msh, type, tag, count, err);
    seen += count;
  }
  if (!status && seen != head[1])
    status = lb_scan_fail(&msh->scan, err, "$Elements claims %lld elements, its blocks hold %lld",
                          (long long)head[1], (long long)seen);
  return status;
}
