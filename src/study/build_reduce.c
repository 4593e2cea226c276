// The second half of building: method, modes, basis, stiffness, model, comparison.
//
// Frequencies scale with the square root of the stiffness and shapes do not change, so the modes at
// any stiffness give those at the wanted one: λ ← s λ with s = (wanted / found)², exactly, as long
// as all materials are scaled alike. So it is with the bases that are made from modes; one that is
// made from loads waits for the right stiffness.
#include "study/build_job.h"

#include "fem/fem.h"
#include "limber/file.h"
#include "reduce/modal.h"
#include "reduce/subspace.h"
#include "scene/body.h"
#include "scene/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- method ------------------------------------------------------------------------------------

static bool all_have(const lbSceneBody *body, lbMaterialModel law) {
  for (int32_t i = 0; i < body->material_count; i++)
    if (body->materials[i].model != law) return false;
  return true;
}

// Where neither caller nor scene says it: subspace, unless everything is linear.
lbStatus lb_build_method(lbBuildJob *job, lbError *err) {
  bool said = job->def->method != LB_METHOD_DEFAULT || job->body->method != LB_METHOD_FULL;
  lbMethod method = job->def->method == LB_METHOD_DEFAULT ? job->body->method : job->def->method;
  if (!said) {
    job->report.method_chosen = true;
    job->report.law_decided = all_have(job->body, LB_MATERIAL_LINEAR);
    bool modal = job->report.law_decided || (job->def->discard && job->def->discard->on);
    method = modal ? LB_METHOD_MODAL : LB_METHOD_SUBSPACE;
  }
  job->report.method = method;
  if (method == LB_METHOD_SUBSPACE || method == LB_METHOD_MODAL || method == LB_METHOD_WARP ||
      method == LB_METHOD_FRAMES)
    return LB_OK;
  return lb_fail(err, LB_ERR_UNSUPPORTED,
                 "%s: this version builds no \"%s\" models, ask for the method \"subspace\", "
                 "\"modal\", \"warp\" or \"frames\"",
                 job->path, lb_method_name(method));
}

// What the caller says about forces goes before the scene's.
static void override_forces(const lbBuildDef *def, lbSubspaceDef *own) {
  lbCubatureDef *c = &own->cubature;
  if (def->forces != LB_FORCES_BY_LAW) own->forces = def->forces;
  if (def->elements > 0) c->element_limit = def->elements, c->all = false;
  if (def->all_elements) c->all = true;
  if (def->force_error >= 0) c->error = def->force_error;
  if (def->poses > 0) c->pose_count = def->poses;
  if (def->pose_amplitude > 0) c->amplitude = def->pose_amplitude;
  if (def->seed >= 0) c->seed = (uint64_t)def->seed;
  if (def->selection != LB_CUBATURE_SELECTION_COUNT) c->selection = def->selection;
}

// And what the caller says about the basis.
static lbStatus override_scene(lbBuildJob *job, lbError *err) {
  const lbBuildDef *def = job->def;
  lbSceneBody *body = job->body;
  lbSubspaceDef *own = &body->subspace;
  job->report.basis_chosen =
      def->basis == LB_BASIS_KIND_COUNT && own->basis.kind == LB_BASIS_DERIVATIVES;
  if (def->basis != LB_BASIS_KIND_COUNT) own->basis.kind = def->basis;
  if (def->mode_count > 0) body->modal.mode_count = def->mode_count;
  if (def->dimension > 0)
    own->vectors_max = def->dimension;
  else if (def->basis == LB_BASIS_FILE && def->basis_file)
    own->vectors_max = 0; // all vectors of the file: the scene's number is for the scene's basis
  if (def->metric >= 0) own->basis.metric = (lbMassKind)def->metric;
  own->editable |= def->editable;
  override_forces(def, own);
  job->report.dimension_chosen = own->vectors_max == 0;
  if (!def->basis_file) return LB_OK;
  lb_free(body->basis_file);
  body->basis_file = lb_duplicate_text(def->basis_file);
  return body->basis_file ? LB_OK : lb_fail_memory(err);
}

// How many frames: beside the joints of a skeleton, or instead of those that the scene places.
static lbStatus choose_frames(lbBuildJob *job, lbError *err) {
  lbFramesDef *own = &job->body->frames;
  int32_t count = job->def->frames;
  if (count == 0) return LB_OK;
  if (own->joint_count == 0 && own->fixed_count > 0)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: \"fixed\" or \"drive\" names frames by number, and --frames would place "
                   "others: change the scene",
                   job->path);
  own->count = own->joint_count + count;
  if (own->joint_count == 0) own->positions = NULL;
  return LB_OK;
}

static void describe_object(const lbBuildJob *job, char name[160], lbReduceDef *def);

static lbStatus choose_subspace(lbBuildJob *job, lbError *err) {
  char name[160];
  lbReduceDef def;
  lbStatus status = override_scene(job, err);
  if (!status) status = lb_scene_subspace(job->body, job->fem, &job->subspace, &job->sketch, err);
  if (status) return status;
  describe_object(job, name, &def);
  job->report.basis = job->subspace.basis.kind;
  job->report.forces_chosen = job->subspace.forces == LB_FORCES_BY_LAW;
  return lb_subspace_check(job->fem, &def, &job->subspace, err);
}

static bool basis_has_modes(const lbBuildJob *job) {
  lbBasisKind kind = job->subspace.basis.kind;
  return job->report.method == LB_METHOD_SUBSPACE && kind != LB_BASIS_SKETCH &&
         kind != LB_BASIS_FILE;
}

// ---- modes -------------------------------------------------------------------------------------

static void choose_build_modes(lbBuildJob *job) {
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

static lbStatus make_basis(lbBuildJob *job, lbError *err) {
  double start = lb_seconds();
  lbBasisDef def = job->subspace.basis;
  def.keep_factor = job->def->accuracy != LB_ACCURACY_NONE;
  lbStatus status = lb_basis_make(job->fem, &def, &job->basis, err);
  if (status) return status;
  job->factor = (lbKnownFactor){ job->basis->factor, 1 };
  job->basis->factor = NULL;
  job->report.basis_seconds = lb_seconds() - start - job->basis->mode_seconds;
  job->report.modes_seconds += job->basis->mode_seconds;
  return LB_OK;
}

lbStatus lb_build_modes(lbBuildJob *job, lbError *err) {
  double start = lb_seconds();
  lbStatus status = LB_OK;
  bool needed = job->report.method != LB_METHOD_WARP && job->report.method != LB_METHOD_FRAMES;
  if (job->fem->engine && job->def->accuracy == LB_ACCURACY_FULL)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: a body in parts is not compared with the full simulator, leave --accuracy "
                   "and --report out",
                   job->path);
  if (!needed && job->fem->engine)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: models of the method \"%s\" are not built in parts, use limber itself",
                   job->path, lb_method_name(job->report.method));
  if (job->report.method == LB_METHOD_FRAMES) status = choose_frames(job, err);
  if (status || (!needed && !job->report.bare)) return status;
  choose_build_modes(job);
  job->report.modes_chosen &= needed;
  if (job->report.method == LB_METHOD_SUBSPACE) status = choose_subspace(job, err);
  if (!status && basis_has_modes(job)) {
    status = make_basis(job, err);
    if (status) return status;
    job->modes = job->basis->modes;
    job->basis->modes = NULL;
  } else if (!status) {
    status = lb_fem_modes(job->fem, job->modal.mode_count, &job->modes, err);
    job->report.modes_seconds = lb_seconds() - start;
  }
  if (status) return status;
  job->report.mode_count = job->modes->count;
  job->report.rigid_count = job->modes->rigid_count;
  return LB_OK;
}

lbStatus lb_build_basis(lbBuildJob *job, lbError *err) {
  bool needed = job->report.method == LB_METHOD_SUBSPACE && !job->basis;
  return needed ? make_basis(job, err) : LB_OK;
}

lbStatus lb_build_stiffness(lbBuildJob *job, lbError *err) {
  double wanted = job->def->frequency;
  if (!job->report.bare || wanted == 0 || (wanted < 0 && job->report.material_given)) return LB_OK;
  if (wanted < 0) wanted = LB_BUILD_FREQUENCY;
  double ratio = wanted / job->modes->frequencies[0], s = ratio * ratio;
  for (int32_t i = 0; i < job->body->material_count; i++) {
    lbMaterial *m = &job->body->materials[i];
    m->young *= s, m->c10 *= s, m->c01 *= s, m->v1 *= s;
    m->stretch *= s, m->area *= s, m->bend *= s;
  }
  for (int32_t i = 0; i < job->modes->count; i++) {
    job->modes->frequencies[i] *= ratio;
    job->modes->eigenvalues[i] *= s;
  }
  job->factor.stiffness *= s;
  job->report.frequency = wanted;
  return lb_build_fem(job, err);
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
  sum = hash(sum, mesh->vertex_colors, (size_t)mesh->vertex_count, 4 * sizeof(float));
  return hash(sum, mesh->corner_uvs, (size_t)mesh->triangle_count, 6 * sizeof(float));
}

static void write_build_provenance(const lbBuildJob *job, char *text, size_t bytes) {
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

void lb_build_damping(lbBuildJob *job, lbReduceDef *reduce) {
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

// What the model takes over from the body; `name` is room for its name.
static void describe_object(const lbBuildJob *job, char name[160], lbReduceDef *def) {
  *def = lb_reduce_def();
  snprintf(name, 160, "%.150s", job->body->name);
  if (job->report.bare) name[strlen(name) - strlen(lb_path_extension(name))] = '\0';
  def->name = name[0] ? name : "body";
  def->up = job->report.up;
  def->surface = job->body->surface;
  def->embedding = job->body->embedding;
}

lbStatus lb_build_reduced(lbBuildJob *job, lbModel **out, lbError *err) {
  double start = lb_seconds();
  char name[160], provenance[400] = "";
  lbReduceDef def;
  lbModel *model = NULL;
  describe_object(job, name, &def);
  lb_build_damping(job, &def);
  write_build_provenance(job, provenance, sizeof provenance);
  def.provenance = provenance;
  lbStatus status =
      job->report.method == LB_METHOD_SUBSPACE
          ? lb_reduce_basis(job->body->mesh, job->fem, job->basis, job->modes, &def, &job->subspace,
                            &model, err)
      : job->report.method == LB_METHOD_WARP
          ? lb_reduce_warp(job->body->mesh, job->fem, &def, &job->body->warp, &model, err)
      : job->report.method == LB_METHOD_FRAMES
          ? lb_reduce_frames(job->body->mesh, job->fem, &def, &job->body->frames, &model, err)
          : lb_reduce_modes(job->body->mesh, job->fem, job->modes, &def, &job->modal, &model, err);
  if (!status) status = lb_scene_number_surface(job->body, &model, err);
  job->report.model_seconds = lb_seconds() - start;
  if (status) {
    lb_model_destroy(model);
    return status;
  }
  job->report.dimension = model->size.subspace_dimension;
  *out = model;
  return LB_OK;
}

// ---- comparison --------------------------------------------------------------------------------

lbStatus lb_build_accuracy(lbBuildJob *job, lbModel **model, lbError *err) {
  if (job->def->accuracy == LB_ACCURACY_NONE || job->report.method == LB_METHOD_WARP ||
      job->report.method == LB_METHOD_FRAMES)
    return LB_OK; // they have the full one's coordinates: a scene can have both
  if (job->fem->engine) {
    lb_log(LB_LOG_INFO, "%s: a body in parts is not compared with the full simulator", job->path);
    return LB_OK;
  }
  double start = lb_seconds();
  lbAccuracyDef def = lb_accuracy_def();
  def.kind = job->def->accuracy;
  def.method = job->report.method;
  lbStatus status =
      lb_accuracy_measure_by(job->fem, *model, &def, &job->factor, &job->report.accuracy, err);
  if (!status) status = lb_accuracy_store(job->report.accuracy, model, err);
  job->report.accuracy_seconds = lb_seconds() - start;
  return status;
}
