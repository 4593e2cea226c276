// Small subspace models with the full body behind them: a bar of bricks or tets of one or two St.
// Venant-Kirchhoff materials (the second one beyond the middle), lumped mass, held at x = 0.
#ifndef LB_TESTS_TOY_SUBSPACE_H
#define LB_TESTS_TOY_SUBSPACE_H

#include "constraint_points.h"
#include "limber/basis.h"
#include "reduce/polynomial.h"

typedef struct SubToy {
  Toy toy;    // mesh, and a modal model
  lbFem *fem; // St. Venant-Kirchhoff
  lbBasis *basis;
  lbModel *model; // modal and subspace
} SubToy;

typedef struct SubDef {
  lbElementKind kind;
  int cells[3];
  lbBasisKind basis;
  int32_t mode_count, dimension; // of the basis; linear: mode_count vectors
  bool editable;
  double damping_mass, damping_stiffness;
  double young[2], poisson[2], density[2];
  const lbBasis *given; // another one's
} SubDef;

// 2 x 1 x 1 bricks with all of their 24 degrees of freedom: nothing is left out.
static inline SubDef sub_whole(void) {
  return (SubDef){ .kind = LB_ELEMENT_BRICK8,
                   .cells = { 2, 1, 1 },
                   .basis = LB_BASIS_LINEAR,
                   .mode_count = 24,
                   .young = { 1e5, 4e5 },
                   .poisson = { 0.3, 0.2 },
                   .density = { 1000, 1000 } };
}

// A longer bar in 14 shapes.
static inline SubDef sub_bar(void) {
  SubDef def = sub_whole();
  def.kind = LB_ELEMENT_TET4;
  def.cells[0] = 6;
  def.basis = LB_BASIS_DERIVATIVES;
  def.mode_count = 6, def.dimension = 14;
  def.damping_mass = 0.5, def.damping_stiffness = 1e-3;
  return def;
}

static inline int32_t *sub_materials(const lbMesh *mesh, double middle) {
  int32_t count = lb_mesh_element_count(mesh),
          *materials = calloc((size_t)count, sizeof *materials);
  for (int32_t e = 0; e < count; e++) {
    bool tet = e < mesh->tet_count;
    const int32_t *nodes = tet ? mesh->tets + 4 * e : mesh->bricks + 8 * (e - mesh->tet_count);
    double x = 0;
    for (int i = 0; i < (tet ? 4 : 8); i++) x += mesh->positions[3 * nodes[i]] / (tet ? 4 : 8);
    materials[e] = x > middle;
  }
  return materials;
}

static inline lbFem *sub_fem(const SubToy *sub, const SubDef *def, const double density[2],
                             const int32_t *element_materials) {
  lbMaterial materials[2];
  lbFemDef fem_def = lb_fem_def();
  lbFem *fem = NULL;
  lbError err;
  for (int i = 0; i < 2; i++) {
    materials[i] = test_material(LB_MATERIAL_STVK);
    materials[i].young = def->young[i], materials[i].poisson = def->poisson[i];
    materials[i].density = density[i];
  }
  bool *fixed = side(sub->toy.mesh, 0, 0);
  fem_def.materials = materials, fem_def.material_count = 2;
  fem_def.element_materials = element_materials;
  fem_def.fixed = fixed;
  fem_def.mass = LB_MASS_LUMPED;
  check_ok(lb_fem_create(sub->toy.mesh, &fem_def, &fem, &err), err);
  free(fixed);
  return fem;
}

// Reduced masses and pulls of each material, by a body whose other material has half the density.
static inline void sub_masses(const SubToy *sub, const SubDef *def, const int32_t *materials,
                              double *mass, double *pull) {
  size_t rows = 3 * (size_t)sub->toy.mesh->vertex_count;
  int32_t r = sub->basis->dimension;
  const double *U = sub->basis->vectors, *whole = lb_fem_vertex_masses(sub->fem);
  for (int g = 0; g < 2; g++) {
    double density[2] = { def->density[0], def->density[1] };
    density[g] /= 2;
    lbFem *other = sub_fem(sub, def, density, materials);
    const double *m = lb_fem_vertex_masses(other);
    for (int32_t j = 0; j < r; j++)
      for (int32_t i = 0; i <= j; i++) {
        double sum = 0;
        for (size_t k = 0; k < rows; k++)
          sum += 2 * (whole[k / 3] - m[k / 3]) * U[rows * (size_t)i + k] * U[rows * (size_t)j + k];
        mass[(size_t)g * lb_packed2_count(r) + lb_packed2(i, j)] = sum;
      }
    for (int32_t i = 0; i < r; i++)
      for (size_t k = 0; k < rows; k++)
        pull[3 * ((size_t)(g * r) + (size_t)i) + k % 3] +=
            2 * (whole[k / 3] - m[k / 3]) * U[rows * (size_t)i + k];
    lb_fem_destroy(other);
  }
}

static inline void sub_join(int32_t part, int32_t r, const lbPolynomial *p, double *P, double *Q,
                            double *S) {
  size_t n2 = lb_packed2_count(r), n3 = lb_packed3_count(r), n4 = lb_packed4_count(r);
  memcpy(P + (size_t)part * n2, p->linear, n2 * sizeof(double));
  memcpy(Q + (size_t)part * n3, p->quadratic, n3 * sizeof(double));
  memcpy(S + (size_t)part * n4, p->cubic, n4 * sizeof(double));
}

static inline void sub_fill(SubToy *sub, const SubDef *def, const int32_t *materials) {
  lbError err;
  lbModel draft = *sub->toy.model;
  int32_t r = sub->basis->dimension, parts = def->editable ? 4 : 1;
  int32_t laws[2] = { LB_MATERIAL_STVK, LB_MATERIAL_STVK };
  size_t n2 = lb_packed2_count(r), n3 = lb_packed3_count(r), n4 = lb_packed4_count(r);
  double *P = calloc((size_t)parts * n2, sizeof(double));
  double *Q = calloc((size_t)parts * n3, sizeof(double));
  double *S = calloc((size_t)parts * n4, sizeof(double));
  double *mass = calloc(2 * n2, sizeof(double)), *pull = calloc(6 * (size_t)r, sizeof(double));
  double *gravity = calloc(3 * (size_t)r, sizeof(double)), total, centre[3];
  double *launch = calloc(6 * (size_t)r, sizeof(double));
  double values[12] = { 0 }, damping[2] = { def->damping_mass, def->damping_stiffness };
  for (int g = 0; g < 2; g++)
    values[6 * g] = def->young[g], values[6 * g + 1] = def->poisson[g],
               values[6 * g + 2] = def->density[g];
  lbPolynomialDef polynomial = { r, sub->basis->vectors, def->editable ? 2 : 0, materials };
  lbPolynomial *made[4] = { NULL };
  if (def->editable)
    check_ok(lb_polynomial_build_parts(sub->fem, &polynomial, made, &err), err);
  else
    check_ok(lb_polynomial_build(sub->fem, &polynomial, made, &err), err);
  for (int32_t p = 0; p < parts; p++) {
    sub_join(p, r, made[p], P, Q, S);
    lb_polynomial_destroy(made[p]);
  }
  Toy view = { sub->toy.mesh, sub->fem, NULL };
  lbModes shapes = { .count = r, .shapes = sub->basis->vectors };
  toy_rigid(&view, &draft, &total, centre);
  toy_projections(&view, &shapes, centre, gravity, launch);
  sub_masses(sub, def, materials, mass, pull);
  draft.size.material_count = 2;
  draft.size.subspace_dimension = r, draft.size.subspace_part_count = parts;
  draft.size.packed2_count = (int32_t)n2, draft.size.packed3_count = (int32_t)n3;
  draft.size.packed4_count = (int32_t)n4;
  draft.element_materials = materials, draft.material_laws = laws, draft.material_values = values;
  draft.node_masses = lb_fem_vertex_masses(sub->fem);
  draft.subspace_basis = sub->basis->vectors, draft.subspace_values = sub->basis->values;
  draft.subspace_damping = damping;
  draft.subspace_gravity = gravity, draft.subspace_rigid = launch;
  draft.subspace_linear = P, draft.subspace_quadratic = Q, draft.subspace_cubic = S;
  if (def->editable) draft.subspace_mass = mass, draft.subspace_pull = pull;
  draft.owner_ = NULL;
  check_ok(lb_model_create(&draft, &sub->model, &err), err);
  free(P), free(Q), free(S), free(mass), free(pull), free(gravity), free(launch);
}

static inline SubToy sub_make(SubDef def) {
  SubToy sub = { .toy = toy_make((ToyDef){
                     def.kind, { def.cells[0], def.cells[1], def.cells[2] }, true, 3, 0, 0 }) };
  lbError err;
  int32_t *materials = sub_materials(sub.toy.mesh, 0.1 * def.cells[0]);
  sub.fem = sub_fem(&sub, &def, def.density, materials);
  if (def.given) {
    size_t values = 3 * (size_t)def.given->vertex_count * (size_t)def.given->dimension;
    sub.basis = lb_duplicate(def.given, 1, sizeof *def.given);
    sub.basis->modes = NULL;
    sub.basis->vectors = lb_duplicate(def.given->vectors, values, sizeof(double));
    sub.basis->values =
        lb_duplicate(def.given->values, (size_t)def.given->dimension, sizeof(double));
  } else {
    lbBasisDef basis = lb_basis_def();
    basis.kind = def.basis, basis.mode_count = def.mode_count;
    if (def.dimension) basis.dimension = def.dimension;
    check_ok(lb_basis_make(sub.fem, &basis, &sub.basis, &err), err);
  }
  sub_fill(&sub, &def, materials);
  free(materials);
  return sub;
}

static inline void sub_destroy(SubToy *sub) {
  lb_model_destroy(sub->model);
  lb_basis_destroy(sub->basis);
  lb_fem_destroy(sub->fem);
  toy_destroy(&sub->toy);
}

static inline lbBodyDef sub_body_def(void) {
  lbBodyDef def = lb_body_def();
  def.method = LB_METHOD_SUBSPACE;
  return def;
}

static inline lbBody *sub_body(const SubToy *sub, const lbBodyDef *def) {
  lbBodyDef plain = sub_body_def();
  lbBody *body = NULL;
  lbError err;
  check_ok(lb_body_create(sub->model, def ? def : &plain, &body, &err), err);
  return body;
}

static inline double sub_energy(const lbBody *body) {
  lbBodyReport report = lb_body_report(body);
  return report.kinetic + report.elastic;
}

// The largest difference of node displacements, relative to the largest of b's.
static inline double sub_difference(const lbBody *a, const lbBody *b) {
  size_t count = 3 * (size_t)lb_body_model(a)->size.node_count;
  double *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y), worst = 0, most = 0;
  lb_body_node_displacements(a, x);
  lb_body_node_displacements(b, y);
  for (size_t i = 0; i < count; i++) {
    if (!(fabs(x[i] - y[i]) <= worst)) worst = fabs(x[i] - y[i]);
    most = fmax(most, fabs(y[i]));
  }
  free(x), free(y);
  return worst / most;
}

// A node at the far end.
static inline int32_t sub_tip(const SubToy *sub) {
  int32_t tip = 0;
  const lbMesh *mesh = sub->toy.mesh;
  for (int32_t n = 0; n < mesh->vertex_count; n++)
    if (mesh->positions[3 * n] > mesh->positions[3 * tip] + 1e-9) tip = n;
  return tip;
}

static inline lbVec3 tip_rest(const SubToy *sub) {
  return lb_vec3_load(sub->toy.mesh->positions + 3 * sub_tip(sub));
}

static inline double *tip_load(const SubToy *sub, lbVec3 force) {
  double *load = zeros(sub->fem);
  lb_vec3_store(load + 3 * sub_tip(sub), force);
  return load;
}

#endif
