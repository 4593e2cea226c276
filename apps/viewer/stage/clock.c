// Time: whole steps of one length, however long frames take. What does not fit the budget of a
// frame is dropped: a slow machine gets slow motion, never a growing backlog.
#include "stage/pose.h"
#include "stage/stage_parts.h"

#include <string.h>

#define FRAME_MOST 0.25 // s: longer frames (a page asleep) count as this
enum { REPORT_BODIES = 16, REPORT_WORK = 100000 };

double vw_stage_time(const vwStage *stage) { return lb_world_time(stage->cast.world); }

// The step that the rate asks for; the world's own to the last bit where that is meant.
static double step_length(const vwStage *stage) {
  double step = 1 / stage->settings.rate;
  bool own = fabs(step - stage->world_step) <= 1e-9 * step;
  return own ? stage->world_step : step;
}

static void follow_rate(vwStage *stage) {
  double step = step_length(stage);
  if (step != stage->clock.step) stage->clock.wait = 0;
  stage->clock.step = step;
}

int32_t vw_stage_step(vwStage *stage) {
  if (stage->settings.mode > 0 || vw_stage_posing(stage)) return 0;
  follow_rate(stage);
  vw_hands_before_step(stage);
  int32_t flags = vw_cast_step(stage, stage->clock.step);
  vw_hands_after_step(stage);
  stage->clock.flags |= flags;
  return flags;
}

// ---- frames ------------------------------------------------------------------------------------

static void actor_energy(const vwActor *actor, vwTrace *trace) {
  int32_t count = actor->count < REPORT_BODIES ? actor->count : REPORT_BODIES;
  double kinetic = 0, elastic = 0;
  for (int32_t i = 0; i < count; i++) {
    double k, e;
    vw_actor_energy(actor, (int32_t)((int64_t)i * actor->count / count), &k, &e);
    kinetic += k;
    elastic += e;
  }
  trace->kinetic += (float)(kinetic * actor->count / count);
  trace->elastic += (float)(elastic * actor->count / count);
}

// Energies of the first copy of each group. A report costs nodes x dimension: large models are
// asked now and then, many bodies by a sample.
static void find_energies(vwStage *stage, vwTrace *trace) {
  vwClock *clock = &stage->clock;
  int64_t work = 0;
  int32_t last = (clock->traced + VW_TRACE_LENGTH - 1) % VW_TRACE_LENGTH;
  if (--clock->energy_wait > 0 && clock->trace_count > 0) {
    trace->kinetic = clock->traces[last].kinetic;
    trace->elastic = clock->traces[last].elastic;
    return;
  }
  for (int32_t i = 0, group = -1; i < stage->cast.count; i++) {
    const vwActor *actor = stage->cast.roles[i].actor;
    if (stage->cast.roles[i].group == group) continue;
    group = stage->cast.roles[i].group;
    actor_energy(actor, trace);
    work += (int64_t)actor->model->size.node_count * (actor->dimension + 1) *
            (actor->count < REPORT_BODIES ? actor->count : REPORT_BODIES);
  }
  clock->energy_wait = (int32_t)(1 + work / REPORT_WORK);
}

static void record_trace(vwStage *stage, int32_t steps, double seconds) {
  vwClock *clock = &stage->clock;
  vwTrace trace = { 0 };
  if (steps > 0) trace.step_us = (float)(1e6 * seconds / steps);
  find_energies(stage, &trace);
  clock->traces[clock->traced] = trace;
  clock->traced = (clock->traced + 1) % VW_TRACE_LENGTH;
  if (clock->trace_count < VW_TRACE_LENGTH) clock->trace_count++;
}

int32_t vw_stage_advance(vwStage *stage, double seconds) {
  vwClock *clock = &stage->clock;
  if (!(seconds > 0)) return 0;
  seconds = fmin(seconds, FRAME_MOST);
  if (stage->settings.mode > 0) {
    stage->mode_time += seconds * stage->settings.speed;
    vw_mode_show(stage);
    return 0;
  }
  if (vw_stage_posing(stage)) {
    vw_pose_follow(stage);
    return 0;
  }
  if (stage->settings.paused != 0) return 0;
  follow_rate(stage);
  clock->wait += seconds * stage->settings.speed;
  // A wait of whole steps that rounding has left a hair short counts as whole.
  int32_t due = (int32_t)floor(clock->wait / clock->step + 1e-9), taken = 0;
  double begin = lb_seconds(), spent = 0;
  while (taken < due && (taken == 0 || spent < stage->def.step_budget)) {
    vw_stage_step(stage);
    taken++;
    spent = lb_seconds() - begin;
  }
  clock->behind = taken < due;
  clock->wait = fmax(clock->wait - due * clock->step, 0);
  record_trace(stage, taken, spent);
  return taken;
}

int32_t vw_stage_traces(const vwStage *stage, vwTrace traces[VW_TRACE_LENGTH]) {
  const vwClock *clock = &stage->clock;
  int32_t first = clock->traced - clock->trace_count + VW_TRACE_LENGTH;
  for (int32_t i = 0; i < clock->trace_count; i++)
    traces[i] = clock->traces[(first + i) % VW_TRACE_LENGTH];
  return clock->trace_count;
}

static bool is_trained(const vwActor *actor) {
  return actor->bodies && actor->count > 0 && actor->method == LB_METHOD_SUBSPACE &&
         actor->model->size.cubature_count > 0 && actor->model->size.subspace_part_count == 0;
}

bool vw_stage_trust(const vwStage *stage, double *pose_distance, double *unfollowed_force) {
  bool any = false;
  *pose_distance = *unfollowed_force = 0;
  for (int32_t i = 0; i < stage->cast.count; i++) {
    const vwActor *actor = stage->cast.roles[i].actor;
    if (!is_trained(actor)) continue;
    any = true;
    *pose_distance = fmax(*pose_distance, lb_body_pose_distance(actor->bodies[0]));
    *unfollowed_force = fmax(*unfollowed_force, lb_body_unfollowed_force(actor->bodies[0]));
  }
  return any;
}

int32_t vw_stage_flags(const vwStage *stage) { return stage->clock.flags; }
bool vw_stage_behind(const vwStage *stage) { return stage->clock.behind; }
