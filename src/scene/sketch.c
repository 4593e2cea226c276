// Sketches as JSON: {"limber_sketch": 1, "loads": [{"vertex": 12, "force": [0, 0, -5]}, ...]}.
#include "limber/sketch.h"

#include "limber/file.h"
#include "arrayio/print.h"
#include "scene/field.h"
#include "scene/read.h"

#include <string.h>

// {"vertex", "force"} or {"vertices", "force" or "forces"}: room for `count` forces.
static lbStatus read_forces(const lbField *load, size_t count, lbSketchForce *forces,
                            lbError *err) {
  lbField vertex = lb_field_member(load, "vertex"), vertices = lb_field_member(load, "vertices");
  lbField force = lb_field_member(load, "force"), each = lb_field_member(load, "forces");
  lbStatus status = LB_OK;
  for (size_t i = 0; i < count && !status; i++) {
    lbField id = lb_field_here(&vertex) ? vertex : lb_field_item(&vertices, i);
    lbField value = lb_field_here(&force) ? force : lb_field_item(&each, i);
    status = lb_field_integer(&id, 0, INT32_MAX - 1, &forces[i].vertex, err);
    if (!status) status = lb_field_vector(&value, 3, forces[i].force, err);
  }
  return status;
}

// How many forces a load has; refuses keys that do not go together.
static lbStatus count_sketch_forces(const lbField *load, size_t *count, lbError *err) {
  lbField vertex = lb_field_member(load, "vertex"), vertices = lb_field_member(load, "vertices");
  lbField force = lb_field_member(load, "force"), each = lb_field_member(load, "forces");
  if (lb_field_here(&vertex) == lb_field_here(&vertices))
    return lb_field_fail(load, err, "needs either \"vertex\" or \"vertices\"");
  if (lb_field_here(&force) == lb_field_here(&each))
    return lb_field_fail(load, err, "needs either \"force\" or \"forces\"");
  *count = 1;
  if (lb_field_here(&vertices)) {
    if (!json_is_array(vertices.value) || json_array_size(vertices.value) == 0)
      return lb_field_fail(&vertices, err, "must be a list of vertices, one or more");
    *count = json_array_size(vertices.value);
  }
  if (lb_field_here(&each) && (!json_is_array(each.value) || json_array_size(each.value) != *count))
    return lb_field_fail(&each, err, "must be a list of %zu forces, one for each vertex", *count);
  return LB_OK;
}

static lbStatus read_sketch_load(const lbField *load, lbSketch *sketch, lbError *err) {
  static const char *const keys[] = { "name", "vertex", "vertices", "force", "forces", NULL };
  size_t count = 0;
  lbStatus status = lb_field_keys(load, keys, err);
  lbField text = lb_field_member(load, "name");
  const char *name = status ? NULL : lb_field_text(&text, &status, err);
  if (!status) status = count_sketch_forces(load, &count, err);
  if (status) return status;
  lbSketchForce *forces = lb_alloc(count, sizeof *forces);
  status = forces ? read_forces(load, count, forces, err) : lb_fail_memory(err);
  if (!status) status = lb_sketch_append(sketch, name, (int32_t)count, forces, err);
  lb_free(forces);
  return status;
}

static lbStatus read_sketch(const lbField *root, lbSketch *sketch, lbError *err) {
  static const char *const keys[] = { "limber_sketch", "loads", NULL };
  lbStatus status = lb_field_keys(root, keys, err);
  if (status) return status;
  lbField version = lb_field_member(root, "limber_sketch"), loads = lb_field_member(root, "loads");
  int32_t number = 0;
  if (!lb_field_here(&version))
    return lb_field_fail(root, err, "is not a sketch: \"limber_sketch\": 1 is missing");
  status = lb_field_integer(&version, 1, 1, &number, err);
  if (status) return status;
  if (!json_is_array(loads.value)) return lb_field_fail(&loads, err, "must be a list of loads");
  for (size_t i = 0; i < json_array_size(loads.value) && !status; i++) {
    lbField load = lb_field_item(&loads, i);
    status = read_sketch_load(&load, sketch, err);
  }
  return status;
}

lbStatus lb_sketch_read(const char *path, const char *content, size_t bytes, lbSketch **out,
                        lbError *err) {
  json_t *json = NULL;
  lbSketch *sketch = NULL;
  lbStatus status = lb_field_parse(path, content, bytes, &json, err);
  if (!status) status = lb_sketch_create(&sketch, err);
  if (!status) {
    lbField root = { path, json, "" };
    status = read_sketch(&root, sketch, err);
  }
  json_decref(json);
  if (status)
    lb_sketch_destroy(sketch);
  else
    *out = sketch;
  return status;
}

lbStatus lb_sketch_load(const char *path, lbSketch **out, lbError *err) {
  char *content = NULL;
  size_t bytes;
  lbStatus status = lb_file_read(path, &content, &bytes, err);
  if (!status) status = lb_sketch_read(path, content, bytes, out, err);
  lb_free(content);
  return status;
}

// ---- writing -----------------------------------------------------------------------------------

// As a JSON string; bytes that are not UTF-8 would make the file invalid and are dropped.
static lbStatus write_sketch_name(FILE *stream, const char *name, lbError *err) {
  json_t *text = json_string(name);
  if (!text) text = json_string("");
  char *quoted = text ? json_dumps(text, JSON_ENCODE_ANY) : NULL;
  json_decref(text);
  if (!quoted) return lb_fail_memory(err);
  fprintf(stream, "\"name\": %s, ", quoted);
  free(quoted);
  return LB_OK;
}

static void write_vector(FILE *stream, const double *v) {
  for (int k = 0; k < 3; k++) {
    fputs(k ? ", " : "[", stream);
    lb_print_number(stream, v[k], 15);
  }
  fputc(']', stream);
}

static void write_forces(FILE *stream, int32_t count, const lbSketchForce *forces) {
  fprintf(stream, count == 1 ? "\"vertex\": " : "\"vertices\": [");
  for (int32_t i = 0; i < count; i++) fprintf(stream, "%s%d", i ? ", " : "", (int)forces[i].vertex);
  fprintf(stream, count == 1 ? ", \"force\": " : "], \"forces\": [");
  for (int32_t i = 0; i < count; i++) {
    if (i) fputs(", ", stream);
    write_vector(stream, forces[i].force);
  }
  if (count > 1) fputc(']', stream);
}

lbStatus lb_sketch_save(const lbSketch *sketch, const char *path, lbError *err) {
  lbFileWriter writer;
  lbStatus status = lb_file_begin(&writer, path, err);
  if (status) return status;
  fputs("{ \"limber_sketch\": 1,\n  \"loads\": [", writer.stream);
  for (int32_t i = 0; i < sketch->load_count && !status; i++) {
    const lbSketchLoad *load = &sketch->loads[i];
    fputs(i ? ",\n    { " : "\n    { ", writer.stream);
    if (load->name[0]) status = write_sketch_name(writer.stream, load->name, err);
    write_forces(writer.stream, load->force_count, sketch->forces + load->force_begin);
    fputs(" }", writer.stream);
  }
  fputs("\n  ] }\n", writer.stream);
  if (!status) return lb_file_commit(&writer, err);
  lb_file_abort(&writer);
  return status;
}
