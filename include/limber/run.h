// limber/run.h: simulating a scene from start to end, with probes, timings and recorded motion.
#ifndef LIMBER_RUN_H
#define LIMBER_RUN_H

#include "limber/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbRunDef {
  int32_t step_count; // default -1: what the scene says
  double frame_rate;  // recorded frames a second of simulated time; 0: none; default 0
  bool volume_frames; // keep the motion of the volume in the frames too; default false
} lbRunDef;

lbRunDef lb_run_def(void);

typedef struct lbRunBody {
  int32_t vertices, elements;
  int32_t dimension;       // unknowns
  double mass;             // kg
  double pose_distance;    // lb_body_pose_distance at the end; -1: its forces were not trained
  double unfollowed_force; // lb_body_unfollowed_force at the end; -1: the same
  double step_median, step_p99, step_max; // s of wall time a step; of bodies that are stepped
                                          // together, each one's share
  lbSimulatorState state;                 // at the end
  int32_t not_converged_count;            // steps whose Newton ended above the tolerance
  int32_t nonfinite_count;                // steps that had to be refused
  int32_t adapted_count;                  // steps taken in parts or by another rule
  int32_t jumped_count;                   // steps in which the frame went too far to be felt
  // Its frame at the end: a point is position + rotation (X + u); of an unreduced free body the
  // rigid motion that is nearest to its own.
  double position[3], rotation[4]; // m; unit quaternion x y z w
  double linear_velocity[3];       // m/s, at the rest shape's centre of mass
  double angular_velocity[3];      // rad/s
  double contact_force[3];         // N, of the last step, world axes

  // Frames; all of it NULL without them. Meshes are at rest, in the body's own axes.
  const lbMesh *surface; // what the frames show
  const lbMesh *volume;  // NULL without volume_frames
  const lbModel *model;
  double *placements; // (frame_count x 7) of its axes: position m, rotation as a unit quaternion
                      // x y z w
  // A reduced body, in its own axes: rest + sum over i of shapes_i coordinates_i.
  int32_t shape_count;
  const double *shapes; // (shape_count x surface vertices x 3) m; shared by bodies of one model
  double *coordinates;  // (frame_count x shape_count)
  // An unreduced body, in its own axes:
  float *frames;         // (frame_count x surface vertices x 3) m, positions
  double *displacements; // (frame_count x vertices x 3) m; NULL without volume_frames
  // A body of frames: their poses in the world.
  int32_t joint_count; // 0: of another method
  double *joints;      // (frame_count x joint_count x 7) position m, rotation x y z w
} lbRunBody;

typedef struct lbRunContact {           // of the last step
  int32_t body, other;                  // numbers in the scene; other -1: a collider
  int32_t collider;                     // -1: none
  double point[3], normal[3], force[3]; // as in lbContact
  bool sliding;
} lbRunContact;

typedef enum lbRunEventKind {
  LB_RUN_BEGIN,  // two began to touch
  LB_RUN_END,    // they parted
  LB_RUN_HIT,    // two began to touch, and came together faster than lbScene.hit_speed
  LB_RUN_BROKEN, // a joint of the two broke; other -1: it held the body in the world
  LB_RUN_SLEEP,  // a body fell asleep; other and collider -1
  LB_RUN_WAKE,   // it woke, likewise
  LB_RUN_EVENT_KIND_COUNT
} lbRunEventKind;

typedef struct lbRunEvent {
  double time; // s, the end of the step
  lbRunEventKind kind;
  int32_t body, other, collider; // numbers in the scene; -1: none
  double speed;                  // hit: m/s, at which they came together when the step began
} lbRunEvent;

typedef struct lbRunJoint {   // of the scene, at the end
  double force[3], torque[3]; // N, N m, on the first body, in the last step
  double position;            // m, rad; as in lbJointReport
  bool broken;
} lbRunJoint;

typedef struct lbRun {
  const lbScene *scene; // must outlive the run
  int32_t step_count;   // taken
  double time;          // at the end
  double make_seconds;  // wall time that models and bodies took
  int32_t body_count;
  lbRunBody *bodies;
  int32_t contact_count;
  lbRunContact *contacts; // (contact_count)
  int32_t dropped_count;  // steps with more contacts than there was room for
  lbGuardCounts guard;    // lb_world_guard at the end
  int32_t joint_count;
  lbRunJoint *joints; // (joint_count)
  int32_t event_count;
  lbRunEvent *events; // (event_count), in the order of time
  double *probes;     // ((step_count + 1) x probe_count x 3) displacements, from t = 0 on
  int32_t frame_count;
  double frame_rate;         // Hz, of the def; frames are at the nearest steps
  double *frame_times;       // (frame_count)
  int32_t owned_count;       //
  struct lbRunOwned *owned_; // private: models, meshes and shapes that the bodies point to
} lbRun;

// The bodies are those of one lbWorld, in which bodies that share a model are stepped together.
lbStatus lb_run(const lbScene *scene, const lbRunDef *def, lbRun **out, lbError *err);
void lb_run_destroy(lbRun *run);

// World positions of a body's surface in a frame (surface vertices x 3).
void lb_run_frame(const lbRun *run, int32_t body, int32_t frame, float *positions);

// One header line "t,dx,dy,dz,...", then a row for each step: t and dx, dy, dz of every probe.
lbStatus lb_run_write_probes(const lbRun *run, const char *path, lbError *err);
// The recorded frames as an animated .glb; needs lbRunDef.frame_rate. Reduced bodies move by their
// own basis; bodies of frames, where there are no others, by joints if the linear blending that
// viewers apply to these is within 1 % of the body's size. max_error (m) may be NULL.
lbStatus lb_run_write_animation(const lbRun *run, const char *path, double *max_error,
                                lbError *err);
// The recorded frames in any format of lb_sequence_write, of one body or (-1) of all. With .vtu and
// .pvd it is the volume that moves, if the run has lbRunDef.volume_frames.
lbStatus lb_run_write_sequence(const lbRun *run, int32_t body, const char *path, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
