// What public calls say to arguments that must not be NULL.
#ifndef LB_BASE_REFUSE_H
#define LB_BASE_REFUSE_H

#include "limber/base.h"

static inline lbStatus lb_refuse_null(lbError *err, const char *what) {
  return lb_fail(err, LB_ERR_ARGUMENT, "%s is NULL", what);
}

#endif
