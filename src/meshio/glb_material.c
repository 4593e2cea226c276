// Materials of glTF: the metallic-roughness numbers and the base-colour picture, still encoded.
#include "meshio/glb.h"

#include "meshio/companion.h"

#include <math.h>
#include <string.h>

// Where the number of a texture's picture stands, in order of preference.
static int64_t image_of(const json_t *texture) {
  static const char *const extensions[] = { "EXT_texture_webp", "KHR_texture_basisu" };
  int64_t image = lb_json_integer(texture, "source", -1);
  const json_t *extended = json_object_get(texture, "extensions");
  for (int i = 0; i < 2 && image < 0; i++)
    image = lb_json_integer(json_object_get(extended, extensions[i]), "source", -1);
  return image;
}

static const json_t *base_texture(const json_t *material) {
  return json_object_get(json_object_get(material, "pbrMetallicRoughness"), "baseColorTexture");
}

int64_t lb_glb_texture_set(const lbGlbFile *glb, int64_t material) {
  return lb_json_integer(base_texture(lb_glb_item(glb, "materials", material)), "texCoord", 0);
}

// A picture that cannot be found is a warning: the texture then has no data.
static lbStatus add_image(const lbGlbFile *glb, lbMeshBuilder *builder, int64_t image,
                          int32_t *texture, lbError *err) {
  const json_t *item = lb_glb_item(glb, "images", image);
  const char *uri = lb_json_text(item, "uri", NULL);
  const char *name = lb_json_text(item, "name", "");
  const uint8_t *data = NULL;
  uint8_t *owned = NULL;
  size_t bytes = 0;
  lbError why;
  lbStatus status = LB_OK;
  if (uri) {
    status = lb_glb_uri(glb, uri, &owned, &bytes, &why);
    data = owned;
    if (strncmp(uri, "data:", 5) != 0) name = uri;
  } else {
    status = lb_glb_view(glb, lb_json_integer(item, "bufferView", -1), &data, &bytes, &why);
  }
  if (status == LB_ERR_MEMORY) return lb_fail_memory(err);
  const char *mime = status ? NULL : lb_picture_mime(data, bytes);
  if (status)
    lb_log(LB_LOG_WARNING, "%s, the surface stays without this picture", why.text);
  else if (!mime)
    lb_log(LB_LOG_WARNING, "%s: images[%lld] is not a picture of a known type, ignored", glb->path,
           (long long)image);
  if (!mime) mime = lb_json_text(item, "mimeType", ""), data = NULL;
  *texture = lb_mesh_add_texture(builder, name, mime, data, bytes);
  lb_free(owned);
  return *texture < 0 ? lb_fail_memory(err) : LB_OK;
}

static float share(double value) { return value > 0 ? (float)fmin(value, 1) : 0; }

static lbStatus add_glb_material(const lbGlbFile *glb, lbMeshBuilder *builder, int32_t id,
                                 int32_t *image_textures, lbError *err) {
  const json_t *item = lb_glb_item(glb, "materials", id);
  const json_t *pbr = json_object_get(item, "pbrMetallicRoughness");
  int32_t index = lb_mesh_add_appearance(builder, lb_json_text(item, "name", ""));
  if (index < 0) return lb_fail_memory(err);
  lbAppearance *appearance = &builder->mesh->appearances[index];
  double color[4] = { 1, 1, 1, 1 };
  lb_json_numbers(pbr, "baseColorFactor", color, 4);
  for (int i = 0; i < 4; i++) appearance->base_color[i] = share(color[i]);
  appearance->metallic = share(lb_json_number(pbr, "metallicFactor", 1));
  appearance->roughness = share(lb_json_number(pbr, "roughnessFactor", 1));
  const json_t *used = base_texture(item);
  if (!used) return LB_OK;
  if (json_object_get(json_object_get(used, "extensions"), "KHR_texture_transform"))
    lb_log(LB_LOG_WARNING, "%s: materials[%d] moves its picture by KHR_texture_transform, ignored",
           glb->path, (int)id);
  int64_t texture = lb_json_integer(used, "index", -1);
  int64_t image = image_of(lb_glb_item(glb, "textures", texture));
  if (image < 0 || image >= lb_glb_count(glb, "images"))
    return lb_glb_fail(glb, err,
                       "materials[%d] uses textures[%lld] with images[%lld], there are %d", (int)id,
                       (long long)texture, (long long)image, (int)lb_glb_count(glb, "images"));
  lbStatus status = LB_OK;
  if (image_textures[image] < 0)
    status = add_image(glb, builder, image, &image_textures[image], err);
  appearance->texture = image_textures[image];
  return status;
}

lbStatus lb_glb_materials(const lbGlbFile *glb, lbMeshBuilder *builder, lbError *err) {
  int32_t material_count = lb_glb_count(glb, "materials"),
          image_count = lb_glb_count(glb, "images");
  int32_t *image_textures = lb_alloc((size_t)image_count, sizeof(int32_t)); // -1: not yet added
  lbStatus status = image_textures ? LB_OK : lb_fail_memory(err);
  for (int32_t i = 0; i < image_count && !status; i++) image_textures[i] = -1;
  for (int32_t i = 0; i < material_count && !status; i++)
    status = add_glb_material(glb, builder, i, image_textures, err);
  lb_free(image_textures);
  return status;
}
