// Calls of rank 0 that all ranks carry out together. A call is a few numbers that go to all; what
// else is needed goes through shares.
#include "limber/petsc.h"

#include "limber/file.h"
#include "fem/engine.h"
#include "fem/modes.h"
#include "fem/reference.h"
#include "linalg/blas.h"
#include "petsc/basis.h"
#include "petsc/cubature.h"
#include "petsc/measure.h"
#include "petsc/stages.h"
#include "reduce/engine.h"

#include <math.h>
#include <slepceps.h>
#include <string.h>

enum { BODIES_MOST = 8 };

typedef enum Operation {
  STOP,
  OPEN,
  CLOSE,
  MULTIPLY,
  MULTIPLY_ALL,
  MOMENTS,
  EIGEN,
  BASIS,
  POLYNOMIALS,
  CUBATURE_BEGIN,
  CUBATURE_END,
  FORCES,
  COLUMNS,
  READ,
  MODES,
  MEASURE
} Operation;

typedef struct Call {
  int32_t operation, body;
  int32_t count, choice; // columns, modes, vectors; which matrix, material or task
  int32_t pose_count;
  double numbers[3];
} Call;

static lbParts *bodies[BODIES_MOST];
static lbPetscDef settings; // alike on all ranks but for texts

lbPetscDef lb_petsc_def(void) { return (lbPetscDef){ .solver = LB_PETSC_AUTO }; }

// ---- operations, on all ranks ------------------------------------------------------------------

// Columns of whole system vectors through a matrix; X, Y: rank 0.
static lbStatus multiply_system_columns(lbParts *parts, const Call *call, const double *X,
                                        double *Y, lbError *err) {
  lbStatus status = lb_parts_assemble(parts, err);
  if (status) return status;
  size_t rows = 3 * (size_t)parts->own_count, size = 3 * (size_t)parts->node_count;
  double *x = lb_ranks_alloc(rows + 1, sizeof *x), *y = lb_ranks_alloc(rows + 1, sizeof *y);
  Mat A = call->choice == LB_FEM_STIFFNESS ? parts->K : parts->M;
  for (size_t c = 0; c < (size_t)call->count; c++) {
    lb_share_scatter(&parts->nodes, X ? X + c * size : NULL, x);
    lb_parts_multiply(parts, A, 1, x, y);
    lb_share_gather(&parts->nodes, y, Y ? Y + c * size : NULL);
  }
  lb_free(x);
  lb_free(y);
  return LB_OK;
}

// Columns of whole full vectors through the mass of all vertices.
static lbStatus multiply_petsc_all(lbParts *parts, const Call *call, const double *X, double *Y,
                                   lbError *err) {
  const lbFem *fem = parts->fem;
  size_t rows = 3 * (size_t)parts->vertices.count;
  size_t size = parts->whole ? 3 * (size_t)parts->whole->vertex_count : 0;
  double *x = lb_ranks_alloc(rows + 1, sizeof *x), *y = lb_ranks_alloc(rows + 1, sizeof *y);
  lbStatus status = LB_OK;
  for (size_t c = 0; c < (size_t)call->count && !status; c++) {
    lb_share_scatter(&parts->vertices, X ? X + c * size : NULL, x);
    if (fem) status = lb_fem_part_mass_product(fem, call->choice, x, y, err);
    status = lb_ranks_agree(status, err);
    if (Y) memset(Y + c * size, 0, size * sizeof *Y);
    lb_share_gather_add(&parts->vertices, y, Y ? Y + c * size : NULL);
  }
  lb_free(x);
  lb_free(y);
  return status;
}

static void sum_moments(const lbParts *parts, const Call *call, double moments[3][3]) {
  memset(moments, 0, 9 * sizeof(double));
  if (parts->fem) lb_fem_second_moments(parts->fem, call->numbers, moments);
  lb_ranks_sum(&moments[0][0], 9);
}

// Rows of all ranks as whole vectors; rank 0 gets *out.
static lbStatus gather_modes(const lbParts *parts, const lbRows *rows, lbEigen **out,
                             lbError *err) {
  size_t size = 3 * (size_t)parts->node_count, own = 3 * (size_t)parts->own_count;
  size_t count = (size_t)rows->count, rigid = (size_t)rows->rigid_count;
  lbEigen *eigen = NULL;
  lbStatus status = LB_OK;
  if (parts->whole) {
    eigen = lb_alloc(1, sizeof *eigen);
    if (eigen) {
      *eigen = (lbEigen){ .size = (int32_t)size,
                          .count = rows->count,
                          .rigid_count = rows->rigid_count,
                          .shift = parts->shift,
                          .seconds = rows->seconds };
      eigen->values = lb_duplicate(rows->values, count, sizeof(double));
      eigen->residuals = lb_duplicate(rows->residuals, count, sizeof(double));
      eigen->vectors = lb_alloc(size * count, sizeof(double));
      eigen->rigid_vectors = lb_alloc(size * rigid, sizeof(double));
    }
    if (!eigen || !eigen->values || !eigen->residuals || !eigen->vectors || !eigen->rigid_vectors)
      status = lb_fail_memory(err);
  }
  status = lb_ranks_agree(status, err);
  for (size_t i = 0; i < count && !status; i++)
    lb_share_gather(&parts->nodes, rows->vectors + own * i,
                    eigen ? eigen->vectors + size * i : NULL);
  for (size_t i = 0; i < rigid && !status; i++)
    lb_share_gather(&parts->nodes, rows->rigid_vectors + own * i,
                    eigen ? eigen->rigid_vectors + size * i : NULL);
  if (status)
    lb_eigen_destroy(eigen);
  else if (out)
    *out = eigen;
  return status;
}

static lbStatus find_petsc_modes(lbParts *parts, const Call *call, lbEigen **out, lbError *err) {
  lbRows rows = { 0 };
  lbStatus status = lb_parts_assemble(parts, err);
  if (!status) status = lb_rows_modes(parts, &settings, call->count, &rows, err);
  if (!status) status = gather_modes(parts, &rows, out, err);
  lb_rows_release(&rows);
  return status;
}

// Modes whose vectors stay where they are; rank 0 gets *out.
static lbStatus find_frequencies(lbParts *parts, const Call *call, lbModes **out, lbError *err) {
  lbRows rows = { 0 };
  lbStatus status = lb_parts_assemble(parts, err);
  if (!status) status = lb_rows_modes(parts, &settings, call->count, &rows, err);
  if (!status && out) {
    size_t count = (size_t)rows.count;
    lbModes *modes = *out = lb_ranks_alloc(1, sizeof *modes);
    *modes = (lbModes){ .count = rows.count,
                        .rigid_count = rows.rigid_count,
                        .vertex_count = parts->vertex_count,
                        .frequencies = lb_ranks_alloc(count, sizeof(double)),
                        .eigenvalues = rows.values,
                        .residuals = rows.residuals,
                        .seconds = rows.seconds };
    for (size_t i = 0; i < count; i++) modes->frequencies[i] = sqrt(rows.values[i]) / (2 * LB_PI);
    rows.values = rows.residuals = NULL;
  }
  lb_rows_release(&rows);
  return status;
}

// Sums of this rank's elements; those of all ranks added up.
static lbStatus sum_polynomials(lbParts *parts, const Call *call, const double *basis,
                                int32_t part_count, lbPolynomial **sums, lbError *err) {
  const lbFem *fem = parts->fem;
  size_t own = 3 * (size_t)parts->vertices.count;
  size_t size = parts->whole ? 3 * (size_t)parts->whole->vertex_count : 0;
  double *U = lb_ranks_alloc(own * (size_t)call->count + 1, sizeof(double));
  lbStatus status = LB_OK;
  for (size_t i = 0; i < (size_t)call->count; i++)
    lb_share_scatter(&parts->vertices, basis ? basis + size * i : NULL, U + own * i);
  lbPolynomialDef def = { .count = call->count, .basis = U, .group_count = call->choice };
  if (fem) def.element_groups = fem->element_materials;
  if (!fem)
    for (int32_t p = 0; p < part_count && !status; p++)
      status = lb_polynomial_create(call->count, &sums[p], err);
  else if (call->choice == 0)
    status = lb_polynomial_build(fem, &def, sums, err);
  else
    status = lb_polynomial_build_parts(fem, &def, sums, err);
  status = lb_ranks_agree(status, err);
  for (int32_t p = 0; p < part_count && !status; p++) {
    lb_ranks_sum(sums[p]->linear, lb_packed2_count(call->count));
    lb_ranks_sum(sums[p]->quadratic, lb_packed3_count(call->count));
    lb_ranks_sum(sums[p]->cubic, lb_packed4_count(call->count));
  }
  for (int32_t p = 0; p < part_count && status; p++) {
    lb_polynomial_destroy(sums[p]);
    sums[p] = NULL;
  }
  lb_free(U);
  return status;
}

// ---- the ranks that wait -----------------------------------------------------------------------

static void help_with_basis(lbParts *parts) {
  lbError err;
  lbFoundBasis found = { 0 };
  lb_parts_basis(parts, &settings, NULL, "", &found, &err);
  lb_found_basis_release(&found);
}

static void help_with_polynomials(lbParts *parts, const Call *call) {
  lbError err;
  int32_t count = call->choice ? 2 * call->choice : 1;
  lbPolynomial **sums = lb_ranks_alloc((size_t)count, sizeof *sums);
  sum_polynomials(parts, call, NULL, count, sums, &err);
  for (int32_t p = 0; p < count; p++) lb_polynomial_destroy(sums[p]);
  lb_free(sums);
}

static void carry_out(const Call *call) {
  lbError err;
  lbPetscFigures figures;
  lbParts *parts = bodies[call->body];
  double moments[3][3];
  switch (call->operation) {
  case OPEN: lb_parts_create(NULL, &settings, &bodies[call->body], &err); break;
  case CLOSE:
    lb_parts_destroy(parts);
    bodies[call->body] = NULL;
    break;
  case MULTIPLY: multiply_system_columns(parts, call, NULL, NULL, &err); break;
  case MULTIPLY_ALL: multiply_petsc_all(parts, call, NULL, NULL, &err); break;
  case MOMENTS: sum_moments(parts, call, moments); break;
  case EIGEN: find_petsc_modes(parts, call, NULL, &err); break;
  case BASIS: help_with_basis(parts); break;
  case POLYNOMIALS: help_with_polynomials(parts, call); break;
  case CUBATURE_BEGIN: lb_part_cubature_begin(parts, call->count, NULL, &err); break;
  case CUBATURE_END: lb_part_cubature_end(parts); break;
  case READ: lb_parts_read(NULL, NULL, &settings, &bodies[call->body], &err); break;
  case MODES: find_frequencies(parts, call, NULL, &err); break;
  case MEASURE: lb_measure(parts, &settings, call->count, call->choice, &figures, &err); break;
  case FORCES: lb_part_forces(parts, call->count, NULL, NULL, NULL, &err); break;
  case COLUMNS:
    lb_part_columns(parts, NULL, (lbColumnsTask)call->choice, call->count, call->pose_count, NULL,
                    NULL, NULL, &err);
    break;
  default: break;
  }
}

void lb_petsc_serve(void) {
  Call call = { 0 };
  lb_ranks_broadcast(&settings, sizeof settings);
  settings.restart = NULL; // rank 0's affair
  do {
    lb_ranks_broadcast(&call, sizeof call);
    carry_out(&call);
  } while (call.operation != STOP);
}

// ---- rank 0 ------------------------------------------------------------------------------------

static int32_t find_petsc_body(const lbFem *fem) {
  int32_t body = 0;
  while (fem && bodies[body] != fem->remote) body++;
  return body;
}

static Call announce(const lbFem *fem, Operation operation, int32_t count, int32_t choice) {
  Call call = {
    .operation = (int32_t)operation, .body = find_petsc_body(fem), .count = count, .choice = choice
  };
  lb_ranks_broadcast(&call, sizeof call);
  return call;
}

// A call that makes a body, at a free place.
static lbStatus announce_body(const char *name, Operation operation, int32_t *body, lbError *err) {
  *body = 0;
  while (*body < BODIES_MOST && bodies[*body]) ++*body;
  if (*body == BODIES_MOST)
    return lb_fail(err, LB_ERR_UNSUPPORTED, "%s: more than %d bodies in parts at once", name,
                   BODIES_MOST);
  Call call = { .operation = (int32_t)operation, .body = *body };
  lb_ranks_broadcast(&call, sizeof call);
  return LB_OK;
}

static lbStatus open_body(lbFem *fem, lbError *err) {
  int32_t body;
  lbStatus status = announce_body(fem->name, OPEN, &body, err);
  if (!status) status = lb_parts_create(fem, &settings, &bodies[body], err);
  if (!status) fem->remote = bodies[body];
  return status;
}

static void close_body(lbFem *fem) {
  Call call = announce(fem, CLOSE, 0, 0);
  lb_parts_destroy(fem->remote);
  bodies[call.body] = NULL;
  fem->remote = NULL;
}

static lbStatus call_multiply(const lbFem *fem, lbFemMatrix matrix, int32_t count, const double *X,
                              double *Y, lbError *err) {
  Call call = announce(fem, MULTIPLY, count, (int32_t)matrix);
  return multiply_system_columns(fem->remote, &call, X, Y, err);
}

static lbStatus call_multiply_all(const lbFem *fem, int32_t material, int32_t count,
                                  const double *X, double *Y, lbError *err) {
  Call call = announce(fem, MULTIPLY_ALL, count, material);
  return multiply_petsc_all(fem->remote, &call, X, Y, err);
}

static void call_moments(const lbFem *fem, const double c[3], double moments[3][3]) {
  Call call = { .operation = MOMENTS, .body = find_petsc_body(fem) };
  memcpy(call.numbers, c, sizeof call.numbers);
  lb_ranks_broadcast(&call, sizeof call);
  sum_moments(fem->remote, &call, moments);
}

static lbStatus call_eigen(const lbFem *fem, const lbEigenDef *def, lbEigen **out, lbError *err) {
  if (lb_stage_load_modes(settings.restart, fem, def->count, out)) return LB_OK;
  Call call = announce(fem, EIGEN, def->count, 0);
  lbStatus status = find_petsc_modes(fem->remote, &call, out, err);
  return status ? status : lb_stage_save_modes(settings.restart, fem, def->count, *out, err);
}

// Vectors of whole clusters are made canonical, then cut.
static lbStatus keep_basis(const lbFem *fem, lbFoundBasis *found, lbBasis *basis, lbError *err) {
  lbFemReference reference;
  lb_fem_reference(fem, NULL, &reference);
  lbStatus status = lb_canonical_vectors(&reference.fields, found->size.whole, found->values,
                                         LB_SINGULAR_GAP, found->vectors, err);
  return status ? status
                : lb_basis_store_pca(fem, found->candidate_count, found->size.dimension,
                                     found->size.whole, found->vectors, found->values, basis, err);
}

static lbStatus check_petsc_basis(const lbFem *fem, const lbBasisDef *def, lbError *err) {
  int32_t candidates = def->mode_count + def->mode_count * (def->mode_count + 1) / 2;
  if (def->spectral_deflation || def->metric != fem->mass_kind)
    return lb_fail(
        err, LB_ERR_UNSUPPORTED,
        "%s: derivatives of a body in parts have no spectral deflation, and the metric of "
        "the body's own mass",
        fem->name);
  return lb_basis_check_dimension(fem, def, candidates, err);
}

static lbStatus call_basis(const lbFem *fem, const lbBasisDef *def, lbBasis *basis, lbError *err) {
  lbEigen *eigen = NULL;
  lbFoundBasis found = { .mode_count = def->mode_count,
                         .size = { .dimension = def->dimension, .at_most = def->at_most } };
  lbStatus status = check_petsc_basis(fem, def, err);
  if (!status) status = lb_fem_eigen(fem, NULL, def->mode_count, NULL, &eigen, err);
  if (status) return status;
  basis->mode_seconds = eigen->seconds;
  basis->rigid_count = eigen->rigid_count;
  if (!lb_stage_load_basis(settings.restart, fem, &found)) {
    lbFoundBasis given = found;
    announce(fem, BASIS, 0, 0);
    status = lb_parts_basis(fem->remote, &settings, eigen, fem->name, &found, err);
    if (!status) status = lb_stage_save_basis(settings.restart, fem, &given, &found, err);
  }
  if (!status) status = keep_basis(fem, &found, basis, err);
  if (!status) status = lb_fem_modes_of_eigen(fem, eigen, def->mode_count, &basis->modes, err);
  basis->force_seconds = found.force_seconds;
  basis->solve_seconds = found.solve_seconds;
  basis->pca_seconds = found.pca_seconds;
  lb_found_basis_release(&found);
  lb_eigen_destroy(eigen);
  return status;
}

static lbStatus call_polynomials(const lbFem *fem, const lbPolynomialDef *def, bool whole,
                                 int32_t count, lbPolynomial **parts, lbError *err) {
  if (lb_stage_load_polynomials(settings.restart, fem, def, count, parts)) return LB_OK;
  Call call = announce(fem, POLYNOMIALS, def->count, whole ? 0 : def->group_count);
  lbStatus status = sum_polynomials(fem->remote, &call, def->basis, count, parts, err);
  return status ? status : lb_stage_save_polynomials(settings.restart, fem, def, count, parts, err);
}

static lbStatus call_cubature_begin(const lbFem *fem, int32_t dimension, const double *basis,
                                    lbError *err) {
  announce(fem, CUBATURE_BEGIN, dimension, 0);
  return lb_part_cubature_begin(fem->remote, dimension, basis, err);
}

static void call_cubature_end(const lbFem *fem) {
  announce(fem, CUBATURE_END, 0, 0);
  lb_part_cubature_end(fem->remote);
}

static lbStatus call_forces(const lbFem *fem, int32_t count, const double *poses, double *forces,
                            double *energies, lbError *err) {
  announce(fem, FORCES, count, 0);
  return lb_part_forces(fem->remote, count, poses, forces, energies, err);
}

static lbStatus call_columns(const lbColumns *columns, lbColumnsTask task, int32_t count,
                             const int32_t *list, const double *in, double *out, lbError *err) {
  Call call = { .operation = COLUMNS,
                .body = find_petsc_body(columns->fem),
                .count = count,
                .choice = (int32_t)task,
                .pose_count = columns->pose_count };
  lb_ranks_broadcast(&call, sizeof call);
  return lb_part_columns(columns->fem->remote, columns, task, count, columns->pose_count, list, in,
                         out, err);
}

static const lbReduceEngine reduce_engine = { .derivatives = call_basis,
                                              .polynomials = call_polynomials,
                                              .cubature_begin = call_cubature_begin,
                                              .cubature_end = call_cubature_end,
                                              .reduced_forces = call_forces,
                                              .columns = call_columns };

static const lbFemEngine engine = { .open = open_body,
                                    .close = close_body,
                                    .multiply = call_multiply,
                                    .multiply_all = call_multiply_all,
                                    .second_moments = call_moments,
                                    .eigen = call_eigen };

void lb_petsc_install(const lbPetscDef *def) {
  settings = *def;
  lb_ranks_broadcast(&settings, sizeof settings);
  lb_fem_set_engine(&engine);
  lb_reduce_set_engine(&reduce_engine);
}

// ---- bodies that are read in parts -------------------------------------------------------------

bool lb_petsc_reads(const char *path) { return lb_path_has_extension(path, ".msh"); }

lbStatus lb_petsc_read(const char *path, const lbMaterial *material, lbPetscBody *out,
                       lbError *err) {
  lbStatus status = announce_body(path, READ, &out->id, err);
  if (!status) status = lb_parts_read(path, material, &settings, &bodies[out->id], err);
  if (status) return status;
  const lbParts *parts = bodies[out->id];
  out->vertex_count = parts->vertex_count;
  out->element_count = parts->element_count;
  out->total_mass = parts->total_mass;
  return LB_OK;
}

static Call announce_to(int32_t body, Operation operation, int32_t count, int32_t choice) {
  Call call = { (int32_t)operation, body, count, choice, 0, { 0 } };
  lb_ranks_broadcast(&call, sizeof call);
  return call;
}

void lb_petsc_close(lbPetscBody *body) {
  announce_to(body->id, CLOSE, 0, 0);
  lb_parts_destroy(bodies[body->id]);
  bodies[body->id] = NULL;
}

lbStatus lb_petsc_modes(const lbPetscBody *body, int32_t count, lbModes **out, lbError *err) {
  Call call = announce_to(body->id, MODES, count, 0);
  return find_frequencies(bodies[body->id], &call, out, err);
}

lbStatus lb_petsc_measure_body(const lbPetscBody *body, int32_t mode_count, bool solve,
                               lbPetscFigures *out, lbError *err) {
  announce_to(body->id, MEASURE, mode_count, solve);
  return lb_measure(bodies[body->id], &settings, mode_count, solve, out, err);
}

lbStatus lb_petsc_measure(const lbFem *fem, int32_t mode_count, bool solve, lbPetscFigures *out,
                          lbError *err) {
  if (!fem->engine)
    return lb_fail(err, LB_ERR_UNSUPPORTED, "%s: shells are not spread over ranks", fem->name);
  return lb_petsc_measure_body(&(lbPetscBody){ .id = find_petsc_body(fem) }, mode_count, solve, out,
                               err);
}

// ---- start and end -----------------------------------------------------------------------------

lbStatus lb_petsc_start(lbError *err) {
  PetscOptionsSetValue(NULL, "-no_signal_handler", NULL); // Ctrl-C is the program's
  if (SlepcInitializeNoArguments())
    return lb_fail(err, LB_ERR_UNSUPPORTED, "PETSc and SLEPc do not start");
  LB_PETSC(PetscPushErrorHandler(PetscReturnErrorHandler, NULL)); // LB_PETSC says it in one line
  lb_linalg_one_thread();
  return LB_OK;
}

int lb_petsc_rank(void) { return lb_ranks_rank(); }

int lb_petsc_rank_count(void) { return lb_ranks_count(); }

void lb_petsc_stop(void) {
  if (lb_ranks_rank() == 0) announce(NULL, STOP, 0, 0);
  SlepcFinalize();
}
