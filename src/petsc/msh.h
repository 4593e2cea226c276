// Gmsh files (.msh 2.2 and 4.1, text and binary) that every rank reads a share of: all of them map
// the file, and each turns its own lines or records into numbers.
//
// What is unusual in a file (a number out of place, other elements than tets and bricks, numbers of
// nodes far apart, the other byte order) is left to the ordinary reader, which knows how to read it
// or what to say about it.
#ifndef LB_PETSC_MSH_H
#define LB_PETSC_MSH_H

#include "petsc/slab.h"

typedef struct lbMshTag {
  int32_t tag, place; // of a node: its number in the file, and how many are before it
} lbMshTag;

// A share of a file, in the order of the file.
typedef struct lbMshShare {
  const char *begin, *end; // the file
  int version;             // 2 or 4
  int64_t node_total;
  int64_t node_first, node_count; // of this share
  double *positions;              // (node_count x 3)
  lbMshTag *tags;                 // not always of the same nodes
  size_t tag_count, tag_capacity;
  lbSlabElement *elements; // vertices are tags
  size_t element_count, element_capacity;
} lbMshShare;

// Fills the slab's counts, vertices and elements. False, on all ranks: the file has something
// unusual, which *reason names. Collective.
bool lb_msh_read_slab(const char *path, lbSlab *slab, const char **reason);

// Both ways of reading; NULL, or what is unusual. Collective.
const char *lb_msh_read_text(lbMshShare *share);
const char *lb_msh_read_binary(lbMshShare *share, const char *after_format);

void lb_msh_add_tag(lbMshShare *share, int64_t tag, int64_t place);
// Adds a tet (type 4) or brick (type 5).
void lb_msh_add(lbMshShare *share, int64_t type, int64_t tag, const int64_t *nodes);
// Corners of an element type; 0: it is not known here.
int32_t lb_msh_corners(int64_t type);

#endif
