// Lines across included files.
#include "meshio/veg_lines.h"

#include "limber/file.h"

#include <string.h>
#include <strings.h>

#define OPENED_LIMIT 1000 // files in all, so that nested includes cannot multiply without end

void lb_veg_lines_begin(lbVegLines *lines, const char *path, const char *content, size_t bytes) {
  *lines = (lbVegLines){ .depth = 1, .line = lb_scan(path, content, 0) };
  lines->files[0].text = lb_text(path, content, bytes);
}

static void close_file(lbVegLines *lines) {
  lbVegFile *file = &lines->files[--lines->depth];
  lb_free(file->path);
  lb_free(file->content);
  *file = (lbVegFile){ .path = NULL };
}

void lb_veg_lines_end(lbVegLines *lines) {
  while (lines->depth > 0) close_file(lines);
}

static lbStatus open_include(lbVegLines *lines, const char *name, lbError *err) {
  size_t bytes = 0;
  char *path = NULL, *content = NULL;
  lbError why;
  lbStatus status = lb_file_named(lines->line.text.path, name, LB_REACH_FOLDER, &path, &why);
  if (status == LB_ERR_FILE) {
    lb_scan_fail(&lines->line, err, "cannot open the included file: %.350s", why.text);
    if (err) err->status = LB_ERR_FILE;
  } else if (status) {
    lb_fail(err, status, "%s", why.text);
  }
  for (int i = 0; i < lines->depth && !status; i++)
    if (strcmp(lines->files[i].text.path, path) == 0)
      status = lb_scan_fail(&lines->line, err, "%.100s includes itself", name);
  if (!status && (lines->depth == LB_VEG_DEPTH || ++lines->opened > OPENED_LIMIT))
    status = lb_scan_fail(&lines->line, err, "too many included files (%d deep, %d in all)",
                          LB_VEG_DEPTH, OPENED_LIMIT);
  if (!status) status = lb_file_read(path, &content, &bytes, err);
  if (status) {
    lb_free(path);
    return status;
  }
  lines->files[lines->depth++] = (lbVegFile){ lb_text(path, content, bytes), path, content };
  return LB_OK;
}

static bool starts_with_keyword(const lbText *text, const char *word) {
  size_t length = strlen(word);
  return (size_t)(text->end - text->next) >= length && strncasecmp(text->next, word, length) == 0;
}

// Cuts the next line that says something out of the last file; false at its end.
static bool cut_line(lbVegLines *lines) {
  lbText *text = &lines->files[lines->depth - 1].text;
  for (;;) {
    lb_text_skip_space(text);
    if (lb_text_at_end(text)) return false;
    lines->line = (lbScan){ .text = *text, .begin = text->next };
    lb_text_skip_line(text);
    lines->line.text.end = text->next;
    if (*lines->line.text.next != '#') return true;
  }
}

lbStatus lb_veg_next_line(lbVegLines *lines, bool *more, lbError *err) {
  char name[1024];
  *more = true;
  if (lines->held) {
    lines->held = false;
    lines->line.text.next = lines->line.begin;
    return LB_OK;
  }
  for (;;) {
    if (!cut_line(lines)) {
      if (lines->depth == 1) break;
      close_file(lines);
      lines->line = (lbScan){ .text = lines->files[lines->depth - 1].text };
      continue;
    }
    if (!starts_with_keyword(&lines->line.text, "*INCLUDE")) return LB_OK;
    lines->line.text.next += strlen("*INCLUDE");
    size_t length = lb_text_line(&lines->line.text, name, sizeof name);
    lines->line.text.line = lines->files[lines->depth - 1].text.line - 1;
    if (length == 0 || length >= sizeof name || strlen(name) != length)
      return lb_scan_fail(&lines->line, err, "*INCLUDE must name a file");
    lbStatus status = open_include(lines, name, err);
    if (status) return status;
  }
  lines->line = (lbScan){ .text = lines->files[0].text };
  *more = false;
  return LB_OK;
}

void lb_veg_hold_line(lbVegLines *lines) { lines->held = true; }

static void skip_veg_separators(lbText *text) {
  for (lb_text_skip_blanks(text); !lb_text_at_end(text) && *text->next == ',';
       lb_text_skip_blanks(text))
    text->next++;
}

bool lb_veg_number(lbVegLines *lines, double *value) {
  skip_veg_separators(&lines->line.text);
  return lb_text_number_in_line(&lines->line.text, value);
}

bool lb_veg_integer(lbVegLines *lines, int64_t *value) {
  skip_veg_separators(&lines->line.text);
  return lb_text_integer_in_line(&lines->line.text, value);
}

bool lb_veg_name(lbVegLines *lines, char *name, size_t size) {
  lbText *text = &lines->line.text;
  skip_veg_separators(text);
  const char *begin = text->next;
  while (text->next < text->end && *text->next != ',' && *text->next != '\n') text->next++;
  const char *last = text->next;
  while (last > begin && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r')) last--;
  size_t length = (size_t)(last - begin);
  if (length == 0 || length >= size) return false;
  memcpy(name, begin, length);
  name[length] = '\0';
  return strlen(name) == length;
}

bool lb_veg_at_line_end(lbVegLines *lines) {
  skip_veg_separators(&lines->line.text);
  return lb_text_at_line_end(&lines->line.text);
}
