// Inside the haptics layer: a tool in a world, and what its loop holds.
#ifndef LB_HAPTICS_TOOL_H
#define LB_HAPTICS_TOOL_H

#include "body/access.h"
#include "haptics/exchange.h"
#include "haptics/loop.h"

typedef struct lbToolPose {
  lbVec3 position;
  lbQuat rotation; // unit
} lbToolPose;

struct lbTool {
  lbWorld *world;
  lbColliderId collider;
  lbToolDef def;
  lbToolState state; // of the last tick; the ticking thread's own
  // With a coupling.
  lbModel *model; // NULL: there is none
  lbBodyId body;
  lbToolPose device; // where it was at the last tick
  // What other threads see.
  lbExchange devices, states, worlds;
  lbToolPose device_blocks[3];
  lbToolState state_blocks[3];
  char *world_bytes;   // (3 x world_size): states of the world; NULL: it has not been started
  size_t world_size;   // bytes of one
  atomic_bool written; // one was published
  lbLoop loop;
};

// What other threads see before the first tick.
void lb_tool_open(lbTool *tool);
// One step of the world towards a pose that was checked; tool->state.
int32_t lb_tool_step(lbTool *tool, const lbToolPose *device, double dt);

#endif
