// Gmsh files in binary: records of known length. Every rank walks over the headers of blocks, which
// are few bytes, and reads the records of its share alone.
#include "petsc/msh.h"

#include "arrayio/text.h"

#include <string.h>

typedef struct Cursor {
  const char *at, *end;
} Cursor;

// Whether `count` items of so many bytes are there; moves over them.
static const char *take_items(Cursor *c, int64_t count, int64_t bytes) {
  if (count < 0 || count > (c->end - c->at) / bytes) return NULL;
  const char *found = c->at;
  c->at += count * bytes;
  return found;
}

static int32_t int_at(const char *at) {
  int32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static int64_t long_at(const char *at) {
  int64_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

// [*from, *to) of `count` items, of which `first` come before: what this rank has of them.
static void own_range(int64_t total, int64_t first, int64_t count, int64_t *from, int64_t *to) {
  int64_t begin = total * lb_ranks_rank() / lb_ranks_count() - first;
  int64_t end = total * (lb_ranks_rank() + 1) / lb_ranks_count() - first;
  *from = begin < 0 ? 0 : begin > count ? count : begin;
  *to = end < 0 ? 0 : end > count ? count : end;
}

static void open_nodes(lbMshShare *share, int64_t total) {
  int64_t end;
  share->node_total = total;
  own_range(total, 0, total, &share->node_first, &end);
  share->positions = lb_ranks_alloc((size_t)(end - share->node_first) + 1, 3 * sizeof(double));
}

static void add_node(lbMshShare *share, const char *xyz) {
  memcpy(share->positions + 3 * share->node_count++, xyz, 3 * sizeof(double));
}

static int64_t read_binary_count(Cursor *c) {
  lbText text = lb_text("", c->at, (size_t)(c->end - c->at));
  int64_t count = -1;
  if (!lb_text_integer(&text, &count)) return -1;
  lb_text_skip_line(&text);
  c->at = text.next;
  return count;
}

// ---- version 2 ---------------------------------------------------------------------------------

static const char *read_nodes_2(lbMshShare *share, Cursor *c) {
  int64_t count = read_binary_count(c), from, to;
  const char *records = take_items(c, count, 28);
  if (!records || count > INT32_MAX) return "of its nodes";
  open_nodes(share, count);
  own_range(count, 0, count, &from, &to);
  for (int64_t i = from; i < to; i++) {
    lb_msh_add_tag(share, int_at(records + 28 * i), i);
    add_node(share, records + 28 * i + 4);
  }
  return NULL;
}

static const char *read_elements_2(lbMshShare *share, Cursor *c) {
  int64_t total = read_binary_count(c), done = 0, nodes[8], from, to;
  while (done < total) {
    const char *head = take_items(c, 3, 4);
    if (!head) return "it ends early";
    int64_t type = int_at(head), count = int_at(head + 4), tags = int_at(head + 8);
    int32_t corners = lb_msh_corners(type);
    if (corners == 0 || tags < 0 || tags > 100 || count < 1) return "of an element's type";
    int64_t bytes = 4 * (1 + tags + corners);
    const char *records = take_items(c, count, bytes);
    if (!records) return "it ends early";
    own_range(total, done, count, &from, &to);
    for (int64_t i = from; i < to && (type == 4 || type == 5); i++) {
      const char *record = records + bytes * i;
      for (int32_t a = 0; a < corners; a++) nodes[a] = int_at(record + 4 * (1 + tags + a));
      lb_msh_add(share, type, tags ? int_at(record + 4) : 0, nodes);
    }
    done += count;
  }
  return NULL;
}

// ---- version 4 ---------------------------------------------------------------------------------

static const char *read_nodes_4(lbMshShare *share, Cursor *c) {
  const char *head = take_items(c, 4, 8);
  if (!head) return "it ends early";
  int64_t blocks = long_at(head), total = long_at(head + 8), done = 0, from, to;
  if (total < 0 || total > INT32_MAX || blocks < 0) return "of its nodes";
  open_nodes(share, total);
  for (int64_t b = 0; b < blocks; b++) {
    head = take_items(c, 20, 1);
    if (!head || int_at(head + 8) != 0) return "it has parametric nodes";
    int64_t count = long_at(head + 12);
    const char *tags = take_items(c, count, 8), *places = tags ? take_items(c, count, 24) : NULL;
    if (!places) return "it ends early";
    own_range(total, done, count, &from, &to);
    for (int64_t i = from; i < to; i++) {
      lb_msh_add_tag(share, long_at(tags + 8 * i), done + i);
      add_node(share, places + 24 * i);
    }
    done += count;
  }
  return done == total ? NULL : "of its nodes";
}

static const char *read_elements_4(lbMshShare *share, Cursor *c) {
  const char *head = take_items(c, 4, 8);
  if (!head) return "it ends early";
  int64_t blocks = long_at(head), total = long_at(head + 8), done = 0, nodes[8], from, to;
  for (int64_t b = 0; b < blocks; b++) {
    head = take_items(c, 20, 1);
    if (!head) return "it ends early";
    int64_t type = int_at(head + 8), count = long_at(head + 12);
    int32_t corners = lb_msh_corners(type);
    if (corners == 0) return "of an element's type";
    int64_t bytes = 8 * (1 + corners);
    const char *records = take_items(c, count, bytes);
    if (!records) return "it ends early";
    own_range(total, done, count, &from, &to);
    for (int64_t i = from; i < to && (type == 4 || type == 5); i++) {
      for (int32_t a = 0; a < corners; a++) nodes[a] = long_at(records + bytes * i + 8 * (1 + a));
      lb_msh_add(share, type, 0, nodes);
    }
    done += count;
  }
  return done == total ? NULL : "of its elements";
}

// ---- sections ----------------------------------------------------------------------------------

// The next word, and the line after it.
static bool read_binary_name(Cursor *c, char *name, size_t size) {
  lbText text = lb_text("", c->at, (size_t)(c->end - c->at));
  lb_text_skip_space(&text);
  bool found = lb_text_word(&text, name, size) > 0;
  lb_text_skip_line(&text);
  c->at = text.next;
  return found;
}

static bool skip_binary_section(Cursor *c, const char *name) {
  char word[80], end[90] = "$End";
  strncat(end, name + 1, sizeof word);
  while (c->at < c->end) {
    if ((size_t)(c->end - c->at) >= strlen(end) && memcmp(c->at, end, strlen(end)) == 0)
      return read_binary_name(c, word, sizeof word);
    const char *line = memchr(c->at, '\n', (size_t)(c->end - c->at));
    c->at = line ? line + 1 : c->end;
  }
  return false;
}

const char *lb_msh_read_binary(lbMshShare *share, const char *after_format) {
  Cursor c = { after_format, share->end };
  char name[64], end[64];
  int nodes = 0, elements = 0;
  bool old = share->version == 2;
  const char *reason = NULL;
  if (!read_binary_name(&c, end, sizeof end) || strcmp(end, "$EndMeshFormat") != 0)
    return "of its sections";
  while (!reason && read_binary_name(&c, name, sizeof name)) {
    if (strcmp(name, "$Nodes") == 0) {
      if (nodes++) return "of its sections";
      reason = old ? read_nodes_2(share, &c) : read_nodes_4(share, &c);
    } else if (strcmp(name, "$Elements") == 0) {
      if (elements++ || !nodes) return "of its sections";
      reason = old ? read_elements_2(share, &c) : read_elements_4(share, &c);
    } else {
      reason = name[0] == '$' && skip_binary_section(&c, name) ? NULL : "of its sections";
      continue;
    }
    if (!reason && (!read_binary_name(&c, end, sizeof end) || strncmp(end, "$End", 4) != 0 ||
                    strcmp(end + 4, name + 1) != 0))
      reason = "of its sections";
  }
  return reason ? reason : nodes && elements ? NULL : "of its sections";
}
