// Typed access to JSON with messages that name the file and the field:
// "scene.json: bodies[0].material.young: is \"soft\", it must be a number".
#ifndef LB_SCENE_JSON_H
#define LB_SCENE_JSON_H

#include "limber/base.h"

#include <jansson.h>

typedef struct lbJson {
  const char *file;
  const json_t *value; // NULL: absent
  char path[160];      // "bodies[0].material"; "" at the top
} lbJson;

lbStatus lb_json_parse(const char *file, const char *content, size_t bytes, json_t **out,
                       lbError *err);
lbStatus lb_json_fail(const lbJson *json, lbError *err, const char *format, ...) LB_PRINTF(3, 4);

lbJson lb_json_member(const lbJson *object, const char *key); // absent if there is none
lbJson lb_json_item(const lbJson *array, size_t index);
static inline bool lb_json_here(const lbJson *json) { return json->value != NULL; }

// Refuses other keys than these (NULL ends the list), naming the nearest; also a non-object.
lbStatus lb_json_keys(const lbJson *object, const char *const *keys, lbError *err);

// Each leaves *out alone when the value is absent.
lbStatus lb_json_number(const lbJson *json, double *out, lbError *err); // finite
lbStatus lb_json_positive(const lbJson *json, double *out, lbError *err);
lbStatus lb_json_integer(const lbJson *json, int32_t low, int32_t high, int32_t *out, lbError *err);
lbStatus lb_json_vector(const lbJson *json, size_t count, double *out, lbError *err);
lbStatus lb_json_integers(const lbJson *json, size_t count, int32_t low, int32_t *out,
                          lbError *err);
// NULL when absent or no text (then *status is set).
const char *lb_json_text(const lbJson *json, lbStatus *status, lbError *err);
// An index into names (NULL ends the list); refuses others, naming the nearest.
lbStatus lb_json_choice(const lbJson *json, const char *const *names, int *out, lbError *err);

#endif
