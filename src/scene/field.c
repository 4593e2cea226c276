// Typed access to JSON.
#include "scene/field.h"

#include "limber/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lbStatus lb_field_parse(const char *file, const char *content, size_t bytes, json_t **out,
                        lbError *err) {
  json_error_t fault;
  json_t *root = json_loadb(content, bytes, JSON_REJECT_DUPLICATES, &fault);
  if (!root)
    return lb_fail(err, LB_ERR_FORMAT, "%s:%d:%d: %s", file, fault.line, fault.column, fault.text);
  *out = root;
  return LB_OK;
}

lbStatus lb_field_fail(const lbField *json, lbError *err, const char *format, ...) {
  char message[320];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return lb_fail(err, LB_ERR_FORMAT, "%s: %s%s%s", json->file, json->path,
                 json->path[0] ? ": " : "", message);
}

lbField lb_field_member(const lbField *object, const char *key) {
  lbField member = { object->file, json_object_get(object->value, key), "" };
  snprintf(member.path, sizeof member.path, "%.100s%s%.50s", object->path,
           object->path[0] ? "." : "", key);
  return member;
}

lbField lb_field_item(const lbField *array, size_t index) {
  lbField item = { array->file, json_array_get(array->value, index), "" };
  snprintf(item.path, sizeof item.path, "%.120s[%zu]", array->path, index);
  return item;
}

lbStatus lb_field_keys(const lbField *object, const char *const *keys, lbError *err) {
  if (!json_is_object(object->value))
    return lb_field_fail(object, err, "must be an object { ... }");
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)object->value, key, value) {
    const char *const *known = keys;
    while (*known && strcmp(*known, key) != 0) known++;
    if (*known) continue;
    const char *nearest = lb_nearest_name(key, keys);
    if (nearest)
      return lb_field_fail(object, err, "unknown key \"%.60s\", did you mean \"%s\"?", key,
                           nearest);
    return lb_field_fail(object, err, "unknown key \"%.60s\", remove it", key);
  }
  return LB_OK;
}

static lbStatus fail_kind(const lbField *json, const char *kind, lbError *err) {
  char *text = json_dumps(json->value, JSON_ENCODE_ANY | JSON_COMPACT);
  lbStatus status =
      lb_field_fail(json, err, "is %.60s, it must be %s", text ? text : "something else", kind);
  free(text);
  return status;
}

lbStatus lb_field_number(const lbField *json, double *out, lbError *err) {
  if (!json->value) return LB_OK;
  if (!json_is_number(json->value)) return fail_kind(json, "a number", err);
  double value = json_number_value(json->value);
  if (!isfinite(value)) return fail_kind(json, "a finite number", err);
  *out = value;
  return LB_OK;
}

lbStatus lb_field_positive(const lbField *json, double *out, lbError *err) {
  double value = 1;
  lbStatus status = lb_field_number(json, &value, err);
  if (!status && !(value > 0)) return fail_kind(json, "positive", err);
  if (!status && json->value) *out = value;
  return status;
}

lbStatus lb_field_integer(const lbField *json, int32_t low, int32_t high, int32_t *out,
                          lbError *err) {
  if (!json->value) return LB_OK;
  json_int_t value = json_integer_value(json->value);
  if (json_is_integer(json->value) && value >= low && value <= high) {
    *out = (int32_t)value;
    return LB_OK;
  }
  char kind[80];
  if (high == INT32_MAX)
    snprintf(kind, sizeof kind, "a whole number, %d or more", (int)low);
  else
    snprintf(kind, sizeof kind, "a whole number from %d to %d", (int)low, (int)high);
  return fail_kind(json, kind, err);
}

lbStatus lb_field_vector(const lbField *json, size_t count, double *out, lbError *err) {
  if (!json->value) return LB_OK;
  if (!json_is_array(json->value) || json_array_size(json->value) != count) {
    char kind[40];
    snprintf(kind, sizeof kind, "a list of %zu numbers", count);
    return fail_kind(json, kind, err);
  }
  lbStatus status = LB_OK;
  for (size_t i = 0; i < count && !status; i++) {
    lbField item = lb_field_item(json, i);
    status = lb_field_number(&item, &out[i], err);
  }
  return status;
}

lbStatus lb_field_integers(const lbField *json, size_t count, int32_t low, int32_t *out,
                           lbError *err) {
  if (!json->value) return LB_OK;
  if (!json_is_array(json->value) || json_array_size(json->value) != count) {
    char kind[40];
    snprintf(kind, sizeof kind, "a list of %zu whole numbers", count);
    return fail_kind(json, kind, err);
  }
  lbStatus status = LB_OK;
  for (size_t i = 0; i < count && !status; i++) {
    lbField item = lb_field_item(json, i);
    status = lb_field_integer(&item, low, INT32_MAX, &out[i], err);
  }
  return status;
}

lbStatus lb_field_group(const lbField *json, const char **name, int32_t *tag, lbError *err) {
  *name = json_string_value(json->value);
  *tag = 0;
  if (*name) return LB_OK;
  json_int_t value = json_integer_value(json->value);
  if (!json_is_integer(json->value) || value < 1 || value > INT32_MAX)
    return fail_kind(json, "a group's name or number", err);
  *tag = (int32_t)value;
  return LB_OK;
}

const char *lb_field_text(const lbField *json, lbStatus *status, lbError *err) {
  if (!json->value) return NULL;
  if (!json_is_string(json->value)) *status = fail_kind(json, "a text in quotes", err);
  return json_string_value(json->value);
}

lbStatus lb_field_file(const lbField *json, char **path, lbError *err) {
  lbStatus status = LB_OK;
  const char *name = lb_field_text(json, &status, err);
  if (status) return status;
  if (!name || !name[0]) return lb_field_fail(json, err, "is empty, it must be a file's name");
  return lb_file_named(json->file, name, LB_REACH_ANYWHERE, path, err);
}

lbStatus lb_field_choice(const lbField *json, const char *const *names, int *out, lbError *err) {
  lbStatus status = LB_OK;
  const char *text = lb_field_text(json, &status, err);
  if (status || !text) return status;
  for (int i = 0; names[i]; i++)
    if (strcmp(names[i], text) == 0) {
      *out = i;
      return LB_OK;
    }
  char known[160] = "";
  for (int i = 0; names[i]; i++)
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", names[i]);
  const char *nearest = lb_nearest_name(text, names);
  if (nearest)
    return lb_field_fail(json, err, "unknown \"%.60s\", did you mean \"%s\"? (one of %s)", text,
                         nearest, known);
  return lb_field_fail(json, err, "unknown \"%.60s\", use one of %s", text, known);
}
