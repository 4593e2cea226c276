// The guard of a world's step: it checks what became of each island and has those that failed take
// the whole step again, in more substeps or by a safer integrator. Nothing else takes a step again.
//
// An island fails where a body's own step fails or is not finite, where contacts end far from where
// their forces were to bring them, or where its bodies have gained energy that nothing gave them.
// How it takes the step is its take (body/guard.h), with `substeps_max` of the world's settings.
#ifndef LB_WORLD_GUARD_H
#define LB_WORLD_GUARD_H

#include "world/reserve.h"
#include "world/world.h"

typedef struct lbColliderShare { // of a body in the force on a collider
  int32_t collider, next;        // next of the same body; -1: none
  lbVec3 force, torque;          // N, N m: means over the step so far
} lbColliderShare;

// Of an island's bodies in a substep.
typedef struct lbBalance {
  double gain;     // J: of energy, less the work that was done
  double level;    // J: kinetic and elastic energy, and m g size
  double account;  // J
  double noise;    // J, rounding of the energies
  double supplied; // J: work of colliders and driven frames
  double fastest;  // m/s: of these
  double parted;   // J: work of contacts that end an overlap
  double lift;     // m: the most that one of these takes back
  double parting;  // J: kinetic energy of bodies that part so fast
  double mass;     // kg
  bool leans;      // on what does not move by forces
  bool known;
} lbBalance;

typedef struct lbGuard {
  lbGuardCounts counts;
  bool restores; // bodies of this step can be restored
  size_t state_room;
  size_t *state_begin;  // (slots + 1): of each body in
  char *states;         // (state_room): where the step began
  char *work;           // (state_room)
  double *times;        // (slot_room) s, where the step began
  lbFrameState *frames; // (slot_room): where the step began
  lbBalance *balances;  // (slot_room): of islands
  double *energies;     // (slot_room) J, where the substep began; NAN: not known
  int32_t *causes;      // (slot_room): lbFailure of the island of which a slot is the first
  int32_t *islands;     // (slot_room): work, of pairs that could touch
  int32_t *first_share; // (slot_room): in `shares`; -1: none
  int32_t share_room, share_count;
  lbColliderShare *shares; // (share_room)
} lbGuard;

// Room for the states of all bodies, and for `slots` slots and `contacts` contacts (0: as it was);
// when there is memory for all of it, in use.
void lb_guard_reserve(lbReservation *r, const lbWorld *world, lbGuard *guard, int32_t slots,
                      int32_t contacts);
void lb_guard_set_room(const lbWorld *world, lbGuard *guard, int32_t contacts);
void lb_guard_release(lbGuard *guard);

// A step begins: all bodies take it at once.
void lb_guard_begin(lbWorld *world);
int32_t lb_guard_substeps(const lbWorld *world);
// Substep i of n begins for the islands that move in it.
void lb_guard_open(lbWorld *world, int32_t i, int32_t n);
// Saves bodies that paths, loads and attachments act on, before these do; and bodies with rows.
void lb_guard_save_targets(lbWorld *world);
void lb_guard_save_islands(lbWorld *world);
// When pairs are known: islands whose joints turn or swing too far for one substep wait for their
// own; true: there are some.
bool lb_guard_defer(lbWorld *world);
// Energies before the substep; then, when bodies have taken it, whether islands failed, and, when
// impulses have acted, whether they gained energy.
void lb_guard_weigh(lbWorld *world);
bool lb_guard_check_steps(lbWorld *world);
void lb_guard_check_energy(lbWorld *world);
// kg: the mass of the lighter body of a contact.
struct lbWorldContact;
double lb_guard_lighter_mass(const lbWorld *world, const struct lbWorldContact *contact);
// For guard_energy.c: the last take; causes by island, from none on; an island fails; those that
// failed take the step again (false: none, or it was the last take); a body where the step began,
// half as fast.
int32_t lb_guard_last_take(const lbWorld *world);
void lb_guard_clear_causes(lbWorld *world);
void lb_guard_mark(lbWorld *world, int32_t slot, lbFailure cause);
bool lb_guard_raise_marked(lbWorld *world);
void lb_guard_restore_slower(lbWorld *world, int32_t slot, lbVec3 drift);
// Adds a force on a collider by a body's contact.
void lb_guard_add_share(lbWorld *world, int32_t slot, int32_t collider, lbVec3 force,
                        lbVec3 torque);
// The next take of islands that failed; false: all have taken the step.
bool lb_guard_next(lbWorld *world);
void lb_guard_end(lbWorld *world);

#endif
