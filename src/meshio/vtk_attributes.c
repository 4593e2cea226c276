// Legacy VTK's data on points and cells: moved over, but for cell arrays that mean groups.
#include "meshio/vtk.h"

#include <string.h>
#include <strings.h>

bool lb_vtk_type(const char *word, lbScalar *type) {
  static const struct {
    const char *word;
    lbScalar type;
  } types[] = {
    { "char", LB_SCALAR_INT8 },
    { "signed_char", LB_SCALAR_INT8 },
    { "unsigned_char", LB_SCALAR_UINT8 },
    { "vtktypeint8", LB_SCALAR_INT8 },
    { "vtktypeuint8", LB_SCALAR_UINT8 },
    { "short", LB_SCALAR_INT16 },
    { "unsigned_short", LB_SCALAR_UINT16 },
    { "vtktypeint16", LB_SCALAR_INT16 },
    { "vtktypeuint16", LB_SCALAR_UINT16 },
    { "int", LB_SCALAR_INT32 },
    { "unsigned_int", LB_SCALAR_UINT32 },
    { "vtktypeint32", LB_SCALAR_INT32 },
    { "vtktypeuint32", LB_SCALAR_UINT32 },
    { "vtkidtype", LB_SCALAR_INT32 },
    { "long", LB_SCALAR_INT64 },
    { "unsigned_long", LB_SCALAR_UINT64 },
    { "vtktypeint64", LB_SCALAR_INT64 },
    { "vtktypeuint64", LB_SCALAR_UINT64 },
    { "float", LB_SCALAR_FLOAT32 },
    { "vtktypefloat32", LB_SCALAR_FLOAT32 },
    { "double", LB_SCALAR_FLOAT64 },
    { "vtktypefloat64", LB_SCALAR_FLOAT64 },
  };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcasecmp(word, types[i].word) == 0) {
      *type = types[i].type;
      return true;
    }
  return false;
}

void lb_vtk_begin_data(lbVtk *vtk) {
  if (vtk->scan.binary) lb_text_skip_line(&vtk->scan.text);
}

// The array's numbers; those of a group array become tags.
static bool read_vtk_array(lbVtk *vtk, const char *name, lbScalar type, int64_t components,
                           int64_t tuples) {
  if (components < 0 || tuples < 0 || (components && tuples > INT64_MAX / components)) return false;
  bool wanted = vtk->in_cell_data && !vtk->has_tags && components == 1 &&
                tuples == vtk->tuple_count && lb_vtk_is_group_name(name);
  if (!wanted) return lb_scan_skip(&vtk->scan, type, components * tuples);
  vtk->has_tags = true;
  for (int64_t i = 0; i < tuples; i++) {
    double value = 0;
    if (!lb_scan_real(&vtk->scan, type, &value)) return false;
    bool is_tag = value > INT32_MIN && value <= INT32_MAX && value == (double)(int32_t)value;
    if (!lb_vtk_add_tag(&vtk->cells, is_tag ? (int32_t)value : 0)) {
      vtk->volume.builder.out_of_memory = true;
      return false;
    }
  }
  return true;
}

static bool read_vtk_type(lbVtk *vtk, lbScalar *type) {
  char word[32];
  return lb_text_word_in_line(&vtk->scan.text, word, sizeof word) && lb_vtk_type(word, type);
}

static bool read_scalars(lbVtk *vtk, const char *name) {
  lbText *text = &vtk->scan.text;
  lbScalar type;
  int64_t components = 1;
  char word[32];
  if (!read_vtk_type(vtk, &type)) return false;
  if (!lb_text_at_line_end(text) && !lb_text_integer_in_line(text, &components)) return false;
  lb_text_skip_line(text);
  lbText before = *text;
  if (lb_text_word(text, word, sizeof word) && strcasecmp(word, "LOOKUP_TABLE") == 0)
    lb_text_skip_line(text);
  else
    *text = before; // old files leave it out
  return read_vtk_array(vtk, name, type, components, vtk->tuple_count);
}

static bool read_vtk_field(lbVtk *vtk) {
  lbText *text = &vtk->scan.text;
  int64_t arrays = 0;
  if (!lb_text_integer_in_line(text, &arrays)) return false;
  for (int64_t i = 0; i < arrays; i++) {
    char name[128];
    int64_t components = 0, tuples = 0;
    lbScalar type;
    if (!lb_text_word(text, name, sizeof name)) return false;
    if (strcasecmp(name, "METADATA") == 0) { // belongs to the array before
      lb_vtk_read_attribute(vtk, name);
      i--;
      continue;
    }
    if (!lb_text_integer_in_line(text, &components) || !lb_text_integer_in_line(text, &tuples) ||
        !read_vtk_type(vtk, &type))
      return false;
    lb_vtk_begin_data(vtk);
    if (!read_vtk_array(vtk, name, type, components, tuples)) return false;
  }
  return true;
}

// Colours are bytes in binary files and fractions in text; either way only the count matters.
static bool skip_colours(lbVtk *vtk, int64_t components, int64_t tuples) {
  lb_vtk_begin_data(vtk);
  return read_vtk_array(vtk, "", LB_SCALAR_UINT8, components, tuples);
}

bool lb_vtk_read_attribute(lbVtk *vtk, const char *keyword) {
  static const struct {
    const char *keyword;
    int64_t components;
  } fixed[] = { { "VECTORS", 3 },  { "NORMALS", 3 },    { "TENSORS", 9 },
                { "TENSORS6", 6 }, { "GLOBAL_IDS", 1 }, { "PEDIGREE_IDS", 1 } };
  lbText *text = &vtk->scan.text;
  char name[128];
  int64_t count = 0;
  lbScalar type;
  if (strcasecmp(keyword, "METADATA") == 0) { // ends with an empty line
    lb_text_skip_line(text);
    while (!lb_text_at_end(text) && !lb_text_at_line_end(text)) lb_text_skip_line(text);
    return true;
  }
  if (!lb_text_word_in_line(text, name, sizeof name)) return false;
  if (strcasecmp(keyword, "SCALARS") == 0) return read_scalars(vtk, name);
  if (strcasecmp(keyword, "FIELD") == 0) return read_vtk_field(vtk);
  if (strcasecmp(keyword, "LOOKUP_TABLE") == 0)
    return lb_text_integer_in_line(text, &count) && skip_colours(vtk, 4, count);
  if (strcasecmp(keyword, "COLOR_SCALARS") == 0)
    return lb_text_integer_in_line(text, &count) && skip_colours(vtk, count, vtk->tuple_count);
  if (strcasecmp(keyword, "TEXTURE_COORDINATES") == 0) {
    if (!lb_text_integer_in_line(text, &count) || !read_vtk_type(vtk, &type)) return false;
    lb_vtk_begin_data(vtk);
    return read_vtk_array(vtk, "", type, count, vtk->tuple_count);
  }
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    if (strcasecmp(keyword, fixed[i].keyword) == 0) {
      if (!read_vtk_type(vtk, &type)) return false;
      lb_vtk_begin_data(vtk);
      return read_vtk_array(vtk, "", type, fixed[i].components, vtk->tuple_count);
    }
  return false;
}
