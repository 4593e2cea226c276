// What bodies of one model share: found in the model's list or prepared, counted, given back. Also
// what is made on demand: search trees, scratch.
#include "body/body.h"
#include "body/tree.h"
#include "body/vertices.h"

#include "model/model.h"

#include <string.h>

// Nodes between two ranges of nodes that are not worth leaving out.
enum { RANGE_GAP = 16 };

// ---- locks: held for a few instructions, or while a tree is made -------------------------------

static void lock(atomic_flag *flag) {
  while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire)) {}
}

static void unlock(atomic_flag *flag) { atomic_flag_clear_explicit(flag, memory_order_release); }

// ---- which vectors -----------------------------------------------------------------------------

static lbStatus check_kept(const lbPrepared *p, const lbBodyDef *def, lbError *err) {
  if (def->kept_count == 0) return LB_OK;
  if (def->kept_count < 0 || def->kept_count > p->dimension || !def->kept)
    return lb_fail(err, LB_ERR_ARGUMENT, "kept_count is %d; model \"%s\" has %d modes",
                   (int)def->kept_count, p->model->name, (int)p->dimension);
  if (def->mode_count)
    return lb_fail(err, LB_ERR_ARGUMENT, "mode_count and kept_count are both given");
  for (int32_t i = 0; i < def->kept_count; i++) {
    if (def->kept[i] < 0 || def->kept[i] >= p->dimension)
      return lb_fail(err, LB_ERR_ARGUMENT, "kept: number %d is not among the model's %d modes",
                     (int)def->kept[i], (int)p->dimension);
    for (int32_t j = 0; j < i; j++)
      if (def->kept[j] == def->kept[i])
        return lb_fail(err, LB_ERR_ARGUMENT, "kept: number %d is there twice", (int)def->kept[i]);
  }
  return LB_OK;
}

// The number of coordinates; `kept` is copied later.
static lbStatus choose_dimension(lbPrepared *p, const lbBodyDef *def, lbError *err) {
  if (def->mode_count < 0 || def->mode_count > p->dimension)
    return lb_fail(err, LB_ERR_ARGUMENT, "mode_count is %d; model \"%s\" has %d modes",
                   (int)def->mode_count, p->model->name, (int)p->dimension);
  lbStatus status = check_kept(p, def, err);
  if (status) return status;
  if (def->mode_count) p->dimension = def->mode_count;
  if (def->kept_count) p->dimension = def->kept_count;
  p->padded = (p->dimension + LB_BATCH - 1) / LB_BATCH * LB_BATCH;
  return LB_OK;
}

// ---- the block: copies of what belongs to the vectors kept, lists of the surface ---------------

typedef struct Copies {
  double *basis, *gravity, *rigid, *eigenvalues;
  void *inertia;
} Copies;

static void lay_out(lbPrepared *p, const lbBodyDef *def, Copies *copies, lbCarver *carver) {
  const lbModelSizes *size = &p->model->size;
  size_t r = (size_t)p->dimension, rows = 3 * (size_t)size->node_count;
  if (def->kept_count) {
    p->kept = lb_carve(carver, r, sizeof(int32_t));
    if (p->basis) copies->basis = lb_carve(carver, r, rows * sizeof(double));
    copies->gravity = lb_carve(carver, 3 * r, sizeof(double));
    copies->rigid = lb_carve(carver, 6 * r, sizeof(double));
    if (p->eigenvalues) copies->eigenvalues = lb_carve(carver, r, sizeof(double));
  }
  if (p->basis && !p->method->is_recording)
    copies->inertia = lb_carve(carver, lb_inertia_bytes(p->dimension, p->padded), 1);
  p->ranges = lb_carve(carver, (size_t)size->node_count / (RANGE_GAP + 1) + 1, 2 * sizeof(int32_t));
  p->around_begin = lb_carve(carver, (size_t)size->vertex_count + 1, sizeof(int32_t));
  p->around = lb_carve(carver, 3 * (size_t)size->triangle_count, sizeof(int32_t));
}

static const double *take(const lbPrepared *p, const double *from, size_t size, double *to) {
  if (!from || !to) return from;
  for (size_t i = 0; i < (size_t)p->dimension; i++)
    memcpy(to + size * i, from + size * (size_t)p->kept[i], size * sizeof *to);
  return to;
}

static void take_kept(lbPrepared *p, const lbBodyDef *def, const Copies *copies) {
  if (!def->kept_count) return;
  memcpy(p->kept, def->kept, (size_t)p->dimension * sizeof(int32_t));
  p->basis = take(p, p->basis, 3 * (size_t)p->model->size.node_count, copies->basis);
  p->gravity = take(p, p->gravity, 3, copies->gravity);
  p->rigid = take(p, p->rigid, 6, copies->rigid);
  p->eigenvalues = take(p, p->eigenvalues, 1, copies->eigenvalues);
}

// Runs of nodes that carry the surface; short gaps are bridged.
static lbStatus find_ranges(lbPrepared *p, lbError *err) {
  const lbModel *model = p->model;
  uint8_t *used = lb_alloc((size_t)model->size.node_count, 1);
  if (!used) return lb_fail_memory(err);
  for (int32_t i = 0; i < model->size.carrier_count; i++) used[model->carrier_nodes[i]] = 1;
  int32_t *ranges = p->ranges, count = 0;
  for (int32_t node = 0; node < model->size.node_count; node++) {
    if (!used[node]) continue;
    if (count && node - ranges[2 * count - 1] < RANGE_GAP) {
      ranges[2 * count - 1] = node + 1;
      continue;
    }
    ranges[2 * count] = node, ranges[2 * count + 1] = node + 1;
    count++;
  }
  p->range_count = count;
  lb_free(used);
  return LB_OK;
}

static void find_triangles_around(lbPrepared *p) {
  const lbModel *model = p->model;
  int32_t vertex_count = model->size.vertex_count, *begin = p->around_begin;
  size_t corner_count = 3 * (size_t)model->size.triangle_count;
  for (size_t i = 0; i < corner_count; i++) begin[model->triangles[i] + 1]++;
  for (int32_t v = 0; v < vertex_count; v++) begin[v + 1] += begin[v];
  for (size_t i = 0; i < corner_count; i++)
    p->around[begin[model->triangles[i]]++] = (int32_t)(i / 3);
  for (int32_t v = vertex_count; v > 0; v--) begin[v] = begin[v - 1];
  begin[0] = 0;
}

static double find_size(const lbModel *model) {
  lbVec3 low = lb_vec3(INFINITY, INFINITY, INFINITY), high = lb_scale(-1, low);
  for (int32_t n = 0; n < model->size.node_count; n++) {
    const double *x = model->node_positions + 3 * (size_t)n;
    low = lb_vec3(fmin(low.x, x[0]), fmin(low.y, x[1]), fmin(low.z, x[2]));
    high = lb_vec3(fmax(high.x, x[0]), fmax(high.y, x[1]), fmax(high.z, x[2]));
  }
  return model->size.node_count ? lb_length(lb_sub(high, low)) : 0;
}

// ---- preparing ---------------------------------------------------------------------------------

static uint64_t identity(const lbPrepared *p) {
  const lbModelSizes *size = &p->model->size;
  const int32_t counts[] = { (int32_t)p->method->method, p->dimension,         size->node_count,
                             size->vertex_count,         size->triangle_count, size->tet_count,
                             size->brick_count };
  uint64_t hash = lb_hash(UINT64_C(0xcbf29ce484222325), counts, sizeof counts);
  if (p->kept) hash = lb_hash(hash, p->kept, (size_t)p->dimension * sizeof(int32_t));
  return p->method->identify(p, hash);
}

uint64_t lb_hash(uint64_t hash, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) // FNV-1a
    hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static lbStatus fill(lbPrepared *p, const lbBodyDef *def, const lbModelMethod *view, lbError *err) {
  Copies copies = { 0 };
  lbCarver carver = { 0 };
  lay_out(p, def, &copies, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) return lb_fail_memory(err);
  p->block = carver.block;
  carver.used = 0;
  lay_out(p, def, &copies, &carver);
  take_kept(p, def, &copies);
  if (copies.inertia)
    lb_inertia_fill(&p->inertia, p->model, view, p->dimension, p->padded, p->kept, p->gravity,
                    copies.inertia);
  p->inertia.kernels = lb_inertia_kernels(p->level);
  find_triangles_around(p);
  lbStatus status = find_ranges(p, err);
  if (!status) status = p->method->build(p, err);
  if (!status && p->eigenvalues) p->slowest = sqrt(p->eigenvalues[0]);
  if (!status) p->hash = identity(p);
  return status;
}

// p->method <- the table with defaults, in memory of its own.
static lbStatus take_method(lbPrepared *p, const lbBodyMethod *table, lbError *err) {
  lbBodyMethod *method = lb_alloc(1, sizeof *method);
  if (!method) return lb_fail_memory(err);
  *method = lb_method_with_defaults(table);
  p->table = table, p->method = method;
  return LB_OK;
}

static lbStatus prepare(const lbModel *model, const lbBodyDef *def, const lbBodyMethod *method,
                        const lbModelMethod *view, lbSimdLevel level, lbPrepared **out,
                        lbError *err) {
  lbPrepared *p = lb_alloc(1, sizeof *p);
  if (!p) return lb_fail_memory(err);
  lbStatus status = take_method(p, method, err);
  if (status) {
    lb_free(p);
    return status;
  }
  p->model = model, p->level = level;
  p->basis_kernels = lb_basis_kernels(level), p->stress = lb_stress_kernels(level);
  p->stress_law = method->stress_law;
  p->dimension = view->dimension;
  p->state_rows = method->state_rows, p->state_extra = method->state_extra;
  p->basis = view->basis, p->gravity = view->gravity, p->rigid = view->rigid;
  p->eigenvalues = view->eigenvalues;
  if (view->damping) p->damping[0] = view->damping[0], p->damping[1] = view->damping[1];
  p->node_masses = model->node_masses;
  p->mass = model->rigid_mass[0];
  p->centre = lb_vec3_load(model->rigid_centre);
  p->size = find_size(model);
  p->single_precision = def->single_precision;
  p->version = 1;
  atomic_init(&p->references, 1);
  atomic_init(&p->tree, NULL);
  atomic_flag_clear(&p->lock);
  status = p->method->prepare(p, def, err);
  if (!status) status = choose_dimension(p, def, err);
  if (!status) status = fill(p, def, view, err);
  if (status)
    lb_prepared_release(p);
  else
    *out = p;
  return status;
}

// ---- the model's list --------------------------------------------------------------------------

static bool is_asked_for(const lbPrepared *p, const lbModel *model, const lbBodyDef *def,
                         const lbBodyMethod *method, const lbModelMethod *view, lbSimdLevel level) {
  int32_t dimension = def->kept_count   ? def->kept_count
                      : def->mode_count ? def->mode_count
                                        : view->dimension;
  if (p->model != model || p->table != method || p->level != level || p->dimension != dimension ||
      p->single_precision != def->single_precision || !p->kept != !def->kept_count)
    return false;
  return !p->kept || memcmp(p->kept, def->kept, (size_t)dimension * sizeof *p->kept) == 0;
}

static const lbPrepared *find(const lbModel *model, const lbBodyDef *def,
                              const lbBodyMethod *method, const lbModelMethod *view,
                              lbSimdLevel level) {
  lbModelShared *shared = model->shared_;
  const lbPrepared *found = NULL;
  lock(&shared->lock);
  for (lbPrepared *p = shared->prepared; p && !found; p = p->next)
    if (is_asked_for(p, model, def, method, view, level)) found = lb_prepared_retain(p);
  unlock(&shared->lock);
  return found;
}

lbStatus lb_prepared_acquire(const lbModel *model, const lbBodyDef *def, lbSimdLevel level,
                             const lbPrepared **out, lbError *err) {
  const lbBodyMethod *method = NULL;
  lbModelMethod view;
  lbStatus status = lb_method_find(model, def->method, &method, &view, err);
  if (status) return status;
  lbModelShared *shared = model->shared_;
  const lbPrepared *found = shared ? find(model, def, method, &view, level) : NULL;
  lbPrepared *made = NULL;
  if (!found) {
    status = prepare(model, def, method, &view, level, &made, err);
    if (status) return status;
    if (shared) {
      lock(&shared->lock);
      made->next = shared->prepared, shared->prepared = made;
      unlock(&shared->lock);
    }
    found = made;
  }
  *out = found;
  return LB_OK;
}

// ---- scratch -----------------------------------------------------------------------------------

static lbScratch *place_scratch(const lbPrepared *p, lbScratch *s, lbCarver *carver) {
  size_t width = (size_t)p->padded + LB_FRAME_ROOM;
  lbScratch *at = lb_carve(carver, 1, sizeof *s);
  double **vectors[] = { &s->q0,   &s->v0,     &s->q,       &s->v,       &s->force, &s->inertial,
                         &s->held, &s->pull,   &s->start_q, &s->start_v, &s->a,     &s->b,
                         &s->c,    &s->joined, &s->late,    &s->moved,   &s->base };
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = lb_carve(carver, width, sizeof(double));
  s->moments = lb_carve(carver, LB_MOMENT_ROWS * (size_t)p->padded, sizeof(double));
  s->numbers = lb_carve(carver, (size_t)lb_method_numbers(p), sizeof(double));
  s->step = lb_carve(carver, 1, sizeof(lbStep));
  p->method->place_scratch(p, s, carver);
  return at;
}

static lbCallWork *place_call(const lbPrepared *p, lbCallWork *w, lbCarver *carver) {
  const lbModelSizes *size = &p->model->size;
  lbCallWork *at = lb_carve(carver, 1, sizeof *w);
  w->nodes = lb_carve(carver, (size_t)size->node_count, 3 * sizeof(double));
  w->shares = lb_carve(carver, (size_t)size->node_count, sizeof(double));
  w->moduli =
      lb_carve(carver, (size_t)size->material_count, LB_MATERIAL_PARAMETERS * sizeof(double));
  w->positions = lb_carve(carver, (size_t)size->vertex_count, 3 * sizeof(double));
  p->method->place_call(p, w, carver);
  return at;
}

static lbScratch *make_scratch(const lbPrepared *p) {
  lbScratch draft = { 0 };
  lbCarver carver = { 0 };
  place_scratch(p, &draft, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) return NULL;
  carver.used = 0;
  lbScratch *scratch = place_scratch(p, &draft, &carver);
  *scratch = draft;
  return scratch;
}

static lbCallWork *make_call(const lbPrepared *p) {
  lbCallWork draft = { 0 };
  lbCarver carver = { 0 };
  place_call(p, &draft, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) return NULL;
  carver.used = 0;
  lbCallWork *work = place_call(p, &draft, &carver);
  *work = draft;
  return work;
}

static lbPrepared *owner_of_scratch(const lbPrepared *p) {
  return (lbPrepared *)(p->base ? p->base : p);
}

static void take_idle_call(lbPrepared *p, lbScratch *scratch) {
  scratch->call = p->idle_calls;
  if (scratch->call) p->idle_calls = scratch->call->next;
}

static void put_idle_call(lbPrepared *p, lbScratch *scratch) {
  if (!scratch->call) return;
  scratch->call->next = p->idle_calls;
  p->idle_calls = scratch->call;
  scratch->call = NULL;
}

bool lb_scratch_borrow_call(const lbPrepared *prepared, lbScratch *scratch) {
  lbPrepared *p = owner_of_scratch(prepared);
  if (scratch->call) return true;
  lock(&p->lock);
  take_idle_call(p, scratch);
  unlock(&p->lock);
  if (!scratch->call) scratch->call = make_call(p);
  return scratch->call != NULL;
}

void lb_scratch_return_call(const lbPrepared *prepared, lbScratch *scratch) {
  lbPrepared *p = owner_of_scratch(prepared);
  lock(&p->lock);
  put_idle_call(p, scratch);
  unlock(&p->lock);
}

lbScratch *lb_scratch_borrow(const lbPrepared *prepared) {
  lbPrepared *p = owner_of_scratch(prepared);
  lock(&p->lock);
  lbScratch *scratch = p->idle;
  if (scratch) {
    p->idle = scratch->next;
    take_idle_call(p, scratch);
  }
  unlock(&p->lock);
  if (!scratch) scratch = make_scratch(p);
  if (!scratch || lb_scratch_borrow_call(p, scratch)) return scratch;
  lb_scratch_return(p, scratch);
  return NULL;
}

void lb_scratch_return(const lbPrepared *prepared, lbScratch *scratch) {
  lbPrepared *p = owner_of_scratch(prepared);
  if (!scratch) return;
  lock(&p->lock);
  put_idle_call(p, scratch);
  scratch->next = p->idle;
  p->idle = scratch;
  unlock(&p->lock);
}

static void destroy_scratch(lbPrepared *p) {
  while (p->idle) {
    lbScratch *next = p->idle->next;
    lb_free(p->idle);
    p->idle = next;
  }
  while (p->idle_calls) {
    lbCallWork *work = p->idle_calls, *next = work->next;
    lb_aabb_tree_destroy(work->boxes);
    lb_search_destroy(work->search);
    lb_vertex_work_destroy(work->vertex_work);
    lb_free(work->touch_work);
    lb_free(work);
    p->idle_calls = next;
  }
}

// ---- counting ----------------------------------------------------------------------------------

const lbPrepared *lb_prepared_retain(const lbPrepared *prepared) {
  lbPrepared *p = (lbPrepared *)prepared; // the count is not part of what is immutable
  atomic_fetch_add_explicit(&p->references, 1, memory_order_relaxed);
  return prepared;
}

static void unlist(lbModelShared *shared, const lbPrepared *p) {
  for (lbPrepared **at = (lbPrepared **)(void *)&shared->prepared; *at; at = &(*at)->next)
    if (*at == p) {
      *at = p->next;
      return;
    }
}

static void destroy(lbPrepared *p) {
  destroy_scratch(p);
  p->method->release(p);
  lb_tree_destroy(atomic_load(&p->tree));
  if (!p->base) lb_free((lbBodyMethod *)p->method);
  lb_free(p->block);
  lb_free(p);
}

void lb_prepared_release(const lbPrepared *prepared) {
  lbPrepared *p = (lbPrepared *)prepared;
  if (!p) return;
  const lbPrepared *base = p->base;
  lbModelShared *shared = base ? NULL : p->model->shared_;
  if (shared) lock(&shared->lock);
  bool last = atomic_fetch_sub_explicit(&p->references, 1, memory_order_acq_rel) == 1;
  if (last && shared) unlist(shared, p);
  if (shared) unlock(&shared->lock);
  if (last) destroy(p);
  if (last && base) lb_prepared_release(base);
}

lbStatus lb_prepared_derive(const lbPrepared *prepared, lbPrepared **out, lbError *err) {
  const lbPrepared *base = prepared->base ? prepared->base : prepared;
  static _Atomic uint64_t versions = 1;
  lbPrepared *p = lb_alloc(1, sizeof *p);
  if (!p) return lb_fail_memory(err);
  memcpy(p, base, offsetof(lbPrepared, block));
  p->base = lb_prepared_retain(base);
  p->own = NULL;
  p->version = atomic_fetch_add(&versions, 1) + 1;
  atomic_init(&p->references, 1);
  atomic_init(&p->tree, NULL);
  atomic_flag_clear(&p->lock);
  *out = p;
  return LB_OK;
}

// ---- made on demand ----------------------------------------------------------------------------

lbStatus lb_prepared_tree(const lbPrepared *prepared, const lbTree **out, lbError *err) {
  lbPrepared *p = (lbPrepared *)(prepared->base ? prepared->base : prepared);
  lbTree *tree = atomic_load_explicit(&p->tree, memory_order_acquire);
  lbStatus status = LB_OK;
  if (!tree) {
    lock(&p->lock);
    tree = atomic_load_explicit(&p->tree, memory_order_relaxed);
    if (!tree) status = lb_tree_create(p, &tree, err);
    if (!status) atomic_store_explicit(&p->tree, tree, memory_order_release);
    unlock(&p->lock);
  }
  if (!status) *out = tree;
  return status;
}
