// OpenGL objects with their errors checked where they are made.
#include "render/gpu.h"

#include <stdio.h>
#include <string.h>

static bool has_extension(const char *name) {
  GLint count = 0;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; i++) {
    const char *extension = (const char *)glGetStringi(GL_EXTENSIONS, (GLuint)i);
    if (extension && strstr(extension, name)) return true;
  }
  return false;
}

void vw_gpu_limits(vwGpuLimits *limits) {
  *limits = (vwGpuLimits){ 0 };
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limits->texture_size);
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limits->renderbuffer_size);
  glGetIntegerv(GL_MAX_SAMPLES, &limits->samples);
  const char *device = (const char *)glGetString(GL_RENDERER);
  const char *version = (const char *)glGetString(GL_VERSION);
  snprintf(limits->device, sizeof limits->device, "%s, %s", device ? device : "unknown device",
           version ? version : "unknown version");
  limits->desktop = version && !strstr(version, "OpenGL ES");
  limits->software = strstr(limits->device, "llvmpipe") || strstr(limits->device, "SwiftShader") ||
                     strstr(limits->device, "softpipe");
  if (has_extension("texture_filter_anisotropic"))
    glGetFloatv(GL_MAX_TEXTURE_MAX_ANISOTROPY_EXT, &limits->anisotropy);
}

// ---- programs ----------------------------------------------------------------------------------

enum { MAX_PIECES = 8 };

static lbStatus compile(const vwGpuLimits *limits, const vwProgramDef *def, GLenum kind,
                        const char *const *parts, GLuint *out, lbError *err) {
  const char *stage = kind == GL_VERTEX_SHADER ? "vertex" : "fragment";
  const char *pieces[MAX_PIECES] = {
    limits->desktop ? "#version 330 core\n" : "#version 300 es\n",
    "precision highp float;\nprecision highp int;\nprecision highp sampler2D;\n"
    "precision highp sampler2DShadow;\n",
    limits->software ? "#define TAPS 12\n#define SEARCH 8\n"
                     : "#define TAPS 24\n#define SEARCH 14\n",
    def->defines,
  };
  int count = 4;
  for (int i = 0; i < 4 && parts[i]; i++) pieces[count++] = parts[i];
  GLuint shader = glCreateShader(kind);
  if (!shader) return lb_fail(err, LB_ERR_UNSUPPORTED, "the OpenGL context makes no shaders");
  glShaderSource(shader, count, pieces, NULL);
  glCompileShader(shader);
  GLint good = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
  if (good) return *out = shader, LB_OK;
  char log[300] = "";
  glGetShaderInfoLog(shader, sizeof log, NULL, log);
  glDeleteShader(shader);
  return lb_fail(err, LB_ERR_UNSUPPORTED, "%s: %s shader of \"%s\" does not compile: %s",
                 limits->device, stage, def->name, log);
}

static void name_units(GLuint program) {
  static const char *const names[VW_UNIT_COUNT] = { "basis",   "tangent_basis", "states",
                                                    "values",  "shadow_map",    "shadow_depth",
                                                    "picture", "ramp" };
  glUseProgram(program);
  for (int i = 0; i < VW_UNIT_COUNT; i++) {
    GLint place = glGetUniformLocation(program, names[i]);
    if (place >= 0) glUniform1i(place, i);
  }
  GLuint block = glGetUniformBlockIndex(program, "Frame");
  if (block != GL_INVALID_INDEX) glUniformBlockBinding(program, block, 0);
}

lbStatus vw_gpu_program(const vwGpuLimits *limits, const vwProgramDef *def, GLuint *out,
                        lbError *err) {
  GLuint vertex = 0, fragment = 0;
  lbStatus status = compile(limits, def, GL_VERTEX_SHADER, def->vertex, &vertex, err);
  if (status != LB_OK) return status;
  status = compile(limits, def, GL_FRAGMENT_SHADER, def->fragment, &fragment, err);
  if (status != LB_OK) return glDeleteShader(vertex), status;
  GLuint program = glCreateProgram();
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  int captured = 0;
  while (captured < 4 && def->captured[captured]) captured++;
  if (captured)
    glTransformFeedbackVaryings(program, captured, def->captured, GL_INTERLEAVED_ATTRIBS);
  glLinkProgram(program);
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  GLint good = GL_FALSE;
  glGetProgramiv(program, GL_LINK_STATUS, &good);
  if (!good) {
    char log[300] = "";
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    glDeleteProgram(program);
    return lb_fail(err, LB_ERR_UNSUPPORTED, "%s: program \"%s\" does not link: %s", limits->device,
                   def->name, log);
  }
  name_units(program);
  *out = program;
  return LB_OK;
}

// ---- buffers -----------------------------------------------------------------------------------

void vw_stream_begin(vwStream *stream, size_t bytes) {
  if (!stream->buffer) glGenBuffers(1, &stream->buffer);
  glBindBuffer(GL_ARRAY_BUFFER, stream->buffer);
  if (stream->bytes < bytes || stream->bytes > 4 * bytes + 65536) stream->bytes = bytes;
  // New storage of the same size: the driver need not wait for the frame before.
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)stream->bytes, NULL, GL_STREAM_DRAW);
}

void vw_stream_destroy(vwStream *stream) {
  glDeleteBuffers(1, &stream->buffer);
  *stream = (vwStream){ 0 };
}

bool vw_list_upload(vwList *list, const vwGpuLimits *limits, const float *items, size_t count) {
  size_t rows = (count + VW_LIST_WIDTH - 1) / VW_LIST_WIDTH;
  if (rows > (size_t)limits->texture_size) return false;
  if (rows == 0) return true;
  GLenum format = list->channels == 4 ? GL_RGBA : GL_RED;
  if (!list->texture) list->texture = vw_gpu_texture(GL_NEAREST, GL_CLAMP_TO_EDGE);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, list->texture);
  if ((int32_t)rows > list->rows) {
    list->rows = (int32_t)rows;
    glTexImage2D(GL_TEXTURE_2D, 0, list->channels == 4 ? GL_RGBA32F : GL_R32F, VW_LIST_WIDTH,
                 list->rows, 0, format, GL_FLOAT, items);
  } else {
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, VW_LIST_WIDTH, (GLsizei)rows, format, GL_FLOAT, items);
  }
  return true;
}

void vw_list_destroy(vwList *list) {
  glDeleteTextures(1, &list->texture);
  *list = (vwList){ .channels = list->channels };
}

GLuint vw_gpu_buffer(GLenum target, const void *bytes, size_t count) {
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBuffer(target, buffer);
  glBufferData(target, (GLsizeiptr)count, bytes, GL_STATIC_DRAW);
  return buffer;
}

// ---- textures and framebuffers -----------------------------------------------------------------

GLuint vw_gpu_texture(GLenum filter, GLenum wrap) {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture);
  GLenum plain = filter == GL_LINEAR_MIPMAP_LINEAR ? GL_LINEAR : filter;
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint)plain);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, (GLint)wrap);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, (GLint)wrap);
  return texture;
}

void vw_gpu_bind(vwUnit unit, GLuint texture) {
  glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
  glBindTexture(GL_TEXTURE_2D, texture);
}

bool vw_gpu_clean(void) {
  bool clean = true;
  // A lost context may give errors without end.
  for (int i = 0; i < 64 && glGetError() != GL_NO_ERROR; i++) clean = false;
  return clean;
}

bool vw_depth_map_create(vwDepthMap *map, int32_t size) {
  const GLenum none = GL_NONE;
  map->size = size;
  map->texture = vw_gpu_texture(GL_NEAREST, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, size, size, 0, GL_DEPTH_COMPONENT,
               GL_UNSIGNED_INT, NULL);
  glGenFramebuffers(1, &map->target);
  glBindFramebuffer(GL_FRAMEBUFFER, map->target);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, map->texture, 0);
  glDrawBuffers(1, &none);
  glReadBuffer(GL_NONE);
  bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  return vw_gpu_clean() && complete;
}

void vw_depth_map_begin(const vwDepthMap *map) {
  glBindFramebuffer(GL_FRAMEBUFFER, map->target);
  glViewport(0, 0, map->size, map->size);
  glClear(GL_DEPTH_BUFFER_BIT);
}

void vw_depth_map_destroy(vwDepthMap *map) {
  glDeleteTextures(1, &map->texture);
  glDeleteFramebuffers(1, &map->target);
  *map = (vwDepthMap){ 0 };
}

void vw_canvas_destroy(vwCanvas *canvas) {
  GLuint framebuffers[2] = { canvas->drawn, canvas->resolved };
  GLuint renderbuffers[2] = { canvas->color_buffer, canvas->depth_buffer };
  glDeleteFramebuffers(2, framebuffers);
  glDeleteRenderbuffers(2, renderbuffers);
  glDeleteTextures(1, &canvas->color);
  *canvas = (vwCanvas){ 0 };
}

static GLuint renderbuffer(const vwCanvas *canvas, int32_t samples, GLenum format) {
  GLuint buffer = 0;
  glGenRenderbuffers(1, &buffer);
  glBindRenderbuffer(GL_RENDERBUFFER, buffer);
  if (samples > 1)
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, canvas->inner_width,
                                     canvas->inner_height);
  else
    glRenderbufferStorage(GL_RENDERBUFFER, format, canvas->inner_width, canvas->inner_height);
  return buffer;
}

static bool canvas_make(vwCanvas *canvas, int32_t samples) {
  canvas->color = vw_gpu_texture(GL_LINEAR, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, canvas->inner_width, canvas->inner_height, 0, GL_RGBA,
               GL_UNSIGNED_BYTE, NULL);
  glGenFramebuffers(1, &canvas->resolved);
  glBindFramebuffer(GL_FRAMEBUFFER, canvas->resolved);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, canvas->color, 0);
  glGenFramebuffers(1, &canvas->drawn);
  glBindFramebuffer(GL_FRAMEBUFFER, canvas->drawn);
  if (samples > 1) {
    canvas->color_buffer = renderbuffer(canvas, samples, GL_RGBA8);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                              canvas->color_buffer);
  } else {
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, canvas->color, 0);
  }
  canvas->depth_buffer = renderbuffer(canvas, samples, GL_DEPTH_COMPONENT24);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                            canvas->depth_buffer);
  bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  return vw_gpu_clean() && complete;
}

// Large pictures get fewer samples, then fewer pixels: beyond these numbers memory would run out.
static int32_t canvas_limit(vwCanvas *canvas, const vwGpuLimits *limits, int32_t samples) {
  double most_samples = 1 << 27, most_pixels = 1 << 26;
  int32_t side = limits->texture_size < limits->renderbuffer_size ? limits->texture_size
                                                                  : limits->renderbuffer_size;
  double width = canvas->width, height = canvas->height, scale = 1;
  if (width * scale > side) scale = side / width;
  if (height * scale > side) scale = side / height;
  while (width * height * scale * scale > most_pixels) scale *= 0.9;
  canvas->inner_width = width * scale < 1 ? 1 : (int32_t)(width * scale);
  canvas->inner_height = height * scale < 1 ? 1 : (int32_t)(height * scale);
  if (samples > limits->samples) samples = limits->samples;
  while (samples > 1 && width * height * scale * scale * samples > most_samples) samples /= 2;
  return samples;
}

bool vw_canvas_fit(vwCanvas *canvas, const vwGpuLimits *limits, int32_t width, int32_t height,
                   int32_t samples) {
  if (canvas->drawn && canvas->width == width && canvas->height == height &&
      canvas->samples == samples)
    return true;
  vw_canvas_destroy(canvas);
  vwCanvas fresh = { .width = width, .height = height, .samples = samples };
  for (int32_t possible = canvas_limit(&fresh, limits, samples);; possible /= 2) {
    *canvas = fresh;
    if (canvas_make(canvas, possible)) return true;
    vw_canvas_destroy(canvas);
    if (possible <= 1) return false;
  }
}

void vw_canvas_resolve(const vwCanvas *canvas) {
  if (!canvas->color_buffer) return;
  glBindFramebuffer(GL_READ_FRAMEBUFFER, canvas->drawn);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, canvas->resolved);
  glBlitFramebuffer(0, 0, canvas->inner_width, canvas->inner_height, 0, 0, canvas->inner_width,
                    canvas->inner_height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}
