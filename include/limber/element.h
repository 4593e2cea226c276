// limber/element.h: the kinds of elements.
#ifndef LIMBER_ELEMENT_H
#define LIMBER_ELEMENT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lbElementKind {
  LB_ELEMENT_TET4,   // linear tetrahedron, constant strain
  LB_ELEMENT_BRICK8, // trilinear brick, 2x2x2 Gauss points
  LB_ELEMENT_VOLUME_KIND_COUNT,
  LB_ELEMENT_FLAP = LB_ELEMENT_VOLUME_KIND_COUNT, // an edge of a shell with its triangles
  LB_ELEMENT_KIND_COUNT
} lbElementKind;

const char *lb_element_kind_name(lbElementKind kind); // of a volume, as scene files spell it
bool lb_element_kind_parse(const char *name, lbElementKind *kind);

#ifdef __cplusplus
}
#endif
#endif
