// A body that a world leaves alone because it is at rest (lbBody.asleep): its steps pass its time.
// What tells that somebody has changed it meanwhile:
#ifndef LB_BODY_SLEEP_H
#define LB_BODY_SLEEP_H

#include "body/body.h"

// Whether it can sleep: nothing drives or leads it, and it moves by forces.
bool lb_sleep_is_possible(const lbBody *body);
// A number of its state, its frame, and what it is made of: another one after any change of these.
uint64_t lb_sleep_print(const lbBody *body, lbScratch *scratch);
// The size of what is applied to it for the next step, of no particular unit; INFINITY where it is
// held or touched by a hand.
double lb_sleep_push(const lbBody *body, lbScratch *scratch);

#endif
