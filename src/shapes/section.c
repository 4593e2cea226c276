// Flat sections: a grid with holes, a disc (a rounded core within rings), an annulus.
#include "shapes/shapes.h"

#include <math.h>

void lb_section_release(lbSection *section) {
  lb_free(section->points);
  lb_free(section->quads);
  lb_free(section->edges);
  lb_free(section->edge_us);
  *section = (lbSection){ 0 };
}

void lb_section_add_point(lbSection *section, double s, double t) {
  size_t count = (size_t)section->point_count;
  if (section->out_of_memory || !lb_grow((void **)&section->points, &section->point_capacity,
                                         count + 1, 2 * sizeof(double))) {
    section->out_of_memory = true;
    return;
  }
  section->points[2 * count] = s;
  section->points[2 * count + 1] = t;
  section->point_count++;
}

void lb_section_add_quad(lbSection *section, int32_t a, int32_t b, int32_t c, int32_t d) {
  size_t count = (size_t)section->quad_count;
  if (section->out_of_memory ||
      !lb_grow((void **)&section->quads, &section->quad_capacity, count + 1, 4 * sizeof(int32_t))) {
    section->out_of_memory = true;
    return;
  }
  int32_t *quad = section->quads + 4 * count;
  quad[0] = a, quad[1] = b, quad[2] = c, quad[3] = d;
  section->quad_count++;
}

void lb_section_add_edge(lbSection *section, int32_t a, int32_t b) {
  size_t count = (size_t)section->edge_count;
  if (section->out_of_memory ||
      !lb_grow((void **)&section->edges, &section->edge_capacity, count + 1, 2 * sizeof(int32_t))) {
    section->out_of_memory = true;
    return;
  }
  section->edges[2 * count] = a;
  section->edges[2 * count + 1] = b;
  section->edge_count++;
}

void lb_section_set_edge_us(lbSection *section, int32_t around) {
  if (section->out_of_memory) return;
  lb_free(section->edge_us);
  section->edge_us = lb_alloc(2 * (size_t)section->edge_count, sizeof(float));
  section->out_of_memory = !section->edge_us;
  if (!section->edge_us) return;
  for (int32_t e = 0; e < section->edge_count; e++) {
    section->edge_us[2 * e] = (float)(e % around) / (float)around;
    section->edge_us[2 * e + 1] = (float)(e % around + 1) / (float)around;
  }
}

// ---- grid --------------------------------------------------------------------------------------

typedef struct Grid {
  int32_t x_cells, y_cells;
  bool (*hole)(int32_t i, int32_t j, void *context);
  void *context;
} Grid;

static bool is_solid_section(const Grid *grid, int32_t i, int32_t j) {
  if (i < 0 || j < 0 || i >= grid->x_cells || j >= grid->y_cells) return false;
  return !grid->hole || !grid->hole(i, j, grid->context);
}

void lb_section_grid(lbSection *section, const double *xs, int32_t x_cells, const double *ys,
                     int32_t y_cells, bool (*hole)(int32_t i, int32_t j, void *context),
                     void *context) {
  Grid grid = { x_cells, y_cells, hole, context };
  int32_t row = x_cells + 1;
  int32_t *ids = lb_alloc((size_t)row * ((size_t)y_cells + 1), sizeof(int32_t));
  if (!ids) {
    section->out_of_memory = true;
    return;
  }
  for (int32_t j = 0; j <= y_cells; j++)
    for (int32_t i = 0; i <= x_cells; i++) {
      if (!is_solid_section(&grid, i, j) && !is_solid_section(&grid, i - 1, j) &&
          !is_solid_section(&grid, i, j - 1) && !is_solid_section(&grid, i - 1, j - 1))
        continue;
      ids[i + (size_t)row * j] = section->point_count;
      lb_section_add_point(section, xs[i], ys[j]);
    }
  for (int32_t j = 0; j < y_cells; j++)
    for (int32_t i = 0; i < x_cells; i++) {
      if (!is_solid_section(&grid, i, j)) continue;
      const int32_t *low = ids + i + (size_t)row * j, *high = low + row;
      lb_section_add_quad(section, low[0], low[1], high[1], high[0]);
      if (!is_solid_section(&grid, i, j - 1)) lb_section_add_edge(section, low[0], low[1]);
      if (!is_solid_section(&grid, i + 1, j)) lb_section_add_edge(section, low[1], high[1]);
      if (!is_solid_section(&grid, i, j + 1)) lb_section_add_edge(section, high[1], high[0]);
      if (!is_solid_section(&grid, i - 1, j)) lb_section_add_edge(section, high[0], low[0]);
    }
  lb_free(ids);
}

// ---- disc --------------------------------------------------------------------------------------

int32_t lb_shape_ring_count(int32_t across) {
  int32_t rings = (across + 2) / 6;
  return rings < 1 ? 1 : rings;
}

double lb_shape_core_half(const int32_t *core, int axes, int32_t rings) {
  double half = 0.65; // leaves the rings room at the core's corners
  for (int a = 0; a < axes; a++) half = fmin(half, (double)core[a] / (core[a] + 2 * rings));
  return half;
}

void lb_shape_core_point(const double *u, double half, int axes, double *point) {
  for (int a = 0; a < axes; a++) {
    double p = u[(a + 1) % axes], q = axes == 3 ? u[(a + 2) % axes] : 0;
    double ball = u[a] * sqrt(1 - p * p / 2 - q * q / 2 + p * p * q * q / 3);
    point[a] = half * 0.5 * (u[a] + ball);
  }
}

void lb_disc_perimeter(const int32_t core[2], int32_t k, int32_t at[2]) {
  int32_t w = core[0], h = core[1];
  if (k < w)
    at[0] = k, at[1] = 0;
  else if (k < w + h)
    at[0] = w, at[1] = k - w;
  else if (k < 2 * w + h)
    at[0] = 2 * w + h - k, at[1] = h;
  else
    at[0] = 0, at[1] = 2 * (w + h) - k;
}

// The direction in which perimeter point k looks: a quarter turn a side, in even steps.
static double perimeter_angle(const int32_t core[2], int32_t k) {
  int32_t w = core[0], h = core[1];
  double side, along;
  if (k < w)
    side = 0, along = (double)k / w;
  else if (k < w + h)
    side = 1, along = (double)(k - w) / h;
  else if (k < 2 * w + h)
    side = 2, along = (double)(k - w - h) / w;
  else
    side = 3, along = (double)(k - 2 * w - h) / h;
  return LB_PI / 2 * (side + along) - 0.75 * LB_PI;
}

// The core, x fastest, then ring by ring from the inside, each counter-clockwise.
static void add_disc_points(lbSection *section, const int32_t core[2], int32_t rings) {
  int32_t w = core[0], h = core[1], around = 2 * (w + h);
  double half = lb_shape_core_half(core, 2, rings);
  for (int32_t j = 0; j <= h; j++)
    for (int32_t i = 0; i <= w; i++) {
      double u[2] = { 2.0 * i / w - 1, 2.0 * j / h - 1 }, p[2];
      lb_shape_core_point(u, half, 2, p);
      lb_section_add_point(section, p[0], p[1]);
    }
  for (int32_t ring = 1; ring <= rings; ring++)
    for (int32_t k = 0; k < around && !section->out_of_memory; k++) {
      int32_t at[2];
      lb_disc_perimeter(core, k, at);
      const double *inner = section->points + 2 * (at[0] + (w + 1) * at[1]);
      double angle = perimeter_angle(core, k), f = (double)ring / rings;
      lb_section_add_point(section, (1 - f) * inner[0] + f * cos(angle),
                           (1 - f) * inner[1] + f * sin(angle));
    }
}

// The point k of a ring; ring 0 is the perimeter of the core.
static int32_t ring_point(const int32_t core[2], int32_t ring, int32_t k) {
  int32_t w = core[0], h = core[1], around = 2 * (w + h), at[2];
  if (ring > 0) return (w + 1) * (h + 1) + (ring - 1) * around + k % around;
  lb_disc_perimeter(core, k % around, at);
  return at[0] + (w + 1) * at[1];
}

void lb_section_disc(lbSection *section, const int32_t core[2], int32_t rings) {
  int32_t w = core[0], h = core[1], around = 2 * (w + h);
  add_disc_points(section, core, rings);
  for (int32_t j = 0; j < h; j++)
    for (int32_t i = 0; i < w; i++) {
      int32_t low = i + (w + 1) * j, high = low + w + 1;
      lb_section_add_quad(section, low, low + 1, high + 1, high);
    }
  for (int32_t ring = 0; ring < rings; ring++)
    for (int32_t k = 0; k < around; k++)
      lb_section_add_quad(section, ring_point(core, ring, k), ring_point(core, ring + 1, k),
                          ring_point(core, ring + 1, k + 1), ring_point(core, ring, k + 1));
  for (int32_t k = 0; k < around; k++)
    lb_section_add_edge(section, ring_point(core, rings, k), ring_point(core, rings, k + 1));
  lb_section_set_edge_us(section, around);
}

// ---- annulus -----------------------------------------------------------------------------------

void lb_section_annulus(lbSection *section, const double outer[2], double thickness, int32_t around,
                        int32_t layers) {
  for (int32_t layer = 0; layer <= layers; layer++)
    for (int32_t k = 0; k < around; k++) {
      double angle = 2 * LB_PI * k / around, inset = thickness * (layers - layer) / layers;
      lb_section_add_point(section, (outer[0] - inset) * cos(angle),
                           (outer[1] - inset) * sin(angle));
    }
  int32_t last = layers * around;
  for (int32_t layer = 0; layer < layers; layer++)
    for (int32_t k = 0; k < around; k++) {
      int32_t next = (k + 1) % around, a = layer * around;
      lb_section_add_quad(section, a + k, a + around + k, a + around + next, a + next);
    }
  for (int32_t k = 0; k < around; k++)
    lb_section_add_edge(section, last + k, last + (k + 1) % around);
  for (int32_t k = around; k > 0; k--) lb_section_add_edge(section, k % around, k - 1);
  lb_section_set_edge_us(section, around);
}
