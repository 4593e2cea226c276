// Crowds on the GPU: what a frame uploads of them, and how they are drawn: one call for all bodies
// of a crowd and appearance.
#ifndef LIMBER_VIEWER_CROWDS_H
#define LIMBER_VIEWER_CROWDS_H

#include "render/gpu.h"
#include "render/renderer.h"
#include "render/skin_gpu.h"

typedef struct vwBodyProgram { // a program that draws bodies, with its uniforms
  GLuint program;
  GLint folding, listing, place, tangent_scale; // where bodies are
  GLint base, tint, material;                   // lit
  GLint through, pull, color;                   // plain
} vwBodyProgram;

typedef struct vwBodyPrograms {
  vwBodyProgram by_basis, by_positions;
} vwBodyPrograms;

#define VW_UNMAPPED (-2) // in place of the first value: not coloured

typedef struct vwCrowdSlot { // where a crowd's numbers went
  bool drawn, by_basis;
  bool posed; // by the basis, worked out once into `stream`: position, normal, value
  int32_t state_begin, state_stride; // texels
  int32_t value_begin;               // -1: none, or VW_UNMAPPED
  vwStream stream;                   // as posed; or all positions, then all normals
} vwCrowdSlot;

typedef struct vwCrowds {
  vwList states, values;
  float *state_items, *value_items;
  size_t state_capacity, value_capacity;
  vwCrowdSlot *slots;
  size_t slot_capacity;
  int32_t count;
  vwBodyProgram pose;
  GLuint white; // a texture for appearances without one
} vwCrowds;

typedef enum vwBodyPass { VW_PASS_LIT, VW_PASS_DEPTH, VW_PASS_WIRES } vwBodyPass;

lbStatus vw_body_programs_create(const vwGpuLimits *limits, const char *name,
                                 const char *const vertex[2], const char *const fragment[4],
                                 vwBodyPrograms *out, lbError *err);
void vw_body_programs_destroy(vwBodyPrograms *programs);

lbStatus vw_crowds_create(vwCrowds *crowds, const vwGpuLimits *limits, lbError *err);
void vw_crowds_destroy(vwCrowds *crowds, bool lost);
// All that changes with time: places, coordinates and rates, or positions; mapped values.
void vw_crowds_upload(vwCrowds *crowds, const vwGpuLimits *limits, const vwPicture *picture,
                      const vwGpuSkin *skins, int32_t skin_count);
// Works out the vertices of crowds of few bodies once for all the passes of a frame.
void vw_crowds_pose(const vwCrowds *crowds, const vwPicture *picture, const vwGpuSkin *skins);
void vw_crowd_draw(const vwCrowds *crowds, int32_t index, const vwCrowd *crowd,
                   const vwGpuSkin *skin, const vwBodyPrograms *programs, vwBodyPass pass);

#endif
