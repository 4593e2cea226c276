// Removes faults that a report lists from a mesh: unused and coincident vertices,
// flat and repeated elements and triangles.
#include "limber/report.h"

#include "mesh/builder.h"
#include "mesh/points.h"

#include <string.h>

typedef struct Cleaner {
  const lbMesh *mesh;
  bool *drop_element, *drop_triangle;  // by number
  int32_t *vertex_map;                 // new id, -1: dropped
  int32_t *element_map, *triangle_map; // new id (bricks plus LB_BRICK_ID), -1: dropped
} Cleaner;

static void mark_reported(const lbMeshReport *report, const char *kind, bool *dropped) {
  const lbMeshProblem *problem = lb_mesh_report_find(report, kind);
  for (int32_t i = 0; problem && i < problem->count; i++) dropped[problem->ids[i]] = true;
}

// Each vertex's earliest vertex at the same place.
static lbStatus find_twins(const lbMesh *mesh, int32_t *twin, lbError *err) {
  lbHashTable places = lb_point_table();
  int32_t *first = lb_alloc((size_t)mesh->vertex_count, sizeof *first); // vertex at each place
  bool ok = first != NULL;
  for (int32_t v = 0; v < mesh->vertex_count && ok; v++) {
    const double *x = mesh->positions + 3 * (size_t)v;
    int32_t known = places.count, place = lb_point_table_add(&places, x[0], x[1], x[2]);
    ok = place >= 0;
    if (place == known) first[place] = v;
    if (ok) twin[v] = first[place];
  }
  lb_hash_table_release(&places);
  lb_free(first);
  return ok ? LB_OK : lb_fail_memory(err);
}

static void map_row(const Cleaner *c, const int32_t *row, int32_t width, int32_t *mapped) {
  for (int32_t a = 0; a < width; a++) mapped[a] = c->vertex_map[row[a]];
}

// New vertices: those that a kept element or triangle uses, first of their place.
static void number_kept_vertices(Cleaner *c, const int32_t *twin, lbMeshBuilder *builder) {
  const lbMesh *mesh = c->mesh;
  for (int32_t v = 0; v < mesh->vertex_count; v++) c->vertex_map[v] = -1;
  for (int32_t e = 0; e < mesh->tet_count; e++)
    for (int a = 0; a < 4 && !c->drop_element[e]; a++)
      c->vertex_map[twin[mesh->tets[4 * (size_t)e + a]]] = 0;
  for (int32_t e = 0; e < mesh->brick_count; e++)
    for (int a = 0; a < 8 && !c->drop_element[mesh->tet_count + e]; a++)
      c->vertex_map[twin[mesh->bricks[8 * (size_t)e + a]]] = 0;
  for (int32_t t = 0; t < mesh->triangle_count; t++)
    for (int a = 0; a < 3 && !c->drop_triangle[t]; a++)
      c->vertex_map[twin[mesh->triangles[3 * (size_t)t + a]]] = 0;
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    const double *x = mesh->positions + 3 * (size_t)v;
    if (c->vertex_map[v] == 0) c->vertex_map[v] = lb_mesh_add_vertex(builder, x[0], x[1], x[2]);
  }
  for (int32_t v = 0; v < mesh->vertex_count; v++) c->vertex_map[v] = c->vertex_map[twin[v]];
}

static void copy_elements(Cleaner *c, lbMeshBuilder *builder) {
  const lbMesh *mesh = c->mesh;
  for (int32_t e = 0; e < lb_mesh_element_count(mesh); e++) {
    int32_t row[8];
    c->element_map[e] = -1;
    if (c->drop_element[e]) continue;
    if (e < mesh->tet_count) {
      map_row(c, mesh->tets + 4 * (size_t)e, 4, row);
      c->element_map[e] = lb_mesh_add_tet(builder, row);
    } else {
      map_row(c, mesh->bricks + 8 * (size_t)(e - mesh->tet_count), 8, row);
      c->element_map[e] = lb_mesh_add_brick(builder, row) + LB_BRICK_ID;
    }
  }
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    int32_t row[3];
    c->triangle_map[t] = -1;
    if (c->drop_triangle[t]) continue;
    map_row(c, mesh->triangles + 3 * (size_t)t, 3, row);
    c->triangle_map[t] = lb_mesh_add_triangle(builder, row);
    if (mesh->corner_uvs) lb_mesh_set_triangle_uvs(builder, mesh->corner_uvs + 6 * (size_t)t);
    if (mesh->triangle_appearances)
      lb_mesh_set_triangle_appearance(builder, mesh->triangle_appearances[t]);
  }
}

static void copy_kept_groups(const Cleaner *c, lbMeshBuilder *builder) {
  const int32_t *const maps[] = { c->vertex_map, c->triangle_map, c->element_map };
  for (int32_t i = 0; i < c->mesh->group_count; i++) {
    const lbGroup *group = &c->mesh->groups[i];
    int32_t copy = lb_mesh_add_group(builder, group->kind, group->tag, group->name);
    for (int32_t k = 0; k < group->count; k++) {
      int32_t id = maps[group->kind][group->ids[k]];
      if (id >= 0) lb_mesh_add_to_group(builder, copy, id);
    }
  }
}

static void copy_colors(const Cleaner *c, lbMeshBuilder *builder) {
  const float *from = c->mesh->vertex_colors;
  for (int32_t v = c->mesh->vertex_count; from && v-- > 0;) { // of joined vertices the first one's
    const float *color = from + 4 * (size_t)v;
    if (c->vertex_map[v] < 0 || color[0] < 0) continue;
    double rgba[4];
    for (int i = 0; i < 4; i++) rgba[i] = (double)color[i];
    lb_mesh_set_vertex_color(builder, c->vertex_map[v], rgba);
  }
}

static void copy_attributes(const Cleaner *c, lbMeshBuilder *builder) {
  const lbMesh *mesh = c->mesh;
  copy_colors(c, builder);
  for (int32_t i = 0; i < mesh->material_count; i++)
    lb_mesh_add_material(builder, mesh->materials[i].name, &mesh->materials[i].material);
  for (int32_t e = 0; mesh->element_materials && e < lb_mesh_element_count(mesh); e++)
    if (c->element_map[e] >= 0)
      lb_mesh_set_element_material(builder, c->element_map[e], mesh->element_materials[e]);
  for (int32_t i = 0; i < mesh->texture_count; i++)
    lb_mesh_add_texture(builder, mesh->textures[i].name, mesh->textures[i].mime,
                        mesh->textures[i].data, mesh->textures[i].bytes);
  for (int32_t i = 0; i < mesh->appearance_count; i++) {
    int32_t id = lb_mesh_add_appearance(builder, mesh->appearances[i].name);
    if (id < 0) return;
    char *name = builder->mesh->appearances[id].name;
    builder->mesh->appearances[id] = mesh->appearances[i];
    builder->mesh->appearances[id].name = name;
  }
}

// *joined: vertices became one, so that elements and triangles may have become flat or equal.
static lbStatus clean_once(const lbMesh *mesh, bool *joined, lbMesh **out, lbError *err) {
  size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
  size_t elements = (size_t)lb_mesh_element_count(mesh);
  lbArena arena = { 0 };
  lbMeshReport *report = NULL;
  lbMeshBuilder builder;
  Cleaner c = { .mesh = mesh,
                .drop_element = lb_arena_alloc(&arena, elements, sizeof(bool)),
                .drop_triangle = lb_arena_alloc(&arena, triangles, sizeof(bool)),
                .vertex_map = lb_arena_alloc(&arena, vertices, sizeof(int32_t)),
                .element_map = lb_arena_alloc(&arena, elements, sizeof(int32_t)),
                .triangle_map = lb_arena_alloc(&arena, triangles, sizeof(int32_t)) };
  int32_t *twin = lb_arena_alloc(&arena, vertices, sizeof(int32_t));
  bool complete =
      c.drop_element && c.drop_triangle && c.vertex_map && c.element_map && c.triangle_map && twin;
  lbStatus status = complete ? lb_mesh_report(mesh, &report, err) : lb_fail_memory(err);
  if (!status) status = find_twins(mesh, twin, err);
  *joined = false;
  for (int32_t v = 0; !status && v < mesh->vertex_count; v++) *joined |= twin[v] != v;
  if (!status) {
    mark_reported(report, "degenerate_elements", c.drop_element);
    mark_reported(report, "duplicate_elements", c.drop_element);
    mark_reported(report, "degenerate_triangles", c.drop_triangle);
    mark_reported(report, "duplicate_triangles", c.drop_triangle);
    lb_mesh_builder_begin(&builder);
    number_kept_vertices(&c, twin, &builder);
    copy_elements(&c, &builder);
    copy_kept_groups(&c, &builder);
    copy_attributes(&c, &builder);
    status = lb_mesh_builder_finish(&builder, "cleaned mesh", out, err);
  }
  lb_mesh_report_destroy(report);
  lb_arena_release(&arena);
  return status;
}

lbStatus lb_mesh_clean(const lbMesh *mesh, lbMesh **out, lbError *err) {
  lbMesh *first = NULL;
  bool joined;
  lbStatus status = clean_once(mesh, &joined, &first, err);
  if (status) return status;
  if (!joined) {
    *out = first;
    return LB_OK;
  }
  status = clean_once(first, &joined, out, err);
  lb_mesh_destroy(first);
  return status;
}
