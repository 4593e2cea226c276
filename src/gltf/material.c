// Metallic-roughness materials and embedded pictures.
#include "gltf/document.h"

#include <math.h>
#include <string.h>

lbStatus lb_gltf_add_texture(lbGltf *gltf, const lbGltfPicture *picture, int32_t *id,
                             lbError *err) {
  lbStatus status = lb_gltf_check(gltf, err);
  if (status) return status;
  if (!picture->data || !picture->bytes || !picture->mime ||
      (strcmp(picture->mime, "image/png") != 0 && strcmp(picture->mime, "image/jpeg") != 0))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "picture \"%s\" has %llu bytes and the type \"%s\", it must be image/png or "
                   "image/jpeg",
                   picture->name ? picture->name : "",
                   (unsigned long long)(picture->data ? picture->bytes : 0),
                   picture->mime ? picture->mime : "");
  int32_t texture = gltf->textures.count;
  if (!lb_grow((void **)&gltf->texture_views, &gltf->texture_capacity, (size_t)texture + 1,
               sizeof *gltf->texture_views))
    lb_gltf_set_failed(gltf, LB_ERR_MEMORY);
  int32_t view = lb_gltf_add_view(gltf, picture->data, picture->bytes, LB_GLTF_ANY, NULL);
  if (view >= 0) {
    lbJson *images = &gltf->images, *textures = &gltf->textures;
    int32_t image = lb_json_next(images);
    lb_json_put(images, lb_gltf_open(images, picture->name));
    lb_json_put(images, "\"mimeType\":");
    lb_json_put_string(images, picture->mime);
    lb_json_put(images, ",\"bufferView\":");
    lb_json_put_integer(images, view);
    lb_json_put(images, "}");
    lb_json_next(textures);
    lb_json_put(textures, "{\"source\":");
    lb_json_put_integer(textures, image);
    lb_json_put(textures, "}");
    gltf->texture_views[texture] = view;
  }
  status = lb_gltf_check(gltf, err);
  if (!status) *id = texture;
  return status;
}

void lb_gltf_texture_range(const lbGltf *gltf, int32_t texture, int64_t *begin, int64_t *bytes) {
  LB_ASSERT(texture >= 0 && texture < gltf->textures.count);
  const lbGltfPiece *piece = &gltf->pieces[gltf->texture_views[texture]];
  *begin = (int64_t)piece->begin;
  *bytes = (int64_t)piece->bytes;
}

static float clamp_to_unit(float value) { return value >= 0 ? (value <= 1 ? value : 1) : 0; }

lbStatus lb_gltf_add_material(lbGltf *gltf, const lbGltfMaterial *material, int32_t *id,
                              lbError *err) {
  lbStatus status = lb_gltf_check(gltf, err);
  if (status) return status;
  if (material->texture < -1 || material->texture >= gltf->textures.count)
    return lb_fail(err, LB_ERR_ARGUMENT, "material \"%s\" uses texture %d, there are %d",
                   material->name ? material->name : "", (int)material->texture,
                   (int)gltf->textures.count);
  float color[4];
  for (int k = 0; k < 4; k++) color[k] = clamp_to_unit(material->base_color[k]);
  lbJson *list = &gltf->materials;
  int32_t number = lb_json_next(list);
  lb_json_put(list, lb_gltf_open(list, material->name));
  lb_json_put(list, "\"pbrMetallicRoughness\":{");
  lb_json_put_floats(list, "baseColorFactor", color, 4);
  if (material->texture >= 0) {
    lb_json_put(list, ",\"baseColorTexture\":{\"index\":");
    lb_json_put_integer(list, material->texture);
    lb_json_put(list, "}");
  }
  lb_json_put(list, ",\"metallicFactor\":");
  lb_json_put_number(list, (double)clamp_to_unit(material->metallic));
  lb_json_put(list, ",\"roughnessFactor\":");
  lb_json_put_number(list, (double)clamp_to_unit(material->roughness));
  lb_json_put(list, color[3] < 1 ? "},\"alphaMode\":\"BLEND\"" : "}");
  lb_json_put(list, material->two_sided ? ",\"doubleSided\":true}" : "}");
  status = lb_gltf_check(gltf, err);
  if (!status) *id = number;
  return status;
}
