// "reduce": what gives a subspace body its forces: "forces", and the keys of cubature.
#include "scene/body.h"

#include <string.h>

static lbStatus read_cubature_elements(const lbField *json, lbCubatureDef *cubature, lbError *err) {
  const char *text = json_string_value(json->value);
  if (text && strcmp(text, "all") == 0) {
    cubature->all = true;
    return LB_OK;
  }
  if (text) return lb_field_fail(json, err, "must be a whole number, 1 or more, or \"all\"");
  return lb_field_integer(json, 1, INT32_MAX, &cubature->element_limit, err);
}

static lbStatus read_cubature_numbers(const lbField *json, lbCubatureDef *cubature, lbError *err) {
  int32_t seed = (int32_t)cubature->seed;
  lbField error = lb_field_member(json, "error"), poses = lb_field_member(json, "poses");
  lbField amplitude = lb_field_member(json, "amplitude"), number = lb_field_member(json, "seed");
  lbStatus status = lb_field_number(&error, &cubature->error, err);
  if (!status && cubature->error < 0) status = lb_field_fail(&error, err, "must not be negative");
  if (!status)
    status = lb_field_integer(&poses, 1, LB_CUBATURE_POSES_MAX, &cubature->pose_count, err);
  if (!status) status = lb_field_positive(&amplitude, &cubature->amplitude, err);
  if (!status) status = lb_field_integer(&number, 0, INT32_MAX, &seed, err);
  cubature->seed = (uint64_t)seed;
  return status;
}

static lbStatus read_selection(const lbField *json, lbCubatureDef *cubature, lbError *err) {
  const char *names[LB_CUBATURE_SELECTION_COUNT + 1] = { NULL };
  int choice = cubature->selection;
  for (int i = 0; i < LB_CUBATURE_SELECTION_COUNT; i++)
    names[i] = lb_cubature_selection_name((lbCubatureSelection)i);
  lbStatus status = lb_field_choice(json, names, &choice, err);
  cubature->selection = (lbCubatureSelection)choice;
  return status;
}

// The first key of cubature that is there.
static lbField find_cubature_key(const lbField *json) {
  static const char *const keys[] = {
    "elements", "error", "poses", "amplitude", "seed", "selection"
  };
  lbField member = { 0 };
  for (size_t i = 0; i < sizeof keys / sizeof *keys && !lb_field_here(&member); i++)
    member = lb_field_member(json, keys[i]);
  return member;
}

// Keys of cubature ask for it.
lbStatus lb_scene_read_forces(const lbField *json, lbSubspaceDef *subspace, lbError *err) {
  static const char *const kinds[] = { "polynomial", "cubature", NULL };
  lbField forces = lb_field_member(json, "forces"), elements = lb_field_member(json, "elements");
  lbField selection = lb_field_member(json, "selection"), key = find_cubature_key(json);
  int kind = lb_field_here(&key) ? 1 : 0;
  lbStatus status = lb_field_choice(&forces, kinds, &kind, err);
  if (!status && lb_field_here(&elements))
    status = read_cubature_elements(&elements, &subspace->cubature, err);
  if (!status) status = read_cubature_numbers(json, &subspace->cubature, err);
  if (!status) status = read_selection(&selection, &subspace->cubature, err);
  if (status) return status;
  if (lb_field_here(&key) && kind == 0)
    lb_log(LB_LOG_WARNING, "%s: %s: is ignored, the forces are \"polynomial\"", json->file,
           key.path);
  if (lb_field_here(&forces) || kind == 1)
    subspace->forces = kind == 1 ? LB_FORCES_CUBATURE : LB_FORCES_POLYNOMIAL;
  return LB_OK;
}
