// Joints of a cooked world, as a scene has them.
#include "scene/body.h"

#include <math.h>
#include <string.h>

static lbStatus take_joint(const lbWorldDef *w, int32_t i, const char *name, lbScene *scene,
                           lbError *err) {
  lbSceneJoint *to = &scene->joints[i];
  const double *numbers = w->joint_numbers + 5 * (size_t)i;
  *to = (lbSceneJoint){ .name = lb_duplicate_text(name),
                        .kind = (lbJointKind)w->joint_kinds[i],
                        .of_surface = true,
                        .limited = isfinite(numbers[0]) || isfinite(numbers[1]),
                        .collide = w->joint_collide[i] != 0,
                        .limits = { numbers[0], numbers[1] },
                        .motor_speed = numbers[2],
                        .motor_force = numbers[3],
                        .break_force = numbers[4] };
  memcpy(to->bodies, w->joint_bodies + 2 * (size_t)i, sizeof to->bodies);
  memcpy(to->vertices, w->joint_vertices + 2 * (size_t)i, sizeof to->vertices);
  memcpy(to->places, w->joint_places + 6 * (size_t)i, sizeof to->places);
  memcpy(to->axis, w->joint_axes + 3 * (size_t)i, sizeof to->axis);
  if (w->joint_region_begin) {
    to->region_count = w->joint_region_begin[i + 1] - w->joint_region_begin[i];
    to->region_vertices = w->joint_regions + w->joint_region_begin[i];
  }
  return to->name ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_scene_take_joints(const lbWorldDef *w, lbScene *scene, lbError *err) {
  const char *name = w->joint_names;
  lbStatus status = LB_OK;
  scene->joints = lb_alloc((size_t)w->size.joint_count, sizeof *scene->joints);
  if (!scene->joints) return lb_fail_memory(err);
  for (int32_t i = 0; i < w->size.joint_count && !status; i++, name += strlen(name) + 1) {
    scene->joint_count++;
    status = take_joint(w, i, name, scene, err);
  }
  return status;
}
