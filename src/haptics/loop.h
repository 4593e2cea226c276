// A loop on a thread of its own, with its counters: of haptics and of tools in worlds.
#ifndef LB_HAPTICS_LOOP_H
#define LB_HAPTICS_LOOP_H

#include "haptics/timing.h"

#include "base/thread.h"

typedef void lbLoopTick(void *context, double dt);

typedef struct lbLoop {
  lbLoopTick *tick;
  void *context;
  double period; // s
  bool urgent;
  lbTiming timing;
  lbThread *thread;
  atomic_bool running, ending;
} lbLoop;

// One tick each `period` seconds from now on; `urgent`: asks for real-time priority.
lbStatus lb_loop_start(lbLoop *loop, lbLoopTick *tick, void *context, double period, bool urgent,
                       lbError *err);
// Waits for the tick under way. False: it did not run.
bool lb_loop_stop(lbLoop *loop);
bool lb_loop_running(const lbLoop *loop);
void lb_loop_reset(lbLoop *loop); // its counters

#endif
