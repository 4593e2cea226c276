// Basis from a sketch (Barbič & James 2005, section 5.2): recorded loads are thinned by the
// distance of their linear static responses, each is solved with the unreduced body, the shapes are
// thinned by their mass distance and go through mass-PCA.
#include "reduce/basis.h"

#include "fem/fem.h"
#include "linalg/cholesky.h"
#include "reduce/pca.h"
#include "reduce/shape_cache.h"

#include <math.h>
#include <string.h>

typedef struct Work {
  const lbFem *fem;
  const lbBasisDef *def;
  size_t size, full_size;
  int32_t *kept;        // (load_count) numbers of the loads, later of the shapes, that are kept
  int32_t count;        // of them
  double *columns;      // (size x load_count): responses, later shapes
  double *products;     // (size x load_count): M times them
  double *load, *shape; // full
} Work;

static void release_sketch(Work *w) {
  lb_free(w->kept);
  lb_free(w->columns);
  lb_free(w->products);
  lb_free(w->load);
  lb_free(w->shape);
}

static lbStatus check_sketch(const lbFem *fem, const lbBasisDef *def, lbError *err) {
  const lbSketch *sketch = def->sketch;
  if (!sketch || sketch->load_count == 0)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: the sketch has no loads; record some, or choose another basis", fem->name);
  if (!(def->load_separation >= 0 && def->load_separation < 1) ||
      !(def->shape_separation >= 0 && def->shape_separation < 1))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: separations of the sketch are %g and %g, choose 0 or more and below 1",
                   fem->name, def->load_separation, def->shape_separation);
  for (int32_t l = 0; l < sketch->load_count; l++)
    for (int32_t i = 0; i < sketch->loads[l].force_count; i++) {
      int32_t v = sketch->forces[sketch->loads[l].force_begin + i].vertex;
      if (v < 0 || v >= fem->vertex_count)
        return lb_fail(err, LB_ERR_ARGUMENT,
                       "%s: load %d of the sketch (\"%s\") acts on vertex %d, the mesh has %d",
                       fem->name, (int)l, sketch->loads[l].name, (int)v, (int)fem->vertex_count);
    }
  return LB_OK;
}

static lbStatus allocate_sketch(Work *w, lbError *err) {
  size_t loads = (size_t)w->def->sketch->load_count;
  w->kept = lb_alloc(loads, sizeof(int32_t));
  w->columns = lb_alloc(w->size * loads, sizeof(double));
  w->products = lb_alloc(w->size * loads, sizeof(double));
  w->load = lb_alloc(w->full_size, sizeof(double));
  w->shape = lb_alloc(w->full_size, sizeof(double));
  return w->kept && w->columns && w->products && w->load && w->shape ? LB_OK : lb_fail_memory(err);
}

static void gather_load(Work *w, int32_t number) {
  const lbSketchLoad *load = &w->def->sketch->loads[number];
  memset(w->load, 0, w->full_size * sizeof(double));
  for (int32_t i = 0; i < load->force_count; i++) {
    const lbSketchForce *f = &w->def->sketch->forces[load->force_begin + i];
    for (int k = 0; k < 3; k++) w->load[3 * (size_t)f->vertex + (size_t)k] += f->force[k];
  }
}

// Responses of all loads by the stiffness at rest.
static lbStatus find_load_responses(Work *w, lbError *err) {
  lbSparse *K = NULL;
  lbCholesky *factor = NULL;
  int32_t loads = w->def->sketch->load_count;
  lbStatus status = lb_fem_check_held(w->fem, err);
  if (!status) status = lb_fem_rest_stiffness(w->fem, &K, err);
  if (!status) status = lb_cholesky_create(K, &factor, err);
  if (!status) status = lb_cholesky_factor(factor, K, err);
  for (int32_t l = 0; l < loads && !status; l++) {
    gather_load(w, l);
    lb_fem_compress(w->fem, w->load, w->columns + w->size * (size_t)l);
    w->kept[w->count++] = l;
  }
  if (!status) status = lb_cholesky_solve(factor, loads, w->columns, err);
  lb_cholesky_destroy(factor);
  lb_sparse_destroy(K);
  return status;
}

static double dot_sketch_columns(size_t n, const double *x, const double *y) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// (x − y)ᵀ M (x − y) of two columns.
static double distance2(const Work *w, int32_t x, int32_t y) {
  const double *a = w->columns + w->size * (size_t)x, *b = w->columns + w->size * (size_t)y;
  const double *Ma = w->products + w->size * (size_t)x, *Mb = w->products + w->size * (size_t)y;
  double sum = 0;
  for (size_t i = 0; i < w->size; i++) sum += (a[i] - b[i]) * (Ma[i] - Mb[i]);
  return sum;
}

static void warn_of_skipped_sketch(const Work *w, int32_t number, const char *why) {
  lb_log(LB_LOG_WARNING, "load %d of the sketch (\"%s\") is left out: %s", (int)number,
         w->def->sketch->loads[number].name, why);
}

// Whether column c is `limit` (squared) away from zero and from the columns that are kept.
static bool is_apart(const Work *w, int32_t c, double limit) {
  const double *x = w->columns + w->size * (size_t)c, *Mx = w->products + w->size * (size_t)c;
  double length2 = dot_sketch_columns(w->size, x, Mx);
  bool apart = length2 > 0 && length2 >= limit;
  for (int32_t k = 0; k < w->count && apart; k++) {
    double away2 = distance2(w, c, k);
    apart = away2 > 0 && away2 >= limit;
  }
  return apart;
}

// Squared length of the longest column. Those that are not finite become zero, and the log says so.
static double find_longest(Work *w, int32_t total) {
  double longest = 0;
  for (int32_t c = 0; c < total; c++) {
    double *x = w->columns + w->size * (size_t)c, *Mx = w->products + w->size * (size_t)c;
    double length2 = dot_sketch_columns(w->size, x, Mx);
    if (isfinite(length2)) {
      longest = fmax(longest, length2);
      continue;
    }
    warn_of_skipped_sketch(w, w->kept[c], "its forces are too large");
    memset(x, 0, w->size * sizeof(double));
    memset(Mx, 0, w->size * sizeof(double));
  }
  return longest;
}

// Of the columns keeps, in order, each that is `separation` away from zero and from all that were
// kept before it, relative to the longest.
static void thin(Work *w, double separation) {
  int32_t total = w->count;
  lb_sparse_multiply_many(w->fem->mass, total, w->columns, w->products);
  double limit = separation * separation * find_longest(w, total);
  w->count = 0;
  for (int32_t c = 0; c < total; c++) {
    size_t from = w->size * (size_t)c, to = w->size * (size_t)w->count;
    if (!is_apart(w, c, limit)) continue;
    if (from != to) {
      memcpy(w->columns + to, w->columns + from, w->size * sizeof(double));
      memcpy(w->products + to, w->products + from, w->size * sizeof(double));
    }
    w->kept[w->count++] = w->kept[c];
  }
}

// Solves the load that was gathered into w->shape. *solved: it has an equilibrium.
static lbStatus solve_gathered(Work *w, int32_t number, bool *solved, lbError *err) {
  lbStaticDef def = lb_static_def();
  lbStaticResult result;
  lbError cause = { 0 };
  memset(w->shape, 0, w->full_size * sizeof(double));
  lbStatus status = lb_fem_static(w->fem, w->load, &def, w->shape, &result, &cause);
  *solved = status == LB_OK;
  if (status == LB_ERR_NUMERIC) {
    warn_of_skipped_sketch(w, number, cause.text);
    return LB_OK;
  }
  if (status && err) *err = cause;
  return status;
}

// The same, by way of the cache.
static lbStatus solve_load(Work *w, lbShapeKey body, int32_t number, bool *solved, lbError *err) {
  const char *cache = w->def->cache;
  int32_t vertices = w->fem->vertex_count;
  bool found = false;
  gather_load(w, number);
  if (!cache) return solve_gathered(w, number, solved, err);
  lbShapeKey key = lb_shape_key_load(body, w->fem, w->load);
  lbStatus status = lb_shape_cache_read(cache, key, vertices, w->shape, &found, solved, err);
  if (!status && found && !*solved)
    warn_of_skipped_sketch(w, number, "no equilibrium was found before");
  if (status || found) return status;
  status = solve_gathered(w, number, solved, err);
  if (status) return status;
  return lb_shape_cache_write(cache, key, vertices, *solved ? w->shape : NULL, err);
}

// Shapes of the kept loads, in their order, into the columns.
static lbStatus solve_loads(Work *w, lbError *err) {
  lbStaticDef def = lb_static_def();
  lbShapeKey body = lb_shape_key_body(w->fem, &def);
  int32_t shapes = 0;
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < w->count && !status; i++) {
    bool solved = false;
    if (!lb_progress("sketch", (double)i / w->count)) return lb_fail_interrupted(err, "sketch");
    status = solve_load(w, body, w->kept[i], &solved, err);
    if (status || !solved) continue;
    w->kept[shapes] = w->kept[i];
    lb_fem_compress(w->fem, w->shape, w->columns + w->size * (size_t)shapes++);
  }
  if (status) return status;
  w->count = shapes;
  return LB_OK;
}

static lbStatus check_sketch_shapes(const Work *w, lbError *err) {
  int32_t loads = w->def->sketch->load_count;
  if (w->count >= (w->def->at_most ? 1 : w->def->dimension)) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "%s: dimension of the basis is %d, but the %d loads of the sketch give only %d "
                 "different shapes; record more, or ask for at most that many",
                 w->fem->name, (int)w->def->dimension, (int)loads, (int)w->count);
}

lbStatus lb_basis_sketch(const lbFem *fem, const lbBasisDef *def, lbBasis *basis, lbError *err) {
  Work w = { .fem = fem,
             .def = def,
             .size = 3 * (size_t)fem->node_count,
             .full_size = 3 * (size_t)fem->vertex_count };
  double start = lb_seconds();
  lbStatus status = check_sketch(fem, def, err);
  if (!status) status = allocate_sketch(&w, err);
  if (!status) status = find_load_responses(&w, err);
  basis->force_seconds = lb_seconds() - start;
  start = lb_seconds();
  if (!status) {
    thin(&w, def->load_separation);
    status = check_sketch_shapes(&w, err); // before the long work
  }
  if (!status) status = solve_loads(&w, err);
  basis->solve_seconds = lb_seconds() - start;
  if (!status) {
    thin(&w, def->shape_separation);
    status = check_sketch_shapes(&w, err);
  }
  if (!status) {
    lb_free(w.products);
    w.products = NULL;
    status = lb_basis_pca(fem, def, w.count, w.columns, basis, err);
  }
  release_sketch(&w);
  return status;
}
