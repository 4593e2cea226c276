// A colour scale with its ends. Letters are strokes of round pens: whole pictures have no fonts.
#include "desktop/legend.h"

#include "view/amount.h"

#include <math.h>
#include <string.h>

typedef struct Picture {
  int32_t width, height;
  uint8_t *rgba;
} Picture;

// Strokes as pairs of digits "xy", x from 0 to 4, y from 0 to 8: letters stand on 2, small ones
// reach to 6, tall ones to 8.
static const struct Glyph {
  char letter, width;
  const char *strokes;
} glyphs[] = {
  { '0', 4, "18 38 47 43 32 12 03 07 18" },
  { '1', 2, "07 18 12" },
  { '2', 4, "07 18 38 47 46 02 42" },
  { '3', 4, "07 18 38 47 46 35 25|35 44 43 32 12 03" },
  { '4', 4, "32 38 04 44" },
  { '5', 4, "48 08 05 35 44 43 32 12 03" },
  { '6', 4, "47 38 18 07 03 12 32 43 44 35 05" },
  { '7', 4, "08 48 12" },
  { '8', 4, "15 06 07 18 38 47 46 35 15 04 03 12 32 43 44 35" },
  { '9', 4, "03 12 32 43 47 38 18 07 06 15 45" },
  { '.', 0, "02 02" },
  { '-', 3, "05 35" },
  { '+', 4, "05 45|27 23" },
  { '/', 3, "02 38" },
  { 'a', 4, "45 36 16 05 03 12 32 43|46 42" },
  { 'c', 4, "45 36 16 05 03 12 32 43" },
  { 'd', 4, "45 36 16 05 03 12 32 43|48 42" },
  { 'e', 4, "04 44 45 36 16 05 03 12 32 43" },
  { 'f', 2, "28 18 07 02|05 25" },
  { 'g', 4, "45 36 16 05 03 12 32 43|46 41 30 10" },
  { 'h', 3, "08 02|05 16 26 35 32" },
  { 'i', 0, "06 02|08 08" },
  { 'k', 3, "08 02|36 04 32" },
  { 'l', 0, "08 02" },
  { 'm', 4, "06 02|05 16 25 22|25 36 45 42" },
  { 'n', 3, "06 02|05 16 26 35 32" },
  { 'o', 4, "16 36 45 43 32 12 03 05 16" },
  { 'p', 4, "06 00|05 16 36 45 43 32 12 03" },
  { 'r', 2, "06 02|04 16 26" },
  { 's', 3, "36 16 05 14 24 33 22 02" },
  { 't', 2, "18 13 22|06 26" },
  { 'u', 3, "06 03 12 22 33|36 32" },
  { 'v', 4, "06 22 46" },
  { 'w', 4, "06 12 26 32 46" },
  { 'G', 4, "47 38 18 07 03 12 32 43 45 25" },
  { 'M', 4, "02 08 25 48 42" },
  { 'P', 4, "02 08 38 47 46 35 05" },
};
enum { GLYPH_COUNT = sizeof glyphs / sizeof *glyphs };

static const struct Glyph *glyph_of(char letter) {
  for (int i = 0; i < GLYPH_COUNT; i++)
    if (glyphs[i].letter == letter) return &glyphs[i];
  return NULL;
}

static void blend_pixel(const Picture *p, int32_t x, int32_t y, const uint8_t rgb[3],
                        double share) {
  if (x < 0 || y < 0 || x >= p->width || y >= p->height || !(share > 0)) return;
  uint8_t *pixel = p->rgba + 4 * ((size_t)y * (size_t)p->width + (size_t)x);
  for (int i = 0; i < 3; i++) pixel[i] = (uint8_t)lround((1 - share) * pixel[i] + share * rgb[i]);
}

static void fill_rectangle(const Picture *p, double x0, double y0, double x1, double y1,
                           const uint8_t rgb[3], double share) {
  for (int32_t y = (int32_t)round(y0); y < (int32_t)round(y1); y++)
    for (int32_t x = (int32_t)round(x0); x < (int32_t)round(x1); x++)
      blend_pixel(p, x, y, rgb, share);
}

static double distance_to_segment(double x, double y, const double a[2], const double b[2]) {
  double dx = b[0] - a[0], dy = b[1] - a[1], length = dx * dx + dy * dy;
  double t = length > 0 ? ((x - a[0]) * dx + (y - a[1]) * dy) / length : 0;
  t = fmin(fmax(t, 0), 1);
  return hypot(x - a[0] - t * dx, y - a[1] - t * dy);
}

// How near a pixel is to the strokes of a letter.
static double nearest(const struct Glyph *glyph, double unit, double x, double y) {
  double best = INFINITY, last[2] = { 0, 0 };
  bool pen = false;
  for (const char *c = glyph->strokes; *c;) {
    double next[2] = { (c[0] - '0') * unit, (8 - (c[1] - '0')) * unit };
    if (pen) best = fmin(best, distance_to_segment(x, y, last, next));
    memcpy(last, next, sizeof last);
    pen = c[2] != '|';
    c += c[2] ? 3 : 2;
  }
  return best;
}

// The pen of a letter, drawn with its top left at a place; returns where the next one begins.
static double draw_letter(const Picture *p, char letter, double x, double y, double unit) {
  static const uint8_t white[3] = { 255, 255, 255 };
  const struct Glyph *glyph = glyph_of(letter);
  if (!glyph) return x + 3 * unit;
  int32_t pad = (int32_t)ceil(unit), wide = (int32_t)ceil((glyph->width + 1) * unit);
  for (int32_t j = -pad; p->rgba && j <= (int32_t)ceil(9 * unit); j++)
    for (int32_t i = -pad; i <= wide; i++) {
      double px = floor(x) + i, py = floor(y) + j;
      double away = nearest(glyph, unit, px + 0.5 - x, py + 0.5 - y);
      blend_pixel(p, (int32_t)px, (int32_t)py, white, fmin(fmax(0.5 + 0.48 * unit - away, 0), 1));
    }
  return x + (glyph->width + 1.7) * unit;
}

static double draw_text(const Picture *p, const char *text, double x, double y, double unit) {
  while (*text) x = draw_letter(p, *text++, x, y, unit);
  return x;
}

static double text_width(const char *text, double unit) {
  static const Picture none = { 0 };
  return draw_text(&none, text, 0, 0, unit);
}

void vw_legend_draw(const vwLegend *legend, int32_t width, int32_t height, uint8_t *rgba) {
  static const uint8_t dark[3] = { 23, 26, 31 };
  Picture p = { width, height, rgba };
  if (legend->map == VW_MAP_NONE) return;
  double unit = fmax(1, 0.0024 * fmin(height, 1.4 * width)); // letters of 8 units
  double bar = 110 * unit, pad = 6 * unit, line = 12 * unit;
  double x = width - bar - 3 * pad, y = height - line - 18 * unit - 2 * pad;
  char high[48];
  vw_write_amount(legend->high, legend->unit, false, high, sizeof high);
  fill_rectangle(&p, x - pad, y - pad, x + bar + pad, height - pad, dark, 0.8);
  draw_text(&p, legend->title, x, y, unit);
  y += line;
  for (double i = 0; i < bar; i++) {
    uint8_t rgb[3];
    vw_map_color((i + 0.5) / bar, rgb);
    fill_rectangle(&p, x + i, y, x + i + 1, y + 7 * unit, rgb, 1);
  }
  y += 7 * unit + 0.5 * pad;
  draw_text(&p, "0", x, y, unit);
  draw_text(&p, high, x + bar - text_width(high, unit) + 1.7 * unit, y, unit);
}
