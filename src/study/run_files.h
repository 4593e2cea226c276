// Files of a run's motion, beside limber/run.h.
#ifndef LB_STUDY_RUN_FILES_H
#define LB_STUDY_RUN_FILES_H

#include "limber/export.h"
#include "limber/math.h"
#include "limber/run.h"

// Of a body's size: how far linear blending of joints may be off dual quaternions.
#define LB_SKINNED_ERROR 0.01

char lb_run_up(const lbScene *scene); // up in the file
// Whether bodies [first, first + count) are all of frames.
bool lb_run_has_joints(const lbRun *run, int32_t first, size_t count);
// *near: what was written is within LB_SKINNED_ERROR; *max_error: m.
lbStatus lb_run_write_skinned(const lbRun *run, int32_t first, size_t count, const char *path,
                              bool *near, double *max_error, lbError *err);

#endif
