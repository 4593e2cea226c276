// Accessors for base and targets, primitives by appearance.
#include "export/morph.h"

#include <string.h>

// Adds values of the sources, given to every vertex split from them. The index of the accessor.
static json_t *add_spread(lbGlb *glb, const lbSurface *surface, const float *values, bool bounds) {
  size_t count = (size_t)surface->vertex_count;
  float *spread = lb_alloc(count, 3 * sizeof(float));
  for (size_t i = 0; i < count && spread; i++)
    memcpy(spread + 3 * i, values + 3 * (size_t)surface->origins[i], 3 * sizeof(float));
  return json_integer(lb_glb_add_floats(glb, spread, count, 3, LB_GLB_VERTICES, bounds));
}

static json_t *add_attributes(lbGlb *glb, const lbMorph *morph) {
  const lbSurface *surface = morph->surface;
  json_t *attributes = json_object();
  lb_glb_set(glb, attributes, "POSITION", add_spread(glb, surface, morph->base, true));
  lb_glb_set(glb, attributes, "NORMAL", add_spread(glb, surface, morph->normals, false));
  if (surface->uvs) {
    size_t count = (size_t)surface->vertex_count;
    float *uvs = lb_duplicate(surface->uvs, count, 2 * sizeof(float));
    lb_glb_set(glb, attributes, "TEXCOORD_0",
               json_integer(lb_glb_add_floats(glb, uvs, count, 2, LB_GLB_VERTICES, false)));
  }
  return attributes;
}

static json_t *add_targets(lbGlb *glb, const lbMorph *morph) {
  size_t n = 3 * (size_t)morph->surface->source_count;
  json_t *targets = json_array();
  for (size_t i = 0; i < (size_t)morph->target_count && !glb->status; i++) {
    json_t *target = json_object();
    lb_glb_set(glb, target, "POSITION",
               add_spread(glb, morph->surface, morph->targets + n * i, true));
    if (morph->target_normals)
      lb_glb_set(glb, target, "NORMAL",
                 add_spread(glb, morph->surface, morph->target_normals + n * i, false));
    lb_glb_append(glb, targets, target);
  }
  return targets;
}

static json_t *add_primitives(lbLooks *looks, const lbMorph *morph, json_t *attributes,
                              json_t *targets) {
  lbGlb *glb = looks->glb;
  const lbSurface *surface = morph->surface;
  json_t *primitives = json_array();
  for (int32_t i = 0; i < surface->part_count; i++) {
    const lbSurfacePart *part = &surface->parts[i];
    json_t *primitive = json_object();
    lb_glb_set(glb, primitive, "attributes", json_incref(attributes));
    lb_glb_set(
        glb, primitive, "indices",
        json_integer(lb_glb_add_indices(glb, surface->triangles + 3 * (size_t)part->triangle_begin,
                                        3 * (size_t)part->triangle_count, surface->vertex_count)));
    lb_glb_set(
        glb, primitive, "material",
        json_integer(lb_looks_material(looks, morph->mesh, part->appearance, surface->open)));
    if (morph->target_count) lb_glb_set(glb, primitive, "targets", json_incref(targets));
    lb_glb_append(glb, primitives, primitive);
  }
  return primitives;
}

int32_t lb_morph_add(lbLooks *looks, const lbMorph *morph) {
  lbGlb *glb = looks->glb;
  json_t *object = json_object();
  json_t *attributes = add_attributes(glb, morph);
  json_t *targets = add_targets(glb, morph);
  lb_glb_set(glb, object, "name", lb_glb_text(morph->name));
  lb_glb_set(glb, object, "primitives", add_primitives(looks, morph, attributes, targets));
  if (morph->target_count)
    lb_glb_set(glb, object, "weights", lb_glb_numbers(morph->weights, morph->target_count));
  lb_glb_set(glb, object, "extras", morph->extras);
  json_decref(attributes);
  json_decref(targets);
  return lb_glb_add(glb, "meshes", object);
}
