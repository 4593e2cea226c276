// Whether results are to have the bits of every machine.
#include "limber/rounding.h"

static bool repeatable;

void lb_set_repeatable(bool is_repeatable) { repeatable = is_repeatable; }
bool lb_is_repeatable(void) { return repeatable; }
