// What the window saves: pictures, videos, animations and sketches, in files with the next free
// number in the folder where the program runs.
#ifndef LIMBER_VIEWER_CAPTURE_H
#define LIMBER_VIEWER_CAPTURE_H

#include "view/viewer.h"

typedef struct vwCapture vwCapture;

lbStatus vw_capture_create(vwCapture **out, lbError *err);
// Drops recordings that were not ended.
void vw_capture_destroy(vwCapture *capture);

// Each fills `saved` (size bytes) with the file's name once it is written, "" otherwise.
lbStatus vw_capture_picture(vwCapture *capture, int32_t width, int32_t height, const uint8_t *rgba,
                            char *saved, size_t size, lbError *err);
lbStatus vw_capture_sketch(vwCapture *capture, vwStage *stage, char *saved, size_t size,
                           lbError *err);
lbStatus vw_capture_pose(const vwStage *stage, char *saved, size_t size, lbError *err);
// Starts it, or ends it and writes the file.
lbStatus vw_capture_toggle_video(vwCapture *capture, int32_t width, int32_t height, char *saved,
                                 size_t size, lbError *err);
lbStatus vw_capture_toggle_animation(vwCapture *capture, vwStage *stage, char *saved, size_t size,
                                     lbError *err);
bool vw_capture_has_video(const vwCapture *capture);
bool vw_capture_has_animation(const vwCapture *capture);

// Whether the active recordings can take a frame of this size, of this stage. One that cannot
// is to be ended.
bool vw_capture_video_fits(const vwCapture *capture, int32_t width, int32_t height);
bool vw_capture_animation_fits(const vwCapture *capture, const vwStage *stage);

// Whether a frame is due at this time (s of the clock); then it is to be given, with pixels where
// the video wants them.
bool vw_capture_frame_due(const vwCapture *capture, double now);
bool vw_capture_video_due(const vwCapture *capture, double now);
lbStatus vw_capture_frame(vwCapture *capture, double now, vwStage *stage, int32_t width,
                          int32_t height, const uint8_t *rgba, lbError *err);

#endif
