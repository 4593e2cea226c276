// Bricks into tets that fit across common faces.
//
// From the brick's vertex with the smallest id, v, a cone goes to the three faces that do not
// contain v; each of those is cut along the diagonal from its own smallest id: six tets. The faces
// that contain v are thereby cut along the diagonal from v, which is their smallest id too. So
// every face is cut from its smallest id, whichever brick looks at it, and no vertex is added.
#include "limber/voxelise.h"

#include "mesh/builder.h"

#include "geometry/triangle.h"

// Faces of a brick, counter-clockwise seen from outside.
static const int8_t faces[6][4] = { { 0, 3, 2, 1 }, { 4, 5, 6, 7 }, { 0, 1, 5, 4 },
                                    { 1, 2, 6, 5 }, { 2, 3, 7, 6 }, { 3, 0, 4, 7 } };

static bool contains(const int32_t *ids, int count, int32_t id) {
  for (int i = 0; i < count; i++)
    if (ids[i] == id) return true;
  return false;
}

static double tet_volume(const lbMesh *mesh, const int32_t tet[4]) {
  lbVec3 o = lb_vec3_load(mesh->positions + 3 * (size_t)tet[0]), edge[3];
  for (int i = 0; i < 3; i++)
    edge[i] = lb_sub(lb_vec3_load(mesh->positions + 3 * (size_t)tet[i + 1]), o);
  return lb_dot(edge[0], lb_cross(edge[1], edge[2])) / 6;
}

// A brick with collapsed edges (a wedge) has tets with a repeated vertex; they are left out.
static lbStatus add_tet(lbMeshBuilder *builder, const lbMesh *mesh, int32_t brick,
                        const int32_t tet[4], lbError *err) {
  for (int i = 1; i < 4; i++)
    if (contains(tet, i, tet[i])) return LB_OK;
  double volume = tet_volume(mesh, tet);
  if (!(volume > 0))
    return lb_fail(err, LB_ERR_MESH,
                   "brick %d is too distorted to be split: a tet (%d %d %d %d) would have the "
                   "volume %g, repair the brick",
                   (int)brick, (int)tet[0], (int)tet[1], (int)tet[2], (int)tet[3], volume);
  lb_mesh_add_tet(builder, tet);
  return LB_OK;
}

static lbStatus split_brick(lbMeshBuilder *builder, const lbMesh *mesh, int32_t brick,
                            lbError *err) {
  const int32_t *ids = mesh->bricks + 8 * (size_t)brick;
  int32_t apex = ids[0];
  for (int a = 1; a < 8; a++)
    if (ids[a] < apex) apex = ids[a];
  for (int f = 0; f < 6; f++) {
    int32_t face[4];
    int smallest = 0;
    for (int k = 0; k < 4; k++) {
      face[k] = ids[faces[f][k]];
      if (face[k] < face[smallest]) smallest = k;
    }
    if (contains(face, 4, apex)) continue;
    int32_t from = face[smallest], left = face[(smallest + 1) % 4];
    int32_t across = face[(smallest + 2) % 4], right = face[(smallest + 3) % 4];
    // Seen from the apex, inside, the outward face runs clockwise: det(from, left, across) > 0.
    lbStatus status = add_tet(builder, mesh, brick, (int32_t[4]){ apex, from, left, across }, err);
    if (!status)
      status = add_tet(builder, mesh, brick, (int32_t[4]){ apex, from, across, right }, err);
    if (status) return status;
  }
  return LB_OK;
}

// ---- what goes over ----------------------------------------------------------------------------

static void copy_surface(lbMeshBuilder *builder, const lbMesh *mesh) {
  for (int32_t i = 0; i < mesh->texture_count; i++) {
    const lbTexture *texture = &mesh->textures[i];
    lb_mesh_add_texture(builder, texture->name, texture->mime, texture->data, texture->bytes);
  }
  for (int32_t i = 0; i < mesh->appearance_count; i++) {
    int32_t id = lb_mesh_add_appearance(builder, mesh->appearances[i].name);
    if (id < 0) return;
    lbAppearance *copy = &builder->mesh->appearances[id];
    char *name = copy->name;
    *copy = mesh->appearances[i];
    copy->name = name;
  }
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    lb_mesh_add_triangle(builder, mesh->triangles + 3 * (size_t)t);
    if (mesh->corner_uvs) lb_mesh_set_triangle_uvs(builder, mesh->corner_uvs + 6 * (size_t)t);
    if (mesh->triangle_appearances)
      lb_mesh_set_triangle_appearance(builder, mesh->triangle_appearances[t]);
  }
}

// Element e of the mesh became the elements new_begin[e] .. new_begin[e + 1] - 1.
static void copy_piece_groups(lbMeshBuilder *builder, const lbMesh *mesh,
                              const int32_t *new_begin) {
  for (int32_t g = 0; g < mesh->group_count && !builder->out_of_memory; g++) {
    const lbGroup *group = &mesh->groups[g];
    int32_t copy = lb_mesh_add_group(builder, group->kind, group->tag, group->name);
    for (int32_t k = 0; k < group->count; k++) {
      int32_t id = group->ids[k];
      if (group->kind != LB_GROUP_ELEMENTS) {
        lb_mesh_add_to_group(builder, copy, id);
        continue;
      }
      for (int32_t e = new_begin[id]; e < new_begin[id + 1]; e++)
        lb_mesh_add_to_group(builder, copy, e);
    }
  }
}

static void copy_piece_materials(lbMeshBuilder *builder, const lbMesh *mesh,
                                 const int32_t *new_begin) {
  for (int32_t i = 0; i < mesh->material_count; i++)
    lb_mesh_add_material(builder, mesh->materials[i].name, &mesh->materials[i].material);
  if (!mesh->element_materials) return;
  for (int32_t e = 0; e < lb_mesh_element_count(mesh); e++)
    for (int32_t k = new_begin[e]; k < new_begin[e + 1]; k++)
      lb_mesh_set_element_material(builder, k, mesh->element_materials[e]);
}

static lbStatus add_tets(lbMeshBuilder *builder, const lbMesh *mesh, int32_t *new_begin,
                         lbError *err) {
  for (int32_t t = 0; t < mesh->tet_count; t++) {
    new_begin[t] = t;
    lb_mesh_add_tet(builder, mesh->tets + 4 * (size_t)t);
  }
  for (int32_t b = 0; b < mesh->brick_count; b++) {
    if (builder->out_of_memory) return lb_fail_memory(err);
    new_begin[mesh->tet_count + b] = builder->mesh->tet_count;
    lbStatus status = split_brick(builder, mesh, b, err);
    if (status) return status;
  }
  if (builder->out_of_memory) return lb_fail_memory(err);
  new_begin[mesh->tet_count + mesh->brick_count] = builder->mesh->tet_count;
  return LB_OK;
}

lbStatus lb_mesh_split_bricks(const lbMesh *mesh, lbMesh **out, lbError *err) {
  if (mesh->brick_count > (INT32_MAX / 4 - mesh->tet_count) / 6)
    return lb_fail(err, LB_ERR_MESH, "%d bricks are too many to be split into tets",
                   (int)mesh->brick_count);
  int32_t *new_begin = lb_alloc((size_t)lb_mesh_element_count(mesh) + 1, sizeof *new_begin);
  if (!new_begin) return lb_fail_memory(err);
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    const double *x = mesh->positions + 3 * (size_t)v;
    lb_mesh_add_vertex(&builder, x[0], x[1], x[2]);
  }
  lbStatus status = add_tets(&builder, mesh, new_begin, err);
  if (status) {
    lb_mesh_builder_abort(&builder);
  } else {
    copy_surface(&builder, mesh);
    copy_piece_groups(&builder, mesh, new_begin);
    copy_piece_materials(&builder, mesh, new_begin);
    status = lb_mesh_builder_finish(&builder, "splitting bricks", out, err);
  }
  lb_free(new_begin);
  return status;
}
