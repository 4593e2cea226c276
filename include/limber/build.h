// limber/build.h: the build side in reading order, and its start.
#ifndef LIMBER_BUILD_H
#define LIMBER_BUILD_H

#include "limber/base.h"
#include "limber/math.h"
#include "limber/element.h"
#include "limber/material.h"
#include "limber/mesh.h"
#include "limber/shape.h"
#include "limber/matrix.h"
#include "limber/paint.h"
#include "limber/report.h"
#include "limber/embedding.h"
#include "limber/voxelise.h"
#include "limber/fem.h"
#include "limber/model.h"
#include "limber/body.h"
#include "limber/basis.h"
#include "limber/reduce.h"
#include "limber/scene.h"
#include "limber/sketch.h"
#include "limber/table.h"
#include "limber/accuracy.h"
#include "limber/build_model.h"
#include "limber/run.h"
#include "limber/compare.h"
#include "limber/cook.h"
#include "limber/edit_script.h"
#include "limber/pose.h"
#include "limber/rig.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bodies of the method "full" can be made from now on (limber/body.h), and there are threads for
// everything on the build side; 0: as many as there are processors. Without this call one thread
// does all. Results do not depend on the number, to the last bit; for that BLAS is held to one
// thread.
lbStatus lb_build_start(int32_t thread_count, lbError *err);
void lb_build_stop(void);

#ifdef __cplusplus
}
#endif
#endif
