// What the window saves on wish: the picture's pixels and the stage's motion go to capture.h.
#ifndef LIMBER_VIEWER_WINDOW_SAVE_H
#define LIMBER_VIEWER_WINDOW_SAVE_H

#include "desktop/capture.h"
#include "desktop/shot.h"

typedef struct vwSaver {
  vwCapture *capture;
  vwShot shot;
  int32_t saved; // files
} vwSaver;

// A picture, or the start or end of a recording. `text` becomes what the user should read, "" for
// nothing.
lbStatus vw_saver_grant(vwSaver *saver, vwViewer *viewer, vwWish wish, char *text, size_t size,
                        lbError *err);
// Adds a frame to active recordings, where one is due; `now` in s of the clock. One that cannot
// go on is saved, and `text` says so.
lbStatus vw_saver_record(vwSaver *saver, vwViewer *viewer, double now, char *text, size_t size,
                         lbError *err);
// Writes the active animation; the scene that it recorded must still be open.
lbStatus vw_saver_end_animation(vwSaver *saver, vwViewer *viewer, lbError *err);
// Ends and writes all.
lbStatus vw_saver_end(vwSaver *saver, vwViewer *viewer, lbError *err);
void vw_saver_destroy(vwSaver *saver);

#endif
