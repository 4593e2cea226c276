// What the shaders know of a frame: matrices, lights, the shadow map's place.
#ifndef LIMBER_VIEWER_LIGHT_H
#define LIMBER_VIEWER_LIGHT_H

#include "render/renderer.h"
#include "render/shaders.h"

typedef struct vwLight {
  vwFrameBlock block;
  float casting[16];  // world to the shadow map's clip space
  float hovering[16]; // world to the clip space of the ground's view upwards
  bool shadows;
  bool ground;        // it is there and seen from above
  float ground_reach; // m
} vwLight;

// For a picture drawn with width x height pixels and a shadow map of shadow_size pixels.
void vw_light_set_up(vwLight *light, const vwPicture *picture, int32_t width, int32_t height,
                     int32_t shadow_size);

float vw_linear_of_srgb(float value);

#endif
