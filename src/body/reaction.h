// What a body's own constraints hold back of a force or an impulse that others find.
//
// With A⁻¹ the response of a body (of shape and frame) and F the rows of its constraints, these
// react to a force f with -S⁻¹ Fᵀ A⁻¹ f, S = Fᵀ A⁻¹ F + c. So others see the compliance
//
//   A_c⁻¹ = A⁻¹ - A⁻¹ F S⁻¹ Fᵀ A⁻¹ = A⁻¹ - Σ m_j m_jᵀ,   m_j = A⁻¹ l_j,   L = F P L_S⁻ᵀ D^-½,
//
// where L_S D L_Sᵀ are the pivoted factors of S: rows that depend on others are left out. Of forces
// A⁻¹ is what a held force does over the step, of impulses the inverse mass; c is the compliance of
// springs, in the unit of either. Constraints whose forces act elsewhere than where they measure
// have no symmetric compliance; they count as absent here.
#ifndef LB_BODY_REACTION_H
#define LB_BODY_REACTION_H

#include "body/constraints.h"
#include "body/response.h"

// Over a step: after lb_constraints_solve in a step that is open, with the inverse inertia of a
// free frame (world axes) in the step's middle.
void lb_reaction_find(lbBody *body, const lbStep *step, lbMat3 mobility);
// To impulses at the body's state, with scratch->q0; mobility and `coupled` as lb_touch_speeds.
void lb_reaction_find_speeds(const lbBody *body, lbMat3 mobility, bool coupled, lbScratch *scratch);

// How many vectors m there are: 0 where nothing holds the body.
static inline int32_t lb_reaction_rank(const lbBody *body) {
  return lb_body_is_constrained(body) ? body->constraints->reaction.rank : 0;
}
// m_jᵀ f of a force: its reduced share (NULL: none), the force itself, its moment about the centre.
double lb_reaction_along(const lbBody *body, int32_t j, const double *reduced, lbVec3 force,
                         lbVec3 torque);
// along (3 count) <- how m_j moves contact points along their axes; `centre` is the frame's.
void lb_reaction_move(const lbBody *body, int32_t j, lbMat3 turn, lbVec3 centre, int32_t count,
                      const lbContactPoint *contact_points, double *along);
// matrix (3 count x 3 count) <- less what the constraints hold back.
void lb_reaction_subtract(const lbBody *body, lbMat3 turn, lbVec3 centre, int32_t count,
                          const lbContactPoint *contact_points, double *matrix);
// The same of a product: moved (3 count x width of lb_touch_width).
void lb_reaction_subtract_rows(const lbBody *body, lbMat3 turn, lbVec3 centre, int32_t count,
                               const lbContactPoint *contact_points, double *moved);
// An impulse (its sum, its moment about the centre and its reduced share) <- with the constraints'
// reaction, so that their rows keep their velocities. Their forces are reported with it.
void lb_reaction_apply_impulse(const lbBody *body, lbVec3 *impulse, lbVec3 *moment,
                               double *reduced);

#endif
