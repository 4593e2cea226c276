// Making bodies: checks of the def, one block of memory, and what is found once about the surface
// (which nodes carry it, which triangles lie around a vertex).
#include "body/constraints.h"
#include "body/point.h"
#include "body/push.h"

#include <string.h>

#define DAMPING_MOST 1e40 // as in models
#define RANGE_GAP 16      // nodes between two ranges of nodes that are not worth leaving out

lbBodyDef lb_body_def(void) {
  return (lbBodyDef){ .method = LB_METHOD_DEFAULT,
                      .rotation = { 0, 0, 0, 1 },
                      .damping_mass = NAN,
                      .damping_stiffness = NAN,
                      .constrained_points = 16,
                      .newton_iterations = 1,
                      .newton_tolerance = 1e-10 };
}

// ---- what bodies have in common ----------------------------------------------------------------

static const lbBodyMethod *const methods[] = { &lb_subspace_method, &lb_modal_method,
                                               &lb_recorded_method };

static const lbBodyMethod *find_method(const lbModel *model, lbMethod method) {
  lbModelMethod view;
  if (!lb_model_method(model, method, &view)) return NULL;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (methods[i]->method == view.method) return methods[i];
  return NULL;
}

// NAN leaves *damping as it is.
static lbStatus choose_damping(double chosen, const char *name, double *damping, lbError *err) {
  if (isnan(chosen)) return LB_OK;
  if (!(chosen >= 0 && chosen <= DAMPING_MOST))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s is %g; it must be from 0 to %g", name, chosen,
                   DAMPING_MOST);
  *damping = chosen;
  return LB_OK;
}

lbStatus lb_body_set_damping(lbBody *body, double mass, double stiffness) {
  lbBodyCommon *common = body->common;
  double alpha = NAN, beta = NAN;
  lbStatus status = choose_damping(mass, "damping: mass", &alpha, body->message);
  if (!status) status = choose_damping(stiffness, "damping: stiffness", &beta, body->message);
  if (!status && (isnan(alpha) || isnan(beta)))
    status = lb_fail(body->message, LB_ERR_ARGUMENT, "damping is not a number");
  if (status) return status;
  common->damping_mass = alpha, common->damping_stiffness = beta;
  common->method->damping_changed(common);
  return LB_OK;
}

static lbStatus check_kept(const lbBodyCommon *common, const lbBodyDef *def, lbError *err) {
  if (def->kept_count == 0) return LB_OK;
  if (def->kept_count < 0 || def->kept_count > common->dimension || !def->kept)
    return lb_fail(err, LB_ERR_ARGUMENT, "kept_count is %d; model \"%s\" has %d modes",
                   (int)def->kept_count, common->model->name, (int)common->dimension);
  if (def->mode_count)
    return lb_fail(err, LB_ERR_ARGUMENT, "mode_count and kept_count are both given");
  for (int32_t i = 0; i < def->kept_count; i++) {
    if (def->kept[i] < 0 || def->kept[i] >= common->dimension)
      return lb_fail(err, LB_ERR_ARGUMENT, "kept: number %d is not among the model's %d modes",
                     (int)def->kept[i], (int)common->dimension);
    for (int32_t j = 0; j < i; j++)
      if (def->kept[j] == def->kept[i])
        return lb_fail(err, LB_ERR_ARGUMENT, "kept: number %d is there twice", (int)def->kept[i]);
  }
  return LB_OK;
}

static int32_t padded(int32_t count) { return (count + LB_BATCH - 1) / LB_BATCH * LB_BATCH; }

// How many modes, and which.
static lbStatus choose_modes(lbBodyCommon *common, const lbBodyDef *def, lbError *err) {
  if (def->mode_count < 0 || def->mode_count > common->dimension)
    return lb_fail(err, LB_ERR_ARGUMENT, "mode_count is %d; model \"%s\" has %d modes",
                   (int)def->mode_count, common->model->name, (int)common->dimension);
  lbStatus status = check_kept(common, def, err);
  if (status) return status;
  if (def->mode_count) common->dimension = def->mode_count;
  if (def->kept_count) common->dimension = def->kept_count, common->kept = def->kept;
  common->padded = padded(common->dimension);
  return LB_OK;
}

lbStatus lb_common_open(lbBodyCommon *common, const lbModel *model, const lbBodyDef *def,
                        lbSimdLevel level, lbError *err) {
  if ((int)def->method < 0 || def->method >= LB_METHOD_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT, "method is %d; it must be an lbMethod", (int)def->method);
  const lbBodyMethod *method = find_method(model, def->method);
  if (!method && def->method == LB_METHOD_DEFAULT)
    return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\" has no method to run", model->name);
  bool unreduced = def->method == LB_METHOD_FULL || def->method == LB_METHOD_RECORDED;
  if (!method && unreduced && !lb_model_has(model, LB_METHOD_RECORDED))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "model \"%s\" has no recording of its unreduced motion, `limber cook` makes one",
                   model->name);
  if (!method && unreduced)
    return lb_fail(
        err, LB_ERR_ARGUMENT,
        "bodies do not have the method \"full\", the unreduced simulator is lb_simulator; "
        "\"recorded\" plays the recording of model \"%s\"",
        model->name);
  if (!method)
    return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\" does not have the method \"%s\"",
                   model->name, lb_method_name(def->method));
  *common = (lbBodyCommon){ .model = model,
                            .method = method,
                            .node_masses = model->node_masses,
                            .total_mass = model->rigid_mass[0],
                            .centre = lb_vec3_load(model->rigid_centre),
                            .level = level,
                            .kernels = lb_modal_kernels(level),
                            .stress = lb_stress_kernels(level) };
  lbStatus status = method->open(common, def, err);
  if (!status) status = choose_modes(common, def, err);
  if (status) return status;
  if (def->constrained_points < 0 || def->constrained_points > LB_CONSTRAINED_MOST)
    return lb_fail(err, LB_ERR_ARGUMENT, "constrained_points is %d; it must be from 0 to %d",
                   (int)def->constrained_points, LB_CONSTRAINED_MOST);
  status = choose_damping(def->damping_mass, "damping_mass", &common->damping_mass, err);
  if (!status)
    status = choose_damping(def->damping_stiffness, "damping_stiffness", &common->damping_stiffness,
                            err);
  return status;
}

static void place_kept(lbBodyCommon *common, lbCarver *carver) {
  size_t r = (size_t)common->dimension, rows = 3 * (size_t)common->model->size.node_count;
  common->own_kept = lb_carve(carver, r, sizeof(int32_t));
  common->own_basis = lb_carve(carver, r, rows * sizeof(double));
  common->own_gravity = lb_carve(carver, 3 * r, sizeof(double));
  common->own_launch = lb_carve(carver, 6 * r, sizeof(double));
  if (common->eigenvalues) common->own_eigenvalues = lb_carve(carver, r, sizeof(double));
}

void lb_common_place(lbBodyCommon *common, lbCarver *carver) {
  const lbModelSizes *size = &common->model->size;
  size_t node_count = (size_t)size->node_count, count = (size_t)common->padded;
  common->method->place(common, carver);
  if (common->kept) place_kept(common, carver);
  common->coordinates = lb_carve(carver, count, sizeof(double));
  common->rates = lb_carve(carver, count, sizeof(double));
  common->forces = lb_carve(carver, count, sizeof(double));
  common->nodes = lb_carve(carver, 3 * node_count, sizeof(double));
  common->lines = lb_carve(carver, 5 * count, sizeof(double));
  common->shares = lb_carve(carver, node_count, sizeof(double));
  common->moduli = lb_carve(carver, 2 * (size_t)size->material_count, sizeof(double));
  common->ranges = lb_carve(carver, node_count / (RANGE_GAP + 1) + 1, 2 * sizeof(int32_t));
  common->around_begin = lb_carve(carver, (size_t)size->vertex_count + 1, sizeof(int32_t));
  common->around = lb_carve(carver, 3 * (size_t)size->triangle_count, sizeof(int32_t));
}

// Runs of nodes that carry the surface; short gaps are bridged.
static void find_ranges(lbBodyCommon *common) {
  const lbModel *model = common->model;
  uint8_t *used = (uint8_t *)common->nodes; // working memory, not in use yet
  for (int32_t i = 0; i < model->size.carrier_count; i++) used[model->carrier_nodes[i]] = 1;
  int32_t *ranges = common->ranges, count = 0;
  for (int32_t node = 0; node < model->size.node_count; node++) {
    if (!used[node]) continue;
    if (count && node - ranges[2 * count - 1] < RANGE_GAP) {
      ranges[2 * count - 1] = node + 1;
      continue;
    }
    ranges[2 * count] = node, ranges[2 * count + 1] = node + 1;
    count++;
  }
  common->range_count = count;
  memset(used, 0, (size_t)model->size.node_count);
}

static void find_triangles_around(lbBodyCommon *common) {
  const lbModel *model = common->model;
  int32_t vertex_count = model->size.vertex_count, *begin = common->around_begin;
  size_t corner_count = 3 * (size_t)model->size.triangle_count;
  memset(begin, 0, ((size_t)vertex_count + 1) * sizeof *begin);
  for (size_t i = 0; i < corner_count; i++) begin[model->triangles[i] + 1]++;
  for (int32_t v = 0; v < vertex_count; v++) begin[v + 1] += begin[v];
  for (size_t i = 0; i < corner_count; i++)
    common->around[begin[model->triangles[i]]++] = (int32_t)(i / 3);
  for (int32_t v = vertex_count; v > 0; v--) begin[v] = begin[v - 1];
  begin[0] = 0;
}

static const double *take(const lbBodyCommon *common, const double *from, size_t size, double *to) {
  for (size_t i = 0; i < (size_t)common->dimension; i++)
    memcpy(to + size * i, from + size * (size_t)common->kept[i], size * sizeof *to);
  return to;
}

static void take_kept(lbBodyCommon *common) {
  memcpy(common->own_kept, common->kept, (size_t)common->dimension * sizeof(int32_t));
  common->kept = common->own_kept;
  common->basis =
      take(common, common->basis, 3 * (size_t)common->model->size.node_count, common->own_basis);
  common->gravity = take(common, common->gravity, 3, common->own_gravity);
  common->launch = take(common, common->launch, 6, common->own_launch);
  if (common->eigenvalues)
    common->eigenvalues = take(common, common->eigenvalues, 1, common->own_eigenvalues);
}

lbStatus lb_common_build(lbBodyCommon *common, lbError *err) {
  if (common->kept) take_kept(common);
  find_ranges(common);
  find_triangles_around(common);
  return common->method->build ? common->method->build(common, err) : LB_OK;
}

void lb_common_close(lbBodyCommon *common) {
  lb_aabb_tree_destroy(common->tree);
  lb_free(common->tree_positions);
  lb_push_destroy(common->push);
}

void lb_instances_place(lbInstances *instances, const lbBodyCommon *common, int32_t stride,
                        lbCarver *carver) {
  size_t count = (size_t)common->padded * (size_t)stride;
  instances->stride = stride;
  instances->q = lb_carve(carver, count, sizeof(double));
  instances->v = lb_carve(carver, count, sizeof(double));
  instances->force = lb_carve(carver, count, sizeof(double));
  instances->steady = lb_carve(carver, count, sizeof(double));
  instances->a = NULL, instances->consistent = NULL;
  if (common->method->keeps_acceleration) {
    instances->a = lb_carve(carver, count, sizeof(double));
    instances->consistent = lb_carve(carver, (size_t)stride, sizeof(int32_t));
  }
  if (common->method->place_instances) common->method->place_instances(common, instances, carver);
  instances->times = lb_carve(carver, (size_t)stride, sizeof(double));
  instances->bodies = lb_carve(carver, (size_t)stride, sizeof(lbBody *));
}

lbStatus lb_body_start(lbBody *body, lbVec3 position, lbQuat rotation, lbVec3 gravity,
                       lbError *err) {
  if (!lb_vec3_is_bounded(position))
    return lb_fail(err, LB_ERR_ARGUMENT, "position is (%g, %g, %g)", position.x, position.y,
                   position.z);
  if (!lb_rotation_make_unit(&rotation))
    return lb_fail(err, LB_ERR_ARGUMENT, "rotation is (%g, %g, %g, %g), which is none", rotation.x,
                   rotation.y, rotation.z, rotation.w);
  lbMat3 turn = lb_quat_to_mat3(rotation);
  if (!lb_body_set_steady(body, gravity, turn))
    return lb_fail(err, LB_ERR_ARGUMENT, "gravity is (%g, %g, %g)", gravity.x, gravity.y,
                   gravity.z);
  body->position = position;
  body->rotation = rotation;
  body->turn = turn;
  body->gravity = gravity;
  return LB_OK;
}

// ---- one body ----------------------------------------------------------------------------------

// A body of its own, at the start of its block.
typedef struct Single {
  lbBody body;
  lbBodyCommon common;
  lbInstances instances;
  lbConstraints constraints;
  lbError message;
} Single;

static void lay_out(Single *single, int32_t room, lbCarver *carver) {
  lb_carve(carver, 1, sizeof *single);
  lb_common_place(&single->common, carver);
  lb_instances_place(&single->instances, &single->common, 1, carver);
  lb_constraints_place(&single->constraints, &single->common, room, carver);
}

lbStatus lb_body_create_at(const lbModel *model, const lbBodyDef *def, lbSimdLevel level,
                           lbBody **out, lbError *err) {
  Single draft;
  memset(&draft, 0, sizeof draft);
  lbStatus status = lb_common_open(&draft.common, model, def, level, err);
  if (status) return status;
  lbCarver carver = { 0 };
  lay_out(&draft, def->constrained_points, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) return lb_fail_memory(err);
  carver.used = 0;
  lay_out(&draft, def->constrained_points, &carver);
  Single *single = (Single *)(void *)carver.block;
  *single = draft;
  single->common.blocks = &single->instances, single->common.block_count = 1;
  single->instances.count = 1;
  single->instances.bodies[0] = &single->body;
  single->body = (lbBody){ .common = &single->common,
                           .instances = &single->instances,
                           .constraints = &single->constraints,
                           .message = &single->message };
  status = lb_common_build(&single->common, err);
  if (!status)
    status = lb_body_start(&single->body, def->position, def->rotation, def->gravity, err);
  if (status)
    lb_free(single);
  else
    *out = &single->body;
  return status;
}

lbStatus lb_body_create(const lbModel *model, const lbBodyDef *def, lbBody **out, lbError *err) {
  return lb_body_create_at(model, def, lb_simd_best(), out, err);
}

void lb_body_destroy(lbBody *body) {
  if (!body) return;
  LB_ASSERT(!body->in_batch);
  if (body->in_batch) return; // the batch owns it
  lb_common_close(body->common);
  lb_free(body);
}
