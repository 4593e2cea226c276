// Cutting a body by the graph of its free nodes: rank 0 makes the graph a slab of nodes at a time,
// PT-Scotch cuts it where it lies.
#include "petsc/parts.h"

#include <petscmat.h>
#include <string.h>

// Elements around each free node: entries [begin[n], begin[n + 1]) of slots, slot_begin + slot.
typedef struct Stars {
  const lbFem *fem;
  size_t *begin;
  int32_t *slots;
  int32_t *seen; // (node_count) the last node that each was found beside
} Stars;

static void release_stars(Stars *stars) {
  lb_free(stars->begin);
  lb_free(stars->slots);
  lb_free(stars->seen);
}

// Counts (begin) or lists (slots) the elements of every node.
static void visit_elements(Stars *stars, bool list) {
  const lbFem *fem = stars->fem;
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    for (int32_t slot = 0; slot < set->element_count; slot++)
      for (int32_t a = 0; a < lb_element_nodes(set->kind); a++) {
        int32_t node = fem->node_of_vertex[lb_slot_vertex(set, slot, a)];
        if (node < 0) continue;
        if (list)
          stars->slots[stars->begin[node]++] = set->slot_begin + slot;
        else
          stars->begin[node + 1]++;
      }
  }
}

static void open_stars(Stars *stars) {
  size_t count = (size_t)stars->fem->node_count;
  stars->begin = lb_ranks_alloc(count + 2, sizeof(size_t));
  stars->seen = lb_ranks_alloc(count, sizeof(int32_t));
  visit_elements(stars, false);
  for (size_t n = 0; n < count; n++) stars->begin[n + 1] += stars->begin[n];
  stars->slots = lb_ranks_alloc(stars->begin[count] + 1, sizeof(int32_t));
  visit_elements(stars, true); // which leaves every begin at its end
  memmove(stars->begin + 1, stars->begin, count * sizeof(size_t));
  stars->begin[0] = 0;
  for (size_t n = 0; n < count; n++) stars->seen[n] = -1;
}

// Neighbours of a node into `to` (NULL: they are counted).
static int32_t list_neighbours(Stars *stars, int32_t node, int32_t mark, PetscInt *to) {
  const lbFem *fem = stars->fem;
  int32_t count = 0;
  stars->seen[node] = mark;
  for (size_t i = stars->begin[node]; i < stars->begin[node + 1]; i++) {
    int32_t slot = stars->slots[i];
    const lbElementSet *set = lb_set_of_slot(fem, &slot);
    for (int32_t a = 0; a < lb_element_nodes(set->kind); a++) {
      int32_t other = fem->node_of_vertex[lb_slot_vertex(set, slot, a)];
      if (other < 0 || stars->seen[other] == mark) continue;
      stars->seen[other] = mark;
      if (to) to[count] = other;
      count++;
    }
  }
  return count;
}

typedef struct Slab { // of the graph, for MatCreateMPIAdj, which frees the arrays
  PetscInt *begin, *neighbours;
} Slab;

static int32_t slab_begin(int32_t node_count, int rank) {
  return (int32_t)((int64_t)node_count * rank / lb_ranks_count());
}

static void make_slab(Stars *stars, int rank, Slab *slab) {
  int32_t n = stars->fem->node_count, first = slab_begin(n, rank);
  int32_t rows = slab_begin(n, rank + 1) - first;
  LB_PETSC(PetscMalloc1(rows + 1, &slab->begin));
  slab->begin[0] = 0;
  for (int32_t i = 0; i < rows; i++)
    slab->begin[i + 1] = slab->begin[i] + list_neighbours(stars, first + i, first + i, NULL);
  LB_PETSC(PetscMalloc1(slab->begin[rows] + 1, &slab->neighbours));
  for (int32_t i = 0; i < rows; i++) // marks of its own for the second pass
    list_neighbours(stars, first + i, n + first + i, slab->neighbours + slab->begin[i]);
}

// Rank 0 sends each rank its slab.
static void send_slabs(const lbFem *whole, int32_t node_count, Slab *own) {
  int rank = lb_ranks_rank();
  int32_t rows = slab_begin(node_count, rank + 1) - slab_begin(node_count, rank);
  if (rank == 0) {
    Stars stars = { .fem = whole };
    open_stars(&stars);
    for (int r = lb_ranks_count() - 1; r > 0; r--) {
      Slab slab;
      int32_t count = slab_begin(node_count, r + 1) - slab_begin(node_count, r);
      make_slab(&stars, r, &slab);
      MPI_Send(slab.begin, count + 1, MPIU_INT, r, 0, PETSC_COMM_WORLD);
      MPI_Send(slab.neighbours, (int)slab.begin[count], MPIU_INT, r, 0, PETSC_COMM_WORLD);
      LB_PETSC(PetscFree(slab.begin));
      LB_PETSC(PetscFree(slab.neighbours));
    }
    make_slab(&stars, 0, own);
    release_stars(&stars);
    return;
  }
  LB_PETSC(PetscMalloc1(rows + 1, &own->begin));
  MPI_Recv(own->begin, rows + 1, MPIU_INT, 0, 0, PETSC_COMM_WORLD, MPI_STATUS_IGNORE);
  LB_PETSC(PetscMalloc1(own->begin[rows] + 1, &own->neighbours));
  MPI_Recv(own->neighbours, (int)own->begin[rows], MPIU_INT, 0, 0, PETSC_COMM_WORLD,
           MPI_STATUS_IGNORE);
}

// The slabs' owners, to rank 0.
static void collect_owners(int32_t node_count, const PetscInt *own, int32_t *owners) {
  int ranks = lb_ranks_count(), rank = lb_ranks_rank();
  int *counts = lb_ranks_alloc((size_t)ranks, sizeof(int));
  int *begin = lb_ranks_alloc((size_t)ranks, sizeof(int));
  for (int r = 0; r < ranks; r++) {
    begin[r] = slab_begin(node_count, r);
    counts[r] = slab_begin(node_count, r + 1) - begin[r];
  }
  MPI_Gatherv(own, counts[rank], MPIU_INT, owners, counts, begin, MPIU_INT, 0, PETSC_COMM_WORLD);
  lb_free(counts);
  lb_free(begin);
}

lbStatus lb_cut_nodes(const lbFem *whole, int32_t node_count, int32_t *owners, lbError *err) {
  _Static_assert(sizeof(PetscInt) == sizeof(int32_t), "owners are gathered as PetscInt");
  if (lb_ranks_count() == 1) return LB_OK; // all zero
  if (node_count < lb_ranks_count())
    return lb_fail(err, LB_ERR_ARGUMENT, "%d nodes are free, use no more ranks than that",
                   (int)node_count);
  Slab slab = { 0 };
  Mat graph;
  MatPartitioning cut;
  IS parts;
  const PetscInt *own;
  int rank = lb_ranks_rank();
  int32_t rows = slab_begin(node_count, rank + 1) - slab_begin(node_count, rank);
  send_slabs(whole, node_count, &slab);
  LB_PETSC(MatCreateMPIAdj(PETSC_COMM_WORLD, rows, node_count, slab.begin, slab.neighbours, NULL,
                           &graph));
  LB_PETSC(MatPartitioningCreate(PETSC_COMM_WORLD, &cut));
  LB_PETSC(MatPartitioningSetAdjacency(cut, graph));
  LB_PETSC(MatPartitioningSetType(cut, MATPARTITIONINGPTSCOTCH));
  LB_PETSC(MatPartitioningSetFromOptions(cut)); // -mat_partitioning_type parmetis, where it is
  LB_PETSC(MatPartitioningApply(cut, &parts));
  LB_PETSC(ISGetIndices(parts, &own));
  collect_owners(node_count, own, owners);
  LB_PETSC(ISRestoreIndices(parts, &own));
  LB_PETSC(ISDestroy(&parts));
  LB_PETSC(MatPartitioningDestroy(&cut));
  LB_PETSC(MatDestroy(&graph));
  return LB_OK;
}
