// Small modal models with known finite elements behind them: a bar of soft bricks or tets with
// lumped mass, held at x = 0 or free, and a surface whose vertices hang on one to three nodes.
#ifndef LB_TESTS_TOY_MODEL_H
#define LB_TESTS_TOY_MODEL_H

#include "fem/fem_problems.h"
#include "limber/body.h"

typedef struct Toy {
  lbMesh *mesh;
  lbFem *fem; // linear material, lumped mass
  lbModel *model;
} Toy;

typedef struct ToyDef {
  lbElementKind kind;
  int cells[3];
  bool held;
  int32_t mode_count;
  double damping_mass, damping_stiffness;
} ToyDef;

// Nodes and weights of a surface vertex that lies near mesh vertex `node`.
static inline int toy_carriers(int32_t node, int32_t vertex_count, int32_t *nodes,
                               double *weights) {
  int count = 1 + node % 3;
  const double shares[3][3] = { { 1 }, { 0.75, 0.25 }, { 0.6, 0.3, 0.1 } };
  for (int i = 0; i < count; i++) {
    nodes[i] = (node + i) % vertex_count;
    weights[i] = shares[count - 1][i];
  }
  return count;
}

static inline void toy_rigid(const Toy *toy, lbModel *draft, double *mass, double *centre) {
  const double *m = lb_fem_vertex_masses(toy->fem);
  *mass = 0, centre[0] = centre[1] = centre[2] = 0;
  for (int32_t n = 0; n < toy->mesh->vertex_count; n++) {
    *mass += m[n];
    for (int c = 0; c < 3; c++) centre[c] += m[n] * toy->mesh->positions[3 * n + c];
  }
  for (int c = 0; c < 3; c++) centre[c] /= *mass;
  draft->rigid_mass = mass, draft->rigid_centre = centre;
}

// Uᵀ M of the rigid velocities of free nodes.
static inline void toy_projections(const Toy *toy, const lbModes *modes, const double *centre,
                                   double *gravity, double *launch) {
  const double *m = lb_fem_vertex_masses(toy->fem);
  int32_t node_count = toy->mesh->vertex_count;
  for (int32_t i = 0; i < modes->count; i++)
    for (int32_t n = 0; n < node_count; n++) {
      const double *w = modes->shapes + 3 * ((size_t)i * (size_t)node_count + (size_t)n);
      lbVec3 arm = lb_sub(lb_vec3_load(toy->mesh->positions + 3 * n), lb_vec3_load(centre));
      lbVec3 about = lb_cross(arm, lb_vec3_load(w)); // w . (e x arm) = e . (arm x w)
      const double turn[3] = { about.x, about.y, about.z };
      for (int c = 0; c < 3; c++) {
        gravity[3 * i + c] += m[n] * w[c];
        launch[6 * i + c] += m[n] * w[c];
        launch[6 * i + 3 + c] += m[n] * turn[c];
      }
    }
}

static inline void toy_fill(Toy *toy, const ToyDef *def, const lbModes *modes, const bool *fixed) {
  lbError err;
  lbMesh *surface = NULL;
  int32_t *sources = NULL, n = toy->mesh->vertex_count,
          element_count = lb_mesh_element_count(toy->mesh);
  check_ok(lb_mesh_surface(toy->mesh, &surface, &sources, &err), err);
  int32_t vertex_count = surface->vertex_count, carriers = 0, up = 2;
  int32_t *begin = calloc((size_t)vertex_count + 1, sizeof *begin);
  int32_t *nodes = calloc(3 * (size_t)vertex_count, sizeof *nodes);
  double *weights = calloc(3 * (size_t)vertex_count, sizeof *weights);
  double *positions = calloc(3 * (size_t)vertex_count, sizeof *positions);
  for (int32_t v = 0; v < vertex_count; v++) {
    int count = toy_carriers(sources[v], n, nodes + carriers, weights + carriers);
    for (int k = carriers; k < carriers + count; k++)
      for (int c = 0; c < 3; c++)
        positions[3 * v + c] += weights[k] * toy->mesh->positions[3 * nodes[k] + c];
    begin[v + 1] = carriers += count;
  }
  int32_t *materials = calloc((size_t)element_count, sizeof *materials), law = LB_MATERIAL_LINEAR;
  uint8_t *held = calloc((size_t)n, 1);
  for (int32_t i = 0; i < n; i++) held[i] = fixed && fixed[i];
  double values[6] = { 1e5, 0.3, 1000, 0, 0, 0 }, mass, centre[3],
         inertia[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  double damping[2] = { def->damping_mass, def->damping_stiffness };
  size_t r = (size_t)modes->count;
  double *eigenvalues = calloc(r, sizeof(double));
  double *gravity = calloc(3 * r, sizeof(double)), *launch = calloc(6 * r, sizeof(double));
  for (size_t i = 0; i < r; i++) eigenvalues[i] = pow(2 * LB_PI * modes->frequencies[i], 2);
  lbModel draft = { .size = { .node_count = n,
                              .tet_count = toy->mesh->tet_count,
                              .brick_count = toy->mesh->brick_count,
                              .material_count = 1,
                              .vertex_count = vertex_count,
                              .triangle_count = surface->triangle_count,
                              .carrier_count = carriers,
                              .mode_count = modes->count },
                    .name = "toy",
                    .provenance = "",
                    .up = &up,
                    .node_positions = toy->mesh->positions,
                    .node_masses = lb_fem_vertex_masses(toy->fem),
                    .node_fixed = held,
                    .tets = toy->mesh->tets,
                    .bricks = toy->mesh->bricks,
                    .element_materials = materials,
                    .material_laws = &law,
                    .material_values = values,
                    .rigid_inertia = inertia,
                    .vertex_positions = positions,
                    .vertex_sources = sources,
                    .triangles = surface->triangles,
                    .carrier_begin = begin,
                    .carrier_nodes = nodes,
                    .carrier_weights = weights,
                    .modal_basis = modes->shapes,
                    .modal_eigenvalues = eigenvalues,
                    .modal_damping = damping,
                    .modal_gravity = gravity,
                    .modal_rigid = launch,
                    .modal_residuals = modes->residuals };
  toy_rigid(toy, &draft, &mass, centre);
  toy_projections(toy, modes, centre, gravity, launch);
  check_ok(lb_model_create(&draft, &toy->model, &err), err);
  free(begin), free(nodes), free(weights), free(positions), free(materials), free(held);
  free(eigenvalues), free(gravity), free(launch);
  lb_free(sources);
  lb_mesh_destroy(surface);
}

static inline Toy toy_make(ToyDef def) {
  Toy toy = { 0 };
  lbError err;
  lbModes *modes = NULL;
  lbMaterial material = test_material(LB_MATERIAL_LINEAR);
  material.density = 1000;
  toy.mesh = box_mesh(def.kind, def.cells[0], def.cells[1], def.cells[2], 0.2 * def.cells[0],
                      0.15 * def.cells[1], 0.1 * def.cells[2]);
  bool *fixed = def.held ? side(toy.mesh, 0, 0) : NULL;
  toy.fem = fem_of_mesh(toy.mesh, &material, fixed, LB_MASS_LUMPED);
  check_ok(lb_fem_modes(toy.fem, def.mode_count, &modes, &err), err);
  toy_fill(&toy, &def, modes, fixed);
  lb_modes_destroy(modes);
  free(fixed);
  return toy;
}

// 2 x 1 x 1 bricks, held, with all of its 24 modes: nothing is left out.
static inline Toy toy_whole(void) {
  return toy_make((ToyDef){ LB_ELEMENT_BRICK8, { 2, 1, 1 }, true, 24, 0.5, 1e-3 });
}

#define BAR_MODES 77 // of 162; not a multiple of any vector's width

// A longer bar of tets with the slower half of its modes.
static inline Toy toy_bar(void) {
  return toy_make((ToyDef){ LB_ELEMENT_TET4, { 6, 2, 2 }, true, BAR_MODES, 0.5, 2e-4 });
}

static inline void toy_destroy(Toy *toy) {
  lb_model_destroy(toy->model);
  lb_fem_destroy(toy->fem);
  lb_mesh_destroy(toy->mesh);
}

static inline lbBody *toy_body(const Toy *toy, const lbBodyDef *def) {
  lbBodyDef plain = lb_body_def();
  lbBody *body = NULL;
  lbError err;
  check_ok(lb_body_create(toy->model, def ? def : &plain, &body, &err), err);
  return body;
}

// A def with a place and a rotation that nothing is symmetric about.
static inline lbBodyDef toy_turned(void) {
  lbBodyDef def = lb_body_def();
  def.position = lb_vec3(0.3, -2, 1.1);
  def.rotation = lb_quat_from_axis_angle(lb_vec3(0.3, 1, -0.4), 0.9);
  return def;
}

static inline void toy_shake(lbBody *body, double amount, uint64_t seed) {
  double q[256], v[256];
  int32_t r = lb_body_dimension(body);
  for (int32_t i = 0; i < r; i++) {
    q[i] = amount * check_random(&seed) / (1 + i);
    v[i] = 10 * amount * check_random(&seed);
  }
  assert_int_equal(lb_body_set_state(body, q, v), LB_OK);
}

static inline double toy_distance(lbVec3 a, lbVec3 b) { return lb_length(lb_sub(a, b)); }

#define body_ok(body, call)                                                                        \
  do {                                                                                             \
    if ((call) != LB_OK) fail_msg("%s", lb_body_message(body));                                    \
  } while (0)

// A call on a body that must be refused with a message that contains `part`.
#define body_refuses(body, call, part)                                                             \
  do {                                                                                             \
    lbStatus got_ = (call);                                                                        \
    if (got_ == LB_OK || !strstr(lb_body_message(body), (part)))                                   \
      fail_msg("expected a refusal with \"%s\", got %s: %s", (part), lb_status_name(got_),         \
               lb_body_message(body));                                                             \
  } while (0)

#endif
