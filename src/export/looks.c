// Metallic-roughness materials and embedded pictures.
#include "export/looks.h"

#include "meshio/companion.h"

#include <string.h>

// For surfaces without an appearance: a soft blue, linear RGBA.
static const lbAppearance plain = { .name = "limber",
                                    .base_color = { 0.38f, 0.58f, 0.74f, 1 },
                                    .metallic = 0,
                                    .roughness = 0.55f,
                                    .texture = -1 };

static float clamp(float value) { return value >= 0 ? (value <= 1 ? value : 1) : 0; }

// ---- pictures ----------------------------------------------------------------------------------

static lbPicture embed_picture(lbGlb *glb, const lbTexture *source) {
  lbPicture picture = { source, -1, -1 };
  const char *mime = source->data ? lb_picture_mime(source->data, source->bytes) : NULL;
  if (!mime || (strcmp(mime, "image/png") != 0 && strcmp(mime, "image/jpeg") != 0)) {
    lb_log(LB_LOG_WARNING, "picture \"%s\" is left out: %s", source->name ? source->name : "",
           source->data ? "it is neither PNG nor JPEG" : "it is not there");
    return picture;
  }
  picture.view = lb_glb_add_view(glb, source->data, source->bytes, LB_GLB_ANY, NULL);
  if (picture.view < 0) return picture;
  json_t *image = json_object(), *texture = json_object();
  if (source->name && *source->name) lb_glb_set(glb, image, "name", lb_glb_text(source->name));
  lb_glb_set(glb, image, "mimeType", json_string(mime));
  lb_glb_set(glb, image, "bufferView", json_integer(picture.view));
  lb_glb_set(glb, texture, "source", json_integer(lb_glb_add(glb, "images", image)));
  picture.texture = lb_glb_add(glb, "textures", texture);
  return picture;
}

lbPicture lb_looks_picture(lbLooks *looks, const lbTexture *source) {
  for (size_t i = 0; i < looks->picture_count; i++)
    if (looks->pictures[i].source == source) return looks->pictures[i];
  if (!lb_grow((void **)&looks->pictures, &looks->picture_capacity, looks->picture_count + 1,
               sizeof *looks->pictures)) {
    if (!looks->glb->status) looks->glb->status = LB_ERR_MEMORY;
    return (lbPicture){ source, -1, -1 };
  }
  lbPicture picture = embed_picture(looks->glb, source);
  looks->pictures[looks->picture_count++] = picture;
  return picture;
}

static int32_t find_texture(lbLooks *looks, const lbMesh *mesh, int32_t id) {
  if (id < 0 || id >= mesh->texture_count) return -1;
  const lbTexture *source = &mesh->textures[id];
  if (mesh->corner_uvs) return lb_looks_picture(looks, source).texture;
  lb_log(LB_LOG_WARNING, "picture \"%s\" is left out: the surface has no texture coordinates",
         source->name ? source->name : "");
  return -1;
}

// ---- materials ---------------------------------------------------------------------------------

static int32_t add_material(lbGlb *glb, const lbAppearance *look, int32_t texture, bool two_sided) {
  json_t *material = json_object(), *pbr = json_object();
  float color[4];
  for (int k = 0; k < 4; k++) color[k] = clamp(look->base_color[k]);
  if (look->name && *look->name) lb_glb_set(glb, material, "name", lb_glb_text(look->name));
  lb_glb_set(glb, pbr, "baseColorFactor", lb_glb_numbers(color, 4));
  if (texture >= 0) {
    json_t *reference = json_object();
    lb_glb_set(glb, reference, "index", json_integer(texture));
    lb_glb_set(glb, pbr, "baseColorTexture", reference);
  }
  lb_glb_set(glb, pbr, "metallicFactor", json_real((double)clamp(look->metallic)));
  lb_glb_set(glb, pbr, "roughnessFactor", json_real((double)clamp(look->roughness)));
  lb_glb_set(glb, material, "pbrMetallicRoughness", pbr);
  if (color[3] < 1) lb_glb_set(glb, material, "alphaMode", json_string("BLEND"));
  if (two_sided) lb_glb_set(glb, material, "doubleSided", json_true());
  return lb_glb_add(glb, "materials", material);
}

int32_t lb_looks_material(lbLooks *looks, const lbMesh *mesh, int32_t appearance, bool two_sided) {
  lbGlb *glb = looks->glb;
  const lbAppearance *source = appearance < 0 ? NULL : &mesh->appearances[appearance];
  int32_t texture = source ? find_texture(looks, mesh, source->texture) : -1;
  for (size_t i = 0; i < looks->look_count; i++) {
    const lbLook *look = &looks->looks[i];
    if (look->appearance == source && look->textured == (texture >= 0) &&
        look->two_sided == two_sided)
      return look->material;
  }
  if (!lb_grow((void **)&looks->looks, &looks->look_capacity, looks->look_count + 1,
               sizeof *looks->looks) &&
      !glb->status)
    glb->status = LB_ERR_MEMORY;
  if (glb->status) return -1;
  int32_t material = add_material(glb, source ? source : &plain, texture, two_sided);
  looks->looks[looks->look_count++] = (lbLook){ source, texture >= 0, two_sided, material };
  return material;
}

void lb_looks_release(lbLooks *looks) {
  lb_free(looks->looks);
  lb_free(looks->pictures);
  *looks = (lbLooks){ 0 };
}
