// Filling a list of boxes (box_set.h).
#include "geometry/box_set.h"

static int32_t blocks_of(int32_t count) { return (count + LB_BATCH - 1) / LB_BATCH; }

bool lb_box_set_create(lbBoxSet *set, int32_t room) {
  int32_t blocks = blocks_of(room);
  *set = (lbBoxSet){ .room = room };
  set->blocks = lb_alloc((size_t)blocks + 1, sizeof *set->blocks);
  set->groups = lb_alloc((size_t)blocks_of(blocks) + 1, sizeof *set->groups);
  return set->blocks && set->groups;
}

void lb_box_set_release(lbBoxSet *set) {
  lb_free(set->blocks);
  lb_free(set->groups);
  *set = (lbBoxSet){ 0 };
}

lbBox lb_box_set_box(const lbBoxSet *set) {
  lbBox box = lb_box_empty();
  for (int32_t i = 0; i < lb_box_set_blocks(set); i++) {
    lbBox block = lb_box_set_block(set, i);
    lb_box_add_box(&box, &block);
  }
  return box;
}
