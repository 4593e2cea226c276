// The state of reading a Gmsh file, shared by the parts of the reader. Format: sections between
// $Name and $EndName lines; numbers in text or, after a binary header, as bytes.
#ifndef LB_MESHIO_MSH_H
#define LB_MESHIO_MSH_H

#include "meshio/scan.h"
#include "meshio/volume.h"

typedef struct lbMshEntity { // of version 4: where elements get their physical tags from
  int32_t first, count;      // in lbMsh.physicals
} lbMshEntity;

typedef struct lbMsh {
  lbScan scan;
  lbVolume volume;
  int version;       // 2 or 4; 0 before $MeshFormat
  lbHashTable nodes; // node tag (int64) -> vertex
  bool has_nodes, has_elements;

  lbArena arena;          // holds the names
  lbHashTable name_index; // lb_msh_key(dimension, tag) -> names
  const char **names;
  size_t name_capacity;

  lbHashTable entity_index; // lb_msh_key(dimension, tag) -> entities
  lbMshEntity *entities;
  size_t entity_capacity;
  int32_t *physicals;
  size_t physical_count, physical_capacity;

  lbHashTable cells; // version 2: type and vertices (9 int32) -> cell_records
  struct lbMshCell *cell_records;
  size_t cell_capacity;
} lbMsh;

int64_t lb_msh_key(int32_t dimension, int64_t tag);

// One node: its tag becomes the next vertex's.
lbStatus lb_msh_add_node(lbMsh *msh, int64_t tag, const double point[3], lbError *err);

typedef struct lbMshType { // an element type that is read
  int32_t number, dimension, corners;
} lbMshType;

// NULL, with a message that names the type, for types that are not read.
const lbMshType *lb_msh_type(const lbMsh *msh, int64_t number, lbStatus *status, lbError *err);
// Reads the nodes of one element and adds it to the groups of its physical tags.
lbStatus lb_msh_read_element(lbMsh *msh, const lbMshType *type, lbScalar node_type, int64_t number,
                             const int32_t *physicals, int32_t physical_count, lbError *err);

// Section bodies, from after the "$Name" line up to "$EndName".
lbStatus lb_msh2_nodes(lbMsh *msh, lbError *err);
lbStatus lb_msh2_elements(lbMsh *msh, lbError *err);
lbStatus lb_msh4_entities(lbMsh *msh, lbError *err);
lbStatus lb_msh4_nodes(lbMsh *msh, lbError *err);
lbStatus lb_msh4_elements(lbMsh *msh, lbError *err);

#endif
