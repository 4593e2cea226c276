// The viewer in a window of the desktop (GLFW).
#ifndef LIMBER_VIEWER_WINDOW_H
#define LIMBER_VIEWER_WINDOW_H

#include "desktop/open.h"
#include "view/viewer.h"

typedef struct vwWindowReport { // what happens, and happened, while it is open
  int64_t frames, steps;
  double seconds;          // since it was opened
  int32_t width, height;   // pixels
  int32_t opened, refused; // files
  int32_t saved;           // pictures, videos, animations, sketches
  int32_t grabs;           // in all
  int32_t holding, pins;   // now: grabs and balls; pins
  double largest_pull;     // m that a grabbed point was moved by
  double largest_force;    // N of a hand
  bool working;            // a file is being opened
  bool panel, help;        // shown
  char title[128];         // of the open scene; "": none
  char note[600];          // the last message, also when it is no longer shown
  char link[2048];         // settings and camera, as vw_viewer_link writes them
  char device[128];
} vwWindowReport;

typedef struct vwWindowDef {
  const vwGallery *gallery; // what can be opened; the first item is shown at the start
  int32_t width, height;    // of the window; default 1280 x 800
  const char *settings;     // to begin with, as vw_assign takes them; NULL: none
  bool panel;               // shown at the start; default true
  double seconds;           // closes by itself after so many; default 0: never
  // Asked now and then, also during long work: true ends it. NULL: never.
  bool (*stopped)(void *context);
  // Called after every frame; may be NULL.
  void (*tell)(const vwWindowReport *report, void *context);
  void *context; // of both
  vwViewerDef viewer;
} vwWindowDef;

vwWindowDef vw_window_def(void);

// Returns when the window is closed. LB_ERR_UNSUPPORTED where there is no display or no OpenGL 3.3,
// with what to do instead. An item that cannot be opened is reported in the window; if it is the
// first and only one, it is the error. Active recordings are ended and written.
lbStatus vw_window_run(const vwWindowDef *def, vwWindowReport *report, lbError *err);

#endif
