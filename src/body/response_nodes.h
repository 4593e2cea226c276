// Compliance of an unreduced body, whose contact points are as many as the vertices of its
// surface that touch. A column of J A⁻¹ Jᵀ costs a solution with the step's matrix A, so that the
// matrix between the points is an approximation, and what all forces do together is found exactly
// by one solution. world/compliance.c brings the two together.
#ifndef LB_BODY_RESPONSE_NODES_H
#define LB_BODY_RESPONSE_NODES_H

#include "body/response.h"

enum { LB_NODAL_POINTS = 256 }; // of such a body, at most

static inline bool lb_touch_is_nodal(const lbBody *body) { return body->prepared->has_node_blocks; }

// Numbers of lbScratch.touch_work for the calls below, and where they begin in it.
size_t lb_touch_nodal_room(const lbPrepared *prepared);
size_t lb_touch_nodal_begin(const lbPrepared *prepared);

// After lb_touch_ways of the same points, instead of lb_touch_moves: matrix (3 count x 3 count,
// zeros before) <- symmetric and positive, the blocks of single nodes and the rigid motion of a
// free body.
void lb_touch_estimate_moves(const lbTouching *touching, int32_t count,
                             const lbContactPoint *points, double *matrix);
// The same instead of lb_touch_speeds, after lb_touch_velocities.
void lb_touch_estimate_speeds(const lbBody *body, lbScratch *scratch, int32_t count,
                              const lbContactPoint *points, double *matrix);
// moves (count x 3, along the axes) <- exactly what forces (count x 3) held over an open step do to
// the points at its end; without a step, what impulses do to their velocities.
void lb_touch_find_moves(const lbBody *body, const lbStep *step, lbScratch *scratch, int32_t count,
                         const lbContactPoint *points, const double *forces, double *moves);
// matrix += one such solution for each direction of at most LB_BODY_POINTS points, where there is
// no estimate.
void lb_touch_add_columns(const lbBody *body, const lbStep *step, lbScratch *scratch, int32_t count,
                          const lbContactPoint *points, double *matrix);
// Right after lb_touch_find_moves in an open step: the step has these forces from now on, so that
// their response is not worked out again.
void lb_touch_expect(lbBody *body, lbScratch *scratch);

#endif
