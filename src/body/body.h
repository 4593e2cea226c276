// Inside the body layer: everything that its files share.
//
//   shared.h          what bodies of one model share, and working memory
//   floating_frame.h  the rigid motion that a body deforms relative to
//   state.h           a body and a step of it
//   method.h          what a method is
//
// Other layers include body/access.h instead.
#ifndef LB_BODY_BODY_H
#define LB_BODY_BODY_H

#include "base/refuse.h"
#include "body/floating_frame.h"
#include "body/method.h"
#include "body/shared.h"
#include "body/state.h"

// ---- creation (create.c) -----------------------------------------------------------------------

// lb_body_create with the kernels of another level than the best, one that lb_simd_has.
lbStatus lb_body_create_at(const lbModel *model, const lbBodyDef *def, lbSimdLevel level,
                           lbBody **out, lbError *err);
lbStatus lb_batch_create_at(const lbModel *model, const lbBatchDef *def, lbSimdLevel level,
                            lbBatch **out, lbError *err);
// Bodies that lie together; positions and rotations may be NULL: the def's.
lbStatus lb_group_create(const lbPrepared *prepared, const lbBodyDef *def, int32_t count,
                         const lbVec3 *positions, const lbQuat *rotations, lbBodyGroup **out,
                         lbError *err);
void lb_group_destroy(lbBodyGroup *group);

// ---- a step (step.c, return_to_rest.c) ---------------------------------------------------------

// One step of a body, whatever its method (step.c), and its pieces: what comes before the first
// linearisation of a part, what comes after it, and the whole step after an attempt by the first
// rule.
// What was applied for the next step, and where the frame was to go, is dropped.
void lb_body_clear_forces(lbBody *body);
int32_t lb_body_advance(lbBody *body, double h, lbScratch *scratch);
int32_t lb_part_prepare(lbBody *body, lbStep *step, lbScratch *scratch);
int32_t lb_part_open(lbBody *body, lbStep *step, lbScratch *scratch); // and the linearisation
// Opens a step that stays open (open_step.c) in a scratch of its own, body->open. False: no memory,
// an absurd state.
bool lb_part_keep_open(lbBody *body, const lbStep *step);
// Inertial forces with the coordinates that came out, unless they are known.
void lb_part_correct(lbBody *body, lbStep *step, lbScratch *scratch);
// The open step <- with the forces that contacts hold now: scratch->q without constraints.
void lb_part_join(lbBody *body, lbScratch *scratch);
int32_t lb_part_close(lbBody *body, lbStep *step, lbScratch *scratch, int32_t flags);
// One attempt at a step: the one that is open, if it is this one, or all of it. Flags.
int32_t lb_part_take(lbBody *body, lbStep *step, lbScratch *scratch);
int32_t lb_body_conclude(lbBody *body, double h, int32_t flags, lbScratch *scratch);
// The way back to rest (return_to_rest.c): begins after a step that ended stuck, goes on unless
// something holds or touches the body, and is a step of its own.
void lb_return_to_rest_begin(lbBody *body, lbScratch *s);
bool lb_return_to_rest_goes_on(lbBody *body);
int32_t lb_return_to_rest_step(lbBody *body, double h, lbScratch *scratch);

// ---- state, points and arithmetic --------------------------------------------------------------

lbStatus lb_body_refuse_recording(const lbBody *body, const char *what);
// Another time, which recordings follow at once.
lbStatus lb_body_set_time(lbBody *body, double time);
lbStatus lb_time_step_refuse(double dt, lbError *err);
// Adds an impulse whose reduced share is scratch->b; moment about the frame's centre.
lbStatus lb_body_add_impulse(lbBody *body, lbVec3 impulse, lbVec3 moment, lbScratch *scratch);
// lb_body_set_state with scratch; spoils its a and b.
lbStatus lb_body_put_state(lbBody *body, const double *coordinates, const double *rates,
                           lbScratch *scratch);
// A rotation of unit length; false when q has zero or non-finite length.
bool lb_rotation_make_unit(lbQuat *q);
lbStatus lb_check_placement(lbVec3 position, lbQuat *rotation, lbError *err);
// lb_body_save_state, into bytes that only lb_body_restore_state is to read.
lbStatus lb_body_keep_state(const lbBody *body, void *bytes);
// Forces on the next step are those that a saved state has; work (lb_body_state_bytes).
lbStatus lb_body_add_saved_forces(lbBody *body, const void *saved, void *work);

// Displacements (and velocities; either may be NULL) of nodes [begin, end), own axes, at their
// places in (nodes x 3), for rows of coordinates and rates.
void lb_body_nodes(const lbBody *body, const double *q, const double *v, int32_t begin, int32_t end,
                   double *displacements, double *velocities);

// World position of a surface vertex, from the displacements of its nodes (nodes x 3).
lbVec3 lb_surface_vertex(const lbBody *body, const double *nodes, int32_t vertex);
void lb_surface_positions(const lbBody *body, double *positions, lbScratch *scratch);
// World position of a point that was checked.
lbVec3 lb_point_place(const lbBody *body, const lbPoint *point, lbScratch *scratch);

// In four sums, which do not wait for each other.
static inline double lb_row_dot(int32_t count, const double *a, const double *b) {
  double sums[4] = { 0, 0, 0, 0 };
  int32_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; k++) sums[k] += a[i + k] * b[i + k];
  for (; i < count; i++) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

#endif
