// A user's own vectors from a NumPy or Vega file, made orthonormal in the order in which they come.
#include "reduce/basis.h"

#include "fem/fem.h"
#include "limber/file.h"
#include "arrayio/npz.h"
#include "arrayio/vega_matrix.h"

#include <math.h>
#include <string.h>

// How the array's axes are to be read: value of vector v, vertex n, component i lies at
// v * vector + n * vertex + i * component.
typedef struct Layout {
  size_t count, vector, vertex, component;
} Layout;

typedef struct Match {
  Layout layout;
  int matches;
} Match;

static void match(Match *m, bool fits, size_t count, size_t vector, size_t vertex,
                  size_t component) {
  if (!fits) return;
  m->layout = (Layout){ count, vector, vertex, component };
  m->matches++;
}

static lbStatus find_layout(const char *path, const lbNpy *a, size_t vertices, Layout *layout,
                            lbError *err) {
  const size_t *shape = a->shape, *step = a->stride, rows = 3 * vertices;
  Match m = { 0 };
  if (a->axis_count == 1) match(&m, shape[0] == rows, 1, 0, 3 * step[0], step[0]);
  if (a->axis_count == 2) {
    match(&m, shape[0] == rows, shape[1], step[1], 3 * step[0], step[0]);
    match(&m, shape[1] == rows, shape[0], step[0], 3 * step[1], step[1]);
    match(&m, shape[0] == vertices && shape[1] == 3, 1, 0, step[0], step[1]);
  }
  if (a->axis_count == 3) {
    match(&m, shape[0] == vertices && shape[1] == 3, shape[2], step[2], step[0], step[1]);
    match(&m, shape[1] == vertices && shape[2] == 3, shape[0], step[0], step[1], step[2]);
  }
  if (m.matches == 1) {
    *layout = m.layout;
    return LB_OK;
  }
  return lb_fail(err, LB_ERR_FORMAT,
                 "%s: an array of shape %zu x %zu x %zu %s for a mesh of %zu vertices; use (3 "
                 "vertices x count), (count x 3 vertices), (vertices x 3 x count) or (count x "
                 "vertices x 3)",
                 path, shape[0], shape[1], shape[2],
                 m.matches ? "can be read in two ways" : "does not fit", vertices);
}

// A Vega matrix, a vector a column.
static lbStatus read_matrix(const char *path, const char *content, size_t bytes, lbNpy **out,
                            lbError *err) {
  lbVegaMatrix matrix = { 0 };
  lbStatus status = lb_vega_matrix_read(path, content, bytes, &matrix, err);
  if (status) return status;
  size_t rows = (size_t)matrix.rows, columns = (size_t)matrix.columns;
  lbNpy *array = lb_alloc(1, sizeof *array);
  if (!array) {
    lb_free(matrix.values);
    return lb_fail_memory(err);
  }
  *array = (lbNpy){ .axis_count = 2,
                    .shape = { rows, columns, 1 },
                    .stride = { 1, rows, 1 },
                    .count = rows * columns,
                    .single = bytes < 8 + 8 * rows * columns,
                    .values = matrix.values };
  *out = array;
  return LB_OK;
}

static bool is_matrix(const char *path) {
  return lb_path_has_extension(path, ".u") || lb_path_has_extension(path, ".float");
}

static lbStatus read_basis_array(const char *path, lbNpy **out, lbError *err) {
  char *content = NULL;
  size_t bytes;
  lbStatus status = lb_file_read(path, &content, &bytes, err);
  if (status) return status;
  if (is_matrix(path))
    status = read_matrix(path, content, bytes, out, err);
  else if (bytes >= 2 && memcmp(content, "PK", 2) == 0)
    status = lb_npz_parse(path, content, bytes, "basis", out, err);
  else
    status = lb_npy_parse(path, content, bytes, out, err);
  lb_free(content);
  return status;
}

// Rows of the free nodes; what the file has at fixed vertices is not used.
static lbStatus take_basis_vectors(const lbFem *fem, const char *path, const lbNpy *array,
                                   const Layout *layout, double *A, lbError *err) {
  for (size_t v = 0; v < layout->count; v++)
    for (int32_t n = 0; n < fem->node_count; n++)
      for (size_t i = 0; i < 3; i++) {
        size_t vertex = (size_t)fem->vertex_of_node[n];
        double x =
            array->values[v * layout->vector + vertex * layout->vertex + i * layout->component];
        if (!isfinite(x))
          return lb_fail(err, LB_ERR_FORMAT, "%s: vector %zu is %g at vertex %zu", path, v, x,
                         vertex);
        A[(v * (size_t)fem->node_count + (size_t)n) * 3 + i] = x;
      }
  return LB_OK;
}

lbStatus lb_basis_file(const lbFem *fem, const lbBasisDef *def, lbBasis *basis, lbError *err) {
  const char *path = def->file;
  lbNpy *array = NULL;
  lbSparse *K = NULL;
  double *A = NULL;
  Layout layout = { 0 };
  if (!path || !*path)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: the basis has no file, name a .npy, .npz or .U",
                   fem->name);
  lbStatus status = read_basis_array(path, &array, err);
  if (!status) status = find_layout(path, array, (size_t)fem->vertex_count, &layout, err);
  if (!status && (layout.count < 1 || layout.count > INT32_MAX))
    status = lb_fail(err, LB_ERR_FORMAT, "%s: has %zu vectors, it must have 1 or more", path,
                     layout.count);
  if (status) goto done;
  A = lb_alloc(3 * (size_t)fem->node_count * layout.count, sizeof(double));
  status = A ? take_basis_vectors(fem, path, array, &layout, A, err) : lb_fail_memory(err);
  double cut = array->single ? 1e-6 : 1e-8; // rounding must not pass for a direction
  if (!status) status = lb_fem_rest_stiffness(fem, &K, err);
  if (!status) status = lb_basis_orthonormal(fem, K, (int32_t)layout.count, A, cut, basis, err);
  if (!status && basis->dimension < basis->candidate_count)
    lb_log(LB_LOG_WARNING, "%s: %d of %d vectors depend on others and are left out", path,
           (int)(basis->candidate_count - basis->dimension), (int)basis->candidate_count);
done:
  lb_npy_destroy(array);
  lb_sparse_destroy(K);
  lb_free(A);
  return status;
}
