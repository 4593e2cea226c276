// limber/fem.h: the unreduced finite-element body: operators, modes, statics and the reference
// simulator that everything reduced is judged by.
//
// Vectors are of two sizes. "Full" ones have three values for each vertex of the mesh, in file
// order; fixed and unused vertices are in them. "System" ones have three values for each free node:
// a vertex that an element uses and that is not fixed, in file order.
#ifndef LIMBER_FEM_H
#define LIMBER_FEM_H

#include "limber/material.h"
#include "limber/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- the body ----------------------------------------------------------------------------------

typedef enum lbMassKind { LB_MASS_CONSISTENT, LB_MASS_LUMPED } lbMassKind;

typedef struct lbFemDef {
  const char *name;                 // for messages; default "body"
  const lbMaterial *materials;      // (material_count); no default
  int32_t material_count;           // at least 1
  const int32_t *element_materials; // (lb_mesh_body_elements), index; NULL: all 0
  const bool *fixed;                // (vertex_count); NULL: none
  lbMassKind mass;                  // default LB_MASS_CONSISTENT
} lbFemDef;

lbFemDef lb_fem_def(void);

typedef struct lbFem lbFem; // immutable; may be shared between threads

// A mesh of tets and bricks with the materials of solids, or of triangles alone with those of
// shells (LB_MATERIAL_SHELL). Refuses other meshes, inverted or flat elements (by number),
// branching shells, wrong materials. The mesh is copied as far as needed.
lbStatus lb_fem_create(const lbMesh *mesh, const lbFemDef *def, lbFem **out, lbError *err);
void lb_fem_destroy(lbFem *fem);

int32_t lb_fem_vertex_count(const lbFem *fem);
int32_t lb_fem_node_count(const lbFem *fem); // free nodes; the system has three times as many rows
int32_t lb_fem_element_count(const lbFem *fem);        // lb_mesh_body_elements
double lb_fem_total_mass(const lbFem *fem);            // kg, fixed vertices included
const double *lb_fem_vertex_masses(const lbFem *fem);  // (vertex_count), ∫ρN, kg
const double *lb_fem_rest_positions(const lbFem *fem); // (vertex_count x 3)
const bool *lb_fem_fixed(const lbFem *fem);            // (vertex_count); unused vertices are not
int32_t lb_fem_material_count(const lbFem *fem);
const lbMaterial *lb_fem_materials(const lbFem *fem);      // (material_count)
const int32_t *lb_fem_element_materials(const lbFem *fem); // (lb_mesh_body_elements)
// Second moments of the mass about a point c: Σ m_ab (x_a − c)(x_b − c)ᵀ over all vertices, fixed
// ones too, with the body's own mass: consistent (exact for tets) or lumped.
void lb_fem_second_moments(const lbFem *fem, const double c[3], double moments[3][3]); // kg m²
void lb_fem_expand(const lbFem *fem, const double *system, double *full); // others are set to 0
void lb_fem_compress(const lbFem *fem, const double *full, double *system);

// ---- evaluation at a given displacement --------------------------------------------------------

typedef struct lbEvaluation {
  double energy;             // J; +inf where a law is left (J ≤ 0)
  int32_t invalid_element;   // the first element (of a shell: edge) that left its law, -1: none
  double von_mises;          // Pa, the largest Cauchy von Mises stress; -1: a shell has none
  int32_t von_mises_element; // where; -1
} lbEvaluation;

// All vectors are full. `forces` gets ∂W/∂u and `product` the exact tangent times `direction`, at
// every vertex, fixed ones too; each may be NULL.
lbStatus lb_fem_evaluate(const lbFem *fem, const double *displacement, double *forces,
                         const double *direction, double *product, lbEvaluation *out, lbError *err);

// ---- modes -------------------------------------------------------------------------------------

typedef struct lbModes {
  int32_t count, rigid_count;
  int32_t vertex_count;
  double *frequencies; // (count) Hz, ascending, elastic ones only
  double *eigenvalues; // (count) λ = (2π frequency)², 1/s²
  double *shapes;      // (3 vertex_count x count), column-major, mass-orthonormal, 0 where fixed
  double *residuals;   // (count), |K w − λ M w| / |K w|
  double seconds;
} lbModes;

lbStatus lb_fem_modes(const lbFem *fem, int32_t count, lbModes **out, lbError *err);
void lb_modes_destroy(lbModes *modes);

// ---- statics -----------------------------------------------------------------------------------

typedef struct lbStaticDef {
  double tolerance;       // |residual| / |external force|; default 1e-10
  int32_t iterations;     // Newton iterations a load step may take; default 50
  int32_t load_steps_max; // give up after so many cuts and steps; default 200
} lbStaticDef;

lbStaticDef lb_static_def(void);

typedef struct lbStaticResult {
  double energy;       // elastic, J
  double residual;     // |residual| / |external force|
  int32_t iterations;  // Newton iterations in all
  int32_t load_steps;  // 1: the whole load at once
  int32_t shift_count; // indefinite tangents that had to be shifted
} lbStaticResult;

// Solves R(u) = f for a dead load (full vector). `displacement` (full) is the start (zeros: at
// rest) and the result; where the start moves fixed vertices, they are held there. A failure leaves
// it as it was. Without a load the residual is measured against the element forces at the start.
lbStatus lb_fem_static(const lbFem *fem, const double *load, const lbStaticDef *def,
                       double *displacement, lbStaticResult *out, lbError *err);

// ---- dynamics: M a + (α M + β K(u)) v + R(u) = f -----------------------------------------------

typedef struct lbSimulatorDef {
  lbIntegrator integrator;   // Newmark (default) or Euler
  double step;               // s, > 0; default 1e-3
  double damping_mass;       // α, 1/s, ≥ 0; default 0
  double damping_stiffness;  // β, s, ≥ 0; default 0
  int32_t newton_iterations; // ≥ 1; default 20
  double newton_tolerance;   // |residual| / |external force| (or |M a| without one); default 1e-10
  double factor_reuse; // a factorisation is kept, also for the next step, while each iteration
                       // reduces the residual below this fraction; in [0, 1);
                       // default 0: factored anew for every iteration
} lbSimulatorDef;

lbSimulatorDef lb_simulator_def(void);

typedef struct lbSimulator lbSimulator;

// Starts from full vectors; NULL: zeros. `load` is the external force at t = 0.
lbStatus lb_simulator_create(const lbFem *fem, const lbSimulatorDef *def,
                             const double *displacement, const double *velocity, const double *load,
                             lbSimulator **out, lbError *err);
void lb_simulator_destroy(lbSimulator *simulator);

// One step under the external force at the step's end (full vector). Returns lbStepFlags. Where
// Newton's method does not converge otherwise, the step is taken as 2 to 16 shorter ones (not with
// newton_iterations below 5); a state that the step makes worse is never kept.
int32_t lb_simulator_step(lbSimulator *simulator, const double *load);

// Goes on from another state (full vectors; NULL: zeros) and the load there; time and springs stay.
// On failure the state is as it was, or at rest in its new shape when a solve failed.
lbStatus lb_simulator_set_motion(lbSimulator *simulator, const double *displacement,
                                 const double *velocity, const double *load, lbError *err);
lbStatus lb_simulator_set_step(lbSimulator *simulator, double step, lbError *err); // s, > 0

// Fixed vertices may move as something else prescribes, most often with a rigid frame.
// `displacement` is of the place at which the lbFem was made; damping acts on velocities relative
// to the frame.
typedef struct lbSupportMotion {
  const double *displacement;                     // full, m; only fixed vertices are looked at
  const double *velocity;                         // full, m/s
  const double *acceleration;                     // full, m/s²
  double position[3];                             // m, the frame's origin
  double rotation[4];                             // its unit quaternion x y z w
  double linear_velocity[3], angular_velocity[3]; // m/s of the origin, rad/s
} lbSupportMotion;

// From now on the fixed vertices move: where they are and how they move now, with the load there.
// The acceleration of the rest is made consistent with it.
lbStatus lb_simulator_start_supports(lbSimulator *simulator, const lbSupportMotion *now,
                                     const double *load, lbError *err);
// Their motion at the end of the next step; call it before every step. `acceleration` there
// should contain the impulse of velocities that jump within the step, divided by its length:
// (v_end − v_start) / h + (a_end − a_start) / 2 with Newmark, (v_end − v_start) / h with Euler.
lbStatus lb_simulator_move_supports(lbSimulator *simulator, const lbSupportMotion *end,
                                    lbError *err);
// Moves the body rigidly, x -> rotation x + shift, with its velocities and accelerations: a cut in
// a motion, without inertial forces. With moving supports, call it before
// lb_simulator_move_supports.
void lb_simulator_carry(lbSimulator *simulator, const double rotation[4], const double shift[3]);

// A spring between a point x = Σ weight x_vertex of the body and a place in space: stiffness
// (target − x) − damping v acts on the body. Part of Newton's system: stable at any stiffness.
#define LB_SPRING_VERTICES 24

typedef struct lbSpring {
  int32_t count;                        // vertices, 1 to LB_SPRING_VERTICES
  int32_t vertices[LB_SPRING_VERTICES]; // fixed ones may be among them
  double weights[LB_SPRING_VERTICES];
  double target[3];          // m
  double stiffness, damping; // N/m, N s/m, >= 0
} lbSpring;

// Replaces all springs by copies of these.
lbStatus lb_simulator_set_springs(lbSimulator *simulator, const lbSpring *springs, int32_t count,
                                  lbError *err);
// On the body, in the present state, N.
void lb_simulator_spring_force(const lbSimulator *simulator, int32_t spring, double force[3]);

const double *lb_simulator_displacement(const lbSimulator *simulator); // full, m
const double *lb_simulator_velocity(const lbSimulator *simulator);     // full, m/s
double lb_simulator_time(const lbSimulator *simulator);

typedef struct lbSimulatorState {
  double kinetic, elastic;    // J; fixed vertices that move count too, here and below
  double centre[3];           // of mass, m
  double linear_momentum[3];  // kg m/s, of the body's mass at all vertices, fixed ones too
  double angular_momentum[3]; // kg m²/s, likewise, about the origin
  int32_t newton_iterations;  // since the start
  int32_t factor_count;       // since the start
  int32_t shift_count;        // since the start
  int32_t subdivided_count;   // steps that were taken in parts, since the start
} lbSimulatorState;

lbSimulatorState lb_simulator_state(const lbSimulator *simulator);

#ifdef __cplusplus
}
#endif
#endif
