// The "motion" of a body: key frames in the scene, or a node's animation in a glTF file.
#include "scene/body.h"

#include "limber/file.h"
#include "limber/path.h"
#include "scene/gltf_motion.h"

#include <stdio.h>
#include <string.h>

static const char *const key_keys[] = { "times",         "positions", "rotations",
                                        "interpolation", "cycle",     NULL };
static const char *const file_keys[] = { "file", "node", "animation", "cycle", NULL };
static const char *const all_keys[] = { "times",         "positions", "rotations",
                                        "interpolation", "cycle",     "file",
                                        "node",          "animation", NULL };

static lbStatus read_cycle(const lbField *json, bool *cycle, lbError *err) {
  lbField member = lb_field_member(json, "cycle");
  if (!lb_field_here(&member)) return LB_OK;
  if (!json_is_boolean(member.value)) return lb_field_fail(&member, err, "must be true or false");
  *cycle = json_is_true(member.value);
  return LB_OK;
}

// ---- key frames --------------------------------------------------------------------------------

// A list with one entry (of `width` numbers; 1: a number) for each key; NULL when it is absent.
static lbStatus read_motion_list(const lbField *json, const char *key, size_t count, size_t width,
                                 double **out, lbError *err) {
  lbField list = lb_field_member(json, key);
  if (!lb_field_here(&list)) return LB_OK;
  if (!json_is_array(list.value)) return lb_field_fail(&list, err, "must be a list");
  if (json_array_size(list.value) != count)
    return lb_field_fail(&list, err, "has %zu entries for %zu times", json_array_size(list.value),
                         count);
  *out = lb_alloc(count, width * sizeof(double));
  if (!*out) return lb_fail_memory(err);
  lbStatus status = LB_OK;
  for (size_t i = 0; i < count && !status; i++) {
    lbField item = lb_field_item(&list, i);
    status = width == 1 ? lb_field_number(&item, *out + i, err)
                        : lb_field_vector(&item, width, *out + width * i, err);
  }
  return status;
}

static lbStatus read_keys(const lbField *json, lbPath **out, lbError *err) {
  static const char *const interpolations[] = { "linear", "cubic", "step", NULL };
  double *times = NULL, *positions = NULL, *rotations = NULL;
  int interpolation = LB_PATH_LINEAR;
  char name[400];
  lbPathDef def = lb_path_def();
  lbField member = lb_field_member(json, "times");
  size_t count = json_array_size(member.value);
  lbStatus status = lb_field_keys(json, key_keys, err);
  if (!status && (!json_is_array(member.value) || count == 0))
    status = lb_field_fail(&member, err, "must be a list of at least one time");
  if (!status && count > INT32_MAX / 8) status = lb_field_fail(&member, err, "is too long");
  if (!status) status = read_motion_list(json, "times", count, 1, &times, err);
  if (!status) status = read_motion_list(json, "positions", count, 3, &positions, err);
  if (!status) status = read_motion_list(json, "rotations", count, 4, &rotations, err);
  if (!status && !positions && !rotations)
    status = lb_field_fail(json, err, "needs \"positions\", \"rotations\" or both");
  member = lb_field_member(json, "interpolation");
  if (!status) status = lb_field_choice(&member, interpolations, &interpolation, err);
  if (!status) status = read_cycle(json, &def.cycle, err);
  snprintf(name, sizeof name, "%.220s: %s", json->file, json->path);
  def.name = name;
  def.key_count = (int32_t)count;
  def.times = times;
  def.positions = positions;
  def.rotations = rotations;
  def.interpolation = (lbPathInterpolation)interpolation;
  if (!status) status = lb_path_create(&def, out, err);
  if (status == LB_ERR_ARGUMENT) status = LB_ERR_FORMAT;
  if (err && status) err->status = status;
  lb_free(times);
  lb_free(positions);
  lb_free(rotations);
  return status;
}

// ---- files -------------------------------------------------------------------------------------

static lbStatus read_motion_name(const lbField *json, const char *key, bool needed,
                                 const char **out, lbError *err) {
  lbStatus status = LB_OK;
  lbField member = lb_field_member(json, key);
  *out = lb_field_text(&member, &status, err);
  if (!status && needed && !*out) status = lb_field_fail(json, err, "has no \"%s\"", key);
  if (!status && *out && !(*out)[0]) status = lb_field_fail(&member, err, "is empty");
  return status;
}

static lbStatus read_motion_file(const lbField *json, lbPath **out, lbError *err) {
  const char *file = NULL, *node = NULL, *animation = NULL;
  char *path = NULL, *content = NULL;
  size_t bytes = 0;
  bool cycle = false;
  lbStatus status = lb_field_keys(json, file_keys, err);
  if (!status) status = read_motion_name(json, "file", true, &file, err);
  if (!status) status = read_motion_name(json, "node", true, &node, err);
  if (!status) status = read_motion_name(json, "animation", false, &animation, err);
  if (!status) status = read_cycle(json, &cycle, err);
  if (!status) status = lb_file_named(json->file, file, LB_REACH_ANYWHERE, &path, err);
  if (!status) status = lb_file_read(path, &content, &bytes, err);
  if (!status) status = lb_gltf_motion(path, content, bytes, node, animation, cycle, out, err);
  lb_free(content);
  lb_free(path);
  return status;
}

// ---- the body ----------------------------------------------------------------------------------

static lbStatus keep_motion_path(lbBodyReader *reader, lbPath *path, lbError *err) {
  lbScene *scene = reader->scene;
  if (lb_grow((void **)&scene->paths, &reader->path_capacity, (size_t)scene->path_count + 1,
              sizeof *scene->paths)) {
    scene->paths[scene->path_count++] = path;
    return LB_OK;
  }
  lb_path_destroy(path);
  return lb_fail_memory(err);
}

static lbStatus refuse_motion_beside(const lbField *json, lbError *err) {
  static const char *const placed[] = { "position", "rotation", NULL };
  for (int i = 0; placed[i]; i++) {
    lbField member = lb_field_member(json, placed[i]);
    if (lb_field_here(&member))
      return lb_field_fail(&member, err,
                           "a body with \"motion\" is where its motion says, remove one of them");
  }
  return LB_OK;
}

void lb_scene_start_motion(lbSceneBody *body) {
  lbPathState state;
  if (!body->motion) return;
  lb_path_at(body->motion, 0, &state);
  memcpy(body->position, state.position, sizeof body->position);
  memcpy(body->rotation, state.rotation, sizeof body->rotation);
}

lbStatus lb_scene_read_path(const lbField *json, lbPath **out, lbError *err) {
  lbField file = lb_field_member(json, "file"), times = lb_field_member(json, "times");
  lbStatus status = lb_field_keys(json, all_keys, err);
  if (!status && lb_field_here(&file) == lb_field_here(&times))
    status = lb_field_fail(json, err, "needs either \"times\" or a \"file\"");
  if (status) return status;
  return lb_field_here(&file) ? read_motion_file(json, out, err) : read_keys(json, out, err);
}

lbStatus lb_scene_read_motion(lbBodyReader *reader, const lbBodyEntry *entry, int32_t instance,
                              lbError *err) {
  lbScene *scene = reader->scene;
  lbSceneBody *body = &scene->bodies[entry->first + instance];
  lbField motion = lb_field_member(&entry->json, "motion");
  if (!lb_field_here(&motion)) return LB_OK;
  lbStatus status = refuse_motion_beside(&entry->json, err);
  if (status) return status;
  if (json_is_array(motion.value)) { // one for each instance
    if ((int32_t)json_array_size(motion.value) != entry->instance_count)
      return lb_field_fail(&motion, err, "has %zu entries for %d instances",
                           json_array_size(motion.value), (int)entry->instance_count);
    motion = lb_field_item(&motion, (size_t)instance);
  } else if (instance > 0) {
    body->motion = scene->bodies[entry->first].motion;
    lb_scene_start_motion(body);
    return LB_OK;
  }
  lbPath *path = NULL;
  status = lb_scene_read_path(&motion, &path, err);
  if (!status) status = keep_motion_path(reader, path, err);
  if (status) return status;
  body->motion = path;
  lb_scene_start_motion(body);
  return LB_OK;
}

lbStatus lb_scene_read_kept_path(const lbField *json, lbScene *scene, const lbPath **out,
                                 lbError *err) {
  lbPath *path = NULL;
  size_t room = (size_t)scene->path_count;
  lbStatus status = lb_scene_read_path(json, &path, err);
  if (status) return status;
  if (!lb_grow((void **)&scene->paths, &room, (size_t)scene->path_count + 1,
               sizeof *scene->paths)) {
    lb_path_destroy(path);
    return lb_fail_memory(err);
  }
  scene->paths[scene->path_count++] = path;
  *out = path;
  return LB_OK;
}
