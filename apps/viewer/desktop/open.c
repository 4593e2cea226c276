// Opening files: models and cooked files as they are, scenes by making their models, meshes by
// building one.
#include "desktop/open.h"

#include "limber/build.h"
#include "limber/file.h"

static lbStatus open_desktop_scene(const char *path, lbBundle **out, lbError *err) {
  lbScene *scene = NULL;
  lbStatus status = lb_scene_load(path, NULL, &scene, err);
  if (!status) status = lb_scene_bundle(scene, out, err);
  lb_scene_destroy(scene);
  return status;
}

static lbStatus build_mesh(const char *path, lbModel **model, lbError *err) {
  lbBuildDef def = lb_build_def();
  def.editable = true;
  def.accuracy = LB_ACCURACY_NONE;
  return lb_build_model(path, &def, model, NULL, err);
}

static lbStatus open_mesh(const char *path, lbBundle **out, lbError *err) {
  lbModel *model = NULL;
  lbStatus status = build_mesh(path, &model, err);
  if (!status) status = lb_bundle_create(&model, 1, NULL, out, err);
  if (status) lb_model_destroy(model);
  return status;
}

lbStatus vw_open(const char *path, lbBundle **out, lbError *err) {
  if (lb_path_has_extension(path, ".json")) return open_desktop_scene(path, out, err);
  if (lb_model_is_model_file(path)) return lb_bundle_load(path, out, err);
  return open_mesh(path, out, err);
}

static lbStatus cook(const char *path, const char *to, lbError *err) {
  lbScene *scene = NULL;
  lbStatus status = lb_scene_load(path, NULL, &scene, err);
  if (!status) status = lb_scene_cook(scene, to, NULL, err);
  lb_scene_destroy(scene);
  return status;
}

lbStatus vw_open_to_file(const char *path, const char *to, lbError *err) {
  if (lb_path_has_extension(path, ".json")) return cook(path, to, err);
  lbModel *model = NULL;
  lbStatus status = build_mesh(path, &model, err);
  const lbModel *const models[] = { model };
  if (!status) status = lb_build_save(models, 1, NULL, to, err);
  lb_model_destroy(model);
  return status;
}
