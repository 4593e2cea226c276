// How far a step of a body of frames goes, and what it adds to the energy.
#include "method/frames/frames.h"
#include "method/limits.h"

#include "body/guard.h"

#include <string.h>

// By the forces of the step.
static double elastic_at_end(const lbBody *body, lbFramesWork *w) {
  lbFrameSystem sums = { 0 };
  if (!isnan(w->elastic_end)) return w->elastic_end;
  lb_frames_sum_by(body, w->by_springs, 0, w->end, w->poses, w->velocity, w->room, &sums);
  return w->elastic_end = lb_is_bounded(sums.energy) ? sums.energy : INFINITY;
}

// Of M at the step's start.
static double kinetic_at_end(const lbBody *body, lbFramesWork *w) {
  int32_t n = 6 * lb_frames_count(body);
  memset(w->right, 0, (size_t)lb_ldlt_padded(n) * sizeof(double));
  lb_frames_add_mass_product(body, 0.5, w->velocity, w, w->right);
  return lb_frames_dot(n, w->velocity, w->right);
}

// Springs and samples agree near the rest shape alone: a step by forces that are not the body's own
// must not bring more motion than there is energy by these. Nothing is known of what frames that
// are moved supply.
double lb_frames_created(const lbBody *body, const lbStep *step, lbScratch *s, double *energy) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFramesWork *w = s->own;
  *energy = 0;
  if (w->driven) return 0;
  double elastic = elastic_at_end(body, w), kinetic = kinetic_at_end(body, w);
  if (!lb_is_bounded(elastic)) return INFINITY;
  double work = step->h * lb_frames_dot(6 * shared->count, w->loads, w->velocity) + w->work;
  double created = elastic + kinetic - w->energy - work;
  double drift = 0.5 * lb_dot(w->momentum, w->momentum) / shared->whole.mass;
  *energy = elastic + (body->frame.fitted ? fmax(kinetic - drift, 0) : kinetic);
  created = fmax(created, kinetic - w->kinetic_most - work);
  return fabs(created) > LB_ROUNDING * shared->modulus ? created : 0;
}

// Whether frames would turn or go farther in the step than the method can follow; the mean
// displacement of all is the body's. Or the body would be stretched beyond all reason.
static bool goes_too_far(const lbBody *body, double h, lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbVec3 mean = lb_vec3(0, 0, 0);
  double size = fmax(body->prepared->size, 1e-300);
  for (int32_t i = 0; i < shared->count; i++)
    mean = lb_add_scaled(mean, 1.0 / shared->count, lb_vec3_load(w->velocity + 6 * i + 3));
  for (int32_t i = 0; i < shared->count; i++) {
    const double *velocity = w->velocity + 6 * i;
    if (w->prescribed[i]) continue;
    lbVec3 relative = lb_sub(lb_vec3_load(velocity + 3), mean);
    if (!(h * lb_length(lb_vec3_load(velocity)) <= LB_FRAMES_TURN_MAX)) return true;
    if (!(h * lb_length(relative) <= size)) return true;
  }
  double stored = elastic_at_end(body, w);
  return !lb_is_bounded(stored) ||
         stored > fmax(LB_FRAMES_STORED_MAX * shared->modulus, w->elastic);
}

// A step by implicit Euler has a potential, of which the matrix sees the second order alone: it is
// searched along the way, until frames go no farther than they may and the account bears what is
// created, or nothing moves.
static int32_t search_frames_line(const lbBody *body, const lbStep *step, lbScratch *s) {
  lbFramesWork *w = s->own;
  for (int k = 0; k <= LB_HALVINGS_MAX; k++) {
    double energy, share = k < LB_HALVINGS_MAX ? 0.5 : 0;
    double created = lb_frames_created(body, step, s, &energy);
    if (lb_guard_bears(body, created, energy) && !goes_too_far(body, step->h, w)) return 0;
    for (int32_t i = 0; i < 6 * lb_frames_count(body); i++)
      if (!w->prescribed[i / 6]) w->velocity[i] = share > 0 ? share * w->velocity[i] : 0;
    if (!lb_frames_find_poses(body, step->h, w)) return LB_STEP_NONFINITE;
  }
  return LB_STEP_NOT_CONVERGED;
}

// Whether the step is to be taken.
int32_t lb_frames_judge(const lbBody *body, const lbStep *step, lbScratch *s) {
  if (step->integrator == LB_STEP_EULER) return search_frames_line(body, step, s);
  return goes_too_far(body, step->h, s->own) ? LB_STEP_FAR : 0;
}
