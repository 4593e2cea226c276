// Cutting polygons. The polygon is seen along its Newell normal n = sum x_i x x_(i+1), dropping the
// normal's largest component, so the two coordinates kept are those of the file, unrounded.
//
// Ear clipping: a corner is an ear when it turns left and no reflex corner lies in the triangle
// with its neighbours. It costs up to n^3 tests for n corners; a whole file may spend
// MOST_TESTS of them, after which polygons are fanned, so that no file hangs the reader.
#include "meshio/face.h"

#include "limber/math.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_TESTS 200000000 // about a second

lbFaceCutter lb_face_cutter(void) { return (lbFaceCutter){ .tests_left = MOST_TESTS }; }

void lb_face_cutter_release(lbFaceCutter *cutter) {
  lb_free(cutter->corners);
  lb_free(cutter->points);
  lb_free(cutter->next);
  lb_free(cutter->previous);
  lb_free(cutter->reflex);
  *cutter = (lbFaceCutter){ 0 };
}

static bool make_polygon_room(lbFaceCutter *cutter, size_t corner_count) {
  return lb_grow((void **)&cutter->corners, &cutter->corners_capacity, corner_count,
                 3 * sizeof(int32_t)) &&
         lb_grow((void **)&cutter->points, &cutter->point_capacity, corner_count,
                 2 * sizeof(double)) &&
         lb_grow((void **)&cutter->next, &cutter->next_capacity, corner_count, sizeof(int32_t)) &&
         lb_grow((void **)&cutter->previous, &cutter->previous_capacity, corner_count,
                 sizeof(int32_t)) &&
         lb_grow((void **)&cutter->reflex, &cutter->reflex_capacity, corner_count, 1);
}

static void emit(lbFaceCutter *cutter, int32_t a, int32_t b, int32_t c) {
  int32_t *corner = cutter->corners + 3 * (size_t)cutter->triangle_count++;
  corner[0] = a, corner[1] = b, corner[2] = c;
}

static void fan(lbFaceCutter *cutter, int32_t corner_count) {
  for (int32_t i = 1; i + 1 < corner_count; i++) emit(cutter, 0, i, i + 1);
}

static lbVec3 corner_at(const double *positions, const int32_t *vertices, int32_t i) {
  return lb_vec3_load(positions + 3 * (size_t)vertices[i]);
}

// Relative to the first corner, so that a polygon far from the origin keeps its digits.
static lbVec3 newell_normal(const double *positions, const int32_t *vertices, int32_t count) {
  lbVec3 normal = { 0, 0, 0 }, origin = corner_at(positions, vertices, 0);
  for (int32_t i = 1; i + 1 < count; i++)
    normal = lb_add(normal, lb_cross(lb_sub(corner_at(positions, vertices, i), origin),
                                     lb_sub(corner_at(positions, vertices, i + 1), origin)));
  return normal;
}

// Area over the sum of squared edges, negative when the triangle faces away from the normal.
static double triangle_quality(lbVec3 a, lbVec3 b, lbVec3 c, lbVec3 normal) {
  lbVec3 ab = lb_sub(b, a), ac = lb_sub(c, a), bc = lb_sub(c, b);
  lbVec3 area = lb_cross(ab, ac);
  double edges = lb_dot(ab, ab) + lb_dot(ac, ac) + lb_dot(bc, bc);
  double size = edges > 0 ? lb_length(area) / edges : 0;
  return lb_dot(area, normal) < 0 ? -size : size;
}

static void cut_quad(lbFaceCutter *cutter, const double *positions, const int32_t *vertices) {
  lbVec3 x[4], normal = newell_normal(positions, vertices, 4);
  for (int i = 0; i < 4; i++) x[i] = corner_at(positions, vertices, i);
  double across_02 =
      fmin(triangle_quality(x[0], x[1], x[2], normal), triangle_quality(x[0], x[2], x[3], normal));
  double across_13 =
      fmin(triangle_quality(x[1], x[2], x[3], normal), triangle_quality(x[1], x[3], x[0], normal));
  if (across_13 > across_02 + 1e-9) { // the margin keeps squares on 0-2 whatever the rounding
    emit(cutter, 0, 1, 3);
    emit(cutter, 1, 2, 3);
  } else {
    fan(cutter, 4);
  }
}

// Fills points with the two coordinates that keep the winding counter-clockwise. False: no normal.
static bool flatten(lbFaceCutter *cutter, const double *positions, const int32_t *vertices,
                    int32_t count) {
  lbVec3 normal = newell_normal(positions, vertices, count);
  double size[3] = { fabs(normal.x), fabs(normal.y), fabs(normal.z) };
  int dropped = size[2] >= size[0] && size[2] >= size[1] ? 2 : size[1] >= size[0] ? 1 : 0;
  double sign = dropped == 2 ? normal.z : dropped == 1 ? normal.y : normal.x;
  if (!(size[dropped] > 0) || !isfinite(size[dropped])) return false;
  int u = (dropped + 1) % 3, v = (dropped + 2) % 3;
  for (int32_t i = 0; i < count; i++) {
    const double *x = positions + 3 * (size_t)vertices[i];
    cutter->points[2 * (size_t)i] = sign > 0 ? x[u] : x[v];
    cutter->points[2 * (size_t)i + 1] = sign > 0 ? x[v] : x[u];
  }
  return true;
}

// Twice the signed area of the triangle abc.
static double corner_area(const lbFaceCutter *cutter, int32_t a, int32_t b, int32_t c) {
  const double *p = cutter->points + 2 * (size_t)a, *q = cutter->points + 2 * (size_t)b,
               *r = cutter->points + 2 * (size_t)c;
  return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

static bool same_point(const lbFaceCutter *cutter, int32_t a, int32_t b) {
  const double *p = cutter->points + 2 * (size_t)a, *q = cutter->points + 2 * (size_t)b;
  return p[0] == q[0] && p[1] == q[1];
}

static bool is_ear(lbFaceCutter *cutter, int32_t tip) {
  int32_t before = cutter->previous[tip], after = cutter->next[tip];
  if (!(corner_area(cutter, before, tip, after) > 0)) return false;
  for (int32_t i = cutter->next[after]; i != before; i = cutter->next[i]) {
    cutter->tests_left--;
    if (!cutter->reflex[i]) continue;
    if (same_point(cutter, i, before) || same_point(cutter, i, tip) || same_point(cutter, i, after))
      continue;
    if (corner_area(cutter, before, tip, i) >= 0 && corner_area(cutter, tip, after, i) >= 0 &&
        corner_area(cutter, after, before, i) >= 0)
      return false;
  }
  return true;
}

static void update_reflex(lbFaceCutter *cutter, int32_t i) {
  cutter->reflex[i] = !(corner_area(cutter, cutter->previous[i], i, cutter->next[i]) > 0);
}

static void clip_ears(lbFaceCutter *cutter, int32_t count) {
  int32_t remaining = count, tip = 0, passed = 0;
  while (remaining > 3) {
    // A whole round without an ear: the polygon crosses itself (or the budget is spent). Take any.
    bool any = passed >= remaining || cutter->tests_left <= 0;
    if (!any && !is_ear(cutter, tip)) {
      tip = cutter->next[tip];
      passed++;
      continue;
    }
    int32_t before = cutter->previous[tip], after = cutter->next[tip];
    emit(cutter, before, tip, after);
    cutter->next[before] = after;
    cutter->previous[after] = before;
    update_reflex(cutter, before);
    update_reflex(cutter, after);
    tip = cutter->next[after]; // not the neighbour: a fan around one corner makes slivers
    remaining--;
    passed = 0;
  }
  emit(cutter, cutter->previous[tip], tip, cutter->next[tip]);
}

static bool is_convex(lbFaceCutter *cutter, int32_t count) {
  bool convex = true;
  for (int32_t i = 0; i < count; i++) {
    cutter->next[i] = i + 1 < count ? i + 1 : 0;
    cutter->previous[i] = i > 0 ? i - 1 : count - 1;
  }
  for (int32_t i = 0; i < count; i++) {
    update_reflex(cutter, i);
    convex = convex && !cutter->reflex[i];
  }
  return convex;
}

bool lb_face_cut(lbFaceCutter *cutter, const double *positions, const int32_t *vertices,
                 int32_t corner_count) {
  LB_ASSERT(corner_count >= 3);
  cutter->triangle_count = 0;
  if (!make_polygon_room(cutter, (size_t)corner_count)) return false;
  if (corner_count == 3)
    fan(cutter, 3);
  else if (corner_count == 4)
    cut_quad(cutter, positions, vertices);
  else if (!flatten(cutter, positions, vertices, corner_count) || is_convex(cutter, corner_count))
    fan(cutter, corner_count);
  else
    clip_ears(cutter, corner_count);
  return true;
}

void lb_warn_of_colors(const lbMeshBuilder *builder, const char *path) {
  if (builder->clamped_count > 0)
    lb_log(LB_LOG_WARNING, "%s: %d vertex colours lie outside 0..1 and were clamped", path,
           (int)builder->clamped_count);
}

lbStatus lb_face_reader_begin(lbFaceReader *reader, lbError *err) {
  *reader = (lbFaceReader){ .cutter = lb_face_cutter() };
  lb_mesh_builder_begin(&reader->builder);
  return reader->builder.out_of_memory ? lb_fail_memory(err) : LB_OK;
}

lbStatus lb_face_reader_finish(lbFaceReader *reader, lbStatus status, const char *path,
                               lbMesh **out, lbError *err) {
  if (!status) lb_warn_of_colors(&reader->builder, path);
  if (!status) status = lb_mesh_builder_finish(&reader->builder, path, out, err);
  if (status) lb_mesh_builder_abort(&reader->builder);
  lb_face_cutter_release(&reader->cutter);
  lb_free(reader->uvs);
  lb_free(reader->corners);
  lb_free(reader->corner_uvs);
  return status;
}

bool lb_face_reader_grow_uvs(lbFaceReader *reader, size_t count) {
  return lb_grow((void **)&reader->uvs, &reader->uv_capacity, count, 2 * sizeof(float));
}

bool lb_face_reader_grow_corners(lbFaceReader *reader, size_t count) {
  return lb_grow((void **)&reader->corners, &reader->corner_capacity, count, sizeof(int32_t)) &&
         lb_grow((void **)&reader->corner_uvs, &reader->corner_uv_capacity, count,
                 2 * sizeof(float));
}

void lb_face_reader_add(lbFaceReader *reader, const lbFace *face) {
  lbMeshBuilder *builder = &reader->builder;
  lbFaceCutter *cutter = &reader->cutter;
  if (builder->out_of_memory) return;
  if (!lb_face_cut(cutter, builder->mesh->positions, face->vertices, face->corner_count)) {
    builder->out_of_memory = true;
    return;
  }
  for (int32_t t = 0; t < cutter->triangle_count; t++) {
    int32_t vertices[3];
    float uvs[6];
    for (int k = 0; k < 3; k++) {
      int32_t corner = cutter->corners[3 * (size_t)t + (size_t)k];
      vertices[k] = face->vertices[corner];
      if (face->uvs) memcpy(uvs + 2 * k, face->uvs + 2 * (size_t)corner, 2 * sizeof(float));
    }
    int32_t id = lb_mesh_add_triangle(builder, vertices);
    if (face->uvs) lb_mesh_set_triangle_uvs(builder, uvs);
    if (face->appearance >= 0) lb_mesh_set_triangle_appearance(builder, face->appearance);
    for (int32_t g = 0; g < face->group_count; g++)
      lb_mesh_add_to_group(builder, face->groups[g], id);
  }
}

bool lb_uv_from_v_up(double u, double v, float uv[2]) {
  if (!(fabs(u) <= FLT_MAX) || !(fabs(1 - v) <= FLT_MAX)) return false;
  uv[0] = (float)u;
  uv[1] = (float)(1 - v);
  return true;
}
