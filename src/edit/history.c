// Undo and redo of an editor: a ring of states, allocated with the editor.
#include "edit/editor.h"

#include <string.h>

static lbEditState *state_at(const lbEditor *e, int32_t index) {
  const lbHistory *h = &e->history;
  return &h->states[(h->first + index) % h->room];
}

lbStatus lb_history_create(lbEditor *e, lbError *err) {
  lbHistory *h = &e->history;
  h->room = e->def.history + 1; // the present one counts
  h->states = lb_alloc((size_t)h->room, sizeof *h->states);
  double *numbers = lb_alloc((size_t)h->room * (size_t)e->stride, sizeof *numbers);
  if (!h->states || !numbers) {
    lb_free(h->states);
    lb_free(numbers);
    h->states = NULL;
    return lb_fail_memory(err);
  }
  for (int32_t i = 0; i < h->room; i++) h->states[i].q = numbers + (size_t)i * (size_t)e->stride;
  return LB_OK;
}

void lb_history_destroy(lbEditor *e) {
  if (e->history.states) lb_free(e->history.states[0].q);
  lb_free(e->history.states);
}

uint32_t lb_history_used(const lbEditor *e) {
  uint32_t used = 0;
  for (int32_t i = 0; i < e->history.count; i++) used |= state_at(e, i)->active;
  return used;
}

static void save_edit_state(const lbEditor *e, lbEditState *to) {
  to->active = e->active;
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++) {
    to->motions[j] = e->handles[j].motion;
    to->solved[j] = e->handles[j].solved;
  }
  to->turn = e->turn;
  to->position = e->position;
  to->rotation = e->rotation;
  memcpy(to->q, e->bfgs.x, (size_t)e->stride * sizeof(double));
}

static void restore_edit_state(lbEditor *e, const lbEditState *from) {
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++) {
    lbHandle *h = &e->handles[j];
    if (!(from->active >> j & 1)) continue;
    h->motion = from->motions[j];
    h->solved = from->solved[j];
    lb_handle_aim(e, h, &h->motion);
  }
  bool same = e->active == from->active;
  e->active = from->active;
  e->turn = from->turn;
  e->position = from->position;
  e->rotation = from->rotation;
  memcpy(e->bfgs.x, from->q, (size_t)e->stride * sizeof(double));
  if (same)
    lb_bfgs_forget(&e->bfgs);
  else
    lb_editor_factor(e);
  lb_editor_show(e, NULL);
}

lbStatus lb_editor_remember(lbEditor *e, lbError *err) {
  if (!e) return lb_refuse_null(err, "editor");
  lbHistory *h = &e->history;
  if (h->count > 0) h->count = h->now + 1; // discards the states for redo
  if (h->count == h->room) {
    h->first = (h->first + 1) % h->room;
    h->count--;
  }
  h->now = h->count++;
  save_edit_state(e, state_at(e, h->now));
  return LB_OK;
}

int32_t lb_editor_undo_count(const lbEditor *e) { return e ? e->history.now : 0; }

int32_t lb_editor_redo_count(const lbEditor *e) {
  return e ? e->history.count - 1 - e->history.now : 0;
}

bool lb_editor_undo(lbEditor *e) {
  if (lb_editor_undo_count(e) == 0) return false;
  restore_edit_state(e, state_at(e, --e->history.now));
  return true;
}

bool lb_editor_redo(lbEditor *e) {
  if (lb_editor_redo_count(e) == 0) return false;
  restore_edit_state(e, state_at(e, ++e->history.now));
  return true;
}
