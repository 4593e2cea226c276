// Spreading a body: who has which node, which element; a mesh and an lbFem for every rank.
#include "petsc/parts.h"

#include "fem/engine.h"
#include "petsc/cubature.h"
#include "petsc/memory.h"

#include <string.h>

// ---- who has what (rank 0) ---------------------------------------------------------------------

typedef struct Spread {
  const lbFem *fem;
  int32_t *owners;       // (node_count) the rank that has a node's rows
  int32_t *numbers;      // (node_count) of a node among all
  int32_t *slots;        // every element, rank by rank, in the order of slots
  int32_t *slot_begin;   // (ranks + 1)
  int32_t *local;        // (vertex_count) the vertex of the part that is being made; -1: none
  int32_t *vertices;     // (vertex_count) those vertices, ascending
  int32_t *all_vertices; // of all parts
  size_t all_capacity;
} Spread;

static void release_spread(Spread *s) {
  int32_t *blocks[] = { s->owners, s->numbers, s->slots, s->slot_begin, s->local, s->vertices };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
}

// Rows rank by rank, in the order of nodes.
static void number_nodes(Spread *s, lbShare *nodes) {
  int ranks = lb_ranks_count();
  int32_t count = s->fem->node_count;
  nodes->counts = lb_ranks_alloc((size_t)ranks, sizeof(int32_t));
  nodes->begin = lb_ranks_alloc((size_t)ranks, sizeof(int32_t));
  nodes->items = lb_ranks_alloc((size_t)count, sizeof(int32_t));
  s->numbers = lb_ranks_alloc((size_t)count, sizeof(int32_t));
  for (int32_t n = 0; n < count; n++) nodes->counts[s->owners[n]]++;
  for (int r = 1; r < ranks; r++) nodes->begin[r] = nodes->begin[r - 1] + nodes->counts[r - 1];
  int32_t *next = lb_ranks_alloc((size_t)ranks, sizeof(int32_t));
  for (int32_t n = 0; n < count; n++) {
    s->numbers[n] = nodes->begin[s->owners[n]] + next[s->owners[n]]++;
    nodes->items[s->numbers[n]] = n;
  }
  lb_free(next);
}

// An element goes to the rank that has most of its nodes, of several the first; -1: it is fixed all
// over.
static int32_t rank_of_slot(const Spread *s, int32_t slot) {
  const lbElementSet *set = lb_set_of_slot(s->fem, &slot);
  int32_t nodes = lb_element_nodes(set->kind), best = -1, most = 0;
  int32_t owners[LB_ELEMENT_NODES_MAX];
  for (int32_t a = 0; a < nodes; a++) {
    int32_t node = s->fem->node_of_vertex[lb_slot_vertex(set, slot, a)];
    owners[a] = node < 0 ? -1 : s->owners[node];
  }
  for (int32_t a = 0; a < nodes; a++) {
    int32_t count = 0;
    for (int32_t b = 0; b < nodes; b++) count += owners[b] == owners[a];
    if (owners[a] < 0 || count < most || (count == most && owners[a] > best)) continue;
    best = owners[a];
    most = count;
  }
  return best;
}

static void sort_elements(Spread *s) {
  int ranks = lb_ranks_count();
  int32_t count = s->fem->slot_count;
  int32_t *rank = lb_ranks_alloc((size_t)count, sizeof(int32_t));
  s->slots = lb_ranks_alloc((size_t)count, sizeof(int32_t));
  s->slot_begin = lb_ranks_alloc((size_t)ranks + 2, sizeof(int32_t));
  int32_t any = -1; // a rank that has elements with free nodes takes those without any
  for (int32_t i = 0; i < count; i++) {
    rank[i] = rank_of_slot(s, i);
    if (any < 0) any = rank[i];
  }
  for (int32_t i = 0; i < count; i++) {
    if (rank[i] < 0) rank[i] = any;
    s->slot_begin[rank[i] + 2]++;
  }
  for (int r = 0; r < ranks; r++) s->slot_begin[r + 2] += s->slot_begin[r + 1];
  for (int32_t i = 0; i < count; i++) s->slots[s->slot_begin[rank[i] + 1]++] = i;
  lb_free(rank);
}

// ---- a part as it travels ----------------------------------------------------------------------

typedef struct Part {
  int32_t counts[3]; // vertices, tets, bricks
  double *positions;
  int32_t *numbers; // (vertices) of the node among all; -1: fixed
  int32_t *tets, *bricks, *materials;
  int32_t *elements; // of the whole mesh
} Part;

static void release_part(Part *part) {
  lb_free(part->positions);
  lb_free(part->numbers);
  lb_free(part->tets);
  lb_free(part->bricks);
  lb_free(part->materials);
  lb_free(part->elements);
}

static void allocate_part(Part *part) {
  size_t vertices = (size_t)part->counts[0], tets = (size_t)part->counts[1];
  size_t bricks = (size_t)part->counts[2];
  part->positions = lb_ranks_alloc(vertices + 1, 3 * sizeof(double));
  part->numbers = lb_ranks_alloc(vertices + 1, sizeof(int32_t));
  part->tets = lb_ranks_alloc(tets + 1, 4 * sizeof(int32_t));
  part->bricks = lb_ranks_alloc(bricks + 1, 8 * sizeof(int32_t));
  part->materials = lb_ranks_alloc(tets + bricks + 1, sizeof(int32_t));
  part->elements = lb_ranks_alloc(tets + bricks + 1, sizeof(int32_t));
}

// Marks and lists the vertices of a rank's elements; returns how many.
static int32_t list_vertices(Spread *s, int rank, int32_t counts[3]) {
  const lbFem *fem = s->fem;
  int32_t used = 0;
  for (int32_t v = 0; v < fem->vertex_count; v++) s->local[v] = -1;
  for (int32_t i = s->slot_begin[rank]; i < s->slot_begin[rank + 1]; i++) {
    int32_t slot = s->slots[i];
    const lbElementSet *set = lb_set_of_slot(fem, &slot);
    counts[set->kind == LB_ELEMENT_TET4 ? 1 : 2]++;
    for (int32_t a = 0; a < lb_element_nodes(set->kind); a++)
      s->local[lb_slot_vertex(set, slot, a)] = 0;
  }
  for (int32_t v = 0; v < fem->vertex_count; v++) {
    if (s->local[v] < 0) continue;
    s->local[v] = used;
    s->vertices[used++] = v;
  }
  return used;
}

static void make_part(Spread *s, int rank, Part *part) {
  const lbFem *fem = s->fem;
  *part = (Part){ 0 };
  part->counts[0] = list_vertices(s, rank, part->counts);
  allocate_part(part);
  for (int32_t i = 0; i < part->counts[0]; i++) {
    int32_t v = s->vertices[i], node = fem->node_of_vertex[v];
    memcpy(part->positions + 3 * (size_t)i, fem->positions + 3 * (size_t)v, 3 * sizeof(double));
    part->numbers[i] = node < 0 ? -1 : s->numbers[node];
  }
  int32_t *to[2] = { part->tets, part->bricks }, *material = part->materials;
  int32_t *element = part->elements;
  for (int32_t i = s->slot_begin[rank]; i < s->slot_begin[rank + 1]; i++) {
    int32_t slot = s->slots[i];
    const lbElementSet *set = lb_set_of_slot(fem, &slot);
    int32_t **at = &to[set->kind == LB_ELEMENT_TET4 ? 0 : 1];
    for (int32_t a = 0; a < lb_element_nodes(set->kind); a++)
      *(*at)++ = s->local[lb_slot_vertex(set, slot, a)];
    *element++ = set->elements[slot];
    *material++ = fem->element_materials[set->elements[slot]];
  }
}

typedef void Transfer(void *block, int count, MPI_Datatype type, int rank);

static void send(void *block, int count, MPI_Datatype type, int rank) {
  MPI_Send(block, count, type, rank, 0, PETSC_COMM_WORLD);
}

static void receive(void *block, int count, MPI_Datatype type, int rank) {
  MPI_Recv(block, count, type, rank, 0, PETSC_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void transfer_part(Part *part, Transfer *transfer, int rank) {
  transfer(part->counts, 3, MPI_INT32_T, rank);
  if (!part->positions) allocate_part(part);
  transfer(part->positions, 3 * part->counts[0], MPI_DOUBLE, rank);
  transfer(part->numbers, part->counts[0], MPI_INT32_T, rank);
  transfer(part->tets, 4 * part->counts[1], MPI_INT32_T, rank);
  transfer(part->bricks, 8 * part->counts[2], MPI_INT32_T, rank);
  transfer(part->materials, part->counts[1] + part->counts[2], MPI_INT32_T, rank);
  transfer(part->elements, part->counts[1] + part->counts[2], MPI_INT32_T, rank);
}

// Adds the vertices of the part that was made last to the list of all parts.
static void note_vertices(Spread *s, int rank, int32_t count, lbShare *share) {
  share->counts[rank] = count;
  size_t begin = rank ? (size_t)share->begin[rank - 1] + (size_t)share->counts[rank - 1] : 0;
  share->begin[rank] = (int32_t)begin;
  if (begin + (size_t)count > s->all_capacity) {
    size_t capacity = 2 * (begin + (size_t)count);
    int32_t *grown = lb_ranks_alloc(capacity, sizeof *grown);
    if (begin) memcpy(grown, s->all_vertices, begin * sizeof *grown);
    lb_free(s->all_vertices);
    s->all_vertices = grown;
    s->all_capacity = capacity;
  }
  if (count) memcpy(s->all_vertices + begin, s->vertices, (size_t)count * sizeof(int32_t));
}

// Rank 0 makes and sends all parts; every rank ends with its own.
static void send_parts(Spread *s, lbParts *parts, Part *own) {
  int ranks = lb_ranks_count();
  if (lb_ranks_rank() > 0) {
    transfer_part(own, receive, 0);
    return;
  }
  lbShare *share = &parts->vertices;
  size_t vertices = (size_t)s->fem->vertex_count;
  share->counts = lb_ranks_alloc((size_t)ranks, sizeof(int32_t));
  share->begin = lb_ranks_alloc((size_t)ranks, sizeof(int32_t));
  s->local = lb_ranks_alloc(vertices, sizeof(int32_t));
  s->vertices = lb_ranks_alloc(vertices, sizeof(int32_t));
  for (int r = 0; r < ranks; r++) {
    Part other, *part = r ? &other : own;
    make_part(s, r, part);
    note_vertices(s, r, part->counts[0], share);
    if (r == 0) continue;
    transfer_part(part, send, r);
    release_part(part);
  }
  share->items = s->all_vertices;
}

// ---- the part's body ---------------------------------------------------------------------------

typedef struct Header {
  int32_t node_count, material_count, mass, definite;
} Header;

static lbStatus make_body(Part *part, const Header *header, const lbMaterial *materials,
                          lbParts *parts, lbError *err) {
  int32_t count = part->counts[0], free_count = 0;
  bool *fixed = lb_ranks_alloc((size_t)count + 1, sizeof(bool));
  for (int32_t v = 0; v < count; v++) {
    fixed[v] = part->numbers[v] < 0;
    free_count += !fixed[v];
  }
  lbStatus status = LB_OK;
  lbMesh mesh = { .vertex_count = count,
                  .positions = part->positions,
                  .tet_count = part->counts[1],
                  .tets = part->tets,
                  .brick_count = part->counts[2],
                  .bricks = part->bricks };
  lbFemDef def = { .name = "part",
                   .materials = materials,
                   .material_count = header->material_count,
                   .element_materials = part->materials,
                   .fixed = fixed,
                   .mass = (lbMassKind)header->mass };
  if (free_count > 0) status = lb_fem_create_here(&mesh, &def, &parts->fem, err);
  lb_free(fixed);
  if (status || !parts->fem) return status;
  parts->numbers = lb_ranks_alloc((size_t)free_count, sizeof(int32_t));
  for (int32_t n = 0; n < free_count; n++)
    parts->numbers[n] = part->numbers[parts->fem->vertex_of_node[n]];
  parts->elements = part->elements;
  part->elements = NULL;
  return LB_OK;
}

// Masses of the whole's vertices from those of the parts.
static void sum_masses(lbParts *parts) {
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

static Header make_header(const lbFem *whole) {
  Header header = { 0 };
  if (whole)
    header = (Header){ whole->node_count, whole->material_count, whole->mass_kind,
                       lb_fem_check_held(whole, NULL) == LB_OK };
  lb_ranks_broadcast(&header, sizeof header);
  return header;
}

static lbStatus spread_body(lbParts *parts, const Header *header, lbError *err) {
  lbFem *whole = parts->whole;
  Spread s = { .fem = whole };
  Part part = { 0 };
  if (whole) s.owners = lb_ranks_alloc((size_t)header->node_count, sizeof(int32_t));
  lbStatus status = lb_cut_nodes(whole, header->node_count, s.owners, err);
  if (status) {
    release_spread(&s);
    return status;
  }
  lbMaterial *materials = lb_ranks_alloc((size_t)header->material_count, sizeof *materials);
  if (whole)
    memcpy(materials, whole->materials, (size_t)header->material_count * sizeof *materials);
  lb_ranks_broadcast(materials, (size_t)header->material_count * sizeof *materials);
  if (whole) {
    number_nodes(&s, &parts->nodes);
    sort_elements(&s);
  }
  send_parts(&s, parts, &part);
  release_spread(&s);
  lb_share_open(&parts->nodes);
  lb_share_open(&parts->vertices);
  parts->own_count = parts->nodes.count;
  MPI_Exscan(&parts->own_count, &parts->own_begin, 1, MPI_INT32_T, MPI_SUM, PETSC_COMM_WORLD);
  if (lb_ranks_rank() == 0) parts->own_begin = 0;
  status = lb_ranks_agree(make_body(&part, header, materials, parts, err), err);
  release_part(&part);
  lb_free(materials);
  if (!status) sum_masses(parts);
  return status;
}

lbStatus lb_parts_create(lbFem *whole, const lbPetscDef *def, lbParts **out, lbError *err) {
  lbStatus fits = lb_memory_check(whole, def, err);
  if (fits) return fits;
  lbParts *parts = lb_ranks_alloc(1, sizeof *parts);
  Header header = make_header(whole);
  parts->whole = whole;
  parts->node_count = header.node_count;
  parts->definite = header.definite;
  lbStatus status = spread_body(parts, &header, err);
  if (status)
    lb_parts_destroy(parts);
  else
    *out = parts;
  return status;
}

void lb_parts_drop_search(lbParts *parts) {
  LB_PETSC(EPSDestroy(&parts->search));
  parts->solver = NULL;
}

void lb_parts_destroy(lbParts *parts) {
  if (!parts) return;
  lb_parts_drop_search(parts);
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
  lb_part_cubature_end(parts);
  lb_free(parts);
}
