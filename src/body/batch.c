// Batches: many bodies of one model in blocks of LB_INSTANCE_BLOCK, one block a task. What a body
// gets does not depend on its neighbours, so results are the same for any task runner.
#include "body/constraints.h"

#include <string.h>

struct lbBatch {
  lbBodyCommon common;
  int32_t count, block_count;
  lbInstances *blocks; // (block_count)
  lbBody *bodies;      // (count)
  lbConstraints *constraints;
  lbError *messages;
  char *constraint_memory; // (count x constraint_bytes)
  size_t constraint_bytes;
};

lbBatchDef lb_batch_def(void) {
  lbBatchDef def = { .body = lb_body_def() };
  def.body.constrained_points = 0;
  return def;
}

// ---- creation ----------------------------------------------------------------------------------

static lbBatch *lay_out(lbBatch *batch, int32_t room, lbCarver *carver) {
  lbBatch *at = lb_carve(carver, 1, sizeof *batch);
  size_t count = (size_t)batch->count, block_count = (size_t)batch->block_count;
  lb_common_place(&batch->common, carver);
  batch->blocks = lb_carve(carver, block_count, sizeof *batch->blocks);
  batch->bodies = lb_carve(carver, count, sizeof *batch->bodies);
  batch->constraints = lb_carve(carver, count, sizeof *batch->constraints);
  batch->messages = lb_carve(carver, count, sizeof *batch->messages);
  lbConstraints one;
  lbCarver measure = { 0 };
  lb_constraints_place(&one, &batch->common, room, &measure);
  batch->constraint_bytes = measure.used;
  carver->overflow |= measure.overflow;
  batch->constraint_memory = lb_carve(carver, count, measure.used);
  for (size_t i = 0; i < block_count && !carver->overflow; i++) {
    lbInstances unused, *block = carver->block ? &batch->blocks[i] : &unused;
    lb_instances_place(block, &batch->common, LB_INSTANCE_BLOCK, carver);
  }
  return at;
}

static lbStatus start_body(lbBatch *batch, const lbBatchDef *def, int32_t i, lbError *err) {
  lbInstances *block = &batch->blocks[i / LB_INSTANCE_BLOCK];
  lbBody *body = &batch->bodies[i];
  *body = (lbBody){ .common = &batch->common,
                    .instances = block,
                    .lane = i % LB_INSTANCE_BLOCK,
                    .in_batch = true,
                    .constraints = &batch->constraints[i],
                    .message = &batch->messages[i] };
  block->bodies[block->count++] = body;
  lbCarver carver = { .block = batch->constraint_memory + (size_t)i * batch->constraint_bytes };
  lb_constraints_place(body->constraints, &batch->common, def->body.constrained_points, &carver);
  return lb_body_start(body, def->positions ? def->positions[i] : def->body.position,
                       def->rotations ? def->rotations[i] : def->body.rotation, def->body.gravity,
                       err);
}

lbStatus lb_batch_create(const lbModel *model, const lbBatchDef *def, lbBatch **out, lbError *err) {
  lbBatch draft;
  memset(&draft, 0, sizeof draft);
  if (def->count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "count is %d; a batch needs bodies", (int)def->count);
  lbStatus status = lb_common_open(&draft.common, model, &def->body, lb_simd_best(), err);
  if (status) return status;
  draft.count = def->count;
  draft.block_count = (def->count - 1) / LB_INSTANCE_BLOCK + 1;
  lbCarver carver = { 0 };
  lay_out(&draft, def->body.constrained_points, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) return lb_fail_memory(err);
  carver.used = 0;
  lbBatch *batch = lay_out(&draft, def->body.constrained_points, &carver);
  *batch = draft;
  batch->common.blocks = batch->blocks, batch->common.block_count = batch->block_count;
  status = lb_common_build(&batch->common, err);
  for (int32_t i = 0; i < batch->count && !status; i++) {
    lbError cause;
    if (start_body(batch, def, i, &cause))
      status = lb_fail(err, LB_ERR_ARGUMENT, "body %d: %.400s", (int)i, cause.text);
  }
  if (status)
    lb_free(batch);
  else
    *out = batch;
  return status;
}

void lb_batch_destroy(lbBatch *batch) {
  if (!batch) return;
  lb_common_close(&batch->common);
  lb_free(batch);
}

int32_t lb_batch_count(const lbBatch *batch) { return batch->count; }

lbBody *lb_batch_body(lbBatch *batch, int32_t index) {
  LB_ASSERT(index >= 0 && index < batch->count);
  return &batch->bodies[index];
}

// ---- the step ----------------------------------------------------------------------------------

static void step_blocks(int32_t begin, int32_t end, void *context) {
  lbBatch *batch = context;
  for (int32_t i = begin; i < end; i++) {
    lbInstances *block = &batch->blocks[i];
    block->flags = batch->common.method->advance(&batch->common, block);
    lb_instances_reset_forces(block, &batch->common);
    for (int32_t k = 0; k < block->count; k++) block->times[k] += batch->common.h;
  }
}

int32_t lb_batch_step(lbBatch *batch, double dt) {
  if (!lb_time_step_is_legal(dt)) return LB_STEP_REFUSED;
  batch->common.h = dt;
  batch->common.method->prepare(&batch->common, dt);
  lb_parallel_for(batch->block_count, 1, step_blocks, batch);
  int32_t flags = 0;
  for (int32_t i = 0; i < batch->block_count; i++) flags |= batch->blocks[i].flags;
  return flags;
}
