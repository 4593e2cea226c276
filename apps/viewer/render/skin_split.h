// Cutting a model's surface into what is drawn: triangles sorted by look, and vertices that are
// split where edges are sharp and where texture coordinates or looks change.
#ifndef LIMBER_VIEWER_SKIN_SPLIT_H
#define LIMBER_VIEWER_SKIN_SPLIT_H

#include "render/skin.h"

// Fills parts, triangles, sources, uvs, smooth_begin and smooth_triangles with their counts. What
// was filled before a failure is left to vw_skin_destroy.
lbStatus vw_skin_split(vwSkin *skin, double crease, lbError *err);

#endif
