// Status names, error text and assertions.
#include "limber/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

lbStatus lb_fail(lbError *err, lbStatus status, const char *format, ...) {
  if (err) {
    char text[sizeof err->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments); // *err itself may be among the arguments
    va_end(arguments);
    err->status = status;
    lb_printable(err->text, sizeof err->text, text);
  }
  return status;
}

lbStatus lb_fail_memory(lbError *err) {
  return lb_fail(err, LB_ERR_MEMORY, "out of memory, use a smaller mesh or free some memory");
}

const char *lb_status_name(lbStatus status) {
  switch (status) {
  case LB_OK: return "ok";
  case LB_ERR_ARGUMENT: return "wrong argument";
  case LB_ERR_MEMORY: return "out of memory";
  case LB_ERR_FILE: return "file error";
  case LB_ERR_FORMAT: return "malformed file";
  case LB_ERR_MESH: return "unfit mesh";
  case LB_ERR_NUMERIC: return "numerical failure";
  case LB_ERR_UNSUPPORTED: return "not supported";
  case LB_ERR_INTERRUPTED: return "interrupted";
  }
  return "unknown status";
}

#ifndef NDEBUG
void lb_assert_failed(const char *condition, const char *file, int line) {
  fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  abort();
}
#endif
