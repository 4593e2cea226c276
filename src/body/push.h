// What touches a body in its next step: places with directions along which they are pushed, forces
// that are held over the step, and the speeds that the places shall not fall below afterwards.
#ifndef LB_BODY_PUSH_H
#define LB_BODY_PUSH_H

#include "body/body.h"

#define LB_PUSH_PLACES 16    // that one ball touches
#define LB_CONTACT_PLACES 64 // of all balls in a step

typedef struct lbContacts {
  int32_t count;
  double *rows;                      // (places x width): of unit forces
  double forces[LB_CONTACT_PLACES];  // N, held over the step, >= 0
  double speeds[LB_CONTACT_PLACES];  // m/s along the direction, of what touches
  lbVec3 normals[LB_CONTACT_PLACES]; // world, from what touches into the body
  lbVec3 arms[LB_CONTACT_PLACES];    // world, from the frame's centre
} lbContacts;

static inline bool lb_body_is_touched(const lbBody *body) {
  return body->contacts && body->contacts->count > 0;
}
void lb_contacts_hold(const lbBody *body, lbStep *step, lbScratch *scratch);
void lb_contacts_settle(lbBody *body, const lbStep *step, lbScratch *scratch);
void lb_contacts_clear(lbBody *body);
void lb_contacts_destroy(lbContacts *contacts); // NULL is legal

#endif
