// From displacements and velocities of nodes to frames: the poses and velocities that come nearest,
// in the masses of nodes. Gauss–Newton, from the nearest rigid motion of each frame's nodes; where
// nodes are as some poses have them, these come out to rounding.
#include "method/frames/frames.h"
#include "method/limits.h"

#include <string.h>

static double weight_of(const lbFrameSkin *skin, int32_t node, int32_t entry) {
  return skin->weights[(size_t)entry * LB_BATCH + (size_t)(node % LB_BATCH)];
}

// A frame as the nodes go that it moves; w² counts.
static lbFramePose nearest_pose(const lbFramesShared *shared, int32_t frame, const double *u) {
  const lbWhole *whole = &shared->whole;
  const lbFrameSkin *skin = shared->nodes;
  lbVec3 C = lb_vec3(0, 0, 0), c = C;
  lbMat3 A = lb_mat3_zero(), turn;
  double mass = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t n = 0; n < whole->node_count; n++) {
      const lbFrameBatch *batch = &skin->batches[n / LB_BATCH];
      for (int32_t e = batch->first; e < batch->first + batch->count; e++) {
        if (skin->frames[e] != frame) continue;
        double w = weight_of(skin, n, e), m = w * w * whole->masses[n];
        lbVec3 X = lb_vec3_load(whole->positions + 3 * (size_t)n);
        lbVec3 x = lb_whole_place(whole, u, (size_t)n);
        if (pass == 0) C = lb_add_scaled(C, m, X), c = lb_add_scaled(c, m, x), mass += m;
        if (pass == 1)
          A = lb_mat3_add(A, lb_mat3_scale(m, lb_mat3_outer(lb_sub(x, c), lb_sub(X, C))));
      }
    }
    if (pass == 0) C = lb_scale(1 / fmax(mass, 1e-300), C), c = lb_scale(1 / fmax(mass, 1e-300), c);
  }
  const lbFramePose *rest = &shared->rest[frame];
  lb_polar3(A, &turn, NULL);
  lbQuat by = lb_quat_from_mat3(turn);
  return (lbFramePose){ lb_quat_normalise(lb_quat_multiply(by, rest->rotation)),
                        lb_add(c, lb_quat_rotate(by, lb_sub(rest->position, C))) };
}

// The frame before `frame` with which it shares most weight.
static int32_t pivot_of(const lbFramesShared *shared, int32_t frame) {
  const lbFrameSkin *skin = shared->nodes;
  double shared_weight[LB_FRAMES_MOST] = { 0 };
  int32_t best = 0;
  for (int32_t n = 0; n < shared->whole.node_count; n++) {
    const lbFrameBatch *batch = &skin->batches[n / LB_BATCH];
    double own = 0;
    for (int32_t e = batch->first; e < batch->first + batch->count; e++)
      if (skin->frames[e] == frame) own = weight_of(skin, n, e);
    for (int32_t e = batch->first; e < batch->first + batch->count && own != 0; e++)
      shared_weight[skin->frames[e]] += fabs(own * weight_of(skin, n, e));
  }
  for (int32_t i = 1; i < frame; i++)
    if (shared_weight[i] > shared_weight[best]) best = i;
  return best;
}

void lb_frames_find_pivots(lbFramesShared *shared) {
  for (int32_t i = 1; i < shared->count; i++) shared->pivots[i] = pivot_of(shared, i);
}

// w->right <- Σ m Jᵀ x, w->factor <- of Σ m JᵀJ, at w->start.
static bool ready_frames_fit(const lbBody *body, const bool *prescribed, const double *x,
                             lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  int32_t n = 6 * shared->count;
  size_t padded = (size_t)lb_ldlt_padded(n);
  lbFrameSystem sums = { 0, NULL, NULL, NULL, w->M };
  w->mass_body = NULL;
  lb_frame_sum(shared->node_samples, body->prepared->level, LB_FRAMES_MASS, shared->count, w->start,
               lb_vec3(0, 0, 0), w->room, &sums);
  lb_frames_combine(shared->count, 1, w->M, 0, NULL, w->factor);
  for (int32_t i = 0; i < n; i++) w->factor[(size_t)i * (padded + 1)] *= 1 + LB_SUM_ROUNDING;
  memset(w->right, 0, padded * sizeof(double));
  lb_frame_skin_spread_all(shared->nodes, body->prepared->level, w->start, x, shared->masses,
                           w->room, w->sums);
  for (int32_t i = 0; i < shared->count; i++)
    if (!prescribed || !prescribed[i])
      lb_frame_gather(&w->start[i], w->sums + 8 * i, w->right + 6 * i);
  if (!lb_frames_factor(shared, prescribed, w->factor)) return false;
  return lb_frames_solve(shared, w->factor, w->room, w->right);
}

// One iteration; returns how far it went, relative to size and rad.
static double improve_frames_fit(lbBody *body, const bool *prescribed, const double *u,
                                 lbFramesWork *w, lbScratch *s) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFramesState *state = lb_frames_state(body);
  int32_t nodes = shared->whole.node_count;
  double most = 0, size = fmax(body->prepared->size, 1e-300);
  for (int32_t i = 0; i < shared->count; i++)
    w->start[i] = lb_frame_motion(&shared->rest[i], &state->poses[i], NULL);
  lb_frame_skin_move(shared->nodes, body->prepared->level, w->start, 0, nodes, s->a, NULL);
  for (int32_t i = 0; i < 3 * nodes; i++) s->a[i] = u[i] - s->a[i];
  if (!ready_frames_fit(body, prescribed, s->a, w)) return 0;
  for (int32_t i = 0; i < shared->count; i++) {
    double *step = w->right + 6 * i;
    most =
        fmax(most, fmax(lb_length(lb_vec3_load(step)), lb_length(lb_vec3_load(step + 3)) / size));
  }
  double share = most > LB_FRAMES_TURN_MAX ? LB_FRAMES_TURN_MAX / most : 1;
  if (!lb_is_bounded(most)) return 0;
  for (int32_t i = 0; i < shared->count; i++)
    state->poses[i] = lb_frame_advance(&state->poses[i], w->right + 6 * i, share);
  return most;
}

void lb_frames_fit_poses(lbBody *body, const double *u, lbFramesWork *w, lbScratch *s) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFramesState *state = lb_frames_state(body);
  for (int32_t i = 0; i < shared->count; i++) {
    lbFramePose *pose = &state->poses[i];
    if (lb_frames_is_led(body, i)) continue;
    *pose = nearest_pose(shared, i, u);
    if (i == 0) continue;
    int32_t pivot = shared->pivots[i];
    lb_frame_align(&shared->rest[pivot], &state->poses[pivot], &shared->rest[i], pose);
  }
  lb_frames_improve_poses(body, u, LB_SUM_ROUNDING, w, s);
}

void lb_frames_improve_poses(lbBody *body, const double *u, double goal, lbFramesWork *w,
                             lbScratch *s) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  bool fixed[LB_FRAMES_MOST];
  for (int32_t i = 0; i < shared->count; i++) fixed[i] = lb_frames_is_led(body, i);
  for (int k = 0; k < LB_NEWTON_MAX; k++)
    if (improve_frames_fit(body, fixed, u, w, s) < goal) break;
}

void lb_frames_fit_velocity(lbBody *body, const double *v, lbFramesWork *w) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  lbFramesState *state = lb_frames_state(body);
  lb_frames_motions(body, w->start);
  if (!ready_frames_fit(body, NULL, v, w)) return;
  for (int32_t i = 0; i < 6 * shared->count; i++) {
    bool held = lb_frames_is_led(body, i / 6) && body->frame.kind != LB_FRAME_DRIVEN;
    state->velocity[i] = held ? 0 : w->right[i];
  }
}
