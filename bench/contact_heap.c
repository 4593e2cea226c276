// limber bench contact: a heap of soft and rigid bodies, some of them joined, and a crowd of boxes
// in stacks, on one thread.
//
// The soft bodies of the heap are what `limber build SURFACE --free` makes of built-in shapes: a
// first mode of 3 Hz, 30 vectors, polynomial forces. They fall in two layers, the second over the
// gaps of the first.
#include "bench/bench.h"

#include "limber/build_model.h"
#include "limber/contact.h"
#include "meshio/program.h"

#include <math.h>
#include <stdio.h>

enum { SOFT = 30, RIGID = 12, SHAPES = 3, HEAP_STEPS = 420, ACROSS = 5, CELLS = 12, SEGMENTS = 24 };
enum { TALL = 5, CROWD_SETTLE = 10, CROWD_STEPS = 30, CROWD_DIMENSION = 16 };

static const double g = 9.81, step_s = 1.0 / 60;

// ---- models ------------------------------------------------------------------------------------

static lbStatus build_soft(const char *scratch, const char *name, lbModel **out, lbError *err) {
  lbShapeDef shape = lb_shape_def(name);
  lbBuildDef def = lb_build_def();
  lbMesh *mesh = NULL;
  char *path = lb_scratch_path(scratch, "surface.obj");
  shape.segments = SEGMENTS;
  def.is_free = true, def.up = 'z', def.cells = CELLS, def.dimension = 30,
  def.accuracy = LB_ACCURACY_NONE;
  for (int k = 0; k < 3; k++) shape.size[k] = k == 2 && shape.shape == LB_SHAPE_TORUS ? 0.3 : 1;
  lbStatus status = path ? lb_shape_surface(&shape, &mesh, err) : lb_fail_memory(err);
  if (!status) status = lb_mesh_save(mesh, path, err);
  if (!status) status = lb_build_model(path, &def, out, NULL, err);
  lb_mesh_destroy(mesh);
  lb_free(path);
  return status;
}

static lbStatus make_soft(lbModel *models[SHAPES], lbError *err) {
  static const char *const names[SHAPES] = { "sphere", "torus", "bar" };
  char *scratch = NULL;
  lbStatus status = lb_scratch_folder_make(&scratch, err);
  for (int i = 0; i < SHAPES && !status; i++)
    status = build_soft(scratch, names[i], &models[i], err);
  if (scratch) lb_scratch_folder_remove(scratch);
  return status;
}

static lbStatus make_rigid(lbModel *models[SHAPES], lbError *err) {
  static const lbColliderShape shapes[SHAPES] = { LB_COLLIDER_BOX, LB_COLLIDER_SPHERE,
                                                  LB_COLLIDER_CAPSULE };
  lbStatus status = LB_OK;
  for (int i = 0; i < SHAPES && !status; i++) {
    lbColliderDef def = lb_collider_def();
    def.shape = shapes[i];
    def.radius = shapes[i] == LB_COLLIDER_SPHERE ? 0.35 : 0.25;
    def.size[0] = def.size[1] = def.size[2] = 0.5;
    status = lb_rigid_model(&def, 1000, &models[i], err);
  }
  return status;
}

// ---- the heap ----------------------------------------------------------------------------------

static lbStatus make_world(bool sleep, lbWorld **out, lbError *err) {
  lbWorldSettings settings = lb_world_settings();
  lbColliderDef plane = lb_collider_def();
  lbColliderId ground;
  settings.gravity = lb_vec3(0, 0, -g);
  settings.contact = true, settings.sleep = sleep;
  settings.contacts_most = LB_SCENE_CONTACTS_MOST;
  lbStatus status = lb_world_create(&settings, out, err);
  return status ? status : lb_world_add_collider(*out, &plane, &ground, err);
}

// The middle of place i: layers of five times five, 1.1 m apart, shifted a little.
static lbVec3 place_of(int i) {
  int layer = i / (ACROSS * ACROSS), x = i % ACROSS, y = i / ACROSS % ACROSS;
  return lb_vec3(1.1 * x + 0.35 * layer, 1.1 * y + 0.25 * layer, 0.7 + 1.1 * layer);
}

static lbVec3 middle_of(const lbModel *model) {
  lbVec3 low = lb_vec3(INFINITY, INFINITY, INFINITY), high = lb_scale(-1, low);
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    const double *at = model->vertex_positions + 3 * (size_t)v;
    low = lb_vec3(fmin(low.x, at[0]), fmin(low.y, at[1]), fmin(low.z, at[2]));
    high = lb_vec3(fmax(high.x, at[0]), fmax(high.y, at[1]), fmax(high.z, at[2]));
  }
  return lb_scale(0.5, lb_add(low, high));
}

// Two neighbours in each of six rows.
static bool is_rigid(int i) { return i / ACROSS < 6 && (i % ACROSS == 1 || i % ACROSS == 2); }

static lbStatus add_heap(lbWorld *world, lbModel *const soft[SHAPES], lbModel *const rigid[SHAPES],
                         lbBodyId ids[SOFT + RIGID], lbError *err) {
  lbStatus status = LB_OK;
  for (int i = 0; i < SOFT + RIGID && !status; i++) {
    const lbModel *model = is_rigid(i) ? rigid[i % SHAPES] : soft[i / 2 % SHAPES];
    lbBodyDef def = lb_body_def();
    def.rotation = lb_quat_from_axis_angle(lb_vec3(1, 0.3 * (i % 3), 0.2 * (i % 5)), 0.3 * i);
    def.position = lb_sub(place_of(i), lb_quat_rotate(def.rotation, middle_of(model)));
    status = lb_world_add(world, model, &def, &ids[i], err);
  }
  return status;
}

// Hinges and sliders in turns, with motors, between rigid neighbours.
static lbStatus join_some(lbWorld *world, const lbBodyId ids[SOFT + RIGID], int32_t *count,
                          lbError *err) {
  lbStatus status = LB_OK;
  for (int i = 0; i + 1 < SOFT + RIGID && !status; i++) {
    if (!is_rigid(i) || !is_rigid(i + 1)) continue;
    lbJointDef def = lb_joint_def();
    lbJointId id;
    bool hinge = *count % 2 == 0;
    def.kind = hinge ? LB_JOINT_HINGE : LB_JOINT_SLIDER;
    def.bodies[0] = ids[i], def.bodies[1] = ids[i + 1];
    def.places[0] = def.places[1] = lb_scale(0.5, lb_add(place_of(i), place_of(i + 1)));
    def.axis = hinge ? lb_vec3(1, 0, 0) : lb_vec3(0, 0, 1);
    def.motor_speed = hinge ? 1 : 0.2, def.motor_force = hinge ? 200 : 500;
    def.limited = !hinge, def.limits[0] = -0.2, def.limits[1] = 0.2;
    status = lb_world_add_joint(world, &def, &id, err);
    ++*count;
  }
  return status;
}

typedef struct HeapFigures {
  double times[HEAP_STEPS], contacts, fastest; // contacts: of a step, the mean
  int32_t dropping, flagged, joints;           // steps
} HeapFigures;

static double fastest_of(const lbWorld *world) {
  double fastest = 0;
  for (int32_t i = 0; i < lb_world_body_count(world); i++) {
    lbBodyReport r = lb_body_report(lb_world_body(world, lb_world_body_at(world, i)));
    fastest = fmax(fastest, lb_length(r.linear_momentum) / r.mass);
  }
  return fastest;
}

static void run_heap(lbWorld *world, HeapFigures *figures) {
  for (int i = 0; i < HEAP_STEPS; i++) {
    double start = bench_seconds();
    int32_t flags = lb_world_step(world, step_s);
    figures->times[i] = bench_seconds() - start;
    lbContactStats stats = lb_world_contact_stats(world);
    figures->contacts += (double)stats.contacts / HEAP_STEPS;
    figures->dropping += stats.dropped > 0;
    figures->flagged += flags != 0;
    figures->fastest = fmax(figures->fastest, fastest_of(world));
  }
}

static lbStatus add_heap_row(HeapFigures *figures, benchTable *table, lbError *err) {
  benchRow *row =
      bench_add(table, "contact.heap", json_pack("{s:i, s:i}", "soft", SOFT, "rigid", RIGID), "ms");
  if (!row) return lb_fail_memory(err);
  bench_set_times(row, 1e3, figures->times, HEAP_STEPS);
  row->limit = 1e3 * step_s;
  snprintf(row->note, sizeof row->note,
           "r = 30, %d hinges and sliders with motors, 60 Hz; %.0f contacts; of %d steps %d with "
           "flags, %d dropped contacts; the fastest body had %.3g m/s",
           (int)figures->joints, figures->contacts, HEAP_STEPS, (int)figures->flagged,
           (int)figures->dropping, figures->fastest);
  return LB_OK;
}

lbStatus bench_contact_heap(benchTable *table, lbError *err) {
  lbModel *soft[SHAPES] = { NULL }, *rigid[SHAPES] = { NULL };
  lbBodyId ids[SOFT + RIGID];
  lbWorld *world = NULL;
  HeapFigures figures = { .joints = 0 };
  lbStatus status = make_soft(soft, err);
  if (!status) status = make_rigid(rigid, err);
  if (!status) status = make_world(true, &world, err);
  if (!status) status = add_heap(world, soft, rigid, ids, err);
  if (!status) status = join_some(world, ids, &figures.joints, err);
  if (!status) run_heap(world, &figures);
  if (!status) status = add_heap_row(&figures, table, err);
  lb_world_destroy(world);
  for (int i = 0; i < SHAPES; i++) lb_model_destroy(soft[i]), lb_model_destroy(rigid[i]);
  return status;
}

// ---- the crowd ---------------------------------------------------------------------------------

static lbStatus make_box(lbModel **out, lbError *err) {
  lbShapeDef shape = lb_shape_def("bar");
  lbMaterial material = lb_material();
  lbFemDef fem_def = lb_fem_def();
  lbReduceDef reduce = lb_reduce_def();
  lbSubspaceDef subspace = lb_subspace_def();
  lbMesh *mesh = NULL;
  lbFem *fem = NULL;
  for (int k = 0; k < 3; k++) shape.size[k] = 0.2, shape.cells[k] = 6;
  material.young = 3e5, material.poisson = 0.4;
  fem_def.materials = &material, fem_def.material_count = 1;
  reduce.damping_stiffness = 2e-3;
  subspace.basis.mode_count = subspace.basis.dimension = CROWD_DIMENSION;
  lbStatus status = lb_shape_volume(&shape, &mesh, err);
  if (!status) status = lb_fem_create(mesh, &fem_def, &fem, err);
  if (!status) status = lb_reduce_subspace(mesh, fem, &reduce, &subspace, out, err);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
  return status;
}

// Stacks of five on a square, 2 mm between boxes on all sides.
static lbStatus make_crowd(const lbModel *box, int32_t count, lbWorld **out, lbError *err) {
  int32_t side = (int32_t)ceil(sqrt((double)count / TALL));
  lbStatus status = make_world(false, out, err);
  for (int32_t i = 0; i < count && !status; i++) {
    lbBodyDef def = lb_body_def();
    lbBodyId id;
    int32_t stack = i / TALL;
    def.position =
        lb_vec3(0.202 * (stack % side), 0.202 * (stack / side), 0.002 + 0.202 * (i % TALL));
    status = lb_world_add(*out, box, &def, &id, err);
  }
  return status;
}

static lbStatus bench_crowd(const lbModel *box, int32_t count, benchTable *table, lbError *err) {
  lbWorld *world = NULL;
  double times[CROWD_STEPS], contacts = 0;
  int32_t sweeps = 0;
  lbStatus status = make_crowd(box, count, &world, err);
  for (int i = 0; i < CROWD_SETTLE + CROWD_STEPS && !status; i++) {
    double start = bench_seconds();
    lb_world_step(world, step_s);
    if (i < CROWD_SETTLE) continue;
    times[i - CROWD_SETTLE] = bench_seconds() - start;
    lbContactStats stats = lb_world_contact_stats(world);
    contacts += (double)stats.contacts / CROWD_STEPS;
    sweeps = stats.sweeps > sweeps ? stats.sweeps : sweeps;
  }
  benchRow *row = NULL;
  if (!status) {
    row = bench_add(table, "contact.crowd", json_pack("{s:i}", "bodies", (int)count), "us");
    if (!row) status = lb_fail_memory(err);
  }
  if (row) {
    bench_set_times(row, 1e6 / count, times, CROWD_STEPS);
    snprintf(row->note, sizeof row->note,
             "a body, of a step of 1/60 s; r = %d, stacks of %d boxes; %.0f contacts, at most %d "
             "sweeps",
             CROWD_DIMENSION, TALL, contacts, (int)sweeps);
  }
  lb_world_destroy(world);
  return status;
}

lbStatus bench_contact_crowd(benchTable *table, lbError *err) {
  static const int32_t counts[] = { 10, 50, 200, 500 };
  lbModel *box = NULL;
  lbStatus status = make_box(&box, err);
  for (size_t i = 0; i < sizeof counts / sizeof *counts && !status; i++)
    status = bench_crowd(box, counts[i], table, err);
  lb_model_destroy(box);
  return status;
}
