// The operations that a method gets where its table has none.
#include "body/method.h"

#include <string.h>

// ---- shared data and memory: the method has nothing of its own ---------------------------------

static lbStatus prepare_nothing(lbPrepared *prepared, const lbBodyDef *def, lbError *err) {
  (void)prepared, (void)def, (void)err;
  return LB_OK;
}

static lbStatus build_nothing(lbPrepared *prepared, lbError *err) {
  (void)prepared, (void)err;
  return LB_OK;
}

static void release_nothing(lbPrepared *prepared) { (void)prepared; }

static const double *materials_of_model(const lbPrepared *prepared) {
  (void)prepared;
  return NULL;
}

static void place_no_scratch(const lbPrepared *prepared, lbScratch *scratch, lbCarver *carver) {
  (void)prepared, (void)scratch, (void)carver;
}

static void place_no_call(const lbPrepared *prepared, lbCallWork *work, lbCarver *carver) {
  (void)prepared, (void)work, (void)carver;
}

static lbStatus furnish_nothing(lbBody *body, lbError *err) {
  (void)body, (void)err;
  return LB_OK;
}

static void forget_nothing(lbBody *body) { (void)body; }

// ---- state: coordinates and rates are all of it ------------------------------------------------

static void save_nothing(const lbBody *body, double *numbers) { (void)body, (void)numbers; }

static lbStatus refit_nothing(lbBody *body, const double *numbers) {
  (void)body, (void)numbers;
  return LB_OK;
}

static void restore_nothing(lbBody *body, const double *numbers) { (void)body, (void)numbers; }

static void start_at_rest(lbBody *body, lbScratch *scratch) { (void)body, (void)scratch; }

// ---- a step ------------------------------------------------------------------------------------

static bool respond_one_by_one(const lbBody *body, const lbStep *step, lbScratch *scratch,
                               int32_t n, double *x) {
  (void)body, (void)step, (void)scratch, (void)n, (void)x;
  return false;
}

static double create_nothing(const lbBody *body, const lbStep *step, lbScratch *scratch,
                             double *energy) {
  (void)body, (void)step, (void)scratch;
  return *energy = 0;
}

static void ready_nothing(lbBodyGroup *group, double h) { (void)group, (void)h; }

// ---- mass --------------------------------------------------------------------------------------

static void mobilise_by_unit_mass(const lbPrepared *prepared, double *x) {
  (void)prepared, (void)x;
}

static void mobilise_in_any_state(const lbBody *body, lbScratch *scratch, double *x) {
  (void)scratch;
  body->prepared->method->mobilise(body->prepared, x);
}

bool lb_method_has_unit_mass(const lbBodyMethod *method) {
  return method->mobilise == mobilise_by_unit_mass && method->mobilise_at == mobilise_in_any_state;
}

// v <- v + M⁻¹ impulse; uses scratch->a.
static void add_impulse(lbBody *body, lbScratch *scratch, const double *impulse, double *v) {
  const lbPrepared *p = body->prepared;
  memcpy(scratch->a, impulse, (size_t)p->padded * sizeof(double));
  lb_body_mobilise(body, scratch, scratch->a);
  for (int32_t i = 0; i < p->dimension; i++) v[i] += scratch->a[i];
}

static double any_step_is_stable(const lbBody *body) {
  (void)body;
  return INFINITY;
}

// ---- questions ---------------------------------------------------------------------------------

static double stored_is_elastic(lbBody *body, const double *q, lbScratch *scratch) {
  return body->prepared->method->elastic(body, q, scratch);
}

static double answer_zero(const lbBody *body, lbScratch *scratch) {
  (void)body, (void)scratch;
  return 0;
}

static const struct lbSolid *no_solid(const lbBody *body) {
  (void)body;
  return NULL;
}

// ---- the table ---------------------------------------------------------------------------------

lbBodyMethod lb_method_with_defaults(const lbBodyMethod *table) {
  lbBodyMethod m = *table;
#define FILL(operation, otherwise)                                                                 \
  if (!m.operation) m.operation = (otherwise)
  FILL(prepare, prepare_nothing);
  FILL(build, build_nothing);
  FILL(release, release_nothing);
  FILL(materials, materials_of_model);
  FILL(place_scratch, place_no_scratch);
  FILL(place_call, place_no_call);
  FILL(furnish, furnish_nothing);
  FILL(forget, forget_nothing);
  FILL(save, save_nothing);
  FILL(refit, refit_nothing);
  FILL(restore, restore_nothing);
  FILL(start, start_at_rest);
  FILL(respond_many, respond_one_by_one);
  FILL(created, create_nothing);
  FILL(ready_group, ready_nothing);
  FILL(mobilise, mobilise_by_unit_mass);
  FILL(mobilise_at, mobilise_in_any_state);
  FILL(apply_impulse, add_impulse);
  FILL(stable_step, any_step_is_stable);
  FILL(stored, stored_is_elastic);
  FILL(report, lb_default_report);
  FILL(von_mises, lb_default_von_mises);
  FILL(pose_distance, answer_zero);
  FILL(unfollowed_force, answer_zero);
  FILL(solid, no_solid);
#undef FILL
  return m;
}
