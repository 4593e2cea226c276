// Line plots as SVG: axes with round numbers, a grid, lines and their names.
#include "study/plot.h"

#include "limber/file.h"
#include "arrayio/print.h"

#include <math.h>

enum { WIDTH = 720, HEIGHT = 384, LEFT = 76, RIGHT = 16, TOP = 64, BOTTOM = 52 };

typedef struct Axis {
  double low, high, step;
} Axis;

// Round numbers around the values, four to ten of them.
static Axis make_axis(double low, double high) {
  if (!(high > low)) low -= fabs(low) + 1e-12, high += fabs(high) + 1e-12;
  double rough = (high - low) / 6, power = pow(10, floor(log10(rough)));
  double step = rough / power < 1.5 ? power : rough / power < 3.5 ? 2 * power : 5 * power;
  return (Axis){ floor(low / step) * step, ceil(high / step) * step, step };
}

static double place_on_axis(const Axis *axis, double value, double from, double to) {
  return from + (value - axis->low) / (axis->high - axis->low) * (to - from);
}

static double across(const Axis *x, double value) {
  return place_on_axis(x, value, LEFT, WIDTH - RIGHT);
}
static double down(const Axis *y, double value) {
  return place_on_axis(y, value, HEIGHT - BOTTOM, TOP);
}

static void write_escaped(FILE *stream, const char *text) {
  for (; *text; text++) switch (*text) {
    case '&': fputs("&amp;", stream); break;
    case '<': fputs("&lt;", stream); break;
    case '>': fputs("&gt;", stream); break;
    default: fputc(*text, stream);
    }
}

static void write_plot_text(FILE *stream, double x, double y, const char *more, const char *text) {
  fputs("<text x=\"", stream);
  lb_print_number(stream, round(x * 10) / 10, 6);
  fputs("\" y=\"", stream);
  lb_print_number(stream, round(y * 10) / 10, 6);
  fprintf(stream, "\" %s>", more);
  write_escaped(stream, text);
  fputs("</text>\n", stream);
}

static void write_plot_line(FILE *stream, double x1, double y1, double x2, double y2) {
  const double values[4] = { x1, y1, x2, y2 };
  static const char *const names[4] = { "x1", "y1", "x2", "y2" };
  fputs("<line", stream);
  for (int i = 0; i < 4; i++) {
    fprintf(stream, " %s=\"", names[i]);
    lb_print_number(stream, round(values[i] * 10) / 10, 6);
    fputc('"', stream);
  }
  fputs(" stroke=\"#ddd\"/>\n", stream);
}

static void write_number(FILE *stream, double x, double y, const char *more, double value,
                         double step) {
  char text[40];
  if (fabs(value) < 1e-9 * step) value = 0;
  snprintf(text, sizeof text, "%.6g", value);
  for (char *c = text; *c; c++)
    if (*c == ',') *c = '.'; // whatever the locale
  write_plot_text(stream, x, y, more, text);
}

static void write_axes(FILE *stream, const lbPlot *plot, const Axis *x, const Axis *y) {
  for (double v = x->low; v <= x->high + 1e-9 * x->step; v += x->step) {
    write_plot_line(stream, across(x, v), TOP, across(x, v), HEIGHT - BOTTOM);
    write_number(stream, across(x, v), HEIGHT - BOTTOM + 16, "text-anchor=\"middle\"", v, x->step);
  }
  for (double v = y->low; v <= y->high + 1e-9 * y->step; v += y->step) {
    write_plot_line(stream, LEFT, down(y, v), WIDTH - RIGHT, down(y, v));
    write_number(stream, LEFT - 6, down(y, v) + 4, "text-anchor=\"end\"", v, y->step);
  }
  write_plot_text(stream, LEFT, 22, "font-size=\"15\"", plot->title);
  write_plot_text(stream, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, "text-anchor=\"middle\"",
                  plot->x_name);
  write_plot_text(stream, 14, TOP - 12, "", plot->y_name);
}

static void write_curve(FILE *stream, const lbPlot *plot, int32_t number, const Axis *x,
                        const Axis *y) {
  static const char *const colors[LB_PLOT_LINES] = { "#1f6fb4", "#d9541e", "#3a8f3a",
                                                     "#7a4fa3", "#8a6d1a", "#444444" };
  static const char *const dashes[LB_PLOT_LINES] = {
    "", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 3\"", "",
    "", " stroke-dasharray=\"7 4\""
  };
  char more[120];
  fprintf(stream, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"",
          colors[number], dashes[number]);
  for (int32_t i = 0; i < plot->count; i++) {
    if (i) fputc(' ', stream);
    lb_print_number(stream, round(across(x, plot->x[i]) * 100) / 100, 7);
    fputc(',', stream);
    lb_print_number(stream, round(down(y, plot->lines[number].values[i]) * 100) / 100, 7);
  }
  fputs("\"/>\n", stream);
  snprintf(more, sizeof more, "text-anchor=\"end\" fill=\"%s\"", colors[number]);
  // Beside the title, where no line can run through it, in one column or two.
  int column = plot->line_count > 4 ? number / 3 : 0, row = number - 3 * column;
  write_plot_text(stream, WIDTH - RIGHT - 4 - 120 * column, 14 + 15 * row, more,
                  plot->lines[number].name);
}

lbStatus lb_plot_write(const lbPlot *plot, const char *path, lbError *err) {
  lbFileWriter writer;
  double low = INFINITY, high = -INFINITY;
  for (int32_t k = 0; k < plot->line_count; k++)
    for (int32_t i = 0; i < plot->count; i++) {
      low = fmin(low, plot->lines[k].values[i]);
      high = fmax(high, plot->lines[k].values[i]);
    }
  if (!isfinite(low) || !isfinite(high))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: all values to plot are infinite or NaN", path);
  Axis x = make_axis(plot->x[0], plot->x[plot->count - 1]), y = make_axis(low, high);
  lbStatus status = lb_file_begin(&writer, path, err);
  if (status) return status;
  fprintf(writer.stream,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
          "%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
          WIDTH, HEIGHT, WIDTH, HEIGHT);
  write_axes(writer.stream, plot, &x, &y);
  for (int32_t k = 0; k < plot->line_count; k++) write_curve(writer.stream, plot, k, &x, &y);
  fputs("</svg>\n", writer.stream);
  return lb_file_commit(&writer, err);
}
