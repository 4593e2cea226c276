// The stage: a bundle's bodies in motion, and the hands that touch them. No graphics: its
// input are rays and numbers, its output is plain data. All of it works in tests without a
// context.
//
//   advance(seconds) -> whole steps of 1/rate, never more than fit the time there is
//   a tool's press, move and release -> springs, pins, impulses, a ball
#ifndef LIMBER_VIEWER_STAGE_H
#define LIMBER_VIEWER_STAGE_H

#include "render/camera.h"
#include "limber/contact.h"
#include "stage/settings.h"

typedef struct vwStage vwStage;

typedef struct vwStageDef {
  bool full; // the program has the build side, which was started (lb_build_start), so that
             // bodies can have the method "full"; default false: such bodies stand still
  // Makes a model of the same object with nothing fixed, so that it can be dropped; default NULL:
  // only what is loose can be.
  lbStatus (*loosen)(const lbModel *held, lbModel **loose, lbError *err);
  double step_budget; // s of computing a frame, at most; what does not fit is dropped, so that
                      // a slow machine gets slow motion and never a frozen picture; default 0.012
} vwStageDef;

vwStageDef vw_stage_def(void);
// Takes the bundle on success and frees it in the end. `settings` becomes what the scene starts
// with.
lbStatus vw_stage_create(lbBundle *bundle, const vwStageDef *def, vwSettings *settings,
                         vwStage **out, lbError *err);
void vw_stage_destroy(vwStage *stage);

const lbBundle *vw_stage_bundle(const vwStage *stage);
const char *vw_stage_title(const vwStage *stage); // never NULL
const char *vw_stage_hint(const vwStage *stage);
char vw_stage_up(const vwStage *stage);
vwBox vw_stage_rest_box(const vwStage *stage); // of all bodies at rest, copies too
double vw_stage_size(const vwStage *stage);    // its longest side without copies, m
// Height of the ground: the world's, or below the whole motion. Not shown where the world has none,
// nor under what falls.
double vw_stage_ground(const vwStage *stage, bool *shown);
// Copies of a comparison that is begun from now on stand side by side as they are seen from there,
// all at one depth.
void vw_stage_face(vwStage *stage, const vwView *view);
vwCamera vw_stage_camera(const vwStage *stage, double width, double height); // where to look from

// ---- settings ----------------------------------------------------------------------------------

// The state of a control in this scene. Settings take effect in vw_stage_apply.
void vw_stage_control(const vwStage *stage, const vwSettings *settings, int32_t control,
                      vwControlState *state);
// Makes the bodies be what the settings say; bodies are made anew where method, r or compare
// changed, with their shape and speed kept. A setting that is refused is put back, with a message.
lbStatus vw_stage_apply(vwStage *stage, vwSettings *settings, lbError *err);
void vw_stage_reset(vwStage *stage); // everything as in the beginning; settings stay

// ---- time --------------------------------------------------------------------------------------

// Goes on by `seconds` of the clock (times settings.speed; nothing while paused), in whole steps;
// the rest waits for the next call. Returns the number of steps taken.
int32_t vw_stage_advance(vwStage *stage, double seconds);
int32_t vw_stage_step(vwStage *stage); // exactly one step, paused or not; lbStepFlags, or-ed
double vw_stage_time(const vwStage *stage);

typedef struct vwTrace {  // of one advance, for the graphs
  float step_us;          // mean of the steps in it, 0: none
  float kinetic, elastic; // J
} vwTrace;
enum { VW_TRACE_LENGTH = 240 };
// The last `VW_TRACE_LENGTH` advances, oldest first; returns how many there are.
int32_t vw_stage_traces(const vwStage *stage, vwTrace traces[VW_TRACE_LENGTH]);
// What the bodies by cubature say of their models: the largest lb_body_pose_distance and
// lb_body_unfollowed_force of the first body of each actor. False: there are no such bodies.
bool vw_stage_trust(const vwStage *stage, double *pose_distance, double *unfollowed_force);
int32_t vw_stage_flags(const vwStage *stage); // lbStepFlags since the last call of reset
bool vw_stage_behind(const vwStage *stage);   // the budget was too small lately
// What the user should hear of ("This body cannot be held at more points ..."); "" when there is
// nothing. Stays until vw_stage_forget_message.
const char *vw_stage_message(const vwStage *stage);
void vw_stage_forget_message(vwStage *stage);

// ---- hands -------------------------------------------------------------------------------------

// A pointer with an id (touch: several at a time). All return whether they did something.
bool vw_stage_press(vwStage *stage, int32_t pointer, vwTool tool, const vwView *view, double x,
                    double y);
bool vw_stage_move(vwStage *stage, int32_t pointer, const vwView *view, double x, double y);
// `keep`: a grab stays as a pin where it is.
bool vw_stage_release(vwStage *stage, int32_t pointer, bool keep);
void vw_stage_release_all(vwStage *stage); // also pins
bool vw_stage_unpin(vwStage *stage, const vwView *view, double x,
                    double y); // the pin under the pointer

typedef enum vwHoldKind { VW_HOLD_GRAB, VW_HOLD_PIN, VW_HOLD_BALL } vwHoldKind;
typedef struct vwHold { // something a hand does, for drawing and tests
  vwHoldKind kind;
  int32_t hand; // the same for all copies of the body in a comparison
  int32_t actor, body;
  lbVec3 point;  // on the body, m, where it is now
  lbVec3 target; // where the hand is, m
  lbVec3 force;  // N, on the body, in the last step
  double radius; // ball
} vwHold;
// One for each hand and copy of the body that it acts on.
int32_t vw_stage_hold_count(const vwStage *stage);
vwHold vw_stage_hold(const vwStage *stage, int32_t index);

// The first place that a ray hits, for tests and tooltips.
bool vw_stage_pick(vwStage *stage, lbVec3 origin, lbVec3 direction, int32_t *actor, int32_t *body,
                   lbPick *pick);

// ---- what is to be seen ------------------------------------------------------------------------

// Actors: bodies of one model by one method. In a comparison each method is an actor of its own.
typedef struct vwActorView {
  const lbModel *model;
  lbMethod method;
  const char *label; // "subspace, r = 30"
  int32_t body_count;
  int32_t dimension; // 0: drawn by positions
  bool moving;       // their frames too: speed is more than that of coordinates
  bool ghost;        // drawn lightly
} vwActorView;
int32_t vw_stage_actor_count(const vwStage *stage);
vwActorView vw_stage_actor(const vwStage *stage, int32_t actor);
lbVec3 vw_stage_label_place(const vwStage *stage, int32_t actor); // m, just above the actor
// Counts up whenever actors were made anew: skins must then be made again.
int32_t vw_stage_generation(const vwStage *stage);

// Placements (bodies x 7) and coordinates and rates (bodies x dimension; may be NULL).
void vw_stage_state(const vwStage *stage, int32_t actor, float *placements, float *coordinates,
                    float *rates);
// World positions of a body's surface vertices, as lb_body_surface.
void vw_stage_surface(const vwStage *stage, int32_t actor, int32_t body, double *positions);
// The mapped quantity at the model's surface vertices: displacement, speed, stress, contact
// pressure or weights of the chosen frame (vwMap).
void vw_stage_values(const vwStage *stage, int32_t actor, int32_t body, int32_t map,
                     double *values);
// Positions of the volume's nodes in the world (nodes x 3).
void vw_stage_nodes(const vwStage *stage, int32_t actor, int32_t body, double *positions);
vwBox vw_stage_box(const vwStage *stage); // of all bodies now, roughly

// Colliders that are drawn: all but the plane that is the ground. Their number changes with the
// generation alone.
int32_t vw_stage_collider_count(const vwStage *stage);
// Triangles in the collider's own axes; lb_free both.
lbStatus vw_stage_collider_surface(const vwStage *stage, int32_t collider, int32_t *vertex_count,
                                   double **vertices, int32_t *triangle_count, int32_t **triangles,
                                   lbError *err);
// Contacts of the last step; NULL where the scene has none.
const lbContact *vw_stage_contacts(const vwStage *stage, int32_t *count);
double vw_stage_weight(const vwStage *stage); // N, of the heaviest body: what forces compare with
// Position and rotation x y z w; whether it follows a path.
bool vw_stage_collider_placement(const vwStage *stage, int32_t collider, float placement[7]);

// ---- frames ------------------------------------------------------------------------------------

// Of bodies of the method "frames"; none of others. A press with the tool "frame" chooses the frame
// that is there, or puts one into the body; a grab chooses the nearest.
typedef struct vwFrameView {
  lbVec3 position; // in the world
  lbQuat rotation;
  bool chosen;
} vwFrameView;
int32_t vw_stage_frame_count(const vwStage *stage, int32_t actor, int32_t body);
vwFrameView vw_stage_frame(const vwStage *stage, int32_t actor, int32_t body, int32_t frame);
bool vw_stage_frame_remove(vwStage *stage); // the chosen one

// ---- posing ------------------------------------------------------------------------------------

// While a body is posed by handles (the tool "pose") time stands; vw_stage_release_all ends it, and
// so do another tool, method or number of vectors: the motion continues from the pose.
typedef struct vwPoseView {
  bool on;
  int32_t actor, body;
  int32_t handle_count; // one that is being painted counts, as the last
  int32_t chosen;       // whose gizmo is shown; -1: none
  lbVec3 centre;        // of the gizmo, m
  double length;        // of its arrows along x, y, z, m
  double begin, ring;   // where arrows begin, and the radius of the rings, of that length
  int32_t dragged;      // 0 to 2: an arrow, 3 to 5: a ring, 6: the middle, -1: nothing
  int32_t undo_count, redo_count;
  int32_t flags;        // lbEditFlags (limber/edit.h)
  double energy, error; // J; m, greatest distance of a handle's vertex from its target
} vwPoseView;
vwPoseView vw_stage_pose(const vwStage *stage, const vwView *view);
bool vw_stage_posing(const vwStage *stage);
// Places of some vertices of a handle (by its place in the list), at most so many; how many.
int32_t vw_stage_pose_points(const vwStage *stage, int32_t handle, int32_t most, lbVec3 *places);
bool vw_stage_pose_undo(vwStage *stage, bool forth); // false: no state left
bool vw_stage_pose_remove(vwStage *stage);           // the chosen handle
// The surface of the posed body, or of the first, as the text of an .obj, in its own axes; free
// with lb_free.
lbStatus vw_stage_pose_obj(const vwStage *stage, char **obj, lbError *err);

// ---- recording ---------------------------------------------------------------------------------

// Loads that a sketch of forces records (docs/sketch.md): each grab, where it was strongest.
void vw_stage_sketch_begin(vwStage *stage);
bool vw_stage_sketching(const vwStage *stage);
// The recorded sketch as the JSON text that `limber build --basis sketch` reads; free with lb_free.
lbStatus vw_stage_sketch_end(vwStage *stage, char **json, lbError *err);

#endif
