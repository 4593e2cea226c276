// What goes over between C and the page: one text at a time, which the next call overwrites, JSON
// mostly; the last error; memory for bytes.
#ifndef VIEWER_PAGE_TEXT_H
#define VIEWER_PAGE_TEXT_H

#include "limber/math.h"

#include <emscripten.h>

#define EXPORT EMSCRIPTEN_KEEPALIVE

extern lbError page_error; // of the last call that failed

const char *page_text(void);
const char *page_begin(const char *start); // forgets the text before; returns the text
void page_write(const char *format, ...) LB_PRINTF(1, 2);
void page_write_string(const char *string); // quoted
// JSON has neither infinities nor NaN: all numbers go through here.
void page_write_value(double value, int digits);
void page_write_number(const char *name, double value); // "name":value
void page_write_vector(const char *name, lbVec3 v);     // "name":[x,y,z]

#endif
