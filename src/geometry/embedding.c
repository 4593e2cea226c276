// Applying an embedding and its transpose.
#include "limber/embedding.h"

void lb_embedding_destroy(lbEmbedding *embedding) {
  if (!embedding) return;
  lb_free(embedding->begin);
  lb_free(embedding->nodes);
  lb_free(embedding->weights);
  lb_free(embedding->elements);
  lb_free(embedding);
}

typedef struct Apply {
  const lbEmbedding *embedding;
  const double *node_values;
  double *point_values;
} Apply;

static void apply_range(int32_t begin, int32_t end, void *context) {
  const Apply *job = context;
  const lbEmbedding *embedding = job->embedding;
  for (int32_t p = begin; p < end; p++) {
    double sum[3] = { 0 };
    for (int32_t k = embedding->begin[p]; k < embedding->begin[p + 1]; k++) {
      const double *x = job->node_values + 3 * (size_t)embedding->nodes[k];
      for (int i = 0; i < 3; i++) sum[i] += embedding->weights[k] * x[i];
    }
    for (int i = 0; i < 3; i++) job->point_values[3 * (size_t)p + (size_t)i] = sum[i];
  }
}

void lb_embedding_apply(const lbEmbedding *embedding, const double *node_values,
                        double *point_values) {
  Apply job = { embedding, node_values, point_values };
  lb_parallel_for(embedding->point_count, 4096, apply_range, &job);
}

// One after another: points share nodes, and the order of summation is fixed.
void lb_embedding_apply_transpose(const lbEmbedding *embedding, const double *point_values,
                                  double *node_values) {
  for (size_t i = 0; i < 3 * (size_t)embedding->node_count; i++) node_values[i] = 0;
  for (int32_t p = 0; p < embedding->point_count; p++) {
    const double *f = point_values + 3 * (size_t)p;
    for (int32_t k = embedding->begin[p]; k < embedding->begin[p + 1]; k++) {
      double *sum = node_values + 3 * (size_t)embedding->nodes[k];
      for (int i = 0; i < 3; i++) sum[i] += embedding->weights[k] * f[i];
    }
  }
}
