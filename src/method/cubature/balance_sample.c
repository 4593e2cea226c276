// Nodes of a sample, one at random out of each of so many equal parts of the free nodes in the
// mesh's order; see method/cubature/balance_sample.h.
#include "method/cubature/balance_sample.h"

#include "limber/base.h"

static uint64_t next_random_sample(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

static void choose_nodes(const lbModel *m, lbSample *sample) {
  int32_t count = 0, at = -1, free_count = 0;
  uint64_t seed = 1;
  for (int32_t n = 0; n < m->size.node_count; n++) free_count += !m->node_fixed[n];
  count = free_count < LB_SAMPLE_NODES ? free_count : LB_SAMPLE_NODES;
  for (int32_t part = 0, n = 0; part < count; part++) {
    int64_t begin = (int64_t)free_count * part / count,
            end = (int64_t)free_count * (part + 1) / count;
    int64_t chosen = begin + (int64_t)(next_random_sample(&seed) % (uint64_t)(end - begin));
    for (; at < chosen; n++) at += !m->node_fixed[n];
    sample->nodes[part] = n - 1;
  }
  sample->node_count = count;
}

static bool touches(const lbSample *sample, const lbComponent *c) {
  for (int32_t a = 0; a < lb_element_nodes(c->kind); a++)
    for (int32_t i = 0; i < sample->node_count; i++)
      if (c->nodes[a] == sample->nodes[i]) return true;
  return false;
}

// Those around the nodes, unless they are flat; how many. `elements` may be NULL.
static int32_t list_elements_sample(const lbComponents *components, const lbSample *sample,
                                    int32_t *elements) {
  double rest[LB_ELEMENT_POINTS_MAX * LB_POINT_REST];
  int32_t count = 0;
  for (int32_t e = 0; e < lb_component_count(components); e++) {
    const lbComponent c = lb_component(components, e);
    if (!touches(sample, &c) || !lb_component_rest(components, &c, rest, 1)) continue;
    if (elements) elements[count] = e;
    count++;
  }
  return count;
}

lbStatus lb_sample_choose(const lbComponents *components, lbSample *out, lbError *err) {
  *out = (lbSample){ 0 };
  choose_nodes(components->model, out);
  out->element_count = list_elements_sample(components, out, NULL);
  out->elements = lb_alloc((size_t)out->element_count, sizeof *out->elements);
  if (!out->elements) return lb_fail_memory(err);
  list_elements_sample(components, out, out->elements);
  return LB_OK;
}

void lb_sample_release(lbSample *sample) { lb_free(sample->elements); }
