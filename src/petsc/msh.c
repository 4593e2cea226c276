// The header of a Gmsh file, and shares that become slabs.
#include "petsc/msh.h"

#include "limber/file.h"
#include "arrayio/text.h"

#include <math.h>
#include <stdlib.h>
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

static void grow_items(void **items, size_t count, size_t *capacity, size_t item_bytes) {
  if (count < *capacity) return;
  *capacity = 2 * *capacity + 1024;
  void *grown = lb_ranks_alloc(*capacity, item_bytes);
  if (count) memcpy(grown, *items, count * item_bytes);
  lb_free(*items);
  *items = grown;
}

static int32_t narrow(int64_t tag) { return tag < 0 || tag > INT32_MAX ? -1 : (int32_t)tag; }

void lb_msh_add_tag(lbMshShare *share, int64_t tag, int64_t place) {
  grow_items((void **)&share->tags, share->tag_count, &share->tag_capacity, sizeof *share->tags);
  share->tags[share->tag_count++] = (lbMshTag){ narrow(tag), (int32_t)place };
}

void lb_msh_add(lbMshShare *share, int64_t type, int64_t tag, const int64_t *nodes) {
  grow_items((void **)&share->elements, share->element_count, &share->element_capacity,
             sizeof *share->elements);
  lbSlabElement *e = &share->elements[share->element_count++];
  *e = (lbSlabElement){ .corners = lb_msh_corners(type), .tag = (int32_t)tag };
  for (int32_t a = 0; a < e->corners; a++) e->vertices[a] = narrow(nodes[a]);
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
  }
  slab->element_count = (int32_t)share->element_count;
  slab->elements = share->elements;
  share->elements = NULL;
}

// ---- what all ranks must agree on --------------------------------------------------------------

// The first reason that any rank has.
static const char *agree_on_reason(const char *reason) {
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

static const char *check_share(const lbMshShare *share) {
  int64_t sums[3] = { (int64_t)share->element_count, share->node_count, (int64_t)share->tag_count };
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
  int64_t nodes = share->node_total;
  if (nodes < 1 || nodes > INT32_MAX / 3 || sums[1] != nodes || sums[2] != nodes)
    return "of the number of its nodes";
  if (sums[0] < 1 || sums[0] > INT32_MAX / 2) return "of the number of its tets and bricks";
  for (size_t i = 0; i < 3 * (size_t)share->node_count; i++)
    if (!isfinite(share->positions[i])) return "a coordinate is not a number";
  return NULL;
}

// ---- vertices of elements ----------------------------------------------------------------------

static int by_tag(const void *a, const void *b) {
  int32_t x = ((const lbMshTag *)a)->tag, y = ((const lbMshTag *)b)->tag;
  return (x > y) - (x < y);
}

// Which tags there are: from *low on, *count, a number that is not much larger than that of nodes.
static const char *find_petsc_msh_range(lbMshShare *share, int32_t *low, int32_t *count) {
  int64_t range[2] = { -INT32_MAX, -1 }, nodes = share->node_total; // -least, most
  for (size_t i = 0; i < share->tag_count; i++) {
    if (-(int64_t)share->tags[i].tag > range[0]) range[0] = -(int64_t)share->tags[i].tag;
    if (share->tags[i].tag > range[1]) range[1] = share->tags[i].tag;
  }
  MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT64_T, MPI_MAX, PETSC_COMM_WORLD);
  int64_t total = range[1] + range[0] + 1;
  if (range[0] > 0 || total > 8 * nodes + 1000 || total > INT32_MAX)
    return "the numbers of its nodes are far apart";
  *low = (int32_t)-range[0];
  *count = (int32_t)total;
  return NULL;
}

// A directory of all tags, a slab on each rank: the node's place in the file; -1: there is none.
static int32_t *make_directory(lbMshShare *share, int32_t low, int32_t total, bool *twice) {
  int32_t count = (int32_t)share->tag_count, rank = lb_ranks_rank();
  int32_t begin = lb_slab_begin(total, rank), size = lb_slab_begin(total, rank + 1) - begin;
  int32_t *directory = lb_ranks_alloc((size_t)size + 1, sizeof *directory);
  int32_t *ranks = lb_ranks_alloc((size_t)count + 1, sizeof *ranks);
  qsort(share->tags, share->tag_count, sizeof *share->tags, by_tag);
  for (int32_t i = 0; i < count; i++) ranks[i] = lb_slab_rank(total, share->tags[i].tag - low);
  lbExchange exchange;
  lb_exchange_open(&exchange, count, ranks);
  lbMshTag *arrived = lb_ranks_alloc((size_t)exchange.received + 1, sizeof *arrived);
  lb_exchange_send(&exchange, sizeof *arrived, share->tags, arrived);
  for (int32_t i = 0; i < size; i++) directory[i] = -1;
  for (int32_t i = 0; i < exchange.received; i++) {
    int32_t *entry = &directory[arrived[i].tag - low - begin];
    *twice = *twice || *entry >= 0;
    *entry = arrived[i].place;
  }
  lb_exchange_release(&exchange);
  lb_free(ranks);
  lb_free(arrived);
  return directory;
}

// Tags of the elements' nodes become vertices.
static const char *find_petsc_msh_vertices(lbMshShare *share) {
  int32_t low, total;
  bool twice = false, missing = false;
  const char *reason = find_petsc_msh_range(share, &low, &total);
  if (reason) return reason; // alike on all ranks
  int32_t *directory = make_directory(share, low, total, &twice);
  size_t count = 0;
  int32_t *tags = lb_ranks_alloc(LB_ELEMENT_NODES_MAX * share->element_count + 1, sizeof *tags);
  for (size_t e = 0; e < share->element_count; e++)
    for (int32_t a = 0; a < share->elements[e].corners; a++) {
      int64_t tag = (int64_t)share->elements[e].vertices[a] - low;
      missing = missing || tag < 0 || tag >= total;
      tags[count++] = tag < 0 || tag >= total ? 0 : (int32_t)tag;
    }
  lbLookup lookup;
  lb_lookup_open(&lookup, total, count, tags);
  int32_t *places = lb_ranks_alloc((size_t)lookup.count + 1, sizeof *places);
  lb_lookup_fetch(&lookup, sizeof *places, directory, places);
  count = 0;
  for (size_t e = 0; e < share->element_count; e++)
    for (int32_t a = 0; a < share->elements[e].corners; a++) {
      int32_t place = places[lb_lookup_place(&lookup, tags[count++])];
      missing = missing || place < 0;
      share->elements[e].vertices[a] = place;
    }
  lb_lookup_release(&lookup);
  lb_free(directory);
  lb_free(tags);
  lb_free(places);
  return twice     ? "a node appears twice"
         : missing ? "an element has a node that is not there"
                   : NULL;
}

// ---- the file ----------------------------------------------------------------------------------

// "$MeshFormat", a line of three numbers, in binary files a number that shows the byte order.
static const char *read_petsc_msh_format(lbMshShare *share, bool *binary, const char **after) {
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
static const char *check_petsc_msh_file(lbStatus status, const lbFileMap *map) {
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
  *reason = check_petsc_msh_file(lb_file_map(path, &map, &err), &map);
  if (!*reason) {
    lbMshShare share = { .begin = (const char *)map.bytes,
                         .end = (const char *)map.bytes + map.byte_count };
    *reason = read_petsc_msh_format(&share, &binary, &after); // alike on all ranks
    if (!*reason)
      *reason =
          agree_on_reason(binary ? lb_msh_read_binary(&share, after) : lb_msh_read_text(&share));
    if (!*reason) *reason = agree_on_reason(check_share(&share));
    if (!*reason) *reason = agree_on_reason(find_petsc_msh_vertices(&share));
    if (!*reason) {
      slab->vertex_total = (int32_t)share.node_total;
      slab->repeats = share.version == 2;
      send_points(&share, slab);
      number_elements(&share, slab);
    }
    lb_free(share.positions);
    lb_free(share.tags);
    lb_free(share.elements);
  }
  lb_file_unmap(&map);
  return !*reason;
}
