// Extended modes (von Tycowicz et al. 2013, algorithm 2): each mode gives nine vectors, component k
// of its displacements moved along axis l for every k and l; what a free body lacks are the twelve
// affine maps of space.
//
// All of them are fields, numbers at the nodes, that move along one axis. Mass does not join the
// axes, so fields are made orthonormal once, in the mass of one axis, and are so along each. Their
// stiffness along an axis is that of the rows and columns of this axis.
#include "reduce/basis.h"

#include "fem/engine.h"
#include "fem/modes.h"
#include "reduce/pca.h"
#include "reduce/rest.h"

#include <string.h>

enum { AFFINE = 4 }; // fields: 1, x, y, z

// The three components of a mode as fields.
static void split_mode(size_t nodes, const double *mode, double *out) {
  for (size_t k = 0; k < 3; k++)
    for (size_t n = 0; n < nodes; n++) out[k * nodes + n] = mode[3 * n + k];
}

// 1, x, y, z; coordinates from the middle of the body.
static void affine_fields(const lbFem *fem, double *out) {
  double centre[3] = { 0 };
  for (int32_t n = 0; n < fem->node_count; n++)
    for (int i = 0; i < 3; i++)
      centre[i] += fem->positions[3 * (size_t)fem->vertex_of_node[n] + (size_t)i] / fem->node_count;
  size_t nodes = (size_t)fem->node_count;
  for (size_t n = 0; n < nodes; n++) {
    const double *x = fem->positions + 3 * (size_t)fem->vertex_of_node[n];
    for (size_t field = 0; field < AFFINE; field++)
      out[field * nodes + n] = field == 0 ? 1 : x[field - 1] - centre[field - 1];
  }
}

// Rows and columns `axis`, axis + 3, ... of A.
static lbStatus take_axis(const lbSparse *A, int32_t axis, lbSparse **out, lbError *err) {
  size_t nodes = (size_t)A->size / 3;
  lbSparse part = { .size = A->size / 3 };
  part.column_begin = lb_alloc(nodes + 1, sizeof(int32_t));
  part.rows = lb_alloc((size_t)lb_sparse_nonzero_count(A), sizeof(int32_t));
  part.values = lb_alloc((size_t)lb_sparse_nonzero_count(A), sizeof(double));
  lbStatus status = part.column_begin && part.rows && part.values ? LB_OK : lb_fail_memory(err);
  int32_t count = 0;
  for (int32_t n = 0; n < part.size && !status; n++) {
    int32_t column = 3 * n + axis;
    for (int32_t k = A->column_begin[column]; k < A->column_begin[column + 1]; k++)
      if (A->rows[k] % 3 == axis) {
        part.rows[count] = A->rows[k] / 3;
        part.values[count++] = A->values[k];
      }
    part.column_begin[n + 1] = count;
  }
  if (!status) status = lb_sparse_create(part.size, part.column_begin, part.rows, out, err);
  if (!status) memcpy((*out)->values, part.values, (size_t)count * sizeof(double));
  lb_free(part.column_begin);
  lb_free(part.rows);
  lb_free(part.values);
  return status;
}

// A matrix of the body along one axis.
typedef struct Axis {
  const lbFem *fem;
  lbFemMatrix matrix;
  size_t axis;
  lbSparse *part;    // NULL: an engine has the elements; then these are
  double *from, *to; // (3 nodes) right-hand side and solution
} Axis;

static void close_axis(Axis *a) {
  lb_sparse_destroy(a->part);
  lb_free(a->from);
  lb_free(a->to);
}

static lbStatus open_axis(const lbFem *fem, lbFemMatrix matrix, const lbSparse *A, int32_t axis,
                          Axis *a, lbError *err) {
  size_t size = 3 * (size_t)fem->node_count;
  *a = (Axis){ .fem = fem, .matrix = matrix, .axis = (size_t)axis };
  if (!fem->engine) return take_axis(A, axis, &a->part, err);
  a->from = lb_alloc(size, sizeof(double));
  a->to = lb_alloc(size, sizeof(double));
  return a->from && a->to ? LB_OK : lb_fail_memory(err);
}

static lbStatus multiply_axis(void *context, const double *x, double *y, lbError *err) {
  const Axis *a = context;
  size_t nodes = (size_t)a->fem->node_count;
  if (a->part) {
    lb_sparse_multiply(a->part, x, y);
    return LB_OK;
  }
  for (size_t n = 0; n < nodes; n++) a->from[3 * n + a->axis] = x[n];
  lbStatus status = a->matrix == LB_FEM_MASS
                        ? lb_fem_multiply_mass(a->fem, 1, a->from, a->to, err)
                        : lb_fem_multiply_stiffness(a->fem, NULL, 1, a->from, a->to, err);
  for (size_t n = 0; n < nodes; n++) y[n] = a->to[3 * n + a->axis];
  return status;
}

// The 3 node_count unknowns of a body as `count` fields.
typedef struct Fields {
  const lbFem *fem;
  int32_t count;
  double *values; // (count x nodes), orthonormal in the mass of an axis
  lbBasis *basis;
} Fields;

static lbStatus list_fields(const lbFem *fem, const lbEigen *eigen, int32_t mode_count, Fields *f,
                            lbError *err) {
  size_t nodes = (size_t)fem->node_count;
  int32_t affine = eigen->rigid_count > 0 ? AFFINE : 0;
  f->count = affine + 3 * mode_count;
  f->values = lb_alloc(nodes * (size_t)f->count, sizeof(double));
  if (!f->values) return lb_fail_memory(err);
  if (affine) affine_fields(fem, f->values);
  for (size_t i = 0; i < (size_t)mode_count; i++)
    split_mode(nodes, eigen->vectors + 3 * nodes * i, f->values + nodes * ((size_t)affine + 3 * i));
  return LB_OK;
}

static lbStatus orthonormalise_fields(Fields *f, lbError *err) {
  Axis mass;
  lbStatus status = open_axis(f->fem, LB_FEM_MASS, f->fem->mass, 0, &mass, err);
  if (!status)
    status = lb_mass_orthonormalise_by(f->fem->node_count, f->count, f->values, multiply_axis,
                                       &mass, 1e-8, &f->count, err);
  close_axis(&mass);
  if (!status && f->count == 0)
    status = lb_fail(err, LB_ERR_ARGUMENT, "%s: all vectors of the basis are zero", f->fem->name);
  return status;
}

// values of the basis: uᵀKu
static lbStatus measure_extended_stiffness(const Fields *f, const lbSparse *K, double *values,
                                           lbError *err) {
  size_t nodes = (size_t)f->fem->node_count;
  double *product = lb_alloc(nodes, sizeof *product);
  lbStatus status = product ? LB_OK : lb_fail_memory(err);
  for (int32_t axis = 0; axis < 3 && !status; axis++) {
    Axis stiffness;
    status = open_axis(f->fem, LB_FEM_STIFFNESS, K, axis, &stiffness, err);
    for (size_t i = 0; i < (size_t)f->count && !status; i++) {
      const double *u = f->values + nodes * i;
      status = multiply_axis(&stiffness, u, product, err);
      for (size_t n = 0; n < nodes; n++) values[3 * i + (size_t)axis] += u[n] * product[n];
    }
    close_axis(&stiffness);
  }
  lb_free(product);
  return status;
}

// Fields [begin, end) along x, y and z, at all vertices.
static void spread_axes(int32_t begin, int32_t end, void *context) {
  const Fields *f = context;
  const lbFem *fem = f->fem;
  size_t rows = 3 * (size_t)fem->vertex_count, nodes = (size_t)fem->node_count;
  for (size_t i = (size_t)begin; i < (size_t)end; i++)
    for (size_t axis = 0; axis < 3; axis++) {
      double *to = f->basis->vectors + rows * (3 * i + axis) + axis;
      for (size_t n = 0; n < nodes; n++)
        to[3 * (size_t)fem->vertex_of_node[n]] = f->values[nodes * i + n];
    }
}

static lbStatus store_fields(Fields *f, const lbSparse *K, lbError *err) {
  lbBasis *basis = f->basis;
  size_t dimension = 3 * (size_t)f->count;
  basis->vectors = lb_alloc(3 * (size_t)f->fem->vertex_count * dimension, sizeof(double));
  basis->values = lb_alloc(dimension, sizeof(double));
  if (!basis->vectors || !basis->values) return lb_fail_memory(err);
  lb_parallel_for(f->count, 1, spread_axes, f);
  basis->vertex_count = f->fem->vertex_count;
  basis->dimension = basis->whole_dimension = 3 * f->count;
  return measure_extended_stiffness(f, K, basis->values, err);
}

lbStatus lb_basis_extended(const lbFem *fem, const lbBasisDef *def, lbBasis *basis, lbError *err) {
  lbRest *rest = NULL;
  Fields fields = { .fem = fem, .basis = basis };
  lbStatus status = lb_rest_create(fem, &rest, err);
  if (!status) status = lb_rest_modes(rest, def->mode_count, err);
  double start = lb_seconds();
  if (!status) {
    basis->rigid_count = rest->eigen->rigid_count;
    basis->mode_seconds = rest->eigen->seconds;
    status = list_fields(fem, rest->eigen, def->mode_count, &fields, err);
    basis->candidate_count = 3 * fields.count;
  }
  if (!status) status = orthonormalise_fields(&fields, err);
  if (!status) status = store_fields(&fields, rest->K, err);
  basis->pca_seconds = lb_seconds() - start;
  if (!status)
    status = lb_fem_modes_of_eigen(fem, rest->eigen, rest->eigen->count, &basis->modes, err);
  lb_rest_destroy(rest);
  lb_free(fields.values);
  return status;
}
