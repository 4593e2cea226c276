// Building a mesh item by item, and the checks that every mesh passes.
#include "mesh/builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lb_mesh_builder_begin(lbMeshBuilder *builder) {
  *builder = (lbMeshBuilder){ .mesh = lb_alloc(1, sizeof(lbMesh)) };
  builder->out_of_memory = builder->mesh == NULL;
}

void lb_mesh_builder_abort(lbMeshBuilder *builder) {
  lb_mesh_destroy(builder->mesh);
  lb_free(builder->group_id_capacity);
  *builder = (lbMeshBuilder){ .out_of_memory = true };
}

// Room for `count` + 1 items of item_bytes; false (and sticky) without memory.
static bool reserve_items(lbMeshBuilder *builder, void **block, size_t *capacity, int32_t count,
                          size_t item_bytes) {
  if (builder->out_of_memory) return false;
  if (count >= LB_BRICK_ID - 1 || !lb_grow(block, capacity, (size_t)count + 1, item_bytes))
    builder->out_of_memory = true;
  return !builder->out_of_memory;
}

int32_t lb_mesh_add_vertex(lbMeshBuilder *builder, double x, double y, double z) {
  lbMesh *mesh = builder->mesh;
  if (builder->out_of_memory ||
      !reserve_items(builder, (void **)&mesh->positions, &builder->position_capacity,
                     mesh->vertex_count, 3 * sizeof(double)))
    return -1;
  double *p = mesh->positions + 3 * (size_t)mesh->vertex_count;
  p[0] = x, p[1] = y, p[2] = z;
  return mesh->vertex_count++;
}

// Appends one row of `width` vertex ids.
static int32_t add_id_row(lbMeshBuilder *builder, int32_t **rows, size_t *capacity, int32_t *count,
                          int32_t width, const int32_t *vertices) {
  if (!reserve_items(builder, (void **)rows, capacity, *count, (size_t)width * sizeof(int32_t)))
    return -1;
  memcpy(*rows + (size_t)width * (size_t)*count, vertices, (size_t)width * sizeof(int32_t));
  return (*count)++;
}

int32_t lb_mesh_add_tet(lbMeshBuilder *builder, const int32_t vertices[4]) {
  lbMesh *mesh = builder->mesh;
  if (builder->out_of_memory) return -1;
  return add_id_row(builder, &mesh->tets, &builder->tet_capacity, &mesh->tet_count, 4, vertices);
}

int32_t lb_mesh_add_brick(lbMeshBuilder *builder, const int32_t vertices[8]) {
  lbMesh *mesh = builder->mesh;
  if (builder->out_of_memory) return -1;
  return add_id_row(builder, &mesh->bricks, &builder->brick_capacity, &mesh->brick_count, 8,
                    vertices);
}

int32_t lb_mesh_add_triangle(lbMeshBuilder *builder, const int32_t vertices[3]) {
  lbMesh *mesh = builder->mesh;
  if (builder->out_of_memory) return -1;
  return add_id_row(builder, &mesh->triangles, &builder->triangle_capacity, &mesh->triangle_count,
                    3, vertices);
}

int32_t lb_mesh_add_group(lbMeshBuilder *builder, lbGroupKind kind, int32_t tag, const char *name) {
  lbMesh *mesh = builder->mesh;
  if (builder->out_of_memory) return -1;
  for (int32_t i = 0; i < mesh->group_count; i++) {
    const lbGroup *group = &mesh->groups[i];
    if (group->kind != kind) continue;
    if (tag ? group->tag == tag : strcmp(group->name, name) == 0) return i;
  }
  char *copy = lb_duplicate_text(name);
  if (!copy ||
      !reserve_items(builder, (void **)&mesh->groups, &builder->group_capacity, mesh->group_count,
                     sizeof(lbGroup)) ||
      !reserve_items(builder, (void **)&builder->group_id_capacity,
                     &builder->group_id_capacity_capacity, mesh->group_count, sizeof(size_t))) {
    lb_free(copy);
    builder->out_of_memory = true;
    return -1;
  }
  mesh->groups[mesh->group_count] = (lbGroup){ .name = copy, .tag = tag, .kind = kind };
  builder->group_id_capacity[mesh->group_count] = 0;
  return mesh->group_count++;
}

void lb_mesh_add_to_group(lbMeshBuilder *builder, int32_t group, int32_t id) {
  if (builder->out_of_memory || group < 0) return;
  lbGroup *g = &builder->mesh->groups[group];
  if (!reserve_items(builder, (void **)&g->ids, &builder->group_id_capacity[group], g->count,
                     sizeof(int32_t)))
    return;
  g->ids[g->count++] = id;
}

int32_t lb_mesh_add_material(lbMeshBuilder *builder, const char *name, const lbMaterial *material) {
  lbMesh *mesh = builder->mesh;
  if (builder->out_of_memory ||
      !reserve_items(builder, (void **)&mesh->materials, &builder->material_capacity,
                     mesh->material_count, sizeof(lbMeshMaterial)))
    return -1;
  char *copy = lb_duplicate_text(name);
  builder->out_of_memory = !copy;
  if (!copy) return -1;
  mesh->materials[mesh->material_count] = (lbMeshMaterial){ copy, *material };
  return mesh->material_count++;
}

int32_t lb_mesh_add_appearance(lbMeshBuilder *builder, const char *name) {
  lbMesh *mesh = builder->mesh;
  if (builder->out_of_memory ||
      !reserve_items(builder, (void **)&mesh->appearances, &builder->appearance_capacity,
                     mesh->appearance_count, sizeof(lbAppearance)))
    return -1;
  char *copy = lb_duplicate_text(name);
  builder->out_of_memory = !copy;
  if (!copy) return -1;
  mesh->appearances[mesh->appearance_count] = (lbAppearance){
    .name = copy, .base_color = { 1, 1, 1, 1 }, .roughness = 0.8f, .texture = -1
  };
  return mesh->appearance_count++;
}

int32_t lb_mesh_add_texture(lbMeshBuilder *builder, const char *name, const char *mime,
                            const void *data, size_t bytes) {
  lbMesh *mesh = builder->mesh;
  if (builder->out_of_memory ||
      !reserve_items(builder, (void **)&mesh->textures, &builder->texture_capacity,
                     mesh->texture_count, sizeof(lbTexture)))
    return -1;
  lbTexture texture = { lb_duplicate_text(name), lb_duplicate_text(mime),
                        data ? lb_duplicate(data, bytes, 1) : NULL, data ? bytes : 0 };
  if (!texture.name || !texture.mime || (data && !texture.data)) {
    lb_free(texture.name);
    lb_free(texture.mime);
    lb_free(texture.data);
    builder->out_of_memory = true;
    return -1;
  }
  mesh->textures[mesh->texture_count] = texture;
  return mesh->texture_count++;
}

// Rows without a colour, up to `count` rows in all.
static bool fill_colors(lbMeshBuilder *builder, int32_t count) {
  lbMesh *mesh = builder->mesh;
  if (count > builder->color_count &&
      !reserve_items(builder, (void **)&mesh->vertex_colors, &builder->color_capacity, count - 1,
                     4 * sizeof(float)))
    return false;
  for (; builder->color_count < count; builder->color_count++) {
    float *color = mesh->vertex_colors + 4 * (size_t)builder->color_count;
    color[0] = -1, color[1] = color[2] = color[3] = 0;
  }
  return true;
}

void lb_mesh_set_vertex_color(lbMeshBuilder *builder, int32_t vertex, const double rgba[4]) {
  if (builder->out_of_memory || vertex < 0 || !fill_colors(builder, vertex + 1)) return;
  float *color = builder->mesh->vertex_colors + 4 * (size_t)vertex;
  bool clamped = false;
  for (int i = 0; i < 4; i++) {
    clamped |= !(rgba[i] >= 0 && rgba[i] <= 1);
    color[i] = (float)fmin(fmax(rgba[i], 0), 1);
  }
  builder->clamped_count += clamped;
}

void lb_mesh_set_triangle_uvs(lbMeshBuilder *builder, const float uvs[6]) {
  lbMesh *mesh = builder->mesh;
  if (builder->out_of_memory || mesh->triangle_count == 0) return;
  int32_t last = mesh->triangle_count - 1;
  if (!reserve_items(builder, (void **)&mesh->corner_uvs, &builder->uv_capacity, last,
                     6 * sizeof(float)))
    return;
  memcpy(mesh->corner_uvs + 6 * (size_t)last, uvs, 6 * sizeof(float));
}

void lb_mesh_set_triangle_appearance(lbMeshBuilder *builder, int32_t appearance) {
  lbMesh *mesh = builder->mesh;
  if (builder->out_of_memory || mesh->triangle_count == 0) return;
  int32_t last = mesh->triangle_count - 1;
  // Stored plus one until finish, so that zeroed memory means "none".
  if (!reserve_items(builder, (void **)&mesh->triangle_appearances,
                     &builder->triangle_appearance_capacity, last, sizeof(int32_t)))
    return;
  mesh->triangle_appearances[last] = appearance + 1;
}

static int32_t element_number(const lbMesh *mesh, int32_t id) {
  return id >= LB_BRICK_ID ? mesh->tet_count + (id - LB_BRICK_ID) : id;
}

void lb_mesh_set_element_material(lbMeshBuilder *builder, int32_t element, int32_t material) {
  lbMesh *mesh = builder->mesh;
  if (builder->out_of_memory) return;
  int32_t count = lb_mesh_element_count(mesh), number = element_number(mesh, element);
  LB_ASSERT(number >= 0 && number < count);
  if (!reserve_items(builder, (void **)&mesh->element_materials,
                     &builder->element_material_capacity, count, sizeof(int32_t)))
    return;
  mesh->element_materials[number] = material + 1; // plus one until finish
}

static lbStatus check_positions(const lbMesh *mesh, const char *path, lbError *err) {
  for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
    double x = mesh->positions[i];
    if (isfinite(x)) continue;
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: vertex %d has a coordinate that is not a finite number (%c = %g), correct "
                   "or remove it; vertices are counted from 0",
                   path, (int)(i / 3), (char)('x' + i % 3), x);
  }
  return LB_OK;
}

static lbStatus check_rows(const lbMesh *mesh, const char *path, const char *what,
                           const int32_t *rows, int32_t count, int32_t width, lbError *err) {
  for (size_t i = 0; i < (size_t)count * (size_t)width; i++)
    if (rows[i] < 0 || rows[i] >= mesh->vertex_count)
      return lb_fail(err, LB_ERR_FORMAT,
                     "%s: %s %d uses vertex %d, the mesh has %d (counted from 0)", path, what,
                     (int)(i / (size_t)width), (int)rows[i], (int)mesh->vertex_count);
  return LB_OK;
}

static lbStatus check_groups(const lbMesh *mesh, const char *path, lbError *err) {
  for (int32_t i = 0; i < mesh->group_count; i++) {
    const lbGroup *group = &mesh->groups[i];
    int32_t limit = group->kind == LB_GROUP_VERTICES    ? mesh->vertex_count
                    : group->kind == LB_GROUP_TRIANGLES ? mesh->triangle_count
                                                        : lb_mesh_element_count(mesh);
    for (int32_t k = 0; k < group->count; k++)
      if (group->ids[k] < 0 || group->ids[k] >= limit)
        return lb_fail(err, LB_ERR_FORMAT, "%s: group \"%s\" names item %d of %d", path,
                       group->name, (int)group->ids[k], (int)limit);
  }
  return LB_OK;
}

// Each of `count` indices is -1 or below `limit`.
static lbStatus check_indices(const char *path, const char *item, const char *what,
                              const int32_t *indices, int32_t count, int32_t limit, lbError *err) {
  for (int32_t i = 0; indices && i < count; i++)
    if (indices[i] < -1 || indices[i] >= limit)
      return lb_fail(err, LB_ERR_FORMAT, "%s: %s %d names %s %d, the mesh has %d (counted from 0)",
                     path, item, (int)i, what, (int)indices[i], (int)limit);
  return LB_OK;
}

static lbStatus check_attributes(const lbMesh *mesh, const char *path, lbError *err) {
  lbStatus status = check_indices(path, "triangle", "appearance", mesh->triangle_appearances,
                                  mesh->triangle_count, mesh->appearance_count, err);
  if (!status)
    status = check_indices(path, "element", "material", mesh->element_materials,
                           lb_mesh_element_count(mesh), mesh->material_count, err);
  return status;
}

static int compare_builder_ids(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static void settle_groups(lbMesh *mesh) {
  for (int32_t i = 0; i < mesh->group_count; i++) {
    lbGroup *group = &mesh->groups[i];
    if (group->kind == LB_GROUP_ELEMENTS)
      for (int32_t k = 0; k < group->count; k++)
        group->ids[k] = element_number(mesh, group->ids[k]);
    if (group->count) qsort(group->ids, (size_t)group->count, sizeof(int32_t), compare_builder_ids);
    int32_t kept = 0;
    for (int32_t k = 0; k < group->count; k++)
      if (kept == 0 || group->ids[k] != group->ids[kept - 1]) group->ids[kept++] = group->ids[k];
    group->count = kept;
  }
}

static double determinant(const double *o, const double *a, const double *b, const double *c) {
  double u[3], v[3], w[3];
  for (int i = 0; i < 3; i++) u[i] = a[i] - o[i], v[i] = b[i] - o[i], w[i] = c[i] - o[i];
  return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
         u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// det of the trilinear map's Jacobian at the brick's centre, up to a positive factor.
static double brick_orientation(const lbMesh *mesh, const int32_t *brick) {
  double axis[3][3] = { { 0 } }, origin[3] = { 0 };
  for (int a = 0; a < 8; a++) {
    const double *x = mesh->positions + 3 * (size_t)brick[a];
    double sign[3] = { a == 1 || a == 2 || a == 5 || a == 6 ? 1 : -1, (a & 2) ? 1 : -1,
                       a >= 4 ? 1 : -1 };
    for (int d = 0; d < 3; d++)
      for (int i = 0; i < 3; i++) axis[d][i] += sign[d] * x[i];
  }
  return determinant(origin, axis[0], axis[1], axis[2]);
}

static void swap_ids(int32_t *a, int32_t *b) {
  int32_t kept = *a;
  *a = *b;
  *b = kept;
}

bool lb_mesh_mend_element(lbMesh *mesh, int32_t e) {
  const double *x = mesh->positions;
  if (e < mesh->tet_count) {
    int32_t *tet = mesh->tets + 4 * (size_t)e;
    if (!(determinant(x + 3 * (size_t)tet[0], x + 3 * (size_t)tet[1], x + 3 * (size_t)tet[2],
                      x + 3 * (size_t)tet[3]) < 0))
      return false;
    swap_ids(&tet[1], &tet[2]);
    return true;
  }
  int32_t *brick = mesh->bricks + 8 * (size_t)(e - mesh->tet_count);
  if (!(brick_orientation(mesh, brick) < 0)) return false;
  for (int a = 0; a < 4; a++) swap_ids(&brick[a], &brick[a + 4]);
  return true;
}

static lbStatus mend_winding(lbMesh *mesh, lbError *err) {
  size_t capacity = 0;
  for (int32_t e = 0; e < lb_mesh_element_count(mesh); e++) {
    if (!lb_mesh_mend_element(mesh, e)) continue;
    if (!lb_grow((void **)&mesh->mended, &capacity, (size_t)mesh->mended_count + 1,
                 sizeof(int32_t)))
      return lb_fail_memory(err);
    mesh->mended[mesh->mended_count++] = e;
  }
  return LB_OK;
}

// Optional per-item arrays were only grown as far as set; stretch them and undo the "plus one".
static void settle_attributes(lbMeshBuilder *builder) {
  lbMesh *mesh = builder->mesh;
  int32_t triangles = mesh->triangle_count, elements = lb_mesh_element_count(mesh);
  if (mesh->vertex_colors) fill_colors(builder, mesh->vertex_count);
  if (mesh->corner_uvs)
    reserve_items(builder, (void **)&mesh->corner_uvs, &builder->uv_capacity, triangles,
                  6 * sizeof(float));
  if (mesh->triangle_appearances &&
      reserve_items(builder, (void **)&mesh->triangle_appearances,
                    &builder->triangle_appearance_capacity, triangles, sizeof(int32_t)))
    for (int32_t i = 0; i < triangles; i++) mesh->triangle_appearances[i]--;
  if (mesh->element_materials &&
      reserve_items(builder, (void **)&mesh->element_materials, &builder->element_material_capacity,
                    elements, sizeof(int32_t)))
    for (int32_t i = 0; i < elements; i++) mesh->element_materials[i]--;
}

lbStatus lb_mesh_builder_finish(lbMeshBuilder *builder, const char *path, lbMesh **out,
                                lbError *err) {
  lbMesh *mesh = builder->mesh;
  if (!builder->out_of_memory) settle_attributes(builder);
  lbStatus status = builder->out_of_memory ? lb_fail_memory(err) : LB_OK;
  if (!status) status = check_positions(mesh, path, err);
  if (!status) status = check_rows(mesh, path, "tet", mesh->tets, mesh->tet_count, 4, err);
  if (!status) status = check_rows(mesh, path, "brick", mesh->bricks, mesh->brick_count, 8, err);
  if (!status)
    status = check_rows(mesh, path, "triangle", mesh->triangles, mesh->triangle_count, 3, err);
  if (!status) settle_groups(mesh);
  if (!status) status = check_groups(mesh, path, err);
  if (!status) status = check_attributes(mesh, path, err);
  if (!status) status = mend_winding(mesh, err);
  if (status) {
    lb_mesh_builder_abort(builder);
    return status;
  }
  lb_free(builder->group_id_capacity);
  *builder = (lbMeshBuilder){ .out_of_memory = true };
  *out = mesh;
  return LB_OK;
}
