// Reading JSON, in place of Jansson, which a page has not: the functions of jansson.h that readers
// of glTF call, for texts in memory. Values that are read are never changed; objects keep their
// order and hold each key once, the last value counting.
#include <jansson.h>

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 512 // arrays and objects in each other

typedef struct Value Value;

typedef struct Member {
  char *key; // NULL in arrays
  Value *value;
} Member;

struct Value {
  json_t base; // first: a json_t * is a Value *
  json_int_t integer;
  double real;
  char *text;
  size_t length; // of the text
  Member *members;
  size_t count, room;
};

typedef struct Reader {
  const char *begin, *at, *end;
  int depth;
  json_error_t *error;
} Reader;

// ---- values ------------------------------------------------------------------------------------

static const Value *value_of(const json_t *json) { return (const Value *)json; }

void json_delete(json_t *json) {
  Value *value = (Value *)json;
  if (!value) return;
  for (size_t i = 0; i < value->count; i++) {
    free(value->members[i].key);
    json_decref(&value->members[i].value->base);
  }
  free(value->members);
  free(value->text);
  free(value);
}

static Value *new_value(json_type type) {
  Value *value = calloc(1, sizeof *value);
  if (value) value->base = (json_t){ .type = type, .refcount = 1 };
  return value;
}

size_t json_array_size(const json_t *array) {
  return json_is_array(array) ? value_of(array)->count : 0;
}
json_t *json_array_get(const json_t *array, size_t index) {
  return index < json_array_size(array) ? &value_of(array)->members[index].value->base : NULL;
}

static Member *find(const Value *object, const char *key) {
  for (size_t i = 0; i < object->count; i++)
    if (strcmp(object->members[i].key, key) == 0) return &object->members[i];
  return NULL;
}

json_t *json_object_get(const json_t *object, const char *key) {
  Member *member = json_is_object(object) && key ? find(value_of(object), key) : NULL;
  return member ? &member->value->base : NULL;
}

const char *json_string_value(const json_t *string) {
  return json_is_string(string) ? value_of(string)->text : NULL;
}
size_t json_string_length(const json_t *string) {
  return json_is_string(string) ? value_of(string)->length : 0;
}
json_int_t json_integer_value(const json_t *integer) {
  return json_is_integer(integer) ? value_of(integer)->integer : 0;
}
double json_real_value(const json_t *real) { return json_is_real(real) ? value_of(real)->real : 0; }
double json_number_value(const json_t *json) {
  return json_is_integer(json) ? (double)value_of(json)->integer : json_real_value(json);
}

// ---- reading -----------------------------------------------------------------------------------

// Fills the error once, as Jansson does: what and where; the last byte of the text is its code.
static Value *fail(Reader *r, enum json_error_code code, const char *what) {
  json_error_t *e = r->error;
  if (!e || e->text[0]) return NULL;
  e->line = 1, e->column = 0, e->position = (int)(r->at - r->begin);
  for (const char *c = r->begin; c < r->at; c++)
    if (*c == '\n')
      e->line++, e->column = 0;
    else
      e->column++;
  snprintf(e->text, sizeof e->text - 1, "%s", what);
  e->text[sizeof e->text - 1] = (char)code;
  return NULL;
}
static Value *fail_memory(Reader *r) { return fail(r, json_error_out_of_memory, "out of memory"); }
static Value *fail_syntax(Reader *r, const char *what) {
  return fail(r, r->at < r->end ? json_error_invalid_syntax : json_error_premature_end_of_input,
              what);
}

static void skip_blanks(Reader *r) {
  while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at) r->at++;
}
static bool takes(Reader *r, char c) {
  skip_blanks(r);
  if (r->at >= r->end || *r->at != c) return false;
  r->at++;
  return true;
}

static bool read_hex(Reader *r, unsigned *code) {
  *code = 0;
  if (r->end - r->at < 4) return false;
  for (int i = 0; i < 4; i++, r->at++) {
    int c = tolower((unsigned char)*r->at);
    if (!isxdigit(c)) return false;
    *code = 16 * *code + (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return true;
}

static char *put_utf8(char *out, unsigned code) {
  if (code < 0x80) {
    *out++ = (char)code;
  } else if (code < 0x800) {
    *out++ = (char)(0xC0 | code >> 6);
    *out++ = (char)(0x80 | (code & 63));
  } else {
    if (code < 0x10000) {
      *out++ = (char)(0xE0 | code >> 12);
    } else {
      *out++ = (char)(0xF0 | code >> 18);
      *out++ = (char)(0x80 | (code >> 12 & 63));
    }
    *out++ = (char)(0x80 | (code >> 6 & 63));
    *out++ = (char)(0x80 | (code & 63));
  }
  return out;
}

// What follows a backslash; NULL: nothing legal.
static char *read_escape(Reader *r, char *out) {
  static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  if (r->at >= r->end) return NULL;
  char c = *r->at++;
  const char *known = c ? strchr(names, c) : NULL;
  if (known) {
    *out++ = values[known - names];
    return out;
  }
  unsigned code, low;
  if (c != 'u' || !read_hex(r, &code) || code == 0 || (code >= 0xDC00 && code < 0xE000))
    return NULL;
  if (code >= 0xD800 && code < 0xDC00) { // the first half of a pair
    if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u') return NULL;
    r->at += 2;
    if (!read_hex(r, &low) || low < 0xDC00 || low >= 0xE000) return NULL;
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  return put_utf8(out, code);
}

// Behind the opening quote. A text is never longer than what it is read from.
static char *read_text(Reader *r, size_t *length) {
  const char *close = r->at;
  while (close < r->end && *close != '"') close += *close == '\\' ? 2 : 1;
  if (close >= r->end) {
    r->at = r->end;
    fail_syntax(r, "a string does not end");
    return NULL;
  }
  char *text = malloc((size_t)(close - r->at) + 1), *out = text;
  if (!text) {
    fail_memory(r);
    return NULL;
  }
  while (out && r->at < close) {
    char c = *r->at++;
    if ((unsigned char)c < 32)
      out = NULL;
    else if (c == '\\')
      out = read_escape(r, out);
    else
      *out++ = c;
  }
  if (!out) {
    fail_syntax(r, "a string has a character that it must not have");
    free(text);
    return NULL;
  }
  *out = 0;
  *length = (size_t)(out - text);
  r->at = close + 1;
  return text;
}

static Value *read_number(Reader *r) {
  char digits[400];
  size_t count = 0;
  bool real = false;
  while (r->at + count < r->end && r->at[count] && strchr("+-.eE0123456789", r->at[count])) {
    if (count == sizeof digits - 1) return fail_syntax(r, "a number is too long");
    digits[count] = r->at[count];
    real |= strchr(".eE", r->at[count]) != NULL;
    count++;
  }
  digits[count] = 0;
  const char *first = digits + (digits[0] == '-');
  char *end;
  Value *value = new_value(real ? JSON_REAL : JSON_INTEGER);
  if (!value) return fail_memory(r);
  errno = 0;
  if (real)
    value->real = strtod(digits, &end);
  else
    value->integer = strtoll(digits, &end, 10);
  bool overflow = errno == ERANGE && (!real || value->real > 1 || value->real < -1);
  if (!isdigit((unsigned char)*first) || (*first == '0' && isdigit((unsigned char)first[1])) ||
      *end || overflow) {
    json_delete(&value->base);
    return fail_syntax(r, overflow ? "a number is too large" : "that is no number");
  }
  r->at += count;
  return value;
}

static Value *read_value(Reader *r);

// Takes the key and the value over.
static bool add(Reader *r, Value *parent, char *key, Value *value) {
  Member *known = value && key ? find(parent, key) : NULL;
  if (known) { // the last one counts
    json_decref(&known->value->base);
    known->value = value;
    free(key);
    return true;
  }
  if (value && parent->count == parent->room) {
    size_t room = parent->room ? 2 * parent->room : 8;
    Member *members = realloc(parent->members, room * sizeof *members);
    if (members) parent->members = members, parent->room = room;
    if (!members) json_delete(&value->base), value = fail_memory(r);
  }
  if (!value) {
    free(key);
    return false;
  }
  parent->members[parent->count++] = (Member){ key, value };
  return true;
}

static bool read_member(Reader *r, Value *parent, bool object) {
  char *key = NULL;
  size_t length;
  if (object) {
    if (takes(r, '"'))
      key = read_text(r, &length);
    else
      fail_syntax(r, "a key is missing");
    if (key && !takes(r, ':')) {
      fail_syntax(r, "':' is missing");
      free(key);
      key = NULL;
    }
    if (!key) return false;
  }
  return add(r, parent, key, read_value(r));
}

// Behind the opening bracket.
static Value *read_members(Reader *r, json_type type, char close) {
  Value *value = new_value(type);
  if (!value) return fail_memory(r);
  bool good = ++r->depth <= DEEPEST;
  if (!good) fail_syntax(r, "it is nested too deeply");
  if (good && takes(r, close)) return r->depth--, value;
  while (good && (good = read_member(r, value, type == JSON_OBJECT)) && takes(r, ',')) continue;
  if (good && takes(r, close)) return r->depth--, value;
  if (good) fail_syntax(r, type == JSON_OBJECT ? "',' or '}' is missing" : "',' or ']' is missing");
  json_delete(&value->base);
  return NULL;
}

static Value *read_word(Reader *r) {
  static const struct {
    const char *word;
    json_type type;
  } words[] = { { "true", JSON_TRUE }, { "false", JSON_FALSE }, { "null", JSON_NULL } };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i].word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, words[i].word, length) != 0) continue;
    r->at += length;
    Value *value = new_value(words[i].type);
    return value ? value : fail_memory(r);
  }
  return fail_syntax(r, "a value is missing");
}

static Value *read_value(Reader *r) {
  skip_blanks(r);
  if (takes(r, '{')) return read_members(r, JSON_OBJECT, '}');
  if (takes(r, '[')) return read_members(r, JSON_ARRAY, ']');
  if (takes(r, '"')) {
    Value *value = new_value(JSON_STRING);
    if (!value) return fail_memory(r);
    if ((value->text = read_text(r, &value->length))) return value;
    json_delete(&value->base);
    return NULL;
  }
  if (r->at < r->end && (*r->at == '-' || isdigit((unsigned char)*r->at))) return read_number(r);
  return read_word(r);
}

json_t *json_loadb(const char *text, size_t length, size_t flags, json_error_t *error) {
  Reader r = { text, text, text + length, 0, error };
  if (error) *error = (json_error_t){ .line = -1 };
  Value *value = read_value(&r);
  skip_blanks(&r);
  if (value && !(flags & JSON_DISABLE_EOF_CHECK) && r.at < r.end) {
    json_delete(&value->base);
    value = fail_syntax(&r, "something follows the end");
  }
  return value ? &value->base : NULL;
}
