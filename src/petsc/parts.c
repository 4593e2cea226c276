// Spreading a body: a mesh and an lbFem of its own elements for every rank.
#include "petsc/parts.h"

#include "fem/engine.h"
#include "mesh/builder.h"
#include "petsc/cubature.h"
#include "petsc/factor.h"
#include "petsc/memory.h"
#include "petsc/spread.h"

#include <stdlib.h>
#include <string.h>

// ---- the part's mesh ---------------------------------------------------------------------------

typedef struct Part {
  lbMesh mesh;
  int32_t element_count;
  lbSlabElement *elements; // by number
  int32_t *numbers;        // (vertices) of the node among all; -1: fixed
  bool *fixed;             // (vertices)
  int32_t *materials;      // (elements)
  lbLookup vertices;       // of the whole mesh
} Part;

static void release_part(Part *part) {
  void *blocks[] = { part->mesh.positions, part->mesh.tets, part->mesh.bricks, part->elements,
                     part->numbers,        part->fixed,     part->materials };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  lb_lookup_release(&part->vertices);
}

static int by_vertices(const void *a, const void *b) {
  const lbSlabElement *x = a, *y = b;
  int32_t difference = x->corners - y->corners;
  for (int32_t i = 0; i < x->corners && difference == 0; i++)
    difference = (x->vertices[i] > y->vertices[i]) - (x->vertices[i] < y->vertices[i]);
  return difference ? difference : (x->number > y->number) - (x->number < y->number);
}

static int order_nodes_by_number(const void *a, const void *b) {
  int32_t x = ((const lbSlabElement *)a)->number, y = ((const lbSlabElement *)b)->number;
  return (x > y) - (x < y);
}

// Files that know one tag an element have an element again for each other tag of it.
static void drop_repeats(Part *part) {
  int32_t kept = 0, last_tag = 0;
  qsort(part->elements, (size_t)part->element_count, sizeof *part->elements, by_vertices);
  for (int32_t i = 0; i < part->element_count; i++) {
    const lbSlabElement *e = &part->elements[i], *before = kept ? &part->elements[kept - 1] : e;
    bool same = kept > 0 && e->tag && last_tag && e->corners == before->corners &&
                memcmp(e->vertices, before->vertices, sizeof e->vertices) == 0;
    bool again = same && e->tag != last_tag;
    last_tag = e->tag;
    if (!again) part->elements[kept++] = *e;
  }
  part->element_count = kept;
  qsort(part->elements, (size_t)kept, sizeof *part->elements, order_nodes_by_number);
}

static void look_up_vertices(Part *part, const lbSlab *slab) {
  size_t count = 0, elements = (size_t)part->element_count;
  int32_t *ids = lb_ranks_alloc(LB_ELEMENT_NODES_MAX * elements + 1, sizeof *ids);
  for (size_t e = 0; e < elements; e++)
    for (int32_t a = 0; a < part->elements[e].corners; a++)
      ids[count++] = part->elements[e].vertices[a];
  lb_lookup_open(&part->vertices, slab->vertex_total, count, ids);
  lb_free(ids);
}

// Places and rows of the part's vertices, from the slabs.
static void fetch_vertices(Part *part, const lbSpread *s) {
  const lbSlab *slab = s->slab;
  size_t here = (size_t)slab->vertex_count, count = (size_t)part->vertices.count;
  int32_t *numbers = lb_ranks_alloc(here + 1, sizeof *numbers);
  for (size_t v = 0; v < here; v++)
    numbers[v] = s->nodes[v] < 0 ? -1 : s->numbers[s->nodes[v] - s->node_begin];
  part->numbers = lb_ranks_alloc(count + 1, sizeof(int32_t));
  part->fixed = lb_ranks_alloc(count + 1, sizeof(bool));
  part->mesh.positions = lb_ranks_alloc(count + 1, 3 * sizeof(double));
  lb_lookup_fetch(&part->vertices, sizeof *numbers, numbers, part->numbers);
  lb_lookup_fetch(&part->vertices, 3 * sizeof(double), slab->positions, part->mesh.positions);
  for (size_t v = 0; v < count; v++) part->fixed[v] = part->numbers[v] < 0;
  part->mesh.vertex_count = part->vertices.count;
  lb_free(numbers);
}

// Tets and bricks by the part's own vertices, wound as they should be.
static void fill_mesh(Part *part) {
  lbMesh *mesh = &part->mesh;
  size_t count = (size_t)part->element_count;
  for (size_t e = 0; e < count; e++)
    *(part->elements[e].corners == 4 ? &mesh->tet_count : &mesh->brick_count) += 1;
  mesh->tets = lb_ranks_alloc((size_t)mesh->tet_count + 1, 4 * sizeof(int32_t));
  mesh->bricks = lb_ranks_alloc((size_t)mesh->brick_count + 1, 8 * sizeof(int32_t));
  part->materials = lb_ranks_alloc(count + 1, sizeof(int32_t));
  int32_t *to[2] = { mesh->tets, mesh->bricks };
  for (size_t e = 0; e < count; e++) { // by number: tets come first
    const lbSlabElement *from = &part->elements[e];
    int32_t **at = &to[from->corners == 4 ? 0 : 1];
    for (int32_t a = 0; a < from->corners; a++)
      *(*at)++ = lb_lookup_place(&part->vertices, from->vertices[a]);
    part->materials[e] = from->material;
  }
  for (int32_t e = 0; e < part->element_count; e++) lb_mesh_mend_element(mesh, e);
}

// By the numbers of the whole mesh, which the part's own body does not know.
static lbStatus check_part_elements(const Part *part, const char *name, lbError *err) {
  const lbMesh *mesh = &part->mesh;
  for (int32_t e = 0; e < part->element_count; e++) {
    int32_t corners = part->elements[e].corners, vertices[LB_ELEMENT_NODES_MAX];
    const int32_t *own = corners == 4 ? mesh->tets + 4 * (size_t)e
                                      : mesh->bricks + 8 * (size_t)(e - mesh->tet_count);
    for (int32_t a = 0; a < corners; a++) vertices[a] = part->vertices.ids[own[a]];
    lbElementKind kind = corners == 4 ? LB_ELEMENT_TET4 : LB_ELEMENT_BRICK8;
    lbStatus status = lb_fem_check_element(name, kind, mesh->positions, own,
                                           part->elements[e].number, vertices, err);
    if (status) return status;
  }
  return LB_OK;
}

// ---- the part's body ---------------------------------------------------------------------------

static lbStatus make_part_body(const Part *part, const lbSlab *slab, lbParts *parts, lbError *err) {
  int32_t free_count = 0;
  for (int32_t v = 0; v < part->mesh.vertex_count; v++) free_count += !part->fixed[v];
  lbFemDef def = { .name = slab->name,
                   .materials = slab->materials,
                   .material_count = slab->material_count,
                   .element_materials = part->materials,
                   .fixed = part->fixed,
                   .mass = slab->mass };
  if (free_count == 0) return LB_OK; // it has no elements
  lbStatus status = parts->whole ? LB_OK : check_part_elements(part, slab->name, err);
  if (!status) status = lb_fem_create_here(&part->mesh, &def, &parts->fem, err);
  if (status) return status;
  parts->numbers = lb_ranks_alloc((size_t)free_count, sizeof(int32_t));
  for (int32_t n = 0; n < free_count; n++)
    parts->numbers[n] = part->numbers[parts->fem->vertex_of_node[n]];
  parts->elements = lb_ranks_alloc((size_t)part->element_count + 1, sizeof(int32_t));
  for (int32_t e = 0; e < part->element_count; e++) parts->elements[e] = part->elements[e].number;
  return LB_OK;
}

// Masses of the whole's vertices from those of the parts.
static void sum_masses(lbParts *parts) {
  double total = parts->fem ? parts->fem->total_mass : 0;
  MPI_Allreduce(&total, &parts->total_mass, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  if (!parts->shared) return;
  size_t own = (size_t)parts->vertices.count, all = 0;
  double *mine = lb_ranks_alloc(own + 1, 3 * sizeof(double)), *sums = NULL;
  for (size_t v = 0; parts->fem && v < own; v++) mine[3 * v] = parts->fem->vertex_masses[v];
  if (parts->whole) all = (size_t)parts->whole->vertex_count;
  if (parts->whole) sums = lb_ranks_alloc(all, 3 * sizeof(double));
  lb_share_gather_add(&parts->vertices, mine, sums);
  for (size_t v = 0; v < all; v++) {
    parts->whole->vertex_masses[v] = sums[3 * v];
    parts->whole->total_mass += sums[3 * v];
  }
  lb_free(mine);
  lb_free(sums);
}

static lbStatus spread_body(lbSlab *slab, lbParts *parts, lbError *err) {
  lbSpread spread;
  Part part = { 0 };
  lbStatus status = lb_spread_open(&spread, slab, err);
  if (!status) {
    parts->node_count = spread.node_count;
    lb_spread_cut(&spread);
    lb_spread_number(&spread, &parts->own_count, &parts->own, &parts->places);
    lb_spread_send(&spread, &part.element_count, &part.elements);
    lb_free(slab->elements); // they are where they belong
    slab->elements = NULL;
    if (slab->repeats) drop_repeats(&part);
    look_up_vertices(&part, slab);
    fetch_vertices(&part, &spread);
    fill_mesh(&part);
    MPI_Exscan(&parts->own_count, &parts->own_begin, 1, MPI_INT32_T, MPI_SUM, PETSC_COMM_WORLD);
    if (lb_ranks_rank() == 0) parts->own_begin = 0;
    MPI_Allreduce(&part.element_count, &parts->element_count, 1, MPI_INT32_T, MPI_SUM,
                  PETSC_COMM_WORLD);
    if (parts->shared) {
      lb_share_open(&parts->nodes, parts->own_count, parts->own);
      lb_share_open(&parts->vertices, part.vertices.count, part.vertices.ids);
    }
  }
  lb_spread_release(&spread);
  if (!status) status = lb_ranks_agree(make_part_body(&part, slab, parts, err), err);
  if (!status) sum_masses(parts);
  release_part(&part);
  return status;
}

lbStatus lb_parts_of_slab(lbSlab *slab, lbFem *whole, bool shared, lbParts **out, lbError *err) {
  lbParts *parts = lb_ranks_alloc(1, sizeof *parts);
  parts->whole = whole;
  parts->shared = shared;
  parts->definite = slab->held;
  parts->vertex_count = slab->vertex_total;
  lbStatus status = spread_body(slab, parts, err);
  if (status)
    lb_parts_destroy(parts);
  else
    *out = parts;
  return status;
}

static lbMemoryBody count_memory(const lbFem *whole) {
  lbMemoryBody body = { .outline = true };
  for (int32_t s = 0; whole && s < whole->set_count; s++)
    *(whole->sets[s].kind == LB_ELEMENT_TET4 ? &body.tet_count : &body.brick_count) +=
        whole->sets[s].element_count;
  if (whole) body.name = whole->name;
  if (whole) body.node_count = whole->node_count;
  return body;
}

lbStatus lb_parts_create(lbFem *whole, const lbPetscDef *def, lbParts **out, lbError *err) {
  lbSlab slab;
  lbMemoryBody body = count_memory(whole);
  lbStatus status = lb_memory_check(whole ? &body : NULL, def, err);
  if (status) return status;
  lb_slab_of_whole(whole, &slab);
  status = lb_parts_of_slab(&slab, whole, true, out, err);
  lb_slab_release(&slab);
  if (!status) (*out)->memory = def->memory;
  return status;
}

void lb_parts_drop_factor(lbParts *parts) {
  lb_factor_destroy(parts->factor);
  parts->factor = NULL;
}

void lb_parts_destroy(lbParts *parts) {
  if (!parts) return;
  lb_parts_drop_factor(parts);
  LB_PETSC(MatDestroy(&parts->K));
  LB_PETSC(MatDestroy(&parts->M));
  LB_PETSC(VecScatterDestroy(&parts->to_part));
  LB_PETSC(VecDestroy(&parts->rows));
  LB_PETSC(VecDestroy(&parts->part));
  lb_share_release(&parts->vertices);
  lb_share_release(&parts->nodes);
  lb_fem_destroy(parts->fem);
  lb_free(parts->numbers);
  lb_free(parts->elements);
  lb_free(parts->own);
  lb_free(parts->places);
  lb_part_cubature_end(parts);
  lb_free(parts);
}
