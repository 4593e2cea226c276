// TetGen's pair of files, from memory.
#ifndef LB_MESHIO_TETGEN_H
#define LB_MESHIO_TETGEN_H

#include "limber/mesh.h"

lbStatus lb_read_tetgen(const char *node_path, const char *node_content, size_t node_bytes,
                        const char *ele_path, const char *ele_content, size_t ele_bytes,
                        lbMesh **out, lbError *err);

#endif
