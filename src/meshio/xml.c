// A small scanner of XML tags.
#include "meshio/xml.h"

#include <string.h>

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool starts_with_tag(const lbText *text, const char *word) {
  size_t length = strlen(word);
  return (size_t)(text->end - text->next) >= length && memcmp(text->next, word, length) == 0;
}

// To behind the next `stop`, or to the end.
static void skip_past(lbText *text, const char *stop) {
  for (; text->next < text->end; text->next++) {
    if (starts_with_tag(text, stop)) {
      text->next += strlen(stop);
      return;
    }
    if (*text->next == '\n') text->line++;
  }
}

// To the '>' that ends the tag, not one inside quotes.
static bool find_tag_end(lbText *text) {
  char quote = 0;
  for (; text->next < text->end; text->next++) {
    char c = *text->next;
    if (c == '\n') text->line++;
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '>')
      return true;
  }
  return false;
}

bool lb_xml_next(lbText *text, lbXmlTag *tag) {
  for (;;) {
    skip_past(text, "<");
    if (lb_text_at_end(text)) return false;
    if (starts_with_tag(text, "!--"))
      skip_past(text, "-->");
    else if (*text->next == '?' || *text->next == '!')
      skip_past(text, ">");
    else
      break;
  }
  *tag = (lbXmlTag){ .line = text->line, .is_closing = *text->next == '/' };
  if (tag->is_closing) text->next++;
  size_t length = 0;
  for (; text->next < text->end && !is_space(*text->next) && !strchr("/>", *text->next);
       text->next++)
    if (length + 1 < sizeof tag->name) tag->name[length++] = *text->next;
  tag->attributes = text->next;
  if (!find_tag_end(text)) return false;
  tag->end = text->next;
  tag->is_empty = tag->end > tag->attributes && tag->end[-1] == '/';
  text->next++;
  return true;
}

bool lb_xml_attribute(const lbXmlTag *tag, const char *name, char *value, size_t size) {
  const char *p = tag->attributes, *end = tag->end;
  size_t wanted = strlen(name);
  while (p < end) {
    while (p < end && (is_space(*p) || *p == '/')) p++;
    const char *key = p;
    while (p < end && !is_space(*p) && *p != '=') p++;
    size_t key_length = (size_t)(p - key);
    while (p < end && is_space(*p)) p++;
    if (p >= end || *p++ != '=') return false;
    while (p < end && is_space(*p)) p++;
    if (p >= end || (*p != '"' && *p != '\'')) return false;
    const char *begin = p + 1;
    const char *stop = begin < end ? memchr(begin, *p, (size_t)(end - begin)) : NULL;
    if (!stop) return false;
    p = stop + 1;
    if (key_length != wanted || memcmp(key, name, wanted) != 0) continue;
    size_t length = (size_t)(stop - begin);
    if (length >= size || memchr(begin, '\0', length)) return false;
    memcpy(value, begin, length);
    value[length] = '\0';
    return true;
  }
  return false;
}

void lb_xml_print(FILE *stream, const char *text) {
  for (; *text; text++) switch (*text) {
    case '&': fputs("&amp;", stream); break;
    case '<': fputs("&lt;", stream); break;
    case '>': fputs("&gt;", stream); break;
    case '"': fputs("&quot;", stream); break;
    default: fputc(*text, stream);
    }
}
