// The page's half of `limber bench web`: the engine alone, called from index.html.
#include "bench/web/stepper.h"

#include <stdio.h>

static struct {
  lbModel *model;
  benchStepper stepper;
  double *scratch;
  lbError err;
  char text[32];
} module;

// A model file as bytes; 0: all is well, otherwise module_message says why not.
int module_open(const uint8_t *bytes, size_t byte_count) {
  lbBodyDef def = lb_body_def();
  lbBody *body = NULL;
  def.method = LB_METHOD_SUBSPACE;
  lbStatus status = lb_model_read("model.glb", bytes, byte_count, &module.model, &module.err);
  if (!status) status = lb_body_create(module.model, &def, &body, &module.err);
  if (status) return (int)status;
  module.stepper = bench_stepper(body);
  module.scratch = lb_alloc(2 * (size_t)lb_body_dimension(body), sizeof(double));
  return module.scratch ? LB_OK : (int)lb_fail_memory(&module.err);
}

const char *module_message(void) { return module.err.text; }

int module_run(int count) { return (int)bench_stepper_run(&module.stepper, count); }

const char *module_hash(void) {
  snprintf(module.text, sizeof module.text, "%016llx",
           (unsigned long long)bench_stepper_hash(&module.stepper, module.scratch));
  return module.text;
}
