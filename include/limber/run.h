// limber/run.h: simulating a scene from start to end, with probes, timings and recorded motion.
#ifndef LIMBER_RUN_H
#define LIMBER_RUN_H

#include "limber/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbRunDef {
  int32_t step_count; // default -1: what the scene says
  double frame_rate;  // recorded surface frames a second of simulated time; 0: none; default 0
} lbRunDef;

lbRunDef lb_run_def(void);

typedef struct lbRunBody {
  int32_t vertices, elements;
  int32_t dimension;                      // unknowns
  double mass;                            // kg
  double step_median, step_p99, step_max; // s of wall time a step
  lbSimulatorState state;                 // at the end
  int32_t not_converged_count;            // steps whose Newton ended above the tolerance
  int32_t nonfinite_count;                // steps that had to be refused
  lbMesh *boundary;      // of the volume mesh, where the body has no surface of its own
  const lbMesh *surface; // what the frames show: the body's surface or that boundary
  float *frames;         // (frame_count x surface vertices x 3) positions; NULL without frames
} lbRunBody;

typedef struct lbRun {
  const lbScene *scene; // must outlive the run
  int32_t step_count;   // taken
  double time;          // at the end
  int32_t body_count;
  lbRunBody *bodies;
  double *probes; // ((step_count + 1) x probe_count x 3) displacements, from t = 0 on
  int32_t frame_count;
  double *frame_times; // (frame_count)
} lbRun;

lbStatus lb_run(const lbScene *scene, const lbRunDef *def, lbRun **out, lbError *err);
void lb_run_destroy(lbRun *run);

// One header line "t,dx,dy,dz,...", then a row a step: t and dx, dy, dz of every probe.
lbStatus lb_run_write_probes(const lbRun *run, const char *path, lbError *err);
// The recorded frames as an animated .glb; needs lbRunDef.frame_rate. max_error (m) may be NULL.
lbStatus lb_run_write_animation(const lbRun *run, const char *path, double *max_error,
                                lbError *err);

#ifdef __cplusplus
}
#endif
#endif
