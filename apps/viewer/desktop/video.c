// ffmpeg is started without a shell, in a process group of its own, so that Ctrl-C reaches only us
// and we decide what becomes of the file; it ends when we do (limber/process.h). Its standard input
// is a socket: writing to one that was closed gives an error and no signal. What it says goes to a
// nameless file, of which a message quotes the end.
#include "desktop/video.h"

#include "desktop/video_check.h"
#include "limber/file.h"
#include "limber/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENT_LIMIT = 64, WAIT_MS = 50 };

struct vwVideo {
  lbFileWriter writer; // the file aside, which ffmpeg opens by its name
  FILE *complaints;    // ffmpeg's standard error
  int process;         // 0: it has ended
  int exit_status;     // as waitpid gives it
  int socket;          // -1: closed
  const char *muxer;
  size_t frame_bytes;
  int64_t frames;
  double progress;
};

typedef struct Format {
  const char *extension, *muxer;
  const char *filter;
  const char *options[14];
} Format;

// Colours are marked as what they are, BT.709; sides of 4:2:0 pictures are even.
#define EVEN                                                                                       \
  "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"
#define BT709 "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"

static const Format formats[] = {
  { ".mp4", "mp4", EVEN, { "-c:v", "libx264", "-crf", "18", "-movflags", "+faststart", BT709 } },
  { ".webm",
    "webm",
    EVEN,
    { "-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1", BT709 } },
  { ".gif",
    "gif",
    "split[a][b];[a]palettegen=stats_mode=diff[p];"
    "[b][p]paletteuse=dither=bayer:bayer_scale=4:diff_mode=rectangle",
    { "-loop", "0" } },
  { ".webp", "webp", "format=yuv420p", { "-c:v", "libwebp_anim", "-quality", "85", "-loop", "0" } },
};

static const Format *format_of(const char *path) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (lb_path_has_extension(path, formats[i].extension)) return &formats[i];
  return NULL;
}

bool vw_video_is_name(const char *path) { return format_of(path) != NULL; }

// ---- the program -------------------------------------------------------------------------------

typedef struct Arguments {
  const char *words[ARGUMENT_LIMIT];
  char size[32], rate[32];
  char *file; // "file:" keeps a name from being taken for an option or an address
} Arguments;

static bool fill_arguments(Arguments *out, const Format *format, const char *file, int32_t width,
                           int32_t height, double rate) {
  size_t file_bytes = strlen(file) + 6;
  out->file = lb_alloc(file_bytes, 1);
  if (!out->file) return false;
  snprintf(out->file, file_bytes, "file:%s", file);
  snprintf(out->size, sizeof out->size, "%dx%d", (int)width, (int)height);
  snprintf(out->rate, sizeof out->rate, "%lld/1000", (long long)(1000 * rate + 0.5));
  const char *const before[] = {
    "ffmpeg",      "-hide_banner", "-loglevel", "error",         "-nostdin", "-y",
    "-f",          "rawvideo",     "-pix_fmt",  "rgb0",          "-s",       out->size,
    "-r",          out->rate,      "-i",        "pipe:0",        "-an",      "-fflags",
    "+bitexact",   "-flags:v",     "+bitexact", "-map_metadata", "-1",       "-vf",
    format->filter
  };
  int count = 0;
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) out->words[count++] = before[i];
  for (int i = 0; i < 14 && format->options[i]; i++) out->words[count++] = format->options[i];
  out->words[count++] = "-f";
  out->words[count++] = format->muxer;
  out->words[count++] = out->file;
  out->words[count] = NULL;
  return true;
}

static lbStatus start_video_program(vwVideo *video, const char *path, const char **words,
                                    lbError *err) {
  char program[LB_PROGRAM_PATH];
  int ends[2];
  if (!lb_program_find(words[0], false, program))
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: videos are made by the program ffmpeg, which is not installed (Debian: "
                   "ffmpeg)",
                   path);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return lb_fail(err, LB_ERR_FILE, "%s: cannot make a socket for ffmpeg: %s", path,
                   strerror(errno));
  words[0] = program;
  video->socket = ends[0];
  lbProcessDef def = lb_process_def();
  def.words = words;
  def.input = ends[1];
  def.errors = fileno(video->complaints);
  lbStatus status = lb_process_start(&def, &video->process, err);
  close(ends[1]);
  return status;
}

// Waits for it, or with `block` false only looks; whether it has ended.
static bool reap(vwVideo *video, bool block) {
  while (video->process) {
    pid_t got = waitpid(video->process, &video->exit_status, block ? 0 : WNOHANG);
    if (got == 0) return false;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) video->exit_status = 1 << 8; // somebody else has waited for it
    video->process = 0;
  }
  return true;
}

// The last lines of its output, as one line.
static void quote_complaints(vwVideo *video, char *text, size_t size) {
  text[0] = '\0';
  if (fseek(video->complaints, 0, SEEK_END)) return;
  long end = ftell(video->complaints), begin = end > 300 ? end - 300 : 0;
  if (end < 0 || fseek(video->complaints, begin, SEEK_SET)) return;
  size_t count = fread(text, 1, size - 1, video->complaints);
  text[count] = '\0';
  while (count && text[count - 1] == '\n') text[--count] = '\0';
  for (char *at = text; *at; at++)
    if ((unsigned char)*at < ' ') *at = ' ';
}

static bool has_complained(vwVideo *video) {
  return fseek(video->complaints, 0, SEEK_END) == 0 && ftell(video->complaints) > 0;
}

static lbStatus fail_ended(vwVideo *video, lbError *err) {
  char text[320];
  reap(video, true);
  quote_complaints(video, text, sizeof text);
  if (WIFSIGNALED(video->exit_status))
    return lb_fail(err, LB_ERR_FILE, "%s: ffmpeg was ended by signal %d", video->writer.path,
                   WTERMSIG(video->exit_status));
  return lb_fail(err, LB_ERR_FILE, "%s: ffmpeg failed: %s", video->writer.path,
                 text[0] ? text : "it does not say why");
}

// ---- videos ------------------------------------------------------------------------------------

static lbStatus check_start(const char *path, int32_t width, int32_t height, double rate,
                            lbError *err) {
  if (!format_of(path))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: a video's name ends with .mp4, .webm, .gif or .webp",
                   path);
  if (width < 2 || height < 2 || width > 16384 || height > 16384)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: a video of %d x %d pixels cannot be made", path,
                   (int)width, (int)height);
  if (!(rate >= 0.1 && rate <= 240))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: %g frames a second; a video has 0.1 to 240", path,
                   rate);
  return LB_OK;
}

lbStatus vw_video_start(const char *path, int32_t width, int32_t height, double rate, vwVideo **out,
                        lbError *err) {
  lbStatus status = check_start(path, width, height, rate, err);
  if (status) return status;
  vwVideo *video = lb_alloc(1, sizeof *video);
  if (!video) return lb_fail_memory(err);
  video->socket = -1;
  video->muxer = format_of(path)->muxer;
  video->frame_bytes = (size_t)width * (size_t)height * 4;
  status = lb_file_begin(&video->writer, path, err);
  if (status) goto done;
  video->complaints = tmpfile();
  if (!video->complaints) {
    status =
        lb_fail(err, LB_ERR_FILE, "%s: cannot make a temporary file: %s", path, strerror(errno));
    goto done;
  }
  Arguments arguments;
  if (!fill_arguments(&arguments, format_of(path), video->writer.aside, width, height, rate)) {
    status = lb_fail_memory(err);
    goto done;
  }
  status = start_video_program(video, path, arguments.words, err);
  lb_free(arguments.file);
  if (status) goto done;
  *out = video;
  video = NULL;
done:
  vw_video_abandon(video);
  return status;
}

void vw_video_set_progress(vwVideo *video, double fraction) { video->progress = fraction; }

lbStatus vw_video_add(vwVideo *video, const uint8_t *rgba, lbError *err) {
  for (size_t sent = 0; sent < video->frame_bytes;) {
    ssize_t count =
        send(video->socket, rgba + sent, video->frame_bytes - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      sent += (size_t)count;
    } else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      struct pollfd ready = { .fd = video->socket, .events = POLLOUT };
      if (poll(&ready, 1, WAIT_MS) == 0 && !lb_progress("render", video->progress))
        return lb_fail_interrupted(err, "render");
    } else if (count < 0 && errno != EINTR) {
      return fail_ended(video, err);
    }
  }
  video->frames++;
  return LB_OK;
}

static void release_video(vwVideo *video) {
  if (video->socket >= 0) close(video->socket);
  if (video->complaints) fclose(video->complaints);
  lb_free(video);
}

lbStatus vw_video_finish(vwVideo *video, lbError *err) {
  lbStatus status = LB_OK;
  close(video->socket);
  video->socket = -1;
  while (!status && !reap(video, false)) {
    if (!lb_progress("encode", 0.5)) status = lb_fail_interrupted(err, "encode");
    poll(NULL, 0, WAIT_MS);
  }
  // It may end with 0 on a full disk: whatever it complains of is a failure, and a file that is not
  // whole is one, too.
  if (!status && (video->exit_status != 0 || has_complained(video)))
    status = fail_ended(video, err);
  if (!status && video->frames == 0)
    status = lb_fail(err, LB_ERR_ARGUMENT, "%s: a video without frames", video->writer.path);
  if (status) {
    vw_video_abandon(video);
    return status;
  }
  lbError why;
  if (!video->writer.straight && vw_video_check(video->writer.aside, video->muxer, &why)) {
    status = lb_fail(err, LB_ERR_FILE, "%s: %s", video->writer.path, why.text);
    vw_video_abandon(video);
    return status;
  }
  status = lb_file_commit(&video->writer, err);
  release_video(video);
  return status;
}

void vw_video_abandon(vwVideo *video) {
  if (!video) return;
  if (video->process) kill(video->process, SIGKILL);
  reap(video, true);
  lb_file_abort(&video->writer);
  release_video(video);
}
