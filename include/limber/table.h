// limber/table.h: per-vertex vectors as CSV: one vertex a row, x,y,z, in file order.
#ifndef LIMBER_TABLE_H
#define LIMBER_TABLE_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads exactly row_count rows of three numbers. A header line and a leading 1-based "node" column
// are accepted; with the column, rows may come in any order, each node once.
lbStatus lb_table_read(const char *path, int32_t row_count, double *values, lbError *err);
// Writes a header "node,<name>x,<name>y,<name>z" and numbers that read back to the same bits.
lbStatus lb_table_write(const char *path, const char *name, int32_t row_count, const double *values,
                        lbError *err);

#ifdef __cplusplus
}
#endif
#endif
