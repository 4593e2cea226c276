// Which methods there are: those of the run side, and those that were registered from outside.
#include "method/table.h"

#include "model/model.h"

static const lbBodyMethod *registered[LB_METHOD_COUNT]; // a hook, as the allocator is one

void lb_body_register_method(lbMethod method, const lbBodyMethod *table) {
  LB_ASSERT(method > LB_METHOD_DEFAULT && method < LB_METHOD_COUNT);
  registered[method] = table;
}

static const lbBodyMethod *find_table(lbMethod method) { // NULL: none
  static const lbBodyMethod *const methods[] = { &lb_subspace_method, &lb_modal_method,
                                                 &lb_recorded_method, &lb_warp_method,
                                                 &lb_frames_method,   &lb_rigid_method };
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (methods[i]->method == method) return methods[i];
  return registered[method];
}

lbStatus lb_method_find(const lbModel *model, lbMethod method, const lbBodyMethod **out,
                        lbModelMethod *view, lbError *err) {
  if ((int)method < 0 || method >= LB_METHOD_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT, "method is %d; it must be an lbMethod", (int)method);
  *out = find_table(method);
  if (*out && (*out)->view) {
    if ((*out)->view(model, view)) return LB_OK;
    return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\" has nothing for the method \"%s\"",
                   model->name, lb_method_name(method));
  }
  if (method == LB_METHOD_DEFAULT && lb_model_default_method(model) == LB_METHOD_DEFAULT)
    return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\" has no method to run", model->name);
  if (!lb_model_method(model, method, view)) {
    bool unreduced = method == LB_METHOD_FULL || method == LB_METHOD_RECORDED;
    if (unreduced && !lb_model_has(model, LB_METHOD_RECORDED))
      return lb_fail(
          err, LB_ERR_ARGUMENT,
          "model \"%s\" has no recording of its unreduced motion; `limber cook` makes one",
          model->name);
    if (unreduced)
      return lb_fail(
          err, LB_ERR_ARGUMENT,
          "the method \"full\" is the unreduced simulator, which the build side has: call "
          "lb_build_start; \"recorded\" plays the recording of model \"%s\"",
          model->name);
    return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\" does not have the method \"%s\"",
                   model->name, lb_method_name(method));
  }
  *out = find_table(view->method);
  if (!*out)
    return lb_fail(err, LB_ERR_UNSUPPORTED, "the method \"%s\" is not in this library",
                   lb_method_name(view->method));
  return LB_OK;
}
