// From a file to a model: load, voxelise, fix; then what build_reduce.c does.
#include "study/build_job.h"

#include "fem/fem.h"
#include "limber/file.h"
#include "limber/voxelise.h"
#include "mesh/thin.h"
#include "scene/paint.h"
#include "scene/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

lbBuildDef lb_build_def(void) {
  return (lbBuildDef){ .damping_mass = -1,
                       .damping_stiffness = -1,
                       .frequency = -1,
                       .basis = LB_BASIS_KIND_COUNT,
                       .metric = -1,
                       .force_error = -1,
                       .seed = -1,
                       .selection = LB_CUBATURE_SELECTION_COUNT };
}

static void release_job(lbBuildJob *job) {
  lb_basis_destroy(job->basis);
  lb_cholesky_destroy(job->factor.cholesky);
  lb_sketch_destroy(job->sketch);
  lb_modes_destroy(job->modes);
  lb_fem_destroy(job->fem);
  lb_scene_destroy(job->scene);
}

// ---- input -------------------------------------------------------------------------------------

// A model is in the body's own axes, wherever the scene places it.
static void stand_at_origin(lbSceneBody *body) {
  for (int i = 0; i < 4; i++) body->rotation[i] = i == 3;
  for (int i = 0; i < 3; i++) body->position[i] = 0;
}

static lbStatus find_build_body(lbBuildJob *job, lbError *err) {
  const lbScene *scene = job->scene;
  const char *name = job->def->body;
  if (!name && scene->body_count > 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: has %d bodies, choose one by name", job->path,
                   (int)scene->body_count);
  for (int32_t i = 0; i < scene->body_count; i++)
    if (!name || strcmp(scene->bodies[i].name, name) == 0) {
      job->body = &scene->bodies[i];
      stand_at_origin(job->body);
      return LB_OK;
    }
  return lb_fail(err, LB_ERR_ARGUMENT, "%s: has no body \"%s\"", job->path, name ? name : "");
}

static lbStatus load_build_mesh(lbBuildJob *job, lbError *err) {
  double start = lb_seconds();
  lbSceneDefaults defaults = { .material = lb_material() };
  if (job->def->material)
    defaults = (lbSceneDefaults){ .material = *job->def->material, .has_material = true };
  job->report.bare = !lb_path_has_extension(job->path, ".json");
  if (lb_model_is_model_file(job->path))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: is a model already, build from its mesh", job->path);
  lbStatus status = lb_scene_load(job->path, &defaults, &job->scene, err);
  if (!status) status = find_build_body(job, err);
  if (!status && job->body->model)
    status =
        lb_fail(err, LB_ERR_ARGUMENT, "%s: is a model already, build from its mesh", job->path);
  if (!status) {
    const lbMesh *mesh = job->body->mesh;
    job->report.material_given = !job->report.bare || job->def->material ||
                                 (mesh->material_count > 0 && mesh->element_materials);
  }
  job->report.load_seconds = lb_seconds() - start;
  return status;
}

// Bricks around a bare surface, which they carry.
static lbStatus voxelise(lbBuildJob *job, lbError *err) {
  lbSceneBody *body = job->body;
  if (!job->report.bare || lb_mesh_element_count(body->mesh) > 0) return LB_OK;
  if (job->def->material && job->def->material->model == LB_MATERIAL_SHELL) return LB_OK;
  if (body->mesh->triangle_count == 0)
    return lb_fail(err, LB_ERR_MESH,
                   "%s: has neither triangles nor tets nor bricks, a model needs one of them",
                   job->path);
  double start = lb_seconds();
  lbVoxeliseDef def = lb_voxelise_def();
  if (job->def->cells > 0) def.cells = job->def->cells;
  lbMesh *volume = NULL;
  lbStatus status = lb_mesh_voxelise(body->mesh, &def, &volume, &body->embedding, err);
  if (status) return status;
  body->surface = body->mesh;
  body->mesh = volume;
  body->surface_ids = true;
  job->report.cells = def.cells;
  job->report.cells_chosen = job->def->cells == 0;
  job->report.volume_seconds = lb_seconds() - start;
  return LB_OK;
}

// What a message calls a region, when the caller's words are not at hand.
static lbStatus fail_region(const lbBuildJob *job, const char *field, int32_t index,
                            lbStatus status, lbError *err) {
  if (status != LB_ERR_ARGUMENT || !err) return status;
  lbError why = *err;
  return lb_fail(err, status, "%s: %s[%d]: %s", job->path, field, (int)index, why.text);
}

// Young's moduli by region, over the material of a bare mesh.
static lbStatus paint_materials(lbBuildJob *job, lbError *err) {
  const lbBuildDef *def = job->def;
  if (!job->report.bare || def->young_count == 0) return LB_OK;
  lbMaterial material = def->material ? *def->material : lb_material();
  lbRegion everything = lb_region();
  lbBodyPaint paint;
  lbStatus status = lb_scene_paint_begin(&paint, job->body, err);
  if (!status) status = lb_scene_paint(&paint, &everything, &material, NULL, err);
  for (int32_t i = 0; i < def->young_count && !status; i++) {
    material.young = def->youngs[i].young[0];
    status = lb_scene_paint(&paint, &def->youngs[i].region, &material, def->youngs[i].young, err);
    status = fail_region(job, "young", i, status, err);
  }
  lb_scene_paint_end(&paint);
  return status;
}

// What the surface is painted with is seen in the model.
static lbStatus show_colors(lbBuildJob *job, lbError *err) {
  return job->report.bare ? lb_scene_show_colors(job->body, err) : LB_OK;
}

// What is drawn of a surface that bricks carry, after all that regions of it say.
static lbStatus thin_surface(lbBuildJob *job, lbError *err) {
  lbSceneBody *body = job->body;
  int32_t most = job->def->triangles;
  if (most == 0 || !body->surface || body->surface->triangle_count <= most) return LB_OK;
  int32_t whole = body->surface->triangle_count;
  lbStatus status = lb_mesh_thin(body->surface, body->embedding, most, err);
  if (!status)
    lb_log(LB_LOG_WARNING,
           "%s: it is drawn with %d triangles, of %d that its surface has and that it was "
           "voxelised from",
           job->path, (int)body->surface->triangle_count, (int)whole);
  return status;
}

// ---- axes and supports -------------------------------------------------------------------------

static void choose_up(lbBuildJob *job) {
  static const char *const y_up[] = { ".obj", ".gltf", ".glb" };
  char up = job->def->up;
  job->report.up_chosen = up == 0 && job->report.bare;
  if (!up && !job->report.bare) up = job->body->up == 'y' ? 'y' : 'z';
  for (size_t i = 0; i < sizeof y_up / sizeof *y_up && !up; i++)
    if (lb_path_has_extension(job->path, y_up[i])) up = 'y';
  job->report.up = up ? up : 'z';
}

static bool *used_vertices(const lbMesh *mesh) {
  bool *used = lb_alloc((size_t)mesh->vertex_count, sizeof *used);
  for (size_t i = 0; used && i < 4 * (size_t)mesh->tet_count; i++) used[mesh->tets[i]] = true;
  for (size_t i = 0; used && i < 8 * (size_t)mesh->brick_count; i++) used[mesh->bricks[i]] = true;
  bool shell = lb_mesh_element_count(mesh) == 0;
  for (size_t i = 0; used && shell && i < 3 * (size_t)mesh->triangle_count; i++)
    used[mesh->triangles[i]] = true;
  return used;
}

// Fixes the lowest `share` of the height; body->fixed is there.
static void fix_lowest(const lbBuildJob *job, const bool *used, double share) {
  const lbMesh *mesh = job->body->mesh;
  const double *height = mesh->positions + (job->report.up == 'y' ? 1 : 2);
  double low = INFINITY, high = -INFINITY;
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    if (!used[v]) continue;
    low = fmin(low, height[3 * (size_t)v]);
    high = fmax(high, height[3 * (size_t)v]);
  }
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    job->body->fixed[v] = used[v] && height[3 * (size_t)v] <= low + share * (high - low);
}

// The finite-element body in its own axes, wherever the scene puts it.
lbStatus lb_build_fem(lbBuildJob *job, lbError *err) {
  lb_fem_destroy(job->fem);
  job->fem = NULL;
  return lb_scene_own_fem(job->body, &job->fem, err);
}

// A body that ends in a point below is not held by the lowest 5 %: then twice as much, and so on.
// What never holds (several parts) is left at the first.
static lbStatus hold_lowest_part(lbBuildJob *job, lbError *err) {
  bool *used = used_vertices(job->body->mesh);
  job->body->fixed = lb_alloc((size_t)job->body->mesh->vertex_count, sizeof(bool));
  lbStatus status = used && job->body->fixed ? LB_OK : lb_fail_memory(err);
  bool held = false;
  for (double share = LB_BUILD_FIXED; !status && !held && share < 0.5; share *= 2) {
    fix_lowest(job, used, share);
    job->report.fixed_share = share;
    status = lb_build_fem(job, err);
    lbStatus loose = status ? LB_OK : lb_fem_check_held(job->fem, err);
    if (loose == LB_ERR_MEMORY) status = loose;
    held = loose == LB_OK;
  }
  if (!status && !held) {
    fix_lowest(job, used, LB_BUILD_FIXED);
    job->report.fixed_share = LB_BUILD_FIXED;
    status = lb_build_fem(job, err);
  }
  lb_free(used);
  return status;
}

// What the caller names.
static lbStatus fix_regions(lbBuildJob *job, lbError *err) {
  lbSceneBody *body = job->body;
  lbPainter *painter = NULL;
  body->fixed = lb_alloc((size_t)body->mesh->vertex_count, sizeof(bool));
  lbStatus status = body->fixed ? lb_painter_create(body->mesh, body->surface, &painter, err)
                                : lb_fail_memory(err);
  for (int32_t i = 0; i < job->def->fixed_count && !status; i++) {
    status = lb_painter_nodes(painter, &job->def->fixed[i], body->fixed, err);
    status = fail_region(job, "fixed", i, status, err);
  }
  lb_painter_destroy(painter);
  return status ? status : lb_build_fem(job, err);
}

static lbStatus support(lbBuildJob *job, lbError *err) {
  bool named = job->report.bare && job->def->fixed_count > 0;
  bool hold_it = job->report.bare && !job->def->is_free && !named;
  lbStatus status = named     ? fix_regions(job, err)
                    : hold_it ? hold_lowest_part(job, err)
                              : lb_build_fem(job, err);
  for (int32_t v = 0; !status && v < job->fem->vertex_count; v++)
    job->report.fixed_count += lb_fem_fixed(job->fem)[v];
  return status;
}

// ---- the whole ---------------------------------------------------------------------------------

static lbStatus check_build_def(const lbBuildDef *def, const char *path, lbError *err) {
  if (def->mode_count < 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: mode_count is %d, it must be at least 1", path,
                   (int)def->mode_count);
  if (def->dimension < 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: dimension is %d, it must be at least 1", path,
                   (int)def->dimension);
  if (def->elements < 0 || def->poses < 0 || def->pose_amplitude < 0)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: elements is %d, poses %d and pose_amplitude %g, they must be positive",
                   path, (int)def->elements, (int)def->poses, def->pose_amplitude);
  if (def->cells < 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: cells is %d, it must be at least 1", path,
                   (int)def->cells);
  if (def->triangles < 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: triangles is %d, it must be at least 1", path,
                   (int)def->triangles);
  if (def->up && def->up != 'y' && def->up != 'z')
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: up is '%c', it must be 'y' or 'z'", path, def->up);
  if (def->young_count < 0 || def->fixed_count < 0 || (def->is_free && def->fixed_count > 0))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: young_count is %d and fixed_count %d, they must be 0 or more, and a free "
                   "body has nothing fixed",
                   path, (int)def->young_count, (int)def->fixed_count);
  if (!isfinite(def->frequency) || !isfinite(def->damping_mass) ||
      !isfinite(def->damping_stiffness))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: frequency and damping must be finite", path);
  return LB_OK;
}

static lbStatus prepare_build_mesh(lbBuildJob *job,
                                   lbError *err) { // up to the modes and the stiffness
  lbStatus status = check_build_def(job->def, job->path, err);
  if (!status) status = load_build_mesh(job, err);
  if (!status) status = lb_build_method(job, err);
  if (!status) status = voxelise(job, err);
  if (!status) status = paint_materials(job, err);
  if (!status) status = show_colors(job, err);
  if (!status) choose_up(job);
  if (!status) status = support(job, err);
  if (!status) status = thin_surface(job, err);
  if (!status) status = lb_build_modes(job, err);
  return status ? status : lb_build_stiffness(job, err);
}

lbStatus lb_build_model(const char *path, const lbBuildDef *def, lbModel **out,
                        lbBuildReport *report, lbError *err) {
  lbBuildJob job = { .path = path, .def = def };
  lbModel *model = NULL;
  lbStatus status = prepare_build_mesh(&job, err);
  if (!status) status = lb_build_basis(&job, err);
  if (!status) status = lb_build_reduced(&job, &model, err);
  if (!status) status = lb_build_accuracy(&job, &model, err);
  if (!status && report) {
    *report = job.report;
    job.report.accuracy = NULL;
  }
  lb_accuracy_destroy(job.report.accuracy);
  if (status)
    lb_model_destroy(model);
  else
    *out = model;
  release_job(&job);
  return status;
}

lbStatus lb_build_scene(const char *path, const lbBuildDef *def, lbScene **out,
                        lbBuildReport *report, lbError *err) {
  lbBuildDef own = *def;
  own.method = LB_METHOD_MODAL; // one mode determines the stiffness
  own.mode_count = 1;
  lbBuildJob job = { .path = path, .def = &own };
  lbReduceDef damping = lb_reduce_def();
  lbStatus status = prepare_build_mesh(&job, err);
  if (!status && !job.report.bare)
    status = lb_fail(err, LB_ERR_ARGUMENT, "%s: is a scene already", path);
  if (!status) {
    lb_build_damping(&job, &damping);
    job.body->damping_mass = damping.damping_mass;
    job.body->damping_stiffness = damping.damping_stiffness;
    job.body->up = job.report.up;
    lb_scene_let_fall(job.scene, job.report.up == 'y' ? 1 : 2);
    if (report) *report = job.report;
    *out = job.scene;
    job.scene = NULL;
  }
  release_job(&job);
  return status;
}
