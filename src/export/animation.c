// Simulated bodies as an animated .glb: a root glTF node that turns the input's up axis to glTF's
// Y, and for each body a glTF node with its mesh, morph targets, and one animation for all of their
// weights, translations and rotations.
#include "limber/export.h"

#include "export/check.h"
#include "export/gltf_mesh.h"
#include "export/motion.h"
#include "export/normals.h"
#include "export/rigid.h"

#include <stdio.h>
#include <string.h>

#define TARGETS_MOST 4096

typedef struct Export {
  const lbAnimationDef *def;
  lbGltf *gltf;
  lbAppearances appearances;
} Export;

lbAnimationDef lb_animation_def(void) {
  return (lbAnimationDef){ .tolerance = 1e-3, .targets_max = 64, .up = 'z' };
}

// ---- checks ------------------------------------------------------------------------------------

static lbStatus check_animation_def(const lbAnimationDef *def, lbError *err) {
  if (def->frame_count < 1 || !def->times)
    return lb_fail(err, LB_ERR_ARGUMENT, "frame_count is %d, an animation needs a frame and times",
                   (int)def->frame_count);
  if (!(def->tolerance > 0 && def->tolerance < 1))
    return lb_fail(err, LB_ERR_ARGUMENT, "tolerance is %g, it must be above 0 and below 1",
                   def->tolerance);
  if (def->targets_max < 0 || def->targets_max > TARGETS_MOST)
    return lb_fail(err, LB_ERR_ARGUMENT, "targets_max is %d, it must be 0 to %d",
                   (int)def->targets_max, TARGETS_MOST);
  lbStatus status = lb_check_up(def->up, err);
  return status ? status : lb_check_times(def->frame_count, def->times, true, err);
}

// What a body must have, before its numbers are looked at.
static lbStatus check_animation_parts(const lbAnimationBody *body, const char *name, lbError *err) {
  if (!body->surface) return lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": it has no surface", name);
  if (body->frames && body->shape_count)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "body \"%s\": it has both frames and shapes, leave one of them out", name);
  if (body->shape_count < 0 || (body->shape_count > 0 && (!body->shapes || !body->coordinates)))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "body \"%s\": shape_count is %d, it needs shapes and coordinates", name,
                   (int)body->shape_count);
  if (!body->frames && !body->shape_count && !body->positions && !body->rotations)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "body \"%s\": it has no frames, no shapes and no placement", name);
  return LB_OK;
}

static lbStatus check_animation_numbers(const lbAnimationBody *body, const char *name,
                                        int32_t frame_count, lbError *err) {
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

// ---- bodies ------------------------------------------------------------------------------------

// Targets as the writer takes them, with names; release the arena.
static lbGltfTarget *list_animation_targets(lbArena *arena, const lbMotion *motion,
                                            const float *normals) {
  const size_t name_bytes = 32, count = (size_t)motion->target_count;
  lbGltfTarget *targets = lb_arena_alloc(arena, count, sizeof *targets);
  char *names = lb_arena_alloc(arena, count, name_bytes);
  if (!targets || !names) return NULL;
  for (size_t i = 0; i < count; i++) {
    char *name = names + name_bytes * i;
    if (motion->shape_ids)
      snprintf(name, name_bytes, "shape %d", (int)motion->shape_ids[i] + 1);
    else
      snprintf(name, name_bytes, "component %d", (int)i + 1);
    size_t begin = 3 * (size_t)motion->vertex_count * i;
    targets[i] = (lbGltfTarget){ .name = name,
                                 .positions = motion->targets + begin,
                                 .normals = normals + begin };
  }
  return targets;
}

static lbStatus add_moving_mesh(Export *x, const lbMesh *mesh, const lbSurface *surface,
                                const char *name, const lbMotion *motion, const float *normals,
                                lbError *err) {
  const float *changes = normals + 3 * (size_t)motion->vertex_count; // of the targets
  lbArena arena = { 0 };
  lbGltfMesh gltf_mesh = { .name = name,
                           .positions = motion->base,
                           .normals = normals,
                           .target_count = motion->target_count,
                           .targets = list_animation_targets(&arena, motion, changes),
                           .weights = motion->weights,
                           .max_error = &motion->max_error };
  lbGltfNode gltf_node = { .name = name,
                           .translations = motion->translations,
                           .rotations = motion->rotations,
                           .weights = motion->target_count ? motion->weights : NULL };
  lbStatus status = gltf_mesh.targets ? LB_OK : lb_fail_memory(err);
  if (!status)
    status = lb_gltf_mesh_add(&x->appearances, mesh, surface, gltf_mesh, &gltf_node.mesh, err);
  if (!status) status = lb_gltf_add_node(x->gltf, &gltf_node, NULL, err);
  lb_arena_release(&arena);
  return status;
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

static lbStatus add_animation_motion(Export *x, const lbAnimationBody *body, const char *name,
                                     const lbSurface *surface, lbAnimationInfo *info,
                                     lbError *err) {
  lbMotion motion;
  lbStatus status = make_motion(x, body, surface, &motion, err);
  if (status) return status;
  const lbMesh *mesh = body->surface;
  float *normals = lb_normals_of_motion(surface, &motion);
  if (normals)
    status = add_moving_mesh(x, mesh, surface, name, &motion, normals, err);
  else
    status = lb_fail_memory(err);
  *info = (lbAnimationInfo){ motion.target_count, motion.max_error, surface->size };
  lb_free(normals);
  lb_motion_release(&motion);
  return status;
}

// Frames of a turning body lose what is rigid in them to the node.
static lbStatus add_animation_frames(Export *x, const lbAnimationBody *body, const char *name,
                                     const lbSurface *surface, lbAnimationInfo *info,
                                     lbError *err) {
  lbAnimationBody own = *body;
  lbRigidPart rigid = { 0 };
  lbStatus status = LB_OK;
  if (body->frames && body->turning && !body->positions && !body->rotations)
    status =
        lb_rigid_take_out(surface, body->surface, x->def->frame_count, body->frames, &rigid, err);
  if (rigid.frames) {
    own.frames = rigid.frames;
    own.positions = rigid.positions;
    own.rotations = rigid.rotations;
  }
  if (!status) status = add_animation_motion(x, &own, name, surface, info, err);
  lb_rigid_release(&rigid);
  return status;
}

static lbStatus add_animation_body(Export *x, const lbAnimationBody *body, int32_t number,
                                   lbAnimationInfo *info, lbError *err) {
  char plain[32];
  const char *name = lb_body_label(body->name, number, plain);
  lbStatus status = check_animation_parts(body, name, err);
  if (status) return status;
  lbSurface surface;
  status = lb_surface_prepare(body->surface, name, &surface, err);
  if (status) return status;
  status = check_animation_numbers(body, name, x->def->frame_count, err);
  if (!status) status = add_animation_frames(x, body, name, &surface, info, err);
  lb_surface_release(&surface);
  return status;
}

// ---- the file ----------------------------------------------------------------------------------

lbStatus lb_animation_write(const char *path, const lbAnimationBody *bodies, int32_t body_count,
                            const lbAnimationDef *def, lbAnimationInfo *info, lbError *err) {
  if (!path || !bodies || body_count < 1 || !def)
    return lb_fail(err, LB_ERR_ARGUMENT, "an animation needs a path, a body and a def");
  lbStatus status = check_animation_def(def, err);
  if (status) return status;
  lbAnimationInfo *infos = lb_alloc((size_t)body_count, sizeof *infos);
  if (!infos) return lb_fail_memory(err);
  Export x = { .def = def };
  lbGltfDef gltf_def = lb_gltf_def();
  gltf_def.up = def->up;
  gltf_def.frame_count = def->frame_count;
  gltf_def.times = def->times;
  status = lb_gltf_create(&gltf_def, &x.gltf, err);
  x.appearances.gltf = x.gltf;
  for (int32_t i = 0; i < body_count && !status; i++)
    status = add_animation_body(&x, &bodies[i], i, &infos[i], err);
  if (!status) status = lb_gltf_save(x.gltf, path, err);
  if (!status && info) memcpy(info, infos, (size_t)body_count * sizeof *infos);
  lb_appearances_release(&x.appearances);
  lb_gltf_destroy(x.gltf);
  lb_free(infos);
  return status;
}
