// Shapes with a round section: cylinder, tube (swept along z) and torus (swept around z). A round
// section of n cells across is a core of cells within rings, so no cell has a flat corner.
#include "shapes/shapes.h"

#include <math.h>

static void make_disc(bool fine, int32_t across0, int32_t across1, int32_t segments,
                      lbSection *section) {
  if (fine) { // only the outline must be fine: a flat cap takes a few rings
    int32_t side = (segments + 3) / 4, rings = side / 6 < 1 ? 1 : side / 6;
    lb_section_disc(section, (int32_t[2]){ side, side }, rings);
    return;
  }
  int32_t rings = lb_shape_ring_count(across0 < across1 ? across0 : across1);
  lb_section_disc(section, (int32_t[2]){ across0 - 2 * rings, across1 - 2 * rings }, rings);
}

static void place_cylinder(const lbShapeDef *def, const double point[2], double w,
                           double position[3]) {
  position[0] = def->size[0] / 2 * (1 + point[0]);
  position[1] = def->size[1] / 2 * (1 + point[1]);
  position[2] = w * def->size[2];
}

void lb_cylinder_sweep(const lbShapeDef *def, bool fine, lbSweep *sweep) {
  *sweep = (lbSweep){ .layers = (fine ? 2 : 1) * def->cells[2], .place = place_cylinder };
  make_disc(fine, def->cells[0], def->cells[1], def->segments, &sweep->section);
}

static void place_tube(const lbShapeDef *def, const double point[2], double w, double position[3]) {
  position[0] = def->size[0] / 2 + point[0];
  position[1] = def->size[1] / 2 + point[1];
  position[2] = w * def->size[2];
}

void lb_tube_sweep(const lbShapeDef *def, bool fine, lbSweep *sweep) {
  *sweep = (lbSweep){ .layers = (fine ? 2 : 1) * def->cells[2], .place = place_tube };
  double outer[2] = { def->size[0] / 2, def->size[1] / 2 };
  int32_t around = fine ? (def->segments + 3) / 4 * 4 : def->cells[0];
  lb_section_annulus(&sweep->section, outer, def->thickness, around, def->cells[1]);
}

// The section's first axis is z, its second points away from the axis.
static void place_torus(const lbShapeDef *def, const double point[2], double w,
                        double position[3]) {
  double radius = def->size[2] / 2, out = radius * (1 + point[1]), angle = 2 * LB_PI * w;
  double reach[2] = { def->size[0] / 2 - 2 * radius + out, def->size[1] / 2 - 2 * radius + out };
  position[0] = def->size[0] / 2 + reach[0] * cos(angle);
  position[1] = def->size[1] / 2 + reach[1] * sin(angle);
  position[2] = radius * (1 + point[0]);
}

void lb_torus_sweep(const lbShapeDef *def, bool fine, lbSweep *sweep) {
  int32_t around = fine ? (def->segments + 3) / 4 * 4 : def->cells[0];
  *sweep = (lbSweep){ .layers = around, .closed = true, .place = place_torus };
  int32_t segments = def->segments / 2 < 8 ? 8 : def->segments / 2;
  make_disc(fine, def->cells[2], def->cells[1], segments, &sweep->section);
}
