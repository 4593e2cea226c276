// How a body is simulated: "method", "reduce", "mass" and "damping".
#include "scene/body.h"

#include "limber/file.h"

static const char *const reduce_keys[] = { "basis",     "modes",   "dimension", "forces", "metric",
                                           "editable",  "discard", "elements",  "error",  "poses",
                                           "amplitude", "seed",    "selection", NULL };
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

// A kind of basis, { "file": ... } or { "sketch": ... }; the file is read when it is needed.
static lbStatus read_basis(const lbField *json, lbSceneBody *body, lbError *err) {
  static const char *const kinds[] = { "linear", "derivatives", "sketch", "extended", NULL };
  static const char *const keys[] = { "file", "sketch", NULL };
  if (!lb_field_here(json)) return LB_OK;
  if (!json_is_object(json->value)) {
    int kind = body->subspace.basis.kind;
    lbStatus status = lb_field_choice(json, kinds, &kind, err);
    if (!status && kind == LB_BASIS_SKETCH)
      status = lb_field_fail(json, err, "needs its loads: { \"sketch\": \"file.json\" }");
    body->subspace.basis.kind = (lbBasisKind)kind;
    return status;
  }
  lbStatus status = lb_field_keys(json, keys, err);
  lbField file = lb_field_member(json, "file"), sketch = lb_field_member(json, "sketch");
  if (!status && lb_field_here(&file) == lb_field_here(&sketch))
    status = lb_field_fail(json, err, "needs either \"file\" or \"sketch\"");
  const lbField *given = lb_field_here(&file) ? &file : &sketch;
  const char *name = status ? NULL : lb_field_text(given, &status, err);
  if (status) return status;
  if (!name[0]) return lb_field_fail(given, err, "is empty, it must be a file's name");
  body->subspace.basis.kind = given == &file ? LB_BASIS_FILE : LB_BASIS_SKETCH;
  body->basis_file = lb_path_beside(json->file, name);
  return body->basis_file ? LB_OK : lb_fail_memory(err);
}

static lbStatus read_flag(const lbField *json, bool *out, lbError *err) {
  if (!lb_field_here(json)) return LB_OK;
  if (!json_is_boolean(json->value)) return lb_field_fail(json, err, "must be true or false");
  *out = json_is_true(json->value);
  return LB_OK;
}

// Warns of keys of the subspace method where another method ignores them.
static lbStatus read_subspace(const lbField *json, lbSceneBody *body, lbError *err) {
  static const char *const keys[] = { "basis",     "dimension", "forces",    "metric",
                                      "editable",  "elements",  "error",     "poses",
                                      "amplitude", "seed",      "selection", NULL };
  static const char *const metrics[] = { "consistent", "lumped", NULL };
  int metric = LB_MASS_CONSISTENT;
  lbField basis = lb_field_member(json, "basis");
  lbField dimension = lb_field_member(json, "dimension"),
          editable = lb_field_member(json, "editable");
  lbField mass = lb_field_member(json, "metric");
  lbStatus status = read_basis(&basis, body, err);
  if (!status)
    status = lb_field_integer(&dimension, 1, INT32_MAX, &body->subspace.vectors_max, err);
  if (!status) status = lb_scene_read_forces(json, &body->subspace, err);
  if (!status) status = lb_field_choice(&mass, metrics, &metric, err);
  if (!status) status = read_flag(&editable, &body->subspace.editable, err);
  body->subspace.basis.metric = (lbMassKind)metric;
  for (int i = 0; keys[i] && !status && body->method == LB_METHOD_MODAL; i++) {
    lbField member = lb_field_member(json, keys[i]);
    if (lb_field_here(&member))
      lb_log(LB_LOG_WARNING, "%s: %s: is ignored by the method \"modal\"", json->file, member.path);
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
  if (!status && lb_field_here(&member) && body->method == LB_METHOD_SUBSPACE)
    lb_log(LB_LOG_WARNING, "%s: %s: is ignored by the method \"subspace\"", json->file,
           member.path);
  return status ? status : read_subspace(json, body, err);
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

// "method"; without one the body is unreduced, or has the method of its model.
static lbStatus choose_scene_method(const lbField *json, lbMethod *out, lbError *err) {
  enum { FIRST = LB_METHOD_DEFAULT + 1 };
  const char *names[LB_METHOD_COUNT - FIRST + 1] = { NULL };
  int choice = LB_METHOD_FULL - FIRST;
  for (int i = FIRST; i < LB_METHOD_COUNT; i++) names[i - FIRST] = lb_method_name((lbMethod)i);
  lbField member = lb_field_member(json, "method"), model = lb_field_member(json, "model");
  lbStatus status = lb_field_choice(&member, names, &choice, err);
  *out = (lbMethod)(FIRST + choice);
  if (!status && *out == LB_METHOD_RECORDED && !lb_field_here(&model))
    status = lb_field_fail(&member, err, "\"recorded\" needs a \"model\" that has a recording");
  if (!status && *out == LB_METHOD_RIGID)
    status =
        lb_field_fail(&member, err, "a rigid body is one of the \"colliders\", with a \"density\"");
  return status;
}

lbStatus lb_scene_read_method(const lbField *json, lbSceneBody *body, lbError *err) {
  static const char *const mass_names[] = { "consistent", "lumped", NULL };
  int mass = LB_MASS_CONSISTENT;
  lbField member = lb_field_member(json, "mass");
  lbStatus status = lb_field_choice(&member, mass_names, &mass, err);
  if (!status) status = choose_scene_method(json, &body->method, err);
  body->mass = (lbMassKind)mass;
  member = lb_field_member(json, "reduce");
  if (!status) status = read_reduce(&member, body, err);
  if (!status) status = lb_scene_read_warp(json, body, err);
  if (!status) status = lb_scene_read_frames(json, body, err);
  return status ? status : lb_scene_read_damping(json, body, err);
}
