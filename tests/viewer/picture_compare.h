// How different two pictures look. Both are averaged in linear light over cells of 4 x 4 pixels,
// smoothed over neighbouring cells, and compared in CIE L*a*b*, where a distance of 1 can just be
// seen. So another rasteriser's edges and rounding count little, while a colour, a light or a
// shape that changes a little counts in the cells where it does:
//
//   mean   over all cells: a change of light or background
//   worst  of all cells: a change of something small
#ifndef LB_TESTS_PICTURE_COMPARE_H
#define LB_TESTS_PICTURE_COMPARE_H

#include "check.h"

#define PICTURE_MEAN_TOLERANCE 0.3
#define PICTURE_WORST_TOLERANCE 4.0

typedef struct PictureScore {
  double mean, worst; // in L*a*b*
  int32_t x, y;       // pixel where it is worst
} PictureScore;

enum { PICTURE_CELL = 4 };

static inline double picture_linear(uint8_t value) {
  double s = value / 255.0;
  return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

// (columns x rows x 3), linear light, smoothed by 1 2 1 both ways.
static inline double *picture_cells(const uint8_t *rgba, int32_t width, int32_t height,
                                    int32_t columns, int32_t rows) {
  size_t count = 3 * (size_t)columns * (size_t)rows;
  double *plain = calloc(count, sizeof *plain), *smooth = calloc(count, sizeof *smooth);
  (void)height;
  for (int32_t y = 0; y < rows * PICTURE_CELL; y++)
    for (int32_t x = 0; x < columns * PICTURE_CELL; x++)
      for (int c = 0; c < 3; c++)
        plain[3 * (y / PICTURE_CELL * columns + x / PICTURE_CELL) + c] +=
            picture_linear(rgba[4 * ((size_t)y * (size_t)width + (size_t)x) + (size_t)c]) /
            (PICTURE_CELL * PICTURE_CELL);
  for (int32_t y = 0; y < rows; y++)
    for (int32_t x = 0; x < columns; x++) {
      double sum[3] = { 0 }, whole = 0;
      for (int32_t j = y - 1; j <= y + 1; j++)
        for (int32_t i = x - 1; i <= x + 1; i++) {
          if (i < 0 || j < 0 || i >= columns || j >= rows) continue;
          double weight = (i == x ? 2 : 1) * (j == y ? 2 : 1);
          whole += weight;
          for (int c = 0; c < 3; c++) sum[c] += weight * plain[3 * (j * columns + i) + c];
        }
      for (int c = 0; c < 3; c++) smooth[3 * (y * columns + x) + c] = sum[c] / whole;
    }
  free(plain);
  return smooth;
}

static inline double picture_root(double t) {
  return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static inline void picture_lab(const double rgb[3], double lab[3]) { // white point D65
  double x = (0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505;
  double y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
  double z = (0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089;
  lab[0] = 116 * picture_root(y) - 16;
  lab[1] = 500 * (picture_root(x) - picture_root(y));
  lab[2] = 200 * (picture_root(y) - picture_root(z));
}

static inline PictureScore picture_compare(const uint8_t *a, const uint8_t *b, int32_t width,
                                           int32_t height) {
  int32_t columns = width / PICTURE_CELL, rows = height / PICTURE_CELL;
  double *x = picture_cells(a, width, height, columns, rows);
  double *y = picture_cells(b, width, height, columns, rows);
  PictureScore score = { 0 };
  for (int32_t i = 0; i < columns * rows; i++) {
    double p[3], q[3];
    picture_lab(x + 3 * i, p);
    picture_lab(y + 3 * i, q);
    double d = sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2));
    score.mean += d / (columns * rows);
    if (d > score.worst) {
      score.worst = d;
      score.x = i % columns * PICTURE_CELL, score.y = i / columns * PICTURE_CELL;
    }
  }
  free(x), free(y);
  return score;
}

static inline bool picture_alike(PictureScore score) {
  return score.mean <= PICTURE_MEAN_TOLERANCE && score.worst <= PICTURE_WORST_TOLERANCE;
}

#endif
