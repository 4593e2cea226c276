// A spoon: a flat outline in cells (a handle, and a bowl made as a disc is: a core within rings),
// bent up by the height of its underside and thickened straight up. The outline is that of the unit
// spoon, X from 0 (the handle's end) to 1 (the tip), Y from -1 to 1, so sizes only stretch it and
// no cell can turn over: the Jacobian is that of the flat cell times the thickness of a layer.
#include "shapes/shapes.h"

#include <math.h>

// The outline, upper half: the width of the handle eases from its end to the neck; a Bezier curve,
// level at both ends, swells to the widest place; a quarter of an ellipse closes the bowl.
static const double neck = 0.6, widest = 0.8;
static const double end_width = 0.3, neck_width = 0.17;  // half widths
static const double end_bulge = 0.015;                   // the handle's end is a parabola
static const double neck_arm = 0.08, widest_arm = 0.149; // arms of the Bezier curve; the second one
                                                         // takes over the ellipse's curvature
// Where the blocks of cells meet, chosen for good angles everywhere.
static const double tip_angle = 0.84; // of the ellipse: the cells ahead of the core
static const double junction_bulge = 0.003;
static const double core_left = 0.607, core_right = 0.927;
static const double core_left_width = 0.118, core_right_width = 0.54;
static const double core_left_bulge = 0.001, core_right_bulge = 0.028, core_bulge = 0.079;

// The upper half of the side of the bowl: f = 0 at the neck, 1/2 at the widest place, 1 where the
// cells ahead of the core begin.
static void bowl_side(double f, double point[2]) {
  if (f < 0.5) {
    double b = 2 * f, a = 1 - b;
    double weights[4] = { a * a * a, 3 * a * a * b, 3 * a * b * b, b * b * b };
    point[0] = weights[0] * neck + weights[1] * (neck + neck_arm) +
               weights[2] * (widest - widest_arm) + weights[3] * widest;
    point[1] = (weights[0] + weights[1]) * neck_width + weights[2] + weights[3];
    return;
  }
  double angle = LB_PI / 2 + (2 * f - 1) * (tip_angle - LB_PI / 2);
  point[0] = widest + (1 - widest) * cos(angle);
  point[1] = sin(angle);
}

// The border between handle and bowl; t from -1 to 1.
static double junction(double t) { return neck - junction_bulge * (1 - t * t); }

// s from 0 (left) to 1, t from -1 to 1.
static void core_point(double s, double t, double point[2]) {
  double swell = 1 - t * t;
  double left = core_left - core_left_bulge * swell, right = core_right + core_right_bulge * swell;
  point[0] = left + (right - left) * s;
  point[1] = t * (core_left_width + (core_right_width - core_left_width) * s +
                  core_bulge * 4 * s * (1 - s));
}

// Point k of the bowl's border, as those of a disc are counted: along the side at the front, the
// tip, back along the other side, and down the junction with the handle.
static void border_point(const int32_t core[2], int32_t k, const int32_t at[2], double point[2]) {
  int32_t w = core[0], h = core[1];
  double s = (double)at[0] / w, t = 2.0 * at[1] / h - 1;
  if (k <= w || (k >= w + h && k <= 2 * w + h)) {
    bowl_side(s, point);
    if (k <= w) point[1] = -point[1];
  } else if (k < w + h) {
    point[0] = widest + (1 - widest) * cos(tip_angle * t);
    point[1] = sin(tip_angle * t);
  } else {
    point[0] = junction(t);
    point[1] = t * neck_width;
  }
}

// Gives the points of a disc their places in the bowl.
static void shape_bowl(lbSection *section, const int32_t core[2], int32_t rings) {
  int32_t w = core[0], h = core[1], around = 2 * (w + h);
  double *point = section->points;
  for (int32_t j = 0; j <= h; j++)
    for (int32_t i = 0; i <= w; i++, point += 2) core_point((double)i / w, 2.0 * j / h - 1, point);
  for (int32_t ring = 1; ring <= rings; ring++)
    for (int32_t k = 0; k < around; k++, point += 2) {
      int32_t at[2];
      double border[2], f = (double)ring / rings;
      lb_disc_perimeter(core, k, at);
      border_point(core, k, at, border);
      const double *inner = section->points + 2 * (at[0] + (w + 1) * at[1]);
      for (int a = 0; a < 2; a++) point[a] = (1 - f) * inner[a] + f * border[a];
    }
}

// Column i of the handle, row j; column `along` is the bowl's border.
static int32_t handle_point(const lbSection *bowl, const int32_t core[2], int32_t along, int32_t i,
                            int32_t j) {
  int32_t h = core[1], around = 2 * (core[0] + h);
  if (i < along) return bowl->point_count + i * (h + 1) + j;
  return bowl->point_count - around + (around - j) % around;
}

static void add_handle(lbSection *section, const int32_t core[2], int32_t along) {
  const lbSection bowl = *section;
  int32_t h = core[1];
  for (int32_t i = 0; i < along; i++)
    for (int32_t j = 0; j <= h; j++) {
      double u = (double)i / along, t = 2.0 * j / h - 1;
      double width = end_width + (neck_width - end_width) * u * u * (3 - 2 * u);
      lb_section_add_point(section, (1 - u) * end_bulge * t * t + u * junction(t), t * width);
    }
  for (int32_t i = 0; i < along; i++)
    for (int32_t j = 0; j < h; j++)
      lb_section_add_quad(section, handle_point(&bowl, core, along, i, j),
                          handle_point(&bowl, core, along, i + 1, j),
                          handle_point(&bowl, core, along, i + 1, j + 1),
                          handle_point(&bowl, core, along, i, j + 1));
  section->edge_count -= h; // the junction, the last edges of the disc, is no outline
  for (int32_t i = along; i > 0; i--)
    lb_section_add_edge(section, handle_point(&bowl, core, along, i, h),
                        handle_point(&bowl, core, along, i - 1, h));
  for (int32_t j = h; j > 0; j--)
    lb_section_add_edge(section, handle_point(&bowl, core, along, 0, j),
                        handle_point(&bowl, core, along, 0, j - 1));
  for (int32_t i = 0; i < along; i++)
    lb_section_add_edge(section, handle_point(&bowl, core, along, i, 0),
                        handle_point(&bowl, core, along, i + 1, 0));
  lb_section_set_edge_us(section, section->edge_count);
}

// Height of the underside, 0 to 1: a paraboloid in the bowl, with a level rim; the handle rises out
// of it to a crest and falls in a parabola to its end.
static double underside(double X, double Y) {
  const double rim = 0.4, crest = 0.36, end = 0.62;
  double xi = (X - widest) / (1 - widest);
  if (X >= neck) return rim * (xi * xi + Y * Y);
  if (X <= crest) return 1 - (1 - end) * (crest - X) * (crest - X) / (crest * crest);
  double f = (X - crest) / (neck - crest), g = 1 - f; // 1 at the neck, 0 at the crest
  double ease = f * f * (3 - 2 * f);
  double slope = -2 * rim / (1 - widest) * (neck - crest); // at the neck
  return 1 + (rim - 1) * ease - slope * f * f * g + rim * Y * Y * ease;
}

static void place_spoon_point(const lbShapeDef *def, const double point[2], double w,
                              double position[3]) {
  double height = (def->size[2] - def->thickness) * underside(point[0], point[1]);
  position[0] = def->size[0] * point[0];
  position[1] = def->size[1] / 2 * (1 + point[1]);
  position[2] = height + def->thickness * w;
}

// Of `across` cells across the bowl, on each side; more than of a disc, whose core is wider.
static int32_t ring_count(int32_t across) { return across < 8 ? 1 : across / 4; }

void lb_spoon_sweep(const lbShapeDef *def, bool fine, lbSweep *sweep) {
  int32_t along, rings, core[2];
  *sweep = (lbSweep){ .layers = fine ? 1 : def->cells[2], .place = place_spoon_point };
  if (fine) {
    int32_t side = (def->segments + 3) / 4;
    along = 3 * side, core[0] = 2 * side, core[1] = side, rings = ring_count(side);
  } else {
    along = (int32_t)lround(neck * def->cells[0]);
    int32_t bowl = def->cells[0] - along < 3 ? 3 : def->cells[0] - along;
    rings = ring_count(bowl < def->cells[1] ? bowl : def->cells[1]);
    core[0] = bowl - 2 * rings, core[1] = def->cells[1] - 2 * rings;
  }
  lbSection *section = &sweep->section;
  lb_section_disc(section, core, rings);
  if (section->out_of_memory) return;
  shape_bowl(section, core, rings);
  add_handle(section, core, along);
}
