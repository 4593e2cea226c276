// The header of a Gmsh file, and shares that become slabs.
#include "petsc/msh.h"

#include "limber/file.h"
#include "numbers/text.h"

#include <math.h>
#include <string.h>

int32_t lb_msh_corners(int64_t type) {
  switch (type) {
  case 1: return 2;
  case 2: return 3;
  case 3:
  case 4: return 4;
  case 5: return 8;
  case 15: return 1;
  default: return 0;
  }
}

void lb_msh_note_tag(lbMshShare *share, int64_t tag, int64_t place) {
  int64_t base = tag - place;
  if (base < share->base_low) share->base_low = base;
  if (base > share->base_high) share->base_high = base;
}

void lb_msh_add(lbMshShare *share, int64_t type, int64_t tag, const int64_t *nodes) {
  if (share->element_count == share->element_capacity) {
    size_t capacity = 2 * share->element_capacity + 1024;
    lbSlabElement *grown = lb_ranks_alloc(capacity, sizeof *grown);
    if (share->elements) memcpy(grown, share->elements, share->element_count * sizeof *grown);
    lb_free(share->elements);
    share->elements = grown;
    share->element_capacity = capacity;
  }
  lbSlabElement *e = &share->elements[share->element_count++];
  *e = (lbSlabElement){ .corners = lb_msh_corners(type), .tag = (int32_t)tag };
  for (int32_t a = 0; a < e->corners; a++)
    e->vertices[a] = nodes[a] < 0 || nodes[a] > INT32_MAX ? -1 : (int32_t)nodes[a];
}

// ---- from shares to slabs ----------------------------------------------------------------------

typedef struct Point {
  double x[3];
} Point;

// Nodes to the ranks whose slabs have them.
static void send_points(const lbMshShare *share, lbSlab *slab) {
  int32_t count = (int32_t)share->node_count;
  int32_t *ranks = lb_ranks_alloc((size_t)count + 1, sizeof *ranks);
  for (int32_t i = 0; i < count; i++)
    ranks[i] = lb_slab_rank(slab->vertex_total, (int32_t)share->node_first + i);
  lbExchange exchange;
  lb_exchange_open(&exchange, count, ranks);
  lb_free(ranks);
  slab->vertex_begin = lb_slab_begin(slab->vertex_total, lb_ranks_rank());
  slab->vertex_count = exchange.received;
  slab->positions = lb_ranks_alloc((size_t)exchange.received + 1, sizeof(Point));
  slab->fixed = lb_ranks_alloc((size_t)exchange.received + 1, sizeof(bool));
  lb_exchange_send(&exchange, sizeof(Point), share->positions, slab->positions);
  lb_exchange_release(&exchange);
}

// Tets come first in the numbering of a mesh.
static void number_elements(lbMshShare *share, lbSlab *slab) {
  int32_t counts[2] = { 0 }, begin[2] = { 0 }, totals[2];
  for (size_t e = 0; e < share->element_count; e++)
    counts[share->elements[e].corners == 4 ? 0 : 1]++;
  MPI_Exscan(counts, begin, 2, MPI_INT32_T, MPI_SUM, PETSC_COMM_WORLD);
  if (lb_ranks_rank() == 0) begin[0] = begin[1] = 0;
  MPI_Allreduce(counts, totals, 2, MPI_INT32_T, MPI_SUM, PETSC_COMM_WORLD);
  slab->tet_total = totals[0];
  slab->brick_total = totals[1];
  for (size_t e = 0; e < share->element_count; e++) {
    lbSlabElement *element = &share->elements[e];
    element->number = element->corners == 4 ? begin[0]++ : totals[0] + begin[1]++;
    for (int32_t a = 0; a < element->corners; a++) element->vertices[a] -= (int32_t)share->base_low;
  }
  slab->element_count = (int32_t)share->element_count;
  slab->elements = share->elements;
  share->elements = NULL;
}

// ---- what all ranks must agree on --------------------------------------------------------------

// The first reason that any rank has.
static const char *agree(const char *reason) {
  char text[80] = "";
  static char shared[80];
  int ranks = lb_ranks_count(), mine = reason ? lb_ranks_rank() : ranks, first = ranks;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
  if (first == ranks) return NULL;
  if (reason) strncpy(text, reason, sizeof text - 1);
  MPI_Bcast(text, (int)sizeof text, MPI_CHAR, first, PETSC_COMM_WORLD);
  memcpy(shared, text, sizeof shared);
  return shared;
}

static const char *check_numbers(const lbMshShare *share) {
  if (share->base_low < 0 || share->base_low > INT32_MAX) return "its nodes have large numbers";
  for (size_t i = 0; i < 3 * (size_t)share->node_count; i++)
    if (!isfinite(share->positions[i])) return "a coordinate is not a number";
  for (size_t e = 0; e < share->element_count; e++)
    for (int32_t a = 0; a < share->elements[e].corners; a++) {
      int64_t place = share->elements[e].vertices[a] - share->base_low;
      if (place < 0 || place >= share->node_total) return "an element has a node that is not there";
    }
  return NULL;
}

static const char *check_share(lbMshShare *share) {
  int64_t sums[2] = { (int64_t)share->element_count, share->node_count };
  int64_t bases[2] = { -share->base_low, share->base_high };
  MPI_Allreduce(MPI_IN_PLACE, bases, 2, MPI_INT64_T, MPI_MAX, PETSC_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
  share->base_low = -bases[0];
  share->base_high = bases[1];
  if (share->node_total < 1 || share->node_total > INT32_MAX / 3 || sums[1] != share->node_total)
    return "of the number of its nodes";
  if (share->base_low != share->base_high) return "its nodes are not numbered one after another";
  if (sums[0] < 1 || sums[0] > INT32_MAX / 2) return "of the number of its tets and bricks";
  return check_numbers(share);
}

// "$MeshFormat", a line of three numbers, in binary files a number that tells the byte order.
static const char *read_format(lbMshShare *share, bool *binary, const char **after) {
  lbText text = lb_text("", share->begin, (size_t)(share->end - share->begin));
  char word[32];
  double version = 0;
  int64_t type = 0, bytes = 0;
  lb_text_word(&text, word, sizeof word);
  if (strcmp(word, "$MeshFormat") != 0 || !lb_text_number(&text, &version) ||
      !lb_text_integer_in_line(&text, &type) || !lb_text_integer_in_line(&text, &bytes))
    return "it does not begin with $MeshFormat";
  share->version = version >= 2 && version < 3 ? 2 : version >= 4.0999 && version < 4.2 ? 4 : 0;
  if (!share->version || (type != 0 && type != 1) || bytes != 8) return "of its version";
  *binary = type == 1;
  lb_text_skip_line(&text);
  if (*binary) {
    int32_t one = 0;
    if (text.end - text.next < 4) return "it ends early";
    memcpy(&one, text.next, sizeof one);
    if (one != 1) return "of its byte order";
    text.next += 4;
  }
  *after = text.next;
  return NULL;
}

// All ranks see the same file.
static const char *check_file(lbStatus status, const lbFileMap *map) {
  int64_t sizes[2] = { status ? -1 : (int64_t)map->byte_count,
                       status ? -1 : -(int64_t)map->byte_count },
          most[2];
  MPI_Allreduce(sizes, most, 2, MPI_INT64_T, MPI_MAX, PETSC_COMM_WORLD);
  bool bad = status != LB_OK;
  MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_C_BOOL, MPI_LOR, PETSC_COMM_WORLD);
  return bad || most[0] != -most[1] ? "not all ranks can open it" : NULL;
}

bool lb_msh_read_slab(const char *path, lbSlab *slab, const char **reason) {
  lbError err;
  lbFileMap map = { 0 };
  const char *after = NULL;
  bool binary = false;
  *reason = check_file(lb_file_map(path, &map, &err), &map);
  if (!*reason) {
    lbMshShare share = { .begin = (const char *)map.bytes,
                         .end = (const char *)map.bytes + map.byte_count,
                         .base_low = INT64_MAX / 2,
                         .base_high = -INT64_MAX / 2 };
    *reason = read_format(&share, &binary, &after); // alike on all ranks
    if (!*reason)
      *reason = agree(binary ? lb_msh_read_binary(&share, after) : lb_msh_read_text(&share));
    if (!*reason) *reason = agree(check_share(&share));
    if (!*reason) {
      slab->vertex_total = (int32_t)share.node_total;
      slab->repeats = share.version == 2;
      send_points(&share, slab);
      number_elements(&share, slab);
    }
    lb_free(share.positions);
    lb_free(share.elements);
  }
  lb_file_unmap(&map);
  return !*reason;
}
