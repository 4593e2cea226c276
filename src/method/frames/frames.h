// Bodies of frames (src/frames): LB_METHOD_FRAMES. Coordinates are the displacements of the nodes,
// which the frames move; the state is the frames' poses and velocities, in the fixed axes of
// whole.h.
#ifndef LB_METHOD_FRAMES_FRAMES_H
#define LB_METHOD_FRAMES_FRAMES_H

#include "body/absolute_coordinates.h"
#include "frames/frames.h"
#include "frames/springs.h"
#include "frames/voxels.h"
#include "limber/frames.h"
#include "math/ldlt.h"

// ---- what bodies of a model share (frames_shared.c) --------------------------------------------

enum {
  LB_FRAMES_ROOM = 8, // frames that may be inserted into a body
  // Up to so many frames systems are factored whole, and springs can be had.
  LB_FRAMES_DENSE = LB_SPRING_FRAMES_MOST + LB_FRAMES_ROOM
};
// rad that a frame may turn in a step or in an iteration of a fit: beyond, linearised motions say
// nothing. Doubled, fast steps fail later.
#define LB_FRAMES_TURN_MAX 1.5
// times the modulus, of stored energy: steps and drags stretch a body no farther. Doubled, 1.4
// times as far, and a body that was dragged takes longer to come back.
#define LB_FRAMES_STORED_MAX 10.0
#define LB_FRAMES_DRAGGED_MAX 2.0

// Weights of points: those of point k are entries [begin[k], begin[k + 1]).
typedef struct lbFrameLists {
  int32_t point_count;
  const int32_t *begin, *frames;
  const double *values; // (entries x stride): w, and ∇w where the stride is 4
} lbFrameLists;

// What a body's frames are.
typedef struct lbFrameSet {
  int32_t count;
  const lbFramePose *rest;
  const uint8_t *fixed;
  lbFrameLists samples, nodes;
} lbFrameSet;

// A frame that was inserted into a body.
typedef struct lbInsertedFrame {
  lbVec3 rest;   // m
  double reach;  // m
  double unused; // s, since a contact was near; -1: it stays until it is removed by a call
} lbInsertedFrame;

typedef struct lbFramesShared { // lbPrepared.own
  int32_t count;                // frames
  lbFramePose *rest;            // (count)
  uint8_t *fixed;               // (count)
  int32_t *pivots;              // (count) the frame before it that each shares most weight with
  int32_t pair_count;
  lbFramePair *pairs; // of two frames that act together at some sample or node
  lbFrameSet set;     // own copies
  lbFrameSamples *samples;
  lbFrameSamples *node_samples; // nodes with their masses, without strain: for least squares
  lbFrameSkin *nodes;
  lbFrameSprings *springs; // and lumped masses
  lbFrameMass mass;
  double *materials; // (materials x 3)
  double *rigid;     // (3 nodes x 6)
  double *masses;    // (nodes), none zero
  uint8_t *held;     // (nodes) zeros: nodes move as their frames do
  const lbLdltKernels *ldlt;
  double *rest_factor; // of the stiffness at rest
  double modulus;      // J, Σ volume (λ + 2 μ) / 2: about what unit strain stores
  lbWhole whole;
} lbFramesShared;

static inline lbFramesShared *lb_frames_shared(const lbPrepared *prepared) { return prepared->own; }

lbStatus lb_frames_prepare(lbPrepared *prepared, const lbBodyDef *def, lbError *err);
lbStatus lb_frames_rebuild(lbPrepared *prepared, const double *materials, lbError *err);
void lb_frames_release(lbPrepared *prepared);
// p->own <- with other frames than the model's.
lbStatus lb_frames_rebuild_set(lbPrepared *prepared, const double *materials, const lbFrameSet *set,
                               lbError *err);
// rest (LB_FRAMES_MOST): where the set's own are put.
lbFrameSet lb_frames_model_set(const lbModel *model, lbFramePose *rest);
// Frames that there is room for.
static inline int32_t lb_frames_room(const lbPrepared *prepared) {
  int32_t room = prepared->model->size.frame_count + LB_FRAMES_ROOM;
  return room < LB_FRAMES_MOST ? room : LB_FRAMES_MOST;
}
uint64_t lb_frames_identify(const lbPrepared *prepared, uint64_t hash);

// Numbers of a saved state: placement, forces, contacts; of each inserted frame; of each frame
// pose, velocity, goal, held.
enum {
  LB_FRAMES_INSERTED = 5,
  LB_FRAMES_HEAD = 15 + LB_FRAMES_INSERTED * LB_FRAMES_ROOM,
  LB_FRAMES_STATE = 21
};

// ---- sets (frames_sets.c) ----------------------------------------------------------------------

// *out <- a set with one frame more; without one. To be released.
lbStatus lb_frames_set_insert(const lbModel *model, const lbVoxels *voxels, const lbFrameSet *from,
                              const lbInsertedFrame *frame, lbFrameSet *out, lbError *err);
lbStatus lb_frames_set_remove(const lbFrameSet *from, int32_t frame, lbFrameSet *out, lbError *err);
// The model's set with `count` > 0 frames more.
lbStatus lb_frames_set_with(const lbModel *model, const lbVoxels *voxels, int32_t count,
                            const lbInsertedFrame *frames, lbFrameSet *out, lbError *err);
void lb_frames_set_release(lbFrameSet *set);

// ---- a body (frames.c) -------------------------------------------------------------------------

typedef struct lbFramesState { // lbBody.own
  lbFramePose *poses;          // (count)
  double *velocity;            // (6 count): ω, velocity of the origin
  lbFramePose *goals;   // (count) where frames that do not move by themselves are led: own axes, or
                        // the fixed ones if held
  uint8_t *held;        // (count) 1: dragged, and led or held for as long as that
  lbFramePose *reached; // (count) where they were led to in the last step
  double *force;        // (padded), at nodes
  lbPlacement T;
  bool loaded; // some of `force` is not zero
  lbFrameForces forces;
  uint64_t version; // another one after each change of poses
  int32_t inserted_count;
  lbInsertedFrame inserted[LB_FRAMES_ROOM]; // behind those of the model, in this order
  bool altered;      // a frame of the model was removed, and nothing is listed any more
  lbVec3 pressed_at; // m, at rest: where contacts press and there is no frame
  double pressed;    // s, for so long
} lbFramesState;

static inline lbFramesState *lb_frames_state(const lbBody *body) { return body->own; }
static inline int32_t lb_frames_count(const lbBody *body) {
  return lb_frames_shared(body->prepared)->count;
}
// Whether a frame moves as told; `body` may be without a state.
static inline bool lb_frames_is_led(const lbBody *body, int32_t frame) {
  const lbFramesState *state = lb_frames_state(body);
  return lb_frames_shared(body->prepared)->fixed[frame] || (state && state->held[frame]);
}
bool lb_frames_any_held(const lbBody *body);

typedef struct lbFramesWork {       // lbScratch.own
  lbFrameMotion *start, *end;       // (count) at the step's start; at its end, so far
  lbFrameMotion *probe;             // (count) for passing use
  lbFramePose *poses;               // (count) at the end
  lbFramePose *targets;             // (count) of prescribed frames: where they are led to
  double *velocity, *free;          // (6 count) at the end; without forces that are found
  double *gradient, *loads, *K, *M; // lbFrameSystem
  double *factor, *mass_factor;     // LDLᵀ of the step's matrix and of M
  double *right, *sums;             // (6 count padded); (8 count)
  double *product;                  // (6 count)
  double *room;                     // lb_frame_sums_doubles
  double *pull;                     // (padded) of constraints in the last iteration
  bool *prescribed;                 // (count) moves as told
  const lbBody *mass_body;          // whose M, at which version of its state
  uint64_t mass_version;
  bool mass_factored;
  lbPlacement place;                               // T at the end
  double energy;                                   // J, elastic and kinetic at the start
  double elastic, elastic_end;                     // J, of that; at the end, NAN: not known
  double work;                                     // J, of constraints, over the step
  lbVec3 force, torque, momentum, angular, centre; // of a free body: about its centre, at the start
  bool driven;                                     // some prescribed frame moves
  bool by_springs;                                 // what elastic forces of this step are by
  double kinetic_most;  // J, at the end, without work; INFINITY: whatever elastic forces give
  lbFrameSurvey survey; // of a free body at the end, once its momenta are right
} lbFramesWork;

// motions (count) <- of a body's state, with its velocities.
void lb_frames_motions(const lbBody *body, lbFrameMotion *motions);
// What the options ask for at a place, by samples or springs; motions belong to poses and velocity.
void lb_frames_sum(const lbBody *body, int32_t options, const lbFrameMotion *motions,
                   const lbFramePose *poses, const double *velocity, double *room,
                   lbFrameSystem *out);
// The same by springs or by samples, whatever the body's forces are; springs are there for up to
// LB_FRAMES_DENSE frames.
void lb_frames_sum_by(const lbBody *body, bool springs, int32_t options,
                      const lbFrameMotion *motions, const lbFramePose *poses,
                      const double *velocity, double *room, lbFrameSystem *out);
// motions (count): work.
void lb_frames_survey(const lbBody *body, lbFrameMotion *motions, lbFrameSurvey *out);
// The body's frame as the body is as a whole.
void lb_frames_fit_frame(lbBody *body, const lbFrameSurvey *survey);
bool lb_frames_is_lumped(const lbBody *body);
// Pa, the mean of λ + 2 μ.
double lb_frames_modulus(const lbBody *body);
// Gravity in the fixed axes.
lbVec3 lb_frames_gravity(const lbBody *body);
// mass_factor <- of M at the body's state, unless it is there.
void lb_frames_find_mass(const lbBody *body, lbScratch *scratch);

// ---- frames that come and go (frames_insert.c) -------------------------------------------------

// *rest <- the place at rest of a point x of the body (own axes), by Newton's method; *home <- the
// voxel there; *iterations: how many it took. Refuses what is off the body.
lbStatus lb_frames_find_rest(const lbBody *body, const lbVoxels *voxels, lbVec3 x, lbVec3 *rest,
                             int32_t *home, int32_t *iterations);
// In the voxel that is nearest to a place at rest, reaching as far as the nearest other frame, and
// no farther than `most` (m).
// lbBodyMethod.refine and refinement_spacing (refine.c).
void lb_frames_refine(lbBody *body, const lbPresses *presses, int32_t most, double spacing,
                      double dt);
double lb_frames_refinement_spacing(const lbBody *body, double spacing);
lbStatus lb_frames_insert_near(lbBody *body, lbVec3 rest, double most);
// Has these frames inserted, and no others; their poses are those at rest. Takes no memory where it
// has them already.
lbStatus lb_frames_take_inserted(lbBody *body, int32_t count, const lbInsertedFrame *frames);

// ---- systems (frames_solve.c) ------------------------------------------------------------------

lbStatus lb_frames_find_pairs(lbFramesShared *shared, lbError *err);
// Square matrix over all frames into one for factoring: to <- a x + b y (y may be NULL).
void lb_frames_combine(int32_t count, double a, const double *x, double b, const double *y,
                       double *to);
// matrix (padded) <- ready for lb_frames_solve, rows of prescribed frames (may be NULL) cut off;
// false: not positive, as far as is known before a system is solved.
bool lb_frames_factor(const lbFramesShared *shared, const bool *prescribed, double *matrix);
// x (padded) <- A⁻¹ x; room: lbFramesWork.room. False: A is not positive.
bool lb_frames_solve(const lbFramesShared *shared, const double *factor, double *room, double *x);
// y += s A x, A as lbFrameSystem has it.
void lb_frames_add_product(const lbFramesShared *shared, double s, const double *A, const double *x,
                           double *y);
// The same by the blocks of frames alone.
void lb_frames_add_own_product(const lbFramesShared *shared, double s, const double *A,
                               const double *x, double *y);

// ---- the system of a step (frames_system.c) ----------------------------------------------------

// w->factor, w->right <- velocities at the end of a step of length h, from w->start, ->velocity and
// ->prescribed, and with them w->M, ->loads, ->energy, ->elastic and of a free body ->momentum,
// ->angular, ->centre, ->force, ->torque. Forces are by springs or by samples as w->by_springs
// says, which is changed where these make no sense. `safe`: with a stiffness that is never
// negative. false: there is none.
bool lb_frames_solve_system(const lbBody *body, double h, bool safe, const lbScratch *scratch,
                            lbFramesWork *w);
// w->right <- loads by scratch->late, which also come into w->force and w->torque.
void lb_frames_load_late(const lbBody *body, const lbScratch *scratch, lbFramesWork *w);
// y += s M x
void lb_frames_add_mass_product(const lbBody *body, double s, const double *x,
                                const lbFramesWork *w, double *y);
static inline double lb_frames_dot(int32_t n, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// ---- from nodes to frames (frames_fit.c) -------------------------------------------------------

// Poses whose nodes come nearest to these displacements, and velocities likewise (fixed axes).
void lb_frames_fit_poses(lbBody *body, const double *u, lbFramesWork *work, lbScratch *scratch);
// The same from where the frames are, until an iteration goes no farther than `goal`: of the body's
// size, and rad.
void lb_frames_improve_poses(lbBody *body, const double *u, double goal, lbFramesWork *work,
                             lbScratch *scratch);
void lb_frames_find_pivots(lbFramesShared *shared);
void lb_frames_fit_velocity(lbBody *body, const double *v, lbFramesWork *work);

// ---- a step (frames_step.c) --------------------------------------------------------------------

// w->poses, w->end <- where the velocities lead; false: not finite.
bool lb_frames_find_poses(const lbBody *body, double h, lbFramesWork *work);
// Whether the step is to be taken (energy.c); the end of one by implicit Euler <- nearer to its
// start, where the account does not bear what it creates.
int32_t lb_frames_judge(const lbBody *body, const lbStep *step, lbScratch *scratch);
int32_t lb_frames_begin(lbBody *body, lbStep *step, lbScratch *scratch);
void lb_frames_respond(const lbBody *body, const lbStep *step, lbScratch *scratch,
                       const double *force, double *moved);
int32_t lb_frames_end(lbBody *body, const lbStep *step, lbScratch *scratch);
double lb_frames_created(const lbBody *body, const lbStep *step, lbScratch *scratch,
                         double *energy);
int32_t lb_frames_commit(lbBody *body, const lbStep *step, lbScratch *scratch);
void lb_frames_step_many(lbBodyGroup *group, int32_t begin, int32_t end, double h,
                         lbScratch *scratch);

#endif
