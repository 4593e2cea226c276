// Writing numbers under any locale, and tags for groups that have none.
#include "meshio/print.h"

#include <stdlib.h>
#include <string.h>

void lb_print_number(FILE *stream, double value, int least_digits) {
  char text[64], plain[64];
  size_t length = 0;
  snprintf(text, sizeof text, "%.*g", least_digits, value);
  if (strtod(text, NULL) != value) snprintf(text, sizeof text, "%.17g", value);
  for (const char *p = text; *p;) {
    bool separator = !strchr("0123456789+-einfa", *p);
    plain[length++] = separator ? '.' : *p;
    p++;
    while (separator && *p && !strchr("0123456789", *p)) p++; // one of several bytes
  }
  fwrite(plain, 1, length, stream);
}

int32_t *lb_group_tags(const lbMesh *mesh) {
  int32_t *tags = lb_alloc((size_t)mesh->group_count, sizeof *tags);
  int32_t largest[3] = { 0 };
  if (!tags) return NULL;
  for (int32_t i = 0; i < mesh->group_count; i++) {
    const lbGroup *group = &mesh->groups[i];
    if (group->tag > largest[group->kind]) largest[group->kind] = group->tag;
  }
  for (int32_t i = 0; i < mesh->group_count; i++) {
    const lbGroup *group = &mesh->groups[i];
    bool room = largest[group->kind] < INT32_MAX;
    tags[i] = group->tag || !room ? group->tag : ++largest[group->kind];
  }
  return tags;
}
