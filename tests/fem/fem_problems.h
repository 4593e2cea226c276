// Small bodies for the tests of the finite-element layer: bars of tets or bricks, every material.
#ifndef LB_TESTS_FEM_PROBLEMS_H
#define LB_TESTS_FEM_PROBLEMS_H

#include "check.h"
#include "limber/fem.h"
#include "limber/shape.h"

static inline lbMaterial test_material(lbMaterialModel model) {
  lbMaterial m = lb_material();
  m.model = model;
  m.young = 1e5;
  m.poisson = 0.3;
  if (model == LB_MATERIAL_MOONEYRIVLIN) m.c10 = 1.5e4, m.c01 = 4e3, m.v1 = 5e4;
  return m;
}

// A box from 0 to (x, y, z), cut into nx x ny x nz cells.
static inline lbMesh *box_mesh(lbElementKind kind, int nx, int ny, int nz, double x, double y,
                               double z) {
  lbShapeDef def = lb_shape_def("bar");
  lbMesh *mesh = NULL;
  lbError err;
  def.element = kind;
  def.cells[0] = nx, def.cells[1] = ny, def.cells[2] = nz;
  def.size[0] = x, def.size[1] = y, def.size[2] = z;
  check_ok(lb_shape_volume(&def, &mesh, &err), err);
  double low[3] = { INFINITY, INFINITY, INFINITY };
  for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
    low[i % 3] = fmin(low[i % 3], mesh->positions[i]);
  for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) mesh->positions[i] -= low[i % 3];
  return mesh;
}

// Marks the vertices on the side where coordinate `axis` is `value`.
static inline void mark_side(const lbMesh *mesh, int axis, double value, bool *marks) {
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    if (fabs(mesh->positions[3 * (size_t)v + axis] - value) < 1e-9) marks[v] = true;
}

static inline bool *side(const lbMesh *mesh, int axis, double value) {
  bool *marks = calloc((size_t)mesh->vertex_count, sizeof(bool));
  mark_side(mesh, axis, value, marks);
  return marks;
}

static inline bool *whole_boundary(const lbMesh *mesh, double x, double y, double z) {
  bool *marks = calloc((size_t)mesh->vertex_count, sizeof(bool));
  const double size[3] = { x, y, z };
  for (int i = 0; i < 3; i++) mark_side(mesh, i, 0, marks), mark_side(mesh, i, size[i], marks);
  return marks;
}

static inline void shake_vertices(lbMesh *mesh, const bool *except, double amount) {
  uint64_t seed = 7;
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    for (int i = 0; i < 3; i++) {
      double by = amount * check_random(&seed);
      if (!except || !except[v]) mesh->positions[3 * (size_t)v + i] += by;
    }
}

static inline lbFem *fem_of_mesh(const lbMesh *mesh, const lbMaterial *material, const bool *fixed,
                                 lbMassKind mass) {
  lbFemDef def = lb_fem_def();
  lbFem *fem = NULL;
  lbError err;
  def.materials = material;
  def.material_count = 1;
  def.fixed = fixed;
  def.mass = mass;
  check_ok(lb_fem_create(mesh, &def, &fem, &err), err);
  return fem;
}

// A box that may be held at x = 0.
static inline lbFem *box_fem(lbElementKind kind, int nx, int ny, int nz, double x, double y,
                             double z, const lbMaterial *material, bool held) {
  lbMesh *mesh = box_mesh(kind, nx, ny, nz, x, y, z);
  bool *fixed = held ? side(mesh, 0, 0) : NULL;
  lbFem *fem = fem_of_mesh(mesh, material, fixed, LB_MASS_CONSISTENT);
  free(fixed);
  lb_mesh_destroy(mesh);
  return fem;
}

static inline double *zeros(const lbFem *fem) {
  return calloc(3 * (size_t)lb_fem_vertex_count(fem), sizeof(double));
}

static inline double *random_vector(const lbFem *fem, double amount, uint64_t seed) {
  double *u = zeros(fem);
  for (size_t i = 0; i < 3 * (size_t)lb_fem_vertex_count(fem); i++)
    u[i] = amount * check_random(&seed);
  return u;
}

static inline double *gravity_load(const lbFem *fem, double gx, double gy, double gz) {
  double *load = zeros(fem);
  const double g[3] = { gx, gy, gz };
  for (size_t i = 0; i < 3 * (size_t)lb_fem_vertex_count(fem); i++)
    load[i] = lb_fem_vertex_masses(fem)[i / 3] * g[i % 3];
  return load;
}

static inline double largest(const lbFem *fem, const double *values) {
  double max = 0;
  for (size_t i = 0; i < 3 * (size_t)lb_fem_vertex_count(fem); i++)
    if (!(fabs(values[i]) <= max)) max = fabs(values[i]); // keeps a NaN
  return max;
}

static inline double largest_difference(const lbFem *fem, const double *a, const double *b) {
  double max = 0;
  for (size_t i = 0; i < 3 * (size_t)lb_fem_vertex_count(fem); i++)
    if (!(fabs(a[i] - b[i]) <= max)) max = fabs(a[i] - b[i]);
  return max;
}

static inline bool all_finite(const lbFem *fem, const double *values) {
  for (size_t i = 0; i < 3 * (size_t)lb_fem_vertex_count(fem); i++)
    if (!isfinite(values[i])) return false;
  return true;
}

static inline lbEvaluation evaluate(const lbFem *fem, const double *u, double *forces,
                                    const double *direction, double *product) {
  lbEvaluation out;
  lbError err;
  check_ok(lb_fem_evaluate(fem, u, forces, direction, product, &out, &err), err);
  return out;
}

// Runs the body of a test for every element and every material.
#define for_each_law(kind, model)                                                                  \
  for (lbElementKind kind = LB_ELEMENT_TET4; kind < LB_ELEMENT_VOLUME_KIND_COUNT; kind++)          \
    for (lbMaterialModel model = LB_MATERIAL_LINEAR; model < LB_MATERIAL_SOLID_MODEL_COUNT; model++)
#define for_each_element(kind)                                                                     \
  for (lbElementKind kind = LB_ELEMENT_TET4; kind < LB_ELEMENT_VOLUME_KIND_COUNT; kind++)

static inline void print_case(lbElementKind kind, lbMaterialModel model, double residual,
                              double tolerance) {
  print_message("  %s %s: residual %.2e, tolerance %.0e\n", lb_element_kind_name(kind),
                lb_material_model_name(model), residual, tolerance);
}

#endif
