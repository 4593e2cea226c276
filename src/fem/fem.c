// Making an lbFem of a mesh: nodes, element sets with their rest data, plan, mass.
#include "fem/fem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lbFemDef lb_fem_def(void) { return (lbFemDef){ .name = "body", .mass = LB_MASS_CONSISTENT }; }

void lb_fem_destroy(lbFem *fem) {
  if (!fem) return;
  for (int32_t i = 0; i < fem->set_count; i++) {
    lb_free(fem->sets[i].elements);
    lb_free(fem->sets[i].vertices);
    lb_free(fem->sets[i].rest);
    lb_free(fem->sets[i].parameters);
    lb_free(fem->sets[i].densities);
  }
  lb_free(fem->name);
  lb_free(fem->positions);
  lb_free(fem->node_of_vertex);
  lb_free(fem->vertex_of_node);
  lb_free(fem->fixed);
  lb_free(fem->materials);
  lb_free(fem->element_materials);
  lb_free(fem->forces.begin);
  lb_free(fem->forces.from);
  lb_free(fem->column_begin);
  lb_free(fem->block_rows);
  lb_free(fem->block_columns);
  lb_free(fem->chunks);
  lb_free(fem->sum_targets);
  lb_free(fem->sums.begin);
  lb_free(fem->sums.from);
  lb_free(fem->turned_begin);
  lb_free(fem->shared_blocks);
  lb_free(fem->shared.begin);
  lb_free(fem->shared.from);
  lb_sparse_destroy(fem->pattern);
  lb_sparse_destroy(fem->mass);
  lb_free(fem->vertex_masses);
  lb_free(fem);
}

static lbElementKind element_kind(const lbMesh *mesh, int32_t element) {
  return element < mesh->tet_count ? LB_ELEMENT_TET4 : LB_ELEMENT_BRICK8;
}

static const int32_t *element_vertices(const lbMesh *mesh, int32_t element) {
  return element < mesh->tet_count ? mesh->tets + 4 * (size_t)element
                                   : mesh->bricks + 8 * (size_t)(element - mesh->tet_count);
}

static const lbMaterial *element_material(const lbFemDef *def, int32_t element) {
  return &def->materials[def->element_materials ? def->element_materials[element] : 0];
}

static lbStatus check_def(const lbMesh *mesh, const lbFemDef *def, lbError *err) {
  int32_t elements = lb_mesh_element_count(mesh);
  if (elements == 0)
    return lb_fail(err, LB_ERR_MESH,
                   "%s: the mesh has no tets or bricks, voxelise its surface or fill it first",
                   def->name);
  if (def->material_count < 1 || !def->materials)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: no material given", def->name);
  for (int32_t i = 0; i < def->material_count; i++) {
    char what[128];
    snprintf(what, sizeof what, "%s: material %d", def->name, (int)i);
    lbStatus status =
        lb_material_check(&def->materials[i], def->material_count == 1 ? def->name : what, err);
    if (status) return status;
  }
  for (int32_t e = 0; def->element_materials && e < elements; e++)
    if (def->element_materials[e] < 0 || def->element_materials[e] >= def->material_count)
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: element %d has no material", def->name, (int)e);
  return LB_OK;
}

// Free nodes: used by an element and not fixed.
static lbStatus number_nodes(lbFem *fem, const lbMesh *mesh, const bool *fixed, lbError *err) {
  fem->node_of_vertex = lb_alloc((size_t)mesh->vertex_count, sizeof(int32_t));
  fem->vertex_of_node = lb_alloc((size_t)mesh->vertex_count, sizeof(int32_t));
  fem->fixed = lb_alloc((size_t)mesh->vertex_count, sizeof(bool));
  if (!fem->node_of_vertex || !fem->vertex_of_node || !fem->fixed) return lb_fail_memory(err);
  for (int32_t e = 0; e < fem->element_count; e++) {
    const int32_t *vertices = element_vertices(mesh, e);
    for (int32_t a = 0; a < lb_element_nodes(element_kind(mesh, e)); a++)
      fem->node_of_vertex[vertices[a]] = 1;
  }
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    bool used = fem->node_of_vertex[v] != 0;
    fem->fixed[v] = used && fixed && fixed[v];
    bool is_free = used && !fem->fixed[v];
    fem->node_of_vertex[v] = is_free ? fem->node_count : -1;
    if (is_free) fem->vertex_of_node[fem->node_count++] = v;
  }
  if (fem->node_count == 0)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: all vertices are fixed, nothing can move; fix fewer of them", fem->name);
  return LB_OK;
}

static lbStatus allocate_set(lbElementSet *set, lbError *err) {
  size_t batches = (size_t)set->batch_count * LB_BATCH;
  size_t nodes = (size_t)lb_element_nodes(set->kind), points = (size_t)lb_element_points(set->kind);
  set->elements = lb_alloc((size_t)set->element_count, sizeof(int32_t));
  set->vertices = lb_alloc(batches * nodes, sizeof(int32_t));
  set->rest = lb_alloc(batches * points * LB_POINT_REST, sizeof(double));
  set->parameters = lb_alloc(batches * LB_MATERIAL_PARAMETERS, sizeof(double));
  set->densities = lb_alloc(batches, sizeof(double));
  if (!set->elements || !set->vertices || !set->rest || !set->parameters || !set->densities)
    return lb_fail_memory(err);
  return LB_OK;
}

// Copies one element into a slot. A slot past the end (padding) gets weight zero and no mass.
static lbStatus fill_slot(lbElementSet *set, int32_t slot, const lbMesh *mesh, int32_t element,
                          const lbMaterial *material, const char *name, lbError *err) {
  size_t batch = (size_t)(slot / LB_BATCH), lane = (size_t)(slot % LB_BATCH);
  size_t nodes = (size_t)lb_element_nodes(set->kind), points = (size_t)lb_element_points(set->kind);
  const int32_t *vertices = element_vertices(mesh, element);
  double positions[3 * LB_ELEMENT_NODES_MAX];
  for (size_t a = 0; a < nodes; a++) {
    set->vertices[(batch * nodes + a) * LB_BATCH + lane] = vertices[a];
    memcpy(positions + 3 * a, mesh->positions + 3 * (size_t)vertices[a], 3 * sizeof(double));
  }
  double *rest = set->rest + batch * points * LB_POINT_REST * LB_BATCH + lane;
  if (!lb_element_rest(set->kind, positions, rest, LB_BATCH))
    return lb_fail(err, LB_ERR_MESH,
                   "%s: element %d (%s, vertices %d %d %d %d%s) is flat or inverted; see `limber "
                   "mesh` for a report, remove it or voxelise the surface",
                   name, (int)element, nodes == 4 ? "tet" : "brick", (int)vertices[0],
                   (int)vertices[1], (int)vertices[2], (int)vertices[3], nodes == 4 ? "" : " ...");
  lb_material_parameters(
      material, set->parameters + batch * LB_MATERIAL_PARAMETERS * LB_BATCH + lane, LB_BATCH);
  if (slot < set->element_count) {
    set->elements[slot] = element;
    set->densities[batch * LB_BATCH + lane] = material->density;
  } else {
    for (size_t p = 0; p < points; p++) rest[(p * LB_POINT_REST + 9) * LB_BATCH] = 0;
  }
  return LB_OK;
}

// An element's place along a curve that visits neighbours one after another (Morton order of the
// first vertices, 10 bits an axis).
typedef struct Place {
  uint32_t key;
  int32_t element;
} Place;

static uint32_t spread_bits(uint32_t x) { // ...b2 b1 b0 becomes ...b2 0 0 b1 0 0 b0
  x = (x | x << 16) & 0x030000ffu;
  x = (x | x << 8) & 0x0300f00fu;
  x = (x | x << 4) & 0x030c30c3u;
  return (x | x << 2) & 0x09249249u;
}

static int compare_places(const void *a, const void *b) {
  const Place *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->element > y->element) - (x->element < y->element);
}

static uint32_t morton_key(const lbMesh *mesh, int32_t element, const double low[3], double size) {
  const double *x = mesh->positions + 3 * (size_t)element_vertices(mesh, element)[0];
  uint32_t key = 0;
  for (int i = 0; i < 3; i++) {
    double cell = size > 0 ? (x[i] - low[i]) / size * 1023 : 0;
    key |= spread_bits((uint32_t)(cell > 0 ? fmin(cell, 1023) : 0)) << i;
  }
  return key;
}

static void sort_places(const lbMesh *mesh, Place *places, int32_t count) {
  double low[3] = { INFINITY, INFINITY, INFINITY }, size = 0;
  for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
    low[i % 3] = fmin(low[i % 3], mesh->positions[i]);
  for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
    size = fmax(size, mesh->positions[i] - low[i % 3]);
  for (int32_t i = 0; i < count; i++)
    places[i].key = morton_key(mesh, places[i].element, low, size);
  qsort(places, (size_t)count, sizeof *places, compare_places);
}

static lbStatus fill_set(lbElementSet *set, const lbMesh *mesh, const lbFemDef *def, lbError *err) {
  Place *places = lb_alloc((size_t)set->element_count, sizeof *places);
  lbStatus status = places ? allocate_set(set, err) : lb_fail_memory(err);
  if (!status) {
    int32_t count = 0;
    for (int32_t e = 0; e < lb_mesh_element_count(mesh); e++)
      if (element_kind(mesh, e) == set->kind && element_material(def, e)->model == set->model)
        places[count++].element = e;
    sort_places(mesh, places, count);
  }
  for (int32_t slot = 0; slot < set->batch_count * LB_BATCH && !status; slot++) {
    int32_t last = set->element_count - 1, e = places[slot < last ? slot : last].element;
    status = fill_slot(set, slot, mesh, e, element_material(def, e), def->name, err);
  }
  lb_free(places);
  return status;
}

static lbStatus make_sets(lbFem *fem, const lbMesh *mesh, const lbFemDef *def, lbError *err) {
  int32_t counts[LB_ELEMENT_KIND_COUNT][LB_MATERIAL_MODEL_COUNT] = { { 0 } };
  for (int32_t e = 0; e < fem->element_count; e++) {
    counts[element_kind(mesh, e)][element_material(def, e)->model]++;
  }
  for (int kind = 0; kind < LB_ELEMENT_KIND_COUNT; kind++)
    for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
      int32_t count = counts[kind][model];
      if (count == 0) continue;
      int64_t blocks = fem->block_count + (int64_t)count * lb_element_pairs((lbElementKind)kind);
      if (blocks > INT32_MAX)
        return lb_fail(err, LB_ERR_MESH, "%s: the mesh is too large (%d elements)", def->name,
                       (int)fem->element_count);
      lbElementSet *set = &fem->sets[fem->set_count++];
      *set = (lbElementSet){
        .kind = (lbElementKind)kind,
        .model = (lbMaterialModel)model,
        .kernel = lb_element_kernel((lbElementKind)kind, (lbMaterialModel)model, lb_simd_best()),
        .element_count = count,
        .batch_count = (count + LB_BATCH - 1) / LB_BATCH,
        .slot_begin = fem->slot_count,
        .force_begin = fem->force_count,
        .block_begin = fem->block_count,
      };
      fem->slot_count += count;
      fem->force_count += set->batch_count * LB_BATCH * lb_element_nodes(set->kind);
      fem->block_count = (int32_t)blocks;
      lbStatus status = fill_set(set, mesh, def, err);
      if (status) return status;
    }
  return LB_OK;
}

static lbStatus keep_materials(lbFem *fem, const lbFemDef *def, lbError *err) {
  size_t elements = (size_t)fem->element_count;
  fem->material_count = def->material_count;
  fem->materials = lb_duplicate(def->materials, (size_t)def->material_count, sizeof(lbMaterial));
  fem->element_materials = def->element_materials
                               ? lb_duplicate(def->element_materials, elements, sizeof(int32_t))
                               : lb_alloc(elements, sizeof(int32_t));
  return fem->materials && fem->element_materials ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_fem_create(const lbMesh *mesh, const lbFemDef *def, lbFem **out, lbError *err) {
  lbStatus status = check_def(mesh, def, err);
  if (status) return status;
  lbFem *fem = lb_alloc(1, sizeof *fem);
  if (!fem) return lb_fail_memory(err);
  fem->vertex_count = mesh->vertex_count;
  fem->element_count = lb_mesh_element_count(mesh);
  fem->name = lb_duplicate_text(def->name);
  fem->positions = lb_duplicate(mesh->positions, (size_t)mesh->vertex_count, 3 * sizeof(double));
  if (!fem->name || !fem->positions) status = lb_fail_memory(err);
  if (!status) status = keep_materials(fem, def, err);
  if (!status) status = number_nodes(fem, mesh, def->fixed, err);
  if (!status) status = make_sets(fem, mesh, def, err);
  if (!status) status = lb_fem_plan(fem, err);
  if (!status) status = lb_fem_mass(fem, def->mass, err);
  if (status) {
    lb_fem_destroy(fem);
    return status;
  }
  *out = fem;
  return LB_OK;
}

int32_t lb_fem_vertex_count(const lbFem *fem) { return fem->vertex_count; }
int32_t lb_fem_node_count(const lbFem *fem) { return fem->node_count; }
int32_t lb_fem_element_count(const lbFem *fem) { return fem->element_count; }
double lb_fem_total_mass(const lbFem *fem) { return fem->total_mass; }
const double *lb_fem_vertex_masses(const lbFem *fem) { return fem->vertex_masses; }
const double *lb_fem_rest_positions(const lbFem *fem) { return fem->positions; }
const bool *lb_fem_fixed(const lbFem *fem) { return fem->fixed; }
int32_t lb_fem_material_count(const lbFem *fem) { return fem->material_count; }
const lbMaterial *lb_fem_materials(const lbFem *fem) { return fem->materials; }
const int32_t *lb_fem_element_materials(const lbFem *fem) { return fem->element_materials; }

void lb_fem_expand(const lbFem *fem, const double *system, double *full) {
  for (int32_t v = 0; v < fem->vertex_count; v++)
    for (int i = 0; i < 3; i++) {
      int32_t node = fem->node_of_vertex[v];
      full[3 * (size_t)v + i] = node < 0 ? 0 : system[3 * (size_t)node + i];
    }
}

void lb_fem_compress(const lbFem *fem, const double *full, double *system) {
  for (int32_t n = 0; n < fem->node_count; n++)
    for (int i = 0; i < 3; i++)
      system[3 * (size_t)n + i] = full[3 * (size_t)fem->vertex_of_node[n] + i];
}
