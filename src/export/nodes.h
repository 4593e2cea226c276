// The nodes of a file: a root that turns the up axis, and the bodies below it.
#ifndef LB_EXPORT_NODES_H
#define LB_EXPORT_NODES_H

#include "export/glb.h"

// Begins the file's scene with node 0; `children` (borrowed) may be filled later.
void lb_nodes_begin(lbGlb *glb, char up, json_t *children);
// A node with a mesh. translation (3) and rotation (4, x y z w) may be NULL and are left out where
// they do nothing. Appends it to `children` and returns its index.
int32_t lb_nodes_add(lbGlb *glb, json_t *children, const char *name, int32_t mesh,
                     const float *translation, const float *rotation);
// 'z' or 'y'.
lbStatus lb_nodes_check_up(char up, lbError *err);
// The name, or "body N" (in `plain`) where there is none.
const char *lb_nodes_name(const char *name, int32_t number, char plain[32]);

#endif
