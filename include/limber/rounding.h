// limber/rounding.h: results that have the same bits on every machine.
#ifndef LIMBER_ROUNDING_H
#define LIMBER_ROUNDING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Makes results the same on every processor and in the web page: no fused multiply-add, only
// instructions that every processor of a kind has, and limber's own engine of linear algebra.
// Without it results differ in rounding between processors and engines. Building models takes about
// twice as long. Set it before other threads use the library, like the hooks of base.h; it applies
// to objects created afterwards. Default: false.
void lb_set_repeatable(bool is_repeatable);
bool lb_is_repeatable(void);

#ifdef __cplusplus
}
#endif

#endif
