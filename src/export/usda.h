// A motion as one text file of Universal Scene Description.
#ifndef LB_EXPORT_USDA_H
#define LB_EXPORT_USDA_H

#include "limber/export.h"

// What was checked already.
lbStatus lb_usda_write(const char *path, const lbSequenceBody *bodies, int32_t body_count,
                       const lbSequenceDef *def, lbError *err);

#endif
