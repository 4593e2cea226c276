// Summing element blocks into the matrix, chunk by chunk: the plan and the sums.
//
// Element blocks would fill many times the cache, so they are made for a few hundred elements at a
// time and summed at once. What a chunk shares with others goes through partial sums. Neither the
// chunks nor the order of any sum depends on the number of threads.
#include "fem/fem.h"

#include <string.h>

int32_t lb_chunk_batches(lbElementKind kind) {
  return LB_CHUNK_VALUES / (9 * lb_element_pairs(kind) * LB_BATCH);
}

// ---- the plan ----------------------------------------------------------------------------------

static lbStatus make_chunks(lbFem *fem, lbError *err) {
  for (int32_t s = 0; s < fem->set_count; s++) {
    int32_t batches = lb_chunk_batches(fem->sets[s].kind);
    fem->sets[s].chunk_begin = fem->chunk_count;
    fem->chunk_count += (fem->sets[s].batch_count - 1) / batches + 1;
  }
  fem->chunks = lb_alloc((size_t)fem->chunk_count, sizeof(lbChunk));
  if (!fem->chunks) return lb_fail_memory(err);
  lbChunk *chunk = fem->chunks;
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    int32_t batches = lb_chunk_batches(set->kind);
    for (int32_t b = 0; b < set->batch_count; b += batches, chunk++)
      *chunk =
          (lbChunk){ .set = s,
                     .batch_begin = b,
                     .batch_end = set->batch_count - b < batches ? set->batch_count : b + batches };
  }
  return LB_OK;
}

// The chunk that makes an element block, and the block's place there.
static int32_t chunk_of_block(const lbFem *fem, uint32_t block, uint32_t *local) {
  int32_t s = fem->set_count - 1;
  while ((uint32_t)fem->sets[s].block_begin > block) s--;
  uint32_t blocks = (uint32_t)(lb_chunk_batches(fem->sets[s].kind) * LB_BATCH *
                               lb_element_pairs(fem->sets[s].kind));
  uint32_t within = block - (uint32_t)fem->sets[s].block_begin;
  *local = within % blocks;
  return fem->sets[s].chunk_begin + (int32_t)(within / blocks);
}

// Contributions sorted by chunk; in a chunk by matrix block, transposed ones last.
typedef struct Sorted {
  int32_t *begin;   // (chunk_count + 1)
  int32_t *blocks;  // (contributions) matrix block
  uint32_t *local;  // (contributions) 2 x element block within the chunk + transposed
  int32_t *sharers; // (matrix blocks) chunks that contribute
} Sorted;

static lbStatus sort_by_chunk(const lbFem *fem, const lbContributions *c, lbArena *arena,
                              Sorted *out, lbError *err) {
  int32_t blocks = fem->column_begin[fem->node_count], total = c->begin[blocks];
  size_t chunks = (size_t)fem->chunk_count;
  uint32_t local;
  out->begin = lb_arena_alloc(arena, chunks + 1, sizeof(int32_t));
  out->blocks = lb_arena_alloc(arena, (size_t)total, sizeof(int32_t));
  out->local = lb_arena_alloc(arena, (size_t)total, sizeof(uint32_t));
  out->sharers = lb_arena_alloc(arena, (size_t)blocks, sizeof(int32_t));
  int32_t *next = lb_arena_alloc(arena, chunks, sizeof(int32_t));
  int32_t *last = lb_arena_alloc(arena, chunks, sizeof(int32_t)); // block listed last, plus one
  if (!out->begin || !out->blocks || !out->local || !out->sharers || !next || !last)
    return lb_fail_memory(err);
  for (int32_t k = 0; k < total; k++) out->begin[chunk_of_block(fem, c->from[k], &local) + 1]++;
  for (size_t i = 0; i < chunks; i++) {
    out->begin[i + 1] += out->begin[i];
    next[i] = out->begin[i];
  }
  for (int32_t b = 0; b < blocks; b++)
    for (int32_t k = c->begin[b]; k < c->begin[b + 1]; k++) {
      int32_t chunk = chunk_of_block(fem, c->from[k], &local);
      out->sharers[b] += last[chunk] != b + 1;
      last[chunk] = b + 1;
      out->blocks[next[chunk]] = b;
      out->local[next[chunk]++] = 2 * local + (k >= c->turned_begin[b]);
    }
  return LB_OK;
}

// Counts what the plan needs room for: sums, partial sums, shared blocks.
static lbStatus allocate_plan(lbFem *fem, const Sorted *sorted, lbError *err) {
  int32_t blocks = fem->column_begin[fem->node_count], sums = 0;
  size_t total = (size_t)sorted->begin[fem->chunk_count];
  for (int32_t b = 0; b < blocks; b++) {
    sums += sorted->sharers[b];
    if (sorted->sharers[b] < 2) continue;
    fem->shared_count++;
    fem->partial_count += sorted->sharers[b];
  }
  fem->sum_targets = lb_alloc((size_t)sums, sizeof(int32_t));
  fem->turned_begin = lb_alloc((size_t)sums, sizeof(int32_t));
  fem->sums.begin = lb_alloc((size_t)sums + 1, sizeof(int32_t));
  fem->sums.from = lb_alloc(total, sizeof(uint32_t));
  fem->shared_blocks = lb_alloc((size_t)fem->shared_count, sizeof(int32_t));
  fem->shared.begin = lb_alloc((size_t)fem->shared_count + 1, sizeof(int32_t));
  fem->shared.from = lb_alloc((size_t)fem->partial_count, sizeof(uint32_t));
  if (!fem->sum_targets || !fem->turned_begin || !fem->sums.begin || !fem->sums.from ||
      !fem->shared_blocks || !fem->shared.begin || !fem->shared.from)
    return lb_fail_memory(err);
  return LB_OK;
}

// Every sum of every chunk; a shared block's partial sums are numbered as the chunks come, and
// next_partial[b] is where the next one of block b is listed.
static void make_sums(lbFem *fem, const Sorted *sorted, int32_t *next_partial) {
  int32_t sum = -1, partial = 0, total = sorted->begin[fem->chunk_count];
  for (int32_t chunk = 0; chunk < fem->chunk_count; chunk++) {
    fem->chunks[chunk].sum_begin = sum + 1;
    for (int32_t k = sorted->begin[chunk], block = -1; k < sorted->begin[chunk + 1]; k++) {
      if (sorted->blocks[k] != block) {
        block = sorted->blocks[k];
        sum++;
        fem->sums.begin[sum] = fem->turned_begin[sum] = k;
        fem->sum_targets[sum] = sorted->sharers[block] > 1 ? ~partial : block;
        if (sorted->sharers[block] > 1)
          fem->shared.from[next_partial[block]++] = (uint32_t)partial++;
      }
      fem->turned_begin[sum] += sorted->local[k] % 2 == 0;
      fem->sums.from[k] = sorted->local[k] / 2;
    }
    fem->chunks[chunk].sum_end = sum + 1;
  }
  fem->sums.begin[sum + 1] = total;
}

lbStatus lb_fem_plan_chunks(lbFem *fem, const lbContributions *contributions, lbError *err) {
  lbArena arena = { 0 };
  Sorted sorted = { 0 };
  int32_t blocks = fem->column_begin[fem->node_count], *next_partial = NULL;
  lbStatus status = make_chunks(fem, err);
  if (!status) status = sort_by_chunk(fem, contributions, &arena, &sorted, err);
  if (!status) status = allocate_plan(fem, &sorted, err);
  if (!status) {
    next_partial = lb_arena_alloc(&arena, (size_t)blocks, sizeof(int32_t));
    if (!next_partial) status = lb_fail_memory(err);
  }
  if (!status) {
    for (int32_t b = 0, shared = 0; b < blocks; b++) {
      if (sorted.sharers[b] < 2) continue;
      next_partial[b] = fem->shared.begin[shared];
      fem->shared_blocks[shared] = b;
      fem->shared.begin[shared + 1] = fem->shared.begin[shared] + sorted.sharers[b];
      shared++;
    }
    make_sums(fem, &sorted, next_partial);
  }
  lb_arena_release(&arena);
  return status;
}

// ---- the sums ----------------------------------------------------------------------------------

// Nine doubles as short vectors that every target has, so that a sum stays in registers.
typedef double Pair __attribute__((vector_size(16)));

static inline Pair load_pair(const double *from) {
  Pair pair;
  memcpy(&pair, from, sizeof pair);
  return pair;
}

static inline void sum_listed(const double *blocks, const uint32_t *from, const uint32_t *end,
                              double sum[9]) {
  Pair s0 = { 0 }, s1 = { 0 }, s2 = { 0 }, s3 = { 0 };
  double s4 = 0;
  for (; from < end; from++) {
    const double *B = blocks + 9 * (size_t)*from;
    s0 += load_pair(B);
    s1 += load_pair(B + 2);
    s2 += load_pair(B + 4);
    s3 += load_pair(B + 6);
    s4 += B[8];
  }
  memcpy(sum, &s0, sizeof s0);
  memcpy(sum + 2, &s1, sizeof s1);
  memcpy(sum + 4, &s2, sizeof s2);
  memcpy(sum + 6, &s3, sizeof s3);
  sum[8] = s4;
}

// Contributions that come transposed are summed apart and turned once.
static inline void sum_in_chunk(const lbFem *fem, const double *blocks, int32_t index,
                                double sum[9]) {
  const uint32_t *from = fem->sums.from;
  const uint32_t *turned = from + fem->turned_begin[index];
  const uint32_t *end = from + fem->sums.begin[index + 1];
  sum_listed(blocks, from + fem->sums.begin[index], turned, sum);
  if (turned == end) return;
  double transposed[9];
  sum_listed(blocks, turned, end, transposed);
  for (int i = 0; i < 9; i++) sum[i] += transposed[3 * (i % 3) + i / 3];
}

// Writes a row-major block into its three columns; of a diagonal one the upper triangle.
static inline void store_block(const lbFem *fem, int32_t block, const double sum[9],
                               double *values) {
  int32_t j = fem->block_columns[block], above = 3 * (block - fem->column_begin[j]);
  bool diagonal = fem->block_rows[block] == j;
  for (int32_t c = 0; c < 3; c++) {
    double *to = values + fem->pattern->column_begin[3 * (size_t)j + (size_t)c] + above;
    to[0] = sum[c];
    if (!diagonal || c > 0) to[1] = sum[3 + c];
    if (!diagonal || c > 1) to[2] = sum[6 + c];
  }
}

typedef struct BlockSum {
  const lbFem *fem;
  lbChunkFiller *fill;
  void *context;
  double *partials, *values;
} BlockSum;

static void sum_chunks(int32_t begin, int32_t end, void *context) {
  const BlockSum *job = context;
  const lbFem *fem = job->fem;
  _Alignas(64) double blocks[LB_CHUNK_VALUES];
  for (int32_t chunk = begin; chunk < end; chunk++) {
    job->fill(fem, chunk, blocks, job->context);
    for (int32_t i = fem->chunks[chunk].sum_begin; i < fem->chunks[chunk].sum_end; i++) {
      double sum[9];
      int32_t target = fem->sum_targets[i];
      sum_in_chunk(fem, blocks, i, sum);
      if (target >= 0)
        store_block(fem, target, sum, job->values);
      else
        memcpy(job->partials + 9 * (size_t)~target, sum, sizeof sum);
    }
  }
}

static void sum_shared(int32_t begin, int32_t end, void *context) {
  const BlockSum *job = context;
  const lbGather *shared = &job->fem->shared;
  for (int32_t i = begin; i < end; i++) {
    double sum[9];
    sum_listed(job->partials, shared->from + shared->begin[i], shared->from + shared->begin[i + 1],
               sum);
    store_block(job->fem, job->fem->shared_blocks[i], sum, job->values);
  }
}

void lb_fem_sum_blocks(const lbFem *fem, lbChunkFiller *fill, void *context, double *partials,
                       double *values) {
  BlockSum job = { fem, fill, context, partials, values };
  lb_parallel_for(fem->chunk_count, 1, sum_chunks, &job);
  lb_parallel_for(fem->shared_count, 1024, sum_shared, &job);
}
