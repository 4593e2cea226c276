// Finished stages as files in a folder, so that an interrupted job continues from there. A
// file's name has a hash of the body and of all that the stage depends on; rank 0 writes and reads
// them.
#ifndef LB_PETSC_RESTART_H
#define LB_PETSC_RESTART_H

#include "fem/fem.h"

typedef struct lbRestartBlock {
  void *bytes; // after loading: free with lb_free
  size_t count;
} lbRestartBlock;

enum { LB_RESTART_BLOCKS_MOST = 8 };

// Of an outline: its vertices, elements, materials, supports and mass.
uint64_t lb_restart_hash(const lbFem *fem);
uint64_t lb_restart_mix(uint64_t hash, const void *bytes, size_t count);

// A file that cannot be written is a failure: the folder was asked for.
lbStatus lb_restart_save(const char *folder, const char *stage, uint64_t hash, int32_t block_count,
                         const lbRestartBlock *blocks, lbError *err);
// False: there is no such file, or it is damaged, which the log says.
bool lb_restart_load(const char *folder, const char *stage, uint64_t hash, int32_t block_count,
                     lbRestartBlock *blocks);

#endif
