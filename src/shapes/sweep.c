// Sweeps a flat section into a volume mesh, or its outline into a surface with the section as caps.
#include "shapes/shapes.h"

static int32_t add_placed(lbMeshBuilder *builder, const lbShapeDef *def, const lbSweep *sweep,
                          int32_t point, int32_t layer) {
  double p[3];
  sweep->place(def, sweep->section.points + 2 * (size_t)point, (double)layer / sweep->layers, p);
  return lb_mesh_add_vertex(builder, p[0], p[1], p[2]);
}

void lb_sweep_volume(lbMeshBuilder *builder, const lbShapeDef *def, const lbSweep *sweep) {
  const lbSection *section = &sweep->section;
  int32_t n = section->point_count, rows = sweep->layers + (sweep->closed ? 0 : 1);
  for (int32_t k = 0; k < rows; k++)
    for (int32_t i = 0; i < n; i++) add_placed(builder, def, sweep, i, k);
  for (int32_t k = 0; k < sweep->layers; k++)
    for (int32_t q = 0; q < section->quad_count; q++) {
      int32_t brick[8];
      for (int i = 0; i < 4; i++) {
        brick[i] = section->quads[4 * (size_t)q + (size_t)i] + n * k;
        brick[i + 4] = section->quads[4 * (size_t)q + (size_t)i] + n * ((k + 1) % rows);
      }
      lb_shape_add_cell(builder, def->element, brick);
    }
}

// ---- surface -----------------------------------------------------------------------------------

// Vertices: the whole section at the two ends, its outline alone between them (and everywhere when
// closed). `outline` numbers the outline's points, -1 elsewhere.
typedef struct Skin {
  lbMeshBuilder *builder;
  const lbShapeDef *def;
  const lbSweep *sweep;
  int32_t *outline;
  int32_t outline_count;
  float low[2], extent[2]; // the section's box, for the UVs of round caps
} Skin;

static int32_t skin_vertex(const Skin *skin, int32_t point, int32_t layer) {
  const lbSweep *sweep = skin->sweep;
  int32_t n = sweep->section.point_count, on_outline = skin->outline[point];
  if (sweep->closed) return on_outline + skin->outline_count * (layer % sweep->layers);
  if (layer == 0) return point;
  int32_t between = n + skin->outline_count * (layer - 1);
  return layer == sweep->layers ? between + point : between + on_outline;
}

static void add_skin_vertices(const Skin *skin) {
  const lbSweep *sweep = skin->sweep;
  int32_t rows = sweep->layers + (sweep->closed ? 0 : 1);
  for (int32_t k = 0; k < rows; k++) {
    bool cap = !sweep->closed && (k == 0 || k == sweep->layers);
    for (int32_t i = 0; i < sweep->section.point_count; i++)
      if (cap || skin->outline[i] >= 0) add_placed(skin->builder, skin->def, sweep, i, k);
  }
}

static void add_cap(const Skin *skin, bool end) {
  const lbSection *section = &skin->sweep->section;
  for (int32_t q = 0; q < section->quad_count; q++) {
    lbShapeCorner corners[4];
    int32_t quad[4];
    for (int i = 0; i < 4; i++) {
      int32_t point = section->quads[4 * (size_t)q + (size_t)(end ? i : 3 - i)];
      const double *p = section->points + 2 * (size_t)point;
      quad[i] = skin_vertex(skin, point, end ? skin->sweep->layers : 0);
      float u = ((float)p[0] - skin->low[0]) / skin->extent[0];
      float up = ((float)p[1] - skin->low[1]) / skin->extent[1];
      corners[i] = (lbShapeCorner){ quad[i], end ? u : 1 - u, 1 - up };
    }
    if (section->edge_us)
      lb_shape_add_quad(skin->builder, corners);
    else
      lb_shape_add_flat_quad(skin->builder, skin->def, quad);
  }
}

static void add_sides(const Skin *skin) {
  const lbSection *section = &skin->sweep->section;
  int32_t layers = skin->sweep->layers;
  for (int32_t k = 0; k < layers; k++)
    for (int32_t e = 0; e < section->edge_count; e++) {
      int32_t a = section->edges[2 * (size_t)e], b = section->edges[2 * (size_t)e + 1];
      int32_t quad[4] = { skin_vertex(skin, a, k), skin_vertex(skin, b, k),
                          skin_vertex(skin, b, k + 1), skin_vertex(skin, a, k + 1) };
      if (!section->edge_us) {
        lb_shape_add_flat_quad(skin->builder, skin->def, quad);
        continue;
      }
      const float *us = section->edge_us + 2 * (size_t)e;
      float v0 = 1 - (float)k / (float)layers, v1 = 1 - (float)(k + 1) / (float)layers;
      lbShapeCorner corners[4] = { { quad[0], us[0], v0 },
                                   { quad[1], us[1], v0 },
                                   { quad[2], us[1], v1 },
                                   { quad[3], us[0], v1 } };
      lb_shape_add_quad(skin->builder, corners);
    }
}

static void measure_section(const lbSection *section, float low[2], float extent[2]) {
  for (int a = 0; a < 2; a++) {
    double lo = section->points[a], hi = lo;
    for (int32_t i = 1; i < section->point_count; i++) {
      double x = section->points[2 * (size_t)i + (size_t)a];
      lo = x < lo ? x : lo;
      hi = x > hi ? x : hi;
    }
    low[a] = (float)lo, extent[a] = (float)(hi - lo);
  }
}

void lb_sweep_surface(lbMeshBuilder *builder, const lbShapeDef *def, const lbSweep *sweep) {
  const lbSection *section = &sweep->section;
  Skin skin = { .builder = builder, .def = def, .sweep = sweep };
  skin.outline = lb_alloc((size_t)section->point_count, sizeof(int32_t));
  if (!skin.outline) {
    builder->out_of_memory = true;
    return;
  }
  for (int32_t i = 0; i < 2 * section->edge_count; i++) skin.outline[section->edges[i]] = 1;
  for (int32_t i = 0; i < section->point_count; i++)
    skin.outline[i] = skin.outline[i] ? skin.outline_count++ : -1;
  measure_section(section, skin.low, skin.extent);
  add_skin_vertices(&skin);
  add_sides(&skin);
  if (!sweep->closed) add_cap(&skin, false);
  if (!sweep->closed) add_cap(&skin, true);
  lb_free(skin.outline);
}
