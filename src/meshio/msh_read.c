// Gmsh .msh, versions 2.2 and 4.1, text and binary: header, names, sections. Physical groups become
// groups; vertices keep the order of the file, whatever their tags are.
#include "meshio/formats.h"
#include "meshio/msh.h"

#include <stdio.h>
#include <string.h>

static lbStatus read_byte_order(lbMsh *msh, lbError *err) {
  lbScan *scan = &msh->scan;
  int64_t one = 0;
  lb_text_skip_line(&scan->text);
  scan->binary = true;
  if (!lb_scan_integer(scan, LB_SCALAR_INT32, &one) || (one != 1 && one != 0x01000000))
    return lb_scan_fail(
        scan, err,
        "a binary file has the number 1 after its header, to tell the byte order; it is missing");
  scan->swapped = one != 1;
  return LB_OK;
}

static lbStatus read_msh_format(lbMsh *msh, lbError *err) {
  lbScan *scan = &msh->scan;
  double version = 0;
  int64_t type = 0, data_bytes = 0;
  if (msh->version) return lb_scan_fail(scan, err, "$MeshFormat appears twice");
  if (!lb_text_number(&scan->text, &version) || !lb_text_integer_in_line(&scan->text, &type) ||
      !lb_text_integer_in_line(&scan->text, &data_bytes))
    return lb_scan_fail(scan, err, "$MeshFormat must hold version, file type and data size");
  if (version >= 2 && version < 3) msh->version = 2;
  if (version >= 4.1 - 1e-9 && version < 4.2) msh->version = 4;
  if (!msh->version)
    return lb_scan_unsupported(
        scan, err, "Gmsh format %g is not supported, save as 4.1 or 2.2 (gmsh -format msh41)",
        version);
  if (type != 0 && type != 1)
    return lb_scan_fail(scan, err, "the file type is %lld, it must be 0 (text) or 1 (binary)",
                        (long long)type);
  if (type == 1 && data_bytes != 8)
    return lb_scan_unsupported(scan, err, "binary data of size %lld is not supported, only 8",
                               (long long)data_bytes);
  return type == 1 ? read_byte_order(msh, err) : LB_OK;
}

// The text between the quotes; NULL if there is none in this line.
static const char *read_quoted(lbMsh *msh, size_t *length) {
  lbText *text = &msh->scan.text;
  lb_text_skip_blanks(text);
  if (lb_text_at_end(text) || *text->next != '"') return NULL;
  const char *begin = ++text->next;
  while (text->next < text->end && *text->next != '"' && *text->next != '\n') text->next++;
  if (lb_text_at_end(text) || *text->next != '"') return NULL;
  *length = (size_t)(text->next++ - begin);
  return begin;
}

static lbStatus read_msh_name(lbMsh *msh, lbError *err) {
  int64_t dimension = 0, tag = 0;
  size_t length = 0;
  if (!lb_text_integer(&msh->scan.text, &dimension) || !lb_text_integer(&msh->scan.text, &tag))
    return lb_scan_fail(&msh->scan, err, "a physical name must be: dimension tag \"name\"");
  if (dimension < 0 || dimension > 3 || tag < 0 || tag > INT32_MAX)
    return lb_scan_fail(&msh->scan, err, "there is no physical group %lld of dimension %lld",
                        (long long)tag, (long long)dimension);
  const char *name = read_quoted(msh, &length);
  if (!name) return lb_scan_fail(&msh->scan, err, "a physical name must be in quotes");
  char *copy = lb_arena_alloc(&msh->arena, length + 1, 1);
  int64_t key = lb_msh_key((int32_t)dimension, tag);
  int32_t number = copy ? lb_hash_table_add(&msh->name_index, &key) : -1;
  if (number < 0 ||
      !lb_grow((void **)&msh->names, &msh->name_capacity, (size_t)number + 1, sizeof *msh->names))
    return lb_fail_memory(err);
  memcpy(copy, name, length);
  msh->names[number] = copy; // of two names for one group the last counts
  return LB_OK;
}

// Text in binary files too.
static lbStatus read_names(lbMsh *msh, lbError *err) {
  int64_t count = 0;
  if (!lb_text_integer(&msh->scan.text, &count))
    return lb_scan_fail(&msh->scan, err, "expected the count of physical names");
  lbStatus status = lb_scan_check_count(&msh->scan, count, 6, 6, "physical names", err);
  for (int64_t i = 0; i < count && !status; i++) status = read_msh_name(msh, err);
  return status;
}

static lbStatus skip_msh_section(lbMsh *msh, const char *name, lbError *err) {
  lbText *text = &msh->scan.text;
  char end[80];
  int length = snprintf(end, sizeof end, "$End%s", name);
  for (; !lb_text_at_end(text); lb_text_skip_line(text)) {
    lb_text_skip_blanks(text);
    if (text->end - text->next >= length && memcmp(text->next, end, (size_t)length) == 0)
      return LB_OK;
  }
  return lb_scan_fail(&msh->scan, err, "section $%s has no %s", name, end);
}

static lbStatus read_msh_section(lbMsh *msh, const char *name, lbError *err) {
  bool is_nodes = strcmp(name, "Nodes") == 0, is_elements = strcmp(name, "Elements") == 0;
  if (strcmp(name, "MeshFormat") == 0) return read_msh_format(msh, err);
  if (!msh->version && strcmp(name, "Comments") != 0)
    return lb_scan_fail(&msh->scan, err, "$MeshFormat must come before $%s", name);
  if (strcmp(name, "PhysicalNames") == 0) return read_names(msh, err);
  if (msh->scan.binary) lb_text_skip_line(&msh->scan.text);
  if (is_nodes || is_elements) {
    bool *seen = is_nodes ? &msh->has_nodes : &msh->has_elements;
    if (*seen) return lb_scan_fail(&msh->scan, err, "$%s appears twice", name);
    if (is_elements && !msh->has_nodes)
      return lb_scan_fail(&msh->scan, err, "$Nodes must come before $Elements");
    *seen = true;
    if (is_nodes) return (msh->version == 2 ? lb_msh2_nodes : lb_msh4_nodes)(msh, err);
    return (msh->version == 2 ? lb_msh2_elements : lb_msh4_elements)(msh, err);
  }
  if (strcmp(name, "Entities") == 0 && msh->version == 4) return lb_msh4_entities(msh, err);
  return skip_msh_section(msh, name, err);
}

static lbStatus read_msh_sections(lbMsh *msh, lbError *err) {
  lbText *text = &msh->scan.text;
  char name[64], end[64], expected[70];
  for (;;) {
    lb_text_skip_space(text);
    if (lb_text_at_end(text)) break;
    lb_text_word(text, name, sizeof name);
    if (name[0] != '$')
      return lb_scan_fail(&msh->scan, err,
                          msh->version
                              ? "expected a section ($Nodes, ...), found \"%.40s\""
                              : "is not a Gmsh file, it must begin with $MeshFormat, not \"%.40s\"",
                          name);
    lbStatus status = read_msh_section(msh, name + 1, err);
    if (status) return status;
    lb_text_word(text, end, sizeof end);
    snprintf(expected, sizeof expected, "$End%s", name + 1);
    if (strcmp(end, expected) != 0)
      return lb_scan_fail(&msh->scan, err, "expected %s, found \"%.40s\"", expected, end);
  }
  if (!msh->version) return lb_scan_fail(&msh->scan, err, "is not a Gmsh file: no $MeshFormat");
  if (!msh->has_nodes) return lb_scan_fail(&msh->scan, err, "has no $Nodes section");
  if (!msh->has_elements) return lb_scan_fail(&msh->scan, err, "has no $Elements section");
  return LB_OK;
}

lbStatus lb_read_msh(const char *path, const char *content, size_t bytes, lbMesh **out,
                     lbError *err) {
  lbMsh msh = { .scan = lb_scan(path, content, bytes),
                .nodes = lb_hash_table(sizeof(int64_t)),
                .name_index = lb_hash_table(sizeof(int64_t)),
                .entity_index = lb_hash_table(sizeof(int64_t)),
                .cells = lb_hash_table(9 * sizeof(int32_t)) };
  lb_volume_begin(&msh.volume);
  lbStatus status = read_msh_sections(&msh, err);
  if (!status) status = lb_volume_finish(&msh.volume, path, out, err);
  lb_volume_abort(&msh.volume);
  lb_hash_table_release(&msh.nodes);
  lb_hash_table_release(&msh.name_index);
  lb_hash_table_release(&msh.entity_index);
  lb_hash_table_release(&msh.cells);
  lb_free(msh.names);
  lb_free(msh.entities);
  lb_free(msh.physicals);
  lb_free(msh.cell_records);
  lb_arena_release(&msh.arena);
  return status;
}
