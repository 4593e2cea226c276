// JSON text that grows: lists of values with commas between them. The first failure sticks.
#ifndef LB_GLTF_JSON_H
#define LB_GLTF_JSON_H

#include "limber/base.h"

typedef struct lbJson {
  char *text; // NULL while empty
  size_t length, capacity;
  int32_t count; // values begun by lb_json_next
  bool failed;   // no memory: nothing more is added
} lbJson;

void lb_json_release(lbJson *json);
// Begins the next value of a list; returns its number.
int32_t lb_json_next(lbJson *json);

void lb_json_put(lbJson *json, const char *text); // as it is
void lb_json_put_part(lbJson *json, const char *bytes, size_t count);
void lb_json_put_integer(lbJson *json, int64_t value);
void lb_json_put_number(lbJson *json,
                        double value); // every bit survives; null where it is not finite
// "key": and what follows in [ ].
void lb_json_put_floats(lbJson *json, const char *key, const float *values, size_t count);
// A string with its quotes. Text that is not UTF-8 has '_' for every byte beyond ASCII.
void lb_json_put_string(lbJson *json, const char *text);

#endif
