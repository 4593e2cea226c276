// The mesh type: release and look-up.
#include "limber/mesh.h"

#include <string.h>

void lb_mesh_destroy(lbMesh *mesh) {
  if (!mesh) return;
  for (int32_t i = 0; i < mesh->group_count; i++) {
    lb_free(mesh->groups[i].name);
    lb_free(mesh->groups[i].ids);
  }
  for (int32_t i = 0; i < mesh->material_count; i++) lb_free(mesh->materials[i].name);
  for (int32_t i = 0; i < mesh->appearance_count; i++) lb_free(mesh->appearances[i].name);
  for (int32_t i = 0; i < mesh->texture_count; i++) {
    lb_free(mesh->textures[i].name);
    lb_free(mesh->textures[i].mime);
    lb_free(mesh->textures[i].data);
  }
  lb_free(mesh->positions);
  lb_free(mesh->tets);
  lb_free(mesh->bricks);
  lb_free(mesh->triangles);
  lb_free(mesh->mended);
  lb_free(mesh->groups);
  lb_free(mesh->materials);
  lb_free(mesh->element_materials);
  lb_free(mesh->corner_uvs);
  lb_free(mesh->appearances);
  lb_free(mesh->triangle_appearances);
  lb_free(mesh->textures);
  lb_free(mesh->vertex_colors);
  lb_free(mesh);
}

int32_t lb_mesh_element_count(const lbMesh *mesh) { return mesh->tet_count + mesh->brick_count; }

int32_t lb_mesh_body_elements(const lbMesh *mesh) {
  int32_t elements = lb_mesh_element_count(mesh);
  return elements > 0 ? elements : mesh->triangle_count;
}

const lbGroup *lb_mesh_group_by_name(const lbMesh *mesh, lbGroupKind kind, const char *name) {
  for (int32_t i = 0; i < mesh->group_count; i++)
    if (mesh->groups[i].kind == kind && strcmp(mesh->groups[i].name, name) == 0)
      return &mesh->groups[i];
  return NULL;
}

const lbGroup *lb_mesh_group_by_tag(const lbMesh *mesh, lbGroupKind kind, int32_t tag) {
  for (int32_t i = 0; i < mesh->group_count; i++)
    if (mesh->groups[i].kind == kind && mesh->groups[i].tag == tag) return &mesh->groups[i];
  return NULL;
}
