// "frames" of a body: where its frames are, how they move what lies between them.
#include "scene/body.h"

static const char *const keys[] = { "count", "positions", "weights", "radius", "cutoff", "forces",
                                    "mass",  "samples",   "bulk",    "fixed",  NULL };

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

static lbStatus read_fixed(const lbField *json, lbSceneBody *body, lbError *err) {
  if (!lb_field_here(json)) return LB_OK;
  size_t count = json_is_array(json->value) ? json_array_size(json->value) : 0;
  if (count < 1 || count > LB_FRAMES_MOST)
    return lb_field_fail(json, err, "must be a list of numbers of frames");
  body->frame_fixed = lb_alloc(count, sizeof *body->frame_fixed);
  if (!body->frame_fixed) return lb_fail_memory(err);
  lbStatus status = LB_OK;
  for (size_t i = 0; i < count && !status; i++) {
    lbField item = lb_field_item(json, i);
    status = lb_field_integer(&item, 0, body->frames.count - 1, &body->frame_fixed[i], err);
  }
  body->frames.fixed_count = (int32_t)count;
  body->frames.fixed = body->frame_fixed;
  return status;
}

static lbStatus read_length(const lbField *json, double *length, lbError *err) {
  if (!lb_field_here(json) || json_is_null(json->value)) return LB_OK;
  return lb_field_positive(json, length, err);
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
  int choices[3] = { 0, 0, 0 };
  if (!status && lb_field_here(&count) && lb_field_here(&positions))
    status = lb_field_fail(&count, err, "\"positions\" are given: remove one of them");
  if (!status) status = lb_field_integer(&count, 1, LB_FRAMES_MOST, &frames->count, err);
  if (!status) status = read_positions(&positions, body, err);
  if (!status) status = lb_field_choice(&weights, lb_frames_weight_names(), &choices[0], err);
  if (!status) status = lb_field_choice(&forces, lb_frames_force_names(), &choices[1], err);
  if (!status) status = lb_field_choice(&mass, lb_frames_mass_names(), &choices[2], err);
  if (!status) status = lb_field_integer(&samples, 1, 1000000, &frames->samples, err);
  if (!status) status = read_length(&radius, &frames->radius, err);
  if (!status) status = read_length(&cutoff, &frames->cutoff, err);
  if (!status) status = lb_field_number(&bulk, &frames->bulk, err);
  if (!status && frames->bulk < 0) status = lb_field_fail(&bulk, err, "must not be negative");
  if (!status) status = read_fixed(&fixed, body, err);
  frames->weights = choices[0];
  frames->forces = (lbFrameForces)choices[1];
  frames->mass = (lbFrameMass)choices[2];
  if (!status && body->method != LB_METHOD_FRAMES)
    lb_log(LB_LOG_WARNING, "%s: %s: is ignored by the method \"%s\"", own.file, own.path,
           lb_method_name(body->method));
  return status;
}
