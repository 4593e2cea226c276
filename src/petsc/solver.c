// Which solver a body gets; conjugate gradients with algebraic multigrid (GAMG).
#include "petsc/eigen.h"

#include "petsc/memory.h"

bool lb_is_direct(const lbParts *parts, const lbPetscDef *def, int32_t mode_count) {
  if (def->solver != LB_PETSC_AUTO) return def->solver == LB_PETSC_DIRECT;
  if (3 * (int64_t)parts->node_count > LB_PETSC_DIRECT_ROWS) return false;
  // Elements are as few beside a factor that they need not be counted here.
  lbMemoryBody body = { .node_count = parts->node_count,
                        .tet_count = 5 * parts->node_count,
                        .outline = parts->shared };
  lbMemoryNeed need = lb_memory_need(&body, mode_count, lb_ranks_count());
  return need.direct <= lb_memory_available(def);
}

void lb_solver_set_up(KSP solver) {
  PC pc;
  LB_PETSC(KSPGetPC(solver, &pc));
  LB_PETSC(KSPSetType(solver, KSPCG));
  LB_PETSC(KSPSetTolerances(solver, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 2000));
  LB_PETSC(PCSetType(pc, PCGAMG));
}

void lb_solver_rigid_motions(const lbParts *parts, Mat A) {
  Vec places;
  MatNullSpace space;
  PetscInt rows = 3 * parts->own_count;
  LB_PETSC(VecCreateMPIWithArray(PETSC_COMM_WORLD, 3, rows, PETSC_DECIDE, parts->places, &places));
  LB_PETSC(MatNullSpaceCreateRigidBody(places, &space));
  LB_PETSC(MatSetNearNullSpace(A, space));
  LB_PETSC(MatNullSpaceDestroy(&space));
  LB_PETSC(VecDestroy(&places));
}

void lb_solver_solve(KSP solver, const lbParts *parts, int32_t count, const double *B, double *X) {
  Mat from, to;
  PetscInt rows = 3 * parts->own_count, all = 3 * parts->node_count;
  LB_PETSC(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, all, count, (double *)B, &from));
  LB_PETSC(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, all, count, X, &to));
  LB_PETSC(KSPMatSolve(solver, from, to));
  LB_PETSC(MatDestroy(&from));
  LB_PETSC(MatDestroy(&to));
}
