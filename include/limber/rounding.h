// limber/rounding.h: results that have the same bits on every machine.
#ifndef LIMBER_ROUNDING_H
#define LIMBER_ROUNDING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// A hook as those of base.h: set it before other threads use the library. Results otherwise differ
// in rounding between processors, and between engines of linear algebra. Repeatable ones are those
// of the page: no fused multiply-add, only instructions that every processor of a kind has, and
// limber's own engine whatever the build is configured with. Building models takes about twice as
// long. It applies to what is created afterwards. Default: false.
void lb_set_repeatable(bool is_repeatable);
bool lb_is_repeatable(void);

#ifdef __cplusplus
}
#endif

#endif
