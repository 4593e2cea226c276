// "frames" of a body: where its frames are, how they move what lies between them.
#include "reduce/weights.h"
#include "scene/body.h"

#include <stdlib.h>
#include <string.h>

static const char *const keys[] = { "count",    "positions", "weights",   "radius", "cutoff",
                                    "forces",   "mass",      "samples",   "bulk",   "fixed",
                                    "skeleton", "driven",    "animation", "cycle",  "drive",
                                    "rigid",    "contacts",  NULL };

static lbStatus read_positions(const lbField *json, lbSceneBody *body, lbError *err) {
  if (!lb_field_here(json)) return LB_OK;
  size_t count = json_is_array(json->value) ? json_array_size(json->value) : 0;
  if (count < 1 || count > LB_FRAMES_MOST)
    return lb_field_fail(json, err, "must be a list of 1 to %d points [x, y, z]", LB_FRAMES_MOST);
  body->frame_positions = lb_alloc(count, 3 * sizeof(double));
  if (!body->frame_positions) return lb_fail_memory(err);
  lbStatus status = LB_OK;
  for (size_t i = 0; i < count && !status; i++) {
    lbField item = lb_field_item(json, i);
    status = lb_field_vector(&item, 3, body->frame_positions + 3 * i, err);
  }
  body->frames.count = (int32_t)count;
  body->frames.positions = body->frame_positions;
  return status;
}

// frame_fixed has room for those that are driven, too.
static lbStatus read_fixed(const lbField *json, lbSceneBody *body, lbError *err) {
  body->frame_fixed = lb_alloc(2 * LB_FRAMES_MOST, sizeof *body->frame_fixed);
  if (!body->frame_fixed) return lb_fail_memory(err);
  if (!lb_field_here(json)) return LB_OK;
  size_t count = json_is_array(json->value) ? json_array_size(json->value) : 0;
  if (count < 1 || count > LB_FRAMES_MOST)
    return lb_field_fail(json, err, "must be a list of numbers of frames");
  lbStatus status = LB_OK;
  for (size_t i = 0; i < count && !status; i++) {
    lbField item = lb_field_item(json, i);
    status = lb_field_integer(&item, 0, body->frames.count - 1, &body->frame_fixed[i], err);
  }
  body->frames.fixed_count = (int32_t)count;
  body->frames.fixed = body->frame_fixed;
  return status;
}

static lbStatus read_drive_of(const lbField *drive, const char *key, lbSceneBody *body,
                              lbError *err) {
  char *end = NULL;
  long frame = key[0] >= '0' && key[0] <= '9' ? strtol(key, &end, 10) : -1;
  lbField motion = lb_field_member(drive, key);
  if (frame < 0 || *end || frame >= body->frames.count)
    return lb_field_fail(&motion, err, "is not the number of a frame, 0 to %d",
                         (int)body->frames.count - 1);
  for (int32_t k = 0; k < body->joint_path_count; k++)
    if (body->joint_numbers[k] == frame)
      return lb_field_fail(&motion, err, "frame %ld is driven twice", frame);
  int32_t at = body->joint_path_count;
  lbStatus status = lb_scene_read_path(&motion, &body->joint_paths[at], err);
  if (status) return status;
  body->joint_path_count++;
  body->joint_numbers[at] = (int32_t)frame;
  body->frame_fixed[body->frames.fixed_count++] = (int32_t)frame;
  if (lb_path_keys(body->joint_paths[at])->positions) return LB_OK;
  return lb_field_fail(&motion, err, "needs \"positions\": poses of frames are absolute");
}

// Frames that follow a motion, as fixed ones: { "number": motion, ... }.
static lbStatus read_drive(const lbField *json, lbSceneBody *body, lbError *err) {
  if (!lb_field_here(json)) return LB_OK;
  if (!json_is_object(json->value) || json_object_size(json->value) > LB_FRAMES_MOST)
    return lb_field_fail(json, err, "must be { \"number of a frame\": motion, ... }");
  size_t count = json_object_size(json->value) + 1;
  body->joint_paths = lb_alloc(count, sizeof *body->joint_paths);
  body->joint_numbers = lb_alloc(count, sizeof *body->joint_numbers);
  if (!body->joint_paths || !body->joint_numbers) return lb_fail_memory(err);
  const char *key = NULL;
  json_t *value = NULL;
  lbStatus status = LB_OK;
  json_object_foreach((json_t *)json->value, key, value) {
    if (!status) status = read_drive_of(json, key, body, err);
  }
  body->frames.fixed = body->frame_fixed;
  return status;
}

lbStatus lb_scene_scale_drive(const double scale[3], lbSceneBody *body, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t k = 0; k < body->joint_path_count && !status; k++) {
    lbPathDef def = *lb_path_keys(body->joint_paths[k]);
    lbPath *made = NULL;
    size_t count = 3 * (size_t)def.key_count;
    double *positions = lb_duplicate(def.positions, count, sizeof *positions);
    double *tangents = def.position_tangents
                           ? lb_duplicate(def.position_tangents, 2 * count, sizeof *tangents)
                           : NULL;
    if (!positions || (def.position_tangents && !tangents)) status = lb_fail_memory(err);
    for (size_t i = 0; i < count && !status; i++) positions[i] *= scale[i % 3];
    for (size_t i = 0; i < 2 * count && tangents && !status; i++) tangents[i] *= scale[i % 3];
    def.positions = positions, def.position_tangents = tangents;
    if (!status) status = lb_path_create(&def, &made, err);
    lb_free(positions), lb_free(tangents);
    if (status) continue;
    lb_path_destroy(body->joint_paths[k]);
    body->joint_paths[k] = made;
  }
  return status;
}

lbStatus lb_scene_read_rigid_frames(const lbField *json, lbSceneBody *body, lbError *err) {
  static const char *const rigid_keys[] = { "group", "box", "color", "elements", NULL };
  lbField own = lb_field_member(json, "frames");
  if (!lb_field_here(&own)) return LB_OK;
  lbField list = lb_field_member(&own, "rigid");
  if (!lb_field_here(&list)) return LB_OK;
  size_t count = json_is_array(list.value) ? json_array_size(list.value) : 0;
  size_t elements = (size_t)lb_mesh_body_elements(body->mesh);
  if (count < 1 || count > (size_t)body->frames.count)
    return lb_field_fail(&list, err, "must be a list of regions, at most one a frame");
  bool *covered = lb_alloc(elements + 1, sizeof *covered);
  body->frame_rigid = lb_alloc(elements + 1, sizeof *body->frame_rigid);
  lbStatus status = covered && body->frame_rigid ? LB_OK : lb_fail_memory(err);
  for (size_t e = 0; e < elements && !status; e++) body->frame_rigid[e] = -1;
  for (size_t i = 0; i < count && !status; i++) {
    lbField item = lb_field_item(&list, i);
    memset(covered, 0, elements * sizeof *covered);
    status = lb_field_keys(&item, rigid_keys, err);
    if (!status) status = lb_scene_cover_elements(&item, body, covered, err);
    for (size_t e = 0; e < elements && !status; e++) {
      if (!covered[e]) continue;
      if (body->frame_rigid[e] >= 0)
        status = lb_field_fail(&item, err, "has element %zu, which region %d has, too", e,
                               (int)body->frame_rigid[e]);
      else
        body->frame_rigid[e] = (int32_t)i;
    }
  }
  lb_free(covered);
  body->frames.rigid_count = (int32_t)count;
  body->frames.rigid = body->frame_rigid;
  return status;
}

// A number of samples, or { "voxels", "count" | "error" }: fewer of them, with weights.
static lbStatus read_samples(const lbField *json, lbFramesDef *frames, lbError *err) {
  static const char *const sample_keys[] = { "voxels", "count", "error", NULL };
  if (!json_is_object(json->value))
    return lb_field_integer(json, 1, 1000000, &frames->samples, err);
  lbField voxels = lb_field_member(json, "voxels"), count = lb_field_member(json, "count");
  lbField error = lb_field_member(json, "error");
  lbStatus status = lb_field_keys(json, sample_keys, err);
  if (!status) status = lb_field_integer(&voxels, 1, 1000000, &frames->samples, err);
  if (!status && !lb_field_here(&count) && !lb_field_here(&error))
    status = lb_field_fail(json, err, "needs a \"count\" or an \"error\"");
  if (!status) status = lb_field_integer(&count, 1, 1000000, &frames->sample_limit, err);
  if (!status && lb_field_here(&error))
    status = lb_field_positive(&error, &frames->sample_error, err);
  if (!status && frames->sample_error >= 1) status = lb_field_fail(&error, err, "must be below 1");
  return status;
}

// A word, or { "file" } (read with the mesh); "painted" is the skin of a rig, whose default it is.
static lbStatus read_weights(const lbField *json, bool skeleton, int *kind, lbError *err) {
  static const char *const file_keys[] = { "file", NULL };
  if (json_is_object(json->value)) {
    lbField file = lb_field_member(json, "file");
    *kind = LB_WEIGHTS_PAINTED;
    lbStatus status = lb_field_keys(json, file_keys, err);
    if (!status && !lb_field_here(&file)) status = lb_field_fail(json, err, "needs a \"file\"");
    return status;
  }
  *kind = skeleton ? LB_WEIGHTS_PAINTED : LB_WEIGHTS_HARMONIC;
  lbStatus status = lb_field_choice(json, lb_frames_weight_names(), kind, err);
  if (!status && *kind == LB_WEIGHTS_PAINTED && !skeleton)
    status = lb_field_fail(json, err,
                           "\"painted\" are those of a \"skeleton\", others have a file: "
                           "{ \"file\": \"weights.npy\" }");
  return status;
}

static void warn_of_unused(const lbField *json, bool used, int kind) {
  if (lb_field_here(json) && !json_is_null(json->value) && !used)
    lb_log(LB_LOG_WARNING, "%s: %s: is ignored by %s weights", json->file, json->path,
           lb_frames_weight_names()[kind]);
}

// Regions of frames and the ends of their weights belong to some kinds alone.
static void warn_of_lengths(const lbField *radius, const lbField *cutoff, int kind) {
  bool by_distance = kind == LB_WEIGHTS_GEODESIC || kind == LB_WEIGHTS_EUCLIDEAN;
  warn_of_unused(radius, by_distance || kind == LB_WEIGHTS_HARMONIC, kind);
  warn_of_unused(cutoff, by_distance, kind);
}

static lbStatus read_length(const lbField *json, double *length, lbError *err) {
  if (!lb_field_here(json) || json_is_null(json->value)) return LB_OK;
  return lb_field_positive(json, length, err);
}

// How many frames may come where the body is pressed, or { "most", "spacing" }.
static lbStatus read_contacts(const lbField *json, lbSceneBody *body, lbError *err) {
  static const char *const contact_keys[] = { "most", "spacing", NULL };
  if (!lb_field_here(json)) return LB_OK;
  if (!json_is_object(json->value)) return lb_field_integer(json, 0, 8, &body->contact_frames, err);
  lbField most = lb_field_member(json, "most"), spacing = lb_field_member(json, "spacing");
  lbStatus status = lb_field_keys(json, contact_keys, err);
  if (!status && !lb_field_here(&most)) status = lb_field_fail(json, err, "needs a \"most\"");
  if (!status) status = lb_field_integer(&most, 0, 8, &body->contact_frames, err);
  return status ? status : read_length(&spacing, &body->contact_spacing, err);
}

lbStatus lb_scene_read_frames(const lbField *json, lbSceneBody *body, lbError *err) {
  lbFramesDef *frames = &body->frames;
  lbField own = lb_field_member(json, "frames");
  *frames = lb_frames_def();
  if (!lb_field_here(&own)) return LB_OK;
  lbStatus status = lb_field_keys(&own, keys, err);
  lbField count = lb_field_member(&own, "count"), positions = lb_field_member(&own, "positions");
  lbField weights = lb_field_member(&own, "weights"), forces = lb_field_member(&own, "forces");
  lbField mass = lb_field_member(&own, "mass"), samples = lb_field_member(&own, "samples");
  lbField radius = lb_field_member(&own, "radius"), cutoff = lb_field_member(&own, "cutoff");
  lbField bulk = lb_field_member(&own, "bulk"), fixed = lb_field_member(&own, "fixed");
  lbField skeleton = lb_field_member(&own, "skeleton"), drive = lb_field_member(&own, "drive");
  int choices[3] = { 0, 0, 0 };
  if (!status && lb_field_here(&skeleton) && !json_is_boolean(skeleton.value))
    status = lb_field_fail(&skeleton, err, "must be true or false");
  if (!status && lb_field_here(&count) && lb_field_here(&positions))
    status = lb_field_fail(&count, err, "\"positions\" are given: remove one of them");
  if (!status && json_is_true(skeleton.value) && lb_field_here(&positions))
    status = lb_field_fail(&positions, err, "a \"skeleton\" is given: remove one of them");
  int32_t least = json_is_true(skeleton.value) ? 0 : 1;
  if (!status) status = lb_field_integer(&count, least, LB_FRAMES_MOST, &frames->count, err);
  if (!status) status = read_positions(&positions, body, err);
  if (!status) status = read_weights(&weights, json_is_true(skeleton.value), &choices[0], err);
  frames->weights = choices[0];
  if (!status) status = lb_field_choice(&forces, lb_frames_force_names(), &choices[1], err);
  if (!status) status = lb_field_choice(&mass, lb_frames_mass_names(), &choices[2], err);
  if (!status && lb_field_here(&samples)) status = read_samples(&samples, frames, err);
  if (!status) status = read_length(&radius, &frames->radius, err);
  if (!status) status = read_length(&cutoff, &frames->cutoff, err);
  if (!status) warn_of_lengths(&radius, &cutoff, choices[0]);
  if (!status) status = lb_field_number(&bulk, &frames->bulk, err);
  lbField contacts = lb_field_member(&own, "contacts");
  if (!status) status = read_contacts(&contacts, body, err);
  if (!status && frames->bulk < 0) status = lb_field_fail(&bulk, err, "must not be negative");
  if (!status && json_is_true(skeleton.value)) {
    if (lb_field_here(&fixed))
      status = lb_field_fail(&fixed, err, "of a skeleton name the joints that are \"driven\"");
    else if (lb_field_here(&drive))
      status = lb_field_fail(&drive, err, "a skeleton follows its animation, remove one of them");
    else
      status = lb_scene_read_skeleton(json, &own, body, err);
  } else if (!status) {
    status = read_fixed(&fixed, body, err);
    if (!status) status = read_drive(&drive, body, err);
  }
  frames->forces = (lbFrameForces)choices[1];
  frames->mass = (lbFrameMass)choices[2];
  if (!status && body->method != LB_METHOD_FRAMES)
    lb_log(LB_LOG_WARNING, "%s: %s: is ignored by the method \"%s\"", own.file, own.path,
           lb_method_name(body->method));
  return status;
}
