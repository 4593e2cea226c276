// Systems that no mesh and material give, through both ways of solving: what limber says of them
// stands beside what the ranks say. Rank 0 prints a line for each, which test_systems.py compares.
#include "fem/engine.h"
#include "fem/modes.h"
#include "fem/reference.h"
#include "limber/petsc.h"
#include "limber/shape.h"
#include "linalg/eigen.h"
#include "petsc/basis.h"
#include "petsc/eigen.h"
#include "petsc/factor.h"
#include "petsc/indefinite.h"
#include "petsc/parts.h"

#include <stdio.h>
#include <string.h>

enum { BAD_NODE = 40, MODES = 4 };

// What becomes of K and M, in units of trace K / trace M.
typedef struct Fault {
  const char *name;
  bool held;
  double spring; // K loses this much of K + M's diagonal at one node
  double shift;  // K loses this much of M
} Fault;

static const Fault faults[] = { { "sound, held", true, 0, 0 },
                                { "sound, free", false, 0, 0 },
                                { "a spring that pushes, held", true, 10, 0 },
                                { "a spring that pushes, free", false, 10, 0 },
                                { "negative everywhere", false, 0, 20 },
                                { "a little negative", true, 0, 1e-5 } };
enum { FAULT_COUNT = sizeof faults / sizeof *faults };

static lbFem *make_fem(bool held) {
  lbError err;
  lbMesh *mesh = NULL;
  lbFem *fem = NULL;
  bool fixed[1000] = { false };
  lbShapeDef shape = lb_shape_def("bar");
  shape.cells[0] = 5;
  shape.cells[1] = shape.cells[2] = 4;
  if (lb_shape_volume(&shape, &mesh, &err)) return NULL;
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    fixed[v] = held && mesh->positions[3 * (size_t)v] < 1e-9;
  lbMaterial material = lb_material();
  lbFemDef def = lb_fem_def();
  def.name = "bar";
  def.materials = &material;
  def.material_count = 1;
  def.fixed = fixed;
  if (lb_fem_create_here(mesh, &def, &fem, &err)) fem = NULL;
  lb_mesh_destroy(mesh);
  return fem;
}

// ---- limber ------------------------------------------------------------------------------------

static void spoil(const Fault *fault, double scale, const lbSparse *M, lbSparse *K) {
  for (int32_t j = 0; j < M->size; j++)
    for (int32_t k = M->column_begin[j]; k < M->column_begin[j + 1]; k++)
      K->values[lb_sparse_find(K, M->rows[k], j)] -= fault->shift * scale * M->values[k];
  for (int32_t i = 3 * BAD_NODE; i < 3 * BAD_NODE + 3; i++)
    K->values[lb_sparse_find(K, i, i)] -=
        fault->spring * scale * M->values[lb_sparse_find(M, i, i)];
}

static double scale_of(const lbSparse *K, const lbSparse *M) {
  double sums[2] = { 0 };
  for (int32_t i = 0; i < K->size; i++) {
    sums[0] += K->values[lb_sparse_find(K, i, i)];
    sums[1] += M->values[lb_sparse_find(M, i, i)];
  }
  return sums[0] / sums[1];
}

static lbStatus solve_alone(const lbFem *fem, const Fault *fault, double *lowest, lbError *err) {
  lbSparse *K = NULL;
  lbEigen *eigen = NULL;
  lbEigenDef def = lb_eigen_def(MODES);
  def.definite = fault->held;
  lbStatus status = lb_fem_rest_stiffness(fem, &K, err);
  if (!status) spoil(fault, scale_of(K, fem->mass), fem->mass, K);
  if (!status) status = lb_eigen_lowest(K, fem->mass, &def, &eigen, err);
  if (!status) *lowest = eigen->values[0];
  lb_eigen_destroy(eigen);
  lb_sparse_destroy(K);
  return status;
}

// ---- the ranks ---------------------------------------------------------------------------------

static void spoil_parts(const Fault *fault, lbParts *parts) {
  LB_PETSC(MatAXPY(parts->K, -fault->shift * parts->scale, parts->M, SUBSET_NONZERO_PATTERN));
  Vec diagonal;
  const PetscScalar *masses;
  LB_PETSC(VecDuplicate(parts->rows, &diagonal));
  LB_PETSC(MatGetDiagonal(parts->M, diagonal));
  LB_PETSC(VecGetArrayRead(diagonal, &masses));
  for (int32_t i = 0; i < 3 * parts->own_count; i++) {
    PetscInt row = 3 * parts->own_begin + i;
    bool bad = parts->own[i / 3] == BAD_NODE;
    double value = bad ? -fault->spring * parts->scale * masses[i] : 0;
    LB_PETSC(MatSetValue(parts->K, row, row, value, ADD_VALUES));
  }
  LB_PETSC(VecRestoreArrayRead(diagonal, &masses));
  LB_PETSC(VecDestroy(&diagonal));
  LB_PETSC(MatAssemblyBegin(parts->K, MAT_FINAL_ASSEMBLY));
  LB_PETSC(MatAssemblyEnd(parts->K, MAT_FINAL_ASSEMBLY));
}

static lbStatus solve_in_parts(lbFem *fem, const Fault *fault, lbPetscSolver solver, double *lowest,
                               lbError *err) {
  lbPetscDef def = lb_petsc_def();
  lbParts *parts = NULL;
  lbRows rows = { 0 };
  def.solver = solver;
  lbStatus status = lb_parts_create(fem, &def, &parts, err);
  if (status) return status;
  status = lb_parts_assemble(parts, err);
  if (!status) spoil_parts(fault, parts);
  if (!status) status = lb_rows_modes(parts, &def, MODES, &rows, err);
  if (!status) *lowest = rows.values[0];
  lb_rows_release(&rows);
  lb_parts_destroy(parts);
  return status;
}

// The factor that static solutions have, which is not shifted.
static lbStatus factor_in_parts(lbFem *fem, const Fault *fault, lbError *err) {
  lbPetscDef def = lb_petsc_def();
  lbParts *parts = NULL;
  lbStatics statics;
  def.solver = LB_PETSC_DIRECT;
  lbStatus status = lb_parts_create(fem, &def, &parts, err);
  if (status) return status;
  status = lb_parts_assemble(parts, err);
  if (!status) {
    spoil_parts(fault, parts);
    status = lb_statics_open(&statics, parts, &def, 0, NULL, err);
    lb_statics_close(&statics);
  }
  lb_parts_destroy(parts);
  return status;
}

static lbStatus factor_alone(const lbFem *fem, const Fault *fault, lbError *err) {
  lbSparse *K = NULL;
  lbCholesky *factor = NULL;
  lbStatus status = lb_fem_rest_stiffness(fem, &K, err);
  if (!status) spoil(fault, scale_of(K, fem->mass), fem->mass, K);
  if (!status) status = lb_cholesky_create(K, &factor, err);
  if (!status) status = lb_cholesky_factor(factor, K, err);
  lb_cholesky_destroy(factor);
  lb_sparse_destroy(K);
  return status;
}

// ---- lines -------------------------------------------------------------------------------------

static void tell(const char *name, const char *who, lbStatus status, double lowest,
                 const lbError *err) {
  if (lb_petsc_rank() > 0) return;
  if (status)
    printf("%s|%s|%d|%s\n", name, who, (int)status, err->text);
  else
    printf("%s|%s|0|%.9g\n", name, who, lowest);
  fflush(stdout);
}

static void try_fault(const Fault *fault) {
  lbError err = { 0 };
  double lowest = 0;
  bool first = lb_petsc_rank() == 0;
  lbFem *fem = first ? make_fem(fault->held) : NULL;
  lbStatus status = first ? solve_alone(fem, fault, &lowest, &err) : LB_OK;
  tell(fault->name, "limber", status, lowest, &err);
  status = solve_in_parts(fem, fault, LB_PETSC_DIRECT, &lowest, &err);
  tell(fault->name, "direct", status, lowest, &err);
  status = solve_in_parts(fem, fault, LB_PETSC_ITERATIVE, &lowest, &err);
  tell(fault->name, "iterative", status, lowest, &err);
  if (fault->held) {
    status = first ? factor_alone(fem, fault, &err) : LB_OK;
    tell(fault->name, "limber's factor", status, 0, &err);
    status = factor_in_parts(fem, fault, &err);
    tell(fault->name, "factor", status, 0, &err);
  }
  lb_fem_destroy(fem);
}

int main(void) {
  lbError err;
  if (lb_petsc_start(&err)) return 1;
  for (int f = 0; f < FAULT_COUNT; f++) try_fault(&faults[f]);
  SlepcFinalize(); // nobody serves here
  return 0;
}
