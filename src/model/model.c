// Models in memory: made from a draft, as one block that holds the struct and its arrays.
#include "model/model.h"

#include <stdio.h>
#include <string.h>

double lb_model_recording_seconds(const lbModel *model) {
  return lb_model_has(model, LB_METHOD_RECORDED)
             ? (model->size.recording_frames - 1) / model->recording_rate[0]
             : 0;
}

bool lb_model_is_free(const lbModel *model) {
  for (int32_t i = 0; i < model->size.node_count; i++)
    if (model->node_fixed[i]) return false;
  return true;
}

const char *lb_model_text(const char *texts, int32_t index) {
  for (int32_t i = 0; i < index; i++) texts += strlen(texts) + 1;
  return texts;
}

// ---- creation ----------------------------------------------------------------------------------

static size_t aligned(size_t bytes) {
  return (bytes + LB_ALIGNMENT - 1) / LB_ALIGNMENT * LB_ALIGNMENT;
}

static size_t block_bytes(const lbModel *draft) {
  size_t bytes =
      aligned(sizeof *draft) + aligned(sizeof(lbModelShared)) + aligned(draft->pictures_bytes);
  for (int32_t i = 0; i < lb_model_table.row_count; i++)
    if (lb_arrays_data(&lb_model_table.rows[i], draft))
      bytes += aligned(lb_arrays_bytes(&lb_model_table.rows[i], draft));
  return bytes;
}

static void *copy_into(char **free_bytes, const void *source, size_t bytes) {
  void *copy = *free_bytes;
  memcpy(copy, source, bytes);
  *free_bytes += aligned(bytes);
  return copy;
}

lbStatus lb_model_create(const lbModel *draft, lbModel **out, lbError *err) {
  lbModel checked = *draft;
  int64_t element_count =
      (int64_t)draft->size.tet_count + draft->size.brick_count + draft->size.shell_count;
  checked.size.element_count = element_count > INT32_MAX ? -1 : (int32_t)element_count;
  checked.owner_ = NULL;
  if (!checked.pictures) checked.pictures_bytes = 0;
  char where[120];
  snprintf(where, sizeof where, "model \"%.80s\"", draft->name ? draft->name : "");
  lbStatus status = lb_arrays_check(&lb_model_table, &checked, where, err);
  if (!status) status = lb_model_check(&checked, where, err);
  if (status) return status;
  char *free_bytes = lb_alloc(block_bytes(&checked), 1);
  if (!free_bytes) return lb_fail_memory(err);
  const lbModelShared nothing = { .lock = ATOMIC_FLAG_INIT };
  lbModel *model = copy_into(&free_bytes, &checked, sizeof checked);
  model->shared_ = copy_into(&free_bytes, &nothing, sizeof nothing);
  for (int32_t i = 0; i < lb_model_table.row_count; i++) {
    const lbArrayRow *row = &lb_model_table.rows[i];
    const void *data = lb_arrays_data(row, &checked);
    if (data)
      lb_arrays_set_data(row, model, copy_into(&free_bytes, data, lb_arrays_bytes(row, &checked)));
  }
  if (checked.pictures_bytes)
    model->pictures = copy_into(&free_bytes, checked.pictures, checked.pictures_bytes);
  *out = model;
  return LB_OK;
}

void lb_model_destroy(lbModel *model) {
  if (!model) return;
  if (model->owner_)
    lb_model_owner_release(model->owner_);
  else
    lb_free(model);
}

void lb_model_embed(const lbModel *model, int32_t width, const double *nodes, double *vertices) {
  size_t w = (size_t)width;
  memset(vertices, 0, (size_t)model->size.vertex_count * w * sizeof *vertices);
  for (size_t v = 0; v < (size_t)model->size.vertex_count; v++)
    for (int32_t k = model->carrier_begin[v]; k < model->carrier_begin[v + 1]; k++)
      for (size_t i = 0; i < w; i++)
        vertices[w * v + i] +=
            model->carrier_weights[k] * nodes[w * (size_t)model->carrier_nodes[k] + i];
}
