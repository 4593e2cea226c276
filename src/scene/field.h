// Typed access to JSON with messages that name the file and the field:
// "scene.json: bodies[0].material.young: is \"soft\", it must be a number".
#ifndef LB_SCENE_FIELD_H
#define LB_SCENE_FIELD_H

#include "limber/base.h"

#include <jansson.h>

typedef struct lbField {
  const char *file;
  const json_t *value; // NULL: absent
  char path[160];      // "bodies[0].material"; "" at the top
} lbField;

lbStatus lb_field_parse(const char *file, const char *content, size_t bytes, json_t **out,
                        lbError *err);
lbStatus lb_field_fail(const lbField *json, lbError *err, const char *format, ...) LB_PRINTF(3, 4);

lbField lb_field_member(const lbField *object, const char *key); // absent if there is none
lbField lb_field_item(const lbField *array, size_t index);
static inline bool lb_field_here(const lbField *json) { return json->value != NULL; }

// Refuses other keys than these (NULL ends the list), naming the nearest; also a non-object.
lbStatus lb_field_keys(const lbField *object, const char *const *keys, lbError *err);

// Each leaves *out alone when the value is absent.
lbStatus lb_field_number(const lbField *json, double *out, lbError *err); // finite
lbStatus lb_field_positive(const lbField *json, double *out, lbError *err);
lbStatus lb_field_integer(const lbField *json, int32_t low, int32_t high, int32_t *out,
                          lbError *err);
lbStatus lb_field_vector(const lbField *json, size_t count, double *out, lbError *err);
lbStatus lb_field_integers(const lbField *json, size_t count, int32_t low, int32_t *out,
                           lbError *err);
// A group: by name (then *name is set) or by a number from 1 (then *name is NULL); 0 means no tag.
lbStatus lb_field_group(const lbField *json, const char **name, int32_t *tag, lbError *err);
// NULL when absent or no text (then *status is set).
const char *lb_field_text(const lbField *json, lbStatus *status, lbError *err);
// The path of the file that it names, seen from the file that it stands in; an ordinary file
// (lb_file_named), wherever it lies. An absent or empty name is an error. Free *path with lb_free.
lbStatus lb_field_file(const lbField *json, char **path, lbError *err);
// An index into names (NULL ends the list); refuses others, naming the nearest.
lbStatus lb_field_choice(const lbField *json, const char *const *names, int *out, lbError *err);

#endif
