// Matrices of a body as files: which rows they have, and what stands in them.
#include "limber/matrix.h"

#include "fem/fem.h"
#include "limber/file.h"
#include "arrayio/mtx.h"
#include "arrayio/npz.h"
#include "reduce/derivatives.h"
#include "study/matrix_body.h"

#include <stdio.h>
#include <string.h>

typedef struct Job {
  const lbSceneBody *body;
  const lbMatrixDef *def;
  const char *path;
  bool npz;
  lbFem *fem; // held where rows or modes ask for it
  lbMatrixInfo info;
} Job;

static const char *const kind_names[] = { "stiffness", "mass",        "lumped", "modes",
                                          "basis",     "derivatives", NULL };

const char *lb_matrix_kind_name(lbMatrixKind kind) { return kind_names[kind]; }

bool lb_matrix_kind_parse(const char *name, lbMatrixKind *kind) {
  for (int i = 0; kind_names[i]; i++)
    if (strcmp(kind_names[i], name) == 0) {
      *kind = (lbMatrixKind)i;
      return true;
    }
  return false;
}

lbMatrixDef lb_matrix_def(void) { return (lbMatrixDef){ .mode_count = 20 }; }

static void describe_matrix(const Job *job, const char *unit, const char *more, char *text,
                            size_t bytes) {
  snprintf(text, bytes,
           "%s of %.100s at rest, %s, by limber " LB_VERSION "\nrow 3 k + axis: %s%s%s",
           kind_names[job->def->kind], job->body->name, unit,
           job->def->held ? "the k-th vertex that is neither fixed nor unused"
                          : "vertex k of the volume mesh",
           more[0] ? "\n" : "", more);
}

// ---- archives ----------------------------------------------------------------------------------

// Vertices of the rows, where some are left out.
static lbStatus add_matrix_vertices(const Job *job, lbNpzWriter *writer, lbError *err) {
  if (!job->def->held) return LB_OK;
  const lbNpzArray array = { "vertices", LB_SCALAR_INT32,         1, { job->fem->node_count },
                             false,      job->fem->vertex_of_node };
  return lb_npz_add(writer, &array, err);
}

static lbStatus write_arrays(const Job *job, const lbNpzArray *arrays, size_t count,
                             const char *format, lbError *err) {
  lbNpzWriter writer;
  lbStatus status = lb_npz_begin(&writer, job->path, err);
  for (size_t i = 0; i < count && !status; i++) status = lb_npz_add(&writer, &arrays[i], err);
  if (!status && format) status = lb_npz_add_text(&writer, "format", format, err);
  if (!status) status = add_matrix_vertices(job, &writer, err);
  return status ? status : lb_npz_commit(&writer, err);
}

// ---- sparse ------------------------------------------------------------------------------------

// A with the rows of the file: those of all vertices, or as it is. Zeros that the pattern alone has
// are left out.
static lbStatus place_matrix_rows(const Job *job, const lbSparse *A, lbSparse *placed,
                                  lbError *err) {
  const lbFem *fem = job->fem;
  size_t vertices = (size_t)(job->def->held ? fem->node_count : fem->vertex_count);
  size_t entries = (size_t)lb_sparse_nonzero_count(A);
  placed->size = (int32_t)(3 * vertices);
  placed->column_begin = lb_alloc(3 * vertices + 1, sizeof(int32_t));
  placed->rows = lb_alloc(entries, sizeof(int32_t));
  placed->values = lb_alloc(entries, sizeof(double));
  if (!placed->column_begin || !placed->rows || !placed->values) return lb_fail_memory(err);
  int32_t count = 0;
  for (size_t row = 0; row < 3 * vertices; row++) {
    int32_t node = job->def->held ? (int32_t)(row / 3) : fem->node_of_vertex[row / 3];
    size_t column = 3 * (size_t)(node < 0 ? 0 : node) + row % 3;
    for (int32_t k = A->column_begin[column]; node >= 0 && k < A->column_begin[column + 1]; k++) {
      if (A->values[k] == 0) continue;
      int32_t other = A->rows[k] / 3;
      placed->rows[count] =
          3 * (job->def->held ? other : fem->vertex_of_node[other]) + A->rows[k] % 3;
      placed->values[count++] = A->values[k];
    }
    placed->column_begin[row + 1] = count;
  }
  return LB_OK;
}

static void release_matrix_rows(lbSparse *placed) {
  lb_free(placed->column_begin);
  lb_free(placed->rows);
  lb_free(placed->values);
}

// Both triangles by rows, columns ascending.
static lbStatus write_csr(Job *job, const lbSparse *A, lbError *err) {
  size_t size = (size_t)A->size;
  int64_t entries = 0, shape[2] = { A->size, A->size };
  int32_t *begin = lb_alloc(size + 1, sizeof *begin), *next = lb_alloc(size + 1, sizeof *next);
  lbStatus status = begin && next ? LB_OK : lb_fail_memory(err);
  for (size_t j = 0; j < size && !status; j++)
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++) {
      bool diagonal = A->rows[k] == (int32_t)j;
      begin[j + 1]++;
      if (!diagonal) begin[A->rows[k] + 1]++;
      entries += diagonal ? 1 : 2;
    }
  if (!status && entries > INT32_MAX)
    status = lb_fail(err, LB_ERR_UNSUPPORTED, "%s: %lld entries are too many for an .npz, use .mtx",
                     job->path, (long long)entries);
  int32_t *indices = lb_alloc(status ? 0 : (size_t)entries, sizeof *indices);
  double *data = lb_alloc(status ? 0 : (size_t)entries, sizeof *data);
  if (!status && (!indices || !data)) status = lb_fail_memory(err);
  for (size_t j = 0; j < size && !status; j++) begin[j + 1] += begin[j], next[j] = begin[j];
  // Row j first gets what is left of the diagonal: its upper column; then, as later columns come
  // by, what is right of it.
  for (size_t j = 0; j < size && !status; j++)
    for (int32_t k = A->column_begin[j]; k < A->column_begin[j + 1]; k++) {
      size_t i = (size_t)A->rows[k];
      indices[next[j]] = (int32_t)i, data[next[j]++] = A->values[k];
      if (i != j) indices[next[i]] = (int32_t)j, data[next[i]++] = A->values[k];
    }
  const lbNpzArray arrays[] = {
    { "data", LB_SCALAR_FLOAT64, 1, { entries }, false, data },
    { "indices", LB_SCALAR_INT32, 1, { entries }, false, indices },
    { "indptr", LB_SCALAR_INT32, 1, { A->size + 1 }, false, begin },
    { "shape", LB_SCALAR_INT64, 1, { 2 }, false, shape },
  };
  if (!status) status = write_arrays(job, arrays, 4, "csr", err);
  job->info.entries = entries;
  lb_free(begin);
  lb_free(next);
  lb_free(indices);
  lb_free(data);
  return status;
}

static lbStatus write_sparse(Job *job, lbError *err) {
  bool stiffness = job->def->kind == LB_MATRIX_STIFFNESS;
  lbSparse *A = NULL, placed = { 0 };
  lbStatus status = stiffness
                        ? lb_fem_rest_stiffness(job->fem, &A, err)
                        : lb_fem_mass_matrix(job->fem,
                                             job->def->kind == LB_MATRIX_MASS ? LB_MASS_CONSISTENT
                                                                              : LB_MASS_LUMPED,
                                             &A, err);
  if (!status) status = place_matrix_rows(job, A, &placed, err);
  if (!status) {
    job->info.rows = job->info.columns = placed.size;
    job->info.entries = lb_sparse_nonzero_count(&placed);
    char comment[400];
    describe_matrix(job, stiffness ? "N/m" : "kg", "", comment, sizeof comment);
    status = job->npz ? write_csr(job, &placed, err)
                      : lb_mtx_write_symmetric(job->path, comment, placed.size, placed.column_begin,
                                               placed.rows, placed.values, err);
  }
  release_matrix_rows(&placed);
  lb_sparse_destroy(A);
  return status;
}

// ---- dense -------------------------------------------------------------------------------------

// Columns over all vertices become those of the file, in place.
static void keep_rows(const Job *job, int32_t columns, double *values) {
  if (!job->def->held) return;
  size_t from = 3 * (size_t)job->fem->vertex_count, to = 3 * (size_t)job->fem->node_count;
  for (size_t j = 0; j < (size_t)columns; j++)
    for (size_t i = 0; i < to; i++)
      values[to * j + i] = values[from * j + 3 * (size_t)job->fem->vertex_of_node[i / 3] + i % 3];
}

static int32_t row_count(const Job *job) {
  return 3 * (job->def->held ? job->fem->node_count : job->fem->vertex_count);
}

// `values` (rows x columns) is of all vertices; `more` come into an archive beside it.
static lbStatus write_dense(Job *job, int32_t columns, double *values, const char *unit,
                            const lbNpzArray *more, size_t more_count, lbError *err) {
  lbNpzArray arrays[4];
  keep_rows(job, columns, values);
  job->info = (lbMatrixInfo){ row_count(job), columns, (int64_t)row_count(job) * columns };
  arrays[0] = (lbNpzArray){
    kind_names[job->def->kind], LB_SCALAR_FLOAT64, 2, { job->info.rows, columns }, true, values
  };
  for (size_t i = 0; i < more_count; i++) arrays[1 + i] = more[i];
  if (job->npz) return write_arrays(job, arrays, 1 + more_count, NULL, err);
  char comment[400];
  describe_matrix(job, unit, "", comment, sizeof comment);
  return lb_mtx_write_dense(job->path, comment, job->info.rows, columns, values, err);
}

// What is asked for, or all there are.
static int32_t mode_count(const Job *job) {
  bool held = false;
  for (int32_t v = 0; v < job->fem->vertex_count; v++) held |= job->fem->fixed[v];
  int32_t most = 3 * job->fem->node_count - (held ? 0 : 6);
  return job->def->mode_count < most || most < 1 ? job->def->mode_count : most;
}

static lbStatus write_modes(Job *job, lbError *err) {
  lbModes *modes = NULL;
  lbStatus status = lb_fem_modes(job->fem, mode_count(job), &modes, err);
  if (status) return status;
  const lbNpzArray values = { "eigenvalues", LB_SCALAR_FLOAT64, 1, { modes->count },
                              false,         modes->eigenvalues };
  status = write_dense(job, modes->count, modes->shapes, "kg^-1/2", &values, 1, err);
  lb_modes_destroy(modes);
  return status;
}

static lbStatus write_basis(Job *job, lbError *err) {
  lbModel *made = NULL;
  lbStatus status = job->body->model ? LB_OK : lb_scene_model(job->body, &made, err);
  const lbModel *model = job->body->model ? job->body->model : made;
  if (!status && !lb_model_has(model, LB_METHOD_SUBSPACE))
    status = lb_fail(err, LB_ERR_ARGUMENT,
                     "body \"%s\" has no basis, use the method \"subspace\" (or export its modes)",
                     job->body->name);
  if (!status) {
    size_t count = (size_t)row_count(job) / 3;
    if (!job->def->held && count != (size_t)model->size.node_count)
      status = lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": its basis has %d nodes, its mesh %zu",
                       job->body->name, (int)model->size.node_count, count);
  }
  double *values = status ? NULL
                          : lb_duplicate(model->subspace_basis,
                                         3 * (size_t)model->size.node_count *
                                             (size_t)model->size.subspace_dimension,
                                         sizeof(double));
  if (!status && !values) status = lb_fail_memory(err);
  if (!status)
    status = write_dense(job, model->size.subspace_dimension, values, "kg^-1/2", NULL, 0, err);
  lb_free(values);
  lb_model_destroy(made);
  return status;
}

// Full vectors of `count` system vectors; NULL: no memory.
static double *expand_system_vectors(const lbFem *fem, int32_t count, const double *system) {
  size_t rows = 3 * (size_t)fem->vertex_count, free_rows = 3 * (size_t)fem->node_count;
  double *full = lb_alloc(rows * (size_t)count, sizeof *full);
  for (size_t j = 0; full && j < (size_t)count; j++)
    lb_fem_expand(fem, system + free_rows * j, full + rows * j);
  return full;
}

static lbStatus find_matrix_derivatives(lbRest *rest, int32_t count, double *derivatives,
                                        lbError *err) {
  lbStatus status = lb_hessian_forces(rest->fem, count, rest->eigen->vectors, derivatives, err);
  if (!status) status = lb_rest_factor(rest, err);
  lbColumns columns = lb_columns_in_memory((size_t)rest->size, derivatives);
  return status ? status : lb_derivatives_solve(rest, lb_pair_count(count), &columns, err);
}

static lbStatus write_derivatives(Job *job, lbError *err) {
  int32_t count = mode_count(job), pair_count = lb_pair_count(count), next = 0;
  lbRest *rest = NULL;
  lbStatus status = lb_rest_create(job->fem, &rest, err);
  if (!status) status = lb_rest_modes(rest, count, err);
  if (status) {
    lb_rest_destroy(rest);
    return status;
  }
  int32_t *pairs = lb_alloc((size_t)pair_count, 2 * sizeof *pairs);
  double *system = lb_alloc((size_t)rest->size * (size_t)pair_count, sizeof *system);
  double *modes = expand_system_vectors(job->fem, count, rest->eigen->vectors), *full = NULL;
  status = pairs && system && modes ? find_matrix_derivatives(rest, count, system, err)
                                    : lb_fail_memory(err);
  for (int32_t i = 0; i < count && !status; i++)
    for (int32_t j = i; j < count; j++) pairs[next++] = i, pairs[next++] = j;
  if (!status && !(full = expand_system_vectors(job->fem, pair_count, system)))
    status = lb_fail_memory(err);
  if (!status) {
    keep_rows(job, count, modes);
    const lbNpzArray more[] = {
      { "modes", LB_SCALAR_FLOAT64, 2, { row_count(job), count }, true, modes },
      { "eigenvalues", LB_SCALAR_FLOAT64, 1, { count }, false, rest->eigen->values },
      { "pairs", LB_SCALAR_INT32, 2, { pair_count, 2 }, false, pairs },
    };
    status = write_dense(job, pair_count, full, "kg^-1 m^-1", more, 3, err);
  }
  lb_free(pairs);
  lb_free(system);
  lb_free(modes);
  lb_free(full);
  lb_rest_destroy(rest);
  return status;
}

// ---- the file ----------------------------------------------------------------------------------

static lbStatus check(const Job *job, lbError *err) {
  if (job->def->kind < 0 || job->def->kind >= LB_MATRIX_KIND_COUNT || job->def->mode_count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: kind is %d and mode_count %d, which make no matrix",
                   job->path, (int)job->def->kind, (int)job->def->mode_count);
  if (job->npz || lb_path_has_extension(job->path, ".mtx")) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "%s: a matrix is written as .mtx or .npz", job->path);
}

lbStatus lb_body_write_matrix(const lbSceneBody *body, const lbMatrixDef *def, const char *path,
                              lbMatrixInfo *info, lbError *err) {
  Job job = { .body = body, .def = def, .path = path };
  job.npz = lb_path_has_extension(path, ".npz");
  lbStatus status = check(&job, err);
  if (status) return status;
  bool sparse = def->kind <= LB_MATRIX_LUMPED;
  status = lb_matrix_fem(body, sparse && !def->held, &job.fem, err);
  if (!status)
    status = sparse                         ? write_sparse(&job, err)
             : def->kind == LB_MATRIX_MODES ? write_modes(&job, err)
             : def->kind == LB_MATRIX_BASIS ? write_basis(&job, err)
                                            : write_derivatives(&job, err);
  if (!status && info) *info = job.info;
  lb_fem_destroy(job.fem);
  return status;
}
