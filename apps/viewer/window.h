// The viewer in a window of the desktop (GLFW).
#ifndef LIMBER_VIEWER_WINDOW_H
#define LIMBER_VIEWER_WINDOW_H

#include "open.h"
#include "viewer.h"

typedef struct vwWindowDef {
  const vwGallery *gallery; // what can be opened; the first item is shown at the start
  int32_t width, height;    // of the window; default 1280 x 800
  const char *link;         // settings to begin with, as vw_viewer_link writes them; NULL: none
  bool panel;               // shown at the start; default true
  double seconds;           // closes by itself after so many; default 0: never
  vwViewerDef viewer;
} vwWindowDef;

vwWindowDef vw_window_def(void);

typedef struct vwWindowReport { // what happened while it was open
  int64_t frames, steps;
  double seconds;
  int32_t opened, refused; // files
  int32_t grabs;
  double largest_pull;  // m that a held point was moved by
  double largest_force; // N of a hand
  char device[128];
} vwWindowReport;

// Returns when the window is closed. LB_ERR_UNSUPPORTED where there is no display or no OpenGL 3.3,
// with what to do instead. An item that cannot be opened is told in the window; if it is the first
// and only one, it is the error.
lbStatus vw_window_run(const vwWindowDef *def, vwWindowReport *report, lbError *err);

#endif
