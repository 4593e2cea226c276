// A bar that is held at one end and posed by a handle at each, for tests of editors.
#ifndef LB_TESTS_TOY_EDITOR_H
#define LB_TESTS_TOY_EDITOR_H

#include "check.h"

#include "../body/toy_cubature.h"
#include "edit/editor.h"

typedef struct Case {
  SubToy sub;
  lbBody *body;
  lbEditor *editor;
  int32_t near_end, far_end; // handles
} Case;

// Nodes of one end of the bar along x.
static inline lbPoint *end_points(const lbMesh *mesh, bool far, int32_t *count) {
  lbPoint *points = calloc((size_t)mesh->vertex_count, sizeof *points);
  double most = -1e9, least = 1e9;
  for (int32_t n = 0; n < mesh->vertex_count; n++) {
    most = fmax(most, mesh->positions[3 * n]);
    least = fmin(least, mesh->positions[3 * n]);
  }
  *count = 0;
  for (int32_t n = 0; n < mesh->vertex_count; n++)
    if (fabs(mesh->positions[3 * n] - (far ? most : least)) < 1e-9)
      points[(*count)++] = lb_point_node(n);
  return points;
}

static inline int32_t add_end(lbEditor *editor, const lbMesh *mesh, bool far, const char *name) {
  lbHandleDef def = lb_handle_def();
  lbPoint *points = end_points(mesh, far, &def.point_count);
  lbError err;
  int32_t handle = -1;
  def.points = points;
  def.name = name;
  check_ok(lb_editor_add_handle(editor, &def, &handle, &err), err);
  free(points);
  return handle;
}

static inline Case make_case(SubDef def) {
  Case c = { .sub = sub_make(def) };
  lbError err;
  lbEditorDef editor = lb_editor_def();
  c.body = sub_body(&c.sub, NULL);
  check_ok(lb_editor_create(c.body, &editor, &c.editor, &err), err);
  c.far_end = add_end(c.editor, c.sub.toy.mesh, true, "far");
  return c;
}

static inline void destroy_case(Case *c) {
  lb_editor_destroy(c->editor);
  lb_body_destroy(c->body);
  sub_destroy(&c->sub);
}

static inline lbHandleMotion moved(const lbEditor *e, int32_t handle, lbVec3 translate,
                                   lbVec3 rotation) {
  lbHandleMotion motion = lb_editor_rest_motion(e, handle);
  motion.translate = translate;
  motion.rotation = rotation;
  return motion;
}

static inline void move(lbEditor *e, int32_t handle, lbVec3 translate, lbVec3 rotation) {
  lbError err;
  lbHandleMotion motion = moved(e, handle, translate, rotation);
  check_ok(lb_editor_move_handle(e, handle, &motion, &err), err);
}

static inline lbEditResult settle(lbEditor *e) {
  lbError err;
  lbEditResult result;
  check_ok(lb_editor_settle(e, &result, &err), err);
  return result;
}

#endif
