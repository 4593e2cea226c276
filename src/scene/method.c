// How a body is simulated: "method", "reduce", "mass" and "damping".
#include "scene/body.h"

static const char *const method_names[] = { "full", "modal", "subspace", "warp", "frames", NULL };
static const char *const reduce_keys[] = {
  "basis", "modes", "dimension", "forces", "discard", NULL
};
static const char *const discard_keys[] = { "max_force", "min_resolution", "frame_rate",
                                            "amplitude", NULL };

static lbStatus read_discard(const lbField *json, lbDiscard *discard, lbError *err) {
  static const char *const amplitudes[] = { "max", "norm", NULL };
  if (!lb_field_here(json)) return LB_OK;
  discard->on = !json_is_false(json->value);
  if (json_is_boolean(json->value)) return LB_OK;
  if (!json_is_object(json->value))
    return lb_field_fail(json, err, "must be true, false or an object { ... }");
  int amplitude = 0;
  lbStatus status = lb_field_keys(json, discard_keys, err);
  lbField member = lb_field_member(json, "max_force");
  if (!status) status = lb_field_positive(&member, &discard->max_force, err);
  member = lb_field_member(json, "min_resolution");
  if (!status) status = lb_field_positive(&member, &discard->min_resolution, err);
  member = lb_field_member(json, "frame_rate");
  if (!status) status = lb_field_positive(&member, &discard->frame_rate, err);
  member = lb_field_member(json, "amplitude");
  if (!status) status = lb_field_choice(&member, amplitudes, &amplitude, err);
  discard->norm = amplitude == 1;
  return status;
}

// Keys of the subspace method: looked at, and said to play no part where they do not.
static lbStatus read_subspace(const lbField *json, lbMethod method, lbError *err) {
  static const char *const keys[] = { "basis", "dimension", "forces", NULL };
  lbStatus status = LB_OK;
  int32_t dimension = 0;
  for (int i = 0; keys[i] && !status; i++) {
    lbField member = lb_field_member(json, keys[i]);
    if (i == 1)
      status = lb_field_integer(&member, 1, INT32_MAX, &dimension, err);
    else
      lb_field_text(&member, &status, err);
    if (!status && lb_field_here(&member) && method == LB_METHOD_MODAL)
      lb_log(LB_LOG_WARNING, "%s: %s: plays no part in the method \"modal\"", json->file,
             member.path);
  }
  return status;
}

static lbStatus read_reduce(const lbField *json, lbSceneBody *body, lbError *err) {
  if (!lb_field_here(json)) return LB_OK;
  lbStatus status = lb_field_keys(json, reduce_keys, err);
  lbField member = lb_field_member(json, "modes");
  if (!status) status = lb_field_integer(&member, 1, INT32_MAX, &body->modal.mode_count, err);
  member = lb_field_member(json, "discard");
  if (!status) status = read_discard(&member, &body->modal.discard, err);
  return status ? status : read_subspace(json, body->method, err);
}

lbStatus lb_scene_read_damping(const lbField *json, lbSceneBody *body, lbError *err) {
  static const char *const keys[] = { "mass", "stiffness", NULL };
  lbField member = lb_field_member(json, "damping");
  if (!lb_field_here(&member)) return LB_OK;
  lbStatus status = lb_field_keys(&member, keys, err);
  lbField alpha = lb_field_member(&member, "mass"), beta = lb_field_member(&member, "stiffness");
  if (!status) status = lb_field_number(&alpha, &body->damping_mass, err);
  if (!status) status = lb_field_number(&beta, &body->damping_stiffness, err);
  if (!status && (body->damping_mass < 0 || body->damping_stiffness < 0))
    status = lb_field_fail(&member, err, "must not be negative");
  return status;
}

lbStatus lb_scene_read_method(const lbField *json, lbSceneBody *body, lbError *err) {
  static const char *const mass_names[] = { "consistent", "lumped", NULL };
  int mass = LB_MASS_CONSISTENT, method = LB_METHOD_FULL;
  lbField member = lb_field_member(json, "mass");
  lbStatus status = lb_field_choice(&member, mass_names, &mass, err);
  member = lb_field_member(json, "method");
  if (!status) status = lb_field_choice(&member, method_names, &method, err);
  body->mass = (lbMassKind)mass;
  body->method = (lbMethod)method;
  member = lb_field_member(json, "reduce");
  if (!status) status = read_reduce(&member, body, err);
  return status ? status : lb_scene_read_damping(json, body, err);
}
