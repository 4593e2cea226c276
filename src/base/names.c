// The nearest of a list of names to a misspelt one.
#include "limber/base.h"

#include <string.h>

// Edit distance, by rows.
static size_t edit_distance(const char *a, const char *b) {
  size_t row[64], length = strlen(b);
  if (length >= 63) return SIZE_MAX;
  for (size_t j = 0; j <= length; j++) row[j] = j;
  for (size_t i = 1; *a; a++, i++) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= length; j++) {
      size_t replaced = corner + (*a != b[j - 1]);
      size_t shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];
      corner = row[j];
      row[j] = replaced < shorter + 1 ? replaced : shorter + 1;
    }
  }
  return row[length];
}

const char *lb_nearest_name(const char *name, const char *const *names) {
  const char *nearest = NULL;
  size_t least = strlen(name) / 3 + 2;
  for (; *names; names++) {
    size_t d = edit_distance(name, *names);
    if (d < least) least = d, nearest = *names;
  }
  return nearest;
}
