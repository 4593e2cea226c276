// Any bytes as an edit script of a small bar: JSON, or a handle in words. What is read is applied,
// and the bar follows for a few iterations.
#include "fuzz.h"

#include "limber/edit_script.h"
#include "scene/read.h"

#include <math.h>

static const char bar[] =
    "{ \"limber\": 1, \"bodies\": [{ \"name\": \"bar\", \"mesh\": { \"generate\": \"bar\","
    "\"size\": [1, 0.3, 0.2], \"cells\": [2, 1, 1], \"element\": \"brick8\" },"
    "\"fixed\": { \"group\": \"left\" }, \"material\": { \"model\": \"stvk\", \"young\": 1e6,"
    "\"poisson\": 0.3, \"density\": 1000 }, \"method\": \"subspace\","
    "\"reduce\": { \"modes\": 3, \"dimension\": 4 } }] }";

// Made once, before any input's memory is counted, and kept.
static lbScene *scene;
static lbModel *model;

__attribute__((constructor)) static void make_bar(void) {
  lbError err;
  if (lb_scene_read("bar.json", bar, sizeof bar - 1, &scene, &err) == LB_OK)
    (void)lb_scene_model(&scene->bodies[0], &model, &err);
}

static void follow(const lbEditScript *script) {
  lbBodyDef body_def = lb_body_def();
  lbEditorDef def = lb_editor_def();
  lbBody *body = NULL;
  lbEditor *editor = NULL;
  lbEditResult result = { 0 };
  lbError err;
  body_def.method = LB_METHOD_SUBSPACE;
  if (lb_body_create(model, &body_def, &body, &err) == LB_OK &&
      lb_editor_create(body, &def, &editor, &err) == LB_OK &&
      lb_edit_script_apply(script, editor, &err) == LB_OK &&
      lb_editor_follow(editor, &result, &err) == LB_OK) {
    double q[8], v[8];
    lb_body_get_state(body, q, v);
    for (int32_t i = 0; i < lb_body_dimension(body); i++)
      if (!isfinite(q[i])) abort();
  }
  lb_editor_destroy(editor);
  lb_body_destroy(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *copy = malloc(size + 1);
  lbEditScript *script = NULL;
  lbError err;
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  copy[size] = '\0';
  const char *words = copy;
  bool is_json = copy[strspn(copy, " \t\r\n")] == '{';
  lbEditScriptDef def = { .path = is_json ? "fuzz" : NULL,
                          .json = is_json ? copy : NULL,
                          .text_count = !is_json,
                          .texts = &words };
  if (model && lb_edit_script_load(&def, &scene->bodies[0], model, &script, &err) == LB_OK)
    follow(script);
  lb_edit_script_destroy(script);
  free(copy);
  return 0;
}
