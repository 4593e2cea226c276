// Tags for formats that know groups by number alone.
#ifndef LB_MESHIO_GROUP_TAGS_H
#define LB_MESHIO_GROUP_TAGS_H

#include "limber/mesh.h"

// A tag per group: its own, or the smallest one above all tags of its kind. (group_count), free
// with lb_free; NULL without memory.
int32_t *lb_group_tags(const lbMesh *mesh);

#endif
