// Making an lbFem of a mesh: nodes, element sets with their rest data, plan, mass.
#include "fem/engine.h"

#include "elastic/shell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lbFemDef lb_fem_def(void) { return (lbFemDef){ .name = "body", .mass = LB_MASS_CONSISTENT }; }

void lb_fem_destroy(lbFem *fem) {
  if (!fem) return;
  if (fem->remote) fem->engine->close(fem);
  for (int32_t i = 0; i < fem->set_count; i++) {
    lb_free(fem->sets[i].elements);
    lb_free(fem->sets[i].vertices);
    lb_free(fem->sets[i].rest);
    lb_free(fem->sets[i].parameters);
    lb_free(fem->sets[i].densities);
    lb_free(fem->sets[i].materials);
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

// What the sets are made of: the tets and bricks of a mesh, or the edges of its triangles (a
// shell).
typedef struct Source {
  const lbMesh *mesh;
  const lbFemDef *def;
  lbFlap *flaps; // NULL: a solid
  int32_t count;
  bool remote; // element data lies elsewhere
} Source;

static lbElementKind element_kind(const Source *source, int32_t element) {
  if (source->flaps) return LB_ELEMENT_FLAP;
  return element < source->mesh->tet_count ? LB_ELEMENT_TET4 : LB_ELEMENT_BRICK8;
}

static const int32_t *element_vertices(const Source *source, int32_t element) {
  const lbMesh *mesh = source->mesh;
  if (source->flaps) return source->flaps[element].nodes;
  return element < mesh->tet_count ? mesh->tets + 4 * (size_t)element
                                   : mesh->bricks + 8 * (size_t)(element - mesh->tet_count);
}

// The material of one part of an element (lb_element_parts); -1: there is no such part.
static int32_t part_material(const Source *source, int32_t element, int32_t part) {
  int32_t of = source->flaps ? source->flaps[element].triangles[part] : element;
  if (of < 0) return -1;
  return source->def->element_materials ? source->def->element_materials[of] : 0;
}

static lbMaterialModel element_model(const Source *source, int32_t element) {
  return source->def->materials[part_material(source, element, 0)].model;
}

static lbStatus check_fem_materials(const lbMesh *mesh, const lbFemDef *def, lbError *err) {
  bool solid = lb_mesh_element_count(mesh) > 0;
  for (int32_t i = 0; i < def->material_count; i++) {
    char what[128];
    const lbMaterial *m = &def->materials[i];
    snprintf(what, sizeof what, "%s: material %d", def->name, (int)i);
    lbStatus status = lb_material_check(m, def->material_count == 1 ? def->name : what, err);
    if (status) return status;
    if (solid && m->model == LB_MATERIAL_SHELL)
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "%s: the model \"shell\" is only for meshes of triangles, this one has %d "
                     "tets and bricks; give it the material of a solid",
                     def->name, (int)lb_mesh_element_count(mesh));
    if (!solid && m->model != LB_MATERIAL_SHELL)
      return lb_fail(
          err, LB_ERR_MESH,
          "%s: the mesh has no tets or bricks, voxelise its surface or fill it first, or "
          "give it the material of a shell",
          def->name);
  }
  return LB_OK;
}

static lbStatus check_fem_def(const lbMesh *mesh, const lbFemDef *def, lbError *err) {
  int32_t elements = lb_mesh_body_elements(mesh);
  if (elements == 0)
    return lb_fail(err, LB_ERR_MESH,
                   "%s: the mesh has no tets or bricks, voxelise its surface or fill it first",
                   def->name);
  if (def->material_count < 1 || !def->materials)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: no material given", def->name);
  lbStatus status = check_fem_materials(mesh, def, err);
  if (status) return status;
  for (int32_t e = 0; def->element_materials && e < elements; e++)
    if (def->element_materials[e] < 0 || def->element_materials[e] >= def->material_count)
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: element %d has no material", def->name, (int)e);
  return LB_OK;
}

static lbStatus open_source(const lbMesh *mesh, const lbFemDef *def, Source *source, lbError *err) {
  *source = (Source){ .mesh = mesh, .def = def, .count = lb_mesh_element_count(mesh) };
  if (source->count > 0) return LB_OK;
  return lb_shell_flaps(mesh->vertex_count, mesh->positions, mesh->triangle_count, mesh->triangles,
                        def->name, &source->flaps, &source->count, err);
}

// Free nodes: used by an element and not fixed.
static lbStatus number_nodes(lbFem *fem, const Source *source, lbError *err) {
  const lbMesh *mesh = source->mesh;
  const bool *fixed = source->def->fixed;
  fem->node_of_vertex = lb_alloc((size_t)mesh->vertex_count, sizeof(int32_t));
  fem->vertex_of_node = lb_alloc((size_t)mesh->vertex_count, sizeof(int32_t));
  fem->fixed = lb_alloc((size_t)mesh->vertex_count, sizeof(bool));
  if (!fem->node_of_vertex || !fem->vertex_of_node || !fem->fixed) return lb_fail_memory(err);
  for (int32_t e = 0; e < source->count; e++) {
    const int32_t *vertices = element_vertices(source, e);
    for (int32_t a = 0; a < lb_element_nodes(element_kind(source, e)); a++)
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

// Without `data`: numbers and vertices alone.
static lbStatus allocate_set(lbElementSet *set, bool data, lbError *err) {
  size_t batches = (size_t)set->batch_count * LB_BATCH;
  size_t nodes = (size_t)lb_element_nodes(set->kind), points = (size_t)lb_element_points(set->kind);
  set->elements = lb_alloc((size_t)set->element_count, sizeof(int32_t));
  set->vertices = lb_alloc(batches * nodes, sizeof(int32_t));
  if (!set->elements || !set->vertices) return lb_fail_memory(err);
  if (!data) return LB_OK;
  set->rest = lb_alloc(batches * points * LB_POINT_REST, sizeof(double));
  set->parameters = lb_alloc(batches * LB_MATERIAL_PARAMETERS, sizeof(double));
  set->densities = lb_alloc(batches * (size_t)lb_element_parts(set->kind), sizeof(double));
  set->materials = lb_alloc(batches * (size_t)lb_element_parts(set->kind), sizeof(int32_t));
  bool got = set->rest && set->parameters && set->densities && set->materials;
  return got ? LB_OK : lb_fail_memory(err);
}

typedef struct Solid { // a tet or brick
  const char *name;    // of its body
  lbElementKind kind;
  const double *positions;
  const int32_t *vertices;
  int32_t number; // of the element and of its vertices, for messages
  const int32_t *vertex_numbers;
} Solid;

static lbStatus rest_of_solid(const Solid *solid, double *rest, lbError *err) {
  double corners[3 * LB_ELEMENT_NODES_MAX];
  const int32_t nodes = lb_element_nodes(solid->kind), *v = solid->vertex_numbers;
  for (int32_t a = 0; a < nodes; a++)
    memcpy(corners + 3 * a, solid->positions + 3 * (size_t)solid->vertices[a], 3 * sizeof(double));
  if (lb_element_rest(solid->kind, corners, rest, LB_BATCH)) return LB_OK;
  return lb_fail(err, LB_ERR_MESH,
                 "%s: element %d (%s, vertices %d %d %d %d%s) is flat or inverted; see `limber "
                 "mesh` for a report, remove it or voxelise the surface",
                 solid->name, (int)solid->number, nodes == 4 ? "tet" : "brick", (int)v[0],
                 (int)v[1], (int)v[2], (int)v[3], nodes == 4 ? "" : " ...");
}

lbStatus lb_fem_check_element(const char *name, lbElementKind kind, const double *positions,
                              const int32_t *vertices, int32_t number,
                              const int32_t *vertex_numbers, lbError *err) {
  double rest[LB_ELEMENT_POINTS_MAX * LB_POINT_REST * LB_BATCH];
  return rest_of_solid(&(Solid){ name, kind, positions, vertices, number, vertex_numbers }, rest,
                       err);
}

// Rest data and parameters of one element, for lane 0 of `rest` and `parameters`.
static lbStatus fill_fem_rest(const Source *source, int32_t element, double *rest,
                              double *parameters, lbError *err) {
  const lbFemDef *def = source->def;
  const double *positions = source->mesh->positions;
  if (source->flaps) {
    const lbFlap *flap = &source->flaps[element];
    int32_t other = part_material(source, element, 1);
    const lbFlapMaterials materials = { { &def->materials[part_material(source, element, 0)],
                                          other < 0 ? NULL : &def->materials[other] } };
    lb_flap_rest(flap, positions, &materials, rest, LB_BATCH);
    lb_flap_parameters(flap, positions, &materials, parameters, LB_BATCH);
    return LB_OK;
  }
  const int32_t *vertices = element_vertices(source, element);
  lbStatus status = rest_of_solid(
      &(Solid){ def->name, element_kind(source, element), positions, vertices, element, vertices },
      rest, err);
  if (status) return status;
  lb_material_parameters(&def->materials[part_material(source, element, 0)], parameters, LB_BATCH);
  return LB_OK;
}

// Number and vertices of a slot; its shape is looked at.
static lbStatus fill_outline(lbElementSet *set, int32_t slot, const Source *source, int32_t element,
                             lbError *err) {
  double rest[LB_ELEMENT_POINTS_MAX * LB_POINT_REST * LB_BATCH];
  double parameters[LB_MATERIAL_PARAMETERS * LB_BATCH];
  size_t nodes = (size_t)lb_element_nodes(set->kind);
  int32_t *to = set->vertices + (size_t)(slot / LB_BATCH) * nodes * LB_BATCH + slot % LB_BATCH;
  for (size_t a = 0; a < nodes; a++) to[a * LB_BATCH] = element_vertices(source, element)[a];
  if (slot >= set->element_count) return LB_OK;
  set->elements[slot] = element;
  return fill_fem_rest(source, element, rest, parameters, err);
}

// Copies one element into a slot. A slot past the end (padding) gets weight zero and no mass.
static lbStatus fill_slot(lbElementSet *set, int32_t slot, const Source *source, int32_t element,
                          lbError *err) {
  size_t batch = (size_t)(slot / LB_BATCH), lane = (size_t)(slot % LB_BATCH);
  size_t nodes = (size_t)lb_element_nodes(set->kind), points = (size_t)lb_element_points(set->kind);
  size_t parts = (size_t)lb_element_parts(set->kind);
  for (size_t a = 0; a < nodes; a++)
    set->vertices[(batch * nodes + a) * LB_BATCH + lane] = element_vertices(source, element)[a];
  double *rest = set->rest + batch * points * LB_POINT_REST * LB_BATCH + lane;
  lbStatus status =
      fill_fem_rest(source, element, rest,
                    set->parameters + batch * LB_MATERIAL_PARAMETERS * LB_BATCH + lane, err);
  if (status) return status;
  for (size_t part = 0; part < parts; part++) {
    size_t at = (batch * parts + part) * LB_BATCH + lane;
    int32_t material = part_material(source, element, (int32_t)part);
    set->materials[at] = material;
    if (slot < set->element_count && material >= 0)
      set->densities[at] = source->def->materials[material].density;
  }
  if (slot < set->element_count)
    set->elements[slot] = element;
  else
    for (size_t p = 0; p < points; p++) rest[(p * LB_POINT_REST + 9) * LB_BATCH] = 0;
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

static int compare_fem_places(const void *a, const void *b) {
  const Place *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->element > y->element) - (x->element < y->element);
}

static uint32_t morton_key(const Source *source, int32_t element, const double low[3],
                           double size) {
  const double *x = source->mesh->positions + 3 * (size_t)element_vertices(source, element)[0];
  uint32_t key = 0;
  for (int i = 0; i < 3; i++) {
    double cell = size > 0 ? (x[i] - low[i]) / size * 1023 : 0;
    key |= spread_bits((uint32_t)(cell > 0 ? fmin(cell, 1023) : 0)) << i;
  }
  return key;
}

static void sort_places(const Source *source, Place *places, int32_t count) {
  const lbMesh *mesh = source->mesh;
  double low[3] = { INFINITY, INFINITY, INFINITY }, size = 0;
  for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
    low[i % 3] = fmin(low[i % 3], mesh->positions[i]);
  for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
    size = fmax(size, mesh->positions[i] - low[i % 3]);
  for (int32_t i = 0; i < count; i++)
    places[i].key = morton_key(source, places[i].element, low, size);
  qsort(places, (size_t)count, sizeof *places, compare_fem_places);
}

static lbStatus fill_fem_set(lbElementSet *set, const Source *source, lbError *err) {
  Place *places = lb_alloc((size_t)set->element_count, sizeof *places);
  lbStatus status = places ? allocate_set(set, !source->remote, err) : lb_fail_memory(err);
  if (!status) {
    int32_t count = 0;
    for (int32_t e = 0; e < source->count; e++)
      if (element_kind(source, e) == set->kind && element_model(source, e) == set->model)
        places[count++].element = e;
    sort_places(source, places, count);
  }
  for (int32_t slot = 0; slot < set->batch_count * LB_BATCH && !status; slot++) {
    int32_t last = set->element_count - 1, e = places[slot < last ? slot : last].element;
    status = source->remote ? fill_outline(set, slot, source, e, err)
                            : fill_slot(set, slot, source, e, err);
  }
  lb_free(places);
  return status;
}

static lbStatus make_sets(lbFem *fem, const Source *source, lbError *err) {
  int32_t counts[LB_ELEMENT_KIND_COUNT][LB_MATERIAL_MODEL_COUNT] = { { 0 } };
  for (int32_t e = 0; e < source->count; e++)
    counts[element_kind(source, e)][element_model(source, e)]++;
  for (int kind = 0; kind < LB_ELEMENT_KIND_COUNT; kind++)
    for (int model = 0; model < LB_MATERIAL_MODEL_COUNT; model++) {
      int32_t count = counts[kind][model];
      if (count == 0) continue;
      int64_t blocks = fem->block_count + (int64_t)count * lb_element_pairs((lbElementKind)kind);
      if (source->remote) blocks = 0;
      if (blocks > INT32_MAX)
        return lb_fail(err, LB_ERR_MESH, "%s: the mesh is too large (%d elements)", fem->name,
                       (int)source->count);
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
      if (!source->remote)
        fem->force_count += set->batch_count * LB_BATCH * lb_element_nodes(set->kind);
      fem->block_count = (int32_t)blocks;
      lbStatus status = fill_fem_set(set, source, err);
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

static lbStatus fill_fem(lbFem *fem, const Source *source, lbError *err) {
  const lbMesh *mesh = source->mesh;
  const lbFemDef *def = source->def;
  lbStatus status = LB_OK;
  fem->vertex_count = mesh->vertex_count;
  fem->element_count = lb_mesh_body_elements(mesh);
  fem->name = lb_duplicate_text(def->name);
  fem->positions = lb_duplicate(mesh->positions, (size_t)mesh->vertex_count, 3 * sizeof(double));
  if (!fem->name || !fem->positions) status = lb_fail_memory(err);
  if (!status) status = keep_materials(fem, def, err);
  if (!status) status = number_nodes(fem, source, err);
  if (!status) status = make_sets(fem, source, err);
  if (source->remote) return status;
  if (!status) status = lb_fem_plan(fem, err);
  if (!status) status = lb_fem_mass(fem, def->mass, err);
  return status;
}

// Hands the elements over to the engine.
static lbStatus send_away(lbFem *fem, const lbFemEngine *engine, lbMassKind mass, lbError *err) {
  fem->vertex_masses = lb_alloc((size_t)fem->vertex_count, sizeof(double));
  if (!fem->vertex_masses) return lb_fail_memory(err);
  fem->mass_kind = mass;
  fem->engine = engine;
  return engine->open(fem, err);
}

static lbStatus create(const lbMesh *mesh, const lbFemDef *def, const lbFemEngine *engine,
                       lbFem **out, lbError *err) {
  Source source;
  lbStatus status = check_fem_def(mesh, def, err);
  if (!status) status = open_source(mesh, def, &source, err);
  if (status) return status;
  source.remote = engine && !source.flaps;
  if (!source.remote) status = lb_fem_check_room(mesh, def->name, err);
  lbFem *fem = status ? NULL : lb_alloc(1, sizeof *fem);
  if (!status) status = fem ? fill_fem(fem, &source, err) : lb_fail_memory(err);
  if (!status && source.remote) status = send_away(fem, engine, def->mass, err);
  lb_free(source.flaps);
  if (status) {
    lb_fem_destroy(fem);
    return status;
  }
  *out = fem;
  return LB_OK;
}

static const lbFemEngine *installed;

void lb_fem_set_engine(const lbFemEngine *engine) { installed = engine; }

lbStatus lb_fem_create(const lbMesh *mesh, const lbFemDef *def, lbFem **out, lbError *err) {
  return create(mesh, def, installed, out, err);
}

lbStatus lb_fem_create_here(const lbMesh *mesh, const lbFemDef *def, lbFem **out, lbError *err) {
  return create(mesh, def, NULL, out, err);
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
