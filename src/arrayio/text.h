// A cursor over a text file in memory that counts lines; numbers read the same under any locale.
#ifndef LB_ARRAYIO_TEXT_H
#define LB_ARRAYIO_TEXT_H

#include "limber/base.h"

typedef struct lbText {
  const char *path; // for messages
  const char *next, *end;
  int32_t line; // of `next`, from 1
} lbText;

lbText lb_text(const char *path, const char *content, size_t bytes);

// "path:line: " + message.
lbStatus lb_text_fail(const lbText *text, lbError *err, const char *format, ...) LB_PRINTF(3, 4);

void lb_text_skip_blanks(lbText *text); // spaces, tabs, carriage returns; not line ends
void lb_text_skip_space(lbText *text);  // line ends too
void lb_text_skip_line(lbText *text);   // to the start of the next line
bool lb_text_at_end(const lbText *text);
bool lb_text_at_line_end(lbText *text); // after skipping blanks; also at the end of the text

// The next run of characters without white space, copied, cut to fit.
// Returns its full length, 0 at the end. _word crosses line ends; _word_in_line does not.
size_t lb_text_word(lbText *text, char *word, size_t size);
size_t lb_text_word_in_line(lbText *text, char *word, size_t size);
// The rest of the line without surrounding blanks, copied, cut to fit; moves to the next line.
size_t lb_text_line(lbText *text, char *line, size_t size);

// Numbers. They skip blanks and, in the _number forms, line ends before the number; false if there
// is none or, for integers, if it does not fit. "nan" and "inf" are numbers here: the mesh builder
// refuses them with the vertex's number.
bool lb_text_integer(lbText *text, int64_t *value);
bool lb_text_number(lbText *text, double *value);
bool lb_text_integer_in_line(lbText *text, int64_t *value);
bool lb_text_number_in_line(lbText *text, double *value);

// Parses one number from [next, end); returns how many characters it took, 0 if none.
size_t lb_parse_number(const char *next, const char *end, double *value);
size_t lb_parse_integer(const char *next, const char *end, int64_t *value);

#endif
