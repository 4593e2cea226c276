// Modal derivatives and mass-PCA of a body in parts: right-hand sides by the element kernels where
// elements lie, solutions and principal vectors where rows lie. Nothing as long as the body and as
// wide as the candidates is ever on one rank.
#include "petsc/basis.h"

#include "linalg/dense.h"
#include "reduce/derivatives.h"

#include <math.h>
#include <string.h>

typedef struct Work {
  lbParts *parts;
  lbFoundBasis *found;
  size_t own; // rows of this rank
  int32_t modes, pairs;
  double *values;      // (modes)
  double *X;           // (own x modes)
  double *derivatives; // (own x pairs)
  double *A;           // (own x modes + pairs)
} Work;

void lb_found_basis_release(lbFoundBasis *found) {
  lb_free(found->values);
  lb_free(found->vectors);
  found->values = found->vectors = NULL;
}

static void release_rank_basis(Work *w) {
  lb_free(w->values);
  lb_free(w->X);
  lb_free(w->derivatives);
  lb_free(w->A);
}

// Rank 0's modes, to where the rows lie.
static void share_modes(Work *w, const lbEigen *eigen) {
  size_t size = 3 * (size_t)w->parts->node_count, modes = (size_t)w->modes;
  w->values = lb_ranks_alloc(modes, sizeof(double));
  w->X = lb_ranks_alloc(w->own * modes + 1, sizeof(double));
  if (eigen) memcpy(w->values, eigen->values, modes * sizeof(double));
  lb_ranks_broadcast(w->values, modes * sizeof(double));
  for (size_t i = 0; i < modes; i++)
    lb_share_scatter(&w->parts->nodes, eigen ? eigen->vectors + size * i : NULL, w->X + w->own * i);
}

// derivatives = −(H:Ψ_i)Ψ_j
static lbStatus find_derivative_forces(Work *w, lbError *err) {
  const lbFem *fem = w->parts->fem;
  size_t nodes = fem ? 3 * (size_t)fem->node_count : 0, pairs = (size_t)w->pairs;
  double *modes = lb_ranks_alloc(nodes * (size_t)w->modes + 1, sizeof(double));
  double *forces = lb_ranks_alloc(nodes * pairs + 1, sizeof(double));
  w->derivatives = lb_ranks_alloc(w->own * pairs + 1, sizeof(double));
  for (size_t i = 0; i < (size_t)w->modes; i++)
    lb_parts_fetch(w->parts, w->X + w->own * i, modes + nodes * i);
  lbStatus status = fem ? lb_hessian_forces(fem, w->modes, modes, forces, err) : LB_OK;
  status = lb_ranks_agree(status, err);
  lb_free(modes);
  for (size_t p = 0; p < pairs && !status; p++)
    lb_parts_finish(w->parts, forces + nodes * p, w->derivatives + w->own * p);
  for (size_t i = 0; i < w->own * pairs && !status; i++) w->derivatives[i] = -w->derivatives[i];
  lb_free(forces);
  return status;
}

// Rank 0's rigid motions, to where the rows lie.
static double *share_rigid(const Work *w, const lbEigen *eigen, int32_t *count) {
  size_t size = 3 * (size_t)w->parts->node_count;
  *count = eigen ? eigen->rigid_count : 0;
  lb_ranks_broadcast(count, sizeof *count);
  double *Z = lb_ranks_alloc(w->own * (size_t)*count + 1, sizeof *Z);
  for (size_t i = 0; i < (size_t)*count; i++)
    lb_share_scatter(&w->parts->nodes, eigen ? eigen->rigid_vectors + size * i : NULL,
                     Z + w->own * i);
  return Z;
}

static lbStatus solve_derivatives(Work *w, const lbPetscDef *def, const lbEigen *eigen,
                                  lbError *err) {
  enum { BLOCK = 64 };
  lbStatics statics;
  int32_t rigid = 0;
  double *Z = share_rigid(w, eigen, &rigid);
  lbStatus status = lb_statics_open(&statics, w->parts, def, rigid, Z, err);
  lb_free(Z);
  for (int32_t done = 0; done < w->pairs && !status; done += BLOCK) {
    int32_t count = w->pairs - done < BLOCK ? w->pairs - done : BLOCK;
    status = lb_ranks_progress("modal derivatives", (double)done / w->pairs, err);
    if (!status)
      status = lb_statics_solve(&statics, count, w->derivatives + w->own * (size_t)done, err);
  }
  lb_statics_close(&statics);
  lb_parts_drop_factor(w->parts); // it has the largest thing there is
  return status;
}

static lbStatus scale_derivatives(Work *w, lbError *err) {
  double *norms = lb_ranks_alloc((size_t)w->pairs, sizeof(double));
  double *MX = lb_ranks_alloc(w->own + 1, sizeof(double));
  for (size_t d = 0; d < (size_t)w->pairs; d++) {
    const double *x = w->derivatives + w->own * d;
    lb_parts_multiply(w->parts, w->parts->M, 1, x, MX);
    for (size_t i = 0; i < w->own; i++) norms[d] += x[i] * MX[i];
  }
  lb_ranks_sum(norms, (size_t)w->pairs);
  for (int32_t d = 0; d < w->pairs; d++) norms[d] = norms[d] > 0 ? sqrt(norms[d]) : 0;
  w->A = lb_ranks_alloc(w->own * (size_t)(w->modes + w->pairs) + 1, sizeof(double));
  lbCandidates candidates = { .size = w->own,
                              .mode_count = w->modes,
                              .derivative_count = w->pairs,
                              .values = w->values,
                              .modes = w->X,
                              .derivatives = w->derivatives };
  lbStatus status = lb_candidates_scale(&candidates, norms, w->A, &w->found->candidate_count, err);
  lb_free(w->derivatives);
  w->derivatives = NULL;
  lb_free(norms);
  lb_free(MX);
  return lb_ranks_agree(status, err);
}

// ---- mass-PCA over the ranks -------------------------------------------------------------------

static lbStatus agree_on_status(void *context, lbStatus status, lbError *err) {
  (void)context;
  return lb_ranks_agree(status, err);
}

static lbStatus join_rank_sums(void *context, int32_t count, double *C, lbError *err) {
  (void)context;
  size_t n = (size_t)count, ranks = (size_t)lb_ranks_count();
  bool first = lb_ranks_rank() == 0;
  double *all = first ? lb_ranks_alloc(ranks * n * n, sizeof(double)) : NULL;
  double *stacked = first ? lb_ranks_alloc(ranks * n * n, sizeof(double)) : NULL;
  MPI_Gather(C, (int)(n * n), MPI_DOUBLE, all, (int)(n * n), MPI_DOUBLE, 0, PETSC_COMM_WORLD);
  for (size_t r = 0; first && r < ranks; r++)
    for (size_t c = 0; c < n; c++)
      memcpy(stacked + c * ranks * n + r * n, all + (r * n + c) * n, n * sizeof *C);
  lbStatus status = first ? lb_dense_triangle((int32_t)(ranks * n), count, stacked, C, err) : LB_OK;
  status = lb_ranks_agree(status, err);
  lb_ranks_broadcast(C, n * n * sizeof *C);
  lb_free(all);
  lb_free(stacked);
  return status;
}

static void multiply_by_mass_rows(void *context, int32_t count, const double *B, double *MB) {
  Work *w = context;
  lb_parts_multiply(w->parts, w->parts->M, count, B, MB);
}

static void sum(void *context, size_t count, double *values) {
  (void)context;
  lb_ranks_sum(values, count);
}

static void spread_from_first_rank(void *context, size_t count, double *values) {
  (void)context;
  lb_ranks_broadcast(values, count * sizeof *values);
}

static lbStatus finish_rank_basis(void *context, int32_t whole, const double *singular,
                                  const double *vectors, lbError *err) {
  Work *w = context;
  (void)err;
  size_t count = (size_t)whole, size = 3 * (size_t)w->parts->node_count;
  w->found->values = lb_duplicate(singular, count, sizeof(double));
  if (w->parts->whole) w->found->vectors = lb_ranks_alloc(size * count, sizeof(double));
  for (size_t c = 0; c < count; c++)
    lb_share_gather(&w->parts->nodes, vectors + w->own * c,
                    w->found->vectors ? w->found->vectors + size * c : NULL);
  return LB_OK;
}

// The masses of vertices, where their rows lie.
static void share_masses(const Work *w, double *lumped) {
  const lbFem *whole = w->parts->whole;
  double *masses = NULL;
  if (whole) {
    masses = lb_ranks_alloc((size_t)whole->node_count, 3 * sizeof(double));
    for (size_t i = 0; i < 3 * (size_t)whole->node_count; i++)
      masses[i] = whole->vertex_masses[whole->vertex_of_node[i / 3]];
  }
  lb_share_scatter(&w->parts->nodes, masses, lumped);
  lb_free(masses);
}

static lbStatus reduce_rank_candidates(Work *w, const char *name, lbError *err) {
  lbPcaRanks ranks = { .size = 3 * (int64_t)w->parts->node_count,
                       .agree = agree_on_status,
                       .join = join_rank_sums,
                       .multiply = multiply_by_mass_rows,
                       .sum = sum,
                       .spread = spread_from_first_rank,
                       .finish = finish_rank_basis,
                       .context = w };
  double *lumped = lb_ranks_alloc(w->own + 1, sizeof(double));
  double *singular = lb_ranks_alloc((size_t)w->found->size.dimension, sizeof(double));
  share_masses(w, lumped);
  lbStatus status = lb_mass_pca_ranks(&ranks, (int32_t)w->own, w->found->candidate_count, w->A,
                                      lumped, &w->found->size, name, singular, err);
  lb_free(lumped);
  lb_free(singular);
  return status;
}

lbStatus lb_parts_basis(lbParts *parts, const lbPetscDef *def, const lbEigen *eigen,
                        const char *name, lbFoundBasis *found, lbError *err) {
  lb_ranks_broadcast(&found->mode_count, sizeof found->mode_count);
  lb_ranks_broadcast(&found->size, sizeof found->size);
  Work w = { .parts = parts,
             .found = found,
             .own = 3 * (size_t)parts->own_count,
             .modes = found->mode_count,
             .pairs = lb_pair_count(found->mode_count) };
  double start = MPI_Wtime();
  lbStatus status = lb_ranks_progress("modal derivatives", 0, err);
  if (!status) status = lb_parts_assemble(parts, err);
  if (!status) share_modes(&w, eigen);
  if (!status) status = find_derivative_forces(&w, err);
  found->force_seconds = MPI_Wtime() - start;
  start = MPI_Wtime();
  if (!status) status = solve_derivatives(&w, def, eigen, err);
  found->solve_seconds = MPI_Wtime() - start;
  start = MPI_Wtime();
  if (!status) status = scale_derivatives(&w, err);
  if (!status) status = reduce_rank_candidates(&w, name, err);
  found->pca_seconds = MPI_Wtime() - start;
  release_rank_basis(&w);
  return status;
}
