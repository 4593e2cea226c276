// How much memory there is, asked before work that takes much of it: a system that overcommits
// lends more than it has, and ends the program later.
#ifndef LB_LINALG_ROOM_H
#define LB_LINALG_ROOM_H

#include "limber/base.h"

// Bytes that this process can still have: what the machine, the group of processes (cgroup) and the
// process itself (ulimit -v) leave. HUGE_VAL: unknown.
double lb_room_free(void);

// LB_ERR_MEMORY where `what` will take more bytes than that. Little is not looked at.
lbStatus lb_room_check(const char *what, double bytes, lbError *err);
// The same with other advice than a coarser mesh.
lbStatus lb_room_check_or(const char *what, double bytes, const char *advice, lbError *err);

#endif
