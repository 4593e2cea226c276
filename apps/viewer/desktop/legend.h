// The scale of a colour map, drawn into a picture that is saved.
#ifndef LIMBER_VIEWER_DESKTOP_LEGEND_H
#define LIMBER_VIEWER_DESKTOP_LEGEND_H

#include "view/viewer.h"

// In the lower right corner, with letters of a size that fits the picture (rows from the top);
// nothing where no map is shown.
void vw_legend_draw(const vwLegend *legend, int32_t width, int32_t height, uint8_t *rgba);

#endif
