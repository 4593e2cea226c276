// A block that all cases of a test program share: set_up and tear_down of its group.
#ifndef LB_TESTS_MODAL_BLOCK_H
#define LB_TESTS_MODAL_BLOCK_H

#include "contact_worlds.h"

static lbModel *block;

static inline int set_up(void **state) {
  (void)state;
  block = body_model(BLOCK "," MODAL);
  return 0;
}

static inline int tear_down(void **state) {
  (void)state;
  lb_model_destroy(block);
  return 0;
}

#endif
