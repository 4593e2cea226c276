// Checks the arrays of a world's contacts for consistency. The sizes and meshes of shapes are
// checked where colliders are created.
#include "model/model.h"

#include <math.h>

#define FRAMES_MOST 8 // that may be inserted into a body
#define LENGTH_MOST 1e30
#define FRICTION_MOST 1e30

static bool is_friction(double value, bool own) {
  return (value >= 0 && value <= FRICTION_MOST) || (own && value == -1);
}

static lbStatus check_frictions(const double *values, int32_t count, const char *what,
                                const char *where, lbError *err) {
  for (int32_t i = 0; values && i < count; i++)
    if (!is_friction(values[i], true))
      return lb_fail(err, LB_ERR_FORMAT, "%s: %s[%d] is %g, it must be 0 or more, or -1", where,
                     what, (int)i, values[i]);
  return LB_OK;
}

// compliance, restitution, rolling friction; `own`: -1 is the world's.
static lbStatus check_materials(const double *values, int32_t count, bool own, const char *what,
                                const char *where, lbError *err) {
  for (int32_t i = 0; values && i < count; i++) {
    const double *m = values + 3 * (size_t)i;
    if (!is_friction(m[0], own) || !is_friction(m[1], own) || m[1] > 1 || !is_friction(m[2], own))
      return lb_fail(err, LB_ERR_FORMAT,
                     "%s: %s[%d] is %g, %g, %g; each must be 0 or more%s, the second 1 or less",
                     where, what, (int)i, m[0], m[1], m[2], own ? ", or -1" : "");
  }
  return LB_OK;
}

static lbStatus check_contact_frames(const lbWorldDef *w, const char *where, lbError *err) {
  for (int32_t i = 0; w->body_contact_frames && i < w->size.body_count; i++) {
    double most = w->body_contact_frames[2 * (size_t)i];
    double spacing = w->body_contact_frames[2 * (size_t)i + 1];
    if (!(most >= 0 && most <= FRAMES_MOST && most == floor(most) && spacing >= 0 &&
          spacing <= LENGTH_MOST))
      return lb_fail(err, LB_ERR_FORMAT,
                     "%s: body.contact_frames[%d] is %g, %g; it must be 0 to %d and a length",
                     where, (int)i, most, spacing, FRAMES_MOST);
  }
  return LB_OK;
}

static bool is_bits(int32_t value) { return value >= 0 && value <= UINT16_MAX; }

static lbStatus check_filters(const int32_t *values, int32_t count, const char *what,
                              const char *where, lbError *err) {
  for (int32_t i = 0; values && i < count; i++) {
    const int32_t *filter = values + 3 * (size_t)i;
    if (!is_bits(filter[0]) || !is_bits(filter[1]))
      return lb_fail(err, LB_ERR_FORMAT, "%s: %s[%d] is %d, %d; both must be from 0 to %d", where,
                     what, (int)i, (int)filter[0], (int)filter[1], UINT16_MAX);
  }
  return LB_OK;
}

static lbStatus check_contact_places(const lbWorldDef *w, const char *where, lbError *err) {
  for (int32_t i = 0; i < w->size.collider_count; i++) {
    const double *q = w->collider_rotations + 4 * (size_t)i;
    const double *x = w->collider_positions + 3 * (size_t)i;
    double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(fabs(norm - 1) <= 1e-6))
      return lb_fail(err, LB_ERR_FORMAT,
                     "%s: collider %d: its rotation has the squared length %g, not 1", where,
                     (int)i, norm);
    for (int k = 0; k < 3; k++)
      if (fabs(x[k]) > LENGTH_MOST)
        return lb_fail(err, LB_ERR_FORMAT, "%s: collider %d lies at %g m", where, (int)i, x[k]);
  }
  return LB_OK;
}

static lbStatus check_begin(const int32_t *begin, int32_t count, int32_t items, const char *what,
                            const char *where, lbError *err) {
  if (!begin) return lb_fail(err, LB_ERR_FORMAT, "%s: collider.%s is missing", where, what);
  if (begin[0] != 0 || begin[count] != items)
    return lb_fail(err, LB_ERR_FORMAT, "%s: collider.%s runs from %d to %d, not from 0 to %d",
                   where, what, (int)begin[0], (int)begin[count], (int)items);
  for (int32_t i = 0; i < count; i++)
    if (begin[i + 1] < begin[i])
      return lb_fail(err, LB_ERR_FORMAT, "%s: collider.%s does not rise", where, what);
  return LB_OK;
}

static lbStatus check_corners(const lbWorldDef *w, int32_t i, const char *where, lbError *err) {
  int32_t count = w->collider_vertex_begin[i + 1] - w->collider_vertex_begin[i];
  for (int32_t t = w->collider_triangle_begin[i]; t < w->collider_triangle_begin[i + 1]; t++)
    for (int k = 0; k < 3; k++) {
      int32_t corner = w->collider_triangles[3 * (size_t)t + (size_t)k];
      if (corner < 0 || corner >= count)
        return lb_fail(err, LB_ERR_FORMAT, "%s: a triangle of collider %d uses vertex %d of %d",
                       where, (int)i, (int)corner, (int)count);
    }
  return LB_OK;
}

static lbStatus check_meshes(const lbWorldDef *w, const char *where, lbError *err) {
  int32_t vertices = w->size.collider_vertex_count, triangles = w->size.collider_triangle_count;
  int32_t count = w->size.collider_count;
  if (vertices == 0 && triangles == 0 && !w->collider_vertex_begin && !w->collider_triangle_begin)
    return LB_OK;
  lbStatus status =
      check_begin(w->collider_vertex_begin, count, vertices, "vertex_begin", where, err);
  if (!status)
    status =
        check_begin(w->collider_triangle_begin, count, triangles, "triangle_begin", where, err);
  for (int32_t i = 0; i < count && !status; i++) status = check_corners(w, i, where, err);
  return status;
}

lbStatus lb_world_check_contact(const lbWorldDef *w, const char *where, lbError *err) {
  bool told = w->contact_substeps || w->contact_response || w->contact_self ||
              w->body_untouchable || w->body_frictions || w->body_contact_frames ||
              w->body_filters || w->contact_hit_speed || w->contact_material ||
              w->body_contact_materials || w->size.collider_count > 0;
  if (!w->contact_friction && told)
    return lb_fail(err, LB_ERR_FORMAT, "%s: has contacts and no contact.friction", where);
  if (w->contact_friction && !is_friction(w->contact_friction[0], false))
    return lb_fail(err, LB_ERR_FORMAT, "%s: contact.friction is %g, it must be 0 or more", where,
                   w->contact_friction[0]);
  if (w->contact_hit_speed && !(w->contact_hit_speed[0] >= 0))
    return lb_fail(err, LB_ERR_FORMAT, "%s: contact.hit_speed is %g, it must be 0 or more", where,
                   w->contact_hit_speed[0]);
  lbStatus status =
      check_frictions(w->body_frictions, w->size.body_count, "body.frictions", where, err);
  if (!status)
    status = check_materials(w->contact_material, 1, false, "contact.material", where, err);
  if (!status)
    status = check_materials(w->body_contact_materials, w->size.body_count, true,
                             "body.contact_materials", where, err);
  if (!status)
    status = check_materials(w->collider_contact_materials, w->size.collider_count, true,
                             "collider.contact_materials", where, err);
  if (!status) status = check_contact_frames(w, where, err);
  if (!status)
    status = check_filters(w->body_filters, w->size.body_count, "body.filters", where, err);
  if (!status)
    status =
        check_filters(w->collider_filters, w->size.collider_count, "collider.filters", where, err);
  if (!status)
    status = check_frictions(w->collider_frictions, w->size.collider_count, "collider.frictions",
                             where, err);
  if (!status) status = check_contact_places(w, where, err);
  return status ? status : check_meshes(w, where, err);
}
