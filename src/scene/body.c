// Reading one entry of a scene's bodies, with all its instances.
#include "scene/body.h"

#include "limber/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const body_keys[] = {
  "name",      "mesh",   "surface",    "model",       "material",         "damping",  "mass",
  "fixed",     "method", "reduce",     "position",    "rotation",         "scale",    "velocity",
  "instances", "look",   "motion",     "warp",        "contact",          "friction", "frames",
  "pose",      "filter", "compliance", "restitution", "rolling_friction", NULL
};

void lb_scene_begin_body(lbSceneBody *body) {
  *body =
      (lbSceneBody){ .method = LB_METHOD_FULL, .up = 'z', .rotation = { 0, 0, 0, 1 }, .twin = -1 };
  body->modal = lb_modal_def();
  body->modal.mode_count = 0;
  body->subspace = lb_subspace_def();
  body->warp = lb_warp_settings();
  body->frames = lb_frames_def();
  body->contact_material = lb_contact_material();
  body->filter = lb_contact_filter();
}

void lb_scene_release_body(lbSceneBody *body) {
  lb_free(body->name);
  lb_free(body->pose);
  lb_free(body->pose_from);
  if (body->twin >= 0) return;
  lb_model_destroy(body->model);
  lb_mesh_destroy(body->mesh);
  lb_mesh_destroy(body->surface);
  lb_embedding_destroy(body->embedding);
  lb_free(body->basis_file);
  lb_free(body->frame_positions);
  lb_free(body->frame_fixed);
  lb_free(body->frame_rigid);
  lb_free(body->frame_weights);
  lb_mesh_destroy(body->painted_mesh);
  for (int32_t i = 0; i < body->joint_path_count; i++) lb_path_destroy(body->joint_paths[i]);
  lb_free(body->joint_paths);
  lb_free(body->joint_numbers);
  lb_free(body->materials);
  lb_free(body->element_materials);
  lb_free(body->fixed);
  lb_scene_release_cores(body);
}

void lb_scene_release_reader(lbBodyReader *reader) {
  for (size_t i = 0; i < reader->file_count; i++) lb_free(reader->files[i].path);
  lb_free(reader->files);
}

lbMesh *lb_scene_seen(const lbSceneBody *body) {
  if (body->surface) return body->surface;
  return lb_mesh_element_count(body->mesh) == 0 ? body->mesh : NULL;
}

// ---- instances ---------------------------------------------------------------------------------

static lbStatus read_body_name(const lbBodyEntry *entry, int32_t instance, lbSceneBody *body,
                               lbError *err) {
  lbStatus status = LB_OK;
  lbField member = lb_field_member(&entry->json, "name");
  const char *name = lb_field_text(&member, &status, err);
  if (status) return status;
  char text[200];
  if (entry->instance_count > 1)
    snprintf(text, sizeof text, "%.150s.%d", name ? name : "body", (int)instance);
  else
    snprintf(text, sizeof text, "%.150s", name ? name : "body");
  body->name = lb_duplicate_text(text);
  return body->name ? LB_OK : lb_fail_memory(err);
}

// Copies the data that twins share; name, placement, velocity and contact settings are per body.
static void borrow(const lbSceneBody *from, int32_t twin, lbSceneBody *body) {
  lbSceneBody own = *body;
  *body = *from;
  body->name = own.name;
  body->twin = twin;
  body->motion = own.motion;
  body->untouchable = own.untouchable;
  body->contact_material = own.contact_material;
  body->filter = own.filter;
  body->pose = own.pose;
  body->pose_from = own.pose_from;
  memcpy(body->position, own.position, sizeof own.position);
  memcpy(body->rotation, own.rotation, sizeof own.rotation);
  memcpy(body->linear_velocity, own.linear_velocity, sizeof own.linear_velocity);
  memcpy(body->angular_velocity, own.angular_velocity, sizeof own.angular_velocity);
}

// An earlier instance of the same size that owns its meshes; -1: none.
static int32_t find_body_twin(const lbScene *scene, const lbBodyEntry *entry, int32_t instance) {
  const double *scale = entry->scales[instance];
  for (int32_t i = 0; i < instance; i++)
    if (memcmp(entry->scales[i], scale, sizeof entry->scales[i]) == 0) {
      int32_t twin = scene->bodies[entry->first + i].twin;
      return twin >= 0 ? twin : entry->first + i;
    }
  return -1;
}

static lbStatus read_body_solid(const lbField *json, const double scale[3], lbSceneBody *body,
                                lbError *err) {
  lbField material = lb_field_member(json, "material"), fixed = lb_field_member(json, "fixed");
  lbField look = lb_field_member(json, "look");
  lbStatus status = lb_scene_read_mesh(json, body, err);
  if (!status)
    status = lb_field_here(&material) ? lb_scene_read_materials(&material, body, err)
                                      : lb_scene_mesh_materials(body, json->file, err);
  if (!status && lb_field_here(&fixed)) status = lb_scene_read_fixed(&fixed, body, err);
  if (!status) status = lb_scene_read_cores(json, scale, body, err);
  if (!status) status = lb_scene_read_rigid_frames(json, body, err);
  if (!status) status = lb_scene_read_painted_frames(json, body, err);
  if (!status) status = lb_scene_show_colors(body, err);
  if (!status && lb_field_here(&look)) status = lb_scene_read_appearance(&look, body, err);
  bool scaled = scale[0] != 1 || scale[1] != 1 || scale[2] != 1;
  if (!status && scaled && body->joints_move_space)
    status = lb_field_fail(json, err, "a rig cannot be scaled, remove \"scale\"");
  if (!status && scaled) status = lb_scene_scale_drive(scale, body, err);
  if (status) return status;
  lb_scene_scale_mesh(scale, body->mesh);
  if (body->surface) lb_scene_scale_mesh(scale, body->surface);
  const lbFramesDef *frames = &body->frames;
  int32_t given = frames->joint_count > 0 ? frames->joint_count : frames->count;
  for (int32_t i = 0; i < 3 * given && body->frame_positions; i++)
    body->frame_positions[i] *= scale[i % 3];
  lb_scene_warn_of_size(body);
  return LB_OK;
}

// ---- poses -------------------------------------------------------------------------------------

// A script, or the name of its file; its handles are checked where the model is known.
static lbStatus read_pose(const lbField *json, lbSceneBody *body, lbError *err) {
  lbField pose = lb_field_member(json, "pose");
  if (!lb_field_here(&pose)) return LB_OK;
  if (json_is_object(pose.value)) {
    char *text = json_dumps(pose.value, JSON_COMPACT);
    body->pose = text ? lb_duplicate_text(text) : NULL;
    free(text);
    char from[300];
    snprintf(from, sizeof from, "%.200s: %.80s", pose.file, pose.path);
    body->pose_from = lb_duplicate_text(from);
    return body->pose && body->pose_from ? LB_OK : lb_fail_memory(err);
  }
  lbStatus status = LB_OK;
  const char *name = lb_field_text(&pose, &status, err);
  if (status) return lb_field_fail(&pose, err, "must be an edit script or the name of its file");
  size_t bytes = 0;
  body->pose_from = lb_path_beside(pose.file, name);
  if (!body->pose_from) return lb_fail_memory(err);
  return lb_file_read(body->pose_from, &body->pose, &bytes, err);
}

static lbStatus read_instance(lbBodyReader *reader, lbBodyEntry *entry, int32_t instance,
                              lbError *err) {
  lbScene *scene = reader->scene;
  int32_t index = entry->first + instance;
  lbSceneBody *body = &scene->bodies[index];
  lbField model = lb_field_member(&entry->json, "model");
  lbStatus status = read_body_name(entry, instance, body, err);
  if (!status)
    status = lb_scene_read_placement(entry, instance, body, entry->scales[instance], err);
  if (!status) status = lb_scene_read_motion(reader, entry, instance, err);
  if (!status) status = lb_scene_read_touch(&entry->json, body, err);
  if (!status) status = read_pose(&entry->json, body, err);
  if (status) return status;
  int32_t twin = find_body_twin(scene, entry, instance);
  if (twin < 0) {
    status = lb_scene_read_method(&entry->json, body, err);
    if (!status)
      status = lb_field_here(&model)
                   ? lb_scene_read_model(reader, &entry->json, index, err)
                   : read_body_solid(&entry->json, entry->scales[instance], body, err);
    twin = body->twin;
  }
  if (!status && twin >= 0) borrow(&scene->bodies[twin], twin, body);
  if (!status && body->pose && body->method != LB_METHOD_SUBSPACE) {
    lbField pose = lb_field_member(&entry->json, "pose");
    status = lb_field_fail(&pose, err,
                           "handles pose bodies of the method \"subspace\", and body \"%s\" has "
                           "\"%s\"",
                           body->name, lb_method_name(body->method));
  }
  return status;
}

lbStatus lb_scene_read_entry(lbBodyReader *reader, const lbField *json, lbError *err) {
  lbScene *scene = reader->scene;
  lbBodyEntry entry = { .json = *json, .instance_count = 1, .first = scene->body_count };
  lbField instances = lb_field_member(json, "instances");
  lbStatus status = lb_field_keys(json, body_keys, err);
  if (!status) status = lb_field_integer(&instances, 1, 10000, &entry.instance_count, err);
  if (status) return status;
  entry.scales = lb_alloc((size_t)entry.instance_count, sizeof *entry.scales);
  if (!entry.scales) return lb_fail_memory(err);
  for (int32_t k = 0; k < entry.instance_count && !status; k++) {
    if (!lb_progress("reading bodies", (double)k / entry.instance_count))
      status = lb_fail_interrupted(err, "reading bodies");
    else if (!lb_grow((void **)&scene->bodies, &reader->body_capacity,
                      (size_t)scene->body_count + 1, sizeof(lbSceneBody)))
      status = lb_fail_memory(err);
    if (status) break;
    lb_scene_begin_body(&scene->bodies[scene->body_count++]);
    status = read_instance(reader, &entry, k, err);
  }
  lb_free(entry.scales);
  return status;
}

// ---- bare meshes -------------------------------------------------------------------------------

lbStatus lb_scene_mesh_body(const char *path, const lbSceneDefaults *defaults, lbSceneBody *body,
                            lbError *err) {
  lb_scene_begin_body(body);
  body->name = lb_duplicate_text(lb_path_name(path));
  if (!body->name) return lb_fail_memory(err);
  lbStatus status = lb_mesh_load(path, &body->mesh, err);
  if (status) return status;
  body->up = lb_scene_file_up(path);
  lb_scene_warn_of_size(body);
  bool carried = body->mesh->material_count > 0 && body->mesh->element_materials;
  if (carried && !(defaults && defaults->has_material))
    return lb_scene_mesh_materials(body, path, err);
  lbMaterial material = defaults ? defaults->material : lb_material();
  body->materials = lb_duplicate(&material, 1, sizeof material);
  body->material_count = 1;
  return body->materials ? LB_OK : lb_fail_memory(err);
}
