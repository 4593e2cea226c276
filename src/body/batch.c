// Batches: many bodies of one model in one stretch of memory, a range of them a task. What a body
// gets does not depend on its neighbours, so results are the same for any task runner.
#include "body/body.h"

struct lbBatch {
  lbBodyGroup *group;
  double h;         // of the step that is under way,
  atomic_int flags; // and of all bodies in it
};

lbBatchDef lb_batch_def(void) {
  lbBatchDef def = { .body = lb_body_def() };
  def.body.constrained_points = 0;
  return def;
}

lbStatus lb_batch_create_at(const lbModel *model, const lbBatchDef *def, lbSimdLevel level,
                            lbBatch **out, lbError *err) {
  if (!model) return lb_refuse_null(err, "model");
  if (!def) return lb_refuse_null(err, "def");
  if (!out) return lb_refuse_null(err, "out");
  const lbPrepared *prepared = NULL;
  if (def->count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "count is %d; a batch needs bodies", (int)def->count);
  lbBatch *batch = lb_alloc(1, sizeof *batch);
  if (!batch) return lb_fail_memory(err);
  lbStatus status = lb_prepared_acquire(model, &def->body, level, &prepared, err);
  if (!status)
    status = lb_group_create(prepared, &def->body, def->count, def->positions, def->rotations,
                             &batch->group, err);
  lb_prepared_release(prepared);
  if (status) {
    lb_free(batch);
    return status;
  }
  for (int32_t i = 0; i < def->count; i++) batch->group->bodies[i].in_batch = true;
  // What one worker needs is there before the first step; others take theirs when they first work.
  prepared = batch->group->bodies->prepared;
  lb_scratch_return(prepared, lb_scratch_borrow(prepared));
  *out = batch;
  return LB_OK;
}

lbStatus lb_batch_create(const lbModel *model, const lbBatchDef *def, lbBatch **out, lbError *err) {
  return lb_batch_create_at(model, def, lb_simd_best(), out, err);
}

void lb_batch_destroy(lbBatch *batch) {
  if (!batch) return;
  lb_group_destroy(batch->group);
  lb_free(batch);
}

int32_t lb_batch_count(const lbBatch *batch) { return batch ? batch->group->count : 0; }

lbBody *lb_batch_body(lbBatch *batch, int32_t index) {
  if (!batch) return NULL;
  if (index < 0 || index >= batch->group->count) return NULL;
  return &batch->group->bodies[index];
}

// ---- the step ----------------------------------------------------------------------------------

static void step_range(int32_t begin, int32_t end, void *context) {
  lbBatch *batch = context;
  lbBodyGroup *group = batch->group;
  const lbPrepared *p = group->bodies->prepared;
  lbScratch *scratch = lb_scratch_borrow(p);
  int32_t flags = 0;
  for (int32_t i = begin; i < end; i++) {
    lbBody *body = &group->bodies[i];
    body->plain = lb_method_steps_many(p->method) && lb_body_is_plain(body);
    body->counts.steps += body->plain;
    if (!scratch)
      body->flags = LB_STEP_REFUSED;
    else if (!body->plain)
      lb_body_advance(body, batch->h, scratch);
  }
  if (scratch && lb_method_steps_many(p->method))
    p->method->step_many(group, begin, end, batch->h, scratch);
  for (int32_t i = begin; i < end; i++) flags |= group->bodies[i].flags;
  if (flags) atomic_fetch_or(&batch->flags, flags);
  lb_scratch_return(p, scratch);
}

int32_t lb_batch_step(lbBatch *batch, double dt) {
  if (!batch) return LB_STEP_REFUSED;
  const lbBodyMethod *method = batch->group->bodies->prepared->method;
  if (!lb_time_step_is_legal(dt)) return LB_STEP_REFUSED;
  batch->h = dt;
  atomic_store(&batch->flags, 0);
  method->ready_group(batch->group, dt);
  lb_parallel_for(batch->group->count, method->many, step_range, batch);
  return atomic_load(&batch->flags);
}
