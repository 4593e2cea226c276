// Posing a scene's body by an edit script (limber/pose.h).
#include "study/pose.h"

#include "study/actor.h"

#include <math.h>
#include <string.h>

lbPoseDef lb_pose_def(void) {
  return (lbPoseDef){ .method = LB_METHOD_SUBSPACE, .editor = lb_editor_def() };
}

void lb_pose_destroy(lbPose *pose) {
  if (!pose) return;
  lb_model_destroy(pose->model);
  lb_edit_script_destroy(pose->script);
  lb_free(pose->handles);
  lb_free(pose->surface);
  lb_free(pose->displacements);
  lb_free(pose);
}

// ---- the model ---------------------------------------------------------------------------------

static lbStatus make_pose_model(const lbScene *scene, const lbSceneBody *body, lbMethod method,
                                lbModel **out, lbError *err) {
  lbSceneBody other = *body;
  if (method == LB_METHOD_FULL) {
    if (!body->model) return lb_scene_full_model(body, out, err);
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: body \"%s\" comes from a model file; the unreduced pose needs its mesh",
                   scene->path, body->name);
  }
  if (body->model && !lb_model_has(body->model, LB_METHOD_SUBSPACE))
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: the model of body \"%s\" has no subspace method, which handles need; build "
                   "it again with --method subspace",
                   scene->path, body->name);
  other.method = LB_METHOD_SUBSPACE;
  return lb_scene_model(&other, out, err);
}

// ---- the reduced pose --------------------------------------------------------------------------

// All nodes' displacements, that of the frame included.
static void find_pose_displacements(const lbBody *body, double *u) {
  const lbModel *model = lb_body_model(body);
  lbFrame frame = lb_body_frame(body);
  lb_body_node_displacements(body, u);
  for (int32_t n = 0; n < model->size.node_count; n++) {
    lbVec3 rest = lb_vec3_load(model->node_positions + 3 * (size_t)n);
    lbVec3 own = lb_add(rest, lb_vec3_load(u + 3 * (size_t)n));
    lbVec3 place = lb_add(frame.position, lb_quat_rotate(frame.rotation, own));
    lb_vec3_store(u + 3 * (size_t)n, lb_sub(place, rest));
  }
}

static lbStatus pose_reduced(const lbPoseDef *def, lbPose *pose, lbError *err) {
  lbBodyDef body_def = lb_body_def();
  lbBody *body = NULL;
  lbEditor *editor = NULL;
  lbEditResult result;
  body_def.method = LB_METHOD_SUBSPACE;
  lbStatus status = lb_body_create(pose->model, &body_def, &body, err);
  if (!status) status = lb_editor_create(body, &def->editor, &editor, err);
  if (!status) status = lb_edit_script_apply(pose->script, editor, err);
  if (!status) status = lb_editor_settle(editor, &result, err);
  if (!status) {
    pose->dimension = lb_body_dimension(body);
    pose->energy = result.energy;
    pose->iterations = result.iterations;
    pose->evaluations = result.evaluations;
    pose->flags = result.flags;
    find_pose_displacements(body, pose->displacements);
  }
  lb_editor_destroy(editor);
  lb_body_destroy(body);
  return status;
}

// ---- what came of it ---------------------------------------------------------------------------

static void find_surface(lbPose *pose) {
  const lbModel *model = pose->model;
  size_t numbers = 3 * (size_t)model->size.vertex_count;
  lb_model_embed(model, 3, pose->displacements, pose->surface);
  for (size_t i = 0; i < numbers; i++) pose->surface[i] += model->vertex_positions[i];
}

static lbVec3 target_of(const lbHandleMotion *motion, lbVec3 rest) {
  lbVec3 arm = lb_quat_rotate(lb_quat_exp(motion->rotation), lb_sub(rest, motion->centre));
  return lb_add(lb_add(motion->centre, arm), motion->translate);
}

static void find_errors(lbPose *pose) {
  const lbModel *model = pose->model;
  for (int32_t j = 0; j < pose->script->handle_count; j++) {
    const lbEditHandle *handle = &pose->script->handles[j];
    lbPoseHandle *out = &pose->handles[pose->handle_count++];
    *out = (lbPoseHandle){ handle->name, handle->point_count, 0 };
    for (int32_t i = 0; i < handle->point_count; i++) {
      size_t at = 3 * (size_t)handle->points[i].index;
      bool node = handle->points[i].kind == LB_POINT_NODE;
      lbVec3 rest = lb_vec3_load((node ? model->node_positions : model->vertex_positions) + at);
      lbVec3 now = node ? lb_add(rest, lb_vec3_load(pose->displacements + at))
                        : lb_vec3_load(pose->surface + at);
      lbVec3 off = lb_sub(now, target_of(&handle->motion, rest));
      out->error = fmax(out->error, lb_length(off));
    }
    pose->handle_error = fmax(pose->handle_error, out->error);
  }
}

static lbStatus make_pose_room(lbPose *pose, lbError *err) {
  const lbModelSizes *size = &pose->model->size;
  pose->handles = lb_alloc((size_t)pose->script->handle_count, sizeof *pose->handles);
  pose->surface = lb_alloc((size_t)size->vertex_count, 3 * sizeof(double));
  pose->displacements = lb_alloc((size_t)size->node_count, 3 * sizeof(double));
  return pose->handles && pose->surface && pose->displacements ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_pose(const lbScene *scene, int32_t index, const lbPoseDef *def, lbPose **out,
                 lbError *err) {
  const lbSceneBody *body = &scene->bodies[index];
  lbPose *pose = lb_alloc(1, sizeof *pose);
  if (!pose) return lb_fail_memory(err);
  if (def->method != LB_METHOD_SUBSPACE && def->method != LB_METHOD_FULL) {
    lb_pose_destroy(pose);
    return lb_fail(err, LB_ERR_ARGUMENT, "method: \"%s\" cannot be posed, use subspace or full",
                   lb_method_name(def->method));
  }
  lbStatus status = make_pose_model(scene, body, def->method, &pose->model, err);
  if (!status) status = lb_edit_script_load(&def->script, body, pose->model, &pose->script, err);
  if (!status) status = make_pose_room(pose, err);
  if (!status)
    status = def->method == LB_METHOD_FULL ? lb_pose_full(body, def, pose, err)
                                           : pose_reduced(def, pose, err);
  if (!status) {
    find_surface(pose);
    find_errors(pose);
    *out = pose;
  } else {
    lb_pose_destroy(pose);
  }
  return status;
}

lbStatus lb_pose_write_surface(const lbPose *pose, const char *path, lbError *err) {
  lbMesh *mesh = NULL;
  lbStatus status = lb_model_surface_mesh(pose->model, &mesh, err);
  if (status) return status;
  memcpy(mesh->positions, pose->surface, 3 * (size_t)mesh->vertex_count * sizeof(double));
  status = lb_mesh_save(mesh, path, err);
  lb_mesh_destroy(mesh);
  return status;
}
