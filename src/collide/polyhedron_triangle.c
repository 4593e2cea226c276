// Triangles against boxes, hulls and meshes: edges against edges, corners of the solid against the
// face. (Corners of the triangle against the solid are tested elsewhere.)
//
// Two parts touch where the direction between them lies in the normal cones of both: for an edge
// that is the arc between the normals of its two faces, for a corner what turns away from all its
// edges. So a part that is not the nearest around makes no touch. Where they overlap, the place of
// the triangle must lie inside the solid and not nearer to some other of its faces; for convex
// solids, also no deeper than one and a half times the shortest way out of the whole triangle.
#include "collide/segments.h"

// ---- overlaps ----------------------------------------------------------------------------------

// Behind a pointed part, seen along a normal in its cone, may be a place beside a convex solid.
static bool leads_beside(const lbSolidEdge *edge, lbVec3 normal) {
  return lb_dot(edge->faces[0], normal) < -LB_CONE_SLACK ||
         lb_dot(edge->faces[1], normal) < -LB_CONE_SLACK;
}

// Is the place of a triangle that overlaps with a part of the solid inside, and not nearer to other
// faces? `beside` is its height above the highest face of that part (< 0). Convex solids have a
// further test, of the whole triangle.
static bool is_nearest_part(const lbSolid *solid, lbVec3 place, double gap, double beside) {
  lbVec3 normal;
  double tiny = 1e-12 * solid->reach + lb_lesser(-LB_CONE_SLACK * gap, 1e-3 * solid->reach);
  if (!solid->polyhedron->closed) return -gap <= solid->thickness && !solid->two_sided;
  double distance = lb_solid_distance_within(solid, place, 0, &normal);
  return distance <= tiny && -distance >= -0.5 * beside - tiny;
}

// ---- edge against edge -------------------------------------------------------------------------

// Turns `normal` (square to the edge) out of the solid; false when it is not in the edge's cone.
// One that is beside the cone by the slack becomes the nearest in it.
static bool fit_normal(const lbSolid *solid, const lbSolidEdge *edge, lbVec3 apart,
                       lbVec3 *normal) {
  double first = lb_dot(*normal, edge->inward[0]), second = lb_dot(*normal, edge->inward[1]);
  bool turn = first + second > 0;
  if (edge->border && fabs(first) < LB_CONE_SLACK)
    turn = lb_dot(*normal, solid->two_sided ? apart : edge->faces[0]) < 0;
  if (turn) *normal = lb_scale(-1, *normal), first = -first, second = -second;
  if (first > LB_CONE_SLACK || second > LB_CONE_SLACK) return false;
  if (edge->border) return true;
  if (first > 0) *normal = edge->faces[0];
  if (second > first && second > 0) *normal = edge->faces[1];
  return true;
}

bool lb_edge_touch(const lbSolid *solid, const lbSolidEdge *edge, lbVec3 p, lbVec3 d,
                   const lbVec3 *sides, double margin, lbSolidTouch *out, double *s) {
  lbVec3 q = lb_polyhedron_vertex(solid->polyhedron, edge->ends[0]);
  lbVec3 e = lb_sub(lb_polyhedron_vertex(solid->polyhedron, edge->ends[1]), q);
  double t;
  if (!lb_lines_closest(p, d, q, e, s, &t)) return false;
  if (!(*s >= 0 && *s <= 1 && t >= 0 && t <= 1)) return false;
  lbVec3 place = lb_add_scaled(p, *s, d), apart = lb_sub(place, lb_add_scaled(q, t, e));
  lbVec3 normal = lb_normalise(lb_cross(d, e));
  if (lb_dot(normal, normal) == 0 || !fit_normal(solid, edge, apart, &normal)) return false;
  double gap = lb_dot(normal, apart);
  if (!(gap < margin)) return false;
  if (sides && !lb_edge_faces(sides, place, d, normal, LB_CONE_SLACK)) return false;
  double beside = lb_greater(lb_dot(edge->faces[0], apart), lb_dot(edge->faces[1], apart));
  bool may_be_beside = solid->kind != LB_SOLID_MESH && leads_beside(edge, normal);
  if (gap < 0 && !may_be_beside && !is_nearest_part(solid, place, gap, beside)) return false;
  out->on_triangle = place;
  out->on_solid = lb_add_scaled(place, -gap, normal);
  out->normal = normal;
  out->gap = gap;
  return true;
}

// ---- corner against face -----------------------------------------------------------------------

bool lb_vertex_cone_holds(const lbPolyhedron *p, int32_t vertex, lbVec3 normal) {
  for (int32_t i = p->vertex_begin[vertex]; i < p->vertex_begin[vertex + 1]; i++) {
    const lbSolidEdge *edge = &p->edges[p->vertex_edges[i]];
    double along = lb_dot(normal, edge->along);
    if ((edge->ends[0] == vertex ? along : -along) > LB_CONE_SLACK) return false;
  }
  return true;
}

// The same for a vertex as is_nearest_part for an edge.
static bool is_nearest_vertex(const lbSolid *solid, int32_t vertex, lbVec3 place, lbVec3 normal,
                              double gap) {
  const lbPolyhedron *p = solid->polyhedron;
  lbVec3 apart = lb_sub(place, lb_polyhedron_vertex(p, vertex));
  double beside = -INFINITY;
  for (int32_t i = p->vertex_begin[vertex]; i < p->vertex_begin[vertex + 1]; i++) {
    const lbSolidEdge *edge = &p->edges[p->vertex_edges[i]];
    if (solid->kind != LB_SOLID_MESH && leads_beside(edge, normal)) return true;
    for (int k = 0; k < 2; k++) beside = lb_greater(beside, lb_dot(edge->faces[k], apart));
  }
  return is_nearest_part(solid, place, gap, beside);
}

// ---- all parts near a triangle -----------------------------------------------------------------

typedef struct Near {
  const lbSolid *solid;
  const lbSurfaceTriangle *triangle;
  lbFacet facet;
  lbVec3 down; // from the solid to the triangle, square to it; zero for a flat triangle
  bool ready;  // facet and down are known
  lbBox region;
  double margin, around; // overlaps are no deeper than around
  double overlap;        // convex: how far the triangle must go to leave the solid ...
  lbVec3 way;            // ... along this axis
  bool overlaps;         // a part that a neighbour owns does, with a near part of the solid
  bool shares, knows;    // convex: shares a place with the solid, once that is known
  lbTouchList *list;
} Near;

// What of a polygon (by weights of the triangle's corners) lies behind a plane.
enum { MOST_CORNERS = 64 };
static int32_t cut_polygon(const double (*from)[3], int32_t count, const double heights[3],
                           double (*to)[3]) {
  int32_t kept = 0;
  for (int32_t i = 0; i < count; i++) {
    const double *here = from[i], *next = from[i + 1 < count ? i + 1 : 0];
    double above = here[0] * heights[0] + here[1] * heights[1] + here[2] * heights[2];
    double then = next[0] * heights[0] + next[1] * heights[1] + next[2] * heights[2];
    if (above <= 0 && kept < MOST_CORNERS) {
      for (int k = 0; k < 3; k++) to[kept][k] = here[k];
      kept++;
    }
    if ((above <= 0) == (then <= 0) || kept == MOST_CORNERS) continue;
    double part = above / (above - then);
    for (int k = 0; k < 3; k++) to[kept][k] = here[k] + part * (next[k] - here[k]);
    kept++;
  }
  return kept;
}

// The middle of what the triangle and a convex solid share; false when that is nothing.
static bool common_place(const Near *near, double weights[3]) {
  const lbPolyhedron *p = near->solid->polyhedron;
  double polygons[2][MOST_CORNERS][3] = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
  int32_t count = 3, now = 0;
  for (int32_t i = 0; i < p->face_count && count > 0; i++) {
    double heights[3];
    for (int k = 0; k < 3; k++)
      heights[k] = lb_dot(p->face_normals[i], near->triangle->corners[k]) - p->face_offsets[i];
    if (heights[0] <= 0 && heights[1] <= 0 && heights[2] <= 0) continue;
    count = cut_polygon((const double(*)[3])polygons[now], count, heights, polygons[1 - now]);
    now = 1 - now;
  }
  for (int k = 0; k < 3; k++) {
    weights[k] = 0;
    for (int32_t i = 0; i < count; i++) weights[k] += polygons[now][i][k] / count;
  }
  return count > 0;
}

// Is an overlap with a part of the solid to be believed: do they overlap at all, and not deeper
// than need be?
static bool believes(Near *near, double gap) {
  double weights[3];
  if (gap >= 0) return true;
  if (gap < -near->around) return false;
  if (near->solid->kind == LB_SOLID_MESH) return true; // told part by part
  if (!near->knows) near->shares = near->overlap > 0 && common_place(near, weights);
  near->knows = true;
  return near->shares;
}

// A corner of the solid beside a ridge of the surface: only while they are apart.
static void touch_vertex_edge(const Near *near, int32_t vertex, int k) {
  const lbVec3 *c = near->triangle->corners;
  lbVec3 at = lb_polyhedron_vertex(near->solid->polyhedron, vertex);
  lbVec3 edge = lb_sub(c[(k + 1) % 3], c[k]);
  double s = lb_dot(lb_sub(at, c[k]), edge) / lb_dot(edge, edge);
  if (!(s > 0 && s < 1)) return;
  lbSolidTouch touch = { .on_triangle = lb_add_scaled(c[k], s, edge), .on_solid = at };
  lbVec3 apart = lb_sub(touch.on_triangle, at);
  touch.gap = lb_length(apart);
  if (!(touch.gap > 1e-12 * near->solid->reach && touch.gap < near->margin)) return;
  touch.normal = lb_scale(1 / touch.gap, apart);
  const lbVec3 sides[2] = { c[(k + 2) % 3], near->triangle->across[k] };
  if (!lb_edge_faces(sides, touch.on_triangle, edge, touch.normal, 0)) return;
  if (!lb_vertex_cone_holds(near->solid->polyhedron, vertex, touch.normal)) return;
  touch.weights[k] = 1 - s;
  touch.weights[(k + 1) % 3] = s;
  touch.feature = lb_feature(near->solid->polyhedron->edge_count + vertex + 1, LB_PART_EDGE + k);
  lb_touch_list_add(near->list, &touch);
}

static void touch_solid_vertex(Near *near, int32_t vertex) {
  const lbPolyhedron *p = near->solid->polyhedron;
  lbVec3 at = lb_polyhedron_vertex(p, vertex);
  double gap = lb_dot(near->down, lb_sub(near->facet.corners[0], at));
  lbSolidTouch touch;
  if (!(gap < near->margin) || lb_dot(near->down, near->down) == 0) return;
  if (!lb_facet_foot(&near->facet, at, touch.weights)) return;
  if (!lb_vertex_cone_holds(p, vertex, near->down) || !believes(near, gap)) return;
  touch.on_triangle = lb_facet_place(&near->facet, touch.weights);
  if (gap < 0 && !is_nearest_vertex(near->solid, vertex, touch.on_triangle, near->down, gap))
    return;
  touch.on_solid = lb_add_scaled(touch.on_triangle, -gap, near->down);
  touch.normal = near->down;
  touch.gap = gap;
  touch.feature = lb_feature(vertex + 1, LB_PART_FACE);
  lb_touch_list_add(near->list, &touch);
}

static void touch_solid_edge(Near *near, int32_t edge) {
  const lbVec3 *c = near->triangle->corners;
  for (int k = 0; k < 3; k++) {
    bool own = near->triangle->own & LB_OWN_EDGE(k);
    if (!own && !(near->overlap > 0)) continue;
    const lbVec3 sides[2] = { c[(k + 2) % 3], near->triangle->across[k] };
    lbSolidTouch touch;
    double s;
    if (!lb_edge_touch(near->solid, &near->solid->polyhedron->edges[edge], c[k],
                       lb_sub(c[(k + 1) % 3], c[k]), sides, own ? near->margin : 0, &touch, &s) ||
        !believes(near, touch.gap))
      continue;
    if (!own) {
      near->overlaps = true;
      continue;
    }
    touch.weights[k] = 1 - s;
    touch.weights[(k + 1) % 3] = s;
    touch.weights[(k + 2) % 3] = 0;
    touch.feature = lb_feature(edge + 1, LB_PART_EDGE + k);
    lb_touch_list_add(near->list, &touch);
  }
}

static bool edge_is_near(const Near *near, const lbSolidEdge *edge) {
  const double *vertices = near->solid->polyhedron->vertices;
  const double *a = vertices + 3 * (size_t)edge->ends[0], *b = vertices + 3 * (size_t)edge->ends[1];
  for (int i = 0; i < 3; i++)
    if (lb_greater(a[i], b[i]) < near->region.low[i] ||
        lb_lesser(a[i], b[i]) > near->region.high[i])
      return false;
  return true;
}

static bool vertex_is_near(const Near *near, int32_t vertex) {
  const double *at = near->solid->polyhedron->vertices + 3 * (size_t)vertex;
  for (int i = 0; i < 3; i++)
    if (at[i] < near->region.low[i] || at[i] > near->region.high[i]) return false;
  return true;
}

static void find_facet(Near *near) {
  const lbSurfaceTriangle *triangle = near->triangle;
  if (near->ready) return;
  near->ready = true;
  near->facet = lb_facet(triangle->corners);
  near->down = lb_scale(-1, near->facet.normal);
  if (triangle->own & LB_TWO_SIDED &&
      lb_dot(near->down, lb_sub(triangle->corners[0], near->solid->centre)) < 0)
    near->down = near->facet.normal;
}

// The sharp parts that a triangle of the solid owns.
static bool touch_parts(int32_t triangle, void *context) {
  Near *near = context;
  const lbPolyhedron *p = near->solid->polyhedron;
  find_facet(near);
  for (int k = 0; k < 3; k++) {
    int32_t vertex = p->triangles[3 * triangle + k], edge = p->triangle_edges[3 * triangle + k];
    if (p->own[triangle] & LB_OWN_CORNER(k) && vertex_is_near(near, vertex)) {
      touch_solid_vertex(near, vertex);
      for (int i = 0; i < 3; i++)
        if (near->triangle->own & LB_OWN_EDGE(i)) touch_vertex_edge(near, vertex, i);
    }
    if (p->own[triangle] & LB_OWN_EDGE(k) && edge_is_near(near, &p->edges[edge]))
      touch_solid_edge(near, edge);
  }
  return true;
}

static bool touch_sharp(int32_t item, void *context) {
  const Near *near = context;
  return touch_parts(near->solid->polyhedron->sharp[item], context);
}

// An edge that goes right through the solid overlaps with edges on all sides of it: those that push
// another way than the least deep one are dropped.
static void drop_other_sides(lbTouchList *list, int32_t part) {
  const int32_t part_mask = (1 << LB_PART_BITS) - 1;
  double least = -INFINITY;
  lbVec3 normal = { 0, 0, 0 };
  for (int32_t i = 0; i < list->count; i++) {
    const lbSolidTouch *touch = &list->touches[i];
    if ((touch->feature & part_mask) != part || touch->gap >= 0 || touch->gap <= least) continue;
    least = touch->gap;
    normal = touch->normal;
  }
  if (least == -INFINITY) return;
  int32_t kept = 0;
  for (int32_t i = 0; i < list->count; i++) {
    const lbSolidTouch *touch = &list->touches[i];
    bool other = (touch->feature & part_mask) == part && lb_dot(touch->normal, normal) < 0.5;
    if (!other || touch->gap >= 0) list->touches[kept++] = *touch;
  }
  list->count = kept;
}

// Do corners or edges, whoever owns them, overlap with a near part of the solid?
static bool parts_overlap(const Near *near) {
  lbVec3 normal;
  if (near->overlaps) return true;
  for (int32_t i = 0; i < near->list->count; i++)
    if (near->list->touches[i].gap < 0) return true;
  for (int k = 0; k < 3; k++)
    if (lb_solid_distance_within(near->solid, near->triangle->corners[k], 0, &normal) < 0)
      return true;
  return false;
}

// A triangle that cuts deep through the solid, none of whose parts overlaps with a near part of it:
// the shortest way out.
static void touch_through(const Near *near) {
  if (parts_overlap(near)) return;
  const lbPolyhedron *p = near->solid->polyhedron;
  lbSolidTouch touch = { .normal = near->way, .feature = lb_feature(0, LB_PART_FACE) };
  if (!common_place(near, touch.weights)) return;
  touch.on_triangle = lb_facet_place(&near->facet, touch.weights);
  touch.gap = -1e-9 * near->solid->reach;
  for (int32_t i = 0; i < p->vertex_count; i++) {
    lbVec3 apart = lb_sub(touch.on_triangle, lb_polyhedron_vertex(p, i));
    touch.gap = lb_lesser(touch.gap, lb_dot(near->way, apart));
  }
  touch.on_solid = lb_add_scaled(touch.on_triangle, -touch.gap, touch.normal);
  lb_touch_list_add(near->list, &touch);
}

// A box has edges in the region only when faces of two of its axes are.
static bool box_edges_near(const lbSolid *solid, const lbBox *region) {
  int axes = 0;
  for (int i = 0; i < 3; i++) {
    double half = solid->half[i];
    axes += (region->low[i] <= half && region->high[i] >= half) ||
            (region->low[i] <= -half && region->high[i] >= -half);
  }
  return axes >= 2;
}

double lb_reach_into(const lbSolid *solid, const lbVec3 corners[3], double margin) {
  lbVec3 middle = lb_scale(1.0 / 3, lb_add(corners[0], lb_add(corners[1], corners[2]))), normal;
  double radius2 = 0;
  for (int k = 0; k < 3; k++) {
    lbVec3 to = lb_sub(corners[k], middle);
    radius2 = lb_greater(radius2, lb_dot(to, to));
  }
  double radius = sqrt(radius2), limit = 1.001 * (radius + margin);
  return radius - lb_solid_distance_within(solid, middle, limit, &normal);
}

// How far the triangle must go to leave a convex solid through a face or along its own normal.
static void find_way_out(Near *near) {
  const lbPolyhedron *p = near->solid->polyhedron;
  const lbVec3 *c = near->triangle->corners;
  near->overlap = INFINITY;
  for (int32_t i = 0; i < p->face_count; i++) {
    lbVec3 n = p->face_normals[i];
    double lowest = lb_lesser(lb_dot(n, c[0]), lb_lesser(lb_dot(n, c[1]), lb_dot(n, c[2])));
    if (p->face_offsets[i] - lowest >= near->overlap) continue;
    near->overlap = p->face_offsets[i] - lowest;
    near->way = n;
  }
  double along = -INFINITY;
  for (int32_t i = 0; i < p->vertex_count; i++)
    along = lb_greater(along, lb_dot(near->down, lb_sub(lb_polyhedron_vertex(p, i), c[0])));
  if (lb_dot(near->down, near->down) == 0 || along >= near->overlap) return;
  near->overlap = along;
  near->way = near->down;
}

static void set_region(Near *near, double around) {
  near->around = around;
  near->region = lb_box_empty();
  for (int k = 0; k < 3; k++) {
    double corner[3];
    lb_vec3_store(corner, near->triangle->corners[k]);
    lb_box_add_point(&near->region, corner);
  }
  for (int i = 0; i < 3; i++) near->region.low[i] -= around, near->region.high[i] += around;
}

void lb_touch_triangle_polyhedron(const lbSolid *solid, const lbSurfaceTriangle *triangle,
                                  double margin, double deepest, lbTouchList *list) {
  Near near = { .solid = solid, .triangle = triangle, .margin = margin, .list = list };
  set_region(&near, lb_greater(margin, 2 * deepest));
  if (solid->kind == LB_SOLID_BOX && !box_edges_near(solid, &near.region)) return;
  const lbPolyhedron *p = solid->polyhedron;
  if (solid->kind !=
      LB_SOLID_MESH) { // where they overlap, what is much deeper than need be is on another side
    find_facet(&near);
    find_way_out(&near);
    set_region(&near, lb_greater(margin, 1.5 * near.overlap));
  }
  if (p->triangle_count > 4 * LB_AABB_LEAF_ITEMS)
    lb_aabb_tree_overlap(p->sharp_tree, &near.region, touch_sharp, &near);
  else
    for (int32_t i = 0; i < p->triangle_count; i++) touch_parts(i, &near);
  for (int k = 0; k < 3; k++) drop_other_sides(list, LB_PART_EDGE + k);
  if (near.overlap > 0) touch_through(&near);
}
