// What must hold between the arrays of a model and of a world.
#include "model/model.h"

#include <math.h>
#include <string.h>

#define LENGTH_MOST 1e30
#define RECORDING_MOST 1000 // vectors
#define LAW_BY_CONSTANTS 5  // LB_MATERIAL_MOONEYRIVLIN
#define LAW_OF_SHELLS 6     // LB_MATERIAL_SHELL
#define RATE_LEAST 1e-6     // Hz

static lbStatus check_sizes(const lbModel *m, const char *where, lbError *err) {
  const lbModelSizes *s = &m->size;
  if ((int64_t)s->tet_count + s->brick_count + s->shell_count != s->element_count)
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: %d elements are not %d tets, %d bricks and %d triangles of a shell", where,
                   (int)s->element_count, (int)s->tet_count, (int)s->brick_count,
                   (int)s->shell_count);
  if (s->node_count > INT32_MAX / 8 || s->vertex_count > INT32_MAX / 8)
    return lb_fail(err, LB_ERR_FORMAT, "%s: more than %d nodes or vertices", where, INT32_MAX / 8);
  return LB_OK;
}

static lbStatus check_lengths(const double *positions, int32_t count, const char *what,
                              const char *where, lbError *err) {
  for (size_t i = 0; i < 3 * (size_t)count; i++)
    if (fabs(positions[i]) > LENGTH_MOST)
      return lb_fail(err, LB_ERR_FORMAT, "%s: %s %d lies at %g m", where, what, (int)(i / 3),
                     positions[i]);
  return LB_OK;
}

static lbStatus check_mass(const lbModel *m, const char *where, lbError *err) {
  for (int32_t i = 0; i < m->size.node_count; i++)
    if (m->node_masses[i] < 0)
      return lb_fail(err, LB_ERR_FORMAT, "%s: node %d has mass %g kg", where, (int)i,
                     m->node_masses[i]);
  if (!(m->rigid_mass[0] > 0))
    return lb_fail(err, LB_ERR_FORMAT, "%s: its mass is %g kg", where, m->rigid_mass[0]);
  for (int i = 0; i < 3; i++)
    if (m->rigid_inertia[4 * i] < 0)
      return lb_fail(err, LB_ERR_FORMAT, "%s: rigid.inertia[%d] is %g kg m2, it must be 0 or more",
                     where, 4 * i, m->rigid_inertia[4 * i]);
  return LB_OK;
}

// Checks the materials of elements; others may have any values.
static lbStatus check_model_materials(const lbModel *m, const char *where, lbError *err) {
  for (int32_t e = 0; e < m->size.element_count; e++) {
    int32_t number = m->element_materials[e];
    const double *values = m->material_values + 6 * (size_t)number;
    bool by_young =
        m->material_laws[number] != LAW_OF_SHELLS && m->material_laws[number] != LAW_BY_CONSTANTS;
    if (!(values[2] > 0))
      return lb_fail(err, LB_ERR_FORMAT, "%s: material %d has density %g kg/m3", where, (int)number,
                     values[2]);
    if (by_young && !(values[0] > 0))
      return lb_fail(err, LB_ERR_FORMAT, "%s: material %d has Young's modulus %g Pa", where,
                     (int)number, values[0]);
  }
  return LB_OK;
}

// A solid with the law of a shell would have no kernel; bodies check the triangles of shells.
static lbStatus check_laws(const lbModel *m, const char *where, lbError *err) {
  for (int32_t e = 0; e < m->size.element_count - m->size.shell_count; e++)
    if (m->material_laws[m->element_materials[e]] == LAW_OF_SHELLS)
      return lb_fail(err, LB_ERR_FORMAT, "%s: element %d, a solid, has the law of a shell", where,
                     (int)e);
  return LB_OK;
}

static lbStatus check_model_embedding(const lbModel *m, const char *where, lbError *err) {
  const int32_t *begin = m->carrier_begin;
  if (begin[0] != 0 || begin[m->size.vertex_count] != m->size.carrier_count)
    return lb_fail(err, LB_ERR_FORMAT, "%s: embedding.begin runs from %d to %d, not from 0 to %d",
                   where, (int)begin[0], (int)begin[m->size.vertex_count],
                   (int)m->size.carrier_count);
  for (int32_t v = 0; v < m->size.vertex_count; v++)
    if (begin[v + 1] <= begin[v] || begin[v + 1] > m->size.carrier_count)
      return lb_fail(err, LB_ERR_FORMAT, "%s: surface vertex %d has no nodes that carry it", where,
                     (int)v);
  for (int32_t v = 0; v < m->size.vertex_count; v++) {
    double sum = 0;
    for (int32_t k = begin[v]; k < begin[v + 1]; k++) sum += m->carrier_weights[k];
    if (!(fabs(sum - 1) <= 1e-6))
      return lb_fail(err, LB_ERR_FORMAT,
                     "%s: surface vertex %d has weights that sum to %.9g, not 1", where, (int)v,
                     sum);
  }
  return LB_OK;
}

static lbStatus check_textures(const lbModel *m, const char *where, lbError *err) {
  for (int32_t i = 0; i < m->size.texture_count; i++) {
    int64_t begin = m->texture_ranges[2 * i], bytes = m->texture_ranges[2 * i + 1];
    if (begin < 0 || bytes < 0 || (uint64_t)begin > m->pictures_bytes ||
        (uint64_t)bytes > m->pictures_bytes - (uint64_t)begin)
      return lb_fail(err, LB_ERR_FORMAT, "%s: texture %d lies outside the file", where, (int)i);
  }
  return LB_OK;
}

static lbStatus check_damping(const double *damping, const char *what, const char *where,
                              lbError *err) {
  if (!damping) return lb_fail(err, LB_ERR_FORMAT, "%s: %s is missing", where, what);
  for (int i = 0; i < 2; i++)
    if (!(damping[i] >= 0 && damping[i] <= LB_EIGENVALUE_MOST))
      return lb_fail(err, LB_ERR_FORMAT, "%s: %s[%d] is %g", where, what, i, damping[i]);
  return LB_OK;
}

static lbStatus check_inertia(const double *first, const double *second, const char *method,
                              const char *where, lbError *err) {
  if (!first == !second) return LB_OK;
  return lb_fail(err, LB_ERR_FORMAT, "%s: has only one of %s.inertia_first and %s.inertia_second",
                 where, method, method);
}

static lbStatus check_model_modal(const lbModel *m, const char *where, lbError *err) {
  for (int32_t i = 0; i < m->size.mode_count; i++)
    if (!(m->modal_eigenvalues[i] >= 0 && m->modal_eigenvalues[i] <= LB_EIGENVALUE_MOST))
      return lb_fail(err, LB_ERR_FORMAT, "%s: mode %d has the eigenvalue %g", where, (int)i,
                     m->modal_eigenvalues[i]);
  if (m->size.mode_count == 0) return LB_OK;
  lbStatus status =
      check_inertia(m->modal_inertia_first, m->modal_inertia_second, "modal", where, err);
  return status ? status : check_damping(m->modal_damping, "modal.damping", where, err);
}

// Components ascend; of a mesh without shells they are elements.
static lbStatus check_cubature(const lbModel *m, const char *where, lbError *err) {
  const lbModelSizes *s = &m->size;
  int64_t most = s->shell_count ? 3 * (int64_t)s->shell_count : s->element_count;
  for (int32_t i = 0; i < s->cubature_count; i++) {
    int32_t e = m->cubature_elements[i], before = i ? m->cubature_elements[i - 1] : -1;
    if (e <= before || e >= most)
      return lb_fail(err, LB_ERR_FORMAT,
                     "%s: cubature.elements[%d] is %d; they must ascend and be below %lld", where,
                     (int)i, (int)e, (long long)most);
    if (!(m->cubature_weights[i] > 0 && m->cubature_weights[i] <= LB_EIGENVALUE_MOST))
      return lb_fail(err, LB_ERR_FORMAT, "%s: cubature.weights[%d] is %g, it must be above 0",
                     where, (int)i, m->cubature_weights[i]);
  }
  for (size_t i = 0; i < (size_t)s->pose_count * (size_t)s->subspace_dimension; i++)
    if (fabs(m->cubature_poses[i]) > LENGTH_MOST)
      return lb_fail(err, LB_ERR_FORMAT, "%s: cubature.poses[%llu] is %g", where,
                     (unsigned long long)i, m->cubature_poses[i]);
  return LB_OK;
}

static lbStatus check_model_subspace(const lbModel *m, const char *where, lbError *err) {
  const lbModelSizes *s = &m->size;
  int64_t r = s->subspace_dimension, parts = s->subspace_part_count;
  bool cubic = parts > 0;
  if (r == 0 && parts == 0 && s->cubature_count == 0 && s->pose_count == 0) return LB_OK;
  if (r == 0)
    return lb_fail(err, LB_ERR_FORMAT, "%s: has forces of a subspace without a basis", where);
  if (r > 1000 || s->packed2_count != r * (r + 1) / 2 ||
      s->packed3_count != (cubic ? r * (r + 1) * (r + 2) / 6 : 0) ||
      s->packed4_count != (cubic ? r * (r + 1) / 2 * (r + 2) * (r + 3) / 12 : 0))
    return lb_fail(err, LB_ERR_FORMAT, "%s: %d, %d and %d coefficients are not those of r = %d",
                   where, (int)s->packed2_count, (int)s->packed3_count, (int)s->packed4_count,
                   (int)r);
  if (!cubic && s->cubature_count == 0)
    return lb_fail(err, LB_ERR_FORMAT, "%s: its subspace has neither polynomials nor cubature",
                   where);
  if (cubic && parts != 1 && parts != 2 * (int64_t)s->material_count)
    return lb_fail(err, LB_ERR_FORMAT, "%s: %d sets of polynomials for %d materials", where,
                   (int)parts, (int)s->material_count);
  if (parts != 1 && (!m->subspace_mass || !m->subspace_pull))
    return lb_fail(err, LB_ERR_FORMAT, "%s: subspace.mass or subspace.pull is missing", where);
  lbStatus status = check_cubature(m, where, err);
  if (!status)
    status = check_inertia(m->subspace_inertia_first, m->subspace_inertia_second, "subspace", where,
                           err);
  return status ? status : check_damping(m->subspace_damping, "subspace.damping", where, err);
}

static lbStatus check_setting(int32_t value, int32_t low, int32_t below, const char *name,
                              const char *where, lbError *err) {
  if (value >= low && value < below) return LB_OK;
  return lb_fail(err, LB_ERR_FORMAT, "%s: %s of warp.settings is %d, it must be from %d to %d",
                 where, name, (int)value, (int)low, (int)(below - 1));
}

static lbStatus check_warp(const lbModel *m, const char *where, lbError *err) {
  const int32_t *settings = m->warp_settings;
  if (!settings) return LB_OK;
  lbStatus status =
      check_setting(settings[0], 0, LB_WARP_ROTATION_COUNT, "the rotation", where, err);
  if (!status)
    status = check_setting(settings[1], 0, LB_WARP_STIFFNESS_COUNT, "the stiffness", where, err);
  if (!status)
    status = check_setting(settings[2], 0, LB_WARP_STRAIN_COUNT, "the strain", where, err);
  if (!status)
    status = check_setting(settings[3], 1, LB_WARP_ITERATIONS_MOST + 1, "the number of iterations",
                           where, err);
  if (!status && settings[1] == LB_WARP_SPRINGS && settings[2] == LB_WARP_GREEN)
    status = lb_fail(err, LB_ERR_FORMAT, "%s: warp.settings has springs with green strain", where);
  if (!status && m->size.tet_count + m->size.brick_count == 0)
    status = lb_fail(err, LB_ERR_FORMAT, "%s: warp.settings without tets or bricks", where);
  if (!status && m->warp_stretch_limit &&
      !(m->warp_stretch_limit[0] > 1 && m->warp_stretch_limit[0] <= LENGTH_MOST))
    status = lb_fail(err, LB_ERR_FORMAT, "%s: warp.stretch_limit is %g, it must be above 1", where,
                     m->warp_stretch_limit[0]);
  return status ? status : check_damping(m->warp_damping, "warp.damping", where, err);
}

// Which numbers a shape needs: the radius, extents, or neither.
static lbStatus check_rigid(const lbModel *m, const char *where, lbError *err) {
  enum { SPHERE = 1, BOX, CAPSULE };
  if (!m->rigid_shape && !m->rigid_size) return LB_OK;
  if (!m->rigid_shape || !m->rigid_size)
    return lb_fail(err, LB_ERR_FORMAT, "%s: has only one of rigid.shape and rigid.size", where);
  int32_t shape = m->rigid_shape[0];
  for (int i = 0; i < 4; i++) {
    bool positive = shape == BOX ? i > 0 : (shape == SPHERE || shape == CAPSULE) && i == 0;
    double size = m->rigid_size[i];
    if (!(size >= 0 && size <= LENGTH_MOST) || (positive && size == 0))
      return lb_fail(err, LB_ERR_FORMAT, "%s: rigid.size[%d] is %g m", where, i, size);
  }
  if (m->size.triangle_count == 0)
    return lb_fail(err, LB_ERR_FORMAT, "%s: its rigid shape has no surface", where);
  return LB_OK;
}

static lbStatus check_full(const lbModel *m, const char *where, lbError *err) {
  int32_t dimension = m->size.recording_dimension, frames = m->size.recording_frames;
  lbStatus status =
      m->full_damping ? check_damping(m->full_damping, "full.damping", where, err) : LB_OK;
  if (status || (dimension == 0 && frames == 0 && !m->recording_rate)) return status;
  if (dimension < 1 || dimension > RECORDING_MOST || frames < 2)
    return lb_fail(err, LB_ERR_FORMAT, "%s: its recording has %d vectors and %d frames", where,
                   (int)dimension, (int)frames);
  if (!m->recording_rate || !(m->recording_rate[0] >= RATE_LEAST && m->recording_rate[0] <= 1e9))
    return lb_fail(err, LB_ERR_FORMAT, "%s: its recording has %g frames a second", where,
                   m->recording_rate ? m->recording_rate[0] : 0);
  for (size_t i = 0; i < (size_t)dimension * (size_t)frames; i++)
    if (fabs(m->recording_coordinates[i]) > LENGTH_MOST)
      return lb_fail(err, LB_ERR_FORMAT, "%s: recording.coordinates[%llu] is %g", where,
                     (unsigned long long)i, m->recording_coordinates[i]);
  return LB_OK;
}

lbStatus lb_model_check(const lbModel *m, const char *where, lbError *err) {
  lbStatus status = check_sizes(m, where, err);
  if (!status) status = check_lengths(m->node_positions, m->size.node_count, "node", where, err);
  if (!status)
    status = check_lengths(m->vertex_positions, m->size.vertex_count, "surface vertex", where, err);
  if (!status) status = check_mass(m, where, err);
  if (!status) status = check_model_materials(m, where, err);
  if (!status) status = check_laws(m, where, err);
  if (!status) status = check_model_embedding(m, where, err);
  if (!status) status = check_textures(m, where, err);
  if (!status) status = check_model_modal(m, where, err);
  if (!status) status = check_model_subspace(m, where, err);
  if (!status) status = check_warp(m, where, err);
  if (!status) status = lb_model_check_cores(m, where, err);
  if (!status) status = lb_model_check_frames(m, where, err);
  if (!status && m->size.frame_count > 0)
    status = check_damping(m->frame_damping, "frames.damping", where, err);
  if (!status) status = check_full(m, where, err);
  if (!status) status = check_rigid(m, where, err);
  return status;
}

// ---- worlds ------------------------------------------------------------------------------------

static lbStatus check_model_body(const lbWorldDef *w, int32_t i, const lbModel *const *models,
                                 int32_t model_count, const char *where, lbError *err) {
  int32_t model = w->body_models[i];
  lbMethod method;
  if (model < 0 || model >= model_count)
    return lb_fail(err, LB_ERR_FORMAT, "%s: body %d uses model %d, the file has %d", where, (int)i,
                   (int)model, (int)model_count);
  if (!lb_method_from_code(w->body_methods[i], &method))
    return lb_fail(err, LB_ERR_FORMAT, "%s: body.methods[%d] is %d, which is no method", where,
                   (int)i, (int)w->body_methods[i]);
  // An unreduced body has its mesh, though perhaps no recording.
  bool unreduced = method == LB_METHOD_FULL || method == LB_METHOD_RECORDED;
  if (!unreduced && !lb_model_has(models[model], method))
    return lb_fail(err, LB_ERR_FORMAT, "%s: body %d: model %d does not have the method \"%s\"",
                   where, (int)i, (int)model, lb_method_name(method));
  const double *q = w->body_rotations + 4 * (size_t)i;
  double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (!(fabs(norm - 1) <= 1e-6))
    return lb_fail(err, LB_ERR_FORMAT, "%s: body %d: its rotation has the squared length %g, not 1",
                   where, (int)i, norm);
  return LB_OK;
}

static lbStatus check_model_points(const lbWorldDef *w, const lbModel *const *models,
                                   const char *what, int32_t count, const int32_t *bodies,
                                   const int32_t *kinds, const int32_t *points, const char *where,
                                   lbError *err) {
  for (int32_t i = 0; i < count; i++) {
    const lbModelSizes *size = &models[w->body_models[bodies[i]]]->size;
    int32_t most = kinds[i] == LB_POINT_VERTEX ? size->vertex_count : size->node_count;
    if (points[i] < 0 || points[i] >= most)
      return lb_fail(err, LB_ERR_FORMAT, "%s: %s %d is at %s %d, body %d has %d", where, what,
                     (int)i, kinds[i] == LB_POINT_VERTEX ? "vertex" : "node", (int)points[i],
                     (int)bodies[i], (int)most);
  }
  return LB_OK;
}

static lbStatus check_view(const lbWorldDef *w, const char *where, lbError *err) {
  double distance = 0;
  if (!w->view_from != !w->view_at)
    return lb_fail(err, LB_ERR_FORMAT, "%s: has only one of view.from and view.at", where);
  for (int i = 0; w->view_from && i < 3; i++)
    distance = fmax(distance, fabs(w->view_from[i] - w->view_at[i]));
  if (w->view_from && !(distance > 0 && distance <= LENGTH_MOST))
    return lb_fail(err, LB_ERR_FORMAT, "%s: view.from is %g m from view.at", where, distance);
  if (w->view_fov && !(w->view_fov[0] >= LB_VIEW_FOV_LEAST && w->view_fov[0] <= LB_VIEW_FOV_MOST))
    return lb_fail(err, LB_ERR_FORMAT, "%s: view.fov is %g degrees", where, w->view_fov[0]);
  if (w->ground && fabs(w->ground[0]) > LENGTH_MOST)
    return lb_fail(err, LB_ERR_FORMAT, "%s: its ground is at %g m", where, w->ground[0]);
  if (w->newton_tolerance && !(w->newton_tolerance[0] > 0))
    return lb_fail(err, LB_ERR_FORMAT, "%s: world.newton_tolerance is %g", where,
                   w->newton_tolerance[0]);
  return LB_OK;
}

// Keys and their order are for lb_path_create.
static lbStatus check_paths(const lbWorldDef *w, const char *where, lbError *err) {
  int32_t count = w->size.path_count, keys = w->size.path_key_count, parts = 0;
  if (count == 0 && keys == 0) return LB_OK;
  if (!w->path_begin) return lb_fail(err, LB_ERR_FORMAT, "%s: path.begin is missing", where);
  if (w->path_begin[0] != 0 || w->path_begin[count] != keys)
    return lb_fail(err, LB_ERR_FORMAT, "%s: path.begin runs from %d to %d, not from 0 to %d", where,
                   (int)w->path_begin[0], (int)w->path_begin[count], (int)keys);
  for (int32_t i = 0; i < count; i++) {
    if (w->path_begin[i + 1] <= w->path_begin[i] || w->path_begin[i + 1] > keys)
      return lb_fail(err, LB_ERR_FORMAT, "%s: path %d has no keys", where, (int)i);
    parts |= w->path_parts[i];
  }
  if (((parts & LB_PATH_POSITION_TANGENTS) && !w->path_position_tangents) ||
      ((parts & LB_PATH_ROTATION_TANGENTS) && !w->path_rotation_tangents))
    return lb_fail(err, LB_ERR_FORMAT, "%s: a path has tangents, which are missing", where);
  return LB_OK;
}

static lbStatus check_springs(const lbWorldDef *w, const char *where, lbError *err) {
  for (int32_t i = 0; i < w->size.attachment_count; i++) {
    double stiffness = w->attachment_springs[2 * (size_t)i];
    double damping = w->attachment_springs[2 * (size_t)i + 1];
    if (!(stiffness >= 0 && damping >= 0 && damping <= LB_EIGENVALUE_MOST))
      return lb_fail(err, LB_ERR_FORMAT,
                     "%s: attachment %d has the stiffness %g and the damping %g", where, (int)i,
                     stiffness, damping);
  }
  return LB_OK;
}

static lbStatus check_model_shapes(const lbWorldDef *w, const lbModel *const *models,
                                   const char *where, lbError *err) {
  int64_t numbers = 0;
  for (int32_t i = 0; i < w->size.shape_count; i++) {
    int32_t body = w->shape_bodies[i];
    lbModelMethod method = { .dimension = 0 };
    if (i > 0 && body <= w->shape_bodies[i - 1])
      return lb_fail(err, LB_ERR_FORMAT, "%s: shape.bodies do not rise", where);
    if (lb_world_method(w, body) != LB_METHOD_SUBSPACE ||
        !lb_model_method(models[w->body_models[body]], LB_METHOD_SUBSPACE, &method))
      return lb_fail(err, LB_ERR_FORMAT, "%s: body %d has a shape and not the subspace method",
                     where, (int)body);
    numbers += method.dimension;
  }
  if (numbers != w->size.shape_number_count)
    return lb_fail(err, LB_ERR_FORMAT, "%s: shapes have %d coordinates, their bodies have %lld",
                   where, (int)w->size.shape_number_count, (long long)numbers);
  return LB_OK;
}

lbStatus lb_world_check(const lbWorldDef *w, const lbModel *const *models, int32_t model_count,
                        const char *where, lbError *err) {
  lbStatus status = LB_OK;
  if (!(w->time_step[0] > 0))
    status = lb_fail(err, LB_ERR_FORMAT, "%s: the time step is %g s", where, w->time_step[0]);
  for (int32_t i = 0; i < w->size.body_count && !status; i++)
    status = check_model_body(w, i, models, model_count, where, err);
  if (!status)
    status = check_model_points(w, models, "load", w->size.load_count, w->load_bodies,
                                w->load_kinds, w->load_points, where, err);
  if (!status)
    status = check_model_points(w, models, "probe", w->size.probe_count, w->probe_bodies,
                                w->probe_kinds, w->probe_points, where, err);
  if (!status)
    status =
        check_model_points(w, models, "attachment", w->size.attachment_count, w->attachment_bodies,
                           w->attachment_kinds, w->attachment_points, where, err);
  if (!status) status = check_springs(w, where, err);
  if (!status) status = check_view(w, where, err);
  if (!status) status = check_paths(w, where, err);
  if (!status) status = check_model_shapes(w, models, where, err);
  if (!status) status = lb_world_check_contact(w, where, err);
  return status ? status : lb_world_check_joints(w, models, where, err);
}
