// What `limber bench web` times, natively and in the page: a body that is pushed down and up at its
// middle, stepped as the page steps it.
#ifndef LIMBER_BENCH_STEPPER_H
#define LIMBER_BENCH_STEPPER_H

#include "limber/body.h"

typedef struct benchStepper {
  lbBody *body;
  int32_t vertex; // that is pushed
  int32_t step;   // counts on, so that the same number of steps is the same motion
} benchStepper;

static inline benchStepper bench_stepper(lbBody *body) {
  benchStepper stepper = { body, lb_body_model(body)->size.vertex_count / 2, 0 };
  return stepper;
}

// Returns the flags of all steps.
static inline int32_t bench_stepper_run(benchStepper *stepper, int32_t count) {
  const double rate_hz = 240, force = 10; // s^-1, N
  int32_t flags = 0;
  for (int32_t i = 0; i < count; i++) {
    double push = stepper->step++ / 60 % 2 ? force : -force;
    lb_body_apply_force(stepper->body, lb_point_vertex(stepper->vertex), lb_vec3(0, 0, push));
    flags |= lb_body_step(stepper->body, 1 / rate_hz);
  }
  return flags;
}

// FNV-1a of coordinates and rates; `scratch` has room for twice the dimension.
static inline uint64_t bench_stepper_hash(const benchStepper *stepper, double *scratch) {
  size_t r = (size_t)lb_body_dimension(stepper->body);
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  lb_body_get_state(stepper->body, scratch, scratch + r);
  for (size_t i = 0; i < 2 * r * sizeof *scratch; i++)
    hash = (hash ^ ((const unsigned char *)scratch)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

#endif
