// limber/haptics.h: feeling a body: a loop of a thousand steps a second between a force-feedback
// device and a body.
//
// The device's tool is a ball that the surface keeps out, or a grip on a place of the surface. A
// spring and a damper lie between device and body (the virtual coupling). Each tick takes the
// device's last position, finds what is touched, and steps the body; the force is found inside that
// step; the body gets it with the opposite sign. The loop runs on a thread of its own
// (lb_haptics_start), or a host with a thread of its own, a device's callback, calls
// lb_haptics_tick.
//
// While the loop runs, the body belongs to it: calls on the body from other threads are forbidden.
// What must happen to it meanwhile (loads, constraints) belongs in lbHapticsDef.before_step; or
// stop, change it, start again. Other threads talk to the loop through lb_haptics_set_device,
// lb_haptics_force, lb_haptics_state and lb_haptics_report, none of which waits or makes it wait.
//
// A tick looks at a bounded number of nodes and triangles (lbHapticsDef.node_limit,
// triangle_limit), whatever the size of the mesh, allocates nothing, and takes no lock.
#ifndef LIMBER_HAPTICS_H
#define LIMBER_HAPTICS_H

#include "limber/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbHaptics lbHaptics;

typedef enum lbHapticsTool {
  LB_HAPTICS_BALL, // touches the surface from where it was put; no friction
  LB_HAPTICS_GRAB, // holds a place of the surface while the button is down
} lbHapticsTool;

typedef struct lbHapticsDef {
  lbHapticsTool tool;  // default LB_HAPTICS_BALL
  double rate;         // ticks a second, 10 to 10000 Hz; default 1000
  double radius;       // of the ball, m; default 0: a twentieth of the surface's longest side at
                       // rest. The ball follows the device by at most a radius a tick in
                       // the air, a quarter of it near the surface
  double reach;        // grab: how far from the device the surface may be, m; default 0: two radii
  const lbPoint *grip; // grab: always this place, however far; default NULL: the nearest one
  double stiffness;    // k of the coupling, N/m, > 0; default 500. The body feels it inside its
                       // own step: stable at any stiffness
  double damping;      // b of the coupling, N s/m, >= 0; default 1; at least k / rate is used,
                       // since a sampled spring gives a device energy
  double force_limit;  // N, > 0; default 10: limit of the force on the device and on the body
  int32_t node_limit;  // search nodes looked at a tick, 16 to 65536; default 512
  int32_t triangle_limit; // triangles looked at a tick, 8 to 4096; default 256
  int32_t contact_limit;  // places touched at a time, 1 to 64; default 12
  bool urgent;            // ask the system for real-time priority for the loop; default false
  // Called on the loop's thread (or in lb_haptics_tick) at the start of each tick. May do anything
  // to the body, in little time, and is the place to ask a device that answers at once and to call
  // lb_haptics_set_device and lb_haptics_force (then no other thread may). Default NULL.
  void (*before_step)(lbBody *body, double time, void *context);
  void *context;
} lbHapticsDef;

lbHapticsDef lb_haptics_def(void);
// The body must outlive it, and must not be one of a batch.
lbStatus lb_haptics_create(lbBody *body, const lbHapticsDef *def, lbHaptics **out, lbError *err);
void lb_haptics_destroy(lbHaptics *haptics); // stops it first; NULL is legal

// ---- the loop ----------------------------------------------------------------------------------

// Start and stop belong to one thread at a time. Stop waits for the tick under way and puts the
// force to zero; stopping what does not run is legal. A stopped loop can be started again.
lbStatus lb_haptics_start(lbHaptics *haptics, lbError *err);
void lb_haptics_stop(lbHaptics *haptics);
bool lb_haptics_running(const lbHaptics *haptics);

// One tick of dt seconds on the calling thread. Returns the body's lbStepFlags; LB_STEP_REFUSED,
// with nothing done, while the loop runs or when dt is not from 1e-6 to 0.1.
int32_t lb_haptics_tick(lbHaptics *haptics, double dt);

// ---- the device --------------------------------------------------------------------------------

// From one thread at a time: where the device is (m), its velocity (m/s; zero where it is not
// known), its button. Wait-free. Numbers that are not finite, or beyond 1e100, are refused and the
// last ones stay. The ball begins where the device first is: that should be outside of the body.
lbStatus lb_haptics_set_device(lbHaptics *haptics, lbVec3 position, lbVec3 velocity, bool button);
// From one thread at a time: the force for the device in N, of the last tick. Wait-free.
lbVec3 lb_haptics_force(lbHaptics *haptics);

// ---- what it looks like ------------------------------------------------------------------------

typedef struct lbHapticsState {
  int64_t tick;          // ticks done; coordinates and time are those at the end of the last
  double time;           // of the body, s
  lbVec3 device, tool;   // m: the device as that tick saw it, the ball's centre or place held
  lbVec3 force;          // N, on the device
  int32_t contact_count; // places touched; 1 while something is held
  bool held;             // grab: something is
} lbHapticsState;

// From one thread at a time: the last tick, whole. `coordinates` and `rates` (each the body's
// dimension) may be NULL; lb_body_set_state of another body of the same model shows them. Before
// the first tick: the body as it was at creation. Wait-free.
lbHapticsState lb_haptics_state(lbHaptics *haptics, double *coordinates, double *rates);

// ---- how it runs -------------------------------------------------------------------------------

#define LB_HAPTICS_BINS 384 // of the histogram of step times: 16 an octave, from 64 ns on

typedef struct lbHapticsReport {
  int64_t ticks;   // all of them; the rest counts since the last reset
  int64_t missed;  // ticks that began more than a period late
  int64_t skipped; // periods left out because of that: the loop never runs after them
  int64_t overran; // ticks that took longer than their period
  int64_t dropped; // ticks that met node_limit, triangle_limit or contact_limit within the ball's
                   // reach: some surface may have been overlooked; of a tool: some contacts
  int64_t failed;  // steps that ended not finite or not converged
  double late;     // s, the latest beginning of a tick
  double step_median, step_p99, step_p999; // s: upper ends of the histogram's bins
  double step_worst;                       // s
  bool urgent;                             // real-time priority was granted
  int64_t bins[LB_HAPTICS_BINS];           // step times
} lbHapticsReport;

// From any thread at any time; while the loop runs, its numbers may be of neighbouring ticks.
void lb_haptics_report(const lbHaptics *haptics, lbHapticsReport *report);
void lb_haptics_reset_report(lbHaptics *haptics);
double lb_haptics_bin_end(int32_t bin); // s: times of the bin are below

// ---- a tool in a world -------------------------------------------------------------------------

// A rigid tool of any of the shapes of colliders against all bodies of a world, through the same
// contacts as everything else there (limber/contact.h). A tick is one step of the world, with the
// tool on its way to the pose of the device, whose force and torque it then has. Either the loop
// runs on a thread of its own (lb_tool_start) and the world belongs to it, as bodies do above; or a
// host with a thread of its own, a device's callback, calls lb_tool_tick.
//
// What bounds the time of a tick: the bodies of the world and lbWorldSettings.contacts_most
// (docs/haptics.md has the figures). Ticks take no memory.
typedef struct lbTool lbTool;

typedef struct lbToolDef {
  lbColliderDef shape; // with its first pose; any but a plane; default a ball of 0.02 m radius
  double speed_limit;  // m/s, > 0; default 2: the tool follows the device no faster,
  double turn_limit;   // rad/s, > 0; default 20: nor turns faster
  double force_limit;  // N, > 0; default 10: limit on the device (the full force acts on the world)
  double torque_limit; // N m, > 0; default 1
  // The virtual coupling: with a finite stiffness the tool is a rigid body of its own (no mesh)
  // that hangs on a spring and a damper from the device, which feels these instead of the contacts.
  // The tool has as much inertia as makes them stable at any stiffness; gravity does not act on it.
  double stiffness;      // N/m, > 0; default INFINITY: the tool is where the device is
  double damping;        // N s/m, >= 0; default 0
  double turn_stiffness; // N m/rad, >= 0; default 1
  double turn_damping;   // N m s/rad, >= 0; default 0
  double density;        // kg/m³, > 0; default 1000: of such a tool, at least
  // The loop.
  double period; // s, 1e-4 to 0.1; default 0.001: of ticks; in longer ones the spring is softer
  bool urgent;   // ask the system for real-time priority for the loop; default false
  bool shown;    // ticks leave the state of the world for lb_tool_show; default false
  // Called at the start of each tick, on the loop's thread or in lb_tool_tick: the place for
  // whatever else is to happen to the world, in little time, and to ask a device that answers at
  // once (what lb_tool_set_device sets there counts in this tick of the loop). Default NULL.
  void (*before_step)(lbWorld *world, double time, void *context);
  void *context;
} lbToolDef;

typedef struct lbToolState {
  lbVec3 position; // m
  lbQuat rotation;
  lbVec3 force, torque; // N, N m about the position: on the tool, within the limits
  bool limited;         // there was more
  int64_t tick;         // ticks done; all of this is of the last one
  double time;          // of the world, s
  int32_t flags;        // lbStepFlags of it
} lbToolState;

lbToolDef lb_tool_def(void);
// The world, with contact, must outlive it.
lbStatus lb_tool_create(lbWorld *world, const lbToolDef *def, lbTool **out, lbError *err);
void lb_tool_destroy(lbTool *tool); // stops it first; NULL is legal

// One tick of dt seconds on the calling thread. Returns lbStepFlags; LB_STEP_REFUSED, with nothing
// done, for a dt or a pose that is not one, and while the loop runs.
int32_t lb_tool_tick(lbTool *tool, lbVec3 position, lbQuat rotation, double dt);

// As lb_haptics_start and lb_haptics_stop: a tick each `period`. Until a device is set the tool
// stays where it is. Stopping puts force and torque to zero.
lbStatus lb_tool_start(lbTool *tool, lbError *err);
void lb_tool_stop(lbTool *tool);
bool lb_tool_running(const lbTool *tool);

// Each from one thread at a time, wait-free. Poses that are not finite, or beyond 1e100, are
// refused and the last one stays.
lbStatus lb_tool_set_device(lbTool *tool, lbVec3 position, lbQuat rotation);
lbToolState lb_tool_state(lbTool *tool); // the last tick, whole
// From one thread at a time, for drawing while the loop runs: another world with the same bodies,
// colliders and joints, made in the same order, and a tool of its own that is never ticked, gets
// the state of the last tick (lb_world_restore_state). For tools with lbToolDef.shown; bodies,
// colliders and joints must all be there when the loop starts.
lbStatus lb_tool_show(lbTool *tool, lbWorld *shown, lbError *err);

// As lb_haptics_report: of all ticks, those of lb_tool_tick too.
void lb_tool_report(const lbTool *tool, lbHapticsReport *report);
void lb_tool_reset_report(lbTool *tool);

#ifdef __cplusplus
}
#endif
#endif
