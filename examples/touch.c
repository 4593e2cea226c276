// A rigid stylus of a force-feedback device in a world: the loop runs on a thread of its own at
// 1 kHz, this thread plays the device. It lowers the stylus onto a model's body, pushes it in,
// lifts it again, and prints what the hand feels.
#define _POSIX_C_SOURCE 200809L // nanosleep
#include <limber/limber.h>
#include <stdio.h>
#include <time.h>

static lbVec3 top_of(const lbModel *model) {
  lbVec3 top = lb_vec3_load(model->vertex_positions);
  for (int32_t v = 1; v < model->size.vertex_count; v++) {
    lbVec3 x = lb_vec3_load(model->vertex_positions + 3 * v);
    if (x.z > top.z) top = x;
  }
  return top;
}

int main(int count, char **words) {
  lbError err;
  lbModel *model = NULL;
  lbWorld *world = NULL;
  lbTool *tool = NULL;
  lbWorldSettings settings = lb_world_settings();
  lbBodyDef body = lb_body_def();
  lbBodyId id;
  settings.contact = true;
  settings.contacts_most = 64; // bounds the time of a tick
  if (count < 2) return fprintf(stderr, "usage: touch MODEL.glb\n"), 2;
  if (lb_model_load(words[1], &model, &err) || lb_world_create(&settings, &world, &err) ||
      lb_world_add(world, model, &body, &id, &err))
    return fprintf(stderr, "%s\n", err.text), 1;

  lbVec3 top = top_of(model);
  lbToolDef def = lb_tool_def();
  def.shape.shape = LB_COLLIDER_CAPSULE; // along its own z: its lower end is 0.06 m below
  def.shape.radius = 0.01;
  def.shape.size[2] = 0.1;
  def.shape.position = lb_vec3(top.x, top.y, top.z + 0.08);
  def.stiffness = 500; // N/m, between device and stylus
  def.damping = 2;     // N s/m
  def.force_limit = 6; // N, what the device can bear
  if (lb_tool_create(world, &def, &tool, &err) || lb_tool_start(tool, &err))
    return fprintf(stderr, "%s\n", err.text), 1;

  // Down by 3 cm in half a second and up again; a device would be read and written here.
  struct timespec millisecond = { 0, 1000000 };
  lbVec3 place = def.shape.position;
  for (int i = 0; i < 1000; i++) {
    place.z = top.z + 0.08 - 0.03 * (i < 500 ? i : 1000 - i) / 500;
    lb_tool_set_device(tool, place, lb_quat_identity());
    lbToolState now = lb_tool_state(tool);
    if (i % 100 == 99)
      printf("%.1f s: stylus at %.4f m, %.3f N\n", now.time, now.position.z, now.force.z);
    nanosleep(&millisecond, NULL);
  }
  lb_tool_stop(tool);
  lbHapticsReport report;
  lb_tool_report(tool, &report);
  printf("%lld ticks of %.0f us (median), %.0f us (99 %%); %lld too long, %lld late\n",
         (long long)report.ticks, 1e6 * report.step_median, 1e6 * report.step_p99,
         (long long)report.overran, (long long)report.missed);
  lb_tool_destroy(tool);
  lb_world_destroy(world);
  lb_model_destroy(model);
  return 0;
}
