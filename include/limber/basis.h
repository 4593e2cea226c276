// limber/basis.h: the shapes that a reduced body can take: linear modes, modal derivatives, solved
// sketches, extended modes, or a user's own.
//
// A basis is made from the body at rest. It is mass-orthonormal, zero where vertices are fixed, and
// of a free body has no rigid motion in it (extended modes excepted): the frame carries that.
#ifndef LIMBER_BASIS_H
#define LIMBER_BASIS_H

#include "limber/fem.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- sketches ----------------------------------------------------------------------------------

// Loads that a user has tried on the body, in the order in which they came. Each is a set of forces
// on vertices. Files of them: limber/sketch.h.
typedef struct lbSketchForce {
  int32_t vertex;
  double force[3]; // N
} lbSketchForce;

typedef struct lbSketchLoad {
  char *name; // may be ""; never NULL
  int32_t force_begin, force_count;
} lbSketchLoad;

typedef struct lbSketch {
  int32_t load_count;
  lbSketchLoad *loads;
  int32_t force_count; // of all loads
  lbSketchForce *forces;
  size_t load_capacity, force_capacity;
} lbSketch;

lbStatus lb_sketch_create(lbSketch **out, lbError *err); // empty
void lb_sketch_destroy(lbSketch *sketch);
// Adds a load. Refuses one without forces, negative vertices and forces that are not finite, and
// leaves the sketch as it was. `name` may be NULL.
lbStatus lb_sketch_append(lbSketch *sketch, const char *name, int32_t force_count,
                          const lbSketchForce *forces, lbError *err);

// ---- bases -------------------------------------------------------------------------------------

typedef enum lbBasisKind {
  LB_BASIS_LINEAR,      // the lowest linear modes
  LB_BASIS_DERIVATIVES, // linear modes and modal derivatives, mass-PCA (Barbič & James 2005)
  LB_BASIS_SKETCH,      // static shapes under recorded loads, mass-PCA (the same)
  LB_BASIS_EXTENDED,    // nine vectors a mode (von Tycowicz et al. 2013)
  LB_BASIS_FILE,        // vectors from a NumPy or Vega file
  LB_BASIS_KIND_COUNT
} lbBasisKind;

const char *lb_basis_kind_name(lbBasisKind kind); // "linear", "derivatives", "sketch", ...
bool lb_basis_kind_parse(const char *name, lbBasisKind *kind);

typedef struct lbBasisDef {
  lbBasisKind kind;   // default LB_BASIS_DERIVATIVES
  int32_t mode_count; // linear modes, >= 1; default 20; not used by sketch and file
  int32_t dimension;  // r, >= 1; default 30; derivatives and sketch only: linear keeps mode_count
                      // vectors, extended and file all that are independent
  bool at_most;       // dimension is only a bound: where fewer vectors are independent, take those;
                      // default false: that is refused
  lbMassKind metric;  // of the PCA; default LB_MASS_CONSISTENT
  bool keep_metric;   // leave the vectors orthonormal in the PCA's metric where the body's mass is
                      // of the other kind; default false: made orthonormal in the body's mass
  bool spectral_deflation; // derivatives by (K − λ_i M) Φ_ij (appendix D), all i and j, rather than
                           // by K with the rigid motions held; default false

  const lbSketch *sketch;  // LB_BASIS_SKETCH: the loads
  double load_separation;  // loads whose linear responses are nearer to a kept one are left out; in
                           // the mass norm, relative to the largest response; >= 0, default 0.02
  double shape_separation; // shapes likewise; default 0.005
  const char *cache;       // a folder that keeps solved shapes for the next time; NULL: none

  const char *file; // LB_BASIS_FILE: .npy, .npz, .U or .float; see docs/bases.md

  bool keep_factor; // leave the factor of the stiffness in `factor` of the basis; default false
} lbBasisDef;

struct lbCholesky; // inside the build side

lbBasisDef lb_basis_def(void);

typedef struct lbBasis {
  int32_t vertex_count, dimension;
  double *vectors; // (3 vertex_count x dimension), column-major, file order, 0 at fixed vertices;
                   // mass-orthonormal. Vectors of (nearly) equal values, and signs, are chosen by
                   // the geometry of the body (file: by the file), not by rounding: docs/bases.md
  double *values;  // (dimension) derivatives, sketch: singular values of the PCA, descending;
                   // linear: eigenvalues, ascending; extended, file: uᵀKu, 1/s²
  int32_t candidate_count; // vectors that it was made from
  int32_t whole_dimension; // derivatives, sketch: where the PCA was cut between vectors of (nearly)
                           // equal singular values, the dimension that would keep them all; else
                           // the dimension itself
  int32_t rigid_count;     // rigid motions of the body; 0 for sketch and file (not looked for)
  lbModes *modes;          // the linear modes that it was made from; NULL for sketch and file
  struct lbCholesky *factor; // of the stiffness at rest of a held body, for further solves;
                             // NULL where none was made or kept: it has 64 MB at most
  double mode_seconds, force_seconds, solve_seconds, pca_seconds;
  double seconds; // everything
} lbBasis;

// Refuses counts that the body or the candidates cannot give, and says what they can. Materials
// other than StVK take part in derivatives with the Lamé constants of their linearisation.
lbStatus lb_basis_make(const lbFem *fem, const lbBasisDef *def, lbBasis **out, lbError *err);
void lb_basis_destroy(lbBasis *basis);

#ifdef __cplusplus
}
#endif
#endif
