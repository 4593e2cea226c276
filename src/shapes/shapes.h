// What the shapes share: flat sections that are swept into volumes and surfaces, and the emission
// of cells.
#ifndef LB_SHAPES_H
#define LB_SHAPES_H

#include "limber/shape.h"
#include "mesh/builder.h"

// ---- cells -------------------------------------------------------------------------------------

// A brick, or the six tets it splits into: from its smallest vertex id to the opposite faces, quads
// cut from their smallest id, so that neighbours agree whatever their orientation.
void lb_shape_add_cell(lbMeshBuilder *builder, lbElementKind element, const int32_t brick[8]);

// A corner of a surface: vertex and UV.
typedef struct lbShapeCorner {
  int32_t vertex;
  float u, v;
} lbShapeCorner;

void lb_shape_add_triangle(lbMeshBuilder *builder, lbShapeCorner a, lbShapeCorner b,
                           lbShapeCorner c);
void lb_shape_add_quad(lbMeshBuilder *builder, const lbShapeCorner quad[4]);
// A corner with the UV of its position, seen along the axis that the normal is nearest to.
lbShapeCorner lb_shape_flat_corner(const lbShapeDef *def, int32_t vertex, const double position[3],
                                   const double normal[3]);
// A quad with UVs seen straight on, along the axis that its normal is nearest to.
void lb_shape_add_flat_quad(lbMeshBuilder *builder, const lbShapeDef *def, const int32_t quad[4]);

// ---- sections ----------------------------------------------------------------------------------

// Points (s, t) and quads in the plane, counter-clockwise, with the outline: edges that have the
// material on their left, and u along it (0 to 1 around; unused by shapes with flat faces).
typedef struct lbSection {
  int32_t point_count, quad_count, edge_count;
  size_t point_capacity, quad_capacity, edge_capacity;
  double *points; // (point_count x 2)
  int32_t *quads; // (quad_count x 4)
  int32_t *edges; // (edge_count x 2)
  float *edge_us; // (edge_count x 2), NULL for flat faces
  bool out_of_memory;
} lbSection;

void lb_section_release(lbSection *section);
void lb_section_add_point(lbSection *section, double s, double t);
void lb_section_add_quad(lbSection *section, int32_t a, int32_t b, int32_t c, int32_t d);
void lb_section_add_edge(lbSection *section, int32_t a, int32_t b);
// u of an outline made of loops of `around` edges: 0 to 1 along each.
void lb_section_set_edge_us(lbSection *section, int32_t around);
// Cells between lines at xs and ys; `hole` (may be NULL) says which to leave out. x fastest.
void lb_section_grid(lbSection *section, const double *xs, int32_t x_cells, const double *ys,
                     int32_t y_cells, bool (*hole)(int32_t i, int32_t j, void *context),
                     void *context);
// The disc of radius 1: a core of core[0] x core[1] cells within `rings` rings of cells. Points:
// the core, x fastest, then ring by ring from the inside; the edges follow the outermost ring.
void lb_section_disc(lbSection *section, const int32_t core[2], int32_t rings);
// Lattice coordinates of perimeter point k of a core, counter-clockwise from the corner (0, 0): the
// points of every ring are counted like this.
void lb_disc_perimeter(const int32_t core[2], int32_t k, int32_t at[2]);
// Between the ellipse of half axes outer[] and one that is smaller by the thickness.
void lb_section_annulus(lbSection *section, const double outer[2], double thickness, int32_t around,
                        int32_t layers);

// How many of `across` cells (>= 3) on a diameter are rings, on each side.
int32_t lb_shape_ring_count(int32_t across);
// Half the width of the core of a ball or disc of radius 1, between the middles of its faces.
double lb_shape_core_half(const int32_t *core, int axes, int32_t rings);
// Where a core point with lattice coordinates u (-1 to 1 each) lies, its faces at `half`: midway
// between a box and a ball, so that the cells around its corners keep good angles. `axes` 2 or 3.
void lb_shape_core_point(const double *u, double half, int axes, double *point);

// ---- sweeps ------------------------------------------------------------------------------------

typedef struct lbSweep {
  lbSection section;
  int32_t layers; // cells along the sweep
  bool closed;    // the end is the beginning
  // Position of a section point at the fraction w (0 to 1) of the sweep; (s, t, w) right-handed.
  void (*place)(const lbShapeDef *def, const double point[2], double w, double position[3]);
} lbSweep;

void lb_sweep_volume(lbMeshBuilder *builder, const lbShapeDef *def, const lbSweep *sweep);
void lb_sweep_surface(lbMeshBuilder *builder, const lbShapeDef *def, const lbSweep *sweep);

// ---- lattices ----------------------------------------------------------------------------------

typedef struct lbLattice lbLattice;
struct lbLattice {
  int32_t cells[3];
  double *lines[3]; // (cells[a] + 1), ascending: where the cells begin and end
  bool (*solid)(const lbShapeDef *def, const lbLattice *lattice, const int32_t at[3]);
  uint8_t *filled; // (cells), x fastest: where `solid` looks it up; otherwise NULL
  bool out_of_memory;
};

// Makes room for the lines; false when there is none (release all the same).
bool lb_lattice_begin(lbLattice *lattice, const int32_t cells[3]);
void lb_lattice_release(lbLattice *lattice);
void lb_lattice_volume(lbMeshBuilder *builder, const lbShapeDef *def, const lbLattice *lattice);
void lb_lattice_surface(lbMeshBuilder *builder, const lbShapeDef *def, const lbLattice *lattice);

// ---- shapes ------------------------------------------------------------------------------------

// The sweep for the volume (fine = false) or the render surface; memory is checked by the caller.
void lb_bar_sweep(const lbShapeDef *def, bool fine, lbSweep *sweep);
void lb_tee_sweep(const lbShapeDef *def, bool fine, lbSweep *sweep);
void lb_tube_sweep(const lbShapeDef *def, bool fine, lbSweep *sweep);
void lb_cylinder_sweep(const lbShapeDef *def, bool fine, lbSweep *sweep);
void lb_torus_sweep(const lbShapeDef *def, bool fine, lbSweep *sweep);
void lb_spoon_sweep(const lbShapeDef *def, bool fine, lbSweep *sweep);

void lb_sphere_volume(lbMeshBuilder *builder, const lbShapeDef *def);
void lb_sphere_surface(lbMeshBuilder *builder, const lbShapeDef *def);
void lb_bowl_volume(lbMeshBuilder *builder, const lbShapeDef *def);
void lb_bowl_surface(lbMeshBuilder *builder, const lbShapeDef *def);
#define LB_TOWER_LEG_CELLS 64 // across a leg, at most
// What the thickness must stay below, so that openings are left.
double lb_tower_thickness_limit(const lbShapeDef *def);
void lb_tower_volume(lbMeshBuilder *builder, const lbShapeDef *def);
void lb_tower_surface(lbMeshBuilder *builder, const lbShapeDef *def);
void lb_sheet_mesh(lbMeshBuilder *builder, const lbShapeDef *def); // triangles alone
void lb_grid_mesh(lbMeshBuilder *builder, const lbShapeDef *def);
void lb_pipe_mesh(lbMeshBuilder *builder, const lbShapeDef *def);
void lb_sponge_lattice(const lbShapeDef *def, lbLattice *lattice);
void lb_bridge_lattice(const lbShapeDef *def, lbLattice *lattice);

#endif
