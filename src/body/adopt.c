// Going on with the motion of another body of the same object.
#include "body/body.h"

#include <string.h>

// Do coordinates mean the same?
static bool are_alike(const lbPrepared *a, const lbPrepared *b) {
  return a->model == b->model && a->table == b->table && a->dimension == b->dimension &&
         (a->kept != NULL) == (b->kept != NULL) &&
         (!a->kept || !memcmp(a->kept, b->kept, (size_t)a->dimension * sizeof *a->kept));
}

static lbVec3 velocity_at(const lbBody *body, const lbFrame *frame, lbVec3 own) {
  lbVec3 arm = lb_quat_rotate(frame->rotation, lb_sub(own, body->prepared->centre));
  return lb_add(frame->linear_velocity, lb_cross(frame->angular_velocity, arm));
}

// Displacements u and velocities v (nodes x 3) relative to one frame -> relative to another:
//   x = p + R (X + u),  x' = R v + V + w x R (X + u - c)
static void change_frame(const lbBody *from, const lbFrame *before, const lbBody *to,
                         const lbFrame *after, double *u, double *v) {
  const lbModel *model = to->prepared->model;
  lbQuat back = lb_quat_conjugate(after->rotation);
  for (size_t n = 0; n < (size_t)model->size.node_count; n++, u += 3, v += 3) {
    lbVec3 rest = lb_vec3_load(model->node_positions + 3 * n), own = lb_add(rest, lb_vec3_load(u));
    lbVec3 place = lb_add(before->position, lb_quat_rotate(before->rotation, own));
    lbVec3 speed =
        lb_add(lb_quat_rotate(before->rotation, lb_vec3_load(v)), velocity_at(from, before, own));
    own = lb_quat_rotate(back, lb_sub(place, after->position));
    lb_vec3_store(u, lb_sub(own, rest));
    lb_vec3_store(v, lb_quat_rotate(back, lb_sub(speed, velocity_at(to, after, own))));
  }
}

static lbStatus adopt_coordinates(lbBody *body, const lbBody *from) {
  lbScratch *s = lb_scratch_borrow(body->prepared);
  if (!s) return lb_fail_memory(body->message);
  from->prepared->method->get(from, s->q, s->v, NULL);
  lbStatus status = lb_body_put_state(body, s->q, s->v, s);
  lb_scratch_return(body->prepared, s);
  return status;
}

static lbStatus adopt_nodes(lbBody *body, const lbBody *from, const lbFrame *before) {
  size_t count = (size_t)body->prepared->model->size.node_count;
  double *u = lb_alloc(count, 6 * sizeof(double));
  if (!u) return lb_fail_memory(body->message);
  double *v = u + 3 * count;
  lbFrame after = lb_body_frame(body);
  lb_body_node_displacements(from, u);
  lb_body_node_velocities(from, v);
  if (memcmp(&after, before, sizeof after) != 0) change_frame(from, before, body, &after, u, v);
  lbStatus status = lb_body_set_displacements(body, u, v);
  lb_free(u);
  return status;
}

static lbStatus adopt_frame(lbBody *body, const lbFrame *frame) {
  if (lb_body_frame_kind(body) != LB_FRAME_FREE) return LB_OK;
  lbStatus status = lb_body_set_placement(body, frame->position, frame->rotation);
  return status ? status
                : lb_body_set_velocity(body, frame->linear_velocity, frame->angular_velocity);
}

lbStatus lb_body_adopt_motion(lbBody *body, const lbBody *from, lbVec3 shift) {
  const lbPrepared *p = body->prepared;
  if (from->prepared->model->size.node_count != p->model->size.node_count)
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "motion: it is of a body with %d nodes, this one has %d",
                   (int)from->prepared->model->size.node_count, (int)p->model->size.node_count);
  if (p->method->is_recording) return lb_body_refuse_recording(body, "motion");
  lbFrame frame = lb_body_frame(from);
  frame.position = lb_add(frame.position, shift);
  lbStatus status = adopt_frame(body, &frame);
  if (status) return status;
  bool alike = are_alike(p, from->prepared) && body->frame.kind == from->frame.kind;
  status = alike ? adopt_coordinates(body, from) : adopt_nodes(body, from, &frame);
  // Once more: the spin of a free body depends on its shape.
  return status ? status : adopt_frame(body, &frame);
}
