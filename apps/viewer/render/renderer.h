// The renderer: one frame of bodies, ground, sky, lines and marks with OpenGL 3.3, OpenGL ES 3.0 or
// WebGL 2. It knows no simulation: a picture is plain data. All calls need the context current in
// which it was made. Colours in a picture (tints, lines, marks, balls) are sRGB in [0, 1]; those of
// appearances are linear, as in glTF.
#ifndef LIMBER_VIEWER_RENDERER_H
#define LIMBER_VIEWER_RENDERER_H

#include "render/camera.h"
#include "render/skin.h"

typedef enum vwMap { // colours by a quantity
  VW_MAP_NONE,
  VW_MAP_DISPLACEMENT, // m
  VW_MAP_SPEED,        // m/s
  VW_MAP_STRESS,       // von Mises, Pa
  VW_MAP_PRESSURE,     // of contacts, Pa
  VW_MAP_WEIGHT,       // of the chosen frame, 0 to 1
  VW_MAP_COUNT
} vwMap;

typedef struct vwCrowd { // bodies of one skin, drawn together
  int32_t skin;          // as vw_renderer_add_skin numbered it
  int32_t body_count;
  const float *placements; // (body_count x 7): position, quaternion x y z w
  // By the basis, on the GPU: only these are uploaded.
  int32_t dimension;        // <= the skin's
  const float *coordinates; // (body_count x dimension)
  const float *rates;       // (body_count x dimension), for the speed map; NULL: no motion
  // Or by positions, in world axes; placements then only matter to the displacement map.
  const float *positions, *normals; // (body_count x skin vertices x 3); NULL: by the basis
  const float *values; // (body_count x skin vertices): the mapped quantity where it is not
                       // computed on the GPU (stress; everything when drawn by positions); NULL
  float tint[4];       // rgb mixed over the appearance by the share a; default 0 0 0 0
  float opacity;       // 1: solid; less: seen through (ghosts)
  bool unmapped; // shown in its own colours, whatever quantity the picture's colours stand for
} vwCrowd;

typedef struct vwSegment { // a line, seen through nothing
  float a[3], b[3];
  float color[4];
  float width; // pixels
  bool above;  // drawn over everything
} vwSegment;

typedef struct vwDisc { // a round mark
  float at[3];
  float color[4];
  float radius; // pixels
  bool above;
} vwDisc;

typedef struct vwBall {
  float centre[3], radius; // m
  float color[4];
} vwBall;

typedef struct vwPicture {
  vwView view;
  vwBox bounds; // of the objects that cast shadows, m
  int32_t crowd_count;
  const vwCrowd *crowds;
  int32_t segment_count;
  const vwSegment *segments;
  int32_t disc_count;
  const vwDisc *discs;
  int32_t ball_count;
  const vwBall *balls;
  vwMap map;
  float map_low, map_high;   // the colours' ends
  bool wireframe;            // triangle edges on the bodies
  bool ground, shadows, sky; // sky false: a plain light background
  float ground_height;       // m along up
} vwPicture;

vwPicture vw_picture(void); // nothing to see: ground, shadows and sky on

typedef struct vwRenderer vwRenderer;

typedef struct vwRendererDef {
  int32_t samples;     // for anti-aliasing, 1 to 8, or what the context can; default 0: 4, and 1
                       // where the pictures are computed by the CPU
  int32_t shadow_size; // pixels of the shadow map; up to 1024 also means cheaper filters; default
                       // 0: 2048, and 1024 where the pictures are computed by the CPU
} vwRendererDef;

vwRendererDef vw_renderer_def(void);
lbStatus vw_renderer_create(const vwRendererDef *def, vwRenderer **out, lbError *err);
// After a lost context pass true: its objects no longer exist.
void vw_renderer_destroy(vwRenderer *renderer, bool lost);
const char *vw_renderer_device(const vwRenderer *renderer); // "llvmpipe ...", as OpenGL names it

// Uploads a skin with its textures; it may be freed afterwards. `on_gpu` is false where its basis
// does not fit the context's textures: it is then drawn by positions.
lbStatus vw_renderer_add_skin(vwRenderer *renderer, const vwSkin *skin, int32_t *number,
                              bool *on_gpu, lbError *err);
void vw_renderer_clear(vwRenderer *renderer); // forgets all skins

// Draws into the framebuffer object `target` (0: the window), which is view.width x view.height.
void vw_renderer_draw(vwRenderer *renderer, const vwPicture *picture, unsigned target);

// Colour of a value in [0, 1] by the map's own scale, sRGB bytes; for legends.
void vw_map_color(double value, uint8_t rgb[3]);

#endif
