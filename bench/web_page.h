// A page of ours in a browser: served on this machine, opened in Chromium without a window, heard.
#ifndef LIMBER_BENCH_WEB_PAGE_H
#define LIMBER_BENCH_WEB_PAGE_H

#include "apps/viewer/serve/serve.h"

typedef struct benchPage {
  const char *folder;        // holds index.html
  const vwServerFile *files; // (file_count) beside what is in the folder
  int32_t file_count;
  const char *query;  // after the address: "?rounds=3"
  double seconds_max; // until the last report
  // Called for what the page sends to report/WHAT, on another thread, while the caller waits and
  // the page does too; true: go on, false: that was all.
  bool (*report)(const char *what, const char *text, void *context);
  void *context;
} benchPage;

// Returns after the last report, with the browser gone and nothing left of its profile.
// LB_ERR_UNSUPPORTED: this machine or this build cannot.
lbStatus bench_page_visit(const benchPage *page, lbError *err);

// The folder of this name beside that of this program, or in the current one, with this file in it.
// False: nowhere.
bool bench_page_find(const char *name, const char *file, char *folder, size_t capacity,
                     double *file_bytes);

#endif
