// "name=value,...": a number, a choice's name, on or off.
#include "view/assign.h"

#include "limber/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Setting {
  char name[64], value[64];
  int32_t control; // -1: of the camera, as links have it
} Setting;

static bool is_of_camera(const char *name) {
  static const char *const names[] = { "azimuth", "elevation", "distance", "at.x", "at.y", "at.z" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i])) return true;
  return false;
}

static lbStatus fail_unknown_assignment(const char *name, lbError *err) {
  const char *names[128] = { 0 };
  int32_t count = 0;
  for (int32_t i = 0; i < vw_control_count() && count < 127; i++)
    if (vw_control(i)->kind != VW_BUTTON) names[count++] = vw_control(i)->name;
  const char *nearest = lb_nearest_name(name, names);
  return lb_fail(err, LB_ERR_ARGUMENT, "set: unknown setting \"%s\"%s%s%s", name,
                 nearest ? ", did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

// The next item of the list, from *text on; false with LB_OK at the end.
static bool next_setting(const char **text, Setting *out, lbStatus *status, lbError *err) {
  *status = LB_OK;
  *text += strspn(*text, "&,");
  size_t length = strcspn(*text, "&,"), name = strcspn(*text, "=");
  if (!length) return false;
  if (name >= length || name >= sizeof out->name || length - name > sizeof out->value) {
    *status = lb_fail(err, LB_ERR_ARGUMENT, "set: \"%.*s\" is not name=value",
                      (int)(length < 60 ? length : 60), *text);
    return false;
  }
  snprintf(out->name, sizeof out->name, "%.*s", (int)name, *text);
  snprintf(out->value, sizeof out->value, "%.*s", (int)(length - name - 1), *text + name + 1);
  *text += length;
  out->control = is_of_camera(out->name) ? -1 : vw_control_find(out->name);
  bool known =
      is_of_camera(out->name) || (out->control >= 0 && vw_control(out->control)->kind != VW_BUTTON);
  if (!known) *status = fail_unknown_assignment(out->name, err);
  return known;
}

lbStatus vw_assign_check(const char *text, lbError *err) {
  lbStatus status = LB_OK;
  Setting setting;
  while (text && next_setting(&text, &setting, &status, err)) {}
  return status;
}

// A number, a choice's name, or on and off.
static bool read_value(const vwControlState *state, const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  if (end != text && !*end) return isfinite(*value);
  if (!strcmp(text, "on") || !strcmp(text, "true")) return *value = 1, true;
  if (!strcmp(text, "off") || !strcmp(text, "false")) return *value = 0, true;
  const char *choice = state->choices, *last = state->choices + sizeof state->choices;
  for (int i = 0; choice < last && *choice; i++, choice += strlen(choice) + 1)
    if (!strcmp(choice, text)) return *value = i, true;
  return false;
}

static lbStatus set_one(vwViewer *viewer, const Setting *setting, lbError *err) {
  if (setting->control < 0) {
    char item[sizeof setting->name + sizeof setting->value + 1];
    snprintf(item, sizeof item, "%s=%s", setting->name, setting->value);
    return vw_viewer_follow_link(viewer, item), LB_OK;
  }
  vwControlState state;
  double value;
  vw_viewer_control(viewer, setting->control, &state);
  if (!read_value(&state, setting->value, &value))
    return lb_fail(err, LB_ERR_ARGUMENT, "set: %s cannot be \"%s\"", setting->name, setting->value);
  return vw_viewer_set(viewer, setting->control, value, err);
}

lbStatus vw_assign(vwViewer *viewer, const char *text, lbError *err) {
  lbStatus status = LB_OK;
  Setting setting;
  while (text && !status && next_setting(&text, &setting, &status, err))
    status = set_one(viewer, &setting, err);
  return status;
}
