// Root, bodies, names.
#include "export/nodes.h"

#include <math.h>
#include <stdio.h>

void lb_nodes_begin(lbGlb *glb, char up, json_t *children) {
  json_t *root = json_object(), *scene = json_object(), *nodes = json_array();
  lb_glb_append(glb, nodes, json_integer(0));
  lb_glb_set(glb, scene, "nodes", nodes);
  lb_glb_set(glb, glb->root, "scene", json_integer(0));
  lb_glb_add(glb, "scenes", scene);
  lb_glb_set(glb, root, "name", json_string("limber"));
  if (up == 'z') { // -90 degrees about x: (x, y, z) -> (x, z, -y)
    const float half = (float)sqrt(0.5), rotation[4] = { -half, 0, 0, half };
    lb_glb_set(glb, root, "rotation", lb_glb_numbers(rotation, 4));
  }
  lb_glb_set(glb, root, "children", json_incref(children));
  lb_glb_add(glb, "nodes", root);
}

static bool is_zero(const float v[3]) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

int32_t lb_nodes_add(lbGlb *glb, json_t *children, const char *name, int32_t mesh,
                     const float *translation, const float *rotation) {
  json_t *node = json_object();
  lb_glb_set(glb, node, "name", lb_glb_text(name));
  lb_glb_set(glb, node, "mesh", json_integer(mesh));
  if (translation && !is_zero(translation))
    lb_glb_set(glb, node, "translation", lb_glb_numbers(translation, 3));
  if (rotation && !is_zero(rotation))
    lb_glb_set(glb, node, "rotation", lb_glb_numbers(rotation, 4));
  int32_t id = lb_glb_add(glb, "nodes", node);
  lb_glb_append(glb, children, json_integer(id));
  return id;
}

lbStatus lb_nodes_check_up(char up, lbError *err) {
  if (up == 'z' || up == 'y') return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "up is character %d, it must be 'z' or 'y'", (int)up);
}

const char *lb_nodes_name(const char *name, int32_t number, char plain[32]) {
  snprintf(plain, 32, "body %d", (int)number);
  return name && *name ? name : plain;
}
