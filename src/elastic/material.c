// Material names, defaults and checks.
#include "limber/material.h"

#include <math.h>
#include <string.h>

static const char *const model_names[LB_MATERIAL_MODEL_COUNT] = {
  [LB_MATERIAL_LINEAR] = "linear",
  [LB_MATERIAL_STVK] = "stvk",
  [LB_MATERIAL_COROTATED] = "corotated",
  [LB_MATERIAL_NEOHOOKEAN] = "neohookean",
  [LB_MATERIAL_STABLE_NEOHOOKEAN] = "stable_neohookean",
  [LB_MATERIAL_MOONEYRIVLIN] = "mooneyrivlin",
  [LB_MATERIAL_SHELL] = "shell",
};

lbMaterial lb_material(void) {
  return (lbMaterial){ .model = LB_MATERIAL_STVK, .young = 1e6, .poisson = 0.45, .density = 1000 };
}

const char *lb_material_model_name(lbMaterialModel model) {
  return model >= 0 && model < LB_MATERIAL_MODEL_COUNT ? model_names[model] : "unknown";
}

bool lb_material_model_parse(const char *name, lbMaterialModel *model) {
  for (int i = 0; i < LB_MATERIAL_MODEL_COUNT; i++)
    if (strcmp(name, model_names[i]) == 0) {
      *model = (lbMaterialModel)i;
      return true;
    }
  return false;
}

static bool positive(double x) { return isfinite(x) && x > 0; }

static lbStatus check_stiffnesses(const lbMaterial *m, const char *what, lbError *err) {
  if (!positive(m->stretch))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: stretch is %g, it must be positive (N)", what,
                   m->stretch);
  if (!(m->area == 0 || positive(m->area)))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: area is %g, it must be 0 or more (N/m)", what,
                   m->area);
  if (!positive(m->bend))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: bend is %g, it must be positive (N m)", what,
                   m->bend);
  return LB_OK;
}

lbStatus lb_material_check(const lbMaterial *material, const char *what, lbError *err) {
  const lbMaterial *m = material;
  if (m->model < 0 || m->model >= LB_MATERIAL_MODEL_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: unknown model %d", what, (int)m->model);
  if (!positive(m->density))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: density is %g, it must be positive (kg/m3)", what,
                   m->density);
  if (m->model == LB_MATERIAL_SHELL) {
    if (!positive(m->thickness))
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: thickness is %g, it must be positive (m)", what,
                     m->thickness);
    if (m->stretch != 0 || m->area != 0 || m->bend != 0) return check_stiffnesses(m, what, err);
  }
  if (m->model == LB_MATERIAL_MOONEYRIVLIN) {
    if (!isfinite(m->c10) || !isfinite(m->c01) || m->c10 < 0 || m->c01 < 0 ||
        !(m->c10 + m->c01 > 0))
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "%s: c10 is %g and c01 is %g, neither may be negative and one must be "
                     "positive (Pa)",
                     what, m->c10, m->c01);
    if (!positive(m->v1))
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: v1 is %g, it must be positive (Pa)", what, m->v1);
    return LB_OK;
  }
  if (!positive(m->young))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: young is %g, it must be positive (Pa)", what,
                   m->young);
  if (!(m->poisson > -1 && m->poisson < 0.5))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: poisson is %g, it must lie above -1 and below 0.5; use 0.49 for nearly "
                   "incompressible",
                   what, m->poisson);
  return LB_OK;
}
