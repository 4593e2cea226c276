// "frames": { "skeleton": true }: the joints of a rigged surface become frames, its node animation
// leads them, and "count" more frames between them are free.
#include "scene/body.h"

#include "reduce/weights.h"
#include "limber/file.h"
#include "meshio/rig.h"
#include "scene/gltf_motion.h"

#include <math.h>
#include <string.h>

enum { PARTS = 4 }; // samples between two keys

typedef struct Skeleton {
  char *path, *content;
  size_t bytes;
  lbMesh *mesh;
  lbRig *rig;
  lbGlbFile glb;
  int32_t *parents; // (nodes)
  const char *animation;
  bool cycle;
} Skeleton;

static void release_skeleton(Skeleton *s) {
  lb_glb_close(&s->glb);
  lb_mesh_destroy(s->mesh);
  lb_rig_destroy(s->rig);
  lb_free(s->parents);
  lb_free(s->path);
  lb_free(s->content);
}

// ---- the file ----------------------------------------------------------------------------------

static lbStatus load_skeleton(const lbField *body_json, Skeleton *s, lbError *err) {
  lbField mesh = lb_field_member(body_json, "mesh");
  lbField file = json_is_object(mesh.value) ? lb_field_member(&mesh, "surface") : mesh;
  if (!json_is_string(file.value))
    return lb_field_fail(&mesh, err,
                         "a \"skeleton\" needs {\"surface\": a rigged .glb, \"voxelise\": ...}");
  lbStatus status = lb_field_file(&file, &s->path, err);
  if (!status) status = lb_file_read(s->path, &s->content, &s->bytes, err);
  if (!status) status = lb_rig_read(s->path, s->content, s->bytes, &s->mesh, &s->rig, err);
  if (!status) status = lb_glb_open(&s->glb, s->path, s->content, s->bytes, err);
  if (!status) status = lb_glb_parents(&s->glb, &s->parents, err);
  return status;
}

// ---- motions -----------------------------------------------------------------------------------

// The motion of space that takes a joint from its rest pose to where it is: x -> p + R x.
static void relative(const lbRigJoint *joint, const lbPathState *at, double position[3],
                     double rotation[4]) {
  lbQuat now = lb_quat(at->rotation[0], at->rotation[1], at->rotation[2], at->rotation[3]);
  lbQuat turn = lb_quat_multiply(now, lb_quat_conjugate(joint->rotation));
  lb_vec3_store(position,
                lb_sub(lb_vec3_load(at->position), lb_quat_rotate(turn, joint->position)));
  rotation[0] = turn.x, rotation[1] = turn.y, rotation[2] = turn.z, rotation[3] = turn.w;
}

static lbStatus sample_joint_path(const Skeleton *s, const lbRigJoint *joint, const lbPath *path,
                                  lbPath **out, lbError *err) {
  const lbPathDef *keys = lb_path_keys(path);
  bool step = keys->interpolation == LB_PATH_STEP;
  size_t parts = step ? 1 : PARTS, most = (size_t)keys->key_count * parts, count = 0;
  double *times = lb_alloc(most, sizeof *times), *positions = lb_alloc(most, 3 * sizeof *positions);
  double *rotations = lb_alloc(most, 4 * sizeof *rotations);
  lbStatus status = times && positions && rotations ? LB_OK : lb_fail_memory(err);
  for (size_t k = 0; k < (size_t)keys->key_count && !status; k++) {
    bool last = k + 1 == (size_t)keys->key_count;
    for (size_t i = 0; i < (last ? 1 : parts); i++) {
      double step_of = last ? 0 : keys->times[k + 1] - keys->times[k];
      double t = keys->times[k] + step_of * (double)i / (double)parts;
      lbPathState at;
      if (count > 0 && t <= times[count - 1]) continue;
      lb_path_at(path, t, &at);
      times[count] = t;
      relative(joint, &at, positions + 3 * count, rotations + 4 * count);
      count++;
    }
  }
  lbPathDef def = lb_path_def();
  def.name = s->path;
  def.key_count = (int32_t)count;
  def.times = times;
  def.positions = positions;
  def.rotations = rotations;
  def.interpolation = step ? LB_PATH_STEP : LB_PATH_LINEAR;
  def.cycle = s->cycle;
  if (!status) status = lb_path_create(&def, out, err);
  lb_free(times);
  lb_free(positions);
  lb_free(rotations);
  return status;
}

// Adds the path of a joint, unless nothing moves it.
static lbStatus add_joint_path(const Skeleton *s, int32_t joint, lbSceneBody *body, lbError *err) {
  const lbRigJoint *own = &s->rig->joints[joint];
  if (!lb_gltf_node_moves(&s->glb, s->parents, own->node, s->animation)) return LB_OK;
  lbPath *world = NULL;
  lbStatus status = lb_gltf_node_motion(&s->glb, own->node, s->animation, false, &world, err);
  if (status) return status;
  int32_t at = body->joint_path_count;
  status = sample_joint_path(s, own, world, &body->joint_paths[at], err);
  lb_path_destroy(world);
  if (status) return status;
  body->joint_numbers[at] = joint;
  body->joint_path_count++;
  return LB_OK;
}

// ---- which joints ------------------------------------------------------------------------------

static lbStatus find_skeleton_joint(const lbField *json, const lbRig *rig, const char *name,
                                    int32_t *joint, lbError *err) {
  for (*joint = 0; *joint < rig->joint_count; (*joint)++)
    if (strcmp(rig->joints[*joint].name, name) == 0) return LB_OK;
  return lb_field_fail(json, err, "there is no joint \"%.60s\"", name);
}

// led (joints): those that follow the animation, all unless "driven" names some.
static lbStatus choose_led(const lbField *driven, const Skeleton *s, bool *led, lbError *err) {
  if (!lb_field_here(driven)) {
    for (int32_t k = 0; k < s->rig->joint_count; k++) led[k] = true;
    return LB_OK;
  }
  if (!json_is_array(driven->value))
    return lb_field_fail(driven, err, "must be a list of names of joints");
  lbStatus status = LB_OK;
  for (size_t i = 0; i < json_array_size(driven->value) && !status; i++) {
    lbField item = lb_field_item(driven, i);
    const char *name = lb_field_text(&item, &status, err);
    int32_t joint = 0;
    if (!status) status = find_skeleton_joint(&item, s->rig, name ? name : "", &joint, err);
    if (!status) led[joint] = true;
  }
  return status;
}

static lbStatus take_joints(const lbField *driven, const Skeleton *s, lbSceneBody *body,
                            lbError *err) {
  size_t count = (size_t)s->rig->joint_count;
  bool *led = lb_alloc(count, sizeof *led);
  body->frame_positions = lb_alloc(count, 3 * sizeof(double));
  body->frame_fixed = lb_alloc(count, sizeof *body->frame_fixed);
  body->joint_paths = lb_alloc(count, sizeof *body->joint_paths);
  body->joint_numbers = lb_alloc(count, sizeof *body->joint_numbers);
  bool whole =
      led && body->frame_positions && body->frame_fixed && body->joint_paths && body->joint_numbers;
  lbStatus status = whole ? choose_led(driven, s, led, err) : lb_fail_memory(err);
  int32_t fixed = 0;
  for (int32_t k = 0; k < s->rig->joint_count && !status; k++) {
    lb_vec3_store(body->frame_positions + 3 * (size_t)k, s->rig->joints[k].position);
    if (!led[k]) continue;
    body->frame_fixed[fixed++] = k;
    status = add_joint_path(s, k, body, err);
  }
  body->frames.fixed = body->frame_fixed;
  body->frames.fixed_count = fixed;
  lb_free(led);
  return status;
}

// ---- the whole ---------------------------------------------------------------------------------

lbStatus lb_scene_read_skeleton(const lbField *body_json, const lbField *frames, lbSceneBody *body,
                                lbError *err) {
  Skeleton s = { .cycle = true };
  lbField driven = lb_field_member(frames, "driven"), cycle = lb_field_member(frames, "cycle");
  lbField animation = lb_field_member(frames, "animation");
  lbStatus status = LB_OK;
  if (lb_field_here(&cycle) && !json_is_boolean(cycle.value))
    return lb_field_fail(&cycle, err, "must be true or false");
  if (lb_field_here(&cycle)) s.cycle = json_is_true(cycle.value);
  s.animation = lb_field_text(&animation, &status, err);
  if (!status) status = load_skeleton(body_json, &s, err);
  if (!status && s.rig->joint_count + body->frames.count > LB_FRAMES_MOST)
    status = lb_field_fail(frames, err,
                           "%d joints and %d more frames are more than the %d that a body "
                           "can have",
                           (int)s.rig->joint_count, (int)body->frames.count, LB_FRAMES_MOST);
  if (!status) status = take_joints(&driven, &s, body, err);
  if (!status && s.animation && body->joint_path_count == 0)
    status = lb_field_fail(&animation, err, "there is no animation \"%.60s\" that moves a joint",
                           s.animation);
  lbField weights = lb_field_member(frames, "weights");
  if (!status && !json_is_object(weights.value) && body->frames.weights == LB_WEIGHTS_PAINTED) {
    status = lb_scene_take_skin(s.rig, s.mesh, body, err);
    if (!status) s.mesh = NULL;
  }
  if (!status) {
    body->frames.joint_count = s.rig->joint_count;
    body->frames.count += s.rig->joint_count;
    body->frames.positions = body->frame_positions;
    body->joints_move_space = true;
  }
  release_skeleton(&s);
  return status;
}
