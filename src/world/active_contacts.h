// The contacts that a step solves for, of all that could touch in it (active_contacts.c).
#ifndef LB_WORLD_ACTIVE_CONTACTS_H
#define LB_WORLD_ACTIVE_CONTACTS_H

#include "world/touch.h"

size_t lb_choose_room(size_t pool_room); // numbers of products
void lb_choose_reserve(lbReservation *r, lbWorldTouch *touch, int32_t contacts, size_t pool_room);
void lb_choose_release(lbWorldTouch *touch);

// Whose responses are a product: contact body->rows is set, or NULL.
void lb_choose_place(lbWorld *world);
// Of such a body: its rows by the shape, in an open step; by the frame.
void lb_choose_open(lbContactBody *contact_body, const lbContactPoint *contact_points);
void lb_choose_add_frame(lbContactBody *contact_body, const lbContactPoint *contact_points);

// forces <- of all contacts, by solve(), which finds those of the contacts that are listed.
typedef void lbChooseSolve(lbWorld *world, double *x);
void lb_choose_solve(lbWorld *world, lbChooseSolve *solve);

#endif
