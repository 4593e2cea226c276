// The build side in a page's worker: what web/src/builder-engine.mjs calls. Files lie in the memory
// of the module; a build goes from one of them to another, and `builder_report` tells what was
// chosen.
#include "page/text.h"

#include "limber/build.h"
#include "limber/file.h"

#include <emscripten.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Tells the worker of progress, and of what the library remarks.
EM_JS(void, tell_progress, (const char *stage, double fraction),
      { Module["onProgress"](UTF8ToString(stage), fraction); });
EM_JS(void, tell_remark, (const char *text), { Module["onRemark"](UTF8ToString(text)); });

static bool on_progress(const char *stage, double fraction, void *context) {
  (void)context;
  tell_progress(stage, fraction);
  return true; // a build is stopped by ending its worker
}

static void on_log(lbLogLevel level, const char *text, void *context) {
  (void)context;
  if (level == LB_LOG_WARNING) tell_remark(text);
}

// What a field says, where it says anything: numbers are NaN, words are empty otherwise.
typedef struct Words {
  const char *method, *law, *up;
} Words;
typedef struct Numbers { // in this order in the module's memory
  double cells, dimension, modes, young, poisson, density, frequency, is_free, accuracy, triangles;
} Numbers;

static bool is_given(double number) { return !isnan(number); }

// The rules of `limber build` for what it leaves to be chosen.
static lbStatus fill_def(const Words *words, const Numbers *n, lbMaterial *material,
                         lbBuildDef *def) {
  *def = lb_build_def();
  *material = lb_material();
  if (*words->method && !lb_method_from_name(words->method, &def->method))
    return lb_fail(&page_error, LB_ERR_ARGUMENT, "there is no method \"%s\"", words->method);
  if (*words->law && !lb_material_model_parse(words->law, &material->model))
    return lb_fail(&page_error, LB_ERR_ARGUMENT, "there is no material \"%s\"", words->law);
  def->up = *words->up;
  if (is_given(n->cells)) def->cells = (int32_t)n->cells;
  if (is_given(n->triangles)) def->triangles = (int32_t)n->triangles;
  if (is_given(n->dimension)) def->dimension = (int32_t)n->dimension;
  if (is_given(n->modes)) def->mode_count = (int32_t)n->modes;
  def->is_free = is_given(n->is_free) && n->is_free != 0;
  def->accuracy = is_given(n->accuracy) && n->accuracy == 0 ? LB_ACCURACY_NONE : LB_ACCURACY_QUICK;
  if (is_given(n->young)) material->young = n->young;
  if (is_given(n->poisson)) material->poisson = n->poisson;
  if (is_given(n->density)) material->density = n->density;
  if (is_given(n->frequency)) def->frequency = n->frequency;
  if (*words->law || is_given(n->young) || is_given(n->poisson) || is_given(n->density)) {
    lbStatus status = lb_material_check(material, "the material", &page_error);
    if (status) return status;
    def->material = material;
    if (!is_given(n->frequency)) def->frequency = is_given(n->young) ? 0 : LB_BUILD_FREQUENCY;
  }
  return LB_OK;
}

static void write_report(const lbModel *model, const lbBuildReport *r) {
  lbMaterial m = lb_model_material(model, 0);
  page_begin("{");
  page_write("\"method\":\"%s\",\"up\":\"%c\",\"cells\":%d,\"nodes\":%d,\"bricks\":%d,"
             "\"triangles\":%d,\"dimension\":%d,\"fixed\":%d,",
             lb_method_name(r->method), r->up, (int)r->cells, (int)model->size.node_count,
             (int)model->size.brick_count, (int)model->size.triangle_count,
             (int)(model->size.subspace_dimension ? model->size.subspace_dimension
                                                  : model->size.mode_count),
             (int)r->fixed_count);
  page_write_number("young", m.young);
  page_write(",");
  page_write_number("mass", model->rigid_mass[0]);
  const double seconds[] = { r->load_seconds,  r->volume_seconds, r->modes_seconds,
                             r->basis_seconds, r->model_seconds,  r->accuracy_seconds };
  static const char *const stages[] = { "load", "volume", "modes", "basis", "model", "accuracy" };
  page_write(",\"seconds\":{");
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
    page_write(i ? "," : "");
    page_write_number(stages[i], seconds[i]);
  }
  page_write("}}");
}

// From the file `input` to the model file `output`; an lbStatus.
EXPORT int builder_build(const char *input, const char *output, const char *method, const char *law,
                         const char *up, const Numbers *numbers) {
  const Words words = { method, law, up };
  lbBuildDef def;
  lbMaterial material;
  lbBuildReport report;
  lbModel *model = NULL;
  page_begin("null");
  lb_set_progress(on_progress, NULL);
  lb_set_log(on_log, NULL);
  if (lb_path_has_extension(input, ".json"))
    return (int)lb_fail(&page_error, LB_ERR_ARGUMENT,
                        "scenes are not built in a page: cook it with limber cook");
  lbStatus status = fill_def(&words, numbers, &material, &def);
  lb_progress("read", 0);
  if (!status) status = lb_build_model(input, &def, &model, &report, &page_error);
  if (!status) {
    lb_progress("write", 0);
    status = lb_build_save((const lbModel *const *)&model, 1, NULL, output, &page_error);
  }
  if (!status) {
    write_report(model, &report);
    lb_accuracy_destroy(report.accuracy);
  }
  lb_model_destroy(model);
  return (int)status;
}

EXPORT const char *builder_report(void) { return page_text(); } // JSON of the last build; or null
