// limber/compare.h: one scene played by every method, each judged by the unreduced simulator.
#ifndef LIMBER_COMPARE_H
#define LIMBER_COMPARE_H

#include "limber/run.h"

#ifdef __cplusplus
extern "C" {
#endif

// Ways to move an object: the methods, and the subspace method with each kind of forces.
typedef enum lbWay {
  LB_WAY_FULL,
  LB_WAY_WARP,
  LB_WAY_SUBSPACE, // polynomials, St. Venant–Kirchhoff alone
  LB_WAY_CUBATURE,
  LB_WAY_MODAL,
  LB_WAY_FRAMES,
  LB_WAY_COUNT
} lbWay;

const char *const *lb_way_names(void); // "full", "warp", ...; NULL at the end

typedef struct lbCompareDef {
  const lbWay *ways;  // (way_count) in this order; default NULL: all that suit the scene
  int32_t way_count;  //
  int32_t step_count; // default -1: what the scene says
  double frame_rate;  // Hz, at which shapes are compared; > 0; default 60
} lbCompareDef;

lbCompareDef lb_compare_def(void);

typedef struct lbComparedWay {
  lbWay way;
  char refused[400]; // why the scene cannot be played in this way; "": it was, and the rest counts
  lbRun *run;        // with its frames
  int32_t dimension; // unknowns of all bodies
  double make_seconds; // wall time that models and bodies took
  double step_median;  // s of wall time a step, all bodies
  double step_p99;
  // Against the unreduced motion, over all frames and all vertices of the surfaces; -1: the scene
  // cannot be played unreduced, or this is that motion itself.
  double error;    // √(Σ |x − x_full|² / Σ |x_full − x_full(0)|²); 0 where nothing moves
  double distance; // m, of the vertex that is farthest off
  double *errors; // (run->frame_count): √(mean |x − x_full|²) over the vertices, m; NULL: as above
} lbComparedWay;

typedef struct lbCompare {
  int32_t way_count;
  lbComparedWay ways[LB_WAY_COUNT];
  int32_t vertex_count; // of the surfaces of all bodies
} lbCompare;

// Changes the methods of the scene's bodies during the call, and restores them. Methods that the
// scene cannot be played by are listed in the result and are not a failure. `scene` must outlive
// the result.
lbStatus lb_compare(lbScene *scene, const lbCompareDef *def, lbCompare **out, lbError *err);
void lb_compare_destroy(lbCompare *compare);

// compare.svg, the errors over time, and an animation WAY.glb each, in a folder that is made.
lbStatus lb_compare_write(const lbCompare *compare, const char *folder, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
