// Bodies whose elements lie elsewhere. An engine that is installed takes the elements of solids
// away as they are made: such an lbFem keeps what a model needs (nodes, connectivity, supports,
// materials, masses of vertices) and has no element data, no plan and no matrices; whatever needs
// those asks the engine. limber-mpi spreads elements over processes in this way (src/petsc).
#ifndef LB_FEM_ENGINE_H
#define LB_FEM_ENGINE_H

#include "fem/fem.h"
#include "linalg/eigen.h"

typedef enum lbFemMatrix { LB_FEM_STIFFNESS, LB_FEM_MASS } lbFemMatrix; // at rest

typedef struct lbFemEngine {
  // Takes the elements over: sets fem->remote, fills the masses of vertices and the total.
  lbStatus (*open)(lbFem *fem, lbError *err);
  void (*close)(lbFem *fem);
  // Y = A X, X and Y (system size x count).
  lbStatus (*multiply)(const lbFem *fem, lbFemMatrix matrix, int32_t count, const double *X,
                       double *Y, lbError *err);
  // Y = M X with the mass over all vertices, fixed ones too, of the elements of one material (-1:
  // of all); X and Y full, count columns.
  lbStatus (*multiply_all)(const lbFem *fem, int32_t material, int32_t count, const double *X,
                           double *Y, lbError *err);
  void (*second_moments)(const lbFem *fem, const double c[3], double moments[3][3]);
  // As lb_eigen_lowest. def.kept is ignored.
  lbStatus (*eigen)(const lbFem *fem, const lbEigenDef *def, lbEigen **out, lbError *err);
} lbFemEngine;

// For every body that is made from now on; NULL: none. Set it before other threads use the library.
void lb_fem_set_engine(const lbFemEngine *engine);

// lb_fem_create without the engine: the lbFem keeps its elements.
lbStatus lb_fem_create_here(const lbMesh *mesh, const lbFemDef *def, lbFem **out, lbError *err);

// Refuses a tet or brick that is flat or inverted. The element and its vertices have other numbers
// in the whole mesh.
lbStatus lb_fem_check_element(const char *name, lbElementKind kind, const double *positions,
                              const int32_t *vertices, int32_t number,
                              const int32_t *vertex_numbers, lbError *err);

// Y = A X, wherever the elements lie; X and Y (system size x count). K: the rest stiffness of a
// body whose elements are here.
lbStatus lb_fem_multiply_mass(const lbFem *fem, int32_t count, const double *X, double *Y,
                              lbError *err);
lbStatus lb_fem_multiply_stiffness(const lbFem *fem, const lbSparse *K, int32_t count,
                                   const double *X, double *Y, lbError *err);
// Y = M X with the share of one material's elements in the mass; masses (vertex_count): in the
// vertex masses.
lbStatus lb_fem_multiply_material(const lbFem *fem, int32_t material, int32_t count,
                                  const double *X, double *Y, double *masses, lbError *err);

#endif
