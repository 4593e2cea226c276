// The "look" of a body: colour, metal and roughness of its surface or of groups of it.
//
// An entry covers triangles: all, those of a group of the surface's triangles, or those that lie in
// a group of the volume's elements. They get the appearance they had with what the entry says put
// in its place.
#include "scene/body.h"

#include "limber/voxelise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const keys[] = { "color", "metal", "roughness", "group", NULL };

typedef struct Appearance {
  const char *name;
  bool colored;
  double color[3];         // linear
  double metal, roughness; // -1: not said
} Appearance;

// While the entries of one body are read.
typedef struct Painter {
  lbSceneBody *body;
  lbMesh *surface;     // that is painted
  bool *covered;       // (triangles), by the present entry
  lbEmbedding *places; // of the triangles' centres in the volume; NULL: not asked for yet
  size_t capacity;     // of the surface's appearances
} Painter;

// ---- one entry ---------------------------------------------------------------------------------

double lb_linear_of_srgb(double srgb) {
  return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

// "#rrggbb"
static bool read_hex(const char *text, double color[3]) {
  if (text[0] != '#' || strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
    return false;
  unsigned long value = strtoul(text + 1, NULL, 16);
  for (int i = 0; i < 3; i++) color[i] = (double)(value >> (16 - 8 * i) & 255) / 255;
  return true;
}

static lbStatus read_appearance_color(const lbField *json, Appearance *wanted, lbError *err) {
  if (!lb_field_here(json)) return LB_OK;
  const char *text = json_string_value(json->value);
  bool good = text ? read_hex(text, wanted->color) : json_is_array(json->value);
  lbStatus status = good && !text ? lb_field_vector(json, 3, wanted->color, err) : LB_OK;
  if (status) return status;
  for (int i = 0; i < 3; i++) {
    good = good && wanted->color[i] >= 0 && wanted->color[i] <= 1;
    wanted->color[i] = lb_linear_of_srgb(wanted->color[i]);
  }
  wanted->colored = true;
  return good ? LB_OK
              : lb_field_fail(json, err,
                              "must be three numbers from 0 to 1 or a text such as \"#c08040\"");
}

static lbStatus read_appearance_share(const lbField *json, double *value, lbError *err) {
  lbStatus status = lb_field_number(json, value, err);
  if (!status && lb_field_here(json) && !(*value >= 0 && *value <= 1))
    return lb_field_fail(json, err, "is %g, it must be from 0 to 1", *value);
  return status;
}

static lbStatus read_appearance(const lbField *json, Appearance *wanted, lbError *err) {
  *wanted = (Appearance){ .name = "look", .metal = -1, .roughness = -1 };
  lbStatus status = lb_field_keys(json, keys, err);
  lbField member = lb_field_member(json, "color");
  if (!status) status = read_appearance_color(&member, wanted, err);
  member = lb_field_member(json, "metal");
  if (!status) status = read_appearance_share(&member, &wanted->metal, err);
  member = lb_field_member(json, "roughness");
  if (!status) status = read_appearance_share(&member, &wanted->roughness, err);
  if (!status && !wanted->colored && wanted->metal < 0 && wanted->roughness < 0)
    status = lb_field_fail(json, err, "is empty, give it a \"color\"");
  return status;
}

// ---- covered triangles
// ----------------------------------------------------------------------------

static lbStatus find_appearance_places(Painter *p, lbError *err) {
  const lbMesh *surface = p->surface;
  if (p->places) return LB_OK;
  double *centres = lb_alloc((size_t)surface->triangle_count, 3 * sizeof(double));
  if (!centres) return lb_fail_memory(err);
  for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++)
    for (size_t k = 0; k < 3; k++)
      centres[i / 3 * 3 + k] += surface->positions[3 * (size_t)surface->triangles[i] + k] / 3;
  lbStatus status = lb_mesh_embed(p->body->mesh, centres, surface->triangle_count, &p->places, err);
  lb_free(centres);
  return status;
}

static lbStatus cover_elements(Painter *p, const lbGroup *group, lbError *err) {
  lbStatus status = find_appearance_places(p, err);
  bool *inside = lb_alloc((size_t)lb_mesh_body_elements(p->body->mesh), sizeof *inside);
  if (!status && !inside) status = lb_fail_memory(err);
  for (int32_t i = 0; i < group->count && !status; i++) inside[group->ids[i]] = true;
  for (int32_t t = 0; t < p->surface->triangle_count && !status; t++)
    p->covered[t] |= inside[p->places->elements[t]];
  lb_free(inside);
  return status;
}

static bool matches(const lbGroup *group, lbGroupKind kind, const char *name, int32_t tag) {
  return group->kind == kind && (name ? strcmp(group->name, name) == 0 : group->tag == tag);
}

static void add_appearance_known(const lbMesh *mesh, lbGroupKind kind, char *known, size_t bytes) {
  for (int32_t i = 0; i < mesh->group_count; i++)
    if (mesh->groups[i].kind == kind)
      snprintf(known + strlen(known), bytes - strlen(known), " %s(%d)", mesh->groups[i].name,
               (int)mesh->groups[i].tag);
}

static lbStatus cover_appearance_group(Painter *p, const lbField *json, lbError *err) {
  const lbMesh *surface = p->surface, *mesh = p->body->mesh;
  const char *name;
  int32_t tag, found = 0;
  lbStatus status = lb_field_group(json, &name, &tag, err);
  for (int32_t i = 0; i < surface->group_count && !status; i++) {
    const lbGroup *group = &surface->groups[i];
    if (!matches(group, LB_GROUP_TRIANGLES, name, tag)) continue;
    for (int32_t k = 0; k < group->count; k++) p->covered[group->ids[k]] = true;
    found++;
  }
  for (int32_t i = 0; i < mesh->group_count && !status; i++) {
    if (!matches(&mesh->groups[i], LB_GROUP_ELEMENTS, name, tag)) continue;
    status = cover_elements(p, &mesh->groups[i], err);
    found++;
  }
  if (status || found) return status;
  char known[160] = "";
  add_appearance_known(surface, LB_GROUP_TRIANGLES, known, sizeof known);
  add_appearance_known(mesh, LB_GROUP_ELEMENTS, known, sizeof known);
  return lb_field_fail(json, err, "there is no such group of triangles or elements, there are%s",
                       known[0] ? known : " none");
}

static lbStatus cover_painted_places(Painter *p, const lbField *json, lbError *err) {
  lbField group = lb_field_member(json, "group");
  size_t count = (size_t)p->surface->triangle_count;
  bool all = !lb_field_here(&group), any = false;
  for (size_t t = 0; t < count; t++) p->covered[t] = all;
  lbStatus status = all ? LB_OK : cover_appearance_group(p, &group, err);
  for (size_t t = 0; t < count; t++) any |= p->covered[t];
  if (!status && !any && count)
    lb_log(LB_LOG_WARNING, "%s: %s: no triangle of the surface is in this group", json->file,
           group.path);
  return status;
}

// ---- painting ----------------------------------------------------------------------------------

// The appearance `old` (-1: none) with what the key says; -1: no memory.
static int32_t add_appearance(Painter *p, const Appearance *wanted, int32_t old) {
  lbMesh *surface = p->surface;
  lbAppearance made = { .base_color = { 1, 1, 1, 1 }, .roughness = 0.8f, .texture = -1 };
  if (old >= 0) made = surface->appearances[old];
  for (int i = 0; i < 3 && wanted->colored; i++) made.base_color[i] = (float)wanted->color[i];
  if (wanted->colored) made.texture = -1;
  if (wanted->metal >= 0) made.metallic = (float)wanted->metal;
  if (wanted->roughness >= 0) made.roughness = (float)wanted->roughness;
  made.name = lb_duplicate_text(old >= 0 ? made.name : wanted->name);
  if (!made.name || !lb_grow((void **)&surface->appearances, &p->capacity,
                             (size_t)surface->appearance_count + 1, sizeof made)) {
    lb_free(made.name);
    return -1;
  }
  surface->appearances[surface->appearance_count] = made;
  return surface->appearance_count++;
}

static lbStatus paint_appearance(Painter *p, const Appearance *wanted, lbError *err) {
  lbMesh *surface = p->surface;
  int32_t *made = lb_alloc((size_t)surface->appearance_count + 1, sizeof *made); // of each, + 1
  lbStatus status = made ? LB_OK : lb_fail_memory(err);
  for (int32_t t = 0; t < surface->triangle_count && !status; t++) {
    if (!p->covered[t]) continue;
    int32_t *own = &surface->triangle_appearances[t], old = *own;
    if (made[old + 1] == 0) made[old + 1] = add_appearance(p, wanted, old) + 1;
    *own = made[old + 1] - 1;
    if (*own < 0) status = lb_fail_memory(err);
  }
  lb_free(made);
  return status;
}

static lbStatus paint_appearance_entry(Painter *p, const lbField *json, bool listed, lbError *err) {
  Appearance wanted;
  lbField group = lb_field_member(json, "group");
  lbStatus status = read_appearance(json, &wanted, err);
  if (!status && !listed && lb_field_here(&group))
    status = lb_field_fail(&group, err, "only a list of looks can have groups");
  if (!status) status = cover_painted_places(p, json, err);
  if (json_is_string(group.value)) wanted.name = json_string_value(group.value);
  return status ? status : paint_appearance(p, &wanted, err);
}

// ---- surfaces to paint -------------------------------------------------------------------------

typedef struct Corner {
  int32_t vertices[3]; // ascending
  int32_t triangle;
} Corner;

static Corner corner_of(const int32_t *triangle, const int32_t *numbers, int32_t id) {
  Corner c = { .triangle = id };
  for (int i = 0; i < 3; i++) c.vertices[i] = numbers ? numbers[triangle[i]] : triangle[i];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++)
      if (c.vertices[k] > c.vertices[k + 1]) {
        int32_t larger = c.vertices[k];
        c.vertices[k] = c.vertices[k + 1];
        c.vertices[k + 1] = larger;
      }
  return c;
}

static int compare_appearance_corners(const void *a, const void *b) {
  return memcmp(((const Corner *)a)->vertices, ((const Corner *)b)->vertices,
                sizeof((const Corner *)a)->vertices);
}

static int compare_appearance_ids(const void *a, const void *b) {
  return *(const int32_t *)a - *(const int32_t *)b;
}

// A group of the mesh's triangles as one of the boundary's, where they are the same triangles.
static lbStatus carry_group(const lbMesh *mesh, const lbGroup *group, const Corner *corners,
                            lbMesh *surface, lbError *err) {
  lbGroup *to = &surface->groups[surface->group_count++];
  *to = (lbGroup){ .tag = group->tag, .kind = LB_GROUP_TRIANGLES };
  to->name = lb_duplicate_text(group->name);
  to->ids = lb_alloc((size_t)group->count, sizeof *to->ids);
  if (!to->name || !to->ids) return lb_fail_memory(err);
  for (int32_t k = 0; k < group->count; k++) {
    Corner key = corner_of(mesh->triangles + 3 * (size_t)group->ids[k], NULL, 0);
    const Corner *found = bsearch(&key, corners, (size_t)surface->triangle_count, sizeof key,
                                  compare_appearance_corners);
    if (found) to->ids[to->count++] = found->triangle;
  }
  qsort(to->ids, (size_t)to->count, sizeof *to->ids, compare_appearance_ids);
  return LB_OK;
}

static lbStatus carry_groups(const lbMesh *mesh, const int32_t *numbers, lbMesh *surface,
                             lbError *err) {
  size_t count = (size_t)surface->triangle_count;
  Corner *corners = lb_alloc(count, sizeof *corners);
  surface->groups = lb_alloc((size_t)mesh->group_count, sizeof(lbGroup));
  lbStatus status = corners && surface->groups ? LB_OK : lb_fail_memory(err);
  for (size_t t = 0; t < count && !status; t++)
    corners[t] = corner_of(surface->triangles + 3 * t, numbers, (int32_t)t);
  if (!status) qsort(corners, count, sizeof *corners, compare_appearance_corners);
  for (int32_t i = 0; i < mesh->group_count && !status; i++)
    if (mesh->groups[i].kind == LB_GROUP_TRIANGLES)
      status = carry_group(mesh, &mesh->groups[i], corners, surface, err);
  lb_free(corners);
  return status;
}

// A body without a surface of its own gets the mesh's boundary; a shell is its own surface.
static lbStatus make_surface(lbSceneBody *body, lbError *err) {
  int32_t *numbers = NULL;
  if (lb_scene_seen(body)) return LB_OK;
  lbStatus status = lb_mesh_surface(body->mesh, &body->surface, &numbers, err);
  if (!status) status = carry_groups(body->mesh, numbers, body->surface, err);
  if (!status)
    status = lb_mesh_embed(body->mesh, body->surface->positions, body->surface->vertex_count,
                           &body->embedding, err);
  lb_free(numbers);
  return status;
}

static lbStatus begin_painting(Painter *p, lbError *err) {
  lbMesh *surface = p->surface;
  size_t count = (size_t)surface->triangle_count;
  p->capacity = (size_t)surface->appearance_count;
  p->covered = lb_alloc(count, sizeof *p->covered);
  if (!p->covered) return lb_fail_memory(err);
  if (surface->triangle_appearances) return LB_OK;
  surface->triangle_appearances = lb_alloc(count, sizeof(int32_t));
  if (!surface->triangle_appearances) return lb_fail_memory(err);
  for (size_t t = 0; t < count; t++) surface->triangle_appearances[t] = -1;
  return LB_OK;
}

lbStatus lb_scene_read_appearance(const lbField *json, lbSceneBody *body, lbError *err) {
  Painter p = { .body = body };
  lbStatus status = make_surface(body, err);
  p.surface = lb_scene_seen(body);
  if (!status) status = begin_painting(&p, err);
  bool list = json_is_array(json->value);
  if (!status && !list) status = paint_appearance_entry(&p, json, false, err);
  for (size_t i = 0; list && i < json_array_size(json->value) && !status; i++) {
    lbField item = lb_field_item(json, i);
    status = paint_appearance_entry(&p, &item, true, err);
  }
  lb_embedding_destroy(p.places);
  lb_free(p.covered);
  return status;
}
