// Reading back what ffmpeg has written.
#ifndef LIMBER_VIEWER_VIDEO_CHECK_H
#define LIMBER_VIEWER_VIDEO_CHECK_H

#include "limber/base.h"

// Fails unless the file is complete by what its container says; muxer: mp4, webm, gif or webp.
lbStatus vw_video_check(const char *path, const char *muxer, lbError *err);

#endif
