// Parsing the header of a PLY file, line by line.
#include "meshio/ply_header.h"

#include <string.h>

static bool find_ply_type(const char *name, lbScalar *type) {
  static const struct {
    const char *name;
    lbScalar type;
  } types[] = {
    { "char", LB_SCALAR_INT8 },      { "int8", LB_SCALAR_INT8 },
    { "uchar", LB_SCALAR_UINT8 },    { "uint8", LB_SCALAR_UINT8 },
    { "short", LB_SCALAR_INT16 },    { "int16", LB_SCALAR_INT16 },
    { "ushort", LB_SCALAR_UINT16 },  { "uint16", LB_SCALAR_UINT16 },
    { "int", LB_SCALAR_INT32 },      { "int32", LB_SCALAR_INT32 },
    { "uint", LB_SCALAR_UINT32 },    { "uint32", LB_SCALAR_UINT32 },
    { "float", LB_SCALAR_FLOAT32 },  { "float32", LB_SCALAR_FLOAT32 },
    { "double", LB_SCALAR_FLOAT64 }, { "float64", LB_SCALAR_FLOAT64 },
  };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].name, name) == 0) {
      *type = types[i].type;
      return true;
    }
  return false;
}

static lbStatus read_ply_type(lbText *text, lbScalar *type, lbError *err) {
  char word[64];
  lb_text_word_in_line(text, word, sizeof word);
  if (find_ply_type(word, type)) return LB_OK;
  return lb_text_fail(text, err, "unknown type \"%s\"", word);
}

static lbStatus read_ply_name(lbText *text, char name[64], lbError *err) {
  size_t length = lb_text_word_in_line(text, name, 64);
  if (length > 0 && length < 64) return LB_OK;
  return lb_text_fail(text, err, length ? "this name is longer than 63 bytes" : "no name here");
}

static lbStatus read_ply_format(lbText *text, lbPlyHeader *header, lbError *err) {
  static const char *const names[] = { "ascii", "binary_little_endian", "binary_big_endian" };
  char word[64];
  lb_text_word_in_line(text, word, sizeof word);
  for (int i = 0; i < 3; i++)
    if (strcmp(word, names[i]) == 0) {
      header->encoding = (lbPlyEncoding)i;
      return LB_OK;
    }
  return lb_text_fail(text, err,
                      "format \"%s\" is unknown, it should be ascii, binary_little_endian or "
                      "binary_big_endian",
                      word);
}

static lbStatus read_element(lbText *text, lbPlyHeader *header, lbError *err) {
  lbPlyElement element = { .property_begin = header->property_count, .line = text->line };
  lbStatus status = read_ply_name(text, element.name, err);
  if (status) return status;
  if (!lb_text_integer_in_line(text, &element.count) || element.count < 0)
    return lb_text_fail(text, err, "cannot read the number of \"%s\"", element.name);
  if (!lb_grow((void **)&header->elements, &header->element_capacity,
               (size_t)header->element_count + 1, sizeof element))
    return lb_fail_memory(err);
  header->elements[header->element_count++] = element;
  return LB_OK;
}

static lbStatus read_property(lbText *text, lbPlyHeader *header, lbError *err) {
  lbPlyProperty property = { .is_list = false };
  char word[64];
  lbText before = *text;
  if (header->element_count == 0)
    return lb_text_fail(text, err, "a property comes before the first element");
  lb_text_word_in_line(text, word, sizeof word);
  property.is_list = strcmp(word, "list") == 0;
  lbStatus status = LB_OK;
  if (property.is_list)
    status = read_ply_type(text, &property.count_type, err);
  else
    *text = before;
  if (!status) status = read_ply_type(text, &property.type, err);
  if (!status) status = read_ply_name(text, property.name, err);
  if (status) return status;
  if (!lb_grow((void **)&header->properties, &header->property_capacity,
               (size_t)header->property_count + 1, sizeof property))
    return lb_fail_memory(err);
  header->properties[header->property_count++] = property;
  header->elements[header->element_count - 1].property_count++;
  return LB_OK;
}

lbStatus lb_ply_read_header(lbText *text, lbPlyHeader *header, lbError *err) {
  char word[64];
  bool has_format = false;
  lbStatus status = LB_OK;
  lb_text_word_in_line(text, word, sizeof word);
  if (strcmp(word, "ply") != 0)
    return lb_text_fail(text, err, "the file does not begin with \"ply\"");
  lb_text_skip_line(text);
  for (; !status; lb_text_skip_line(text)) {
    if (lb_text_at_end(text)) return lb_text_fail(text, err, "the file ends within the header");
    lb_text_word_in_line(text, word, sizeof word);
    if (strcmp(word, "end_header") == 0) break;
    if (strcmp(word, "format") == 0) {
      status = read_ply_format(text, header, err);
      has_format = true;
    } else if (strcmp(word, "element") == 0) {
      status = read_element(text, header, err);
    } else if (strcmp(word, "property") == 0) {
      status = read_property(text, header, err);
    } else if (word[0] && strcmp(word, "comment") != 0 && strcmp(word, "obj_info") != 0) {
      status = lb_text_fail(text, err, "unknown word \"%s\" in the header", word);
    }
    if (status) return status;
  }
  if (!has_format) return lb_text_fail(text, err, "the header has no \"format\" line");
  lb_text_skip_line(text);
  return LB_OK;
}

void lb_ply_header_release(lbPlyHeader *header) {
  lb_free(header->elements);
  lb_free(header->properties);
  *header = (lbPlyHeader){ 0 };
}

int32_t lb_ply_find(const lbPlyHeader *header, const lbPlyElement *element, const char *name) {
  for (int32_t i = 0; i < element->property_count; i++)
    if (strcmp(header->properties[element->property_begin + i].name, name) == 0) return i;
  return -1;
}
