// Settings as a user types them: "speed=0.25,map=stress", or as share links have them, with "&".
#ifndef LIMBER_VIEWER_ASSIGN_H
#define LIMBER_VIEWER_ASSIGN_H

#include "view/viewer.h"

// LB_ERR_ARGUMENT for what is no "name=value" or names no setting; values are not looked at. NULL
// is fine.
lbStatus vw_assign_check(const char *text, lbError *err);
// Sets them one after another until one is refused.
lbStatus vw_assign(vwViewer *viewer, const char *text, lbError *err);

#endif
