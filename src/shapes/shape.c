// The table of built-in shapes: names, defaults, checks of the parameters, groups.
#include "shapes/implicit.h"

#include <math.h>
#include <string.h>

#define MAX_VERTICES 50e6

typedef struct ShapeEntry {
  lbShapeInfo info;
  lbShapeDef defaults;
  int32_t least_cells[3];
  bool round[3]; // axes whose ends are the outermost tenth
  bool any_round;
  void (*sweep)(const lbShapeDef *def, bool fine, lbSweep *sweep); // or
  void (*lattice)(const lbShapeDef *def, lbLattice *lattice);      // or these two:
  void (*volume)(lbMeshBuilder *builder, const lbShapeDef *def);
  void (*surface)(lbMeshBuilder *builder, const lbShapeDef *def);
  const lbImplicit *implicit; // or this
} ShapeEntry;

static const ShapeEntry shapes[LB_SHAPE_COUNT] = {
  [LB_SHAPE_BAR] = { { "bar", "a straight bar, long along x", "size cells element" },
                     { .size = { 1, 0.1, 0.1 }, .cells = { 20, 2, 2 } },
                     .least_cells = { 1, 1, 1 },
                     .sweep = lb_bar_sweep },
  [LB_SHAPE_PLATE] = { { "plate", "a flat plate, thin along z", "size cells element" },
                       { .size = { 1, 1, 0.05 }, .cells = { 20, 20, 1 } },
                       .least_cells = { 1, 1, 1 },
                       .sweep = lb_bar_sweep },
  [LB_SHAPE_TUBE] = { { "tube", "a hollow cylinder along z; cells around, through the wall, along",
                        "size cells element thickness segments" },
                      { .size = { 0.3, 0.3, 1 }, .cells = { 24, 2, 20 }, .thickness = 0.05 },
                      .least_cells = { 3, 1, 1 },
                      .round = { true, true, false },
                      .any_round = true,
                      .sweep = lb_tube_sweep },
  [LB_SHAPE_CYLINDER] = { { "cylinder", "a solid cylinder along z; cells across, across, along",
                            "size cells element segments" },
                          { .size = { 0.3, 0.3, 1 }, .cells = { 6, 6, 20 } },
                          .least_cells = { 3, 3, 1 },
                          .round = { true, true, false },
                          .any_round = true,
                          .sweep = lb_cylinder_sweep },
  [LB_SHAPE_SPHERE] = { { "sphere", "a sphere, or an ellipsoid; cells across",
                          "size cells element segments" },
                        { .size = { 1, 1, 1 }, .cells = { 8, 8, 8 } },
                        .least_cells = { 3, 3, 3 },
                        .round = { true, true, true },
                        .any_round = true,
                        .volume = lb_sphere_volume,
                        .surface = lb_sphere_surface },
  [LB_SHAPE_TORUS] = { { "torus", "a ring around z, size[2] thick; cells around, across, across",
                         "size cells element segments" },
                       { .size = { 1, 1, 0.3 }, .cells = { 32, 6, 6 } },
                       .least_cells = { 3, 3, 3 },
                       .round = { true, true, true },
                       .any_round = true,
                       .sweep = lb_torus_sweep },
  [LB_SHAPE_TEE] = { { "tee", "a T: a stem along z, a crossbar along x on top",
                       "size cells element thickness" },
                     { .size = { 1, 0.3, 1 }, .cells = { 9, 3, 9 }, .thickness = 0.3 },
                     .least_cells = { 1, 1, 1 },
                     .sweep = lb_tee_sweep },
  [LB_SHAPE_SPONGE] = { { "sponge", "a Menger sponge; cells of each smallest cube",
                          "size cells element level" },
                        { .size = { 1, 1, 1 }, .cells = { 1, 1, 1 }, .level = 2 },
                        .least_cells = { 1, 1, 1 },
                        .lattice = lb_sponge_lattice },
  [LB_SHAPE_SPOON] = { { "spoon", "a spoon along x, hollow side up; cells along, across, through",
                         "size cells element thickness segments" },
                       { .size = { 1, 0.22, 0.12 }, .cells = { 60, 10, 2 }, .thickness = 0.02 },
                       .least_cells = { 3, 3, 1 },
                       .round = { true, true, true },
                       .any_round = true,
                       .sweep = lb_spoon_sweep },
  [LB_SHAPE_BRIDGE] = { { "bridge",
                          "a deck on two feet, with railings; cells[0] bays between posts",
                          "size cells element thickness" },
                        { .size = { 4, 0.5, 0.36 }, .cells = { 49, 8, 3 }, .thickness = 0.02 },
                        .least_cells = { 1, 1, 1 },
                        .lattice = lb_bridge_lattice },
  [LB_SHAPE_CACTUS] = { { "cactus", "a ribbed cactus with two arms; cells along x, y, z",
                          "size cells element segments" },
                        { .size = { 0.76, 0.27, 1 }, .cells = { 24, 9, 32 } },
                        .least_cells = { 3, 3, 3 },
                        .round = { true, true, true },
                        .any_round = true,
                        .implicit = &lb_cactus },
  [LB_SHAPE_TURTLE] = { { "turtle", "a turtle, its head along x; cells along x, y, z",
                          "size cells element segments" },
                        { .size = { 1.15, 0.75, 0.42 }, .cells = { 30, 20, 11 } },
                        .least_cells = { 3, 3, 3 },
                        .round = { true, true, true },
                        .any_round = true,
                        .implicit = &lb_turtle },
  [LB_SHAPE_FIGURE] = { { "figure", "a little person in a bobble hat; cells along x, y, z",
                          "size cells element segments" },
                        { .size = { 0.87, 0.42, 1 }, .cells = { 23, 11, 26 } },
                        .least_cells = { 3, 3, 3 },
                        .round = { true, true, true },
                        .any_round = true,
                        .implicit = &lb_figure },
  [LB_SHAPE_TOWER] = { { "tower",
                         "a lattice tower that tapers; bays, cells of a brace, cells of a leg",
                         "size cells element thickness" },
                       { .size = { 1, 1, 3.6 }, .cells = { 8, 3, 2 }, .thickness = 0.07 },
                       .least_cells = { 1, 1, 1 },
                       .round = { true, true, false },
                       .volume = lb_tower_volume,
                       .surface = lb_tower_surface },
  [LB_SHAPE_BOWL] = { { "bowl", "a thin bowl on a foot; cells around, through the wall, along it",
                        "size cells element thickness segments" },
                      { .size = { 1, 1, 0.5 }, .cells = { 32, 2, 12 }, .thickness = 0.04 },
                      .least_cells = { 3, 1, 3 },
                      .round = { true, true, true },
                      .any_round = true,
                      .volume = lb_bowl_volume,
                      .surface = lb_bowl_surface },
  [LB_SHAPE_SHEET] = { { "sheet", "a flat sheet for shells: triangles along x, rows along y",
                         "size cells" },
                       { .size = { 1, 1, 1 }, .cells = { 20, 23, 1 } },
                       .least_cells = { 1, 1, 1 },
                       .volume = lb_sheet_mesh,
                       .surface = lb_sheet_mesh },
  [LB_SHAPE_GRID] = { { "grid", "a flat sheet for shells: cells along x and y, cut in two",
                        "size cells" },
                      { .size = { 1, 1, 1 }, .cells = { 20, 20, 1 } },
                      .least_cells = { 1, 1, 1 },
                      .volume = lb_grid_mesh,
                      .surface = lb_grid_mesh },
  [LB_SHAPE_PIPE] = { { "pipe", "an open cylinder for shells: triangles around, any, rows along z",
                        "size cells" },
                      { .size = { 0.3, 0.3, 1 }, .cells = { 24, 1, 30 } },
                      .least_cells = { 3, 1, 1 },
                      .round = { true, true, false },
                      .volume = lb_pipe_mesh,
                      .surface = lb_pipe_mesh },
};

static bool is_shape(lbShape shape) { return (unsigned)shape < LB_SHAPE_COUNT; }

lbShapeDef lb_shape_def(const char *name) {
  for (int i = 0; i < LB_SHAPE_COUNT; i++)
    if (strcmp(name, shapes[i].info.name) == 0) {
      lbShapeDef def = shapes[i].defaults;
      def.shape = (lbShape)i;
      def.segments = 96;
      return def;
    }
  return (lbShapeDef){ .shape = LB_SHAPE_COUNT };
}

const lbShapeInfo *lb_shape_info(lbShape shape) {
  return is_shape(shape) ? &shapes[shape].info : NULL;
}

const char *lb_shape_name(lbShape shape) { return is_shape(shape) ? shapes[shape].info.name : ""; }

// ---- checks ------------------------------------------------------------------------------------

static lbStatus check_shape_count(const lbShapeDef *def, bool fine, const char *name,
                                  lbError *err) {
  double cubes = def->shape == LB_SHAPE_SPONGE ? pow(3, def->level) : 1, points = 1;
  for (int a = 0; a < 3; a++) points *= cubes * def->cells[a] + 1;
  const double n[3] = { def->cells[0], def->cells[1], def->cells[2] };
  if (def->shape == LB_SHAPE_TOWER)
    points = 4 * n[0] * ((n[1] + 3) * (n[2] + 1) * (n[2] + 1) + 6 * (n[1] + 1) * (n[2] + 3));
  if (def->shape == LB_SHAPE_BOWL) points = (n[0] + 4) * (2 * n[1] + 1) * (n[2] + (n[0] + 4) / 8);
  if (def->shape == LB_SHAPE_BRIDGE)
    points = (3.0 * def->cells[0] + 2) * (def->cells[1] + 3.0) * (3.0 * def->cells[2] + 5);
  if (fine && shapes[def->shape].any_round)
    points = fmax(points, def->segments * (2.0 * def->cells[1] + 4.0 * def->cells[2]));
  if (points > MAX_VERTICES)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: cells: %d x %d x %d make about %.3g vertices, more than %.0f million, use "
                   "fewer",
                   name, (int)def->cells[0], (int)def->cells[1], (int)def->cells[2], points,
                   MAX_VERTICES / 1e6);
  return LB_OK;
}

// The surface of a rounded solid has a grid of its own.
static lbStatus check_shape_grid(const lbShapeDef *def, const char *name, lbError *err) {
  int32_t cells[3];
  if (!shapes[def->shape].implicit) return LB_OK;
  lb_implicit_grid(shapes[def->shape].implicit, def->segments, cells);
  double count = (double)cells[0] * cells[1] * cells[2];
  if (count <= MAX_VERTICES) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "%s: segments: %d make a grid of %.3g cells, more than %.0f million, use fewer",
                 name, (int)def->segments, count, MAX_VERTICES / 1e6);
}

static lbStatus check_thickness(const lbShapeDef *def, const char *name, lbError *err) {
  const double *size = def->size;
  const char *why = "";
  double limit = 0;
  switch (def->shape) {
  case LB_SHAPE_TUBE: limit = fmin(size[0], size[1]) / 2, why = "the radius"; break;
  case LB_SHAPE_TEE:
    limit = fmin(size[0], size[2]), why = "the smaller of size[0] and size[2]";
    break;
  case LB_SHAPE_SPOON: limit = size[2], why = "size[2]"; break;
  case LB_SHAPE_TOWER:
    limit = lb_tower_thickness_limit(def);
    why = "a third of the width and a quarter of the bay at the top";
    break;
  case LB_SHAPE_BOWL:
    limit = fmin(size[0], fmin(size[1], size[2])) / 6, why = "a sixth of the smallest size";
    break;
  case LB_SHAPE_BRIDGE:
    limit = fmin(size[0] / (def->cells[0] + 1.0), fmin(size[1] / 2, size[2] / 4));
    why = "the smallest of size[0] / (cells[0] + 1), size[1] / 2 and size[2] / 4";
    break;
  default: return LB_OK;
  }
  if (def->thickness > 0 && def->thickness < limit) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "%s: thickness must be more than 0 and less than %g (%s), got %g", name, limit,
                 why, def->thickness);
}

static lbStatus check_shape_def(const lbShapeDef *def, bool fine, lbError *err) {
  if (!is_shape(def->shape))
    return lb_fail(err, LB_ERR_ARGUMENT, "shape: there is no shape number %d", (int)def->shape);
  const char *name = lb_shape_name(def->shape);
  for (int a = 0; a < 3; a++)
    if (!(def->size[a] > 0 && def->size[a] <= 1e9 && def->size[a] >= 1e-9))
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "%s: size[%d] must be a length from 1e-9 to 1e9 metres, got %g", name, a,
                     def->size[a]);
  for (int a = 0; a < 3; a++)
    if (def->cells[a] < shapes[def->shape].least_cells[a])
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: cells[%d] must be at least %d, got %d", name, a,
                     (int)shapes[def->shape].least_cells[a], (int)def->cells[a]);
  if ((unsigned)def->element >= LB_ELEMENT_VOLUME_KIND_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: element must be tet4 or brick8, got number %d", name,
                   (int)def->element);
  if (def->shape == LB_SHAPE_SPONGE && (def->level < 0 || def->level > 5))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: level must be 0 to 5, got %d", name, (int)def->level);
  if (def->shape == LB_SHAPE_TORUS && !(def->size[2] < fmin(def->size[0], def->size[1]) / 2))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: size[2] must be less than half of size[0] and size[1] to leave a hole, got "
                   "%g",
                   name, def->size[2]);
  if (shapes[def->shape].any_round && (def->segments < 8 || def->segments > 4096))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: segments must be 8 to 4096, got %d", name,
                   (int)def->segments);
  if (def->shape == LB_SHAPE_TOWER && def->cells[2] > LB_TOWER_LEG_CELLS)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: cells[2] must be at most %d, got %d", name,
                   LB_TOWER_LEG_CELLS, (int)def->cells[2]);
  lbStatus status = check_thickness(def, name, err);
  if (!status && fine) status = check_shape_grid(def, name, err);
  return status ? status : check_shape_count(def, fine, name, err);
}

// ---- groups ------------------------------------------------------------------------------------

static void add_end_groups(lbMeshBuilder *builder, const ShapeEntry *entry) {
  static const char *const names[3][2] = { { "left", "right" },
                                           { "front", "back" },
                                           { "bottom", "top" } };
  if (builder->out_of_memory) return;
  const double *x = builder->mesh->positions;
  size_t count = (size_t)builder->mesh->vertex_count;
  for (size_t a = 0; a < 3; a++) {
    double low = x[a], high = x[a];
    for (size_t i = 1; i < count; i++) {
      low = fmin(low, x[3 * i + a]);
      high = fmax(high, x[3 * i + a]);
    }
    double margin = (entry->round[a] ? 0.1 : 1e-9) * (high - low);
    int32_t near = lb_mesh_add_group(builder, LB_GROUP_VERTICES, 0, names[a][0]);
    int32_t far = lb_mesh_add_group(builder, LB_GROUP_VERTICES, 0, names[a][1]);
    for (size_t i = 0; i < count; i++) {
      if (x[3 * i + a] <= low + margin) lb_mesh_add_to_group(builder, near, (int32_t)i);
      if (x[3 * i + a] >= high - margin) lb_mesh_add_to_group(builder, far, (int32_t)i);
    }
  }
}

// ---- both meshes -------------------------------------------------------------------------------

static lbStatus make_shape_mesh(const lbShapeDef *def, bool fine, lbMesh **out, lbError *err) {
  lbStatus status = check_shape_def(def, fine, err);
  if (status) return status;
  const ShapeEntry *entry = &shapes[def->shape];
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  if (entry->sweep) {
    lbSweep sweep;
    entry->sweep(def, fine, &sweep);
    builder.out_of_memory = builder.out_of_memory || sweep.section.out_of_memory;
    if (!builder.out_of_memory) (fine ? lb_sweep_surface : lb_sweep_volume)(&builder, def, &sweep);
    lb_section_release(&sweep.section);
  } else if (entry->lattice) {
    lbLattice lattice;
    entry->lattice(def, &lattice);
    builder.out_of_memory = builder.out_of_memory || lattice.out_of_memory;
    if (!builder.out_of_memory)
      (fine ? lb_lattice_surface : lb_lattice_volume)(&builder, def, &lattice);
    lb_lattice_release(&lattice);
  } else if (entry->implicit) {
    (fine ? lb_implicit_surface : lb_implicit_volume)(&builder, def, entry->implicit);
  } else {
    (fine ? entry->surface : entry->volume)(&builder, def);
  }
  add_end_groups(&builder, entry);
  return lb_mesh_builder_finish(&builder, entry->info.name, out, err);
}

lbStatus lb_shape_volume(const lbShapeDef *def, lbMesh **out, lbError *err) {
  return make_shape_mesh(def, false, out, err);
}

lbStatus lb_shape_surface(const lbShapeDef *def, lbMesh **out, lbError *err) {
  return make_shape_mesh(def, true, out, err);
}
