// limber bench contact: a body that bounces, a stack, bodies poured into a bowl and packed into a
// box, the solver alone, a body that nothing is near, a heap and a crowd (contact_heap.c); beside
// Bullet's reduced bodies where the build found them.
#include "bench/bench.h"

#include "bench/contact.h"
#include "limber/contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MODES = 32, STACKED = 5, POURED = 30, PACKED = 200, POUR_MODES = 30, FAR_STEPS = 200 };

static const double g = 9.81;

// ---- models ------------------------------------------------------------------------------------

// A free body with linear modes and, where asked for, as many vectors of the subspace method.
static lbStatus make_model(const char *shape, const double size[3], const int32_t cells[3],
                           double young, int32_t modes, bool subspace, lbModel **out,
                           lbError *err) {
  lbShapeDef def = lb_shape_def(shape);
  lbMaterial material = lb_material();
  lbFemDef fem_def = lb_fem_def();
  lbReduceDef reduce = lb_reduce_def();
  lbModalDef modal = lb_modal_def();
  lbSubspaceDef sub = lb_subspace_def();
  lbMesh *mesh = NULL;
  lbFem *fem = NULL;
  memcpy(def.size, size, sizeof def.size);
  memcpy(def.cells, cells, sizeof def.cells);
  material.young = young, material.poisson = 0.4;
  fem_def.materials = &material, fem_def.material_count = 1;
  reduce.damping_stiffness = 2e-3;
  modal.mode_count = sub.basis.mode_count = sub.basis.dimension = modes;
  lbStatus status = lb_shape_volume(&def, &mesh, err);
  if (!status) status = lb_fem_create(mesh, &fem_def, &fem, err);
  if (!status && subspace) status = lb_reduce_subspace(mesh, fem, &reduce, &sub, out, err);
  if (!status && !subspace) status = lb_reduce_modal(mesh, fem, &reduce, &modal, out, err);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
  return status;
}

// ---- worlds ------------------------------------------------------------------------------------

static lbStatus make_world(double friction, int32_t contacts, bool contact, bool ground,
                           lbWorld **out, lbError *err) {
  lbWorldSettings settings = lb_world_settings();
  lbColliderDef plane = lb_collider_def();
  lbColliderId id;
  settings.gravity = lb_vec3(0, 0, -g);
  settings.contact = contact;
  settings.friction = friction;
  settings.contacts_most = contacts;
  settings.sleep = false; // steps of bodies that move, or could
  lbStatus status = lb_world_create(&settings, out, err);
  if (!status && ground) status = lb_world_add_collider(*out, &plane, &id, err);
  return status;
}

static double energy_of(const lbWorld *world) {
  double sum = 0;
  for (int32_t i = 0; i < lb_world_body_count(world); i++) {
    lbBodyReport r = lb_body_report(lb_world_body(world, lb_world_body_at(world, i)));
    sum += r.kinetic + r.elastic + r.mass * g * r.centre.z;
  }
  return sum;
}

// m: how deep the surfaces are below the ground.
static double overlap_of(const lbWorld *world, double *xyz) {
  double lowest = 0;
  for (int32_t i = 0; i < lb_world_body_count(world); i++) {
    const lbBody *body = lb_world_body(world, lb_world_body_at(world, i));
    lb_body_surface(body, xyz);
    for (int32_t v = 0; v < lb_body_model(body)->size.vertex_count; v++)
      lowest = fmin(lowest, xyz[3 * (size_t)v + 2]);
  }
  return -lowest;
}

// ---- falling onto the ground -------------------------------------------------------------------

static lbStatus add_falling(lbWorld *world, const lbModel *model, lbMethod method,
                            const benchDrop *drop, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < drop->count && !status; i++) {
    lbBodyDef def = lb_body_def();
    lbBodyId id;
    def.method = method;
    def.position = lb_vec3(0, 0, drop->heights[i]);
    status = lb_world_add(world, model, &def, &id, err);
  }
  return status;
}

static void tell_end(const lbWorld *world, const lbVec3 *starts, benchDropResult *result) {
  result->drift = result->speed = 0;
  for (int32_t i = 0; i < lb_world_body_count(world); i++) {
    lbBodyReport r = lb_body_report(lb_world_body(world, lb_world_body_at(world, i)));
    result->drift = fmax(result->drift, hypot(r.centre.x - starts[i].x, r.centre.y - starts[i].y));
    result->speed = fmax(result->speed, lb_length(r.linear_momentum) / r.mass);
  }
}

// times (drop->steps): of steps in which something pushes.
static lbStatus fall(const lbModel *model, lbMethod method, const benchDrop *drop, double *times,
                     benchDropResult *result, lbError *err) {
  lbWorld *world = NULL;
  lbVec3 starts[8];
  double *xyz = lb_alloc((size_t)model->size.vertex_count, 3 * sizeof(double));
  lbStatus status = xyz ? LB_OK : lb_fail_memory(err);
  if (!status) status = make_world(drop->friction, 512, true, true, &world, err);
  if (!status) status = add_falling(world, model, method, drop, err);
  *result = (benchDropResult){ 0 };
  for (int32_t i = 0; i < drop->count && !status; i++)
    starts[i] = lb_body_report(lb_world_body(world, lb_world_body_at(world, i))).centre;
  double before = status ? 0 : energy_of(world), first = before;
  for (int32_t i = 0; i < drop->steps && !status; i++) {
    double start = bench_seconds();
    lb_world_step(world, drop->h);
    double took = bench_seconds() - start;
    if (lb_world_contact_count(world) > 0) times[result->repeats++] = took;
    if (i % 4) continue; // looking takes longer than stepping
    double energy = energy_of(world);
    result->rise = fmax(result->rise, (energy - before) / first);
    before = fmin(before, energy);
    result->overlap = fmax(result->overlap, overlap_of(world, xyz));
  }
  if (!status) tell_end(world, starts, result);
  lb_world_destroy(world);
  lb_free(xyz);
  return status;
}

static void set_figures(const benchDropResult *result, double *times, benchRow *row) {
  bench_set_times(row, 1e3, times, result->repeats > 0 ? result->repeats : 1);
  row->repeats = result->repeats;
}

// The same by Bullet, with the settings of its own benchmark, and with those that it has where
// nobody sets any. Returns the least median in ms; 0: it is not there.
static double bench_peer(const char *name, const lbModel *model, const benchDrop *drop,
                         double *times, benchTable *table) {
  static const benchPeerSettings settings[] = {
    { "ReducedBenchmark", 100, 1e-3 },
    { "defaults", 10, 0 },
  };
  benchPeerBody body = { .node_count = model->size.node_count,
                         .tet_count = model->size.tet_count,
                         .mode_count = model->size.mode_count,
                         .positions = model->node_positions,
                         .tets = model->tets,
                         .masses = model->node_masses,
                         .modes = model->modal_basis,
                         .eigenvalues = model->modal_eigenvalues,
                         .damping = model->modal_damping[1] };
  double least = 0;
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    benchDropResult peer;
    if (!bench_bullet(&body, drop, &settings[i], times, &peer)) return 0;
    json_t *parameters =
        json_pack("{s:s, s:s, s:i, s:f}", "scene", name, "settings", settings[i].name, "iterations",
                  (int)settings[i].iterations, "residual", settings[i].residual);
    benchRow *row = bench_add(table, "contact.bullet", parameters, "ms");
    if (!row) return least;
    row->median = 1e3 * peer.median, row->min = 1e3 * peer.least;
    row->p99 = 1e3 * peer.p99, row->max = 1e3 * peer.most, row->repeats = peer.repeats;
    snprintf(row->note, sizeof row->note,
             "Bullet %s, damping %.2g of %.2g s, %d steps: overlap %.2g m, energy rose by %.2g, "
             "drift %.2g m, %.2g m/s at the end%s",
             bench_bullet_version(), peer.damping, body.damping, (int)drop->peer_steps,
             peer.overlap, peer.rise, peer.drift, peer.speed,
             drop->count > 1 ? "; its bodies do not touch each other" : "");
    least = least > 0 ? fmin(least, row->median) : row->median;
  }
  return least;
}

static lbStatus bench_drop(const char *name, const lbModel *model, lbMethod method,
                           const benchDrop *drop, double limit, benchTable *table, lbError *err) {
  double *times = lb_alloc((size_t)drop->steps, sizeof *times);
  benchDropResult result = { 0 };
  lbStatus status = times ? fall(model, method, drop, times, &result, err) : lb_fail_memory(err);
  benchRow *row = NULL;
  int32_t at = table->count;
  if (!status) {
    json_t *parameters =
        json_pack("{s:s, s:i, s:i, s:i}", "method", lb_method_name(method), "bodies",
                  (int)drop->count, "tets", (int)model->size.tet_count, "r", MODES);
    row = bench_add(table, name, parameters, "ms");
    if (!row) status = lb_fail_memory(err);
  }
  if (row) {
    set_figures(&result, times, row);
    row->limit = limit;
    int used = snprintf(row->note, sizeof row->note,
                        "overlap %.2g m, energy rose by %.2g, drift %.2g m, %.2g m/s at the end",
                        result.overlap, result.rise, result.drift, result.speed);
    if (method == LB_METHOD_MODAL) {
      double peer = bench_peer(name, model, drop, times, table);
      row = &table->rows[at]; // rows may have moved
      row->peer = peer;
      if (peer == 0)
        snprintf(row->note + used, sizeof row->note - (size_t)used,
                 "; no peer: Bullet (libbullet-dev) was not found when this was built");
    }
  }
  lb_free(times);
  return status;
}

static lbStatus bench_bounce(benchTable *table, lbError *err) {
  static const double size[3] = { 0.3, 0.3, 0.3 };
  static const int32_t cells[3] = { 14, 14, 13 };
  lbModel *model = NULL;
  benchDrop drop = { .count = 1, .heights = { 0.3 }, .friction = 0.5, .h = 1.0 / 240 };
  drop.steps = 720, drop.peer_steps = 240;
  lbStatus status = make_model("sphere", size, cells, 2e5, MODES, true, &model, err);
  if (!status)
    status = bench_drop("contact.bounce", model, LB_METHOD_MODAL, &drop, 0.1, table, err);
  if (!status)
    status = bench_drop("contact.bounce", model, LB_METHOD_SUBSPACE, &drop, 0.1, table, err);
  lb_model_destroy(model);
  return status;
}

static lbStatus bench_stack(const lbModel *box, benchTable *table, lbError *err) {
  benchDrop drop = { .count = STACKED, .friction = 0.5, .h = 1.0 / 240, .steps = 480 };
  drop.peer_steps = 48;
  for (int i = 0; i < STACKED; i++) drop.heights[i] = 0.202 * i + 0.002;
  lbStatus status = bench_drop("contact.stack", box, LB_METHOD_MODAL, &drop, 0.6, table, err);
  if (!status)
    status = bench_drop("contact.stack", box, LB_METHOD_SUBSPACE, &drop, 0.6, table, err);
  return status;
}

// ---- the solver --------------------------------------------------------------------------------

// Forces and impulses of about 50 contacts, in a stack that comes to rest.
static lbStatus bench_solve(const lbModel *box, benchTable *table, lbError *err) {
  enum { STEPS = 240, LEAST = 50 };
  benchDrop drop = { .count = STACKED };
  lbWorld *world = NULL;
  double times[STEPS];
  int32_t count = 0, most_sweeps = 0, contacts = 0;
  for (int i = 0; i < STACKED; i++) drop.heights[i] = 0.202 * i + 0.002;
  lbStatus status = make_world(0.5, 512, true, true, &world, err);
  if (!status) status = add_falling(world, box, LB_METHOD_MODAL, &drop, err);
  for (int i = 0; i < STEPS && !status; i++) {
    lb_world_step(world, 1.0 / 240);
    lbContactStats stats = lb_world_contact_stats(world);
    if (stats.contacts == 0) continue;
    times[count++] = stats.solve_seconds * LEAST / stats.contacts;
    contacts += stats.contacts;
    most_sweeps = stats.sweeps > most_sweeps ? stats.sweeps : most_sweeps;
  }
  benchRow *row = NULL;
  if (!status && count > 0)
    row = bench_add(table, "contact.solve", json_pack("{s:i}", "contacts", LEAST), "ms");
  if (row) {
    bench_set_times(row, 1e3, times, count);
    row->limit = 0.1;
    snprintf(row->note, sizeof row->note,
             "forces and impulses, of a stack with %.0f contacts, as 50 take of that; at most %d "
             "sweeps",
             (double)contacts / count, (int)most_sweeps);
  }
  lb_world_destroy(world);
  return status ? status : row ? LB_OK : lb_fail_memory(err);
}

// ---- a far body --------------------------------------------------------------------------------

static lbStatus make_far(const lbModel *box, bool contact, lbWorld **out, lbError *err) {
  lbBodyDef def = lb_body_def();
  lbBodyId id;
  def.method = LB_METHOD_MODAL;
  def.position = lb_vec3(0, 0, 1e6);
  lbStatus status = make_world(0.5, 64, contact, true, out, err);
  return status ? status : lb_world_add(*out, box, &def, &id, err);
}

static double take_steps(lbWorld *world) {
  double start = bench_seconds();
  for (int i = 0; i < FAR_STEPS; i++) lb_world_step(world, 1e-3);
  return (bench_seconds() - start) / FAR_STEPS;
}

// What a step takes longer in a world with contact, in turns.
static lbStatus bench_far(const lbModel *box, benchTable *table, lbError *err) {
  enum { TURNS = 101 };
  lbWorld *worlds[2] = { NULL, NULL };
  double times[TURNS], plain = INFINITY;
  lbStatus status = make_far(box, true, &worlds[0], err);
  if (!status) status = make_far(box, false, &worlds[1], err);
  for (int i = 0; i < TURNS && !status; i++) {
    double with = take_steps(worlds[0]), without = take_steps(worlds[1]);
    times[i] = with - without;
    plain = fmin(plain, without);
  }
  benchRow *row = NULL;
  if (!status) row = bench_add(table, "contact.far", json_pack("{s:i}", "r", MODES), "us");
  if (row) {
    bench_set_times(row, 1e6, times, TURNS);
    row->limit = 0.5;
    snprintf(row->note, sizeof row->note, "beyond a step without contact, which takes %.2g us",
             1e6 * plain);
  }
  for (int i = 0; i < 2; i++) lb_world_destroy(worlds[i]);
  return status ? status : row ? LB_OK : lb_fail_memory(err);
}

// ---- poured into a bowl ------------------------------------------------------------------------

static lbStatus add_bowl(lbWorld *world, lbError *err) {
  lbShapeDef bowl = lb_shape_def("bowl");
  lbMesh *mesh = NULL;
  lbColliderDef def = lb_collider_def();
  lbColliderId id;
  bowl.size[0] = bowl.size[1] = 3, bowl.size[2] = 1.5;
  bowl.thickness = 0.1, bowl.segments = 32;
  lbStatus status = lb_shape_surface(&bowl, &mesh, err);
  if (status) return status;
  def.shape = LB_COLLIDER_MESH;
  def.vertex_count = mesh->vertex_count, def.vertices = mesh->positions;
  def.triangle_count = mesh->triangle_count, def.triangles = mesh->triangles;
  status = lb_world_add_collider(world, &def, &id, err);
  lb_mesh_destroy(mesh);
  return status;
}

// In layers above the bowl, turned about their centres and shifted a little.
static lbStatus add_poured(lbWorld *world, const lbModel *model, lbError *err) {
  lbStatus status = LB_OK;
  for (int i = 0; i < POURED && !status; i++) {
    int layer = i / 25, x = i % 5, y = i / 5 % 5;
    lbBodyDef def = lb_body_def();
    lbBodyId id;
    def.method = LB_METHOD_MODAL;
    lbVec3 centre = lb_vec3(1 + 0.24 * x + 0.02 * (layer % 3), 1 + 0.24 * y + 0.03 * (layer % 2),
                            0.6 + 0.23 * layer);
    def.rotation = lb_quat_from_axis_angle(lb_vec3(1, 0.3 * x, 0.2 * y), 0.3 * i);
    def.position = lb_sub(centre, lb_quat_rotate(def.rotation, lb_vec3(0.1, 0.1, 0.1)));
    status = lb_world_add(world, model, &def, &id, err);
  }
  return status;
}

// ---- packed into a box -------------------------------------------------------------------------

static lbStatus add_box(lbWorld *world, lbError *err) {
  lbColliderDef def = lb_collider_def();
  lbColliderId id;
  lbStatus status = lb_world_add_collider(world, &def, &id, err);
  def.shape = LB_COLLIDER_BOX;
  for (int i = 0; i < 4 && !status; i++) {
    double aside = i & 1 ? 1.16 : -1.16;
    def.position = i < 2 ? lb_vec3(aside, 0, 0.5) : lb_vec3(0, aside, 0.5);
    for (int k = 0; k < 3; k++) def.size[k] = k == i / 2 ? 0.2 : k == 2 ? 1.0 : 2.6;
    status = lb_world_add_collider(world, &def, &id, err);
  }
  return status;
}

// Two layers of ten times ten, the second in the hollows of the first: all of them touch.
static lbStatus add_packed(lbWorld *world, const lbModel *model, lbError *err) {
  lbStatus status = LB_OK;
  for (int i = 0; i < PACKED && !status; i++) {
    int layer = i / 100, x = i % 10, y = i / 10 % 10;
    double shift = layer ? 0.05 : -0.05;
    lbBodyDef def = lb_body_def();
    lbBodyId id;
    def.method = LB_METHOD_MODAL;
    lbVec3 centre =
        lb_vec3(0.201 * (x - 4.5) + shift, 0.201 * (y - 4.5) + shift, 0.101 + 0.145 * layer);
    def.rotation = lb_quat_from_axis_angle(lb_vec3(1, 0.3 * x, 0.2 * y), 0.3 * i);
    def.position = lb_sub(centre, lb_quat_rotate(def.rotation, lb_vec3(0.1, 0.1, 0.1)));
    status = lb_world_add(world, model, &def, &id, err);
  }
  return status;
}

// ---- both --------------------------------------------------------------------------------------

static int32_t count_touched(const lbWorld *world) {
  int32_t count = 0;
  for (int32_t i = 0; i < lb_world_body_count(world); i++)
    count += lb_length(lb_world_contact_force(world, lb_world_body_at(world, i))) > 0;
  return count;
}

typedef struct Heap {
  const char *name;
  int32_t count, settle, steps;
  lbStatus (*hold)(lbWorld *world, lbError *err);
  lbStatus (*add)(lbWorld *world, const lbModel *model, lbError *err);
} Heap;

static lbStatus bench_heap(const Heap *heap, const lbModel *model, benchTable *table,
                           lbError *err) {
  lbWorld *world = NULL;
  double times[120], parts[3] = { 0, 0, 0 };
  int32_t contacts = 0, touched = 0, dropped = 0, n = heap->steps;
  double wall = 0;
  lbStatus status = make_world(0.4, 16384, true, false, &world, err);
  if (!status) status = heap->hold(world, err);
  if (!status) status = heap->add(world, model, err);
  for (int i = 0; i < heap->settle + n && !status; i++) {
    double start = bench_seconds(), wall_start = lb_seconds();
    lb_world_step(world, 1.0 / 120);
    if (i < heap->settle) continue;
    times[i - heap->settle] = bench_seconds() - start;
    wall += lb_seconds() - wall_start;
    lbContactStats stats = lb_world_contact_stats(world);
    contacts += stats.contacts, touched += count_touched(world), dropped += stats.dropped;
    parts[0] += stats.find_seconds, parts[1] += stats.response_seconds;
    parts[2] += stats.solve_seconds;
  }
  benchRow *row = NULL;
  if (!status) {
    row = bench_add(table, heap->name,
                    json_pack("{s:i, s:i, s:i}", "bodies", (int)heap->count, "r", POUR_MODES,
                              "triangles", (int)model->size.triangle_count),
                    "ms");
    if (!row) status = lb_fail_memory(err);
  }
  if (row) {
    bench_set_times(row, 1e3, times, n);
    row->limit = 1e3 / 120;
    snprintf(row->note, sizeof row->note,
             "%.0f steps a second; %.0f bodies pushed, %.0f contacts, %.0f dropped; finding %.1f, "
             "responses %.1f, solving %.1f ms",
             n / wall, (double)touched / n, (double)contacts / n, (double)dropped / n,
             1e3 * parts[0] / n, 1e3 * parts[1] / n, 1e3 * parts[2] / n);
  }
  lb_world_destroy(world);
  return status;
}

static lbStatus bench_heaps(benchTable *table, lbError *err) {
  static const double size[3] = { 0.2, 0.2, 0.2 };
  static const int32_t cells[3] = { 9, 9, 8 };
  static const Heap heaps[] = {
    { "contact.pour", POURED, 150, 120, add_bowl, add_poured },
    { "contact.packed", PACKED, 30, 30, add_box, add_packed },
  };
  lbModel *model = NULL;
  if (!bench_wants(table, heaps[0].name) && !bench_wants(table, heaps[1].name)) return LB_OK;
  lbStatus status = make_model("sphere", size, cells, 2e5, POUR_MODES, false, &model, err);
  for (size_t i = 0; i < sizeof heaps / sizeof *heaps && !status; i++)
    if (bench_wants(table, heaps[i].name)) status = bench_heap(&heaps[i], model, table, err);
  lb_model_destroy(model);
  return status;
}

static lbStatus bench_boxes(benchTable *table, lbError *err) {
  static const double size[3] = { 0.2, 0.2, 0.2 };
  static const int32_t cells[3] = { 8, 8, 8 };
  lbModel *box = NULL;
  lbStatus status = make_model("bar", size, cells, 3e5, MODES, true, &box, err);
  if (!status && bench_wants(table, "contact.stack")) status = bench_stack(box, table, err);
  if (!status && bench_wants(table, "contact.solve")) status = bench_solve(box, table, err);
  if (!status && bench_wants(table, "contact.far")) status = bench_far(box, table, err);
  lb_model_destroy(box);
  return status;
}

lbStatus bench_contact(int32_t threads, benchTable *table, lbError *err) {
  lbStatus status = LB_OK;
  if (bench_wants(table, "contact.bounce")) status = bench_bounce(table, err);
  if (!status && (bench_wants(table, "contact.stack") || bench_wants(table, "contact.solve") ||
                  bench_wants(table, "contact.far")))
    status = bench_boxes(table, err);
  if (!status) status = bench_heaps(table, err);
  if (!status) status = lb_build_start(1, err);
  if (!status && bench_wants(table, "contact.heap")) status = bench_contact_heap(table, err);
  if (!status && bench_wants(table, "contact.crowd")) status = bench_contact_crowd(table, err);
  if (!status) status = bench_contact_bounds(table, err);
  return status ? status : lb_build_start(threads, err);
}
