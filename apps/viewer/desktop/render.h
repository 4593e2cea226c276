// Pictures and videos of a bundle without a window, for documents and tests. No clock takes part:
// a frame is a fixed time after the one before, so that the same bundle gives the same frames.
#ifndef LIMBER_VIEWER_RENDER_H
#define LIMBER_VIEWER_RENDER_H

#include "view/viewer.h"

typedef struct vwRenderDef {
  const char *output;    // its extension tells the kind: .png, or a video's (video.h); no default
  int32_t width, height; // pixels; default 1280 x 720
  int32_t samples;       // anti-aliasing, 1 to 8; default 4

  // Simulated seconds. A picture shows `to`; a video the time from `from` until `to`.
  double from; // >= 0; default 0
  double to;   // default NAN: a picture 0; a video the world's own end, or 4 where it has none
  double fps;  // frames a second of a video; default 30

  // Numbers that are NAN (the default) are the scene's, or chosen so that all of it is seen.
  lbVec3 camera;             // m, where the eye is
  lbVec3 at;                 // m, target of the view
  double fov;                // degrees, vertical, 1 to 170; without `camera` things keep their size
  double azimuth, elevation; // degrees; instead of those of the camera
  double zoom;               // > 0; 2: twice as near

  const char *settings; // "name=value,..." or "...&..." of controls and share links; default NULL
  bool full;            // as vwStageDef has it
  lbStatus (*loosen)(const lbModel *held, lbModel **loose, lbError *err); // likewise
} vwRenderDef;

vwRenderDef vw_render_def(void);

typedef struct vwRenderReport {
  int64_t frames, steps;
  double seconds; // simulated, at the last frame
  int32_t flags;  // lbStepFlags of all steps
  char device[128];
} vwRenderReport;

typedef struct vwRender vwRender;

// Checks the def, makes the context, checks that the output can be written and that ffmpeg is
// installed: what can go wrong goes wrong before long work.
lbStatus vw_render_begin(const vwRenderDef *def, vwRender **out, lbError *err);
// Draws the bundle, which it takes in any case, and writes the output. Once.
lbStatus vw_render_run(vwRender *render, lbBundle *bundle, vwRenderReport *report, lbError *err);
void vw_render_destroy(vwRender *render); // NULL is legal; leaves nothing half-written

#endif
