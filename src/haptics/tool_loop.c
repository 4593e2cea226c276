// Ticks of a tool in a world: device -> step of the world -> what others see; on the caller's
// thread or in a loop of its own.
#include "haptics/tool.h"

#include "base/refuse.h"

void lb_tool_open(lbTool *tool) {
  lbToolPose *d = tool->device_blocks;
  lbToolState *s = tool->state_blocks;
  lb_exchange_open(&tool->devices, &d[0], &d[1], &d[2]);
  lb_exchange_open(&tool->states, &s[0], &s[1], &s[2]);
  for (int i = 0; i < 3; i++) d[i] = tool->device, s[i] = tool->state;
  lb_timing_clear(&tool->loop.timing);
}

// ---- one tick ----------------------------------------------------------------------------------

static void publish_state(lbTool *tool) {
  *(lbToolState *)lb_exchange_block(&tool->states) = tool->state;
  lb_exchange_publish(&tool->states);
}

static void publish_world(lbTool *tool) {
  if (!tool->world_bytes || lb_world_state_bytes(tool->world) != tool->world_size) return;
  void *block = lb_exchange_block(&tool->worlds);
  if (lb_world_save_state(tool->world, block, tool->world_size, NULL)) return;
  lb_exchange_publish(&tool->worlds);
  atomic_store_explicit(&tool->written, true, memory_order_release);
}

// `device` NULL: that of lb_tool_set_device, also if before_step set it.
static int32_t run_tick(lbTool *tool, const lbToolPose *device, double dt) {
  double start = lb_seconds();
  lbTiming *timing = &tool->loop.timing;
  lb_timing_begin_tick(timing);
  if (tool->def.before_step)
    tool->def.before_step(tool->world, lb_world_time(tool->world), tool->def.context);
  if (!device) device = lb_exchange_read(&tool->devices);
  int32_t flags = lb_tool_step(tool, device, dt);
  tool->state.tick++;
  tool->state.time = lb_world_time(tool->world), tool->state.flags = flags;
  publish_state(tool);
  publish_world(tool);
  lb_timing_add_flags(timing, flags);
  lb_timing_add_step(timing, lb_seconds() - start, dt);
  return flags;
}

int32_t lb_tool_tick(lbTool *tool, lbVec3 position, lbQuat rotation, double dt) {
  if (!tool || lb_tool_running(tool)) return LB_STEP_REFUSED;
  if (!lb_time_step_is_legal(dt) || lb_check_placement(position, &rotation, NULL))
    return LB_STEP_REFUSED;
  return run_tick(tool, &(lbToolPose){ position, rotation }, dt);
}

// ---- the loop ----------------------------------------------------------------------------------

static void tick_in_loop(void *tool, double dt) { (void)run_tick(tool, NULL, dt); }

// Three states of the world as it is now, for lb_tool_show.
static lbStatus make_room(lbTool *tool, lbError *err) {
  size_t size = lb_world_state_bytes(tool->world);
  if (!tool->def.shown || (tool->world_bytes && size == tool->world_size)) return LB_OK;
  char *bytes = lb_alloc(3, size);
  if (!bytes) return lb_fail_memory(err);
  lb_free(tool->world_bytes);
  tool->world_bytes = bytes, tool->world_size = size;
  atomic_store(&tool->written, false);
  lb_exchange_open(&tool->worlds, bytes, bytes + size, bytes + 2 * size);
  return LB_OK;
}

lbStatus lb_tool_start(lbTool *tool, lbError *err) {
  if (!tool) return lb_refuse_null(err, "tool");
  lbStatus status = lb_tool_running(tool) ? LB_OK : make_room(tool, err);
  if (status) return status;
  return lb_loop_start(&tool->loop, tick_in_loop, tool, tool->def.period, tool->def.urgent, err);
}

void lb_tool_stop(lbTool *tool) {
  if (!tool || !lb_loop_stop(&tool->loop)) return;
  // A device that is left with the last force would drive away with it.
  tool->state.force = tool->state.torque = lb_vec3(0, 0, 0);
  publish_state(tool);
}

bool lb_tool_running(const lbTool *tool) { return tool && lb_loop_running(&tool->loop); }

// ---- other threads -----------------------------------------------------------------------------

lbStatus lb_tool_set_device(lbTool *tool, lbVec3 position, lbQuat rotation) {
  if (!tool || lb_check_placement(position, &rotation, NULL)) return LB_ERR_ARGUMENT;
  *(lbToolPose *)lb_exchange_block(&tool->devices) = (lbToolPose){ position, rotation };
  lb_exchange_publish(&tool->devices);
  return LB_OK;
}

lbToolState lb_tool_state(lbTool *tool) {
  if (!tool) return (lbToolState){ .rotation = lb_quat_identity() };
  return *(const lbToolState *)lb_exchange_read(&tool->states);
}

lbStatus lb_tool_show(lbTool *tool, lbWorld *shown, lbError *err) {
  if (!tool) return lb_refuse_null(err, "tool");
  if (!shown) return lb_refuse_null(err, "shown");
  if (!tool->def.shown) return lb_fail(err, LB_ERR_ARGUMENT, "tool: its def does not have `shown`");
  if (!atomic_load_explicit(&tool->written, memory_order_acquire))
    return lb_fail(err, LB_ERR_ARGUMENT, "tool: its loop has not made a tick yet");
  return lb_world_restore_state(shown, lb_exchange_read(&tool->worlds), tool->world_size, err);
}

void lb_tool_report(const lbTool *tool, lbHapticsReport *report) {
  if (tool && report) lb_timing_read(&tool->loop.timing, report);
}

void lb_tool_reset_report(lbTool *tool) {
  if (tool) lb_loop_reset(&tool->loop);
}
