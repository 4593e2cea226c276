// A recording as the bytes of an animated .glb, by the run side alone: for the page.
//
// Each body is a glTF node with its placement; its mesh is the skin at rest with one morph target
// for each basis vector, whose weights stay within 0 and 1, and one more that is always on:
//
//   x = X + sum_i low_i U_i + sum_i w_i (high_i - low_i) U_i,   w_i = (q_i - low_i)/(high_i -
//   low_i)
//
// Normals go along to first order about the mean shape. Bodies without a basis are left out.
#ifndef LIMBER_VIEWER_GLTF_H
#define LIMBER_VIEWER_GLTF_H

#include "view/animation.h"

// Free *bytes with lb_free. *left_out: bodies that are not in it.
lbStatus vw_gltf_write(const vwAnimation *animation, uint8_t **bytes, size_t *count,
                       int32_t *left_out, lbError *err);

#endif
