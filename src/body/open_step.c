// A step that stays open while forces at its contact points are found (response.h).
//
//   open:   q* = step(q0, v0, f), factors of A
//   hold:   contact forces λ, found by others from q* and A⁻¹
//   take:   q = q* + A⁻¹ λ, then what ends any step (lb_part_close)
//
// So a step is linearised and factored once, whatever touches the body.
#include "body/hand_rows.h"
#include "body/reaction.h"
#include "body/response.h"

#include <string.h>

// ---- room --------------------------------------------------------------------------------------

// Every body may have an open step of its own, and a few threads work at the same time.
enum { WORKERS = 4 };

// Scratch and call work that are there before any body touches another.
static lbStatus reserve_scratch(const lbPrepared *p, lbError *err) {
  int32_t bodies = atomic_load(&p->references), count = 0, calls = 0;
  lbScratch *borrowed = NULL;
  bool made = true;
  for (; made && count < bodies + WORKERS; count++) {
    lbScratch *s = lb_scratch_borrow(p);
    made = s != NULL;
    if (!made) break;
    s->next = borrowed, borrowed = s;
    bool keeps_call = calls < WORKERS || (p->has_node_blocks && calls <= bodies);
    if (keeps_call)
      made = lb_touch_make_work(p, s) && !lb_search_make(p, s, err), calls++;
    else
      lb_scratch_return_call(p, s);
  }
  while (borrowed) {
    lbScratch *next = borrowed->next;
    lb_scratch_return(p, borrowed);
    borrowed = next;
  }
  return made ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_touch_make(lbBody *body, lbError *err) {
  const lbTree *tree = NULL;
  bool is_new = !body->contacts || !body->contacts->force;
  lbStatus status = lb_prepared_tree(body->prepared, &tree, err);
  if (!status && lb_contacts_make_force(body)) status = lb_fail_memory(err);
  return status || !is_new ? status : reserve_scratch(body->prepared, err);
}

// ---- opening -----------------------------------------------------------------------------------

static lbVec3 frame_force_of(const lbBody *body, const double *width) {
  return lb_vec3_load(width + body->prepared->padded);
}

// The centre in the step's middle. Forces along which the centre itself is shifted have no moment
// by that: it is taken where it is without them, and momentum is kept.
static void find_middle(lbTouching *t) {
  const lbBody *body = t->body;
  const lbFrameStep *to = &t->step.frame;
  lbVec3 own = body->prepared->centre;
  lbVec3 start = lb_add(t->start.position, lb_mat3_apply(t->start.turn, own));
  lbVec3 end = lb_add(to->position, lb_mat3_apply(to->turn, own));
  t->middle = lb_scale(0.5, lb_add(start, end));
  if (body->frame.kind != LB_FRAME_FREE) return;
  lbQuat half = lb_quat_slerp(t->start.rotation, to->rotation, 0.5);
  t->mobility = lb_frame_mobility_of(to->inertia, lb_quat_to_mat3(half));
  double passed = lb_frame_passed(body, t->step.h), mass = body->prepared->mass;
  lbVec3 joined = frame_force_of(body, body->open->joined);
  t->middle = lb_add_scaled(t->middle, -0.25 * t->step.h * passed / mass, joined);
}

// What others ask of the step as it is now: the constraints' forces, where the frame ends.
static bool show_step(lbTouching *t) {
  lbBody *body = t->body;
  lbScratch *s = t->scratch;
  bool held = lb_body_is_constrained(body), free = body->frame.kind == LB_FRAME_FREE;
  if (held && lb_constraints_solve(body, s->step, s) & LB_STEP_NONFINITE) return false;
  t->step = *s->step;
  if (free && (held || body->contacts->acts)) lb_frame_try(body, &t->step, s);
  find_middle(t);
  if (held) lb_reaction_find(body, &t->step, t->mobility);
  return true;
}

bool lb_touch_open(lbTouching *t, lbBody *body, double h) {
  const lbBodyTake *take = &body->take;
  *t = (lbTouching){ .body = body, .start = body->frame };
  const lbStep step = { .h = h,
                        .integrator = take->integrator,
                        .share_before = take->partial ? take->before : 0,
                        .share = take->partial ? take->after : 1,
                        .whole = take->partial ? take->whole : &t->start,
                        .stays_open = true };
  bool ready = body->contacts && body->contacts->force && lb_part_keep_open(body, &step);
  t->scratch = body->open;
  if (ready && lb_touch_make_work(body->prepared, t->scratch) && show_step(t)) return true;
  lb_touch_abandon(body);
  t->scratch = NULL;
  return false;
}

bool lb_touch_reopen(lbTouching *t) {
  lbBody *body = t->body;
  lbScratch *s = body->open;
  if (s && lb_scratch_borrow_call(body->prepared, s) && lb_touch_make_work(body->prepared, s)) {
    t->scratch = s;
    lb_part_join(body, s);
    lb_part_correct(body, s->step, s);
    memcpy(s->base, s->q, (size_t)body->prepared->padded * sizeof(double));
    if (show_step(t)) return true;
  }
  lb_touch_abandon(body);
  t->scratch = NULL;
  return false;
}

void lb_touch_close(lbTouching *t) {
  if (t->scratch) lb_scratch_return_call(t->body->prepared, t->scratch);
  t->scratch = NULL;
}

void lb_touch_abandon(lbBody *body) {
  lb_scratch_return(body->prepared, body->open);
  body->open = NULL;
}

// ---- forces that were found --------------------------------------------------------------------

void lb_touch_release(lbBody *body) { body->contacts->acts = false; }

void lb_touch_expect(lbBody *body, lbScratch *s) {
  for (int32_t i = 0; i < body->prepared->dimension; i++) {
    s->held[i] += s->a[i], s->late[i] += s->a[i], s->joined[i] += s->a[i];
    s->q[i] += s->c[i], s->moved[i] += s->c[i], s->base[i] += s->c[i];
  }
  s->step->loose = 1; // less is left than the caller tolerates
}

// s->a <- forces (width) that the contacts hold now and the step does not have; whether there are.
static bool find_new_forces(const lbBody *body, lbScratch *s) {
  const int32_t width = lb_body_width(body);
  bool any = false;
  lb_contacts_sum(body, s->b);
  for (int32_t i = 0; i < width; i++) {
    s->a[i] = s->b[i] - s->joined[i];
    s->joined[i] = s->b[i];
    any |= s->a[i] != 0;
  }
  return any;
}

void lb_part_join(lbBody *body, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  memcpy(s->q, s->base, (size_t)p->padded * sizeof(double));
  if (!find_new_forces(body, s)) return;
  for (int32_t i = 0; i < p->dimension; i++) s->held[i] += s->a[i], s->late[i] += s->a[i];
  if (body->frame.kind == LB_FRAME_FREE) {
    lbFrameStep *to = &s->step->frame;
    to->force = lb_add(to->force, frame_force_of(body, s->a));
    to->torque = lb_add(to->torque, lb_vec3_load(s->a + p->padded + 3));
  }
  p->method->respond(body, s->step, s, s->a, s->b);
  for (int32_t i = 0; i < p->dimension; i++) s->q[i] += s->b[i], s->moved[i] += s->b[i];
  s->corrected = false;
}
