// From a file to a model: load, voxelise, fix, solve for the modes once, scale the stiffness,
// reduce.
//
// Frequencies scale with the square root of the stiffness and shapes do not change, so the modes at
// any stiffness give those at the wanted one: λ ← s λ with s = (wanted / found)², exactly, as long
// as all materials are scaled alike.
#include "limber/build_model.h"

#include "fem/fem.h"
#include "limber/file.h"
#include "limber/voxelise.h"
#include "reduce/modal.h"
#include "scene/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

lbBuildDef lb_build_def(void) {
  return (lbBuildDef){ .damping_mass = -1, .damping_stiffness = -1, .frequency = -1 };
}

typedef struct Job {
  const char *path;
  const lbBuildDef *def;
  lbScene *scene;
  lbSceneBody *body;
  lbFem *fem;
  lbModes *modes;
  lbModalDef modal;
  lbBuildReport report;
} Job;

static void release_job(Job *job) {
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

static lbStatus find_body(Job *job, lbError *err) {
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

static lbStatus load(Job *job, lbError *err) {
  double start = lb_seconds();
  lbSceneDefaults defaults = { .material = lb_material() };
  if (job->def->material)
    defaults = (lbSceneDefaults){ .material = *job->def->material, .has_material = true };
  job->report.bare = !lb_path_has_extension(job->path, ".json");
  if (lb_model_is_model_file(job->path))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: is a model already, build from its mesh", job->path);
  lbStatus status = lb_scene_load(job->path, &defaults, &job->scene, err);
  if (!status) status = find_body(job, err);
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
static lbStatus voxelise(Job *job, lbError *err) {
  lbSceneBody *body = job->body;
  if (!job->report.bare || lb_mesh_element_count(body->mesh) > 0) return LB_OK;
  if (body->mesh->triangle_count == 0)
    return lb_fail(err, LB_ERR_MESH,
                   "%s: has neither triangles nor tets nor bricks, there is nothing to build",
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

// ---- axes and supports -------------------------------------------------------------------------

static void choose_up(Job *job) {
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
  return used;
}

// Fixes the lowest `share` of the height; body->fixed is there.
static void fix_lowest(const Job *job, const bool *used, double share) {
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
static lbStatus make_fem(Job *job, lbError *err) {
  const lbSceneBody *body = job->body;
  char name[220];
  snprintf(name, sizeof name, "body \"%.150s\"", body->name);
  lbFemDef def = lb_fem_def();
  def.name = name;
  def.materials = body->materials;
  def.material_count = body->material_count;
  def.element_materials = body->element_materials;
  def.fixed = body->fixed;
  def.mass = body->mass;
  lb_fem_destroy(job->fem);
  job->fem = NULL;
  return lb_fem_create(body->mesh, &def, &job->fem, err);
}

// A body that ends in a point below is not held by the lowest 5 %: then twice as much, and so on.
// What never holds (several parts) is left at the first.
static lbStatus hold(Job *job, lbError *err) {
  bool *used = used_vertices(job->body->mesh);
  job->body->fixed = lb_alloc((size_t)job->body->mesh->vertex_count, sizeof(bool));
  lbStatus status = used && job->body->fixed ? LB_OK : lb_fail_memory(err);
  bool held = false;
  for (double share = LB_BUILD_FIXED; !status && !held && share < 0.5; share *= 2) {
    fix_lowest(job, used, share);
    job->report.fixed_share = share;
    status = make_fem(job, err);
    lbStatus loose = status ? LB_OK : lb_fem_check_held(job->fem, err);
    if (loose == LB_ERR_MEMORY) status = loose;
    held = loose == LB_OK;
  }
  if (!status && !held) {
    fix_lowest(job, used, LB_BUILD_FIXED);
    job->report.fixed_share = LB_BUILD_FIXED;
    status = make_fem(job, err);
  }
  lb_free(used);
  return status;
}

// ---- modes -------------------------------------------------------------------------------------

static lbStatus choose_method(Job *job, lbError *err) {
  lbMethod method = job->def->method == LB_METHOD_FULL ? job->body->method : job->def->method;
  if (method == LB_METHOD_FULL || method == LB_METHOD_MODAL) return LB_OK;
  return lb_fail(err, LB_ERR_UNSUPPORTED,
                 "%s: this version builds no \"%s\" models, ask for the method \"modal\"",
                 job->path, lb_method_name(method));
}

static void choose_modes(Job *job) {
  const lbBuildDef *def = job->def;
  job->modal = lb_modal_def();
  int32_t usual = job->modal.mode_count;
  if (!job->report.bare && job->body->modal.mode_count > 0) job->modal = job->body->modal;
  if (def->discard) job->modal.discard = *def->discard;
  if (def->mode_count > 0) job->modal.mode_count = def->mode_count;
  job->report.modes_chosen = def->mode_count == 0 && job->modal.mode_count == usual;
  if (!job->report.modes_chosen) return;
  int64_t most = 3 * (int64_t)job->fem->node_count - (job->report.fixed_count ? 0 : 6);
  if (job->modal.mode_count > most) job->modal.mode_count = most < 1 ? 1 : (int32_t)most;
}

static lbStatus solve(Job *job, lbError *err) {
  double start = lb_seconds();
  lbStatus status = LB_OK;
  if (job->report.bare && !job->def->is_free)
    status = hold(job, err);
  else
    status = make_fem(job, err);
  if (status) return status;
  for (int32_t v = 0; v < job->fem->vertex_count; v++)
    job->report.fixed_count += lb_fem_fixed(job->fem)[v];
  choose_modes(job);
  status = lb_fem_modes(job->fem, job->modal.mode_count, &job->modes, err);
  job->report.mode_count = job->modal.mode_count;
  if (!status) job->report.rigid_count = job->modes->rigid_count;
  job->report.modes_seconds = lb_seconds() - start;
  return status;
}

static lbStatus scale_stiffness(Job *job, lbError *err) {
  double wanted = job->def->frequency;
  if (!job->report.bare || wanted == 0 || (wanted < 0 && job->report.material_given)) return LB_OK;
  if (wanted < 0) wanted = LB_BUILD_FREQUENCY;
  double ratio = wanted / job->modes->frequencies[0], s = ratio * ratio;
  for (int32_t i = 0; i < job->body->material_count; i++) {
    lbMaterial *m = &job->body->materials[i];
    m->young *= s, m->c10 *= s, m->c01 *= s, m->v1 *= s;
  }
  for (int32_t i = 0; i < job->modes->count; i++) {
    job->modes->frequencies[i] *= ratio;
    job->modes->eigenvalues[i] *= s;
  }
  job->report.frequency = wanted;
  return make_fem(job, err);
}

// ---- the model ---------------------------------------------------------------------------------

static uint64_t hash(uint64_t sum, const void *block, size_t count, size_t item_bytes) {
  for (size_t i = 0; block && i < count * item_bytes; i++) // FNV-1a
    sum = (sum ^ ((const uint8_t *)block)[i]) * UINT64_C(0x100000001b3);
  return sum;
}

static uint64_t hash_mesh(uint64_t sum, const lbMesh *mesh) {
  if (!mesh) return sum;
  sum = hash(sum, mesh->positions, (size_t)mesh->vertex_count, 3 * sizeof(double));
  sum = hash(sum, mesh->tets, (size_t)mesh->tet_count, 4 * sizeof(int32_t));
  sum = hash(sum, mesh->bricks, (size_t)mesh->brick_count, 8 * sizeof(int32_t));
  sum = hash(sum, mesh->triangles, (size_t)mesh->triangle_count, 3 * sizeof(int32_t));
  return hash(sum, mesh->corner_uvs, (size_t)mesh->triangle_count, 6 * sizeof(float));
}

static void write_provenance(const Job *job, char *text, size_t bytes) {
  const lbBuildReport *r = &job->report;
  uint64_t sum = hash_mesh(UINT64_C(0xcbf29ce484222325), job->body->mesh);
  sum = hash_mesh(sum, job->body->surface);
  int used = snprintf(text, bytes, "mesh: fnv1a64 %016llx\n", (unsigned long long)sum);
  if (r->cells)
    used += snprintf(text + used, bytes - (size_t)used, "voxelise: %d cells\n", (int)r->cells);
  if (r->fixed_share > 0)
    used += snprintf(text + used, bytes - (size_t)used, "fixed: lowest %g %% along %c\n",
                     100 * r->fixed_share, r->up);
  if (r->frequency > 0)
    used += snprintf(text + used, bytes - (size_t)used, "stiffness: scaled to %.17g Hz\n",
                     r->frequency);
  if (r->damping_ratio > 0)
    snprintf(text + used, bytes - (size_t)used, "damping: ratio %g of the first mode\n",
             r->damping_ratio);
}

static void choose_damping(Job *job, lbReduceDef *reduce) {
  const lbBuildDef *def = job->def;
  bool said = def->damping_mass >= 0 || def->damping_stiffness >= 0;
  reduce->damping_mass = job->body->damping_mass;
  reduce->damping_stiffness = job->body->damping_stiffness;
  if (def->damping_mass >= 0) reduce->damping_mass = def->damping_mass;
  if (def->damping_stiffness >= 0) reduce->damping_stiffness = def->damping_stiffness;
  if (said || !job->report.bare) return;
  // ξ = (α/ω + β ω) / 2 with α = 0
  job->report.damping_ratio = LB_BUILD_DAMPING;
  reduce->damping_stiffness = 2 * LB_BUILD_DAMPING / sqrt(job->modes->eigenvalues[0]);
}

static lbStatus reduce_body(Job *job, lbModel **out, lbError *err) {
  double start = lb_seconds();
  char name[160], provenance[400];
  lbReduceDef def = lb_reduce_def();
  snprintf(name, sizeof name, "%.150s", job->body->name);
  if (job->report.bare) name[strlen(name) - strlen(lb_path_extension(name))] = '\0';
  def.name = name[0] ? name : "body";
  def.up = job->report.up;
  def.surface = job->body->surface;
  def.embedding = job->body->embedding;
  choose_damping(job, &def);
  write_provenance(job, provenance, sizeof provenance);
  def.provenance = provenance;
  lbStatus status =
      lb_reduce_modes(job->body->mesh, job->fem, job->modes, &def, &job->modal, out, err);
  if (!status) status = lb_scene_number_surface(job->body, out, err);
  job->report.model_seconds = lb_seconds() - start;
  return status;
}

static lbStatus check_def(const lbBuildDef *def, const char *path, lbError *err) {
  if (def->mode_count < 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: mode_count is %d, it must be at least 1", path,
                   (int)def->mode_count);
  if (def->cells < 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: cells is %d, it must be at least 1", path,
                   (int)def->cells);
  if (def->up && def->up != 'y' && def->up != 'z')
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: up is '%c', it must be 'y' or 'z'", path, def->up);
  if (!isfinite(def->frequency) || !isfinite(def->damping_mass) ||
      !isfinite(def->damping_stiffness))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: frequency and damping must be finite", path);
  return LB_OK;
}

lbStatus lb_build_model(const char *path, const lbBuildDef *def, lbModel **out,
                        lbBuildReport *report, lbError *err) {
  Job job = { .path = path, .def = def };
  lbModel *model = NULL;
  lbStatus status = check_def(def, path, err);
  if (!status) status = load(&job, err);
  if (!status) status = choose_method(&job, err);
  if (!status) status = voxelise(&job, err);
  if (!status) choose_up(&job);
  if (!status) status = solve(&job, err);
  if (!status) status = scale_stiffness(&job, err);
  if (!status) status = reduce_body(&job, &model, err);
  if (!status) {
    *out = model;
    if (report) *report = job.report;
  }
  release_job(&job);
  return status;
}
