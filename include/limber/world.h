// limber/world.h: bodies that move together through one time: gravity, loads, frames that follow
// paths, probes, steps, and states of all of it to go back to.
//
// A world owns its bodies and everything that is added to it; models and paths are the caller's and
// must outlive it (but those of lb_world_open, whose paths are the world's own). Bodies are
// ordinary ones (limber/body.h), named by ids that stay valid until the body is removed and are
// refused afterwards. Calls that can fail say why in an lbError, which may be NULL. A world is used
// by one thread at a time.
#ifndef LIMBER_WORLD_H
#define LIMBER_WORLD_H

#include "limber/body.h"
#include "limber/path.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbWorld lbWorld;
typedef uint64_t lbBodyId;       // 0: none
typedef uint64_t lbLoadId;       // 0: none
typedef uint64_t lbAttachmentId; // 0: none

typedef struct lbWorldSettings {
  lbVec3 gravity;       // m/s², default 0; what body defs say of gravity is not looked at
  int32_t substeps;     // equal parts that each step is taken in, 1 to 1000; default 1
  int32_t substeps_max; // of bodies that touch or are jointed, where a part of the step fails
                        // (lbGuardCounts); 1 to 64, default 16
  void *user_data;      // lb_world_user_data gives it back; default NULL
  bool contact;         // bodies touch each other and colliders (limber/contact.h); default false
  // Of bodies and colliders that have no value of their own (lbContactMaterial):
  double friction;         // μ >= 0; default 0.5
  double compliance;       // m/N, >= 0; default 0: contacts are rigid
  double restitution;      // 0 to 1; default 0
  double rolling_friction; // m, >= 0; default 0
  int32_t contacts_most;   // 1 to 100000, in a step; default 16384. The deepest are kept
  bool self;               // bodies touch themselves too; default false
  bool sleep; // bodies that touch and have come to rest sleep (limber/contact.h); default true
} lbWorldSettings;

lbWorldSettings lb_world_settings(void);
lbStatus lb_world_create(const lbWorldSettings *settings, lbWorld **out, lbError *err);
// The world of a cooked file at t = 0: body i of the file is lb_world_body_at(world, i), and probes
// have the numbers of the file. Bodies of one model, method and kind of frame are stepped together.
// The bundle must outlive the world. `substeps`, `substeps_max` (where the file has none) and
// `user_data` of the settings count, or NULL; where the file has substeps of its own, each of them
// is taken in so many parts.
lbStatus lb_world_open(const lbBundle *bundle, const lbWorldSettings *settings, lbWorld **out,
                       lbError *err);
// The def that lb_world_open uses for a body of a cooked file, for callers that create the body
// themselves: method, frame, integrator and the limits of Newton's method.
lbBodyDef lb_world_body_def(const lbWorldDef *def, int32_t body);
void lb_world_destroy(lbWorld *world); // NULL is legal

double lb_world_time(const lbWorld *world); // s
// Goes on at another time: frames that follow paths and bodies that play recordings are at once
// where they are at that time. Nothing is felt of it; all other bodies stay as they are.
lbStatus lb_world_set_time(lbWorld *world, double seconds, lbError *err);
lbVec3 lb_world_gravity(const lbWorld *world);
lbStatus lb_world_set_gravity(lbWorld *world, lbVec3 gravity, lbError *err); // for all bodies
void *lb_world_user_data(const lbWorld *world);
void lb_world_set_user_data(lbWorld *world, void *data);

// ---- bodies ------------------------------------------------------------------------------------

lbStatus lb_world_add(lbWorld *world, const lbModel *model, const lbBodyDef *def, lbBodyId *id,
                      lbError *err);
// Many bodies of one model, which are stepped together; ids (def->count). A body of a batch that is
// removed leaves its place in it, which is stepped along until the last one is removed.
lbStatus lb_world_add_batch(lbWorld *world, const lbModel *model, const lbBatchDef *def,
                            lbBodyId *ids, lbError *err);
// The same at given places (def->count), ascending and free: lb_world_body_at(world, places[i]) is
// body i once all places before it are taken. Contacts are found in this order, so a caller that
// creates the bodies of a scene in another order gets the same bits.
lbStatus lb_world_add_batch_at(lbWorld *world, const lbModel *model, const lbBatchDef *def,
                               const int32_t *places, lbBodyId *ids, lbError *err);
// Removes the body with its loads and attachments; probes on it become invalid.
lbStatus lb_world_remove(lbWorld *world, lbBodyId id, lbError *err);
// NULL: unknown or removed body. It belongs to the world; do not step or destroy it.
lbBody *lb_world_body(const lbWorld *world, lbBodyId id);
int32_t lb_world_body_count(const lbWorld *world);
// In the order in which they were added, as long as none was removed; 0: no such index.
lbBodyId lb_world_body_at(const lbWorld *world, int32_t index);

// The frame of a body made with LB_FRAME_DRIVEN follows a path from now on: it is there at once,
// with the path's velocity. Neither this nor the path's cuts cause inertial forces. NULL: it stands
// still.
lbStatus lb_world_drive(lbWorld *world, lbBodyId id, const lbPath *path, lbError *err);
// The same with everything moved by `shift` (m): for copies beside each other.
lbStatus lb_world_drive_beside(lbWorld *world, lbBodyId id, const lbPath *path, lbVec3 shift,
                               lbError *err);

// A fixed frame of a body of the method "frames" (lb_body_drive_joint) follows a path from now on,
// in the body's own axes: it is at position + rotation arm, turned by rotation, at once. NULL: it
// stays where it is. The path must outlive the world.
lbStatus lb_world_drive_joint(lbWorld *world, lbBodyId id, int32_t joint, const lbPath *path,
                              lbVec3 arm, lbError *err);

// lb_body_set_material for a body and all those that were added with it (lb_batch_set_material).
lbStatus lb_world_set_material(lbWorld *world, lbBodyId id, int32_t material, double young,
                               double poisson, double density, lbError *err);

// The first place of any surface that the ray hits, as lb_body_pick, and whose. *id is 0 where
// there is none.
lbStatus lb_world_pick(const lbWorld *world, lbVec3 origin, lbVec3 direction, lbBodyId *id,
                       lbPick *pick, lbError *err);

// ---- loads -------------------------------------------------------------------------------------

typedef struct lbLoad {
  lbBodyId body;
  lbPoint point;
  lbVec3 force; // N, world axes
  double from;  // s, default -INFINITY: acts in steps whose end time t has from < t <= to
  double to;    // s, default INFINITY
} lbLoad;

lbLoad lb_load(void);
// Whether a load acts in the step of h seconds that ends at t; all methods use this rule. End times
// are sums of steps: 3 x 0.1 counts as 0.3. At t = 0, for the initial acceleration, loads without
// `from` act and those with `from` 0 do not.
bool lb_load_acts(double from, double to, double t, double h);
lbStatus lb_world_add_load(lbWorld *world, const lbLoad *load, lbLoadId *id, lbError *err);
lbStatus lb_world_remove_load(lbWorld *world, lbLoadId id, lbError *err);

// ---- attachments -------------------------------------------------------------------------------

// A point of a body that goes where a path says, by whatever method the body moves: a constraint
// (limber/body.h) whose target moves. With X where the undeformed point stood in the world when it
// was attached, the target is at position(t) + rotation(t) X, as points of a frame are.
typedef struct lbAttachment {
  lbBodyId body;
  lbPoint point;
  const lbPath *path; // default NULL: the target stands
  lbVec3 shift;       // m, default 0: of everything, for copies beside each other
  double stiffness;   // N/m, >= 0; default INFINITY: hard. Otherwise a spring from the target
  double damping;     // N s/m, >= 0, of the spring; default 0
  double from;        // s, default -INFINITY: holds in steps whose end time t has from < t <= to
  double to;          // s, default INFINITY
} lbAttachment;

lbAttachment lb_attachment(void);
// The body gets room for one more constrained point (refused beyond 256), so states that were saved
// before are of another size: attach first.
lbStatus lb_world_attach(lbWorld *world, const lbAttachment *attachment, lbAttachmentId *id,
                         lbError *err);
// Attachment number `index` of a cooked world, for callers that create the bodies themselves: all
// but its body; `paths` are those of the file, in its order.
lbAttachment lb_world_attachment(const lbWorldDef *def, int32_t index, lbPath *const *paths);
lbStatus lb_world_detach(lbWorld *world, lbAttachmentId id, lbError *err);

// ---- probes ------------------------------------------------------------------------------------

// *probe counts from 0.
lbStatus lb_world_add_probe(lbWorld *world, lbBodyId body, lbPoint point, int32_t *probe,
                            lbError *err);
int32_t lb_world_probe_count(const lbWorld *world);
// rest: where the undeformed point stood when the probe was added; displacement: where it is now,
// minus that, the frame's motion included. Both (or NULL) are in world axes, m.
lbStatus lb_world_probe(const lbWorld *world, int32_t probe, lbVec3 *rest, lbVec3 *displacement,
                        lbError *err);

// ---- the step ----------------------------------------------------------------------------------

// What the guard of the step did since the world was made, summed over bodies. Bodies that touch or
// are jointed move in islands; where an island's step fails (a body's step does not converge,
// contacts end elsewhere than they should, or energy is created), the guard restores its bodies and
// has them take the step again.
typedef struct lbGuardCounts {
  int64_t restored; // bodies restored to where the step began
  int64_t halved;   // of them to take it in twice as many substeps
  int64_t damped;   // bodies slowed down where the last try, too, created energy
} lbGuardCounts;
lbGuardCounts lb_world_guard(const lbWorld *world);

// Advances by dt seconds, in `substeps` equal parts. Returns lbStepFlags of all bodies, or-ed:
// LB_STEP_REFUSED, and nothing was done, for a dt that is not a positive number. Takes no memory,
// but where frames come and go at contacts (lb_world_set_contact_frames).
int32_t lb_world_step(lbWorld *world, double dt);
// A body whose steps take long: it moves at every `every`-th part of the world's steps (1 to 1000;
// default 1), by as many parts at once, with the loads that act at their end. For all bodies that
// were added with it.
lbStatus lb_world_set_pace(lbWorld *world, lbBodyId id, int32_t every, lbError *err);
// s: how long the step is that a body takes in the world's next step, of dt, without substeps; 0:
// it waits, or there is no such body.
double lb_world_next_step(const lbWorld *world, lbBodyId id, double dt);
// What one body's last step returned, all parts or-ed; LB_STEP_REFUSED: no such body.
int32_t lb_world_body_flags(const lbWorld *world, lbBodyId id);
// s of wall time that one body's last step took; of bodies that are stepped together, its share.
double lb_world_body_seconds(const lbWorld *world, lbBodyId id);

// ---- states ------------------------------------------------------------------------------------

// Time, gravity and the states of all bodies, without loads, paths, attachments and probes. After
// restoring a world repeats the steps after saving, to the last bit. The number of bytes
// changes when bodies are added or removed, and by nothing else. Refused, and the world stays as it
// is: buffers that are too short, of another version, of a world with other bodies (or the same
// ones added and removed in another order), damaged ones.
size_t lb_world_state_bytes(const lbWorld *world);
lbStatus lb_world_save_state(const lbWorld *world, void *bytes, size_t byte_count, lbError *err);
lbStatus lb_world_restore_state(lbWorld *world, const void *bytes, size_t byte_count, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
