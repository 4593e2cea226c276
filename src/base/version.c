// The version of the library.
#include "limber/base.h"

lbVersion lb_version(void) {
  return (lbVersion){ LB_VERSION_MAJOR, LB_VERSION_MINOR, LB_VERSION_PATCH, LB_VERSION };
}
