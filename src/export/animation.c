// Simulated bodies as an animated .glb: a root node that turns the input's up axis to glTF's Y, and
// a node a body with its mesh, morph targets, and one animation for all of their weights and
// translations.
#include "limber/export.h"

#include "export/glb.h"
#include "export/looks.h"
#include "export/motion.h"
#include "export/surface.h"

#include <math.h>
#include <string.h>

// Beyond this, in metres, the floats of the file could overflow.
#define FARTHEST 1e30f
#define TARGETS_MOST 4096

typedef struct Export {
  const lbAnimationDef *def;
  lbGlb glb;
  lbLooks looks;
  json_t *children;            // of the root node
  json_t *samplers, *channels; // of the animation
  int32_t times;               // accessor, -1: not yet written
} Export;

lbAnimationDef lb_animation_def(void) {
  return (lbAnimationDef){ .tolerance = 1e-3, .targets_max = 64, .up = 'z' };
}

// ---- checks ------------------------------------------------------------------------------------

static lbStatus check_times(const lbAnimationDef *def, lbError *err) {
  for (int32_t f = 0; f < def->frame_count; f++) {
    double time = def->times[f];
    if (!(time >= 0 && time < 1e30))
      return lb_fail(err, LB_ERR_ARGUMENT, "times[%d] is %g, it must be a number of seconds >= 0",
                     (int)f, time);
    if (f && !((float)time > (float)def->times[f - 1]))
      return lb_fail(
          err, LB_ERR_ARGUMENT,
          "times[%d] is %.9g after %.9g: times must ascend, also in the single precision "
          "of glTF",
          (int)f, time, def->times[f - 1]);
  }
  return LB_OK;
}

static lbStatus check_def(const lbAnimationDef *def, lbError *err) {
  if (def->frame_count < 1 || !def->times)
    return lb_fail(err, LB_ERR_ARGUMENT, "frame_count is %d, an animation needs a frame and times",
                   (int)def->frame_count);
  if (!(def->tolerance > 0 && def->tolerance < 1))
    return lb_fail(err, LB_ERR_ARGUMENT, "tolerance is %g, it must be above 0 and below 1",
                   def->tolerance);
  if (def->targets_max < 0 || def->targets_max > TARGETS_MOST)
    return lb_fail(err, LB_ERR_ARGUMENT, "targets_max is %d, it must be 0 to %d",
                   (int)def->targets_max, TARGETS_MOST);
  if (def->up != 'z' && def->up != 'y')
    return lb_fail(err, LB_ERR_ARGUMENT, "up is character %d, it must be 'z' or 'y'", (int)def->up);
  return check_times(def, err);
}

static lbStatus check_frames(const lbAnimationBody *body, const char *name, int32_t frame_count,
                             lbError *err) {
  size_t n = 3 * (size_t)body->surface->vertex_count;
  for (int32_t f = 0; f < frame_count; f++)
    for (size_t i = 0; i < n; i++) {
      float x = body->frames[(size_t)f * n + i];
      if (!(fabsf(x) <= FARTHEST))
        return lb_fail(err, LB_ERR_ARGUMENT,
                       "body \"%s\": frame %d, vertex %d: %c is %g, it must be a finite length in "
                       "metres",
                       name, (int)f, (int)(i / 3), "xyz"[i % 3], (double)x);
    }
  return LB_OK;
}

// ---- mesh --------------------------------------------------------------------------------------

// Values of the sources, given to every vertex split from them. NULL: no memory.
static float *spread(const lbSurface *surface, const float *values) {
  float *spread_values = lb_alloc((size_t)surface->vertex_count, 3 * sizeof(float));
  for (size_t i = 0; i < (size_t)surface->vertex_count && spread_values; i++)
    memcpy(spread_values + 3 * i, values + 3 * (size_t)surface->origins[i], 3 * sizeof(float));
  return spread_values;
}

// Accessors that the primitives of a mesh share.
static json_t *add_attributes(lbGlb *glb, const lbSurface *surface, const lbMotion *motion,
                              const float *normals) {
  size_t count = (size_t)surface->vertex_count;
  json_t *attributes = json_object();
  lb_glb_set(glb, attributes, "POSITION",
             json_integer(lb_glb_add_floats(glb, spread(surface, motion->base), count, 3,
                                            LB_GLB_VERTICES, true)));
  lb_glb_set(glb, attributes, "NORMAL",
             json_integer(lb_glb_add_floats(glb, spread(surface, normals), count, 3,
                                            LB_GLB_VERTICES, false)));
  if (surface->uvs) {
    float *uvs = lb_duplicate(surface->uvs, count, 2 * sizeof(float));
    lb_glb_set(glb, attributes, "TEXCOORD_0",
               json_integer(lb_glb_add_floats(glb, uvs, count, 2, LB_GLB_VERTICES, false)));
  }
  return attributes;
}

static json_t *add_targets(lbGlb *glb, const lbSurface *surface, const lbMotion *motion) {
  json_t *targets = json_array();
  for (int32_t i = 0; i < motion->target_count && !glb->status; i++) {
    const float *values = motion->targets + 3 * (size_t)motion->vertex_count * (size_t)i;
    json_t *target = json_object();
    lb_glb_set(
        glb, target, "POSITION",
        json_integer(lb_glb_add_floats(glb, spread(surface, values), (size_t)surface->vertex_count,
                                       3, LB_GLB_VERTICES, true)));
    lb_glb_append(glb, targets, target);
  }
  return targets;
}

static json_t *add_primitives(Export *x, const lbMesh *mesh, const lbSurface *surface,
                              json_t *attributes, json_t *targets) {
  json_t *primitives = json_array();
  for (int32_t i = 0; i < surface->part_count; i++) {
    const lbSurfacePart *part = &surface->parts[i];
    json_t *primitive = json_object();
    lb_glb_set(&x->glb, primitive, "attributes", json_incref(attributes));
    lb_glb_set(&x->glb, primitive, "indices",
               json_integer(lb_glb_add_indices(
                   &x->glb, surface->triangles + 3 * (size_t)part->triangle_begin,
                   3 * (size_t)part->triangle_count, surface->vertex_count)));
    lb_glb_set(&x->glb, primitive, "material",
               json_integer(lb_looks_material(&x->looks, mesh, part->appearance, surface->open)));
    if (json_array_size(targets)) lb_glb_set(&x->glb, primitive, "targets", json_incref(targets));
    lb_glb_append(&x->glb, primitives, primitive);
  }
  return primitives;
}

static json_t *mesh_extras(lbGlb *glb, const lbMotion *motion) {
  json_t *extras = json_object();
  if (motion->target_count) {
    json_t *names = json_array();
    for (int32_t i = 0; i < motion->target_count; i++) {
      char name[32];
      snprintf(name, sizeof name, "component %d", (int)i + 1);
      lb_glb_append(glb, names, json_string(name));
    }
    lb_glb_set(glb, extras, "targetNames", names);
  }
  lb_glb_set(glb, extras, "max_error_m", json_real(motion->max_error));
  return extras;
}

static int32_t add_mesh(Export *x, const lbMesh *mesh, const char *name, const lbSurface *surface,
                        const lbMotion *motion, const float *normals) {
  lbGlb *glb = &x->glb;
  json_t *object = json_object();
  json_t *attributes = add_attributes(glb, surface, motion, normals);
  json_t *targets = add_targets(glb, surface, motion);
  lb_glb_set(glb, object, "name", lb_glb_text(name));
  lb_glb_set(glb, object, "primitives", add_primitives(x, mesh, surface, attributes, targets));
  if (motion->target_count)
    lb_glb_set(glb, object, "weights", lb_glb_numbers(motion->weights, motion->target_count));
  lb_glb_set(glb, object, "extras", mesh_extras(glb, motion));
  json_decref(attributes);
  json_decref(targets);
  return lb_glb_add(glb, "meshes", object);
}

// ---- animation ---------------------------------------------------------------------------------

// The times, once for all samplers.
static int32_t times_accessor(Export *x) {
  if (x->times >= 0) return x->times;
  size_t count = (size_t)x->def->frame_count;
  float *times = lb_alloc(count, sizeof *times);
  for (size_t f = 0; f < count && times; f++) times[f] = (float)x->def->times[f];
  x->times = lb_glb_add_floats(&x->glb, times, count, 1, LB_GLB_ANY, true);
  return x->times;
}

static void add_channel(Export *x, int32_t node, const char *property, const float *values,
                        size_t count, int32_t width) {
  lbGlb *glb = &x->glb;
  json_t *sampler = json_object(), *channel = json_object(), *target = json_object();
  float *copy = lb_duplicate(values, count * (size_t)width, sizeof *copy);
  lb_glb_set(glb, sampler, "input", json_integer(times_accessor(x)));
  lb_glb_set(glb, sampler, "interpolation", json_string("LINEAR"));
  lb_glb_set(glb, sampler, "output",
             json_integer(lb_glb_add_floats(glb, copy, count, width, LB_GLB_ANY, false)));
  lb_glb_set(glb, target, "node", json_integer(node));
  lb_glb_set(glb, target, "path", json_string(property));
  lb_glb_set(glb, channel, "sampler", json_integer((json_int_t)json_array_size(x->samplers)));
  lb_glb_set(glb, channel, "target", target);
  lb_glb_append(glb, x->samplers, sampler);
  lb_glb_append(glb, x->channels, channel);
}

static void add_node(Export *x, const char *name, int32_t mesh, const lbMotion *motion) {
  lbGlb *glb = &x->glb;
  json_t *node = json_object();
  lb_glb_set(glb, node, "name", lb_glb_text(name));
  lb_glb_set(glb, node, "mesh", json_integer(mesh));
  lb_glb_set(glb, node, "translation", lb_glb_numbers(motion->translations, 3));
  int32_t id = lb_glb_add(glb, "nodes", node);
  lb_glb_append(glb, x->children, json_integer(id));
  size_t frame_count = (size_t)motion->frame_count;
  if (motion->moves) add_channel(x, id, "translation", motion->translations, frame_count, 3);
  if (motion->target_count)
    add_channel(x, id, "weights", motion->weights, frame_count * (size_t)motion->target_count, 1);
}

// ---- bodies ------------------------------------------------------------------------------------

static lbStatus add_motion(Export *x, const lbAnimationBody *body, const char *name,
                           const lbSurface *surface, lbAnimationInfo *info, lbError *err) {
  lbMotionInput input = { .vertex_count = surface->source_count,
                          .vertices = surface->sources,
                          .frame_count = x->def->frame_count,
                          .frame_vertex_count = body->surface->vertex_count,
                          .frames = body->frames,
                          .tolerance = x->def->tolerance * surface->size,
                          .targets_max = x->def->targets_max };
  lbMotion motion;
  lbStatus status = lb_motion_analyse(&input, &motion, err);
  if (status) return status;
  float *normals =
      lb_surface_normals(surface, input.frame_count, input.frame_vertex_count, input.frames);
  if (normals) {
    int32_t mesh = add_mesh(x, body->surface, name, surface, &motion, normals);
    add_node(x, name, mesh, &motion);
    status = lb_glb_check(&x->glb, err);
  } else {
    status = lb_fail_memory(err);
  }
  *info = (lbAnimationInfo){ motion.target_count, motion.max_error, surface->size };
  lb_free(normals);
  lb_motion_release(&motion);
  return status;
}

static lbStatus add_body(Export *x, const lbAnimationBody *body, int32_t number,
                         lbAnimationInfo *info, lbError *err) {
  char plain_name[32];
  snprintf(plain_name, sizeof plain_name, "body %d", (int)number);
  const char *name = body->name && *body->name ? body->name : plain_name;
  if (!body->surface || !body->frames)
    return lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": it has no %s", name,
                   body->surface ? "frames" : "surface");
  lbSurface surface;
  lbStatus status = lb_surface_prepare(body->surface, name, &surface, err);
  if (status) return status;
  status = check_frames(body, name, x->def->frame_count, err);
  if (!status) status = add_motion(x, body, name, &surface, info, err);
  lb_surface_release(&surface);
  return status;
}

// ---- the file ----------------------------------------------------------------------------------

// Node 0; its children come later.
static void begin_scene(Export *x) {
  lbGlb *glb = &x->glb;
  json_t *root = json_object(), *scene = json_object(), *nodes = json_array();
  lb_glb_append(glb, nodes, json_integer(0));
  lb_glb_set(glb, scene, "nodes", nodes);
  lb_glb_set(glb, glb->root, "scene", json_integer(0));
  lb_glb_add(glb, "scenes", scene);
  lb_glb_set(glb, root, "name", json_string("limber"));
  if (x->def->up == 'z') { // -90 degrees about x: (x, y, z) -> (x, z, -y)
    const float half = (float)sqrt(0.5), rotation[4] = { -half, 0, 0, half };
    lb_glb_set(glb, root, "rotation", lb_glb_numbers(rotation, 4));
  }
  lb_glb_set(glb, root, "children", json_incref(x->children));
  lb_glb_add(glb, "nodes", root);
}

static void finish_animation(Export *x) {
  if (!json_array_size(x->channels)) return;
  json_t *animation = json_object();
  lb_glb_set(&x->glb, animation, "name", json_string("simulation"));
  lb_glb_set(&x->glb, animation, "channels", json_incref(x->channels));
  lb_glb_set(&x->glb, animation, "samplers", json_incref(x->samplers));
  lb_glb_add(&x->glb, "animations", animation);
}

static void release(Export *x) {
  json_decref(x->children);
  json_decref(x->samplers);
  json_decref(x->channels);
  lb_looks_release(&x->looks);
  lb_glb_release(&x->glb);
}

lbStatus lb_animation_write(const char *path, const lbAnimationBody *bodies, int32_t body_count,
                            const lbAnimationDef *def, lbAnimationInfo *info, lbError *err) {
  if (!path || !bodies || body_count < 1 || !def)
    return lb_fail(err, LB_ERR_ARGUMENT, "an animation needs a path, a body and a def");
  lbStatus status = check_def(def, err);
  if (status) return status;
  lbAnimationInfo *infos = lb_alloc((size_t)body_count, sizeof *infos);
  if (!infos) return lb_fail_memory(err);
  Export x = { .def = def, .times = -1 };
  x.children = json_array(), x.samplers = json_array(), x.channels = json_array();
  lb_glb_begin(&x.glb);
  x.looks.glb = &x.glb;
  begin_scene(&x);
  for (int32_t i = 0; i < body_count && !status; i++)
    status = add_body(&x, &bodies[i], i, &infos[i], err);
  if (!status) {
    finish_animation(&x);
    status = lb_glb_write(&x.glb, path, err);
  }
  if (!status && info) memcpy(info, infos, (size_t)body_count * sizeof *infos);
  release(&x);
  lb_free(infos);
  return status;
}
