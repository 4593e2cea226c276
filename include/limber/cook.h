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
} lbCookReport;

// Writes a scene as one .glb without JSON of its own: every model once, and the world they stand
// in: gravity, time steps, bodies, loads and probes. Running the file gives the probes of the
// scene, to the last bit. Every body must have a reduced method. `report` may be NULL.
lbStatus lb_scene_cook(const lbScene *scene, const char *path, lbCookReport *report, lbError *err);

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
