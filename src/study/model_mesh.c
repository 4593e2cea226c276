// The surface and the volume of a model as meshes, for the writers of files.
#include "study/actor.h"

#include <string.h>

static lbStatus copy_model_textures(const lbModel *model, lbMesh *mesh, lbError *err) {
  int32_t count = model->size.texture_count;
  const char *name = model->texture_names, *mime = model->texture_mimes;
  mesh->textures = lb_alloc((size_t)count, sizeof(lbTexture));
  if (!mesh->textures) return lb_fail_memory(err);
  mesh->texture_count = count;
  for (int32_t i = 0; i < count; i++) {
    lbTexture *texture = &mesh->textures[i];
    size_t begin = (size_t)model->texture_ranges[2 * i];
    texture->name = lb_duplicate_text(name);
    texture->mime = lb_duplicate_text(mime);
    texture->bytes = (size_t)model->texture_ranges[2 * i + 1];
    if (texture->bytes) texture->data = lb_duplicate(model->pictures + begin, texture->bytes, 1);
    if (!texture->name || !texture->mime || (texture->bytes && !texture->data))
      return lb_fail_memory(err);
    name += strlen(name) + 1;
    mime += strlen(mime) + 1;
  }
  return LB_OK;
}

static lbStatus copy_model_appearances(const lbModel *model, lbMesh *mesh, lbError *err) {
  int32_t count = model->size.appearance_count;
  const char *name = model->appearance_names;
  mesh->appearances = lb_alloc((size_t)count, sizeof(lbAppearance));
  if (!mesh->appearances) return lb_fail_memory(err);
  mesh->appearance_count = count;
  for (int32_t i = 0; i < count; i++, name += strlen(name) + 1) {
    lbAppearance *to = &mesh->appearances[i];
    to->name = lb_duplicate_text(name);
    memcpy(to->base_color, model->appearance_colors + 4 * i, sizeof to->base_color);
    to->metallic = model->appearance_metal_roughness[2 * i];
    to->roughness = model->appearance_metal_roughness[2 * i + 1];
    to->texture = model->appearance_textures[i];
    if (!to->name) return lb_fail_memory(err);
  }
  return LB_OK;
}

static lbStatus fill_surface(const lbModel *model, lbMesh *mesh, lbError *err) {
  size_t vertices = (size_t)model->size.vertex_count,
         triangles = (size_t)model->size.triangle_count;
  mesh->positions = lb_duplicate(model->vertex_positions, 3 * vertices, sizeof(double));
  mesh->triangles = lb_duplicate(model->triangles, 3 * triangles, sizeof(int32_t));
  if (!mesh->positions || !mesh->triangles) return lb_fail_memory(err);
  mesh->vertex_count = model->size.vertex_count;
  mesh->triangle_count = model->size.triangle_count;
  if (model->corner_uvs) {
    mesh->corner_uvs = lb_duplicate(model->corner_uvs, 6 * triangles, sizeof(float));
    if (!mesh->corner_uvs) return lb_fail_memory(err);
  }
  if (model->triangle_appearances) {
    mesh->triangle_appearances =
        lb_duplicate(model->triangle_appearances, triangles, sizeof(int32_t));
    if (!mesh->triangle_appearances) return lb_fail_memory(err);
  }
  lbStatus status = model->size.appearance_count ? copy_model_appearances(model, mesh, err) : LB_OK;
  if (!status && model->size.texture_count) status = copy_model_textures(model, mesh, err);
  return status;
}

lbStatus lb_model_surface_mesh(const lbModel *model, lbMesh **out, lbError *err) {
  lbMesh *mesh = lb_alloc(1, sizeof *mesh);
  lbStatus status = mesh ? fill_surface(model, mesh, err) : lb_fail_memory(err);
  if (status)
    lb_mesh_destroy(mesh);
  else
    *out = mesh;
  return status;
}

lbStatus lb_model_volume_mesh(const lbModel *model, lbMesh **out, lbError *err) {
  const lbModelSizes *size = &model->size;
  lbMesh *mesh = lb_alloc(1, sizeof *mesh);
  if (!mesh) return lb_fail_memory(err);
  mesh->vertex_count = size->node_count;
  mesh->positions =
      lb_duplicate(model->node_positions, 3 * (size_t)size->node_count, sizeof(double));
  mesh->tets = model->tets ? lb_duplicate(model->tets, 4 * (size_t)size->tet_count, sizeof(int32_t))
                           : lb_alloc(0, sizeof(int32_t));
  mesh->bricks = model->bricks
                     ? lb_duplicate(model->bricks, 8 * (size_t)size->brick_count, sizeof(int32_t))
                     : lb_alloc(0, sizeof(int32_t));
  mesh->triangles =
      model->shells ? lb_duplicate(model->shells, 3 * (size_t)size->shell_count, sizeof(int32_t))
                    : lb_alloc(0, sizeof(int32_t));
  if (!mesh->positions || !mesh->tets || !mesh->bricks || !mesh->triangles) {
    lb_mesh_destroy(mesh);
    return lb_fail_memory(err);
  }
  mesh->tet_count = size->tet_count;
  mesh->brick_count = size->brick_count;
  mesh->triangle_count = size->shell_count;
  *out = mesh;
  return LB_OK;
}
