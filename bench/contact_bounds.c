// limber bench contact: what steps may cost at most where contacts or laws are hard.
//
//   contact.heavy      a rigid box on a soft one of a thousandth of its mass
//   contact.unreduced  a body of 3 072 tets on the ground, and the same in the air
//   contact.cubature   free cubature bodies that fall, by the law of their material
#include "bench/bench.h"

#include "limber/contact.h"
#include "limber/scene.h"
#include "scene/read.h"
#include "world/step_counts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SETTLE = 120, STEPS = 240, FULL_STEPS = 40 };

static const double step_s = 1.0 / 60; // the step of interactive use

// The model of a body that is told by the keys of a scene; `full`: unreduced.
static lbStatus model_of_keys(const char *keys, bool full, lbModel **out, lbError *err) {
  char text[900];
  lbScene *scene = NULL;
  snprintf(text, sizeof text, "{\"limber\":1,\"bodies\":[{\"name\":\"body\",%s}]}", keys);
  lbStatus status = lb_scene_read("bench.json", text, strlen(text), &scene, err);
  if (!status && full) status = lb_scene_full_model(&scene->bodies[0], out, err);
  if (!status && !full) status = lb_scene_model(&scene->bodies[0], out, err);
  lb_scene_destroy(scene);
  return status;
}

static lbStatus make_world_with_ground(lbWorld **out, lbError *err) {
  lbWorldSettings settings = lb_world_settings();
  lbColliderDef plane = lb_collider_def();
  lbColliderId id;
  settings.gravity = lb_vec3(0, 0, -9.81);
  settings.contact = true;
  settings.sleep = false;
  lbStatus status = lb_world_create(&settings, out, err);
  if (!status) status = lb_world_add_collider(*out, &plane, &id, err);
  return status;
}

static lbStatus add_at_height(lbWorld *world, const lbModel *model, bool full, lbVec3 position,
                              lbError *err) {
  lbBodyDef def = lb_body_def();
  lbBodyId id;
  def.position = position;
  if (full) def.method = LB_METHOD_FULL;
  return lb_world_add(world, model, &def, &id, err);
}

typedef struct StepFigures {
  double times[STEPS]; // s
  int32_t count;
  int64_t sweeps, substeps; // in the worst step
  int32_t contacts, unconverged;
} StepFigures;

static void time_steps(lbWorld *world, int32_t settle, int32_t count, StepFigures *figures) {
  *figures = (StepFigures){ .count = count };
  for (int32_t i = 0; i < settle + count; i++) {
    double start = bench_seconds();
    int32_t flags = lb_world_step(world, step_s);
    if (i < settle) continue;
    figures->times[i - settle] = bench_seconds() - start;
    lbStepCounts counts = lb_world_step_counts(world);
    if (counts.sweeps > figures->sweeps) figures->sweeps = counts.sweeps;
    if (counts.substeps > figures->substeps) figures->substeps = counts.substeps;
    figures->contacts = lb_world_contact_stats(world).contacts;
    figures->unconverged += (flags & LB_STEP_NOT_CONVERGED) != 0;
  }
}

static benchRow *add_step_row(benchTable *table, const char *name, json_t *parameters, double scale,
                              const char *unit, StepFigures *figures) {
  benchRow *row = bench_add(table, name, parameters, unit);
  if (row) bench_set_times(row, scale, figures->times, figures->count);
  return row;
}

// ---- 1 : 1000 ----------------------------------------------------------------------------------

static lbStatus time_heavy(const lbModel *light, const lbModel *heavy, StepFigures *figures,
                           lbError *err) {
  lbWorld *world = NULL;
  lbStatus status = make_world_with_ground(&world, err);
  if (!status) status = add_at_height(world, light, false, lb_vec3(0, 0, 0), err);
  if (!status) status = add_at_height(world, heavy, false, lb_vec3(0.1, 0.1, 0.3), err);
  if (!status) time_steps(world, SETTLE, STEPS, figures);
  lb_world_destroy(world);
  return status;
}

static lbStatus bench_heavy(benchTable *table, lbError *err) {
  lbModel *light = NULL, *heavy = NULL;
  StepFigures figures;
  lbColliderDef box = lb_collider_def();
  box.shape = LB_COLLIDER_BOX;
  for (int k = 0; k < 3; k++) box.size[k] = 0.2;
  lbStatus status = model_of_keys(
      "\"mesh\":{\"generate\":\"bar\",\"size\":[0.2,0.2,0.2],\"cells\":[3,3,3],"
      "\"element\":\"brick8\"},\"material\":{\"model\":\"stvk\",\"young\":1e8,\"poisson\":0.3,"
      "\"density\":1000},\"method\":\"modal\",\"reduce\":{\"modes\":12},"
      "\"damping\":{\"stiffness\":0.002}",
      false, &light, err);
  if (!status) status = lb_rigid_model(&box, 1e6, &heavy, err);
  if (!status) status = time_heavy(light, heavy, &figures, err);
  benchRow *row = NULL;
  if (!status) {
    row = add_step_row(table, "contact.heavy", json_pack("{s:i}", "ratio", 1000), 1e3, "ms",
                       &figures);
    if (!row) status = lb_fail_memory(err);
  }
  if (row)
    snprintf(row->note, sizeof row->note,
             "8 t rest on a modal block of 8 kg, 1e8 Pa; 60 Hz; at most %d sweeps and %d substeps "
             "a step, %d contacts",
             (int)figures.sweeps, (int)figures.substeps, (int)figures.contacts);
  lb_model_destroy(light), lb_model_destroy(heavy);
  return status;
}

// ---- unreduced bodies --------------------------------------------------------------------------

static lbStatus add_unreduced_rows(const char *method, StepFigures both[2], benchTable *table,
                                   lbError *err) {
  static const char *const places[] = { "air", "ground" };
  double air = 0;
  for (int k = 0; k < 2; k++) {
    benchRow *row = add_step_row(
        table, "contact.unreduced",
        json_pack("{s:s, s:i, s:s}", "method", method, "tets", 3072, "place", places[k]), 1e3, "ms",
        &both[k]);
    if (!row) return lb_fail_memory(err);
    if (k == 0) air = row->median;
    snprintf(row->note, sizeof row->note, "%.2f times the median in the air; 60 Hz, %d contacts",
             row->median / air, (int)both[k].contacts);
  }
  return LB_OK;
}

static lbStatus bench_unreduced(const char *method, benchTable *table, lbError *err) {
  char keys[500];
  lbModel *model = NULL;
  StepFigures both[2];
  bool full = strcmp(method, "full") == 0;
  snprintf(keys, sizeof keys,
           "\"mesh\":{\"generate\":\"bar\",\"size\":[0.2,0.2,0.2],\"cells\":[8,8,8],"
           "\"element\":\"tet4\"},\"material\":{\"model\":\"corotated\",\"young\":3e5,"
           "\"poisson\":0.3,\"density\":1000},\"method\":\"%s\","
           "\"damping\":{\"mass\":0.5,\"stiffness\":0.01}",
           method);
  lbStatus status = model_of_keys(keys, full, &model, err);
  for (int k = 0; k < 2 && !status; k++) {
    lbWorld *world = NULL;
    status = make_world_with_ground(&world, err);
    // In the air it falls for less than 20 m.
    if (!status) status = add_at_height(world, model, full, lb_vec3(0, 0, k ? 0.001 : 100), err);
    if (!status) time_steps(world, k ? FULL_STEPS : 0, FULL_STEPS, &both[k]);
    lb_world_destroy(world);
  }
  if (!status) status = add_unreduced_rows(method, both, table, err);
  lb_model_destroy(model);
  return status;
}

// ---- free cubature bodies ----------------------------------------------------------------------

static lbStatus bench_falling_cubature(const char *law, double *first, benchTable *table,
                                       lbError *err) {
  char keys[600];
  lbModel *model = NULL;
  lbWorld *world = NULL;
  StepFigures figures;
  snprintf(keys, sizeof keys,
           "\"mesh\":{\"generate\":\"torus\",\"size\":[0.3,0.3,0.06],\"cells\":[16,3,3],"
           "\"segments\":16},\"material\":{\"model\":\"%s\",\"young\":1e5,\"poisson\":0.4,"
           "\"density\":1000},\"method\":\"subspace\",\"reduce\":{\"modes\":10,\"dimension\":30,"
           "\"forces\":\"cubature\",\"elements\":30,\"poses\":60},"
           "\"damping\":{\"stiffness\":0.002}",
           law);
  lbStatus status = model_of_keys(keys, false, &model, err);
  if (!status) status = make_world_with_ground(&world, err);
  if (!status) status = add_at_height(world, model, false, lb_vec3(0, 0, 1000), err);
  if (!status) time_steps(world, 0, STEPS, &figures);
  benchRow *row = NULL;
  if (!status) {
    row = add_step_row(table, "contact.cubature", json_pack("{s:s, s:i}", "law", law, "r", 30), 1e6,
                       "us", &figures);
    if (!row) status = lb_fail_memory(err);
  }
  if (row) {
    if (*first == 0) *first = row->median;
    snprintf(row->note, sizeof row->note,
             "falls freely, 60 Hz; %.2f times the median of stvk; %d of %d steps not converged",
             row->median / *first, (int)figures.unconverged, (int)figures.count);
  }
  lb_world_destroy(world);
  lb_model_destroy(model);
  return status;
}

lbStatus bench_contact_bounds(benchTable *table, lbError *err) {
  static const char *const laws[] = { "stvk", "neohookean", "stable_neohookean", "corotated" };
  lbStatus status = LB_OK;
  double first = 0;
  if (bench_wants(table, "contact.heavy")) status = bench_heavy(table, err);
  if (!status && bench_wants(table, "contact.unreduced")) {
    status = bench_unreduced("warp", table, err);
    if (!status) status = bench_unreduced("full", table, err);
  }
  for (int i = 0; i < 4 && !status && bench_wants(table, "contact.cubature"); i++)
    status = bench_falling_cubature(laws[i], &first, table, err);
  return status;
}
