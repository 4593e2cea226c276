// Von Mises stress at the nodes: what the body's method believes. A modal body is linear, so its
// stress is that of small strain, also where it moves far: a mode that turns a part grows it, and
// the law of large strain would take that for stress. A subspace body is St. Venant-Kirchhoff's,
// or, with forces by cubature, of its materials' own laws.
#include "body/body.h"

#include "elastic/element.h"

#include <string.h>

// Pa: what is beyond, or no number, counts as this. Doubled, nothing changes.
#define STRESS_MOST 1e30

static lbMaterialModel law_of(const lbPrepared *prepared, int32_t material) {
  return prepared->stress_by_material ? (lbMaterialModel)prepared->model->material_laws[material]
                                      : prepared->stress_law;
}

// Parameters of each material; modal bodies know other laws by what they are at small strain.
static void find_moduli(const lbPrepared *prepared, double *to) {
  const lbModel *model = prepared->model;
  const double *edited = prepared->method->materials(prepared);
  for (int32_t g = 0; g < model->size.material_count; g++) {
    const double *values = model->material_values + 6 * (size_t)g;
    const double *elastic = edited ? edited + 3 * (size_t)g : values;
    double *moduli = to + LB_MATERIAL_PARAMETERS * (size_t)g;
    const lbMaterial material = { .model = law_of(prepared, g),
                                  .young = elastic[0],
                                  .poisson = elastic[1],
                                  .c10 = values[3],
                                  .c01 = values[4],
                                  .v1 = values[5] };
    lb_material_parameters(&material, moduli, 1);
    if (edited || model->material_laws[g] != LB_MATERIAL_MOONEYRIVLIN) continue;
    moduli[1] = 2 * (values[3] + values[4]);           // 2 (c10 + c01)
    moduli[0] = 2 * values[5] - 2.0 / 3.0 * moduli[1]; // the bulk modulus is 2 v1
  }
}

// Numbers of one batch; LB_BATCH is the fastest index.
typedef struct Batch {
  _Alignas(64) double positions[3 * LB_ELEMENT_NODES_MAX * LB_BATCH];
  double displacements[3 * LB_ELEMENT_NODES_MAX * LB_BATCH];
  double parameters[LB_MATERIAL_PARAMETERS * LB_BATCH];
  double stresses[LB_ELEMENT_POINTS_MAX * LB_BATCH], volumes[LB_ELEMENT_POINTS_MAX * LB_BATCH];
} Batch;

static void gather(const lbModel *model, const lbScratch *s, const int32_t *nodes,
                   int32_t node_count, int32_t material, Batch *batch, int32_t lane) {
  for (int32_t a = 0; a < node_count; a++)
    for (int i = 0; i < 3; i++) {
      size_t from = 3 * (size_t)nodes[a] + (size_t)i, to = (size_t)((3 * a + i) * LB_BATCH + lane);
      batch->positions[to] = model->node_positions[from];
      batch->displacements[to] = s->call->nodes[from];
    }
  for (int i = 0; i < LB_MATERIAL_PARAMETERS; i++)
    batch->parameters[i * LB_BATCH + lane] =
        s->call->moduli[LB_MATERIAL_PARAMETERS * (size_t)material + (size_t)i];
}

// A node takes the point next to it, with the volume that belongs to it.
static void scatter(lbScratch *s, const int32_t *nodes, int32_t node_count, const Batch *batch,
                    int32_t lane, double *sums) {
  for (int32_t a = 0; a < node_count; a++) {
    int32_t at = (node_count == 8 ? a : 0) * LB_BATCH + lane;
    double volume = batch->volumes[at] / (node_count == 8 ? 1 : 4), value = batch->stresses[at];
    sums[nodes[a]] += volume * (value <= STRESS_MOST ? value : STRESS_MOST);
    s->call->shares[nodes[a]] += volume;
  }
}

// Elements of one kind.
typedef struct Elements {
  lbElementKind kind;
  int32_t count;
  const int32_t *nodes, *materials;
} Elements;

// Up to LB_BATCH elements of one law, whose numbers are in `chosen`.
static void add_batch(const lbPrepared *prepared, const Elements *all, lbMaterialModel law,
                      int32_t used, const int32_t *chosen, double *sums, lbScratch *s) {
  size_t node_count = (size_t)lb_element_nodes(all->kind);
  Batch batch;
  for (int32_t lane = 0; lane < LB_BATCH; lane++) { // those beyond repeat the last
    size_t e = (size_t)chosen[lane < used ? lane : used - 1];
    gather(prepared->model, s, all->nodes + e * node_count, (int32_t)node_count, all->materials[e],
           &batch, lane);
  }
  prepared->stress->of[all->kind][law](&(lbStressBatch){
      batch.positions, batch.displacements, batch.parameters, batch.stresses, batch.volumes });
  for (int32_t lane = 0; lane < used; lane++)
    scatter(s, all->nodes + (size_t)chosen[lane] * node_count, (int32_t)node_count, &batch, lane,
            sums);
}

static void add_elements(const lbPrepared *prepared, const Elements *all, double *sums,
                         lbScratch *s) {
  for (int law = 0; law < LB_MATERIAL_MODEL_COUNT; law++) {
    int32_t chosen[LB_BATCH], used = 0;
    for (int32_t e = 0; e < all->count; e++) {
      if ((int)law_of(prepared, all->materials[e]) != law) continue;
      chosen[used++] = e;
      if (used < LB_BATCH) continue;
      add_batch(prepared, all, (lbMaterialModel)law, used, chosen, sums, s);
      used = 0;
    }
    if (used) add_batch(prepared, all, (lbMaterialModel)law, used, chosen, sums, s);
  }
}

void lb_default_von_mises(const lbBody *body, double *stresses, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  const lbModel *model = p->model;
  p->method->get(body, s->a, s->b, NULL);
  lb_body_nodes(body, s->a, s->b, 0, model->size.node_count, s->call->nodes, NULL);
  find_moduli(p, s->call->moduli);
  memset(s->call->shares, 0, (size_t)model->size.node_count * sizeof(double));
  const Elements kinds[] = {
    { LB_ELEMENT_TET4, model->size.tet_count, model->tets, model->element_materials },
    { LB_ELEMENT_BRICK8, model->size.brick_count, model->bricks,
      model->element_materials + model->size.tet_count },
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) add_elements(p, &kinds[i], stresses, s);
  for (int32_t n = 0; n < model->size.node_count; n++)
    if (s->call->shares[n] > 0) stresses[n] /= s->call->shares[n];
}

void lb_body_von_mises(const lbBody *body, double *stresses) {
  if (!body || !stresses) return;
  const lbPrepared *p = body->prepared;
  lbScratch *s = lb_scratch_borrow(p);
  memset(stresses, 0, (size_t)p->model->size.node_count * sizeof(double));
  if (!s) return;
  p->method->von_mises(body, stresses, s);
  lb_scratch_return(p, s);
}
