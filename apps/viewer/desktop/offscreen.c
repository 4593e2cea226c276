// EGL displays are tried from the one that needs least: Mesa's surfaceless platform, then every
// graphics device that EGL lists, then whatever it takes for the default. The first that gives an
// OpenGL 3.3 core context without a surface is used. EGL's extensions are looked up by hand:
// libepoxy stops the program when one is missing. Displays are never terminated: EGL has one of a
// kind, and other contexts, a window's too, may live in it.
#include "desktop/offscreen.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <stdio.h>
#include <string.h>

enum { DEVICE_LIMIT = 16 };

struct vwOffscreen {
  EGLDisplay display;
  EGLContext context;
  GLuint framebuffer, color, depth;
  int32_t width, height;
  char device[128];
};

// ---- the context -------------------------------------------------------------------------------

static bool has_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; at && (at = strstr(at, word)); at += length)
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) return true;
  return false;
}

static EGLContext context_of(EGLDisplay display) {
  static const EGLint config_wish[] = { EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                        EGL_NONE };
  static const EGLint context_wish[] = { EGL_CONTEXT_MAJOR_VERSION,
                                         3,
                                         EGL_CONTEXT_MINOR_VERSION,
                                         3,
                                         EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                         EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                         EGL_NONE };
  EGLConfig config = NULL;
  EGLint count = 0;
  if (!eglBindAPI(EGL_OPENGL_API)) return EGL_NO_CONTEXT;
  if (!eglChooseConfig(display, config_wish, &config, 1, &count) || count < 1) {
    if (!has_word(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_no_config_context"))
      return EGL_NO_CONTEXT;
    config = NULL; // EGL_NO_CONFIG_KHR
  }
  return eglCreateContext(display, config, EGL_NO_CONTEXT, context_wish);
}

// Opens a display; `why` is the step that failed.
static bool try_display(vwOffscreen *offscreen, EGLDisplay display, const char **why) {
  EGLint major, minor;
  *why = "EGL has no such display";
  if (display == EGL_NO_DISPLAY) return false;
  *why = "its driver does not start";
  if (!eglInitialize(display, &major, &minor)) return false;
  *why = "its driver has no OpenGL 3.3 core context";
  EGLContext context = context_of(display);
  if (context != EGL_NO_CONTEXT) {
    *why = "its driver cannot draw without a surface";
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
      offscreen->display = display;
      offscreen->context = context;
      return true;
    }
    eglDestroyContext(display, context);
  }
  return false;
}

// The graphics cards, or the rasterisers on the CPU, that EGL lists.
static bool try_devices(vwOffscreen *offscreen, PFNEGLGETPLATFORMDISPLAYEXTPROC get_display,
                        bool software, const char **why) {
  PFNEGLQUERYDEVICESEXTPROC query_devices =
      (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
  EGLDeviceEXT devices[DEVICE_LIMIT];
  EGLint count = 0;
  PFNEGLQUERYDEVICESTRINGEXTPROC query_string =
      (PFNEGLQUERYDEVICESTRINGEXTPROC)eglGetProcAddress("eglQueryDeviceStringEXT");
  if (!query_devices || !query_devices(DEVICE_LIMIT, devices, &count)) return false;
  for (EGLint i = 0; i < count; i++) {
    const char *abilities = query_string ? query_string(devices[i], EGL_EXTENSIONS) : NULL;
    if (has_word(abilities, "EGL_MESA_device_software") != software) continue;
    if (try_display(offscreen, get_display(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL), why))
      return true;
  }
  return false;
}

static lbStatus open_context(vwOffscreen *offscreen, lbError *err) {
  const char *why = "EGL has no platform without a display";
  if (!epoxy_has_egl()) {
    why = "libEGL.so.1 is not installed";
    goto none;
  }
  const char *extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
      has_word(extensions, "EGL_EXT_platform_base")
          ? (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT")
          : NULL;
  bool lists_devices = get_display && (has_word(extensions, "EGL_EXT_device_enumeration") ||
                                       has_word(extensions, "EGL_EXT_device_base"));
  if (lists_devices && try_devices(offscreen, get_display, false, &why)) return LB_OK;
  if (get_display && has_word(extensions, "EGL_MESA_platform_surfaceless")) {
    EGLDisplay display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (try_display(offscreen, display, &why)) return LB_OK;
  }
  if (lists_devices && try_devices(offscreen, get_display, true, &why)) return LB_OK;
  if (try_display(offscreen, eglGetDisplay(EGL_DEFAULT_DISPLAY), &why)) return LB_OK;
none:
  return lb_fail(err, LB_ERR_UNSUPPORTED,
                 "cannot draw without a display: %s; install a driver for OpenGL 3.3 through EGL "
                 "(Debian: libegl1, libgl1-mesa-dri)",
                 why);
}

// ---- the framebuffer ---------------------------------------------------------------------------

static lbStatus check_offscreen_size(int32_t width, int32_t height, lbError *err) {
  if (width >= 1 && height >= 1 && width <= VW_OFFSCREEN_LARGEST && height <= VW_OFFSCREEN_LARGEST)
    return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "a picture of %d x %d pixels cannot be drawn: sides are 1 to %d", (int)width,
                 (int)height, VW_OFFSCREEN_LARGEST);
}

static bool set_storage(vwOffscreen *offscreen, int32_t width, int32_t height) {
  while (glGetError() != GL_NO_ERROR) {}
  glBindTexture(GL_TEXTURE_2D, offscreen->color);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glBindTexture(GL_TEXTURE_2D, 0);
  glBindRenderbuffer(GL_RENDERBUFFER, offscreen->depth);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, width, height);
  glBindRenderbuffer(GL_RENDERBUFFER, 0);
  glBindFramebuffer(GL_FRAMEBUFFER, offscreen->framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, offscreen->color, 0);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
                            offscreen->depth);
  bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  return glGetError() == GL_NO_ERROR && complete;
}

lbStatus vw_offscreen_resize(vwOffscreen *offscreen, int32_t width, int32_t height, lbError *err) {
  GLint texture_limit = 0, buffer_limit = 0;
  lbStatus status = check_offscreen_size(width, height, err);
  if (status != LB_OK) return status;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &texture_limit);
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &buffer_limit);
  GLint limit = texture_limit < buffer_limit ? texture_limit : buffer_limit;
  if (width > limit || height > limit)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "a picture of %d x %d pixels cannot be drawn: %s takes sides up to %d",
                   (int)width, (int)height, offscreen->device, (int)limit);
  if (!set_storage(offscreen, width, height)) {
    if (offscreen->width) set_storage(offscreen, offscreen->width, offscreen->height);
    return lb_fail(err, LB_ERR_MEMORY,
                   "no graphics memory for a picture of %d x %d pixels; try a smaller one",
                   (int)width, (int)height);
  }
  offscreen->width = width;
  offscreen->height = height;
  return LB_OK;
}

// ---- all of it ---------------------------------------------------------------------------------

lbStatus vw_offscreen_create(int32_t width, int32_t height, vwOffscreen **out, lbError *err) {
  lbStatus status = check_offscreen_size(width, height, err);
  if (status != LB_OK) return status;
  vwOffscreen *offscreen = lb_alloc(1, sizeof *offscreen);
  if (!offscreen) return lb_fail_memory(err);
  offscreen->display = EGL_NO_DISPLAY;
  status = open_context(offscreen, err);
  if (status != LB_OK) goto done;
  const char *device = (const char *)glGetString(GL_RENDERER);
  snprintf(offscreen->device, sizeof offscreen->device, "%s", device ? device : "unknown");
  glGenFramebuffers(1, &offscreen->framebuffer);
  glGenTextures(1, &offscreen->color);
  glGenRenderbuffers(1, &offscreen->depth);
  status = vw_offscreen_resize(offscreen, width, height, err);
  if (status != LB_OK) goto done;
  *out = offscreen;
  offscreen = NULL;
done:
  vw_offscreen_destroy(offscreen);
  return status;
}

void vw_offscreen_destroy(vwOffscreen *offscreen) {
  if (!offscreen) return;
  if (offscreen->display != EGL_NO_DISPLAY) {
    vw_offscreen_make_current(offscreen);
    glDeleteFramebuffers(1, &offscreen->framebuffer);
    glDeleteTextures(1, &offscreen->color);
    glDeleteRenderbuffers(1, &offscreen->depth);
    eglMakeCurrent(offscreen->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(offscreen->display, offscreen->context);
    eglReleaseThread();
  }
  lb_free(offscreen);
}

void vw_offscreen_make_current(vwOffscreen *offscreen) {
  eglMakeCurrent(offscreen->display, EGL_NO_SURFACE, EGL_NO_SURFACE, offscreen->context);
}

unsigned vw_offscreen_target(const vwOffscreen *offscreen) { return offscreen->framebuffer; }
int32_t vw_offscreen_width(const vwOffscreen *offscreen) { return offscreen->width; }
int32_t vw_offscreen_height(const vwOffscreen *offscreen) { return offscreen->height; }
const char *vw_offscreen_device(const vwOffscreen *offscreen) { return offscreen->device; }

// OpenGL's rows go upwards: they are turned in place, with the first bytes of a row at a time.
static void turn_rows(uint8_t *rgba, int32_t width, int32_t height) {
  size_t row_bytes = (size_t)width * 4;
  uint8_t piece[4096];
  for (int32_t y = 0; y < height / 2; y++) {
    uint8_t *a = rgba + (size_t)y * row_bytes, *b = rgba + (size_t)(height - 1 - y) * row_bytes;
    for (size_t at = 0; at < row_bytes; at += sizeof piece) {
      size_t bytes = row_bytes - at < sizeof piece ? row_bytes - at : sizeof piece;
      memcpy(piece, a + at, bytes);
      memcpy(a + at, b + at, bytes);
      memcpy(b + at, piece, bytes);
    }
  }
}

lbStatus vw_offscreen_read(vwOffscreen *offscreen, uint8_t *rgba, lbError *err) {
  while (glGetError() != GL_NO_ERROR) {}
  glBindFramebuffer(GL_READ_FRAMEBUFFER, offscreen->framebuffer);
  glReadBuffer(GL_COLOR_ATTACHMENT0);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
  glReadPixels(0, 0, offscreen->width, offscreen->height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
  GLenum error = glGetError();
  if (error != GL_NO_ERROR)
    return lb_fail(err, LB_ERR_UNSUPPORTED, "%s cannot give the picture back: OpenGL error 0x%x",
                   offscreen->device, (unsigned)error);
  turn_rows(rgba, offscreen->width, offscreen->height);
  return LB_OK;
}
