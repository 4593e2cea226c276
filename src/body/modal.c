// The modal method: z'' + (alpha + beta lambda) z' + lambda z = U^T f, each mode by its exact step
// (oscillator.h), after Hauser, Shen & O'Brien 2003.
#include "body/constraints.h"

static lbStatus open_modal(lbBodyCommon *common, const lbBodyDef *def, lbError *err) {
  const lbModel *model = common->model;
  (void)def, (void)err;
  common->dimension = model->size.mode_count;
  common->basis = model->modal_basis;
  common->gravity = model->modal_gravity;
  common->launch = model->modal_rigid;
  common->eigenvalues = model->modal_eigenvalues;
  common->damping_mass = model->modal_damping[0];
  common->damping_stiffness = model->modal_damping[1];
  return LB_OK;
}

static void place(lbBodyCommon *common, lbCarver *carver) {
  void *oscillators = lb_carve(carver, lb_oscillators_bytes(common->dimension), 1);
  if (oscillators) common->oscillators = lb_oscillators_place(common->dimension, oscillators);
}

static void prepare(lbBodyCommon *common, double h) {
  if (common->oscillators.h != h)
    lb_oscillators_set(&common->oscillators, common->eigenvalues, common->damping_mass,
                       common->damping_stiffness, h);
}

static int32_t constrain_all(const lbInstances *instances) {
  int32_t flags = 0;
  if (instances->constrained == 0) return 0;
  for (int32_t i = 0; i < instances->count; i++)
    flags |= lb_constraints_apply(instances->bodies[i]);
  return flags;
}

static int32_t advance(lbBodyCommon *common, lbInstances *instances) {
  int32_t flags = constrain_all(instances);
  const double *force = instances->forced ? instances->force : NULL;
  if (instances->stride == 1)
    common->kernels->advance_modes(&common->oscillators, instances->q, instances->v, force);
  else
    common->kernels->advance_instances(&common->oscillators, instances->q, instances->v, force);
  return flags;
}

// A body of a batch by itself: through rows of working memory.
static int32_t advance_one(lbBody *body) {
  lbBodyCommon *common = body->common;
  lbInstances *instances = body->instances;
  int32_t flags = lb_constraints_apply(body);
  double *z = common->coordinates, *v = common->rates, *g = common->forces;
  for (int32_t i = 0; i < common->padded; i++) {
    size_t at = lb_body_at(body, i);
    z[i] = instances->q[at], v[i] = instances->v[at], g[i] = instances->force[at];
  }
  common->kernels->advance_modes(&common->oscillators, z, v, g);
  for (int32_t i = 0; i < common->dimension; i++) {
    size_t at = lb_body_at(body, i);
    instances->q[at] = z[i], instances->v[at] = v[i];
  }
  return flags;
}

static void energy(const lbBody *body, double *kinetic, double *elastic) {
  const double *q = body->instances->q, *v = body->instances->v;
  *kinetic = *elastic = 0;
  for (int32_t i = 0; i < body->common->dimension; i++) {
    size_t at = lb_body_at(body, i);
    *kinetic += 0.5 * v[at] * v[at];
    *elastic += 0.5 * body->common->eigenvalues[i] * q[at] * q[at];
  }
}

static void damping_changed(lbBodyCommon *common) {
  common->oscillators.h = 0;
  for (int32_t b = 0; b < common->block_count; b++)
    for (int32_t i = 0; i < common->blocks[b].count; i++)
      common->blocks[b].bodies[i]->constraints->fresh = false;
}

// ---- pushes ------------------------------------------------------------------------------------

// Of modes above half the step rate, the velocity at the end of a step says nothing.
static void foresee(lbBody *body, double h, double *ahead, double *rates) {
  const lbBodyCommon *common = body->common;
  const lbInstances *instances = body->instances;
  const lbOscillators *o = &common->oscillators;
  prepare(body->common, h);
  for (int32_t i = 0; i < common->dimension; i++) {
    size_t at = lb_body_at(body, i);
    double z = instances->q[at], v = instances->v[at], g = instances->force[at];
    ahead[i] = o->zz[i] * z + o->zv[i] * v + o->zg[i] * g;
    rates[i] = o->slow[i] ? o->vz[i] * z + o->vv[i] * v + o->zv[i] * g : 0;
  }
}

static void answer(const lbBody *body, double h, double *x) {
  const lbBodyCommon *common = body->common;
  for (int32_t i = 0; i < common->dimension; i++)
    x[i] /= (1 / h + common->oscillators.decay[i]) / h + common->eigenvalues[i];
}

// The impulse a and the force f held with which z ends d farther and v s faster:
//   zv a + zg f = d,   vv a + zv f = s;
// modes too fast for that get the force under which they would rest there.
static void find_kick(const lbOscillators *o, int32_t i, double lambda, double d, double s,
                      double *a, double *f) {
  double determinant = o->zv[i] * o->zv[i] - o->zg[i] * o->vv[i];
  *a = 0, *f = lambda * d;
  if (!o->slow[i] || !(determinant > 1e-3 * o->zv[i] * o->zv[i])) return;
  *a = (o->zv[i] * d - o->zg[i] * s) / determinant;
  *f = (o->zv[i] * s - o->vv[i] * d) / determinant;
}

static bool deliver(lbBody *body, double h, const double *moved, const double *quickened) {
  const lbBodyCommon *common = body->common;
  double *force = common->forces, *rates = common->rates;
  (void)h;
  for (int32_t i = 0; i < common->dimension; i++) {
    double a;
    find_kick(&common->oscillators, i, common->eigenvalues[i], moved[i], quickened[i], &a,
              &force[i]);
    rates[i] = body->instances->v[lb_body_at(body, i)] + a;
    if (!lb_is_bounded(rates[i]) || !lb_is_bounded(force[i])) return false;
  }
  for (int32_t i = 0; i < common->dimension; i++)
    body->instances->v[lb_body_at(body, i)] = rates[i];
  lb_body_add_reduced_force(body, force);
  return true;
}

static uint64_t identify(const lbBodyCommon *common, uint64_t hash) {
  return lb_hash(hash, common->eigenvalues, (size_t)common->dimension * sizeof(double));
}

const lbBodyMethod lb_modal_method = { .method = LB_METHOD_MODAL,
                                       .open = open_modal,
                                       .place = place,
                                       .prepare = prepare,
                                       .advance = advance,
                                       .advance_one = advance_one,
                                       .energy = energy,
                                       .damping_changed = damping_changed,
                                       .foresee = foresee,
                                       .answer = answer,
                                       .deliver = deliver,
                                       .identify = identify };
