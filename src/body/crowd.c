// Subspace bodies of one model that step together: each is linearised and solved by itself, but the
// forces at the ends of their steps are evaluated for several at once, which reads the coefficients
// once for all of them. What a body gets is what it gets alone, to the bit.
#include "body/subspace.h"

#include <string.h>

void lb_subspace_evaluate_many(int32_t count, lbBody *const *bodies, lbScratch *const *scratches) {
  const lbPrepared *p = bodies[0]->prepared;
  const lbSubspace *s = lb_subspace_of(p);
  const double *q[LB_BATCH] = { NULL };
  double *R[LB_BATCH] = { NULL }, *K[LB_BATCH] = { NULL }, energies[LB_BATCH];
  for (int32_t m = 0; m < count; m++) {
    const lbEvaluated *e = &((lbSubspaceState *)bodies[m]->own)->evaluated;
    q[m] = scratches[m]->q, R[m] = e->R, K[m] = e->K;
  }
  s->forces->evaluate_many(s->force_data, count, q, R, K, energies,
                           ((lbSubspaceWork *)scratches[0]->own)->forces);
  for (int32_t m = 0; m < count; m++) {
    lbEvaluated *e = &((lbSubspaceState *)bodies[m]->own)->evaluated;
    memcpy(e->q, scratches[m]->q, (size_t)p->dimension * sizeof(double));
    e->energy = energies[m];
    e->version = p->version;
  }
}

// Up to LB_BATCH bodies of one prepared part.
static void step_together(int32_t count, lbBody *const *bodies, lbScratch *const *scratches,
                          double h) {
  lbStep steps[LB_BATCH];
  int32_t flags[LB_BATCH];
  bool all = true;
  for (int32_t m = 0; m < count; m++) {
    steps[m] = (lbStep){ .h = h, .share = 1, .whole = &bodies[m]->frame };
    flags[m] = lb_part_open(bodies[m], &steps[m], scratches[m]);
    all = all && !(flags[m] & LB_STEP_NONFINITE);
    for (int32_t i = 0; i < bodies[m]->prepared->dimension && all; i++)
      all = lb_is_bounded(scratches[m]->q[i]);
  }
  if (all) lb_subspace_evaluate_many(count, bodies, scratches);
  for (int32_t m = 0; m < count; m++) {
    flags[m] = lb_part_close(bodies[m], &steps[m], scratches[m], flags[m]);
    lb_body_conclude(bodies[m], h, flags[m], scratches[m]);
  }
}

static bool may_join(const lbBody *body, const lbBody *first) {
  return body->plain && body->integrator != LB_INTEGRATOR_CENTRAL &&
         (!first || first->prepared == body->prepared);
}

// The bodies from `at` on that can step together; returns where the next ones begin.
static int32_t gather(const lbBodyGroup *group, int32_t at, int32_t end, lbBody **bodies,
                      int32_t *count) {
  *count = 0;
  for (; at < end && *count < LB_BATCH; at++) {
    lbBody *body = &group->bodies[at];
    if (!body->plain) continue;
    if (*count > 0 && !may_join(body, bodies[0])) break;
    bodies[(*count)++] = body;
    if (!may_join(body, NULL)) return at + 1;
  }
  return at;
}

void lb_subspace_step_many(lbBodyGroup *group, int32_t begin, int32_t end, double h,
                           lbScratch *scratch) {
  lbBody *bodies[LB_BATCH];
  lbScratch *scratches[LB_BATCH] = { scratch };
  int32_t count, made = 1;
  for (int32_t at = begin; at < end;) {
    at = gather(group, at, end, bodies, &count);
    while (made < count && (scratches[made] = lb_scratch_borrow(bodies[0]->prepared))) made++;
    if (count > 1 && made >= count)
      step_together(count, bodies, scratches, h);
    else
      for (int32_t m = 0; m < count; m++) lb_body_advance(bodies[m], h, scratch);
  }
  for (int32_t m = 1; m < made; m++) lb_scratch_return(group->bodies->prepared, scratches[m]);
}
