// Videos in files: frames go through a socket to the program ffmpeg, which must be installed. The
// file is written aside and renamed in the end: it is whole or not there.
#ifndef LIMBER_VIEWER_VIDEO_H
#define LIMBER_VIEWER_VIDEO_H

#include "limber/base.h"

typedef struct vwVideo vwVideo;

// Whether the name ends as a video does: .mp4 (H.264), .webm (VP9), .gif or .webp (animated).
bool vw_video_is_name(const char *path);

// Pictures of 2 x 2 pixels or more, `rate` a second (up to 240; a GIF's frames last whole
// hundredths of a second). Odd sides lose their last row or column in .mp4 and .webm.
lbStatus vw_video_start(const char *path, int32_t width, int32_t height, double rate, vwVideo **out,
                        lbError *err);
// width x height x 4 bytes, top row first. Waits for ffmpeg and meanwhile reports progress, which
// may ask to stop. After a failure only abandon is of use.
lbStatus vw_video_add(vwVideo *video, const uint8_t *rgba, lbError *err);
// What vw_video_add reports while it waits: "render", 0 to 1.
void vw_video_set_progress(vwVideo *video, double fraction);
// Ends and destroys the video; the file is complete on success.
lbStatus vw_video_finish(vwVideo *video, lbError *err);
void vw_video_abandon(vwVideo *video); // leaves nothing; NULL is legal

#endif
