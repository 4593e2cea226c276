// Comparing a model with the full simulator: which motions and loads, and how much may be spent on
// them.
#include "study/accuracy.h"

#include "fem/fem.h"
#include "limber/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PERIOD_STEPS 40   // steps of a period
#define SUBSTEPS_MOST 16  // of each, where the full simulator needs them
#define QUICK_LEAST 4.0e9 // operations that a quick comparison may take at least,
#define QUICK_SHARE 0.33  // and of those of the build
#define QUICK_STEPS 10    // fewer say little: an equilibrium is compared instead
#define QUICK_PERIODS 0.75
#define STEP_FACTORS 2.5  // factorisations a step takes
#define SECOND_MARGIN 4.0 // motions that must be affordable before a second one is played
#define ITERATIONS_MOST 12

static const char *const kind_names[LB_ACCURACY_KIND_COUNT] = { "quick", "full", "none" };

const char *lb_accuracy_kind_name(lbAccuracyKind kind) {
  return (unsigned)kind < LB_ACCURACY_KIND_COUNT ? kind_names[kind] : "unknown";
}

bool lb_accuracy_kind_parse(const char *name, lbAccuracyKind *kind) {
  for (int i = 0; i < LB_ACCURACY_KIND_COUNT; i++)
    if (strcmp(name, kind_names[i]) == 0) {
      *kind = (lbAccuracyKind)i;
      return true;
    }
  return false;
}

lbAccuracyDef lb_accuracy_def(void) {
  return (lbAccuracyDef){ .method = LB_METHOD_DEFAULT, .amplitude = 0.1 };
}

static void release_motion(lbAccuracyMotion *m) {
  double *blocks[] = { m->times, m->full, m->reduced, m->mass_errors, m->vertex_errors };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
}

void lb_accuracy_destroy(lbAccuracy *accuracy) {
  if (!accuracy) return;
  for (int32_t i = 0; i < accuracy->motion_count; i++) release_motion(&accuracy->motions[i]);
  lb_free(accuracy);
}

// ---- effort ------------------------------------------------------------------------------------

// What is compared. Effort is worked out from operations, not from the clock: the same model is
// built on every machine.
typedef struct Programme {
  lbEffort effort;
  int32_t wanted;     // steps without a limit
  int32_t iterations; // of the equilibrium that stands for a motion; 0: a motion is played
  bool second;        // there is time for a second one
} Programme;

static Programme plan_full(const lbAccuracyDef *def) {
  int32_t steps = def->step_count > 0 ? def->step_count : 80;
  return (Programme){ .effort = { steps, SUBSTEPS_MOST, 0, 1e-8 }, .wanted = steps };
}

// About what one Newton iteration of the full body takes, in operations of a factorisation: those
// of elements are slower.
static double iteration_cost(const lbComparison *c) {
  double cost = c->factor_flops;
  for (int32_t k = 0; k < c->fem->set_count; k++) {
    const lbElementSet *set = &c->fem->sets[k];
    cost += (set->kind == LB_ELEMENT_BRICK8 ? 8e4 : 5e3) * set->element_count;
  }
  return cost;
}

// And a build: a factorisation, solves for modes and their derivatives, coefficients.
static double build_cost(const lbComparison *c) {
  double modes = c->model->size.mode_count, solves = 3 * modes + modes * modes / 2;
  double nonzeros = (double)lb_cholesky_info(c->factor).factor_nonzero_count;
  double cost = c->factor_flops + 12 * nonzeros * solves, r = c->dimension;
  for (int32_t k = 0; k < c->fem->set_count && c->method == LB_METHOD_SUBSPACE; k++) {
    const lbElementSet *set = &c->fem->sets[k];
    cost += (set->kind == LB_ELEMENT_BRICK8 ? 100 : 10) * r * r * r * set->element_count;
  }
  return cost;
}

static Programme plan_quick(const lbComparison *c, const lbAccuracyDef *def) {
  int32_t wanted = def->step_count > 0 ? def->step_count : 40;
  double iterations = fmax(QUICK_SHARE * build_cost(c), QUICK_LEAST) / iteration_cost(c);
  double steps = fmin(iterations / STEP_FACTORS, wanted);
  Programme p = { .effort = { (int32_t)steps, 1, 0, 1e-3 }, .wanted = wanted };
  p.effort.factors = (int32_t)(2 * STEP_FACTORS * steps);
  p.second = iterations / STEP_FACTORS >= SECOND_MARGIN * wanted;
  if (steps < QUICK_STEPS && steps < wanted)
    p.iterations = (int32_t)fmin(fmax(iterations, 1), ITERATIONS_MOST);
  return p;
}

static void choose_step(lbComparison *c, const Programme *p) {
  c->step = c->period / PERIOD_STEPS;
  if (p->effort.steps < p->wanted && !p->iterations)
    c->step = fmax(c->step, c->period * QUICK_PERIODS / p->effort.steps);
}

// ---- the comparison ----------------------------------------------------------------------------

static lbStatus play_programme(const lbComparison *c, const Programme *p, lbMotionKind kind,
                               lbAccuracy *accuracy, lbError *err) {
  lbAccuracyMotion *m = &accuracy->motions[accuracy->motion_count++];
  lbMotionPlan plan = { 0 };
  lbStatus status = lb_begin_motion(lb_motion_name(kind), c->probe, p->effort.steps, m, err);
  if (!status) status = lb_plan_motion(c, kind, &plan, m->problem, err);
  plan.duration = p->effort.steps * c->step;
  if (!status && !m->problem[0]) status = lb_play_motion(c, &plan, &p->effort, m, err);
  lb_plan_destroy(&plan);
  return status;
}

static lbStatus compare_fully(const lbComparison *c, const Programme *p, lbAccuracy *accuracy,
                              lbError *err) {
  lbStatus status = LB_OK;
  for (int kind = 0; kind < LB_MOTION_KIND_COUNT && !status; kind++)
    if (lb_motion_suits((lbMotionKind)kind, c->free))
      status = play_programme(c, p, (lbMotionKind)kind, accuracy, err);
  if (status || !c->free) return status;
  return lb_play_bounce(c, &p->effort, &accuracy->motions[accuracy->motion_count++], err);
}

static lbStatus compare_quickly(lbComparison *c, const Programme *p, lbAccuracy *accuracy,
                                lbError *err) {
  lbStatus status = p->iterations ? LB_OK : play_programme(c, p, LB_MOTION_SUDDEN, accuracy, err);
  for (int shape = LB_LOAD_TWIST; shape < LB_LOAD_SHAPE_COUNT && !status; shape++) {
    lbAccuracyMotion *m = &accuracy->motions[accuracy->motion_count++];
    status = lb_begin_motion(lb_load_shape_name((lbLoadShape)shape), c->probe, 0, m, err);
    if (!status) status = lb_compare_small(c, (lbLoadShape)shape, m, err);
  }
  if (!status && p->second && !c->free)
    status = play_programme(c, p, LB_MOTION_SHAKEN, accuracy, err);
  if (status || !p->iterations || c->free) return status;
  lbAccuracyMotion *m = &accuracy->motions[accuracy->motion_count++];
  status = lb_begin_motion("equilibrium", c->probe, 0, m, err);
  return status ? status : lb_compare_equilibrium(c, p->iterations, m, err);
}

// ---- what was covered --------------------------------------------------------------------------

static void tell_motions(const lbComparison *c, const Programme *p, const char *what, char *text,
                         size_t room) {
  snprintf(text, room, "%s of up to %d steps of %.4g s (%.2g periods) at about %.3g %% of the size",
           what, (int)p->effort.steps, c->step, p->effort.steps * c->step / c->period,
           100 * c->wanted / c->size);
}

static void tell_problems(lbAccuracy *accuracy) {
  for (int32_t i = 0; i < accuracy->motion_count; i++) {
    size_t used = strlen(accuracy->coverage);
    const lbAccuracyMotion *m = &accuracy->motions[i];
    if (m->problem[0])
      snprintf(accuracy->coverage + used, sizeof accuracy->coverage - used, "; %s: %s", m->name,
               m->problem);
  }
}

static void tell_bounces(lbAccuracy *accuracy) {
  for (int32_t i = 0; i < accuracy->motion_count; i++) {
    size_t used = strlen(accuracy->coverage);
    const lbAccuracyBounce *b = &accuracy->motions[i].bounce;
    if (b->height > 0)
      snprintf(accuracy->coverage + used, sizeof accuracy->coverage - used,
               "; a bounce from %.3g m: peak force %.4g N (full %.4g), rebound to %.3g m (full "
               "%.3g)",
               b->height, b->peak_force[1], b->peak_force[0], b->rebound_height[1],
               b->rebound_height[0]);
  }
}

static void tell_coverage(const lbComparison *c, const Programme *p, lbAccuracy *accuracy) {
  char played[160];
  size_t room = sizeof accuracy->coverage;
  const char *method = lb_method_name(c->method);
  if (accuracy->kind == LB_ACCURACY_FULL) {
    tell_motions(c, p, "motions", played, sizeof played);
    snprintf(accuracy->coverage, room,
             "full check of the method %s: %d %s (twist, axial load and pinch at less)%s; larger "
             "motions%s and holds at points not compared",
             method, (int)accuracy->motion_count - c->free, played, c->free ? " and a bounce" : "",
             c->free ? "" : ", touching");
    tell_bounces(accuracy);
    return;
  }
  if (p->iterations && c->free)
    snprintf(played, sizeof played, "the body is large, so no motion was played");
  else if (p->iterations)
    snprintf(played, sizeof played,
             "the body is large, so the equilibrium under a load at about %.3g %% of the size "
             "stands for a motion",
             100 * c->wanted / c->size);
  else
    tell_motions(c, p, p->second && !c->free ? "two motions" : "a motion", played, sizeof played);
  snprintf(accuracy->coverage, room,
           "quick check of the method %s: %s; small twist, axial load and pinch by the linear "
           "body; other motions not compared",
           method, played);
}

static lbStatus check_accuracy_def(const lbFem *fem, const lbModel *model, lbAccuracyDef *def,
                                   lbError *err) {
  if (def->method == LB_METHOD_DEFAULT) def->method = lb_model_default_method(model);
  lbModelMethod view = { 0 };
  if (lb_model_method(model, def->method, &view) && !view.basis)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "comparison: bodies of the method \"%s\" are not reduced; a scene can have "
                   "them beside full ones",
                   lb_method_name(def->method));
  if (def->method == LB_METHOD_RECORDED || !lb_model_has(model, def->method))
    return lb_fail(err, LB_ERR_ARGUMENT, "comparison: the model does not have the method \"%s\"",
                   lb_method_name(def->method));
  if (fem->vertex_count != model->size.node_count)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "comparison: a body of %d vertices and a model of %d nodes",
                   (int)fem->vertex_count, (int)model->size.node_count);
  if (!(def->amplitude > 0 && def->amplitude <= 1) || def->step_count < 0)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "comparison: amplitude is %g and step_count %d, choose an amplitude up to 1 and "
                   "0 steps or more",
                   def->amplitude, (int)def->step_count);
  return LB_OK;
}

static lbStatus compare_all(const lbFem *fem, const lbModel *model, const lbAccuracyDef *def,
                            lbKnownFactor *known, lbAccuracy *accuracy, lbError *err) {
  lbComparison c = { 0 };
  lbError why = { 0 };
  lbStatus status = lb_comparison_open(fem, model, def, known, &c, &why);
  if (status == LB_ERR_NUMERIC) {
    snprintf(accuracy->coverage, sizeof accuracy->coverage, "nothing was compared: %.300s",
             why.text);
    status = LB_OK;
  } else if (status) {
    if (err) *err = why;
  } else {
    bool quick = def->kind == LB_ACCURACY_QUICK;
    Programme p = quick ? plan_quick(&c, def) : plan_full(def);
    choose_step(&c, &p);
    accuracy->size = c.size;
    accuracy->step = c.step;
    accuracy->frequency = 1 / c.period;
    status = quick ? compare_quickly(&c, &p, accuracy, err) : compare_fully(&c, &p, accuracy, err);
    tell_coverage(&c, &p, accuracy);
    tell_problems(accuracy);
  }
  lb_comparison_close(&c);
  return status;
}

lbStatus lb_accuracy_measure_by(const lbFem *fem, const lbModel *model, const lbAccuracyDef *given,
                                lbKnownFactor *known, lbAccuracy **out, lbError *err) {
  double start = lb_seconds();
  lbAccuracyDef def = *given;
  lbStatus status = check_accuracy_def(fem, model, &def, err);
  if (status) return status;
  lbAccuracy *accuracy = lb_alloc(1, sizeof *accuracy);
  if (!accuracy) return lb_fail_memory(err);
  accuracy->kind = def.kind;
  accuracy->method = def.method;
  lbStatus held = lb_model_is_free(model) ? LB_OK : lb_fem_check_held(fem, NULL);
  if (def.kind == LB_ACCURACY_NONE)
    snprintf(accuracy->coverage, sizeof accuracy->coverage, "nothing was compared");
  else if (held == LB_ERR_MEMORY)
    status = lb_fail_memory(err);
  else if (held != LB_OK)
    snprintf(accuracy->coverage, sizeof accuracy->coverage,
             "nothing was compared: the supports leave rigid motions free");
  else
    status = compare_all(fem, model, &def, known, accuracy, err);
  accuracy->seconds = lb_seconds() - start;
  if (status)
    lb_accuracy_destroy(accuracy);
  else
    *out = accuracy;
  return status;
}

lbStatus lb_accuracy_measure(const lbFem *fem, const lbModel *model, const lbAccuracyDef *def,
                             lbAccuracy **out, lbError *err) {
  lbKnownFactor none = { 0 };
  return lb_accuracy_measure_by(fem, model, def, &none, out, err);
}

lbStatus lb_accuracy_store(const lbAccuracy *accuracy, lbModel **model, lbError *err) {
  char names[LB_ACCURACY_MOTIONS_MAX * 32] = "";
  double values[LB_ACCURACY_MOTIONS_MAX][6];
  size_t at = 0;
  lbModel draft = **model, *changed = NULL;
  for (int32_t i = 0; i < accuracy->motion_count; i++) {
    const lbAccuracyMotion *m = &accuracy->motions[i];
    const double row[6] = { m->amplitude,    m->duration,        m->mass_error,
                            m->vertex_error, m->frequency_error, m->peak_error };
    memcpy(values[i], row, sizeof row);
    snprintf(names + at, 32, "%.31s", m->name);
    at += strlen(names + at) + 1;
  }
  draft.size.accuracy_count = accuracy->motion_count;
  draft.accuracy_motions = accuracy->motion_count ? names : NULL;
  draft.accuracy_values = accuracy->motion_count ? values[0] : NULL;
  draft.accuracy_coverage = accuracy->coverage;
  lbStatus status = lb_model_create(&draft, &changed, err);
  if (status) return status;
  lb_model_destroy(*model);
  *model = changed;
  return LB_OK;
}
