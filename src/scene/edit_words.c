// Handles in words, as a command line has them, turned into those of a script:
//
//   NAME: [box X Y Z X Y Z | group NAME | vertices N N ...]; [translate X Y Z];
//         [rotate x|y|z|X,Y,Z DEGREES [about X Y Z]]; [weight W]
#include "scene/edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const clauses[] = { "box",    "group",  "vertices", "translate",
                                       "rotate", "weight", NULL };

typedef struct Words {
  const char *handle; // the whole text, for messages
  char *at;           // the rest of a clause
} Words;

static lbStatus refuse_words(const Words *words, lbError *err, const char *what) {
  return lb_fail(err, LB_ERR_FORMAT, "handle \"%s\": %s", words->handle, what);
}

static char *skip(char *text) { return text + strspn(text, " \t,"); }

// The next word, cut off; NULL: none.
static char *next_word(Words *words) {
  char *word = skip(words->at);
  size_t length = strcspn(word, " \t");
  if (length == 0) return NULL;
  words->at = word + length + (word[length] != '\0');
  word[length] = '\0';
  return word;
}

// Numbers up to the next word that is none; how many. At most `most` are stored.
static int read_edit_numbers(Words *words, double *numbers, int most) {
  int count = 0;
  for (;;) {
    char *end, *start = skip(words->at);
    double value = strtod(start, &end);
    if (end == start || (*end && !strchr(" \t,", *end))) return count;
    if (count < most) numbers[count] = value;
    count++;
    words->at = end;
  }
}

static json_t *list(const double *numbers, int count) {
  json_t *array = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(array, json_real(numbers[i]));
  return array;
}

// Exactly so many numbers and nothing behind them.
static lbStatus read_exactly(Words *words, const char *clause, int count, double *numbers,
                             lbError *err) {
  int found = read_edit_numbers(words, numbers, count);
  if (found == count && !*skip(words->at)) return LB_OK;
  return lb_fail(err, LB_ERR_FORMAT, "handle \"%s\": %s needs %d number%s", words->handle, clause,
                 count, count == 1 ? "" : "s");
}

static lbStatus read_edit_rotate(Words *words, json_t *handle, lbError *err) {
  static const char wrong[] = "rotate needs an axis (x, y, z or three numbers), degrees and, if "
                              "wanted, \"about\" with a place: rotate z 90 about 0 0 1";
  double axis[3] = { 0, 0, 0 }, numbers[4], centre[3];
  char *start = skip(words->at);
  bool named = start[0] && strchr("xyz", start[0]) && strchr(" \t,", start[1]);
  if (named) {
    axis[start[0] - 'x'] = 1;
    words->at = start + 1;
  }
  int wanted = named ? 1 : 4;
  if (read_edit_numbers(words, numbers, 4) != wanted) return refuse_words(words, err, wrong);
  if (!named) memcpy(axis, numbers, sizeof axis);
  json_t *rotate = json_pack("{s:o, s:f}", "axis", list(axis, 3), "degrees", numbers[wanted - 1]);
  json_object_set_new(handle, "rotate", rotate);
  const char *about = next_word(words);
  if (!about) return LB_OK;
  if (strcmp(about, "about") != 0) return refuse_words(words, err, wrong);
  lbStatus status = read_exactly(words, "about", 3, centre, err);
  if (!status) json_object_set_new(rotate, "centre", list(centre, 3));
  return status;
}

static lbStatus read_edit_vertices(Words *words, json_t *handle, lbError *err) {
  json_t *array = json_array();
  json_object_set_new(handle, "vertices", array);
  for (char *word = next_word(words); word; word = next_word(words))
    for (char *part = word; *part;) {
      char *end;
      long long id = strtoll(part, &end, 10);
      if (end == part || (*end && *end != ','))
        return refuse_words(words, err, "vertices needs numbers of vertices, counted from 0");
      json_array_append_new(array, json_integer(id));
      part = end + (*end == ',');
    }
  return LB_OK;
}

static void forget_region(json_t *handle) {
  json_object_del(handle, "vertices");
  json_object_del(handle, "box");
  json_object_del(handle, "group");
}

static lbStatus read_clause(Words *words, json_t *handle, lbError *err) {
  double numbers[6];
  const char *word = next_word(words);
  lbStatus status;
  if (!word) return LB_OK;
  if (strcmp(word, "rotate") == 0) return read_edit_rotate(words, handle, err);
  if (strcmp(word, "translate") == 0) {
    status = read_exactly(words, word, 3, numbers, err);
    if (!status) json_object_set_new(handle, "translate", list(numbers, 3));
    return status;
  }
  if (strcmp(word, "weight") == 0) {
    status = read_exactly(words, word, 1, numbers, err);
    if (!status) json_object_set_new(handle, "weight", json_real(numbers[0]));
    return status;
  }
  if (strcmp(word, "vertices") == 0) {
    forget_region(handle);
    return read_edit_vertices(words, handle, err);
  }
  if (strcmp(word, "box") == 0) {
    forget_region(handle);
    status = read_exactly(words, word, 6, numbers, err);
    if (!status)
      json_object_set_new(handle, "box",
                          json_pack("[o, o]", list(numbers, 3), list(numbers + 3, 3)));
    return status;
  }
  if (strcmp(word, "group") == 0) {
    char *name = skip(words->at);
    forget_region(handle);
    for (size_t end = strlen(name); end > 0 && strchr(" \t", name[end - 1]); end--)
      name[end - 1] = '\0';
    json_object_set_new(handle, "group", json_string(name));
    return LB_OK;
  }
  const char *nearest = lb_nearest_name(word, clauses);
  return lb_fail(err, LB_ERR_FORMAT, "handle \"%s\": unknown word \"%s\"%s%s%s", words->handle,
                 word,
                 nearest ? ", did you mean \""
                         : ", use translate, rotate, box, group, "
                           "vertices or weight",
                 nearest ? nearest : "", nearest ? "\"?" : "");
}

// The handle of that name, added where there is none.
static json_t *find_handle(json_t *handles, const char *name) {
  for (size_t i = 0; i < json_array_size(handles); i++) {
    json_t *handle = json_array_get(handles, i);
    const char *known = json_string_value(json_object_get(handle, "name"));
    if (known && strcmp(known, name) == 0) return handle;
  }
  json_t *handle = json_pack("{s:s}", "name", name);
  json_array_append_new(handles, handle);
  return handle;
}

static lbStatus read_edit_handle(char *copy, const char *text, json_t *handles, lbError *err) {
  Words words = { .handle = text };
  char *colon = strchr(copy, ':'), *name = copy + strspn(copy, " \t");
  if (!colon)
    return refuse_words(&words, err, "has no ':' behind its name: \"tip: translate 0 0.2 0\"");
  *colon = '\0';
  for (size_t end = strlen(name); end > 0 && strchr(" \t", name[end - 1]); end--)
    name[end - 1] = '\0';
  if (!name[0]) return refuse_words(&words, err, "has no name before its ':'");
  json_t *handle = find_handle(handles, name);
  if (!handle) return refuse_words(&words, err, "its name is not UTF-8");
  lbStatus status = LB_OK;
  for (char *clause = colon + 1; clause && !status;) {
    char *end = strchr(clause, ';');
    if (end) *end = '\0';
    words.at = clause;
    status = read_clause(&words, handle, err);
    clause = end ? end + 1 : NULL;
  }
  if (!status && !json_object_get(handle, "vertices") && !json_object_get(handle, "box") &&
      !json_object_get(handle, "group"))
    json_object_set_new(handle, "group", json_string(name));
  return status;
}

lbStatus lb_edit_words(const char *text, json_t *handles, lbError *err) {
  char *copy = lb_duplicate_text(text);
  if (!copy) return lb_fail_memory(err);
  lbStatus status = read_edit_handle(copy, text, handles, err);
  lb_free(copy);
  return status;
}
