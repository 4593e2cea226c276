// Supports that move: the fixed vertices of a simulated body follow a frame. Their motion is
// prescribed, so it is no unknown: the equations of the free nodes get the inertia M_fc a_c, and
// damping acts on velocities relative to the frame.
#ifndef LB_FEM_SUPPORTS_H
#define LB_FEM_SUPPORTS_H

#include "fem/border.h"

typedef struct lbSupports {
  const lbFem *fem;
  lbSupportMotion begin, end; // frames at the ends of the step; no arrays
  lbSupportMotion now, next;  // and of the part of it under way, most often the whole
  double *begin_u, *begin_v;  // full, 0 at free vertices, at the step's beginning
  double *end_u, *end_v;      // at its end
  double *u, *v, *a;          // at the end of the part under way
  double *end_a;              //
  double *inertia, *relative; // system: M_fc a_c; velocities relative to the frame
  double *product;            // full, work
} lbSupports;

lbStatus lb_supports_create(const lbFem *fem, lbSupports **out, lbError *err);
void lb_supports_destroy(lbSupports *supports); // NULL is legal
lbStatus lb_supports_check(const lbFem *fem, const lbSupportMotion *motion, lbError *err);

// Takes over the motion at the end of the next step; u, v: the state (full) that it begins from.
void lb_supports_set(lbSupports *supports, const lbBorder *border, const lbSupportMotion *motion,
                     const double *u, const double *v);
// Prepares part `part` (from 0) of a step of h seconds that is taken in `parts` equal ones: fixed
// vertices and frame on cubics between the two ends, and accelerations that lead from velocity to
// velocity.
void lb_supports_part(lbSupports *supports, const lbBorder *border, double h, int32_t part,
                      int32_t parts);
// The step in one again, after parts of it failed.
void lb_supports_whole(lbSupports *supports, const lbBorder *border);
// The step or part under way has been taken.
void lb_supports_commit(lbSupports *supports);

// The fixed entries of a full vector, from one of supports' own.
void lb_supports_put(const lbSupports *supports, const double *from, double *to);
// Velocities of the free nodes (system) relative to the frame at the step's end, at a displacement
// (full): v − v_0 − ω × (x − x_0). The result is the supports' own.
const double *lb_supports_relative(lbSupports *supports, const double *displacement,
                                   const double *velocity);
// The displacements of the free nodes after they have moved with the frame from now to the step's
// end.
void lb_supports_follow(const lbSupports *supports, const double *from, double *to);
// x -> R x + shift for frames and prescribed rows. Between steps.
void lb_supports_carry(lbSupports *supports, const double rotation[4], const double shift[3]);

#endif
