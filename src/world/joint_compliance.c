// Compliance of jointed bodies in a step (joint.h): lines of their anchors, what these move, and
// the matrices of rows.
#include "world/joint.h"

#include <string.h>

// ---- compliance --------------------------------------------------------------------------------

lbJointed *lb_jointed_of(const lbWorld *world, int32_t slot) {
  const lbWorldJoints *joints = world->linked;
  if (!joints || joints->ordered == 0 || slot >= joints->slot_room) return NULL;
  int32_t body = joints->body_of_slot[slot];
  return body < 0 ? NULL : &joints->bodies[body];
}

void lb_joints_enlist(lbWorld *world) {
  lbWorldJoints *joints = world->linked;
  if (!lb_joints_hold_any(world)) return;
  for (int32_t i = 0; i < joints->body_count; i++) {
    lbJointed *b = &joints->bodies[i];
    b->contact_body =
        lb_slot_stays(world, &world->slots[b->slot]) ? -1 : lb_touch_enlist(world->touch, b->slot);
  }
}

bool lb_joints_go(const lbWorld *world) {
  for (int32_t i = 0; lb_joints_hold_any(world) && i < world->linked->body_count; i++)
    if (world->linked->bodies[i].contact_body >= 0) return true;
  return false;
}

// G and C for the lines and what they move.
static void find_products(lbJointed *b, const lbBody *body, lbMat3 turn, int32_t count,
                          const lbContactPoint *contact_points) {
  const lbPrepared *p = body->prepared;
  size_t n = (size_t)b->basis_count, padded = (size_t)p->padded;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      b->G[i * n + k] = lb_row_dot(p->dimension, b->lines + i * padded, b->moved + k * padded);
  for (int32_t j = 0; j < count && n > 0; j++)
    for (size_t k = 0; k < n; k++) {
      lbVec3 by = lb_touch_motion(body, turn, &contact_points[j], b->moved + k * padded);
      for (size_t a = 0; a < 3; a++)
        b->C[(3 * (size_t)j + a) * n + k] = lb_dot(contact_points[j].axes[a], by);
    }
}

static void make_lines(const lbWorldJoints *joints, lbJointed *b, const lbBody *body, lbMat3 turn) {
  size_t padded = (size_t)body->prepared->padded;
  for (int32_t e = 0; e < b->end_count; e++) {
    const lbJointEnd *end = joints->ends[b->first_end + e];
    for (int k = 0; k < lb_anchor_axes(&end->anchor); k++)
      lb_anchor_line(&end->anchor, body, turn, k, b->lines + (size_t)(end->basis + k) * padded);
  }
}

void lb_joints_open(lbWorld *world, int32_t number) {
  const lbContactBody *contact_body = &world->touch->contact_bodies[number];
  const lbTouching *t = &contact_body->touching;
  lbJointed *b = lb_jointed_of(world, contact_body->slot);
  if (!b) return;
  const lbBody *body = t->body;
  const lbFrameStep *to = &t->step.frame;
  lbScratch *s = t->scratch;
  size_t padded = (size_t)body->prepared->padded;
  lbAnchorView before = { body, t->start.position, t->start.rotation, t->start.turn, s->q0 };
  lbAnchorView after = { body, to->position, to->rotation, to->turn, s->q };
  for (int32_t e = 0; e < b->end_count; e++) {
    lbJointEnd *end = world->linked->ends[b->first_end + e];
    lb_anchor_look(&end->anchor, &before);
    end->place_before = end->anchor.place, end->rotation_before = end->anchor.rotation;
    lb_anchor_look(&end->anchor, &after);
  }
  make_lines(world->linked, b, body, to->turn);
  for (size_t k = 0; k < (size_t)b->basis_count; k++) {
    memcpy(s->a, b->lines + k * padded, padded * sizeof(double)); // it may be written over
    body->prepared->method->respond(body, &t->step, s, s->a, b->moved + k * padded);
  }
  find_products(b, body, to->turn, contact_body->count,
                world->touch->contact_points + contact_body->first);
  b->free = body->frame.kind == LB_FRAME_FREE;
  b->factor = 0.5 * t->step.h * t->step.h;
  b->mobility = t->mobility;
  b->centre = t->middle;
  b->turn = to->turn;
}

void lb_joints_look(lbWorld *world, int32_t number, lbScratch *s) {
  const lbContactBody *contact_body = &world->touch->contact_bodies[number];
  lbJointed *b = lb_jointed_of(world, contact_body->slot);
  if (!b) return;
  const lbBody *body = world->slots[b->slot].body;
  const lbFrameState *f = &body->frame;
  size_t padded = (size_t)body->prepared->padded;
  lbAnchorView now = { body, f->position, f->rotation, f->turn, s->q0 };
  for (int32_t e = 0; e < b->end_count; e++) {
    lbAnchor *anchor = &world->linked->ends[b->first_end + e]->anchor;
    lb_anchor_look(anchor, &now);
    lb_anchor_look_at_rates(anchor, body, s->v0);
  }
  make_lines(world->linked, b, body, f->turn);
  memcpy(b->moved, b->lines, (size_t)b->basis_count * padded * sizeof(double));
  for (size_t k = 0; k < (size_t)b->basis_count; k++)
    lb_body_mobilise(body, s, b->moved + k * padded);
  find_products(b, body, f->turn, contact_body->count,
                world->touch->contact_points + contact_body->first);
  b->free = f->kind == LB_FRAME_FREE;
  b->factor = 1;
  b->mobility = lb_frame_mobility(body, f->turn);
  b->centre = lb_frame_centre(body);
  b->turn = f->turn;
}

// ---- what a row does ---------------------------------------------------------------------------

lbJointAct lb_joint_act(const lbWorldJoints *joints, const lbJointRow *row, int side) {
  const lbJointEnd *end = &joints->list[row->joint].pairs[row->pair][side];
  if (end->body < 0) return (lbJointAct){ .body = NULL };
  const lbJointed *body = &joints->bodies[end->body];
  lbVec3 along = lb_scale(side ? -1 : 1, row->axis), at = row->points[side];
  if (row->turns) return (lbJointAct){ body, end, lb_vec3(0, 0, 0), along, along };
  return (lbJointAct){ body, end, along, lb_cross(lb_sub(at, end->anchor.mean), along),
                       lb_cross(lb_sub(at, body->centre), along) };
}

static void store_act(const lbJointAct *act, double t[6]) {
  lb_vec3_store(t, act->force), lb_vec3_store(t + 3, act->torque);
}

// How far a unit force of one moves the other, of one body.
static double response(const lbWorld *world, const lbJointAct *a, const lbJointAct *b) {
  const lbJointed *body = a->body;
  size_t n = (size_t)body->basis_count;
  int rows = lb_anchor_axes(&a->end->anchor), columns = lb_anchor_axes(&b->end->anchor);
  double s[6], t[6], sum = 0;
  store_act(a, s), store_act(b, t);
  for (int i = 0; i < rows; i++) {
    const double *G = body->G + (size_t)(a->end->basis + i) * n + (size_t)b->end->basis;
    for (int k = 0; k < columns; k++) sum += s[i] * G[k] * t[k];
  }
  if (!body->free) return sum;
  double mass = world->slots[body->slot].body->prepared->mass;
  double frame = lb_dot(a->force, b->force) / mass +
                 lb_dot(a->frame_torque, lb_mat3_apply(body->mobility, b->frame_torque));
  return sum + body->factor * frame;
}

// along (n) <- how rows move along m_j of what a body's own constraints hold back
// (body/reaction.h).
static void project_rows(const lbWorld *world, const lbJointed *b, int32_t j, int32_t first,
                         int32_t n, double *along) {
  const lbWorldJoints *joints = world->linked;
  const lbBody *body = world->slots[b->slot].body;
  size_t padded = (size_t)body->prepared->padded;
  lbVec3 none = lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < n; i++) {
    along[i] = 0;
    for (int side = 0; side < 2; side++) {
      lbJointAct act = lb_joint_act(joints, &joints->rows[first + i], side);
      if (act.body != b) continue;
      double t[6];
      store_act(&act, t);
      along[i] += lb_reaction_along(body, j, NULL, act.force, act.frame_torque);
      for (int k = 0; k < lb_anchor_axes(&act.end->anchor); k++)
        along[i] +=
            t[k] * lb_reaction_along(body, j, b->lines + (size_t)(act.end->basis + k) * padded,
                                     none, none);
    }
  }
}

static void subtract_reactions(const lbWorld *world, int32_t first, int32_t n, double *A) {
  const lbWorldJoints *joints = world->linked;
  double along[LB_JOINT_ROWS];
  for (int32_t i = 0; i < joints->body_count && n > 0; i++) {
    const lbJointed *b = &joints->bodies[i];
    const lbJointEnd *end = &joints->list[joints->rows[first].joint].pairs[0][0];
    if (b->component != joints->bodies[end->body].component || b->contact_body < 0) continue;
    for (int32_t j = 0; j < lb_reaction_rank(world->slots[b->slot].body); j++) {
      project_rows(world, b, j, first, n, along);
      for (int32_t row = 0; row < n; row++)
        for (int32_t k = 0; k < n; k++)
          A[(size_t)row * (size_t)n + (size_t)k] -= along[row] * along[k];
    }
  }
}

static void assemble_rows(const lbWorld *world, const lbJointComponent *component) {
  const lbWorldJoints *joints = world->linked;
  int32_t first = component->row_begin, n = component->row_count;
  double *A = component->A;
  memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
  for (int32_t i = 0; i < n; i++)
    for (int side = 0; side < 2; side++) {
      lbJointAct one = lb_joint_act(joints, &joints->rows[first + i], side);
      if (!one.body) continue;
      for (int32_t k = 0; k <= i; k++)
        for (int other = 0; other < 2; other++) {
          lbJointAct two = lb_joint_act(joints, &joints->rows[first + k], other);
          if (two.body != one.body) continue;
          A[(size_t)i * (size_t)n + (size_t)k] += response(world, &one, &two);
        }
    }
  for (int32_t i = 0; i < n; i++)
    for (int32_t k = i + 1; k < n; k++)
      A[(size_t)i * (size_t)n + (size_t)k] = A[(size_t)k * (size_t)n + (size_t)i];
  subtract_reactions(world, first, n, A);
}

// How a unit force of a row moves a contact point of a contact along its axes.
static void move_contact_point(const lbWorld *world, const lbJointAct *act,
                               const lbContactPoint *contact_point, int32_t place, double by[3]) {
  const lbJointed *body = act->body;
  size_t n = (size_t)body->basis_count;
  double t[6];
  store_act(act, t);
  lbVec3 moved = lb_vec3(0, 0, 0);
  if (body->free) {
    double mass = world->slots[body->slot].body->prepared->mass;
    lbVec3 angular = lb_mat3_apply(body->mobility, act->frame_torque);
    lbVec3 turned = lb_cross(angular, lb_sub(contact_point->point, body->centre));
    moved = contact_point->kind == LB_POINT_TORQUE ? angular
                                                   : lb_add_scaled(turned, 1 / mass, act->force);
    moved = lb_scale(body->factor, moved);
  }
  for (int a = 0; a < 3; a++) {
    const double *C = body->C + (size_t)(3 * place + a) * n + (size_t)act->end->basis;
    by[a] += lb_dot(contact_point->axes[a], moved);
    for (int k = 0; k < lb_anchor_axes(&act->end->anchor); k++) by[a] += C[k] * t[k];
  }
}

static void subtract_coupling(const lbWorld *world, const lbJointed *b, int32_t first, int32_t n,
                              double *coupling) {
  const lbBody *body = world->slots[b->slot].body;
  if (b->contact_body < 0) return;
  const lbContactBody *contact_body = &world->touch->contact_bodies[b->contact_body];
  const lbContactPoint *contact_points = world->touch->contact_points + contact_body->first;
  double along[LB_JOINT_ROWS], moves[3 * LB_BODY_POINTS];
  for (int32_t j = 0; j < lb_reaction_rank(body) && contact_body->count > 0; j++) {
    project_rows(world, b, j, first, n, along);
    lb_reaction_move(body, j, b->turn, b->centre, contact_body->count, contact_points, moves);
    for (int32_t k = 0; k < 3 * contact_body->count; k++)
      for (int32_t i = 0; i < n; i++)
        coupling[(size_t)(3 * b->first_place + k) * (size_t)n + (size_t)i] -= moves[k] * along[i];
  }
}

// G (3 places x rows) <- how rows move the contact points of a component.
static void couple_rows(const lbWorld *world, int32_t component) {
  const lbWorldJoints *joints = world->linked;
  const lbWorldTouch *touch = world->touch;
  const lbJointComponent *k = &joints->components[component];
  int32_t first = k->row_begin, n = k->row_count;
  memset(k->G, 0, 3 * (size_t)k->place_count * (size_t)n * sizeof *k->G);
  for (int32_t i = 0; i < n; i++)
    for (int side = 0; side < 2; side++) {
      lbJointAct act = lb_joint_act(joints, &joints->rows[first + i], side);
      if (!act.body) continue;
      const lbContactBody *contact_body = &touch->contact_bodies[act.body->contact_body];
      for (int32_t j = 0; j < contact_body->count; j++) {
        double by[3] = { 0, 0, 0 };
        move_contact_point(world, &act, &touch->contact_points[contact_body->first + j], j, by);
        for (int a = 0; a < 3; a++)
          k->G[(size_t)(3 * (act.body->first_place + j) + a) * (size_t)n + (size_t)i] += by[a];
      }
    }
  for (int32_t i = 0; i < joints->body_count; i++)
    if (joints->bodies[i].component == component && k->place_count > 0)
      subtract_coupling(world, &joints->bodies[i], first, n, k->G);
}

void lb_joints_assemble(const lbWorld *world, int32_t component) {
  assemble_rows(world, &world->linked->components[component]);
  couple_rows(world, component);
}
