// Share links: the settings that differ from the scene's own, and the camera, as "name=value&...".
#include "view/viewer_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct Angle {
  const char *name;
  size_t offset; // in vwCamera
  double low, high;
} camera_values[] = {
  { "azimuth", offsetof(vwCamera, azimuth), -1e3, 1e3 },
  { "elevation", offsetof(vwCamera, elevation), -1.57, 1.57 },
  { "distance", offsetof(vwCamera, distance), 1e-6, 1e6 },
  { "at.x", offsetof(vwCamera, at.x), -1e6, 1e6 },
  { "at.y", offsetof(vwCamera, at.y), -1e6, 1e6 },
  { "at.z", offsetof(vwCamera, at.z), -1e6, 1e6 },
};
enum { CAMERA_VALUES = sizeof camera_values / sizeof *camera_values };

typedef struct Writer {
  char *text;
  size_t size, length;
} Writer;

static void append_setting(Writer *writer, const char *name, double value) {
  char item[96];
  int length = snprintf(item, sizeof item, "%s%s=%.6g", writer->length ? "&" : "", name, value);
  if (length < 0) return;
  if (writer->length + (size_t)length < writer->size)
    memcpy(writer->text + writer->length, item, (size_t)length + 1);
  writer->length += (size_t)length;
}

size_t vw_viewer_link(const vwViewer *viewer, char *text, size_t size) {
  Writer writer = { text, size, 0 };
  if (size) text[0] = 0;
  if (!viewer->stage) return 0;
  for (int32_t i = 0; i < vw_control_count(); i++) {
    const vwControl *control = vw_control(i);
    if (control->kind == VW_BUTTON || !control->shared) continue;
    vwControlState state;
    vw_viewer_control(viewer, i, &state);
    if (state.enabled && state.value != state.initial)
      append_setting(&writer, control->name, state.value);
  }
  for (int32_t i = 0; i < CAMERA_VALUES; i++) {
    const char *base = (const char *)&viewer->camera;
    append_setting(&writer, camera_values[i].name,
                   *(const double *)(base + camera_values[i].offset));
  }
  return writer.length;
}

static bool set_camera(vwViewer *viewer, const char *name, double value) {
  for (int32_t i = 0; i < CAMERA_VALUES; i++) {
    const struct Angle *entry = &camera_values[i];
    if (strcmp(entry->name, name)) continue;
    if (value >= entry->low && value <= entry->high)
      *(double *)((char *)&viewer->camera + entry->offset) = value;
    return true;
  }
  return false;
}

static void follow(vwViewer *viewer, const char *name, const char *text) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !isfinite(value) || set_camera(viewer, name, value)) return;
  int32_t control = vw_control_find(name);
  if (control < 0 || vw_control(control)->kind == VW_BUTTON || !vw_control(control)->shared) return;
  vw_viewer_set(viewer, control, value, NULL);
}

void vw_viewer_follow_link(vwViewer *viewer, const char *text) {
  if (!viewer->stage) return;
  while (*text) {
    char item[96];
    size_t length = strcspn(text, "&");
    if (length < sizeof item) {
      memcpy(item, text, length);
      item[length] = 0;
      char *value = strchr(item, '=');
      if (value) *value++ = 0;
      if (value) follow(viewer, item, value);
    }
    text += length;
    if (*text) text++;
  }
}
