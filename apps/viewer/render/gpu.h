// Small things made of OpenGL objects: programs with clear messages, buffers that grow, textures,
// framebuffers.
#ifndef LIMBER_VIEWER_GPU_H
#define LIMBER_VIEWER_GPU_H

#include "limber/base.h"

#include "render/gl.h"

typedef struct vwGpuLimits { // what the context can
  int32_t texture_size, renderbuffer_size, samples;
  float anisotropy; // 0: cannot
  bool desktop;     // OpenGL rather than OpenGL ES
  bool software;    // a rasteriser on the CPU: cheaper filters
  char device[160];
} vwGpuLimits;

void vw_gpu_limits(vwGpuLimits *limits);

// ---- programs ----------------------------------------------------------------------------------

typedef struct vwProgramDef {
  const char *name;                    // for messages
  const char *defines;                 // "#define BASIS\n", or ""
  const char *vertex[4], *fragment[4]; // pieces, one after another; NULL ends them
  const char *captured[4]; // outputs of the vertex stage that go to a buffer; NULL: none
} vwProgramDef;

// Compiles and links. The samplers get their fixed units, the block Frame its binding 0.
lbStatus vw_gpu_program(const vwGpuLimits *limits, const vwProgramDef *def, GLuint *out,
                        lbError *err);

// Texture units, by the samplers' names in the shaders.
typedef enum vwUnit {
  VW_UNIT_BASIS,
  VW_UNIT_TANGENTS,
  VW_UNIT_STATE,
  VW_UNIT_VALUES,
  VW_UNIT_SHADOW, // with comparison
  VW_UNIT_DEPTH,  // the same texture, plain
  VW_UNIT_COLOR,
  VW_UNIT_RAMP,
  VW_UNIT_COUNT
} vwUnit;

// ---- buffers that are filled anew each frame ---------------------------------------------------

typedef struct vwStream {
  GLuint buffer;
  size_t bytes; // room
} vwStream;

// Allocates that many bytes and discards the old contents; write with glBufferSubData.
void vw_stream_begin(vwStream *stream, size_t bytes);
void vw_stream_destroy(vwStream *stream);

// A float texture that holds a long list: item i is at (i mod 1024, i / 1024).
enum { VW_LIST_SHIFT = 10, VW_LIST_WIDTH = 1 << VW_LIST_SHIFT };
typedef struct vwList {
  GLuint texture;
  int32_t channels; // 1 or 4
  int32_t rows;     // that the texture has
} vwList;

// `items` has room for a whole number of rows. False where it does not fit the context.
bool vw_list_upload(vwList *list, const vwGpuLimits *limits, const float *items, size_t count);
void vw_list_destroy(vwList *list);

// ---- textures and framebuffers -----------------------------------------------------------------

GLuint vw_gpu_texture(GLenum filter, GLenum wrap); // bound to unit 0, no storage yet
void vw_gpu_bind(vwUnit unit, GLuint texture);
GLuint vw_gpu_buffer(GLenum target, const void *bytes, size_t count); // never changes
bool vw_gpu_clean(void); // no error since the last call; forgets the errors there are

typedef struct vwDepthMap { // seen from somewhere else
  GLuint texture, target;
  int32_t size;
} vwDepthMap;

bool vw_depth_map_create(vwDepthMap *map, int32_t size);
void vw_depth_map_begin(const vwDepthMap *map); // cleared and bound, with its viewport
void vw_depth_map_destroy(vwDepthMap *map);

typedef struct vwCanvas {         // where a frame is drawn before it goes to its target
  int32_t width, height, samples; // as requested
  int32_t inner_width, inner_height;
  GLuint drawn, color_buffer, depth_buffer; // framebuffer; color_buffer 0: straight into `color`
  GLuint resolved, color;                   // framebuffer, texture
} vwCanvas;

// Fits the canvas to a size; false where the context has no room for it.
bool vw_canvas_fit(vwCanvas *canvas, const vwGpuLimits *limits, int32_t width, int32_t height,
                   int32_t samples);
void vw_canvas_resolve(const vwCanvas *canvas);
void vw_canvas_destroy(vwCanvas *canvas);

#endif
