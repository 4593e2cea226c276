// Samples and points in batches: those with the same frames side by side.
#include "frames/kernels.h"

#include <stdlib.h>
#include <string.h>

// ---- lists -------------------------------------------------------------------------------------

// What is put into batches; order is by law, then by the list of frames.
typedef struct Item {
  const lbFrameWeights *weights;
  int32_t number, law;
  uint64_t key; // law, length of the list, and its first KEYED frames
} Item;

enum { KEYED = 6, FRAME_BITS = 9 };

static uint64_t key_of_samples(const lbFrameWeights *w, int32_t number, int32_t law) {
  int32_t begin = w->begin[number], count = w->begin[number + 1] - begin;
  uint64_t key = (uint64_t)law << 5 | (uint64_t)count;
  for (int32_t k = 0; k < KEYED; k++)
    key = key << FRAME_BITS | (k < count ? (uint64_t)w->frames[begin + k] : 0);
  return key;
}

static int compare_samples(const void *a, const void *b) {
  const Item *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  const int32_t *begin = x->weights->begin, *frames = x->weights->frames;
  int32_t i = begin[x->number], j = begin[y->number];
  int32_t m = begin[x->number + 1] - i, n = begin[y->number + 1] - j;
  LB_ASSERT(m == n);
  (void)n;
  for (int32_t k = KEYED; k < m; k++)
    if (frames[i + k] != frames[j + k]) return frames[i + k] < frames[j + k] ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

// list <- list ∪ those of an item, ascending; false, and the list as it was, if it has no room.
static bool unite_samples(const Item *item, int32_t *list, int32_t *count) {
  const int32_t *begin = item->weights->begin, *frames = item->weights->frames;
  int32_t both[2 * LB_FRAME_LIST_MOST], n = 0, i = 0, k = begin[item->number];
  int32_t end = begin[item->number + 1];
  while (i < *count || k < end) {
    if (n == LB_FRAME_LIST_MOST) return false;
    int32_t a = i < *count ? list[i] : INT32_MAX, b = k < end ? frames[k] : INT32_MAX;
    both[n++] = a < b ? a : b;
    i += a <= b, k += b <= a;
  }
  memcpy(list, both, (size_t)n * sizeof *list);
  *count = n;
  return true;
}

// Cuts sorted items into batches; without arrays it counts. Items [starts[b], starts[b + 1]).
static void cut_samples(const Item *items, int32_t count, lbFrameBatch *batches, int32_t *starts,
                        int32_t *frames, int32_t *batch_count, int32_t *entry_count) {
  int32_t list[LB_FRAME_LIST_MOST], n = 0, first = 0;
  *batch_count = *entry_count = 0;
  for (int32_t i = 0; i <= count; i++) {
    bool full =
        i == count || (i > first && (i - first == LB_BATCH || items[i].law != items[first].law ||
                                     !unite_samples(&items[i], list, &n)));
    if (full && i > first) {
      if (batches) {
        batches[*batch_count] = (lbFrameBatch){ items[first].law, *entry_count, n };
        starts[*batch_count] = first, starts[*batch_count + 1] = i;
        memcpy(frames + *entry_count, list, (size_t)n * sizeof *list);
      }
      ++*batch_count, *entry_count += n;
      first = i, n = 0;
    }
    if (i < count && i == first) unite_samples(&items[i], list, &n);
  }
}

static int32_t place_in(const int32_t *list, int32_t count, int32_t frame) {
  int32_t i = 0;
  while (i < count && list[i] != frame) i++;
  return i;
}

static lbStatus check_lists_samples(const lbFrameWeights *w, lbError *err) {
  for (int32_t k = 0; k < w->point_count; k++)
    if (w->begin[k + 1] - w->begin[k] > LB_FRAME_LIST_MOST || w->begin[k + 1] <= w->begin[k])
      return lb_fail(err, LB_ERR_ARGUMENT, "point %d has weights of %d frames, not of 1 to %d",
                     (int)k, (int)(w->begin[k + 1] - w->begin[k]), LB_FRAME_LIST_MOST);
  return LB_OK;
}

static Item *sort_items(const lbFrameWeights *w, const int32_t *materials,
                        const lbMaterial *table) {
  Item *items = lb_alloc((size_t)w->point_count + 1, sizeof *items);
  for (int32_t k = 0; k < w->point_count && items; k++)
    items[k] = (Item){ w, k, materials ? (int32_t)table[materials[k]].model : 0, 0 };
  for (int32_t k = 0; k < w->point_count && items && materials; k++)
    items[k].key = key_of_samples(w, k, items[k].law);
  if (items && materials) qsort(items, (size_t)w->point_count, sizeof *items, compare_samples);
  return items;
}

// ---- samples -----------------------------------------------------------------------------------

static void fill_lane_samples(lbFrameSamples *s, const lbFrameSampleDef *def, int32_t batch,
                              int32_t lane, int32_t k) {
  const lbFrameWeights *w = &def->weights;
  const lbFrameBatch *b = &s->batches[batch];
  const lbMaterial *material = &def->table[def->materials[k]];
  double *rest = s->rest + (size_t)batch * LB_SAMPLE_ROWS * LB_BATCH + lane;
  double factor = def->stiffnesses ? def->stiffnesses[k] : 1;
  for (int32_t i = 0; i < 3; i++)
    rest[(LB_SAMPLE_PLACE + i) * LB_BATCH] = def->positions[3 * (size_t)k + (size_t)i];
  rest[LB_SAMPLE_VOLUME * LB_BATCH] = def->volumes[k];
  rest[LB_SAMPLE_MASS * LB_BATCH] = def->masses[k];
  lb_material_parameters(material, rest + LB_SAMPLE_PARAMETERS * LB_BATCH, LB_BATCH);
  for (int32_t i = 0; i < LB_MATERIAL_PARAMETERS; i++)
    rest[(LB_SAMPLE_PARAMETERS + i) * LB_BATCH] *= factor;
  double bulk = material->model == LB_MATERIAL_MOONEYRIVLIN
                    ? 2 * material->v1
                    : material->young / (3 * (1 - 2 * material->poisson));
  rest[LB_SAMPLE_BULK * LB_BATCH] = factor * def->bulk * bulk;
  for (int32_t e = w->begin[k]; e < w->begin[k + 1]; e++) {
    int32_t at = b->first + place_in(s->frames + b->first, b->count, w->frames[e]);
    double *to = s->weights + (size_t)at * 4 * LB_BATCH + lane;
    to[0] = w->values[e];
    for (int32_t n = 0; n < 3; n++)
      to[(1 + n) * LB_BATCH] = w->gradients[3 * (size_t)e + (size_t)n];
  }
  s->order[(size_t)batch * LB_BATCH + (size_t)lane] = k;
  s->mass += def->masses[k];
}

// A lane without a sample stands where the first one does, without mass and volume.
static void fill_empty(lbFrameSamples *s, int32_t batch, int32_t lane) {
  const lbFrameBatch *b = &s->batches[batch];
  double *rest = s->rest + (size_t)batch * LB_SAMPLE_ROWS * LB_BATCH;
  double *weights = s->weights + (size_t)b->first * 4 * LB_BATCH;
  for (int32_t r = 0; r < LB_SAMPLE_ROWS; r++) rest[r * LB_BATCH + lane] = rest[r * LB_BATCH];
  rest[LB_SAMPLE_VOLUME * LB_BATCH + lane] = rest[LB_SAMPLE_MASS * LB_BATCH + lane] = 0;
  for (int32_t r = 0; r < 4 * b->count; r++) weights[r * LB_BATCH + lane] = weights[r * LB_BATCH];
  s->order[(size_t)batch * LB_BATCH + (size_t)lane] = -1;
}

static lbStatus allocate_samples(lbFrameSamples *s, int32_t entries, lbError *err) {
  size_t batches = (size_t)s->batch_count;
  s->batches = lb_alloc(batches, sizeof *s->batches);
  s->frames = lb_alloc((size_t)entries, sizeof *s->frames);
  s->weights = lb_alloc((size_t)entries, 4 * LB_BATCH * sizeof *s->weights);
  s->rest = lb_alloc(batches, LB_SAMPLE_ROWS * LB_BATCH * sizeof *s->rest);
  s->order = lb_alloc(batches, LB_BATCH * sizeof *s->order);
  bool all = s->batches && s->frames && s->weights && s->rest && s->order;
  return all ? LB_OK : lb_fail_memory(err);
}

static lbStatus fill_samples(lbFrameSamples *s, const lbFrameSampleDef *def, const Item *items,
                             lbError *err) {
  int32_t entries = 0, batches = 0;
  cut_samples(items, s->sample_count, NULL, NULL, NULL, &s->batch_count, &entries);
  lbStatus status = allocate_samples(s, entries, err);
  int32_t *starts = lb_alloc((size_t)s->batch_count + 1, sizeof *starts);
  if (!status && !starts) status = lb_fail_memory(err);
  if (!status)
    cut_samples(items, s->sample_count, s->batches, starts, s->frames, &batches, &entries);
  for (int32_t b = 0; b < s->batch_count && !status; b++) {
    if (s->batches[b].count > s->list_most) s->list_most = s->batches[b].count;
    for (int32_t i = starts[b]; i < starts[b + 1]; i++)
      fill_lane_samples(s, def, b, i - starts[b], items[i].number);
    for (int32_t lane = starts[b + 1] - starts[b]; lane < LB_BATCH; lane++) fill_empty(s, b, lane);
  }
  lb_free(starts);
  return status;
}

static lbStatus find_pairs_samples(lbFrameSamples *s, lbError *err) {
  size_t count = (size_t)s->frame_count;
  uint8_t *marks = lb_alloc(count * count, 1);
  if (!marks) return lb_fail_memory(err);
  for (int32_t b = 0; b < s->batch_count; b++) {
    const int32_t *list = s->frames + s->batches[b].first;
    for (int32_t j = 0; j < s->batches[b].count; j++)
      for (int32_t i = 0; i <= j; i++) marks[(size_t)list[j] * count + (size_t)list[i]] = 1;
  }
  for (size_t k = 0; k < count * count; k++) s->pair_count += marks[k];
  s->pairs = lb_alloc((size_t)s->pair_count, sizeof *s->pairs);
  lbFramePair *to = s->pairs;
  for (size_t k = 0; k < count * count && s->pairs; k++)
    if (marks[k]) *to++ = (lbFramePair){ (int32_t)(k % count), (int32_t)(k / count) };
  lb_free(marks);
  return s->pairs ? LB_OK : lb_fail_memory(err);
}

// The linear law alone feels a turn.
static int32_t find_common(const lbFrameSamples *s) {
  int32_t best = -1;
  int64_t most = 0;
  for (int32_t b = 0; b < s->batch_count; b++)
    if (s->batches[b].law == (int32_t)LB_MATERIAL_LINEAR) return -1;
  for (int32_t frame = 0; frame < s->frame_count; frame++) {
    int64_t pairs = 0;
    for (int32_t b = 0; b < s->batch_count; b++)
      for (int32_t i = 0; i < s->batches[b].count; i++)
        if (s->frames[s->batches[b].first + i] == frame) pairs += s->batches[b].count;
    if (pairs > most) best = frame, most = pairs;
  }
  return best;
}

lbStatus lb_frame_samples_create(const lbFrameSampleDef *def, lbFrameSamples **out, lbError *err) {
  lbStatus status = check_lists_samples(&def->weights, err);
  if (status) return status;
  lbFrameSamples *s = lb_alloc(1, sizeof *s);
  Item *items = sort_items(&def->weights, def->materials, def->table);
  if (!s || !items) status = lb_fail_memory(err);
  if (!status) {
    s->frame_count = def->weights.frame_count;
    s->sample_count = def->weights.point_count;
    s->has_bulk = def->bulk > 0;
    status = fill_samples(s, def, items, err);
  }
  if (!status) status = find_pairs_samples(s, err);
  if (!status) s->common = find_common(s);
  lb_free(items);
  if (status)
    lb_frame_samples_destroy(s);
  else
    *out = s;
  return status;
}

void lb_frame_samples_destroy(lbFrameSamples *s) {
  if (!s) return;
  lb_free(s->batches);
  lb_free(s->frames);
  lb_free(s->weights);
  lb_free(s->rest);
  lb_free(s->order);
  lb_free(s->pairs);
  lb_free(s);
}

// ---- points ------------------------------------------------------------------------------------

static void fill_point(lbFrameSkin *s, const lbFrameWeights *w, const double *positions,
                       int32_t batch, int32_t lane, int32_t k) {
  const lbFrameBatch *b = &s->batches[batch];
  for (int32_t i = 0; i < 3; i++)
    s->positions[((size_t)batch * 3 + (size_t)i) * LB_BATCH + (size_t)lane] =
        positions[3 * (size_t)k + (size_t)i];
  for (int32_t e = w->begin[k]; e < w->begin[k + 1]; e++) {
    int32_t at = b->first + place_in(s->frames + b->first, b->count, w->frames[e]);
    s->weights[(size_t)at * LB_BATCH + (size_t)lane] = w->values[e];
  }
}

// Points stay in their order, so that a batch may be asked for alone; lists then are short only
// where neighbours in the order are neighbours in space.
static void list_points(const lbFrameWeights *w, lbFrameSkin *s, int32_t *entries) {
  *entries = 0;
  for (int32_t b = 0; b < s->batch_count; b++) {
    int32_t first = *entries;
    for (int32_t f = 0; f < w->frame_count; f++) {
      bool used = false;
      for (int32_t k = b * LB_BATCH; k < (b + 1) * LB_BATCH && k < w->point_count && !used; k++)
        used = place_in(w->frames + w->begin[k], w->begin[k + 1] - w->begin[k], f) <
               w->begin[k + 1] - w->begin[k];
      if (used && s->frames) s->frames[*entries] = f;
      *entries += used;
    }
    if (s->frames) s->batches[b] = (lbFrameBatch){ 0, first, *entries - first };
  }
}

lbStatus lb_frame_skin_create(const lbFrameWeights *w, const double *positions, lbFrameSkin **out,
                              lbError *err) {
  lbFrameSkin *s = lb_alloc(1, sizeof *s);
  int32_t entries = 0;
  if (!s) return lb_fail_memory(err);
  s->frame_count = w->frame_count, s->point_count = w->point_count;
  s->batch_count = (w->point_count + LB_BATCH - 1) / LB_BATCH;
  list_points(w, s, &entries);
  s->batches = lb_alloc((size_t)s->batch_count, sizeof *s->batches);
  s->frames = lb_alloc((size_t)entries, sizeof *s->frames);
  s->weights = lb_alloc((size_t)entries, LB_BATCH * sizeof *s->weights);
  s->positions = lb_alloc((size_t)s->batch_count, 3 * LB_BATCH * sizeof *s->positions);
  if (!s->batches || !s->frames || !s->weights || !s->positions) {
    lb_frame_skin_destroy(s);
    return lb_fail_memory(err);
  }
  list_points(w, s, &entries);
  for (int32_t i = 0; i < s->batch_count * LB_BATCH; i++) // lanes beyond the last repeat it
    fill_point(s, w, positions, i / LB_BATCH, i % LB_BATCH,
               i < s->point_count ? i : s->point_count - 1);
  *out = s;
  return LB_OK;
}

void lb_frame_skin_destroy(lbFrameSkin *s) {
  if (!s) return;
  lb_free(s->batches);
  lb_free(s->frames);
  lb_free(s->weights);
  lb_free(s->positions);
  lb_free(s);
}
