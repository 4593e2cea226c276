// The header of a PLY file: elements (tables) and their properties (columns).
#ifndef LB_MESHIO_PLY_HEADER_H
#define LB_MESHIO_PLY_HEADER_H

#include "meshio/scan.h"

typedef enum lbPlyEncoding { LB_PLY_TEXT, LB_PLY_LITTLE, LB_PLY_BIG } lbPlyEncoding;

typedef struct lbPlyProperty {
  char name[64];
  lbScalar type;
  bool is_list;
  lbScalar count_type; // of a list
} lbPlyProperty;

typedef struct lbPlyElement {
  char name[64];
  int64_t count;
  int32_t line; // in the header, for messages
  int32_t property_begin, property_count;
} lbPlyElement;

typedef struct lbPlyHeader {
  lbPlyEncoding encoding;
  lbPlyElement *elements;
  int32_t element_count;
  lbPlyProperty *properties; // of all elements, one after another
  int32_t property_count;
  size_t element_capacity, property_capacity;
} lbPlyHeader;

// Reads up to and with the line "end_header"; release the header also after a failure.
lbStatus lb_ply_read_header(lbText *text, lbPlyHeader *header, lbError *err);
void lb_ply_header_release(lbPlyHeader *header);
// Number of the property within its element, -1 when there is none.
int32_t lb_ply_find(const lbPlyHeader *header, const lbPlyElement *element, const char *name);

#endif
