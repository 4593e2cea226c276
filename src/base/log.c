// The log and progress hooks.
#include "limber/base.h"

#include <stdarg.h>
#include <stdio.h>

static struct {
  void (*hook)(lbLogLevel level, const char *text, void *context);
  void *context;
} listener;

static struct {
  bool (*hook)(const char *stage, double fraction, void *context);
  void *context;
} watcher;

void lb_set_log(void (*hook)(lbLogLevel level, const char *text, void *context), void *context) {
  listener.hook = hook;
  listener.context = context;
}

void lb_log(lbLogLevel level, const char *format, ...) {
  if (!listener.hook) return;
  char text[512], shown[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  listener.hook(level, lb_printable(shown, sizeof shown, text), listener.context);
}

void lb_set_progress(bool (*hook)(const char *stage, double fraction, void *context),
                     void *context) {
  watcher.hook = hook;
  watcher.context = context;
}

bool lb_progress(const char *stage, double fraction) {
  return !watcher.hook || watcher.hook(stage, fraction, watcher.context);
}

lbStatus lb_fail_interrupted(lbError *err, const char *stage) {
  return lb_fail(err, LB_ERR_INTERRUPTED, "%s: interrupted, nothing was written", stage);
}
