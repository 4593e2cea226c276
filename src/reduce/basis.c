// Bases of every kind: names, defaults, checks, and what ends the making of each.
#include "reduce/basis.h"

#include "fem/reference.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "reduce/engine.h"
#include "reduce/need.h"
#include "reduce/pca.h"
#include "reduce/rest.h"

#include <math.h>
#include <string.h>

static const char *const kind_names[LB_BASIS_KIND_COUNT] = {
  [LB_BASIS_LINEAR] = "linear", [LB_BASIS_DERIVATIVES] = "derivatives",
  [LB_BASIS_SKETCH] = "sketch", [LB_BASIS_EXTENDED] = "extended",
  [LB_BASIS_FILE] = "file",
};

static lbBasisMaker *const makers[LB_BASIS_KIND_COUNT] = {
  [LB_BASIS_LINEAR] = lb_basis_linear, [LB_BASIS_DERIVATIVES] = lb_basis_derivatives,
  [LB_BASIS_SKETCH] = lb_basis_sketch, [LB_BASIS_EXTENDED] = lb_basis_extended,
  [LB_BASIS_FILE] = lb_basis_file,
};

const char *lb_basis_kind_name(lbBasisKind kind) {
  return (unsigned)kind < LB_BASIS_KIND_COUNT ? kind_names[kind] : "unknown";
}

bool lb_basis_kind_parse(const char *name, lbBasisKind *kind) {
  for (int i = 0; i < LB_BASIS_KIND_COUNT; i++)
    if (strcmp(name, kind_names[i]) == 0) {
      *kind = (lbBasisKind)i;
      return true;
    }
  return false;
}

lbBasisDef lb_basis_def(void) {
  return (lbBasisDef){ .kind = LB_BASIS_DERIVATIVES,
                       .mode_count = 20,
                       .dimension = 30,
                       .metric = LB_MASS_CONSISTENT,
                       .load_separation = 0.02,
                       .shape_separation = 0.005 };
}

void lb_basis_destroy(lbBasis *basis) {
  if (!basis) return;
  lb_modes_destroy(basis->modes);
  lb_cholesky_destroy(basis->factor);
  lb_free(basis->vectors);
  lb_free(basis->values);
  lb_free(basis);
}

// ---- ends of the making ------------------------------------------------------------------------

lbStatus lb_basis_store(const lbFem *fem, int32_t dimension, const double *vectors,
                        const double *values, lbBasis *basis, lbError *err) {
  size_t rows = 3 * (size_t)fem->vertex_count, size = 3 * (size_t)fem->node_count;
  basis->vectors = lb_alloc(rows * (size_t)dimension, sizeof(double));
  basis->values = lb_duplicate(values, (size_t)dimension, sizeof(double));
  if (!basis->vectors || !basis->values) return lb_fail_memory(err);
  for (size_t i = 0; i < (size_t)dimension; i++)
    lb_fem_expand(fem, vectors + i * size, basis->vectors + i * rows);
  basis->vertex_count = fem->vertex_count;
  basis->dimension = dimension;
  basis->whole_dimension = dimension;
  return LB_OK;
}

// Makes columns that are orthonormal in another metric so in M, spans nested as before.
static lbStatus change_metric(const lbSparse *M, int32_t count, double *X, lbError *err) {
  size_t n = (size_t)M->size, r = (size_t)count;
  double *MX = lb_alloc(n * r, sizeof(double)), *G = lb_alloc(r * r, sizeof(double));
  lbStatus status = MX && G ? LB_OK : lb_fail_memory(err);
  if (!status) {
    lb_sparse_multiply_many(M, count, X, MX);
    lb_dense_multiply(LB_TRANSPOSED, LB_PLAIN, count, count, M->size, 1, X, MX, 0, G);
    status = lb_dense_cholesky(count, G, err);
  }
  if (!status) lb_dense_divide_by_upper(M->size, count, G, X);
  lb_free(MX);
  lb_free(G);
  return status;
}

lbStatus lb_basis_store_pca(const lbFem *fem, int32_t count, int32_t dimension, int32_t whole,
                            const double *vectors, const double *values, lbBasis *basis,
                            lbError *err) {
  lbStatus status = lb_basis_store(fem, dimension, vectors, values, basis, err);
  basis->candidate_count = count;
  basis->whole_dimension = whole;
  if (!status && whole > dimension)
    lb_log(LB_LOG_INFO,
           "%s: dimension %d cuts between vectors of the basis that matter equally; %d would keep "
           "them all",
           fem->name, (int)dimension, (int)whole);
  return status;
}

lbStatus lb_basis_pca(const lbFem *fem, const lbBasisDef *def, int32_t count, double *A,
                      lbBasis *basis, lbError *err) {
  double start = lb_seconds();
  int32_t size = 3 * fem->node_count;
  lbPcaSize sizes = { .dimension = def->dimension, .at_most = def->at_most };
  bool lumped = def->metric == LB_MASS_LUMPED, own_lumped = lb_rest_mass_is_lumped(fem);
  lbSparse *made = NULL;
  double *vectors = lb_alloc((size_t)size * (size_t)def->dimension, sizeof(double));
  double *values = lb_alloc((size_t)def->dimension, sizeof(double));
  double *masses = lb_alloc((size_t)size, sizeof(double));
  lbStatus status = vectors && values && masses ? LB_OK : lb_fail_memory(err);
  for (int32_t i = 0; i < size && !status; i++)
    masses[i] = fem->vertex_masses[fem->vertex_of_node[i / 3]];
  if (!status && lumped != own_lumped) status = lb_fem_mass_matrix(fem, def->metric, &made, err);
  const lbSparse *metric = made ? made : fem->mass;
  lbFemReference reference;
  if (!status) {
    lb_fem_reference(fem, metric, &reference);
    status = lb_mass_pca_sized(size, count, A, lumped ? NULL : metric, masses, &reference.fields,
                               &sizes, fem->name, vectors, values, err);
  }
  if (!status && lumped != own_lumped && !def->keep_metric)
    status = change_metric(fem->mass, sizes.dimension, vectors, err);
  if (!status)
    status =
        lb_basis_store_pca(fem, count, sizes.dimension, sizes.whole, vectors, values, basis, err);
  basis->pca_seconds = lb_seconds() - start;
  lb_sparse_destroy(made);
  lb_free(vectors);
  lb_free(values);
  lb_free(masses);
  return status;
}

// values_i = uᵀKu, a few columns at a time.
static lbStatus measure_basis_stiffness(const lbSparse *K, int32_t count, const double *U,
                                        double *values, lbError *err) {
  enum { BLOCK = 16 };
  size_t size = (size_t)K->size;
  double *product = lb_alloc(size * BLOCK, sizeof *product);
  if (!product) return lb_fail_memory(err);
  for (int32_t first = 0; first < count; first += BLOCK) {
    int32_t here = count - first < BLOCK ? count - first : BLOCK;
    const double *x = U + size * (size_t)first;
    lb_sparse_multiply_many(K, here, x, product);
    for (int32_t i = 0; i < here; i++)
      for (size_t k = size * (size_t)i; k < size * (size_t)(i + 1); k++)
        values[first + i] += x[k] * product[k];
  }
  lb_free(product);
  return LB_OK;
}

// Stores vectors that are orthonormal already, made from so many candidates, with their uᵀKu.
static lbStatus store_basis(const lbFem *fem, const lbSparse *K, int32_t candidates, int32_t rank,
                            const double *U, lbBasis *basis, lbError *err) {
  if (rank == 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: all vectors of the basis are zero", fem->name);
  double *values = lb_alloc((size_t)rank, sizeof(double));
  lbStatus status = values ? measure_basis_stiffness(K, rank, U, values, err) : lb_fail_memory(err);
  if (!status) status = lb_basis_store(fem, rank, U, values, basis, err);
  basis->candidate_count = candidates;
  lb_free(values);
  return status;
}

lbStatus lb_basis_orthonormal(const lbFem *fem, const lbSparse *K, int32_t count, double *A,
                              double cut, lbBasis *basis, lbError *err) {
  double start = lb_seconds();
  int32_t rank = 0;
  lbStatus status =
      lb_mass_orthonormalise(3 * fem->node_count, count, A, fem->mass, cut, &rank, err);
  if (!status) status = store_basis(fem, K, count, rank, A, basis, err);
  basis->pca_seconds = lb_seconds() - start;
  return status;
}

// ---- the making --------------------------------------------------------------------------------

static lbStatus check_basis_def(const lbFem *fem, const lbBasisDef *def, lbError *err) {
  const int32_t most_modes = 1000; // half a million derivatives
  bool modes = def->kind != LB_BASIS_SKETCH && def->kind != LB_BASIS_FILE;
  bool pca = def->kind == LB_BASIS_DERIVATIVES || def->kind == LB_BASIS_SKETCH;
  int32_t size = 3 * fem->node_count;
  if ((unsigned)def->kind >= LB_BASIS_KIND_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: unknown kind of basis %d", fem->name, (int)def->kind);
  if (def->metric != LB_MASS_CONSISTENT && def->metric != LB_MASS_LUMPED)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: unknown metric %d of the basis", fem->name,
                   (int)def->metric);
  if (modes && (def->mode_count < 1 || def->mode_count > most_modes))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: mode_count of the basis is %d, choose 1 to %d",
                   fem->name, (int)def->mode_count, (int)most_modes);
  if (pca && (def->dimension < 1 || (def->dimension > size && !def->at_most)))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: dimension of the basis is %d, choose 1 to %d (the body's unknowns)",
                   fem->name, (int)def->dimension, (int)size);
  return LB_OK;
}

static const lbReduceEngine *installed;

void lb_reduce_set_engine(const lbReduceEngine *engine) { installed = engine; }

const lbReduceEngine *lb_reduce_engine(const lbFem *fem) { return fem->engine ? installed : NULL; }

// Where elements lie elsewhere, modes and derivatives are made there.
static lbStatus find_maker(const lbFem *fem, const lbBasisDef *def, lbBasisMaker **maker,
                           lbError *err) {
  const lbReduceEngine *engine = lb_reduce_engine(fem);
  *maker = engine && def->kind == LB_BASIS_DERIVATIVES ? engine->derivatives : makers[def->kind];
  bool known = def->kind == LB_BASIS_LINEAR || def->kind == LB_BASIS_DERIVATIVES ||
               def->kind == LB_BASIS_EXTENDED;
  if (!fem->engine || known) return LB_OK;
  return lb_fail(
      err, LB_ERR_UNSUPPORTED,
      "%s: bodies in parts have the bases \"derivatives\", \"linear\" and \"extended\", not "
      "\"%s\"; use limber itself for that",
      fem->name, kind_names[def->kind]);
}

lbStatus lb_basis_make(const lbFem *fem, const lbBasisDef *def, lbBasis **out, lbError *err) {
  double start = lb_seconds();
  lbBasisMaker *maker = NULL;
  lbStatus status = check_basis_def(fem, def, err);
  if (!status) status = find_maker(fem, def, &maker, err);
  if (!status) status = lb_basis_check_room(fem, def, err);
  if (status) return status;
  lbBasis *basis = lb_alloc(1, sizeof *basis);
  if (!basis) return lb_fail_memory(err);
  status = maker(fem, def, basis, err);
  basis->seconds = lb_seconds() - start;
  if (status)
    lb_basis_destroy(basis);
  else
    *out = basis;
  return status;
}
