// Gravity Uᵀ M (1 ⊗ e_k) and rigid velocities Uᵀ M Z in a basis U.
#include "reduce/projection.h"

#include "fem/engine.h"

void lb_add_pull(const double *node_masses, int32_t node_count, int32_t count, const double *basis,
                 double *gravity) {
  size_t rows = 3 * (size_t)node_count;
  for (size_t i = 0; i < (size_t)count; i++)
    for (size_t k = 0; k < rows; k++)
      gravity[3 * i + k % 3] += node_masses[k / 3] * basis[rows * i + k];
}

// M's row sums are the vertices' masses.
lbStatus lb_project_gravity(const lbModel *draft, int32_t count, const double *basis,
                            lbArena *arena, double **out, lbError *err) {
  *out = lb_arena_alloc(arena, (size_t)count, 3 * sizeof **out);
  if (!*out) return lb_fail_memory(err);
  lb_add_pull(draft->node_masses, draft->size.node_count, count, basis, *out);
  return LB_OK;
}

// Rigid velocity `motion` of the free nodes, system vector: along x, y, z, then about them.
static void find_projection_velocity(const lbFem *fem, const double *centre, int motion,
                                     double *velocity) {
  for (int32_t n = 0; n < fem->node_count; n++) {
    const double *x = fem->positions + 3 * (size_t)fem->vertex_of_node[n];
    double *v = velocity + 3 * (size_t)n;
    v[0] = v[1] = v[2] = 0;
    int i = motion % 3, j = (i + 1) % 3, k = (i + 2) % 3;
    if (motion < 3) {
      v[i] = 1;
    } else { // e_i × (x − centre)
      v[j] = -(x[k] - centre[k]);
      v[k] = x[j] - centre[j];
    }
  }
}

lbStatus lb_project_rigid(const lbFem *fem, const lbModel *draft, int32_t count,
                          const double *basis, lbArena *arena, double **out, lbError *err) {
  size_t vectors = (size_t)count, size = 3 * (size_t)fem->node_count;
  size_t rows = 3 * (size_t)fem->vertex_count;
  double *rigid = lb_arena_alloc(arena, vectors, 6 * sizeof *rigid);
  double *velocity = lb_arena_alloc(arena, size, sizeof *velocity);
  double *momentum = lb_arena_alloc(arena, size, sizeof *momentum);
  double *full = lb_arena_alloc(arena, rows, sizeof *full);
  if (!rigid || !velocity || !momentum || !full) return lb_fail_memory(err);
  for (int motion = 0; motion < 6; motion++) {
    find_projection_velocity(fem, draft->rigid_centre, motion, velocity);
    lbStatus status = lb_fem_multiply_mass(fem, 1, velocity, momentum, err);
    if (status) return status;
    lb_fem_expand(fem, momentum, full);
    for (size_t i = 0; i < vectors; i++)
      for (size_t k = 0; k < rows; k++)
        rigid[6 * i + (size_t)motion] += basis[rows * i + k] * full[k];
  }
  *out = rigid;
  return LB_OK;
}

lbStatus lb_keep_damping(const lbReduceDef *def, lbArena *arena, double **out, lbError *err) {
  *out = lb_arena_alloc(arena, 2, sizeof **out);
  if (!*out) return lb_fail_memory(err);
  (*out)[0] = def->damping_mass;
  (*out)[1] = def->damping_stiffness;
  return LB_OK;
}
