// limber/path.h: paths, the prescribed motions of frames: key frames of position and rotation, and
// what lies between them. A path never changes after its creation: any number of bodies, worlds and
// threads may follow one.
//
// A point X of a frame that follows a path is at x(t) = position(t) + rotation(t) X.
#ifndef LIMBER_PATH_H
#define LIMBER_PATH_H

#include "limber/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lbPathInterpolation {
  LB_PATH_LINEAR, // positions straight, rotations slerp along the shorter arc
  LB_PATH_CUBIC,  // Hermite, quaternions component by component and then normalised
  LB_PATH_STEP,   // a key holds until the next one: every key is a cut
} lbPathInterpolation;

typedef struct lbPathDef {
  const char *name;        // for messages; default "path"
  int32_t key_count;       // at least 1
  const double *times;     // (key_count) s, rising strictly
  const double *positions; // (key_count x 3) m; NULL: the origin
  const double
      *rotations; // (key_count x 4) quaternions x y z w of any length but zero; NULL: unturned
  // Of cubic paths: the slopes that arrive at a key and that leave it, as in glTF; quaternions are
  // then taken with the signs they have. NULL: slopes (p₊ − p₋) / (t₊ − t₋), zero at both ends of a
  // path without a cycle, and quaternions take the sign that is nearer to the key before.
  const double *position_tangents;   // (key_count x 2 x 3) m/s
  const double *rotation_tangents;   // (key_count x 2 x 4) 1/s
  lbPathInterpolation interpolation; // default LB_PATH_LINEAR
  bool cycle; // repeats with the period last − first time, before the first key too; default false.
              // Where the last key differs from the first, the frame jumps back: a cut
} lbPathDef;

lbPathDef lb_path_def(void);

typedef struct lbPath lbPath;

// Refuses times that do not rise, numbers that are not finite, rotations of zero length; the
// message names the key. The arrays are copied.
lbStatus lb_path_create(const lbPathDef *def, lbPath **out, lbError *err);
void lb_path_destroy(lbPath *path); // NULL is legal

// What the path was made from, with unit quaternions; the arrays belong to the path.
const lbPathDef *lb_path_keys(const lbPath *path);

// A frame and how it moves, in world axes.
typedef struct lbPathState {
  double position[3];             // m, of the frame's origin
  double rotation[4];             // unit quaternion x y z w
  double linear_velocity[3];      // m/s, of the frame's origin
  double angular_velocity[3];     // rad/s
  double linear_acceleration[3];  // m/s², of the frame's origin
  double angular_acceleration[3]; // rad/s²
} lbPathState;

// At any time; takes no memory and is safe on any thread. Rates are derivatives of the pose within
// a segment; at a key those of the segment that begins there. A path without a cycle stands before
// its first key and from its last key on. The result depends on path and t alone and has the same
// bits under every compiler.
void lb_path_at(const lbPath *path, double t, lbPathState *out);

// Whether the frame jumps at some time in (t0, t1], t0 <= t1: a key of a step path, or the end of a
// cycle whose last key differs from its first. Bodies that follow the frame are carried
// over a cut without inertial forces.
bool lb_path_cut_between(const lbPath *path, double t0, double t1);
// The cuts in (t0, t1] as one rigid motion, x -> rotation x + shift; without cuts the identity
// (and false). lb_path_carry applies it to a state at t0: the motion from the carried state
// to the state at t1 is what causes inertial forces. A step path leaves none.
bool lb_path_jump(const lbPath *path, double t0, double t1, double rotation[4], double shift[3]);
bool lb_path_carry(const lbPath *path, double t0, double t1, lbPathState *at_t0);

// The constant velocities that lead from one pose to another in `seconds` (> 0): the difference of
// the positions, and the rotation vector of R_to R_fromᵀ (at most π), each divided by the time.
// Over a step they contain the whole impulse of a frame whose velocity jumps.
void lb_path_mean_velocity(const lbPathState *from, const lbPathState *to, double seconds,
                           double linear[3], double angular[3]);

// Where a point of the frame is, and how it moves while it stays fixed in the frame.
void lb_path_point(const lbPathState *frame, const double own[3], double position[3]);
void lb_path_point_rates(const lbPathState *frame, const double position[3], double velocity[3],
                         double acceleration[3]);

// Path number `index` of a cooked world.
lbStatus lb_world_path(const lbWorldDef *world, int32_t index, lbPath **out, lbError *err);
// The path of a scripted core of a model, in the body's own axes.
lbStatus lb_model_core_path(const lbModel *model, int32_t core, lbPath **out, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
