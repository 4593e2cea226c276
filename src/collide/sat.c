// Two convex polyhedra by separating axes: normals of faces, and cross products of those pairs of
// edges whose arcs of normals meet (Gregorius 2013). The axis along which they are farthest apart
// (or overlap least) is the normal; a face that lies there is clipped against the other's.
#include "collide/segments.h"

enum { MOST_FACES = 2 * LB_HULL_MAX_VERTICES, MOST_CORNERS = 2 * LB_HULL_MAX_VERTICES };

// One of the two, in the axes of the first.
typedef struct Shape {
  const lbPolyhedron *p;
  const lbVec3 *vertices; // (vertex_count)
  const lbVec3 *normals;  // (face_count)
  const double *offsets;  // (face_count)
} Shape;

typedef struct Axis {
  double separation;
  lbVec3 normal;         // from the first shape to the second
  int32_t first, second; // faces: the face, -1; edges: both
} Axis;

// ---- axes --------------------------------------------------------------------------------------

static double lowest(const Shape *shape, lbVec3 direction, int32_t *vertex) {
  double least = INFINITY;
  for (int32_t i = 0; i < shape->p->vertex_count; i++) {
    double along = lb_dot(direction, shape->vertices[i]);
    if (along < least) least = along, *vertex = i;
  }
  return least;
}

static Axis best_face(const Shape *of, const Shape *other, double margin) {
  Axis best = { -INFINITY, { 0, 0, 1 }, 0, -1 };
  int32_t vertex = 0;
  for (int32_t i = 0; i < of->p->face_count; i++) {
    double separation = lowest(other, of->normals[i], &vertex) - of->offsets[i];
    if (separation > best.separation) best = (Axis){ separation, of->normals[i], i, -1 };
    if (!(best.separation < margin)) break;
  }
  return best;
}

// Do the arcs between the normals of the two edges' faces meet, one of them turned round?
static bool arcs_meet(const lbSolidEdge *a, lbVec3 along, const lbVec3 faces[2]) {
  double b0 = lb_dot(faces[0], a->along), b1 = lb_dot(faces[1], a->along);
  double a0 = lb_dot(a->faces[0], along), a1 = lb_dot(a->faces[1], along);
  return b0 * b1 < 0 && a0 * a1 < 0 && b0 * a1 < 0;
}

// The first shape's edges are in their own axes already.
static Axis best_edges(const Shape *a, const Shape *b, const lbSolidFrame *frame) {
  Axis best = { -INFINITY, { 0, 0, 1 }, -1, -1 };
  for (int32_t j = 0; j < b->p->edge_count; j++) {
    const lbSolidEdge *other = &b->p->edges[j];
    if (!other->sharp) continue;
    lbVec3 along = lb_mat3_apply(frame->rotation, other->along);
    lbVec3 faces[2] = { lb_mat3_apply(frame->rotation, other->faces[0]),
                        lb_mat3_apply(frame->rotation, other->faces[1]) };
    for (int32_t i = 0; i < a->p->edge_count; i++) {
      const lbSolidEdge *edge = &a->p->edges[i];
      if (!edge->sharp || !arcs_meet(edge, along, faces)) continue;
      lbVec3 normal = lb_cross(edge->along, along);
      double length = lb_length(normal);
      if (length < 1e-4) continue; // parallel: a face does as well
      lbVec3 at = a->vertices[edge->ends[0]];
      double side = lb_dot(normal, edge->normal);
      normal = lb_scale(side < 0 ? -1 / length : 1 / length, normal);
      double separation = lb_dot(normal, lb_sub(b->vertices[other->ends[0]], at));
      if (separation > best.separation) best = (Axis){ separation, normal, i, j };
    }
  }
  return best;
}

// ---- face against face -------------------------------------------------------------------------

typedef struct Corner {
  lbVec3 at;
  int32_t id;
} Corner;

static int32_t facing(const Shape *shape, lbVec3 normal) {
  int32_t best = 0;
  double least = INFINITY;
  for (int32_t i = 0; i < shape->p->face_count; i++) {
    double cosine = lb_dot(shape->normals[i], normal);
    if (cosine < least) least = cosine, best = i;
  }
  return best;
}

// What of the polygon lies behind the plane (Sutherland & Hodgman).
static int32_t clip(const Corner *from, int32_t count, lbVec3 normal, double offset, int32_t plane,
                    Corner *to) {
  int32_t kept = 0;
  for (int32_t i = 0; i < count; i++) {
    const Corner *here = &from[i], *next = &from[i + 1 < count ? i + 1 : 0];
    double above = lb_dot(normal, here->at) - offset, then = lb_dot(normal, next->at) - offset;
    if (above <= 0 && kept < MOST_CORNERS) to[kept++] = *here;
    if ((above <= 0) == (then <= 0) || kept == MOST_CORNERS) continue;
    lbVec3 cut = lb_add_scaled(here->at, above / (above - then), lb_sub(next->at, here->at));
    int32_t id = (plane + 1) << 10 | (here->id & 511) << 1 | (above > 0);
    to[kept++] = (Corner){ cut, id };
  }
  return kept;
}

static int32_t clip_face(const Shape *face_of, int32_t face, const Shape *other, int32_t incident,
                         Corner *corners, Corner *scratch) {
  const lbPolyhedron *p = other->p, *r = face_of->p;
  int32_t count = 0;
  for (int32_t i = p->face_begin[incident]; i < p->face_begin[incident + 1]; i++)
    if (count < MOST_CORNERS)
      corners[count++] = (Corner){ other->vertices[p->face_vertices[i]], p->face_vertices[i] };
  int32_t begin = r->face_begin[face], end = r->face_begin[face + 1];
  for (int32_t i = begin; i < end && count > 0; i++) {
    lbVec3 at = face_of->vertices[r->face_vertices[i]];
    lbVec3 next = face_of->vertices[r->face_vertices[i + 1 < end ? i + 1 : begin]];
    lbVec3 out = lb_normalise(lb_cross(lb_sub(next, at), face_of->normals[face]));
    count = clip(corners, count, out, lb_dot(out, at), i - begin, scratch);
    for (int32_t k = 0; k < count; k++) corners[k] = scratch[k];
  }
  return count;
}

static void add_axis_touch(lbTouchList *list, lbVec3 on_a, lbVec3 on_b, lbVec3 normal, double gap,
                           int32_t feature) {
  lb_touch_list_add(list, &(lbSolidTouch){ { 0, 0, 0 }, on_a, on_b, normal, gap, feature });
}

// `axis` is a face of a (or, turned, of b).
static void touch_faces(const Shape *a, const Shape *b, const Axis *axis, bool turned,
                        double margin, lbTouchList *list) {
  const Shape *face_of = turned ? b : a, *other = turned ? a : b;
  Corner corners[MOST_CORNERS], scratch[MOST_CORNERS];
  lbVec3 normal = axis->normal, to_a = turned ? normal : lb_scale(-1, normal);
  double offset = face_of->offsets[axis->first];
  int32_t count = clip_face(face_of, axis->first, other, facing(other, normal), corners, scratch);
  int32_t added = 0;
  for (int32_t i = 0; i < count; i++) {
    double gap = lb_dot(normal, corners[i].at) - offset;
    if (!(gap < margin)) continue;
    lbVec3 foot = lb_add_scaled(corners[i].at, -gap, normal);
    added++;
    add_axis_touch(list, turned ? corners[i].at : foot, turned ? foot : corners[i].at, to_a, gap,
                   lb_feature(corners[i].id, turned));
  }
  if (added > 0) return;
  int32_t vertex = 0; // the lowest corner is not above the face
  double gap = lowest(other, normal, &vertex) - offset;
  lbVec3 at = other->vertices[vertex], foot = lb_add_scaled(at, -gap, normal);
  add_axis_touch(list, turned ? at : foot, turned ? foot : at, to_a, gap,
                 lb_feature(vertex, turned));
}

static void touch_crossing_edges(const Shape *a, const Shape *b, const Axis *axis,
                                 lbTouchList *list) {
  const int32_t *x = a->p->edges[axis->first].ends, *y = b->p->edges[axis->second].ends;
  lbVec3 p = a->vertices[x[0]], q = b->vertices[y[0]];
  lbVec3 d = lb_sub(a->vertices[x[1]], p), e = lb_sub(b->vertices[y[1]], q);
  double s, t;
  lb_segments_closest(p, d, q, e, &s, &t);
  lbVec3 on_b = lb_add_scaled(q, t, e);
  lbVec3 to_a = lb_scale(-1, axis->normal);
  int32_t feature = lb_feature((axis->first & 1023) << 10 | (axis->second & 1023), 2);
  add_axis_touch(list, lb_add_scaled(on_b, axis->separation, to_a), on_b, to_a, axis->separation,
                 feature);
}

// ---- all ---------------------------------------------------------------------------------------

void lb_touch_convex(const lbSolid *a, const lbSolid *b, const lbSolidFrame *frame, double margin,
                     lbTouchList *list) {
  const lbPolyhedron *p = a->polyhedron, *q = b->polyhedron;
  lbVec3 own[LB_HULL_MAX_VERTICES], vertices[LB_HULL_MAX_VERTICES], normals[MOST_FACES];
  double offsets[MOST_FACES];
  for (int32_t i = 0; i < p->vertex_count; i++) own[i] = lb_polyhedron_vertex(p, i);
  for (int32_t i = 0; i < q->vertex_count; i++)
    vertices[i] = lb_solid_to_world(frame, lb_polyhedron_vertex(q, i));
  for (int32_t i = 0; i < q->face_count; i++) {
    normals[i] = lb_mat3_apply(frame->rotation, q->face_normals[i]);
    offsets[i] = q->face_offsets[i] + lb_dot(normals[i], frame->position);
  }
  Shape first = { p, own, p->face_normals, p->face_offsets };
  Shape second = { q, vertices, normals, offsets };
  Axis face_a = best_face(&first, &second, margin);
  if (!(face_a.separation < margin)) return;
  Axis face_b = best_face(&second, &first, margin);
  if (!(face_b.separation < margin)) return;
  Axis edges = best_edges(&first, &second, frame);
  if (!(edges.separation < margin)) return;
  double favour = 2e-3 * lb_lesser(a->reach, b->reach); // faces carry torque
  if (edges.separation > lb_greater(face_a.separation, face_b.separation) + favour)
    touch_crossing_edges(&first, &second, &edges, list);
  else if (face_b.separation > face_a.separation + 0.1 * favour)
    touch_faces(&first, &second, &face_b, true, margin, list);
  else
    touch_faces(&first, &second, &face_a, false, margin, list);
}
