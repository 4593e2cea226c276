// Rows between a body and a hand: the ball that pushes, the ball and the grip of haptics.
//
// A row is a place with a normal n into the body. Its force λ is held over the step, on the body
// along n and on the hand against it. With L the row of a unit force (coordinates, and the force
// and moment on a free frame) and g the gap at the step's end without forces,
//
//   w_j = g_j + Σ_k (L_j A⁻¹ L_k + compliance n_j·n_k) λ_k + softness λ_j:   λ >= least,
//
// w = 0 above that bound and w >= 0 at it. The hand is a body with three unknowns whose compliance
// is `compliance` times identity: it hangs on a spring as a whole. `softness` is of a place alone.
// All compliances are those of the step, so that a stiff hand is as stable as a soft one.
//
// Where the hand stands, impulses bring its places to its velocity when the step is done: with
// J >= 0 the whole impulse of a place, its velocity along n is at least the hand's, and one of J
// and what is left is zero. A body that rests on a ball then stands still, one that hits it does
// not bounce, and one that was deep in it is not thrown.
#ifndef LB_BODY_HAND_ROWS_H
#define LB_BODY_HAND_ROWS_H

#include "body/ball_points.h"

enum { LB_HAND_ROWS = 64 }; // of a body in a step, at most

// Contact forces that stay constant over the step.
typedef struct lbContacts {
  bool acts;                   // a world has found `force`
  double *force;               // (width), of a world (body/response.h); NULL: no room yet
  int32_t count;               // hand rows
  double *rows;                // (LB_HAND_ROWS x width): of unit forces; NULL: no room yet
  double forces[LB_HAND_ROWS]; // N
  double speeds[LB_HAND_ROWS]; // m/s along n, of a hand that stands; NAN: another one
} lbContacts;

typedef struct lbHand {
  double softness;   // m/N, of each place on its own
  double compliance; // m/N, of the hand as a whole
  double most_out;   // m: the most that a step moves a place by
  double least;      // N: 0 where it can only push, -INFINITY where it can also pull
  double most;       // N, of the sum of forces; larger ones are scaled down
  bool stands;       // velocities are brought to its own when the step is done
  lbVec3 velocity;   // m/s, world
} lbHand;

lbStatus lb_contacts_make(lbBody *body);        // room for hand rows, where there is none yet
lbStatus lb_contacts_make_force(lbBody *body);  // and for the force of a world
void lb_contacts_destroy(lbContacts *contacts); // NULL is legal
void lb_contacts_clear(lbBody *body);
static inline bool lb_body_is_touched(const lbBody *body) {
  return body->contacts && (body->contacts->count > 0 || body->contacts->acts);
}
// sum (width) <- all forces that the contacts hold.
void lb_contacts_sum(const lbBody *body, double *sum);

// Rows for places (gaps are those at the step's start; own axes of the frame at its end), as many
// as there is room for, in a step that is open. Finds their forces and keeps the rows that have
// one. Returns the sum of forces on the hand, world.
lbVec3 lb_hand_touch(lbBody *body, const lbStep *step, const lbHand *hand, int32_t count,
                     const lbPlace *places, lbScratch *scratch);
// Velocities at hands that stand, when the step is done.
void lb_hand_settle(lbBody *body, const lbStep *step, lbScratch *scratch);

// One step in which a hand's forces are found: `touch` calls lb_hand_touch.
typedef void lbTouch(lbBody *body, const lbStep *step, lbScratch *scratch, void *context);
int32_t lb_body_step_touched(lbBody *body, double h, lbTouch *touch, void *context);

#endif
