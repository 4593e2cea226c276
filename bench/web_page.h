// A page of ours in a browser: served on this machine, opened in Chromium without a window, heard.
#ifndef LIMBER_BENCH_WEB_PAGE_H
#define LIMBER_BENCH_WEB_PAGE_H

#include "limber/base.h"

typedef struct benchPage {
  const char *folder;     // holds index.html
  const char *model_path; // the page finds it as model.glb
  const char *query;      // after the address: "?rounds=3"
  double seconds_max;     // until the last report
  // Called for what the page sends to report/WHAT, on another thread, while the caller waits and
  // the page does too; true: go on, false: that was all.
  bool (*report)(const char *what, const char *text, void *context);
  void *context;
} benchPage;

// Returns after the last report, with the browser gone and nothing left of its profile.
// LB_ERR_UNSUPPORTED: this machine or this build cannot.
lbStatus bench_page_visit(const benchPage *page, lbError *err);

#endif
