// What `limber bench render` draws: models made by hand, in milliseconds. Their vectors are waves:
// finding modes would take longer and change nothing about how fast they are drawn.
#ifndef LIMBER_BENCH_RENDER_MODEL_H
#define LIMBER_BENCH_RENDER_MODEL_H

#include "limber/model.h"

// A ring of 2 x around x across triangles, carried by a block of bricks.
lbStatus bench_render_ring(int32_t around, int32_t across, int32_t vectors, lbModel **out,
                           lbError *err);
// A stem of 84 triangles, 0.4 m high: a column of ten bricks.
lbStatus bench_render_stem(int32_t vectors, lbModel **out, lbError *err);

#endif
