// Gmsh's nodes and elements, whatever the version: node tags to vertices, element types to cells,
// physical tags to groups.
#include "meshio/msh.h"

#include <stdlib.h>
#include <string.h>

struct lbMshCell { // one cell of a version 2 file, for when it comes again
  lbCellIds ids;
  int32_t last_physical;
};

int64_t lb_msh_key(int32_t dimension, int64_t tag) {
  return (int64_t)dimension * (INT64_C(1) << 32) + (uint32_t)tag;
}

lbStatus lb_msh_add_node(lbMsh *msh, int64_t tag, const double point[3], lbError *err) {
  if (lb_hash_table_find(&msh->nodes, &tag) >= 0)
    return lb_scan_fail(&msh->scan, err, "node %lld appears twice", (long long)tag);
  int32_t vertex = lb_mesh_add_vertex(&msh->volume.builder, point[0], point[1], point[2]);
  // nodes are all the vertices there are: their numbers in the table are the same
  return vertex < 0 || lb_hash_table_add(&msh->nodes, &tag) != vertex ? lb_fail_memory(err) : LB_OK;
}

// What Gmsh's numbers mean beyond the types that are read.
static const char *unread_type_name(int64_t number) {
  static const struct {
    int number;
    const char *name;
  } names[] = {
    { 6, "prism" },
    { 7, "pyramid" },
    { 8, "3-node line" },
    { 9, "6-node triangle" },
    { 10, "9-node quad" },
    { 11, "10-node tet" },
    { 12, "27-node brick" },
    { 13, "18-node prism" },
    { 14, "14-node pyramid" },
    { 16, "8-node quad" },
    { 17, "20-node brick" },
    { 18, "15-node prism" },
    { 19, "13-node pyramid" },
    { 20, "9-node triangle" },
    { 21, "10-node triangle" },
    { 26, "4-node line" },
    { 29, "20-node tet" },
    { 92, "64-node brick" },
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].number == number) return names[i].name;
  return "unknown";
}

const lbMshType *lb_msh_type(const lbMsh *msh, int64_t number, lbStatus *status, lbError *err) {
  static const lbMshType types[] = { { 1, 1, 2 }, { 2, 2, 3 }, { 3, 2, 4 },
                                     { 4, 3, 4 }, { 5, 3, 8 }, { 15, 0, 1 } };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].number == number) return &types[i];
  const char *advice = number == 6 || number == 7 ? "mesh with tets or bricks only"
                                                  : "export first order (Mesh.ElementOrder = 1)";
  *status = lb_scan_unsupported(&msh->scan, err, "unsupported element type %lld (%s), %s",
                                (long long)number, unread_type_name(number), advice);
  return NULL;
}

static lbStatus read_nodes_of(lbMsh *msh, const lbMshType *type, lbScalar node_type, int64_t number,
                              int32_t vertices[8], lbError *err) {
  for (int32_t i = 0; i < type->corners; i++) {
    int64_t tag = 0;
    if (!lb_scan_integer(&msh->scan, node_type, &tag))
      return lb_scan_fail(&msh->scan, err, "element %lld lacks node number %d of %d",
                          (long long)number, (int)i + 1, (int)type->corners);
    vertices[i] = lb_hash_table_find(&msh->nodes, &tag);
    if (vertices[i] < 0)
      return lb_scan_fail(&msh->scan, err, "element %lld uses node %lld, which $Nodes lacks",
                          (long long)number, (long long)tag);
  }
  return LB_OK;
}

// Version 2 has one physical tag per element: one that is in several groups is written again for
// each. Finds such a repeat, else adds the cell.
static lbStatus add_once(lbMsh *msh, const lbMshType *type, const int32_t vertices[8],
                         int32_t physical, lbCellIds *ids, lbError *err) {
  static const lbCellShape shapes[] = {
    [2] = LB_CELL_TRIANGLE, LB_CELL_QUAD, LB_CELL_TET, LB_CELL_BRICK
  };
  bool repeats = msh->version == 2 && physical; // it may come again
  int32_t key[9] = { type->number };
  memcpy(key + 1, vertices, (size_t)type->corners * sizeof *vertices);
  int32_t known = repeats ? lb_hash_table_find(&msh->cells, key) : -1;
  if (known >= 0 && msh->cell_records[known].last_physical != physical) {
    msh->cell_records[known].last_physical = physical;
    *ids = msh->cell_records[known].ids;
    return LB_OK;
  }
  *ids = lb_volume_add(&msh->volume, shapes[type->number], vertices);
  if (ids->first < 0) return lb_fail_memory(err);
  if (!repeats) return LB_OK;
  int32_t number = lb_hash_table_add(&msh->cells, key);
  if (number < 0 || !lb_grow((void **)&msh->cell_records, &msh->cell_capacity, (size_t)number + 1,
                             sizeof *msh->cell_records))
    return lb_fail_memory(err);
  msh->cell_records[number] = (struct lbMshCell){ *ids, physical };
  return LB_OK;
}

lbStatus lb_msh_read_element(lbMsh *msh, const lbMshType *type, lbScalar node_type, int64_t number,
                             const int32_t *physicals, int32_t physical_count, lbError *err) {
  int32_t vertices[8] = { 0 };
  lbCellIds ids;
  lbStatus status = read_nodes_of(msh, type, node_type, number, vertices, err);
  if (status || type->dimension == 1) return status;
  if (type->dimension == 0)
    ids = lb_volume_vertex(vertices[0]);
  else
    status = add_once(msh, type, vertices, physical_count ? physicals[0] : 0, &ids, err);
  for (int32_t i = 0; i < physical_count && !status; i++) {
    // Gmsh marks a turned orientation with the sign.
    int32_t tag = physicals[i] == INT32_MIN ? 0 : abs(physicals[i]);
    int64_t key = lb_msh_key(type->dimension, tag);
    int32_t name = lb_hash_table_find(&msh->name_index, &key);
    lb_volume_tag(&msh->volume, ids, tag, name < 0 ? "" : msh->names[name]);
  }
  return status;
}
