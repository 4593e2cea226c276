// What touches a body in its next step: places with directions along which they are pushed, and the
// forces there, found inside the step and held over it.
//
// With n the direction from what touches into the body, L the row of a unit force along it and X
// what such a force, held over the step, moves (lbBodyMethod.respond), forces λ leave each place at
// the step's end with the gap
//
//   g_j + Σ (L_j X_k + c_jk) λ_k >= 0,   λ_j >= 0,   one of them zero,
//
// with g the gap where the body comes to by itself. c is how what touches gives way: `softness` on
// the diagonal for a ball with soft places, give n_j·n_k for one that hangs on a spring as a whole.
// What holds a place can pull as well, and the gap is zero. All is part of the step's own matrix,
// so a stiff contact is as stable as a soft one.
//
// When the step is done, impulses bring the places of a hard ball to its speed w along n: with
// J >= 0 the whole impulse of a place, v_j >= n_j w, and one of J and what is left is zero. A body
// that rests on a ball then stands still, one that hits it does not bounce, one that was deep in it
// is not thrown.
#ifndef LB_BODY_CONTACTS_H
#define LB_BODY_CONTACTS_H

#include "body/ball_points.h"

#define LB_CONTACT_PLACES 64 // of all that touches in a step

typedef struct lbContacts {
  int32_t count;
  bool acts;                        // a world has found `force`
  double *force;                    // (width), of other bodies (body/response.h); NULL: no room yet
  double *rows;                     // (places x width): of unit forces; NULL: no room yet
  double forces[LB_CONTACT_PLACES]; // N, held over the step
  double speeds[LB_CONTACT_PLACES]; // m/s along the normal, of what touches; NAN: not its concern
  lbVec3 normals[LB_CONTACT_PLACES]; // world, from what touches into the body
  lbVec3 arms[LB_CONTACT_PLACES];    // world, from the frame's centre
} lbContacts;

// What touches, the same for all of its places.
typedef struct lbToucher {
  double softness; // m/N, of each place on its own
  double give;     // m/N, of all of it: it moves by give times the sum of forces
  double out;      // m: the most that a step moves a place by
  double least;    // N: 0 where it can only push, -INFINITY where it can also pull
  double most;     // N, of the sum of forces; larger ones are scaled down
  bool stands;     // velocities are brought to its own when the step is done
  lbVec3 velocity; // m/s, world
} lbToucher;

lbStatus lb_contacts_make(lbBody *body);        // room for places, where there is none yet
lbStatus lb_contacts_make_force(lbBody *body);  // and for the force of other bodies
void lb_contacts_destroy(lbContacts *contacts); // NULL is legal

static inline bool lb_body_is_touched(const lbBody *body) {
  return body->contacts && (body->contacts->count > 0 || body->contacts->acts);
}
static inline int32_t lb_contacts_room(const lbBody *body) {
  return LB_CONTACT_PLACES - body->contacts->count;
}

// Makes contacts of places (gaps are those at the step's start, own axes of the frame at its end),
// as many as there is room for, in a step that is open (lb_part_open). Finds their forces and keeps
// those that push. Returns the sum of forces on what touches, world.
lbVec3 lb_contacts_touch(lbBody *body, const lbStep *step, const lbToucher *toucher, int32_t count,
                         const lbPlace *places, lbScratch *scratch);
// The forces of the contacts from `first` on join a step that is open.
void lb_contacts_join(const lbBody *body, lbStep *step, int32_t first, lbScratch *scratch);
// All forces, in a step that opens.
void lb_contacts_hold(const lbBody *body, lbStep *step, lbScratch *scratch);
void lb_contacts_settle(lbBody *body, const lbStep *step, lbScratch *scratch);
void lb_contacts_clear(lbBody *body);

// One step in which contacts are found: `touch` calls lb_contacts_touch.
typedef void lbTouch(lbBody *body, const lbStep *step, lbScratch *scratch, void *context);
int32_t lb_body_step_touched(lbBody *body, double h, lbTouch *touch, void *context,
                             lbScratch *scratch);

// x <- what solves A x = right as far as x >= least allows, by projected Gauss-Seidel from x;
// A (count x count) symmetric.
void lb_contacts_solve(int32_t count, const double *A, const double *right, double least,
                       double *x);

#endif
