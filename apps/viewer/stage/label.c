// Where an actor's label stands: above the box of its first body's rest shape, where that is now.
#include "stage/stage_parts.h"

#include <math.h>

lbVec3 vw_stage_label_place(const vwStage *stage, int32_t actor) {
  const vwRole *role = &stage->cast.roles[actor];
  const vwGroup *group = &stage->groups[role->group];
  vwBox box = vw_box_empty();
  for (int32_t i = 0; i < group->model->size.vertex_count; i++) {
    lbVec3 own = lb_vec3_load(group->model->vertex_positions + 3 * (size_t)i);
    vw_box_add(&box, vw_actor_place(role->actor, 0, own));
  }
  lbVec3 top = lb_scale(0.5, lb_add(box.low, box.high));
  double lift = 0.06 * stage->size;
  if (stage->up == 'y')
    top.y = box.high.y + lift;
  else
    top.z = box.high.z + lift;
  return top;
}
