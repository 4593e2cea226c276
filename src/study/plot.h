// Line plots as SVG files: plain text that every browser shows.
#ifndef LB_STUDY_PLOT_H
#define LB_STUDY_PLOT_H

#include "limber/base.h"

#define LB_PLOT_LINES 6

typedef struct lbPlotLine {
  const char *name;
  const double *values; // (count)
} lbPlotLine;

typedef struct lbPlot {
  const char *title, *x_name, *y_name;
  int32_t count;                   // points of each line, at least 1
  const double *x;                 // (count), ascending
  int32_t line_count;              // 1 to LB_PLOT_LINES
  lbPlotLine lines[LB_PLOT_LINES]; // the later ones are drawn over the earlier
} lbPlot;

lbStatus lb_plot_write(const lbPlot *plot, const char *path, lbError *err);

#endif
