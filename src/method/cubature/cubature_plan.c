// Which elements a model's forces are summed over, batch by batch, with their nodes, the basis
// there, and the pairs of nodes that elements join.
#include "method/cubature/cubature.h"

#include "math/cubic_form.h"

#include <string.h>

enum { BATCHES, NODES, ROWS, SINGLE, PAIRS }; // of lbCubaturePlan.blocks_

// ---- batches -----------------------------------------------------------------------------------

typedef struct Groups {
  int32_t counts[LB_ELEMENT_KIND_COUNT][LB_MATERIAL_MODEL_COUNT];
} Groups;

static Groups count_groups(const lbCubatureChoice *choice, const lbComponents *components) {
  Groups groups = { 0 };
  for (int32_t i = 0; i < choice->count; i++) {
    const lbComponent c = lb_component(components, choice->elements[i]);
    groups.counts[c.kind][c.law]++;
  }
  return groups;
}

static lbCubatureBatch *lay_out_plan(const Groups *groups, int32_t *batch_count, lbCarver *carver) {
  int32_t count = 0;
  for (int kind = 0; kind < LB_ELEMENT_KIND_COUNT; kind++)
    for (int law = 0; law < LB_MATERIAL_MODEL_COUNT; law++)
      count += (groups->counts[kind][law] + LB_BATCH - 1) / LB_BATCH;
  lbCubatureBatch *batches = lb_carve(carver, (size_t)count, sizeof *batches);
  *batch_count = count;
  count = 0;
  for (int kind = 0; kind < LB_ELEMENT_KIND_COUNT; kind++)
    for (int law = 0; law < LB_MATERIAL_MODEL_COUNT; law++)
      for (int32_t left = groups->counts[kind][law]; left > 0; left -= LB_BATCH, count++) {
        size_t nodes = (size_t)lb_element_nodes((lbElementKind)kind);
        size_t pairs = (size_t)lb_element_pairs((lbElementKind)kind);
        size_t points = (size_t)lb_element_points((lbElementKind)kind);
        lbCubatureBatch b = { .kind = (lbElementKind)kind,
                              .law = (lbMaterialModel)law,
                              .used = left < LB_BATCH ? left : LB_BATCH };
        b.numbers = lb_carve(carver, LB_BATCH, sizeof(int32_t));
        b.nodes = lb_carve(carver, LB_BATCH * nodes, sizeof(int32_t));
        b.blocks = lb_carve(carver, LB_BATCH * pairs, sizeof(int32_t));
        b.rest = lb_carve(carver, LB_BATCH * points * LB_POINT_REST, sizeof(double));
        if (batches) batches[count] = b;
      }
  return batches;
}

// Numbers of the nodes that are used, in the order of their first use.
typedef struct Numbering {
  int32_t count;
  int32_t *numbers; // (nodes of the model) plus one; 0: not used
} Numbering;

static int32_t number_node(Numbering *numbering, int32_t node) {
  if (numbering->numbers[node] == 0) numbering->numbers[node] = ++numbering->count;
  return numbering->numbers[node] - 1;
}

static void keep_shortest(const lbCubatureBatch *b, int32_t lane, double *shortest) {
  double volume = 0;
  for (int32_t p = 0; p < lb_element_points(b->kind); p++)
    volume += b->rest[(p * LB_POINT_REST + 9) * LB_BATCH + lane];
  *shortest = fmin(*shortest, cbrt(volume));
}

// An element into a lane; `weight` multiplies its volumes.
static bool fill_lane_plan(lbCubaturePlan *plan, lbCubatureBatch *b, int32_t lane,
                           const lbComponent *c, double weight, Numbering *numbering) {
  if (!lb_component_rest(&plan->components, c, b->rest + lane, LB_BATCH)) return false;
  int32_t count = lb_element_nodes(b->kind);
  if (weight > 0) keep_shortest(b, lane, &plan->shortest);
  for (int32_t p = 0; p < lb_element_points(b->kind); p++)
    b->rest[(p * LB_POINT_REST + 9) * LB_BATCH + lane] *= weight;
  for (int32_t a = 0; a < count; a++)
    b->nodes[lane * count + a] = number_node(numbering, c->nodes[a]);
  b->numbers[lane] = c->number;
  return true;
}

static lbStatus fill_batches_plan(lbCubaturePlan *plan, const lbCubatureChoice *choice,
                                  Numbering *numbering, lbError *err) {
  int32_t batch = 0, lane = 0;
  for (int kind = 0; kind < LB_ELEMENT_KIND_COUNT; kind++)
    for (int law = 0; law < LB_MATERIAL_MODEL_COUNT; law++) {
      lbComponent last = { 0 };
      for (int32_t i = 0; i < choice->count; i++) {
        const lbComponent c = lb_component(&plan->components, choice->elements[i]);
        double weight = choice->weights ? choice->weights[i] : 1;
        if ((int)c.kind != kind || (int)c.law != law) continue;
        if (!fill_lane_plan(plan, &plan->batches[batch], lane, &c, weight, numbering))
          return lb_fail(err, LB_ERR_ARGUMENT,
                         "model \"%s\": cubature element %d is flat or inside out",
                         plan->components.model->name, (int)c.number);
        last = c;
        if (++lane == LB_BATCH) batch++, lane = 0;
      }
      if (lane == 0) continue;
      for (; lane < LB_BATCH; lane++)
        fill_lane_plan(plan, &plan->batches[batch], lane, &last, 0, numbering);
      batch++, lane = 0;
    }
  return LB_OK;
}

static lbStatus make_batches_plan(lbCubaturePlan *plan, const lbCubatureChoice *choice,
                                  Numbering *numbering, lbError *err) {
  const lbModel *m = plan->components.model;
  const Groups groups = count_groups(choice, &plan->components);
  lbCarver carver = { 0 };
  lay_out_plan(&groups, &plan->batch_count, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  plan->blocks_[BATCHES] = carver.block;
  numbering->numbers = lb_alloc((size_t)m->size.node_count, sizeof(int32_t));
  if (!carver.block || !numbering->numbers) return lb_fail_memory(err);
  carver.used = 0;
  plan->batches = lay_out_plan(&groups, &plan->batch_count, &carver);
  return fill_batches_plan(plan, choice, numbering, err);
}

// ---- nodes and rows ----------------------------------------------------------------------------

// The rows as 32-bit numbers, in their place.
static lbStatus round_rows(lbCubaturePlan *plan, lbError *err) {
  size_t count = 3 * (size_t)plan->rows.node_count * (size_t)plan->rows.stride;
  float *single = plan->blocks_[SINGLE] = lb_alloc(count, sizeof *single);
  if (!single) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) single[i] = (float)plan->rows.rows[i];
  lb_free(plan->blocks_[ROWS]);
  plan->blocks_[ROWS] = NULL;
  plan->rows.rows = NULL;
  plan->rows.single = single;
  return LB_OK;
}

static lbStatus make_rows_plan(lbCubaturePlan *plan, const lbPrepared *p,
                               const Numbering *numbering, lbError *err) {
  size_t stride = (size_t)lb_cubic_padded(p->dimension);
  size_t model_nodes = (size_t)p->model->size.node_count;
  int32_t count =
      (numbering->count + LB_CUBATURE_NODES - 1) / LB_CUBATURE_NODES * LB_CUBATURE_NODES;
  int32_t *nodes = plan->blocks_[NODES] = lb_alloc((size_t)count, sizeof *nodes);
  double *rows = plan->blocks_[ROWS] = lb_alloc((size_t)count * stride, 3 * sizeof *rows);
  if (!nodes || !rows) return lb_fail_memory(err);
  for (int32_t i = 0; i < count; i++) nodes[i] = -1;
  for (size_t n = 0; n < model_nodes; n++) {
    if (numbering->numbers[n] == 0) continue;
    size_t i = (size_t)numbering->numbers[n] - 1;
    nodes[i] = (int32_t)n;
    for (size_t c = 0; c < 3; c++)
      for (size_t k = 0; k < (size_t)p->dimension; k++)
        rows[(3 * i + c) * stride + k] = p->basis[3 * model_nodes * k + 3 * n + c];
  }
  plan->model_nodes = nodes;
  plan->rows = (lbCubatureRows){ p->dimension, (int32_t)stride, count, rows, NULL };
  return p->single_precision ? round_rows(plan, err) : LB_OK;
}

// ---- pairs of nodes ----------------------------------------------------------------------------

// Places in batches where a node is used.
typedef struct Uses {
  int32_t *begin; // (nodes + 1)
  int32_t *batches, *lanes;
} Uses;

static void count_uses(const lbCubaturePlan *plan, int32_t *begin) {
  for (int32_t b = 0; b < plan->batch_count; b++) {
    const lbCubatureBatch *batch = &plan->batches[b];
    for (int32_t k = 0; k < batch->used * lb_element_nodes(batch->kind); k++)
      begin[batch->nodes[k] + 1]++;
  }
  for (int32_t i = 0; i < plan->rows.node_count; i++) begin[i + 1] += begin[i];
}

static void list_uses(const lbCubaturePlan *plan, const Uses *uses) {
  int32_t *begin = uses->begin, count = plan->rows.node_count;
  for (int32_t b = 0; b < plan->batch_count; b++) {
    const lbCubatureBatch *batch = &plan->batches[b];
    int32_t nodes = lb_element_nodes(batch->kind);
    for (int32_t k = 0; k < batch->used * nodes; k++) {
      int32_t at = begin[batch->nodes[k]]++;
      uses->batches[at] = b, uses->lanes[at] = k / nodes;
    }
  }
  for (int32_t i = count; i > 0; i--) begin[i] = begin[i - 1];
  begin[0] = 0;
}

// Of node i: the nodes j >= i that share an element with it, ascending, into `found`; returns how
// many. seen[j] == i + 1: it is among them.
static int32_t find_neighbours_plan(const lbCubaturePlan *plan, const Uses *uses, int32_t i,
                                    int32_t *seen, int32_t *found) {
  int32_t count = 0;
  for (int32_t at = uses->begin[i]; at < uses->begin[i + 1]; at++) {
    const lbCubatureBatch *batch = &plan->batches[uses->batches[at]];
    int32_t nodes = lb_element_nodes(batch->kind);
    for (int32_t a = 0; a < nodes; a++) {
      int32_t j = batch->nodes[uses->lanes[at] * nodes + a], place = count;
      if (j < i || seen[j] == i + 1) continue;
      seen[j] = i + 1;
      for (; place > 0 && found[place - 1] > j; place--) found[place] = found[place - 1];
      found[place] = j;
      count++;
    }
  }
  return count;
}

// Blocks are numbered by i, then j; `upper` has where those of i begin.
typedef struct Blocks {
  int32_t *begin; // (nodes + 1)
  int32_t *nodes; // (blocks) j
} Blocks;

static int32_t block_of_plan(const Blocks *blocks, int32_t i, int32_t j) {
  int32_t low = i < j ? i : j, high = i < j ? j : i, at = blocks->begin[low];
  while (blocks->nodes[at] != high) at++;
  return i <= j ? at : ~at;
}

static void number_element_blocks(lbCubaturePlan *plan, const Blocks *blocks) {
  for (int32_t b = 0; b < plan->batch_count; b++) {
    const lbCubatureBatch *batch = &plan->batches[b];
    int32_t nodes = lb_element_nodes(batch->kind), pairs = lb_element_pairs(batch->kind);
    for (int32_t lane = 0; lane < LB_BATCH; lane++) {
      const int32_t *element = batch->nodes + lane * nodes;
      for (int32_t j = 0; j < nodes; j++)
        for (int32_t i = 0; i <= j; i++)
          batch->blocks[lane * pairs + lb_element_pair(i, j)] =
              block_of_plan(blocks, element[i], element[j]);
    }
  }
}

// Both halves of the matrix.
static lbStatus make_pairs(lbCubaturePlan *plan, const Blocks *blocks, lbError *err) {
  int32_t count = plan->rows.node_count, entries = 2 * plan->block_count;
  int32_t *block = lb_alloc((size_t)(count + 1) + 2 * (size_t)entries, sizeof *block);
  if (!block) return lb_fail_memory(err);
  int32_t *begin = block, *nodes = begin + count + 1, *numbers = nodes + entries;
  plan->blocks_[PAIRS] = block;
  for (int32_t i = 0; i < count; i++)
    for (int32_t at = blocks->begin[i]; at < blocks->begin[i + 1]; at++) {
      begin[i + 1]++;
      if (blocks->nodes[at] != i) begin[blocks->nodes[at] + 1]++;
    }
  for (int32_t i = 0; i < count; i++) begin[i + 1] += begin[i];
  for (int32_t i = 0; i < count; i++)
    for (int32_t at = blocks->begin[i]; at < blocks->begin[i + 1]; at++) {
      int32_t j = blocks->nodes[at];
      nodes[begin[i]] = j, numbers[begin[i]++] = at;
      if (j != i) nodes[begin[j]] = i, numbers[begin[j]++] = ~at;
    }
  for (int32_t i = count; i > 0; i--) begin[i] = begin[i - 1];
  begin[0] = 0;
  plan->pairs = (lbCubaturePairs){ begin, nodes, numbers };
  return LB_OK;
}

static lbStatus join_nodes_plan(lbCubaturePlan *plan, lbError *err) {
  size_t count = (size_t)plan->rows.node_count, corners = 0, most = 0;
  for (int32_t b = 0; b < plan->batch_count; b++) {
    const lbCubatureBatch *batch = &plan->batches[b];
    corners += (size_t)(batch->used * lb_element_nodes(batch->kind));
    most += (size_t)(batch->used * lb_element_pairs(batch->kind));
  }
  int32_t *block = lb_alloc(3 * count + 2 + 2 * corners + most, sizeof *block);
  if (!block) return lb_fail_memory(err);
  Uses uses = { block, block + count + 1, block + count + 1 + corners };
  Blocks blocks = { uses.lanes + corners, uses.lanes + corners + count + 1 };
  int32_t *seen = blocks.nodes + most;
  count_uses(plan, uses.begin);
  list_uses(plan, &uses);
  for (int32_t i = 0; i < plan->rows.node_count; i++) {
    blocks.begin[i] = plan->block_count;
    plan->block_count +=
        find_neighbours_plan(plan, &uses, i, seen, blocks.nodes + plan->block_count);
  }
  blocks.begin[count] = plan->block_count;
  number_element_blocks(plan, &blocks);
  lbStatus status = make_pairs(plan, &blocks, err);
  lb_free(block);
  return status;
}

// ---- all of it ---------------------------------------------------------------------------------

static void find_places_plan(const lbSample *sample, const Numbering *numbering,
                             lbCubaturePlan *plan) {
  for (int32_t i = 0; i < sample->node_count; i++) {
    int32_t number = numbering->numbers[sample->nodes[i]];
    if (number) plan->places[plan->place_count++] = number - 1;
  }
}

static lbStatus fill_sample(lbCubaturePlan *plan, const lbPrepared *p, const lbSample *sample,
                            lbError *err) {
  const lbCubatureChoice choice = { sample->element_count, sample->elements, NULL };
  Numbering numbering = { 0 };
  lbStatus status = make_batches_plan(plan, &choice, &numbering, err);
  if (!status) status = make_rows_plan(plan, p, &numbering, err);
  if (!status) find_places_plan(sample, &numbering, plan);
  lb_free(numbering.numbers);
  return status;
}

// Its components are those of the whole plan.
static lbStatus make_sample_plan(lbCubaturePlan *plan, const lbPrepared *p, lbError *err) {
  lbSample sample;
  lbStatus status = lb_sample_choose(&plan->components, &sample, err);
  if (!status && sample.element_count > 0) {
    lbCubaturePlan *of = plan->sample = lb_alloc(1, sizeof *of);
    if (of) *of = (lbCubaturePlan){ .components = plan->components, .shortest = INFINITY };
    status = of ? fill_sample(of, p, &sample, err) : lb_fail_memory(err);
  }
  lb_sample_release(&sample);
  return status;
}

lbStatus lb_cubature_plan_create(const lbPrepared *p, lbCubaturePlan **out, lbError *err) {
  const lbModel *m = p->model;
  const lbCubatureChoice choice = { m->size.cubature_count, m->cubature_elements,
                                    m->cubature_weights };
  lbCubaturePlan *plan = lb_alloc(1, sizeof *plan);
  Numbering numbering = { 0 };
  if (!plan) return lb_fail_memory(err);
  plan->shortest = INFINITY;
  lbStatus status = lb_components_open(m, &plan->components, err);
  if (!status) status = make_batches_plan(plan, &choice, &numbering, err);
  if (!status) status = make_rows_plan(plan, p, &numbering, err);
  if (!status) status = join_nodes_plan(plan, err);
  if (!status) status = lb_poses_create(p, &plan->poses, err);
  if (!status) status = make_sample_plan(plan, p, err);
  lb_free(numbering.numbers);
  if (status)
    lb_cubature_plan_destroy(plan);
  else
    *out = plan;
  return status;
}

static void destroy_arrays(lbCubaturePlan *plan) {
  for (size_t i = 0; plan && i < sizeof plan->blocks_ / sizeof *plan->blocks_; i++)
    lb_free(plan->blocks_[i]);
  lb_free(plan);
}

void lb_cubature_plan_destroy(lbCubaturePlan *plan) {
  if (!plan) return;
  destroy_arrays(plan->sample);
  lb_components_close(&plan->components);
  lb_poses_release(&plan->poses);
  destroy_arrays(plan);
}
