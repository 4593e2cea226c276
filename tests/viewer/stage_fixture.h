// Small scenes for the tests of the stage, made by the build side in memory, and a camera that
// looks at them.
#ifndef LB_TESTS_STAGE_FIXTURE_H
#define LB_TESTS_STAGE_FIXTURE_H

#include "check.h"

#include "limber/cook.h"
#include "limber/run.h"
#include "scene/read.h"
#include "stage/stage.h"

// A bar of 1 x 0.1 x 0.1 m, held at its left end: 33 nodes or so.
#define BAR(method, reduce)                                                                        \
  "{ \"limber\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"bar\","                 \
  "\"mesh\": { \"generate\": \"bar\", \"size\": [1, 0.1, 0.1], \"cells\": [8, 1, 1],"              \
  "\"element\": \"brick8\" }, \"fixed\": { \"group\": \"left\" },"                                 \
  "\"material\": { \"model\": \"stvk\", \"young\": 1e7, \"poisson\": 0.3, \"density\": 1000 },"    \
  "\"damping\": { \"mass\": 0.2, \"stiffness\": 0.002 },"                                          \
  "\"method\": \"" method "\", \"reduce\": { " reduce " } }],"                                     \
  "\"loads\": [{ \"vertex\": 8, \"force\": [0, 5, 0], \"from\": 0.02, \"to\": 0.06 }],"            \
  "\"probes\": [{ \"vertex\": 8 }], \"time\": { \"step\": 0.005, \"count\": 40 } }"

#define SUBSPACE_BAR BAR("subspace", "\"modes\": 5, \"dimension\": 8, \"editable\": true")
#define MODAL_BAR BAR("modal", "\"modes\": 6")

// From memory: test programs that run at the same time must not share a file.
static inline lbScene *scene_of(const char *json) {
  lbScene *scene;
  lbError err;
  check_ok(lb_scene_read(output_path("scene.json"), json, strlen(json), &scene, &err), err);
  return scene;
}

static inline lbBundle *bundle_of(const char *json) {
  lbScene *scene = scene_of(json);
  lbBundle *bundle;
  lbError err;
  check_ok(lb_scene_bundle(scene, &bundle, &err), err);
  lb_scene_destroy(scene);
  return bundle;
}

static inline vwStage *stage_of_bundle(lbBundle *bundle, vwStageDef def, vwSettings *settings) {
  vwStage *stage;
  lbError err;
  check_ok(vw_stage_create(bundle, &def, settings, &stage, &err), err);
  return stage;
}

// A stage whose clock never gives up: results do not depend on how fast the machine is.
static inline vwStage *stage_of(const char *json, vwSettings *settings) {
  vwStageDef def = vw_stage_def();
  def.step_budget = INFINITY;
  return stage_of_bundle(bundle_of(json), def, settings);
}

static inline lbVec3 vertex_of(const vwStage *stage, int32_t actor, int32_t body, int32_t vertex) {
  const lbModel *model = vw_stage_actor(stage, actor).model;
  double *positions = lb_alloc((size_t)model->size.vertex_count, 3 * sizeof(double));
  assert_non_null(positions);
  vw_stage_surface(stage, actor, body, positions);
  lbVec3 x = lb_vec3_load(positions + 3 * (size_t)vertex);
  lb_free(positions);
  return x;
}

// The surface vertex that is farthest along x at rest, in the middle of nothing: a tip.
static inline int32_t tip_of(const vwStage *stage, int32_t actor) {
  const lbModel *model = vw_stage_actor(stage, actor).model;
  int32_t best = 0;
  for (int32_t v = 1; v < model->size.vertex_count; v++)
    if (model->vertex_positions[3 * v] > model->vertex_positions[3 * best]) best = v;
  return best;
}

static inline vwView view_of(const vwStage *stage) {
  vwCamera camera = vw_stage_camera(stage, 800, 600);
  return vw_camera_view(&camera, 800, 600);
}

#endif
