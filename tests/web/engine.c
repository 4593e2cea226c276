// engine LEVEL METHOD MODEL.glb: what the run-time library does to a model, as a hash; of the
// method "world", what the bodies of a cooked file do; of "workers", the same with tasks in orders
// that two workers may take them in (a page has no threads).
//
// Compiled natively and to WebAssembly by tests/web/test_engine_bits.py. It steps the model under
// forces, impulses, constraints and edits of its material and prints the level's name and a hash of
// every state, of surfaces, normals, forces and energies: equal hashes are equal bits.
#include "limber/contact.h"

#include "body/body.h"   // lb_body_create_at
#include "world/world.h" // lb_world_open_at

#include <stdio.h>
#include <string.h>

enum { STEPS = 240, WORLD_STEPS = 120, MOST = 256 };

typedef struct Engine {
  lbModel *model;
  lbBody *body;
  double *coordinates, *rates, *positions, *normals;
  int32_t hold;  // constraint
  uint64_t hash; // FNV-1a of what was seen so far
} Engine;

static void see(Engine *e, const void *block, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    e->hash = (e->hash ^ ((const unsigned char *)block)[i]) * UINT64_C(0x100000001b3);
}

static lbStatus open_engine(Engine *e, const char *method, const char *level_name, const char *path,
                            lbError *err) {
  lbBodyDef def = lb_body_def();
  def.method = strcmp(method, "modal") == 0 ? LB_METHOD_MODAL : LB_METHOD_SUBSPACE;
  def.gravity = lb_vec3(0.3, -0.2, -9.81);
  lbSimdLevel level = strcmp(level_name, "portable") == 0 ? LB_SIMD_PORTABLE : LB_SIMD_BASE;
  if (!lb_simd_has(level))
    return lb_fail(err, LB_ERR_UNSUPPORTED, "no level \"%s\" here", level_name);
  lbStatus status = lb_model_load(path, &e->model, err);
  if (!status) status = lb_body_create_at(e->model, &def, level, &e->body, err);
  if (status) return status;
  size_t r = (size_t)lb_body_dimension(e->body), vertices = (size_t)e->model->size.vertex_count;
  e->hash = UINT64_C(0xcbf29ce484222325);
  e->coordinates = lb_alloc(r, sizeof(double));
  e->rates = lb_alloc(r, sizeof(double));
  e->positions = lb_alloc(3 * vertices, sizeof(double));
  e->normals = lb_alloc(3 * vertices, sizeof(double));
  if (!e->coordinates || !e->rates || !e->positions || !e->normals) return lb_fail_memory(err);
  printf("%s ", lb_simd_name(level));
  return LB_OK;
}

static void close_engine(Engine *e) {
  lb_free(e->coordinates), lb_free(e->rates), lb_free(e->positions), lb_free(e->normals);
  lb_body_destroy(e->body);
  lb_model_destroy(e->model);
}

static lbStatus hold(Engine *e, double stiffness) {
  lbConstraintDef def = lb_constraint_def();
  int32_t vertex = e->model->size.vertex_count / 2;
  const lbPoint points[] = { lb_point_vertex(vertex), lb_point_triangle(7, 0.2, 0.3, 0.5) };
  static const uint8_t axes[] = { 7, 4 };
  def.points = points, def.point_count = 2, def.axes = axes;
  def.stiffness = stiffness, def.damping = stiffness < 1e30 ? 0.5 : 0;
  return lb_body_add_constraint(e->body, &def, &e->hold);
}

// What a user does in the step: at some of them something changes.
static lbStatus act(Engine *e, int step) {
  lbBody *body = e->body;
  int32_t last = e->model->size.vertex_count - 1;
  double swing = (step % 40) / 40.0 - 0.5, targets[6];
  lbVec3 at;
  lbStatus status = lb_body_apply_force(body, lb_point_vertex(last), lb_vec3(2, 30 * swing, -5));
  if (!status && step == 10)
    status = lb_body_apply_impulse(body, lb_point_vertex(last), lb_vec3(0.2, 1, 3));
  if (!status && step == 30) status = hold(e, 1e30);
  if (!status && step > 30 && step < 60) {
    for (int i = 0; i < 2 && !status; i++) {
      status = lb_body_point(body, lb_point_vertex(i ? 0 : last / 2), &at, NULL);
      targets[3 * i] = at.x, targets[3 * i + 1] = at.y, targets[3 * i + 2] = at.z + 1e-4;
    }
    if (!status) status = lb_body_set_target(body, e->hold, targets);
  }
  if (!status && (step == 60 || step == 120)) status = lb_body_remove_constraint(body, e->hold);
  if (!status && step == 60) status = hold(e, 800);
  if (!status && step == 90)
    status = lb_body_set_placement(body, lb_vec3(0.1, 0.2, 0.3), lb_quat(0.1, -0.7, 0.3, 0.5));
  if (!status && step == 130) status = lb_body_set_damping(body, 0.3, 2e-3);
  if (!status && step == 150 && lb_body_method(body) == LB_METHOD_SUBSPACE)
    status = lb_body_set_material(body, 0, 3e5, 0.31, 1300);
  if (!status && step == 180)
    status = lb_body_set_velocity(body, lb_vec3(0.1, 0, 0.2), lb_vec3(1, -2, 0.5));
  return status;
}

static void look(Engine *e, int step) {
  size_t r = (size_t)lb_body_dimension(e->body), vertices = (size_t)e->model->size.vertex_count;
  lb_body_get_state(e->body, e->coordinates, e->rates);
  see(e, e->coordinates, r * sizeof(double));
  see(e, e->rates, r * sizeof(double));
  if (step % 30 != 29) return;
  lbBodyReport report = lb_body_report(e->body);
  lb_body_surface(e->body, e->positions);
  lb_body_surface_normals(e->body, e->positions, e->normals);
  see(e, &report, sizeof report);
  see(e, e->positions, 3 * vertices * sizeof(double));
  see(e, e->normals, 3 * vertices * sizeof(double));
  lb_body_surface_velocities(e->body, e->positions);
  see(e, e->positions, 3 * vertices * sizeof(double));
}

static lbStatus run(Engine *e, lbError *err) {
  for (int step = 0; step < STEPS; step++) {
    lbStatus status = act(e, step);
    if (status) return lb_fail(err, status, "step %d: %s", step, lb_body_message(e->body));
    int32_t flags = lb_body_step(e->body, step < 200 ? 1.0 / 240 : 1.0 / 100);
    see(e, &flags, sizeof flags);
    if (flags & (LB_STEP_NONFINITE | LB_STEP_REFUSED))
      return lb_fail(err, LB_ERR_NUMERIC, "step %d: flags %d", step, (int)flags);
    look(e, step);
    if (step == 59 || step == 119) {
      double forces[6];
      status = lb_body_constraint_force(e->body, e->hold, forces);
      if (status) return lb_fail(err, status, "step %d: %s", step, lb_body_message(e->body));
      see(e, forces, sizeof forces);
    }
  }
  return LB_OK;
}

// ---- worlds ------------------------------------------------------------------------------------

static void look_at_world(Engine *e, const lbWorld *world) {
  double q[MOST], v[MOST];
  for (int32_t i = 0; i < lb_world_body_count(world); i++) {
    const lbBody *body = lb_world_body(world, lb_world_body_at(world, i));
    lbFrame frame = lb_body_frame(body);
    size_t r = (size_t)lb_body_dimension(body);
    see(e, &frame, sizeof frame);
    if (r == 0 || r > MOST) continue;
    lb_body_get_state(body, q, v);
    see(e, q, r * sizeof *q);
    see(e, v, r * sizeof *v);
  }
  const lbContact *contacts = lb_world_contacts(world);
  for (int32_t i = 0; i < lb_world_contact_count(world); i++) {
    see(e, &contacts[i].point, sizeof contacts[i].point);
    see(e, &contacts[i].force, sizeof contacts[i].force);
  }
}

// The even ones forwards, then the odd ones backwards, or these first, in turns.
static void run_shuffled(int32_t count, lbTask *task, void *context, void *turns) {
  bool odd_first = ++*(int32_t *)turns % 2;
  for (int half = 0; half < 2; half++)
    for (int32_t i = 0; i < count; i++) {
      bool odd = (half == 0) == odd_first;
      int32_t index = odd ? count - 1 - i : i;
      if (index % 2 == (odd ? 1 : 0)) task(index, context);
    }
}

static lbStatus run_world(Engine *e, const char *level_name, const char *path, lbError *err) {
  lbSimdLevel level = strcmp(level_name, "portable") == 0 ? LB_SIMD_PORTABLE : LB_SIMD_BASE;
  lbBundle *bundle = NULL;
  lbWorld *world = NULL;
  if (!lb_simd_has(level))
    return lb_fail(err, LB_ERR_UNSUPPORTED, "no level \"%s\" here", level_name);
  lbStatus status = lb_bundle_load(path, &bundle, err);
  if (!status) status = lb_world_open_at(bundle, NULL, level, &world, err);
  e->hash = UINT64_C(0xcbf29ce484222325);
  for (int step = 0; step < WORLD_STEPS && !status; step++) {
    int32_t flags = lb_world_step(world, bundle->world->time_step[0]);
    see(e, &flags, sizeof flags);
    if (flags & (LB_STEP_NONFINITE | LB_STEP_REFUSED))
      status = lb_fail(err, LB_ERR_NUMERIC, "step %d: flags %d", step, (int)flags);
    look_at_world(e, world);
  }
  if (!status && lb_world_contact_count(world) == 0)
    status = lb_fail(err, LB_ERR_NUMERIC, "nothing touches at the end");
  if (!status) printf("%s ", lb_simd_name(level));
  lb_world_destroy(world);
  lb_bundle_destroy(bundle);
  return status;
}

int main(int count, char **words) {
  if (count != 4) {
    fprintf(stderr, "usage: engine portable|base modal|subspace|world|workers MODEL.glb\n");
    return 2;
  }
  Engine e = { 0 };
  lbError err;
  bool workers = strcmp(words[2], "workers") == 0;
  bool of_world = workers || strcmp(words[2], "world") == 0;
  int32_t turns = 0;
  if (workers) lb_set_task_runner(run_shuffled, &turns);
  lbStatus status = of_world ? run_world(&e, words[1], words[3], &err)
                             : open_engine(&e, words[2], words[1], words[3], &err);
  if (!status && !of_world) status = run(&e, &err);
  if (!status && workers && turns == 0)
    status = lb_fail(&err, LB_ERR_NUMERIC, "no loop was cut into tasks");
  if (status)
    fprintf(stderr, "engine: %s\n", err.text);
  else
    printf("%016llx\n", (unsigned long long)e.hash);
  close_engine(&e);
  return status ? 1 : 0;
}
