// Slabs that rank 0 sends.
#include "petsc/slab.h"

#include "petsc/parts.h"

#include <string.h>

void lb_slab_release(lbSlab *slab) {
  lb_free(slab->positions);
  lb_free(slab->fixed);
  lb_free(slab->elements);
  lb_free(slab->own_materials);
  *slab = (lbSlab){ 0 };
}

// The slab of any rank, by rank 0.
static void make_slab(const lbFem *whole, int rank, lbSlab *slab) {
  int32_t first = lb_slab_begin(whole->vertex_count, rank);
  int32_t slot_begin = lb_slab_begin(whole->slot_count, rank);
  slab->vertex_begin = first;
  slab->vertex_count = lb_slab_begin(whole->vertex_count, rank + 1) - first;
  slab->element_count = lb_slab_begin(whole->slot_count, rank + 1) - slot_begin;
  slab->positions = lb_ranks_alloc((size_t)slab->vertex_count + 1, 3 * sizeof(double));
  slab->fixed = lb_ranks_alloc((size_t)slab->vertex_count + 1, sizeof(bool));
  slab->elements = lb_ranks_alloc((size_t)slab->element_count + 1, sizeof *slab->elements);
  memcpy(slab->positions, whole->positions + 3 * (size_t)first,
         3 * (size_t)slab->vertex_count * sizeof(double));
  memcpy(slab->fixed, whole->fixed + first, (size_t)slab->vertex_count * sizeof(bool));
  for (int32_t i = 0; i < slab->element_count; i++) {
    int32_t slot = slot_begin + i;
    const lbElementSet *set = lb_set_of_slot(whole, &slot);
    lbSlabElement *e = &slab->elements[i];
    *e = (lbSlabElement){ .number = set->elements[slot],
                          .corners = lb_element_nodes(set->kind),
                          .material = whole->element_materials[set->elements[slot]] };
    for (int32_t a = 0; a < e->corners; a++) e->vertices[a] = lb_slot_vertex(set, slot, a);
  }
}

static void send_bytes(const void *block, size_t count, int rank) {
  enum { PIECE = 1 << 30 };
  for (size_t done = 0; done < count; done += PIECE)
    MPI_Send((const char *)block + done, (int)(count - done < PIECE ? count - done : PIECE),
             MPI_BYTE, rank, 0, PETSC_COMM_WORLD);
}

static void receive_bytes(void *block, size_t count) {
  enum { PIECE = 1 << 30 };
  for (size_t done = 0; done < count; done += PIECE)
    MPI_Recv((char *)block + done, (int)(count - done < PIECE ? count - done : PIECE), MPI_BYTE, 0,
             0, PETSC_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_slab(const lbSlab *slab, int rank) {
  const int32_t sizes[3] = { slab->vertex_begin, slab->vertex_count, slab->element_count };
  send_bytes(sizes, sizeof sizes, rank);
  send_bytes(slab->positions, 3 * (size_t)slab->vertex_count * sizeof(double), rank);
  send_bytes(slab->fixed, (size_t)slab->vertex_count * sizeof(bool), rank);
  send_bytes(slab->elements, (size_t)slab->element_count * sizeof *slab->elements, rank);
}

static void receive_slab(lbSlab *slab) {
  int32_t sizes[3];
  receive_bytes(sizes, sizeof sizes);
  slab->vertex_begin = sizes[0];
  slab->vertex_count = sizes[1];
  slab->element_count = sizes[2];
  slab->positions = lb_ranks_alloc((size_t)slab->vertex_count + 1, 3 * sizeof(double));
  slab->fixed = lb_ranks_alloc((size_t)slab->vertex_count + 1, sizeof(bool));
  slab->elements = lb_ranks_alloc((size_t)slab->element_count + 1, sizeof *slab->elements);
  receive_bytes(slab->positions, 3 * (size_t)slab->vertex_count * sizeof(double));
  receive_bytes(slab->fixed, (size_t)slab->vertex_count * sizeof(bool));
  receive_bytes(slab->elements, (size_t)slab->element_count * sizeof *slab->elements);
}

// What is alike on all ranks.
static void share_sizes(const lbFem *whole, lbSlab *slab) {
  int32_t sizes[6] = { 0 };
  if (whole) {
    for (int32_t s = 0; s < whole->set_count; s++)
      sizes[whole->sets[s].kind == LB_ELEMENT_TET4 ? 1 : 2] += whole->sets[s].element_count;
    sizes[0] = whole->vertex_count;
    sizes[3] = whole->material_count;
    sizes[4] = (int32_t)whole->mass_kind;
    sizes[5] = lb_fem_check_held(whole, NULL) == LB_OK;
  }
  lb_ranks_broadcast(sizes, sizeof sizes);
  slab->vertex_total = sizes[0];
  slab->tet_total = sizes[1];
  slab->brick_total = sizes[2];
  slab->material_count = sizes[3];
  slab->mass = (lbMassKind)sizes[4];
  slab->held = sizes[5];
  slab->name = whole ? whole->name : "part";
  slab->own_materials = lb_ranks_alloc((size_t)sizes[3], sizeof *slab->own_materials);
  size_t bytes = (size_t)sizes[3] * sizeof *slab->own_materials;
  if (whole) memcpy(slab->own_materials, whole->materials, bytes);
  lb_ranks_broadcast(slab->own_materials, bytes);
  slab->materials = slab->own_materials;
}

void lb_slab_of_whole(const lbFem *whole, lbSlab *slab) {
  *slab = (lbSlab){ 0 };
  share_sizes(whole, slab);
  if (!whole) {
    receive_slab(slab);
    return;
  }
  for (int r = lb_ranks_count() - 1; r > 0; r--) {
    lbSlab other = { 0 };
    make_slab(whole, r, &other);
    send_slab(&other, r);
    lb_slab_release(&other);
  }
  make_slab(whole, 0, slab);
}
