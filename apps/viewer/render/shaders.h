// The shaders' sources, in pieces that gpu.c puts together. GLSL that both 330 core and 300 es
// take; the version line comes from the program's maker.
#ifndef LIMBER_VIEWER_SHADERS_H
#define LIMBER_VIEWER_SHADERS_H

// The block Frame, the same for all programs of a frame (std140).
typedef struct vwFrameBlock {
  float clip[16];      // world to clip
  float light[16];     // world to the shadow map: texture coordinates and depth, all in [0, 1]
  float eye[4];        // m; w: 1 where there are shadows
  float up[4];         // unit; w: the ground's height, m
  float sun[4];        // unit, towards the key light; w: tangent of its half-size
  float rim[4];        // unit, towards the rim light; w: 1 where the sky is shown
  float extent[4];     // m, the shadow map's sides and depth; w: side of its pixel
  float centre[4];     // m, of the bounds, on the ground; w: their radius
  float right[4];      // view axes, scaled so that a pixel's ray is forward + x right + y upward
  float upward[4];     //
  float forward[4];    // w: height of the bounds' top, m
  float screen[4];     // pixels: width, height; pixels of a metre at one metre; depth pull of lines
  float floor_x[4];    // the ground's occlusion: texture x = floor_x . (position, 1)
  float floor_y[4];    //
  float floor_size[4]; // m: its sides, height that counts; 1 where there is one
  float map[4];        // low, 1 / (high - low), kind (vwMap), -
} vwFrameBlock;

extern const char *const vw_shader_frame;   // the block, and small helpers: both stages
extern const char *const vw_shader_body;    // vertex stage: position and normal of a body's vertex
extern const char *const vw_shader_surface; // vertex stage of the lit surface
extern const char *const vw_shader_pose;    // vertex stage whose results are kept
extern const char *const vw_shader_plain;   // vertex stage of shadows and wires
extern const char *const vw_shader_sky;     // fragment stage: light, shadow, tone
extern const char *const vw_shader_surface_fragment;
extern const char *const vw_shader_plain_fragment;
extern const char *const vw_shader_ground_vertex;
extern const char *const vw_shader_ground_fragment;
extern const char *const vw_shader_screen_vertex; // one triangle over the whole picture
extern const char *const vw_shader_sky_fragment;
extern const char *const vw_shader_occlusion_fragment;
extern const char *const vw_shader_blur_fragment;
extern const char *const vw_shader_copy_fragment;
extern const char *const vw_shader_mark_vertex;
extern const char *const vw_shader_mark_fragment;

#endif
