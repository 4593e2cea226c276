// Gmsh files in text. Sections are found by all ranks together, each looking through its own bytes
// for lines that begin with '$'. The lines of a section are shared out by bytes; a rank has those
// that begin among its own, and knows their numbers once all have counted theirs.
#include "petsc/msh.h"

#include "arrayio/text.h"

#include <string.h>

typedef struct Section {
  const char *begin, *end; // its body
} Section;

// ---- sections ----------------------------------------------------------------------------------

enum { MARKS_MOST = 64 }; // of a rank

static const char *find_marks(const lbMshShare *share, int64_t *marks) {
  int64_t bytes = share->end - share->begin, count = 0;
  const char *at = share->begin + bytes * lb_ranks_rank() / lb_ranks_count();
  const char *stop = share->begin + bytes * (lb_ranks_rank() + 1) / lb_ranks_count();
  for (int i = 0; i < MARKS_MOST; i++) marks[i] = -1;
  for (; at < stop; at++) {
    at = memchr(at, '$', (size_t)(stop - at));
    if (!at) break;
    if (at > share->begin && at[-1] != '\n') continue;
    if (count == MARKS_MOST) return "it has many sections";
    marks[count++] = at - share->begin;
  }
  return NULL;
}

static bool starts_with(const char *at, const char *end, const char *word) {
  size_t length = strlen(word);
  return (size_t)(end - at) > length && memcmp(at, word, length) == 0 && (at[length] & 255) <= ' ';
}

static const char *skip_line(const char *at, const char *end) {
  const char *found = memchr(at, '\n', (size_t)(end - at));
  return found ? found + 1 : end;
}

static size_t word_length(const char *at, const char *end) {
  const char *stop = at;
  while (stop < end && (*stop & 255) > ' ') stop++;
  return (size_t)(stop - at);
}

// Whether every $Name is followed by its $EndName.
static bool check_pairs(const lbMshShare *share, const int64_t *marks, int32_t count) {
  const char *opened = NULL; // after its '$'
  size_t length = 0;
  for (int32_t i = 0; i < count; i++) {
    if (marks[i] < 0) continue;
    const char *at = share->begin + marks[i];
    size_t here = word_length(at, share->end);
    if (!opened) {
      opened = at + 1;
      length = here - 1;
    } else {
      if (here != length + 4 || memcmp(at, "$End", 4) != 0 || memcmp(at + 4, opened, length) != 0)
        return false;
      opened = NULL;
    }
  }
  return !opened;
}

// The only section of this name; all of them are in pairs.
static bool find_section(const lbMshShare *share, const int64_t *marks, int32_t count,
                         const char *name, Section *section) {
  int found = 0;
  for (int32_t i = 0; i < count; i++) {
    if (marks[i] < 0) continue;
    const char *at = share->begin + marks[i];
    if (!starts_with(at, share->end, name)) continue;
    section->begin = skip_line(at, share->end);
    do i++;
    while (marks[i] < 0);
    section->end = share->begin + marks[i];
    found++;
  }
  return found == 1 && section->begin <= section->end;
}

// ---- lines -------------------------------------------------------------------------------------

// This rank's lines of a section that are not blank.
typedef struct Lines {
  const char *begin, *end;
  int64_t *first; // (ranks + 1) the number of each rank's first line
  const char *next;
  int64_t number; // of `next`
} Lines;

static bool is_blank(const char *at, const char *stop) {
  while (at < stop && (*at & 255) <= ' ') at++;
  return at == stop;
}

// The next line; false: there is none. lines->number is that of the line after it.
static bool next_line(Lines *lines, const char **begin, const char **end) {
  while (lines->next < lines->end) {
    *begin = lines->next;
    lines->next = skip_line(*begin, lines->end);
    *end = lines->next;
    if (is_blank(*begin, *end)) continue;
    lines->number++;
    return true;
  }
  return false;
}

static void rewind_lines(Lines *lines) {
  lines->next = lines->begin;
  lines->number = lines->first[lb_ranks_rank()];
}

static void open_lines(const Section *section, Lines *lines) {
  int ranks = lb_ranks_count(), rank = lb_ranks_rank();
  int64_t bytes = section->end - section->begin, count = 0;
  const char *from[2];
  for (int i = 0; i < 2; i++) { // a line belongs to the rank that has its first byte
    int64_t at = bytes * (rank + i) / ranks;
    from[i] = section->begin + at;
    if (at > 0 && at < bytes && from[i][-1] != '\n') from[i] = skip_line(from[i], section->end);
  }
  *lines = (Lines){ .begin = from[0], .end = from[1] };
  lines->first = lb_ranks_alloc((size_t)ranks + 1, sizeof(int64_t));
  rewind_lines(lines);
  const char *begin, *end;
  while (next_line(lines, &begin, &end)) count++;
  MPI_Allgather(&count, 1, MPI_INT64_T, lines->first + 1, 1, MPI_INT64_T, PETSC_COMM_WORLD);
  for (int r = 0; r < ranks; r++) lines->first[r + 1] += lines->first[r];
  rewind_lines(lines);
}

// Integers of a line; how many there are, -1: something else is in it, or more than `most`.
static int32_t read_integers(const char *at, const char *end, int32_t most, int64_t *values) {
  int32_t count = 0;
  for (;;) {
    while (at < end && (*at & 255) <= ' ') at++;
    if (at == end) return count;
    int64_t value = 0;
    size_t length = lb_parse_integer(at, end, &value);
    if (length == 0 || count == most) return -1;
    values[count++] = value;
    at += length;
  }
}

// The integers of a line of any rank, which all ranks get. Lines are asked for in ascending order.
static int32_t share_line(Lines *lines, int64_t number, int32_t most, int64_t *values) {
  int owner = 0, ranks = lb_ranks_count();
  int64_t found[8] = { -1 };
  const char *begin, *end;
  if (number >= lines->first[ranks]) return -1;
  while (number >= lines->first[owner + 1]) owner++;
  if (owner == lb_ranks_rank()) {
    while (lines->number <= number && next_line(lines, &begin, &end)) continue;
    found[0] = read_integers(begin, end, most, found + 1);
  }
  MPI_Bcast(found, 8, MPI_INT64_T, owner, PETSC_COMM_WORLD);
  memcpy(values, found + 1, (size_t)most * sizeof *values);
  return (int32_t)found[0];
}

// ---- nodes -------------------------------------------------------------------------------------

typedef struct Block { // lines of one kind, after its header
  int64_t line, count; // the first line; items
  int64_t first;       // item
  int64_t type;
} Block;

typedef struct Blocks {
  Block *items;
  int64_t count;
  int64_t total; // items over all ranks
} Blocks;

// Version 2 has one block after a line with its count, version 4 has headers of four numbers: of
// nodes with two lines for each node, its tag and its place.
static const char *list_text_blocks(const lbMshShare *share, Lines *lines, bool nodes,
                                    Blocks *blocks) {
  int64_t head[4], line = 1;
  int32_t got = share_line(lines, 0, 4, head);
  bool old = share->version == 2;
  int64_t lines_all = lines->first[lb_ranks_count()];
  if (got != (old ? 1 : 4) || head[0] < 0 || head[0] > lines_all) return "of a count";
  blocks->count = old ? 1 : head[0];
  blocks->items = lb_ranks_alloc((size_t)blocks->count + 1, sizeof(Block));
  if (old) {
    blocks->items[0] = (Block){ .line = 1, .count = head[0] };
    blocks->total = head[0];
    return lines_all == 1 + head[0] ? NULL : "of its lines";
  }
  int64_t expected = head[1];
  for (int64_t b = 0; b < blocks->count; b++) {
    if (share_line(lines, line, 4, head) != 4 || head[3] < 0 || head[3] > lines_all)
      return "of a block's header";
    if (nodes && head[2] != 0) return "it has parametric nodes";
    blocks->items[b] = (Block){ line + 1, head[3], blocks->total, head[2] };
    blocks->total += head[3];
    line += 1 + (nodes ? 2 : 1) * head[3];
  }
  return line == lines_all && blocks->total == expected ? NULL : "of its lines";
}

// Four numbers of a line, or three.
static bool read_text_point(const char *at, const char *end, bool tagged, int64_t *tag,
                            double x[3]) {
  for (int i = tagged ? -1 : 0; i < 3; i++) {
    while (at < end && (*at & 255) <= ' ') at++;
    size_t length = i < 0 ? lb_parse_integer(at, end, tag) : lb_parse_number(at, end, &x[i]);
    if (length == 0) return false;
    at += length;
  }
  return is_blank(at, end);
}

static const char *read_text_nodes(lbMshShare *share, Lines *lines, const Blocks *blocks) {
  const char *begin, *end;
  bool old = share->version == 2;
  int64_t b = 0, tag = 0, most = lines->first[lb_ranks_rank() + 1] - lines->first[lb_ranks_rank()];
  share->node_total = blocks->total;
  share->positions = lb_ranks_alloc((size_t)most + 1, 3 * sizeof(double));
  rewind_lines(lines);
  while (next_line(lines, &begin, &end)) {
    int64_t line = lines->number - 1;
    while (b + 1 < blocks->count && line >= blocks->items[b + 1].line - 1) b++;
    if (b >= blocks->count || line < blocks->items[b].line) continue; // a header
    const Block *block = &blocks->items[b];
    int64_t place = line - block->line;
    if (!old && place < block->count) {
      if (read_integers(begin, end, 1, &tag) != 1) return "of a node's line";
      lb_msh_add_tag(share, tag, block->first + place);
      continue;
    }
    int64_t node = block->first + place - (old ? 0 : block->count);
    if (!read_text_point(begin, end, old, &tag, share->positions + 3 * share->node_count))
      return "of a node's line";
    if (old) lb_msh_add_tag(share, tag, node);
    if (share->node_count++ == 0) share->node_first = node;
  }
  return NULL;
}

// ---- elements ----------------------------------------------------------------------------------

// number, type, count of tags, tags, nodes
static const char *add_old(lbMshShare *share, int32_t count, const int64_t *n) {
  if (count < 3 || n[2] < 0 || n[2] > count - 3) return "of an element's line";
  int32_t corners = lb_msh_corners(n[1]);
  if (corners == 0 || count != 3 + n[2] + corners) return "of an element's type";
  int64_t physical = n[2] > 0 ? n[3] : 0;
  if (physical < -INT32_MAX || physical > INT32_MAX) return "of an element's tag";
  if (n[1] == 4 || n[1] == 5) lb_msh_add(share, n[1], physical, n + 3 + n[2]);
  return NULL;
}

static const char *read_elements(lbMshShare *share, Lines *lines, const Blocks *blocks) {
  enum { MOST = 32 };
  const char *begin, *end, *reason = NULL;
  int64_t b = 0, n[MOST];
  rewind_lines(lines);
  while (!reason && next_line(lines, &begin, &end)) {
    int64_t line = lines->number - 1;
    while (b + 1 < blocks->count && line >= blocks->items[b + 1].line - 1) b++;
    if (b >= blocks->count || line < blocks->items[b].line) continue; // a header
    int64_t type = blocks->items[b].type;
    int32_t count = read_integers(begin, end, MOST, n);
    if (share->version == 2)
      reason = add_old(share, count, n);
    else if (lb_msh_corners(type) == 0 || count != 1 + lb_msh_corners(type))
      reason = "of an element's type";
    else if (type == 4 || type == 5)
      lb_msh_add(share, type, 0, n + 1);
  }
  return reason;
}

// ---- the file ----------------------------------------------------------------------------------

typedef const char *Reader(lbMshShare *share, Lines *lines, const Blocks *blocks);

static const char *read_text_section(lbMshShare *share, const Section *section, bool nodes,
                                     Reader *reader) {
  Lines lines;
  Blocks blocks = { 0 };
  open_lines(section, &lines);
  const char *reason = list_text_blocks(share, &lines, nodes, &blocks);
  if (!reason) reason = reader(share, &lines, &blocks);
  lb_free(lines.first);
  lb_free(blocks.items);
  return reason;
}

const char *lb_msh_read_text(lbMshShare *share) {
  int32_t count = MARKS_MOST * lb_ranks_count();
  int64_t own[MARKS_MOST], *marks = lb_ranks_alloc((size_t)count, sizeof *marks);
  bool many = find_marks(share, own) != NULL;
  Section nodes, elements;
  MPI_Allgather(own, MARKS_MOST, MPI_INT64_T, marks, MARKS_MOST, MPI_INT64_T, PETSC_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &many, 1, MPI_C_BOOL, MPI_LOR, PETSC_COMM_WORLD);
  bool found = !many && check_pairs(share, marks, count) &&
               find_section(share, marks, count, "$Nodes", &nodes) &&
               find_section(share, marks, count, "$Elements", &elements) &&
               nodes.end <= elements.begin;
  lb_free(marks);
  if (!found) return "of its sections"; // alike on all ranks
  const char *first = read_text_section(share, &nodes, true, read_text_nodes);
  const char *second = read_text_section(share, &elements, false, read_elements);
  return first ? first : second;
}
