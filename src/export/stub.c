#include "limber/export.h"
lbAnimationDef lb_animation_def(void) { return (lbAnimationDef){ 0 }; }
lbStatus lb_animation_write(const char *path, const lbAnimationBody *bodies, int32_t body_count, const lbAnimationDef *def, lbAnimationInfo *info, lbError *err) { (void)path; (void)bodies; (void)body_count; (void)def; (void)info; return lb_fail(err, LB_ERR_UNSUPPORTED, "stub"); }
#include "limber/voxelise.h"
lbFillDef lb_fill_def(void) { return (lbFillDef){ 0 }; }
lbStatus lb_mesh_fill(const lbMesh *surface, const lbFillDef *def, lbMesh **out, lbError *err) { (void)surface; (void)def; (void)out; return lb_fail(err, LB_ERR_UNSUPPORTED, "stub"); }
