// Vega .veg: *VERTICES, *ELEMENTS (TET or CUBIC), *MATERIAL, *SET and *REGION, which gives a set
// its material. Numbers are counted from 0 or 1, as the first vertex and the first element say.
// Sets become element groups whose tag is their order in the file from 1; the set "allElements" is
// there without being written and has no tag.
#include "meshio/formats.h"
#include "meshio/veg_lines.h"
#include "meshio/volume.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NAME_BYTES 128
#define NAME_LIMIT 10000 // sets, and materials

typedef struct Region {
  char set[NAME_BYTES], material[NAME_BYTES];
  char path[256];
  int32_t line;
} Region;

typedef struct Vega {
  lbVegLines lines;
  lbMeshBuilder builder;
  bool has_vertices, has_elements, are_bricks;
  int32_t vertex_base, element_base, set_count;
  Region *regions;
  size_t region_count, region_capacity;
} Vega;

static lbStatus fail(Vega *vega, lbError *err, const char *text) {
  return lb_scan_fail(&vega->lines.line, err, "%s", text);
}

static lbStatus next_line(Vega *vega, const char *expected, lbError *err) {
  bool more = false;
  lbStatus status = lb_veg_next_line(&vega->lines, &more, err);
  if (!status && (!more || *vega->lines.line.text.next == '*'))
    status = lb_scan_fail(&vega->lines.line, err, "expected %s", expected);
  return status;
}

// "count columns ..."
static lbStatus read_veg_header(Vega *vega, int64_t columns, const char *what, int64_t *count,
                                lbError *err) {
  int64_t found = 0;
  lbStatus status = next_line(vega, what, err);
  if (status) return status;
  if (!lb_veg_integer(&vega->lines, count) || !lb_veg_integer(&vega->lines, &found))
    return lb_scan_fail(&vega->lines.line, err, "expected the count of %s and the columns", what);
  if (found != columns)
    return lb_scan_fail(&vega->lines.line, err, "the %s have %lld columns, they must have %lld",
                        what, (long long)found, (long long)columns);
  // The rows may stand in an included file, so what is left of this one says nothing; memory grows
  // with the rows that are really there.
  if (*count < 0 || *count >= INT32_MAX / 2)
    return lb_scan_fail(&vega->lines.line, err, "the count of %s is %lld", what, (long long)*count);
  return LB_OK;
}

// The row's own number must be its place, counted from what the first row says.
static lbStatus read_veg_row_number(Vega *vega, int64_t index, int32_t *base, const char *what,
                                    lbError *err) {
  int64_t number = 0;
  lbStatus status = next_line(vega, what, err);
  if (status) return status;
  if (!lb_veg_integer(&vega->lines, &number))
    return lb_scan_fail(&vega->lines.line, err, "expected the number of the next one of the %s",
                        what);
  if (index == 0) *base = number == 0 ? 0 : 1;
  if (number != index + *base)
    return lb_scan_fail(&vega->lines.line, err, "expected number %lld of the %s, found %lld",
                        (long long)index + *base, what, (long long)number);
  return LB_OK;
}

static lbStatus read_veg_vertices(Vega *vega, lbError *err) {
  int64_t count = 0;
  if (vega->has_vertices) return fail(vega, err, "*VERTICES appears twice");
  vega->has_vertices = true;
  lbStatus status = read_veg_header(vega, 3, "vertices", &count, err);
  for (int64_t i = 0; i < count && !status; i++) {
    double p[3];
    status = read_veg_row_number(vega, i, &vega->vertex_base, "vertices", err);
    for (int k = 0; k < 3 && !status; k++)
      if (!lb_veg_number(&vega->lines, &p[k]) || !isfinite(p[k]))
        status = lb_scan_fail(&vega->lines.line, err, "vertex %lld: %c is not a finite number",
                              (long long)i + vega->vertex_base, "xyz"[k]);
    if (!status && lb_mesh_add_vertex(&vega->builder, p[0], p[1], p[2]) < 0)
      status = lb_fail_memory(err);
  }
  return status;
}

static lbStatus read_veg_element(Vega *vega, int64_t index, lbError *err) {
  int32_t vertices[8], corners = vega->are_bricks ? 8 : 4;
  lbStatus status = read_veg_row_number(vega, index, &vega->element_base, "elements", err);
  for (int32_t k = 0; k < corners && !status; k++) {
    int64_t vertex = 0, count = vega->builder.mesh->vertex_count;
    long long number = (long long)index + vega->element_base;
    if (!lb_veg_integer(&vega->lines, &vertex))
      status = lb_scan_fail(&vega->lines.line, err, "element %lld lacks vertex number %d of %d",
                            number, (int)k + 1, (int)corners);
    else if (vertex < vega->vertex_base || vertex - vega->vertex_base >= count)
      status = lb_scan_fail(&vega->lines.line, err,
                            "element %lld uses vertex %lld, the mesh has %lld (counted from %d)",
                            number, (long long)vertex, (long long)count, (int)vega->vertex_base);
    vertices[k] = (int32_t)(vertex - vega->vertex_base);
  }
  if (status) return status;
  int32_t id = vega->are_bricks ? lb_mesh_add_brick(&vega->builder, vertices)
                                : lb_mesh_add_tet(&vega->builder, vertices);
  return id < 0 ? lb_fail_memory(err) : LB_OK;
}

static lbStatus read_veg_elements(Vega *vega, lbError *err) {
  int64_t count = 0;
  char type[32];
  if (vega->has_elements) return fail(vega, err, "*ELEMENTS appears twice");
  if (!vega->has_vertices) return fail(vega, err, "*VERTICES must come before *ELEMENTS");
  vega->has_elements = true;
  lbStatus status = next_line(vega, "TET or CUBIC", err);
  if (status) return status;
  if (!lb_veg_name(&vega->lines, type, sizeof type)) type[0] = '\0';
  vega->are_bricks = strcasecmp(type, "CUBIC") == 0;
  if (!vega->are_bricks && strcasecmp(type, "TET") != 0 && strcasecmp(type, "TETS") != 0)
    return lb_scan_fail(&vega->lines.line, err, "elements of type \"%s\", it must be TET or CUBIC",
                        type);
  status = read_veg_header(vega, vega->are_bricks ? 8 : 4, "elements", &count, err);
  for (int64_t i = 0; i < count && !status; i++) status = read_veg_element(vega, i, err);
  return status;
}

static int32_t element_id(const Vega *vega, int32_t index) {
  return vega->are_bricks ? index + LB_BRICK_ID : index;
}

static lbStatus read_set_line(Vega *vega, int32_t group, const char *name, lbError *err) {
  int32_t count = lb_mesh_element_count(vega->builder.mesh);
  while (!lb_veg_at_line_end(&vega->lines)) {
    int64_t number = 0;
    if (!lb_veg_integer(&vega->lines, &number))
      return lb_scan_fail(&vega->lines.line, err, "set \"%s\": expected an element number", name);
    if (number < vega->element_base || number - vega->element_base >= count)
      return lb_scan_fail(&vega->lines.line, err,
                          "set \"%s\" names element %lld, the mesh has %d (counted from %d)", name,
                          (long long)number, (int)count, (int)vega->element_base);
    lb_mesh_add_to_group(&vega->builder, group,
                         element_id(vega, (int32_t)(number - vega->element_base)));
  }
  return vega->builder.out_of_memory ? lb_fail_memory(err) : LB_OK;
}

static lbStatus read_veg_set(Vega *vega, lbError *err) {
  char name[NAME_BYTES];
  bool more = true;
  if (!vega->has_elements) return fail(vega, err, "*ELEMENTS must come before *SET");
  if (!lb_veg_name(&vega->lines, name, sizeof name))
    return fail(vega, err, "*SET must have a name, in the same line and shorter than 128 letters");
  if (strcmp(name, "allElements") == 0 ||
      lb_mesh_group_by_name(vega->builder.mesh, LB_GROUP_ELEMENTS, name))
    return lb_scan_fail(&vega->lines.line, err, "set \"%s\" is already defined", name);
  if (vega->set_count >= NAME_LIMIT) return fail(vega, err, "too many sets");
  int32_t group = lb_mesh_add_group(&vega->builder, LB_GROUP_ELEMENTS, ++vega->set_count, name);
  if (group < 0) return lb_fail_memory(err);
  for (;;) {
    lbStatus status = lb_veg_next_line(&vega->lines, &more, err);
    if (status || !more) return status;
    if (*vega->lines.line.text.next == '*') break;
    status = read_set_line(vega, group, name, err);
    if (status) return status;
  }
  lb_veg_hold_line(&vega->lines);
  return LB_OK;
}

static int32_t find_material(const lbMesh *mesh, const char *name) {
  for (int32_t i = 0; i < mesh->material_count; i++)
    if (strcmp(mesh->materials[i].name, name) == 0) return i;
  return -1;
}

static lbStatus parse_material(Vega *vega, const char *name, lbMaterial *material, lbError *err) {
  char model[32], what[NAME_BYTES + 300];
  double v[4] = { 0 };
  if (!lb_veg_name(&vega->lines, model, sizeof model)) model[0] = '\0';
  bool is_mooney = strcasecmp(model, "MOONEYRIVLIN") == 0;
  if (strcasecmp(model, "ORTHOTROPIC") == 0 || strncasecmp(model, "ORTHOTROPIC_", 12) == 0)
    return lb_scan_unsupported(&vega->lines.line, err,
                               "material \"%s\" is %s, which is not supported, use ENU or "
                               "MOONEYRIVLIN",
                               name, model);
  if (!is_mooney && strcasecmp(model, "ENU") != 0)
    return lb_scan_fail(&vega->lines.line, err,
                        "material \"%s\" has the model \"%s\", it must be ENU or MOONEYRIVLIN",
                        name, model);
  int count = is_mooney ? 4 : 3;
  for (int i = 0; i < count; i++)
    if (!lb_veg_number(&vega->lines, &v[i]))
      return lb_scan_fail(&vega->lines.line, err, "material \"%s\": %s takes %d numbers", name,
                          model, count);
  *material = lb_material();
  material->density = v[0];
  if (is_mooney) {
    material->model = LB_MATERIAL_MOONEYRIVLIN;
    material->c01 = v[1], material->c10 = v[2], material->v1 = v[3];
  } else {
    material->young = v[1], material->poisson = v[2];
  }
  const lbText *line = &vega->lines.line.text;
  snprintf(what, sizeof what, "%.250s:%d: material \"%s\"", line->path, (int)line->line, name);
  if (!lb_material_check(material, what, err)) return LB_OK;
  if (err) err->status = LB_ERR_FORMAT;
  return LB_ERR_FORMAT;
}

static lbStatus read_veg_material(Vega *vega, lbError *err) {
  char name[NAME_BYTES];
  lbMaterial material;
  if (!lb_veg_name(&vega->lines, name, sizeof name))
    return fail(vega, err,
                "*MATERIAL must have a name, in the same line and shorter than 128 letters");
  if (find_material(vega->builder.mesh, name) >= 0)
    return lb_scan_fail(&vega->lines.line, err, "material \"%s\" is already defined", name);
  if (vega->builder.mesh->material_count >= NAME_LIMIT)
    return fail(vega, err, "too many materials");
  lbStatus status = next_line(vega, "ENU or MOONEYRIVLIN with its numbers", err);
  if (!status) status = parse_material(vega, name, &material, err);
  if (!status && lb_mesh_add_material(&vega->builder, name, &material) < 0)
    status = lb_fail_memory(err);
  return status;
}

// Sets and materials may be defined after the region: the names are looked up at the end.
static lbStatus read_veg_region(Vega *vega, lbError *err) {
  Region region = { .line = 0 };
  lbStatus status = next_line(vega, "set, material", err);
  if (status) return status;
  if (!lb_veg_name(&vega->lines, region.set, sizeof region.set) ||
      !lb_veg_name(&vega->lines, region.material, sizeof region.material))
    return fail(vega, err, "*REGION must name a set and a material: set, material");
  region.line = vega->lines.line.text.line;
  snprintf(region.path, sizeof region.path, "%.255s", vega->lines.line.text.path);
  if (!lb_grow((void **)&vega->regions, &vega->region_capacity, vega->region_count + 1,
               sizeof region))
    return lb_fail_memory(err);
  vega->regions[vega->region_count++] = region;
  return LB_OK;
}

static lbStatus read_command(Vega *vega, lbError *err) {
  char command[32];
  lb_text_word_in_line(&vega->lines.line.text, command, sizeof command);
  if (strcasecmp(command, "*VERTICES") == 0) return read_veg_vertices(vega, err);
  if (strcasecmp(command, "*ELEMENTS") == 0) return read_veg_elements(vega, err);
  if (strcasecmp(command, "*MATERIAL") == 0) return read_veg_material(vega, err);
  if (strcasecmp(command, "*REGION") == 0) return read_veg_region(vega, err);
  if (strcasecmp(command, "*SET") == 0) return read_veg_set(vega, err);
  return lb_scan_fail(&vega->lines.line, err,
                      "expected *VERTICES, *ELEMENTS, *MATERIAL, *SET or *REGION, found \"%s\"",
                      command);
}

static lbStatus read_commands(Vega *vega, lbError *err) {
  for (;;) {
    bool more = true;
    lbStatus status = lb_veg_next_line(&vega->lines, &more, err);
    if (!status && more) status = read_command(vega, err);
    if (status) return status;
    if (!more) break;
  }
  if (!vega->has_vertices) return fail(vega, err, "has no *VERTICES");
  if (!vega->has_elements || lb_mesh_element_count(vega->builder.mesh) == 0)
    return fail(vega, err, "has no *ELEMENTS");
  return LB_OK;
}

static lbStatus add_all_elements(Vega *vega, lbError *err) {
  int32_t group = lb_mesh_add_group(&vega->builder, LB_GROUP_ELEMENTS, 0, "allElements");
  if (group < 0) return lb_fail_memory(err);
  int32_t count = lb_mesh_element_count(vega->builder.mesh);
  for (int32_t i = 0; i < count; i++)
    lb_mesh_add_to_group(&vega->builder, group, element_id(vega, i));
  return vega->builder.out_of_memory ? lb_fail_memory(err) : LB_OK;
}

static lbStatus find_veg_region(Vega *vega, const Region *region, int32_t *set, int32_t *material,
                                lbError *err) {
  const lbMesh *mesh = vega->builder.mesh;
  const lbGroup *group = lb_mesh_group_by_name(mesh, LB_GROUP_ELEMENTS, region->set);
  *material = find_material(mesh, region->material);
  if (!group || *material < 0)
    return lb_fail(err, LB_ERR_FORMAT, "%s:%d: *REGION names %s \"%s\", which is missing",
                   region->path, (int)region->line, group ? "material" : "set",
                   group ? region->material : region->set);
  *set = (int32_t)(group - mesh->groups);
  return LB_OK;
}

// Later regions win. Of the regions of one set only the last counts, so that the work is bounded by
// the size of the sets.
static lbStatus apply_regions(Vega *vega, lbError *err) {
  lbStatus status = LB_OK;
  int32_t *last = lb_alloc((size_t)vega->builder.mesh->group_count, sizeof *last);
  if (!last) return lb_fail_memory(err);
  for (int pass = 0; pass < 2; pass++)
    for (size_t r = 0; r < vega->region_count && !status; r++) {
      int32_t set = 0, material = 0;
      status = find_veg_region(vega, &vega->regions[r], &set, &material, err);
      if (status) break;
      if (pass == 0) last[set] = (int32_t)r;
      if (pass == 0 || last[set] != (int32_t)r) continue;
      const lbGroup *group = &vega->builder.mesh->groups[set];
      for (int32_t k = 0; k < group->count; k++)
        lb_mesh_set_element_material(&vega->builder, group->ids[k], material);
    }
  lb_free(last);
  return status;
}

lbStatus lb_read_veg(const char *path, const char *content, size_t bytes, lbMesh **out,
                     lbError *err) {
  Vega vega = { .element_base = 1 };
  lb_veg_lines_begin(&vega.lines, path, content, bytes);
  lb_mesh_builder_begin(&vega.builder);
  lbStatus status = vega.builder.out_of_memory ? lb_fail_memory(err) : LB_OK;
  if (!status) status = read_commands(&vega, err);
  if (!status) status = add_all_elements(&vega, err);
  if (!status) status = apply_regions(&vega, err);
  if (!status) status = lb_mesh_builder_finish(&vega.builder, path, out, err);
  lb_mesh_builder_abort(&vega.builder);
  lb_veg_lines_end(&vega.lines);
  lb_free(vega.regions);
  return status;
}
