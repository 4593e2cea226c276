// Metallic-roughness materials and embedded pictures.
#include "export/appearances.h"

#include "meshio/companion.h"

#include <string.h>

// For surfaces without an appearance: a soft blue, linear RGBA.
static const lbAppearance plain = { .name = "limber",
                                    .base_color = { 0.38f, 0.58f, 0.74f, 1 },
                                    .metallic = 0,
                                    .roughness = 0.55f,
                                    .texture = -1 };

// ---- pictures ----------------------------------------------------------------------------------

static lbStatus embed(lbGltf *gltf, const lbTexture *source, int32_t *texture, lbError *err) {
  const char *mime = source->data ? lb_picture_mime(source->data, source->bytes) : NULL;
  *texture = -1;
  if (!mime || (strcmp(mime, "image/png") != 0 && strcmp(mime, "image/jpeg") != 0)) {
    lb_log(LB_LOG_WARNING, "picture \"%s\" is left out: %s", source->name ? source->name : "",
           source->data ? "it is neither PNG nor JPEG" : "it is missing");
    return LB_OK;
  }
  lbGltfPicture picture = { source->name, mime, source->data, source->bytes };
  return lb_gltf_add_texture(gltf, &picture, texture, err);
}

lbStatus lb_appearances_picture(lbAppearances *appearances, const lbTexture *source,
                                int32_t *texture, lbError *err) {
  for (size_t i = 0; i < appearances->picture_count; i++)
    if (appearances->pictures[i].source == source) {
      *texture = appearances->pictures[i].texture;
      return LB_OK;
    }
  if (!lb_grow((void **)&appearances->pictures, &appearances->picture_capacity,
               appearances->picture_count + 1, sizeof *appearances->pictures))
    return lb_fail_memory(err);
  lbStatus status = embed(appearances->gltf, source, texture, err);
  if (!status)
    appearances->pictures[appearances->picture_count++] = (lbPictureEntry){ source, *texture };
  return status;
}

static lbStatus find_appearance_texture(lbAppearances *appearances, const lbMesh *mesh, int32_t id,
                                        int32_t *texture, lbError *err) {
  *texture = -1;
  if (id < 0 || id >= mesh->texture_count) return LB_OK;
  const lbTexture *source = &mesh->textures[id];
  if (mesh->corner_uvs) return lb_appearances_picture(appearances, source, texture, err);
  lb_log(LB_LOG_WARNING, "picture \"%s\" is left out: the surface has no texture coordinates",
         source->name ? source->name : "");
  return LB_OK;
}

// ---- materials ---------------------------------------------------------------------------------

static lbStatus add_appearance_material(lbGltf *gltf, const lbAppearance *from, int32_t texture,
                                        bool two_sided, int32_t *id, lbError *err) {
  lbGltfMaterial material = { .name = from->name,
                              .metallic = from->metallic,
                              .roughness = from->roughness,
                              .texture = texture,
                              .two_sided = two_sided };
  memcpy(material.base_color, from->base_color, sizeof material.base_color);
  return lb_gltf_add_material(gltf, &material, id, err);
}

lbStatus lb_appearances_material(lbAppearances *appearances, const lbMesh *mesh, int32_t appearance,
                                 bool two_sided, int32_t *material, lbError *err) {
  const lbAppearance *source = appearance < 0 ? NULL : &mesh->appearances[appearance];
  int32_t texture = -1;
  lbStatus status =
      source ? find_appearance_texture(appearances, mesh, source->texture, &texture, err) : LB_OK;
  if (status) return status;
  for (size_t i = 0; i < appearances->entry_count; i++) {
    const lbAppearanceEntry *entry = &appearances->entries[i];
    if (entry->source == source && entry->textured == (texture >= 0) &&
        entry->two_sided == two_sided) {
      *material = entry->material;
      return LB_OK;
    }
  }
  if (!lb_grow((void **)&appearances->entries, &appearances->entry_capacity,
               appearances->entry_count + 1, sizeof *appearances->entries))
    return lb_fail_memory(err);
  status = add_appearance_material(appearances->gltf, source ? source : &plain, texture, two_sided,
                                   material, err);
  if (!status)
    appearances->entries[appearances->entry_count++] =
        (lbAppearanceEntry){ source, texture >= 0, two_sided, *material };
  return status;
}

void lb_appearances_release(lbAppearances *appearances) {
  lb_free(appearances->entries);
  lb_free(appearances->pictures);
  *appearances = (lbAppearances){ 0 };
}
