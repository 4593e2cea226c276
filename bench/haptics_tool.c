// limber bench haptics, in a world: a rigid tool of any shape presses at a kilohertz, in real time,
// on a soft box that lies on the ground, and rubs over it. The device is led inside the loop, as in
// haptics.c.
#include "bench/bench.h"

#include "bench/subject.h"
#include "limber/haptics.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { DIMENSION = 30, CONTACTS = 64 };

static const double period_s = 1e-3, size_m = 0.2;

typedef struct Case {
  lbColliderShape shape;
  const char *name;
  bool coupled; // by a spring, or led
  lbMethod method;
} Case;

static const Case cases[] = {
  { LB_COLLIDER_SPHERE, "sphere", false, LB_METHOD_MODAL },
  { LB_COLLIDER_BOX, "box", false, LB_METHOD_MODAL },
  { LB_COLLIDER_CAPSULE, "capsule", true, LB_METHOD_MODAL },
  { LB_COLLIDER_SPHERE, "sphere", false, LB_METHOD_SUBSPACE },
  { LB_COLLIDER_CAPSULE, "capsule", true, LB_METHOD_SUBSPACE },
};

// A free box of 3 072 tets with linear modes and as many vectors of the subspace method.
static lbStatus make_model(lbModel **out, lbError *err) {
  lbShapeDef shape = lb_shape_def("bar");
  lbMaterial material = lb_material();
  lbReduceDef reduce = lb_reduce_def();
  lbSubspaceDef subspace = lb_subspace_def();
  benchSubject subject = { 0 };
  for (int k = 0; k < 3; k++) shape.size[k] = size_m, shape.cells[k] = 8;
  material.young = 1e5, material.poisson = 0.4;
  reduce.damping_stiffness = 2e-3;
  subspace.basis.mode_count = subspace.basis.dimension = DIMENSION;
  lbStatus status = bench_subject_make(&shape, material, LB_MASS_LUMPED, -1, &subject, err);
  if (!status) status = lb_reduce_subspace(subject.mesh, subject.fem, &reduce, &subspace, out, err);
  bench_subject_release(&subject);
  return status;
}

typedef struct ToolBench {
  const Case *c;
  lbWorld *world;
  lbTool *tool;
  double least, most;       // N, once it presses
  int32_t contacts, sweeps; // the most of a tick
  int32_t parted;           // ticks that were taken again in parts
} ToolBench;

// Down onto it in half a second, then to and fro, pressing harder and softer.
static lbVec3 device_at(const Case *c, double t) {
  double half = c->shape == LB_COLLIDER_CAPSULE ? 0.04 : 0.02;
  double press = (0.005 + 0.003 * sin(9 * t)) * fmin(1, t / 0.5);
  double above = t < 0.5 ? 0.1 * size_m * (1 - 2 * t) : 0;
  double aside = t < 0.5 ? 0 : 0.25 * size_m * sin(4 * (t - 0.5));
  return lb_vec3(0.5 * size_m + aside, 0.5 * size_m, size_m + half + above - press);
}

// And what the tick before came to.
static void lead(lbWorld *world, double time, void *context) {
  ToolBench *b = context;
  lbContactStats stats = lb_world_contact_stats(world);
  lbToolState state = lb_tool_state(b->tool);
  b->contacts = stats.contacts > b->contacts ? stats.contacts : b->contacts;
  b->sweeps = stats.sweeps > b->sweeps ? stats.sweeps : b->sweeps;
  b->parted += (state.flags & LB_STEP_ADAPTED) != 0;
  if (time > 0.5) b->least = fmin(b->least, state.force.z), b->most = fmax(b->most, state.force.z);
  lb_tool_set_device(b->tool, device_at(b->c, time), lb_quat_identity());
}

static lbStatus make_tool(const lbModel *model, ToolBench *b, lbError *err) {
  lbWorldSettings settings = lb_world_settings();
  lbColliderDef ground = lb_collider_def();
  lbColliderId ground_id;
  lbBodyDef body = lb_body_def();
  lbBodyId id;
  lbToolDef def = lb_tool_def();
  settings.gravity = lb_vec3(0, 0, -9.81);
  settings.contact = true;
  settings.contacts_most = CONTACTS;
  body.method = b->c->method;
  def.shape.shape = b->c->shape;
  for (int k = 0; k < 3; k++) def.shape.size[k] = 0.04;
  def.shape.position = device_at(b->c, 0);
  def.force_limit = 1e3, def.torque_limit = 1e2;
  def.period = period_s, def.urgent = true;
  def.before_step = lead, def.context = b;
  if (b->c->coupled) def.stiffness = 2000, def.damping = 10;
  lbStatus status = lb_world_create(&settings, &b->world, err);
  if (!status) status = lb_world_add_collider(b->world, &ground, &ground_id, err);
  if (!status) status = lb_world_add(b->world, model, &body, &id, err);
  return status ? status : lb_tool_create(b->world, &def, &b->tool, err);
}

static lbStatus run_loop(ToolBench *b, double seconds, lbError *err) {
  lbStatus status = lb_tool_start(b->tool, err);
  double until = lb_seconds() + seconds;
  while (!status && lb_seconds() < until) {
    struct timespec span = { 0, 50000000 };
    if (!lb_progress("tool", 1 - (until - lb_seconds()) / seconds))
      status = lb_fail_interrupted(err, "tool");
    nanosleep(&span, NULL);
  }
  lb_tool_stop(b->tool);
  return status;
}

static lbStatus describe(const ToolBench *b, benchTable *table, lbError *err) {
  const Case *c = b->c;
  lbHapticsReport report;
  lb_tool_report(b->tool, &report);
  json_t *parameters =
      json_pack("{s:s, s:b, s:s, s:i, s:i}", "shape", c->name, "coupled", c->coupled, "method",
                lb_method_name(c->method), "r", DIMENSION, "contacts_most", CONTACTS);
  benchRow *row = bench_add(table, "haptics.tool", parameters, "us");
  if (!row) return lb_fail_memory(err);
  int32_t first = 0;
  while (first < LB_HAPTICS_BINS - 1 && report.bins[first] == 0) first++;
  row->median = 1e6 * report.step_median, row->min = 1e6 * lb_haptics_bin_end(first);
  row->p99 = 1e6 * report.step_p99, row->max = 1e6 * report.step_worst;
  row->repeats = (int32_t)report.ticks;
  row->limit = 1e6 * period_s;
  snprintf(row->note, sizeof row->note,
           "p99 %.3g, max %.3g us; %lld ticks too long, %lld late, %d in parts, %s real-time "
           "priority; at most %d contacts, %d sweeps; %.3g to %.3g N",
           1e6 * report.step_p99, 1e6 * report.step_worst, (long long)report.overran,
           (long long)report.missed, (int)b->parted, report.urgent ? "with" : "without",
           (int)b->contacts, (int)b->sweeps, b->least, b->most);
  return LB_OK;
}

lbStatus bench_haptics_tool(double seconds, benchTable *table, lbError *err) {
  enum { COUNT = sizeof cases / sizeof *cases };
  lbModel *model = NULL;
  lbStatus status = make_model(&model, err);
  for (size_t i = 0; i < COUNT && !status; i++) {
    ToolBench b = { .c = &cases[i], .least = INFINITY };
    status = make_tool(model, &b, err);
    if (!status) status = run_loop(&b, fmax(0.6, seconds / COUNT), err);
    if (!status) status = describe(&b, table, err);
    lb_tool_destroy(b.tool);
    lb_world_destroy(b.world);
  }
  lb_model_destroy(model);
  return status;
}
