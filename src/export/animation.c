// Simulated bodies as an animated .glb: a root node that turns the input's up axis to glTF's Y, and
// a node a body with its mesh, morph targets, and one animation for all of their weights,
// translations and rotations.
#include "limber/export.h"

#include "export/check.h"
#include "export/morph.h"
#include "export/motion.h"
#include "export/nodes.h"
#include "export/normals.h"

#include <stdio.h>
#include <string.h>

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
  lbStatus status = lb_nodes_check_up(def->up, err);
  return status ? status : lb_check_times(def->frame_count, def->times, true, err);
}

// What a body must have, before its numbers are looked at.
static lbStatus check_parts(const lbAnimationBody *body, const char *name, lbError *err) {
  if (!body->surface) return lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": it has no surface", name);
  if (body->frames && body->shape_count)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "body \"%s\": it has both frames and shapes, leave one of them out", name);
  if (body->shape_count < 0 || (body->shape_count > 0 && (!body->shapes || !body->coordinates)))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "body \"%s\": shape_count is %d, shapes need shapes and coordinates", name,
                   (int)body->shape_count);
  if (!body->frames && !body->shape_count && !body->positions && !body->rotations)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "body \"%s\": it has no frames, no shapes and no placement", name);
  return LB_OK;
}

static lbStatus check_numbers(const lbAnimationBody *body, const char *name, int32_t frame_count,
                              lbError *err) {
  const lbMesh *mesh = body->surface;
  lbStatus status = LB_OK;
  if (body->frames)
    status = lb_check_floats(name, "frame", frame_count, mesh->vertex_count, body->frames, err);
  else
    status = lb_check_doubles(name, "rest", 1, mesh->vertex_count, mesh->positions, err);
  if (!status && body->shape_count)
    status =
        lb_check_doubles(name, "shape", body->shape_count, mesh->vertex_count, body->shapes, err);
  if (!status && body->shape_count)
    status = lb_check_numbers(name, "coordinates", frame_count, body->shape_count,
                              body->coordinates, err);
  if (!status && body->positions)
    status = lb_check_numbers(name, "positions", frame_count, 3, body->positions, err);
  if (!status && body->rotations)
    status = lb_check_rotations(name, frame_count, body->rotations, err);
  return status;
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

// ---- bodies ------------------------------------------------------------------------------------

static json_t *mesh_extras(lbGlb *glb, const lbMotion *motion) {
  json_t *extras = json_object();
  if (motion->target_count) {
    json_t *names = json_array();
    for (int32_t i = 0; i < motion->target_count; i++) {
      char name[32];
      if (motion->shape_ids)
        snprintf(name, sizeof name, "shape %d", (int)motion->shape_ids[i] + 1);
      else
        snprintf(name, sizeof name, "component %d", (int)i + 1);
      lb_glb_append(glb, names, json_string(name));
    }
    lb_glb_set(glb, extras, "targetNames", names);
  }
  lb_glb_set(glb, extras, "max_error_m", json_real(motion->max_error));
  return extras;
}

static void add_moving_mesh(Export *x, const lbMesh *mesh, const lbSurface *surface,
                            const char *name, const lbMotion *motion, const float *normals) {
  lbMorph morph = { .name = name,
                    .mesh = mesh,
                    .surface = surface,
                    .base = motion->base,
                    .normals = normals,
                    .target_count = motion->target_count,
                    .targets = motion->targets,
                    .weights = motion->weights,
                    .extras = mesh_extras(&x->glb, motion) };
  int32_t mesh_id = lb_morph_add(&x->looks, &morph);
  int32_t node =
      lb_nodes_add(&x->glb, x->children, name, mesh_id, motion->translations, motion->rotations);
  size_t frame_count = (size_t)motion->frame_count;
  if (motion->moves) add_channel(x, node, "translation", motion->translations, frame_count, 3);
  if (motion->turns) add_channel(x, node, "rotation", motion->rotations, frame_count, 4);
  if (motion->target_count)
    add_channel(x, node, "weights", motion->weights, frame_count * (size_t)motion->target_count, 1);
}

static lbStatus make_motion(const Export *x, const lbAnimationBody *body, const lbSurface *surface,
                            lbMotion *motion, lbError *err) {
  lbMotionInput input = { .vertex_count = surface->source_count,
                          .vertices = surface->sources,
                          .frame_count = x->def->frame_count,
                          .source_vertex_count = body->surface->vertex_count,
                          .frames = body->frames,
                          .rest = body->surface->positions,
                          .shape_count = body->shape_count,
                          .shapes = body->shapes,
                          .coordinates = body->coordinates,
                          .tolerance = x->def->tolerance * surface->size,
                          .targets_max = x->def->targets_max };
  lbStatus status = lb_motion_make(&input, motion, err);
  if (status) return status;
  status = lb_motion_place(motion, body->positions, body->rotations, err);
  if (status) lb_motion_release(motion);
  return status;
}

static lbStatus add_motion(Export *x, const lbAnimationBody *body, const char *name,
                           const lbSurface *surface, lbAnimationInfo *info, lbError *err) {
  lbMotion motion;
  lbStatus status = make_motion(x, body, surface, &motion, err);
  if (status) return status;
  const lbMesh *mesh = body->surface;
  float *normals = body->frames ? lb_normals_of_frames(surface, x->def->frame_count,
                                                       mesh->vertex_count, body->frames)
                                : lb_normals_of_shape(surface, mesh->positions);
  if (normals) {
    add_moving_mesh(x, mesh, surface, name, &motion, normals);
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
  char plain[32];
  const char *name = lb_nodes_name(body->name, number, plain);
  lbStatus status = check_parts(body, name, err);
  if (status) return status;
  lbSurface surface;
  status = lb_surface_prepare(body->surface, name, &surface, err);
  if (status) return status;
  status = check_numbers(body, name, x->def->frame_count, err);
  if (!status) status = add_motion(x, body, name, &surface, info, err);
  lb_surface_release(&surface);
  return status;
}

// ---- the file ----------------------------------------------------------------------------------

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
  lb_nodes_begin(&x.glb, def->up, x.children);
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
