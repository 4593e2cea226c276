// Shapes with flat faces made of a grid section: bar and plate (swept along z), tee (along y).
#include "shapes/shapes.h"

#include <math.h>

// `count` + 1 even steps from `from` to `to`, both met exactly, written from line[0] on.
static void even_lines(double *line, double from, double to, int32_t count) {
  for (int32_t i = 0; i <= count; i++) line[i] = from + (to - from) * ((double)i / count);
  line[count] = to;
}

static void place_bar(const lbShapeDef *def, const double point[2], double w, double position[3]) {
  position[0] = point[0];
  position[1] = point[1];
  position[2] = w * def->size[2];
}

void lb_bar_sweep(const lbShapeDef *def, bool fine, lbSweep *sweep) {
  (void)fine; // flat faces: the cells of the volume serve
  double *xs = lb_alloc((size_t)def->cells[0] + 1, sizeof(double));
  double *ys = lb_alloc((size_t)def->cells[1] + 1, sizeof(double));
  *sweep = (lbSweep){ .layers = def->cells[2], .place = place_bar };
  sweep->section.out_of_memory = !xs || !ys;
  if (xs && ys) {
    even_lines(xs, 0, def->size[0], def->cells[0]);
    even_lines(ys, 0, def->size[1], def->cells[1]);
    lb_section_grid(&sweep->section, xs, def->cells[0], ys, def->cells[1], NULL, NULL);
  }
  lb_free(xs);
  lb_free(ys);
}

// ---- tee ---------------------------------------------------------------------------------------

typedef struct Tee {
  int32_t stem_height;          // cells below the crossbar
  int32_t stem_begin, stem_end; // cells across
} Tee;

// The section's first axis is z, its second x, so that the sweep goes along +y.
static bool beside_stem(int32_t i, int32_t j, void *context) {
  const Tee *tee = context;
  return i < tee->stem_height && (j < tee->stem_begin || j >= tee->stem_end);
}

static void place_tee(const lbShapeDef *def, const double point[2], double w, double position[3]) {
  position[0] = point[1];
  position[1] = w * def->size[1];
  position[2] = point[0];
}

// The share of `cells` that a length gets, at least one.
static int32_t share(int32_t cells, double length, double whole) {
  int32_t n = (int32_t)lround(cells * length / whole);
  return n < 1 ? 1 : n;
}

void lb_tee_sweep(const lbShapeDef *def, bool fine, lbSweep *sweep) {
  (void)fine;
  double width = def->size[0], height = def->size[2], thickness = def->thickness;
  double arm = (width - thickness) / 2, stem = height - thickness;
  int32_t arm_cells = share(def->cells[0], arm, width);
  int32_t stem_cells = share(def->cells[2], stem, height);
  int32_t across = share(def->cells[0], thickness, width) + 2 * arm_cells;
  int32_t along = share(def->cells[2], thickness, height) + stem_cells;
  Tee tee = { stem_cells, arm_cells, across - arm_cells };
  double *zs = lb_alloc((size_t)along + 1, sizeof(double));
  double *xs = lb_alloc((size_t)across + 1, sizeof(double));
  *sweep = (lbSweep){ .layers = def->cells[1], .place = place_tee };
  sweep->section.out_of_memory = !zs || !xs;
  if (zs && xs) {
    even_lines(zs, 0, stem, stem_cells);
    even_lines(zs + stem_cells, stem, height, along - stem_cells);
    even_lines(xs, 0, arm, arm_cells);
    even_lines(xs + arm_cells, arm, width - arm, across - 2 * arm_cells);
    even_lines(xs + across - arm_cells, width - arm, width, arm_cells);
    lb_section_grid(&sweep->section, zs, along, xs, across, beside_stem, &tee);
  }
  lb_free(zs);
  lb_free(xs);
}
