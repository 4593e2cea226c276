// limber/cook.h: scenes and models as files for other programs: cooked worlds, arrays.
#ifndef LIMBER_COOK_H
#define LIMBER_COOK_H

#include "limber/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbCookReport {
  int32_t model_count;
  int32_t body_count, load_count, probe_count;
  int32_t recorded_count; // unreduced bodies, which are there as recordings
} lbCookReport;

typedef struct lbCookDef {
  bool bare;   // no glTF part: other programs see an empty file; default false
  bool single; // bases, weights, nonlinear coefficients and recordings are rounded to values of
               // single precision, so that the file packs to about half; default false
} lbCookDef;

lbCookDef lb_cook_def(void);

// A scene as what the run side plays, in memory: every model once, and the world they stand in. An
// unreduced body has the method LB_METHOD_FULL and a model without methods (lb_scene_full_model):
// it cannot be played, but shown at rest, and simulated by lb_scene_fem of the scene's body with
// the same number. The bundle does not need the scene any longer.
lbStatus lb_scene_bundle(const lbScene *scene, lbBundle **out, lbError *err);

// Writes a scene as one .glb without JSON of its own: every model once, and the world they stand
// in: gravity, time steps, bodies, loads and probes. Running the file gives the probes of the
// scene, to the last bit. An unreduced body is simulated for the scene's steps, which takes its
// time, and its motion is kept as a recording in a model of its own: up to 120 frames a second, up
// to 64 vectors, with which 0.1 % of the motion is left out (more is warned of). `report` may be
// NULL.
lbStatus lb_scene_cook(const lbScene *scene, const char *path, lbCookReport *report, lbError *err);
// With `single` the probes are near to those of the scene, not the same.
lbStatus lb_scene_cook_with(const lbScene *scene, const lbCookDef *def, const char *path,
                            lbCookReport *report, lbError *err);

// Every array of a model as an .npz archive that numpy.load opens, under the names of the model's
// table; texts as bytes. Besides, under plain names, "basis" (3 nodes x modes), "masses" (nodes)
// kg, "frequencies_hz" (modes) and "damping_ratios" (modes).
lbStatus lb_model_write_npz(const lbModel *model, const char *path, lbError *err);

// The subspace method in Vega's files: .cub, its cubic polynomials; .U (doubles) or .float (single
// precision), its basis, the rows x0 y0 z0 x1 ... of the nodes. Refused for models without it.
lbStatus lb_model_write_vega(const lbModel *model, const char *path, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
